//! Emails of confirmed requests: where the phone of a form says yes to the request of that form, the form is that
//! person's, and so is the email typed beside the phone. It stays only typed, and is not set aside by the yes.

use chrono::{DateTime, Utc};

use super::{key_locks::lock_customer_keys, proof_record::set_aside_after_answer, typed_contacts};
use crate::{
    domain::intake::lead::consent,
    platform::{
        db::{Tx, q},
        email_address::EmailAddress,
        error::Result,
        id::{CustomerId, OrgId},
        phone::Phone,
    },
};

/// Call before the text that says yes proves the number: an email that an earlier call or text set aside stays aside,
/// and so does the email of a number that other requests named with another email.
pub(crate) async fn keep_confirmed_emails(
    tx: &mut Tx,
    org: OrgId,
    customer: CustomerId,
    phone: &Phone,
    at: DateTime<Utc>,
) -> Result<()> {
    // Before the email: what follows locks the phone, and others lock the phone first.
    lock_customer_keys(&mut *tx, org, customer, (Some(phone.as_e164()), None)).await?;
    if typed_contacts::is_separate_caller(&mut *tx, org, customer, phone.as_e164()).await? {
        return Ok(());
    }
    let sql = "UPDATE customer_key SET request_confirmed_at = $5 WHERE org_id = $1 AND kind = 'email' AND value = $3
         AND customer_id = $2 AND proof = 'form' AND EXISTS (SELECT 1 FROM customer_key p WHERE p.org_id = $1
             AND p.kind = 'phone' AND p.value = $4 AND p.customer_id = $2 AND p.proof IN ('form', 'link_opened'))
         AND NOT EXISTS (SELECT 1 FROM lead l WHERE l.org_id = $1 AND l.phone_e164 = $4 AND l.email <> $3)";
    for email in consent::list_confirmed_emails(&mut *tx, org, (customer, phone), at).await? {
        q!(&mut *tx, execute, sql, org, customer, &email, phone.as_e164(), at)?;
    }
    Ok(())
}

/// After a text from the customer's number that takes the yes back: their emails that it kept are set aside again and
/// proposed. With `named`, which the text gives as theirs, an email stays where no other one is among them. An email
/// that was confirmed before `since` stays.
pub(crate) async fn withdraw_confirmed_emails(
    tx: &mut Tx,
    org: OrgId,
    customer: CustomerId,
    named: Option<&[EmailAddress]>,
    (since, at): (DateTime<Utc>, DateTime<Utc>),
) -> Result<()> {
    let sql = "UPDATE customer_key SET request_confirmed_at = NULL WHERE org_id = $1 AND customer_id = $2
         AND kind = 'email' AND value <> $3 AND proof = 'form' AND request_confirmed_at >= $4";
    let others: Vec<&str> = named.map_or_else(|| vec![""], |named| named.iter().map(EmailAddress::as_str).collect());
    let mut withdrawn = 0;
    for other in others {
        withdrawn += q!(&mut *tx, execute, sql, org, customer, other, since)?;
    }
    if withdrawn > 0 { set_aside_after_answer(tx, org, customer, at).await } else { Ok(()) }
}
