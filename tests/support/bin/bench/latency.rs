//! The delay from a lead to the first byte of the text's provider call, one lead at a time on an idle machine.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tests::{
    fake_smtp::FakeSmtp,
    fake_twilio::FakeTwilio,
    processes::{api, http_client, through, worker},
    test_install::{Business, TestInstall, phone},
};

use crate::{
    figures::{Figures, Goal, quantile},
    intake::{accepted, quote},
};

const LEADS: usize = 200;
const WARM: usize = 10;
/// Longer than a text takes, so that each lead finds an idle install.
const PAUSE: Duration = Duration::from_millis(30);
const P50_MS: f64 = 15.0;
const P99_MS: f64 = 60.0;

/// Measured from the visitor's 201, which follows the commit, and from the sending of the form.
pub async fn to_the_provider(engine: &str, test_install: &TestInstall, figures: &mut Figures) {
    let (twilio, smtp) = (FakeTwilio::start().await, FakeSmtp::start().await);
    let db = test_install.open().await;
    Business::open(&db, "Acme Plumbing").await;
    db.close().await;
    let env = through(&twilio, &smtp);
    let api = api(test_install, &env).await;
    let _worker = worker(test_install, &env).await;
    let client = http_client();
    let (mut after_answer, mut after_form) = (Vec::new(), Vec::new());
    for number in 0..WARM + LEADS {
        let sent = now_us();
        accepted(quote(&client, &api.url, number)).await;
        let answered = now_us();
        let called = call_to(&twilio, &phone(number)).await;
        if number >= WARM {
            after_answer.push(ms(answered, called));
            after_form.push(ms(sent, called));
        }
        tokio::time::sleep(PAUSE).await;
    }
    let name = "lead's 201 to the first byte of the text's call";
    let at_most = |limit| Goal::AtMost(limit);
    figures.add(engine, &format!("{name}, p50"), quantile(&mut after_answer, 0.5), "ms", at_most(P50_MS));
    figures.add(engine, &format!("{name}, p99"), quantile(&mut after_answer, 0.99), "ms", at_most(P99_MS));
    figures.add(engine, &format!("{name}, worst"), quantile(&mut after_answer, 1.0), "ms", Goal::None);
    figures.add(engine, "form sent to that byte, p50", quantile(&mut after_form, 0.5), "ms", at_most(P50_MS));
    figures.add(engine, "form sent to that byte, p99", quantile(&mut after_form, 0.99), "ms", at_most(P99_MS));
}

pub async fn call_to(twilio: &FakeTwilio, number: &str) -> u64 {
    for _ in 0..10_000 {
        let seen = twilio.requests();
        if let Some(call) = seen.iter().rev().find(|call| call.to.as_deref() == Some(number)) {
            return call.at_us;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    panic!("no call to {number} within ten seconds");
}

/// Milliseconds between two instants; zero when the second came first.
pub fn ms(from_us: u64, to_us: u64) -> f64 {
    Duration::from_micros(to_us.saturating_sub(from_us)).as_secs_f64() * 1000.0
}

pub fn now_us() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
}
