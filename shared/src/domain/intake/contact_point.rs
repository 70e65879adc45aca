//! Contact points: the phones and emails of a customer, and what proves that each is theirs.
//!
//! A public form proves nothing, because anyone can type any address. An address that a form gives for a customer known
//! by another address stays a [`proposal`]. Documents, links to them, visit messages and messages from the office go
//! only to [`load_lead_recipient`], [`load_visit_recipient`] and [`load_customer_recipient`]; `message::send_policy` checks
//! [`is_usable_contact`]'s rule again at send time.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    domain::intake::lead::{self, LeadFormKind, consent::confirm_by_link},
    platform::{
        access_link::{self, AccessLink, copy::LinkCopyChannel},
        clock::ClockRng,
        db::{AsConn, Tx, q},
        email_address::EmailAddress,
        error::{Error, Result},
        id::{CustomerId, LeadId, OrgId},
        phone::Phone,
        recipient::Recipient,
    },
};

pub(crate) mod confirmed_emails;
pub mod proposal;
mod recipient;
mod sent_papers;
pub(crate) mod set_aside;
pub(crate) mod shared_contacts;
pub(crate) mod typed_contacts;
mod visit_recipient;

pub use recipient::CustomerRecipient;
pub(crate) use recipient::NO_EMAIL_KNOWN;
use set_aside::SetAsideContacts;
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

/// Moves a non-identifying point to another record as its key. The previous record keeps it as a proposal; if it was
/// set aside there, it is also removed from that record and its requests.
pub(crate) async fn transfer_contact_point(
    tx: &mut Tx,
    org: OrgId,
    (from, to): (CustomerId, CustomerId),
    (kind, value): (ContactPointKind, &str),
    (proof, at): (ContactPointProof, DateTime<Utc>),
) -> Result<()> {
    let was_aside = SetAsideContacts::load_for_customer(&mut *tx, org, from).await?.has_contact((kind, value));
    proposal::propose_typed_contact(&mut *tx, org, from, (kind, value), at).await?;
    q!(
        &mut *tx,
        execute,
        "UPDATE customer_key SET customer_id = $5, proof = $6, proved_at = $7, last_used_at = $8,
             request_confirmed_at = NULL
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
    if was_aside && !SetAsideContacts::load_for_customer(&mut *tx, org, from).await?.has_contact((kind, value)) {
        remove_contact_point(tx, org, from, (kind, value)).await?;
    }
    Ok(())
}

/// Clears the requests too: a point without its key would count as the customer's again.
async fn remove_contact_point(
    tx: &mut Tx,
    org: OrgId,
    customer: CustomerId,
    (kind, value): (ContactPointKind, &str),
) -> Result<()> {
    let of_leads = match kind {
        ContactPointKind::Phone => {
            "UPDATE lead SET phone = '', phone_e164 = NULL WHERE org_id = $1 AND customer_id = $2 AND phone_e164 = $3"
        }
        ContactPointKind::Email => "UPDATE lead SET email = NULL WHERE org_id = $1 AND customer_id = $2 AND email = $3",
    };
    q!(&mut *tx, execute, of_leads, org, customer, value)?;
    let of_record = match kind {
        ContactPointKind::Phone => {
            "UPDATE customer SET phone_e164 = NULL WHERE org_id = $1 AND id = $2 AND phone_e164 = $3"
        }
        ContactPointKind::Email => "UPDATE customer SET email = NULL WHERE org_id = $1 AND id = $2 AND email = $3",
    };
    q!(&mut *tx, execute, of_record, org, customer, value)?;
    lead::customer::update_search_index(tx, org, customer).await
}

/// Stores a stronger proof of a point; a link confirmation is the weakest. A point that only answered a form, or is set
/// aside, keeps its state until the office decides. A call or text proves nothing next to a point proven only by link
/// confirmation ([`typed_contacts::is_separate_caller`]). Points set aside by this are proposed to the office.
pub(crate) async fn record_proof(
    tx: &mut Tx,
    org: OrgId,
    customer: CustomerId,
    (kind, value): (ContactPointKind, &str),
    proof: ContactPointProof,
    at: DateTime<Utc>,
) -> Result<()> {
    if !proof.is_proven() {
        return Ok(());
    }
    let is_used = matches!(proof, ContactPointProof::Called | ContactPointProof::Texted);
    if is_used && typed_contacts::is_separate_caller(&mut *tx, org, customer, value).await? {
        return Ok(());
    }
    let by_the_business = matches!(proof, ContactPointProof::Office | ContactPointProof::Imported);
    let before = SetAsideContacts::load_for_customer(&mut *tx, org, customer).await?;
    let kept = q!(
        &mut *tx,
        fetch_optional scalar ContactPointProof,
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
        before.has_contact((kind, value)) && !by_the_business,
        proof == ContactPointProof::LinkOpened
    )?;
    match kept {
        Some(ContactPointProof::Answered) => {
            proposal::mark_proposal_answered(tx, org, customer, (kind, value), at).await
        }
        Some(_) if by_the_business => propose_set_aside_contacts(tx, org, customer, at).await,
        Some(_) => set_aside_after_answer(tx, org, customer, at).await,
        None => Ok(()),
    }
}

/// After a press, a call or a text: proposes what is set aside, and revokes the papers that were sent there. Also what a
/// later form had set aside: the person who gave that address may be another one.
pub(crate) async fn set_aside_after_answer(
    tx: &mut Tx,
    org: OrgId,
    customer: CustomerId,
    at: DateTime<Utc>,
) -> Result<()> {
    propose_set_aside_contacts(&mut *tx, org, customer, at).await?;
    for point in SetAsideContacts::load_for_customer(&mut *tx, org, customer).await?.contact_points() {
        sent_papers::withdraw_sent_papers(&mut *tx, org, customer, point, at).await?;
    }
    Ok(())
}

pub(crate) async fn propose_set_aside_contacts(
    tx: &mut Tx,
    org: OrgId,
    customer: CustomerId,
    at: DateTime<Utc>,
) -> Result<()> {
    for point in SetAsideContacts::load_for_customer(&mut *tx, org, customer).await?.contact_points() {
        proposal::propose_typed_contact(&mut *tx, org, customer, point, at).await?;
    }
    Ok(())
}

/// Records a button press behind one of our links that declines nothing. It proves the address the link was sent to. A
/// link copied by the business, or returned as a form's answer, proves nothing.
pub async fn record_link_answer(tx: &mut Tx, origin: &ClockRng, link: &AccessLink) -> Result<()> {
    let Some(point) = link_address(link) else { return Ok(()) };
    let Some((customer, lead)) = find_link_lead(&mut *tx, link).await? else { return Ok(()) };
    record_link_proof(&mut *tx, origin, (link.org_id, customer), point).await?;
    match point {
        (ContactPointKind::Phone, number) => {
            confirm_by_link(tx, link.org_id, (customer, lead), number, origin.now()).await
        }
        (ContactPointKind::Email, _) => Ok(()),
    }
}

/// The address that the link was sent to by us.
pub(crate) fn link_address(link: &AccessLink) -> Option<(ContactPointKind, &str)> {
    match link.sent_to()? {
        (LinkCopyChannel::Phone, phone) => Some((ContactPointKind::Phone, phone)),
        (LinkCopyChannel::Email, email) => Some((ContactPointKind::Email, email)),
        (LinkCopyChannel::Form, _) => None,
    }
}

pub(crate) async fn record_link_proof(
    tx: &mut Tx,
    origin: &ClockRng,
    (org, customer): (OrgId, CustomerId),
    point: (ContactPointKind, &str),
) -> Result<()> {
    lock_contact_points(&mut *tx, org, customer).await?;
    let is_usable = is_usable_contact(&mut *tx, org, customer, point).await?;
    typed_contacts::reclaim_contact_point(&mut *tx, origin, org, customer, point).await?;
    record_proof(&mut *tx, org, customer, point, ContactPointProof::LinkOpened, origin.now()).await?;
    proposal::record_proposal_link_opened(&mut *tx, origin, org, customer, point).await?;
    if !is_usable {
        // The first press decided: a press at an address that is set aside is for the office to judge.
        return Ok(());
    }
    typed_contacts::set_aside_counterparts(&mut *tx, org, customer, point, origin.now()).await?;
    set_aside_after_answer(tx, org, customer, origin.now()).await
}

/// Two presses at once wait for each other, so that only the first decides. Lock order: the phone before the email, as
/// a form locks them. The customer's own row comes after keys and leads elsewhere, so it is locked only without keys.
async fn lock_contact_points(tx: &mut Tx, org: OrgId, customer: CustomerId) -> Result<()> {
    let sql = "UPDATE customer_key SET proof = proof WHERE org_id = $1 AND customer_id = $2 AND kind = $3";
    let mut locked = 0;
    for kind in [ContactPointKind::Phone, ContactPointKind::Email] {
        locked += q!(&mut *tx, execute, sql, org, customer, kind)?;
    }
    if locked == 0 {
        q!(tx, execute, "UPDATE customer SET name = name WHERE org_id = $1 AND id = $2", org, customer)?;
    }
    Ok(())
}

async fn find_link_lead(conn: &mut dyn AsConn, link: &AccessLink) -> Result<Option<(CustomerId, LeadId)>> {
    let sql = match link.kind {
        access_link::LinkKind::Estimate => {
            "SELECT l.customer_id, l.id FROM estimate s JOIN lead l ON l.org_id = s.org_id AND l.id = s.lead_id
             WHERE s.org_id = $1 AND s.id = $2"
        }
        access_link::LinkKind::Invoice => {
            "SELECT l.customer_id, l.id FROM invoice s JOIN lead l ON l.org_id = s.org_id AND l.id = s.lead_id
             WHERE s.org_id = $1 AND s.id = $2"
        }
        access_link::LinkKind::Visit => {
            "SELECT l.customer_id, l.id FROM job s JOIN lead l ON l.org_id = s.org_id AND l.id = s.lead_id
             WHERE s.org_id = $1 AND s.id = $2"
        }
        access_link::LinkKind::Booking => {
            "SELECT l.customer_id, l.id FROM booking_request s JOIN lead l ON l.org_id = s.org_id AND l.id = s.lead_id
             WHERE s.org_id = $1 AND (s.id = $2 OR s.email_ref = $2)"
        }
        access_link::LinkKind::FreeTimes => {
            "SELECT l.customer_id, l.id FROM lead_inquiry s JOIN lead l ON l.org_id = s.org_id AND l.id = s.lead_id
             WHERE s.org_id = $1 AND s.id = $2"
        }
        access_link::LinkKind::Review => {
            "SELECT customer_id, lead_id FROM review_request WHERE org_id = $1 AND id = $2"
        }
        access_link::LinkKind::Invite | access_link::LinkKind::CrewFeed => return Ok(None),
    };
    Ok(q!(conn, fetch_optional as (CustomerId, LeadId), sql, link.org_id, link.subject_id)?)
}
