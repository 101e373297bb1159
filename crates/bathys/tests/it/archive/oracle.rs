//! Software that we did not write: it decides whether what we write is what it should be.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Starting pywb takes seconds, more on a machine that is busy.
const PATIENCE: Duration = Duration::from_secs(120);

fn checkout() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned()
}

/// A program of the virtual environment that `make check` makes.
pub fn program(name: &str) -> Command {
    let path = checkout().join(".venv/bin").join(name);
    assert!(path.exists(), "{name} is not installed: run 'make check', which makes .venv");
    Command::new(path)
}

/// One of the scripts that ask such software.
pub fn script(name: &str) -> Command {
    let mut python = program("python");
    python.arg(checkout().join("scripts/oracles").join(name));
    python
}

/// What a program wrote, when it is content.
#[track_caller]
pub fn content(command: &mut Command) -> String {
    let ended = command.output().unwrap();
    let said = String::from_utf8_lossy(&ended.stdout).into_owned();
    let errors = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{command:?}: {said}\n{errors}");
    said
}

/// pywb with one collection, called `c`.
pub struct Pywb {
    child: Child,
    port: u16,
}

impl Pywb {
    /// Replays this file, from a directory of its own.
    pub fn replay(warc: &Path, directory: &Path) -> Self {
        std::fs::create_dir_all(directory).unwrap();
        content(program("wb-manager").args(["init", "c"]).current_dir(directory));
        content(program("wb-manager").args(["add", "c"]).arg(warc).current_dir(directory));
        std::fs::write(directory.join("config.yaml"), "framed_replay: false\n").unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let child = program("wayback")
            .args(["-b", "127.0.0.1", "-p", &port.to_string()])
            .current_dir(directory)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let pywb = Self { child, port };
        let deadline = Instant::now() + PATIENCE;
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < deadline, "pywb does not answer");
            std::thread::sleep(Duration::from_millis(100));
        }
        pywb
    }

    /// Where it shows something: `20260131235959/http://…`, `cdx?url=…`.
    pub fn url(&self, of: &str) -> String {
        format!("http://127.0.0.1:{}/c/{of}", self.port)
    }

    /// What it answers, without the head.
    #[track_caller]
    pub fn ask(&self, of: &str) -> Vec<u8> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        write!(stream, "GET /c/{of} HTTP/1.0\r\nHost: 127.0.0.1:{}\r\n\r\n", self.port).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let end = answer.windows(4).position(|end| end == b"\r\n\r\n").unwrap();
        let head = String::from_utf8_lossy(&answer[..end]).into_owned();
        assert!(head.lines().next().unwrap().contains(" 200 "), "{of}: {head}");
        answer.split_off(end + 4)
    }
}

impl Drop for Pywb {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
