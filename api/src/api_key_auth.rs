//! API key authentication on the routes that are open to keys, with a rate limit per key.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use axum::{
    extract::{FromRequestParts, MatchedPath},
    http::{HeaderMap, header, request::Parts},
};
use chrono::{DateTime, Duration, Utc};
use shared::{
    domain::tenancy::{
        api_key::{self, ApiScope},
        audit::{self, AuditAction},
    },
    platform::{
        db::Tx,
        id::{ApiKeyId, OrgId},
        throttle::{self, WindowLimit},
    },
};
use uuid::Uuid;

use crate::{
    auth::OrgMember,
    client_info::RequestContext,
    error::{ApiError, ApiResult, ErrorCode},
    scopes,
    state::AppState,
};

/// Unknown keys per network and hour. Typing mistakes do not reach this.
const MISSES: i64 = 60;
/// Audit lines about unknown keys per hour, over all networks: keeps them from filling the log of the install.
const NOTED: WindowLimit = WindowLimit::per_hour(100);
/// Requests per key and window, counted per process.
pub const CALLS: u32 = 300;
const WINDOW: Duration = Duration::minutes(1);

#[must_use]
pub fn bearer_token(headers: &HeaderMap) -> Option<&str> {
    let (scheme, key) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| key.trim())
}

/// Result of the key check. A handler may extract the caller more than once; the key is checked and counted once.
#[derive(Clone)]
struct AuthenticatedMember(OrgMember);

/// Member that a key acts for. Errors: 401 for an unknown key, 403 for a route or scope that the key does not open, 429
/// past either limit.
pub async fn authenticate_member(parts: &mut Parts, state: &AppState, key: &str) -> ApiResult<OrgMember> {
    if let Some(AuthenticatedMember(member)) = parts.extensions.get::<AuthenticatedMember>() {
        return Ok(member.clone());
    }
    let member = find_member(parts, state, key).await?;
    parts.extensions.insert(AuthenticatedMember(member.clone()));
    Ok(member)
}

async fn find_member(parts: &mut Parts, state: &AppState, key: &str) -> ApiResult<OrgMember> {
    let db = state.db()?;
    let found = api_key::find_active_key(&mut db.acquire_reader().await?, key).await?;
    let Some(bearer) = found else {
        count_miss(parts, state).await?;
        return Err(ApiError::new(ErrorCode::Unauthenticated, "This key opens nothing. It may have been taken away."));
    };
    let now = state.origin.now();
    state.pace.count_call(bearer.id, now)?;
    let path = parts.extensions.get::<MatchedPath>().map(MatchedPath::as_str).unwrap_or_default();
    let wanted = scopes::scope_of_route(&parts.method, path)
        .ok_or_else(|| ApiError::new(ErrorCode::Forbidden, "No key opens this. Please sign in."))?;
    if !bearer.has_scope(wanted) {
        let words = format!("This key does not open this: it lacks {}.", wanted.name());
        return Err(ApiError::new(ErrorCode::Forbidden, words));
    }
    if bearer.is_last_used_stale(now) {
        let mut tx = db.begin().await?;
        api_key::record_use(&mut tx, now, &bearer).await?;
        tx.commit().await?;
    }
    let can_read_messages = bearer.has_scope(ApiScope::MessagesRead);
    let can_read_customers = bearer.has_scope(ApiScope::CustomersRead);
    let (token, key) = (String::new(), Some(bearer.id));
    Ok(OrgMember { session: bearer.session, token, key, can_read_messages, can_read_customers })
}

async fn count_miss(parts: &mut Parts, state: &AppState) -> ApiResult<()> {
    let Ok(who) = RequestContext::from_request_parts(parts, state).await;
    if who.is_exempt {
        return Ok(());
    }
    let mut tx = state.db()?.begin().await?;
    let (origin, secret) = (&state.origin, &state.settings.secret);
    let counted = throttle::count_by_network(&mut tx, origin, secret, "api key", who.ip, MISSES).await;
    record_miss(&mut tx, state, &who, &throttle::network_key(who.ip)).await?;
    tx.commit().await?;
    Ok(counted?)
}

/// Records unknown keys from a network: at most once an hour, under no business.
async fn record_miss(tx: &mut Tx, state: &AppState, who: &RequestContext, place: &str) -> ApiResult<()> {
    let (origin, secret) = (&state.origin, &state.settings.secret);
    let is_first =
        throttle::try_count_action(tx, origin, secret, "api key noted", place, WindowLimit::per_hour(1)).await?;
    if is_first && throttle::try_count_action(tx, origin, secret, "api keys noted", "all", NOTED).await? {
        audit::record(tx, origin, &who.anonymous_actor(), OrgId(Uuid::nil()), AuditAction::ApiKeyRefused, None).await?;
    }
    Ok(())
}

/// Requests per key in the current minute. In memory: a write per request would be the load that the limit prevents.
#[derive(Debug, Default)]
pub struct ApiKeyRateLimiter(Mutex<HashMap<ApiKeyId, (DateTime<Utc>, u32)>>);

impl ApiKeyRateLimiter {
    /// Errors: 429 past the limit, with the rest of the minute as `Retry-After`.
    fn count_call(&self, key: ApiKeyId, now: DateTime<Utc>) -> ApiResult<()> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (began, calls) = all.entry(key).or_insert((now, 0));
        if now - *began >= WINDOW {
            (*began, *calls) = (now, 0);
        }
        *calls = calls.saturating_add(1);
        if *calls <= CALLS {
            return Ok(());
        }
        let left = *began + WINDOW - now;
        // Rounded up: a client that waits this long must not be refused again.
        Err(ApiError::too_many_requests((left.num_milliseconds() + 999) / 1000))
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn carried(value: &'static str) -> Option<String> {
        let headers = HeaderMap::from_iter([(header::AUTHORIZATION, HeaderValue::from_static(value))]);
        bearer_token(&headers).map(ToOwned::to_owned)
    }

    #[test]
    fn api_key_is_read_from_the_bearer_scheme_only() {
        assert_eq!(carried("Bearer tbk_x").as_deref(), Some("tbk_x"));
        assert_eq!(carried("bearer  tbk_x ").as_deref(), Some("tbk_x"));
        for other in ["Basic dGJrX3g=", "tbk_x", "Bearer", "Bearertbk_x"] {
            assert_eq!(carried(other), None, "{other}");
        }
        assert_eq!(bearer_token(&HeaderMap::new()), None);
    }

    #[test]
    fn api_key_has_its_own_rate_limit_with_retry_after() {
        let (pace, now) = (ApiKeyRateLimiter::default(), DateTime::UNIX_EPOCH + Duration::days(20_000));
        let [one, other] = [1, 2].map(|n| ApiKeyId(Uuid::from_u128(n)));
        for _ in 0..CALLS {
            pace.count_call(one, now).unwrap();
        }
        let late = now + Duration::milliseconds(40_500);
        assert_eq!(pace.count_call(one, late).unwrap_err().retry_after, Some(20));
        pace.count_call(other, late).unwrap();
        pace.count_call(one, now + WINDOW).unwrap();
    }
}
