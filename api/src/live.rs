//! Live events to browsers: one hub per process, one stream per open page.
//!
//! The hub only signals a commit; each stream then queries the new events of its org. Ids sort by time but commits do
//! not, so a stream looks back a little and skips what it has sent.

use std::{
    collections::{BTreeSet, HashMap},
    convert::Infallible,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use axum::response::sse::Event;
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;
use shared::{
    domain::{tenancy::session, work::job::JobScope},
    platform::{
        db::Db,
        error::{Error, Result},
        id::{AccountId, DEMO_ORG, OrgId},
        live::{self, LiveEvent, Topic},
    },
};
use tokio::sync::{Notify, mpsc, watch};
use uuid::Uuid;

use crate::state::AppState;

pub mod commit_listener;

/// Open streams per account; of the demonstration, per network. More is not a person.
pub const MAX_STREAMS: usize = 20;
/// Open streams of the demonstration in all: its viewers must not take places from users.
pub const MAX_VISITORS: usize = 1000;
/// Interval of keep-alive lines, and of checks that the session is still valid.
const PING: Duration = Duration::from_secs(15);
/// A stream starts this far in the past: a page has fetched its data by then and need not fetch it again.
const BEFORE: TimeDelta = TimeDelta::minutes(1);
/// Reconnect delay of the browser after a break.
const RETRY: Duration = Duration::from_secs(2);
/// Minimum interval between two queries: a burst of commits costs one.
const BREATH: Duration = Duration::from_millis(100);
/// Events per query; a full answer is followed by the next query at once.
const PAGE: usize = 1000;

pub struct LiveHub {
    news: watch::Sender<u64>,
    open: Mutex<HashMap<StreamOwner, usize>>,
    pub(crate) listened: Notify,
}

impl Default for LiveHub {
    fn default() -> Self {
        Self { news: watch::Sender::new(0), open: Mutex::default(), listened: Notify::new() }
    }
}

impl LiveHub {
    pub fn notify_all(&self) {
        self.news.send_modify(|n| *n = n.wrapping_add(1));
    }

    #[must_use]
    pub fn has_listeners(&self) -> bool {
        self.news.receiver_count() > 0
    }

    fn subscribe_commits(&self) -> watch::Receiver<u64> {
        let news = self.news.subscribe();
        self.listened.notify_one();
        news
    }

    fn lock_counts(&self) -> std::sync::MutexGuard<'_, HashMap<StreamOwner, usize>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Key under which open streams are counted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum StreamOwner {
    Account(AccountId),
    /// All viewers of the demonstration share one account and are distinguished by network.
    Visitor(String),
}

impl StreamOwner {
    fn has_room(&self, open: &HashMap<Self, usize>) -> bool {
        let own = open.get(self).copied().unwrap_or_default();
        let is_visitor = |holder: &Self| matches!(holder, Self::Visitor(_));
        let visitors = || open.iter().filter(|(holder, _)| is_visitor(holder)).map(|(_, count)| count).sum::<usize>();
        own < MAX_STREAMS && (!is_visitor(self) || visitors() < MAX_VISITORS)
    }
}

/// Counted place of an open stream; released on drop.
pub struct StreamPermit {
    state: AppState,
    holder: StreamOwner,
}

impl StreamPermit {
    /// `None` when too many are open.
    #[must_use]
    pub fn try_acquire(state: &AppState, holder: StreamOwner) -> Option<Self> {
        let mut open = state.hub.lock_counts();
        if !holder.has_room(&open) {
            return None;
        }
        *open.entry(holder.clone()).or_default() += 1;
        drop(open);
        Some(Self { state: state.clone(), holder })
    }
}

impl Drop for StreamPermit {
    fn drop(&mut self) {
        let mut open = self.state.hub.lock_counts();
        if let Some(count) = open.get_mut(&self.holder) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.holder);
            }
        }
    }
}

pub struct LiveSubscriber {
    pub seat: StreamPermit,
    pub org: OrgId,
    /// Which events of the business they may see.
    pub sight: JobScope,
    /// Session token: the stream ends with the session.
    pub token: String,
    pub last_event_id: Option<String>,
}

#[derive(Debug, PartialEq, Eq)]
struct StreamStart {
    from: Uuid,
    sent: Option<Uuid>,
    /// The missed events cannot be replayed.
    resync: bool,
}

fn resolve_start(last_event_id: Option<&str>, now: DateTime<Utc>) -> StreamStart {
    let fresh = live::min_id_at(now - BEFORE - live::OVERLAP);
    let Some(given) = last_event_id.map(str::trim).filter(|id| !id.is_empty()) else {
        return StreamStart { from: fresh, sent: None, resync: false };
    };
    let last_event = given.parse::<Uuid>().ok().and_then(|id| Some((id, live::id_timestamp(id)?)));
    match last_event {
        Some((id, at)) if at > now - live::RETENTION + live::OVERLAP && at <= now + live::OVERLAP => {
            StreamStart { from: live::min_id_at(at - live::OVERLAP), sent: Some(id), resync: false }
        }
        _ => StreamStart { from: fresh, sent: None, resync: true },
    }
}

/// Feeds one page until it disconnects, its session ends, or the process stops.
pub async fn stream_events(listener: LiveSubscriber, out: mpsc::Sender<Result<Event, Infallible>>) {
    let state = listener.seat.state.clone();
    let mut news = state.hub.subscribe_commits();
    let begin = resolve_start(listener.last_event_id.as_deref(), state.origin.now());
    let LiveSubscriber { org, sight, token, .. } = listener;
    let mut cursor = StreamCursor { org, sight, token, from: begin.from, sent: begin.sent.into_iter().collect() };
    let hello = Event::default().retry(RETRY).comment("connected");
    if out.send(Ok(hello)).await.is_err() || (begin.resync && out.send(Ok(resync_event(&state))).await.is_err()) {
        return;
    }
    let mut ping = tokio::time::interval_at(tokio::time::Instant::now() + PING, PING);
    loop {
        news.borrow_and_update();
        if !cursor.send_new_events(&state, &out).await {
            return;
        }
        tokio::select! {
            changed = news.changed() => if changed.is_err() { return },
            _ = ping.tick() => {
                let goes_on = cursor.is_signed_in(&state).await
                    && out.send(Ok(Event::default().comment("ping"))).await.is_ok();
                if !goes_on { return }
            }
            () = out.closed() => return,
            () = state.wait_for_shutdown() => return,
        }
        tokio::time::sleep(BREATH).await;
    }
}

fn resync_event(state: &AppState) -> Event {
    let id = live::min_id_at(state.origin.now());
    Event::default().event("resync").id(id.to_string()).data("{}")
}

struct StreamCursor {
    org: OrgId,
    sight: JobScope,
    token: String,
    from: Uuid,
    sent: BTreeSet<Uuid>,
}

impl StreamCursor {
    /// Checks the session again. An absent database ends no stream.
    async fn is_signed_in(&mut self, state: &AppState) -> bool {
        // A viewer of the demonstration has no session.
        if self.org == DEMO_ORG {
            return true;
        }
        let Some(db) = state.db_if_ready() else { return true };
        let Ok(mut conn) = db.acquire_reader().await else { return true };
        match session::find_by_token(&mut conn, state.origin.now(), &self.token).await {
            Ok(Some(session)) => {
                self.sight = JobScope::from_session(&session);
                true
            }
            Ok(None) => false,
            Err(_) => true,
        }
    }

    /// Filters events by the listener's rights; `None` when their session has ended.
    async fn filter_visible(&mut self, state: &AppState, found: Vec<LiveEvent>) -> Result<Option<Vec<LiveEvent>>> {
        let is_about_people = |event: &LiveEvent| matches!(event.topic, Topic::Settings | Topic::Crew);
        if found.iter().any(is_about_people) && !self.is_signed_in(state).await {
            return Ok(None);
        }
        let (JobScope::Crew(account), Some(db)) = (self.sight, state.db_if_ready()) else { return Ok(Some(found)) };
        let mut conn = db.acquire_reader().await?;
        live::filter_for_crew(&mut conn, self.org, account, found).await.map(Some)
    }

    /// Sends new events. False when the stream is to end. An absent database is asked again at the next signal.
    async fn send_new_events(&mut self, state: &AppState, out: &mpsc::Sender<Result<Event, Infallible>>) -> bool {
        let Some(db) = state.db_if_ready() else { return true };
        loop {
            let asked_at = state.origin.now();
            let found = match load_events(db, self.org, self.from).await {
                Ok(found) => found,
                Err(e) => return log_read_failure(&e),
            };
            let (count, last) = (found.len(), found.last().map(|e| e.id));
            let new: Vec<LiveEvent> = found.into_iter().filter(|event| !self.sent.contains(&event.id)).collect();
            let ids: Vec<Uuid> = new.iter().map(|event| event.id).collect();
            let visible_events = match self.filter_visible(state, new).await {
                Ok(Some(visible_events)) => visible_events,
                Ok(None) => return false,
                Err(e) => return log_read_failure(&e),
            };
            self.sent.extend(ids);
            for event in visible_events {
                if out.send(Ok(to_sse_event(&event))).await.is_err() {
                    return false;
                }
            }
            let is_full = count >= PAGE;
            let next = last.filter(|_| is_full).unwrap_or_else(|| live::min_id_at(asked_at - live::OVERLAP));
            self.from = self.from.max(next);
            self.sent = self.sent.split_off(&self.from);
            if !is_full {
                return true;
            }
        }
    }
}

/// Keeps the stream: the events are read again at the next signal.
fn log_read_failure(cause: &Error) -> bool {
    tracing::debug!(%cause, "live events could not be read");
    true
}

async fn load_events(db: &Db, org: OrgId, from: Uuid) -> Result<Vec<LiveEvent>> {
    let mut conn = db.acquire_reader().await?;
    live::list_since(&mut conn, org, from).await
}

fn to_sse_event(event: &LiveEvent) -> Event {
    let (name, data) = match event.topic {
        Topic::Lead => ("lead", json!({ "id": event.subject_id })),
        Topic::Message => ("message", json!({ "id": event.subject_id, "leadId": event.parent_id })),
        Topic::Conversation => ("conversation", json!({ "id": event.subject_id })),
        Topic::Settings => ("settings", json!({ "id": event.subject_id })),
        Topic::Alert => ("alert", json!({ "id": event.subject_id })),
        Topic::Job => ("job", json!({ "id": event.subject_id, "leadId": event.parent_id })),
        Topic::Estimate => ("estimate", json!({ "id": event.subject_id, "leadId": event.parent_id })),
        Topic::Invoice => ("invoice", json!({ "id": event.subject_id, "leadId": event.parent_id })),
        Topic::Payment => ("payment", json!({ "id": event.subject_id, "leadId": event.parent_id })),
        Topic::Schedule => ("schedule", json!({ "id": event.subject_id })),
        Topic::Customer => ("customer", json!({ "id": event.subject_id })),
        Topic::Crew => ("crew", json!({ "id": event.subject_id })),
        Topic::Price => ("price", json!({ "id": event.subject_id })),
        Topic::Review => ("review", json!({ "id": event.subject_id, "leadId": event.parent_id })),
        Topic::ReviewRequest => ("review_request", json!({ "id": event.subject_id, "leadId": event.parent_id })),
        Topic::Worklist => ("worklist", json!({ "id": event.subject_id })),
        Topic::ProviderCall => ("provider_call", json!({ "id": event.subject_id })),
    };
    Event::default().event(name).id(event.id.to_string()).data(data.to_string())
}

#[cfg(test)]
mod tests {
    use chrono::Duration as Span;

    use super::*;

    fn now() -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + Span::days(20_700)
    }

    #[test]
    fn demo_streams_are_limited_per_network_and_in_total() {
        let visitor = |n: usize| StreamOwner::Visitor(format!("192.0.2.{n}"));
        let one = HashMap::from([(visitor(1), MAX_STREAMS)]);
        assert!(!visitor(1).has_room(&one) && visitor(2).has_room(&one));
        let many: HashMap<_, _> = (0..MAX_VISITORS / MAX_STREAMS).map(|n| (visitor(n), MAX_STREAMS)).collect();
        assert!(!visitor(MAX_VISITORS).has_room(&many));
        let account = StreamOwner::Account(AccountId(Uuid::from_u128(1)));
        assert!(account.has_room(&many), "those who work are not held up by them");
        assert!(!account.has_room(&HashMap::from([(account.clone(), MAX_STREAMS)])));
    }

    #[test]
    fn reconnecting_page_receives_missed_events() {
        let last = live::min_id_at(now() - Span::hours(2));
        let begin = resolve_start(Some(&last.to_string()), now());
        assert_eq!(begin.sent, Some(last));
        assert!(!begin.resync && begin.from < last);
    }

    #[test]
    fn new_stream_replays_events_of_the_last_minute() {
        let meanwhile = live::min_id_at(now() - Span::seconds(59));
        assert!(resolve_start(None, now()).from < meanwhile);
    }

    #[test]
    fn stream_with_invalid_or_expired_last_event_id_must_resync() {
        let old = live::min_id_at(now() - Span::hours(25)).to_string();
        let future = live::min_id_at(now() + Span::hours(1)).to_string();
        for id in [old.as_str(), future.as_str(), "17", "\u{0}", "00000000-0000-0000-0000-000000000000"] {
            assert!(resolve_start(Some(id), now()).resync, "{id}");
        }
        assert!(!resolve_start(None, now()).resync);
    }
}
