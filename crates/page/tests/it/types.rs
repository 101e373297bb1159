//! Page types of a forum whose pages share a frame that is larger than what they hold.

use page::tree::{Mode, compare, parse_str};
use page::types::{MOST_SAMPLES, SampleRow, Shape, TypeId, TypeMethod, TypeRow, Types};
use url::Url;

fn url(path: &str) -> Url {
    Url::parse("http://forum.example").unwrap().join(path).unwrap()
}

fn shape(html: &str) -> Shape {
    Shape::of(&parse_str(html).dom)
}

/// A page: what it is, its URL, its shape.
type Page = (&'static str, Url, Shape);

fn framed(main: &str) -> String {
    let menu: String = (0..12)
        .map(|n| format!("<li class=m{}><a><b>Menu</b></a></li>", ["x", "y", "z"][n % 3]))
        .collect();
    let boxes = ["login", "hot", "tags", "online", "clock", "links"];
    let aside: String = boxes
        .iter()
        .map(|name| {
            format!("<section class={name}><h3>Box</h3><ul><li><a>1</a><i>2</i></ul></section>")
        })
        .collect();
    format!(
        "<header class=top><h1><a>Forum</a></h1><form><input></form></header>\
         <nav><ul class=menu>{menu}</ul></nav><aside>{aside}</aside>\
         <div id=main>{main}</div><footer><p class=small><a>About</a></p></footer>"
    )
}

fn thread(posts: usize, parts: usize) -> String {
    let part = |bit: usize, html: &'static str| if parts >> bit & 1 == 1 { html } else { "" };
    let posts: String = (0..posts)
        .map(|n| {
            format!(
                "<div class=post id=p{n}><div class=who><a class=nick>Ann</a><span>7 posts</span></div>\
                 <div class=text>{}<p>Text <em>x</em></p></div><time>now</time>{}</div>",
                part(0, "<blockquote><cite>Bob</cite><p>said</p></blockquote>"),
                part(1, "<div class=sign><hr>me</div>")
            )
        })
        .collect();
    let poll = part(2, "<form class=poll><ul><li><label><input></label></ul></form>");
    let pager = part(3, "<div class=pages><strong>1</strong><a>2</a></div>");
    framed(&format!("<h2>Title</h2>{pager}{poll}{posts}{pager}"))
}

fn list(rows: usize, pager: bool) -> String {
    let rows: String = (0..rows)
        .map(|_| {
            "<tr><td class=icon><img></td><td class=subject><a>T</a></td><td class=by><cite>A</cite></td></tr>"
        })
        .collect();
    let pager = if pager { "<div class=pages><strong>1</strong><a>2</a></div>" } else { "" };
    framed(&format!(
        "<h2>Board</h2>{pager}<table class=threads><thead><tr><th>Topic</th></tr></thead><tbody>{rows}</tbody></table>"
    ))
}

fn profile(fields: usize) -> String {
    let fields = "<dt>Field</dt><dd><span>x</span></dd>".repeat(fields);
    framed(&format!("<h2>Ann</h2><img class=avatar><dl class=profile>{fields}</dl>"))
}

fn forum() -> Vec<Page> {
    let mut pages = vec![
        ("home", "/".to_owned(), framed("<ul class=boards><li><a>Board</a><p>About</p></ul>")),
        (
            "login",
            "/login".to_owned(),
            framed("<form class=account><label><input></label><button>"),
        ),
    ];
    for n in 0..40 {
        pages.push(("thread", format!("/thread/{n}"), thread(1 + n % 20, n % 16)));
    }
    for n in 0..6 {
        let path = format!("/board/{}?page={n}", n % 2);
        pages.push(("list", path, list([30, 30, 7, 1, 30, 2][n], n != 3)));
    }
    for n in 0..9 {
        pages.push(("profile", format!("/u/{n}"), profile(2 + n)));
    }
    pages.iter().map(|(kind, path, html)| (*kind, url(path), shape(html))).collect()
}

/// Places all pages, and says of each afterwards where it belongs.
fn placed(pages: &[Page], order: &[usize]) -> (Types, Vec<TypeId>) {
    let mut types = Types::new();
    for (_, url, shape) in order.iter().filter_map(|at| pages.get(*at)) {
        types.place(shape, url);
    }
    let of = |(_, url, shape): &Page| types.like_at(shape, url).unwrap();
    let ids = pages.iter().map(of).collect();
    (types, ids)
}

fn shuffled(length: usize, seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..length).collect();
    let mut state = seed;
    for at in (1..length).rev() {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        order.swap(at, (state >> 33) as usize % (at + 1));
    }
    order
}

#[test]
fn kinds_of_pages_in_one_frame_are_told_apart_and_lengths_and_parts_are_not() {
    let pages = forum();
    let (types, ids) = placed(&pages, &shuffled(pages.len(), 1));
    for (page, id) in pages.iter().zip(&ids) {
        for (other, other_id) in pages.iter().zip(&ids) {
            assert_eq!(page.0 == other.0, id == other_id, "{} and {}", page.1, other.1);
        }
    }
    assert_eq!(types.len(), 5);
    let mut names: Vec<_> = types.iter().map(|of| of.name()).collect();
    names.sort_unstable();
    assert_eq!(names, ["board", "home", "login", "thread", "u"]);
    assert_eq!(types.iter().map(|of| of.pages()).sum::<u64>(), pages.len() as u64);
}

/// A page of a manual: some of 26 parts, as its author saw fit, under headings with ids.
fn chapter(number: u64) -> String {
    // The bits of a product are as good as drawn.
    let drawn = (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let chosen = ('a'..='z').zip(0..).filter(|(_, bit)| drawn >> (2 * bit) & 3 == 0);
    let sections = chosen.map(|(part, bit)| {
        let id = format!("on-{part}{}", "x".repeat(1 + (drawn >> bit & 7) as usize));
        format!(
            "<section id={id}><h2>x<a class=here href=#{id}>x</a></h2>\
             <div class={part}><p class=of-{part}><b class=in-{part}>x</b></p></div></section>"
        )
    });
    framed(&sections.collect::<String>())
}

#[test]
fn pages_of_a_manual_are_of_few_types_whatever_is_in_them() {
    let mut types = Types::new();
    for number in 0..120 {
        let name: String = number.to_string().bytes().map(|digit| char::from(digit + 49)).collect();
        types.place(&shape(&chapter(number)), &url(&format!("/guide/{name}")));
    }
    assert!(types.len() <= 30, "{} types", types.len());
    let largest = types.iter().map(|of| of.pages()).max().unwrap();
    assert!(largest >= 60, "{largest} of 120 pages are of the largest type");
}

#[test]
fn an_id_that_the_page_leads_to_is_a_heading() {
    let page = |id: &str, to: &str| shape(&format!("<h2 id={id}>x</h2><a href=#{to}>x</a>"));
    assert_eq!(page("install", "install"), page("use", "use"));
    assert_ne!(page("install", "top"), page("use", "top"));
}

#[test]
fn the_types_are_the_same_whatever_the_order() {
    let pages = forum();
    let partition = |ids: Vec<TypeId>| -> Vec<usize> {
        ids.iter().map(|id| ids.iter().position(|other| other == id).unwrap()).collect()
    };
    let expected = partition(placed(&pages, &shuffled(pages.len(), 1)).1);
    for seed in 2..12 {
        let (types, ids) = placed(&pages, &shuffled(pages.len(), seed));
        assert_eq!(partition(ids), expected, "order {seed}");
        assert!(types.named("thread").is_some(), "order {seed}");
    }
}

#[test]
fn types_become_one_when_a_page_between_them_comes_and_answer_to_both_numbers() {
    let page = |parts: usize| {
        let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];
        let parts: String =
            names.iter().take(parts).map(|name| format!("<i class={name}></i>")).collect();
        shape(&format!("{}{parts}", profile(3)))
    };
    let mut types = Types::new();
    let many = 10;
    // Enough else on the site for its frame to be known.
    for (_, url, shape) in forum().iter().filter(|(kind, ..)| *kind != "profile") {
        types.place(shape, url);
    }
    let plain = types.place(&page(0), &url("/u/1"));
    let full = types.place(&page(many), &url("/u/2"));
    assert!(plain.is_new && full.is_new);
    let between = types.place(&page(many / 2), &url("/u/3"));
    assert_eq!(between.merged, [(full.id, plain.id)]);
    assert_eq!(types.get(full.id).unwrap().id(), plain.id);
    assert_eq!((types.name(full.id), types.name(plain.id)), ("u-2", "u"));
    assert_eq!(types.get(plain.id).unwrap().pages(), 3);
}

#[test]
fn a_later_run_goes_on_where_the_first_stopped() {
    let pages = forum();
    let order = shuffled(pages.len(), 5);
    let (whole, ids) = placed(&pages, &order);
    let (first, rest) = order.split_at(20);
    let (half, _) = placed(&pages, first);
    let rows: Vec<TypeRow> =
        serde_json::from_str(&serde_json::to_string(&half.rows()).unwrap()).unwrap();
    let mut types = Types::from_rows(rows);
    for (_, url, shape) in rest.iter().map(|at| &pages[*at]) {
        types.place(shape, url);
    }
    // Samples stand type by type in what was stored, and in the order of their coming before.
    let sorted = |types: &Types| {
        let mut rows = types.rows();
        for row in &mut rows {
            row.samples.sort_by(|a, b| a.url.cmp(&b.url));
        }
        rows
    };
    assert_eq!(sorted(&types), sorted(&whole));
    for ((_, url, shape), id) in pages.iter().zip(ids) {
        assert_eq!(types.like_at(shape, url), Some(id));
    }
}

#[test]
fn defined_types_keep_their_names_and_are_never_merged() {
    let (short, long) = (shape(&thread(1, 0)), shape(&thread(9, 15)));
    let mut types = Types::new();
    let post = types.define("post", [(&short, Some(&url("/thread/1")))]);
    let other = types.define("long post", [(&long, None)]);
    assert_ne!(post, other);
    for (_, url, shape) in forum() {
        let placed = types.place(&shape, &url);
        assert!(placed.merged.iter().all(|(old, _)| ![post, other].contains(old)));
    }
    assert_eq!((types.name(post), types.name(other)), ("post", "long post"));
    assert_eq!(types.like_at(&short, &url("/thread/1")), Some(post));
    assert_eq!(types.like_at(&long, &url("/elsewhere")), Some(other));
}

#[test]
fn memory_is_bounded_whatever_the_site() {
    let word = |mut n: usize| {
        let mut word = String::new();
        while n > 0 || word.is_empty() {
            word.push(char::from(b'a' + (n % 26) as u8));
            n /= 26;
        }
        word
    };
    let page = |n: usize| shape(&format!("<div class={0}><p class={0}>x</p></div>", word(n)));
    // As a crawl would leave it after 380 pages of which no two are alike.
    let row = |n: usize| TypeRow {
        id: TypeId(n as u32),
        name: word(n),
        defined: false,
        pages: 0,
        was: Vec::new(),
        samples: vec![SampleRow {
            url: url(&format!("/{}", word(n))).into(),
            shape: page(n),
            pages: 1,
            pinned: false,
        }],
    };
    let mut types = Types::from_rows((0..380).map(row));
    assert_eq!(types.len(), 380);
    for n in 380..400 {
        types.place(&page(n), &url(&format!("/{}", word(n))));
    }
    assert!(types.len() <= 384);
    assert_eq!(types.iter().map(|of| of.pages()).sum::<u64>(), 400);

    let mut types = Types::new();
    for n in 0..200 {
        let parts: String = (0..8)
            .filter(|bit| n >> bit & 1 == 1)
            .map(|bit| format!("<i class={}></i>", word(bit)))
            .collect();
        types.place(&shape(&format!("{}{parts}", thread(2, 0))), &url(&format!("/t/{n}")));
    }
    assert_eq!(types.len(), 1);
    assert!(types.iter().all(|of| of.row().samples.len() <= MOST_SAMPLES));
}

#[test]
fn a_shape_that_was_changed_by_hand_is_an_error_and_no_panic() {
    let text = shape(&thread(2, 3)).to_string();
    assert_eq!(text.parse(), Ok(shape(&thread(5, 3))));
    for bad in ["", "0", "02", "01zz", "010000000200000001", &text[..text.len() - 1]] {
        assert!(bad.parse::<Shape>().is_err(), "{bad}");
    }
    assert!("é".repeat(9).parse::<Shape>().is_err());
    assert_eq!(Shape::from_bytes(&shape("").to_bytes()), Ok(shape("")));
}

/// Pages by their trees, each with its HTML.
fn trees() -> Vec<(String, Page)> {
    let htmls = [1, 2, 3, 6, 7, 20, 21]
        .map(|posts| ("/thread/*", thread(posts, 0)))
        .into_iter()
        .chain([20, 21].map(|rows| ("/board/*", list(rows, true))));
    let page = |(kind, html): (&'static str, String)| {
        let shape = Shape::by(TypeMethod::Rtdm, &parse_str(&html).dom);
        (html, (kind, url(kind), shape))
    };
    htmls.map(page).collect()
}

#[test]
fn as_in_seed_000_pages_are_of_one_type_if_a_chain_of_trees_leads_from_one_to_the_other() {
    let (htmls, pages): (Vec<_>, Vec<_>) = trees().into_iter().unzip();
    let doms: Vec<_> = htmls.iter().map(|html| parse_str(html).dom).collect();
    let mut group: Vec<usize> = (0..doms.len()).collect();
    for a in 0..doms.len() {
        for b in 0..a {
            if compare(&doms[a], &doms[b], Mode::Structure).similarity() >= 0.8 {
                let (from, to) = (group[a], group[b]);
                group.iter_mut().filter(|own| **own == from).for_each(|own| *own = to);
            }
        }
    }
    for seed in 0..8 {
        let (types, ids) = placed(&pages, &shuffled(pages.len(), seed));
        assert_eq!(types.method(), Some(TypeMethod::Rtdm));
        for a in 0..ids.len() {
            for b in 0..a {
                assert_eq!(group[a] == group[b], ids[a] == ids[b], "pages {a} and {b}");
            }
        }
    }
    let (few, many, board) = (group[0], group[6], group[8]);
    assert!(few != many && many != board, "the length of a list counts here: {group:?}");
}

#[test]
fn types_by_trees_go_on_from_what_was_stored_and_defined_ones_stay_apart() {
    let (_, pages): (Vec<_>, Vec<_>) = trees().into_iter().unzip();
    let order: Vec<usize> = (0..pages.len()).collect();
    let (types, ids) = placed(&pages, &order);
    let rows: Vec<TypeRow> =
        serde_json::from_str(&serde_json::to_string(&types.rows()).unwrap()).unwrap();
    let mut again = Types::from_rows(rows);
    assert_eq!(again.rows(), types.rows());
    let long = Shape::by(TypeMethod::Rtdm, &parse_str(&thread(22, 0)).dom);
    assert_eq!(again.place(&long, &url("/thread/22")).id, ids[6]);

    let mut defined = Types::new();
    let [first, second] = [5, 6].map(|at| &pages[at].2);
    let long_id = defined.define("long", [(first, None)]);
    assert_ne!(defined.define("longer", [(second, None)]), long_id);
    assert_eq!(defined.place(first, &url("/thread/1")).id, long_id);
    assert_eq!(defined.len(), 2);
}

#[test]
fn bytes_that_are_no_tree_are_no_shape() {
    let shape = Shape::by(TypeMethod::Rtdm, &parse_str("<p>x").dom);
    let bytes = shape.to_bytes();
    assert_eq!(Shape::from_bytes(&bytes).as_ref(), Ok(&shape));
    for at in 0..bytes.len() {
        assert!(Shape::from_bytes(&bytes[..at]).is_err(), "the first {at} bytes");
    }
    let longer = [&bytes[..], &[0]].concat();
    assert!(Shape::from_bytes(&longer).is_err(), "more ends than begins");
    let two = [&bytes[..], &[1, 0]].concat();
    assert!(Shape::from_bytes(&two).is_err(), "a second root");
}
