//! Connections: HTTP/1.1 with a limit on how many there are, and on how long one may say nothing.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

/// Connections at a time; more wait until one is closed.
const CONNECTIONS: usize = 512;
/// How long a client may take to send the head of a request. An idle connection ends after this, too.
const HEAD: Duration = Duration::from_secs(30);
/// How long answers that are under way may take to end when the program is to stop.
const GRACE: Duration = Duration::from_secs(5);

/// Takes connections until told to stop, and returns when the last of them is closed.
pub async fn serve(listener: TcpListener, router: Router, stopping: watch::Receiver<bool>) {
    let mut stop = stopping.clone();
    let mut connections = JoinSet::new();
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let accepted = async {
            // Closed never: nobody has a handle that could.
            let place = room.clone().acquire_owned().await;
            (place, listener.accept().await)
        };
        tokio::select! {
            () = told(&mut stop) => break,
            (place, accepted) = accepted => match accepted {
                Ok((stream, peer)) => {
                    let router = router.clone();
                    let stopping = stopping.clone();
                    connections.spawn(async move {
                        converse(stream, peer, router, stopping).await;
                        drop(place);
                    });
                }
                // Out of file descriptors, most likely: others have to close first.
                Err(_) => sleep(Duration::from_millis(20)).await,
            },
            Some(_) = connections.join_next() => {}
        }
    }
    drop(listener);
    let all_closed = async { while connections.join_next().await.is_some() {} };
    let _ = timeout(GRACE, all_closed).await;
}

/// Waits until the program is to end.
pub async fn told(stop: &mut watch::Receiver<bool>) {
    // It fails when nobody is left to say so: then it is to end, too.
    let _ = stop.wait_for(|stop| *stop).await;
}

/// Serves one connection. Its errors are the client's business.
async fn converse(
    stream: TcpStream,
    peer: std::net::SocketAddr,
    router: Router,
    mut stopping: watch::Receiver<bool>,
) {
    let _ = stream.set_nodelay(true);
    let router = router.layer(axum::Extension(ConnectInfo(peer)));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    let mut connection = std::pin::pin!(connection);
    tokio::select! {
        _ = connection.as_mut() => return,
        () = told(&mut stopping) => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}
