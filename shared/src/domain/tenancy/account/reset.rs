//! Password reset: a mailed link, valid once, for half an hour, for one account (trust requirement 57). It sets a
//! password but does not sign in, so the second factor is still required.
//!
//! The token is made when the mail is sent, from the mail's id, its address and the install's secret: a database copy
//! contains no usable token, and no other mail can carry it, whatever text a user put into it. It is in the URL
//! fragment, which browsers send to no server and no other page.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Utc};
use serde::Deserialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{
    Account, invite,
    one_time_token::{self, TokenPurpose},
    password, proof,
};
use crate::{
    domain::tenancy::{api_key, org, push_device, security::device, session},
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx},
        error::{Error, FieldErrors, Result},
        field_schemas,
        id::OrgId,
        live::{self, Topic},
        secret::SecretKey,
    },
};

/// Identifies its mail among account mails.
pub(crate) const RESET_SUBJECT: &str = "Choose a new password";

/// The link's token: the mail id, and 256 bits derived from id and address with the install's secret.
fn reset_token(secret: &SecretKey, id: Uuid, to: &str) -> String {
    let proof = secret.keyed_hash("password reset", &format!("{id}|{to}"));
    URL_SAFE_NO_PAD.encode([id.as_bytes().as_slice(), &proof].concat())
}

/// Tokens under every key of the ring, the current one first.
fn reset_tokens(secret: &SecretKey, id: Uuid, to: &str) -> Vec<String> {
    let proofs = secret.keyed_hashes("password reset", &format!("{id}|{to}"));
    proofs.iter().map(|proof| URL_SAFE_NO_PAD.encode([id.as_bytes().as_slice(), proof].concat())).collect()
}

/// Stores a new link. Returns the id of the mail that is to carry it: its token is made when that mail is sent.
pub(crate) async fn create_reset_link(
    tx: &mut Tx,
    origin: &ClockRng,
    secret: &SecretKey,
    account: &Account,
) -> Result<Uuid> {
    let id = origin.uuid_v7();
    let token = reset_token(secret, id, account.email.as_str());
    one_time_token::store_token(tx, origin, account, TokenPurpose::Reset, &token).await?;
    Ok(id)
}

/// The token of a mail, with the key of the time when it was queued: that may have been rotated since.
pub(crate) async fn find_reset_token(
    conn: &mut dyn AsConn,
    secret: &SecretKey,
    org: OrgId,
    (id, to): (Uuid, &str),
) -> Result<String> {
    for token in reset_tokens(secret, id, to) {
        if one_time_token::is_stored(&mut *conn, org, &token).await? {
            return Ok(token);
        }
    }
    Ok(reset_token(secret, id, to))
}

/// A new password.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[schema(as = ResetRequest)]
pub struct ResetForm {
    /// The part after the `#` of the link.
    #[schema(required, schema_with = field_schemas::required_line::<100>)]
    pub token: Option<String>,
    #[schema(required, schema_with = field_schemas::new_password)]
    pub password: Option<String>,
}

/// # Errors
/// [`Error::NotFound`] when it is forged, used, expired, or the account is inactive.
pub async fn find_account_by_token(conn: &mut dyn AsConn, now: DateTime<Utc>, token: &str) -> Result<Account> {
    let found =
        one_time_token::find_by_token(&mut *conn, now, token, TokenPurpose::Reset).await?.ok_or(Error::NotFound)?;
    super::get(conn, found.org_id, found.account_id).await
}

/// # Errors
/// [`Error::Invalid`] on `field`.
pub async fn validate_new_password(
    conn: &mut dyn AsConn,
    account: &Account,
    password: &str,
    field: &'static str,
) -> Result<()> {
    let org = org::find(conn, account.org_id).await?.ok_or(Error::NotFound)?;
    let mut errors = FieldErrors::default();
    if let Err(problem) = password::validate_password(password, &org.name, account.email.as_str()) {
        errors.add(field, problem);
    }
    errors.into_result()
}

/// Sets the password and uses up the link. Ends all sessions, forgets known browsers, removes passkeys, and revokes the
/// account's API keys and invitations. The second factor stays.
///
/// # Errors
/// [`Error::NotFound`] when the link was used concurrently.
pub async fn reset_password(tx: &mut Tx, origin: &ClockRng, token: &str, account: &Account, hash: &str) -> Result<()> {
    // Locked so that a concurrent key creation or invitation commits first or fails.
    org::lock(&mut *tx, account.org_id).await?;
    if !one_time_token::consume_token(&mut *tx, origin.now(), token, TokenPurpose::Reset).await? {
        return Err(Error::NotFound);
    }
    super::set_password(&mut *tx, origin, account, hash).await?;
    // Using the link proves the address.
    proof::record_address_proof(&mut *tx, origin, account, None).await?;
    session::revoke_all_sessions(&mut *tx, account.org_id, account.id).await?;
    push_device::delete_account_devices(&mut *tx, account.org_id, account.id).await?;
    device::forget_other_devices(&mut *tx, origin, account.org_id, account.id, None).await?;
    // A previous holder may have made a key or an invitation for themselves.
    api_key::revoke_by_account(&mut *tx, origin, account.org_id, account.id).await?;
    invite::revoke_by_inviter(&mut *tx, origin, account.org_id, account.id).await?;
    live::publish_event(tx, origin, account.org_id, Topic::Settings, account.org_id.0, None).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_is_deterministic_and_differs_by_install_mail_and_address() {
        let (ours, id) = (SecretKey::new([7; 32]), Uuid::from_u128(1));
        let of = |id: Uuid| reset_token(&ours, id, "ann@acme.example");
        assert_eq!(of(id), of(id));
        assert_eq!(of(id).len(), 64, "48 bytes");
        assert_ne!(of(id), reset_token(&SecretKey::new([8; 32]), id, "ann@acme.example"));
        assert_ne!(of(id)[22..], of(Uuid::from_u128(2))[22..]);
        assert_ne!(of(id)[22..], reset_token(&ours, id, "bob@acme.example")[22..], "and its reader's");
    }
}
