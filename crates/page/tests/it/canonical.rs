use page::tree::{Mask, StateHash, canonical_hash, images, links, parse_str, title, visible_text};

fn of(html: &str) -> StateHash {
    canonical_hash(&parse_str(html).dom, &Mask::default())
}

#[test]
fn what_does_not_show_makes_no_new_state() {
    let page = of("<title>T</title><p class=a id=b>one two</p>");
    for same in [
        "<title>T</title><p id=b class=a>one two</p>",
        "<title> T\n</title>\n\n<p class=a id=b>\n one\ttwo </p>\n",
        "<!doctype html><title>T</title><!-- x --><p class=a id=b>one two</p>",
        "<title>T</title><style>p{}</style><script>x</script><p class=a id=b style='color:red'>one two</p><noscript>n</noscript>",
        "<title>T</title><link rel='preload stylesheet' href=x><p class=a id=b nonce=1>one <!-- y -->two</p>",
        "<title>T</title><p class=a id=b>one two</p><template><p>t</p></template>",
    ] {
        assert_eq!(of(same), page, "{same}");
    }
}

#[test]
fn what_shows_makes_a_new_state() {
    let page = of("<title>T</title><p class=a>one two</p>");
    for other in [
        "<title>U</title><p class=a>one two</p>",
        "<title>T</title><p class=b>one two</p>",
        "<title>T</title><p>one two</p>",
        "<title>T</title><p class=a>onetwo</p>",
        "<title>T</title><p class=a>one <b>two</b></p>",
        "<title>T</title><div class=a>one two</div>",
        "<title>T</title><p class=a>one two</p><p></p>",
        "<title>T</title><p class=a>one</p>two",
    ] {
        assert_ne!(of(other), page, "{other}");
    }
}

#[test]
fn text_cannot_imitate_structure() {
    assert_ne!(of("<p a=b>"), of("<p>a=b"));
    assert_ne!(of("<p a=bc=d>"), of("<p a=b c=d>"));
    assert_ne!(of("<p>a</p><p>b</p>"), of("<p>ab</p><p></p>"));
    assert_ne!(of("<div><b></b></div><i></i>"), of("<div><b></b><i></i></div>"));
}

#[test]
fn tokens_that_frameworks_make_for_each_visitor_do_not_count() {
    for (a, b) in [
        ("<input name=csrfmiddlewaretoken value=1>", "<input name=csrfmiddlewaretoken value=2>"),
        ("<meta name=csrf-token content=1>", "<meta name=csrf-token content=2>"),
        (
            "<input type=hidden name=__RequestVerificationToken value=1>",
            "<input type=hidden name=__RequestVerificationToken value=2>",
        ),
    ] {
        assert_eq!(of(a), of(b));
    }
    assert_ne!(of("<input name=page value=1>"), of("<input name=page value=2>"));
}

#[test]
fn a_mask_hides_attributes_everywhere_or_at_a_path_and_whole_regions() {
    let hash = |html: &str, mask: &Mask| canonical_hash(&parse_str(html).dom, mask);
    let everywhere = Mask { attributes: vec!["data-t".into()], ..Mask::default() };
    assert_eq!(hash("<p data-t=1>x", &everywhere), hash("<p data-t=2>x", &everywhere));
    assert_ne!(hash("<p id=1>x", &everywhere), hash("<p id=2>x", &everywhere));

    let path = "/html/body/p[*]".parse().unwrap();
    let there = Mask { attributes_at: vec![(path, "id".into())], ..Mask::default() };
    assert_eq!(hash("<p id=1>x<p id=2>", &there), hash("<p id=3>x<p id=4>", &there));
    assert_ne!(hash("<p id=1>x<b id=1>", &there), hash("<p id=1>x<b id=2>", &there));

    let region = "/html/body/div[@class='ad'][*]".parse().unwrap();
    let regions = Mask { regions: vec![region], ..Mask::default() };
    let a = hash("<div class=ad><a href=1>buy</a></div><p>x", &regions);
    assert_eq!(a, hash("<div class=ad id=9><img></div><p>x", &regions));
    assert_ne!(a, hash("<div class=ad><a href=1>buy</a></div><p>y", &regions));
    assert_ne!(a, hash("<p>x", &regions), "that there is an advert is part of the page");
}

#[test]
fn visible_text_has_a_line_a_block_and_nothing_hidden() {
    let dom = parse_str(
        "<title>t</title><h1> A  b </h1><p>c<br>d<script>no</script> <span>e</span>f<span hidden>no</span></p>\
         <table><tr><td>1<td>2<tr><td>3</table><pre> x\n  y</pre><select><option>o<option>p</select>\
         <iframe>no</iframe><template>no</template><noscript>no</noscript><svg><text>s</text></svg>",
    )
    .dom;
    assert_eq!(visible_text(&dom), "A b\nc\nd ef\n1\t2\n3\n x\n  y\no\np\ns");
    assert_eq!(title(&dom), "t");
}

#[test]
fn links_and_images_are_resolved_against_the_base() {
    let page = url::Url::parse("https://a.example/x/y?z#f").unwrap();
    let dom = parse_str(
        "<base target=_blank><base href='/base/'><base href='/other/'><a href=' p?q=1 '>one\n two</a><a name=n>no</a>\
         <map><area href='//b.example/'></map><a href='javascript:go(1)'>js</a><a href='http://[bad'>bad</a>\
         <img src=i.png alt=pic><img alt=none><template><a href=t>t</a></template><svg><a xlink:href=s>s</a></svg>",
    )
    .dom;
    let found: Vec<_> =
        links(&dom, &page).into_iter().map(|l| (l.url.map(String::from), l.text)).collect();
    let some = |url: &str, text: &str| (Some(url.to_owned()), text.to_owned());
    assert_eq!(
        found,
        [
            some("https://a.example/base/p?q=1", "one two"),
            some("https://b.example/", ""),
            some("javascript:go(1)", "js"),
            (None, "bad".to_owned()),
            some("https://a.example/base/s", "s"),
        ]
    );
    let pictures = images(&dom, &page);
    assert_eq!(pictures.len(), 1);
    assert_eq!(pictures[0].url.as_ref().unwrap().as_str(), "https://a.example/base/i.png");
    assert_eq!(pictures[0].alt, "pic");
    assert_eq!(
        links(&parse_str("<a href=z>").dom, &page)[0].url.as_ref().unwrap().as_str(),
        "https://a.example/x/z"
    );
}
