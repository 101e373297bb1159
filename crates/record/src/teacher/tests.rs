//! What small pages teach.

use super::*;
use page::tree::parse_str;

fn taught(html: &str) -> Vec<Taught> {
    teach(&parse_str(html).dom, &"https://forum.example/t/1".parse().expect("an address"))
}

const COMMENT: &str = "<li itemscope itemtype='https://schema.org/Comment' id=c1>
    <div itemprop=author itemscope itemtype='https://schema.org/Person'><a itemprop=url href=/u/ann><b itemprop=name>Ann</b></a></div>
    <time itemprop=dateCreated datetime='2025-03-01T10:00:00Z'>1 March</time>
    <div itemprop=text><p>Turn it off and on.</p></div><a itemprop=url href='#c1'>#1</a></li>";

#[test]
fn microdata_teaches_posts_and_where_their_fields_are() {
    let html = format!("<ul>{COMMENT}{}</ul>", COMMENT.replace("Ann", "Ben").replace("c1", "c2"));
    let dom = parse_str(&html).dom;
    let taught = teach(&dom, &"https://forum.example/t/1".parse().expect("an address"));
    assert_eq!(taught.len(), 2, "{taught:#?}");
    let first = &taught[0];
    assert_eq!((first.kind, first.author.as_deref()), (Kind::Post, Some("Ann")));
    assert_eq!(first.content.as_deref(), Some("Turn it off and on."));
    assert_eq!(
        first.time.as_ref().map(Moment::to_rfc3339).as_deref(),
        Some("2025-03-01T10:00:00Z")
    );
    assert_eq!(first.url.as_ref().map(Url::as_str), Some("https://forum.example/t/1#c1"));
    assert_eq!(dom.node(first.element.expect("an element")).name(), "li");
    assert_eq!(dom.node(first.places[&Field::Time]).name(), "time");
    assert_eq!(dom.node(first.places[&Field::Author]).name(), "b");
    assert_eq!(taught[1].author.as_deref(), Some("Ben"));
}

#[test]
fn a_thread_that_repeats_its_first_post_is_left_out() {
    let html = format!(
        "<div itemscope itemtype='https://schema.org/DiscussionForumPosting'><h1 itemprop=headline>Help</h1>
         <meta itemprop=text content='Turn it off and on.'><ul>{}{}</ul></div>",
        COMMENT.replace("<li ", "<li itemprop=comment "),
        COMMENT.replace("<li ", "<li itemprop=comment ").replace("off", "round").replace("c1", "c2"),
    );
    let taught = taught(&html);
    let texts: Vec<_> = taught.iter().filter_map(|item| item.content.as_deref()).collect();
    assert_eq!(texts, ["Turn it off and on.", "Turn it round and on."]);
    assert!(
        taught.iter().all(|item| item.parent.is_none() && item.title.as_deref() == Some("Help"))
    );
}

#[test]
fn a_post_and_the_comments_on_it_stay_together() {
    let html = format!(
        "<div itemscope itemtype='https://schema.org/DiscussionForumPosting'><h1 itemprop=headline>Help</h1>
         <p itemprop=text>It is broken.</p><ul>{}</ul></div>",
        COMMENT.replace("<li ", "<li itemprop=comment "),
    );
    let taught = taught(&html);
    assert_eq!(taught.len(), 2);
    assert_eq!((taught[0].parent, taught[1].parent), (None, Some(0)));
}

#[test]
fn rows_of_a_list_are_items_and_the_way_to_the_page_is_not() {
    let taught = taught(
        "<ol itemscope itemtype='http://schema.org/BreadcrumbList'><li itemprop=itemListElement itemscope
           itemtype='http://schema.org/ListItem'><a itemprop=item href=/><span itemprop=name>Home</span></a></ol>
         <ul itemscope itemtype='http://schema.org/ItemList'>
         <li itemprop=itemListElement itemscope itemtype='http://schema.org/ListItem'><meta itemprop=position content=1>
           <meta itemprop=url content=/t/1><meta itemprop=name content='First thread'>First thread
         <li itemprop=itemListElement itemscope itemtype='http://schema.org/ListItem'>
           <div itemprop=item itemscope itemtype='http://schema.org/Product'><a itemprop=url href=/t/2 ><b itemprop=name>Lamp</b></a>
           <span itemprop=offers itemscope itemtype='http://schema.org/Offer'><b itemprop=price content=12.50>12,50</b></span></div></ul>",
    );
    let titles: Vec<_> = taught.iter().filter_map(|item| item.title.as_deref()).collect();
    assert_eq!(titles, ["First thread", "Lamp"]);
    assert_eq!(taught[0].others.get("position").map(String::as_str), Some("1"));
    assert_eq!(taught[1].others.get("price").map(String::as_str), Some("12.50"));
    assert_eq!(taught[1].url.as_ref().map(Url::path), Some("/t/2"));
}

#[test]
fn a_row_that_holds_a_thread_is_a_thread() {
    let taught = taught(
        r#"<script type="application/ld+json">{"@type":"ItemList","itemListElement":[{"@type":"ListItem","position":1,
            "item":{"@type":"DiscussionForumPosting","headline":"Help","url":"/t/1","author":{"name":"Ann"},
            "interactionStatistic":{"@type":"InteractionCounter","interactionType":"https://schema.org/CommentAction",
            "userInteractionCount":7}}}]}</script>"#,
    );
    assert_eq!(taught.len(), 1);
    assert_eq!((taught[0].kind, taught[0].replies), (Kind::Thread, Some(7)));
    assert_eq!(
        (taught[0].title.as_deref(), taught[0].author.as_deref()),
        (Some("Help"), Some("Ann"))
    );
}

#[test]
fn json_ld_teaches_and_the_page_shows_where() {
    let html = r##"<script type="application/ld+json">{"@context":"https://schema.org","@graph":[
        {"@type":"Person","@id":"#ann","name":"Ann"},
        {"@type":"QAPage","mainEntity":{"@type":"Question","name":"Why?","text":"Why is <b>it</b></p> so
            dark?","author":{"@id":"#ann"},"answerCount":2,"dateCreated":"2025-03-01T10:00+01:00",
          "acceptedAnswer":{"@type":"Answer","text":"The lamp is off.","author":{"@type":"Person","name":"Ben"}},
          "suggestedAnswer":[{"@type":"Answer","text":"It is night.","author":"Cid","url":"/t/1#a2"}]}}]}</script>
        <main><h1>Why?</h1><div id=q><p>Why is <b>it</b> so dark?</p></div><div id=a1><p>The lamp</p> <p>is off.</p></div>
        <div id=a2>It is night.</div></main>"##;
    let dom = parse_str(html).dom;
    let taught = teach(&dom, &"https://forum.example/t/1".parse().expect("an address"));
    let authors: Vec<_> =
        taught.iter().map(|item| item.author.as_deref().unwrap_or_default()).collect();
    assert_eq!(authors, ["Ann", "Ben", "Cid"], "{taught:#?}");
    assert_eq!((taught[0].replies, taught[0].kind), (Some(2), Kind::Post));
    assert_eq!(taught[1].parent, Some(0));
    let element = |at: usize| dom.node(taught[at].element.expect("an element"));
    assert_eq!(element(0).name(), "p");
    assert_eq!(element(1).attribute("id"), Some("a1"));
    assert_eq!(element(2).attribute("id"), Some("a2"));
}

#[test]
fn rdfa_teaches_too() {
    let taught = taught(
        "<div vocab='https://schema.org/' typeof=Article><h2 property=headline>News</h2>
         <span property=author typeof=Person><i property=name>Ann</i></span>
         <p property=articleBody>It rains.</p><time property=datePublished content='2025-03-01'>today</time></div>",
    );
    assert_eq!(taught.len(), 1);
    assert_eq!(taught[0].author.as_deref(), Some("Ann"));
    assert_eq!(taught[0].content.as_deref(), Some("It rains."));
    assert!(taught[0].time.is_some());
}

#[test]
fn data_for_scripts_teaches_what_the_page_shows() {
    let html = r#"<script>window.__DATA__ = {"menu":[{"name":"Home of all"},{"name":"Not shown"}],"posts":{"7":
        {"id":7,"created_at":1740823200,"user":{"username":"ann"},"body":"<p>Turn it off.</p>"},"8":
        {"id":8,"created_at":"2025-03-02T10:00:00Z","user":{"username":"ben"},"body":"<p>That helped.</p>"}}};</script>
        <div><p>Turn it off.</p></div><div><p>That helped.</p></div>"#;
    assert!(taught(&html.replace("<div>", "<div hidden>")).is_empty());
    let taught = taught(html);
    let authors: Vec<_> = taught.iter().filter_map(|item| item.author.as_deref()).collect();
    assert_eq!(authors, ["ann", "ben"], "{taught:#?}");
    assert!(
        taught
            .iter()
            .all(|item| item.kind == Kind::Post && item.time.is_some() && item.element.is_some())
    );
}

#[test]
fn a_single_post_in_the_data_is_told_by_all_its_fields() {
    let html = r#"<script>start({"posts":[{"posted_on":"2025-03-02T10:00:00Z","poster":{"name":"Ann"},"content":"<p>Turn it off.</p>"}],
        "tabs":[{"title":"Turn it off"}]})</script><p>Turn it off.</p>"#;
    let taught = taught(html);
    assert_eq!(taught.len(), 1);
    assert_eq!((taught[0].author.as_deref(), taught[0].kind), (Some("Ann"), Kind::Post));
}

#[test]
fn what_is_marked_and_described_is_one_record() {
    let described = r#"<script type="application/ld+json">[{"@type":"Comment","text":"Turn it off and on!","author":"Ann",
        "commentCount":3},{"@type":"Comment","text":"It is new.","author":"Ben"}]</script>"#;
    let taught = taught(&format!("{COMMENT}{described}"));
    assert_eq!(taught.len(), 2, "{taught:#?}");
    let known = taught.iter().find(|item| item.teacher == Teacher::Markup).expect("the marked one");
    assert_eq!((known.replies, known.time.is_some()), (Some(3), true));
}

#[test]
fn people_who_write_are_no_records() {
    let person =
        "<div itemscope itemtype='https://schema.org/Person'><b itemprop=name>Ann</b></div>";
    assert!(taught(person).is_empty());
    let listed = person.replace("<b itemprop", "<a itemprop=url href=/u/ann>x</a><b itemprop");
    assert_eq!(taught(&listed).len(), 1);
    assert_eq!(taught(&format!("{listed}{COMMENT}")).len(), 1);
}

#[test]
fn entries_of_feeds_are_items() {
    let taught = taught(
        "<?xml version='1.0'?><rss version='2.0'><channel><title>All</title><link>https://forum.example/</link>
         <item><title><![CDATA[One & two]]></title><link>https://forum.example/t/1</link><pubDate>Sat, 01 Mar 2025 10:00:00 +0000</pubDate>
         <dc:creator>Ann</dc:creator><description><![CDATA[<p>It <b>rains</b>.</p>]]></description></item>
         <item><title>Two</title><link>https://forum.example/t/2</link><description>&lt;p&gt;Sun.&lt;/p&gt;</description>
         <author>ben@forum.example (Ben)</author></item></channel></rss>",
    );
    assert_eq!(taught.len(), 2, "{taught:#?}");
    assert_eq!(taught[0].title.as_deref(), Some("One & two"));
    assert_eq!(taught[0].content.as_deref(), Some("It rains."));
    assert_eq!(taught[0].url.as_ref().map(Url::path), Some("/t/1"));
    assert_eq!(taught[0].author.as_deref(), Some("Ann"));
    assert_eq!(
        taught[0].time.as_ref().map(Moment::to_rfc3339).as_deref(),
        Some("2025-03-01T10:00:00Z")
    );
    assert_eq!(taught[1].content.as_deref(), Some("Sun."));
    assert_eq!(taught[1].author.as_deref(), Some("Ben"));
}

#[test]
fn entries_of_atom_are_items() {
    let taught = taught(
        "<feed xmlns='http://www.w3.org/2005/Atom'><title>All</title><entry><title>One</title>
         <link rel='alternate' href='/t/1'/><author><name>Ann</name></author><updated>2025-03-01T10:00:00Z</updated>
         <content type='html'>&lt;p&gt;It rains.&lt;/p&gt;</content></entry></feed>",
    );
    assert_eq!(taught.len(), 1);
    assert_eq!(taught[0].url.as_ref().map(Url::as_str), Some("https://forum.example/t/1"));
    assert_eq!(
        (taught[0].author.as_deref(), taught[0].content.as_deref()),
        (Some("Ann"), Some("It rains."))
    );
}

#[test]
fn hostile_pages_teach_little_and_break_nothing() {
    let deep = "<div itemscope itemtype='x:Comment' itemprop='comment text'>".repeat(3_000);
    assert!(taught(&deep).len() <= MOST);
    let wide = format!(
        "<div itemscope itemtype='x:Comment'>{}</div>",
        "<b itemprop=text>a</b>".repeat(5_000)
    );
    assert_eq!(taught(&wide).len(), 1);
    let nested = format!(
        "<script type='application/ld+json'>{}</script>",
        "{\"@type\":\"Comment\",\"comment\":".repeat(100_000)
    );
    assert!(taught(&nested).is_empty());
    let itself = "<div id=a itemscope itemtype='x:Comment' itemref='a b'></div><p id=b itemprop=text>It is so.</p>";
    assert_eq!(taught(itself)[0].content.as_deref(), Some("It is so."));
}
