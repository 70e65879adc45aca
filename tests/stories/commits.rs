//! Commits of one business at once: each locks the end of the audit chain and writes figures and alerts, with other work
//! before it.

use chrono::Duration;
use futures::future::join_all;
use serde_json::{Value, json};
use shared::{domain::tenancy::audit::verify, platform::id::LeadId};
use tests::{
    app::TestApp,
    both_databases,
    http::{Answer, Client, Multipart},
    people::{Shop, Visitor},
};

/// Requests of each kind in one round.
const OF_EACH: u32 = 6;

struct Crowd {
    shop: Shop,
    owner: Client,
    visitor: Client,
    /// With a job each.
    leads: Vec<LeadId>,
    jobs: Vec<Value>,
}

/// Owned arguments, so that many calls can wait beside each other.
async fn sends(client: &Client, path: String, body: Value) -> Answer {
    client.post(&path, &body).await
}

impl Crowd {
    async fn of(app: &TestApp) -> Self {
        let shop = app.org("Acme Plumbing").await;
        let owner = app.client().signed_in(app, shop.owner()).await;
        let (mut leads, mut jobs) = (Vec::new(), Vec::new());
        for n in 1..=OF_EACH {
            let lead = Visitor::number(n).submits_lead(app, &shop).await;
            let job = json!({"leadId": lead, "startsAt": app.now() + Duration::hours(49), "durationMinutes": 120});
            let made = owner.post("/api/jobs", &job).await;
            assert_eq!(made.status, 201, "{}", made.json());
            leads.push(lead);
            jobs.push(made.json()["id"].clone());
        }
        app.run_tasks().await;
        Self { shop, owner, visitor: app.client().here(), leads, jobs }
    }

    /// Forms, changes of jobs, payments and new customers at once: 24 transactions.
    async fn acts_at_once(&self, round: u32, to: &str) {
        let forms = (0..OF_EACH).map(|n| {
            let phone = format!("512555{:04}", 1000 + round * 100 + n);
            let form = Multipart::ann("acme-plumbing")
                .text("phone", &phone)
                .text("email", &format!("{phone}@customer.example"));
            self.visitor.post_form("/api/leads/create", form)
        });
        let changes = self.jobs.iter().map(|job| {
            let path = format!("/api/jobs/{}/status", job.as_str().unwrap());
            sends(&self.owner, path, json!({ "to": to }))
        });
        let paid =
            self.leads.iter().rev().map(|lead| {
                sends(&self.owner, format!("/api/leads/{lead}/paid"), json!({"amount": 40, "partial": true}))
            });
        let jobs = self.leads.iter().map(|lead| {
            sends(&self.owner, "/api/jobs".to_owned(), json!({"leadId": lead, "description": format!("Round {round}")}))
        });
        let (forms, changes, paid, jobs) =
            futures::join!(join_all(forms), join_all(changes), join_all(paid), join_all(jobs));
        for answer in forms.iter().chain(&changes).chain(&paid).chain(&jobs) {
            assert!(answer.status.is_success(), "{}: {}", answer.status, answer.json());
        }
    }
}

both_databases! {
    async fn two_commits_of_one_business_do_not_deadlock(app) {
        let crowd = Crowd::of(app).await;
        for (round, to) in [(1, "in_progress"), (2, "completed")] {
            crowd.acts_at_once(round, to).await;
        }
        app.run_tasks().await;
        app.figures_agree().await;
        let mut conn = app.db.acquire_reader().await.unwrap();
        let verdict = verify::verify_chain(&mut conn, &app.settings.secret, crowd.shop.id(), None, app.now()).await.unwrap();
        assert!(verdict.ok && verdict.checked >= 48, "{}: {}", verdict.checked, verdict.detail);
    }
}
