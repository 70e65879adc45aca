//! Registering, signing in and out, and what a stranger can find out by trying.

use chrono::Duration;
use serde_json::json;
use tests::{
    both_databases,
    http::{Answer, Client},
};

const PASSWORD: &str = "copper-elbow-joint";

async fn register(client: &Client, email: &str, org: &str) -> Answer {
    let body = json!({"name": "Olive Owner", "email": email, "password": PASSWORD, "orgName": org});
    client.post("/api/auth/register", &body).await
}

async fn login(client: &Client, email: &str, password: &str) -> Answer {
    client.post("/api/auth/login", &json!({"email": email, "password": password})).await
}

both_databases! {
    async fn an_owner_registers_signs_in_is_known_and_signs_out(app) {
        let stranger = app.client();
        let made = register(&stranger, "Olive@Acme.example", "Acme Plumbing").await;
        assert_eq!((made.status.as_u16(), made.json()), (201, json!({"status": "created"})));
        assert_eq!(made.session(), None, "registering signs nobody in");
        let signed = login(&stranger, "olive@acme.example", PASSWORD).await;
        assert_eq!(signed.status, 200);
        let cookie = signed.header("set-cookie");
        for part in ["__Host-sid=", "; Path=/", "; HttpOnly", "; SameSite=Lax", "; Secure"] {
            assert!(cookie.contains(part), "{cookie} lacks {part}");
        }
        let token = signed.session().unwrap();
        let olive = stranger.with_session(&token);
        let me = olive.get("/api/auth/me").await.json();
        assert_eq!(me, signed.json());
        assert_eq!((&me["role"], &me["orgSlug"], &me["email"]), (&"owner".into(), &"acme-plumbing".into(), &"olive@acme.example".into()));
        let stored = "SELECT COUNT(*) FROM session WHERE token_hash = $1";
        let conn = &mut app.db.read().await.unwrap();
        assert_eq!(shared::q!(conn, fetch_one scalar i64, stored, token.as_bytes().to_vec()).unwrap(), 0, "only a hash is kept");
        assert_eq!(olive.post("/api/auth/logout", &json!(null)).await.status, 204);
        assert_eq!(olive.get("/api/auth/me").await.problem().1, "unauthenticated");
    }

    async fn a_session_ends_after_two_weeks_of_rest_or_a_month_of_use(app) {
        let shop = app.org("Acme Plumbing").await;
        let olive = app.client().signed_in(app, shop.owner()).await;
        app.advance(Duration::days(14) - Duration::seconds(1));
        assert_eq!(olive.get("/api/auth/me").await.status, 200);
        app.advance(Duration::days(13));
        assert_eq!(olive.get("/api/auth/me").await.status, 200, "used in between");
        app.advance(Duration::days(4));
        assert_eq!(olive.get("/api/auth/me").await.status, 401, "31 days old");
        let rested = app.client().signed_in(app, shop.owner()).await;
        app.advance(Duration::days(14));
        assert_eq!(rested.get("/api/auth/me").await.status, 401);
    }

    async fn a_wrong_password_says_nothing_and_guessing_becomes_slow(app) {
        let stranger = app.client();
        register(&stranger, "olive@acme.example", "Acme Plumbing").await;
        let unknown = login(&stranger, "nobody@acme.example", PASSWORD).await;
        let wrong = login(&stranger, "olive@acme.example", "not this one").await;
        assert_eq!((wrong.problem(), &wrong.json()["detail"]), ((401, "invalid_credentials".into(), vec![]), &"Invalid email or password".into()));
        assert_eq!((unknown.problem(), &unknown.json()["detail"]), (wrong.problem(), &wrong.json()["detail"]));
        for _ in 0..3 {
            assert_eq!(login(&stranger, "olive@acme.example", "nor this one").await.status, 401);
        }
        let slowed = login(&stranger, "olive@acme.example", PASSWORD).await;
        assert_eq!(slowed.problem().1, "too_many_requests", "the right one does not help now");
        let wait: i64 = slowed.header("retry-after").parse().unwrap();
        assert!((1..=60).contains(&wait), "{wait}");
        app.advance(Duration::seconds(wait));
        assert_eq!(login(&stranger, "olive@acme.example", PASSWORD).await.status, 200, "waited as told");
    }

    async fn twenty_parallel_guesses_are_counted_before_any_password_is_looked_at(app) {
        let stranger = app.client();
        register(&stranger, "olive@acme.example", "Acme Plumbing").await;
        let tries = (0..20).map(|n| {
            let (stranger, guess) = (stranger.clone(), format!("guess number {n}"));
            async move { login(&stranger, "olive@acme.example", &guess).await.status.as_u16() }
        });
        let told = futures::future::join_all(tries).await;
        assert_eq!(told.iter().filter(|status| **status == 401).count(), 4, "three free tries and the one that starts the wait: {told:?}");
        assert_eq!(told.iter().filter(|status| **status == 429).count(), 16, "{told:?}");
    }

    async fn registering_a_known_address_looks_the_same_and_its_holder_gets_a_mail(app) {
        let stranger = app.client();
        let first = register(&stranger, "olive@acme.example", "Acme Plumbing").await;
        let second = register(&stranger, "Olive@ACME.example", "Evil Plumbing").await;
        assert_eq!((first.status, first.json()), (second.status, second.json()));
        let names = |answer: &Answer| answer.headers.keys().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(names(&first), names(&second));
        assert_eq!((app.count("org").await, app.count("account").await), (1, 1));
        app.run_tasks().await;
        let [letter] = &app.mail.accepted()[..] else { panic!("{:?}", app.mail.accepted()) };
        assert_eq!((letter.to.as_str(), letter.subject.as_str()), ("olive@acme.example", "You already have an account"));
        register(&stranger, "olive@acme.example", "Evil Plumbing").await;
        app.run_tasks().await;
        assert_eq!(app.mail.accepted().len(), 1, "once a day is enough");
    }

    async fn a_page_of_another_site_cannot_act_with_the_owners_cookie(app) {
        let shop = app.org("Acme Plumbing").await;
        let olive = app.client().signed_in(app, shop.owner()).await;
        for (name, value) in [("sec-fetch-site", "cross-site"), ("sec-fetch-site", "same-site")] {
            let tricked = olive.with(name, value).post("/api/auth/logout", &json!(null)).await;
            assert_eq!(tricked.problem().1, "csrf_refused");
        }
        assert_eq!(olive.get("/api/auth/me").await.status, 200);
    }
}
