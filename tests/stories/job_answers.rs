//! Texts within a job that are more than thanks, and the lead that texts belong to.

use chrono::Duration;
use serde_json::{Value, json};
use shared::platform::{
    db::q,
    id::{CustomerId, LeadId},
};
use tests::{
    app::TestApp,
    both_databases,
    http::Client,
    people::{Shop, Visitor},
    phone::{ANN, Line},
};

const ACME: &str = "+15125550100";

async fn books(app: &TestApp, office: &Client, lead: LeadId, hours: i64) -> String {
    let job = json!({"leadId": lead, "startsAt": app.now() + Duration::hours(hours)});
    let made = office.post("/api/jobs", &job).await;
    assert_eq!(made.status, 201, "{}", made.json());
    app.run_tasks().await;
    made.json()["id"].as_str().expect("an id").to_owned()
}

async fn posts(app: &TestApp, office: &Client, path: &str, body: &Value) {
    let answer = office.post(path, body).await;
    assert!(answer.status.is_success(), "{}", answer.json());
    app.run_tasks().await;
}

/// Number of alerts about texts afterwards.
async fn says(app: &TestApp, line: &Line, words: &str) -> i64 {
    app.advance(Duration::minutes(30));
    line.writes(ANN, words).await;
    app.run_tasks().await;
    let sql = "SELECT COUNT(*) FROM alert WHERE kind = 'text_received'";
    q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar i64, sql).unwrap()
}

async fn lead_of_last_text(app: &TestApp, shop: &Shop) -> LeadId {
    let sql = "SELECT lead_id FROM message WHERE org_id = $1 AND direction = 'in' ORDER BY created_at DESC LIMIT 1";
    q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar LeadId, sql, shop.id()).unwrap()
}

async fn set_stage(app: &TestApp, shop: &Shop, lead: LeadId, stage: &str) {
    let sql = "UPDATE lead SET stage = $3 WHERE org_id = $1 AND id = $2";
    app.within(async |tx| Ok(q!(tx, execute, sql, shop.id(), lead, stage)?)).await.unwrap();
}

both_databases! {
    async fn answer_or_question_beside_thanks_during_job_raises_alert(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, ACME).await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let job = books(app, &office, lead, 6).await;
        let sql = "SELECT customer_id FROM lead WHERE org_id = $1 AND id = $2";
        let customer = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar CustomerId, sql, shop.id(), lead).unwrap();
        let messages = format!("/api/customers/{customer}/messages");
        posts(app, &office, &format!("/api/jobs/{job}/status"), &json!({"to": "in_progress"})).await;
        app.advance(Duration::minutes(30));
        posts(app, &office, &messages, &json!({"channel": "sms", "body": "We can come Thursday 9 or Friday 2, let me know"})).await;
        assert_eq!(says(app, &line, "Friday at 2 works great thanks").await, 1, "the time is an answer");
        posts(app, &office, &messages, &json!({"channel": "sms", "body": "Let us know if the van may stand in the drive"})).await;
        assert_eq!(says(app, &line, "sounds good").await, 2, "asked without a question mark");
        assert_eq!(says(app, &line, "Great, thank you!").await, 2, "only thanks");
        posts(app, &office, &format!("/api/jobs/{job}/status"), &json!({"to": "completed"})).await;
        app.advance(Duration::days(2));
        assert_eq!(says(app, &line, "Great, it is out again").await, 3, "the work failed");
        assert_eq!(says(app, &line, "Ok how much").await, 4, "a question without its mark");
        assert_eq!(app.count("lead").await, 1);
    }

    async fn text_during_or_soon_after_job_belongs_to_job_despite_older_open_quote(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, ACME).await;
        let working = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let job = books(app, &office, working, 6).await;
        set_stage(app, &shop, working, "done").await;
        app.advance(Duration::hours(1));
        let quoted = Visitor::ann().submits_lead(app, &shop).await;
        assert_ne!(working, quoted);
        app.run_tasks().await;
        set_stage(app, &shop, quoted, "quoted").await;
        says(app, &line, "The gate code is 4421").await;
        assert_eq!(lead_of_last_text(app, &shop).await, working, "the visit is today");
        posts(app, &office, &format!("/api/jobs/{job}/status"), &json!({"to": "in_progress"})).await;
        says(app, &line, "The dog is in the yard").await;
        assert_eq!(lead_of_last_text(app, &shop).await, working, "the job runs");
        posts(app, &office, &format!("/api/jobs/{job}/status"), &json!({"to": "completed"})).await;
        app.advance(Duration::days(2));
        says(app, &line, "Yes the side gate is open").await;
        assert_eq!(lead_of_last_text(app, &shop).await, working, "the job ended two days ago");
        for lead in [working, quoted] {
            set_stage(app, &shop, lead, "done").await;
        }
        let asked_since = Visitor::ann().submits_lead(app, &shop).await;
        assert!(![working, quoted].contains(&asked_since));
        app.run_tasks().await;
        says(app, &line, "The new sink is in the kitchen").await;
        assert_eq!(lead_of_last_text(app, &shop).await, asked_since, "requested after the job ended");
    }

    async fn number_with_unassigned_exchange_gets_no_text(app) {
        let shop = app.org("Acme Plumbing").await;
        for (phone, is_texted) in [("+1 684 234 5678", false), ("+1 671 512 9999", false), ("+1 671 234 5678", true)] {
            let mut guest = Visitor::ann().named("Bo").phone(phone);
            let digits: String = phone.chars().filter(char::is_ascii_digit).collect();
            guest.form.email = Some(format!("b{digits}@example.com"));
            guest.sender.is_exempt = true;
            let lead = guest.submits_lead(app, &shop).await;
            app.run_tasks().await;
            let outbox = app.outbox(shop.id(), lead).await;
            assert_eq!(outbox.iter().any(|line| line.starts_with("auto_reply sms")), is_texted, "{phone}: {outbox:?}");
        }
    }
}
