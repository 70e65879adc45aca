//! Details of events that are read again: for their titles, and to undo them.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::platform::{message_channel::MessageChannel, money::Cents};

/// None where the detail is no `T`: the erasure of a person empties it.
pub(crate) fn read_detail<T: DeserializeOwned>(detail: &Value) -> Option<T> {
    T::deserialize(detail).ok()
}

/// Owners by name.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct OwnerChange {
    pub from: Option<String>,
    pub to: Option<String>,
    /// Of an assignment by rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct RefusedPhoto {
    pub name: String,
    /// "is damaged and cannot be read".
    pub why: String,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct BrokenPromise {
    pub words: String,
    pub due_at: Option<DateTime<Utc>>,
    /// "within 2 hours (“2 hours”)".
    pub within: String,
}

/// How a refund in doubt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RefundOutcome {
    /// Stripe lists it.
    Refunded,
    /// Stripe does not list it.
    NotRefunded,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SettledRefund {
    pub amount: Cents,
    pub outcome: RefundOutcome,
    pub note: Option<String>,
}

/// Channels of a sending. The timeline shows it with the present state of its messages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SendingDetail {
    /// Empty when nothing was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channels: Option<Vec<MessageChannel>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_sent: Option<Vec<NotSentBy>>,
    /// True where a person sent the text from their own phone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_phone: Option<bool>,
    /// Shown only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leaving: Option<Vec<MessageChannel>>,
    /// Shown only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting: Option<Vec<MessageChannel>>,
}

impl SendingDetail {
    pub fn from_own_phone() -> Self {
        Self { channels: Some(vec![MessageChannel::Sms]), own_phone: Some(true), ..Self::default() }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NotSentBy {
    pub channel: MessageChannel,
    /// In plain words.
    pub reason: String,
}

/// The mark on a payment that made its lead paid.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PaidMark {
    #[serde(default)]
    pub made_paid: bool,
    #[serde(flatten)]
    pub shown: Map<String, Value>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn paid_mark_keeps_the_other_fields_of_the_detail() {
        let stored = json!({"amount": 125.5, "method": "check", "number": "R-1001", "writtenOff": null});
        let mut mark: PaidMark = read_detail(&stored).unwrap();
        assert!(!mark.made_paid);
        mark.made_paid = true;
        let marked = json!({
            "amount": 125.5, "method": "check", "number": "R-1001", "writtenOff": null, "madePaid": true
        });
        assert_eq!(json!(mark), marked);
        assert!(read_detail::<PaidMark>(&marked).unwrap().made_paid);
    }

    #[test]
    fn emptied_detail_reads_as_no_refund_and_as_no_sending() {
        assert!(read_detail::<SettledRefund>(&json!({})).is_none());
        assert_eq!(read_detail(&json!({})), Some(SendingDetail::default()));
        assert_eq!(json!(SendingDetail::default()), json!({}));
    }
}
