//! Global search: what each group finds, in which order, for whom, and what it never shows.

use chrono::Duration;
use serde_json::{Value, json};
use shared::{
    domain::tenancy::account::Role,
    platform::{db::q, id::LeadId},
};
use tests::{
    app::TestApp,
    both_databases,
    http::Client,
    people::{Shop, Visitor},
};

const GROUPS: [&str; 4] = ["customers", "leads", "papers", "jobs"];

async fn begun(app: &TestApp) -> (Shop, Client) {
    let shop = app.org("Acme Plumbing").await;
    let office = app.client().signed_in(app, shop.owner()).await;
    (shop, office)
}

async fn search(client: &Client, text: &str) -> Value {
    let query: String = url::form_urlencoded::byte_serialize(text.as_bytes()).collect();
    let answer = client.get(&format!("/api/search?q={query}")).await;
    assert_eq!(answer.status, 200, "{text}: {}", answer.json());
    answer.json()
}

async fn titles(client: &Client, group: &str, text: &str) -> Vec<String> {
    let found = search(client, text).await;
    found[group].as_array().unwrap().iter().map(|hit| hit["title"].as_str().unwrap().to_owned()).collect()
}

fn is_empty(found: &Value) -> bool {
    GROUPS.iter().all(|group| found[*group] == json!([]))
}

async fn asks(app: &TestApp, shop: &Shop, n: u32, name: &str) -> LeadId {
    app.advance(Duration::minutes(1));
    let lead = Visitor::number(n).named(name).submits_lead(app, shop).await;
    app.run_tasks().await;
    lead
}

both_databases! {
    async fn customer_is_found_by_any_word_and_by_phone_in_any_spelling(app) {
        let (shop, office) = begun(app).await;
        let lead = Visitor::ann().named("Ann Maria Álvarez").submits_lead(app, &shop).await;
        app.run_tasks().await;
        asks(app, &shop, 2, "Bob Stone").await;
        for text in ["ann", "ANN MARIA", "álvarez", "ÁLVAREZ", "maria", "(512) 555", "512.555.0142", "+1 512-555-0142", "0142", "5550142"] {
            let found = search(&office, text).await;
            let hit = &found["customers"][0];
            assert_eq!((&hit["title"], &hit["subtitle"]), (&json!("Ann Maria Álvarez"), &json!("(512) 555-0142")), "{text}: {found}");
            assert_eq!((&hit["kind"], &hit["pathKind"]), (&json!("customer"), &json!("customer")), "{text}");
            assert_eq!(found["customers"].as_array().unwrap().len(), 1, "{text}: {found}");
            assert_eq!((&found["leads"][0]["id"], &found["leads"][0]["subtitle"]), (&json!(lead), &json!("Plumbing, New")), "{text}: {found}");
        }
        for text in ["", "a", "zz", "9999"] {
            assert!(is_empty(&search(&office, text).await), "{text}");
        }
        // Wildcards of LIKE are ordinary characters.
        for text in ["%%", "__", "a%z", "\\\\", "' OR 1=1 --"] {
            assert!(is_empty(&search(&office, text).await), "{text}");
        }
        let long = office.get(&format!("/api/search?q={}", "a".repeat(101))).await;
        assert_eq!((long.status.as_u16(), long.problem().2), (422, vec!["q".to_owned()]));
        app.run_tasks().await;
    }

    async fn exact_name_comes_first_then_prefixes_by_age_and_five_at_most(app) {
        let (shop, office) = begun(app).await;
        for (n, name) in (1_u32..).zip(["Lee", "Leeland Park", "Mary Lee", "Kathleen Roe", "Lee Ho", "Lee Wu", "Lee Xu"]) {
            asks(app, &shop, n, name).await;
        }
        let found = titles(&office, "customers", "lee").await;
        assert_eq!(found, ["Lee", "Lee Xu", "Lee Wu", "Lee Ho", "Mary Lee"]);
        assert_eq!(titles(&office, "leads", "lee").await.len(), 5);
        assert_eq!(titles(&office, "customers", "thleen").await, ["Kathleen Roe"]);
    }

    async fn old_customer_is_found_by_first_and_last_name_behind_thousands_of_newer(app) {
        let (shop, office) = begun(app).await;
        asks(app, &shop, 1, "Ann Maria Quigley").await;
        let rows = "INSERT INTO customer (org_id, id, name, created_at, search) VALUES ($1, $2, $3, $4, $5)";
        let (now, org) = (app.now(), shop.id());
        app.within(async |tx| {
            for n in 0..1_100_u32 {
                let (id, name) = (app.origin.uuid_v7(), format!("Visitor {n}"));
                q!(&mut *tx, execute, rows, org, id, &name, now + Duration::seconds(i64::from(n)), name.to_lowercase())?;
            }
            Ok(())
        }).await.unwrap();
        for text in ["ann m", "quig", "QUIGLEY", "7375"] {
            assert_eq!(titles(&office, "customers", text).await.first().map(String::as_str), Some("Ann Maria Quigley"), "{text}");
        }
    }

    async fn papers_and_jobs_are_found_by_number_and_by_customer(app) {
        let (shop, office) = begun(app).await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let made = office.post(&format!("/api/leads/{lead}/estimate"), &json!({"quotedTotal": 350})).await;
        assert_eq!(made.status, 200, "{}", made.json());
        let job = office.post("/api/jobs", &json!({"leadId": lead, "address": "12 Oak St"})).await.json();
        let draft = office.post("/api/invoices", &json!({"leadId": lead, "lines": [{"name": "A valve", "unitPrice": 85}]})).await;
        assert_eq!(draft.status, 201, "{}", draft.json());
        app.run_tasks().await;
        for text in ["EST-1001", "est 1001", "1001", "100", "#1001"] {
            let found = search(&office, text).await;
            let hit = &found["papers"][0];
            assert_eq!((&hit["title"], &hit["kind"], &hit["pathKind"], &hit["id"]),
                (&json!("EST-1001"), &json!("estimate"), &json!("lead"), &json!(lead)), "{text}: {found}");
        }
        for text in ["job 1001", "1001", "oak st", "ann lee"] {
            let found = search(&office, text).await;
            let hit = &found["jobs"][0];
            assert_eq!((&hit["title"], &hit["subtitle"], &hit["id"]),
                (&json!("Job 1001: Ann Lee"), &json!("Plumbing, 12 Oak St"), &job["id"]), "{text}: {found}");
        }
        let papers = titles(&office, "papers", "ann lee").await;
        assert!(papers.contains(&"EST-1001".to_owned()) && papers.contains(&"Draft invoice".to_owned()), "{papers:?}");
        assert!(is_empty(&search(&office, "INV-1001").await), "a draft has no number");
        assert!(is_empty(&search(&office, "EST-9999").await));
        app.run_tasks().await;
    }

    async fn neighbor_finds_nothing_and_crew_only_jobs_of_its_crews(app) {
        let (shop, office) = begun(app).await;
        let (other, crew) = (app.org("Best Roofing").await, app.staff(&shop, Role::Crew).await);
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let made = office.post("/api/crews", &json!({"name": "North", "memberIds": [crew.id]})).await.json();
        for crew_id in [made["id"].clone(), Value::Null] {
            let booked = office.post("/api/jobs", &json!({"leadId": lead, "crewId": crew_id})).await;
            assert_eq!(booked.status, 201, "{}", booked.json());
        }
        app.run_tasks().await;
        let (spy, hand) = (app.client().signed_in(app, other.owner()).await, app.client().signed_in(app, &crew).await);
        for text in ["ann lee", "0142", "5125550142", "1001", "job 1001", "plumbing"] {
            assert!(is_empty(&search(&spy, text).await), "{text}");
        }
        for text in ["ann lee", "1001", "100", "plumbing"] {
            let found = search(&hand, text).await;
            assert_eq!(titles(&hand, "jobs", text).await, ["Job 1001: Ann Lee"], "{text}");
            assert_eq!((&found["customers"], &found["leads"], &found["papers"]), (&json!([]), &json!([]), &json!([])), "{text}");
        }
        assert!(is_empty(&search(&hand, "1002").await), "another crew's job");
        assert_eq!(app.client().get("/api/search?q=ann").await.status, 401);
        app.run_tasks().await;
    }

    async fn merged_and_erased_customers_are_not_found(app) {
        let (shop, office) = begun(app).await;
        let one = app.lead(shop.id(), asks(app, &shop, 1, "Ann Lee").await).await.customer_id;
        let other = app.lead(shop.id(), asks(app, &shop, 2, "Anna Lee").await).await.customer_id;
        let merged = office.post(&format!("/api/customers/{one}/merge"), &json!({ "otherId": other })).await;
        assert_eq!(merged.status, 200, "{}", merged.json());
        app.run_tasks().await;
        let found = search(&office, "lee").await;
        assert_eq!(found["customers"].as_array().unwrap().len(), 1, "{found}");
        assert_eq!(found["customers"][0]["id"], json!(one), "{found}");
    }
}
