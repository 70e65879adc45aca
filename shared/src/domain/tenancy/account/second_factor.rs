//! A person's second factor: setting up an authenticator app, the codes it makes, the ten codes for a lost phone, and
//! whether the business wants it of everybody (trust requirement 56).

use secrecy::{ExposeSecret, SecretString};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;

use super::{Account, one_time_token::Purpose, qr::Qr, totp};
use crate::{
    domain::tenancy::org,
    platform::{
        clock::Origin,
        db::{
            AsConn, Tx,
            batch::{Insert, insert, values},
            q,
        },
        encryption::{
            self,
            renewal::{self, Count, Renewed},
            retired,
        },
        error::{Error, FieldErrors, Result},
        id::{AccountId, OrgId},
        secret::SecretKey,
    },
};

mod require;

pub use require::{is_required, is_still_none, require};

const PURPOSE: &str = "second factor";
const RECOVERY: &str = "recovery code";
/// Codes for a lost phone.
const CODES: usize = 10;
/// 80 bits, which base32 writes as 16 characters.
const CODE_BYTES: usize = 10;
const CODE_CHARS: usize = 16;

/// An authenticator that is being set up. It shows itself in no log.
#[derive(Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SecondFactorSetUp)]
pub struct SetUp {
    /// To be typed into an app: base32.
    pub secret: String,
    /// `otpauth://…`, which opens an app that is on this very device.
    pub address: String,
    /// The same, for the camera of another one.
    pub qr: Qr,
}

/// How somebody's second factor stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SecondFactor)]
pub struct View {
    pub is_on: bool,
    /// Whether the owner wants it of everybody.
    pub is_required: bool,
    /// Codes for a lost phone that were not used.
    pub recovery_codes_left: i64,
}

/// Which of the two a code was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passed {
    /// Of the app.
    App,
    /// For a lost phone; so many are left.
    Recovery { left: usize },
}

#[derive(FromRow)]
struct Row {
    sealed: Option<String>,
    pending: Option<String>,
    last_step: i64,
}

/// What a sign-in with the right password still needs; none lets the person in.
pub async fn still_needed(conn: &mut dyn AsConn, account: &Account) -> Result<Option<Purpose>> {
    if account.two_factor_enabled {
        return Ok(Some(Purpose::Code));
    }
    Ok(is_required(conn, account.org_id).await?.then_some(Purpose::SetUp))
}

pub async fn view(conn: &mut dyn AsConn, org: OrgId, account: AccountId) -> Result<View> {
    let sql = "SELECT two_factor_enabled FROM account WHERE org_id = $1 AND id = $2";
    let is_on = q!(&mut *conn, fetch_optional scalar bool, sql, org, account)?.ok_or(Error::NotFound)?;
    let left = codes_left(&mut *conn, org, account).await?;
    Ok(View { is_on, is_required: is_required(conn, org).await?, recovery_codes_left: left })
}

async fn codes_left(conn: &mut dyn AsConn, org: OrgId, account: AccountId) -> Result<i64> {
    let sql = "SELECT COUNT(*) FROM recovery_code WHERE org_id = $1 AND account_id = $2 AND used_at IS NULL";
    Ok(q!(conn, fetch_one scalar i64, sql, org, account)?)
}

/// Begins to set up an authenticator. One in force stays in force until the first code of the new one came.
pub async fn begin(tx: &mut Tx, origin: &Origin, key: &SecretKey, account: &Account) -> Result<SetUp> {
    tx.guard_writable(account.org_id);
    let secret = totp::Secret::new(&origin.entropy);
    let shown = secret.shown();
    let sealed = encryption::seal(key, &origin.entropy, PURPOSE, &[account.id.0.as_bytes()], &shown.clone().into());
    q!(
        &mut *tx,
        execute,
        "INSERT INTO second_factor (org_id, account_id, pending, last_step, changed_at) VALUES ($1, $2, $3, 0, $4)
         ON CONFLICT (org_id, account_id) DO UPDATE SET pending = excluded.pending",
        account.org_id,
        account.id,
        sealed,
        origin.now()
    )?;
    let address = secret.address("Toolbox", &account.email)?;
    Ok(SetUp { qr: Qr::of(&address)?, address, secret: shown })
}

/// The first code of an authenticator that was set up puts it in force. Returns ten new codes for a lost phone, which
/// are shown this once.
///
/// # Errors
/// [`Error::Conflict`] when none is being set up; [`Error::Invalid`] on `code` when it is not the app's.
pub async fn confirm(
    tx: &mut Tx,
    origin: &Origin,
    key: &SecretKey,
    account: &Account,
    code: &str,
) -> Result<Vec<String>> {
    let row = find(&mut *tx, account).await?;
    let pending = row.as_ref().and_then(|row| row.pending.as_deref());
    let pending = pending.ok_or(Error::Conflict("Start again: no authenticator app is being set up."))?;
    // Another secret: its codes have nothing to do with those that were taken before.
    let step = open(key, account, pending)?.step_of(code, origin.now(), 0).ok_or_else(wrong_code)?;
    q!(
        &mut *tx,
        execute,
        "UPDATE second_factor SET sealed = pending, pending = NULL, last_step = $3, changed_at = $4
         WHERE org_id = $1 AND account_id = $2",
        account.org_id,
        account.id,
        step,
        origin.now()
    )?;
    switch(&mut *tx, account, true).await?;
    renew_codes(tx, origin, key, account).await
}

/// Whether this is a code of the app, or one for a lost phone. Either is used up by it: it is good for one caller only,
/// however many come at once.
///
/// # Errors
/// [`Error::Invalid`] on `code` when it is neither.
pub async fn pass(tx: &mut Tx, origin: &Origin, key: &SecretKey, account: &Account, code: &str) -> Result<Passed> {
    if totp::is_code(code) {
        let row = find(&mut *tx, account).await?.ok_or_else(wrong_code)?;
        let sealed = row.sealed.as_deref().ok_or_else(wrong_code)?;
        let step = open(key, account, sealed)?.step_of(code, origin.now(), row.last_step).ok_or_else(wrong_code)?;
        let sql = "UPDATE second_factor SET last_step = $3 WHERE org_id = $1 AND account_id = $2 AND last_step < $3";
        let is_first = q!(tx, execute, sql, account.org_id, account.id, step)? == 1;
        return if is_first { Ok(Passed::App) } else { Err(wrong_code()) };
    }
    let bare = read_recovery(code).ok_or_else(wrong_code)?;
    // Codes are shown once and kept as hashes: those of an older key are found by it.
    let ring = retired::for_lookups(&mut *tx, key).await?;
    let mut used = 0;
    for hash in recovery_hashes(&ring, account.id, &bare) {
        used += q!(
            &mut *tx,
            execute,
            "UPDATE recovery_code SET used_at = $4
             WHERE org_id = $1 AND account_id = $2 AND code_hash = $3 AND used_at IS NULL",
            account.org_id,
            account.id,
            hash,
            origin.now()
        )?;
    }
    if used == 0 {
        return Err(wrong_code());
    }
    let left = codes_left(tx, account.org_id, account.id).await?;
    Ok(Passed::Recovery { left: usize::try_from(left).unwrap_or_default() })
}

/// Ten new codes for a lost phone, in place of those before. They are shown this once: only keyed hashes are kept.
pub async fn renew_codes(tx: &mut Tx, origin: &Origin, key: &SecretKey, account: &Account) -> Result<Vec<String>> {
    let Account { org_id: org, id, .. } = *account;
    q!(&mut *tx, execute, "DELETE FROM recovery_code WHERE org_id = $1 AND account_id = $2", org, id)?;
    let codes: Vec<String> = (0..CODES).map(|_| totp::base32(&origin.entropy.bytes::<CODE_BYTES>())).collect();
    let rows = codes.iter().map(|code| values![org, id, recovery_hash(key, id, code), origin.now()]);
    insert(tx, &Insert::into("recovery_code (org_id, account_id, code_hash, created_at)").of(org).rows(rows)).await?;
    Ok(codes.iter().map(|code| shown(code)).collect())
}

/// Turns it off: the password alone signs in.
///
/// # Errors
/// [`Error::Conflict`] when the business wants it of everybody.
pub async fn remove(tx: &mut Tx, account: &Account) -> Result<()> {
    // The owner does not ask for it between the look and the change.
    org::lock(&mut *tx, account.org_id).await?;
    if is_required(&mut *tx, account.org_id).await? {
        return Err(Error::Conflict(
            "Your business asks everybody for two-step sign-in. You can set up another phone.",
        ));
    }
    forget(tx, account).await
}

/// The same for somebody who has lost the phone and the codes, whatever the business wants.
pub async fn forget(tx: &mut Tx, account: &Account) -> Result<()> {
    let Account { org_id: org, id, .. } = *account;
    q!(&mut *tx, execute, "DELETE FROM second_factor WHERE org_id = $1 AND account_id = $2", org, id)?;
    q!(&mut *tx, execute, "DELETE FROM recovery_code WHERE org_id = $1 AND account_id = $2", org, id)?;
    switch(tx, account, false).await
}

/// Seals the secrets of a business's people anew with the key in force.
pub(crate) async fn renew(tx: &mut Tx, origin: &Origin, ring: &SecretKey, org: OrgId) -> Result<Count> {
    let mut count = Count::default();
    for (select, update) in RENEWALS {
        for (account, sealed) in q!(&mut *tx, fetch_all as (AccountId, String), select, org)? {
            let renewed = renewal::renew_text(ring, &origin.entropy, (PURPOSE, &[account.0.as_bytes()]), &sealed);
            count.add(&renewed);
            if let Renewed::Anew(new) = renewed {
                // One that was set up meanwhile stays.
                q!(&mut *tx, execute, update, org, account, new, sealed)?;
            }
        }
    }
    Ok(count)
}

/// Where the secrets stand: the one in force, and one that is being set up.
const RENEWALS: [(&str, &str); 2] = [
    (
        "SELECT account_id, sealed FROM second_factor WHERE org_id = $1 AND sealed IS NOT NULL",
        "UPDATE second_factor SET sealed = $3 WHERE org_id = $1 AND account_id = $2 AND sealed = $4",
    ),
    (
        "SELECT account_id, pending FROM second_factor WHERE org_id = $1 AND pending IS NOT NULL",
        "UPDATE second_factor SET pending = $3 WHERE org_id = $1 AND account_id = $2 AND pending = $4",
    ),
];

async fn switch(tx: &mut Tx, account: &Account, is_on: bool) -> Result<()> {
    tx.guard_writable(account.org_id);
    let sql = "UPDATE account SET two_factor_enabled = $3 WHERE org_id = $1 AND id = $2";
    q!(tx, execute, sql, account.org_id, account.id, is_on)?;
    Ok(())
}

async fn find(conn: &mut dyn AsConn, account: &Account) -> Result<Option<Row>> {
    let sql = "SELECT sealed, pending, last_step FROM second_factor WHERE org_id = $1 AND account_id = $2";
    Ok(q!(conn, fetch_optional as Row, sql, account.org_id, account.id)?)
}

fn open(key: &SecretKey, account: &Account, sealed: &str) -> Result<totp::Secret> {
    let shown: SecretString = encryption::open(key, PURPOSE, &[account.id.0.as_bytes()], sealed)?;
    let secret = totp::Secret::read(shown.expose_secret());
    secret.ok_or_else(|| Error::Internal("a second factor holds no secret".to_owned()))
}

/// The one answer to a code that does not fit, whatever it was.
fn wrong_code() -> Error {
    let mut errors = FieldErrors::default();
    errors.add("code", "This code is not right. Use the newest one of your app");
    Error::Invalid(errors)
}

fn recovery_hash(key: &SecretKey, account: AccountId, bare: &str) -> Vec<u8> {
    key.blur(RECOVERY, &format!("{account}|{bare}"))
}

/// Under every key of the ring.
fn recovery_hashes(ring: &SecretKey, account: AccountId, bare: &str) -> Vec<Vec<u8>> {
    ring.blurs(RECOVERY, &format!("{account}|{bare}"))
}

/// As people read it aloud: `ABCD-EFGH-IJKL-MNOP`.
fn shown(bare: &str) -> String {
    let groups: Vec<&str> = (0..bare.len()).step_by(4).map(|at| &bare[at..bare.len().min(at + 4)]).collect();
    groups.join("-")
}

/// Without what people put between; none when it cannot be one.
fn read_recovery(typed: &str) -> Option<String> {
    let kept = typed.chars().filter(|c| !c.is_whitespace() && *c != '-');
    let bare: String = kept.take(CODE_CHARS + 1).map(|c| c.to_ascii_uppercase()).collect();
    (bare.len() == CODE_CHARS && bare.bytes().all(|b| b.is_ascii_alphanumeric())).then_some(bare)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_for_a_lost_phone_is_read_however_it_is_written() {
        let bare = "ABCDEFGHIJKLMNOP";
        assert_eq!(shown(bare), "ABCD-EFGH-IJKL-MNOP");
        for typed in [bare, "ABCD-EFGH-IJKL-MNOP", "abcd efgh ijkl mnop", " ABCDEFGH-ijklmnop\n"] {
            assert_eq!(read_recovery(typed).as_deref(), Some(bare), "{typed}");
        }
        for bad in ["", "123456", "ABCD-EFGH-IJKL-MNO", "ABCD-EFGH-IJKL-MNOPQ", "ABCD-EFGH-IJKL-MNÖP"] {
            assert_eq!(read_recovery(bad), None, "{bad}");
        }
    }

    #[test]
    fn the_hash_of_a_code_is_its_owners_and_this_installs() {
        let (ann, bob) = (AccountId(uuid::Uuid::from_u128(1)), AccountId(uuid::Uuid::from_u128(2)));
        let hash = recovery_hash(&SecretKey::new([7; 32]), ann, "ABCDEFGHIJKLMNOP");
        assert_ne!(hash, recovery_hash(&SecretKey::new([7; 32]), bob, "ABCDEFGHIJKLMNOP"));
        assert_ne!(hash, recovery_hash(&SecretKey::new([8; 32]), ann, "ABCDEFGHIJKLMNOP"));
    }
}
