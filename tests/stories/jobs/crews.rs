//! Crews: members, their view of jobs, and deactivation.

use axum::http::Method;
use shared::domain::tenancy::account::Role;

use super::*;

/// Fields that show amounts or the customer's email.
const MONEY: [&str; 8] =
    ["value", "estimateTotal", "depositAmount", "balanceDue", "revenue", "total", "amount", "customerEmail"];

fn money_in(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, inner) in fields {
                if MONEY.contains(&name.as_str()) && !inner.is_null() {
                    found.push(format!("{name}: {inner}"));
                }
                money_in(inner, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| money_in(item, found)),
        Value::String(text) if text.contains('$') || text.contains('@') => found.push(text.clone()),
        _ => {}
    }
}

both_databases! {
    async fn crew_member_sees_jobs_of_own_crews_and_no_amounts(app) {
        let shop = app.org("Acme Plumbing").await;
        let (lead, office) = (ann(app, &shop).await, office(app, &shop).await);
        let (sam, kim) = (app.staff(&shop, Role::Crew).await, app.staff(&shop, Role::Crew).await);
        let (blue, red) = (crew(&office, "Blue", &[&sam]).await, crew(&office, "Red", &[&kim]).await);
        let of = |crew: &str| json!({"leadId": lead, "crewId": crew, "value": 1250.5, "startsAt": app.now() + Duration::hours(2), "checklist": ["Look"]});
        let (own, other) = (books(&office, &of(&blue)).await, books(&office, &of(&red)).await);
        let nobodys = books(&office, &json!({"leadId": lead, "value": 99.0})).await;
        let paid = office.post(&format!("/api/leads/{lead}/paid"), &json!({"amount": 350.0, "partial": true})).await;
        assert_eq!(paid.status, 200, "{}", paid.json());
        assert_eq!(shown(&office, &own).await["depositAmount"], 350.0);
        moves_on(&office, &own, "in_progress").await;
        let client = app.client().signed_in(app, &sam).await;
        let list = client.get("/api/jobs").await;
        assert_eq!((list.header("x-total-count"), &list.json()[0]["id"]), ("1", &own["id"]));
        let page = shown(&client, &own).await;
        assert_eq!((&page["customerName"], &page["customerPhone"], &page["address"]), (&own["customerName"], &json!("+15125550142"), &json!(null)));
        let tiles = client.get("/api/jobs/summary").await.json();
        assert_eq!(tiles, json!({"jobsDone": 0, "workingNow": 1, "comingUp": 0, "revenue": null}));
        let crews = client.get("/api/crews").await.json();
        assert_eq!((crews.as_array().unwrap().len(), &crews[0]["name"]), (1, &json!("Blue")));
        let mut found = Vec::new();
        for answer in [&list.json(), &page, &tiles, &crews, &moves_on(&client, &own, "completed").await] {
            money_in(answer, &mut found);
        }
        assert!(found.is_empty(), "{found:?}");
        for job in [&other, &nobodys] {
            let line = other["checklist"][0]["id"].as_str().unwrap();
            let tries = [
                (Method::GET, path(job, ""), Value::Null),
                (Method::POST, path(job, "/status"), json!({"to": "in_progress"})),
                (Method::POST, path(job, "/notes"), json!({"body": "Hello"})),
                (Method::PATCH, path(job, &format!("/checklist/{line}")), json!({"done": true})),
                (Method::GET, path(job, "/files.zip?type=photo"), Value::Null),
            ];
            for (method, path, body) in tries {
                let answer = client.send(method, &path, "application/json", body.to_string().into_bytes()).await;
                assert_eq!(answer.status, 404, "{path}");
            }
        }
        assert_eq!(client.get("/api/jobs/export").await.status, 403);
        assert_eq!(client.post(&path(&own, "/schedule"), &json!({"startsAt": null, "version": 9})).await.status, 403);
    }

    async fn crew_member_cannot_cancel_jobs_and_undoes_only_own_changes(app) {
        let shop = app.org("Acme Plumbing").await;
        let office = office(app, &shop).await;
        let sam = app.staff(&shop, Role::Crew).await;
        let blue = crew(&office, "Blue", &[&sam]).await;
        let client = app.client().signed_in(app, &sam).await;
        let job = books(&office, &json!({"customer": {"name": "Bo"}, "service": "Roof", "crewId": blue})).await;
        let no = client.post(&path(&job, "/status"), &json!({"to": "cancelled", "reason": "Rain"})).await;
        assert_eq!((no.status.as_u16(), no.json()["detail"].as_str()), (409, Some("Only the office cancels a job, or takes that back.")));
        let planned = plans(&office, &job, Some(app.now())).await;
        assert_eq!(shown(&client, &job).await["undo"], json!(null), "it was the office's");
        let undo = |event: &Value| format!("/api/work/{}/undo", event["eventId"].as_str().unwrap());
        assert_eq!(client.post(&undo(&planned["undo"]), &Value::Null).await.status, 409);
        let begun = moves_on(&client, &job, "in_progress").await;
        assert_eq!(client.post(&undo(&begun["undo"]), &Value::Null).await.status, 200);
        assert_eq!(shown(&client, &job).await["status"], "Scheduled");
        let elsewhere = app.staff(&shop, Role::Crew).await;
        let begun = moves_on(&client, &job, "in_progress").await;
        let stranger = app.client().signed_in(app, &elsewhere).await;
        assert_eq!(stranger.post(&undo(&begun["undo"]), &Value::Null).await.status, 404);
    }

    async fn crew_name_is_unique_and_members_belong_to_the_business(app) {
        let shop = app.org("Acme Plumbing").await;
        let office = office(app, &shop).await;
        let sam = app.staff(&shop, Role::Crew).await;
        assert_eq!(office.get("/api/crews").await.json(), json!([]));
        let blue = crew(&office, "Blue", &[&sam]).await;
        let listed = office.get("/api/crews").await.json();
        assert_eq!(listed[0]["members"], json!([{"id": sam.id, "name": "Sam Staff", "phoneShown": null}]));
        assert_eq!((&listed[0]["tone"], &listed[0]["isActive"], &listed[0]["hours"]), (&json!(0), &json!(true), &json!(null)));
        let again = office.post("/api/crews", &json!({"name": "BLUE"})).await;
        assert_eq!((again.status.as_u16(), again.json()["detail"].as_str()), (409, Some("There is a crew of this name already.")));
        assert_eq!(office.post("/api/crews", &json!({"name": " "})).await.problem().2, ["name"]);
        let stranger = app.org("Best Roofing").await;
        let wrong = json!({"name": "Red", "tone": 8, "memberIds": [stranger.owner().id]});
        assert_eq!(office.post("/api/crews", &wrong).await.problem().2, ["memberIds", "tone"]);
        let changed = patch(&office, &format!("/api/crews/{blue}"), &json!({"name": "Blue", "memberIds": [], "position": 3})).await.json();
        assert_eq!((&changed["members"], &changed["position"], &changed["tone"]), (&json!([]), &json!(3), &json!(0)));
        let other = app.client().signed_in(app, stranger.owner()).await;
        assert_eq!(patch(&other, &format!("/api/crews/{blue}"), &json!({"name": "Mine"})).await.status, 404);
        assert_eq!(other.get("/api/crews").await.json(), json!([]));
    }

    async fn crew_with_coming_jobs_cannot_be_deactivated(app) {
        let shop = app.org("Acme Plumbing").await;
        let office = office(app, &shop).await;
        let blue = crew(&office, "Blue", &[]).await;
        let of = json!({"customer": {"name": "Bo"}, "service": "Roof", "crewId": blue, "startsAt": app.now() + Duration::days(1)});
        let (one, two) = (books(&office, &of).await, books(&office, &of).await);
        let rest = async || patch(&office, &format!("/api/crews/{blue}"), &json!({"isActive": false})).await;
        assert_eq!(rest().await.json()["detail"], "Move its 2 coming jobs first.");
        moves_on(&office, &one, "completed").await;
        assert_eq!(rest().await.json()["detail"], "Move its coming job first.");
        let version = shown(&office, &two).await["version"].clone();
        office.post(&path(&two, "/schedule"), &json!({"crewId": null, "version": version})).await;
        assert_eq!(rest().await.status, 200);
        assert_eq!(office.post("/api/jobs", &of).await.problem().2, ["crewId"]);
        assert_eq!(shown(&office, &one).await["crewAssigned"], "Blue", "past jobs keep their crew");
    }
}
