//! The keys that a request names, and whose they are.

use chrono::{DateTime, Utc};
use sqlx::FromRow;

use super::Unknown;
use crate::{
    domain::intake::{
        contact_point::{
            self, Kind, Proof,
            typed::{self, Named},
        },
        lead::{Form, NewLead, of_job},
    },
    platform::{
        clock::Origin,
        db::{AsConn, Tx, qb},
        error::Result,
        id::{CustomerId, OrgId},
        live::{self, Topic},
        phone::Phone,
    },
};

/// A key that a request names, as it stands once the request holds it.
#[derive(FromRow)]
pub(super) struct Held {
    kind: Kind,
    value: String,
    pub(super) customer_id: CustomerId,
    proof: Proof,
}

/// Takes the keys by one upsert on their unique rows, phone before email, so two requests of one person at the same
/// instant wait for each other instead of making two customers.
pub(super) async fn hold(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    new: &NewLead,
    fresh: CustomerId,
) -> Result<Vec<Held>> {
    let keys = keys(new);
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let (at, proof) = (new.happened_at.unwrap_or(origin.now()), Proof::of_form(new.form));
    let proved_at = proof.is_proven().then_some(at);
    Ok(qb!(tx, fetch_all as Held, |b| {
        b.push("INSERT INTO customer_key (org_id, kind, value, customer_id, last_used_at, proof, proved_at) ");
        b.push_values(&keys, |mut row, (kind, value)| {
            row.push_bind(org).push_bind(*kind).push_bind(*value).push_bind(fresh).push_bind(at).push_bind(proof);
            row.push_bind(proved_at);
        });
        b.push(" ON CONFLICT (org_id, kind, value) DO UPDATE SET value = excluded.value");
        b.push(" RETURNING kind, value, customer_id, proof");
    })?)
}

/// Whose request it is. What a form, the office or a list names is somebody's only where it identifies them.
pub(super) async fn identified(
    conn: &mut dyn AsConn,
    origin: &Origin,
    org: OrgId,
    new: &NewLead,
    (held, fresh): (&[Held], CustomerId),
) -> Result<Option<CustomerId>> {
    let at = new.happened_at.unwrap_or(origin.now());
    for kind in [Kind::Phone, Kind::Email] {
        let Some(key) = held.iter().find(|key| key.kind == kind && key.customer_id != fresh) else { continue };
        let is_theirs = match new.form {
            Form::Call | Form::Text => is_in_conversation(&mut *conn, org, key.customer_id, &key.value, at).await?,
            _ => is_named(&mut *conn, org, new, key).await?,
        };
        if is_theirs {
            return Ok(Some(key.customer_id));
        }
    }
    if new.is_public() && !held.is_empty() && held.iter().all(|key| stays(key, fresh)) {
        return typed::keyless(conn, org, named(new)).await;
    }
    Ok(None)
}

/// Whether a call or a text from a number of this customer's is in their conversation. It is, whatever proves the number,
/// but where somebody else may have typed it ([`typed::speaks_for_itself`]); and even then while work of theirs is on.
pub(super) async fn is_in_conversation(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    number: &str,
    at: DateTime<Utc>,
) -> Result<bool> {
    Ok(!typed::speaks_for_itself(&mut *conn, org, customer, number).await?
        || of_job::is_on(conn, org, customer, at).await?)
}

/// Whether a call or a text from a number that a form named for this customer is in their conversation: a stranger may have
/// typed both, and pressed a button too.
pub(super) async fn takes_in(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    at: DateTime<Utc>,
) -> Result<bool> {
    Ok(typed::is_known_otherwise(&mut *conn, org, customer).await? || of_job::is_on(conn, org, customer, at).await?)
}

/// Whether the key that a request names makes it its customer's. A public form must name all that forms typed for them and
/// presses prove; where more than that is known, all of it that is another record's key by now.
async fn is_named(conn: &mut dyn AsConn, org: OrgId, new: &NewLead, key: &Held) -> Result<bool> {
    if !contact_point::identifies(&mut *conn, org, key.customer_id, key.proof).await? {
        return Ok(false);
    }
    if !new.is_public() {
        return Ok(true);
    }
    if key.proof.is_proven() && typed::is_known_otherwise(&mut *conn, org, key.customer_id).await? {
        return Ok(!typed::leaves_out_moved(conn, org, key.customer_id, named(new)).await?);
    }
    Ok(typed::names_all(&mut *conn, org, key.customer_id, named(new)).await?
        || typed::names_one_of_merged(conn, org, key.customer_id, named(new)).await?)
}

/// The addresses that a request names.
pub(super) fn named(new: &NewLead) -> Named<'_> {
    (new.phone_e164.as_ref().map(Phone::as_e164), new.email.as_deref())
}

/// What identifies nobody is a key of the new person from now on, and so is the number that they call or text from. What
/// else is proven stays where it is. Whether anything was another's.
pub(super) async fn take_over(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    new: &NewLead,
    (held, fresh): (&[Held], CustomerId),
) -> Result<bool> {
    let (at, proof) = (new.happened_at.unwrap_or(origin.now()), Proof::of_form(new.form));
    let is_used = matches!(proof, Proof::Called | Proof::Texted);
    let mut has_taken = false;
    for key in held.iter().filter(|key| key.customer_id != fresh && (is_used || !key.proof.is_proven())) {
        has_taken = true;
        let point = (key.kind, key.value.as_str());
        contact_point::hand_over(&mut *tx, org, (key.customer_id, fresh), point, (proof, at)).await?;
        live::announce(&mut *tx, origin, org, Topic::Customer, key.customer_id.0, None).await?;
    }
    Ok(has_taken)
}

/// What a form named that stays another record's key.
pub(super) fn elsewhere(new: &NewLead, (held, fresh): (&[Held], CustomerId)) -> Unknown {
    let is_elsewhere = |kind: Kind| held.iter().any(|key| key.kind == kind && stays(key, fresh));
    if new.is_public() {
        Unknown { phone: is_elsewhere(Kind::Phone), email: is_elsewhere(Kind::Email) }
    } else {
        Unknown::default()
    }
}

/// Whether a key that a form names is another record's, and stays there.
fn stays(key: &Held, fresh: CustomerId) -> bool {
    key.customer_id != fresh && key.proof.is_proven()
}

/// The ways to recognise a person, the stronger first.
fn keys(new: &NewLead) -> Vec<(&'static str, &str)> {
    let phone = new.phone_e164.as_ref().map(|phone| ("phone", phone.as_e164()));
    // Nobody can tell those who hide their number apart: they are one, and stand in one conversation.
    let hidden = new.is_hidden().then_some(HIDDEN);
    phone.into_iter().chain(new.email.as_deref().map(|email| ("email", email))).chain(hidden).collect()
}

/// The key of a caller without a number, in place of one.
const HIDDEN: (&str, &str) = ("phone", "hidden");
