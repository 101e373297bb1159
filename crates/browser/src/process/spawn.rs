//! Starting the process, and making sure that it ends.

use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, IntoRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};
use tokio::sync::{oneshot, watch};

use super::{Executable, LaunchError, Profile};

/// A running Chromium. Dropping it kills the whole process group and removes the profile.
pub(crate) struct Process {
    pid: u32,
    /// The process group while it exists; `None` from the moment its number may be reused.
    group: Arc<Mutex<Option<Pid>>>,
    ended: watch::Receiver<bool>,
}

/// Our ends of the debugging pipe.
pub(crate) struct PipeEnds {
    pub read: OwnedFd,
    pub write: OwnedFd,
}

impl Process {
    /// Starts Chromium with the debugging pipe on its descriptors 3 and 4.
    pub async fn spawn(
        executable: &Executable,
        switches: &[String],
        profile: Profile,
    ) -> Result<(Process, PipeEnds), LaunchError> {
        let failed = |source| LaunchError::Spawn { path: executable.path.clone(), source };
        let (commands_out, commands_in) = pipe_pair().map_err(failed)?;
        let (answers_out, answers_in) = pipe_pair().map_err(failed)?;
        let mut command = Command::new(&executable.path);
        command
            .args(switches)
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0);
        hand_over(&mut command, commands_out, answers_in);

        let group = Arc::new(Mutex::new(None));
        let (ended_sender, ended) = watch::channel(false);
        let (started_sender, started) = oneshot::channel();
        let shared = group.clone();
        // The kernel sends the death signal when the *thread* that forked ends, so the fork needs
        // a thread that lives as long as the browser. It has nothing else to do but wait for it.
        std::thread::Builder::new()
            .name("chromium".into())
            .spawn(move || watch_over(command, profile, &shared, started_sender, &ended_sender))
            .map_err(failed)?;
        let pid = match started.await {
            Ok(Ok(pid)) => pid,
            Ok(Err(source)) => return Err(failed(source)),
            Err(_) => return Err(failed(std::io::ErrorKind::BrokenPipe.into())),
        };
        let ends = PipeEnds { read: answers_out, write: commands_in };
        Ok((Process { pid, group, ended }, ends))
    }

    /// The process number of the browser process.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Kills the browser and all its children.
    pub fn kill(&self) {
        let group = self.group.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(group) = *group {
            let _ = rustix::process::kill_process_group(group, Signal::KILL);
        }
    }

    /// Waits until the process has ended and nothing of it is left; kills it after this time.
    pub async fn end(&self, patience: Duration) {
        let mut ended = self.ended.clone();
        let gone = ended.wait_for(|ended| *ended);
        if tokio::time::timeout(patience, gone).await.is_err() {
            self.kill();
            let mut ended = self.ended.clone();
            let _ = tokio::time::timeout(patience, ended.wait_for(|ended| *ended)).await;
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The thread of a browser: starts it, waits for it, cleans up after it.
fn watch_over(
    mut command: Command,
    profile: Profile,
    group: &Mutex<Option<Pid>>,
    started: oneshot::Sender<std::io::Result<u32>>,
    ended: &watch::Sender<bool>,
) {
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => {
            let _ = started.send(Err(error));
            return;
        }
    };
    // The command holds the child's ends of the pipe: closed here, an ended browser is seen at once.
    drop(command);
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    *group.lock().unwrap_or_else(PoisonError::into_inner) = pid;
    if started.send(Ok(child.id())).is_err()
        && let Some(pid) = pid
    {
        // Whoever asked for a browser is gone already.
        let _ = rustix::process::kill_process_group(pid, Signal::KILL);
    }
    if let Some(pid) = pid {
        // Looking without reaping keeps the number taken while the group is killed.
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while let Err(rustix::io::Errno::INTR) = rustix::process::waitid(WaitId::Pid(pid), look) {}
        let mut group = group.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = rustix::process::kill_process_group(pid, Signal::KILL);
        *group = None;
    }
    let _ = child.wait();
    // A killed process needs a moment to go, and its files are removed after it.
    let deadline = Instant::now() + Duration::from_secs(2);
    while group_is_alive(child.id()) && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(2));
    }
    drop(profile);
    ended.send_replace(true);
}

/// Whether a process of this group still runs. A zombie does not: where nobody reaps orphans it
/// stays for ever.
fn group_is_alive(leader: u32) -> bool {
    let Ok(processes) = std::fs::read_dir("/proc") else {
        return false;
    };
    let leader = leader.to_string();
    processes.flatten().any(|process| {
        let stat = std::fs::read_to_string(process.path().join("stat")).unwrap_or_default();
        let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
        let mut fields = fields.split_ascii_whitespace();
        fields.next().is_some_and(|state| state != "Z") && fields.nth(1) == Some(leader.as_str())
    })
}

/// A pipe whose ends no other child of ours inherits: a second browser that held the first one's
/// pipe would keep it alive after our death.
fn pipe_pair() -> std::io::Result<(OwnedFd, OwnedFd)> {
    let (read, write) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
    Ok((above_the_standard_ones(&read)?, above_the_standard_ones(&write)?))
}

/// The same pipe end under a number above those that the child needs for itself.
fn above_the_standard_ones(end: &OwnedFd) -> std::io::Result<OwnedFd> {
    Ok(rustix::io::fcntl_dupfd_cloexec(end, 10)?)
}

/// Gives the child these pipe ends as 3 (commands) and 4 (answers), and our death as its own.
fn hand_over(command: &mut Command, commands: OwnedFd, answers: OwnedFd) {
    let parent = rustix::process::getpid();
    let in_child = move || -> std::io::Result<()> {
        place(commands.as_fd(), 3)?;
        place(answers.as_fd(), 4)?;
        rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
        // Killed between the fork and the line above, we would never have sent it.
        if rustix::process::getppid() != Some(parent) {
            return Err(rustix::io::Errno::SRCH.into());
        }
        Ok(())
    };
    // SAFETY: the closure runs between fork and exec. It makes only system calls (dup2, prctl,
    // getppid), allocates nothing and takes no lock, so it is async-signal-safe.
    unsafe {
        command.pre_exec(in_child);
    }
}

fn place(end: BorrowedFd<'_>, number: i32) -> std::io::Result<()> {
    debug_assert!(end.as_raw_fd() >= 10);
    // SAFETY: the number is not owned by anything in the child between fork and exec; after dup2
    // it is leaked on purpose, so that it is open in the new program.
    let mut target = unsafe { OwnedFd::from_raw_fd(number) };
    let placed = rustix::io::dup2(end, &mut target);
    let _ = target.into_raw_fd();
    Ok(placed?)
}
