//! What the customer agreed to pay, and what of it is due with the invoices that have gone out.

use serde::{Deserialize, Serialize};
use sqlx::types::Json;

use crate::platform::{
    db::{AsConn, q},
    error::Result,
    id::{EstimateId, LeadId, OrgId},
    money::Cents,
};

/// What the customer agreed to pay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Agreed {
    /// By the approved estimates, else by the newest that is open; where change orders stand alone, what the jobs that
    /// they change are worth.
    pub base: Option<Cents>,
    /// By the approved change orders; none where there is none.
    pub changes: Option<Cents>,
}

impl Agreed {
    /// All of it together.
    #[must_use]
    pub fn total(self) -> Option<Cents> {
        match (self.base, self.changes) {
            (base, None) => base,
            (base, Some(changes)) => Some([base.unwrap_or_default(), changes].into_iter().sum()),
        }
    }
}

/// The issued invoices together.
#[derive(Default)]
pub(super) struct Invoiced {
    pub total: Cents,
    /// The newest of those that are the last: nothing more is asked for but what is agreed after it.
    pub last: Option<Last>,
}

/// The last invoice.
pub(super) struct Last {
    /// The invoices until it, with itself.
    until: Cents,
    /// What change orders came to when it went out.
    changes: Cents,
}

impl Invoiced {
    /// Of the invoices in the order of their numbers.
    pub fn of(rows: impl IntoIterator<Item = (Cents, Json<Billed>)>) -> Self {
        let mut all = Self::default();
        for (total, Json(billed)) in rows {
            all.total = [all.total, total].into_iter().sum();
            if billed.is_final {
                let changes = billed.changes.iter().map(|change| change.total).sum();
                all.last = Some(Last { until: all.total, changes });
            }
        }
        all
    }

    pub fn due(&self, agreed: Agreed) -> Cents {
        match &self.last {
            None => agreed.total().unwrap_or_default().max(self.total),
            Some(last) => {
                let since = agreed.changes.unwrap_or_default().0 - last.changes.0;
                Cents(last.until.0 + since).max(self.total)
            }
        }
    }
}

/// What of an invoice decides how much is due.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Billed {
    is_final: bool,
    changes: Vec<Counted>,
}

/// A change order that counted when an invoice went out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Counted {
    pub id: EstimateId,
    /// `CO-1001`.
    pub number: String,
    pub total: Cents,
}

/// What the approved estimates come to.
async fn signed(conn: &mut dyn AsConn, org: OrgId, lead: LeadId) -> Result<Option<Cents>> {
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

/// What was quoted: the approved estimates, else the newest that is open, as it was recommended.
pub async fn quoted(conn: &mut dyn AsConn, org: OrgId, lead: LeadId) -> Result<Option<Cents>> {
    let signed = signed(&mut *conn, org, lead).await?;
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

/// What the customer agreed to pay: what was quoted, and the approved change orders.
pub async fn agreed(conn: &mut dyn AsConn, org: OrgId, lead: LeadId) -> Result<Agreed> {
    let quoted = quoted(&mut *conn, org, lead).await?;
    with_changes(conn, org, lead, quoted).await
}

/// What they put their name to: an estimate that is only open does not count.
pub(super) async fn approved(conn: &mut dyn AsConn, org: OrgId, lead: LeadId) -> Result<Agreed> {
    let signed = signed(&mut *conn, org, lead).await?;
    with_changes(conn, org, lead, signed).await
}

async fn with_changes(conn: &mut dyn AsConn, org: OrgId, lead: LeadId, quoted: Option<Cents>) -> Result<Agreed> {
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
        (None, Some(_)) => worth(conn, org, lead).await?,
        (quoted, _) => quoted,
    };
    Ok(Agreed { base, changes: changes.map(Cents) })
}

/// What the jobs are worth whose customer signed a change order, where nothing was quoted.
async fn worth(conn: &mut dyn AsConn, org: OrgId, lead: LeadId) -> Result<Option<Cents>> {
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

    fn invoice(cents: i64, is_final: bool, changes: i64) -> (Cents, Json<Billed>) {
        let counted = Counted { id: EstimateId(Uuid::nil()), number: "CO-1001".into(), total: Cents(changes) };
        (Cents(cents), Json(Billed { is_final, changes: vec![counted] }))
    }

    #[test]
    fn what_is_agreed_after_the_last_invoice_is_owed_beside_it() {
        let agreed = |base: i64, changes: i64| Agreed { base: Some(Cents(base)), changes: Some(Cents(changes)) };
        let due = |agreed: Agreed, invoices: Vec<_>| Invoiced::of(invoices).due(agreed).0;
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
    fn change_orders_are_added_to_what_was_quoted() {
        let total = |base: Option<i64>, changes: Option<i64>| {
            Agreed { base: base.map(Cents), changes: changes.map(Cents) }.total().map(|cents| cents.0)
        };
        assert_eq!(total(None, None), None);
        assert_eq!(total(Some(100), None), Some(100));
        assert_eq!(total(Some(100), Some(-30)), Some(70));
        assert_eq!(total(None, Some(30)), Some(30));
    }
}
