//! What the archive answers when something is asked for: the bytes as they were received, or a page that can be
//! looked at.

use page::tree::reread;
use store::{ArchiveItem, Catalog, Millis, PageNumber, VersionRow, Which};
use url::Url;

use super::index::{Place, ReplayIndex};
use super::moment::timestamp;
use super::rewrite::{Links, rewrite_page, rewrite_sheet};
use crate::PublishError;
use crate::warc::fields::without_fragment;
use crate::warc::state::resource_of;
use crate::warc::{message, state_address};

/// Answers that say that nothing changed are looked back from this often.
const BACK: usize = 1_000;

/// As what something is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// To be looked at: a page with all addresses leading into the archive.
    Page,
    /// A style sheet, likewise.
    Sheet,
    /// The bytes as they were received.
    Raw,
}

/// What was kept.
#[derive(Clone, Debug)]
pub struct Answer {
    /// When it was captured.
    pub time: Millis,
    /// The address that was asked for then.
    pub url: String,
    /// Status of the answer.
    pub status: u16,
    /// As received; none of what no request brought.
    pub headers: Vec<(String, String)>,
    /// The media type of the payload, with parameters.
    pub content_type: String,
    /// Where a redirect led.
    pub location: Option<String>,
    /// What was received, or made of it.
    pub payload: Vec<u8>,
    /// The page that it belongs to.
    pub page: PageNumber,
    /// Where it comes from.
    pub source: Source,
}

/// Where an answer comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// What a server sent.
    Received,
    /// What a browser made of it, or events.
    Rendered,
}

/// What was kept at a place. `None` if it is gone.
///
/// # Errors
/// When the catalog fails or bytes are damaged.
pub async fn answer(
    catalog: &Catalog,
    index: &ReplayIndex,
    place: Place,
    form: Form,
    prefix: &str,
) -> Result<Option<Answer>, PublishError> {
    let kept = match place.item {
        ArchiveItem::Exchange(seq) => received(catalog, index, place, seq, form).await?,
        ArchiveItem::Visit(version) => captured(catalog, place, version).await?,
    };
    let Some((mut answer, version)) = kept else { return Ok(None) };
    let Ok(url) = Url::parse(&answer.url) else { return Ok(Some(answer)) };
    let time = timestamp(answer.time);
    let links = Links { prefix, time: &time };
    if let Some(location) = &answer.location {
        let to = url.join(location).ok().filter(|to| matches!(to.scheme(), "http" | "https"));
        answer.location = to.map(|to| links.to(&to, ""));
    }
    match form {
        Form::Raw => {}
        Form::Sheet => {
            let decoded = page::tree::charset::decode(&answer.payload, Some(&answer.content_type));
            answer.payload = rewrite_sheet(&decoded.text, &url, links).into_bytes();
            answer.content_type = "text/css; charset=utf-8".into();
        }
        Form::Page => {
            let is_page = page::tree::is_page(&answer.content_type);
            let (snapshot, body) = match &version {
                Some(version) => (version.snapshot.as_deref(), version.body.as_deref()),
                None => (None, Some(answer.payload.as_slice()).filter(|_| is_page)),
            };
            let tree = reread(snapshot, body, Some(&answer.content_type));
            if let Some(tree) = tree.filter(|_| is_page || version.is_some()) {
                answer.payload = rewrite_page(&tree, &url, links).into_bytes();
                answer.content_type = "text/html; charset=utf-8".into();
                if version.is_some_and(|version| version.snapshot.is_some()) {
                    answer.source = Source::Rendered;
                }
            }
        }
    }
    Ok(Some(answer))
}

type Kept = Option<(Answer, Option<VersionRow>)>;

async fn received(
    catalog: &Catalog,
    index: &ReplayIndex,
    place: Place,
    seq: i64,
    form: Form,
) -> Result<Kept, PublishError> {
    let Some(kept) = catalog.exchange(place.page, seq).await? else { return Ok(None) };
    let (exchange, mut body) = (kept.exchange, kept.body);
    let url = without_fragment(&exchange.url).to_owned();
    let mut status = exchange.status.unwrap_or(200);
    let mut headers = exchange.response_headers.clone();
    if status == 304 {
        // What the server says has not changed is what it sent before.
        let before = index.places(&url).iter().rev().filter(|earlier| **earlier < place);
        for earlier in before.take(BACK) {
            let ArchiveItem::Exchange(seq) = earlier.item else { continue };
            let Some(kept) = catalog.exchange(earlier.page, seq).await? else { continue };
            let is_it = kept.exchange.status == Some(200)
                && kept.exchange.method == "GET"
                && without_fragment(&kept.exchange.url) == url;
            if is_it {
                (status, body) = (200, kept.body);
                headers = kept.exchange.response_headers;
                break;
            }
        }
    }
    let payload = match body {
        Some(number) => catalog.body(number).await?.unwrap_or_default(),
        None => Vec::new(),
    };
    // What a browser made of the document is what a visitor saw.
    let version = match form == Form::Page && exchange.resource == "document" && status == 200 {
        true => catalog.version(place.page, Which::At(exchange.time)).await?,
        false => None,
    };
    let page = match version {
        Some(_) => catalog.find(&place.page.0.to_string()).await?,
        None => None,
    };
    let is_its_own = page.is_some_and(|page| {
        page.page == place.page && page.path.is_empty() && without_fragment(&page.url) == url
    });
    let version = version.filter(|version| is_its_own && version.snapshot.is_some());
    let header = |name: &str| {
        let found = headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.split('\n').next().unwrap_or_default().trim().to_owned())
    };
    let answer = Answer {
        time: place.time,
        status,
        content_type: header("content-type").unwrap_or_default(),
        location: header("location").filter(|_| matches!(status, 300..=399)),
        payload,
        page: place.page,
        source: Source::Received,
        url,
        headers,
    };
    Ok(Some((answer, version)))
}

async fn captured(catalog: &Catalog, place: Place, version: i64) -> Result<Kept, PublishError> {
    let Some(visit) = catalog.kept_visit(place.page, place.time, version).await? else {
        return Ok(None);
    };
    let Some(kept) = catalog.version(place.page, Which::Number(version)).await? else {
        return Ok(None);
    };
    let state = state_address(&visit.key).filter(|_| !visit.path.is_empty());
    let is_state = state.is_some();
    let (snapshot, body) = (kept.snapshot.as_deref(), kept.body.as_deref());
    let tree = reread(snapshot, body, kept.content_type.as_deref());
    let made =
        resource_of(tree.as_ref(), kept.body.clone(), visit.content_type.as_deref(), is_state);
    let Some((payload, content_type)) = made else { return Ok(None) };
    let answer = Answer {
        time: place.time,
        url: state.unwrap_or_else(|| without_fragment(&visit.url).to_owned()),
        // What no request brought has no status of its own.
        status: 200,
        headers: Vec::new(),
        content_type,
        location: None,
        payload,
        page: place.page,
        source: if is_state { Source::Rendered } else { Source::Received },
    };
    Ok(Some((answer, Some(kept).filter(|kept| kept.snapshot.is_some()))))
}

impl Answer {
    /// The headers as they were received, under names that say so. Cookies are left out: they would be kept for
    /// this archive.
    pub fn original_headers(&self) -> impl Iterator<Item = (String, String)> + '_ {
        let is_told =
            |name: &str| !name.eq_ignore_ascii_case("set-cookie") && message::is_token(name);
        let kept = self.headers.iter().filter(move |(name, _)| is_told(name)).take(100);
        kept.map(|(name, value)| {
            let value: String =
                value.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
            (format!("x-archive-orig-{}", name.to_ascii_lowercase()), value)
        })
    }
}
