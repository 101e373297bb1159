//! What makes two states one, and above all what does not.

use std::time::Duration;

use page::state::Difference;
use page::tree::{Mask, parse_str};

fn between(first: &str, second: &str, seconds: u64) -> Difference {
    let (first, second) = (parse_str(first).dom, parse_str(second).dom);
    Difference::between(&first, &second, &Mask::default(), Duration::from_secs(seconds))
}

/// A page around a part that differs.
fn page(part: &str) -> String {
    format!("<title>Forum</title><h1>News</h1><p>Some text.</p><div>{part}</div><a href=/x>x</a>")
}

#[test]
fn states_that_differ_in_the_time_alone_are_equal() {
    for (first, second) in [
        ("12:03:55", "12:04:10"),
        ("<b>12:03:55</b>", "<b>12:03:55</b>"),
        ("23:59:58", "00:00:03"),
        ("It is now 12:03", "It is now 12:04"),
        ("It is currently Sun Nov 15, 2026 12:03 pm", "It is currently Sun Nov 15, 2026 12:04 pm"),
        ("posted 3 minutes ago", "posted 4 minutes ago"),
        ("posted 1 minute ago", "posted 2 minutes ago"),
        (
            "<ul><li>a 5 seconds ago<li>b 9 seconds ago</ul>",
            "<ul><li>a 17 seconds ago<li>b 21 seconds ago</ul>",
        ),
        ("Page generated in 0.013 seconds", "Page generated in 0.211 seconds"),
        (
            "Served at <time>2009-05-01T08:30:05Z</time>",
            "Served at <time>2009-05-01T08:30:05Z</time>",
        ),
        ("Served at 2009-05-01T08:30:05Z", "Served at 2009-05-01T08:30:25Z"),
        ("当前时间 12:03:55", "当前时间 12:04:10"),
        ("3分钟前 来自 张三", "4分钟前 来自 张三"),
        ("页面执行时间 0.013秒", "页面执行时间 0.017秒"),
        ("vor 3 Minuten", "vor 4 Minuten"),
        (
            "12:03:55</div><div>now: 12:03:54 by the server",
            "12:04:10</div><div>now: 12:04:09 by the server",
        ),
    ] {
        let difference = between(&page(first), &page(second), 60);
        assert!(difference.is_equal(), "{first} | {second}: {difference}");
    }
}

#[test]
fn states_that_differ_in_anything_else_are_not() {
    for (first, second) in [
        // numbers of any sort
        ("3", "4"),
        ("Page 3 of 9", "Page 4 of 9"),
        ("第 3 页", "第 4 页"),
        ("3 comments", "4 comments"),
        ("Visitor 10,203", "Visitor 10,204"),
        ("$12.03", "$12.04"),
        ("价格 12.03 元", "价格 12.04 元"),
        ("3 days left", "4 days left"),
        ("Version 1.2.3", "Version 1.2.4"),
        ("Now 3 items", "Now 4 items"),
        ("9 queries", "8 queries"),
        ("现在有 3 人在线", "现在有 4 人在线"),
        // dates and times of what happened
        ("2009-05-01", "2009-05-02"),
        ("1 May 2009", "2 May 2009"),
        ("2009年5月1日", "2009年5月2日"),
        ("Posted 12:03:55", "Posted 12:04:10"),
        ("发表于 12:03:55", "发表于 12:04:10"),
        ("Departure 12:03", "Departure 12:04"),
        ("12:03", "12:04"),
        ("<table><tr><td>12:03:55<td>ok</table>", "<table><tr><td>12:04:10<td>ok</table>"),
        ("<ul><li>12:03:55</ul>", "<ul><li>12:04:10</ul>"),
        ("<article>12:03:55</article>", "<article>12:04:10</article>"),
        ("<p>12:03:55<p>12:13:55", "<p>12:04:10<p>12:14:10"),
        ("It is now 2009-05-01 12:03", "It is now 2009-05-02 12:04"),
        ("0.013 s", "0.014 s"),
        ("Reaction: 0.213 s", "Reaction: 0.311 s"),
        // times that do not fit each other or the time between the looks
        ("12:03:55", "12:14:10"),
        ("12:03:55", "12:04"),
        ("It is now 12:03", "It is now 15:03"),
        ("3 minutes ago", "3 hours ago"),
        ("3 minutes ago", "33 minutes ago"),
        ("3分钟前", "3小时前"),
        ("3 days ago", "4 days ago"),
        ("3 hours ago", "4 hours ago"),
        ("a 3 minutes ago, b 9 minutes ago", "a 4 minutes ago, b 8 minutes ago"),
        ("<p>1 second ago<p>40 seconds ago", "<p>1 second ago<p>55 seconds ago"),
        // more than the time
        ("12:03:55", "12:04:10</div><div>new"),
        ("12:03:55 Ann", "12:04:10 Bob"),
        ("12:03:55<img src=1.png>", "12:04:10<img src=2.png>"),
        ("12:03:55<a href=1>a</a>", "12:04:10<a href=2>a</a>"),
        ("<a href=/t/1>3 minutes ago</a>", "<a href=/t/2>4 minutes ago</a>"),
        ("12:03:55<b></b>", "<b></b>12:04:10<i>x</i>"),
        ("<p>12:03:55</p><p></p>", "<p></p><p>12:04:10</p>"),
    ] {
        let difference = between(&page(first), &page(second), 60);
        assert!(!difference.is_equal(), "{first} | {second}: {difference}");
    }
}

#[test]
fn a_masked_clock_is_no_difference() {
    let mask = Mask { regions: vec!["/html/body/i[1]".parse().unwrap()], ..Mask::default() };
    let at = |number| parse_str(&format!("<p>text<i>{number}</i>")).dom;
    let mask_inside =
        Mask { regions: vec!["/html/body/p[1]/i[1]".parse().unwrap()], ..Mask::default() };
    assert!(!Difference::between(&at(1), &at(2), &mask, Duration::ZERO).is_equal());
    assert!(Difference::between(&at(1), &at(2), &mask_inside, Duration::ZERO).is_none());
}

#[test]
fn an_explanation_names_what_differs_and_where() {
    let says = |first: &str, second: &str| between(first, second, 60).to_string();
    assert_eq!(says("<p>a", "<p>a"), "equal: nothing differs");
    assert_eq!(
        says("<p>a<p>b<p>12:03:55", "<p>a<p>b<p>12:03:59"),
        "equal: only the clock at /html/body/p[3] differs"
    );
    assert_eq!(
        says("<p>a", "<p>a<p>Re: hello<p>b<p>c"),
        "different: 3 texts that the first did not hold, first 'Re: hello'"
    );
    assert_eq!(
        says("<img src=1.png>", "<img src=2.png>"),
        "different: 1 picture that the first did not hold, first '2.png'; 1 picture gone, first '1.png'"
    );
    assert_eq!(
        says("<p>a<p>b", "<p>b<p>a"),
        "different: the same texts, links and pictures in another order or number"
    );
    let difference = between("<p>a", "<p>a<a href=/b>more</a>", 60);
    let added: Vec<_> =
        difference.added().iter().map(|shown| (shown.what, &*shown.value, &*shown.path)).collect();
    assert_eq!(
        added,
        [("link", "/b", "/html/body/p[1]/a[1]"), ("text", "more", "/html/body/p[1]/a[1]")]
    );
}

#[test]
fn a_difference_of_huge_pages_stays_small() {
    let rows = |word: &str| (0..5_000).map(|n| format!("<p>{word} {n}")).collect::<String>();
    let difference = between(&rows("a"), &rows("b"), 60);
    assert_eq!((difference.added().len(), difference.removed().len()), (20, 20));
    assert!(difference.to_string().starts_with("different: 5000 texts"));
}
