//! A done job is billed a minute later.

use chrono::Duration;
use serde_json::{Value, json};
use tests::both_databases;

use super::{billing_fixture, letters, texts};

both_databases! {
    async fn completed_job_is_invoiced_after_a_minute_unless_undone(app) {
        let fixture = billing_fixture(app).await;
        let job = fixture.job().await;
        fixture.moves(&job, "completed").await;
        app.advance(Duration::seconds(62));
        app.run_tasks().await;
        assert_eq!(fixture.why(app).await, ["nothing was agreed, and no one said what the job is worth"]);
        fixture.agrees(640.0).await;
        fixture.moves(&job, "in_progress").await;
        let done = fixture.moves(&job, "completed").await;
        app.advance(Duration::seconds(40));
        let undo = format!("/api/work/{}/undo", done["undo"]["eventId"].as_str().unwrap());
        assert_eq!(fixture.office.post(&undo, &Value::Null).await.status, 200);
        app.advance(Duration::seconds(62));
        app.run_tasks().await;
        assert_eq!(app.count("invoice").await, 0, "it was undone");
        fixture.moves(&job, "completed").await;
        app.advance(Duration::seconds(62));
        app.run_tasks().await;
        let drafts = fixture.office.get("/api/invoices?status=draft").await.json();
        assert_eq!((drafts.as_array().unwrap().len(), &drafts[0]["total"], &drafts[0]["jobId"]), (1, &json!(640.0), &json!(job)));
        let alerts = fixture.office.get("/api/alerts").await.json();
        let alert = alerts.as_array().unwrap().iter().find(|a| a["path"].as_str().is_some_and(|path| path.starts_with("/app/invoices/"))).unwrap();
        assert_eq!(alert["body"], "A draft of the invoice for Ann Lee, $640.00, is ready to be sent.");
        let step = fixture.office.get(&format!("/api/jobs/{job}")).await.json()["timeline"][9].clone();
        assert_eq!(step["description"], "A draft of the invoice is ready");
        fixture.moves(&job, "in_progress").await;
        fixture.moves(&job, "completed").await;
        app.advance(Duration::seconds(62));
        app.run_tasks().await;
        assert_eq!((app.count("invoice").await, fixture.why(app).await.last().unwrap().as_str()), (1, "there is an invoice of it already"));
        assert_eq!((letters(app).len(), texts(app).len()), (0, 0), "a draft is nobody's but the office's");
    }

    async fn completed_job_invoice_is_sent_automatically_when_configured(app) {
        let fixture = billing_fixture(app).await;
        app.sets(&fixture.shop, json!({"invoicing": {"onCompletion": "send", "dunning": false, "prefix": "A-"}})).await;
        fixture.agrees(640.0).await;
        let job = fixture.job().await;
        fixture.moves(&job, "completed").await;
        app.advance(Duration::seconds(59));
        app.run_tasks().await;
        assert_eq!(app.count("invoice").await, 0);
        app.advance(Duration::seconds(3));
        app.run_tasks().await;
        let sent = fixture.office.get("/api/invoices").await.json();
        let invoice_fields = (&sent[0]["number"], &sent[0]["status"], &sent[0]["isReminded"]);
        assert_eq!(invoice_fields, (&json!("A-1001"), &json!("open"), &json!(false)));
        assert_eq!((letters(app).len(), texts(app).len()), (1, 1));
        let shown = fixture.shown(&sent[0]).await;
        assert_eq!((shown["events"].as_array().unwrap().last().unwrap()["by"].as_str(), &shown["followUps"]), (Some("Toolbox"), &json!([])));
    }
}
