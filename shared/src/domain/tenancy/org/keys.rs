//! A business's provider keys: encrypted with the install's secret, so that a database copy reveals none, and never
//! shown after entry.

use chrono::{DateTime, Duration, Utc};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    domain::tenancy::provider_callbacks::CallbackEndpoint,
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, q},
        encryption::renewal::{self, Reencryption, ReencryptionCount},
        error::{Error, FieldErrors, Result},
        id::OrgId,
        secret::SecretKey,
    },
    providers::payments::{ConnectedStripeAccount, StripeCredentials, UNNAMED_ACCOUNT_PREFIX, WebhookSecret},
};

pub(crate) const STRIPE: &str = "stripe";
pub(crate) const PURPOSE: &str = "key of a business";
/// Signing secrets kept per endpoint: the current and the previous one.
const MOST_SECRETS: usize = 2;
/// Validity of the previous one: as long as Stripe signs with both after a roll (docs.stripe.com/webhooks, "Roll
/// endpoint signing secrets").
const ROLLED_FOR: Duration = Duration::hours(24);
const LONGEST: usize = 255;

/// A business's keys at Stripe
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = StripeKeys)]
pub struct StripeForm {
    /// `sk_live_…` or a restricted `rk_live_…`. The one that is in place when absent.
    #[schema(value_type = Option<String>)]
    pub secret_key: Option<SecretString>,
    /// `whsec_…` of the endpoint. The one before it ends after 24 hours, and at once with another `secretKey` alone.
    #[schema(value_type = Option<String>)]
    pub webhook_secret: Option<SecretString>,
}

#[derive(Serialize, Deserialize)]
struct SealedStripeKeys {
    secret: String,
    /// `acct_…`, if Stripe returned it.
    #[serde(default)]
    account: Option<String>,
    /// The Stripe Connect account; none with own keys.
    #[serde(default)]
    connected: Option<SealedConnected>,
    webhook: Vec<SealedSigning>,
}

#[derive(Serialize, Deserialize)]
struct SealedConnected {
    id: String,
    is_live: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum SealedSigning {
    /// Format of earlier versions: newest first, without an end.
    Bare(String),
    Dated {
        secret: String,
        #[serde(default)]
        until: Option<DateTime<Utc>>,
    },
}

impl SealedSigning {
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

/// Path of the Stripe webhook for a business: its own, or the shared one for connected accounts.
#[must_use]
pub fn webhook_path(org: OrgId, keys: Option<&StripeCredentials>) -> String {
    let of = if keys.is_some_and(|keys| keys.connected.is_some()) {
        CallbackEndpoint::Connected
    } else {
        CallbackEndpoint::Payments
    };
    of.path((of == CallbackEndpoint::Payments).then_some(org))
}

/// The current keys; none when there are none, or when they were encrypted with another secret and must be re-entered.
pub async fn load_stripe_keys(
    conn: &mut dyn AsConn,
    secret: &SecretKey,
    org: OrgId,
) -> Result<Option<StripeCredentials>> {
    load_sealed_keys(conn, secret, org, STRIPE).await
}

/// The keys of the account that holds a payment or page: the current ones, or former ones replaced within a day. None
/// when that account is no longer reachable. Without `account` the current ones.
pub async fn load_stripe_keys_for_account(
    conn: &mut dyn AsConn,
    secret: &SecretKey,
    org: OrgId,
    account: Option<&str>,
) -> Result<Option<StripeCredentials>> {
    let in_force = load_stripe_keys(&mut *conn, secret, org).await?;
    let Some(account) = account else { return Ok(in_force) };
    if in_force.as_ref().is_some_and(|keys| keys.account_key() == account) {
        return Ok(in_force);
    }
    if let Some(former) = load_sealed_keys(conn, secret, org, &former_key_name(account)).await? {
        return Ok(Some(former));
    }
    // A rolled key may belong to the same account if Stripe did not name it: Stripe's answer decides.
    Ok(in_force.filter(|keys| keys.own_account.is_none() || account.starts_with(UNNAMED_ACCOUNT_PREFIX)))
}

/// When the account of a payment was replaced, while its keys are still stored; none otherwise.
pub async fn replaced_since(
    conn: &mut dyn AsConn,
    secret: &SecretKey,
    org: OrgId,
    account: Option<&str>,
) -> Result<Option<DateTime<Utc>>> {
    let Some(account) = account else { return Ok(None) };
    if load_stripe_keys(&mut *conn, secret, org).await?.is_some_and(|keys| keys.account_key() == account) {
        return Ok(None);
    }
    let sql = "SELECT updated_at FROM org_secret WHERE org_id = $1 AND name = $2";
    Ok(q!(conn, fetch_optional scalar DateTime<Utc>, sql, org, former_key_name(account))?)
}

/// Name of a former account's keys, stored until its pages are closed.
fn former_key_name(account: &str) -> String {
    format!("{STRIPE}:{account}")
}

async fn load_sealed_keys(
    conn: &mut dyn AsConn,
    secret: &SecretKey,
    org: OrgId,
    name: &str,
) -> Result<Option<StripeCredentials>> {
    let sql = "SELECT sealed, updated_at FROM org_secret WHERE org_id = $1 AND name = $2";
    let found = q!(conn, fetch_optional as (Vec<u8>, DateTime<Utc>), sql, org, name)?;
    let Some((sealed, since)) = found else { return Ok(None) };
    let opened = secret.decrypt_bytes(PURPOSE, &[org.0.as_bytes(), name.as_bytes()], &sealed);
    let Some(read) = opened.and_then(|bytes| serde_json::from_slice::<SealedStripeKeys>(&bytes).ok()) else {
        tracing::warn!(%org, "the keys at Stripe cannot be opened: SECRET_KEY is another than when they were entered");
        return Ok(None);
    };
    if let Some(SealedConnected { id, is_live }) = read.connected {
        return Ok(Some(StripeCredentials::for_connected_account(ConnectedStripeAccount { id, is_live })));
    }
    let webhook = read.webhook.into_iter().enumerate().map(|(place, one)| one.into_signing(place, since)).collect();
    Ok(Some(StripeCredentials {
        own_account: read.account,
        ..StripeCredentials::with_own_secret(SecretString::from(read.secret), webhook)
    }))
}

impl StripeForm {
    /// The new keys; `old` are the current ones. A replaced signing secret expires after a day. A new secret key may be
    /// of another account: then a replaced signing secret expires at once unless both change.
    pub fn validate_keys(&self, old: Option<StripeCredentials>, now: DateTime<Utc>) -> Result<StripeCredentials> {
        // Pasted keys take over nothing from a connected account.
        let old = old.filter(|old| old.connected.is_none());
        let mut errors = FieldErrors::default();
        let typed = |field: &Option<SecretString>| {
            field.as_ref().map(|text| text.expose_secret().trim().to_owned()).filter(|text| !text.is_empty())
        };
        let secret = match (typed(&self.secret_key), &old) {
            (Some(key), _) if is_valid_key(&key, &["sk_live_", "sk_test_", "rk_live_", "rk_test_"]) => {
                SecretString::from(key)
            }
            (None, Some(old)) => old.secret.clone(),
            _ => {
                errors.add("secretKey", "Please paste the secret key: it begins with sk_ or rk_");
                SecretString::default()
            }
        };
        let has_moved = old.as_ref().is_some_and(|old| old.secret.expose_secret() != secret.expose_secret());
        let own_account = old.as_ref().filter(|_| !has_moved).and_then(|old| old.own_account.clone());
        let mut webhook = old.map(|old| old.webhook).unwrap_or_default();
        webhook.retain(|known| known.is_valid_at(now));
        match typed(&self.webhook_secret) {
            Some(new) if is_valid_key(&new, &["whsec_"]) => rotate_signing_secret(&mut webhook, new, now),
            Some(_) => errors.add("webhookSecret", "Please paste the signing secret: it begins with whsec_"),
            None if has_moved => webhook.retain(|known| known.until.is_none()),
            None => {}
        }
        errors.into_result()?;
        Ok(StripeCredentials { own_account, ..StripeCredentials::with_own_secret(secret, webhook) })
    }
}

/// Activates a signing secret; the previous one is valid for another day.
fn rotate_signing_secret(webhook: &mut Vec<WebhookSecret>, new: String, now: DateTime<Utc>) {
    webhook.retain(|known| known.secret.expose_secret() != new);
    for before in webhook.iter_mut() {
        before.until.get_or_insert(now + ROLLED_FOR);
    }
    webhook.insert(0, WebhookSecret::without_expiry(SecretString::from(new)));
    webhook.truncate(MOST_SECRETS);
}

fn is_valid_key(text: &str, kinds: &[&str]) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_long = |kind: &&str| text.strip_prefix(*kind).is_some_and(|rest| rest.len() >= 8);
    text.len() <= LONGEST && text.chars().all(fits) && kinds.iter().any(is_long)
}

pub async fn store_stripe_keys(
    tx: &mut Tx,
    origin: &ClockRng,
    secret: &SecretKey,
    org: OrgId,
    keys: &StripeCredentials,
) -> Result<()> {
    store_sealed_keys(tx, origin, secret, org, (STRIPE, keys)).await
}

/// Stores a replaced account's keys so that its open pages can be closed.
pub(crate) async fn store_former_keys(
    tx: &mut Tx,
    origin: &ClockRng,
    secret: &SecretKey,
    org: OrgId,
    keys: &StripeCredentials,
) -> Result<()> {
    store_sealed_keys(tx, origin, secret, org, (&former_key_name(&keys.account_key()), keys)).await
}

/// Deletes the keys of former accounts whose last page has expired.
pub async fn prune_former_keys(tx: &mut Tx, before: DateTime<Utc>) -> Result<()> {
    q!(tx, execute, "DELETE FROM org_secret WHERE name LIKE 'stripe:%' AND updated_at < $1", before)?;
    Ok(())
}

async fn store_sealed_keys(
    tx: &mut Tx,
    origin: &ClockRng,
    secret: &SecretKey,
    org: OrgId,
    (name, keys): (&str, &StripeCredentials),
) -> Result<()> {
    let plain = SealedStripeKeys {
        secret: keys.secret.expose_secret().to_owned(),
        account: keys.own_account.clone(),
        connected: keys.connected.as_ref().map(|one| SealedConnected { id: one.id.clone(), is_live: one.is_live }),
        webhook: keys.webhook.iter().map(SealedSigning::from_signing).collect(),
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
    origin: &ClockRng,
    ring: &SecretKey,
    org: OrgId,
) -> Result<ReencryptionCount> {
    let mut count = ReencryptionCount::default();
    let sql = "SELECT name, sealed FROM org_secret WHERE org_id = $1 ORDER BY name";
    for (name, sealed) in q!(&mut *tx, fetch_all as (String, Vec<u8>), sql, org)? {
        let of: [&[u8]; 2] = [org.0.as_bytes(), name.as_bytes()];
        let renewed = renewal::reencrypt_bytes(ring, &origin.entropy, (PURPOSE, &of), &sealed);
        count.record_result(&renewed);
        if let Reencryption::Reencrypted(new) = renewed {
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

/// Records whether Stripe accepts the keys. A connected account uses the operator's key, so it is skipped.
pub async fn record_key_acceptance(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    keys: &StripeCredentials,
    is_taken: bool,
) -> Result<()> {
    if keys.connected.is_some() {
        return Ok(());
    }
    if is_taken {
        let sql = "UPDATE org_secret SET refused_at = NULL
             WHERE org_id = $1 AND hint = $2 AND refused_at IS NOT NULL";
        q!(tx, execute, sql, org, keys.masked_key())?;
    } else {
        let sql = "UPDATE org_secret SET refused_at = $3 WHERE org_id = $1 AND hint = $2 AND refused_at IS NULL";
        q!(tx, execute, sql, org, keys.masked_key(), origin.now())?;
    }
    Ok(())
}

pub async fn refused_at(conn: &mut dyn AsConn, org: OrgId) -> Result<Option<DateTime<Utc>>> {
    let sql = "SELECT refused_at FROM org_secret WHERE org_id = $1 AND name = $2";
    Ok(q!(conn, fetch_optional scalar Option<DateTime<Utc>>, sql, org, STRIPE)?.flatten())
}

pub async fn last_event_at(conn: &mut dyn AsConn, org: OrgId) -> Result<Option<DateTime<Utc>>> {
    let sql = "SELECT received_at FROM stripe_event WHERE org_id = $1 ORDER BY received_at DESC LIMIT 1";
    Ok(q!(conn, fetch_optional scalar DateTime<Utc>, sql, org)?)
}

pub async fn delete_stripe_keys(tx: &mut Tx, org: OrgId) -> Result<bool> {
    let sql = "DELETE FROM org_secret WHERE org_id = $1 AND name = $2";
    Ok(q!(tx, execute, sql, org, STRIPE)? > 0)
}

pub(crate) async fn delete_all_keys(tx: &mut Tx, org: OrgId) -> Result<()> {
    q!(tx, execute, "DELETE FROM org_secret WHERE org_id = $1", org)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(key: &str, webhook: &str) -> StripeForm {
        let typed = |text: &str| (!text.is_empty()).then(|| SecretString::from(text.to_owned()));
        StripeForm { secret_key: typed(key), webhook_secret: typed(webhook) }
    }

    fn at(hour: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + Duration::hours(hour)
    }

    fn fields(form: &StripeForm) -> Vec<&'static str> {
        match form.validate_keys(None, at(0)) {
            Err(Error::Invalid(errors)) => errors.into_messages().into_iter().map(|(field, _)| field).collect(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn malformed_stripe_keys_are_refused() {
        for key in ["", "pk_live_51AbCdEfGh", "sk_live_", "sk_live_51 AbCdEfGh", "sk_live_51AbCdÉf", "whsec_12345678"]
        {
            assert_eq!(fields(&form(key, "")), ["secretKey"], "{key}");
        }
        assert_eq!(fields(&form("sk_live_51AbCdEfGh", "sk_live_51AbCdEfGh")), ["webhookSecret"]);
        assert_eq!(form(" sk_live_51AbCdEfGh\n", "").validate_keys(None, at(0)).unwrap().masked_key(), "sk_live_…EfGh");
    }

    #[test]
    fn webhook_secret_rollover_keeps_old_and_new_secret() {
        let mut keys = form("sk_live_51AbCdEfGh", "whsec_11111111").validate_keys(None, at(0)).unwrap();
        for (new, known) in [("whsec_22222222", 2), ("whsec_22222222", 2), ("whsec_33333333", 2)] {
            keys = form("", new).validate_keys(Some(keys), at(1)).unwrap();
            assert_eq!((keys.webhook[0].secret.expose_secret(), keys.webhook.len()), (new, known));
        }
        assert_eq!(keys.masked_key(), "sk_live_…EfGh");
    }

    #[test]
    fn previous_webhook_secret_expires_one_day_after_it_was_replaced() {
        let mut keys = form("sk_live_51AbCdEfGh", "whsec_11111111").validate_keys(None, at(0)).unwrap();
        for hour in [1, 5, 20] {
            keys = form("", "whsec_22222222").validate_keys(Some(keys), at(hour)).unwrap();
            assert_eq!((keys.webhook[0].until, keys.webhook[1].until), (None, Some(at(25))), "hour {hour}");
        }
        assert_eq!((keys.valid_webhook_secrets(at(24)).len(), keys.valid_webhook_secrets(at(25)).len()), (2, 1));
        let back = form("", "whsec_11111111").validate_keys(Some(keys.clone()), at(2)).unwrap();
        assert_eq!(back.webhook[0].until, None, "the one before is in force again");
        assert_eq!(back.webhook[1].until, Some(at(26)));
        let late = form("", "").validate_keys(Some(keys), at(30)).unwrap();
        assert_eq!(late.webhook.len(), 1, "what has ended is forgotten");
    }

    #[test]
    fn key_of_another_account_drops_previous_webhook_secret() {
        let rolled = || {
            let keys = form("sk_live_51AbCdEfGh", "whsec_11111111").validate_keys(None, at(0)).unwrap();
            form("", "whsec_22222222").validate_keys(Some(keys), at(1)).unwrap()
        };
        let moved = form("sk_live_51OtherAccount", "").validate_keys(Some(rolled()), at(2)).unwrap();
        assert_eq!((moved.webhook.len(), moved.webhook[0].secret.expose_secret()), (1, "whsec_22222222"));
        let same = form("sk_live_51AbCdEfGh", "").validate_keys(Some(rolled()), at(2)).unwrap();
        assert_eq!(same.webhook.len(), 2, "the same key once more changes nothing");
    }

    #[test]
    fn previous_secret_stored_in_old_format_gets_an_expiry() {
        let old = r#"{"secret":"sk_live_51AbCdEfGh","webhook":["whsec_22222222","whsec_11111111"]}"#;
        let read: SealedStripeKeys = serde_json::from_str(old).unwrap();
        let opened: Vec<_> = read.webhook.into_iter().enumerate().map(|(n, one)| one.into_signing(n, at(3))).collect();
        assert_eq!((opened[0].until, opened[1].until), (None, Some(at(27))));
        let webhook = opened.iter().map(SealedSigning::from_signing).collect();
        let kept = SealedStripeKeys { secret: String::new(), account: None, connected: None, webhook };
        let again: SealedStripeKeys = serde_json::from_str(&serde_json::to_string(&kept).unwrap()).unwrap();
        let until: Vec<_> =
            again.webhook.into_iter().enumerate().map(|(n, one)| one.into_signing(n, at(9)).until).collect();
        assert_eq!(until, [None, Some(at(27))]);
    }
}
