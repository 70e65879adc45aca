//! Rules for addresses that only forms and link confirmations prove. Two forms or two confirmations with the same
//! address may be from two people: a record takes in a form only when it names every address of the record, and an
//! address typed by another form gets no documents of a later request.

use chrono::{DateTime, Utc};

use super::{
    ContactPointKind, ContactPointProof,
    contact_transfer::{remove_contact_point, transfer_contact_point},
    is_known_contact, is_usable_contact, proposal, sent_papers,
};
use crate::platform::{
    clock::ClockRng,
    db::{AsConn, Tx, q},
    error::Result,
    id::{CustomerId, OrgId},
    live::{self, Topic},
};

pub(crate) type NamedContacts<'a> = (Option<&'a str>, Option<&'a str>);

/// Whether a form names every address that gets documents: keys that only forms or link confirmations prove, and the
/// addresses on the record and its requests.
pub(crate) async fn names_all_contacts(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    (phone, email): NamedContacts<'_>,
) -> Result<bool> {
    Ok(q!(
        conn,
        fetch_one scalar bool,
        "SELECT NOT EXISTS (SELECT 1 FROM customer_key WHERE org_id = $1 AND customer_id = $2
                 AND proof IN ('form', 'link_opened') AND value <> CASE WHEN kind = 'phone' THEN $3 ELSE $4 END)
             AND NOT EXISTS (SELECT 1 FROM customer WHERE org_id = $1 AND id = $2
                 AND (phone_e164 <> $3 OR email <> $4))
             AND NOT EXISTS (SELECT 1 FROM lead WHERE org_id = $1 AND customer_id = $2
                 AND (phone_e164 <> $3 OR email <> $4))",
        org,
        customer,
        phone.unwrap_or_default(),
        email.unwrap_or_default()
    )?)
}

/// Whether a form names every address of one request of a merged record. By merging, the office confirmed that the
/// senders are one person.
pub(crate) async fn names_merged_request(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    (phone, email): NamedContacts<'_>,
) -> Result<bool> {
    Ok(q!(
        conn,
        fetch_one scalar bool,
        "SELECT EXISTS (SELECT 1 FROM customer_merge WHERE org_id = $1 AND kept_id = $2 AND undone_at IS NULL)
             AND EXISTS (SELECT 1 FROM lead WHERE org_id = $1 AND customer_id = $2
                 AND (phone_e164 IS NOT NULL OR email IS NOT NULL)
                 AND COALESCE(phone_e164, $3) = $3 AND COALESCE(email, $4) = $4)",
        org,
        customer,
        phone.unwrap_or_default(),
        email.unwrap_or_default()
    )?)
}

/// The record without keys that an earlier form with the same addresses made: the keys stayed on other records.
pub(crate) async fn find_keyless_customer(
    conn: &mut dyn AsConn,
    org: OrgId,
    (phone, email): NamedContacts<'_>,
) -> Result<Option<CustomerId>> {
    let sql = match phone {
        Some(_) => {
            "SELECT l.customer_id FROM lead l WHERE l.org_id = $1 AND l.phone_e164 = $2 AND COALESCE(l.email, '') = $3
             AND NOT EXISTS (SELECT 1 FROM customer_key k WHERE k.org_id = $1 AND k.customer_id = l.customer_id)
             ORDER BY l.created_at DESC LIMIT 5"
        }
        None => {
            "SELECT l.customer_id FROM lead l WHERE l.org_id = $1 AND l.email = $3 AND COALESCE(l.phone_e164, '') = $2
             AND NOT EXISTS (SELECT 1 FROM customer_key k WHERE k.org_id = $1 AND k.customer_id = l.customer_id)
             ORDER BY l.created_at DESC LIMIT 5"
        }
    };
    let (named_phone, named_email) = (phone.unwrap_or_default(), email.unwrap_or_default());
    let found = q!(&mut *conn, fetch_all scalar CustomerId, sql, org, named_phone, named_email)?;
    for customer in found {
        if names_all_contacts(&mut *conn, org, customer, (phone, email)).await? {
            return Ok(Some(customer));
        }
    }
    Ok(None)
}

/// Whether a form omits an address that gets this record's documents but is another record's key by now.
pub(crate) async fn omits_transferred_contact(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    (phone, email): NamedContacts<'_>,
) -> Result<bool> {
    let moved = q!(
        &mut *conn,
        fetch_all as (ContactPointKind, String),
        "SELECT DISTINCT g.kind, g.value FROM contact_proposal g
             JOIN customer_key k ON k.org_id = g.org_id AND k.kind = g.kind AND k.value = g.value
         WHERE g.org_id = $1 AND g.customer_id = $2 AND k.customer_id <> g.customer_id
             AND g.value <> CASE WHEN g.kind = 'phone' THEN $3 ELSE $4 END",
        org,
        customer,
        phone.unwrap_or_default(),
        email.unwrap_or_default()
    )?;
    for (kind, value) in &moved {
        if is_usable_contact(&mut *conn, org, customer, (*kind, value)).await? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a call or text from this number gets a record of its own: the number is only typed, link-confirmed or
/// answered, and everything else proven of the record is a link confirmation at another address, possibly by another
/// person. The other address may be another record's key.
pub(crate) async fn is_separate_caller(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    number: &str,
) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM customer_key n WHERE n.org_id = $1 AND n.kind = 'phone' AND n.value = $3
             AND n.customer_id = $2 AND n.proof IN ('form', 'link_opened', 'answered')
             AND (EXISTS (SELECT 1 FROM customer_key p WHERE p.org_id = $1 AND p.customer_id = $2
                     AND p.proof = 'link_opened' AND NOT (p.kind = 'phone' AND p.value = $3))
                 OR (n.proof <> 'link_opened'
                     AND EXISTS (SELECT 1 FROM contact_proposal o WHERE o.org_id = $1 AND o.customer_id = $2
                         AND o.kind = n.kind AND o.value = n.value AND o.state <> 'used')
                     AND EXISTS (SELECT 1 FROM contact_proposal a
                         JOIN customer_key q ON q.org_id = a.org_id AND q.kind = a.kind AND q.value = a.value
                         WHERE a.org_id = $1 AND a.customer_id = $2 AND a.answered_at IS NOT NULL
                             AND a.state <> 'dismissed' AND q.customer_id <> a.customer_id))))";
    let is_beside_a_press = q!(&mut *conn, fetch_one scalar bool, sql, org, customer, number)?;
    Ok(is_beside_a_press && !has_stronger_proof(conn, org, customer).await?)
}

/// Whether a customer is known by more than forms and link confirmations: a call, a text, the office, an import, or a
/// merge.
pub(crate) async fn has_stronger_proof(conn: &mut dyn AsConn, org: OrgId, customer: CustomerId) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM customer_key WHERE org_id = $1 AND customer_id = $2
             AND proof NOT IN ('form', 'answered', 'link_opened'))
         OR EXISTS (SELECT 1 FROM customer_merge WHERE org_id = $1 AND kept_id = $2 AND undone_at IS NULL)";
    Ok(q!(conn, fetch_one scalar bool, sql, org, customer)?)
}

/// For a form, a list or the office that names a proven address of a customer but not all typed ones: proposes the
/// omitted addresses to the office and sets them aside until then.
pub(crate) async fn set_aside_omitted_contacts(
    tx: &mut Tx,
    org: OrgId,
    customer: CustomerId,
    (phone, email): NamedContacts<'_>,
    at: DateTime<Utc>,
) -> Result<()> {
    let unnamed = q!(
        &mut *tx,
        fetch_all as (ContactPointKind, String),
        "SELECT kind, value FROM customer_key k WHERE k.org_id = $1 AND k.customer_id = $2 AND k.proof = 'form'
             AND k.value <> CASE WHEN k.kind = 'phone' THEN $3 ELSE $4 END
             AND EXISTS (SELECT 1 FROM customer_key p WHERE p.org_id = $1 AND p.customer_id = $2
                 AND p.proof NOT IN ('form', 'answered'))",
        org,
        customer,
        phone.unwrap_or_default(),
        email.unwrap_or_default()
    )?;
    proposal::propose_typed_contacts(tx, org, customer, &unnamed, at).await
}

/// For a form that names an address proven otherwise and omits a link-confirmed one, which may be another person's: the
/// omitted address becomes one that only answered a form. Not on merged records: there the office has decided.
pub(crate) async fn set_aside_link_opened_contacts(
    tx: &mut Tx,
    org: OrgId,
    customer: CustomerId,
    (phone, email): NamedContacts<'_>,
    at: DateTime<Utc>,
) -> Result<()> {
    let pressed = q!(
        &mut *tx,
        fetch_all as (ContactPointKind, String),
        "UPDATE customer_key SET proof = 'answered' WHERE org_id = $1 AND customer_id = $2 AND proof = 'link_opened'
             AND value <> CASE WHEN kind = 'phone' THEN $3 ELSE $4 END
             AND EXISTS (SELECT 1 FROM customer_key p WHERE p.org_id = $1 AND p.customer_id = $2
                 AND p.proof NOT IN ('form', 'answered', 'link_opened'))
             AND NOT EXISTS (SELECT 1 FROM customer_merge WHERE org_id = $1 AND kept_id = $2 AND undone_at IS NULL)
         RETURNING kind, value",
        org,
        customer,
        phone.unwrap_or_default(),
        email.unwrap_or_default()
    )?;
    proposal::propose_typed_contacts(&mut *tx, org, customer, &pressed, at).await?;
    for (kind, value) in &pressed {
        proposal::mark_proposal_answered(&mut *tx, org, customer, (*kind, value), at).await?;
    }
    Ok(())
}

/// For a press at an address of this customer: the other addresses that only a form typed may be another person's. They
/// are proposed, which sets them aside; one that is another record's key stays as the proposal only. The email of a
/// request that its phone confirmed stays, and so does every address with a stronger proof.
pub(super) async fn set_aside_counterparts(
    tx: &mut Tx,
    org: OrgId,
    customer: CustomerId,
    (kind, value): (ContactPointKind, &str),
    at: DateTime<Utc>,
) -> Result<()> {
    let typed = q!(
        &mut *tx,
        fetch_all as (ContactPointKind, String),
        "SELECT k.kind, k.value FROM customer_key k WHERE k.org_id = $1 AND k.customer_id = $2 AND k.proof = 'form'
             AND k.request_confirmed_at IS NULL AND NOT (k.kind = $3 AND k.value = $4)
             AND (EXISTS (SELECT 1 FROM customer_key p WHERE p.org_id = $1 AND p.customer_id = $2
                     AND p.proof NOT IN ('form', 'answered'))
                 OR EXISTS (SELECT 1 FROM contact_proposal a WHERE a.org_id = $1 AND a.customer_id = $2
                     AND a.kind = $3 AND a.value = $4 AND a.answered_at IS NOT NULL AND a.state <> 'dismissed'))",
        org,
        customer,
        kind,
        value
    )?;
    proposal::propose_typed_contacts(&mut *tx, org, customer, &typed, at).await?;
    let elsewhere = q!(
        &mut *tx,
        fetch_all as (ContactPointKind, String),
        "SELECT DISTINCT g.kind, g.value FROM contact_proposal g
         WHERE g.org_id = $1 AND g.customer_id = $2 AND g.state <> 'used' AND NOT (g.kind = $3 AND g.value = $4)
             AND NOT EXISTS (SELECT 1 FROM customer_key k WHERE k.org_id = $1 AND k.kind = g.kind
                 AND k.value = g.value AND k.customer_id = $2)",
        org,
        customer,
        kind,
        value
    )?;
    for (kind, value) in &elsewhere {
        if is_usable_contact(&mut *tx, org, customer, (*kind, value)).await? {
            remove_contact_point(&mut *tx, org, customer, (*kind, value)).await?;
            sent_papers::withdraw_sent_papers(&mut *tx, org, customer, (*kind, value), at).await?;
        }
    }
    Ok(())
}

/// Moves a link-confirmed address back to this customer when a later form made it another record's key. Not when that
/// record has an address that this customer lacks: it may be another person, who owns the address.
pub(super) async fn reclaim_contact_point(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    customer: CustomerId,
    (kind, value): (ContactPointKind, &str),
) -> Result<()> {
    let sql =
        "SELECT customer_id FROM customer_key WHERE org_id = $1 AND kind = $2 AND value = $3 AND customer_id <> $4
         AND proof = 'form'";
    let found = q!(&mut *tx, fetch_optional scalar CustomerId, sql, org, kind, value, customer)?;
    let Some(holder) = found else { return Ok(()) };
    if !is_usable_contact(&mut *tx, org, customer, (kind, value)).await?
        || !owns_all_contacts_of(&mut *tx, org, customer, holder).await?
    {
        return Ok(());
    }
    transfer_contact_point(
        &mut *tx,
        org,
        (holder, customer),
        (kind, value),
        (ContactPointProof::LinkOpened, origin.now()),
    )
    .await?;
    for id in [holder, customer] {
        live::publish_event(&mut *tx, origin, org, Topic::Customer, id.0, None).await?;
    }
    Ok(())
}

async fn owns_all_contacts_of(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    other: CustomerId,
) -> Result<bool> {
    let sql = "SELECT kind, value FROM customer_key WHERE org_id = $1 AND customer_id = $2
         UNION SELECT 'phone', phone_e164 FROM lead WHERE org_id = $1 AND customer_id = $2 AND phone_e164 IS NOT NULL
         UNION SELECT 'email', email FROM lead WHERE org_id = $1 AND customer_id = $2 AND email IS NOT NULL";
    let addresses = q!(&mut *conn, fetch_all as (ContactPointKind, String), sql, org, other)?;
    for (kind, value) in &addresses {
        if !is_known_contact(&mut *conn, org, customer, (*kind, value)).await? {
            return Ok(false);
        }
    }
    Ok(true)
}
