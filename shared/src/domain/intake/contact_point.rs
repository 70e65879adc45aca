//! Contact points: the phones and emails of a customer, and what proves that each is theirs.
//!
//! A public form proves nothing: anybody types any address there. What a form names for a customer who is known by the
//! other address stays a [`proposal`]. Papers, links to papers, visit messages and what the office writes go to
//! [`of_lead`] and [`of_customer`] only; `message::gate` asks [`is_on_file`]'s rule again when a message leaves.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    domain::{
        intake::lead::{self, Form},
        work::booking::unproven,
    },
    platform::{
        access_link::{self, Link, copy::Way},
        clock::Origin,
        db::{AsConn, Tx, q},
        error::{Error, Result},
        id::{CustomerId, JobId, LeadId, OrgId},
    },
};

pub(crate) mod both;
pub mod proposal;
mod recipient;
pub(crate) mod set_aside;
pub(crate) mod typed;

pub use both::also_for;
pub use recipient::Recipient;
use set_aside::SetAside;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[schema(as = ContactPointKind)]
pub enum Kind {
    Phone,
    Email,
}

/// What proves that a contact point is its customer's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[schema(as = ContactPointProof)]
pub enum Proof {
    /// It was on file before proofs were kept.
    OnFile,
    /// It was typed into the form with which the customer became known.
    Form,
    /// A form named it for this customer, and somebody called or texted from it. Its owner is reached there; that they
    /// are this customer is for the office to say.
    Answered,
    Called,
    Texted,
    /// They pressed a button behind a link that was sent there and nowhere else.
    LinkOpened,
    /// Typed or confirmed by the office.
    Office,
    Imported,
}

impl Proof {
    /// What a request that comes this way proves about the addresses it names.
    #[must_use]
    pub fn of_form(form: Form) -> Self {
        match form {
            Form::Lead | Form::Quote | Form::Booking => Self::Form,
            Form::Call => Self::Called,
            Form::Text => Self::Texted,
            Form::Typed => Self::Office,
        }
    }

    /// Whether it proves more than that somebody typed it.
    #[must_use]
    pub fn is_proven(self) -> bool {
        !matches!(self, Self::Form | Self::Answered)
    }
}

/// Said beside a number in plain text when nothing proves it.
pub(crate) const ONLY_TYPED: &str = "typed into a form";

/// The addresses for messages about this lead: the number that replies go to, and the email given with the lead before
/// the customer's. Neither column ever takes what a public form named for somebody else.
///
/// # Errors
/// [`Error::NotFound`] when the org has no such lead.
pub async fn of_lead(conn: &mut dyn AsConn, org: OrgId, lead: LeadId) -> Result<Recipient> {
    let sql = "SELECT customer_id, phone_e164, email FROM lead WHERE org_id = $1 AND id = $2";
    let found = q!(&mut *conn, fetch_optional as (CustomerId, Option<String>, Option<String>), sql, org, lead)?;
    let (customer, phone, email) = found.ok_or(Error::NotFound)?;
    let aside = SetAside::of(&mut *conn, org, customer).await?;
    let given = Recipient { phone, email, ..Recipient::default() }.without(&aside);
    let on_record = on_record(conn, org, customer).await?.without(&aside);
    Ok(Recipient {
        phone_waits: on_record.phone_waits || given.phone_waits,
        email_waits: on_record.email_waits || given.email_waits,
        phone: on_record.phone.or(given.phone),
        email: given.email.or(on_record.email),
    })
}

/// The addresses for messages about no lead in particular.
///
/// # Errors
/// [`Error::NotFound`] when the org has no such customer.
pub async fn of_customer(conn: &mut dyn AsConn, org: OrgId, customer: CustomerId) -> Result<Recipient> {
    let aside = SetAside::of(&mut *conn, org, customer).await?;
    Ok(on_record(conn, org, customer).await?.without(&aside))
}

/// What stands on the customer's record, set aside or not.
///
/// # Errors
/// [`Error::NotFound`] when the org has no such customer.
pub(crate) async fn on_record(conn: &mut dyn AsConn, org: OrgId, customer: CustomerId) -> Result<Recipient> {
    let sql = "SELECT phone_e164, email FROM customer WHERE org_id = $1 AND id = $2";
    q!(conn, fetch_optional as Recipient, sql, org, customer)?.ok_or(Error::NotFound)
}

/// Whether this address is one of the customer's: on their record, on one of their requests, or a key of theirs; and not
/// set aside.
pub async fn is_on_file(conn: &mut dyn AsConn, org: OrgId, customer: CustomerId, point: (Kind, &str)) -> Result<bool> {
    let aside = SetAside::of(&mut *conn, org, customer).await?;
    Ok(!aside.has(point) && is_known(conn, org, customer, point).await?)
}

/// The same, set aside or not.
pub(crate) async fn is_known(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    (kind, value): (Kind, &str),
) -> Result<bool> {
    Ok(q!(
        conn,
        fetch_one scalar bool,
        "SELECT EXISTS (SELECT 1 FROM customer_key WHERE org_id = $1 AND kind = $3 AND value = $4 AND customer_id = $2)
             OR EXISTS (SELECT 1 FROM customer WHERE org_id = $1 AND id = $2
                 AND CASE WHEN $3 = 'phone' THEN phone_e164 ELSE email END = $4)
             OR EXISTS (SELECT 1 FROM lead WHERE org_id = $1 AND customer_id = $2
                 AND CASE WHEN $3 = 'phone' THEN phone_e164 ELSE email END = $4)",
        org,
        customer,
        kind,
        value
    )?)
}

/// Whether somebody has shown that this address is theirs, and theirs is this customer's.
pub async fn is_proven(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    (kind, value): (Kind, &str),
) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM customer_key WHERE org_id = $1 AND kind = $3 AND value = $4
        AND customer_id = $2 AND proof NOT IN ('form', 'answered'))";
    Ok(q!(conn, fetch_one scalar bool, sql, org, customer, kind, value)?)
}

/// The customer whose this address has been shown to be.
pub(crate) async fn proven_holder(
    conn: &mut dyn AsConn,
    org: OrgId,
    (kind, value): (Kind, &str),
) -> Result<Option<CustomerId>> {
    let sql = "SELECT customer_id FROM customer_key WHERE org_id = $1 AND kind = $2 AND value = $3
        AND proof NOT IN ('form', 'answered')";
    Ok(q!(conn, fetch_optional scalar CustomerId, sql, org, kind, value)?)
}

/// What proves this point, where the customer is known by it.
pub async fn proof(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    (kind, value): (Kind, Option<&str>),
) -> Result<Option<Proof>> {
    let Some(value) = value else { return Ok(None) };
    let sql = "SELECT proof FROM customer_key WHERE org_id = $1 AND kind = $3 AND value = $4 AND customer_id = $2";
    Ok(q!(conn, fetch_optional scalar Proof, sql, org, customer, kind, value)?)
}

/// Whether a request that names a point of this customer's is theirs. What only a form typed, or what is set aside, names
/// nobody as soon as something else of the customer's is proven or known by the office. Where nothing is, or presses are
/// all that is, a public form must name all that is on the record besides ([`typed::names_all`]).
pub(crate) async fn identifies(conn: &mut dyn AsConn, org: OrgId, customer: CustomerId, proof: Proof) -> Result<bool> {
    if proof != Proof::Form {
        return Ok(proof.is_proven());
    }
    let sql = "SELECT NOT EXISTS (SELECT 1 FROM customer_key WHERE org_id = $1 AND customer_id = $2
        AND proof NOT IN ('form', 'answered'))";
    Ok(q!(conn, fetch_one scalar bool, sql, org, customer)?)
}

/// A point that identifies nobody becomes the key of another record. The one that had it shows it as a proposal, and
/// nowhere else what was set aside there.
pub(crate) async fn hand_over(
    tx: &mut Tx,
    org: OrgId,
    (from, to): (CustomerId, CustomerId),
    (kind, value): (Kind, &str),
    (proof, at): (Proof, DateTime<Utc>),
) -> Result<()> {
    let was_aside = SetAside::of(&mut *tx, org, from).await?.has((kind, value));
    proposal::of_typed(&mut *tx, org, from, (kind, value), at).await?;
    q!(
        &mut *tx,
        execute,
        "UPDATE customer_key SET customer_id = $5, proof = $6, proved_at = $7, last_used_at = $8
         WHERE org_id = $1 AND customer_id = $2 AND kind = $3 AND value = $4",
        org,
        from,
        kind,
        value,
        to,
        proof,
        proof.is_proven().then_some(at),
        at
    )?;
    if was_aside && !SetAside::of(&mut *tx, org, from).await?.has((kind, value)) {
        take_off(tx, org, from, (kind, value)).await?;
    }
    Ok(())
}

/// A point leaves a record and its requests: without its key it would count as the customer's again.
async fn take_off(tx: &mut Tx, org: OrgId, customer: CustomerId, (kind, value): (Kind, &str)) -> Result<()> {
    let of_leads = match kind {
        Kind::Phone => {
            "UPDATE lead SET phone = '', phone_e164 = NULL WHERE org_id = $1 AND customer_id = $2 AND phone_e164 = $3"
        }
        Kind::Email => "UPDATE lead SET email = NULL WHERE org_id = $1 AND customer_id = $2 AND email = $3",
    };
    q!(&mut *tx, execute, of_leads, org, customer, value)?;
    let of_record = match kind {
        Kind::Phone => "UPDATE customer SET phone_e164 = NULL WHERE org_id = $1 AND id = $2 AND phone_e164 = $3",
        Kind::Email => "UPDATE customer SET email = NULL WHERE org_id = $1 AND id = $2 AND email = $3",
    };
    q!(&mut *tx, execute, of_record, org, customer, value)?;
    lead::customer::index(tx, org, customer).await
}

/// Keeps a stronger proof of a point; a press is the weakest. What only answered a form stays that until the office says
/// more, and so does what is set aside. A call or a text proves nothing beside what only a press has proven
/// ([`typed::speaks_for_itself`]). What is set aside from now on is proposed to the office.
pub(crate) async fn prove(
    tx: &mut Tx,
    org: OrgId,
    customer: CustomerId,
    (kind, value): (Kind, &str),
    proof: Proof,
    at: DateTime<Utc>,
) -> Result<()> {
    if !proof.is_proven() {
        return Ok(());
    }
    let is_used = matches!(proof, Proof::Called | Proof::Texted);
    if is_used && typed::speaks_for_itself(&mut *tx, org, customer, value).await? {
        return Ok(());
    }
    let by_the_business = matches!(proof, Proof::Office | Proof::Imported);
    let is_aside = SetAside::of(&mut *tx, org, customer).await?.has((kind, value));
    let kept = q!(
        &mut *tx,
        fetch_optional scalar Proof,
        "UPDATE customer_key SET proved_at = $6, proof = CASE WHEN proof = 'form' AND $8 THEN 'answered' ELSE $5 END
         WHERE org_id = $1 AND kind = $3 AND value = $4 AND customer_id = $2
             AND (proof = 'form' OR (proof IN ('on_file', 'link_opened') AND NOT $9) OR (proof = 'answered' AND $7))
         RETURNING proof",
        org,
        customer,
        kind,
        value,
        proof,
        at,
        by_the_business,
        is_aside && !by_the_business,
        proof == Proof::LinkOpened
    )?;
    match kept {
        Some(Proof::Answered) => proposal::note_answered(tx, org, customer, (kind, value), at).await,
        Some(_) => propose_set_aside(tx, org, customer, at).await,
        None => Ok(()),
    }
}

/// What of a customer's is set aside is proposed to the office, each address once.
pub(crate) async fn propose_set_aside(tx: &mut Tx, org: OrgId, customer: CustomerId, at: DateTime<Utc>) -> Result<()> {
    for point in SetAside::of(&mut *tx, org, customer).await?.points() {
        proposal::of_typed(&mut *tx, org, customer, point, at).await?;
    }
    Ok(())
}

/// A person pressed a button behind a link of ours that refuses nothing. Where the link was sent to one address, that
/// address is theirs; a link that the business copied, or that a form was answered with, proves nothing.
pub async fn answered_by_link(tx: &mut Tx, origin: &Origin, link: &Link) -> Result<()> {
    let point = match link.sent_to() {
        Some((Way::Phone, phone)) => (Kind::Phone, phone),
        Some((Way::Email, email)) => (Kind::Email, email),
        Some((Way::Form, _)) | None => return Ok(()),
    };
    if link.kind == access_link::Kind::Visit {
        unproven::proven(&mut *tx, link.org_id, JobId(link.subject_id)).await?;
    }
    let Some(customer) = customer_behind(&mut *tx, link).await? else { return Ok(()) };
    proven_by_link(tx, origin, (link.org_id, customer), point).await
}

/// The link that was sent to this address was answered.
pub(crate) async fn proven_by_link(
    tx: &mut Tx,
    origin: &Origin,
    (org, customer): (OrgId, CustomerId),
    point: (Kind, &str),
) -> Result<()> {
    typed::take_back(&mut *tx, origin, org, customer, point).await?;
    prove(&mut *tx, org, customer, point, Proof::LinkOpened, origin.now()).await?;
    proposal::opened(tx, origin, org, customer, point).await
}

/// Whose matter a link is about.
async fn customer_behind(conn: &mut dyn AsConn, link: &Link) -> Result<Option<CustomerId>> {
    let sql = match link.kind {
        access_link::Kind::Estimate => {
            "SELECT l.customer_id FROM estimate s JOIN lead l ON l.org_id = s.org_id AND l.id = s.lead_id
             WHERE s.org_id = $1 AND s.id = $2"
        }
        access_link::Kind::Invoice => {
            "SELECT l.customer_id FROM invoice s JOIN lead l ON l.org_id = s.org_id AND l.id = s.lead_id
             WHERE s.org_id = $1 AND s.id = $2"
        }
        access_link::Kind::Visit => {
            "SELECT l.customer_id FROM job s JOIN lead l ON l.org_id = s.org_id AND l.id = s.lead_id
             WHERE s.org_id = $1 AND s.id = $2"
        }
        access_link::Kind::Booking => {
            "SELECT l.customer_id FROM booking_request s JOIN lead l ON l.org_id = s.org_id AND l.id = s.lead_id
             WHERE s.org_id = $1 AND (s.id = $2 OR s.email_ref = $2)"
        }
        access_link::Kind::Review => "SELECT customer_id FROM review_ask WHERE org_id = $1 AND id = $2",
        access_link::Kind::Invite | access_link::Kind::CrewFeed => return Ok(None),
    };
    Ok(q!(conn, fetch_optional scalar CustomerId, sql, link.org_id, link.subject_id)?)
}
