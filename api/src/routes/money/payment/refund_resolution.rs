//! A refund in doubt that Stripe can no longer be asked about: the business states its outcome.

use axum::{extract::State, http::HeaderMap};
use serde_json::Value;
use shared::{
    conflicts::{ConflictCode, ConflictReason},
    domain::{
        money::{
            checkout,
            ledger::{self, RefundOutcome, RefundSettlementForm, card},
        },
        tenancy::{
            activity_log::ActivityActor,
            audit::{self, AuditAction},
            org::keys,
        },
    },
    platform::id::PaymentId,
    providers::payments::StripeError,
};

use super::{RecordedRefund, load_lead_money};
use crate::{
    auth::{OrgMember, OrgOffice},
    client_info::RequestContext,
    error::ApiResult,
    extract::{Json, PathId},
    idempotency::IdempotentOperation,
    openapi,
    routes::tenancy::org::load_profile,
    state::AppState,
};

/// Settles a refund in doubt
///
/// Only where Stripe cannot be asked any more: its keys were removed, or the payment is in another account. Otherwise 409,
/// also while Stripe refuses the key. With an `Idempotency-Key` a repeated request records nothing twice.
#[utoipa::path(post, path = "/api/refunds/{id}/settle", operation_id = "settleRefund", tag = "money",
    security(("session" = ["owner", "office"])), request_body = RefundSettlementForm,
    params(("id" = Uuid, Path, description = "The refund"),
        openapi::IdempotencyKey),
    responses((status = 200, description = "The refund, and the money of the lead after it", body = RecordedRefund),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn settle_refund(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
    headers: HeaderMap,
    Json(form): Json<RefundSettlementForm>,
) -> ApiResult<axum::Json<Value>> {
    let (org, refund) = (member.org(), PaymentId(id));
    let once = IdempotentOperation::new("settle_refund", &headers, &format!("{id} {form:?}"))?;
    let mut tx = state.db()?.begin().await?;
    if let Some(answer) = once.find_stored_response(&mut tx, &state, org).await? {
        return Ok(axum::Json(answer));
    }
    drop(tx);
    let new = form.to_settlement()?;
    check_stripe_unreachable(&state, &member, refund).await?;
    let mut tx = state.db()?.begin().await?;
    if let Some(answer) = once.find_stored_response(&mut tx, &state, org).await? {
        return Ok(axum::Json(answer));
    }
    let by = ActivityActor::from_session(&member.session);
    let payment = ledger::settle_refund(&mut tx, &state.origin, org, refund, &new, &by).await?;
    let of = (refund, payment.amount);
    checkout::end_open_alerts(&mut tx, &state.origin, org, of, (new.outcome.into(), false)).await?;
    let action = match new.outcome {
        RefundOutcome::Refunded => AuditAction::RefundMarkedMade,
        RefundOutcome::NotRefunded => AuditAction::RefundMarkedNotMade,
    };
    audit::record(&mut tx, &state.origin, &who.actor_for(&member), org, action, Some(id)).await?;
    let profile = load_profile(&mut tx, &member).await?;
    let money = load_lead_money(&mut tx, &state, &profile, payment.lead_id).await?;
    let answer = once.store_response(&mut tx, org, &RecordedRefund { money, payment }).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(axum::Json(answer))
}

/// Asks Stripe for its list of refunds, with no transaction open. If it answers, the outcome is looked up at once.
/// Refunds that are neither pending nor in doubt are refused later.
async fn check_stripe_unreachable(state: &AppState, member: &OrgMember, id: PaymentId) -> ApiResult<()> {
    let org = member.org();
    let mut conn = state.db()?.acquire_reader().await?;
    let Some(refund) = card::find_pending_refund(&mut conn, org, id).await? else { return Ok(()) };
    let found =
        keys::load_stripe_keys_for_account(&mut conn, &state.settings.secret, org, refund.account.as_deref()).await?;
    let until = checkout::refund_query_deadline(&mut conn, &state.settings.secret, &refund).await?;
    let zone = load_profile(&mut conn, member).await?.org.zone();
    drop(conn);
    let Some(found) = keys::choose_keys(&state.stripe, found).await else { return Ok(()) };
    let (keys, until) = (&found.keys, until.filter(|_| found.is_former));
    // From then on the keys are deleted.
    if until.is_some_and(|until| until <= state.origin.now()) {
        return Ok(());
    }
    let listed = state.stripe.list_refunds(keys, &refund.payment).await;
    if !checkout::can_query_provider(&listed, found.is_former) {
        return Ok(());
    }
    // A connected account is asked with the key of the install.
    if matches!(listed, Err(StripeError::Key(_))) && keys.connected.is_none() {
        return Err(ConflictCode::StripeKeyRefused.into());
    }
    let mut tx = state.db()?.begin().await?;
    let now = state.origin.now();
    checkout::enqueue_refund_check(&mut tx, &state.origin, (org, id), now, "asked").await?;
    tx.commit().await?;
    state.notify_committed();
    let Some(until) = until else { return Err(ConflictCode::StripeAskedAboutRefund.into()) };
    // The account was replaced, and its keys are kept for a while.
    Err(ConflictReason::stripe_asked_until(until, zone).into())
}
