//! Looks ahead: when a message that waits will leave, as the gate would decide then by what is known now.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use super::{
    Channel, send,
    send_policy::{self, SetUp, Verdict},
};
use crate::{
    domain::tenancy::org::Switches,
    platform::{clock::Origin, db::AsConn, error::Result, id::MessageId},
};

/// A message that was put off this often by what is known now is put off for good.
const MOST_DELAYS: usize = 6;

/// What is assumed about the time to come.
#[derive(Debug)]
pub struct Foresight {
    /// The switches as they will stand.
    pub switches: Switches,
    pub set_up: SetUp,
    pub until: DateTime<Utc>,
    /// Texts that leave on each day of the business, by what was foreseen so far.
    texts: BTreeMap<String, i64>,
}

impl Foresight {
    #[must_use]
    pub fn new(switches: Switches, set_up: SetUp, until: DateTime<Utc>) -> Self {
        Self { switches, set_up, until, texts: BTreeMap::new() }
    }

    /// When this message leaves; none when it will not by then. Ask in the order in which messages are due: each that
    /// leaves uses up a part of its day's budget.
    pub async fn leaves_at(
        &mut self,
        conn: &mut dyn AsConn,
        origin: &Origin,
        id: MessageId,
    ) -> Result<Option<DateTime<Utc>>> {
        let Some(message) = send::load(&mut *conn, origin, id).await? else { return Ok(None) };
        let mut at = message.next_attempt_at.max(origin.now());
        let mut deadline = message.deadline_at;
        let trust = message.trust(&mut *conn, self.set_up.takes_money, at).await?;
        for _ in 0..MOST_DELAYS {
            if at > self.until {
                return Ok(None);
            }
            let day = message.day(at);
            let mut spent = message.spent(&mut *conn, at).await?;
            spent.texts = self.texts.get(&day).copied().unwrap_or(spent.texts);
            let facts =
                send_policy::Facts { switches: self.switches, deadline_at: deadline, ..message.facts(spent, trust) };
            match send_policy::may_send(&facts, self.set_up, at).0 {
                Verdict::Yes { .. } => {
                    let counts = message.channel == Channel::Sms && message.kind.is_for_customers();
                    if counts {
                        self.texts.insert(day, spent.texts + 1);
                    }
                    return Ok(Some(at));
                }
                Verdict::Hold { until, .. } => {
                    // As the gate's own delay does: what is held stays worth sending.
                    deadline = send_policy::deadline_when_held(message.kind, message.channel, deadline, until);
                    at = until;
                }
                Verdict::Wait(until) => at = until,
                Verdict::No(_) | Verdict::TooLate => return Ok(None),
            }
        }
        Ok(None)
    }
}
