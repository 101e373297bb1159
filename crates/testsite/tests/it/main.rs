//! The sites as clients see them.

mod bbs;
mod beside;
mod blog;
mod client;
mod driven;
mod forum;
mod forum_scripts;
mod hostile;
mod jobs;
mod maze;
mod news;
mod paging;
mod portal;
mod rooms;
mod server;
mod widgets;
