//! What is said to a customer about their own matter: by text, and where no text can go, by email in the same words.
//!
//! Which way it goes is decided here, before the message is made; that a text fails later is another matter.

use serde_json::json;
use sqlx::FromRow;

use crate::{
    documents::template::{self, Language, Page, Variables},
    domain::{
        intake::{contact_point, lead::Intake},
        messaging::{
            automation::{self, Draft, not_sent, sends},
            conversation,
            message::{self, Channel, sms_link},
            opt_out::store::{self as opt_out, State},
        },
    },
    platform::{
        db::{AsConn, q},
        error::{Error, Result},
        id::{CustomerId, LeadId, OrgId},
        phone::Phone,
    },
};

/// Who asked for the work of a lead, and what stands against texting them.
#[derive(Clone, Debug)]
pub struct Partner {
    pub customer: CustomerId,
    pub name: String,
    pub phone: Option<Phone>,
    pub email: Option<String>,
    pub language: Language,
    /// Why no text can go to them now.
    pub no_text: Option<&'static str>,
    /// Why no email can, where there is none.
    pub no_email: &'static str,
}

#[derive(FromRow)]
struct Row {
    customer_id: CustomerId,
    name: String,
    language: Option<Language>,
}

impl Partner {
    /// The name to greet them by. Whoever only called is known by their number, and nobody is greeted by that, nor by a
    /// link that was typed as a name.
    #[must_use]
    pub fn greeted(&self) -> &str {
        let is_name = self.name.chars().any(char::is_alphabetic) && !self.name.contains("://");
        if is_name { &self.name } else { "" }
    }

    /// What every wording about their matter may say.
    #[must_use]
    pub fn variables(&self, intake: &Intake<'_>) -> Variables {
        let org = &intake.profile.org;
        Variables {
            language: self.language,
            business_name: org.name.clone(),
            business_phone: org.phone.clone(),
            customer_name: self.greeted().to_owned(),
            ..Variables::default()
        }
    }
}

/// The person behind a lead.
///
/// # Errors
/// [`Error::NotFound`] when the org has no such lead.
pub async fn partner(conn: &mut dyn AsConn, intake: &Intake<'_>, lead: LeadId) -> Result<Partner> {
    let org = intake.profile.org.id;
    let found = q!(
        &mut *conn,
        fetch_optional as Row,
        "SELECT l.customer_id, l.name, c.language
         FROM lead l JOIN customer c ON c.org_id = l.org_id AND c.id = l.customer_id
         WHERE l.org_id = $1 AND l.id = $2",
        org,
        lead
    )?;
    let row = found.ok_or(Error::NotFound)?;
    let to = contact_point::of_lead(&mut *conn, org, lead).await?;
    let phone = to.phone.as_deref().and_then(Phone::parse);
    let no_text = match &phone {
        None => Some(to.no_phone()),
        Some(phone) => why_no_text(conn, intake, org, row.customer_id, phone).await?,
    };
    Ok(Partner {
        customer: row.customer_id,
        name: row.name,
        phone,
        no_email: to.no_email(),
        email: to.email,
        language: row.language.unwrap_or_default(),
        no_text,
    })
}

/// Why this number gets no texts by what was said from it.
///
/// # Errors
/// When the database is away.
pub async fn refused(conn: &mut dyn AsConn, org: OrgId, phone: &str) -> Result<Option<&'static str>> {
    Ok(match opt_out::find(conn, org, Channel::Sms, phone).await?.map(|out| out.state) {
        Some(State::Stopped) => Some("they said STOP"),
        Some(State::Paused) => Some("they may have asked to stop; nothing is sent until you have looked"),
        _ => None,
    })
}

async fn why_no_text(
    conn: &mut dyn AsConn,
    intake: &Intake<'_>,
    org: OrgId,
    customer: CustomerId,
    phone: &Phone,
) -> Result<Option<&'static str>> {
    if let Some(why) = phone.why_never_texted() {
        return Ok(Some(why));
    }
    if let Some(why) = refused(&mut *conn, org, phone.as_e164()).await? {
        return Ok(Some(why));
    }
    let standing = conversation::standing(conn, org, customer, Some(phone), intake.origin.now()).await?;
    if standing.no_sms_since.is_some() {
        return Ok(Some("this number cannot receive texts"));
    }
    Ok(sms_link::why(intake.set_up.sms, intake.profile))
}

/// What is to be said, and as what.
#[derive(Clone, Copy, Debug)]
pub struct Words<'a> {
    pub rule: &'static str,
    /// Why it is said.
    pub why: &'a str,
    pub wording: template::Kind,
    pub kind: message::Kind,
    /// What the email is about, in the language they read.
    pub subject: &'a str,
    /// One message, one key; the channel is added.
    pub key: &'a str,
}

/// Words it for this person, by the way that is open.
///
/// # Errors
/// Only if a stored wording could not be filled, which saving rules out.
pub fn to(
    intake: &Intake<'_>,
    partner: &Partner,
    words: Words<'_>,
    variables: &Variables,
) -> Result<automation::Decision> {
    let wording = intake.profile.wording(words.wording, partner.language);
    let text = partner.phone.as_ref().filter(|_| partner.no_text.is_none());
    let channel = if text.is_some() { Channel::Sms } else { Channel::Email };
    let saw = json!({
        "templateEnabled": wording.enabled, "language": partner.language, "noText": partner.no_text,
        "hasEmail": partner.email.is_some(),
    });
    if !wording.enabled {
        return Ok(not_sent(words.rule, channel, "this template is switched off", saw));
    }
    let body = template::render(words.wording, &wording, variables)?.body;
    let draft = match (text, &partner.email) {
        (Some(phone), _) => {
            let key = format!("{}:sms", words.key);
            // Kept for the email in its place, should the number take no texts.
            let page = Some(asking(intake, partner, words.wording, variables, &body));
            Draft { page, ..Draft::new(channel, words.kind, phone.as_e164().to_owned(), body, key) }
        }
        (None, Some(email)) => mail(intake, partner, words, email, (&body, variables)),
        (None, None) => {
            let why = format!("{}, and {}", partner.no_text.unwrap_or("no phone number is known"), partner.no_email);
            return Ok(not_sent(words.rule, Channel::Sms, &why, saw));
        }
    };
    let draft = Draft { customer: Some(partner.customer), ..draft };
    Ok(sends(words.rule, channel, words.why, saw, draft))
}

/// The page of an email with the button for what its words ask.
fn asking(intake: &Intake<'_>, partner: &Partner, kind: template::Kind, variables: &Variables, body: &str) -> Page {
    let button = template::button(kind, variables, body);
    Page { button, ..page(&intake.profile.org.name, partner.language) }
}

/// The email in the words of the text.
fn mail(
    intake: &Intake<'_>,
    partner: &Partner,
    words: Words<'_>,
    email: &str,
    (body, variables): (&str, &Variables),
) -> Draft {
    let key = format!("{}:email", words.key);
    Draft {
        subject: Some(words.subject.to_owned()),
        page: Some(asking(intake, partner, words.wording, variables, body)),
        customer: Some(partner.customer),
        ..Draft::new(Channel::Email, words.kind, email.to_owned(), template::without_stop(body), key)
    }
}

/// Words it for this person by each way that is open: what must not be missed goes by text and by email.
///
/// # Errors
/// As [`to`].
pub fn by_each(
    intake: &Intake<'_>,
    partner: &Partner,
    words: Words<'_>,
    variables: &Variables,
) -> Result<Vec<automation::Decision>> {
    let first = to(intake, partner, words, variables)?;
    let text = first.message.as_ref().filter(|draft| draft.channel == Channel::Sms);
    let also = text.zip(partner.email.as_deref()).map(|(text, email)| {
        let saw = json!({"language": partner.language, "hasText": true});
        sends(words.rule, Channel::Email, words.why, saw, mail(intake, partner, words, email, (&text.body, variables)))
    });
    Ok([first].into_iter().chain(also).collect())
}

/// What stands below such an email.
pub(crate) fn page(business: &str, language: Language) -> Page {
    let footer = match language {
        Language::En => format!("You get this email because you asked {business} for work."),
        Language::Es => format!("Recibe este correo porque pidió un trabajo a {business}."),
    };
    Page { footer, links: true, language: Some(language), ..Page::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::template::{Kind, default_wording};

    #[test]
    fn an_email_does_not_say_how_to_stop_texts() {
        for language in [Language::En, Language::Es] {
            let variables = Variables { language, business_name: "Acme".to_owned(), ..Variables::default() };
            let wording = default_wording(Kind::EstimateFollowUp, language);
            let text = template::render(Kind::EstimateFollowUp, &wording, &variables).unwrap().body;
            assert!(text.contains("STOP"), "{text}");
            let email = template::without_stop(&text);
            assert!(!email.contains("STOP") && email.contains("Acme") && !email.ends_with(' '), "{email}");
        }
    }
}
