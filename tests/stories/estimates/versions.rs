//! Versions of an estimate: a newer one replaces an open one and leaves a signed one unchanged; a withdrawn or
//! expired one is no longer sent.

use chrono::Duration;
use serde_json::{Value, json};
use shared::{domain::intake::lead::PipelineStage, providers::sms::SmsProvider, q};
use tests::both_databases;

use super::{letters, list, made, makes, shop_with_ann, stage, texts};

both_databases! {
    async fn later_lead_stage_is_kept_when_an_estimate_is_made(app) {
        let (shop, lead, office) = shop_with_ann(app).await;
        for stage_now in [PipelineStage::Scheduled, PipelineStage::Done, PipelineStage::Paid] {
            let sql = "UPDATE lead SET stage = $2 WHERE id = $1";
            app.within(async |tx| Ok(q!(tx, execute, sql, lead, stage_now)?)).await.unwrap();
            assert_eq!(makes(&office, lead, &json!({"quotedTotal": 350})).await.status, 200);
            assert_eq!(stage(app, &shop, lead).await, stage_now);
        }
        app.run_tasks().await;
        let numbers: Vec<_> = list(&office, lead).await.iter().map(|one| one["number"].as_str().unwrap().to_owned()).collect();
        assert_eq!(numbers, ["EST-1001-3", "EST-1001-2", "EST-1001"], "each is a revision");
    }

    async fn estimate_text_is_offered_by_hand_until_a_newer_version_is_made(app) {
        let (shop, lead, office) = shop_with_ann(app).await;
        app.context.sms = SmsProvider::Off;
        let (first, _) = made(&office, lead, 350.0).await;
        app.run_tasks().await;
        let customer = app.lead(shop.id(), lead).await.messages.into_iter().find_map(|m| m.customer_id).unwrap();
        app.advance(Duration::seconds(5));
        let offered = async || {
            let items = office.get(&format!("/api/customers/{customer}/conversation")).await.json()["items"].clone();
            let messages = items.as_array().unwrap().iter().map(|item| item["message"].clone());
            let texts = messages.filter(|one| one["kind"] == "estimate" && one["channel"] == "sms");
            texts.map(|one| one["byHand"].as_bool().unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(offered().await, [true], "SMS is not set up");
        let newer = office.post(&format!("/api/estimates/{first}/revise"), &json!({"quotedTotal": 450})).await;
        assert_eq!(newer.status, 201, "{}", newer.json());
        app.run_tasks().await;
        assert_eq!(offered().await, [false, true]);
    }

    async fn estimate_without_a_channel_for_reminders_names_the_reason(app) {
        let (shop, lead, office) = shop_with_ann(app).await;
        made(&office, lead, 350.0).await;
        app.run_tasks().await;
        assert_eq!(list(&office, lead).await[0]["noReminder"], Value::Null, "an email can leave");
        app.sets(&shop, json!({"sending": {"registration": "pending"}})).await;
        for sql in ["UPDATE lead SET email = NULL WHERE org_id = $1", "UPDATE customer SET email = NULL WHERE org_id = $1"] {
            app.within(async |tx| Ok(q!(tx, execute, sql, shop.id())?)).await.unwrap();
        }
        let why = "texts are off and there is no email address";
        assert_eq!(list(&office, lead).await[0]["noReminder"], json!(why));
    }

    async fn revision_replaces_open_estimate_and_its_pending_messages(app) {
        let (shop, lead, office) = shop_with_ann(app).await;
        app.advance(Duration::hours(13));
        let (first, _) = made(&office, lead, 350.0).await;
        app.run_tasks().await;
        assert!(texts(app).is_empty(), "a text waits for the morning");
        let answer = office.post(&format!("/api/estimates/{first}/revise"), &json!({"quotedTotal": 450})).await;
        assert_eq!((answer.status.as_u16(), &answer.json()["number"], &answer.json()["status"]), (201, &json!("EST-1001-2"), &json!("open")));
        app.run_tasks().await;
        let outbox = app.outbox(shop.id(), lead).await;
        assert!(outbox.contains(&"estimate sms: not sent: a newer version was made".to_owned()), "{outbox:?}");
        let stopped = app.lead(shop.id(), lead).await.messages.into_iter().find(|m| m.status_text.ends_with("a newer version was made"));
        assert!(stopped.is_some_and(|message| !message.by_hand), "the text with the old price is not offered for sending by hand");
        app.advance(Duration::hours(12));
        app.run_tasks().await;
        let [text] = &texts(app)[..] else { panic!("one text: {:?}", texts(app)) };
        assert!(text.contains("for $450.00"), "{text}");
        let statuses: Vec<_> = list(&office, lead).await.iter().map(|one| one["status"].as_str().unwrap().to_owned()).collect();
        assert_eq!(statuses, ["open", "replaced"]);
        let steps = list(&office, lead).await[1]["followUps"].clone();
        assert!(steps.as_array().unwrap().iter().all(|step| step["state"] == "stopped"), "{steps}");
        let older = office.post(&format!("/api/estimates/{first}/revise"), &json!({"quotedTotal": 1})).await;
        assert_eq!((older.status.as_u16(), older.json()["detail"].as_str()), (409, Some("A newer version of it was made. Please change that one.")));
        assert_eq!(app.lead(shop.id(), lead).await.summary.quoted_total.map(|cents| cents.0), Some(45_000));
    }

    async fn revision_leaves_signed_estimate_unchanged(app) {
        let (shop, lead, office) = shop_with_ann(app).await;
        let (id, paper) = made(&office, lead, 350.0).await;
        app.run_tasks().await;
        app.within(async |tx| {
            let sql = "UPDATE estimate SET status = 'approved', settled_at = $2 WHERE id = $1";
            q!(&mut *tx, execute, sql, id, app.now())?;
            let sql = "INSERT INTO approval (org_id, estimate_id, at, name, manner, add_ons, total_cents, deposit_cents, pdf_sha256, wording)
                VALUES ($1, $2, $3, 'Ann Lee', 'typed', '[]', 35000, 0, $4, 'I agree')";
            Ok(q!(tx, execute, sql, shop.id(), id, app.now(), vec![7_u8; 32])?)
        }).await.unwrap();
        let without_questions = |mut shown: Value| {
            shown["followUps"].take();
            shown
        };
        let before = without_questions(list(&office, lead).await.remove(0));
        assert_eq!((&before["approval"]["name"], &before["approval"]["pdfSha256"]), (&json!("Ann Lee"), &json!("07".repeat(32))));
        let answer = office.post(&format!("/api/estimates/{id}/revise"), &json!({"quotedTotal": 500, "send": {"text": false}})).await;
        assert_eq!((answer.status.as_u16(), &answer.json()["version"]), (201, &json!(2)));
        app.run_tasks().await;
        let mut after = list(&office, lead).await;
        assert_eq!(without_questions(after.remove(1)), before, "not a word of it has changed");
        assert_eq!(after[0]["status"], "open");
        assert!(office.get(&format!("/api/estimates/{id}/pdf")).await.body == paper);
        let quoted = app.lead(shop.id(), lead).await.summary.quoted_total.map(|cents| cents.0);
        assert_eq!(quoted, Some(35_000), "the agreed amount stays");
        assert_eq!(office.post(&format!("/api/estimates/{id}/send"), &json!({})).await.status, 409);
    }

    async fn withdrawn_estimate_is_not_sent_and_lead_returns_to_new(app) {
        let (shop, lead, office) = shop_with_ann(app).await;
        app.advance(Duration::hours(13));
        let (id, _) = made(&office, lead, 350.0).await;
        let path = format!("/api/estimates/{id}/withdraw");
        assert_eq!(office.post(&path, &json!({})).await.problem().2, ["reason"]);
        let answer = office.post(&path, &json!({"reason": "Wrong house"})).await;
        assert_eq!((answer.status.as_u16(), &answer.json()["status"]), (200, &json!("withdrawn")));
        assert_eq!((stage(app, &shop, lead).await, app.lead(shop.id(), lead).await.summary.quoted_total), (PipelineStage::New, None));
        assert_eq!(office.post(&path, &json!({"reason": "Again"})).await.status, 409);
        assert_eq!(office.post(&format!("/api/estimates/{id}/send"), &json!({})).await.status, 409);
        app.advance(Duration::hours(12));
        app.run_tasks().await;
        assert_eq!((texts(app).len(), letters(app).len()), (0, 0), "nothing that waited has left");
        app.live_through(Duration::days(12), Duration::hours(3)).await;
        assert!(app.sms.accepted_messages().iter().all(|text| !text.body.contains("any question about your estimate")));
        let (next, _) = made(&office, lead, 400.0).await;
        let shown = office.get(&format!("/api/leads/{lead}/estimates")).await.json();
        assert_eq!((&shown[0]["id"], &shown[0]["number"]), (&json!(next), &json!("EST-1002")), "its number is not used again");
        app.run_tasks().await;
    }

    async fn expired_estimate_cannot_be_sent_but_can_be_revised(app) {
        let (_, lead, office) = shop_with_ann(app).await;
        let today = app.now().with_timezone(&chrono_tz::America::Chicago).date_naive();
        let answer = makes(&office, lead, &json!({"quotedTotal": 350, "expiresOn": today})).await;
        let id = answer.header("x-estimate-id").to_owned();
        app.run_tasks().await;
        app.advance(Duration::hours(13));
        assert_eq!(list(&office, lead).await[0]["status"], "open", "its last day is not over there");
        app.advance(Duration::hours(2));
        assert_eq!(list(&office, lead).await[0]["status"], "expired");
        let refused = office.post(&format!("/api/estimates/{id}/send"), &json!({})).await;
        assert_eq!((refused.status.as_u16(), refused.json()["detail"].as_str()), (409, Some("It has expired. Make a new version of it instead.")));
        let anew = office.post(&format!("/api/estimates/{id}/revise"), &json!({"quotedTotal": 350})).await;
        assert_eq!((anew.status.as_u16(), &anew.json()["status"]), (201, &json!("open")));
        app.run_tasks().await;
    }
}
