//! Proof by an owner that a number is theirs: a code that is texted or read to it.
//!
//! The code is derived from the claim's id and the install's key, so no row or task contains it. The business must be
//! able to send from the number: the caller has asked the provider whether it is in the account.

use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;

use super::{NumberAssignedBy, SenderKind, announce_settings_change, find_holder, insert_assignment, opt_out_scope};
use crate::{
    conflicts::ConflictCode,
    domain::{
        messaging::{opt_out, texting_registration},
        tenancy::{
            account, org,
            trust_level::{self, TrustLevel},
        },
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, insert_row, q},
        error::Result,
        id::{AccountId, NumberClaimId, OrgId},
        live,
        phone::Phone,
        secret::SecretKey,
        tasks::{self, NewTask},
        throttle::{self, WindowLimit},
    },
};

const VALID: Duration = Duration::minutes(10);
const TRIES: i64 = 5;
/// Codes an hour: of one business, to one number.
const BY_BUSINESS: WindowLimit = WindowLimit::per_hour(5);
const TO_NUMBER: WindowLimit = WindowLimit::per_hour(5);
/// Codes an hour of the install, and those of it that businesses below [`TrustLevel::Trusted`] can use.
const BY_INSTALL: i64 = 30;
const BY_NEW_BUSINESSES: i64 = 20;
/// Numbers that one business asks for, also those refused before a code is sent: the answers tell whether a number is
/// free and in the server's account.
const ASKED_BY_BUSINESS: WindowLimit = WindowLimit::per_hour(20);
const PURPOSE: &str = "number claim";

/// How the code reaches the number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = NumberClaimWay)]
pub enum NumberClaimMethod {
    Text,
    Call,
}

/// State of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum NumberClaimState {
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
pub struct NumberClaim {
    #[serde(skip)]
    id: NumberClaimId,
    pub number: String,
    pub way: NumberClaimMethod,
    pub state: NumberClaimState,
    pub reason: Option<String>,
    /// Wrong codes so far.
    pub tries: i64,
    pub expires_at: DateTime<Utc>,
}

impl NumberClaim {
    /// Whether its code can still be typed.
    #[must_use]
    pub fn is_open(&self, now: DateTime<Utc>) -> bool {
        let is_waiting = matches!(self.state, NumberClaimState::Waiting | NumberClaimState::Sent);
        is_waiting && self.expires_at > now && self.tries < TRIES
    }
}

#[derive(Clone, Debug, FromRow)]
pub struct DueVerificationCode {
    pub org_id: OrgId,
    pub number: Phone,
    pub way: NumberClaimMethod,
    /// Without what could be a link or a phone number.
    pub org_name: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeCheckResult {
    Right,
    /// With the number of guesses left.
    Wrong(i64),
}

/// Counts a question for a number. Commit it before the answer.
///
/// # Errors
/// [`Error::RateLimited`](crate::platform::error::Error::RateLimited).
pub async fn count_claim_attempt(tx: &mut Tx, origin: &ClockRng, secret: &SecretKey, org: OrgId) -> Result<()> {
    throttle::count_action(tx, origin, secret, "number asked", &org.to_string(), ASKED_BY_BUSINESS).await
}

/// Counts a code for a number that may be claimed. Call in the transaction of the claim: a refused claim uses up no code.
///
/// # Errors
/// [`Error::RateLimited`](crate::platform::error::Error::RateLimited).
pub async fn count_code_request(
    tx: &mut Tx,
    origin: &ClockRng,
    secret: &SecretKey,
    org: OrgId,
    number: &Phone,
) -> Result<()> {
    let is_trusted = trust_level::load_trust_level(&mut *tx, org).await? == TrustLevel::Trusted;
    let sql = "SELECT COUNT(*) FROM number_claim WHERE org_id = $1 AND id > $2";
    let earlier = q!(&mut *tx, fetch_one scalar i64, sql, org, live::min_id_at(origin.now() - Duration::hours(1)))?;
    let places = [
        ("number claim", org.to_string(), BY_BUSINESS),
        ("number claimed", number.as_e164().to_owned(), TO_NUMBER),
        ("number claims", "install".to_owned(), WindowLimit::per_hour(install_share(earlier, is_trusted))),
    ];
    for (what, place, limit) in places {
        throttle::count_action(tx, origin, secret, what, &place, limit).await?;
    }
    Ok(())
}

/// Codes an hour of the install up to which a business gets one more after its `earlier` ones of the hour. Each leaves
/// more to the others, so six businesses cannot use up the code of a seventh.
const fn install_share(earlier: i64, is_trusted: bool) -> i64 {
    let most = if is_trusted { BY_INSTALL } else { BY_NEW_BUSINESSES };
    most - earlier * most / 7
}

/// Opens a claim with the task that sends its code, and ends an older one. The caller has locked the org.
pub async fn create_claim(
    tx: &mut Tx,
    origin: &ClockRng,
    (org, account): (OrgId, AccountId),
    number: &Phone,
    way: NumberClaimMethod,
) -> Result<NumberClaim> {
    let over = "UPDATE number_claim SET state = 'replaced' WHERE org_id = $1 AND state IN ('waiting', 'sent')";
    q!(&mut *tx, execute, over, org)?;
    let (id, now) = (NumberClaimId(origin.uuid_v7()), origin.now());
    let claim = insert_row!(
        &mut *tx,
        fetch_one as NumberClaim,
        number_claim {
            org_id: org,
            id,
            number: number.as_e164(),
            way,
            account_id: account,
            state: "waiting",
            tries: 0_i64,
            created_at: now,
            expires_at: now + VALID,
        },
        "RETURNING id, number, way, state, reason, tries, expires_at"
    )?;
    let send = NewTask {
        org: Some(org),
        kind: tasks::TaskKind::SendNumberCode,
        subject: Some(id.0),
        run_at: now,
        unique_key: format!("number_code:{id}"),
    };
    tasks::enqueue(tx, origin, vec![send]).await?;
    announce_settings_change(tx, origin, org).await?;
    Ok(claim)
}

/// Six digits that only this install can compute.
#[must_use]
pub fn verification_code(secret: &SecretKey, id: NumberClaimId) -> String {
    to_six_digits(&secret.mac_tag(PURPOSE, &[id.0.as_bytes()]))
}

fn to_six_digits(tag: &[u8]) -> String {
    let number = tag.iter().take(8).fold(0_u64, |sum, byte| (sum << 8) | u64::from(*byte));
    format!("{:06}", number % 1_000_000)
}

/// Accepts the code of any key of the ring: a code that was sent before the key was replaced stays valid.
fn matches_code(secret: &SecretKey, id: NumberClaimId, typed: &str) -> bool {
    let made = secret.mac_tags(PURPOSE, &[id.0.as_bytes()]);
    made.iter().fold(false, |fits, tag| fits | constant_time_eq(to_six_digits(tag).as_bytes(), typed.trim().as_bytes()))
}

pub async fn find_due_code(
    conn: &mut dyn AsConn,
    id: NumberClaimId,
    now: DateTime<Utc>,
) -> Result<Option<DueVerificationCode>> {
    let due = q!(
        conn,
        fetch_optional as DueVerificationCode,
        "SELECT c.org_id, c.number, c.way, o.name AS org_name FROM number_claim c JOIN org o ON o.id = c.org_id
         WHERE c.id = $1 AND c.state = 'waiting' AND c.expires_at > $2",
        id,
        now
    )?;
    Ok(due.map(|due| DueVerificationCode { org_name: account::safe_business_name(&due.org_name), ..due }))
}

/// The code is about to leave. False when another worker has sent it. Must be committed before the provider is called:
/// a code in doubt is not sent twice, and the owner asks for another.
pub async fn mark_code_sending(tx: &mut Tx, origin: &ClockRng, org: OrgId, id: NumberClaimId) -> Result<bool> {
    let sql = "UPDATE number_claim SET state = 'sent' WHERE org_id = $1 AND id = $2 AND state = 'waiting'";
    let is_ours = q!(&mut *tx, execute, sql, org, id)? == 1;
    announce_settings_change(tx, origin, org).await?;
    Ok(is_ours)
}

pub async fn mark_code_failed(tx: &mut Tx, origin: &ClockRng, org: OrgId, id: NumberClaimId, why: &str) -> Result<()> {
    let sql = "UPDATE number_claim SET state = 'failed', reason = $3 WHERE org_id = $1 AND id = $2 AND state = 'sent'";
    q!(&mut *tx, execute, sql, org, id, why)?;
    announce_settings_change(tx, origin, org).await
}

pub async fn find_newest_claim(conn: &mut dyn AsConn, org: OrgId) -> Result<Option<NumberClaim>> {
    Ok(q!(
        conn,
        fetch_optional as NumberClaim,
        "SELECT id, number, way, state, reason, tries, expires_at FROM number_claim WHERE org_id = $1
         ORDER BY created_at DESC, id DESC LIMIT 1",
        org
    )?)
}

/// A text to this number that is our proof code goes to no business. Any other text there is a customer's.
pub(super) async fn is_verification_text(
    conn: &mut dyn AsConn,
    secret: &SecretKey,
    (number, words): (&str, &str),
    now: DateTime<Utc>,
) -> Result<bool> {
    let Some(first) = words.split_whitespace().next() else { return Ok(false) };
    let sql = "SELECT id FROM number_claim WHERE number = $1 AND state IN ('waiting', 'sent') AND expires_at > $2";
    let open = q!(conn, fetch_all scalar NumberClaimId, sql, number, now)?;
    Ok(open.into_iter().any(|id| matches_code(secret, id, first)))
}

/// Checks a typed code, and assigns the number when it is right. The caller has locked the org, has a connection that
/// sees all businesses, and commits a wrong guess too.
///
/// # Errors
/// `Error::Conflict` when no code is open, its tries are used up, or the number has become another business's.
pub async fn confirm_code(
    tx: &mut Tx,
    origin: &ClockRng,
    secret: &SecretKey,
    (org, account): (OrgId, AccountId),
    typed: &str,
) -> Result<CodeCheckResult> {
    let tried = q!(
        &mut *tx,
        fetch_optional as NumberClaim,
        "UPDATE number_claim SET tries = tries + 1 WHERE org_id = $1 AND state IN ('waiting', 'sent')
             AND expires_at > $2 AND tries < $3 RETURNING id, number, way, state, reason, tries, expires_at",
        org,
        origin.now(),
        TRIES
    )?;
    let claim = tried.ok_or(ConflictCode::NumberCodeOver.into_error())?;
    if !matches_code(secret, claim.id, typed) {
        return Ok(CodeCheckResult::Wrong(TRIES - claim.tries));
    }
    opt_out_scope::lock_sender(&mut *tx, &claim.number).await?;
    if find_holder(&mut *tx, &claim.number).await?.is_some() {
        return Err(ConflictCode::SendingNumberTaken.into_error());
    }
    let used = "UPDATE number_claim SET state = 'used' WHERE org_id = $1 AND id = $2";
    q!(&mut *tx, execute, used, org, claim.id)?;
    let by = NumberAssignedBy::Code;
    insert_assignment(tx, origin, (org, &claim.number, SenderKind::Number), (by, Some(account))).await?;
    let sent_from = org::find(&mut *tx, org).await?.and_then(|found| found.sms_number);
    q!(&mut *tx, execute, "UPDATE org SET sms_number = $2 WHERE id = $1", org, &claim.number)?;
    opt_out::store::inherit_opt_outs(tx, origin, &claim.number, org).await?;
    announce_settings_change(tx, origin, org).await?;
    texting_registration::follow_sending_number(tx, origin, org, sent_from.as_deref(), Some(by)).await?;
    Ok(CodeCheckResult::Right)
}

/// Constant-time comparison.
fn constant_time_eq(code: &[u8], typed: &[u8]) -> bool {
    code.len() == typed.len() && code.iter().zip(typed).fold(0, |differs, (a, b)| differs | (a ^ b)) == 0
}

pub async fn prune_old_claims(tx: &mut Tx, now: DateTime<Utc>) -> Result<()> {
    let limit = live::min_id_at(now - Duration::days(30));
    q!(tx, execute, "DELETE FROM number_claim WHERE id < $1", limit)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_of_seventh_business_is_left_by_six_others() {
        for is_trusted in [true, false] {
            let mut sent = 0;
            let mut earlier = [0_i64; 6];
            // Whatever their order: each takes what it can get.
            for _ in 0..5 {
                for of_one in &mut earlier {
                    if *of_one < 5 && sent < install_share(*of_one, is_trusted) {
                        (sent, *of_one) = (sent + 1, *of_one + 1);
                    }
                }
            }
            assert!(sent < install_share(0, is_trusted), "{sent}");
            assert!((0..5).all(|of_one| of_one < install_share(of_one, is_trusted)), "one alone gets its five");
        }
        assert!(install_share(0, false) < install_share(0, true), "new businesses leave codes to the others");
    }
}
