//! Signing in with a code beside the password, and with a code for a lost phone.

use futures::future::join_all;

use super::*;

both_databases! {
    async fn a_password_alone_opens_nothing_once_an_app_was_set_up(app) {
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

    async fn a_code_and_a_ticket_are_good_once_and_for_a_short_while(app) {
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

    async fn one_recovery_code_in_three_windows_is_one_sign_in(app) {
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

    async fn three_windows_with_one_code_are_one_sign_in(app) {
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
        let mut told = join_all(tries).await;
        told.sort_unstable();
        assert_eq!(told, [200, 422, 422]);
        app.run_tasks().await;
    }

    async fn after_five_wrong_codes_one_waits(app) {
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
        assert_eq!(with_code(&stranger, &ticket, &olive.code(app)).await.status, 200, "waited as told");
        app.run_tasks().await;
    }

    async fn a_lost_phone_is_ten_codes_each_good_once(app) {
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
        let stands = inside.get("/api/account").await.json();
        assert_eq!(stands["secondFactor"], json!({"isOn": true, "isRequired": false, "recoveryCodesLeft": 9}));
        assert_eq!(letters(app, EMAIL).await, ["A recovery code was used", "Two-step sign-in is on"]);
        let renewed = inside.post("/api/account/recovery-codes", &Value::Null).await;
        assert_eq!(renewed.json()["recoveryCodes"].as_array().unwrap().len(), 10);
        assert_eq!(with_code(&stranger, &ticket, &olive.recovery[4]).await.status, 422, "the ones before are gone");
        app.run_tasks().await;
    }

    async fn another_phone_takes_the_place_of_the_first_by_its_first_code(app) {
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

    async fn neither_the_secret_nor_a_code_stands_in_the_database(app) {
        let olive = sets_up(app, &olive(app).await).await;
        let mut conn = app.db.read().await.unwrap();
        let sealed = shared::q!(&mut conn, fetch_one scalar String, "SELECT sealed FROM second_factor").unwrap();
        assert!(sealed.starts_with("s1.") && !sealed.contains(&olive.secret.shown()), "{sealed}");
        let hashes = shared::q!(&mut conn, fetch_all scalar Vec<u8>, "SELECT code_hash FROM recovery_code").unwrap();
        for code in &olive.recovery {
            let bare = code.replace('-', "");
            assert!(hashes.iter().all(|hash| hash.len() == 32 && hash != bare.as_bytes()));
        }
        drop(conn);
        app.run_tasks().await;
    }

    async fn turned_off_the_password_alone_signs_in_again(app) {
        let first = sets_up(app, &olive(app).await).await;
        let off = first.client.send(Method::DELETE, "/api/account/second-factor", "", Vec::new()).await;
        assert_eq!(off.status, 204);
        assert_eq!(first.client.get("/api/auth/me").await.status, 401, "the session before it is dead");
        assert_eq!(login(&app.client(), EMAIL, PASSWORD).await.status, 200);
        assert_eq!((app.count("second_factor").await, app.count("recovery_code").await), (0, 0));
        assert_eq!(letters(app, EMAIL).await, ["Two-step sign-in is off", "Two-step sign-in is on"]);
    }
}
