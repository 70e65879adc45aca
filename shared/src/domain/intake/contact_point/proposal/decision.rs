//! Decisions of the office on a contact proposal: accepted, dismissed, undone.

use chrono::{DateTime, Utc};
use sqlx::FromRow;

use crate::{
    conflicts::ConflictCode,
    domain::intake::{
        contact_point::{
            self, ContactPointKind,
            proposal::{self, restored_contact},
        },
        customer::{
            self,
            edit::{self, CustomerForm},
        },
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, q},
        email_address::EmailAddress,
        error::{Error, Result},
        id::{AccountId, ContactProposalId, CustomerId, LeadId, OrgId},
        live::{self, Topic},
        phone::Phone,
    },
};

#[derive(FromRow)]
struct ContactProposalRow {
    customer_id: CustomerId,
    lead_id: LeadId,
    kind: ContactPointKind,
    value: String,
    state: String,
    answered_at: Option<DateTime<Utc>>,
    decided_at: Option<DateTime<Utc>>,
    replaced: Option<String>,
    taken_from: Option<CustomerId>,
}

/// Lock order: the keys that a decision changes before the proposal. An office edit and a press lock them first.
async fn lock_proposed_keys(tx: &mut Tx, org: OrgId, id: ContactProposalId) -> Result<()> {
    let sql = "SELECT customer_id, kind, value FROM contact_proposal WHERE org_id = $1 AND id = $2";
    let found = q!(&mut *tx, fetch_optional as (CustomerId, ContactPointKind, String), sql, org, id)?;
    let (customer, kind, value) = found.ok_or(Error::NotFound)?;
    let customer = customer::resolve_merged(&mut *tx, org, customer).await?;
    let named = match kind {
        ContactPointKind::Phone => (Some(value.as_str()), None),
        ContactPointKind::Email => (None, Some(value.as_str())),
    };
    contact_point::lock_customer_keys(tx, org, customer, named).await?;
    Ok(())
}

/// Locks the proposal row until the transaction ends.
async fn lock_proposal(tx: &mut Tx, org: OrgId, id: ContactProposalId) -> Result<ContactProposalRow> {
    let sql = "UPDATE contact_proposal SET state = state WHERE org_id = $1 AND id = $2
         RETURNING customer_id, lead_id, kind, value, state, answered_at, decided_at, replaced, taken_from";
    q!(tx, fetch_optional as ContactProposalRow, sql, org, id)?.ok_or(Error::NotFound)
}

/// As [`lock_proposal`]. Errors: [`Error::Conflict`] when it was decided already.
async fn lock_open_proposal(tx: &mut Tx, org: OrgId, id: ContactProposalId) -> Result<ContactProposalRow> {
    let row = lock_proposal(tx, org, id).await?;
    if row.state == "open" { Ok(row) } else { Err(ConflictCode::ProposalDecided.into_error()) }
}

/// Accepts a proposal: messages go there from now on. Returns the customer.
///
/// # Errors [`Error::NotFound`]; [`Error::Conflict`] when it was decided already; [`Error::Invalid`] when another
/// record has proven it.
pub async fn accept_proposal(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    id: ContactProposalId,
    by: AccountId,
) -> Result<CustomerId> {
    lock_proposed_keys(&mut *tx, org, id).await?;
    let row = lock_open_proposal(&mut *tx, org, id).await?;
    let customer = customer::resolve_merged(&mut *tx, org, row.customer_id).await?;
    let recorded = contact_point::load_recorded_recipient(&mut *tx, org, customer).await?;
    let replaced = match row.kind {
        ContactPointKind::Phone => recorded.phone.map(Phone::into_e164),
        ContactPointKind::Email => recorded.email.map(EmailAddress::into_string),
    };
    // Needed even when the record has the address: another record may own the key by now.
    let field = if row.kind == ContactPointKind::Phone { "phone" } else { "email" };
    let now = origin.now();
    let taken_from = edit::claim_contact_key(&mut *tx, org, customer, (field, row.kind, &row.value), now).await?;
    edit::store_change(&mut *tx, origin, org, customer, &form_for_contact(row.kind, Some(row.value.clone()))).await?;
    store_decision(&mut *tx, origin, org, id, ("used", Some(by), replaced.as_deref())).await?;
    // The time of the transfer, by which the undo finds the proposal made at the other record.
    let sql = "UPDATE contact_proposal SET taken_from = $3, decided_at = $4 WHERE org_id = $1 AND id = $2";
    q!(&mut *tx, execute, sql, org, id, taken_from, now)?;
    if let Some(other) = taken_from {
        live::publish_event(&mut *tx, origin, org, Topic::Customer, other.0, None).await?;
    }
    announce_proposal(tx, origin, org, &row).await?;
    Ok(customer)
}

/// Dismisses a proposal. The same address is not proposed for this customer again.
///
/// # Errors
/// As for [`accept_proposal`].
pub async fn dismiss_proposal(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    id: ContactProposalId,
    by: AccountId,
) -> Result<CustomerId> {
    let row = lock_open_proposal(&mut *tx, org, id).await?;
    // The proposals of all requests that named it.
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
    announce_proposal(tx, origin, org, &row).await?;
    Ok(row.customer_id)
}

/// Undoes a decision: the previous address is restored.
///
/// # Errors
/// [`Error::NotFound`]; [`Error::Conflict`] when the record was changed since, or merged with the one that gave the
/// address up or with another.
pub async fn undo_proposal_decision(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    id: ContactProposalId,
) -> Result<CustomerId> {
    lock_proposed_keys(&mut *tx, org, id).await?;
    let row = lock_proposal(&mut *tx, org, id).await?;
    let customer = customer::resolve_merged(&mut *tx, org, row.customer_id).await?;
    match row.state.as_str() {
        "used" => {
            check_unmerged_since(&mut *tx, org, &row).await?;
            restore_previous_contact(&mut *tx, origin, org, customer, &row).await?;
        }
        "dismissed" => {
            let sql = "UPDATE contact_proposal SET state = 'open', decided_at = NULL, account_id = NULL
                 WHERE org_id = $1 AND customer_id = $2 AND kind = $3 AND value = $4 AND state = 'dismissed'";
            q!(&mut *tx, execute, sql, org, row.customer_id, row.kind, row.value.as_str())?;
        }
        // Idempotent: a second undo finds it done.
        _ => return Ok(customer),
    }
    store_decision(&mut *tx, origin, org, id, ("open", None, None)).await?;
    if row.state == "used" {
        // After the proposal is open again: the proof of its own address closes it.
        contact_point::restore_answer_proof(&mut *tx, org, (customer, &[customer]), origin.now()).await?;
    }
    announce_proposal(tx, origin, org, &row).await?;
    Ok(customer)
}

/// An address that came from another record goes back to it. Where either was merged, a later unmerge would not find the
/// address: the two must be parted first.
async fn check_unmerged_since(conn: &mut dyn AsConn, org: OrgId, row: &ContactProposalRow) -> Result<()> {
    let Some(other) = row.taken_from else { return Ok(()) };
    let sql = "SELECT EXISTS (SELECT 1 FROM customer WHERE org_id = $1 AND id IN ($2, $3) AND merged_into IS NOT NULL)";
    let is_merged = q!(conn, fetch_one scalar bool, sql, org, row.customer_id, other)?;
    if is_merged { Err(ConflictCode::MergedOnward.into_error()) } else { Ok(()) }
}

async fn restore_previous_contact(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    customer: CustomerId,
    row: &ContactProposalRow,
) -> Result<()> {
    let recorded = contact_point::load_recorded_recipient(&mut *tx, org, customer).await?;
    let now = match row.kind {
        ContactPointKind::Phone => recorded.phone.as_ref().map(Phone::as_e164),
        ContactPointKind::Email => recorded.email.as_ref().map(EmailAddress::as_str),
    };
    if now != Some(row.value.as_str()) {
        return Err(ConflictCode::RecordChanged.into_error());
    }
    if row.replaced.as_ref() == Some(&row.value) {
        // It was on the record before, as a typed address.
        if return_taken_key(&mut *tx, origin, org, customer, row).await? {
            return Ok(());
        }
        let sql = "UPDATE customer_key SET proof = CASE WHEN $5 THEN 'answered' ELSE 'form' END
             WHERE org_id = $1 AND kind = $2 AND value = $3 AND customer_id = $4";
        q!(tx, execute, sql, org, row.kind, row.value.as_str(), customer, row.answered_at.is_some())?;
        return Ok(());
    }
    if let Some(replaced) = row.replaced.as_deref() {
        let change = (row.kind, row.value.as_str(), replaced);
        restored_contact::restore_replaced_contact(&mut *tx, origin, org, customer, change).await?;
    } else {
        // The key goes first: the record must not fall back on it.
        edit::store_change(&mut *tx, origin, org, customer, &form_for_contact(row.kind, None)).await?;
    }
    if return_taken_key(&mut *tx, origin, org, customer, row).await? {
        return Ok(());
    }
    let sql = match row.answered_at {
        Some(_) => {
            "UPDATE customer_key SET proof = 'answered' WHERE org_id = $1 AND kind = $2 AND value = $3 AND customer_id = $4"
        }
        None => "DELETE FROM customer_key WHERE org_id = $1 AND kind = $2 AND value = $3 AND customer_id = $4",
    };
    q!(tx, execute, sql, org, row.kind, row.value.as_str(), customer)?;
    Ok(())
}

/// Returns the address to the record that gave it up when the office used it here, and withdraws the proposal made
/// there.
async fn return_taken_key(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    customer: CustomerId,
    row: &ContactProposalRow,
) -> Result<bool> {
    let (Some(other), Some(since)) = (row.taken_from, row.decided_at) else { return Ok(false) };
    let sql = "INSERT INTO customer_key (org_id, kind, value, customer_id, proof)
         SELECT $1, $2, $3, c.id, 'form' FROM customer c
         WHERE c.org_id = $1 AND c.id = (SELECT COALESCE(o.merged_into, o.id) FROM customer o WHERE o.org_id = $1 AND o.id = $4)
             AND c.id <> $5
         ON CONFLICT (org_id, kind, value) DO UPDATE SET customer_id = excluded.customer_id, proof = excluded.proof,
             proved_at = NULL, request_confirmed_at = NULL
         RETURNING customer_id";
    let value = row.value.as_str();
    let returned = q!(&mut *tx, fetch_optional scalar CustomerId, sql, org, row.kind, value, other, customer)?;
    let Some(other) = returned else { return Ok(false) };
    proposal::withdraw_typed_proposal(&mut *tx, org, other, (row.kind, value), since).await?;
    live::publish_event(tx, origin, org, Topic::Customer, other.0, None).await?;
    Ok(true)
}

fn form_for_contact(kind: ContactPointKind, value: Option<String>) -> CustomerForm {
    match kind {
        ContactPointKind::Phone => CustomerForm { phone: Some(value), ..CustomerForm::default() },
        ContactPointKind::Email => CustomerForm { email: Some(value), ..CustomerForm::default() },
    }
}

async fn store_decision(
    tx: &mut Tx,
    origin: &ClockRng,
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

async fn announce_proposal(tx: &mut Tx, origin: &ClockRng, org: OrgId, row: &ContactProposalRow) -> Result<()> {
    live::publish_event(&mut *tx, origin, org, Topic::Customer, row.customer_id.0, None).await?;
    live::publish_event(tx, origin, org, Topic::Lead, row.lead_id.0, None).await
}
