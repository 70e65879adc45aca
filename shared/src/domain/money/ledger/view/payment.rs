//! Ledger rows as shown to people.

use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;
use sqlx::{FromRow, types::Json};
use utoipa::ToSchema;

use super::external_returns::ExternalReturns;
use crate::{
    domain::{
        money::{
            checkout,
            ledger::{BilledContent, PaymentKind, PaymentMethod, PaymentStatus},
        },
        work::activity::UNDO_WINDOW,
    },
    platform::{
        db::{AsConn, q},
        error::{Error, Result},
        id::{InvoiceId, LeadId, OrgId, PaymentId},
        money::Cents,
    },
};

/// A row of the ledger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PaymentView {
    pub id: PaymentId,
    pub lead_id: LeadId,
    /// `RCP-1001`; null for what was written off.
    pub number: Option<String>,
    pub kind: PaymentKind,
    pub method: PaymentMethod,
    pub amount: Cents,
    /// In the business's zone.
    pub received_on: NaiveDate,
    /// "Check 1042".
    pub reference: Option<String>,
    pub note: Option<String>,
    pub status: PaymentStatus,
    /// The payment that it gives back.
    pub refund_of: Option<PaymentId>,
    /// Who recorded it, by name.
    pub by: Option<String>,
    pub created_at: DateTime<Utc>,
    /// Whether it can still be undone.
    pub undoable: bool,
    /// Until when; null when it cannot.
    pub undo_until: Option<DateTime<Utc>>,
    /// Whether the business may say how this refund ended: it is in doubt, and Stripe cannot be asked.
    pub markable: bool,
    /// A refund in doubt that is not `markable`, while Stripe refuses the key: a new one in the settings makes it clear.
    pub key_refused: bool,
    /// How much of it can be given back.
    pub refundable: Cents,
    pub allocations: Vec<PaymentAllocation>,
    /// The payout with which it went to the bank; null before that, and for what did not come by card.
    pub payout: Option<PayoutView>,
    /// Of a refund that failed: what of its payment went back without us, as a sentence; null where the money is still there.
    pub already_returned: Option<String>,
}

/// Money that Stripe sent to the business's bank.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Payout)]
pub struct PayoutView {
    /// Stripe's id of it.
    pub id: String,
    /// All of it, fees taken off.
    pub amount: Cents,
    pub arrives_on: NaiveDate,
    /// Stripe's word: paid, pending, `in_transit`, canceled or failed.
    pub status: String,
}

/// The part of a payment that pays an invoice; below nothing for what a refund took back from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Allocation)]
pub struct PaymentAllocation {
    pub invoice_id: InvoiceId,
    pub number: Option<String>,
    pub amount: Cents,
}

#[must_use]
pub(crate) fn receipt_number(number: i64) -> String {
    format!("RCP-{number}")
}

#[derive(FromRow)]
struct PaymentViewRow {
    id: PaymentId,
    lead_id: LeadId,
    number: Option<i64>,
    kind: PaymentKind,
    method: PaymentMethod,
    amount_cents: Cents,
    received_on: NaiveDate,
    reference: Option<String>,
    note: Option<String>,
    status: PaymentStatus,
    refund_of: Option<PaymentId>,
    by_name: Option<String>,
    provider_id: Option<String>,
    attempted_at: Option<DateTime<Utc>>,
    is_unreachable: bool,
    is_key_refused: bool,
    created_at: DateTime<Utc>,
    payout_id: Option<String>,
    payout_cents: Option<Cents>,
    payout_on: Option<NaiveDate>,
    payout_status: Option<String>,
}

impl PaymentViewRow {
    fn payout_view(&self) -> Option<PayoutView> {
        let (id, amount) = (self.payout_id.clone()?, self.payout_cents?);
        Some(PayoutView { id, amount, arrives_on: self.payout_on?, status: self.payout_status.clone()? })
    }
}

#[derive(FromRow)]
struct AllocationRow {
    payment_id: PaymentId,
    invoice_id: InvoiceId,
    cents: Cents,
    number: Option<i64>,
    content: Json<BilledContent>,
}

/// Newest first, without undone rows.
pub(crate) async fn list_payments(
    conn: &mut dyn AsConn,
    org: OrgId,
    lead: LeadId,
    now: DateTime<Utc>,
) -> Result<Vec<PaymentView>> {
    let rows = q!(
        &mut *conn,
        fetch_all as PaymentViewRow,
        "SELECT p.id, p.lead_id, p.number, p.kind, p.method, p.amount_cents, p.received_on, p.reference, p.note, p.status, p.refund_of,
             a.name AS by_name, p.provider_id, p.attempted_at, p.is_unreachable, p.created_at, o.id AS payout_id,
             EXISTS (SELECT 1 FROM org_secret s WHERE s.org_id = $1 AND s.name = 'stripe' AND s.refused_at IS NOT NULL)
                 AS is_key_refused,
             o.amount_cents AS payout_cents, o.arrives_on AS payout_on, o.status AS payout_status
         FROM payment p LEFT JOIN account a ON a.org_id = p.org_id AND a.id = p.account_id
             LEFT JOIN stripe_payout o ON o.org_id = p.org_id AND o.id = p.payout_id
         WHERE p.org_id = $1 AND p.lead_id = $2 AND p.undone_at IS NULL ORDER BY p.created_at DESC, p.id DESC",
        org,
        lead
    )?;
    let parts = q!(
        conn,
        fetch_all as AllocationRow,
        "SELECT l.payment_id, l.invoice_id, l.cents, i.number, i.content FROM payment_allocation l
         JOIN payment p ON p.org_id = l.org_id AND p.id = l.payment_id
         JOIN invoice i ON i.org_id = l.org_id AND i.id = l.invoice_id
         WHERE l.org_id = $1 AND p.lead_id = $2 ORDER BY i.number, i.id",
        org,
        lead
    )?;
    Ok(rows.iter().map(|row| row.to_view(&rows, &parts, now)).collect())
}

impl PaymentViewRow {
    fn to_view(&self, all: &[Self], parts: &[AllocationRow], now: DateTime<Utc>) -> PaymentView {
        let refunds = all.iter().filter(|row| row.refund_of == Some(self.id) && row.status != PaymentStatus::Failed);
        let back: i64 = refunds.map(|row| row.amount_cents.0).sum();
        let can_go_back = self.kind == PaymentKind::Payment && self.status == PaymentStatus::Settled;
        let until = self.created_at + UNDO_WINDOW;
        let has_moved = self.provider_id.is_some() || self.attempted_at.is_some();
        let is_in_doubt = self.kind == PaymentKind::Refund && self.status == PaymentStatus::Unknown;
        let markable = is_in_doubt && self.is_unreachable;
        let undoable = self.kind != PaymentKind::WriteOff && !has_moved && back == 0 && now <= until;
        let allocations = parts.iter().filter(|part| part.payment_id == self.id).map(|part| PaymentAllocation {
            invoice_id: part.invoice_id,
            number: part.content.display_number(part.number),
            amount: part.cents,
        });
        PaymentView {
            id: self.id,
            lead_id: self.lead_id,
            number: self.number.map(receipt_number),
            kind: self.kind,
            method: self.method,
            amount: self.amount_cents,
            received_on: self.received_on,
            reference: self.reference.clone(),
            note: self.note.clone(),
            status: self.status,
            refund_of: self.refund_of,
            by: self.by_name.clone(),
            created_at: self.created_at,
            undoable,
            undo_until: undoable.then_some(until),
            markable,
            key_refused: is_in_doubt && !markable && self.is_key_refused,
            refundable: if can_go_back { Cents((self.amount_cents.0 - back).max(0)) } else { Cents::ZERO },
            allocations: allocations.collect(),
            payout: self.payout_view(),
            already_returned: self.already_returned(all),
        }
    }

    /// Whether it was refunded outside this program.
    fn is_external_return(&self, note: &str) -> bool {
        self.provider_id.is_some() && self.by_name.is_none() && self.note.as_deref() == Some(note)
    }

    /// What made a failed refund of ours unnecessary.
    fn already_returned(&self, all: &[Self]) -> Option<String> {
        let is_ours = !self.is_external_return(checkout::REFUNDED_IN_STRIPE)
            && !self.is_external_return(checkout::DISPUTED_WITH_BANK);
        if self.kind != PaymentKind::Refund || self.status != PaymentStatus::Failed || !is_ours {
            return None;
        }
        let paid = all.iter().find(|row| Some(row.id) == self.refund_of)?;
        let goes_back = |row: &&Self| row.refund_of == Some(paid.id) && row.status != PaymentStatus::Failed;
        let back: Vec<&Self> = all.iter().filter(goes_back).collect();
        let by = |note: &str| {
            Cents(back.iter().filter(|row| row.is_external_return(note)).map(|row| row.amount_cents.0).sum::<i64>())
        };
        let left = paid.amount_cents.0 - back.iter().map(|row| row.amount_cents.0).sum::<i64>();
        let elsewhere =
            ExternalReturns { in_stripe: by(checkout::REFUNDED_IN_STRIPE), by_bank: by(checkout::DISPUTED_WITH_BANK) };
        elsewhere.warning_text(self.amount_cents, Cents(left))
    }
}

/// Errors: [`Error::NotFound`] when the org has no such row, or it was undone.
pub async fn load_payment(conn: &mut dyn AsConn, org: OrgId, id: PaymentId, now: DateTime<Utc>) -> Result<PaymentView> {
    let lead = "SELECT lead_id FROM payment WHERE org_id = $1 AND id = $2";
    let lead = q!(&mut *conn, fetch_optional scalar LeadId, lead, org, id)?.ok_or(Error::NotFound)?;
    let all = list_payments(conn, org, lead, now).await?;
    all.into_iter().find(|row| row.id == id).ok_or(Error::NotFound)
}
