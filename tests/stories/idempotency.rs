//! A request repeated with its idempotency key is one request.

use serde_json::{Value, json};
use shared::{
    domain::intake::lead::LeadReceipt,
    platform::{
        error::{Error, Result},
        id::OrgId,
        idempotency::{self, IdempotentRequest},
    },
};
use tests::{
    app::TestApp,
    both_databases,
    people::{Shop, Visitor},
};

fn keyed(key: &str, body: u8) -> IdempotentRequest<'_> {
    IdempotentRequest { operation: "lead", key, body_hash: [body; 32] }
}

/// As a handler does it: the earlier answer, or the request and its answer in one transaction.
async fn submit(app: &TestApp, shop: &Shop, visitor: &Visitor, keyed: &IdempotentRequest<'_>) -> Result<Value> {
    app.within(async |tx| {
        if let Some(answer) = idempotency::claim_or_load_response(tx, &app.origin, shop.id(), keyed).await? {
            return Ok(answer);
        }
        let answer = json!(visitor.submits_within(tx, app, shop).await?);
        idempotency::store_response(tx, shop.id(), keyed, &answer).await?;
        Ok(answer)
    })
    .await
}

async fn answer_for(app: &TestApp, org: OrgId, keyed: &IdempotentRequest<'_>) -> Result<Option<Value>> {
    let mut tx = app.db.begin().await?;
    idempotency::claim_or_load_response(&mut tx, &app.origin, org, keyed).await
}

both_databases! {
    async fn idempotency_key_repeats_receipt_for_same_body_and_refuses_another(app) {
        let (shop, other) = (app.org("Acme Plumbing").await, app.org("Best Roofing").await);
        let ann = Visitor::ann();
        let first = submit(app, &shop, &ann, &keyed("key", 1)).await.unwrap();
        assert_eq!(submit(app, &shop, &ann, &keyed("key", 1)).await.unwrap(), first);
        assert!(matches!(submit(app, &shop, &ann, &keyed("key", 2)).await, Err(Error::IdempotencyMismatch)));
        assert_eq!((app.count("lead").await, app.count("lead_inquiry").await), (1, 1));
        assert_eq!(answer_for(app, other.id(), &keyed("key", 1)).await.unwrap(), None, "another business's key");
        let quote = IdempotentRequest { operation: "quote", ..keyed("key", 1) };
        assert_eq!(answer_for(app, shop.id(), &quote).await.unwrap(), None, "another operation");
        let receipt: LeadReceipt = serde_json::from_value(first).unwrap();
        assert!(receipt.id.to_string().starts_with(&receipt.reference));
        app.run_tasks().await;
    }

    async fn concurrent_repeats_of_one_key_create_one_lead_and_one_receipt(app) {
        let shop = app.org("Acme Plumbing").await;
        let (app, ann) = (&*app, Visitor::ann());
        let sent = (0..20).map(|_| async { submit(app, &shop, &ann, &keyed("key", 1)).await.expect("an answer") });
        let mut answers = futures::future::join_all(sent).await;
        answers.dedup();
        assert_eq!(answers.len(), 1, "{answers:?}");
        assert_eq!((app.count("lead").await, app.count("lead_inquiry").await, app.count("customer").await), (1, 1, 1));
        app.run_tasks().await;
        assert_eq!(app.sms.accepted_messages().len(), 1);
    }

    async fn rolled_back_request_stores_no_answer(app) {
        let shop = app.org("Acme Plumbing").await;
        let mut tx = app.db.begin().await.unwrap();
        let key = keyed("key", 1);
        assert_eq!(idempotency::claim_or_load_response(&mut tx, &app.origin, shop.id(), &key).await.unwrap(), None);
        idempotency::store_response(&mut tx, shop.id(), &key, &json!("gone")).await.unwrap();
        drop(tx);
        assert_eq!(answer_for(app, shop.id(), &keyed("key", 1)).await.unwrap(), None);
    }
}
