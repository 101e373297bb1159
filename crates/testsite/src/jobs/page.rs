//! The pages of `jobs`.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::query::Selection;
use super::words::{CATEGORIES, CONTRACTS, SHIFTS, STATES};
use super::{Jobs, Offer, Search};
use crate::Visit;
use crate::html::Text;

pub(super) fn shell(title: &str, content: &str) -> String {
    format!(
        "<!doctype html><html lang=en><meta charset=utf-8><title>{title} – Quayside Jobs</title>\
         <style>body{{font:15px sans-serif;max-width:60em;margin:auto}}form{{margin:1em 0;padding:.5em;\
         border:1px solid #ccc}}td,th{{padding:.2em .8em;text-align:left}}</style>\
         <body><header><h1><a href=/>Quayside Jobs</a></h1><nav><a href=/>Home</a> <a href=/about>About</a></nav>\
         </header><main>{content}</main><footer>Quayside Jobs, the pier, Port Ellery</footer>"
    )
}

pub(super) fn offer(offer: &Offer) -> String {
    let Offer { id, title, company, state, category, contract, shift, salary, .. } = offer;
    let content = format!(
        "<h2>{title}</h2><p>{company}, {state}. {category}, {contract}, {shift} shift.</p>\
         <p>Salary {salary}</p><p>Reference {id}</p>\
         <form action=/saved><input type=hidden name=id value={id}><button>Save job</button></form>\
         <form action=/contact method=post><label>Message <textarea name=message></textarea></label>\
         <button>Send</button></form>"
    );
    shell(title, &content)
}

impl Jobs {
    pub(super) fn home(&self, visit: &Visit) -> String {
        let none = HashMap::new();
        let content =
            format!("<h2>Find work near the water</h2>{}{BESIDE}", self.form(visit, &none));
        shell("Home", &content)
    }

    pub(super) fn results(&self, visit: &Visit, fields: &HashMap<String, String>) -> String {
        let selection = self.select(fields);
        let mut content = format!("<h2>Results</h2>{}", self.form(visit, fields));
        let asked: Vec<&str> = ["kw", "st", "cat", "contract", "shift", "salary_min", "salary_max"]
            .iter()
            .filter_map(|name| fields.get(*name))
            .map(String::as_str)
            .filter(|value| !value.is_empty() && *value != "Any")
            .collect();
        match selection.shown.is_empty() {
            true => {
                let asked = asked.join(" ");
                let _ = write!(content, "<p>No search results for {} .</p>", Text(&asked));
            }
            false if fields.get("view").is_some_and(|view| view == "list") => {
                content.push_str("<ul class=offers>");
                for offer in &selection.shown {
                    let Offer { id, title, company, state, salary, .. } = offer;
                    let _ = write!(
                        content,
                        "<li><a href=/job/{id}>{title}</a> <i>{company}</i> <b>{state}</b> {salary}</li>"
                    );
                }
                content.push_str("</ul>");
            }
            false => content.push_str(&table(&selection)),
        }
        if self.search == Search::Links && selection.pages > 1 {
            content.push_str(&self.links(fields, &selection));
        }
        if self.search == Search::Post && selection.page < selection.pages {
            content.push_str(&self.button(visit, fields, selection.page + 1));
        }
        shell("Results", &content)
    }

    /// The search, filled in as it was sent.
    fn form(&self, visit: &Visit, fields: &HashMap<String, String>) -> String {
        let value = |name: &str| Text(fields.get(name).map_or("", String::as_str)).to_string();
        let options = |name: &str, any: (&str, &str), values: &[&str]| {
            let chosen = fields.get(name).map_or("", String::as_str);
            let mut out = format!("<option value='{}'>{}</option>", any.0, any.1);
            for value in values {
                let selected = if *value == chosen { " selected" } else { "" };
                let _ = write!(out, "<option value='{value}'{selected}>{value}</option>");
            }
            out
        };
        let categories = CATEGORIES.map(|(name, _)| name);
        let (method, token) = match self.search {
            Search::Post => {
                let token = self.token(visit.show());
                ("post", format!("<input type=hidden name=token value={token}>"))
            }
            Search::Links | Search::Capped => ("get", String::new()),
        };
        format!(
            "<form action=/find method={method} role=search><input type=hidden name=src value=hp>{token}\
             <label>Keywords <input name=kw value='{}'></label>\
             <label>State <select name=st>{}</select></label>\
             <label>Category <select name=cat>{}</select></label>\
             <label>Contract <select name=contract>{}</select></label>\
             <label>Shift <select name=shift>{}</select></label>\
             <label>Salary from <input name=salary_min size=6 value='{}'></label>\
             <label>to <input name=salary_max size=6 value='{}'></label>\
             <label>Sort by <select name=sort>{}</select></label>\
             <label>Show as <select name=view>{}</select></label>\
             <label>Offers a page <select name=per>{}</select></label>\
             <input type=submit name=s value=go></form>",
            value("kw"),
            options("st", ("Any", "Any"), &STATES),
            options("cat", ("", "All"), &categories),
            options("contract", ("", "All"), CONTRACTS),
            options("shift", ("", "All"), SHIFTS),
            value("salary_min"),
            value("salary_max"),
            options("sort", ("startdate", "startdate"), &["salary", "title"]),
            options("view", ("table", "table"), &["list"]),
            options("per", ("10", "10"), &["25"]),
        )
    }

    fn links(&self, fields: &HashMap<String, String>, selection: &Selection<'_>) -> String {
        let mut kept: Vec<_> = fields.iter().filter(|(name, _)| name.as_str() != "page").collect();
        kept.sort();
        let kept: String =
            kept.iter().map(|(name, value)| format!("{name}={}&amp;", encoded(value))).collect();
        let mut out = String::from("<p class=pages>");
        let (at, last) = (selection.page, selection.pages);
        for page in at.saturating_sub(2).max(1)..=(at + 2).min(last) {
            match page == at {
                true => out.push_str(&format!("<b>{page}</b> ")),
                false => out.push_str(&format!("<a href='/find?{kept}page={page}'>{page}</a> ")),
            }
        }
        if at < last {
            out.push_str(&format!("<a href='/find?{kept}page={}'>Next</a>", at + 1));
        }
        out + "</p>"
    }

    fn button(&self, visit: &Visit, fields: &HashMap<String, String>, next: usize) -> String {
        let mut out = String::from("<form action=/find method=post role=search>");
        let mut kept: Vec<_> = fields.iter().collect();
        kept.sort();
        for (name, value) in kept {
            if !matches!(name.as_str(), "token" | "page") {
                let _ = write!(out, "<input type=hidden name={name} value='{}'>", Text(value));
            }
        }
        let token = self.token(visit.show());
        let _ = write!(
            out,
            "<input type=hidden name=token value={token}><input type=hidden name=page value={next}>\
             <button>Next</button></form>"
        );
        out
    }
}

fn table(selection: &Selection<'_>) -> String {
    let mut out = String::new();
    if selection.pages > 1 {
        let _ = write!(out, "<p>{} offers, page {}</p>", selection.all, selection.page);
    }
    out.push_str(
        "<table class=offers><thead><tr><th>Offer<th>Company<th>State<th>Category<th>Contract\
         <th>Salary</tr></thead><tbody>",
    );
    for offer in &selection.shown {
        let Offer { id, title, company, state, category, contract, salary, .. } = offer;
        let _ = write!(
            out,
            "<tr><td><a href=/job/{id}>{title}</a><td>{company}<td>{state}<td>{category}<td>{contract}\
             <td>{salary}</tr>"
        );
    }
    out + "</tbody></table>"
}

fn encoded(value: &str) -> String {
    let mut out = String::new();
    for byte in value.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => out.push(byte as char),
            _ => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

/// The forms that no crawler may submit. They stand beside the search.
const BESIDE: &str = "\
<form action=/session method=post><label>Name <input name=login></label><label>Password \
<input type=password name=secret></label><button>Sign in</button></form>\
<form action=/contact method=post><label>Message <textarea name=message></textarea></label><button>Send</button></form>\
<form action=/letter><label>Offers by mail <input name=address placeholder='Your e-mail'></label>\
<button>Go</button></form>\
<form action=/saved><input type=hidden name=id value=J-00001><label>Copies <input type=number name=n value=1></label>\
<button>Add to my list</button></form>\
<form action=/offers/clean><select name=older><option value=30>30 days<option value=90>90 days</select>\
<button>Delete old offers</button></form>\
<form action=/offers.csv><input type=checkbox name=all value=1> all columns <button>Export CSV</button></form>\
<form action=/poll method=post><label><input type=radio name=answer value=1>yes</label>\
<label><input type=radio name=answer value=2>no</label><button>Vote</button></form>";
