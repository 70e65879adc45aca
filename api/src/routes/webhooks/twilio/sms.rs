//! A text that a customer wrote.

use axum::extract::State;
use futures::future::try_join_all;
use shared::{
    domain::{
        messaging::{
            inbound::{self, Media, OptOutType, Text},
            sending_number::reach,
        },
        tenancy::{
            org::{self, Org},
            provider_callbacks::Address,
        },
    },
    platform::{db::tenant_scope::across_businesses, phone::Phone},
    providers::twiml,
};

use super::{Came, Posted, Xml, noted, org_of};
use crate::{
    error::{ApiError, ApiResult},
    openapi,
    state::AppState,
};

/// Twilio itself takes no more pictures with one text.
const MOST_PICTURES: usize = 10;

/// Take a text
///
/// Twilio's webhook for messages that come in. Stored before it is answered; a text that is delivered twice is stored
/// once. The answer holds no reply: replies go through the same gate as every other message.
#[utoipa::path(post, path = "/webhooks/twilio/sms", operation_id = "twilioText", tag = "webhooks",
    request_body(content = String, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, description = "Taken", body = String, content_type = "text/xml"),
        openapi::BadRequest, openapi::Forbidden, openapi::NotFound, openapi::TooLarge, openapi::WrongMedia,
        openapi::Invalid, openapi::Unavailable))]
pub async fn text(State(state): State<AppState>, posted: Posted) -> ApiResult<Xml> {
    noted(&state, Address::Texts, Box::pin(take(&state, &posted))).await
}

async fn take(state: &AppState, posted: &Posted) -> ApiResult<Xml> {
    let id = posted.get("MessageSid").or_else(|| posted.get("SmsSid"));
    let id = id.ok_or_else(|| ApiError::field("MessageSid", "This is missing"))?;
    let (from, to) = (posted.needs("From")?, posted.needs("To")?);
    let body = posted.get("Body").unwrap_or_default();
    let text = Text {
        provider_id: &id,
        from: &from,
        to: &to,
        body: &body,
        media: media(posted),
        opt_out_type: posted.get("OptOutType").and_then(|word| OptOutType::named(&word)),
        came_at: None,
    };
    let came = Came { from: &from, to: &to, call: None, words: Some(&body) };
    if is_by_another_service(state, posted) {
        return Err(ApiError::not_found());
    }
    let org = Box::pin(org_of(state, came)).await?.ok_or_else(ApiError::not_found)?;
    if inbound::is_about_texting(&text, &org.name) {
        Box::pin(obey(state, org, &text)).await?;
    } else {
        let mut tx = state.db()?.begin().await?;
        inbound::receive(&mut tx, &state.origin, org.id, &text).await?;
        tx.commit().await?;
    }
    state.wake();
    Ok(Xml(twiml::Response::new()))
}

/// A text by another service than ours is nobody's. Not every text says by which it came, and where the install has none
/// its number may be in any service of the account, as carriers want it.
fn is_by_another_service(state: &AppState, posted: &Posted) -> bool {
    let (said, ours) = (posted.get("MessagingServiceSid"), state.settings.sms.service());
    ours.is_some_and(|ours| said.is_some_and(|said| said != ours))
}

/// STOP and its like hold before Twilio is answered, and no text to them is on its way any more by then.
async fn obey(state: &AppState, org: Org, text: &Text<'_>) -> ApiResult<()> {
    let id = org.id;
    let profile = org::profile(&mut state.db()?.read().await?, org).await?;
    // A STOP reaches every business on that number.
    let mut tx = across_businesses(state.db()?.begin()).await?;
    inbound::take(&mut tx, &state.intake(&profile), text).await?;
    tx.commit().await?;
    let (db, number) = (state.db()?, Phone::parse(text.from));
    let number = number.as_ref().map_or(text.from, Phone::as_e164);
    let others = reach::others(&mut across_businesses(db.read()).await?, id, text.to, number).await?;
    // All at once: Twilio waits for the answer.
    let waits = others.into_iter().chain([id]).map(|org| inbound::wait_until_quiet(db, org, number));
    try_join_all(waits).await?;
    Ok(())
}

fn media(posted: &Posted) -> Vec<Media> {
    let count = posted.get("NumMedia").and_then(|count| count.parse::<usize>().ok()).unwrap_or_default();
    let one = |n: usize| {
        let content_type = posted.get(&format!("MediaContentType{n}")).unwrap_or_default();
        posted.get(&format!("MediaUrl{n}")).map(|url| Media { url, content_type })
    };
    (0..count.min(MOST_PICTURES)).filter_map(one).collect()
}
