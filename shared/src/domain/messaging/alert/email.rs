//! Wording of alert texts and emails to the people of a business.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

use super::StoredAlert;
use crate::{
    documents::template::{self, EmailPage, WordingValues},
    domain::{
        messaging::message::{self, MessageDraft, NewMessage},
        tenancy::org::{NotificationFrequency, OrgProfile},
    },
    platform::{
        clock::ClockRng,
        error::Result,
        id::{LeadId, MessageId},
        public_url::PublicUrl,
        recipient::Recipient,
    },
};

pub(crate) const TEXT_FROM_PHONE_LABEL: &str = "Text from my phone";
/// Maximum characters of a text with its link, in which percent-encoding turns each comma into three. A longer text
/// goes without the link: the app page that it opens has the same words prefilled.
const LONGEST_WITH_LINK: usize = 600;
const NAMED: usize = 3;
const FOOTER: &str = "You get this email because your address is on the list of people to tell about new leads.";

#[derive(Clone, Copy)]
pub(super) struct NotificationTarget<'a> {
    pub origin: &'a ClockRng,
    pub profile: &'a OrgProfile,
    pub url: &'a PublicUrl,
    pub recipient: &'a Recipient,
    pub note: Option<&'a str>,
}

impl NotificationTarget<'_> {
    fn build_message(&self, kind: message::MessageKind, lead: Option<LeadId>, key: &str) -> NewMessage {
        build_empty_message(self.origin, self.recipient, kind, lead, key)
    }
}

fn notice_kind(is_about_intake: bool, otherwise: message::MessageKind) -> message::MessageKind {
    if is_about_intake { otherwise } else { message::MessageKind::AccountNotice }
}

pub(crate) fn append_text_link(text: String, text_link: Option<&str>) -> String {
    let whole = text_link.map(|link| format!("{text} {TEXT_FROM_PHONE_LABEL}: {link}"));
    whole.filter(|whole| whole.chars().count() <= LONGEST_WITH_LINK).unwrap_or(text)
}

pub(crate) fn with_full_stop(title: &str) -> String {
    let unquoted = title.trim_end_matches(['"', '”']);
    let stop = if unquoted.ends_with(['.', '!', '?', '…']) { "" } else { "." };
    format!("{title}{stop}")
}

fn join_paragraphs<'a>(parts: impl IntoIterator<Item = Option<&'a str>>) -> String {
    parts.into_iter().flatten().collect::<Vec<_>>().join("\n\n")
}

pub(super) fn build_single_alert(to: NotificationTarget<'_>, alert: &StoredAlert, key: &str) -> NewMessage {
    let link = to.url.join(&alert.link_path());
    let kind = notice_kind(alert.kind.is_about_intake(), message::MessageKind::OwnerNotice);
    let message = to.build_message(kind, alert.lead_id, key);
    match to.recipient {
        Recipient::Phone(_) => {
            let text = format!("{} {} {link}", with_full_stop(&alert.title), alert.body);
            message
                .map_draft(|draft| MessageDraft { body: append_text_link(text, alert.text_link.as_deref()), ..draft })
        }
        Recipient::Email(_) => build_alert_email(message, alert, alert.title.clone(), Some(link), to.note),
    }
}

fn build_alert_email(
    message: NewMessage,
    alert: &StoredAlert,
    subject: String,
    link: Option<String>,
    note: Option<&str>,
) -> NewMessage {
    let by_hand = alert.text_link.as_ref().map(|text| format!("{TEXT_FROM_PHONE_LABEL}: {text}"));
    let open = link.as_ref().map(|link| format!("Open it: {link}"));
    message.map_draft(|draft| MessageDraft {
        subject: Some(subject),
        body: join_paragraphs([Some(alert.body.as_str()), by_hand.as_deref(), open.as_deref(), note]),
        page: Some(EmailPage {
            text: Some(join_paragraphs([Some(alert.body.as_str()), note])),
            button: link.map(|link| ("Open it".to_owned(), link)),
            other_button: alert.text_link.clone().map(|text| (TEXT_FROM_PHONE_LABEL.to_owned(), text)),
            footer: FOOTER.to_owned(),
            ..EmailPage::default()
        }),
        ..draft
    })
}

pub(super) fn build_escalation(to: NotificationTarget<'_>, alert: &StoredAlert, key: &str) -> NewMessage {
    let link = to.url.join(&alert.link_path());
    let kind = notice_kind(alert.kind.is_about_intake(), message::MessageKind::OwnerNotice);
    let message = to.build_message(kind, alert.lead_id, key);
    match to.recipient {
        Recipient::Phone(_) => {
            let text = format!("No one has looked yet. {} {} {link}", with_full_stop(&alert.title), alert.body);
            message
                .map_draft(|draft| MessageDraft { body: append_text_link(text, alert.text_link.as_deref()), ..draft })
        }
        Recipient::Email(_) => build_escalation_email(message, alert, Some(link)),
    }
}

pub(super) fn build_escalation_email(message: NewMessage, alert: &StoredAlert, link: Option<String>) -> NewMessage {
    build_alert_email(message, alert, format!("No one has looked yet: {}", alert.title), link, None)
}

pub(super) fn build_empty_message(
    origin: &ClockRng,
    to: &Recipient,
    kind: message::MessageKind,
    lead: Option<LeadId>,
    key: &str,
) -> NewMessage {
    let key = format!("{key}:{}:{to}", to.channel());
    let draft = MessageDraft::new(kind, to.clone(), String::new(), key);
    NewMessage { lead, ..draft.with_id(MessageId(origin.uuid_v7())) }
}

pub(super) fn build_digest(
    to: NotificationTarget<'_>,
    alerts: &[StoredAlert],
    leads: &[LeadId],
    key: &str,
) -> Result<NewMessage> {
    let (profile, zone) = (to.profile, to.profile.org.zone());
    let wording = profile.wording(template::TemplateKindName::OwnerDigest, template::Language::En);
    let filled = template::render_wording(
        template::TemplateKindName::OwnerDigest,
        &wording,
        &template_variables(to, leads.len(), zone),
    )?;
    let is_summary = profile.settings.notifications.frequency != NotificationFrequency::Immediate;
    let (subject, intro) = match leads {
        _ if !is_summary => (summarize_titles(alerts), "What happened:".to_owned()),
        // No leads: "0 leads" would say nothing.
        [] => (summarize_titles(alerts), "What happened since the last summary.".to_owned()),
        _ => (filled.subject.unwrap_or_else(|| "Your summary".to_owned()), filled.body),
    };
    let path = match leads {
        [lead] => format!("/app/leads/{lead}"),
        _ => "/app/leads".to_owned(),
    };
    let link = to.url.join(&path);
    let kind = notice_kind(alerts.iter().any(|alert| alert.kind.is_about_intake()), message::MessageKind::Digest);
    let message = to.build_message(kind, find_only_lead(alerts), key);
    Ok(match to.recipient {
        Recipient::Phone(_) => {
            message.map_draft(|draft| MessageDraft { body: format!("{} {link}", with_full_stop(&subject)), ..draft })
        }
        Recipient::Email(_) => {
            let rows: Vec<(String, String)> =
                alerts.iter().map(|alert| (format_time(alert.created_at, zone), digest_line(alert))).collect();
            let listed: Vec<String> = rows.iter().map(|(at, title)| format!("{at}: {title}")).collect();
            let button = Some(("Open the leads".to_owned(), link.clone()));
            message.map_draft(|draft| MessageDraft {
                subject: Some(subject),
                body: join_paragraphs([
                    Some(intro.as_str()),
                    Some(&listed.join("\n")),
                    Some(&format!("Open the leads: {link}")),
                    to.note,
                ]),
                page: Some(EmailPage {
                    text: Some(join_paragraphs([Some(intro.as_str()), to.note])),
                    button,
                    facts: rows,
                    footer: FOOTER.to_owned(),
                    ..EmailPage::default()
                }),
                ..draft
            })
        }
    })
}

/// The lead of all alerts. A digest that names others too belongs to nobody: their erasures empty it.
fn find_only_lead(alerts: &[StoredAlert]) -> Option<LeadId> {
    let lead = alerts.first()?.lead_id?;
    alerts.iter().all(|alert| alert.lead_id == Some(lead)).then_some(lead)
}

/// "New lead: Ann Lee, Plumbing; Text from Bob Ray, and 2 more".
fn summarize_titles(alerts: &[StoredAlert]) -> String {
    let named: Vec<&str> = alerts.iter().take(NAMED).map(|alert| alert.title.as_str()).collect();
    let named = named.join("; ");
    match alerts.len().saturating_sub(NAMED) {
        0 => named,
        more => format!("{named}, and {more} more"),
    }
}

pub(super) fn format_unreachable_devices(silent: &[(String, DateTime<Utc>)], zone: Tz) -> Option<String> {
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

/// Marks alerts that were seen, so that a summary does not present them as new.
fn digest_line(alert: &StoredAlert) -> String {
    if alert.seen_at.is_some() { format!("{} (seen)", alert.title) } else { alert.title.clone() }
}

fn template_variables(to: NotificationTarget<'_>, leads: usize, zone: Tz) -> WordingValues {
    WordingValues {
        business_name: to.profile.org.name.clone(),
        lead_count: u32::try_from(leads).ok(),
        timestamp: format_time(to.origin.now(), zone),
        ..WordingValues::default()
    }
}

fn format_time(at: DateTime<Utc>, zone: Tz) -> String {
    at.with_timezone(&zone).format("%b %-d, %-I:%M %p").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::messaging::message::sms_link;

    #[test]
    fn title_ends_with_single_punctuation_mark() {
        assert_eq!(with_full_stop("Did Lia Fox ask you to stop texting?"), "Did Lia Fox ask you to stop texting?");
        assert_eq!(with_full_stop("\"The tap drips.\""), "\"The tap drips.\"");
        assert_eq!(with_full_stop("\"The tap drips\""), "\"The tap drips\".");
        assert_eq!(with_full_stop("New lead: Ann Lee, Plumbing"), "New lead: Ann Lee, Plumbing.");
    }

    #[test]
    fn business_text_includes_link_only_when_it_fits() {
        let alert_text = "New lead: Ann Lee, Plumbing. https://box.example/app/leads/1?do=text";
        let short = sms_link::build_sms_link("+15125550142", "Hi Ann, we got it.");
        assert_eq!(
            append_text_link(alert_text.to_owned(), Some(&short)),
            format!("{alert_text} Text from my phone: {short}")
        );
        let long = sms_link::build_sms_link("+15125550142", &"¿Qué día le va bien? ".repeat(15));
        assert!(long.len() > LONGEST_WITH_LINK && append_text_link(alert_text.to_owned(), Some(&long)) == alert_text);
        assert_eq!(append_text_link(alert_text.to_owned(), None), alert_text);
    }
}
