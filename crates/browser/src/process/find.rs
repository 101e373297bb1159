//! Which Chromium to run.

use std::path::{Path, PathBuf};

use super::LaunchError;

/// The two kinds of Chromium that are driven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// `chromium-headless-shell`: small, starts fast, frames on demand. The tested engine.
    HeadlessShell,
    /// Full Chromium in its headless mode: the fallback.
    Chromium,
}

/// A Chromium on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Executable {
    /// Where it is.
    pub path: PathBuf,
    /// Which kind it is.
    pub engine: Engine,
}

/// Names to look for, the best first. Debian's names in `/usr/bin` are shell scripts that stay in
/// between, so the program behind the script is tried before it.
const NAMES: &[(&str, Engine)] = &[
    ("/usr/lib/chromium/chromium-headless-shell", Engine::HeadlessShell),
    ("chromium-headless-shell", Engine::HeadlessShell),
    ("chrome-headless-shell", Engine::HeadlessShell),
    ("headless_shell", Engine::HeadlessShell),
    ("/usr/lib/chromium/chromium", Engine::Chromium),
    ("chromium", Engine::Chromium),
    ("chromium-browser", Engine::Chromium),
    ("google-chrome", Engine::Chromium),
];

/// The named executable, or the best one in `PATH`.
///
/// ```no_run
/// let chromium = browser::process::find(None)?;
/// println!("{} ({:?})", chromium.path.display(), chromium.engine);
/// # Ok::<(), browser::LaunchError>(())
/// ```
pub fn find(named: Option<&Path>) -> Result<Executable, LaunchError> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    find_in(named, &folders)
}

fn find_in(named: Option<&Path>, folders: &[PathBuf]) -> Result<Executable, LaunchError> {
    if let Some(path) = named {
        let path = path.to_owned();
        if !path.is_file() {
            return Err(LaunchError::NoSuchExecutable { path });
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let shell = name.contains("headless");
        let engine = if shell { Engine::HeadlessShell } else { Engine::Chromium };
        return Ok(Executable { path, engine });
    }
    for (name, engine) in NAMES {
        let absolute = Path::new(name).is_absolute();
        let places = if absolute { &[PathBuf::new()] } else { folders };
        let found = places.iter().map(|folder| folder.join(name)).find(|path| path.is_file());
        if let Some(path) = found {
            return Ok(Executable { path, engine: *engine });
        }
    }
    Err(LaunchError::NotFound)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_browser_is_an_error_that_says_what_to_install() {
        let error = LaunchError::NotFound.to_string();
        assert!(error.contains("apt-get install chromium-headless-shell"), "{error}");
    }

    #[test]
    fn a_named_executable_must_exist() {
        let error = find_in(Some(Path::new("/nowhere/chromium")), &[]).expect_err("not there");
        assert!(error.to_string().contains("/nowhere/chromium"), "{error}");
    }

    #[test]
    fn the_kind_of_a_named_executable_follows_from_its_name() {
        let folder = std::env::temp_dir().join(format!("bathys-find-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        for (name, engine) in
            [("my-headless-thing", Engine::HeadlessShell), ("chrome", Engine::Chromium)]
        {
            let path = folder.join(name);
            std::fs::write(&path, "").expect("a file");
            assert_eq!(find_in(Some(&path), &[]).expect("found").engine, engine);
        }
        std::fs::remove_dir_all(&folder).expect("swept");
    }
}
