//! Takes in the texts and calls of which Twilio could not tell us: while the API was away, or the way to it.

use chrono::{DateTime, Duration, Utc};
use shared::{
    call::{self, Ended},
    db::second_wall::across_businesses,
    error::{Error, Result},
    id::OrgId,
    incoming::{self, Media, Text, missed},
    org,
    providers::{
        SendError,
        sms::{ReceivedCall, ReceivedText},
    },
    sending_number,
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
    let numbers = missed::numbers(&mut context.db.read().await?).await?;
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

async fn look_through(context: &Context, number: &str) -> Result<usize> {
    let now = context.origin.now();
    let mut conn = context.db.read().await?;
    let watched = missed::since(&mut conn, number, now).await?;
    if watched.is_some_and(|(last, _)| now - last < JUST_LOOKED) {
        // Another worker has.
        return Ok(0);
    }
    let org = sending_number::holder(&mut conn, number).await?.map(|holder| holder.org_id);
    drop(conn);
    let mut taken = 0;
    if let (Some((_, since)), Some(org)) = (watched, org) {
        let texts = context.sms.received(number, since).await.map_err(|e| not_told(&e))?;
        let calls = context.sms.called(number, since - LONGEST_CALL).await.map_err(|e| not_told(&e))?;
        let mut looked = Looked { context, org, taken: 0, fault: None };
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
    org: OrgId,
    taken: usize,
    fault: Option<Error>,
}

impl Looked<'_> {
    async fn take_unknown(&mut self, listed: &[ReceivedText]) -> Result<()> {
        let ids: Vec<&str> = listed.iter().map(|text| text.sid.as_str()).collect();
        let known = missed::known(&mut self.context.db.read().await?, &ids).await?;
        for text in listed.iter().filter(|text| !known.contains(&text.sid)) {
            let done = take(self.context, self.org, text).await;
            self.note(done);
        }
        Ok(())
    }

    /// A call that is over and whose end we never heard was missed, or taken; the rules say what follows.
    async fn end_calls(&mut self, number: &str, since: DateTime<Utc>, listed: &[ReceivedCall]) -> Result<()> {
        let ids: Vec<&str> = listed.iter().map(|call| call.sid.as_str()).collect();
        let mut conn = self.context.db.read().await?;
        let known = missed::known_calls(&mut conn, &ids).await?;
        let rings_here = missed::rings_here(&mut conn, self.org, number).await?;
        drop(conn);
        for call in listed.iter().filter(|call| call::is_over(&call.status)) {
            let is_ours = match known.get(&call.sid) {
                Some(is_ended) => !is_ended,
                // Whoever talked for a minute while we were away talked to somebody.
                None => rings_here && call.started_at >= since && call.lasted() < TALKED,
            };
            if is_ours {
                let done = end(self.context, self.org, call).await;
                self.note(done);
            }
        }
        Ok(())
    }

    fn note(&mut self, done: Result<()>) {
        match done {
            Ok(()) => self.taken += 1,
            Err(e) => self.fault = Some(e),
        }
    }
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
    if !incoming::is_about_texting(&text, &profile.org.name) {
        let mut tx = context.db.begin().await?;
        incoming::receive(&mut tx, &context.origin, org, &text).await?;
        return tx.commit().await;
    }
    // A STOP reaches every business on that number.
    let mut tx = across_businesses(context.db.begin()).await?;
    incoming::take(&mut tx, &context.intake(&profile), &text).await?;
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
    call::end(&mut tx, &context.intake(&profile), &ended).await?;
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
