//! Money that is still on its way at Stripe: the rows that follow it must not be removed.

use chrono::Duration;

use crate::{
    conflicts::{ConflictReason, OpenMoneyItem},
    platform::{
        clock::ClockRng,
        db::{AsConn, q},
        error::Result,
        id::OrgId,
        money::Cents,
    },
};

/// Time after a page's end in which a payment on it may still be unrecorded.
const RECORDING_TIME: Duration = Duration::days(1);

/// Pages that can still be paid or whose payment is at the bank, and refunds that are pending or in doubt. None without
/// any.
pub(crate) async fn find_removal_blocker(
    conn: &mut dyn AsConn,
    origin: &ClockRng,
    org: OrgId,
) -> Result<Option<ConflictReason>> {
    let sql = "SELECT COALESCE(provider_id, ''), amount_cents FROM checkout WHERE org_id = $1
         AND ((status = 'open' AND url IS NULL)
             OR ((status IN ('opening', 'open') OR is_closing = TRUE) AND expires_at > $2)) ORDER BY created_at, id";
    let pages = q!(&mut *conn, fetch_all as (String, Cents), sql, org, origin.now() - RECORDING_TIME)?;
    let sql = "SELECT COALESCE(p.provider_id, ''), r.amount_cents FROM payment r
         LEFT JOIN payment p ON p.org_id = r.org_id AND p.id = r.refund_of
         WHERE r.org_id = $1 AND r.kind = 'refund' AND r.status IN ('pending', 'unknown') AND r.undone_at IS NULL
         ORDER BY r.created_at, r.id";
    let refunds = q!(conn, fetch_all as (String, Cents), sql, org)?;
    let pages = pages.into_iter().map(|(id, amount)| OpenMoneyItem::Page { id, amount });
    let refunds = refunds.into_iter().map(|(payment, amount)| OpenMoneyItem::Refund { payment, amount });
    let all: Vec<OpenMoneyItem> = pages.chain(refunds).collect();
    Ok((!all.is_empty()).then(|| ConflictReason::money_under_way(&all)))
}
