//! When an answer is owed: the form's text beside messages, cancelled visits, START and STOP, messages sent again,
//! and work done before any reply.

use shared::{
    domain::messaging::message::{self, MessageChannel},
    providers::sms::SmsProvider,
};

use super::*;

async fn posts(app: &TestApp, shop: &Shop, path: &str, body: Value) -> Value {
    let answer = office(app, shop).await.post(path, &body).await;
    assert!(answer.status.is_success(), "{path}: {}", answer.json());
    answer.json()
}

async fn plans(app: &TestApp, shop: &Shop, job: &Value, starts_at: Option<DateTime<Utc>>) {
    let path = format!("/api/jobs/{}", job["id"].as_str().unwrap());
    let version = office(app, shop).await.get(&path).await.json()["version"].clone();
    posts(app, shop, &format!("{path}/schedule"), json!({"startsAt": starts_at, "version": version})).await;
}

async fn moves_on(app: &TestApp, shop: &Shop, job: &Value, to: &str) {
    let path = format!("/api/jobs/{}/status", job["id"].as_str().unwrap());
    posts(app, shop, &path, json!({"to": to, "reason": "They moved away"})).await;
}

/// The minute's tick, with the tasks that follow.
async fn ticks(app: &TestApp) {
    app.run_tasks().await;
    response_sla::sweep_overdue_promises(&app.db, &app.origin).await.unwrap();
    app.run_tasks().await;
}

async fn titles(app: &TestApp, shop: &Shop) -> Vec<String> {
    let alerts = warnings(app, shop).await;
    let mut titles: Vec<String> = alerts.iter().map(|alert| alert["title"].as_str().unwrap().to_owned()).collect();
    titles.sort();
    titles
}

async fn figures(app: &TestApp, shop: &Shop) -> (Value, Value) {
    let of = kpis(&office(app, shop).await, ACME).await["week"]["promises"].clone();
    (of["kept"]["value"].clone(), of["broken"]["value"].clone())
}

async fn blocks(app: &TestApp, shop: &Shop, lead: LeadId, is_blocked: bool) {
    let customer = app.lead(shop.id(), lead).await.customer_id;
    let body = json!({ "isBlocked": is_blocked }).to_string().into_bytes();
    let path = format!("/api/customers/{customer}/thread");
    let set = office(app, shop).await.send(Method::PATCH, &path, "application/json", body).await;
    assert_eq!(set.status, 200, "{}", set.json());
}

both_databases! {
    async fn quote_request_with_text_makes_one_promise_at_the_shortest_time(app) {
        app.takes_email_for_set_up();
        app.use_twilio_at("http://127.0.0.1:9");
        app.context.sms = SmsProvider::Memory(app.sms.clone());
        let shop = app.org("Acme Plumbing").await;
        waits_until(app, chicago("2026-09-18T16:00:00"));
        let lead = asks_for_a_quote(app).await;
        app.run_tasks().await;
        let first = promise_of(app, &shop, lead).await;
        assert_eq!((&first["words"], &first["dueAt"]), (&json!("within 1 hour"), &json!(instant_text(chicago("2026-09-18T17:00:00")))));
        waits_until(app, chicago("2026-09-18T16:45:00"));
        app.run_tasks().await;
        waits_until(app, chicago("2026-09-18T17:01:00"));
        app.run_tasks().await;
        assert_eq!(state(app, &shop, lead).await, "broken");
        assert_eq!(asked(app, &shop, "promise=owed").await, ["Ann Lee"]);
        waits_until(app, chicago("2026-09-21T16:01:00"));
        app.run_tasks().await;
        assert_eq!(titles(app, &shop).await, ["Answer Ann Lee by Fri 5:00 PM"], "one alert is sent");
        assert_eq!(figures(app, &shop).await, (json!(0), json!(1)));
        app.figures_agree().await;
        assert_eq!(app.recounts(shop.id()).await.days_wrong, 0);
    }

    async fn single_reply_keeps_both_form_and_text_promises(app) {
        app.takes_email_for_set_up();
        let shop = app.org("Acme Plumbing").await;
        let lead = asks_for_a_quote(app).await;
        app.run_tasks().await;
        app.advance(Duration::minutes(10));
        writes_to(app, &shop, lead).await;
        assert_eq!(state(app, &shop, lead).await, "kept");
        app.advance(Duration::hours(25));
        ticks(app).await;
        assert!(warnings(app, &shop).await.is_empty());
        assert_eq!(figures(app, &shop).await, (json!(1), json!(0)));
        app.figures_agree().await;
    }

    async fn visit_cancelled_days_later_still_counts_as_answer(app) {
        let shop = app.org("Acme Plumbing").await;
        let mut leads = Vec::new();
        for n in 1..=2 {
            leads.push(Visitor::number(n).submits_lead(app, &shop).await);
        }
        app.run_tasks().await;
        app.advance(Duration::minutes(20));
        let mut jobs = Vec::new();
        for lead in &leads {
            jobs.push(posts(app, &shop, "/api/jobs", json!({"leadId": lead, "startsAt": app.now() + Duration::days(4)})).await);
        }
        app.advance(Duration::days(2));
        ticks(app).await;
        // One is cancelled, the other goes back to the tray.
        moves_on(app, &shop, &jobs[0], "cancelled").await;
        plans(app, &shop, &jobs[1], None).await;
        app.advance(Duration::minutes(5));
        ticks(app).await;
        for lead in &leads {
            assert_eq!(state(app, &shop, *lead).await, "kept");
        }
        assert!(warnings(app, &shop).await.is_empty(), "no warning is sent");
        assert_eq!(figures(app, &shop).await, (json!(2), json!(0)));
        app.figures_agree().await;
    }

    async fn promise_to_a_caller_after_the_work_is_done_is_owed(app) {
        app.takes_email_for_set_up();
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        words_the_missed_call(app, &shop, "We call you back within 1 hour.").await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        app.advance(Duration::minutes(1));
        let job = posts(app, &shop, "/api/jobs", json!({"leadId": lead, "startsAt": app.now()})).await;
        moves_on(app, &shop, &job, "completed").await;
        app.advance(Duration::minutes(20));
        app.run_tasks().await;
        line.rings(ANN, []).await;
        app.advance(Duration::seconds(30));
        app.run_tasks().await;
        assert_eq!(app.count("lead").await, 1, "her call belongs to the job");
        let promised = "sla WHERE source = 'missed_call' AND state";
        assert_eq!(app.count(&format!("{promised} = 'open'")).await, 1);
        app.advance(Duration::hours(2));
        ticks(app).await;
        assert_eq!(app.count(&format!("{promised} = 'broken'")).await, 1);
        let waiting = office(app, &shop).await.get("/api/worklist?view=next").await.json();
        let items = waiting.as_array().unwrap();
        let item = items.iter().find(|item| item["kind"] == "call_back").unwrap_or_else(|| panic!("{waiting}"));
        assert_eq!((&item["leadId"], &item["isLate"]), (&json!(lead), &json!(true)), "{item}");
        assert_eq!(asked(app, &shop, "promise=owed").await, ["Ann Lee"], "although the work is done");
    }

    async fn owed_filter_lists_the_late_people_of_the_worklist(app) {
        let shop = app.org("Acme Plumbing").await;
        for n in 1..=2 {
            Visitor::number(n).submits_lead(app, &shop).await;
        }
        app.run_tasks().await;
        app.advance(Duration::hours(2));
        ticks(app).await;
        let late = async || office(app, &shop).await.get("/api/worklist/count").await.json()["late"].clone();
        let owed = async || asked(app, &shop, "promise=owed").await.len();
        assert_eq!((late().await, owed().await), (json!(2), 2));
        let items = office(app, &shop).await.get("/api/worklist?view=next").await.json();
        let item = &items[0];
        let path = format!("/api/worklist/{}/done", item["key"].as_str().unwrap());
        let done = office(app, &shop).await.post(&path, &json!({"since": item["since"]})).await;
        assert_eq!(done.status, 204);
        assert_eq!((late().await, owed().await), (json!(1), 1), "settled in the conversation");
        let lead = LeadId(items[1]["leadId"].as_str().unwrap().parse().unwrap());
        blocks(app, &shop, lead, true).await;
        assert_eq!((late().await, owed().await), (json!(0), 0), "no answer is owed to blocked customers");
    }

    async fn promise_expired_during_opt_out_or_block_stays_released(app) {
        app.takes_email_for_set_up();
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        words_the_missed_call(app, &shop, "We call you back within 1 hour.").await;
        line.rings(ANN, []).await;
        app.advance(Duration::seconds(30));
        app.run_tasks().await;
        let stopped = app.only_lead(&shop).await.summary.id;
        let blocked = Visitor::number(1).submits_lead(app, &shop).await;
        app.run_tasks().await;
        line.writes(ANN, "STOP").await;
        blocks(app, &shop, blocked, true).await;
        app.run_tasks().await;
        // Both are unblocked in time: the answer is owed again.
        blocks(app, &shop, blocked, false).await;
        assert_eq!(state(app, &shop, blocked).await, "open");
        blocks(app, &shop, blocked, true).await;
        app.advance(Duration::hours(3));
        ticks(app).await;
        app.advance(Duration::days(30));
        ticks(app).await;
        line.writes(ANN, "START").await;
        blocks(app, &shop, blocked, false).await;
        ticks(app).await;
        for lead in [stopped, blocked] {
            assert_eq!(state(app, &shop, lead).await, "released");
        }
        assert!(warnings(app, &shop).await.is_empty());
        assert_eq!(app.count("work_event WHERE kind = 'promise_broken'").await, 0);
        app.figures_agree().await;
    }

    async fn text_opt_out_keeps_quote_promise_answerable_by_email(app) {
        app.takes_email_for_set_up();
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        let lead = asks_for_a_quote(app).await;
        app.run_tasks().await;
        line.writes(ANN, "STOP").await;
        app.run_tasks().await;
        assert_eq!(state(app, &shop, lead).await, "open");
        app.advance(Duration::hours(19));
        ticks(app).await;
        assert!(!warnings(app, &shop).await.is_empty(), "a warning asks to call or write an email");
        app.advance(Duration::hours(6));
        ticks(app).await;
        assert_eq!(state(app, &shop, lead).await, "broken");
        app.figures_agree().await;
    }

    async fn resent_text_starts_its_promise_at_the_resend(app) {
        let shop = app.org("Acme Plumbing").await;
        let lead = Visitor::number(1).email(None).submits_lead(app, &shop).await;
        app.run_tasks().await;
        assert_eq!(state(app, &shop, lead).await, "open");
        let messages = app.lead(shop.id(), lead).await.messages;
        let text = messages.into_iter().find(|message| message.channel == MessageChannel::Sms).unwrap().id;
        let lost = "UPDATE message SET status = 'failed' WHERE org_id = $1 AND id = $2";
        app.within(async |tx| {
            q!(&mut *tx, execute, lost, shop.id(), text)?;
            tx.mark_dirty(shop.id(), lead);
            Ok(())
        })
        .await
        .unwrap();
        assert_eq!(state(app, &shop, lead).await, "released");
        app.advance(Duration::hours(4));
        ticks(app).await;
        app.within(async |tx| message::retry_message(tx, &app.origin, shop.id(), text).await).await.unwrap();
        app.run_tasks().await;
        let promise = promise_of(app, &shop, lead).await;
        assert_eq!((&promise["state"], &promise["dueAt"]), (&json!("open"), &json!(instant_text(app.now() + Duration::hours(1)))));
        app.advance(Duration::minutes(30));
        ticks(app).await;
        assert!(warnings(app, &shop).await.is_empty(), "there is time");
        writes_to(app, &shop, lead).await;
        assert_eq!(state(app, &shop, lead).await, "kept");
        app.figures_agree().await;
    }

    async fn paid_lead_releases_its_promise(app) {
        let shop = app.org("Acme Plumbing").await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        app.advance(Duration::minutes(30));
        posts(app, &shop, &format!("/api/leads/{lead}/paid"), json!({"amount": 120, "receipt": false})).await;
        assert_eq!(state(app, &shop, lead).await, "released");
        app.advance(Duration::hours(2));
        ticks(app).await;
        assert!(warnings(app, &shop).await.is_empty(), "a released promise has no warning");
        assert_eq!(figures(app, &shop).await, (json!(0), json!(0)));
        app.figures_agree().await;
    }

    async fn late_delivery_report_removes_broken_promise_from_timeline(app) {
        let shop = app.org("Acme Plumbing").await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        app.advance(Duration::minutes(10));
        writes_to(app, &shop, lead).await;
        let set = async |status: &'static str| {
            let sql = "UPDATE message SET status = $3 WHERE kind = 'manual' AND org_id = $1 AND lead_id = $2";
            app.within(async |tx| {
                q!(&mut *tx, execute, sql, shop.id(), lead, status)?;
                tx.mark_dirty(shop.id(), lead);
                Ok(())
            })
            .await
            .unwrap();
        };
        // The outcome is unknown; after the due time Twilio reports it as sent.
        set("unknown").await;
        app.advance(Duration::hours(2));
        ticks(app).await;
        assert_eq!(state(app, &shop, lead).await, "broken");
        set("sent").await;
        assert_eq!(state(app, &shop, lead).await, "kept");
        let broken_events = "work_event WHERE kind = 'promise_broken' AND undone_at IS NULL";
        assert_eq!(app.count(broken_events).await, 0);
        set("unknown").await;
        ticks(app).await;
        assert_eq!((state(app, &shop, lead).await, app.count(broken_events).await), ("broken".to_owned(), 1));
        app.figures_agree().await;
    }
}
