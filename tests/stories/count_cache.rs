//! Cached totals of long lists: valid until something of the business changes.

use chrono::Duration;
use shared::platform::{
    count_cache::{CountCache, CountLookup, MIN_CACHED_ROWS},
    id::OrgId,
    live::{self, Topic},
};
use tests::{app::TestApp, both_databases, people::Visitor};

/// The known total of the leads; a count that is needed returns `counted`, for a list of this many rows.
async fn leads(app: &TestApp, totals: &CountCache<i64>, org: OrgId, rows: i64, counted: i64) -> i64 {
    let mut conn = app.db.acquire_reader().await.expect("a connection");
    match totals.lookup_total(&mut conn, app.now(), org, "leads".to_owned()).await.expect("a look") {
        CountLookup::Hit(total) => total,
        CountLookup::Miss(asked) => totals.store_total(asked, rows, counted),
    }
}

both_databases! {
    async fn long_list_count_is_cached_until_a_change_or_a_minute(app) {
        let (acme, other) = (app.org("Acme Plumbing").await, app.org("Other Plumbing").await);
        let totals = CountCache::default();
        assert_eq!(leads(app, &totals, acme.id(), MIN_CACHED_ROWS, 1).await, 1);
        assert_eq!(leads(app, &totals, acme.id(), MIN_CACHED_ROWS, 2).await, 1, "the cached count is used");
        assert_eq!(leads(app, &totals, other.id(), MIN_CACHED_ROWS, 3).await, 3, "each business has its own");
        Visitor::number(1).submits_lead(app, &acme).await;
        assert_eq!(leads(app, &totals, acme.id(), MIN_CACHED_ROWS, 4).await, 4, "a change renews the count");
        assert_eq!(leads(app, &totals, other.id(), MIN_CACHED_ROWS, 5).await, 3, "the other business keeps its count");
        // A transaction that began before the count, and ended after it.
        let early = live::min_id_at(app.now() - Duration::seconds(10));
        app.within(async |tx| {
            let sql = "INSERT INTO live_event (org_id, id, topic, subject_id, at) VALUES ($1, $2, $3, $2, $4)";
            Ok(shared::platform::db::q!(tx, execute, sql, acme.id(), early, Topic::Lead, app.now())?)
        }).await.unwrap();
        assert_eq!(leads(app, &totals, acme.id(), MIN_CACHED_ROWS, 6).await, 6, "it was late");
        app.advance(Duration::minutes(1));
        assert_eq!(leads(app, &totals, acme.id(), MIN_CACHED_ROWS, 7).await, 7, "a minute is over");
        app.run_tasks().await;
    }

    async fn short_list_is_counted_each_time(app) {
        let (acme, totals) = (app.org("Acme Plumbing").await, CountCache::default());
        assert_eq!(leads(app, &totals, acme.id(), MIN_CACHED_ROWS - 1, 1).await, 1);
        assert_eq!(leads(app, &totals, acme.id(), MIN_CACHED_ROWS - 1, 2).await, 2);
    }
}
