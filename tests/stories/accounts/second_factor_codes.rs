//! Signing in with a code beside the password, and with a code for a lost phone.

use futures::future::join_all;

use super::*;

both_databases! {
    async fn password_alone_signs_nobody_in_once_second_factor_is_on(app) {
        let olive = sets_up(app, &olive(app).await).await;
        assert_eq!(olive.client.get("/api/auth/me").await.json()["twoFactorEnabled"], true);
        let stranger = app.client();
        next_code(app);
        let ticket = half_way(&stranger, EMAIL, PASSWORD, "code").await;
        assert_eq!(stranger.with_session(&ticket).get("/api/auth/me").await.status, 401, "a ticket is no session");
        let wrong = with_code(&stranger, &ticket, "000000").await;
        assert_eq!(wrong.problem(), (422, "validation_failed".into(), vec!["code".into()]));
        let signed = with_code(&stranger, &ticket, &olive.code(app)).await;
        assert_eq!(signed.status, 200, "{}", signed.json());
        let inside = stranger.with_session(&signed.session().unwrap());
        assert_eq!(inside.get("/api/auth/me").await.json()["email"], EMAIL);
        assert_eq!(letters(app, EMAIL).await, ["Two-step sign-in is on"]);
    }

    async fn code_and_ticket_are_single_use_and_expire(app) {
        let olive = sets_up(app, &olive(app).await).await;
        let stranger = app.client();
        let used = olive.code(app);
        let ticket = half_way(&stranger, EMAIL, PASSWORD, "code").await;
        assert_eq!(with_code(&stranger, &ticket, &used).await.status, 422, "the code that set it up");
        next_code(app);
        let code = olive.code(app);
        assert_eq!(with_code(&stranger, &ticket, &code).await.status, 200);
        assert_eq!(with_code(&stranger, &ticket, &code).await.status, 404, "its ticket is used up");
        let again = half_way(&stranger, EMAIL, PASSWORD, "code").await;
        assert_eq!(with_code(&stranger, &again, &code).await.status, 422, "seen over a shoulder");
        app.advance(chrono::Duration::minutes(10));
        assert_eq!(with_code(&stranger, &again, &olive.code(app)).await.status, 404);
        assert_eq!(with_code(&stranger, "x", &olive.code(app)).await.status, 404);
        app.run_tasks().await;
    }

    async fn recovery_code_used_concurrently_gives_one_sign_in(app) {
        let olive = sets_up(app, &olive(app).await).await;
        let (stranger, code) = (app.client(), olive.recovery[0].clone());
        let mut tickets = Vec::new();
        for _ in 0..3 {
            tickets.push(half_way(&stranger, EMAIL, PASSWORD, "code").await);
        }
        let answers = join_all(tickets.iter().map(|ticket| with_code(&stranger, ticket, &code))).await;
        let mut answers: Vec<u16> = answers.iter().map(|answer| answer.status.as_u16()).collect();
        answers.sort_unstable();
        assert_eq!(answers, [200, 422, 422]);
        assert_eq!(app.count("recovery_code WHERE used_at IS NOT NULL").await, 1);
        app.run_tasks().await;
    }

    async fn code_used_concurrently_gives_one_sign_in(app) {
        let olive = sets_up(app, &olive(app).await).await;
        next_code(app);
        let (stranger, code) = (app.client(), olive.code(app));
        let mut tickets = Vec::new();
        for _ in 0..3 {
            tickets.push(half_way(&stranger, EMAIL, PASSWORD, "code").await);
        }
        let tries = tickets.iter().map(|ticket| {
            let (stranger, code) = (stranger.clone(), code.clone());
            async move { with_code(&stranger, ticket, &code).await.status.as_u16() }
        });
        let mut statuses = join_all(tries).await;
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 422, 422]);
        app.run_tasks().await;
    }

    async fn five_wrong_codes_throttle_further_attempts(app) {
        let olive = sets_up(app, &olive(app).await).await;
        next_code(app);
        let stranger = app.client();
        let ticket = half_way(&stranger, EMAIL, PASSWORD, "code").await;
        for _ in 0..5 {
            assert_eq!(with_code(&stranger, &ticket, "000000").await.status, 422);
        }
        let slowed = with_code(&stranger, &ticket, &olive.code(app)).await;
        assert_eq!(slowed.problem().1, "too_many_requests", "the right one does not help now");
        app.advance(Duration::seconds(slowed.header("retry-after").parse().unwrap()));
        assert_eq!(with_code(&stranger, &ticket, &olive.code(app)).await.status, 200, "a code after the requested wait works");
        app.run_tasks().await;
    }

    async fn recovery_codes_are_single_use_and_replaced_by_ten_new_ones(app) {
        let olive = sets_up(app, &olive(app).await).await;
        let stranger = app.client();
        assert_eq!(olive.recovery.len(), 10);
        let ticket = half_way(&stranger, EMAIL, PASSWORD, "code").await;
        let typed = olive.recovery[3].to_lowercase().replace('-', " ");
        let signed = with_code(&stranger, &ticket, &typed).await;
        assert_eq!(signed.status, 200, "{}", signed.json());
        let ticket = half_way(&stranger, EMAIL, PASSWORD, "code").await;
        assert_eq!(with_code(&stranger, &ticket, &olive.recovery[3]).await.status, 422, "used");
        let inside = stranger.with_session(&signed.session().unwrap());
        let body = inside.get("/api/account").await.json();
        assert_eq!(body["secondFactor"], json!({"isOn": true, "isRequired": false, "recoveryCodesLeft": 9}));
        assert_eq!(letters(app, EMAIL).await, ["A recovery code was used", "Two-step sign-in is on"]);
        let renewed = inside.post("/api/account/recovery-codes", &Value::Null).await;
        assert_eq!(renewed.json()["recoveryCodes"].as_array().unwrap().len(), 10);
        assert_eq!(with_code(&stranger, &ticket, &olive.recovery[4]).await.status, 422, "the ones before are gone");
        app.run_tasks().await;
    }

    async fn new_authenticator_replaces_old_one_on_its_first_code(app) {
        let first = sets_up(app, &olive(app).await).await;
        let begun = first.client.post("/api/account/second-factor", &Value::Null).await;
        assert_eq!(begun.status, 201);
        next_code(app);
        let stranger = app.client();
        let ticket = half_way(&stranger, EMAIL, PASSWORD, "code").await;
        assert_eq!(with_code(&stranger, &ticket, &first.code(app)).await.status, 200, "the old one is in force until then");
        let second = sets_up(app, &first.client).await;
        next_code(app);
        let ticket = half_way(&stranger, EMAIL, PASSWORD, "code").await;
        assert_eq!(with_code(&stranger, &ticket, &first.code(app)).await.status, 422);
        assert_eq!(with_code(&stranger, &ticket, &second.code(app)).await.status, 200);
        app.run_tasks().await;
    }

    async fn secret_and_recovery_codes_are_not_stored_in_plain_text(app) {
        let olive = sets_up(app, &olive(app).await).await;
        let mut conn = app.db.acquire_reader().await.unwrap();
        let sealed = shared::q!(&mut conn, fetch_one scalar String, "SELECT sealed FROM second_factor").unwrap();
        assert!(sealed.starts_with("s1.") && !sealed.contains(&olive.secret.to_base32()), "{sealed}");
        let hashes = shared::q!(&mut conn, fetch_all scalar Vec<u8>, "SELECT code_hash FROM recovery_code").unwrap();
        for code in &olive.recovery {
            let bare = code.replace('-', "");
            assert!(hashes.iter().all(|hash| hash.len() == 32 && hash != bare.as_bytes()));
        }
        drop(conn);
        app.run_tasks().await;
    }

    async fn second_factor_turned_off_lets_password_alone_sign_in(app) {
        let first = sets_up(app, &olive(app).await).await;
        let off = first.client.send(Method::DELETE, "/api/account/second-factor", "", Vec::new()).await;
        assert_eq!(off.status, 204);
        assert_eq!(first.client.get("/api/auth/me").await.status, 401, "the session before it is dead");
        assert_eq!(login(&app.client(), EMAIL, PASSWORD).await.status, 200);
        assert_eq!((app.count("second_factor").await, app.count("recovery_code").await), (0, 0));
        assert_eq!(letters(app, EMAIL).await, ["Two-step sign-in is off", "Two-step sign-in is on"]);
    }
}
