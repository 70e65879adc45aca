//! What may happen to an open estimate by the hand of the business: it is sent again, taken back, or gets a new address.

use serde_json::json;

use super::{
    Delivery, Sort, Status, Ways, announce,
    estimate_kind::Happened,
    finish::{Row, hand_over, note_quoted, stop_messages},
    lead_of, send, today,
};
use crate::{
    domain::{
        intake::lead::{Intake, Stage},
        messaging::{followup, message},
        money::ledger,
        work::{
            activity::{self, Doer, NewEvent},
            pipeline::{self, Cause},
        },
    },
    platform::{
        access_link,
        clock::Origin,
        db::{Tx, q},
        error::{Error, FieldErrors, Result},
        id::{EstimateId, EventId, OrgId},
        text,
    },
};

/// Sends an open estimate again.
///
/// # Errors
/// [`Error::NotFound`], or [`Error::Conflict`] with why it cannot be sent.
pub async fn send_again(tx: &mut Tx, house: &Intake<'_>, id: EstimateId, ways: Ways, by: &Doer) -> Result<Delivery> {
    let org = house.profile.org.id;
    let lead = lead_of(&mut *tx, org, id).await?;
    pipeline::hold(tx, org, lead).await?;
    let row = Row::get(&mut *tx, org, id).await?;
    send::may_be_sent(row.sort(), row.status.on(today(house), row.expires_on))?;
    let file = row.file_id.ok_or_else(|| Error::Internal(format!("estimate {id} is open without its file")))?;
    // Each press is a cause of its own.
    let turn = format!("again:{}", house.origin.uuid());
    let delivery = hand_over(tx, house, &row, (file, ways), &turn, by).await?;
    message::paper::replace(tx, house.origin, (org, id.0), &delivery.messages()).await?;
    announce(tx, house.origin, org, id, lead).await?;
    Ok(delivery)
}

/// Takes an estimate back: its address says so from now on.
///
/// # Errors
/// [`Error::NotFound`], [`Error::Invalid`] without a reason, [`Error::Conflict`] when it is not open any more.
pub async fn withdraw(tx: &mut Tx, house: &Intake<'_>, id: EstimateId, reason: Option<&str>, by: &Doer) -> Result<()> {
    let (origin, org) = (house.origin, house.profile.org.id);
    let lead = lead_of(&mut *tx, org, id).await?;
    let mut fields = FieldErrors::default();
    let reason = text::lines("reason", reason, 1000).required("Please say why", &mut fields);
    fields.finish()?;
    pipeline::hold(tx, org, lead).await?;
    let row = Row::get(&mut *tx, org, id).await?;
    if row.status != Status::Open {
        return Err(Error::Conflict(row.sort().say(
            "Only an estimate that is open can be withdrawn.",
            "Only a change order that is open can be withdrawn.",
        )));
    }
    take_back(tx, origin, org, id, Taken { reason: &reason, with: None, by }).await?;
    if row.sort() == Sort::Estimate {
        note_quoted(tx, org, lead).await?;
        if ledger::quoted(&mut *tx, org, lead).await?.is_none() {
            let cause = Cause::EstimateWithdrawn;
            pipeline::advance(tx, origin, org, lead, Stage::New, cause, by, Some(&reason)).await?;
        }
    }
    Ok(())
}

/// How an estimate comes to be taken back.
pub(super) struct Taken<'a> {
    pub reason: &'a str,
    /// The event that took it back together with something else.
    pub with: Option<EventId>,
    pub by: &'a Doer,
}

/// The row, what is planned about it, and what was still to leave. The caller holds the lead and has asked whether it
/// may be.
pub(super) async fn take_back(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    id: EstimateId,
    taken: Taken<'_>,
) -> Result<EventId> {
    let row = Row::get(&mut *tx, org, id).await?;
    q!(
        &mut *tx,
        execute,
        "UPDATE estimate SET status = 'withdrawn', settled_at = $3 WHERE org_id = $1 AND id = $2",
        org,
        id,
        origin.now()
    )?;
    let mut detail = json!({"number": row.content.number, "reason": taken.reason});
    if let Some(with) = taken.with {
        detail["with"] = json!(with);
    }
    let event = NewEvent {
        job: row.job,
        subject: Some(id.0),
        detail,
        ..NewEvent::new(row.lead, row.sort().event(Happened::Withdrawn), origin.now(), taken.by.clone())
    };
    let event = activity::record(tx, origin, org, event).await?;
    let why = row.sort().say("the estimate was withdrawn", "the change order was withdrawn");
    followup::stop(tx, origin, org, id.0, why, Some(event)).await?;
    access_link::settled(tx, origin, org, access_link::Kind::Estimate, id.0).await?;
    stop_messages(tx, origin, org, id, why).await?;
    announce(tx, origin, org, id, row.lead).await?;
    Ok(event)
}

/// A new address in place of the one that was given away.
///
/// # Errors
/// [`Error::NotFound`] when the org has no such estimate.
pub async fn new_link(tx: &mut Tx, origin: &Origin, org: OrgId, id: EstimateId) -> Result<()> {
    let lead = lead_of(&mut *tx, org, id).await?;
    access_link::rotate(tx, origin, org, access_link::Kind::Estimate, id.0, None).await?;
    announce(tx, origin, org, id, lead).await
}
