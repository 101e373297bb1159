//! What the interface is, for people and as an OpenAPI document.

use askama::Template;
use axum::Json;
use serde_json::{Map, Value, json};

use crate::web::frame::Frame;
use crate::web::screens::shown;

/// Something that can be asked for.
struct Endpoint {
    path: &'static str,
    what: &'static str,
    parameters: &'static [Parameter],
    answer: Answer,
    example: &'static str,
}

struct Parameter {
    name: &'static str,
    what: &'static str,
    kind: Kind,
    is_required: bool,
}

#[derive(Clone, Copy)]
enum Kind {
    Text,
    Number,
    Switch,
    OneOf(&'static [&'static str]),
}

enum Answer {
    /// Items with these fields.
    Listing(&'static [(&'static str, &'static str)]),
    /// An object with these fields.
    Object(&'static [(&'static str, &'static str)]),
    /// Something else, by its media type.
    Other(&'static [&'static str]),
}

const fn parameter(name: &'static str, what: &'static str, kind: Kind) -> Parameter {
    Parameter { name, what, kind, is_required: false }
}

const SITE: Parameter = parameter("site", "only of this site", Kind::Text);
const KEY: Parameter = Parameter {
    name: "key",
    what: "the page: its key, URL or number",
    kind: Kind::Text,
    is_required: true,
};
const LIMIT: Parameter = parameter("limit", "items of a page, 1 to 1,000", Kind::Number);
const LINES: Parameter = parameter(
    "format",
    "jsonl for all of it as JSON Lines; so does Accept: application/x-ndjson",
    Kind::OneOf(&["json", "jsonl"]),
);
const WORDS: Parameter = Parameter {
    name: "q",
    what: "what is searched for; bathys search --help says how it is written",
    kind: Kind::Text,
    is_required: true,
};
const FROM: Parameter = parameter("from", "only what stood at this time or later", Kind::Text);
const TO: Parameter = parameter("to", "only what stood at this time or before", Kind::Text);
const TIME: &str = "string:date-time";

static ENDPOINTS: &[Endpoint] = &[
    Endpoint {
        path: "/sites",
        what: "The sites of the store, with their totals.",
        parameters: &[LINES],
        answer: Answer::Listing(&[
            ("site", "string"),
            ("changes", "integer"),
            ("pages", "integer"),
            ("event_pages", "integer"),
            ("states", "integer"),
            ("versions", "integer"),
            ("records", "integer"),
            ("waiting", "integer"),
            ("first_seen", TIME),
            ("last_seen", TIME),
        ]),
        example: "/sites",
    },
    Endpoint {
        path: "/pages",
        what: "The known pages and states.",
        parameters: &[
            SITE,
            parameter("type", "only of this page type", Kind::Text),
            parameter(
                "status",
                "only in this condition; captured if nothing is said",
                Kind::OneOf(&["captured", "queued", "redirect", "failed", "merged", "held", "any"]),
            ),
            parameter(
                "reached",
                "only those that a URL or only events reach",
                Kind::OneOf(&["url", "events"]),
            ),
            parameter("q", "only with these characters in the title or URL", Kind::Text),
            parameter("after", "begin after the page with this number", Kind::Number),
            LIMIT,
            LINES,
        ],
        answer: Answer::Listing(&[
            ("page", "integer"),
            ("key", "string"),
            ("url", "string"),
            ("path", "array"),
            ("type", "string"),
            ("title", "string"),
            ("status", "integer"),
            ("via", "string"),
            ("content_hash", "string"),
            ("first_seen", TIME),
            ("last_seen", TIME),
            ("versions", "integer"),
        ]),
        example: "/pages?limit=10",
    },
    Endpoint {
        path: "/types",
        what: "Page types, and what was learned about them.",
        parameters: &[SITE, LINES],
        answer: Answer::Listing(&[
            ("type", "string"),
            ("role", "string"),
            ("pages", "integer"),
            ("rendered", "boolean"),
            ("patterns", "array"),
            ("links_to", "array"),
            ("claims", "array"),
        ]),
        example: "/types",
    },
    Endpoint {
        path: "/log",
        what: "The versions of a page, and how each differs from the one before.",
        parameters: &[
            KEY,
            parameter("visits", "also looks that found what was known", Kind::Switch),
            parameter("all", "also versions that differ only in noise", Kind::Switch),
            LINES,
        ],
        answer: Answer::Listing(&[
            ("version", "integer"),
            ("time", TIME),
            ("blocks", "integer"),
            ("changed", "integer"),
            ("added", "integer"),
            ("removed", "integer"),
            ("layout_changed", "boolean"),
            ("bytes_stored", "integer"),
        ]),
        example: "/log?key=1",
    },
    Endpoint {
        path: "/show",
        what: "A page as it was captured. Archived pages to look at are on another port.",
        parameters: &[
            KEY,
            parameter(
                "at",
                "as of this time or day, or version 3 as v3; the latest if nothing is said",
                Kind::Text,
            ),
            parameter(
                "as",
                "what of it; text if nothing is said",
                Kind::OneOf(&["text", "html", "raw", "blocks", "meta"]),
            ),
        ],
        answer: Answer::Object(&[
            ("page", "integer"),
            ("key", "string"),
            ("text", "string"),
            ("html", "string"),
            ("base64", "string"),
            ("blocks", "array"),
        ]),
        example: "/show?key=1&as=text",
    },
    Endpoint {
        path: "/diff",
        what: "What changed from one version of a page to another, block by block.",
        parameters: &[
            KEY,
            parameter("from", "the older version; the one before if nothing is said", Kind::Text),
            parameter("to", "the newer version; the latest if nothing is said", Kind::Text),
            parameter("all", "noise, too", Kind::Switch),
        ],
        answer: Answer::Object(&[
            ("page", "integer"),
            ("key", "string"),
            ("from", "object"),
            ("to", "object"),
            ("changed", "array"),
            ("added", "array"),
            ("removed", "array"),
            ("moved", "array"),
            ("layout_changed", "boolean"),
        ]),
        example: "/diff?key=1",
    },
    Endpoint {
        path: "/records",
        what: "Threads, posts and items found on pages, with their history.",
        parameters: &[
            SITE,
            parameter("kind", "only of this kind", Kind::OneOf(&["thread", "post", "item"])),
            parameter("at", "as of this time or the end of this day", Kind::Text),
            parameter("history", "every edition of every record", Kind::Switch),
            parameter("after", "begin behind this place, as next says it", Kind::Text),
            LIMIT,
            parameter(
                "format",
                "how it is written",
                Kind::OneOf(&["json", "jsonl", "csv", "parquet"]),
            ),
        ],
        answer: Answer::Listing(&[
            ("kind", "string"),
            ("site", "string"),
            ("page", "integer"),
            ("url", "string"),
            ("xpath", "string"),
            ("title", "string"),
            ("author", "string"),
            ("time", TIME),
            ("content_text", "string"),
            ("fields", "object"),
            ("confidence", "number"),
            ("proofs", "array"),
            ("first_seen", TIME),
            ("last_seen", TIME),
            ("edited", TIME),
            ("deleted", TIME),
        ]),
        example: "/records?limit=10",
    },
    Endpoint {
        path: "/changes",
        what: "What changed in a site since a change that is known, in the order of commits.",
        parameters: &[
            SITE,
            parameter("after", "begin after the change with this number", Kind::Number),
            LIMIT,
            LINES,
        ],
        answer: Answer::Listing(&[
            ("site", "string"),
            ("seq", "integer"),
            ("time", TIME),
            ("what", "string"),
            ("page", "integer"),
            ("version", "integer"),
        ]),
        example: "/changes?limit=10",
    },
    Endpoint {
        path: "/search",
        what: "Full-text search over every version of every block, in English and Chinese.",
        parameters: &[
            WORDS,
            FROM,
            TO,
            SITE,
            parameter("label", "only blocks with this label, such as main", Kind::Text),
            parameter("type", "only on pages of this type", Kind::Text),
            parameter("order", "how hits are ordered", Kind::OneOf(&["best", "newest", "oldest"])),
            parameter("offset", "hits to pass over", Kind::Number),
            LIMIT,
        ],
        answer: Answer::Object(&[
            ("hits", "array"),
            ("total", "integer"),
            ("facets", "object"),
            ("elapsed_ms", "number"),
        ]),
        example: "/search?q=harbour&limit=5",
    },
    Endpoint {
        path: "/ask",
        what: "Dated passages that answer a question; none if there is no answer.",
        parameters: &[WORDS, FROM, TO, SITE, LIMIT],
        answer: Answer::Object(&[("answers", "array")]),
        example: "/ask?q=What+happened+at+the+harbour%3F",
    },
    Endpoint {
        path: "/topics",
        what: "Topics over time: new, rising, gone, most changed.",
        parameters: &[
            SITE,
            parameter("since", "when the span begins", Kind::Text),
            parameter("until", "when it ends", Kind::Text),
            parameter("trend", "only those", Kind::OneOf(&["new", "rising", "gone", "steady"])),
            LIMIT,
        ],
        answer: Answer::Object(&[("topics", "array")]),
        example: "/topics?limit=10",
    },
    Endpoint {
        path: "/graph",
        what: "The state-transition graph: what leads where, and what was refused and why.",
        parameters: &[
            parameter(
                "format",
                "how it is written",
                Kind::OneOf(&["json", "dot", "graphml", "svg"]),
            ),
            parameter("events_only", "without plain links", Kind::Switch),
            parameter("to", "highlight the way to this page (svg)", Kind::Text),
        ],
        answer: Answer::Other(&[
            "application/json",
            "text/vnd.graphviz",
            "application/graphml+xml",
            "image/svg+xml",
        ]),
        example: "/graph?events_only",
    },
    Endpoint {
        path: "/stats",
        what: "Sizes and counts of the store, and what crawls left out.",
        parameters: &[],
        answer: Answer::Object(&[
            ("versions", "integer"),
            ("bytes_raw", "integer"),
            ("bytes_stored", "integer"),
            ("bytes_hot", "integer"),
            ("bytes_cold", "integer"),
            ("blocks", "integer"),
            ("pages", "integer"),
            ("states", "integer"),
            ("records", "integer"),
            ("deferred", "integer"),
            ("missed_at_most", "integer"),
        ]),
        example: "/stats",
    },
];

#[derive(Template)]
#[template(path = "api.html")]
pub struct Description {
    endpoints: &'static [Endpoint],
    f: Frame,
}

shown!(Description);

/// The interface, for people.
pub async fn page(f: Frame) -> Description {
    Description { endpoints: ENDPOINTS, f }
}

/// The interface, for programs that make programs of it.
pub async fn openapi() -> Json<Value> {
    let paths: Map<String, Value> =
        ENDPOINTS.iter().map(|endpoint| (endpoint.path.to_owned(), endpoint.described())).collect();
    let error = json!({
        "description": "It was not answered, and why.",
        "content": { "application/json": { "schema": {
            "type": "object",
            "required": ["error"],
            "properties": { "error": { "type": "string" } },
        }}},
    });
    Json(json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Bathys",
            "version": env!("CARGO_PKG_VERSION"),
            "summary": "What a store of Bathys holds.",
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "servers": [{ "url": "/api/v1" }],
        "security": [{}, { "token": [] }],
        "paths": paths,
        "components": {
            "responses": { "Error": error },
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
        },
    }))
}

impl Endpoint {
    fn described(&self) -> Value {
        let parameters: Vec<Value> = self.parameters.iter().map(Parameter::described).collect();
        let name = self.path.trim_start_matches('/');
        json!({ "get": {
            "operationId": name,
            "summary": self.what,
            "parameters": parameters,
            "responses": {
                "200": { "description": self.what, "content": self.answer.described() },
                "304": { "description": "It is what If-None-Match names." },
                "default": { "$ref": "#/components/responses/Error" },
            },
        }})
    }
}

impl Parameter {
    fn described(&self) -> Value {
        let schema = match self.kind {
            Kind::Text => json!({ "type": "string" }),
            Kind::Number => json!({ "type": "integer", "minimum": 0 }),
            Kind::Switch => json!({ "type": "boolean" }),
            Kind::OneOf(values) => json!({ "type": "string", "enum": values }),
        };
        json!({
            "name": self.name,
            "in": "query",
            "description": self.what,
            "required": self.is_required,
            "schema": schema,
        })
    }
}

impl Answer {
    fn described(&self) -> Value {
        match self {
            Self::Listing(fields) => {
                let item = object(fields);
                json!({
                    "application/json": { "schema": {
                        "type": "object",
                        "required": ["items", "next"],
                        "properties": {
                            "items": { "type": "array", "items": item },
                            "next": { "type": ["string", "null"] },
                        },
                    }},
                    "application/x-ndjson": { "schema": item },
                })
            }
            Self::Object(fields) => json!({ "application/json": { "schema": object(fields) } }),
            Self::Other(kinds) => {
                let kinds = kinds.iter().map(|kind| ((*kind).to_owned(), json!({})));
                Value::Object(kinds.collect())
            }
        }
    }
}

/// An object with these fields, and maybe more. Any of them may be null.
fn object(fields: &[(&str, &str)]) -> Value {
    let field = |(name, kind): &(&str, &str)| {
        let schema = match kind.split_once(':') {
            Some((kind, format)) => json!({ "type": [kind, "null"], "format": format }),
            None => json!({ "type": [kind, "null"] }),
        };
        ((*name).to_owned(), schema)
    };
    json!({ "type": "object", "properties": Value::Object(fields.iter().map(field).collect()) })
}
