//! Customers from another program's list: looked at first, taken in once, and taken back where nothing has come of them.

use axum::http::Method;
use chrono::Duration;
use serde_json::{Value, json};
use shared::db::q;
use tests::{
    app::TestApp,
    both_databases,
    http::Client,
    people::{Shop, Visitor},
};

const LIST: &str = "Customer Name,Mobile Number,Home Number,Email,Address,City,State,Zip,Service,Colour\n\
    Ann Lee,5125550142,,ann@customer.example,12 Oak St,Austin,TX,78701,,red\n\
    Bob Ray,5125550143,5125550144,,1 Elm St,Austin,TX,78702,Water heater,\n\
    Cat Day,pizza,,,,,,,,\n\
    Ann M. Lee,5125550142,,,,,,,,\n";

async fn sends(office: &Client, how: &str, list: &str) -> Value {
    let path = format!("/api/customers/import{how}");
    let answer = office.send(Method::POST, &path, "text/csv", list.as_bytes().to_vec()).await;
    assert_eq!(answer.status, 200, "{}", answer.json());
    answer.json()
}

fn counts(told: &Value) -> [i64; 4] {
    ["added", "leads", "same", "failed"].map(|count| told[count].as_i64().unwrap())
}

async fn office(app: &TestApp) -> (Shop, Client) {
    let shop = app.org("Acme Plumbing").await;
    let office = app.client().signed_in(app, shop.owner()).await;
    (shop, office)
}

both_databases! {
    async fn a_list_is_looked_at_first_and_comes_in_once(app) {
        let (_, office) = office(app).await;
        let before = (app.count("customer").await, app.count("message").await);
        let told = sends(&office, "?dryRun=true", LIST).await;
        assert_eq!((counts(&told), told["id"].is_null()), ([2, 1, 1, 1], true));
        assert_eq!((&told["errors"][0]["row"], &told["errors"][0]["column"]), (&json!(4), &json!("Mobile Number")));
        assert_eq!(told["ignored"], json!(["Colour"]));
        assert_eq!(app.count("customer").await, before.0, "nothing is stored");
        let done = sends(&office, "", LIST).await;
        assert_eq!(counts(&done), [2, 1, 1, 1]);
        assert_eq!((app.count("customer").await, app.count("lead").await, app.count("property").await), (2, 1, 2));
        let again = sends(&office, "", LIST).await;
        assert_eq!((counts(&again), again["id"].is_null()), ([0, 0, 3, 1], true), "the same file again changes nothing");
        app.run_tasks().await;
        assert_eq!(app.count("message").await, before.1, "nobody is written to");
        let second = "SELECT COUNT(*) FROM customer_key WHERE value = '+15125550144'";
        assert_eq!(q!(&mut app.db.read().await.unwrap(), fetch_one scalar i64, second).unwrap(), 1);
    }

    async fn a_list_goes_again_but_for_those_of_whom_something_came(app) {
        let (shop, office) = office(app).await;
        let done = sends(&office, "", LIST).await;
        Visitor::ann().phone("5125550142").submits_lead(app, &shop).await;
        let undo = format!("/api/customers/imports/{}/undo", done["id"].as_str().unwrap());
        let undone = office.post(&undo, &Value::Null).await;
        assert_eq!((&undone.json()["removed"], &undone.json()["kept"]), (&json!(1), &json!(1)), "{}", undone.json());
        let names = "SELECT name FROM customer";
        assert_eq!(q!(&mut app.db.read().await.unwrap(), fetch_all scalar String, names).unwrap(), ["Ann Lee"]);
        assert_eq!(app.count("customer_key").await, 2, "Ann's number and address; Bob's are free again");
        assert_eq!(office.post(&undo, &Value::Null).await.status, 409, "once");
        app.run_tasks().await;
    }

    async fn after_a_day_a_list_stays(app) {
        let (shop, office) = office(app).await;
        let done = sends(&office, "", LIST).await;
        app.advance(Duration::hours(25));
        let undo = format!("/api/customers/imports/{}/undo", done["id"].as_str().unwrap());
        let office = office.signed_in(app, shop.owner()).await;
        assert_eq!(office.post(&undo, &Value::Null).await.status, 409);
        let listed = office.get("/api/customers/imports").await.json();
        assert_eq!((&listed[0]["customers"], &listed[0]["leads"]), (&json!(2), &json!(1)));
        assert_eq!(app.count("customer").await, 2);
    }

    async fn who_asked_for_no_messages_stays_stopped_whoever_brings_them_in(app) {
        let (shop, office) = office(app).await;
        let stop = "INSERT INTO opt_out (org_id, channel, address, state, source, at) VALUES ($1, 'sms', '+15125550142', 'stopped', 'keyword', $2)";
        app.within(async |tx| Ok(q!(tx, execute, stop, shop.id(), app.now())?)).await.unwrap();
        sends(&office, "", LIST).await;
        let state = "SELECT state FROM opt_out WHERE address = '+15125550142'";
        assert_eq!(q!(&mut app.db.read().await.unwrap(), fetch_one scalar String, state).unwrap(), "stopped");
    }
}
