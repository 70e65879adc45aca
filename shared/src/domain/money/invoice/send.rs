//! Sending of an invoice: email with the PDF, and text with the link.

use serde::{Deserialize, Serialize};
use serde_json::json;
use sqlx::types::Json;

use super::row::InvoiceRecord;
use crate::{
    documents::{
        date_format,
        template::{self, EmailPage, Language, WordingValues},
    },
    domain::{
        messaging::{
            automation::{MessageDraft, RuleDecision, apply_decisions, decide_send, decide_skip},
            conversation::{self, ConversationEvent, store_paper_text},
            followup::{self, FollowUpRecipient},
            message::{self, MessageChannel, MessageKind},
        },
        money::estimate::{
            DocumentSendResult,
            content::DeliveryChannels,
            send::{NotSentBy, QueuedDocumentMessage},
        },
        tenancy::{
            activity_log::{self, ActivityActor, EventKind, NewEvent, SendingDetail},
            org::OrgContext,
        },
    },
    platform::{
        access_link,
        db::{AsConn, Tx, q},
        error::Result,
        id::{CustomerId, EventId, FileId, InvoiceId, JobId, LeadId, MessageId, OrgId},
        money::Cents,
        recipient::Recipient,
    },
};

const RULE: &str = "invoice_delivery";
const EVENT: &str = "invoice_sent";

pub(super) struct InvoiceDelivery {
    partner: FollowUpRecipient,
    id: InvoiceId,
    lead: LeadId,
    job: Option<JobId>,
    number: String,
    total: Cents,
    balance: Cents,
    due: Option<String>,
    file: FileId,
    address: String,
    ways: DeliveryChannels,
}

impl InvoiceDelivery {
    /// Makes a new link when the old one was revoked.
    pub async fn from_record(
        tx: &mut Tx,
        ctx: &OrgContext<'_>,
        row: &InvoiceRecord,
        file: FileId,
        ways: DeliveryChannels,
    ) -> Result<Self> {
        let org = ctx.profile.org.id;
        let partner = followup::load_recipient(&mut *tx, ctx, row.lead).await?;
        let kind = access_link::LinkKind::Invoice;
        let link = access_link::ensure_link(tx, ctx.origin, org, kind, row.id.0, None).await?;
        Ok(Self {
            id: row.id,
            lead: row.lead,
            job: row.job,
            number: row.display_number().unwrap_or_default(),
            total: row.total_cents,
            balance: row.balance(),
            due: row.due_on.map(|day| date_format::format_month_day(day, partner.language)),
            file,
            address: ctx.public_url.join(&access_link::build_path(ctx.secret, link, kind)),
            ways,
            partner,
        })
    }

    fn template_variables(&self, ctx: &OrgContext<'_>) -> WordingValues {
        WordingValues {
            invoice_number: Some(self.number.clone()),
            amount: Some(self.balance).filter(|balance| *balance > Cents::ZERO),
            due_date: self.due.clone(),
            invoice_link: Some(self.address.clone()),
            ..self.partner.template_variables(ctx)
        }
    }
}

/// Email with the PDF and text with the link, as far as they were asked for.
fn decide_channels(ctx: &OrgContext<'_>, parcel: &InvoiceDelivery, turn: &str) -> Result<Vec<RuleDecision>> {
    let wanted = [(MessageChannel::Email, parcel.ways.email), (MessageChannel::Sms, parcel.ways.text)];
    wanted
        .into_iter()
        .filter(|(_, wanted)| *wanted)
        .map(|(channel, _)| decide_channel(ctx, parcel, turn, channel))
        .collect()
}

fn decide_channel(
    ctx: &OrgContext<'_>,
    parcel: &InvoiceDelivery,
    turn: &str,
    channel: MessageChannel,
) -> Result<RuleDecision> {
    let partner = &parcel.partner;
    let kind = match channel {
        MessageChannel::Email => template::TemplateKindName::InvoiceEmail,
        MessageChannel::Sms => template::TemplateKindName::InvoiceText,
    };
    let wording = ctx.profile.wording(kind, partner.language);
    let address: Option<Recipient> = match channel {
        MessageChannel::Email => partner.email.clone().map(Into::into),
        MessageChannel::Sms => partner.phone.clone().map(Into::into),
    };
    let evidence = json!({
        "templateEnabled": wording.enabled, "hasAddress": address.is_some(), "language": partner.language,
        "noText": partner.no_text.filter(|_| channel == MessageChannel::Sms), "isPaid": parcel.balance == Cents::ZERO,
    });
    let no = |why: &str| Ok(decide_skip(RULE, channel, why, evidence.clone()));
    let Some(to) = address else {
        let no_text = partner.no_text.unwrap_or("no phone number is known");
        return no(if channel == MessageChannel::Sms { no_text } else { partner.no_email });
    };
    if !wording.enabled {
        return no("this template is switched off");
    }
    if channel == MessageChannel::Sms {
        if parcel.balance == Cents::ZERO {
            return no("it is paid already");
        }
        if let Some(why) = partner.no_text {
            return no(why);
        }
    }
    let draft = build_draft(ctx, parcel, turn, (to, kind))?;
    Ok(decide_send(RULE, channel, "the invoice goes out", evidence, draft))
}

/// The text for one's own phone and why it does not leave by itself; none unless only the set-up of texting stops it.
fn build_invoice_text(
    ctx: &OrgContext<'_>,
    parcel: &InvoiceDelivery,
    turn: &str,
) -> Result<Option<(MessageDraft, &'static str)>> {
    let (partner, kind) = (&parcel.partner, template::TemplateKindName::InvoiceText);
    let is_wanted = parcel.ways.text
        && parcel.balance != Cents::ZERO
        && ctx.profile.wording(kind, partner.language).enabled
        && partner.clone().for_own_phone(ctx).is_some();
    let (Some(why), Some(phone)) = (partner.no_text.filter(|_| is_wanted), &partner.phone) else { return Ok(None) };
    Ok(Some((build_draft(ctx, parcel, turn, (phone.clone().into(), kind))?, why)))
}

fn build_draft(
    ctx: &OrgContext<'_>,
    parcel: &InvoiceDelivery,
    turn: &str,
    (to, kind): (Recipient, template::TemplateKindName),
) -> Result<MessageDraft> {
    let (partner, channel) = (&parcel.partner, to.channel());
    let wording = ctx.profile.wording(kind, partner.language);
    let variables = parcel.template_variables(ctx);
    let rendered = template::render_wording(kind, &wording, &variables)?;
    let is_email = channel == MessageChannel::Email;
    // The page of a text is kept for the email that replaces it if the number takes no texts.
    let page = Some(email_page(kind, &variables, &rendered.body));
    let key = format!("invoice:{}:{turn}:{channel}", parcel.id);
    Ok(MessageDraft {
        customer: Some(partner.customer),
        subject: rendered.subject,
        page,
        about: Some(parcel.id.0),
        files: vec![(parcel.file, is_email)],
        ..MessageDraft::new(MessageKind::Invoice, to, rendered.body, key)
    })
}

/// Layout of the email, with a button beside the link in its text.
fn email_page(kind: template::TemplateKindName, variables: &WordingValues, body: &str) -> EmailPage {
    let (language, business) = (variables.language, variables.business_name.as_str());
    let footer = match language {
        Language::En => format!("You get this email because {business} did work for you."),
        Language::Es => format!("Recibe este correo porque {business} trabajó para usted."),
    };
    let button = template::find_button(kind, variables, body);
    EmailPage { button, footer, links: true, language: Some(language), ..EmailPage::default() }
}

/// Stores the decisions with their messages and the event, and updates the conversation. With no open channel nothing
/// is sent; the event says so.
pub(super) async fn send_invoice(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    parcel: &InvoiceDelivery,
    turn: &str,
    by: &ActivityActor,
) -> Result<(DocumentSendResult, EventId)> {
    let (origin, org) = (ctx.origin, ctx.profile.org.id);
    let mut decisions = decide_channels(ctx, parcel, turn)?;
    let own_phone = build_invoice_text(ctx, parcel, turn)?;
    let event =
        record_sent_event(tx, ctx, (parcel.id, parcel.lead, parcel.job), &sent_detail(parcel, &decisions), by).await?;
    for draft in decisions.iter_mut().filter_map(|decision| decision.message.as_mut()) {
        draft.event = Some(event);
    }
    let not_sent = decisions.iter().filter_map(to_not_sent).collect();
    let words = decisions.iter().rev().find_map(|decision| Some(decision.message.as_ref()?.body.clone()));
    apply_decisions(tx, origin, org, parcel.lead, EVENT, decisions).await?;
    let sent = list_sent_messages(&mut *tx, org, event).await?;
    if let Some(words) = words.filter(|_| !sent.is_empty()) {
        let (customer, lead) = (parcel.partner.customer, Some(parcel.lead));
        conversation::record_event(tx, origin, org, customer, lead, ConversationEvent::Out, &words).await?;
        mark_invoice_sent(tx, ctx, parcel.id, customer).await?;
    }
    if let Some((draft, why)) = own_phone {
        let draft = MessageDraft { event: Some(event), ..draft };
        store_paper_text(tx, origin, org, (parcel.lead, draft, why), sent.is_empty()).await?;
    }
    Ok((DocumentSendResult { sent, not_sent }, event))
}

/// Stores the time of the sending; messages that it makes needless are cancelled.
async fn mark_invoice_sent(tx: &mut Tx, ctx: &OrgContext<'_>, id: InvoiceId, customer: CustomerId) -> Result<()> {
    let (origin, org) = (ctx.origin, ctx.profile.org.id);
    message::cancel_automatic_messages(tx, origin, org, customer, "an invoice was sent").await?;
    let sql = "UPDATE invoice SET sent_at = $3 WHERE org_id = $1 AND id = $2";
    q!(tx, execute, sql, org, id, origin.now())?;
    Ok(())
}

/// Records that a person sent it from their own phone. The caller has stored the text in the conversation.
pub(super) async fn record_own_phone_sending(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    row: &InvoiceRecord,
    by: &ActivityActor,
) -> Result<EventId> {
    let customer = followup::load_recipient(&mut *tx, ctx, row.lead).await?.customer;
    let detail = InvoiceSentDetail {
        number: row.display_number().unwrap_or_default(),
        total: row.total_cents,
        sending: SendingDetail::from_own_phone(),
    };
    let event = record_sent_event(tx, ctx, (row.id, row.lead, row.job), &detail, by).await?;
    mark_invoice_sent(tx, ctx, row.id, customer).await?;
    Ok(event)
}

/// Reason it did not go this way; none when it did.
fn to_not_sent(decision: &RuleDecision) -> Option<NotSentBy> {
    let reason = decision.message.is_none().then(|| decision.reason.clone())?;
    Some(NotSentBy { channel: decision.channel?, reason })
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct InvoiceSentDetail {
    number: String,
    total: Cents,
    #[serde(flatten)]
    sending: SendingDetail,
}

fn sent_detail(parcel: &InvoiceDelivery, decisions: &[RuleDecision]) -> InvoiceSentDetail {
    let sent = decisions.iter().filter(|decision| decision.message.is_some());
    InvoiceSentDetail {
        number: parcel.number.clone(),
        total: parcel.total,
        sending: SendingDetail {
            channels: Some(sent.filter_map(|decision| decision.channel).collect()),
            not_sent: Some(decisions.iter().filter_map(to_not_sent).collect()),
            ..SendingDetail::default()
        },
    }
}

async fn record_sent_event(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    (id, lead, job): (InvoiceId, LeadId, Option<JobId>),
    detail: &InvoiceSentDetail,
    by: &ActivityActor,
) -> Result<EventId> {
    let event = NewEvent {
        job,
        subject: Some(id.0),
        detail: json!(detail),
        ..NewEvent::new(lead, EventKind::InvoiceSent, ctx.origin.now(), by.clone())
    };
    activity_log::record_event(tx, ctx.origin, ctx.profile.org.id, event).await
}

async fn list_sent_messages(conn: &mut dyn AsConn, org: OrgId, event: EventId) -> Result<Vec<QueuedDocumentMessage>> {
    let rows = q!(
        conn,
        fetch_all as (MessageChannel, MessageId, String),
        "SELECT channel, id, to_address FROM message WHERE org_id = $1 AND event_id = $2 AND kind = 'invoice'
         ORDER BY channel",
        org,
        event
    )?;
    Ok(rows
        .into_iter()
        .map(|(channel, message_id, to)| QueuedDocumentMessage { channel, message_id, to, outlook: None })
        .collect())
}

pub async fn load_first_delivery(conn: &mut dyn AsConn, org: OrgId, id: InvoiceId) -> Result<DocumentSendResult> {
    let event = q!(
        &mut *conn,
        fetch_optional as (EventId, Json<InvoiceSentDetail>),
        "SELECT id, detail FROM work_event WHERE org_id = $1 AND lead_id = (SELECT lead_id FROM invoice
             WHERE org_id = $1 AND id = $2) AND subject_id = $2 AND kind = 'invoice_sent'
         ORDER BY recorded_at, id LIMIT 1",
        org,
        id
    )?;
    let Some((event, Json(detail))) = event else { return Ok(DocumentSendResult::default()) };
    let not_sent = detail.sending.not_sent.unwrap_or_default();
    let mut sent = list_sent_messages(conn, org, event).await?;
    // A text for one's own phone was not sent.
    sent.retain(|sent| not_sent.iter().all(|other| other.channel != sent.channel));
    Ok(DocumentSendResult { sent, not_sent })
}
