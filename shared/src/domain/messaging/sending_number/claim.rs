//! An owner's proof that a number is theirs: a code that is texted or read to it.
//!
//! The code is derived from the claim's id and the install's key, so it stands in no row and no task. Whoever claims a
//! number must be able to send from it: the caller has asked the provider whether it is in the account.

use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;

use super::{AssignedBy, Kind, changed, holder, insert, reach};
use crate::platform::{
    clock::Origin,
    db::{AsConn, Tx, q},
    error::{Error, Result},
    id::{AccountId, NumberClaimId, OrgId},
    live,
    phone::Phone,
    secret::SecretKey,
    tasks::{self, NewTask},
    throttle,
};

/// How long a code is taken.
const VALID: Duration = Duration::minutes(10);
/// Guesses at one code.
const TRIES: i64 = 5;
/// Codes an hour: of one business, to one number, of the install.
const BY_BUSINESS: i64 = 5;
const TO_NUMBER: i64 = 5;
const BY_INSTALL: i64 = 30;
const PURPOSE: &str = "number claim";

/// How the code reaches the number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = NumberClaimWay)]
pub enum Way {
    Text,
    Call,
}

/// Where a claim stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = NumberClaimState)]
pub enum State {
    /// The code waits to be sent.
    Waiting,
    /// It left, or is just leaving.
    Sent,
    /// No code could be sent.
    Failed,
    /// The number is theirs.
    Used,
    /// A newer claim took its place.
    Replaced,
}

/// The newest claim of a business.
#[derive(Clone, Debug, PartialEq, Eq, FromRow, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = NumberClaim)]
pub struct Claim {
    #[serde(skip)]
    id: NumberClaimId,
    pub number: String,
    pub way: Way,
    pub state: State,
    pub reason: Option<String>,
    /// Wrong codes so far.
    pub tries: i64,
    pub expires_at: DateTime<Utc>,
}

/// A code that is to be sent.
#[derive(Clone, Debug, FromRow)]
pub struct Due {
    pub org_id: OrgId,
    pub number: String,
    pub way: Way,
    pub org_name: String,
}

/// What became of a typed code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Typed {
    /// The number is theirs now.
    Right,
    /// So many guesses are left.
    Wrong(i64),
}

/// Counts somebody who asks for a code. To be committed whatever follows.
///
/// # Errors
/// [`Error::TooMany`].
pub async fn count(tx: &mut Tx, origin: &Origin, secret: &SecretKey, org: OrgId, number: &Phone) -> Result<()> {
    let places = [
        ("number claim", org.to_string(), BY_BUSINESS),
        ("number claimed", number.as_e164().to_owned(), TO_NUMBER),
        ("number claims", "install".to_owned(), BY_INSTALL),
    ];
    for (what, place, limit) in places {
        throttle::count(tx, origin, secret, what, &place, limit).await?;
    }
    Ok(())
}

/// Opens a claim with the task that sends its code. An older one is over. The caller holds the org.
pub async fn begin(
    tx: &mut Tx,
    origin: &Origin,
    (org, account): (OrgId, AccountId),
    number: &Phone,
    way: Way,
) -> Result<Claim> {
    let over = "UPDATE number_claim SET state = 'replaced' WHERE org_id = $1 AND state IN ('waiting', 'sent')";
    q!(&mut *tx, execute, over, org)?;
    let (id, now) = (NumberClaimId(origin.uuid()), origin.now());
    let claim = q!(
        &mut *tx,
        fetch_one as Claim,
        "INSERT INTO number_claim (org_id, id, number, way, account_id, state, tries, created_at, expires_at)
         VALUES ($1, $2, $3, $4, $5, 'waiting', 0, $6, $7) RETURNING id, number, way, state, reason, tries, expires_at",
        org,
        id,
        number.as_e164(),
        way,
        account,
        now,
        now + VALID
    )?;
    let send = NewTask {
        org: Some(org),
        kind: tasks::Kind::SendNumberCode,
        subject: Some(id.0),
        run_at: now,
        unique_key: format!("number_code:{id}"),
    };
    tasks::enqueue(tx, origin, vec![send]).await?;
    changed(tx, origin, org).await?;
    Ok(claim)
}

/// The code of a claim: six digits that only this install can tell.
#[must_use]
pub fn code(secret: &SecretKey, id: NumberClaimId) -> String {
    digits(&secret.tag(PURPOSE, &[id.0.as_bytes()]))
}

fn digits(tag: &[u8]) -> String {
    let number = tag.iter().take(8).fold(0_u64, |sum, byte| (sum << 8) | u64::from(*byte));
    format!("{:06}", number % 1_000_000)
}

/// Whether it is the claim's code by any key of the ring: one that was sent before the key was replaced stays good.
fn is_code(secret: &SecretKey, id: NumberClaimId, typed: &str) -> bool {
    let made = secret.tags(PURPOSE, &[id.0.as_bytes()]);
    made.iter().fold(false, |fits, tag| fits | is_same(digits(tag).as_bytes(), typed.trim().as_bytes()))
}

/// The claim whose code is to be sent, if it still is.
pub async fn due(conn: &mut dyn AsConn, id: NumberClaimId, now: DateTime<Utc>) -> Result<Option<Due>> {
    Ok(q!(
        conn,
        fetch_optional as Due,
        "SELECT c.org_id, c.number, c.way, o.name AS org_name FROM number_claim c JOIN org o ON o.id = c.org_id
         WHERE c.id = $1 AND c.state = 'waiting' AND c.expires_at > $2",
        id,
        now
    )?)
}

/// Its code is about to leave. False when somebody else has sent it. To be committed before the provider is called: a code
/// of which nobody knows whether it left is not sent twice, and the owner asks for another.
pub async fn leaves(tx: &mut Tx, origin: &Origin, org: OrgId, id: NumberClaimId) -> Result<bool> {
    let sql = "UPDATE number_claim SET state = 'sent' WHERE org_id = $1 AND id = $2 AND state = 'waiting'";
    let is_ours = q!(&mut *tx, execute, sql, org, id)? == 1;
    changed(tx, origin, org).await?;
    Ok(is_ours)
}

/// The code could not be sent for this reason.
pub async fn failed(tx: &mut Tx, origin: &Origin, org: OrgId, id: NumberClaimId, why: &str) -> Result<()> {
    let sql = "UPDATE number_claim SET state = 'failed', reason = $3 WHERE org_id = $1 AND id = $2 AND state = 'sent'";
    q!(&mut *tx, execute, sql, org, id, why)?;
    changed(tx, origin, org).await
}

/// The newest claim of the business.
pub async fn newest(conn: &mut dyn AsConn, org: OrgId) -> Result<Option<Claim>> {
    Ok(q!(
        conn,
        fetch_optional as Claim,
        "SELECT id, number, way, state, reason, tries, expires_at FROM number_claim WHERE org_id = $1
         ORDER BY created_at DESC, id DESC LIMIT 1",
        org
    )?)
}

/// Whether a text to this number is a code of ours that proves it: that is for nobody to read. Everything else that comes
/// in there during a claim is a customer's.
pub(super) async fn is_own_code(
    conn: &mut dyn AsConn,
    secret: &SecretKey,
    (number, words): (&str, &str),
    now: DateTime<Utc>,
) -> Result<bool> {
    let Some(first) = words.split_whitespace().next() else { return Ok(false) };
    let sql = "SELECT id FROM number_claim WHERE number = $1 AND state IN ('waiting', 'sent') AND expires_at > $2";
    let open = q!(conn, fetch_all scalar NumberClaimId, sql, number, now)?;
    Ok(open.into_iter().any(|id| is_code(secret, id, first)))
}

/// Looks at a typed code, and makes the number theirs when it is right. The caller holds the org, has a connection that
/// shows all businesses, and commits a wrong guess too.
///
/// # Errors
/// [`Error::Conflict`] when no code is open, its tries are used up, or the number has become another business's.
pub async fn confirm(
    tx: &mut Tx,
    origin: &Origin,
    secret: &SecretKey,
    (org, account): (OrgId, AccountId),
    typed: &str,
) -> Result<Typed> {
    let tried = q!(
        &mut *tx,
        fetch_optional as Claim,
        "UPDATE number_claim SET tries = tries + 1 WHERE org_id = $1 AND state IN ('waiting', 'sent')
             AND expires_at > $2 AND tries < $3 RETURNING id, number, way, state, reason, tries, expires_at",
        org,
        origin.now(),
        TRIES
    )?;
    let claim = tried.ok_or(Error::Conflict("This code is over. Ask for a new one."))?;
    if !is_code(secret, claim.id, typed) {
        return Ok(Typed::Wrong(TRIES - claim.tries));
    }
    reach::hold_sender(&mut *tx, &claim.number).await?;
    if holder(&mut *tx, &claim.number).await?.is_some() {
        return Err(Error::Conflict(TAKEN));
    }
    let used = "UPDATE number_claim SET state = 'used' WHERE org_id = $1 AND id = $2";
    q!(&mut *tx, execute, used, org, claim.id)?;
    insert(tx, origin, (org, &claim.number, Kind::Number), (AssignedBy::Code, Some(account))).await?;
    q!(&mut *tx, execute, "UPDATE org SET sms_number = $2 WHERE id = $1", org, &claim.number)?;
    reach::inherit(tx, origin, &claim.number, org).await?;
    changed(tx, origin, org).await?;
    Ok(Typed::Right)
}

/// Said of a number that is another business's, without saying whose.
pub const TAKEN: &str = "This number is in use by another business on this server.";

/// Takes as long for a wrong code as for a right one.
fn is_same(code: &[u8], typed: &[u8]) -> bool {
    code.len() == typed.len() && code.iter().zip(typed).fold(0, |differs, (a, b)| differs | (a ^ b)) == 0
}

/// Forgets claims that are long over.
pub async fn prune(tx: &mut Tx, now: DateTime<Utc>) -> Result<()> {
    let limit = live::floor(now - Duration::days(30));
    q!(tx, execute, "DELETE FROM number_claim WHERE id < $1", limit)?;
    Ok(())
}
