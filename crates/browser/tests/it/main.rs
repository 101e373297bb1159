//! The browser against real pages over real HTTP. Needs Chromium.

mod explore;
mod site;
mod stage;
