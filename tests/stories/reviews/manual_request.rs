//! "Request Review": a request sent now, under the same rules; an owner may override only the half-year limit.

use chrono::Duration;
use serde_json::{Value, json};
use shared::domain::tenancy::account::Role;
use tests::both_databases;

use super::{agreeing, firm, later, link, mails, number, path, until};

both_databases! {
    async fn manual_request_previews_its_text_and_then_leaves_at_once(app) {
        let firm = firm(app).await;
        let lead = agreeing(1).submits_confirmed_lead(app, &firm.shop).await;
        let at = format!("/api/leads/{lead}/review");
        let shown = firm.get(app, &at).await;
        assert_eq!((&shown["canAsk"], &shown["channel"], &shown["to"], &shown["at"]), (&json!(true), &json!("sms"), &json!("(737) 500-0001"), &json!(app.now())), "{shown}");
        assert_eq!((&shown["why"], &shown["lastAskedAt"], &shown["followUps"]), (&json!("It goes out now."), &Value::Null, &json!(["2026-09-20T15:00:00Z", "2026-09-24T15:00:00Z"])));
        let office = firm.office(app).await.with("idempotency-key", "press");
        let asked = office.post(&at, &json!({})).await;
        assert_eq!(asked.status, 202, "{}", asked.json());
        assert_eq!((&asked.json()["to"], &asked.json()["customerName"], &asked.json()["channel"]), (&json!("(737) 500-0001"), &json!("Visitor 1"), &json!("sms")));
        assert_eq!(office.post(&at, &json!({})).await.json(), asked.json(), "the same press");
        app.run_tasks().await;
        let texts = firm.texts(&number(1));
        let [text] = &texts[..] else { panic!("{texts:?}") };
        assert_eq!(text.replace(&link(text), "/r/…"), shown["text"].as_str().unwrap(), "in the words that were shown");
        let again = firm.get(app, &at).await;
        assert_eq!((&again["canAsk"], &again["needsOverride"], &again["lastAskedAt"]), (&json!(false), &json!(true), &json!("2026-09-17T15:00:00Z")), "{again}");
        let refused = firm.post(app, &at, &json!({})).await;
        assert_eq!((refused.status.as_u16(), refused.json()["detail"].as_str()), (409, Some("They were asked within the last 180 days.")));
        assert_eq!(firm.post(app, "/api/leads/00000000-0000-0000-0000-000000000007/review", &json!({})).await.status, 404);
    }

    async fn form_with_email_set_aside_gives_no_text_consent_until_its_number_says_yes(app) {
        let firm = firm(app).await;
        let lead = agreeing(1).submits_lead(app, &firm.shop).await;
        let at = format!("/api/leads/{lead}/review");
        assert_eq!(firm.get(app, &at).await["channel"], "email");
        app.run_tasks().await;
        app.advance(Duration::minutes(20));
        // The number's owner writes herself: a stranger may have typed it with their own email.
        firm.line.writes(&number(1), "My boiler leaks").await;
        app.run_tasks().await;
        let refused = firm.post(app, &at, &json!({})).await;
        let why = refused.json()["detail"].to_string();
        assert!(refused.status == 409 && why.contains("did not agree to get offers and review requests by text"), "{why}");
        let customer = firm.get(app, &format!("/api/leads/{lead}")).await["customerId"].as_str().unwrap().to_owned();
        let seen = firm.get(app, &format!("/api/customers/{customer}")).await;
        assert_eq!(seen["setAside"], json!(["email"]), "{seen}");
        for consent in seen["consents"].as_array().unwrap() {
            let is_offer = consent["class"] == "promotional";
            assert_eq!(consent["isSetAside"], json!(is_offer), "messages about the request may go to the number: {seen}");
        }
        let proposal = seen["alsoGave"][0]["id"].as_str().unwrap();
        let used = firm.post(app, &format!("/api/contact-proposals/{proposal}/use"), &json!({})).await;
        assert_eq!(used.status, 200, "{}", used.json());
        firm.line.writes(&number(1), "Yes please").await;
        app.run_tasks().await;
        let asked = firm.post(app, &at, &json!({})).await;
        assert_eq!((asked.status.as_u16(), &asked.json()["channel"]), (202, &json!("sms")), "{}", asked.json());
        app.run_tasks().await;
        assert_eq!(firm.texts(&number(1)).len(), 1);
    }

    async fn form_with_email_set_aside_refuses_no_texts_in_a_merge(app) {
        let firm = firm(app).await;
        let mut stranger = agreeing(1);
        stranger.form.marketing_consent = false;
        let first = stranger.submits_lead(app, &firm.shop).await;
        app.advance(Duration::minutes(1));
        let mut herself = agreeing(2);
        herself.form.email = None;
        let second = herself.submits_lead(app, &firm.shop).await;
        app.run_tasks().await;
        let mut ids = Vec::new();
        for lead in [first, second] {
            ids.push(firm.get(app, &format!("/api/leads/{lead}")).await["customerId"].as_str().unwrap().to_owned());
        }
        let preview = format!("/api/customers/{}/merge?with={}", ids[0], ids[1]);
        assert_eq!(firm.get(app, &preview).await["result"]["agreedToOffers"], json!(false));
        app.advance(Duration::minutes(20));
        firm.line.writes(&number(1), "My boiler leaks").await;
        app.run_tasks().await;
        let shown = firm.get(app, &preview).await;
        assert_eq!((&shown["kept"]["agreedToOffers"], &shown["result"]["agreedToOffers"]), (&Value::Null, &json!(true)), "{shown}");
    }

    async fn repeat_request_within_half_a_year_requires_an_owner(app) {
        let firm = firm(app).await;
        let (_, job) = firm.served(app, 1).await;
        // Not on a Sunday, when no message goes to Texas before noon.
        later(app, Duration::days(11)).await;
        let (texts, letters) = (firm.texts(&number(1)).len(), mails(app).len());
        let staff = app.staff(&firm.shop, Role::Office).await;
        let office = app.client().signed_in(app, &staff).await;
        assert_eq!(office.post(&path(&job, "/review"), &json!({"override": true})).await.status, 403);
        assert_eq!(office.post(&path(&job, "/review"), &json!({})).await.status, 409);
        let asked = firm.post(app, &path(&job, "/review"), &json!({"override": true})).await;
        assert_eq!(asked.status, 202, "{}", asked.json());
        app.run_tasks().await;
        assert_eq!((firm.texts(&number(1)).len(), mails(app).len()), (texts + 1, letters));
        let crew = app.client().signed_in(app, &app.staff(&firm.shop, Role::Crew).await).await;
        assert_eq!(crew.post(&path(&job, "/review"), &json!({})).await.status, 403);
        assert_eq!(crew.get(&path(&job, "/review")).await.status, 403);
        // No override for staff and relatives.
        let customer = firm.ask(app, &job).await["customerId"].as_str().unwrap().to_owned();
        firm.patches(app, &format!("/api/customers/{customer}"), &json!({"isStaff": true})).await;
        let refused = firm.post(app, &path(&job, "/review"), &json!({"override": true})).await;
        assert_eq!((refused.status.as_u16(), refused.json()["detail"].as_str()), (409, Some("They are staff or a relative.")));
    }

    async fn manual_request_replaces_the_scheduled_one(app) {
        let firm = firm(app).await;
        let (_, job) = firm.served(app, 1).await;
        later(app, Duration::minutes(10)).await;
        let asked = firm.post(app, &path(&job, "/review"), &json!({})).await;
        assert_eq!((asked.status.as_u16(), &asked.json()["askId"]), (202, &firm.ask(app, &job).await["id"]), "{}", asked.json());
        app.run_tasks().await;
        assert_eq!(firm.texts(&number(1)).len(), 1);
        later(app, Duration::hours(5)).await;
        assert_eq!(firm.texts(&number(1)).len(), 1);
        assert_eq!(firm.ask(app, &job).await["cause"], "by_hand");
    }

    async fn manual_request_at_night_waits_until_nine_and_says_so(app) {
        let firm = firm(app).await;
        let lead = agreeing(1).submits_confirmed_lead(app, &firm.shop).await;
        until(app, "2026-09-18T02:00:00Z").await;
        let at = format!("/api/leads/{lead}/review");
        let shown = firm.get(app, &at).await;
        assert_eq!((&shown["canAsk"], &shown["at"]), (&json!(true), &json!("2026-09-18T14:00:00Z")), "{shown}");
        assert_eq!(shown["why"], "It goes out on Fri, Sep 18, at 9:00 AM, the next hour at which they may be asked.");
        let asked = firm.post(app, &at, &json!({})).await.json();
        assert_eq!(asked["at"], "2026-09-18T14:00:00Z");
        until(app, "2026-09-18T13:59:00Z").await;
        assert_eq!(firm.texts(&number(1)), [""; 0]);
        until(app, "2026-09-18T14:00:00Z").await;
        assert_eq!(firm.texts(&number(1)).len(), 1);
    }
}
