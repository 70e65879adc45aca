//! Refunded payments: they have no receipt, since it would state that the business has the money.

use chrono::{DateTime, Utc};

use super::{EVENT, RULE, decision_evidence};
use crate::{
    conflicts::ConflictCode,
    domain::{
        messaging::{
            automation::{self, decide_skip},
            message::MessageChannel,
        },
        money::{
            checkout,
            estimate::content::load_recipient,
            ledger::{PaymentKind, PaymentStatus, PaymentView, view},
        },
        tenancy::org::OrgProfile,
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, q},
        error::Result,
        id::{LeadId, OrgId, PaymentId},
        money::Cents,
    },
};

/// Why a payment that came in has no receipt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PaymentReturn {
    Disputed,
    Refunded,
    BeingRefunded,
}

impl PaymentReturn {
    /// For the record of decisions.
    fn reason_clause(self) -> &'static str {
        match self {
            Self::Disputed => "the customer's bank took this payment back",
            Self::Refunded => "this payment was refunded in full",
            Self::BeingRefunded => "this payment is being refunded in full",
        }
    }

    pub(super) fn conflict_code(self) -> ConflictCode {
        match self {
            Self::Disputed => ConflictCode::ReceiptOfDisputedPayment,
            Self::Refunded => ConflictCode::ReceiptOfRefundedPayment,
            Self::BeingRefunded => ConflictCode::ReceiptOfPaymentBeingRefunded,
        }
    }
}

/// Reason for no receipt of `paid`, from the rows of its lead; none while part of it stayed.
pub(super) fn returned_reason(paid: &PaymentView, all: &[PaymentView]) -> Option<PaymentReturn> {
    if paid.kind != PaymentKind::Payment {
        return None;
    }
    let back: Vec<&PaymentView> =
        all.iter().filter(|one| one.refund_of == Some(paid.id) && one.status != PaymentStatus::Failed).collect();
    if back.iter().any(|one| one.note.as_deref() == Some(checkout::DISPUTED_WITH_BANK)) {
        return Some(PaymentReturn::Disputed);
    }
    if back.is_empty() || paid.refundable > Cents::ZERO {
        return None;
    }
    let has_arrived = back.iter().all(|one| one.status == PaymentStatus::Settled);
    Some(if has_arrived { PaymentReturn::Refunded } else { PaymentReturn::BeingRefunded })
}

/// The lead of a payment, and the reason for no receipt; none when there may be one.
pub async fn find_returned_payment(
    conn: &mut dyn AsConn,
    org: OrgId,
    id: PaymentId,
    now: DateTime<Utc>,
) -> Result<Option<(LeadId, &'static str)>> {
    let sql = "SELECT lead_id FROM payment WHERE org_id = $1 AND id = $2";
    let Some(lead) = q!(&mut *conn, fetch_optional scalar LeadId, sql, org, id)? else { return Ok(None) };
    let all = view::list_payments(conn, org, lead, now).await?;
    let why = all.iter().find(|one| one.id == id).and_then(|paid| returned_reason(paid, &all));
    Ok(why.map(|why| (lead, why.reason_clause())))
}

/// Records the reason beside the conversation.
pub async fn record_receipt_withheld(
    tx: &mut Tx,
    origin: &ClockRng,
    profile: &OrgProfile,
    lead: LeadId,
    why: &str,
) -> Result<()> {
    let org = profile.org.id;
    let who = load_recipient(&mut *tx, org, lead).await?;
    let decided = decide_skip(RULE, MessageChannel::Email, why, decision_evidence(profile, &who));
    automation::apply_decisions(tx, origin, org, lead, EVENT, vec![decided]).await
}
