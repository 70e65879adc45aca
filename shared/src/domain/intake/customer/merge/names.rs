//! The name that the requests of two people stand under: one while they are one record, and each its own when they part.
//! Papers, messages and the crew's day say it.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::moved;
use crate::platform::{
    db::{Tx, q},
    error::Result,
    id::{CustomerId, OrgId},
};

/// Puts the requests that stand under the name of their own record under `name`; what the office named otherwise stays.
/// Returns which.
pub(super) async fn join(tx: &mut Tx, org: OrgId, records: [(CustomerId, &str); 2], name: &str) -> Result<Vec<Uuid>> {
    let mut followed = Vec::new();
    for (of, old) in records {
        if old == name {
            continue;
        }
        let sql = "SELECT id FROM lead WHERE org_id = $1 AND customer_id = $2 AND name = $3";
        let named = q!(&mut *tx, fetch_all scalar Uuid, sql, org, of, old)?;
        for lead in named {
            rename(&mut *tx, org, (of, lead), old, name).await?;
            followed.push(lead);
        }
    }
    Ok(followed)
}

/// Puts the requests that stand under the name of the merged record under that of whose they are again: those that the
/// merge renamed, and those that came since `at`. What the office typed or named otherwise stays.
pub(super) async fn part(
    tx: &mut Tx,
    org: OrgId,
    records: [CustomerId; 2],
    (merged, named): (&str, &[Uuid]),
    at: DateTime<Utc>,
) -> Result<()> {
    for of in records {
        let own = moved::person(&mut *tx, org, of).await?.name;
        if own == merged {
            continue;
        }
        let sql = "SELECT id FROM lead WHERE org_id = $1 AND customer_id = $2 AND created_at > $3 AND form <> 'typed'";
        let since = q!(&mut *tx, fetch_all scalar Uuid, sql, org, of, at)?;
        for lead in named.iter().chain(&since) {
            rename(&mut *tx, org, (of, *lead), merged, &own).await?;
        }
    }
    Ok(())
}

/// One request of a customer if it stands under `old`; it and its jobs are found by the new name.
async fn rename(tx: &mut Tx, org: OrgId, (of, lead): (CustomerId, Uuid), old: &str, new: &str) -> Result<()> {
    let (was, is) = (old.to_lowercase(), new.to_lowercase());
    let renamed = q!(
        &mut *tx,
        execute,
        "UPDATE lead SET name = $5, search = REPLACE(search, $6, $7)
         WHERE org_id = $1 AND id = $2 AND customer_id = $3 AND name = $4",
        org,
        lead,
        of,
        old,
        new,
        &was,
        &is
    )?;
    if renamed > 0 {
        let sql = "UPDATE job SET search = REPLACE(search, $3, $4) WHERE org_id = $1 AND lead_id = $2";
        q!(tx, execute, sql, org, lead, &was, &is)?;
    }
    Ok(())
}
