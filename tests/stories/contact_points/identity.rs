//! Recognition of customers: an address that was only typed into a form matches no customer who is known otherwise.

use axum::http::Method;
use chrono::Duration;
use serde_json::json;
use shared::platform::{db::q, id::CustomerId};
use tests::{both_databases, people::Visitor, phone::ANN};

use super::{OTHER_MAIL, STRANGER, customer_of, estimate_goes_to, press, record, shop};

const MAIL: &str = "ann@customer.example";

both_databases! {
    async fn email_typed_beside_proven_phone_identifies_no_customer(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let theirs = Visitor::ann().phone(STRANGER).named("Mallory").submits_lead(app, &shop).await;
        line.writes(STRANGER, "It drips").await;
        app.run_tasks().await;
        app.advance(Duration::minutes(20));
        let hers = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let (mallory, ann) = (customer_of(app, &shop, theirs).await, customer_of(app, &shop, hers).await);
        assert_ne!(mallory, ann);
        let papers = |number: &str| line.texts_to(number).iter().filter(|text| text.contains("/p/")).count();
        let mails = || app.mail.accepted_messages().iter().filter(|mail| mail.to == MAIL && mail.text.contains("/p/")).count();
        estimate_goes_to(app, &office, hers).await;
        assert_eq!((papers(STRANGER), papers(ANN), mails()), (0, 1, 1));
        estimate_goes_to(app, &office, theirs).await;
        assert_eq!((papers(STRANGER), papers(ANN), mails()), (1, 1, 1), "set-aside addresses get no documents");
        app.advance(Duration::minutes(20));
        assert_eq!(Visitor::ann().submits_lead(app, &shop).await, hers, "she is known from now on");
        app.run_tasks().await;
    }

    async fn records_sharing_one_email_are_shown_as_duplicates(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let theirs = Visitor::ann().phone(STRANGER).named("Mallory").submits_lead(app, &shop).await;
        line.writes(STRANGER, "It drips").await;
        app.run_tasks().await;
        app.advance(Duration::minutes(20));
        let hers = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let (mallory, ann) = (customer_of(app, &shop, theirs).await, customer_of(app, &shop, hers).await);
        let seen = record(&office, mallory).await;
        assert_eq!((&seen["alsoGave"][0]["value"], &seen["alsoGave"][0]["belongsToId"]), (&json!(MAIL), &json!(ann)));
        assert_eq!(seen["duplicates"][0]["id"], json!(ann));
        assert_eq!(record(&office, ann).await["duplicates"][0]["id"], json!(mallory));
        assert_eq!(press(&office, &seen["alsoGave"][0], "use").await, 200, "the other record has it only from a form");
    }

    async fn phone_typed_beside_proven_email_identifies_no_customer(app) {
        let (shop, office) = shop(app).await;
        let theirs = Visitor::ann().email(Some(OTHER_MAIL)).named("Mallory").submits_lead(app, &shop).await;
        app.run_tasks().await;
        let pressed = "UPDATE customer_key SET proof = 'link_opened' WHERE org_id = $1 AND kind = 'email'";
        app.within(async |tx| Ok(q!(tx, execute, pressed, shop.id())?)).await.unwrap();
        app.advance(Duration::minutes(20));
        let hers = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        assert_ne!(customer_of(app, &shop, theirs).await, customer_of(app, &shop, hers).await);
        assert_eq!(estimate_goes_to(app, &office, hers).await, [ANN, MAIL]);
    }

    async fn repeated_identical_forms_belong_to_one_customer(app) {
        let (shop, _) = shop(app).await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.advance(Duration::minutes(20));
        assert_eq!(Visitor::ann().submits_lead(app, &shop).await, lead);
        for words in ["A new sink", "And a new tap"] {
            let quote = json!({"customerName": "Bob Ray", "email": "bob@customer.example", "serviceType": "plumbing",
                "projectDescription": words});
            assert!(app.client().post("/api/quotes/create", &quote).await.status.is_success());
            app.advance(Duration::minutes(20));
        }
        app.run_tasks().await;
        assert_eq!(app.count("customer").await, 2);
    }

    async fn form_with_known_email_does_not_replace_words_of_texted_lead(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let request_text = "My kitchen sink is leaking";
        line.writes(ANN, request_text).await;
        app.run_tasks().await;
        let lead = app.only_lead(&shop).await.summary.id;
        let at = format!("/api/customers/{}", customer_of(app, &shop, lead).await);
        let email = json!({"email": MAIL}).to_string().into_bytes();
        assert_eq!(office.send(Method::PATCH, &at, "application/json", email).await.status, 200);
        app.advance(Duration::minutes(20));
        let mut mallory = Visitor::ann().phone(STRANGER).named("Mallory");
        mallory.form.service = Some("roofing".into());
        mallory.form.notes = Some("Tear down the roof".into());
        assert_eq!(mallory.submits_lead(app, &shop).await, lead);
        app.run_tasks().await;
        let seen = app.lead(shop.id(), lead).await;
        assert_eq!((seen.summary.service.as_str(), seen.summary.notes.as_deref()), ("other", Some(request_text)));
        assert_eq!(seen.touches.last().unwrap().notes.as_deref(), Some("Tear down the roof"), "the notes are kept with their touch");
        app.advance(Duration::minutes(20));
        let mut ann = Visitor::ann();
        ann.form.service = Some("plumbing".into());
        assert_eq!(ann.submits_lead(app, &shop).await, lead);
        app.run_tasks().await;
        let seen = app.lead(shop.id(), lead).await;
        assert_eq!((seen.summary.service.as_str(), seen.summary.notes.as_deref()), ("plumbing", Some(request_text)));
        assert_eq!(seen.summary.name, "Ann Lee");
    }

    async fn merge_proposes_what_it_sets_aside_and_undo_reverts_it(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let lead = Visitor::ann().email(None).submits_lead(app, &shop).await;
        app.run_tasks().await;
        let ann = customer_of(app, &shop, lead).await;
        app.advance(Duration::minutes(20));
        line.writes("+15125550143", "It drips").await;
        app.run_tasks().await;
        let sql = "SELECT id FROM customer WHERE org_id = $1 AND id <> $2";
        let other = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar CustomerId, sql, shop.id(), ann).unwrap();
        // A form uses the number after they have texted.
        let later = "UPDATE customer_key SET last_used_at = $2 WHERE org_id = $1 AND proof = 'form'";
        app.within(async |tx| Ok(q!(tx, execute, later, shop.id(), app.now())?)).await.unwrap();
        let merged = office.post(&format!("/api/customers/{ann}/merge"), &json!({"otherId": other})).await;
        assert_eq!(merged.status, 200, "{}", merged.json());
        let seen = merged.json();
        assert_eq!((&seen["phone"], &seen["phoneProof"]), (&json!("+15125550143"), &json!("texted")));
        assert_eq!(seen["alsoGave"][0]["value"], json!(ANN), "the office says whether it is theirs");
        let undo = format!("/api/customers/merges/{}/undo", seen["mergedFrom"][0]["mergeId"].as_str().unwrap());
        assert_eq!(office.send(Method::POST, &undo, "", vec![]).await.status, 200);
        let back = record(&office, ann).await;
        assert_eq!((&back["phone"], &back["phoneProof"], &back["alsoGave"]), (&json!(ANN), &json!("form"), &json!([])));
        assert_eq!(record(&office, other).await["phoneProof"], json!("texted"));
    }
}
