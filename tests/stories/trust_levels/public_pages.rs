//! Public pages of a business whose owner has not confirmed the address: they say so, and take few requests a day.

use shared::domain::tenancy::{org, trust_level::public_requests::REQUESTS_A_DAY};
use tests::http::Multipart;

use super::*;

async fn slug_of(app: &TestApp, owner: &Client) -> String {
    let id = org_of(owner).await;
    org::find(&mut app.db.acquire_reader().await.unwrap(), id).await.unwrap().unwrap().slug
}

/// Whether the form says it, and what the owner sees of it.
async fn mark(app: &TestApp, owner: &Client, slug: &str) -> (bool, Value) {
    let form = app.client().get(&format!("/api/public/form?org={slug}")).await.json();
    (form["isEmailUnconfirmed"].as_bool().unwrap(), trust(owner).await["publicRequestsADay"].clone())
}

async fn asks(client: &Client, slug: &str, n: i64) -> Answer {
    let form = Multipart::ann(slug)
        .text("phone", &format!("(512) 555-{:04}", 1000 + n))
        .text("email", &format!("v{n}@customer.example"));
    client.post_form("/api/leads/create", form).await
}

both_databases! {
    async fn form_of_unproven_business_says_so_until_the_proof(app) {
        app.org("Acme Plumbing").await;
        let owner = registered(app, EMAIL, "City Water Department").await;
        let slug = slug_of(app, &owner).await;
        assert_eq!(mark(app, &owner, &slug).await, (true, json!(REQUESTS_A_DAY)));
        assert!(!mark(app, &owner, "acme-plumbing").await.0, "another business is proven");
        assert_eq!(proves(&owner, &mailed(app, EMAIL).await).await.status, 200);
        assert_eq!(mark(app, &owner, &slug).await, (false, Value::Null));
        app.run_tasks().await;
    }

    async fn unproven_business_takes_twenty_requests_a_day_and_answers_nobody(app) {
        app.org("Acme Plumbing").await;
        let owner = registered(app, EMAIL, "City Water Department").await;
        let slug = slug_of(app, &owner).await;
        let stranger = app.client().here();
        let first = stranger.with("idempotency-key", "the-first-of-the-day");
        assert_eq!(asks(&first, &slug, 0).await.status, 201);
        for n in 1..REQUESTS_A_DAY {
            assert_eq!(asks(&stranger, &slug, n).await.status, 201, "{n}");
        }
        let refused = asks(&stranger, &slug, 90).await;
        assert_eq!((refused.status.as_u16(), refused.problem().1.as_str()), (429, "business_unconfirmed"));
        let wait: i64 = refused.header("retry-after").parse().unwrap();
        assert!((1..=86_400).contains(&wait), "{wait}");
        let detail = refused.json()["detail"].as_str().unwrap().to_owned();
        assert_eq!(detail, "This business has not confirmed its email address yet, and takes no more requests today.");
        let quote = json!({"customerName": "Ann Lee", "email": "ann@customer.example", "serviceType": "plumbing", "orgId": slug});
        let quoted = stranger.post("/api/quotes/create", &quote).await;
        assert_eq!((quoted.status.as_u16(), quoted.problem().1.as_str()), (429, "business_unconfirmed"));
        assert_eq!(asks(&first, &slug, 0).await.status, 201, "a repeat of one that was taken");
        assert_eq!(asks(&stranger, "acme-plumbing", 91).await.status, 201, "another business has its own day");
        app.run_tasks().await;
        let org = org_of(&owner).await;
        let outside = "SELECT COUNT(*) FROM message WHERE org_id = $1 AND status IN ('sending', 'sent', 'delivered', 'failed', 'unknown') AND to_address <> $2";
        let left = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar i64, outside, org, EMAIL).unwrap();
        assert_eq!(left, 0, "nothing goes to the visitors");
        app.advance(Duration::days(1));
        assert_eq!(asks(&stranger, &slug, 92).await.status, 201, "the next day");
        app.run_tasks().await;
    }

    async fn proven_business_takes_more_requests_than_an_unproven_one(app) {
        app.org("Acme Plumbing").await;
        let owner = registered(app, EMAIL, "Roofs").await;
        let slug = slug_of(app, &owner).await;
        let stranger = app.client().here();
        for n in 0..REQUESTS_A_DAY {
            assert_eq!(asks(&stranger, &slug, n).await.status, 201, "{n}");
        }
        assert_eq!(asks(&stranger, &slug, 90).await.status, 429);
        assert_eq!(proves(&owner, &mailed(app, EMAIL).await).await.status, 200);
        assert_eq!(asks(&stranger, &slug, 90).await.status, 201);
        app.run_tasks().await;
    }

    async fn registration_sends_one_mail_that_repeats_no_sentence(app) {
        app.org("Acme Plumbing").await;
        let typed = json!({"name": "Call Mallory at once", "email": EMAIL, "password": PASSWORD,
            "orgName": "Your water is shut off today"});
        assert_eq!(app.client().post("/api/auth/register", &typed).await.status, 201);
        app.run_tasks().await;
        let letters = app.mail.accepted_messages();
        let [letter] = letters.as_slice() else { panic!("one mail: {letters:?}") };
        assert_eq!((letter.to.as_str(), letter.subject.as_str()), (EMAIL, "Confirm your email address"));
        assert!(letter.text.contains("a business on Toolbox"), "{}", letter.text);
        for part in ["Mallory", "shut off"] {
            assert!(!format!("{letter:?}").contains(part), "{part}: {letter:?}");
        }
    }
}
