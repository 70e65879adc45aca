//! State of the program that is stored beside the settings pages. No settings page shows or changes it.

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use sqlx::types::Json;

use super::store_page;
use crate::platform::{
    clock::ClockRng,
    db::{AsConn, Tx, q},
    error::Result,
    id::OrgId,
};

/// The default while nothing is stored.
pub(crate) async fn load_program_state<T: DeserializeOwned + Default>(
    conn: &mut dyn AsConn,
    org: OrgId,
    name: &str,
) -> Result<T> {
    let sql = "SELECT value FROM org_setting WHERE org_id = $1 AND name = $2";
    let Some(Json(value)) = q!(conn, fetch_optional scalar Json<Value>, sql, org, name)? else {
        return Ok(T::default());
    };
    Ok(serde_json::from_value(value).unwrap_or_else(|e| {
        tracing::error!(%org, page = name, error = %e, "a stored state cannot be read");
        T::default()
    }))
}

/// The caller holds the lock of the business ([`crate::domain::tenancy::org::lock`]). The name is none of a settings
/// page.
pub(crate) async fn store_program_state<T: Serialize + Sync>(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    name: &str,
    state: &T,
) -> Result<()> {
    store_page(tx, origin, org, name, state).await
}
