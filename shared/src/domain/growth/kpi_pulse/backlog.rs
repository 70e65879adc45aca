//! Queue backlog: the business and the operators are notified once, with the expected time to catch up.

use chrono::{DateTime, Duration, Utc};

use super::failure;
use crate::{
    domain::{
        messaging::message::send_rate,
        tenancy::install_mail::{self, InstallMail},
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
/// Window over which the rate is measured.
const THROUGHPUT_WINDOW: Duration = Duration::minutes(5);
/// Age up to which a message may still be sent.
const MAX_MESSAGE_AGE: Duration = Duration::days(2);
const COUNT_LIMIT: i64 = 100_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backlog {
    pub waiting: i64,
    /// Minutes until the queue is empty; none while nothing moves.
    pub minutes: Option<i64>,
}

/// Time to clear `waiting` at the rate of `done` per [`THROUGHPUT_WINDOW`], in whole minutes, at least one.
fn estimate_minutes(waiting: i64, done: i64) -> Option<i64> {
    let whole = waiting.saturating_mul(THROUGHPUT_WINDOW.num_minutes()).checked_div(done)?;
    Some(whole.saturating_add(1))
}

/// Caused by the worker, or by the sending rate of the business's number.
pub async fn load_backlog(conn: &mut dyn AsConn, org: OrgId, now: DateTime<Utc>) -> Result<Option<Backlog>> {
    let since = depth::find_oldest_message(&mut *conn, org).await?;
    let free_at = send_rate::replies_delayed_until(&mut *conn, org).await?.filter(|at| *at > now + MAX_WAIT);
    if free_at.is_none() && since.is_none_or(|since| since > now - MAX_WAIT) {
        return Ok(None);
    }
    let (waiting, left) = q!(
        conn,
        fetch_one as (i64, i64),
        "SELECT (SELECT COUNT(*) FROM (SELECT 1 FROM message WHERE org_id = $1 AND id >= $2 AND direction = 'out'
                 AND status = 'queued' LIMIT $4) AS counted),
             (SELECT COUNT(*) FROM message WHERE org_id = $1 AND id >= $2 AND direction = 'out' AND sent_at > $3)",
        org,
        // Ids sort by time, and messages of one org are looked up by id.
        live::min_id_at(now - MAX_MESSAGE_AGE),
        now - THROUGHPUT_WINDOW,
        COUNT_LIMIT
    )?;
    let by_pace = free_at.map(|at| (at - now).num_minutes().max(1));
    Ok((waiting > 0).then(|| Backlog { waiting, minutes: estimate_minutes(waiting, left).max(by_pace) }))
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
    suspects.extend(send_rate::list_delayed_orgs(&mut conn, now + MAX_WAIT).await?);
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
    let ahead = estimate_minutes(due, done).map_or_else(
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
            assert_eq!(estimate_minutes(waiting, done), wanted, "{waiting} {done}");
        }
        assert_eq!(
            [0, 1, 40, 119, 120].map(format_minutes),
            ["a minute", "a minute", "40 minutes", "119 minutes", "2 hours"]
        );
    }
}
