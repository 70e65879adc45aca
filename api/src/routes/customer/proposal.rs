//! What a form also named for a customer who is known: used, dismissed, or taken back.

use axum::extract::State;
use shared::{
    domain::{
        intake::{contact_point::proposal, customer::page::Customer},
        tenancy::audit::Action,
    },
    platform::id::ContactProposalId,
};

use super::{noted, shown};
use crate::{auth::OrgOffice, client_info::Who, error::ApiResult, extract::Id, openapi, state::AppState};

/// Uses a phone or email that a form named for a customer
///
/// From now on messages to them go there. One that another record has is refused: if they are one person, merge the two.
#[utoipa::path(post, path = "/api/contact-proposals/{id}/use", operation_id = "useContactProposal", tag = "customers",
    security(("session" = ["owner", "office"])),
    params(("id" = Uuid, Path, description = "The proposal")),
    responses((status = 200, description = "The customer as they are now", body = Customer),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::Invalid,
        openapi::Unavailable))]
pub async fn use_contact_proposal(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: Who,
    Id(id): Id,
) -> ApiResult<axum::Json<Customer>> {
    let mut tx = state.db()?.begin().await?;
    let (id, by) = (ContactProposalId(id), member.session.account_id);
    let customer = proposal::accept(&mut tx, &state.origin, member.org(), id, by).await?;
    noted(&mut tx, &state, &who, &member, (Action::CustomerChanged, customer.0)).await?;
    let customer = shown(&mut tx, &state, &member, customer).await?;
    tx.commit().await?;
    state.wake();
    Ok(customer)
}

/// Dismisses a phone or email that a form named for a customer
///
/// The same one is not proposed for them again.
#[utoipa::path(post, path = "/api/contact-proposals/{id}/dismiss", operation_id = "dismissContactProposal",
    tag = "customers", security(("session" = ["owner", "office"])),
    params(("id" = Uuid, Path, description = "The proposal")),
    responses((status = 200, description = "The customer as they are now", body = Customer),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::Unavailable))]
pub async fn dismiss_contact_proposal(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: Who,
    Id(id): Id,
) -> ApiResult<axum::Json<Customer>> {
    let mut tx = state.db()?.begin().await?;
    let (id, by) = (ContactProposalId(id), member.session.account_id);
    let customer = proposal::dismiss(&mut tx, &state.origin, member.org(), id, by).await?;
    noted(&mut tx, &state, &who, &member, (Action::CustomerChanged, customer.0)).await?;
    let customer = shown(&mut tx, &state, &member, customer).await?;
    tx.commit().await?;
    state.wake();
    Ok(customer)
}

/// Takes back what was decided about a phone or email that a form named
///
/// What stood before stands again.
#[utoipa::path(post, path = "/api/contact-proposals/{id}/undo", operation_id = "undoContactProposal", tag = "customers",
    security(("session" = ["owner", "office"])),
    params(("id" = Uuid, Path, description = "The proposal")),
    responses((status = 200, description = "The customer as they are now", body = Customer),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::Invalid,
        openapi::Unavailable))]
pub async fn undo_contact_proposal(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: Who,
    Id(id): Id,
) -> ApiResult<axum::Json<Customer>> {
    let mut tx = state.db()?.begin().await?;
    let customer = proposal::undo(&mut tx, &state.origin, member.org(), ContactProposalId(id)).await?;
    noted(&mut tx, &state, &who, &member, (Action::CustomerChanged, customer.0)).await?;
    let customer = shown(&mut tx, &state, &member, customer).await?;
    tx.commit().await?;
    state.wake();
    Ok(customer)
}
