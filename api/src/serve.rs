//! The accept loop. A connection costs little until its first request head is whole. Head, body and the client's
//! reading of the answer have time limits. Connections are bounded in all and per network; over the bound the oldest
//! connection is dropped that has no request, or whose request waits for its client to send or to read.

use std::{
    convert::Infallible,
    io::{self, ErrorKind},
    net::{IpAddr, SocketAddr},
    pin::pin,
    sync::Arc,
    time::Duration,
};

use axum::{
    Router,
    body::{Body, HttpBody},
    extract::ConnectInfo,
    response::Response,
};
use hyper::{Request, body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use shared::platform::throttle;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::watch,
    time::timeout,
};
use tower::ServiceExt;

use crate::{build_router, state::AppState};

mod body;
mod connections;
mod linger;
mod monitored_stream;

use body::{TimedRequestBody, TrackedResponseBody};
use connections::{ConnectionTicket, Connections};
use monitored_stream::MonitoredStream;

/// How long requests may take to end after a stop was asked for.
const DRAIN: Duration = Duration::from_secs(10);
/// Longest head, and the size of the read buffer.
const LONGEST_HEAD: usize = 32 * 1024;
const READ_BUFFER: usize = 64 * 1024;
const HEAD_TOO_LONG: &[u8] =
    b"HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
/// Pause before the listener is asked again when no file handles are left.
const SHORT_OF_HANDLES: Duration = Duration::from_millis(50);

/// How long a connection waits for request heads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectionLimits {
    /// For the first head.
    pub head: Duration,
    /// From an answer until the next head is whole.
    pub idle: Duration,
    /// The same for our own proxies, which keep connections for many clients.
    pub proxy_idle: Duration,
}

impl Default for ConnectionLimits {
    fn default() -> Self {
        Self { head: Duration::from_secs(10), idle: Duration::from_secs(15), proxy_idle: Duration::from_secs(75) }
    }
}

impl ConnectionLimits {
    fn idle_limit(self, is_proxy: bool) -> Duration {
        if is_proxy { self.proxy_idle } else { self.idle }
    }
}

/// Serves until `stop` resolves, then lets requests end for at most ten seconds. Errors: when the listener fails.
pub async fn serve_http(
    state: AppState,
    listener: TcpListener,
    limits: ConnectionLimits,
    stop: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    state.start_background_tasks();
    let until = state.clone();
    tokio::spawn(async move {
        stop.await;
        until.signal_shutdown();
    });
    let (alive, held) = watch::channel(());
    let (router, connections) = (build_router(state.clone()), Connections::default());
    let app = HttpServer { router, state: state.clone(), connections, limits };
    tokio::select! {
        () = app.accept_connections(&listener, &held) => {}
        () = state.wait_for_shutdown() => {}
    }
    drop((listener, held));
    if timeout(DRAIN, alive.closed()).await.is_err() {
        tracing::warn!("some requests were still open after ten seconds");
    }
    Ok(())
}

#[derive(Clone)]
struct HttpServer {
    router: Router,
    state: AppState,
    connections: Connections,
    limits: ConnectionLimits,
}

impl HttpServer {
    async fn accept_connections(&self, listener: &TcpListener, held: &watch::Receiver<()>) {
        loop {
            match listener.accept().await {
                Ok((io, peer)) => self.admit_connection(io, peer, held),
                Err(e) if is_connection_error(&e) => {}
                Err(e) => {
                    // Usually the process is out of file handles.
                    tracing::error!(cause = %e, "a connection could not be accepted");
                    self.connections.shed_resting();
                    tokio::time::sleep(SHORT_OF_HANDLES).await;
                }
            }
        }
    }

    fn admit_connection(&self, io: TcpStream, peer: SocketAddr, held: &watch::Receiver<()>) {
        let is_ours = self.is_proxy(peer.ip());
        // Over the bound and none to drop: dropping the socket closes it.
        let Some(ticket) = self.connections.try_admit(throttle::network_of(peer.ip()), is_ours) else { return };
        // Without this the second packet of an answer waits up to 40 ms for the acknowledgement of the first.
        if let Err(e) = io.set_nodelay(true) {
            tracing::debug!(error = %e, "a connection answers in its own time");
        }
        let (app, held) = (self.clone(), held.clone());
        tokio::spawn(async move {
            let dropped = ticket.drop_signal();
            let ticket = Arc::new(ticket);
            tokio::select! {
                () = dropped.notified() => {}
                () = app.handle_connection(io, peer, is_ours, ticket) => {}
            }
            drop(held);
        });
    }

    fn is_proxy(&self, peer: IpAddr) -> bool {
        let ip = peer.to_canonical();
        ip.is_loopback() || self.state.config.trusted_proxies.iter().any(|net| net.contains(&ip))
    }

    async fn handle_connection(self, io: TcpStream, peer: SocketAddr, is_ours: bool, ticket: Arc<ConnectionTicket>) {
        let idle = self.limits.idle_limit(is_ours);
        let head = tokio::select! {
            head = receive_first_head(&io, self.limits.head) => head,
            () = self.state.wait_for_shutdown() => None,
        };
        if let Some(head) = head {
            // Boxed: until here a connection is no larger than its socket.
            let line = MonitoredStream::new(io, head, Arc::clone(&ticket));
            Box::pin(self.serve_requests(line, peer, idle, ticket)).await;
        }
    }

    async fn serve_requests(
        self,
        line: MonitoredStream,
        peer: SocketAddr,
        idle: Duration,
        ticket: Arc<ConnectionTicket>,
    ) {
        let router = self.router;
        let service = service_fn(move |request: Request<Incoming>| {
            let busy = ticket.begin_request();
            ticket.set_unread_body(!request.body().is_end_stream());
            let mut request = request.map(|body| Body::new(TimedRequestBody::new(body, Some(Arc::clone(&ticket)))));
            request.extensions_mut().insert(ConnectInfo(peer));
            let answered = router.clone().oneshot(request);
            async move {
                let response: Response = answered.await?;
                Ok::<_, Infallible>(response.map(|body| TrackedResponseBody::new(body, busy)))
            }
        });
        let mut connection = pin!(http1_settings(idle).serve_connection(TokioIo::new(line), service));
        let ended = tokio::select! {
            ended = connection.as_mut() => ended,
            () = self.state.wait_for_shutdown() => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        };
        if let Err(e) = ended {
            tracing::debug!(cause = %e, "a connection ended early");
        }
    }
}

fn http1_settings(idle: Duration) -> http1::Builder {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(idle).max_buf_size(READ_BUFFER);
    http
}

/// Faults of one connection, not of the listener.
fn is_connection_error(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::ConnectionRefused | ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset)
}

/// `None` also when the first head is not whole within the limit.
async fn receive_first_head(io: &TcpStream, limit: Duration) -> Option<Vec<u8>> {
    timeout(limit, read_first_head(io)).await.ok().flatten()
}

/// Bytes received when the first head is whole; `None` when the connection ended or the head is too long.
async fn read_first_head(io: &TcpStream) -> Option<Vec<u8>> {
    let mut head = Vec::new();
    loop {
        io.readable().await.ok()?;
        let before = head.len();
        match read_chunk(io, &mut head) {
            Err(e) if e.kind() == ErrorKind::WouldBlock => continue,
            Ok(0) | Err(_) => return None,
            Ok(_) => {}
        }
        // A head ends with an empty line, with either line ending.
        let new = head.get(before.saturating_sub(3)..).unwrap_or_default();
        if new.windows(2).any(|two| two == b"\n\n") || new.windows(3).any(|three| three == b"\n\r\n") {
            return Some(head);
        }
        if head.len() > LONGEST_HEAD {
            // The client may not be reading.
            let _ = io.try_write(HEAD_TOO_LONG);
            return None;
        }
    }
}

/// The buffer is on the stack: a waiting connection holds none.
fn read_chunk(io: &TcpStream, head: &mut Vec<u8>) -> io::Result<usize> {
    let mut chunk = [0; 2048];
    let length = io.try_read(&mut chunk)?;
    head.extend_from_slice(chunk.get(..length).unwrap_or_default());
    Ok(length)
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    const WHOLE: &[u8] = b"GET / HTTP/1.1\r\nhost: toolbox.example\r\n\r\n";
    const HALF: &[u8] = b"GET / HTTP/1.1\r\nhost: tool";
    const SHORT: Duration = Duration::from_millis(20);
    const LONG: Duration = Duration::from_secs(10);

    /// The client's end, and ours once it can be read.
    async fn connect(sends: &[u8]) -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let (io, _) = listener.accept().await.unwrap();
        client.write_all(sends).await.unwrap();
        io.readable().await.unwrap();
        (client, io)
    }

    #[test]
    fn heads_are_waited_for_ten_and_fifteen_seconds_and_those_of_proxies_longer() {
        let limits = ConnectionLimits::default();
        let seconds = [limits.head, limits.idle_limit(false), limits.idle_limit(true)].map(|limit| limit.as_secs());
        assert_eq!(seconds, [10, 15, 75]);
    }

    #[tokio::test]
    async fn incomplete_first_head_ends_the_wait_at_the_limit() {
        let (_client, io) = connect(HALF).await;
        let ended = timeout(LONG, receive_first_head(&io, SHORT)).await;
        assert_eq!(ended.expect("the limit holds"), None);
        let (_client, io) = connect(WHOLE).await;
        assert_eq!(receive_first_head(&io, LONG).await.as_deref(), Some(WHOLE));
    }

    #[tokio::test]
    async fn connection_ends_when_the_next_head_stays_incomplete() {
        let (mut client, io) = connect(&[WHOLE, HALF].concat()).await;
        let service = service_fn(|_: Request<Incoming>| async { Ok::<_, Infallible>(Response::new(Body::empty())) });
        let connection = http1_settings(SHORT).serve_connection(TokioIo::new(io), service);
        let ended = timeout(LONG, connection).await.expect("the limit holds");
        assert!(ended.is_err(), "it ended by the limit");
        let mut answer = String::new();
        client.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "the first request was answered: {answer}");
    }
}
