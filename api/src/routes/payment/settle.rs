//! A refund in doubt of which Stripe cannot be asked any more: the business says how it ended.

use axum::{extract::State, http::HeaderMap};
use serde_json::Value;
use shared::{
    domain::{
        money::{
            checkout,
            ledger::{self, Outcome, SettleForm, card},
        },
        tenancy::{
            audit::{self, Action},
            org::keys,
        },
        work::activity::Doer,
    },
    platform::{error::Error, id::PaymentId},
};
use utoipa::ToSchema;

use super::{Refunded, money};
use crate::{
    auth::{OrgMember, OrgOffice},
    client_info::Who,
    error::ApiResult,
    extract::{Id, Json},
    idempotency::Once,
    openapi::{self, fields},
    routes::org::profile_of,
    state::AppState,
};

/// Said while Stripe can be asked, of the account in force.
const ASKS: &str = "We ask Stripe about this refund by ourselves, and its answer is shown here. Nothing was changed.";

/// How a refund in doubt ended.
#[derive(ToSchema)]
#[schema(as = SettleRefundRequest, rename_all = "camelCase")]
#[expect(dead_code, reason = "only described; `SettleForm` is what is read")]
pub struct SettleDoc {
    /// What Stripe shows.
    outcome: Outcome,
    /// For the timeline.
    #[schema(schema_with = fields::lines_or_null::<500>)]
    note: Option<String>,
}

/// Says how a refund in doubt ended
///
/// Only where Stripe cannot be asked any more: its keys were removed or are refused, or the payment is in another account. Otherwise 409. With an `Idempotency-Key` a repeated request records nothing twice.
#[utoipa::path(post, path = "/api/refunds/{id}/settle", operation_id = "settleRefund", tag = "money",
    security(("session" = ["owner", "office"])), request_body = SettleDoc,
    params(("id" = Uuid, Path, description = "The refund"),
        ("Idempotency-Key" = Option<String>, Header, pattern = r"^[\t ]*[!-~]([\t -~]{0,253}[!-~])?[\t ]*$",
            description = "The same key and content get the first answer again, the same key and other content a 422")),
    responses((status = 200, description = "The refund, and the money of the lead after it", body = Refunded),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn settle_refund(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: Who,
    Id(id): Id,
    headers: HeaderMap,
    Json(form): Json<SettleForm>,
) -> ApiResult<axum::Json<Value>> {
    let (org, refund) = (member.org(), PaymentId(id));
    let once = Once::new("settle_refund", &headers, &format!("{id} {form:?}"))?;
    let mut tx = state.db()?.begin().await?;
    if let Some(answer) = once.earlier(&mut tx, &state, org).await? {
        return Ok(axum::Json(answer));
    }
    drop(tx);
    let new = form.check()?;
    refuse_while_stripe_can_be_asked(&state, &member, refund).await?;
    let mut tx = state.db()?.begin().await?;
    if let Some(answer) = once.earlier(&mut tx, &state, org).await? {
        return Ok(axum::Json(answer));
    }
    let by = Doer::of(&member.session);
    let payment = ledger::settle_refund(&mut tx, &state.origin, org, refund, &new, &by).await?;
    let action = match new.outcome {
        Outcome::Refunded => Action::RefundMarkedMade,
        Outcome::NotRefunded => Action::RefundMarkedNotMade,
    };
    audit::record(&mut tx, &state.origin, &who.actor(&member), org, action, Some(id)).await?;
    let profile = profile_of(&mut tx, &member).await?;
    let money = money(&mut tx, &state, &profile, payment.lead_id).await?;
    let answer = once.keep(&mut tx, org, &Refunded { money, payment }).await?;
    tx.commit().await?;
    state.wake();
    Ok(axum::Json(answer))
}

/// Asks Stripe for its list of refunds, with no transaction open. Where it can be asked, it is asked at once how this one
/// ended. What is no refund on its way or in doubt is refused later.
async fn refuse_while_stripe_can_be_asked(state: &AppState, member: &OrgMember, id: PaymentId) -> ApiResult<()> {
    let org = member.org();
    let mut conn = state.db()?.read().await?;
    let Some(refund) = card::waiting(&mut conn, org, id).await? else { return Ok(()) };
    let keys = keys::stripe_of(&mut conn, &state.settings.secret, org, refund.account.as_deref()).await?;
    let until = checkout::refund_asked_until(&mut conn, &state.settings.secret, &refund).await?;
    let zone = profile_of(&mut conn, member).await?.org.zone();
    drop(conn);
    let Some(keys) = keys else { return Ok(()) };
    if !checkout::can_be_asked(&state.stripe.refunds(&keys, &refund.payment).await) {
        return Ok(());
    }
    let mut tx = state.db()?.begin().await?;
    let now = state.origin.now();
    checkout::refund_look(&mut tx, &state.origin, (org, id), now, "asked").await?;
    tx.commit().await?;
    state.wake();
    let Some(until) = until else { return Err(Error::Conflict(ASKS).into()) };
    // The account was left, and its keys are kept for a while.
    let until = until.with_timezone(&zone).format("%a %-I:%M %p");
    let said = format!(
        "We ask Stripe about this refund by ourselves until {until}; then you can mark it. Nothing was changed."
    );
    Err(Error::Clash(said).into())
}
