//! Members of a shared service: the businesses without a number of their own, among which its day is divided. Counted
//! before the claim of a text by the service, at most once a second per service: the claim sees only its own business.

use std::collections::HashMap;

use chrono::{DateTime, Duration, Utc};
use tokio::sync::Mutex;

use super::SendRateLimit;
use crate::{
    domain::messaging::message::send::ClaimedMessage,
    platform::{
        db::{Db, q, tenant_scope::across_tenants},
        error::Result,
    },
};

const HOLDS: Duration = Duration::seconds(1);

#[derive(Clone, Debug, Default)]
pub struct ServiceMemberCounts(HashMap<String, i64>);

impl ServiceMemberCounts {
    /// The error is the service whose members must be counted first.
    pub(in crate::domain::messaging::message) fn rate_limit_for(
        &self,
        message: &ClaimedMessage,
        pace: SendRateLimit,
    ) -> Result<SendRateLimit, String> {
        let shared = message.org_service.as_ref().filter(|_| message.org_sms_number.is_none());
        match shared {
            Some(service) if message.to.is_phone() => {
                let members = self.0.get(service).copied().ok_or_else(|| service.clone())?;
                Ok(SendRateLimit { members, ..pace })
            }
            _ => Ok(pace),
        }
    }
}

#[derive(Debug, Default)]
pub struct ServiceMemberCache(Mutex<HashMap<String, (DateTime<Utc>, i64)>>);

impl ServiceMemberCache {
    pub async fn current_counts(&self, now: DateTime<Utc>) -> ServiceMemberCounts {
        let counted = self.0.lock().await;
        ServiceMemberCounts(
            counted
                .iter()
                .filter(|(_, one)| is_count_fresh(one.0, now))
                .map(|(name, one)| (name.clone(), one.1))
                .collect(),
        )
    }

    /// Adds the members of a service. Of several callers at once, one counts.
    pub async fn refresh_count(
        &self,
        counts: &mut ServiceMemberCounts,
        db: &Db,
        service: String,
        now: DateTime<Utc>,
    ) -> Result<()> {
        let mut counted = self.0.lock().await;
        let cached = counted.get(&service).filter(|one| is_count_fresh(one.0, now)).map(|one| one.1);
        let members = if let Some(members) = cached {
            members
        } else {
            let members = count_members(db, &service).await?;
            counted.insert(service.clone(), (now, members));
            members
        };
        counts.0.insert(service, members);
        Ok(())
    }
}

fn is_count_fresh(counted_at: DateTime<Utc>, now: DateTime<Utc>) -> bool {
    (now - counted_at).abs() < HOLDS
}

async fn count_members(db: &Db, service: &str) -> Result<i64> {
    let mut conn = across_tenants(db.acquire_reader()).await?;
    let sql = "SELECT COUNT(*) FROM sending_number n JOIN org p ON p.id = n.org_id
         WHERE n.sender = $1 AND n.kind = 'service' AND p.sms_number IS NULL";
    Ok(q!(&mut conn, fetch_one scalar i64, sql, service)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cached_member_count_is_invalid_after_a_second_or_from_later_clock() {
        let now: DateTime<Utc> = "2026-09-17T15:00:00Z".parse().unwrap();
        assert!(is_count_fresh(now, now) && is_count_fresh(now - Duration::milliseconds(999), now));
        assert!(!is_count_fresh(now - HOLDS, now) && !is_count_fresh(now + HOLDS, now));
    }
}
