//! A request that is sent again with its key is one request.

use serde_json::{Value, json};
use shared::{
    domain::intake::lead::Receipt,
    platform::{
        error::{Error, Result},
        id::OrgId,
        idempotency::{self, Keyed},
    },
};
use tests::{
    app::TestApp,
    both_databases,
    people::{Shop, Visitor},
};

fn keyed(key: &str, body: u8) -> Keyed<'_> {
    Keyed { operation: "lead", key, body_hash: [body; 32] }
}

/// As a handler does: the earlier answer, or the request and its answer in one transaction.
async fn submit(app: &TestApp, shop: &Shop, visitor: &Visitor, keyed: &Keyed<'_>) -> Result<Value> {
    app.within(async |tx| {
        if let Some(answer) = idempotency::earlier_answer(tx, &app.origin, shop.id(), keyed).await? {
            return Ok(answer);
        }
        let answer = json!(visitor.submits_within(tx, app, shop).await?);
        idempotency::keep_answer(tx, shop.id(), keyed, &answer).await?;
        Ok(answer)
    })
    .await
}

/// Looks without taking the key.
async fn answer_for(app: &TestApp, org: OrgId, keyed: &Keyed<'_>) -> Result<Option<Value>> {
    let mut tx = app.db.begin().await?;
    idempotency::earlier_answer(&mut tx, &app.origin, org, keyed).await
}

both_databases! {
    async fn the_same_key_and_body_get_the_same_receipt_and_another_body_is_refused(app) {
        let (shop, other) = (app.org("Acme Plumbing").await, app.org("Best Roofing").await);
        let ann = Visitor::ann();
        let first = submit(app, &shop, &ann, &keyed("key", 1)).await.unwrap();
        assert_eq!(submit(app, &shop, &ann, &keyed("key", 1)).await.unwrap(), first);
        assert!(matches!(submit(app, &shop, &ann, &keyed("key", 2)).await, Err(Error::IdempotencyMismatch)));
        assert_eq!((app.count("lead").await, app.count("lead_touch").await), (1, 1));
        assert_eq!(answer_for(app, other.id(), &keyed("key", 1)).await.unwrap(), None, "another business's key");
        let quote = Keyed { operation: "quote", ..keyed("key", 1) };
        assert_eq!(answer_for(app, shop.id(), &quote).await.unwrap(), None, "another operation");
        let receipt: Receipt = serde_json::from_value(first).unwrap();
        assert!(receipt.id.to_string().starts_with(&receipt.reference));
        app.run_tasks().await;
    }

    async fn twenty_repeats_at_once_are_one_request_with_one_receipt(app) {
        let shop = app.org("Acme Plumbing").await;
        let (app, ann) = (&*app, Visitor::ann());
        let sent = (0..20).map(|_| async { submit(app, &shop, &ann, &keyed("key", 1)).await.expect("an answer") });
        let mut answers = futures::future::join_all(sent).await;
        answers.dedup();
        assert_eq!(answers.len(), 1, "{answers:?}");
        assert_eq!((app.count("lead").await, app.count("lead_touch").await, app.count("customer").await), (1, 1, 1));
        app.run_tasks().await;
        assert_eq!(app.sms.accepted().len(), 1);
    }

    async fn a_request_that_was_rolled_back_keeps_no_answer(app) {
        let shop = app.org("Acme Plumbing").await;
        let mut tx = app.db.begin().await.unwrap();
        let key = keyed("key", 1);
        assert_eq!(idempotency::earlier_answer(&mut tx, &app.origin, shop.id(), &key).await.unwrap(), None);
        idempotency::keep_answer(&mut tx, shop.id(), &key, &json!("gone")).await.unwrap();
        drop(tx);
        assert_eq!(answer_for(app, shop.id(), &keyed("key", 1)).await.unwrap(), None);
    }
}
