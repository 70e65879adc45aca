//! Live events: "this lead changed", for browsers that are looking. They hold ids only; the browser fetches the rest.
//!
//! Ids sort by time, but transactions commit in another order than they began, so a reader looks back a little
//! (`OVERLAP`) and passes over what it has already told. Telling twice is harmless: an event only says "look again".

use chrono::{DateTime, Duration, Utc};
use serde::Serialize;
use sqlx::FromRow;
use uuid::{Builder, Uuid};

use crate::platform::{
    clock::Origin,
    db::{
        AsConn, Db, Tx,
        batch::{Insert, insert_all, values},
        q, qb, slices,
    },
    dirty::invalidated_by,
    error::Result,
    id::{AccountId, OrgId},
};

/// How far back a reader looks: longer than any transaction lasts.
pub const OVERLAP: Duration = Duration::seconds(15);
/// How long events are kept. A browser away for longer is told to fetch everything again.
pub const KEEP: Duration = Duration::hours(24);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, sqlx::Type)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum Topic {
    Lead,
    Message,
    /// What was said with one customer; the subject is the customer.
    Thread,
    /// What the business set; the subject is the org.
    Settings,
    Alert,
    /// A crew's booked job; the parent is its lead.
    Job,
    /// The parent is the lead, here and with the next two.
    Estimate,
    Invoice,
    Payment,
    /// When and by whom jobs are done; the subject is the org.
    Schedule,
    Customer,
    Crew,
    /// The price book; the subject is the line.
    Price,
    /// What somebody said of the business; the parent is the lead, where it is known.
    Review,
    /// That somebody is asked for a review; the parent is the lead.
    ReviewAsk,
}

/// One change. For a message `parent_id` is its lead.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct LiveEvent {
    pub id: Uuid,
    pub topic: Topic,
    pub subject_id: Uuid,
    pub parent_id: Option<Uuid>,
}

/// Notes a change in the transaction that makes it.
pub async fn announce(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    topic: Topic,
    subject: Uuid,
    parent: Option<Uuid>,
) -> Result<()> {
    insert_all(tx, &[event(origin, org, topic, subject, parent)]).await
}

/// A change, to be noted together with it. The owner's figures follow what it names.
pub fn event<'a>(origin: &Origin, org: OrgId, topic: Topic, subject: Uuid, parent: Option<Uuid>) -> Insert<'a> {
    let event = Insert::into("live_event (org_id, id, topic, subject_id, parent_id, at)").row(values![
        org,
        origin.uuid(),
        topic,
        subject,
        parent,
        origin.now()
    ]);
    event.marking_dirty(org, invalidated_by(topic, subject, parent))
}

/// This org's events whose id is at least `from`, oldest first.
pub async fn since(conn: &mut dyn AsConn, org: OrgId, from: Uuid) -> Result<Vec<LiveEvent>> {
    Ok(q!(
        conn,
        fetch_all as LiveEvent,
        "SELECT id, topic, subject_id, parent_id FROM live_event WHERE org_id = $1 AND id >= $2 ORDER BY id LIMIT 1000",
        org,
        from
    )?)
}

/// What of these somebody of a crew hears: of the jobs of their crews, and that somebody's day has changed; nothing else
/// of the business, and of no job what it belongs to. That their crews changed may change their day.
pub async fn of_crew(
    conn: &mut dyn AsConn,
    org: OrgId,
    account: AccountId,
    events: Vec<LiveEvent>,
) -> Result<Vec<LiveEvent>> {
    let jobs: Vec<Uuid> =
        events.iter().filter(|event| event.topic == Topic::Job).map(|event| event.subject_id).collect();
    let own = if jobs.is_empty() { Vec::new() } else { jobs_of(conn, org, account, &jobs).await? };
    let heard = events.into_iter().filter_map(|event| match event.topic {
        Topic::Job => own.contains(&event.subject_id).then_some(LiveEvent { parent_id: None, ..event }),
        Topic::Schedule => Some(event),
        Topic::Crew => Some(LiveEvent { topic: Topic::Schedule, subject_id: org.0, ..event }),
        _ => None,
    });
    Ok(heard.collect())
}

/// Those of these jobs that a crew of theirs has.
async fn jobs_of(conn: &mut dyn AsConn, org: OrgId, account: AccountId, jobs: &[Uuid]) -> Result<Vec<Uuid>> {
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

/// The smallest id an event made at `at` can have.
#[must_use]
pub fn floor(at: DateTime<Utc>) -> Uuid {
    let millis = u64::try_from(at.timestamp_millis()).unwrap_or_default();
    Builder::from_unix_timestamp_millis(millis, &[0; 10]).into_uuid()
}

/// When an event with this id was made; none when it is not one of our ids.
#[must_use]
pub fn made_at(id: Uuid) -> Option<DateTime<Utc>> {
    let (seconds, nanos) = id.get_timestamp()?.to_unix();
    DateTime::from_timestamp(i64::try_from(seconds).ok()?, nanos)
}

/// Removes what is older than a day.
pub async fn prune(db: &Db, now: DateTime<Utc>) -> Result<()> {
    slices::delete_older(db, "live_event", "at", now - KEEP).await.map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_floor_of_an_instant_is_below_every_id_made_then() {
        let origin = Origin::fixed(DateTime::UNIX_EPOCH + Duration::days(20_500), 3);
        let made = origin.uuid();
        assert!(floor(origin.now()) <= made);
        assert!(floor(origin.now() + Duration::milliseconds(1)) > made);
        assert_eq!(made_at(made), Some(origin.now()));
    }
}
