//! Twilio webhooks: incoming texts and calls, and delivery reports.
//!
//! Requests are signed over our public address, and stored before they are answered. Repeats, late or out of order,
//! change nothing.

use std::sync::OnceLock;

use axum::{
    body::Bytes,
    extract::{FromRequest, OriginalUri, Request},
    http::{HeaderMap, HeaderValue, header},
    response::{IntoResponse, Response},
};
use shared::{
    domain::{
        messaging::sending_number::route::{self, InboundRoute},
        tenancy::{
            org::{self, Org, OrgProfile},
            provider_callbacks::CallbackEndpoint,
        },
    },
    platform::{db::tenant_scope::across_tenants, id::OrgId},
    providers::{
        sms::{
            SmsConfig,
            signature::{self, SignedTwilioRequest, TwilioSignatureError},
        },
        twiml,
    },
};

use crate::{
    JSON_LIMIT,
    error::{ApiError, ApiResult, ErrorCode},
    extract::incomplete_body_error,
    state::AppState,
    webhook_health::CallbackOutcome,
};

pub mod report;
pub mod sms;
pub mod voice;

/// A form with a verified signature.
pub struct SignedForm {
    fields: Vec<(String, String)>,
    /// The business that the form is about, once it is found.
    org: OnceLock<OrgId>,
}

impl FromRequest<AppState> for SignedForm {
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
        let body = read.map_err(|e| incomplete_body_error(e.status(), &e, "The body broke off.", JSON_LIMIT))?;
        let fields: Vec<(String, String)> = url::form_urlencoded::parse(&body).into_owned().collect();
        let url = state.settings.public_url.join(&path);
        if let Err(why) = verify_signature(state, &parts.headers, &url, &fields, &body) {
            // Logs the address only: a forged body may hold anything.
            tracing::warn!(%why, address = uri.path(), "a request that claims to be Twilio's was refused");
            state.webhooks.record_install_callback(
                endpoint_of_path(uri.path()),
                CallbackOutcome::Refused,
                state.origin.now(),
            );
            return Err(ApiError::new(ErrorCode::Forbidden, "The signature does not fit."));
        }
        let posted = Self { fields, org: OnceLock::new() };
        if let Err(e) = posted.check_account(&state.settings.sms) {
            tracing::warn!(address = uri.path(), "a request about no account or another account at Twilio was refused");
            state.webhooks.record_install_callback(
                endpoint_of_path(uri.path()),
                CallbackOutcome::Refused,
                state.origin.now(),
            );
            return Err(e);
        }
        Ok(posted)
    }
}

fn verify_signature(
    state: &AppState,
    headers: &HeaderMap,
    url: &str,
    fields: &[(String, String)],
    body: &[u8],
) -> Result<(), TwilioSignatureError> {
    let SmsConfig::Twilio(account) = &state.settings.sms else { return Err(TwilioSignatureError::NoSecret) };
    let secrets: Vec<_> = account.auth_token.iter().chain(&account.webhook_secrets).collect();
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let (given, settings) = (text("x-twilio-signature"), text("x-twilio-webhooks-signature-settings"));
    signature::verify_signature(&secrets, &SignedTwilioRequest { url, fields, body, signature: given, settings })?;
    signature::check_no_repeats(fields)
}

fn endpoint_of_path(path: &str) -> CallbackEndpoint {
    match path {
        path if path.contains("/voice") => CallbackEndpoint::Calls,
        path if path.contains("/message-status") => CallbackEndpoint::Reports,
        _ => CallbackEndpoint::Texts,
    }
}

impl SignedForm {
    /// The form must be about our account: its secret can also sign for subaccounts and a former account. Twilio names
    /// the account in every form. The signature joins names and values, so it also fits a form that is divided
    /// otherwise and has no `AccountSid`.
    fn check_account(&self, sms: &SmsConfig) -> ApiResult<()> {
        match (self.get_field("AccountSid"), sms) {
            (None, _) => Err(ApiError::new(ErrorCode::Forbidden, "This form has no AccountSid.")),
            (Some(sid), SmsConfig::Twilio(account)) if sid == account.sid => Ok(()),
            (Some(_), _) => Err(ApiError::not_found()),
        }
    }

    /// Text of a field, without NUL, which no database stores.
    fn get_field(&self, name: &str) -> Option<String> {
        let found = self.fields.iter().find(|(n, _)| n == name).map(|(_, value)| value.replace('\0', ""));
        found.filter(|text| !text.is_empty())
    }

    fn names_service(&self, service: &str) -> bool {
        self.get_field("MessagingServiceSid").as_deref() == Some(service)
    }

    /// The first business that is found counts.
    fn set_org(&self, org: OrgId) {
        self.org.get_or_init(|| org);
    }

    /// Errors: 422 that names a missing field.
    fn require_field(&self, name: &'static str) -> ApiResult<String> {
        self.get_field(name).ok_or_else(|| ApiError::invalid_field(name, "This is missing"))
    }
}

/// Counts the call for the business it is about, else for the install: one business must not see another's calls.
async fn with_outcome_recorded<T>(
    state: &AppState,
    address: CallbackEndpoint,
    posted: &SignedForm,
    work: impl Future<Output = ApiResult<T>>,
) -> ApiResult<T> {
    let done = work.await;
    let outcome = if done.is_ok() { CallbackOutcome::Taken } else { CallbackOutcome::Failed };
    match posted.org.get() {
        Some(org) => state.webhooks.record_org_callback(*org, address, outcome, state.origin.now()),
        None => state.webhooks.record_install_callback(address, outcome, state.origin.now()),
    }
    done
}

#[derive(Clone, Copy)]
struct InboundSource<'a> {
    from: &'a str,
    to: &'a str,
    /// Id of a call.
    call: Option<&'a str>,
    /// Id of a text.
    text: Option<&'a str>,
    /// Body of a text.
    words: Option<&'a str>,
}

/// The business of the number that was called or written to.
async fn find_org(state: &AppState, posted: &SignedForm, came: InboundSource<'_>) -> ApiResult<Option<Org>> {
    let names_service = state.settings.sms.service_sid().is_some_and(|ours| posted.names_service(ours));
    let found = Box::pin(route_to_org(state, came, names_service)).await?;
    if let Some(org) = &found {
        posted.set_org(org.id);
    } else {
        tracing::warn!("Twilio reports something for a number that belongs to no business");
    }
    Ok(found)
}

async fn route_to_org(state: &AppState, came: InboundSource<'_>, names_service: bool) -> ApiResult<Option<Org>> {
    let mut conn = across_tenants(state.db()?.acquire_reader()).await?;
    if let Some(call) = came.call
        && let Some(org) = Box::pin(route::find_business_of_call(&mut conn, call)).await?
    {
        return Ok(Some(org));
    }
    if let Some(text) = came.text
        && let Some(org) = Box::pin(route::find_business_of_text(&mut conn, text)).await?
    {
        return Ok(Some(org));
    }
    let arrived = InboundRoute {
        from: came.from,
        to: came.to,
        now: state.origin.now(),
        service: state.settings.sms.service_sid(),
        names_service,
        words: came.words,
    };
    Ok(Box::pin(route::find_business(&mut conn, &state.settings.secret, arrived)).await?)
}

async fn find_profile(state: &AppState, posted: &SignedForm, came: InboundSource<'_>) -> ApiResult<Option<OrgProfile>> {
    match Box::pin(find_org(state, posted, came)).await? {
        Some(org) => Ok(Some(org::load_profile(&mut state.db()?.acquire_reader().await?, org).await?)),
        None => Ok(None),
    }
}

pub struct TwimlBody(twiml::TwimlResponse);

impl IntoResponse for TwimlBody {
    fn into_response(self) -> Response {
        ([(header::CONTENT_TYPE, HeaderValue::from_static(twiml::CONTENT_TYPE))], self.0.to_xml()).into_response()
    }
}
