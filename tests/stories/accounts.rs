//! Registration, sign-in and sign-out, and what a stranger can find out by trying.

use axum::http::Method;
use chrono::Duration;
use serde_json::{Value, json};
use shared::domain::tenancy::account::{Role, totp};
use tests::{
    app::TestApp,
    both_databases,
    http::{Answer, Client},
    people::Shop,
};

mod clock_set_back;
mod csrf;
mod intruder_leftovers;
mod known_browsers;
mod language;
mod mandatory_second_factor;
mod passkeys;
mod password_rehash;
mod password_reset;
mod password_spraying;
mod reauthentication;
mod recorded_networks;
mod revocation_races;
mod second_factor_codes;
mod sessions;
mod sign_in_flood;
mod timing;

const PASSWORD: &str = "copper-elbow-joint";

async fn register(client: &Client, email: &str, org: &str) -> Answer {
    let body = json!({"name": "Olive Owner", "email": email, "password": PASSWORD, "orgName": org});
    client.post("/api/auth/register", &body).await
}

async fn login(client: &Client, email: &str, password: &str) -> Answer {
    client.post("/api/auth/login", &json!({"email": email, "password": password})).await
}

const EMAIL: &str = "olive@acme.example";
const CONFIRM: &str = "Confirm your email address";

async fn olive(app: &TestApp) -> Client {
    let stranger = app.client();
    assert_eq!(register(&stranger, EMAIL, "Acme Plumbing").await.status, 201);
    app.vouches_for(EMAIL).await;
    app.run_tasks().await;
    let signed = login(&stranger, EMAIL, PASSWORD).await;
    stranger.with_session(&signed.session().unwrap())
}

/// An authenticator app, and what the browser got at its setup.
struct App {
    secret: totp::TotpSecret,
    recovery: Vec<String>,
    client: Client,
}

impl App {
    fn code(&self, app: &TestApp) -> String {
        self.secret.code_at(app.now())
    }
}

async fn sets_up(app: &TestApp, client: &Client) -> App {
    let made = client.post("/api/account/second-factor", &Value::Null).await;
    assert_eq!(made.status, 201, "{}", made.json());
    let secret = totp::TotpSecret::from_base32(made.json()["secret"].as_str().unwrap()).unwrap();
    let sent = json!({"code": secret.code_at(app.now())});
    let confirmed = client.post("/api/account/second-factor/confirm", &sent).await;
    assert_eq!(confirmed.status, 200, "{}", confirmed.json());
    let codes = confirmed.json()["recoveryCodes"].as_array().unwrap().clone();
    let recovery = codes.iter().map(|code| code.as_str().unwrap().to_owned()).collect();
    App { secret, recovery, client: client.with_session(&confirmed.session().unwrap()) }
}

/// Sends the right password and returns the ticket of the next step.
async fn half_way(client: &Client, email: &str, password: &str, step: &str) -> String {
    let answer = login(client, email, password).await;
    assert_eq!((answer.status.as_u16(), answer.json()["step"].as_str()), (202, Some(step)), "{}", answer.json());
    assert_eq!(answer.session(), None, "half a sign-in opens nothing");
    answer.json()["ticket"].as_str().unwrap().to_owned()
}

async fn with_code(client: &Client, ticket: &str, code: &str) -> Answer {
    client.post("/api/auth/login/code", &json!({"ticket": ticket, "code": code})).await
}

/// Subjects of the mails to this address, sorted: mails that are due at one instant leave in any order.
async fn letters(app: &TestApp, to: &str) -> Vec<String> {
    app.run_tasks().await;
    // Alerts of new browsers have their own stories.
    let is_other = |subject: &str| !subject.starts_with("Security alert") && subject != CONFIRM;
    let to_them =
        app.mail.accepted_messages().into_iter().filter(|letter| letter.to == to && is_other(&letter.subject));
    let mut subjects: Vec<_> = to_them.map(|letter| letter.subject).collect();
    subjects.sort();
    subjects
}

async fn subjects(app: &TestApp) -> Vec<String> {
    app.run_tasks().await;
    let mut subjects: Vec<_> = app.mail.accepted_messages().into_iter().map(|letter| letter.subject).collect();
    subjects.sort();
    subjects
}

fn next_code(app: &TestApp) {
    app.advance(Duration::seconds(30));
}

both_databases! {
    async fn owner_registers_signs_in_and_signs_out(app) {
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
        let conn = &mut app.db.acquire_reader().await.unwrap();
        assert_eq!(shared::q!(conn, fetch_one scalar i64, stored, token.as_bytes().to_vec()).unwrap(), 0, "only a hash is kept");
        assert_eq!(olive.post("/api/auth/logout", &json!(null)).await.status, 204);
        assert_eq!(olive.get("/api/auth/me").await.problem().1, "unauthenticated");
        assert_eq!(subjects(app).await, [CONFIRM], "the one mail of a registration");
    }

    async fn session_expires_after_two_idle_weeks_or_one_month(app) {
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

    async fn wrong_password_reveals_nothing_and_guessing_is_rate_limited(app) {
        let stranger = app.client();
        register(&stranger, "olive@acme.example", "Acme Plumbing").await;
        let unknown = login(&stranger, "nobody@acme.example", PASSWORD).await;
        let wrong = login(&stranger, "olive@acme.example", "not this one").await;
        assert_eq!((wrong.problem(), &wrong.json()["detail"]), ((401, "invalid_credentials".into(), vec![]), &"Invalid email or password".into()));
        assert_eq!((unknown.problem(), &unknown.json()["detail"]), (wrong.problem(), &wrong.json()["detail"]));
        for _ in 0..2 {
            assert_eq!(login(&stranger, "olive@acme.example", "nor this one").await.status, 401);
        }
        let slowed = login(&stranger, "olive@acme.example", PASSWORD).await;
        assert_eq!(slowed.problem().1, "too_many_requests", "the right one does not help now");
        let wait: i64 = slowed.header("retry-after").parse().unwrap();
        assert!((1..=60).contains(&wait), "{wait}");
        app.advance(Duration::seconds(wait));
        assert_eq!(login(&stranger, "olive@acme.example", PASSWORD).await.status, 200, "a sign-in after the requested wait works");
        assert_eq!(subjects(app).await, [CONFIRM], "a wrong password mails nobody");
    }

    async fn parallel_login_guesses_after_the_third_are_rate_limited(app) {
        let stranger = app.client();
        register(&stranger, "olive@acme.example", "Acme Plumbing").await;
        let tries = (0..20).map(|n| {
            let (stranger, guess) = (stranger.clone(), format!("guess number {n}"));
            async move { login(&stranger, "olive@acme.example", &guess).await.status.as_u16() }
        });
        let statuses = futures::future::join_all(tries).await;
        assert_eq!(statuses.iter().filter(|status| **status == 401).count(), 3, "the third of them starts the wait: {statuses:?}");
        assert_eq!(statuses.iter().filter(|status| **status == 429).count(), 17, "{statuses:?}");
        app.run_tasks().await;
    }

    async fn registration_of_known_email_looks_the_same_and_mails_its_holder(app) {
        let stranger = app.client();
        let first = register(&stranger, "olive@acme.example", "Acme Plumbing").await;
        let second = register(&stranger, "Olive@ACME.example", "Evil Plumbing").await;
        assert_eq!((first.status, first.json()), (second.status, second.json()));
        let names = |answer: &Answer| answer.headers.keys().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(names(&first), names(&second));
        assert_eq!((app.count("org").await, app.count("account").await), (1, 1));
        let expected_subjects = [CONFIRM, CONFIRM];
        assert_eq!(subjects(app).await, expected_subjects, "an unconfirmed address gets the same mail again");
        assert!(app.mail.accepted_messages().iter().all(|letter| letter.to == EMAIL), "{:?}", app.mail.accepted_messages());
        register(&stranger, "olive@acme.example", "Evil Plumbing").await;
        assert_eq!(subjects(app).await, expected_subjects, "once an hour is enough");
        app.vouches_for(EMAIL).await;
        for _ in 0..2 {
            register(&stranger, "olive@acme.example", "Evil Plumbing").await;
            let known = subjects(app).await;
            assert_eq!(known.iter().filter(|subject| *subject == "You already have an account").count(), 1, "{known:?}");
            assert_eq!(known.iter().filter(|subject| *subject == CONFIRM).count(), 2, "{known:?}");
        }
    }

    async fn cross_site_request_with_session_cookie_is_refused(app) {
        let shop = app.org("Acme Plumbing").await;
        let olive = app.client().signed_in(app, shop.owner()).await;
        for (name, value) in [("sec-fetch-site", "cross-site"), ("sec-fetch-site", "same-site")] {
            let tricked = olive.with(name, value).post("/api/auth/logout", &json!(null)).await;
            assert_eq!(tricked.problem().1, "csrf_refused");
        }
        assert_eq!(olive.get("/api/auth/me").await.status, 200);
    }
}
