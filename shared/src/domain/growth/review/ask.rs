//! Asks: the row of each job that was done, made with it, and ended by whatever speaks against it in that thing's own
//! transaction.
//!
//! Rows are held in this order: the steps of a sequence, its messages, the ask.

use chrono::{DateTime, Utc};
use sqlx::FromRow;

use super::rule::{Cause, State, Turn, WORTH_IT, Why};
use crate::{
    domain::{
        intake::{contact_point, customer::property::address_key},
        messaging::followup::{self, About, Planned, Step},
        tenancy::org::Profile,
    },
    platform::{
        access_link,
        clock::Origin,
        contact_hours::decent::{self, Person},
        db::{
            AsConn, Tx,
            batch::{Insert, insert_all, values},
            q, qb,
        },
        error::Result,
        id::{AccountId, CustomerId, EventId, JobId, LeadId, OrgId, ReviewAskId},
        live::{self, Topic},
        phone::Phone,
    },
};

mod cause;
mod ends;

pub(super) use cause::is_paid;
pub(crate) use cause::{job_done, paid};
pub(crate) use ends::{job_reverted, lead_changed, merged, number_opted_out, person_changed, replied, undone};

/// An ask to be made.
pub(super) struct New {
    pub customer: CustomerId,
    pub lead: LeadId,
    pub job: Option<JobId>,
    pub cause: Cause,
    pub event: Option<EventId>,
    pub by: Option<AccountId>,
    pub is_override: bool,
}

/// An ask, as the rules look at it.
#[derive(Clone, Debug, FromRow)]
pub(super) struct Ask {
    pub id: ReviewAskId,
    pub customer_id: CustomerId,
    pub lead_id: LeadId,
    pub job_id: Option<JobId>,
    pub cause: Cause,
    pub state: State,
    pub is_override: bool,
    pub begun_at: Option<DateTime<Utc>>,
    pub asked_at: Option<DateTime<Utc>>,
    pub channel: Option<crate::domain::messaging::message::Channel>,
    pub no_text_why: Option<String>,
    pub household: Option<String>,
    pub created_at: DateTime<Utc>,
}

const COLUMNS: &str = "SELECT id, customer_id, lead_id, job_id, cause, state, is_override, begun_at, asked_at, channel,
    no_text_why, household, created_at FROM review_ask WHERE org_id = ";

pub(super) async fn find(conn: &mut dyn AsConn, org: OrgId, id: ReviewAskId) -> Result<Option<Ask>> {
    Ok(qb!(conn, fetch_optional as Ask, |b| {
        b.push(COLUMNS).push_bind(org).push(" AND id = ").push_bind(id);
    })?)
}

/// Those of a customer that are under way, the oldest first.
pub(super) async fn under_way(conn: &mut dyn AsConn, org: OrgId, customer: CustomerId) -> Result<Vec<Ask>> {
    Ok(qb!(conn, fetch_all as Ask, |b| {
        b.push(COLUMNS).push_bind(org).push(" AND customer_id = ").push_bind(customer);
        b.push(" AND ").push(UNDER_WAY).push(" ORDER BY created_at, id");
    })?)
}

/// Asks of which something is still to come. One that ran its course is left as it ended.
const UNDER_WAY: &str = "(review_ask.state = 'waiting' OR (review_ask.state = 'asked' AND (
    EXISTS (SELECT 1 FROM follow_up f WHERE f.org_id = review_ask.org_id AND f.about_id = review_ask.id
        AND f.state = 'waiting')
    OR EXISTS (SELECT 1 FROM message m WHERE m.org_id = review_ask.org_id AND m.about_id = review_ask.id
        AND m.status IN ('queued', 'held')))))";

/// Stores an ask that waits, with the address it will carry.
pub(super) async fn insert(tx: &mut Tx, origin: &Origin, org: OrgId, new: &New) -> Result<ReviewAskId> {
    let id = ReviewAskId(origin.uuid());
    let household = household(&mut *tx, org, new.lead, new.job).await?;
    let row = Insert::into(
        "review_ask (org_id, id, customer_id, lead_id, job_id, cause, state, is_override, household, event_id, account_id,
             created_at)",
    )
    .row(values![
        org,
        id,
        new.customer,
        new.lead,
        new.job,
        new.cause,
        State::Waiting,
        new.is_override,
        household,
        new.event,
        new.by,
        origin.now()
    ]);
    let event = live::event(origin, org, Topic::ReviewAsk, id.0, Some(new.lead.0));
    insert_all(&mut *tx, &[row, event]).await?;
    access_link::ensure(tx, origin, org, access_link::Kind::Review, id.0, None).await?;
    Ok(id)
}

/// The address of the work, if it says more than a town: one household has one.
async fn household(conn: &mut dyn AsConn, org: OrgId, lead: LeadId, job: Option<JobId>) -> Result<Option<String>> {
    let found = q!(
        conn,
        fetch_optional as (Option<String>, Option<String>),
        "SELECT COALESCE(j.address, l.address), COALESCE(j.zip, l.zip) FROM lead l
             LEFT JOIN job j ON j.org_id = l.org_id AND j.lead_id = l.id AND j.id = $3
         WHERE l.org_id = $1 AND l.id = $2",
        org,
        lead,
        job
    )?;
    let Some((Some(address), zip)) = found else { return Ok(None) };
    let is_a_house = address.contains(|c: char| c.is_ascii_digit()) && address.contains(char::is_alphabetic);
    Ok(is_a_house.then(|| address_key(&address, zip.as_deref())))
}

/// Plans the first request for the next decent hour from `at` on.
pub(super) async fn plan(
    tx: &mut Tx,
    origin: &Origin,
    profile: &Profile,
    id: ReviewAskId,
    at: DateTime<Utc>,
    event: Option<EventId>,
) -> Result<()> {
    let org = profile.org.id;
    let Some(ask) = find(&mut *tx, org, id).await? else { return Ok(()) };
    let due_at = decent_hour(&mut *tx, profile, &ask, at).await?;
    let step = Planned { step: Step::Review(Turn::First), due_at, give_up_at: due_at + WORTH_IT };
    steps(&mut *tx, origin, org, &ask, &[step], event).await?;
    let sql = "UPDATE review_ask SET planned_at = $3 WHERE org_id = $1 AND id = $2";
    q!(&mut *tx, execute, sql, org, id, due_at)?;
    announce(tx, origin, org, &ask).await
}

/// Stores steps of its sequence.
pub(super) async fn steps(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    ask: &Ask,
    steps: &[Planned],
    event: Option<EventId>,
) -> Result<()> {
    let newest = "SELECT COALESCE(MAX(generation), 0) FROM follow_up WHERE org_id = $1 AND about_id = $2";
    let generation = q!(&mut *tx, fetch_one scalar i64, newest, org, ask.id)? + 1;
    followup::plan(tx, origin, org, ask.lead_id, About::Review, ask.id.0, generation, steps, event).await
}

/// The next hour from `at` on at which this customer may be asked, by whichever way it goes.
pub(super) async fn decent_hour(
    conn: &mut dyn AsConn,
    profile: &Profile,
    ask: &Ask,
    at: DateTime<Utc>,
) -> Result<DateTime<Utc>> {
    let to = contact_point::of_lead(&mut *conn, profile.org.id, ask.lead_id).await?;
    let zip = q!(
        conn,
        fetch_optional scalar Option<String>,
        "SELECT COALESCE(l.zip, j.zip) FROM lead l LEFT JOIN job j ON j.org_id = l.org_id AND j.id = $3
         WHERE l.org_id = $1 AND l.id = $2",
        profile.org.id,
        ask.lead_id,
        ask.job_id
    )?
    .flatten();
    let phone = to.phone;
    let phone = phone.as_deref().and_then(Phone::parse).filter(Phone::is_textable);
    let person = Person { phone: phone.as_ref(), zip: zip.as_deref(), business: profile.org.zone() };
    Ok(decent::next(person, profile.settings.reviews.hours(), at))
}

pub(super) async fn announce(tx: &mut Tx, origin: &Origin, org: OrgId, ask: &Ask) -> Result<()> {
    live::announce(tx, origin, org, Topic::ReviewAsk, ask.id.0, Some(ask.lead_id.0)).await
}

/// Ends an ask, what is planned of it, and what was worded of it and has not left. True when it was not over before.
pub(super) async fn end(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    id: ReviewAskId,
    (why, detail): (Why, Option<&str>),
    by: Option<EventId>,
) -> Result<bool> {
    followup::stop(&mut *tx, origin, org, id.0, why.clause(), by).await?;
    let ended = q!(
        &mut *tx,
        fetch_optional scalar LeadId,
        "UPDATE review_ask SET state = CASE WHEN asked_at IS NULL THEN $3 ELSE $4 END, why = $5, detail = $6, ended_by = $7
         WHERE org_id = $1 AND id = $2 AND state IN ('waiting', 'asked') RETURNING lead_id",
        org,
        id,
        why.ends_as(false),
        why.ends_as(true),
        why,
        detail,
        by
    )?;
    let Some(lead) = ended else { return Ok(false) };
    live::announce(tx, origin, org, Topic::ReviewAsk, id.0, Some(lead.0)).await?;
    Ok(true)
}

async fn end_each(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    ids: impl IntoIterator<Item = ReviewAskId>,
    why: Why,
    by: Option<EventId>,
) -> Result<()> {
    for id in ids {
        end(&mut *tx, origin, org, id, (why, None), by).await?;
    }
    Ok(())
}

/// What is under way with this customer ends.
pub(super) async fn end_for(tx: &mut Tx, origin: &Origin, org: OrgId, customer: CustomerId, why: Why) -> Result<()> {
    let ids = under_way(&mut *tx, org, customer).await?.into_iter().map(|ask| ask.id);
    end_each(tx, origin, org, ids, why, None).await
}
