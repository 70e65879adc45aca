//! Passkey challenges: each valid once, for five minutes, for the browser that started it.

use chrono::{DateTime, Duration, Utc};
use serde::{Serialize, de::DeserializeOwned};

use super::{hash_token, new_token};
use crate::platform::{
    clock::ClockRng,
    db::{Db, Tx, q},
    error::{Error, Result},
};

pub const LIFE: Duration = Duration::minutes(5);

/// A challenge is valid for its purpose only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::Type)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
pub(super) enum ChallengePurpose {
    Add,
    SignIn,
    Prove,
}

pub(super) async fn store_challenge(
    tx: &mut Tx,
    origin: &ClockRng,
    purpose: ChallengePurpose,
    holder: &str,
    state: &impl Serialize,
) -> Result<String> {
    let id = new_token(origin);
    let state = serde_json::to_string(state).map_err(|e| Error::Internal(format!("a challenge: {e}")))?;
    q!(
        tx,
        execute,
        "INSERT INTO passkey_challenge (id_hash, holder_hash, purpose, state, expires_at) VALUES ($1, $2, $3, $4, $5)",
        hash_token(&id),
        hash_token(holder),
        purpose,
        state,
        origin.now() + LIFE
    )?;
    Ok(id)
}

/// Uses it up: returned to one of concurrent callers.
pub(super) async fn consume_challenge<T: DeserializeOwned>(
    tx: &mut Tx,
    now: DateTime<Utc>,
    purpose: ChallengePurpose,
    id: &str,
    holder: &str,
) -> Result<Option<T>> {
    let state = q!(
        tx,
        fetch_optional scalar String,
        "DELETE FROM passkey_challenge WHERE id_hash = $1 AND holder_hash = $2 AND purpose = $3 AND expires_at > $4
         RETURNING state",
        hash_token(id),
        hash_token(holder),
        purpose,
        now
    )?;
    let read = |state: String| serde_json::from_str(&state);
    state.map(read).transpose().map_err(|e| Error::Internal(format!("a challenge cannot be read: {e}")))
}

pub async fn prune_expired_challenges(db: &Db, now: DateTime<Utc>) -> Result<()> {
    let mut tx = db.begin().await?;
    q!(&mut tx, execute, "DELETE FROM passkey_challenge WHERE expires_at <= $1", now)?;
    tx.commit().await
}
