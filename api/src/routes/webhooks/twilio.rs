//! What Twilio tells us: texts and calls that come in, and what became of those that went out.
//!
//! Every request is signed over our public address. It is stored before it is answered, and the same one again, late or
//! in another order, changes nothing.

use axum::{
    body::Bytes,
    extract::{FromRequest, OriginalUri, Request},
    http::{HeaderMap, HeaderValue, header},
    response::{IntoResponse, Response},
};
use shared::{
    domain::{
        messaging::sending_number::route::{self, Arrived},
        tenancy::{
            org::{self, Org, Profile},
            provider_callbacks::Address,
        },
    },
    platform::db::tenant_scope::across_businesses,
    providers::{
        sms::{
            SmsConfig,
            signature::{self, Refused, Signed},
        },
        twiml,
    },
};

use crate::{
    error::{ApiError, ApiResult, ErrorCode},
    extract::incomplete,
    state::AppState,
    webhook_health::Outcome,
};

pub mod report;
pub mod sms;
pub mod voice;

/// A form that Twilio has signed.
pub struct Posted(Vec<(String, String)>);

impl FromRequest<AppState> for Posted {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &AppState) -> ApiResult<Self> {
        let (parts, body) = request.into_parts();
        let uri = parts.extensions.get::<OriginalUri>().map_or(&parts.uri, |original| &original.0);
        let path = uri.path_and_query().map_or("/", |path| path.as_str()).to_owned();
        let kind = parts.headers.get(header::CONTENT_TYPE).and_then(|v| v.to_str().ok()).unwrap_or_default();
        if !kind.to_ascii_lowercase().starts_with("application/x-www-form-urlencoded") {
            return Err(ApiError::new(ErrorCode::UnsupportedMediaType, "This address takes a posted form."));
        }
        let read = Bytes::from_request(Request::from_parts(parts.clone(), body), state).await;
        let body = read.map_err(|e| incomplete(e.status(), &e, "The body broke off."))?;
        let fields: Vec<(String, String)> = url::form_urlencoded::parse(&body).into_owned().collect();
        let url = state.settings.public_url.join(&path);
        if let Err(why) = check(state, &parts.headers, &url, &fields, &body) {
            // Which address, never what it said: a forged request may hold anything.
            tracing::warn!(%why, address = uri.path(), "a request that claims to be Twilio's was refused");
            state.webhooks.note(address_of(uri.path()), Outcome::Refused, state.origin.now());
            return Err(ApiError::new(ErrorCode::Forbidden, "The signature does not fit."));
        }
        let posted = Self(fields);
        if !posted.is_for(&state.settings.sms) {
            tracing::warn!(address = uri.path(), "a request about another account at Twilio was refused");
            state.webhooks.note(address_of(uri.path()), Outcome::Refused, state.origin.now());
            return Err(ApiError::not_found());
        }
        Ok(posted)
    }
}

fn check(
    state: &AppState,
    headers: &HeaderMap,
    url: &str,
    fields: &[(String, String)],
    body: &[u8],
) -> Result<(), Refused> {
    let SmsConfig::Twilio(account) = &state.settings.sms else { return Err(Refused::NoSecret) };
    let secrets: Vec<_> = account.auth_token.iter().chain(&account.webhook_secrets).collect();
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let (given, settings) = (text("x-twilio-signature"), text("x-twilio-webhooks-signature-settings"));
    signature::verify(&secrets, &Signed { url, fields, body, signature: given, settings })?;
    signature::no_repeats(fields)
}

fn address_of(path: &str) -> Address {
    match path {
        path if path.contains("/voice") => Address::Calls,
        path if path.contains("/message-status") => Address::Reports,
        _ => Address::Texts,
    }
}

impl Posted {
    /// Whether it is about our account. Its secrets can also sign for others: subaccounts, an account before.
    fn is_for(&self, sms: &SmsConfig) -> bool {
        let SmsConfig::Twilio(account) = sms else { return false };
        self.get("AccountSid").is_none_or(|said| said == account.sid)
    }

    /// The field's text; what no database stores is taken out.
    fn get(&self, name: &str) -> Option<String> {
        let found = self.0.iter().find(|(n, _)| n == name).map(|(_, value)| value.replace('\0', ""));
        found.filter(|text| !text.is_empty())
    }

    /// # Errors
    /// 422 that names the field when it is not there.
    fn needs(&self, name: &'static str) -> ApiResult<String> {
        self.get(name).ok_or_else(|| ApiError::field(name, "This is missing"))
    }
}

/// Notes how a request at `address` ended.
async fn noted<T>(state: &AppState, address: Address, work: impl Future<Output = ApiResult<T>>) -> ApiResult<T> {
    let done = work.await;
    let outcome = if done.is_ok() { Outcome::Taken } else { Outcome::Failed };
    state.webhooks.note(address, outcome, state.origin.now());
    done
}

/// Who called or wrote, and which number.
#[derive(Clone, Copy)]
struct Came<'a> {
    from: &'a str,
    to: &'a str,
    /// Of a call: its id.
    call: Option<&'a str>,
    /// What a text says.
    words: Option<&'a str>,
}

/// The org that is called or written to at one of its numbers.
async fn org_of(state: &AppState, came: Came<'_>) -> ApiResult<Option<Org>> {
    let mut conn = across_businesses(state.db()?.read()).await?;
    if let Some(call) = came.call
        && let Some(org) = Box::pin(route::business_of_call(&mut conn, call)).await?
    {
        return Ok(Some(org));
    }
    let ours = state.settings.sms.service();
    let arrived = Arrived { from: came.from, to: came.to, now: state.origin.now(), service: ours, words: came.words };
    let found = Box::pin(route::business(&mut conn, &state.settings.secret, arrived)).await?;
    if found.is_none() {
        tracing::warn!("Twilio reports something for a number that belongs to no business");
    }
    Ok(found)
}

/// The same with everything that the rules look at.
async fn business(state: &AppState, came: Came<'_>) -> ApiResult<Option<Profile>> {
    match Box::pin(org_of(state, came)).await? {
        Some(org) => Ok(Some(org::profile(&mut state.db()?.read().await?, org).await?)),
        None => Ok(None),
    }
}

/// An answer in Twilio's own markup.
pub struct Xml(twiml::Response);

impl IntoResponse for Xml {
    fn into_response(self) -> Response {
        ([(header::CONTENT_TYPE, HeaderValue::from_static(twiml::CONTENT_TYPE))], self.0.to_xml()).into_response()
    }
}
