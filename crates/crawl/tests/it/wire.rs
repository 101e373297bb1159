//! A server that answers with exactly the bytes it is told to.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use url::Url;

/// Listens on a free port of 127.0.0.1, a connection a request, until dropped.
pub struct Server {
    port: u16,
    paths: Arc<Mutex<Vec<String>>>,
    task: tokio::task::JoinHandle<()>,
}

impl Server {
    /// Answers a path with these bytes, and with 404 where there are none.
    pub async fn start(answer: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        Self::with_heads(move |head| answer(head.split(' ').nth(1).unwrap_or_default())).await
    }

    /// Answers the head of a request.
    pub async fn with_heads(
        answer: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let paths: Arc<Mutex<Vec<String>>> = Arc::default();
        let (answer, log) = (Arc::new(answer), paths.clone());
        let task = tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let (answer, log) = (answer.clone(), log.clone());
                tokio::spawn(async move {
                    let mut head = vec![0; 8192];
                    let read = stream.read(&mut head).await.unwrap_or(0);
                    let head = String::from_utf8_lossy(&head[..read]);
                    let path = head.split(' ').nth(1).unwrap_or_default();
                    if path != "/robots.txt" && path != "/favicon.ico" {
                        log.lock().unwrap().push(path.to_owned());
                    }
                    let missing = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";
                    let bytes = answer(&head).unwrap_or_else(|| missing.to_owned());
                    let _ = stream.write_all(bytes.as_bytes()).await;
                    let _ = stream.shutdown().await;
                });
            }
        });
        Self { port, paths, task }
    }

    pub fn url(&self, path: &str) -> Url {
        Url::parse(&format!("http://127.0.0.1:{}{path}", self.port)).unwrap()
    }

    /// What was asked for, robots.txt and the icon left out.
    pub fn paths(&self) -> Vec<String> {
        self.paths.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// A page.
pub fn html(body: &str) -> Option<String> {
    Some(format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n{body}",
        body.len()
    ))
}

/// A redirect.
pub fn redirect(to: &str) -> Option<String> {
    Some(format!(
        "HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    ))
}
