pub use reading::tree_of;
mod reading;
