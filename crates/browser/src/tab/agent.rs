//! The two scripts that every document gets: hooks in the page's world, and a world of our own.

/// The name of our isolated world.
pub(super) const WORLD: &str = "bathys";

/// Where the hooks send sockets that are refused: a port to which Chromium connects nothing.
pub(super) const NOWHERE: &str = "wss://127.0.0.1:1/";

const PATH: &str = include_str!("../agent/path.js");
const HOOKS: &str = include_str!("../agent/hooks.js");
const CANDIDATES: &str = include_str!("../agent/candidates.js");
const WALK: &str = include_str!("../agent/walk.js");
const FINGERPRINT: &str = include_str!("../agent/fingerprint.js");
const CANVAS: &str = include_str!("../agent/canvas.js");
const FIRE: &str = include_str!("../agent/fire.js");
const STORAGE: &str = include_str!("../agent/storage.js");
const ISOLATED: &str = include_str!("../agent/world.js");

/// The script for the page's own world, known there under this name; it also says whether events may
/// open sockets.
pub(super) fn main_world(key: &str, sockets: bool) -> String {
    let candidates = CANDIDATES.replace("//PARTS", PATH);
    format!("({})({key:?},{sockets});({})(window[{key:?}]);", HOOKS.trim(), candidates.trim())
}

/// The script for our own world, which asks the hooks of that name.
pub(super) fn isolated_world(key: &str) -> String {
    let world =
        ISOLATED.replace("//PARTS", &[PATH, CANVAS, WALK, FINGERPRINT, FIRE, STORAGE].concat());
    format!("({})({key:?});", world.trim())
}
