//! Which part of a record is which field.

mod neighbours;

pub use neighbours::Neighbours;
