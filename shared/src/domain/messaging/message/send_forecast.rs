//! Preview of the send time of a waiting message: the send policy at that time, with what is known now.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use super::{
    send,
    send_policy::{self, SendVerdict},
};
use crate::{
    domain::tenancy::org::{FeatureSwitches, SendChannels},
    platform::{clock::ClockRng, db::AsConn, error::Result, id::MessageId},
};

/// A message postponed this often by current data never leaves.
const MOST_DELAYS: usize = 6;

#[derive(Debug)]
pub struct SendForecast {
    pub switches: FeatureSwitches,
    pub set_up: SendChannels,
    pub until: DateTime<Utc>,
    texts: BTreeMap<String, i64>,
}

impl SendForecast {
    #[must_use]
    pub fn new(switches: FeatureSwitches, set_up: SendChannels, until: DateTime<Utc>) -> Self {
        Self { switches, set_up, until, texts: BTreeMap::new() }
    }

    /// None when it leaves after the limit. Call in the order of due times: each sent text uses its day's budget.
    pub async fn forecast_send_time(
        &mut self,
        conn: &mut dyn AsConn,
        origin: &ClockRng,
        id: MessageId,
    ) -> Result<Option<DateTime<Utc>>> {
        let Some(message) = send::load_message(&mut *conn, origin, id).await? else { return Ok(None) };
        let mut at = message.next_attempt_at.max(origin.now());
        let mut deadline = message.deadline_at;
        let trust = message.load_trust(&mut *conn, self.set_up.takes_money, at).await?;
        for _ in 0..MOST_DELAYS {
            if at > self.until {
                return Ok(None);
            }
            let day = message.budget_day(at);
            let mut spent = message.load_usage(&mut *conn, at).await?;
            spent.texts = self.texts.get(&day).copied().unwrap_or(spent.texts);
            let facts = send_policy::SendContext {
                switches: self.switches,
                deadline_at: deadline,
                ..message.send_context(spent, trust)
            };
            match send_policy::may_send(&facts, self.set_up, at).0 {
                SendVerdict::Yes { .. } => {
                    let counts = message.to.is_phone() && message.kind.is_for_customers();
                    if counts {
                        self.texts.insert(day, spent.texts + 1);
                    }
                    return Ok(Some(at));
                }
                SendVerdict::HoldMessage { until, .. } => {
                    // As in the send policy's own delay: a held message stays worth sending.
                    deadline = send_policy::held_message_deadline(message.kind, message.channel(), deadline, until);
                    at = until;
                }
                SendVerdict::Wait(until) => at = until,
                SendVerdict::No(_) | SendVerdict::TooLate => return Ok(None),
            }
        }
        Ok(None)
    }
}
