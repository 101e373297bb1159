//! Style sheet and scripts, built into the program. Their addresses hold their digest, so that a browser may
//! keep them for ever.

use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::extract::Path;
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use super::App;
use super::failure::Failure;

struct Asset {
    name: &'static str,
    content_type: &'static str,
    bytes: &'static [u8],
}

/// The digests of the assets, in their order.
static DIGESTS: LazyLock<Vec<String>> =
    LazyLock::new(|| ASSETS.iter().map(|asset| digest(asset.bytes)).collect());

macro_rules! assets {
    ($($name:literal $content_type:literal),* $(,)?) => {
        static ASSETS: &[Asset] = &[$(Asset {
            name: $name,
            content_type: $content_type,
            bytes: include_bytes!(concat!("assets/", $name)),
        }),*];
    };
}

// htmx 2.0.11 and cytoscape 3.34.4 are as npm has them; their licences are in `assets/licences.txt`.
assets! {
    "style.css" "text/css; charset=utf-8",
    "bathys.js" "text/javascript; charset=utf-8",
    "graph.js" "text/javascript; charset=utf-8",
    "live.js" "text/javascript; charset=utf-8",
    "cytoscape.min.js" "text/javascript; charset=utf-8",
    "htmx.min.js" "text/javascript; charset=utf-8",
    "icon.svg" "image/svg+xml",
    "licences.txt" "text/plain; charset=utf-8",
}

fn digest(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().get(..12).unwrap_or_default().to_owned()
}

/// Where an asset is.
pub fn address(name: &str) -> String {
    let place = ASSETS.iter().position(|asset| asset.name == name);
    let digest = place.and_then(|place| DIGESTS.get(place)).map_or("none", String::as_str);
    format!("/assets/{digest}/{name}")
}

/// The assets.
pub fn routes() -> Router<Arc<App>> {
    Router::new().route("/assets/{digest}/{name}", get(asset))
}

async fn asset(Path((_, name)): Path<(String, String)>) -> Result<Response, Failure> {
    let asset = ASSETS.iter().find(|asset| asset.name == name);
    let asset = asset.ok_or_else(|| Failure::NotFound(format!("no asset {name}")))?;
    let for_ever = "public, max-age=31536000, immutable";
    let headers = [("content-type", asset.content_type), ("cache-control", for_ever)];
    Ok((headers, asset.bytes).into_response())
}
