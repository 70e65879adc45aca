//! Fetches texts and calls that Twilio could not deliver while the API or the way to it was down.

use chrono::{DateTime, Duration, Utc};
use shared::{
    domain::{
        messaging::{
            inbound::{self, InboundMedia, InboundSms, catch_up},
            phone_call::{self, EndedCall},
            sending_number::{
                self,
                route::{self, InboundRoute},
            },
        },
        tenancy::org,
    },
    platform::{
        db::tenant_scope::across_tenants,
        error::{Error, Result},
        id::OrgId,
    },
    providers::{
        SendError,
        sms::{ReceivedCall, ReceivedSms, SmsSender},
    },
};

use crate::Context;

/// A number that was checked this recently is skipped.
const JUST_LOOKED: Duration = Duration::minutes(1);
/// Longest call: one that was running at the last check began at most this long before.
const LONGEST_CALL: Duration = Duration::hours(4);
/// A call of this length was not missed.
const TALKED: Duration = Duration::minutes(1);

/// Checks the provider's lists for every number; returns how many entries were new. Any number of workers may run it:
/// entries are stored once. Errors: when a list could not be fetched; nothing is skipped by it.
pub async fn run(context: &Context) -> Result<usize> {
    if !context.sms.is_set_up() {
        return Ok(0);
    }
    let (numbers, mut fault) = list_numbers(context).await?;
    let mut taken = 0;
    for number in numbers {
        match scan_number(context, &number).await {
            Ok(new) => taken += new,
            // The other numbers are still checked; this one starts from the same moment next time.
            Err(e) => fault = Some(e),
        }
    }
    if taken > 0 {
        context.announcer.notify_changed();
    }
    fault.map_or(Ok(taken), Err)
}

/// Numbers of businesses; with a Messaging Service also the account's numbers that are in its sender pool or that a
/// business had. Others belong to other programs on the account. Where the pool cannot be read, its numbers wait for
/// the next check, and the error is returned with the rest.
async fn list_numbers(context: &Context) -> Result<(Vec<String>, Option<Error>)> {
    let mut numbers = catch_up::list_watched_numbers(&mut context.db.acquire_reader().await?).await?;
    let Some(service) = messaging_service(context) else { return Ok((numbers, None)) };
    let owned = context.sms.list_account_numbers(None).await.map_err(|e| list_error(&e))?;
    let (pool, fault) = match context.sms.list_service_numbers(service).await {
        Ok(pool) => (Some(pool), None),
        Err(e) => (None, Some(list_error(&e))),
    };
    for number in owned.into_iter().filter(|one| one.can_text).map(|one| one.number) {
        let is_pooled = pool.as_ref().map(|pool| pool.contains(&number));
        if is_pooled == Some(true) || is_held(context, &number).await? {
            numbers.push(number);
        } else if is_pooled == Some(false) {
            forget_number(context, &number).await?;
        }
    }
    numbers.sort();
    numbers.dedup();
    Ok((numbers, fault))
}

async fn is_held(context: &Context, number: &str) -> Result<bool> {
    sending_number::was_held(&mut context.db.acquire_reader().await?, number).await
}

/// For a number of another program: what came to it is not taken either when it joins the pool later.
async fn forget_number(context: &Context, number: &str) -> Result<()> {
    let mut conn = context.db.acquire_reader().await?;
    if catch_up::find_catch_up_window(&mut conn, number, context.origin.now()).await?.is_none() {
        return Ok(());
    }
    drop(conn);
    let mut tx = context.db.begin().await?;
    catch_up::delete_cursor(&mut tx, Some(number)).await?;
    tx.commit().await
}

fn messaging_service(context: &Context) -> Option<&str> {
    context.sms.sender().and_then(SmsSender::service_sid)
}

async fn scan_number(context: &Context, number: &str) -> Result<usize> {
    let now = context.origin.now();
    let mut conn = context.db.acquire_reader().await?;
    let watched = catch_up::find_catch_up_window(&mut conn, number, now).await?;
    if watched.is_some_and(|(last, _)| now - last < JUST_LOOKED) {
        // Another worker has checked it.
        return Ok(0);
    }
    drop(conn);
    let mut taken = 0;
    if let Some((_, since)) = watched {
        let texts = context.sms.list_received_messages(number, since).await.map_err(|e| list_error(&e))?;
        let calls = context.sms.list_received_calls(number, since - LONGEST_CALL).await.map_err(|e| list_error(&e))?;
        let mut looked = InboundCatchUp { context, taken: 0, fault: None };
        looked.process_unknown_texts(&texts).await?;
        looked.finish_missed_calls(number, since, &calls).await?;
        taken = looked.taken;
        if let Some(fault) = looked.fault {
            return Err(fault);
        }
    }
    let mut tx = context.db.begin().await?;
    catch_up::record_catch_up(&mut tx, number, now).await?;
    tx.commit().await?;
    Ok(taken)
}

/// Check of one number's lists. An entry that fails does not block the others; it is met again next time.
struct InboundCatchUp<'a> {
    context: &'a Context,
    taken: usize,
    fault: Option<Error>,
}

impl InboundCatchUp<'_> {
    async fn process_unknown_texts(&mut self, listed: &[ReceivedSms]) -> Result<()> {
        let ids: Vec<&str> = listed.iter().map(|text| text.sid.as_str()).collect();
        let known_ids = catch_up::find_known_texts(&mut self.context.db.acquire_reader().await?, &ids).await?;
        for text in listed.iter().filter(|text| !known_ids.contains(&text.sid)) {
            let ours = messaging_service(self.context)
                .filter(|ours| text.service.as_deref().is_none_or(|service| service == *ours));
            let arrived = InboundRoute {
                from: &text.from,
                to: &text.to,
                now: text.at,
                service: ours,
                names_service: ours.is_some() && text.service.as_deref() == ours,
                words: Some(&text.body),
            };
            match find_org(self.context, arrived).await {
                Ok(Some(org)) => {
                    let done = process_text(self.context, org, text).await;
                    self.record_result(done);
                }
                Ok(None) => {}
                Err(e) => self.fault = Some(e),
            }
        }
        Ok(())
    }

    /// Ends calls whose end was not reported: missed or taken, by the rules.
    async fn finish_missed_calls(&mut self, number: &str, since: DateTime<Utc>, listed: &[ReceivedCall]) -> Result<()> {
        let ids: Vec<&str> = listed.iter().map(|call| call.sid.as_str()).collect();
        let known_ids = catch_up::find_known_calls(&mut self.context.db.acquire_reader().await?, &ids).await?;
        for call in listed.iter().filter(|call| phone_call::is_final_status(&call.status)) {
            let Some(org) = self.find_call_org(call).await? else { continue };
            let is_ours = match known_ids.get(&call.sid) {
                Some(is_ended) => !is_ended,
                // A call of a minute while the API was away was answered.
                None => {
                    call.started_at >= since
                        && call.call_duration() < TALKED
                        && catch_up::has_received_calls(&mut self.context.db.acquire_reader().await?, org, number)
                            .await?
                }
            };
            if is_ours {
                let done = finish_call(self.context, org, call).await;
                self.record_result(done);
            }
        }
        Ok(())
    }

    async fn find_call_org(&self, call: &ReceivedCall) -> Result<Option<OrgId>> {
        let mut conn = across_tenants(self.context.db.acquire_reader()).await?;
        if let Some(org) = route::find_business_of_call(&mut conn, &call.sid).await? {
            return Ok(Some(org.id));
        }
        drop(conn);
        let (service, now) = (messaging_service(self.context), call.started_at);
        let (from, to) = (call.from.as_str(), call.to.as_str());
        find_org(self.context, InboundRoute { from, to, now, service, names_service: false, words: None }).await
    }

    fn record_result(&mut self, done: Result<()>) {
        match done {
            Ok(()) => self.taken += 1,
            Err(e) => self.fault = Some(e),
        }
    }
}

/// Business of an entry, found as by the webhook.
async fn find_org(context: &Context, arrived: InboundRoute<'_>) -> Result<Option<OrgId>> {
    let mut conn = across_tenants(context.db.acquire_reader()).await?;
    Ok(route::find_business(&mut conn, &context.secret, arrived).await?.map(|org| org.id))
}

/// Takes a text as its webhook would: opt-out words take effect at once, all others by a task.
async fn process_text(context: &Context, org: OrgId, received: &ReceivedSms) -> Result<()> {
    let Some(profile) = load_profile(context, org).await? else { return Ok(()) };
    let text = InboundSms {
        provider_id: &received.sid,
        from: &received.from,
        to: &received.to,
        service: messaging_service(context).filter(|ours| received.service.as_deref() == Some(*ours)),
        body: &received.body,
        media: list_media(context, received).await?,
        opt_out_type: None,
        came_at: Some(received.at),
    };
    tracing::warn!(text = %received.sid, "found a text at Twilio that it could not tell us of");
    if !inbound::is_consent_keyword(&text, &profile.org.name) {
        let mut tx = context.db.begin().await?;
        inbound::enqueue_text(&mut tx, &context.origin, org, &text).await?;
        return tx.commit().await;
    }
    // A STOP applies to every business on that number.
    let mut tx = across_tenants(context.db.begin()).await?;
    inbound::process_text(&mut tx, &context.org_context(&profile), &text).await?;
    tx.commit().await
}

async fn finish_call(context: &Context, org: OrgId, received: &ReceivedCall) -> Result<()> {
    let Some(profile) = load_profile(context, org).await? else { return Ok(()) };
    tracing::warn!(call = %received.sid, "found a call at Twilio whose end it could not tell us");
    let until = received.ended_at.unwrap_or(received.started_at);
    let (from, to) = (received.from.as_str(), received.to.as_str());
    let when = Some((received.started_at, until));
    let ended = EndedCall { provider_id: &received.sid, from, to, outcome: &received.status, when };
    let mut tx = context.db.begin().await?;
    phone_call::process_ended_call(&mut tx, &context.org_context(&profile), &ended).await?;
    tx.commit().await
}

async fn load_profile(context: &Context, org: OrgId) -> Result<Option<org::OrgProfile>> {
    let mut conn = context.db.acquire_reader().await?;
    let Some(org) = org::find(&mut conn, org).await? else { return Ok(None) };
    org::load_profile(&mut conn, org).await.map(Some)
}

async fn list_media(context: &Context, text: &ReceivedSms) -> Result<Vec<InboundMedia>> {
    if !text.has_pictures {
        return Ok(Vec::new());
    }
    let found = match context.sms.list_pictures(&text.sid).await {
        Ok(found) => found,
        // The text matters more than its pictures.
        Err(SendError::Refused { .. }) => Vec::new(),
        Err(e) => return Err(list_error(&e)),
    };
    Ok(found.into_iter().map(|picture| InboundMedia { url: picture.url, content_type: picture.content_type }).collect())
}

fn list_error(error: &SendError) -> Error {
    Error::Unavailable(format!("Twilio's list of what came in: {error}"))
}
