//! The plain client and the proxy against real servers on loopback.

mod chromium;
mod fetch;
mod proxy;
mod server;
mod tls;
