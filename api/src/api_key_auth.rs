//! Programs at the door: a key instead of a session, for the routes that are open to it, at a pace.

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
        api_key,
        audit::{self, Action},
    },
    platform::{
        db::Tx,
        id::{ApiKeyId, OrgId},
        throttle,
    },
};
use uuid::Uuid;

use crate::{
    auth::OrgMember,
    client_info::Who,
    error::{ApiError, ApiResult, ErrorCode},
    scopes,
    state::AppState,
};

/// Keys that are nobody's, per network and hour: nobody mistypes that often.
const MISSES: i64 = 60;
/// Lines about them in the log of the install, per hour, whatever the networks: one for each network is enough, and nobody
/// fills the log.
const NOTED: i64 = 100;
/// What one key may ask of one process.
pub const CALLS: u32 = 300;
const WINDOW: Duration = Duration::minutes(1);

/// The key that a request carries, if it carries one.
#[must_use]
pub fn of(headers: &HeaderMap) -> Option<&str> {
    let (scheme, key) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| key.trim())
}

/// Who was found behind the key of this request: a handler may name them in more than one of its arguments, and they are
/// asked for and counted once.
#[derive(Clone)]
struct Found(OrgMember);

/// Whoever a key stands for, on a route that is open to it.
///
/// # Errors
/// 401 for a key that is nobody's, 403 for a route or a scope it does not open, 429 for too many of either.
pub async fn member(parts: &mut Parts, state: &AppState, key: &str) -> ApiResult<OrgMember> {
    if let Some(Found(member)) = parts.extensions.get::<Found>() {
        return Ok(member.clone());
    }
    let member = find(parts, state, key).await?;
    parts.extensions.insert(Found(member.clone()));
    Ok(member)
}

async fn find(parts: &mut Parts, state: &AppState, key: &str) -> ApiResult<OrgMember> {
    let db = state.db()?;
    let found = api_key::find(&mut db.read().await?, key).await?;
    let Some(bearer) = found else {
        count_miss(parts, state).await?;
        return Err(ApiError::new(ErrorCode::Unauthenticated, "This key opens nothing. It may have been taken away."));
    };
    let now = state.origin.now();
    state.pace.count(bearer.id, now)?;
    let path = parts.extensions.get::<MatchedPath>().map(MatchedPath::as_str).unwrap_or_default();
    let wanted = scopes::of_route(&parts.method, path)
        .ok_or_else(|| ApiError::new(ErrorCode::Forbidden, "No key opens this. Please sign in."))?;
    if !bearer.may(wanted) {
        let words = format!("This key does not open this: it lacks {}.", wanted.name());
        return Err(ApiError::new(ErrorCode::Forbidden, words));
    }
    if bearer.is_used_stale(now) {
        let mut tx = db.begin().await?;
        api_key::touch(&mut tx, now, &bearer).await?;
        tx.commit().await?;
    }
    Ok(OrgMember { session: bearer.session, token: String::new(), key: Some(bearer.id) })
}

async fn count_miss(parts: &mut Parts, state: &AppState) -> ApiResult<()> {
    let Ok(who) = Who::from_request_parts(parts, state).await;
    if who.is_exempt {
        return Ok(());
    }
    let mut tx = state.db()?.begin().await?;
    let (origin, secret) = (&state.origin, &state.settings.secret);
    let counted = throttle::count_by_network(&mut tx, origin, secret, "api key", who.ip, MISSES).await;
    note_miss(&mut tx, state, &who, &throttle::network(who.ip)).await?;
    tx.commit().await?;
    Ok(counted?)
}

/// Writes down that keys which open nothing come from a network: once within the hour, under no business.
async fn note_miss(tx: &mut Tx, state: &AppState, who: &Who, place: &str) -> ApiResult<()> {
    let (origin, secret) = (&state.origin, &state.settings.secret);
    let is_first = throttle::is_within(tx, origin, secret, "api key noted", place, 1).await?;
    if is_first && throttle::is_within(tx, origin, secret, "api keys noted", "all", NOTED).await? {
        audit::record(tx, origin, &who.visitor(), OrgId(Uuid::nil()), Action::ApiKeyRefused, None).await?;
    }
    Ok(())
}

/// What each key has asked in its present minute. Held in memory: a limit that costs a write would be the load that it
/// is to prevent.
#[derive(Debug, Default)]
pub struct Pace(Mutex<HashMap<ApiKeyId, (DateTime<Utc>, u32)>>);

impl Pace {
    /// # Errors
    /// 429 past the limit, with the rest of the minute to wait.
    fn count(&self, key: ApiKeyId, now: DateTime<Utc>) -> ApiResult<()> {
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
        // Rounded up: a client that waits as told must find the door open.
        Err(ApiError::too_many((left.num_milliseconds() + 999) / 1000))
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn carried(value: &'static str) -> Option<String> {
        let headers = HeaderMap::from_iter([(header::AUTHORIZATION, HeaderValue::from_static(value))]);
        of(&headers).map(ToOwned::to_owned)
    }

    #[test]
    fn only_the_bearer_scheme_carries_a_key() {
        assert_eq!(carried("Bearer tbk_x").as_deref(), Some("tbk_x"));
        assert_eq!(carried("bearer  tbk_x ").as_deref(), Some("tbk_x"));
        for other in ["Basic dGJrX3g=", "tbk_x", "Bearer", "Bearertbk_x"] {
            assert_eq!(carried(other), None, "{other}");
        }
        assert_eq!(of(&HeaderMap::new()), None);
    }

    #[test]
    fn a_key_has_its_own_minute_and_is_told_how_long_to_wait() {
        let (pace, now) = (Pace::default(), DateTime::UNIX_EPOCH + Duration::days(20_000));
        let [one, other] = [1, 2].map(|n| ApiKeyId(Uuid::from_u128(n)));
        for _ in 0..CALLS {
            pace.count(one, now).unwrap();
        }
        let late = now + Duration::milliseconds(40_500);
        assert_eq!(pace.count(one, late).unwrap_err().retry_after, Some(20));
        pace.count(other, late).unwrap();
        pace.count(one, now + WINDOW).unwrap();
    }
}
