//! Heading of a notice to the business: the same in the text, the email, its subject and on devices.

use super::collapse_whitespace;
use crate::domain::{intake::lead::LeadFormKind, messaging::automation::RuleContext};

#[derive(Clone, Copy, Debug)]
pub(in crate::domain::messaging::automation) struct RequestNews {
    /// A person with an open lead asked again.
    pub(in crate::domain::messaging::automation) again: bool,
    pub(in crate::domain::messaging::automation) is_urgent: bool,
}

pub(super) fn notice_heading(facts: &RuleContext<'_>, news: RequestNews) -> String {
    let source = match facts.new.form {
        LeadFormKind::Call if facts.new.is_anonymous_call() => {
            let at =
                facts.new.happened_at.unwrap_or(facts.now).with_timezone(&facts.profile.org.zone()).format("%-I:%M %p");
            format!("Missed call from a hidden number at {at}")
        }
        LeadFormKind::Call => format!("Missed call: {}", facts.told_as),
        LeadFormKind::Text => format!("Text from {}", facts.told_as),
        LeadFormKind::Lead | LeadFormKind::Quote | LeadFormKind::Typed | LeadFormKind::Booking => {
            let what = if news.again { "Asked again" } else { "New lead" };
            format!("{what}: {}, {}", facts.told_as, facts.new.service_label())
        }
    };
    collapse_whitespace(&if news.is_urgent { format!("Urgent. {source}") } else { source })
}

/// Words after the heading, which replaces their "New lead" and name. A custom wording goes without it only for a new
/// lead.
pub(super) fn text_after_heading(heading: &str, text: String, facts: &RuleContext<'_>, news: RequestNews) -> String {
    let new = facts.new;
    if let Some(rest) = text.strip_prefix(&new_lead_prefix(facts.told_as)) {
        // Unnamed callers are named by their number.
        let number = Some(format!(", {}", new.phone)).filter(|_| new.name == new.phone);
        let rest = number.and_then(|number| rest.strip_prefix(&number)).unwrap_or(rest);
        return format!("{heading}{rest}");
    }
    let is_plain = !news.again && !news.is_urgent && !matches!(new.form, LeadFormKind::Call | LeadFormKind::Text);
    if is_plain { text } else { format!("{heading}. {text}") }
}

/// Alert body without the name that its title has: the rest, else how to reach the customer.
pub(super) fn body_without_name(body: &str, facts: &RuleContext<'_>) -> String {
    let new = facts.new;
    let Some(rest) = body.strip_prefix(&new_lead_prefix(facts.told_as)) else { return body.to_owned() };
    let more = rest.trim_start_matches(['.', ',']).trim_start();
    if !more.is_empty() {
        return if rest.starts_with(['.', ',']) { more.to_owned() } else { body.to_owned() };
    }
    if !new.phone.is_empty() && new.phone != new.name {
        return new.phone.clone();
    }
    if new.form == LeadFormKind::Call { "No one answered.".to_owned() } else { "No message.".to_owned() }
}

fn new_lead_prefix(name: &str) -> String {
    format!("New lead: {name}")
}
