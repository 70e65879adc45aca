//! Agreed amounts, and what of them is due with the invoices that have gone out.

use serde::{Deserialize, Serialize};
use sqlx::types::Json;

use crate::platform::{
    db::{AsConn, q},
    error::Result,
    id::{EstimateId, LeadId, OrgId},
    money::Cents,
};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AgreedAmounts {
    /// The approved estimates, else the newest open one; with change orders alone, the value of the jobs they change.
    pub base: Option<Cents>,
    /// The approved change orders; none without any.
    pub changes: Option<Cents>,
}

impl AgreedAmounts {
    #[must_use]
    pub fn total(self) -> Option<Cents> {
        match (self.base, self.changes) {
            (base, None) => base,
            (base, Some(changes)) => Some([base.unwrap_or_default(), changes].into_iter().sum()),
        }
    }
}

#[derive(Default)]
pub(super) struct InvoicedAmounts {
    pub total: Cents,
    /// The newest final invoice: beyond it only what is agreed later is asked for.
    pub last: Option<FinalInvoice>,
}

pub(super) struct FinalInvoice {
    /// The invoices up to and including it.
    until: Cents,
    /// Total of the change orders when it went out.
    changes: Cents,
}

impl InvoicedAmounts {
    /// Expects the invoices in the order of their numbers.
    pub fn from_rows(rows: impl IntoIterator<Item = (Cents, Json<BilledContent>)>) -> Self {
        let mut all = Self::default();
        for (total, Json(billed)) in rows {
            all.total = [all.total, total].into_iter().sum();
            if billed.is_final {
                let changes = billed.changes.iter().map(|change| change.total).sum();
                all.last = Some(FinalInvoice { until: all.total, changes });
            }
        }
        all
    }

    pub fn amount_due(&self, agreed: AgreedAmounts) -> Cents {
        match &self.last {
            None => agreed.total().unwrap_or_default().max(self.total),
            Some(last) => {
                let since = agreed.changes.unwrap_or_default().0 - last.changes.0;
                Cents(last.until.0 + since).max(self.total)
            }
        }
    }
}

/// Fields of an invoice's content that name it and decide how much is due.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct BilledContent {
    /// Of the number, as stored when the invoice was issued.
    pub prefix: String,
    /// Final invoice: nothing beyond the invoices is asked for any more.
    pub is_final: bool,
    /// Change orders that it was calculated with; after the final invoice all others are due.
    pub changes: Vec<CountedChangeOrder>,
}

impl Default for BilledContent {
    fn default() -> Self {
        Self { prefix: "INV-".to_owned(), is_final: false, changes: Vec::new() }
    }
}

impl BilledContent {
    /// `INV-1001`; a draft has none.
    pub fn display_number(&self, number: Option<i64>) -> Option<String> {
        Some(format!("{}{}", self.prefix, number?))
    }
}

/// A change order that counted when an invoice went out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CountedChangeOrder {
    pub id: EstimateId,
    pub number: String,
    pub total: Cents,
}

async fn sum_approved(conn: &mut dyn AsConn, org: OrgId, lead: LeadId) -> Result<Option<Cents>> {
    let signed = q!(
        conn,
        fetch_one scalar Option<i64>,
        "SELECT CAST(SUM(a.total_cents) AS BIGINT) FROM estimate e
         JOIN approval a ON a.org_id = e.org_id AND a.estimate_id = e.id
         WHERE e.org_id = $1 AND e.lead_id = $2 AND e.job_id IS NULL AND e.status = 'approved'",
        org,
        lead
    )?;
    Ok(signed.map(Cents))
}

/// The approved estimates, else the newest open one with its recommended choices.
pub async fn load_quoted_amount(conn: &mut dyn AsConn, org: OrgId, lead: LeadId) -> Result<Option<Cents>> {
    let signed = sum_approved(&mut *conn, org, lead).await?;
    if signed.is_some() {
        return Ok(signed);
    }
    Ok(q!(
        conn,
        fetch_optional scalar Cents,
        "SELECT total_cents FROM estimate WHERE org_id = $1 AND lead_id = $2 AND job_id IS NULL AND status = 'open'
         ORDER BY created_at DESC, id DESC LIMIT 1",
        org,
        lead
    )?)
}

pub async fn load_agreed_amounts(conn: &mut dyn AsConn, org: OrgId, lead: LeadId) -> Result<AgreedAmounts> {
    let quoted = load_quoted_amount(&mut *conn, org, lead).await?;
    add_change_orders(conn, org, lead, quoted).await
}

/// Without estimates that are only open.
pub(super) async fn load_approved_amounts(conn: &mut dyn AsConn, org: OrgId, lead: LeadId) -> Result<AgreedAmounts> {
    let signed = sum_approved(&mut *conn, org, lead).await?;
    add_change_orders(conn, org, lead, signed).await
}

async fn add_change_orders(
    conn: &mut dyn AsConn,
    org: OrgId,
    lead: LeadId,
    quoted: Option<Cents>,
) -> Result<AgreedAmounts> {
    let changes = q!(
        &mut *conn,
        fetch_one scalar Option<i64>,
        "SELECT CAST(SUM(a.total_cents) AS BIGINT) FROM estimate e
         JOIN approval a ON a.org_id = e.org_id AND a.estimate_id = e.id
         WHERE e.org_id = $1 AND e.lead_id = $2 AND e.job_id IS NOT NULL AND e.status = 'approved'",
        org,
        lead
    )?;
    let base = match (quoted, changes) {
        (None, Some(_)) => sum_job_values(conn, org, lead).await?,
        (quoted, _) => quoted,
    };
    Ok(AgreedAmounts { base, changes: changes.map(Cents) })
}

/// Value of the jobs with a signed change order, where nothing was quoted.
async fn sum_job_values(conn: &mut dyn AsConn, org: OrgId, lead: LeadId) -> Result<Option<Cents>> {
    let worth = q!(
        conn,
        fetch_one scalar Option<i64>,
        "SELECT CAST(SUM(j.value_cents) AS BIGINT) FROM job j WHERE j.org_id = $1 AND j.lead_id = $2
             AND j.value_cents > 0 AND EXISTS (SELECT 1 FROM estimate e
                 WHERE e.org_id = j.org_id AND e.job_id = j.id AND e.status = 'approved')",
        org,
        lead
    )?;
    Ok(worth.map(Cents))
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn invoice(cents: i64, is_final: bool, changes: i64) -> (Cents, Json<BilledContent>) {
        let counted =
            CountedChangeOrder { id: EstimateId(Uuid::nil()), number: "CO-1001".into(), total: Cents(changes) };
        (Cents(cents), Json(BilledContent { is_final, changes: vec![counted], ..BilledContent::default() }))
    }

    #[test]
    fn amount_agreed_after_final_invoice_is_owed_on_top() {
        let agreed = |base: i64, changes: i64| AgreedAmounts { base: Some(Cents(base)), changes: Some(Cents(changes)) };
        let due = |agreed: AgreedAmounts, invoices: Vec<_>| InvoicedAmounts::from_rows(invoices).amount_due(agreed).0;
        assert_eq!(due(agreed(1000, 300), vec![]), 1300);
        assert_eq!(due(agreed(1000, 300), vec![invoice(500, false, 300)]), 1300);
        assert_eq!(due(agreed(1000, 0), vec![invoice(900, true, 0)]), 900, "nothing beyond the last one");
        assert_eq!(due(agreed(1000, 300), vec![invoice(900, true, 0)]), 1200, "but what was signed since");
        assert_eq!(due(agreed(1000, 300), vec![invoice(900, true, 0), invoice(100, false, 300)]), 1200);
        assert_eq!(due(agreed(1000, 300), vec![invoice(900, true, 0), invoice(300, true, 300)]), 1200);
        assert_eq!(due(agreed(1000, 400), vec![invoice(1300, true, 300)]), 1400, "a newer version of one that counted");
        assert_eq!(due(agreed(1000, 300), vec![invoice(1300, true, 300), invoice(80, false, 300)]), 1380);
    }

    #[test]
    fn agreed_total_adds_change_orders_to_estimate() {
        let total = |base: Option<i64>, changes: Option<i64>| {
            AgreedAmounts { base: base.map(Cents), changes: changes.map(Cents) }.total().map(|cents| cents.0)
        };
        assert_eq!(total(None, None), None);
        assert_eq!(total(Some(100), None), Some(100));
        assert_eq!(total(Some(100), Some(-30)), Some(70));
        assert_eq!(total(None, Some(30)), Some(30));
    }
}
