//! Queue backlog: the business and the operators are notified once, with the expected time to catch up, and the
//! business once more when it is over.

use chrono::{DateTime, Duration, Utc};

use super::failure;
use crate::{
    domain::{
        messaging::message,
        tenancy::{
            install_mail::{self, InstallMail},
            org::OrgProfile,
        },
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Db, Tx, q},
        email_address::EmailAddress,
        error::Result,
        id::{DEMO_ORG, OrgId},
        live,
        secret::SecretKey,
        tasks::depth,
    },
};

/// A message that waits longer than this is behind.
const MAX_WAIT: Duration = Duration::minutes(5);
/// A reported backlog is over when none waits longer than this, so that it does not begin again at once.
const OVER_BELOW: Duration = Duration::minutes(1);
/// Window over which the rate of one business is measured: it must not reach back to before the messages came.
const PACE_WINDOW: Duration = Duration::minutes(1);
/// Window over which the rate of the install is measured.
const THROUGHPUT_WINDOW: Duration = Duration::minutes(5);
/// Age up to which a message may still be sent.
const MAX_MESSAGE_AGE: Duration = Duration::days(2);
const COUNT_LIMIT: i64 = 100_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SendBacklog {
    pub waiting: i64,
    /// Minutes until the queue is empty; none while nothing moves.
    pub minutes: Option<i64>,
    /// Messages that left within the last minute.
    pub a_minute: i64,
    /// Automatic texts that may still leave today, when more than that wait.
    pub budget_left: Option<i64>,
}

#[derive(sqlx::FromRow)]
struct WaitingCounts {
    waiting: i64,
    automatic_texts: i64,
    sent_lately: i64,
}

/// Time to clear `waiting` at the rate of `done` per `window`, in whole minutes, at least one.
fn estimate_minutes(waiting: i64, done: i64, window: Duration) -> Option<i64> {
    let whole = waiting.saturating_mul(window.num_minutes()).checked_div(done)?;
    Some(whole.saturating_add(1))
}

/// Caused by the worker, or by the sending rate of the business's number.
pub async fn load_backlog(
    conn: &mut dyn AsConn,
    profile: &OrgProfile,
    now: DateTime<Utc>,
) -> Result<Option<SendBacklog>> {
    let org = profile.org.id;
    let limit = if is_reported(&mut *conn, org).await? { OVER_BELOW } else { MAX_WAIT };
    let since = depth::find_oldest_message(&mut *conn, org).await?;
    let free_at = message::replies_delayed_until(&mut *conn, org).await?.filter(|at| *at > now + limit);
    if free_at.is_none() && since.is_none_or(|since| since > now - limit) {
        return Ok(None);
    }
    let counts = count_waiting(&mut *conn, org, now).await?;
    if counts.waiting == 0 {
        return Ok(None);
    }
    let budget_left = load_budget_left(conn, profile, now).await?;
    let by_pace = free_at.map(|at| (at - now).num_minutes().max(1));
    Ok(Some(SendBacklog {
        waiting: counts.waiting,
        minutes: estimate_minutes(counts.waiting, counts.sent_lately, PACE_WINDOW).max(by_pace),
        a_minute: counts.sent_lately,
        budget_left: (budget_left < counts.automatic_texts).then_some(budget_left),
    }))
}

async fn is_reported(conn: &mut dyn AsConn, org: OrgId) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM incident WHERE org_id = $1 AND name = $2)";
    Ok(q!(conn, fetch_one scalar bool, sql, org, failure::BEHIND)?)
}

async fn count_waiting(conn: &mut dyn AsConn, org: OrgId, now: DateTime<Utc>) -> Result<WaitingCounts> {
    Ok(q!(
        conn,
        fetch_one as WaitingCounts,
        "SELECT (SELECT COUNT(*) FROM (SELECT 1 FROM message WHERE org_id = $1 AND id >= $2 AND direction = 'out'
                 AND status = 'queued' LIMIT $4) AS counted) AS waiting,
             (SELECT COUNT(*) FROM (SELECT 1 FROM message WHERE org_id = $1 AND id >= $2 AND direction = 'out'
                 AND status = 'queued' AND channel = 'sms' AND kind NOT IN ('manual', 'owner_notice', 'account_notice',
                 'test', 'digest', 'pulse') LIMIT $4) AS counted) AS automatic_texts,
             (SELECT COUNT(*) FROM message WHERE org_id = $1 AND id >= $2 AND direction = 'out' AND sent_at > $3) AS sent_lately",
        org,
        // Ids sort by time, and messages of one org are looked up by id.
        live::min_id_at(now - MAX_MESSAGE_AGE),
        now - PACE_WINDOW,
        COUNT_LIMIT
    )?)
}

async fn load_budget_left(conn: &mut dyn AsConn, profile: &OrgProfile, now: DateTime<Utc>) -> Result<i64> {
    let day = message::budget_day(profile.org.zone(), now);
    let used = message::load_budget_usage(conn, profile.org.id, &day, None, now).await?.texts;
    Ok((profile.settings.sending.daily_text_budget - used).max(0))
}

/// Runs every minute. Returns how many businesses were notified of a backlog or another failure.
pub async fn check_backlogs(
    db: &Db,
    origin: &ClockRng,
    secret: &SecretKey,
    operators: &[EmailAddress],
) -> Result<usize> {
    let now = origin.now();
    let mut conn = db.acquire_reader().await?;
    let mut suspects = depth::list_orgs_waiting_since(&mut conn, now - MAX_WAIT).await?;
    suspects.extend(message::list_delayed_orgs(&mut conn, now + MAX_WAIT).await?);
    let sql = "SELECT org_id FROM incident WHERE name = $1";
    suspects.extend(q!(&mut conn, fetch_all scalar OrgId, sql, failure::BEHIND)?);
    let oldest = depth::find_oldest_due(&mut conn, now).await?;
    drop(conn);
    suspects.sort_unstable();
    suspects.dedup();
    let mut reported = 0;
    for org in suspects.into_iter().filter(|org| *org != DEMO_ORG) {
        reported += failure::check_org(db, origin, org).await?;
    }
    if let Some(oldest) = oldest.filter(|oldest| *oldest < now - MAX_WAIT) {
        notify_operators(db, origin, (secret, operators), oldest).await?;
    }
    Ok(reported)
}

/// At most one mail a day to each operator.
async fn notify_operators(
    db: &Db,
    origin: &ClockRng,
    to: (&SecretKey, &[EmailAddress]),
    oldest: DateTime<Utc>,
) -> Result<()> {
    let now = origin.now();
    let mut conn = db.acquire_reader().await?;
    let waiting = depth::load_queue_depth(&mut conn).await?;
    let sql = "SELECT COUNT(*) FROM task WHERE status = 'done' AND finished_at > $1";
    let done = q!(&mut conn, fetch_one scalar i64, sql, now - THROUGHPUT_WINDOW)?;
    drop(conn);
    let due = waiting.due + waiting.parked;
    let ahead = estimate_minutes(due, done, THROUGHPUT_WINDOW).map_or_else(
        || "Nothing of it has moved in five minutes: look at the worker's log and at the providers.".to_owned(),
        |minutes| {
            format!("At the pace of the last five minutes it has caught up in about {}.", format_minutes(minutes))
        },
    );
    let body = format!(
        "Work is waiting longer than it should. {due} tasks wait their turn, the first of them for {}. {ahead}\n\nNothing is lost. /metrics shows how it goes on.",
        format_minutes((now - oldest).num_minutes())
    );
    let mut tx = db.begin().await?;
    queue_operator_mail(&mut tx, origin, to, &body).await?;
    tx.commit().await
}

async fn queue_operator_mail(
    tx: &mut Tx,
    origin: &ClockRng,
    (secret, operators): (&SecretKey, &[EmailAddress]),
    body: &str,
) -> Result<()> {
    for to in operators {
        let key = format!("backlog:{}:{to}", origin.now().date_naive());
        let mail = InstallMail { to, subject: "Toolbox is behind with its work", body, links: &[], key: &key };
        install_mail::enqueue_mail(&mut *tx, origin, secret, &mail).await?;
    }
    Ok(())
}

pub(super) fn format_minutes(minutes: i64) -> String {
    match minutes {
        ..=1 => "a minute".to_owned(),
        2..=119 => format!("{minutes} minutes"),
        _ => format!("{} hours", minutes / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backlog_time_follows_rate_of_last_five_minutes() {
        for (waiting, done, wanted) in
            [(100, 0, None), (100, 500, Some(2)), (9_000, 1_500, Some(31)), (i64::MAX, 1, Some(i64::MAX))]
        {
            assert_eq!(estimate_minutes(waiting, done, THROUGHPUT_WINDOW), wanted, "{waiting} {done}");
        }
        assert_eq!(
            [0, 1, 40, 119, 120].map(format_minutes),
            ["a minute", "a minute", "40 minutes", "119 minutes", "2 hours"]
        );
    }
}
