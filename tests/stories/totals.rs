//! Totals of long lists: they stand until something of the business changes, and no longer.

use chrono::Duration;
use shared::platform::{
    count_cache::{Known, LONG, Totals},
    id::OrgId,
    live::{self, Topic},
};
use tests::{app::TestApp, both_databases, people::Visitor};

/// What is known of the leads; what has to be counted is given as `counted`, with so many rows.
async fn leads(app: &TestApp, totals: &Totals<i64>, org: OrgId, rows: i64, counted: i64) -> i64 {
    let mut conn = app.db.read().await.expect("a connection");
    match totals.known(&mut conn, app.now(), org, "leads".to_owned()).await.expect("a look") {
        Known::Still(total) => total,
        Known::Not(asked) => totals.keep(asked, rows, counted),
    }
}

both_databases! {
    async fn a_long_list_is_counted_anew_after_every_change_and_after_a_minute(app) {
        let (acme, other) = (app.org("Acme Plumbing").await, app.org("Other Plumbing").await);
        let totals = Totals::default();
        assert_eq!(leads(app, &totals, acme.id(), LONG, 1).await, 1);
        assert_eq!(leads(app, &totals, acme.id(), LONG, 2).await, 1, "it stands");
        assert_eq!(leads(app, &totals, other.id(), LONG, 3).await, 3, "each business has its own");
        Visitor::number(1).submits_lead(app, &acme).await;
        assert_eq!(leads(app, &totals, acme.id(), LONG, 4).await, 4, "somebody has asked");
        assert_eq!(leads(app, &totals, other.id(), LONG, 5).await, 3, "elsewhere");
        // A transaction that began before the count, and ended after it.
        let early = live::floor(app.now() - Duration::seconds(10));
        app.within(async |tx| {
            let sql = "INSERT INTO live_event (org_id, id, topic, subject_id, at) VALUES ($1, $2, $3, $2, $4)";
            Ok(shared::platform::db::q!(tx, execute, sql, acme.id(), early, Topic::Lead, app.now())?)
        }).await.unwrap();
        assert_eq!(leads(app, &totals, acme.id(), LONG, 6).await, 6, "it was late");
        app.advance(Duration::minutes(1));
        assert_eq!(leads(app, &totals, acme.id(), LONG, 7).await, 7, "a minute is over");
        app.run_tasks().await;
    }

    async fn a_short_list_is_counted_each_time(app) {
        let (acme, totals) = (app.org("Acme Plumbing").await, Totals::default());
        assert_eq!(leads(app, &totals, acme.id(), LONG - 1, 1).await, 1);
        assert_eq!(leads(app, &totals, acme.id(), LONG - 1, 2).await, 2);
    }
}
