//! A tab, or a plain request.
//!
//! This crate knows CDP and HTTP. It fetches what it is told and decides nothing: what may leave
//! the machine is decided by the [`Gate`] that its caller gives, and by the policy of the proxy.

mod cdp;
pub mod http;
mod launch;
pub mod process;
pub mod proxy;
mod tab;

pub use cdp::CdpError;
pub use launch::{Browser, OpenError};
pub use process::{LaunchError, LaunchOptions};
pub use tab::{
    Action, Body, BoxFuture, Candidate, Candidates, Caps, Cause, Context, Detail, Dialog, Download,
    Exchange, Fired, FoundBy, FrameDocument, Gate, HIGHEST_PICTURE, Handler, Happenings,
    Navigation, PIXELS, Recorded, Refused, RequestSeen, Settled, SettledBy, Source, Tab, TabError,
    TabOptions, Verdict, Viewport, Visit, Walk,
};
