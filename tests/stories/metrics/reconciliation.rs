//! The full recount: it finds no difference, unless sums were written directly; it counts records from before the
//! program counted; and it follows the business to another time zone.

use chrono::Duration;
use serde_json::{Value, json};
use shared::{
    domain::growth::metrics::recompute::{self, RecomputeCause},
    platform::db::q,
};
use tests::{app::TestApp, both_databases, figures::figures_are_their_rows, people::Visitor};

use super::{ACME, MetricsFixture, daily};

async fn worked(app: &mut TestApp) -> MetricsFixture {
    let work = MetricsFixture::of(app).await;
    let ann = work.asked_by(app, Visitor::ann(), 3).await;
    work.estimates(app, ann, 400.0).await;
    work.pays(ann, json!({"amount": 150, "partial": true})).await;
    app.advance(Duration::days(1));
    for n in 1..4 {
        work.asked_by(app, Visitor::number(n), 7).await;
    }
    work
}

async fn shown(work: &MetricsFixture) -> Value {
    let mut all = work.kpis().await;
    all["lastCheck"] = json!(null);
    all["asOf"] = json!(null);
    all
}

both_databases! {
    async fn nightly_recount_of_untampered_sums_finds_no_difference(app) {
        let work = worked(app).await;
        let before = shown(&work).await;
        let check = app.recounts(work.shop.id()).await;
        assert_eq!((check.why, check.days_wrong), (RecomputeCause::Nightly, 0));
        assert_eq!(shown(&work).await, before);
        assert_eq!(work.kpis().await["lastCheck"], json!({"at": app.now(), "why": "nightly", "daysWrong": 0}));
    }

    async fn tampered_sums_are_repaired_and_reported_by_the_recount(app) {
        let work = worked(app).await;
        let (org, before) = (work.shop.id(), shown(&work).await);
        for (what, days) in [
            ("UPDATE metric_day SET leads = leads + 7 WHERE org_id = $1 AND day = '2026-09-17'", 1),
            ("UPDATE metric_day SET collected_cents = 0, open_cents = 5 WHERE org_id = $1", 2),
            ("DELETE FROM metric_day WHERE org_id = $1", 2),
            ("UPDATE metric_source_day SET paid_cents = paid_cents + 1 WHERE org_id = $1 AND day = '2026-09-17'", 1),
            ("UPDATE metric_fact SET facts = '{}' WHERE org_id = $1 AND kind = 'payment'", 1),
            ("UPDATE metric_fact SET facts = 'nonsense' WHERE org_id = $1 AND kind = 'lead'", 2),
            ("DELETE FROM metric_fact WHERE org_id = $1 AND kind = 'estimate'", 1),
            ("UPDATE metric_answer SET auto_ms = 1 WHERE org_id = $1 AND day = '2026-09-17'", 1),
            ("DELETE FROM metric_answer WHERE org_id = $1", 2),
            ("DELETE FROM metric_row WHERE org_id = $1 AND measure = 'leads'", 2),
            ("UPDATE metric_row SET source = 'nobody', amount = 7 WHERE org_id = $1 AND day = '2026-09-17'", 1),
            ("UPDATE metric_row SET day = '2026-09-16' WHERE org_id = $1 AND day = '2026-09-17'", 2),
        ] {
            app.advance(Duration::seconds(1));
            app.within(async |tx| Ok(q!(tx, execute, what, org)?)).await.unwrap();
            let check = app.recounts(org).await;
            assert_eq!((check.why, check.days_wrong), (RecomputeCause::Nightly, days), "{what}");
            assert_eq!(shown(&work).await, before, "{what}");
            app.figures_agree().await;
        }
        let mut conn = app.db.acquire_reader().await.unwrap();
        let select_sql = "SELECT CAST(what AS TEXT) FROM metric_check WHERE org_id = $1 ORDER BY id LIMIT 1";
        let differences: Value = serde_json::from_str(&q!(&mut conn, fetch_one scalar String, select_sql, org).unwrap()).unwrap();
        assert_eq!(differences, json!([{"day": "2026-09-17", "of": "leads", "offBy": -7}]));
        app.advance(Duration::seconds(1));
        assert_eq!(app.recounts(org).await.days_wrong, 0, "the next recount finds no difference");
    }

    async fn data_older_than_the_metrics_is_counted_at_worker_start(app) {
        let work = worked(app).await;
        let (org, before) = (work.shop.id(), shown(&work).await);
        app.within(async |tx| {
            for table in ["metric_fact", "metric_day", "metric_source_day", "metric_answer", "metric_row", "metric_recount"] {
                shared::platform::db::qb!(&mut *tx, execute, |b| { b.push("DELETE FROM ").push(table); })?;
            }
            // The state that the migration leaves.
            let sql = "INSERT INTO metric_recount (org_id, next_at, timezone, rules, turn) SELECT id, created_at, '', 0, 0 FROM org";
            Ok(q!(tx, execute, sql)?)
        })
        .await
        .unwrap();
        assert_eq!(work.kpis().await["isCounted"], false);
        // Changes during the recount.
        work.asked_by(app, Visitor::number(7), 7).await;
        assert_eq!((recompute::enqueue_due_recomputes(&app.db, &app.origin).await.unwrap(), recompute::enqueue_due_recomputes(&app.db, &app.origin).await.unwrap()), (1, 0));
        app.run_tasks().await;
        let check = recompute::find_last_check(&mut app.db.acquire_reader().await.unwrap(), org).await.unwrap().unwrap();
        assert_eq!((check.why, check.days_wrong), (RecomputeCause::First, 0), "that something was missing is no fault");
        let after = work.kpis().await;
        assert_eq!((&after["isCounted"], &after["week"]["newLeads"]["value"]), (&json!(true), &json!(5)));
        assert_eq!(after["week"]["quotes"], before["week"]["quotes"]);
        app.figures_agree().await;
    }

    async fn metrics_older_than_row_lists_get_rows_at_worker_start(app) {
        let work = worked(app).await;
        let (org, before) = (work.shop.id(), shown(&work).await);
        // This night's recount is over, and the next is hours away.
        recompute::enqueue_due_recomputes(&app.db, &app.origin).await.unwrap();
        app.run_tasks().await;
        app.within(async |tx| {
            q!(&mut *tx, execute, "DELETE FROM metric_row")?;
            Ok(q!(tx, execute, "UPDATE metric_recount SET rules = 0")?)
        })
        .await
        .unwrap();
        app.advance(Duration::seconds(1));
        assert_eq!(shown(&work).await, before, "the figures stay the same during the recount");
        assert_eq!(recompute::schedule_outdated(&app.db, app.now()).await.unwrap(), 1);
        assert_eq!(recompute::enqueue_due_recomputes(&app.db, &app.origin).await.unwrap(), 1);
        app.run_tasks().await;
        let check = recompute::find_last_check(&mut app.db.acquire_reader().await.unwrap(), org).await.unwrap().unwrap();
        assert_eq!((check.why, check.days_wrong), (RecomputeCause::Rules, 0), "that something was missing is no fault");
        assert!(figures_are_their_rows(&work.office, ACME).await > 10);
        app.figures_agree().await;
    }

    async fn recount_resumes_after_interruption_and_second_one_conflicts(app) {
        let work = worked(app).await;
        let org = work.shop.id();
        app.within(async |tx| Ok(q!(tx, execute, "UPDATE metric_fact SET facts = '{}' WHERE org_id = $1", org)?)).await.unwrap();
        // Without any time it does one piece after the other.
        worker::tasks::growth::recompute_metrics::run_within(&app.context, org, Duration::zero()).await.unwrap();
        assert_eq!(app.due().await, ["recount"]);
        app.run_tasks().await;
        app.figures_agree().await;
        let mut conn = app.db.acquire_reader().await.unwrap();
        let [mut one, mut other] = [recompute::load_recompute(&mut conn, org).await.unwrap().unwrap(), recompute::load_recompute(&mut conn, org).await.unwrap().unwrap()];
        for count in [&mut one, &mut other] {
            while count.check_next_batch(&mut conn).await.unwrap().is_some() {}
        }
        app.within(async |tx| Ok(q!(tx, execute, "UPDATE metric_day SET leads = leads + 1 WHERE org_id = $1 AND day = '2026-09-17'", org)?)).await.unwrap();
        let [first, second] = [recompute::compare_with_facts(&mut app.db.begin_snapshot().await.unwrap(), org).await.unwrap(), recompute::compare_with_facts(&mut app.db.begin_snapshot().await.unwrap(), org).await.unwrap()];
        app.within(async |tx| one.finish(tx, &app.origin, first).await).await.unwrap();
        let late = app.within(async |tx| other.finish(tx, &app.origin, second).await).await;
        assert!(matches!(late, Err(shared::platform::error::Error::Conflict(_))), "{late:?}");
        app.figures_agree().await;
    }

    async fn time_zone_change_moves_figures_to_the_new_local_days(app) {
        let work = MetricsFixture::of(app).await;
        // 10:30 PM in Chicago, 8:30 PM in Los Angeles, 12:30 PM the next day in Tokyo.
        app.advance(Duration::minutes(12 * 60 + 30));
        work.asked_by(app, Visitor::ann(), 3).await;
        let day = async || daily(&work.office, "acme-plumbing", 2).await.into_iter().find(|day| day["newLeads"] == 1).unwrap()["date"].clone();
        assert_eq!(day().await, "2026-09-17");
        let body = json!({"timezone": "Asia/Tokyo"}).to_string().into_bytes();
        let moved = work.office.send(axum::http::Method::PATCH, "/api/org/acme-plumbing", "application/json", body).await;
        assert_eq!(moved.status, 200, "{}", moved.json());
        assert_eq!(recompute::enqueue_due_recomputes(&app.db, &app.origin).await.unwrap(), 1, "as soon as a worker looks");
        app.run_tasks().await;
        assert_eq!(day().await, "2026-09-18");
        let check = work.kpis().await["lastCheck"].clone();
        assert_eq!((&check["why"], &check["daysWrong"]), (&json!("zone"), &json!(0)));
        assert_eq!(recompute::enqueue_due_recomputes(&app.db, &app.origin).await.unwrap(), 0, "the next is at night");
        app.figures_agree().await;
    }
}
