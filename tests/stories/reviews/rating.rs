//! The public rating of a business: the mean of its reviews, shown from five reviews on.

use axum::http::Method;
use serde_json::{Value, json};
use tests::{app::TestApp, both_databases};

use super::firm;

async fn shown(app: &TestApp, org: &str) -> Value {
    app.client().get(&format!("/api/public/form?org={org}")).await.json()["rating"].clone()
}

both_databases! {
    async fn quote_page_shows_a_rating_from_the_fifth_review_on(app) {
        let firm = firm(app).await;
        app.org("Best Roofing").await;
        assert_eq!(shown(app, "acme-plumbing").await, Value::Null, "there are no reviews");
        let mut last = Value::Null;
        // Four come to 4.9 and are not shown. With the fifth it is 24 / 5 = 4.8, with the sixth 26 / 6 = 4.33.
        for (rating, wanted) in [(5.0, None), (5.0, None), (4.5, None), (5.0, None), (4.5, Some(4.8)), (2.0, Some(4.3))] {
            let added = firm.post(app, "/api/reviews", &json!({"rating": rating})).await;
            assert_eq!(added.status, 201, "{}", added.json());
            last = added.json()["id"].clone();
            assert_eq!(shown(app, "acme-plumbing").await.as_f64(), wanted, "after {rating}");
        }
        assert_eq!(shown(app, "best-roofing").await, Value::Null, "they are another's");
        let path = format!("/api/reviews/{}", last.as_str().unwrap());
        assert_eq!(firm.office(app).await.send(Method::DELETE, &path, "", Vec::new()).await.status, 204);
        assert_eq!(shown(app, "acme-plumbing").await.as_f64(), Some(4.8));
        app.run_tasks().await;
    }
}
