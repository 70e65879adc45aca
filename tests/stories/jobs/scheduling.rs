//! Times and crews: moved, overlapping, undone, cancelled, and what the lead shows of it.

use shared::{
    domain::{
        messaging::message::{self, MessageDraft, MessageKind, NewMessage},
        tenancy::{activity_log::ActivityActor, org},
        work::job::{self, JobScope, JobState, StatusChange},
    },
    platform::{
        db::q,
        id::{JobId, MessageId},
    },
};

use super::*;

async fn scheduled_at(app: &TestApp, shop: &Shop, lead: LeadId) -> Option<DateTime<Utc>> {
    app.lead(shop.id(), lead).await.summary.scheduled_at
}

async fn undoes(client: &Client, job: &Value) -> Answer {
    let event = job["undo"]["eventId"].as_str().unwrap_or_else(|| panic!("nothing to undo: {job}"));
    client.post(&format!("/api/work/{event}/undo"), &Value::Null).await
}

async fn reminder(app: &TestApp, shop: &Shop, lead: LeadId, job: &Value) -> MessageId {
    let id = MessageId(app.origin.uuid_v7());
    let about = job["id"].as_str().unwrap().parse().unwrap();
    let (to, key) = (email("ann@customer.example"), format!("story:{id}"));
    let draft = MessageDraft {
        about: Some(about),
        not_before: Some(app.now() + Duration::days(1)),
        ..MessageDraft::new(MessageKind::EstimateFollowUp, to, "Soon".to_owned(), key)
    };
    let message = NewMessage { lead: Some(lead), ..draft.with_id(id) };
    app.within(async |tx| message::queue_messages(tx, &app.origin, shop.id(), &[message]).await).await.unwrap();
    id
}

async fn status_of(app: &TestApp, shop: &Shop, id: MessageId) -> String {
    message::get_message(&mut app.db.acquire_reader().await.unwrap(), shop.id(), id).await.unwrap().status_text
}

both_databases! {
    async fn lead_stage_and_schedule_follow_its_jobs(app) {
        let shop = app.org("Acme Plumbing").await;
        let (lead, office) = (ann(app, &shop).await, office(app, &shop).await);
        let job = books(&office, &json!({ "leadId": lead })).await;
        assert_eq!((stage(app, &shop, lead).await, scheduled_at(app, &shop, lead).await), (PipelineStage::New, None), "the tray is no plan");
        let tomorrow = app.now() + Duration::days(1);
        plans(&office, &job, Some(tomorrow)).await;
        assert_eq!((stage(app, &shop, lead).await, scheduled_at(app, &shop, lead).await), (PipelineStage::Scheduled, Some(tomorrow)));
        let second = books(&office, &json!({"leadId": lead, "startsAt": tomorrow - Duration::hours(3)})).await;
        assert_eq!(scheduled_at(app, &shop, lead).await, Some(tomorrow - Duration::hours(3)), "the next one");
        moves_on(&office, &second, "completed").await;
        assert_eq!((stage(app, &shop, lead).await, scheduled_at(app, &shop, lead).await), (PipelineStage::Scheduled, Some(tomorrow)));
        moves_on(&office, &job, "in_progress").await;
        moves_on(&office, &job, "completed").await;
        assert_eq!(stage(app, &shop, lead).await, PipelineStage::Done);
        moves_on(&office, &job, "in_progress").await;
        assert_eq!(stage(app, &shop, lead).await, PipelineStage::Scheduled);
        moves_on(&office, &job, "completed").await;
        books(&office, &json!({ "leadId": lead })).await;
        assert_eq!(stage(app, &shop, lead).await, PipelineStage::Done, "more work in the tray opens nothing again");
    }

    async fn lead_returns_to_new_when_its_job_is_unscheduled_or_cancelled(app) {
        let shop = app.org("Acme Plumbing").await;
        let (lead, office) = (ann(app, &shop).await, office(app, &shop).await);
        let job = books(&office, &json!({"leadId": lead, "startsAt": app.now() + Duration::days(1)})).await;
        plans(&office, &job, None).await;
        assert_eq!((stage(app, &shop, lead).await, scheduled_at(app, &shop, lead).await), (PipelineStage::New, None));
        plans(&office, &job, Some(app.now() + Duration::days(1))).await;
        moves_on(&office, &job, "cancelled").await;
        assert_eq!((stage(app, &shop, lead).await, scheduled_at(app, &shop, lead).await), (PipelineStage::New, None));
        let restored = moves_on(&office, &job, "scheduled").await;
        assert_eq!((stage(app, &shop, lead).await, &restored["cancelReason"]), (PipelineStage::Scheduled, &json!(null)));
    }

    async fn overlapping_jobs_are_reported_and_still_saved(app) {
        let shop = app.org("Acme Plumbing").await;
        let office = office(app, &shop).await;
        let (blue, red) = (crew(&office, "Blue", &[]).await, crew(&office, "Red", &[]).await);
        let nine = app.now() + Duration::days(1);
        let of = |name: &str, starts: DateTime<Utc>, crew: &str| {
            json!({"customer": {"name": name}, "service": "Roof", "startsAt": starts, "crewId": crew, "durationMinutes": 60})
        };
        let first = books(&office, &of("First", nine, &blue)).await;
        books(&office, &of("Touching", nine + Duration::hours(1), &blue)).await;
        books(&office, &of("Elsewhere", nine, &red)).await;
        let moved = books(&office, &of("Moved", nine + Duration::hours(8), &blue)).await;
        let cards = async || {
            let list = office.get("/api/jobs").await.json();
            let card = |name: &str| list.as_array().unwrap().iter().find(|job| job["customer"] == name).unwrap()["conflicts"].clone();
            ["First", "Touching", "Elsewhere", "Moved"].map(card)
        };
        assert_eq!(cards().await, [0, 0, 0, 0].map(|n| json!(n)), "touching edges do not overlap");
        let answer = plans(&office, &moved, Some(nine + Duration::minutes(30))).await;
        let named: Vec<&str> = answer["conflicts"].as_array().unwrap().iter().map(|c| c["customer"].as_str().unwrap()).collect();
        assert_eq!(named, ["First", "Touching"]);
        assert_eq!((&answer["conflicts"][0]["number"], &answer["conflicts"][0]["jobId"]), (&first["number"], &first["id"]));
        assert_eq!(cards().await, [1, 1, 0, 2].map(|n| json!(n)));
        let version = answer["job"]["version"].clone();
        let other = office.post(&path(&moved, "/schedule"), &json!({"crewId": red, "version": version})).await.json();
        assert_eq!((&other["job"]["crewAssigned"], &other["conflicts"][0]["customer"]), (&json!("Red"), &json!("Elsewhere")));
        moves_on(&office, &moved, "cancelled").await;
        assert_eq!(cards().await, [0, 0, 0, 0].map(|n| json!(n)), "a cancelled job overlaps no other");
    }

    async fn job_keeps_its_duration_when_rescheduled(app) {
        let shop = app.org("Acme Plumbing").await;
        let office = office(app, &shop).await;
        let job = books(&office, &json!({"customer": {"name": "Bo"}, "service": "Roof", "durationMinutes": 45})).await;
        let nine = app.now() + Duration::days(1);
        let planned = plans(&office, &job, Some(nine)).await["job"].clone();
        assert_eq!((&planned["estimatedDuration"], &planned["endsAt"]), (&json!(45), &json!(nine + Duration::minutes(45))));
        let body = json!({"startsAt": nine, "endsAt": nine + Duration::hours(3), "version": planned["version"]});
        let longer = office.post(&path(&job, "/schedule"), &body).await.json()["job"].clone();
        assert_eq!((&longer["estimatedDuration"], &longer["version"]), (&json!(180), &json!(3)));
        let same = plans(&office, &job, Some(nine)).await;
        assert_eq!((&same["job"]["version"], &same["job"]["estimatedDuration"]), (&json!(3), &json!(180)), "nothing changed");
        let backwards = json!({"startsAt": nine, "endsAt": nine, "version": 3});
        assert_eq!(office.post(&path(&job, "/schedule"), &backwards).await.problem().2, ["endsAt"]);
        let nobodys = json!({"crewId": job["id"], "version": 3});
        assert_eq!(office.post(&path(&job, "/schedule"), &nobodys).await.problem().2, ["crewId"]);
        moves_on(&office, &job, "completed").await;
        let done = office.post(&path(&job, "/schedule"), &json!({"startsAt": null, "version": 4})).await;
        assert_eq!((done.status.as_u16(), done.json()["detail"].as_str()), (409, Some("This job is done. Reopen it first.")));
    }

    async fn stale_job_update_is_refused_and_names_the_last_editor(app) {
        let shop = app.org("Acme Plumbing").await;
        let office = office(app, &shop).await;
        let sam = app.client().signed_in(app, &app.staff(&shop, shared::domain::tenancy::account::Role::Office).await).await;
        let job = books(&office, &json!({"customer": {"name": "Bo"}, "service": "Roof"})).await;
        let change = |words: &str| json!({"version": 1, "description": words, "value": null, "checklist": ["Look"]});
        // Events of one instant have no order.
        app.advance(Duration::seconds(1));
        let changed = patch(&sam, &path(&job, ""), &change("Sam's words")).await;
        assert_eq!((changed.status.as_u16(), &changed.json()["version"]), (200, &json!(2)), "{}", changed.json());
        let late = patch(&office, &path(&job, ""), &change("Olive's words")).await;
        assert_eq!(late.problem().1, "conflict");
        assert_eq!(late.json()["detail"], "Sam Staff changed this job a moment ago. Look again.");
        let late = office.post(&path(&job, "/schedule"), &json!({"startsAt": app.now(), "version": 1})).await;
        assert_eq!(late.status, 409);
        let job_view = shown(&office, &job).await;
        assert_eq!((&job_view["serviceDescription"], &job_view["scheduledAt"]), (&json!("Sam's words"), &json!(null)));
        assert_eq!(patch(&office, &path(&job, ""), &json!({"address": "1 Main St"})).await.problem().2, ["version"]);
    }

    async fn job_change_can_be_undone_for_a_minute(app) {
        let shop = app.org("Acme Plumbing").await;
        let (lead, office) = (ann(app, &shop).await, office(app, &shop).await);
        let job = books(&office, &json!({ "leadId": lead })).await;
        assert_eq!(job["undo"], json!(null));
        let planned = plans(&office, &job, Some(app.now() + Duration::days(1))).await;
        assert_eq!(planned["undo"], planned["job"]["undo"]);
        assert_eq!(planned["undo"]["until"], json!(app.now() + Duration::seconds(60)));
        app.advance(Duration::seconds(60));
        let back = undoes(&office, &planned["job"]).await;
        assert_eq!((back.status.as_u16(), &back.json()["jobId"], &back.json()["leadId"]), (200, &job["id"], &json!(lead)), "{}", back.json());
        let job_view = shown(&office, &job).await;
        assert_eq!((&job_view["scheduledAt"], &job_view["undo"]), (&json!(null), &json!(null)));
        assert_eq!((stage(app, &shop, lead).await, scheduled_at(app, &shop, lead).await), (PipelineStage::New, None));
        assert_eq!(undoes(&office, &planned["job"]).await.status, 409, "once only");
        let first = plans(&office, &job, Some(app.now() + Duration::days(1))).await;
        let second = plans(&office, &job, Some(app.now() + Duration::days(2))).await;
        assert_eq!(undoes(&office, &first["job"]).await.status, 409, "something was changed after it");
        app.advance(Duration::milliseconds(60_001));
        let late = undoes(&office, &second["job"]).await;
        assert_eq!((late.status.as_u16(), late.json()["detail"].as_str()), (409, Some("That was more than a minute ago.")));
        app.run_tasks().await;
    }

    async fn job_completed_by_mistake_resumes_after_undo(app) {
        let shop = app.org("Acme Plumbing").await;
        let (lead, office) = (ann(app, &shop).await, office(app, &shop).await);
        let job = books(&office, &json!({"leadId": lead, "startsAt": app.now()})).await;
        let begun = moves_on(&office, &job, "in_progress").await;
        let done = moves_on(&office, &job, "completed").await;
        assert_eq!(stage(app, &shop, lead).await, PipelineStage::Done);
        assert_eq!(undoes(&office, &done).await.status, 200);
        let job_view = shown(&office, &job).await;
        assert_eq!((&job_view["status"], &job_view["completedAt"], &job_view["startedAt"]), (&json!("In Progress"), &json!(null), &begun["startedAt"]));
        assert_eq!(stage(app, &shop, lead).await, PipelineStage::Scheduled);
        let undone: Vec<&Value> = job_view["events"].as_array().unwrap().iter().filter(|event| event["undone"] == true).collect();
        assert_eq!((undone.len(), &undone[0]["title"]), (1, &json!("Work completed")));
    }

    async fn cancellation_stops_pending_messages_in_the_same_commit(app) {
        let shop = app.org("Acme Plumbing").await;
        let (lead, office) = (ann(app, &shop).await, office(app, &shop).await);
        let job = books(&office, &json!({"leadId": lead, "startsAt": app.now() + Duration::days(2)})).await;
        let waiting = reminder(app, &shop, lead, &job).await;
        let nothing = office.post(&path(&job, "/status"), &json!({"to": "cancelled"})).await.problem();
        assert_eq!((nothing.0, nothing.2), (422, vec!["reason".to_owned()]));
        let id = JobId(job["id"].as_str().unwrap().parse().unwrap());
        let profile = org::load_profile(&mut app.db.acquire_reader().await.unwrap(), shop.org.clone()).await.unwrap();
        let change = StatusChange { to: JobState::Cancelled, happened_at: None, reason: Some("Rain".into()), force: false, tell: None };
        let mut tx = app.db.begin().await.unwrap();
        job::change_status(&mut tx, &app.origin, &profile, (id, JobScope::Office), &change, &ActivityActor::System).await.unwrap();
        drop(tx);
        assert_eq!(shown(&office, &job).await["status"], "Scheduled");
        assert_eq!(status_of(app, &shop, waiting).await, "waiting to be sent", "a commit that did not happen ended nothing");
        let cancelled = moves_on(&office, &job, "cancelled").await;
        assert_eq!((&cancelled["status"], &cancelled["cancelReason"]), (&json!("Cancelled"), &json!("They moved away")));
        assert_eq!(cancelled["timeline"][8]["description"], "Cancelled: They moved away");
        assert_eq!(status_of(app, &shop, waiting).await, "not sent: the job was cancelled");
        let sql = "SELECT COUNT(*) FROM message WHERE status IN ('queued', 'held') AND about_id = $1";
        assert_eq!(q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar i64, sql, id).unwrap(), 0);
        app.live_through(Duration::days(2), Duration::hours(2)).await;
        assert!(app.mail.accepted_messages().iter().all(|mail| mail.text != "Soon"));
    }
}
