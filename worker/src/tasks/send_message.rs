//! Brings one message to its end: claims it, calls the provider, records how that went.

use std::time::Instant;

use shared::{
    documents::template::CHART_ID,
    domain::{
        messaging::message::{
            Channel,
            attached::{self, Attached},
            link_copies,
            send::{self, Claim, Outgoing, leaving::CALL_BEGINS_WITHIN},
            send_policy::SetUp,
            send_rate::Counts,
            sms_link,
        },
        tenancy::account::{invite, proof, reset},
    },
    ops::erasure::opt_outs,
    platform::{db::tenant_scope::across_businesses, error::Result, id::MessageId, storage::StorageError},
    providers::{
        Accepted, Refusal, SendError,
        mail::{Attachment, Letter},
        sms::{Sender, Text},
    },
};

use super::settle_doubt;
use crate::Context;

/// Twilio's bounds for how long a text may wait at Twilio (Messages resource, `ValidityPeriod`).
const VALIDITY_SECONDS: std::ops::RangeInclusive<i64> = 60..=36_000;
/// Why what was not sent yet is tried again.
const DATABASE_AWAY: &str = "the database was away before it was sent";

/// Runs once; harmless when there is nothing left to do.
pub async fn run(context: &Context, id: MessageId) -> Result<()> {
    let claimed_at = Instant::now();
    let set_up = SetUp { sms: context.sms.is_set_up(), email: true, takes_money: context.billing.is_some() };
    let Some(mut message) = claim(context, set_up, id).await? else {
        context.announcer.changed();
        return Ok(());
    };
    if let Some(outcome) = settle_doubt::last_look(context, &message).await {
        return record(context, &message, &outcome).await;
    }
    let is_in_time = || claimed_at.elapsed() < context.config.lease / 2;
    let mut looked_at = Instant::now();
    loop {
        match stopped_meanwhile(context, set_up, &message).await {
            Ok(false) => {}
            Ok(true) => {
                context.announcer.changed();
                return Ok(());
            }
            Err(e) => {
                tracing::warn!(message = %message.id, error = %e, "could not look once more before sending");
                return record(context, &message, &not_sent(DATABASE_AWAY)).await;
            }
        }
        // A STOP that is waiting for this text counts on a call that begins soon after the look, or not at all.
        if looked_at.elapsed() < CALL_BEGINS_WITHIN || !is_in_time() {
            break;
        }
        looked_at = Instant::now();
    }
    invite::proof::put_in(&context.secret, &mut message);
    let outcome = if is_in_time() && looked_at.elapsed() < CALL_BEGINS_WITHIN {
        call_provider(context, &message).await
    } else {
        // This process was stopped between the claim and the call. Somebody else may hold the message by now.
        not_sent("the worker was held up before sending")
    };
    record(context, &message, &outcome).await
}

fn not_sent(why: &str) -> Result<Accepted, SendError> {
    Err(SendError::Retry { reason: why.to_owned(), after: None })
}

/// Takes the message for sending. None when nothing is left to do.
async fn claim(context: &Context, set_up: SetUp, id: MessageId) -> Result<Option<Box<Outgoing>>> {
    let now = context.origin.now();
    let mut members = context.members.counts(now).await;
    loop {
        match try_claim(context, set_up, &members, id).await? {
            Claim::Send(message) => return Ok(Some(message)),
            Claim::Settled => return Ok(None),
            Claim::Uncounted(service) => context.members.add(&mut members, &context.db, service, now).await?,
        }
    }
}

async fn try_claim(context: &Context, set_up: SetUp, members: &Counts, id: MessageId) -> Result<Claim> {
    let how = (set_up, context.config.pace);
    let mut tx = context.db.begin().await?;
    opt_outs::recall(&mut tx, &context.origin, &context.secret, id).await?;
    let mut claim = send::claim(&mut tx, &context.origin, &context.name, how, members, id).await?;
    if matches!(claim, Claim::Uncounted(_)) {
        return Ok(claim);
    }
    if let Claim::Send(message) = &mut claim {
        link_copies::put_in(&mut tx, &context.origin, &context.secret, message).await?;
        reset::put_in(&mut tx, &context.secret, message).await?;
        proof::put_in(&mut tx, &context.secret, message).await?;
    }
    // Cut off, it may stand all the same: then the next run finds the message in `sending` and takes it for one in doubt.
    // It cannot be given back from here: if it does not stand, another worker's claim may bear the same fence.
    tx.commit().await?;
    Ok(claim)
}

/// Asks the gate once more, right before the provider is called: a STOP that was stored since the claim stops it here.
async fn stopped_meanwhile(context: &Context, set_up: SetUp, message: &Outgoing) -> Result<bool> {
    let mut conn = context.db.read().await?;
    let look = send::last_look(&mut conn, &context.origin, set_up, message).await?;
    drop(conn);
    let Some((verdict, saw)) = look else { return Ok(false) };
    let mut tx = context.db.begin().await?;
    send::withdraw(&mut tx, &context.origin, message, verdict, &saw).await?;
    tx.commit().await?;
    Ok(true)
}

async fn call_provider(context: &Context, message: &Outgoing) -> Result<Accepted, SendError> {
    match message.channel {
        Channel::Sms => {
            // Without a number of its own it leaves by the service that the business shares, and from nowhere else.
            let service = context.sms.sender().map(Sender::service);
            if message.org_sms_number.is_none() && service.is_some_and(|now| now != message.org_service.as_deref()) {
                return Err(SendError::NotSetUp { reason: sms_link::NO_NUMBER.to_owned() });
            }
            // What the provider queues must not leave after the recipient's hours (trust requirement 34).
            let by = message.leaves_by.map_or(message.deadline_at, |by| by.min(message.deadline_at));
            let left = (by - context.origin.now()).num_seconds();
            let validity = left.clamp(*VALIDITY_SECONDS.start(), *VALIDITY_SECONDS.end());
            let callback = report_address(context, message);
            let text = Text {
                to: &message.to_address,
                body: &message.body,
                status_callback: callback.as_deref(),
                validity_seconds: u32::try_from(validity).ok(),
                from: message.org_sms_number.as_deref(),
            };
            context.sms.send(&text).await
        }
        Channel::Email => {
            let html = message.html().map_err(|e| SendError::Retry { reason: e.to_string(), after: None })?;
            let text = message.text();
            let attachments = attachments(context, message).await?;
            let pictures = pictures(message)?;
            let letter = Letter {
                id: message.id.0,
                date: message.created_at,
                from_name: Some(&message.org_name),
                reply_to: message.reply_to.as_deref(),
                to: &message.to_address,
                subject: message.subject.as_deref().unwrap_or_default(),
                text: &text,
                html: html.as_deref(),
                attachments: &attachments,
                unsubscribe: message.unsubscribe(),
                pictures: &pictures,
                is_automatic: message.kind.is_automatic(),
            };
            context.mail.send(&letter).await
        }
    }
}

/// What the HTML of an email shows beside its words.
fn pictures(message: &Outgoing) -> Result<Vec<Attachment>, SendError> {
    let drawn = message.chart().map_err(|e| SendError::Retry { reason: e.to_string(), after: None })?;
    let picture = |png: Vec<u8>| Attachment {
        name: CHART_ID.to_owned(),
        content_type: "image/png".to_owned(),
        bytes: png.into(),
    };
    Ok(drawn.map(picture).into_iter().collect())
}

/// The files that go with an email. One that cannot be fetched now is waited for: nothing has left yet.
async fn attachments(context: &Context, message: &Outgoing) -> Result<Vec<Attachment>, SendError> {
    let again = |why: String| SendError::Retry { reason: why, after: None };
    let listed = async {
        let mut conn = context.db.read().await?;
        attached::of(&mut conn, message.org_id, message.id).await
    };
    let listed: Vec<Attached> = listed.await.map_err(|e| again(format!("the attached files cannot be listed: {e}")))?;
    let mut fetched = Vec::with_capacity(listed.len());
    for file in listed {
        if file.is_removed {
            let reason = "the attached file was removed".to_owned();
            return Err(SendError::Refused { code: None, reason, kind: Refusal::Other });
        }
        let bytes = context.storage.get(&file.full_key).await.map_err(|e| match e {
            StorageError::NotFound => again("the attached file is not in the file store".to_owned()),
            other => again(format!("the attached file cannot be read: {other}")),
        })?;
        fetched.push(Attachment { name: file.name, content_type: file.content_type, bytes });
    }
    Ok(fetched)
}

/// Where Twilio reports what became of a text; none when it could not reach us there (it refuses such addresses).
fn report_address(context: &Context, message: &Outgoing) -> Option<String> {
    let path = format!("/webhooks/twilio/message-status/{}", message.id);
    context.public_url.is_reachable_from_outside().then(|| context.public_url.join(&path))
}

/// The outcome is known to nobody but us now, so a database that is away is waited for; a message whose outcome is
/// lost would be in doubt.
async fn record(context: &Context, message: &Outgoing, outcome: &Result<Accepted, SendError>) -> Result<()> {
    let mut pause = std::time::Duration::from_millis(100);
    loop {
        let written = async {
            let begin = context.db.begin();
            // Of a text may be learnt that its person opted out of the number: at every business that sends from it.
            let mut tx = if message.channel == Channel::Sms { across_businesses(begin).await? } else { begin.await? };
            let was_ours = send::record(&mut tx, &context.origin, message, outcome).await?;
            tx.commit().await?;
            Ok::<_, shared::platform::error::Error>(was_ours)
        };
        match written.await {
            Ok(was_ours) => {
                if !was_ours {
                    tracing::warn!(message = %message.id, "the message was taken from this worker before it could record");
                }
                context.announcer.changed();
                return Ok(());
            }
            Err(e) if pause > std::time::Duration::from_secs(20) => return Err(e),
            Err(e) => {
                tracing::warn!(message = %message.id, error = %e, "could not record an outcome yet");
                tokio::time::sleep(pause).await;
                pause *= 2;
            }
        }
    }
}
