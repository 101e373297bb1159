//! Pictures of kept pages: what is drawn where, and that nothing else happens.

use std::collections::HashMap;
use std::sync::Arc;

use browser::{BoxFuture, Recorded};
use crawl::picture::{Answers, Colour, Kept, Mark, Nothing, Places, Studio};
use page::tree::{Dom, Node, parse};
use tokio::net::TcpListener;
use url::Url;

const WHITE: [u8; 3] = [255; 3];

struct Pixels {
    bytes: Vec<u8>,
    width: usize,
    height: usize,
    channels: usize,
}

impl Pixels {
    fn decode(png: &[u8]) -> Self {
        let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut bytes).unwrap();
        let channels = info.color_type.samples();
        Self { bytes, width: info.width as usize, height: info.height as usize, channels }
    }

    fn at(&self, x: usize, y: usize) -> [u8; 3] {
        assert!(x < self.width && y < self.height, "{x},{y} is outside");
        let from = (y * self.width + x) * self.channels;
        self.bytes[from..from + 3].try_into().unwrap()
    }
}

/// A mark of the `nth` colour around the nodes from one to another.
fn mark(dom: &Dom, first: Node<'_>, last: Node<'_>, nth: usize) -> Mark {
    Mark {
        place: Places::new(dom).of(first.id().0..last.end().0),
        caption: nth.to_string(),
        class: "x".to_owned(),
        colour: Colour::nth(nth),
    }
}

fn named<'a>(dom: &'a Dom, name: &str) -> Node<'a> {
    dom.elements().find(|node| node.name() == name).unwrap()
}

fn kept(html: &str) -> Kept {
    Kept::response("http://kept.example/".parse().unwrap(), html.into(), None)
}

/// A picture of a page, with marks on what its browser has made of it.
async fn draw(html: &str, marks: impl FnOnce(&Dom) -> Vec<Mark>) -> Pixels {
    draw_with(html, Arc::new(Nothing), marks).await
}

async fn draw_with(
    html: &str,
    answers: Arc<dyn Answers>,
    marks: impl FnOnce(&Dom) -> Vec<Mark>,
) -> Pixels {
    let studio = Studio::open().await.unwrap();
    let sitting = studio.show(kept(html), answers).await.unwrap();
    let walk = sitting.walk().await.unwrap();
    let png = sitting.draw(&marks(&walk.dom)).await.unwrap();
    sitting.close().await;
    studio.close().await;
    Pixels::decode(&png)
}

#[tokio::test(flavor = "multi_thread")]
async fn each_mark_is_an_outline_of_its_colour_around_its_block() {
    let html = "<!doctype html><body style='margin:0'>\
        <div style='width:400px;height:100px'></div>\
        <p style='margin:50px 0 0 30px;width:200px;height:60px'></p>";
    let pixels = draw(html, |dom| {
        let (div, p) = (named(dom, "div"), named(dom, "p"));
        vec![mark(dom, div, div, 0), mark(dom, p, p, 1)]
    })
    .await;
    let [red, blue] = [0, 1].map(|nth| Colour::nth(nth).rgb());
    // The upper edge is in part below the tag; the others are free.
    for (x, y) in [(0, 50), (399, 50), (100, 99), (0, 99), (1, 0)] {
        assert_eq!(pixels.at(x, y), red, "{x},{y}");
    }
    for (x, y) in [(30, 170), (229, 190), (100, 209), (31, 151)] {
        assert_eq!(pixels.at(x, y), blue, "{x},{y}");
    }
    for (x, y) in [(402, 50), (100, 120), (28, 180), (231, 190), (100, 212)] {
        assert_eq!(pixels.at(x, y), WHITE, "{x},{y}");
    }
    assert_ne!(pixels.at(200, 50), WHITE, "the inside is tinted");
    assert_ne!(pixels.at(200, 50), red);
    let legend = |colour| (0..400).any(|x| pixels.at(x, pixels.height - 15) == colour);
    assert!(legend(red) && legend(blue), "what the colours mean is said below the page");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_of_texts_is_outlined_where_the_texts_are() {
    let html = "<!doctype html><body style='margin:0;font:20px/40px monospace'>\
        <h2 style='margin:0;height:40px'>x</h2>one<br>two<!-- note --> and more\
        <h3 style='margin:0;height:40px'>y</h3>three";
    let pixels = draw(html, |dom| {
        let (first, end) = (named(dom, "h2").next_sibling().unwrap(), named(dom, "h3"));
        let last = named(dom, "body").children().take_while(|node| *node != end).last().unwrap();
        assert!(!first.is_element() && !last.is_element());
        vec![mark(dom, first, last, 2)]
    })
    .await;
    let green = Colour::nth(2).rgb();
    let rows: Vec<usize> = (0..200).filter(|y| pixels.at(0, *y) == green).collect();
    let (first, last) = (rows[0], rows[rows.len() - 1]);
    assert!((40..60).contains(&first) && (100..121).contains(&last), "from {first} to {last}");
}

#[tokio::test(flavor = "multi_thread")]
async fn blocks_in_shadow_trees_are_outlined_and_those_in_frames_by_their_frame() {
    let html = "<!doctype html><body style='margin:0'><x-a style='display:block'>\
        <template shadowrootmode='open'><div style='margin-left:50px;width:100px;height:80px'></div></template></x-a>\
        <iframe style='display:block;border:0;margin:20px;width:300px;height:100px' srcdoc='<p>in</p>'></iframe>";
    let pixels = draw(html, |dom| {
        let (div, p) = (named(dom, "div"), named(dom, "p"));
        vec![mark(dom, div, div, 0), mark(dom, p, p, 1)]
    })
    .await;
    assert_eq!(pixels.at(50, 40), Colour::nth(0).rgb());
    assert_eq!(pixels.at(149, 40), Colour::nth(0).rgb());
    assert_eq!(pixels.at(20, 150), Colour::nth(1).rgb());
    assert_eq!(pixels.at(319, 150), Colour::nth(1).rgb());
}

#[tokio::test(flavor = "multi_thread")]
async fn no_script_of_the_page_runs_and_the_page_stays() {
    let html = "<!doctype html><meta http-equiv=refresh content='0;url=/elsewhere'>\
        <body style='margin:0;background:#fff' onload=\"document.body.style.background='#f00'\">\
        <noscript><div style='height:50px;background:#00f'></div></noscript>\
        <div style='height:40px;background:#0f0'></div>\
        <script>document.body.innerHTML = ''</script>\
        <img src=x onerror=\"document.body.innerHTML=''\">\
        <iframe srcdoc=\"<script>parent.document.body.innerHTML=''</script>\"></iframe>";
    let pixels = draw(html, |_| Vec::new()).await;
    assert_eq!(pixels.at(600, 20), [0, 255, 0]);
    assert_eq!(pixels.at(600, 500), WHITE);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_leaves_the_machine_not_even_a_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let to = format!("http://{}", listener.local_addr().unwrap());
    let html = format!(
        "<!doctype html><link rel=preconnect href='{to}'><link rel=dns-prefetch href='{to}'>\
         <link rel=prefetch href='{to}/a'><link rel=preload as=image href='{to}/b'>\
         <link rel=stylesheet href='{to}/c'><script src='{to}/d'></script>\
         <style>@import '{to}/e';body{{background:url({to}/f)}}</style>\
         <img src='{to}/g'><iframe src='{to}/h'></iframe><video src='{to}/i' autoplay></video>\
         <object data='{to}/j'></object><a ping='{to}/k' href='{to}/l'>x</a>\
         <meta http-equiv=refresh content='0;url={to}/m'>"
    );
    draw(&html, |_| Vec::new()).await;
    let knock = tokio::time::timeout(std::time::Duration::from_millis(300), listener.accept());
    assert!(knock.await.is_err(), "somebody connected");
}

/// Answers by address.
struct Shelf(HashMap<&'static str, (&'static str, &'static str)>);

impl Answers for Shelf {
    fn answer<'a>(&'a self, url: &'a Url) -> BoxFuture<'a, Option<Recorded>> {
        let found = self.0.get(url.path()).map(|(content_type, body)| Recorded {
            status: 200,
            headers: vec![("content-type".to_owned(), (*content_type).to_owned())],
            body: body.as_bytes().to_vec(),
        });
        Box::pin(async { found })
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_kept_with_the_page_is_used_without_its_scripts() {
    let shelf = Shelf(HashMap::from([
        (
            "/style.css",
            ("text/css", "body{margin:0;background:#ff0}iframe{border:0;display:block}"),
        ),
        (
            "/frame",
            (
                "text/html",
                "<body style='background:#0ff'><script>document.body.style.background='#f00'</script>",
            ),
        ),
        ("/script.js", ("text/javascript", "document.documentElement.innerHTML=''")),
    ]));
    let html = "<!doctype html><link rel=stylesheet href=style.css><script src=/script.js></script>\
        <body><iframe src=/frame height=200></iframe>";
    let pixels = draw_with(html, Arc::new(shelf), |_| Vec::new()).await;
    assert_eq!(pixels.at(100, 100), [0, 255, 255]);
    assert_eq!(pixels.at(100, 400), [255, 255, 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_without_a_charset_is_drawn_as_it_is_parsed() {
    let html = "<title>x</title><p>엔터미디어의 기사는 여기에 있습니다</p>";
    let studio = Studio::open().await.unwrap();
    let sitting = studio.show(kept(html), Arc::new(Nothing)).await.unwrap();
    assert_eq!(sitting.walk().await.unwrap().dom, parse(html.as_bytes(), None).dom);
    studio.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_without_end_is_cut_and_says_what_its_colours_mean_nevertheless() {
    let html = "<!doctype html><body style='margin:0'><div style='height:90000px'></div>";
    let pixels = draw(html, |dom| {
        let div = named(dom, "div");
        vec![mark(dom, div, div, 3)]
    })
    .await;
    assert_eq!(pixels.height, browser::HIGHEST_PICTURE as usize);
    assert_eq!(pixels.at(0, 11_000), Colour::nth(3).rgb());
    assert!((0..100).any(|x| pixels.at(x, pixels.height - 15) == Colour::nth(3).rgb()));
}

#[tokio::test(flavor = "multi_thread")]
async fn pictures_far_below_are_drawn_although_the_page_would_load_them_late() {
    let dot = "<svg xmlns='http://www.w3.org/2000/svg' width='100' height='100'><rect width='100' height='100' fill='#00f'/></svg>";
    let shelf = Shelf(HashMap::from([("/dot.svg", ("image/svg+xml", dot))]));
    let html = "<!doctype html><body style='margin:0'><div style='height:8000px'></div>\
        <img loading=lazy src=/dot.svg width=100 height=100>";
    let pixels = draw_with(html, Arc::new(shelf), |_| Vec::new()).await;
    assert_eq!(pixels.at(50, 8050), [0, 0, 255]);
}
