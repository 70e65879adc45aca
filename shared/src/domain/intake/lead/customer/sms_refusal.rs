//! Numbers that refused texts, until they are tried again.

use chrono::{DateTime, Duration, Utc};

use crate::platform::{
    db::{Tx, q},
    error::Result,
    id::OrgId,
    phone::Phone,
};

/// A number that refused texts is tried again after this time: it may be a mobile number by then (features 17).
const SMS_REFUSAL_TTL: Duration = Duration::days(90);

pub(crate) fn sms_refusal_cutoff(now: DateTime<Utc>) -> DateTime<Utc> {
    now - SMS_REFUSAL_TTL
}

pub(crate) async fn mark_sms_undeliverable(tx: &mut Tx, org: OrgId, phone: &Phone, now: DateTime<Utc>) -> Result<()> {
    q!(
        tx,
        execute,
        "UPDATE customer_key SET sms_undeliverable_since = $3 WHERE org_id = $1 AND kind = 'phone' AND value = $2
             AND (sms_undeliverable_since IS NULL OR sms_undeliverable_since <= $4)",
        org,
        phone.as_e164(),
        now,
        sms_refusal_cutoff(now)
    )?;
    Ok(())
}

pub(crate) async fn clear_sms_undeliverable(tx: &mut Tx, org: OrgId, phone: &Phone) -> Result<()> {
    let sql =
        "UPDATE customer_key SET sms_undeliverable_since = NULL WHERE org_id = $1 AND kind = 'phone' AND value = $2
        AND sms_undeliverable_since IS NOT NULL";
    q!(tx, execute, sql, org, phone.as_e164())?;
    Ok(())
}
