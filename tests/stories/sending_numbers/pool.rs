//! Numbers in the sender pool of a shared Messaging Service that belong, or should belong, to one business.

use serde_json::json;
use shared::{
    domain::messaging::sending_number,
    platform::{db::q, id::OrgId},
};
use tests::{
    app::TestApp,
    both_databases,
    fake_twilio::{Call, FROM, InboundText},
    people::Shop,
    phone::ANN,
};

use super::{
    FREE, Install, POOL, SERVICE, again, inbound_texts, install_with_service, operator, opt_out, put, says, sharing,
    without_number,
};

const IN_POOL: &str = "This number sends for the shared Messaging Service";

/// Ann's text, for which Twilio names the service.
async fn writes_by_service(install: &Install, from: &str, words: &str) {
    let text = InboundText { service: Some(SERVICE.to_owned()), ..InboundText::new(from, POOL, words) };
    assert_eq!(install.hooks.inbound_text(&text).await.answers[0].status, 200, "{words}");
}

async fn all_are(app: &TestApp, shops: &[&Shop], state: &str) {
    for shop in shops {
        assert_eq!(opt_out(app, shop.id()).await.as_deref(), Some(state), "{}", shop.org.name);
    }
}

async fn holder_of(app: &TestApp, number: &str) -> Option<OrgId> {
    let holder = sending_number::find_holder(&mut app.db.acquire_reader().await.unwrap(), number).await.unwrap();
    holder.map(|holder| holder.org_id)
}

both_databases! {
    async fn text_to_held_number_goes_to_holder_that_shares_service_and_stop_reaches_all(app) {
        let install = install_with_service(app).await;
        let (acme, best) = (sharing(app, "Acme Plumbing").await, sharing(app, "Best Roofing").await);
        let carl = sharing(app, "Carl Drains").await;
        let all = [&acme, &best, &carl];
        app.gets_number(carl.id(), Some(FREE)).await;
        says(app, &carl, "From Carl").await;
        says(app, &acme, "From Acme").await;
        assert_eq!(install.writes(ANN, FREE, "For Carl").await, 200);
        assert_eq!(install.writes(ANN, FREE, "STOP").await, 200);
        all_are(app, &all, "stopped").await;
        let before = install.to_ann().len();
        for shop in all {
            says(app, shop, "after").await;
        }
        assert_eq!(install.to_ann().len(), before, "no text of any of them leaves");
        // Her consent to the holder is none to the others; to the service it is.
        assert_eq!(install.writes(ANN, FREE, "START").await, 200);
        all_are(app, &[&carl], "lifted").await;
        all_are(app, &[&acme, &best], "stopped").await;
        writes_by_service(&install, ANN, "START").await;
        all_are(app, &all, "lifted").await;
        assert_eq!(install.writes(ANN, FREE, "Stop texting me").await, 200);
        all_are(app, &all, "paused").await;
        app.run_tasks().await;
        let to_carl = inbound_texts(app, &carl).await;
        for words in ["For Carl", "Stop texting me"] {
            assert!(to_carl.contains(&words.to_owned()), "{to_carl:?}");
        }
        for shop in [&acme, &best] {
            let read = inbound_texts(app, shop).await;
            assert!(!read.iter().any(|words| to_carl.contains(words) && words != "START"), "{}: {read:?}", shop.org.name);
        }
    }

    async fn call_and_text_to_own_number_outside_pool_reach_owner_after_another_wrote_by_service(app) {
        let install = install_with_service(app).await;
        let (acme, best) = (sharing(app, "Acme Plumbing").await, sharing(app, "Best Roofing").await);
        app.gets_number(acme.id(), Some(FREE)).await;
        let acme = again(app, acme).await;
        says(app, &acme, "From Acme").await;
        says(app, &best, "From Best").await;
        assert_eq!(install.to_ann(), [(Some(FREE.to_owned()), None), (None, Some(SERVICE.to_owned()))]);
        assert_eq!(install.writes(ANN, FREE, "Can you come on Monday?").await, 200);
        let call = install.hooks.call(&Call::new(ANN, FREE)).await;
        let sql = "SELECT org_id FROM call WHERE provider_id = $1";
        let called = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar OrgId, sql, call.sid.as_str()).unwrap();
        assert_eq!(called, acme.id());
        app.run_tasks().await;
        assert_eq!(inbound_texts(app, &acme).await, ["Can you come on Monday?"]);
        assert!(inbound_texts(app, &best).await.is_empty(), "her words are not Best's to read");
    }

    async fn text_that_names_shared_service_goes_to_last_sender_also_at_held_number(app) {
        let install = install_with_service(app).await;
        let (acme, best) = (sharing(app, "Acme Plumbing").await, sharing(app, "Best Roofing").await);
        let carl = without_number(app, "Carl Drains").await;
        app.gets_number(carl.id(), Some(POOL)).await;
        says(app, &acme, "From Acme").await;
        assert_eq!(install.writes(ANN, POOL, "Carl's own number").await, 200);
        writes_by_service(&install, ANN, "For Acme").await;
        writes_by_service(&install, "+15125550188", "Nobody wrote").await;
        writes_by_service(&install, ANN, "STOP").await;
        all_are(app, &[&acme, &best, &carl], "stopped").await;
        writes_by_service(&install, ANN, "START").await;
        all_are(app, &[&acme, &best, &carl], "lifted").await;
        app.run_tasks().await;
        let (to_acme, to_carl) = (inbound_texts(app, &acme).await, inbound_texts(app, &carl).await);
        assert!(to_acme.contains(&"For Acme".to_owned()) && !to_acme.contains(&"Carl's own number".to_owned()), "{to_acme:?}");
        assert!(to_carl.contains(&"Carl's own number".to_owned()) && to_carl.contains(&"Nobody wrote".to_owned()), "{to_carl:?}");
        assert!(!to_carl.contains(&"For Acme".to_owned()), "{to_carl:?}");
    }

    async fn pool_number_is_assigned_to_no_business_while_another_shares_service(app) {
        let install = install_with_service(app).await;
        let acme = sharing(app, "Acme Plumbing").await;
        let (best, carl) = (without_number(app, "Best Roofing").await, without_number(app, "Carl Drains").await);
        for number in [FROM, POOL, FREE] {
            install.twilio.owns(number, true);
        }
        // The pool has two pages.
        for number in ["+15125550711", "+15125550712", POOL] {
            install.twilio.add_to_pool(SERVICE, number);
        }
        let client = operator(app, &acme).await;
        let (pooled, free) = (format!("/api/admin/sending-numbers/{POOL}"), format!("/api/admin/sending-numbers/{FREE}"));
        let shares = |shop: &Shop| json!({"orgId": shop.id(), "shares": true});
        // Acme shares the service alone, so the number is its own either way.
        assert_eq!(put(&client, &pooled, &json!({"orgId": acme.id()})).await.status, 200);
        let shared = put(&client, "/api/admin/sending-service", &shares(&best)).await;
        assert_eq!(shared.problem().0, 409);
        assert!(shared.json().to_string().contains("belongs to another business"), "{}", shared.json());
        assert_eq!(put(&client, &pooled, &json!({"orgId": null})).await.status, 200);
        assert_eq!(put(&client, "/api/admin/sending-service", &shares(&best)).await.status, 200);
        for shop in [&carl, &acme] {
            let refused = put(&client, &pooled, &json!({"orgId": shop.id()})).await;
            assert_eq!(refused.problem().0, 409, "{}", shop.org.name);
            assert!(refused.json().to_string().contains(IN_POOL), "{}", refused.json());
        }
        assert_eq!(holder_of(app, POOL).await, None);
        assert_eq!(put(&client, &free, &json!({"orgId": carl.id()})).await.status, 200, "it is not in the pool");
        install.twilio.break_reading(Some(503));
        let unread = put(&client, "/api/admin/sending-service", &shares(&carl)).await;
        assert_eq!(unread.problem().0, 409, "any number may be in the pool");
        assert_eq!(put(&client, &pooled, &json!({"orgId": carl.id()})).await.problem().0, 503);
        install.twilio.break_reading(None);
        assert_eq!(put(&client, "/api/admin/sending-service", &shares(&carl)).await.status, 200);
        app.run_tasks().await;
    }

    async fn pool_number_is_claimed_by_no_business_while_another_shares_service(app) {
        let install = install_with_service(app).await;
        sharing(app, "Acme Plumbing").await;
        let best = without_number(app, "Best Roofing").await;
        for number in [POOL, FREE] {
            install.twilio.owns(number, true);
        }
        install.twilio.add_to_pool(SERVICE, POOL);
        let olive = app.client().signed_in(app, best.owner()).await;
        let claims = async |number: &str| {
            olive.post("/api/sending-number/claim", &json!({"number": number, "way": "text"})).await
        };
        let refused = claims(POOL).await;
        assert_eq!(refused.problem().0, 409);
        assert!(refused.json().to_string().contains(IN_POOL), "{}", refused.json());
        app.run_tasks().await;
        assert!(install.twilio.received().is_empty(), "no code leaves");
        assert_eq!(claims(FREE).await.status, 202);
        app.run_tasks().await;
        let code = install.twilio.last_to(FREE).unwrap().text.body.split(' ').next().unwrap().to_owned();
        // The number joins the pool before the code is typed.
        install.twilio.add_to_pool(SERVICE, FREE);
        let confirms = async || olive.post("/api/sending-number/confirm", &json!({"code": code})).await;
        assert_eq!(confirms().await.problem().0, 409);
        install.twilio.break_reading(Some(503));
        assert_eq!(confirms().await.problem().0, 409, "the pool cannot be read");
        install.twilio.break_reading(None);
        assert_eq!(holder_of(app, FREE).await, None);
        install.twilio.remove_from_pools(FREE);
        assert_eq!(confirms().await.status, 200);
        assert_eq!(holder_of(app, FREE).await, Some(best.id()));
        app.run_tasks().await;
    }
}
