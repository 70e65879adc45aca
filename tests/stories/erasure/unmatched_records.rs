//! Calls and reviews that were matched to nobody when they came, and that name an address of the erased person.

use tests::{
    fake_twilio::Leg,
    phone::{ANN, Line, OWNER},
};

use super::*;

async fn shop_with_line(app: &mut TestApp) -> (Shop, Line) {
    let mut shop = app.org("Acme Plumbing").await;
    let line = app.line(&mut shop, "+15125550100").await;
    app.sets(&shop, json!({"calls": {"forwardTo": [OWNER]}})).await;
    (shop, line)
}

async fn is_reviewed(app: &TestApp, shop: &Shop, review: &serde_json::Value) {
    let owner = app.client().signed_in(app, shop.owner()).await;
    let made = owner.post("/api/org/acme-plumbing/review-webhook", &json!({})).await;
    assert_eq!(made.status, 201, "{}", made.json());
    let path = format!("/api/webhooks/reviews/{}", made.json()["key"].as_str().unwrap());
    let sent = review.to_string().into_bytes();
    let taken = app.client().send(Method::POST, &path, "application/json", sent).await;
    assert_eq!(taken.status, 200, "{}", taken.json());
}

async fn personal_data(app: &TestApp, shop: &Shop, id: CustomerId) -> serde_json::Value {
    let owner = app.client().signed_in(app, shop.owner()).await;
    let answer = owner.get(&format!("/api/customers/{id}/personal-data/export")).await;
    assert_eq!(answer.status, 200);
    let mut zip = zip::ZipArchive::new(std::io::Cursor::new(answer.body.clone())).unwrap();
    serde_json::from_reader(zip.by_name("data.json").unwrap()).unwrap()
}

both_databases! {
    async fn calls_and_reviews_from_before_the_person_was_known_are_copied_and_erased(app) {
        let (shop, line) = shop_with_line(app).await;
        line.rings(ANN, [Leg::accepts(OWNER)]).await;
        // She names both addresses: the copy lists it once.
        let review = json!({"rating": 2, "customer_name": NAME, "review_text": "Water on the floor", "source": "Google",
            "phone": ANN, "email": "ann@customer.example"});
        is_reviewed(app, &shop, &review).await;
        app.live_through(Duration::minutes(2), Duration::minutes(1)).await;
        assert_eq!((app.count("customer").await, app.count("alert WHERE title LIKE '%Ann Lee%'").await), (0, 1));
        app.advance(Duration::days(1));
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let id = app.lead(shop.id(), lead).await.customer_id;
        let copy = personal_data(app, &shop, id).await;
        let (calls, reviews) = (&copy["tables"]["call"], &copy["tables"]["review"]);
        assert_eq!((calls.as_array().unwrap().len(), &calls[0]["from_address"]), (1, &json!(ANN)));
        assert_eq!((reviews.as_array().unwrap().len(), &reviews[0]["customer_name"]), (1, &json!(NAME)));
        asks_to_erase(app, &shop, id).await;
        erase(app).await;
        let left = traces(&all_text(&app.db, shop.id()).await);
        assert!(left.is_empty(), "{left:#?}");
        assert_eq!((app.count("call").await, app.count("review WHERE stars = 20").await), (1, 1), "what they count for stays");
        app.run_tasks().await;
    }

    async fn calls_and_reviews_at_an_address_that_another_request_names_stay(app) {
        let (shop, line) = shop_with_line(app).await;
        line.rings(ANN, [Leg::accepts(OWNER)]).await;
        is_reviewed(app, &shop, &json!({"rating": 5, "customer_name": NAME, "phone": ANN})).await;
        Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        app.advance(Duration::minutes(20));
        let theirs = Visitor::ann().email(Some("mallory@evil.example")).submits_lead(app, &shop).await;
        app.run_tasks().await;
        let mallory = app.lead(shop.id(), theirs).await.customer_id;
        asks_to_erase(app, &shop, mallory).await;
        erase(app).await;
        let call = format!("call WHERE from_address = '{ANN}' AND customer_id IS NULL");
        let review = format!("review WHERE phone_e164 = '{ANN}' AND customer_id IS NULL AND customer_name = '{NAME}'");
        assert_eq!((app.count(&call).await, app.count(&review).await), (1, 1));
        app.run_tasks().await;
    }
}
