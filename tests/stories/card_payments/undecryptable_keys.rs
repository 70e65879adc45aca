//! Stripe keys that the install's secret can no longer decrypt.

use serde_json::{Value, json};
use shared::{ops::lost_payment_keys, platform::secret::SecretKey};
use tests::{
    both_databases,
    fake_stripe::{ENDPOINT, LIVE},
};

use super::{Owed, owed, put};

const OTHER: [u8; 32] = [9; 32];

impl Owed {
    async fn cannot_take_cards(&self) -> Vec<Value> {
        let alerts = self.office.get("/api/alerts").await.json();
        let ours = |one: &&Value| one["title"] == "Customers cannot pay by card";
        alerts.as_array().unwrap().iter().filter(ours).cloned().collect()
    }
}

both_databases! {
    async fn undecryptable_stripe_keys_alert_owner_once(app) {
        let owed = owed(app).await;
        let right = app.settings.secret.clone();
        lost_payment_keys::alert_lost_payment_keys(&app.db, &app.origin, &right).await.unwrap();
        assert_eq!(owed.cannot_take_cards().await.len(), 0);
        for _ in 0..2 {
            lost_payment_keys::alert_lost_payment_keys(&app.db, &app.origin, &SecretKey::new(OTHER)).await.unwrap();
        }
        let alert_rows = owed.cannot_take_cards().await;
        assert_eq!(alert_rows.len(), 1, "{alert_rows:?}");
        let body = "Enter the Stripe keys again in Settings, Card payments. Pages that are already open can still be paid.";
        assert_eq!((&alert_rows[0]["kind"], &alert_rows[0]["body"]), (&json!("card_payments"), &json!(body)));
        app.run_tasks().await;
    }

    async fn stripe_keys_lost_again_after_reentry_alert_again(app) {
        let owed = owed(app).await;
        let other = SecretKey::new(OTHER);
        lost_payment_keys::alert_lost_payment_keys(&app.db, &app.origin, &other).await.unwrap();
        app.advance(chrono::Duration::minutes(1));
        let keys = json!({"secretKey": LIVE, "webhookSecret": ENDPOINT});
        assert_eq!(put(&owed.office, &format!("/api/org/{}/stripe", owed.shop.id()), &keys).await.status, 200);
        lost_payment_keys::alert_lost_payment_keys(&app.db, &app.origin, &app.settings.secret).await.unwrap();
        assert_eq!(owed.cannot_take_cards().await.len(), 1);
        lost_payment_keys::alert_lost_payment_keys(&app.db, &app.origin, &other).await.unwrap();
        assert_eq!(owed.cannot_take_cards().await.len(), 2);
        app.run_tasks().await;
    }
}
