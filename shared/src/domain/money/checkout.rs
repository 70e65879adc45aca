//! Card payments: the amount due behind a link, the Stripe page, and its outcome.
//!
//! Stripe is never called inside a transaction. A checkout row is stored first ([`begin_checkout`]), opened at Stripe
//! with its id as idempotency key, and its URL stored ([`record_opened`]); two taps on "Pay" yield one checkout.
//! Webhooks only trigger a look: [`settle_checkout`] updates the ledger from Stripe's own answer, idempotently and
//! independent of event order.

use chrono::{DateTime, Utc};
use sqlx::FromRow;
use uuid::Uuid;

use crate::platform::{
    db::{AsConn, qb},
    error::Result,
    id::{CheckoutId, EstimateId, InvoiceId, LeadId, OrgId},
    money::Cents,
};

mod bank_transfer;
mod card_refund;
mod checkout_page;
mod close;
mod dispute;
mod document_title;
mod double_refund;
mod due;
mod event;
mod open_alerts;
mod payment_lookup;
pub(crate) mod payment_retry;
mod recreated_page;
mod settlement;
mod unsettled;

pub(crate) use card_refund::REFUNDED_IN_STRIPE;
pub use card_refund::query_deadline as refund_query_deadline;
pub use card_refund::{
    CardRefund, NOT_CONNECTED, RefundRefusal, alert_if_overdue as alert_if_refund_overdue, apply_provider_refunds,
    can_query_provider, enqueue_check as enqueue_refund_check,
    enqueue_checks_with_new_keys as enqueue_refund_checks_with_new_keys, find_pending as find_pending_refund,
    record_accepted as record_refund_accepted, record_attempt as record_refund_attempt,
    record_failed as record_refund_failed, record_reachability as record_refund_reachability,
    record_unknown as record_refund_unknown,
};
pub(crate) use checkout_page::build_settle_task;
pub use checkout_page::{
    CheckoutStart, SessionRequestIds, begin_checkout, build_session_request, enqueue_former_account_check,
    fetch_evidence, find_open_page, find_page, mark_open_failed, record_opened,
};
pub use close::{
    CloseDecision, CloseFailure, alert_not_closed, decide_close, enqueue_expiry_with_new_keys, mark_closed,
    record_close_failed, record_untrackable, switch_account,
};
pub(crate) use close::{enqueue_expiry_checks, expire_lead_pages, expire_open_page};
pub(crate) use dispute::DISPUTED_WITH_BANK;
pub(crate) use document_title::{DocumentName, load_document_title};
pub(crate) use due::deduct_pending_transfers;
pub use due::{PaymentDue, PaymentOffer, find_payment_due, is_deposit_paid, load_payment_offer};
pub(crate) use event::record_if_new as record_event_if_new;
pub use event::{handle_event, has_dispute_events};
pub use open_alerts::end_open_alerts;
pub use payment_lookup::{ReturnedFunds, apply_returned_funds, fetch_returned_funds, record_page_id};
pub(crate) use payment_lookup::{apply_payment_disputes, attach_payment, build_recheck_task, find_by_payment};
pub(crate) use recreated_page::recreate_page;
pub use settlement::{CheckoutEvidence, settle_checkout};
pub(crate) use unsettled::find_removal_blocker;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaymentSubject {
    Invoice(InvoiceId),
    /// The deposit of an approved estimate.
    Deposit(EstimateId),
}

impl PaymentSubject {
    fn as_str(self) -> &'static str {
        match self {
            Self::Invoice(_) => "invoice",
            Self::Deposit(_) => "estimate",
        }
    }

    fn id(self) -> Uuid {
        match self {
            Self::Invoice(id) => id.0,
            Self::Deposit(id) => id.0,
        }
    }
}

#[derive(Clone, Debug, FromRow)]
pub struct CheckoutSession {
    pub org_id: OrgId,
    pub id: CheckoutId,
    pub lead_id: LeadId,
    about: String,
    about_id: Uuid,
    pub amount_cents: Cents,
    /// opening, open, paid, expired or failed.
    pub status: String,
    pub provider_id: Option<String>,
    pub url: Option<String>,
    pub payment_provider_id: Option<String>,
    /// Stripe account of the page; none in rows of an earlier version: then the account in force.
    pub account: Option<String>,
    /// As Stripe reports it: whether real money moves.
    pub livemode: Option<bool>,
    /// Not handed out any more, and still to be expired at Stripe.
    pub is_closing: bool,
    pub created_at: DateTime<Utc>,
    pub expires_at: DateTime<Utc>,
}

const COLUMNS: &str = "org_id, id, lead_id, about, about_id, amount_cents, status, provider_id, url,
    payment_provider_id, account, livemode, is_closing, created_at, expires_at";

impl CheckoutSession {
    #[must_use]
    pub fn is_open(&self) -> bool {
        matches!(self.status.as_str(), "opening" | "open")
    }

    /// The customer has paid, and the bank has not answered.
    #[must_use]
    pub fn is_awaiting_bank(&self) -> bool {
        self.status == "open" && self.url.is_none()
    }

    #[must_use]
    pub fn belongs_to_account(&self, account: &str) -> bool {
        self.account.as_deref().is_none_or(|own| own == account)
    }

    #[must_use]
    pub fn subject(&self) -> PaymentSubject {
        match self.about.as_str() {
            "invoice" => PaymentSubject::Invoice(InvoiceId(self.about_id)),
            _ => PaymentSubject::Deposit(EstimateId(self.about_id)),
        }
    }
}

/// By id alone, without a tenant: the ids cannot be guessed.
pub async fn find_by_id(conn: &mut dyn AsConn, id: CheckoutId) -> Result<Option<CheckoutSession>> {
    Ok(qb!(conn, fetch_optional as CheckoutSession, |b| {
        b.push("SELECT ").push(COLUMNS).push(" FROM checkout WHERE id = ").push_bind(id);
    })?)
}
