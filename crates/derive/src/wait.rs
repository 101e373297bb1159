//! What a crawl waits for, by name: whoever watches it shall know.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Something that a crawl waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    /// The host, with its port where that is not the usual one.
    pub host: String,
    /// What is waited for.
    pub reason: WaitReason,
    /// When it ends; `None` if that is not known.
    pub until: Option<Instant>,
}

/// Why a host is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitReason {
    /// The pause between two requests to it.
    Turn,
    /// It asked for a pause of this length (`Retry-After`).
    RetryAfter(Duration),
    /// It said that it is too much, and not for how long.
    Busy,
    /// Its robots.txt is being fetched.
    Robots,
}

/// As a line for the user: `example.org asked to wait 3600 s (Retry-After); 59:58 left`.
impl fmt::Display for Wait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let host = &self.host;
        match self.reason {
            WaitReason::Turn => write!(f, "the next turn of {host}")?,
            WaitReason::RetryAfter(asked) => {
                write!(f, "{host} asked to wait {} s (Retry-After)", asked.as_secs())?;
            }
            WaitReason::Busy => write!(f, "{host} said that it is busy")?,
            WaitReason::Robots => write!(f, "robots.txt of {host}")?,
        }
        let Some(until) = self.until else { return Ok(()) };
        let left = until.saturating_duration_since(Instant::now()).as_secs();
        write!(f, "; {}:{:02} left", left / 60, left % 60)
    }
}

/// The waits of a crawl.
#[derive(Debug, Default)]
pub struct Waits(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    next: u64,
    waits: BTreeMap<u64, Wait>,
}

/// Someone who waits, or not yet. Dropping it ends the wait.
pub struct Waiter<'a> {
    waits: &'a Waits,
    number: u64,
}

impl Waits {
    /// Someone who may have to wait.
    pub fn waiter(&self) -> Waiter<'_> {
        let mut state = self.lock();
        state.next += 1;
        Waiter { waits: self, number: state.next }
    }

    /// What is waited for now, each thing once, the longest wait first.
    pub fn list(&self) -> Vec<Wait> {
        let mut waits: Vec<Wait> = Vec::new();
        for wait in self.lock().waits.values() {
            let is_same = |other: &Wait| (&other.host, other.reason) == (&wait.host, wait.reason);
            match waits.iter_mut().find(|other| is_same(other)) {
                Some(other) => other.until = other.until.max(wait.until),
                None => waits.push(wait.clone()),
            }
        }
        waits.sort_by_key(|wait| std::cmp::Reverse(wait.until));
        waits
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiter<'_> {
    /// Says what is waited for from now on.
    pub fn waits_for(&self, wait: Wait) {
        self.waits.lock().waits.insert(self.number, wait);
    }
}

impl Drop for Waiter<'_> {
    fn drop(&mut self) {
        self.waits.lock().waits.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait(reason: WaitReason, seconds: u64) -> Wait {
        // Half a second more: the clock goes on until it is shown.
        let until = Instant::now() + Duration::from_millis(seconds * 1000 + 500);
        Wait { host: "example.org".into(), reason, until: Some(until) }
    }

    #[test]
    fn a_wait_says_for_what_and_for_how_long() {
        let asked = WaitReason::RetryAfter(Duration::from_secs(3600));
        assert_eq!(
            wait(asked, 3598).to_string(),
            "example.org asked to wait 3600 s (Retry-After); 59:58 left"
        );
        assert_eq!(
            wait(WaitReason::Turn, 4).to_string(),
            "the next turn of example.org; 0:04 left"
        );
    }

    #[test]
    fn those_who_wait_for_the_same_are_one_line_and_gone_when_they_are() {
        let waits = Waits::default();
        let (one, two, other) = (waits.waiter(), waits.waiter(), waits.waiter());
        one.waits_for(wait(WaitReason::Turn, 1));
        two.waits_for(wait(WaitReason::Turn, 2));
        other.waits_for(wait(WaitReason::Robots, 9));
        let reasons: Vec<_> = waits.list().iter().map(|wait| wait.reason).collect();
        assert_eq!(reasons, [WaitReason::Robots, WaitReason::Turn]);
        drop((one, two, other));
        assert_eq!(waits.list(), []);
    }
}
