//! The list of devices with a session: ended one by one, and all at once when a sign-in method changes.

use super::*;

async fn another(olive: &Client, agent: &str) -> Client {
    let client = olive.with("cookie", "none=1").with("user-agent", agent);
    let signed = login(&client, EMAIL, PASSWORD).await;
    client.with_session(&signed.session().unwrap())
}

async fn devices(client: &Client) -> Vec<Value> {
    client.get("/api/account/devices").await.json().as_array().unwrap().clone()
}

async fn delete(client: &Client, path: &str) -> Answer {
    client.send(Method::DELETE, path, "", Vec::new()).await
}

/// The body of a browser's subscription, with the receiver's keys of RFC 8291, appendix A.
fn phone(number: usize) -> Value {
    json!({"endpoint": format!("https://fcm.googleapis.com/fcm/send/{number}"), "label": "A phone", "keys": {
        "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        "auth": "BTBZMqHH6r4Tts7J_aSIgg"}})
}

both_databases! {
    async fn devices_are_listed_and_signed_out_individually(app) {
        let olive = olive(app).await;
        app.advance(Duration::minutes(1));
        let tablet = another(&olive, "A tablet").await;
        app.run_tasks().await;
        let listed = devices(&olive).await;
        assert_eq!(listed.len(), 2);
        assert_eq!((&listed[0]["isThis"], &listed[1]["isThis"], &listed[1]["userAgent"]), (&json!(true), &json!(false), &json!("A tablet")));
        assert_eq!(tablet.post("/api/push/devices", &phone(1)).await.status, 201);
        let mut line = tablet.events().await;
        line.read_until("connected").await;
        assert_eq!(delete(&olive, &format!("/api/account/devices/{}", listed[1]["id"].as_str().unwrap())).await.status, 204);
        assert_eq!(tablet.get("/api/auth/me").await.status, 401);
        assert!(line.ends().await, "an open page gets no more events");
        assert_eq!(app.count("push_device").await, 0, "nor to the device");
        assert_eq!(delete(&olive, &format!("/api/account/devices/{}", listed[1]["id"].as_str().unwrap())).await.status, 404);
        assert_eq!(devices(&olive).await.len(), 1);
    }

    async fn device_list_says_until_when_each_can_show_data_offline(app) {
        let shop = app.org("Acme Plumbing").await;
        let owner = app.client().signed_in(app, shop.owner()).await;
        let (now, hours) = (app.now(), Duration::hours);
        let until = async || {
            let [device] = &devices(&owner).await[..] else { panic!("one device") };
            serde_json::from_value::<Option<chrono::DateTime<chrono::Utc>>>(device["offlineUntil"].clone()).unwrap()
        };
        assert_eq!(until().await, Some(now + hours(13)), "twelve hours after a contact that is known to the hour");
        for (set, expected) in [(4, Some(now + hours(5))), (0, None)] {
            let body = json!({"devices": {"offlineHours": set}}).to_string().into_bytes();
            let path = "/api/org/acme-plumbing/settings";
            assert_eq!(owner.send(Method::PATCH, path, "application/json", body).await.status, 200);
            assert_eq!(until().await, expected);
        }
        app.run_tasks().await;
    }

    async fn device_of_another_account_cannot_be_signed_out(app) {
        let shop = app.org("Best Roofing").await;
        let theirs = app.client().signed_in(app, shop.owner()).await;
        let olive = olive(app).await;
        let [device] = &devices(&theirs).await[..] else { panic!("one device") };
        assert_eq!(delete(&olive, &format!("/api/account/devices/{}", device["id"].as_str().unwrap())).await.status, 404);
        assert_eq!(delete(&olive, "/api/account/devices").await.status, 204);
        assert_eq!(theirs.get("/api/auth/me").await.status, 200);
    }

    async fn password_change_signs_out_other_devices_and_sends_mail(app) {
        let olive = olive(app).await;
        let tablet = another(&olive, "A tablet").await;
        assert_eq!(olive.post("/api/push/devices", &phone(1)).await.status, 201);
        assert_eq!(tablet.post("/api/push/devices", &phone(2)).await.status, 201);
        let change = |current: &str, new: &str| json!({"currentPassword": current, "newPassword": new});
        let wrong = olive.post("/api/account/password", &change("not this one", "another copper joint")).await;
        assert_eq!(wrong.problem().2, ["currentPassword"]);
        for weak in ["short", "password1", "Acme Plumbing", PASSWORD] {
            let refused = olive.post("/api/account/password", &change(PASSWORD, weak)).await;
            assert_eq!(refused.problem().2, ["newPassword"], "{weak}");
        }
        assert_eq!(tablet.get("/api/auth/me").await.status, 200, "nothing has changed yet");
        let changed = olive.post("/api/account/password", &change(PASSWORD, "another copper joint")).await;
        assert_eq!(changed.status, 204);
        assert_eq!(tablet.get("/api/auth/me").await.status, 401);
        assert_eq!(olive.get("/api/auth/me").await.status, 401, "a copied cookie is signed out too");
        let here = app.client().with_session(&changed.session().unwrap());
        assert_eq!(here.get("/api/auth/me").await.status, 200);
        assert_eq!(here.get("/api/push/devices").await.json().as_array().unwrap().len(), 1, "this one goes on being alerted");
        assert_eq!(login(&app.client(), EMAIL, PASSWORD).await.status, 401);
        assert_eq!(letters(app, EMAIL).await, ["Your password was changed"]);
    }

    async fn second_factor_change_signs_out_other_devices(app) {
        let olive = olive(app).await;
        let tablet = another(&olive, "A tablet").await;
        assert_eq!(olive.post("/api/push/devices", &phone(1)).await.status, 201);
        assert_eq!(tablet.post("/api/push/devices", &phone(2)).await.status, 201);
        let olive = sets_up(app, &olive).await;
        assert_eq!((tablet.get("/api/auth/me").await.status.as_u16(), app.count("push_device").await), (401, 1));

        next_code(app);
        let tablet = app.client().with("user-agent", "A tablet");
        let ticket = half_way(&tablet, EMAIL, PASSWORD, "code").await;
        let signed = with_code(&tablet, &ticket, &olive.code(app)).await;
        let tablet = tablet.with_session(&signed.session().unwrap());
        assert_eq!(tablet.post("/api/push/devices", &phone(2)).await.status, 201);
        let off = olive.client.send(Method::DELETE, "/api/account/second-factor", "", Vec::new()).await;
        assert_eq!(off.status, 204);
        assert_eq!((tablet.get("/api/auth/me").await.status.as_u16(), app.count("push_device").await), (401, 1));
        let here = olive.client.with_session(&off.session().unwrap());
        assert_eq!(here.get("/api/push/devices").await.json().as_array().unwrap().len(), 1, "this one goes on being alerted");
        assert_eq!(letters(app, EMAIL).await, ["Two-step sign-in is off", "Two-step sign-in is on"]);
    }

    async fn password_guesses_in_open_session_are_throttled(app) {
        let olive = olive(app).await;
        let body = json!({"currentPassword": "a guess", "newPassword": "another copper joint"});
        for _ in 0..3 {
            assert_eq!(olive.post("/api/account/password", &body).await.status, 422);
        }
        assert_eq!(olive.post("/api/account/password", &body).await.problem().1, "too_many_requests");
        app.run_tasks().await;
    }
}
