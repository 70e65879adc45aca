//! The schedule: days with the crews' work, the tray, hours and overlaps; and what each role sees of it.

use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use shared::domain::tenancy::account::Role;
use tests::{app::TestApp, both_databases, http::Client};

fn at(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

async fn adds_crew(office: &Client, body: Value) -> String {
    let answer = office.post("/api/crews", &body).await;
    assert_eq!(answer.status, 201, "{}", answer.json());
    answer.json()["id"].as_str().unwrap().to_owned()
}

async fn books(office: &Client, name: &str, more: &Value) -> Value {
    let mut body = json!({"customer": {"name": name}, "service": "Roof", "value": 900});
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let answer = office.post("/api/jobs", &body).await;
    assert_eq!(answer.status, 201, "{}", answer.json());
    answer.json()
}

async fn week(client: &Client) -> Value {
    let answer = client.get("/api/schedule?from=2026-09-20&days=7").await;
    assert_eq!(answer.status, 200, "{}", answer.json());
    answer.json()
}

fn names(jobs: &Value) -> Vec<&str> {
    jobs.as_array().unwrap().iter().map(|job| job["customer"].as_str().unwrap()).collect()
}

async fn office(app: &TestApp) -> (tests::people::Shop, Client) {
    let shop = app.org("Acme Plumbing").await;
    let office = app.client().signed_in(app, shop.owner()).await;
    (shop, office)
}

both_databases! {
    async fn week_lists_jobs_in_order_tray_opening_hours_and_conflicts(app) {
        let (_, office) = office(app).await;
        let early = json!({"week": {"mon": [{"opens": "06:00", "closes": "12:00"}], "tue": [], "wed": [], "thu": [], "fri": [], "sat": [], "sun": []}});
        let blue = adds_crew(&office, json!({"name": "Blue", "hours": early})).await;
        let red = adds_crew(&office, json!({"name": "Red"})).await;
        let of = |starts: &str, crew: &str| json!({"startsAt": starts, "crewId": crew, "durationMinutes": 60});
        let second = books(&office, "Second", &of("2026-09-21T15:00:00Z", &blue)).await;
        let first = books(&office, "First", &of("2026-09-21T14:30:00Z", &blue)).await;
        books(&office, "Touching", &of("2026-09-21T16:00:00Z", &blue)).await;
        books(&office, "Elsewhere", &of("2026-09-21T15:10:00Z", &red)).await;
        books(&office, "Next week", &of("2026-09-28T15:00:00Z", &red)).await;
        let gone = books(&office, "Gone", &of("2026-09-21T15:00:00Z", &blue)).await;
        let reason = json!({"to": "cancelled", "reason": "Rain"});
        assert_eq!(office.post(&format!("/api/jobs/{}/status", gone["id"].as_str().unwrap()), &reason).await.status, 200);
        books(&office, "Older", &json!({"durationMinutes": 45})).await;
        app.advance(chrono::Duration::seconds(1));
        books(&office, "Newer", &json!({})).await;
        let week = week(&office).await;
        assert_eq!(names(&week["jobs"]), ["First", "Second", "Elsewhere", "Touching"]);
        assert_eq!((names(&week["tray"]), &week["trayTotal"]), (vec!["Older", "Newer"], &json!(2)));
        assert_eq!((&week["tray"][0]["durationMinutes"], &week["jobs"][0]["durationMinutes"]), (&json!(45), &json!(60)));
        assert_eq!(week["conflicts"], json!([[first["id"], second["id"]]]));
        assert_eq!(week["crews"].as_array().unwrap().len(), 2);
        let open = |key: &str| week["open"][key].as_array().unwrap().clone();
        assert_eq!(open(&blue), [json!({"from": at("2026-09-21T11:00:00Z"), "to": at("2026-09-21T17:00:00Z")})]);
        assert_eq!((open("org").len(), open(&red) == open("org")), (5, true));
        assert_eq!(open("org")[0], json!({"from": at("2026-09-21T13:00:00Z"), "to": at("2026-09-21T22:00:00Z")}));
        let day = office.get("/api/schedule?days=1").await.json();
        assert_eq!((&day["from"], &day["days"], names(&day["jobs"]).len()), (&json!("2026-09-17"), &json!(1), 0), "the default day is today");
        for (query, field) in [("days=0", "days"), ("days=43", "days"), ("from=tomorrow", "from"), ("from=2999-01-01", "from")] {
            let refused = office.get(&format!("/api/schedule?{query}")).await.problem();
            assert_eq!((refused.0, refused.2), (422, vec![field.to_owned()]), "{query}");
        }
        app.run_tasks().await;
    }

    async fn week_with_clock_change_has_seven_whole_days(app) {
        let (_, office) = office(app).await;
        let late = json!({"startsAt": "2026-11-08T05:30:00Z", "durationMinutes": 60});
        books(&office, "Saturday night", &late).await;
        books(&office, "Sunday", &json!({"startsAt": "2026-11-08T06:30:00Z"})).await;
        let week = office.get("/api/schedule?from=2026-11-01&days=7").await.json();
        assert_eq!(names(&week["jobs"]), ["Saturday night"], "23:30 of the last day is in it, 0:30 after it is not");
        assert_eq!(week["open"]["org"][0]["from"], json!(at("2026-11-02T14:00:00Z")), "eight in the morning, an hour later by the sun");
    }

    async fn crew_member_sees_own_crew_jobs_without_prices(app) {
        let (shop, office) = office(app).await;
        let (sam, other) = (app.staff(&shop, Role::Crew).await, app.org("Beta Roofing").await);
        let blue = adds_crew(&office, json!({"name": "Blue", "memberIds": [sam.id]})).await;
        let red = adds_crew(&office, json!({"name": "Red"})).await;
        let of = |crew: &str| json!({"startsAt": "2026-09-21T15:00:00Z", "crewId": crew});
        books(&office, "Theirs", &of(&blue)).await;
        books(&office, "Another's", &of(&red)).await;
        books(&office, "Waiting", &json!({})).await;
        let sam = app.client().signed_in(app, &sam).await;
        let seen = week(&sam).await;
        assert_eq!((names(&seen["jobs"]), names(&seen["tray"]).len(), &seen["jobs"][0]["value"]), (vec!["Theirs"], 0, &json!(null)));
        assert_eq!((seen["crews"].as_array().unwrap().len(), seen["open"].get(&red)), (1, None));
        let stranger = app.client().signed_in(app, other.owner()).await;
        assert_eq!(names(&week(&stranger).await["jobs"]).len(), 0);
        assert_eq!(app.client().get("/api/schedule").await.status, 401);
        let move_it = json!({"startsAt": "2026-09-22T15:00:00Z", "version": 1});
        let id = seen["jobs"][0]["id"].as_str().unwrap();
        assert_eq!(sam.post(&format!("/api/jobs/{id}/schedule"), &move_it).await.status, 403, "times are the office's");
    }
}
