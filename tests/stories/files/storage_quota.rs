//! The storage quota of a business.

use tests::{
    both_databases,
    fake_twilio::{InboundText, MmsPicture},
    http::{Multipart, pixel},
    phone::ANN,
};

use super::{Site, pdf, remove, stored, used};

const NUMBER: &str = "+15125550100";

both_databases! {
    async fn full_storage_quota_refuses_uploads_but_not_leads(app) {
        app.settings.storage_quota = 2_000;
        app.context.storage_quota = 2_000;
        let mut site = Site::of(app).await;
        let line = app.line(&mut site.shop, NUMBER).await;
        let first = site.adds(Multipart::default().file("files", "one.pdf", &pdf(&"x".repeat(1_500)))).await;
        let before = used(app, &site.shop).await;
        assert!((1_500..2_000).contains(&before), "{before}");
        let second = Multipart::default().file("files", "two.pdf", &pdf(&"x".repeat(500)));
        let refused = site.office.post_form(&site.path(), second.clone()).await;
        assert_eq!((refused.problem().0, refused.problem().1.as_str()), (507, "storage_full"));
        assert!(refused.json()["detail"].as_str().unwrap().contains("file space"));
        assert_eq!((app.count("file").await, stored(app).await.len(), used(app, &site.shop).await), (1, 1, before), "nothing half");

        // A photo has some 700 bytes, both as sent and as stored.
        let visitor = app.client().here();
        let asks = |form: Multipart| visitor.post_form("/api/leads/create", form);
        let mut sent = pixel();
        sent.resize(700, 0);
        let with_photo = || Multipart::ann("acme-plumbing").photo("leak.png", &sent);
        let refused = asks(with_photo()).await;
        assert_eq!((refused.problem().0, refused.problem().1.as_str()), (507, "storage_full"));
        let words = refused.json()["detail"].as_str().unwrap().to_owned();
        assert!(words.contains("without photos") && !words.contains("Remove"), "a visitor can remove nothing: {words}");
        assert_eq!(asks(Multipart::ann("acme-plumbing")).await.status, 201);
        app.run_tasks().await;

        let text = InboundText::new(ANN, NUMBER, "Look at this");
        line.delivers(&text.with_picture(MmsPicture::new("image/png", &pixel()))).await;
        app.run_tasks().await;
        assert_eq!((app.count("photo").await, used(app, &site.shop).await), (0, before));
        let lead = app.only_lead(&site.shop).await;
        let message = lead.messages.iter().find(|m| m.body == "Look at this").unwrap();
        assert_eq!(message.status_text, "received without its picture: your file space is full");

        assert_eq!(remove(&site.office, &first[0]["id"]).await.status, 204);
        assert_eq!(used(app, &site.shop).await, 0);
        assert_eq!(remove(&site.office, &first[0]["id"]).await.status, 404, "once");
        site.adds(second).await;
        assert_eq!(asks(with_photo()).await.status, 201);
        app.run_tasks().await;
        assert_eq!(app.count("photo").await, 1);
    }

    async fn concurrent_uploads_share_one_storage_quota(app) {
        // A document has 998 bytes: two fit, three do not.
        app.settings.storage_quota = 2_500;
        let site = Site::of(app).await;
        let form = |n: usize| Multipart::default().file("files", &format!("{n}.pdf"), &pdf(&"x".repeat(900)));
        let path = site.path();
        let answers = futures::future::join_all((0..8).map(|n| site.office.post_form(&path, form(n)))).await;
        let mut taken: Vec<u16> = answers.iter().map(|answer| answer.status.as_u16()).collect();
        taken.sort_unstable();
        assert_eq!(taken, [201, 201, 507, 507, 507, 507, 507, 507], "two of them fit");
        assert_eq!((app.count("file").await, stored(app).await.len()), (2, 2));
        assert!(used(app, &site.shop).await <= 2_500);
    }
}
