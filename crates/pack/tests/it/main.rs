//! What a store relies on: everything comes back, and nothing that is stored can do harm.

mod damage;
mod versions;
