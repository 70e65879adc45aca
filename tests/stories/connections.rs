//! The accept loop over real sockets: headers in pieces, persistent connections, and connections that send nothing.

use std::{
    io::{Read, Write},
    net::SocketAddr,
    time::Duration as Real,
};

use api::ConnectionLimits;
use tests::{app::TestApp, both_databases};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::oneshot,
    task::JoinHandle,
};

struct Served {
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    serving: JoinHandle<std::io::Result<()>>,
}

/// Far below the limits that hold otherwise, and within a story.
const BRIEF: Real = Real::from_millis(300);

async fn served(app: &TestApp) -> Served {
    served_within(app, ConnectionLimits::default()).await
}

async fn served_within(app: &TestApp, limits: ConnectionLimits) -> Served {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let serving = tokio::spawn(api::serve_http(app.state(), listener, limits, async {
        stopped.await.ok();
    }));
    Served { address, stop, serving }
}

impl Served {
    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    /// Stops the server. Whether that took less than the ten seconds that open requests are given.
    async fn ends(self) -> bool {
        self.stop.send(()).unwrap();
        tokio::time::timeout(Real::from_secs(8), self.serving).await.is_ok_and(|ended| ended.unwrap().is_ok())
    }
}

/// What the server sends until it ends the connection.
async fn read_to_end(io: &mut TcpStream) -> String {
    let mut text = String::new();
    let ended = tokio::time::timeout(Real::from_secs(8), io.read_to_string(&mut text)).await;
    ended.expect("the server ends it").unwrap();
    text
}

async fn read_until(io: &mut TcpStream, end: &str) -> String {
    let mut text = String::new();
    while !text.contains(end) {
        let mut chunk = [0; 4096];
        let length = io.read(&mut chunk).await.unwrap();
        assert!(length > 0, "it ended with {text:?}");
        text.push_str(&String::from_utf8_lossy(&chunk[..length]));
    }
    text
}

/// A whole request with a body of this many megabytes, sent to its end before anything is read. Returns the answer.
async fn sends_body(served: &Served, path: &str, kind: &str, megabytes: usize) -> String {
    let mut io = served.connect().await;
    let length = megabytes * 1024 * 1024;
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: toolbox.example\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\r\n"
    );
    io.write_all(head.as_bytes()).await.unwrap();
    io.write_all(&vec![b'x'; length]).await.unwrap_or_else(|e| panic!("{path}, {megabytes} MB: {e}"));
    let mut answer = String::new();
    io.read_to_string(&mut answer).await.unwrap_or_else(|e| panic!("{path}, {megabytes} MB: {e}"));
    answer
}

/// The same by a client that reads nothing before its last byte has left, as many scripts do.
fn send_body_blocking(address: SocketAddr, path: &str, megabytes: usize) -> std::io::Result<String> {
    let mut io = std::net::TcpStream::connect(address)?;
    io.set_read_timeout(Some(Real::from_secs(30)))?;
    let length = megabytes * 1024 * 1024;
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: toolbox.example\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n"
    );
    io.write_all(head.as_bytes())?;
    io.write_all(&vec![b'x'; length])?;
    let mut answer = String::new();
    io.read_to_string(&mut answer)?;
    Ok(answer)
}

both_databases! {
    async fn blocking_client_that_sends_20_mb_to_the_end_reads_413(app) {
        let served = served(app).await;
        let address = served.address;
        let sent = tokio::task::spawn_blocking(move || send_body_blocking(address, "/webhooks/stripe", 20));
        let answer = sent.await.unwrap().expect("the whole body is taken, and the answer read");
        assert!(answer.starts_with("HTTP/1.1 413") && answer.contains("payload_too_large"), "{answer}");
        assert!(served.ends().await);
    }

    async fn client_that_sends_oversized_webhook_to_its_end_reads_413_with_limit(app) {
        let served = served(app).await;
        for (path, kind) in [
            ("/webhooks/stripe", "application/json"),
            ("/webhooks/stripe/connect", "application/json"),
            ("/webhooks/twilio/sms", "application/x-www-form-urlencoded"),
        ] {
            // The greater one is more than the sockets hold, so the client waits for a server that reads it.
            for megabytes in [3, 12] {
                let answer = sends_body(&served, path, kind, megabytes).await;
                assert!(answer.starts_with("HTTP/1.1 413"), "{path}: {answer}");
                assert!(answer.contains("payload_too_large") && answer.contains("64 KB"), "{path}: {answer}");
            }
        }
        assert!(served.ends().await);
    }

    async fn request_head_in_pieces_is_answered_and_connection_is_reused(app) {
        let served = served(app).await;
        let mut io = served.connect().await;
        for piece in ["GET /heal", "thz HTTP/1.1\r\nhost: toolbox.example\r\n", "\r\n"] {
            io.write_all(piece.as_bytes()).await.unwrap();
            io.flush().await.unwrap();
            tokio::task::yield_now().await;
        }
        assert!(read_until(&mut io, "}").await.starts_with("HTTP/1.1 200"), "the first");
        // Headers and body in one write, with the next request's headers behind them.
        let form = r#"{"email": "nobody@acme.example", "password": "a guess"}"#;
        let head = "POST /api/auth/login HTTP/1.1\r\nhost: toolbox.example\r\nsec-fetch-site: same-origin\r\nx-toolbox-client: web\r\n";
        let next = "GET /api/auth/me HTTP/1.1\r\nhost: toolbox.example\r\n\r\n";
        let both = format!("{head}content-type: application/json\r\ncontent-length: {}\r\n\r\n{form}{next}", form.len());
        io.write_all(both.as_bytes()).await.unwrap();
        let response = read_until(&mut io, "Please sign in.").await;
        assert!(response.contains("HTTP/1.1 401") && response.contains("invalid_credentials"), "{response}");
        assert!(served.ends().await, "a connection that rests is closed at once");
    }

    async fn silent_connections_block_neither_requests_nor_shutdown(app) {
        let served = served(app).await;
        let mut silent = Vec::new();
        for n in 0..300 {
            let mut io = served.connect().await;
            if n % 2 == 0 {
                io.write_all(b"GET /healthz HTTP/1.1\r\nhost: tool").await.unwrap();
            }
            silent.push(io);
        }
        let mut io = served.connect().await;
        io.write_all(b"GET /healthz HTTP/1.1\r\nhost: toolbox.example\r\n\r\n").await.unwrap();
        assert!(read_until(&mut io, "}").await.starts_with("HTTP/1.1 200"));
        assert!(served.ends().await, "they are not waited for");
    }

    async fn oversized_request_head_is_refused(app) {
        let served = served(app).await;
        let mut io = served.connect().await;
        let mut long = "GET /healthz HTTP/1.1\r\nhost: toolbox.example\r\nx-long: ".to_owned();
        // One byte too long: the server reads all of it before it refuses, so its answer is not lost with unread bytes.
        long.push_str(&"x".repeat(32 * 1024 + 1 - long.len()));
        io.write_all(long.as_bytes()).await.unwrap();
        let answer = read_to_end(&mut io).await;
        assert!(answer.starts_with("HTTP/1.1 431 "), "{answer}");
        assert!(served.ends().await);
    }

    async fn first_head_that_stays_incomplete_ends_the_connection_at_the_limit(app) {
        let served = served_within(app, ConnectionLimits { head: BRIEF, ..ConnectionLimits::default() }).await;
        for sent in ["", "GET /healthz HTTP/1.1\r\nhost: tool"] {
            let mut io = served.connect().await;
            io.write_all(sent.as_bytes()).await.unwrap();
            assert_eq!(read_to_end(&mut io).await, "", "{sent}");
        }
        assert!(served.ends().await);
    }

    async fn kept_connection_without_a_whole_next_head_ends_at_the_limit(app) {
        // A connection from this machine counts as a proxy's.
        let served = served_within(app, ConnectionLimits { proxy_idle: BRIEF, ..ConnectionLimits::default() }).await;
        for next in ["", "GET /healthz HTTP/1.1\r\nhost: tool"] {
            let mut io = served.connect().await;
            let sent = format!("GET /healthz HTTP/1.1\r\nhost: toolbox.example\r\n\r\n{next}");
            io.write_all(sent.as_bytes()).await.unwrap();
            let answers = read_to_end(&mut io).await;
            assert!(answers.starts_with("HTTP/1.1 200 "), "{answers}");
            assert_eq!(answers.matches("HTTP/1.1").count(), 1, "{answers}");
        }
        assert!(served.ends().await);
    }
}
