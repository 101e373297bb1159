//! What all pages of the portal have around them: T1, T2, B1 and B2.

use super::Portal;
use super::front::link;
use crate::html::Text;

impl Portal {
    /// A whole page, in the layout of its time.
    pub(super) fn page(&self, title: &str, content: &str) -> String {
        let words = self.words;
        let links = |group: &str, names: &[&str], between: &str| {
            let named = names.iter().zip(1..).map(|(name, number): (_, u32)| {
                link(&format!("/pages/{group}{number}.html"), name)
            });
            named.collect::<Vec<_>>().join(between)
        };
        let logo = format!(
            r#"<a href="/"><img src="/static/logo.svg" width="160" height="40" border="0" alt="{}" align="middle"></a>"#,
            words.site
        );
        let corner = links("corner", &words.corner, " | ");
        let tabs = links("tab", &words.tabs, " ");
        let small_print = links("small", &words.small_print, " | ");
        let slogan = format!("<i class=\"§slogan\">{}</i>", words.slogan);
        let body = match self.has_tables() {
            true => {
                let row = |class: &str, inside: &str| {
                    format!(
                        "<table class=\"§{class}\" width=\"100%\" cellspacing=\"0\" cellpadding=\"6\" border=\"0\"><tr><td>{inside}</td></tr></table>\n"
                    )
                };
                [
                    row("top", &format!("{logo} {slogan} <span class=\"§corner\">{corner}</span>")),
                    row("tabs", &format!("{} {tabs}", link("/", words.home))),
                    content.to_owned(),
                    row("small", &small_print),
                    row("rights", words.rights),
                ]
                .concat()
            }
            false => format!(
                "<header class=\"§top\">{logo} {slogan} <span class=\"§corner\">{corner}</span></header>\n<nav class=\"§tabs\">{} {tabs}</nav>\n{content}<div class=\"§small\">{small_print}</div>\n<footer class=\"§rights\">{}</footer>\n",
                link("/", words.home),
                words.rights
            ),
        };
        let doctype = match self.has_tables() {
            true => {
                r#"<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN" "http://www.w3.org/TR/html4/loose.dtd">"#
            }
            false => "<!doctype html>",
        };
        let head = format!(
            "<meta charset=\"utf-8\">\n<title>{} - {}</title>\n<link rel=\"stylesheet\" href=\"/static/portal.css\">",
            Text(title),
            words.site
        );
        let lang = words.lang;
        self.names.apply(&format!(
            "{doctype}\n<html lang=\"{lang}\">\n<head>\n{head}\n</head>\n<body>\n{body}</body>\n</html>\n"
        ))
    }

    /// The content of a page with one text.
    pub(super) fn single(&self, title: &str, byline: &str, paragraphs: &[String]) -> String {
        let paragraphs: String =
            paragraphs.iter().map(|text| format!("<p>{}</p>\n", Text(text))).collect();
        let byline = match byline {
            "" => String::new(),
            byline => format!("<p class=\"§date\">{}</p>\n", Text(byline)),
        };
        let inside = format!("<h1>{}</h1>\n{byline}{paragraphs}", Text(title));
        match self.has_tables() {
            true => format!(
                "<table class=\"§columns\" cellspacing=\"0\" cellpadding=\"10\" width=\"980\" align=\"center\"><tr><td class=\"§text\">{inside}</td></tr></table>\n"
            ),
            false => format!("<main class=\"§text\">{inside}</main>\n"),
        }
    }
}
