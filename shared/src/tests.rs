//! Helpers of the unit tests. Two of them are sources of the crates below, compiled for the tests of both.

use std::borrow::Cow;

use platform::{contact_hours::ContactClass, error::FieldErrors};
use providers::payments::subscription_snapshot::{BillingPlan, StripeSubscriptionStatus, SubscriptionSnapshot};

#[path = "../../platform/src/contact_hours/oracle.rs"]
pub mod oracle;
#[path = "../../providers/src/payments/subscription_snapshot/tests/strategies.rs"]
pub mod strategies;

pub trait IntoMessages {
    fn into_messages(self) -> Vec<(&'static str, String)>;
}

impl IntoMessages for FieldErrors {
    fn into_messages(self) -> Vec<(&'static str, String)> {
        let name = |field: Cow<'static, str>| match field {
            Cow::Borrowed(name) => name,
            Cow::Owned(name) => name.leak(),
        };
        self.0.into_iter().map(|(field, message)| (name(field), message)).collect()
    }
}
