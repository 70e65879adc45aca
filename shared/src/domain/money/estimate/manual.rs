//! Manual actions of the business on an open estimate: resend, withdraw, new link.

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    DeliveryChannels, DocumentSendResult, EstimateKind, EstimateStatus, announce_estimate,
    estimate_kind::EstimateEvent,
    find_lead_id,
    finish::{EstimateRecord, cancel_messages, send_to_customer, update_quoted_amount},
    org_today, send,
};
use crate::{
    conflicts::ConflictCode,
    domain::{
        intake::lead::PipelineStage,
        messaging::{followup, message},
        money::ledger,
        tenancy::{
            activity_log::{self, ActivityActor, NewEvent},
            org::OrgContext,
        },
        work::pipeline::{self, StageCause},
    },
    platform::{
        access_link,
        clock::ClockRng,
        db::{Tx, q},
        error::{Error, FieldErrors, Result},
        id::{EstimateId, EventId, OrgId},
        text,
    },
};

/// Errors: [`Error::NotFound`], or [`Error::Conflict`] with why it cannot be sent.
pub async fn resend_estimate(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    id: EstimateId,
    ways: DeliveryChannels,
    by: &ActivityActor,
) -> Result<DocumentSendResult> {
    let org = ctx.profile.org.id;
    let lead = find_lead_id(&mut *tx, org, id).await?;
    pipeline::lock_stage(tx, org, lead).await?;
    let row = EstimateRecord::get(&mut *tx, org, id).await?;
    send::check_sendable(row.kind(), row.status.status_on(org_today(ctx), row.expires_on))?;
    let file = row.file_id.ok_or_else(|| Error::Internal(format!("estimate {id} is open without its file")))?;
    // Each press is a sending of its own.
    let turn = format!("again:{}", ctx.origin.uuid_v7());
    let delivery = send_to_customer(tx, ctx, &row, (file, ways), &turn, by).await?;
    message::replace_waiting_messages(tx, ctx.origin, (org, id.0), &delivery.sent_messages()).await?;
    announce_estimate(tx, ctx.origin, org, id, lead).await?;
    Ok(delivery)
}

/// Withdraws an estimate; its link says so from now on.
/// Errors: [`Error::NotFound`], [`Error::Invalid`] without a reason, [`Error::Conflict`] when it is not open any more.
pub async fn withdraw_estimate(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    id: EstimateId,
    reason: Option<&str>,
    by: &ActivityActor,
) -> Result<()> {
    let (origin, org) = (ctx.origin, ctx.profile.org.id);
    let lead = find_lead_id(&mut *tx, org, id).await?;
    let mut fields = FieldErrors::default();
    let reason = text::multi_line("reason", reason, 1000).parse_required("Please say why", &mut fields);
    fields.into_result()?;
    pipeline::lock_stage(tx, org, lead).await?;
    let row = EstimateRecord::get(&mut *tx, org, id).await?;
    if row.status != EstimateStatus::Open {
        return Err(row
            .kind()
            .choose_by_kind(ConflictCode::EstimateNotWithdrawable, ConflictCode::ChangeOrderNotWithdrawable)
            .into());
    }
    apply_withdrawal(tx, origin, org, id, Withdrawal { reason: &reason, with: None, by }).await?;
    if row.kind() == EstimateKind::Estimate {
        update_quoted_amount(tx, org, lead).await?;
        if ledger::load_quoted_amount(&mut *tx, org, lead).await?.is_none() {
            let cause = StageCause::EstimateWithdrawn;
            pipeline::advance_stage(tx, origin, org, lead, PipelineStage::New, cause, by, Some(&reason)).await?;
        }
    }
    Ok(())
}

pub(super) struct Withdrawal<'a> {
    pub reason: &'a str,
    /// Event that withdrew it together with something else.
    pub with: Option<EventId>,
    pub by: &'a ActivityActor,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct WithdrawnDetail {
    number: String,
    reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub with: Option<EventId>,
}

/// Withdraws the row and stops its follow-ups and unsent messages. The caller holds the lock of the lead and has
/// checked that it may be withdrawn.
pub(super) async fn apply_withdrawal(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    id: EstimateId,
    taken: Withdrawal<'_>,
) -> Result<EventId> {
    let row = EstimateRecord::get(&mut *tx, org, id).await?;
    q!(
        &mut *tx,
        execute,
        "UPDATE estimate SET status = 'withdrawn', settled_at = $3 WHERE org_id = $1 AND id = $2",
        org,
        id,
        origin.now()
    )?;
    let detail =
        WithdrawnDetail { number: row.content.number.clone(), reason: taken.reason.to_owned(), with: taken.with };
    let event = NewEvent {
        job: row.job,
        subject: Some(id.0),
        detail: json!(detail),
        ..NewEvent::new(row.lead, row.kind().event_kind(EstimateEvent::Withdrawn), origin.now(), taken.by.clone())
    };
    let event = activity_log::record_event(tx, origin, org, event).await?;
    let why = row.kind().choose_by_kind("the estimate was withdrawn", "the change order was withdrawn");
    followup::cancel_plans(tx, origin, org, id.0, why, Some(event)).await?;
    access_link::schedule_expiry(tx, origin, org, access_link::LinkKind::Estimate, id.0).await?;
    cancel_messages(tx, origin, org, id, why).await?;
    announce_estimate(tx, origin, org, id, row.lead).await?;
    Ok(event)
}

/// Replaces the link that was given out.
/// Errors: [`Error::NotFound`] when the org has no such estimate.
pub async fn rotate_link(tx: &mut Tx, origin: &ClockRng, org: OrgId, id: EstimateId) -> Result<()> {
    let lead = find_lead_id(&mut *tx, org, id).await?;
    access_link::rotate_link(tx, origin, org, access_link::LinkKind::Estimate, id.0, None).await?;
    announce_estimate(tx, origin, org, id, lead).await
}
