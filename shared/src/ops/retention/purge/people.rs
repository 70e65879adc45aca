//! Erasure of people whose period is over: one after the other, as by request, from every place, except legally required
//! records.

use chrono::{DateTime, Utc};

use super::{CLAIM_LEASE, PurgeContext, RetentionRun, record_progress};
use crate::{
    ops::erasure::{self, CustomerErasure, ErasureCause},
    platform::{db::q, error::Result, id::CustomerId},
};

/// People of one kind and night: each is erased from every place, which takes longer.
pub(super) const MAX_PEOPLE_PER_NIGHT: i64 = 500;

/// A person who only texted a keyword such as STOP and was never named. `$1` is the business, `c` the row.
macro_rules! only_texted {
    () => {
        "(c.name LIKE '(___) ___-____'
             AND EXISTS (SELECT 1 FROM conversation t WHERE t.org_id = $1 AND t.customer_id = c.id)
             AND NOT EXISTS (SELECT 1 FROM customer g WHERE g.org_id = $1 AND g.merged_into = c.id)
             AND NOT EXISTS (SELECT 1 FROM customer_import_row i WHERE i.org_id = $1 AND i.customer_id = c.id))"
    };
}
pub(super) use only_texted;

/// Stores an erasure by `sql`, which asks once more whether the person is due, and carries it out. `$1` is the business,
/// `$2` the cutoff, `$3` the person, `$4` to `$6` the id and the times of the erasure. Returns how many were stored.
pub(super) async fn erase_person(
    ctx: &PurgeContext<'_>,
    run: &mut RetentionRun,
    (customer, position): (CustomerId, DateTime<Utc>),
    cutoff: DateTime<Utc>,
    sql: &'static str,
) -> Result<u64> {
    let now = ctx.origin.now();
    // After a crash or a failure the run of erasures continues with it.
    let erasure = CustomerErasure {
        org_id: run.org_id,
        id: ctx.origin.uuid_v7(),
        customer_id: customer,
        asked_at: now,
        due_at: now + CLAIM_LEASE,
    };
    let mut tx = ctx.db.begin_long().await?;
    let (id, due) = (erasure.id, erasure.due_at);
    let is_put = q!(&mut tx, execute, sql, run.org_id, cutoff, customer, id, now, due)? == 1;
    record_progress(&mut tx, ctx.origin, run, Some((position, customer.0)), u64::from(is_put)).await?;
    tx.commit().await?;
    if is_put && let Err(e) = erasure::run_erasure(&ctx.ctx, &erasure, ErasureCause::RetentionPeriod).await {
        // The run of erasures continues with it, and the night with the others.
        tracing::warn!(org = %erasure.org_id, erasure = %erasure.id, error = %e, "an erasure failed; it is tried again");
    }
    Ok(u64::from(is_put))
}
