//! The person behind leads, recognised by phone or email.

use super::NewLead;
use crate::{
    clock::Origin,
    db::{
        AsConn, Tx,
        batch::{Insert, insert_all, values},
        q, qb,
    },
    error::Result,
    id::{CustomerId, OrgId},
    phone::Phone,
    template::Language,
};

/// Who asked, and whether we have met before.
#[derive(Clone, Copy, Debug)]
pub struct Recognised {
    pub id: CustomerId,
    pub is_new: bool,
}

/// Finds the person, or takes a new id for one: then the caller stores [`row`]. The phone decides where phone and
/// email belong to two people.
///
/// The keys are taken by one upsert on their unique rows, phone before email, so two requests of one person at the
/// same instant wait for each other instead of making two customers.
pub async fn recognise(tx: &mut Tx, origin: &Origin, org: OrgId, new: &NewLead) -> Result<Recognised> {
    let fresh = CustomerId(origin.uuid());
    let keys = keys(new);
    if keys.is_empty() {
        return Ok(Recognised { id: fresh, is_new: true });
    }
    let owners = qb!(&mut *tx, fetch_all as (String, CustomerId), |b| {
        b.push("INSERT INTO customer_key (org_id, kind, value, customer_id) ");
        b.push_values(&keys, |mut row, (kind, value)| {
            row.push_bind(org).push_bind(*kind).push_bind(*value).push_bind(fresh);
        });
        b.push(" ON CONFLICT (org_id, kind, value) DO UPDATE SET value = excluded.value RETURNING kind, customer_id");
    })?;
    let known = |wanted: &str| owners.iter().find(|(kind, id)| kind == wanted && *id != fresh).map(|(_, id)| *id);
    let Some(id) = known("phone").or_else(|| known("email")) else {
        return Ok(Recognised { id: fresh, is_new: true });
    };
    if owners.iter().any(|(_, owner)| *owner == fresh) {
        // A known person with a new number or address.
        let sql = "UPDATE customer_key SET customer_id = $3 WHERE org_id = $1 AND customer_id = $2";
        q!(tx, execute, sql, org, fresh, id)?;
    }
    Ok(Recognised { id, is_new: false })
}

/// The ways to recognise a person, the stronger first.
fn keys(new: &NewLead) -> Vec<(&'static str, &str)> {
    let phone = new.phone_e164.as_ref().map(|phone| ("phone", phone.as_e164()));
    // Nobody can tell those who hide their number apart: they are one, and stand in one conversation.
    let hidden = new.is_hidden().then_some(HIDDEN);
    phone.into_iter().chain(new.email.as_deref().map(|email| ("email", email))).chain(hidden).collect()
}

/// The key of whoever rings without a number, in place of one.
const HIDDEN: (&str, &str) = ("phone", "hidden");

/// The person, made known if they were not: somebody who wrote to us without asking for work.
pub(crate) async fn meet(tx: &mut Tx, origin: &Origin, org: OrgId, new: &NewLead) -> Result<CustomerId> {
    let who = recognise(&mut *tx, origin, org, new).await?;
    if who.is_new {
        insert_all(tx, &[row(origin, org, who.id, new)]).await?;
    }
    Ok(who.id)
}

/// The person behind a number, and the name they are known by.
pub async fn by_phone(conn: &mut impl AsConn, org: OrgId, phone: &Phone) -> Result<Option<(CustomerId, String)>> {
    Ok(q!(
        conn,
        fetch_optional as (CustomerId, String),
        "SELECT c.id, c.name FROM customer_key k JOIN customer c ON c.org_id = k.org_id AND c.id = k.customer_id
         WHERE k.org_id = $1 AND k.kind = 'phone' AND k.value = $2",
        org,
        phone.as_e164()
    )?)
}

/// What this person reads: as they were spoken to before, else as they write, else as the business speaks.
pub(super) async fn language(conn: &mut impl AsConn, org: OrgId, who: &Recognised, new: &NewLead) -> Result<Language> {
    let known = if who.is_new {
        None
    } else {
        let sql = "SELECT language FROM customer WHERE org_id = $1 AND id = $2";
        q!(conn, fetch_optional scalar Option<Language>, sql, org, who.id)?.flatten()
    };
    Ok(known.or_else(|| new.language()).unwrap_or_default())
}

/// The row of a new person.
pub(super) fn row<'a>(origin: &Origin, org: OrgId, id: CustomerId, new: &'a NewLead) -> Insert<'a> {
    Insert::into("customer (org_id, id, name, phone_e164, email, language, created_at)").row(values![
        org,
        id,
        new.name.as_str(),
        new.phone_e164.clone(),
        new.email.as_deref(),
        new.language(),
        origin.now()
    ])
}
