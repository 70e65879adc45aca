//! The calendar of a crew, for phones that subscribe to it: open to whoever has its address.

use axum::{
    extract::{Path, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::Serialize;
use sha2::{Digest, Sha256};
use shared::{
    domain::{
        tenancy::audit::{self, Action},
        work::{
            crew::{self, feed},
            job::Sight,
        },
    },
    platform::{
        access_link::{self, Kind, Opened},
        db::tenant_scope,
        id::{CrewId, DEMO_ORG},
        throttle,
    },
};
use utoipa::ToSchema;

use crate::{
    auth::{Fresh, OrgMember},
    client_info::Who,
    error::{ApiError, ApiResult},
    extract::Id,
    openapi,
    state::AppState,
};

/// Looks at addresses that open nothing, per network and hour.
const MISSES: i64 = 60;

/// Where a crew's calendar is.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CrewFeed {
    feed_url: String,
}

/// A new address for a crew's calendar
///
/// The one before opens nothing from now on. Somebody of a crew renews that of a crew they belong to.
#[utoipa::path(post, path = "/api/crews/{crewId}/feed", operation_id = "rotateCrewFeed", tag = "crews",
    security(("session" = ["owner", "office", "crew"])),
    params(("crewId" = uuid::Uuid, Path, description = "The crew")),
    responses((status = 200, description = "The address", body = CrewFeed),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn rotate_crew_feed(
    Fresh(member): Fresh<OrgMember>,
    State(state): State<AppState>,
    who: Who,
    Id(id): Id,
) -> ApiResult<axum::Json<CrewFeed>> {
    let mut tx = state.db()?.begin().await?;
    member.still_in(&mut tx, &state).await?;
    crew::may_see(&mut tx, member.org(), Sight::of(&member.session), CrewId(id)).await?;
    let link = feed::rotate(&mut tx, &state.origin, member.org(), CrewId(id)).await?;
    audit::record(&mut tx, &state.origin, &who.actor(&member), member.org(), Action::CrewFeedRotated, Some(id)).await?;
    tx.commit().await?;
    state.wake();
    let path = access_link::path(&state.settings.secret, link, Kind::CrewFeed);
    Ok(axum::Json(CrewFeed { feed_url: state.settings.public_url.join(&path) }))
}

/// `GET /feeds/crew/{token}.ics`: forged, cut off and taken back addresses all get the same answer.
pub async fn crew_calendar(
    State(state): State<AppState>,
    who: Who,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let Some(text) = find(&state, &name).await? else {
        count_miss(&state, &who).await?;
        return Err(ApiError::not_found());
    };
    let tag = tag(&text);
    let kept = [
        (header::ETAG, tag.clone()),
        (header::CACHE_CONTROL, "private, no-cache".to_owned()),
        (header::CONTENT_TYPE, "text/calendar; charset=utf-8".to_owned()),
    ];
    if is_known(&headers, &tag) {
        let [etag, cache, _] = kept;
        return Ok((StatusCode::NOT_MODIFIED, [etag, cache]).into_response());
    }
    Ok((kept, text).into_response())
}

async fn find(state: &AppState, name: &str) -> ApiResult<Option<String>> {
    let Some(token) = name.strip_suffix(".ics") else { return Ok(None) };
    let now = state.origin.now();
    let mut conn = state.db()?.read().await?;
    let opened = access_link::open(&mut conn, &state.settings.secret, now, token, &[Kind::CrewFeed]).await?;
    let Opened::Here(link) = opened else { return Ok(None) };
    tenant_scope::is_for(link.org_id);
    let whose = (link.org_id, CrewId(link.subject_id));
    let text = feed::calendar(&mut conn, &state.settings.public_url, whose, now).await?;
    drop(conn);
    if link.first_seen_at.is_none() && link.org_id != DEMO_ORG {
        // Once: phones come back every quarter of an hour. In the demonstration reading leaves no trace.
        let mut tx = state.db()?.begin().await?;
        access_link::note_seen(&mut tx, now, &link).await?;
        tx.commit().await?;
    }
    Ok(Some(text))
}

async fn count_miss(state: &AppState, who: &Who) -> ApiResult<()> {
    if who.is_exempt {
        return Ok(());
    }
    let mut tx = state.db()?.begin().await?;
    let counted =
        throttle::count_by_network(&mut tx, &state.origin, &state.settings.secret, "feed", who.ip, MISSES).await;
    tx.commit().await?;
    Ok(counted?)
}

/// Changes with every letter of it.
fn tag(text: &str) -> String {
    let hash = Sha256::digest(text.as_bytes());
    let short = hash.iter().take(12).fold(0_u128, |short, byte| (short << 8) | u128::from(*byte));
    format!("\"{short:024x}\"")
}

/// Whether the calendar has this very text already (RFC 9110, 13.1.2).
fn is_known(headers: &HeaderMap, tag: &str) -> bool {
    let named = headers.get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok()).unwrap_or_default();
    named.split(',').map(|one| one.trim().trim_start_matches("W/")).any(|one| one == tag || one == "*")
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn a_calendar_that_is_known_is_not_sent_again() {
        let known = |value: &'static str| {
            is_known(&HeaderMap::from_iter([(header::IF_NONE_MATCH, HeaderValue::from_static(value))]), "\"a1\"")
        };
        assert!(known("\"a1\"") && known("W/\"a1\"") && known("\"b\", \"a1\"") && known("*"));
        assert!(!known("\"a2\"") && !known("a1") && !known("") && !is_known(&HeaderMap::new(), "\"a1\""));
        assert_ne!(tag("one"), tag("two"));
    }
}
