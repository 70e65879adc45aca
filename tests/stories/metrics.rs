//! The owner's figures: requests, work and money are in them when the page answers, and a full recount finds the
//! same.

use axum::http::Method;
use chrono::Duration;
use futures::future::join_all;
use serde_json::{Value, json};
use shared::{domain::tenancy::account::Role, platform::id::LeadId, providers::sms::SmsProvider};
use tests::{
    app::TestApp,
    both_databases,
    figures::{daily, kpis},
    http::{Answer, Client},
    people::{Shop, Visitor},
};

mod calls_and_merges;
mod drilldown;
mod job_costs;
mod reconciliation;

const ACME: &str = "acme-plumbing";

struct MetricsFixture {
    shop: Shop,
    office: Client,
}

impl MetricsFixture {
    async fn of(app: &mut TestApp) -> Self {
        app.use_twilio_at("http://127.0.0.1:9");
        app.context.sms = SmsProvider::Memory(app.sms.clone());
        let shop = app.org("Acme Plumbing").await;
        let office = app.client().signed_in(app, shop.owner()).await;
        Self { shop, office }
    }

    /// A visitor sends a request that is answered after this many seconds.
    async fn asked_by(&self, app: &TestApp, visitor: Visitor, seconds: i64) -> LeadId {
        let lead = visitor.submits_lead(app, &self.shop).await;
        app.advance(Duration::seconds(seconds));
        app.run_tasks().await;
        lead
    }

    async fn posts(&self, path: &str, body: Value) -> Value {
        let answer = self.office.post(path, &body).await;
        assert!(answer.status.is_success(), "{path}: {} {}", answer.status, answer.json());
        answer.json()
    }

    async fn gets(&self, path: &str) -> Value {
        self.office.get(path).await.json()
    }

    async fn kpis(&self) -> Value {
        kpis(&self.office, ACME).await
    }

    async fn estimates(&self, app: &TestApp, lead: LeadId, total: f64) -> Value {
        self.posts(&format!("/api/leads/{lead}/estimate"), json!({ "quotedTotal": total })).await;
        app.run_tasks().await;
        self.gets(&format!("/api/leads/{lead}/estimates")).await[0].clone()
    }

    async fn is_approved(&self, app: &TestApp, estimate: &Value) {
        let at = estimate["link"].as_str().unwrap().trim_start_matches("https://toolbox.example").to_owned();
        let page = String::from_utf8(app.client().get(&at).await.body).unwrap();
        let sha256 = &page.split("name=\"sha256\" value=\"").nth(1).unwrap()[..64];
        let body = format!("name=Ann+Lee&agree=yes&sha256={sha256}");
        let form = "application/x-www-form-urlencoded";
        let signed = app.client().send(Method::POST, &format!("{at}/approve"), form, body.into_bytes()).await;
        assert_eq!(signed.status, 303);
        app.run_tasks().await;
    }

    async fn books(&self, app: &TestApp, lead: LeadId) -> String {
        let starts = app.now() + Duration::days(1);
        let job = self.posts("/api/jobs", json!({"leadId": lead, "startsAt": starts})).await;
        job["id"].as_str().unwrap().to_owned()
    }

    async fn moves(&self, job: &str, to: &str) -> Value {
        self.posts(&format!("/api/jobs/{job}/status"), json!({ "to": to })).await
    }

    /// Issues the lead's only draft. Returns its id.
    async fn issues(&self, app: &TestApp, lead: LeadId) -> String {
        let drafts = self.gets("/api/invoices?status=draft").await;
        let of = |invoice: &&Value| invoice["leadId"] == json!(lead);
        let id = drafts.as_array().unwrap().iter().find(of).unwrap()["id"].as_str().unwrap().to_owned();
        self.posts(&format!("/api/invoices/{id}/send"), json!({"email": true, "text": false})).await;
        app.run_tasks().await;
        id
    }

    async fn pays(&self, lead: LeadId, body: Value) -> Value {
        self.posts(&format!("/api/leads/{lead}/paid"), body).await["payment"].clone()
    }
}

fn value(figure: &Value) -> &Value {
    &figure["value"]
}

/// A visitor from a campaign.
fn bob() -> Visitor {
    let mut bob = Visitor::number(1);
    bob.form.page_url = Some("https://acme.example/lead?utm_source=Google".into());
    bob
}

both_databases! {
    async fn weekly_kpis_match_a_week_of_recorded_work(app) {
        let work = MetricsFixture::of(app).await;
        // Thursday: Ann asks, is answered after three seconds, and by a person after twenty minutes.
        let ann = work.asked_by(app, Visitor::ann(), 3).await;
        app.advance(Duration::minutes(20) - Duration::seconds(3));
        let customer = app.lead(work.shop.id(), ann).await.customer_id;
        work.posts(&format!("/api/customers/{customer}/messages"), json!({"channel": "sms", "body": "We can come on Saturday."})).await;
        app.run_tasks().await;
        // Friday: Bob asks; Ann gets an estimate and signs it.
        app.advance(Duration::days(1));
        work.asked_by(app, bob(), 5).await;
        let estimate = work.estimates(app, ann, 1250.5).await;
        work.is_approved(app, &estimate).await;
        let job = work.books(app, ann).await;
        // Saturday: the work is done, billed, and paid in part.
        app.advance(Duration::days(1));
        app.run_tasks().await;
        work.moves(&job, "in_progress").await;
        work.moves(&job, "completed").await;
        for cost in [json!({"kind": "labor", "quantity": 4, "rate": 50}), json!({"kind": "materials", "amount": 150.25})] {
            work.posts(&format!("/api/jobs/{job}/costs"), cost).await;
        }
        app.advance(Duration::minutes(2));
        app.run_tasks().await;
        work.issues(app, ann).await;
        work.pays(ann, json!({"amount": 500, "partial": true})).await;
        app.figures_agree().await;

        let week = work.kpis().await["week"].clone();
        assert_eq!((&week["from"], &week["to"]), (&json!("2026-09-13"), &json!("2026-09-19")));
        assert_eq!((value(&week["newLeads"]), value(&week["autoReplied"]), &week["autoReplyRate"]), (&json!(2), &json!(2), &json!(100)));
        let answers = &week["answers"];
        assert_eq!(answers["auto"], json!({"count": 2, "medianMinutes": 4.0 / 60.0, "p90Minutes": 5.0 / 60.0}));
        assert_eq!(answers["human"], json!({"count": 1, "medianMinutes": 20.0, "p90Minutes": 20.0}));
        assert_eq!((&answers["humanWithinFiveMinutes"], &answers["humanWithinAnHour"]), (&json!(0.0), &json!(50.0)));
        let quotes = &week["quotes"];
        assert_eq!((value(&quotes["sent"]), value(&quotes["sentTotal"])), (&json!(1), &json!(1250.5)));
        assert_eq!((value(&quotes["won"]), value(&quotes["wonTotal"]), value(&quotes["lost"])), (&json!(1), &json!(1250.5), &json!(0)));
        assert_eq!((value(&week["jobsDone"]), value(&week["jobRevenue"]), value(&week["booked"])), (&json!(1), &json!(1250.5), &json!(1)));
        assert_eq!((value(&week["revenue"]), value(&week["unpaidTotal"]), value(&week["unpaidJobs"])), (&json!(500.0), &json!(750.5), &json!(1)));
        // 1250.50 less 350.25: 72 % of the income.
        let margin = &week["margin"];
        assert_eq!((&margin["percent"], &margin["isEstimate"], &margin["amount"]), (&json!(72.0), &json!(false), &json!(359.96)));
        let saved = &week["timeSaved"];
        assert_eq!(saved["autoReplies"], json!({"actions": 2, "minutesEach": 5, "hours": 10.0 / 60.0}));
        assert_eq!(saved["scheduling"]["actions"], 0, "the office planned the visit");

        let all = work.kpis().await;
        assert_eq!((&all["isCounted"], &all["timezone"], &all["today"]), (&json!(true), &json!("America/Chicago"), &json!("2026-09-19")));
        assert_eq!(all["receivables"]["open"]["total"], 750.5);
        let of = |source: &Value| (source["source"].clone(), source["leads"].clone(), source["booked"].clone(), source["won"].clone(), source["paid"].clone());
        let sources: Vec<_> = all["sources"].as_array().unwrap().iter().map(of).collect();
        assert_eq!(sources, [(json!("Website"), json!(1), json!(1), json!(1), json!(500.0)), (json!("google"), json!(1), json!(0), json!(0), json!(0.0))]);
        assert_eq!(all["sources"][1]["rows"], "/app/leads?from=2026-09-01&to=2026-09-19&source=google");
        let months = all["months"].as_array().unwrap();
        assert_eq!((months.len(), &months[11]["month"], &months[11]["revenue"], &months[11]["profit"]), (12, &json!("2026-09-01"), &json!(500.0), &json!(359.96)));
        assert_eq!((&months[10]["revenue"], &months[10]["isEstimate"]), (&json!(0.0), &json!(false)));
    }

    async fn daily_metrics_have_all_fields_and_include_quiet_days(app) {
        let work = MetricsFixture::of(app).await;
        let ann = work.asked_by(app, Visitor::ann(), 3).await;
        work.pays(ann, json!({"amount": 89.5})).await;
        app.advance(Duration::days(2));
        let days = daily(&work.office, ACME, 30).await;
        assert_eq!((days.len(), &days[0]["date"], &days[29]["date"]), (30, &json!("2026-08-21"), &json!("2026-09-19")));
        let mut keys: Vec<_> = days[27].as_object().unwrap().keys().cloned().collect();
        keys.sort();
        let fields = ["autoRepliedLeads", "avgResponseMinutes", "date", "newLeads", "paidJobs", "paidJobsRevenue",
            "promisesBroken", "promisesKept", "reviewsReceived", "reviewsRequested", "timeSavedHours", "unpaidJobs", "unpaidTotal"];
        assert_eq!(keys, fields);
        let thursday = &days[27];
        assert_eq!((&thursday["date"], &thursday["newLeads"], &thursday["autoRepliedLeads"]), (&json!("2026-09-17"), &json!(1), &json!(1)));
        assert_eq!((&thursday["avgResponseMinutes"], &thursday["paidJobs"], &thursday["paidJobsRevenue"]), (&json!(0.05), &json!(1), &json!(89.5)));
        assert_eq!((&days[28]["newLeads"], &days[28]["avgResponseMinutes"]), (&json!(0), &json!(0.0)));
        assert_eq!(daily(&work.office, ACME, 1).await, days[29..]);
        app.run_tasks().await;
    }

    async fn weekly_average_answer_time_is_the_mean_of_days_with_answers(app) {
        let work = MetricsFixture::of(app).await;
        assert_eq!(work.kpis().await["week"]["answers"]["averageMinutes"], Value::Null, "no answers, no average");
        // Thursday: two wait three seconds each. Friday: no requests. Saturday: one waits 63 seconds.
        for n in [1, 2] {
            work.asked_by(app, Visitor::number(n), 3).await;
        }
        app.advance(Duration::days(2));
        work.asked_by(app, Visitor::number(3), 63).await;
        let of_days = |days: &[Value]| days.iter().map(|day| day["avgResponseMinutes"].as_f64().unwrap()).collect::<Vec<_>>();
        let means = of_days(&daily(&work.office, ACME, 7).await);
        assert_eq!(means, [0.0, 0.0, 0.0, 0.0, 0.05, 0.0, 1.05]);
        // (0.05 + 1.05) / 2: by request it would be (3 + 3 + 63) / 3 = 23 seconds.
        let of: Vec<f64> = means.into_iter().filter(|mean| *mean > 0.0).collect();
        let wanted = of.iter().sum::<f64>() / 2.0;
        let all = work.kpis().await;
        let answers = &all["week"]["answers"];
        assert_eq!((of.len(), &answers["averageMinutes"], &answers["auto"]["medianMinutes"]), (2, &json!(wanted), &json!(0.05)));
        assert_eq!(all["month"]["answers"]["averageMinutes"], json!(wanted), "a month is reckoned alike");
        assert_eq!(all["priorWeek"]["answers"]["averageMinutes"], Value::Null);
        app.figures_agree().await;
    }

    async fn refund_in_a_later_month_counts_on_its_own_day(app) {
        let work = MetricsFixture::of(app).await;
        let ann = work.asked_by(app, Visitor::ann(), 3).await;
        let payment = work.pays(ann, json!({"amount": 300})).await;
        app.advance(Duration::days(20));
        app.run_tasks().await;
        let work = MetricsFixture { office: app.client().signed_in(app, work.shop.owner()).await, ..work };
        work.posts(&format!("/api/payments/{}/refund", payment["id"].as_str().unwrap()), json!({"amount": 100})).await;
        let all = work.kpis().await;
        assert_eq!((value(&all["month"]["revenue"]), value(&all["priorMonth"]["revenue"])), (&json!(-100.0), &json!(300.0)));
        assert_eq!((&all["months"][11]["revenue"], &all["months"][10]["revenue"]), (&json!(-100.0), &json!(300.0)));
        assert_eq!(all["sources"][0]["paid"], -100.0);
        assert_eq!(daily(&work.office, ACME, 1).await[0]["paidJobsRevenue"], -100.0);
        app.run_tasks().await;
        app.figures_agree().await;
    }

    async fn estimate_versions_count_as_one_quote(app) {
        let work = MetricsFixture::of(app).await;
        let ann = work.asked_by(app, Visitor::ann(), 3).await;
        let quote_figures = async || {
            let quotes = work.kpis().await["week"]["quotes"].clone();
            ["sent", "sentTotal", "won", "wonTotal"].map(|of| value(&quotes[of]).clone())
        };
        let first = work.estimates(app, ann, 400.0).await;
        work.is_approved(app, &first).await;
        let next = work.estimates(app, ann, 500.0).await;
        assert_eq!((&next["status"], &next["version"]), (&json!("open"), &json!(2)));
        let signed = [json!(1), json!(400.0), json!(1), json!(400.0)];
        assert_eq!(quote_figures().await, signed, "the signed amount counts until the next one is signed");
        work.is_approved(app, &next).await;
        assert_eq!(quote_figures().await, [json!(1), json!(500.0), json!(1), json!(500.0)]);
        app.run_tasks().await;
        app.figures_agree().await;
    }

    async fn undone_and_voided_work_is_not_counted(app) {
        let work = MetricsFixture::of(app).await;
        let ann = work.asked_by(app, Visitor::ann(), 3).await;
        work.estimates(app, ann, 400.0).await;
        let before = work.kpis().await["week"].clone();
        let same = async |what: &str| {
            let mut now = work.kpis().await["week"].clone();
            now["timeSaved"] = before["timeSaved"].clone();
            assert_eq!(now, before, "{what}");
        };
        let payment = work.pays(ann, json!({"amount": 400})).await;
        assert_eq!(value(&work.kpis().await["week"]["paidJobs"]), 1);
        work.posts(&format!("/api/payments/{}/undo", payment["id"].as_str().unwrap()), json!(null)).await;
        same("a payment").await;
        let job = work.posts("/api/jobs", json!({"leadId": ann})).await["id"].as_str().unwrap().to_owned();
        work.moves(&job, "in_progress").await;
        let done = work.moves(&job, "completed").await;
        assert_eq!(value(&work.kpis().await["week"]["jobsDone"]), 1);
        work.posts(&format!("/api/work/{}/undo", done["undo"]["eventId"].as_str().unwrap()), json!({})).await;
        assert_eq!(value(&work.kpis().await["week"]["jobsDone"]), 0, "no job was completed");
        let draft = work.posts("/api/invoices", json!({"leadId": ann})).await;
        let path = format!("/api/invoices/{}", draft["id"].as_str().unwrap());
        work.posts(&format!("{path}/send"), json!({"email": false, "text": false})).await;
        app.run_tasks().await;
        assert_eq!(value(&work.kpis().await["week"]["unpaidTotal"]), 400.0);
        work.posts(&format!("{path}/void"), json!({"reason": "The wrong customer"})).await;
        let week = work.kpis().await["week"].clone();
        assert_eq!((value(&week["unpaidTotal"]), value(&week["unpaidJobs"])), (&json!(0.0), &json!(0)));
        app.live_through(Duration::minutes(3), Duration::minutes(1)).await;
        app.figures_agree().await;
    }

    async fn concurrent_payments_and_requests_lose_no_figures(app) {
        let work = MetricsFixture::of(app).await;
        let ann = work.asked_by(app, Visitor::ann(), 3).await;
        let pay = |cents: u32| work.pays(ann, json!({"amount": f64::from(cents) / 100.0, "partial": true}));
        let (app, shop) = (&*app, &work.shop);
        let asks = |visitor: Visitor| async move { visitor.submits_lead(app, shop).await };
        let asking = (0..4).map(|_| Visitor::ann()).chain((2..10).map(Visitor::number)).map(asks);
        futures::join!(join_all((1..=8).map(pay)), join_all(asking));
        app.run_tasks().await;
        let week = work.kpis().await["week"].clone();
        assert_eq!((value(&week["revenue"]), value(&week["newLeads"])), (&json!(0.36), &json!(9)));
        app.figures_agree().await;
    }

    async fn kpis_are_refused_to_crew_strangers_and_other_tenants(app) {
        let work = MetricsFixture::of(app).await;
        let asks = async |client: &Client, business: &str| {
            let status = |answer: Answer| answer.status.as_u16();
            (status(client.get(&format!("/api/kpis/{business}")).await), status(client.get(&format!("/api/daily-metrics/{business}")).await))
        };
        let id = work.shop.id().to_string();
        for own in [ACME, "ACME-Plumbing", "demo", &id] {
            assert_eq!(asks(&work.office, own).await, (200, 200), "{own}");
        }
        let other = app.org("Best Roofing").await;
        let foreign = other.id().to_string();
        for not_own in ["best-roofing", &foreign, "nobody", "00000000-0000-0000-0000-000000000007"] {
            assert_eq!(asks(&work.office, not_own).await, (404, 404), "{not_own}");
        }
        let crew = app.staff(&work.shop, Role::Crew).await;
        assert_eq!(asks(&app.client().signed_in(app, &crew).await, ACME).await, (403, 403));
        assert_eq!(asks(&app.client(), ACME).await, (401, 401));
        for days in ["0", "401", "-1", "x", ""] {
            let refused = work.office.get(&format!("/api/daily-metrics/{ACME}?days={days}")).await;
            assert_eq!(refused.problem(), (422, "validation_failed".into(), vec!["days".into()]), "{days}");
        }
        assert_eq!(daily(&work.office, ACME, 400).await.len(), 400);
    }
}
