//! Beside a request stands what became of its automatic answer.

use super::*;

async fn auto_reply(client: &Client) -> Value {
    let items = next(client).await;
    assert_eq!(kinds(&items), ["answer"]);
    items[0]["autoReply"].clone()
}

both_databases! {
    async fn request_names_what_became_of_its_automatic_answer(app) {
        let (shop, owner) = acme(app).await;
        Visitor::number(1).submits_lead(app, &shop).await;
        app.run_tasks().await;
        assert_eq!(auto_reply(&owner).await, json!("sent"));
        let outcomes = [
            ("delivered", "sent"),
            ("queued", "waiting"),
            ("held", "waiting"),
            ("unknown", "in_doubt"),
            ("failed", "not_sent"),
            ("not_sent", "not_sent"),
        ];
        for (status, shown) in outcomes {
            let sql = "UPDATE message SET status = $2 WHERE org_id = $1 AND kind = 'auto_reply'";
            app.within(async |tx| Ok(q!(tx, execute, sql, shop.id(), status)?)).await.unwrap();
            assert_eq!(auto_reply(&owner).await, json!(shown), "{status}");
        }
    }

    async fn request_without_an_automatic_answer_names_none(app) {
        let (shop, owner) = acme(app).await;
        app.switches(&shop, FeatureSwitches { automated_communications: false, ..FeatureSwitches::ALL_ON }).await;
        Visitor::number(1).submits_lead(app, &shop).await;
        app.run_tasks().await;
        assert_eq!(auto_reply(&owner).await, Value::Null);
    }
}
