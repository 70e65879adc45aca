//! Differences between the books and Stripe that a person settles, or opens again.

use axum::{Json, extract::State};
use shared::{
    domain::{
        money::{
            card_payments::CardPayments,
            reconciliation::{self, DifferenceReopening, DifferenceSettlementForm, SettlingPerson},
        },
        tenancy::{
            audit::AuditAction,
            org::{self, keys},
        },
    },
    platform::{db::Tx, id::LeadId},
};

use super::stripe_keys::card_settings_view;
use crate::{
    auth::OrgMember,
    client_info::RequestContext,
    error::ApiResult,
    extract::Json as Typed,
    openapi,
    routes::tenancy::org::{OwnOrgAccess, record_change},
    state::AppState,
};

/// Settles a difference between the books and Stripe
///
/// It is no longer shown among the differences, and not reported again unless its amount changes. 404 where the amount
/// has changed since it was read.
#[utoipa::path(post, path = "/api/org/{orgId}/stripe/differences/settle", operation_id = "settleDifference",
    tag = "settings", security(("session" = ["owner", "office"])), request_body = DifferenceSettlementForm,
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug")),
    responses((status = 200, description = "The state after it", body = CardPayments), openapi::BadRequest,
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Invalid, openapi::TooLarge,
        openapi::WrongMedia, openapi::Unavailable))]
pub async fn settle_difference(
    OwnOrgAccess(member): OwnOrgAccess,
    State(state): State<AppState>,
    who: RequestContext,
    Typed(form): Typed<DifferenceSettlementForm>,
) -> ApiResult<Json<CardPayments>> {
    let note = form.parse_note()?;
    let by = SettlingPerson { account: member.session.account_id, name: member.session.name.clone() };
    let mut tx = state.db()?.begin().await?;
    org::lock(&mut tx, member.org()).await?;
    let lead = reconciliation::settle_difference(&mut tx, &state.origin, member.org(), (&form.key, note), by).await?;
    finish_change(tx, (&state, &who, &member), AuditAction::DifferenceSettled, lead).await
}

/// Opens a settled difference again
///
/// It is shown again, and not reported again.
#[utoipa::path(post, path = "/api/org/{orgId}/stripe/differences/reopen", operation_id = "reopenDifference",
    tag = "settings", security(("session" = ["owner", "office"])), request_body = DifferenceReopening,
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug")),
    responses((status = 200, description = "The state after it", body = CardPayments), openapi::BadRequest,
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Invalid, openapi::TooLarge,
        openapi::WrongMedia, openapi::Unavailable))]
pub async fn reopen_difference(
    OwnOrgAccess(member): OwnOrgAccess,
    State(state): State<AppState>,
    who: RequestContext,
    Typed(form): Typed<DifferenceReopening>,
) -> ApiResult<Json<CardPayments>> {
    let mut tx = state.db()?.begin().await?;
    org::lock(&mut tx, member.org()).await?;
    let lead = reconciliation::reopen_difference(&mut tx, &state.origin, member.org(), &form.key).await?;
    finish_change(tx, (&state, &who, &member), AuditAction::DifferenceReopened, lead).await
}

/// The audit line names the lead of the difference, or the business.
async fn finish_change(
    mut tx: Tx,
    (state, who, member): (&AppState, &RequestContext, &OrgMember),
    action: AuditAction,
    lead: Option<LeadId>,
) -> ApiResult<Json<CardPayments>> {
    let subject = lead.map_or(member.org().0, |lead| lead.0);
    record_change(&mut tx, state, who, member, (action, subject)).await?;
    let keys = keys::load_stripe_keys(&mut tx, &state.settings.secret, member.org()).await?;
    let cards = card_settings_view(state, &mut tx, member.org(), keys.as_ref()).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(Json(cards))
}
