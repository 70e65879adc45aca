//! Calls, held requests and merged records in the figures.

use chrono::Duration;
use serde_json::json;
use tests::{
    both_databases,
    fake_twilio::Leg,
    people::Visitor,
    phone::{ANN, OWNER},
};

use super::{ACME, MetricsFixture, kpis, value};

const NUMBER: &str = "+15125550100";

both_databases! {
    async fn missed_call_is_recovered_when_its_caller_writes_back(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        let office = app.client().signed_in(app, shop.owner()).await;
        line.rings(ANN, []).await;
        line.rings("+15125550143", []).await;
        app.advance(Duration::seconds(12));
        app.run_tasks().await;
        let week = kpis(&office, ACME).await["week"].clone();
        assert_eq!((value(&week["calls"]["missed"]), value(&week["calls"]["recovered"])), (&json!(2), &json!(0)));
        assert_eq!((value(&week["newLeads"]), value(&week["autoReplied"])), (&json!(2), &json!(2)));
        app.advance(Duration::minutes(3));
        line.writes(ANN, "Can you come today?").await;
        app.run_tasks().await;
        let week = kpis(&office, ACME).await["week"].clone();
        assert_eq!((value(&week["calls"]["missed"]), value(&week["calls"]["recovered"])), (&json!(2), &json!(1)));
        assert_eq!(week["answers"]["human"]["count"], 0, "a rule is nobody");
        app.figures_agree().await;
    }

    async fn accepted_call_counts_as_human_answer_to_the_waiting_lead(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        app.sets(&shop, json!({"calls": {"forwardTo": [OWNER]}})).await;
        let office = app.client().signed_in(app, shop.owner()).await;
        Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        app.advance(Duration::minutes(4));
        line.rings(ANN, [Leg::accepts(OWNER)]).await;
        app.run_tasks().await;
        let answers = kpis(&office, ACME).await["week"]["answers"].clone();
        assert_eq!((&answers["human"]["count"], &answers["humanWithinFiveMinutes"]), (&json!(1), &json!(100.0)));
        app.figures_agree().await;
    }

    async fn held_lead_counts_from_its_release(app) {
        let work = MetricsFixture::of(app).await;
        let mut robot = Visitor::ann();
        robot.form.company = Some("Best SEO Ltd".into());
        let held = robot.submits_lead(app, &work.shop).await;
        assert_eq!(value(&work.kpis().await["week"]["newLeads"]), 0);
        app.advance(Duration::hours(5));
        app.releases(&work.shop, held).await.unwrap();
        app.advance(Duration::seconds(60));
        app.run_tasks().await;
        let week = work.kpis().await["week"].clone();
        assert_eq!((value(&week["newLeads"]), &week["answers"]["auto"]["medianMinutes"]), (&json!(1), &json!(1.0)), "not five hours");
        app.figures_agree().await;
    }

    async fn undone_customer_merge_restores_the_figures(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        app.sets(&shop, json!({"calls": {"forwardTo": [OWNER]}})).await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let one = Visitor::ann().submits_lead(app, &shop).await;
        let other = Visitor::ann().phone("(512) 555-0147").email(None).submits_lead(app, &shop).await;
        app.run_tasks().await;
        // Only the caller from the second number is known to have been spoken to.
        app.advance(Duration::minutes(2));
        line.rings("+15125550147", [Leg::accepts(OWNER)]).await;
        app.run_tasks().await;
        let figures = async || {
            let week = kpis(&office, ACME).await["week"].clone();
            (value(&week["newLeads"]).clone(), week["answers"]["human"]["count"].clone())
        };
        assert_eq!(figures().await, (json!(2), json!(1)));
        let [kept, gone] = [app.lead(shop.id(), one).await.customer_id, app.lead(shop.id(), other).await.customer_id];
        let merged = office.post(&format!("/api/customers/{kept}/merge"), &json!({ "otherId": gone })).await;
        assert_eq!(merged.status, 200, "{}", merged.json());
        app.figures_agree().await;
        assert_eq!(figures().await, (json!(2), json!(2)), "one person was spoken to, about both");
        let merge = merged.json()["mergedFrom"][0]["mergeId"].as_str().unwrap().to_owned();
        let parted = office.post(&format!("/api/customers/merges/{merge}/undo"), &json!({})).await;
        assert_eq!(parted.status, 200, "{}", parted.json());
        app.figures_agree().await;
        assert_eq!(figures().await, (json!(2), json!(1)));
    }
}
