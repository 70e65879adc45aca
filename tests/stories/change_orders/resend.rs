//! "Send again" of a change order after its job was done: extra work after the job goes, an older change is asked about.

use shared::domain::messaging::message::{MessageChannel, MessageKind};

use super::*;

/// Path of the retry of a change order's text that the carrier refused.
async fn refused_text(app: &TestApp, job: &Opened) -> String {
    app.refuse_next_text();
    let lines = json!([{"name": "Replace subfloor", "unitPrice": 300}]);
    job.changes(&json!({"lines": lines, "send": {"email": false, "text": true}})).await;
    app.run_tasks().await;
    let messages = app.lead(job.shop.id(), job.lead).await.messages;
    let text =
        messages.into_iter().find(|m| m.kind == MessageKind::ChangeOrder && m.channel == MessageChannel::Sms).unwrap();
    assert!(text.retryable, "{}", text.status_text);
    format!("/api/messages/{}/retry", text.id)
}

both_databases! {
    async fn resend_of_open_change_order_after_its_job_was_done_asks_first(app) {
        let job = opened(app).await;
        let path = refused_text(app, &job).await;
        assert_eq!(job.office.get(&path).await.json()["may"], "go");
        job.moves("completed").await;
        let look = job.office.get(&path).await.json();
        assert_eq!((&look["may"], &look["reason"]), (&json!("go_anyway"), &json!("the job was done on Sep 17")));
        let refused = job.office.post(&path, &Value::Null).await;
        assert_eq!((refused.status.as_u16(), &refused.json()["detail"]), (409, &json!("Not sent: the job was done on Sep 17.")));
        app.run_tasks().await;
        assert_eq!(texts(app), [""; 0]);
        let sent = job.office.post(&format!("{path}?anyway=yes"), &Value::Null).await;
        assert_eq!((sent.status.as_u16(), &sent.json()["outlook"]["state"]), (202, &json!("leaves")));
        app.run_tasks().await;
        assert_eq!(texts(app).len(), 1);
    }

    async fn resend_of_change_order_written_after_its_job_was_done_goes(app) {
        let job = opened(app).await;
        job.moves("completed").await;
        app.run_tasks().await;
        let path = refused_text(app, &job).await;
        let look = job.office.get(&path).await.json();
        assert_eq!((&look["may"], &look["reason"]), (&json!("go"), &Value::Null));
        assert_eq!(job.office.post(&path, &Value::Null).await.status, 202);
        app.run_tasks().await;
        assert_eq!(texts(app).len(), 1);
    }
}
