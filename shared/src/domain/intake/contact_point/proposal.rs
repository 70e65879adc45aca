//! A phone or email that a public form named for a customer who is known by the other one: shown on the lead and the
//! customer, used or dismissed by the office, and taken back by the undo.

use chrono::{DateTime, Duration, Utc};
use serde::Serialize;
use sha2::{Digest, Sha256};
use sqlx::FromRow;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{Kind, Proof, set_aside::SetAside};
use crate::{
    domain::intake::{
        customer::{
            self,
            edit::{self, CustomerForm},
        },
        lead,
    },
    platform::{
        clock::Origin,
        db::{
            AsConn, Tx,
            batch::{Insert, values},
            q,
        },
        error::{Error, Result},
        id::{AccountId, ContactProposalId, CustomerId, LeadId, OrgId},
        live::{self, Topic},
        phone::Phone,
    },
};

/// A call or text from a proposed number within this time answers the form that named it.
const ANSWERS_WITHIN: Duration = Duration::days(30);
/// Open proposals that one customer can have: more are of no use to the office, and may be typed by a robot.
const MOST_OPEN: i64 = 10;

/// A proposal as the office sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromRow, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ContactProposal)]
pub struct Proposal {
    pub id: ContactProposalId,
    pub lead_id: LeadId,
    pub kind: Kind,
    /// E.164 or an email address.
    pub value: String,
    /// As people read it.
    #[sqlx(skip)]
    pub shown: String,
    pub created_at: DateTime<Utc>,
    /// When somebody called or texted from it; null when nobody did.
    pub answered_at: Option<DateTime<Utc>>,
    /// Another record that has this one, by name: if they are one person, the two are merged.
    pub belongs_to: Option<String>,
    pub belongs_to_id: Option<CustomerId>,
}

impl Proposal {
    fn readable(self) -> Self {
        let phone = (self.kind == Kind::Phone).then(|| Phone::parse(&self.value)).flatten();
        let shown = phone.map_or_else(|| self.value.clone(), |phone| phone.shown().into_owned());
        Self { shown, ..self }
    }
}

/// What waits for the office: what answered first, then the newest. Each address once.
pub async fn open(conn: &mut dyn AsConn, org: OrgId, customer: CustomerId) -> Result<Vec<Proposal>> {
    let mut found = q!(
        conn,
        fetch_all as Proposal,
        "SELECT p.id, p.lead_id, p.kind, p.value, p.created_at, p.answered_at, c.name AS belongs_to,
             c.id AS belongs_to_id
         FROM contact_proposal p
             LEFT JOIN customer_key k ON k.org_id = p.org_id AND k.kind = p.kind AND k.value = p.value
             LEFT JOIN customer c ON c.org_id = k.org_id AND c.id = k.customer_id AND c.id <> p.customer_id
         WHERE p.org_id = $1 AND p.customer_id = $2 AND p.state = 'open'
             AND NOT (k.customer_id IS NOT NULL AND k.customer_id = p.customer_id
                 AND k.proof NOT IN ('answered', 'form'))
         ORDER BY p.answered_at IS NULL, p.created_at DESC, p.id DESC LIMIT $3",
        org,
        customer,
        MOST_OPEN
    )?;
    let mut seen: Vec<String> = Vec::new();
    found.retain(|one| {
        let is_first = !seen.contains(&one.value);
        seen.push(one.value.clone());
        is_first
    });
    Ok(found.into_iter().map(Proposal::readable).collect())
}

/// The row of a new proposal; none where the office has dismissed this address already, or too many wait.
pub(crate) async fn row<'a>(
    conn: &mut dyn AsConn,
    origin: &Origin,
    org: OrgId,
    (customer, lead): (CustomerId, LeadId),
    (kind, value): (Kind, String),
) -> Result<Option<Insert<'a>>> {
    let is_wanted = q!(
        conn,
        fetch_one scalar bool,
        "SELECT NOT EXISTS (SELECT 1 FROM contact_proposal WHERE org_id = $1 AND customer_id = $2 AND state = 'dismissed'
                 AND kind = $3 AND value = $4)
             AND (SELECT COUNT(*) FROM contact_proposal WHERE org_id = $1 AND customer_id = $2 AND state = 'open') < $5",
        org,
        customer,
        kind,
        value.as_str(),
        MOST_OPEN
    )?;
    let id = ContactProposalId(origin.random_uuid());
    let insert = || {
        Insert::into("contact_proposal (org_id, id, customer_id, lead_id, kind, value, state, created_at)")
            .unless_there("org_id, lead_id, kind, value")
            .row(values![org, id, customer, lead, kind, value, "open", origin.now()])
    };
    Ok(is_wanted.then(insert))
}

/// An address of the customer that is set aside from now on: the office uses it, or dismisses it.
pub(super) async fn of_typed(
    tx: &mut Tx,
    org: OrgId,
    customer: CustomerId,
    (kind, value): (Kind, &str),
    at: DateTime<Utc>,
) -> Result<()> {
    let id = typed_id(org, customer, (kind, value));
    q!(
        tx,
        execute,
        "INSERT INTO contact_proposal (org_id, id, customer_id, lead_id, kind, value, state, created_at)
         SELECT $1, $2, $3, l.id, $4, $5, 'open', $6 FROM lead l WHERE l.org_id = $1 AND l.customer_id = $3
             AND NOT EXISTS (SELECT 1 FROM contact_proposal d WHERE d.org_id = $1 AND d.customer_id = $3
                 AND d.kind = $4 AND d.value = $5)
         ORDER BY l.created_at, l.id LIMIT 1 ON CONFLICT DO NOTHING",
        org,
        id,
        customer,
        kind,
        value,
        at
    )?;
    Ok(())
}

/// The same address of the same customer has the same id: it is proposed once.
fn typed_id(org: OrgId, customer: CustomerId, (kind, value): (Kind, &str)) -> ContactProposalId {
    let digest = Sha256::digest(format!("{org} {customer} {kind:?} {value}"));
    ContactProposalId(Uuid::from_slice(digest.get(..16).unwrap_or_default()).unwrap_or_default())
}

/// Takes back what [`of_typed`] proposed since and nobody has decided.
pub(crate) async fn withdraw_typed(tx: &mut Tx, org: OrgId, customer: CustomerId, since: DateTime<Utc>) -> Result<()> {
    let aside = SetAside::of(&mut *tx, org, customer).await?;
    for point in aside.points() {
        let id = typed_id(org, customer, point);
        let sql = "DELETE FROM contact_proposal WHERE org_id = $1 AND id = $2 AND state = 'open' AND created_at >= $3";
        q!(&mut *tx, execute, sql, org, id, since)?;
    }
    Ok(())
}

/// An address that is set aside was called or texted from, or a link sent to it was used.
pub(super) async fn note_answered(
    tx: &mut Tx,
    org: OrgId,
    customer: CustomerId,
    (kind, value): (Kind, &str),
    at: DateTime<Utc>,
) -> Result<()> {
    let sql = "UPDATE contact_proposal SET answered_at = $5 WHERE org_id = $1 AND customer_id = $2 AND kind = $3
         AND value = $4 AND state = 'open' AND answered_at IS NULL";
    q!(tx, execute, sql, org, customer, kind, value, at)?;
    Ok(())
}

/// The customer that a form named this number for, if it is one and no other lately.
pub(crate) async fn named_for(
    conn: &mut dyn AsConn,
    org: OrgId,
    phone: &Phone,
    now: DateTime<Utc>,
) -> Result<Option<CustomerId>> {
    let named = q!(
        conn,
        fetch_all scalar CustomerId,
        "SELECT DISTINCT customer_id FROM contact_proposal WHERE org_id = $1 AND kind = 'phone' AND value = $2
             AND state = 'open' AND created_at > $3 LIMIT 2",
        org,
        phone.as_e164(),
        now - ANSWERS_WITHIN
    )?;
    Ok(match named[..] {
        [customer] => Some(customer),
        _ => None,
    })
}

/// A proposed address has answered: somebody called or texted from it, or opened a link that was sent to it. To answer
/// proves that the address is real, not that its owner is the customer: the office decides, and sees that it answered. It
/// becomes the customer's at once only where nothing else of theirs is known. What it proves.
pub(crate) async fn answered(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    customer: CustomerId,
    (kind, value): (Kind, &str),
    proof: Proof,
) -> Result<Proof> {
    let now = origin.now();
    let has_more = "SELECT EXISTS (SELECT 1 FROM customer_key WHERE org_id = $1 AND customer_id = $2
             AND NOT (kind = $3 AND value = $4))
         OR EXISTS (SELECT 1 FROM customer WHERE org_id = $1 AND id = $2
             AND (phone_e164 IS NOT NULL OR email IS NOT NULL))";
    let asks = q!(&mut *tx, fetch_one scalar bool, has_more, org, customer, kind, value)?;
    q!(
        &mut *tx,
        execute,
        "UPDATE contact_proposal SET answered_at = $5, state = CASE WHEN $6 THEN 'open' ELSE 'used' END,
             decided_at = CASE WHEN $6 THEN decided_at ELSE $5 END
         WHERE org_id = $1 AND customer_id = $2 AND kind = $3 AND value = $4 AND state = 'open'",
        org,
        customer,
        kind,
        value,
        now,
        asks
    )?;
    live::announce(tx, origin, org, Topic::Customer, customer.0, None).await?;
    Ok(if asks { Proof::Answered } else { proof })
}

/// The link that was sent to an address was used: if the address is only proposed for this customer, see [`answered`].
pub(crate) async fn opened(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    customer: CustomerId,
    (kind, value): (Kind, &str),
) -> Result<()> {
    let sql = "SELECT EXISTS (SELECT 1 FROM contact_proposal WHERE org_id = $1 AND customer_id = $2 AND kind = $3
        AND value = $4 AND state = 'open')";
    if !q!(&mut *tx, fetch_one scalar bool, sql, org, customer, kind, value)? {
        return Ok(());
    }
    let proof = answered(&mut *tx, origin, org, customer, (kind, value), Proof::LinkOpened).await?;
    let sql = "INSERT INTO customer_key (org_id, kind, value, customer_id, last_used_at, proof, proved_at)
         VALUES ($1, $2, $3, $4, $5, $6, $5) ON CONFLICT (org_id, kind, value) DO NOTHING";
    q!(&mut *tx, execute, sql, org, kind, value, customer, origin.now(), proof)?;
    if !proof.is_proven() {
        return Ok(());
    }
    let phone = (kind == Kind::Phone).then(|| Phone::parse(value)).flatten();
    let email = (kind == Kind::Email).then_some(value);
    lead::customer::uses(tx, org, customer, (phone.as_ref(), email), proof, origin.now()).await
}

#[derive(FromRow)]
struct Row {
    customer_id: CustomerId,
    lead_id: LeadId,
    kind: Kind,
    value: String,
    state: String,
    answered_at: Option<DateTime<Utc>>,
    replaced: Option<String>,
}

/// Holds the proposal until the transaction ends.
async fn find(tx: &mut Tx, org: OrgId, id: ContactProposalId) -> Result<Row> {
    let sql = "UPDATE contact_proposal SET state = state WHERE org_id = $1 AND id = $2
         RETURNING customer_id, lead_id, kind, value, state, answered_at, replaced";
    q!(tx, fetch_optional as Row, sql, org, id)?.ok_or(Error::NotFound)
}

/// The office uses it: from now on messages go there. Whose it was for.
///
/// # Errors
/// [`Error::NotFound`]; [`Error::Conflict`] when it was decided already; [`Error::Invalid`] when another record has it.
pub async fn accept(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    id: ContactProposalId,
    by: AccountId,
) -> Result<CustomerId> {
    let row = find(&mut *tx, org, id).await?;
    if row.state != "open" {
        return Err(Error::Conflict("Somebody has decided this already."));
    }
    let customer = customer::standing_for(&mut *tx, org, row.customer_id).await?;
    let stands = super::on_record(&mut *tx, org, customer).await?;
    let replaced = match row.kind {
        Kind::Phone => stands.phone,
        Kind::Email => stands.email,
    };
    // Also where it stands on the record: another record may have the key since.
    let field = if row.kind == Kind::Phone { "phone" } else { "email" };
    edit::claim(&mut *tx, org, customer, (field, row.kind, &row.value), origin.now()).await?;
    edit::edit(&mut *tx, origin, org, customer, &form(row.kind, Some(row.value.clone()))).await?;
    decide(&mut *tx, origin, org, id, ("used", Some(by), replaced.as_deref())).await?;
    announce(tx, origin, org, &row).await?;
    Ok(customer)
}

/// The office wants nothing of it. The same address is not proposed for this customer again.
///
/// # Errors
/// As for [`accept`].
pub async fn dismiss(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    id: ContactProposalId,
    by: AccountId,
) -> Result<CustomerId> {
    let row = find(&mut *tx, org, id).await?;
    if row.state != "open" {
        return Err(Error::Conflict("Somebody has decided this already."));
    }
    // Every request that named it.
    q!(
        &mut *tx,
        execute,
        "UPDATE contact_proposal SET state = 'dismissed', decided_at = $5, account_id = $6
         WHERE org_id = $1 AND customer_id = $2 AND kind = $3 AND value = $4 AND state = 'open'",
        org,
        row.customer_id,
        row.kind,
        row.value.as_str(),
        origin.now(),
        by
    )?;
    announce(tx, origin, org, &row).await?;
    Ok(row.customer_id)
}

/// Takes a decision back: the address that stood before stands again.
///
/// # Errors
/// [`Error::NotFound`]; [`Error::Conflict`] when the record was changed since.
pub async fn undo(tx: &mut Tx, origin: &Origin, org: OrgId, id: ContactProposalId) -> Result<CustomerId> {
    let row = find(&mut *tx, org, id).await?;
    let customer = customer::standing_for(&mut *tx, org, row.customer_id).await?;
    match row.state.as_str() {
        "used" => give_back(&mut *tx, origin, org, customer, &row).await?,
        "dismissed" => {
            let sql = "UPDATE contact_proposal SET state = 'open', decided_at = NULL, account_id = NULL
                 WHERE org_id = $1 AND customer_id = $2 AND kind = $3 AND value = $4 AND state = 'dismissed'";
            q!(&mut *tx, execute, sql, org, row.customer_id, row.kind, row.value.as_str())?;
        }
        // The second tap finds it done.
        _ => return Ok(customer),
    }
    decide(&mut *tx, origin, org, id, ("open", None, None)).await?;
    announce(tx, origin, org, &row).await?;
    Ok(customer)
}

async fn give_back(tx: &mut Tx, origin: &Origin, org: OrgId, customer: CustomerId, row: &Row) -> Result<()> {
    let stands = super::on_record(&mut *tx, org, customer).await?;
    let now = if row.kind == Kind::Phone { stands.phone } else { stands.email };
    if now.as_deref() != Some(row.value.as_str()) {
        return Err(Error::Conflict("The record was changed since. Nothing was changed."));
    }
    if row.replaced.as_ref() == Some(&row.value) {
        // It stood there before, as it was typed.
        let sql = "UPDATE customer_key SET proof = CASE WHEN $5 THEN 'answered' ELSE 'form' END
             WHERE org_id = $1 AND kind = $2 AND value = $3 AND customer_id = $4";
        q!(tx, execute, sql, org, row.kind, row.value.as_str(), customer, row.answered_at.is_some())?;
        return Ok(());
    }
    // The key goes first where nothing stood before: the record must not fall back on it.
    edit::edit(&mut *tx, origin, org, customer, &form(row.kind, row.replaced.clone())).await?;
    let sql = match row.answered_at {
        Some(_) => {
            "UPDATE customer_key SET proof = 'answered' WHERE org_id = $1 AND kind = $2 AND value = $3 AND customer_id = $4"
        }
        None => "DELETE FROM customer_key WHERE org_id = $1 AND kind = $2 AND value = $3 AND customer_id = $4",
    };
    q!(tx, execute, sql, org, row.kind, row.value.as_str(), customer)?;
    Ok(())
}

fn form(kind: Kind, value: Option<String>) -> CustomerForm {
    match kind {
        Kind::Phone => CustomerForm { phone: Some(value), ..CustomerForm::default() },
        Kind::Email => CustomerForm { email: Some(value), ..CustomerForm::default() },
    }
}

async fn decide(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    id: ContactProposalId,
    (state, by, replaced): (&str, Option<AccountId>, Option<&str>),
) -> Result<()> {
    let at = (state != "open").then(|| origin.now());
    q!(
        tx,
        execute,
        "UPDATE contact_proposal SET state = $3, decided_at = $4, account_id = $5, replaced = $6
         WHERE org_id = $1 AND id = $2",
        org,
        id,
        state,
        at,
        by.map(|by| by.0),
        replaced
    )?;
    Ok(())
}

async fn announce(tx: &mut Tx, origin: &Origin, org: OrgId, row: &Row) -> Result<()> {
    live::announce(&mut *tx, origin, org, Topic::Customer, row.customer_id.0, None).await?;
    live::announce(tx, origin, org, Topic::Lead, row.lead_id.0, None).await
}
