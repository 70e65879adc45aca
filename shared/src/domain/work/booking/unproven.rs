//! Visits booked or changed in a customer's name by an unproven person: one who typed the phone or email into the form,
//! or acts at the page shown after it. Anyone can do both, so immediate bookings are limited by day, their messages
//! have their own limits (`message::send_policy`), and the business is alerted once an hour.

use chrono::{DateTime, Duration, Utc};

use crate::{
    domain::{
        intake::contact_point,
        messaging::alert::{self, NewAlert},
        tenancy::org::OrgContext,
    },
    platform::{
        access_link::{AccessLink, LinkKind},
        db::{AsConn, Tx, q},
        error::{Error, Result},
        id::{CustomerId, JobId, OrgId},
    },
};

/// Immediate bookings of one customer within a day, including cancelled ones.
pub(crate) const MAX_PER_DAY: i64 = 3;
const A_DAY: Duration = Duration::hours(24);

pub(crate) async fn count_in_last_day(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    now: DateTime<Utc>,
) -> Result<i64> {
    let sql = "SELECT COUNT(*) FROM job WHERE org_id = $1 AND customer_id = $2 AND unproven_at > $3";
    Ok(q!(conn, fetch_one scalar i64, sql, org, customer, now - A_DAY)?)
}

/// Marks the visit as unproven and alerts the business.
pub(super) async fn record_unproven_change(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    job: JobId,
    alert: NewAlert,
) -> Result<()> {
    let sql = "UPDATE job SET unproven_at = $3 WHERE org_id = $1 AND id = $2 RETURNING customer_id";
    let (org, now) = (ctx.profile.org.id, ctx.origin.now());
    let customer = q!(&mut *tx, fetch_one scalar CustomerId, sql, org, job, now)?;
    raise_hourly_alert(tx, ctx, ("visit", customer), alert).await
}

/// The same at the page of the visit. By a link that was sent to the customer the change is theirs, with its own alert.
pub(crate) async fn record_page_change(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    link: &AccessLink,
    alert: NewAlert,
) -> Result<()> {
    if link.is_form_copy() {
        return record_unproven_change(tx, ctx, JobId(link.subject_id), alert).await;
    }
    alert::raise_alert(tx, ctx.origin, ctx.profile, alert).await.map(|_| ())
}

/// Whether the visit may be cancelled or moved behind this link. A form's link changes only a visit that was booked
/// online, because anyone can send a form in the customer's name.
pub(crate) async fn may_change(conn: &mut dyn AsConn, link: &AccessLink) -> Result<bool> {
    if !link.is_form_copy() {
        return Ok(true);
    }
    let sql = "SELECT EXISTS (SELECT 1 FROM work_event WHERE org_id = $1 AND job_id = $2 AND kind = 'booked')";
    Ok(q!(conn, fetch_one scalar bool, sql, link.org_id, link.subject_id)?)
}

/// # Errors
/// `Error::NotFound` where the visit may not be changed behind this link.
pub(crate) async fn check_may_change(conn: &mut dyn AsConn, link: &AccessLink) -> Result<()> {
    if may_change(conn, link).await? { Ok(()) } else { Err(Error::NotFound) }
}

/// One alert an hour per customer; later changes join it.
pub(crate) async fn raise_hourly_alert(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    (what, customer): (&str, CustomerId),
    alert: NewAlert,
) -> Result<()> {
    let hour = ctx.origin.now().timestamp().div_euclid(3_600);
    let alert = NewAlert { dedupe_key: format!("unproven:{what}:{customer}:{hour}"), ..alert };
    alert::raise_or_renew(tx, ctx.origin, ctx.profile, alert).await
}

/// An answer at the link that was sent to the customer proves the visit.
pub async fn mark_visit_proven(tx: &mut Tx, link: &AccessLink) -> Result<()> {
    if link.kind != LinkKind::Visit || contact_point::link_address(link).is_none() {
        return Ok(());
    }
    let (org, job) = (link.org_id, JobId(link.subject_id));
    let sql = "UPDATE job SET unproven_at = NULL WHERE org_id = $1 AND id = $2 AND unproven_at IS NOT NULL";
    q!(tx, execute, sql, org, job)?;
    Ok(())
}
