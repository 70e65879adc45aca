//! Stripe Connect: the Standard account that a business connected to the platform of this install
//! (docs/card-payments.md).
//!
//! The account is made by us for one business and written down with it, so no id of an account is ever taken from a
//! link. It is used once an owner of that business has come back with a state parameter that was made for them
//! ([`come_back`]) and Stripe says that it takes payments ([`note`]). A webhook names nothing but the account; it only says
//! where to look.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Duration, Utc};
use sqlx::FromRow;
use uuid::Uuid;

use crate::{
    domain::tenancy::session,
    platform::{
        clock::Origin,
        db::{AsConn, Tx, q, qb},
        error::{Error, Result},
        id::{AccountId, OrgId},
        tasks::{self, NewTask},
    },
    providers::payments::{Connected, Keys, connect::Account},
};

mod event;
mod note;
mod view;

pub use event::{is_about_account, take};
pub use note::note;
pub use view::{Connection, ConnectionState, shown};

/// When an account is looked at again after its owner went to Stripe, should no webhook come.
const LOOKS: [Duration; 5] =
    [Duration::minutes(10), Duration::hours(1), Duration::hours(6), Duration::days(1), Duration::days(3)];

/// How long the way back from Stripe is open: it asks for more than a password.
const STATE_LIFE: Duration = Duration::hours(1);

/// Why a connection is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::Type)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
pub enum EndedBy {
    /// An owner disconnected it here.
    Owner,
    /// An owner pasted keys instead.
    Keys,
    /// Stripe says that this install has no access any more.
    Stripe,
}

/// One connection of a business.
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
    pub confirmed_at: Option<DateTime<Utc>>,
    pub ended_at: Option<DateTime<Utc>>,
    pub ended_by: Option<EndedBy>,
}

const COLUMNS: &str =
    "org_id, id, account, livemode, charges_enabled, details_submitted, requirements_due, confirmed_at,
    ended_at, ended_by";

impl ConnectedAccount {
    /// The idempotency key under which the account is made: one connection, one account.
    #[must_use]
    pub fn key(&self) -> String {
        format!("connect:{}", self.id)
    }

    /// How the account is reached; none before Stripe has named it.
    #[must_use]
    pub fn keys(&self) -> Option<Keys> {
        let id = self.account.clone()?;
        Some(Keys::connected(Connected { id, is_live: self.livemode }))
    }

    /// Whether these keys are this connection's.
    #[must_use]
    pub fn is_in_force(&self, keys: Option<&Keys>) -> bool {
        let connected = keys.and_then(|keys| keys.connected.as_ref());
        connected.is_some_and(|one| Some(&one.id) == self.account.as_ref() && one.is_live == self.livemode)
    }
}

/// The connection that a business has or has begun; none when it was never begun, or is over.
///
/// # Errors
/// When the database is away.
pub async fn current(conn: &mut dyn AsConn, org: OrgId) -> Result<Option<ConnectedAccount>> {
    Ok(qb!(conn, fetch_optional as ConnectedAccount, |b| {
        b.push("SELECT ").push(COLUMNS).push(" FROM connected_account WHERE org_id = ").push_bind(org);
        b.push(" AND ended_at IS NULL");
    })?)
}

/// The connection with the account, whosever it is and whether it is over: all that a webhook says.
///
/// # Errors
/// When the database is away.
pub async fn by_account(conn: &mut dyn AsConn, account: &str) -> Result<Option<ConnectedAccount>> {
    Ok(qb!(conn, fetch_optional as ConnectedAccount, |b| {
        b.push("SELECT ").push(COLUMNS).push(" FROM connected_account WHERE account = ").push_bind(account);
    })?)
}

/// Writes down that a business begins to connect, or finds the connection that it has begun. One that an owner ended is
/// taken up again: its account at Stripe is still the business's. The business is to be held ([`crate::domain::tenancy::org::lock`]).
///
/// # Errors
/// When the database is away.
pub async fn begin(tx: &mut Tx, origin: &Origin, org: OrgId, is_live: bool) -> Result<ConnectedAccount> {
    tx.guard_writable(org);
    if let Some(found) = current(&mut *tx, org).await? {
        if found.livemode == is_live {
            return Ok(found);
        }
        // The platform has keys of Stripe's other mode now; this account is none of theirs.
        finish(&mut *tx, origin, &found, EndedBy::Owner).await?;
    }
    let again = "UPDATE connected_account SET ended_at = NULL, ended_by = NULL, confirmed_at = NULL, state_hash = NULL,
             state_account_id = NULL, state_expires_at = NULL
         WHERE org_id = $1 AND id = (SELECT a.id FROM connected_account a WHERE a.org_id = $1 AND a.livemode = $2
             AND a.account IS NOT NULL AND a.ended_by IN ('owner', 'keys')
             ORDER BY a.ended_at DESC, a.id LIMIT 1)";
    if q!(&mut *tx, execute, again, org, is_live)? == 0 {
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
    current(tx, org).await?.ok_or_else(|| Error::Internal("a connection to Stripe is gone".into()))
}

/// Stripe has made the account. False when the connection ended meanwhile.
///
/// # Errors
/// When the database is away.
pub async fn made(tx: &mut Tx, origin: &Origin, connection: &ConnectedAccount, account: &Account) -> Result<bool> {
    let sql = "UPDATE connected_account SET account = $3
         WHERE org_id = $1 AND id = $2 AND ended_at IS NULL AND (account IS NULL OR account = $3)";
    if q!(&mut *tx, execute, sql, connection.org_id, connection.id, &account.id)? == 0 {
        return Ok(false);
    }
    let at = |(n, after): (usize, &Duration)| NewTask {
        run_at: origin.now() + *after,
        ..look(origin, connection.org_id, &format!("{}:{n}", connection.id))
    };
    tasks::enqueue(tx, origin, LOOKS.iter().enumerate().map(at).collect()).await?;
    Ok(true)
}

/// Stripe would certainly not make the account, or has stored a failure for the key: the next try is another connection
/// with a key of its own.
///
/// # Errors
/// When the database is away.
pub async fn not_made(tx: &mut Tx, connection: &ConnectedAccount) -> Result<()> {
    let sql = "DELETE FROM connected_account WHERE org_id = $1 AND id = $2 AND account IS NULL";
    q!(tx, execute, sql, connection.org_id, connection.id)?;
    Ok(())
}

/// Makes the state parameter of a person's way back from Stripe: 256 bits, of which only the SHA-256 is kept. The one
/// before it is no longer good.
///
/// # Errors
/// When the database is away.
pub async fn open_way_back(tx: &mut Tx, origin: &Origin, org: OrgId, person: AccountId) -> Result<String> {
    let state = URL_SAFE_NO_PAD.encode(origin.entropy.bytes::<32>());
    let sql = "UPDATE connected_account SET state_hash = $2, state_account_id = $3, state_expires_at = $4
         WHERE org_id = $1 AND ended_at IS NULL";
    q!(tx, execute, sql, org, session::hash(&state), person, origin.now() + STATE_LIFE)?;
    Ok(state)
}

/// Uses up the state parameter of this person's way back: from now on the account may be used. False when it is another
/// person's or business's, was used, or is too old.
///
/// # Errors
/// When the database is away.
pub async fn come_back(tx: &mut Tx, origin: &Origin, org: OrgId, person: AccountId, state: &str) -> Result<bool> {
    let sql = "UPDATE connected_account SET confirmed_at = COALESCE(confirmed_at, $4), state_hash = NULL,
             state_account_id = NULL, state_expires_at = NULL
         WHERE org_id = $1 AND ended_at IS NULL AND account IS NOT NULL AND state_hash = $2 AND state_account_id = $3
             AND state_expires_at > $4";
    Ok(q!(tx, execute, sql, org, session::hash(state), person, origin.now())? == 1)
}

/// An owner who has proved who they are goes on with an account that Stripe is done with: from now on it may be used.
///
/// # Errors
/// When the database is away.
pub async fn confirm(tx: &mut Tx, origin: &Origin, org: OrgId) -> Result<()> {
    let sql = "UPDATE connected_account SET confirmed_at = COALESCE(confirmed_at, $2)
         WHERE org_id = $1 AND ended_at IS NULL AND account IS NOT NULL";
    q!(tx, execute, sql, org, origin.now())?;
    Ok(())
}

/// Ends the connection of a business, if it has one. Its keys are to be taken away by whoever calls this
/// ([`crate::domain::money::checkout::change_account`]).
///
/// # Errors
/// When the database is away.
pub async fn end(tx: &mut Tx, origin: &Origin, org: OrgId, by: EndedBy) -> Result<bool> {
    let Some(found) = current(&mut *tx, org).await? else { return Ok(false) };
    finish(tx, origin, &found, by).await?;
    Ok(true)
}

async fn finish(tx: &mut Tx, origin: &Origin, connection: &ConnectedAccount, by: EndedBy) -> Result<()> {
    let sql = "UPDATE connected_account SET ended_at = $3, ended_by = $4 WHERE org_id = $1 AND id = $2";
    q!(tx, execute, sql, connection.org_id, connection.id, origin.now(), by)?;
    Ok(())
}

/// A look at how the account of a business stands, now.
#[must_use]
pub fn look(origin: &Origin, org: OrgId, why: &str) -> NewTask {
    NewTask {
        org: Some(org),
        kind: tasks::Kind::CheckAccount,
        subject: Some(org.0),
        run_at: origin.now(),
        unique_key: format!("connected:{org}:{why}"),
    }
}

/// Stripe refused the account where it was used: a look finds out whether it was disconnected there. One look for each
/// minute is enough.
///
/// # Errors
/// When the database is away.
pub async fn look_soon(tx: &mut Tx, origin: &Origin, org: OrgId) -> Result<()> {
    let why = format!("refused:{}", origin.now().timestamp() / 60);
    tasks::enqueue(tx, origin, vec![look(origin, org, &why)]).await.map(|_| ())
}

/// Whether customers may be sent to a page of this account now. Keys that were pasted always may; a connected account
/// may not while Stripe takes no payments for it.
///
/// # Errors
/// When the database is away.
pub async fn takes_payments(conn: &mut dyn AsConn, org: OrgId, keys: &Keys) -> Result<bool> {
    let Some(connected) = &keys.connected else { return Ok(true) };
    let sql = "SELECT EXISTS (SELECT 1 FROM connected_account WHERE org_id = $1 AND account = $2 AND ended_at IS NULL
         AND charges_enabled = TRUE)";
    Ok(q!(conn, fetch_one scalar bool, sql, org, &connected.id)?)
}
