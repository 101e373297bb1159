//! A throw-away S3 server on loopback: moto, from the Python packages that this project's checks use.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

/// It goes down when its standard input ends: that is, with whoever started it, however that ends.
const SCRIPT: &str = r#"
"$1" -H 127.0.0.1 -p 0 2>&1 </dev/null &
server=$!
read -r _
kill $server
wait $server
"#;
/// It believes any signature, but wants one of whoever removes something.
const AUTHORIZATION: &str = "AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/s3/aws4_request, \
     SignedHeaders=host, Signature=0";
const SAYS: &str = "Running on http://127.0.0.1:";

/// A running server, gone when it is dropped or the process ends.
pub struct S3 {
    child: Child,
    port: u16,
    buckets: AtomicU32,
}

impl S3 {
    /// Starts a server without buckets.
    ///
    /// # Errors
    /// When moto is not installed, or does not start.
    pub fn start() -> io::Result<Self> {
        let mut child = Command::new("sh")
            .args(["-c", SCRIPT, "sh"])
            .arg(program()?)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let output = child.stdout.take().ok_or_else(|| io::Error::other("no output"))?;
        let mut lines = BufReader::new(output).lines();
        let mut said = Vec::new();
        while let Some(line) = lines.next() {
            let line = line?;
            let port = line.split(SAYS).nth(1).and_then(|port| port.trim().parse().ok());
            if let Some(port) = port {
                // It logs each request: a pipe that nobody reads would stop it.
                thread::spawn(move || lines.for_each(drop));
                return Ok(Self { child, port, buckets: AtomicU32::new(0) });
            }
            said.push(line);
        }
        Err(io::Error::other(format!("moto does not start: {}", said.join(" "))))
    }

    /// Where it listens.
    pub fn endpoint(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Makes an empty bucket, and says its name.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn bucket(&self) -> io::Result<String> {
        let name = format!("crawl{}", self.buckets.fetch_add(1, Ordering::Relaxed));
        let answer = self.ask("PUT", &format!("/{name}"))?;
        match answer.starts_with("HTTP/1.1 200") {
            true => Ok(name),
            false => Err(io::Error::other(answer)),
        }
    }

    /// The names of the objects in a bucket, in order.
    ///
    /// # Errors
    /// When the server does not answer.
    pub fn objects(&self, bucket: &str) -> io::Result<Vec<String>> {
        let answer = self.ask("GET", &format!("/{bucket}?list-type=2"))?;
        let keys = answer.split("<Key>").skip(1);
        Ok(keys.filter_map(|rest| rest.split("</Key>").next()).map(str::to_owned).collect())
    }

    /// Removes an object.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn remove(&self, bucket: &str, object: &str) -> io::Result<()> {
        let answer = self.ask("DELETE", &format!("/{bucket}/{object}"))?;
        match answer.starts_with("HTTP/1.1 204") {
            true => Ok(()),
            false => Err(io::Error::other(answer)),
        }
    }

    fn ask(&self, method: &str, path: &str) -> io::Result<String> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        let host = format!("127.0.0.1:{}", self.port);
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 0\r\nConnection: close\r\n\
             Authorization: {AUTHORIZATION}\r\n\r\n"
        )?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer)
    }
}

impl Drop for S3 {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

fn program() -> io::Result<PathBuf> {
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2);
    let own = checkout.map(|root| root.join(".venv/bin"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let places = own.into_iter().chain(std::env::split_paths(&path));
    let mut found = places.map(|place| place.join("moto_server")).filter(|file| file.exists());
    found.next().ok_or_else(|| {
        io::Error::other("moto is not installed: run 'make check', which makes .venv")
    })
}
