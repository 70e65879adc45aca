//! The accept loop. A connection costs little until it has sent a whole request head, and everything that a client may
//! delay has a limit in time: the head, the body, and the taking of an answer. How many connections there may be is
//! bounded, in all and for one network; over the bound the oldest connection is dropped that is not within a request, or
//! keeps its request waiting for a body.

use std::{
    convert::Infallible,
    io::{self, ErrorKind},
    net::{IpAddr, SocketAddr},
    pin::pin,
    sync::Arc,
    time::Duration,
};

use axum::{Router, body::Body, extract::ConnectInfo, response::Response};
use hyper::{Request, body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use shared::platform::throttle;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::watch,
    time::timeout,
};
use tower::ServiceExt;

use crate::{router, state::AppState};

mod body;
mod connections;
mod line;

use body::{Answered, Arriving};
use connections::{Connections, Ticket};
use line::Line;

/// How long requests may take to end once the process was asked to stop.
const DRAIN: Duration = Duration::from_secs(10);
/// How long the first head of a connection may take.
const HEAD: Duration = Duration::from_secs(10);
/// How long a connection may rest until its next head is whole.
const IDLE: Duration = Duration::from_secs(15);
/// The same for a proxy of ours, which keeps connections for many clients.
const PROXY_IDLE: Duration = Duration::from_secs(75);
/// The longest head, and what is kept of what was not read yet.
const LONGEST_HEAD: usize = 32 * 1024;
const READ_BUFFER: usize = 64 * 1024;
const HEAD_TOO_LONG: &[u8] =
    b"HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
/// Between two looks at a listener that has no file handles left.
const SHORT_OF_HANDLES: Duration = Duration::from_millis(50);

/// Serves until `stop` ends, then lets requests end for at most ten seconds.
///
/// # Errors
/// When the listener fails.
pub async fn serve(
    state: AppState,
    listener: TcpListener,
    stop: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    state.start();
    let until = state.clone();
    tokio::spawn(async move {
        stop.await;
        until.stop();
    });
    let (alive, held) = watch::channel(());
    let app = App { router: router(state.clone()), state: state.clone(), connections: Connections::default() };
    tokio::select! {
        () = app.accept(&listener, &held) => {}
        () = state.until_stopped() => {}
    }
    drop((listener, held));
    if timeout(DRAIN, alive.closed()).await.is_err() {
        tracing::warn!("some requests were still open after ten seconds");
    }
    Ok(())
}

#[derive(Clone)]
struct App {
    router: Router,
    state: AppState,
    connections: Connections,
}

impl App {
    async fn accept(&self, listener: &TcpListener, held: &watch::Receiver<()>) {
        loop {
            match listener.accept().await {
                Ok((io, peer)) => self.admit(io, peer, held),
                Err(e) if is_of_one(&e) => {}
                Err(e) => {
                    // Most often the process has no file handle left.
                    tracing::error!(cause = %e, "a connection could not be accepted");
                    self.connections.shed();
                    tokio::time::sleep(SHORT_OF_HANDLES).await;
                }
            }
        }
    }

    fn admit(&self, io: TcpStream, peer: SocketAddr, held: &watch::Receiver<()>) {
        let is_ours = self.is_proxy(peer.ip());
        // Over the bound, with nobody to drop for it: the socket is closed by being dropped.
        let Some(ticket) = self.connections.admit(throttle::network_of(peer.ip()), is_ours) else { return };
        // An answer leaves in one go: without this its second packet waits up to 40 ms for the first one's
        // acknowledgement.
        if let Err(e) = io.set_nodelay(true) {
            tracing::debug!(error = %e, "a connection answers in its own time");
        }
        let (app, held) = (self.clone(), held.clone());
        tokio::spawn(async move {
            let dropped = ticket.dropped();
            let ticket = Arc::new(ticket);
            tokio::select! {
                () = dropped.notified() => {}
                () = app.talk(io, peer, if is_ours { PROXY_IDLE } else { IDLE }, ticket) => {}
            }
            drop(held);
        });
    }

    fn is_proxy(&self, peer: IpAddr) -> bool {
        let ip = peer.to_canonical();
        ip.is_loopback() || self.state.config.trusted_proxies.iter().any(|net| net.contains(&ip))
    }

    /// One connection from its first byte to its end.
    async fn talk(self, io: TcpStream, peer: SocketAddr, idle: Duration, ticket: Arc<Ticket>) {
        let begun = async { timeout(HEAD, first_head(&io)).await.ok().flatten() };
        let head = tokio::select! {
            head = begun => head,
            () = self.state.until_stopped() => None,
        };
        if let Some(head) = head {
            // Boxed: until here a connection is no larger than its socket.
            Box::pin(self.answer(Line::new(io, head), peer, idle, ticket)).await;
        }
    }

    async fn answer(self, line: Line, peer: SocketAddr, idle: Duration, ticket: Arc<Ticket>) {
        let router = self.router;
        let service = service_fn(move |request: Request<Incoming>| {
            let busy = ticket.begins();
            let mut request = request.map(|body| Body::new(Arriving::new(body, Some(Arc::clone(&ticket)))));
            request.extensions_mut().insert(ConnectInfo(peer));
            let answered = router.clone().oneshot(request);
            async move {
                let response: Response = answered.await?;
                Ok::<_, Infallible>(response.map(|body| Answered::new(body, busy)))
            }
        });
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new()).header_read_timeout(idle).max_buf_size(READ_BUFFER);
        let mut connection = pin!(http.serve_connection(TokioIo::new(line), service));
        let ended = tokio::select! {
            ended = connection.as_mut() => ended,
            () = self.state.until_stopped() => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        };
        if let Err(e) = ended {
            tracing::debug!(cause = %e, "a connection ended early");
        }
    }
}

/// Faults of one connection, and not of the listener.
fn is_of_one(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::ConnectionRefused | ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset)
}

/// What has come of a connection once its first head is whole; none when it ended, or the head is too long.
async fn first_head(io: &TcpStream) -> Option<Vec<u8>> {
    let mut head = Vec::new();
    loop {
        io.readable().await.ok()?;
        let before = head.len();
        match take(io, &mut head) {
            Err(e) if e.kind() == ErrorKind::WouldBlock => continue,
            Ok(0) | Err(_) => return None,
            Ok(_) => {}
        }
        // A head ends with an empty line, whichever way its lines end.
        let new = head.get(before.saturating_sub(3)..).unwrap_or_default();
        if new.windows(2).any(|two| two == b"\n\n") || new.windows(3).any(|three| three == b"\n\r\n") {
            return Some(head);
        }
        if head.len() > LONGEST_HEAD {
            // Whoever sends such heads may not hear it.
            let _ = io.try_write(HEAD_TOO_LONG);
            return None;
        }
    }
}

/// Its buffer is on the stack, so that a connection that waits has none.
fn take(io: &TcpStream, head: &mut Vec<u8>) -> io::Result<usize> {
    let mut chunk = [0; 2048];
    let length = io.try_read(&mut chunk)?;
    head.extend_from_slice(chunk.get(..length).unwrap_or_default());
    Ok(length)
}
