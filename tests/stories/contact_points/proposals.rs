//! Contact proposals: used, dismissed, undone, and hidden from other businesses.

use axum::http::Method;
use chrono::Duration;
use serde_json::{Value, json};
use shared::platform::{db::q, id::CustomerId};
use tests::{app::TestApp, both_databases, http::Client, people::Visitor, phone::ANN};

use super::{OTHER_MAIL, STRANGER, customer_of, estimate_goes_to, press, record, shop};

const NEW_MAIL: &str = "new@customer.example";

async fn use_and_undo(app: &TestApp, office: &Client, (customer, value): (CustomerId, &str)) {
    let seen = record(office, customer).await;
    let proposals = seen["alsoGave"].as_array().unwrap();
    let proposal = proposals.iter().find(|one| one["value"] == value).unwrap_or_else(|| panic!("{value}: {seen}"));
    app.advance(Duration::minutes(1));
    assert_eq!(press(office, proposal, "use").await, 200);
    app.advance(Duration::minutes(1));
    assert_eq!(press(office, proposal, "undo").await, 200);
}

fn assert_same_contacts(before: &Value, after: &Value) {
    for field in ["phone", "phoneProof", "otherPhones", "email", "emailProof", "otherEmails", "setAside", "alsoGave"] {
        assert_eq!(after[field], before[field], "{field}: {after}");
    }
}

both_databases! {
    async fn use_merge_and_undo_leave_one_open_proposal(app) {
        let (shop, office) = shop(app).await;
        let mut leads = Vec::new();
        for number in [ANN, STRANGER] {
            leads.push(Visitor::ann().phone(number).email(None).submits_lead(app, &shop).await);
            app.advance(Duration::minutes(20));
            Visitor::ann().phone(number).email(Some(OTHER_MAIL)).submits_lead(app, &shop).await;
            app.run_tasks().await;
        }
        let (ann, other) = (customer_of(app, &shop, leads[0]).await, customer_of(app, &shop, leads[1]).await);
        let proposal = record(&office, ann).await["alsoGave"][0].clone();
        let open = "contact_proposal WHERE state = 'open'";
        assert_eq!((&proposal["value"], app.count(open).await), (&json!(OTHER_MAIL), 2));
        assert_eq!(press(&office, &proposal, "use").await, 200);
        app.advance(Duration::minutes(1));
        let merged = office.post(&format!("/api/customers/{ann}/merge"), &json!({ "otherId": other })).await;
        assert_eq!(merged.status, 200, "{}", merged.json());
        let phones = "contact_proposal WHERE state = 'open' AND kind = 'phone'";
        assert_eq!((app.count(open).await, app.count(phones).await), (1, 1), "the merge answers the other one, and proposes the typed phone");
        assert_eq!(press(&office, &proposal, "undo").await, 200);
        assert_eq!(app.count(open).await, 2);
        let undo = format!("/api/customers/merges/{}/undo", merged.json()["mergedFrom"][0]["mergeId"].as_str().unwrap());
        assert_eq!(office.send(Method::POST, &undo, "", vec![]).await.status, 200);
        for customer in [ann, other] {
            let seen = record(&office, customer).await;
            assert_eq!((&seen["alsoGave"][0]["value"], &seen["email"]), (&json!(OTHER_MAIL), &Value::Null), "{seen}");
        }
        assert_eq!(app.count(open).await, 2, "as before");
    }

    async fn proposal_can_be_used_dismissed_and_undone(app) {
        let (shop, office) = shop(app).await;
        let lead = Visitor::ann().email(None).submits_lead(app, &shop).await;
        Visitor::ann().email(Some("new@customer.example")).submits_lead(app, &shop).await;
        app.run_tasks().await;
        let customer = customer_of(app, &shop, lead).await;
        let proposal = record(&office, customer).await["alsoGave"][0].clone();
        assert_eq!(proposal["isInUse"], json!(false), "{proposal}");
        assert_eq!(press(&office, &proposal, "use").await, 200);
        let used = record(&office, customer).await;
        assert_eq!((&used["email"], &used["emailProof"], &used["alsoGave"]), (&json!("new@customer.example"), &json!("office"), &json!([])));
        assert_eq!(press(&office, &proposal, "use").await, 409, "once");
        assert_eq!(press(&office, &proposal, "undo").await, 200);
        let back = record(&office, customer).await;
        assert_eq!((&back["email"], &back["otherEmails"], &back["alsoGave"][0]["id"]), (&Value::Null, &json!([]), &proposal["id"]));
        assert_eq!(estimate_goes_to(app, &office, lead).await, [ANN]);
        assert_eq!(press(&office, &proposal, "dismiss").await, 200);
        assert_eq!(record(&office, customer).await["alsoGave"], json!([]));
        Visitor::ann().email(Some("new@customer.example")).submits_lead(app, &shop).await;
        app.run_tasks().await;
        assert_eq!(record(&office, customer).await["alsoGave"], json!([]), "a dismissed address is not proposed again");
        assert_eq!(press(&office, &proposal, "undo").await, 200);
        assert_eq!(record(&office, customer).await["alsoGave"][0]["id"], proposal["id"]);
    }

    async fn accepted_phone_replaces_the_old_one_until_undo(app) {
        let (shop, office) = shop(app).await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.office_confirms(&shop).await;
        Visitor::ann().phone(STRANGER).submits_lead(app, &shop).await;
        app.run_tasks().await;
        let customer = customer_of(app, &shop, lead).await;
        let proposal = record(&office, customer).await["alsoGave"][0].clone();
        app.advance(Duration::minutes(1));
        assert_eq!(press(&office, &proposal, "use").await, 200);
        assert_eq!(record(&office, customer).await["phone"], json!(STRANGER));
        assert_eq!(press(&office, &proposal, "undo").await, 200);
        let back = record(&office, customer).await;
        assert_eq!((&back["phone"], &back["otherPhones"]), (&json!(ANN), &json!([])));
        assert_eq!(office.get(&format!("/api/leads/{lead}")).await.json()["phoneE164"], json!(ANN));
    }

    async fn undone_use_leaves_set_aside_email_without_papers(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let lead = Visitor::ann().email(Some(OTHER_MAIL)).submits_lead(app, &shop).await;
        app.run_tasks().await;
        line.writes(ANN, "My kitchen sink is leaking, can you come today?").await;
        app.run_tasks().await;
        app.advance(Duration::minutes(20));
        Visitor::ann().email(Some(NEW_MAIL)).submits_lead(app, &shop).await;
        app.run_tasks().await;
        let customer = customer_of(app, &shop, lead).await;
        let before = record(&office, customer).await;
        assert_eq!((&before["email"], &before["emailProof"], &before["setAside"]), (&json!(OTHER_MAIL), &json!("form"), &json!(["email"])), "{before}");
        use_and_undo(app, &office, (customer, NEW_MAIL)).await;
        assert_same_contacts(&before, &record(&office, customer).await);
        let links = || line.texts_to(ANN).iter().filter(|text| text.contains("/p/")).count();
        let earlier = links();
        assert_eq!(estimate_goes_to(app, &office, lead).await, Vec::<String>::new(), "no email leaves");
        assert_eq!(links(), earlier + 1, "the text does");
    }

    async fn undone_use_leaves_set_aside_phone_without_papers(app) {
        let (shop, office) = shop(app).await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let customer = customer_of(app, &shop, lead).await;
        let typed = json!({ "email": NEW_MAIL }).to_string().into_bytes();
        let changed = office.send(Method::PATCH, &format!("/api/customers/{customer}"), "application/json", typed).await;
        assert_eq!(changed.status, 200);
        app.advance(Duration::minutes(20));
        Visitor::ann().phone(STRANGER).email(Some(NEW_MAIL)).submits_lead(app, &shop).await;
        app.run_tasks().await;
        let before = record(&office, customer).await;
        assert_eq!((&before["phone"], &before["phoneProof"], &before["setAside"]), (&json!(ANN), &json!("form"), &json!(["phone"])), "{before}");
        use_and_undo(app, &office, (customer, STRANGER)).await;
        assert_same_contacts(&before, &record(&office, customer).await);
        assert_eq!(estimate_goes_to(app, &office, lead).await, [NEW_MAIL]);
    }

    async fn undone_use_proves_no_email_that_a_form_typed(app) {
        let (shop, office) = shop(app).await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.office_confirms(&shop).await;
        Visitor::ann().email(Some(NEW_MAIL)).submits_lead(app, &shop).await;
        app.run_tasks().await;
        // In use, and typed into a form only: as on a record that the office edited before an edit set such an email aside.
        let typed = "UPDATE customer_key SET proof = 'form', proved_at = NULL WHERE org_id = $1 AND kind = 'email'";
        app.within(async |tx| Ok(q!(tx, execute, typed, shop.id())?)).await.unwrap();
        let customer = customer_of(app, &shop, lead).await;
        let before = record(&office, customer).await;
        assert_eq!((&before["emailProof"], &before["setAside"]), (&json!("form"), &json!([])), "{before}");
        use_and_undo(app, &office, (customer, NEW_MAIL)).await;
        assert_same_contacts(&before, &record(&office, customer).await);
        assert_eq!(estimate_goes_to(app, &office, lead).await, [ANN, "ann@customer.example"]);
    }

    async fn proposal_of_another_tenant_is_not_found(app) {
        let (shop, office) = shop(app).await;
        let lead = Visitor::ann().email(None).submits_lead(app, &shop).await;
        Visitor::ann().email(Some(OTHER_MAIL)).submits_lead(app, &shop).await;
        app.run_tasks().await;
        let proposal = record(&office, customer_of(app, &shop, lead).await).await["alsoGave"][0].clone();
        let other = app.org("Best Roofing").await;
        let neighbour = app.client().signed_in(app, other.owner()).await;
        for what in ["use", "dismiss", "undo"] {
            assert_eq!(press(&neighbour, &proposal, what).await, 404, "{what}");
        }
    }
}
