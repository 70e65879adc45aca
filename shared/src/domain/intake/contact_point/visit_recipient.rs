//! Addresses for messages about one visit. A visit that was booked online is not announced to a phone or an
//! email known only from a form, once another address of the customer is proven: the booking may be a stranger's, with
//! a third person's number. The office has looked at every other visit.

use super::{ContactPointKind, CustomerRecipient, is_proven_contact, load_lead_recipient};
use crate::platform::{
    db::{AsConn, q},
    email_address::EmailAddress,
    error::Result,
    id::{CustomerId, JobId, LeadId, OrgId},
    phone::Phone,
};

/// As [`load_lead_recipient`], for messages about this visit. A phone that is proven later counts from then on.
pub async fn load_visit_recipient(
    conn: &mut dyn AsConn,
    org: OrgId,
    (lead, job): (LeadId, JobId),
) -> Result<CustomerRecipient> {
    let to = load_lead_recipient(&mut *conn, org, lead).await?;
    let Some(customer) = find_online_booker(&mut *conn, org, job).await? else { return Ok(to) };
    let phone = (ContactPointKind::Phone, to.phone.as_ref().map(Phone::as_e164));
    let phone = is_proven_point(&mut *conn, org, customer, phone).await?;
    let email = (ContactPointKind::Email, to.email.as_ref().map(EmailAddress::as_str));
    let email = is_proven_point(conn, org, customer, email).await?;
    Ok(to.keeping_proven((phone, email)))
}

/// The customer of a visit that was booked online.
async fn find_online_booker(conn: &mut dyn AsConn, org: OrgId, job: JobId) -> Result<Option<CustomerId>> {
    let sql = "SELECT j.customer_id FROM job j WHERE j.org_id = $1 AND j.id = $2 AND EXISTS (SELECT 1 FROM work_event e
         WHERE e.org_id = j.org_id AND e.job_id = j.id AND e.kind = 'booked')";
    Ok(q!(conn, fetch_optional scalar CustomerId, sql, org, job)?)
}

async fn is_proven_point(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    (kind, value): (ContactPointKind, Option<&str>),
) -> Result<bool> {
    match value {
        Some(value) => is_proven_contact(conn, org, customer, (kind, value)).await,
        None => Ok(false),
    }
}
