//! Addresses for messages about one visit. A visit that was booked online is not announced to a phone or an
//! email known only from a form, once another address of the customer is proven: the booking may be a stranger's, with
//! a third person's number. The office has looked at every other visit.

use super::{
    ContactPointKind, CustomerRecipient, is_proven_contact, load_lead_recipient, recipient::ContactExclusionReason,
};
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
    let (phone, email) = (to.phone.clone(), to.email.clone());
    let phone = (ContactPointKind::Phone, phone.as_ref().map(Phone::as_e164));
    let is_phone_proven = is_proven_point(&mut *conn, org, customer, phone).await?;
    let email = (ContactPointKind::Email, email.as_ref().map(EmailAddress::as_str));
    let is_email_proven = is_proven_point(&mut *conn, org, customer, email).await?;
    let mut kept = to.keeping_proven((is_phone_proven, is_email_proven));
    let typed = Some(ContactExclusionReason::OnlyTyped);
    if kept.phone_left_out == typed && is_more_than_typed(&mut *conn, org, customer, phone).await? {
        kept.phone_left_out = Some(ContactExclusionReason::Unconfirmed);
    }
    if kept.email_left_out == typed && is_more_than_typed(conn, org, customer, email).await? {
        kept.email_left_out = Some(ContactExclusionReason::Unconfirmed);
    }
    Ok(kept)
}

/// Whether an unproven address answered, called or texted, or is another record's key.
async fn is_more_than_typed(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    (kind, value): (ContactPointKind, Option<&str>),
) -> Result<bool> {
    Ok(q!(
        conn,
        fetch_one scalar bool,
        "SELECT EXISTS (SELECT 1 FROM customer_key WHERE org_id = $1 AND kind = $3 AND value = $4
                 AND (customer_id <> $2 OR proof <> 'form'))
             OR EXISTS (SELECT 1 FROM message WHERE org_id = $1 AND customer_id = $2 AND direction = 'in'
                 AND from_address = $4)
             OR EXISTS (SELECT 1 FROM call WHERE org_id = $1 AND customer_id = $2 AND from_address = $4)",
        org,
        customer,
        kind,
        value.unwrap_or_default()
    )?)
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
