//! What this install does not do while it is frozen ([`shared::ops::send_freeze`]): nothing is changed in a database that has been
//! left for another, and nothing at Stripe by a copy, which would change what the install it is a copy of lives by.

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::{IntoResponse, Response},
};
use shared::{
    ops::send_freeze::{self, Why},
    platform::{db::Db, error::Error},
};

use crate::{
    error::{ApiError, ApiResult, ErrorCode},
    state::AppState,
};

const MOVED: &str = "This install is moving, or has moved, to another database. Nothing is taken in here.";
const UNKNOWN: &str = "the database did not say whether it was left";
/// Said to the people of a business.
pub const COPY: &str =
    "This install was put back from a copy, and changes nothing at Stripe until its operator releases it.";
/// Said to their customers.
pub const NO_CARDS: &str = "Card payments do not work at this moment. Please call us.";

/// Lets nothing change a database that was left: it would be lost.
pub async fn guard(State(state): State<AppState>, request: Request, next: Next) -> Response {
    if request.method().is_safe() {
        return next.run(request).await;
    }
    // Not reached yet: whoever needs it says so.
    let Some(db) = state.db_if_ready() else { return next.run(request).await };
    match state.moved.ask(async || has_moved(db).await).await {
        Moved::No => next.run(request).await,
        Moved::Yes => ApiError::new(ErrorCode::Unavailable, MOVED).into_response(),
        Moved::Unknown => ApiError::from(Error::Unavailable(UNKNOWN.to_owned())).into_response(),
    }
}

/// Whether the database was left for another.
#[derive(Clone, Copy, Debug)]
pub enum Moved {
    No,
    Yes,
    /// It did not answer.
    Unknown,
}

async fn has_moved(db: &Db) -> Moved {
    let looked = async { send_freeze::frozen(&mut db.look_up().await?).await };
    match looked.await {
        Ok(Some(frozen)) if frozen.why == Why::Moved => Moved::Yes,
        Ok(_) => Moved::No,
        Err(e) => {
            tracing::warn!(cause = %e, "whether the database was left could not be looked at");
            Moved::Unknown
        }
    }
}

/// Before anything is asked of Stripe that changes something there.
///
/// # Errors
/// 409 with these words while the install is frozen.
pub async fn refuse(state: &AppState, words: &'static str) -> ApiResult<()> {
    match send_freeze::frozen(&mut state.db()?.read().await?).await? {
        None => Ok(()),
        Some(_) => Err(Error::Conflict(words).into()),
    }
}
