//! Merges and separations while a record waits to be erased: the erasure is not lost, and takes nobody else.

use shared::ops::erasure;

use super::*;

const BLOCKED: &str =
    "Bob Stone is about to be erased. Undo the erasure on their page first, or wait until it is done.";
const BLOCKED_IN_SPANISH: &str =
    "Bob Stone está por borrarse. Deshaga primero el borrado en su página, o espere a que termine.";

/// Ann's record is the older one.
async fn two(app: &TestApp, shop: &Shop) -> (CustomerId, CustomerId) {
    let ann = customer_of(app, shop, Visitor::ann().submits_lead(app, shop).await).await;
    app.advance(Duration::minutes(1));
    let bob = customer_of(app, shop, Visitor::number(2).named("Bob Stone").submits_lead(app, shop).await).await;
    (ann, bob)
}

async fn asks_to_erase(app: &TestApp, shop: &Shop, id: CustomerId, name: &str) {
    app.within(async |tx| erasure::request::request_erasure(tx, &app.origin, shop.id(), id, name, None).await)
        .await
        .unwrap();
}

async fn keeps(office: &Client, id: CustomerId) {
    let answer = office.send(Method::DELETE, &format!("{CUSTOMERS}/{id}/erasure"), "", vec![]).await;
    assert_eq!(answer.status, 204);
}

both_databases! {
    async fn merge_with_a_waiting_erasure_is_refused_and_the_preview_says_why(app) {
        let (shop, office) = begun(app).await;
        let (ann, bob) = two(app, &shop).await;
        let preview = async |client: &Client| client.get(&format!("{CUSTOMERS}/{ann}/merge?with={bob}")).await.json();
        assert_eq!(preview(&office).await["blockedBy"], Value::Null);
        asks_to_erase(app, &shop, bob, "Bob Stone").await;
        let seen = preview(&office).await;
        assert_eq!((&seen["blockedBy"], &seen["blockedReason"]), (&json!(BLOCKED), &json!("merge_blocked_by_erasure")));
        let spanish = office.with("accept-language", "es");
        assert_eq!(preview(&spanish).await["blockedBy"], BLOCKED_IN_SPANISH);
        for (one, other) in [(ann, bob), (bob, ann)] {
            let refused = office.post(&format!("{CUSTOMERS}/{one}/merge"), &json!({ "otherId": other })).await;
            assert_eq!((refused.status.as_u16(), &refused.json()["detail"]), (409, &json!(BLOCKED)));
        }
        keeps(&office, bob).await;
        assert_eq!(merges(&office, ann, bob).await["id"], json!(ann));
        app.run_tasks().await;
    }

    async fn separation_is_refused_while_the_merged_record_waits_to_be_erased(app) {
        let (shop, office) = begun(app).await;
        let (ann, bob) = two(app, &shop).await;
        let merged = merges(&office, ann, bob).await;
        asks_to_erase(app, &shop, ann, "Ann Lee").await;
        let refused = parts(&office, &merged).await;
        let detail = "Ann Lee is about to be erased, with everything that was merged. Undo the erasure on their page first.";
        assert_eq!((refused.status.as_u16(), &refused.json()["detail"]), (409, &json!(detail)));
        keeps(&office, ann).await;
        assert_eq!(parts(&office, &merged).await.status, 200);
        app.run_tasks().await;
    }

    async fn separation_and_erasure_take_the_other_name_out_of_the_history(app) {
        let (shop, office) = begun(app).await;
        let (ann, bob) = two(app, &shop).await;
        let merged = merges(&office, ann, bob).await;
        let named = "work_event WHERE kind = 'customers_merged' AND CAST(detail AS TEXT) LIKE '%Ann Lee%'";
        assert_eq!(app.count(named).await, 1);
        assert_eq!(parts(&office, &merged).await.status, 200);
        assert_eq!(app.count(named).await, 0, "Bob's history no longer names Ann");
        // As an older version left it.
        let older = r#"UPDATE work_event SET detail = '{"kept":"Ann Lee","gone":"Bob Stone"}' WHERE kind = 'customers_merged'"#;
        app.within(async |tx| Ok(q!(tx, execute, older)?)).await.unwrap();
        assert_eq!(app.count(named).await, 1);
        asks_to_erase(app, &shop, ann, "Ann Lee").await;
        app.run_tasks().await;
        app.advance(erasure::GRACE);
        worker::housekeeping::run_due_erasures(&app.context).await.unwrap();
        assert_eq!(app.count("erasure WHERE state = 'done'").await, 1);
        assert_eq!(app.count(named).await, 0);
        app.run_tasks().await;
    }
}
