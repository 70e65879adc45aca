//! The way in: who knocks at the address of a link, and what it opens.

use axum::{
    extract::{FromRequestParts, OptionalFromRequestParts, RawPathParams, Request},
    http::request::Parts,
};
use shared::{
    domain::{
        intake::lead::Intake,
        tenancy::org::{self, Profile},
    },
    platform::{
        access_link::{self, Kind, Link, Opened},
        db::tenant_scope,
        id::{DEMO_ORG, OrgId},
        throttle,
    },
};

use super::{
    error_page::Refusal,
    words::{Words, of_browser},
};
use crate::{
    auth::OrgMember,
    client_info::Who,
    error::{ApiError, ApiResult},
    state::AppState,
};

/// Looks at links that open nothing, per network and hour: nobody mistypes that often.
const MISSES: i64 = 60;
/// Answers sent in, per link and hour.
const POSTS: i64 = 20;
/// Somebody at the address of a link, with the language of their browser and the token they hold.
pub(super) struct Knock {
    pub state: AppState,
    pub who: Who,
    pub words: &'static Words,
    pub token: String,
}

impl FromRequestParts<AppState> for Knock {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Refusal> {
        let words = of_browser(Some(&parts.headers));
        let Ok(who) = Who::from_request_parts(parts, state).await;
        let named = RawPathParams::from_request_parts(parts, state).await.map_err(|_| Refusal::gone(words))?;
        let token = named.iter().find(|(name, _)| *name == "token").map(|(_, token)| token.to_owned());
        Ok(Self { state: state.clone(), who, words, token: token.unwrap_or_default() })
    }
}

impl Knock {
    /// Opens a link of one of these kinds, or says that it opens nothing.
    pub async fn open(&self, kinds: &[Kind]) -> Result<Door, Refusal> {
        open(&self.state, &self.who, self.words, &self.token, kinds).await
    }

    /// A failure as a page in their language.
    pub fn failed(&self, error: ApiError) -> Refusal {
        Refusal::of(error, self.words)
    }
}

/// A link that opened, with everything about the business behind it.
pub(super) struct Door {
    pub link: Link,
    pub profile: Profile,
}

impl Door {
    pub fn house<'a>(&'a self, state: &'a AppState) -> Intake<'a> {
        state.intake(&self.profile)
    }

    pub fn org(&self) -> OrgId {
        self.profile.org.id
    }
}

/// Opens a link of one of these kinds, or says that it opens nothing.
pub(super) async fn open(
    state: &AppState,
    who: &Who,
    words: &'static Words,
    token: &str,
    kinds: &[Kind],
) -> Result<Door, Refusal> {
    let failed = |e: ApiError| Refusal::of(e, words);
    if let Some(door) = find(state, token, kinds).await.map_err(failed)? {
        return Ok(door);
    }
    count_miss(state, who).await.map_err(failed)?;
    Err(Refusal::gone(words))
}

async fn find(state: &AppState, token: &str, kinds: &[Kind]) -> ApiResult<Option<Door>> {
    let now = state.origin.now();
    let mut conn = state.db()?.read().await?;
    // An expired estimate says so itself; its link ends long after nothing more could come of it.
    let Opened::Here(link) = access_link::open(&mut conn, &state.settings.secret, now, token, kinds).await? else {
        return Ok(None);
    };
    tenant_scope::is_for(link.org_id);
    let Some(org) = org::find(&mut conn, link.org_id).await? else { return Ok(None) };
    let profile = org::profile(&mut conn, org).await?;
    Ok(Some(Door { link, profile }))
}

async fn count_miss(state: &AppState, who: &Who) -> ApiResult<()> {
    if who.is_exempt {
        return Ok(());
    }
    let mut tx = state.db()?.begin().await?;
    let counted =
        throttle::count_by_network(&mut tx, &state.origin, &state.settings.secret, "page", who.ip, MISSES).await;
    tx.commit().await?;
    Ok(counted?)
}

/// Counts an answer before it is taken.
pub(super) async fn count_post(state: &AppState, link: &Link) -> ApiResult<()> {
    let mut tx = state.db()?.begin().await?;
    let place = link.id.to_string();
    let counted = throttle::count(&mut tx, &state.origin, &state.settings.secret, "page post", &place, POSTS).await;
    tx.commit().await?;
    Ok(counted?)
}

/// Whether somebody of the business itself asks. Whoever looks at the demonstration is not counted either.
pub(super) async fn is_own(state: &AppState, door: &Door, request: Request) -> ApiResult<bool> {
    if door.org() == DEMO_ORG {
        return Ok(true);
    }
    let (mut parts, _) = request.into_parts();
    // Whoever looks may be of another business: this page is not theirs for that.
    let looked = <OrgMember as OptionalFromRequestParts<AppState>>::from_request_parts(&mut parts, state);
    let member = tenant_scope::unknown_yet(looked).await?;
    Ok(member.is_some_and(|member| member.org() == door.org()))
}
