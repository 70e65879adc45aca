//! Stripe's API for the install's own account: customers who subscribe, their subscriptions, the portal, their
//! invoices.
//!
//! Facts: docs.stripe.com/api (customers, subscriptions, `billing_portal/sessions`, invoices, prices) and
//! docs.stripe.com/billing/subscriptions/build-subscriptions (the first payment's `client_secret`).

use std::collections::{BTreeMap, HashMap};

use bytes::Bytes;
use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::Value;
use uuid::Uuid;

use super::{Keys, Named, PayError, Stripe};
use crate::providers::payments::subscription_fact::{Fact, Plan, Status};

mod invoice;
mod price;

pub use invoice::Invoice;
pub use price::PriceThere;

/// Who subscribes.
#[derive(Clone, Copy, Debug)]
pub struct NewCustomer<'a> {
    /// The request for which it is made.
    pub request: Uuid,
    pub email: &'a str,
    /// The business.
    pub name: &'a str,
    pub phone: &'a str,
    pub contact: &'a str,
}

/// What is subscribed to.
#[derive(Clone, Copy, Debug)]
pub struct NewSubscription<'a> {
    /// One intent, one key: repeated within a day, Stripe answers with the same subscription.
    pub key: &'a str,
    /// `cus_…`
    pub customer: &'a str,
    /// `price_…`, charged again and again.
    pub price: &'a str,
    /// `price_…`, charged once with the first payment; none for who has paid it before.
    pub setup: Option<&'a str>,
    /// Ours, kept with it: the request it follows from, and the business it is for if there is one.
    pub request: Uuid,
    pub org: Option<Uuid>,
}

/// A subscription as Stripe draws it, in an answer or an event.
#[derive(Clone, Debug, Deserialize)]
pub struct Subscription {
    /// `sub_…`
    pub id: String,
    pub customer: Named,
    status: String,
    created: Option<i64>,
    current_period_start: Option<i64>,
    current_period_end: Option<i64>,
    trial_end: Option<i64>,
    cancel_at: Option<i64>,
    #[serde(default)]
    cancel_at_period_end: bool,
    ended_at: Option<i64>,
    cancellation_details: Option<Cancellation>,
    #[serde(default)]
    items: Items,
    metadata: Option<BTreeMap<String, String>>,
    /// By their ids, or in full where that was asked for.
    latest_invoice: Option<Value>,
    default_payment_method: Option<Value>,
    /// Whether real money moves.
    pub livemode: Option<bool>,
}

#[derive(Clone, Debug, Deserialize)]
struct Cancellation {
    reason: Option<String>,
}

#[derive(Clone, Debug, Default, Deserialize)]
struct Items {
    #[serde(default)]
    data: Vec<Item>,
}

#[derive(Clone, Debug, Deserialize)]
struct Item {
    price: Option<Price>,
    /// Here since 2025-03-31; an endpoint may be of a newer version than our questions.
    current_period_start: Option<i64>,
    current_period_end: Option<i64>,
}

#[derive(Clone, Debug, Deserialize)]
struct Price {
    recurring: Option<Recurring>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
struct Recurring {
    interval: Option<String>,
    interval_count: Option<i64>,
}

/// The card that pays, as far as it may be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Card {
    /// `visa`
    pub brand: String,
    pub last4: String,
    /// `04/2029`
    pub expires: String,
}

impl Subscription {
    /// What it says, as a picture taken at `at`. None when Stripe names a state that this version does not know.
    #[must_use]
    pub fn fact(&self, at: DateTime<Utc>, is_answer: bool) -> Option<Fact> {
        let item = self.items.data.first();
        let when = |seconds: Option<i64>| seconds.and_then(|seconds| DateTime::from_timestamp(seconds, 0));
        let period_end = when(self.current_period_end.or(item.and_then(|item| item.current_period_end)));
        let at_period_end = period_end.filter(|_| self.cancel_at_period_end);
        let reason = self.cancellation_details.as_ref().and_then(|details| details.reason.as_deref());
        Some(Fact {
            at,
            is_answer,
            status: Status::named(&self.status)?,
            plan: self.plan(),
            period_start: when(self.current_period_start.or(item.and_then(|item| item.current_period_start))),
            period_end,
            trial_end: when(self.trial_end),
            cancel_at: when(self.cancel_at).or(at_period_end),
            ended_at: when(self.ended_at),
            // What a bank took back was paid: its grace counts from the end, as with any other.
            for_nonpayment: reason == Some("payment_failed"),
            owed_since: None,
        })
    }

    /// When it was made.
    #[must_use]
    pub fn created_at(&self) -> Option<DateTime<Utc>> {
        self.created.and_then(|seconds| DateTime::from_timestamp(seconds, 0))
    }

    fn plan(&self) -> Plan {
        let recurring = self.items.data.first().and_then(|item| item.price.as_ref()?.recurring.as_ref());
        let is_long = |every: &Recurring| every.interval.as_deref() == Some("month") && every.interval_count == Some(6);
        if recurring.is_some_and(is_long) { Plan::SixMonths } else { Plan::Monthly }
    }

    /// The request of ours that it follows from.
    #[must_use]
    pub fn request(&self) -> Option<Uuid> {
        self.mark("request")
    }

    /// The business it is for, where that was known.
    #[must_use]
    pub fn org(&self) -> Option<Uuid> {
        self.mark("org")
    }

    fn mark(&self, name: &str) -> Option<Uuid> {
        self.metadata.as_ref()?.get(name)?.parse().ok()
    }

    /// With what the page asks for the first payment; none once it was made.
    #[must_use]
    pub fn client_secret(&self) -> Option<&str> {
        let invoice = self.latest_invoice.as_ref()?;
        let places = ["/payment_intent/client_secret", "/confirmation_secret/client_secret"];
        places.iter().find_map(|place| invoice.pointer(place)?.as_str())
    }

    /// The card that pays, where Stripe was asked for it.
    #[must_use]
    pub fn card(&self) -> Option<Card> {
        let card = self.default_payment_method.as_ref()?.get("card")?;
        let text = |name: &str| card.get(name).and_then(Value::as_str).map(ToOwned::to_owned);
        let number = |name: &str| card.get(name).and_then(Value::as_i64);
        let expires = format!("{:02}/{}", number("exp_month")?, number("exp_year")?);
        Some(Card { brand: text("brand")?, last4: text("last4")?, expires })
    }
}

#[derive(Deserialize)]
struct Id {
    id: String,
}

#[derive(Deserialize)]
struct Portal {
    url: String,
}

/// A thing of Stripe's with what we wrote beside it.
#[derive(Deserialize)]
struct Marked {
    id: String,
    #[serde(default)]
    metadata: HashMap<String, String>,
}

impl Marked {
    fn is_of(&self, request: Uuid) -> bool {
        self.metadata.get("request").is_some_and(|mark| mark.parse() == Ok(request))
    }
}

#[derive(Deserialize)]
struct Page<T> {
    data: Vec<T>,
}

impl Stripe {
    /// Makes a customer, or finds the one that this key made before. Its id.
    ///
    /// # Errors
    /// [`PayError`].
    pub async fn customer(&self, keys: &Keys, key: &str, new: &NewCustomer<'_>) -> Result<String, PayError> {
        let request = new.request.to_string();
        let form = [
            ("email", new.email),
            ("name", new.name),
            ("phone", new.phone),
            ("metadata[contact]", new.contact),
            ("metadata[request]", &request),
        ];
        let asked = self.http.post(self.at("customers")).header("Idempotency-Key", key).form(&form);
        self.call::<Id>(keys, asked).await.map(|made| made.id)
    }

    /// The customer that was made for a request under another key. Its id.
    ///
    /// # Errors
    /// [`PayError`].
    pub async fn find_customer(&self, keys: &Keys, email: &str, request: Uuid) -> Result<Option<String>, PayError> {
        let query = [("email", email.to_owned())];
        let all: Vec<Marked> = self.all(keys, "customers", &query, |one: &Marked| one.id.clone()).await?;
        Ok(all.into_iter().find(|one| one.is_of(request)).map(|one| one.id))
    }

    /// The subscription that was made for a request under another key and still waits for its first payment, with what
    /// opens that.
    ///
    /// # Errors
    /// [`PayError`].
    pub async fn find_subscription(
        &self,
        keys: &Keys,
        customer: &str,
        request: Uuid,
    ) -> Result<Option<Subscription>, PayError> {
        let query = [("customer", customer.to_owned()), ("status", "incomplete".to_owned())];
        let all: Vec<Marked> = self.all(keys, "subscriptions", &query, |one: &Marked| one.id.clone()).await?;
        let Some(found) = all.into_iter().find(|one| one.is_of(request)) else { return Ok(None) };
        let asked = self.http.get(self.at(&format!("subscriptions/{}", found.id)));
        self.call(keys, asked.query(&[("expand[0]", "latest_invoice.payment_intent")])).await.map(Some)
    }

    /// Makes a subscription whose first payment is still to be made, or finds the one that this key made before.
    ///
    /// # Errors
    /// [`PayError`].
    pub async fn subscribe(&self, keys: &Keys, new: &NewSubscription<'_>) -> Result<Subscription, PayError> {
        let (request, org) = (new.request.to_string(), new.org.map(|org| org.to_string()));
        let mut form = vec![
            ("customer", new.customer),
            ("items[0][price]", new.price),
            // Nothing runs before it was paid for; an attempt that nobody finishes ends by itself after a day.
            ("payment_behavior", "default_incomplete"),
            ("payment_settings[save_default_payment_method]", "on_subscription"),
            // Paid is paid: other ways take days, and may fail after they were thanked for.
            ("payment_settings[payment_method_types][0]", "card"),
            ("metadata[request]", &request),
            ("expand[0]", "latest_invoice.payment_intent"),
        ];
        form.extend(new.setup.map(|setup| ("add_invoice_items[0][price]", setup)));
        form.extend(org.as_deref().map(|org| ("metadata[org]", org)));
        let asked = self.http.post(self.at("subscriptions")).header("Idempotency-Key", new.key).form(&form);
        self.call(keys, asked).await
    }

    /// How a subscription stands, with the card that pays.
    ///
    /// # Errors
    /// [`PayError`].
    pub async fn subscription(&self, keys: &Keys, id: &str) -> Result<Subscription, PayError> {
        let asked = self.http.get(self.at(&format!("subscriptions/{id}")));
        self.call(keys, asked.query(&[("expand[0]", "default_payment_method")])).await
    }

    /// Sets the instant at which a subscription ends. A period that is cut short is charged by the day with
    /// `is_cut_short`. The same again changes nothing.
    ///
    /// # Errors
    /// [`PayError`].
    pub async fn end_subscription_at(
        &self,
        keys: &Keys,
        id: &str,
        at: DateTime<Utc>,
        is_cut_short: bool,
    ) -> Result<Subscription, PayError> {
        let (at, proration) = (at.timestamp().to_string(), if is_cut_short { "create_prorations" } else { "none" });
        self.change(keys, id, &[("cancel_at", at.as_str()), ("proration_behavior", proration)]).await
    }

    /// Lets a subscription go on whose end was set: as an instant, or on Stripe's own pages as the end of its period.
    /// The same again changes nothing.
    ///
    /// # Errors
    /// [`PayError`].
    pub async fn keep_subscription(&self, keys: &Keys, id: &str) -> Result<Subscription, PayError> {
        let told = self.change(keys, id, &[("cancel_at", ""), ("proration_behavior", "create_prorations")]).await?;
        if told.cancel_at.is_none() && !told.cancel_at_period_end {
            return Ok(told);
        }
        self.change(keys, id, &[("cancel_at_period_end", "false")]).await
    }

    async fn change(&self, keys: &Keys, id: &str, fields: &[(&str, &str)]) -> Result<Subscription, PayError> {
        let form = [fields, &[("expand[0]", "default_payment_method")]].concat();
        self.call(keys, self.http.post(self.at(&format!("subscriptions/{id}"))).form(&form)).await
    }

    /// Ends a subscription at once. Nothing is given back, so it is for what nobody has paid.
    ///
    /// # Errors
    /// [`PayError`].
    pub async fn drop_subscription(&self, keys: &Keys, id: &str) -> Result<Subscription, PayError> {
        self.call(keys, self.http.delete(self.at(&format!("subscriptions/{id}")))).await
    }

    /// Opens a page of Stripe's where a customer changes their card and sees what they paid. Its address.
    ///
    /// # Errors
    /// [`PayError`].
    pub async fn portal(&self, keys: &Keys, customer: &str, return_url: &str) -> Result<String, PayError> {
        let form = [("customer", customer), ("return_url", return_url)];
        let asked = self.http.post(self.at("billing_portal/sessions")).form(&form);
        self.call::<Portal>(keys, asked).await.map(|opened| opened.url)
    }
}

/// What lies at an address.
pub(super) enum Fetched {
    Body(Bytes),
    /// It lies there now.
    Elsewhere(String),
}

#[cfg(test)]
mod tests {
    use chrono::TimeZone;

    use super::*;

    fn read(text: &str) -> Subscription {
        serde_json::from_str(text).unwrap()
    }

    fn at() -> DateTime<Utc> {
        Utc.with_ymd_and_hms(2026, 11, 22, 10, 0, 0).unwrap()
    }

    #[test]
    fn a_subscription_is_read_as_either_version_of_the_api_draws_it() {
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
        assert_eq!(old.fact(at(), true), new.fact(at(), true));
        let fact = old.fact(at(), true).unwrap();
        assert_eq!((fact.plan, fact.period_end), (Plan::SixMonths, DateTime::from_timestamp(1_902_592_000, 0)));
        assert_eq!((old.customer.id(), new.customer.id()), ("cus_1", "cus_1"));
    }

    #[test]
    fn one_that_ends_with_its_period_ends_then() {
        let told = read(
            r#"{"id":"sub_1","customer":"cus_1","status":"active","current_period_end":1902592000,
                "cancel_at_period_end":true}"#,
        );
        assert_eq!(told.fact(at(), false).unwrap().cancel_at, DateTime::from_timestamp(1_902_592_000, 0));
        let disputed = |reason: &str| {
            let text =
                r#"{"id":"sub_1","customer":"cus_1","status":"canceled","cancellation_details":{"reason":"WHY"}}"#;
            read(&text.replace("WHY", reason)).fact(at(), false).unwrap().for_nonpayment
        };
        assert!(disputed("payment_failed") && !disputed("payment_disputed") && !disputed("cancellation_requested"));
        let unknown = read(r#"{"id":"sub_1","customer":"cus_1","status":"slumbering"}"#);
        assert_eq!(unknown.fact(at(), false), None);
    }

    #[test]
    fn the_secret_of_the_first_payment_and_the_card_are_found() {
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
