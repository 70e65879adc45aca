//! People who only asked, and whose period is over.

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

/// A person who only asked, or only texted a keyword such as STOP and was never named: nothing was ever estimated, done,
/// billed or reviewed, and there was no contact since the cutoff. `$1` is the business, `$2` the cutoff, `c` the row.
macro_rules! only_asked {
    () => {
        concat!(
            "c.merged_into IS NULL AND c.created_at < $2
             AND (EXISTS (SELECT 1 FROM lead l WHERE l.org_id = $1 AND l.customer_id = c.id) OR ",
            only_texted!(),
            ")
             AND NOT EXISTS (SELECT 1 FROM lead l WHERE l.org_id = $1 AND l.customer_id = c.id
                 AND (l.last_touch_at >= $2
                     OR EXISTS (SELECT 1 FROM job j WHERE j.org_id = $1 AND j.lead_id = l.id)
                     OR EXISTS (SELECT 1 FROM estimate e WHERE e.org_id = $1 AND e.lead_id = l.id)
                     OR EXISTS (SELECT 1 FROM invoice i WHERE i.org_id = $1 AND i.lead_id = l.id)
                     OR EXISTS (SELECT 1 FROM payment y WHERE y.org_id = $1 AND y.lead_id = l.id)))
             AND NOT EXISTS (SELECT 1 FROM conversation t WHERE t.org_id = $1 AND t.customer_id = c.id AND t.last_at >= $2)
             AND NOT EXISTS (SELECT 1 FROM review r WHERE r.org_id = $1 AND r.customer_id = c.id)
             AND NOT EXISTS (SELECT 1 FROM erasure x WHERE x.org_id = $1 AND x.customer_id = c.id
                 AND x.state IN ('waiting', 'done'))"
        )
    };
}

pub(in crate::ops::retention) async fn count_requests(
    conn: &mut dyn AsConn,
    org: OrgId,
    cutoff: DateTime<Utc>,
) -> Result<i64> {
    let sql = concat!("SELECT COUNT(*) FROM customer c WHERE c.org_id = $1 AND ", only_asked!());
    Ok(q!(conn, fetch_one scalar i64, sql, org, cutoff)?)
}

pub(super) async fn purge_requests(
    ctx: &PurgeContext<'_>,
    run: &mut RetentionRun,
    cutoff: DateTime<Utc>,
) -> Result<(u64, bool)> {
    let (_, after) = batch_cursor(run);
    let sql = concat!(
        "SELECT c.id FROM customer c WHERE c.org_id = $1 AND ",
        only_asked!(),
        " AND c.id > $3 ORDER BY c.id LIMIT 1"
    );
    let found =
        q!(&mut ctx.db.acquire_reader().await?, fetch_optional scalar CustomerId, sql, run.org_id, cutoff, after)?;
    let sql = "SELECT requests FROM retention_run WHERE org_id = $1 AND id = $2";
    let done = q!(&mut ctx.db.acquire_reader().await?, fetch_one scalar i64, sql, run.org_id, run.id)?;
    let Some(customer) = found.filter(|_| done < MAX_PEOPLE_PER_NIGHT) else { return Ok((0, true)) };
    let sql = concat!(
        "INSERT INTO erasure (org_id, id, customer_id, asked_at, due_at, state, rows, files)
         SELECT $1, $4, c.id, $5, $6, 'waiting', 0, 0 FROM customer c WHERE c.org_id = $1 AND c.id = $3 AND ",
        only_asked!()
    );
    let erased = people::erase_person(ctx, run, (customer, ctx.origin.now()), cutoff, sql).await?;
    Ok((erased, false))
}
