//! Any bytes as a page: no function of `page::tree` may panic or go back on its word.

#![no_main]

use libfuzzer_sys::fuzz_target;
use page::tree::{
    Dom, Effort, Mask, Mode, Outline, Paths, XPath, canonical_hash, distance, generalise, images,
    links, parse, parse_str, restore, serialise, visible_text,
};

fuzz_target!(|input: (Option<String>, &[u8], &str)| {
    let (content_type, bytes, text) = input;
    let one = parse(bytes, content_type.as_deref()).dom;
    let other = parse_str(text).dom;
    check(&one);
    check(&other);
    let effort = Effort { cells: 1_000_000, ..Effort::default() };
    for mode in [Mode::Structure, Mode::Full] {
        let (a, b) = (Outline::new(&one, mode), Outline::new(&other, mode));
        let (there, back) = (distance(&a, &b, effort), distance(&b, &a, effort));
        assert_eq!(there.distance, back.distance);
        assert!(there.distance + 2 <= a.len() + b.len());
        assert_eq!(distance(&a, &a, effort).distance, 0);
    }
    // Arbitrary text is also a damaged snapshot, and a path that does not parse.
    let _ = restore(text);
    if let Ok(path) = text.parse::<XPath>() {
        assert_eq!(path.to_string().parse::<XPath>().as_ref(), Ok(&path));
        path.evaluate(&one);
    }
});

fn check(dom: &Dom) {
    assert_eq!(restore(&serialise(dom)).as_ref(), Ok(dom));
    canonical_hash(dom, &Mask::default());
    visible_text(dom);
    let page = url::Url::parse("http://site.example/").expect("a valid address");
    links(dom, &page);
    images(dom, &page);
    let paths = Paths::new(dom);
    let found: Vec<XPath> = dom.elements().take(50).filter_map(|node| paths.of(node.id())).collect();
    for (path, node) in found.iter().zip(dom.elements()) {
        assert_eq!(path.evaluate(dom), [node.id()]);
    }
    let patterns = generalise(&found);
    assert!(found.iter().all(|path| patterns.iter().any(|pattern| pattern.path.covers(path))));
}
