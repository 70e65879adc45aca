//! Check whether the business was already notified: one alert per visit of a person.

use chrono::{DateTime, Duration, Utc};
use sqlx::FromRow;

use crate::platform::{
    db::{AsConn, q},
    error::Result,
    id::{CustomerId, LeadId, OrgId},
};

/// Calls, forms and texts of one person within this time are one visit.
pub(super) const SAME_VISIT_WINDOW: Duration = Duration::minutes(10);
pub(super) const ALREADY_NOTIFIED: &str = "the business was told of this person within the last 10 minutes";

#[derive(Clone, Copy, Debug, Default, FromRow)]
pub struct OwnerNotificationHistory {
    /// Last alert about it, and last urgent alert.
    pub at: Option<DateTime<Utc>>,
    pub urgently_at: Option<DateTime<Utc>>,
    /// When a person of the business last wrote to them or answered their call.
    pub answered_at: Option<DateTime<Utc>>,
}

impl OwnerNotificationHistory {
    pub async fn load_history(conn: &mut dyn AsConn, org: OrgId, lead: LeadId, customer: CustomerId) -> Result<Self> {
        Ok(q!(
            conn,
            fetch_one as Self,
            "SELECT MAX(a.created_at) AS at, MAX(CASE WHEN a.is_urgent THEN a.created_at END) AS urgently_at,
                 (SELECT t.last_by_person_at FROM conversation t WHERE t.org_id = $1 AND t.customer_id = $3) AS answered_at
             FROM alert a WHERE a.org_id = $1 AND a.lead_id = $2 AND a.account_id IS NULL
                 AND a.kind IN ('new_lead', 'asked_again', 'missed_call', 'text_received', 'opt_out_doubt')",
            org,
            lead,
            customer
        )?)
    }

    /// Counted from the alert, not from the last message: a person who goes on writing causes another. A message after
    /// a reply of the business is new.
    pub(super) fn already_notified(&self, is_urgent: bool, now: DateTime<Utc>) -> bool {
        let last = if is_urgent { self.urgently_at } else { self.at };
        last.is_some_and(|at| now - at < SAME_VISIT_WINDOW && self.answered_at.is_none_or(|answered| answered <= at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minute: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + Duration::days(20_500) + Duration::minutes(minute)
    }

    #[test]
    fn alert_suppresses_repeats_for_ten_minutes_until_answered() {
        let notified = OwnerNotificationHistory { at: Some(at(0)), ..OwnerNotificationHistory::default() };
        assert!(notified.already_notified(false, at(9)) && !notified.already_notified(false, at(10)));
        assert!(!notified.already_notified(true, at(1)), "that it is urgent is news");
        let urgently = OwnerNotificationHistory { urgently_at: Some(at(0)), ..notified };
        assert!(
            urgently.already_notified(true, at(9)) && urgently.already_notified(false, at(9)),
            "an emergency is notified once a visit"
        );
        let answered = |minute| OwnerNotificationHistory { answered_at: Some(at(minute)), ..urgently };
        assert!(!answered(5).already_notified(false, at(6)) && !answered(5).already_notified(true, at(6)));
        assert!(answered(-5).already_notified(false, at(6)), "an answer from before says nothing");
        assert!(!OwnerNotificationHistory::default().already_notified(false, at(0)), "nobody was notified");
    }
}
