//! Among how many businesses the day of a shared service is divided: all that share it and have no number of their own.
//!
//! They are counted before the claim of a text that leaves by the service, at most once a second for each service: the
//! claim sees its own business alone. No other message asks.

use std::collections::HashMap;

use chrono::{DateTime, Duration, Utc};
use tokio::sync::Mutex;

use super::Pace;
use crate::{
    domain::messaging::message::{Channel, send::Outgoing},
    platform::{
        db::{Db, q, tenant_scope::across_businesses},
        error::Result,
    },
};

/// A count holds for so long.
const HOLDS: Duration = Duration::seconds(1);

/// The members of each service, as they are known when a claim begins.
#[derive(Clone, Debug, Default)]
pub struct Counts(HashMap<String, i64>);

impl Counts {
    /// The pace that holds for a message. The error is the service whose members must be counted first.
    pub(in crate::domain::messaging::message) fn pace(&self, message: &Outgoing, pace: Pace) -> Result<Pace, String> {
        let shared = message.org_service.as_ref().filter(|_| message.org_sms_number.is_none());
        match shared {
            Some(service) if message.channel == Channel::Sms => {
                let members = self.0.get(service).copied().ok_or_else(|| service.clone())?;
                Ok(Pace { members, ..pace })
            }
            _ => Ok(pace),
        }
    }
}

/// The counts of one process, and when they were made.
#[derive(Debug, Default)]
pub struct Members(Mutex<HashMap<String, (DateTime<Utc>, i64)>>);

impl Members {
    /// Those that hold now.
    pub async fn counts(&self, now: DateTime<Utc>) -> Counts {
        let counted = self.0.lock().await;
        Counts(counted.iter().filter(|(_, one)| holds(one.0, now)).map(|(name, one)| (name.clone(), one.1)).collect())
    }

    /// Adds the members of a service. Of several that ask at once one counts.
    pub async fn add(&self, counts: &mut Counts, db: &Db, service: String, now: DateTime<Utc>) -> Result<()> {
        let mut counted = self.0.lock().await;
        let known = counted.get(&service).filter(|one| holds(one.0, now)).map(|one| one.1);
        let members = if let Some(members) = known {
            members
        } else {
            let members = count(db, &service).await?;
            counted.insert(service.clone(), (now, members));
            members
        };
        counts.0.insert(service, members);
        Ok(())
    }
}

fn holds(counted_at: DateTime<Utc>, now: DateTime<Utc>) -> bool {
    (now - counted_at).abs() < HOLDS
}

async fn count(db: &Db, service: &str) -> Result<i64> {
    let mut conn = across_businesses(db.read()).await?;
    let sql = "SELECT COUNT(*) FROM sending_number n JOIN org p ON p.id = n.org_id
         WHERE n.sender = $1 AND n.kind = 'service' AND p.sms_number IS NULL";
    Ok(q!(&mut conn, fetch_one scalar i64, sql, service)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_count_older_than_a_second_or_of_a_later_clock_does_not_hold() {
        let now: DateTime<Utc> = "2026-09-17T15:00:00Z".parse().unwrap();
        assert!(holds(now, now) && holds(now - Duration::milliseconds(999), now));
        assert!(!holds(now - HOLDS, now) && !holds(now + HOLDS, now));
    }
}
