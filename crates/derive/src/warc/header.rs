//! The header of a WARC record.

/// Bytes that a header may have. Those of real files have some hundreds; cookies make the longest.
pub(super) const LONGEST_HEADER: usize = 1 << 20;

/// The named fields of a record, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WarcHeader {
    fields: Vec<(String, String)>,
}

impl WarcHeader {
    /// Reads what stands before the empty line; `None` if that is no header of a record.
    pub(super) fn read(text: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(text);
        let mut lines = text.split('\n').map(|line| line.trim_end_matches('\r'));
        if !lines.next()?.starts_with("WARC/") {
            return None;
        }
        let mut fields: Vec<(String, String)> = Vec::new();
        for line in lines.filter(|line| !line.is_empty()) {
            match line.split_once(':') {
                // What is indented belongs to the line before (WARC 1.0).
                _ if line.starts_with([' ', '\t']) => {
                    if let Some((_, value)) = fields.last_mut() {
                        value.push(' ');
                        value.push_str(line.trim());
                    }
                }
                Some((name, value)) => {
                    fields.push((name.trim().to_owned(), value.trim().to_owned()));
                }
                None => {}
            }
        }
        Some(Self { fields })
    }

    /// The value of a field.
    pub fn get(&self, name: &str) -> Option<&str> {
        let found = self.fields.iter().find(|(own, _)| own.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// What the record is: `response`, `revisit`…
    pub fn kind(&self) -> &str {
        self.get("WARC-Type").unwrap_or_default()
    }

    /// What it is about. WARC 1.0 put it in angle brackets now and then.
    pub fn target(&self) -> &str {
        let target = self.get("WARC-Target-URI").unwrap_or_default();
        target.strip_prefix('<').and_then(|target| target.strip_suffix('>')).unwrap_or(target)
    }

    /// Bytes of its block.
    pub(super) fn length(&self) -> Option<u64> {
        self.get("Content-Length")?.parse().ok()
    }

    /// When it was captured, in milliseconds since 1970.
    pub fn date(&self) -> Option<store::Millis> {
        let text = self.get("WARC-Date")?;
        let instant: jiff::Timestamp = text.parse().ok()?;
        Some(store::Millis(instant.as_millisecond()))
    }
}
