//! Calendar feed of a crew, open to anyone with its address.

use axum::{
    extract::{Path, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::Serialize;
use sha2::{Digest, Sha256};
use shared::{
    domain::{
        tenancy::audit::{self, AuditAction},
        work::{
            crew::{self, feed},
            job::JobScope,
        },
    },
    platform::{
        access_link::{self, LinkKind, LinkLookup},
        db::tenant_scope,
        id::{CrewId, DEMO_ORG},
        throttle,
    },
    views::crew_calendar,
};
use utoipa::ToSchema;

use crate::{
    auth::{OrgMember, RecentlyVerified},
    client_info::RequestContext,
    error::{ApiError, ApiResult},
    extract::PathId,
    openapi,
    state::AppState,
};

/// Tries at invalid addresses, per network and hour.
const MISSES: i64 = 60;

/// Where a crew's calendar is.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CrewFeed {
    feed_url: String,
}

/// A new address for a crew's calendar
///
/// The previous address stops working. Crew members can renew the address of their own crews.
#[utoipa::path(post, path = "/api/crews/{crewId}/feed", operation_id = "rotateCrewFeed", tag = "crews",
    security(("session" = ["owner", "office", "crew"])),
    params(("crewId" = uuid::Uuid, Path, description = "The crew")),
    responses((status = 200, description = "The address", body = CrewFeed),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn rotate_crew_feed(
    RecentlyVerified(member): RecentlyVerified<OrgMember>,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
) -> ApiResult<axum::Json<CrewFeed>> {
    let mut tx = state.db()?.begin().await?;
    member.require_live_session(&mut tx, &state).await?;
    crew::check_visible(&mut tx, member.org(), JobScope::from_session(&member.session), CrewId(id)).await?;
    let link = feed::rotate_feed_link(&mut tx, &state.origin, member.org(), CrewId(id)).await?;
    audit::record(
        &mut tx,
        &state.origin,
        &who.actor_for(&member),
        member.org(),
        AuditAction::CrewFeedRotated,
        Some(id),
    )
    .await?;
    tx.commit().await?;
    state.notify_committed();
    let path = access_link::build_path(&state.settings.secret, link, LinkKind::CrewFeed);
    Ok(axum::Json(CrewFeed { feed_url: state.settings.public_url.join(&path) }))
}

/// `GET /feeds/crew/{token}.ics`: forged, truncated and revoked addresses all get the same answer.
pub async fn crew_calendar(
    State(state): State<AppState>,
    who: RequestContext,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let Some(text) = find_calendar(&state, &name).await? else {
        count_miss(&state, &who).await?;
        return Err(ApiError::not_found());
    };
    let tag = etag_of(&text);
    let kept = [
        (header::ETAG, tag.clone()),
        (header::CACHE_CONTROL, "private, no-cache".to_owned()),
        (header::CONTENT_TYPE, "text/calendar; charset=utf-8".to_owned()),
    ];
    if matches_etag(&headers, &tag) {
        let [etag, cache, _] = kept;
        return Ok((StatusCode::NOT_MODIFIED, [etag, cache]).into_response());
    }
    Ok((kept, text).into_response())
}

async fn find_calendar(state: &AppState, name: &str) -> ApiResult<Option<String>> {
    let Some(token) = name.strip_suffix(".ics") else { return Ok(None) };
    let now = state.origin.now();
    let mut conn = state.db()?.acquire_reader().await?;
    let opened =
        access_link::resolve_token(&mut conn, &state.settings.secret, now, token, &[LinkKind::CrewFeed]).await?;
    let LinkLookup::Active(link) = opened else { return Ok(None) };
    tenant_scope::set_tenant(link.org_id);
    let whose = (link.org_id, CrewId(link.subject_id));
    let text = crew_calendar::render_crew_calendar(&mut conn, &state.settings.public_url, whose, now).await?;
    drop(conn);
    if link.first_seen_at.is_none() && link.org_id != DEMO_ORG {
        // First read only: phones poll every quarter of an hour. Reads of the demonstration leave no trace.
        let mut tx = state.db()?.begin().await?;
        access_link::record_view(&mut tx, now, &link).await?;
        tx.commit().await?;
    }
    Ok(Some(text))
}

async fn count_miss(state: &AppState, who: &RequestContext) -> ApiResult<()> {
    if who.is_exempt {
        return Ok(());
    }
    let mut tx = state.db()?.begin().await?;
    let counted =
        throttle::count_by_network(&mut tx, &state.origin, &state.settings.secret, "feed", who.ip, MISSES).await;
    tx.commit().await?;
    Ok(counted?)
}

fn etag_of(text: &str) -> String {
    let hash = Sha256::digest(text.as_bytes());
    let short = hash.iter().take(12).fold(0_u128, |short, byte| (short << 8) | u128::from(*byte));
    format!("\"{short:024x}\"")
}

/// `If-None-Match` (RFC 9110, 13.1.2).
fn matches_etag(headers: &HeaderMap, tag: &str) -> bool {
    let named = headers.get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok()).unwrap_or_default();
    named.split(',').map(|one| one.trim().trim_start_matches("W/")).any(|one| one == tag || one == "*")
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn calendar_with_matching_etag_is_not_resent() {
        let known = |value: &'static str| {
            matches_etag(&HeaderMap::from_iter([(header::IF_NONE_MATCH, HeaderValue::from_static(value))]), "\"a1\"")
        };
        assert!(known("\"a1\"") && known("W/\"a1\"") && known("\"b\", \"a1\"") && known("*"));
        assert!(!known("\"a2\"") && !known("a1") && !known("") && !matches_etag(&HeaderMap::new(), "\"a1\""));
        assert_ne!(etag_of("one"), etag_of("two"));
    }
}
