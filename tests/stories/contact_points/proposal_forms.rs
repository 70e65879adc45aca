//! What the office reads beside a proposed address: the form that named it, and what came from the address since.

use chrono::{DateTime, Utc};

use super::*;

const MAIL: &str = "ann@customer.example";
const NEW_MAIL: &str = "new@customer.example";

fn is_typed_at(proposal: &Value, at: DateTime<Utc>) -> bool {
    let typed = proposal["typedAt"].as_str().and_then(|typed| typed.parse::<DateTime<Utc>>().ok());
    typed.is_some_and(|typed| (typed - at).abs() <= Duration::seconds(2))
}

both_databases! {
    async fn proposal_names_time_and_name_of_its_form(app) {
        let (shop, office) = shop(app).await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.office_confirms(&shop).await;
        app.run_tasks().await;
        app.advance(Duration::days(2));
        let at = app.now();
        let again = Visitor::ann().phone(STRANGER).named("Mallory").submits_lead(app, &shop).await;
        app.run_tasks().await;
        let seen = record(&office, customer_of(app, &shop, lead).await).await;
        let proposal = &seen["alsoGave"][0];
        assert!(is_typed_at(proposal, at), "{proposal}");
        assert_eq!((&proposal["typedName"], &proposal["typedLeadId"]), (&json!("Mallory"), &json!(again)), "{proposal}");
        assert_eq!((&proposal["isFirstForm"], &proposal["activity"]), (&json!(false), &json!("written")), "{proposal}");
        let of_lead = office.get(&format!("/api/leads/{lead}")).await.json();
        assert_eq!(&of_lead["alsoGave"][0], proposal, "the lead's page says the same");
    }

    async fn proposals_of_first_form_precede_newer_ones(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let at = app.now();
        let lead = Visitor::ann().email(Some(MAIL)).submits_lead(app, &shop).await;
        app.run_tasks().await;
        line.writes(ANN, "My kitchen sink is leaking, can you come today?").await;
        app.run_tasks().await;
        for mail in [OTHER_MAIL, NEW_MAIL] {
            app.advance(Duration::days(1));
            Visitor::ann().email(Some(mail)).named("Mallory").submits_lead(app, &shop).await;
            app.run_tasks().await;
        }
        let seen = record(&office, customer_of(app, &shop, lead).await).await;
        let listed: Vec<_> = seen["alsoGave"].as_array().unwrap().iter().map(|one| (&one["value"], &one["isFirstForm"], &one["typedName"])).collect();
        assert_eq!(listed, [
            (&json!(MAIL), &json!(true), &Value::Null),
            (&json!(NEW_MAIL), &json!(false), &json!("Mallory")),
            (&json!(OTHER_MAIL), &json!(false), &json!("Mallory")),
        ], "{seen}");
        assert!(is_typed_at(&seen["alsoGave"][0], at), "{seen}");
    }

    async fn form_of_customer_known_before_is_not_their_first(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let lead = Visitor::ann().email(Some(MAIL)).submits_lead(app, &shop).await;
        app.run_tasks().await;
        // As by a list.
        let (known, at) = ("UPDATE customer SET created_at = $2 WHERE org_id = $1", app.now() - Duration::days(9));
        app.within(async |tx| Ok(q!(tx, execute, known, shop.id(), at)?)).await.unwrap();
        line.writes(ANN, "My kitchen sink is leaking, can you come today?").await;
        app.run_tasks().await;
        let seen = record(&office, customer_of(app, &shop, lead).await).await;
        assert_eq!((&seen["alsoGave"][0]["value"], &seen["alsoGave"][0]["isFirstForm"]), (&json!(MAIL), &json!(false)), "{seen}");
    }

    async fn form_older_than_its_record_is_not_the_first(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let lead = Visitor::ann().email(Some(MAIL)).submits_lead(app, &shop).await;
        app.run_tasks().await;
        // As after a merge into a newer record.
        let (known, at) = ("UPDATE customer SET created_at = $2 WHERE org_id = $1", app.now() + Duration::days(9));
        app.within(async |tx| Ok(q!(tx, execute, known, shop.id(), at)?)).await.unwrap();
        line.writes(ANN, "My kitchen sink is leaking, can you come today?").await;
        app.run_tasks().await;
        let seen = record(&office, customer_of(app, &shop, lead).await).await;
        assert_eq!((&seen["alsoGave"][0]["value"], &seen["alsoGave"][0]["isFirstForm"]), (&json!(MAIL), &json!(false)), "{seen}");
    }

    async fn text_from_proposed_number_shows_beside_it(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        line.writes(ANN, "It drips").await;
        app.run_tasks().await;
        app.advance(Duration::days(2));
        uses_all(app, &shop, lead).await;
        Visitor::ann().phone(STRANGER).submits_lead(app, &shop).await;
        app.run_tasks().await;
        line.writes(STRANGER, "Yes please").await;
        app.run_tasks().await;
        let seen = record(&office, customer_of(app, &shop, lead).await).await;
        assert_eq!((&seen["alsoGave"][0]["value"], &seen["alsoGave"][0]["activity"]), (&json!(STRANGER), &json!("texted")), "{seen}");
    }
}
