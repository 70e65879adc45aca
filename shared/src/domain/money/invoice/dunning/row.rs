//! Invoice data for a reminder, and whether there is anything to remind of.

use chrono::{DateTime, NaiveDate, Utc};
use sqlx::{FromRow, types::Json};
use uuid::Uuid;

use crate::{
    domain::money::{invoice::InvoiceStatus, ledger::BilledContent},
    platform::{
        db::{AsConn, q},
        error::Result,
        id::{LinkId, OrgId},
        money::Cents,
    },
};

#[derive(FromRow)]
pub(super) struct ReminderInvoiceRow {
    pub number: Option<i64>,
    pub content: Json<BilledContent>,
    pub status: InvoiceStatus,
    pub total_cents: Cents,
    pub paid_cents: Cents,
    pub due_on: Option<NaiveDate>,
    pub promised_on: Option<NaiveDate>,
    pub disputed_at: Option<DateTime<Utc>>,
    pub reminders_enabled: bool,
    pub link_id: Option<LinkId>,
}

pub(super) async fn find_invoice(conn: &mut dyn AsConn, org: OrgId, id: Uuid) -> Result<Option<ReminderInvoiceRow>> {
    Ok(q!(
        conn,
        fetch_optional as ReminderInvoiceRow,
        "SELECT i.number, i.content, i.status, i.total_cents, i.paid_cents, i.due_on, i.promised_on, i.disputed_at,
             i.reminders_enabled, k.id AS link_id
         FROM invoice i LEFT JOIN access_link k ON k.org_id = i.org_id AND k.kind = 'invoice' AND k.subject_id = i.id
             AND k.revoked_at IS NULL
         WHERE i.org_id = $1 AND i.id = $2",
        org,
        id
    )?)
}

impl ReminderInvoiceRow {
    pub fn display_number(&self) -> String {
        self.content.display_number(self.number).unwrap_or_default()
    }

    pub fn balance(&self) -> Cents {
        Cents((self.total_cents.0 - self.paid_cents.0).max(0))
    }

    /// Reason for no reminder on `day`.
    pub fn skip_reason(&self, day: NaiveDate, is_on: bool) -> Option<&'static str> {
        match self.status {
            InvoiceStatus::Open => {}
            InvoiceStatus::Paid => return Some("the invoice was paid"),
            InvoiceStatus::Void => return Some("the invoice was voided"),
            InvoiceStatus::Draft | InvoiceStatus::Preparing => return Some("the invoice has not gone out"),
        }
        if self.disputed_at.is_some() {
            return Some("the customer disputes it");
        }
        if self.promised_on.is_some_and(|promised| day <= promised) {
            return Some("they promised to pay, and that day is not over");
        }
        why_reminders_off(self.reminders_enabled, is_on)
    }
}

/// Why the rule does not remind of an invoice: of this one, or of any.
pub(in crate::domain::money) fn why_reminders_off(reminders_enabled: bool, is_on: bool) -> Option<&'static str> {
    if !reminders_enabled {
        return Some("no one has turned on reminders for this invoice");
    }
    (!is_on).then_some("reminders of invoices are switched off")
}

/// Why nobody reminds of an open invoice, neither the rule nor a person.
pub(in crate::domain::money) fn why_not_reminded(
    is_disputed: bool,
    promised_on: Option<NaiveDate>,
    today: NaiveDate,
) -> Option<String> {
    if is_disputed {
        return Some("they dispute this invoice".to_owned());
    }
    let promised = promised_on.filter(|on| *on >= today)?;
    Some(format!("they promised to pay by {}", promised.format("%b %-d")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(written: &str) -> NaiveDate {
        written.parse().unwrap()
    }

    fn open() -> ReminderInvoiceRow {
        ReminderInvoiceRow {
            number: Some(1001),
            content: Json(BilledContent::default()),
            status: InvoiceStatus::Open,
            total_cents: Cents(125_050),
            paid_cents: Cents(25_050),
            due_on: Some(day("2026-11-10")),
            promised_on: None,
            disputed_at: None,
            reminders_enabled: true,
            link_id: None,
        }
    }

    #[test]
    fn invoice_paid_promised_or_disputed_is_not_reminded() {
        let why = |row: ReminderInvoiceRow| row.skip_reason(day("2026-11-13"), true);
        assert_eq!(
            (why(open()), open().balance(), open().display_number()),
            (None, Cents(100_000), "INV-1001".to_owned())
        );
        for status in InvoiceStatus::ALL.into_iter().filter(|status| *status != InvoiceStatus::Open) {
            assert!(why(ReminderInvoiceRow { status, ..open() }).is_some(), "{status:?}");
        }
        assert!(why(ReminderInvoiceRow { disputed_at: Some(DateTime::UNIX_EPOCH), ..open() }).is_some());
        assert!(why(ReminderInvoiceRow { promised_on: Some(day("2026-11-13")), ..open() }).is_some());
        assert!(why(ReminderInvoiceRow { promised_on: Some(day("2026-11-12")), ..open() }).is_none(), "broken");
        assert!(why(ReminderInvoiceRow { reminders_enabled: false, ..open() }).is_some());
        assert!(open().skip_reason(day("2026-11-13"), false).is_some());
    }
}
