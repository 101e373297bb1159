use std::io::Write;
use std::net::IpAddr;
use std::thread;
use std::time::{Duration, Instant};

use browser::http::{
    AddressRule, Client, ClientOptions, Cut, Exchange, FetchError, HeaderValue, Method, Request,
    StatusCode, Version, header,
};
use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use url::Url;

use crate::server::{Server, ok, redirect, with_headers};

fn options(server: &Server) -> ClientOptions {
    let rule = AddressRule::public_only().allow_named("127.0.0.1", server.addr.port());
    ClientOptions::new("bathys-test/1", rule)
}

fn client(server: &Server) -> Client {
    Client::new(options(server)).expect("a client")
}

async fn fetch(server: &Server, path: &str) -> Exchange {
    let request = Request::get(server.url(path));
    client(server).fetch(&request).await.expect("an exchange")
}

/// Follows every redirect, as a caller may who has nothing to decide.
async fn follow(client: &Client, mut request: Request) -> Result<Vec<Exchange>, FetchError> {
    let mut passed = Vec::new();
    loop {
        let exchange = client.fetch(&request).await?;
        let next = exchange.redirect(&request);
        passed.push(exchange);
        match next {
            Some(Ok(next)) => request = next,
            Some(Err(_)) | None => return Ok(passed),
        }
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

#[tokio::test]
async fn a_page_comes_with_its_headers_as_received_and_in_order() {
    let server = Server::start(|_, stream| {
        let lines =
            "Zebra: 1\r\nAlpha: 2\r\nSet-Cookie: a=1\r\nContent-Type: Text/HTML; charset=x\r\n";
        stream.write_all(&with_headers(lines, b"<p>hi")).is_ok()
    });
    let exchange = fetch(&server, "/a?b=1#frag").await;
    assert_eq!(exchange.status, StatusCode::OK);
    assert_eq!(exchange.body, b"<p>hi");
    assert_eq!(exchange.url, server.url("/a?b=1#frag"));
    assert_eq!(exchange.remote, Some(server.addr));
    assert_eq!(exchange.version, Version::HTTP_11);
    assert_eq!(exchange.cut, None);
    let names: Vec<&str> = exchange.headers.keys().map(|k| k.as_str()).collect();
    let wanted = ["zebra", "alpha", "set-cookie", "content-type", "content-length"];
    assert_eq!(names, wanted);
    let asked = server.asked();
    assert_eq!(asked[0].line, "GET /a?b=1 HTTP/1.1");
    assert_eq!(asked[0].header("user-agent"), Some("bathys-test/1"));
    let host = server.addr.to_string();
    assert_eq!(asked[0].header("host"), Some(host.as_str()));
}

#[tokio::test]
async fn every_content_encoding_is_undone_and_its_header_kept() {
    let text = "the same text, many times over. ".repeat(2000);
    let bytes = text.as_bytes();
    let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
    zlib.write_all(bytes).expect("memory");
    let mut raw = DeflateEncoder::new(Vec::new(), Compression::default());
    raw.write_all(bytes).expect("memory");
    let mut brotli = Vec::new();
    brotli::BrotliCompress(&mut &*bytes, &mut brotli, &brotli::enc::BrotliEncoderParams::default())
        .expect("memory");
    let zstd = zstd::encode_all(bytes, 3).expect("memory");
    for (name, body) in [
        ("gzip", gzip(bytes)),
        ("x-gzip", gzip(bytes)),
        ("deflate", zlib.finish().expect("memory")),
        ("deflate", raw.finish().expect("memory")),
        ("br", brotli.clone()),
        ("zstd", zstd),
        ("br, gzip", gzip(&brotli)),
        ("identity", bytes.to_vec()),
    ] {
        let line = format!("Content-Encoding: {name}\r\n");
        let wire = body.len() as u64;
        let server = Server::fixed(with_headers(&line, &body));
        let exchange = fetch(&server, "/").await;
        assert_eq!(exchange.cut, None, "{name}");
        assert!(exchange.body == bytes, "{name}: {} bytes", exchange.body.len());
        assert_eq!(exchange.wire_bytes, wire, "{name}");
        assert_eq!(exchange.headers[header::CONTENT_ENCODING], name);
    }
}

#[tokio::test]
async fn bombs_stop_at_the_cap_whatever_they_are_packed_in() {
    let zeros = vec![0u8; 64 * 1024 * 1024];
    let mut brotli = Vec::new();
    let params = brotli::enc::BrotliEncoderParams { quality: 5, ..Default::default() };
    brotli::BrotliCompress(&mut &*zeros, &mut brotli, &params).expect("memory");
    for (name, body) in [
        ("br", brotli),
        ("gzip", gzip(&zeros)),
        ("zstd", zstd::encode_all(&*zeros, 1).expect("memory")),
        ("gzip, gzip", gzip(&gzip(&zeros))),
    ] {
        let line = format!("Content-Encoding: {name}\r\n");
        let server = Server::fixed(with_headers(&line, &body));
        let mut options = options(&server);
        options.max_body = 1_000_000;
        let client = Client::new(options).expect("a client");
        let exchange = client.fetch(&Request::get(server.url("/"))).await;
        let exchange = exchange.expect("an exchange");
        assert_eq!(exchange.cut, Some(Cut::Size), "{name}");
        assert_eq!(exchange.body.len(), 1_000_000, "{name}");
    }
}

#[tokio::test]
async fn a_broken_or_unknown_encoding_keeps_what_there_is_and_says_so() {
    let text: String = (0..5000u64).map(|i| format!("line {} ", i * i * 7919)).collect();
    let mut broken = gzip(text.as_bytes());
    let middle = broken.len() / 2;
    broken.truncate(middle);
    broken.extend_from_slice(&[0xff; 64]);
    let server = Server::fixed(with_headers("Content-Encoding: gzip\r\n", &broken));
    let exchange = fetch(&server, "/").await;
    assert!(matches!(exchange.cut, Some(Cut::Encoding(_))), "{:?}", exchange.cut);
    assert!(exchange.body.len() > 10_000, "{} bytes", exchange.body.len());
    assert!(text.as_bytes().starts_with(&exchange.body[..10_000]));

    let server = Server::fixed(with_headers("Content-Encoding: rot13\r\n", b"uryyb"));
    let exchange = fetch(&server, "/").await;
    assert!(matches!(exchange.cut, Some(Cut::Encoding(_))));
    assert_eq!(exchange.body, b"uryyb");
}

#[tokio::test]
async fn an_endless_body_ends_by_size_and_a_silent_one_by_time() {
    let server = Server::start(|asked, stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\nstart");
        if asked.path() == "/silent" {
            thread::sleep(Duration::from_secs(5));
        }
        while stream.write_all(&[b'x'; 65536]).is_ok() {}
        false
    });
    let mut options = options(&server);
    options.max_body = 300_000;
    options.idle_time = Duration::from_millis(150);
    let client = Client::new(options).expect("a client");
    let endless = client.fetch(&Request::get(server.url("/endless"))).await;
    let endless = endless.expect("an exchange");
    assert_eq!((endless.cut, endless.body.len()), (Some(Cut::Size), 300_000));
    let silent = client.fetch(&Request::get(server.url("/silent"))).await;
    let silent = silent.expect("an exchange");
    assert_eq!(silent.cut, Some(Cut::Time));
    assert_eq!(silent.body, b"start");
}

#[tokio::test]
async fn a_body_that_drips_ends_by_the_total_time() {
    let server = Server::start(|_, stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
        while stream.write_all(b"x").is_ok() {
            thread::sleep(Duration::from_millis(20));
        }
        false
    });
    let mut options = options(&server);
    options.total_time = Duration::from_millis(400);
    let client = Client::new(options).expect("a client");
    let started = Instant::now();
    let exchange = client.fetch(&Request::get(server.url("/"))).await.expect("an exchange");
    assert_eq!(exchange.cut, Some(Cut::Time));
    assert!(started.elapsed() < Duration::from_secs(3));
    assert!(!exchange.body.is_empty());
}

#[tokio::test]
async fn a_connection_that_breaks_keeps_the_part_that_came() {
    let server = Server::fixed("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this");
    let exchange = fetch(&server, "/").await;
    assert!(matches!(exchange.cut, Some(Cut::Connection(_))));
    assert_eq!(exchange.body, b"only this");
}

#[tokio::test]
async fn no_answer_a_huge_head_and_no_http_are_errors_that_name_the_url() {
    let server = Server::start(|asked, stream| {
        match asked.path() {
            "/mute" => thread::sleep(Duration::from_secs(5)),
            "/huge" => {
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nX: ");
                while stream.write_all(&[b'x'; 65536]).is_ok() {}
            }
            _ => drop(stream.write_all(b"SSH-2.0-OpenSSH_9.2\r\n\r\n")),
        }
        false
    });
    let mut options = options(&server);
    options.total_time = Duration::from_millis(500);
    let client = Client::new(options).expect("a client");
    let error = async |path: &str| {
        let request = Request::get(server.url(path));
        client.fetch(&request).await.expect_err("an error")
    };
    assert!(matches!(error("/mute").await, FetchError::Timeout { .. }));
    assert!(matches!(error("/huge").await, FetchError::Protocol { .. }));
    let ssh = error("/ssh").await;
    assert!(matches!(ssh, FetchError::Protocol { .. }));
    assert!(ssh.to_string().contains(server.url("/ssh").as_str()), "{ssh}");
}

#[tokio::test]
async fn a_redirect_is_told_and_not_followed() {
    let server = Server::start(|asked, stream| {
        let response = match asked.path() {
            "/1" => redirect(301, "/2"),
            "/2" => redirect(302, "3?x=1"),
            _ => ok("end"),
        };
        stream.write_all(&response).is_ok()
    });
    let first = fetch(&server, "/1").await;
    assert_eq!(first.status, StatusCode::MOVED_PERMANENTLY);
    assert_eq!(server.asked().len(), 1, "the client does not follow by itself");

    let request = Request::get(server.url("/1#keep"));
    let passed = follow(&client(&server), request).await.expect("an exchange");
    let lines: Vec<(u16, String)> =
        passed.iter().map(|hop| (hop.status.as_u16(), hop.url.to_string())).collect();
    let url = |path: &str| server.url(path).to_string();
    assert_eq!(lines, [(301, url("/1#keep")), (302, url("/2#keep")), (200, url("/3?x=1#keep"))]);
    assert_eq!(passed[0].headers[header::LOCATION], "/2");
    assert_eq!(passed[2].body, b"end");
    assert!(passed.is_sorted_by_key(|hop| hop.at), "each has a time of its own");
    assert_eq!(server.connections(), 2, "a client keeps its connection");
}

#[tokio::test]
async fn a_location_that_is_no_web_address_leads_nowhere() {
    for location in ["javascript:alert(1)", "file:///etc/passwd", "http://[bad/"] {
        let server = Server::fixed(redirect(302, location));
        let request = Request::get(server.url("/"));
        let exchange = client(&server).fetch(&request).await.expect("an exchange");
        let next = exchange.redirect(&request).expect("a redirect");
        assert_eq!(next.expect_err("no address"), location);
    }
}

#[tokio::test]
async fn a_redirected_post_becomes_a_get_except_by_307_and_308() {
    let server = Server::start(|asked, stream| {
        let status: Option<u16> = asked.path().trim_start_matches('/').parse().ok();
        let response = status.map_or_else(|| ok(""), |status| redirect(status, "/end"));
        stream.write_all(&response).is_ok()
    });
    for (status, method, body) in [
        (301, Method::GET, ""),
        (302, Method::GET, ""),
        (303, Method::GET, ""),
        (307, Method::POST, "a=1"),
        (308, Method::POST, "a=1"),
    ] {
        let form = HeaderValue::from_static("application/x-www-form-urlencoded");
        let request = Request::post(server.url(&format!("/{status}")), form, "a=1");
        let passed = follow(&client(&server), request).await.expect("an exchange");
        assert_eq!(passed[1].method, method, "{status}");
        let last = server.asked().pop().expect("a request");
        assert_eq!(last.body, body.as_bytes(), "{status}");
        assert_eq!(last.header("content-type").is_some(), method == Method::POST);
    }
}

#[tokio::test]
async fn secrets_do_not_follow_a_redirect_to_another_origin() {
    let other = Server::fixed(ok("there"));
    let to = other.url("/").to_string();
    let server = Server::start(move |_, stream| stream.write_all(&redirect(302, &to)).is_ok());
    let mut options = options(&server);
    options.rule = options.rule.allow_named("127.0.0.1", other.addr.port());
    let request = Request::get(server.url("/"))
        .header(header::AUTHORIZATION, HeaderValue::from_static("Bearer x"))
        .header(header::ACCEPT_LANGUAGE, HeaderValue::from_static("de"));
    follow(&Client::new(options).expect("a client"), request).await.expect("an exchange");
    assert_eq!(server.asked()[0].header("authorization"), Some("Bearer x"));
    assert_eq!(other.asked()[0].header("authorization"), None);
    assert_eq!(other.asked()[0].header("accept-language"), Some("de"));
}

#[tokio::test]
async fn cookies_of_one_answer_come_with_the_next_request_of_the_same_client_only() {
    let server = Server::start(|asked, stream| {
        let response = match asked.path() {
            "/login" => b"HTTP/1.1 302 Found\r\nLocation: /in\r\nSet-Cookie: sid=7; Path=/\r\n\
                Set-Cookie: evil=1; Domain=com\r\nContent-Length: 0\r\n\r\n"
                .to_vec(),
            _ => ok("in"),
        };
        stream.write_all(&response).is_ok()
    });
    let first = client(&server);
    follow(&first, Request::get(server.url("/login"))).await.expect("an exchange");
    fetch(&server, "/other").await;
    let asked = server.asked();
    assert_eq!(asked[1].header("cookie"), Some("sid=7"));
    assert_eq!(asked[2].header("cookie"), None);
    assert!(first.set_cookie(&server.url("/"), "lang=zh"));
    let header = first.cookie_header(&server.url("/")).expect("cookies");
    assert!(header.to_str().expect("ASCII").contains("lang=zh"));
}

#[tokio::test]
async fn conditional_headers_pass_and_a_304_has_no_body() {
    let server = Server::start(|asked, stream| {
        let fresh = asked.header("if-none-match") == Some("\"v1\"");
        let response = if fresh {
            b"HTTP/1.1 304 Not Modified\r\nETag: \"v1\"\r\n\r\n".to_vec()
        } else {
            ok("new")
        };
        stream.write_all(&response).is_ok()
    });
    let request = Request::get(server.url("/"))
        .header(header::IF_NONE_MATCH, HeaderValue::from_static("\"v1\""));
    let exchange = client(&server).fetch(&request).await.expect("an exchange");
    assert_eq!(exchange.status, StatusCode::NOT_MODIFIED);
    assert_eq!((exchange.body.len(), exchange.cut), (0, None));
}

#[tokio::test]
async fn a_private_address_is_refused_as_literal_as_name_and_as_redirect() {
    let secret = Server::fixed(ok("secret"));
    let to = secret.url("/").to_string();
    let server = Server::start(move |_, stream| stream.write_all(&redirect(302, &to)).is_ok());
    let client = client(&server);
    let port = secret.addr.port();
    for url in [
        format!("http://127.0.0.1:{port}/"),
        format!("http://2130706433:{port}/"),
        format!("http://localhost:{port}/"),
        format!("http://[::ffff:127.0.0.1]:{port}/"),
        server.url("/").to_string(),
    ] {
        let request = Request::get(Url::parse(&url).expect("a URL"));
        let error = follow(&client, request).await.expect_err("a refusal");
        let FetchError::Refused { source, .. } = error else {
            panic!("{url}: {error}");
        };
        assert_eq!(source.port, port);
        assert_ne!(source.address, IpAddr::from([8, 8, 8, 8]));
    }
    assert_eq!(secret.connections(), 0);
}

#[tokio::test]
async fn a_named_name_that_means_loopback_is_fetched() {
    let server = Server::fixed(ok("here"));
    let port = server.addr.port();
    let rule = AddressRule::public_only().allow_named("localhost", port);
    let client = Client::new(ClientOptions::new("bathys-test/1", rule)).expect("a client");
    let url = Url::parse(&format!("http://localhost:{port}/")).expect("a URL");
    let exchange = client.fetch(&Request::get(url)).await.expect("an exchange");
    assert_eq!(exchange.body, b"here");
}

#[tokio::test]
async fn a_kept_connection_that_the_server_closed_is_replaced_silently() {
    let server = Server::start(|_, stream| {
        let _ = stream.write_all(&ok("once"));
        false
    });
    let client = client(&server);
    for _ in 0..20 {
        let exchange = client.fetch(&Request::get(server.url("/"))).await;
        assert_eq!(exchange.expect("an exchange").body, b"once");
    }
}

#[tokio::test]
async fn a_url_that_is_not_http_and_a_user_agent_with_a_newline_are_errors() {
    let server = Server::fixed(ok(""));
    let request = Request::get(Url::parse("ftp://127.0.0.1/").expect("a URL"));
    let error = client(&server).fetch(&request).await.expect_err("an error");
    assert!(matches!(error, FetchError::Url { .. }));
    let options = ClientOptions::new("a\r\nEvil: 1", AddressRule::public_only());
    assert!(Client::new(options).is_err());
}

#[tokio::test]
async fn a_password_in_a_url_is_not_sent() {
    let server = Server::fixed(ok("x"));
    let mut url = server.url("/p");
    url.set_username("user").expect("a host");
    url.set_password(Some("pass")).expect("a host");
    client(&server).fetch(&Request::get(url)).await.expect("an exchange");
    let asked = &server.asked()[0];
    assert_eq!(asked.line, "GET /p HTTP/1.1");
    assert_eq!(asked.header("authorization"), None);
}
