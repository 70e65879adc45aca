//! Detects enumeration of ids: one answer of 404 is a slip, twenty within an hour are an attack (trust, A3). Counts are
//! in memory; alerts are in the database.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use axum::{
    extract::{FromRequestParts, Request, State},
    http::{StatusCode, Uri},
    middleware::Next,
    response::Response,
};
use chrono::{DateTime, Duration, Utc};
use shared::{
    domain::{
        messaging::security_alert::{self, SecurityAlertContext},
        tenancy::{
            audit::{self, AuditAction, AuditActor},
            security::{MANY_FOREIGN_IDS, Principal},
        },
    },
    platform::{error::Result, id::AccountId},
};
use uuid::Uuid;

use crate::{client_info::RequestContext, state::AppState};

const WINDOW: Duration = Duration::hours(1);
/// Length of an id in a body.
const HYPHENATED: usize = 36;

/// Caller and the ids in the body, set by the extractors that find them and read by the layer.
#[derive(Clone, Debug, Default)]
pub struct RequestCaller(Arc<CallerDetails>);

#[derive(Debug, Default)]
struct CallerDetails {
    seeker: OnceLock<Principal>,
    in_body: OnceLock<Vec<Uuid>>,
}

impl RequestCaller {
    /// The first call counts: a request has one caller.
    pub fn set_principal(&self, seeker: impl FnOnce() -> Principal) {
        self.0.seeker.get_or_init(seeker);
    }

    pub fn record_body_ids(&self, body: &[u8]) {
        let texts = body.split(|byte| *byte == b'"').filter(|text| text.len() == HYPHENATED);
        let ids = texts.filter_map(|text| Uuid::try_parse_ascii(text).ok()).take(MANY_FOREIGN_IDS);
        self.0.in_body.get_or_init(|| ids.collect());
    }
}

fn ids_in_uri(uri: &Uri) -> Vec<Uuid> {
    let in_path = uri.path().split('/').filter_map(|part| part.parse().ok());
    let query = url::form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes());
    let in_query = query
        .flat_map(|(_, value)| value.split(',').filter_map(|part| part.trim().parse().ok()).collect::<Vec<Uuid>>());
    in_path.chain(in_query).take(MANY_FOREIGN_IDS).collect()
}

#[derive(Debug)]
struct MissedLookups {
    since: DateTime<Utc>,
    ids: HashSet<Uuid>,
}

#[derive(Debug, Default)]
pub struct LookupMissTracker(Mutex<HashMap<AccountId, MissedLookups>>);

impl LookupMissTracker {
    /// Notes ids that were not found. True when the limit is reached by these.
    fn record_misses(&self, account: AccountId, ids: &[Uuid], now: DateTime<Utc>) -> bool {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|_, sought| now - sought.since < WINDOW);
        let sought = all.entry(account).or_insert_with(|| MissedLookups { since: now, ids: HashSet::new() });
        let before = sought.ids.len();
        // Ids beyond the limit are not kept.
        sought.ids.extend(ids.iter().take(MANY_FOREIGN_IDS.saturating_sub(before)));
        before < MANY_FOREIGN_IDS && sought.ids.len() >= MANY_FOREIGN_IDS
    }

    /// Forgets a person, so that their next try alerts again.
    fn reset_account(&self, account: AccountId) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&account);
    }
}

/// Layer that looks at 404 answers. The body is read only by its extractor, so a safe request without ids in its
/// address passes through.
pub async fn detect_enumeration(State(state): State<AppState>, mut request: Request, next: Next) -> Response {
    let mut ids = ids_in_uri(request.uri());
    if ids.is_empty() && request.method().is_safe() {
        return next.run(request).await;
    }
    let caller = RequestCaller::default();
    request.extensions_mut().insert(caller.clone());
    let (mut parts, body) = request.into_parts();
    let Ok(who) = RequestContext::from_request_parts(&mut parts, &state).await;
    let response = next.run(Request::from_parts(parts, body)).await;
    ids.extend(caller.0.in_body.get().into_iter().flatten());
    if response.status() == StatusCode::NOT_FOUND
        && !ids.is_empty()
        && let Some(seeker) = caller.0.seeker.get()
        && state.seekers.record_misses(seeker.account, &ids, state.origin.now())
        && let Err(e) = record_enumeration(&state, seeker, &who).await
    {
        tracing::warn!(error = %e, "could not alert about guesses at records of other businesses");
        state.seekers.reset_account(seeker.account);
    }
    response
}

async fn record_enumeration(state: &AppState, seeker: &Principal, who: &RequestContext) -> Result<()> {
    let Some(db) = state.db_if_ready() else { return Ok(()) };
    let (origin, settings) = (&state.origin, &state.settings);
    let operators = Some((&settings.secret, settings.operator_emails()));
    let ctx = SecurityAlertContext { origin, public_url: &settings.public_url, operators };
    let actor = AuditActor { account: Some(seeker.account), ..who.anonymous_actor() };
    let mut tx = db.begin().await?;
    audit::emit_event(&mut tx, origin, &actor, seeker.org, AuditAction::ForeignIdsTried, Some(seeker.account.0));
    security_alert::notify_id_enumeration(&mut tx, &ctx, seeker).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(range: std::ops::Range<u128>) -> Vec<Uuid> {
        range.map(Uuid::from_u128).collect()
    }

    #[test]
    fn ids_are_found_in_path_query_and_body() {
        let [one, two, three] = [1, 2, 3].map(Uuid::from_u128);
        let uri = format!("/api/jobs/{one}?org={two}&ids=x,{three}&q=leak").parse().unwrap();
        assert_eq!(ids_in_uri(&uri), [one, two, three]);
        assert!(ids_in_uri(&Uri::from_static("/api/jobs?limit=5")).is_empty());
        let caller = RequestCaller::default();
        caller.record_body_ids(format!(r#"{{"leadId": "{one}", "crew": ["{two}"], "note": "no {three}"}}"#).as_bytes());
        assert_eq!(caller.0.in_body.get(), Some(&vec![one, two]));
    }

    #[test]
    fn twenty_different_ids_within_an_hour_are_reported_once() {
        let (seekers, who, now) = (LookupMissTracker::default(), AccountId(Uuid::from_u128(1)), DateTime::UNIX_EPOCH);
        for id in ids(0..19) {
            assert!(!seekers.record_misses(who, &[id], now));
            assert!(!seekers.record_misses(who, &[id], now), "the same one again is one");
        }
        assert!(seekers.record_misses(who, &ids(19..20), now));
        assert!(!seekers.record_misses(who, &ids(20..40), now), "once an hour");
        assert!(!seekers.record_misses(AccountId(Uuid::from_u128(2)), &ids(0..19), now), "each for themselves");
        let later = now + WINDOW;
        assert!(!seekers.record_misses(who, &ids(0..19), later));
        assert!(seekers.record_misses(who, &ids(19..20), later));
    }
}
