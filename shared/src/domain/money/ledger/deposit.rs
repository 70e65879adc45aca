//! Deposits of a lead's approved papers: what was received of each and what is still asked for. The only source for
//! everything that asks for a deposit.

use sqlx::FromRow;

use super::{PaymentKind, load_approved_balance, load_balance};
use crate::platform::{
    db::{AsConn, q},
    error::Result,
    id::{EstimateId, EventId, LeadId, OrgId, PaymentId},
    money::Cents,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EstimateDeposit {
    pub estimate: EstimateId,
    pub amount: Cents,
    /// Received and not refunded.
    pub paid: Cents,
    /// Still asked for. The deposits of a lead together never exceed what is owed beside its open invoices; written-off
    /// amounts are not asked for.
    pub due: Cents,
}

#[derive(Clone, Copy, Debug, FromRow)]
struct DepositEstimateRow {
    id: EstimateId,
    /// Above zero.
    deposit_cents: Cents,
}

#[derive(Clone, Copy, Debug, FromRow)]
struct DepositLedgerRow {
    id: PaymentId,
    kind: PaymentKind,
    amount_cents: Cents,
    refund_of: Option<PaymentId>,
    estimate_id: Option<EstimateId>,
    event_id: Option<EventId>,
}

impl DepositLedgerRow {
    fn signed_cents(&self) -> i64 {
        if self.kind == PaymentKind::Refund { -self.amount_cents.0 } else { self.amount_cents.0 }
    }

    /// The paper whose deposit it paid, refunded, or wrote off together with a refund.
    fn deposit_estimate(&self, all: &[Self]) -> Option<EstimateId> {
        match self.kind {
            PaymentKind::Payment => self.estimate_id,
            PaymentKind::Refund => all.iter().find(|paid| Some(paid.id) == self.refund_of)?.estimate_id,
            PaymentKind::WriteOff => {
                let event = self.event_id?;
                let refund = all.iter().find(|row| row.kind == PaymentKind::Refund && row.event_id == Some(event))?;
                refund.deposit_estimate(all)
            }
        }
    }
}

/// In the order in which money covers them: estimates, then change orders, each oldest first.
pub async fn list_deposits(conn: &mut dyn AsConn, org: OrgId, lead: LeadId) -> Result<Vec<EstimateDeposit>> {
    let papers = q!(
        &mut *conn,
        fetch_all as DepositEstimateRow,
        "SELECT e.id, a.deposit_cents FROM estimate e
         JOIN approval a ON a.org_id = e.org_id AND a.estimate_id = e.id
         WHERE e.org_id = $1 AND e.lead_id = $2 AND e.status = 'approved' AND a.deposit_cents > 0
         ORDER BY CASE WHEN e.job_id IS NULL THEN 0 ELSE 1 END, a.at, e.id",
        org,
        lead
    )?;
    if papers.is_empty() {
        return Ok(Vec::new());
    }
    let rows = q!(
        &mut *conn,
        fetch_all as DepositLedgerRow,
        "SELECT id, kind, amount_cents, refund_of, estimate_id, event_id FROM payment
         WHERE org_id = $1 AND lead_id = $2 AND status = 'settled' AND undone_at IS NULL",
        org,
        lead
    )?;
    Ok(compute_deposits(&papers, &rows, remaining_owed(conn, org, lead).await?))
}

/// Owed amount less what open invoices ask for. An unapproved estimate is no debt.
async fn remaining_owed(conn: &mut dyn AsConn, org: OrgId, lead: LeadId) -> Result<i64> {
    let shown = load_balance(&mut *conn, org, lead).await?.owed;
    let owed = load_approved_balance(&mut *conn, org, lead).await?.owed.min(shown);
    let asked = q!(
        conn,
        fetch_one scalar Cents,
        "SELECT CAST(COALESCE(SUM(total_cents - paid_cents), 0) AS BIGINT) FROM invoice
         WHERE org_id = $1 AND lead_id = $2 AND status = 'open'",
        org,
        lead
    )?;
    Ok(owed.0 - asked.0)
}

fn compute_deposits(papers: &[DepositEstimateRow], rows: &[DepositLedgerRow], room: i64) -> Vec<EstimateDeposit> {
    let unpaid = compute_uncovered(papers, rows, |kind| kind != PaymentKind::WriteOff);
    let unsettled = compute_uncovered(papers, rows, |_| true);
    let mut room = room.max(0);
    let both = unpaid.into_iter().zip(unsettled);
    let one = |(paper, (unpaid, unsettled)): (&DepositEstimateRow, (i64, i64))| {
        let due = unsettled.min(room);
        room -= due;
        let amount = paper.deposit_cents;
        EstimateDeposit { estimate: paper.id, amount, paid: Cents(amount.0 - unpaid), due: Cents(due) }
    };
    papers.iter().zip(both).map(one).collect()
}

/// Uncovered part of each deposit, after payments for it and then all other payments.
fn compute_uncovered(
    papers: &[DepositEstimateRow],
    rows: &[DepositLedgerRow],
    counts: fn(PaymentKind) -> bool,
) -> Vec<i64> {
    let counted: Vec<(Option<EstimateId>, i64)> = rows
        .iter()
        .filter(|row| counts(row.kind))
        .map(|row| (row.deposit_estimate(rows), row.signed_cents()))
        .collect();
    let own = |paper: &DepositEstimateRow| {
        let sum: i64 = counted.iter().filter(|(of, _)| *of == Some(paper.id)).map(|(_, cents)| cents).sum();
        sum.clamp(0, paper.deposit_cents.0)
    };
    let total: i64 = counted.iter().map(|(_, cents)| cents).sum();
    let mut free = (total - papers.iter().map(own).sum::<i64>()).max(0);
    let one = |paper: &DepositEstimateRow| {
        let rest = paper.deposit_cents.0 - own(paper);
        let covered = rest.min(free);
        free -= covered;
        rest - covered
    };
    papers.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;

    fn paper(n: u128, cents: i64) -> DepositEstimateRow {
        DepositEstimateRow { id: EstimateId(Uuid::from_u128(n)), deposit_cents: Cents(cents) }
    }

    /// A payment for the deposit of the paper `of`, or for none.
    fn paid(n: u128, cents: i64, of: Option<u128>) -> DepositLedgerRow {
        DepositLedgerRow {
            id: PaymentId(Uuid::from_u128(n)),
            kind: PaymentKind::Payment,
            amount_cents: Cents(cents),
            refund_of: None,
            estimate_id: of.map(|n| EstimateId(Uuid::from_u128(n))),
            event_id: Some(EventId(Uuid::from_u128(n))),
        }
    }

    fn back(n: u128, cents: i64, of: u128) -> DepositLedgerRow {
        let refund_of = Some(PaymentId(Uuid::from_u128(of)));
        DepositLedgerRow { kind: PaymentKind::Refund, refund_of, ..paid(n, cents, None) }
    }

    /// A write-off with the refund `of`, or by itself.
    fn off(n: u128, cents: i64, of: u128) -> DepositLedgerRow {
        DepositLedgerRow {
            kind: PaymentKind::WriteOff,
            event_id: Some(EventId(Uuid::from_u128(of))),
            ..paid(n, cents, None)
        }
    }

    fn of(papers: &[DepositEstimateRow], rows: &[DepositLedgerRow], room: i64) -> Vec<(i64, i64)> {
        compute_deposits(papers, rows, room).into_iter().map(|one| (one.paid.0, one.due.0)).collect()
    }

    #[test]
    fn written_off_part_of_refunded_deposit_is_not_requested_again() {
        let one = [paper(1, 300)];
        assert_eq!(of(&one, &[], 1000), [(0, 300)]);
        assert_eq!(of(&one, &[paid(2, 300, Some(1))], 700), [(300, 0)]);
        let part = [paid(2, 300, Some(1)), back(3, 100, 2), off(4, 100, 3)];
        assert_eq!(of(&one, &part, 700), [(200, 0)]);
        let all = [paid(2, 300, Some(1)), back(3, 300, 2), off(4, 300, 3)];
        assert_eq!(of(&one, &all, 700), [(0, 0)]);
        assert_eq!(of(&one, &all[..2], 1000), [(0, 300)], "what went back and was not taken off is due again");
    }

    #[test]
    fn deposits_never_exceed_amount_left_by_open_invoices() {
        let two = [paper(1, 300), paper(2, 200)];
        assert_eq!(of(&two, &[], 1000), [(0, 300), (0, 200)]);
        assert_eq!(of(&two, &[], 400), [(0, 300), (0, 100)]);
        assert_eq!(of(&two, &[], 0), [(0, 0), (0, 0)], "the last invoice asks for everything");
        assert_eq!(of(&two, &[], -5), [(0, 0), (0, 0)]);
    }

    #[test]
    fn money_covers_the_deposit_it_was_paid_for_then_the_oldest() {
        let two = [paper(1, 300), paper(2, 200)];
        assert_eq!(of(&two, &[paid(3, 350, None)], 1000), [(300, 0), (50, 150)]);
        assert_eq!(of(&two, &[paid(3, 200, Some(2))], 1000), [(0, 300), (200, 0)]);
        assert_eq!(of(&two, &[paid(3, 250, Some(2))], 1000), [(50, 250), (200, 0)], "what it takes no more");
        let forgiven = [paid(3, 200, Some(2)), back(4, 200, 3), off(5, 200, 4)];
        assert_eq!(of(&two, &forgiven, 1000), [(0, 300), (0, 0)]);
        let returned = [paid(3, 200, Some(2)), back(4, 200, 3)];
        assert_eq!(of(&two, &returned, 1000), [(0, 300), (0, 200)]);
    }

    proptest! {
        #[test]
        fn deposits_due_stay_within_remaining_amount_for_any_history(
            cents in prop::collection::vec(1_i64..1000, 1..4),
            moves in prop::collection::vec((0_u8..4, 1_i64..1000, 0_u128..4), 0..12),
            room in -500_i64..4000,
        ) {
            let papers: Vec<DepositEstimateRow> = (1..).zip(&cents).map(|(n, cents)| paper(n, *cents)).collect();
            let rows: Vec<DepositLedgerRow> = (10..)
                .zip(&moves)
                .map(|(n, (what, cents, at))| match *what {
                    0 => paid(n, *cents, (*at > 0).then_some(*at)),
                    1 => paid(n, *cents, None),
                    2 => back(n, *cents, 10 + *at),
                    _ => off(n, *cents, 10 + *at),
                })
                .collect();
            let found = compute_deposits(&papers, &rows, room);
            let due: i64 = found.iter().map(|one| one.due.0).sum();
            let settled: i64 = rows.iter().map(DepositLedgerRow::signed_cents).sum();
            let asked: i64 = cents.iter().sum();
            prop_assert!(due <= room.max(0), "{found:?}");
            prop_assert!(due <= (asked - settled).max(0), "{found:?}");
            for one in &found {
                prop_assert!(one.due >= Cents::ZERO && one.due <= one.amount, "{found:?}");
                prop_assert!(one.paid >= Cents::ZERO && one.paid <= one.amount, "{found:?}");
            }
        }
    }
}
