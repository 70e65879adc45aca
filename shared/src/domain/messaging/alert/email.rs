//! How alerts are put into texts and emails to the people of a business.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

use super::Alert;
use crate::{
    documents::template::{self, Page, Variables},
    domain::{
        messaging::message::{self, Channel, Draft, NewMessage},
        tenancy::org::{Profile, Recipient, settings::Frequency},
    },
    platform::{
        clock::Origin,
        error::Result,
        id::{LeadId, MessageId},
        public_url::PublicUrl,
    },
};

/// The label of the link that opens a text on one's own phone.
pub(crate) const BY_HAND: &str = "Text from my phone";
/// A text to the business is no longer than this with the link, whose every comma counts three times. Without it, what
/// it opens in the app has the same words ready.
const LONGEST_WITH_LINK: usize = 600;
/// So many alerts are named in one line.
const NAMED: usize = 3;
const FOOTER: &str = "You get this email because your address is on the list of people to tell about new leads.";

/// Everything that writing to one recipient needs.
#[derive(Clone, Copy)]
pub(super) struct To<'a> {
    pub origin: &'a Origin,
    pub profile: &'a Profile,
    pub url: &'a PublicUrl,
    pub recipient: &'a Recipient,
    /// What emails say besides: the devices that alerts no longer reach.
    pub note: Option<&'a str>,
}

impl To<'_> {
    fn message(&self, kind: message::Kind, lead: Option<LeadId>, key: &str) -> NewMessage {
        blank(self.origin, self.recipient, kind, lead, key)
    }
}

fn kind_of(is_about_intake: bool, otherwise: message::Kind) -> message::Kind {
    if is_about_intake { otherwise } else { message::Kind::AccountNotice }
}

/// What a text to the business says, with the link that opens the customer's text if there is room for it.
pub(crate) fn in_a_text(told: String, text_link: Option<&str>) -> String {
    let whole = text_link.map(|link| format!("{told} {BY_HAND}: {link}"));
    whole.filter(|whole| whole.chars().count() <= LONGEST_WITH_LINK).unwrap_or(told)
}

/// A title as a sentence of its own: it gets a full stop where it has no mark of its own.
pub(crate) fn full_stop(title: &str) -> String {
    let stop = if title.ends_with(['.', '!', '?', '…']) { "" } else { "." };
    format!("{title}{stop}")
}

/// The paragraphs that are there.
fn paragraphs<'a>(parts: impl IntoIterator<Item = Option<&'a str>>) -> String {
    parts.into_iter().flatten().collect::<Vec<_>>().join("\n\n")
}

/// One alert in one message.
pub(super) fn single(to: To<'_>, alert: &Alert, key: &str) -> NewMessage {
    let link = to.url.join(&alert.path());
    let kind = kind_of(alert.kind.is_about_intake(), message::Kind::OwnerNotice);
    let message = to.message(kind, alert.lead_id, key);
    match to.recipient.channel {
        Channel::Sms => {
            let told = format!("{} {} {link}", full_stop(&alert.title), alert.body);
            message.saying(|draft| Draft { body: in_a_text(told, alert.text_link.as_deref()), ..draft })
        }
        Channel::Email => in_an_email(message, alert, alert.title.clone(), Some(link), to.note),
    }
}

fn in_an_email(
    message: NewMessage,
    alert: &Alert,
    subject: String,
    link: Option<String>,
    note: Option<&str>,
) -> NewMessage {
    let by_hand = alert.text_link.as_ref().map(|text| format!("{BY_HAND}: {text}"));
    let open = link.as_ref().map(|link| format!("Open it: {link}"));
    message.saying(|draft| Draft {
        subject: Some(subject),
        body: paragraphs([Some(alert.body.as_str()), by_hand.as_deref(), open.as_deref(), note]),
        page: Some(Page {
            text: Some(paragraphs([Some(alert.body.as_str()), note])),
            button: link.map(|link| ("Open it".to_owned(), link)),
            other_button: alert.text_link.clone().map(|text| (BY_HAND.to_owned(), text)),
            footer: FOOTER.to_owned(),
            ..Page::default()
        }),
        ..draft
    })
}

/// Nobody has seen it: to the next person.
pub(super) fn climbed(to: To<'_>, alert: &Alert, key: &str) -> NewMessage {
    let link = to.url.join(&alert.path());
    let kind = kind_of(alert.kind.is_about_intake(), message::Kind::OwnerNotice);
    let message = to.message(kind, alert.lead_id, key);
    match to.recipient.channel {
        Channel::Sms => {
            let told = format!("Nobody has looked yet. {} {} {link}", full_stop(&alert.title), alert.body);
            message.saying(|draft| Draft { body: in_a_text(told, alert.text_link.as_deref()), ..draft })
        }
        Channel::Email => climbed_by_email(message, alert, Some(link)),
    }
}

/// The same by email.
pub(super) fn climbed_by_email(message: NewMessage, alert: &Alert, link: Option<String>) -> NewMessage {
    in_an_email(message, alert, format!("Nobody has looked yet: {}", alert.title), link, None)
}

/// An empty message to one recipient.
pub(super) fn blank(
    origin: &Origin,
    to: &Recipient,
    kind: message::Kind,
    lead: Option<LeadId>,
    key: &str,
) -> NewMessage {
    let Recipient { channel, address } = to;
    let channel_name = if *channel == Channel::Sms { "sms" } else { "email" };
    let key = format!("{key}:{channel_name}:{address}");
    let draft = Draft::new(*channel, kind, address.clone(), String::new(), key);
    NewMessage { lead, ..draft.under(MessageId(origin.uuid())) }
}

/// Several alerts in one message.
///
/// # Errors
/// Only if a stored wording could not be filled, which saving rules out.
pub(super) fn digest(to: To<'_>, alerts: &[Alert], leads: &[LeadId], key: &str) -> Result<NewMessage> {
    let (profile, zone) = (to.profile, to.profile.org.zone());
    let wording = profile.wording(template::Kind::OwnerDigest, template::Language::En);
    let filled = template::render(template::Kind::OwnerDigest, &wording, &variables(to, leads.len(), zone))?;
    let is_summary = profile.settings.notifications.frequency != Frequency::Immediate;
    let (subject, intro) = match leads {
        // There is no last summary: what waited together is named.
        _ if !is_summary => (titles(alerts), "What happened:".to_owned()),
        // Nothing about leads: "0 leads" would say nothing.
        [] => (titles(alerts), "What happened since the last summary.".to_owned()),
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
        Channel::Sms => message.saying(|draft| Draft { body: format!("{} {link}", full_stop(&subject)), ..draft }),
        Channel::Email => {
            let rows: Vec<(String, String)> =
                alerts.iter().map(|alert| (clock(alert.created_at, zone), listed_as(alert))).collect();
            let listed: Vec<String> = rows.iter().map(|(at, title)| format!("{at}: {title}")).collect();
            let button = Some(("Open the leads".to_owned(), link.clone()));
            message.saying(|draft| Draft {
                subject: Some(subject),
                body: paragraphs([
                    Some(intro.as_str()),
                    Some(&listed.join("\n")),
                    Some(&format!("Open the leads: {link}")),
                    to.note,
                ]),
                page: Some(Page {
                    text: Some(paragraphs([Some(intro.as_str()), to.note])),
                    button,
                    facts: rows,
                    footer: FOOTER.to_owned(),
                    ..Page::default()
                }),
                ..draft
            })
        }
    })
}

/// "New lead: Ann Lee, Plumbing; Text from Bob Ray, and 2 more".
fn titles(alerts: &[Alert]) -> String {
    let named: Vec<&str> = alerts.iter().take(NAMED).map(|alert| alert.title.as_str()).collect();
    let named = named.join("; ");
    match alerts.len().saturating_sub(NAMED) {
        0 => named,
        more => format!("{named}, and {more} more"),
    }
}

/// What emails say of the devices that alerts no longer reach.
pub(super) fn dead_devices(silent: &[(String, DateTime<Utc>)], zone: Tz) -> Option<String> {
    let named = |(label, at): &(String, DateTime<Utc>)| {
        format!("{label} (since {})", at.with_timezone(&zone).format("%A, %b %-d"))
    };
    let named: Vec<String> = silent.iter().map(named).collect();
    (!named.is_empty()).then(|| {
        format!(
            "Alerts no longer reach {}. Turn them on again there, or remove the device, in Settings.",
            named.join(", ")
        )
    })
}

/// A summary holds what happened, and does not call new what somebody has seen.
fn listed_as(alert: &Alert) -> String {
    if alert.seen_at.is_some() { format!("{} (seen)", alert.title) } else { alert.title.clone() }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::messaging::message::sms_link;

    #[test]
    fn a_title_ends_with_one_mark() {
        assert_eq!(full_stop("Did Lia Fox ask you to stop texting?"), "Did Lia Fox ask you to stop texting?");
        assert_eq!(full_stop("New lead: Ann Lee, Plumbing"), "New lead: Ann Lee, Plumbing.");
    }

    #[test]
    fn a_text_to_the_business_carries_the_link_only_where_it_fits() {
        let said = "New lead: Ann Lee, Plumbing. https://box.example/app/leads/1?do=text";
        let short = sms_link::link("+15125550142", "Hi Ann, we got it.");
        assert_eq!(in_a_text(said.to_owned(), Some(&short)), format!("{said} Text from my phone: {short}"));
        let long = sms_link::link("+15125550142", &"¿Qué día le va bien? ".repeat(15));
        assert!(long.len() > LONGEST_WITH_LINK && in_a_text(said.to_owned(), Some(&long)) == said);
        assert_eq!(in_a_text(said.to_owned(), None), said);
    }
}
