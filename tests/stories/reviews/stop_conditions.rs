//! Stop conditions of a sequence, one by one: nothing of it is sent afterwards, on any channel.

use axum::http::Method;
use chrono::Duration;
use serde_json::json;
use shared::platform::id::LeadId;
use tests::{app::TestApp, both_databases};

use super::{FORM, ReviewFixture, agreeing, firm, later, link, mails, number, path};

async fn customer(app: &TestApp, firm: &ReviewFixture, lead: LeadId) -> String {
    firm.get(app, &format!("/api/leads/{lead}")).await["customerId"].as_str().unwrap().to_owned()
}

async fn presses(app: &TestApp, firm: &ReviewFixture, n: u32, what: &str, body: &str) {
    let at = link(&firm.texts(&number(n))[0]);
    let answer = app.client().send(Method::POST, &format!("{at}{what}"), FORM, body.as_bytes().to_vec()).await;
    assert!(answer.status.is_redirection() || answer.status.is_success(), "{what}: {}", answer.status);
}

both_databases! {
    async fn concurrent_opt_outs_record_one_refusal_and_one_audit_line(app) {
        let firm = firm(app).await;
        firm.served(app, 1).await;
        later(app, Duration::hours(2)).await;
        let (at, client) = (format!("{}/stop", link(&firm.texts(&number(1))[0])), app.client());
        let press = || client.send(Method::POST, &at, FORM, Vec::new());
        let answers = futures::future::join_all((0..10).map(|_| press())).await;
        assert!(answers.iter().all(|answer| answer.status == 200));
        assert_eq!(press().await.status, 200, "later too");
        for row in ["audit_event WHERE action = 'reviews_refused'", "consent WHERE granted = FALSE AND version = 'review page'"] {
            assert_eq!(app.count(row).await, 1, "{row}");
        }
        app.run_tasks().await;
    }

    async fn request_sequence_sends_nothing_after_any_of_nine_stop_reasons(app) {
        let firm = firm(app).await;
        let mut all = Vec::new();
        for n in 1..=9 {
            all.push(firm.served(app, n).await);
        }
        later(app, Duration::hours(2)).await;
        assert!((1..=9).all(|n| firm.texts(&number(n)).len() == 1));
        presses(app, &firm, 1, "/go", "").await;
        presses(app, &firm, 2, "", "stars=4&words=Quick&name=Bea").await;
        firm.line.writes(&number(3), "All good, thank you").await;
        firm.line.writes(&number(4), "STOP").await;
        let at = format!("{}/stop", link(&firm.texts(&number(5))[0]));
        // As mail programs and their proxies send it: without the app's headers, and with `Origin: null`.
        let mail_program = app.client().without("x-toolbox-client").without("sec-fetch-site").with("origin", "null");
        for program in [&mail_program, &mail_program.with("sec-fetch-site", "cross-site")] {
            let one_click = program.send(Method::POST, &at, FORM, b"List-Unsubscribe=One-Click".to_vec()).await;
            // RFC 8058 allows no redirect: mail programs follow none.
            assert!([200, 204].contains(&one_click.status.as_u16()), "{}", one_click.status);
        }
        app.run_tasks().await;
        let six = customer(app, &firm, all[5].0).await;
        assert_eq!(firm.patches(app, &format!("/api/customers/{six}"), &json!({"hasComplaint": true})).await.status, 200);
        let seven = customer(app, &firm, all[6].0).await;
        let marked = firm.patches(app, &format!("/api/customers/{seven}/thread"), &json!({"isStaff": true})).await;
        assert_eq!(marked.status, 200, "{}", marked.json());
        let reopened = firm.post(app, &path(&all[7].1, "/status"), &json!({"to": "in_progress"})).await;
        assert_eq!(reopened.status, 200, "{}", reopened.json());
        let ask = firm.ask(app, &all[8].1).await;
        let stopped = firm.post(app, &format!("/api/reviews/asks/{}/stop", ask["id"].as_str().unwrap()), &json!({})).await;
        assert_eq!((&stopped.json()["state"], &stopped.json()["canStop"]), (&json!("stopped"), &json!(false)));
        let wanted = [
            ("answered", "clicked"), ("answered", "reviewed"), ("answered", "replied"), ("stopped", "opted_out"), ("stopped", "opted_out"),
            ("stopped", "complaint"), ("stopped", "staff"), ("stopped", "reverted"), ("stopped", "by_hand"),
        ];
        for ((_, job), (state, why)) in all.iter().zip(wanted) {
            assert_eq!(firm.request_state(app, job).await, (state.to_owned(), Some(why.to_owned())));
        }
        later(app, Duration::days(30)).await;
        assert!((1..=9).all(|n| firm.texts(&number(n)).len() == 1), "each got the first and no other");
        assert_eq!(mails(app), []);
    }

    async fn stop_before_the_first_request_leaves_customer_as_not_asked(app) {
        let firm = firm(app).await;
        let (one, first) = firm.served(app, 1).await;
        let (_, second) = firm.served(app, 2).await;
        // A reply sets aside the email that was only typed, and with it the consent of that form.
        let mut phone_alone = agreeing(3);
        phone_alone.form.email = None;
        let three = phone_alone.submits_confirmed_lead(app, &firm.shop).await;
        let third = firm.does(app, three).await;
        firm.line.writes(&number(2), "Please stop texting me").await;
        // A message before the review request is no answer to it.
        firm.line.writes(&number(3), "See you next year").await;
        let customer = customer(app, &firm, one).await;
        firm.patches(app, &format!("/api/customers/{customer}"), &json!({"isStaff": true})).await;
        app.run_tasks().await;
        later(app, Duration::hours(3)).await;
        assert_eq!(firm.request_state(app, &first).await, ("not_asked".into(), Some("staff".to_owned())));
        assert_eq!(firm.request_state(app, &second).await, ("not_asked".into(), Some("opted_out".to_owned())));
        assert_eq!(firm.request_state(app, &third).await, ("asked".into(), None), "{three}");
        assert_eq!((firm.texts(&number(1)).len(), firm.texts(&number(2)).len(), firm.texts(&number(3)).len()), (0, 0, 1));
        assert_eq!(mails(app), []);
    }

    async fn reverted_completion_cancels_request_and_its_undo_restores_it(app) {
        let firm = firm(app).await;
        let lead = agreeing(1).submits_confirmed_lead(app, &firm.shop).await;
        let office = firm.office(app).await;
        let job = office.post("/api/jobs", &json!({"leadId": lead, "startsAt": app.now()})).await.json();
        let done = office.post(&path(&job, "/status"), &json!({"to": "completed"})).await.json();
        app.advance(Duration::seconds(50));
        let undo = done["undo"]["eventId"].as_str().unwrap();
        assert_eq!(office.post(&format!("/api/work/{undo}/undo"), &json!({})).await.status, 200);
        later(app, Duration::hours(3)).await;
        assert_eq!(firm.texts(&number(1)), [""; 0]);
        assert_eq!(firm.request_state(app, &job).await, ("not_asked".into(), Some("reverted".to_owned())));
        let again = firm.post(app, &path(&job, "/status"), &json!({"to": "completed"})).await;
        assert_eq!(again.status, 200, "{}", again.json());
        app.advance(Duration::minutes(5));
        app.run_tasks().await;
        let reopened = firm.post(app, &path(&job, "/status"), &json!({"to": "in_progress"})).await.json();
        let undo = reopened["undo"]["eventId"].as_str().unwrap();
        assert_eq!(firm.request_state(app, &job).await, ("not_asked".into(), Some("reverted".to_owned())));
        let back = firm.post(app, &format!("/api/work/{undo}/undo"), &json!({})).await;
        assert_eq!(back.status, 200, "{}", back.json());
        assert_eq!(firm.request_state(app, &job).await, ("waiting".into(), None));
        later(app, Duration::hours(3)).await;
        assert_eq!(firm.texts(&number(1)).len(), 1);
    }

    async fn disputed_invoice_counts_as_a_complaint(app) {
        let firm = firm(app).await;
        let (lead, job) = firm.served(app, 1).await;
        let body = json!({"leadId": lead, "lines": [{"name": "Work", "unitPrice": 100}], "dueOn": "2026-10-01"});
        let draft = firm.post(app, "/api/invoices", &body).await.json();
        let invoice = format!("/api/invoices/{}", draft["id"].as_str().unwrap());
        assert_eq!(firm.post(app, &format!("{invoice}/send"), &json!({"email": false, "text": false})).await.status, 202);
        let disputed = firm.post(app, &format!("{invoice}/dispute"), &json!({"isDisputed": true, "reason": "The wrong tap"})).await;
        assert_eq!(disputed.status, 200, "{}", disputed.json());
        later(app, Duration::hours(3)).await;
        assert_eq!(firm.request_state(app, &job).await, ("not_asked".into(), Some("complaint".to_owned())));
        let refused = firm.post(app, &format!("/api/leads/{lead}/review"), &json!({})).await;
        assert_eq!((refused.status.as_u16(), refused.json()["detail"].as_str()), (409, Some("There is a problem that is not settled.")));
        firm.post(app, &format!("{invoice}/dispute"), &json!({"isDisputed": false})).await;
        let asked = firm.post(app, &format!("/api/leads/{lead}/review"), &json!({})).await;
        assert_eq!(asked.status, 202, "{}", asked.json());
        app.run_tasks().await;
        assert_eq!(firm.texts(&number(1)).len(), 1);
    }

    async fn reported_problem_stops_requests_to_the_customer_until_settled(app) {
        let firm = firm(app).await;
        let (lead, job) = firm.served(app, 1).await;
        later(app, Duration::hours(2)).await;
        let id = firm.ask(app, &job).await["id"].as_str().unwrap().to_owned();
        let response = firm.post(app, &format!("/api/reviews/asks/{id}/stop"), &json!({"problem": true})).await;
        assert_eq!((&response.json()["state"], &response.json()["why"]), (&json!("stopped"), &json!("complaint")));
        let customer = customer(app, &firm, lead).await;
        assert_eq!(firm.get(app, &format!("/api/customers/{customer}")).await["hasComplaint"], true);
        later(app, Duration::days(200)).await;
        let next = firm.does(app, lead).await;
        later(app, Duration::days(1)).await;
        assert_eq!(firm.request_state(app, &next).await, ("not_asked".into(), Some("complaint".to_owned())));
        firm.patches(app, &format!("/api/customers/{customer}"), &json!({"hasComplaint": false})).await;
        let third = firm.does(app, lead).await;
        later(app, Duration::days(1)).await;
        assert_eq!(firm.request_state(app, &third).await, ("asked".into(), None));
        assert_eq!(firm.texts(&number(1)).len(), 2);
    }

    async fn start_after_stop_does_not_restore_request_texts(app) {
        let firm = firm(app).await;
        let lead = agreeing(1).submits_confirmed_lead(app, &firm.shop).await;
        app.run_tasks().await;
        firm.line.writes(&number(1), "STOP").await;
        later(app, Duration::hours(1)).await;
        firm.line.writes(&number(1), "START").await;
        app.run_tasks().await;
        let job = firm.does(app, lead).await;
        later(app, Duration::hours(2)).await;
        assert_eq!(firm.texts(&number(1)), [""; 0]);
        assert_eq!(firm.ask(app, &job).await["channel"], "email", "the opt-out of texts does not cover emails");
        assert_eq!(mails(app).len(), 1);
    }

    async fn customer_merge_continues_the_further_advanced_sequence(app) {
        let firm = firm(app).await;
        let (one, first) = firm.served(app, 1).await;
        later(app, Duration::hours(2)).await;
        let (two, second) = firm.served(app, 2).await;
        let (kept, gone) = (customer(app, &firm, one).await, customer(app, &firm, two).await);
        let merged = firm.post(app, &format!("/api/customers/{kept}/merge"), &json!({ "otherId": gone })).await;
        assert_eq!(merged.status, 200, "{}", merged.json());
        later(app, Duration::hours(3)).await;
        assert_eq!(firm.request_state(app, &first).await, ("asked".into(), None));
        assert_eq!(firm.request_state(app, &second).await, ("not_asked".into(), Some("merged".to_owned())));
        assert_eq!(firm.texts(&number(2)), [""; 0]);
        let of_both = firm.get(app, &format!("/api/reviews/asks?customerId={kept}")).await;
        assert_eq!(of_both.as_array().unwrap().len(), 2);
        let merge = merged.json()["mergedFrom"][0]["mergeId"].as_str().unwrap().to_owned();
        let parted = firm.post(app, &format!("/api/customers/merges/{merge}/undo"), &json!({})).await;
        assert_eq!(parted.status, 200, "{}", parted.json());
        assert_eq!(firm.get(app, &format!("/api/reviews/asks?customerId={gone}")).await.as_array().unwrap().len(), 1);
    }
}
