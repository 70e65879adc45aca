//! Purchase and takeover of numbers by owners: once, whatever Twilio answers, and only where the operator trusts them.

use chrono::Duration;
use serde_json::{Value, json};
use shared::domain::tenancy::account::Role;
use tests::{
    app::TestApp,
    both_databases,
    fake_twilio::Fault,
    http::{Answer, Client},
};

use super::{FREE, Install, install, operator, patch, put, says, without_number};

const FOR_SALE: &str = "+15125550731";
const OTHER: &str = "+15125550732";
const SEARCH: &str = "/api/sending-number/available?kind=local&areaCode=512";

async fn orders(client: &Client, number: &str) -> Answer {
    client.post("/api/sending-number/orders", &json!({"number": number})).await
}

async fn takes_over(client: &Client, number: &str) -> Answer {
    client.post("/api/sending-number/take-over", &json!({"number": number})).await
}

async fn newest_order(client: &Client) -> Value {
    client.get("/api/sending-number/offer").await.json()["order"].clone()
}

async fn number_of(client: &Client) -> Value {
    client.get("/api/sending-number").await.json()["number"].clone()
}

/// An owner whom the operator trusts, without a number, and Twilio with a number to sell.
async fn owner_without_number(app: &mut TestApp) -> (Install, tests::people::Shop, Client) {
    let install = install(app).await;
    let shop = without_number(app, "Best Roofing").await;
    install.twilio.sells(FOR_SALE, "TX");
    let owner = app.client().signed_in(app, shop.owner()).await;
    (install, shop, owner)
}

fn reason(answer: &Answer) -> String {
    let problem = answer.json();
    problem["reason"].as_str().unwrap_or_default().to_owned()
}

both_databases! {
    async fn double_tap_buys_number_once_and_texts_leave_from_it(app) {
        let (install, shop, owner) = owner_without_number(app).await;
        let found = owner.get(SEARCH).await.json();
        assert_eq!(found["numbers"][0], json!({"number": FOR_SALE, "locality": "Austin", "region": "TX"}), "{found}");
        assert_eq!((&found["monthlyPrice"], &found["isNearby"]), (&json!(1.15), &json!(false)));
        let (first, second) = (orders(&owner, FOR_SALE).await, orders(&owner, FOR_SALE).await);
        assert_eq!((first.status.as_u16(), second.status.as_u16()), (202, 202), "{}", second.json());
        assert_eq!(app.count("audit_event WHERE action = 'number_ordered'").await, 1);
        app.run_tasks().await;
        assert_eq!(newest_order(&owner).await["state"], "done");
        assert_eq!(number_of(&owner).await, FOR_SALE);
        assert_eq!(owner.get("/api/sending-number").await.json()["assignedBy"], "bought");
        assert_eq!(install.twilio.count_owned(FOR_SALE), 1);
        let webhooks = install.twilio.webhooks_of(FOR_SALE).unwrap();
        assert_eq!(webhooks, ["sms", "voice", "voice/status"].map(|end| format!("https://toolbox.example/webhooks/twilio/{end}")));
        says(app, &shop, "From Best").await;
        assert_eq!(install.to_ann(), [(Some(FOR_SALE.to_owned()), None)]);
        assert_eq!(reason(&orders(&owner, FOR_SALE).await), "sending_number_owned");
        install.twilio.sells(OTHER, "TX");
        assert_eq!(reason(&orders(&owner, OTHER).await), "number_limit_reached", "a business gets one");
    }

    async fn purchase_without_answer_is_settled_by_list_of_account(app) {
        let (install, _, owner) = owner_without_number(app).await;
        install.twilio.script_change(Fault::AcceptThenHang { millis: 3_000 });
        assert_eq!(orders(&owner, FOR_SALE).await.status, 202);
        app.run_tasks().await;
        assert_eq!(newest_order(&owner).await["state"], "sending", "it may be bought");
        assert_eq!(orders(&owner, FOR_SALE).await.status, 202, "asking again buys nothing more");
        app.run_tasks().await;
        app.advance(Duration::minutes(1));
        app.run_tasks().await;
        assert_eq!(newest_order(&owner).await["state"], "done");
        assert_eq!((install.twilio.count_owned(FOR_SALE), number_of(&owner).await), (1, json!(FOR_SALE)));
    }

    async fn purchase_that_never_reached_twilio_fails_after_two_lists_and_can_be_repeated(app) {
        let (install, _, owner) = owner_without_number(app).await;
        install.twilio.script_change(Fault::ResetBeforeAccept);
        assert_eq!(orders(&owner, FOR_SALE).await.status, 202);
        app.run_tasks().await;
        app.advance(Duration::minutes(1));
        app.run_tasks().await;
        assert_eq!(newest_order(&owner).await["state"], "sending", "one list is no evidence");
        app.advance(Duration::minutes(1));
        app.run_tasks().await;
        let failed = newest_order(&owner).await;
        assert_eq!(failed["state"], "failed");
        assert!(failed["reason"].as_str().unwrap().contains("Nothing was bought"), "{failed}");
        assert_eq!(orders(&owner, FOR_SALE).await.status, 202, "a failed order uses up nothing");
        app.run_tasks().await;
        assert_eq!((install.twilio.count_owned(FOR_SALE), number_of(&owner).await), (1, json!(FOR_SALE)));
    }

    async fn refused_purchase_says_that_nothing_was_bought(app) {
        let (install, _, owner) = owner_without_number(app).await;
        for (status, code, words) in [(401, 20003, "phone account"), (400, 21422, "no longer available"), (400, 21402, "cannot reach"), (400, 21631, "local address")] {
            install.twilio.script_change(Fault::Code { status, code });
            assert_eq!(orders(&owner, FOR_SALE).await.status, 202);
            app.run_tasks().await;
            let failed = newest_order(&owner).await;
            let said = failed["reason"].as_str().unwrap_or_default();
            assert!(said.contains(words) && said.contains("Nothing was bought") && !said.contains("TWILIO"), "{code}: {failed}");
            app.advance(Duration::seconds(1));
        }
        assert_eq!((install.twilio.count_owned(FOR_SALE), number_of(&owner).await), (0, Value::Null));
        install.twilio.script_change(Fault::TooManyRequests { retry_after: None });
        assert_eq!(orders(&owner, FOR_SALE).await.status, 202);
        app.run_tasks().await;
        assert_eq!(newest_order(&owner).await["state"], "waiting", "Twilio asks for a pause");
        app.live_through(Duration::minutes(1), Duration::seconds(10)).await;
        assert_eq!(number_of(&owner).await, FOR_SALE);
    }

    async fn search_offers_numbers_nearby_when_area_code_has_none(app) {
        let (install, shop, owner) = owner_without_number(app).await;
        let in_830 = "/api/sending-number/available?kind=local&areaCode=830";
        let of_state = owner.get(in_830).await.json();
        assert_eq!((&of_state["numbers"][0]["number"], &of_state["isNearby"]), (&json!(FOR_SALE), &json!(true)));
        install.twilio.sells("+15135550100", "OH");
        let path = format!("/api/org/{}", shop.org.slug);
        assert_eq!(patch(&owner, &path, &json!({"phone": "(513) 555-0199"})).await.status, 200);
        let near = owner.get(in_830).await.json();
        assert_eq!(near["numbers"].as_array().unwrap().len(), 2, "around the business: {near}");
        let none = owner.get("/api/sending-number/available?kind=toll_free").await.json();
        assert_eq!((&none["numbers"], &none["monthlyPrice"]), (&json!([]), &json!(2.15)));
        for bad in ["kind=local", "kind=local&areaCode=12", "kind=local&areaCode=012", "kind=local&areaCode=abc"] {
            let refused = owner.get(&format!("/api/sending-number/available?{bad}")).await;
            assert_eq!(refused.problem().2, ["areaCode"], "{bad}");
        }
        install.twilio.break_reading(Some(503));
        assert_eq!(owner.get(SEARCH).await.status, 503);
        install.twilio.break_reading(Some(401));
        assert_eq!(reason(&owner.get(SEARCH).await), "sms_account_refused");
    }

    async fn stranger_spends_none_of_operators_money(app) {
        let install = install(app).await;
        install.twilio.sells(FOR_SALE, "TX");
        install.twilio.owns(FREE, true);
        let stranger = app.fresh_org("Stranger").await;
        let client = app.client().signed_in(app, stranger.owner()).await;
        assert_eq!(orders(&client, FOR_SALE).await.status, 403, "the address is not proven");
        assert_eq!(reason(&client.get(SEARCH).await), "number_purchase_not_allowed");
        assert_eq!(reason(&takes_over(&client, FREE).await), "number_purchase_not_allowed");
        let shop = without_number(app, "Best Roofing").await;
        let office = app.staff(&shop, Role::Office).await;
        assert_eq!(orders(&app.client().signed_in(app, &office).await, FOR_SALE).await.status, 403);
        app.settings.numbers_per_business = 0;
        let owner = app.client().signed_in(app, shop.owner()).await;
        assert_eq!(reason(&orders(&owner, FOR_SALE).await), "number_purchase_not_allowed", "the operator sells none");
        app.run_tasks().await;
        assert_eq!(install.twilio.count_owned(FOR_SALE), 0);
    }

    async fn number_is_ordered_by_one_business_at_a_time(app) {
        let (install, _, owner) = owner_without_number(app).await;
        let other = without_number(app, "Acme Plumbing").await;
        let other = app.client().signed_in(app, other.owner()).await;
        install.twilio.sells(OTHER, "TX");
        assert_eq!(orders(&owner, FOR_SALE).await.status, 202);
        assert_eq!(reason(&orders(&owner, OTHER).await), "number_order_open");
        assert_eq!(reason(&orders(&other, FOR_SALE).await), "sending_number_taken");
        app.run_tasks().await;
        assert_eq!((number_of(&owner).await, number_of(&other).await), (json!(FOR_SALE), Value::Null));
        assert_eq!(newest_order(&other).await, Value::Null, "a neighbor sees nothing of the order");
    }

    async fn owner_takes_over_idle_number_of_account_but_none_in_use(app) {
        let (install, _, owner) = owner_without_number(app).await;
        install.twilio.owns(FREE, true);
        install.twilio.owns_with_webhook(OTHER, true, "https://crm.example/texts");
        let listed = owner.get("/api/sending-number/account-numbers").await.json();
        assert_eq!(listed, json!([{"number": FREE, "isUsedElsewhere": false}, {"number": OTHER, "isUsedElsewhere": true}]));
        assert_eq!(reason(&takes_over(&owner, OTHER).await), "number_in_use_elsewhere");
        install.twilio.script_change(Fault::Code { status: 401, code: 20003 });
        assert_eq!(reason(&takes_over(&owner, FREE).await), "sms_account_refused");
        assert_eq!(number_of(&owner).await, Value::Null);
        let taken = takes_over(&owner, FREE).await;
        assert_eq!((taken.status.as_u16(), &taken.json()["number"]), (200, &json!(FREE)), "{}", taken.json());
        assert_eq!(taken.json()["assignedBy"], "taken_over");
        assert_eq!(install.twilio.webhooks_of(FREE).unwrap()[0], "https://toolbox.example/webhooks/twilio/sms");
        let other = without_number(app, "Acme Plumbing").await;
        let other = app.client().signed_in(app, other.owner()).await;
        assert_eq!(reason(&takes_over(&other, FREE).await), "sending_number_taken");
        assert_eq!(reason(&orders(&owner, FOR_SALE).await), "number_limit_reached", "a takeover counts");
    }

    async fn number_taken_away_by_operator_is_assigned_again_by_operator_only(app) {
        let (install, shop, owner) = owner_without_number(app).await;
        let neighbor = without_number(app, "Acme Plumbing").await;
        install.twilio.owns(FREE, true);
        let runs = operator(app, &neighbor).await;
        let path = format!("/api/admin/sending-numbers/{FREE}");
        for holder in [json!(shop.id()), Value::Null] {
            assert_eq!(put(&runs, &path, &json!({"orgId": holder})).await.status, 200);
        }
        let other = app.client().signed_in(app, neighbor.owner()).await;
        for client in [&owner, &other] {
            assert_eq!(client.get("/api/sending-number/account-numbers").await.json(), json!([]));
            assert_eq!(reason(&takes_over(client, FREE).await), "number_held_before");
            assert_eq!(number_of(client).await, Value::Null);
        }
        assert_eq!(install.twilio.webhooks_of(FREE).unwrap()[0], "", "nothing was changed at Twilio");
        assert_eq!(put(&runs, &path, &json!({"orgId": neighbor.id()})).await.status, 200);
        let shown = other.get("/api/sending-number").await.json();
        assert_eq!((&shown["number"], &shown["assignedBy"]), (&json!(FREE), &json!("operator")));
        app.run_tasks().await;
    }

    async fn number_given_up_is_taken_over_by_nobody_and_proved_again_by_code(app) {
        let (install, shop, owner) = owner_without_number(app).await;
        let neighbor = without_number(app, "Acme Plumbing").await;
        let other = app.client().signed_in(app, neighbor.owner()).await;
        install.twilio.owns(FREE, true);
        app.gets_number(shop.id(), Some(FREE)).await;
        assert_eq!(owner.post("/api/sending-number/give-up", &json!({"number": FREE})).await.status, 200);
        for client in [&owner, &other] {
            assert_eq!(client.get("/api/sending-number/account-numbers").await.json(), json!([]));
            assert_eq!(reason(&takes_over(client, FREE).await), "number_held_before");
        }
        let claimed = owner.post("/api/sending-number/claim", &json!({"number": FREE, "way": "text"})).await;
        assert_eq!(claimed.status, 202, "{}", claimed.json());
        app.run_tasks().await;
        let code = install.twilio.last_to(FREE).unwrap().text.body.split(' ').next().unwrap().to_owned();
        let proved = owner.post("/api/sending-number/confirm", &json!({"code": code})).await.json();
        assert_eq!((&proved["number"], &proved["assignedBy"]), (&json!(FREE), &json!("code")), "{proved}");
        app.run_tasks().await;
    }

    async fn number_of_removed_business_is_not_offered_for_takeover(app) {
        let (install, _, owner) = owner_without_number(app).await;
        let gone = without_number(app, "Acme Plumbing").await;
        install.twilio.owns(FREE, true);
        app.gets_number(gone.id(), Some(FREE)).await;
        app.run_tasks().await;
        shared::ops::tenant_data::removal::remove_org(&app.remover(), gone.id()).await.unwrap();
        assert_eq!(owner.get("/api/sending-number/account-numbers").await.json(), json!([]));
        assert_eq!(reason(&takes_over(&owner, FREE).await), "number_held_before");
    }

    async fn number_of_sip_trunk_or_application_is_not_taken_over(app) {
        let (install, _, owner) = owner_without_number(app).await;
        let routed = [(FREE, "trunk_sid", "TK01"), (OTHER, "voice_application_sid", "AP01"), ("+15125550733", "sms_application_sid", "AP02")];
        for (number, field, sid) in routed {
            install.twilio.owns_routed(number, field, sid);
        }
        let listed = owner.get("/api/sending-number/account-numbers").await.json();
        let used: Vec<bool> = listed.as_array().unwrap().iter().map(|one| one["isUsedElsewhere"] == true).collect();
        assert_eq!(used, [true, true, true], "{listed}");
        for (number, field, _) in routed {
            assert_eq!(reason(&takes_over(&owner, number).await), "number_in_use_elsewhere", "{field}");
            assert_eq!(install.twilio.webhooks_of(number).unwrap()[0], "", "{field}");
        }
    }
}
