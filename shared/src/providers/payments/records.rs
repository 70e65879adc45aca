//! Stripe's records of money, as its lists give them: charges, refunds, disputes, payouts and balance transactions.
//! Lists are paged (docs.stripe.com/api/pagination): a hundred at a time, the newest first, on from the last one seen.

use serde::{Deserialize, de::DeserializeOwned};

use super::{DOLLARS, Dispute, Keys, Named, PayError, Refund, RefundStanding, Stripe};
use crate::platform::money::Cents;

/// Stripe's own limit of a page.
const PAGE: &str = "100";
/// No question about one payment, or one page of ours, reads more pages than this.
const MOST_PAGES: usize = 50;

/// A page of a list.
#[derive(Clone, Debug, Deserialize)]
pub struct Listed<T> {
    pub data: Vec<T>,
    #[serde(default)]
    pub has_more: bool,
}

/// What a list is of.
pub trait Record: DeserializeOwned {
    const PATH: &'static str;
    /// The field of the list that names the instant; none where the list takes none.
    const SINCE: &'static str = "created[gte]";

    fn id(&self) -> &str;
}

/// What we wrote beside a payment when its page was opened.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Marks {
    /// Our id of the page.
    pub checkout: Option<String>,
    pub org: Option<String>,
    /// Our id of the refund.
    pub refund: Option<String>,
}

/// Money that was taken from a card.
#[derive(Clone, Debug, Deserialize)]
pub struct Charge {
    /// `ch_…`, or `py_…` of other means than cards.
    pub id: String,
    pub payment_intent: Option<Named>,
    pub amount: Amount,
    #[serde(default)]
    pub amount_refunded: Amount,
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
    pub metadata: Marks,
}

/// Whole cents, as Stripe writes amounts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Amount(pub i64);

impl From<Amount> for Cents {
    fn from(amount: Amount) -> Self {
        Self(amount.0)
    }
}

fn dollars() -> String {
    DOLLARS.to_owned()
}

impl Charge {
    /// Whether the money was taken.
    #[must_use]
    pub fn is_taken(&self) -> bool {
        self.status.as_deref().is_none_or(|status| status == "succeeded")
    }

    /// What of it has not gone back.
    #[must_use]
    pub fn left(&self) -> Cents {
        Cents((self.amount.0 - self.amount_refunded.0).max(0))
    }

    #[must_use]
    pub fn payment(&self) -> Option<&str> {
        self.payment_intent.as_ref().map(Named::id)
    }
}

/// Money that goes back.
#[derive(Clone, Debug, Deserialize)]
pub struct RefundRecord {
    pub id: String,
    pub amount: Amount,
    #[serde(default = "dollars")]
    pub currency: String,
    /// pending, `requires_action`, succeeded, failed or canceled.
    pub status: Option<String>,
    pub payment_intent: Option<Named>,
    #[serde(default)]
    pub metadata: Option<Marks>,
}

/// A payment that its payer disputes.
#[derive(Clone, Debug, Deserialize)]
pub struct DisputeRecord {
    pub id: String,
    pub amount: Amount,
    #[serde(default = "dollars")]
    pub currency: String,
    pub status: String,
    pub payment_intent: Option<Named>,
}

/// Money on its way to the business's bank.
#[derive(Clone, Debug, Deserialize)]
pub struct Payout {
    /// `po_…`
    pub id: String,
    pub amount: Amount,
    #[serde(default = "dollars")]
    pub currency: String,
    /// paid, pending, `in_transit`, canceled or failed.
    pub status: String,
    /// In seconds: the day on which it reaches the bank.
    pub arrival_date: i64,
    /// Which payments it holds is known only of these.
    #[serde(default)]
    pub automatic: bool,
    pub livemode: Option<bool>,
    #[serde(default)]
    pub created: i64,
}

/// A line of Stripe's own books.
#[derive(Clone, Debug, Deserialize)]
pub struct Transaction {
    /// `txn_…`
    pub id: String,
    /// Below nothing for what went away.
    pub amount: Amount,
    #[serde(default)]
    pub fee: Amount,
    #[serde(default = "dollars")]
    pub currency: String,
    #[serde(rename = "type")]
    pub kind: String,
    /// The charge, refund, dispute or payout that it is of.
    pub source: Option<Named>,
    #[serde(default)]
    pub created: i64,
}

impl Transaction {
    /// Stripe's id of what it is of.
    #[must_use]
    pub fn of(&self) -> Option<&str> {
        self.source.as_ref().map(Named::id)
    }
}

macro_rules! records {
    ($($record:ty => $path:literal),*) => {$(
        impl Record for $record {
            const PATH: &'static str = $path;

            fn id(&self) -> &str {
                &self.id
            }
        }
    )*};
}

records!(Charge => "charges", RefundRecord => "refunds", DisputeRecord => "disputes", Payout => "payouts",
    Transaction => "balance_transactions");

impl From<RefundRecord> for Refund {
    fn from(raw: RefundRecord) -> Self {
        let standing = match raw.status.as_deref() {
            Some("succeeded") => RefundStanding::Succeeded,
            Some("failed" | "canceled") => RefundStanding::Failed,
            _ => RefundStanding::Pending,
        };
        let reference = raw.metadata.and_then(|marks| marks.refund);
        Self { id: raw.id, amount: raw.amount.into(), standing, reference }
    }
}

impl From<DisputeRecord> for Dispute {
    fn from(raw: DisputeRecord) -> Self {
        Self { id: raw.id, amount: raw.amount.into(), status: raw.status }
    }
}

impl Stripe {
    /// One page of a list: what was made since `since`, in seconds, on from the record `after`. `narrowed` is one more
    /// condition of that list.
    ///
    /// # Errors
    /// [`PayError`]; a restricted key may be allowed everything else and not this.
    pub async fn records<T: Record>(
        &self,
        keys: &Keys,
        since: i64,
        after: Option<&str>,
        narrowed: Option<(&str, &str)>,
    ) -> Result<Listed<T>, PayError> {
        let mut query = vec![("limit", PAGE.to_owned()), (T::SINCE, since.to_string())];
        query.extend(after.map(|after| ("starting_after", after.to_owned())));
        query.extend(narrowed.map(|(name, value)| (name, value.to_owned())));
        self.call(keys, self.http.get(self.at(T::PATH)).query(&query)).await
    }

    /// A whole list, for a question about one thing.
    ///
    /// # Errors
    /// [`PayError`].
    pub(super) async fn all<T: DeserializeOwned>(
        &self,
        keys: &Keys,
        path: &str,
        query: &[(&str, String)],
        id: impl Fn(&T) -> String,
    ) -> Result<Vec<T>, PayError> {
        let mut found: Vec<T> = Vec::new();
        for _ in 0..MOST_PAGES {
            let mut asked: Vec<(&str, String)> = query.to_vec();
            asked.push(("limit", PAGE.to_owned()));
            asked.extend(found.last().map(|last| ("starting_after", id(last))));
            let page: Listed<T> = self.call(keys, self.http.get(self.at(path)).query(&asked)).await?;
            let is_over = !page.has_more || page.data.is_empty();
            found.extend(page.data);
            if is_over {
                return Ok(found);
            }
        }
        Err(PayError::Refused("lists more than can be looked through".into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_charge_says_what_is_left_of_it_and_whose_it_is() {
        let text = r#"{"id":"ch_1","object":"charge","amount":5000,"amount_refunded":1500,"currency":"usd","status":"succeeded",
            "payment_intent":"pi_1","livemode":true,"created":1900000000,"metadata":{"checkout":"a","org":"b","x":"y"}}"#;
        let charge: Charge = serde_json::from_str(text).unwrap();
        assert_eq!((charge.left(), charge.payment(), charge.is_taken()), (Cents(3_500), Some("pi_1"), true));
        assert_eq!((charge.metadata.checkout.as_deref(), charge.metadata.org.as_deref()), (Some("a"), Some("b")));
    }

    #[test]
    fn a_line_of_stripes_books_names_what_it_is_of() {
        let read = |text: &str| serde_json::from_str::<Transaction>(text).unwrap();
        let fee = read(r#"{"id":"txn_1","amount":-20,"type":"stripe_fee","source":null,"created":1,"currency":"usd"}"#);
        let charge = read(r#"{"id":"txn_2","amount":500,"fee":45,"type":"charge","source":"ch_1","created":1}"#);
        assert_eq!((fee.of(), charge.of(), charge.fee.0), (None, Some("ch_1"), 45));
    }
}
