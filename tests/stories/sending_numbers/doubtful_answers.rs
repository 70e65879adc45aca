//! A yes to the last business that wrote by a shared service may be meant for another one that wrote shortly before.

use chrono::Duration;
use serde_json::{Value, json};
use shared::domain::tenancy::org::FeatureSwitches;
use tests::{
    app::TestApp,
    both_databases,
    people::{Shop, Visitor},
    phone::ANN,
};

use super::{Install, POOL, inbound_texts, install_with_service, says, sharing};

const ANSWER: &str = "Yes Tuesday at 9 is good";
const PROVISIONAL: &str = "consent WHERE class = 'promotional' AND granted = TRUE AND is_provisional = TRUE";

/// A stranger names Ann's phone, an email of their own and the box at `shop`; its automatic text leaves, and Ann answers.
/// Returns Ann's record there.
async fn answers_after_form(app: &TestApp, (install, shop): (&Install, &Shop)) -> Value {
    app.switches(shop, FeatureSwitches::ALL_ON).await;
    let before = install.to_ann().len();
    let mut form = Visitor::ann().email(Some("stranger@evil.example"));
    form.form.marketing_consent = true;
    let lead = form.submits_lead(app, shop).await;
    app.run_tasks().await;
    assert_eq!(install.to_ann().len(), before + 1, "the automatic text");
    app.advance(Duration::minutes(5));
    assert_eq!(install.writes(ANN, POOL, ANSWER).await, 200);
    app.run_tasks().await;
    assert_eq!(inbound_texts(app, shop).await, [ANSWER], "it wrote last");
    let office = app.client().signed_in(app, shop.owner()).await;
    let customer = app.lead(shop.id(), lead).await.customer_id;
    office.get(&format!("/api/customers/{customer}")).await.json()
}

both_databases! {
    async fn yes_that_may_be_for_another_business_confirms_no_email_and_no_tick(app) {
        let install = install_with_service(app).await;
        let (acme, best) = (sharing(app, "Acme Plumbing").await, sharing(app, "Best Roofing").await);
        says(app, &acme, "Is Tuesday at 9 OK?").await;
        let seen = answers_after_form(app, (&install, &best)).await;
        assert_eq!((&seen["phoneProof"], &seen["setAside"]), (&json!("texted"), &json!(["email"])), "{seen}");
        assert_eq!(app.count(PROVISIONAL).await, 1);
    }

    async fn yes_confirms_where_other_business_wrote_two_days_before(app) {
        let install = install_with_service(app).await;
        let (acme, best) = (sharing(app, "Acme Plumbing").await, sharing(app, "Best Roofing").await);
        says(app, &acme, "Is Tuesday at 9 OK?").await;
        app.advance(Duration::hours(48));
        let seen = answers_after_form(app, (&install, &best)).await;
        assert_eq!((&seen["phoneProof"], &seen["setAside"]), (&json!("texted"), &json!([])), "{seen}");
        assert_eq!(app.count(PROVISIONAL).await, 0);
    }
}
