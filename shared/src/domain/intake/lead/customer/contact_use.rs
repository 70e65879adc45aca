//! Use of a phone or email by its customer: what is filled in, and the number used last.

use chrono::{DateTime, Utc};

use super::update_search_index;
use crate::{
    domain::intake::contact_point::{self, ContactPointKind, ContactPointProof, set_aside::SetAsideContacts},
    platform::{
        db::{AsConn, Tx, q},
        email_address::EmailAddress,
        error::Result,
        id::{CustomerId, OrgId},
        phone::Phone,
    },
};

/// Records the use of a number or address at `at`, with its `proof`: missing fields are filled in, and replies go to
/// the number used last. Another customer's addresses are not taken. A public form ([`ContactPointProof::Form`])
/// changes nothing.
pub(crate) async fn record_contact_use(
    tx: &mut Tx,
    org: OrgId,
    id: CustomerId,
    (phone, email): (Option<&Phone>, Option<&EmailAddress>),
    proof: ContactPointProof,
    at: DateTime<Utc>,
) -> Result<()> {
    if proof == ContactPointProof::Form {
        return Ok(());
    }
    if let Some(phone) = phone {
        contact_point::record_proof(&mut *tx, org, id, (ContactPointKind::Phone, phone.as_e164()), proof, at).await?;
        record_phone_use(tx, org, id, phone, at).await?;
    }
    let Some(email) = email else { return Ok(()) };
    contact_point::record_proof(&mut *tx, org, id, (ContactPointKind::Email, email.as_str()), proof, at).await?;
    let named = q!(
        &mut *tx,
        execute,
        "UPDATE customer SET email = $3 WHERE org_id = $1 AND id = $2 AND email IS NULL AND EXISTS (
             SELECT 1 FROM customer_key k WHERE k.org_id = $1 AND k.kind = 'email' AND k.value = $3 AND k.customer_id = $2)",
        org,
        id,
        email
    )?;
    if named > 0 { update_search_index(tx, org, id).await } else { Ok(()) }
}

/// Messages go to the email that the office or a list names, where the one on the record or on an open request gets none
/// any more.
pub(crate) async fn replace_set_aside_email(
    tx: &mut Tx,
    org: OrgId,
    id: CustomerId,
    email: &EmailAddress,
) -> Result<()> {
    let aside = SetAsideContacts::load_for_customer(&mut *tx, org, id).await?;
    let point = (ContactPointKind::Email, Some(email.as_str()));
    let proof = contact_point::find_proof(&mut *tx, org, id, point).await?;
    if proof.is_none() || aside.has_contact((ContactPointKind::Email, email.as_str())) {
        return Ok(());
    }
    // Lock order: the leads before the customer.
    let requests = "UPDATE lead SET email = $4 WHERE org_id = $1 AND customer_id = $2 AND email = $3
         AND stage IN ('new', 'quoted', 'scheduled')";
    let record = "UPDATE customer SET email = $4 WHERE org_id = $1 AND id = $2 AND email = $3";
    for sql in [requests, record] {
        for (_, value) in aside.contact_points().filter(|(kind, _)| *kind == ContactPointKind::Email) {
            q!(&mut *tx, execute, sql, org, id, value, email)?;
        }
    }
    update_search_index(tx, org, id).await
}

pub(crate) async fn record_phone_use(
    tx: &mut Tx,
    org: OrgId,
    id: CustomerId,
    phone: &Phone,
    at: DateTime<Utc>,
) -> Result<()> {
    let used = q!(
        &mut *tx,
        execute,
        "UPDATE customer_key SET last_used_at = $4 WHERE org_id = $1 AND customer_id = $2 AND kind = 'phone' AND value = $3
             AND proof <> 'answered' AND (last_used_at IS NULL OR last_used_at <= $4)",
        org,
        id,
        phone.as_e164(),
        at
    )?;
    let is_newer =
        "SELECT NOT EXISTS (SELECT 1 FROM customer_key WHERE org_id = $1 AND customer_id = $2 AND kind = 'phone'
         AND value <> $3 AND proof <> 'answered' AND last_used_at > $4)";
    if used == 0 || !q!(&mut *tx, fetch_one scalar bool, is_newer, org, id, phone.as_e164(), at)? {
        return Ok(());
    }
    let shown = phone.format_display();
    let digits: String = shown.chars().filter(char::is_ascii_digit).collect();
    // Lock order: the lead before the customer; otherwise two requests of one person could deadlock.
    q!(
        &mut *tx,
        execute,
        "UPDATE lead SET phone = $4, phone_e164 = $3, search = CASE WHEN search LIKE $5 THEN search ELSE search || $6 END
         WHERE org_id = $1 AND customer_id = $2 AND stage IN ('new', 'quoted', 'scheduled')
             AND (phone_e164 IS NULL OR phone_e164 <> $3)",
        org,
        id,
        phone.as_e164(),
        shown.as_ref(),
        format!("%{digits}%"),
        format!("\n{shown}\n{digits}")
    )?;
    let sql = "UPDATE customer SET phone_e164 = $3 WHERE org_id = $1 AND id = $2 AND (phone_e164 IS NULL OR phone_e164 <> $3)";
    if q!(&mut *tx, execute, sql, org, id, phone.as_e164())? > 0 {
        update_search_index(tx, org, id).await
    } else {
        Ok(())
    }
}

pub(crate) async fn list_other_numbers(
    conn: &mut dyn AsConn,
    org: OrgId,
    id: CustomerId,
    but: Option<&Phone>,
) -> Result<Vec<Phone>> {
    let mut found = q!(
        conn,
        fetch_all as (String, Option<DateTime<Utc>>),
        "SELECT value, last_used_at FROM customer_key WHERE org_id = $1 AND customer_id = $2 AND kind = 'phone'
             AND value <> $3 ORDER BY value",
        org,
        id,
        but.map(Phone::as_e164).unwrap_or_default()
    )?;
    found.sort_by_key(|(_, at)| std::cmp::Reverse(*at));
    // The key of hidden callers is no number.
    Ok(found.iter().filter_map(|(value, _)| Phone::from_e164(value)).collect())
}
