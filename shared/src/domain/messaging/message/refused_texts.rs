//! Customers without an answer because the day's budget of automatic texts was used up. The inbox lists the same by its
//! filter "unanswered".

use chrono::{DateTime, Duration, Utc};

use crate::platform::{
    db::{AsConn, q},
    error::Result,
    id::OrgId,
    live,
};

/// A day of the business, and the hours by which its messages may be older.
const WINDOW: Duration = Duration::days(1);

/// How many customers a refused text left without any message since.
pub(crate) async fn count_unanswered_customers(conn: &mut dyn AsConn, org: OrgId, now: DateTime<Utc>) -> Result<i64> {
    Ok(q!(
        conn,
        fetch_one scalar i64,
        "SELECT COUNT(DISTINCT r.customer_id) FROM message r WHERE r.org_id = $1 AND r.id >= $2 AND r.channel = 'sms'
             AND r.status = 'not_sent' AND r.reason LIKE 'today''s budget of %'
             AND NOT EXISTS (SELECT 1 FROM message o WHERE o.org_id = r.org_id AND o.customer_id = r.customer_id
                 AND o.created_at >= r.created_at AND o.direction = 'out' AND o.status NOT IN ('not_sent', 'failed')
                 AND o.kind NOT IN ('owner_notice', 'account_notice', 'digest', 'pulse', 'test'))",
        org,
        // Ids sort by time, and messages of one org are looked up by id.
        live::min_id_at(now - WINDOW)
    )?)
}
