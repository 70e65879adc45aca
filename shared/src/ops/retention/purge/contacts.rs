//! Customers on file without a request, imported or entered by hand, whose period is over.

use chrono::{DateTime, Utc};

use super::{
    PurgeContext, RetentionRun, batch_cursor,
    people::{self, MAX_PEOPLE_PER_NIGHT, only_texted},
};
use crate::platform::{
    db::{AsConn, q},
    error::Result,
    id::{CustomerId, OrgId},
};

/// A customer who never asked. Jobs, estimates, invoices, payments and consents belong to a request, so there are none.
/// Since the cutoff the record was not changed, and there was no text, email or call. One who only texted a keyword and
/// was never named counts among the requests. `$1` is the business, `$2` the cutoff, `c` the row.
macro_rules! never_asked {
    () => {
        concat!(
            "c.merged_into IS NULL AND c.created_at < $2 AND (c.changed_at IS NULL OR c.changed_at < $2)
             AND NOT EXISTS (SELECT 1 FROM lead l WHERE l.org_id = $1 AND l.customer_id = c.id)
             AND NOT EXISTS (SELECT 1 FROM conversation t WHERE t.org_id = $1 AND t.customer_id = c.id AND t.last_at >= $2)
             AND NOT EXISTS (SELECT 1 FROM message m WHERE m.org_id = $1 AND m.customer_id = c.id AND m.created_at >= $2)
             AND NOT EXISTS (SELECT 1 FROM call k WHERE k.org_id = $1 AND k.customer_id = c.id AND k.started_at >= $2)
             AND NOT EXISTS (SELECT 1 FROM review r WHERE r.org_id = $1 AND r.customer_id = c.id)
             AND NOT EXISTS (SELECT 1 FROM erasure x WHERE x.org_id = $1 AND x.customer_id = c.id
                 AND x.state IN ('waiting', 'done'))
             AND NOT ",
            only_texted!()
        )
    };
}

pub(in crate::ops::retention) async fn count_contacts(
    conn: &mut dyn AsConn,
    org: OrgId,
    cutoff: DateTime<Utc>,
) -> Result<i64> {
    let sql = concat!("SELECT COUNT(*) FROM customer c WHERE c.org_id = $1 AND ", never_asked!());
    Ok(q!(conn, fetch_one scalar i64, sql, org, cutoff)?)
}

pub(super) async fn purge_contacts(
    ctx: &PurgeContext<'_>,
    run: &mut RetentionRun,
    cutoff: DateTime<Utc>,
) -> Result<(u64, bool)> {
    let (at, id) = batch_cursor(run);
    let mut conn = ctx.db.acquire_reader().await?;
    let sql = "SELECT contacts FROM retention_run WHERE org_id = $1 AND id = $2";
    if q!(&mut conn, fetch_one scalar i64, sql, run.org_id, run.id)? >= MAX_PEOPLE_PER_NIGHT {
        return Ok((0, true));
    }
    // By customer_newest: a list that was imported at once has one time.
    let sql = concat!(
        "SELECT c.id, c.created_at FROM customer c WHERE c.org_id = $1 AND ",
        never_asked!(),
        " AND (c.created_at, c.id) > ($3, $4) ORDER BY c.created_at, c.id LIMIT 1"
    );
    let found = q!(&mut conn, fetch_optional as (CustomerId, DateTime<Utc>), sql, run.org_id, cutoff, at, id)?;
    drop(conn);
    let Some(person) = found else { return Ok((0, true)) };
    let sql = concat!(
        "INSERT INTO erasure (org_id, id, customer_id, asked_at, due_at, state, rows, files)
         SELECT $1, $4, c.id, $5, $6, 'waiting', 0, 0 FROM customer c WHERE c.org_id = $1 AND c.id = $3 AND ",
        never_asked!()
    );
    Ok((people::erase_person(ctx, run, person, cutoff, sql).await?, false))
}
