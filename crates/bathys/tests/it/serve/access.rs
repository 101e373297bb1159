//! Who is answered, and how the server stops.

use super::{Server, served};
use crate::archive::exported;
use crate::program::Scratch;

const TOKEN: &str = "a-token-of-twenty-characters";

#[test]
fn other_machines_are_not_served_unless_it_was_said_who_may_read() {
    let scratch = Scratch::new();
    let ended = scratch.run(&["serve", "--listen", "0.0.0.0:0"]);
    ended.failed(2, &["--token", "--public-read"]);
    let ended = scratch.run(&["serve", "--token", "tiny-one"]);
    ended.failed(2, &["16"]);
    assert!(!ended.stderr.contains("tiny"), "a token is never printed: {}", ended.stderr);
}

#[test]
fn a_name_that_was_made_to_point_here_is_not_answered() {
    let site = &served().site;
    for host in ["evil.example", "evil.example:80", "127.0.0.1.evil.example"] {
        let answer = site.ask("GET", "/", &[("host", host)], "");
        assert_eq!(answer.status, 421, "{host}");
        let answer = served().archive.ask("GET", "/web/cdx?url=*", &[("host", host)], "");
        assert_eq!(answer.status, 421, "{host}");
    }
    assert_eq!(site.ask("GET", "/", &[("host", "localhost")], "").status, 200);
}

#[test]
fn every_answer_says_that_nothing_of_others_may_run_or_load() {
    let answer = served().site.ok("/");
    let policy = answer.header("content-security-policy").unwrap();
    for part in
        ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"]
    {
        assert!(policy.contains(part), "{policy}");
    }
    assert!(!policy.contains("unsafe"), "{policy}");
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(answer.header("x-frame-options"), Some("DENY"));
    let html = answer.text();
    assert!(
        !html.contains("<script>") && !html.contains(" onclick") && !html.contains(" style=\"")
    );
}

#[test]
fn nothing_changes_by_a_get_and_a_form_of_another_site_is_refused() {
    let site = &served().site;
    for path in ["/preferences", "/logout"] {
        assert_eq!(site.get(path).status, 405, "{path}");
    }
    let form = "theme=dark&to=/pages";
    let kind = ("content-type", "application/x-www-form-urlencoded");
    assert_eq!(site.ask("POST", "/preferences", &[kind], form).status, 403);
    let other = ("origin", "http://evil.example");
    assert_eq!(site.ask("POST", "/preferences", &[kind, other], form).status, 403);
    let archive = format!("http://{}", served().archive.host);
    assert_eq!(site.ask("POST", "/preferences", &[kind, ("origin", &archive)], form).status, 403);
    let own = format!("http://{}", site.host);
    let answer = site.ask("POST", "/preferences", &[kind, ("origin", &own)], form);
    assert_eq!((answer.status, answer.header("location")), (303, Some("/pages")));
    assert!(answer.header("set-cookie").unwrap().starts_with("bathys_theme=dark;"));
}

#[test]
fn with_a_token_nothing_is_shown_without_it() {
    let server = Server::of(exported().scratch.path(), &["--token", TOKEN]);
    let site = &server.site;
    for path in ["/api/v1/pages", "/metrics", "/page/1", "/nothing"] {
        let answer = site.get(path);
        assert_eq!(answer.status, 401, "{path}");
        assert!(!answer.text().contains(TOKEN));
    }
    assert_eq!(server.archive.get("/web/2026/http://127.0.0.1/").status, 401);
    assert_eq!(site.get("/healthz").status, 200);
    let bearer = format!("Bearer {TOKEN}");
    assert_eq!(site.ask("GET", "/api/v1/pages", &[("authorization", &bearer)], "").status, 200);

    let page = site.ask("GET", "/page/1?v=1", &[("accept", "text/html")], "");
    assert_eq!(
        (page.status, page.header("location")),
        (303, Some("/login?to=%2Fpage%2F1%3Fv%3D1"))
    );
    let own = format!("http://{}", site.host);
    let headers = [("content-type", "application/x-www-form-urlencoded"), ("origin", own.as_str())];
    let wrong = site.ask("POST", "/login", &headers, "token=wrong-wrong-wrong&to=/page/1");
    assert_eq!(wrong.status, 401);
    let body = format!("token={TOKEN}&to=//evil.example/");
    let right = site.ask("POST", "/login", &headers, &body);
    assert_eq!((right.status, right.header("location")), (303, Some("/")));
    let cookie = right.header("set-cookie").unwrap();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    assert!(!cookie.contains(TOKEN), "{cookie}");
    let cookie = cookie.split(';').next().unwrap();
    assert_eq!(site.ask("GET", "/page/1", &[("cookie", cookie)], "").status, 200);
    let archived = server.archive.ask("GET", "/web/cdx?url=http://a/", &[("cookie", cookie)], "");
    assert_eq!(archived.status, 200);
}

#[test]
fn it_says_how_it_is_and_stops_when_it_is_asked_to() {
    let server = Server::of(exported().scratch.path(), &[]);
    assert_eq!(server.site.ok("/healthz").text(), "ok\n");
    server.site.ok("/pages");
    let metrics = server.site.ok("/metrics").text();
    assert!(
        metrics.contains("bathys_http_requests_total{route=\"/pages\",status=\"200\"} 1"),
        "{metrics}"
    );
    let pages = format!("bathys_store_pages {}", exported().pages.len());
    assert!(metrics.contains(&pages), "{pages} in {metrics}");
    assert_eq!(server.interrupt(), Some(0));
}
