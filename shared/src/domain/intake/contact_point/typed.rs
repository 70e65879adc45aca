//! What only forms typed and presses behind links prove: two forms that name the same address may be two people's, and so
//! may two presses. A record takes in what names every address of it, and no address that another form typed gets papers
//! of a later request.

use chrono::{DateTime, Utc};

use super::{Kind, Proof, hand_over, is_known, is_on_file, proposal};
use crate::platform::{
    clock::Origin,
    db::{AsConn, Tx, q},
    error::Result,
    id::{CustomerId, OrgId},
    live::{self, Topic},
};

/// The phone and the email that a form names.
pub(crate) type Named<'a> = (Option<&'a str>, Option<&'a str>);

/// Whether a form names every address of this record: its keys that only forms typed or presses prove, and what stands on
/// the record and on its requests, for papers go to all of these.
pub(crate) async fn names_all(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    (phone, email): Named<'_>,
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

/// Whether a form names every address of one request of a record that the office has made of several: then who sent that
/// request is one with the others by the office's word.
pub(crate) async fn names_one_of_merged(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    (phone, email): Named<'_>,
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

/// The record of its own that an earlier form with the same addresses made, where the keys stayed other records'.
pub(crate) async fn keyless(
    conn: &mut dyn AsConn,
    org: OrgId,
    (phone, email): Named<'_>,
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
        if names_all(&mut *conn, org, customer, (phone, email)).await? {
            return Ok(Some(customer));
        }
    }
    Ok(None)
}

/// Whether a form leaves out an address that stands on this record, gets its papers, and is another record's key by now.
pub(crate) async fn leaves_out_moved(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    (phone, email): Named<'_>,
) -> Result<bool> {
    let moved = q!(
        &mut *conn,
        fetch_all as (Kind, String),
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
        if is_on_file(&mut *conn, org, customer, (*kind, value)).await? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a call or a text from this number is a person of its own: only a form typed it, or a press proves it, and all
/// that is proven of the record besides was proven by a press at another address. The person who pressed there may be another
/// than who has the number.
pub(crate) async fn speaks_for_itself(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    number: &str,
) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM customer_key WHERE org_id = $1 AND kind = 'phone' AND value = $3
             AND customer_id = $2 AND proof IN ('form', 'link_opened'))
         AND EXISTS (SELECT 1 FROM customer_key WHERE org_id = $1 AND customer_id = $2 AND proof = 'link_opened'
             AND NOT (kind = 'phone' AND value = $3))";
    let is_beside_a_press = q!(&mut *conn, fetch_one scalar bool, sql, org, customer, number)?;
    Ok(is_beside_a_press && !is_known_otherwise(conn, org, customer).await?)
}

/// Whether more is proven of a customer than that somebody typed an address and pressed a button there: they called or
/// texted, or the business knows them or has made their record of several.
pub(crate) async fn is_known_otherwise(conn: &mut dyn AsConn, org: OrgId, customer: CustomerId) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM customer_key WHERE org_id = $1 AND customer_id = $2
             AND proof NOT IN ('form', 'answered', 'link_opened'))
         OR EXISTS (SELECT 1 FROM customer_merge WHERE org_id = $1 AND kept_id = $2 AND undone_at IS NULL)";
    Ok(q!(conn, fetch_one scalar bool, sql, org, customer)?)
}

/// A form that names what is proven of a customer, and not all that an earlier form typed for them: what it leaves out is
/// proposed to the office, and is set aside until then.
pub(crate) async fn set_aside_unnamed(
    tx: &mut Tx,
    org: OrgId,
    customer: CustomerId,
    (phone, email): Named<'_>,
    at: DateTime<Utc>,
) -> Result<()> {
    let unnamed = q!(
        &mut *tx,
        fetch_all as (Kind, String),
        "SELECT kind, value FROM customer_key k WHERE k.org_id = $1 AND k.customer_id = $2 AND k.proof = 'form'
             AND k.value <> CASE WHEN k.kind = 'phone' THEN $3 ELSE $4 END
             AND EXISTS (SELECT 1 FROM customer_key p WHERE p.org_id = $1 AND p.customer_id = $2
                 AND p.proof NOT IN ('form', 'answered'))",
        org,
        customer,
        phone.unwrap_or_default(),
        email.unwrap_or_default()
    )?;
    for (kind, value) in &unnamed {
        proposal::of_typed(&mut *tx, org, customer, (*kind, value), at).await?;
    }
    Ok(())
}

/// A form that names what is proven of a customer otherwise, and leaves out an address at which a button was pressed:
/// the person who pressed may be another than who sent the form. From now on the address counts as one that answered a form. Where
/// the office has made the record of several, it has said who is meant.
pub(crate) async fn set_aside_pressed(
    tx: &mut Tx,
    org: OrgId,
    customer: CustomerId,
    (phone, email): Named<'_>,
    at: DateTime<Utc>,
) -> Result<()> {
    let pressed = q!(
        &mut *tx,
        fetch_all as (Kind, String),
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
    for (kind, value) in &pressed {
        proposal::of_typed(&mut *tx, org, customer, (*kind, value), at).await?;
        proposal::note_answered(&mut *tx, org, customer, (*kind, value), at).await?;
    }
    Ok(())
}

/// A link of this customer's was answered at an address that is on their record and, by a later form, another record's
/// key: it is theirs now. It stays with a record that has an address besides which this customer has not: that one may be
/// the person who has the address.
pub(super) async fn take_back(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    customer: CustomerId,
    (kind, value): (Kind, &str),
) -> Result<()> {
    let sql =
        "SELECT customer_id FROM customer_key WHERE org_id = $1 AND kind = $2 AND value = $3 AND customer_id <> $4
         AND proof = 'form'";
    let found = q!(&mut *tx, fetch_optional scalar CustomerId, sql, org, kind, value, customer)?;
    let Some(holder) = found else { return Ok(()) };
    if !is_on_file(&mut *tx, org, customer, (kind, value)).await?
        || !has_all_of(&mut *tx, org, customer, holder).await?
    {
        return Ok(());
    }
    hand_over(&mut *tx, org, (holder, customer), (kind, value), (Proof::LinkOpened, origin.now())).await?;
    for id in [holder, customer] {
        live::announce(&mut *tx, origin, org, Topic::Customer, id.0, None).await?;
    }
    Ok(())
}

/// Whether every address of another record is one of this customer's.
async fn has_all_of(conn: &mut dyn AsConn, org: OrgId, customer: CustomerId, other: CustomerId) -> Result<bool> {
    let sql = "SELECT kind, value FROM customer_key WHERE org_id = $1 AND customer_id = $2
         UNION SELECT 'phone', phone_e164 FROM lead WHERE org_id = $1 AND customer_id = $2 AND phone_e164 IS NOT NULL
         UNION SELECT 'email', email FROM lead WHERE org_id = $1 AND customer_id = $2 AND email IS NOT NULL";
    let addresses = q!(&mut *conn, fetch_all as (Kind, String), sql, org, other)?;
    for (kind, value) in &addresses {
        if !is_known(&mut *conn, org, customer, (*kind, value)).await? {
            return Ok(false);
        }
    }
    Ok(true)
}
