//! Ceremonies that were begun. Each is good once, for five minutes, for the browser that began it.

use chrono::{DateTime, Duration, Utc};
use serde::{Serialize, de::DeserializeOwned};

use super::{hash, token};
use crate::platform::{
    clock::Origin,
    db::{Db, Tx, q},
    error::{Error, Result},
};

/// How long it is good.
pub const LIFE: Duration = Duration::minutes(5);

/// What a challenge is for: one for adding a passkey signs nobody in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::Type)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
pub(super) enum Purpose {
    Add,
    SignIn,
    /// Who is signed in proves again who they are.
    Prove,
}

/// Keeps what the answer is compared with. Returns what the page sends back.
pub(super) async fn keep(
    tx: &mut Tx,
    origin: &Origin,
    purpose: Purpose,
    holder: &str,
    state: &impl Serialize,
) -> Result<String> {
    let id = token(origin);
    let state = serde_json::to_string(state).map_err(|e| Error::Internal(format!("a challenge: {e}")))?;
    q!(
        tx,
        execute,
        "INSERT INTO passkey_challenge (id_hash, holder_hash, purpose, state, expires_at) VALUES ($1, $2, $3, $4, $5)",
        hash(&id),
        hash(holder),
        purpose,
        state,
        origin.now() + LIFE
    )?;
    Ok(id)
}

/// Uses it up: there for one caller only, however many come at once.
pub(super) async fn take<T: DeserializeOwned>(
    tx: &mut Tx,
    now: DateTime<Utc>,
    purpose: Purpose,
    id: &str,
    holder: &str,
) -> Result<Option<T>> {
    let state = q!(
        tx,
        fetch_optional scalar String,
        "DELETE FROM passkey_challenge WHERE id_hash = $1 AND holder_hash = $2 AND purpose = $3 AND expires_at > $4
         RETURNING state",
        hash(id),
        hash(holder),
        purpose,
        now
    )?;
    let read = |state: String| serde_json::from_str(&state);
    state.map(read).transpose().map_err(|e| Error::Internal(format!("a challenge cannot be read: {e}")))
}

/// Removes those whose time is over.
pub async fn prune(db: &Db, now: DateTime<Utc>) -> Result<()> {
    let mut tx = db.begin().await?;
    q!(&mut tx, execute, "DELETE FROM passkey_challenge WHERE expires_at <= $1", now)?;
    tx.commit().await
}
