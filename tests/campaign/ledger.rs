//! Comparison of the stored leads and messages with what the fakes' handsets and mailboxes received.

use std::{
    collections::{HashMap, HashSet},
    time::{Duration, Instant},
};

use shared::{
    domain::{
        intake::lead::LeadReceipt,
        messaging::message::{MessageChannel, MessageStatus},
    },
    platform::{
        db::{Conn, Db, q},
        id::{LeadId, MessageId},
    },
};
use tests::{fake_smtp::FakeSmtp, fake_twilio::FakeTwilio};

/// A text and an email to the customer, and an email to the owner.
pub const MESSAGES_PER_LEAD: usize = 3;

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Account {
    pub messages: usize,
    pub sent: usize,
    pub unknown: usize,
    /// Held until the recipient's morning.
    pub held: usize,
}

/// Waits until no task waits or runs and every message is at its end, as long as the rest shrinks within every
/// `limit`. Dead tasks fail the test: a killed worker must not make its tasks dead.
pub async fn at_rest(db: &Db, limit: Duration) {
    let (mut began, mut fewest) = (Instant::now(), None);
    loop {
        let (left, messages) = unfinished(db).await;
        if fewest.is_none_or(|fewest| left + messages < fewest) {
            (began, fewest) = (Instant::now(), Some(left + messages));
        }
        if left + messages == 0 {
            // Only the tasks: a text that was in doubt may be on its second try.
            let dead = tasks(db, "dead").await;
            assert_eq!(dead, 0, "dead: {:?}", rows(db, "dead", "dead").await);
            return;
        }
        if began.elapsed() >= limit {
            let rows = rows(db, "ready", "running").await;
            panic!("after {limit:?}: {left} tasks and {messages} messages are not at their end: {rows:?}");
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Some of the rows in these states and of the messages that are not at their end, with their last errors.
async fn rows(db: &Db, first: &str, last: &str) -> Vec<String> {
    let sql = "SELECT kind || ' ' || channel || ' ' || status || ' ' || COALESCE(reason, '') || ' tried ' || attempts || ' of '
             || COALESCE((SELECT MAX(t.kind || ' ' || t.status || ' ' || COALESCE(t.last_error, ''))
                          FROM task t WHERE t.subject_id = message.id), 'no task')
             FROM message WHERE status IN ('queued', 'sending')
        UNION ALL SELECT t.kind || ' ' || t.status || ' ' || t.crashes || ' crashes ' || COALESCE(t.last_error, '') || ' of '
             || COALESCE((SELECT m.kind || ' ' || m.channel || ' ' || m.status || ' ' || COALESCE(m.reason, '')
                          FROM message m WHERE m.id = t.subject_id), '')
             FROM task t WHERE t.status IN ($1, $2) AND (t.kind <> 'check_sla' OR t.status = 'dead')
        LIMIT 40";
    q!(&mut db.acquire_reader().await.unwrap(), fetch_all scalar String, sql, first, last).unwrap()
}

/// Also true for a message that was in doubt and is sent again after the provider was asked.
pub async fn is_any_on_its_way(db: &Db) -> bool {
    unfinished(db).await.1 > 0
}

async fn unfinished(db: &Db) -> (i64, i64) {
    let mut conn = db.acquire_reader().await.unwrap();
    q!(
        &mut conn,
        fetch_one as (i64, i64),
        // Not counted: a doubt is settled after a minute, alerts and promises have their own times, and at night a
        // text that was held up for a minute waits for the morning.
        "SELECT (SELECT COUNT(*) FROM task t WHERE status IN ('ready', 'running')
                 AND kind NOT IN ('reconcile_delivery', 'escalate_alert', 'check_sla')
                 AND NOT EXISTS (SELECT 1 FROM message m WHERE m.id = t.subject_id AND m.status = 'held')),
             (SELECT COUNT(*) FROM message WHERE status IN ('queued', 'sending'))"
    )
    .unwrap()
}

pub async fn tasks(db: &Db, status: &str) -> i64 {
    let mut conn = db.acquire_reader().await.unwrap();
    q!(&mut conn, fetch_one scalar i64, "SELECT COUNT(*) FROM task WHERE status = $1", status).unwrap()
}

/// Compares the rows with the ledgers of the fakes.
///
/// # Panics
/// With everything that is wrong: a lead or a message that is missing, a message at no end, one that arrived twice,
/// one that is called sent and did not arrive, one that arrived and is called anything but sent or unknown.
pub async fn balance(db: &Db, accepted: &[LeadReceipt], twilio: &FakeTwilio, smtp: &FakeSmtp) -> Account {
    let arrived = arrivals(twilio, smtp);
    let mut conn = db.acquire_reader().await.unwrap();
    let leads: HashSet<LeadId> =
        q!(&mut conn, fetch_all scalar LeadId, "SELECT id FROM lead").unwrap().into_iter().collect();
    let rows = q!(
        &mut conn,
        fetch_all as (MessageId, LeadId, MessageChannel, String, MessageStatus),
        "SELECT id, lead_id, channel, to_address, status FROM message"
    )
    .unwrap();
    let mut wrong = Vec::new();
    let mut account = Account { messages: rows.len(), ..Account::default() };
    let mut per_lead: HashMap<LeadId, usize> = HashMap::new();
    for (id, lead, channel, to, status) in rows {
        *per_lead.entry(lead).or_default() += 1;
        // Each visitor has a unique number, which identifies the text; an email carries its message id.
        let key = if channel == MessageChannel::Sms { to } else { id.to_string() };
        let times = arrived.get(&key).copied().unwrap_or_default();
        match (status, times) {
            (MessageStatus::Sent, 1) => account.sent += 1,
            (MessageStatus::Unknown, 0 | 1) => account.unknown += 1,
            (MessageStatus::Held, 0) => account.held += 1,
            (MessageStatus::Failed | MessageStatus::NotSent, 0) => {}
            _ => {
                let attempts = attempts(&mut conn, id).await;
                wrong.push(format!("{channel:?} {id} is {status:?} and arrived {times} times: {attempts:?}"));
            }
        }
    }
    for receipt in accepted {
        let messages = per_lead.get(&receipt.id).copied().unwrap_or_default();
        if !leads.contains(&receipt.id) || messages != MESSAGES_PER_LEAD {
            wrong.push(format!("lead {} is lost or has {messages} messages", receipt.id));
        }
    }
    let all: usize = arrived.values().sum();
    if all > account.sent + account.unknown {
        wrong.push(format!("{all} messages arrived, more than are sent or in doubt"));
    }
    assert!(wrong.is_empty(), "{} faults:\n{}", wrong.len(), wrong.join("\n"));
    account
}

/// The stored attempts of a message: worker, start, end and result.
async fn attempts(conn: &mut Conn, id: MessageId) -> Vec<String> {
    let sql = "SELECT CAST(number AS TEXT) || ' by ' || worker || ' from ' || CAST(started_at AS TEXT) || ' to '
             || COALESCE(CAST(ended_at AS TEXT), 'no end') || ': ' || outcome || ' ' || COALESCE(detail, '')
         FROM message_attempt WHERE message_id = $1 ORDER BY number";
    q!(conn, fetch_all scalar String, sql, id).unwrap()
}

/// Messages that are in doubt although their last attempt has a known result.
pub async fn doubts_without_cause(db: &Db) -> i64 {
    let sql = "SELECT COUNT(*) FROM message m WHERE m.status = 'unknown' AND NOT EXISTS (SELECT 1 FROM message_attempt a
             WHERE a.org_id = m.org_id AND a.message_id = m.id AND a.number = m.attempts AND a.outcome IN ('started', 'unknown'))";
    q!(&mut db.acquire_reader().await.unwrap(), fetch_one scalar i64, sql).unwrap()
}

/// Arrivals of each text (by phone number) and each email (by message id).
fn arrivals(twilio: &FakeTwilio, smtp: &FakeSmtp) -> HashMap<String, usize> {
    let texts = twilio.received().into_iter().map(|text| text.to);
    let letters = smtp.letters().into_iter().map(|letter| {
        let id = letter.header("Message-ID").expect("every letter has an id");
        id.trim_start_matches('<').split('@').next().unwrap_or_default().to_owned()
    });
    let mut times = HashMap::new();
    for key in texts.chain(letters) {
        *times.entry(key).or_default() += 1;
    }
    times
}

pub async fn holds_a_task(db: &Db, worker: &str) -> bool {
    let mut conn = db.acquire_reader().await.unwrap();
    let held = "SELECT EXISTS (SELECT 1 FROM task WHERE status = 'running' AND locked_by LIKE $1)";
    q!(&mut conn, fetch_one scalar bool, held, worker).unwrap()
}
