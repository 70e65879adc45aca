//! Network addresses in sessions, audit lines and consents: the asker's by the rule of trusted proxies, never what a
//! header claims that anyone can write.

use api::ApiConfig;
use shared::platform::db::q;
use tests::http::Multipart;

use super::*;

const FORGED: &str = "198.51.100.66";
const OWN: &str = "203.0.113.77";

fn forging(client: &Client) -> Client {
    let forged = [
        ("forwarded", "for=198.51.100.66"),
        ("x-real-ip", FORGED),
        ("cf-connecting-ip", FORGED),
        ("true-client-ip", FORGED),
    ];
    forged.into_iter().fold(client.clone(), |client, (name, value)| client.with(name, value))
}

/// All addresses that were recorded anywhere.
async fn recorded(app: &TestApp) -> Vec<String> {
    let sql = "SELECT ip FROM session WHERE ip IS NOT NULL UNION SELECT ip FROM audit_event WHERE ip IS NOT NULL
        UNION SELECT ip FROM consent WHERE ip IS NOT NULL ORDER BY 1";
    q!(&mut app.db.acquire_reader().await.unwrap(), fetch_all scalar String, sql).unwrap()
}

/// Registers, guesses a password, signs in, and asks for work.
async fn acts(app: &TestApp, client: &Client) {
    assert_eq!(register(client, EMAIL, "Acme Plumbing").await.status, 201);
    app.vouches_for(EMAIL).await;
    assert_eq!(login(client, EMAIL, "not the password").await.status, 401);
    assert_eq!(login(client, EMAIL, PASSWORD).await.status, 200);
    assert_eq!(client.post_form("/api/leads/create", Multipart::ann("acme-plumbing")).await.status, 201);
    app.run_tasks().await;
}

both_databases! {
    async fn forged_forwarding_headers_are_recorded_nowhere(app) {
        acts(app, &forging(&app.client()).with("x-forwarded-for", FORGED)).await;
        assert_eq!(recorded(app).await, [OWN]);
        assert!(!app.mail.accepted_messages().iter().any(|letter| format!("{letter:?}").contains(FORGED)));
    }

    async fn address_behind_a_trusted_proxy_is_the_one_that_the_proxy_saw(app) {
        let trusted_proxies = vec!["203.0.113.0/24".parse().unwrap()];
        let config = ApiConfig { trusted_proxies, floor: std::time::Duration::ZERO, ..ApiConfig::default() };
        let through_proxy = forging(&app.client_as(config)).with("x-forwarded-for", "198.51.100.66, 192.0.2.44");
        acts(app, &through_proxy).await;
        assert_eq!(recorded(app).await, ["192.0.2.44"]);
    }
}
