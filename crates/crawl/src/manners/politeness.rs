//! One request at a time for a host, at the pace that the site can expect.
//!
//! A turn is granted when the pause since the last one has passed: the larger of the crawl's delay
//! and the site's `Crawl-delay`, and longer while the site says that it is too much (429, 503).
//! There is no jitter: the pace is a promise, not a disguise.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use browser::http::{HeaderMap, StatusCode, header, special_range};
use tokio::time::{Instant, sleep_until};
use url::{Host, Position, Url};

use derive::WaitReason;

/// Two page visits a second: no faster than a person who clicks quickly, and each visit costs the
/// site its subresources too.
pub const DEFAULT_DELAY: Duration = Duration::from_millis(500);
/// No `Crawl-delay` may stop us for longer, and no host that only says that it is busy.
pub const MAX_PAUSE: Duration = Duration::from_secs(300);
/// No `Retry-After` may stop us for longer.
pub const MAX_RETRY_AFTER: Duration = Duration::from_secs(3600);
/// Pause after the first refusal without `Retry-After`; doubles with each further one.
const FIRST_BACK_OFF: Duration = Duration::from_secs(2);
/// How soon it is looked again at a host whose turn somebody was promised.
const PROMISED: Duration = Duration::from_millis(20);
/// Hosts remembered before those with nothing to remember are forgotten.
const MAX_HOSTS: usize = 10_000;

/// The delay for a URL when the user gave none: nothing for loopback and private addresses, which
/// are only reached when the user named them, [`DEFAULT_DELAY`] for everything else.
pub fn default_delay(url: &Url) -> Duration {
    let is_near = match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(v4)) => special_range(IpAddr::V4(v4)).is_some(),
        Some(Host::Ipv6(v6)) => special_range(IpAddr::V6(v6)).is_some(),
        None => false,
    };
    if is_near { Duration::ZERO } else { DEFAULT_DELAY }
}

/// Grants turns, host by host. Cheap to clone; clones share the pace.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// use crawl::politeness::Pacer;
/// use std::time::{Duration, Instant};
///
/// let pacer = Pacer::new(Some(Duration::from_millis(20)));
/// let url = "https://example.com/".parse().unwrap();
/// let started = Instant::now();
/// pacer.turn(&url, None).await;
/// pacer.turn(&url, None).await;
/// assert!(started.elapsed() >= Duration::from_millis(20));
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Pacer {
    delay: Option<Duration>,
    hosts: Arc<Mutex<HashMap<String, Arc<Pace>>>>,
}

#[derive(Debug)]
struct Pace {
    /// Held by the one who waits first; the others queue for it in the order in which they came.
    queue: tokio::sync::Mutex<()>,
    next: Mutex<Next>,
}

#[derive(Debug, Clone, Copy)]
struct Next {
    at: Instant,
    /// What was asked for between the last two turns.
    pause: Duration,
    /// What the time until then is waited for.
    reason: WaitReason,
    refusals: u32,
    /// Whether somebody was given work for the next turn.
    is_promised: bool,
}

impl Pacer {
    /// A pacer with `delay` between two turns of a host; `None` is [`default_delay`] of each host.
    pub fn new(delay: Option<Duration>) -> Self {
        Self { delay, hosts: Arc::default() }
    }

    /// Waits for a turn on the host of `url`, first come, first served. `crawl_delay` is what the
    /// site's robots.txt asks for. A future that is dropped while it waits costs the others nothing.
    pub async fn turn(&self, url: &Url, crawl_delay: Option<Duration>) {
        self.turn_telling(url, crawl_delay, |_, _| {}).await;
    }

    /// Waits for a turn like [`Pacer::turn`], and tells for what and until when, if it has to wait.
    pub(crate) async fn turn_telling(
        &self,
        url: &Url,
        crawl_delay: Option<Duration>,
        tell: impl Fn(WaitReason, Option<Instant>),
    ) {
        let delay = self.delay.unwrap_or_else(|| default_delay(url));
        let pause = delay.max(crawl_delay.unwrap_or_default()).min(MAX_PAUSE);
        let pace = self.pace(url);
        let told = |next: Next| {
            tell(next.reason, Some(next.at));
            next.at
        };
        if pace.queue.try_lock().is_err() {
            told(*pace.next());
        }
        let _first = pace.queue.lock().await;
        loop {
            let at = {
                let mut next = pace.next();
                let now = Instant::now();
                if next.at <= now {
                    (next.at, next.pause) = (now + pause, pause);
                    (next.reason, next.is_promised) = (WaitReason::Turn, false);
                    return;
                }
                told(*next)
            };
            // Looked at again afterwards: a refusal may have come in the meantime.
            sleep_until(at).await;
        }
    }

    /// What a host is waited for, and until when, if nobody should be given work for it now: it is not
    /// its turn, or somebody was promised that.
    pub(crate) fn wait_for(&self, host: &str) -> Option<(WaitReason, Instant)> {
        let pace = self.pace_of(host);
        let next = *pace.next();
        let now = Instant::now();
        if next.at > now {
            return Some((next.reason, next.at));
        }
        (next.is_promised && !self.delay_of(host).max(next.pause).is_zero())
            .then(|| (WaitReason::Turn, now + PROMISED))
    }

    /// Tells that somebody was given work for the next turn of a host.
    pub(crate) fn promise(&self, host: &str) {
        self.pace_of(host).next().is_promised = true;
    }

    /// Tells that whoever was given work for a host is done with it, whether it was asked or not.
    pub(crate) fn keep_no_promise(&self, host: &str) {
        self.pace_of(host).next().is_promised = false;
    }

    fn delay_of(&self, host: &str) -> Duration {
        let url = || Url::parse(&format!("http://{host}/")).ok();
        self.delay.or_else(|| url().as_ref().map(default_delay)).unwrap_or(DEFAULT_DELAY)
    }

    /// Tells that the request of a turn leaves only now: a tab had to be opened first. The next turn is
    /// counted from here.
    pub fn sent(&self, url: &Url) {
        let pace = self.pace(url);
        let mut next = pace.next();
        next.at = next.at.max(Instant::now() + next.pause);
    }

    /// Tells how the host of `url` answered: 429 and 503 make it wait as `Retry-After` asks, or for twice as
    /// long each time; any other answer ends that. Says how long the host is left alone.
    pub fn heard(&self, url: &Url, status: StatusCode, headers: &HeaderMap) -> Duration {
        let is_refusal =
            matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE);
        let pace = self.pace(url);
        let mut next = pace.next();
        if !is_refusal {
            next.refusals = 0;
            return Duration::ZERO;
        }
        let doubled = FIRST_BACK_OFF.saturating_mul(1 << next.refusals.min(16));
        next.refusals = next.refusals.saturating_add(1);
        let (pause, reason) = match retry_after(headers) {
            Some(asked) => (asked.min(MAX_RETRY_AFTER), WaitReason::RetryAfter(asked)),
            None => (doubled.min(MAX_PAUSE), WaitReason::Busy),
        };
        let at = Instant::now() + pause;
        if at > next.at {
            (next.at, next.reason) = (at, reason);
        }
        pause
    }

    fn pace(&self, url: &Url) -> Arc<Pace> {
        self.pace_of(&url[Position::BeforeHost..Position::AfterPort])
    }

    fn pace_of(&self, host: &str) -> Arc<Pace> {
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pace) = hosts.get(host) {
            return pace.clone();
        }
        if hosts.len() >= MAX_HOSTS {
            let now = Instant::now();
            hosts.retain(|_, pace| {
                let next = *pace.next();
                Arc::strong_count(pace) > 1 || next.at > now || next.refusals > 0
            });
        }
        let pace = Arc::new(Pace {
            queue: tokio::sync::Mutex::new(()),
            next: Mutex::new(Next {
                at: Instant::now(),
                pause: Duration::ZERO,
                reason: WaitReason::Turn,
                refusals: 0,
                is_promised: false,
            }),
        });
        hosts.insert(host.to_owned(), pace.clone());
        pace
    }
}

impl Pace {
    fn next(&self) -> std::sync::MutexGuard<'_, Next> {
        self.next.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// `Retry-After` in seconds, or until a date measured against the server's own `Date`, so that its
/// clock and ours need not agree.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    let until = httpdate::parse_http_date(text).ok()?;
    let date = headers.get(header::DATE).and_then(|date| date.to_str().ok());
    let now = date.and_then(|date| httpdate::parse_http_date(date).ok());
    let now = now.unwrap_or_else(std::time::SystemTime::now);
    Some(until.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use browser::http::HeaderValue;

    const DELAY: Duration = Duration::from_millis(500);

    fn at(host: &str) -> Url {
        Url::parse(&format!("https://{host}/page")).expect("a URL")
    }

    fn a() -> Url {
        at("a.example")
    }

    fn b() -> Url {
        at("b.example")
    }

    fn busy(retry_after: Option<&'static str>) -> (StatusCode, HeaderMap) {
        let mut headers = HeaderMap::new();
        if let Some(value) = retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static(value));
        }
        (StatusCode::TOO_MANY_REQUESTS, headers)
    }

    #[tokio::test(start_paused = true)]
    async fn turns_of_a_host_are_a_delay_apart_and_hosts_do_not_wait_for_each_other() {
        let pacer = Pacer::new(Some(DELAY));
        let started = Instant::now();
        pacer.turn(&a(), None).await;
        pacer.turn(&b(), None).await;
        assert_eq!(started.elapsed(), Duration::ZERO);
        for turn in 1..4 {
            pacer.turn(&a(), None).await;
            assert_eq!(started.elapsed().as_millis() / 500, turn);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_larger_of_both_delays_holds_and_none_is_endless() {
        let pacer = Pacer::new(Some(DELAY));
        for (crawl_delay, wanted) in [
            (Duration::from_millis(100), DELAY),
            (Duration::from_secs(10), Duration::from_secs(10)),
            (Duration::from_secs(86_400), MAX_PAUSE),
        ] {
            let url = at(&format!("{}.example", wanted.as_millis()));
            pacer.turn(&url, Some(crawl_delay)).await;
            let granted = Instant::now();
            pacer.turn(&url, Some(crawl_delay)).await;
            let waited = granted.elapsed();
            assert!(waited >= wanted && waited < wanted + Duration::from_millis(5));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn many_that_wait_are_served_one_by_one_in_their_order() {
        let pacer = Pacer::new(Some(DELAY));
        let (sender, mut served) = tokio::sync::mpsc::unbounded_channel();
        for name in 0..5 {
            let (pacer, sender) = (pacer.clone(), sender.clone());
            tokio::spawn(async move {
                pacer.turn(&a(), None).await;
                let _ = sender.send((name, Instant::now()));
            });
            tokio::task::yield_now().await;
        }
        drop(sender);
        let mut last: Option<Instant> = None;
        for wanted in 0..5 {
            let (name, at) = served.recv().await.expect("a turn");
            assert_eq!(name, wanted);
            assert!(last.is_none_or(|last| at - last >= DELAY));
            last = Some(at);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_turn_that_is_given_up_costs_the_others_nothing() {
        let pacer = Pacer::new(Some(DELAY));
        pacer.turn(&a(), None).await;
        let started = Instant::now();
        for _ in 0..10 {
            let url = a();
            let turn = pacer.turn(&url, None);
            let given_up = tokio::time::timeout(Duration::from_millis(10), turn).await;
            assert!(given_up.is_err());
        }
        pacer.turn(&a(), None).await;
        assert!(started.elapsed() < DELAY + Duration::from_millis(5));
    }

    #[tokio::test(start_paused = true)]
    async fn a_busy_site_is_left_alone_as_it_asks_also_by_those_who_wait_already() {
        let pacer = Pacer::new(Some(DELAY));
        pacer.turn(&a(), None).await;
        let waiting = tokio::spawn({
            let pacer = pacer.clone();
            async move {
                pacer.turn(&a(), None).await;
                Instant::now()
            }
        });
        tokio::task::yield_now().await;
        let told = Instant::now();
        let (status, headers) = busy(Some("20"));
        let pause = pacer.heard(&a(), status, &headers);
        assert_eq!(pause, Duration::from_secs(20));
        let granted = waiting.await.expect("a turn");
        assert!(granted - told >= Duration::from_secs(20));
    }

    #[tokio::test(start_paused = true)]
    async fn refusals_without_a_time_double_the_pause_until_a_good_answer() {
        let pacer = Pacer::new(Some(DELAY));
        let (status, headers) = busy(None);
        let seconds = |pause: Duration| pause.as_secs();
        let pauses: Vec<u64> =
            (0..12).map(|_| seconds(pacer.heard(&a(), status, &headers))).collect();
        assert_eq!(pauses, [2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300, 300]);
        let good = pacer.heard(&a(), StatusCode::OK, &HeaderMap::new());
        assert_eq!(good, Duration::ZERO);
        assert_eq!(seconds(pacer.heard(&a(), status, &headers)), 2);
    }

    #[test]
    fn retry_after_may_be_a_date_of_the_servers_clock() {
        let mut headers = HeaderMap::new();
        let date = HeaderValue::from_static("Wed, 21 Oct 2015 07:28:00 GMT");
        let until = HeaderValue::from_static("Wed, 21 Oct 2015 07:28:30 GMT");
        headers.insert(header::DATE, date);
        headers.insert(header::RETRY_AFTER, until);
        assert_eq!(retry_after(&headers), Some(Duration::from_secs(30)));
        let nonsense = HeaderValue::from_static("soon");
        headers.insert(header::RETRY_AFTER, nonsense);
        assert_eq!(retry_after(&headers), None);
    }

    #[tokio::test(start_paused = true)]
    async fn memory_does_not_grow_with_the_hosts_that_are_done() {
        let pacer = Pacer::new(Some(Duration::ZERO));
        for i in 0..MAX_HOSTS * 2 {
            pacer.turn(&at(&format!("h{i}.example")), None).await;
        }
        let kept = pacer.hosts.lock().expect("the map").len();
        assert!(kept <= MAX_HOSTS, "{kept}");
    }

    #[test]
    fn only_near_hosts_have_no_delay_by_default() {
        for (text, delay) in [
            ("http://127.0.0.1:8080/", Duration::ZERO),
            ("http://localhost/", Duration::ZERO),
            ("http://[::1]/", Duration::ZERO),
            ("http://192.168.1.2/", Duration::ZERO),
            ("https://example.com/", DEFAULT_DELAY),
            ("https://93.184.215.14/", DEFAULT_DELAY),
        ] {
            assert_eq!(default_delay(&Url::parse(text).expect("a URL")), delay, "{text}");
        }
    }
}
