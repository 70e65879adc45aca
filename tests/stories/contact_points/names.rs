//! Customers' names: a name that a stranger types stays with its request and does not replace a known one.

use axum::http::Method;
use chrono::Duration;
use serde_json::json;
use shared::platform::{db::q, id::CustomerId};
use tests::{
    app::TestApp,
    both_databases,
    people::{Shop, Visitor},
    phone::{ANN, Line},
};

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

    async fn unnamed_customer_takes_name_of_form_once_its_number_says_yes(app) {
        let unnamed = Unnamed::of(app).await;
        let lead = Visitor::ann().named(TYPED).email(None).submits_lead(app, &unnamed.shop).await;
        app.run_tasks().await;
        assert_eq!(app.lead(unnamed.shop.id(), lead).await.summary.name, TYPED);
        assert!(!unnamed.has_name(app).await, "a stranger may have typed it");
        app.advance(Duration::minutes(5));
        unnamed.line.writes(ANN, "When can you come?").await;
        app.run_tasks().await;
        assert!(!unnamed.has_name(app).await);
        app.advance(Duration::minutes(5));
        unnamed.line.writes(ANN, "Yes please").await;
        app.run_tasks().await;
        assert_eq!(unnamed.name(app).await, TYPED);
        all_is_paid(app).await;
        let next = Visitor::ann().email(None).submits_lead(app, &unnamed.shop).await;
        assert_eq!(app.lead(unnamed.shop.id(), next).await.summary.name, TYPED);
        app.run_tasks().await;
        assert_eq!(app.count("customer").await, 1);
    }

    async fn adopted_name_is_withdrawn_when_its_number_denies_the_request(app) {
        let unnamed = Unnamed::of(app).await;
        Visitor::ann().named(TYPED).email(None).submits_lead(app, &unnamed.shop).await;
        app.run_tasks().await;
        for denial in ["That was not me, I never asked you for anything", "Who are you?"] {
            // A yes soon after a denial confirms nothing, so the second round begins with the adopted name.
            let adopted = "UPDATE customer SET name = $2, name_confirmed_at = $3 WHERE org_id = $1";
            app.within(async |tx| Ok(q!(tx, execute, adopted, unnamed.shop.id(), TYPED, app.now())?)).await.unwrap();
            app.advance(Duration::minutes(5));
            unnamed.line.writes(ANN, denial).await;
            app.run_tasks().await;
            assert_eq!(unnamed.name(app).await, "(512) 555-0142", "{denial}");
        }
    }

    async fn stop_soon_after_the_yes_withdraws_the_adopted_name(app) {
        let unnamed = Unnamed::of(app).await;
        let lead = Visitor::ann().named(TYPED).email(None).submits_lead(app, &unnamed.shop).await;
        app.run_tasks().await;
        app.advance(Duration::minutes(5));
        unnamed.line.writes(ANN, "Yes please").await;
        app.run_tasks().await;
        assert_eq!(unnamed.name(app).await, TYPED);
        app.advance(Duration::minutes(5));
        unnamed.line.writes(ANN, "STOP").await;
        app.run_tasks().await;
        assert!(!unnamed.has_name(app).await);
        assert_eq!(app.lead(unnamed.shop.id(), lead).await.summary.name, TYPED, "the request keeps what was typed");
    }

    async fn adopted_name_survives_a_later_question_about_another_message(app) {
        let unnamed = Unnamed::of(app).await;
        Visitor::ann().named(TYPED).email(None).submits_lead(app, &unnamed.shop).await;
        app.run_tasks().await;
        app.advance(Duration::minutes(5));
        unnamed.line.writes(ANN, "Yes please").await;
        app.run_tasks().await;
        app.advance(Duration::days(300));
        unnamed.line.writes(ANN, "Sounds good, what is this about?").await;
        app.run_tasks().await;
        assert_eq!(unnamed.name(app).await, TYPED);
    }

    async fn adopted_name_survives_stop_from_another_phone_of_the_customer(app) {
        let unnamed = Unnamed::of(app).await;
        Visitor::ann().named(TYPED).email(None).submits_lead(app, &unnamed.shop).await;
        app.run_tasks().await;
        app.advance(Duration::minutes(5));
        unnamed.line.writes(ANN, "Yes please").await;
        app.run_tasks().await;
        let office = app.client().signed_in(app, unnamed.shop.owner()).await;
        let path = format!("/api/customers/{}", unnamed.customer);
        let second = json!({ "phone": STRANGER }).to_string().into_bytes();
        let added = office.send(Method::PATCH, &path, "application/json", second).await;
        assert!(added.status.is_success(), "{}", added.json());
        app.advance(Duration::minutes(5));
        unnamed.line.writes(STRANGER, "STOP").await;
        app.run_tasks().await;
        assert_eq!(unnamed.name(app).await, TYPED, "the yes came from the first phone");
        unnamed.line.writes(ANN, "STOP").await;
        app.run_tasks().await;
        assert!(!unnamed.has_name(app).await);
    }

    async fn name_that_the_office_types_survives_a_denial(app) {
        let unnamed = Unnamed::of(app).await;
        Visitor::ann().named(TYPED).email(None).submits_lead(app, &unnamed.shop).await;
        app.run_tasks().await;
        app.advance(Duration::minutes(5));
        unnamed.line.writes(ANN, "Yes please").await;
        app.run_tasks().await;
        let office = app.client().signed_in(app, unnamed.shop.owner()).await;
        let path = format!("/api/customers/{}", unnamed.customer);
        let renamed = office.send(Method::PATCH, &path, "application/json", br#"{"name": "Ann Lee"}"#.to_vec()).await;
        assert!(renamed.status.is_success(), "{}", renamed.json());
        app.advance(Duration::minutes(5));
        unnamed.line.writes(ANN, "Wrong number").await;
        app.run_tasks().await;
        assert_eq!(unnamed.name(app).await, "Ann Lee");
    }

    async fn unnamed_caller_takes_name_of_form_after_press_behind_its_link(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        line.writes(ANN, "It drips").await;
        app.run_tasks().await;
        let office = app.client().signed_in(app, shop.owner()).await;
        // The form completes the request that the text began.
        let lead = Visitor::ann().email(None).submits_lead(app, &shop).await;
        app.run_tasks().await;
        assert_eq!(app.lead(shop.id(), lead).await.summary.name, "Ann Lee");
        let customer = customer_of(app, &shop, lead).await;
        let name = record(&office, customer).await["name"].as_str().unwrap().to_owned();
        assert!(!name.contains("Ann"), "{name}");
        let made = office.post(&format!("/api/leads/{lead}/estimate"), &json!({"quotedTotal": 500.0})).await;
        assert_eq!(made.status, 200, "{}", made.json());
        app.live_through(Duration::minutes(3), Duration::minutes(1)).await;
        let listed = office.get(&format!("/api/leads/{lead}/estimates")).await.json();
        let link = app.sent_link(listed[0]["link"].as_str().unwrap(), ANN).await;
        let at = format!("{}/ask", link.trim_start_matches("https://toolbox.example"));
        let asked = app.client().send(Method::POST, &at, "application/x-www-form-urlencoded", b"question=When%3F".to_vec()).await;
        assert_eq!(asked.status, 303);
        app.run_tasks().await;
        assert_eq!(record(&office, customer).await["name"], json!("Ann Lee"));
    }

    async fn unnamed_customer_stays_unnamed_when_two_forms_differ(app) {
        let unnamed = Unnamed::of(app).await;
        for name in ["Ann Lee", TYPED] {
            Visitor::ann().named(name).email(None).submits_lead(app, &unnamed.shop).await;
            app.run_tasks().await;
            app.advance(Duration::minutes(1));
        }
        unnamed.line.writes(ANN, "Yes please").await;
        app.run_tasks().await;
        assert!(!unnamed.has_name(app).await, "the office decides");
    }

    async fn unnamed_customer_keeps_name_that_the_office_types(app) {
        let unnamed = Unnamed::of(app).await;
        Visitor::ann().named(TYPED).email(None).submits_lead(app, &unnamed.shop).await;
        app.run_tasks().await;
        let office = app.client().signed_in(app, unnamed.shop.owner()).await;
        let path = format!("/api/customers/{}", unnamed.customer);
        let renamed = office.send(Method::PATCH, &path, "application/json", br#"{"name": "Ann Lee"}"#.to_vec()).await;
        assert!(renamed.status.is_success(), "{}", renamed.json());
        unnamed.line.writes(ANN, "Yes please").await;
        app.run_tasks().await;
        assert_eq!(unnamed.name(app).await, "Ann Lee");
    }
}

/// A customer who is known only by a text, and whose request is over.
struct Unnamed {
    shop: Shop,
    line: Line,
    customer: CustomerId,
}

impl Unnamed {
    async fn of(app: &mut TestApp) -> Self {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        line.writes(ANN, "It drips").await;
        app.run_tasks().await;
        all_is_paid(app).await;
        let sql = "SELECT id FROM customer WHERE org_id = $1";
        let customer =
            q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar CustomerId, sql, shop.id()).unwrap();
        Self { shop, line, customer }
    }

    /// Sessions do not last for days, so each look signs in.
    async fn name(&self, app: &TestApp) -> String {
        let office = app.client().signed_in(app, self.shop.owner()).await;
        record(&office, self.customer).await["name"].as_str().unwrap().to_owned()
    }

    async fn has_name(&self, app: &TestApp) -> bool {
        self.name(app).await.chars().any(char::is_alphabetic)
    }
}
