//! What proves that whoever joins reads the mail of the address that they join with. It stands behind the token of the
//! link, only in a mail to that address: the link that the business sees proves nothing. So nobody learns by an
//! invitation whether somebody signs in with an address: without the proof every address is answered alike, and only its
//! mail tells.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest, Sha256};

use super::{Found, Joiner};
use crate::{
    domain::{
        messaging::message::{Kind, send::Outgoing},
        tenancy::{
            account::{find_by_email, proof::mentionable},
            install_mail::{self, Mail},
            trust_level::{self, TrustLevel},
        },
    },
    platform::{
        access_link,
        clock::Origin,
        db::Tx,
        error::Result,
        id::{LinkId, OrgId},
        public_url::PublicUrl,
        secret::SecretKey,
        throttle,
    },
};

/// Between the token of the link and the proof.
const BEFORE: char = '~';
/// Mails to one address in an hour.
const MAILS: i64 = 5;
/// Mails of one invitation in a day, to whatever addresses: one person joins by it.
const MAILS_OF_ONE: i64 = 5;
/// Mails of all invitations of a business in a day, as long as it is not trusted: its other emails are as few.
const MAILS_OF_UNTRUSTED: i64 = 20;
const PURPOSE: &str = "joins with address";

/// The proof for an address, in the invitations of one business.
#[must_use]
pub fn of(secret: &SecretKey, org: OrgId, email: &str) -> String {
    shown(&secret.blur(PURPOSE, &about(org, email)))
}

fn about(org: OrgId, email: &str) -> String {
    format!("{org}|{email}")
}

fn shown(whole: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(whole.get(..16).unwrap_or_default())
}

/// The token of a link, and the proof behind it.
#[must_use]
pub fn split(word: &str) -> (&str, Option<&str>) {
    match word.split_once(BEFORE) {
        Some((token, proof)) => (token, Some(proof)),
        None => (word, None),
    }
}

/// Whether it proves this address, by any key of the ring: a link that was mailed before the key was replaced stays good.
#[must_use]
pub fn fits(secret: &SecretKey, org: OrgId, email: &str, proof: &str) -> bool {
    // By their hashes, and all of them: how long it takes says nothing of how much of it was right.
    let given = Sha256::digest(proof);
    let made = secret.blurs(PURPOSE, &about(org, email));
    made.iter().fold(false, |fits, whole| fits | (Sha256::digest(shown(whole)) == given))
}

/// What stands in a stored mail in the proof's place: nobody knows it before the mail leaves.
pub(super) fn mark(org: OrgId) -> String {
    format!("[proof {org}]")
}

/// Puts the proof into a mail that is about to leave.
pub fn put_in(secret: &SecretKey, message: &mut Outgoing) {
    if message.kind == Kind::AccountNotice {
        let org = message.org_id;
        let words = format!("{BEFORE}{}", of(secret, org, &message.to_address));
        message.put_in(&mark(org), &words);
    }
}

/// The same for a mail of the install.
#[must_use]
pub fn put_in_text(secret: &SecretKey, to: &str, body: &str) -> String {
    let Some((before, rest)) = body.split_once("[proof ") else { return body.to_owned() };
    let Some((org, after)) = rest.split_once(']') else { return body.to_owned() };
    match org.parse() {
        Ok(org) => format!("{before}{BEFORE}{}{after}", of(secret, OrgId(org), to)),
        Err(_) => body.to_owned(),
    }
}

/// Mails an address that nobody has proved yet: a link to join with it, or that its reader signs in already.
///
/// # Errors
/// [`crate::platform::error::Error::TooMany`] when the invitation, or all of a business that is not trusted, sent enough today.
pub async fn ask(
    tx: &mut Tx,
    origin: &Origin,
    (secret, public_url): (&SecretKey, &PublicUrl),
    (found, link): (&Found, LinkId),
    joiner: &Joiner,
) -> Result<()> {
    let one = found.id.to_string();
    throttle::count_of_day(&mut *tx, origin, secret, "join mails of invitation", &one, MAILS_OF_ONE).await?;
    if trust_level::level(&mut *tx, found.org_id).await? != TrustLevel::Trusted {
        let all = found.org_id.to_string();
        throttle::count_of_day(&mut *tx, origin, secret, "join mails of business", &all, MAILS_OF_UNTRUSTED).await?;
    }
    // Its receiver asked for nothing yet: a name that could be an advertisement is not repeated.
    let (email, business) = (joiner.email.as_str(), mentionable(&found.org_name));
    let is_known = find_by_email(&mut *tx, email).await?.is_some();
    if !throttle::may_mail(&mut *tx, origin, secret, ("join mails", MAILS), email).await? {
        return Ok(());
    }
    let subject = format!("Join {business}");
    let link = format!(
        "{}{}",
        public_url.join(&access_link::path(secret, link, access_link::Kind::Invite)),
        mark(found.org_id)
    );
    let links = [("Choose your password", link.as_str())];
    let (body, links) = if is_known {
        let body = format!(
            "Somebody, probably you, wants to join {business} with this email address. You sign in to Toolbox \
             with it already, and one address belongs to one business. Open the invitation again and choose another \
             address.\n\nIf it was not you, there is nothing to do."
        );
        (body, links.get(1..).unwrap_or_default())
    } else {
        let body = format!(
            "Somebody, probably you, wants to join {business} with this email address. Choose your password, and you \
             are in.\n\nIf it was not you, there is nothing to do."
        );
        (body, links.as_slice())
    };
    let key = format!("join:{}", origin.uuid());
    install_mail::queue(tx, origin, &Mail { to: email, subject: &subject, body: &body, links, key: &key }).await
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn proof_is_of_one_address_one_business_and_this_install() {
        let (ours, org) = (SecretKey::new([7; 32]), OrgId(Uuid::from_u128(1)));
        let proof = of(&ours, org, "ann@acme.example");
        assert!(fits(&ours, org, "ann@acme.example", &proof) && proof.len() == 22);
        assert!(!fits(&ours, org, "bob@acme.example", &proof) && !fits(&ours, org, "ann@acme.example", ""));
        assert!(!fits(&ours, OrgId(Uuid::from_u128(2)), "ann@acme.example", &proof));
        assert!(!fits(&SecretKey::new([8; 32]), org, "ann@acme.example", &proof));
        let ring = SecretKey::new([8; 32]).with_old([[7; 32]]);
        assert!(fits(&ring, org, "ann@acme.example", &proof), "mailed before the key was replaced");
        assert_ne!(of(&ring, org, "ann@acme.example"), proof);
        let mailed = put_in_text(&ours, "ann@acme.example", &format!("here: https://x/join/abc{} Bye", mark(org)));
        assert_eq!(mailed, format!("here: https://x/join/abc~{proof} Bye"));
        assert_eq!(split(&format!("abc~{proof}")), ("abc", Some(proof.as_str())));
    }
}
