//! Stripe invoices of subscribers: list, PDFs, and the start of arrears.

use bytes::Bytes;
use chrono::{DateTime, Utc};
use platform::money::Cents;
use serde::Deserialize;
use url::Url;

use super::{Stripe, StripeCredentials, StripeDownload, StripeError, StripeListData};
use crate::payments::stripe::response::retryable_error;

/// Stripe's maximum page size.
const MOST_INVOICES: &str = "100";
const MOST_PDF_BYTES: usize = 5 * 1024 * 1024;
const MOST_HOPS: usize = 3;

#[derive(Clone, Debug, Deserialize)]
pub struct StripeInvoice {
    /// `in_…`
    pub id: String,
    pub number: Option<String>,
    /// Unix time in seconds.
    pub created: i64,
    /// draft, open, paid, uncollectible or void.
    pub status: Option<String>,
    /// In the currency's smallest unit, cents: other currencies are refused on arrival.
    total: i64,
    currency: Option<String>,
    #[serde(rename = "invoice_pdf")]
    pdf: Option<String>,
}

impl StripeInvoice {
    #[must_use]
    pub fn total(&self) -> Cents {
        Cents(self.total)
    }

    #[must_use]
    pub fn has_pdf(&self) -> bool {
        self.pdf.is_some()
    }
}

impl Stripe {
    /// Newest first, without drafts.
    pub async fn list_invoices(
        &self,
        keys: &StripeCredentials,
        customer: &str,
    ) -> Result<Vec<StripeInvoice>, StripeError> {
        let asked =
            self.http.get(self.endpoint_url("invoices")).query(&[("customer", customer), ("limit", MOST_INVOICES)]);
        let found: StripeListData<StripeInvoice> = self.send_and_parse(keys, asked).await?;
        if found.data.iter().any(|invoice| invoice.currency.as_deref().is_some_and(|currency| currency != "usd")) {
            return Err(StripeError::Refused("names another currency than dollars".into()));
        }
        Ok(found.data.into_iter().filter(|invoice| invoice.status.as_deref() != Some("draft")).collect())
    }

    /// Creation time of the oldest unpaid invoice of a subscription.
    pub async fn fetch_owed_since(
        &self,
        keys: &StripeCredentials,
        id: &str,
    ) -> Result<Option<DateTime<Utc>>, StripeError> {
        let query = [("subscription", id), ("status", "open"), ("limit", MOST_INVOICES)];
        let found: StripeListData<StripeInvoice> =
            self.send_and_parse(keys, self.http.get(self.endpoint_url("invoices")).query(&query)).await?;
        let oldest = found.data.iter().map(|invoice| invoice.created).min();
        Ok(oldest.and_then(|seconds| DateTime::from_timestamp(seconds, 0)))
    }

    /// Downloads the PDF of an invoice, from Stripe's hosts only and without our key.
    pub async fn download_invoice_pdf(&self, invoice: &StripeInvoice) -> Result<Bytes, StripeError> {
        let address = invoice.pdf.as_deref().unwrap_or_default();
        let mut url = Url::parse(address).map_err(|_| StripeError::Refused("has no PDF of this invoice".into()))?;
        for _ in 0..=MOST_HOPS {
            if !self.is_stripe_host(&url) {
                return Err(StripeError::Refused("keeps this invoice somewhere else".into()));
            }
            match self.download_file(url.clone(), MOST_PDF_BYTES).await? {
                StripeDownload::Body(bytes) if bytes.starts_with(b"%PDF-") => return Ok(bytes),
                StripeDownload::Body(_) => {
                    return Err(retryable_error(
                        "answered with something that is no PDF",
                        super::super::RequestOutcome::NotDone,
                    ));
                }
                StripeDownload::Redirect(next) => {
                    url = url.join(&next).map_err(|_| StripeError::Refused("keeps this invoice nowhere".into()))?;
                }
            }
        }
        Err(StripeError::Refused("redirects this invoice too many times".into()))
    }

    fn is_stripe_host(&self, url: &Url) -> bool {
        let host = url.host_str().unwrap_or_default();
        let is_theirs = url.scheme() == "https" && url.port().is_none() && host.ends_with(".stripe.com");
        is_theirs || url.origin() == self.base.origin()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invoice_pdf_is_fetched_from_stripe_hosts_only() {
        let http = crate::http_client().unwrap();
        let stripe = Stripe::new(http, Url::parse("http://127.0.0.1:4030").unwrap());
        for (address, is_good) in [
            ("https://pay.stripe.com/invoice/acct_1/live_x/pdf?s=ap", true),
            ("https://files.stripe.com/links/x", true),
            ("http://127.0.0.1:4030/pdf/in_1", true),
            ("http://pay.stripe.com/x", false),
            ("https://pay.stripe.com:8443/x", false),
            ("https://pay.stripe.com.evil.example/x", false),
            ("https://evilstripe.com/x", false),
            ("http://127.0.0.1:4031/pdf", false),
            ("http://169.254.169.254/latest", false),
        ] {
            assert_eq!(stripe.is_stripe_host(&Url::parse(address).unwrap()), is_good, "{address}");
        }
    }
}
