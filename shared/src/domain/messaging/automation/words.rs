//! How the rules word their messages: templates filled in, subjects, links, and the HTML beside the plain text.

use chrono::{DateTime, Duration, Utc};
use chrono_tz::Tz;

use super::{
    ByHand, Draft, Facts,
    answer_time::{self, Moment},
};
use crate::{
    documents::{
        date_format,
        template::{self, Language, Page, Variables, Wording, typed},
    },
    domain::{
        intake::lead::Form,
        messaging::{
            alert::{self, BY_HAND, NewAlert, TAP, full_stop, in_a_text},
            message::{Channel, Kind},
        },
        tenancy::org::Recipient,
    },
    platform::error::Result,
};

mod heading;

pub(super) use heading::News;
use heading::{heading, under_heading, without_name};

/// How much of what a customer wrote is repeated to them, and in a text to the owner.
const QUOTED_IN_MAIL: usize = 500;
const QUOTED_IN_TEXT: usize = 80;
/// Said beside an address that a form names for a customer who is known by another one.
const NOT_ON_FILE: &str = "typed into the form, not on file";
/// Said of a caller who hides their number.
const NO_TEXT_POSSIBLE: &str = "No text can be sent to it, and nobody can call it back.";

/// Which template answers a lead on this channel.
pub(super) fn template_of(channel: Channel) -> template::Kind {
    match channel {
        Channel::Sms => template::Kind::Sms,
        Channel::Email => template::Kind::Email,
    }
}

/// The first answer to the person who asked. `within` is the time that it promises, where another answer to the same
/// request promises a shorter one.
pub(super) fn auto_reply(
    facts: &Facts<'_>,
    channel: Channel,
    wording: &Wording,
    to: String,
    within: Option<Duration>,
) -> Result<Draft> {
    let timed = &answer_time::promising(wording, within);
    let moment = Moment::of(facts);
    let wording = &moment.said_now(timed);
    let variables = match facts.held {
        // In a flood nothing that was typed is repeated: the address may be anybody's.
        Some(_) => Variables {
            customer_name: String::new(),
            customer_phone: None,
            customer_message: None,
            ..variables(facts, 0)
        },
        // Anybody can type any address: of what was typed only a first name is repeated, and what the owner's own wording
        // asks for, without its links and numbers (`template::typed`).
        None => Variables {
            customer_name: typed::first_name(&facts.new.name),
            customer_phone: None,
            ..variables(facts, QUOTED_IN_MAIL)
        },
    };
    let body = moment.with_reading_time(channel == Channel::Email, template::fill(&wording.body, &variables)?);
    let business = facts.profile.org.name.as_str();
    let subject = match channel {
        Channel::Sms => None,
        Channel::Email => {
            let subject = wording.subject.as_deref().filter(|_| facts.held.is_none()).unwrap_or(match facts.language {
                Language::En => "We received your request",
                Language::Es => "Recibimos su solicitud",
            });
            Some(one_line(&template::fill(subject, &variables)?))
        }
    };
    let promised = moment.promised(timed, &variables)?;
    let page = subject.is_some().then(|| Page {
        footer: match facts.language {
            Language::En => format!("You get this email because you asked {business} for work on its website."),
            Language::Es => format!("Recibe este correo porque pidió un trabajo a {business} en su página web."),
        },
        button: template::button(template_of(channel), &variables, &body),
        language: Some(facts.language),
        ..Page::default()
    });
    Ok(Draft {
        customer: Some(facts.customer),
        subject,
        page,
        promised,
        told_from: facts.told_from,
        ..Draft::new(
            channel,
            Kind::AutoReply,
            to,
            body,
            format!("lead:{}:touch:{}:auto_reply:{}", facts.lead, facts.touch, name(channel)),
        )
    })
}

/// "You have a new lead", to one person of the business: text, email and subject begin with the same heading.
pub(super) fn owner_notice(
    facts: &Facts<'_>,
    to: &Recipient,
    news: News,
    step: usize,
    by_hand: Option<&ByHand>,
) -> Result<Draft> {
    let link = facts.public_url.join(&format!("/app/leads/{}", facts.lead));
    let wording = facts.profile.wording(template::Kind::Employee, Language::En);
    let quoted = if to.channel == Channel::Sms { QUOTED_IN_TEXT } else { QUOTED_IN_MAIL };
    let heading = heading(facts, news);
    let sentence = if facts.new.is_hidden() {
        format!("{heading}. {NO_TEXT_POSSIBLE}")
    } else {
        under_heading(&heading, for_team(template::Kind::Employee, &wording, facts, quoted)?, facts, news)
    };
    let (sentence, text) = match by_hand {
        Some(text) => (format!("{} {}", full_stop(&sentence), not_texted(text)), Some((BY_HAND, text.link.as_str()))),
        None => (sentence, None),
    };
    let (subject, body, page) = match to.channel {
        // Where the customer's words do not fit beside it, the lead opens with them ready.
        Channel::Sms if by_hand.is_some() => {
            (None, in_a_text(format!("{sentence} {link}?do=text"), text.map(|(_, link)| link)), None)
        }
        Channel::Sms => (None, format!("{sentence} {link}"), None),
        Channel::Email => {
            let rows = lead_facts(facts);
            let listed = rows.iter().map(|(label, value)| format!("{label}: {value}")).collect::<Vec<_>>().join("\n");
            let body =
                format!("{}\n\nOpen the lead: {link}", with_link(&format!("{sentence}\n\n{listed}"), "\n\n", text));
            let page = Page {
                text: Some(sentence),
                button: Some(("Open the lead".to_owned(), link)),
                other_button: text.map(|(label, link)| (label.to_owned(), link.to_owned())),
                facts: rows.into_iter().map(|(label, value)| (label.to_owned(), value)).collect(),
                footer: "You get this email because your address is on the list of people to tell about new leads."
                    .to_owned(),
                ..Page::default()
            };
            (Some(heading), body, Some(page))
        }
    };
    Ok(Draft {
        subject,
        page,
        ..Draft::new(
            to.channel,
            Kind::OwnerNotice,
            to.address.clone(),
            body,
            format!("lead:{}:touch:{}:owner_notice:{}:{step}", facts.lead, facts.touch, name(to.channel)),
        )
    })
}

/// What is added where the text to the customer has to be sent by hand.
fn not_texted(text: &ByHand) -> String {
    format!("No text was sent to them: {}.", text.why)
}

fn with_link(said: &str, gap: &str, link: Option<(&str, &str)>) -> String {
    link.map_or_else(|| said.to_owned(), |(label, link)| format!("{said}{gap}{label}: {link}"))
}

/// What the devices of the business show.
pub(super) fn alert(facts: &Facts<'_>, news: News, by_hand: Option<&ByHand>) -> Result<NewAlert> {
    let wording = facts.profile.wording(template::Kind::OwnerAlert, Language::En);
    let body = match by_hand {
        _ if facts.new.is_hidden() => NO_TEXT_POSSIBLE.to_owned(),
        Some(text) => {
            let body = for_team(template::Kind::OwnerAlert, &wording, facts, QUOTED_IN_TEXT)?;
            format!("{} {}{TAP}", full_stop(&body), not_texted(text))
        }
        None => for_team(template::Kind::OwnerAlert, &wording, facts, QUOTED_IN_TEXT)?,
    };
    Ok(NewAlert {
        lead: Some(facts.lead),
        is_urgent: news.is_urgent,
        text_link: by_hand.map(|text| text.link.clone()),
        ..NewAlert::new(
            match facts.new.form {
                Form::Call => alert::Kind::MissedCall,
                Form::Text => alert::Kind::TextReceived,
                Form::Lead | Form::Quote if news.again => alert::Kind::AskedAgain,
                Form::Lead | Form::Quote | Form::Typed | Form::Booking => alert::Kind::NewLead,
            },
            format!("lead:{}:touch:{}", facts.lead, facts.touch),
            heading(facts, news),
            without_name(&one_line(&body), facts),
        )
    })
}

/// A wording for the people of the business: what the customer wrote stands in it as it was typed, numbers and all.
fn for_team(kind: template::Kind, wording: &Wording, facts: &Facts<'_>, quoted: usize) -> Result<String> {
    let variables =
        Variables { language: Language::En, customer_name: facts.told_as.to_owned(), ..variables(facts, quoted) };
    Ok(template::render(kind, wording, &variables)?.body)
}

fn lead_facts(facts: &Facts<'_>) -> Vec<(&'static str, String)> {
    let new = facts.new;
    let marked = |value: String, is_unknown: bool| {
        if is_unknown && new.is_public() { format!("{value} ({NOT_ON_FILE})") } else { value }
    };
    let optional = [
        ("Name", Some(facts.told_as.to_owned())),
        ("Phone", Some(new.phone.clone()).filter(|p| !p.is_empty()).map(|p| marked(p, facts.unknown.phone))),
        ("Email", new.email.clone().map(|email| marked(email, facts.unknown.email))),
        ("Service", Some(new.service_label().to_owned())),
        ("Zip code", Some(new.zip.clone()).filter(|z| !z.is_empty())),
        ("Address", new.address.clone()),
        ("Timeline", new.timeline.clone()),
        ("Budget", new.budget.clone()),
        ("Photos", (facts.photo_count > 0).then(|| facts.photo_count.to_string())),
    ];
    optional.into_iter().filter_map(|(label, value)| Some((label, value?))).collect()
}

fn variables(facts: &Facts<'_>, quoted: usize) -> Variables {
    let org = &facts.profile.org;
    Variables {
        language: facts.language,
        business_name: org.name.clone(),
        business_phone: org.phone.clone(),
        customer_name: facts.new.name.clone(),
        customer_phone: Some(facts.new.phone.clone()).filter(|p| !p.is_empty()),
        customer_message: facts.new.notes.as_deref().map(|notes| shortened(notes, quoted)),
        timestamp: clock(facts.now, org.zone()),
        booking_link: facts.profile.booking_link(facts.public_url),
        ..Variables::default()
    }
}

/// An instant as people of the business read it.
pub(super) fn clock(at: DateTime<Utc>, zone: Tz) -> String {
    at.with_timezone(&zone).format("%b %-d, %-I:%M %p").to_string()
}

/// `Monday 8:00 AM`, `lunes 8:00 AM`.
pub(super) fn weekday_and_time(at: DateTime<Utc>, zone: Tz, language: Language) -> String {
    let local = at.with_timezone(&zone);
    format!("{} {}", date_format::texted_weekday(local.date_naive(), language), date_format::hour(&local))
}

/// "Monday at 8:00 AM", within a sentence.
pub(super) fn weekday_at_time(at: DateTime<Utc>, zone: Tz) -> String {
    let local = at.with_timezone(&zone);
    format!("{} at {}", date_format::texted_weekday(local.date_naive(), Language::En), date_format::hour(&local))
}

pub(crate) fn shortened(text: &str, most: usize) -> String {
    let line = one_line(text);
    if line.chars().count() <= most {
        return line;
    }
    let cut: String = line.chars().take(most.saturating_sub(3)).collect();
    format!("{}...", cut.trim_end())
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn name(channel: Channel) -> &'static str {
    match channel {
        Channel::Sms => "sms",
        Channel::Email => "email",
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeZone;

    use super::*;

    #[test]
    fn the_day_we_open_is_named_in_the_customers_language() {
        let monday = Utc.with_ymd_and_hms(2026, 11, 23, 14, 0, 0).unwrap();
        let zone = chrono_tz::America::Chicago;
        assert_eq!(weekday_and_time(monday, zone, Language::En), "Monday 8:00 AM");
        assert_eq!(weekday_and_time(monday, zone, Language::Es), "lunes 8:00 AM");
    }
}
