//! Sending limits and hours.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{check_range, set_if_given};
use crate::platform::error::FieldErrors;

/// Whether the carriers know this business: what is not registered is filtered by them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CarrierRegistration {
    /// Nobody has entered it. Texts leave; the carriers may filter them.
    #[default]
    Unknown,
    Approved,
    Pending,
}

/// How much is sent, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SendingSettings {
    /// Automatic texts of one day; further ones wait for a person.
    pub daily_text_budget: i64,
    /// Automatic texts of one day to one number that never wrote to the business.
    #[serde(default = "usual_texts_per_number")]
    #[schema(required = true)]
    pub texts_per_number: i64,
    /// Different such numbers within an hour that share area code and prefix.
    #[serde(default = "usual_numbers_per_exchange")]
    #[schema(required = true)]
    pub numbers_per_exchange: i64,
    /// Whether answers to night's enquiries wait for the morning too.
    pub hold_replies_at_night: bool,
    /// Of the number that texts leave from.
    pub registration: CarrierRegistration,
    /// What holds for local numbers again, while texts leave from a toll-free one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub local_registration: Option<CarrierRegistration>,
}

/// Automatic first messages to one person are at most three a day: form reply, missed-call reply, reminder. Twice that
/// covers two concerns.
fn usual_texts_per_number() -> i64 {
    6
}

/// A small town may have a single exchange, and a storm makes many of its people call; fraud texts hundreds of
/// neighbouring numbers an hour.
fn usual_numbers_per_exchange() -> i64 {
    20
}

impl Default for SendingSettings {
    fn default() -> Self {
        Self {
            daily_text_budget: 500,
            texts_per_number: usual_texts_per_number(),
            numbers_per_exchange: usual_numbers_per_exchange(),
            hold_replies_at_night: false,
            registration: CarrierRegistration::default(),
            local_registration: None,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SendingPatch {
    #[schema(minimum = 0, maximum = 10_000)]
    pub daily_text_budget: Option<i64>,
    #[schema(minimum = 1, maximum = 50)]
    pub texts_per_number: Option<i64>,
    #[schema(minimum = 1, maximum = 10_000)]
    pub numbers_per_exchange: Option<i64>,
    pub hold_replies_at_night: Option<bool>,
    pub registration: Option<CarrierRegistration>,
}

impl SendingPatch {
    pub(super) fn apply_to(&self, page: &mut SendingSettings, errors: &mut FieldErrors) {
        set_if_given(&mut page.daily_text_budget, self.daily_text_budget.as_ref());
        set_if_given(&mut page.texts_per_number, self.texts_per_number.as_ref());
        set_if_given(&mut page.numbers_per_exchange, self.numbers_per_exchange.as_ref());
        set_if_given(&mut page.hold_replies_at_night, self.hold_replies_at_night.as_ref());
        set_if_given(&mut page.registration, self.registration.as_ref());
        check_range(errors, "sending.dailyTextBudget", page.daily_text_budget, 0..=10_000);
        check_range(errors, "sending.textsPerNumber", page.texts_per_number, 1..=50);
        check_range(errors, "sending.numbersPerExchange", page.numbers_per_exchange, 1..=10_000);
    }
}
