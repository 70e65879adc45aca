//! What a notice to the business begins with: the same in the text, the email, its subject, and on the devices.

use super::one_line;
use crate::domain::{intake::lead::Form, messaging::automation::Facts};

/// What the business is told of a request, beside its words.
#[derive(Clone, Copy, Debug)]
pub(in crate::domain::messaging::automation) struct News {
    /// A person with an open lead asked again.
    pub(in crate::domain::messaging::automation) again: bool,
    pub(in crate::domain::messaging::automation) is_urgent: bool,
}

pub(super) fn heading(facts: &Facts<'_>, news: News) -> String {
    let said = match facts.new.form {
        Form::Call if facts.new.is_hidden() => {
            let at =
                facts.new.happened_at.unwrap_or(facts.now).with_timezone(&facts.profile.org.zone()).format("%-I:%M %p");
            format!("Missed call from a hidden number at {at}")
        }
        Form::Call => format!("Missed call: {}", facts.told_as),
        Form::Text => format!("Text from {}", facts.told_as),
        Form::Lead | Form::Quote | Form::Typed | Form::Booking => {
            let what = if news.again { "Asked again" } else { "New lead" };
            format!("{what}: {}, {}", facts.told_as, facts.new.service_label())
        }
    };
    one_line(&if news.is_urgent { format!("Urgent. {said}") } else { said })
}

/// The words of a notice after its heading, which takes the place of the wording's own "New lead" and name. Other words
/// of the business stand alone only where they tell of a new lead.
pub(super) fn under_heading(heading: &str, said: String, facts: &Facts<'_>, news: News) -> String {
    let new = facts.new;
    if let Some(rest) = said.strip_prefix(&new_lead(facts.told_as)) {
        // A caller without a name is named by their number.
        let number = Some(format!(", {}", new.phone)).filter(|_| new.name == new.phone);
        let rest = number.and_then(|number| rest.strip_prefix(&number)).unwrap_or(rest);
        return format!("{heading}{rest}");
    }
    let is_plain = !news.again && !news.is_urgent && !matches!(new.form, Form::Call | Form::Text);
    if is_plain { said } else { format!("{heading}. {said}") }
}

/// The body of an alert whose title has named them: what else it says, else how they are reached.
pub(super) fn without_name(body: &str, facts: &Facts<'_>) -> String {
    let new = facts.new;
    let Some(rest) = body.strip_prefix(&new_lead(facts.told_as)) else { return body.to_owned() };
    let more = rest.trim_start_matches(['.', ',']).trim_start();
    if !more.is_empty() {
        return if rest.starts_with(['.', ',']) { more.to_owned() } else { body.to_owned() };
    }
    if !new.phone.is_empty() && new.phone != new.name {
        return new.phone.clone();
    }
    if new.form == Form::Call { "Nobody answered.".to_owned() } else { "No message.".to_owned() }
}

/// How the wordings of the business begin, unless it has changed them.
fn new_lead(name: &str) -> String {
    format!("New lead: {name}")
}
