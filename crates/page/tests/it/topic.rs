//! What blocks are called.

use page::block::{Display, How, Lines, Look, Looks, Topic, TopicSettings, Topics, partition};
use page::tree::{Dom, NodeId, parse_str};

/// The topic of the first element of a name.
fn topic_of(dom: &Dom, looks: Option<&Looks>, name: &str, settings: TopicSettings) -> Topic {
    let node = dom.elements().find(|node| node.name() == name).unwrap();
    let lines = Lines::new(dom, looks);
    Topics::new(settings).topic_of_run(&lines, node.id().0..node.end().0)
}

fn topic(html: &str, name: &str) -> Topic {
    topic_of(&parse_str(html).dom, None, name, TopicSettings::default())
}

fn look(font_size: u16, colour: u32) -> Look {
    Look {
        display: Display::Block,
        font_size,
        colour,
        weight: 400,
        width: 300,
        height: 20,
        ..Look::default()
    }
}

const SENTENCES: &str = "The harbour was quiet when the ferry came in, and the crew tied it up. Nobody \
    on the ferry had slept. The ferry had crossed the strait through the storm, and the storm had \
    followed it as far as the harbour wall, where it broke and was gone before the morning.";

#[test]
fn a_line_in_a_larger_font_is_the_topic() {
    let dom = parse_str("<section><div>By A. Writer</div><div>Ferry arrives</div><p>It came in at night.</p></section>").dom;
    let elements: Vec<NodeId> = dom.elements().map(|node| node.id()).collect();
    let looks = elements.iter().map(|id| {
        let is_large = dom.node(*id).children().any(|child| child.text() == "Ferry arrives");
        (*id, look(if is_large { 320 } else { 160 }, 0xff))
    });
    let looks = Looks::new(looks.collect());
    let topic = topic_of(&dom, Some(&looks), "section", TopicSettings::default());
    assert_eq!((topic.text.as_str(), topic.how), ("Ferry arrives", How::Found));
}

#[test]
fn a_first_line_in_another_colour_is_the_topic() {
    let html = format!("<section><div>Night crossing</div><p>{SENTENCES}</p></section>");
    let dom = parse_str(&html).dom;
    let looks = dom.elements().map(|node| {
        (node.id(), look(160, if node.name() == "div" { 0xcc0000ff } else { 0x000000ff }))
    });
    let looks = Looks::new(looks.collect());
    let topic = topic_of(&dom, Some(&looks), "section", TopicSettings::default());
    assert_eq!((topic.text.as_str(), topic.how), ("Night crossing", How::Found));
}

#[test]
fn without_looks_headings_captions_and_legends_are_topics() {
    for (html, name, expected) in [
        ("<section><p>12 May</p><h2>Tides</h2><p>High at noon.</p></section>", "section", "Tides"),
        ("<table><caption>Arrivals</caption><tr><td>Ferry<td>09:30</table>", "table", "Arrivals"),
        (
            "<form><fieldset><legend>Book a berth</legend><input></fieldset></form>",
            "form",
            "Book a berth",
        ),
        (
            "<details><summary>Opening hours</summary>From nine to five.</details>",
            "details",
            "Opening hours",
        ),
        ("<nav aria-label='Ports'><a href=/a>North</a> <a href=/b>South</a></nav>", "nav", "Ports"),
        ("<form><input placeholder='Search the port'></form>", "form", "Search the port"),
        ("<form><input type=submit value='Sign in'></form>", "form", "Sign in"),
        ("<div><img src=a alt='The old pier'></div>", "div", "The old pier"),
    ] {
        let topic = topic(html, name);
        assert_eq!((topic.text.as_str(), topic.how), (expected, How::Found), "{html}");
    }
}

#[test]
fn a_list_of_stories_is_called_by_its_own_heading() {
    let story = |title: &str| format!("<li><h3><a href=/s>{title}</a></h3><p>More of it.</p></li>");
    let stories = story("Ferry late again") + &story("Pier closed") + &story("Gulls return");
    assert_eq!(
        topic(&format!("<div><h2>From the port</h2><ul>{stories}</ul></div>"), "div").text,
        "From the port"
    );
    let by_place = topic(&format!("<div><div>From the port</div><ul>{stories}</ul></div>"), "div");
    assert_eq!(by_place.text, "From the port");
    let bare = topic(&format!("<ul>{stories}</ul>"), "ul");
    assert_eq!(
        (bare.text.as_str(), bare.how),
        ("Ferry late again · Pier closed · Gulls return", How::Trimmed)
    );
}

#[test]
fn a_menu_without_a_name_is_called_by_its_first_items() {
    let html = "<nav><a href=/1>Home</a><br><a href=/2>Ships</a><br><a href=/3>Tides</a></nav>";
    assert_eq!(topic(html, "nav").text, "Home · Ships · Tides");
}

#[test]
fn a_teaser_is_called_by_its_link() {
    let html = "<div><div>Weather</div><a href=/s>Storm expected along the coast</a><p>It comes on Friday.</p></div>";
    assert_eq!(topic(html, "div").text, "Storm expected along the coast");
}

#[test]
fn long_text_without_a_headline_is_called_by_the_phrase_with_its_frequent_words() {
    let topic = topic(&format!("<p>{SENTENCES}</p>"), "p");
    assert_eq!(topic.how, How::Extracted);
    assert!(topic.text.contains("ferry") && topic.text.contains("harbour"), "{}", topic.text);
    assert!(SENTENCES.contains(topic.text.trim_end_matches('…')), "as it stands: {}", topic.text);
}

#[test]
fn the_topic_of_a_chinese_paragraph_holds_its_frequent_words() {
    let html = "<p>近日，多地出台措施。网页布局是网页的一个重要的内部结构，从网页的布局我们可以分辨内容相关的信息。\
        根据网页布局把网页划分成若干个区域，可以检测网页整体布局的变化，并把变化的部分保存起来，以达到存储的目的。</p>";
    let topic = topic(html, "p");
    assert_eq!(topic.how, How::Extracted);
    assert!(topic.text.contains("网页") && topic.text.contains("布局"), "{}", topic.text);
}

#[test]
fn the_settings_decide_how_long_a_topic_is_and_when_words_are_counted() {
    let dom = parse_str(&format!("<p>{SENTENCES}</p>")).dom;
    let with = |settings| topic_of(&dom, None, "p", settings);
    let short = with(TopicSettings { most_words: 3, ..TopicSettings::default() });
    assert!(short.text.split(' ').count() <= 6, "{}", short.text);
    let trimmed = with(TopicSettings { extract_from: 1000, ..TopicSettings::default() });
    assert_eq!(trimmed.how, How::Trimmed);
    assert!(trimmed.text.starts_with("The harbour was quiet"), "{}", trimmed.text);
    let never = with(TopicSettings { frequency: 100, ..TopicSettings::default() });
    assert_eq!(never.how, How::Trimmed);
}

#[test]
fn same_content_has_the_same_topic_wherever_it_stands() {
    let alone = topic(&format!("<article><p>{SENTENCES}</p></article>"), "article");
    let among = topic(
        &format!(
            "<h1>Port news</h1><div><article>\n <p class=x>{SENTENCES}</p></article></div><p>End."
        ),
        "article",
    );
    assert_eq!(alone, among);
}

#[test]
fn what_says_nothing_has_an_empty_topic() {
    for html in ["<div></div>", "<div><img src=a></div>", "<div>—</div><p>x", "<div hidden>x</div>"]
    {
        assert_eq!(topic(html, "div").text.trim_matches('—'), "", "{html}");
    }
}

#[test]
fn the_topic_of_a_page_is_its_title() {
    let dom = parse_str("<title>Port of Call</title><h1>Tides</h1><p>High at noon.").dom;
    let tree = partition(&dom, None);
    let topic = Topics::default().topic(&Lines::new(&dom, None), &tree, page::block::BlockAt::PAGE);
    assert_eq!(topic.text, "Port of Call");
}

#[test]
fn a_control_is_not_what_a_block_is_about() {
    for (html, expected) in [
        (
            "<div><button>Close</button><p><b>Close</b></p><p>Ferry pass for members</p></div>",
            "Ferry pass for members",
        ),
        ("<div><h2>Sign In</h2><h3>Ferry pass</h3><p>Sail all year.</p></div>", "Ferry pass"),
        (
            "<div><p>Get the tides by mail every day</p><input><input type=submit value=Submit></div>",
            "Get the tides by mail every day",
        ),
        ("<div><p>From</p><input><p>To</p><input></div>", "From · To"),
    ] {
        assert_eq!(topic(html, "div").text, expected, "{html}");
    }
}

#[test]
fn a_short_line_before_links_is_their_heading_though_no_element_says_so() {
    let links = "<li><a href=/1>Ferry late again in the north</a></li><li><a href=/2>Pier closed for the \
        winter</a></li><li><a href=/3>Gulls return to the old port</a></li>";
    for heading in ["Most popular", "More from the port...", "相关推荐", "Keywords: ferry"] {
        let html = format!("<div><p>{heading}</p><ul>{links}</ul></div>");
        assert_eq!(topic(&html, "div").text, heading);
    }
}

#[test]
fn dates_counters_and_code_are_no_topics() {
    for first in ["21:17 18.11.2019", "Image 1 of / 5", "/* ad */"] {
        let html = format!("<div><h3>{first}</h3><h4>The old pier</h4><p>It is closed.</p></div>");
        assert_eq!(topic(&html, "div").text, "The old pier", "{first}");
    }
    let counted = "<div><h3>4,786 replies</h3><p>I was there, and it was late.</p></div>";
    assert_eq!(topic(counted, "div").text, "4,786 replies");
}

#[test]
fn the_text_of_a_page_is_called_by_the_line_that_its_title_is() {
    let html = format!(
        "<title>Ferry late again in the north - The Port</title><main><h1>Business</h1>\
         <p>Ferry late again in the north</p><p>{SENTENCES} {SENTENCES} {SENTENCES}</p></main>"
    );
    assert_eq!(topic(&html, "main").text, "Ferry late again in the north");
}

#[test]
fn what_is_hidden_until_it_is_opened_is_called_by_its_text() {
    let html = "<div style='display:none'><h2>Send the article</h2><input></div><p>x";
    assert_eq!(topic(html, "div").text, "Send the article");
    let menu = "<nav><button>Menu</button><ul style='display:none'><li><a href=/s>Ships</a><li><a \
        href=/t>Tides</a><li><a href=/p>Port</a></ul></nav>";
    assert_eq!(topic(menu, "nav").text, "Menu · Ships · Tides · Port");
}

#[test]
fn a_phrase_does_not_begin_behind_an_abbreviation() {
    let text = "Northern Ferry Co. was about to stop the ferry service at the ferry port, said Gov. \
        Ferry Smith of the ferry port. Nobody on the pier was told of it before the evening came, and \
        few of those who had waited there since the morning knew where else they could go now.";
    let topic = topic(&format!("<p>{text}</p>"), "p").text;
    assert!(topic.starts_with("Northern Ferry Co. was"), "{topic}");
}

#[test]
fn what_a_reader_presses_heads_no_parts() {
    let html = "<section><div>Subscribe</div><h3>Ships</h3><p>Two left.</p><h3>Tides</h3><p>High at \
        noon.</p></section>";
    assert_eq!(topic(html, "section").text, "Ships · Tides");
}

#[test]
fn a_heading_behind_a_menu_heads_what_comes_after_it() {
    let links: String = ["News", "Ships", "Tides", "Ports", "Crews", "Maps", "Jobs"]
        .map(|name| format!("<li><a href=/{name}>{name}</a></li>"))
        .concat();
    let html = format!(
        "<footer><ul>{links}</ul><h3>Our letter</h3><p>Every morning, by mail.</p></footer>"
    );
    assert_eq!(
        topic(&html, "footer").text,
        "News · Ships · Tides · Ports · Crews · Maps · Jobs · Our letter …"
    );
}

#[test]
fn the_name_of_a_field_is_not_that_of_its_form() {
    let html = "<form><p>Write to the harbour master</p><input> <b>Note</b> <textarea></textarea>\
        <p>Nobody else will read it.</p></form>";
    assert_eq!(topic(html, "form").text, "Write to the harbour master");
}
