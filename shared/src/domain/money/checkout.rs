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

mod card_refund;
mod close;
mod dispute;
mod due;
mod event;
mod found;
mod named;
mod open_alerts;
pub(crate) mod payment_retry;
mod settle;
mod twice;
mod visit;

pub(crate) use card_refund::REFUNDED_IN_STRIPE;
pub use card_refund::query_deadline as refund_asked_until;
pub use card_refund::{
    CardRefund, NOT_CONNECTED, alert_if_overdue as refund_late, apply_provider_refunds as refunds_noted,
    can_query_provider, enqueue_check as refund_look, enqueue_checks_with_new_keys as refunds_look_now,
    find_pending as refund_due, record_accepted as refund_made, record_attempt as refund_attempt,
    record_failed as refund_failed, record_reachability as refund_reach, record_unknown as refund_unknown,
};
pub use close::{CloseDecision, decide_close, mark_closed, record_close_failed, record_untrackable, switch_account};
pub(crate) use close::{enqueue_expiry_checks, expire_open_page};
pub(crate) use dispute::DISPUTED_WITH_BANK;
pub use due::{PaymentDue, PaymentOffer, find_payment_due, is_deposit_paid, load_payment_offer};
pub(crate) use event::record_if_new as event_is_new;
pub use event::{handle_event, has_dispute_events};
pub use found::{ReturnedFunds, apply_returned_funds, fetch_returned_funds, record_page_id};
pub(crate) use found::{apply_payment_disputes, attach_payment, build_recheck_task, find_by_payment};
pub(crate) use named::{DocumentName, load_document_title};
pub use open_alerts::end_open_alerts;
pub use settle::{CheckoutEvidence, settle_checkout};
pub(crate) use visit::build_settle_task;
pub use visit::{
    CheckoutStart, begin_checkout, build_session_request, enqueue_former_account_check, fetch_evidence, find_open_page,
    find_page, mark_open_failed, record_opened,
};

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
pub struct Checkout {
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

impl Checkout {
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
pub async fn find_by_id(conn: &mut dyn AsConn, id: CheckoutId) -> Result<Option<Checkout>> {
    Ok(qb!(conn, fetch_optional as Checkout, |b| {
        b.push("SELECT ").push(COLUMNS).push(" FROM checkout WHERE id = ").push_bind(id);
    })?)
}
