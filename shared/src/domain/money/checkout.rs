//! Paying by card: what the holder of a link may pay, the visit to Stripe's page, and what became of it.
//!
//! Stripe is never called inside a transaction. A visit is written down first ([`begin`]), opened at Stripe under its
//! own id as idempotency key, and its address noted ([`opened`]); two taps on "Pay" are one visit. What Stripe says of
//! it later only tells us to look: [`note`] makes the ledger true from what Stripe itself answers, as often as it is
//! called, in whatever order its news come in.

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
pub(crate) mod payment_retry;
mod settle;
mod twice;
mod visit;

pub(crate) use card_refund::IN_STRIPE;
pub use card_refund::asked_until as refund_asked_until;
pub use card_refund::{
    CardRefund, NOT_CONNECTED, attempt as refund_attempt, can_be_asked, due as refund_due, failed as refund_failed,
    late as refund_late, look_at as refund_look, look_with_new_keys as refunds_look_now, made as refund_made,
    note_all as refunds_noted, reach as refund_reach, unknown as refund_unknown,
};
pub use close::{Closing, change_account, closed, closing, not_closed, out_of_sight};
pub(crate) use close::{expire_subject, look_at_open};
pub(crate) use dispute::DISPUTED;
pub use due::{Due, Offered, deposit_is_paid, due, offered};
pub(crate) use event::is_new as event_is_new;
pub use event::{may_be_disputed, take};
pub use found::{WentBack, page_found, went_back_noted, what_went_back};
pub(crate) use found::{disputes_noted, look_at, of_payment};
pub(crate) use named::Named;
pub use settle::{Evidence, note};
pub(crate) use visit::look_now;
pub use visit::{Begun, ask, asked, begin, follow_former, look_for, look_for_paid, not_opened, opened};

/// What is paid for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    Invoice(InvoiceId),
    /// The deposit of an approved estimate.
    Deposit(EstimateId),
}

impl Subject {
    fn about(self) -> &'static str {
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

/// A visit to Stripe's page.
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
    /// Stripe's id of the page.
    pub provider_id: Option<String>,
    pub url: Option<String>,
    /// Stripe's id of the payment.
    pub payment_provider_id: Option<String>,
    /// Of which Stripe account the page is; none where an earlier version did not note it: the one in force.
    pub account: Option<String>,
    /// Stripe's own word on whether real money moves there.
    pub livemode: Option<bool>,
    /// Nobody is sent there any more, and it is still to be expired at Stripe.
    pub is_closing: bool,
    pub created_at: DateTime<Utc>,
    pub expires_at: DateTime<Utc>,
}

const COLUMNS: &str = "org_id, id, lead_id, about, about_id, amount_cents, status, provider_id, url,
    payment_provider_id, account, livemode, is_closing, created_at, expires_at";

impl Checkout {
    /// Whether somebody may be sent to it, or is on the way there.
    #[must_use]
    pub fn is_open(&self) -> bool {
        matches!(self.status.as_str(), "opening" | "open")
    }

    /// The customer did their part there, and their bank has not answered.
    #[must_use]
    pub fn is_at_bank(&self) -> bool {
        self.status == "open" && self.url.is_none()
    }

    /// Whether it is a page of this account.
    #[must_use]
    pub fn is_of(&self, account: &str) -> bool {
        self.account.as_deref().is_none_or(|own| own == account)
    }

    #[must_use]
    pub fn subject(&self) -> Subject {
        match self.about.as_str() {
            "invoice" => Subject::Invoice(InvoiceId(self.about_id)),
            _ => Subject::Deposit(EstimateId(self.about_id)),
        }
    }
}

/// A visit by its id, which nobody guesses.
pub async fn find(conn: &mut dyn AsConn, id: CheckoutId) -> Result<Option<Checkout>> {
    Ok(qb!(conn, fetch_optional as Checkout, |b| {
        b.push("SELECT ").push(COLUMNS).push(" FROM checkout WHERE id = ").push_bind(id);
    })?)
}
