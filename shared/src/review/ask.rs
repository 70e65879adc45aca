//! Asks: the row of each job that was done, made with it, and ended by whatever speaks against it in that thing's own
//! transaction.
//!
//! Rows are held in this order: the steps of a sequence, its messages, the ask.

use chrono::{DateTime, Duration, Utc};
use sqlx::FromRow;

use super::{
    rule::{Cause, State, Turn, WORTH_IT, Why},
    sequence,
};
use crate::{
    clock::Origin,
    customer::property::address_key,
    db::{
        AsConn, Tx,
        batch::{Insert, insert_all, values},
        q, qb,
    },
    error::Result,
    follow::{self, About, Planned, Step},
    id::{AccountId, CustomerId, EventId, JobId, LeadId, OrgId, ReviewAskId},
    job::Job,
    link,
    live::{self, Topic},
    org::{self, Profile, settings::AskWhen},
    phone::Phone,
    quiet::decent::{self, Person},
    work::UNDO,
};

/// Nobody is asked while the tap on Done can still be taken back.
const AFTER_UNDO: Duration = Duration::seconds(1);

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
    pub channel: Option<crate::message::Channel>,
    pub no_text_why: Option<String>,
    pub household: Option<String>,
    pub created_at: DateTime<Utc>,
}

const COLUMNS: &str = "SELECT id, customer_id, lead_id, job_id, cause, state, is_override, begun_at, asked_at, channel,
    no_text_why, household, created_at FROM review_ask WHERE org_id = ";

pub(super) async fn find(conn: &mut impl AsConn, org: OrgId, id: ReviewAskId) -> Result<Option<Ask>> {
    Ok(qb!(conn, fetch_optional as Ask, |b| {
        b.push(COLUMNS).push_bind(org).push(" AND id = ").push_bind(id);
    })?)
}

/// Those of a customer that are under way, the oldest first.
pub(super) async fn under_way(conn: &mut impl AsConn, org: OrgId, customer: CustomerId) -> Result<Vec<Ask>> {
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

/// A job is done: its customer is asked a while later, or once it is paid.
pub(crate) async fn job_done(tx: &mut Tx, origin: &Origin, profile: &Profile, job: &Job, event: EventId) -> Result<()> {
    let org = profile.org.id;
    let waits = profile.settings.reviews.ask_when == AskWhen::Paid && !is_paid(&mut *tx, org, job.lead_id).await?;
    let cause =
        if profile.settings.reviews.ask_when == AskWhen::Paid { Cause::InvoicePaid } else { Cause::JobCompleted };
    let new = New {
        customer: job.customer_id,
        lead: job.lead_id,
        job: Some(job.id),
        cause,
        event: Some(event),
        by: None,
        is_override: false,
    };
    let id = insert(&mut *tx, origin, org, &new).await?;
    if waits {
        return Ok(());
    }
    let done_at = job.completed_at.unwrap_or(origin.now());
    plan(tx, origin, profile, id, after(origin, profile, done_at), Some(event)).await
}

/// So long after something happened, and never while it can be taken back.
fn after(origin: &Origin, profile: &Profile, happened: DateTime<Utc>) -> DateTime<Utc> {
    let delay = Duration::minutes(profile.settings.reviews.delay_minutes);
    (happened + delay).max(origin.now() + UNDO + AFTER_UNDO)
}

pub(super) async fn is_paid(conn: &mut impl AsConn, org: OrgId, lead: LeadId) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM lead WHERE org_id = $1 AND id = $2 AND stage = 'paid')";
    Ok(q!(conn, fetch_one scalar bool, sql, org, lead)?)
}

/// A lead has been paid: who waited for that is asked a while later. So is, where that is what the business wished, who
/// had no job here at all.
///
/// Should the payment be taken back, its request finds that out when its time comes, and waits for the next one.
pub(crate) async fn paid(tx: &mut Tx, origin: &Origin, org: OrgId, lead: LeadId) -> Result<()> {
    let waiting = q!(
        &mut *tx,
        fetch_all scalar ReviewAskId,
        "SELECT id FROM review_ask WHERE org_id = $1 AND lead_id = $2 AND state = 'waiting' AND planned_at IS NULL
         ORDER BY created_at, id",
        org,
        lead
    )?;
    let Some(business) = org::find(&mut *tx, org).await? else { return Ok(()) };
    let profile = org::profile(&mut *tx, business).await?;
    let at = after(origin, &profile, origin.now());
    for id in &waiting {
        plan(&mut *tx, origin, &profile, *id, at, None).await?;
    }
    if !waiting.is_empty() || profile.settings.reviews.ask_when != AskWhen::Paid {
        return Ok(());
    }
    let Some(customer) = without_job(&mut *tx, org, lead).await? else { return Ok(()) };
    let cause = Cause::InvoicePaid;
    let new = New { customer, lead, job: None, cause, event: None, by: None, is_override: false };
    let id = insert(&mut *tx, origin, org, &new).await?;
    plan(tx, origin, &profile, id, at, None).await
}

/// The customer of a lead that has no job and was not asked about.
async fn without_job(conn: &mut impl AsConn, org: OrgId, lead: LeadId) -> Result<Option<CustomerId>> {
    Ok(q!(
        conn,
        fetch_optional scalar CustomerId,
        "SELECT l.customer_id FROM lead l WHERE l.org_id = $1 AND l.id = $2
             AND NOT EXISTS (SELECT 1 FROM job j WHERE j.org_id = l.org_id AND j.lead_id = l.id)
             AND NOT EXISTS (SELECT 1 FROM review_ask a WHERE a.org_id = l.org_id AND a.lead_id = l.id)",
        org,
        lead
    )?)
}

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
    link::ensure(tx, origin, org, link::Kind::Review, id.0, None).await?;
    Ok(id)
}

/// The address of the work, if it says more than a town: one household has one.
async fn household(conn: &mut impl AsConn, org: OrgId, lead: LeadId, job: Option<JobId>) -> Result<Option<String>> {
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
    follow::plan(tx, origin, org, ask.lead_id, About::Review, ask.id.0, generation, steps, event).await
}

/// The next hour from `at` on at which this customer may be asked, by whichever way it goes.
pub(super) async fn decent_hour(
    conn: &mut impl AsConn,
    profile: &Profile,
    ask: &Ask,
    at: DateTime<Utc>,
) -> Result<DateTime<Utc>> {
    let found = q!(
        conn,
        fetch_optional as (Option<String>, Option<String>),
        "SELECT COALESCE(c.phone_e164, l.phone_e164), COALESCE(l.zip, j.zip) FROM lead l
         JOIN customer c ON c.org_id = l.org_id AND c.id = l.customer_id
         LEFT JOIN job j ON j.org_id = l.org_id AND j.id = $3
         WHERE l.org_id = $1 AND l.id = $2",
        profile.org.id,
        ask.lead_id,
        ask.job_id
    )?;
    let (phone, zip) = found.unwrap_or_default();
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
    follow::stop(&mut *tx, origin, org, id.0, why.clause(), by).await?;
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

/// The job is open again, or never was done.
pub(crate) async fn job_reverted(tx: &mut Tx, origin: &Origin, org: OrgId, job: JobId, by: EventId) -> Result<()> {
    let sql = "SELECT id FROM review_ask WHERE org_id = $1 AND job_id = $2 AND state IN ('waiting', 'asked')";
    let ids = q!(&mut *tx, fetch_all scalar ReviewAskId, sql, org, job)?;
    end_each(tx, origin, org, ids, Why::Reverted, Some(by)).await
}

/// A change was taken back: the ask that it made ends, and those that it ended go on.
pub(crate) async fn undone(tx: &mut Tx, origin: &Origin, org: OrgId, event: EventId) -> Result<()> {
    let sql = "SELECT id FROM review_ask WHERE org_id = $1 AND event_id = $2 AND state IN ('waiting', 'asked')";
    let made = q!(&mut *tx, fetch_all scalar ReviewAskId, sql, org, event)?;
    end_each(&mut *tx, origin, org, made, Why::Reverted, None).await?;
    let again = q!(
        &mut *tx,
        fetch_all as (ReviewAskId, LeadId),
        "UPDATE review_ask SET state = CASE WHEN asked_at IS NULL THEN 'waiting' ELSE 'asked' END, why = NULL,
             detail = NULL, ended_by = NULL
         WHERE org_id = $1 AND ended_by = $2 AND state IN ('not_asked', 'stopped') RETURNING id, lead_id",
        org,
        event
    )?;
    for (id, lead) in again {
        live::announce(&mut *tx, origin, org, Topic::ReviewAsk, id.0, Some(lead.0)).await?;
    }
    Ok(())
}

/// Somebody asked not to be texted at this number: nobody asks them for a review by any way.
pub(crate) async fn number_opted_out(tx: &mut Tx, origin: &Origin, org: OrgId, number: &str) -> Result<()> {
    let sql = "SELECT customer_id FROM customer_key WHERE org_id = $1 AND kind = 'phone' AND value = $2";
    match q!(&mut *tx, fetch_optional scalar CustomerId, sql, org, number)? {
        Some(customer) => end_for(tx, origin, org, customer, Why::OptedOut).await,
        None => Ok(()),
    }
}

/// They wrote to us after they were asked: people are talking.
pub(crate) async fn replied(tx: &mut Tx, origin: &Origin, org: OrgId, customer: CustomerId) -> Result<()> {
    let asked = under_way(&mut *tx, org, customer).await?.into_iter().filter(|ask| ask.asked_at.is_some());
    let ids: Vec<ReviewAskId> = asked.map(|ask| ask.id).collect();
    end_each(tx, origin, org, ids, Why::Replied, None).await
}

/// What is known of a customer changed: what speaks against asking them ends what is under way.
pub(crate) async fn person_changed(tx: &mut Tx, origin: &Origin, org: OrgId, customer: CustomerId) -> Result<()> {
    let person = sequence::person(&mut *tx, org, customer).await?;
    match person.why_never() {
        Some(why) => end_for(tx, origin, org, customer, why).await,
        None => Ok(()),
    }
}

/// Two records became one: of two sequences the one that has come further goes on.
pub(crate) async fn merged(tx: &mut Tx, origin: &Origin, org: OrgId, kept: CustomerId) -> Result<()> {
    let mut both = under_way(&mut *tx, org, kept).await?;
    both.sort_by_key(|ask| (ask.asked_at.is_none(), ask.asked_at, ask.created_at));
    let rest: Vec<ReviewAskId> = both.into_iter().skip(1).map(|ask| ask.id).collect();
    end_each(&mut *tx, origin, org, rest, Why::Merged, None).await?;
    person_changed(tx, origin, org, kept).await
}

/// The same, of whoever a lead belongs to: an invoice of theirs is disputed.
pub(crate) async fn lead_changed(tx: &mut Tx, origin: &Origin, org: OrgId, lead: LeadId) -> Result<()> {
    let sql = "SELECT customer_id FROM lead WHERE org_id = $1 AND id = $2";
    match q!(&mut *tx, fetch_optional scalar CustomerId, sql, org, lead)? {
        Some(customer) => person_changed(tx, origin, org, customer).await,
        None => Ok(()),
    }
}
