//! Money that nothing asks for: shown, and refundable with one tap where it came by card. An estimate that is not
//! approved asks for nothing: what came in beside it may be given back.

use serde::Serialize;
use utoipa::ToSchema;

use super::{LeadBalance, load_approved_balance, load_balance};
use crate::platform::{
    db::{AsConn, q},
    error::Result,
    id::{LeadId, OrgId, PaymentId},
    money::Cents,
};

/// What one tap gives back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreditRefund {
    /// The card payment that it goes back to.
    pub payment_id: PaymentId,
    pub amount: Cents,
}

#[derive(Clone, Copy, Debug)]
pub struct CardCredit {
    /// With what an open estimate asks for.
    pub balance: LeadBalance,
    pub approved: LeadBalance,
    /// Paid beyond what is approved and invoiced. Where that is nothing, a payment recorded by a person is credit only
    /// beyond the open estimate: the person knows its purpose. A payment by the pay page was asked for by a paper; where
    /// that is gone, it is credit.
    pub credit: Cents,
    pub give_back: Option<CreditRefund>,
}

/// A card payment with what was refunded of it, including pending and in doubt.
type CardPaymentRow = (PaymentId, Cents, Cents, Cents);

pub async fn load_card_credit(conn: &mut dyn AsConn, org: OrgId, lead: LeadId) -> Result<CardCredit> {
    let balance = load_balance(&mut *conn, org, lead).await?;
    let approved = load_approved_balance(&mut *conn, org, lead).await?;
    if approved.credit == Cents::ZERO {
        return Ok(CardCredit { balance, approved, credit: Cents::ZERO, give_back: None });
    }
    let by_card = q!(
        conn,
        fetch_all as CardPaymentRow,
        "SELECT p.id, p.amount_cents,
             CAST(COALESCE((SELECT SUM(r.amount_cents) FROM payment r WHERE r.org_id = $1 AND r.refund_of = p.id
                 AND r.status = 'settled' AND r.undone_at IS NULL), 0) AS BIGINT),
             CAST(COALESCE((SELECT SUM(r.amount_cents) FROM payment r WHERE r.org_id = $1 AND r.refund_of = p.id
                 AND r.status IN ('pending', 'unknown') AND r.undone_at IS NULL), 0) AS BIGINT)
         FROM payment p WHERE p.org_id = $1 AND p.lead_id = $2 AND p.kind = 'payment' AND p.method = 'card'
             AND p.status = 'settled' AND p.provider_id IS NOT NULL AND p.undone_at IS NULL
         ORDER BY p.created_at DESC, p.id DESC",
        org,
        lead
    )?;
    Ok(compute_credit(balance, approved, &by_card))
}

fn compute_credit(balance: LeadBalance, approved: LeadBalance, by_card: &[CardPaymentRow]) -> CardCredit {
    let came: i64 = by_card.iter().map(|(_, paid, back, _)| (paid.0 - back.0).max(0)).sum();
    let beyond_estimate = if balance.due > Cents::ZERO { balance.credit } else { Cents::ZERO };
    // What was written off with an open estimate pays nothing else.
    let written_off = approved.written_off.0.min((balance.due.0 - approved.due.0).max(0));
    let beyond_approved = Cents((approved.credit.0 - written_off).max(0));
    let credit = if approved.due == Cents::ZERO {
        beyond_approved.min(Cents(came)).max(beyond_estimate)
    } else {
        beyond_approved
    };
    let under_way: i64 = by_card.iter().map(|(.., under_way)| under_way.0).sum();
    let open = credit.0 - under_way;
    let one = by_card.iter().find(|(_, paid, back, under_way)| paid.0 > back.0 + under_way.0);
    let give_back = one.filter(|_| open > 0).map(|(id, paid, back, under_way)| CreditRefund {
        payment_id: *id,
        amount: Cents(open.min(paid.0 - back.0 - under_way.0)),
    });
    CardCredit { balance, approved, credit, give_back }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn of(due: i64, credit: i64, by_card: &[(i64, i64, i64)]) -> (i64, Option<i64>) {
        beside_estimate((due, credit), (due, credit), by_card)
    }

    /// `all` counts an open estimate, `approved` does not.
    fn beside_estimate(all: (i64, i64), approved: (i64, i64), by_card: &[(i64, i64, i64)]) -> (i64, Option<i64>) {
        let balance = |(due, credit): (i64, i64)| LeadBalance {
            due: Cents(due),
            credit: Cents(credit),
            ..LeadBalance::default()
        };
        let row =
            |(paid, back, way): &(i64, i64, i64)| (PaymentId(Uuid::nil()), Cents(*paid), Cents(*back), Cents(*way));
        let found = compute_credit(balance(all), balance(approved), &by_card.iter().map(row).collect::<Vec<_>>());
        (found.credit.0, found.give_back.map(|one| one.amount.0))
    }

    #[test]
    fn open_estimate_covers_no_card_money_and_no_overpaid_invoice() {
        let by_card = [(107, 0, 0)];
        assert_eq!(beside_estimate((500, 0), (0, 107), &by_card), (107, Some(107)), "its invoice was voided meanwhile");
        assert_eq!(beside_estimate((500, 0), (107, 107), &by_card), (107, Some(107)), "it was paid in cash as well");
        assert_eq!(beside_estimate((500, 0), (0, 300), &[]), (0, None), "a person recorded it for the estimate");
        assert_eq!(beside_estimate((500, 50), (0, 550), &[]), (50, None), "beyond the estimate too");
        assert_eq!(beside_estimate((500, 157), (0, 657), &by_card), (157, Some(107)));
    }

    #[test]
    fn amount_written_off_with_an_open_estimate_is_no_credit() {
        let written_off = Cents(393);
        let balance = LeadBalance { due: Cents(500), written_off, ..LeadBalance::default() };
        let approved = LeadBalance { due: Cents(107), credit: Cents(393), written_off, ..LeadBalance::default() };
        assert_eq!(compute_credit(balance, approved, &[]).credit, Cents::ZERO, "$107.00 was paid, and marked as all");
    }

    #[test]
    fn card_money_no_invoice_claims_is_refundable_credit() {
        assert_eq!(of(0, 107, &[(107, 0, 0)]), (107, Some(107)), "its invoice was voided meanwhile");
        assert_eq!(of(0, 50, &[]), (0, None), "a person recorded it where nothing was agreed");
        assert_eq!(of(0, 157, &[(107, 0, 0)]), (107, Some(107)));
        assert_eq!(of(107, 107, &[(107, 0, 0)]), (107, Some(107)), "it was paid in cash as well");
        assert_eq!(of(107, 107, &[]), (107, None), "cash twice");
        assert_eq!(of(107, 20, &[(107, 0, 0)]), (20, Some(20)));
        assert_eq!(of(107, 107, &[(107, 0, 107)]), (107, None), "on its way back already");
        assert_eq!(
            of(0, 100, &[(500, 1000, 0), (100, 0, 0)]),
            (100, Some(100)),
            "cash and a chargeback of one payment"
        );
        assert_eq!(of(107, 107, &[(107, 0, 30)]), (107, Some(77)));
        assert_eq!(of(107, 150, &[(100, 0, 0), (107, 0, 0)]), (150, Some(100)), "one payment at a time");
    }
}
