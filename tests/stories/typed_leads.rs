//! Leads that the office adds after a call on its own phone.

use axum::http::Method;
use chrono::Duration;
use serde_json::{Value, json};
use shared::{
    domain::{intake::contact_point, messaging::message::sms_link, tenancy::account::Role},
    platform::email_address::EmailAddress,
    providers::sms::SmsProvider,
};
use tests::{
    app::TestApp,
    both_databases,
    http::Client,
    people::{Shop, Visitor},
    phone::ANN,
};

const LEADS: &str = "/api/leads";

async fn begun(app: &mut TestApp) -> (Shop, Client) {
    app.use_twilio_at("http://127.0.0.1:9");
    app.context.sms = SmsProvider::Memory(app.sms.clone());
    let shop = app.org("Acme Plumbing").await;
    let office = app.client().signed_in(app, shop.owner()).await;
    (shop, office)
}

async fn adds(office: &Client, body: &Value) -> Value {
    let answer = office.post(LEADS, body).await;
    assert_eq!(answer.status, 201, "{}", answer.json());
    answer.json()
}

fn texts(app: &TestApp) -> Vec<String> {
    app.sms.accepted_messages().into_iter().filter(|text| text.to == ANN).map(|text| text.body).collect()
}

both_databases! {
    async fn added_call_becomes_lead_that_no_rule_answers(app) {
        let (shop, office) = begun(app).await;
        let customer = json!({"name": "Ann Lee", "phone": "512.555.0142", "source": "Phone call"});
        let lead = adds(&office, &json!({"customer": customer, "notes": "Water heater leaks"})).await;
        assert_eq!((&lead["name"], &lead["phone"], &lead["source"], &lead["notes"], &lead["stage"]),
            (&json!("Ann Lee"), &json!("(512) 555-0142"), &json!("Phone call"), &json!("Water heater leaks"), &json!("New")));
        assert_eq!((&lead["form"], &lead["phoneProof"]), (&json!("typed"), &json!("office")));
        app.run_tasks().await;
        assert_eq!(texts(app), Vec::<String>::new());
        let again = Visitor::ann().email(None).submits_lead(app, &shop).await;
        assert_eq!(json!(again), lead["id"], "the number that the office typed is hers");
        app.run_tasks().await;
    }

    async fn email_of_the_office_takes_the_place_of_one_that_only_a_form_typed(app) {
        let (shop, office) = begun(app).await;
        let evil = "evil@x.example";
        let theirs = Visitor::ann().email(Some(evil)).submits_lead(app, &shop).await;
        app.run_tasks().await;
        app.advance(Duration::minutes(20));
        let customer = json!({"name": "Ann Lee", "phone": "512.555.0142", "email": "ann@customer.example"});
        let lead = adds(&office, &json!({ "customer": customer })).await;
        assert_eq!((&lead["id"], &lead["email"]), (&json!(theirs), &json!("ann@customer.example")), "{lead}");
        let seen = office.get(&format!("/api/customers/{}", lead["customerId"].as_str().unwrap())).await.json();
        assert_eq!((&seen["email"], &seen["emailProof"]), (&json!("ann@customer.example"), &json!("office")), "{seen}");
        assert_eq!((&seen["setAside"], &seen["alsoGave"][0]["value"]), (&json!([]), &json!(evil)), "{seen}");
        let mut conn = app.db.acquire_reader().await.unwrap();
        let to = contact_point::load_lead_recipient(&mut conn, shop.id(), theirs).await.unwrap();
        drop(conn);
        assert_eq!(to.email.map(EmailAddress::into_string).as_deref(), Some("ann@customer.example"));
        assert_eq!(app.count("lead WHERE email = 'ann@customer.example'").await, 1, "the request has it too");
        app.run_tasks().await;
    }

    async fn call_without_name_takes_known_name_or_number_and_keeps_names(app) {
        let (shop, office) = begun(app).await;
        let bare = json!({"customer": {"phone": "(512) 555-0142"}});
        let first = adds(&office, &bare).await;
        assert_eq!(first["name"], json!("(512) 555-0142"));
        let named = adds(&office, &json!({"customer": {"name": "Ann Lee", "phone": "5125550142"}})).await;
        let path = format!("/api/customers/{}", named["customerId"].as_str().unwrap());
        assert_eq!((&named["id"], &named["name"]), (&first["id"], &json!("Ann Lee")), "the name completes the lead");
        let again = adds(&office, &bare).await;
        assert_eq!((&again["id"], &again["customerId"]), (&first["id"], &first["customerId"]), "one open lead");
        assert_eq!(office.get(&path).await.json()["name"], json!("Ann Lee"));
        for (body, field) in [
            (json!({"customer": {}}), "customer.name"),
            (json!({"customer": {"phone": "pizza"}}), "customer.phone"),
            (json!({"customer": {"name": "Ann"}, "notes": "a".repeat(5_001)}), "notes"),
        ] {
            let refused = office.post(LEADS, &body).await;
            assert_eq!(refused.status, 422, "{body}");
            assert!(refused.problem().2.contains(&field.to_owned()), "{field}: {}", refused.json());
        }
        let crew = app.client().signed_in(app, &app.staff(&shop, Role::Crew).await).await;
        assert_eq!(crew.post(LEADS, &bare).await.status, 403);
        assert_eq!(app.client().here().post(LEADS, &bare).await.status, 401);
        app.run_tasks().await;
    }

    async fn booking_link_is_texted_only_where_there_is_one(app) {
        let (_, office) = begun(app).await;
        let call = json!({"customer": {"name": "Ann Lee", "phone": "(512) 555-0142"}, "textBookingLink": true});
        let refused = office.post(LEADS, &call).await;
        assert_eq!((refused.status.as_u16(), refused.problem().2), (422, vec!["textBookingLink".to_owned()]));
        assert_eq!(app.count("lead").await, 0, "nothing was stored");
        let link = json!({"bookingLink": "https://book.example/acme"}).to_string().into_bytes();
        let set = office.send(Method::PATCH, "/api/org/acme-plumbing", "application/json", link).await;
        assert_eq!(set.status, 200, "{}", set.json());
        adds(&office, &call).await;
        app.run_tasks().await;
        let sent = texts(app);
        assert_eq!(sent.len(), 1, "{sent:?}");
        assert!(sent[0].starts_with("Hi Ann, this is Acme Plumbing. Pick a time that works for you: https://book.example/acme"), "{sent:?}");
    }

    async fn answer_says_what_becomes_of_the_booking_text(app) {
        let (shop, office) = begun(app).await;
        let link = json!({"bookingLink": "https://book.example/acme"}).to_string().into_bytes();
        let set = office.send(Method::PATCH, "/api/org/acme-plumbing", "application/json", link).await;
        assert_eq!(set.status, 200, "{}", set.json());
        let call = |phone: &str| json!({"customer": {"phone": phone}, "textBookingLink": true});
        let outlook = |added: &Value| (added["outlook"]["state"].clone(), added["outlook"]["text"].as_str().unwrap().to_owned());
        let plain = adds(&office, &json!({"customer": {"phone": "(512) 555-0142"}})).await;
        assert!(plain["outlook"].is_null(), "no text was wanted: {plain}");
        let keyed = office.with("idempotency-key", "one press");
        let first = adds(&keyed, &call("(512) 555-0143")).await;
        assert_eq!(outlook(&first), (json!("leaves"), "on its way".to_owned()));
        let again = adds(&keyed, &call("(512) 555-0143")).await;
        assert_eq!((&again["id"], outlook(&again)), (&first["id"], outlook(&first)), "a second press");
        app.sets(&shop, json!({"sending": {"registration": "pending"}})).await;
        let (state, text) = outlook(&adds(&office, &call("(512) 555-0144")).await);
        assert_eq!((state, text.as_str()), (json!("not_sent"), sms_link::NOT_REGISTERED));
        app.sets(&shop, json!({"sending": {"registration": "approved"}})).await;
        app.run_tasks().await;
        app.advance(Duration::hours(13));
        let night = adds(&office, &call("(512) 555-0145")).await;
        let (state, text) = outlook(&night);
        assert!(state == "held" && text.starts_with("held until Fri, Sep 18 "), "{text}");
        assert!(night["outlook"]["until"].is_string(), "{night}");
        let sent = app.sms.accepted_messages().len();
        app.run_tasks().await;
        assert_eq!(app.sms.accepted_messages().len(), sent, "it waits");
    }
}
