//! A server that answers with exactly the bytes it is told to, right or wrong.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use url::Url;

/// A request as it came over the wire.
#[derive(Debug, Clone, Default)]
pub struct Asked {
    pub line: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Asked {
    pub fn path(&self) -> &str {
        self.line.split(' ').nth(1).unwrap_or_default()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter();
        found.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

/// Listens on a free port of 127.0.0.1, a thread a connection, until dropped.
pub struct Server {
    pub addr: SocketAddr,
    pub asked: Arc<Mutex<Vec<Asked>>>,
    pub connections: Arc<AtomicUsize>,
}

impl Server {
    /// `answer` writes the response; returning false closes the connection.
    pub fn start(answer: impl Fn(&Asked, &mut TcpStream) -> bool + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let addr = listener.local_addr().expect("an address");
        let asked = Arc::new(Mutex::new(Vec::new()));
        let connections = Arc::new(AtomicUsize::new(0));
        let (log, count, answer) = (asked.clone(), connections.clone(), Arc::new(answer));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                count.fetch_add(1, Ordering::SeqCst);
                let (log, answer) = (log.clone(), answer.clone());
                thread::spawn(move || serve(stream, &log, answer.as_ref()));
            }
        });
        Self { addr, asked, connections }
    }

    /// Answers every request with the same bytes and closes.
    pub fn fixed(response: impl Into<Vec<u8>>) -> Self {
        let response = response.into();
        Self::start(move |_, stream| {
            let _ = stream.write_all(&response);
            false
        })
    }

    pub fn url(&self, path: &str) -> Url {
        Url::parse(&format!("http://{}{path}", self.addr)).expect("a URL")
    }

    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().expect("the log").clone()
    }

    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

fn serve(
    stream: TcpStream,
    log: &Mutex<Vec<Asked>>,
    answer: &dyn Fn(&Asked, &mut TcpStream) -> bool,
) {
    let _ = stream.set_nodelay(true);
    let _ = stream.set_read_timeout(Some(Duration::from_secs(20)));
    let Ok(mut writer) = stream.try_clone() else {
        return;
    };
    let mut reader = BufReader::new(stream);
    while let Some(asked) = read_request(&mut reader) {
        log.lock().expect("the log").push(asked.clone());
        if !answer(&asked, &mut writer) {
            return;
        }
    }
}

fn read_request(reader: &mut impl BufRead) -> Option<Asked> {
    let mut asked = Asked::default();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let line = line.trim_end();
        if asked.line.is_empty() {
            line.clone_into(&mut asked.line);
        } else if let Some((name, value)) = line.split_once(": ") {
            asked.headers.push((name.to_owned(), value.to_owned()));
        } else {
            break;
        }
    }
    let length = asked.header("content-length").map_or(0, |n| n.parse().unwrap_or(0));
    asked.body = vec![0; length];
    reader.read_exact(&mut asked.body).ok()?;
    Some(asked)
}

/// A 200 with a length, which keeps the connection.
pub fn ok(body: &str) -> Vec<u8> {
    with_headers("", body.as_bytes())
}

/// A 200 with a length and more header lines, each ended by CRLF.
pub fn with_headers(lines: &str, body: &[u8]) -> Vec<u8> {
    let mut bytes =
        format!("HTTP/1.1 200 OK\r\n{lines}Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

/// A redirect to `location`.
pub fn redirect(status: u16, location: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status} Moved\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n").into()
}
