//! Stripe Connect: the Standard account that a business connected to the platform of this install
//! (docs/card-payments.md).
//!
//! This install creates the account for one business and stores its id, so an account id is never taken from a link. It
//! is used once an owner of the business has returned with their state parameter ([`consume_return_state`]) and Stripe
//! reports that it takes payments (`account_status`). A webhook names only the account, and only triggers a look.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Duration, Utc};
use sqlx::FromRow;
use uuid::Uuid;

use crate::{
    domain::tenancy::{org, session},
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, q, qb},
        error::{Error, Result},
        id::{AccountId, OrgId},
        secret::SecretKey,
        tasks::{self, NewTask},
    },
    providers::payments::{ConnectedStripeAccount, StripeCredentials, connect::StripeAccount},
};

mod account_look;
mod account_status;
mod event;
mod unreachable;
mod view;

pub use account_look::{AccountLook, ReachedAccount, fetch_platform_id, look_at_account};
pub use account_status::apply_account_status;
pub use event::{handle_account_event, is_about_account};
pub use unreachable::{alert_no_access, unreachable_since};
pub use view::{StripeConnection, StripeConnectionState, load_connection};

/// Delays of the looks after the owner went to Stripe, should no webhook come.
const CHECK_DELAYS: [Duration; 5] =
    [Duration::minutes(10), Duration::hours(1), Duration::hours(6), Duration::days(1), Duration::days(3)];

const SETTINGS_PATH: &str = "/app/settings?tab=money";

/// Lifetime of the state parameter. The return needs more than a password.
const STATE_TTL: Duration = Duration::hours(1);

#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::Type)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
pub enum EndedBy {
    Owner,
    Keys,
    /// Stripe says that this install has no access any more.
    Stripe,
}

#[derive(Clone, Debug, FromRow)]
pub struct ConnectedAccount {
    pub org_id: OrgId,
    pub id: Uuid,
    /// `acct_…`; none until Stripe has answered.
    pub account: Option<String>,
    pub livemode: bool,
    pub charges_enabled: bool,
    pub details_submitted: bool,
    pub requirements_due: i64,
    /// Stripe's id of the platform that reaches it; none until Stripe has named it.
    pub platform: Option<String>,
    /// Since when the platform in force does not reach it, while it is in use.
    pub unreachable_at: Option<DateTime<Utc>>,
    pub confirmed_at: Option<DateTime<Utc>>,
    pub ended_at: Option<DateTime<Utc>>,
    pub ended_by: Option<EndedBy>,
}

const COLUMNS: &str =
    "org_id, id, account, livemode, charges_enabled, details_submitted, requirements_due, platform, unreachable_at,
    confirmed_at, ended_at, ended_by";

impl ConnectedAccount {
    /// Idempotency key for creating the account: one connection, one account.
    #[must_use]
    pub fn idempotency_key(&self) -> String {
        format!("connect:{}", self.id)
    }

    /// None before Stripe has named the account.
    #[must_use]
    pub fn stripe_keys(&self) -> Option<StripeCredentials> {
        let id = self.account.clone()?;
        Some(StripeCredentials::for_connected_account(ConnectedStripeAccount { id, is_live: self.livemode }))
    }

    #[must_use]
    pub fn matches_keys(&self, keys: Option<&StripeCredentials>) -> bool {
        let connected = keys.and_then(|keys| keys.connected.as_ref());
        connected.is_some_and(|one| Some(&one.id) == self.account.as_ref() && one.is_live == self.livemode)
    }

    /// Whether it was connected to another platform than this one.
    #[must_use]
    pub fn is_of_other_platform(&self, platform: Option<&str>) -> bool {
        self.platform.as_deref().zip(platform).is_some_and(|(own, other)| own != other)
    }
}

/// None when it was never begun, or is over.
pub async fn find_current(conn: &mut dyn AsConn, org: OrgId) -> Result<Option<ConnectedAccount>> {
    Ok(qb!(conn, fetch_optional as ConnectedAccount, |b| {
        b.push("SELECT ").push(COLUMNS).push(" FROM connected_account WHERE org_id = ").push_bind(org);
        b.push(" AND ended_at IS NULL");
    })?)
}

/// Whether this account, by its name in payments, is connected now. Its business has no key to replace.
pub async fn is_connected(conn: &mut dyn AsConn, org: OrgId, account: Option<&str>) -> Result<bool> {
    let keys = find_current(conn, org).await?.and_then(|found| found.stripe_keys());
    Ok(keys.is_some_and(|keys| account == Some(keys.account_key().as_str())))
}

/// By account alone, in any tenant and also when it is over: a webhook names nothing else.
pub async fn find_by_account(conn: &mut dyn AsConn, account: &str) -> Result<Option<ConnectedAccount>> {
    Ok(qb!(conn, fetch_optional as ConnectedAccount, |b| {
        b.push("SELECT ").push(COLUMNS).push(" FROM connected_account WHERE account = ").push_bind(account);
    })?)
}

/// Begins a connection to the platform in force, or returns the one begun. `platform` is its id, if known. A connection
/// ended by an owner is resumed: its account still belongs to the business. The caller holds the lock of the business
/// ([`crate::domain::tenancy::org::lock`]).
pub async fn begin_connection(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    (is_live, platform): (bool, Option<&str>),
) -> Result<ConnectedAccount> {
    tx.guard_writable(org);
    if let Some(found) = find_current(&mut *tx, org).await? {
        if found.livemode == is_live && !found.is_of_other_platform(platform) {
            return Ok(found);
        }
        // The platform's key is now of Stripe's other mode or of another platform, and does not reach this account.
        mark_ended(&mut *tx, origin, &found, EndedBy::Owner).await?;
    }
    let again = "UPDATE connected_account SET ended_at = NULL, ended_by = NULL, confirmed_at = NULL, state_hash = NULL,
             state_account_id = NULL, state_expires_at = NULL, unreachable_at = NULL
         WHERE org_id = $1 AND id = (SELECT a.id FROM connected_account a WHERE a.org_id = $1 AND a.livemode = $2
             AND a.account IS NOT NULL AND a.ended_by IN ('owner', 'keys') AND (a.platform = $3) IS NOT FALSE
             ORDER BY a.ended_at DESC, a.id LIMIT 1)";
    if q!(&mut *tx, execute, again, org, is_live, platform)? == 0 {
        q!(
            &mut *tx,
            execute,
            "INSERT INTO connected_account (org_id, id, livemode, charges_enabled, details_submitted, requirements_due,
                 created_at)
             VALUES ($1, $2, $3, FALSE, FALSE, 0, $4)",
            org,
            origin.random_uuid(),
            is_live,
            origin.now()
        )?;
    }
    find_current(tx, org).await?.ok_or_else(|| Error::Internal("a connection to Stripe is gone".into()))
}

/// False when the connection ended meanwhile.
pub async fn record_account_created(
    tx: &mut Tx,
    origin: &ClockRng,
    connection: &ConnectedAccount,
    account: &StripeAccount,
) -> Result<bool> {
    let sql = "UPDATE connected_account SET account = $3
         WHERE org_id = $1 AND id = $2 AND ended_at IS NULL AND (account IS NULL OR account = $3)";
    if q!(&mut *tx, execute, sql, connection.org_id, connection.id, &account.id)? == 0 {
        return Ok(false);
    }
    let at = |(n, after): (usize, &Duration)| NewTask {
        run_at: origin.now() + *after,
        ..build_check_task(origin, connection.org_id, &format!("{}:{n}", connection.id))
    };
    tasks::enqueue(tx, origin, CHECK_DELAYS.iter().enumerate().map(at).collect()).await?;
    Ok(true)
}

/// Stripe refused, or stored a failure under the key: the next try is a new connection with a new idempotency key.
pub async fn discard_failed_connection(tx: &mut Tx, connection: &ConnectedAccount) -> Result<()> {
    let sql = "DELETE FROM connected_account WHERE org_id = $1 AND id = $2 AND account IS NULL";
    q!(tx, execute, sql, connection.org_id, connection.id)?;
    Ok(())
}

/// State parameter for a person's return from Stripe: 256 bits, stored only as SHA-256. It invalidates the previous
/// one.
pub async fn create_return_state(tx: &mut Tx, origin: &ClockRng, org: OrgId, person: AccountId) -> Result<String> {
    let state = URL_SAFE_NO_PAD.encode(origin.entropy.random_bytes::<32>());
    let sql = "UPDATE connected_account SET state_hash = $2, state_account_id = $3, state_expires_at = $4
         WHERE org_id = $1 AND ended_at IS NULL";
    q!(tx, execute, sql, org, session::hash_token(&state), person, origin.now() + STATE_TTL)?;
    Ok(state)
}

/// Consumes the state parameter of this person and permits use of the account. False when it is of another person or
/// business, was used, or has expired.
pub async fn consume_return_state(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    person: AccountId,
    state: &str,
) -> Result<bool> {
    let sql = "UPDATE connected_account SET confirmed_at = COALESCE(confirmed_at, $4), state_hash = NULL,
             state_account_id = NULL, state_expires_at = NULL
         WHERE org_id = $1 AND ended_at IS NULL AND account IS NOT NULL AND state_hash = $2 AND state_account_id = $3
             AND state_expires_at > $4";
    Ok(q!(tx, execute, sql, org, session::hash_token(state), person, origin.now())? == 1)
}

/// A re-authenticated owner continues with an account that Stripe has finished with: it may be used from now on.
pub async fn confirm_connection(tx: &mut Tx, origin: &ClockRng, org: OrgId) -> Result<()> {
    let sql = "UPDATE connected_account SET confirmed_at = COALESCE(confirmed_at, $2)
         WHERE org_id = $1 AND ended_at IS NULL AND account IS NOT NULL";
    q!(tx, execute, sql, org, origin.now())?;
    Ok(())
}

/// Ends the connection, if there is one. The caller takes its keys away
/// ([`crate::domain::money::checkout::switch_account`]).
pub async fn end_connection(tx: &mut Tx, origin: &ClockRng, org: OrgId, by: EndedBy) -> Result<bool> {
    let Some(found) = find_current(&mut *tx, org).await? else { return Ok(false) };
    mark_ended(tx, origin, &found, by).await?;
    Ok(true)
}

async fn mark_ended(tx: &mut Tx, origin: &ClockRng, connection: &ConnectedAccount, by: EndedBy) -> Result<()> {
    let sql = "UPDATE connected_account SET ended_at = $3, ended_by = $4 WHERE org_id = $1 AND id = $2";
    q!(tx, execute, sql, connection.org_id, connection.id, origin.now(), by)?;
    Ok(())
}

#[must_use]
pub fn build_check_task(origin: &ClockRng, org: OrgId, why: &str) -> NewTask {
    NewTask {
        org: Some(org),
        kind: tasks::TaskKind::CheckAccount,
        subject: Some(org.0),
        run_at: origin.now(),
        unique_key: format!("connected:{org}:{why}"),
    }
}

/// Stripe refused the account in use: a look finds out whether it was disconnected there. At most one look per minute.
pub async fn enqueue_account_check(tx: &mut Tx, origin: &ClockRng, org: OrgId) -> Result<()> {
    let why = format!("refused:{}", origin.now().timestamp() / 60);
    tasks::enqueue(tx, origin, vec![build_check_task(origin, org, &why)]).await.map(|_| ())
}

/// Whether customers may be sent to a page now: always with pasted keys; with a connected account only while Stripe
/// takes payments for it.
pub async fn can_accept_payments(conn: &mut dyn AsConn, org: OrgId, keys: &StripeCredentials) -> Result<bool> {
    let Some(connected) = &keys.connected else { return Ok(true) };
    let sql = "SELECT EXISTS (SELECT 1 FROM connected_account WHERE org_id = $1 AND account = $2 AND ended_at IS NULL
         AND charges_enabled = TRUE)";
    Ok(q!(conn, fetch_one scalar bool, sql, org, &connected.id)?)
}

/// The keys for new payment pages; none while Stripe accepts no payments for them.
pub async fn load_checkout_keys(
    conn: &mut dyn AsConn,
    secret: &SecretKey,
    org: OrgId,
) -> Result<Option<StripeCredentials>> {
    let Some(keys) = org::load_stripe_keys(&mut *conn, secret, org).await? else { return Ok(None) };
    Ok(can_accept_payments(conn, org, &keys).await?.then_some(keys))
}
