//! robots.txt over real HTTP.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use browser::http::{AddressRule, Client, ClientOptions};
use crawl::robots::{Robots, Standing};
use url::Url;

/// Answers each request with the next of its answers, the last one again and again.
struct Server {
    addr: SocketAddr,
    asked: Arc<AtomicUsize>,
}

impl Server {
    fn start(answers: &[&str]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let addr = listener.local_addr().expect("an address");
        let asked = Arc::new(AtomicUsize::new(0));
        let count = asked.clone();
        let answers: Vec<String> = answers.iter().map(|&answer| answer.to_owned()).collect();
        let answers = Mutex::new(answers.into_iter().peekable());
        std::thread::spawn(move || {
            let mut last = String::new();
            for mut stream in listener.incoming().flatten() {
                let mut request = [0; 4096];
                let _ = stream.read(&mut request);
                count.fetch_add(1, Ordering::SeqCst);
                if let Some(next) = answers.lock().expect("the answers").next() {
                    last = next;
                }
                let _ = stream.write_all(last.as_bytes());
            }
        });
        Self { addr, asked }
    }

    fn url(&self, path: &str) -> Url {
        Url::parse(&format!("http://{}{path}", self.addr)).expect("a URL")
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }

    fn robots(&self) -> Robots {
        let rule = AddressRule::public_only().allow_named("127.0.0.1", self.addr.port());
        robots_under(rule)
    }
}

fn robots_under(rule: AddressRule) -> Robots {
    let agent = "bathys/1 (test)";
    Robots::new(Client::new(ClientOptions::new(agent, rule)).expect("a client"), agent)
}

fn answer(status: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}")
}

#[tokio::test]
async fn a_file_is_fetched_once_for_all_who_ask_and_obeyed() {
    let server = Server::start(&[&answer("200 OK", "User-agent: *\nDisallow: /no\n")]);
    let robots = server.robots();
    let (yes, no, also_no) = (server.url("/yes"), server.url("/no"), server.url("/no/2"));
    let (yes, no, also_no) =
        tokio::join!(robots.admits(&yes), robots.admits(&no), robots.admits(&also_no));
    assert!(yes.is_ok());
    assert!(no.is_err() && also_no.is_err());
    assert_eq!(server.asked(), 1);
}

#[tokio::test]
async fn no_file_allows_everything_and_a_broken_server_nothing() {
    for (status, allowed) in [
        ("404 Not Found", true),
        ("401 Unauthorized", true),
        ("403 Forbidden", true),
        ("410 Gone", true),
        ("429 Too Many Requests", false),
        ("500 Internal Server Error", false),
        ("503 Service Unavailable", false),
    ] {
        let server = Server::start(&[&answer(status, "User-agent: *\nDisallow: /only-this\n")]);
        let robots = server.robots();
        let admitted = robots.admits(&server.url("/page")).await;
        assert_eq!(admitted.is_ok(), allowed, "{status}: {admitted:?}");
        assert!(robots.admits(&server.url("/only-this")).await.is_ok() == allowed);
    }
}

#[tokio::test]
async fn five_redirects_are_followed_and_a_sixth_means_no_file() {
    let hop = "HTTP/1.1 302 Found\r\nLocation: /robots.txt?again\r\nContent-Length: 0\r\n\
               Connection: close\r\n\r\n";
    let file = answer("200 OK", "User-agent: *\nDisallow: /\n");
    let five = Server::start(&[hop, hop, hop, hop, hop, &file]);
    assert!(five.robots().admits(&five.url("/x")).await.is_err());
    let endless = Server::start(&[hop]);
    assert!(endless.robots().admits(&endless.url("/x")).await.is_ok());
    assert_eq!(endless.asked(), 6);
}

#[tokio::test]
async fn half_a_file_and_no_server_allow_nothing_and_say_why() {
    let half = "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\nUser-agent: *\nAllow: /\n";
    let server = Server::start(&[half]);
    let robots = server.robots();
    let refused = robots.admits(&server.url("/x")).await.expect_err("half a file");
    assert!(refused.to_string().contains("cannot be read"), "{refused}");

    let closed = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let addr = closed.local_addr().expect("an address");
    drop(closed);
    let rule = AddressRule::public_only().allow_named("127.0.0.1", addr.port());
    let robots = robots_under(rule);
    let url = Url::parse(&format!("http://{addr}/x")).expect("a URL");
    let rules = robots.rules(&url).await;
    assert!(matches!(rules.standing(), Standing::Unreachable(_)));
}

#[tokio::test]
async fn an_unreachable_file_is_asked_for_again_later_and_an_old_copy_used_meanwhile() {
    let broken = answer("503 Busy", "");
    let file = answer("200 OK", "User-agent: *\nDisallow: /no\n");
    let server = Server::start(&[&broken, &file, &broken]);
    let robots = server.robots();
    assert!(robots.admits(&server.url("/yes")).await.is_err());
    assert!(robots.admits(&server.url("/yes")).await.is_err());
    assert_eq!(server.asked(), 1, "not asked again at once");
    forward(6 * 60).await;
    assert!(robots.admits(&server.url("/yes")).await.is_ok());
    assert_eq!(server.asked(), 2);
    forward(25 * 3600).await;
    assert!(robots.admits(&server.url("/yes")).await.is_ok(), "the copy from before");
    assert!(robots.admits(&server.url("/no")).await.is_err());
    assert_eq!(server.asked(), 3);
}

/// Moves tokio's clock; sockets stay real.
async fn forward(seconds: u64) {
    tokio::time::pause();
    tokio::time::advance(std::time::Duration::from_secs(seconds)).await;
    tokio::time::resume();
}
