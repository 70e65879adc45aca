//! The amount of an estimate with options in its email and text: a range from lowest to highest, as no option is
//! chosen yet.

use serde_json::{Value, json};
use shared::{
    platform::{db::q, id::LeadId},
    providers::sms::SmsProvider,
};
use tests::{
    app::TestApp,
    both_databases,
    http::Client,
    people::{Shop, Visitor},
    phone::ANN,
};

use super::three_ways;

async fn begun(app: &mut TestApp) -> (Shop, LeadId, Client) {
    app.use_twilio_at("http://127.0.0.1:9");
    app.context.sms = SmsProvider::Memory(app.sms.clone());
    let shop = app.org("Acme Plumbing").await;
    let lead = Visitor::ann().submits_lead(app, &shop).await;
    app.run_tasks().await;
    let office = app.client().signed_in(app, shop.owner()).await;
    (shop, lead, office)
}

async fn customer_messages(app: &TestApp, office: &Client, lead: LeadId, estimate: &Value) -> [String; 2] {
    let made = office.post(&format!("/api/leads/{lead}/estimate"), estimate).await;
    assert_eq!(made.status, 200, "{}", made.json());
    app.run_tasks().await;
    let mail = app.mail.accepted_messages().into_iter().rfind(|mail| mail.to == "ann@customer.example").unwrap().text;
    let text = app.sms.accepted_messages().into_iter().rfind(|text| text.to == ANN).unwrap().body;
    [mail, text]
}

both_databases! {
    async fn estimate_with_options_states_lowest_and_highest_total(app) {
        let (_, lead, office) = begun(app).await;
        for words in customer_messages(app, &office, lead, &three_ways()).await {
            assert!(words.contains("for $1,303.21 to $2,818.45"), "{words}");
            assert!(!words.contains("$1,844.32"), "the recommended option's total is not the price: {words}");
        }
        let shown = office.get(&format!("/api/leads/{lead}/estimates")).await.json();
        assert_eq!(shown[0]["total"], 1844.32, "the office reckons with what it recommends");
    }

    async fn estimate_with_equal_or_no_options_states_one_amount(app) {
        let (_, lead, office) = begun(app).await;
        let either = json!({
            "lines": [
                {"id": "white", "name": "White basin", "unitPrice": 300, "optionId": "white"},
                {"id": "black", "name": "Black basin", "unitPrice": 300, "optionId": "black"},
            ],
            "options": [{"id": "white", "name": "White"}, {"id": "black", "name": "Black"}],
        });
        for estimate in [either, json!({"quotedTotal": 300})] {
            for words in customer_messages(app, &office, lead, &estimate).await {
                assert!(words.contains("for $300.00") && !words.contains("$300.00 to"), "{words}");
            }
        }
    }

    async fn spanish_customer_reads_the_price_range_in_spanish(app) {
        let (shop, lead, office) = begun(app).await;
        let sql = "UPDATE customer SET language = 'es' WHERE org_id = $1";
        app.within(async |tx| Ok(q!(tx, execute, sql, shop.id())?)).await.unwrap();
        for words in customer_messages(app, &office, lead, &three_ways()).await {
            assert!(words.contains("por $1,303.21 a $2,818.45"), "{words}");
        }
    }
}
