//! Takes in the texts and calls of which Twilio could not tell us: while the API was away, or the way to it.

use shared::{
    call::{self, Ended},
    error::{Error, Result},
    id::OrgId,
    incoming::{self, Media, Text, missed},
    lead::Intake,
    org,
    providers::{
        SendError,
        sms::{ReceivedCall, ReceivedText},
    },
};

use crate::Context;

/// Looks through the provider's list of every number. Returns how much was new. Any number of workers may do so
/// at once: what came is stored once.
///
/// # Errors
/// When a list could not be had; nothing is skipped by it.
pub async fn run(context: &Context) -> Result<usize> {
    if !context.sms.is_set_up() {
        return Ok(0);
    }
    let numbers = missed::numbers(&mut context.db.read().await?, context.sms.own_number()).await?;
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
    let since = missed::since(&mut conn, number, now).await?;
    let default_org = context.default_org.as_deref();
    let org = incoming::org_of_number(&mut conn, number, context.sms.own_number(), default_org).await?;
    drop(conn);
    let mut taken = 0;
    if let (Some(since), Some(org)) = (since, org) {
        let listed = context.sms.received(number, since).await.map_err(|e| not_told(&e))?;
        taken = take_unknown(context, org.id, &listed).await?;
        let called = context.sms.called(number, since).await.map_err(|e| not_told(&e))?;
        taken += end_calls(context, org.id, &called).await?;
    }
    let mut tx = context.db.begin().await?;
    missed::looked(&mut tx, number, now).await?;
    tx.commit().await?;
    Ok(taken)
}

async fn take_unknown(context: &Context, org: OrgId, listed: &[ReceivedText]) -> Result<usize> {
    let ids: Vec<&str> = listed.iter().map(|text| text.sid.as_str()).collect();
    let known = missed::known(&mut context.db.read().await?, org, &ids).await?;
    let mut taken = 0;
    for text in listed.iter().filter(|text| !known.contains(&text.sid)) {
        take(context, org, text).await?;
        taken += 1;
    }
    Ok(taken)
}

/// As its webhook would have been taken: words about being texted are obeyed at once, all others by a task.
async fn take(context: &Context, org: OrgId, received: &ReceivedText) -> Result<()> {
    let text = Text {
        provider_id: &received.sid,
        from: &received.from,
        to: &received.to,
        body: &received.body,
        media: pictures(context, received).await?,
        was_answered: false,
        came_at: Some(received.at),
    };
    tracing::warn!(text = %received.sid, "found a text at Twilio that it could not tell us of");
    if !incoming::is_about_texting(&text) {
        let mut tx = context.db.begin().await?;
        incoming::receive(&mut tx, &context.origin, org, &text).await?;
        return tx.commit().await;
    }
    let Some(profile) = profile(context, org).await? else { return Ok(()) };
    let mut tx = context.db.begin().await?;
    incoming::take(&mut tx, &intake(context, &profile), &text).await?;
    tx.commit().await
}

/// A call that is over and whose end we never heard was missed, or taken; the rules say what follows.
async fn end_calls(context: &Context, org: OrgId, listed: &[ReceivedCall]) -> Result<usize> {
    let ids: Vec<&str> = listed.iter().map(|call| call.sid.as_str()).collect();
    let known = missed::ended_calls(&mut context.db.read().await?, org, &ids).await?;
    let mut taken = 0;
    for received in listed.iter().filter(|call| call::is_over(&call.status) && !known.contains(&call.sid)) {
        let Some(profile) = profile(context, org).await? else { return Ok(taken) };
        tracing::warn!(call = %received.sid, "found a call at Twilio whose end it could not tell us");
        let until = received.ended_at.unwrap_or(received.started_at);
        let (from, to) = (received.from.as_str(), received.to.as_str());
        let when = Some((received.started_at, until));
        let ended = Ended { provider_id: &received.sid, from, to, outcome: &received.status, when };
        let mut tx = context.db.begin().await?;
        call::end(&mut tx, &intake(context, &profile), &ended).await?;
        tx.commit().await?;
        taken += 1;
    }
    Ok(taken)
}

async fn profile(context: &Context, org: OrgId) -> Result<Option<org::Profile>> {
    let mut conn = context.db.read().await?;
    let Some(org) = org::find(&mut conn, org).await? else { return Ok(None) };
    org::profile(&mut conn, org).await.map(Some)
}

fn intake<'a>(context: &'a Context, profile: &'a org::Profile) -> Intake<'a> {
    Intake {
        origin: &context.origin,
        secret: &context.secret,
        public_url: &context.public_url,
        profile,
        texts_leave: true,
    }
}

async fn pictures(context: &Context, text: &ReceivedText) -> Result<Vec<Media>> {
    if !text.has_pictures {
        return Ok(Vec::new());
    }
    let found = context.sms.pictures_of(&text.sid).await.map_err(|e| not_told(&e))?;
    Ok(found.into_iter().map(|picture| Media { url: picture.url, content_type: picture.content_type }).collect())
}

fn not_told(error: &SendError) -> Error {
    Error::Unavailable(format!("Twilio's list of what came in: {error}"))
}
