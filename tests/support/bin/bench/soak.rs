//! Long-term load: fifty requests a second beside a provider that takes thirty texts a second, first on an empty
//! install, then on one with a backlog.

use std::{
    collections::HashMap,
    path::Path,
    time::{Duration, Instant},
};

use reqwest::Client;
use shared::{
    domain::messaging::message::{self, MessageDraft, MessageKind, NewMessage},
    platform::{
        clock::ClockRng,
        config::EnvVars,
        db::{Db, q},
        id::{MessageId, OrgId},
    },
};
use tests::{
    addresses,
    fake_smtp::FakeSmtp,
    fake_twilio::FakeTwilio,
    processes::{Program, api, http_client, through, worker},
    test_install::{Business, TestInstall, phone},
};

use crate::{
    figures::{Figures, Goal, quantile},
    rest::megabytes,
};

const LEADS_PER_SECOND: u32 = 50;
const TEXTS_PER_SECOND: u32 = 30;
const SHOPS: usize = 5;
/// Duration of requests in seconds: `SOAK_SECONDS`.
const FOR_SECONDS: u64 = 600;
/// Texts of the second half's backlog, `SOAK_BACKLOG` in all, and their businesses.
const BACKLOG: usize = 100_000;
const BACKLOG_SHOPS: usize = 100;
/// Time limit for the remaining work after the last request.
const DRAIN: Duration = Duration::from_mins(30);
const P99_MS: f64 = 250.0;
const WAL_MB: f64 = 64.0;

#[derive(Default)]
struct Seen {
    times: Vec<f64>,
    refused: usize,
    lost: usize,
    wal_mb: f64,
    memory_mb: Vec<f64>,
}

pub async fn soak(engine: &str, grounds: [&TestInstall; 2], figures: &mut Figures) {
    half(engine, "soak", grounds[0], 0, figures).await;
    let backlog = EnvVars::from_process().parse_or("SOAK_BACKLOG", BACKLOG, "a number of texts");
    half(engine, "soak behind a backlog", grounds[1], backlog, figures).await;
}

async fn half(engine: &str, name: &str, test_install: &TestInstall, backlog: usize, figures: &mut Figures) {
    let (twilio, smtp) = (FakeTwilio::start().await, FakeSmtp::start().await);
    twilio.take_per_second(TEXTS_PER_SECOND);
    let db = test_install.open().await;
    let mut slugs = Vec::new();
    for n in 0..SHOPS {
        slugs.push(Business::open(&db, &format!("Soak Plumbing {n}")).await.profile.org.slug);
    }
    for n in 0..if backlog == 0 { 0 } else { BACKLOG_SHOPS } {
        let org = Business::open(&db, &format!("Backlog Roofing {n}")).await.profile.org.id;
        queue(&db, org, n * backlog / BACKLOG_SHOPS, backlog / BACKLOG_SHOPS).await;
    }
    let env = through(&twilio, &smtp);
    let api = api(test_install, &env).await;
    let worker = worker(test_install, &env).await;
    let seconds = EnvVars::from_process().parse_or("SOAK_SECONDS", FOR_SECONDS, "a number of seconds");
    let mut seen =
        requests(&api.url, &slugs, Duration::from_secs(seconds), (&api.program, &worker), test_install).await;
    let sent = seen.times.len();
    let unsettled = drain(&db).await;
    let texts = received(&twilio);
    let twice = texts.values().filter(|times| **times > 1).count();
    let known =
        q!(&mut db.acquire_reader().await.expect("a connection"), fetch_one scalar i64, "SELECT COUNT(*) FROM lead")
            .expect("a count");
    let of = |words: &str| format!("{name}: {words}");
    figures.add(engine, &of("requests"), count(sent), "", Goal::None);
    figures.add(engine, &of("p50 of the form's answer"), quantile(&mut seen.times, 0.5), "ms", Goal::None);
    figures.add(engine, &of("p99 of the form's answer"), quantile(&mut seen.times, 0.99), "ms", Goal::AtMost(P99_MS));
    figures.add(engine, &of("worst answer"), quantile(&mut seen.times, 1.0), "ms", Goal::None);
    figures.add(engine, &of("answers other than 201"), count(seen.refused), "", Goal::AtMost(0.0));
    figures.add(engine, &of("requests without an answer"), count(seen.lost), "", Goal::AtMost(0.0));
    figures.add(engine, &of("leads that are not stored"), count(sent) - signed(known), "", Goal::AtMost(0.0));
    figures.add(engine, &of("numbers that got a text twice"), count(twice), "", Goal::AtMost(0.0));
    figures.add(engine, &of("texts that arrived"), count(texts.len()), "", Goal::None);
    figures.add(engine, &of("messages without an end or a reason"), signed(unsettled), "", Goal::AtMost(0.0));
    let first = seen.memory_mb.get(seen.memory_mb.len() / 4).copied().unwrap_or_default();
    let last = seen.memory_mb.last().copied().unwrap_or_default();
    figures.add(engine, &of("memory after a quarter, both"), first, "MB", Goal::None);
    figures.add(engine, &of("memory at the end, both"), last, "MB", Goal::AtMost(first * 1.2));
    if seen.wal_mb > 0.0 {
        figures.add(engine, &of("largest WAL"), seen.wal_mb, "MB", Goal::AtMost(WAL_MB));
    }
    db.close().await;
}

/// Texts that were due long enough ago for the sweep to see them too.
async fn queue(db: &Db, org: OrgId, first: usize, count: usize) {
    let origin = ClockRng::system();
    let texts: Vec<NewMessage> = (first..first + count)
        .map(|n| {
            let (words, key) = ("New lead: Ann Lee, Plumbing".to_owned(), format!("soak:{n}"));
            let to = addresses::phone(&format!("+1737{:07}", 2_000_000 + n));
            MessageDraft::new(MessageKind::OwnerNotice, to, words, key).with_id(MessageId(origin.uuid_v7()))
        })
        .collect();
    for some in texts.chunks(500) {
        let mut tx = db.begin_long().await.expect("a transaction");
        message::queue_messages(&mut tx, &origin, org, some).await.expect("texts");
        tx.commit().await.expect("a commit");
    }
}

/// Sends forms at the rate until the time is over, and reads memory and the WAL's size once a second.
async fn requests(
    url: &str,
    slugs: &[String],
    time: Duration,
    programs: (&Program, &Program),
    test_install: &TestInstall,
) -> Seen {
    let client = http_client();
    let mut seen = Seen::default();
    let mut tick = tokio::time::interval(Duration::from_secs(1) / LEADS_PER_SECOND);
    let (began, mut number, mut running) = (Instant::now(), 0_usize, Vec::new());
    while began.elapsed() < time {
        tick.tick().await;
        let slug = slugs[number % slugs.len()].clone();
        running.push(tokio::spawn(one(client.clone(), url.to_owned(), slug, number)));
        if number.is_multiple_of(LEADS_PER_SECOND as usize) {
            seen.memory_mb.push(megabytes(programs.0) + megabytes(programs.1));
            seen.wal_mb = seen.wal_mb.max(wal_mb(test_install.folder()));
        }
        number += 1;
    }
    for request in running {
        match request.await.expect("a request") {
            Some((201, took)) => seen.times.push(took),
            Some(_) => seen.refused += 1,
            None => seen.lost += 1,
        }
    }
    seen
}

/// The status and its milliseconds; none without an answer.
async fn one(client: Client, url: String, slug: String, number: usize) -> Option<(u16, f64)> {
    let began = Instant::now();
    let form = reqwest::multipart::Form::new()
        .text("orgId", slug)
        .text("name", format!("Visitor {number}"))
        .text("phone", phone(number))
        .text("email", tests::test_install::email(number))
        .text("service", "plumbing")
        .text("zip", "78701")
        .text("notes", "The kitchen sink leaks and the water will not stop.");
    let sent = client.post(format!("{url}/api/leads/create")).multipart(form).timeout(Duration::from_secs(30)).send();
    let answer = sent.await.ok()?;
    Some((answer.status().as_u16(), began.elapsed().as_secs_f64() * 1000.0))
}

fn wal_mb(folder: &Path) -> f64 {
    let wal = std::fs::read_dir(folder)
        .ok()
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| entry.path().extension().is_some_and(|ending| ending.to_string_lossy().ends_with("-wal")));
    wal.filter_map(|entry| entry.metadata().ok())
        .map(|about| count(usize::try_from(about.len()).unwrap_or_default()) / 1e6)
        .sum()
}

async fn drain(db: &Db) -> i64 {
    let began = Instant::now();
    loop {
        let mut conn = db.acquire_reader().await.expect("a connection");
        let open = "SELECT COUNT(*) FROM message WHERE status IN ('queued', 'sending', 'held')";
        let open = q!(&mut conn, fetch_one scalar i64, open).expect("a count");
        drop(conn);
        if open == 0 || began.elapsed() > DRAIN {
            return open;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

/// Counts of each number and text received.
fn received(twilio: &FakeTwilio) -> HashMap<(String, String), usize> {
    let mut texts = HashMap::new();
    for text in twilio.received() {
        *texts.entry((text.to, text.body)).or_default() += 1;
    }
    texts
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
fn count(count: usize) -> f64 {
    count as f64
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
fn signed(count: i64) -> f64 {
    count as f64
}
