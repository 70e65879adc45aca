//! "Send again" of an estimate, and of a question about it, after the job was done.

use shared::domain::messaging::message::{MessageChannel, MessageKind};

use super::{resend::refused_text, *};

/// Books a job for today, begins it and ends it.
async fn does_job(app: &TestApp, office: &Client, lead: LeadId) -> String {
    let booked = office.post("/api/jobs", &json!({"leadId": lead, "startsAt": app.now()})).await;
    assert_eq!(booked.status, 201, "{}", booked.json());
    let path = format!("/api/jobs/{}/status", booked.json()["id"].as_str().unwrap());
    for to in ["in_progress", "completed"] {
        app.advance(Duration::minutes(10));
        let moved = office.post(&path, &json!({ "to": to })).await;
        assert_eq!(moved.status, 200, "{}", moved.json());
    }
    app.run_tasks().await;
    path
}

both_databases! {
    async fn resend_of_open_estimate_after_the_job_was_done_asks_first(app) {
        let (shop, lead, office) = shop_with_ann(app).await;
        let (_, text) = refused_text(app, &office, (&shop, lead)).await;
        let path = format!("/api/messages/{text}/retry");
        assert_eq!(office.get(&path).await.json()["may"], "go");
        let job = does_job(app, &office, lead).await;
        assert_eq!(list(&office, lead).await[0]["status"], "open", "nobody answered it");
        let look = office.get(&path).await.json();
        assert_eq!((&look["may"], &look["reason"]), (&json!("go_anyway"), &json!("the job was done on Sep 17")));
        let refused = office.post(&path, &Value::Null).await;
        assert_eq!((refused.status.as_u16(), &refused.json()["detail"]), (409, &json!("Not sent: the job was done on Sep 17.")));
        app.run_tasks().await;
        assert_eq!(texts(app), [""; 0], "nobody is asked to approve it");
        let reopened = office.post(&job, &json!({"to": "in_progress"})).await;
        assert_eq!(reopened.status, 200, "{}", reopened.json());
        assert_eq!(office.get(&path).await.json()["may"], "go");
        app.advance(Duration::minutes(10));
        assert_eq!(office.post(&job, &json!({"to": "completed"})).await.status, 200);
        let sent = office.post(&format!("{path}?anyway=yes"), &Value::Null).await;
        assert_eq!((sent.status.as_u16(), &sent.json()["outlook"]["state"]), (202, &json!("leaves")));
        app.run_tasks().await;
        assert_eq!(texts(app).len(), 1, "a person said so");
    }

    async fn resend_of_question_about_estimate_after_the_job_was_done_is_refused(app) {
        let (shop, lead, office) = shop_with_ann(app).await;
        made(&office, lead, 350.0).await;
        app.run_tasks().await;
        app.advance(Duration::days(2));
        app.refuse_next_text();
        app.run_tasks().await;
        let messages = app.lead(shop.id(), lead).await.messages;
        let question = messages.into_iter().find(|m| m.kind == MessageKind::EstimateFollowUp && m.channel == MessageChannel::Sms).unwrap();
        assert!(question.retryable, "{}", question.status_text);
        let office = app.client().signed_in(app, shop.owner()).await;
        let path = format!("/api/messages/{}/retry", question.id);
        assert_eq!(office.get(&path).await.json()["may"], "go");
        does_job(app, &office, lead).await;
        let look = office.get(&path).await.json();
        assert_eq!((&look["may"], &look["reason"]), (&json!("no"), &json!("the job was done on Sep 19")));
        assert_eq!(office.post(&format!("{path}?anyway=yes"), &Value::Null).await.status, 409);
        app.run_tasks().await;
    }
}
