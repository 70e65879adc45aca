//! Visits that are booked or changed in a customer's name by somebody who has not shown to be the customer: who typed
//! their phone or email into the form, or who acts at the page that the form was answered with. Anybody can do both,
//! so only so many a day are booked at once, their messages have limits of their own (`message::gate`), and the business
//! hears of them once in an hour.

use chrono::{DateTime, Duration, Utc};

use crate::{
    domain::{
        intake::lead::Intake,
        messaging::alert::{self, NewAlert},
    },
    platform::{
        access_link::Link,
        db::{AsConn, Tx, q},
        error::Result,
        id::{CustomerId, JobId, OrgId},
    },
};

/// So many visits of one customer are booked at once within a day, whatever becomes of them.
pub(crate) const MOST_A_DAY: i64 = 3;
const A_DAY: Duration = Duration::hours(24);

/// How many visits of this customer were booked or changed so within a day.
pub(crate) async fn in_a_day(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    now: DateTime<Utc>,
) -> Result<i64> {
    let sql = "SELECT COUNT(*) FROM job WHERE org_id = $1 AND customer_id = $2 AND unproven_at > $3";
    Ok(q!(conn, fetch_one scalar i64, sql, org, customer, now - A_DAY)?)
}

/// Notes that this visit was booked or changed so, and tells the business.
pub(super) async fn happened(tx: &mut Tx, house: &Intake<'_>, job: JobId, told: NewAlert) -> Result<()> {
    let sql = "UPDATE job SET unproven_at = $3 WHERE org_id = $1 AND id = $2 RETURNING customer_id";
    let (org, now) = (house.profile.org.id, house.origin.now());
    let customer = q!(&mut *tx, fetch_one scalar CustomerId, sql, org, job, now)?;
    tell(tx, house, ("visit", customer), told).await
}

/// The same where the visit was changed at its page: by who was sent the link it is the customer's, and told by itself.
pub(crate) async fn changed(tx: &mut Tx, house: &Intake<'_>, link: &Link, told: NewAlert) -> Result<()> {
    if link.is_of_form() {
        return happened(tx, house, JobId(link.subject_id), told).await;
    }
    alert::raise(tx, house.origin, house.profile, told).await.map(|_| ())
}

/// Tells the business once in an hour of what is done so in this customer's name. What comes after stands in the same
/// alert.
pub(crate) async fn tell(
    tx: &mut Tx,
    house: &Intake<'_>,
    (what, customer): (&str, CustomerId),
    told: NewAlert,
) -> Result<()> {
    let hour = house.origin.now().timestamp().div_euclid(3_600);
    let told = NewAlert { dedupe_key: format!("unproven:{what}:{customer}:{hour}"), ..told };
    alert::raise_or_renew(tx, house.origin, house.profile, told).await
}

/// The customer answered at the link that was sent to them: the visit is theirs.
pub(crate) async fn proven(tx: &mut Tx, org: OrgId, job: JobId) -> Result<()> {
    let sql = "UPDATE job SET unproven_at = NULL WHERE org_id = $1 AND id = $2 AND unproven_at IS NOT NULL";
    q!(tx, execute, sql, org, job)?;
    Ok(())
}
