//! The browser against real pages over real HTTP. Needs Chromium.

mod change;
mod explore;
mod fulfil;
mod guard;
mod hostile;
mod lifetime;
mod look;
mod offer;
mod record;
mod settle;
mod site;
mod stage;
mod storage;
