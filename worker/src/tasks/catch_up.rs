//! Takes in the texts and calls of which Twilio could not tell us: while the API was away, or the way to it.

use chrono::{DateTime, Duration, Utc};
use shared::{
    domain::{
        messaging::{
            inbound::{self, Media, Text, missed},
            phone_call::{self, Ended},
            sending_number::route::{self, Arrived},
        },
        tenancy::org,
    },
    platform::{
        db::tenant_scope::across_businesses,
        error::{Error, Result},
        id::OrgId,
    },
    providers::{
        SendError,
        sms::{ReceivedCall, ReceivedText, Sender},
    },
};

use crate::Context;

/// A number that was looked through this recently is left alone.
const JUST_LOOKED: Duration = Duration::minutes(1);
/// A call that went on when its number was last looked through has begun at most this long before.
const LONGEST_CALL: Duration = Duration::hours(4);
/// A call this long was not missed.
const TALKED: Duration = Duration::minutes(1);

/// Looks through the provider's list of every number. Returns how much was new. Any number of workers may do so
/// at once: what came is stored once.
///
/// # Errors
/// When a list could not be had; nothing is skipped by it.
pub async fn run(context: &Context) -> Result<usize> {
    if !context.sms.is_set_up() {
        return Ok(0);
    }
    let numbers = numbers(context).await?;
    let (mut taken, mut fault) = (0, None);
    for number in numbers {
        match look_through(context, &number).await {
            Ok(new) => taken += new,
            // The others are looked through all the same; this one is looked through from the same moment next time.
            Err(e) => fault = Some(e),
        }
    }
    if taken > 0 {
        context.announcer.changed();
    }
    fault.map_or(Ok(taken), Err)
}

/// The numbers of businesses, and where the install sends by a Messaging Service, those of the account that are no
/// business's: they may be the service's.
async fn numbers(context: &Context) -> Result<Vec<String>> {
    let mut numbers = missed::numbers(&mut context.db.read().await?).await?;
    if service_of(context).is_some() {
        let owned = context.sms.account_numbers(None).await.map_err(|e| not_told(&e))?;
        numbers.extend(owned.into_iter().filter(|one| one.can_text).map(|one| one.number));
        numbers.sort();
        numbers.dedup();
    }
    Ok(numbers)
}

/// The Messaging Service that businesses of this install share.
fn service_of(context: &Context) -> Option<&str> {
    context.sms.sender().and_then(Sender::service)
}

async fn look_through(context: &Context, number: &str) -> Result<usize> {
    let now = context.origin.now();
    let mut conn = context.db.read().await?;
    let watched = missed::since(&mut conn, number, now).await?;
    if watched.is_some_and(|(last, _)| now - last < JUST_LOOKED) {
        // Another worker has.
        return Ok(0);
    }
    drop(conn);
    let mut taken = 0;
    if let Some((_, since)) = watched {
        let texts = context.sms.received(number, since).await.map_err(|e| not_told(&e))?;
        let calls = context.sms.called(number, since - LONGEST_CALL).await.map_err(|e| not_told(&e))?;
        let mut looked = Looked { context, taken: 0, fault: None };
        looked.take_unknown(&texts).await?;
        looked.end_calls(number, since, &calls).await?;
        taken = looked.taken;
        if let Some(fault) = looked.fault {
            return Err(fault);
        }
    }
    let mut tx = context.db.begin().await?;
    missed::looked(&mut tx, number, now).await?;
    tx.commit().await?;
    Ok(taken)
}

/// A look through the lists of one number. What cannot be taken does not keep the others waiting; it is met again.
struct Looked<'a> {
    context: &'a Context,
    taken: usize,
    fault: Option<Error>,
}

impl Looked<'_> {
    async fn take_unknown(&mut self, listed: &[ReceivedText]) -> Result<()> {
        let ids: Vec<&str> = listed.iter().map(|text| text.sid.as_str()).collect();
        let known = missed::known(&mut self.context.db.read().await?, &ids).await?;
        for text in listed.iter().filter(|text| !known.contains(&text.sid)) {
            let ours = service_of(self.context).filter(|ours| text.service.as_deref().is_none_or(|said| said == *ours));
            let arrived =
                Arrived { from: &text.from, to: &text.to, now: text.at, service: ours, words: Some(&text.body) };
            match business(self.context, arrived).await {
                Ok(Some(org)) => {
                    let done = take(self.context, org, text).await;
                    self.note(done);
                }
                Ok(None) => {}
                Err(e) => self.fault = Some(e),
            }
        }
        Ok(())
    }

    /// A call that is over and whose end we never heard was missed, or taken; the rules say what follows.
    async fn end_calls(&mut self, number: &str, since: DateTime<Utc>, listed: &[ReceivedCall]) -> Result<()> {
        let ids: Vec<&str> = listed.iter().map(|call| call.sid.as_str()).collect();
        let known = missed::known_calls(&mut self.context.db.read().await?, &ids).await?;
        for call in listed.iter().filter(|call| phone_call::is_over(&call.status)) {
            let Some(org) = self.business_of(call).await? else { continue };
            let is_ours = match known.get(&call.sid) {
                Some(is_ended) => !is_ended,
                // A call of a minute while the API was away was answered by somebody.
                None => {
                    call.started_at >= since
                        && call.lasted() < TALKED
                        && missed::rings_here(&mut self.context.db.read().await?, org, number).await?
                }
            };
            if is_ours {
                let done = end(self.context, org, call).await;
                self.note(done);
            }
        }
        Ok(())
    }

    async fn business_of(&self, call: &ReceivedCall) -> Result<Option<OrgId>> {
        let mut conn = across_businesses(self.context.db.read()).await?;
        if let Some(org) = route::business_of_call(&mut conn, &call.sid).await? {
            return Ok(Some(org.id));
        }
        drop(conn);
        let (service, now) = (service_of(self.context), call.started_at);
        business(self.context, Arrived { from: &call.from, to: &call.to, now, service, words: None }).await
    }

    fn note(&mut self, done: Result<()>) {
        match done {
            Ok(()) => self.taken += 1,
            Err(e) => self.fault = Some(e),
        }
    }
}

/// Whose it is, as the webhook finds it.
async fn business(context: &Context, arrived: Arrived<'_>) -> Result<Option<OrgId>> {
    let mut conn = across_businesses(context.db.read()).await?;
    Ok(route::business(&mut conn, &context.secret, arrived).await?.map(|org| org.id))
}

/// As its webhook would have been taken: words about being texted are obeyed at once, all others by a task.
async fn take(context: &Context, org: OrgId, received: &ReceivedText) -> Result<()> {
    let Some(profile) = profile(context, org).await? else { return Ok(()) };
    let text = Text {
        provider_id: &received.sid,
        from: &received.from,
        to: &received.to,
        body: &received.body,
        media: pictures(context, received).await?,
        opt_out_type: None,
        came_at: Some(received.at),
    };
    tracing::warn!(text = %received.sid, "found a text at Twilio that it could not tell us of");
    if !inbound::is_about_texting(&text, &profile.org.name) {
        let mut tx = context.db.begin().await?;
        inbound::receive(&mut tx, &context.origin, org, &text).await?;
        return tx.commit().await;
    }
    // A STOP reaches every business on that number.
    let mut tx = across_businesses(context.db.begin()).await?;
    inbound::take(&mut tx, &context.intake(&profile), &text).await?;
    tx.commit().await
}

async fn end(context: &Context, org: OrgId, received: &ReceivedCall) -> Result<()> {
    let Some(profile) = profile(context, org).await? else { return Ok(()) };
    tracing::warn!(call = %received.sid, "found a call at Twilio whose end it could not tell us");
    let until = received.ended_at.unwrap_or(received.started_at);
    let (from, to) = (received.from.as_str(), received.to.as_str());
    let when = Some((received.started_at, until));
    let ended = Ended { provider_id: &received.sid, from, to, outcome: &received.status, when };
    let mut tx = context.db.begin().await?;
    phone_call::end(&mut tx, &context.intake(&profile), &ended).await?;
    tx.commit().await
}

async fn profile(context: &Context, org: OrgId) -> Result<Option<org::Profile>> {
    let mut conn = context.db.read().await?;
    let Some(org) = org::find(&mut conn, org).await? else { return Ok(None) };
    org::profile(&mut conn, org).await.map(Some)
}

async fn pictures(context: &Context, text: &ReceivedText) -> Result<Vec<Media>> {
    if !text.has_pictures {
        return Ok(Vec::new());
    }
    let found = match context.sms.pictures_of(&text.sid).await {
        Ok(found) => found,
        // The words count more than the pictures.
        Err(SendError::Refused { .. }) => Vec::new(),
        Err(e) => return Err(not_told(&e)),
    };
    Ok(found.into_iter().map(|picture| Media { url: picture.url, content_type: picture.content_type }).collect())
}

fn not_told(error: &SendError) -> Error {
    Error::Unavailable(format!("Twilio's list of what came in: {error}"))
}
