//! The gate before a request that an event caused.

use serde_json::Value;
use url::Url;

use super::graphql::{self, Operation};
use super::label::verb_in_name;
use super::words::{LEXICON, words};
use super::{Permit, Refusal};

/// Longest body that is looked at; reads are short.
const MAX_BODY: usize = 64 * 1024;

/// A request as the browser is about to send it.
#[derive(Debug, Clone, Copy, Default)]
pub struct RequestDescription<'a> {
    /// Method in upper case.
    pub method: &'a str,
    /// Absolute URL.
    pub url: &'a str,
    /// Body, if there is one and it is text.
    pub body: Option<&'a str>,
    /// `Content-Type` of the body.
    pub content_type: Option<&'a str>,
}

/// May a request that an event caused be sent?
///
/// ```
/// use page::state::safety::{RequestDescription, may_send};
///
/// let post = |url| RequestDescription { method: "POST", url, ..Default::default() };
/// assert!(may_send(&post("https://example.com/comments/list?page=2")).is_ok());
/// let refusal = may_send(&post("https://example.com/comments/5/like")).unwrap_err();
/// assert_eq!(
///     refusal.to_string(),
///     "POST /comments/5/like contains the write verb 'like' (needs permit: post /comments/5/like)"
/// );
/// ```
pub fn may_send(request: &RequestDescription<'_>) -> Result<(), Refusal> {
    let method = request.method.to_ascii_uppercase();
    let Ok(url) = Url::parse(request.url) else {
        return Err(Refusal::new(format!("'{}' is no URL", shorten(request.url))));
    };
    let refuse = |why: String| {
        let reason = format!("{method} {} {why}", shorten(url.path()));
        Err(Refusal::unless(reason, Permit::Post(escape(url.path()))))
    };
    match method.as_str() {
        "GET" | "HEAD" => match verb_in_url(&url) {
            Some(verb) => refuse(format!("contains the write verb '{verb}'")),
            None => Ok(()),
        },
        // Asked by the browser before a request of another origin; changes nothing.
        "OPTIONS" => Ok(()),
        "POST" => match reads_by_post(&url, request) {
            Ok(()) => Ok(()),
            Err(why) => refuse(why),
        },
        _ => refuse("is a method that writes".to_owned()),
    }
}

/// Words of a path that may give an order across its segments; longer ones hold a title.
const LONGEST_PATH: usize = 6;

/// The write verb of an address: a segment of its path that is an order, or a parameter that says
/// what to do. Long segments are titles (`how-to-delete-a-file`), and a path that ends in what is to
/// be read (`/subscribe/help`) reads.
pub(crate) fn verb_in_url(url: &Url) -> Option<String> {
    let segments =
        || url.path_segments().into_iter().flatten().filter(|segment| !segment.is_empty());
    let reads = |segment: &str| match words(bare(segment)).as_slice() {
        [one] => LEXICON.read.has(one) || LEXICON.about.has(one),
        _ => false,
    };
    let orders = !segments().next_back().is_some_and(reads);
    for segment in segments().take(if orders { 64 } else { 0 }) {
        let parts = words(bare(segment));
        let verb = match parts.as_slice() {
            [one] => (LEXICON.strong.has(one) || LEXICON.weak.has(one)).then(|| one.clone()),
            [_, _] | [_, _, _] => verb_in_short(&parts),
            _ => None,
        };
        if verb.is_some() {
            return verb;
        }
    }
    let path: Vec<String> = segments().take(64).flat_map(|segment| words(bare(segment))).collect();
    let across = (0..path.len()).find_map(|at| LEXICON.strong.phrase_at(path.get(at..)?));
    if let Some(phrase) = across.filter(|_| orders && path.len() <= LONGEST_PATH) {
        return Some(phrase.join(" "));
    }
    url.query_pairs().take(64).find_map(|(key, value)| {
        let key_words = words(&key);
        if let Some(phrase) = LEXICON.strong.phrase_at(&key_words) {
            return Some(phrase.join(" "));
        }
        match key_words.as_slice() {
            [one] if LEXICON.strong.has(one) || LEXICON.weak.has(one) => Some(one.clone()),
            [one, _] if LEXICON.strong.has(one) => Some(one.clone()),
            [one] if LEXICON.key.has(one) => verb_in_order(&value),
            _ => None,
        }
    })
}

/// Two or three words of a path: a phrase (`add-to-cart`), or a strong verb with its object
/// (`delete-item`), or after its object (`item-delete`).
fn verb_in_short(parts: &[String]) -> Option<String> {
    if let Some(phrase) = LEXICON.strong.phrase_at(parts) {
        return Some(phrase.join(" "));
    }
    let first = parts.first()?;
    let second = parts.get(1)?;
    if LEXICON.read.has(first) {
        return None;
    }
    let first_orders = LEXICON.strong.has(first) || LEXICON.weak.has(first);
    if first_orders && LEXICON.object.has(second) {
        return Some(first.clone());
    }
    (parts.len() == 2 && LEXICON.strong.has(second)).then(|| second.clone())
}

/// The value of a parameter that says what to do: any order in it, unless it begins with a read.
pub(crate) fn verb_in_order(value: &str) -> Option<String> {
    let parts = words(value);
    if parts.len() > 6 || parts.first().is_some_and(|first| LEXICON.read.has(first)) {
        return None;
    }
    let orders = |word: &&String| LEXICON.strong.has(word) || LEXICON.weak.has(word);
    verb_in_name(value).or_else(|| {
        let alone = parts.len() == 1;
        let noun = parts.first().filter(|word| alone && LEXICON.noun.has(word));
        parts.iter().find(orders).or(noun).cloned()
    })
}

/// Is there evidence that this POST reads? The error is what speaks against it.
fn reads_by_post(url: &Url, request: &RequestDescription<'_>) -> Result<(), String> {
    if let Some(verb) = verb_in_url(url) {
        return Err(format!("contains the write verb '{verb}'"));
    }
    let text = request.body.unwrap_or_default();
    if text.len() > MAX_BODY {
        return Err("has a long body; reads are short".to_owned());
    }
    let fields = Fields::of(url, text, request.content_type.unwrap_or_default());
    match fields.graphql {
        Operation::Query => return Ok(()),
        Operation::Other => return Err("is a GraphQL mutation".to_owned()),
        Operation::None => {}
    }
    for (key, value) in &fields.pairs {
        let key_words = words(key);
        let says_what = matches!(key_words.as_slice(), [one] if LEXICON.key.has(one));
        let order = if says_what { verb_in_order(value) } else { None };
        if let Some(verb) = order.or_else(|| verb_in_key(&key_words)) {
            return Err(format!(
                "contains the write verb '{verb}' in its parameter '{}'",
                shorten(key)
            ));
        }
        if !value.is_empty() && LEXICON.content.has(&key.to_ascii_lowercase()) {
            return Err(format!("carries '{}', something to be kept", shorten(key)));
        }
    }
    let segments: Vec<Vec<String>> =
        url.path_segments().into_iter().flatten().map(|segment| words(bare(segment))).collect();
    let last = segments.iter().rev().take(3).flatten();
    let orders = fields.pairs.iter().filter_map(|(key, value)| {
        let is_order = matches!(words(key).as_slice(), [one] if LEXICON.key.has(one));
        is_order.then(|| words(value))
    });
    let names: Vec<String> = last.cloned().chain(orders.flatten()).collect();
    let is_paged = fields.pairs.iter().any(|(key, _)| {
        let key = key.to_ascii_lowercase();
        LEXICON.paging.has(&key)
    });
    let has_evidence = names.iter().any(|name| LEXICON.evidence.has(name))
        || is_paged && names.iter().any(|name| LEXICON.collection.has(name));
    if has_evidence { Ok(()) } else { Err("shows no sign of being a read".to_owned()) }
}

fn verb_in_key(key: &[String]) -> Option<String> {
    match key {
        [one] | [one, _] if LEXICON.strong.has(one) => Some(one.clone()),
        _ => LEXICON.strong.phrase_at(key).map(|phrase| phrase.join(" ")),
    }
}

/// The parameters of a request, from its query and its body, and its GraphQL operation.
struct Fields {
    pairs: Vec<(String, String)>,
    graphql: Operation,
}

impl Fields {
    fn of(url: &Url, body: &str, content_type: &str) -> Self {
        let mut fields = Self { pairs: Vec::new(), graphql: Operation::None };
        fields.add_form(url.query().unwrap_or_default());
        let is_graphql = url.path().to_ascii_lowercase().contains("graphql");
        if content_type.contains("graphql") {
            fields.graphql = graphql::operation(body);
        } else if let Ok(json) = serde_json::from_str::<Value>(body) {
            fields.graphql = json_operation(&json, is_graphql);
            fields.add_json(&json, 0);
        } else {
            fields.add_form(body);
            let document = fields.pairs.iter().find(|(key, _)| key == "query");
            if let Some((_, document)) = document.filter(|_| is_graphql) {
                fields.graphql = graphql::operation(document);
            }
        }
        fields
    }

    fn add_form(&mut self, text: &str) {
        let pairs = url::form_urlencoded::parse(text.as_bytes()).take(256);
        self.pairs.extend(pairs.map(|(key, value)| (key.into_owned(), value.into_owned())));
    }

    fn add_json(&mut self, json: &Value, depth: usize) {
        if depth > 3 || self.pairs.len() > 256 {
            return;
        }
        match json {
            Value::Object(members) => {
                for (key, value) in members {
                    let text = match value {
                        Value::String(text) => text.clone(),
                        Value::Number(number) => number.to_string(),
                        _ => String::new(),
                    };
                    self.pairs.push((key.clone(), text));
                    self.add_json(value, depth + 1);
                }
            }
            Value::Array(items) => {
                for item in items.iter().take(32) {
                    self.add_json(item, depth + 1);
                }
            }
            _ => {}
        }
    }
}

/// The operation of a GraphQL request in JSON; a batch is a query only if all of it is.
fn json_operation(json: &Value, is_graphql: bool) -> Operation {
    match json {
        Value::Array(batch) if !batch.is_empty() => {
            let each = batch.iter().map(|one| json_operation(one, is_graphql));
            each.reduce(|a, b| match (a, b) {
                (Operation::Other, _) | (_, Operation::Other) => Operation::Other,
                (Operation::Query, Operation::Query) => Operation::Query,
                _ => Operation::None,
            })
            .unwrap_or(Operation::None)
        }
        Value::Object(members) => {
            let text = |key: &str| members.get(key).and_then(Value::as_str);
            match (text("query"), text("operationName")) {
                // A search also calls its words `query`: only a selection makes it GraphQL.
                (Some(document), _) if is_graphql || document.contains('{') => {
                    graphql::operation(document)
                }
                (None, Some(name)) if is_graphql => named_operation(name),
                _ => Operation::None,
            }
        }
        _ => Operation::None,
    }
}

/// A persisted operation has only its name.
fn named_operation(name: &str) -> Operation {
    let parts = words(name);
    let ends_as = |word: &str| parts.last().is_some_and(|last| last == word);
    if ends_as("mutation") || verb_in_order(name).is_some() {
        return Operation::Other;
    }
    let has_evidence = parts.iter().any(|part| LEXICON.evidence.has(part));
    if ends_as("query") || has_evidence { Operation::Query } else { Operation::Other }
}

/// A segment without the ending of a script (`delete.php`).
fn bare(segment: &str) -> &str {
    let (stem, ending) = segment.rsplit_once('.').unwrap_or((segment, ""));
    match ending {
        "php" | "asp" | "aspx" | "jsp" | "do" | "cgi" | "html" | "htm" | "json" | "action" => stem,
        _ => segment,
    }
}

fn shorten(text: &str) -> String {
    let mut short: String = text.chars().take(100).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

/// The path as a regular expression that matches it.
fn escape(path: &str) -> String {
    let mut escaped = String::new();
    for c in path.chars().take(200) {
        if "\\.+*?()|[]{}^$".contains(c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_ends_in_what_is_to_be_read_reads() {
        let verb = |path: &str| {
            verb_in_url(&Url::parse("http://site.invalid").unwrap().join(path).unwrap())
        };
        for path in ["/like/details", "/subscribe/help", "/vote/history/", "/delete/view"] {
            assert_eq!(verb(path), None, "{path}");
        }
        for path in ["/logout/now", "/details/like", "/delete/details?action=delete", "/cart/add/5"]
        {
            assert!(verb(path).is_some(), "{path}");
        }
    }

    fn sent(method: &str, path: &str, body: &str) -> Result<(), Refusal> {
        may_send(&RequestDescription {
            method,
            url: &format!("https://site.example{path}"),
            body: Some(body).filter(|body| !body.is_empty()),
            content_type: None,
        })
    }

    #[test]
    fn a_get_passes_without_a_write_verb() {
        for path in [
            "/",
            "/post/12",
            "/posts?page=2",
            "/blog/how-to-delete-a-file-in-git",
            "/report/2020",
            "/search?q=delete",
            "/list?order=asc",
            "/comments?post=5",
            "/user/5/likes",
            "/followers",
            "/news/save-the-whales",
            "/pay-gap",
            "/block/7",
            "/api/v1/comments/load",
            "/share-price",
            "/?action=view",
            "/?do=list&page=3",
            "/tags/delete-cascade-rules-explained",
            "/deleted-scenes",
            "/checkout-our-stories-of-2020",
            "/?action=load_more_posts",
            "/order/12",
            "/wp-json/wp/v2/posts",
            "/recent-posts",
            "/display",
            "/payload.json",
        ] {
            let result = sent("GET", path, "");
            assert!(result.is_ok(), "{path}: {result:?}");
        }
    }

    #[test]
    fn a_get_with_a_write_verb_is_refused() {
        for path in [
            "/logout",
            "/user/logout.php",
            "/wp-login.php?action=logout",
            "/item/5/delete",
            "/delete.php?id=5",
            "/delete_item?id=5",
            "/item-delete?id=5",
            "/cart/add-to-cart/5",
            "/?add-to-cart=99",
            "/?logout",
            "/posts/5/like",
            "/vote?id=1&dir=up",
            "/api/follow/7",
            "/?do=remove&id=3",
            "/x?op=delete",
            "/?delete=5",
            "/unsubscribe?u=1",
            "/save",
            "/subscribe",
            "/?action=post_like",
            "/checkout",
            "/index.php?act=report",
            "/users/sign_out",
            "/auth/signout",
            "/removeItem?id=1",
        ] {
            assert!(sent("GET", path, "").is_err(), "{path} would be sent");
        }
    }

    #[test]
    fn a_post_needs_evidence_that_it_reads() {
        for (path, body) in [
            ("/comments/list", "page=2"),
            ("/api/search", "{\"q\":\"delete\"}"),
            ("/loadMore", ""),
            ("/wp-admin/admin-ajax.php", "action=load_more_posts&page=2"),
            ("/api/getComments", "id=5"),
            ("/api/comments", "{\"article\":5,\"page\":2}"),
            ("/ajax.php", "do=list&cat=3"),
            ("/rpc", "{\"method\":\"articles.list\",\"params\":{\"offset\":20}}"),
            ("/feed/next", "cursor=abc"),
            ("/api/posts/query", "{\"filter\":{\"tag\":\"x\"}}"),
            ("/api/products?page=3", ""),
        ] {
            let result = sent("POST", path, body);
            assert!(result.is_ok(), "{path} {body}: {result:?}");
        }
        for (path, body) in [
            ("/comments", "{\"text\":\"hi\"}"),
            ("/comments", ""),
            ("/api/like", "id=5"),
            ("/x", ""),
            ("/wp-admin/admin-ajax.php", "action=post_like&id=5"),
            ("/ajax.php", "do=delete&id=1"),
            ("/api/list/delete", "id=1"),
            ("/search/save", "q=x"),
            ("/rpc", "{\"method\":\"post.like\"}"),
            ("/api/comments", "{\"page\":2,\"comment\":\"hi\"}"),
            ("/cart", "add-to-cart=5"),
            ("/api/list", "delete=5"),
            ("/autosave", "draft=hello"),
            ("/track", "{\"event\":\"click\",\"x\":1}"),
        ] {
            let result = sent("POST", path, body);
            assert!(result.is_err(), "{path} {body} would be sent");
        }
    }

    #[test]
    fn graphql_queries_pass_and_mutations_do_not() {
        for body in [
            "{\"query\":\"{ posts(page: 2) { id } }\"}",
            "{\"operationName\":\"A\",\"query\":\"query A { likes }\",\"variables\":{}}",
            "[{\"query\":\"query { a }\"},{\"query\":\"{ b }\"}]",
            "{\"operationName\":\"PostListQuery\",\"extensions\":{\"persistedQuery\":{}}}",
        ] {
            assert!(sent("POST", "/graphql", body).is_ok(), "{body}");
        }
        for body in [
            "{\"query\":\"mutation { like(id: 5) }\"}",
            "[{\"query\":\"query { a }\"},{\"query\":\"mutation { b }\"}]",
            "{\"operationName\":\"LikePostMutation\",\"extensions\":{}}",
            "{\"operationName\":\"DeletePost\"}",
            "{\"query\":\"query A { a } mutation B { b }\",\"operationName\":\"B\"}",
            "",
        ] {
            assert!(sent("POST", "/graphql", body).is_err(), "{body}");
        }
        assert!(sent("POST", "/graphql/delete", "{\"query\":\"{ a }\"}").is_err());
    }

    #[test]
    fn other_methods_write_and_a_preflight_does_not() {
        for method in ["PUT", "PATCH", "DELETE", "put", "PURGE", ""] {
            assert!(sent(method, "/list", "").is_err(), "{method}");
        }
        assert!(sent("OPTIONS", "/item/5/delete", "").is_ok());
        assert!(sent("HEAD", "/logout", "").is_err());
    }

    #[test]
    fn a_refusal_says_what_would_lift_it_and_reads_back() {
        let refusal = sent("POST", "/api.php/x+y", "").expect_err("no evidence");
        assert_eq!(
            refusal.to_string(),
            "POST /api.php/x+y shows no sign of being a read \
             (needs permit: post /api\\.php/x\\+y)"
        );
        assert_eq!(refusal.to_string().parse::<Refusal>().as_ref(), Ok(&refusal));
        let robots = Refusal::unless("robots.txt says no".to_owned(), Permit::Robots);
        assert_eq!(robots.to_string().parse::<Refusal>(), Ok(robots));
        let plain = "its text 'Send (needs permit: gold)' contains the write verb 'send'";
        assert_eq!(plain.parse::<Refusal>().map(|refusal| refusal.permit().cloned()), Ok(None));
    }

    #[test]
    fn hostile_bodies_end() {
        let deep = "[".repeat(60_000);
        assert!(sent("POST", "/list", &deep).is_ok());
        let wide = format!("{{{}}}", "\"a\":1,".repeat(9_000));
        let _ = sent("POST", "/list", &wide);
        assert!(sent("POST", "/list", &"x".repeat(MAX_BODY + 1)).is_err());
    }
}
