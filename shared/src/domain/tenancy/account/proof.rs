//! Email address proof: a mailed link, valid once, for three days, for one account (docs/trust-levels.md).
//!
//! The token is made when the mail is sent, as for a password reset: a database copy contains no usable token. It is in
//! the URL fragment, and the page needs a button press, so link prefetching proves nothing.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Duration, Utc};
use unicode_normalization::UnicodeNormalization;
use uuid::Uuid;

use super::{
    Account, Role, invite,
    listener::{AccessEvent, notify_access_listeners},
    one_time_token, passkey, password, second_factor,
};
use crate::{
    conflicts::ConflictCode,
    documents::recipient_name::email_greeting,
    domain::tenancy::{
        api_key,
        org::{self, Org},
        push_device,
        security::device,
        session,
        trust_level::{
            self,
            context::{RecipientScope, classify_recipient},
        },
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Db, Tx, q},
        error::{Error, Result},
        id::{AccountId, OrgId},
        live::{self, Topic},
        secret::SecretKey,
    },
};

/// Identifies its mail among account mails.
pub(crate) const PROOF_SUBJECT: &str = "Confirm your email address";
pub(crate) const ACCOUNT_MAIL_SENDER: &str = "Toolbox";
const UNNAMED: &str = "a business on Toolbox";
/// Longer names may be sentences.
const MOST_OF_A_NAME: usize = 50;
/// The same by words.
const MOST_WORDS: usize = 7;
/// In letters: a full stop after a longer word ends a sentence, and is not that of "Bros.".
const LONGEST_ABBREVIATION: usize = 5;
/// Words by which a name would speak to its reader.
const SPEAKING: [&str; 12] =
    ["you", "your", "yours", "you're", "youre", "usted", "ustedes", "click", "now", "verify", "password", "account"];
/// More digits may be a phone number.
const MOST_DIGITS: usize = 4;
/// Throttle name and hourly limit of registration mails to one mailbox. Outlives the registration.
pub const REGISTERED: (&str, i64) = ("registered with address", 3);
/// The same for a known address: links of the last hour are still valid.
pub const REGISTERED_AGAIN: (&str, i64) = ("registered again with address", 1);
/// Reason on messages dropped at the proof.
const BEFORE_PROOF: &str = "it was written before your email address was confirmed";
const LIFE: Duration = Duration::days(3);

fn proof_token(secret: &SecretKey, id: Uuid, to: &str) -> String {
    let proof = secret.keyed_hash("address proof", &format!("{id}|{to}"));
    URL_SAFE_NO_PAD.encode([id.as_bytes().as_slice(), &proof].concat())
}

/// Tokens under every key of the ring, the current one first.
fn proof_tokens(secret: &SecretKey, id: Uuid, to: &str) -> Vec<String> {
    let proofs = secret.keyed_hashes("address proof", &format!("{id}|{to}"));
    proofs.iter().map(|proof| URL_SAFE_NO_PAD.encode([id.as_bytes().as_slice(), proof].concat())).collect()
}

/// Stores a new link. Returns the id of the mail that is to carry it: its token is made when that mail is sent.
pub(crate) async fn create_proof_link(
    tx: &mut Tx,
    origin: &ClockRng,
    secret: &SecretKey,
    account: &Account,
) -> Result<Uuid> {
    let (id, now) = (origin.uuid_v7(), origin.now());
    q!(
        &mut *tx,
        execute,
        "INSERT INTO address_proof (token_hash, org_id, account_id, created_at, expires_at) VALUES ($1, $2, $3, $4, $5)",
        session::hash_token(&proof_token(secret, id, account.email.as_str())),
        account.org_id,
        account.id,
        now,
        now + LIFE
    )?;
    Ok(id)
}

/// The token of a mail, with the key of the time when it was queued: that may have been rotated since.
pub(crate) async fn find_proof_token(
    conn: &mut dyn AsConn,
    secret: &SecretKey,
    org: OrgId,
    (id, to): (Uuid, &str),
) -> Result<String> {
    let sql = "SELECT EXISTS (SELECT 1 FROM address_proof WHERE org_id = $1 AND token_hash = $2)";
    for token in proof_tokens(secret, id, to) {
        if q!(&mut *conn, fetch_one scalar bool, sql, org, session::hash_token(&token))? {
            return Ok(token);
        }
    }
    Ok(proof_token(secret, id, to))
}

/// The business name where it cannot be a link, a phone number or a sentence, without emoji and invisible characters;
/// else a placeholder.
pub(crate) fn safe_business_name(name: &str) -> String {
    let cleaned: String = name.nfc().map(plain_punctuation).filter(|c| c.is_ascii() || c.is_alphanumeric()).collect();
    let words: Vec<&str> = cleaned.split_whitespace().collect();
    let cleaned = words.join(" ");
    let says_something = cleaned.chars().any(char::is_alphabetic) && cleaned.chars().count() <= MOST_OF_A_NAME;
    let digits = cleaned.chars().filter(|c| c.is_numeric()).count();
    let is_safe =
        says_something && digits <= MOST_DIGITS && words.iter().all(|word| is_plain_word(word)) && !is_sentence(&words);
    if is_safe { cleaned } else { UNNAMED.to_owned() }
}

/// Apostrophe and dash as a keyboard types them.
fn plain_punctuation(c: char) -> char {
    match c {
        '\u{2018}' | '\u{2019}' => '\'',
        '\u{2010}'..='\u{2015}' => '-',
        other => other,
    }
}

fn is_sentence(words: &[&str]) -> bool {
    let speaks = |word: &&str| SPEAKING.contains(&word.trim_matches(['(', ')', ',', '.']).to_lowercase().as_str());
    let ends = |word: &&str| word.ends_with('.') && word.trim_end_matches('.').chars().count() > LONGEST_ABBREVIATION;
    let before_last = words.split_last().map_or(&[][..], |(_, before)| before);
    words.len() > MOST_WORDS || words.iter().any(speaks) || before_last.iter().any(ends)
}

/// Letters, digits and simple punctuation. A full stop ends the word or follows an initial, and a slash is between
/// digits or single letters ("24/7", "A/C"): neither makes a link.
fn is_plain_word(word: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || ['&', '\'', '-', ',', '.', '/', '+', '#', '(', ')'].contains(&c);
    let bare = word.trim_start_matches('(').trim_end_matches([',', '.', ')']);
    let has_no_link = !bare.contains('.') || bare.split('.').all(|initial| initial.chars().count() == 1);
    let is_short = |part: &str| part.chars().count() == 1 || part.chars().all(|c| c.is_ascii_digit());
    let has_no_path = !bare.contains('/') || bare.split('/').all(is_short);
    word.chars().all(is_plain) && has_no_link && has_no_path
}

pub async fn load_safe_business_name(conn: &mut dyn AsConn, org: OrgId) -> Result<String> {
    let org = org::find(conn, org).await?.ok_or(Error::NotFound)?;
    Ok(safe_business_name(&org.name))
}

pub(crate) struct MailAddressee {
    pub greeting: String,
    pub business: String,
    /// The address is unproven: the name of the business may be a stranger's text, so only a plain one is used.
    pub is_unproven: bool,
}

pub(crate) async fn load_mail_addressee(conn: &mut dyn AsConn, account: &Account, org: &Org) -> Result<MailAddressee> {
    let greeting = email_greeting(&account.name);
    if classify_recipient(conn, org.id, &account.email, true).await? != RecipientScope::OwnUnproven {
        return Ok(MailAddressee { greeting, business: org.name.clone(), is_unproven: false });
    }
    Ok(MailAddressee { greeting, business: safe_business_name(&org.name), is_unproven: true })
}

/// The account whose address a token proves.
///
/// # Errors
/// [`Error::NotFound`] when it is forged, used, expired, or the account is inactive.
pub async fn find_account_by_token(conn: &mut dyn AsConn, now: DateTime<Utc>, token: &str) -> Result<Account> {
    let sql = "SELECT p.org_id, p.account_id FROM address_proof p
         JOIN account a ON a.org_id = p.org_id AND a.id = p.account_id
         WHERE p.token_hash = $1 AND p.expires_at > $2 AND a.is_active = TRUE";
    let found = q!(&mut *conn, fetch_optional as (OrgId, AccountId), sql, session::hash_token(token), now)?;
    let (org, account) = found.ok_or(Error::NotFound)?;
    super::get(conn, org, account).await
}

/// Proves the address of `account` and uses up the link. `session` is the prover's own session in this account, which
/// continues. Without one the password is not proven to be theirs: it is ended, and a reset token is returned
/// (`account::reset`).
///
/// # Errors
/// [`Error::NotFound`] when the link was used concurrently.
pub async fn confirm_address(
    tx: &mut Tx,
    origin: &ClockRng,
    (token, account): (&str, &Account),
    session: Option<&str>,
) -> Result<Option<String>> {
    org::lock(&mut *tx, account.org_id).await?;
    let sql = "DELETE FROM address_proof WHERE token_hash = $1 AND expires_at > $2";
    if q!(&mut *tx, execute, sql, session::hash_token(token), origin.now())? != 1 {
        return Err(Error::NotFound);
    }
    let ends_password = session.is_none() && !is_address_proven(&mut *tx, account.org_id, account.id).await?;
    record_address_proof(&mut *tx, origin, account, session).await?;
    if !ends_password {
        return Ok(None);
    }
    let sql = "UPDATE account SET password_hash = $3, password_changed_at = $4 WHERE org_id = $1 AND id = $2";
    q!(&mut *tx, execute, sql, account.org_id, account.id, password::NOBODY, origin.now())?;
    one_time_token::create_token(tx, origin, account, one_time_token::TokenPurpose::Reset).await.map(Some)
}

/// Whether the address holder may have this registration removed.
pub(super) async fn can_disown(conn: &mut dyn AsConn, account: &Account) -> Result<bool> {
    if account.role != Role::Owner || !account.is_active {
        return Ok(false);
    }
    Ok(!trust_level::load_trust_facts(conn, account.org_id).await?.is_proven)
}

/// Uses up the link for a holder who did not register. The caller then deletes the registration.
///
/// # Errors
/// [`Error::NotFound`] for an invalid link; [`Error::Conflict`] when the business is proven.
pub async fn disown_registration(tx: &mut Tx, origin: &ClockRng, (token, account): (&str, &Account)) -> Result<()> {
    org::lock(&mut *tx, account.org_id).await?;
    if !can_disown(&mut *tx, account).await? {
        return Err(ConflictCode::RegistrationConfirmed.into_error());
    }
    let sql = "DELETE FROM address_proof WHERE org_id = $1 AND account_id = $2 AND token_hash = $3 AND expires_at > $4";
    if q!(tx, execute, sql, account.org_id, account.id, session::hash_token(token), origin.now())? == 1 {
        Ok(())
    } else {
        Err(Error::NotFound)
    }
}

/// Records an address proof, by a proof link or a reset link, and revokes earlier credentials. The caller holds the
/// business's lock. True for the first proof of the business.
pub async fn record_address_proof(
    tx: &mut Tx,
    origin: &ClockRng,
    account: &Account,
    session: Option<&str>,
) -> Result<bool> {
    let is_first =
        account.role == Role::Owner && trust_level::record_address_proven(&mut *tx, origin, account.org_id).await?;
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
    live::publish_event(tx, origin, account.org_id, Topic::Settings, account.org_id.0, None).await?;
    Ok(is_first)
}

/// Revokes all credentials made before the address was proven, except the prover's session: another person may have
/// made them. All kinds of credentials are listed here.
///
/// Before a business's first proof only the address holder has rights in it, so second factor, other accounts, API
/// keys, invitations and crew calendar addresses go too; without a session of the prover also connected accounts.
async fn revoke_credentials_before_proof(
    tx: &mut Tx,
    origin: &ClockRng,
    account: &Account,
    (session, is_first): (Option<&str>, bool),
) -> Result<()> {
    let (org, id) = (account.org_id, account.id);
    let kept = session.map(session::hash_token).unwrap_or_default();
    session::revoke_sessions_except(&mut *tx, org, id, &kept).await?;
    push_device::delete_other_devices(&mut *tx, org, id, &kept).await?;
    one_time_token::revoke_all_tokens(&mut *tx, org, id).await?;
    device::forget_other_devices(&mut *tx, origin, org, id, None).await?;
    api_key::revoke_by_account(&mut *tx, origin, org, id).await?;
    invite::revoke_by_inviter(&mut *tx, origin, org, id).await?;
    // Without a session the prover may be recovering from an intruder, whose passkey needs no password and no code.
    if session.is_none() || is_first || !is_address_proven(&mut *tx, org, id).await? {
        passkey::remove_all(&mut *tx, org, id).await?;
    }
    if !is_first {
        return Ok(());
    }
    second_factor::delete_second_factor(&mut *tx, account).await?;
    notify_access_listeners(&mut *tx, origin, org, AccessEvent::FirstProof).await?;
    let others = "SELECT id FROM account WHERE org_id = $1 AND id <> $2";
    for other in q!(&mut *tx, fetch_all scalar AccountId, others, org, id)? {
        q!(&mut *tx, execute, "UPDATE account SET is_active = FALSE WHERE org_id = $1 AND id = $2", org, other)?;
        session::revoke_all_sessions(&mut *tx, org, other).await?;
        push_device::delete_account_devices(&mut *tx, org, other).await?;
        one_time_token::revoke_all_tokens(&mut *tx, org, other).await?;
        api_key::revoke_by_account(&mut *tx, origin, org, other).await?;
        invite::revoke_by_inviter(&mut *tx, origin, org, other).await?;
        passkey::remove_all(&mut *tx, org, other).await?;
    }
    if session.is_none() {
        // Connected provider accounts, and addresses notified of every lead.
        org::keys::delete_all_keys(&mut *tx, org).await?;
        q!(&mut *tx, execute, "DELETE FROM connected_account WHERE org_id = $1", org)?;
        org::recipients::remove_other_addresses(&mut *tx, org, account.email.as_str()).await?;
        let event = AccessEvent::StrangerSuspected { reason: BEFORE_PROOF };
        notify_access_listeners(&mut *tx, origin, org, event).await?;
        trust_level::inherited::mark_inherited(tx, origin, org).await?;
    }
    Ok(())
}

pub async fn is_address_proven(conn: &mut dyn AsConn, org: OrgId, id: AccountId) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM account WHERE org_id = $1 AND id = $2 AND email_proved_at IS NOT NULL)";
    Ok(q!(conn, fetch_one scalar bool, sql, org, id)?)
}

pub async fn prune_expired_proofs(db: &Db, now: DateTime<Utc>) -> Result<()> {
    let mut tx = db.begin().await?;
    q!(&mut tx, execute, "DELETE FROM address_proof WHERE expires_at <= $1", now)?;
    trust_level::usage::prune_daily_usage(&mut tx, now).await?;
    tx.commit().await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn business_name_resembling_advertisement_is_not_mentioned() {
        let numbered = ["A1 Plumbing", "24/7 Roofing Co.", "J.R. Smith & Sons, Inc.", "Acme Plumbing 2"];
        for plain in ["Acme Plumbing", "O'Neil & Sons", "Ñandú Roofing, Electrical"].into_iter().chain(numbered) {
            assert_eq!(safe_business_name(plain), plain);
        }
        let links = ["win.example", "Go to win.example.", "https://x", "a@b", "win/now", "x.win.example"];
        let numbers = ["Call 5125550100", "Call 512-555-0100", "Call 512 555"];
        for other in links.into_iter().chain(numbers).chain([&*"Win a lot of money ".repeat(3)]) {
            assert_eq!(safe_business_name(other), UNNAMED, "{other}");
        }
        let spoken = ["Your account is locked", "CLICK here", "Confirm Now"];
        let told = ["Payment overdue. Reply to Bob", "we saw what was in the box today"];
        for sentence in spoken.into_iter().chain(told) {
            assert_eq!(safe_business_name(sentence), UNNAMED, "{sentence}");
        }
        for plain in [
            "Bob's A/C & Heating",
            "Mike's Plumbing (Austin)",
            "Smith Bros. Plumbing",
            "St. Mary Heating & Air Cond. Inc.",
        ] {
            assert_eq!(safe_business_name(plain), plain);
        }
        assert_eq!(safe_business_name("O\u{2019}Neil \u{2013} Roofs + #1 Gutters"), "O'Neil - Roofs + #1 Gutters");
        for odd in ["\u{1f6bf}\u{1f527}", "\u{200b}\u{200d}", "", "1234"] {
            assert_eq!(safe_business_name(odd), UNNAMED, "{odd:?}");
        }
        for odd in ["\u{1f527} Acme\u{200b} Plumbing \u{1f6bf}", "\u{202e}Acme  Plumbing"] {
            assert_eq!(safe_business_name(odd), "Acme Plumbing");
        }
    }

    #[test]
    fn token_is_bound_to_mail_id_recipient_and_install_key() {
        let (ours, id) = (SecretKey::new([7; 32]), Uuid::from_u128(1));
        let good = proof_token(&ours, id, "ann@acme.example");
        assert_eq!(good, proof_token(&ours, id, "ann@acme.example"));
        assert_ne!(good, proof_token(&ours, id, "bob@acme.example"));
        assert_ne!(good, proof_token(&ours, Uuid::from_u128(2), "ann@acme.example"));
        assert_ne!(good, proof_token(&SecretKey::new([8; 32]), id, "ann@acme.example"));
    }
}
