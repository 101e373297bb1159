//! States of pages: how they are named, and what may be done to get from one to the next.

pub mod url;
