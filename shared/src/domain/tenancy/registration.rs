//! Registration policy of the install: `REGISTRATION`, and operator invitations (docs/trust-levels.md).

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    domain::tenancy::install_mail::{self, InstallMail},
    platform::{
        clock::ClockRng,
        config::EnvVars,
        db::{AsConn, Tx, acquire_advisory_lock, q},
        email_address::EmailAddress,
        error::{Error, Result},
        id::DEMO_ORG,
        public_url::PublicUrl,
        secret::{SecretKey, TAG_LEN},
        text_enum::parse_variant,
        throttle,
    },
};

const PURPOSE: &str = "invitation to register";
const GOOD_FOR: Duration = Duration::days(14);
const INVITATION_INVALID: &str =
    "This invitation is no longer valid, or it was sent to another address. Use the address that got it.";
/// Throttle name and hourly limit of invitations to an operator whose registration was refused.
const OPERATOR_INVITED: (&str, i64) = ("operator invites", 1);
/// Lock key: serializes two first registrations.
const REGISTERING: i64 = 0x7265_6769;
const INSTANT: usize = 8;

/// Who may register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = Registration)]
pub enum RegistrationMode {
    /// Anybody.
    Open,
    /// Who was invited by the operator; others may ask to be.
    Invite,
    /// By invitation only, and the site does not offer it.
    Closed,
}

impl RegistrationMode {
    /// Errors are added to `vars`.
    pub(crate) fn from_vars(vars: &mut EnvVars) -> Option<Self> {
        let parsed = parse_variant(&vars.get("REGISTRATION")?);
        if parsed.is_none() {
            vars.record_invalid("REGISTRATION", "must be open, invite or closed");
        }
        parsed
    }

    #[must_use]
    pub fn refusal_message(self) -> Option<&'static str> {
        match self {
            Self::Open => None,
            Self::Invite => Some("You need an invitation to register here. Request a demo, and we send you one."),
            Self::Closed => Some("This Toolbox is not open to new businesses."),
        }
    }
}

/// The policy that the settings alone decide; `None` where it depends on whether there is a business.
#[must_use]
pub fn configured_mode(set: Option<RegistrationMode>, takes_money: bool) -> Option<RegistrationMode> {
    set.or(takes_money.then_some(RegistrationMode::Open))
}

/// The policy now: the operator's setting, else open where businesses pay, else open until there is one business.
pub async fn effective_mode(
    conn: &mut dyn AsConn,
    set: Option<RegistrationMode>,
    takes_money: bool,
) -> Result<RegistrationMode> {
    if let Some(mode) = configured_mode(set, takes_money) {
        return Ok(mode);
    }
    Ok(if has_registered_business(conn).await? { RegistrationMode::Closed } else { RegistrationMode::Open })
}

async fn has_registered_business(conn: &mut dyn AsConn) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM org WHERE id <> $1)";
    Ok(q!(conn, fetch_one scalar bool, sql, DEMO_ORG)?)
}

/// Whether nobody can register: registration is not open, no business exists, and no operator is named.
pub async fn is_install_locked(
    conn: &mut dyn AsConn,
    (set, takes_money): (Option<RegistrationMode>, bool),
    operators: &[EmailAddress],
) -> Result<bool> {
    if !operators.is_empty() || matches!(configured_mode(set, takes_money), None | Some(RegistrationMode::Open)) {
        return Ok(false);
    }
    has_registered_business(conn).await.map(|is_used| !is_used)
}

/// Checks whether `email` may register, valid until the transaction ends. True for a presented operator invitation to
/// this address, which proves that its mail was read. An operator's address is refused like any other
/// ([`mail_operator_invitation`]).
///
/// # Errors
/// [`Error::RegistrationClosed`] and [`Error::RegistrationByInvitation`] with a message for the person.
pub async fn authorize_registration(
    tx: &mut Tx,
    origin: &ClockRng,
    secret: &SecretKey,
    (set, takes_money): (Option<RegistrationMode>, bool),
    (email, invitation): (&str, Option<&str>),
) -> Result<bool> {
    acquire_advisory_lock(&mut *tx, REGISTERING).await?;
    if invitation.is_some_and(|token| is_invited(secret, email, token, origin.now())) {
        return Ok(true);
    }
    let mode = effective_mode(tx, set, takes_money).await?;
    let Some(words) = mode.refusal_message() else { return Ok(false) };
    let words = if invitation.is_some() { INVITATION_INVALID } else { words };
    Err(match mode {
        RegistrationMode::Invite => Error::RegistrationByInvitation(words),
        RegistrationMode::Open | RegistrationMode::Closed => Error::RegistrationClosed(words),
    })
}

/// The invitation token: expiry, and a keyed hash of expiry and address.
fn invitation_token(secret: &SecretKey, email: &str, until: DateTime<Utc>) -> String {
    let until = until.timestamp().to_be_bytes();
    let tag = secret.mac_tag(PURPOSE, &[&until, email.as_bytes()]);
    URL_SAFE_NO_PAD.encode([until.as_slice(), &tag].concat())
}

fn is_invited(secret: &SecretKey, email: &str, token: &str, now: DateTime<Utc>) -> bool {
    let Some(bytes) =
        URL_SAFE_NO_PAD.decode(token).ok().and_then(|bytes| <[u8; INSTANT + TAG_LEN]>::try_from(bytes).ok())
    else {
        return false;
    };
    let Some((until, tag)) = bytes.split_first_chunk::<INSTANT>() else { return false };
    i64::from_be_bytes(*until) > now.timestamp() && secret.verify_tag(PURPOSE, &[until, email.as_bytes()], tag)
}

#[must_use]
pub fn invitation_link(secret: &SecretKey, public_url: &PublicUrl, email: &str, now: DateTime<Utc>) -> String {
    public_url.join(&format!("/register#{}", invitation_token(secret, email, now + GOOD_FOR)))
}

/// Mails an invitation to a refused address that is one of `operators`, at most once an hour. The caller answers all
/// refused addresses alike.
pub async fn mail_operator_invitation(
    tx: &mut Tx,
    origin: &ClockRng,
    secret: &SecretKey,
    public_url: &PublicUrl,
    operators: &[EmailAddress],
    email: &EmailAddress,
) -> Result<()> {
    let is_due = operators.contains(email)
        && throttle::try_count_mail(&mut *tx, origin, secret, OPERATOR_INVITED, email.as_str()).await?;
    if is_due { send_invitation(tx, origin, secret, public_url, email).await } else { Ok(()) }
}

/// Mails an invitation to register, valid for 14 days and this address only.
pub async fn send_invitation(
    tx: &mut Tx,
    origin: &ClockRng,
    secret: &SecretKey,
    public_url: &PublicUrl,
    email: &EmailAddress,
) -> Result<()> {
    let link = invitation_link(secret, public_url, email.as_str(), origin.now());
    let body = format!(
        "Hi,\n\nYou are invited to set up your business on Toolbox. Register with this email address, {email}.\n\nThe \
         invitation is good for 14 days. If you did not expect it, ignore this email."
    );
    let key = format!("register_invite:{}", origin.uuid_v7());
    let links = [("Set up your business", link.as_str())];
    let mail = InstallMail { to: email, subject: "Set up your business", body: &body, links: &links, key: &key };
    install_mail::enqueue_mail(tx, origin, secret, &mail).await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + Duration::days(20_000)
    }

    #[test]
    fn invitation_token_is_valid_only_for_its_address_until_expiry() {
        let ours = SecretKey::new([7; 32]);
        let good = invitation_token(&ours, "ann@acme.example", now() + GOOD_FOR);
        assert!(is_invited(&ours, "ann@acme.example", &good, now()));
        assert!(!is_invited(&ours, "bob@acme.example", &good, now()));
        assert!(!is_invited(&ours, "ann@acme.example", &good, now() + GOOD_FOR));
        assert!(!is_invited(&SecretKey::new([8; 32]), "ann@acme.example", &good, now()));
        for bad in ["", "x", &good[1..], &format!("{good}A")] {
            assert!(!is_invited(&ours, "ann@acme.example", bad, now()), "{bad}");
        }
    }

    #[test]
    fn unknown_registration_mode_is_reported_as_fault() {
        let read = |given: &str| {
            let mut vars = EnvVars::from_pairs([("REGISTRATION", given)]);
            let found = RegistrationMode::from_vars(&mut vars);
            (found, vars.into_result().is_err())
        };
        assert_eq!(read("open"), (Some(RegistrationMode::Open), false));
        assert_eq!(read("invite"), (Some(RegistrationMode::Invite), false));
        assert_eq!(read("closed"), (Some(RegistrationMode::Closed), false));
        assert_eq!(read("shut"), (None, true));
    }
}
