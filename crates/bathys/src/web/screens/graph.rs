//! The state graph of a site: what leads where, drawn; a page that is chosen shows the way to it.

use std::sync::Arc;

use askama::Template;
use axum::Json;
use axum::extract::{Path, Query, State};
use publish::graph::{Format, GraphOptions, GraphView, view};
use serde::Deserialize;
use serde_json::Value;
use store::SiteRow;

use super::shown;
use crate::hint::refusal;
use crate::web::App;
use crate::web::failure::Failure;
use crate::web::frame::Frame;
use crate::web::tell::in_path;

#[derive(Template)]
#[template(path = "graph.html")]
pub struct Graph {
    name: String,
    in_path: String,
    f: Frame,
}

shown!(Graph);

async fn find(app: &App, name: &str) -> Result<SiteRow, Failure> {
    let sites = app.catalog.sites().await?;
    let row = sites.into_iter().find(|site| site.site == name);
    row.ok_or_else(|| Failure::NotFound(format!("the store has no site {name}")))
}

pub async fn graph(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
    f: Frame,
) -> Result<Graph, Failure> {
    let SiteRow { site, .. } = find(&app, &name).await?;
    Ok(Graph { in_path: in_path(&site), name: site, f })
}

#[derive(Deserialize)]
pub struct DataQuery {
    #[serde(default)]
    events: String,
}

/// What the page draws.
pub async fn data(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
    Query(query): Query<DataQuery>,
) -> Result<Json<Value>, Failure> {
    let site = find(&app, &name).await?;
    let events_only = query.events == "1";
    let (catalog, of) = (app.catalog.clone(), name.clone());
    let make = async move {
        let options =
            GraphOptions { events_only, explain: refusal, ..GraphOptions::new(Format::Json) };
        Ok(view(&catalog, &of, &options).await?)
    };
    let drawn: Arc<GraphView> = app.graphs.get((name, events_only), site.changes, make).await?;
    Ok(Json(serde_json::to_value(&*drawn)?))
}
