//! Keys at Stripe that the install's secret does not open any more, as after a lost `SECRET_KEY`: customers cannot pay by
//! card until somebody enters them again.

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
        clock::Origin,
        db::{Db, q},
        error::Result,
        id::OrgId,
        secret::SecretKey,
    },
};

/// Where an owner enters them.
const SETTINGS: &str = "/app/settings?tab=money";

/// A business's keys as they are kept: the business, what is sealed, what is shown of them, and since when.
type Kept = (OrgId, Vec<u8>, String, DateTime<Utc>);

/// Tells each business whose keys cannot be opened: once, until others are entered. While the install is frozen nobody is
/// told: a copy may stand beside the install at work.
///
/// # Errors
/// When the database is away.
pub async fn look(db: &Db, origin: &Origin, ring: &SecretKey) -> Result<()> {
    let mut conn = db.read().await?;
    if send_freeze::frozen(&mut conn).await?.is_some() {
        return Ok(());
    }
    let sql = "SELECT org_id, sealed, hint, updated_at FROM org_secret WHERE name = $1 ORDER BY org_id";
    let all = q!(&mut conn, fetch_all as Kept, sql, STRIPE)?;
    drop(conn);
    let is_lost =
        |(org, sealed, ..): &Kept| ring.open(PURPOSE, &[org.0.as_bytes(), STRIPE.as_bytes()], sealed).is_none();
    for (org, _, hint, since) in all.into_iter().filter(is_lost) {
        tell(db, origin, org, (&hint, since)).await?;
    }
    Ok(())
}

async fn tell(db: &Db, origin: &Origin, org: OrgId, (hint, since): (&str, DateTime<Utc>)) -> Result<()> {
    let mut tx = db.begin().await?;
    let Some(found) = org::find(&mut tx, org).await? else { return Ok(()) };
    let profile = org::profile(&mut tx, found).await?;
    let alert = NewAlert {
        path: Some(SETTINGS.to_owned()),
        ..NewAlert::new(
            alert::Kind::CardPayments,
            format!("stripe-keys-lost:{}", since.timestamp_millis()),
            "Customers cannot pay by card".to_owned(),
            body(hint),
        )
    };
    if alert::raise(&mut tx, origin, &profile, alert).await?.is_some() {
        tx.commit().await?;
    }
    Ok(())
}

/// What is to be done. Of a connected account its id is shown, and there is no key to enter.
fn body(hint: &str) -> String {
    let what = if hint.starts_with("acct_") { "Connect Stripe" } else { "Enter the Stripe keys" };
    format!("{what} again in Settings, Money. Pages that are already open can still be paid.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_to_be_done_is_what_was_done_before() {
        assert!(body("sk_live_…4242").starts_with("Enter the Stripe keys again in Settings, Money. "));
        assert!(body("acct_123").starts_with("Connect Stripe again in Settings, Money. "));
    }
}
