//! Profile directories: one a browser, named after the process that made it, so that those of a
//! killed run can be told from those in use.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use super::LaunchError;

const PREFIX: &str = "bathys-browser-";

/// A fresh profile directory, removed when dropped.
#[derive(Debug)]
pub(crate) struct Profile {
    path: PathBuf,
}

impl Profile {
    /// Makes `bathys-browser-<pid>-<start time>-<count>` in this directory.
    pub fn create(parent: &Path) -> Result<Profile, LaunchError> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let pid = std::process::id();
        let started = start_time(pid).unwrap_or(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = parent.join(format!("{PREFIX}{pid}-{started}-{count}"));
        match std::fs::create_dir_all(&path) {
            Ok(()) => Ok(Profile { path }),
            Err(source) => Err(LaunchError::Profile { path, source }),
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Profile {
    fn drop(&mut self) {
        // What cannot be removed now is swept at the next start.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

/// Removes the profiles of processes that are gone.
pub(crate) fn sweep(parent: &Path) {
    let Ok(entries) = std::fs::read_dir(parent) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let owner = name.to_str().and_then(owner);
        if let Some((pid, started)) = owner
            && start_time(pid) != Some(started)
        {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// The process that made a profile of this name, and when it had started.
fn owner(name: &str) -> Option<(u32, u64)> {
    let mut parts = name.strip_prefix(PREFIX)?.split('-');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

/// When a process started, in clock ticks since boot: with it a process number is unique.
fn start_time(pid: u32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of the program is in brackets and may hold anything; fields are counted after it.
    let (_, fields) = stat.rsplit_once(')')?;
    fields.split_ascii_whitespace().nth(19)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_profiles_of_processes_that_are_gone_are_swept() {
        let parent = std::env::temp_dir().join(format!("bathys-sweep-{}", std::process::id()));
        let mine = Profile::create(&parent).expect("a profile");
        let dead = parent.join(format!("{PREFIX}4194999-77-0"));
        let reused = parent.join(format!("{PREFIX}{}-1-0", std::process::id()));
        let foreign = parent.join("someone-elses-4194999-77-0");
        for path in [&dead, &reused, &foreign] {
            std::fs::create_dir_all(path.join("Default")).expect("a folder");
        }
        sweep(&parent);
        assert!(mine.path().exists());
        assert!(foreign.exists());
        assert!(!dead.exists());
        assert!(!reused.exists());
        std::fs::remove_dir_all(&parent).expect("swept");
    }
}
