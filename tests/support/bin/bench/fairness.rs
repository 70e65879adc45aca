//! Fairness between businesses: one text beside 10,000 of another, and ten backlogs beside each other.

use std::{collections::HashMap, time::Duration};

use shared::{
    domain::messaging::message::{self, MessageDraft, MessageKind, NewMessage},
    platform::{
        clock::ClockRng,
        db::Db,
        id::{MessageId, OrgId},
    },
};
use tests::{
    addresses::phone,
    fake_smtp::FakeSmtp,
    fake_twilio::FakeTwilio,
    processes::{through, worker},
    test_install::{Business, TestInstall},
};

use crate::{
    figures::{Figures, Goal},
    latency::{call_to, ms, now_us},
};

const BACKLOG: usize = 10_000;
/// The single text comes while the backlog is being sent.
const HEAD_START: Duration = Duration::from_secs(2);
const WITHIN_MS: f64 = 5_000.0;

const SHOPS: usize = 10;
const EACH: usize = 300;
/// Starts that are examined: a third of all, so that no business has run out of texts.
const STARTS: usize = 1_000;
const LEAST_SHARE: f64 = 7.0;

/// One text of one business beside another's ten thousand.
pub async fn one_beside_many(engine: &str, install: &TestInstall, figures: &mut Figures) {
    let (twilio, db, env) = stage(install).await;
    let acme = Business::open(&db, "Acme Plumbing").await.profile.org.id;
    let best = Business::open(&db, "Best Roofing").await.profile.org.id;
    queue(&db, acme, 0, BACKLOG).await;
    let _worker = worker(install, &env).await;
    tokio::time::sleep(HEAD_START).await;
    let asked = now_us();
    queue(&db, best, BACKLOG, 1).await;
    let called = call_to(&twilio, &number(BACKLOG)).await;
    let behind = BACKLOG.saturating_sub(twilio.requests().len());
    assert!(behind > BACKLOG / 10, "the backlog was sent before the single text could wait behind it");
    let name = "one text due beside another business's 10,000";
    figures.add(engine, name, ms(asked, called), "ms", Goal::AtMost(WITHIN_MS));
    db.close().await;
}

/// Ten businesses with a backlog each: the share of starts of the least served one.
pub async fn ten_backlogs(engine: &str, install: &TestInstall, figures: &mut Figures) {
    let (twilio, db, env) = stage(install).await;
    for shop in 0..SHOPS {
        let org = Business::open(&db, &format!("Shop {shop}")).await.profile.org.id;
        queue(&db, org, shop * EACH, EACH).await;
    }
    let _worker = worker(install, &env).await;
    let arrived = tokio::time::timeout(Duration::from_mins(1), twilio.wait_for_requests(STARTS)).await;
    assert!(arrived.is_ok(), "{STARTS} texts were not sent within a minute");
    let mut starts: HashMap<usize, usize> = (0..SHOPS).map(|shop| (shop, 0)).collect();
    for seen in twilio.requests().into_iter().take(STARTS) {
        let number = seen.to.and_then(|to| to.get(5..).and_then(|n| n.parse::<usize>().ok())).expect("our number");
        *starts.entry((number - FIRST) / EACH).or_default() += 1;
    }
    let least = starts.values().min().copied().unwrap_or_default();
    #[expect(clippy::cast_precision_loss, reason = "at most a thousand")]
    let share = least as f64 * 100.0 / STARTS as f64;
    let name = "ten businesses with a backlog each: share of the least served";
    figures.add(engine, name, share, "%", Goal::AtLeast(LEAST_SHARE));
    db.close().await;
}

async fn stage(install: &TestInstall) -> (FakeTwilio, Db, tests::processes::Env) {
    let (twilio, smtp) = (FakeTwilio::start().await, FakeSmtp::start().await);
    let env = through(&twilio, &smtp);
    (twilio, install.open().await, env)
}

const FIRST: usize = 2_000_000;

fn number(n: usize) -> String {
    format!("+1512{:07}", FIRST + n)
}

/// Texts of a kind that is not held at night.
async fn queue(db: &Db, org: OrgId, first: usize, count: usize) {
    let origin = ClockRng::system();
    let texts: Vec<NewMessage> = (first..first + count)
        .map(|n| {
            let (words, key) = ("New lead: Ann Lee, Plumbing".to_owned(), format!("bench:{n}"));
            MessageDraft::new(MessageKind::OwnerNotice, phone(&number(n)), words, key)
                .with_id(MessageId(origin.uuid_v7()))
        })
        .collect();
    for some in texts.chunks(500) {
        let mut tx = db.begin().await.expect("a transaction");
        message::queue_messages(&mut tx, &origin, org, some).await.expect("texts");
        tx.commit().await.expect("a commit");
    }
}
