//! Which part of which payment pays which invoice: reckoned in memory, and written back where it differs.
//!
//! Money that is not put to an invoice is credit of the lead, and never lies idle beside an invoice that is open.

use std::collections::BTreeMap;

use sqlx::FromRow;

use super::Kind;
use crate::platform::{
    db::{Tx, q},
    error::Result,
    id::{InvoiceId, LeadId, OrgId, PaymentId},
    money::Cents,
};

/// A row of the ledger that counts: settled and not taken back.
#[derive(Clone, Copy, Debug, FromRow)]
pub(super) struct Row {
    pub id: PaymentId,
    pub kind: Kind,
    pub amount_cents: Cents,
    pub refund_of: Option<PaymentId>,
}

/// An invoice that was issued and not taken back.
#[derive(Clone, Debug, FromRow)]
pub(super) struct Bill {
    pub id: InvoiceId,
    pub total_cents: Cents,
    pub paid_cents: Cents,
    pub status: String,
}

type Parts = BTreeMap<(PaymentId, InvoiceId), i64>;

/// The ledger of one lead.
#[derive(Clone, Debug, Default)]
pub(super) struct Books {
    /// Payments before write-offs, each oldest first.
    pub rows: Vec<Row>,
    /// What is due first stands first.
    pub bills: Vec<Bill>,
    parts: Parts,
    stored: Parts,
}

impl Books {
    /// As they stand. The caller holds the lead.
    pub async fn load(tx: &mut Tx, org: OrgId, lead: LeadId) -> Result<Self> {
        let rows = q!(
            &mut *tx,
            fetch_all as Row,
            "SELECT id, kind, amount_cents, refund_of FROM payment
             WHERE org_id = $1 AND lead_id = $2 AND status = 'settled' AND undone_at IS NULL
             ORDER BY CASE WHEN kind = 'write_off' THEN 1 ELSE 0 END, created_at, id",
            org,
            lead
        )?;
        let bills = q!(
            &mut *tx,
            fetch_all as Bill,
            "SELECT id, total_cents, paid_cents, status FROM invoice
             WHERE org_id = $1 AND lead_id = $2 AND status IN ('open', 'paid')
             ORDER BY COALESCE(due_on, issued_on), number, id",
            org,
            lead
        )?;
        let parts = q!(
            tx,
            fetch_all as (PaymentId, InvoiceId, i64),
            "SELECT a.payment_id, a.invoice_id, a.cents FROM allocation a
             JOIN payment p ON p.org_id = a.org_id AND p.id = a.payment_id WHERE p.org_id = $1 AND p.lead_id = $2",
            org,
            lead
        )?;
        let stored: Parts = parts.into_iter().map(|(payment, invoice, cents)| ((payment, invoice), cents)).collect();
        let mut books = Self { rows, bills, parts: stored.clone(), stored };
        books.forget();
        Ok(books)
    }

    /// What was taken back pays nothing, and an invoice that was taken back is paid by nothing.
    fn forget(&mut self) {
        let (rows, bills) = (&self.rows, &self.bills);
        self.parts.retain(|(payment, bill), _| {
            rows.iter().any(|row| row.id == *payment) && bills.iter().any(|known| known.id == *bill)
        });
    }

    fn part(&self, payment: PaymentId, bill: InvoiceId) -> i64 {
        self.parts.get(&(payment, bill)).copied().unwrap_or_default()
    }

    fn add(&mut self, payment: PaymentId, bill: InvoiceId, cents: i64) {
        let part = self.part(payment, bill) + cents;
        if part == 0 {
            self.parts.remove(&(payment, bill));
        } else {
            self.parts.insert((payment, bill), part);
        }
    }

    /// How much of an invoice is paid.
    pub fn paid(&self, bill: InvoiceId) -> i64 {
        self.parts.iter().filter(|((_, at), _)| *at == bill).map(|(_, cents)| cents).sum()
    }

    fn refunds(&self, payment: PaymentId) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(move |row| row.refund_of == Some(payment))
    }

    /// What of a payment is put to an invoice and was not taken back from there.
    fn net(&self, payment: PaymentId, bill: InvoiceId) -> i64 {
        self.part(payment, bill) + self.refunds(payment).map(|refund| self.part(refund.id, bill)).sum::<i64>()
    }

    /// What of a payment pays nothing yet. Below nothing: more went back than lay idle.
    fn free(&self, row: &Row) -> i64 {
        let back: i64 = self.refunds(row.id).map(|refund| refund.amount_cents.0).sum();
        let put: i64 = self.bills.iter().map(|bill| self.net(row.id, bill.id)).sum();
        row.amount_cents.0 - back - put
    }

    /// Puts as much of a payment to an invoice as both can take.
    pub fn put(&mut self, payment: PaymentId, bill: InvoiceId) {
        let row = self.rows.iter().find(|row| row.id == payment && row.kind != Kind::Refund).copied();
        let total = self.bills.iter().find(|known| known.id == bill).map(|known| known.total_cents.0);
        let (Some(row), Some(total)) = (row, total) else { return };
        let cents = self.free(&row).min(total - self.paid(bill));
        if cents > 0 {
            self.add(payment, bill, cents);
        }
    }

    /// A refund is paid by what lies idle of its payment, then by the invoices, the newest first. It takes no more than
    /// it is: what another refund of the payment needs is that one's to take, and to give back when it is undone.
    fn take_back(&mut self, refund: &Row, payment: &Row) {
        for bill in self.newest_first() {
            let own = refund.amount_cents.0 + self.bills.iter().map(|bill| self.part(refund.id, bill.id)).sum::<i64>();
            let missing = own.min(-self.free(payment));
            if missing <= 0 {
                return;
            }
            let cents = self.net(payment.id, bill).min(missing);
            if cents > 0 {
                self.add(refund.id, bill, -cents);
            }
        }
    }

    fn newest_first(&self) -> Vec<InvoiceId> {
        self.bills.iter().rev().map(|bill| bill.id).collect()
    }

    /// Makes everything true again after a change: what went back is taken from the invoices, no invoice holds more
    /// than its total, and what lies idle is put to what is open.
    pub fn settle(&mut self) {
        let refunds: Vec<Row> = self.rows.iter().filter(|row| row.kind == Kind::Refund).copied().collect();
        for refund in refunds {
            if let Some(payment) = self.rows.iter().find(|row| Some(row.id) == refund.refund_of).copied() {
                self.take_back(&refund, &payment);
            }
        }
        self.trim();
        let rows: Vec<PaymentId> = self.rows.iter().filter(|row| row.kind != Kind::Refund).map(|row| row.id).collect();
        let bills: Vec<InvoiceId> = self.bills.iter().map(|bill| bill.id).collect();
        for bill in bills {
            for row in &rows {
                self.put(*row, bill);
            }
        }
    }

    /// After a refund was undone, others may have paid the invoice meanwhile: the newest of them makes room.
    fn trim(&mut self) {
        for bill in self.bills.clone() {
            for row in self.rows.clone().iter().rev().filter(|row| row.kind != Kind::Refund) {
                let over = self.paid(bill.id) - bill.total_cents.0;
                let cents = self.net(row.id, bill.id).min(over);
                if cents > 0 {
                    self.add(row.id, bill.id, -cents);
                }
            }
        }
    }

    /// Writes down what differs from what is stored.
    pub async fn save(&self, tx: &mut Tx, org: OrgId) -> Result<()> {
        for (payment, invoice) in self.stored.keys().filter(|key| !self.parts.contains_key(*key)) {
            let sql = "DELETE FROM allocation WHERE org_id = $1 AND payment_id = $2 AND invoice_id = $3";
            q!(&mut *tx, execute, sql, org, *payment, *invoice)?;
        }
        for ((payment, invoice), cents) in &self.parts {
            if self.stored.get(&(*payment, *invoice)) != Some(cents) {
                q!(
                    &mut *tx,
                    execute,
                    "INSERT INTO allocation (org_id, payment_id, invoice_id, cents) VALUES ($1, $2, $3, $4)
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

    fn row(n: u128, kind: Kind, cents: i64, refund_of: Option<u128>) -> Row {
        let id = |n| PaymentId(Uuid::from_u128(n));
        Row { id: id(n), kind, amount_cents: Cents(cents), refund_of: refund_of.map(id) }
    }

    fn bill(n: u128, cents: i64) -> Bill {
        let id = InvoiceId(Uuid::from_u128(n));
        Bill { id, total_cents: Cents(cents), paid_cents: Cents::ZERO, status: "open".into() }
    }

    fn books(rows: Vec<Row>, bills: Vec<Bill>) -> Books {
        Books { rows, bills, ..Books::default() }
    }

    fn paid(books: &Books) -> Vec<i64> {
        books.bills.iter().map(|bill| books.paid(bill.id)).collect()
    }

    #[test]
    fn what_is_due_first_is_paid_first_unless_somebody_chose() {
        let mut plain = books(vec![row(1, Kind::Payment, 150, None)], vec![bill(1, 100), bill(2, 100)]);
        let mut chosen = plain.clone();
        plain.settle();
        assert_eq!(paid(&plain), [100, 50]);
        chosen.put(PaymentId(Uuid::from_u128(1)), InvoiceId(Uuid::from_u128(2)));
        chosen.settle();
        assert_eq!(paid(&chosen), [50, 100]);
    }

    #[test]
    fn a_refund_takes_what_lies_idle_and_then_from_the_newest_invoice() {
        let mut books = books(vec![row(1, Kind::Payment, 250, None)], vec![bill(1, 100), bill(2, 100)]);
        books.settle();
        books.rows.push(row(2, Kind::Refund, 80, Some(1)));
        books.settle();
        assert_eq!(paid(&books), [100, 70]);
        let newest = InvoiceId(Uuid::from_u128(2));
        assert_eq!(books.part(PaymentId(Uuid::from_u128(2)), newest), -30, "the other 50 paid nothing");
    }

    #[test]
    fn an_undone_refund_makes_room_for_itself() {
        let mut books = books(vec![row(1, Kind::Payment, 100, None)], vec![bill(1, 100)]);
        books.settle();
        books.rows.push(row(2, Kind::Payment, 60, None));
        books.rows.push(row(3, Kind::Refund, 100, Some(1)));
        books.settle();
        assert_eq!(paid(&books), [60]);
        books.rows.pop();
        books.forget();
        books.settle();
        assert_eq!((paid(&books), books.free(&books.rows[1])), (vec![100], 60));
    }

    /// The first of two refunds once took the second one's money too, and an undo then made money of nothing.
    #[test]
    fn two_refunds_of_a_payment_each_take_their_own() {
        let mut books = books(vec![row(1, Kind::Payment, 5, None)], vec![bill(1, 100)]);
        for refund in 2..4 {
            books.rows.push(row(refund, Kind::Refund, 1, Some(1)));
            books.settle();
        }
        for left in [vec![4], vec![5]] {
            books.rows.pop();
            books.forget();
            books.settle();
            assert_eq!(paid(&books), left);
        }
    }

    proptest! {
        #[test]
        fn nothing_is_paid_twice_and_nothing_lies_idle_beside_an_open_invoice(
            bills in prop::collection::vec(1_i64..500, 0..5),
            moves in prop::collection::vec((0_u8..4, 1_i64..400, any::<prop::sample::Index>()), 1..40),
        ) {
            let bills = (1_u128..).zip(bills).map(|(n, cents)| bill(n, cents)).collect();
            let mut books = books(Vec::new(), bills);
            for (n, (what, cents, which)) in (1_u128..).zip(moves) {
                let payments: Vec<Row> = books.rows.iter().filter(|r| r.kind == Kind::Payment).copied().collect();
                match what {
                    0 | 1 => books.rows.push(row(n, Kind::Payment, cents, None)),
                    // More may go back than came in: in cash, and once more by the payer's bank.
                    2 if !payments.is_empty() => {
                        let of = which.get(&payments);
                        books.rows.push(row(n, Kind::Refund, cents, Some(of.id.0.as_u128())));
                    }
                    _ if !books.rows.is_empty() => {
                        // What was refunded is not undone before its refunds are.
                        let gone = books.rows[which.index(books.rows.len())].id;
                        if books.refunds(gone).next().is_none() {
                            books.rows.retain(|row| row.id != gone);
                        }
                    }
                    _ => {}
                }
                books.forget();
                books.settle();
                let open: i64 = books.bills.iter().map(|b| b.total_cents.0 - books.paid(b.id)).sum();
                let stayed = |row: &Row| row.amount_cents.0 - books.refunds(row.id).map(|r| r.amount_cents.0).sum::<i64>();
                let paid = books.rows.iter().filter(|row| row.kind != Kind::Refund);
                let had: i64 = paid.map(|row| stayed(row).max(0)).sum();
                let due: i64 = books.bills.iter().map(|b| b.total_cents.0).sum();
                prop_assert_eq!(open, (due - had).max(0), "everything there is pays");
                for bill in &books.bills {
                    prop_assert!((0..=bill.total_cents.0).contains(&books.paid(bill.id)));
                    for row in books.rows.iter().filter(|row| row.kind != Kind::Refund) {
                        prop_assert!(books.net(row.id, bill.id) >= 0 && books.part(row.id, bill.id) >= 0);
                    }
                }
                for row in books.rows.iter().filter(|row| row.kind != Kind::Refund) {
                    prop_assert!(books.free(row) >= stayed(row).min(0), "no payment pays more than stayed of it");
                }
            }
        }
    }
}
