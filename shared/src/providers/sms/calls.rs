//! What Twilio knows of the calls to a number of ours, whether or not it could tell us of them.

use chrono::{DateTime, Duration, Utc};
use serde::Deserialize;

use super::{
    Sms,
    lookup::not_set_up,
    twilio::{Twilio, resource},
};
use crate::providers::SendError;

/// A call that somebody made to a number of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedCall {
    pub sid: String,
    pub from: String,
    pub to: String,
    /// Twilio's word: `completed`, `busy`, `no-answer`, `failed` or `canceled` once it is over.
    pub status: String,
    pub started_at: DateTime<Utc>,
    /// None while it goes on.
    pub ended_at: Option<DateTime<Utc>>,
}

impl ReceivedCall {
    /// How long it went on, ringing included; nothing while it does.
    #[must_use]
    pub fn lasted(&self) -> Duration {
        self.ended_at.map_or_else(Duration::zero, |end| end - self.started_at)
    }
}

#[derive(Deserialize)]
struct Listed {
    sid: String,
    direction: String,
    from: Option<String>,
    to: Option<String>,
    status: String,
    start_time: Option<String>,
    end_time: Option<String>,
}

impl Sms {
    /// The calls to `to` that began since `since`, in their order.
    ///
    /// # Errors
    /// [`SendError`]: then nothing is known, and an empty list must not be assumed.
    pub async fn called(&self, to: &str, since: DateTime<Utc>) -> Result<Vec<ReceivedCall>, SendError> {
        match self {
            Self::Twilio(twilio) => twilio.called(to, since).await,
            Self::Memory(_) => Ok(Vec::new()),
            Self::Off => Err(not_set_up()),
        }
    }
}

impl Twilio {
    async fn called(&self, to: &str, since: DateTime<Utc>) -> Result<Vec<ReceivedCall>, SendError> {
        let list = resource(&self.access.base, &format!("{}/Calls", self.access.sid));
        let mut url = list.clone();
        let after = since.format("%Y-%m-%dT%H:%M:%SZ").to_string();
        url.query_pairs_mut().append_pair("To", to).append_pair("StartTime>", &after);
        let rows: Vec<Listed> = self.rows(&list, url).await?;
        Ok(rows.into_iter().rev().filter_map(Listed::received).filter(|call| call.started_at >= since).collect())
    }
}

impl Listed {
    fn received(self) -> Option<ReceivedCall> {
        let at = |date: &str| DateTime::parse_from_rfc2822(date).ok().map(|at| at.with_timezone(&Utc));
        // The legs to our own phones are calls of their own: "outbound-dial".
        (self.direction == "inbound").then_some(())?;
        Some(ReceivedCall {
            started_at: at(self.start_time.as_deref()?)?,
            ended_at: self.end_time.as_deref().and_then(at),
            sid: self.sid,
            // A caller who hides the number may have none here.
            from: self.from.unwrap_or_default(),
            to: self.to?,
            status: self.status,
        })
    }
}
