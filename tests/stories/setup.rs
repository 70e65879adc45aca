//! Steps of the set-up: each follows from what is stored, for one business, and comes back when that is gone.

use axum::http::Method;
use serde_json::{Value, json};
use shared::{
    domain::{
        messaging::sending_number,
        tenancy::{account::Role, trust_level},
    },
    platform::db::q,
};
use tests::{
    app::TestApp,
    both_databases,
    http::Client,
    people::{Shop, Visitor},
};

const ALL: [&str; 10] =
    ["address", "business", "hours", "recipients", "answer", "number", "reviews", "crew", "cards", "first_request"];

async fn steps(client: &Client) -> Vec<Value> {
    let answer = client.get("/api/setup").await;
    assert_eq!(answer.status, 200, "{}", answer.json());
    answer.json().as_array().unwrap().clone()
}

/// The keys of the steps for which this is true.
async fn keys_with(client: &Client, field: &str) -> Vec<String> {
    let with = steps(client).await.into_iter().filter(|step| step[field] == json!(true));
    with.map(|step| step["key"].as_str().unwrap().to_owned()).collect()
}

async fn missing(client: &Client) -> Vec<String> {
    let done = keys_with(client, "isDone").await;
    ALL.iter().filter(|key| !done.iter().any(|one| one == *key)).map(|key| (*key).to_owned()).collect()
}

async fn patch(client: &Client, path: &str, body: &Value) -> Value {
    let answer = client.send(Method::PATCH, path, "application/json", body.to_string().into_bytes()).await;
    assert_eq!(answer.status, 200, "{}", answer.json());
    answer.json()
}

/// A business that has just registered: no number, and an address that nobody proved.
async fn new_business(app: &TestApp, name: &str) -> (Shop, Client) {
    let shop = app.fresh_org(name).await;
    let all = app.within(async |tx| sending_number::list_senders_of_org(tx, shop.id()).await).await.unwrap();
    for one in all {
        app.within(async |tx| sending_number::release_number(tx, &app.origin, &one.sender).await).await.unwrap();
    }
    let owner = app.client().signed_in(app, shop.owner()).await;
    (shop, owner)
}

both_databases! {
    async fn steps_of_a_new_business_are_what_it_lacks(app) {
        let (_, owner) = new_business(app, "Acme Plumbing").await;
        let keys: Vec<Value> = steps(&owner).await.into_iter().map(|step| step["key"].clone()).collect();
        assert_eq!(keys, ALL.map(Value::from));
        assert_eq!(missing(&owner).await, ["address", "business", "number", "reviews", "crew", "cards", "first_request"]);
        assert_eq!(keys_with(&owner, "isUrgent").await, ["address"]);
        assert!(keys_with(&owner, "isHidden").await.is_empty());
    }

    async fn each_step_is_done_by_its_fact_for_this_business_only(app) {
        let (shop, owner) = new_business(app, "Acme Plumbing").await;
        let (_, neighbor) = new_business(app, "Beta Roofing").await;
        let before = missing(&neighbor).await;
        app.within(async |tx| trust_level::mark_trusted(tx, &app.origin, shop.id()).await).await.unwrap();
        let own = json!({"phone": "(512) 555-0142", "reviewLink": "https://g.page/r/acme/review"});
        patch(&owner, "/api/org/acme-plumbing", &own).await;
        let crew = owner.post("/api/crews", &json!({"name": "Olive", "memberIds": [shop.owner().id]})).await;
        assert_eq!(crew.status, 201, "{}", crew.json());
        app.gets_number(shop.id(), Some("+15125560777")).await;
        assert_eq!(missing(&owner).await, ["cards", "first_request"]);
        Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        assert_eq!(missing(&owner).await, ["cards"]);
        assert_eq!(missing(&neighbor).await, before);
    }

    async fn step_comes_back_when_its_fact_is_gone(app) {
        let (shop, owner) = new_business(app, "Acme Plumbing").await;
        app.gets_number(shop.id(), Some("+15125560777")).await;
        assert!(!missing(&owner).await.contains(&"number".to_owned()));
        app.within(async |tx| sending_number::release_number(tx, &app.origin, "+15125560777").await).await.unwrap();
        assert!(missing(&owner).await.contains(&"number".to_owned()));
        let closed = json!({"hours": {"week": {"mon": [], "tue": [], "wed": [], "thu": [], "fri": [], "sat": [], "sun": []}}});
        patch(&owner, "/api/org/acme-plumbing/settings", &closed).await;
        patch(&owner, "/api/org/acme-plumbing/settings", &json!({"switches": {"automatedCommunications": false}})).await;
        let nobody = "DELETE FROM recipient WHERE org_id = $1";
        app.within(async |tx| Ok(q!(tx, execute, nobody, shop.id())?)).await.unwrap();
        for key in ["hours", "answer", "recipients"] {
            assert!(missing(&owner).await.contains(&key.to_owned()), "{key}");
        }
        assert_eq!(keys_with(&owner, "isUrgent").await, ["address", "recipients"]);
    }

    async fn hidden_list_still_shows_what_is_urgent(app) {
        let (_, owner) = new_business(app, "Acme Plumbing").await;
        let (_, neighbor) = new_business(app, "Beta Roofing").await;
        let saved = patch(&owner, "/api/org/acme-plumbing/settings", &json!({"setupList": {"isHidden": true}})).await;
        assert_eq!(saved["setupList"], json!({"isHidden": true}));
        assert_eq!(keys_with(&owner, "isHidden").await, ALL[1..].to_vec());
        assert!(keys_with(&neighbor, "isHidden").await.is_empty());
        patch(&owner, "/api/org/acme-plumbing/settings", &json!({"setupList": {"isHidden": false}})).await;
        assert!(keys_with(&owner, "isHidden").await.is_empty());
    }

    async fn steps_and_form_address_are_for_the_office_only(app) {
        let shop = app.org("Acme Plumbing").await;
        let office = app.client().signed_in(app, &app.staff(&shop, Role::Office).await).await;
        let crew = app.client().signed_in(app, &app.staff(&shop, Role::Crew).await).await;
        for path in ["/api/setup", "/api/setup/form"] {
            assert_eq!(office.get(path).await.status, 200, "{path}");
            assert_eq!(crew.get(path).await.status, 403, "{path}");
            assert_eq!(app.client().get(path).await.status, 401, "{path}");
        }
        let form = office.get("/api/setup/form").await.json();
        assert!(form["url"].as_str().unwrap().ends_with("/lead?org=acme-plumbing"), "{form}");
        assert!(form["qr"]["size"].as_u64().unwrap() > 20 && !form["qr"]["path"].as_str().unwrap().is_empty());
    }
}
