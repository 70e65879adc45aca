//! Stripe API calls of the install's own account: customers, subscriptions, portal, invoices.
//!
//! Sources: docs.stripe.com/api (customers, subscriptions, `billing_portal/sessions`, invoices, prices) and
//! docs.stripe.com/billing/subscriptions/build-subscriptions (the first payment's `client_secret`).

use std::collections::HashMap;

use bytes::Bytes;
use chrono::{DateTime, Utc};
use serde::Deserialize;
use uuid::Uuid;

use super::{Stripe, StripeCredentials, StripeError};

mod invoice;
mod price;
mod subscription;

pub use invoice::StripeInvoice;
pub use price::StripePrice;
pub use subscription::{CardSummary, StripeSubscription};

#[derive(Clone, Copy, Debug)]
pub struct NewStripeCustomer<'a> {
    pub request: Uuid,
    pub email: &'a str,
    pub name: &'a str,
    pub phone: &'a str,
    pub contact: &'a str,
}

#[derive(Clone, Copy, Debug)]
pub struct NewStripeSubscription<'a> {
    /// Idempotency key: repeated within a day, Stripe returns the same subscription.
    pub key: &'a str,
    /// `cus_…`
    pub customer: &'a str,
    /// `price_…`, recurring.
    pub price: &'a str,
    /// `price_…`, charged once with the first payment; none for a business that has paid it before.
    pub setup: Option<&'a str>,
    /// Metadata: our request, and the business if there is one.
    pub request: Uuid,
    pub org: Option<Uuid>,
}

#[derive(Deserialize)]
struct CreatedObject {
    id: String,
}

#[derive(Deserialize)]
struct StripePortalSession {
    url: String,
}

#[derive(Deserialize)]
struct ObjectWithMetadata {
    id: String,
    #[serde(default)]
    metadata: HashMap<String, String>,
}

impl ObjectWithMetadata {
    fn is_for_request(&self, request: Uuid) -> bool {
        self.metadata.get("request").is_some_and(|mark| mark.parse() == Ok(request))
    }
}

#[derive(Deserialize)]
struct StripeListData<T> {
    data: Vec<T>,
}

impl Stripe {
    /// Creates a customer, or returns the one created with this key. Returns its id.
    pub async fn create_customer(
        &self,
        keys: &StripeCredentials,
        key: &str,
        new: &NewStripeCustomer<'_>,
    ) -> Result<String, StripeError> {
        let request = new.request.to_string();
        let form = [
            ("email", new.email),
            ("name", new.name),
            ("phone", new.phone),
            ("metadata[contact]", new.contact),
            ("metadata[request]", &request),
        ];
        let asked = self.http.post(self.endpoint_url("customers")).header("Idempotency-Key", key).form(&form);
        self.send_and_parse::<CreatedObject>(keys, asked).await.map(|made| made.id)
    }

    /// The id of the customer created for a request under another key.
    pub async fn find_customer(
        &self,
        keys: &StripeCredentials,
        email: &str,
        request: Uuid,
    ) -> Result<Option<String>, StripeError> {
        let query = [("email", email.to_owned())];
        let all: Vec<ObjectWithMetadata> =
            self.list_all(keys, "customers", &query, |one: &ObjectWithMetadata| one.id.clone()).await?;
        Ok(all.into_iter().find(|one| one.is_for_request(request)).map(|one| one.id))
    }

    /// The subscription made for a request under another key that awaits its first payment, with its client secret.
    pub async fn find_subscription(
        &self,
        keys: &StripeCredentials,
        customer: &str,
        request: Uuid,
    ) -> Result<Option<StripeSubscription>, StripeError> {
        let query = [("customer", customer.to_owned()), ("status", "incomplete".to_owned())];
        let all: Vec<ObjectWithMetadata> =
            self.list_all(keys, "subscriptions", &query, |one: &ObjectWithMetadata| one.id.clone()).await?;
        let Some(found) = all.into_iter().find(|one| one.is_for_request(request)) else { return Ok(None) };
        let asked = self.http.get(self.endpoint_url(&format!("subscriptions/{}", found.id)));
        self.send_and_parse(keys, asked.query(&[("expand[0]", "latest_invoice.payment_intent")])).await.map(Some)
    }

    /// Creates a subscription that awaits its first payment, or returns the one created with this key.
    pub async fn create_subscription(
        &self,
        keys: &StripeCredentials,
        new: &NewStripeSubscription<'_>,
    ) -> Result<StripeSubscription, StripeError> {
        let (request, org) = (new.request.to_string(), new.org.map(|org| org.to_string()));
        let mut form = vec![
            ("customer", new.customer),
            ("items[0][price]", new.price),
            // Nothing starts before it is paid; an unfinished attempt expires after a day.
            ("payment_behavior", "default_incomplete"),
            ("payment_settings[save_default_payment_method]", "on_subscription"),
            // Cards only: other methods take days and may fail after they were confirmed.
            ("payment_settings[payment_method_types][0]", "card"),
            ("metadata[request]", &request),
            ("expand[0]", "latest_invoice.payment_intent"),
        ];
        form.extend(new.setup.map(|setup| ("add_invoice_items[0][price]", setup)));
        form.extend(org.as_deref().map(|org| ("metadata[org]", org)));
        let asked = self.http.post(self.endpoint_url("subscriptions")).header("Idempotency-Key", new.key).form(&form);
        self.send_and_parse(keys, asked).await
    }

    pub async fn fetch_subscription(
        &self,
        keys: &StripeCredentials,
        id: &str,
    ) -> Result<StripeSubscription, StripeError> {
        let asked = self.http.get(self.endpoint_url(&format!("subscriptions/{id}")));
        self.send_and_parse(keys, asked.query(&[("expand[0]", "default_payment_method")])).await
    }

    /// Sets the end of a subscription. With `is_cut_short` a shortened period is prorated by the day. Idempotent.
    pub async fn schedule_cancellation(
        &self,
        keys: &StripeCredentials,
        id: &str,
        at: DateTime<Utc>,
        is_cut_short: bool,
    ) -> Result<StripeSubscription, StripeError> {
        let (at, proration) = (at.timestamp().to_string(), if is_cut_short { "create_prorations" } else { "none" });
        self.update_subscription(keys, id, &[("cancel_at", at.as_str()), ("proration_behavior", proration)]).await
    }

    /// Removes a planned end, whether set as an instant or on Stripe's pages as the end of the period. Idempotent.
    pub async fn resume_subscription(
        &self,
        keys: &StripeCredentials,
        id: &str,
    ) -> Result<StripeSubscription, StripeError> {
        let subscription = self
            .update_subscription(keys, id, &[("cancel_at", ""), ("proration_behavior", "create_prorations")])
            .await?;
        if !subscription.has_planned_end() {
            return Ok(subscription);
        }
        self.update_subscription(keys, id, &[("cancel_at_period_end", "false")]).await
    }

    async fn update_subscription(
        &self,
        keys: &StripeCredentials,
        id: &str,
        fields: &[(&str, &str)],
    ) -> Result<StripeSubscription, StripeError> {
        let form = [fields, &[("expand[0]", "default_payment_method")]].concat();
        self.send_and_parse(keys, self.http.post(self.endpoint_url(&format!("subscriptions/{id}"))).form(&form)).await
    }

    /// Ends a subscription at once without a refund: only for unpaid ones.
    pub async fn cancel_subscription(
        &self,
        keys: &StripeCredentials,
        id: &str,
    ) -> Result<StripeSubscription, StripeError> {
        self.send_and_parse(keys, self.http.delete(self.endpoint_url(&format!("subscriptions/{id}")))).await
    }

    /// Address of Stripe's portal page, where a customer changes the card and sees past payments.
    pub async fn create_portal_session(
        &self,
        keys: &StripeCredentials,
        customer: &str,
        return_url: &str,
    ) -> Result<String, StripeError> {
        let form = [("customer", customer), ("return_url", return_url)];
        let asked = self.http.post(self.endpoint_url("billing_portal/sessions")).form(&form);
        self.send_and_parse::<StripePortalSession>(keys, asked).await.map(|opened| opened.url)
    }
}

pub(super) enum StripeDownload {
    Body(Bytes),
    /// A redirect.
    Redirect(String),
}
