//! Checkout pages: opened, found, looked at and expired.

use platform::money::Cents;
use reqwest::header;
use serde::Deserialize;

use super::{Stripe, response::retryable_error};
use crate::payments::{
    DOLLARS, NewCheckoutSession, PaidPaper, RequestOutcome, StripeCheckoutSession, StripeCheckoutStatus,
    StripeCredentials, StripeError,
};

#[derive(Deserialize)]
struct RawSession {
    id: String,
    url: Option<String>,
    /// open, complete or expired.
    status: Option<String>,
    /// paid, unpaid or `no_payment_required`.
    payment_status: Option<String>,
    amount_total: Option<i64>,
    currency: Option<String>,
    payment_intent: Option<RawPayment>,
    livemode: Option<bool>,
    client_reference_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum RawPayment {
    Id(String),
    Whole { id: String, status: Option<String> },
}

enum OpenSessionError {
    Email,
    Else(StripeError),
}

impl Stripe {
    /// Opens a checkout page, or returns the one opened with this key. An email address that Stripe refuses is omitted:
    /// the customer enters another one there.
    pub async fn create_checkout_session(
        &self,
        keys: &StripeCredentials,
        new: &NewCheckoutSession<'_>,
    ) -> Result<StripeCheckoutSession, StripeError> {
        match self.try_create_session(keys, new).await {
            Ok(opened) => Ok(opened),
            Err(OpenSessionError::Email) if new.email.is_some() => {
                let key = format!("{}:no-email", new.key);
                let again = NewCheckoutSession { key: &key, email: None, ..*new };
                self.try_create_session(keys, &again).await.map_err(OpenSessionError::into_error)
            }
            Err(other) => Err(other.into_error()),
        }
    }

    async fn try_create_session(
        &self,
        keys: &StripeCredentials,
        new: &NewCheckoutSession<'_>,
    ) -> Result<StripeCheckoutSession, OpenSessionError> {
        let (amount, expires) = (new.amount.0.to_string(), new.expires_at.timestamp().to_string());
        let (paper_key, paper) = match new.paper {
            PaidPaper::Invoice(id) => ("payment_intent_data[metadata][invoice]", id),
            PaidPaper::Estimate(id) => ("payment_intent_data[metadata][estimate]", id),
        };
        let mut form = vec![
            ("mode", "payment"),
            ("line_items[0][quantity]", "1"),
            ("line_items[0][price_data][currency]", DOLLARS),
            ("line_items[0][price_data][unit_amount]", &amount),
            ("line_items[0][price_data][product_data][name]", new.title),
            ("payment_intent_data[description]", new.title),
            // Metadata to identify the payment when its webhook is lost, or the page by a restore.
            ("payment_intent_data[metadata][checkout]", new.reference),
            ("payment_intent_data[metadata][org]", new.org),
            ("payment_intent_data[metadata][lead]", new.lead),
            (paper_key, paper),
            ("client_reference_id", new.reference),
            ("success_url", new.success_url),
            ("cancel_url", new.cancel_url),
            ("expires_at", &expires),
            ("locale", new.language),
            ("expand[0]", "payment_intent"),
        ];
        form.extend(new.email.map(|email| ("customer_email", email)));
        let asked =
            self.http.post(self.endpoint_url("checkout/sessions")).header("Idempotency-Key", new.key).form(&form);
        let response = self.send_request(keys, asked).await.map_err(OpenSessionError::Else)?;
        if response.status.is_client_error() && response.parse_error().is_some_and(|problem| problem.is_about_email()) {
            return Err(OpenSessionError::Email);
        }
        response.parse_body().and_then(parse_session).map_err(OpenSessionError::Else)
    }

    /// The checkout page with our reference, among those of its payment, or where that is unknown among those opened
    /// since `since`.
    pub async fn find_checkout_session(
        &self,
        keys: &StripeCredentials,
        (reference, payment): (&str, Option<&str>),
        since: i64,
    ) -> Result<Option<StripeCheckoutSession>, StripeError> {
        // A debit may be charged days after its page was opened: with the payment no date is asked for.
        let narrowed = match payment {
            Some(payment) => ("payment_intent", payment.to_owned()),
            None => ("created[gte]", since.to_string()),
        };
        let query = [narrowed, ("expand[0]", "data.payment_intent".to_owned())];
        let all: Vec<RawSession> =
            self.list_all(keys, "checkout/sessions", &query, |one: &RawSession| one.id.clone()).await?;
        all.into_iter().find(|one| one.client_reference_id.as_deref() == Some(reference)).map(parse_session).transpose()
    }

    pub async fn fetch_checkout_session(
        &self,
        keys: &StripeCredentials,
        id: &str,
    ) -> Result<StripeCheckoutSession, StripeError> {
        let asked = self
            .http
            .get(self.endpoint_url(&format!("checkout/sessions/{id}")))
            .query(&[("expand[0]", "payment_intent")]);
        parse_session(self.send_and_parse(keys, asked).await?)
    }

    /// Expires an open page, so that it cannot be paid any more. Other pages stay unchanged.
    pub async fn expire_checkout_session(
        &self,
        keys: &StripeCredentials,
        id: &str,
    ) -> Result<StripeCheckoutSession, StripeError> {
        let asked = self.http.post(self.endpoint_url(&format!("checkout/sessions/{id}/expire")));
        match self.send_and_parse::<RawSession>(keys, asked.header(header::CONTENT_LENGTH, 0)).await {
            Ok(closed) => parse_session(closed),
            // It was paid or expired a moment ago.
            Err(StripeError::Refused(_)) => self.fetch_checkout_session(keys, id).await,
            Err(e) => Err(e),
        }
    }
}

impl OpenSessionError {
    fn into_error(self) -> StripeError {
        match self {
            Self::Email => StripeError::Refused("does not take the customer's email address".into()),
            Self::Else(error) => error,
        }
    }
}

fn parse_session(raw: RawSession) -> Result<StripeCheckoutSession, StripeError> {
    let (payment, payment_status) = match raw.payment_intent {
        Some(RawPayment::Id(id)) => (Some(id), None),
        Some(RawPayment::Whole { id, status }) => (Some(id), status),
        None => (None, None),
    };
    let status = match (raw.status.as_deref(), raw.payment_status.as_deref(), payment_status.as_deref()) {
        (_, Some("paid"), _) => StripeCheckoutStatus::Paid,
        (Some("expired"), ..) => StripeCheckoutStatus::Expired,
        // Completed, but the bank refused; the payment waits for another method that the closed page cannot collect.
        (Some("complete"), _, Some("requires_payment_method" | "canceled")) => StripeCheckoutStatus::Failed,
        (Some("complete"), ..) => StripeCheckoutStatus::Processing,
        _ => StripeCheckoutStatus::Open,
    };
    let amount = raw
        .amount_total
        .map(Cents)
        .ok_or_else(|| retryable_error("did not say the amount", RequestOutcome::Unclear))?;
    let currency = raw.currency.unwrap_or_else(|| DOLLARS.to_owned());
    Ok(StripeCheckoutSession { id: raw.id, url: raw.url, status, amount, currency, payment, livemode: raw.livemode })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session_from(text: &str) -> Result<StripeCheckoutSession, StripeError> {
        parse_session(serde_json::from_str(text).unwrap())
    }

    #[test]
    fn checkout_session_status_maps_to_standing() {
        let table = [
            (r#""status":"open","payment_status":"unpaid","payment_intent":null"#, StripeCheckoutStatus::Open),
            (r#""status":"complete","payment_status":"paid","payment_intent":"pi_1""#, StripeCheckoutStatus::Paid),
            (
                r#""status":"complete","payment_status":"unpaid","payment_intent":{"id":"pi_1","status":"processing"}"#,
                StripeCheckoutStatus::Processing,
            ),
            (
                r#""status":"complete","payment_status":"unpaid","payment_intent":{"id":"pi_1","status":"requires_payment_method"}"#,
                StripeCheckoutStatus::Failed,
            ),
            (r#""status":"expired","payment_status":"unpaid","payment_intent":null"#, StripeCheckoutStatus::Expired),
        ];
        for (fields, wanted) in table {
            let text = format!(r#"{{"id":"cs_1","url":null,"amount_total":500,"currency":"usd",{fields}}}"#);
            assert_eq!(session_from(&text).unwrap().status, wanted, "{fields}");
        }
        let euros = r#"{"id":"cs_1","url":null,"amount_total":500,"currency":"eur","status":"open","livemode":true}"#;
        let euros = session_from(euros).unwrap();
        assert_eq!((euros.is_in_usd(), euros.livemode), (false, Some(true)));
    }
}
