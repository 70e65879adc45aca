//! Limits while the install is frozen ([`shared::ops::send_freeze`]): no changes in a database that was left for
//! another, and none at Stripe by a copy of an install, which would affect the original.

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::{IntoResponse, Response},
};
use shared::{
    conflicts::ConflictCode,
    ops::send_freeze::{self, FreezeReason},
    platform::{
        db::{AsConn, Db},
        error::Error,
    },
};

use crate::{
    error::{ApiError, ApiResult, ErrorCode},
    state::AppState,
};

const MOVED: &str = "This install is moving, or has moved, to another database. Nothing is taken in here.";
const UNKNOWN: &str = "the database did not say whether it was left";

/// The forms of visitors, which may be many at once, ask on the connection that they read with ([`reject_if_moved`]).
const ASK_THEMSELVES: [&str; 2] = ["/api/leads/create", "/api/quotes/create"];

/// Refuses changes in a database that was left for another: they would be lost.
pub async fn reject_writes_after_move(State(state): State<AppState>, request: Request, next: Next) -> Response {
    if request.method().is_safe() || ASK_THEMSELVES.contains(&request.uri().path()) {
        return next.run(request).await;
    }
    // Not reached yet: the extractors answer 503.
    let Some(db) = state.db_if_ready() else { return next.run(request).await };
    match refuse_moved_database(&state, db).await {
        Ok(()) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    }
}

/// Shared by concurrent callers. Errors: 503 when the database was left for another, or does not answer.
pub async fn refuse_moved_database(state: &AppState, db: &Db) -> ApiResult<()> {
    match state.moved.run_shared(async || check_moved(db).await).await {
        MoveStatus::No => Ok(()),
        MoveStatus::Yes => Err(ApiError::new(ErrorCode::Unavailable, MOVED)),
        MoveStatus::Unknown => Err(Error::Unavailable(UNKNOWN.to_owned()).into()),
    }
}

#[derive(Clone, Copy, Debug)]
pub enum MoveStatus {
    No,
    Yes,
    /// The database did not answer.
    Unknown,
}

/// As [`reject_writes_after_move`], for a handler that has a connection.
pub async fn reject_if_moved(conn: &mut dyn AsConn) -> ApiResult<()> {
    match send_freeze::find_freeze(conn).await? {
        Some(frozen) if frozen.why == FreezeReason::Moved => Err(ApiError::new(ErrorCode::Unavailable, MOVED)),
        _ => Ok(()),
    }
}

async fn check_moved(db: &Db) -> MoveStatus {
    let looked = async { send_freeze::find_freeze(&mut db.acquire_point_reader().await?).await };
    match looked.await {
        Ok(Some(frozen)) if frozen.why == FreezeReason::Moved => MoveStatus::Yes,
        Ok(_) => MoveStatus::No,
        Err(e) => {
            tracing::warn!(cause = %e, "whether the database was left could not be looked at");
            MoveStatus::Unknown
        }
    }
}

/// To be called before any change at Stripe. Errors: 409 with this code while the install is frozen.
pub async fn refuse_if_frozen(state: &AppState, code: ConflictCode) -> ApiResult<()> {
    match send_freeze::find_freeze(&mut state.db()?.acquire_reader().await?).await? {
        None => Ok(()),
        Some(_) => Err(code.into()),
    }
}
