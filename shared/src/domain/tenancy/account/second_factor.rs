//! Second factor of an account: authenticator setup, its codes, ten recovery codes, and whether the business requires
//! it (trust requirement 56).

use secrecy::{ExposeSecret, SecretString};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;

use super::{Account, one_time_token::TokenPurpose, qr::QrPicture, totp};
use crate::{
    conflicts::ConflictCode,
    domain::tenancy::org,
    platform::{
        clock::ClockRng,
        db::{
            AsConn, Tx,
            batch::{Insert, insert_rows, values},
            q,
        },
        encryption::{
            self,
            renewal::{ReencryptionCount, SecretRenewal},
            retired,
        },
        error::{Error, FieldErrors, Result},
        id::{AccountId, OrgId},
        secret::SecretKey,
    },
};

mod require;

pub use require::{ensure_not_set_up, is_required, set_required};

const PURPOSE: &str = "second factor";
const RECOVERY: &str = "recovery code";
const CODES: usize = 10;
/// 80 bits, 16 characters in base32.
const CODE_BYTES: usize = 10;
const CODE_CHARS: usize = 16;

/// An authenticator that is being set up. It shows itself in no log.
#[derive(Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecondFactorSetUp {
    /// To be typed into an app: base32.
    pub secret: String,
    /// `otpauth://…`, which opens an app that is on this very device.
    pub address: String,
    /// The same, for the camera of another one.
    pub qr: QrPicture,
}

/// State of an account's second factor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecondFactor {
    pub is_on: bool,
    /// Whether the owner wants it of everybody.
    pub is_required: bool,
    /// Codes for a lost phone that were not used.
    pub recovery_codes_left: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecondFactorMethod {
    App,
    Recovery { left: usize },
}

#[derive(FromRow)]
struct SecondFactorRow {
    sealed: Option<String>,
    pending: Option<String>,
    last_step: i64,
}

/// What a sign-in needs after the password; none completes it.
pub async fn required_step(conn: &mut dyn AsConn, account: &Account) -> Result<Option<TokenPurpose>> {
    if account.two_factor_enabled {
        return Ok(Some(TokenPurpose::Code));
    }
    Ok(is_required(conn, account.org_id).await?.then_some(TokenPurpose::SetUp))
}

pub async fn load_second_factor(conn: &mut dyn AsConn, org: OrgId, account: AccountId) -> Result<SecondFactor> {
    let sql = "SELECT two_factor_enabled FROM account WHERE org_id = $1 AND id = $2";
    let is_on = q!(&mut *conn, fetch_optional scalar bool, sql, org, account)?.ok_or(Error::NotFound)?;
    let left = count_recovery_codes(&mut *conn, org, account).await?;
    Ok(SecondFactor { is_on, is_required: is_required(conn, org).await?, recovery_codes_left: left })
}

async fn count_recovery_codes(conn: &mut dyn AsConn, org: OrgId, account: AccountId) -> Result<i64> {
    let sql = "SELECT COUNT(*) FROM recovery_code WHERE org_id = $1 AND account_id = $2 AND used_at IS NULL";
    Ok(q!(conn, fetch_one scalar i64, sql, org, account)?)
}

/// Starts authenticator setup. The current one stays valid until the new one's first code.
pub async fn begin_setup(
    tx: &mut Tx,
    origin: &ClockRng,
    key: &SecretKey,
    account: &Account,
) -> Result<SecondFactorSetUp> {
    tx.guard_writable(account.org_id);
    let secret = totp::TotpSecret::new(&origin.entropy);
    let shown = secret.to_base32();
    let sealed =
        encryption::encrypt_secret(key, &origin.entropy, PURPOSE, &[account.id.0.as_bytes()], &shown.clone().into());
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
    let address = secret.key_uri("Toolbox", account.email.as_str())?;
    Ok(SecondFactorSetUp { qr: QrPicture::from_text(&address)?, address, secret: shown })
}

/// Activates a new authenticator by its first code. Returns ten new recovery codes, shown only once.
///
/// # Errors
/// [`Error::Conflict`] when no setup is pending; [`Error::Invalid`] on `code` when it is wrong.
pub async fn confirm_setup(
    tx: &mut Tx,
    origin: &ClockRng,
    key: &SecretKey,
    account: &Account,
    code: &str,
) -> Result<Vec<String>> {
    let row = find_row(&mut *tx, account).await?;
    let pending = row.as_ref().and_then(|row| row.pending.as_deref());
    let pending = pending.ok_or(ConflictCode::NoAuthenticatorPending.into_error())?;
    // A new secret: steps used before do not apply.
    let step = decrypt_secret(key, account, pending)?.matching_step(code, origin.now(), 0).ok_or_else(wrong_code)?;
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
    set_enabled(&mut *tx, account, true).await?;
    regenerate_recovery_codes(tx, origin, key, account).await
}

/// Verifies an app code or a recovery code and uses it up, for one of concurrent callers only.
///
/// # Errors
/// [`Error::Invalid`] on `code` when it is neither.
pub async fn verify_code(
    tx: &mut Tx,
    origin: &ClockRng,
    key: &SecretKey,
    account: &Account,
    code: &str,
) -> Result<SecondFactorMethod> {
    if totp::is_code(code) {
        let row = find_row(&mut *tx, account).await?.ok_or_else(wrong_code)?;
        let sealed = row.sealed.as_deref().ok_or_else(wrong_code)?;
        let step = decrypt_secret(key, account, sealed)?
            .matching_step(code, origin.now(), row.last_step)
            .ok_or_else(wrong_code)?;
        let sql = "UPDATE second_factor SET last_step = $3 WHERE org_id = $1 AND account_id = $2 AND last_step < $3";
        let is_first = q!(tx, execute, sql, account.org_id, account.id, step)? == 1;
        return if is_first { Ok(SecondFactorMethod::App) } else { Err(wrong_code()) };
    }
    let bare = parse_recovery_code(code).ok_or_else(wrong_code)?;
    // Only hashes are stored, so those of older keys are looked up by the old keys.
    let ring = retired::with_retired_keys(&mut *tx, key).await?;
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
    let left = count_recovery_codes(tx, account.org_id, account.id).await?;
    Ok(SecondFactorMethod::Recovery { left: usize::try_from(left).unwrap_or_default() })
}

/// Replaces the recovery codes with ten new ones, shown only once: only keyed hashes are stored.
pub async fn regenerate_recovery_codes(
    tx: &mut Tx,
    origin: &ClockRng,
    key: &SecretKey,
    account: &Account,
) -> Result<Vec<String>> {
    let Account { org_id: org, id, .. } = *account;
    q!(&mut *tx, execute, "DELETE FROM recovery_code WHERE org_id = $1 AND account_id = $2", org, id)?;
    let codes: Vec<String> =
        (0..CODES).map(|_| totp::encode_base32(&origin.entropy.random_bytes::<CODE_BYTES>())).collect();
    let rows = codes.iter().map(|code| values![org, id, recovery_hash(key, id, code), origin.now()]);
    insert_rows(
        tx,
        &Insert::into("recovery_code (org_id, account_id, code_hash, created_at)").for_org(org).with_rows(rows),
    )
    .await?;
    Ok(codes.iter().map(|code| format_recovery_code(code)).collect())
}

/// # Errors
/// [`Error::Conflict`] when the business requires it.
pub async fn disable_second_factor(tx: &mut Tx, account: &Account) -> Result<()> {
    // Locked so that the requirement cannot be set between the check and the change.
    org::lock(&mut *tx, account.org_id).await?;
    if is_required(&mut *tx, account.org_id).await? {
        return Err(ConflictCode::SecondFactorRequired.into_error());
    }
    delete_second_factor(tx, account).await
}

/// The same for a lost phone and lost codes, even when the business requires a second factor.
pub async fn delete_second_factor(tx: &mut Tx, account: &Account) -> Result<()> {
    let Account { org_id: org, id, .. } = *account;
    q!(&mut *tx, execute, "DELETE FROM second_factor WHERE org_id = $1 AND account_id = $2", org, id)?;
    q!(&mut *tx, execute, "DELETE FROM recovery_code WHERE org_id = $1 AND account_id = $2", org, id)?;
    set_enabled(tx, account, false).await
}

pub(crate) async fn reencrypt_secrets(
    tx: &mut Tx,
    renewal: &SecretRenewal<'_>,
    org: OrgId,
) -> Result<ReencryptionCount> {
    let mut count = ReencryptionCount::default();
    for (select, update) in RENEWALS {
        for (account, sealed) in q!(&mut *tx, fetch_all as (AccountId, String), select, org)? {
            let renewed = renewal.renew_text((PURPOSE, &[account.0.as_bytes()]), &sealed);
            count.record_result(&renewed);
            if let Some(new) = renewed.into_new_value() {
                // One set up meanwhile stays.
                q!(&mut *tx, execute, update, org, account, new, sealed)?;
            }
        }
    }
    Ok(count)
}

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

async fn set_enabled(tx: &mut Tx, account: &Account, is_on: bool) -> Result<()> {
    tx.guard_writable(account.org_id);
    let sql = "UPDATE account SET two_factor_enabled = $3 WHERE org_id = $1 AND id = $2";
    q!(tx, execute, sql, account.org_id, account.id, is_on)?;
    Ok(())
}

async fn find_row(conn: &mut dyn AsConn, account: &Account) -> Result<Option<SecondFactorRow>> {
    let sql = "SELECT sealed, pending, last_step FROM second_factor WHERE org_id = $1 AND account_id = $2";
    Ok(q!(conn, fetch_optional as SecondFactorRow, sql, account.org_id, account.id)?)
}

fn decrypt_secret(key: &SecretKey, account: &Account, sealed: &str) -> Result<totp::TotpSecret> {
    let shown: SecretString = encryption::decrypt_secret(key, PURPOSE, &[account.id.0.as_bytes()], sealed)?;
    let secret = totp::TotpSecret::from_base32(shown.expose_secret());
    secret.ok_or_else(|| Error::Internal("a second factor holds no secret".to_owned()))
}

/// One error for every wrong code, of either kind.
fn wrong_code() -> Error {
    let mut errors = FieldErrors::default();
    errors.add("code", "This code is not right. Use the newest one of your app");
    Error::Invalid(errors)
}

fn recovery_hash(key: &SecretKey, account: AccountId, bare: &str) -> Vec<u8> {
    key.keyed_hash(RECOVERY, &format!("{account}|{bare}"))
}

fn recovery_hashes(ring: &SecretKey, account: AccountId, bare: &str) -> Vec<Vec<u8>> {
    ring.keyed_hashes(RECOVERY, &format!("{account}|{bare}"))
}

fn format_recovery_code(bare: &str) -> String {
    let groups: Vec<&str> = (0..bare.len()).step_by(4).map(|at| &bare[at..bare.len().min(at + 4)]).collect();
    groups.join("-")
}

fn parse_recovery_code(typed: &str) -> Option<String> {
    let kept = typed.chars().filter(|c| !c.is_whitespace() && *c != '-');
    let bare: String = kept.take(CODE_CHARS + 1).map(|c| c.to_ascii_uppercase()).collect();
    (bare.len() == CODE_CHARS && bare.bytes().all(|b| b.is_ascii_alphanumeric())).then_some(bare)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recovery_code_is_read_regardless_of_case_and_separators() {
        let bare = "ABCDEFGHIJKLMNOP";
        assert_eq!(format_recovery_code(bare), "ABCD-EFGH-IJKL-MNOP");
        for typed in [bare, "ABCD-EFGH-IJKL-MNOP", "abcd efgh ijkl mnop", " ABCDEFGH-ijklmnop\n"] {
            assert_eq!(parse_recovery_code(typed).as_deref(), Some(bare), "{typed}");
        }
        for bad in ["", "123456", "ABCD-EFGH-IJKL-MNO", "ABCD-EFGH-IJKL-MNOPQ", "ABCD-EFGH-IJKL-MNÖP"] {
            assert_eq!(parse_recovery_code(bad), None, "{bad}");
        }
    }

    #[test]
    fn recovery_code_hash_is_bound_to_account_and_install_key() {
        let (ann, bob) = (AccountId(uuid::Uuid::from_u128(1)), AccountId(uuid::Uuid::from_u128(2)));
        let hash = recovery_hash(&SecretKey::new([7; 32]), ann, "ABCDEFGHIJKLMNOP");
        assert_ne!(hash, recovery_hash(&SecretKey::new([7; 32]), bob, "ABCDEFGHIJKLMNOP"));
        assert_ne!(hash, recovery_hash(&SecretKey::new([8; 32]), ann, "ABCDEFGHIJKLMNOP"));
    }
}
