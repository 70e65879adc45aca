//! Extractor types for the caller (session cookie or API key): a handler's signature states who may call it. A request
//! for the demonstration is its viewer's, even with a session (`crate::demo`).

use axum::{
    extract::{FromRequestParts, OptionalFromRequestParts},
    http::{HeaderMap, HeaderValue, header, request::Parts},
};
use chrono::{DateTime, Utc};
use shared::{
    domain::tenancy::{
        account::Role,
        security::{Principal, device},
        session::{self, Session},
    },
    ops::subscription,
    platform::{
        db::{Tx, tenant_scope},
        id::{AccountId, ApiKeyId, DEMO_ORG, OrgId},
    },
};

use crate::{
    api_key_auth, demo,
    enumeration_guard::RequestCaller,
    error::{ApiError, ApiResult, ErrorCode},
    state::AppState,
    subscription_guard,
};

/// Signed-in person of any role.
#[derive(Clone, Debug)]
pub struct OrgMember {
    pub session: Session,
    /// Session token, needed to end the session.
    pub token: String,
    /// API key, when a program acts for the person.
    pub key: Option<ApiKeyId>,
    /// False for an API key without `messages:read`: other areas then leave out the words of messages.
    pub can_read_messages: bool,
    /// False for an API key without `customers:read`: a lead then leaves out the records of other customers.
    pub can_read_customers: bool,
}

/// Owner or office.
#[derive(Clone, Debug)]
pub struct OrgOffice(pub OrgMember);

#[derive(Clone, Debug)]
pub struct OrgOwner(pub OrgMember);

/// Owner, or operator of the install, who manages all its businesses.
#[derive(Clone, Debug)]
pub struct OwnerOrOperator {
    pub member: OrgMember,
    pub is_operator: bool,
}

impl OwnerOrOperator {
    /// Takes a connection; for an operator one that shows all businesses.
    pub async fn with_caller_scope<T>(&self, taken: impl Future<Output = T>) -> T {
        if self.is_operator { tenant_scope::across_tenants(taken).await } else { taken.await }
    }
}

/// Caller who proved their identity recently: required for what a stolen phone or cookie must not allow.
#[derive(Clone, Debug)]
pub struct RecentlyVerified<T>(pub T);

pub trait SignedIn {
    fn member(&self) -> &OrgMember;
}

impl SignedIn for OrgMember {
    fn member(&self) -> &OrgMember {
        self
    }
}

impl SignedIn for OrgOffice {
    fn member(&self) -> &OrgMember {
        &self.0
    }
}

impl SignedIn for OrgOwner {
    fn member(&self) -> &OrgMember {
        &self.0
    }
}

/// Caller of a handler that looks at no session.
#[derive(Clone, Copy, Debug)]
pub struct Visitor;

impl OrgMember {
    #[must_use]
    pub fn org(&self) -> OrgId {
        self.session.org_id
    }

    #[must_use]
    pub fn account(&self) -> AccountId {
        self.session.account_id
    }

    #[must_use]
    pub fn is_demo(&self) -> bool {
        self.org() == DEMO_ORG
    }

    /// For data of the install, not of a business. Errors: 404 for the demonstration's viewer.
    pub fn reject_demo(self) -> ApiResult<Self> {
        if self.is_demo() {
            return Err(ApiError::new(ErrorCode::NotFound, "The demonstration shows nothing of this install."));
        }
        Ok(self)
    }

    /// For what a stolen phone or cookie must not allow. Errors: 403 `reauthentication_needed` without a recent proof
    /// of identity.
    pub fn require_fresh(&self, now: DateTime<Utc>) -> ApiResult<()> {
        // A program cannot prove its identity again.
        if self.key.is_none() && self.session.is_recently_authenticated(now) {
            return Ok(());
        }
        Err(ApiError::new(ErrorCode::ReauthenticationNeeded, "Please type your password once more."))
    }

    /// Must run first in a transaction that creates something that outlives the session, such as a key or an
    /// invitation. The caller was checked before the transaction began; since then they may have been signed out or
    /// lost ownership (trust requirement 55). Errors: 401 when the session is gone or the person's rights changed.
    pub async fn require_live_session(&self, tx: &mut Tx, state: &AppState) -> ApiResult<()> {
        let live_session = session::lock_by_token(tx, state.origin.now(), self.org(), &self.token).await?;
        if live_session.is_some_and(|session| session.role == self.session.role) {
            return Ok(());
        }
        Err(ApiError::new(ErrorCode::Unauthenticated, "Please sign in."))
    }

    fn require_role(self, roles: &[Role]) -> ApiResult<Self> {
        if roles.contains(&self.session.role) {
            return Ok(self);
        }
        Err(ApiError::new(ErrorCode::Forbidden, "Your role does not allow this. Ask the owner of the business."))
    }
}

/// Cookie name. With the `__Host-` prefix browsers accept the cookie only from exactly this host over https.
#[must_use]
pub fn cookie_name(is_https: bool) -> &'static str {
    if is_https { "__Host-sid" } else { "sid" }
}

/// Name of the cookie that recognizes a browser after sign-out.
#[must_use]
pub fn device_cookie_name(is_https: bool) -> &'static str {
    if is_https { "__Host-did" } else { "did" }
}

/// `Set-Cookie` value that recognizes a browser. It grants no access.
pub fn set_device_cookie(is_https: bool, token: &str) -> ApiResult<HeaderValue> {
    let secure = if is_https { "; Secure" } else { "" };
    let name = device_cookie_name(is_https);
    let age = device::KEPT.num_seconds();
    let text = format!("{name}={token}; Path=/; HttpOnly; SameSite=Lax; Max-Age={age}{secure}");
    HeaderValue::from_str(&text).map_err(|e| ApiError::internal(format!("cookie: {e}")))
}

#[must_use]
pub fn cookie_token<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
    cookies.flat_map(|line| line.split(';')).find_map(|pair| {
        let (key, value) = pair.trim().split_once('=')?;
        (key == name && !value.is_empty()).then_some(value)
    })
}

/// `Set-Cookie` value of the session; without a token it removes the cookie.
pub fn set_cookie(is_https: bool, token: Option<&str>) -> ApiResult<HeaderValue> {
    let age = if token.is_some() { session::ABSOLUTE.num_seconds() } else { 0 };
    let secure = if is_https { "; Secure" } else { "" };
    let text = format!(
        "{}={}; Path=/; HttpOnly; SameSite=Lax; Max-Age={age}{secure}",
        cookie_name(is_https),
        token.unwrap_or_default()
    );
    HeaderValue::from_str(&text).map_err(|e| ApiError::internal(format!("cookie: {e}")))
}

impl FromRequestParts<AppState> for OrgMember {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> ApiResult<Self> {
        find_member(parts, state).await?.ok_or_else(|| ApiError::new(ErrorCode::Unauthenticated, "Please sign in."))
    }
}

impl OptionalFromRequestParts<AppState> for OrgMember {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> ApiResult<Option<Self>> {
        find_member(parts, state).await
    }
}

/// The caller found scopes the rest of the request to their business: the database shows no other rows.
async fn find_member(parts: &mut Parts, state: &AppState) -> ApiResult<Option<OrgMember>> {
    if demo::is_demo_request(&parts.method, &parts.headers, &parts.uri) {
        let viewer = demo::load_demo_viewer(state).await?;
        tenant_scope::set_tenant(viewer.org());
        return Ok(Some(viewer));
    }
    // A cookie beside an API key is ignored.
    let found = match api_key_auth::bearer_token(&parts.headers).map(ToOwned::to_owned) {
        Some(key) => Some(api_key_auth::authenticate_member(parts, state, &key).await?),
        None => find_by_cookie(parts, state).await?,
    };
    let Some(member) = found else { return Ok(None) };
    tenant_scope::set_tenant(member.org());
    if let Some(caller) = parts.extensions.get::<RequestCaller>() {
        let session = &member.session;
        caller.set_principal(|| Principal {
            org: session.org_id,
            account: session.account_id,
            email: session.email.clone(),
        });
    }
    if subscription_guard::needs_subscription(&parts.method, &parts.uri) {
        let mut conn = state.db()?.acquire_reader().await?;
        if subscription::is_read_only(&mut conn, member.org(), state.origin.now()).await? {
            return Err(ApiError::subscription_ended());
        }
    }
    Ok(Some(member))
}

async fn find_by_cookie(parts: &Parts, state: &AppState) -> ApiResult<Option<OrgMember>> {
    let name = cookie_name(state.settings.public_url.is_https());
    let Some(token) = cookie_token(&parts.headers, name) else { return Ok(None) };
    let db = state.db()?;
    let now = state.origin.now();
    let found = session::find_by_token(&mut db.acquire_reader().await?, now, token).await?;
    let Some(session) = found else { return Ok(None) };
    if session.is_last_seen_stale(now) {
        let mut tx = db.begin().await?;
        session::record_activity(&mut tx, now, token).await?;
        tx.commit().await?;
    }
    Ok(Some(OrgMember {
        session,
        token: token.to_owned(),
        key: None,
        can_read_messages: true,
        can_read_customers: true,
    }))
}

impl FromRequestParts<AppState> for OrgOffice {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> ApiResult<Self> {
        let member = <OrgMember as FromRequestParts<AppState>>::from_request_parts(parts, state).await?;
        member.require_role(&[Role::Owner, Role::Office]).map(Self)
    }
}

impl FromRequestParts<AppState> for OrgOwner {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> ApiResult<Self> {
        let member = <OrgMember as FromRequestParts<AppState>>::from_request_parts(parts, state).await?;
        member.require_role(&[Role::Owner]).map(Self)
    }
}

impl FromRequestParts<AppState> for OwnerOrOperator {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> ApiResult<Self> {
        let member = <OrgMember as FromRequestParts<AppState>>::from_request_parts(parts, state).await?;
        let is_operator = state.is_operator(&member.session);
        let member = if is_operator { member } else { member.require_role(&[Role::Owner])? };
        Ok(Self { member, is_operator })
    }
}

impl<T> FromRequestParts<AppState> for RecentlyVerified<T>
where
    T: FromRequestParts<AppState, Rejection = ApiError> + SignedIn + Send,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> ApiResult<Self> {
        let one = T::from_request_parts(parts, state).await?;
        one.member().require_fresh(state.origin.now())?;
        Ok(Self(one))
    }
}

impl FromRequestParts<AppState> for Visitor {
    type Rejection = ApiError;

    async fn from_request_parts(_: &mut Parts, _: &AppState) -> ApiResult<Self> {
        Ok(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn session_token_is_found_among_other_cookies() {
        let mut headers = HeaderMap::new();
        headers.append(header::COOKIE, HeaderValue::from_static("a=b; xsid=no"));
        headers.append(header::COOKIE, HeaderValue::from_static("theme=dark; sid=abc"));
        assert_eq!(cookie_token(&headers, "sid"), Some("abc"));
        assert_eq!(cookie_token(&headers, "__Host-sid"), None);
    }

    #[test]
    fn session_cookie_over_https_has_the_host_prefix_and_secure() {
        let set = set_cookie(true, Some("t")).unwrap();
        let text = set.to_str().unwrap();
        assert!(
            text.starts_with("__Host-sid=t; Path=/; HttpOnly; SameSite=Lax") && text.ends_with("; Secure"),
            "{text}"
        );
        assert!(set_cookie(false, None).unwrap().to_str().unwrap().starts_with("sid=; "));
    }
}
