//! Live events to browsers: one hub per process, one stream per open page.
//!
//! The hub only says "something was committed"; each stream then asks the database what is new for its org. Ids sort by
//! time but commits do not, so a stream looks back a little and passes over what it has told already.

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
    domain::{tenancy::session, work::job::Sight},
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

/// Open streams per account, and of the demonstration per network: a person with this many pages open is a program.
pub const MAX_STREAMS: usize = 20;
/// Open streams of the demonstration in all: whoever looks at it takes no place from those who work.
pub const MAX_VISITORS: usize = 1000;
/// A line that keeps the connection alive, and the moment at which the session is looked at again.
const PING: Duration = Duration::from_secs(15);
/// A stream begins with what happened so long before it: a page has fetched what it shows by then, and fetches nothing
/// twice for want of knowing.
const BEFORE: TimeDelta = TimeDelta::minutes(1);
/// How soon a browser comes back after a break.
const RETRY: Duration = Duration::from_secs(2);
/// A stream asks at most this often, so that a burst of commits is one question.
const BREATH: Duration = Duration::from_millis(100);
/// As many as one question returns; a full answer is followed by the next question at once.
const PAGE: usize = 1000;

/// Where streams wait for news.
pub struct Hub {
    news: watch::Sender<u64>,
    open: Mutex<HashMap<Holder, usize>>,
    pub(crate) listened: Notify,
}

impl Default for Hub {
    fn default() -> Self {
        Self { news: watch::Sender::new(0), open: Mutex::default(), listened: Notify::new() }
    }
}

impl Hub {
    /// Something was committed.
    pub fn tell(&self) {
        self.news.send_modify(|n| *n = n.wrapping_add(1));
    }

    /// Whether anybody listens.
    #[must_use]
    pub fn has_listeners(&self) -> bool {
        self.news.receiver_count() > 0
    }

    fn listen(&self) -> watch::Receiver<u64> {
        let news = self.news.subscribe();
        self.listened.notify_one();
        news
    }

    fn counts(&self) -> std::sync::MutexGuard<'_, HashMap<Holder, usize>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whose streams are counted together.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Holder {
    Account(AccountId),
    /// All who look at the demonstration are one account: they are told apart by their network.
    Visitor(String),
}

impl Holder {
    /// Whether one more may be opened beside these.
    fn has_room(&self, open: &HashMap<Self, usize>) -> bool {
        let own = open.get(self).copied().unwrap_or_default();
        let is_visitor = |holder: &Self| matches!(holder, Self::Visitor(_));
        let visitors = || open.iter().filter(|(holder, _)| is_visitor(holder)).map(|(_, count)| count).sum::<usize>();
        own < MAX_STREAMS && (!is_visitor(self) || visitors() < MAX_VISITORS)
    }
}

/// A place among the open streams of its holder; given back when dropped.
pub struct Seat {
    state: AppState,
    holder: Holder,
}

impl Seat {
    /// None when too many are open.
    #[must_use]
    pub fn take(state: &AppState, holder: Holder) -> Option<Self> {
        let mut open = state.hub.counts();
        if !holder.has_room(&open) {
            return None;
        }
        *open.entry(holder.clone()).or_default() += 1;
        drop(open);
        Some(Self { state: state.clone(), holder })
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut open = self.state.hub.counts();
        if let Some(count) = open.get_mut(&self.holder) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.holder);
            }
        }
    }
}

/// Who listens, and what they have heard.
pub struct Listener {
    pub seat: Seat,
    pub org: OrgId,
    /// What of the business they may hear of.
    pub sight: Sight,
    /// The session's token: the stream ends with the session.
    pub token: String,
    pub last_event_id: Option<String>,
}

/// Where a stream begins.
#[derive(Debug, PartialEq, Eq)]
struct Start {
    from: Uuid,
    told: Option<Uuid>,
    /// What was missed cannot be told.
    resync: bool,
}

fn start(last_event_id: Option<&str>, now: DateTime<Utc>) -> Start {
    let fresh = live::floor(now - BEFORE - live::OVERLAP);
    let Some(given) = last_event_id.map(str::trim).filter(|id| !id.is_empty()) else {
        return Start { from: fresh, told: None, resync: false };
    };
    let known = given.parse::<Uuid>().ok().and_then(|id| Some((id, live::made_at(id)?)));
    match known {
        Some((id, at)) if at > now - live::KEEP + live::OVERLAP && at <= now + live::OVERLAP => {
            Start { from: live::floor(at - live::OVERLAP), told: Some(id), resync: false }
        }
        _ => Start { from: fresh, told: None, resync: true },
    }
}

/// Feeds one page until it leaves, its session ends, or the process stops.
pub async fn feed(listener: Listener, out: mpsc::Sender<Result<Event, Infallible>>) {
    let state = listener.seat.state.clone();
    let mut news = state.hub.listen();
    let begin = start(listener.last_event_id.as_deref(), state.origin.now());
    let Listener { org, sight, token, .. } = listener;
    let mut cursor = Cursor { org, sight, token, from: begin.from, told: begin.told.into_iter().collect() };
    let hello = Event::default().retry(RETRY).comment("connected");
    if out.send(Ok(hello)).await.is_err() || (begin.resync && out.send(Ok(resync(&state))).await.is_err()) {
        return;
    }
    let mut ping = tokio::time::interval_at(tokio::time::Instant::now() + PING, PING);
    loop {
        news.borrow_and_update();
        if !cursor.tell(&state, &out).await {
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
            () = state.until_stopped() => return,
        }
        tokio::time::sleep(BREATH).await;
    }
}

fn resync(state: &AppState) -> Event {
    let id = live::floor(state.origin.now());
    Event::default().event("resync").id(id.to_string()).data("{}")
}

struct Cursor {
    org: OrgId,
    sight: Sight,
    token: String,
    from: Uuid,
    told: BTreeSet<Uuid>,
}

impl Cursor {
    /// Looks at who listens again. A database that is away does not sign anybody out.
    async fn is_signed_in(&mut self, state: &AppState) -> bool {
        // Who looks at the demonstration never was.
        if self.org == DEMO_ORG {
            return true;
        }
        let Some(db) = state.db_if_ready() else { return true };
        let Ok(mut conn) = db.read().await else { return true };
        match session::find(&mut conn, state.origin.now(), &self.token).await {
            Ok(Some(session)) => {
                self.sight = Sight::of(&session);
                true
            }
            Ok(None) => false,
            Err(_) => true,
        }
    }

    /// What of these may be heard; none when whoever listens may not any more.
    async fn heard(&mut self, state: &AppState, found: Vec<LiveEvent>) -> Result<Option<Vec<LiveEvent>>> {
        let is_about_people = |event: &LiveEvent| matches!(event.topic, Topic::Settings | Topic::Crew);
        if found.iter().any(is_about_people) && !self.is_signed_in(state).await {
            return Ok(None);
        }
        let (Sight::Crew(account), Some(db)) = (self.sight, state.db_if_ready()) else { return Ok(Some(found)) };
        let mut conn = db.read().await?;
        live::of_crew(&mut conn, self.org, account, found).await.map(Some)
    }

    /// Tells what is new. False when the page has left. A database that is away is asked again at the next news.
    async fn tell(&mut self, state: &AppState, out: &mpsc::Sender<Result<Event, Infallible>>) -> bool {
        let Some(db) = state.db_if_ready() else { return true };
        loop {
            let asked_at = state.origin.now();
            let found = match look(db, self.org, self.from).await {
                Ok(found) => found,
                Err(e) => return could_not_be_read(&e),
            };
            let (count, last) = (found.len(), found.last().map(|e| e.id));
            let new: Vec<LiveEvent> = found.into_iter().filter(|event| !self.told.contains(&event.id)).collect();
            let ids: Vec<Uuid> = new.iter().map(|event| event.id).collect();
            let heard = match self.heard(state, new).await {
                Ok(Some(heard)) => heard,
                Ok(None) => return false,
                Err(e) => return could_not_be_read(&e),
            };
            self.told.extend(ids);
            for event in heard {
                if out.send(Ok(as_sse(&event))).await.is_err() {
                    return false;
                }
            }
            let is_full = count >= PAGE;
            let next = last.filter(|_| is_full).unwrap_or_else(|| live::floor(asked_at - live::OVERLAP));
            self.from = self.from.max(next);
            self.told = self.told.split_off(&self.from);
            if !is_full {
                return true;
            }
        }
    }
}

/// They are read with the next news: the page has not left.
fn could_not_be_read(cause: &Error) -> bool {
    tracing::debug!(%cause, "live events could not be read");
    true
}

async fn look(db: &Db, org: OrgId, from: Uuid) -> Result<Vec<LiveEvent>> {
    let mut conn = db.read().await?;
    live::since(&mut conn, org, from).await
}

fn as_sse(event: &LiveEvent) -> Event {
    let (name, data) = match event.topic {
        Topic::Lead => ("lead", json!({ "id": event.subject_id })),
        Topic::Message => ("message", json!({ "id": event.subject_id, "leadId": event.parent_id })),
        Topic::Thread => ("thread", json!({ "id": event.subject_id })),
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
        Topic::ReviewAsk => ("review_ask", json!({ "id": event.subject_id, "leadId": event.parent_id })),
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
    fn each_network_of_the_demonstration_has_its_own_places_and_all_together_have_a_limit() {
        let visitor = |n: usize| Holder::Visitor(format!("192.0.2.{n}"));
        let one = HashMap::from([(visitor(1), MAX_STREAMS)]);
        assert!(!visitor(1).has_room(&one) && visitor(2).has_room(&one));
        let many: HashMap<_, _> = (0..MAX_VISITORS / MAX_STREAMS).map(|n| (visitor(n), MAX_STREAMS)).collect();
        assert!(!visitor(MAX_VISITORS).has_room(&many));
        let account = Holder::Account(AccountId(Uuid::from_u128(1)));
        assert!(account.has_room(&many), "those who work are not held up by them");
        assert!(!account.has_room(&HashMap::from([(account.clone(), MAX_STREAMS)])));
    }

    #[test]
    fn a_page_that_comes_back_hears_what_it_missed() {
        let last = live::floor(now() - Span::hours(2));
        let begin = start(Some(&last.to_string()), now());
        assert_eq!(begin.told, Some(last));
        assert!(!begin.resync && begin.from < last);
    }

    #[test]
    fn a_page_that_just_fetched_what_it_shows_hears_what_happened_meanwhile() {
        let meanwhile = live::floor(now() - Span::seconds(59));
        assert!(start(None, now()).from < meanwhile);
    }

    #[test]
    fn what_cannot_be_told_is_said_to_be_missing() {
        let old = live::floor(now() - Span::hours(25)).to_string();
        let future = live::floor(now() + Span::hours(1)).to_string();
        for id in [old.as_str(), future.as_str(), "17", "\u{0}", "00000000-0000-0000-0000-000000000000"] {
            assert!(start(Some(id), now()).resync, "{id}");
        }
        assert!(!start(None, now()).resync);
    }
}
