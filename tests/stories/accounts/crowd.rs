//! A crowd at the door: who is told to come back has cost no write and used up no try, and gets in a moment later (trust
//! requirements 49 and 50).

use super::*;

const NEW: &str = "another copper joint";

both_databases! {
    async fn who_finds_every_place_taken_has_used_up_no_try(app) {
        let stranger = app.client();
        register(&stranger, EMAIL, "Acme Plumbing").await;
        let signed = login(&stranger, EMAIL, PASSWORD).await;
        let inside = stranger.with_session(&signed.session().unwrap());
        let asked = json!({"name": "Dave", "email": "dave@crew.example", "role": "crew"});
        let invite = inside.post("/api/team/invites", &asked).await.json();
        let door = format!("/api/public/invite/{}", invite["link"].as_str().unwrap().rsplit('/').next().unwrap());
        app.run_tasks().await;

        let mut places = Vec::new();
        while let Ok(place) = stranger.hasher().place() {
            places.push(place);
        }
        assert_eq!(places.len(), 22, "two that are looked at and twenty that wait");
        let written = async || (app.count("sign_in_throttle").await, app.count("audit_event").await);
        let before = written().await;
        for _ in 0..5 {
            let busy = login(&stranger, EMAIL, PASSWORD).await;
            assert_eq!((busy.problem().1.as_str(), busy.header("retry-after")), ("too_many_requests", "1"));
        }
        let form = json!({"name": "Dave", "email": "dave@crew.example", "password": PASSWORD});
        for busy in [
            register(&stranger, "bob@best.example", "Best Roofing").await,
            stranger.post("/api/auth/reset/confirm", &json!({"token": "x", "password": NEW})).await,
            stranger.post(&door, &form).await,
            inside.post("/api/auth/prove", &json!({"password": PASSWORD})).await,
            inside.post("/api/account/password", &json!({"currentPassword": PASSWORD, "newPassword": NEW})).await,
        ] {
            assert_eq!(busy.problem().1, "too_many_requests", "{}", busy.json());
        }
        assert_eq!(written().await, before, "nothing was counted and nothing written");
        drop(places);
        assert_eq!(login(&stranger, EMAIL, PASSWORD).await.status, 200, "without a wait");
        app.run_tasks().await;
    }

    async fn forty_at_once_with_the_right_password_shut_nobody_out(app) {
        let stranger = app.client();
        register(&stranger, EMAIL, "Acme Plumbing").await;
        let counted = "sign_in_throttle WHERE failures > 0";
        let before = app.count(counted).await;
        let tries = (0..40_u8).map(|n| {
            let one = stranger.clone().from_address([198, 51, 100, n]);
            async move { login(&one, EMAIL, PASSWORD).await.status.as_u16() }
        });
        let told = futures::future::join_all(tries).await;
        assert!(told.iter().all(|status| [200, 429].contains(status)) && told.contains(&200), "{told:?}");
        assert_eq!(app.count(counted).await, before, "not one of them was a failure");
        assert_eq!(login(&stranger, EMAIL, PASSWORD).await.status, 200, "without a wait");
        app.run_tasks().await;
    }
}
