//! Notices to the people of the business that name a person without being theirs: digests of several alerts, reports of
//! the figures, alerts to a crew about several jobs. No column says whom they name, so an erasure empties all of them
//! that were made since the person was known. The rows stay. One that has not left yet leaves with [`WORDS`].
//!
//! Alerts that name one person but no lead are found by their key.

use chrono::{DateTime, Duration, Utc};
use uuid::Uuid;

use super::{ErasureContext, begin_secure_delete, file_removal::remove_letter};
use crate::{
    ops::retention::files::{self, FileLocation},
    platform::{
        db::{AsConn, Tx, q},
        error::Result,
        id::{AlertId, CustomerId, OrgId, ReviewId},
    },
};

/// In place of the subject and the words of a notice.
const SUBJECT: &str = "Summary without its details";
const WORDS: &str = "The details were removed, because they named a customer whose data was erased. What still needs you \
     is in the app.";
/// In which a letter that is being written is on the disk.
const WRITTEN_BY_THEN: Duration = Duration::hours(1);

/// Id, whether it is an email, and whether it leaves at this moment.
type NoticeRow = (Uuid, bool, bool);

/// Returns how many rows were emptied.
pub(super) async fn erase_notices(ctx: &ErasureContext<'_>, org: OrgId, customer: CustomerId) -> Result<u64> {
    let mut conn = ctx.db.acquire_reader().await?;
    let Some(since) = find_first_seen(&mut conn, org, customer).await? else { return Ok(0) };
    let alerts = list_alerts_by_key(&mut conn, org, customer).await?;
    let mut notices = list_shared_notices(&mut conn, org, since).await?;
    for alert in &alerts {
        notices.extend(list_alert_notices(&mut conn, org, *alert).await?);
    }
    drop(conn);
    for (id, ..) in notices.iter().filter(|(_, is_email, _)| *is_email) {
        remove_letter(ctx, *id).await?;
    }
    let mut tx = begin_secure_delete(ctx).await?;
    tx.guard_writable(org);
    let mut rows = 0;
    for notice in &notices {
        rows += clear_notice(&mut tx, org, *notice, ctx.origin.now()).await?;
    }
    for alert in alerts {
        let sql = "UPDATE alert SET title = 'Erased', body = '', text_link = NULL WHERE org_id = $1 AND id = $2";
        rows += q!(&mut tx, execute, sql, org, alert)?;
    }
    rows += clear_crew_alerts(&mut tx, org, since).await?;
    tx.commit().await?;
    Ok(rows)
}

/// Nothing older can name them.
async fn find_first_seen(conn: &mut dyn AsConn, org: OrgId, customer: CustomerId) -> Result<Option<DateTime<Utc>>> {
    let sql = "SELECT created_at FROM customer WHERE org_id = $1 AND id = $2
        UNION SELECT created_at FROM lead WHERE org_id = $1 AND customer_id = $2
        UNION SELECT created_at FROM review WHERE org_id = $1 AND customer_id = $2";
    let times = q!(conn, fetch_all scalar DateTime<Utc>, sql, org, customer)?;
    Ok(times.into_iter().min())
}

/// Digests and reports. A digest about one lead alone is that person's.
async fn list_shared_notices(conn: &mut dyn AsConn, org: OrgId, since: DateTime<Utc>) -> Result<Vec<NoticeRow>> {
    let sql = "SELECT id, channel = 'email', status = 'sending' FROM message
        WHERE org_id = $1 AND lead_id IS NULL AND created_at >= $2 AND customer_id IS NULL AND direction = 'out'
            AND (kind IN ('digest', 'pulse') OR dedupe_key LIKE 'digest:%') AND body <> $3";
    Ok(q!(conn, fetch_all as NoticeRow, sql, org, since, WORDS)?)
}

/// Texts and emails that told the business of one alert.
async fn list_alert_notices(conn: &mut dyn AsConn, org: OrgId, alert: AlertId) -> Result<Vec<NoticeRow>> {
    let sql = "SELECT id, channel = 'email', status = 'sending' FROM message
        WHERE org_id = $1 AND (lead_id IS NULL OR lead_id IN (SELECT lead_id FROM alert WHERE org_id = $1 AND id = $2))
            AND customer_id IS NULL AND direction = 'out' AND dedupe_key LIKE $3 AND body <> $4";
    Ok(q!(conn, fetch_all as NoticeRow, sql, org, alert, format!("alert:{alert}:%"), WORDS)?)
}

async fn clear_notice(
    tx: &mut Tx,
    org: OrgId,
    (id, is_email, is_leaving): NoticeRow,
    now: DateTime<Utc>,
) -> Result<u64> {
    let sql = "UPDATE message SET subject = CASE WHEN subject IS NULL THEN NULL ELSE $3 END, body = $4, page = NULL,
            media = NULL, stored_as = NULL
        WHERE org_id = $1 AND id = $2";
    let changed = q!(&mut *tx, execute, sql, org, id, SUBJECT, WORDS)?;
    if is_email && is_leaving {
        let due = now + WRITTEN_BY_THEN;
        files::schedule_deletion(tx, org, FileLocation::Mail, &format!("{id}.eml"), due).await?;
    }
    Ok(changed)
}

/// Alerts to the devices of one person about several jobs, and older ones that name no lead.
async fn clear_crew_alerts(tx: &mut Tx, org: OrgId, since: DateTime<Utc>) -> Result<u64> {
    let sql = "UPDATE alert SET title = 'About your visits', body = ''
        WHERE org_id = $1 AND lead_id IS NULL AND created_at >= $2 AND account_id IS NOT NULL
            AND kind IN ('schedule_changed', 'missed_call', 'text_received') AND body <> ''";
    Ok(q!(tx, execute, sql, org, since)?)
}

/// Alerts about this person that their leads do not lead to: questions whether a text of theirs was an opt-out, and low
/// ratings of a customer without a request, or that was found to be theirs later.
pub(super) async fn list_alerts_by_key(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
) -> Result<Vec<AlertId>> {
    let sql =
        "SELECT a.id FROM message m JOIN alert a ON a.org_id = m.org_id AND a.dedupe_key = 'doubt:' || m.provider_id
        WHERE m.org_id = $1 AND m.customer_id = $2 AND m.direction = 'in' AND m.provider_id IS NOT NULL
            AND (a.lead_id IS NULL OR a.lead_id NOT IN (SELECT id FROM lead WHERE org_id = $1 AND customer_id = $2))";
    let mut found = q!(&mut *conn, fetch_all scalar AlertId, sql, org, customer)?;
    let sql = "SELECT id FROM review WHERE org_id = $1 AND customer_id = $2";
    for review in q!(&mut *conn, fetch_all scalar ReviewId, sql, org, customer)? {
        let sql = "SELECT id FROM alert WHERE org_id = $1 AND dedupe_key = $3
            AND (lead_id IS NULL OR lead_id NOT IN (SELECT id FROM lead WHERE org_id = $1 AND customer_id = $2))";
        found.extend(q!(&mut *conn, fetch_all scalar AlertId, sql, org, customer, format!("review:{review}:low"))?);
    }
    Ok(found)
}
