//! Webhooks of Twilio: the answer to signed texts at 500 per second, and the delay of the text after a missed call.

use std::time::{Duration, Instant};

use serde_json::json;
use shared::{
    domain::tenancy::org,
    platform::{clock::ClockRng, db::Db},
};
use tests::{
    fake_smtp::FakeSmtp,
    fake_twilio::{Call, FROM, FakeTwilio, InboundText, Product},
    processes::{Env, api, through, worker},
    test_install::{Business, TestInstall, phone},
};

use crate::{
    figures::{Figures, Goal, quantile, rate},
    latency::{call_to, ms, now_us},
};

const EVERY: Duration = Duration::from_millis(2);
const A_SECOND: usize = 500;
const SECONDS: usize = 10;
const WARM: usize = 100;
/// The goal for the answer.
const P99_MS: f64 = 200.0;

const CALLS: usize = 40;
const DELAY: Duration = Duration::from_secs(1);
/// Lateness of a task with a due time: the worker polls four times a second.
const LATE_P99_MS: f64 = 350.0;

/// A business that texts a second after a missed call.
async fn open(install: &TestInstall) {
    let db = install.open().await;
    let business = Business::open(&db, "Acme Plumbing").await;
    set(
        &db,
        &business,
        &json!({
            "calls": {"textDelaySeconds": DELAY.as_secs()}, "sending": {"dailyTextBudget": 10_000},
        }),
    )
    .await;
    db.close().await;
}

pub async fn set(db: &Db, business: &Business, patch: &serde_json::Value) {
    let patch = serde_json::from_value(patch.clone()).expect("a change of settings");
    let mut tx = db.begin().await.expect("a transaction");
    let org = business.profile.org.id;
    org::change_settings(&mut tx, &ClockRng::system(), org, &patch).await.expect("the settings are stored");
    tx.commit().await.expect("a commit");
}

/// Texts of as many people, each at its own time, independent of earlier answers.
pub async fn webhook(engine: &str, install: &TestInstall, figures: &mut Figures) {
    let (twilio, env) = twilio().await;
    open(install).await;
    let api = api(install, &env).await;
    let hooks = twilio.hooks(Product::at(&api.url));
    let text = |number: usize| {
        let hooks = hooks.clone();
        async move {
            let text = InboundText::new(&phone(number), FROM, "My kitchen sink leaks, can you come today?");
            hooks.inbound_text(&text).await.answers[0].status == 200
        }
    };
    for number in 0..WARM {
        assert!(text(number).await, "the API takes texts");
    }
    let began = tokio::time::Instant::now();
    let mut lines = Vec::with_capacity(A_SECOND * SECONDS);
    for number in 0..A_SECOND * SECONDS {
        let at = began + EVERY * u32::try_from(number).unwrap_or(u32::MAX);
        tokio::time::sleep_until(at).await;
        let text = text(WARM + number);
        lines.push(tokio::spawn(async move {
            // Measured from the planned time: a delayed generator must not hide a wait.
            let is_taken = text.await;
            (at.elapsed().as_secs_f64() * 1000.0, is_taken)
        }));
    }
    let (mut times, mut taken) = (Vec::with_capacity(lines.len()), 0);
    for line in lines {
        let (time, is_taken) = line.await.expect("a text");
        times.push(time);
        taken += usize::from(is_taken);
    }
    let done = rate(taken, began.elapsed().as_secs_f64());
    figures.add(engine, "signed texts in, 500 a second for 10 s, taken", done, "per s", Goal::None);
    #[expect(clippy::cast_precision_loss, reason = "at most a few thousand")]
    let refused = (times.len() - taken) as f64;
    figures.add(engine, "  of them not taken", refused, "", Goal::AtMost(0.0));
    figures.add(engine, "  the answer to a signed text, p50", quantile(&mut times, 0.5), "ms", Goal::None);
    figures.add(engine, "  the answer to a signed text, p99", quantile(&mut times, 0.99), "ms", Goal::AtMost(P99_MS));
}

/// From the end of a missed call to the first byte of the text's provider call, without the configured delay.
pub async fn missed_calls(engine: &str, install: &TestInstall, figures: &mut Figures) {
    let (twilio, env) = twilio().await;
    open(install).await;
    let api = api(install, &env).await;
    let _worker = worker(install, &env).await;
    let hooks = twilio.hooks(Product::at(&api.url));
    let mut ended = Vec::with_capacity(CALLS);
    for number in 0..CALLS {
        let record = hooks.call(&Call::new(&phone(number), FROM)).await;
        assert!(record.errors.is_empty(), "{:?}", record.errors);
        ended.push((number, now_us()));
        tokio::time::sleep(Duration::from_millis(37)).await;
    }
    let began = Instant::now();
    let mut late = Vec::with_capacity(CALLS);
    for (number, ended) in ended {
        let called = call_to(&twilio, &phone(number)).await;
        late.push(ms(ended, called) - DELAY.as_secs_f64() * 1000.0);
    }
    assert!(began.elapsed() < Duration::from_secs(30), "the texts took too long to be a figure");
    let name = "missed call to its text, above the delay of 1 s";
    figures.add(engine, &format!("{name}, p50"), quantile(&mut late, 0.5), "ms", Goal::None);
    figures.add(engine, &format!("{name}, p99"), quantile(&mut late, 0.99), "ms", Goal::AtMost(LATE_P99_MS));
}

/// A Twilio, and the variables of the processes that use it.
async fn twilio() -> (FakeTwilio, Env) {
    let (twilio, smtp) = (FakeTwilio::start().await, FakeSmtp::start().await);
    let env = through(&twilio, &smtp);
    (twilio, env)
}
