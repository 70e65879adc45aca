//! Ordinary texts: a request for work, more about an open one, or thanks.

use super::{
    StoredInboundSms, attach_to_conversation, confirmation_withdrawal,
    pending_question::{self, TextAnswer},
};
use crate::{
    documents::template::Language,
    domain::{
        intake::{
            contact_point::{self, ContactPointProof},
            customer,
            lead::{self, FormSender, NewLead},
        },
        messaging::{
            automation::{self, phone::BELONGS_TO_JOB, thank_you_text},
            conversation::{self, ConversationEvent},
            followup, lead_response,
            message::{self, MessageChannel},
            phone_call,
        },
        tenancy::{audit::AuditActor, org::OrgContext},
    },
    platform::{
        db::{Tx, q},
        error::Result,
        id::{CustomerId, LeadId},
        phone::Phone,
    },
};

/// An ordinary text: a new request for work, or more about an open one.
pub(super) async fn process_inquiry(
    tx: &mut Tx,
    intake: &OrgContext<'_>,
    text: &StoredInboundSms<'_>,
    phone: Phone,
    is_paused: bool,
) -> Result<()> {
    let (origin, org) = (intake.origin, intake.profile.org.id);
    if phone_call::is_business_number(intake, &phone) {
        return attach_to_conversation(tx, origin, org, text, None, None).await;
    }
    let caller = customer::find_by_phone(&mut *tx, org, &phone).await?;
    let came_at = text.came_at.unwrap_or(origin.now());
    if let Some((customer, _)) = caller.as_ref().filter(|_| !is_paused && text.is_certain_yes()) {
        contact_point::keep_confirmed_emails(&mut *tx, org, *customer, &phone, came_at).await?;
    }
    if let Some((customer, _)) = &caller
        && !is_paused
        && text.media.is_empty()
        && thank_you_text::is_thanks(text.body)
        && !pending_question::is_any_pending(&mut *tx, org, &phone, origin.now()).await?
        && let Some(lead) = lead::find_thank_you_lead(&mut *tx, org, *customer, origin.now()).await?
    {
        return record_thanks(tx, intake, text, &phone, (*customer, lead)).await;
    }
    let number = phone.clone();
    let caller = customer::find_caller(&mut *tx, org, &phone, came_at).await?;
    let new = NewLead::from_text(phone, caller.as_ref().map(|(_, name)| name.as_str()), text.body);
    let new = NewLead { may_be_opt_out: is_paused, happened_at: text.came_at, ..new };
    let visitor = FormSender { is_exempt: true, ..FormSender::default() };
    let taken = lead_response::accept_lead(tx, intake, &new, &visitor, &[], &AuditActor::default()).await?;
    let sql = "SELECT customer_id FROM lead WHERE org_id = $1 AND id = $2";
    let customer = q!(&mut *tx, fetch_one scalar CustomerId, sql, org, taken.id)?;
    let point = (contact_point::ContactPointKind::Phone, number.as_e164());
    let is_theirs = contact_point::is_usable_contact(&mut *tx, org, customer, point).await?;
    if let Some(language) = Language::detect_from_texts(&[text.body]).filter(|_| is_theirs) {
        customer::fill_language(&mut *tx, org, customer, language).await?;
    }
    attach_to_conversation(tx, origin, org, text, Some(customer), Some(taken.id)).await?;
    let moved = if is_theirs { ConversationEvent::In } else { ConversationEvent::InAside };
    let waited = conversation::is_awaiting_reply(&mut *tx, org, customer).await?;
    let words = conversation::text_or_placeholder(text.body);
    conversation::record_event(tx, origin, org, customer, Some(taken.id), moved, words).await?;
    let other_writer_at = text.other_writer_at;
    let answer = TextAnswer { phone: &number, body: text.body, at: came_at, other_writer_at };
    if is_paused {
        return pending_question::uncount_reaction(tx, org, (taken.id, &text.media), answer).await;
    }
    if is_theirs && text.is_certain_yes() {
        confirmation_withdrawal::confirm_unless_denied(&mut *tx, org, customer, &number, came_at).await?;
    }
    // A number known only from a form may be a stranger's: its text does not answer the customer's missed call.
    if is_theirs {
        message::cancel_nudges(&mut *tx, origin, org, customer).await?;
    }
    if pending_question::take_answer(&mut *tx, intake, answer).await? {
        return pending_question::settle_question(tx, org, text, (customer, taken.id), waited).await;
    }
    pending_question::settle_reaction(tx, org, text, (customer, taken.id), (is_theirs || !waited, answer)).await
}

/// Thanks during a job or soon after it: part of its conversation, no request and no alert.
async fn record_thanks(
    tx: &mut Tx,
    intake: &OrgContext<'_>,
    text: &StoredInboundSms<'_>,
    phone: &Phone,
    (customer, lead): (CustomerId, LeadId),
) -> Result<()> {
    let (origin, org) = (intake.origin, intake.profile.org.id);
    let came_at = text.came_at.unwrap_or(origin.now());
    customer::record_contact_use(&mut *tx, org, customer, (Some(phone), None), ContactPointProof::Texted, came_at)
        .await?;
    if text.is_certain_yes() {
        confirmation_withdrawal::confirm_unless_denied(&mut *tx, org, customer, phone, came_at).await?;
    } else if text.other_writer_at.is_none() {
        lead::confirm_by_thanks(&mut *tx, org, (customer, lead), phone, came_at).await?;
    }
    attach_to_conversation(tx, origin, org, text, Some(customer), Some(lead)).await?;
    conversation::record_event(tx, origin, org, customer, Some(lead), ConversationEvent::In, text.body).await?;
    message::cancel_nudges(tx, origin, org, customer).await?;
    followup::cancel_on_conversation(tx, origin, org, customer, "they have been in touch").await?;
    let evidence = serde_json::json!({ "thanks": true });
    let silent = automation::decide_skip("text_reply", MessageChannel::Sms, BELONGS_TO_JOB, evidence);
    automation::apply_decisions(tx, origin, org, lead, "text_received", vec![silent]).await
}
