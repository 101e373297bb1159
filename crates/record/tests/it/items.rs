//! Records of pages that are no forum: a title, and columns that the page has names for.

use page::tree::parse_str;
use record::{Kind, Record, Site, Source};
use url::Url;

const THINGS: [&str; 8] = [
    "Walnut desk lamp",
    "Copper kettle",
    "Linen apron",
    "Iron skillet",
    "Oak cutting board",
    "Bread knife",
    "Enamel mug",
    "Stoneware bowl",
];

/// The records of one page, with a record for each thing.
fn records(head: &str, row: impl Fn(usize, &str) -> String, foot: &str) -> Vec<Record> {
    let rows: String = (0..).zip(THINGS).map(|(n, thing)| row(n, thing)).collect();
    let dom = parse_str(&format!("<h1>All of it</h1>{head}{rows}{foot}<p>Terms of use</p>")).dom;
    let url = Url::parse("http://example.org/list").unwrap();
    let source = Source {
        url: &url,
        page_type: None,
        captured: Some(1_760_000_000),
        rendered: Some(&dom),
        raw: None,
    };
    Site::learn_and_read(&[source]).1.remove(0)
}

fn field<'r>(record: &'r Record, name: &str) -> &'r str {
    record.fields.get(name).map_or("", String::as_str)
}

#[test]
fn products_have_a_price_and_nobody_wrote_them() {
    let found = records(
        "<ul class=grid>",
        |n, thing| {
            let stock = if n % 3 == 0 { "Only 2 left" } else { "In stock" };
            format!(
                "<li class=tile><a href=/p/{n}><img src=/img/{n}.jpg></a><h3><a href=/p/{n}>{thing}</a></h3>\
                 <p class=price>${}.95</p><p class=stock>{stock}</p><button>Add to cart</button></li>",
                17 * n + 5
            )
        },
        "</ul>",
    );
    assert_eq!(found.len(), THINGS.len());
    assert!(found.iter().all(|record| record.kind == Kind::Item && record.author.is_none()));
    assert_eq!(found[2].title.as_deref(), Some("Linen apron"));
    assert_eq!((field(&found[2], "price"), field(&found[3], "stock")), ("$39.95", "Only 2 left"));
    assert_eq!(found[2].permalink.as_ref().map(Url::as_str), Some("http://example.org/p/2"));
}

#[test]
fn rows_of_a_table_are_called_by_their_first_cell_and_told_by_its_head() {
    let found = records(
        "<table><thead><tr><th>Thing<th>Weight (g)<th>Made in<th>Shelf</tr></thead><tbody>",
        |n, thing| {
            let (land, shelf) = (["Norway", "Latvia", "Chile"][n % 3], ["A", "B"][n % 2]);
            format!("<tr><td>{thing}<td>{}<td>{land}<td>{shelf} {n}</tr>", 370 * n + 90)
        },
        "</tbody></table>",
    );
    assert_eq!(found.len(), THINGS.len(), "the head is none of them");
    assert!(found.iter().all(|record| record.kind == Kind::Item && record.replies.is_none()));
    assert_eq!(found[1].title.as_deref(), Some("Copper kettle"));
    assert_eq!((field(&found[1], "weight_g"), field(&found[1], "made_in")), ("460", "Latvia"));
}

#[test]
fn what_a_search_found_is_no_post() {
    let found = records(
        "<div id=found>",
        |n, thing| {
            format!(
                "<div class=hit><h2><a href=https://shop{n}.example/k>{thing} review and guide</a></h2>\
                 <p>Jan {}, 2025: the {thing} was tested for {n} weeks in our own kitchen by the lake.</p></div>",
                n + 3
            )
        },
        "</div>",
    );
    assert_eq!(found.len(), THINGS.len());
    assert!(found.iter().all(|record| record.kind == Kind::Item), "{:?}", found[0]);
    assert_eq!(found[0].title.as_deref(), Some("Walnut desk lamp review and guide"));
    assert!(found[4].time.is_some());
}

#[test]
fn news_have_an_author_and_a_time_and_no_answers() {
    let found = records(
        "<main>",
        |n, thing| {
            let who = ["Ann Lee", "Bo Tran", "Cy Orr"][n % 3];
            format!(
                "<article><h2><a href=/2025/story-{n}>{thing} found in the old harbour</a></h2><p>By \
                 <a rel=author class=author href=/staff/{}>{who}</a> | <time datetime=2025-0{}-03T08:00:00Z>March</time>\
                 </p><p>Divers brought the {thing} up on day {n}, and nobody knows how it came there.</p></article>",
                n % 3,
                n + 1
            )
        },
        "</main>",
    );
    assert_eq!(found.len(), THINGS.len());
    assert!(found.iter().all(|record| record.kind == Kind::Item), "{:?}", found[0]);
    assert_eq!(found[1].author.as_deref(), Some("Bo Tran"));
    let time = found[1].time.as_ref().map(|time| time.to_rfc3339());
    assert_eq!(time.as_deref(), Some("2025-02-03T08:00:00Z"));
    assert!(found[1].content_text.as_deref().is_some_and(|text| text.starts_with("Divers")));
}

#[test]
fn a_menu_holds_no_records() {
    let menu = |n: usize, thing: &str| format!("<li><a href=/c/{n}>{thing}</a></li>");
    assert_eq!(records("<ul>", menu, "</ul>"), []);
}
