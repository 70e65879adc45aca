//! Encrypted keys as stored, and their renewal under another secret of the install.

use chrono::{DateTime, Utc};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};

use super::{PURPOSE, ROLLED_FOR};
use crate::{
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, q},
        encryption::renewal::{ReencryptionCount, SecretRenewal},
        error::{Error, Result},
        id::OrgId,
        secret::SecretKey,
    },
    providers::payments::{ConnectedStripeAccount, StripeCredentials, WebhookSecret},
};

#[derive(Serialize, Deserialize)]
struct EncryptedStripeKeys {
    secret: String,
    /// `acct_…`, if Stripe returned it.
    #[serde(default)]
    account: Option<String>,
    /// The Stripe Connect account; none with own keys.
    #[serde(default)]
    connected: Option<EncryptedConnectKeys>,
    webhook: Vec<EncryptedSigningKeys>,
}

#[derive(Serialize, Deserialize)]
struct EncryptedConnectKeys {
    id: String,
    is_live: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum EncryptedSigningKeys {
    /// Format of earlier versions: newest first, without an end.
    Bare(String),
    Dated {
        secret: String,
        #[serde(default)]
        until: Option<DateTime<Utc>>,
    },
}

impl EncryptedSigningKeys {
    /// `place`: 0 is the newest; `since`: when the newest was stored.
    fn into_signing(self, place: usize, since: DateTime<Utc>) -> WebhookSecret {
        let (secret, until) = match self {
            Self::Bare(secret) => (secret, (place > 0).then(|| since + ROLLED_FOR)),
            Self::Dated { secret, until } => (secret, until),
        };
        WebhookSecret { secret: SecretString::from(secret), until }
    }

    fn from_signing(one: &WebhookSecret) -> Self {
        Self::Dated { secret: one.secret.expose_secret().to_owned(), until: one.until }
    }
}

pub(super) async fn load_encrypted_keys(
    conn: &mut dyn AsConn,
    secret: &SecretKey,
    org: OrgId,
    name: &str,
) -> Result<Option<StripeCredentials>> {
    let sql = "SELECT sealed, updated_at FROM org_secret WHERE org_id = $1 AND name = $2";
    let found = q!(conn, fetch_optional as (Vec<u8>, DateTime<Utc>), sql, org, name)?;
    let Some((sealed, since)) = found else { return Ok(None) };
    let opened = secret.decrypt_bytes(PURPOSE, &[org.0.as_bytes(), name.as_bytes()], &sealed);
    let Some(read) = opened.and_then(|bytes| serde_json::from_slice::<EncryptedStripeKeys>(&bytes).ok()) else {
        tracing::warn!(%org, "the keys at Stripe cannot be opened: SECRET_KEY is another than when they were entered");
        return Ok(None);
    };
    if let Some(EncryptedConnectKeys { id, is_live }) = read.connected {
        return Ok(Some(StripeCredentials::for_connected_account(ConnectedStripeAccount { id, is_live })));
    }
    let webhook = read.webhook.into_iter().enumerate().map(|(place, one)| one.into_signing(place, since)).collect();
    Ok(Some(StripeCredentials {
        own_account: read.account,
        ..StripeCredentials::with_own_secret(SecretString::from(read.secret), webhook)
    }))
}

pub(super) async fn store_encrypted_keys(
    tx: &mut Tx,
    origin: &ClockRng,
    secret: &SecretKey,
    org: OrgId,
    (name, keys): (&str, &StripeCredentials),
) -> Result<()> {
    let plain = EncryptedStripeKeys {
        secret: keys.secret.expose_secret().to_owned(),
        account: keys.own_account.clone(),
        connected: keys.connected.as_ref().map(|one| EncryptedConnectKeys { id: one.id.clone(), is_live: one.is_live }),
        webhook: keys.webhook.iter().map(EncryptedSigningKeys::from_signing).collect(),
    };
    let bytes = serde_json::to_vec(&plain).map_err(|e| Error::Internal(format!("keys: {e}")))?;
    let sealed = secret.encrypt_bytes(&origin.entropy, PURPOSE, &[org.0.as_bytes(), name.as_bytes()], &bytes);
    q!(
        tx,
        execute,
        "INSERT INTO org_secret (org_id, name, sealed, hint, updated_at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (org_id, name) DO UPDATE SET sealed = excluded.sealed, hint = excluded.hint,
             updated_at = excluded.updated_at, refused_at = NULL",
        org,
        name,
        sealed,
        keys.masked_key(),
        origin.now()
    )?;
    Ok(())
}

pub(crate) async fn reencrypt_stripe_keys(
    tx: &mut Tx,
    renewal: &SecretRenewal<'_>,
    org: OrgId,
) -> Result<ReencryptionCount> {
    let mut count = ReencryptionCount::default();
    let sql = "SELECT name, sealed FROM org_secret WHERE org_id = $1 ORDER BY name";
    for (name, sealed) in q!(&mut *tx, fetch_all as (String, Vec<u8>), sql, org)? {
        let of: [&[u8]; 2] = [org.0.as_bytes(), name.as_bytes()];
        let renewed = renewal.renew_bytes((PURPOSE, &of), &sealed);
        count.record_result(&renewed);
        if let Some(new) = renewed.into_new_value() {
            // Keys entered meanwhile stay.
            let sql = "UPDATE org_secret SET sealed = $3 WHERE org_id = $1 AND name = $2 AND sealed = $4";
            q!(&mut *tx, execute, sql, org, &name, new, sealed)?;
        }
    }
    Ok(count)
}

/// Whether the ring decrypts any business's keys; true when there are none.
pub(crate) async fn can_decrypt_keys(conn: &mut dyn AsConn, ring: &SecretKey) -> Result<bool> {
    let sql = "SELECT org_id, name, sealed FROM org_secret ORDER BY org_id, name";
    let rows = q!(conn, fetch_all as (OrgId, String, Vec<u8>), sql)?;
    let opens = |row: &(OrgId, String, Vec<u8>)| {
        let of: [&[u8]; 2] = [row.0.0.as_bytes(), row.1.as_bytes()];
        ring.decrypt_bytes(PURPOSE, &of, &row.2).is_some()
    };
    Ok(rows.is_empty() || rows.iter().any(opens))
}

#[cfg(test)]
mod tests {
    use chrono::Duration;

    use super::*;

    fn at(hour: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + Duration::hours(hour)
    }

    #[test]
    fn previous_secret_stored_in_old_format_gets_an_expiry() {
        let old = r#"{"secret":"sk_live_51AbCdEfGh","webhook":["whsec_22222222","whsec_11111111"]}"#;
        let read: EncryptedStripeKeys = serde_json::from_str(old).unwrap();
        let opened: Vec<_> = read.webhook.into_iter().enumerate().map(|(n, one)| one.into_signing(n, at(3))).collect();
        assert_eq!((opened[0].until, opened[1].until), (None, Some(at(27))));
        let webhook = opened.iter().map(EncryptedSigningKeys::from_signing).collect();
        let kept = EncryptedStripeKeys { secret: String::new(), account: None, connected: None, webhook };
        let again: EncryptedStripeKeys = serde_json::from_str(&serde_json::to_string(&kept).unwrap()).unwrap();
        let until: Vec<_> =
            again.webhook.into_iter().enumerate().map(|(n, one)| one.into_signing(n, at(9)).until).collect();
        assert_eq!(until, [None, Some(at(27))]);
    }
}
