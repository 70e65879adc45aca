//! Notices to the owners when the operator changes what their business texts from: by email and as an alert.

use crate::{
    documents::template::EmailPage,
    domain::{
        messaging::{
            alert,
            message::{MessageDraft, MessageKind, NewMessage, queue_messages},
        },
        tenancy::{org, security},
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx},
        error::Result,
        id::{MessageId, OrgId},
        phone::Phone,
    },
};

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
pub async fn notify_changed_senders(tx: &mut Tx, origin: &ClockRng, before: &[TextingSender]) -> Result<()> {
    let orgs: Vec<OrgId> = before.iter().map(|one| one.org).collect();
    for now in load_senders(&mut *tx, &orgs).await? {
        if !before.contains(&now) {
            notify_owners_of_sender(tx, origin, &now).await?;
        }
    }
    Ok(())
}

fn describe_sender(sender: &TextingSender) -> (String, &'static str) {
    const OFF: &str =
        "Texts are off. Customers are answered by email. Ask the people who run your Toolbox for a number.";
    match (&sender.number, sender.shares_service) {
        (Some(number), _) => {
            let shown =
                Phone::parse(number).map_or_else(|| number.clone(), |phone| phone.format_display().into_owned());
            (format!("Your texting number is now {shown}."), "Your customers see it on every text from you.")
        }
        (None, true) => (
            "Your texts now leave by the shared number of this Toolbox.".to_owned(),
            "Your business has no texting number of its own.",
        ),
        (None, false) => ("Your business no longer has a texting number.".to_owned(), OFF),
    }
}

async fn notify_owners_of_sender(tx: &mut Tx, origin: &ClockRng, sender: &TextingSender) -> Result<()> {
    let (title, more) = describe_sender(sender);
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
    alert::alert_channel_trouble(tx, origin, sender.org, key, (title.trim_end_matches('.'), more)).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sender_is_named_as_people_write_numbers() {
        let org = OrgId(uuid::Uuid::nil());
        let titles = [(Some("+15125550100"), false), (None, true), (None, false)].map(|(number, shares_service)| {
            describe_sender(&TextingSender { org, number: number.map(ToOwned::to_owned), shares_service }).0
        });
        assert_eq!(titles[0], "Your texting number is now (512) 555-0100.");
        assert!(titles[1].contains("shared number"));
        assert_eq!(titles[2], "Your business no longer has a texting number.");
    }
}
