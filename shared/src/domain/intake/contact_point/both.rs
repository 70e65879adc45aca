//! Addresses that two records have: what is said beside them, and what a merge of the two makes of them.

use chrono::{DateTime, Utc};
use serde_json::Value;
use sqlx::types::Json;

use super::{Kind, Proof, is_on_file, proof, proposal, set_aside::SetAside};
use crate::{
    domain::money::invoice::content::shown_number,
    platform::{
        db::{AsConn, Tx, q},
        error::Result,
        id::{CustomerId, OrgId},
    },
};

/// The other record whose key an address is, by name.
pub async fn also_for(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    (kind, value): (Kind, Option<&str>),
) -> Result<Option<String>> {
    let Some(value) = value else { return Ok(None) };
    let sql = "SELECT c.name FROM customer_key k JOIN customer c ON c.org_id = k.org_id AND c.id = k.customer_id
         WHERE k.org_id = $1 AND k.kind = $3 AND k.value = $4 AND k.customer_id <> $2";
    Ok(q!(conn, fetch_optional scalar String, sql, org, customer, kind, value)?)
}

/// What proves this point, as a job and a crew are told: another record's key was only typed here.
pub(crate) async fn told_proof(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    (kind, value): (Kind, Option<&str>),
) -> Result<Option<Proof>> {
    let Some(value) = value else { return Ok(None) };
    let sql = "SELECT CASE WHEN customer_id = $2 THEN proof ELSE 'form' END FROM customer_key
         WHERE org_id = $1 AND kind = $3 AND value = $4";
    Ok(q!(conn, fetch_optional scalar Proof, sql, org, customer, kind, value)?)
}

/// Addresses of both that a merge settles: a form of the one took the other's key, both get papers there, and neither
/// called or texted. Who says that the two are one person has answered the proposal.
pub(crate) async fn settled_by_merge(
    conn: &mut dyn AsConn,
    org: OrgId,
    [one, other]: [CustomerId; 2],
) -> Result<Vec<(Kind, String)>> {
    let moved = q!(
        &mut *conn,
        fetch_all as (Kind, String),
        "SELECT DISTINCT g.kind, g.value FROM contact_proposal g
             JOIN customer_key k ON k.org_id = g.org_id AND k.kind = g.kind AND k.value = g.value
         WHERE g.org_id = $1 AND g.customer_id IN ($2, $3) AND g.state = 'open' AND k.proof = 'form'
             AND k.customer_id IN ($2, $3) AND k.customer_id <> g.customer_id
             AND NOT EXISTS (SELECT 1 FROM contact_proposal o WHERE o.org_id = $1 AND o.customer_id IN ($2, $3)
                 AND o.kind = g.kind AND o.value = g.value AND (o.state = 'dismissed' OR o.customer_id = k.customer_id))
             AND NOT EXISTS (SELECT 1 FROM customer_key p WHERE p.org_id = $1 AND p.customer_id IN ($2, $3)
                 AND p.proof IN ('called', 'texted'))
         ORDER BY g.kind, g.value",
        org,
        one,
        other
    )?;
    let mut settled = Vec::new();
    for (kind, value) in moved {
        if is_on_file(&mut *conn, org, one, (kind, &value)).await?
            && is_on_file(&mut *conn, org, other, (kind, &value)).await?
        {
            settled.push((kind, value));
        }
    }
    Ok(settled)
}

/// Takes the proposals of what a merge settled off the record that stays.
pub(crate) async fn settle(tx: &mut Tx, org: OrgId, kept: CustomerId, settled: &[(Kind, String)]) -> Result<()> {
    let sql = "DELETE FROM contact_proposal WHERE org_id = $1 AND customer_id = $2 AND kind = $3 AND value = $4
         AND state = 'open'";
    for (kind, value) in settled {
        q!(&mut *tx, execute, sql, org, kept, *kind, value.as_str())?;
    }
    Ok(())
}

/// Two records are parted: what their merge settled is proposed again where it is the other's key.
pub(crate) async fn unsettle(
    tx: &mut Tx,
    org: OrgId,
    both: [CustomerId; 2],
    settled: &[(Kind, String)],
    at: DateTime<Utc>,
) -> Result<()> {
    for customer in both {
        for (kind, value) in settled {
            if proof(&mut *tx, org, customer, (*kind, Some(value.as_str()))).await?.is_none() {
                proposal::of_typed(&mut *tx, org, customer, (*kind, value), at).await?;
            }
        }
    }
    Ok(())
}

/// What will be set aside once two records are one.
pub(crate) async fn set_aside_as_one(conn: &mut dyn AsConn, org: OrgId, both: [CustomerId; 2]) -> Result<SetAside> {
    let settled = settled_by_merge(&mut *conn, org, both).await?;
    Ok(SetAside::of_both(conn, org, both).await?.without(&settled))
}

/// What gets papers at one of two records, and will be set aside once they are one.
pub(crate) async fn shut_off(
    conn: &mut dyn AsConn,
    org: OrgId,
    both: [CustomerId; 2],
    aside: &SetAside,
) -> Result<Vec<(Kind, String)>> {
    let mut shut = Vec::new();
    for (kind, value) in aside.points() {
        for customer in both {
            if is_on_file(&mut *conn, org, customer, (kind, value)).await? {
                shut.push((kind, value.to_owned()));
                break;
            }
        }
    }
    Ok(shut)
}

/// The papers of two records that wait to leave for an address: "EST-1004".
pub(crate) async fn waiting_papers(
    conn: &mut dyn AsConn,
    org: OrgId,
    [one, other]: [CustomerId; 2],
    address: &str,
) -> Result<Vec<String>> {
    let estimates = "SELECT e.content FROM message m JOIN estimate e ON e.org_id = m.org_id AND e.id = m.about_id
         WHERE m.org_id = $1 AND m.customer_id IN ($2, $3) AND m.direction = 'out' AND m.status IN ('queued', 'held')
             AND m.to_address = $4 ORDER BY m.created_at, m.id";
    let of_estimates = q!(&mut *conn, fetch_all scalar Json<Value>, estimates, org, one, other, address)?;
    let invoices =
        "SELECT i.number, i.content FROM message m JOIN invoice i ON i.org_id = m.org_id AND i.id = m.about_id
         WHERE m.org_id = $1 AND m.customer_id IN ($2, $3) AND m.direction = 'out' AND m.status IN ('queued', 'held')
             AND m.to_address = $4 AND i.number IS NOT NULL ORDER BY m.created_at, m.id";
    let of_invoices = q!(conn, fetch_all as (i64, Json<Value>), invoices, org, one, other, address)?;
    let text = |content: &Value, name: &str| content.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut papers: Vec<String> = of_estimates.iter().map(|content| text(&content.0, "number")).collect();
    papers.extend(of_invoices.iter().map(|(number, content)| shown_number(&text(&content.0, "prefix"), *number)));
    let mut seen = Vec::new();
    papers.retain(|paper| {
        let is_new = !seen.contains(paper);
        seen.push(paper.clone());
        is_new
    });
    Ok(papers)
}
