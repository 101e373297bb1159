//! A news site.

use std::sync::Arc;

use axum::Router;
use axum::response::Response;
use axum::routing::get;

use crate::{Options, Site, State, Truth, Visit, html, vendor};

/// The site.
pub struct News;

impl News {
    /// Generates it.
    pub fn generate(_options: &Options) -> Self {
        News
    }
}

impl Site for News {
    fn truth(&self) -> Truth {
        Truth::new("news", vec![State::at("front", "/", "The Harbour Courier")])
    }

    fn router(self: Arc<Self>) -> Router {
        Router::new().route("/", get(front)).merge(vendor::router())
    }
}

async fn front(visit: Visit) -> Response {
    html::page(format!(
        "<!DOCTYPE html><title>The Harbour Courier</title><h1>The Harbour Courier</h1><p>{}</p>",
        visit.now()
    ))
}
