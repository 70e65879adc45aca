//! Request of an erasure: what it would take, what blocks it, and its undo.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use super::{CustomerErasure, GRACE, activity::find_activity_since_asked, list_customer_records, postponement};
use crate::{
    conflicts::ConflictCode,
    documents::template::Language,
    domain::{
        intake::customer::{
            self, CustomerErasureStatus,
            duplicate::{CustomerDuplicate, find_contact_duplicates},
        },
        tenancy::org as business,
    },
    ops::demo_seed,
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, insert_row, q},
        error::{Error, Result},
        id::{AccountId, CustomerId, OrgId},
        live::{self, Topic},
    },
};

/// What an erasure would take, and what it would leave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ErasurePreview {
    pub customer_id: CustomerId,
    /// The name to type.
    pub name: String,
    pub requests: i64,
    pub messages: i64,
    pub photos_and_files: i64,
    /// Papers whose numbers, lines and sums stay without the name.
    pub papers: i64,
    pub payments: i64,
    /// Why it cannot be asked for now, in the language asked for.
    pub blocked_by: Option<&'static str>,
    /// The code of `blockedBy`.
    pub blocked_reason: Option<ConflictCode>,
    /// The one that waits.
    pub waiting: Option<CustomerErasure>,
    /// Whether the one that waits has begun: it can no longer be undone.
    pub has_begun: bool,
    /// When it was done.
    pub erased_at: Option<DateTime<Utc>>,
    /// Records that name the same phone or email: each is erased by itself.
    pub other_records: Vec<CustomerDuplicate>,
}

/// Errors: [`Error::NotFound`] without such a customer.
pub async fn preview_erasure(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    language: Language,
) -> Result<ErasurePreview> {
    let customer = customer::resolve_merged(&mut *conn, org, customer).await?;
    let sql = "SELECT c.name,
        (SELECT COUNT(*) FROM lead l WHERE l.org_id = $1 AND l.customer_id = $2),
        (SELECT COUNT(*) FROM message m WHERE m.org_id = $1 AND m.customer_id = $2),
        (SELECT COUNT(*) FROM photo p JOIN lead l ON l.org_id = p.org_id AND l.id = p.lead_id
            WHERE p.org_id = $1 AND l.customer_id = $2)
        + (SELECT COUNT(*) FROM photo_upload u JOIN lead l ON l.org_id = u.org_id AND l.id = u.lead_id
            WHERE u.org_id = $1 AND l.customer_id = $2)
        + (SELECT COUNT(*) FROM file f JOIN lead l ON l.org_id = f.org_id AND l.id = f.lead_id
            WHERE f.org_id = $1 AND f.removed_at IS NULL AND l.customer_id = $2),
        (SELECT COUNT(*) FROM estimate e JOIN lead l ON l.org_id = e.org_id AND l.id = e.lead_id
            WHERE e.org_id = $1 AND l.customer_id = $2)
        + (SELECT COUNT(*) FROM invoice i JOIN lead l ON l.org_id = i.org_id AND l.id = i.lead_id
            WHERE i.org_id = $1 AND l.customer_id = $2),
        (SELECT COUNT(*) FROM payment p JOIN lead l ON l.org_id = p.org_id AND l.id = p.lead_id
            WHERE p.org_id = $1 AND l.customer_id = $2)
        FROM customer c WHERE c.org_id = $1 AND c.id = $2";
    let row = q!(&mut *conn, fetch_optional as (String, i64, i64, i64, i64, i64), sql, org, customer)?;
    let (name, requests, messages, photos_and_files, papers, payments) = row.ok_or(Error::NotFound)?;
    let erased_at = find_erased_at(&mut *conn, org, customer).await?;
    let waiting = find_pending_erasure(&mut *conn, org, customer).await?;
    let has_begun = match &waiting {
        Some(erasure) => find_begun(&mut *conn, org, erasure.customer_id).await?,
        None => false,
    };
    let other_records = find_contact_duplicates(&mut *conn, org, customer).await?;
    let blocked_reason = match &waiting {
        // Nothing forbids it any more.
        Some(_) if has_begun => None,
        Some(erasure) => find_due_blocker(conn, erasure).await?,
        None => blocking_reason(conn, org, customer).await?,
    };
    Ok(ErasurePreview {
        customer_id: customer,
        name,
        requests,
        messages,
        photos_and_files,
        papers,
        payments,
        // These codes have no placeholders.
        blocked_by: blocked_reason.map(|why| why.template_in(language)),
        blocked_reason,
        waiting,
        has_begun,
        erased_at,
        other_records,
    })
}

async fn find_erased_at(conn: &mut dyn AsConn, org: OrgId, customer: CustomerId) -> Result<Option<DateTime<Utc>>> {
    let sql = "SELECT MAX(ended_at) FROM erasure WHERE org_id = $1 AND customer_id = $2 AND state = 'done'";
    Ok(q!(conn, fetch_one scalar Option<DateTime<Utc>>, sql, org, customer)?)
}

/// What every screen says that shows the customer; None while no erasure waits and none was done.
pub async fn find_erasure_status(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
) -> Result<Option<CustomerErasureStatus>> {
    let customer = customer::resolve_merged(&mut *conn, org, customer).await?;
    let Some(waiting) = find_pending_erasure(&mut *conn, org, customer).await? else {
        let erased_at = find_erased_at(conn, org, customer).await?;
        return Ok(erased_at.map(|at| CustomerErasureStatus {
            due_at: None,
            has_begun: true,
            is_blocked: false,
            erased_at: Some(at),
        }));
    };
    let has_begun = find_begun(&mut *conn, org, waiting.customer_id).await?;
    let is_blocked = !has_begun && find_due_blocker(conn, &waiting).await?.is_some();
    Ok(Some(CustomerErasureStatus { due_at: Some(waiting.due_at), has_begun, is_blocked, erased_at: None }))
}

/// Whether the one that waits for this very record has begun (`super::mark_begun`).
async fn find_begun(conn: &mut dyn AsConn, org: OrgId, customer: CustomerId) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM erasure
        WHERE org_id = $1 AND customer_id = $2 AND state = 'waiting' AND ended_at IS NOT NULL)";
    Ok(q!(conn, fetch_one scalar bool, sql, org, customer)?)
}

/// The one that waits for this record, or for one that an older version merged into it.
pub async fn find_pending_erasure(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
) -> Result<Option<CustomerErasure>> {
    for record in list_customer_records(&mut *conn, org, customer).await? {
        let waiting = find_record_erasure(&mut *conn, org, record).await?;
        if waiting.is_some() {
            return Ok(waiting);
        }
    }
    Ok(None)
}

/// The one that waits for this very record.
pub(crate) async fn find_record_erasure(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
) -> Result<Option<CustomerErasure>> {
    let sql = "SELECT org_id, id, customer_id, asked_at, due_at FROM erasure
        WHERE org_id = $1 AND customer_id = $2 AND state = 'waiting'";
    Ok(q!(conn, fetch_optional as CustomerErasure, sql, org, customer)?)
}

/// Reason for not erasing now: scheduled work, owed money, or a refund whose outcome is open.
async fn blocking_reason(conn: &mut dyn AsConn, org: OrgId, customer: CustomerId) -> Result<Option<ConflictCode>> {
    let sql = "SELECT EXISTS (SELECT 1 FROM job j JOIN lead l ON l.org_id = j.org_id AND l.id = j.lead_id
        WHERE j.org_id = $1 AND l.customer_id = $2 AND j.status IN ('scheduled', 'in_progress'))";
    if q!(&mut *conn, fetch_one scalar bool, sql, org, customer)? {
        return Ok(Some(ConflictCode::ErasureBlockedByJob));
    }
    let sql = "SELECT EXISTS (SELECT 1 FROM invoice i JOIN lead l ON l.org_id = i.org_id AND l.id = i.lead_id
        WHERE i.org_id = $1 AND l.customer_id = $2 AND i.status IN ('preparing', 'open'))";
    if q!(&mut *conn, fetch_one scalar bool, sql, org, customer)? {
        return Ok(Some(ConflictCode::ErasureBlockedByInvoice));
    }
    let sql = "SELECT EXISTS (SELECT 1 FROM payment p WHERE p.org_id = $1 AND p.customer_id = $2
        AND p.status IN ('pending', 'unknown') AND p.undone_at IS NULL)";
    if q!(conn, fetch_one scalar bool, sql, org, customer)? {
        return Ok(Some(ConflictCode::ErasureBlockedByRefund));
    }
    Ok(None)
}

/// The same while it waits and at the due time, and what the person did since it was asked for. A record that was merged
/// since by an older version holds nothing of its own, and what it had belongs to another record that nobody asked to
/// erase.
pub(super) async fn find_due_blocker(conn: &mut dyn AsConn, erasure: &CustomerErasure) -> Result<Option<ConflictCode>> {
    let (org, customer) = (erasure.org_id, erasure.customer_id);
    let sql = "SELECT EXISTS (SELECT 1 FROM customer WHERE org_id = $1 AND id = $2 AND merged_into IS NOT NULL)";
    if q!(&mut *conn, fetch_one scalar bool, sql, org, customer)? {
        return Ok(Some(ConflictCode::RecordMerged));
    }
    if let Some(why) = blocking_reason(&mut *conn, org, customer).await? {
        return Ok(Some(why));
    }
    let activity = find_activity_since_asked(conn, erasure).await?;
    Ok(activity.map(|_| ConflictCode::ErasureBlockedByActivity))
}

/// `typed` is the customer's name, to confirm the right person. Asked again, it begins anew where only what they did since
/// postpones the one that waits.
/// Errors: [`Error::Invalid`] on `name` when another name was typed; [`Error::Conflict`] while work or money is open,
/// or one waits.
pub async fn request_erasure(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    customer: CustomerId,
    typed: &str,
    by: Option<AccountId>,
) -> Result<CustomerErasure> {
    demo_seed::ensure_not_demo(org)?;
    tx.guard_writable(org);
    // A merge holds the same lock: neither overlooks the other.
    business::lock(&mut *tx, org).await?;
    let outlook = preview_erasure(&mut *tx, org, customer, Language::En).await?;
    if typed.trim() != outlook.name.trim() {
        let mut errors = crate::platform::error::FieldErrors::default();
        errors.add("name", "Type the name exactly as it is shown here");
        return Err(Error::Invalid(errors));
    }
    if let Some(waiting) = outlook.waiting {
        return match outlook.blocked_reason {
            Some(ConflictCode::ErasureBlockedByActivity) => renew_request(tx, origin, &waiting, by).await,
            _ => Err(ConflictCode::ErasureWaiting.into_error()),
        };
    }
    if let Some(why) = outlook.blocked_reason {
        return Err(why.into());
    }
    let now = origin.now();
    let erasure = CustomerErasure {
        org_id: org,
        id: origin.uuid_v7(),
        customer_id: outlook.customer_id,
        asked_at: now,
        due_at: now + GRACE,
    };
    insert_row!(
        &mut *tx,
        execute,
        erasure {
            org_id: org,
            id: erasure.id,
            customer_id: erasure.customer_id,
            asked_at: erasure.asked_at,
            account_id: by,
            due_at: erasure.due_at,
            state: "waiting",
            rows: 0_i64,
            files: 0_i64,
        }
    )?;
    live::publish_event(tx, origin, org, Topic::Customer, customer.0, None).await?;
    Ok(erasure)
}

/// The owner knows what the person did since, and erases them all the same: the days to undo begin again.
async fn renew_request(
    tx: &mut Tx,
    origin: &ClockRng,
    waiting: &CustomerErasure,
    by: Option<AccountId>,
) -> Result<CustomerErasure> {
    let now = origin.now();
    let renewed = CustomerErasure { asked_at: now, due_at: now + GRACE, ..*waiting };
    let sql = "UPDATE erasure SET asked_at = $3, due_at = $4, account_id = $5
        WHERE org_id = $1 AND id = $2 AND state = 'waiting' AND ended_at IS NULL";
    if q!(&mut *tx, execute, sql, waiting.org_id, waiting.id, renewed.asked_at, renewed.due_at, by)? == 0 {
        // It began meanwhile.
        return Err(ConflictCode::ErasureWaiting.into_error());
    }
    postponement::withdraw_notices(&mut *tx, waiting, now).await?;
    live::publish_event(tx, origin, waiting.org_id, Topic::Customer, waiting.customer_id.0, None).await?;
    Ok(renewed)
}

/// Undoes also those of records that an older version merged into this one.
/// Errors: [`Error::NotFound`] when none waits, [`Error::Conflict`] when one has begun: a part of the data is gone.
pub async fn cancel_erasure(tx: &mut Tx, origin: &ClockRng, org: OrgId, customer: CustomerId) -> Result<()> {
    tx.guard_writable(org);
    let customer = customer::resolve_merged(&mut *tx, org, customer).await?;
    let sql = "UPDATE erasure SET state = 'undone', ended_at = $3
        WHERE org_id = $1 AND customer_id = $2 AND state = 'waiting' AND ended_at IS NULL
        RETURNING org_id, id, customer_id, asked_at, due_at";
    let mut is_undone = false;
    for record in list_customer_records(&mut *tx, org, customer).await? {
        let undone = q!(&mut *tx, fetch_optional as CustomerErasure, sql, org, record, origin.now())?;
        if let Some(undone) = undone {
            postponement::withdraw_notices(&mut *tx, &undone, origin.now()).await?;
            is_undone = true;
        } else if find_begun(&mut *tx, org, record).await? {
            // Asked after the statement: it may have waited for the begin.
            return Err(ConflictCode::ErasureBegun.into_error());
        }
    }
    if !is_undone {
        return Err(Error::NotFound);
    }
    live::publish_event(tx, origin, org, Topic::Customer, customer.0, None).await
}
