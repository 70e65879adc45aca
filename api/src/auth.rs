//! Who calls: the session behind the cookie or the key of a program, as extractor types, so that a handler's signature
//! says who may call it. Who looks at the demonstration is its viewer, whatever session they have ([`crate::demo`]).

use axum::{
    extract::{FromRequestParts, OptionalFromRequestParts},
    http::{HeaderMap, HeaderValue, header, request::Parts},
};
use chrono::{DateTime, Utc};
use shared::{
    domain::tenancy::{
        account::Role,
        security::{Seeker, device},
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
    enumeration_guard::Caller,
    error::{ApiError, ApiResult, ErrorCode},
    state::AppState,
    subscription_guard,
};

/// Any signed-in person of an org.
#[derive(Clone, Debug)]
pub struct OrgMember {
    pub session: Session,
    /// The token itself, for ending the session.
    pub token: String,
    /// The key, when it is a program that acts for them.
    pub key: Option<ApiKeyId>,
}

/// The owner, or somebody in the office.
#[derive(Clone, Debug)]
pub struct OrgOffice(pub OrgMember);

/// The owner.
#[derive(Clone, Debug)]
pub struct OrgOwner(pub OrgMember);

/// The owner, or an operator of the install, who looks after all its businesses.
#[derive(Clone, Debug)]
pub struct OwnerOrOperator {
    pub member: OrgMember,
    pub is_operator: bool,
}

impl OwnerOrOperator {
    /// Takes a connection: for an operator one that shows all businesses.
    pub async fn reaching<T>(&self, taken: impl Future<Output = T>) -> T {
        if self.is_operator { tenant_scope::across_businesses(taken).await } else { taken.await }
    }
}

/// Somebody who proved a short while ago who they are: for what a stolen phone or cookie must not do.
#[derive(Clone, Debug)]
pub struct Fresh<T>(pub T);

/// A signed-in person of any role.
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

/// Anybody: a handler that takes this says that it looks at no session.
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

    /// Whether this is the demonstration's viewer: they are nobody, and may be anybody.
    #[must_use]
    pub fn is_demo(&self) -> bool {
        self.org() == DEMO_ORG
    }

    /// For what belongs to the install and not to a business.
    ///
    /// # Errors
    /// 404 for the demonstration's viewer.
    pub fn of_this_install(self) -> ApiResult<Self> {
        if self.is_demo() {
            return Err(ApiError::new(ErrorCode::NotFound, "The demonstration shows nothing of this install."));
        }
        Ok(self)
    }

    /// For what a stolen phone or cookie must not do.
    ///
    /// # Errors
    /// 403 `reauthentication_needed` unless they proved who they are a short while ago.
    pub fn is_fresh(&self, now: DateTime<Utc>) -> ApiResult<()> {
        // A program has nothing to prove itself with.
        if self.key.is_none() && self.session.is_fresh(now) {
            return Ok(());
        }
        Err(ApiError::new(ErrorCode::ReauthenticationNeeded, "Please type your password once more."))
    }

    /// To be the first thing in a transaction that leaves something behind which outlives the session, as a key or an
    /// invitation does. Who asks was looked at before it began: meanwhile they may have been signed out, or own the business
    /// no more (trust requirement 55).
    ///
    /// # Errors
    /// 401 when the session is gone, or its person may do something else by now.
    pub async fn still_in(&self, tx: &mut Tx, state: &AppState) -> ApiResult<()> {
        let stands = session::hold(tx, state.origin.now(), self.org(), &self.token).await?;
        if stands.is_some_and(|session| session.role == self.session.role) {
            return Ok(());
        }
        Err(ApiError::new(ErrorCode::Unauthenticated, "Please sign in."))
    }

    fn allow(self, roles: &[Role]) -> ApiResult<Self> {
        if roles.contains(&self.session.role) {
            return Ok(self);
        }
        Err(ApiError::new(ErrorCode::Forbidden, "Your role does not allow this. Ask the owner of the business."))
    }
}

/// The cookie's name: the prefix makes browsers refuse it from anywhere but this very host over https.
#[must_use]
pub fn cookie_name(is_https: bool) -> &'static str {
    if is_https { "__Host-sid" } else { "sid" }
}

/// The name of the cookie by which a browser is known again after signing out.
#[must_use]
pub fn device_cookie_name(is_https: bool) -> &'static str {
    if is_https { "__Host-did" } else { "did" }
}

/// The header that has a browser keep by what it is known again. It opens nothing.
pub fn set_device_cookie(is_https: bool, token: &str) -> ApiResult<HeaderValue> {
    let secure = if is_https { "; Secure" } else { "" };
    let name = device_cookie_name(is_https);
    let age = device::KEPT.num_seconds();
    let text = format!("{name}={token}; Path=/; HttpOnly; SameSite=Lax; Max-Age={age}{secure}");
    HeaderValue::from_str(&text).map_err(|e| ApiError::internal(format!("cookie: {e}")))
}

/// The session token a request carries.
#[must_use]
pub fn token_of<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
    cookies.flat_map(|line| line.split(';')).find_map(|pair| {
        let (key, value) = pair.trim().split_once('=')?;
        (key == name && !value.is_empty()).then_some(value)
    })
}

/// The header that hands a browser its session, or with none takes it away.
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
        find(parts, state).await?.ok_or_else(|| ApiError::new(ErrorCode::Unauthenticated, "Please sign in."))
    }
}

impl OptionalFromRequestParts<AppState> for OrgMember {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> ApiResult<Option<Self>> {
        find(parts, state).await
    }
}

/// Whoever is found, the rest of the request is for their business, and the database shows no other's rows.
async fn find(parts: &mut Parts, state: &AppState) -> ApiResult<Option<OrgMember>> {
    if demo::is_asked(&parts.method, &parts.headers, &parts.uri) {
        let viewer = demo::viewer(state).await?;
        tenant_scope::is_for(viewer.org());
        return Ok(Some(viewer));
    }
    // A program says what it is; a cookie beside it says nothing more.
    let found = match api_key_auth::of(&parts.headers).map(ToOwned::to_owned) {
        Some(key) => Some(api_key_auth::member(parts, state, &key).await?),
        None => by_cookie(parts, state).await?,
    };
    let Some(member) = found else { return Ok(None) };
    tenant_scope::is_for(member.org());
    if let Some(caller) = parts.extensions.get::<Caller>() {
        let session = &member.session;
        caller.is(|| Seeker { org: session.org_id, account: session.account_id, email: session.email.clone() });
    }
    if subscription_guard::is_asked(&parts.method, &parts.uri) {
        let mut conn = state.db()?.read().await?;
        if subscription::is_read_only(&mut conn, member.org(), state.origin.now()).await? {
            return Err(ApiError::subscription_ended());
        }
    }
    Ok(Some(member))
}

async fn by_cookie(parts: &Parts, state: &AppState) -> ApiResult<Option<OrgMember>> {
    let name = cookie_name(state.settings.public_url.is_https());
    let Some(token) = token_of(&parts.headers, name) else { return Ok(None) };
    let db = state.db()?;
    let now = state.origin.now();
    let found = session::find(&mut db.read().await?, now, token).await?;
    let Some(session) = found else { return Ok(None) };
    if session.is_seen_stale(now) {
        let mut tx = db.begin().await?;
        session::touch(&mut tx, now, token).await?;
        tx.commit().await?;
    }
    Ok(Some(OrgMember { session, token: token.to_owned(), key: None }))
}

impl FromRequestParts<AppState> for OrgOffice {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> ApiResult<Self> {
        let member = <OrgMember as FromRequestParts<AppState>>::from_request_parts(parts, state).await?;
        member.allow(&[Role::Owner, Role::Office]).map(Self)
    }
}

impl FromRequestParts<AppState> for OrgOwner {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> ApiResult<Self> {
        let member = <OrgMember as FromRequestParts<AppState>>::from_request_parts(parts, state).await?;
        member.allow(&[Role::Owner]).map(Self)
    }
}

impl FromRequestParts<AppState> for OwnerOrOperator {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> ApiResult<Self> {
        let member = <OrgMember as FromRequestParts<AppState>>::from_request_parts(parts, state).await?;
        let is_operator = state.is_operator(&member.session);
        let member = if is_operator { member } else { member.allow(&[Role::Owner])? };
        Ok(Self { member, is_operator })
    }
}

impl<T> FromRequestParts<AppState> for Fresh<T>
where
    T: FromRequestParts<AppState, Rejection = ApiError> + SignedIn + Send,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> ApiResult<Self> {
        let one = T::from_request_parts(parts, state).await?;
        one.member().is_fresh(state.origin.now())?;
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
    fn the_token_is_found_among_other_cookies() {
        let mut headers = HeaderMap::new();
        headers.append(header::COOKIE, HeaderValue::from_static("a=b; xsid=no"));
        headers.append(header::COOKIE, HeaderValue::from_static("theme=dark; sid=abc"));
        assert_eq!(token_of(&headers, "sid"), Some("abc"));
        assert_eq!(token_of(&headers, "__Host-sid"), None);
    }

    #[test]
    fn over_https_the_cookie_is_bound_to_this_host() {
        let set = set_cookie(true, Some("t")).unwrap();
        let text = set.to_str().unwrap();
        assert!(
            text.starts_with("__Host-sid=t; Path=/; HttpOnly; SameSite=Lax") && text.ends_with("; Secure"),
            "{text}"
        );
        assert!(set_cookie(false, None).unwrap().to_str().unwrap().starts_with("sid=; "));
    }
}
