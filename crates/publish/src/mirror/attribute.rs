//! Attributes, styles and the elements of the head: what of them may stay.

use page::tree::{Kind, Node};

use super::address::{candidates, is_inline, is_script};
use super::css;
use super::shelf::FOLDER;
use super::writer::Writer;

/// Attributes that act, load or send, or that mean nothing without scripts.
const DROPPED: [&str; 36] = [
    "nonce",
    "integrity",
    "crossorigin",
    "ping",
    "autoplay",
    "autofocus",
    "srcdoc",
    "formaction",
    "action",
    "method",
    "enctype",
    "formtarget",
    "target",
    "download",
    "http-equiv",
    "manifest",
    "is",
    "attributionsrc",
    "shadowrootmode",
    "cite",
    "longdesc",
    "profile",
    "codebase",
    "classid",
    "archive",
    "usemap-src",
    "lowsrc",
    "dynsrc",
    "data",
    "code",
    "sandbox",
    "allow",
    "srclang-src",
    "referrerpolicy",
    "fetchpriority",
    "popovertarget",
];

impl Writer<'_, '_> {
    /// The attributes of an element that may stay, with addresses made local.
    pub(super) fn attributes(&mut self, node: Node<'_>, drop: &[&str], class: Option<&str>) {
        let mut class = class;
        let mut has_source = false;
        for (name, value) in node.attributes() {
            let lower = name.to_ascii_lowercase();
            let is_plain =
                |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.');
            if !lower.chars().all(is_plain)
                || lower.starts_with("on")
                || DROPPED.contains(&lower.as_str())
                || drop.contains(&lower.as_str())
            {
                continue;
            }
            match lower.as_str() {
                "class" => match class.take() {
                    Some(more) => self.attribute("class", &format!("{value} {more}")),
                    None => self.attribute("class", value),
                },
                "style" => {
                    let css = self.css(value);
                    self.attribute("style", &css);
                }
                "src" | "poster" | "background" | "href" | "xlink:href" => {
                    has_source |= self.source(name, value, node);
                }
                "srcset" | "imagesrcset" => has_source |= self.source_set(name, value),
                _ if is_script(value) => {}
                _ if node.is_foreign() && value.contains("url(") => {
                    let css = self.css(value);
                    self.attribute(name, &css);
                }
                _ => self.attribute(name, value),
            }
        }
        if let Some(class) = class {
            self.attribute("class", class);
        }
        let wants_one = matches!(node.name(), "img" | "source");
        if wants_one && !has_source {
            self.out.push_str(" data-bathys-missing");
        }
    }

    /// An address of something to show.
    fn source(&mut self, name: &str, value: &str, node: Node<'_>) -> bool {
        let value = value.trim();
        if value.is_empty() {
            return false;
        }
        // Parts of this very drawing, and pictures inside the address itself.
        let own = node.is_foreign() && value.starts_with('#');
        if own || is_inline(value) {
            self.attribute(name, value);
            return true;
        }
        if is_script(value) {
            return false;
        }
        let base = self.base.clone();
        match self.scene.asset(value, &base) {
            Some(file) => {
                self.attribute(name, &file);
                true
            }
            None => false,
        }
    }

    /// The candidates of a `srcset` that were kept: a browser loads only one of them.
    fn source_set(&mut self, name: &str, value: &str) -> bool {
        let base = self.base.clone();
        let mut kept = Vec::new();
        for (address, descriptor) in candidates(value) {
            let file = match is_inline(address) {
                true => Some(address.to_owned()),
                false => self.kept_only(address, &base),
            };
            kept.extend(file.map(|file| format!("{file} {descriptor}").trim_end().to_owned()));
        }
        if !kept.is_empty() {
            self.attribute(name, &kept.join(", "));
        }
        !kept.is_empty()
    }

    /// An asset that may well be missing: another candidate stands for it.
    fn kept_only(&mut self, address: &str, base: &url::Url) -> Option<String> {
        let url = base.join(address).ok()?;
        self.scene.shelf.answer(&url)?;
        self.scene.asset(address, base)
    }

    /// A style with its addresses made local.
    pub(super) fn css(&mut self, css: &str) -> String {
        let (base, shelf) = (self.base.clone(), &mut self.scene.shelf);
        css::rewrite(css, &base, &mut |url, refers| {
            shelf.take(url, refers).map(|name| format!("{FOLDER}/{name}"))
        })
    }

    /// A `style` element.
    pub(super) fn style(&mut self, node: Node<'_>) {
        let texts = node.children().filter(|child| child.kind() == Kind::Text);
        let sheet: String = texts.map(Node::text).collect();
        let sheet = self.css(&sheet);
        self.out.push_str("<style");
        self.attributes(node, &[], None);
        self.out.push('>');
        match node.is_foreign() {
            true => self.out.push_str(&sheet.replace('&', "&amp;").replace('<', "&lt;")),
            // Nothing in a sheet needs these two characters side by side.
            false => self.out.push_str(&sheet.replace("</", "<\\/")),
        }
        self.out.push_str("</style>\n");
    }

    /// A `meta` that says something about the page, and does nothing.
    pub(super) fn meta(&mut self, node: Node<'_>) {
        let name = node.attribute("name").or_else(|| node.attribute("property"));
        let acts = node.attribute("http-equiv").is_some() || name == Some("referrer");
        if name.is_none() || acts {
            return;
        }
        self.out.push_str("<meta");
        self.attributes(node, &["charset"], None);
        self.out.push_str(">\n");
    }

    /// A `link` that shows something: a sheet or an icon.
    pub(super) fn sheet_link(&mut self, node: Node<'_>) {
        let rel = node.attribute("rel").unwrap_or_default().to_ascii_lowercase();
        let has = |word: &str| rel.split_ascii_whitespace().any(|own| own == word);
        let Some(href) = node.attribute("href") else { return };
        let base = self.base.clone();
        let file = if is_inline(href) && (has("icon") || has("stylesheet")) {
            Some(href.to_owned())
        } else if has("stylesheet") {
            let url = base.join(href.trim()).ok();
            let name = url.and_then(|url| self.scene.shelf.take(&url, css::Refers::Sheet));
            name.map(|name| format!("{FOLDER}/{name}"))
        } else if has("icon") {
            self.kept_only(href.trim(), &base)
        } else {
            None
        };
        if let Some(file) = file {
            self.out.push_str("<link");
            self.attributes(node, &["href"], None);
            self.attribute("href", &file);
            self.out.push_str(">\n");
        }
    }

    /// A frame: its document is a file beside this one.
    pub(super) fn inner_frame(&mut self, node: Node<'_>) {
        let base = self.base.clone();
        let file = self.scene.frame(node, &base);
        self.out.push('<');
        self.out.push_str(node.name());
        self.attributes(node, &["src", "name", "loading"], None);
        if let Some(file) = &file {
            self.attribute("src", file);
        }
        self.out.push('>');
        if node.name() == "iframe" {
            self.out.push_str("</iframe>");
        }
        let doors = self.scene.doors.of(node.id()).to_vec();
        doors.iter().for_each(|door| self.scene.tally.script_link(door.to));
        self.also(&doors);
    }

    /// Whether an element of a drawing can act: a script, or an animation of an address.
    pub(super) fn is_active_foreign(&self, node: Node<'_>) -> bool {
        match node.name() {
            "script" | "handler" | "listener" | "iframe" | "embed" | "object" => true,
            "animate" | "set" => {
                let target = node.attribute("attributeName").unwrap_or_default();
                let target = target.to_ascii_lowercase();
                target.ends_with("href") || target.starts_with("on")
            }
            _ => false,
        }
    }
}
