//! A password that was forgotten: a link by mail, good once, for half an hour, for one person (trust requirement 57). It
//! sets a password and signs nobody in, so the second factor is still asked for.
//!
//! The token is made when the mail leaves, from the mail's own id, the address it goes to, and the install's secret:
//! neither the message nor the ticket that is kept opens anything to who copies the database, and no other mail, whatever
//! somebody wrote into it, can carry it. It stands in the address after the `#`, which browsers tell to no server and no
//! other page.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Utc};
use serde::Deserialize;
use uuid::Uuid;

use super::{
    Account, invite,
    one_time_token::{self, Purpose},
    password, proof,
};
use crate::{
    documents::template::Page,
    domain::{
        messaging::message::{self, Channel, Draft, Kind, send::Outgoing},
        tenancy::{api_key, org, push_device, security::device, session},
    },
    platform::{
        clock::Origin,
        db::{AsConn, Tx},
        error::{Error, FieldErrors, Result},
        id::MessageId,
        live::{self, Topic},
        public_url::PublicUrl,
        secret::SecretKey,
    },
};

/// Where the link leads; the page reads the token from behind the `#`.
const PATH: &str = "/reset-password#";
/// By which its mail is known among the others about accounts.
pub(crate) const SUBJECT: &str = "Choose a new password";

/// What the link in the mail `id` to this address carries: the id, and 256 bits that only this install can make of the
/// two.
fn token(secret: &SecretKey, id: Uuid, to: &str) -> String {
    let proof = secret.blur("password reset", &format!("{id}|{to}"));
    URL_SAFE_NO_PAD.encode([id.as_bytes().as_slice(), &proof].concat())
}

/// The same under every key of the ring, the one in force first.
fn tokens(secret: &SecretKey, id: Uuid, to: &str) -> Vec<String> {
    let proofs = secret.blurs("password reset", &format!("{id}|{to}"));
    proofs.iter().map(|proof| URL_SAFE_NO_PAD.encode([id.as_bytes().as_slice(), proof].concat())).collect()
}

/// Mails somebody a link to choose a new password. Links that were sent before stay good, so that nobody voids another's by
/// asking; with the first one that is used all are over.
pub async fn send(
    tx: &mut Tx,
    origin: &Origin,
    secret: &SecretKey,
    public_url: &PublicUrl,
    account: &Account,
) -> Result<()> {
    let org = org::find(&mut *tx, account.org_id).await?.ok_or(Error::NotFound)?;
    let id = origin.uuid();
    one_time_token::keep(&mut *tx, origin, account, Purpose::Reset, &token(secret, id, &account.email)).await?;
    let address = public_url.join(&format!("{PATH}{}", mark(id)));
    let proof::Addressed { greeting, business, .. } = proof::addressed(&mut *tx, account, &org).await?;
    let words = format!(
        "{greeting}\n\nSomebody, probably you, asked for a new password for your account at {business}. The link works once, for 30 \
         minutes.\n\nIf it was not you, there is nothing to do: your password stays as it is."
    );
    let body = format!("{words}\n\nChoose a new password: {address}");
    let mail = Draft {
        subject: Some(SUBJECT.to_owned()),
        page: Some(Page {
            text: Some(words),
            button: Some(("Choose a new password".to_owned(), address)),
            footer: "You get this mail because a new password was asked for with your address.".to_owned(),
            ..Page::default()
        }),
        give_up_at: Some(origin.now() + Purpose::Reset.life()),
        ..Draft::new(
            Channel::Email,
            Kind::AccountNotice,
            account.email.clone(),
            body,
            format!("password_reset:{id}:email"),
        )
    };
    message::queue(tx, origin, org.id, &[mail.under(MessageId(id))]).await?;
    Ok(())
}

/// What stands in the stored mail in the token's place: nobody knows it before the mail is written.
fn mark(id: Uuid) -> String {
    format!("[token {id}]")
}

/// Puts the token into the mail that is about to leave; any other message stays as it is. Of the keys it is made with the
/// one with which the mail was queued: the key may have been replaced since.
pub async fn put_in(conn: &mut dyn AsConn, secret: &SecretKey, message: &mut Outgoing) -> Result<()> {
    if message.kind == Kind::AccountNotice && message.subject.as_deref() == Some(SUBJECT) {
        let id = message.id.0;
        let mut made = token(secret, id, &message.to_address);
        for older in tokens(secret, id, &message.to_address) {
            if one_time_token::is_kept(&mut *conn, message.org_id, &older).await? {
                made = older;
                break;
            }
        }
        message.put_in(&mark(id), &made);
        // The install writes, not a business that anybody may have named.
        proof::SENDER.clone_into(&mut message.org_name);
    }
    Ok(())
}

/// A new password as it is typed, with the token of its link.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct ResetForm {
    pub token: Option<String>,
    pub password: Option<String>,
}

/// Whose password a token sets.
///
/// # Errors
/// [`Error::NotFound`] when it is forged, was used, is too old, or its person may not sign in.
pub async fn holder(conn: &mut dyn AsConn, now: DateTime<Utc>, token: &str) -> Result<Account> {
    let found = one_time_token::find(&mut *conn, now, token, Purpose::Reset).await?.ok_or(Error::NotFound)?;
    super::get(conn, found.org_id, found.account_id).await
}

/// Whether a password may be chosen for this account.
///
/// # Errors
/// [`Error::Invalid`] on `field`.
pub async fn check(conn: &mut dyn AsConn, account: &Account, password: &str, field: &'static str) -> Result<()> {
    let org = org::find(conn, account.org_id).await?.ok_or(Error::NotFound)?;
    let mut errors = FieldErrors::default();
    if let Err(problem) = password::check(password, &org.name, &account.email) {
        errors.add(field, problem);
    }
    errors.finish()
}

/// Sets the password: the link is used up, whoever was signed in is out on every device, no browser is known any more, and
/// the keys that the account made for programs and its invitations open nothing from now on.
///
/// # Errors
/// [`Error::NotFound`] when the link was used a moment ago.
pub async fn set(tx: &mut Tx, origin: &Origin, token: &str, account: &Account, hash: &str) -> Result<()> {
    // Whoever leaves something behind at this moment, or takes up an invitation, was first or finds it shut.
    org::lock(&mut *tx, account.org_id).await?;
    if !one_time_token::take(&mut *tx, origin.now(), token, Purpose::Reset).await? {
        return Err(Error::NotFound);
    }
    super::set_password(&mut *tx, origin, account, hash).await?;
    // Whoever has the link reads the mail of this address.
    proof::note(&mut *tx, origin, account, None).await?;
    session::end_all(&mut *tx, account.org_id, account.id).await?;
    push_device::end_account(&mut *tx, account.org_id, account.id).await?;
    device::forget(&mut *tx, origin, account.org_id, account.id, None).await?;
    // Whoever held the account may have made themselves a key, or asked themselves to join.
    api_key::revoke_of(&mut *tx, origin, account.org_id, account.id).await?;
    invite::revoke_of(&mut *tx, origin, account.org_id, account.id).await?;
    live::announce(tx, origin, account.org_id, Topic::Settings, account.org_id.0, None).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_this_installs_and_says_nothing_twice() {
        let (ours, id) = (SecretKey::new([7; 32]), Uuid::from_u128(1));
        let of = |id: Uuid| token(&ours, id, "ann@acme.example");
        assert_eq!(of(id), of(id));
        assert_eq!(of(id).len(), 64, "48 bytes");
        assert_ne!(of(id), token(&SecretKey::new([8; 32]), id, "ann@acme.example"));
        assert_ne!(of(id)[22..], of(Uuid::from_u128(2))[22..]);
        assert_ne!(of(id)[22..], token(&ours, id, "bob@acme.example")[22..], "and its reader's");
    }
}
