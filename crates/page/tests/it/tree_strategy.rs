//! Random trees for property tests.

use page::tree::{Dom, DomBuilder};
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Call {
    Open(&'static str, Vec<(&'static str, String)>),
    Text(String),
    Comment(String),
    Doctype,
    Shadow,
    Document,
    Close,
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ a-c<>&\"'\r\n\t-]{0,6}",
        prop::sample::select(vec![
            "</script>",
            "<!--<script>",
            "-->",
            "--!>",
            "->",
            ">",
            "\n",
            "\u{a0}中",
            "</style ",
            "bathys:escaped x",
            "<!-",
            "-",
        ])
        .prop_map(String::from),
    ]
}

fn any_call() -> impl Strategy<Value = Call> {
    let name = prop::sample::select(vec![
        "html",
        "body",
        "p",
        "div",
        "a",
        "script",
        "style",
        "pre",
        "textarea",
        "br",
        "svg",
        "math",
        "foreignObject",
        "title",
        "iframe",
        "frame",
        "noscript",
        "template",
        "plaintext",
        "X-y",
        "bathys:document",
        "bathys:own:bathys:a",
        "tr",
        "é",
    ]);
    let attribute = prop::sample::select(vec![
        "id",
        "class",
        "shadowrootmode",
        "bathys:escaped",
        "bathys:own:x",
        "@a",
        "\"",
        "xlink:href",
    ]);
    prop_oneof![
        6 => (name, prop::collection::vec((attribute, any_text()), 0..3)).prop_map(|(n, a)| Call::Open(n, a)),
        4 => any_text().prop_map(Call::Text),
        1 => any_text().prop_map(Call::Comment),
        1 => Just(Call::Doctype),
        1 => Just(Call::Shadow),
        1 => Just(Call::Document),
        6 => Just(Call::Close),
    ]
}

/// Any tree that a builder can make.
pub fn any_tree() -> impl Strategy<Value = Dom> {
    prop::collection::vec(any_call(), 0..40).prop_map(|calls| {
        let mut builder = DomBuilder::new();
        for call in &calls {
            match call {
                Call::Open(name, attributes) => {
                    builder.open(name, attributes.iter().map(|(name, value)| (*name, &**value)));
                }
                Call::Text(text) => builder.text(text),
                Call::Comment(text) => builder.comment(text),
                Call::Doctype => builder.doctype("html PUBLIC \"a\" 'b\"'"),
                Call::Shadow => drop(builder.open_shadow_root()),
                Call::Document => drop(builder.open_document()),
                Call::Close => builder.close(),
            }
        }
        builder.finish()
    })
}
