//! Navigation elements written as links (seed 001 §2.5: the element becomes a hyperlink to the page
//! that it leads to), each in the way that leaves its look and the page around it as they are.

use page::tree::Node;

use super::atlas::file;
use super::door::{Door, folded};
use super::scene::{Leads, also, target};
use super::shape::is_void;
use super::writer::{Open, Writer, escape_text};

impl<'a> Writer<'_, 'a> {
    pub(super) fn anchor(&mut self, node: Node<'a>, mut doors: Vec<Door>) -> bool {
        let href = node.attribute("href").or_else(|| node.attribute("xlink:href"));
        let is_area = is_void(node);
        if self.links > 0 && !is_area && !node.is_foreign() {
            // A link in a link would end it.
            self.late.extend(doors);
            self.start(node, "span", &["href"], None);
            self.open.push(Open { inner: "</span>".into(), ..Open::default() });
            return true;
        }
        let main = (!doors.is_empty()).then(|| doors.remove(0));
        let leads = match (&main, href) {
            (Some(door), _) => Leads::Here(file(door.to)),
            (None, Some(href)) => {
                let (base, here) = (self.base.clone(), self.frame.url.clone());
                self.scene.leads(href, &base, &here)
            }
            (None, None) => Leads::Nowhere,
        };
        // Without an address it is no link, and must not end one that it holds.
        let name = match leads {
            Leads::Nowhere if !is_area && !node.is_foreign() => "span",
            _ => node.name(),
        };
        let is_link = name != "span";
        let class = match leads {
            Leads::Outside(_) => Some("bathys-outside"),
            _ => None,
        };
        self.out.push('<');
        self.out.push_str(name);
        let drop = ["href", "xlink:href", "rel", "target", "title", "download"];
        self.attributes(node, &drop, class);
        let title = node.attribute("title");
        match leads {
            Leads::Here(href) => {
                self.attribute("href", &href);
                if !href.starts_with('#') {
                    self.out.push_str(target(self.frame.is_inner));
                }
                title.into_iter().for_each(|title| self.attribute("title", title));
            }
            Leads::Outside(url) => {
                self.attribute("href", &url);
                self.out.push_str(" rel=\"external nofollow noopener noreferrer\"");
                self.out.push_str(target(self.frame.is_inner));
                let said = format!("{} (leaves the mirror: {url})", title.unwrap_or_default());
                self.attribute("title", said.trim_start());
            }
            Leads::Nowhere => title.into_iter().for_each(|title| self.attribute("title", title)),
        }
        self.out.push('>');
        if is_area {
            self.also(&doors);
            return false;
        }
        let mut outer = String::new();
        doors.iter().for_each(|door| outer.push_str(&also(door, self.frame.is_inner)));
        self.links += usize::from(is_link);
        self.open.push(Open { inner: format!("</{name}>"), outer, is_link, ..Open::default() });
        true
    }

    /// The content of an element becomes a link, and the element keeps its look.
    pub(super) fn wrapped_inside(&mut self, node: Node<'a>, mut doors: Vec<Door>) -> bool {
        let name = self.name_of(node);
        let main = doors.remove(0);
        self.start(node, name, &[], None);
        self.link_tag(&main);
        self.links += 1;
        let mut outer = String::new();
        doors.iter().for_each(|door| outer.push_str(&also(door, self.frame.is_inner)));
        outer.push_str(&format!("</{name}>"));
        self.open.push(Open { inner: "</a>".into(), outer, is_link: true, ..Open::default() });
        true
    }

    /// A picture or drawing becomes the content of a link.
    pub(super) fn wrapped_around(&mut self, node: Node<'a>, mut doors: Vec<Door>) -> bool {
        let main = doors.remove(0);
        self.link_tag(&main);
        let mut outer = String::new();
        doors.iter().for_each(|door| outer.push_str(&also(door, self.frame.is_inner)));
        self.start(node, node.name(), &[], None);
        if is_void(node) {
            self.out.push_str("</a>");
            self.out.push_str(&outer);
            return false;
        }
        self.links += 1;
        let inner = format!("</{}></a>", node.name());
        self.open.push(Open { inner, outer, is_link: true, ..Open::default() });
        true
    }

    /// A button becomes a link that looks like one: links do not work in buttons everywhere.
    pub(super) fn renamed(&mut self, node: Node<'a>, mut doors: Vec<Door>) -> bool {
        let main = doors.remove(0);
        self.out.push_str("<a");
        let drop = ["href", "name", "disabled", "form", "role"];
        self.attributes(node, &drop, Some("bathys-button"));
        self.attribute("href", &file(main.to));
        self.out.push_str(target(self.frame.is_inner));
        self.out.push_str(" role=\"button\">");
        let mut outer = String::new();
        doors.iter().for_each(|door| outer.push_str(&also(door, self.frame.is_inner)));
        self.links += 1;
        self.open.push(Open { inner: "</a>".into(), outer, is_link: true, ..Open::default() });
        true
    }

    /// A button made by `input`: its label is no text of the page, so it is shown by style.
    pub(super) fn labelled(&mut self, node: Node<'a>, doors: &[Door]) {
        let Some((main, others)) = doors.split_first() else { return };
        self.out.push_str("<a");
        // The type stays: styles ask for it.
        let drop = ["href", "name", "disabled", "form", "src", "alt"];
        self.attributes(node, &drop, Some("bathys-input"));
        let label = node.attribute("value").or_else(|| node.attribute("alt")).unwrap_or("…");
        self.attribute("data-bathys", label);
        self.attribute("aria-label", label);
        self.attribute("href", &file(main.to));
        self.out.push_str(target(self.frame.is_inner));
        self.out.push_str("></a>");
        self.also(others);
    }

    /// A select whose states are known becomes the list of its options.
    pub(super) fn choices(&mut self, node: Node<'a>, mut doors: Vec<Door>) -> bool {
        self.out.push_str("<span");
        let drop = ["name", "size", "multiple", "disabled", "required", "form"];
        self.attributes(node, &drop, Some("bathys-select"));
        self.out.push('>');
        for option in node.descendants().filter(|inside| inside.name() == "option") {
            let text = page::tree::visible_text_of(option);
            let own = option.attribute("value").map_or_else(|| text.clone(), str::to_owned);
            let value = folded(&own);
            let opened = doors.iter().position(|door| door.value.as_ref() == Some(&value));
            self.out.push_str("<span class=\"bathys-option\">");
            match opened.map(|at| doors.remove(at)) {
                Some(door) => {
                    self.link_tag(&door);
                    escape_text(&mut self.out, &text);
                    self.out.push_str("</a>");
                }
                None => escape_text(&mut self.out, &text),
            }
            self.out.push_str("</span>\n");
        }
        self.out.push_str("</span>");
        self.also(&doors);
        false
    }

    fn link_tag(&mut self, door: &Door) {
        self.out.push_str("<a class=\"bathys-to\"");
        self.attribute("href", &file(door.to));
        self.out.push_str(target(self.frame.is_inner));
        self.out.push('>');
    }
}
