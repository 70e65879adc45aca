//! A customer's answer: counted first, then done and recorded in one transaction.

use axum::response::{IntoResponse, Redirect, Response};
use shared::{
    domain::{
        intake::contact_point,
        tenancy::audit::{self, AuditAction},
        work::booking::unproven,
    },
    platform::db::Tx,
};
use uuid::Uuid;

use super::{LinkSession, count_answer};
use crate::{client_info::RequestContext, error::ApiResult, state::AppState};

/// Lock order: the customer's keys before the lead.
pub(super) async fn begin_answer(state: &AppState, session: &LinkSession) -> ApiResult<Tx> {
    count_answer(state, &session.link).await?;
    let mut tx = state.db()?.begin().await?;
    contact_point::lock_link_contacts(&mut tx, &session.link).await?;
    Ok(tx)
}

/// Records the answer, and that the address the link was sent to is the customer's; starts follow-ups.
pub(super) async fn finish_answer(
    state: &AppState,
    (who, session): (&RequestContext, &LinkSession),
    mut tx: Tx,
    (action, thing): (AuditAction, Uuid),
) -> ApiResult<()> {
    record_proof(&mut tx, state, session).await?;
    finish_refused_answer(state, (who, session), tx, (action, thing)).await
}

/// For a repeat of an answer: it proves the address, and is recorded no second time.
pub(super) async fn finish_repeated_answer(state: &AppState, session: &LinkSession, mut tx: Tx) -> ApiResult<()> {
    record_proof(&mut tx, state, session).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(())
}

async fn record_proof(tx: &mut Tx, state: &AppState, session: &LinkSession) -> ApiResult<()> {
    unproven::mark_visit_proven(tx, &session.link).await?;
    Ok(contact_point::record_link_answer(tx, &state.origin, &session.link).await?)
}

/// For a refusal. It proves no address: a person who refuses may not be the intended recipient.
pub(super) async fn finish_refused_answer(
    state: &AppState,
    (who, session): (&RequestContext, &LinkSession),
    mut tx: Tx,
    (action, thing): (AuditAction, Uuid),
) -> ApiResult<()> {
    audit::record(&mut tx, &state.origin, &who.anonymous_actor(), session.org(), action, Some(thing)).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(())
}

/// Redirects to the page; `after` is a suffix with the result where its state does not show it.
pub(super) fn redirect_to_page(token: &str, after: &str) -> Response {
    Redirect::to(&format!("/p/{token}{after}")).into_response()
}
