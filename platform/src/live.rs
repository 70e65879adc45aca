//! Live events for open browsers ("this lead changed"). They hold ids only; the browser fetches the data.
//!
//! Ids sort by creation time, but transactions commit in another order, so a reader looks back by `OVERLAP` and skips
//! events already sent. Duplicates are harmless: an event only triggers a refetch.

use chrono::{DateTime, Duration, Utc};
use serde::Serialize;
use sqlx::FromRow;
use uuid::{Builder, Uuid};

use crate::{
    clock::ClockRng,
    db::{
        AsConn, Db, Tx,
        batch::{Insert, insert_all, values},
        batched_delete, q, qb,
    },
    dirty::invalidated_by,
    error::Result,
    id::{AccountId, OrgId},
};

/// Lookback of a reader: longer than any transaction lasts.
pub const OVERLAP: Duration = Duration::seconds(15);
/// Retention. A browser away for longer refetches everything.
pub const RETENTION: Duration = Duration::hours(24);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, sqlx::Type)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum Topic {
    Lead,
    Message,
    /// With one customer, who is the subject.
    Conversation,
    /// Business settings; the subject is the org.
    Settings,
    Alert,
    /// The parent is the lead.
    Job,
    /// The parent is the lead, here and with the next two.
    Estimate,
    Invoice,
    Payment,
    /// Job times and crews; the subject is the org.
    Schedule,
    Customer,
    Crew,
    /// Price book; the subject is the line.
    Price,
    /// A review of the business; the parent is the lead, if known.
    Review,
    /// A review request; the parent is the lead.
    ReviewRequest,
    /// Marks of the worklist; the subject is the record of the item.
    Worklist,
    /// A call or a text reached the business by the phone company; the subject is the org.
    ProviderCall,
}

/// For a message, `parent_id` is its lead.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct LiveEvent {
    pub id: Uuid,
    pub topic: Topic,
    pub subject_id: Uuid,
    pub parent_id: Option<Uuid>,
}

/// Call in the transaction that makes the change.
pub async fn publish_event(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    topic: Topic,
    subject: Uuid,
    parent: Option<Uuid>,
) -> Result<()> {
    insert_all(tx, &[build_event_insert(origin, org, topic, subject, parent)]).await
}

/// For writing in one batch with the change. Also invalidates the figures of the named record.
pub fn build_event_insert<'a>(
    origin: &ClockRng,
    org: OrgId,
    topic: Topic,
    subject: Uuid,
    parent: Option<Uuid>,
) -> Insert<'a> {
    let event = Insert::into("live_event (org_id, id, topic, subject_id, parent_id, at)").with_row(values![
        org,
        origin.uuid_v7(),
        topic,
        subject,
        parent,
        origin.now()
    ]);
    event.marking_dirty(org, invalidated_by(topic, subject, parent))
}

/// Events of the org with id at least `from`, oldest first.
pub async fn list_since(conn: &mut dyn AsConn, org: OrgId, from: Uuid) -> Result<Vec<LiveEvent>> {
    Ok(q!(
        conn,
        fetch_all as LiveEvent,
        "SELECT id, topic, subject_id, parent_id FROM live_event WHERE org_id = $1 AND id >= $2 ORDER BY id LIMIT 1000",
        org,
        from
    )?)
}

/// Events visible to a crew member: jobs of their crews without the parent, and schedule changes. A change of their
/// crews may change their schedule too.
pub async fn filter_for_crew(
    conn: &mut dyn AsConn,
    org: OrgId,
    account: AccountId,
    events: Vec<LiveEvent>,
) -> Result<Vec<LiveEvent>> {
    let jobs: Vec<Uuid> =
        events.iter().filter(|event| event.topic == Topic::Job).map(|event| event.subject_id).collect();
    let own = if jobs.is_empty() { Vec::new() } else { list_crew_jobs(conn, org, account, &jobs).await? };
    let visible_events = events.into_iter().filter_map(|event| match event.topic {
        Topic::Job => own.contains(&event.subject_id).then_some(LiveEvent { parent_id: None, ..event }),
        Topic::Schedule => Some(event),
        Topic::Crew => Some(LiveEvent { topic: Topic::Schedule, subject_id: org.0, ..event }),
        _ => None,
    });
    Ok(visible_events.collect())
}

async fn list_crew_jobs(conn: &mut dyn AsConn, org: OrgId, account: AccountId, jobs: &[Uuid]) -> Result<Vec<Uuid>> {
    Ok(qb!(conn, fetch_all scalar Uuid, |b| {
        b.push("SELECT DISTINCT j.id FROM job j JOIN crew_member m ON m.org_id = j.org_id AND m.crew_id = j.crew_id");
        b.push(" WHERE m.account_id = ").push_bind(account).push(" AND j.org_id = ").push_bind(org);
        b.push(" AND j.id IN (");
        let mut list = b.separated(", ");
        for job in jobs {
            list.push_bind(*job);
        }
        b.push(")");
    })?)
}

/// The smallest possible id of an event created at `at`.
#[must_use]
pub fn min_id_at(at: DateTime<Utc>) -> Uuid {
    let millis = u64::try_from(at.timestamp_millis()).unwrap_or_default();
    Builder::from_unix_timestamp_millis(millis, &[0; 10]).into_uuid()
}

/// Creation time; none when the id is not ours.
#[must_use]
pub fn id_timestamp(id: Uuid) -> Option<DateTime<Utc>> {
    let (seconds, nanos) = id.get_timestamp()?.to_unix();
    DateTime::from_timestamp(i64::try_from(seconds).ok()?, nanos)
}

/// Removes old events in slices, business by business: ids sort by time, so the key finds them without another index.
pub async fn prune_events(db: &Db, now: DateTime<Utc>) -> Result<()> {
    let limit = min_id_at(now - RETENTION);
    let sql = "SELECT o.id FROM org o WHERE EXISTS (SELECT 1 FROM live_event e WHERE e.org_id = o.id AND e.id < $1)";
    let mut conn = db.acquire_reader().await?;
    let orgs = q!(&mut conn, fetch_all scalar OrgId, sql, limit)?;
    drop(conn);
    for org in orgs {
        while prune_slice(db, org, limit).await? == batched_delete::SLICE {}
    }
    Ok(())
}

async fn prune_slice(db: &Db, org: OrgId, limit: Uuid) -> Result<u64> {
    let mut tx = db.begin().await?;
    let sql = "DELETE FROM live_event WHERE org_id = $1 AND id < $2 AND id IN (
             SELECT id FROM live_event WHERE org_id = $1 AND id < $2 ORDER BY id LIMIT 500)";
    let gone = q!(&mut tx, execute, sql, org, limit)?;
    tx.commit().await?;
    Ok(gone)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn id_floor_of_instant_never_exceeds_ids_made_then() {
        let origin = ClockRng::fixed(DateTime::UNIX_EPOCH + Duration::days(20_500), 3);
        let made = origin.uuid_v7();
        assert!(min_id_at(origin.now()) <= made);
        assert!(min_id_at(origin.now() + Duration::milliseconds(1)) > made);
        assert_eq!(id_timestamp(made), Some(origin.now()));
    }
}
