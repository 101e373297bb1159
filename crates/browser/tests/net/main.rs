//! The plain client and the proxy against real servers on loopback.

mod fetch;
mod server;
mod tls;
