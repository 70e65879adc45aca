//! Whether the business knows already: one visit of a person is one alert.

use chrono::{DateTime, Duration, Utc};
use sqlx::FromRow;

use crate::platform::{
    db::{AsConn, q},
    error::Result,
    id::{CustomerId, LeadId, OrgId},
};

/// Call, form and text of one person within this time are one visit.
pub(super) const ONE_VISIT: Duration = Duration::minutes(10);
/// Why nobody is told again.
pub(super) const WHY_NOT: &str = "the business was told of this person within the last 10 minutes";

/// When the business was told of a request, and when somebody took it up.
#[derive(Clone, Copy, Debug, Default, FromRow)]
pub struct Told {
    /// When an alert about it was last raised, and last an urgent one.
    pub at: Option<DateTime<Utc>>,
    pub urgently_at: Option<DateTime<Utc>>,
    /// When a person of the business last wrote to them or answered their call.
    pub answered_at: Option<DateTime<Utc>>,
}

impl Told {
    /// What has happened about this lead until now.
    pub async fn of(conn: &mut dyn AsConn, org: OrgId, lead: LeadId, customer: CustomerId) -> Result<Self> {
        Ok(q!(
            conn,
            fetch_one as Self,
            "SELECT MAX(a.created_at) AS at, MAX(CASE WHEN a.is_urgent THEN a.created_at END) AS urgently_at,
                 (SELECT t.last_by_person_at FROM thread t WHERE t.org_id = $1 AND t.customer_id = $3) AS answered_at
             FROM alert a WHERE a.org_id = $1 AND a.lead_id = $2
                 AND a.kind IN ('new_lead', 'asked_again', 'missed_call', 'text_received', 'opt_out_doubt')",
            org,
            lead,
            customer
        )?)
    }

    /// Whether somebody who was told then knows of this now. Time counts from the alert, not from the last thing that
    /// was said, or who goes on writing would never be heard of again. What came after an answer of ours is news.
    pub(super) fn covers(&self, is_urgent: bool, now: DateTime<Utc>) -> bool {
        let told = if is_urgent { self.urgently_at } else { self.at };
        told.is_some_and(|at| now - at < ONE_VISIT && self.answered_at.is_none_or(|answered| answered <= at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minute: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + Duration::days(20_500) + Duration::minutes(minute)
    }

    #[test]
    fn ten_minutes_count_from_the_alert_and_an_answer_ends_them() {
        let told = Told { at: Some(at(0)), ..Told::default() };
        assert!(told.covers(false, at(9)) && !told.covers(false, at(10)));
        assert!(!told.covers(true, at(1)), "that it is urgent is news");
        let urgently = Told { urgently_at: Some(at(0)), ..told };
        assert!(urgently.covers(true, at(9)) && urgently.covers(false, at(9)), "an emergency is told once a visit");
        let answered = |minute| Told { answered_at: Some(at(minute)), ..urgently };
        assert!(!answered(5).covers(false, at(6)) && !answered(5).covers(true, at(6)));
        assert!(answered(-5).covers(false, at(6)), "an answer from before says nothing");
        assert!(!Told::default().covers(false, at(0)), "nobody was told");
    }
}
