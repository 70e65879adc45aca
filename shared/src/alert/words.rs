//! What alerts say, and how they are put into texts and emails to the people of a business.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

use super::{Alert, Kind, NewAlert};
use crate::{
    clock::Origin,
    error::Result,
    id::{LeadId, MessageId},
    message::{self, Channel, NewMessage},
    org::{Profile, Recipient},
    settings::PublicUrl,
    template::{self, Page, Variables},
};

/// How much of what somebody wrote an alert repeats.
const QUOTED: usize = 120;
/// The label of the link that opens a text on one's own phone.
pub(crate) const BY_HAND: &str = "Text from my phone";
const FOOTER: &str = "You get this email because your address is on the list of people to tell about new leads.";

/// The day's budget of automatic texts is used up.
pub(super) fn budget(dedupe_key: String, budget: i64) -> NewAlert {
    NewAlert {
        lead: None,
        kind: Kind::BudgetUsed,
        dedupe_key,
        title: format!("Today's {budget} automatic texts are used up"),
        body: "No rule texts anybody until midnight; emails go on, and you can still write by hand. Raise the daily \
               budget in Settings if these were real customers."
            .to_owned(),
        is_urgent: true,
        text_link: None,
    }
}

/// Most of the day's budget of automatic texts is used up.
pub(super) fn budget_near(dedupe_key: String, texts: i64, budget: i64) -> NewAlert {
    NewAlert {
        lead: None,
        kind: Kind::BudgetNear,
        dedupe_key,
        title: format!("{texts} of today's {budget} automatic texts are used up"),
        body: "After the last one customers are answered by email only, until midnight. Raise the daily budget in \
               Settings if these were real customers."
            .to_owned(),
        is_urgent: false,
        text_link: None,
    }
}

/// Rules would have texted many neighbouring numbers.
pub(super) fn braked(dedupe_key: String) -> NewAlert {
    NewAlert {
        lead: None,
        kind: Kind::TextsBraked,
        dedupe_key,
        title: "Automatic texts to neighbouring numbers were stopped".to_owned(),
        body:
            "Many new numbers with the same first digits came in within an hour, as when somebody abuses the form to \
               run up your bill. They are answered by email where they left an address. Look at the newest leads; the \
               limit is in Settings."
                .to_owned(),
        is_urgent: false,
        text_link: None,
    }
}

/// More requests came in within an hour than are answered by text.
pub(super) fn flood(dedupe_key: String) -> NewAlert {
    NewAlert {
        lead: None,
        kind: Kind::RequestFlood,
        dedupe_key,
        title: "More than 100 requests came in within an hour".to_owned(),
        body:
            "What is beyond is answered by email only, and waits on the list of leads until you let it through: texts \
               to people who never asked are costly."
                .to_owned(),
        is_urgent: true,
        text_link: None,
    }
}

/// Somebody may have asked not to be texted.
pub(super) fn doubt(lead: LeadId, name: &str, provider_id: &str, said: &str) -> NewAlert {
    let said: String = said.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(QUOTED).collect();
    NewAlert {
        lead: Some(lead),
        kind: Kind::OptOutDoubt,
        dedupe_key: format!("doubt:{provider_id}"),
        title: format!("Did {name} ask you to stop texting?"),
        body: format!("They wrote \"{said}\". Nothing is texted to them until you say what they meant."),
        is_urgent: false,
        text_link: None,
    }
}

/// A text to a customer was refused.
pub(super) fn unsent(lead: LeadId, name: &str, message: MessageId, reason: &str, text_link: String) -> NewAlert {
    NewAlert {
        lead: Some(lead),
        kind: Kind::TextNotSent,
        dedupe_key: format!("unsent:{message}"),
        title: format!("Your text to {name} was not sent"),
        body: format!("The reason: {reason}. They are waiting: text them from your own phone."),
        is_urgent: false,
        text_link: Some(text_link),
    }
}

/// Everything that writing to one recipient needs.
#[derive(Clone, Copy)]
pub(super) struct To<'a> {
    pub origin: &'a Origin,
    pub profile: &'a Profile,
    pub url: &'a PublicUrl,
    pub recipient: &'a Recipient,
}

impl To<'_> {
    fn message(&self, kind: message::Kind, lead: Option<LeadId>, key: &str) -> NewMessage {
        let Recipient { channel, address } = self.recipient;
        let channel_name = if *channel == Channel::Sms { "sms" } else { "email" };
        NewMessage {
            id: MessageId(self.origin.uuid()),
            lead,
            customer: None,
            channel: *channel,
            kind,
            to: address.clone(),
            subject: None,
            body: String::new(),
            page: None,
            dedupe_key: format!("{key}:{channel_name}:{address}"),
            not_before: None,
            author: None,
        }
    }
}

fn kind_of(is_about_intake: bool, otherwise: message::Kind) -> message::Kind {
    if is_about_intake { otherwise } else { message::Kind::AccountNotice }
}

fn in_a_text(alert: &Alert, link: &str) -> String {
    let told = format!("{}. {} {link}", alert.title, alert.body);
    match &alert.text_link {
        Some(text) => format!("{told} {BY_HAND}: {text}"),
        None => told,
    }
}

/// One alert in one message.
pub(super) fn single(to: To<'_>, alert: &Alert, key: &str) -> NewMessage {
    let link = to.url.join(&alert.path());
    let kind = kind_of(alert.kind.is_about_intake(), message::Kind::OwnerNotice);
    let message = to.message(kind, alert.lead_id, key);
    match to.recipient.channel {
        Channel::Sms => NewMessage { body: in_a_text(alert, &link), ..message },
        Channel::Email => NewMessage {
            subject: Some(alert.title.clone()),
            body: match &alert.text_link {
                Some(text) => format!("{}\n\n{BY_HAND}: {text}\n\nOpen it: {link}", alert.body),
                None => format!("{}\n\nOpen it: {link}", alert.body),
            },
            page: Some(Page {
                text: Some(alert.body.clone()),
                button: Some(("Open it".to_owned(), link)),
                other_button: alert.text_link.clone().map(|text| (BY_HAND.to_owned(), text)),
                footer: FOOTER.to_owned(),
                ..Page::default()
            }),
            ..message
        },
    }
}

/// Nobody has seen it: to the next person.
pub(super) fn climbed(to: To<'_>, alert: &Alert, key: &str) -> NewMessage {
    let link = to.url.join(&alert.path());
    let kind = kind_of(alert.kind.is_about_intake(), message::Kind::OwnerNotice);
    let body = format!("Nobody has looked yet. {}", in_a_text(alert, &link));
    NewMessage { body, ..to.message(kind, alert.lead_id, key) }
}

/// Several alerts in one message.
///
/// # Errors
/// Only if a stored wording could not be filled, which saving rules out.
pub(super) fn digest(to: To<'_>, alerts: &[Alert], leads: &[LeadId], key: &str) -> Result<NewMessage> {
    let (profile, zone) = (to.profile, to.profile.org.zone());
    let wording = profile.wording(template::Kind::OwnerDigest, template::Language::En);
    let filled = template::render(template::Kind::OwnerDigest, &wording, &variables(to, leads.len(), zone))?;
    let (subject, intro) = match (leads, alerts) {
        // Nothing about leads: "0 leads" would say nothing.
        ([], [first, ..]) => (first.title.clone(), "What happened since the last summary.".to_owned()),
        _ => (filled.subject.unwrap_or_else(|| "Your summary".to_owned()), filled.body),
    };
    let path = match leads {
        [lead] => format!("/app/leads/{lead}"),
        _ => "/app/leads".to_owned(),
    };
    let link = to.url.join(&path);
    let kind = kind_of(alerts.iter().any(|alert| alert.kind.is_about_intake()), message::Kind::Digest);
    let message = to.message(kind, Some(leads).filter(|l| l.len() == 1).map(|l| l[0]), key);
    Ok(match to.recipient.channel {
        Channel::Sms => NewMessage { body: format!("{subject}. {link}"), ..message },
        Channel::Email => {
            let rows: Vec<(String, String)> =
                alerts.iter().map(|alert| (clock(alert.created_at, zone), alert.title.clone())).collect();
            let listed: Vec<String> = rows.iter().map(|(at, title)| format!("{at}: {title}")).collect();
            let button = Some(("Open the leads".to_owned(), link.clone()));
            NewMessage {
                subject: Some(subject),
                body: format!("{intro}\n\n{}\n\nOpen the leads: {link}", listed.join("\n")),
                page: Some(Page {
                    text: Some(intro),
                    button,
                    facts: rows,
                    footer: FOOTER.to_owned(),
                    ..Page::default()
                }),
                ..message
            }
        }
    })
}

fn variables(to: To<'_>, leads: usize, zone: Tz) -> Variables {
    Variables {
        business_name: to.profile.org.name.clone(),
        lead_count: u32::try_from(leads).ok(),
        timestamp: clock(to.origin.now(), zone),
        ..Variables::default()
    }
}

fn clock(at: DateTime<Utc>, zone: Tz) -> String {
    at.with_timezone(&zone).format("%b %-d, %-I:%M %p").to_string()
}
