//! The date of an element: what its attributes say, else what it shows.

use super::super::{Moment, Precision};
use super::civil::{Civil, DAY};
use super::day::{Day, Year};
use super::grammar::{Alone, Told};
use super::resolve::{moment, resolve};
use super::token::tokens;
use super::{Order, find, find_in, read, told_in, whole_in};
use page::tree::{Node, visible_text_of};

/// The most elements below one that are asked for attributes.
const BELOW: usize = 32;

/// The most elements around one that are.
const AROUND: usize = 2;

/// The most nodes of an element that tells a date: a whole post holds dates, but is not one.
const NODES: usize = 400;

/// The longest text that a date is looked for within, in bytes.
const TEXT: usize = 160;

/// The longest value of an attribute that is an instant, in bytes.
const INSTANT: usize = 40;

/// Attributes that hold addresses and names.
const NEVER: [&str; 6] = ["href", "src", "style", "class", "id", "name"];

/// How far what is shown may be from what an attribute says: two zones that are a day apart, and a bit.
const APART: i64 = 36 * 3_600;

/// When something was, according to an element, and how the element shows it: what its attributes
/// (and those of elements in it) say, since scripts and readers need it exact there; else its text.
///
/// ```
/// use record::date::{Order, of_element};
///
/// let page = page::tree::parse_str("<time datetime='2025-12-09T05:43:00+01:00'>9 Dec</time>");
/// let time = page.dom.elements().find(|element| element.name() == "time").unwrap();
/// let (moment, shown) = of_element(time, &Order::default(), None).unwrap();
/// assert_eq!((moment.to_rfc3339().as_str(), shown.as_str()), ("2025-12-09T04:43:00Z", "9 Dec"));
/// ```
pub fn of_element(
    node: Node<'_>,
    order: &Order,
    captured: Option<i64>,
) -> Option<(Moment, String)> {
    if node.size() > NODES {
        return None;
    }
    let elements = node.descendants().filter(|below| below.is_element()).take(BELOW);
    let attribute = std::iter::once(node)
        .chain(elements)
        .filter_map(|element| of_attributes(element, order, captured))
        .min_by_key(|(moment, _)| (moment.relative, moment.precision));
    let text = if node.is_element() { visible_text_of(node) } else { node.text().to_owned() };
    let text = text.trim();
    let attribute = attribute.or_else(|| of_wrappers(node, text, order, captured));
    let attribute = match attribute {
        Some(exact) if exact.0.precision <= Precision::Minute => Some(exact),
        coarse => of_any_attribute(node, text, order, captured).or(coarse),
    };
    match attribute {
        Some((moment, _)) if !text.is_empty() && !contradicts(text, &moment, order, captured) => {
            Some((finer(moment, text, order, captured), shown(text, order, captured)))
        }
        Some((moment, value)) if text.is_empty() => Some((moment, value)),
        _ => of_text(text, order, captured),
    }
}

/// What the attributes say of elements around one that show nothing else.
fn of_wrappers(
    node: Node<'_>,
    text: &str,
    order: &Order,
    captured: Option<i64>,
) -> Option<(Moment, String)> {
    if text.is_empty() {
        return None;
    }
    node.ancestors()
        .take(AROUND)
        .take_while(|around| around.size() <= NODES && visible_text_of(*around).trim() == text)
        .find_map(|around| of_attributes(around, order, captured))
}

/// The instant in an attribute whose name does not say that it is one (`data-at`), of an element, of one in
/// it, or of one around it that shows nothing else. A number may be anything; one that is the time which
/// is shown, only more exact, is that time.
fn of_any_attribute(
    node: Node<'_>,
    text: &str,
    order: &Order,
    captured: Option<i64>,
) -> Option<(Moment, String)> {
    if text.is_empty() || text.len() > TEXT {
        return None;
    }
    let shown = told_in(text).and_then(|told| resolve(&told, order, captured))?;
    let inside = node.descendants().filter(|below| below.is_element()).take(BELOW);
    let around = node.ancestors().take(AROUND);
    let around = around
        .take_while(|around| around.size() <= NODES && visible_text_of(*around).trim() == text);
    let machines = order.for_machines();
    let exact = |value: &str| match value.bytes().all(|byte| byte.is_ascii_digit()) {
        true => of_clock(value, captured),
        false => read(value, &machines, captured),
    };
    std::iter::once(node)
        .chain(inside)
        .chain(around)
        .flat_map(|element| element.attributes())
        .filter(|(name, value)| value.len() <= INSTANT && !NEVER.contains(name))
        .filter_map(|(_, value)| Some((exact(value.trim())?, value.trim().to_owned())))
        .filter(|(exact, _)| !exact.relative && exact.precision <= Precision::Minute)
        .find(|(exact, _)| exact.precision < shown.precision && agree(exact, &shown))
}

/// What an attribute and the text beside it tell together: an attribute may tell no more than the day, and
/// the text the time of it.
fn finer(told: Moment, text: &str, order: &Order, captured: Option<i64>) -> Moment {
    if told.precision < Precision::Day {
        return told;
    }
    match told_in(text) {
        Some(
            Told::On { clock: Some(clock), .. }
            | Told::Back { clock: Some(clock), .. }
            | Told::Last { clock: Some(clock), .. }
            | Told::Alone(Alone::Clock(clock)),
        ) if told.precision == Precision::Day => {
            moment(Civil::of(told.unix), Some(clock), told.precision, told.relative)
        }
        Some(ago @ Told::Ago(_)) => resolve(&ago, order, captured)
            .filter(|shown| shown.precision < told.precision && agree(shown, &told))
            .unwrap_or(told),
        _ => told,
    }
}

/// Whether two may be the same instant.
fn agree(one: &Moment, other: &Moment) -> bool {
    let coarse = one.precision.max(other.precision).seconds();
    (one.unix - other.unix).abs() <= APART + coarse
}

fn of_text(text: &str, order: &Order, captured: Option<i64>) -> Option<(Moment, String)> {
    let tokens = tokens(text);
    if let Some(told) = whole_in(text, &tokens)
        && let Some(moment) = resolve(&told, order, captured)
    {
        return Some((moment, text.to_owned()));
    }
    let (range, moment) = find_in(&tokens, order, captured).filter(|_| text.len() <= TEXT)?;
    Some((moment, text.get(range)?.to_owned()))
}

/// The part of an element's text that is worth showing as its date.
fn shown(text: &str, order: &Order, captured: Option<i64>) -> String {
    match find(text, order, captured).and_then(|(range, _)| text.get(range)) {
        Some(date) if text.len() > TEXT => date.to_owned(),
        _ => text.to_owned(),
    }
}

/// Whether a text tells a whole date that is another one.
fn contradicts(text: &str, moment: &Moment, order: &Order, captured: Option<i64>) -> bool {
    let whole = |told: &Told| match told {
        Told::On { day: Day::Full { year: Year::Full(_), day, .. }, .. } => day.is_some(),
        Told::On { day: Day::Three(numbers, _), .. } => {
            numbers.iter().any(|number| number.digits == 4)
        }
        _ => false,
    };
    told_in(text)
        .filter(whole)
        .and_then(|told| resolve(&told, order, captured))
        .is_some_and(|shown| !agree(&shown, moment))
}

/// What the attributes of an element say, and the value that says it.
fn of_attributes(node: Node<'_>, order: &Order, captured: Option<i64>) -> Option<(Moment, String)> {
    node.attributes()
        .filter_map(|(name, value)| {
            let value = value.trim();
            let moment = of_attribute(name, value, order, captured)?;
            Some((moment, value.to_owned()))
        })
        .min_by_key(|(moment, _)| (moment.relative, moment.precision))
}

fn of_attribute(name: &str, value: &str, order: &Order, captured: Option<i64>) -> Option<Moment> {
    const NAMES: [&str; 5] = ["datetime", "title", "content", "aria-label", "data-original-title"];
    const PARTS: [&str; 9] =
        ["time", "date", "stamp", "epoch", "unix", "utc", "created", "posted", "published"];
    if value.is_empty() || value.len() > TEXT {
        return None;
    }
    let named = PARTS.iter().any(|part| name.contains(part));
    if !named && !NAMES.contains(&name) {
        return None;
    }
    if named && value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return of_clock(value, captured);
    }
    let machines = order.for_machines();
    let order = if matches!(name, "datetime" | "content") { &machines } else { order };
    read(value, order, captured)
}

/// Seconds of the Unix clock, or thousandths of them.
pub(super) fn of_clock(digits: &str, captured: Option<i64>) -> Option<Moment> {
    let whole = digits.split('.').next()?;
    let value: i64 = whole.parse().ok()?;
    let unix = match whole.len() {
        9 | 10 => value,
        12 | 13 => value / 1_000,
        15 | 16 => value / 1_000_000,
        _ => return None,
    };
    // Numbers that are no times are seldom between the first web page and tomorrow.
    let last = captured.map_or(4_102_444_800, |captured| captured.saturating_add(DAY));
    (662_688_000..=last).contains(&unix).then_some(Moment {
        unix,
        precision: Precision::Second,
        zone: Some(0),
        relative: false,
    })
}
