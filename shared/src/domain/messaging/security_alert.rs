//! Delivery of security alerts: to owners who want them, and to operators if the install is concerned.

use uuid::Uuid;

use super::{
    alert::{self, NewAlert, ScheduledAlert},
    message::{self, MessageDraft, MessageKind, NewMessage},
};
use crate::{
    documents::template::EmailPage,
    domain::tenancy::{
        account,
        install_mail::{self, InstallMail},
        org::{self, Org},
        security::{SecurityFinding, is_alert_enabled, list_owners, record_fired},
    },
    platform::{
        clock::ClockRng,
        db::Tx,
        email_address::EmailAddress,
        error::Result,
        id::{MessageId, OrgId},
        public_url::PublicUrl,
        secret::SecretKey,
    },
};

pub mod forged_callbacks;
mod sign_in;
pub mod traffic_check;

pub use sign_in::{notify_id_enumeration, record_sign_in_device, record_sign_in_failure};

const PAGE: &str = "/app/admin";

#[derive(Clone, Copy, Debug)]
pub struct SecurityAlertContext<'a> {
    pub origin: &'a ClockRng,
    pub public_url: &'a PublicUrl,
    /// With the key that seals their mail; none where only owners are alerted.
    pub operators: Option<(&'a SecretKey, &'a [EmailAddress])>,
}

#[derive(Debug, Default)]
struct OwnerAlertOutcome {
    /// Whether an alert is sent now, not earlier today.
    is_new: bool,
    /// Addresses notified now or earlier today.
    knowing: Vec<EmailAddress>,
}

/// Alerts the owners about their own business, unless disabled or sent today. Returns whether it is sent now.
pub async fn raise_alert(
    tx: &mut Tx,
    origin: &ClockRng,
    public_url: &PublicUrl,
    org: OrgId,
    cause: &SecurityFinding,
) -> Result<bool> {
    debug_assert!(!cause.notifies_operators(), "this cause also notifies the operators");
    notify_security_alert(tx, &SecurityAlertContext { origin, public_url, operators: None }, Some(org), cause).await
}

/// Alerts the owners, unless disabled or sent today, and the operators about install matters, regardless of owners'
/// settings. Each address gets one mail. Returns whether there may be something to send now.
pub async fn notify_security_alert(
    tx: &mut Tx,
    ctx: &SecurityAlertContext<'_>,
    org: Option<OrgId>,
    cause: &SecurityFinding,
) -> Result<bool> {
    let business = match org {
        Some(org) => org::find(&mut *tx, org).await?,
        None => None,
    };
    let (mut there, mut beside) = (OwnerAlertOutcome::default(), None);
    if let Some(business) = business {
        let wants_it = is_alert_enabled(&mut *tx, business.id, cause.alert).await?;
        beside = Some(if wants_it {
            format!("The owners of {} are notified, too.", business.name)
        } else {
            format!("The owners of {} have switched this alert off and are not told.", business.name)
        });
        if wants_it {
            there = notify_owners(&mut *tx, ctx, business, cause).await?;
        }
    }
    if !cause.notifies_operators() {
        return Ok(there.is_new);
    }
    let Some((secret, operators)) = ctx.operators else { return Ok(there.is_new) };
    let others: Vec<&EmailAddress> = operators.iter().filter(|to| !there.knowing.contains(to)).collect();
    notify_operators(tx, ctx, (secret, others.as_slice()), org, cause, beside.as_deref()).await?;
    Ok(there.is_new || !others.is_empty())
}

async fn notify_owners(
    tx: &mut Tx,
    ctx: &SecurityAlertContext<'_>,
    business: Org,
    cause: &SecurityFinding,
) -> Result<OwnerAlertOutcome> {
    let (origin, org) = (ctx.origin, business.id);
    let owners = list_owners(&mut *tx, org).await?;
    let day = origin.now().with_timezone(&business.zone()).date_naive();
    let key = format!("security:{}:{}:{day}", cause.alert, cause.subject);
    let mut knowing: Vec<EmailAddress> = owners.iter().map(|owner| owner.email.clone()).collect();
    knowing.extend(cause.also.iter().cloned());
    knowing.sort_unstable();
    knowing.dedup();
    let letter = |to: &EmailAddress| {
        build_alert_email(&business, to, cause, &key, ctx.public_url).with_id(MessageId(origin.uuid_v7()))
    };
    let letters: Vec<NewMessage> = knowing.iter().map(letter).collect();
    if message::queue_messages(&mut *tx, origin, org, &letters).await?.is_empty() {
        return Ok(OwnerAlertOutcome { is_new: false, knowing });
    }
    let profile = org::load_profile(&mut *tx, business).await?;
    for owner in &owners {
        let new = NewAlert {
            path: Some(PAGE.to_owned()),
            account: Some(owner.id),
            ..NewAlert::new(
                alert::AlertKind::Security,
                format!("{key}:{}", owner.id),
                cause.title.clone(),
                first_paragraph(&cause.body),
            )
        };
        alert::store_alert(tx, origin, org, &ScheduledAlert::new(&profile, new, origin.now(), true)).await?;
    }
    record_fired(tx, origin, org, cause.alert).await?;
    Ok(OwnerAlertOutcome { is_new: true, knowing })
}

/// Sent as install mail, which no setting of a business can stop.
async fn notify_operators(
    tx: &mut Tx,
    ctx: &SecurityAlertContext<'_>,
    (secret, to): (&SecretKey, &[&EmailAddress]),
    org: Option<OrgId>,
    cause: &SecurityFinding,
    beside: Option<&str>,
) -> Result<()> {
    let subject = alert_subject(cause);
    let admin = ctx.public_url.join(PAGE);
    let links = [("Security Admin", admin.as_str())];
    let parts: Vec<&str> = [Some(cause.body.as_str()), beside].into_iter().flatten().collect();
    let body = parts.join("\n\n");
    let (alert, day) = (cause.alert, ctx.origin.now().date_naive());
    for to in to {
        let key = format!("{}{alert}:{}:{day}:{to}", dedupe_key_prefix(org), cause.subject);
        let mail = InstallMail { to, subject: &subject, body: &body, links: &links, key: &key };
        install_mail::enqueue_mail(&mut *tx, ctx.origin, secret, &mail).await?;
    }
    Ok(())
}

/// Key prefix of operator mails about a business: they name its people and are deleted with it.
pub(crate) fn dedupe_key_prefix(org: Option<OrgId>) -> String {
    format!("security:{}:", org.unwrap_or(OrgId(Uuid::nil())))
}

fn alert_subject(cause: &SecurityFinding) -> String {
    format!("Security alert: {}", cause.title)
}

/// The first paragraph, for the limited space of a device.
fn first_paragraph(body: &str) -> String {
    body.split("\n\n").next().unwrap_or_default().to_owned()
}

fn build_alert_email(
    business: &Org,
    to: &EmailAddress,
    cause: &SecurityFinding,
    key: &str,
    public_url: &PublicUrl,
) -> MessageDraft {
    let address = public_url.join(PAGE);
    MessageDraft {
        subject: Some(alert_subject(cause)),
        page: Some(EmailPage {
            text: Some(cause.body.clone()),
            button: Some(("Open Security Admin".to_owned(), address.clone())),
            footer: format!(
                "A security alert of {}. Security Admin switches it off.",
                account::safe_business_name(&business.name)
            ),
            ..EmailPage::default()
        }),
        ..MessageDraft::new(
            MessageKind::AccountNotice,
            to.clone(),
            format!("{}\n\nSecurity Admin: {address}", cause.body),
            format!("{key}:{to}:email"),
        )
    }
}
