//! Messages to a customer about their own matter: by text, or by email in the same words where no text is possible.
//!
//! The channel is chosen here, before the message is made. A text that fails later is handled elsewhere.

use serde_json::json;
use sqlx::FromRow;

use crate::{
    documents::template::{self, EmailPage, Language, WordingValues},
    domain::{
        intake::contact_point::{self, CustomerRecipient, NO_EMAIL_KNOWN},
        messaging::{
            automation::{self, MessageDraft, decide_send, decide_skip},
            conversation,
            message::{self, MessageChannel, sms_link},
            opt_out::store as opt_out,
        },
        tenancy::org::OrgContext,
    },
    platform::{
        db::{AsConn, q},
        email_address::EmailAddress,
        error::{Error, Result},
        id::{CustomerId, JobId, LeadId, OrgId},
        phone::Phone,
    },
};

#[derive(Clone, Debug)]
pub struct FollowUpRecipient {
    pub customer: CustomerId,
    pub name: String,
    pub phone: Option<Phone>,
    pub email: Option<EmailAddress>,
    pub language: Language,
    pub no_text: Option<&'static str>,
    /// Why no email is possible, where there is no address.
    pub no_email: &'static str,
}

#[derive(FromRow)]
struct FollowUpRecipientRow {
    customer_id: CustomerId,
    name: String,
    language: Option<Language>,
}

impl FollowUpRecipient {
    /// The same for a text from one's own phone; none unless only the set-up of texting stops texts.
    #[must_use]
    pub(crate) fn for_own_phone(self, intake: &OrgContext<'_>) -> Option<Self> {
        let blocked = sms_link::why_texts_blocked(intake.set_up.sms, intake.profile)?;
        (self.phone.is_some() && self.no_text == Some(blocked)).then_some(Self { no_text: None, ..self })
    }

    /// Why no follow-up can leave: neither by text nor by email. None where one of the two can.
    #[must_use]
    pub(crate) fn why_unreachable(&self, intake: &OrgContext<'_>) -> Option<String> {
        let no_text = self.no_text.filter(|_| self.email.is_none())?;
        let blocked = sms_link::why_texts_blocked(intake.set_up.sms, intake.profile);
        let no_text = if blocked == Some(no_text) { "texts are off" } else { no_text };
        let no_email = if self.no_email == NO_EMAIL_KNOWN { "there is no email address" } else { self.no_email };
        Some(format!("{no_text} and {no_email}"))
    }

    /// The same with what is left to do, as the end of a sentence.
    #[must_use]
    pub fn unreachable_advice(&self, intake: &OrgContext<'_>) -> Option<String> {
        let why = self.why_unreachable(intake)?;
        Some(if self.phone.is_some() { format!("{why}. Call them.") } else { format!("{why}.") })
    }

    /// Whether texts to their number were possible and are not any more, with no email in their place. What only the
    /// set-up of texting stops is no loss of theirs.
    pub(super) fn has_lost_texts(&self, intake: &OrgContext<'_>) -> bool {
        let is_textable = self.phone.as_ref().is_some_and(|phone| phone.untextable_reason().is_none());
        is_textable && self.email.is_none() && self.refuses_texts(intake)
    }

    /// Whether no text can leave, not from one's own phone either.
    pub(crate) fn refuses_texts(&self, intake: &OrgContext<'_>) -> bool {
        let blocked = sms_link::why_texts_blocked(intake.set_up.sms, intake.profile);
        self.no_text.is_some_and(|why| blocked != Some(why))
    }

    #[must_use]
    pub fn template_variables(&self, intake: &OrgContext<'_>) -> WordingValues {
        let org = &intake.profile.org;
        WordingValues {
            language: self.language,
            business_name: org.name.clone(),
            business_phone: org.phone.clone(),
            customer_name: self.name.clone(),
            ..WordingValues::default()
        }
    }
}

/// # Errors
/// [`Error::NotFound`] when the org has no such lead.
pub async fn load_recipient(conn: &mut dyn AsConn, intake: &OrgContext<'_>, lead: LeadId) -> Result<FollowUpRecipient> {
    let to = contact_point::load_lead_recipient(&mut *conn, intake.profile.org.id, lead).await?;
    build_recipient(conn, intake, lead, to).await
}

/// The same for messages about a visit of the lead.
///
/// # Errors
/// [`Error::NotFound`] when the org has no such lead.
pub async fn load_recipient_of_visit(
    conn: &mut dyn AsConn,
    intake: &OrgContext<'_>,
    (lead, job): (LeadId, JobId),
) -> Result<FollowUpRecipient> {
    let to = contact_point::load_visit_recipient(&mut *conn, intake.profile.org.id, (lead, job)).await?;
    build_recipient(conn, intake, lead, to).await
}

async fn build_recipient(
    conn: &mut dyn AsConn,
    intake: &OrgContext<'_>,
    lead: LeadId,
    to: CustomerRecipient,
) -> Result<FollowUpRecipient> {
    let org = intake.profile.org.id;
    let found = q!(
        &mut *conn,
        fetch_optional as FollowUpRecipientRow,
        "SELECT l.customer_id, l.name, c.language
         FROM lead l JOIN customer c ON c.org_id = l.org_id AND c.id = l.customer_id
         WHERE l.org_id = $1 AND l.id = $2",
        org,
        lead
    )?;
    let row = found.ok_or(Error::NotFound)?;
    let no_text = match &to.phone {
        None => Some(to.missing_phone_reason()),
        Some(phone) => why_not_textable(conn, intake, org, row.customer_id, phone).await?,
    };
    Ok(FollowUpRecipient {
        customer: row.customer_id,
        name: row.name,
        no_email: to.missing_email_reason(),
        phone: to.phone,
        email: to.email,
        language: row.language.unwrap_or_default(),
        no_text,
    })
}

/// Opt-out of this number, as a reason.
pub async fn why_number_refused(conn: &mut dyn AsConn, org: OrgId, phone: &Phone) -> Result<Option<&'static str>> {
    let found = opt_out::find_opt_out(conn, org, MessageChannel::Sms, phone.as_e164()).await?;
    Ok(found.and_then(|out| out.state.refusal_reason()))
}

/// Why texts to this number do not leave, where only the set-up of texting stops them: people may still text it from
/// their own phone.
///
/// # Errors
/// Only those of the database.
pub async fn why_texting_unavailable(
    conn: &mut dyn AsConn,
    intake: &OrgContext<'_>,
    customer: CustomerId,
    phone: &Phone,
) -> Result<Option<&'static str>> {
    let blocked = sms_link::why_texts_blocked(intake.set_up.sms, intake.profile);
    let refused = why_not_textable(conn, intake, intake.profile.org.id, customer, phone).await?;
    Ok(blocked.filter(|why| refused == Some(*why)))
}

async fn why_not_textable(
    conn: &mut dyn AsConn,
    intake: &OrgContext<'_>,
    org: OrgId,
    customer: CustomerId,
    phone: &Phone,
) -> Result<Option<&'static str>> {
    if let Some(why) = phone.untextable_reason() {
        return Ok(Some(why));
    }
    if let Some(why) = why_number_refused(&mut *conn, org, phone).await? {
        return Ok(Some(why));
    }
    let conversation_state = conversation::load_context(conn, org, customer, Some(phone), intake.origin.now()).await?;
    if conversation_state.sms_undeliverable_since.is_some() {
        return Ok(Some("this number cannot receive texts"));
    }
    Ok(sms_link::why_texts_blocked(intake.set_up.sms, intake.profile))
}

#[derive(Clone, Copy, Debug)]
pub struct FollowUpWording<'a> {
    pub rule: &'static str,
    pub why: &'a str,
    pub wording: template::TemplateKindName,
    pub kind: message::MessageKind,
    /// Subject of the email, in the customer's language.
    pub subject: &'a str,
    /// Idempotency key; the channel is appended.
    pub key: &'a str,
}

/// Uses the available channel.
///
/// # Errors
/// Only if a stored wording cannot be filled, which validation on save prevents.
pub fn compose_message(
    intake: &OrgContext<'_>,
    partner: &FollowUpRecipient,
    words: FollowUpWording<'_>,
    variables: &WordingValues,
) -> Result<automation::RuleDecision> {
    let wording = intake.profile.wording(words.wording, partner.language);
    let text = partner.phone.as_ref().filter(|_| partner.no_text.is_none());
    let channel = if text.is_some() { MessageChannel::Sms } else { MessageChannel::Email };
    let evidence = json!({
        "templateEnabled": wording.enabled, "language": partner.language, "noText": partner.no_text,
        "hasEmail": partner.email.is_some(),
    });
    if !wording.enabled {
        return Ok(decide_skip(words.rule, channel, "this template is switched off", evidence));
    }
    let body = template::render_wording(words.wording, &wording, variables)?.body;
    let draft = match (text, &partner.email) {
        (Some(phone), _) => {
            let key = format!("{}:sms", words.key);
            // For the email fallback, if the number takes no texts.
            let page = EmailPage {
                fallback_subject: Some(words.subject.to_owned()),
                ..build_action_page(intake, partner, words.wording, variables, &body)
            };
            MessageDraft { page: Some(page), ..MessageDraft::new(words.kind, phone.clone(), body, key) }
        }
        (None, Some(email)) => build_email_draft(intake, partner, words, email, (&body, variables)),
        (None, None) => {
            let why = format!("{}, and {}", partner.no_text.unwrap_or("no phone number is known"), partner.no_email);
            return Ok(decide_skip(words.rule, MessageChannel::Sms, &why, evidence));
        }
    };
    let draft = MessageDraft { customer: Some(partner.customer), ..draft };
    Ok(decide_send(words.rule, channel, words.why, evidence, draft))
}

fn build_action_page(
    intake: &OrgContext<'_>,
    partner: &FollowUpRecipient,
    kind: template::TemplateKindName,
    variables: &WordingValues,
    body: &str,
) -> EmailPage {
    let button = template::find_button(kind, variables, body);
    EmailPage { button, ..build_email_page(&intake.profile.org.name, partner.language) }
}

fn build_email_draft(
    intake: &OrgContext<'_>,
    partner: &FollowUpRecipient,
    words: FollowUpWording<'_>,
    email: &EmailAddress,
    (body, variables): (&str, &WordingValues),
) -> MessageDraft {
    let key = format!("{}:email", words.key);
    MessageDraft {
        subject: Some(words.subject.to_owned()),
        page: Some(build_action_page(intake, partner, words.wording, variables, body)),
        customer: Some(partner.customer),
        ..MessageDraft::new(words.kind, email.clone(), template::strip_opt_out_sentence(body), key)
    }
}

/// Uses every available channel: important messages go by text and by email.
pub fn compose_on_each_channel(
    intake: &OrgContext<'_>,
    partner: &FollowUpRecipient,
    words: FollowUpWording<'_>,
    variables: &WordingValues,
) -> Result<Vec<automation::RuleDecision>> {
    let first = compose_message(intake, partner, words, variables)?;
    let text = first.message.as_ref().filter(|draft| draft.to.is_phone());
    let also = text.zip(partner.email.as_ref()).map(|(text, email)| {
        let evidence = json!({"language": partner.language, "hasText": true});
        decide_send(
            words.rule,
            MessageChannel::Email,
            words.why,
            evidence,
            build_email_draft(intake, partner, words, email, (&text.body, variables)),
        )
    });
    Ok([first].into_iter().chain(also).collect())
}

pub(crate) fn build_email_page(business: &str, language: Language) -> EmailPage {
    let footer = match language {
        Language::En => format!("You get this email because you asked {business} for work."),
        Language::Es => format!("Recibe este correo porque pidió un trabajo a {business}."),
    };
    EmailPage { footer, links: true, language: Some(language), ..EmailPage::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::template::{TemplateKindName, default_wording};

    #[test]
    fn email_omits_text_opt_out_instruction() {
        for language in [Language::En, Language::Es] {
            let variables = WordingValues { language, business_name: "Acme".to_owned(), ..WordingValues::default() };
            let wording = default_wording(TemplateKindName::EstimateFollowUp, language);
            let text = template::render_wording(TemplateKindName::EstimateFollowUp, &wording, &variables).unwrap().body;
            assert!(text.contains("STOP"), "{text}");
            let email = template::strip_opt_out_sentence(&text);
            assert!(!email.contains("STOP") && email.contains("Acme") && !email.ends_with(' '), "{email}");
        }
    }
}
