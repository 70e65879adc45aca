//! Opt-out keywords, obeyed at once: STOP, START, HELP, and texts that may mean one of them.

use chrono::{DateTime, Duration, Utc};

use super::{
    InboundSms, StoredInboundSms, attach_to_conversation, confirmation_withdrawal::confirm_unless_denied,
    process_inquiry,
};
use crate::{
    documents::template::{self, Language, WordingValues},
    domain::{
        intake::{
            contact_point::{self, ContactPointProof},
            customer,
            lead::NewLead,
        },
        messaging::{
            affirmative_reply::is_plain_yes,
            alert,
            conversation::{self, ConversationEvent},
            followup,
            message::{self, MessageChannel, MessageDraft, MessageKind},
            opt_out::store::{self, OptOutRecord, OptOutState},
            phone_call,
            sending_number::opt_out_scope::{self, OptOutScope},
        },
        tenancy::org::OrgContext,
    },
    platform::{
        clock::ClockRng,
        db::{Tx, q},
        error::Result,
        id::{CustomerId, LeadId, MessageId, OrgId},
        phone::Phone,
    },
};

/// HELP and STOP are answered once in this time (CTIA messaging principles, 5.1.3).
const ANSWER_ONCE_IN: Duration = Duration::hours(24);
/// STOP is confirmed within this time, or not at all.
const CONFIRM_WITHIN: Duration = Duration::minutes(5);
/// The words that Twilio answers itself on a long code (twilio.com/docs/messaging/tutorials/advanced-opt-out).
const ANSWERED_BY_TWILIO: [&str; 8] = ["STOP", "STOPALL", "UNSUBSCRIBE", "CANCEL", "END", "QUIT", "REVOKE", "OPTOUT"];

impl InboundSms<'_> {
    pub(super) fn opt_out_scope(&self, org: OrgId) -> OptOutScope<'_> {
        OptOutScope { org, to: self.to, service: self.service }
    }

    /// Too late for a confirmation (47 CFR 64.1200(a)(12): within five minutes).
    fn is_too_old_to_confirm(&self, origin: &ClockRng) -> bool {
        self.came_at.is_some_and(|at| origin.now() - at > CONFIRM_WITHIN)
    }
}

pub(super) async fn process_stop(
    tx: &mut Tx,
    intake: &OrgContext<'_>,
    text: &StoredInboundSms<'_>,
    phone: &Phone,
    matched: Option<&str>,
) -> Result<()> {
    let there = text.opt_out_scope(intake.profile.org.id);
    opt_out_scope::lock_senders(&mut *tx, &[there]).await?;
    let before = store::find_opt_out(&mut *tx, intake.profile.org.id, MessageChannel::Sms, phone.as_e164()).await?;
    record_opt_out(tx, intake, phone, (OptOutState::Stopped, matched), "they said STOP").await?;
    opt_out_scope::propagate_stop(&mut *tx, intake.origin, there, phone.as_e164()).await?;
    let customer = record_keyword(tx, intake, text, phone).await?;
    if let Some(customer) = customer {
        followup::alert_unreachable_visits(&mut *tx, intake, customer).await?;
    }
    let word = text.body.trim().to_uppercase();
    let is_answered = text.opt_out_type.is_some() || ANSWERED_BY_TWILIO.contains(&word.as_str());
    let is_first = before.is_none_or(|out| out.state != OptOutState::Stopped);
    if is_first && !is_answered && !text.is_too_old_to_confirm(intake.origin) {
        send_keyword_reply(
            tx,
            intake,
            text,
            phone,
            customer,
            template::TemplateKindName::StopConfirmation,
            MessageKind::StopConfirmation,
        )
        .await?;
    }
    Ok(())
}

/// Possible opt-out: texts pause at once for every business on that number, and a person of each decides.
pub(super) async fn process_possible_stop(
    tx: &mut Tx,
    intake: &OrgContext<'_>,
    text: &StoredInboundSms<'_>,
    phone: &Phone,
    matched: Option<&str>,
) -> Result<()> {
    let there = text.opt_out_scope(intake.profile.org.id);
    opt_out_scope::lock_senders(&mut *tx, &[there]).await?;
    let why = "they may have asked to stop; nothing is sent until you have looked";
    record_opt_out(tx, intake, phone, (OptOutState::Paused, matched), why).await?;
    opt_out_scope::propagate_pause(&mut *tx, intake.origin, there, phone.as_e164()).await?;
    process_inquiry(tx, intake, text, phone.clone(), true).await?;
    // The question quotes the text, so it is the only alert.
    alert::alert_possible_opt_out(tx, intake.origin, intake.profile, phone, text.provider_id, text.body).await
}

/// Records the opt-out state and stops everything that waits for the number.
pub(super) async fn record_opt_out(
    tx: &mut Tx,
    intake: &OrgContext<'_>,
    phone: &Phone,
    (state, matched): (OptOutState, Option<&str>),
    why: &str,
) -> Result<()> {
    let (origin, org, number) = (intake.origin, intake.profile.org.id, phone.as_e164());
    let record = OptOutRecord { state, source: "text", matched };
    store::record_opt_out(tx, origin, org, MessageChannel::Sms, number, &record).await?;
    message::cancel_texts_to_address(tx, origin, org, number, why).await
}

pub(super) async fn process_start(
    tx: &mut Tx,
    intake: &OrgContext<'_>,
    text: &StoredInboundSms<'_>,
    phone: &Phone,
    matched: Option<&str>,
) -> Result<()> {
    let org = intake.profile.org.id;
    let there = text.opt_out_scope(org);
    opt_out_scope::lock_senders(&mut *tx, &[there]).await?;
    let stood = store::find_opt_out(&mut *tx, org, MessageChannel::Sms, phone.as_e164()).await?;
    if stood.as_ref().is_some_and(|out| text.came_at.is_some_and(|at| at <= out.since)) {
        // Learned of late: they have said STOP since.
        return record_keyword(tx, intake, text, phone).await.map(|_| ());
    }
    let elsewhere = opt_out_scope::propagate_start(&mut *tx, intake.origin, there, phone.as_e164(), matched).await?;
    if stood.is_none() {
        if elsewhere || text.opt_out_type.is_some() {
            // Twilio calls every "Yes" a START.
            let customer = record_keyword(&mut *tx, intake, text, phone).await?;
            let at = text.came_at.unwrap_or(intake.origin.now());
            return match customer.filter(|_| is_plain_yes(text.body)) {
                Some(customer) => confirm_keyword_yes(tx, org, (customer, phone), (text.is_certain_yes(), at)).await,
                None => Ok(()),
            };
        }
        // "Yes" to a question of ours, not to being texted.
        return process_inquiry(tx, intake, text, phone.clone(), false).await;
    }
    let record = OptOutRecord { state: OptOutState::Lifted, source: "text", matched };
    store::record_opt_out(tx, intake.origin, org, MessageChannel::Sms, phone.as_e164(), &record).await?;
    record_keyword(tx, intake, text, phone).await.map(|_| ())
}

/// A yes to the request that Twilio took for START. Like any other yes it is the customer's own text. One that is not
/// certain may be meant for another business, and confirms nothing.
async fn confirm_keyword_yes(
    tx: &mut Tx,
    org: OrgId,
    (customer, phone): (CustomerId, &Phone),
    (is_certain, at): (bool, DateTime<Utc>),
) -> Result<()> {
    if is_certain {
        contact_point::keep_confirmed_emails(&mut *tx, org, customer, phone, at).await?;
    }
    let texted = ContactPointProof::Texted;
    customer::record_contact_use(&mut *tx, org, customer, (Some(phone), None), texted, at).await?;
    if is_certain { confirm_unless_denied(tx, org, customer, phone, at).await } else { Ok(()) }
}

/// HELP: who we are, how to call, how to stop; at most once in 24 hours.
pub(super) async fn process_help(
    tx: &mut Tx,
    intake: &OrgContext<'_>,
    text: &StoredInboundSms<'_>,
    phone: &Phone,
) -> Result<()> {
    let org = intake.profile.org.id;
    let customer = record_keyword(tx, intake, text, phone).await?;
    let since = intake.origin.now() - ANSWER_ONCE_IN;
    let answered = q!(
        &mut *tx,
        fetch_one scalar bool,
        "SELECT EXISTS (SELECT 1 FROM message WHERE org_id = $1 AND to_address = $2 AND kind = 'help_reply' AND created_at > $3)",
        org,
        phone.as_e164(),
        since
    )?;
    if answered || text.opt_out_type.is_some() || text.is_too_old_to_confirm(intake.origin) {
        return Ok(());
    }
    send_keyword_reply(tx, intake, text, phone, customer, template::TemplateKindName::HelpReply, MessageKind::HelpReply)
        .await
}

async fn find_customer(tx: &mut Tx, org: OrgId, phone: &Phone) -> Result<Option<(CustomerId, Option<LeadId>)>> {
    let Some(customer) = customer::find_conversation_customer(&mut *tx, org, phone).await? else { return Ok(None) };
    let newest = "SELECT id FROM lead WHERE org_id = $1 AND customer_id = $2 ORDER BY created_at DESC LIMIT 1";
    Ok(Some((customer, q!(tx, fetch_optional scalar LeadId, newest, org, customer)?)))
}

/// Files the keyword in the conversation, without an alert.
async fn record_keyword(
    tx: &mut Tx,
    intake: &OrgContext<'_>,
    text: &StoredInboundSms<'_>,
    phone: &Phone,
) -> Result<Option<CustomerId>> {
    let (origin, org) = (intake.origin, intake.profile.org.id);
    let found = find_customer(tx, org, phone).await?;
    let (customer, lead) = match found {
        Some((customer, lead)) => {
            let at = text.came_at.unwrap_or(origin.now());
            // Keywords concern no matter of theirs: they prove nothing, and set nothing aside.
            customer::record_phone_use(&mut *tx, org, customer, phone, at).await?;
            (Some(customer), lead)
        }
        None if phone_call::is_business_number(intake, phone) => (None, None),
        // Not a request for work, but the text must be visible.
        None => {
            let new = NewLead::from_text(phone.clone(), None, text.body);
            let new = NewLead { happened_at: text.came_at, ..new };
            (Some(customer::find_or_create_customer(&mut *tx, origin, org, &new).await?), None)
        }
    };
    attach_to_conversation(tx, origin, org, text, customer, lead).await?;
    if let Some(customer) = customer {
        let point = (contact_point::ContactPointKind::Phone, phone.as_e164());
        let is_theirs = contact_point::is_usable_contact(&mut *tx, org, customer, point).await?;
        let moved = if is_theirs { ConversationEvent::In } else { ConversationEvent::InAside };
        let waited_since = conversation::find_awaiting_since(&mut *tx, org, customer).await?;
        conversation::record_event(tx, origin, org, customer, lead, moved, text.body).await?;
        conversation::settle_keyword(tx, org, customer, waited_since).await?;
    }
    Ok(customer)
}

async fn send_keyword_reply(
    tx: &mut Tx,
    intake: &OrgContext<'_>,
    text: &StoredInboundSms<'_>,
    phone: &Phone,
    customer: Option<CustomerId>,
    wording: template::TemplateKindName,
    kind: MessageKind,
) -> Result<()> {
    let (origin, org) = (intake.origin, &intake.profile.org);
    let language = Language::detect_from_texts(&[text.body]).unwrap_or_default();
    let variables = WordingValues {
        language,
        business_name: org.name.clone(),
        business_phone: org.phone.clone().or_else(|| org.sms_number.clone()),
        ..WordingValues::default()
    };
    let filled = template::render_wording(wording, &intake.profile.wording(wording, language), &variables)?;
    let key = format!("answer:{}", text.provider_id);
    let reply = MessageDraft { customer, ..MessageDraft::new(kind, phone.clone(), filled.body, key) };
    message::queue_messages(tx, origin, org.id, &[reply.with_id(MessageId(origin.uuid_v7()))]).await?;
    Ok(())
}
