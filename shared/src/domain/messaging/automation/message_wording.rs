//! Wording of rule messages: filled templates, subjects, links, and HTML next to the plain text.

use chrono::{DateTime, Duration, Timelike, Utc};
use chrono_tz::Tz;

use super::{
    ManualText, MessageDraft, RuleContext,
    answer_time::{self, ReplyTiming},
};
use crate::{
    documents::{
        date_format,
        template::{self, EmailPage, Language, TemplateWording, WordingValues},
    },
    domain::{
        intake::lead::LeadFormKind,
        messaging::{
            alert::{self, NewAlert, TAP_TO_TEXT, TEXT_FROM_PHONE_LABEL, append_text_link, with_full_stop},
            message::{MessageChannel, MessageKind},
        },
    },
    platform::{error::Result, recipient::Recipient},
};

mod heading;

pub(super) use heading::RequestNews;
use heading::{body_without_name, notice_heading, text_after_heading};

const QUOTED_IN_MAIL: usize = 500;
const QUOTED_IN_TEXT: usize = 80;
const NOT_ON_FILE: &str = "typed into the form, not on file";
const NO_TEXT_POSSIBLE: &str = "No text can be sent to it, and no one can call it back.";

pub(super) fn auto_reply_template(channel: MessageChannel) -> template::TemplateKindName {
    match channel {
        MessageChannel::Sms => template::TemplateKindName::Sms,
        MessageChannel::Email => template::TemplateKindName::Email,
    }
}

/// First answer to a request. `within` is the shorter time promised by another answer to the same request.
pub(super) fn build_auto_reply(
    facts: &RuleContext<'_>,
    to: Recipient,
    wording: &TemplateWording,
    within: Option<Duration>,
) -> Result<MessageDraft> {
    let channel = to.channel();
    let timed = &answer_time::stated_time::with_response_time(wording, within);
    let moment = ReplyTiming::from_context(facts);
    let wording = &moment.without_time_if_read_later(timed);
    let variables = auto_reply_variables(facts, channel);
    let body =
        moment.insert_reading_time(channel == MessageChannel::Email, template::render_text(&wording.body, &variables)?);
    let body = match &facts.new.requested_visit {
        Some(wish) if channel == MessageChannel::Email => {
            insert_above_signature(&body, &wish.unconfirmed_sentence(facts.language))
        }
        _ => body,
    };
    let business = facts.profile.org.name.as_str();
    let subject = match channel {
        MessageChannel::Sms => None,
        MessageChannel::Email => {
            let subject = wording.subject.as_deref().filter(|_| facts.quarantine_reason.is_none()).unwrap_or(
                match facts.language {
                    Language::En => "We received your request",
                    Language::Es => "Recibimos su solicitud",
                },
            );
            Some(collapse_whitespace(&template::render_text(subject, &variables)?))
        }
    };
    let promised = moment.form_promise(timed, &variables)?;
    let page = subject.is_some().then(|| EmailPage {
        footer: match facts.language {
            Language::En => format!("You get this email because you asked {business} for work on its website."),
            Language::Es => format!("Recibe este correo porque pidió un trabajo a {business} en su página web."),
        },
        button: template::find_button(auto_reply_template(channel), &variables, &body),
        language: Some(facts.language),
        ..EmailPage::default()
    });
    Ok(MessageDraft {
        customer: Some(facts.customer),
        subject,
        page,
        promised,
        promise_starts_at: moment.form_promise_starts_at(),
        ..MessageDraft::new(MessageKind::AutoReply, to, body, format!("touch:{}:auto_reply:{channel}", facts.touch))
    })
}

/// Any address can be typed: of the name only a first name is repeated, and of the message nothing that looks like a link
/// or number (`documents::recipient_name`, `template::typed`). In a flood nothing typed is repeated. An address that is
/// not the known customer's gets no link to times: it would act on the customer's request.
fn auto_reply_variables(facts: &RuleContext<'_>, channel: MessageChannel) -> WordingValues {
    let is_flood = facts.quarantine_reason.is_some();
    let is_unknown = match channel {
        MessageChannel::Sms => facts.unknown.phone,
        MessageChannel::Email => facts.unknown.email,
    };
    let known = template_variables(facts, if is_flood { 0 } else { QUOTED_IN_MAIL });
    WordingValues {
        customer_name: if is_flood { String::new() } else { known.customer_name },
        customer_phone: None,
        customer_message: known.customer_message.filter(|_| !is_flood),
        times_link: known.times_link.filter(|_| !is_unknown),
        ..known
    }
}

fn insert_above_signature(body: &str, sentence: &str) -> String {
    match body.rsplit_once("\n\n") {
        Some((above, last)) => format!("{above}\n\n{sentence}\n\n{last}"),
        None => format!("{body}\n\n{sentence}"),
    }
}

/// New-lead notice to one recipient: text, email and subject begin with the same heading.
pub(super) fn build_owner_notice(
    facts: &RuleContext<'_>,
    to: &Recipient,
    news: RequestNews,
    step: usize,
    by_hand: Option<&ManualText>,
) -> Result<MessageDraft> {
    let link = facts.public_url.join(&format!("/app/leads/{}", facts.lead));
    let wording = facts.profile.wording(template::TemplateKindName::Employee, Language::En);
    let quoted = if to.is_phone() { QUOTED_IN_TEXT } else { QUOTED_IN_MAIL };
    let heading = notice_heading(facts, news);
    let sentence = if facts.new.is_anonymous_call() {
        format!("{heading}. {NO_TEXT_POSSIBLE}")
    } else {
        text_after_heading(
            &heading,
            render_for_team(template::TemplateKindName::Employee, &wording, facts, quoted)?,
            facts,
            news,
        )
    };
    let (sentence, text) = match by_hand {
        Some(text) => (
            format!("{} {}", with_full_stop(&sentence), text_not_sent_sentence(text)),
            Some((TEXT_FROM_PHONE_LABEL, text.link.as_str())),
        ),
        None => (sentence, None),
    };
    let (subject, body, page) = match to {
        // If the customer's words do not fit, the lead page opens with them prefilled.
        Recipient::Phone(_) if by_hand.is_some() => {
            (None, append_text_link(format!("{sentence} {link}?do=text"), text.map(|(_, link)| link)), None)
        }
        Recipient::Phone(_) => (None, format!("{sentence} {link}"), None),
        Recipient::Email(_) => {
            let rows = list_lead_facts(facts);
            let listed = rows.iter().map(|(label, value)| format!("{label}: {value}")).collect::<Vec<_>>().join("\n");
            let body =
                format!("{}\n\nOpen the lead: {link}", append_link(&format!("{sentence}\n\n{listed}"), "\n\n", text));
            let page = EmailPage {
                text: Some(sentence),
                button: Some(("Open the lead".to_owned(), link)),
                other_button: text.map(|(label, link)| (label.to_owned(), link.to_owned())),
                facts: rows.into_iter().map(|(label, value)| (label.to_owned(), value)).collect(),
                footer: "You get this email because your address is on the list of people to tell about new leads."
                    .to_owned(),
                ..EmailPage::default()
            };
            (Some(heading), body, Some(page))
        }
    };
    Ok(MessageDraft {
        subject,
        page,
        ..MessageDraft::new(
            MessageKind::OwnerNotice,
            to.clone(),
            body,
            format!("touch:{}:owner_notice:{}:{step}", facts.touch, to.channel()),
        )
    })
}

fn text_not_sent_sentence(text: &ManualText) -> String {
    format!("No text was sent to them: {}.", text.why)
}

fn append_link(text: &str, gap: &str, link: Option<(&str, &str)>) -> String {
    link.map_or_else(|| text.to_owned(), |(label, link)| format!("{text}{gap}{label}: {link}"))
}

pub(super) fn build_owner_alert(
    facts: &RuleContext<'_>,
    news: RequestNews,
    by_hand: Option<&ManualText>,
) -> Result<NewAlert> {
    let wording = facts.profile.wording(template::TemplateKindName::OwnerAlert, Language::En);
    let body = match by_hand {
        _ if facts.new.is_anonymous_call() => NO_TEXT_POSSIBLE.to_owned(),
        Some(text) => {
            let body = render_for_team(template::TemplateKindName::OwnerAlert, &wording, facts, QUOTED_IN_TEXT)?;
            format!("{} {}{TAP_TO_TEXT}", with_full_stop(&body), text_not_sent_sentence(text))
        }
        None => render_for_team(template::TemplateKindName::OwnerAlert, &wording, facts, QUOTED_IN_TEXT)?,
    };
    Ok(NewAlert {
        lead: Some(facts.lead),
        is_urgent: news.is_urgent,
        text_link: by_hand.map(|text| text.link.clone()),
        ..NewAlert::new(
            match facts.new.form {
                LeadFormKind::Call => alert::AlertKind::MissedCall,
                LeadFormKind::Text => alert::AlertKind::TextReceived,
                LeadFormKind::Lead | LeadFormKind::Quote if news.again => alert::AlertKind::AskedAgain,
                LeadFormKind::Lead | LeadFormKind::Quote | LeadFormKind::Typed | LeadFormKind::Booking => {
                    alert::AlertKind::NewLead
                }
            },
            format!("touch:{}", facts.touch),
            notice_heading(facts, news),
            body_without_name(&collapse_whitespace(&body), facts),
        )
    })
}

/// Wording for the business: customer input is shown as typed, including numbers.
fn render_for_team(
    kind: template::TemplateKindName,
    wording: &TemplateWording,
    facts: &RuleContext<'_>,
    quoted: usize,
) -> Result<String> {
    let variables = WordingValues {
        language: Language::En,
        customer_name: facts.told_as.to_owned(),
        ..template_variables(facts, quoted)
    };
    Ok(template::render_wording(kind, wording, &variables)?.body)
}

fn list_lead_facts(facts: &RuleContext<'_>) -> Vec<(&'static str, String)> {
    let new = facts.new;
    let marked = |value: String, is_unknown: bool| {
        if is_unknown && new.is_public() { format!("{value} ({NOT_ON_FILE})") } else { value }
    };
    let optional = [
        ("Name", Some(facts.told_as.to_owned())),
        ("Phone", Some(new.phone.clone()).filter(|p| !p.is_empty()).map(|p| marked(p, facts.unknown.phone))),
        ("Email", new.email.clone().map(|email| marked(email.into_string(), facts.unknown.email))),
        ("Service", new.chosen_service_label().map(ToOwned::to_owned)),
        ("Zip code", Some(new.zip.clone()).filter(|z| !z.is_empty())),
        ("Address", new.address.clone()),
        ("Timeline", new.timeline.clone()),
        ("Budget", new.budget.clone()),
        ("Photos", (facts.photo_count > 0).then(|| facts.photo_count.to_string())),
    ];
    optional.into_iter().filter_map(|(label, value)| Some((label, value?))).collect()
}

fn template_variables(facts: &RuleContext<'_>, quoted: usize) -> WordingValues {
    let org = &facts.profile.org;
    WordingValues {
        language: facts.language,
        business_name: org.name.clone(),
        business_phone: org.phone.clone(),
        customer_name: facts.new.name.clone(),
        customer_phone: Some(facts.new.phone.clone()).filter(|p| !p.is_empty()),
        customer_message: facts.new.notes.as_deref().map(|notes| truncate_line(notes, quoted)),
        timestamp: format_time(facts.now, org.zone()),
        booking_link: facts.profile.booking_link(facts.public_url),
        times_link: facts.times_url.map(ToOwned::to_owned),
        ..WordingValues::default()
    }
}

pub(super) fn format_time(at: DateTime<Utc>, zone: Tz) -> String {
    at.with_timezone(&zone).format("%b %-d, %-I:%M %p").to_string()
}

/// `Monday 8:00 AM`, `lunes 8:00 AM`.
pub(super) fn format_weekday_and_time(at: DateTime<Utc>, zone: Tz, language: Language) -> String {
    let local = at.with_timezone(&zone);
    format!("{} {}", date_format::sms_weekday_name(local.date_naive(), language), date_format::format_time(&local))
}

/// Opening as a text that leaves at `from` names it: `today at 8:00 AM`, `hoy a las 8:00 AM`, else the weekday.
pub(super) fn format_opening(at: DateTime<Utc>, from: DateTime<Utc>, zone: Tz, language: Language) -> String {
    let local = at.with_timezone(&zone);
    if local.date_naive() != from.with_timezone(&zone).date_naive() {
        return format_weekday_and_time(at, zone, language);
    }
    let today = match language {
        Language::En => "today at",
        Language::Es if local.hour12().1 == 1 => "hoy a la",
        Language::Es => "hoy a las",
    };
    format!("{today} {}", date_format::format_time(&local))
}

pub(crate) fn truncate_line(text: &str, most: usize) -> String {
    let line = collapse_whitespace(text);
    if line.chars().count() <= most {
        return line;
    }
    let cut: String = line.chars().take(most.saturating_sub(3)).collect();
    format!("{}...", cut.trim_end())
}

fn collapse_whitespace(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use chrono::TimeZone;

    use super::*;

    #[test]
    fn opening_day_is_named_in_customer_language() {
        let monday = Utc.with_ymd_and_hms(2026, 11, 23, 14, 0, 0).unwrap();
        let zone = chrono_tz::America::Chicago;
        assert_eq!(format_weekday_and_time(monday, zone, Language::En), "Monday 8:00 AM");
        assert_eq!(format_weekday_and_time(monday, zone, Language::Es), "lunes 8:00 AM");
    }

    #[test]
    fn opening_of_same_day_is_today() {
        let zone = chrono_tz::America::Chicago;
        let monday = Utc.with_ymd_and_hms(2026, 11, 23, 14, 0, 0).unwrap();
        let opening = |hours, language| format_opening(monday, monday - Duration::hours(hours), zone, language);
        assert_eq!(opening(7, Language::En), "today at 8:00 AM");
        assert_eq!(opening(7, Language::Es), "hoy a las 8:00 AM");
        assert_eq!(opening(9, Language::En), "Monday 8:00 AM");
        assert_eq!(opening(9, Language::Es), "lunes 8:00 AM");
        let at_one = monday + Duration::hours(5);
        assert_eq!(format_opening(at_one, monday, zone, Language::Es), "hoy a la 1:00 PM");
    }
}
