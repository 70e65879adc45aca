//! Contact data that a form gave for a known customer: accept, dismiss, undo.

use axum::extract::State;
use shared::{
    domain::{intake::contact_point::proposal, tenancy::audit::AuditAction},
    platform::id::ContactProposalId,
    views::customer::page::CustomerDetail,
};

use super::{load_customer_view, record_change};
use crate::{
    auth::OrgOffice, client_info::RequestContext, error::ApiResult, extract::PathId, openapi, state::AppState,
};

/// Uses a phone or email that a form named for a customer
///
/// From now on messages to them go there. One that another record has is refused: if they are one person, merge the two.
#[utoipa::path(post, path = "/api/contact-proposals/{id}/use", operation_id = "useContactProposal", tag = "customers",
    security(("session" = ["owner", "office"])),
    params(("id" = Uuid, Path, description = "The proposal")),
    responses((status = 200, description = "The customer as they are now", body = CustomerDetail),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::Invalid,
        openapi::Unavailable))]
pub async fn use_contact_proposal(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
) -> ApiResult<axum::Json<CustomerDetail>> {
    let mut tx = state.db()?.begin().await?;
    let (id, by) = (ContactProposalId(id), member.session.account_id);
    let customer = proposal::decision::accept_proposal(&mut tx, &state.origin, member.org(), id, by).await?;
    record_change(&mut tx, &state, &who, &member, (AuditAction::CustomerChanged, customer.0)).await?;
    let customer = load_customer_view(&mut tx, &state, &member, customer).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(customer)
}

/// Dismisses a phone or email that a form named for a customer
///
/// The same one is not proposed for them again.
#[utoipa::path(post, path = "/api/contact-proposals/{id}/dismiss", operation_id = "dismissContactProposal",
    tag = "customers", security(("session" = ["owner", "office"])),
    params(("id" = Uuid, Path, description = "The proposal")),
    responses((status = 200, description = "The customer as they are now", body = CustomerDetail),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::Unavailable))]
pub async fn dismiss_contact_proposal(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
) -> ApiResult<axum::Json<CustomerDetail>> {
    let mut tx = state.db()?.begin().await?;
    let (id, by) = (ContactProposalId(id), member.session.account_id);
    let customer = proposal::decision::dismiss_proposal(&mut tx, &state.origin, member.org(), id, by).await?;
    record_change(&mut tx, &state, &who, &member, (AuditAction::CustomerChanged, customer.0)).await?;
    let customer = load_customer_view(&mut tx, &state, &member, customer).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(customer)
}

/// Takes back what was decided about a phone or email that a form named
///
/// The former state is restored.
#[utoipa::path(post, path = "/api/contact-proposals/{id}/undo", operation_id = "undoContactProposal", tag = "customers",
    security(("session" = ["owner", "office"])),
    params(("id" = Uuid, Path, description = "The proposal")),
    responses((status = 200, description = "The customer as they are now", body = CustomerDetail),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::Invalid,
        openapi::Unavailable))]
pub async fn undo_contact_proposal(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
) -> ApiResult<axum::Json<CustomerDetail>> {
    let mut tx = state.db()?.begin().await?;
    let customer =
        proposal::decision::undo_proposal_decision(&mut tx, &state.origin, member.org(), ContactProposalId(id)).await?;
    record_change(&mut tx, &state, &who, &member, (AuditAction::CustomerChanged, customer.0)).await?;
    let customer = load_customer_view(&mut tx, &state, &member, customer).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(customer)
}
