//! Stripe's lists of money records: charges, refunds, disputes, payouts and balance transactions. Paged by a hundred
//! (by 25 where such a page is too long to be read), newest first, continued after the last record
//! (docs.stripe.com/api/pagination).

use platform::money::Cents;
use serde::{Deserialize, de::DeserializeOwned};

use super::{
    DOLLARS, Expandable, RequestOutcome, Stripe, StripeCredentials, StripeDispute, StripeError, StripeRefund,
    StripeRefundStatus,
    stripe::response::{ANSWER_TOO_LONG, MAX_LIST_BYTES, retryable_error},
};

/// Stripe's maximum page size, and the one that is asked for where such a page is too long to be read.
const PAGE_SIZES: [&str; 2] = ["100", "25"];
/// Page limit of a query about one payment or checkout page.
const MOST_PAGES: usize = 50;

#[derive(Clone, Debug, Deserialize)]
pub struct StripeList<T> {
    pub data: Vec<T>,
    #[serde(default)]
    pub has_more: bool,
}

pub trait StripeRecord: DeserializeOwned {
    const PATH: &'static str;
    /// Query parameter of the start time; none where the list has no such filter.
    const SINCE: &'static str = "created[gte]";

    fn id(&self) -> &str;
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct StripeMetadata {
    pub checkout: Option<String>,
    pub org: Option<String>,
    pub refund: Option<String>,
    pub lead: Option<String>,
    pub invoice: Option<String>,
    pub estimate: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct StripeCharge {
    /// `ch_…`, or `py_…` for other methods than cards.
    pub id: String,
    pub payment_intent: Option<Expandable>,
    pub amount: StripeAmount,
    #[serde(default)]
    pub amount_refunded: StripeAmount,
    #[serde(default = "dollars")]
    pub currency: String,
    /// succeeded, pending or failed.
    pub status: Option<String>,
    #[serde(default)]
    pub disputed: bool,
    pub livemode: Option<bool>,
    #[serde(default)]
    pub created: i64,
    #[serde(default)]
    pub metadata: StripeMetadata,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct StripeAmount(pub i64);

impl From<StripeAmount> for Cents {
    fn from(amount: StripeAmount) -> Self {
        Self(amount.0)
    }
}

fn dollars() -> String {
    DOLLARS.to_owned()
}

impl StripeCharge {
    #[must_use]
    pub fn is_succeeded(&self) -> bool {
        self.status.as_deref().is_none_or(|status| status == "succeeded")
    }

    #[must_use]
    pub fn unrefunded_amount(&self) -> Cents {
        Cents((self.amount.0 - self.amount_refunded.0).max(0))
    }

    #[must_use]
    pub fn payment_intent_id(&self) -> Option<&str> {
        self.payment_intent.as_ref().map(Expandable::id)
    }
}

#[derive(Clone, Debug, Deserialize)]
pub struct RefundRecord {
    pub id: String,
    pub amount: StripeAmount,
    #[serde(default = "dollars")]
    pub currency: String,
    /// pending, `requires_action`, succeeded, failed or canceled.
    pub status: Option<String>,
    pub payment_intent: Option<Expandable>,
    #[serde(default)]
    pub metadata: Option<StripeMetadata>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct DisputeRecord {
    pub id: String,
    pub amount: StripeAmount,
    #[serde(default = "dollars")]
    pub currency: String,
    pub status: String,
    pub payment_intent: Option<Expandable>,
    /// Money that was withdrawn and reinstated.
    #[serde(default)]
    pub balance_transactions: Option<Vec<DisputeTransaction>>,
}

/// A balance transaction within its dispute.
#[derive(Clone, Debug, Deserialize)]
pub struct DisputeTransaction {
    /// Negative for outgoing money.
    pub amount: StripeAmount,
    #[serde(default = "dollars")]
    pub currency: String,
}

impl DisputeRecord {
    /// None where no balance transaction is listed. An account that is kept in another currency tells only whether the
    /// money is gone.
    fn withdrawn_amount(&self) -> Option<Cents> {
        let listed = self.balance_transactions.as_deref().filter(|listed| !listed.is_empty())?;
        let taken = -listed.iter().map(|one| one.amount.0).sum::<i64>();
        let is_in_dollars = listed.iter().all(|one| one.currency == DOLLARS);
        Some(if is_in_dollars || taken <= 0 { Cents(taken) } else { self.amount.into() })
    }
}

#[derive(Clone, Debug, Deserialize)]
pub struct StripePayout {
    /// `po_…`
    pub id: String,
    pub amount: StripeAmount,
    #[serde(default = "dollars")]
    pub currency: String,
    /// paid, pending, `in_transit`, canceled or failed.
    pub status: String,
    /// Unix time in seconds of the arrival day at the bank.
    pub arrival_date: i64,
    /// Only automatic payouts list their payments.
    #[serde(default)]
    pub automatic: bool,
    /// completed, `in_progress` or `not_applicable` (docs.stripe.com/api/payouts/object).
    pub reconciliation_status: Option<String>,
    pub livemode: Option<bool>,
    #[serde(default)]
    pub created: i64,
}

#[derive(Clone, Debug, Deserialize)]
pub struct BalanceTransaction {
    /// `txn_…`
    pub id: String,
    /// Negative for outgoing money.
    pub amount: StripeAmount,
    #[serde(default)]
    pub fee: StripeAmount,
    #[serde(default = "dollars")]
    pub currency: String,
    #[serde(rename = "type")]
    pub kind: String,
    /// The charge, refund, dispute or payout behind it.
    pub source: Option<Expandable>,
    #[serde(default)]
    pub created: i64,
}

impl StripePayout {
    /// Whether Stripe is still putting its lines together: the list may lack some, or be empty.
    #[must_use]
    pub fn is_incomplete(&self) -> bool {
        self.automatic && self.reconciliation_status.as_deref() == Some("in_progress")
    }
}

impl BalanceTransaction {
    #[must_use]
    pub fn source_id(&self) -> Option<&str> {
        self.source.as_ref().map(Expandable::id)
    }
}

macro_rules! records {
    ($($record:ty => $path:literal),*) => {$(
        impl StripeRecord for $record {
            const PATH: &'static str = $path;

            fn id(&self) -> &str {
                &self.id
            }
        }
    )*};
}

records!(StripeCharge => "charges", RefundRecord => "refunds", DisputeRecord => "disputes", StripePayout => "payouts",
    BalanceTransaction => "balance_transactions");

impl From<RefundRecord> for StripeRefund {
    fn from(raw: RefundRecord) -> Self {
        let status = match raw.status.as_deref() {
            Some("succeeded") => StripeRefundStatus::Succeeded,
            Some("failed" | "canceled") => StripeRefundStatus::Failed,
            _ => StripeRefundStatus::Pending,
        };
        let reference = raw.metadata.and_then(|marks| marks.refund);
        Self { id: raw.id, amount: raw.amount.into(), status, reference }
    }
}

impl From<DisputeRecord> for StripeDispute {
    fn from(raw: DisputeRecord) -> Self {
        let withdrawn = raw.withdrawn_amount();
        Self { id: raw.id, amount: raw.amount.into(), status: raw.status, withdrawn }
    }
}

impl Stripe {
    /// One page of records created since `since` (Unix seconds), continued after the record `after`. `narrowed` adds
    /// one filter of that list. Errors: [`StripeError`]; a restricted key may lack only this permission.
    pub async fn list_records<T: StripeRecord>(
        &self,
        keys: &StripeCredentials,
        since: i64,
        after: Option<&str>,
        narrowed: Option<(&str, &str)>,
    ) -> Result<StripeList<T>, StripeError> {
        let mut query = vec![(T::SINCE, since.to_string())];
        query.extend(after.map(|after| ("starting_after", after.to_owned())));
        query.extend(narrowed.map(|(name, value)| (name, value.to_owned())));
        self.fetch_list_page(keys, T::PATH, &query).await
    }

    /// A page that is too long to be read is asked for once more in a smaller size. It never counts as a refusal: the
    /// key may read the list.
    async fn fetch_list_page<T: DeserializeOwned>(
        &self,
        keys: &StripeCredentials,
        path: &str,
        query: &[(&str, String)],
    ) -> Result<StripeList<T>, StripeError> {
        for limit in PAGE_SIZES {
            let asked = self.http.get(self.endpoint_url(path)).query(query).query(&[("limit", limit)]);
            if let Some(answer) = self.send_within(keys, asked, MAX_LIST_BYTES).await? {
                return answer.parse_body();
            }
        }
        Err(retryable_error(ANSWER_TOO_LONG, RequestOutcome::NotDone))
    }

    pub(super) async fn list_all<T: DeserializeOwned>(
        &self,
        keys: &StripeCredentials,
        path: &str,
        query: &[(&str, String)],
        id: impl Fn(&T) -> String,
    ) -> Result<Vec<T>, StripeError> {
        let mut found: Vec<T> = Vec::new();
        for _ in 0..MOST_PAGES {
            let mut asked: Vec<(&str, String)> = query.to_vec();
            asked.extend(found.last().map(|last| ("starting_after", id(last))));
            let page: StripeList<T> = self.fetch_list_page(keys, path, &asked).await?;
            let is_over = !page.has_more || page.data.is_empty();
            found.extend(page.data);
            if is_over {
                return Ok(found);
            }
        }
        Err(StripeError::Refused("lists more than can be checked".into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charge_yields_remaining_amount_payment_and_owner() {
        let text = r#"{"id":"ch_1","object":"charge","amount":5000,"amount_refunded":1500,"currency":"usd","status":"succeeded",
            "payment_intent":"pi_1","livemode":true,"created":1900000000,"metadata":{"checkout":"a","org":"b","x":"y"}}"#;
        let charge: StripeCharge = serde_json::from_str(text).unwrap();
        assert_eq!(
            (charge.unrefunded_amount(), charge.payment_intent_id(), charge.is_succeeded()),
            (Cents(3_500), Some("pi_1"), true)
        );
        assert_eq!((charge.metadata.checkout.as_deref(), charge.metadata.org.as_deref()), (Some("a"), Some("b")));
    }

    #[test]
    fn dispute_sums_its_own_balance_transactions() {
        let withdrawn = |lines: &str| {
            let text = format!(r#"{{"id":"du_1","amount":500,"status":"prevented","payment_intent":"pi_1"{lines}}}"#);
            StripeDispute::from(serde_json::from_str::<DisputeRecord>(&text).unwrap()).withdrawn
        };
        for (lines, wanted) in [
            ("", None),
            (r#","balance_transactions":null"#, None),
            (r#","balance_transactions":[]"#, None),
            (r#","balance_transactions":[{"id":"txn_1","amount":-400,"fee":1500,"currency":"usd"}]"#, Some(400)),
            (r#","balance_transactions":[{"amount":-400},{"amount":400}]"#, Some(0)),
            (r#","balance_transactions":[{"amount":-370,"currency":"eur"}]"#, Some(500)),
        ] {
            assert_eq!(withdrawn(lines), wanted.map(Cents), "{lines}");
        }
    }

    #[test]
    fn balance_transaction_names_its_source() {
        let read = |text: &str| serde_json::from_str::<BalanceTransaction>(text).unwrap();
        let fee = read(r#"{"id":"txn_1","amount":-20,"type":"stripe_fee","source":null,"created":1,"currency":"usd"}"#);
        let charge = read(r#"{"id":"txn_2","amount":500,"fee":45,"type":"charge","source":"ch_1","created":1}"#);
        assert_eq!((fee.source_id(), charge.source_id(), charge.fee.0), (None, Some("ch_1"), 45));
    }
}
