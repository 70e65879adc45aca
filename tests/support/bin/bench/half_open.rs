//! The cost of connections that send half a request head and stay open: memory, and the latency of another request.

use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tests::{processes::api, test_install::TestInstall};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

use crate::{
    figures::{Figures, Goal},
    rest::megabytes,
};

const CONNECTIONS: usize = 10_000;
/// File handles of this process, with some to spare.
const HANDLES: u64 = 12_000;
const HALF: &[u8] = b"GET /healthz HTTP/1.1\r\nhost: toolbox";
const WHOLE: &[u8] = b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
/// At most 4,096 connections stay open, each without a buffer or HTTP state.
const GROWTH_MB: f64 = 32.0;
const ANSWER_MS: f64 = 500.0;
const SETTLE: Duration = Duration::from_secs(2);
const PATIENCE: Duration = Duration::from_secs(5);

/// Opens them as fast as they are accepted, and measures the API's memory and one request.
pub async fn heads(engine: &str, install: &TestInstall, figures: &mut Figures) {
    if !may_open() {
        eprintln!("half-open connections are left out: this process may not open {HANDLES} files (ulimit -n)");
        return;
    }
    let api = api(install, &[]).await;
    let address = api.url.trim_start_matches("http://").to_owned();
    tokio::time::sleep(SETTLE).await;
    let before = megabytes(&api.program);
    let (mut open, mut most) = (Vec::with_capacity(CONNECTIONS), before);
    for number in 0..CONNECTIONS {
        let mut io = connected(&address).await;
        // One of the first may have been dropped already.
        let _ = io.write_all(HALF).await;
        open.push(io);
        if number % 500 == 499 {
            most = most.max(megabytes(&api.program));
        }
    }
    let began = Instant::now();
    let mut io = connected(&address).await;
    io.write_all(WHOLE).await.expect("a request");
    let mut answer = String::new();
    let read = timeout(PATIENCE, io.read_to_string(&mut answer)).await;
    assert!(read.is_ok() && answer.starts_with("HTTP/1.1 200"), "it is answered beside them: {answer}");
    let took = began.elapsed().as_secs_f64() * 1000.0;
    most = most.max(megabytes(&api.program));
    let name = "memory of 10,000 connections that send half a head";
    figures.add(engine, name, most - before, "MB", Goal::AtMost(GROWTH_MB));
    figures.add(engine, "  a request beside them", took, "ms", Goal::AtMost(ANSWER_MS));
    drop(open);
}

pub async fn connected(address: &str) -> TcpStream {
    let begun = timeout(PATIENCE, TcpStream::connect(address)).await;
    begun.expect("it is accepted in time").expect("a connection")
}

/// Raises this process's limit of open files as far as allowed.
pub fn may_open() -> bool {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    let wanted = maximum.map_or(HANDLES, |most| most.min(HANDLES));
    wanted >= HANDLES && setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum }).is_ok()
}
