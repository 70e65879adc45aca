//! What a person decides about one message: it goes again, or it does not go.

use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{
    Kind, MessageView, Status, get,
    outlook::{self, Fate, Outlook},
    paper,
    send::{self, Outgoing},
    send_policy::{SetUp, Verdict},
    settled, sms_link, wakeup,
};
use crate::{
    documents::{date_format, template::Language},
    domain::{
        growth::review,
        money::{estimate, invoice},
        tenancy::org,
        work::job,
    },
    platform::{
        business_hours::Open,
        clock::Origin,
        db::{AsConn, Tx, q},
        error::{Error, Result},
        id::{MessageId, OrgId},
        tasks,
    },
};

/// Whether a message may go once more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AgainMay {
    /// It goes.
    Go,
    /// What it is about has changed: a person may send it all the same.
    GoAnyway,
    /// A rule stops it, and nobody overrides it.
    No,
}

/// What sending a message again would do now.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SendAgain)]
pub struct Again {
    pub may: AgainMay,
    /// A clause: "this estimate was approved on May 3". None when it goes as it is.
    pub reason: Option<String>,
    /// What becomes of it once it is queued.
    pub outlook: Option<Outlook>,
}

impl Again {
    fn no(reason: String) -> Self {
        Self { may: AgainMay::No, reason: Some(reason), outlook: None }
    }
}

/// What has changed since it was worded, and whether a person may send it all the same.
struct Changed {
    why: String,
    may_override: bool,
}

impl Changed {
    fn new(why: impl Into<String>, may_override: bool) -> Self {
        Self { why: why.into(), may_override }
    }
}

#[derive(FromRow)]
struct Offer {
    status: estimate::Status,
    settled_at: Option<DateTime<Utc>>,
    expires_on: Option<NaiveDate>,
    job_done_at: Option<DateTime<Utc>>,
}

#[derive(FromRow)]
struct Visit {
    status: job::Status,
    starts_at: Option<DateTime<Utc>>,
    on_my_way_at: Option<DateTime<Utc>>,
    is_replaced: bool,
}

/// Asks the rules again, by what is known now: what it is about, the gate, the hours. Changes nothing.
///
/// # Errors
/// [`Error::NotFound`], or [`Error::Conflict`] when it is not one that may be repeated.
pub async fn look_again(
    conn: &mut dyn AsConn,
    origin: &Origin,
    set_up: SetUp,
    org: OrgId,
    id: MessageId,
) -> Result<Again> {
    let found = send::load(&mut *conn, origin, id).await?.filter(|message| message.org_id == org);
    let mut message = found.ok_or(Error::NotFound)?;
    if !message.status.is_retryable() {
        return Err(not_again(conn, origin.now(), org, id).await?);
    }
    if message.status == Status::Filed && !set_up.email {
        return Ok(Again::no("email is not set up".to_owned()));
    }
    // What has ended may be overridden by a person, as far as `changed` says so; no gate stops it then.
    let ended = message.ended.take();
    if let Some(why) = ended.filter(|_| message.kind == Kind::AutoReply) {
        return Ok(Again::no(why));
    }
    let now = origin.now();
    let deadline = now + message.kind.worth_sending_for(message.channel);
    let outlook = match outlook::ask(&mut *conn, &message, set_up, deadline, now).await? {
        Verdict::No(why) => return Ok(Again::no(why)),
        verdict => outlook::again(&mut *conn, &message, verdict, set_up, now).await?,
    };
    if outlook.state == Fate::NotSent {
        return Ok(Again::no(outlook.text));
    }
    Ok(match changed(conn, &message, now).await? {
        None => Again { may: AgainMay::Go, reason: None, outlook: Some(outlook) },
        Some(Changed { why, may_override: true }) => {
            Again { may: AgainMay::GoAnyway, reason: Some(why), outlook: Some(outlook) }
        }
        Some(Changed { why, .. }) => Again::no(why),
    })
}

/// Why a message is not one that may be repeated. What is held goes by itself.
async fn not_again(conn: &mut dyn AsConn, now: DateTime<Utc>, org: OrgId, id: MessageId) -> Result<Error> {
    let message = get(&mut *conn, org, id).await?;
    let Some(until) = message.held_until else {
        return Ok(Error::Conflict("This message has already been sent or is on its way."));
    };
    let org = org::find(conn, org).await?.ok_or(Error::NotFound)?;
    let when = outlook::shown(until, org.zone(), now);
    let why = message.status_text.strip_prefix("held: ").unwrap_or(&message.status_text);
    Ok(Error::Clash(format!("This message is held until {when}: {why}. It is tried again by itself then.")))
}

/// What stands against it by what it is about.
async fn changed(conn: &mut dyn AsConn, message: &Outgoing, now: DateTime<Utc>) -> Result<Option<Changed>> {
    let told = match (message.kind, message.about_id) {
        (Kind::Estimate | Kind::EstimateFollowUp | Kind::ChangeOrder | Kind::ChangeOrderFollowUp, Some(about)) => {
            of_offer(&mut *conn, message, about, now).await?
        }
        (Kind::Invoice | Kind::Dunning, Some(about)) => of_invoice(&mut *conn, message, about).await?,
        (Kind::Visit | Kind::OnTheWay, Some(about)) => of_visit(&mut *conn, message, about, now).await?,
        (Kind::Receipt, Some(about)) => of_payment(&mut *conn, message, about).await?,
        (kind, None) if kind.may_promise() => of_hours(&mut *conn, message, now).await?,
        _ => None,
    };
    if told.is_none() && is_sent_anew(&mut *conn, message).await? {
        return Ok(Some(Changed::new(paper::SENT_AGAIN, false)));
    }
    let spoken = || message.is_in_a_persons_hands().then(|| Changed::new("you have written to them since", true));
    match told.or_else(spoken) {
        Some(changed) => Ok(Some(changed)),
        None => dropped(conn, message).await,
    }
}

/// Why the program or a person had dropped what a rule wrote: nothing says that the reason is gone, so a person decides.
/// What another took the place of does not go beside it.
async fn dropped(conn: &mut dyn AsConn, message: &Outgoing) -> Result<Option<Changed>> {
    if message.status != Status::NotSent || !message.kind.is_for_customers() {
        return Ok(None);
    }
    let sql = "SELECT reason FROM message WHERE org_id = $1 AND id = $2";
    let reason = q!(conn, fetch_optional scalar Option<String>, sql, message.org_id, message.id)?.flatten();
    Ok(match reason {
        Some(why) if paper::REPLACED.contains(&why.as_str()) => Some(Changed::new(why, false)),
        // The gate has just been asked whether it can be sent at all.
        Some(why) if sms_link::is_of_the_set_up(&why) => None,
        Some(why) if message.kind.is_automatic() => Some(Changed::new(why, true)),
        _ => None,
    })
}

/// Whether the paper that it brings was sent once more by the same way since: that one stands in its place, whether it
/// has left or not.
async fn is_sent_anew(conn: &mut dyn AsConn, message: &Outgoing) -> Result<bool> {
    if !matches!(message.kind, Kind::Estimate | Kind::ChangeOrder | Kind::Invoice) {
        return Ok(false);
    }
    Ok(q!(
        conn,
        fetch_one scalar bool,
        "SELECT EXISTS (SELECT 1 FROM message o JOIN message m ON m.org_id = o.org_id AND m.lead_id = o.lead_id
             AND m.about_id = o.about_id AND m.channel = o.channel AND m.kind = o.kind
             WHERE o.org_id = $1 AND o.id = $2 AND o.dedupe_key NOT LIKE 'reminder:%' AND m.direction = 'out'
                 AND m.created_at > o.created_at AND m.status NOT IN ('failed', 'not_sent')
                 AND m.dedupe_key NOT LIKE 'reminder:%')",
        message.org_id,
        message.id
    )?)
}

/// What an answer out of hours says of the opening is true until then only.
async fn of_hours(conn: &mut dyn AsConn, message: &Outgoing, now: DateTime<Utc>) -> Result<Option<Changed>> {
    let Some(business) = org::find(&mut *conn, message.org_id).await? else { return Ok(None) };
    let profile = org::profile(conn, business).await?;
    let (hours, zone) = (&profile.settings.hours, profile.org.zone());
    let is_open = |at| hours.at(zone, at) == Open::Open;
    Ok(match (is_open(message.created_at), is_open(now)) {
        (true, _) => None,
        (false, true) => {
            Some(Changed::new("it says that you are closed, and you are open now; write a new one", false))
        }
        (false, false) if hours.next_open(zone, message.created_at) == hours.next_open(zone, now) => None,
        (false, false) => Some(Changed::new("it names an opening that is past; write a new one", false)),
    })
}

async fn of_offer(
    conn: &mut dyn AsConn,
    message: &Outgoing,
    about: Uuid,
    now: DateTime<Utc>,
) -> Result<Option<Changed>> {
    use estimate::Status::{Approved, Declined, Expired, Open, Preparing, Replaced, Superseded, Withdrawn};
    let found = q!(
        conn,
        fetch_optional as Offer,
        "SELECT e.status, e.settled_at, e.expires_on, (SELECT MAX(j.completed_at) FROM job j WHERE j.org_id = e.org_id
             AND j.lead_id = e.lead_id AND j.status = 'completed') AS job_done_at
         FROM estimate e WHERE e.org_id = $1 AND e.id = $2",
        message.org_id,
        about
    )?;
    let Some(offer) = found else { return Ok(None) };
    let is_change = matches!(message.kind, Kind::ChangeOrder | Kind::ChangeOrderFollowUp);
    let what = if is_change { "this change order" } else { "this estimate" };
    let on = |at: Option<DateTime<Utc>>| at.map_or_else(String::new, |at| format!(" on {}", day(message, at)));
    // A question whether they have questions is a rule's: it has its time, and nobody repeats it past its answer.
    let by_person = !message.kind.is_automatic();
    let today = now.with_timezone(&org::zone_named(message.zone_name())).date_naive();
    Ok(match offer.status {
        Approved => Some(Changed::new(format!("{what} was approved{}", on(offer.settled_at)), by_person)),
        Declined => Some(Changed::new(format!("{what} was declined{}", on(offer.settled_at)), by_person)),
        Replaced | Superseded => Some(Changed::new(format!("a newer version of {what} was made"), false)),
        Withdrawn => Some(Changed::new(format!("{what} was withdrawn{}", on(offer.settled_at)), false)),
        Preparing => Some(Changed::new(format!("{what} is being made right now"), false)),
        Expired => Some(Changed::new(format!("{what} has expired"), false)),
        Open if offer.expires_on.is_some_and(|last| last < today) => {
            Some(Changed::new(format!("{what} has expired"), false))
        }
        Open if !is_change && offer.job_done_at.is_some() => {
            Some(Changed::new(format!("the job was done{}", on(offer.job_done_at)), by_person))
        }
        Open => None,
    })
}

async fn of_invoice(conn: &mut dyn AsConn, message: &Outgoing, about: Uuid) -> Result<Option<Changed>> {
    use invoice::Status::{Draft, Open, Paid, Preparing, Void};
    let sql = "SELECT status, settled_at FROM invoice WHERE org_id = $1 AND id = $2";
    let found = q!(conn, fetch_optional as (invoice::Status, Option<DateTime<Utc>>), sql, message.org_id, about)?;
    let Some((status, settled_at)) = found else { return Ok(None) };
    let on = settled_at.map_or_else(String::new, |at| format!(" on {}", day(message, at)));
    Ok(match status {
        Paid => Some(Changed::new(format!("this invoice was paid{on}"), !message.kind.is_automatic())),
        Void => Some(Changed::new(format!("this invoice was voided{on}"), false)),
        Draft | Preparing => Some(Changed::new("this invoice is not issued yet", false)),
        Open => None,
    })
}

async fn of_payment(conn: &mut dyn AsConn, message: &Outgoing, about: Uuid) -> Result<Option<Changed>> {
    let sql = "SELECT p.undone_at IS NULL AND p.status = 'settled', p.amount_cents,
             (SELECT CAST(COALESCE(SUM(r.amount_cents), 0) AS BIGINT) FROM payment r
                 WHERE r.org_id = p.org_id AND r.refund_of = p.id AND r.status <> 'failed' AND r.undone_at IS NULL)
         FROM payment p WHERE p.org_id = $1 AND p.id = $2";
    let found = q!(conn, fetch_optional as (bool, i64, i64), sql, message.org_id, about)?;
    Ok(match found {
        Some((true, _, 0)) => None,
        Some((true, paid, back)) if back >= paid => Some(Changed::new("this payment went back in full", false)),
        Some((true, ..)) => Some(Changed::new("a refund of this payment was recorded since", true)),
        Some((false, ..)) | None => Some(Changed::new("this payment does not count any more", false)),
    })
}

async fn of_visit(
    conn: &mut dyn AsConn,
    message: &Outgoing,
    about: Uuid,
    now: DateTime<Utc>,
) -> Result<Option<Changed>> {
    let found = q!(
        conn,
        fetch_optional as Visit,
        "SELECT j.status, j.starts_at, j.on_my_way_at, EXISTS (SELECT 1 FROM message m WHERE m.org_id = j.org_id
             AND m.about_id = j.id AND m.kind = $3 AND m.direction = 'out' AND m.created_at > $4) AS is_replaced
         FROM job j WHERE j.org_id = $1 AND j.id = $2",
        message.org_id,
        about,
        message.kind,
        message.created_at
    )?;
    let Some(visit) = found else { return Ok(None) };
    let is_late =
        message.kind == Kind::OnTheWay && now > message.created_at + message.kind.worth_sending_for(message.channel);
    Ok(match (visit.status, visit.starts_at) {
        (job::Status::Cancelled, _) => Some(Changed::new("the job was cancelled", false)),
        (job::Status::Completed, _) => Some(Changed::new("the work is done", false)),
        (_, None) => Some(Changed::new("the job was taken off the schedule", false)),
        (job::Status::InProgress, _) if message.kind == Kind::Visit => Some(Changed::new("the work has begun", false)),
        _ if message.kind == Kind::Visit && visit.on_my_way_at.is_some() => {
            Some(Changed::new("the crew is on its way", false))
        }
        _ if is_late => Some(Changed::new("it says what was true half an hour ago", false)),
        _ if visit.is_replaced => Some(Changed::new("a newer message about this visit was written", false)),
        (_, Some(at)) if message.kind == Kind::Visit && at < now => {
            Some(Changed::new(format!("the visit was on {}", day(message, at)), false))
        }
        _ => None,
    })
}

/// "May 3", in the zone of the business.
fn day(message: &Outgoing, at: DateTime<Utc>) -> String {
    date_format::spoken(at.with_timezone(&org::zone_named(message.zone_name())).date_naive(), Language::En)
}

/// Sends a message again because a person says so: the only way out of `unknown` that may repeat a text.
///
/// # Errors
/// [`Error::NotFound`], or [`Error::Conflict`] when it is not one that may be repeated.
pub async fn retry(tx: &mut Tx, origin: &Origin, org: OrgId, id: MessageId) -> Result<MessageView> {
    let before = get(&mut *tx, org, id).await?;
    let now = origin.now();
    let changed = q!(
        &mut *tx,
        execute,
        "UPDATE message SET status = 'queued', reason = NULL, fence = fence + 1, next_attempt_at = $3, deadline_at = $4,
             sent_at = NULL, delivered_at = NULL, resent_at = $3
         WHERE org_id = $1 AND id = $2 AND status IN ('failed', 'unknown', 'not_sent', 'filed')",
        org,
        id,
        now,
        now + before.kind.worth_sending_for(before.channel)
    )?;
    if changed == 0 {
        return Err(not_again(tx, now, org, id).await?);
    }
    // What it promised it promises when it arrives: an hour from then, not from when it was lost.
    q!(&mut *tx, execute, "DELETE FROM promise WHERE org_id = $1 AND message_id = $2", org, id)?;
    tasks::enqueue(tx, origin, vec![wakeup(org, id, before.channel, now, &format!("person:{}", origin.uuid()))])
        .await?;
    settled(tx, origin, org, before.lead_id, id).await?;
    get(tx, org, id).await
}

/// Takes back a message that has not left yet, because there is nothing to say any more. `why` is a clause: "a newer
/// version was made". Nobody is named: the program dropped it.
///
/// # Errors
/// [`Error::NotFound`], or [`Error::Conflict`] when it has left or is leaving.
pub async fn drop_unsent(tx: &mut Tx, origin: &Origin, org: OrgId, id: MessageId, why: &str) -> Result<MessageView> {
    end(tx, origin, org, id, why).await
}

/// Takes back a message that has not left yet, because a person said so.
///
/// # Errors
/// [`Error::NotFound`], or [`Error::Conflict`] when it has left or is leaving.
pub async fn cancel(tx: &mut Tx, origin: &Origin, org: OrgId, id: MessageId, who: &str) -> Result<MessageView> {
    end(tx, origin, org, id, &format!("cancelled by {who}")).await
}

async fn end(tx: &mut Tx, origin: &Origin, org: OrgId, id: MessageId, why: &str) -> Result<MessageView> {
    let before = get(&mut *tx, org, id).await?;
    let sql = "UPDATE message SET status = 'not_sent', reason = $3, fence = fence + 1
         WHERE org_id = $1 AND id = $2 AND direction = 'out' AND status IN ('queued', 'held')";
    if q!(&mut *tx, execute, sql, org, id, why)? == 0 {
        return Err(Error::Conflict("This message has already left or is leaving right now."));
    }
    settled(tx, origin, org, before.lead_id, id).await?;
    if before.kind == Kind::ReviewRequest {
        review::sequence::cancelled(&mut *tx, origin, org, id).await?;
    }
    get(tx, org, id).await
}
