//! Costs of a job, its margin, and the age of unpaid amounts.

use axum::http::Method;
use chrono::Duration;
use serde_json::{Value, json};
use shared::{domain::tenancy::account::Role, platform::db::q};
use tests::{both_databases, people::Visitor};

use super::{MetricsFixture, value};

both_databases! {
    async fn job_margin_uses_actual_costs_once_recorded(app) {
        let work = MetricsFixture::of(app).await;
        let ann = work.asked_by(app, Visitor::ann(), 3).await;
        let job = work.posts("/api/jobs", json!({"leadId": ann, "value": 1000})).await["id"].as_str().unwrap().to_owned();
        let path = format!("/api/jobs/{job}/costs");
        let before = work.gets(&path).await;
        assert_eq!(before, json!({"costs": [], "total": 0.0, "revenue": 1000.0, "margin": {"amount": 650.0, "percent": 65.0, "isEstimate": true}}));
        let keyed = work.office.with("idempotency-key", "tap-1");
        let hours = json!({"kind": "labor", "quantity": 2.5, "rate": "40.20", "note": "Sam"});
        let (one, two) = (keyed.post(&path, &hours).await, keyed.post(&path, &hours).await);
        assert_eq!((one.status.as_u16(), one.json()), (201, two.json()), "two taps are one cost");
        app.advance(Duration::seconds(1));
        let costs = work.posts(&path, json!({"kind": "materials", "amount": 199.5})).await;
        assert_eq!((&costs["total"], &costs["margin"]), (&json!(300.0), &json!({"amount": 700.0, "percent": 70.0, "isEstimate": false})));
        let labor = &costs["costs"][0];
        assert_eq!((&labor["amount"], &labor["quantity"], &labor["by"]), (&json!(100.5), &json!(2.5), &json!("Olive Owner")));
        work.moves(&job, "in_progress").await;
        work.moves(&job, "completed").await;
        work.pays(ann, json!({"amount": 500, "partial": true})).await;
        let margin = work.kpis().await["month"]["margin"].clone();
        assert_eq!((&margin["percent"], &margin["amount"], &margin["isEstimate"]), (&json!(70.0), &json!(350.0), &json!(false)));
        let gone = work.office.send(Method::DELETE, &format!("{path}/{}", labor["id"].as_str().unwrap()), "", vec![]).await;
        assert_eq!((gone.status.as_u16(), &gone.json()["total"]), (200, &json!(199.5)));
        let again = work.office.send(Method::DELETE, &format!("{path}/{}", labor["id"].as_str().unwrap()), "", vec![]).await;
        assert_eq!(again.status, 404);
        assert_eq!(work.kpis().await["month"]["margin"]["percent"], 80.1);
        let refused = work.office.post(&path, &json!({"kind": "fun", "amount": 1})).await;
        assert_eq!(refused.problem().2, ["kind"]);
        let crew = app.client().signed_in(app, &app.staff(&work.shop, Role::Crew).await).await;
        assert_eq!((crew.get(&path).await.status, crew.post(&path, &hours).await.status), (403.try_into().unwrap(), 403.try_into().unwrap()));
        app.live_through(Duration::minutes(3), Duration::minutes(1)).await;
        app.figures_agree().await;
    }

    async fn figures_use_the_business_minutes_margin_and_overhead_settings(app) {
        let work = MetricsFixture::of(app).await;
        let ann = work.asked_by(app, Visitor::ann(), 3).await;
        work.pays(ann, json!({"amount": 1000})).await;
        let patch = async |body: Value| {
            let body = json!({ "figures": body }).to_string().into_bytes();
            work.office.send(Method::PATCH, "/api/org/acme-plumbing/settings", "application/json", body).await
        };
        let set = patch(json!({"autoReplyMinutes": 12, "marginPercent": 40, "monthlyOverhead": 300})).await;
        assert_eq!(set.json()["figures"], json!({"autoReplyMinutes": 12, "followUpMinutes": 4, "schedulingMinutes": 10, "marginPercent": 40.0, "monthlyOverhead": 300.0}));
        let month = work.kpis().await["month"].clone();
        assert_eq!((&month["timeSaved"]["autoReplies"]["hours"], &month["margin"]["isEstimate"]), (&json!(0.2), &json!(true)));
        // Seventeen days of September cost 170 dollars.
        assert_eq!((&month["margin"]["overhead"], &month["margin"]["amount"], &month["margin"]["cost"]), (&json!(170.0), &json!(230.0), &json!(600.0)));
        assert_eq!(patch(json!({ "monthlyOverhead": null })).await.json()["figures"]["monthlyOverhead"], json!(null));
        for (body, field) in [
            (json!({"autoReplyMinutes": -1}), "figures.autoReplyMinutes"),
            (json!({"schedulingMinutes": 241}), "figures.schedulingMinutes"),
            (json!({"marginPercent": 101}), "figures.marginPercent"),
            (json!({"monthlyOverhead": -5}), "figures.monthlyOverhead"),
        ] {
            assert_eq!(patch(body.clone()).await.problem(), (422, "validation_failed".into(), vec![field.into()]), "{body}");
        }
        app.run_tasks().await;
    }

    async fn receivables_are_aged_by_due_date(app) {
        let work = MetricsFixture::of(app).await;
        // Due in five days, and this many days ago.
        for (n, ago) in (1..).zip([-5_i64, 1, 30, 31, 60, 61]) {
            let lead = work.asked_by(app, Visitor::number(n), 1).await;
            let draft = work.posts("/api/invoices", json!({"leadId": lead, "lines": [{"name": "Work", "unitPrice": 100}]})).await;
            let id = draft["id"].as_str().unwrap();
            work.posts(&format!("/api/invoices/{id}/send"), json!({"email": false, "text": false})).await;
            let (due, id): (_, uuid::Uuid) = ((app.now() - Duration::days(ago)).date_naive(), id.parse().unwrap());
            let sql = "UPDATE invoice SET due_on = $2 WHERE id = $1";
            app.within(async |tx| Ok(q!(tx, execute, sql, id, due)?)).await.unwrap();
        }
        app.run_tasks().await;
        let owed = work.kpis().await["receivables"].clone();
        let count_and_total = |name: &str| (owed[name]["count"].clone(), owed[name]["total"].clone());
        for (name, count) in [("open", 6), ("overdue", 5), ("to30Days", 2), ("to60Days", 2), ("over30Days", 3), ("over60Days", 1)] {
            assert_eq!(count_and_total(name), (json!(count), json!(f64::from(count) * 100.0)), "{name}");
        }
        assert_eq!(value(&work.kpis().await["week"]["unpaidTotal"]), 600.0, "by the day they were issued");
        app.figures_agree().await;
    }
}
