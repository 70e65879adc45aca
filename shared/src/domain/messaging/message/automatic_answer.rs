//! Messages by which a rule answered what came in.

use chrono::{DateTime, Utc};
use sqlx::FromRow;

use super::MessageStatus;
use crate::platform::{
    db::{AsConn, qb},
    error::Result,
    id::{CustomerId, OrgId},
};

/// Customers of one query.
const CHUNK: usize = 500;

#[derive(Clone, Debug, FromRow)]
pub struct AutomaticAnswer {
    pub customer_id: CustomerId,
    pub created_at: DateTime<Utc>,
    pub status: MessageStatus,
}

pub(crate) async fn list_automatic_answers(
    conn: &mut dyn AsConn,
    org: OrgId,
    customers: &[CustomerId],
    since: DateTime<Utc>,
) -> Result<Vec<AutomaticAnswer>> {
    let mut answers = Vec::new();
    for some in customers.chunks(CHUNK) {
        let found = qb!(&mut *conn, fetch_all as AutomaticAnswer, |b| {
            b.push("SELECT m.customer_id, m.created_at, m.status FROM message m WHERE m.org_id = ").push_bind(org);
            b.push(" AND m.direction = 'out' AND m.kind IN ('auto_reply', 'missed_call', 'text_reply', 'nudge')");
            b.push(" AND m.created_at >= ").push_bind(since).push(" AND m.customer_id IN (");
            let mut ids = b.separated(", ");
            for id in some {
                ids.push_bind(*id);
            }
            b.push(")");
        })?;
        answers.extend(found);
    }
    Ok(answers)
}
