//! Differences that a person has settled. A settlement holds for the sums that the person saw: with other sums the
//! difference is shown and reported again.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    domain::tenancy::org::{load_program_state, store_program_state},
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, q},
        error::{Error, FieldErrors, Result},
        field_schemas,
        id::{AccountId, LeadId, OrgId},
        money::Cents,
        text,
    },
};

/// Name of the stored state.
const STATE_NAME: &str = "settled_differences";
const MAX_NOTE_LEN: usize = 500;
/// More than the longest id that Stripe documents, the kind and both sums.
const MAX_KEY_LEN: usize = 400;

/// A difference that is in order
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[schema(as = SettleDifferenceRequest)]
pub struct DifferenceSettlementForm {
    /// `key` of the difference.
    pub key: String,
    /// What became of it.
    #[schema(schema_with = field_schemas::nullable_text::<500>)]
    pub note: Option<String>,
}

impl DifferenceSettlementForm {
    /// Errors: `Error::Invalid` for the note.
    pub fn parse_note(&self) -> Result<Option<String>> {
        let mut errors = FieldErrors::default();
        let note = text::multi_line("note", self.note.as_deref(), MAX_NOTE_LEN).parse_optional(&mut errors);
        errors.into_result()?;
        Ok(note)
    }
}

/// A settled difference that is to be shown again
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[schema(as = ReopenDifferenceRequest)]
pub struct DifferenceReopening {
    /// `key` of the difference.
    pub key: String,
}

/// The person who settles.
#[derive(Clone, Debug)]
pub struct SettlingPerson {
    pub account: AccountId,
    pub name: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct StoredSettlement {
    pub key: String,
    pub lead_id: Option<LeadId>,
    pub note: Option<String>,
    pub account_id: AccountId,
    pub name: String,
    pub settled_at: DateTime<Utc>,
}

impl StoredSettlement {
    /// Whether it holds for the difference with this key: one that ended and was found again later is another one.
    pub fn covers_difference(&self, key: &str, found_at: DateTime<Utc>) -> bool {
        self.key == key && self.settled_at >= found_at
    }
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct StoredSettlements {
    settled: Vec<StoredSettlement>,
}

/// A difference with its sums: another amount is another key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DifferenceKey<'a> {
    pub kind: &'a str,
    pub object: &'a str,
    pub stripe: Cents,
    pub books: Cents,
}

impl<'a> DifferenceKey<'a> {
    pub fn encode_key(&self) -> String {
        format!("{}:{}:{}:{}", self.kind, self.object, self.stripe.0, self.books.0)
    }

    fn parse(key: &'a str) -> Option<Self> {
        // PostgreSQL takes no NUL.
        if key.len() > MAX_KEY_LEN || key.contains('\0') {
            return None;
        }
        let (kind, rest) = key.split_once(':')?;
        let (rest, books) = rest.rsplit_once(':')?;
        let (object, stripe) = rest.rsplit_once(':')?;
        Some(Self { kind, object, stripe: Cents(stripe.parse().ok()?), books: Cents(books.parse().ok()?) })
    }
}

pub(super) async fn load_settlements(conn: &mut dyn AsConn, org: OrgId) -> Result<Vec<StoredSettlement>> {
    Ok(load_program_state::<StoredSettlements>(conn, org, STATE_NAME).await?.settled)
}

/// Settles a difference with the sums that its key names. The caller holds the lock of the business and writes the
/// audit line. Returns the lead of the difference.
/// Errors: `Error::NotFound` when there is no such difference any more, or its sums changed.
pub async fn settle_difference(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    (key, note): (&str, Option<String>),
    by: SettlingPerson,
) -> Result<Option<LeadId>> {
    let asked = DifferenceKey::parse(key).ok_or(Error::NotFound)?;
    let sql = "UPDATE money_difference SET kind = kind WHERE org_id = $1 AND kind = $2 AND object = $3
         AND stripe_cents = $4 AND books_cents = $5 RETURNING lead_id, found_at";
    let (kind, object, stripe, books) = (asked.kind, asked.object, asked.stripe, asked.books);
    let found = q!(&mut *tx, fetch_optional as (Option<LeadId>, DateTime<Utc>), sql, org, kind, object, stripe, books)?;
    let (lead_id, found_at) = found.ok_or(Error::NotFound)?;
    // The clock of the worker that found it may be ahead.
    let settled_at = origin.now().max(found_at);
    let mut settled = load_settlements(&mut *tx, org).await?;
    let shown = list_difference_keys(&mut *tx, org).await?;
    settled.retain(|one| one.key != key && shown.contains(&one.key));
    let SettlingPerson { account: account_id, name } = by;
    settled.insert(0, StoredSettlement { key: key.to_owned(), lead_id, note, account_id, name, settled_at });
    store_program_state(tx, origin, org, STATE_NAME, &StoredSettlements { settled }).await?;
    Ok(lead_id)
}

async fn list_difference_keys(tx: &mut Tx, org: OrgId) -> Result<BTreeSet<String>> {
    let sql = "SELECT kind, object, stripe_cents, books_cents FROM money_difference WHERE org_id = $1";
    let rows = q!(tx, fetch_all as (String, String, Cents, Cents), sql, org)?;
    let key = |(kind, object, stripe, books): &(String, String, Cents, Cents)| {
        DifferenceKey { kind, object, stripe: *stripe, books: *books }.encode_key()
    };
    Ok(rows.iter().map(key).collect())
}

/// Takes a settlement back: the difference is shown again, and not reported again. The caller holds the lock of the
/// business and writes the audit line. Returns the lead of the difference.
/// Errors: `Error::NotFound` when it is not settled.
pub async fn reopen_difference(tx: &mut Tx, origin: &ClockRng, org: OrgId, key: &str) -> Result<Option<LeadId>> {
    let mut settled = load_settlements(&mut *tx, org).await?;
    let at = settled.iter().position(|one| one.key == key).ok_or(Error::NotFound)?;
    let lead = settled.remove(at).lead_id;
    store_program_state(tx, origin, org, STATE_NAME, &StoredSettlements { settled }).await?;
    Ok(lead)
}

/// The notes may name the person who is erased: those about their leads and payments are removed. Names of payments
/// are Stripe's.
pub(crate) async fn erase_settlement_notes(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    (leads, payments): (&[LeadId], &[String]),
) -> Result<()> {
    let is_theirs = |one: &StoredSettlement| {
        let object = DifferenceKey::parse(&one.key).map(|key| key.object);
        one.lead_id.is_some_and(|lead| leads.contains(&lead))
            || object.is_some_and(|object| payments.iter().any(|payment| payment == object))
    };
    clear_notes(tx, origin, org, is_theirs).await
}

/// Whose payments these are is not known: a person who asks to be erased may be named in each note.
pub(crate) async fn erase_unknown_payment_notes(tx: &mut Tx, origin: &ClockRng, org: OrgId) -> Result<()> {
    let is_unknown = |one: &StoredSettlement| {
        DifferenceKey::parse(&one.key).is_some_and(|key| matches!(key.kind, "unknown_payment" | "foreign_payment"))
    };
    clear_notes(tx, origin, org, is_unknown).await
}

async fn clear_notes(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    is_meant: impl Fn(&StoredSettlement) -> bool,
) -> Result<()> {
    let mut settled = load_settlements(&mut *tx, org).await?;
    let mut is_changed = false;
    for one in settled.iter_mut().filter(|one| is_meant(one)) {
        is_changed |= one.note.take().is_some();
    }
    if !is_changed {
        return Ok(());
    }
    store_program_state(tx, origin, org, STATE_NAME, &StoredSettlements { settled }).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn difference_key_survives_encoding_and_names_its_sums() {
        let key = DifferenceKey { kind: "balance", object: "pi_1", stripe: Cents(-100), books: Cents(250) };
        assert_eq!(key.encode_key(), "balance:pi_1:-100:250");
        assert_eq!(DifferenceKey::parse(&key.encode_key()), Some(key));
        for wrong in ["", "balance", "balance:pi_1", "balance:pi_1:1", "balance:pi_1:x:2", "balance:pi\0:1:2"] {
            assert_eq!(DifferenceKey::parse(wrong), None, "{wrong}");
        }
        assert_eq!(DifferenceKey::parse(&format!("balance:{}:1:2", "x".repeat(MAX_KEY_LEN))), None);
    }
}
