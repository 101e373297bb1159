//! `bathys bench browser`: what a click costs beyond the server's time, what each operation costs on a
//! thread of the bundled forum, how many events fit into a second, how fast a killed browser is back,
//! and whether anything is left behind.

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use browser::{Action, Browser, LaunchOptions, Tab, TabOptions};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// One button for each kind of handler, on a page of 800 elements; and what is asked for. The fetch
/// includes the server's time and the gate's.
const HANDLERS: &[(&str, &str, Option<f64>)] = &[
    ("sync handler", "/html/body/button[1]", Some(5.0)),
    ("handler with a 1.5 s timer", "/html/body/button[2]", Some(5.0)),
    ("handler with a loopback fetch", "/html/body/button[3]", None),
];

/// Clicks of each kind on one tab.
const CLICKS: usize = 300;

/// How long tabs work side by side.
const SPELL: Duration = Duration::from_secs(3);

/// How often the browser and the process that holds it are killed.
const RESTARTS: usize = 10;
const KILLS: usize = 50;

/// Set for the process that is to be killed: it starts a browser and waits.
const HOLD: &str = "BATHYS_BENCH_HOLD";

/// Measures and prints.
pub async fn run(json: bool) -> anyhow::Result<()> {
    if std::env::var_os(HOLD).is_some() {
        return hold().await;
    }
    let site = serve().await?;
    let browser = Browser::launch(LaunchOptions::default()).await?;
    let mut rows = Vec::new();
    for (name, path, most) in HANDLERS {
        let median = click_overhead(&browser, &site, path).await?;
        rows.push(Row::new(format!("click + settle, {name}, median"), median, "ms", *most));
    }
    rows.extend(forum_costs(&browser).await?);
    for tabs in [1, 2, 4] {
        let rate = events_per_second(&browser, &site, tabs).await?;
        rows.push(Row::new(
            format!("events a second, {tabs} tabs, 1.5 s timers"),
            rate,
            "/s",
            None,
        ));
    }
    let restart = restart_time(&browser, &site).await?;
    rows.push(Row::new(
        format!("restart after a kill, worst of {RESTARTS}"),
        restart,
        "s",
        Some(2.0),
    ));
    browser.close().await;
    let orphans = orphans_after_kills()?;
    rows.push(Row::new(format!("orphan processes after {KILLS} kills"), orphans, "", Some(0.0)));
    print(&rows, json)
}

struct Row {
    what: String,
    value: f64,
    unit: &'static str,
    most: Option<f64>,
}

impl Row {
    fn new(what: String, value: f64, unit: &'static str, most: Option<f64>) -> Row {
        Row { what, value, unit, most }
    }
}

fn print(rows: &[Row], json: bool) -> anyhow::Result<()> {
    if json {
        for row in rows {
            let ours = serde_json::json!({ "value": row.value, "unit": row.unit });
            let name = format!("browser/{}", row.what);
            println!("{}", serde_json::json!({ "name": name, "ours": ours, "target": row.most }));
        }
        return Ok(());
    }
    for row in rows {
        let verdict = match row.most {
            Some(most) if row.value <= most => format!("within {most} {}", row.unit),
            Some(most) => format!("OVER {most} {}", row.unit),
            None => String::new(),
        };
        println!("{:<52} {:>9.2} {:<3} {verdict}", row.what, row.value, row.unit);
    }
    Ok(())
}

/// The median of clicks one after the other, each of which changes the page.
async fn click_overhead(browser: &Browser, site: &url::Url, path: &str) -> anyhow::Result<f64> {
    let mut tab = tab_at(browser, site).await?;
    let action = Action::new(path, "click");
    let mut times = Vec::with_capacity(CLICKS);
    for _ in 0..CLICKS {
        if tab.wants_replacing() {
            tab = tab_at(browser, site).await?;
        }
        let began = Instant::now();
        let fired = tab.fire(&action).await?;
        times.push(began.elapsed().as_secs_f64() * 1000.0);
        anyhow::ensure!(fired.changed, "a click on {path} changed nothing");
    }
    times.sort_by(f64::total_cmp);
    times.get(CLICKS / 2).copied().context("no clicks")
}

/// How often each operation is done on the forum.
const TIMES: usize = 40;

/// The classes of handlers on the forum: a link whose clicks are counted, and a pager.
const LINK: &str = "Forum.count(#)";
const PAGER: &str = "Forum.turn(#)";

/// Events of a path that is replayed.
const STEPS: usize = 3;

/// The medians of everything that a crawl does on a page of the size that forums have.
async fn forum_costs(browser: &Browser) -> anyhow::Result<Vec<Row>> {
    let forum = testsite::serve(testsite::SiteKind::Bbs, testsite::Options::default()).await?;
    let mut tab = browser.tab(TabOptions::default()).await?;
    let (thread, candidates) = long_thread(&mut tab, &forum).await?;
    let of_class =
        |class: &'static str| candidates.iter().filter(move |one| one.class.starts_with(class));
    let link = of_class(LINK).map(Action::from).next().context("no link on a thread")?;
    let path: Vec<Action> = of_class(PAGER).map(Action::from).take(STEPS).collect();
    let next = path.first().context("no pager")?;
    let idle = Action::new("/html", "bathys-idle");
    let mut rows = Vec::new();
    let mut row =
        |what: &str, ms: f64| rows.push(Row::new(format!("forum: {what}, median"), ms, "ms", None));
    row("navigate", median(&mut tab, async |tab| tab.navigate(&thread).await.map(drop)).await?);
    tab.take_exchanges().await?;
    row("fingerprint", median(&mut tab, async |tab| tab.fingerprint().await.map(drop)).await?);
    row("walk", median(&mut tab, async |tab| tab.walk().await.map(drop)).await?);
    row("candidates", median(&mut tab, async |tab| tab.candidates().await.map(drop)).await?);
    row(
        "event without effect",
        median(&mut tab, async |tab| tab.fire(&idle).await.map(drop)).await?,
    );
    row("click on a link", median(&mut tab, async |tab| tab.fire(&link).await.map(drop)).await?);
    row(
        "click that loads a page",
        median(&mut tab, async |tab| tab.fire(next).await.map(drop)).await?,
    );
    let replay = async |tab: &mut Tab| {
        tab.navigate(&thread).await?;
        tab.replay(&path).await.map(drop)
    };
    row("reload and replay of three", median(&mut tab, replay).await?);
    tab.close().await;
    forum.stop().await;
    Ok(rows)
}

/// A thread of several pages, and what it offers.
async fn long_thread(
    tab: &mut Tab,
    forum: &testsite::Running,
) -> anyhow::Result<(url::Url, Vec<browser::Candidate>)> {
    for state in forum.truth().states.iter().filter(|state| state.url.starts_with("/thread/")) {
        let url: url::Url = forum.url_of(&state.url).parse()?;
        tab.navigate(&url).await?;
        let candidates = tab.candidates().await?.list;
        if candidates.iter().filter(|one| one.class == PAGER).count() >= STEPS {
            return Ok((url, candidates));
        }
    }
    anyhow::bail!("no thread of the forum has several pages")
}

async fn median(
    tab: &mut Tab,
    mut work: impl AsyncFnMut(&mut Tab) -> Result<(), browser::TabError>,
) -> anyhow::Result<f64> {
    let mut times = Vec::with_capacity(TIMES);
    for _ in 0..TIMES {
        let began = Instant::now();
        work(tab).await?;
        times.push(began.elapsed().as_secs_f64() * 1000.0);
    }
    times.sort_by(f64::total_cmp);
    times.get(TIMES / 2).copied().context("nothing measured")
}

async fn events_per_second(browser: &Browser, site: &url::Url, tabs: usize) -> anyhow::Result<f64> {
    let mut open = Vec::new();
    for _ in 0..tabs {
        open.push(tab_at(browser, site).await?);
    }
    let began = Instant::now();
    let mut working = tokio::task::JoinSet::new();
    for mut tab in open {
        working.spawn(async move {
            let action = Action::new("/html/body/button[2]", "click");
            let mut events = 0_u32;
            while began.elapsed() < SPELL {
                tab.fire(&action).await?;
                events += 1;
            }
            anyhow::Ok(events)
        });
    }
    let mut events = 0;
    while let Some(done) = working.join_next().await {
        events += done??;
    }
    Ok(f64::from(events) / began.elapsed().as_secs_f64())
}

/// From the kill to the first page of the next browser, the worst of several.
async fn restart_time(browser: &Browser, site: &url::Url) -> anyhow::Result<f64> {
    let mut worst: f64 = 0.0;
    for _ in 0..RESTARTS {
        let _tab = tab_at(browser, site).await?;
        kill(browser.pid())?;
        let began = Instant::now();
        // The first attempt may still meet the dead one.
        let mut tab = tab_at(browser, site).await;
        if tab.is_err() {
            tab = tab_at(browser, site).await;
        }
        tab?;
        worst = worst.max(began.elapsed().as_secs_f64());
    }
    Ok(worst)
}

/// Starts ourselves with a browser and a page in an endless loop, kills us, and looks for what is
/// left.
fn orphans_after_kills() -> anyhow::Result<f64> {
    let myself = std::env::current_exe()?;
    let mut left = 0;
    for _ in 0..KILLS {
        let mut child = Command::new(&myself)
            .args(["bench", "browser"])
            .env(HOLD, "1")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let leader = first_line(&mut child)?;
        child.kill()?;
        child.wait()?;
        left += left_of(leader.trim().parse()?);
    }
    Ok(f64::from(left))
}

fn first_line(child: &mut std::process::Child) -> anyhow::Result<String> {
    use std::io::BufRead;
    let output = child.stdout.take().context("no output")?;
    let mut line = String::new();
    std::io::BufReader::new(output).read_line(&mut line)?;
    Ok(line)
}

/// Processes of this group that still live two seconds after the kill.
fn left_of(leader: u32) -> u32 {
    let deadline = Instant::now() + Duration::from_secs(2);
    loop {
        let left = group(leader);
        if left == 0 || Instant::now() >= deadline {
            return left;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The size of a process group. Chromium's children stay in that of the browser process.
fn group(leader: u32) -> u32 {
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return 0;
    };
    let leader = leader.to_string();
    let alive = entries.flatten().filter(|entry| {
        let stat = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
        let mut fields = fields.split_ascii_whitespace();
        fields.next() != Some("Z") && fields.nth(1) == Some(leader.as_str())
    });
    u32::try_from(alive.count()).unwrap_or(u32::MAX)
}

/// The process that is killed: a browser whose page never ends.
async fn hold() -> anyhow::Result<()> {
    let site = serve().await?;
    let browser = Browser::launch(LaunchOptions::default()).await?;
    let mut tab = tab_at(&browser, &site).await?;
    println!("{}", browser.pid());
    let _ = tab.fire(&Action::new("/html/body/button[4]", "click")).await;
    std::future::pending().await
}

fn kill(pid: u32) -> anyhow::Result<()> {
    let status = Command::new("kill").args(["-9", &pid.to_string()]).status()?;
    anyhow::ensure!(status.success(), "cannot kill {pid}");
    Ok(())
}

async fn tab_at(browser: &Browser, site: &url::Url) -> anyhow::Result<Tab> {
    let mut tab = browser.tab(TabOptions::default()).await?;
    tab.navigate(site).await?;
    Ok(tab)
}

/// The page, and an answer for its fetches.
async fn serve() -> anyhow::Result<url::Url> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}/", listener.local_addr()?).parse()?;
    let page: Arc<str> = page().into();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let page = page.clone();
            tokio::spawn(async move {
                let mut head = vec![0; 8192];
                loop {
                    let Ok(read) = stream.read(&mut head).await else {
                        return;
                    };
                    let wants_page = head.starts_with(b"GET / ");
                    if read == 0 {
                        return;
                    }
                    let body = if wants_page { &*page } else { "answer" };
                    let answer = format!(
                        "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {}\r\n\r\n{body}",
                        body.len()
                    );
                    if stream.write_all(answer.as_bytes()).await.is_err() {
                        return;
                    }
                }
            });
        }
    });
    Ok(url)
}

fn page() -> String {
    let filler = "<div><p>Some text of a page <b>with</b> a few <a href='/x'>links</a></p></div>"
        .repeat(160);
    format!(
        "<!doctype html><p id=p>0</p>\
         <button onclick='add()'>sync</button>\
         <button onclick='setTimeout(add, 1500)'>timer</button>\
         <button onclick=\"fetch('/data').then(r => r.text()).then(add)\">fetch</button>\
         <button onclick='for (;;) {{}}'>loop</button>\
         <script>let n = 0; function add() {{ p.textContent = ++n }}</script>{filler}"
    )
}
