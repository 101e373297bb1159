//! A throw-away PostgreSQL server on loopback, made of the system's own packages.

use std::fs;
use std::io;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// The server goes down when its standard input ends: that is, with whoever started it, however that
/// ends. It cannot run as root; `postgres` is the user that Debian's package makes.
const SCRIPT: &str = r#"
dir=$1 bin=$2 port=$3
as=
if [ "$(id -u)" = 0 ]; then
    chown -R postgres "$dir"
    as="setpriv --reuid=postgres --regid=postgres --clear-groups"
fi
trap 'rm -rf "$dir"' EXIT
cd "$dir"
$as "$bin/initdb" -D data -U bathys -A trust -E UTF8 --no-locale --no-sync >>log 2>&1 ||
    { echo FATAL: initdb failed >>log; read -r _; exit 1; }
[ -e server.key ] && ssl="-c ssl=on -c ssl_cert_file=$dir/server.crt -c ssl_key_file=$dir/server.key"
# shellcheck disable=SC2086
$as "$bin/postgres" -D data -k "$dir" -h 127.0.0.1 -p "$port" -F $ssl \
    -c max_connections=200 -c autovacuum_naptime=5s >>log 2>&1 &
server=$!
read -r _
kill -QUIT $server
wait $server
"#;
const READY: &str = "database system is ready to accept connections";
const PATIENCE: Duration = Duration::from_secs(60);

/// A running server, gone when it is dropped or the process ends.
pub struct Postgres {
    child: Child,
    bin: PathBuf,
    port: u16,
    databases: AtomicU32,
}

impl Postgres {
    /// Starts a server with no databases in it. Takes about a second.
    ///
    /// # Errors
    /// When PostgreSQL is not installed, or does not start.
    pub fn start() -> io::Result<Self> {
        Self::start_with(None)
    }

    /// Starts a server that offers TLS with this certificate and key, in PEM.
    ///
    /// # Errors
    /// When PostgreSQL is not installed, or does not start.
    pub fn start_secured(certificate: &str, key: &str) -> io::Result<Self> {
        Self::start_with(Some((certificate, key)))
    }

    fn start_with(tls: Option<(&str, &str)>) -> io::Result<Self> {
        let bin = programs()?;
        // Between choosing a port and taking it, somebody else may.
        let mut failed = None;
        for _ in 0..5 {
            let port = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
            match Self::on_port(&bin, port, tls) {
                Ok(child) => {
                    return Ok(Self { child, bin, port, databases: AtomicU32::new(0) });
                }
                Err(error) => failed = Some(error),
            }
        }
        Err(failed.unwrap_or_else(|| io::Error::other("no port")))
    }

    fn on_port(bin: &Path, port: u16, tls: Option<(&str, &str)>) -> io::Result<Child> {
        let name = format!("bathys-postgres-{}-{port}", std::process::id());
        let dir = std::env::temp_dir().join(name);
        fs::create_dir_all(&dir)?;
        if let Some((certificate, key)) = tls {
            fs::write(dir.join("server.crt"), certificate)?;
            fs::write(dir.join("server.key"), key)?;
            restrict(&dir.join("server.key"))?;
        }
        let mut child = Command::new("sh")
            .args(["-c", SCRIPT, "sh"])
            .args([dir.as_os_str(), bin.as_os_str()])
            .arg(port.to_string())
            .stdin(Stdio::piped())
            .spawn()?;
        let began = Instant::now();
        loop {
            let log = fs::read_to_string(dir.join("log")).unwrap_or_default();
            if log.contains(READY) {
                return Ok(child);
            }
            if log.contains("FATAL") || began.elapsed() > PATIENCE {
                end(&mut child);
                return Err(io::Error::other(format!("PostgreSQL does not start: {log}")));
            }
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Makes an empty database, and says its URL.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn database(&self) -> io::Result<String> {
        let name = format!("crawl{}", self.databases.fetch_add(1, Ordering::Relaxed));
        let port = self.port.to_string();
        let made = Command::new(self.bin.join("createdb"))
            .args(["-h", "127.0.0.1", "-p", &port, "-U", "bathys", &name])
            .output()?;
        match made.status.success() {
            true => Ok(format!("postgres://bathys@127.0.0.1:{port}/{name}")),
            false => Err(io::Error::other(String::from_utf8_lossy(&made.stderr).into_owned())),
        }
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        end(&mut self.child);
    }
}

fn end(child: &mut Child) {
    drop(child.stdin.take());
    let _ = child.wait();
}

fn restrict(file: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(file, fs::Permissions::from_mode(0o600))
}

/// Where the newest PostgreSQL of this machine has its programs.
fn programs() -> io::Result<PathBuf> {
    let version = |path: &PathBuf| path.file_name()?.to_str()?.parse::<u32>().ok();
    let installed = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut versions: Vec<_> = installed.map(|entry| entry.path()).collect();
    versions.sort_by_key(version);
    let debian = versions.into_iter().rev().map(|path| path.join("bin"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let places = debian.chain(std::env::split_paths(&path));
    let mut places = places.filter(|bin| bin.join("initdb").exists());
    places.next().ok_or_else(|| {
        io::Error::other("PostgreSQL is not installed: run scripts/setup, or install 'postgresql'")
    })
}
