//! Running the binary, and what came of it.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

/// Longer than anything here takes on a slow machine.
const PATIENCE: Duration = Duration::from_secs(600);

/// A directory of its own, where the program runs and its browsers keep their profiles.
pub struct Scratch {
    path: PathBuf,
    /// Removes the directory when dropped, or keeps others out of it.
    _held: Held,
}

enum Held {
    Temporary { _directory: TempDir },
    Lasting { _lock: File },
}

impl Scratch {
    pub fn new() -> Self {
        let directory = TempDir::new().unwrap();
        let path = directory.path().to_owned();
        std::fs::create_dir(path.join("tmp")).unwrap();
        Self { path, _held: Held::Temporary { _directory: directory } }
    }

    /// One for a static, which is never dropped: emptied when it is next used, so that runs do not
    /// pile up.
    pub fn lasting(name: &str) -> Self {
        let home = Path::new(env!("CARGO_TARGET_TMPDIR"));
        for count in 0.. {
            let path = home.join(format!("{name}-{count}"));
            std::fs::create_dir_all(home).unwrap();
            let lock = File::create(path.with_extension("lock")).unwrap();
            if lock.try_lock().is_ok() {
                let _ = std::fs::remove_dir_all(&path);
                std::fs::create_dir_all(path.join("tmp")).unwrap();
                return Self { path, _held: Held::Lasting { _lock: lock } };
            }
        }
        unreachable!("some count is free")
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    /// The program with these arguments, and nothing from the caller's environment that concerns it.
    pub fn bathys(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bathys"));
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("BATHYS_") || name == "COLUMNS" {
                command.env_remove(name);
            }
        }
        command
            .args(arguments)
            .current_dir(self.path())
            .env("TMPDIR", self.path().join("tmp"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Ended {
        Started::new(&mut self.bathys(arguments)).end()
    }
}

/// A program that runs. Dropping it kills it.
pub struct Started {
    child: Child,
    stdout: std::thread::JoinHandle<Vec<u8>>,
    stderr: std::thread::JoinHandle<Vec<u8>>,
}

impl Started {
    pub fn new(command: &mut Command) -> Self {
        let mut child = command.spawn().unwrap();
        let drain = |mut pipe: Box<dyn Read + Send>| {
            std::thread::spawn(move || {
                let mut bytes = Vec::new();
                pipe.read_to_end(&mut bytes).unwrap();
                bytes
            })
        };
        let stdout =
            child.stdout.take().map_or(Box::new(std::io::empty()) as _, |p| Box::new(p) as _);
        let stderr =
            child.stderr.take().map_or(Box::new(std::io::empty()) as _, |p| Box::new(p) as _);
        Self { child, stdout: drain(stdout), stderr: drain(stderr) }
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Ctrl-C.
    pub fn interrupt(&self) {
        let pid = Pid::from_raw(i32::try_from(self.id()).unwrap()).unwrap();
        kill_process(pid, Signal::INT).unwrap();
    }

    /// `kill -9`, and the end of the process itself; what it started may live a moment longer.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Waits for its end.
    pub fn end(mut self) -> Ended {
        let deadline = Instant::now() + PATIENCE;
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            if Instant::now() > deadline {
                self.child.kill().unwrap();
                panic!("still running after {PATIENCE:?}");
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        let text = |bytes: std::thread::JoinHandle<Vec<u8>>| bytes.join().unwrap();
        Ended {
            code: status.code(),
            stdout: text(self.stdout),
            stderr: String::from_utf8(text(self.stderr)).unwrap(),
        }
    }
}

/// How a run ended.
#[derive(Debug)]
pub struct Ended {
    /// `None` when a signal ended it.
    pub code: Option<i32>,
    pub stdout: Vec<u8>,
    pub stderr: String,
}

impl Ended {
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.stdout).unwrap()
    }

    /// What it wrote, when all went well.
    #[track_caller]
    pub fn ok(&self) -> &str {
        assert_eq!(self.code, Some(0), "{}\n{}", self.text(), self.stderr);
        self.text()
    }

    /// Stdout as exactly one JSON object on one line.
    #[track_caller]
    pub fn json(&self) -> Value {
        let [object] = &self.json_lines()[..] else {
            panic!("not one object: {}\n{}", self.text(), self.stderr);
        };
        object.clone()
    }

    /// Stdout as JSON Lines, each an object.
    #[track_caller]
    pub fn json_lines(&self) -> Vec<Value> {
        let read =
            |line: &str| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
        let lines: Vec<Value> = self.text().lines().map(read).collect();
        assert!(lines.iter().all(Value::is_object), "{}", self.text());
        lines
    }

    /// That it failed with this code and said why as every error must: what, where, what next, in
    /// one or two lines, without a backtrace, and nothing on stdout that a script would read.
    #[track_caller]
    pub fn failed(&self, code: i32, says: &[&str]) {
        assert_eq!(self.code, Some(code), "{}\n{}", self.text(), self.stderr);
        assert_eq!(self.text(), "");
        assert!(self.stderr.starts_with("error: "), "{}", self.stderr);
        assert!((1..=2).contains(&self.stderr.lines().count()), "{}", self.stderr);
        assert!(!self.stderr.contains("backtrace") && !self.stderr.contains("panicked"));
        for part in says {
            assert!(self.stderr.contains(part), "no '{part}' in: {}", self.stderr);
        }
    }
}

/// That an object has all these fields. More may be added to the contract, none taken away.
#[track_caller]
pub fn has_fields(object: &Value, fields: &[&str]) {
    for field in fields {
        let pointer = format!("/{}", field.replace('.', "/"));
        assert!(object.pointer(&pointer).is_some(), "no '{field}' in {object:#}");
    }
}

/// That a value is an RFC 3339 time in UTC.
#[track_caller]
pub fn is_time(value: &Value) {
    let text = value.as_str().unwrap_or_default();
    assert!(text.ends_with('Z') && text.parse::<jiff::Timestamp>().is_ok(), "{value} is no time");
}
