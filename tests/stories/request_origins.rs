//! Request origins: over HTTP, with the headers that browsers, mail programs and providers really send.

use axum::http::Method;
use serde_json::json;
use tests::{
    both_databases,
    fake_twilio::{ACCOUNT_SID, Product},
    phone::ANN,
};

const NUMBER: &str = "+15125550100";
const TEXTS: &str = "https://toolbox.example/webhooks/twilio/sms";

fn text(sid: &str) -> Vec<(String, String)> {
    let pairs = [
        ("AccountSid", ACCOUNT_SID),
        ("MessageSid", sid),
        ("From", ANN),
        ("To", NUMBER),
        ("Body", "Is anybody there?"),
        ("NumMedia", "0"),
    ];
    pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec()
}

both_databases! {
    async fn signed_webhook_with_duplicated_field_is_refused(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        let server = app.client().server().await;
        let hooks = line.twilio.hooks(Product::at(&server.url).known_as("https://toolbox.example"));
        let sent = text("SM00000000000000000000000000000001");
        // Twilio's signature covers each pair once, so it also fits a form with a repeated pair.
        for copied in 0..sent.len() {
            let mut forged = sent.clone();
            forged.push(sent[copied].clone());
            let answers = hooks.post(TEXTS, &forged).await;
            assert_eq!(answers[0].status, 403, "{}: {}", sent[copied].0, answers[0].body);
        }
        assert_eq!(app.count("message WHERE direction = 'in'").await, 0);
        assert_eq!(hooks.post(TEXTS, &sent).await[0].status, 200);
        assert_eq!(app.count("message WHERE direction = 'in'").await, 1);
        app.run_tasks().await;
    }

    async fn signed_webhook_without_account_is_refused(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        let server = app.client().server().await;
        let hooks = line.twilio.hooks(Product::at(&server.url).known_as("https://toolbox.example"));
        let sent = text("SM00000000000000000000000000000001");
        // Divided otherwise, the pair has the same signature.
        let mut divided = sent.clone();
        divided[0] = (format!("AccountSid{}", &ACCOUNT_SID[..2]), ACCOUNT_SID[2..].to_owned());
        let mut blank = sent.clone();
        blank[0].1 = String::new();
        for path in ["sms", "voice", "voice/status", "voice/whisper?call=CA1&to=1", "voice/accept?call=CA1&to=1", "message-status"] {
            for forged in [&sent[1..], &divided[..], &blank[..]] {
                let answers = hooks.post(&format!("https://toolbox.example/webhooks/twilio/{path}"), forged).await;
                assert_eq!(answers[0].status, 403, "{path}: {}", answers[0].body);
            }
        }
        assert_eq!((app.count("message WHERE direction = 'in'").await, app.count("call").await), (0, 0));
        assert_eq!(hooks.post(TEXTS, &sent).await[0].status, 200);
        app.run_tasks().await;
    }

    async fn signed_webhook_of_another_account_is_not_found(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        let server = app.client().server().await;
        let hooks = line.twilio.hooks(Product::at(&server.url).known_as("https://toolbox.example"));
        let mut sent = text("SM00000000000000000000000000000001");
        sent[0].1 = "AC00000000000000000000000000000bad".to_owned();
        for path in ["sms", "voice", "message-status"] {
            let answers = hooks.post(&format!("https://toolbox.example/webhooks/twilio/{path}"), &sent).await;
            assert_eq!(answers[0].status, 404, "{path}: {}", answers[0].body);
        }
        assert_eq!(app.count("message WHERE direction = 'in'").await, 0);
        sent[0].1 = ACCOUNT_SID.to_owned();
        assert_eq!(hooks.post(TEXTS, &sent).await[0].status, 200);
        app.run_tasks().await;
    }

    async fn post_without_body_is_accepted_from_own_page_and_refused_cross_site(app) {
        let shop = app.org("Acme Plumbing").await;
        let posts = async |client: &tests::http::Client| client.send(Method::POST, "/api/auth/logout", "", Vec::new()).await;
        // A plain `fetch` of a page: no content type, as there is no body, and no header of the app.
        let page = app.client().without("x-toolbox-client");
        let elsewhere = page.signed_in(app, shop.owner()).await;
        for (name, value) in [("sec-fetch-site", "cross-site"), ("sec-fetch-site", "same-site"), ("sec-fetch-site", "none")] {
            let refused = posts(&elsewhere.with(name, value)).await;
            assert_eq!(refused.problem().1, "csrf_refused", "{value}");
        }
        let of_another = elsewhere.without("sec-fetch-site").with("origin", "https://evil.example");
        let refused = posts(&of_another).await;
        assert_eq!((refused.problem().1.as_str(), &refused.json()["detail"]), ("csrf_refused", &json!("This request came from another site and was refused.")));
        assert_eq!(elsewhere.get("/api/auth/me").await.status, 200, "the session stays");
        assert!(posts(&elsewhere).await.status.is_success(), "sec-fetch-site: same-origin");
        assert_eq!(elsewhere.get("/api/auth/me").await.status, 401);
        // A browser without fetch metadata proves our page by `Origin`.
        let older = page.without("sec-fetch-site").signed_in(app, shop.owner()).await.with("origin", "https://toolbox.example");
        assert!(posts(&older).await.status.is_success(), "origin");
    }
}
