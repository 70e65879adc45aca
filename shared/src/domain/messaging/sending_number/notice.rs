//! Notices to the owners when the operator changes what their business texts from: by email and as an alert.

use super::order;
use crate::{
    documents::template::EmailPage,
    domain::{
        messaging::{
            alert,
            message::{MessageDraft, MessageKind, NewMessage, queue_messages},
        },
        tenancy::{
            org::{self, SendChannels},
            security,
            trust_level::{self, TrustLevel, sending_closed_reason},
        },
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx},
        error::Result,
        id::{MessageId, OrgId},
        phone::Phone,
    },
};

/// What the notices say of this install.
#[derive(Clone, Copy, Debug)]
pub struct SenderNoticeContext {
    pub set_up: SendChannels,
    pub numbers_per_business: i64,
}

/// What a business texts from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextingSender {
    org: OrgId,
    number: Option<String>,
    shares_service: bool,
}

/// Load it before the change.
pub async fn load_senders(conn: &mut dyn AsConn, orgs: &[OrgId]) -> Result<Vec<TextingSender>> {
    let mut senders = Vec::with_capacity(orgs.len());
    for org in orgs {
        if let Some(found) = org::find(&mut *conn, *org).await? {
            let (number, shares_service) = (found.sms_number, found.messaging_service.is_some());
            senders.push(TextingSender { org: *org, number, shares_service });
        }
    }
    Ok(senders)
}

/// Notifies the owners of each business whose sender is another than `before`.
pub async fn notify_changed_senders(
    tx: &mut Tx,
    origin: &ClockRng,
    install: SenderNoticeContext,
    before: &[TextingSender],
) -> Result<()> {
    let orgs: Vec<OrgId> = before.iter().map(|one| one.org).collect();
    for now in load_senders(&mut *tx, &orgs).await? {
        if !before.contains(&now) {
            notify_owners_of_sender(tx, origin, install, &now).await?;
        }
    }
    Ok(())
}

fn describe_sender(sender: &TextingSender) -> String {
    match (&sender.number, sender.shares_service) {
        (Some(number), _) => {
            let shown =
                Phone::parse(number).map_or_else(|| number.clone(), |phone| phone.format_display().into_owned());
            format!("Your texting number is now {shown}.")
        }
        (None, true) => "Your texts now leave by the shared number of this Toolbox.".to_owned(),
        (None, false) => "Your business no longer has a texting number.".to_owned(),
    }
}

async fn describe_consequence(
    conn: &mut dyn AsConn,
    install: SenderNoticeContext,
    sender: &TextingSender,
) -> Result<String> {
    if sender.number.is_some() {
        return Ok("Your customers see it on every text from you.".to_owned());
    }
    if sender.shares_service {
        return Ok("Your business has no texting number of its own.".to_owned());
    }
    let closed = sending_closed_reason(&mut *conn, sender.org, install.set_up.takes_money).await?;
    let emails = if install.set_up.email && closed.is_none() { " Answers to customers go by email." } else { "" };
    let next = describe_next_step(conn, install, sender.org).await?;
    Ok(format!("Texts are off.{emails} {next}"))
}

/// What the owner of a business without a number can do.
async fn describe_next_step(conn: &mut dyn AsConn, install: SenderNoticeContext, org: OrgId) -> Result<&'static str> {
    if !install.set_up.sms || trust_level::load_trust_level(&mut *conn, org).await? == TrustLevel::New {
        return Ok("Ask the people who run your Toolbox for a number.");
    }
    let allowance = order::load_allowance(conn, org, install.numbers_per_business).await?;
    Ok(match allowance.refusal_code() {
        None => "Set up another one under Settings, Texting number.",
        Some(_) => "Prove one under Settings, Texting number, or ask the people who run your Toolbox for one.",
    })
}

async fn notify_owners_of_sender(
    tx: &mut Tx,
    origin: &ClockRng,
    install: SenderNoticeContext,
    sender: &TextingSender,
) -> Result<()> {
    let (title, more) = (describe_sender(sender), describe_consequence(&mut *tx, install, sender).await?);
    let key = format!("texting_number:{}", origin.uuid_v7());
    let mut notices: Vec<NewMessage> = Vec::new();
    for owner in security::list_owners(&mut *tx, sender.org).await? {
        let body = format!("{title} {more}");
        let page = EmailPage {
            text: Some(body.clone()),
            footer: "You get this email because you own the business.".to_owned(),
            ..EmailPage::default()
        };
        let draft = MessageDraft {
            subject: Some(title.trim_end_matches('.').to_owned()),
            page: Some(page),
            ..MessageDraft::new(MessageKind::AccountNotice, owner.email, body, format!("{key}:{}", owner.id))
        };
        notices.push(draft.with_id(MessageId(origin.uuid_v7())));
    }
    queue_messages(&mut *tx, origin, sender.org, &notices).await?;
    alert::alert_channel_trouble(tx, origin, sender.org, key, (title.trim_end_matches('.'), more.as_str())).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sender_is_named_as_people_write_numbers() {
        let org = OrgId(uuid::Uuid::nil());
        let titles = [(Some("+15125550100"), false), (None, true), (None, false)].map(|(number, shares_service)| {
            describe_sender(&TextingSender { org, number: number.map(ToOwned::to_owned), shares_service })
        });
        assert_eq!(titles[0], "Your texting number is now (512) 555-0100.");
        assert!(titles[1].contains("shared number"));
        assert_eq!(titles[2], "Your business no longer has a texting number.");
    }
}
