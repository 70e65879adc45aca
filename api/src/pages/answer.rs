//! How an answer of a customer is taken: counted first, then done and noted in one transaction.

use axum::response::{IntoResponse, Redirect, Response};
use shared::{
    domain::{
        intake::contact_point,
        tenancy::audit::{self, Action},
    },
    platform::db::Tx,
};
use uuid::Uuid;

use super::{Door, count_post};
use crate::{client_info::Who, error::ApiResult, state::AppState};

/// Counts it, and opens the transaction in which it is taken.
pub(super) async fn begin(state: &AppState, door: &Door) -> ApiResult<Tx> {
    count_post(state, &door.link).await?;
    Ok(state.db()?.begin().await?)
}

/// Notes what was done to which thing, and that the address the link was sent to is theirs; lets what follows begin.
pub(super) async fn finish(
    state: &AppState,
    (who, door): (&Who, &Door),
    mut tx: Tx,
    (action, thing): (Action, Uuid),
) -> ApiResult<()> {
    contact_point::answered_by_link(&mut tx, &state.origin, &door.link).await?;
    finish_refusal(state, (who, door), tx, (action, thing)).await
}

/// The same for an answer that refuses. It proves no address: a person who refuses may say that the paper is not theirs.
pub(super) async fn finish_refusal(
    state: &AppState,
    (who, door): (&Who, &Door),
    mut tx: Tx,
    (action, thing): (Action, Uuid),
) -> ApiResult<()> {
    audit::record(&mut tx, &state.origin, &who.visitor(), door.org(), action, Some(thing)).await?;
    tx.commit().await?;
    state.wake();
    Ok(())
}

/// Back to the page, which shows what came of it; `after` says more than its state does.
pub(super) fn back(token: &str, after: &str) -> Response {
    Redirect::to(&format!("/p/{token}{after}")).into_response()
}
