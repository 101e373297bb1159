//! Pictures in SVG are documents that can run scripts when they are opened: what is left of them
//! is the drawing.

use quick_xml::events::{BytesStart, BytesText, Event};
use quick_xml::{Reader, Writer};
use url::Url;

use super::address::{is_inline, is_script};
use super::css::{self, Refers};

/// Deepest nesting that is written.
const DEEPEST: usize = 512;

/// The drawing without scripts, handlers, entities and addresses outside; none if it is no XML.
pub(crate) fn sanitise(bytes: &[u8], base: &Url) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(bytes).ok()?;
    let mut reader = Reader::from_str(text.trim_start_matches('\u{feff}'));
    let mut writer = Writer::new(Vec::with_capacity(bytes.len()));
    let (mut depth, mut dropped) = (0usize, None::<usize>);
    let mut in_style = false;
    loop {
        match reader.read_event().ok()? {
            Event::Start(tag) => {
                depth += 1;
                if depth > DEEPEST {
                    return None;
                }
                if dropped.is_none() && is_active(&tag) {
                    dropped = Some(depth);
                }
                in_style = tag.local_name().as_ref() == b"style";
                if dropped.is_none() {
                    writer.write_event(Event::Start(plain(&tag, base)?)).ok()?;
                }
            }
            Event::Empty(tag) if dropped.is_none() && !is_active(&tag) => {
                writer.write_event(Event::Empty(plain(&tag, base)?)).ok()?;
            }
            Event::End(tag) => {
                in_style = false;
                if dropped.is_none() {
                    writer.write_event(Event::End(tag)).ok()?;
                }
                if dropped == Some(depth) {
                    dropped = None;
                }
                depth = depth.checked_sub(1)?;
            }
            // Entities of its own could become elements; those of XML are in the text.
            Event::DocType(_) | Event::PI(_) | Event::Comment(_) | Event::Decl(_) => {}
            Event::Eof => return (depth == 0).then(|| writer.into_inner()),
            Event::Empty(_) => {}
            Event::Text(text) if dropped.is_none() && in_style => {
                let sheet = text.decode().ok()?;
                let sheet = css::rewrite(&sheet, base, &mut |_, _: Refers| None);
                writer.write_event(Event::Text(BytesText::from_escaped(sheet))).ok()?;
            }
            Event::CData(section) if dropped.is_none() && in_style => {
                let sheet = section.decode().ok()?;
                let sheet = css::rewrite(&sheet, base, &mut |_, _: Refers| None);
                writer.write_event(Event::Text(BytesText::new(&sheet))).ok()?;
            }
            other if dropped.is_none() => writer.write_event(other).ok()?,
            _ => {}
        }
    }
}

/// Whether an element can act: a script, a page inside, or an animation of an address.
fn is_active(tag: &BytesStart<'_>) -> bool {
    let name = tag.local_name();
    let name = name.as_ref();
    let is = |other: &[u8]| name.eq_ignore_ascii_case(other);
    if [&b"script"[..], b"foreignObject", b"iframe", b"object", b"embed", b"handler", b"listener"]
        .iter()
        .any(|active| is(active))
    {
        return true;
    }
    let animates = [&b"animate"[..], b"set", b"animateTransform", b"animateMotion"];
    animates.iter().any(|animation| is(animation))
        && tag.attributes().flatten().any(|attribute| {
            let target = attribute.value.to_ascii_lowercase();
            attribute.key.local_name().as_ref() == b"attributeName"
                && (target.ends_with(b"href") || target.starts_with(b"on"))
        })
}

fn plain(tag: &BytesStart<'_>, base: &Url) -> Option<BytesStart<'static>> {
    let name = std::str::from_utf8(tag.name().into_inner()).ok()?.to_owned();
    let mut plain = BytesStart::new(name);
    for attribute in tag.attributes() {
        let attribute = attribute.ok()?;
        let key = std::str::from_utf8(attribute.key.into_inner()).ok()?;
        let local = attribute.key.local_name();
        let local = local.as_ref().to_ascii_lowercase();
        let value = attribute.unescape_value().ok()?;
        if local.starts_with(b"on") || is_script(&value) || local == b"base" {
            continue;
        }
        if (local == b"href" || local == b"src") && !value.starts_with('#') && !is_inline(&value) {
            continue;
        }
        if value.to_ascii_lowercase().contains("url(") {
            let value = css::rewrite(&value, base, &mut |_, _: Refers| None);
            plain.push_attribute((key, value.as_str()));
        } else {
            plain.push_attribute((key, &*value));
        }
    }
    Some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawing(svg: &str) -> Option<String> {
        let base = Url::parse("http://a.example/").unwrap();
        sanitise(svg.as_bytes(), &base).map(|bytes| String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn the_drawing_stays_and_what_acts_goes() {
        let svg = r##"<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY x "y">]><svg xmlns="http://www.w3.org/2000/svg" onload="f()"><script>alert(1)</script><a href="javascript:f()"><rect fill="url(#g)" width="1"/></a><image href="http://b.example/x.png"/><set attributeName="xlink:href" to="javascript:f()"/><text>1 &lt; 2</text></svg>"##;
        assert_eq!(
            drawing(svg).unwrap(),
            r##"<svg xmlns="http://www.w3.org/2000/svg"><a><rect fill="url(&quot;#g&quot;)" width="1"/></a><image/><text>1 &lt; 2</text></svg>"##
        );
    }

    #[test]
    fn what_is_no_xml_is_not_kept() {
        assert_eq!(drawing("<svg><g></svg>"), None);
        assert_eq!(drawing("<svg"), None);
        assert_eq!(drawing("<svg><script></svg>"), None);
    }
}
