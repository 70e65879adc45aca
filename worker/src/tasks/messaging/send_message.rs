//! Sends one message: claim, provider call, recorded outcome.

use std::time::Instant;

use shared::{
    documents::template::CHART_ID,
    domain::{
        messaging::{
            account_email::{address_proof, invitation, password_reset},
            message::{
                email_attachment::{self, EmailAttachment},
                link_copies,
                send::{self, ClaimOutcome, ClaimedMessage, inflight::PROVIDER_CALL_WITHIN},
                send_rate::ServiceMemberCounts,
                sms_link,
            },
        },
        tenancy::org::SendChannels,
    },
    ops::{erasure::opt_outs, tenant_data::sender_opt_outs},
    platform::{
        db::tenant_scope::across_tenants, error::Result, failure_log::is_counted_as_full, id::MessageId,
        recipient::Recipient, storage::StorageError,
    },
    providers::{
        AcceptedMessage, RefusalReason, SendError,
        mail::{Attachment, EmailMessage},
        sms::{SmsMessage, SmsSender},
    },
};

use super::reconcile_delivery;
use crate::{Context, channel_check};

/// Twilio's bounds for its queueing time (Messages resource, `ValidityPeriod`).
const VALIDITY_SECONDS: std::ops::RangeInclusive<i64> = 60..=36_000;
const DATABASE_AWAY: &str = "the database was away before it was sent";

/// Idempotent. No effect when nothing is left to do.
pub async fn run(context: &Context, id: MessageId) -> Result<()> {
    let claimed_at = Instant::now();
    let set_up = SendChannels { sms: context.sms.is_set_up(), email: true, takes_money: context.billing.is_some() };
    let Some(mut message) = claim_message(context, set_up, id).await? else {
        context.announcer.notify_changed();
        return Ok(());
    };
    if let Some(outcome) = reconcile_delivery::recheck_provider(context, &message).await {
        return record_outcome(context, &message, &outcome).await;
    }
    let is_in_time = || claimed_at.elapsed() < context.config.lease / 2;
    let mut looked_at = Instant::now();
    loop {
        match is_stopped_since_claim(context, set_up, &message).await {
            Ok(false) => {}
            Ok(true) => {
                context.announcer.notify_changed();
                return Ok(());
            }
            Err(e) => {
                tracing::warn!(message = %message.id, error = %e, "could not look once more before sending");
                return record_outcome(context, &message, &not_sent_error(DATABASE_AWAY)).await;
            }
        }
        // A STOP waiting for this text relies on the call beginning soon after the check, or not at all.
        if looked_at.elapsed() < PROVIDER_CALL_WITHIN || !is_in_time() {
            break;
        }
        looked_at = Instant::now();
    }
    invitation::fill_proof_placeholder(&context.secret, &mut message);
    let outcome = if is_in_time() && looked_at.elapsed() < PROVIDER_CALL_WITHIN {
        call_provider(context, &message).await
    } else {
        // The process was suspended between claim and call. Another worker may hold the message by now.
        not_sent_error("the worker was held up before sending")
    };
    let recorded = record_outcome(context, &message, &outcome).await;
    if let (Recipient::Email(_), Err(error)) = (&message.to, &outcome) {
        channel_check::note_mail_failure(context, error).await;
    }
    recorded
}

fn not_sent_error(why: &str) -> Result<AcceptedMessage, SendError> {
    Err(SendError::Retry { reason: why.to_owned(), after: None })
}

/// `None` when nothing is left to do.
async fn claim_message(context: &Context, set_up: SendChannels, id: MessageId) -> Result<Option<Box<ClaimedMessage>>> {
    let now = context.origin.now();
    let mut members = context.members.current_counts(now).await;
    loop {
        match try_claim_message(context, set_up, &members, id).await? {
            ClaimOutcome::Send(message) => return Ok(Some(message)),
            ClaimOutcome::Settled => return Ok(None),
            ClaimOutcome::Uncounted(service) => {
                context.members.refresh_count(&mut members, &context.db, service, now).await?;
            }
        }
    }
}

async fn try_claim_message(
    context: &Context,
    set_up: SendChannels,
    members: &ServiceMemberCounts,
    id: MessageId,
) -> Result<ClaimOutcome> {
    let how = (set_up, context.config.pace);
    let mut tx = context.db.begin().await?;
    let is_known = opt_outs::restore_opt_out(&mut tx, &context.origin, &context.secret, id).await?
        && sender_opt_outs::restore_sender_opt_out(&mut tx, &context.secret, id).await?;
    if !is_known {
        send::hold_unchecked_message(&mut tx, &context.origin, id).await?;
        tx.commit().await?;
        return Ok(ClaimOutcome::Settled);
    }
    let mut claim = send::claim_message(&mut tx, &context.origin, &context.name, how, members, id).await?;
    if matches!(claim, ClaimOutcome::Uncounted(_)) {
        return Ok(claim);
    }
    if let ClaimOutcome::Send(message) = &mut claim {
        link_copies::insert_recipient_links(&mut tx, &context.origin, &context.secret, message).await?;
        password_reset::fill_token_placeholder(&mut tx, &context.secret, message).await?;
        address_proof::fill_token_placeholder(&mut tx, &context.secret, message).await?;
    }
    // A commit that was cut off may have happened: the next run then finds the message in `sending` and treats it as in
    // doubt. It cannot be given back here: if the commit failed, another worker's claim may have the same fence.
    tx.commit().await?;
    Ok(claim)
}

/// Checks again right before the provider call: a STOP stored since the claim stops the message.
async fn is_stopped_since_claim(context: &Context, set_up: SendChannels, message: &ClaimedMessage) -> Result<bool> {
    // It asks what the claim asked, by keys: planning it anew would take longer than the queries.
    let mut conn = context.db.acquire_point_reader().await?;
    let look = send::recheck_policy(&mut conn, &context.origin, set_up, message).await?;
    drop(conn);
    let Some((verdict, evidence)) = look else { return Ok(false) };
    let mut tx = context.db.begin().await?;
    send::cancel_attempt(&mut tx, &context.origin, message, verdict, evidence.as_ref()).await?;
    tx.commit().await?;
    Ok(true)
}

async fn call_provider(context: &Context, message: &ClaimedMessage) -> Result<AcceptedMessage, SendError> {
    match &message.to {
        Recipient::Phone(to) => {
            // Without its own number the business sends only by its shared service.
            let service = context.sms.sender().map(SmsSender::service_sid);
            if message.org_sms_number.is_none() && service.is_some_and(|now| now != message.org_service.as_deref()) {
                return Err(SendError::NotSetUp { reason: sms_link::NO_NUMBER.to_owned() });
            }
            // A text queued at the provider must not leave after the recipient's hours (trust requirement 34).
            let by = message.leaves_by.map_or(message.deadline_at, |by| by.min(message.deadline_at));
            let left = (by - context.origin.now()).num_seconds();
            let validity = left.clamp(*VALIDITY_SECONDS.start(), *VALIDITY_SECONDS.end());
            let callback = status_callback_url(context, message);
            let text = SmsMessage {
                to,
                body: &message.body,
                status_callback: callback.as_deref(),
                validity_seconds: u32::try_from(validity).ok(),
                from: message.org_sms_number.as_ref(),
            };
            context.sms.send(&text).await
        }
        Recipient::Email(to) => {
            let html = message.render_html().map_err(|e| SendError::Retry { reason: e.to_string(), after: None })?;
            let text = message.render_text();
            let attachments = load_attachments(context, message).await?;
            let pictures = chart_attachments(message)?;
            let sender = message.sender_display_name();
            let letter = EmailMessage {
                id: message.id.0,
                date: message.created_at,
                from_name: Some(&sender),
                reply_to: message.reply_to.as_ref(),
                to,
                subject: message.subject.as_deref().unwrap_or_default(),
                text: &text,
                html: html.as_deref(),
                attachments: &attachments,
                unsubscribe: message.unsubscribe_url(),
                pictures: &pictures,
                is_automatic: message.kind.is_automatic(),
            };
            context.mail.send(&letter).await
        }
    }
}

/// Inline pictures of an email's HTML.
fn chart_attachments(message: &ClaimedMessage) -> Result<Vec<Attachment>, SendError> {
    let drawn = message.render_chart().map_err(|e| SendError::Retry { reason: e.to_string(), after: None })?;
    let picture = |png: Vec<u8>| Attachment {
        name: CHART_ID.to_owned(),
        content_type: "image/png".to_owned(),
        bytes: png.into(),
    };
    Ok(drawn.map(picture).into_iter().collect())
}

/// Attachments of an email. If one cannot be fetched the send is retried: nothing has left yet.
async fn load_attachments(context: &Context, message: &ClaimedMessage) -> Result<Vec<Attachment>, SendError> {
    let again = |why: String| SendError::Retry { reason: why, after: None };
    let listed = async {
        let mut conn = context.db.acquire_reader().await?;
        email_attachment::list_attachments(&mut conn, message.org_id, message.id).await
    };
    let listed: Vec<EmailAttachment> =
        listed.await.map_err(|e| again(format!("the attached files cannot be listed: {e}")))?;
    let mut fetched = Vec::with_capacity(listed.len());
    for file in listed {
        if file.is_removed {
            let reason = "the attached file was removed".to_owned();
            return Err(SendError::Refused { code: None, reason, kind: RefusalReason::Other });
        }
        let bytes = context.storage.get(&file.full_key).await.map_err(|e| match e {
            StorageError::NotFound => again("the attached file is not in the file store".to_owned()),
            other => again(format!("the attached file cannot be read: {other}")),
        })?;
        fetched.push(Attachment { name: file.name, content_type: file.content_type, bytes });
    }
    Ok(fetched)
}

/// Callback for Twilio's delivery reports; `None` when it is not reachable (Twilio refuses such addresses).
fn status_callback_url(context: &Context, message: &ClaimedMessage) -> Option<String> {
    let path = format!("/webhooks/twilio/message-status/{}", message.id);
    context.public_url.is_publicly_reachable().then(|| context.public_url.join(&path))
}

/// Waits for an absent database: only this process knows the outcome, and a lost one puts the message in doubt.
async fn record_outcome(
    context: &Context,
    message: &ClaimedMessage,
    outcome: &Result<AcceptedMessage, SendError>,
) -> Result<()> {
    let mut pause = std::time::Duration::from_millis(100);
    loop {
        let written = async {
            let begin = context.db.begin();
            // The outcome may reveal an opt-out of the number, which applies to every business that sends from it.
            let mut tx = if message.to.is_phone() { across_tenants(begin).await? } else { begin.await? };
            let was_ours = send::record_outcome(&mut tx, &context.origin, message, outcome).await?;
            tx.commit().await?;
            Ok::<_, shared::platform::error::Error>(was_ours)
        };
        match written.await {
            Ok(was_ours) => {
                if !was_ours {
                    tracing::warn!(message = %message.id, "the message was taken from this worker before it could record");
                }
                context.announcer.notify_changed();
                return Ok(());
            }
            Err(e) if pause > std::time::Duration::from_secs(20) => return Err(e),
            Err(e) => {
                if !is_counted_as_full(&e) {
                    tracing::warn!(message = %message.id, error = %e, "could not record an outcome yet");
                }
                tokio::time::sleep(pause).await;
                pause *= 2;
            }
        }
    }
}
