//! Customers' names: a name that a stranger types stays with its request and does not replace a known one.

use chrono::Duration;
use serde_json::json;
use shared::platform::db::q;
use tests::{app::TestApp, both_databases, people::Visitor, phone::ANN};

use super::{STRANGER, customer_of, estimate_goes_to, record, shop};

/// The name that a stranger types so that the customer reads it.
const TYPED: &str = "Dirty Dan";

/// After payment the next request is a new lead.
async fn all_is_paid(app: &TestApp) {
    app.within(async |tx| Ok(q!(tx, execute, "UPDATE lead SET stage = 'paid'")?)).await.unwrap();
    app.advance(Duration::days(2));
}

both_databases! {
    async fn known_customer_keeps_name_on_lead_and_papers_when_form_differs(app) {
        let (shop, office) = shop(app).await;
        let first = Visitor::ann().submits_lead(app, &shop).await;
        app.office_confirms(&shop).await;
        app.run_tasks().await;
        all_is_paid(app).await;
        let lead = Visitor::ann().named(TYPED).email(None).submits_lead(app, &shop).await;
        app.run_tasks().await;
        assert_ne!(lead, first);
        let customer = customer_of(app, &shop, first).await;
        assert_eq!(customer_of(app, &shop, lead).await, customer);
        let seen = office.get(&format!("/api/leads/{lead}")).await.json();
        assert_eq!((&seen["name"], &seen["touches"][0]["name"]), (&json!("Ann Lee"), &json!(TYPED)));
        assert_eq!(record(&office, customer).await["name"], json!("Ann Lee"));
        let alerts = office.get("/api/alerts").await.json();
        let titles: Vec<_> = alerts.as_array().unwrap().iter().filter_map(|alert| alert["title"].as_str()).collect();
        assert!(titles.contains(&"New lead: Ann Lee (wrote: Dirty Dan), Plumbing"), "{titles:?}");
        estimate_goes_to(app, &office, lead).await;
        let texts = app.sms.accepted_messages();
        let paper = texts.iter().find(|text| text.to == ANN && text.body.contains("/p/")).unwrap();
        assert!(paper.body.contains("Ann") && !paper.body.contains("Dan"), "{}", paper.body);
    }

    async fn released_form_for_known_customer_is_answered_by_its_typed_name(app) {
        let (shop, office) = shop(app).await;
        Visitor::ann().submits_lead(app, &shop).await;
        app.office_confirms(&shop).await;
        app.run_tasks().await;
        all_is_paid(app).await;
        let mut mallory = Visitor::ann().named(TYPED).phone(STRANGER);
        mallory.form.company = Some("Best SEO Ltd".into());
        let lead = mallory.submits_lead(app, &shop).await;
        app.run_tasks().await;
        assert_eq!(app.lead(shop.id(), lead).await.summary.name, "Ann Lee");
        let freed = office.post(&format!("/api/leads/{lead}/release"), &json!({})).await;
        assert!(freed.status.is_success(), "{}", freed.json());
        app.advance(Duration::minutes(2));
        app.run_tasks().await;
        let texts = app.sms.accepted_messages();
        let answer = texts.iter().find(|text| text.to == STRANGER).unwrap();
        assert!(answer.body.contains("Dirty") && !answer.body.contains("Ann"), "{}", answer.body);
    }

    async fn unnamed_customer_takes_name_of_first_form(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        line.writes(ANN, "It drips").await;
        app.run_tasks().await;
        all_is_paid(app).await;
        let first = Visitor::ann().email(None).submits_lead(app, &shop).await;
        app.run_tasks().await;
        all_is_paid(app).await;
        let second = Visitor::ann().named(TYPED).email(None).submits_lead(app, &shop).await;
        app.run_tasks().await;
        for lead in [first, second] {
            assert_eq!(app.lead(shop.id(), lead).await.summary.name, "Ann Lee");
        }
        assert_eq!(app.count("customer").await, 1);
    }
}
