//! Sending of an estimate: email with the PDF, and text with the link.

use serde::{Deserialize, Serialize};
use serde_json::json;
use sqlx::types::Json;
use utoipa::ToSchema;

use super::{
    EstimateKind, EstimateStatus,
    content::{DeliveryChannels, EstimateSnapshot, LeadRecipient},
    estimate_kind::EstimateEvent,
    follow_up,
};
use crate::{
    conflicts::ConflictCode,
    domain::{
        messaging::{
            automation::{RuleDecision, apply_decisions},
            conversation::{self, ConversationEvent, store_paper_text},
            followup,
            message::{self, MessageChannel, MessageDraft, SendOutlook},
            opt_out,
        },
        tenancy::{
            activity_log::{self, ActivityActor, NewEvent, SendingDetail},
            org::{OrgContext, SendChannels},
        },
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, q},
        error::Result,
        id::{CustomerId, EstimateId, EventId, FileId, JobId, LeadId, MessageId, OrgId},
        money::Cents,
        phone::Phone,
    },
};

mod rule;

pub use crate::domain::tenancy::activity_log::NotSentBy;

use rule::{EstimateSendContext, build_own_phone_text, decide_channels};

/// Result of one sending, stored with its event, so that it can be returned again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PaperSending)]
pub struct DocumentSendResult {
    pub sent: Vec<QueuedDocumentMessage>,
    pub not_sent: Vec<NotSentBy>,
}

/// A message that was queued.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SentBy)]
pub struct QueuedDocumentMessage {
    pub channel: MessageChannel,
    pub message_id: MessageId,
    pub to: String,
    /// Whether it leaves, is held or is stopped, as the send policy decides now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outlook: Option<SendOutlook>,
}

impl DocumentSendResult {
    pub(crate) fn sent_messages(&self) -> Vec<(MessageChannel, MessageId)> {
        self.sent.iter().map(|sent| (sent.channel, sent.message_id)).collect()
    }

    /// With the outlook of each message: a held text counts as not sent, as does an email that is only written to a
    /// file.
    pub async fn with_outlook(
        mut self,
        conn: &mut dyn AsConn,
        origin: &ClockRng,
        set_up: SendChannels,
        org: OrgId,
    ) -> Result<Self> {
        for sent in &mut self.sent {
            sent.outlook = message::load_outlook(&mut *conn, origin, set_up, org, sent.message_id).await?;
        }
        Ok(self)
    }
}

pub(super) struct EstimateDelivery<'a> {
    pub asker: &'a LeadRecipient,
    pub sort: EstimateKind,
    pub job: Option<JobId>,
    pub id: EstimateId,
    pub number: &'a str,
    pub version: i64,
    pub total: Cents,
    /// Total of the job including the change order.
    pub job_total: Option<Cents>,
    pub file: FileId,
    pub link: String,
    pub ways: DeliveryChannels,
}

impl EstimateDelivery<'_> {
    fn subject(&self) -> SentEstimate<'_> {
        SentEstimate {
            customer: self.asker.customer,
            lead: self.asker.lead,
            sort: self.sort,
            job: self.job,
            id: self.id,
            number: self.number,
            version: self.version,
            total: self.total,
        }
    }
}

/// What a sending is of, and whom it is for.
#[derive(Clone, Copy)]
pub(super) struct SentEstimate<'a> {
    pub customer: CustomerId,
    pub lead: LeadId,
    pub sort: EstimateKind,
    pub job: Option<JobId>,
    pub id: EstimateId,
    pub number: &'a str,
    pub version: i64,
    pub total: Cents,
}

/// Stores the decisions with their messages and the event, and updates the conversation. With no open channel nothing
/// is sent; the event says so.
pub(super) async fn send_estimate(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    parcel: &EstimateDelivery<'_>,
    turn: &str,
    by: &ActivityActor,
) -> Result<DocumentSendResult> {
    let (origin, org) = (ctx.origin, ctx.profile.org.id);
    let (mut decisions, own_phone) = evaluate_rule(tx, ctx, parcel, turn).await?;
    let event = record_sent_event(tx, ctx, &parcel.subject(), describe_decisions(&decisions), by).await?;
    for draft in decisions.iter_mut().filter_map(|decision| decision.message.as_mut()) {
        draft.event = Some(event);
    }
    let not_sent = decisions.iter().filter_map(to_not_sent).collect();
    let words = decisions.iter().rev().find_map(|decision| Some(decision.message.as_ref()?.body.clone()));
    let happened = parcel.sort.choose_by_kind("estimate_sent", "change_order_sent");
    apply_decisions(tx, origin, org, parcel.asker.lead, happened, decisions).await?;
    let sent = list_sent_messages(&mut *tx, org, event).await?;
    if let Some(words) = words.filter(|_| !sent.is_empty()) {
        let (customer, lead) = (parcel.asker.customer, Some(parcel.asker.lead));
        conversation::record_event(tx, origin, org, customer, lead, ConversationEvent::Out, &words).await?;
        mark_estimate_sent(tx, ctx, &parcel.subject(), event).await?;
    }
    if let Some((draft, why)) = own_phone {
        let draft = MessageDraft { event: Some(event), ..draft };
        store_paper_text(tx, origin, org, (parcel.asker.lead, draft, why), sent.is_empty()).await?;
    }
    Ok(DocumentSendResult { sent, not_sent })
}

/// Stores the time of the sending and plans the questions after it; messages that it makes needless are cancelled.
async fn mark_estimate_sent(tx: &mut Tx, ctx: &OrgContext<'_>, sent: &SentEstimate<'_>, event: EventId) -> Result<()> {
    let (origin, org, id) = (ctx.origin, ctx.profile.org.id, sent.id);
    match sent.sort {
        EstimateKind::Estimate => {
            message::cancel_automatic_messages(tx, origin, org, sent.customer, "an estimate was sent").await?;
        }
        // Several change orders may wait at once, each with its own follow-ups.
        EstimateKind::ChangeOrder => {
            let why = "the change order was sent";
            message::cancel_auto_replies(tx, origin, org, sent.customer, why).await?;
            followup::cancel_plans(tx, origin, org, id.0, why, None).await?;
        }
    }
    follow_up::schedule_follow_ups(&mut *tx, ctx, sent.sort.followup_subject(), (sent.lead, id), event).await?;
    let sql = "UPDATE estimate SET sent_at = $3 WHERE org_id = $1 AND id = $2";
    q!(tx, execute, sql, org, id, origin.now())?;
    Ok(())
}

/// Records that a person sent it from their own phone. The caller has stored the text in the conversation.
pub(super) async fn record_own_phone_sending(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    sent: &SentEstimate<'_>,
    by: &ActivityActor,
) -> Result<EventId> {
    let event = record_sent_event(tx, ctx, sent, SendingDetail::from_own_phone(), by).await?;
    mark_estimate_sent(tx, ctx, sent, event).await?;
    Ok(event)
}

async fn evaluate_rule(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    parcel: &EstimateDelivery<'_>,
    turn: &str,
) -> Result<(Vec<RuleDecision>, Option<(MessageDraft, &'static str)>)> {
    let (asker, org) = (parcel.asker, ctx.profile.org.id);
    let phone = asker.phone();
    let number = phone.map_or("", Phone::as_e164);
    let conversation_state = conversation::load_context(&mut *tx, org, asker.customer, phone, ctx.origin.now()).await?;
    let sql = "SELECT content FROM estimate WHERE org_id = $1 AND id = $2";
    let Json(content) = q!(&mut *tx, fetch_one scalar Json<EstimateSnapshot>, sql, org, parcel.id)?;
    let facts = EstimateSendContext {
        profile: ctx.profile,
        asker,
        sort: parcel.sort,
        id: parcel.id,
        number: parcel.number,
        between: content.paper.total_range(),
        job_total: parcel.job_total,
        file: parcel.file,
        link: &parcel.link,
        ways: parcel.ways,
        turn,
        opted_out: opt_out::find_opt_out(tx, org, MessageChannel::Sms, number).await?.map(|out| out.state),
        cannot_be_texted: conversation_state.sms_undeliverable_since.is_some(),
        texts_leave: ctx.set_up.sms,
    };
    Ok((decide_channels(&facts)?, build_own_phone_text(&facts)?))
}

/// Reason it did not go this way; none when it did.
fn to_not_sent(decision: &RuleDecision) -> Option<NotSentBy> {
    let reason = decision.message.is_none().then(|| decision.reason.clone())?;
    Some(NotSentBy { channel: decision.channel?, reason })
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct EstimateSentDetail {
    number: String,
    version: i64,
    total: Cents,
    #[serde(flatten)]
    sending: SendingDetail,
}

fn describe_decisions(decisions: &[RuleDecision]) -> SendingDetail {
    let sent = decisions.iter().filter(|decision| decision.message.is_some());
    SendingDetail {
        channels: Some(sent.filter_map(|decision| decision.channel).collect()),
        not_sent: Some(decisions.iter().filter_map(to_not_sent).collect()),
        ..SendingDetail::default()
    }
}

async fn record_sent_event(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    sent: &SentEstimate<'_>,
    sending: SendingDetail,
    by: &ActivityActor,
) -> Result<EventId> {
    let detail =
        EstimateSentDetail { number: sent.number.to_owned(), version: sent.version, total: sent.total, sending };
    let event = NewEvent {
        job: sent.job,
        subject: Some(sent.id.0),
        detail: json!(detail),
        ..NewEvent::new(sent.lead, sent.sort.event_kind(EstimateEvent::Sent), ctx.origin.now(), by.clone())
    };
    activity_log::record_event(tx, ctx.origin, ctx.profile.org.id, event).await
}

async fn list_sent_messages(conn: &mut dyn AsConn, org: OrgId, event: EventId) -> Result<Vec<QueuedDocumentMessage>> {
    let rows = q!(
        conn,
        fetch_all as (MessageChannel, MessageId, String),
        "SELECT channel, id, to_address FROM message WHERE org_id = $1 AND event_id = $2 ORDER BY channel",
        org,
        event
    )?;
    Ok(rows
        .into_iter()
        .map(|(channel, message_id, to)| QueuedDocumentMessage { channel, message_id, to, outlook: None })
        .collect())
}

pub async fn load_first_delivery(conn: &mut dyn AsConn, org: OrgId, id: EstimateId) -> Result<DocumentSendResult> {
    let event = q!(
        &mut *conn,
        fetch_optional as (EventId, Json<EstimateSentDetail>),
        "SELECT id, detail FROM work_event WHERE org_id = $1 AND subject_id = $2
             AND kind IN ('estimate_sent', 'change_order_sent') ORDER BY recorded_at, id LIMIT 1",
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

/// Errors: `Error::Conflict` with why it cannot be sent.
pub(super) fn check_sendable(sort: EstimateKind, status: EstimateStatus) -> Result<()> {
    use EstimateStatus::{Approved, Declined, Expired, Open, Preparing, Replaced, Superseded, Withdrawn};
    let refused = match status {
        Open => return Ok(()),
        Preparing => ConflictCode::DocumentPreparing,
        Expired => ConflictCode::ExpiredNotSendable,
        Approved => ConflictCode::ApprovedNotSendable,
        Declined => ConflictCode::DeclinedNotSendable,
        Replaced | Superseded => ConflictCode::NewerVersionMade,
        Withdrawn => {
            sort.choose_by_kind(ConflictCode::EstimateWithdrawnForGood, ConflictCode::ChangeOrderWithdrawnForGood)
        }
    };
    Err(refused.into())
}
