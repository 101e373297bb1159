use std::io::Write;
use std::process::Stdio;
use std::time::Duration;

use browser::http::AddressRule;
use browser::proxy::{Proxy, ProxyOptions};
use tokio::process::Command;

use crate::server::{Server, with_headers};

const BROWSERS: [&str; 2] = ["chromium-headless-shell", "chromium"];

/// The page asks for a neighbour on loopback in three ways and writes down what it got.
fn page(neighbour: &Server) -> String {
    format!(
        "<body><p id=out></p><script>
        const say = t => document.getElementById('out').append(t + ' ');
        const ws = new WebSocket('ws://' + location.host + '/socket');
        ws.onerror = () => say('socket-closed');
        fetch('/own').then(r => r.text()).then(t => say('own=' + t));
        fetch('http://{0}/secret', {{mode: 'no-cors'}}).then(() => say('answered'));
        new WebSocket('ws://{0}/socket').onerror = () => say('neighbour-socket-closed');
        </script>",
        neighbour.addr
    )
}

#[tokio::test]
async fn chromium_reaches_named_hosts_through_the_proxy_and_nothing_else() {
    let secret = Server::fixed(with_headers("", b"secret"));
    let html = page(&secret);
    let server = Server::start(move |asked, stream| {
        let response = match asked.path() {
            "/" => with_headers("Content-Type: text/html\r\n", html.as_bytes()),
            "/own" => with_headers("", b"fetched"),
            _ => b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".to_vec(),
        };
        stream.write_all(&response).is_ok()
    });
    let rule = AddressRule::public_only().allow_named("127.0.0.1", server.addr.port());
    let proxy = Proxy::start(ProxyOptions::new(rule)).await.expect("a proxy");
    let dom = dump_dom(&proxy, server.url("/").as_str()).await;
    assert!(dom.contains("own=fetched"), "{dom}");
    assert!(dom.contains("socket-closed"), "{dom}");

    let upgraded = server.asked().iter().any(|asked| asked.header("upgrade") == Some("websocket"));
    assert!(upgraded, "ws:// goes through CONNECT: {:?}", server.asked());
    assert_eq!(secret.connections(), 0);
    assert!(proxy.stats().requests >= 2 && proxy.stats().tunnels >= 1);
    let refused = proxy.refused();
    assert!(refused.iter().any(|target| target.port == secret.addr.port()), "{refused:?}");
}

async fn dump_dom(proxy: &Proxy, url: &str) -> String {
    let profile = std::env::temp_dir().join(format!("bathys-net-{}", std::process::id()));
    let mut output = None;
    for browser in BROWSERS {
        let run = Command::new(browser)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"])
            .arg("--virtual-time-budget=3000")
            .arg(format!("--user-data-dir={}", profile.display()))
            .args(proxy.chromium_flags())
            .arg(url)
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .output();
        let run = tokio::time::timeout(Duration::from_secs(60), run).await;
        if let Ok(found) = run.expect("the browser ends by itself") {
            output = Some(found);
            break;
        }
    }
    let _ = std::fs::remove_dir_all(&profile);
    let output = output.expect("chromium-headless-shell or chromium is installed");
    String::from_utf8_lossy(&output.stdout).into_owned()
}
