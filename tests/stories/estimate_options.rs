//! Good, better, best: estimates with options, add-ons, discounts, taxes and a deposit by percent, to the cent, and
//! the proof that the PDFs are those that were signed.

use axum::http::Method;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use shared::platform::{
    db::q,
    id::{EstimateId, LeadId},
};
use tests::{
    app::TestApp,
    both_databases,
    http::Client,
    people::{Shop, Visitor},
};
use uuid::Uuid;

mod price_range;

/// The amounts in these stories were computed by hand from the rules of money in docs/rules.md.
fn three_ways() -> Value {
    json!({
        "lines": [
            {"id": "base", "name": "Remove the old heater", "unitPrice": 150},
            {"id": "labor", "name": "Labor", "quantity": 2.5, "unit": "hour", "unitPrice": 95.5, "discount": {"percent": 10}, "taxRate": 8.25, "taxName": "Sales tax"},
            {"id": "tank40", "name": "40 gallon tank", "unitPrice": 900, "optionId": "good", "taxRate": 8.25, "taxName": "Sales tax"},
            {"id": "tank50", "name": "50 gallon tank", "unitPrice": 1400, "optionId": "better", "taxRate": 8.25, "taxName": "Sales tax"},
            {"id": "tankless", "name": "Tankless heater", "unitPrice": 2400, "discount": {"amount": 100}, "optionId": "best", "taxRate": 8.25, "taxName": "Sales tax"},
            {"id": "pan", "name": "Drain pan", "unitPrice": 80, "optional": true, "taxRate": 8.25, "taxName": "Sales tax"},
            {"id": "flush", "name": "Yearly flush", "quantity": 2, "unit": "visit", "unitPrice": 95.5, "optional": true, "optionId": "best"},
        ],
        "options": [{"id": "good", "name": "Good"}, {"id": "better", "name": "Better"}, {"id": "best", "name": "Best", "description": "Never runs out"}],
        "recommended": "better",
        "discount": {"amount": 50},
        "deposit": {"percent": 30},
    })
}

async fn offered(app: &TestApp) -> (Shop, LeadId, Client) {
    let shop = app.org("Acme Plumbing").await;
    let lead = Visitor::ann().submits_lead(app, &shop).await;
    app.run_tasks().await;
    let office = app.client().signed_in(app, shop.owner()).await;
    let made = office.post(&format!("/api/leads/{lead}/estimate"), &three_ways()).await;
    assert_eq!(made.status, 200, "{}", made.json());
    app.run_tasks().await;
    (shop, lead, office)
}

async fn newest(office: &Client, lead: LeadId) -> Value {
    office.get(&format!("/api/leads/{lead}/estimates")).await.json()[0].clone()
}

async fn proof(office: &Client, estimate: &Value) -> Value {
    office.get(&format!("/api/estimates/{}/verify", estimate["id"].as_str().unwrap())).await.json()
}

async fn signs_for_the_best(app: &TestApp, estimate: &Value) {
    let at = estimate["link"].as_str().unwrap().trim_start_matches("https://toolbox.example").to_owned();
    let page = String::from_utf8(app.client().get(&at).await.body).unwrap();
    let sha256 = &page.split("name=\"sha256\" value=\"").nth(1).unwrap()[..64];
    let body = format!("option=best&add=pan&add=flush&name=Ann+Lee&agree=yes&sha256={sha256}");
    let kind = "application/x-www-form-urlencoded";
    let signed = app.client().send(Method::POST, &format!("{at}/approve"), kind, body.into_bytes()).await;
    assert_eq!(signed.status, 303);
    app.run_tasks().await;
}

fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"))
}

both_databases! {
    async fn estimate_option_has_its_own_total_tax_and_deposit(app) {
        let (_, lead, office) = offered(app).await;
        let mut asked = three_ways();
        asked["leadId"] = json!(lead);
        let preview = office.post("/api/estimates/preview", &asked).await.json();
        let ways = preview["totals"]["byOption"].as_array().unwrap().clone();
        let wanted = [
            ("good", 1264.87, 88.34, 1303.21, 390.96),
            ("better", 1764.87, 129.45, 1844.32, 553.3),
            ("best", 2664.87, 203.58, 2818.45, 845.54),
        ];
        for (way, (id, subtotal, tax, total, deposit)) in ways.iter().zip(wanted) {
            let amounts = ["subtotal", "tax", "total", "deposit"].map(|name| way[name].as_f64().unwrap());
            assert_eq!((way["optionId"].as_str().unwrap(), amounts), (id, [subtotal, tax, total, deposit]));
            assert_eq!((&way["taxes"][0]["name"], &way["taxes"][0]["amount"]), (&json!("Sales tax"), &json!(tax)));
        }
        let shown = newest(&office, lead).await;
        assert_eq!((&shown["total"], &shown["deposit"]), (&json!(1844.32), &json!(553.3)), "the recommended option without add-ons");

        signs_for_the_best(app, &shown).await;
        let signed = newest(&office, lead).await;
        assert_eq!((&signed["status"], &signed["total"], &signed["deposit"]), (&json!("approved"), &json!(3096.3), &json!(928.89)));
        assert_eq!((&signed["approval"]["optionId"], &signed["approval"]["addOns"]), (&json!("best"), &json!(["flush", "pan"])));
        let money = office.get(&format!("/api/leads/{lead}/money")).await.json();
        assert_eq!((&money["agreed"], &money["owed"], &money["depositDue"]), (&json!(3096.3), &json!(3096.3), &json!(928.89)));
        let paid = office.post(&format!("/api/leads/{lead}/paid"), &json!({"amount": 928.89, "partial": true})).await;
        assert_eq!((paid.status.as_u16(), &paid.json()["owed"]), (200, &json!(2167.41)));
        let job = office.post("/api/jobs", &json!({"leadId": lead})).await.json();
        assert_eq!(job["materialsNeeded"], json!(["Remove the old heater", "Tankless heater", "Drain pan"]), "the chosen items, without hours and prices");
        assert_eq!(job["serviceDescription"], "Water on the floor", "and what she wrote");
        app.run_tasks().await;
    }

    async fn signed_estimate_proof_detects_replaced_or_missing_file(app) {
        let (shop, lead, office) = offered(app).await;
        let open = newest(&office, lead).await;
        let unsigned = proof(&office, &open).await;
        assert_eq!((&unsigned["ok"], &unsigned["approvedSha256"], &unsigned["at"]), (&json!(true), &Value::Null, &Value::Null));
        signs_for_the_best(app, &open).await;
        let id = open["id"].as_str().unwrap();
        let pdf = office.get(&format!("/api/estimates/{id}/pdf")).await.body;
        let copy = office.get(&format!("/api/estimates/{id}/pdf?copy=signed")).await.body;
        let good = proof(&office, &open).await;
        assert_eq!((&good["ok"], &good["name"], &good["at"]), (&json!(true), &json!("Ann Lee"), &newest(&office, lead).await["approvedAt"]));
        assert_eq!((&good["storedSha256"], &good["approvedSha256"], &good["signedSha256"]), (&json!(hex(&pdf)), &json!(hex(&pdf)), &json!(hex(&copy))));
        // Another version, signed or not, leaves this one's PDFs unchanged.
        let mut more = three_ways();
        more["notes"] = json!("And a new valve");
        let revised = office.post(&format!("/api/estimates/{id}/revise"), &more).await;
        assert_eq!(revised.status, 201, "{}", revised.json());
        app.run_tasks().await;
        assert_eq!(proof(&office, &open).await, good);
        // A file is replaced, deleted, and a signed copy is changed.
        let kept = EstimateId(Uuid::parse_str(id).unwrap());
        let sql = "SELECT f.full_key FROM file f JOIN estimate e ON e.org_id = f.org_id AND e.file_id = f.id WHERE e.id = $1";
        let key = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar String, sql, kept).unwrap();
        app.context.storage.put(&key, &[&pdf[..], b"\n"].concat()).await.unwrap();
        let forged = proof(&office, &open).await;
        assert_eq!((&forged["ok"], &forged["approvedSha256"]), (&json!(false), &json!(hex(&pdf))));
        app.context.storage.delete(&key).await.unwrap();
        let gone = proof(&office, &open).await;
        assert_eq!((&gone["ok"], &gone["storedSha256"]), (&json!(false), &Value::Null));
        app.context.storage.put(&key, &pdf).await.unwrap();
        assert_eq!(proof(&office, &open).await, good);
        let sql = "SELECT f.full_key FROM file f JOIN approval a ON a.org_id = f.org_id AND a.file_id = f.id WHERE a.estimate_id = $1";
        let key = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar String, sql, kept).unwrap();
        app.context.storage.put(&key, b"%PDF-1.4 another").await.unwrap();
        assert_eq!(proof(&office, &open).await["ok"], false);
        drop(shop);
    }
}
