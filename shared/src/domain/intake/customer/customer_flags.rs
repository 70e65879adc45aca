//! What other domains note on a customer.

use chrono::{DateTime, Utc};

use crate::{
    documents::template::Language,
    platform::{
        db::{Tx, q},
        error::Result,
        id::{CustomerId, OrgId},
    },
};

/// An open complaint: the first one is kept.
pub(crate) async fn record_complaint(tx: &mut Tx, org: OrgId, id: CustomerId, at: DateTime<Utc>) -> Result<()> {
    let sql = "UPDATE customer SET complaint_at = COALESCE(complaint_at, $3) WHERE org_id = $1 AND id = $2";
    q!(tx, execute, sql, org, id, at)?;
    Ok(())
}

/// The language of the customer's own words, where none is known.
pub(crate) async fn fill_language(tx: &mut Tx, org: OrgId, id: CustomerId, language: Language) -> Result<()> {
    let sql = "UPDATE customer SET language = $3 WHERE org_id = $1 AND id = $2 AND language IS NULL";
    q!(tx, execute, sql, org, id, language)?;
    Ok(())
}

/// Flags that are none stay as they are; so does the language, unless it `is_changed`.
pub(crate) async fn store_flags(
    tx: &mut Tx,
    org: OrgId,
    id: CustomerId,
    (is_blocked, is_staff): (Option<bool>, Option<bool>),
    (is_changed, language): (bool, Option<Language>),
) -> Result<()> {
    q!(
        tx,
        execute,
        "UPDATE customer SET is_blocked = COALESCE($3, is_blocked), is_staff = COALESCE($4, is_staff),
             language = CASE WHEN $5 THEN $6 ELSE language END
         WHERE org_id = $1 AND id = $2",
        org,
        id,
        is_blocked,
        is_staff,
        is_changed,
        language
    )?;
    Ok(())
}
