//! Resolution of customer links: the request, its token, and what it opens.

use axum::{
    extract::{FromRequestParts, OptionalFromRequestParts, RawPathParams, Request},
    http::{Method, request::Parts},
};
use shared::{
    domain::tenancy::org::{self, OrgContext, OrgProfile},
    platform::{
        access_link::{self, AccessLink, LinkKind, LinkLookup},
        db::tenant_scope,
        id::{DEMO_ORG, OrgId},
        throttle::{self, WindowLimit},
    },
};

use super::{
    error_page::ErrorPage,
    words::{PageText, text_for_browser},
};
use crate::{
    auth::OrgMember,
    client_info::RequestContext,
    enumeration_guard::RequestCaller,
    error::{ApiError, ApiResult},
    state::AppState,
};

/// Tries at invalid links, per network and hour. Typing mistakes do not reach this.
const MISSES: i64 = 60;
/// Answers per link and hour.
const POSTS: WindowLimit = WindowLimit::per_hour(20);
/// Request at a customer link: browser language and token.
pub(super) struct LinkVisitor {
    pub state: AppState,
    pub who: RequestContext,
    pub words: &'static PageText,
    pub token: String,
}

impl FromRequestParts<AppState> for LinkVisitor {
    type Rejection = ErrorPage;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ErrorPage> {
        let words = text_for_browser(Some(&parts.headers));
        let Ok(who) = RequestContext::from_request_parts(parts, state).await;
        let named =
            RawPathParams::from_request_parts(parts, state).await.map_err(|_| ErrorPage::invalid_link(words))?;
        let token = named.iter().find(|(name, _)| *name == "token").map(|(_, token)| token.to_owned());
        Ok(Self { state: state.clone(), who, words, token: token.unwrap_or_default() })
    }
}

impl LinkVisitor {
    pub async fn open_session(&self, kinds: &[LinkKind]) -> Result<LinkSession, ErrorPage> {
        open_link(&self.state, &self.who, self.words, &self.token, kinds).await
    }

    pub fn to_error_page(&self, error: ApiError) -> ErrorPage {
        ErrorPage::from_error(error, self.words)
    }
}

/// The business of the signed-in person who opens a link, which may be another than the link's.
pub(super) struct LinkCaller(Option<OrgId>);

impl FromRequestParts<AppState> for LinkCaller {
    type Rejection = ErrorPage;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ErrorPage> {
        let words = text_for_browser(Some(&parts.headers));
        // Who asks is only read: a business that may change nothing is still a caller.
        let mut read = parts.clone();
        read.method = Method::GET;
        // What is not found here is no guess of theirs.
        read.extensions.remove::<RequestCaller>();
        // Their business must not become the scope of this page.
        let looked = <OrgMember as OptionalFromRequestParts<AppState>>::from_request_parts(&mut read, state);
        let member = tenant_scope::with_unresolved_tenant(looked).await.map_err(|e| ErrorPage::from_error(e, words))?;
        Ok(Self(member.map(|member| member.org())))
    }
}

impl LinkCaller {
    /// Whether a member of the business opens its own copy of the link, which was sent to no address.
    pub fn has_office_copy(&self, session: &LinkSession) -> bool {
        self.0 == Some(session.org()) && session.link.sent_to().is_none() && !session.link.is_form_copy()
    }
}

/// A valid link, with the profile of its business.
pub(super) struct LinkSession {
    pub link: AccessLink,
    pub profile: OrgProfile,
}

impl LinkSession {
    pub fn org_context<'a>(&'a self, state: &'a AppState) -> OrgContext<'a> {
        state.org_context(&self.profile)
    }

    pub fn org(&self) -> OrgId {
        self.profile.org.id
    }
}

pub(super) async fn open_link(
    state: &AppState,
    who: &RequestContext,
    words: &'static PageText,
    token: &str,
    kinds: &[LinkKind],
) -> Result<LinkSession, ErrorPage> {
    let failed = |e: ApiError| ErrorPage::from_error(e, words);
    if let Some(session) = find_session(state, token, kinds).await.map_err(failed)? {
        return Ok(session);
    }
    count_miss(state, who).await.map_err(failed)?;
    Err(ErrorPage::invalid_link(words))
}

async fn find_session(state: &AppState, token: &str, kinds: &[LinkKind]) -> ApiResult<Option<LinkSession>> {
    let now = state.origin.now();
    let mut conn = state.db()?.acquire_reader().await?;
    // An expired estimate shows that itself; its link outlives every effect of an answer.
    let LinkLookup::Active(link) =
        access_link::resolve_token(&mut conn, &state.settings.secret, now, token, kinds).await?
    else {
        return Ok(None);
    };
    tenant_scope::set_tenant(link.org_id);
    let Some(org) = org::find(&mut conn, link.org_id).await? else { return Ok(None) };
    let profile = org::load_profile(&mut conn, org).await?;
    Ok(Some(LinkSession { link, profile }))
}

async fn count_miss(state: &AppState, who: &RequestContext) -> ApiResult<()> {
    if who.is_exempt {
        return Ok(());
    }
    let mut tx = state.db()?.begin().await?;
    let counted =
        throttle::count_by_network(&mut tx, &state.origin, &state.settings.secret, "page", who.ip, MISSES).await;
    tx.commit().await?;
    Ok(counted?)
}

pub(super) async fn count_answer(state: &AppState, link: &AccessLink) -> ApiResult<()> {
    let mut tx = state.db()?.begin().await?;
    let place = link.id.to_string();
    let counted =
        throttle::count_action(&mut tx, &state.origin, &state.settings.secret, "page post", &place, POSTS).await;
    tx.commit().await?;
    Ok(counted?)
}

/// Whether a member of the business asks. Views of the demonstration are not counted either.
pub(super) async fn is_own_business(state: &AppState, session: &LinkSession, request: Request) -> ApiResult<bool> {
    if session.org() == DEMO_ORG {
        return Ok(true);
    }
    let (mut parts, _) = request.into_parts();
    // The caller may belong to another business, which must not become the scope of this page.
    let looked = <OrgMember as OptionalFromRequestParts<AppState>>::from_request_parts(&mut parts, state);
    let member = tenant_scope::with_unresolved_tenant(looked).await?;
    Ok(member.is_some_and(|member| member.org() == session.org()))
}
