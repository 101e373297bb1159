//! What became of the blocks of a page from one version to the next.

use std::time::Duration;

use page::block::{
    BlockAt, BlockTree, Comparison, Contents, Context, Cut, Fate, Kind, Matching, Past, Reading,
    Ticks, compare, partition, recut,
};
use page::tree::{Dom, Mask, parse_str, visible_text_of};

/// A version of a page.
pub struct Version {
    pub dom: Dom,
    pub tree: BlockTree,
    contents: Contents,
}

impl Version {
    pub fn of(html: &str) -> Self {
        Self::masked(html, &Mask::default())
    }

    fn masked(html: &str, mask: &Mask) -> Self {
        let dom = parse_str(html).dom;
        let tree = partition(&dom, None);
        let contents = Contents::of(&dom, &tree, mask);
        Self { dom, tree, contents }
    }

    pub fn reading(&self) -> Reading<'_> {
        Reading { dom: &self.dom, tree: &self.tree, contents: &self.contents }
    }

    pub fn text(&self, at: BlockAt) -> String {
        let block = self.tree.block(at);
        let mut text = String::new();
        let mut next = block.first;
        while next < block.end {
            let node = self.dom.node(next);
            text.push_str(&visible_text_of(node));
            text.push('\n');
            next = node.end();
        }
        text.split_ascii_whitespace().collect::<Vec<_>>().join(" ")
    }
}

const HOUR: Duration = Duration::from_secs(3600);

/// As fine as the page can be cut.
fn finest(tree: &BlockTree) -> Cut {
    Cut::at_level(tree, u16::MAX)
}

/// The page cut once.
fn coarsest(tree: &BlockTree) -> Cut {
    Cut::opening(tree, |at| at == BlockAt::PAGE)
}

fn compared(old: &Version, new: &Version) -> Comparison {
    compared_in(old, new, &Context::apart(HOUR))
}

fn compared_in(old: &Version, new: &Version, context: &Context<'_>) -> Comparison {
    let cut = finest(&old.tree);
    let matching = Matching::between(old.reading(), new.reading());
    let carried = matching.carry(&cut, u16::MAX);
    compare((old.reading(), &cut), (new.reading(), &carried), &matching, context)
}

/// The texts of the blocks whose fate is as asked for.
fn texts(version: &Version, comparison: &Comparison, is: impl Fn(&Fate) -> bool) -> Vec<String> {
    let found = comparison.fates.iter().filter(|fate| is(fate));
    found.map(|fate| version.text(fate.block)).collect()
}

fn removed(version: &Version, comparison: &Comparison) -> Vec<String> {
    comparison.removed.iter().map(|at| version.text(*at)).collect()
}

/// What each story says: enough words that nobody takes one for the other, and enough of them that
/// each is a block.
const STORIES: [&str; 8] = [
    "The harbour was closed for a night because of fog over the northern pier. Ships waited \
     outside, and the pilots played cards until morning came with a light wind from the east.",
    "Seven bakers compete for the golden loaf in the market hall on Sunday. The jury tastes rye \
     first, then wheat, and whoever wins bakes for the mayor during a whole year without pay.",
    "A bridge from 1890 gets new bolts, and trams take the long way round. Walkers may still \
     cross it, on planks, if they do not mind the hammering below and the paint above.",
    "Pupils count swifts above the old brewery and find more than last year. These birds like \
     gables, say their teachers, who put boxes under every one of them before winter.",
    "Our library lends tools now, drills first of all, and a cargo bike. Someone bringing saws \
     back sharp keeps them for one week longer, which has made all saws here very keen.",
    "Rain fills the reservoir to nine tenths, so engineers open one gate. Downstream anglers \
     moved their chairs twice, and a heron that stood there since Easter has left.",
    "Two choirs share one hall and sing at the same hour, only by mistake at first. Since then \
     people book both, sit in between, and vote with their hats which side was louder.",
    "Glass from broken bottles becomes tiles in the workshop behind the station. Apprentices \
     sort it by colour, and green, of which there is most, goes to the swimming pool.",
];

fn story(text: &str) -> String {
    format!("<div class=story><p>{text}</p></div>")
}

fn column(class: &str, texts: &[&str]) -> String {
    let stories: String = texts.iter().map(|text| story(text)).collect();
    format!("<div class={class}>{stories}</div>")
}

fn two_columns(left: &[&str], right: &[&str]) -> Version {
    Version::of(&(column("left", left) + &column("right", right)))
}

#[test]
fn one_block_more_is_one_block_added() {
    let old = two_columns(&STORIES[..3], &STORIES[4..7]);
    for place in 0..=3 {
        let mut left = STORIES[..3].to_vec();
        left.insert(place, STORIES[3]);
        let new = two_columns(&left, &STORIES[4..7]);
        let found = compared(&old, &new);
        let differs = |fate: &Fate| fate.is_added() || fate.kind.is_some() || fate.moved;
        assert_eq!(texts(&new, &found, differs), [STORIES[3]], "at {place}");
        assert!(found.removed.is_empty(), "at {place}");
        assert!(found.fates.iter().filter(|fate| fate.is_added()).all(|fate| fate.share == 1000));
    }
}

#[test]
fn one_block_less_is_one_block_removed() {
    let old = two_columns(&STORIES[..4], &STORIES[4..7]);
    for (place, story) in STORIES[..4].iter().enumerate() {
        let mut left = STORIES[..4].to_vec();
        left.remove(place);
        let new = two_columns(&left, &STORIES[4..7]);
        let found = compared(&old, &new);
        assert_eq!(removed(&old, &found), [*story]);
        let differs = |fate: &Fate| fate.is_added() || fate.kind.is_some() || fate.moved;
        assert!(texts(&new, &found, differs).is_empty(), "at {place}: {found:?}");
    }
}

#[test]
fn a_block_in_another_region_has_moved_and_is_the_same() {
    let old = two_columns(&STORIES[..4], &STORIES[4..7]);
    let right = [STORIES[4], STORIES[0], STORIES[5], STORIES[6]];
    let new = two_columns(&STORIES[1..4], &right);
    let found = compared(&old, &new);
    assert_eq!(texts(&new, &found, |fate| fate.moved), [STORIES[0]]);
    assert!(found.fates.iter().all(|fate| fate.kind.is_none() && !fate.is_added()));
    assert!(found.removed.is_empty());
}

#[test]
fn of_blocks_in_another_order_the_fewest_have_moved() {
    let old = two_columns(&STORIES[..4], &STORIES[4..]);
    let order = [STORIES[3], STORIES[0], STORIES[1], STORIES[2]];
    let new = two_columns(&order, &STORIES[4..]);
    let found = compared(&old, &new);
    assert_eq!(texts(&new, &found, |fate| fate.moved), [STORIES[3]]);
    assert!(found.fates.iter().all(|fate| fate.kind.is_none() && !fate.is_added()));
}

#[test]
fn a_layout_that_changed_leaves_the_blocks_what_they_are() {
    let page = column("left", &STORIES[..4]) + &column("right", &STORIES[4..]);
    let old = Version::of(&page);
    let new = Version::of(
        &format!("<div class=grid2026>{page}</div>").replace("class=left", "class=wide"),
    );
    let found = compared(&old, &new);
    assert!(found.layout_changed);
    let differs = |fate: &Fate| fate.is_added() || fate.kind.is_some() || fate.moved;
    assert!(texts(&new, &found, differs).is_empty(), "{found:?}");
    assert!(found.removed.is_empty());
    assert!(!compared(&old, &old).layout_changed);
}

#[test]
fn a_block_that_changed_in_a_moving_list_keeps_its_lineage() {
    let old = two_columns(&STORIES[..4], &STORIES[4..]);
    let edited = STORIES[1].replace("Sunday", "Monday");
    let new = two_columns(&[STORIES[7], STORIES[0], &edited, STORIES[2]], &STORIES[4..7]);
    let found = compared(&old, &new);
    let fate = found.fates.iter().find(|fate| fate.kind == Some(Kind::Text)).unwrap();
    assert_eq!(new.text(fate.block), edited);
    assert_eq!(fate.from.map(|at| old.text(at)), Some(STORIES[1].to_owned()));
    assert!(!fate.moved);
}

/// A page around a part that differs.
fn around(part: &str) -> String {
    let story = story(STORIES[0]);
    format!("{story}<div id=part><p>{part}</p></div>{}", column("right", &STORIES[4..]))
}

fn kind_of(old: &str, new: &str) -> Option<Kind> {
    let (old, new) = (Version::of(&around(old)), Version::of(&around(new)));
    let found = compared(&old, &new);
    assert!(found.removed.is_empty(), "{found:?}");
    let mut kinds = found.fates.iter().filter_map(|fate| fate.kind);
    let first = kinds.next();
    assert_eq!(kinds.next(), None, "only the part changed: {found:?}");
    first
}

#[test]
fn the_kind_of_a_change_is_what_matters_most_to_a_reader() {
    for (old, new, kind) in [
        ("some words", "some other words", Kind::Text),
        ("a<script>1</script>", "b<script>2</script>", Kind::Text),
        ("foo bar", "foobar", Kind::Text),
        ("<a href=/1>see</a>", "<a href=/2>see</a>", Kind::Link),
        ("<a class=x href=/1>see</a>", "<a class=y href=/2>see</a>", Kind::Link),
        ("text <img src=1.png>", "text <img src=2.png>", Kind::Image),
        ("text <iframe src=/1></iframe>", "text <iframe src=/2></iframe>", Kind::Image),
        ("<b>text</b>", "<i>text</i>", Kind::Format),
        ("some <b>bold</b> text", "some bold text", Kind::Format),
        ("<b class=red>text</b>", "<b class=blue>text</b>", Kind::Format),
        ("<b id=a class=b>text</b>", "<b class=b id=a>text</b>", Kind::Format),
        ("text<i hidden>1</i>", "text<i hidden>2</i>", Kind::Format),
        ("t<i hidden><a href=/1>x</a></i>", "t<i hidden><a href=/2>x</a></i>", Kind::Format),
        ("text<script>1</script>", "text<script>2</script>", Kind::Script),
        ("text<style>a{}</style>", "text<style>b{}</style>", Kind::Script),
        ("text<!-- 1 -->", "text<!-- 2 -->", Kind::Script),
        ("text<noscript>1</noscript>", "text<noscript>2</noscript>", Kind::Script),
    ] {
        assert_eq!(kind_of(old, new), Some(kind), "{old} | {new}");
        assert_eq!(kind_of(new, old), Some(kind), "{new} | {old}");
        assert_eq!(kind_of(old, old), None);
    }
}

#[test]
fn what_differs_at_every_look_is_volatile() {
    for (old, new) in [
        ("by Ann 3 hours ago", "by Ann 4 hours ago"),
        ("by Ann 50 minutes ago", "by Ann 1 hour ago"),
        ("vor 5 Minuten", "vor 65 Minuten"),
        ("更新 5分钟前", "更新 65分钟前"),
        ("It is now 12:03", "It is now 13:03"),
        ("Page generated in 0.013 seconds", "Page generated in 0.211 seconds"),
        ("<a href='/x?sid=a1'>see</a>", "<a href='/x?sid=b2'>see</a>"),
        ("text <img src='1.png?v=1'>", "text <img src='1.png?v=2'>"),
        ("<b id=x-8f3a21b0c4>text</b>", "<b id=x-11aa21b0c9>text</b>"),
        ("text<input name=_token value=1>", "text<input name=_token value=2>"),
    ] {
        assert_eq!(kind_of(old, new), Some(Kind::Volatile), "{old} | {new}");
        assert!(!Kind::Volatile.counts());
    }
}

#[test]
fn a_real_change_is_never_volatile() {
    for (old, new) in [
        ("€ 12.03", "€ 12.04"),
        ("Score 3:2", "Score 3:3"),
        ("1 May 2009", "2 May 2009"),
        ("2009年5月1日", "2009年5月2日"),
        ("3 comments", "4 comments"),
        ("Visitor 10,203", "Visitor 10,204"),
        ("by Ann 3 hours ago", "by Bob 4 hours ago"),
        ("by Ann 3 hours ago, 5 comments", "by Ann 4 hours ago, 6 comments"),
        ("3 hours ago", "3 minutes ago"),
        ("3 hours ago", "9 hours ago"),
        ("12:03:55", "18:04:10"),
        ("<a href=/t/1>3 hours ago</a>", "<a href=/t/2>4 hours ago</a>"),
        ("<a href='/x?id=1'>see</a>", "<a href='/x?id=2'>see</a>"),
    ] {
        let kind = kind_of(old, new);
        assert!(kind.is_some_and(Kind::counts), "{old} | {new}: {kind:?}");
    }
}

#[test]
fn a_counter_is_volatile_only_if_its_history_says_so() {
    let (old, new) = (
        Version::of(&around("1,204 visitors today")),
        Version::of(&around("1,311 visitors today")),
    );
    let changed = |comparison: &Comparison| {
        comparison.fates.iter().copied().find(|fate| fate.kind.is_some()).unwrap()
    };
    let first = changed(&compared(&old, &new));
    assert_eq!((first.kind, first.numbers_only), (Some(Kind::Text), true));
    let counter = first.from.unwrap();
    let context = Context { is_counter: &|at| at == counter, ..Context::apart(HOUR) };
    let later = changed(&compared_in(&old, &new, &context));
    assert_eq!((later.kind, later.numbers_only), (Some(Kind::Volatile), true));

    let day = Context { apart: 24 * HOUR, ..context };
    let figure = changed(&compared_in(&old, &new, &day));
    assert_eq!(figure.kind, Some(Kind::Text), "a figure that is new each day is news");

    let context = Context { apart: HOUR, ..day };
    let renamed = Version::of(&around("1,311 guests today"));
    let words = changed(&compared_in(&old, &renamed, &context));
    assert_eq!((words.kind, words.numbers_only), (Some(Kind::Text), false));
}

#[test]
fn a_block_is_a_counter_after_four_versions_in_a_row_with_other_numbers() {
    let page = |number: usize| Version::of(&around(&format!("{number} visitors today")));
    let tick = |old: usize, new: usize, ticks: Ticks| {
        let found = compared(&page(old), &page(new));
        let fate = found.fates.iter().find(|fate| fate.kind.is_some()).or(found.fates.get(1));
        ticks.after(fate.unwrap())
    };
    let ticks = (1..4).fold(Ticks::default(), |ticks, number| tick(number, number + 1, ticks));
    assert!(!ticks.is_counter());
    assert!(tick(4, 5, ticks).is_counter());
    assert!(!tick(5, 5, tick(4, 5, ticks)).is_counter(), "it stood still");
}

#[test]
fn tokens_and_ages_that_always_differ_make_no_counter() {
    let page = |token: &str, age: usize, price: usize| {
        Version::of(&around(&format!("<b id=x-{token}>€ {price}</b> {age} hours ago")))
    };
    let (old, new) = (page("8f3a21b0c4", 2, 12), page("99aa21b0c4", 3, 12));
    let found = compared(&old, &new);
    let fate = found.fates.iter().find(|fate| fate.kind.is_some()).unwrap();
    assert_eq!((fate.kind, fate.numbers_only), (Some(Kind::Volatile), false));
}

#[test]
fn a_change_in_an_advert_is_the_adverts() {
    let (old, new) = (Version::of(&around("Buy one")), Version::of(&around("Buy two")));
    let context = Context { is_advert: &|_| true, ..Context::apart(HOUR) };
    let found = compared_in(&old, &new, &context);
    let kinds: Vec<_> = found.fates.iter().filter_map(|fate| fate.kind).collect();
    assert_eq!(kinds, [Kind::Advert]);
}

#[test]
fn what_the_mask_of_the_page_covers_is_volatile() {
    let mask =
        Mask { regions: vec!["/html/body/div[2]/p[1]/i[1]".parse().unwrap()], ..Mask::default() };
    let at =
        |number, text: &str| Version::masked(&around(&format!("{text}<i>{number}</i>")), &mask);
    let kinds = |old: &Version, new: &Version| {
        compared(old, new).fates.iter().filter_map(|fate| fate.kind).collect::<Vec<_>>()
    };
    assert_eq!(kinds(&at(1, "stock "), &at(2, "stock ")), [Kind::Volatile]);
    assert_eq!(kinds(&at(1, "stock "), &at(2, "bonds ")), [Kind::Text]);

    let link = "/html/body/div[2]/p[1]/a[1]".parse().unwrap();
    let mask = Mask { attributes_at: vec![(link, "href".into())], ..Mask::default() };
    let to = |href| Version::masked(&around(&format!("<a href={href}>see</a>")), &mask);
    assert_eq!(kinds(&to("/1"), &to("/2")), [Kind::Volatile]);
}

#[test]
fn what_is_new_is_cut_as_its_neighbours_are() {
    let part = |name: &str| {
        let stories: Vec<_> = STORIES.iter().map(|story| format!("{name}: {story}")).collect();
        let stories: Vec<_> = stories.iter().map(String::as_str).collect();
        column("part", &stories[..4])
    };
    let old = Version::of(&(part("north") + &part("south")));
    let new = Version::of(&(part("north") + &part("west") + &part("south")));
    for cut in [coarsest(&old.tree), finest(&old.tree)] {
        let matching = Matching::between(old.reading(), new.reading());
        let carried = matching.carry(&cut, 0);
        assert_eq!(carried.blocks().len() * 2, cut.blocks().len() * 3, "{cut:?}");
    }
}

#[test]
fn a_cut_is_carried_to_the_same_page_as_it_is() {
    let version = two_columns(&STORIES[..4], &STORIES[4..]);
    let matching = Matching::between(version.reading(), version.reading());
    for level in 0..5 {
        let cut = Cut::at_level(&version.tree, level);
        assert_eq!(matching.carry(&cut, 1), cut);
    }
}

#[test]
fn a_page_of_equal_or_of_different_siblings_takes_linear_time() {
    let list = |word: &dyn Fn(usize) -> String| {
        let items: String =
            (0..20_000).map(|at| format!("<div><p>{}</p></div>", word(at))).collect();
        Version::of(&items)
    };
    let same = list(&|_| "the same words again".to_owned());
    let other = list(&|_| "other words, all the same".to_owned());
    let numbered = list(&|at| format!("row {at} of many"));
    let renumbered = list(&|at| format!("row {} of many", (at * 7_919) % 20_000));
    let begun = std::time::Instant::now();
    for (old, new) in [(&same, &other), (&same, &numbered), (&numbered, &renumbered)] {
        let found = compared(old, new);
        assert_eq!(found.fates.len(), 20_000);
    }
    // Quadratic, it would be minutes.
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}

fn past(lived: u32, changed: &[u32], share: u16) -> Past {
    Past { lived, changed: changed.to_vec(), share }
}

#[test]
fn a_block_that_changes_in_part_is_split_and_this_is_no_change() {
    let version = two_columns(&STORIES[..3], &STORIES[3..6]);
    let cut = coarsest(&version.tree);
    let history = [past(5, &[3, 5], 200), past(5, &[5], 900)];
    let finer = recut(&version.tree, version.reading().contents, &cut, &history).unwrap();
    assert!(finer.blocks().len() > cut.blocks().len());
    assert!(finer.blocks().contains(&cut.blocks()[1]), "what changes as a whole stays whole");

    let matching = Matching::between(version.reading(), version.reading());
    let carried = matching.carry(&finer, 1);
    let context = Context::apart(HOUR);
    let reading = version.reading();
    let found = compare((reading, &finer), (reading, &carried), &matching, &context);
    assert!(!found.counts() && found.fates.iter().all(|fate| fate.kind.is_none()));
}

#[test]
fn siblings_that_always_change_together_are_merged() {
    let version = two_columns(&STORIES[..3], &STORIES[3..6]);
    let cut = finest(&version.tree);
    let together: Vec<u32> = (1..=20).step_by(4).collect();
    let left = vec![past(20, &together, 1000); 3];
    let apart = vec![past(20, &[3], 1000), past(20, &together, 1000), past(20, &[], 0)];
    let history = [left, apart].concat();
    let coarser = recut(&version.tree, version.reading().contents, &cut, &history).unwrap();
    assert_eq!(coarser.blocks().len(), 4);
    let young: Vec<_> = history.iter().map(|past| Past { lived: 3, ..past.clone() }).collect();
    assert_eq!(recut(&version.tree, version.reading().contents, &cut, &young), None);
}
