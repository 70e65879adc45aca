//! Notes who asks for records that are not theirs or not there: one such answer is a slip, twenty within an hour are
//! somebody who walks through ids (trust, A3). What is counted lives in memory; what is told is in the database.

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
    domain::tenancy::{
        audit::{self, Action, Actor},
        security::{self, MANY_FOREIGN_IDS, Seeker, Told},
    },
    platform::{error::Result, id::AccountId},
};
use uuid::Uuid;

use crate::{client_info::Who, state::AppState};

const WINDOW: Duration = Duration::hours(1);
/// The letters of an id, as bodies have them.
const HYPHENATED: usize = 36;

/// Where whoever finds out who calls, and what the body names, says so, for those who look at the answer.
#[derive(Clone, Debug, Default)]
pub struct Caller(Arc<Known>);

#[derive(Debug, Default)]
struct Known {
    seeker: OnceLock<Seeker>,
    in_body: OnceLock<Vec<Uuid>>,
}

impl Caller {
    /// The first word stands: a request has one caller.
    pub fn is(&self, seeker: impl FnOnce() -> Seeker) {
        self.0.seeker.get_or_init(seeker);
    }

    /// Notes the ids that a JSON body names, wherever they stand in it.
    pub fn sends(&self, body: &[u8]) {
        let texts = body.split(|byte| *byte == b'"').filter(|text| text.len() == HYPHENATED);
        let ids = texts.filter_map(|text| Uuid::try_parse_ascii(text).ok()).take(MANY_FOREIGN_IDS);
        self.0.in_body.get_or_init(|| ids.collect());
    }
}

/// The ids that an address names, in its path and in its query.
fn named(uri: &Uri) -> Vec<Uuid> {
    let in_path = uri.path().split('/').filter_map(|part| part.parse().ok());
    let query = url::form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes());
    let in_query = query
        .flat_map(|(_, value)| value.split(',').filter_map(|part| part.trim().parse().ok()).collect::<Vec<Uuid>>());
    in_path.chain(in_query).take(MANY_FOREIGN_IDS).collect()
}

/// What one person has asked for in vain.
#[derive(Debug)]
struct Sought {
    since: DateTime<Utc>,
    ids: HashSet<Uuid>,
}

/// Everybody who has lately asked for something in vain.
#[derive(Debug, Default)]
pub struct Seekers(Mutex<HashMap<AccountId, Sought>>);

impl Seekers {
    /// Notes ids that were not found. True for the one that makes them too many.
    fn note(&self, account: AccountId, ids: &[Uuid], now: DateTime<Utc>) -> bool {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|_, sought| now - sought.since < WINDOW);
        let sought = all.entry(account).or_insert_with(|| Sought { since: now, ids: HashSet::new() });
        let before = sought.ids.len();
        // More than what is told of is not kept.
        sought.ids.extend(ids.iter().take(MANY_FOREIGN_IDS.saturating_sub(before)));
        before < MANY_FOREIGN_IDS && sought.ids.len() >= MANY_FOREIGN_IDS
    }

    /// Forgets a person, so that their next try is told again.
    fn forget(&self, account: AccountId) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&account);
    }
}

/// The layer: looks at answers that say that there is no such thing. A body is read by whoever takes it, so what cannot
/// have one and names nothing is passed on as it is.
pub async fn guard(State(state): State<AppState>, mut request: Request, next: Next) -> Response {
    let mut ids = named(request.uri());
    if ids.is_empty() && request.method().is_safe() {
        return next.run(request).await;
    }
    let caller = Caller::default();
    request.extensions_mut().insert(caller.clone());
    let (mut parts, body) = request.into_parts();
    let Ok(who) = Who::from_request_parts(&mut parts, &state).await;
    let response = next.run(Request::from_parts(parts, body)).await;
    ids.extend(caller.0.in_body.get().into_iter().flatten());
    if response.status() == StatusCode::NOT_FOUND
        && !ids.is_empty()
        && let Some(seeker) = caller.0.seeker.get()
        && state.seekers.note(seeker.account, &ids, state.origin.now())
        && let Err(e) = tell(&state, seeker, &who).await
    {
        tracing::warn!(error = %e, "could not tell of somebody who looks for other people's records");
        state.seekers.forget(seeker.account);
    }
    response
}

async fn tell(state: &AppState, seeker: &Seeker, who: &Who) -> Result<()> {
    let Some(db) = state.db_if_ready() else { return Ok(()) };
    let (origin, settings) = (&state.origin, &state.settings);
    let told = Told { origin, public_url: &settings.public_url, operators: settings.operators() };
    let actor = Actor { account: Some(seeker.account), ..who.visitor() };
    let mut tx = db.begin().await?;
    audit::note(&mut tx, origin, &actor, seeker.org, Action::ForeignIdsTried, Some(seeker.account.0));
    security::note_foreign_ids(&mut tx, &told, seeker).await?;
    tx.commit().await?;
    state.wake();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(range: std::ops::Range<u128>) -> Vec<Uuid> {
        range.map(Uuid::from_u128).collect()
    }

    #[test]
    fn ids_are_found_wherever_a_request_names_them() {
        let [one, two, three] = [1, 2, 3].map(Uuid::from_u128);
        let uri = format!("/api/jobs/{one}?org={two}&ids=x,{three}&q=leak").parse().unwrap();
        assert_eq!(named(&uri), [one, two, three]);
        assert!(named(&Uri::from_static("/api/jobs?limit=5")).is_empty());
        let caller = Caller::default();
        caller.sends(format!(r#"{{"leadId": "{one}", "crew": ["{two}"], "note": "no {three}"}}"#).as_bytes());
        assert_eq!(caller.0.in_body.get(), Some(&vec![one, two]));
    }

    #[test]
    fn twenty_different_ids_within_an_hour_are_told_once() {
        let (seekers, who, now) = (Seekers::default(), AccountId(Uuid::from_u128(1)), DateTime::UNIX_EPOCH);
        for id in ids(0..19) {
            assert!(!seekers.note(who, &[id], now));
            assert!(!seekers.note(who, &[id], now), "the same one again is one");
        }
        assert!(seekers.note(who, &ids(19..20), now));
        assert!(!seekers.note(who, &ids(20..40), now), "once an hour");
        assert!(!seekers.note(AccountId(Uuid::from_u128(2)), &ids(0..19), now), "each for themselves");
        let later = now + WINDOW;
        assert!(!seekers.note(who, &ids(0..19), later));
        assert!(seekers.note(who, &ids(19..20), later));
    }
}
