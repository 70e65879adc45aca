//! Proving an email address: a link by mail, good once, for three days, for one account (docs/trust-levels.md).
//!
//! The token is made when the mail leaves, as that of a password reset is: neither the stored message nor the row opens
//! anything to who copies the database. It stands behind the `#` of the address, and the page asks for a press, so that
//! what only fetches links proves nothing.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Duration, Utc};
use unicode_normalization::UnicodeNormalization;
use uuid::Uuid;

use super::{Account, Role, invite, one_time_token, passkey, password, second_factor};
use crate::{
    documents::template::{Page, typed},
    domain::{
        messaging::{
            followup,
            message::{self, Channel, Draft, Kind, send::Outgoing},
        },
        tenancy::{
            api_key,
            org::{self, Org},
            push_device,
            security::device,
            session,
            trust_level::{self, Reach},
        },
        work::crew::feed,
    },
    platform::{
        clock::Origin,
        db::{AsConn, Db, Tx, q},
        error::{Error, Result},
        id::{AccountId, MessageId, OrgId},
        live::{self, Topic},
        public_url::PublicUrl,
        secret::SecretKey,
    },
};

/// Where the link leads; the page reads the token from behind the `#`.
const PATH: &str = "/confirm-email#";
const DISOWN_PATH: &str = "/not-me#";
/// By which its mail is known among the others about accounts.
pub(crate) const SUBJECT: &str = "Confirm your email address";
const NOT_ME: &str = "This was not me";
/// Who writes it.
pub(crate) const SENDER: &str = "Toolbox";
/// Stands for a name that is not repeated.
const UNNAMED: &str = "a business on Toolbox";
/// Longer names are sentences.
const MOST_OF_A_NAME: usize = 50;
/// What counts the mails that registrations send to one mailbox, and how many go within an hour. It outlives what was
/// registered.
pub const REGISTERED: (&str, i64) = ("registered with address", 3);
/// The same where the address was known: the links of an hour ago are good.
pub const REGISTERED_AGAIN: (&str, i64) = ("registered again with address", 1);
/// Why what waited does not leave.
const BEFORE_PROOF: &str = "it was written before your email address was confirmed";
/// How long a link is good.
const LIFE: Duration = Duration::days(3);

fn token(secret: &SecretKey, id: Uuid, to: &str) -> String {
    let proof = secret.blur("address proof", &format!("{id}|{to}"));
    URL_SAFE_NO_PAD.encode([id.as_bytes().as_slice(), &proof].concat())
}

/// The same under every key of the ring, the one in force first.
fn tokens(secret: &SecretKey, id: Uuid, to: &str) -> Vec<String> {
    let proofs = secret.blurs("address proof", &format!("{id}|{to}"));
    proofs.iter().map(|proof| URL_SAFE_NO_PAD.encode([id.as_bytes().as_slice(), proof].concat())).collect()
}

/// Mails somebody the link that proves their address. Links that were sent before stay good.
pub async fn send(
    tx: &mut Tx,
    origin: &Origin,
    secret: &SecretKey,
    public_url: &PublicUrl,
    account: &Account,
) -> Result<()> {
    // Nothing that was typed stands in it but a plain name of the business: who registers may be a stranger.
    let business = business(&mut *tx, account.org_id).await?;
    let words = format!(
        "This email address was used to register {business}. Please confirm that it is yours. The link works once, \
         for three days.\n\nIf you did not register it, say so by the second link: everything that was registered \
         with your address is removed. Until you confirm it, nothing is sent in its name."
    );
    mail(tx, origin, (secret, public_url), account, words).await
}

/// The same after somebody registered anew with an address that nobody has proven: it may be the holder, and what is there
/// a stranger's.
pub async fn send_again(
    tx: &mut Tx,
    origin: &Origin,
    secret: &SecretKey,
    public_url: &PublicUrl,
    account: &Account,
) -> Result<()> {
    let business = business(&mut *tx, account.org_id).await?;
    let words = format!(
        "Somebody, probably you, tried to register with this email address. It was used before to register {business}, \
         and nobody has confirmed it, so nothing new was made.\n\nIf that was you, confirm the address. The link works \
         once, for three days.\n\nIf it was not, say so by the second link: everything that was registered with your \
         address is removed, and you can register again. Until you confirm it, nothing is sent in its name."
    );
    mail(tx, origin, (secret, public_url), account, words).await
}

/// Mails `words` with the two links: that which confirms the address, and that which removes what was registered.
async fn mail(
    tx: &mut Tx,
    origin: &Origin,
    (secret, public_url): (&SecretKey, &PublicUrl),
    account: &Account,
    words: String,
) -> Result<()> {
    let (id, now) = (origin.uuid(), origin.now());
    q!(
        &mut *tx,
        execute,
        "INSERT INTO address_proof (token_hash, org_id, account_id, created_at, expires_at) VALUES ($1, $2, $3, $4, $5)",
        session::hash(&token(secret, id, &account.email)),
        account.org_id,
        account.id,
        now,
        now + LIFE
    )?;
    let address = public_url.join(&format!("{PATH}{}", mark(id)));
    let disown = public_url.join(&format!("{DISOWN_PATH}{}", mark(id)));
    let body = format!("{words}\n\nConfirm your email address: {address}\n\n{NOT_ME}: {disown}");
    let mail = Draft {
        subject: Some(SUBJECT.to_owned()),
        page: Some(Page {
            text: Some(words),
            button: Some((SUBJECT.to_owned(), address)),
            other_button: Some((NOT_ME.to_owned(), disown)),
            footer: "You get this mail because your address was used to register.".to_owned(),
            ..Page::default()
        }),
        ..Draft::new(
            Channel::Email,
            Kind::AccountNotice,
            account.email.clone(),
            body,
            format!("address_proof:{id}:email"),
        )
    };
    message::queue(tx, origin, account.org_id, &[mail.under(MessageId(id))]).await?;
    Ok(())
}

/// What stands in the stored mail in the token's place.
fn mark(id: Uuid) -> String {
    format!("[proof {id}]")
}

/// Puts the token into the mail that is about to leave; any other message stays as it is. Of the keys it is made with the
/// one with which the mail was queued: the key may have been replaced since.
pub async fn put_in(conn: &mut dyn AsConn, secret: &SecretKey, message: &mut Outgoing) -> Result<()> {
    if message.kind == Kind::AccountNotice && message.subject.as_deref() == Some(SUBJECT) {
        let id = message.id.0;
        let sql = "SELECT EXISTS (SELECT 1 FROM address_proof WHERE org_id = $1 AND token_hash = $2)";
        let mut made = token(secret, id, &message.to_address);
        for older in tokens(secret, id, &message.to_address) {
            if q!(&mut *conn, fetch_one scalar bool, sql, message.org_id, session::hash(&older))? {
                made = older;
                break;
            }
        }
        message.put_in(&mark(id), &made);
        // The install writes, not a business that anybody may have named.
        SENDER.clone_into(&mut message.org_name);
    }
    Ok(())
}

/// The name of a business where it can be no link and no number to call, without emoji and signs that are not seen; else
/// none of it.
pub(crate) fn mentionable(name: &str) -> String {
    let cleaned: String = name.nfc().filter(|c| c.is_ascii() || c.is_alphanumeric()).collect();
    let cleaned = cleaned.split_whitespace().collect::<Vec<_>>().join(" ");
    let is_plain = |c: char| c.is_alphabetic() || [' ', '&', '\'', '-', ','].contains(&c);
    let says_something = cleaned.chars().any(char::is_alphabetic) && cleaned.chars().count() <= MOST_OF_A_NAME;
    if says_something && cleaned.chars().all(is_plain) { cleaned } else { UNNAMED.to_owned() }
}

/// How the page of a link names the business: as the mail does.
///
/// # Errors
/// [`Error::NotFound`] when the business is gone.
pub async fn business(conn: &mut dyn AsConn, org: OrgId) -> Result<String> {
    let org = org::find(conn, org).await?.ok_or(Error::NotFound)?;
    Ok(mentionable(&org.name))
}

/// What a mail about an account may say of its receiver.
pub(super) struct Addressed {
    pub greeting: String,
    /// The name of the business.
    pub business: String,
    /// The address is still unproven: greeting and name may be a stranger's words, and only plain names are repeated.
    pub is_unproven: bool,
}

/// How a mail about `account` addresses its receiver.
pub(super) async fn addressed(conn: &mut dyn AsConn, account: &Account, org: &Org) -> Result<Addressed> {
    if trust_level::reach(conn, org.id, &account.email, true).await? != Reach::OwnUnproven {
        let (greeting, business) = (format!("Hi {},", account.name), org.name.clone());
        return Ok(Addressed { greeting, business, is_unproven: false });
    }
    let name = typed::first_name(&account.name);
    let greeting = if name.is_empty() { "Hi,".to_owned() } else { format!("Hi {name},") };
    Ok(Addressed { greeting, business: mentionable(&org.name), is_unproven: true })
}

/// Whose address a token proves.
///
/// # Errors
/// [`Error::NotFound`] when it is forged, was used, is too old, or its person may not sign in.
pub async fn holder(conn: &mut dyn AsConn, now: DateTime<Utc>, token: &str) -> Result<Account> {
    let sql = "SELECT p.org_id, p.account_id FROM address_proof p
         JOIN account a ON a.org_id = p.org_id AND a.id = p.account_id
         WHERE p.token_hash = $1 AND p.expires_at > $2 AND a.is_active = TRUE";
    let found = q!(&mut *conn, fetch_optional as (OrgId, AccountId), sql, session::hash(token), now)?;
    let (org, account) = found.ok_or(Error::NotFound)?;
    super::get(conn, org, account).await
}

/// Proves the address of `account` by its link, which is used up. `session` is the prover's own, where they are signed in
/// to this account: it goes on. Anybody else has not shown that the password is theirs: it is ended, and the token is
/// returned with which another one is chosen (`account::reset`).
///
/// # Errors
/// [`Error::NotFound`] when the link was used a moment ago.
pub async fn prove(
    tx: &mut Tx,
    origin: &Origin,
    (token, account): (&str, &Account),
    session: Option<&str>,
) -> Result<Option<String>> {
    org::lock(&mut *tx, account.org_id).await?;
    let sql = "DELETE FROM address_proof WHERE token_hash = $1 AND expires_at > $2";
    if q!(&mut *tx, execute, sql, session::hash(token), origin.now())? != 1 {
        return Err(Error::NotFound);
    }
    let ends_password = session.is_none() && !is_proven(&mut *tx, account.org_id, account.id).await?;
    note(&mut *tx, origin, account, session).await?;
    if !ends_password {
        return Ok(None);
    }
    let sql = "UPDATE account SET password_hash = $3, password_changed_at = $4 WHERE org_id = $1 AND id = $2";
    q!(&mut *tx, execute, sql, account.org_id, account.id, password::NOBODY, origin.now())?;
    one_time_token::open(tx, origin, account, one_time_token::Purpose::Reset).await.map(Some)
}

/// Whether what was registered with this address is removed when its holder says that it was not them.
pub(super) async fn may_be_disowned(conn: &mut dyn AsConn, account: &Account) -> Result<bool> {
    if account.role != Role::Owner || !account.is_active {
        return Ok(false);
    }
    Ok(!trust_level::standing(conn, account.org_id).await?.is_proven)
}

/// The holder of the address did not register: the link is used up. What was registered is to be removed by the caller.
///
/// # Errors
/// [`Error::NotFound`] for a link that is not good; [`Error::Conflict`] when the business is proven.
pub async fn disown(tx: &mut Tx, origin: &Origin, (token, account): (&str, &Account)) -> Result<()> {
    org::lock(&mut *tx, account.org_id).await?;
    if !may_be_disowned(&mut *tx, account).await? {
        return Err(Error::Conflict("This address is confirmed already. Sign in, or choose a new password."));
    }
    let sql = "DELETE FROM address_proof WHERE org_id = $1 AND account_id = $2 AND token_hash = $3 AND expires_at > $4";
    if q!(tx, execute, sql, account.org_id, account.id, session::hash(token), origin.now())? == 1 {
        Ok(())
    } else {
        Err(Error::NotFound)
    }
}

/// Notes that whoever acts reads the mail of this address: by the link of a proof, or by that of a new password. What was
/// made with the account before goes. The business is held already. True when it is the first proof of the business.
///
/// # Errors
/// When the database is away.
pub async fn note(tx: &mut Tx, origin: &Origin, account: &Account, session: Option<&str>) -> Result<bool> {
    let is_first = account.role == Role::Owner && trust_level::note_proven(&mut *tx, origin, account.org_id).await?;
    revoke_credentials_before_proof(&mut *tx, origin, account, (session, is_first)).await?;
    let sql = "UPDATE account SET email_proved_at = $3 WHERE org_id = $1 AND id = $2";
    q!(&mut *tx, execute, sql, account.org_id, account.id, origin.now())?;
    q!(
        &mut *tx,
        execute,
        "DELETE FROM address_proof WHERE org_id = $1 AND account_id = $2",
        account.org_id,
        account.id
    )?;
    live::announce(tx, origin, account.org_id, Topic::Settings, account.org_id.0, None).await?;
    Ok(is_first)
}

/// Ends all that was made with an account before its address was proven, but the session of who proves it: whoever made
/// it may have been somebody else. One list for every kind of credential.
///
/// Before the first proof of a business nobody but its holder has a right to be in it, so the second factor, the other
/// accounts, all keys, all invitations and the addresses of crew calendars go too, and without a session of the prover's
/// own what others connected.
async fn revoke_credentials_before_proof(
    tx: &mut Tx,
    origin: &Origin,
    account: &Account,
    (session, is_first): (Option<&str>, bool),
) -> Result<()> {
    let (org, id) = (account.org_id, account.id);
    let kept = session.map(session::hash).unwrap_or_default();
    let sql = "DELETE FROM session WHERE org_id = $1 AND account_id = $2 AND token_hash <> $3";
    q!(&mut *tx, execute, sql, org, id, kept.as_slice())?;
    let sql = "DELETE FROM push_device WHERE org_id = $1 AND account_id = $2
         AND (session_hash IS NULL OR session_hash <> $3)";
    q!(&mut *tx, execute, sql, org, id, kept.as_slice())?;
    one_time_token::end_all(&mut *tx, org, id).await?;
    device::forget(&mut *tx, origin, org, id, None).await?;
    api_key::revoke_of(&mut *tx, origin, org, id).await?;
    invite::revoke_of(&mut *tx, origin, org, id).await?;
    if is_first || !is_proven(&mut *tx, org, id).await? {
        // Once the address is proven a reset leaves passkeys as they are, and says so.
        passkey::remove_all(&mut *tx, org, id).await?;
    }
    if !is_first {
        return Ok(());
    }
    second_factor::forget(&mut *tx, account).await?;
    feed::end_all(&mut *tx, origin, org).await?;
    let others = "SELECT id FROM account WHERE org_id = $1 AND id <> $2";
    for other in q!(&mut *tx, fetch_all scalar AccountId, others, org, id)? {
        q!(&mut *tx, execute, "UPDATE account SET is_active = FALSE WHERE org_id = $1 AND id = $2", org, other)?;
        session::end_all(&mut *tx, org, other).await?;
        push_device::end_account(&mut *tx, org, other).await?;
        one_time_token::end_all(&mut *tx, org, other).await?;
        api_key::revoke_of(&mut *tx, origin, org, other).await?;
        invite::revoke_of(&mut *tx, origin, org, other).await?;
        passkey::remove_all(&mut *tx, org, other).await?;
    }
    if session.is_none() {
        // Connected accounts of others, and addresses that are told of every lead.
        q!(&mut *tx, execute, "DELETE FROM org_secret WHERE org_id = $1", org)?;
        q!(&mut *tx, execute, "DELETE FROM connected_account WHERE org_id = $1", org)?;
        let sql = "DELETE FROM recipient WHERE org_id = $1 AND address <> $2";
        q!(&mut *tx, execute, sql, org, &account.email)?;
        // What somebody wrote, or planned, to leave later.
        message::drop_waiting(&mut *tx, org, BEFORE_PROOF).await?;
        followup::stop_all(&mut *tx, org, BEFORE_PROOF).await?;
        trust_level::inherited::note(tx, origin, org).await?;
    }
    Ok(())
}

/// Whether the address of an account is proven.
pub async fn is_proven(conn: &mut dyn AsConn, org: OrgId, id: AccountId) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM account WHERE org_id = $1 AND id = $2 AND email_proved_at IS NOT NULL)";
    Ok(q!(conn, fetch_one scalar bool, sql, org, id)?)
}

/// Removes those whose time is over.
pub async fn prune(db: &Db, now: DateTime<Utc>) -> Result<()> {
    let mut tx = db.begin().await?;
    q!(&mut tx, execute, "DELETE FROM address_proof WHERE expires_at <= $1", now)?;
    trust_level::usage::prune(&mut tx, now).await?;
    tx.commit().await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_could_be_an_advertisement_is_not_mentioned() {
        for plain in ["Acme Plumbing", "O'Neil & Sons", "Ñandú Roofing, Electrical"] {
            assert_eq!(mentionable(plain), plain);
        }
        for other in ["win.example", "Call 5125550100", "https://x", "a@b", &"Win a lot of money ".repeat(3)] {
            assert_eq!(mentionable(other), UNNAMED, "{other}");
        }
        for odd in ["\u{1f6bf}\u{1f527}", "\u{200b}\u{200d}", "", "1234"] {
            assert_eq!(mentionable(odd), UNNAMED, "{odd:?}");
        }
        for odd in ["\u{1f527} Acme\u{200b} Plumbing \u{1f6bf}", "\u{202e}Acme  Plumbing"] {
            assert_eq!(mentionable(odd), "Acme Plumbing");
        }
    }

    #[test]
    fn a_token_is_bound_to_its_mail_its_address_and_this_install() {
        let (ours, id) = (SecretKey::new([7; 32]), Uuid::from_u128(1));
        let good = token(&ours, id, "ann@acme.example");
        assert_eq!(good, token(&ours, id, "ann@acme.example"));
        assert_ne!(good, token(&ours, id, "bob@acme.example"));
        assert_ne!(good, token(&ours, Uuid::from_u128(2), "ann@acme.example"));
        assert_ne!(good, token(&SecretKey::new([8; 32]), id, "ann@acme.example"));
    }
}
