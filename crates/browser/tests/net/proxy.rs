use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use browser::http::AddressRule;
use browser::proxy::{Proxy, ProxyOptions};

use crate::server::{Server, ok, with_headers};

fn rule(server: &Server) -> AddressRule {
    AddressRule::public_only().allow_named("127.0.0.1", server.addr.port())
}

async fn proxy_for(server: &Server) -> Proxy {
    let options = ProxyOptions::new(rule(server));
    Proxy::start(options).await.expect("a proxy")
}

fn connect(addr: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(addr).expect("a connection");
    stream.set_nodelay(true).expect("a socket");
    let patience = Some(Duration::from_secs(10));
    stream.set_read_timeout(patience).expect("a socket");
    stream
}

/// Sends raw bytes and reads until the proxy closes.
async fn exchange(addr: SocketAddr, request: String) -> String {
    let talk = move || {
        let mut stream = connect(addr);
        stream.write_all(request.as_bytes()).expect("a request");
        let mut answer = Vec::new();
        // A connection that is broken off on purpose still gives what came before.
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    };
    tokio::task::spawn_blocking(talk).await.expect("an answer")
}

fn get(server: &Server, path: &str) -> String {
    format!(
        "GET http://{}{path} HTTP/1.1\r\nHost: ignored.example\r\nConnection: close\r\n\r\n",
        server.addr
    )
}

#[tokio::test]
async fn a_request_is_forwarded_without_the_headers_of_the_hop() {
    let server = Server::start(|_, stream| {
        let lines = "X-Site: 1\r\nKeep-Alive: timeout=5\r\nConnection: X-Hop\r\nX-Hop: 1\r\n";
        stream.write_all(&with_headers(lines, b"body")).is_ok()
    });
    let proxy = proxy_for(&server).await;
    let request = format!(
        "POST http://{0}/a?b HTTP/1.1\r\nHost: other.example\r\nX-CamelCase: kept\r\n\
         Proxy-Connection: keep-alive\r\nTE: trailers\r\nConnection: close, X-Secret\r\n\
         X-Secret: 1\r\nUpgrade: h2c\r\nContent-Length: 3\r\n\r\nabc",
        server.addr
    );
    let answer = exchange(proxy.addr(), request).await;
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert!(answer.contains("X-Site: 1\r\n") && answer.ends_with("\r\n\r\nbody"), "{answer}");
    assert!(!answer.contains("X-Hop") && !answer.contains("Keep-Alive"), "{answer}");

    let asked = &server.asked()[0];
    assert_eq!(asked.line, "POST /a?b HTTP/1.1");
    assert_eq!(asked.body, b"abc");
    let host = server.addr.to_string();
    assert_eq!(asked.header("host"), Some(host.as_str()));
    assert!(asked.headers.contains(&("X-CamelCase".to_owned(), "kept".to_owned())));
    for name in ["proxy-connection", "te", "x-secret", "upgrade", "via"] {
        assert_eq!(asked.header(name), None, "{name}");
    }
}

#[tokio::test]
async fn connections_are_kept_on_both_sides() {
    let server = Server::start(|asked, stream| stream.write_all(&ok(asked.path())).is_ok());
    let proxy = proxy_for(&server).await;
    let (addr, target) = (proxy.addr(), server.addr);
    let bodies = tokio::task::spawn_blocking(move || {
        let mut stream = connect(addr);
        let mut ask = |path: &str| {
            let request = format!("GET http://{target}{path} HTTP/1.1\r\nHost: x\r\n\r\n");
            stream.write_all(request.as_bytes()).expect("a request");
            let mut answer = Vec::new();
            while !answer.ends_with(path.as_bytes()) {
                let mut part = [0; 512];
                let length = stream.read(&mut part).expect("an answer");
                answer.extend_from_slice(&part[..length]);
            }
        };
        for i in 0..20 {
            ask(&format!("/page{i:02}"));
        }
    });
    bodies.await.expect("twenty answers");
    assert_eq!(server.asked().len(), 20);
    assert_eq!(server.connections(), 1);
    assert_eq!(proxy.stats().requests, 20);
}

#[tokio::test]
async fn what_the_rule_refuses_is_answered_403_counted_listed_and_never_connected() {
    let secret = Server::fixed(ok("secret"));
    let server = Server::fixed(ok("open"));
    let proxy = proxy_for(&server).await;
    let port = secret.addr.port();
    for request in [
        get(&secret, "/"),
        get(&secret, "/again"),
        format!("GET http://localhost:{port}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
        format!("CONNECT 127.0.0.1:{port} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
        format!(
            "CONNECT [::ffff:127.0.0.1]:{port} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        ),
    ] {
        let answer = exchange(proxy.addr(), request).await;
        assert!(answer.starts_with("HTTP/1.1 403 Forbidden\r\n"), "{answer}");
        assert!(answer.contains("x-bathys-proxy: refused-address"), "{answer}");
        assert!(answer.contains("address that was not named"), "{answer}");
    }
    assert_eq!(secret.connections(), 0);
    assert_eq!(proxy.stats().refused, 5);
    let listed: Vec<(String, u64)> =
        proxy.refused().into_iter().map(|target| (target.host, target.times)).collect();
    let wanted = [("127.0.0.1", 3), ("::ffff:127.0.0.1", 1), ("localhost", 1)];
    assert_eq!(listed, wanted.map(|(host, times)| (host.to_owned(), times)));
}

#[tokio::test]
async fn a_tunnel_carries_bytes_both_ways_and_half_closes() {
    let echo = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let target = echo.local_addr().expect("an address");
    thread::spawn(move || {
        let (mut stream, _) = echo.accept().expect("a connection");
        let mut all = Vec::new();
        stream.read_to_end(&mut all).expect("bytes until the half close");
        all.reverse();
        stream.write_all(&all).expect("an answer");
    });
    let rule = AddressRule::public_only().allow_named("127.0.0.1", target.port());
    let proxy = Proxy::start(ProxyOptions::new(rule)).await.expect("a proxy");
    let addr = proxy.addr();
    let talk = tokio::task::spawn_blocking(move || {
        let mut stream = connect(addr);
        // The first bytes for the server come together with the CONNECT.
        let request = format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\nabc");
        stream.write_all(request.as_bytes()).expect("a request");
        stream.write_all(b"def").expect("more");
        stream.shutdown(std::net::Shutdown::Write).expect("a half close");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer
    });
    let answer = talk.await.expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert!(answer.ends_with("\r\n\r\nfedcba"), "{answer}");
    let stats = proxy.stats();
    assert_eq!((stats.tunnels, stats.bytes_up, stats.bytes_down), (1, 6, 6));
}

#[tokio::test]
async fn bodies_stream_and_are_never_held() {
    let server = Server::start(|_, stream| {
        let _ =
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\nfirst\n");
        thread::sleep(Duration::from_secs(3));
        let _ = stream.write_all(b"second\n");
        false
    });
    let proxy = proxy_for(&server).await;
    let (addr, request) = (proxy.addr(), get(&server, "/"));
    let waited = tokio::task::spawn_blocking(move || {
        let started = Instant::now();
        let mut stream = connect(addr);
        stream.write_all(request.as_bytes()).expect("a request");
        let mut answer = Vec::new();
        while !answer.windows(5).any(|part| part == b"first") {
            let mut part = [0; 512];
            let length = stream.read(&mut part).expect("an answer");
            answer.extend_from_slice(&part[..length]);
        }
        started.elapsed()
    });
    assert!(waited.await.expect("an answer") < Duration::from_secs(2));
}

#[tokio::test]
async fn a_response_over_the_cap_is_refused_at_once_or_broken_off() {
    let server = Server::start(|asked, stream| {
        if asked.path() == "/said" {
            // Nothing behind the body: if all of it was read, the connection is used again.
            return stream.write_all(&with_headers("", &[b'x'; 20_000])).is_ok();
        }
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
        while stream.write_all(&[b'x'; 8192]).is_ok() {}
        false
    });
    let mut options = ProxyOptions::new(rule(&server));
    options.max_response = 10_000;
    let proxy = Proxy::start(options).await.expect("a proxy");
    let said = exchange(proxy.addr(), get(&server, "/said")).await;
    assert!(said.starts_with("HTTP/1.1 502 "), "{said}");
    assert!(said.contains("longer than 10000 bytes"), "{said}");
    let unsaid = exchange(proxy.addr(), get(&server, "/unsaid")).await;
    assert!(unsaid.starts_with("HTTP/1.1 200 "), "{unsaid}");
    assert!(unsaid.len() < 12_000, "{} bytes", unsaid.len());
    assert!(!unsaid.ends_with("0\r\n\r\n"), "the body must not look whole");
    assert_eq!(proxy.stats().capped, 2);
}

#[tokio::test]
async fn silence_and_dead_servers_are_short_answers() {
    let server = Server::start(|_, _| {
        thread::sleep(Duration::from_secs(5));
        false
    });
    let closed = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let dead = closed.local_addr().expect("an address");
    drop(closed);
    let mut options = ProxyOptions::new(rule(&server).allow_named("127.0.0.1", dead.port()));
    options.idle_time = Duration::from_millis(200);
    let proxy = Proxy::start(options).await.expect("a proxy");
    let silent = exchange(proxy.addr(), get(&server, "/")).await;
    assert!(silent.starts_with("HTTP/1.1 504 "), "{silent}");
    let refused = format!("GET http://{dead}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    let refused = exchange(proxy.addr(), refused).await;
    assert!(refused.starts_with("HTTP/1.1 502 "), "{refused}");
    assert!(refused.contains("cannot connect"), "{refused}");
    assert_eq!(proxy.stats().failed, 2);
}

#[tokio::test]
async fn a_silent_tunnel_is_closed() {
    let mute = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let target = mute.local_addr().expect("an address");
    let rule = AddressRule::public_only().allow_named("127.0.0.1", target.port());
    let mut options = ProxyOptions::new(rule);
    options.idle_time = Duration::from_millis(200);
    let proxy = Proxy::start(options).await.expect("a proxy");
    let started = Instant::now();
    let request = format!("CONNECT {target} HTTP/1.1\r\nHost: x\r\n\r\n");
    let answer = exchange(proxy.addr(), request).await;
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert!(started.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn the_proxy_is_no_web_server_and_does_not_call_itself() {
    let server = Server::fixed(ok(""));
    let options = ProxyOptions::new(rule(&server).allow_named("127.0.0.1", None));
    let proxy = Proxy::start(options).await.expect("a proxy");
    let addr = proxy.addr();
    for (line, status) in [
        ("GET /".to_owned(), "400"),
        ("GET https://127.0.0.1/".to_owned(), "400"),
        (format!("GET http://{addr}/"), "508"),
        (format!("CONNECT {addr}"), "508"),
        ("CONNECT 127.0.0.1".to_owned(), "400"),
    ] {
        let request = format!("{line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        let answer = exchange(addr, request).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{line}: {answer}");
    }
}

#[tokio::test]
async fn dropping_the_proxy_ends_its_connections() {
    let server = Server::start(|_, stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
        while stream.write_all(b"x").is_ok() {
            thread::sleep(Duration::from_millis(10));
        }
        false
    });
    let proxy = proxy_for(&server).await;
    let addr = proxy.addr();
    let reading = tokio::spawn(exchange(addr, get(&server, "/")));
    tokio::time::sleep(Duration::from_millis(200)).await;
    drop(proxy);
    let ended = tokio::time::timeout(Duration::from_secs(5), reading).await;
    assert!(ended.is_ok(), "the body must end with the proxy");
    let gone = tokio::net::TcpStream::connect(addr).await;
    assert!(gone.is_err(), "nobody listens any more");
}

/// Prints the latency that the proxy adds; run with `--ignored --nocapture`, in release.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "a measurement"]
async fn measure_added_latency() {
    let server = Server::start(|_, stream| stream.write_all(&ok(&"x".repeat(2000))).is_ok());
    let proxy = proxy_for(&server).await;
    for clients in [1usize, 6, 12] {
        let direct = median(server.addr, "", &server, clients).await;
        let origin = format!("http://{}", server.addr);
        let through = median(proxy.addr(), &origin, &server, clients).await;
        println!(
            "{clients} connections: direct {} us, through the proxy {} us, added {} us",
            direct.as_micros(),
            through.as_micros(),
            through.saturating_sub(direct).as_micros()
        );
    }
}

async fn median(addr: SocketAddr, origin: &str, server: &Server, clients: usize) -> Duration {
    let request = format!("GET {origin}/p HTTP/1.1\r\nHost: {}\r\n\r\n", server.addr);
    let one = move |request: String| {
        let mut stream = connect(addr);
        let mut times = Vec::new();
        for _ in 0..1000 {
            let started = Instant::now();
            stream.write_all(request.as_bytes()).expect("a request");
            let mut length = 0;
            let mut part = [0; 8192];
            while length < 2000 {
                length += stream.read(&mut part).expect("an answer");
            }
            times.push(started.elapsed());
        }
        times
    };
    let tasks: Vec<_> = (0..clients)
        .map(|_| {
            let request = request.clone();
            tokio::task::spawn_blocking(move || one(request))
        })
        .collect();
    let mut times = Vec::new();
    for task in tasks {
        times.extend(task.await.expect("a client"));
    }
    times.sort();
    times[times.len() / 2]
}
