//! Each kind of item appears, and what it asks for ends it.

use shared::platform::id::OrgId;
use uuid::Uuid;

use super::*;

async fn shop_with_lead(app: &TestApp) -> (Shop, Client, LeadId, CustomerId) {
    let (shop, owner) = acme(app).await;
    let lead = Visitor::ann().submits_lead(app, &shop).await;
    app.run_tasks().await;
    let customer = customer_of(app, &shop, lead).await;
    // Answered, so that only what a story adds waits.
    let item = next(&owner).await.remove(0);
    assert_eq!(done(&owner, &item).await.status, 204);
    (shop, owner, lead, customer)
}

async fn makes(client: &Client, path: &str, body: &Value) -> Value {
    let answer = client.post(path, body).await;
    assert!(answer.status.is_success(), "{path}: {} {}", answer.status, answer.json());
    answer.json()
}

fn id(record: &Value) -> String {
    record["id"].as_str().unwrap().to_owned()
}

async fn only(client: &Client, kind: &str) -> Value {
    let items = next(client).await;
    assert_eq!(kinds(&items), [kind]);
    items.into_iter().next().unwrap()
}

/// Done and undone: a mark beside a fact hides it and shows it again.
async fn is_marked_and_undone(client: &Client, kind: &str) {
    let item = only(client, kind).await;
    assert_eq!(done(client, &item).await.status, 204, "{kind}");
    assert!(next(client).await.is_empty(), "{kind}");
    let finished = view(client, "view=done").await;
    assert!(finished.iter().any(|one| one["key"] == item["key"]), "{kind}: {finished:?}");
    assert_eq!(undone(client, &key(&item)).await.status, 204, "{kind}");
    assert_eq!(key(&only(client, kind).await), key(&item));
}

async fn approves(app: &TestApp, owner: &Client, lead: LeadId) {
    makes(owner, &format!("/api/leads/{lead}/estimate"), &json!({"quotedTotal": 450.0})).await;
    app.run_tasks().await;
    let estimates = owner.get(&format!("/api/leads/{lead}/estimates")).await.json();
    let link = estimates[0]["link"].as_str().unwrap().trim_start_matches("https://toolbox.example").to_owned();
    let page = String::from_utf8(app.client().get(&link).await.body).unwrap();
    let hash = page.split("name=\"sha256\" value=\"").nth(1).unwrap()[..64].to_owned();
    let form = format!("name=Ann+Lee&agree=yes&sha256={hash}").into_bytes();
    let path = format!("{link}/approve");
    let signed = app.client().send(Method::POST, &path, "application/x-www-form-urlencoded", form).await;
    assert_eq!(signed.status, 303);
    app.run_tasks().await;
}

async fn changes(app: &TestApp, sql: &'static str, org: OrgId, id: Uuid) {
    let changed = app.within(async |tx| Ok(q!(tx, execute, sql, org, id)?)).await.unwrap();
    assert_eq!(changed, 1, "{sql}");
}

both_databases! {
    async fn held_request_waits_for_a_decision(app) {
        let (shop, owner) = acme(app).await;
        let mut robot = Visitor::number(7);
        robot.form.company = Some("Best SEO Ltd".into());
        let lead = robot.submits_lead(app, &shop).await;
        app.run_tasks().await;
        let item = only(&owner, "held_request").await;
        assert_eq!((key(&item), &item["action"]), (format!("held_request:{lead}"), &json!("open")));
        is_marked_and_undone(&owner, "held_request").await;
        makes(&owner, &format!("/api/leads/{lead}/release"), &json!({})).await;
        app.run_tasks().await;
        only(&owner, "answer").await;
        app.live_through(Duration::minutes(3), Duration::minutes(1)).await;
    }

    async fn emergency_comes_first_until_it_is_seen(app) {
        let (shop, owner) = acme(app).await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        Visitor::number(4).submits_lead(app, &shop).await;
        app.run_tasks().await;
        let alert = Uuid::from_u128(77);
        let sql = "INSERT INTO alert (org_id, id, lead_id, kind, dedupe_key, title, body, is_urgent, created_at, due_at,
            notified_at, step) VALUES ($1, $2, $3, 'new_lead', 'a story', 'An emergency', 'Ann', TRUE, $4, $4, $4, 0)";
        app.within(async |tx| Ok(q!(tx, execute, sql, shop.id(), alert, lead, app.now())?)).await.unwrap();
        let items = next(&owner).await;
        assert_eq!(kinds(&items), ["emergency", "answer"], "one item for a person");
        assert_eq!((key(&items[0]), &items[0]["action"]), (format!("emergency:{alert}"), &json!("call")));
        let body = json!({"since": items[0]["since"], "until": app.now() + Duration::hours(1)});
        assert_eq!(posts(&owner, &key(&items[0]), "snooze", &body).await.status, 204);
        assert_eq!(kinds(&next(&owner).await), ["answer"], "the person's question is snoozed with it");
        assert_eq!(undone(&owner, &key(&items[0])).await.status, 204);
        assert_eq!(done(&owner, &items[0]).await.status, 204);
        assert_eq!(kinds(&next(&owner).await), ["answer", "answer"], "seen, and still to be answered");
        let seen = "SELECT COUNT(*) FROM alert WHERE org_id = $1 AND is_urgent AND seen_at IS NOT NULL";
        let mut conn = app.db.acquire_reader().await.unwrap();
        assert_eq!(q!(&mut conn, fetch_one scalar i64, seen, shop.id()).unwrap(), 1);
        drop(conn);
        assert_eq!(undone(&owner, &key(&items[0])).await.status, 204);
        assert_eq!(kinds(&next(&owner).await)[0], "emergency");
        app.run_tasks().await;
    }

    async fn visit_request_waits_until_it_is_booked(app) {
        let (shop, owner, lead, _) = shop_with_lead(app).await;
        let sql = "INSERT INTO booking_request (org_id, id, lead_id, email_ref, crew_id, starts_at, ends_at, wish, created_at,
            expires_at) VALUES ($1, $2, $3, $2, $2, $4, $4, '{}', $4, $4)";
        app.within(async |tx| Ok(q!(tx, execute, sql, shop.id(), Uuid::from_u128(5), lead, app.now())?)).await.unwrap();
        let item = only(&owner, "confirm_request").await;
        assert_eq!((&item["source"], &item["action"]), (&json!("booking"), &json!("book")));
        is_marked_and_undone(&owner, "confirm_request").await;
        let starts = app.now() + Duration::days(5);
        makes(&owner, "/api/jobs", &json!({"leadId": lead, "startsAt": starts})).await;
        assert!(next(&owner).await.is_empty());
        app.run_tasks().await;
    }

    async fn quote_request_waits_for_an_estimate_once_it_is_answered(app) {
        let (shop, owner, lead, _) = shop_with_lead(app).await;
        changes(app, "UPDATE lead SET form = 'quote' WHERE org_id = $1 AND id = $2", shop.id(), lead.0).await;
        is_marked_and_undone(&owner, "send_estimate").await;
        makes(&owner, &format!("/api/leads/{lead}/estimate"), &json!({"quotedTotal": 450.0})).await;
        app.run_tasks().await;
        assert!(next(&owner).await.is_empty());
    }

    async fn approved_estimate_is_to_schedule_until_there_is_a_job(app) {
        let (_shop, owner, lead, _) = shop_with_lead(app).await;
        approves(app, &owner, lead).await;
        let item = only(&owner, "schedule").await;
        assert_eq!((&item["source"], &item["amountCents"]), (&json!("estimate"), &json!(45_000)));
        assert!(item["estimateId"].is_string());
        is_marked_and_undone(&owner, "schedule").await;
        let job = makes(&owner, "/api/jobs", &json!({"leadId": lead})).await;
        let item = only(&owner, "schedule").await;
        assert_eq!((&item["source"], &item["jobId"]), (&json!("job"), &job["id"]), "a job without a time");
        app.run_tasks().await;
    }

    async fn job_of_tomorrow_waits_for_a_crew(app) {
        let (shop, owner, lead, _) = shop_with_lead(app).await;
        let starts = app.now() + Duration::hours(20);
        let job = id(&makes(&owner, "/api/jobs", &json!({"leadId": lead, "startsAt": starts})).await);
        let later = app.now() + Duration::days(6);
        makes(&owner, "/api/jobs", &json!({"leadId": lead, "startsAt": later})).await;
        let item = only(&owner, "assign_crew").await;
        assert_eq!((key(&item), &item["action"]), (format!("assign_crew:{job}"), &json!("assign_crew")));
        is_marked_and_undone(&owner, "assign_crew").await;
        let cancelled = owner.post(&format!("/api/jobs/{job}/status"), &json!({"to": "cancelled", "reason": "Rain"})).await;
        assert!(cancelled.status.is_success(), "{}", cancelled.json());
        assert!(next(&owner).await.is_empty());
        assert_eq!(app.lead(shop.id(), lead).await.summary.id, lead);
        app.run_tasks().await;
    }

    async fn finished_job_waits_for_its_invoice_and_a_draft_to_be_sent(app) {
        let (_shop, owner, lead, _) = shop_with_lead(app).await;
        let starts = app.now() + Duration::hours(1);
        let job = id(&makes(&owner, "/api/jobs", &json!({"leadId": lead, "startsAt": starts, "value": 300.0})).await);
        makes(&owner, &format!("/api/jobs/{job}/status"), &json!({"to": "completed"})).await;
        let item = only(&owner, "send_invoice").await;
        assert_eq!((&item["source"], &item["amountCents"]), (&json!("job"), &json!(30_000)));
        is_marked_and_undone(&owner, "send_invoice").await;
        let lines = json!([{"name": "Work", "unitPrice": 300}]);
        let draft = id(&makes(&owner, "/api/invoices", &json!({"leadId": lead, "lines": lines})).await);
        assert_eq!(key(&only(&owner, "send_invoice").await), format!("send_invoice:{draft}"));
        makes(&owner, &format!("/api/invoices/{draft}/send"), &json!({"email": false, "text": false})).await;
        app.run_tasks().await;
        assert!(next(&owner).await.is_empty());
    }

    async fn overdue_invoice_is_to_collect_until_it_is_paid(app) {
        let (shop, owner, lead, _) = shop_with_lead(app).await;
        let lines = json!([{"name": "Work", "unitPrice": 300}]);
        let invoice = id(&makes(&owner, "/api/invoices", &json!({"leadId": lead, "lines": lines})).await);
        makes(&owner, &format!("/api/invoices/{invoice}/send"), &json!({"email": false, "text": false})).await;
        app.run_tasks().await;
        assert!(next(&owner).await.is_empty(), "it is not due");
        changes(
            app,
            "UPDATE invoice SET due_on = '2026-01-02' WHERE org_id = $1 AND id = $2",
            shop.id(),
            invoice.parse().unwrap(),
        )
        .await;
        let item = only(&owner, "collect").await;
        assert_eq!((&item["invoiceId"], &item["amountCents"]), (&json!(invoice), &json!(30_000)));
        is_marked_and_undone(&owner, "collect").await;
        makes(&owner, &format!("/api/leads/{lead}/paid"), &json!({"amount": 300, "receipt": false})).await;
        assert!(next(&owner).await.is_empty());
        app.run_tasks().await;
    }

    async fn low_review_waits_for_an_answer(app) {
        let (_shop, owner) = acme(app).await;
        let date = app.now().date_naive();
        let low = id(&makes(&owner, "/api/reviews", &json!({"rating": 3.0, "date": date, "customer": "Bo Low"})).await);
        makes(&owner, "/api/reviews", &json!({"rating": 4.0, "date": date})).await;
        app.run_tasks().await;
        let item = only(&owner, "review_answer").await;
        assert_eq!((&item["reviewId"], &item["source"]), (&json!(low), &json!("review")));
        is_marked_and_undone(&owner, "review_answer").await;
        let nobody = posts(&owner, &key(&item), "assign", &json!({"accountId": null})).await;
        assert_eq!(nobody.problem().2, ["accountId"], "it is about no lead");
    }
}
