//! A document of the mirror: the captured tree written as HTML that a browser without scripts reads
//! back into the same text, with links where scripts were.
//!
//! The tree is one that scripts made, and HTML cannot say every tree: what its parser would move or
//! drop (a link in a link, a cell outside a table) is written as a plain element that looks the same.

use std::collections::HashSet;

use page::tree::{Kind, Node, NodeId, Step};
use url::Url;

use super::door::Door;
use super::scene::{Frame, LARGEST_FILE, Scene, also, base_of};
use super::shape::{Shape, display, is_loose, is_void, shape};
use crate::text::{escape, escape_into};

/// What a page of the mirror may load: files beside it, and nothing that runs.
const POLICY: &str = "default-src 'none'; script-src 'none'; object-src 'none'; base-uri 'none'; \
form-action 'none'; img-src 'self' file: data:; media-src 'self' file: data:; \
font-src 'self' file: data:; style-src 'self' file: 'unsafe-inline' data:; frame-src 'self' file:";

/// Elements that are left out with all they hold.
const DROPPED: [&str; 13] = [
    "script",
    "noscript",
    "template",
    "base",
    "noembed",
    "noframes",
    "applet",
    "embed",
    "param",
    "head",
    "portal",
    "fencedframe",
    "meta",
];

pub(super) struct Writer<'s, 'a> {
    pub(super) scene: &'s mut Scene<'a>,
    pub(super) frame: Frame,
    pub(super) base: Url,
    pub(super) out: String,
    pub(super) open: Vec<Open>,
    /// Links that are open around what is written now.
    pub(super) links: usize,
    forms: usize,
    buttons: usize,
    /// Parts of tables that are written as plain elements.
    loose: HashSet<NodeId>,
    /// Doors inside a link, which wait for its end.
    pub(super) late: Vec<Door>,
    /// Doors of rows and bodies of tables, which wait for a cell.
    for_cell: Vec<Door>,
    /// Doors of the page as a whole.
    for_end: Vec<Door>,
}

/// An element that is not closed yet.
#[derive(Default)]
pub(super) struct Open {
    /// What ends it, up to the end of the link if it is one.
    pub(super) inner: String,
    /// What follows.
    pub(super) outer: String,
    pub(super) is_link: bool,
    pub(super) is_form: bool,
    pub(super) is_button: bool,
    /// Doors that are shown before its end.
    pub(super) last: Vec<Door>,
}

impl<'s, 'a> Writer<'s, 'a> {
    pub(super) fn new(scene: &'s mut Scene<'a>, frame: Frame) -> Self {
        let base = base_of(scene.dom.node(frame.document), &frame.url);
        let for_end = if frame.is_inner { Vec::new() } else { scene.doors.lost().to_vec() };
        Self {
            scene,
            frame,
            base,
            out: String::new(),
            open: Vec::new(),
            links: 0,
            forms: 0,
            buttons: 0,
            loose: HashSet::new(),
            late: Vec::new(),
            for_cell: Vec::new(),
            for_end,
        }
    }

    /// The whole document.
    pub(super) fn document(mut self) -> String {
        let document = self.scene.dom.node(self.frame.document);
        self.beginning(document);
        let mut walk = document.walk();
        walk.next();
        while let Some(step) = walk.next() {
            match step {
                Step::Open(_) if self.out.len() > LARGEST_FILE => {
                    let said = format!("a page is larger than {LARGEST_FILE} bytes and was cut");
                    self.scene.tally.report.stopped.get_or_insert(said);
                    walk.skip_inside();
                }
                Step::Open(node) => {
                    if !self.open(node) {
                        walk.skip_inside();
                    }
                }
                Step::Close(node) => self.close(node),
            }
        }
        self.out.push_str("</html>\n");
        self.out
    }

    /// Doctype, `html` and `head`: the only parts whose place the page does not decide.
    fn beginning(&mut self, document: Node<'a>) {
        // Without one, browsers lay the page out by other rules.
        let doctype = document.children().find(|child| child.kind() == Kind::Doctype);
        if let Some(text) = doctype.map(Node::text).filter(|text| !text.contains(['<', '>'])) {
            self.out.push_str(&format!("<!DOCTYPE {text}>\n"));
        }
        let html = document.children().find(|child| child.name() == "html");
        self.out.push_str("<html");
        if let Some(html) = html {
            self.attributes(html, &["manifest"], None);
        }
        self.out.push_str("><head><meta charset=\"utf-8\">\n");
        self.out.push_str("<meta http-equiv=\"Content-Security-Policy\" content=\"");
        escape_into(&mut self.out, POLICY);
        self.out.push_str("\">\n<meta name=\"referrer\" content=\"no-referrer\">\n");
        let source = escape(&self.scene.page.key);
        self.out.push_str(&format!("<meta name=\"bathys-key\" content=\"{source}\">\n"));
        self.out.push_str("<link rel=\"stylesheet\" href=\"bathys.css\">\n");
        let head = html.and_then(|html| html.children().find(|child| child.name() == "head"));
        for child in head.into_iter().flat_map(Node::children) {
            match child.name() {
                "title" => {
                    self.out.push_str("<title>");
                    let texts = child.children().filter(|text| text.kind() == Kind::Text);
                    texts.for_each(|text| escape_into(&mut self.out, text.text()));
                    self.out.push_str("</title>\n");
                }
                "meta" => self.meta(child),
                "link" => self.sheet_link(child),
                "style" => self.style(child),
                _ => {}
            }
        }
        self.out.push_str("</head>\n");
        // What stands in the head cannot be clicked: it leads on from the end of the page.
        let unseen =
            html.into_iter().chain(head).chain(head.into_iter().flat_map(Node::descendants));
        for node in unseen {
            self.for_end.extend_from_slice(self.scene.doors.of(node.id()));
        }
        for door in &self.for_end {
            self.scene.tally.script_link(door.to);
        }
    }

    /// Writes the beginning of a node; says whether its inside is to be walked.
    fn open(&mut self, node: Node<'a>) -> bool {
        match node.kind() {
            Kind::Text => {
                escape_text(&mut self.out, node.text());
                self.open.push(Open::default());
                true
            }
            Kind::Element => self.element(node),
            Kind::ShadowRoot => {
                self.out.push_str("<template shadowrootmode=\"open\">");
                // Styles of the page end at a shadow root, those of the mirror too.
                let outer = "<link rel=\"stylesheet\" href=\"bathys.css\"></template>".to_owned();
                self.open.push(Open { outer, ..Open::default() });
                true
            }
            Kind::Document | Kind::Doctype | Kind::Comment => false,
        }
    }

    fn close(&mut self, node: Node<'a>) {
        let Some(open) = self.open.pop() else { return };
        if node.name() == "body" && node.parent().is_some_and(|parent| parent.name() == "html") {
            let doors: Vec<_> = self.for_cell.drain(..).chain(self.for_end.drain(..)).collect();
            self.also(&doors);
        }
        self.also(&open.last);
        self.out.push_str(&open.inner);
        self.links -= usize::from(open.is_link);
        self.forms -= usize::from(open.is_form);
        self.buttons -= usize::from(open.is_button);
        if open.is_link && self.links == 0 {
            let late = std::mem::take(&mut self.late);
            self.also(&late);
        }
        self.out.push_str(&open.outer);
    }

    fn element(&mut self, node: Node<'a>) -> bool {
        let name = node.name();
        if !node.is_foreign() {
            match name {
                "html" if node.parent().is_some_and(|p| p.id() == self.frame.document) => {
                    self.open.push(Open::default());
                    return true;
                }
                "style" => {
                    self.style(node);
                    return false;
                }
                "link" => {
                    self.sheet_link(node);
                    return false;
                }
                "iframe" | "frame" => {
                    self.inner_frame(node);
                    return false;
                }
                _ if DROPPED.contains(&name) => return false,
                _ => {}
            }
        } else if self.is_active_foreign(node) {
            return false;
        }
        let doors = self.doors_of(node);
        doors.iter().for_each(|door| self.scene.tally.script_link(door.to));
        let shape = match (shape(node), doors.is_empty()) {
            (Shape::Anchor, _) => Shape::Anchor,
            (_, true) => Shape::Plain,
            (shape, false) => shape,
        };
        match shape {
            Shape::Anchor => self.anchor(node, doors),
            Shape::Plain => self.plain(node, Vec::new(), &[]),
            _ if self.links > 0 => {
                self.late.extend(doors);
                self.plain(node, Vec::new(), &[])
            }
            Shape::Page => {
                self.for_end.extend(doors);
                self.plain(node, Vec::new(), &[])
            }
            Shape::Select => self.choices(node, doors),
            Shape::Row => {
                self.for_cell.extend(doors);
                self.plain(node, Vec::new(), &[])
            }
            Shape::Label => {
                self.labelled(node, &doors);
                false
            }
            Shape::Beside => self.plain(node, Vec::new(), &doors),
            Shape::Inside | Shape::Button | Shape::Around if self.scene.doors.acts_inside(node) => {
                self.plain(node, doors, &[])
            }
            Shape::Inside => self.wrapped_inside(node, doors),
            Shape::Button => self.renamed(node, doors),
            Shape::Around => self.wrapped_around(node, doors),
        }
    }

    /// The doors of an element, with those that wait for a cell if it is one.
    fn doors_of(&mut self, node: Node<'a>) -> Vec<Door> {
        let mut doors = self.scene.doors.of(node.id()).to_vec();
        if matches!(node.name(), "td" | "th") && !node.is_foreign() {
            // Every cell of a row leads where the row leads.
            let row = node.parent().filter(|parent| parent.name() == "tr");
            let of_row = row.and_then(|row| self.scene.doors.of(row.id()).first().cloned());
            match of_row {
                Some(door) if doors.is_empty() && !self.scene.doors.acts_inside(node) => {
                    self.for_cell.retain(|waiting| waiting.to != door.to);
                    doors.push(door);
                }
                _ => {}
            }
            doors.append(&mut self.for_cell);
        }
        doors
    }

    /// An element as it is, with doors before its end or behind it.
    fn plain(&mut self, node: Node<'a>, last: Vec<Door>, after: &[Door]) -> bool {
        if is_void(node) {
            self.start(node, node.name(), &[], None);
            self.also(after);
            self.also(&last);
            return false;
        }
        let name = self.name_of(node);
        self.start(node, name, &[], None);
        let is_form = name == "form";
        let is_button = name == "button";
        self.forms += usize::from(is_form);
        self.buttons += usize::from(is_button);
        let mut outer = String::new();
        for door in after {
            outer.push_str(&also(door, self.frame.is_inner));
        }
        let inner = format!("</{name}>");
        self.open.push(Open { inner, outer, is_form, is_button, last, ..Open::default() });
        true
    }

    /// The name under which an element is written.
    pub(super) fn name_of(&mut self, node: Node<'a>) -> &'a str {
        let name = node.name();
        if node.is_foreign() {
            return name;
        }
        match name {
            "form" if self.forms > 0 => "div",
            "button" if self.buttons > 0 => "span",
            "plaintext" | "xmp" | "listing" => "pre",
            "html" | "head" | "frameset" if node.parent().is_none_or(|p| p.name() != "html") => {
                "div"
            }
            "body" if node.parent().is_none_or(|p| p.name() != "html") => "div",
            "image" => "span",
            _ if is_loose(node, &mut self.loose) => "div",
            _ => name,
        }
    }

    /// A start tag with the element's own attributes.
    pub(super) fn start(&mut self, node: Node<'a>, name: &str, drop: &[&str], class: Option<&str>) {
        self.out.push('<');
        self.out.push_str(name);
        if name == "div" && node.name() != "div" {
            // A part of a table keeps its look without the table.
            let style = node.attribute("style").unwrap_or_default();
            let style = self.css(style);
            let display = display(node.name());
            self.attributes(node, &[drop, &["style"]].concat(), class);
            self.attribute("style", &format!("{display}{style}"));
        } else {
            self.attributes(node, drop, class);
        }
        self.out.push('>');
        let first = node.first_child().map_or("", Node::text);
        if matches!(name, "pre" | "textarea" | "listing") && first.starts_with('\n') {
            self.out.push('\n');
        }
    }

    pub(super) fn also(&mut self, doors: &[Door]) {
        for door in doors {
            self.out.push_str(&also(door, self.frame.is_inner));
        }
    }

    pub(super) fn attribute(&mut self, name: &str, value: &str) {
        self.out.push(' ');
        self.out.push_str(name);
        self.out.push_str("=\"");
        escape_into(&mut self.out, value);
        self.out.push('"');
    }
}

/// Text, escaped as little as the parser needs: text of pages is read by people too.
pub(super) fn escape_text(out: &mut String, text: &str) {
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\r' => out.push_str("&#13;"),
            other => out.push(other),
        }
    }
}
