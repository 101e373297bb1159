//! A keep-alive HTTP client of one connection, so that the tests see what is on the wire.

use axum::body::{Body, to_bytes};
use axum::http::{Method, Request, StatusCode, header};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use testsite::Running;
use tokio::net::TcpStream;

/// Larger than any page of these sites.
const BODY_CAP: usize = 64 << 20;

pub struct Client {
    sender: SendRequest<Body>,
}

pub struct Answer {
    pub status: StatusCode,
    pub headers: axum::http::HeaderMap,
    pub body: String,
}

impl Client {
    pub async fn connect(site: &Running) -> Client {
        let stream = TcpStream::connect(site.addr()).await.expect("connect");
        let (sender, connection) = handshake(TokioIo::new(stream)).await.expect("handshake");
        tokio::spawn(connection);
        Client { sender }
    }

    pub async fn get(&mut self, path: &str) -> Answer {
        self.send(Method::GET, path, "").await
    }

    pub async fn send(&mut self, method: Method, path: &str, form: &'static str) -> Answer {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(header::HOST, "127.0.0.1")
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(Body::from(form))
            .expect("a valid request");
        self.sender.ready().await.expect("the connection is kept alive");
        let (head, body) = self.sender.send_request(request).await.expect("an answer").into_parts();
        let bytes = to_bytes(Body::new(body), BODY_CAP).await.expect("a whole body");
        Answer {
            status: head.status,
            headers: head.headers,
            body: String::from_utf8(bytes.to_vec()).expect("UTF-8"),
        }
    }
}

impl Answer {
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).expect("JSON")
    }
}
