//! Kept and broken promises in the figures, in the lists behind them, and in the owner's report.

use super::*;

both_databases! {
    async fn promise_counts_on_its_due_day_and_opens_its_rows(app) {
        let shop = app.org("Acme Plumbing").await;
        // At 11:30 PM on Thursday: due at 12:30 AM on Friday.
        waits_until(app, chicago("2026-09-17T23:30:00"));
        words_the_text(app, &shop, "We reply within 1 hour.").await;
        let kept = Visitor::number(1).email(Some("one@customer.example")).submits_lead(app, &shop).await;
        Visitor::number(2).email(Some("two@customer.example")).submits_lead(app, &shop).await;
        app.run_tasks().await;
        app.advance(Duration::minutes(10));
        let noted = office(app, &shop).await.post(&format!("/api/leads/{kept}/answered"), &json!({"how": "answered"})).await;
        assert_eq!(noted.status, 200, "{}", noted.json());
        waits_until(app, chicago("2026-09-18T12:00:00"));
        app.run_tasks().await;
        let owner = office(app, &shop).await;
        let days = daily(&owner, ACME, 2).await;
        let of = |day: &Value| (day["promisesKept"].clone(), day["promisesBroken"].clone());
        assert_eq!([of(&days[0]), of(&days[1])], [(json!(0), json!(0)), (json!(1), json!(1))]);
        let figures = kpis(&owner, ACME).await["week"]["promises"].clone();
        for which in ["kept", "broken"] {
            let rows = figures[which]["rows"].as_str().unwrap();
            assert_eq!(rows, format!("/app/leads?from=2026-09-12&to=2026-09-18&promise={which}"));
            assert_eq!(listed(&owner, ACME, rows).await.count, 1);
        }
        assert_eq!(asked(app, &shop, "promise=broken&from=2026-09-18&to=2026-09-18").await, ["Visitor 2"]);
        app.figures_agree().await;
        assert_eq!(app.recounts(shop.id()).await.days_wrong, 0);
    }

    async fn logged_answer_counts_as_first_human_answer(app) {
        let shop = app.org("Acme Plumbing").await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        app.advance(Duration::minutes(4));
        let owner = office(app, &shop).await;
        owner.post(&format!("/api/leads/{lead}/answered"), &json!({"how": "answered"})).await;
        let human = kpis(&owner, ACME).await["week"]["answers"]["human"].clone();
        assert_eq!((&human["count"], &human["medianMinutes"]), (&json!(1), &json!(4.0)));
        app.figures_agree().await;
    }

    async fn report_names_customers_still_owed_an_answer(app) {
        let shop = app.org("Acme Plumbing").await;
        app.sets(&shop, json!({"pulse": {"language": "es"}})).await;
        Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        app.lives_days(1).await;
        let letters = app.mail.accepted_messages();
        let report = letters.iter().rfind(|letter| letter.text.contains("Promesas de respuesta")).expect("a report");
        assert!(report.text.contains("Promesas de respuesta: 0 cumplidas, 1 incumplida"), "{}", report.text);
        assert!(report.text.contains("Responda ya a Ann Lee: el plazo prometido pasó"), "{}", report.text);
        assert!(!report.text.contains("Responda a Ann Lee: nadie"), "named once: {}", report.text);
    }
}
