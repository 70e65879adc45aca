//! The name of a business: what may be typed, and what leaves below the level `trusted`.

use super::*;

/// Stored by an older version, which took it.
const STORED: &str = "PayPal <security@paypal.com> call 1-900-555-0100 or visit evil.com/x";

both_databases! {
    async fn address_in_a_typed_business_name_is_refused(app) {
        app.org("Acme Plumbing").await;
        for typed in ["PayPal <security@paypal.com>", "see http://evil.example", "Pay\u{200b}Pal"] {
            let refused = registers(&app.client(), EMAIL, typed, None).await;
            assert_eq!((refused.status.as_u16(), refused.problem().2), (422, vec!["orgName".to_owned()]), "{typed}");
        }
        let owner = registered(app, EMAIL, "1-800-GOT-LEAK? O'Neil & Sons, LLC").await;
        assert_eq!(proves(&owner, &mailed(app, EMAIL).await).await.status, 200);
        let org = org_of(&owner).await;
        let change = async |name: &str| {
            let body = json!({ "name": name, "phone": "(512) 555-0177" }).to_string().into_bytes();
            owner.send(Method::PATCH, &format!("/api/org/{org}"), "application/json", body).await
        };
        let refused = change(STORED).await;
        assert_eq!((refused.status.as_u16(), refused.problem().2), (422, vec!["name".to_owned()]));
        assert_eq!(change("A-1 Plumbing 24/7").await.status, 200);
        let sql = "UPDATE org SET name = $2 WHERE id = $1";
        app.within(async |tx| Ok(q!(tx, execute, sql, org, STORED)?)).await.unwrap();
        assert_eq!(change(STORED).await.status, 200, "a name from before stays, and other fields are saved beside it");
        app.run_tasks().await;
    }

    async fn business_name_with_link_or_number_leaves_in_no_message_below_trusted(app) {
        app.takes_email_for_set_up();
        let shop = fresh(app, "Delta Floors", true).await;
        let sql = "UPDATE org SET name = $2 WHERE id = $1";
        app.within(async |tx| Ok(q!(tx, execute, sql, shop.id(), STORED)?)).await.unwrap();
        let owner = app.client().signed_in(app, shop.owner()).await;
        ask(app, &shop, 0..2).await;
        let invited = json!({"name": "Ivan In", "email": "ivan@customer.example", "role": "office"});
        assert!(owner.post("/api/team/invites", &invited).await.status.is_success());
        let job = json!({"customer": {"name": "Ann Lee", "email": "ann@customer.example"}, "service": "Roof Repair",
            "startsAt": app.now() + Duration::days(3), "durationMinutes": 60});
        assert_eq!(owner.post("/api/jobs", &job).await.status, 201);
        let customer = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar shared::platform::id::CustomerId,
            "SELECT id FROM customer WHERE org_id = $1 AND email = 'ann@customer.example'", shop.id()).unwrap();
        let written = json!({"channel": "email", "body": "See you on Thursday"});
        assert_eq!(owner.post(&format!("/api/customers/{customer}/messages"), &written).await.status, 201);
        app.live_through(Duration::minutes(5), Duration::minutes(1)).await;
        let letters = app.mail.accepted_messages();
        assert!(["ivan", "ann", "v0", "v1"].iter().all(|name| receivers(app).contains(&format!("{name}@customer.example"))));
        for letter in letters {
            assert!(["a business on Toolbox", "Toolbox"].contains(&letter.from_name.as_deref().unwrap()), "{letter:?}");
            for part in ["PayPal", "paypal", "1-900", "evil.com"] {
                assert!(!format!("{letter:?}").contains(part), "{part}: {letter:?}");
            }
        }
        let texts = app.sms.accepted_messages();
        assert!(!texts.is_empty() && texts.iter().all(|text| !text.body.contains("PayPal")), "{texts:?}");
        app.within(async |tx| trust_level::mark_trusted(tx, &app.origin, shop.id()).await).await.unwrap();
        ask(app, &shop, 5..6).await;
        let letter = app.mail.accepted_messages().into_iter().find(|letter| letter.to == "v5@customer.example").unwrap();
        assert_eq!(letter.from_name.as_deref(), Some("PayPal call 1-900-555-0100 or visit evil.com/x"), "an address never leaves as a sender");
    }
}
