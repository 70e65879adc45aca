//! Incoming texts.

use axum::extract::State;
use futures::future::try_join_all;
use shared::{
    domain::{
        messaging::{
            inbound::{self, InboundMedia, InboundSms, OptOutType},
            sending_number::{
                self,
                opt_out_scope::{self, OptOutScope},
            },
            texting_registration::ten_dlc,
        },
        tenancy::{
            org::{self, Org},
            provider_callbacks::CallbackEndpoint,
        },
    },
    platform::{db::tenant_scope::across_tenants, phone::Phone},
    providers::twiml,
};

use super::{InboundSource, SignedForm, TwimlBody, find_org, with_outcome_recorded};
use crate::{
    error::{ApiError, ApiResult},
    openapi,
    state::AppState,
};

/// Twilio's own limit per text.
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
pub async fn handle_inbound_sms(State(state): State<AppState>, posted: SignedForm) -> ApiResult<TwimlBody> {
    with_outcome_recorded(&state, CallbackEndpoint::Texts, &posted, Box::pin(receive_sms(&state, &posted))).await
}

async fn receive_sms(state: &AppState, posted: &SignedForm) -> ApiResult<TwimlBody> {
    let id = posted.get_field("MessageSid").or_else(|| posted.get_field("SmsSid"));
    let id = id.ok_or_else(|| ApiError::invalid_field("MessageSid", "This is missing"))?;
    let (from, to) = (posted.require_field("From")?, posted.require_field("To")?);
    let body = posted.get_field("Body").unwrap_or_default();
    let text = InboundSms {
        provider_id: &id,
        from: &from,
        to: &to,
        service: state.settings.sms.service_sid().filter(|ours| posted.names_service(ours)),
        body: &body,
        media: parse_media(posted),
        opt_out_type: posted.get_field("OptOutType").and_then(|word| OptOutType::from_twilio(&word)),
        came_at: None,
    };
    let came = InboundSource { from: &from, to: &to, call: None, text: Some(&id), words: Some(&body) };
    if is_other_service(state, posted, &to).await? {
        return Err(ApiError::not_found());
    }
    let org = Box::pin(find_org(state, posted, came)).await?.ok_or_else(ApiError::not_found)?;
    if inbound::is_consent_keyword(&text, &org.name) {
        Box::pin(apply_opt_out(state, org, &text)).await?;
    } else {
        let mut tx = state.db()?.begin().await?;
        inbound::enqueue_text(&mut tx, &state.origin, org.id, &text).await?;
        tx.commit().await?;
    }
    state.notify_committed();
    Ok(TwimlBody(twiml::TwimlResponse::new()))
}

/// Texts to another Messaging Service of the account are not ours. Not every text names its service; an install without
/// one accepts any, because carriers may require its number to be in a service. The service that was made for the
/// registration of the number's business is the business's own.
async fn is_other_service(state: &AppState, posted: &SignedForm, to: &str) -> ApiResult<bool> {
    let (Some(named), Some(ours)) = (posted.get_field("MessagingServiceSid"), state.settings.sms.service_sid()) else {
        return Ok(false);
    };
    if named == ours {
        return Ok(false);
    }
    let mut conn = across_tenants(state.db()?.acquire_reader()).await?;
    match sending_number::find_holder(&mut conn, to).await? {
        Some(holder) => Ok(!ten_dlc::store::owns_service(&mut conn, holder.org_id, &named).await?),
        None => Ok(true),
    }
}

/// STOP takes effect before Twilio is answered: by then no text to the number is on its way.
async fn apply_opt_out(state: &AppState, org: Org, text: &InboundSms<'_>) -> ApiResult<()> {
    let id = org.id;
    let profile = org::load_profile(&mut state.db()?.acquire_reader().await?, org).await?;
    // A STOP applies to every business on that number.
    let mut tx = across_tenants(state.db()?.begin()).await?;
    inbound::process_text(&mut tx, &state.org_context(&profile), text).await?;
    tx.commit().await?;
    let (db, number) = (state.db()?, Phone::parse(text.from));
    let number = number.as_ref().map_or(text.from, Phone::as_e164);
    let scope = OptOutScope { org: id, to: text.to, service: text.service };
    let others = opt_out_scope::list_other_orgs(&mut across_tenants(db.acquire_reader()).await?, scope, number).await?;
    // Concurrently: Twilio waits for the answer.
    let waits = others.into_iter().chain([id]).map(|org| inbound::wait_for_inflight_texts(db, org, number));
    try_join_all(waits).await?;
    Ok(())
}

fn parse_media(posted: &SignedForm) -> Vec<InboundMedia> {
    let count = posted.get_field("NumMedia").and_then(|count| count.parse::<usize>().ok()).unwrap_or_default();
    let one = |n: usize| {
        let content_type = posted.get_field(&format!("MediaContentType{n}")).unwrap_or_default();
        posted.get_field(&format!("MediaUrl{n}")).map(|url| InboundMedia { url, content_type })
    };
    (0..count.min(MOST_PICTURES)).filter_map(one).collect()
}
