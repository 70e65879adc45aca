//! What Stripe bills those who subscribe, since when it is owed, and the PDFs of it.

use bytes::Bytes;
use chrono::{DateTime, Utc};
use serde::Deserialize;
use url::Url;

use super::{Fetched, Keys, Page, PayError, Stripe};
use crate::{platform::money::Cents, providers::payments::stripe::again};

/// The most invoices that are listed; Stripe's own limit of a page.
const MOST_INVOICES: &str = "100";
/// More than any invoice's PDF.
const MOST_PDF_BYTES: usize = 5 * 1024 * 1024;
/// How often a PDF's address may lead on to another.
const MOST_HOPS: usize = 3;

/// An invoice of Stripe's to somebody who subscribes.
#[derive(Clone, Debug, Deserialize)]
pub struct Invoice {
    /// `in_…`
    pub id: String,
    pub number: Option<String>,
    /// In seconds.
    pub created: i64,
    /// draft, open, paid, uncollectible or void.
    pub status: Option<String>,
    /// In the smallest coin of the currency, which is a cent: another is refused where it comes in.
    total: i64,
    currency: Option<String>,
    #[serde(rename = "invoice_pdf")]
    pdf: Option<String>,
}

impl Invoice {
    #[must_use]
    pub fn total(&self) -> Cents {
        Cents(self.total)
    }

    /// Whether Stripe has a PDF of it.
    #[must_use]
    pub fn has_pdf(&self) -> bool {
        self.pdf.is_some()
    }
}

impl Stripe {
    /// What a customer was billed, newest first; drafts are none of it.
    ///
    /// # Errors
    /// [`PayError`].
    pub async fn invoices(&self, keys: &Keys, customer: &str) -> Result<Vec<Invoice>, PayError> {
        let asked = self.http.get(self.at("invoices")).query(&[("customer", customer), ("limit", MOST_INVOICES)]);
        let found: Page<Invoice> = self.call(keys, asked).await?;
        if found.data.iter().any(|invoice| invoice.currency.as_deref().is_some_and(|currency| currency != "usd")) {
            return Err(PayError::Refused("names another currency than dollars".into()));
        }
        Ok(found.data.into_iter().filter(|invoice| invoice.status.as_deref() != Some("draft")).collect())
    }

    /// Since when a subscription is owed for: when the oldest of its invoices was made that is still to be paid.
    ///
    /// # Errors
    /// [`PayError`].
    pub async fn owed_since(&self, keys: &Keys, id: &str) -> Result<Option<DateTime<Utc>>, PayError> {
        let query = [("subscription", id), ("status", "open"), ("limit", MOST_INVOICES)];
        let found: Page<Invoice> = self.call(keys, self.http.get(self.at("invoices")).query(&query)).await?;
        let oldest = found.data.iter().map(|invoice| invoice.created).min();
        Ok(oldest.and_then(|seconds| DateTime::from_timestamp(seconds, 0)))
    }

    /// The PDF of an invoice, from where Stripe says it lies: on hosts of Stripe's only, and without our key.
    ///
    /// # Errors
    /// [`PayError`].
    pub async fn invoice_pdf(&self, invoice: &Invoice) -> Result<Bytes, PayError> {
        let address = invoice.pdf.as_deref().unwrap_or_default();
        let mut url = Url::parse(address).map_err(|_| PayError::Refused("has no PDF of this invoice".into()))?;
        for _ in 0..=MOST_HOPS {
            if !self.is_stripes(&url) {
                return Err(PayError::Refused("keeps this invoice somewhere else".into()));
            }
            match self.fetch(url.clone(), MOST_PDF_BYTES).await? {
                Fetched::Body(bytes) if bytes.starts_with(b"%PDF-") => return Ok(bytes),
                Fetched::Body(_) => {
                    return Err(again("answered with something that is no PDF", super::super::Doubt::NotDone));
                }
                Fetched::Elsewhere(next) => {
                    url = url.join(&next).map_err(|_| PayError::Refused("keeps this invoice nowhere".into()))?;
                }
            }
        }
        Err(PayError::Refused("keeps this invoice behind too many doors".into()))
    }

    fn is_stripes(&self, url: &Url) -> bool {
        let host = url.host_str().unwrap_or_default();
        let is_theirs = url.scheme() == "https" && url.port().is_none() && host.ends_with(".stripe.com");
        is_theirs || url.origin() == self.base.origin()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pdf_is_fetched_from_stripe_and_from_nobody_else() {
        let http = crate::providers::http_client().unwrap();
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
            assert_eq!(stripe.is_stripes(&Url::parse(address).unwrap()), is_good, "{address}");
        }
    }
}
