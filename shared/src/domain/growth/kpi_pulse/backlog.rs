//! A queue that falls behind: the business and the operators are told once, with when it will have caught up.

use chrono::{DateTime, Duration, Utc};

use super::failure;
use crate::{
    domain::{
        messaging::message::send_rate,
        tenancy::install_mail::{self, Mail},
    },
    platform::{
        clock::Origin,
        db::{AsConn, Db, Tx, q},
        error::Result,
        id::{DEMO_ORG, OrgId},
        live,
        tasks::depth,
    },
};

/// A message that waits longer than this for its turn is behind.
const PATIENCE: Duration = Duration::minutes(5);
/// What has left within this time says how fast it goes on.
const LATELY: Duration = Duration::minutes(5);
/// Messages this old may still leave.
const WORTH_SENDING: Duration = Duration::days(2);
/// No more are counted.
const COUNTED: i64 = 100_000;

/// Messages of a business that wait too long for their turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backlog {
    pub waiting: i64,
    /// Until none will wait, in minutes; none while nothing moves.
    pub minutes: Option<i64>,
}

/// How long `waiting` take at the pace of the `done` of the last [`LATELY`], in whole minutes, at least one.
fn minutes(waiting: i64, done: i64) -> Option<i64> {
    let whole = waiting.saturating_mul(LATELY.num_minutes()).checked_div(done)?;
    Some(whole.saturating_add(1))
}

/// What of a business is behind: because the worker is, or because its number sends no faster.
pub async fn of(conn: &mut dyn AsConn, org: OrgId, now: DateTime<Utc>) -> Result<Option<Backlog>> {
    let since = depth::oldest_message_of(&mut *conn, org).await?;
    let free_at = send_rate::answers_wait_until(&mut *conn, org).await?.filter(|at| *at > now + PATIENCE);
    if free_at.is_none() && since.is_none_or(|since| since > now - PATIENCE) {
        return Ok(None);
    }
    let (waiting, left) = q!(
        conn,
        fetch_one as (i64, i64),
        "SELECT (SELECT COUNT(*) FROM (SELECT 1 FROM message WHERE org_id = $1 AND id >= $2 AND direction = 'out'
                 AND status = 'queued' LIMIT $4) AS counted),
             (SELECT COUNT(*) FROM message WHERE org_id = $1 AND id >= $2 AND direction = 'out' AND sent_at > $3)",
        org,
        // Ids sort by time, and messages of one org are found by them.
        live::floor(now - WORTH_SENDING),
        now - LATELY,
        COUNTED
    )?;
    let by_pace = free_at.map(|at| (at - now).num_minutes().max(1));
    Ok((waiting > 0).then(|| Backlog { waiting, minutes: minutes(waiting, left).max(by_pace) }))
}

/// The minute's look. Returns how many businesses were told that they are behind, or that something else stopped.
pub async fn look(db: &Db, origin: &Origin, operators: &[String]) -> Result<usize> {
    let now = origin.now();
    let mut conn = db.read().await?;
    let mut suspects = depth::businesses_waiting_since(&mut conn, now - PATIENCE).await?;
    suspects.extend(send_rate::businesses_paced_beyond(&mut conn, now + PATIENCE).await?);
    let known = "SELECT org_id FROM quiet_failure WHERE name = $1";
    suspects.extend(q!(&mut conn, fetch_all scalar OrgId, known, failure::BEHIND)?);
    let oldest = depth::oldest_due(&mut conn, now).await?;
    drop(conn);
    suspects.sort_unstable();
    suspects.dedup();
    let mut told = 0;
    for org in suspects.into_iter().filter(|org| *org != DEMO_ORG) {
        told += failure::look_at(db, origin, org).await?;
    }
    if let Some(oldest) = oldest.filter(|oldest| *oldest < now - PATIENCE) {
        tell_operators(db, origin, operators, oldest).await?;
    }
    Ok(told)
}

/// Once a day for each operator, however long it lasts.
async fn tell_operators(db: &Db, origin: &Origin, operators: &[String], oldest: DateTime<Utc>) -> Result<()> {
    let now = origin.now();
    let mut conn = db.read().await?;
    let waiting = depth::read(&mut conn).await?;
    let sql = "SELECT COUNT(*) FROM task WHERE status = 'done' AND finished_at > $1";
    let done = q!(&mut conn, fetch_one scalar i64, sql, now - LATELY)?;
    drop(conn);
    let due = waiting.due + waiting.parked;
    let ahead = minutes(due, done).map_or_else(
        || "Nothing of it has moved in five minutes: look at the worker's log and at the providers.".to_owned(),
        |minutes| format!("At the pace of the last five minutes it has caught up in about {}.", span(minutes)),
    );
    let body = format!(
        "Work is waiting longer than it should. {due} tasks wait their turn, the first of them for {}. {ahead}\n\nNothing is lost. /metrics shows how it goes on.",
        span((now - oldest).num_minutes())
    );
    let mut tx = db.begin().await?;
    mail(&mut tx, origin, operators, &body).await?;
    tx.commit().await
}

async fn mail(tx: &mut Tx, origin: &Origin, operators: &[String], body: &str) -> Result<()> {
    for to in operators {
        let key = format!("backlog:{}:{to}", origin.now().date_naive());
        let mail = Mail { to, subject: "Toolbox is behind with its work", body, links: &[], key: &key };
        install_mail::queue(&mut *tx, origin, &mail).await?;
    }
    Ok(())
}

/// `40 minutes`, `3 hours`.
pub(super) fn span(minutes: i64) -> String {
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
    fn the_time_left_follows_from_what_left_in_the_last_five_minutes() {
        for (waiting, done, wanted) in
            [(100, 0, None), (100, 500, Some(2)), (9_000, 1_500, Some(31)), (i64::MAX, 1, Some(i64::MAX))]
        {
            assert_eq!(minutes(waiting, done), wanted, "{waiting} {done}");
        }
        assert_eq!([0, 1, 40, 119, 120].map(span), ["a minute", "a minute", "40 minutes", "119 minutes", "2 hours"]);
    }
}
