//! Threads in the manner of many forums, and what is left of their posts.

use super::*;
use page::tree::{Dom, parse_str};

/// A thread: its title, and the author, content and level of each post.
struct Given {
    title: &'static str,
    dom: Dom,
    authors: Vec<String>,
    depths: Vec<u16>,
    links: Vec<Url>,
}

fn base() -> Url {
    Url::parse("https://forum.example/topic?id=7").expect("an address")
}

fn thread(title: &'static str, posts: &[(&str, &str)]) -> Given {
    let html: String =
        posts.iter().map(|(_, content)| format!("<article>{content}</article>")).collect();
    Given {
        title,
        dom: parse_str(&html).dom,
        authors: posts.iter().map(|(author, _)| (*author).to_owned()).collect(),
        depths: vec![0; posts.len()],
        links: (0..posts.len()).map(|at| base().join(&format!("#p{at}")).expect("joins")).collect(),
    }
}

fn posts<'a>(given: &'a Given, base: &'a Url) -> Vec<Post<'a>> {
    let nodes = given.dom.elements().filter(|node| node.name() == "article");
    nodes
        .enumerate()
        .map(|(at, node)| Post {
            author: given.authors.get(at).map(String::as_str),
            permalink: given.links.get(at),
            title: Some(given.title),
            base: Some(base),
            depth: given.depths[at],
            ..Post::new(&given.dom, vec![node.id()])
        })
        .collect()
}

/// The contents of all posts of the first thread, with what all of them teach.
fn clean(threads: &[Given]) -> Vec<Content> {
    let base = base();
    let lists: Vec<Vec<Post<'_>>> = threads.iter().map(|given| posts(given, &base)).collect();
    Cleaner::learn(&lists).clean(&lists[0])
}

fn texts(threads: &[Given]) -> Vec<String> {
    clean(threads).into_iter().map(|content| content.text).collect()
}

const PUMP: &str = "The old pump in my cellar runs dry whenever the valve is shut by hand.";
const GATE: &str = "Mine did the same until I greased the hinge of the small iron gate.";
const BOOK: &str = "Look it up in the green book, chapter nine, there is a drawing of it.";

#[test]
fn a_quote_with_its_author_inside_is_cut_and_says_which_post_it_is_of() {
    let quote = format!(
        "<blockquote><cite><a href='#p0'>Quote from: Ann on Sep 19, 2026, 02:49 AM</a></cite>{PUMP}</blockquote>Did you try oil?"
    );
    let found = clean(&[thread("Pump", &[("Ann", PUMP), ("Bob", &quote)])]);
    assert_eq!(found[1].text, "Did you try oil?");
    assert_eq!(found[1].quoted, [0]);
    assert!(found[1].quotes[0].contains("runs dry"));
}

#[test]
fn a_chinese_quote_shortened_with_dots_is_cut_with_its_header() {
    let said = "这台水泵每次用手关上阀门以后都会空转，说明书里没有写原因，也没有人回答我的邮件。";
    let quote = "<div class=q><blockquote><font size=2><a href='find?pid=1'><font color='#999'>山水之间 发表于 2025-12-09 05:43</font></a></font><br>这台水泵每次用手关上阀门以后都会空转，说明书里 ...</blockquote></div><br>你换过密封圈吗？";
    let found = clean(&[thread("水泵", &[("山水之间", said), ("湖边", quote)])]);
    assert_eq!(found[1].text, "你换过密封圈吗？");
    assert_eq!(found[1].quoted, [0]);
}

#[test]
fn a_header_in_the_paragraph_before_the_quote_goes_with_it() {
    let quote = format!(
        "<p><a href='/user/ann'>@Ann</a> said in <a href='/post/1'>Pump trouble</a>:</p><blockquote><p>{PUMP}</p></blockquote><p>How old is it?</p>"
    );
    let found = clean(&[thread("Pump trouble", &[("Ann", PUMP), ("Bob", &quote)])]);
    assert_eq!(found[1].text, "How old is it?");
}

#[test]
fn a_sentence_of_the_author_before_a_quote_stays() {
    let quote = format!(
        "<p>I would start with this part of it:</p><blockquote>{PUMP}</blockquote><p>So, oil.</p>"
    );
    let found = clean(&[thread("Pump", &[("Ann", PUMP), ("Bob", &quote)])]);
    assert_eq!(found[1].text, "I would start with this part of it:\nSo, oil.");
}

#[test]
fn quotes_in_tables_are_learned_from_those_that_prove_to_be_some() {
    let quote = |name: &str, text: &str, reply: &str| {
        format!(
            "<div style='margin:20px'><div class=small>Quote:</div><table><tr><td class=alt>Originally posted by <b>{name}</b><div style='font-style:italic'>{text}</div></td></tr></table></div>{reply}"
        )
    };
    let (one, two) = (quote("Ann", PUMP, "Use oil."), quote("Bob", GATE, "Thanks a lot."));
    // Of a thread that we do not have.
    let far = quote("Eve", "Never mix the two kinds of grease, they turn to stone.", "True.");
    let found = clean(&[
        thread("Pump", &[("Ann", PUMP), ("Bob", &one), ("Cid", &far), ("Dan", "Why not?")]),
        thread("Gate", &[("Bob", GATE), ("Ann", &two), ("Eve", BOOK)]),
    ]);
    let texts: Vec<&str> = found.iter().map(|content| content.text.as_str()).collect();
    assert_eq!(texts, [PUMP, "Use oil.", "True.", "Why not?"]);
    assert_eq!(found[1].quoted, [0]);
}

#[test]
fn a_quote_within_a_quote_leads_to_the_post_that_is_quoted() {
    let inner = format!("<blockquote><cite>Ann wrote:</cite>{PUMP}</blockquote>");
    let second = format!("{inner}{GATE}");
    let third =
        format!("<blockquote><cite>Bob wrote:</cite>{second}</blockquote>What grease was that?");
    let found = clean(&[thread("Pump", &[("Ann", PUMP), ("Bob", &second), ("Cid", &third)])]);
    assert_eq!((found[2].text.as_str(), &found[2].quoted[..]), ("What grease was that?", &[1][..]));
    let again = format!("{inner}Still so?");
    let found = clean(&[thread("Pump", &[("Ann", PUMP), ("Bob", &second), ("Cid", &again)])]);
    assert_eq!(found[2].quoted, [0]);
}

#[test]
fn a_quote_of_a_few_words_is_told_by_its_element_and_its_author() {
    let quote = "<blockquote><p><a class=m href='/u/ann'>@Ann</a> said:<br>Yes.</p></blockquote><p>Good.</p>";
    let found = clean(&[thread("Pump", &[("Ann", "Yes."), ("Bob", quote)])]);
    assert_eq!((found[1].text.as_str(), &found[1].quoted[..]), ("Good.", &[0][..]));
}

#[test]
fn posts_that_are_wholly_in_an_element_for_quotes_are_kept() {
    let post = |text: &str| format!("<blockquote class=body>{text}</blockquote>");
    let (a, b, c) = (post(PUMP), post(GATE), post(PUMP));
    let given = [
        thread("Pump", &[("Ann", &a), ("Bob", &b), ("Ann", &c)]),
        thread("Book", &[("Cid", &post(BOOK)), ("Bob", &post("No."))]),
    ];
    assert_eq!(texts(&given), [PUMP, GATE, PUMP]);
}

#[test]
fn what_two_authors_say_alike_is_no_quote() {
    let same = "<p>Mine failed the same way after one winter.</p>";
    let longer = format!("{same}<p>{GATE}</p>");
    let given = [thread("Pump", &[("Ann", same), ("Bob", &longer), ("Cid", same)])];
    assert_eq!(texts(&given)[1], format!("Mine failed the same way after one winter.\n{GATE}"));
    assert_eq!(texts(&given)[2], "Mine failed the same way after one winter.");
}

#[test]
fn lines_that_begin_with_an_angle_are_quotes_as_in_mail() {
    let mail = "Ann wrote:<br>&gt; The old pump in my cellar runs dry<br>&gt; whenever the valve is shut by hand.<br>Is it &gt; 10 years old?";
    let found = clean(&[thread("Pump", &[("Ann", PUMP), ("Bob", mail)])]);
    assert_eq!(found[1].text, "Is it > 10 years old?");
    assert_eq!(found[1].quoted, [0]);
}

fn signed(text: &str, signature: &str) -> String {
    format!("<div class=text>{text}</div>{signature}")
}

#[test]
fn a_signature_is_cut_also_under_the_only_post_of_its_author() {
    let sig = |text: &str| format!("<div class=s><hr>{text}</div>");
    let (ann, bob, eve) =
        (sig("Measure twice, cut once."), sig("Gruß aus <b>Graz</b>"), sig("Nur einmal hier"));
    let given = [
        thread(
            "A",
            &[
                ("Ann", &signed(PUMP, &ann)),
                ("Bob", &signed(GATE, &bob)),
                ("Eve", &signed(BOOK, &eve)),
            ],
        ),
        thread(
            "B",
            &[
                ("Bob", &signed("Ja.", &bob)),
                ("Ann", &signed("So it is.", &ann)),
                ("Cid", "<div class=text>Well.</div>"),
            ],
        ),
    ];
    let found = clean(&given);
    assert_eq!(found.iter().map(|c| c.text.as_str()).collect::<Vec<_>>(), [PUMP, GATE, BOOK]);
    assert!(!found[0].html.contains("<hr>"));
}

#[test]
fn a_signature_below_a_line_of_marks_goes_with_it() {
    let post = |text: &str| {
        format!("{text}<br>_________<br>Ann, <a href='https://ann.example/'>my site</a>")
    };
    let (one, two, three) = (post(PUMP), post(GATE), post("Thanks!"));
    let given = [
        thread("A", &[("Ann", &one), ("Bob", "Just two lines.<br>Nothing else.")]),
        thread("B", &[("Ann", &two), ("Bob", "So?"), ("Ann", &three)]),
    ];
    let found = clean(&given);
    assert_eq!(found[0].text, PUMP);
    assert!(found[0].links.is_empty());
    assert_eq!(found[1].text, "Just two lines.\nNothing else.");
}

#[test]
fn edit_notes_of_any_language_are_cut_and_sentences_with_dates_are_not() {
    let note = |name: &str, date: &str| {
        format!("<i class=st> 本帖最后由 {name} 于 {date} 编辑 </i><br><br>")
    };
    let own = "<p>我在2015年7月8日下的单，到现在还没有发货。</p>";
    let posts = [
        ("老王", format!("{}<p>水泵不转了。</p>{own}", note("老王", "2025-12-09 05:43"))),
        (
            "小李",
            format!(
                "{}<p>换一个吧。</p><p>我在2018年1月18日下的单，到现在还没有发货。</p>",
                note("小李", "2025-12-10 11:02")
            ),
        ),
        (
            "老王",
            format!(
                "{}<p>谢谢。</p><p>我在2019年3月1日下的单，到现在还没有发货。</p>",
                note("老王", "2026-1-2 20:22")
            ),
        ),
        ("小李", "<p>不客气。</p>".to_owned()),
    ];
    let borrowed: Vec<(&str, &str)> =
        posts.iter().map(|(name, html)| (*name, html.as_str())).collect();
    let found = texts(&[thread("水泵", &borrowed)]);
    assert_eq!(found[0], "水泵不转了。\n我在2015年7月8日下的单，到现在还没有发货。");
    assert_eq!(found[2], "谢谢。\n我在2019年3月1日下的单，到现在还没有发货。");
}

#[test]
fn an_edit_note_without_an_element_of_its_own_is_told_by_the_name_in_it() {
    let post = |name: &str, text: &str, date: &str| {
        format!("{text}<br><br>Zuletzt bearbeitet von {name} am {date}; insgesamt 1-mal")
    };
    let (a, b, c) = (
        post("Ann", PUMP, "03.05.2021 14:20"),
        post("Bob", GATE, "04.05.2021 09:11"),
        post("Ann", BOOK, "11.06.2021 23:59"),
    );
    let found = texts(&[thread("Pumpe", &[("Ann", &a), ("Bob", &b), ("Ann", &c)])]);
    assert_eq!(found, [PUMP, GATE, BOOK]);
}

#[test]
fn code_with_dates_and_words_that_repeat_is_no_note() {
    let post = |text: &str, day: u32| {
        format!("<p>{text}</p><div class=code><pre>started 2024-03-{day} by worker</pre></div>")
    };
    let given = [thread(
        "A",
        &[("Ann", &post(PUMP, 11)), ("Bob", &post(GATE, 12)), ("Cid", &post(BOOK, 13))],
    )];
    assert!(texts(&given)[1].ends_with("started 2024-03-12 by worker"));
}

#[test]
fn a_post_of_nothing_but_a_picture_says_nothing() {
    let sig = |text: &str| format!("<div class=s>{text}</div>");
    let (ann, bob) = (sig("Measure twice, cut once."), sig("Gruß aus Graz"));
    let picture = signed("<img src=a.png alt='a pump'>", &ann);
    let given = [
        thread("A", &[("Ann", &picture), ("Bob", &signed(GATE, &bob))]),
        thread(
            "B",
            &[
                ("Bob", &signed("Ja.", &bob)),
                ("Ann", &signed(BOOK, &ann)),
                ("Ann", &signed("So.", &ann)),
            ],
        ),
    ];
    let found = clean(&given);
    assert_eq!(found[0].text, "");
    assert!(found[0].html.contains("a.png"));
}

#[test]
fn a_signature_that_two_authors_share_is_not_taken_for_a_quote() {
    let sig = "<div class=s>Measure twice, cut once, and never look back again.</div>";
    let posts = |texts: [&str; 4]| texts.map(|text| signed(text, sig));
    let (a, b) = (posts([PUMP, GATE, BOOK, "Oh."]), posts(["One.", "Two.", "Three.", "Four."]));
    let given = [
        thread("A", &[("Ann", &a[0]), ("Bob", &a[1]), ("Ann", &a[2]), ("Bob", &a[3])]),
        thread("B", &[("Ann", &b[0]), ("Bob", &b[1]), ("Ann", &b[2]), ("Bob", &b[3])]),
    ];
    let found = clean(&given);
    assert_eq!(
        found.iter().map(|c| c.text.as_str()).collect::<Vec<_>>(),
        [PUMP, GATE, BOOK, "Oh."]
    );
    assert!(found.iter().all(|content| content.quoted.is_empty() && content.quotes.is_empty()));
}

#[test]
fn a_signature_above_an_edit_note_is_cut_too() {
    let post = |name: &str, text: &str, n: u32| {
        format!(
            "<div>{text}</div><div class=sig>-- <br>{name} of the hills</div><div class=e>Last edited by {name}; {n} May 2021 at 10:{n}.</div>"
        )
    };
    let given = [
        thread("A", &[("Ann", &post("Ann", PUMP, 11)), ("Bob", &post("Bob", GATE, 12))]),
        thread("B", &[("Bob", &post("Bob", BOOK, 13)), ("Ann", &post("Ann", "No.", 14))]),
    ];
    assert_eq!(texts(&given), [PUMP, GATE]);
}

#[test]
fn the_subject_above_posts_is_cut_and_a_title_in_the_text_is_not() {
    let post = |subject: &str, text: &str| format!("<h3>{subject}</h3><p>{text}</p>");
    let given = [
        thread(
            "Dry pump",
            &[
                ("Ann", &post("Dry pump", PUMP)),
                ("Bob", &post("Re: Dry pump", "<b>Dry pump</b>? Oil it.")),
                ("Cid", &post("AW: Dry pump", BOOK)),
            ],
        ),
        thread("Iron gate", &[("Bob", &post("Iron gate", GATE))]),
    ];
    assert_eq!(texts(&given), [PUMP, "Dry pump? Oil it.", BOOK]);
}

#[test]
fn labels_and_buttons_that_every_post_shows_are_cut() {
    let code = |text: &str, code: &str| {
        format!(
            "<p>{text}</p><dl class=c><dt>Code: <a href='#'>Select all</a></dt><dd><code>{code}</code></dd></dl><div><a href='/report'>Report</a><br><button>Like</button></div>"
        )
    };
    let given = [
        thread("A", &[("Ann", &code("First.", "x = 1")), ("Bob", &code("Second.", "y = 2"))]),
        thread(
            "B",
            &[
                ("Cid", &code("Third.", "z = 3")),
                ("Ann", &code("Fourth.", "w = 4")),
                ("Bob", "<p>Fifth.</p>"),
            ],
        ),
    ];
    assert_eq!(texts(&given), ["First.\nx = 1", "Second.\ny = 2"]);
}

#[test]
fn a_count_below_every_post_is_cut_and_a_number_that_is_said_is_not() {
    let post = |text: &str, likes: u32| format!("<p>{text}</p><div class=n>{likes}</div>");
    let given = [
        thread(
            "A",
            &[("Ann", &post("How many?", 3)), ("Bob", &post("42", 17)), ("Cid", &post(BOOK, 0))],
        ),
        thread("B", &[("Ann", &post(PUMP, 5)), ("Bob", &post(GATE, 9))]),
    ];
    assert_eq!(texts(&given), ["How many?", "42", BOOK]);
}

#[test]
fn links_names_and_levels_say_which_post_is_answered() {
    let link = "<p>As <a href='#p0'>above</a>.</p>";
    let mut given = thread(
        "A",
        &[
            ("Ann", PUMP),
            ("Bob", GATE),
            ("Ann", BOOK),
            ("Cid", link),
            ("Dan", "@Ann: which one?"),
            ("Eve", "No."),
        ],
    );
    let found = clean(std::slice::from_ref(&given));
    assert_eq!((&found[3].quoted[..], &found[4].quoted[..]), (&[0][..], &[2][..]));
    let other = "<p>As <a href='/find?post=1#p1'>above</a>, or <a href='https://else.example/#p0'>here</a>.</p>";
    let found = clean(&[thread("A", &[("Ann", PUMP), ("Bob", GATE), ("Cid", other)])]);
    assert_eq!(found[2].quoted, [1]);
    given.depths = vec![0, 1, 2, 1, 1, 2];
    let found = clean(&[given]);
    let parents: Vec<&[usize]> = found.iter().map(|content| &content.quoted[..]).collect();
    assert_eq!(parents, [&[][..], &[0], &[1], &[0], &[0, 2], &[4]]);
}

#[test]
fn html_is_safe_and_its_addresses_are_absolute() {
    let post = "<p onclick='x()' style='color:red'>See <a href='/a?b=1&amp;c' onclick=x>this</a>, <a href='java&#10;script:alert(1)'>not this</a> &lt;b&gt;<script>bad()</script><style>p{}</style><span>and</span> <img src='i.png' alt='a picture' onerror=x><iframe src='//evil.example'></iframe></p>";
    let found = clean(&[thread("A", &[("Ann", post)])]);
    assert_eq!(
        found[0].html,
        "<p>See <a href=\"https://forum.example/a?b=1&amp;c\">this</a>, <a>not this</a> &lt;b&gt;and <img src=\"https://forum.example/i.png\" alt=\"a picture\"></p>"
    );
    assert_eq!(found[0].text, "See this, not this <b>and");
    assert_eq!(
        found[0].links.iter().map(Url::as_str).collect::<Vec<_>>(),
        ["https://forum.example/a?b=1&c"]
    );
}

#[test]
fn what_was_learned_can_be_written_down_and_read_again() {
    let sig = "<div class=s>Measure twice, cut once.</div>";
    let given = [thread(
        "A",
        &[("Ann", &signed(PUMP, sig)), ("Ann", &signed(GATE, sig)), ("Ann", &signed(BOOK, sig))],
    )];
    let base = base();
    let lists: Vec<Vec<Post<'_>>> = given.iter().map(|given| posts(given, &base)).collect();
    let cleaner = Cleaner::learn(&lists);
    let written = serde_json::to_string(&cleaner).expect("is JSON");
    assert!(written.contains(r#"".>div.s":"signature""#), "{written}");
    let read: Cleaner = serde_json::from_str(&written).expect("reads");
    assert_eq!(read, cleaner);
    assert_eq!(read.clean(&lists[0])[0].text, PUMP);
}

#[test]
fn ten_thousand_posts_that_all_quote_the_first_are_no_trouble() {
    let quote = format!("<blockquote>{PUMP}</blockquote>So it is");
    let given: Vec<(String, String)> =
        (0..10_000).map(|at| (format!("n{}", at % 97), format!("{quote} {at}"))).collect();
    let mut all: Vec<(&str, &str)> = vec![("Ann", PUMP)];
    all.extend(given.iter().map(|(author, html)| (author.as_str(), html.as_str())));
    let found = clean(&[thread("Pump", &all)]);
    assert!(
        found[1..]
            .iter()
            .all(|content| content.quoted == [0] && content.text.starts_with("So it is"))
    );
}

proptest::proptest! {
    #[test]
    fn no_page_makes_it_fail(html in "(<(p|blockquote|div|i|a href=x|hr|br|pre|li|table|td)( class=[ab])?>|</(p|div|blockquote)>|@?[ab] wrote:|>|--|[0-9]{1,4}| |水泵|x y z w v u){0,60}") {
        let given = thread("a wrote", &[("a", &html), ("b", &html), ("a", "a wrote: x y z"), ("b", &html)]);
        let found = clean(&[given]);
        for (at, content) in found.iter().enumerate() {
            proptest::prop_assert!(content.quoted.iter().all(|post| *post < at));
        }
    }
}

#[test]
fn code_in_the_box_that_quotes_use_is_the_authors() {
    let quote = |name: &str, words: &str| {
        format!("<div class=box><div class=head>Said by {name}</div><div>{words}</div></div>I see.")
    };
    let code =
        "<div class=box><div>Listing</div><pre>let pump = open(3); pump.run();</pre></div>Try it.";
    let table = "<div class=box><div>Figures</div><div>nine ten eleven twelve thirteen fourteen</div></div>So.";
    let found = texts(&[thread(
        "Pump",
        &[
            ("Ann", PUMP),
            ("Bob", &quote("Ann", PUMP)),
            ("Cid", GATE),
            ("Ann", &quote("Cid", GATE)),
            ("Dora", code),
            ("Bob", table),
            ("Cid", BOOK),
            ("Bob", &quote("Cid", BOOK)),
            ("Eve", &quote("Zed", "Nobody here has ever seen these words before.")),
        ],
    )]);
    assert_eq!(found[1], "I see.");
    assert_eq!(found[4], "Listing\nlet pump = open(3); pump.run();\nTry it.");
    assert_eq!(found[5], "Figures\nnine ten eleven twelve thirteen fourteen\nSo.");
    assert_eq!(found[8], "I see.");
}

#[test]
fn a_body_and_an_edit_note_in_blockquotes_are_no_quotes() {
    let post = |words: &str, note: &str| {
        format!("<blockquote class=body>{words}</blockquote><div class=after>{note}</div>")
    };
    let note = |name: &str, day: u8| {
        format!(
            "<blockquote class=edited>Last edited by {name}; 10-{day}-2026 at <i>01:31 PM</i>.</blockquote>"
        )
    };
    let quote = format!("<div class=q><b>Ann wrote:</b><p>{PUMP}</p></div>{GATE}");
    let found = clean(&[thread(
        "Pump",
        &[
            ("Ann", &post(PUMP, &note("Ann", 11))),
            ("Bob", &post(&quote, &note("Bob", 12))),
            ("Cid", &post(BOOK, "")),
            ("Ann", &post("Thank you, Cid.", &note("Cid", 13))),
            ("Dora", &post(&format!("{GATE} Or {BOOK}"), &note("Dora", 14))),
        ],
    )]);
    let texts: Vec<&str> = found.iter().map(|content| content.text.as_str()).collect();
    assert_eq!(texts, [PUMP, GATE, BOOK, "Thank you, Cid.", &format!("{GATE} Or {BOOK}")]);
    let quoted: Vec<&[usize]> = found.iter().map(|content| content.quoted.as_slice()).collect();
    assert_eq!(quoted, [&[][..], &[0], &[], &[], &[]]);
}

#[test]
fn a_link_with_the_number_of_a_post_tells_which_of_two_that_say_the_same_is_quoted() {
    let reply = |href: &str| {
        format!(
            "<blockquote><a href='{href}'>Ann</a> <a href='/user?u=1'>profile</a><br>{PUMP}</blockquote>Again?"
        )
    };
    let posts = [
        ("Ann", PUMP.to_owned()),
        ("Ann", PUMP.to_owned()),
        ("Bob", reply("/go?to=post&pid=1&ptid=7")),
        ("Bob", reply("/other?x=7&p=1#post1")),
        // The number of a user is none of a post.
        ("Bob", reply("/user?u=1")),
    ];
    let posts: Vec<(&str, &str)> =
        posts.iter().map(|(author, post)| (*author, post.as_str())).collect();
    let found = clean(&[thread("Pump", &posts)]);
    let quoted: Vec<&[usize]> = found.iter().map(|content| content.quoted.as_slice()).collect();
    assert_eq!(quoted, [&[][..], &[], &[1], &[1], &[0]]);
}

#[test]
fn a_quote_is_of_the_post_that_said_it_not_of_one_that_quotes_it() {
    let quote = |words: &str, own: &str| format!("<blockquote>{words}</blockquote>{own}");
    let posts = [
        ("Ann", format!("{PUMP} It is an old one.")),
        ("Bob", quote(PUMP, GATE)),
        ("Bob", format!("{PUMP} So I said before.")),
        ("Cid", quote(&format!("Bob: {PUMP}"), BOOK)),
    ];
    let posts: Vec<(&str, &str)> =
        posts.iter().map(|(author, post)| (*author, post.as_str())).collect();
    assert_eq!(clean(&[thread("Pump", &posts)])[3].quoted, [2]);
}

#[test]
fn what_is_below_a_line_of_marks_is_a_signature_where_authors_repeat_it_there() {
    let signed = |words: &str, line: &str| format!("<span>{words}<br>_______<br>{line}</span>");
    let posts = [
        ("Ann", signed(PUMP, "Measure twice.")),
        ("Bob", signed(GATE, "On this forum since 2009.")),
        ("Ann", signed(BOOK, "Measure twice.")),
        ("Bob", signed("Thanks a lot.", "On this forum since 2009.")),
        ("Cid", signed("What about oil?", "Sent from my kettle.")),
        ("Dora", "Two parts:<br>-----<br>the valve".to_owned()),
    ];
    let posts: Vec<(&str, &str)> =
        posts.iter().map(|(author, post)| (*author, post.as_str())).collect();
    let found = texts(&[thread("Pump", &posts)]);
    assert_eq!(found[..5], [PUMP, GATE, BOOK, "Thanks a lot.", "What about oil?"]);
    assert!(found[5].ends_with("the valve"), "{}", found[5]);
}

#[test]
fn a_quote_of_several_lines_in_an_inline_element_is_a_quote() {
    let quote = |who: &str, said: &str| {
        format!("{who} wrote on 30.04.2009, 18:44:<br><i>{said}<br><br></i>Did you try oil?<br>")
    };
    let lines = format!("{PUMP}<br><br>{GATE}");
    let other = format!("{BOOK}<br><br>{GATE}");
    let threads = [
        thread("Pump", &[("Ann", &lines), ("Bob", &quote("Ann", &lines))]),
        thread("Gate", &[("Cy", &other), ("Ann", &quote("Cy", &other))]),
    ];
    let found = clean(&threads);
    assert_eq!(found[1].text, "Did you try oil?");
    assert_eq!(found[1].quoted, [0]);
}

#[test]
fn a_first_line_that_says_the_title_is_the_subject_where_threads_have_one() {
    let post = |title: &str, said: &str| format!("Subject: Re: {title}<br><br>{said}");
    let threads = [
        thread("A pump runs dry", &[("Ann", PUMP), ("Bob", &post("A pump runs dry", GATE))]),
        thread("Where is it?", &[("Cy", BOOK), ("Di", &post("Where is it?", PUMP))]),
    ];
    assert_eq!(texts(&threads), [PUMP, GATE]);
    let one = [thread("A pump runs dry", &[("Ann", &format!("A pump runs dry<br>{PUMP}"))])];
    assert_eq!(texts(&one), [format!("A pump runs dry\n{PUMP}")], "one proves nothing");
}
