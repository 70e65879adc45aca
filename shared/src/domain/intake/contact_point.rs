//! Contact points: the phones and emails of a customer, and what proves that each is theirs.
//!
//! A public form proves nothing, because anyone can type any address. An address that a form gives for a customer known
//! by another address stays a [`proposal`]. Documents, links to them, visit messages and messages from the office go
//! only to [`load_lead_recipient`], [`load_visit_recipient`] and [`load_customer_recipient`]; `message::send_policy` checks
//! [`is_usable_contact`]'s rule again at send time.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    domain::intake::lead::LeadFormKind,
    platform::{
        db::{AsConn, q},
        email_address::EmailAddress,
        error::{Error, Result},
        id::{CustomerId, LeadId, OrgId},
        phone::Phone,
        recipient::Recipient,
    },
};

pub(crate) mod confirmed_emails;
mod contact_transfer;
mod key_locks;
mod link_proof;
mod proof_record;
pub mod proposal;
mod recipient;
mod restored_proof;
mod sent_papers;
pub(crate) mod set_aside;
pub(crate) mod shared_contacts;
pub(crate) mod typed_contacts;
mod visit_recipient;

pub(crate) use confirmed_emails::{keep_confirmed_emails, withdraw_confirmed_emails};
pub(crate) use contact_transfer::{return_named_keys, transfer_contact_point};
pub(crate) use key_locks::lock_customer_keys;
pub(crate) use link_proof::link_address;
pub use link_proof::{lock_link_contacts, record_link_answer};
pub(crate) use proof_record::{propose_set_aside_contacts, record_proof};
pub(crate) use proposal::has_open_proposal;
pub use recipient::CustomerRecipient;
pub(crate) use recipient::NO_EMAIL_KNOWN;
pub(crate) use restored_proof::restore_answer_proof;
pub(crate) use set_aside::{LastInboundContact, SetAsideContacts};
pub use shared_contacts::find_other_owner_name;
pub(crate) use typed_contacts::has_stronger_proof;
pub use visit_recipient::load_visit_recipient;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
pub enum ContactPointKind {
    Phone,
    Email,
}

impl ContactPointKind {
    #[must_use]
    pub fn of_recipient(to: &Recipient) -> Self {
        match to {
            Recipient::Phone(_) => Self::Phone,
            Recipient::Email(_) => Self::Email,
        }
    }
}

/// What proves that a contact point is its customer's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
pub enum ContactPointProof {
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

impl ContactPointProof {
    #[must_use]
    pub fn from_form(form: LeadFormKind) -> Self {
        match form {
            LeadFormKind::Lead | LeadFormKind::Quote | LeadFormKind::Booking => Self::Form,
            LeadFormKind::Call => Self::Called,
            LeadFormKind::Text => Self::Texted,
            LeadFormKind::Typed => Self::Office,
        }
    }

    #[must_use]
    pub fn is_proven(self) -> bool {
        !matches!(self, Self::Form | Self::Answered)
    }
}

/// Shown beside an unproven number in plain text.
pub(crate) const UNPROVEN_NOTE: &str = "typed into a form";

/// Addresses for messages about this lead: the number for replies, and the lead's email before the customer's. Neither
/// column ever holds an address that a public form named for another customer.
pub async fn load_lead_recipient(conn: &mut dyn AsConn, org: OrgId, lead: LeadId) -> Result<CustomerRecipient> {
    let sql = "SELECT customer_id, phone_e164, email FROM lead WHERE org_id = $1 AND id = $2";
    let found = q!(&mut *conn, fetch_optional as (CustomerId, Option<Phone>, Option<EmailAddress>), sql, org, lead)?;
    let (customer, phone, email) = found.ok_or(Error::NotFound)?;
    let aside = SetAsideContacts::load_for_customer(&mut *conn, org, customer).await?;
    let given = CustomerRecipient { phone, email, ..CustomerRecipient::default() };
    let given = given.load_excluding_set_aside(&mut *conn, org, customer, &aside).await?;
    let on_record = load_recorded_recipient(&mut *conn, org, customer).await?;
    let on_record = on_record.load_excluding_set_aside(conn, org, customer, &aside).await?;
    Ok(CustomerRecipient {
        phone_left_out: on_record.phone_left_out.or(given.phone_left_out),
        email_left_out: on_record.email_left_out.or(given.email_left_out),
        phone: on_record.phone.or(given.phone),
        email: given.email.or(on_record.email),
    })
}

pub async fn load_customer_recipient(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
) -> Result<CustomerRecipient> {
    let aside = SetAsideContacts::load_for_customer(&mut *conn, org, customer).await?;
    let on_record = load_recorded_recipient(&mut *conn, org, customer).await?;
    on_record.load_excluding_set_aside(conn, org, customer, &aside).await
}

pub(crate) async fn load_recorded_recipient(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
) -> Result<CustomerRecipient> {
    let sql = "SELECT phone_e164, email FROM customer WHERE org_id = $1 AND id = $2";
    q!(conn, fetch_optional as CustomerRecipient, sql, org, customer)?.ok_or(Error::NotFound)
}

/// Whether the address is on the customer's record or requests, or is a key of theirs, and is not set aside.
pub async fn is_usable_contact(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    point: (ContactPointKind, &str),
) -> Result<bool> {
    let aside = SetAsideContacts::load_for_customer(&mut *conn, org, customer).await?;
    Ok(!aside.has_contact(point) && is_known_contact(conn, org, customer, point).await?)
}

/// The same check, including addresses that are set aside.
pub(crate) async fn is_known_contact(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    (kind, value): (ContactPointKind, &str),
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

pub async fn is_proven_contact(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    (kind, value): (ContactPointKind, &str),
) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM customer_key WHERE org_id = $1 AND kind = $3 AND value = $4
        AND customer_id = $2 AND proof NOT IN ('form', 'answered'))";
    Ok(q!(conn, fetch_one scalar bool, sql, org, customer, kind, value)?)
}

pub(crate) async fn find_proven_owner(
    conn: &mut dyn AsConn,
    org: OrgId,
    (kind, value): (ContactPointKind, &str),
) -> Result<Option<CustomerId>> {
    let sql = "SELECT customer_id FROM customer_key WHERE org_id = $1 AND kind = $2 AND value = $3
        AND proof NOT IN ('form', 'answered')";
    Ok(q!(conn, fetch_optional scalar CustomerId, sql, org, kind, value)?)
}

pub async fn find_proof(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    (kind, value): (ContactPointKind, Option<&str>),
) -> Result<Option<ContactPointProof>> {
    let Some(value) = value else { return Ok(None) };
    let sql = "SELECT proof FROM customer_key WHERE org_id = $1 AND kind = $3 AND value = $4 AND customer_id = $2";
    Ok(q!(conn, fetch_optional scalar ContactPointProof, sql, org, customer, kind, value)?)
}

/// Whether a request naming one of this customer's points is theirs. A point that only a form typed, or that is set
/// aside, identifies no customer once another point is proven or known to the office. Without such a point, or with
/// link confirmations only, a public form must name all else on the record ([`typed_contacts::names_all_contacts`]).
pub(crate) async fn identifies_customer(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    proof: ContactPointProof,
) -> Result<bool> {
    if proof != ContactPointProof::Form {
        return Ok(proof.is_proven());
    }
    let sql = "SELECT NOT EXISTS (SELECT 1 FROM customer_key WHERE org_id = $1 AND customer_id = $2
        AND proof NOT IN ('form', 'answered'))";
    Ok(q!(conn, fetch_one scalar bool, sql, org, customer)?)
}
