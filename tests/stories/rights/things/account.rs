//! Sign-in data: a password, a second factor, pending tickets, and a device of the caller.

use sha2::{Digest, Sha256};
use shared::{
    domain::tenancy::account::{password::Hasher, totp},
    platform::{
        db::{Tx, q},
        encryption,
        error::Result,
        id::AccountId,
    },
};
use tests::app::TestApp;

use super::Place;
use crate::rights::PASSWORD;

const SECRET: &str = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
/// A recovery code.
pub(in crate::rights) const RECOVERY: &str = "ABCD-EFGH-IJKL-MNOP";
/// Purpose and token of each ticket of the other person.
pub(in crate::rights) const TICKETS: [(&str, &str); 3] =
    [("code", "a ticket for a code"), ("set_up", "a ticket for an app"), ("reset", "a ticket for a password")];

/// The token of the link that proves the other person's address.
pub(in crate::rights) const PROOF: &str = "a link that proves";

pub(in crate::rights) struct Known {
    hash: String,
    /// The app's digits, which stay the same: the story's clock stands still.
    pub code: String,
}

impl Known {
    pub(super) async fn of(app: &TestApp) -> Self {
        let hash = Hasher::new(app.origin.entropy.clone()).hash_password(PASSWORD.to_owned()).await.unwrap();
        Self { hash, code: totp::TotpSecret::from_base32(SECRET).unwrap().code_at(app.now()) }
    }
}

/// The caller and the other person have a password, an app and a recovery code, and the other one has a sign-in in
/// progress. For the setup of an app, that app is not in force yet.
pub(super) async fn put(tx: &mut Tx, place: &Place, app: &TestApp, known: &Known, operation: &str) -> Result<()> {
    let Place { org, other, caller, now, .. } = *place;
    for account in [caller, AccountId(other)] {
        has(tx, app, known, place, account).await?;
    }
    if operation.ends_with("AtSignIn") {
        let sql = "UPDATE account SET two_factor_enabled = FALSE WHERE org_id = $1 AND id = $2";
        q!(&mut *tx, execute, sql, org, AccountId(other))?;
    }
    q!(&mut *tx, execute, "DELETE FROM one_time_token WHERE org_id = $1", org)?;
    for (purpose, token) in TICKETS {
        q!(
            &mut *tx,
            execute,
            "INSERT INTO one_time_token (token_hash, org_id, account_id, purpose, created_at, expires_at)
             VALUES ($1, $2, $3, $4, $5, $6)",
            Sha256::digest(token.as_bytes()).to_vec(),
            org,
            other,
            purpose,
            now,
            now + chrono::Duration::minutes(10)
        )?;
    }
    q!(&mut *tx, execute, "DELETE FROM passkey WHERE org_id = $1", org)?;
    q!(
        &mut *tx,
        execute,
        "INSERT INTO passkey (org_id, id, account_id, credential_id, credential, name, created_at)
         VALUES ($1, $2, $3, $4, '{}', 'Work phone', $5)",
        org,
        other,
        caller,
        other.as_bytes().to_vec(),
        now
    )?;
    let sql =
        "INSERT INTO address_proof (token_hash, org_id, account_id, created_at, expires_at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (token_hash) DO NOTHING";
    let proof = Sha256::digest(PROOF.as_bytes()).to_vec();
    q!(&mut *tx, execute, sql, proof, org, other, now, now + chrono::Duration::days(3))?;
    let device = [other.as_bytes().as_slice(), &[0; 16]].concat();
    q!(
        tx,
        execute,
        "INSERT INTO session (token_hash, org_id, account_id, created_at, last_seen_at, expires_at)
         VALUES ($1, $2, $3, $4, $4, $5) ON CONFLICT (token_hash) DO UPDATE SET account_id = excluded.account_id",
        device,
        org,
        caller,
        now,
        now + chrono::Duration::days(1)
    )?;
    Ok(())
}

async fn has(tx: &mut Tx, app: &TestApp, known: &Known, place: &Place, account: AccountId) -> Result<()> {
    let (org, now, key) = (place.org, place.now, &app.settings.secret);
    let sql = "UPDATE account SET password_hash = $3, two_factor_enabled = TRUE WHERE org_id = $1 AND id = $2";
    q!(&mut *tx, execute, sql, org, account, known.hash.as_str())?;
    let sealed = encryption::encrypt_secret(
        key,
        &app.origin.entropy,
        "second factor",
        &[account.0.as_bytes()],
        &SECRET.to_owned().into(),
    );
    q!(
        &mut *tx,
        execute,
        "INSERT INTO second_factor (org_id, account_id, sealed, pending, last_step, changed_at) VALUES ($1, $2, $3, $3, 0, $4)
         ON CONFLICT (org_id, account_id) DO UPDATE SET sealed = $3, pending = $3, last_step = 0",
        org,
        account,
        sealed,
        now
    )?;
    let sql = "DELETE FROM recovery_code WHERE org_id = $1 AND account_id = $2";
    q!(&mut *tx, execute, sql, org, account)?;
    let code = key.keyed_hash("recovery code", &format!("{account}|{}", RECOVERY.replace('-', "")));
    let sql = "INSERT INTO recovery_code (org_id, account_id, code_hash, created_at) VALUES ($1, $2, $3, $4)";
    q!(tx, execute, sql, org, account, code, now)?;
    Ok(())
}
