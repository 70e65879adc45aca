//! Booked jobs: the board, the job's page, the crew's view, and what a change moves or ends.

use chrono::{DateTime, Duration, Utc};
use serde_json::{Value, json};
use shared::{domain::intake::lead::PipelineStage, platform::id::LeadId};
use tests::{
    addresses::email,
    app::TestApp,
    both_databases,
    http::{Answer, Client},
    people::{Person, Shop, Visitor},
};

mod crews;
mod on_site;
mod scheduling;

async fn office(app: &TestApp, shop: &Shop) -> Client {
    app.client().signed_in(app, shop.owner()).await
}

async fn patch(client: &Client, path: &str, body: &Value) -> Answer {
    client.send(axum::http::Method::PATCH, path, "application/json", body.to_string().into_bytes()).await
}

async fn books(office: &Client, body: &Value) -> Value {
    let answer = office.post("/api/jobs", body).await;
    assert_eq!(answer.status, 201, "{}", answer.json());
    answer.json()
}

async fn shown(client: &Client, job: &Value) -> Value {
    let answer = client.get(&path(job, "")).await;
    assert_eq!(answer.status, 200, "{}", answer.json());
    answer.json()
}

fn path(job: &Value, rest: &str) -> String {
    format!("/api/jobs/{}{rest}", job["id"].as_str().unwrap())
}

async fn moves_on(client: &Client, job: &Value, to: &str) -> Value {
    let answer = client.post(&path(job, "/status"), &json!({ "to": to, "reason": "They moved away" })).await;
    assert_eq!(answer.status, 200, "{to}: {}", answer.json());
    answer.json()
}

async fn plans(office: &Client, job: &Value, starts_at: Option<DateTime<Utc>>) -> Value {
    let version = shown(office, job).await["version"].clone();
    let answer = office.post(&path(job, "/schedule"), &json!({"startsAt": starts_at, "version": version})).await;
    assert_eq!(answer.status, 200, "{}", answer.json());
    answer.json()
}

async fn crew(office: &Client, name: &str, people: &[&Person]) -> String {
    let ids: Vec<_> = people.iter().map(|person| person.id).collect();
    let answer = office.post("/api/crews", &json!({"name": name, "memberIds": ids})).await;
    assert_eq!(answer.status, 201, "{}", answer.json());
    answer.json()["id"].as_str().unwrap().to_owned()
}

async fn ann(app: &TestApp, shop: &Shop) -> LeadId {
    let lead = Visitor::ann().submits_lead(app, shop).await;
    app.run_tasks().await;
    lead
}

async fn stage(app: &TestApp, shop: &Shop, lead: LeadId) -> PipelineStage {
    app.lead(shop.id(), lead).await.summary.stage
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

/// The product's names of a job's fields, in the list and on the page.
const LISTED: [&str; 9] = ["id", "customer", "service", "location", "crew", "date", "status", "priority", "value"];
const DETAILED: [&str; 24] = [
    "id",
    "leadId",
    "customerName",
    "customerPhone",
    "customerEmail",
    "service",
    "serviceDescription",
    "address",
    "scheduledAt",
    "estimateTotal",
    "depositAmount",
    "status",
    "priority",
    "crewAssigned",
    "crewNotes",
    "materialsNeeded",
    "photosBeforeUrl",
    "photosAfterUrl",
    "estimatedDuration",
    "weatherConcerns",
    "specialInstructions",
    "createdAt",
    "lastUpdated",
    "timeline",
];

both_databases! {
    async fn job_of_a_lead_has_all_fields_on_board_and_page(app) {
        let shop = app.org("Acme Plumbing").await;
        let (lead, office) = (ann(app, &shop).await, office(app, &shop).await);
        let starts = app.now() + Duration::days(1);
        let job = books(&office, &json!({"leadId": lead, "description": "The tap drips", "address": "12 Oak St", "startsAt": starts,
            "priority": "rush", "value": 1250.5, "materials": ["Tap", " "], "specialInstructions": "Ring twice",
            "weatherConcerns": "None", "durationMinutes": 90})).await;
        let listed = office.get(&format!("/api/jobs?orgId={}", shop.id())).await;
        assert_eq!(listed.header("x-total-count"), "1");
        let card = &listed.json()[0];
        for name in LISTED {
            assert!(keys(card).contains(&name), "{name}: {card}");
        }
        assert_eq!((&card["customer"], &card["service"], &card["location"]), (&json!("Ann Lee"), &json!("plumbing"), &json!("12 Oak St")));
        assert_eq!((&card["crew"], &card["status"], &card["value"]), (&json!("Unassigned"), &json!("Scheduled"), &json!(1250.5)));
        for name in DETAILED {
            assert!(keys(&job).contains(&name), "{name}: {job}");
        }
        assert_eq!((&job["number"], &job["customerPhone"], &job["customerEmail"]), (&json!(1001), &json!("+15125550142"), &json!("ann@customer.example")));
        assert_eq!((&job["materialsNeeded"], &job["estimatedDuration"]), (&json!(["Tap"]), &json!(90)));
        assert_eq!((&job["estimateTotal"], &job["depositAmount"], &job["balanceDue"]), (&json!(1250.5), &json!(0.0), &json!(1250.5)));
        assert_eq!(job, shown(&office, &job).await, "the response is the job's page");
        let ends: DateTime<Utc> = job["endsAt"].as_str().unwrap().parse().unwrap();
        assert_eq!(ends, starts + Duration::minutes(90));
        assert_eq!(office.get("/api/jobs?orgId=acme-plumbing").await.json()[0]["id"], job["id"]);
        assert_eq!(office.get("/api/jobs?orgId=best-roofing").await.status, 404);
    }

    async fn job_for_new_customer_creates_lead_without_auto_reply(app) {
        let shop = app.org("Acme Plumbing").await;
        let office = office(app, &shop).await;
        let bo = json!({"name": "Bo Best", "phone": "(512) 555-0177"});
        let job = books(&office, &json!({"customer": bo, "service": "Roof Repair", "address": "1 Elm St", "zip": "78704"})).await;
        assert_eq!((&job["customerName"], &job["service"], &job["address"]), (&json!("Bo Best"), &json!("Roof Repair"), &json!("1 Elm St")));
        let lead = LeadId(job["leadId"].as_str().unwrap().parse().unwrap());
        let typed = app.lead(shop.id(), lead).await;
        assert_eq!((typed.summary.name.as_str(), typed.summary.service.as_str(), typed.summary.stage), ("Bo Best", "Roof Repair", PipelineStage::New));
        assert_eq!(app.run_tasks().await, 0, "no rule looks at what the office types");
        let second = books(&office, &json!({"customer": bo, "service": "Gutters"})).await;
        assert_eq!((&second["leadId"], &second["number"]), (&job["leadId"], &json!(1002)), "their open lead, the next number");
        let nobody = office.post("/api/jobs", &json!({"service": "Gutters"})).await.problem();
        assert_eq!((nobody.0, nobody.2), (422, vec!["leadId".to_owned()]));
        let nameless = office.post("/api/jobs", &json!({"customer": {"phone": "12"}, "service": "Gutters"})).await.problem();
        assert_eq!((nameless.0, nameless.2), (422, vec!["customer.name".to_owned(), "customer.phone".to_owned()]));
    }

    async fn repeated_booking_with_same_key_is_one_job(app) {
        let shop = app.org("Acme Plumbing").await;
        let keyed = office(app, &shop).await.with("idempotency-key", "tap-1");
        let wanted = json!({"customer": {"name": "Bo Best"}, "service": "Roof Repair"});
        let (one, two) = (books(&keyed, &wanted).await, books(&keyed, &wanted).await);
        assert_eq!(one["id"], two["id"]);
        assert_eq!((app.count("job").await, app.count("lead").await), (1, 1));
        let other = keyed.post("/api/jobs", &json!({"customer": {"name": "Bo"}, "service": "Roof Repair"})).await;
        assert_eq!(other.problem().1, "idempotency_mismatch");
    }

    async fn export_has_expected_columns_and_neutralizes_formulas(app) {
        let shop = app.org("Acme Plumbing").await;
        let office = office(app, &shop).await;
        let blue = crew(&office, "Blue", &[]).await;
        let starts = "2026-09-18T15:00:00Z";
        books(&office, &json!({"customer": {"name": "=1+1"}, "service": "Roof Repair", "address": "12 Oak St, Austin",
            "startsAt": starts, "crewId": blue, "priority": "low", "value": "1,250.50"})).await;
        let tray = books(&office, &json!({"customer": {"name": "Bo"}, "service": "Gutters", "priority": "urgent"})).await;
        moves_on(&office, &tray, "cancelled").await;
        let answer = office.get("/api/jobs/export?format=csv").await;
        assert_eq!(answer.header("content-disposition"), "attachment; filename=\"jobs-2026-09-17.csv\"");
        let text = String::from_utf8(answer.body).unwrap();
        let lines: Vec<&str> = text.split("\r\n").collect();
        assert_eq!(lines[0], "Date,Customer,Service,Location,Crew,Status,Priority,Value");
        assert_eq!(lines[1], "2026-09-18 10:00,'=1+1,Roof Repair,\"12 Oak St, Austin\",Blue,Scheduled,Standard,1250.50");
        assert_eq!(lines[2], ",Bo,Gutters,No address,Unassigned,Cancelled,Urgent,");
        let json = office.get("/api/jobs/export?format=json").await.json();
        assert_eq!(json["summary"]["byStatus"], json!({"Scheduled": 1, "In Progress": 0, "Completed": 0, "Cancelled": 1}));
        assert_eq!((&json["summary"]["total"], &json["summary"]["totalValue"]), (&json!(2), &json!(1250.5)));
        let some = office.get("/api/jobs/export?status=cancelled").await;
        assert_eq!(String::from_utf8(some.body).unwrap().lines().count(), 2);
        assert_eq!(office.get("/api/jobs/export?status=Lost").await.problem().2, ["status"]);
    }

    async fn summary_counts_done_working_and_upcoming_jobs(app) {
        let shop = app.org("Acme Plumbing").await;
        let office = office(app, &shop).await;
        let tiles = async || office.get("/api/jobs/summary").await.json();
        assert_eq!(tiles().await, json!({"jobsDone": 0, "workingNow": 0, "comingUp": 0, "revenue": 0.0}));
        let of = |value: f64| json!({"customer": {"name": "Bo"}, "service": "Gutters", "value": value});
        for value in [40_000.0, 49_000.0] {
            let job = books(&office, &of(value)).await;
            moves_on(&office, &job, "completed").await;
        }
        let working = books(&office, &of(1.0)).await;
        moves_on(&office, &working, "in_progress").await;
        let coming = books(&office, &of(2.0)).await;
        plans(&office, &coming, Some(app.now() + Duration::days(2))).await;
        let past = books(&office, &of(4.0)).await;
        plans(&office, &past, Some(app.now() - Duration::days(2))).await;
        books(&office, &of(8.0)).await;
        assert_eq!(tiles().await, json!({"jobsDone": 2, "workingNow": 1, "comingUp": 1, "revenue": 89_000.0}));
        // The first minutes of October, in Chicago.
        app.advance("2026-10-01T05:01:00Z".parse::<DateTime<Utc>>().unwrap() - app.now());
        assert_eq!(tiles().await, json!({"jobsDone": 0, "workingNow": 1, "comingUp": 0, "revenue": 0.0}));
        app.run_tasks().await;
    }

    async fn priority_level_has_its_own_word_on_board_and_page(app) {
        let shop = app.org("Acme Plumbing").await;
        let office = office(app, &shop).await;
        let words = [("low", "Standard", "Low"), ("standard", "Standard", "Normal"), ("urgent", "Urgent", "High"), ("rush", "Rush", "High")];
        for (level, board, page) in words {
            let job = books(&office, &json!({"customer": {"name": "Bo"}, "service": level, "priority": level})).await;
            assert_eq!((&job["priority"], &job["priorityLevel"]), (&json!(page), &json!(level)));
            let card = &office.get(&format!("/api/jobs?q={level}")).await.json()[0];
            assert_eq!((&card["priority"], &card["priorityLevel"]), (&json!(board), &json!(level)));
        }
    }

    async fn board_supports_search_filters_and_paging(app) {
        let shop = app.org("Acme Plumbing").await;
        let office = office(app, &shop).await;
        let blue = crew(&office, "Blue", &[]).await;
        for day in 0..5 {
            let starts = app.now() + Duration::days(day);
            books(&office, &json!({"customer": {"name": format!("Customer {day}")}, "service": "Gutters", "zip": "78701", "startsAt": starts,
                "crewId": (day < 2).then_some(&blue)})).await;
        }
        app.advance(Duration::minutes(1));
        books(&office, &json!({"customer": {"name": "ÉMILE"}, "service": "Roof", "address": "9 Elm 50%_off"})).await;
        let found = async |query: &str| {
            let answer = office.get(&format!("/api/jobs?{query}")).await;
            assert_eq!(answer.status, 200, "{query}: {}", answer.json());
            let names: Vec<String> = answer.json().as_array().unwrap().iter().map(|job| job["customer"].as_str().unwrap().to_owned()).collect();
            assert_eq!(answer.header("x-total-count"), names.len().to_string(), "{query}");
            names
        };
        assert_eq!(found("q=%C3%A9mile").await, ["ÉMILE"]);
        assert_eq!(found("q=50%25_off").await, ["ÉMILE"]);
        assert_eq!(found("q=1003").await, ["Customer 2"], "by number");
        assert_eq!(found("tray=true").await, ["ÉMILE"]);
        assert_eq!(found(&format!("crewId={blue}")).await, ["Customer 1", "Customer 0"]);
        assert_eq!(found("from=2026-09-18&to=2026-09-19").await, ["Customer 2", "Customer 1"], "days of the business");
        let noon = (app.now() + Duration::minutes(30)).format("%Y-%m-%dT%H:%M:%SZ").to_string();
        assert_eq!(found(&format!("from={noon}&to={noon}")).await, ["Customer 0"], "a job in progress at that time is listed");
        let (mut seen, mut next) = (Vec::new(), Some("/api/jobs?limit=2".to_owned()));
        while let Some(page) = next {
            let answer = office.get(&page).await;
            seen.extend(answer.json().as_array().unwrap().iter().map(|job| job["customer"].as_str().unwrap().to_owned()));
            next = answer.header("link").split_once(">;").map(|(link, _)| link.trim_start_matches('<').to_owned());
        }
        assert_eq!(seen, ["Customer 4", "Customer 3", "Customer 2", "Customer 1", "ÉMILE", "Customer 0"]);
        assert_eq!(office.get("/api/jobs?cursor=x").await.problem().2, ["cursor"]);
        assert_eq!(office.get("/api/jobs?from=soon").await.problem().2, ["from"]);
        app.run_tasks().await;
    }

    async fn timeline_shows_status_author_and_time_of_its_steps(app) {
        let shop = app.org("Acme Plumbing").await;
        let (lead, office) = (ann(app, &shop).await, office(app, &shop).await);
        app.advance(Duration::minutes(5));
        let job = books(&office, &json!({"leadId": lead, "startsAt": app.now() + Duration::hours(1)})).await;
        let statuses = |job: &Value| -> Vec<String> {
            job["timeline"].as_array().unwrap().iter().map(|step| step["status"].as_str().unwrap().to_owned()).collect()
        };
        let pending = "pending";
        assert_eq!(statuses(&job), ["completed", "automated", "completed", pending, pending, "completed", pending, pending, pending, pending, pending]);
        assert_eq!(job["timeline"][0]["how"], "by the lead form");
        assert!(job["timeline"][1]["how"].as_str().unwrap().contains("by text: sent"), "{}", job["timeline"][1]);
        assert_eq!((&job["timeline"][2]["by"], &job["timeline"][5]["by"]), (&json!("Olive Owner"), &json!("Olive Owner")));
        assert_eq!(job["timeline"][5]["at"], json!(app.now()));
        let begun = moves_on(&office, &job, "in_progress").await;
        assert_eq!((&begun["timeline"][6]["status"], &begun["timeline"][7]["status"]), (&json!("current"), &json!("current")));
        let done = moves_on(&office, &job, "completed").await;
        assert_eq!((&statuses(&done)[5..], &done["timeline"][8]["by"]), (&["completed", "completed", "completed", "completed", pending, pending].map(String::from)[..], &json!("Olive Owner")));
        let titles: Vec<&str> = done["events"].as_array().unwrap().iter().map(|event| event["title"].as_str().unwrap()).collect();
        for title in ["Job created", "Job scheduled", "Moved from New to Scheduled", "Work started", "Work completed", "Moved from Scheduled to Done"] {
            assert!(titles.contains(&title), "{title}: {titles:?}");
        }
    }
}
