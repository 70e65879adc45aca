//! The question that asks for the tap: its channels, its words and its link.

use chrono::Duration;
use uuid::Uuid;

use super::CONFIRMATION_WINDOW;
use crate::{
    documents::template::{self, EmailPage, Language, RenderedWording, WordingValues},
    domain::{
        intake::lead::{NewLead, RequestedVisit},
        messaging::{
            conversation,
            message::{self, MessageChannel, MessageDraft, MessageKind, NewMessage},
            opt_out,
        },
        tenancy::org::OrgContext,
        work::{
            booking::{accept, hold::SlotHold, take},
            visit,
        },
    },
    platform::{
        access_link,
        db::Tx,
        email_address::EmailAddress,
        error::Result,
        id::{CustomerId, LeadId, MessageId},
        phone::Phone,
        recipient::Recipient,
    },
};

/// How long after the time its link still opens a page, which says that the time has passed.
const LINK_SHOWN_AFTER: Duration = Duration::days(7);

/// Channels of a question. A customer with a proven address is asked only there.
pub(super) struct QuestionChannels {
    pub(super) phone: Option<Phone>,
    pub(super) email: Option<EmailAddress>,
}

impl QuestionChannels {
    pub(super) async fn load_for_lead(
        tx: &mut Tx,
        ctx: &OrgContext<'_>,
        new: &NewLead,
        (customer, language): (CustomerId, Language),
    ) -> Result<Self> {
        let (org, profile) = (ctx.profile.org.id, ctx.profile);
        if !profile.switches.automated_communications {
            return Ok(Self::without_channels());
        }
        let is_on = |kind| profile.wording(kind, language).enabled;
        let proven = accept::find_proven_contacts(&mut *tx, org, customer, new).await?;
        let (by_text, by_email) = if proven == (false, false) { (true, true) } else { proven };
        let is_texted = by_text && is_on(template::TemplateKindName::BookingQuestion);
        let mut phone = new.phone_e164.clone().filter(|phone| is_texted && phone.is_textable());
        if let Some(typed) = &phone {
            let is_quiet = opt_out::find_opt_out(&mut *tx, org, MessageChannel::Sms, typed.as_e164()).await?.is_some();
            let context = conversation::load_context(tx, org, customer, Some(typed), ctx.origin.now()).await?;
            let leaves = message::why_texts_blocked(ctx.set_up.sms, profile).is_none();
            phone = phone.filter(|_| leaves && !is_quiet && context.sms_undeliverable_since.is_none());
        }
        let email = new.email.clone().filter(|_| by_email && is_on(template::TemplateKindName::BookingQuestionEmail));
        Ok(Self { phone, email })
    }

    pub(super) fn without_channels() -> Self {
        Self { phone: None, email: None }
    }

    pub(super) fn has_any(&self) -> bool {
        self.phone.is_some() || self.email.is_some()
    }
}

/// The question in the business's wording, sent to the typed address. It repeats a first name and nothing else.
pub(super) struct ConfirmationQuestion<'a> {
    pub(super) ctx: &'a OrgContext<'a>,
    pub(super) held: &'a SlotHold,
    pub(super) customer: CustomerId,
    pub(super) lead: LeadId,
    pub(super) language: Language,
    pub(super) name: String,
}

impl ConfirmationQuestion<'_> {
    pub(super) async fn queue_questions(
        &self,
        tx: &mut Tx,
        ways: &QuestionChannels,
        email_ref: Uuid,
    ) -> Result<Vec<(MessageChannel, MessageId)>> {
        let mut messages = Vec::with_capacity(2);
        if let Some(phone) = &ways.phone {
            let link = self.build_link(&mut *tx, self.held.id.0).await?;
            let (filled, _) = self.render_question(template::TemplateKindName::BookingQuestion, &link)?;
            messages.push(self.build_message(phone.clone().into(), filled.body));
        }
        if let Some(email) = &ways.email {
            let link = self.build_link(&mut *tx, email_ref).await?;
            let (filled, variables) = self.render_question(template::TemplateKindName::BookingQuestionEmail, &link)?;
            let mail = self.build_message(email.clone().into(), filled.body.clone());
            messages.push(mail.map_draft(|draft| self.with_page(draft, (filled, &variables))));
        }
        let queued = message::queue_messages(tx, self.ctx.origin, self.ctx.profile.org.id, &messages).await?;
        Ok(messages.iter().filter(|m| queued.contains(&m.id)).map(|m| (m.draft.channel(), m.id)).collect())
    }

    async fn build_link(&self, tx: &mut Tx, subject: Uuid) -> Result<String> {
        let (origin, org) = (self.ctx.origin, self.ctx.profile.org.id);
        let kind = access_link::LinkKind::Booking;
        let until = self.held.starts_at + LINK_SHOWN_AFTER;
        let id = access_link::ensure_link(tx, origin, org, kind, subject, Some(until)).await?;
        Ok(self.ctx.public_url.join(&access_link::build_path(self.ctx.secret, id, kind)))
    }

    fn build_message(&self, to: Recipient, body: String) -> NewMessage {
        let key = format!("booking:{}:{}", self.held.id, to.channel());
        let draft = MessageDraft {
            customer: Some(self.customer),
            about: Some(self.held.id.0),
            expires_at: Some(self.ctx.origin.now() + CONFIRMATION_WINDOW),
            ..MessageDraft::new(MessageKind::AutoReply, to, body, key)
        };
        NewMessage { lead: Some(self.lead), ..draft.with_id(MessageId(self.ctx.origin.uuid_v7())) }
    }

    fn visit_time(&self) -> String {
        let profile = self.ctx.profile;
        visit::words::format_arrival_window(
            self.held.starts_at,
            profile.settings.jobs.arrival_minutes,
            profile.org.zone(),
            self.language,
        )
    }

    fn render_question(
        &self,
        kind: template::TemplateKindName,
        link: &str,
    ) -> Result<(RenderedWording, WordingValues)> {
        let org = &self.ctx.profile.org;
        let variables = WordingValues {
            language: self.language,
            business_name: org.name.clone(),
            business_phone: org.phone.clone(),
            customer_name: self.name.clone(),
            visit_time: Some(self.visit_time()),
            visit_link: Some(link.to_owned()),
            ..WordingValues::default()
        };
        let wording = self.ctx.profile.wording(kind, self.language);
        Ok((template::render_wording(kind, &wording, &variables)?, variables))
    }

    /// The email of a request whose time is not held: it names the wished time and nothing that was typed.
    pub(super) async fn queue_receipt(&self, tx: &mut Tx, email: EmailAddress) -> Result<()> {
        let when = |language| take::format_visit_time(self.ctx, self.held, language);
        let wish = RequestedVisit { english: when(Language::En), spanish: when(Language::Es) };
        let sentence = wish.unconfirmed_sentence(self.language);
        let business = &self.ctx.profile.org.name;
        let (subject, thanks) = match self.language {
            Language::En => ("We received your request", "Thank you. We have your request and will answer you."),
            Language::Es => ("Recibimos su solicitud", "Gracias. Tenemos su solicitud y le responderemos."),
        };
        let draft = MessageDraft {
            customer: Some(self.customer),
            subject: Some(subject.to_owned()),
            page: Some(EmailPage {
                footer: self.email_footer(),
                language: Some(self.language),
                ..EmailPage::default()
            }),
            ..MessageDraft::new(
                MessageKind::AutoReply,
                email,
                format!("{thanks}\n\n{sentence}\n\n{business}"),
                format!("booking:{}:receipt", self.held.id),
            )
        };
        let receipt = NewMessage { lead: Some(self.lead), ..draft.with_id(MessageId(self.ctx.origin.uuid_v7())) };
        message::queue_messages(tx, self.ctx.origin, self.ctx.profile.org.id, &[receipt]).await.map(|_| ())
    }

    fn email_footer(&self) -> String {
        let business = &self.ctx.profile.org.name;
        match self.language {
            Language::En => {
                format!("You get this email because someone asked {business} for a visit and entered this address.")
            }
            Language::Es => {
                format!("Recibe este correo porque alguien pidió una visita a {business} y escribió esta dirección.")
            }
        }
    }

    fn with_page(&self, draft: MessageDraft, (filled, variables): (RenderedWording, &WordingValues)) -> MessageDraft {
        let button = template::find_button(template::TemplateKindName::BookingQuestionEmail, variables, &filled.body);
        let page =
            EmailPage { button, footer: self.email_footer(), language: Some(self.language), ..EmailPage::default() };
        MessageDraft { subject: filled.subject, page: Some(page), ..draft }
    }
}
