//! An erased person's address that another customer's request names too.

use tests::phone::ANN;

use super::*;

both_databases! {
    async fn number_that_the_erased_record_took_goes_back_to_the_request_that_names_it(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        let hers = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        app.advance(Duration::minutes(20));
        let theirs = Visitor::ann().email(Some("mallory@evil.example")).submits_lead(app, &shop).await;
        app.run_tasks().await;
        let (ann, mallory) = (app.lead(shop.id(), hers).await.customer_id, app.lead(shop.id(), theirs).await.customer_id);
        assert_ne!(ann, mallory);
        asks_to_erase(app, &shop, mallory).await;
        erase(app).await;
        let sql = "SELECT customer_id, proof FROM customer_key WHERE org_id = $1 AND kind = 'phone' AND value = $2";
        let conn = &mut app.db.acquire_reader().await.unwrap();
        let key = q!(conn, fetch_all as (CustomerId, String), sql, shop.id(), ANN).unwrap();
        assert_eq!(key, [(ann, "form".to_owned())]);
        assert_eq!(app.count("customer_key WHERE value = 'mallory@evil.example'").await, 0);
        line.writes(ANN, "Any news about my sink?").await;
        app.run_tasks().await;
        assert_eq!(app.count("customer WHERE name <> 'Erased'").await, 1, "she writes in her own conversation");
        assert_eq!(app.count("customer_key WHERE kind = 'phone' AND proof = 'texted'").await, 1);
    }
}
