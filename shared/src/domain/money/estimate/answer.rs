//! Customer answers other than approval: viewed, asked, declined.

use serde_json::{Value, json};

use super::{
    EstimateKind, EstimateStatus, announce_estimate,
    estimate_kind::EstimateEvent,
    finish::{cancel_messages, update_quoted_amount},
    public_view::PublicEstimateRow,
};
use crate::{
    conflicts::ConflictCode,
    documents::template::Language,
    domain::{
        messaging::{
            alert::{self, NewAlert, ScheduledAlert},
            conversation::{self, CustomerQuestion},
            followup,
        },
        tenancy::{
            activity_log::{self, ActivityActor, NewEvent},
            org::OrgContext,
        },
        work::file,
    },
    platform::{
        access_link::{self, AccessLink},
        db::{Tx, q},
        error::{FieldErrors, Result},
        id::{EstimateId, EventId},
        money::Cents,
        text,
    },
};

/// The customer viewed it for longer than a link scanner does.
pub async fn record_view(tx: &mut Tx, ctx: &OrgContext<'_>, link: &AccessLink) -> Result<()> {
    let (now, org) = (ctx.origin.now(), ctx.profile.org.id);
    let id = EstimateId(link.subject_id);
    access_link::record_view(tx, now, link).await?;
    let first = "UPDATE estimate SET viewed_at = $3 WHERE org_id = $1 AND id = $2 AND viewed_at IS NULL";
    if q!(&mut *tx, execute, first, org, id, now)? == 0 {
        return Ok(());
    }
    let row = PublicEstimateRow::get(&mut *tx, ctx, id).await?;
    if let Some(file) = row.file_id {
        file::mark_viewed(&mut *tx, org, file, now).await?;
    }
    record_customer_event(tx, ctx, (id, &row), EstimateEvent::Viewed, json!({"number": row.content.number})).await?;
    if row.status == EstimateStatus::Open {
        let alert = build_alert(id, &row, alert::AlertKind::EstimateViewed, "opened", describe_estimate(&row));
        // A push notification only, no email.
        let raised = ScheduledAlert::new(ctx.profile, alert, now, true);
        alert::store_alert(tx, ctx.origin, org, &raised).await?;
    }
    announce_estimate(tx, ctx.origin, org, id, row.lead_id).await
}

/// Declines it and tells the business, with the reason if one was given. False when it was declined before: the first
/// of several concurrent answers counts.
/// Errors: `Error::NotFound`, `Error::Invalid`, `Error::Conflict` when it cannot be answered any more.
pub async fn decline_estimate(tx: &mut Tx, ctx: &OrgContext<'_>, id: EstimateId, reason: Option<&str>) -> Result<bool> {
    let (origin, org) = (ctx.origin, ctx.profile.org.id);
    let mut fields = FieldErrors::default();
    let reason = text::multi_line("reason", reason, 1000).parse_optional(&mut fields);
    fields.into_result()?;
    let row = lock_estimate(tx, ctx, id).await?;
    match row.status {
        EstimateStatus::Declined => return Ok(false),
        status => check_answerable(row.kind(), status, row.current_status(ctx))?,
    }
    q!(
        &mut *tx,
        execute,
        "UPDATE estimate SET status = 'declined', settled_at = $3, decline_reason = $4 WHERE org_id = $1 AND id = $2",
        org,
        id,
        origin.now(),
        &reason
    )?;
    let detail = json!({"number": row.content.number, "reason": reason});
    let event = record_customer_event(tx, ctx, (id, &row), EstimateEvent::Declined, detail).await?;
    let why = row.kind().choose_by_kind("the estimate was declined", "the change order was declined");
    cancel_follow_ups(tx, ctx, id, event, why).await?;
    update_quoted_amount(tx, org, row.lead_id).await?;
    let words = reason.unwrap_or_else(|| describe_estimate(&row));
    alert::raise_alert(
        tx,
        origin,
        ctx.profile,
        build_alert(id, &row, alert::AlertKind::EstimateDeclined, "declined", words),
    )
    .await?;
    announce_estimate(tx, origin, org, id, row.lead_id).await?;
    Ok(true)
}

/// The question is stored in the conversation, where it can be answered by text or email.
/// Errors: `Error::NotFound`, or `Error::Invalid` without a question.
pub async fn record_question(tx: &mut Tx, ctx: &OrgContext<'_>, id: EstimateId, question: Option<&str>) -> Result<()> {
    let (origin, org) = (ctx.origin, ctx.profile.org.id);
    let mut fields = FieldErrors::default();
    let question =
        text::multi_line("question", question, 2000).parse_required("Please write your question", &mut fields);
    fields.into_result()?;
    let row = lock_estimate(tx, ctx, id).await?;
    let content = &row.content;
    let asked = CustomerQuestion {
        lead: row.lead_id,
        customer: row.customer_id,
        name: &content.to.name,
        email: content.to.email.as_deref(),
        subject: &format!("Question about {}", content.number),
        words: &format!("{}: {question}", content.number),
    };
    let Some(message) = conversation::record_question(&mut *tx, ctx, asked).await? else { return Ok(()) };
    let detail = json!({"number": content.number});
    record_customer_event(tx, ctx, (id, &row), EstimateEvent::Asked, detail).await?;
    followup::cancel_on_conversation(tx, origin, org, row.customer_id, "they asked about it").await?;
    let words = conversation::truncate_for_alert(&question);
    let asked = build_alert(id, &row, alert::AlertKind::EstimateAsked, "asks about", words);
    // Each question gets its own alert.
    let asked = NewAlert { dedupe_key: format!("estimate:{id}:asked:{message}"), ..asked };
    alert::raise_alert(tx, origin, ctx.profile, asked).await?;
    announce_estimate(tx, origin, org, id, row.lead_id).await
}

/// Locks the lead until the end of the transaction, so that concurrent answers wait.
pub(super) async fn lock_estimate(tx: &mut Tx, ctx: &OrgContext<'_>, id: EstimateId) -> Result<PublicEstimateRow> {
    let lead = super::find_lead_id(&mut *tx, ctx.profile.org.id, id).await?;
    crate::domain::work::pipeline::lock_stage(tx, ctx.profile.org.id, lead).await?;
    PublicEstimateRow::get(tx, ctx, id).await
}

/// Errors: `Error::Conflict` with why it can be neither approved nor declined.
pub(super) fn check_answerable(sort: EstimateKind, status: EstimateStatus, current: EstimateStatus) -> Result<()> {
    use EstimateStatus::{Approved, Declined, Expired, Open, Preparing, Replaced, Superseded, Withdrawn};
    let (of_estimate, of_change) = match (status, current) {
        (Open, Open) => return Ok(()),
        (_, Expired) => (ConflictCode::EstimateExpired, ConflictCode::ChangeOrderExpired),
        (Approved, _) => (ConflictCode::EstimateApproved, ConflictCode::ChangeOrderApproved),
        (Declined, _) => (ConflictCode::EstimateDeclined, ConflictCode::ChangeOrderDeclined),
        (Replaced | Superseded, _) => (ConflictCode::EstimateReplaced, ConflictCode::ChangeOrderReplaced),
        (Withdrawn, _) => (ConflictCode::EstimateWithdrawn, ConflictCode::ChangeOrderWithdrawn),
        (Open | Preparing | Expired, _) => (ConflictCode::EstimatePreparing, ConflictCode::ChangeOrderPreparing),
    };
    Err(sort.choose_by_kind(of_estimate, of_change).into())
}

pub(super) async fn cancel_follow_ups(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    id: EstimateId,
    event: EventId,
    why: &str,
) -> Result<()> {
    let (origin, org) = (ctx.origin, ctx.profile.org.id);
    followup::cancel_plans(tx, origin, org, id.0, why, Some(event)).await?;
    access_link::schedule_expiry(tx, origin, org, access_link::LinkKind::Estimate, id.0).await?;
    cancel_messages(tx, origin, org, id, why).await
}

pub(super) async fn record_customer_event(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    (id, row): (EstimateId, &PublicEstimateRow),
    happened: EstimateEvent,
    detail: Value,
) -> Result<EventId> {
    let by = ActivityActor::Customer { name: row.content.to.name.clone() };
    let event = NewEvent {
        job: row.job_id,
        subject: Some(id.0),
        detail,
        ..NewEvent::new(row.lead_id, row.kind().event_kind(happened), ctx.origin.now(), by)
    };
    activity_log::record_event(tx, ctx.origin, ctx.profile.org.id, event).await
}

pub(super) fn describe_estimate(row: &PublicEstimateRow) -> String {
    let paper = &row.content.paper;
    describe_with_total(row, paper.compute_totals(&paper.recommended_selection()).total)
}

pub(super) fn describe_with_total(row: &PublicEstimateRow, total: Cents) -> String {
    format!("{} for {}", row.content.number, total.format_usd())
}

/// "Ann Lee approved the estimate". The alert of a change order opens the job.
pub(super) fn build_alert(
    id: EstimateId,
    row: &PublicEstimateRow,
    kind: alert::AlertKind,
    did: &str,
    words: String,
) -> NewAlert {
    let title = format!("{} {did} the {}", row.content.to.name, row.kind().display_noun(Language::En));
    let path = row.job_id.map(|job| format!("/app/jobs/{job}"));
    NewAlert { lead: Some(row.lead_id), path, ..NewAlert::new(kind, format!("estimate:{id}:{did}"), title, words) }
}
