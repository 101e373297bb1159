//! A tiny web server on loopback: a function from requests to responses, and a log.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Request {
    pub method: String,
    pub path: String,
    pub head: String,
    pub body: String,
}

impl Request {
    /// A header by its lowercase name.
    pub fn header(&self, name: &str) -> Option<String> {
        self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
        })
    }
}

/// What to answer.
#[derive(Clone, Default)]
pub struct Response {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    pub delay: Duration,
    /// Sent again and again after the body, for ever.
    pub endless: Option<(Vec<u8>, Duration)>,
}

impl Response {
    pub fn new(status: u16, kind: &str, body: impl Into<Vec<u8>>) -> Response {
        let headers = vec![("content-type".to_owned(), kind.to_owned())];
        Response { status, headers, body: body.into(), ..Response::default() }
    }

    pub fn html(body: impl Into<Vec<u8>>) -> Response {
        Response::new(200, "text/html; charset=utf-8", body)
    }

    pub fn redirect(to: &str) -> Response {
        Response::new(302, "text/plain", "").with("location", to)
    }

    pub fn missing() -> Response {
        Response::new(404, "text/html", "<h1>not found</h1>")
    }

    pub fn with(mut self, name: &str, value: &str) -> Response {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn after(mut self, delay: Duration) -> Response {
        self.delay = delay;
        self
    }

    pub fn endless(mut self, chunk: impl Into<Vec<u8>>, pause: Duration) -> Response {
        self.endless = Some((chunk.into(), pause));
        self
    }
}

type Answer = dyn Fn(&Request) -> Response + Send + Sync;

/// A running server.
pub struct Site {
    pub port: u16,
    log: Arc<Mutex<Vec<Request>>>,
    task: tokio::task::JoinHandle<()>,
}

impl Site {
    pub async fn serve(answer: impl Fn(&Request) -> Response + Send + Sync + 'static) -> Site {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let log: Arc<Mutex<Vec<Request>>> = Arc::default();
        let (answer, seen): (Arc<Answer>, _) = (Arc::new(answer), log.clone());
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(talk(stream, answer.clone(), seen.clone()));
            }
        });
        Site { port, log, task }
    }

    /// One page at `/`, everything else missing.
    pub async fn page(html: &'static str) -> Site {
        Site::serve(move |request| match request.path.as_str() {
            "/" => Response::html(html),
            _ => Response::missing(),
        })
        .await
    }

    pub fn url(&self, path: &str) -> url::Url {
        format!("http://127.0.0.1:{}{path}", self.port).parse().expect("a url")
    }

    /// The same server under another name: another site for the browser.
    pub fn other_name(&self, path: &str) -> url::Url {
        format!("http://localhost:{}{path}", self.port).parse().expect("a url")
    }

    pub fn log(&self) -> Vec<Request> {
        self.log.lock().expect("the log").clone()
    }

    /// `GET /x` lines of the log, the favicon left out.
    pub fn lines(&self) -> Vec<String> {
        let log = self.log();
        let shown = log.iter().filter(|request| request.path != "/favicon.ico");
        shown.map(|request| format!("{} {}", request.method, request.path)).collect()
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn talk(mut stream: TcpStream, answer: Arc<Answer>, log: Arc<Mutex<Vec<Request>>>) {
    let Some(request) = read_request(&mut stream).await else {
        return;
    };
    log.lock().expect("the log").push(request.clone());
    let response = answer(&request);
    tokio::time::sleep(response.delay).await;
    let mut head = format!("HTTP/1.1 {} X\r\nconnection: close\r\n", response.status);
    for (name, value) in &response.headers {
        head += &format!("{name}: {value}\r\n");
    }
    let is_told = response.headers.iter().any(|(name, _)| name == "content-length");
    if response.endless.is_none() && !is_told {
        head += &format!("content-length: {}\r\n", response.body.len());
    }
    head += "\r\n";
    if stream.write_all(head.as_bytes()).await.is_err()
        || stream.write_all(&response.body).await.is_err()
    {
        return;
    }
    if let Some((chunk, pause)) = response.endless {
        while stream.write_all(&chunk).await.is_ok() {
            tokio::time::sleep(pause).await;
        }
    }
    let _ = stream.shutdown().await;
}

async fn read_request(stream: &mut TcpStream) -> Option<Request> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|part| part == b"\r\n\r\n") {
            break end + 4;
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut first = head.lines().next()?.split(' ');
    let (method, path) = (first.next()?.to_owned(), first.next()?.to_owned());
    let mut request = Request { method, path, head, body: String::new() };
    let length: usize = request.header("content-length").and_then(|n| n.parse().ok()).unwrap_or(0);
    while bytes.len() < end + length {
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
    request.body = String::from_utf8_lossy(&bytes[end..end + length]).into_owned();
    Some(request)
}
