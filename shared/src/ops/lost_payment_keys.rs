//! Stripe keys that the install's secret no longer opens, as after a lost `SECRET_KEY`: customers cannot pay by card
//! until they are entered again.

use chrono::{DateTime, Utc};

use crate::{
    domain::{
        messaging::alert::{self, NewAlert},
        tenancy::org::{
            self,
            keys::{PURPOSE, STRIPE},
        },
    },
    ops::send_freeze,
    platform::{
        clock::ClockRng,
        db::{Db, q},
        error::Result,
        id::OrgId,
        secret::SecretKey,
    },
};

const SETTINGS_PATH: &str = "/app/settings?tab=money";

/// Stored keys: business, sealed value, hint, and since when.
type PaymentKeyRow = (OrgId, Vec<u8>, String, DateTime<Utc>);

/// Tells each business whose keys cannot be opened, once until others are entered. Not while the install is frozen: a
/// copy may run beside the live install.
pub async fn alert_lost_payment_keys(db: &Db, origin: &ClockRng, ring: &SecretKey) -> Result<()> {
    let mut conn = db.acquire_reader().await?;
    if send_freeze::find_freeze(&mut conn).await?.is_some() {
        return Ok(());
    }
    let sql = "SELECT org_id, sealed, hint, updated_at FROM org_secret WHERE name = $1 ORDER BY org_id";
    let all = q!(&mut conn, fetch_all as PaymentKeyRow, sql, STRIPE)?;
    drop(conn);
    let is_lost = |(org, sealed, ..): &PaymentKeyRow| {
        ring.decrypt_bytes(PURPOSE, &[org.0.as_bytes(), STRIPE.as_bytes()], sealed).is_none()
    };
    for (org, _, hint, since) in all.into_iter().filter(is_lost) {
        raise_lost_keys_alert(db, origin, org, (&hint, since)).await?;
    }
    Ok(())
}

async fn raise_lost_keys_alert(
    db: &Db,
    origin: &ClockRng,
    org: OrgId,
    (hint, since): (&str, DateTime<Utc>),
) -> Result<()> {
    let mut tx = db.begin().await?;
    let Some(found) = org::find(&mut tx, org).await? else { return Ok(()) };
    let profile = org::load_profile(&mut tx, found).await?;
    let alert = NewAlert {
        path: Some(SETTINGS_PATH.to_owned()),
        ..NewAlert::new(
            alert::AlertKind::CardPayments,
            format!("stripe-keys-lost:{}", since.timestamp_millis()),
            "Customers cannot pay by card".to_owned(),
            alert_body(hint),
        )
    };
    if alert::raise_alert(&mut tx, origin, &profile, alert).await?.is_some() {
        tx.commit().await?;
    }
    Ok(())
}

/// For a connected account the id is shown, and there is no key to enter.
fn alert_body(hint: &str) -> String {
    let what = if hint.starts_with("acct_") { "Connect Stripe" } else { "Enter the Stripe keys" };
    format!("{what} again in Settings, Card payments. Pages that are already open can still be paid.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lost_key_notice_names_the_setup_step_used_before() {
        assert!(alert_body("sk_live_…4242").starts_with("Enter the Stripe keys again in Settings, Card payments. "));
        assert!(alert_body("acct_123").starts_with("Connect Stripe again in Settings, Card payments. "));
    }
}
