//! Proof that a joining person reads the mail of their address. It is appended to the link's token, only in mail to
//! that address; the link shown to the business has none. Without it every address gets the same answer, so an
//! invitation cannot be used to probe for accounts.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest, Sha256};

use super::{LinkedInvite, NewTeamMember};
use crate::{
    domain::tenancy::{
        account::{find_by_email, proof::safe_business_name},
        install_mail::{self, InstallMail},
        trust_level::{self, TrustLevel, TrustSubject, sending_closed_reason, usage},
    },
    platform::{
        access_link,
        clock::ClockRng,
        db::{AsConn, Tx},
        error::{Error, Result},
        id::{LinkId, OrgId},
        public_url::PublicUrl,
        secret::SecretKey,
        throttle,
    },
};

/// Separator between token and proof.
const BEFORE: char = '~';
/// Mails per address and hour.
const MAILS: i64 = 5;
/// Mails per invitation and day, to any address; one person joins by it.
const MAILS_OF_ONE: throttle::WindowLimit = throttle::WindowLimit::per_day(5);
/// Mails per day for all invitations of an untrusted business; as few as its other emails.
const MAILS_OF_UNTRUSTED: throttle::WindowLimit = throttle::WindowLimit::per_day(20);
/// Mails of these to the address that the owner typed into the invitation, which its making has paid for.
const MAILS_TO_INVITED: throttle::WindowLimit = throttle::WindowLimit::per_day(2);
/// Read by the person who joins, so it does not speak of payments.
const NOT_MAILED: &str =
    "We cannot email this address for the business yet. Ask its owner to send an invitation to this address.";
/// What follows where the business may not email anybody yet.
const UNTIL_IT_SENDS: &str = "cannot send email yet, so your address cannot be confirmed. Ask its owner to look under \
     Settings, Plan and billing, and open this link again after that.";
const PURPOSE: &str = "joins with address";

/// The proof for an address, valid for all invitations of the business.
#[must_use]
pub fn address_proof(secret: &SecretKey, org: OrgId, email: &str) -> String {
    encode_proof(&secret.keyed_hash(PURPOSE, &proof_subject(org, email)))
}

fn proof_subject(org: OrgId, email: &str) -> String {
    format!("{org}|{email}")
}

fn encode_proof(whole: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(whole.get(..16).unwrap_or_default())
}

#[must_use]
pub fn split_token(word: &str) -> (&str, Option<&str>) {
    match word.split_once(BEFORE) {
        Some((token, proof)) => (token, Some(proof)),
        None => (word, None),
    }
}

/// Whether it proves this address, with any key of the ring: links stay valid after a key rotation.
#[must_use]
pub fn is_valid_proof(secret: &SecretKey, org: OrgId, email: &str, proof: &str) -> bool {
    // Compares hashes, and all of them: constant time.
    let given = Sha256::digest(proof);
    let made = secret.keyed_hashes(PURPOSE, &proof_subject(org, email));
    made.iter().fold(false, |fits, whole| fits | (Sha256::digest(encode_proof(whole)) == given))
}

/// Placeholder for the proof in a stored mail; the proof is made only when the mail is sent.
pub(crate) fn invite_proof_placeholder(org: OrgId) -> String {
    format!("[proof {org}]")
}

/// What a mail to `email` appends to the link.
pub(crate) fn invite_link_suffix(secret: &SecretKey, org: OrgId, email: &str) -> String {
    format!("{BEFORE}{}", address_proof(secret, org, email))
}

#[must_use]
pub fn fill_proof_in_text(secret: &SecretKey, to: &str, body: &str) -> String {
    let Some((before, rest)) = body.split_once("[proof ") else { return body.to_owned() };
    let Some((org, after)) = rest.split_once(']') else { return body.to_owned() };
    match org.parse() {
        Ok(org) => format!("{before}{}{after}", invite_link_suffix(secret, OrgId(org), to)),
        Err(_) => body.to_owned(),
    }
}

/// Whether nothing that the business sends leaves yet. Then nobody joins by a link that was not mailed to them.
pub async fn is_join_mail_closed(conn: &mut dyn AsConn, org: OrgId, takes_money: bool) -> Result<bool> {
    Ok(sending_closed_reason(conn, org, takes_money).await?.is_some())
}

/// Mails an unproven address: a link to join, or a notice that it already has an account.
///
/// # Errors
/// [`Error::TrustLimit`] where the business may not email the address, or nobody; [`Error::RateLimited`] at the daily
/// limit of the invitation or of the untrusted business.
pub async fn send_join_mail(
    tx: &mut Tx,
    origin: &ClockRng,
    (secret, public_url): (&SecretKey, &PublicUrl),
    (found, link): (&LinkedInvite, LinkId),
    joiner: &NewTeamMember,
    takes_money: bool,
) -> Result<()> {
    // Before the account is looked for, so that the refusal is the same for every address.
    if is_join_mail_closed(&mut *tx, found.org_id, takes_money).await? {
        return Err(Error::TrustLimit(format!("{} {UNTIL_IT_SENDS}", found.org_name)));
    }
    let one = found.id.to_string();
    throttle::count_action(&mut *tx, origin, secret, "join mails of invitation", &one, MAILS_OF_ONE).await?;
    if trust_level::load_trust_level(&mut *tx, found.org_id).await? != TrustLevel::Trusted {
        let all = found.org_id.to_string();
        throttle::count_action(&mut *tx, origin, secret, "join mails of business", &all, MAILS_OF_UNTRUSTED).await?;
        charge_join_mail(&mut *tx, origin, secret, (found, joiner), takes_money).await?;
    }
    // The receiver did not ask for mail: a name that could be advertising is not repeated.
    let (email, business) = (&joiner.email, safe_business_name(&found.org_name));
    let is_known = find_by_email(&mut *tx, email.as_str()).await?.is_some();
    if !throttle::try_count_mail(&mut *tx, origin, secret, ("join mails", MAILS), email.as_str()).await? {
        return Ok(());
    }
    let subject = format!("Join {business}");
    let link = format!(
        "{}{}",
        public_url.join(&access_link::build_path(secret, link, access_link::LinkKind::Invite)),
        invite_proof_placeholder(found.org_id)
    );
    let links = [("Choose your password", link.as_str())];
    let (body, links) = if is_known {
        let body = format!(
            "Someone, probably you, wants to join {business} with this email address. You already sign in to Toolbox \
             with it, and one address belongs to one business. Open the invitation again and choose another \
             address.\n\nIf it was not you, ignore this email."
        );
        (body, links.get(1..).unwrap_or_default())
    } else {
        let body = format!(
            "Someone, probably you, wants to join {business} with this email address. Choose your password, and you \
             are in.\n\nIf it was not you, ignore this email."
        );
        (body, links.as_slice())
    };
    let key = format!("join:{}", origin.uuid_v7());
    let mail = InstallMail { to: email, subject: &subject, body: &body, links, key: &key };
    install_mail::enqueue_mail(tx, origin, secret, &mail).await
}

/// The link can be posted by anyone, with any address: a mail counts as one of the business's to others, except a few to
/// the invited address. Charged before the account is looked for, so that the refusal is the same for every address.
async fn charge_join_mail(
    tx: &mut Tx,
    origin: &ClockRng,
    secret: &SecretKey,
    (found, joiner): (&LinkedInvite, &NewTeamMember),
    takes_money: bool,
) -> Result<()> {
    let one = found.id.to_string();
    if found.is_meant_for(&joiner.email)
        && throttle::try_count_action(&mut *tx, origin, secret, "join mails to invited", &one, MAILS_TO_INVITED).await?
    {
        return Ok(());
    }
    let charged = usage::consume_budget(tx, origin, (found.org_id, TrustSubject::Email), 1, takes_money).await;
    charged.map_err(|refused| match refused {
        Error::TrustLimit(_) => Error::TrustLimit(NOT_MAILED.to_owned()),
        other => other,
    })
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn proof_is_valid_for_one_address_org_and_install_key_only() {
        let (ours, org) = (SecretKey::new([7; 32]), OrgId(Uuid::from_u128(1)));
        let proof = address_proof(&ours, org, "ann@acme.example");
        assert!(is_valid_proof(&ours, org, "ann@acme.example", &proof) && proof.len() == 22);
        assert!(
            !is_valid_proof(&ours, org, "bob@acme.example", &proof)
                && !is_valid_proof(&ours, org, "ann@acme.example", "")
        );
        assert!(!is_valid_proof(&ours, OrgId(Uuid::from_u128(2)), "ann@acme.example", &proof));
        assert!(!is_valid_proof(&SecretKey::new([8; 32]), org, "ann@acme.example", &proof));
        let ring = SecretKey::new([8; 32]).with_old_keys([[7; 32]]);
        assert!(is_valid_proof(&ring, org, "ann@acme.example", &proof), "mailed before the key was replaced");
        assert_ne!(address_proof(&ring, org, "ann@acme.example"), proof);
        let mailed = fill_proof_in_text(
            &ours,
            "ann@acme.example",
            &format!("here: https://x/join/abc{} Bye", invite_proof_placeholder(org)),
        );
        assert_eq!(mailed, format!("here: https://x/join/abc~{proof} Bye"));
        assert_eq!(split_token(&format!("abc~{proof}")), ("abc", Some(proof.as_str())));
    }
}
