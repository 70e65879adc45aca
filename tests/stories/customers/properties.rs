//! A property that was removed by mistake comes back as it was, with the jobs done there.

use axum::http::Method;
use chrono::Duration;
use serde_json::{Value, json};
use shared::platform::db::q;
use tests::{both_databases, http::Client, people::Visitor};

use super::{CUSTOMERS, begun, customer_of, merges, page, parts, patch};

async fn removes(office: &Client, place: &str) {
    assert_eq!(office.send(Method::DELETE, place, "", vec![]).await.status, 204);
}

async fn adds(office: &Client, at: &str, place: &Value) -> Value {
    let made = office.post(at, place).await;
    assert_eq!(made.status, 201, "{}", made.json());
    made.json()
}

async fn place_of(office: &Client, job: &Value) -> Value {
    office.get(&format!("/api/jobs/{}", job["id"].as_str().unwrap())).await.json()["propertyId"].clone()
}

async fn job_at(office: &Client, lead: &Value, place: &Value) -> Value {
    let made = office.post("/api/jobs", &json!({"leadId": lead, "propertyId": place["id"]})).await;
    assert_eq!(made.status, 201, "{}", made.json());
    made.json()
}

async fn listed(office: &Client, id: shared::platform::id::CustomerId) -> Vec<(String, Value)> {
    let places = page(office, id).await["properties"].clone();
    let shown = |place: &Value| (place["address"].as_str().unwrap().to_owned(), place["label"].clone());
    places.as_array().unwrap().iter().map(shown).collect()
}

both_databases! {
    async fn property_address_is_unique_and_other_named_addresses_are_offered(app) {
        let (shop, office) = begun(app).await;
        let ann = customer_of(app, &shop, Visitor::ann().submits_lead(app, &shop).await).await;
        app.within(async |tx| Ok(q!(tx, execute, "UPDATE lead SET address = '7 Oak Ave', zip = '78702'")?)).await.unwrap();
        let at = format!("{CUSTOMERS}/{ann}/properties");
        let home = office.post(&at, &json!({"address": "12 Main St.", "zip": "78701", "label": "Home"})).await;
        assert_eq!(home.status, 201, "{}", home.json());
        assert_eq!(office.post(&at, &json!({"address": "12 MAIN ST", "zip": "78701"})).await.problem().2, ["address"]);
        assert_eq!(office.post(&at, &json!({})).await.problem().2, ["address"]);
        let shown = page(&office, ann).await;
        assert_eq!(shown["otherAddresses"], json!([{"address": "7 Oak Ave", "zip": "78702"}]));
        let own = format!("{at}/{}", home.json()["id"].as_str().unwrap());
        let changed = patch(&office, &own, &json!({"notes": "Key under the mat", "label": null})).await.json();
        assert_eq!((&changed["notes"], &changed["label"], &changed["address"]), (&json!("Key under the mat"), &Value::Null, &json!("12 Main St.")));
        let job = office.post("/api/jobs", &json!({"leadId": shown["leads"][0]["id"], "propertyId": home.json()["id"]})).await.json();
        assert_eq!(office.send(Method::DELETE, &own, "", vec![]).await.status, 204);
        assert_eq!(office.send(Method::DELETE, &own, "", vec![]).await.status, 404);
        let job = office.get(&format!("/api/jobs/{}", job["id"].as_str().unwrap())).await.json();
        assert_eq!(job["address"], "12 Main St.", "the job keeps its address");
        app.run_tasks().await;
    }

    async fn property_added_back_regains_its_jobs(app) {
        let (shop, office) = begun(app).await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        let ann = customer_of(app, &shop, lead).await;
        let at = format!("{CUSTOMERS}/{ann}/properties");
        let home = json!({"address": "12 Main St", "zip": "78701", "label": "Home"});
        let place = adds(&office, &at, &home).await;
        let job = job_at(&office, &json!(lead), &place).await;
        let own = format!("{at}/{}", place["id"].as_str().unwrap());
        removes(&office, &own).await;
        assert!(listed(&office, ann).await.is_empty());
        assert_eq!(patch(&office, &own, &json!({"label": "Cabin"})).await.status, 404);
        let elsewhere = office.post("/api/jobs", &json!({"leadId": lead, "propertyId": place["id"]})).await;
        assert_eq!(elsewhere.problem().2, ["propertyId"], "no new job there");
        // The screen's Undo creates it anew.
        adds(&office, &at, &home).await;
        assert_eq!(listed(&office, ann).await, [("12 Main St".to_owned(), json!("Home"))]);
        let is_at = place_of(&office, &job).await;
        assert!(page(&office, ann).await["properties"].as_array().unwrap().iter().any(|place| place["id"] == is_at), "{is_at}");
        app.run_tasks().await;
    }

    async fn removed_property_does_not_block_reusing_its_address(app) {
        let (shop, office) = begun(app).await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        let ann = customer_of(app, &shop, lead).await;
        let at = format!("{CUSTOMERS}/{ann}/properties");
        let old = adds(&office, &at, &json!({"address": "12 Main St", "zip": "78701"})).await;
        let job = job_at(&office, &json!(lead), &old).await;
        removes(&office, &format!("{at}/{}", old["id"].as_str().unwrap())).await;
        let other = adds(&office, &at, &json!({"address": "21 Main St", "zip": "78701"})).await;
        let own = format!("{at}/{}", other["id"].as_str().unwrap());
        assert_eq!(patch(&office, &own, &json!({"address": "12 Main St."})).await.status, 200);
        assert_eq!(listed(&office, ann).await, [("12 Main St.".to_owned(), Value::Null)]);
        assert_eq!(office.post(&at, &json!({"address": "12 main st", "zip": "78701"})).await.problem().2, ["address"]);
        let shown = office.get(&format!("/api/jobs/{}", job["id"].as_str().unwrap())).await.json();
        assert_eq!(shown["address"], "12 Main St", "the job keeps its address");
        app.run_tasks().await;
    }

    async fn property_removed_for_one_customer_remains_for_the_other(app) {
        let (shop, office) = begun(app).await;
        let mut ids = Vec::new();
        for n in [1, 2] {
            let lead = Visitor::number(n).submits_lead(app, &shop).await;
            let id = customer_of(app, &shop, lead).await;
            let at = format!("{CUSTOMERS}/{id}/properties");
            let place = adds(&office, &at, &json!({"address": "12 Main St", "zip": "78701"})).await;
            job_at(&office, &json!(lead), &place).await;
            ids.push((id, format!("{at}/{}", place["id"].as_str().unwrap())));
            app.advance(Duration::minutes(1));
        }
        removes(&office, &ids[0].1).await;
        let preview = office.get(&format!("{CUSTOMERS}/{}/merge?with={}", ids[0].0, ids[1].0)).await.json();
        assert_eq!((&preview["kept"]["properties"], &preview["gone"]["properties"]), (&json!(0), &json!(1)));
        let merged = merges(&office, ids[0].0, ids[1].0).await;
        assert_eq!(merged["properties"].as_array().map(Vec::len), Some(1));
        assert_eq!(parts(&office, &merged).await.status, 200);
        assert_eq!([listed(&office, ids[0].0).await.len(), listed(&office, ids[1].0).await.len()], [0, 1], "as before");
        app.run_tasks().await;
    }
}
