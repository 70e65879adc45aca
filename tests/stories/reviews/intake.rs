//! Reviews by hand, from a spreadsheet and from other programs, each stored once and matched to its customer.

use axum::http::Method;
use chrono::Duration;
use serde_json::{Value, json};
use tests::{app::TestApp, both_databases, http::Answer, people::Visitor};

use super::{FORM, ReviewFixture, agreeing, firm, later, link, number};

const FILE: &str = "Date,Customer,Rating,Review,Source,Reply\n\
    2026-09-01,Ann Lee,5,\"Quick, and clean\",Google,x\n\
    09/02/2026,Bob,4.5,,Facebook,\n\
    2026-09-02,Bob,4.5,,Facebook,\n\
    ,,3,Fine,,\n\
    2026-09-03,Cy,6,Great,Google,\n\
    soon,Dee,5,Great,Google,\n";

async fn sends(app: &TestApp, firm: &ReviewFixture, file: &str, query: &str) -> Answer {
    let path = format!("/api/reviews/import{query}");
    firm.office(app).await.send(Method::POST, &path, "text/csv", file.as_bytes().to_vec()).await
}

async fn brings(app: &TestApp, key: &str, body: &Value) -> Answer {
    // Another program has no session and sends no origin.
    let path = format!("/api/webhooks/reviews/{key}");
    app.client().send(Method::POST, &path, "application/json", body.to_string().into_bytes()).await
}

async fn key(app: &TestApp, firm: &ReviewFixture) -> String {
    let made = firm.post(app, "/api/org/acme-plumbing/review-webhook", &json!({})).await;
    assert_eq!(made.status, 201, "{}", made.json());
    made.json()["key"].as_str().unwrap().to_owned()
}

both_databases! {
    async fn review_import_dry_run_stores_nothing_and_repeats_add_nothing(app) {
        let firm = firm(app).await;
        let looked = sends(app, &firm, FILE, "?dryRun=true").await.json();
        assert_eq!((&looked["added"], &looked["same"], &looked["failed"], &looked["ignored"]), (&json!(4), &json!(0), &json!(2), &json!(["Reply"])), "{looked}");
        assert_eq!(app.count("review").await, 0);
        let faults: Vec<_> = looked["errors"].as_array().unwrap().iter().map(|e| (e["row"].as_i64().unwrap(), e["column"].as_str().unwrap())).collect();
        assert_eq!(faults, [(6, "Rating"), (7, "Date")]);
        let taken = sends(app, &firm, FILE, "").await.json();
        // The owner is alerted of today's review of three stars.
        app.run_tasks().await;
        assert_eq!((&taken["added"], app.count("review").await), (&json!(4), 4), "two that say the same are two");
        for _ in 0..2 {
            let again = sends(app, &firm, FILE, "").await.json();
            assert_eq!((&again["added"], &again["same"], app.count("review").await), (&json!(0), &json!(4), 4));
        }
        let reviews = firm.get(app, "/api/reviews").await;
        let shown: Vec<Value> = reviews.as_array().unwrap().iter().map(|r| json!([r["date"], r["customer_name"], r["rating"], r["review_text"], r["source"]])).collect();
        assert_eq!(shown[0], json!([null, null, 3.0, "Fine", "Import"]), "a review without a date gets today's");
        assert_eq!(shown[3], json!(["2026-09-01", "Ann Lee", 5.0, "Quick, and clean", "Google"]));
        // An exported file is recognised when imported again.
        let export = String::from_utf8(firm.office(app).await.get("/api/reviews/export").await.body).unwrap();
        assert!(export.starts_with("Date,Customer,Rating,Review,Source\r\n") && export.contains("2026-09-02,Bob,4.5,,Facebook\r\n"), "{export}");
        let back = sends(app, &firm, &export, "").await.json();
        assert_eq!((&back["added"], &back["same"]), (&json!(0), &json!(4)), "{back}");
        let file = firm.office(app).await.get("/api/reviews/export?format=json&source=Facebook").await;
        assert_eq!(file.header("content-disposition"), "attachment; filename=\"reviews-2026-09-17.json\"");
        assert_eq!(file.json()["summary"], json!({"total": 2, "average": 4.5, "bySource": {"Facebook": 2}}));
        let summary = firm.get(app, "/api/reviews/summary").await;
        assert_eq!(summary, json!({"total": 4, "average": 4.25, "requested": 0, "received": 4}));
        for (file, why) in [("Name\nAnn\n", "Rating must be among them"), ("", "This file is empty")] {
            let refused = sends(app, &firm, file, "").await;
            assert!(refused.problem().2 == ["file"] && refused.json().to_string().contains(why), "{}", refused.json());
        }
    }

    async fn review_list_is_paginated_and_searchable(app) {
        let firm = firm(app).await;
        let rows = (1..=7).map(|n| format!("2026-09-{n:02},Visitor {n},5,Word{n},Google")).collect::<Vec<_>>().join("\n");
        sends(app, &firm, &format!("Date,Customer,Rating,Review,Source\n{rows}"), "").await;
        let office = firm.office(app).await;
        let (mut path, mut seen, mut pages) = ("/api/reviews?limit=3".to_owned(), Vec::new(), 0);
        loop {
            let answer = office.get(&path).await;
            assert_eq!(answer.header("x-total-count"), "7");
            seen.extend(answer.json().as_array().unwrap().iter().map(|r| r["customer_name"].as_str().unwrap().to_owned()));
            pages += 1;
            let next = answer.header("link");
            let Some(next) = next.strip_prefix('<').and_then(|rest| rest.split('>').next()) else { break };
            path = next.to_owned();
        }
        let wanted: Vec<String> = (1..=7).rev().map(|n| format!("Visitor {n}")).collect();
        assert_eq!((pages, seen), (3, wanted));
        let found = office.get("/api/reviews?q=WORD4").await;
        assert_eq!((found.header("x-total-count"), &found.json()[0]["customer_name"]), ("1", &json!("Visitor 4")));
        for (query, field) in [("limit=0", "limit"), ("limit=501", "limit"), ("cursor=x", "cursor"), ("unmatched=perhaps", "unmatched")] {
            assert_eq!(office.get(&format!("/api/reviews?{query}")).await.problem().2, [field], "{query}");
        }
    }

    async fn review_webhook_requires_its_key_and_stores_each_review_once(app) {
        let firm = firm(app).await;
        let webhook_settings = firm.get(app, "/api/org/acme-plumbing/review-webhook").await;
        assert_eq!(webhook_settings, json!({"isSet": false, "url": "https://toolbox.example/api/webhooks/reviews/", "hint": null, "createdAt": null, "lastReceivedAt": null}));
        let first = key(app, &firm).await;
        let review = json!({"id": "g-1", "date": "2026-09-16T12:00:00Z", "customer_name": "Ann", "rating": 4, "review_text": "Good", "source": "Google"});
        for wrong in ["x", "rvk_", &format!("{first}A"), &first.replace("rvk_", "rvk-"), &format!("rvk_{}", "A".repeat(43))] {
            let refused = brings(app, wrong, &review).await;
            assert_eq!(refused.status, 404, "{wrong}");
        }
        assert_eq!(app.count("review").await, 0);
        let taken = brings(app, &first, &review).await;
        assert_eq!((taken.status.as_u16(), &taken.json()["isNew"]), (200, &json!(true)), "{}", taken.json());
        let again = brings(app, &first, &review).await.json();
        assert_eq!((&again["isNew"], &again["id"]), (&json!(false), &taken.json()["id"]));
        // Its author has changed it.
        let changed = json!({"id": "g-1", "date": "2026-09-16", "customer_name": "Ann", "rating": 5, "review_text": "Very good", "source": "Google"});
        assert_eq!(brings(app, &first, &changed).await.json()["isNew"], false);
        let nameless = json!({"rating": 5, "review_text": "Good", "source": "Google"});
        assert_eq!(brings(app, &first, &nameless).await.json()["isNew"], true);
        assert_eq!(brings(app, &first, &nameless).await.json()["isNew"], false, "the same content again");
        let reviews = firm.get(app, "/api/reviews").await;
        assert_eq!(reviews.as_array().unwrap().len(), 2);
        assert_eq!((&reviews[1]["rating"], &reviews[1]["review_text"], &reviews[1]["date"]), (&json!(5.0), &json!("Very good"), &json!("2026-09-16")));
        for (field, bad) in [("rating", json!({"rating": 9})), ("rating", json!({"rating": "5"})), ("date", json!({"rating": 5, "date": "2027-01-01"}))] {
            assert_eq!(brings(app, &first, &bad).await.problem().2, [field], "{bad}");
        }
        let second = key(app, &firm).await;
        assert_eq!(brings(app, &first, &review).await.status, 404, "the one before it is dead at once");
        assert_eq!(brings(app, &second, &review).await.status, 200);
        let webhook_settings = firm.get(app, "/api/org/acme-plumbing/review-webhook").await;
        assert_eq!((&webhook_settings["isSet"], &webhook_settings["hint"], &webhook_settings["lastReceivedAt"]), (&json!(true), &json!(format!("rvk_…{}", &second[second.len() - 4..])), &json!(app.now())));
        let gone = firm.office(app).await.send(Method::DELETE, "/api/org/acme-plumbing/review-webhook", "", Vec::new()).await;
        assert_eq!((gone.status.as_u16(), &gone.json()["isSet"]), (200, &json!(false)));
        assert_eq!(brings(app, &second, &review).await.status, 404);
        // The table holds no key.
        let secret = key(app, &firm).await;
        let stored = shared::q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar Vec<u8>, "SELECT key_hash FROM review_key").unwrap();
        assert!(stored.len() == 32 && !String::from_utf8_lossy(&stored).contains(&secret[4..20]));
    }

    async fn review_matches_by_request_then_phone_then_email_never_by_name_alone(app) {
        let firm = firm(app).await;
        let key = key(app, &firm).await;
        let mut jobs = Vec::new();
        for n in 1..=4 {
            jobs.push(firm.served(app, n).await.1);
        }
        later(app, Duration::hours(2)).await;
        let token = link(&firm.texts(&number(1))[0]).trim_start_matches("/r/").to_owned();
        let by_request = brings(app, &key, &json!({"id": "1", "rating": 5, "request": token, "phone": number(2)})).await.json();
        let by_phone = brings(app, &key, &json!({"id": "2", "rating": 5, "phone": Visitor::number(2).form.phone, "email": "visitor-3@customer.example"})).await.json();
        let by_email = brings(app, &key, &json!({"id": "3", "rating": 5, "email": "Visitor-3@Customer.example"})).await.json();
        let by_name = brings(app, &key, &json!({"id": "4", "rating": 5, "customer_name": "VISITOR 4"})).await.json();
        let shown = async |taken: &Value| firm.get(app, &format!("/api/reviews/{}", taken["id"].as_str().unwrap())).await;
        for (taken, how, job) in [(&by_request, "request", &jobs[0]), (&by_phone, "phone", &jobs[1]), (&by_email, "email", &jobs[2])] {
            let review = shown(taken).await;
            assert_eq!((&review["matched"], &review["jobId"]), (&json!(how), &job["id"]), "{review}");
            assert_eq!(firm.request_state(app, job).await, ("answered".into(), Some("reviewed".to_owned())));
        }
        let review = shown(&by_name).await;
        assert_eq!((&review["matched"], &review["customerId"]), (&Value::Null, &Value::Null));
        assert_eq!((&review["suggestion"]["name"], &review["suggestion"]["jobId"]), (&json!("Visitor 4"), &jobs[3]["id"]), "{review}");
        assert_eq!(firm.request_state(app, &jobs[3]).await, ("asked".into(), None), "a name alone ends nothing");
        assert_eq!(firm.get(app, "/api/reviews?unmatched=true").await.as_array().unwrap().len(), 1);
        let path = format!("/api/reviews/{}/match", by_name["id"].as_str().unwrap());
        let other = json!({"customerId": review["suggestion"]["customerId"], "jobId": jobs[0]["id"]});
        assert_eq!(firm.post(app, &path, &other).await.problem().2, ["jobId"]);
        let matched = firm.post(app, &path, &json!({"customerId": review["suggestion"]["customerId"]})).await.json();
        assert_eq!((&matched["matched"], &matched["jobId"], &matched["suggestion"]), (&json!("person"), &jobs[3]["id"], &Value::Null));
        assert_eq!(firm.request_state(app, &jobs[3]).await, ("answered".into(), Some("reviewed".to_owned())));
        let nobody = firm.post(app, &path, &json!({"customerId": null})).await.json();
        assert_eq!((&nobody["matched"], &nobody["customerId"], &nobody["suggestion"]), (&json!("nobody"), &Value::Null, &Value::Null));
        later(app, Duration::days(30)).await;
        assert!((1..=4).all(|n| firm.texts(&number(n)).len() == 1));
    }

    async fn low_rating_alerts_with_job_and_reply_draft_but_not_for_history(app) {
        let firm = firm(app).await;
        let (lead, job) = firm.served(app, 1).await;
        later(app, Duration::hours(2)).await;
        let at = link(&firm.texts(&number(1))[0]);
        let sent = app.client().send(Method::POST, &at, FORM, b"stars=2&words=Left+a+mess&name=Ann".to_vec()).await;
        assert_eq!(sent.status, 303);
        let alerts = firm.get(app, "/api/alerts").await;
        let low: Vec<&Value> = alerts.as_array().unwrap().iter().filter(|alert| alert["kind"] == "low_rating").collect();
        let [alert] = low[..] else { panic!("{alerts}") };
        let review = firm.get(app, "/api/reviews").await[0].clone();
        assert_eq!((&alert["title"], &alert["leadId"]), (&json!("2 stars from Ann"), &json!(lead)));
        assert_eq!(alert["body"], format!("\"Left a mess\" It is about job {}, Plumbing. A draft of your answer is ready.", job["number"]));
        assert_eq!(alert["path"], format!("/app/reviews?review={}", review["id"].as_str().unwrap()));
        let path = format!("/api/reviews/{}", review["id"].as_str().unwrap());
        let draft = firm.get(app, &path).await["draft"].as_str().unwrap().to_owned();
        assert_eq!(draft, "Ann, thank you for taking the time to write about Acme Plumbing. We read every review. If anything is not right, please call us at +15125550100.");
        let kept = firm.post(app, &format!("{path}/reply"), &json!({"text": "Sorry, Ann. We come back tomorrow."})).await.json();
        assert_eq!((&kept["reply"]["text"], &kept["reply"]["by"], &kept["reply"]["keptAt"]), (&json!("Sorry, Ann. We come back tomorrow."), &json!("Olive Owner"), &json!(app.now())));
        let taken = firm.post(app, &format!("{path}/reply"), &json!({"text": null})).await.json();
        assert_eq!(taken["reply"], Value::Null);
        assert_eq!(firm.post(app, &format!("{path}/reply"), &json!({"text": "x".repeat(4_001)})).await.problem().2, ["text"]);
        // 3.5 is not low, old reviews are not news, and a duplicate is reported once.
        let file = "Date,Customer,Rating\n2026-09-17,Bo,3.5\n2026-09-16,Cy,3.4\n2026-05-01,Di,1\n";
        sends(app, &firm, file, "").await;
        sends(app, &firm, file, "").await;
        let titles: Vec<Value> = firm.get(app, "/api/alerts").await.as_array().unwrap().iter().filter(|alert| alert["kind"] == "low_rating").map(|alert| alert["title"].clone()).collect();
        assert_eq!(titles.len(), 2, "{titles:?}");
        assert!(titles.contains(&json!("3.4 stars from Cy")));
        later(app, Duration::minutes(5)).await;
    }

    async fn manual_review_is_stored_once_per_key_and_can_be_removed(app) {
        let firm = firm(app).await;
        let lead = agreeing(1).submits_confirmed_lead(app, &firm.shop).await;
        let job = firm.does(app, lead).await;
        let office = firm.office(app).await.with("idempotency-key", "one");
        let body = json!({"rating": 4.5, "customer_name": "Ann", "review_text": "Said at the door", "jobId": job["id"]});
        let added = office.post("/api/reviews", &body).await;
        assert_eq!((added.status.as_u16(), &added.json()["source"], &added.json()["matched"]), (201, &json!("Manual"), &json!("person")), "{}", added.json());
        assert_eq!(office.post("/api/reviews", &body).await.json(), added.json());
        assert_eq!(office.post("/api/reviews", &json!({"rating": 1})).await.status, 422, "the same key for something else");
        assert_eq!(app.count("review").await, 1);
        for (field, bad) in [("rating", json!({})), ("jobId", json!({"rating": 5, "jobId": lead})), ("customerId", json!({"rating": 5, "customerId": lead})), ("date", json!({"rating": 5, "date": "2026-09-18"})), ("email", json!({"rating": 5, "email": "a@[127.0.0.1]"})), ("email", json!({"rating": 5, "email": "nobody"}))] {
            assert_eq!(firm.post(app, "/api/reviews", &bad).await.problem().2, [field], "{bad}");
        }
        assert_eq!(firm.request_state(app, &job).await, ("not_asked".into(), Some("reviewed".to_owned())));
        let path = format!("/api/reviews/{}", added.json()["id"].as_str().unwrap());
        let office = firm.office(app).await;
        for wanted in [204, 404] {
            assert_eq!(office.send(Method::DELETE, &path, "", Vec::new()).await.status, wanted);
        }
        // Messages caused by the lead itself are sent.
        app.run_tasks().await;
    }
}
