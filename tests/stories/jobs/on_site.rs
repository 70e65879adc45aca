//! Work on site: begun, photographed, noted, ticked, done; and a phone that was offline.

use shared::domain::{tenancy::account::Role, work::file::FileMoment};
use tests::http::{Multipart, pixel};

use super::*;

async fn photo(client: &Client, job: &Value, moment: FileMoment) {
    let moment = serde_json::to_value(moment).unwrap();
    let form = Multipart::default().text("moment", moment.as_str().unwrap()).file("files", "one.png", &pixel());
    let answer = client.post_form(&path(job, "/files"), form).await;
    assert_eq!(answer.status, 201, "{}", answer.json());
}

/// The error about missing photos when the job is to be done.
async fn refusal(client: &Client, job: &Value, force: bool) -> Value {
    let answer = client.post(&path(job, "/status"), &json!({"to": "completed", "force": force})).await;
    assert_eq!(answer.status, 422, "{}", answer.json());
    answer.json()["errors"]["photos"].clone()
}

both_databases! {
    async fn every_job_status_transition_is_accepted_or_refused(app) {
        let shop = app.org("Acme Plumbing").await;
        let office = office(app, &shop).await;
        let names = ["scheduled", "in_progress", "completed", "cancelled"];
        let ways = ["scheduled in_progress", "scheduled completed", "scheduled cancelled", "in_progress completed", "in_progress cancelled",
            "in_progress scheduled", "completed in_progress", "cancelled scheduled"];
        for from in names {
            for to in names {
                let job = books(&office, &json!({"customer": {"name": "Bo"}, "service": "Roof"})).await;
                if from != "scheduled" {
                    moves_on(&office, &job, from).await;
                }
                let answer = office.post(&path(&job, "/status"), &json!({"to": to, "reason": "Rain"})).await;
                let wanted = if from == to || ways.contains(&format!("{from} {to}").as_str()) { 200 } else { 409 };
                assert_eq!(answer.status, wanted, "{from} to {to}: {}", answer.json());
                let events = shown(&office, &job).await["events"].as_array().unwrap().len();
                let again = office.post(&path(&job, "/status"), &json!({"to": to, "reason": "Rain"})).await;
                assert_eq!((again.status == 200, shown(&office, &job).await["events"].as_array().unwrap().len()), (wanted == 200, events), "once");
            }
        }
        let job = books(&office, &json!({"customer": {"name": "Bo"}, "service": "Roof"})).await;
        moves_on(&office, &job, "cancelled").await;
        app.advance(Duration::minutes(12));
        let late = office.post(&path(&job, "/status"), &json!({"to": "in_progress"})).await.json();
        assert_eq!(late["detail"], "Olive Owner cancelled this job at 10:00 AM.");
        app.run_tasks().await;
    }

    async fn unscheduled_job_is_scheduled_now_when_work_begins(app) {
        let shop = app.org("Acme Plumbing").await;
        let office = office(app, &shop).await;
        let job = books(&office, &json!({"customer": {"name": "Bo"}, "service": "Roof", "durationMinutes": 30})).await;
        let begun = moves_on(&office, &job, "in_progress").await;
        let now = json!(app.now());
        assert_eq!((&begun["scheduledAt"], &begun["startedAt"]), (&now, &now));
        let stopped = moves_on(&office, &job, "scheduled").await;
        assert_eq!((&stopped["startedAt"], &stopped["scheduledAt"]), (&json!(null), &now));
        let other = books(&office, &json!({"customer": {"name": "Cy"}, "service": "Roof"})).await;
        let done = moves_on(&office, &other, "completed").await;
        assert_eq!((&done["startedAt"], &done["completedAt"]), (&now, &now), "done without having been begun");
    }

    async fn status_change_from_offline_phone_keeps_its_time_within_limits(app) {
        let shop = app.org("Acme Plumbing").await;
        let office = office(app, &shop).await;
        let job = books(&office, &json!({"customer": {"name": "Bo"}, "service": "Roof"})).await;
        let at = |hours| json!(app.now() - Duration::hours(hours));
        let tells = async |to: &str, at: &Value| {
            let answer = office.post(&path(&job, "/status"), &json!({"to": to, "happenedAt": at})).await;
            assert_eq!(answer.status, 200, "{}", answer.json());
            answer.json()
        };
        assert_eq!(tells("in_progress", &at(5)).await["startedAt"], at(5));
        assert_eq!(tells("completed", &at(6)).await["completedAt"], at(5), "nothing ends before it began");
        tells("in_progress", &at(0)).await;
        assert_eq!(tells("completed", &at(80)).await["completedAt"], at(0), "beyond three days it is not believed");
        let note = office.post(&path(&job, "/notes"), &json!({"body": "Gate code 4711", "happenedAt": at(3)})).await;
        assert_eq!((note.status.as_u16(), &note.json()["at"]), (201, &at(3)));
    }

    async fn job_completion_requires_photos_unless_the_office_overrides(app) {
        let shop = app.org("Acme Plumbing").await;
        let office = office(app, &shop).await;
        let sam = app.staff(&shop, Role::Crew).await;
        let blue = crew(&office, "Blue", &[&sam]).await;
        let crew = app.client().signed_in(app, &sam).await;
        let wanted = json!({"customer": {"name": "Bo"}, "service": "Roof", "requiredPhotos": "before_and_after", "crewId": blue});
        let job = books(&office, &wanted).await;
        assert_eq!(refusal(&crew, &job, false).await, "Add a photo taken before the work first.");
        photo(&crew, &job, FileMoment::Before).await;
        assert_eq!(refusal(&crew, &job, true).await, "Add a photo taken after the work first.", "a crew cannot force it");
        photo(&crew, &job, FileMoment::After).await;
        let done = moves_on(&crew, &job, "completed").await;
        assert_eq!((done["photosBeforeUrl"].as_array().unwrap().len(), done["photosAfterUrl"].as_array().unwrap().len()), (1, 1));
        assert_eq!((&done["timeline"][7]["description"], &done["timeline"][8]["by"]), (&json!("2 photos"), &json!("Sam Staff")));
        let other = books(&office, &wanted).await;
        let answer = office.post(&path(&other, "/status"), &json!({"to": "completed", "force": true})).await.json();
        let event = answer["events"].as_array().unwrap().iter().find(|event| event["kind"] == "completed").unwrap().clone();
        assert_eq!((&answer["status"], &event["detail"]), (&json!("Completed"), &json!({"withoutPhotos": true})));
    }

    async fn job_notes_are_accepted_after_cancellation_and_stored_once(app) {
        let shop = app.org("Acme Plumbing").await;
        let office = office(app, &shop).await;
        let job = books(&office, &json!({"customer": {"name": "Bo"}, "service": "Roof"})).await;
        assert_eq!((&job["crewNotes"], &job["notes"]), (&json!(null), &json!([])));
        let keyed = office.with("idempotency-key", "note-1");
        let words = json!({"body": " The dog bites\r\nRing first "});
        let (one, two) = (keyed.post(&path(&job, "/notes"), &words).await, keyed.post(&path(&job, "/notes"), &words).await);
        assert_eq!((one.status.as_u16(), one.json()), (201, two.json()));
        moves_on(&office, &job, "cancelled").await;
        app.advance(Duration::minutes(1));
        assert_eq!(office.post(&path(&job, "/notes"), &json!({"body": "He called again"})).await.status, 201);
        let job_view = shown(&office, &job).await;
        let bodies: Vec<&str> = job_view["notes"].as_array().unwrap().iter().map(|note| note["body"].as_str().unwrap()).collect();
        assert_eq!(bodies, ["He called again", "The dog bites\nRing first"]);
        assert_eq!((&job_view["crewNotes"], &job_view["notes"][0]["author"]), (&json!("He called again"), &json!("Olive Owner")));
        assert_eq!(office.post(&path(&job, "/notes"), &json!({"body": " "})).await.problem().2, ["body"]);
    }

    async fn later_checklist_choice_overrides_the_earlier_one(app) {
        let shop = app.org("Acme Plumbing").await;
        app.sets(&shop, json!({"jobs": {"checklist": ["Water off", "Photos"]}})).await;
        let office = office(app, &shop).await;
        let job = books(&office, &json!({"customer": {"name": "Bo"}, "service": "Roof"})).await;
        let line = job["checklist"][0].clone();
        assert_eq!((&line["label"], &line["doneAt"]), (&json!("Water off"), &json!(null)));
        let ticks = async |done: bool, minutes: i64| {
            let place = path(&job, &format!("/checklist/{}", line["id"].as_str().unwrap()));
            let answer = patch(&office, &place, &json!({"done": done, "chosenAt": app.now() - Duration::minutes(minutes)})).await;
            assert_eq!(answer.status, 200, "{}", answer.json());
            answer.json()["checklist"][0].clone()
        };
        assert_eq!(ticks(true, 10).await["doneBy"], "Olive Owner");
        assert_eq!(ticks(false, 20).await["doneBy"], "Olive Owner", "an older choice comes too late");
        assert_eq!(ticks(false, 5).await["doneAt"], json!(null));
        ticks(true, 0).await;
        let changed = patch(&office, &path(&job, ""), &json!({"version": 1, "checklist": ["Shoes off", "Water off"]})).await.json();
        let labels: Vec<&str> = changed["checklist"].as_array().unwrap().iter().map(|check| check["label"].as_str().unwrap()).collect();
        assert_eq!((labels, &changed["checklist"][1]["doneBy"]), (vec!["Shoes off", "Water off"], &json!("Olive Owner")), "a line that stays keeps its tick");
    }
}
