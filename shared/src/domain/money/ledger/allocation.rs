//! Allocation of payments to invoices: calculated in memory, and written back where it differs.
//!
//! Money not put to an invoice is credit of the lead; there is never credit beside an open invoice.

use std::collections::BTreeMap;

use sqlx::FromRow;

use super::PaymentKind;
use crate::{
    domain::money::invoice::InvoiceStatus,
    platform::{
        db::{Tx, q},
        error::Result,
        id::{InvoiceId, LeadId, OrgId, PaymentId},
        money::Cents,
    },
};

/// A ledger row that counts: settled and not undone.
#[derive(Clone, Copy, Debug, FromRow)]
pub(super) struct LedgerRow {
    pub id: PaymentId,
    pub kind: PaymentKind,
    pub amount_cents: Cents,
    pub refund_of: Option<PaymentId>,
}

/// An issued invoice that is not void.
#[derive(Clone, Debug, FromRow)]
pub(super) struct IssuedInvoice {
    pub id: InvoiceId,
    pub total_cents: Cents,
    pub paid_cents: Cents,
    pub status: InvoiceStatus,
}

type AllocationMap = BTreeMap<(PaymentId, InvoiceId), i64>;

#[derive(Clone, Debug, Default)]
pub(super) struct LeadLedger {
    /// Payments before write-offs, each oldest first.
    pub rows: Vec<LedgerRow>,
    /// In the order in which they are due.
    pub bills: Vec<IssuedInvoice>,
    parts: AllocationMap,
    stored: AllocationMap,
}

impl LeadLedger {
    /// The caller holds the lock of the lead.
    pub async fn load(tx: &mut Tx, org: OrgId, lead: LeadId) -> Result<Self> {
        let rows = q!(
            &mut *tx,
            fetch_all as LedgerRow,
            "SELECT id, kind, amount_cents, refund_of FROM payment
             WHERE org_id = $1 AND lead_id = $2 AND status = 'settled' AND undone_at IS NULL
             ORDER BY CASE WHEN kind = 'write_off' THEN 1 ELSE 0 END, created_at, id",
            org,
            lead
        )?;
        let bills = q!(
            &mut *tx,
            fetch_all as IssuedInvoice,
            "SELECT id, total_cents, paid_cents, status FROM invoice
             WHERE org_id = $1 AND lead_id = $2 AND status IN ('open', 'paid')
             ORDER BY COALESCE(due_on, issued_on), number, id",
            org,
            lead
        )?;
        let parts = q!(
            tx,
            fetch_all as (PaymentId, InvoiceId, i64),
            "SELECT a.payment_id, a.invoice_id, a.cents FROM payment_allocation a
             JOIN payment p ON p.org_id = a.org_id AND p.id = a.payment_id WHERE p.org_id = $1 AND p.lead_id = $2",
            org,
            lead
        )?;
        let stored: AllocationMap =
            parts.into_iter().map(|(payment, invoice, cents)| ((payment, invoice), cents)).collect();
        let mut books = Self { rows, bills, parts: stored.clone(), stored };
        books.drop_voided();
        Ok(books)
    }

    /// Drops the parts of undone payments and of void invoices.
    fn drop_voided(&mut self) {
        let (rows, bills) = (&self.rows, &self.bills);
        self.parts.retain(|(payment, bill), _| {
            rows.iter().any(|row| row.id == *payment) && bills.iter().any(|known| known.id == *bill)
        });
    }

    fn allocated(&self, payment: PaymentId, bill: InvoiceId) -> i64 {
        self.parts.get(&(payment, bill)).copied().unwrap_or_default()
    }

    fn add_allocation(&mut self, payment: PaymentId, bill: InvoiceId, cents: i64) {
        let part = self.allocated(payment, bill) + cents;
        if part == 0 {
            self.parts.remove(&(payment, bill));
        } else {
            self.parts.insert((payment, bill), part);
        }
    }

    pub fn paid_amount(&self, bill: InvoiceId) -> i64 {
        self.parts.iter().filter(|((_, at), _)| *at == bill).map(|(_, cents)| cents).sum()
    }

    fn refunds_of(&self, payment: PaymentId) -> impl Iterator<Item = &LedgerRow> {
        self.rows.iter().filter(move |row| row.refund_of == Some(payment))
    }

    /// Part of a payment on an invoice, less refunds.
    fn net_allocated(&self, payment: PaymentId, bill: InvoiceId) -> i64 {
        self.allocated(payment, bill)
            + self.refunds_of(payment).map(|refund| self.allocated(refund.id, bill)).sum::<i64>()
    }

    /// Unallocated part of a payment. Negative: more was refunded than was unallocated.
    fn unallocated(&self, row: &LedgerRow) -> i64 {
        let back: i64 = self.refunds_of(row.id).map(|refund| refund.amount_cents.0).sum();
        let put: i64 = self.bills.iter().map(|bill| self.net_allocated(row.id, bill.id)).sum();
        row.amount_cents.0 - back - put
    }

    pub fn allocate_payment(&mut self, payment: PaymentId, bill: InvoiceId) {
        let row = self.rows.iter().find(|row| row.id == payment && row.kind != PaymentKind::Refund).copied();
        let total = self.bills.iter().find(|known| known.id == bill).map(|known| known.total_cents.0);
        let (Some(row), Some(total)) = (row, total) else { return };
        let cents = self.unallocated(&row).min(total - self.paid_amount(bill));
        if cents > 0 {
            self.add_allocation(payment, bill, cents);
        }
    }

    /// A refund is taken from the unallocated part of its payment, then from the invoices, newest first. It takes no
    /// more than its amount: the rest belongs to other refunds of the payment, which give it back when undone.
    fn deduct_refund(&mut self, refund: &LedgerRow, payment: &LedgerRow) {
        for bill in self.newest_first() {
            let own =
                refund.amount_cents.0 + self.bills.iter().map(|bill| self.allocated(refund.id, bill.id)).sum::<i64>();
            let missing = own.min(-self.unallocated(payment));
            if missing <= 0 {
                return;
            }
            let cents = self.net_allocated(payment.id, bill).min(missing);
            if cents > 0 {
                self.add_allocation(refund.id, bill, -cents);
            }
        }
    }

    fn newest_first(&self) -> Vec<InvoiceId> {
        self.bills.iter().rev().map(|bill| bill.id).collect()
    }

    /// Restores the invariants after a change: refunded money leaves the invoices, no invoice holds more than its
    /// total, and unallocated money goes to open invoices.
    pub fn recalculate_allocations(&mut self) {
        let refunds: Vec<LedgerRow> = self.rows.iter().filter(|row| row.kind == PaymentKind::Refund).copied().collect();
        for refund in refunds {
            if let Some(payment) = self.rows.iter().find(|row| Some(row.id) == refund.refund_of).copied() {
                self.deduct_refund(&refund, &payment);
            }
        }
        self.trim_overpaid();
        let rows: Vec<PaymentId> =
            self.rows.iter().filter(|row| row.kind != PaymentKind::Refund).map(|row| row.id).collect();
        let bills: Vec<InvoiceId> = self.bills.iter().map(|bill| bill.id).collect();
        for bill in bills {
            for row in &rows {
                self.allocate_payment(*row, bill);
            }
        }
    }

    /// After an undone refund, other payments may have paid the invoice meanwhile: the newest of them is reduced.
    fn trim_overpaid(&mut self) {
        for bill in self.bills.clone() {
            for row in self.rows.clone().iter().rev().filter(|row| row.kind != PaymentKind::Refund) {
                let over = self.paid_amount(bill.id) - bill.total_cents.0;
                let cents = self.net_allocated(row.id, bill.id).min(over);
                if cents > 0 {
                    self.add_allocation(row.id, bill.id, -cents);
                }
            }
        }
    }

    pub async fn save_changes(&self, tx: &mut Tx, org: OrgId) -> Result<()> {
        for (payment, invoice) in self.stored.keys().filter(|key| !self.parts.contains_key(*key)) {
            let sql = "DELETE FROM payment_allocation WHERE org_id = $1 AND payment_id = $2 AND invoice_id = $3";
            q!(&mut *tx, execute, sql, org, *payment, *invoice)?;
        }
        for ((payment, invoice), cents) in &self.parts {
            if self.stored.get(&(*payment, *invoice)) != Some(cents) {
                q!(
                    &mut *tx,
                    execute,
                    "INSERT INTO payment_allocation (org_id, payment_id, invoice_id, cents) VALUES ($1, $2, $3, $4)
                     ON CONFLICT (org_id, payment_id, invoice_id) DO UPDATE SET cents = excluded.cents",
                    org,
                    *payment,
                    *invoice,
                    *cents
                )?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;

    fn row(n: u128, kind: PaymentKind, cents: i64, refund_of: Option<u128>) -> LedgerRow {
        let id = |n| PaymentId(Uuid::from_u128(n));
        LedgerRow { id: id(n), kind, amount_cents: Cents(cents), refund_of: refund_of.map(id) }
    }

    fn bill(n: u128, cents: i64) -> IssuedInvoice {
        let id = InvoiceId(Uuid::from_u128(n));
        IssuedInvoice { id, total_cents: Cents(cents), paid_cents: Cents::ZERO, status: InvoiceStatus::Open }
    }

    fn books(rows: Vec<LedgerRow>, bills: Vec<IssuedInvoice>) -> LeadLedger {
        LeadLedger { rows, bills, ..LeadLedger::default() }
    }

    fn paid(books: &LeadLedger) -> Vec<i64> {
        books.bills.iter().map(|bill| books.paid_amount(bill.id)).collect()
    }

    #[test]
    fn payment_covers_first_due_invoice_unless_another_is_chosen() {
        let mut plain = books(vec![row(1, PaymentKind::Payment, 150, None)], vec![bill(1, 100), bill(2, 100)]);
        let mut chosen = plain.clone();
        plain.recalculate_allocations();
        assert_eq!(paid(&plain), [100, 50]);
        chosen.allocate_payment(PaymentId(Uuid::from_u128(1)), InvoiceId(Uuid::from_u128(2)));
        chosen.recalculate_allocations();
        assert_eq!(paid(&chosen), [50, 100]);
    }

    #[test]
    fn refund_takes_unallocated_money_then_newest_invoice() {
        let mut books = books(vec![row(1, PaymentKind::Payment, 250, None)], vec![bill(1, 100), bill(2, 100)]);
        books.recalculate_allocations();
        books.rows.push(row(2, PaymentKind::Refund, 80, Some(1)));
        books.recalculate_allocations();
        assert_eq!(paid(&books), [100, 70]);
        let newest = InvoiceId(Uuid::from_u128(2));
        assert_eq!(books.allocated(PaymentId(Uuid::from_u128(2)), newest), -30, "the other 50 paid nothing");
    }

    #[test]
    fn undone_refund_restores_original_allocation_and_frees_later_payment() {
        let mut books = books(vec![row(1, PaymentKind::Payment, 100, None)], vec![bill(1, 100)]);
        books.recalculate_allocations();
        books.rows.push(row(2, PaymentKind::Payment, 60, None));
        books.rows.push(row(3, PaymentKind::Refund, 100, Some(1)));
        books.recalculate_allocations();
        assert_eq!(paid(&books), [60]);
        books.rows.pop();
        books.drop_voided();
        books.recalculate_allocations();
        assert_eq!((paid(&books), books.unallocated(&books.rows[1])), (vec![100], 60));
    }

    /// Regression: the first of two refunds took the second one's money too, and an undo then created money.
    #[test]
    fn two_refunds_of_one_payment_are_allocated_separately() {
        let mut books = books(vec![row(1, PaymentKind::Payment, 5, None)], vec![bill(1, 100)]);
        for refund in 2..4 {
            books.rows.push(row(refund, PaymentKind::Refund, 1, Some(1)));
            books.recalculate_allocations();
        }
        for left in [vec![4], vec![5]] {
            books.rows.pop();
            books.drop_voided();
            books.recalculate_allocations();
            assert_eq!(paid(&books), left);
        }
    }

    proptest! {
        #[test]
        fn allocations_never_overpay_or_leave_money_idle_beside_open_invoice(
            bills in prop::collection::vec(1_i64..500, 0..5),
            moves in prop::collection::vec((0_u8..5, 1_i64..400, any::<prop::sample::Index>()), 1..40),
        ) {
            let bills = (1_u128..).zip(bills).map(|(n, cents)| bill(n, cents)).collect();
            let mut books = books(Vec::new(), bills);
            for (n, (what, cents, which)) in (1_u128..).zip(moves) {
                let payments: Vec<LedgerRow> = books.rows.iter().filter(|r| r.kind == PaymentKind::Payment).copied().collect();
                match what {
                    0 | 1 => books.rows.push(row(n, PaymentKind::Payment, cents, None)),
                    // Refunds may exceed the payment: in cash, and again by the payer's bank.
                    2 if !payments.is_empty() => {
                        let of = which.get(&payments);
                        books.rows.push(row(n, PaymentKind::Refund, cents, Some(of.id.0.as_u128())));
                    }
                    // A bank returns a part of a dispute: the row is allocated anew.
                    4 if books.rows.iter().any(|row| row.kind == PaymentKind::Refund) => {
                        let refunds: Vec<usize> =
                            (0..books.rows.len()).filter(|at| books.rows[*at].kind == PaymentKind::Refund).collect();
                        let changed = &mut books.rows[*which.get(&refunds)];
                        changed.amount_cents = Cents(cents);
                        let id = changed.id;
                        books.parts.retain(|(payment, _), _| *payment != id);
                    }
                    _ if !books.rows.is_empty() => {
                        // A payment is not undone before its refunds.
                        let gone = books.rows[which.index(books.rows.len())].id;
                        if books.refunds_of(gone).next().is_none() {
                            books.rows.retain(|row| row.id != gone);
                        }
                    }
                    _ => {}
                }
                books.drop_voided();
                books.recalculate_allocations();
                let open: i64 = books.bills.iter().map(|b| b.total_cents.0 - books.paid_amount(b.id)).sum();
                let stayed = |row: &LedgerRow| row.amount_cents.0 - books.refunds_of(row.id).map(|r| r.amount_cents.0).sum::<i64>();
                let paid = books.rows.iter().filter(|row| row.kind != PaymentKind::Refund);
                let had: i64 = paid.map(|row| stayed(row).max(0)).sum();
                let due: i64 = books.bills.iter().map(|b| b.total_cents.0).sum();
                prop_assert_eq!(open, (due - had).max(0), "everything there is pays");
                for bill in &books.bills {
                    prop_assert!((0..=bill.total_cents.0).contains(&books.paid_amount(bill.id)));
                    for row in books.rows.iter().filter(|row| row.kind != PaymentKind::Refund) {
                        prop_assert!(books.net_allocated(row.id, bill.id) >= 0 && books.allocated(row.id, bill.id) >= 0);
                    }
                }
                for row in books.rows.iter().filter(|row| row.kind != PaymentKind::Refund) {
                    prop_assert!(books.unallocated(row) >= stayed(row).min(0), "no payment pays more than stayed of it");
                }
            }
        }
    }
}
