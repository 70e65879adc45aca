//! A business's keys to its own accounts elsewhere: sealed with the install's secret, so a copy of the database opens
//! none of them, and never shown again once they are in.

use chrono::{DateTime, Duration, Utc};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    domain::{
        money::{
            connected_account::{self, Connection},
            reconciliation::Reconciled,
        },
        tenancy::provider_callbacks::Address,
    },
    platform::{
        clock::Origin,
        db::{AsConn, Tx, q},
        encryption::renewal::{self, Count, Renewed},
        error::{Error, FieldErrors, Result},
        id::OrgId,
        secret::SecretKey,
    },
    providers::payments::{Connected, Keys, Signing, UNNAMED},
};

pub(crate) const STRIPE: &str = "stripe";
pub(crate) const PURPOSE: &str = "key of a business";
/// The secrets of an endpoint that are kept at once: the one in force, and the one before it.
const MOST_SECRETS: usize = 2;
/// How long the one before is still believed: as long as Stripe signs with both after its secret was rolled
/// (docs.stripe.com/webhooks, "Roll endpoint signing secrets").
const ROLLED_FOR: Duration = Duration::hours(24);
const LONGEST: usize = 255;

/// Whether a business takes cards.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CardPayments)]
pub struct Cards {
    pub is_set_up: bool,
    /// `sk_live_…4242`, or `acct_…` of a connected account.
    pub hint: Option<String>,
    /// What is paid with it is not real money.
    pub is_test: bool,
    /// Since when Stripe refuses the key; null while it takes it.
    pub key_refused_at: Option<DateTime<Utc>>,
    /// Where Stripe is to tell us of payments.
    pub webhook_url: String,
    /// Whether what comes there can be believed. Without it, what became of a payment is asked for every few minutes.
    pub has_webhook_secret: bool,
    /// When Stripe last told us something there that could be believed.
    pub last_event_at: Option<DateTime<Utc>>,
    /// How the books stand beside Stripe's; null before the first look.
    pub reconciliation: Option<Reconciled>,
    /// How the business's account stands that it connected instead of pasting keys.
    pub connect: Connection,
}

/// A business's keys at Stripe, as typed.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StripeForm {
    /// `sk_live_…` or a restricted `rk_live_…`; the one that is in place when absent.
    pub secret_key: Option<SecretString>,
    /// `whsec_…` of the endpoint.
    pub webhook_secret: Option<SecretString>,
}

#[derive(Serialize, Deserialize)]
struct Sealed {
    secret: String,
    /// `acct_…`, where Stripe said it.
    #[serde(default)]
    account: Option<String>,
    /// The account of Stripe Connect; none with keys of one's own.
    #[serde(default)]
    connected: Option<SealedConnected>,
    webhook: Vec<SealedSigning>,
}

#[derive(Serialize, Deserialize)]
struct SealedConnected {
    id: String,
    is_live: bool,
}

/// A signing secret as it lies in the database.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum SealedSigning {
    /// As earlier versions kept them, the newest first and without an end.
    Bare(String),
    Dated {
        secret: String,
        #[serde(default)]
        until: Option<DateTime<Utc>>,
    },
}

impl SealedSigning {
    /// `place` counts from the newest; `since` is when it was put there.
    fn open(self, place: usize, since: DateTime<Utc>) -> Signing {
        let (secret, until) = match self {
            Self::Bare(secret) => (secret, (place > 0).then(|| since + ROLLED_FOR)),
            Self::Dated { secret, until } => (secret, until),
        };
        Signing { secret: SecretString::from(secret), until }
    }

    fn of(one: &Signing) -> Self {
        Self::Dated { secret: one.secret.expose_secret().to_owned(), until: one.until }
    }
}

/// The address where Stripe's news of a business's payments come, below our public address: its own, or that of all
/// connected accounts.
#[must_use]
pub fn webhook_path(org: OrgId, keys: Option<&Keys>) -> String {
    let of = if keys.is_some_and(|keys| keys.connected.is_some()) { Address::Connected } else { Address::Payments };
    of.path((of == Address::Payments).then_some(org))
}

/// The keys of a business; none when it has none, or they were sealed with another secret and must be entered again.
pub async fn stripe(conn: &mut dyn AsConn, secret: &SecretKey, org: OrgId) -> Result<Option<Keys>> {
    sealed_as(conn, secret, org, STRIPE).await
}

/// The keys with which pages for payments are opened now: those in force, unless Stripe takes no payments for them.
///
/// # Errors
/// When the database is away.
pub async fn for_new_pages(conn: &mut dyn AsConn, secret: &SecretKey, org: OrgId) -> Result<Option<Keys>> {
    let Some(keys) = stripe(&mut *conn, secret, org).await? else { return Ok(None) };
    Ok(connected_account::takes_payments(conn, org, &keys).await?.then_some(keys))
}

/// The keys of the account that holds a payment or a page of a business: those in force, or those that were in force
/// until a day ago. None when the account is not reached any more. Without a name the account in force is meant.
pub async fn stripe_of(
    conn: &mut dyn AsConn,
    secret: &SecretKey,
    org: OrgId,
    account: Option<&str>,
) -> Result<Option<Keys>> {
    let in_force = stripe(&mut *conn, secret, org).await?;
    let Some(account) = account else { return Ok(in_force) };
    if in_force.as_ref().is_some_and(|keys| keys.account() == account) {
        return Ok(in_force);
    }
    if let Some(former) = sealed_as(conn, secret, org, &former(account)).await? {
        return Ok(Some(former));
    }
    // A key that was rolled may be of the same account, where Stripe did not name it: it says itself what it knows.
    Ok(in_force.filter(|keys| keys.own_account.is_none() || account.starts_with(UNNAMED)))
}

/// Since when the account that holds a payment is not in force any more, while its keys are still kept; none otherwise.
///
/// # Errors
/// When the database is away.
pub async fn former_since(
    conn: &mut dyn AsConn,
    secret: &SecretKey,
    org: OrgId,
    account: Option<&str>,
) -> Result<Option<DateTime<Utc>>> {
    let Some(account) = account else { return Ok(None) };
    if stripe(&mut *conn, secret, org).await?.is_some_and(|keys| keys.account() == account) {
        return Ok(None);
    }
    let sql = "SELECT updated_at FROM org_secret WHERE org_id = $1 AND name = $2";
    Ok(q!(conn, fetch_optional scalar DateTime<Utc>, sql, org, former(account))?)
}

/// Under which name the keys of a former account are kept until its pages are closed.
fn former(account: &str) -> String {
    format!("{STRIPE}:{account}")
}

async fn sealed_as(conn: &mut dyn AsConn, secret: &SecretKey, org: OrgId, name: &str) -> Result<Option<Keys>> {
    let sql = "SELECT sealed, updated_at FROM org_secret WHERE org_id = $1 AND name = $2";
    let found = q!(conn, fetch_optional as (Vec<u8>, DateTime<Utc>), sql, org, name)?;
    let Some((sealed, since)) = found else { return Ok(None) };
    let opened = secret.open(PURPOSE, &[org.0.as_bytes(), name.as_bytes()], &sealed);
    let Some(read) = opened.and_then(|bytes| serde_json::from_slice::<Sealed>(&bytes).ok()) else {
        tracing::warn!(%org, "the keys at Stripe cannot be opened: SECRET_KEY is another than when they were entered");
        return Ok(None);
    };
    if let Some(SealedConnected { id, is_live }) = read.connected {
        return Ok(Some(Keys::connected(Connected { id, is_live })));
    }
    let webhook = read.webhook.into_iter().enumerate().map(|(place, one)| one.open(place, since)).collect();
    Ok(Some(Keys { own_account: read.account, ..Keys::own(SecretString::from(read.secret), webhook) }))
}

impl StripeForm {
    /// The keys as they are to be from now on. `old` are those in place. A signing secret that is replaced ends a day
    /// later; with another secret key, which may be another account's, it ends at once unless the change is of both.
    ///
    /// # Errors
    /// [`Error::Invalid`], naming the field that does not fit.
    pub fn read(&self, old: Option<Keys>, now: DateTime<Utc>) -> Result<Keys> {
        // Nothing of a connected account becomes part of keys that are pasted.
        let old = old.filter(|old| old.connected.is_none());
        let mut errors = FieldErrors::default();
        let typed = |field: &Option<SecretString>| {
            field.as_ref().map(|text| text.expose_secret().trim().to_owned()).filter(|text| !text.is_empty())
        };
        let secret = match (typed(&self.secret_key), &old) {
            (Some(key), _) if is_key(&key, &["sk_live_", "sk_test_", "rk_live_", "rk_test_"]) => {
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
        webhook.retain(|known| known.is_good(now));
        match typed(&self.webhook_secret) {
            Some(new) if is_key(&new, &["whsec_"]) => replace(&mut webhook, new, now),
            Some(_) => errors.add("webhookSecret", "Please paste the signing secret: it begins with whsec_"),
            None if has_moved => webhook.retain(|known| known.until.is_none()),
            None => {}
        }
        errors.finish()?;
        Ok(Keys { own_account, ..Keys::own(secret, webhook) })
    }
}

/// Puts a signing secret in force; the one that was has a day left.
fn replace(webhook: &mut Vec<Signing>, new: String, now: DateTime<Utc>) {
    webhook.retain(|known| known.secret.expose_secret() != new);
    for before in webhook.iter_mut() {
        before.until.get_or_insert(now + ROLLED_FOR);
    }
    webhook.insert(0, Signing::in_force(SecretString::from(new)));
    webhook.truncate(MOST_SECRETS);
}

fn is_key(text: &str, kinds: &[&str]) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_long = |kind: &&str| text.strip_prefix(*kind).is_some_and(|rest| rest.len() >= 8);
    text.len() <= LONGEST && text.chars().all(fits) && kinds.iter().any(is_long)
}

/// Puts the keys in place.
pub async fn set_stripe(tx: &mut Tx, origin: &Origin, secret: &SecretKey, org: OrgId, keys: &Keys) -> Result<()> {
    seal_as(tx, origin, secret, org, (STRIPE, keys)).await
}

/// Keeps the keys of an account that is not in force any more, so that its open pages can be closed.
pub(crate) async fn keep_former(
    tx: &mut Tx,
    origin: &Origin,
    secret: &SecretKey,
    org: OrgId,
    keys: &Keys,
) -> Result<()> {
    seal_as(tx, origin, secret, org, (&former(&keys.account()), keys)).await
}

/// Forgets the keys of former accounts whose last page has ended.
///
/// # Errors
/// When the database is away.
pub async fn forget_former(tx: &mut Tx, before: DateTime<Utc>) -> Result<()> {
    q!(tx, execute, "DELETE FROM org_secret WHERE name LIKE 'stripe:%' AND updated_at < $1", before)?;
    Ok(())
}

async fn seal_as(
    tx: &mut Tx,
    origin: &Origin,
    secret: &SecretKey,
    org: OrgId,
    (name, keys): (&str, &Keys),
) -> Result<()> {
    let plain = Sealed {
        secret: keys.secret.expose_secret().to_owned(),
        account: keys.own_account.clone(),
        connected: keys.connected.as_ref().map(|one| SealedConnected { id: one.id.clone(), is_live: one.is_live }),
        webhook: keys.webhook.iter().map(SealedSigning::of).collect(),
    };
    let bytes = serde_json::to_vec(&plain).map_err(|e| Error::Internal(format!("keys: {e}")))?;
    let sealed = secret.seal(&origin.entropy, PURPOSE, &[org.0.as_bytes(), name.as_bytes()], &bytes);
    q!(
        tx,
        execute,
        "INSERT INTO org_secret (org_id, name, sealed, hint, updated_at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (org_id, name) DO UPDATE SET sealed = excluded.sealed, hint = excluded.hint,
             updated_at = excluded.updated_at, refused_at = NULL",
        org,
        name,
        sealed,
        keys.hint(),
        origin.now()
    )?;
    Ok(())
}

/// Seals them anew with the key in force.
pub(crate) async fn renew(tx: &mut Tx, origin: &Origin, ring: &SecretKey, org: OrgId) -> Result<Count> {
    let mut count = Count::default();
    let sql = "SELECT name, sealed FROM org_secret WHERE org_id = $1 ORDER BY name";
    for (name, sealed) in q!(&mut *tx, fetch_all as (String, Vec<u8>), sql, org)? {
        let of: [&[u8]; 2] = [org.0.as_bytes(), name.as_bytes()];
        let renewed = renewal::renew(ring, &origin.entropy, (PURPOSE, &of), &sealed);
        count.add(&renewed);
        if let Renewed::Anew(new) = renewed {
            // Keys that were entered meanwhile stay.
            let sql = "UPDATE org_secret SET sealed = $3 WHERE org_id = $1 AND name = $2 AND sealed = $4";
            q!(&mut *tx, execute, sql, org, &name, new, sealed)?;
        }
    }
    Ok(count)
}

/// Whether the ring opens the keys of any business; true where there are none.
pub(crate) async fn open_with(conn: &mut dyn AsConn, ring: &SecretKey) -> Result<bool> {
    let sql = "SELECT org_id, name, sealed FROM org_secret ORDER BY org_id, name";
    let rows = q!(conn, fetch_all as (OrgId, String, Vec<u8>), sql)?;
    let opens = |row: &(OrgId, String, Vec<u8>)| {
        let of: [&[u8]; 2] = [row.0.0.as_bytes(), row.1.as_bytes()];
        ring.open(PURPOSE, &of, &row.2).is_some()
    };
    Ok(rows.is_empty() || rows.iter().any(opens))
}

/// Notes whether Stripe takes the keys, by its answer to a question. The key of a connected account is the operator's.
pub async fn note_taken(tx: &mut Tx, origin: &Origin, org: OrgId, keys: &Keys, is_taken: bool) -> Result<()> {
    if keys.connected.is_some() {
        return Ok(());
    }
    if is_taken {
        let sql = "UPDATE org_secret SET refused_at = NULL
             WHERE org_id = $1 AND hint = $2 AND refused_at IS NOT NULL";
        q!(tx, execute, sql, org, keys.hint())?;
    } else {
        let sql = "UPDATE org_secret SET refused_at = $3 WHERE org_id = $1 AND hint = $2 AND refused_at IS NULL";
        q!(tx, execute, sql, org, keys.hint(), origin.now())?;
    }
    Ok(())
}

/// Since when Stripe refuses the keys in force; none while it takes them.
pub async fn refused_at(conn: &mut dyn AsConn, org: OrgId) -> Result<Option<DateTime<Utc>>> {
    let sql = "SELECT refused_at FROM org_secret WHERE org_id = $1 AND name = $2";
    Ok(q!(conn, fetch_optional scalar Option<DateTime<Utc>>, sql, org, STRIPE)?.flatten())
}

/// When Stripe last told a business's endpoint something that could be believed.
pub async fn last_event_at(conn: &mut dyn AsConn, org: OrgId) -> Result<Option<DateTime<Utc>>> {
    let sql = "SELECT received_at FROM stripe_event WHERE org_id = $1 ORDER BY received_at DESC LIMIT 1";
    Ok(q!(conn, fetch_optional scalar DateTime<Utc>, sql, org)?)
}

/// Forgets the keys. Whether there were any.
pub async fn forget_stripe(tx: &mut Tx, org: OrgId) -> Result<bool> {
    let sql = "DELETE FROM org_secret WHERE org_id = $1 AND name = $2";
    Ok(q!(tx, execute, sql, org, STRIPE)? > 0)
}

impl Cards {
    /// What the settings show. `webhook_url` is the whole address.
    #[must_use]
    pub fn of(keys: Option<&Keys>, webhook_url: String, last_event_at: Option<DateTime<Utc>>) -> Self {
        Self {
            is_set_up: keys.is_some(),
            hint: keys.map(Keys::hint),
            is_test: keys.is_some_and(Keys::is_test),
            key_refused_at: None,
            webhook_url,
            has_webhook_secret: keys.is_some_and(|keys| keys.connected.is_some() || !keys.webhook.is_empty()),
            last_event_at,
            reconciliation: None,
            connect: Connection::default(),
        }
    }
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
        match form.read(None, at(0)) {
            Err(Error::Invalid(errors)) => errors.said().into_iter().map(|(field, _)| field).collect(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn only_what_looks_like_a_key_is_taken() {
        for key in ["", "pk_live_51AbCdEfGh", "sk_live_", "sk_live_51 AbCdEfGh", "sk_live_51AbCdÉf", "whsec_12345678"]
        {
            assert_eq!(fields(&form(key, "")), ["secretKey"], "{key}");
        }
        assert_eq!(fields(&form("sk_live_51AbCdEfGh", "sk_live_51AbCdEfGh")), ["webhookSecret"]);
        assert_eq!(form(" sk_live_51AbCdEfGh\n", "").read(None, at(0)).unwrap().hint(), "sk_live_…EfGh");
    }

    #[test]
    fn while_the_endpoints_secret_is_changed_both_are_known() {
        let mut keys = form("sk_live_51AbCdEfGh", "whsec_11111111").read(None, at(0)).unwrap();
        for (new, known) in [("whsec_22222222", 2), ("whsec_22222222", 2), ("whsec_33333333", 2)] {
            keys = form("", new).read(Some(keys), at(1)).unwrap();
            assert_eq!((keys.webhook[0].secret.expose_secret(), keys.webhook.len()), (new, known));
        }
        assert_eq!(keys.hint(), "sk_live_…EfGh");
    }

    #[test]
    fn the_secret_before_has_a_day_left_however_often_the_form_is_saved() {
        let mut keys = form("sk_live_51AbCdEfGh", "whsec_11111111").read(None, at(0)).unwrap();
        for hour in [1, 5, 20] {
            keys = form("", "whsec_22222222").read(Some(keys), at(hour)).unwrap();
            assert_eq!((keys.webhook[0].until, keys.webhook[1].until), (None, Some(at(25))), "hour {hour}");
        }
        assert_eq!((keys.signing(at(24)).len(), keys.signing(at(25)).len()), (2, 1));
        let back = form("", "whsec_11111111").read(Some(keys.clone()), at(2)).unwrap();
        assert_eq!(back.webhook[0].until, None, "the one before is in force again");
        assert_eq!(back.webhook[1].until, Some(at(26)));
        let late = form("", "").read(Some(keys), at(30)).unwrap();
        assert_eq!(late.webhook.len(), 1, "what has ended is forgotten");
    }

    #[test]
    fn with_another_accounts_key_the_secret_before_is_forgotten() {
        let rolled = || {
            let keys = form("sk_live_51AbCdEfGh", "whsec_11111111").read(None, at(0)).unwrap();
            form("", "whsec_22222222").read(Some(keys), at(1)).unwrap()
        };
        let moved = form("sk_live_51OtherAccount", "").read(Some(rolled()), at(2)).unwrap();
        assert_eq!((moved.webhook.len(), moved.webhook[0].secret.expose_secret()), (1, "whsec_22222222"));
        let same = form("sk_live_51AbCdEfGh", "").read(Some(rolled()), at(2)).unwrap();
        assert_eq!(same.webhook.len(), 2, "the same key once more changes nothing");
    }

    #[test]
    fn what_an_earlier_version_kept_is_read_with_an_end() {
        let old = r#"{"secret":"sk_live_51AbCdEfGh","webhook":["whsec_22222222","whsec_11111111"]}"#;
        let read: Sealed = serde_json::from_str(old).unwrap();
        let opened: Vec<_> = read.webhook.into_iter().enumerate().map(|(n, one)| one.open(n, at(3))).collect();
        assert_eq!((opened[0].until, opened[1].until), (None, Some(at(27))));
        let webhook = opened.iter().map(SealedSigning::of).collect();
        let kept = Sealed { secret: String::new(), account: None, connected: None, webhook };
        let again: Sealed = serde_json::from_str(&serde_json::to_string(&kept).unwrap()).unwrap();
        let until: Vec<_> = again.webhook.into_iter().enumerate().map(|(n, one)| one.open(n, at(9)).until).collect();
        assert_eq!(until, [None, Some(at(27))]);
    }
}
