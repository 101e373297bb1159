//! What texts tell, in a table.

use super::*;
use crate::Precision;

/// 2026-09-22, 12:00, a Tuesday.
const CAPTURED: i64 = 1_790_078_400;

fn at(text: &str) -> Option<String> {
    read(text, &Order::default(), Some(CAPTURED)).map(|moment| moment.to_string())
}

#[track_caller]
fn reads(cases: &[(&str, &str)]) {
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|(text, expected)| {
            let found = at(text).unwrap_or_default();
            let expected = if expected.len() == 10 {
                format!("{expected}T00:00:00Z")
            } else {
                format!("{expected}Z").replace(' ', "T")
            };
            (found != expected).then(|| format!("{text}: {found}, not {expected}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn dates_of_every_order_are_read() {
    reads(&[
        ("2025-12-09", "2025-12-09"),
        ("2025-12-09 05:43", "2025-12-09 05:43:00"),
        ("2025/12/9 5:43:21", "2025-12-09 05:43:21"),
        ("2026-8-22", "2026-08-22"),
        ("2025-12-09T05:43:21Z", "2025-12-09 05:43:21"),
        ("2025-12-09T05:43:21.123456+02:00", "2025-12-09 03:43:21"),
        ("2025-12-09T05:43-0500", "2025-12-09 10:43:00"),
        ("20251209T054321Z", "2025-12-09 05:43:21"),
        ("Tue, 09 Dec 2025 05:43:21 +0100", "2025-12-09 04:43:21"),
        ("Tue, 09 Dec 2025 05:43:21 GMT", "2025-12-09 05:43:21"),
        ("Sun Jun 14 10:30:00 2020", "2020-06-14 10:30:00"),
        ("Sun Jun 14 10:30:00 UTC 2020", "2020-06-14 10:30:00"),
        ("Sept. 22, 2025, 8:28 a.m.", "2025-09-22 08:28:00"),
        ("Sept. 22, 2025, 8 p.m.", "2025-09-22 20:00:00"),
        ("Sept. 22, 2025, noon", "2025-09-22 12:00:00"),
        ("Sept. 22, 2025, midnight", "2025-09-22"),
        ("10 Sep '25", "2025-09-10"),
        ("Sep '25", "2025-09-01"),
        ("17 Dec 2025, 20:50", "2025-12-17 20:50:00"),
        ("17-Dec-2025", "2025-12-17"),
        ("05-May-20", "2020-05-05"),
        ("14. Juni 2020", "2020-06-14"),
        ("Sat 3rd of May, 2025", "2025-05-03"),
        ("Sep 19, 2025, 02:49 AM", "2025-09-19 02:49:00"),
        ("Sep 19, 2025, 12:49 AM", "2025-09-19 00:49:00"),
        ("September 19th, 2025 at 12:49pm", "2025-09-19 12:49:00"),
        ("31/12/2024", "2024-12-31"),
        ("12/31/2024", "2024-12-31"),
        ("31.12.2024 20:15", "2024-12-31 20:15:00"),
        ("31.12.24", "2024-12-31"),
        ("14. 6. 2020", "2020-06-14"),
        ("2020. 6. 14.", "2020-06-14"),
        ("03-04-2025, 01:47 PM", "2025-03-04 13:47:00"),
        ("31/12/98", "1998-12-31"),
        ("2026 Sep 12", "2026-09-12"),
        ("20:50, 17 Dec 2025", "2025-12-17 20:50:00"),
        ("March 2024", "2024-03-01"),
        ("8-22 20:15", "2026-08-22 20:15:00"),
        ("Jan 5, 2020 10:30 PST", "2020-01-05 18:30:00"),
        ("Jan 5, 2020 10:30 (GMT+8)", "2020-01-05 02:30:00"),
        ("2020-01-05 10:30 UTC-5", "2020-01-05 15:30:00"),
    ]);
}

#[test]
fn a_missing_year_is_the_latest_that_is_not_after_the_capture() {
    reads(&[
        ("January 30", "2026-01-30"),
        ("Oct 3", "2025-10-03"),
        ("3 Oct, 20:15", "2025-10-03 20:15:00"),
        ("4月20日", "2026-04-20"),
        ("12月3日 下午3:20", "2025-12-03 15:20:00"),
        ("Sat 3 May", "2025-05-03"),
        ("29 Feb", "2024-02-29"),
    ]);
    assert_eq!(read("January 30", &Order::default(), None), None);
    assert!(tells("January 30"));
}

#[test]
fn what_is_relative_counts_from_the_capture() {
    reads(&[
        ("3 hours ago", "2026-09-22 09:00:00"),
        ("an hour ago", "2026-09-22 11:00:00"),
        ("about 2 days ago", "2026-09-20 12:00:00"),
        ("1 day, 2 hours ago", "2026-09-21 10:00:00"),
        ("half an hour ago", "2026-09-22 11:30:00"),
        ("2 months ago", "2026-07-22 12:00:00"),
        ("a year ago", "2025-09-22 12:00:00"),
        ("Yesterday, 01:47 PM", "2026-09-21 13:47:00"),
        ("Today 04:32:33", "2026-09-22 04:32:33"),
        ("Today at 04:32:33 AM", "2026-09-22 04:32:33"),
        ("yesterday", "2026-09-21"),
        ("last Monday", "2026-09-21"),
        ("Monday at 5:20 PM", "2026-09-21 17:20:00"),
        ("just now", "2026-09-22 12:00:00"),
        ("5 mins", "2026-09-22 11:55:00"),
        ("3h", "2026-09-22 09:00:00"),
        ("2d", "2026-09-20 12:00:00"),
        ("last week", "2026-09-15 12:00:00"),
    ]);
}

#[test]
fn dates_of_chinese_japanese_and_korean_are_read() {
    reads(&[
        ("昨天 20:22", "2026-09-21 20:22:00"),
        ("昨天20:22", "2026-09-21 20:22:00"),
        ("前天 08:01", "2026-09-20 08:01:00"),
        ("前天", "2026-09-20"),
        ("7 天前", "2026-09-15 12:00:00"),
        ("7\u{a0}天前", "2026-09-15 12:00:00"),
        ("半小时前", "2026-09-22 11:30:00"),
        ("半小時前", "2026-09-22 11:30:00"),
        ("两小时前", "2026-09-22 10:00:00"),
        ("十二分钟前", "2026-09-22 11:48:00"),
        ("3个月前", "2026-06-22 12:00:00"),
        ("刚刚", "2026-09-22 12:00:00"),
        ("发表于 2025-12-09 05:43", "2025-12-09 05:43:00"),
        ("发表于 昨天 05:43", "2026-09-21 05:43:00"),
        ("2020年6月14日 上午9:05", "2020-06-14 09:05:00"),
        ("2020年6月14日下午3时20分", "2020-06-14 15:20:00"),
        ("2020年6月14日 星期日 晚上9点半", "2020-06-14 21:30:00"),
        ("２０２０年６月１４日", "2020-06-14"),
        ("２０２０－６－１４　１０：３０", "2020-06-14 10:30:00"),
        ("二〇二五年三月十二日", "2025-03-12"),
        ("2025年3月", "2025-03-01"),
        ("中午12:30 2025-03-01", "2025-03-01 12:30:00"),
        ("2020/06/14(日) 10:30:12", "2020-06-14 10:30:12"),
        ("2020年6月14日 10時30分", "2020-06-14 10:30:00"),
        ("午後3:20 2020/6/14", "2020-06-14 15:20:00"),
        ("3時間前", "2026-09-22 09:00:00"),
        ("5分前", "2026-09-22 11:55:00"),
        ("昨日 10:30", "2026-09-21 10:30:00"),
        ("2020년 6월 14일 오후 3:20", "2020-06-14 15:20:00"),
        ("2020.06.14. 오전 3시 20분", "2020-06-14 03:20:00"),
        ("3시간 전", "2026-09-22 09:00:00"),
        ("어제 10:30", "2026-09-21 10:30:00"),
    ]);
}

#[test]
fn dates_of_european_languages_are_read() {
    reads(&[
        ("vor 2 Stunden", "2026-09-22 10:00:00"),
        ("vor einer Stunde", "2026-09-22 11:00:00"),
        ("gestern um 12:03", "2026-09-21 12:03:00"),
        ("Gestern, 12:03 Uhr", "2026-09-21 12:03:00"),
        ("vorgestern 12:03", "2026-09-20 12:03:00"),
        ("Verfasst am: Mi 14. Mär 2020, 20.50 Uhr", "2020-03-14 20:50:00"),
        ("Montag, 14. Dezember 2020 um 10:30 Uhr", "2020-12-14 10:30:00"),
        ("il y a 3 jours", "2026-09-19 12:00:00"),
        ("il y a environ une heure", "2026-09-22 11:00:00"),
        ("hier à 12:03", "2026-09-21 12:03:00"),
        ("Aujourd'hui à 08h15", "2026-09-22 08:15:00"),
        ("14 février 2020 à 10 h 30", "2020-02-14 10:30:00"),
        ("1er août 2019", "2019-08-01"),
        ("lundi dernier", "2026-09-21"),
        ("hace 3 días", "2026-09-19 12:00:00"),
        ("14 de junio de 2020 a las 10:30", "2020-06-14 10:30:00"),
        ("5 ago. 2020", "2020-08-05"),
        ("anteayer, 10:30", "2026-09-20 10:30:00"),
        ("há 2 dias", "2026-09-20 12:00:00"),
        ("2 dias atrás", "2026-09-20 12:00:00"),
        ("14 de março de 2020 às 10h30", "2020-03-14 10:30:00"),
        ("ontem às 10:30", "2026-09-21 10:30:00"),
        ("3 giorni fa", "2026-09-19 12:00:00"),
        ("un'ora fa", "2026-09-22 11:00:00"),
        ("ieri alle 10:30", "2026-09-21 10:30:00"),
        ("lunedì 14 dicembre 2020, ore 10.30", "2020-12-14 10:30:00"),
        ("3 dagen geleden", "2026-09-19 12:00:00"),
        ("gisteren om 10:30", "2026-09-21 10:30:00"),
        ("14 mrt 2020 10:30 uur", "2020-03-14 10:30:00"),
        ("3 dni temu", "2026-09-19 12:00:00"),
        ("godzinę temu", "2026-09-22 11:00:00"),
        ("wczoraj o 10:30", "2026-09-21 10:30:00"),
        ("14 października 2020, 10:30", "2020-10-14 10:30:00"),
        ("14 września 2020 r.", "2020-09-14"),
        ("3 дня назад", "2026-09-19 12:00:00"),
        ("час назад", "2026-09-22 11:00:00"),
        ("вчера в 10:30", "2026-09-21 10:30:00"),
        ("14 июня 2020 г., 10:30", "2020-06-14 10:30:00"),
        ("Пн мар 14, 2020 10:30 am", "2020-03-14 10:30:00"),
        ("3 gün önce", "2026-09-19 12:00:00"),
        ("dün saat 10:30", "2026-09-21 10:30:00"),
        ("14 Ağustos 2020 10:30", "2020-08-14 10:30:00"),
        ("14 Kasım 2020", "2020-11-14"),
        ("3 ngày trước", "2026-09-19 12:00:00"),
        ("14 Tháng sáu 2020", "2020-06-14"),
        ("14 thg 6, 2020", "2020-06-14"),
        ("۳ روز پیش", "2026-09-19 12:00:00"),
        ("۱۲ فروردین ۱۴۰۳", "2024-03-31"),
        ("۱۴۰۳/۰۵/۱۲ ۱۰:۳۰", "2024-08-02 10:30:00"),
        ("30 اسفند 1399", "2021-03-20"),
        ("för 3 dagar sedan", "2026-09-19 12:00:00"),
    ]);
}

#[test]
fn habits_of_forums_are_read() {
    reads(&[
        ("Answer #3 on September 19, 2025, 02:49:22 AM", "2025-09-19 02:49:22"),
        ("« Edited: May 05, 2020, 03:20:11 pm by Bob »", "2020-05-05 15:20:11"),
        ("by Alice » 17 Dec 2025, 20:50", "2025-12-17 20:50:00"),
        ("Thu, 5 Mar 2020 at 10:20", "2020-03-05 10:20:00"),
        ("2020-03-05 10:20:30 +0800", "2020-03-05 02:20:30"),
        ("03 Mar, 2020", "2020-03-03"),
        ("Mar 3rd '20 at 5:30pm", "2020-03-03 17:30:00"),
        ("3 Mar 2020 @ 10:20", "2020-03-03 10:20:00"),
        ("10:20 - 3 Mar 2020", "2020-03-03 10:20:00"),
        ("1 min ago", "2026-09-22 11:59:00"),
        ("2w ago", "2026-09-08 12:00:00"),
        ("3mo ago", "2026-06-22 12:00:00"),
        ("less than a minute ago", "2026-09-22 11:59:00"),
        ("over 2 years ago", "2024-09-22 12:00:00"),
        ("Published 2 days ago", "2026-09-20 12:00:00"),
        ("5hrs", "2026-09-22 07:00:00"),
        ("发表于 3 天前", "2026-09-19 12:00:00"),
        ("发表于 2025-12-9 05:43:21 | 引用", "2025-12-09 05:43:21"),
        ("最后发表 昨天\u{a0}20:22", "2026-09-21 20:22:00"),
        ("昨天 下午 3:20", "2026-09-21 15:20:00"),
        ("今天 09:12", "2026-09-22 09:12:00"),
        ("2 分鐘前", "2026-09-22 11:58:00"),
        ("3 周前", "2026-09-01 12:00:00"),
        ("2020年3月5日 週四", "2020-03-05"),
        ("2020-3-5 下午 03:20:11", "2020-03-05 15:20:11"),
        ("1 週間前", "2026-09-15 12:00:00"),
        ("2ヶ月前", "2026-07-22 12:00:00"),
        ("5일 전", "2026-09-17 12:00:00"),
        ("2주 전", "2026-09-08 12:00:00"),
        ("2020-03-05 오후 3:20", "2020-03-05 15:20:00"),
        ("vor 5 Min.", "2026-09-22 11:55:00"),
        ("vor über einem Jahr", "2025-09-22 12:00:00"),
        ("Heute um 10:20 Uhr", "2026-09-22 10:20:00"),
        ("Mittwoch, 10:20", "2026-09-16 10:20:00"),
        ("hace una hora", "2026-09-22 11:00:00"),
        ("ayer a las 10:20", "2026-09-21 10:20:00"),
        ("Hier à 10h20", "2026-09-21 10:20:00"),
        ("Aujourd’hui, 10:20", "2026-09-22 10:20:00"),
        ("mar. 3 mars 2020", "2020-03-03"),
        ("dim. 01 mars 2020 10:20", "2020-03-01 10:20:00"),
        ("há uma hora", "2026-09-22 11:00:00"),
        ("Hoje às 10:20", "2026-09-22 10:20:00"),
        ("seg 14 set 2020", "2020-09-14"),
        ("2 ore fa", "2026-09-22 10:00:00"),
        ("oggi, 10:20", "2026-09-22 10:20:00"),
        ("een dag geleden", "2026-09-21 12:00:00"),
        ("2 godziny temu", "2026-09-22 10:00:00"),
        ("Dzisiaj, 10:20", "2026-09-22 10:20:00"),
        ("5 мин. назад", "2026-09-22 11:55:00"),
        ("Сегодня, 10:20", "2026-09-22 10:20:00"),
        ("2 saat önce", "2026-09-22 10:00:00"),
        ("bugün 10:20", "2026-09-22 10:20:00"),
        ("2 giờ trước", "2026-09-22 10:00:00"),
        ("Hôm qua lúc 10:20", "2026-09-21 10:20:00"),
        ("۵ دقیقه پیش", "2026-09-22 11:55:00"),
        ("Sonntag 5. April 2020, 19:40 Uhr", "2020-04-05 19:40:00"),
        ("2020-06-14, 10:30 AM EST", "2020-06-14 15:30:00"),
    ]);
}

#[test]
fn small_words_around_a_date_do_not_matter() {
    reads(&[
        ("Posted: 2025-12-09 05:43", "2025-12-09 05:43:00"),
        ("» Tue Dec 09, 2025 5:43 am", "2025-12-09 05:43:00"),
        ("#3 2025-12-09 05:43:00", "2025-12-09 05:43:00"),
        ("#12 Dec 9, 2025", "2025-12-09"),
        ("Posted on December 9, 2025", "2025-12-09"),
        ("Joined Mar 2020", "2020-03-01"),
        ("Last post by on 2025-12-09", "2025-12-09"),
        ("(2025-12-09)", "2025-12-09"),
    ]);
}

#[test]
fn ordinary_words_and_numbers_are_no_dates() {
    for text in [
        "May I",
        "March on",
        "1999 model",
        "4/5 stars",
        "4/5",
        "1.2.3",
        "version 1.2.3",
        "10.0.0.1",
        "192.168.10.12",
        "$12.05",
        "12.05 €",
        "555-12-3456",
        "+1 555 123 4567",
        "2 days",
        "3 hours",
        "12:30",
        "10 out of 10",
        "2020",
        "page 3 of 12",
        "3 replies",
        "you may 5",
        "Jetzt kaufen",
        "Today's deals",
        "hier",
        "5 min read",
        "24/7",
        "50%",
        "3-2",
        "1,234",
        "12-15 people",
        "ISO 8601-2",
        "A4",
        "mp3",
        "Mon ami",
        "so 5",
        "do 10",
        "10 so",
        "Sun",
        "an",
        "a",
        "",
        "   ",
        "第3页",
        "共 12 页",
        "3楼",
        "12/13",
        "20260922",
        "1790078400",
        "10-20-30-40",
        "2025-13-45",
        "99/99/9999",
        "May",
        "second",
        "now",
        "5 set",
        "I saw it 5 times",
        "for 3 days",
        "1.5h",
        "2026-09-22-2",
        "12:30:45",
    ] {
        assert_eq!(at(text), None, "{text}");
    }
}

#[test]
fn the_first_date_is_found_in_running_text() {
    let captured = Some(CAPTURED);
    let found = |text: &str| {
        find(text, &Order::default(), captured)
            .map(|(range, moment)| (text[range].to_owned(), moment.to_string()))
    };
    for (text, date, expected) in [
        ("by Alice, 3 hours ago, 5 replies", "3 hours ago", "2026-09-22T09:00:00Z"),
        ("X 发表于 2025-12-09 05:43 说了", "2025-12-09 05:43", "2025-12-09T05:43:00Z"),
        ("Version 1.2.3 of 5 May 2020.", "5 May 2020", "2020-05-05T00:00:00Z"),
        (
            "at 12:30 we met on March 3, 2020 at noon",
            "March 3, 2020 at noon",
            "2020-03-03T12:00:00Z",
        ),
        (
            "Zuletzt geändert von Bob am 14.06.2020 (10:30)",
            "14.06.2020 (10:30",
            "2020-06-14T10:30:00Z",
        ),
    ] {
        assert_eq!(found(text), Some((date.to_owned(), expected.to_owned())), "{text}");
    }
    for text in
        ["I went there yesterday and may 5 times more", "see 10.0.0.1 or call 555-1234 for 3 days"]
    {
        assert_eq!(found(text), None, "{text}");
    }
}

#[test]
fn the_order_of_numbers_is_voted_over_the_site() {
    let captured = Some(CAPTURED);
    let day =
        |text: &str, order: &Order| read(text, order, captured).map(|moment| moment.to_string());
    let order = Order::vote(["05/06/2025", "05/28/2025"], captured);
    assert_eq!(day("05/06/2025", &order).as_deref(), Some("2025-05-06T00:00:00Z"));
    let order = Order::vote(["05/06/2025", "28/05/2025"], captured);
    assert_eq!(day("05/06/2025", &order).as_deref(), Some("2025-06-05T00:00:00Z"));
    // None of them is above 12, but only one order has them all before the capture.
    let order = Order::vote(["05/06/2025", "09/10/2026"], captured);
    assert_eq!(day("05/06/2025", &order).as_deref(), Some("2025-05-06T00:00:00Z"));
    // The posts of a thread follow one another.
    let order = Order::vote(["03/09/2025", "03/10/2025", "03/11/2025", "03/12/2025"], captured);
    assert_eq!(day("03/11/2025", &order).as_deref(), Some("2025-03-11T00:00:00Z"));
    let order = Order::vote(["25-03-09", "25-03-28", "24-12-30"], captured);
    assert_eq!(day("25-03-11", &order).as_deref(), Some("2025-03-11T00:00:00Z"));
}

#[test]
fn a_column_of_days_without_years_says_what_they_are() {
    let order = Order::vote(["08-22", "09-03", "09-21", "08:15", "昨天 12:30"], Some(CAPTURED));
    let day = |text: &str| read(text, &order, Some(CAPTURED)).map(|moment| moment.to_string());
    assert_eq!(day("08-22").as_deref(), Some("2026-08-22T00:00:00Z"));
    assert_eq!(day("12-24").as_deref(), Some("2025-12-24T00:00:00Z"));
    assert_eq!(day("08:15").as_deref(), Some("2026-09-22T08:15:00Z"));
    assert_eq!(day("3-2"), None);
    // Pairs that are no days, or that both orders fit, say nothing.
    for texts in [["08-22", "09-03", "20-45"], ["01-02", "02-03", "03-04"]] {
        let order = Order::vote(texts, Some(CAPTURED));
        assert_eq!(read("08-22", &order, Some(CAPTURED)), None, "{texts:?}");
    }
    assert!(!tells("08-22") && !tells("08:15"));
}

#[test]
fn without_a_capture_the_latest_date_of_the_site_stands_in() {
    let order = Order::vote(["2024-03-01 10:00", "3 hours ago", "January 30"], None);
    let moment = read("January 30", &order, None).expect("a date");
    assert_eq!(moment.to_string(), "2024-01-30T00:00:00Z");
}

#[test]
fn precision_and_zone_are_what_the_page_says() {
    let moment = |text: &str| read(text, &Order::default(), Some(CAPTURED)).expect(text);
    assert_eq!(moment("2025-12-09").precision, Precision::Day);
    assert_eq!(moment("2025-12-09 05:43").precision, Precision::Minute);
    assert_eq!(moment("2025-12-09 05:43:10").precision, Precision::Second);
    assert_eq!(moment("December 2025").precision, Precision::Month);
    assert_eq!(moment("3 hours ago").precision, Precision::Hour);
    assert_eq!(moment("a few seconds ago").precision, Precision::Minute);
    assert_eq!(moment("2 weeks ago").precision, Precision::Week);
    assert_eq!(moment("2025-12-09T05:43:10+02:00").zone, Some(120));
    assert_eq!(moment("2025-12-09 05:43").zone, None);
    assert!(moment("yesterday").relative && !moment("2025-12-09").relative);
}

fn printed(unix: i64) -> Vec<(String, i64)> {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    const MONATE: [&str; 12] = [
        "Januar",
        "Februar",
        "März",
        "April",
        "Mai",
        "Juni",
        "Juli",
        "August",
        "September",
        "Oktober",
        "November",
        "Dezember",
    ];
    const MESYATSY: [&str; 12] = [
        "января",
        "февраля",
        "марта",
        "апреля",
        "мая",
        "июня",
        "июля",
        "августа",
        "сентября",
        "октября",
        "ноября",
        "декабря",
    ];
    const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
    let civil::Civil { year: y, month: m, day: d } = civil::Civil::of(unix);
    let weekday = DAYS[usize::from(civil::Civil::of(unix).weekday() - 1)];
    let name = usize::from(m - 1);
    let of_day = unix.rem_euclid(civil::DAY);
    let (hour, minute, second) = (of_day / 3_600, of_day / 60 % 60, of_day % 60);
    let (half, twelve) = (if hour < 12 { "AM" } else { "PM" }, (hour + 11) % 12 + 1);
    let han = if hour < 12 { "上午" } else { "下午" };
    let (day, to_minute) = (unix - of_day, unix - second);
    let (month, monat, mesyats) = (MONTHS[name], MONATE[name], MESYATSY[name]);
    vec![
        (format!("{y}-{m:02}-{d:02}T{hour:02}:{minute:02}:{second:02}Z"), unix),
        (format!("{y}-{m:02}-{d:02}T{hour:02}:{minute:02}:{second:02}.25+05:30"), unix - 19_800),
        (
            format!("{weekday}, {d:02} {month} {y} {hour:02}:{minute:02}:{second:02} +0100"),
            unix - 3_600,
        ),
        (format!("{weekday} {month} {d} {hour:02}:{minute:02}:{second:02} {y}"), unix),
        (format!("{month} {d}, {y}, {twelve:02}:{minute:02} {half}"), to_minute),
        (
            format!("{month}. {d}, {y}, {twelve}:{minute:02} {}.m.", &half[..1].to_lowercase()),
            to_minute,
        ),
        (format!("{d} {month} '{:02}", y % 100), day),
        (format!("{d}. {monat} {y} um {hour:02}:{minute:02} Uhr"), to_minute),
        (format!("{d} {mesyats} {y} г., {hour}:{minute:02}"), to_minute),
        (format!("{y}年{m}月{d}日 {han}{twelve}:{minute:02}"), to_minute),
        (format!("{d:02}.{m:02}.{y} {hour:02}:{minute:02}"), to_minute),
        (format!("{y}/{m}/{d} {hour}:{minute:02}:{second:02}"), unix),
        (format!("Posted: {d}-{month}-{y}"), day),
    ]
}

proptest::proptest! {
    #[test]
    fn what_is_printed_is_read_back(unix in 946_684_800_i64..CAPTURED) {
        for (text, expected) in printed(unix) {
            let found = read(&text, &Order::default(), Some(CAPTURED)).map(|moment| moment.unix);
            proptest::prop_assert_eq!(found, Some(expected), "{}", text);
            let around = format!("so it was {text} and nothing more");
            let (range, moment) = find(&around, &Order::default(), Some(CAPTURED)).expect("a date");
            proptest::prop_assert_eq!(moment.unix, expected, "{}", &around);
            proptest::prop_assert!(around[range].len() <= text.len() + 1);
        }
    }

    #[test]
    fn no_text_is_too_strange(text in ".{0,60}", captured in proptest::option::of(proptest::num::i64::ANY)) {
        let order = Order::vote([text.as_str()], captured);
        let _ = read(&text, &order, captured);
        if let Some((range, _)) = find(&text, &order, captured) {
            proptest::prop_assert!(text.get(range).is_some());
        }
    }

    #[test]
    fn no_heap_of_pieces_is_too_strange(
        pieces in proptest::collection::vec(proptest::sample::select(vec![
            "1", "12", "31", "99", "2025", "20260922", "99999999999999999999", "-", "/", ".", ":", ",", "'", "(", ")",
            "+", " ", " ", "T", "Z", "UTC", "May", "mar", "Monday", "ago", "vor", "hours", "半", "小时", "前", "昨天",
            "下午", "年", "月", "日", "点", "分", "a.m.", "PM", "noon", "last", "th", "tháng", "il y a", "#", "二十", "十十",
        ]), 0..24),
        captured in proptest::option::of(proptest::num::i64::ANY),
    ) {
        let text = pieces.concat();
        let order = Order::vote([text.as_str()], captured);
        let whole = read(&text, &order, captured);
        if whole.is_some() {
            proptest::prop_assert!(tells(&text));
        }
        if let Some((range, _)) = find(&text, &order, captured) {
            proptest::prop_assert!(text.get(range).is_some_and(|date| !date.is_empty()));
        }
    }
}

#[test]
fn attributes_tell_more_than_what_is_shown() {
    let page = |html: &str| {
        let page = page::tree::parse_str(html);
        let node = page.dom.elements().find(|node| node.name() == "p").expect("a paragraph");
        of_element(node, &Order::default(), Some(CAPTURED))
            .map(|(moment, shown)| (moment.to_string(), shown))
    };
    for (html, moment, shown) in [
        (
            "<p><time datetime='2025-12-09T05:43:00Z'>3 months ago</time>",
            "2025-12-09T05:43:00Z",
            "3 months ago",
        ),
        ("<p title='2026-9-21 20:22:31'>昨天 20:22", "2026-09-21T20:22:31Z", "昨天 20:22"),
        ("<p data-timestamp=1765258980>Dec 9", "2025-12-09T05:43:00Z", "Dec 9"),
        ("<p data-time=1765258980123>Dec 9", "2025-12-09T05:43:00Z", "Dec 9"),
        ("<p><span content='19-05-15'>15/05/19</span>", "2019-05-15T00:00:00Z", "15/05/19"),
        (
            "<p><abbr title='Tuesday, 9 December 2025 05:43'>9 Dec</abbr>",
            "2025-12-09T05:43:00Z",
            "9 Dec",
        ),
        // The attribute says the day, and what is shown the minute of it.
        (
            "<p><span title='09-22-2026'>Today</span>, 03:30 AM",
            "2026-09-22T03:30:00Z",
            "Today, 03:30 AM",
        ),
        // What is shown is another date: the attribute tells of something else.
        ("<p title='Joined 3 May 2010'>9 December 2025", "2025-12-09T00:00:00Z", "9 December 2025"),
        (
            "<p data-id=1765258980>by Ann, 3 hours ago",
            "2026-09-22T09:00:00Z",
            "by Ann, 3 hours ago",
        ),
        ("<p><meta content='2025-12-09'>", "2025-12-09T00:00:00Z", "2025-12-09"),
        // The day is in an attribute, its time is not.
        (
            "<p><span title='09-21-2026'>Yesterday</span>, 01:55 AM",
            "2026-09-21T01:55:00Z",
            "Yesterday, 01:55 AM",
        ),
        ("<p title='2026-09-22'>3 hours ago", "2026-09-22T09:00:00Z", "3 hours ago"),
        // The exact instant is in an attribute of what holds nothing else.
        ("<b title='2025-03-09 05:43:10'><p>Mar '25</p></b>", "2025-03-09T05:43:10Z", "Mar '25"),
        // Whatever an attribute is called: what it says is what is shown, only more exact.
        ("<p data-at=1741499000123>Mar '25", "2025-03-09T05:43:20Z", "Mar '25"),
        ("<p><b data-x=1790067599>3h</b>", "2026-09-22T08:59:59Z", "3h"),
        ("<b data-of='2025-03-09T05:43:10Z'><p>Mar '25</p></b>", "2025-03-09T05:43:10Z", "Mar '25"),
        ("<p data-post=1641499000>Mar '25", "2025-03-01T00:00:00Z", "Mar '25"),
    ] {
        assert_eq!(page(html), Some((moment.to_owned(), shown.to_owned())), "{html}");
    }
    assert_eq!(page("<p data-id=1765258980 data-count=12 title='12 posts'>Ann"), None);
    assert_eq!(page("<p data-timestamp=12>Ann"), None);
    assert_eq!(page("<p title='12 May 2024, the day when the pump broke'>Ann"), None);
    assert_eq!(page("<b title='2025-03-09 05:43:10'>by <p>Ann</p></b>"), None);
}

#[test]
fn a_colon_before_a_date_ends_a_label() {
    for text in ["：2025/12/09(火) 05:43:21.50 ID:abc0", "投稿日：2025/12/09 05:43", ": 2025-12-09"]
    {
        let found = find(text, &Order::default(), Some(CAPTURED));
        assert!(
            found.is_some_and(|(_, moment)| moment.to_string().starts_with("2025-12-09")),
            "{text}"
        );
    }
    assert!(find("localhost:2025/12/09", &Order::default(), None).is_none());
}
