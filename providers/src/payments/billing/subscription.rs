//! A subscription as Stripe describes it: its state, card and first payment.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, de::IgnoredAny};
use uuid::Uuid;

use crate::payments::{
    Expandable,
    subscription_snapshot::{BillingPlan, StripeSubscriptionStatus, SubscriptionSnapshot},
};

#[derive(Clone, Debug, Deserialize)]
pub struct StripeSubscription {
    /// `sub_…`
    pub id: String,
    pub customer: Expandable,
    status: String,
    created: Option<i64>,
    current_period_start: Option<i64>,
    current_period_end: Option<i64>,
    trial_end: Option<i64>,
    cancel_at: Option<i64>,
    #[serde(default)]
    cancel_at_period_end: bool,
    ended_at: Option<i64>,
    cancellation_details: Option<CancellationDetails>,
    #[serde(default)]
    items: SubscriptionItems,
    metadata: Option<BTreeMap<String, String>>,
    latest_invoice: Option<ExpandableObject<LatestInvoice>>,
    default_payment_method: Option<ExpandableObject<CardPaymentMethod>>,
    pub livemode: Option<bool>,
}

/// Expanded where requested, else an id.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum ExpandableObject<T> {
    Expanded(T),
    Reference(IgnoredAny),
}

impl<T> ExpandableObject<T> {
    fn expanded(&self) -> Option<&T> {
        match self {
            Self::Expanded(object) => Some(object),
            Self::Reference(_) => None,
        }
    }
}

/// With the secret of its payment, which newer API versions keep elsewhere.
#[derive(Clone, Debug, Deserialize)]
struct LatestInvoice {
    payment_intent: Option<ExpandableObject<PaymentSecret>>,
    confirmation_secret: Option<ExpandableObject<PaymentSecret>>,
}

#[derive(Clone, Debug, Deserialize)]
struct PaymentSecret {
    client_secret: String,
}

#[derive(Clone, Debug, Deserialize)]
struct CardPaymentMethod {
    card: StripeCardDetails,
}

#[derive(Clone, Debug, Deserialize)]
struct StripeCardDetails {
    brand: String,
    last4: String,
    exp_month: i64,
    exp_year: i64,
}

#[derive(Clone, Debug, Deserialize)]
struct CancellationDetails {
    reason: Option<String>,
}

#[derive(Clone, Debug, Default, Deserialize)]
struct SubscriptionItems {
    #[serde(default)]
    data: Vec<SubscriptionItem>,
}

#[derive(Clone, Debug, Deserialize)]
struct SubscriptionItem {
    price: Option<SubscriptionItemPrice>,
    /// On items since API version 2025-03-31; an endpoint may use a newer version than our calls.
    current_period_start: Option<i64>,
    current_period_end: Option<i64>,
}

#[derive(Clone, Debug, Deserialize)]
struct SubscriptionItemPrice {
    recurring: Option<PriceRecurrence>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct PriceRecurrence {
    pub(super) interval: Option<String>,
    pub(super) interval_count: Option<i64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardSummary {
    /// `visa`
    pub brand: String,
    pub last4: String,
    /// `04/2029`
    pub expires: String,
}

impl StripeSubscription {
    /// The state as a fact at `at`. None when Stripe reports a status that this version does not know.
    #[must_use]
    pub fn to_snapshot(&self, at: DateTime<Utc>, is_answer: bool) -> Option<SubscriptionSnapshot> {
        let item = self.items.data.first();
        let when = |seconds: Option<i64>| seconds.and_then(|seconds| DateTime::from_timestamp(seconds, 0));
        let period_end = when(self.current_period_end.or(item.and_then(|item| item.current_period_end)));
        let at_period_end = period_end.filter(|_| self.cancel_at_period_end);
        let reason = self.cancellation_details.as_ref().and_then(|details| details.reason.as_deref());
        Some(SubscriptionSnapshot {
            at,
            is_answer,
            status: StripeSubscriptionStatus::from_stripe(&self.status)?,
            plan: self.billing_plan(),
            period_start: when(self.current_period_start.or(item.and_then(|item| item.current_period_start))),
            period_end,
            trial_end: when(self.trial_end),
            cancel_at: when(self.cancel_at).or(at_period_end),
            ended_at: when(self.ended_at),
            // A disputed payment was paid: its grace period counts from the end, like any other.
            for_nonpayment: reason == Some("payment_failed"),
            owed_since: None,
        })
    }

    #[must_use]
    pub fn created_at(&self) -> Option<DateTime<Utc>> {
        self.created.and_then(|seconds| DateTime::from_timestamp(seconds, 0))
    }

    /// Whether an end is set, as an instant or as the end of the period.
    pub(super) fn has_planned_end(&self) -> bool {
        self.cancel_at.is_some() || self.cancel_at_period_end
    }

    fn billing_plan(&self) -> BillingPlan {
        let recurring = self.items.data.first().and_then(|item| item.price.as_ref()?.recurring.as_ref());
        let is_long =
            |every: &PriceRecurrence| every.interval.as_deref() == Some("month") && every.interval_count == Some(6);
        if recurring.is_some_and(is_long) { BillingPlan::SixMonths } else { BillingPlan::Monthly }
    }

    #[must_use]
    pub fn request_id(&self) -> Option<Uuid> {
        self.metadata_id("request")
    }

    #[must_use]
    pub fn org_id(&self) -> Option<Uuid> {
        self.metadata_id("org")
    }

    fn metadata_id(&self, name: &str) -> Option<Uuid> {
        self.metadata.as_ref()?.get(name)?.parse().ok()
    }

    /// Secret for the page of the first payment; none once it was made.
    #[must_use]
    pub fn client_secret(&self) -> Option<&str> {
        let invoice = self.latest_invoice.as_ref()?.expanded()?;
        let places = [&invoice.payment_intent, &invoice.confirmation_secret];
        places.into_iter().find_map(|place| Some(place.as_ref()?.expanded()?.client_secret.as_str()))
    }

    #[must_use]
    pub fn card(&self) -> Option<CardSummary> {
        let card = &self.default_payment_method.as_ref()?.expanded()?.card;
        let expires = format!("{:02}/{}", card.exp_month, card.exp_year);
        Some(CardSummary { brand: card.brand.clone(), last4: card.last4.clone(), expires })
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeZone;

    use super::*;

    fn read(text: &str) -> StripeSubscription {
        serde_json::from_str(text).unwrap()
    }

    fn at() -> DateTime<Utc> {
        Utc.with_ymd_and_hms(2026, 11, 22, 10, 0, 0).unwrap()
    }

    #[test]
    fn subscription_of_either_api_version_yields_the_same_fact() {
        let old = read(
            r#"{"id":"sub_1","customer":"cus_1","status":"active","current_period_start":1900000000,
                "current_period_end":1902592000,"cancel_at":null,"metadata":{},"latest_invoice":"in_1",
                "items":{"data":[{"price":{"recurring":{"interval":"month","interval_count":6}}}]}}"#,
        );
        let new = read(
            r#"{"id":"sub_1","customer":{"id":"cus_1"},"status":"active",
                "items":{"data":[{"current_period_start":1900000000,"current_period_end":1902592000,
                    "price":{"recurring":{"interval":"month","interval_count":6}}}]}}"#,
        );
        assert_eq!(old.to_snapshot(at(), true), new.to_snapshot(at(), true));
        let fact = old.to_snapshot(at(), true).unwrap();
        assert_eq!((fact.plan, fact.period_end), (BillingPlan::SixMonths, DateTime::from_timestamp(1_902_592_000, 0)));
        assert_eq!((old.customer.id(), new.customer.id()), ("cus_1", "cus_1"));
    }

    #[test]
    fn cancel_at_period_end_sets_cancel_at_to_the_period_end() {
        let events = read(
            r#"{"id":"sub_1","customer":"cus_1","status":"active","current_period_end":1902592000,
                "cancel_at_period_end":true}"#,
        );
        assert_eq!(events.to_snapshot(at(), false).unwrap().cancel_at, DateTime::from_timestamp(1_902_592_000, 0));
        let disputed = |reason: &str| {
            let text =
                r#"{"id":"sub_1","customer":"cus_1","status":"canceled","cancellation_details":{"reason":"WHY"}}"#;
            read(&text.replace("WHY", reason)).to_snapshot(at(), false).unwrap().for_nonpayment
        };
        assert!(disputed("payment_failed") && !disputed("payment_disputed") && !disputed("cancellation_requested"));
        let unknown = read(r#"{"id":"sub_1","customer":"cus_1","status":"slumbering"}"#);
        assert_eq!(unknown.to_snapshot(at(), false), None);
    }

    #[test]
    fn client_secret_and_card_are_read_from_the_subscription() {
        let made = read(
            r#"{"id":"sub_1","customer":"cus_1","status":"incomplete",
                "latest_invoice":{"id":"in_1","payment_intent":{"id":"pi_1","client_secret":"pi_1_secret_x"}},
                "default_payment_method":{"id":"pm_1","card":{"brand":"visa","last4":"4242","exp_month":4,"exp_year":2029}}}"#,
        );
        assert_eq!(made.client_secret(), Some("pi_1_secret_x"));
        let card = made.card().unwrap();
        assert_eq!((card.brand.as_str(), card.last4.as_str(), card.expires.as_str()), ("visa", "4242", "04/2029"));
        let newer = read(
            r#"{"id":"sub_1","customer":"cus_1","status":"incomplete",
                "latest_invoice":{"id":"in_1","confirmation_secret":{"client_secret":"pi_1_secret_y","type":"payment_intent"}}}"#,
        );
        assert_eq!(newer.client_secret(), Some("pi_1_secret_y"));
        let plain = r#"{"id":"sub_1","customer":"cus_1","status":"active","latest_invoice":"in_1","default_payment_method":"pm_1"}"#;
        assert_eq!((read(plain).client_secret(), read(plain).card()), (None, None));
    }
}
