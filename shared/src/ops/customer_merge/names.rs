//! Names on the requests of merged records, as used on documents, messages and the crew's day: one name while merged,
//! and each record's own after an unmerge.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::moved_records;
use crate::platform::{
    db::{Tx, q},
    error::Result,
    id::{CustomerId, OrgId},
};

/// Sets `name` on requests that carry the name of their own record; names set by the office stay. Returns the changed
/// ones.
pub(super) async fn rename_merged_leads(
    tx: &mut Tx,
    org: OrgId,
    records: [(CustomerId, &str); 2],
    name: &str,
) -> Result<Vec<Uuid>> {
    let mut followed = Vec::new();
    for (of, old) in records {
        if old == name {
            continue;
        }
        let sql = "SELECT id FROM lead WHERE org_id = $1 AND customer_id = $2 AND name = $3";
        let named = q!(&mut *tx, fetch_all scalar Uuid, sql, org, of, old)?;
        for lead in named {
            rename_lead(&mut *tx, org, (of, lead), old, name).await?;
            followed.push(lead);
        }
    }
    Ok(followed)
}

/// Restores names after an unmerge: on requests that the merge renamed, and on those that came since `at`. Names typed
/// or set by the office stay.
pub(super) async fn restore_lead_names(
    tx: &mut Tx,
    org: OrgId,
    records: [CustomerId; 2],
    (merged, named): (&str, &[Uuid]),
    at: DateTime<Utc>,
) -> Result<()> {
    for of in records {
        let own = moved_records::load_customer_fields(&mut *tx, org, of).await?.name;
        if own == merged {
            continue;
        }
        let sql = "SELECT id FROM lead WHERE org_id = $1 AND customer_id = $2 AND created_at > $3 AND form <> 'typed'";
        let since = q!(&mut *tx, fetch_all scalar Uuid, sql, org, of, at)?;
        for lead in named.iter().chain(&since) {
            rename_lead(&mut *tx, org, (of, *lead), merged, &own).await?;
        }
    }
    Ok(())
}

async fn rename_lead(tx: &mut Tx, org: OrgId, (of, lead): (CustomerId, Uuid), old: &str, new: &str) -> Result<()> {
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
