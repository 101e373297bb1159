//! The browser against real pages over real HTTP. Needs Chromium.

mod change;
mod explore;
mod guard;
mod hostile;
mod lifetime;
mod look;
mod record;
mod settle;
mod site;
mod stage;
