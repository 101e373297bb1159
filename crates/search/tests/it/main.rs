//! What can be found of a store: versions imported through the whole pipeline, and then searched for.

mod ask;
mod history;
mod search;
mod shop;
mod topics;
