//! Limits of automatic texts and emails, and which of them a message has reached.

use serde::{Deserialize, Serialize};

use super::SendContext;
use crate::domain::{messaging::message::MessageKind, tenancy::org::SendingSettings};

/// Most automatic emails a day to an address known only from forms: the usual limit for texts to one number.
pub(in crate::domain::messaging::message) const EMAILS_TO_ADDRESS: i64 = 6;
/// Most texts, and most emails, a day to a customer about visits that they are not proven to have booked.
pub(super) const BOOKED_TO_NUMBER: i64 = 6;
/// Such texts may use the day's budget divided by this.
const BOOKINGS_PART: i64 = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum BudgetLimit {
    Budget,
    /// Daily limit of this number.
    Number,
    /// Limit of its exchange within an hour.
    Exchange,
    /// Daily limit of this email address.
    Address,
    /// Share of the budget for visits booked in the customers' names.
    Bookings,
    /// Daily limit of this number or address for such visits.
    BookingsToOne,
}

pub(super) fn booking_text_limit(sending: &SendingSettings) -> i64 {
    (sending.daily_text_budget / BOOKINGS_PART).max(1)
}

impl BudgetLimit {
    pub(in crate::domain::messaging::message) fn limit_reason(self, sending: &SendingSettings) -> String {
        match self {
            Self::Budget => format!("today's budget of {} automatic texts is used up", sending.daily_text_budget),
            Self::Number => {
                let most = sending.texts_per_number;
                format!("this number got {most} automatic texts today and never wrote back")
            }
            Self::Exchange => {
                let most = sending.numbers_per_exchange;
                format!("{most} new numbers with the same first digits were texted within an hour, as in a fraud")
            }
            Self::Address => {
                format!(
                    "this address got {EMAILS_TO_ADDRESS} automatic emails today and is not confirmed as the customer's"
                )
            }
            Self::Bookings => {
                let most = booking_text_limit(sending);
                format!("today's {most} texts about visits that others may have booked are used up")
            }
            Self::BookingsToOne => {
                format!(
                    "they got {BOOKED_TO_NUMBER} messages today about visits that others may have booked in their name"
                )
            }
        }
    }
}

pub(in crate::domain::messaging::message) fn is_capped(facts: &SendContext<'_>) -> bool {
    facts.kind.is_budget_limited() && !facts.has_written
}

/// A visit not proven to be booked by the customer. The question whether it is has its own limit (`booking::request`).
fn is_unconfirmed_booking(facts: &SendContext<'_>) -> bool {
    facts.by_booking && facts.kind == MessageKind::Visit
}

pub(in crate::domain::messaging::message) fn is_email_capped(facts: &SendContext<'_>) -> bool {
    let is_capped = is_capped(facts) || is_unconfirmed_booking(facts);
    facts.to.is_email() && facts.kind.is_for_customers() && is_capped
}

pub(in crate::domain::messaging::message) fn email_budget_limit(facts: &SendContext<'_>) -> BudgetLimit {
    if is_capped(facts) { BudgetLimit::Address } else { BudgetLimit::BookingsToOne }
}

pub(in crate::domain::messaging::message) fn is_form_request(facts: &SendContext<'_>) -> bool {
    facts.by_form && facts.kind == MessageKind::AutoReply
}

pub(in crate::domain::messaging::message) fn reached_budget_limit(facts: &SendContext<'_>) -> Option<BudgetLimit> {
    let (spent, sending) = (facts.spent, facts.sending);
    if !facts.kind.is_budget_limited() {
        None
    } else if spent.texts >= sending.daily_text_budget {
        Some(BudgetLimit::Budget)
    } else if facts.by_booking && spent.by_bookings >= booking_text_limit(sending) {
        Some(BudgetLimit::Bookings)
    } else if is_unconfirmed_booking(facts) && spent.booked_to_number >= BOOKED_TO_NUMBER {
        Some(BudgetLimit::BookingsToOne)
    } else if !is_capped(facts) {
        None
    } else if spent.to_number >= sending.texts_per_number {
        Some(BudgetLimit::Number)
    } else {
        (is_form_request(facts) && spent.in_exchange >= sending.numbers_per_exchange).then_some(BudgetLimit::Exchange)
    }
}
