//! Share of a day's visits that people may book who are known only by a tap in an email. Mailboxes cost nothing, so
//! without it a stranger with many of them could close every day. A text from a phone, or a tap in one, is a stronger
//! proof, and so is any act of the business: its word for an address, or work on one of their requests or visits.

use chrono::{DateTime, Utc};

use super::{hold_limits, request::CONFIRMATION_WINDOW, slots::TimeRange};
use crate::{
    domain::tenancy::org::OrgContext,
    platform::{
        db::{AsConn, Tx, q},
        error::Result,
        id::{CustomerId, OrgId},
    },
};

/// Visits of a day that such people may book, of so many in all, rounded up.
fn share_of_day(visits: i64, percent: i64) -> i64 {
    (visits * percent + 99) / 100
}

/// Whether the customer has no proof that is stronger than a tap in an email.
pub(super) async fn is_known_by_email_at_most(conn: &mut dyn AsConn, org: OrgId, customer: CustomerId) -> Result<bool> {
    let sql = "SELECT NOT EXISTS (SELECT 1 FROM customer_key k WHERE k.org_id = $1 AND k.customer_id = $2
             AND k.proof NOT IN ('form', 'answered') AND (k.kind = 'phone' OR k.proof <> 'link_opened'))
         AND NOT EXISTS (SELECT 1 FROM lead l JOIN work_event e ON e.org_id = l.org_id AND e.lead_id = l.id
             WHERE l.org_id = $1 AND l.customer_id = $2 AND e.actor_kind = 'account')";
    Ok(q!(conn, fetch_one scalar bool, sql, org, customer)?)
}

/// Visits of a day that such people have booked.
async fn count_visits_by_email(conn: &mut dyn AsConn, org: OrgId, day: TimeRange) -> Result<i64> {
    let sql = "SELECT COUNT(*) FROM job j
         WHERE j.org_id = $1 AND j.starts_at >= $2 AND j.starts_at < $3 AND j.status <> 'cancelled'
             AND EXISTS (SELECT 1 FROM work_event e WHERE e.org_id = j.org_id AND e.job_id = j.id AND e.kind = 'booked')
             AND NOT EXISTS (SELECT 1 FROM customer_key k WHERE k.org_id = j.org_id AND k.customer_id = j.customer_id
                 AND k.proof NOT IN ('form', 'answered') AND (k.kind = 'phone' OR k.proof <> 'link_opened'))
             AND NOT EXISTS (SELECT 1 FROM lead l JOIN work_event e ON e.org_id = l.org_id AND e.lead_id = l.id
                 WHERE l.org_id = j.org_id AND l.customer_id = j.customer_id AND e.actor_kind = 'account')";
    Ok(q!(conn, fetch_one scalar i64, sql, org, day.0, day.1)?)
}

/// Visits of a day that such people were asked about by email: their times are held, and a tap books them.
async fn count_asked_by_email(conn: &mut dyn AsConn, org: OrgId, day: TimeRange, now: DateTime<Utc>) -> Result<i64> {
    let sql = "SELECT COUNT(*) FROM booking_request r JOIN lead q ON q.org_id = r.org_id AND q.id = r.lead_id
         WHERE r.org_id = $1 AND r.starts_at >= $2 AND r.starts_at < $3 AND r.created_at > $4 AND r.expires_at > $5
             AND r.email IS NOT NULL AND r.not_held IS NULL AND r.confirmed_at IS NULL AND r.denied_at IS NULL
             AND NOT EXISTS (SELECT 1 FROM customer_key k WHERE k.org_id = r.org_id AND k.customer_id = q.customer_id
                 AND k.proof NOT IN ('form', 'answered') AND (k.kind = 'phone' OR k.proof <> 'link_opened'))
             AND NOT EXISTS (SELECT 1 FROM lead l JOIN work_event e ON e.org_id = l.org_id AND e.lead_id = l.id
                 WHERE l.org_id = r.org_id AND l.customer_id = q.customer_id AND e.actor_kind = 'account')";
    Ok(q!(conn, fetch_one scalar i64, sql, org, day.0, day.1, now - CONFIRMATION_WINDOW, now)?)
}

/// Whether the visit of the customer would exceed the share of its day. The caller has locked the bookable crews.
pub(super) async fn is_beyond_share(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    (starts_at, ends_at): TimeRange,
    customer: CustomerId,
) -> Result<bool> {
    let (org, percent) = (ctx.profile.org.id, ctx.profile.settings.booking.email_only_percent);
    if percent >= 100 || !is_known_by_email_at_most(&mut *tx, org, customer).await? {
        return Ok(false);
    }
    let day = hold_limits::day_around(ctx, starts_at);
    let booked = count_visits_by_email(&mut *tx, org, day).await?;
    let asked = count_asked_by_email(&mut *tx, org, day, ctx.origin.now()).await?;
    // The wanted time is free, also where the notice of the business has passed.
    let free = hold_limits::load_day_capacity(&mut *tx, ctx, ends_at - starts_at, day).await?.max(1);
    Ok(booked + asked >= share_of_day(booked + free, percent))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn share_of_day_is_rounded_up_and_none_at_zero_percent() {
        for (visits, percent, share) in [(1, 50, 1), (2, 50, 1), (3, 50, 2), (9, 50, 5), (4, 0, 0), (3, 100, 3)] {
            assert_eq!(share_of_day(visits, percent), share, "{visits} at {percent} %");
        }
    }
}
