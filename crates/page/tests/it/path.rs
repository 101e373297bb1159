use page::tree::{DomBuilder, Index, PathStep, Paths, XPath, generalise, parse_str};

fn patterns(paths: &[&str]) -> Vec<String> {
    let paths: Vec<XPath> = paths.iter().map(|path| path.parse().unwrap()).collect();
    generalise(&paths)
        .iter()
        .map(|pattern| format!("{} x{}", pattern.path, pattern.support))
        .collect()
}

#[test]
fn the_examples_of_the_paper_generalise_as_in_the_paper() {
    let (a, b) = ("/html/body/div[4]/li[1]/a[1]", "/html/body/div[4]/li[2]/a[1]");
    assert_eq!(patterns(&[a, b]), ["/html/body/div[4]/li[*]/a[1] x2"]);
    let c = "/html/body/div[3]/li[1]/a[1]";
    assert_eq!(patterns(&[a, b, c]), ["/html/body/div[*]/li[*]/a[1] x3"]);
    let apart = ["/html/body/div[1]", "/html/body/span[1]", "/html/body/div[1]/span[1]"];
    assert_eq!(patterns(&apart).len(), 3);
}

#[test]
fn a_step_without_a_number_stays_without() {
    assert_eq!(
        patterns(&["/html/body/div/a[1]", "/html/body/div/a[2]"]),
        ["/html/body/div/a[*] x2"]
    );
    assert_eq!(patterns(&["/html/body/a[*]", "/html/body/a[3]"]), ["/html/body/a[*] x2"]);
}

#[test]
fn steps_with_other_predicates_stay_apart() {
    let paths = [
        "/html/body/a[@class='x'][1]",
        "/html/body/a[@class='y'][2]",
        "/html/body/a[@class='x'][3]",
    ];
    assert_eq!(
        patterns(&paths),
        ["/html/body/a[@class='x'][*] x2", "/html/body/a[@class='y'][2] x1"]
    );
}

#[test]
fn generalising_patterns_again_changes_nothing() {
    let once = patterns(&["/html/body/a[1]", "/html/body/a[2]", "/html/body/b[1]"]);
    let paths: Vec<String> = once.iter().map(|p| p.split(' ').next().unwrap().to_owned()).collect();
    let twice = patterns(&paths.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(twice, ["/html/body/a[*] x1", "/html/body/b[1] x1"]);
}

#[test]
fn paths_print_as_they_were_written() {
    for path in [
        "/html/body/div[2]/a[1]",
        "/html/body/x-app[1]/shadow-root()/button[1]",
        "/html/body/iframe[1]/document()/html/body/a[1]",
        "/html/body/div/a[@class='next page'][@href][*]",
        "/html/body/a[@title=\"it's\"][1]",
        "/html/body/a[@title=\"it's \"\"this\"\"\"][1]",
        "/html/body/*[name()='a[1]'][2]",
        "/html/body/svg[1]/foreignObject[1]",
        "/",
    ] {
        let read: XPath = path.parse().unwrap();
        assert_eq!(read.to_string(), path);
    }
    assert_eq!("/html[1]/body[1]".parse::<XPath>().unwrap().to_string(), "/html/body");
}

#[test]
fn what_is_no_path_is_refused_with_its_place() {
    for path in [
        "",
        "html",
        "//a",
        "/a[0]",
        "/a[",
        "/a[1",
        "/a[1][2]",
        "/a[@]",
        "/a[@x='1]",
        "/a b",
        "/a/",
        "/a[-1]",
        "/a[99999999999]",
    ] {
        assert!(path.parse::<XPath>().is_err(), "{path:?}");
    }
    let error = "/html/body/a[x]".parse::<XPath>().unwrap_err().to_string();
    assert!(error.contains("\"[x]\" at byte 12"), "{error}");
    assert!(format!("/{}", "a".repeat(100_000)).parse::<XPath>().is_err());
}

#[test]
fn every_element_is_found_again_by_its_path() {
    let mut builder = DomBuilder::new();
    builder.open("html", []);
    builder.open("body", []);
    for name in ["p", "a[1]", "p", "a[1]", "it's"] {
        builder.open(name, []);
        builder.open_shadow_root();
        builder.open("b", []);
        builder.close();
        builder.close();
        builder.open("iframe", []);
        builder.open_document();
        builder.open("html", []);
        (0..3).for_each(|_| builder.close());
        builder.text("t");
        builder.close();
    }
    let dom = builder.finish();
    let paths = Paths::new(&dom);
    for node in dom.nodes() {
        let path = XPath::of(node);
        assert_eq!(path, paths.of(node.id()));
        assert_eq!(path.is_none(), !node.text().is_empty());
        let Some(path) = path else { continue };
        assert_eq!(path.to_string().parse::<XPath>().unwrap(), path);
        assert_eq!(path.evaluate(&dom), [node.id()], "{path}");
        assert_eq!(dom.nodes().filter(|other| path.matches(*other)).count(), 1, "{path}");
    }
}

#[test]
fn open_numbers_and_predicates_find_what_they_say() {
    let dom = parse_str("<ul><li class=x>1<li>2<li class=x>3</ul><ul><li class=x>4</ul>").dom;
    let texts = |path: &str| -> Vec<&str> {
        let path: XPath = path.parse().unwrap();
        let found = path.evaluate(&dom);
        let matching: Vec<_> =
            dom.nodes().filter(|node| path.matches(*node)).map(|node| node.id()).collect();
        assert_eq!(found, matching);
        found.iter().map(|id| dom.node(*id).first_child().map_or("", |text| text.text())).collect()
    };
    assert_eq!(texts("/html/body/ul[*]/li[1]"), ["1", "4"]);
    assert_eq!(texts("/html/body/ul/li"), ["1", "2", "3", "4"]);
    assert_eq!(texts("/html/body/ul[1]/li[@class='x'][*]"), ["1", "3"]);
    assert_eq!(texts("/html/body/ul[1]/li[@class][*]"), ["1", "3"]);
    assert_eq!(texts("/html/body/ul[1]/li[@class='y'][*]"), [""; 0]);
    assert_eq!(texts("/html/body/ul[1]/nothing[1]"), [""; 0]);
}

#[test]
fn a_pattern_covers_the_paths_it_was_made_from_and_no_others() {
    let of = |path: &str| path.parse::<XPath>().unwrap();
    let pattern = of("/html/body/div[*]/a[1]");
    assert!(pattern.covers(&of("/html/body/div[7]/a[1]")));
    assert!(!pattern.covers(&of("/html/body/div[7]/a[2]")));
    assert!(!pattern.covers(&of("/html/body/div[7]/b[1]")));
    assert!(!pattern.covers(&of("/html/body/div[7]")));
    assert!(pattern.covers(&pattern) && !of("/html/body/div[7]/a[1]").covers(&pattern));
    let any_body = XPath {
        steps: vec![PathStep::element("html", Index::At(1)), PathStep::element("body", Index::Any)],
    };
    assert!(any_body.covers(&of("/html/body")));
}
