//! Leads per second over HTTP: the API alone, comparable with the bare commits.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use reqwest::{Client, RequestBuilder, multipart::Form};
use serde_json::json;
use shared::platform::db::q;
use tests::{
    processes::{Api, api, http_client},
    test_install::{Business, TestInstall, email, phone},
};

use crate::{
    CONNECTIONS,
    figures::{Figures, Goal, quantile, rate},
};

const FOR: Duration = Duration::from_secs(5);
const WARM: usize = 200;
const ALONE: usize = 600;
/// The goals: a share of the bare commits, and the p99 of a visitor's wait.
const SHARE: f64 = 0.3;
const P99_MS: f64 = 50.0;
/// Limits of bytes written to disk per lead, in kB: with shared commits, and with separate ones.
const SHARED_KB: f64 = 60.0;
const ALONE_KB: f64 = 150.0;

/// One of the two public forms of visitor `number`.
pub type Ask = fn(&Client, &str, usize) -> RequestBuilder;

pub async fn leads(engine: &str, install: &TestInstall, bare: f64, figures: &mut Figures) {
    let db = install.open().await;
    Business::open(&db, "Acme Plumbing").await;
    db.close().await;
    let api = api(install, &[]).await;
    let numbers = Arc::new(AtomicUsize::new(0));
    let forms: [(&str, Ask); 2] = [("quote form, JSON", quote), ("lead form, multipart", lead)];
    for (name, ask) in forms {
        load(&api.url, ask, &numbers, (CONNECTIONS, Limit::Count(WARM))).await;
        settle(install).await;
        let (began, before) = (Instant::now(), written_kb(&api));
        let mut times = load(&api.url, ask, &numbers, (CONNECTIONS, Limit::Until(began + FOR))).await;
        let per_second = rate(times.len(), began.elapsed().as_secs_f64());
        let written = 1.0 / rate(times.len(), written_kb(&api) - before);
        figures.add(
            engine,
            &format!("leads over HTTP, 16 connections, {name}"),
            per_second,
            "per s",
            Goal::AtLeast(bare * SHARE),
        );
        figures.add(engine, &format!("  p50, {name}"), quantile(&mut times, 0.5), "ms", Goal::None);
        figures.add(engine, &format!("  p99, {name}"), quantile(&mut times, 0.99), "ms", Goal::AtMost(P99_MS));
        // On PostgreSQL the server writes.
        if engine != "PostgreSQL" {
            figures.add(engine, &format!("  written per lead, {name}"), written, "kB", Goal::AtMost(SHARED_KB));
        }
    }
    if engine != "PostgreSQL" {
        // The pages that the 16 connections have left in the log are moved to the file before the measurement.
        load(&api.url, quote, &numbers, (1, Limit::Count(WARM))).await;
        let before = written_kb(&api);
        let alone = load(&api.url, quote, &numbers, (1, Limit::Count(ALONE))).await;
        let written = 1.0 / rate(alone.len(), written_kb(&api) - before);
        figures.add(engine, "written per lead, 1 connection, quote form", written, "kB", Goal::AtMost(ALONE_KB));
    }
}

/// Bytes written to disk since the program's start.
fn written_kb(api: &Api) -> f64 {
    let file = format!("/proc/{}/io", api.program.pid());
    let figures = std::fs::read_to_string(&file).expect("what the kernel counts");
    let line = figures.lines().find_map(|line| line.strip_prefix("write_bytes: ")).expect("its bytes");
    line.parse::<f64>().expect("a number") / 1000.0
}

/// PostgreSQL does this by itself within a minute of the first rows: without statistics it checks foreign keys by
/// scanning all leads of the business, and only the first minute would be measured.
async fn settle(install: &TestInstall) {
    let db = install.open().await;
    let mut tx = db.begin().await.expect("a transaction");
    q!(&mut tx, execute, "ANALYZE").expect("statistics");
    tx.commit().await.expect("a commit");
    db.close().await;
}

#[derive(Clone, Copy)]
enum Limit {
    Count(usize),
    Until(Instant),
}

/// Sends forms on this many connections until the limit. Returns the milliseconds of each.
async fn load(url: &str, ask: Ask, numbers: &Arc<AtomicUsize>, (connections, limit): (usize, Limit)) -> Vec<f64> {
    let client = http_client();
    let first = numbers.load(Relaxed);
    let lines: Vec<_> = (0..connections)
        .map(|_| {
            let (client, url, numbers) = (client.clone(), url.to_owned(), numbers.clone());
            tokio::spawn(async move {
                let mut times = Vec::new();
                loop {
                    let number = numbers.fetch_add(1, Relaxed);
                    let is_enough = match limit {
                        Limit::Count(count) => number >= first + count,
                        Limit::Until(end) => Instant::now() >= end,
                    };
                    if is_enough {
                        return times;
                    }
                    let began = Instant::now();
                    accepted(ask(&client, &url, number)).await;
                    times.push(began.elapsed().as_secs_f64() * 1000.0);
                }
            })
        })
        .collect();
    let mut times = Vec::new();
    for line in lines {
        times.extend(line.await.expect("a line of visitors"));
    }
    times
}

/// Sends one form. Panics when it is refused: refusals are fast and would distort the figure.
pub async fn accepted(request: RequestBuilder) {
    let answer = request.send().await.expect("an answer");
    let status = answer.status();
    let body = answer.text().await.expect("its body");
    assert_eq!(status.as_u16(), 201, "{body}");
}

pub fn quote(client: &Client, url: &str, number: usize) -> RequestBuilder {
    client.post(format!("{url}/api/quotes/create")).json(&json!({
        "customerName": format!("Visitor {number}"), "email": email(number), "phone": phone(number),
        "address": "12 Elm Street, Austin", "serviceType": "Plumbing Repair",
        "projectDescription": "The kitchen sink leaks and the water will not stop.",
    }))
}

/// The lead form, without photos.
pub fn lead(client: &Client, url: &str, number: usize) -> RequestBuilder {
    let form = Form::new()
        .text("name", format!("Visitor {number}"))
        .text("phone", phone(number))
        .text("email", email(number))
        .text("service", "plumbing")
        .text("zip", "78701")
        .text("notes", "The kitchen sink leaks and the water will not stop.");
    client.post(format!("{url}/api/leads/create")).multipart(form)
}
