//! Cache of the length and sum of long lists, recounted after any change of the business.
//!
//! Counting 100,000 rows takes longer than showing a page of them. Every change leaves a live event in its transaction,
//! so a count is valid until the next event. Ids sort by transaction start, so a lookup goes back by [`live::OVERLAP`].

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use chrono::{DateTime, Duration, Utc};
use sqlx::FromRow;
use uuid::Uuid;

use crate::{
    db::{AsConn, q},
    error::Result,
    id::OrgId,
    live,
    money::Cents,
};

/// Shorter lists are counted faster than the cache is checked.
pub const MIN_CACHED_ROWS: i64 = 2_000;
/// Upper limit of staleness if a change leaves no event.
const CACHE_TTL: Duration = Duration::minutes(1);
/// Maximum entries; more are not read within a minute.
const MAX_ENTRIES: usize = 1_000;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromRow)]
pub struct ListTotal {
    pub rows: i64,
    /// Items counted in these rows: calls and estimates, of which a request may have several.
    pub counted: Option<i64>,
    pub amount: Option<Cents>,
}

impl ListTotal {
    #[must_use]
    pub fn from_row_count(rows: i64) -> Self {
        Self { rows, ..Self::default() }
    }
}

impl From<i64> for ListTotal {
    fn from(rows: i64) -> Self {
        Self::from_row_count(rows)
    }
}

type CountKey = (OrgId, String);

pub struct CountCache<T>(Mutex<HashMap<CountKey, CachedCount<T>>>);

struct CachedCount<T> {
    total: T,
    news: EventWatermark,
    until: DateTime<Utc>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct EventWatermark {
    from: Uuid,
    count: i64,
}

pub struct PendingCount {
    key: CountKey,
    news: EventWatermark,
    until: DateTime<Utc>,
}

pub enum CountLookup<T> {
    Hit(T),
    Miss(PendingCount),
}

impl<T> Default for CountCache<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Clone> CountCache<T> {
    /// The cached total if nothing has changed since. Call it before counting.
    pub async fn lookup_total(
        &self,
        conn: &mut dyn AsConn,
        now: DateTime<Utc>,
        org: OrgId,
        what: String,
    ) -> Result<CountLookup<T>> {
        let key = (org, what);
        let kept = self.lock().get(&key).filter(|kept| now < kept.until).map(|kept| (kept.total.clone(), kept.news));
        if let Some((total, news)) = kept
            && count_events_since(&mut *conn, org, news.from).await? == news.count
        {
            return Ok(CountLookup::Hit(total));
        }
        let from = live::min_id_at(now - live::OVERLAP);
        let news = EventWatermark { from, count: count_events_since(conn, org, from).await? };
        Ok(CountLookup::Miss(PendingCount { key, news, until: now + CACHE_TTL }))
    }

    pub fn store_total(&self, asked: PendingCount, rows: i64, total: T) -> T {
        if rows >= MIN_CACHED_ROWS {
            let mut all = self.lock();
            if all.len() >= MAX_ENTRIES {
                all.clear();
            }
            all.insert(asked.key, CachedCount { total: total.clone(), news: asked.news, until: asked.until });
        }
        total
    }

    /// A poisoned lock still holds complete totals.
    fn lock(&self) -> MutexGuard<'_, HashMap<CountKey, CachedCount<T>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn count_events_since(conn: &mut dyn AsConn, org: OrgId, from: Uuid) -> Result<i64> {
    let sql = "SELECT COUNT(*) FROM live_event WHERE org_id = $1 AND id >= $2";
    Ok(q!(conn, fetch_one scalar i64, sql, org, from)?)
}
