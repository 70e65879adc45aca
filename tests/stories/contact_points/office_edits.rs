//! The office types a number or an email on a customer's record: what a form typed beside it gets no papers any more.

use axum::http::Method;
use serde_json::{Value, json};
use shared::platform::id::CustomerId;
use tests::{both_databases, http::Client, people::Visitor, phone::ANN};

use super::{OTHER_MAIL, customer_of, estimate_goes_to, form_orders::asks, press, record, shop};

const MAIL: &str = "ann@customer.example";
const NEW_PHONE: &str = "+15125550143";
const NEW_MAIL: &str = "new@customer.example";

async fn edits(office: &Client, customer: CustomerId, change: Value) {
    let body = change.to_string().into_bytes();
    let edited = office.send(Method::PATCH, &format!("/api/customers/{customer}"), "application/json", body).await;
    assert_eq!(edited.status, 200, "{}", edited.json());
}

fn proposed(seen: &Value) -> Vec<&str> {
    let mut values: Vec<&str> =
        seen["alsoGave"].as_array().unwrap().iter().map(|one| one["value"].as_str().unwrap()).collect();
    values.sort_unstable();
    values
}

async fn uses(office: &Client, customer: CustomerId, value: &str) {
    let seen = record(office, customer).await;
    let proposals = seen["alsoGave"].as_array().unwrap();
    let proposal = proposals.iter().find(|one| one["value"] == value).unwrap_or_else(|| panic!("{value}: {seen}"));
    assert_eq!(press(office, proposal, "use").await, 200);
}

both_databases! {
    async fn phone_typed_by_the_office_sets_the_email_of_the_form_aside_until_it_is_used(app) {
        let (shop, office) = shop(app).await;
        let lead = Visitor::ann().email(Some(OTHER_MAIL)).submits_lead(app, &shop).await;
        app.run_tasks().await;
        let customer = customer_of(app, &shop, lead).await;
        edits(&office, customer, json!({ "phone": NEW_PHONE })).await;
        let seen = record(&office, customer).await;
        assert_eq!((&seen["phone"], &seen["phoneProof"]), (&json!(NEW_PHONE), &json!("office")), "{seen}");
        assert_eq!((&seen["email"], &seen["emailProof"], &seen["setAside"]), (&json!(OTHER_MAIL), &json!("form"), &json!(["email"])), "{seen}");
        assert_eq!(seen["otherSetAside"], json!(["(512) 555-0142"]), "{seen}");
        assert_eq!(proposed(&seen), [ANN, OTHER_MAIL], "{seen}");
        assert_eq!(estimate_goes_to(app, &office, lead).await, [NEW_PHONE]);
        uses(&office, customer, OTHER_MAIL).await;
        assert_eq!(estimate_goes_to(app, &office, lead).await, [NEW_PHONE, OTHER_MAIL]);
    }

    async fn email_typed_by_the_office_sets_the_phone_of_the_form_aside_until_it_is_used(app) {
        let (shop, office) = shop(app).await;
        let lead = Visitor::ann().email(Some(OTHER_MAIL)).submits_lead(app, &shop).await;
        app.run_tasks().await;
        let customer = customer_of(app, &shop, lead).await;
        edits(&office, customer, json!({ "email": NEW_MAIL })).await;
        let seen = record(&office, customer).await;
        assert_eq!((&seen["email"], &seen["emailProof"], &seen["phoneProof"]), (&json!(NEW_MAIL), &json!("office"), &json!("form")), "{seen}");
        assert_eq!((&seen["setAside"], &seen["otherSetAside"]), (&json!(["phone"]), &json!([OTHER_MAIL])), "{seen}");
        assert_eq!(proposed(&seen), [ANN, OTHER_MAIL], "{seen}");
        assert_eq!(estimate_goes_to(app, &office, lead).await, [NEW_MAIL]);
        uses(&office, customer, ANN).await;
        assert_eq!(estimate_goes_to(app, &office, lead).await, [ANN, NEW_MAIL]);
    }

    async fn edit_without_a_new_address_sets_nothing_aside(app) {
        let (shop, office) = shop(app).await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let customer = customer_of(app, &shop, lead).await;
        edits(&office, customer, json!({ "name": "Anna Lee", "phone": ANN, "email": MAIL })).await;
        let seen = record(&office, customer).await;
        assert_eq!((&seen["setAside"], &seen["alsoGave"]), (&json!([]), &json!([])), "{seen}");
        assert_eq!(estimate_goes_to(app, &office, lead).await, [ANN, MAIL]);
    }

    async fn used_phone_of_a_form_leaves_the_email_of_that_form_in_use(app) {
        let (shop, office) = shop(app).await;
        let lead = asks(app, &shop, None, Some(MAIL)).await;
        assert_eq!(asks(app, &shop, Some(ANN), Some(MAIL)).await, lead);
        let customer = customer_of(app, &shop, lead).await;
        uses(&office, customer, ANN).await;
        let seen = record(&office, customer).await;
        assert_eq!((&seen["phoneProof"], &seen["emailProof"], &seen["setAside"]), (&json!("office"), &json!("form"), &json!([])), "{seen}");
        assert_eq!(estimate_goes_to(app, &office, lead).await, [ANN, MAIL]);
    }
}
