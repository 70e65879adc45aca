//! The PDF attached to an estimate's email: it arrives intact, is waited for, and is not sent once removed.

use base64::{Engine, engine::general_purpose::STANDARD};
use chrono::Duration;
use serde_json::json;
use shared::q;
use tests::{both_databases, fake_smtp::FakeSmtp};

use super::{letters, made, shop_with_ann};

both_databases! {
    async fn attached_pdf_arrives_intact_through_smtp(app) {
        let (_, lead, office) = shop_with_ann(app).await;
        let smtp = FakeSmtp::start().await;
        app.use_smtp(&smtp);
        let (_, paper) = made(&office, lead, 350.0).await;
        app.run_tasks().await;
        let [letter] = &smtp.letters()[..] else { panic!("one letter: {:?}", smtp.letters()) };
        let (head, file) = letter.raw.split_once("Content-Type: application/pdf").unwrap();
        assert!(head.contains("multipart/mixed") && head.contains("multipart/alternative"), "{head}");
        let (_, coded) = file.split_once("\r\n\r\n").unwrap();
        let coded: String = coded.split("\r\n--").next().unwrap().split_whitespace().collect();
        assert!(STANDARD.decode(coded).unwrap() == paper);
    }

    async fn email_waits_for_missing_file_and_fails_on_removed_file(app) {
        let (shop, lead, office) = shop_with_ann(app).await;
        let (id, paper) = made(&office, lead, 350.0).await;
        let key = format!("{}/{id}.pdf", shop.id());
        app.context.storage.delete(&key).await.unwrap();
        app.run_tasks().await;
        let outbox = app.outbox(shop.id(), lead).await;
        assert!(outbox.contains(&"estimate email: waiting to be sent: the attached file is not in the file store".to_owned()), "{outbox:?}");
        app.context.storage.put(&key, &paper).await.unwrap();
        app.live_through(Duration::minutes(2), Duration::seconds(10)).await;
        assert_eq!(letters(app).len(), 1);
        office.post(&format!("/api/estimates/{id}/send"), &json!({"text": false})).await;
        let sql = "UPDATE file SET removed_at = $2 WHERE id = $1";
        app.within(async |tx| Ok(q!(tx, execute, sql, id, app.now())?)).await.unwrap();
        app.run_tasks().await;
        let outbox = app.outbox(shop.id(), lead).await;
        assert!(outbox.contains(&"estimate email: failed: the attached file was removed".to_owned()), "{outbox:?}");
        assert_eq!(letters(app).len(), 1);
    }
}
