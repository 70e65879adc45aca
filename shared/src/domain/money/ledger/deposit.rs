//! The deposits that a lead's customer approved: what came in of each, and what of it is still asked for. Every place that
//! asks for a deposit reads it here.

use sqlx::FromRow;

use super::{Kind, balance, debt};
use crate::platform::{
    db::{AsConn, q},
    error::Result,
    id::{EstimateId, EventId, LeadId, OrgId, PaymentId},
    money::Cents,
};

/// The deposit of an approved estimate or change order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deposit {
    pub estimate: EstimateId,
    pub amount: Cents,
    /// What came in of it and stayed.
    pub paid: Cents,
    /// What is still asked for. Of a lead's deposits together no more than is owed beside what its open invoices ask for;
    /// what was written off is not asked for.
    pub due: Cents,
}

#[derive(Clone, Copy, Debug, FromRow)]
struct Paper {
    id: EstimateId,
    /// Above nothing.
    deposit_cents: Cents,
}

/// A row of the ledger that counts.
#[derive(Clone, Copy, Debug, FromRow)]
struct Row {
    id: PaymentId,
    kind: Kind,
    amount_cents: Cents,
    refund_of: Option<PaymentId>,
    estimate_id: Option<EstimateId>,
    event_id: Option<EventId>,
}

impl Row {
    fn cents(&self) -> i64 {
        if self.kind == Kind::Refund { -self.amount_cents.0 } else { self.amount_cents.0 }
    }

    /// The paper whose deposit it paid, gave back, or gave up together with a refund.
    fn paper(&self, all: &[Self]) -> Option<EstimateId> {
        match self.kind {
            Kind::Payment => self.estimate_id,
            Kind::Refund => all.iter().find(|paid| Some(paid.id) == self.refund_of)?.estimate_id,
            Kind::WriteOff => {
                let event = self.event_id?;
                let refund = all.iter().find(|row| row.kind == Kind::Refund && row.event_id == Some(event))?;
                refund.paper(all)
            }
        }
    }
}

/// The deposits of a lead, in the order in which money covers them: those of its estimates, then those of its change
/// orders, the oldest first.
pub async fn deposits(conn: &mut dyn AsConn, org: OrgId, lead: LeadId) -> Result<Vec<Deposit>> {
    let papers = q!(
        &mut *conn,
        fetch_all as Paper,
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
        fetch_all as Row,
        "SELECT id, kind, amount_cents, refund_of, estimate_id, event_id FROM payment
         WHERE org_id = $1 AND lead_id = $2 AND status = 'settled' AND undone_at IS NULL",
        org,
        lead
    )?;
    Ok(reckon(&papers, &rows, room(conn, org, lead).await?))
}

/// What is owed beside what the open invoices ask for. An estimate that nobody approved is no debt.
async fn room(conn: &mut dyn AsConn, org: OrgId, lead: LeadId) -> Result<i64> {
    let shown = balance(&mut *conn, org, lead).await?.owed;
    let owed = debt(&mut *conn, org, lead).await?.owed.min(shown);
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

fn reckon(papers: &[Paper], rows: &[Row], room: i64) -> Vec<Deposit> {
    let unpaid = left(papers, rows, |kind| kind != Kind::WriteOff);
    let unsettled = left(papers, rows, |_| true);
    let mut room = room.max(0);
    let both = unpaid.into_iter().zip(unsettled);
    let one = |(paper, (unpaid, unsettled)): (&Paper, (i64, i64))| {
        let due = unsettled.min(room);
        room -= due;
        let amount = paper.deposit_cents;
        Deposit { estimate: paper.id, amount, paid: Cents(amount.0 - unpaid), due: Cents(due) }
    };
    papers.iter().zip(both).map(one).collect()
}

/// What of each deposit is not covered: by what was paid for it, then by everything else that came in.
fn left(papers: &[Paper], rows: &[Row], counts: fn(Kind) -> bool) -> Vec<i64> {
    let counted: Vec<(Option<EstimateId>, i64)> =
        rows.iter().filter(|row| counts(row.kind)).map(|row| (row.paper(rows), row.cents())).collect();
    let own = |paper: &Paper| {
        let sum: i64 = counted.iter().filter(|(of, _)| *of == Some(paper.id)).map(|(_, cents)| cents).sum();
        sum.clamp(0, paper.deposit_cents.0)
    };
    let total: i64 = counted.iter().map(|(_, cents)| cents).sum();
    let mut free = (total - papers.iter().map(own).sum::<i64>()).max(0);
    let one = |paper: &Paper| {
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

    fn paper(n: u128, cents: i64) -> Paper {
        Paper { id: EstimateId(Uuid::from_u128(n)), deposit_cents: Cents(cents) }
    }

    /// A payment for the deposit of the paper `of`, or for none.
    fn paid(n: u128, cents: i64, of: Option<u128>) -> Row {
        Row {
            id: PaymentId(Uuid::from_u128(n)),
            kind: Kind::Payment,
            amount_cents: Cents(cents),
            refund_of: None,
            estimate_id: of.map(|n| EstimateId(Uuid::from_u128(n))),
            event_id: Some(EventId(Uuid::from_u128(n))),
        }
    }

    /// A refund of the payment `of`.
    fn back(n: u128, cents: i64, of: u128) -> Row {
        let refund_of = Some(PaymentId(Uuid::from_u128(of)));
        Row { kind: Kind::Refund, refund_of, ..paid(n, cents, None) }
    }

    /// What was taken off the bill with the refund `of`, or by itself.
    fn off(n: u128, cents: i64, of: u128) -> Row {
        Row { kind: Kind::WriteOff, event_id: Some(EventId(Uuid::from_u128(of))), ..paid(n, cents, None) }
    }

    /// What came in and what is due of each.
    fn of(papers: &[Paper], rows: &[Row], room: i64) -> Vec<(i64, i64)> {
        reckon(papers, rows, room).into_iter().map(|one| (one.paid.0, one.due.0)).collect()
    }

    #[test]
    fn what_was_taken_off_the_bill_is_not_asked_for_again() {
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
    fn deposits_ask_for_no_more_than_open_invoices_leave() {
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
        fn deposits_of_any_history_stay_within_what_is_left(
            cents in prop::collection::vec(1_i64..1000, 1..4),
            moves in prop::collection::vec((0_u8..4, 1_i64..1000, 0_u128..4), 0..12),
            room in -500_i64..4000,
        ) {
            let papers: Vec<Paper> = (1..).zip(&cents).map(|(n, cents)| paper(n, *cents)).collect();
            let rows: Vec<Row> = (10..)
                .zip(&moves)
                .map(|(n, (what, cents, at))| match *what {
                    0 => paid(n, *cents, (*at > 0).then_some(*at)),
                    1 => paid(n, *cents, None),
                    2 => back(n, *cents, 10 + *at),
                    _ => off(n, *cents, 10 + *at),
                })
                .collect();
            let found = reckon(&papers, &rows, room);
            let due: i64 = found.iter().map(|one| one.due.0).sum();
            let settled: i64 = rows.iter().map(Row::cents).sum();
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
