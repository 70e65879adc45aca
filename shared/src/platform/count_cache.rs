//! How long a long list is, and what it comes to: counted once, and anew after anything of the business has changed.
//!
//! Counting 100,000 rows takes longer than showing a page of them. Every change leaves a live event in its transaction,
//! so what was counted stands while no event has come; as ids sort by when a transaction began, a look goes back by
//! [`live::OVERLAP`].

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use chrono::{DateTime, Duration, Utc};
use sqlx::FromRow;
use uuid::Uuid;

use crate::platform::{
    db::{AsConn, q},
    error::Result,
    id::OrgId,
    live,
    money::Cents,
};

/// What is counted faster than it is looked up is not kept.
pub const LONG: i64 = 2_000;
/// Should a change leave no event, its list is right again after so long.
const KEEP: Duration = Duration::minutes(1);
/// More than this nobody looks at within a minute.
const MOST: usize = 1_000;

/// How long a list is, and what it comes to where that is a figure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromRow)]
pub struct Total {
    pub rows: i64,
    /// What a figure counts in these rows: calls and estimates, of which a request may have several.
    pub counted: Option<i64>,
    pub amount: Option<Cents>,
}

impl Total {
    /// Of a list that is a number of rows and no more.
    #[must_use]
    pub fn of(rows: i64) -> Self {
        Self { rows, ..Self::default() }
    }
}

impl From<i64> for Total {
    fn from(rows: i64) -> Self {
        Self::of(rows)
    }
}

/// Whose total, and of what: any text that names the list with its filter.
type Key = (OrgId, String);

/// What was counted, in this process.
pub struct Totals<T>(Mutex<HashMap<Key, Kept<T>>>);

struct Kept<T> {
    total: T,
    news: News,
    until: DateTime<Utc>,
}

/// How many events there are from an instant on.
#[derive(Clone, Copy, PartialEq, Eq)]
struct News {
    from: Uuid,
    count: i64,
}

/// A total that has to be counted.
pub struct Asked {
    key: Key,
    news: News,
    until: DateTime<Utc>,
}

/// What is known of a total.
pub enum Known<T> {
    Still(T),
    Not(Asked),
}

impl<T> Default for Totals<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Clone> Totals<T> {
    /// The total as it was counted, if nothing has changed since. To be asked before it is counted.
    pub async fn known(&self, conn: &mut dyn AsConn, now: DateTime<Utc>, org: OrgId, what: String) -> Result<Known<T>> {
        let key = (org, what);
        let kept = self.lock().get(&key).filter(|kept| now < kept.until).map(|kept| (kept.total.clone(), kept.news));
        if let Some((total, news)) = kept
            && count(&mut *conn, org, news.from).await? == news.count
        {
            return Ok(Known::Still(total));
        }
        let from = live::floor(now - live::OVERLAP);
        let news = News { from, count: count(conn, org, from).await? };
        Ok(Known::Not(Asked { key, news, until: now + KEEP }))
    }

    /// Keeps what was counted of a list with so many rows, and gives it back.
    pub fn keep(&self, asked: Asked, rows: i64, total: T) -> T {
        if rows >= LONG {
            let mut all = self.lock();
            if all.len() >= MOST {
                all.clear();
            }
            all.insert(asked.key, Kept { total: total.clone(), news: asked.news, until: asked.until });
        }
        total
    }

    /// A poisoned lock still holds whole totals.
    fn lock(&self) -> MutexGuard<'_, HashMap<Key, Kept<T>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn count(conn: &mut dyn AsConn, org: OrgId, from: Uuid) -> Result<i64> {
    let sql = "SELECT COUNT(*) FROM live_event WHERE org_id = $1 AND id >= $2";
    Ok(q!(conn, fetch_one scalar i64, sql, org, from)?)
}
