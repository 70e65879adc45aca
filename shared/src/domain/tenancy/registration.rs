//! Who may register a business on this install: `REGISTRATION`, and the operator's invitations (docs/trust-levels.md).

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Duration, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    domain::tenancy::install_mail::{self, Mail},
    platform::{
        clock::Origin,
        config::Vars,
        db::{AsConn, Tx, one_at_a_time, q},
        error::{Error, Result},
        id::DEMO_ORG,
        public_url::PublicUrl,
        secret::{SecretKey, TAG},
    },
};

const PURPOSE: &str = "invitation to register";
/// How long an invitation is good.
const GOOD_FOR: Duration = Duration::days(14);
/// Of two first businesses at the same instant the second finds the first.
const REGISTERING: i64 = 0x7265_6769;
/// Bytes of the instant in a token.
const INSTANT: usize = 8;

/// Who may register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Registration {
    /// Anybody.
    Open,
    /// Who was invited by the operator; others may ask to be.
    Invite,
    /// Nobody without an invitation, and nobody is asked to want one.
    Closed,
}

impl Registration {
    /// Faults are noted in `vars`.
    pub(crate) fn from_vars(vars: &mut Vars) -> Option<Self> {
        match vars.get("REGISTRATION")?.as_str() {
            "open" => Some(Self::Open),
            "invite" => Some(Self::Invite),
            "closed" => Some(Self::Closed),
            _ => {
                vars.fault("REGISTRATION", "must be open, invite or closed");
                None
            }
        }
    }

    /// What a person is told who may not register; none where everybody may.
    #[must_use]
    pub fn refusal(self) -> Option<&'static str> {
        match self {
            Self::Open => None,
            Self::Invite => Some("You need an invitation to register here. Request a demo, and we send you one."),
            Self::Closed => Some("This Toolbox is not open to new businesses."),
        }
    }
}

/// Who may register now: what the operator set, else open where businesses pay, else open until there is one.
pub async fn mode(conn: &mut dyn AsConn, set: Option<Registration>, takes_money: bool) -> Result<Registration> {
    if let Some(set) = set {
        return Ok(set);
    }
    if takes_money {
        return Ok(Registration::Open);
    }
    let sql = "SELECT EXISTS (SELECT 1 FROM org WHERE id <> $1)";
    let is_taken = q!(conn, fetch_one scalar bool, sql, DEMO_ORG)?;
    Ok(if is_taken { Registration::Closed } else { Registration::Open })
}

/// Looks whether `email` may register at this moment, and holds the answer until the transaction ends. True when the
/// operator's invitation to this very address was shown, which only a mail to it has told.
///
/// # Errors
/// [`Error::RegistrationClosed`] in a sentence for the person.
pub async fn admit(
    tx: &mut Tx,
    origin: &Origin,
    secret: &SecretKey,
    (set, takes_money): (Option<Registration>, bool),
    (email, invitation): (&str, Option<&str>),
) -> Result<bool> {
    one_at_a_time(&mut *tx, REGISTERING).await?;
    if invitation.is_some_and(|token| is_invited(secret, email, token, origin.now())) {
        return Ok(true);
    }
    match mode(tx, set, takes_money).await?.refusal() {
        None => Ok(false),
        Some(_) if invitation.is_some() => Err(Error::RegistrationClosed(
            "This invitation is not valid any more, or it was sent to another address. Use the address that got it.",
        )),
        Some(words) => Err(Error::RegistrationClosed(words)),
    }
}

/// What stands in an invitation: until when it is good, and a keyed hash of that and the address.
fn token(secret: &SecretKey, email: &str, until: DateTime<Utc>) -> String {
    let until = until.timestamp().to_be_bytes();
    let tag = secret.tag(PURPOSE, &[&until, email.as_bytes()]);
    URL_SAFE_NO_PAD.encode([until.as_slice(), &tag].concat())
}

fn is_invited(secret: &SecretKey, email: &str, token: &str, now: DateTime<Utc>) -> bool {
    let Some(bytes) = URL_SAFE_NO_PAD.decode(token).ok().and_then(|bytes| <[u8; INSTANT + TAG]>::try_from(bytes).ok())
    else {
        return false;
    };
    let Some((until, tag)) = bytes.split_first_chunk::<INSTANT>() else { return false };
    i64::from_be_bytes(*until) > now.timestamp() && secret.is_tag(PURPOSE, &[until, email.as_bytes()], tag)
}

/// The address at which somebody who is invited registers.
#[must_use]
pub fn link(secret: &SecretKey, public_url: &PublicUrl, email: &str, now: DateTime<Utc>) -> String {
    public_url.join(&format!("/register#{}", token(secret, email, now + GOOD_FOR)))
}

/// Mails somebody an invitation to register a business here. It is good for 14 days and for that address.
pub async fn invite(
    tx: &mut Tx,
    origin: &Origin,
    secret: &SecretKey,
    public_url: &PublicUrl,
    email: &str,
) -> Result<()> {
    let link = link(secret, public_url, email, origin.now());
    let body = format!(
        "Hi,\n\nYou are invited to set up your business on Toolbox. Register with this email address, {email}.\n\nThe \
         invitation is good for 14 days. If you did not expect it, there is nothing to do."
    );
    let key = format!("register_invite:{}", origin.uuid());
    let links = [("Set up your business", link.as_str())];
    let mail = Mail { to: email, subject: "Set up your business", body: &body, links: &links, key: &key };
    install_mail::queue(tx, origin, &mail).await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + Duration::days(20_000)
    }

    #[test]
    fn an_invitation_is_good_for_its_address_and_its_time() {
        let ours = SecretKey::new([7; 32]);
        let good = token(&ours, "ann@acme.example", now() + GOOD_FOR);
        assert!(is_invited(&ours, "ann@acme.example", &good, now()));
        assert!(!is_invited(&ours, "bob@acme.example", &good, now()));
        assert!(!is_invited(&ours, "ann@acme.example", &good, now() + GOOD_FOR));
        assert!(!is_invited(&SecretKey::new([8; 32]), "ann@acme.example", &good, now()));
        for bad in ["", "x", &good[1..], &format!("{good}A")] {
            assert!(!is_invited(&ours, "ann@acme.example", bad, now()), "{bad}");
        }
    }

    #[test]
    fn whatever_is_not_one_of_the_three_is_named() {
        let read = |given: &str| {
            let mut vars = Vars::from_pairs([("REGISTRATION", given)]);
            let found = Registration::from_vars(&mut vars);
            (found, vars.finish().is_err())
        };
        assert_eq!(read("open"), (Some(Registration::Open), false));
        assert_eq!(read("invite"), (Some(Registration::Invite), false));
        assert_eq!(read("closed"), (Some(Registration::Closed), false));
        assert_eq!(read("shut"), (None, true));
    }
}
