//! Timing: daylight-saving nights, answers at the due instant, and late workers.

use super::*;

async fn looks(app: &TestApp) -> usize {
    response_sla::sweep_overdue_promises(&app.db, &app.origin).await.unwrap()
}

both_databases! {
    async fn promise_of_a_day_lasts_24_hours_across_clock_changes(app) {
        let shop = app.org("Acme Plumbing").await;
        without_providers(app, &shop).await;
        always_open(app, &shop).await;
        for (asked_at, due, warn) in [
            ("2026-10-31T16:00:00", "2026-11-01T15:00:00", "2026-11-01T09:00:00"),
            ("2027-03-13T16:00:00", "2027-03-14T17:00:00", "2027-03-14T11:00:00"),
        ] {
            waits_until(app, chicago(asked_at));
            let lead = asks_for_a_quote(app).await;
            let promise = promise_of(app, &shop, lead).await;
            assert_eq!((&promise["dueAt"], &promise["warnAt"]), (&json!(instant_text(chicago(due))), &json!(instant_text(chicago(warn)))));
            assert_eq!(chicago(due) - chicago(asked_at), Duration::hours(24));
            waits_until(app, chicago(due) + Duration::minutes(1));
            app.run_tasks().await;
            // A request after that has a promise of its own, on the same lead.
            assert_eq!(state(app, &shop, lead).await, "broken");
        }
        let broken = daily(&office(app, &shop).await, ACME, 1).await[0]["promisesBroken"].clone();
        assert_eq!(broken, 1, "on the day it was due");
        app.figures_agree().await;
    }

    async fn answer_at_due_instant_is_in_time_and_after_it_is_late(app) {
        let shop = app.org("Acme Plumbing").await;
        let (in_time, late) = (Visitor::number(1).submits_lead(app, &shop).await, Visitor::number(2).submits_lead(app, &shop).await);
        app.run_tasks().await;
        app.advance(Duration::hours(1));
        writes_to(app, &shop, in_time).await;
        app.advance(Duration::milliseconds(1));
        writes_to(app, &shop, late).await;
        app.run_tasks().await;
        assert_eq!((state(app, &shop, in_time).await, state(app, &shop, late).await), ("kept".into(), "broken".into()));
        let answered = promise_of(app, &shop, late).await["answeredAt"].clone();
        assert_eq!(answered, instant_text(app.now()), "late, but answered");
        assert_eq!(asked(app, &shop, "promise=owed").await, Vec::<String>::new(), "no promise is open");
        app.figures_agree().await;
    }

    async fn returning_worker_leaves_kept_promises_and_breaks_the_rest_once(app) {
        let shop = app.org("Acme Plumbing").await;
        let (kept, broken) = (Visitor::number(1).submits_lead(app, &shop).await, Visitor::number(2).submits_lead(app, &shop).await);
        app.run_tasks().await;
        app.advance(Duration::minutes(50));
        // No warning yet: the worker is away. One of them is answered from a private phone.
        let noted = office(app, &shop).await.post(&format!("/api/leads/{kept}/answered"), &json!({"how": "answered"})).await;
        assert_eq!(noted.status, 200, "{}", noted.json());
        assert_eq!(noted.json()["promise"]["state"], "kept");
        app.advance(Duration::hours(5));
        app.run_tasks().await;
        app.run_tasks().await;
        assert_eq!((state(app, &shop, kept).await, state(app, &shop, broken).await), ("kept".into(), "broken".into()));
        let warned = warnings(app, &shop).await;
        assert_eq!(warned.len(), 1, "one warning with the current text");
        assert_eq!(warned[0]["title"], "Promise broken: Visitor 2");
        assert_eq!(looks(app).await, 0);
        let broken_count = app.count("work_event WHERE kind = 'promise_broken'").await;
        assert_eq!(broken_count, 1);
    }

    async fn promise_with_lost_task_is_found_by_the_minute_tick(app) {
        let shop = app.org("Acme Plumbing").await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let lost = "DELETE FROM task WHERE kind = 'check_sla'";
        app.within(async |tx| Ok(q!(tx, execute, lost)?)).await.unwrap();
        assert_eq!(looks(app).await, 0);
        app.advance(Duration::minutes(47));
        assert_eq!(looks(app).await, 1);
        assert_eq!((warnings(app, &shop).await.len(), looks(app).await), (1, 0));
        app.within(async |tx| Ok(q!(tx, execute, lost)?)).await.unwrap();
        app.advance(Duration::minutes(15));
        assert_eq!((looks(app).await, looks(app).await), (1, 0));
        assert_eq!(state(app, &shop, lead).await, "broken");
        app.run_tasks().await;
    }

    async fn reply_reported_undelivered_does_not_keep_the_promise(app) {
        let shop = app.org("Acme Plumbing").await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        writes_to(app, &shop, lead).await;
        assert_eq!(state(app, &shop, lead).await, "kept");
        // The provider reports later that it never arrived.
        let sql = "UPDATE message SET status = 'failed' WHERE kind = 'manual' AND org_id = $1";
        app.within(async |tx| {
            q!(&mut *tx, execute, sql, shop.id())?;
            tx.mark_dirty(shop.id(), lead);
            Ok(())
        })
        .await
        .unwrap();
        assert_eq!(state(app, &shop, lead).await, "open");
        app.advance(Duration::hours(2));
        app.run_tasks().await;
        looks(app).await;
        assert_eq!(state(app, &shop, lead).await, "broken");
        app.run_tasks().await;
        app.figures_agree().await;
    }
}
