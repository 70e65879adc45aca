//! State of the reconciliation as shown to the business.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;

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
}

/// Something on which Stripe and the books differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MoneyDifference {
    pub lead_id: Option<LeadId>,
    /// In a sentence.
    pub text: String,
    pub found_at: DateTime<Utc>,
}

pub(super) fn describe_difference(kind: &str, object: &str, stripe: Cents, books: Cents) -> String {
    let (stripe, books) = (stripe.format_usd(), books.format_usd());
    match kind {
        "unknown_payment" => format!(
            "Stripe took {stripe} for you ({object}) and your books have no page for it. Look at it in Stripe, then record the payment or refund it there."
        ),
        "not_at_stripe" => format!(
            "Your books say that {books} came by card ({object}), and the Stripe account in force knows no such payment. Check that it is the right account."
        ),
        _ => format!("Payment {object}: Stripe holds {stripe}, your books say {books}. Compare it with Stripe."),
    }
}

#[derive(FromRow)]
struct DifferenceRow {
    kind: String,
    object: String,
    lead_id: Option<LeadId>,
    stripe_cents: Cents,
    books_cents: Cents,
    found_at: DateTime<Utc>,
}

/// None where no run was ever begun.
pub async fn load_reconciliation(conn: &mut dyn AsConn, org: OrgId) -> Result<Option<ReconciliationReport>> {
    let sql = "SELECT finished_at, phase <> 'done', agreed, unread FROM reconciliation WHERE org_id = $1";
    let found = q!(&mut *conn, fetch_optional as (Option<DateTime<Utc>>, bool, i64, String), sql, org)?;
    let Some((finished_at, is_running, agreed, unread)) = found else { return Ok(None) };
    let rows = q!(
        conn,
        fetch_all as DifferenceRow,
        "SELECT kind, object, lead_id, stripe_cents, books_cents, found_at FROM money_difference WHERE org_id = $1
         ORDER BY found_at DESC, object LIMIT $2",
        org,
        MAX_SHOWN
    )?;
    let difference = |row: DifferenceRow| MoneyDifference {
        lead_id: row.lead_id,
        text: describe_difference(&row.kind, &row.object, row.stripe_cents, row.books_cents),
        found_at: row.found_at,
    };
    let unread = unread.split_whitespace().map(ToOwned::to_owned).collect();
    Ok(Some(ReconciliationReport {
        finished_at,
        is_running,
        agreed,
        unread,
        differences: rows.into_iter().map(difference).collect(),
    }))
}
