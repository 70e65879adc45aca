//! What the send policy saw, stored with the message: the facts behind "why was this sent?" and "why not?".

use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    SendContext,
    budget_limit::{BOOKED_TO_NUMBER, BudgetLimit, EMAILS_TO_ADDRESS, booking_text_limit, is_capped, is_form_request},
    communication_switch,
};
use crate::platform::contact_hours::{ContactClass, QuietHoursEvidence};

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SendEvidence {
    clock: String,
    switch_on: bool,
    class: ContactClass,
    #[serde(flatten)]
    pub(super) hours: Option<ContactHoursEvidence>,
    #[serde(flatten)]
    pub(super) budget: Option<SendBudgetEvidence>,
    #[serde(flatten)]
    stopped_by: BudgetLimitEvidence,
}

impl SendEvidence {
    pub(super) fn from_facts(facts: &SendContext<'_>, now: DateTime<Utc>) -> Self {
        Self {
            clock: now.to_rfc3339_opts(SecondsFormat::Secs, true),
            switch_on: communication_switch(facts).0,
            class: facts.class,
            hours: None,
            budget: None,
            stopped_by: BudgetLimitEvidence::default(),
        }
    }

    #[must_use]
    pub(crate) fn with_budget_limit(mut self, limit: Option<BudgetLimit>) -> Self {
        self.stopped_by.limit = limit;
        self
    }

    pub(crate) fn budget_limit(&self) -> Option<BudgetLimit> {
        self.stopped_by.limit
    }
}

/// Budget limit that stopped the message: the part of the evidence that is read again.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(in crate::domain::messaging::message) struct BudgetLimitEvidence {
    #[serde(default, rename = "brake", skip_serializing_if = "Option::is_none")]
    pub limit: Option<BudgetLimit>,
}

impl BudgetLimitEvidence {
    /// Empty for evidence of a message that was undone.
    pub fn from_stored(evidence: &Value) -> Self {
        Self::deserialize(evidence).unwrap_or_default()
    }
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ContactHoursEvidence {
    pub hours_for: ContactClass,
    pub hours: QuietHoursEvidence,
}

#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub(super) enum SendBudgetEvidence {
    Text(TextBudgetEvidence),
    Email(EmailBudgetEvidence),
}

impl SendBudgetEvidence {
    pub(super) fn of_text(facts: &SendContext<'_>) -> Self {
        let (spent, sending) = (facts.spent, facts.sending);
        Self::Text(TextBudgetEvidence {
            opted_out: facts.opted_out.map(ToOwned::to_owned),
            texts_today: spent.texts,
            daily_text_budget: sending.daily_text_budget,
            number: is_capped(facts).then_some(NumberBudgetEvidence {
                texts_to_number_today: spent.to_number,
                texts_per_number: sending.texts_per_number,
            }),
            exchange: (is_capped(facts) && is_form_request(facts)).then_some(ExchangeBudgetEvidence {
                numbers_in_exchange: spent.in_exchange,
                numbers_per_exchange: sending.numbers_per_exchange,
            }),
            booking: facts.by_booking.then(|| BookingBudgetEvidence {
                booking_texts_today: spent.by_bookings,
                booking_texts: booking_text_limit(sending),
                booking_texts_to_number_today: spent.booked_to_number,
                booking_texts_to_number: BOOKED_TO_NUMBER,
            }),
        })
    }

    pub(super) fn of_email(facts: &SendContext<'_>) -> Self {
        Self::Email(EmailBudgetEvidence {
            emails_to_address_today: facts.spent.to_number,
            emails_to_address: EMAILS_TO_ADDRESS,
        })
    }
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TextBudgetEvidence {
    opted_out: Option<String>,
    texts_today: i64,
    daily_text_budget: i64,
    #[serde(flatten)]
    number: Option<NumberBudgetEvidence>,
    #[serde(flatten)]
    exchange: Option<ExchangeBudgetEvidence>,
    #[serde(flatten)]
    booking: Option<BookingBudgetEvidence>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct NumberBudgetEvidence {
    texts_to_number_today: i64,
    texts_per_number: i64,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ExchangeBudgetEvidence {
    numbers_in_exchange: i64,
    numbers_per_exchange: i64,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_field_names, reason = "the fields are keys of the stored JSON")]
struct BookingBudgetEvidence {
    booking_texts_today: i64,
    booking_texts: i64,
    booking_texts_to_number_today: i64,
    booking_texts_to_number: i64,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct EmailBudgetEvidence {
    emails_to_address_today: i64,
    emails_to_address: i64,
}
