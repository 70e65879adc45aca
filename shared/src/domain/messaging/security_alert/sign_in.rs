//! Alerts about sign-ins and about people who look for foreign records.

use chrono::{DateTime, Utc};

use super::{SecurityAlertContext, notify_security_alert, raise_alert};
use crate::{
    domain::tenancy::{
        account::Account,
        security::{
            self, MANY_FOREIGN_IDS, Principal, SecurityAlertId, SecurityFinding, SignInDevice, count_occurrences,
        },
    },
    platform::{
        clock::ClockRng,
        db::Tx,
        email_address::EmailAddress,
        error::Result,
        id::{AccountId, OrgId},
        public_url::PublicUrl,
    },
};

/// Failed sign-ins of one account per hour that raise an alert.
const MANY_FAILURES: i64 = 10;

/// Counts a failed sign-in. `account` is none for an unknown address, which is counted too, for equal timing.
pub async fn record_sign_in_failure(
    tx: &mut Tx,
    origin: &ClockRng,
    public_url: &PublicUrl,
    org: OrgId,
    account: Option<(AccountId, &EmailAddress)>,
) -> Result<()> {
    let subject = account.map_or_else(|| "unknown".to_owned(), |(id, _)| id.to_string());
    let failures = count_occurrences(&mut *tx, origin, org, SecurityAlertId::SignInFailures, &subject, 1).await?;
    let Some((_, email)) = account.filter(|_| failures == MANY_FAILURES) else { return Ok(()) };
    let cause = SecurityFinding {
        alert: SecurityAlertId::SignInFailures,
        subject,
        title: "Many failed sign-ins".to_owned(),
        body: format!(
            "Someone tried {MANY_FAILURES} times within an hour to sign in as {email} and failed. Further tries are slowed down; nothing was locked.\n\nIf it was not you: choose a password that you use nowhere else, and turn on two-factor authentication."
        ),
        also: vec![email.clone()],
    };
    raise_alert(tx, origin, public_url, org, &cause).await?;
    Ok(())
}

/// Alerts owners and operators about many requests for foreign or missing records. Returns whether an alert is sent
/// now.
pub async fn notify_id_enumeration(tx: &mut Tx, ctx: &SecurityAlertContext<'_>, seeker: &Principal) -> Result<bool> {
    let cause = SecurityFinding {
        alert: SecurityAlertId::ForeignIds,
        subject: seeker.account.to_string(),
        title: "Someone is looking for other people's records".to_owned(),
        body: format!(
            "{} asked for {MANY_FOREIGN_IDS} records within an hour that belong to another business or do not exist. Nothing was shown.\n\nAsk them what they were doing. If it was not them: end their sessions and have them choose a new password.",
            seeker.email
        ),
        also: Vec::new(),
    };
    notify_security_alert(tx, ctx, Some(seeker.org), &cause).await
}

/// Records a sign-in with the presented token, if any. Returns the browser's token. Owners and the person are alerted
/// unless it is the person's first browser.
pub async fn record_sign_in_device(
    tx: &mut Tx,
    origin: &ClockRng,
    public_url: &PublicUrl,
    account: &Account,
    shown: Option<&str>,
    user_agent: Option<&str>,
) -> Result<String> {
    let SignInDevice { token, is_unfamiliar } =
        security::store_sign_in_device(&mut *tx, origin, account, shown).await?;
    if is_unfamiliar {
        let finding = new_device_finding(account, &token, origin.now(), user_agent);
        raise_alert(tx, origin, public_url, account.org_id, &finding).await?;
    }
    Ok(token)
}

/// The browser family. The header's own text is untrusted and not repeated.
fn browser_family(user_agent: &str) -> &'static str {
    const FAMILIES: [(&str, &str); 6] = [
        ("Edg", "Edge"),
        ("OPR/", "Opera"),
        ("Firefox", "Firefox"),
        ("Chrome", "Chrome"),
        ("CriOS", "Chrome"),
        ("Safari", "Safari"),
    ];
    FAMILIES.iter().find(|(mark, _)| user_agent.contains(mark)).map_or("unknown", |(_, name)| *name)
}

fn new_device_finding(account: &Account, token: &str, now: DateTime<Utc>, user_agent: Option<&str>) -> SecurityFinding {
    // One cause per browser.
    let subject = format!("{}{}", account.id, security::token_fingerprint(token));
    SecurityFinding {
        alert: SecurityAlertId::NewDevice,
        subject,
        title: "Sign-in from a new device".to_owned(),
        body: format!(
            "{} signed in from a browser they had not used before.\n\nWhen: {} UTC. Browser: {}.\n\nIf it was not you: change your password now, and look at Your sessions.",
            account.email,
            now.format("%Y-%m-%d %H:%M"),
            user_agent.map_or("unknown", browser_family)
        ),
        also: vec![account.email.clone()],
    }
}
