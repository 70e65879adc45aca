//! Twilio's list of calls received, independent of webhooks.

use chrono::{DateTime, Duration, Utc};
use serde::Deserialize;

use super::{
    SmsProvider,
    lookup::not_set_up_error,
    twilio::{Twilio, resource_url},
};
use crate::SendError;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedCall {
    pub sid: String,
    pub from: String,
    pub to: String,
    /// Twilio's status: `completed`, `busy`, `no-answer`, `failed` or `canceled` once it is over.
    pub status: String,
    pub started_at: DateTime<Utc>,
    /// None during the call.
    pub ended_at: Option<DateTime<Utc>>,
}

impl ReceivedCall {
    /// Duration including ringing; zero during the call.
    #[must_use]
    pub fn call_duration(&self) -> Duration {
        self.ended_at.map_or_else(Duration::zero, |end| end - self.started_at)
    }
}

#[derive(Deserialize)]
struct TwilioCallRecord {
    sid: String,
    direction: String,
    from: Option<String>,
    to: Option<String>,
    status: String,
    start_time: Option<String>,
    end_time: Option<String>,
}

impl SmsProvider {
    /// Calls to `to` begun since `since`, in order. Errors: [`SendError`]; the result is then unknown, not empty.
    pub async fn list_received_calls(&self, to: &str, since: DateTime<Utc>) -> Result<Vec<ReceivedCall>, SendError> {
        match self {
            Self::Twilio(twilio) => twilio.list_received_calls(to, since).await,
            Self::Memory(_) => Ok(Vec::new()),
            Self::Off => Err(not_set_up_error()),
        }
    }
}

impl Twilio {
    async fn list_received_calls(&self, to: &str, since: DateTime<Utc>) -> Result<Vec<ReceivedCall>, SendError> {
        let list = resource_url(&self.access.base, &format!("{}/Calls", self.access.sid));
        let mut url = list.clone();
        let after = since.format("%Y-%m-%dT%H:%M:%SZ").to_string();
        url.query_pairs_mut().append_pair("To", to).append_pair("StartTime>", &after);
        let rows: Vec<TwilioCallRecord> = self.list_rows(&list, url).await?;
        Ok(rows
            .into_iter()
            .rev()
            .filter_map(TwilioCallRecord::into_received_call)
            .filter(|call| call.started_at >= since)
            .collect())
    }
}

impl TwilioCallRecord {
    fn into_received_call(self) -> Option<ReceivedCall> {
        let at = |date: &str| DateTime::parse_from_rfc2822(date).ok().map(|at| at.with_timezone(&Utc));
        // Legs to our own phones are separate calls: "outbound-dial".
        (self.direction == "inbound").then_some(())?;
        Some(ReceivedCall {
            started_at: at(self.start_time.as_deref()?)?,
            ended_at: self.end_time.as_deref().and_then(at),
            sid: self.sid,
            // May be missing for a hidden number.
            from: self.from.unwrap_or_default(),
            to: self.to?,
            status: self.status,
        })
    }
}
