//! Interrupted uploads, what stays, and what goes with a removed file.

use chrono::Duration;
use serde_json::{Value, json};
use shared::qb;
use tests::{
    app::TestApp,
    both_databases,
    http::{Multipart, pixel},
};

use super::{Site, id, pdf, photo, remove, stored, used};

both_databases! {
    async fn message_attachment_shows_its_delivery_and_view_status(app) {
        let site = Site::of(app).await;
        let file = site.adds(Multipart::default().file("files", "Estimate.pdf", &pdf("e"))).await[0].clone();
        let status = async |app: &TestApp, sql: &'static str| {
            app.within(async |tx| Ok(qb!(tx, execute, |b| { b.push(sql); })?)).await.unwrap();
            let shown = site.files(&site.office).await[0].clone();
            (shown["status"].clone(), shown["sentVia"].clone())
        };
        let none = status(app, "DELETE FROM message_file").await;
        assert_eq!(none, (Value::Null, Value::Null));
        let attach = "INSERT INTO message_file (org_id, message_id, file_id, is_attached)
            SELECT f.org_id, m.id, f.id, TRUE FROM file f JOIN message m ON m.org_id = f.org_id AND m.lead_id = f.lead_id
            WHERE m.channel = 'email' AND m.to_address = 'ann@customer.example'";
        let sent = status(app, attach).await;
        assert_eq!(sent, (json!("sent"), json!("email")));
        let waits = "UPDATE message SET status = 'queued'";
        assert_eq!(status(app, waits).await.0, Value::Null, "a waiting message is not marked as sent");
        assert_eq!(remove(&site.office, &file["id"]).await.problem().0, 409, "and its file stays until then");
        let delivered = status(app, "UPDATE message SET status = 'delivered'").await;
        assert_eq!(delivered, (json!("delivered"), json!("email")));
        let (org, now) = (site.shop.id(), app.now());
        let file_id = shared::platform::id::FileId(id(&file).parse().unwrap());
        app.within(async |tx| shared::domain::work::file::mark_viewed(tx, org, file_id, now).await).await.unwrap();
        assert_eq!(site.files(&site.office).await[0]["status"], "viewed");
        app.within(async |tx| shared::domain::work::file::mark_downloaded(tx, org, file_id, now).await).await.unwrap();
        assert_eq!(site.files(&site.office).await[0]["status"], "downloaded");
    }

    async fn estimate_pdf_cannot_be_removed(app) {
        let site = Site::of(app).await;
        let made = site.office.post(&format!("/api/leads/{}/estimate", site.lead), &json!({"quotedTotal": 1250})).await;
        assert_eq!(made.status, 200, "{}", made.json());
        app.run_tasks().await;
        let files = site.office.get(&format!("/api/leads/{}/files", site.lead)).await.json();
        let paper = files.as_array().unwrap().iter().find(|file| file["type"] == "document").unwrap();
        assert_eq!((paper["category"].as_str(), paper["status"].as_str()), (Some("estimate"), Some("sent")));
        let refused = remove(&site.office, &paper["id"]).await;
        assert_eq!((refused.problem().0, refused.problem().1.as_str()), (409, "conflict"));
        let kept = site.office.get(paper["url"].as_str().unwrap()).await;
        assert_eq!(kept.body, made.body, "the very bytes");
        assert_eq!(site.crew.get(paper["url"].as_str().unwrap()).await.status, 404);
        assert!(used(app, &site.shop).await >= i64::try_from(made.body.len()).unwrap(), "and it counts");
    }

    async fn form_photos_are_files_of_their_lead_and_can_be_removed(app) {
        let site = Site::of(app).await;
        let form = Multipart::ann(&site.shop.org.slug).photo("drip.png", &pixel());
        assert_eq!(app.client().here().post_form("/api/leads/create", form).await.status, 201);
        app.run_tasks().await;
        let files = site.files(&site.office).await;
        let [photo] = &files[..] else { panic!("{files:?}") };
        assert_eq!((photo["automationTool"].as_str(), photo["category"].as_str()), (Some("lead_intake"), Some("progress_photo")));
        assert_eq!((photo["by"].as_str(), &photo["status"]), (Some("Ann Lee"), &Value::Null));
        assert!(used(app, &site.shop).await > 0, "it counts in the business's space");
        assert_eq!(remove(&site.office, &photo["id"]).await.status, 204);
        assert_eq!(used(app, &site.shop).await, 0);
        assert!(site.files(&site.office).await.is_empty());
        let lead = app.lead(site.shop.id(), site.lead).await;
        assert!(lead.photos.is_empty() && lead.summary.photos_url.is_empty());
        assert_eq!(site.office.get(photo["url"].as_str().unwrap()).await.status, 404);
    }

    async fn file_sweep_deletes_orphans_and_files_removed_a_day_ago(app) {
        let site = Site::of(app).await;
        let files = site.adds(photo(photo(Multipart::default(), "one.png"), "two.png").file("files", "plan.pdf", &pdf("3"))).await;
        let form = Multipart::ann(&site.shop.org.slug).photo("drip.png", &pixel());
        assert_eq!(app.client().here().post_form("/api/leads/create", form).await.status, 201);
        let logo = Multipart::default().file("logo", "logo.png", &pixel());
        let path = format!("/api/org/{}/logo", site.shop.org.slug);
        assert_eq!(site.office.post_form(&path, logo).await.status, 200);
        app.run_tasks().await;
        let named = stored(app).await;
        assert_eq!(named.len(), 2 + 2 + 1 + 2 + 1, "{named:?}");
        app.context.storage.put("stray/left-over.jpg", b"x").await.unwrap();
        worker::housekeeping::stray_files::remove_stray_files(&app.context).await.unwrap();
        assert_eq!(stored(app).await.len(), named.len() + 1, "a request may still be about to name it");

        // Ten years later, whatever the machine's clock says.
        app.advance(Duration::days(3650));
        app.run_tasks().await;
        worker::housekeeping::stray_files::remove_stray_files(&app.context).await.unwrap();
        assert_eq!(stored(app).await, named);

        let office = app.client().signed_in(app, site.shop.owner()).await;
        assert_eq!(remove(&office, &files[0]["id"]).await.status, 204);
        assert_eq!(remove(&office, &files[2]["id"]).await.status, 204);
        worker::housekeeping::stray_files::remove_stray_files(&app.context).await.unwrap();
        assert_eq!(stored(app).await, named, "an answer may still be on its way");
        app.advance(Duration::days(1) + Duration::seconds(1));
        worker::housekeeping::stray_files::remove_stray_files(&app.context).await.unwrap();
        let left = stored(app).await;
        assert_eq!(left.len(), named.len() - 3);
        let gone = |file: &Value| !left.iter().any(|key| key.contains(id(file)));
        assert!(gone(&files[0]) && gone(&files[2]) && !gone(&files[1]), "{left:?}");
        let office = app.client().signed_in(app, site.shop.owner()).await;
        assert_eq!(office.get(files[1]["url"].as_str().unwrap()).await.status, 200);
        app.run_tasks().await;
    }
}
