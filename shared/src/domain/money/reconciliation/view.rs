//! State of the reconciliation as shown to the business.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;

use super::{
    SINCE_RESTORE,
    settlement::{DifferenceKey, StoredSettlement, load_settlements},
    uncompared::{UncomparedPayments, list_uncompared},
};
use crate::platform::{
    db::{AsConn, q},
    error::Result,
    id::{LeadId, OrgId},
    money::Cents,
};

const MAX_SHOWN: i64 = 100;

/// The nightly look at Stripe's books.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Reconciliation)]
pub struct ReconciliationReport {
    /// When the last whole look ended; null before the first one.
    pub finished_at: Option<DateTime<Utc>>,
    pub is_running: bool,
    /// How many payments of the last 120 days agreed in it.
    pub agreed: i64,
    /// Lists of Stripe's that the key may not read: `payouts`, `disputes`.
    pub unread: Vec<String>,
    /// What a person must look at, the newest first.
    pub differences: Vec<MoneyDifference>,
    /// What a person has settled and what still differs by the same amount.
    pub settled: Vec<SettledDifference>,
    /// Payments that are not compared any more, by their Stripe account.
    pub not_compared: Vec<UncomparedPayments>,
}

/// Something on which Stripe and the books differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MoneyDifference {
    /// Names it with its amounts, to settle it.
    pub key: String,
    pub lead_id: Option<LeadId>,
    /// In a sentence.
    pub text: String,
    pub found_at: DateTime<Utc>,
}

/// A difference that a person has settled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SettledDifference {
    /// To open it again.
    pub key: String,
    pub lead_id: Option<LeadId>,
    /// In a sentence.
    pub text: String,
    pub settled_at: DateTime<Utc>,
    /// Name of the person.
    pub settled_by: String,
    pub note: Option<String>,
}

pub(super) fn describe_difference(kind: &str, object: &str, stripe: Cents, books: Cents) -> String {
    let (stripe, books) = (stripe.format_usd(), books.format_usd());
    match kind {
        "unknown_payment" => format!(
            "Stripe took {stripe} for you ({object}) and your books have no page for it. Look at it in Stripe, then record the payment or refund it there."
        ),
        "foreign_payment" => format!(
            "Stripe took a payment for you that is not in US dollars ({object}), and your books have no page for it. Look at it in Stripe, then record the payment or refund it there."
        ),
        "not_at_stripe" => format!(
            "Your books say that {books} came by card ({object}), and the Stripe account in force knows no such payment. Check that it is the right account."
        ),
        _ => format!("Payment {object}: Stripe holds {stripe}, your books say {books}. Compare it with Stripe."),
    }
}

#[derive(FromRow)]
pub(super) struct DifferenceRow {
    pub kind: String,
    pub object: String,
    pub lead_id: Option<LeadId>,
    pub stripe_cents: Cents,
    pub books_cents: Cents,
    pub found_at: DateTime<Utc>,
}

impl DifferenceRow {
    pub fn difference_key(&self) -> String {
        let (kind, object) = (self.kind.as_str(), self.object.as_str());
        DifferenceKey { kind, object, stripe: self.stripe_cents, books: self.books_cents }.encode_key()
    }

    fn text(&self) -> String {
        describe_difference(&self.kind, &self.object, self.stripe_cents, self.books_cents)
    }

    fn into_difference(self) -> MoneyDifference {
        MoneyDifference {
            key: self.difference_key(),
            text: self.text(),
            lead_id: self.lead_id,
            found_at: self.found_at,
        }
    }

    fn into_settled(self, settlement: &StoredSettlement) -> SettledDifference {
        SettledDifference {
            key: self.difference_key(),
            text: self.text(),
            lead_id: self.lead_id,
            settled_at: settlement.settled_at,
            settled_by: settlement.name.clone(),
            note: settlement.note.clone(),
        }
    }
}

/// None where no run was ever begun. `account` is the one in force.
pub async fn load_reconciliation(
    conn: &mut dyn AsConn,
    org: OrgId,
    account: Option<&str>,
    now: DateTime<Utc>,
) -> Result<Option<ReconciliationReport>> {
    let sql = "SELECT finished_at, phase <> 'done', agreed, unread FROM reconciliation WHERE org_id = $1";
    let found = q!(&mut *conn, fetch_optional as (Option<DateTime<Utc>>, bool, i64, String), sql, org)?;
    let Some((finished_at, is_running, agreed, unread)) = found else { return Ok(None) };
    let settlements = load_settlements(&mut *conn, org).await?;
    let most = MAX_SHOWN + i64::try_from(settlements.len()).unwrap_or_default();
    let (mut differences, mut settled) = (Vec::new(), Vec::new());
    for row in list_differences(&mut *conn, org, (finished_at, is_running), most).await? {
        let key = row.difference_key();
        match settlements.iter().find(|one| one.covers_difference(&key, row.found_at)) {
            Some(settlement) => settled.push(row.into_settled(settlement)),
            None => differences.push(row.into_difference()),
        }
    }
    let not_compared = list_uncompared(conn, org, account, now).await?;
    let unread = unread.split_whitespace().map(ToOwned::to_owned).collect();
    let finished_at = finished_at.filter(|at| *at != SINCE_RESTORE);
    Ok(Some(ReconciliationReport { finished_at, is_running, agreed, unread, differences, settled, not_compared }))
}

/// While a run goes on, sums that only one comparison found to differ are left out.
async fn list_differences(
    conn: &mut dyn AsConn,
    org: OrgId,
    (finished_at, is_running): (Option<DateTime<Utc>>, bool),
    most: i64,
) -> Result<Vec<DifferenceRow>> {
    Ok(q!(
        conn,
        fetch_all as DifferenceRow,
        "SELECT kind, object, lead_id, stripe_cents, books_cents, found_at FROM money_difference WHERE org_id = $1
             AND NOT (kind = 'balance' AND seen_at = found_at AND $2 = TRUE AND found_at > $3)
         ORDER BY found_at DESC, object LIMIT $4",
        org,
        is_running,
        finished_at.unwrap_or(DateTime::UNIX_EPOCH),
        most
    )?)
}
