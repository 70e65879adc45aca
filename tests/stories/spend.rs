//! The spend brake: a form that strangers fill in texts no more people a day than the business wants to pay for.

use chrono::Duration;
use serde_json::json;
use shared::{message::Status, q};
use tests::{
    both_databases,
    people::Visitor,
    phone::{ANN, OWNER},
};

both_databases! {
    async fn a_flood_costs_no_more_than_the_days_budget_and_real_talk_goes_on(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        app.sets(&shop, json!({"sending": {"dailyTextBudget": 20}, "calls": {"forwardTo": [OWNER]}})).await;
        line.writes(ANN, "Can you come at four?").await;
        app.run_tasks().await;
        for n in 0..50 {
            let email = format!("flood-{n}@customer.example");
            Visitor::number(n).email(Some(&email)).submits_lead(app, &shop).await;
        }
        app.live_through(Duration::minutes(10), Duration::seconds(5)).await;
        let automatic = line.twilio.received().iter().filter(|text| text.to != OWNER).count();
        assert_eq!(automatic, 20, "Ann's answer and nineteen others");
        assert_eq!(line.texts_to("+15125550100"), [""; 0], "nobody reads what is texted to the line itself");
        let why = "SELECT reason FROM message WHERE channel = 'sms' AND status = 'not_sent'";
        let why = q!(&mut app.db.read().await.unwrap(), fetch_all scalar String, why).unwrap();
        let stopped = why.iter().filter(|w| *w == "today's budget of 20 automatic texts is used up").count();
        assert_eq!((stopped, why.len()), (31, 31), "{why:?}");
        let emails = app.mail.accepted().iter().filter(|m| m.to.starts_with("flood-")).count();
        assert_eq!(emails, 50, "who left an address is answered by email");
        let told = "SELECT COUNT(*) FROM alert WHERE title LIKE '%20 automatic texts%'";
        assert_eq!(q!(&mut app.db.read().await.unwrap(), fetch_one scalar i64, told).unwrap(), 1, "the owner is told once");
        let office = app.client().signed_in(app, shop.owner()).await;
        let ann = office.get("/api/inbox?q=512555").await.json()[0]["customerId"].as_str().unwrap().to_owned();
        let written = json!({"channel": "sms", "body": "Yes, see you at four."});
        assert_eq!(office.post(&format!("/api/customers/{ann}/messages"), &written).await.status, 201);
        app.live_through(Duration::minutes(1), Duration::seconds(5)).await;
        assert!(line.texts_to(ANN).contains(&"Yes, see you at four.".to_owned()), "a person may always answer");
        app.live_through(Duration::days(1), Duration::hours(4)).await;
        let late = app.lead(shop.id(), Visitor::number(900).submits_lead(app, &shop).await).await;
        app.live_through(Duration::minutes(1), Duration::seconds(5)).await;
        let text = app.lead(shop.id(), late.summary.id).await.messages;
        assert!(text.iter().any(|m| m.to.starts_with("+1737") && m.status == Status::Sent), "the next day has its own budget");
    }
}
