//! Customers on file without a request: when they are erased, and who stays.

use shared::platform::id::CustomerId;

use super::*;

const PERIOD: i64 = 180;

async fn imports(app: &TestApp, shop: &Shop, list: &str) {
    let office = owner(app, shop).await;
    let answer = office.send(Method::POST, "/api/customers/import", "text/csv", list.as_bytes().to_vec()).await;
    assert_eq!(answer.status, 200, "{}", answer.json());
}

async fn keeps_contacts(app: &TestApp, shop: &Shop) {
    let changed = set(&owner(app, shop).await, "contacts", PERIOD).await;
    assert_eq!(changed.status, 200, "{}", changed.json());
}

async fn names(app: &TestApp, shop: &Shop) -> Vec<String> {
    let sql = "SELECT name FROM customer WHERE org_id = $1 ORDER BY name";
    q!(&mut app.db.acquire_reader().await.unwrap(), fetch_all scalar String, sql, shop.id()).unwrap()
}

async fn path_of(app: &TestApp, shop: &Shop, name: &str) -> String {
    let sql = "SELECT id FROM customer WHERE org_id = $1 AND name = $2";
    let mut conn = app.db.acquire_reader().await.unwrap();
    let id = q!(&mut conn, fetch_one scalar CustomerId, sql, shop.id(), name).unwrap();
    format!("/api/customers/{id}")
}

both_databases! {
    async fn contacts_are_erased_after_their_period_and_customers_with_a_request_stay(app) {
        let shop = app.org("Acme Plumbing").await;
        imports(app, &shop, "Name,Phone,Address,Zip,Service\n\
            Ann Lee,5125550142,12 Oak St,78701,\n\
            Bob Ray,5125550143,1 Elm St,78702,Water heater\n\
            Cat Day,5125550144,,,\n").await;
        assert_eq!((app.count("customer").await, app.count("lead").await), (3, 1));
        keeps_contacts(app, &shop).await;
        app.advance(Duration::days(PERIOD - 1));
        night(app).await;
        assert_eq!(names(app, &shop).await, ["Ann Lee", "Bob Ray", "Cat Day"]);
        app.advance(Duration::days(2));
        let preview = format!("{PATH}/preview?kind=contacts&days={PERIOD}");
        assert_eq!(owner(app, &shop).await.get(&preview).await.json()["count"], json!(2));
        night(app).await;
        assert_eq!(names(app, &shop).await, ["Bob Ray", "Erased", "Erased"]);
        assert_eq!((app.count("customer_key").await, app.count("property WHERE address = '12 Oak St'").await), (1, 0));
        assert_eq!((lines(app, "retention_purged").await, app.count("erasure WHERE state = 'done'").await), (1, 2));
        let shown = owner(app, &shop).await.get(PATH).await.json();
        assert!(shown["nights"].as_array().unwrap().iter().any(|night| night["contacts"] == 2), "{shown}");
        assert_eq!(owner(app, &shop).await.get(&preview).await.json()["count"], json!(0));
        night(app).await;
        assert_eq!((lines(app, "retention_purged").await, app.count("erasure").await), (1, 2), "nobody is erased twice");
        app.run_tasks().await;
    }

    async fn contacts_are_kept_for_five_years_by_default(app) {
        let shop = app.org("Acme Plumbing").await;
        imports(app, &shop, "Name,Phone\nAnn Lee,5125550142\n").await;
        assert_eq!(period(&owner(app, &shop).await.get(PATH).await.json(), "contacts")["days"], json!(5 * 365));
        app.advance(Duration::days(5 * 365 - 1));
        night(app).await;
        assert_eq!(names(app, &shop).await, ["Ann Lee"]);
        app.advance(Duration::days(2));
        night(app).await;
        assert_eq!(names(app, &shop).await, ["Erased"]);
        app.run_tasks().await;
    }

    async fn period_of_a_contact_is_counted_from_the_last_change(app) {
        let shop = app.org("Acme Plumbing").await;
        imports(app, &shop, "Name,Phone\nAnn Lee,5125550142\nBob Ray,5125550143\nCat Day,5125550144\n").await;
        keeps_contacts(app, &shop).await;
        app.advance(Duration::days(100));
        let office = owner(app, &shop).await;
        let edit = json!({"name": "Bobby Ray"}).to_string().into_bytes();
        let edited = office.send(Method::PATCH, &path_of(app, &shop, "Bob Ray").await, "application/json", edit).await;
        assert_eq!(edited.status, 200, "{}", edited.json());
        let places = format!("{}/properties", path_of(app, &shop, "Cat Day").await);
        let added = office.post(&places, &json!({"address": "1 Elm St"})).await;
        assert_eq!(added.status, 201, "{}", added.json());
        app.advance(Duration::days(PERIOD - 98));
        night(app).await;
        assert_eq!(names(app, &shop).await, ["Bobby Ray", "Cat Day", "Erased"]);
        app.advance(Duration::days(96));
        night(app).await;
        assert_eq!(names(app, &shop).await, ["Bobby Ray", "Cat Day", "Erased"]);
        app.advance(Duration::days(2));
        night(app).await;
        assert_eq!(names(app, &shop).await, ["Erased", "Erased", "Erased"]);
        app.run_tasks().await;
    }

    async fn contact_who_asks_is_kept_for_the_period_of_requests(app) {
        let shop = app.org("Acme Plumbing").await;
        imports(app, &shop, "Name,Phone\nAnn Lee,5125550142\n").await;
        keeps_contacts(app, &shop).await;
        Visitor::ann().phone("5125550142").submits_lead(app, &shop).await;
        app.run_tasks().await;
        assert_eq!((app.count("customer").await, app.count("lead").await), (1, 1));
        app.advance(Duration::days(PERIOD + 2));
        night(app).await;
        assert_eq!(app.count("erasure").await, 0);
        app.run_tasks().await;
    }

    async fn contact_who_said_stop_is_erased_and_the_stop_holds(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        imports(app, &shop, "Name,Phone\nAnn Lee,5125550142\n").await;
        keeps_contacts(app, &shop).await;
        app.advance(Duration::days(100));
        line.writes(ANN, "STOP").await;
        app.run_tasks().await;
        assert_eq!((app.count("customer").await, app.count("lead").await, app.count("opt_out").await), (1, 0, 1));
        app.advance(Duration::days(PERIOD - 98));
        night(app).await;
        assert_eq!(names(app, &shop).await, ["Ann Lee"], "she wrote since");
        app.advance(Duration::days(98));
        night(app).await;
        assert_eq!(names(app, &shop).await, ["Erased"]);
        assert_eq!(app.count(&format!("message WHERE from_address = '{ANN}'")).await, 0);
        assert_eq!((app.count("opt_out").await, app.count("erased_opt_out").await), (0, 1), "the STOP holds without the number");
        app.run_tasks().await;
    }

    async fn contacts_of_a_business_with_a_longer_period_stay(app) {
        let (acme, best) = (app.org("Acme Plumbing").await, app.org("Best Roofing").await);
        for shop in [&acme, &best] {
            imports(app, shop, "Name,Phone\nAnn Lee,5125550142\n").await;
        }
        keeps_contacts(app, &acme).await;
        app.advance(Duration::days(PERIOD + 2));
        night(app).await;
        assert_eq!((names(app, &acme).await, names(app, &best).await), (vec!["Erased".to_owned()], vec!["Ann Lee".to_owned()]));
        app.run_tasks().await;
    }
}
