//! Addresses shared by two records: what is shown beside them, and the result of merging the records.

use chrono::{DateTime, Utc};

use super::{
    ContactPointKind, ContactPointProof, find_proof, is_usable_contact, proposal, set_aside::SetAsideContacts,
};
use crate::platform::{
    db::{AsConn, Tx, q},
    error::Result,
    id::{CustomerId, OrgId},
};

/// The name of the other record whose key the address is.
pub async fn find_other_owner_name(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    (kind, value): (ContactPointKind, Option<&str>),
) -> Result<Option<String>> {
    let Some(value) = value else { return Ok(None) };
    let sql = "SELECT c.name FROM customer_key k JOIN customer c ON c.org_id = k.org_id AND c.id = k.customer_id
         WHERE k.org_id = $1 AND k.kind = $3 AND k.value = $4 AND k.customer_id <> $2";
    Ok(q!(conn, fetch_optional scalar String, sql, org, customer, kind, value)?)
}

/// Every phone and email of the record and of its requests, the phones first.
pub(crate) async fn list_all_contacts(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
) -> Result<Vec<(ContactPointKind, String)>> {
    Ok(q!(
        conn,
        fetch_all as (ContactPointKind, String),
        "SELECT kind, value FROM customer_key WHERE org_id = $1 AND customer_id = $2
         UNION SELECT 'phone', phone_e164 FROM customer WHERE org_id = $1 AND id = $2 AND phone_e164 IS NOT NULL
         UNION SELECT 'email', email FROM customer WHERE org_id = $1 AND id = $2 AND email IS NOT NULL
         UNION SELECT 'phone', phone_e164 FROM lead WHERE org_id = $1 AND customer_id = $2 AND phone_e164 IS NOT NULL
         UNION SELECT 'email', email FROM lead WHERE org_id = $1 AND customer_id = $2 AND email IS NOT NULL
         ORDER BY 1 DESC, 2",
        org,
        customer
    )?)
}

/// The proof of this point as shown on a job and to a crew: another record's key counts as only typed here.
pub(crate) async fn find_displayed_proof(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    (kind, value): (ContactPointKind, Option<&str>),
) -> Result<Option<ContactPointProof>> {
    let Some(value) = value else { return Ok(None) };
    let sql = "SELECT CASE WHEN customer_id = $2 THEN proof ELSE 'form' END FROM customer_key
         WHERE org_id = $1 AND kind = $3 AND value = $4";
    Ok(q!(conn, fetch_optional scalar ContactPointProof, sql, org, customer, kind, value)?)
}

/// Keys that only a press proves and that a merge sets aside: next to a stronger proof of the other record a press
/// counts like a form, and of two records that only presses made known the keys of the newer go. Not the email of a
/// request that its phone confirmed.
pub(crate) async fn list_presses_cut_by_merge(
    conn: &mut dyn AsConn,
    org: OrgId,
    [kept, gone]: [CustomerId; 2],
) -> Result<Vec<(ContactPointKind, String)>> {
    Ok(q!(
        conn,
        fetch_all as (ContactPointKind, String),
        "SELECT k.kind, k.value FROM customer_key k WHERE k.org_id = $1 AND k.customer_id IN ($2, $3)
             AND k.proof = 'link_opened' AND k.request_confirmed_at IS NULL
             AND (EXISTS (SELECT 1 FROM customer_key p WHERE p.org_id = $1 AND p.customer_id IN ($2, $3)
                     AND p.customer_id <> k.customer_id AND p.proof IN ('called', 'texted', 'office', 'imported'))
                 OR (k.customer_id = $3
                     AND EXISTS (SELECT 1 FROM customer_key o WHERE o.org_id = $1 AND o.customer_id = $2
                         AND o.proof = 'link_opened')
                     AND NOT EXISTS (SELECT 1 FROM customer_key s WHERE s.org_id = $1 AND s.customer_id IN ($2, $3)
                         AND s.proof NOT IN ('form', 'answered', 'link_opened'))))
         ORDER BY k.kind DESC, k.value",
        org,
        kept,
        gone
    )?)
}

/// Sets aside what [`list_presses_cut_by_merge`] listed before the keys moved. A proposal that a press decided is open
/// again; the office decides.
pub(crate) async fn set_aside_merged_presses(
    tx: &mut Tx,
    org: OrgId,
    kept: CustomerId,
    pressed: &[(ContactPointKind, String)],
) -> Result<()> {
    let keys = "UPDATE customer_key SET proof = 'answered' WHERE org_id = $1 AND customer_id = $2 AND kind = $3
         AND value = $4 AND proof = 'link_opened'";
    let proposals = "UPDATE contact_proposal SET state = 'open', decided_at = NULL WHERE org_id = $1
         AND customer_id = $2 AND kind = $3 AND value = $4 AND state = 'used'
         AND account_id IS NULL";
    for (kind, value) in pressed {
        q!(&mut *tx, execute, keys, org, kept, *kind, value.as_str())?;
        q!(&mut *tx, execute, proposals, org, kept, *kind, value.as_str())?;
    }
    Ok(())
}

/// After an unmerge the press counts again, unless the office has used the address or another record has taken it.
pub(crate) async fn restore_merged_presses(
    tx: &mut Tx,
    org: OrgId,
    [kept, gone]: [CustomerId; 2],
    pressed: &[(ContactPointKind, String)],
) -> Result<()> {
    let sql = "UPDATE customer_key SET proof = 'link_opened' WHERE org_id = $1 AND customer_id IN ($2, $3)
         AND kind = $4 AND value = $5 AND proof IN ('answered', 'form')";
    for (kind, value) in pressed {
        q!(&mut *tx, execute, sql, org, kept, gone, *kind, value.as_str())?;
    }
    Ok(())
}

/// Shared addresses that a merge settles, because merging answers their proposal: [`list_proven_by_other`], and those
/// whose key a form of one record took from the other, where both records send documents there and neither customer
/// called or texted. Not [`list_presses_cut_by_merge`]. The record that stays comes first.
pub(crate) async fn list_merge_settled_contacts(
    conn: &mut dyn AsConn,
    org: OrgId,
    [one, other]: [CustomerId; 2],
) -> Result<Vec<(ContactPointKind, String)>> {
    let pressed = list_presses_cut_by_merge(&mut *conn, org, [one, other]).await?;
    let moved = q!(
        &mut *conn,
        fetch_all as (ContactPointKind, String),
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
    let mut settled = list_proven_by_other(&mut *conn, org, [one, other]).await?;
    settled.retain(|point| !pressed.contains(point));
    for (kind, value) in moved {
        if is_usable_contact(&mut *conn, org, one, (kind, &value)).await?
            && is_usable_contact(&mut *conn, org, other, (kind, &value)).await?
        {
            settled.push((kind, value));
        }
    }
    Ok(settled)
}

/// Addresses proposed on one record and proven on the other, where the office used them for example. Left open, such a
/// proposal would be on the merged record a second time once that use is undone.
async fn list_proven_by_other(
    conn: &mut dyn AsConn,
    org: OrgId,
    [one, other]: [CustomerId; 2],
) -> Result<Vec<(ContactPointKind, String)>> {
    Ok(q!(
        conn,
        fetch_all as (ContactPointKind, String),
        "SELECT DISTINCT g.kind, g.value FROM contact_proposal g
             JOIN customer_key k ON k.org_id = g.org_id AND k.kind = g.kind AND k.value = g.value
         WHERE g.org_id = $1 AND g.customer_id IN ($2, $3) AND g.state = 'open' AND k.proof NOT IN ('form', 'answered')
             AND k.customer_id IN ($2, $3) AND k.customer_id <> g.customer_id
         ORDER BY g.kind, g.value",
        org,
        one,
        other
    )?)
}

pub(crate) async fn delete_settled_proposals(
    tx: &mut Tx,
    org: OrgId,
    kept: CustomerId,
    settled: &[(ContactPointKind, String)],
) -> Result<()> {
    let sql = "DELETE FROM contact_proposal WHERE org_id = $1 AND customer_id = $2 AND kind = $3 AND value = $4
         AND state = 'open'";
    for (kind, value) in settled {
        q!(&mut *tx, execute, sql, org, kept, *kind, value.as_str())?;
    }
    Ok(())
}

/// After an unmerge, proposes the settled addresses again where they are the other record's key.
pub(crate) async fn restore_settled_proposals(
    tx: &mut Tx,
    org: OrgId,
    both: [CustomerId; 2],
    settled: &[(ContactPointKind, String)],
    at: DateTime<Utc>,
) -> Result<()> {
    for customer in both {
        for (kind, value) in settled {
            if find_proof(&mut *tx, org, customer, (*kind, Some(value.as_str()))).await?.is_none() {
                proposal::propose_typed_contact(&mut *tx, org, customer, (*kind, value), at).await?;
            }
        }
    }
    Ok(())
}

/// The record that stays comes first.
pub(crate) async fn load_merged_set_aside(
    conn: &mut dyn AsConn,
    org: OrgId,
    both: [CustomerId; 2],
) -> Result<SetAsideContacts> {
    let settled = list_merge_settled_contacts(&mut *conn, org, both).await?;
    let pressed = list_presses_cut_by_merge(&mut *conn, org, both).await?;
    let aside = SetAsideContacts::load_for_pair(conn, org, both).await?;
    Ok(aside.excluding_contacts(&settled).including_contacts(pressed))
}

/// Proposes what a merge set aside: [`load_merged_set_aside`], from before the rows moved.
pub(crate) async fn propose_merged_set_aside(
    tx: &mut Tx,
    org: OrgId,
    kept: CustomerId,
    aside: &SetAsideContacts,
    at: DateTime<Utc>,
) -> Result<()> {
    proposal::propose_typed_contacts(tx, org, kept, aside.as_slice(), at).await
}

/// The addresses that receive documents on either record now and will be set aside by a merge.
pub(crate) async fn list_contacts_cut_by_merge(
    conn: &mut dyn AsConn,
    org: OrgId,
    both: [CustomerId; 2],
    aside: &SetAsideContacts,
) -> Result<Vec<(ContactPointKind, String)>> {
    let mut shut = Vec::new();
    for (kind, value) in aside.contact_points() {
        for customer in both {
            if is_usable_contact(&mut *conn, org, customer, (kind, value)).await? {
                shut.push((kind, value.to_owned()));
                break;
            }
        }
    }
    Ok(shut)
}
