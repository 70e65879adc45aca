//! The keys of a browser's offline storage: given only to the live session, encrypted at rest, and deleted with the
//! session.

use axum::http::Method;
use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};
use shared::{
    domain::tenancy::{
        account::Role,
        api_key::{self, ApiKeyForm, ApiScope},
        session::store_key,
    },
    ops::key_rotation::{self, mark},
    platform::{db::q, error::Error, secret::SecretKey},
};
use tests::{
    app::TestApp,
    both_databases,
    http::{Answer, Client},
    log,
    people::{Person, Shop},
};
use uuid::Uuid;

const PATH: &str = "/api/account/offline-keys";
const PHONE: Uuid = Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_0000_0001);
const TABLET: Uuid = Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_0000_0002);

async fn ask(client: &Client, store: Uuid) -> Answer {
    client.post(PATH, &json!({ "storeId": store })).await
}

async fn keys(client: &Client, store: Uuid) -> (String, String) {
    let answer = ask(client, store).await;
    assert_eq!(answer.status, 200, "{}", answer.json());
    let key = |name: &str| answer.json()[name].as_str().unwrap().to_owned();
    for name in ["storeKey", "unsentKey"] {
        assert_eq!(STANDARD.decode(key(name)).unwrap().len(), 32, "{name}");
    }
    (key("storeKey"), key("unsentKey"))
}

async fn delete(client: &Client, path: &str) -> Answer {
    client.send(Method::DELETE, path, "", Vec::new()).await
}

async fn dave(app: &TestApp, shop: &Shop) -> (Person, Client) {
    let dave = app.staff(shop, Role::Crew).await;
    let client = app.client().signed_in(app, &dave).await;
    (dave, client)
}

async fn removed_from_the_team(owner: &Client, member: &Person) {
    let body = json!({"isActive": false}).to_string().into_bytes();
    let answer = owner.send(Method::PATCH, &format!("/api/team/{}", member.id), "application/json", body).await;
    assert_eq!(answer.status, 200, "{}", answer.json());
}

both_databases! {
    async fn live_session_gets_stable_keys_and_each_browser_its_own(app) {
        let shop = app.org("Acme Plumbing").await;
        let (person, phone) = dave(app, &shop).await;
        let answer = ask(&phone, PHONE).await.json();
        assert_eq!((&answer["accountId"], &answer["orgId"], &answer["leaseSeconds"]), (&json!(person.id), &json!(shop.id()), &json!(12 * 3600)));
        let first = keys(&phone, PHONE).await;
        assert_eq!(keys(&phone, PHONE).await, first);
        let tablet = app.client().signed_in(app, &person).await;
        let other = keys(&tablet, TABLET).await;
        assert!(other.0 != first.0 && other.1 != first.1 && first.0 != first.1);
        let (_, colleague) = dave(app, &shop).await;
        assert_ne!(keys(&colleague, PHONE).await.1, first.1, "the browser's name opens nothing for another person");
    }

    async fn ended_session_gets_no_keys_and_new_session_keeps_unsent_work_key(app) {
        let shop = app.org("Acme Plumbing").await;
        let (person, phone) = dave(app, &shop).await;
        let before = keys(&phone, PHONE).await;
        let desk = app.client().signed_in(app, &person).await;
        assert_eq!(delete(&desk, "/api/account/devices").await.status, 204);
        assert_eq!(ask(&phone, PHONE).await.status, 401);
        let again = app.client().signed_in(app, &person).await;
        let after = keys(&again, PHONE).await;
        assert_ne!(after.0, before.0, "data of the ended session stays unreadable");
        assert_eq!(after.1, before.1, "unsent work can be sent");
        assert_eq!(again.post("/api/auth/logout", &json!({})).await.status, 204);
        assert_eq!(ask(&again, PHONE).await.status, 401);
        assert_eq!(ask(&app.client(), PHONE).await.status, 401, "nor does a visitor");
    }

    async fn removal_from_team_deletes_all_keys(app) {
        let shop = app.org("Acme Plumbing").await;
        let (person, phone) = dave(app, &shop).await;
        keys(&phone, PHONE).await;
        let owner = app.client().signed_in(app, shop.owner()).await;
        removed_from_the_team(&owner, &person).await;
        assert_eq!(ask(&phone, PHONE).await.status, 401);
        assert_eq!(app.count("offline_store_key").await, 0);
        let sql = "SELECT COUNT(*) FROM session WHERE account_id = $1";
        assert_eq!(q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar i64, sql, person.id).unwrap(), 0);
    }

    async fn session_ended_before_the_answer_gets_no_keys(app) {
        let shop = app.org("Acme Plumbing").await;
        let (person, _) = dave(app, &shop).await;
        let token = app.signs_in(&person).await;
        app.within(async |tx| shared::domain::tenancy::session::revoke_session(tx, &token).await).await.unwrap();
        let of = (shop.id(), person.id, token.as_str());
        let given = app.within(async |tx| store_key::issue_store_keys(tx, &app.origin, &app.settings.secret, of, PHONE).await).await;
        assert!(matches!(given, Err(Error::NotFound)), "{given:?}");
        let token = app.signs_in(&person).await;
        let best = app.org("Best Roofing").await;
        let of = (best.id(), person.id, token.as_str());
        let given = app.within(async |tx| store_key::issue_store_keys(tx, &app.origin, &app.settings.secret, of, PHONE).await).await;
        assert!(matches!(given, Err(Error::NotFound)), "under another business: {given:?}");
    }

    async fn api_key_and_demo_viewer_get_no_keys(app) {
        let shop = app.org("Acme Plumbing").await;
        let form = ApiKeyForm { name: Some("Everything".to_owned()), scopes: ApiScope::ALL.to_vec() };
        let by = (shop.owner().id, "Olivia Owner");
        let made = app.within(async |tx| api_key::create(tx, &app.origin, shop.id(), by, &form).await).await.unwrap();
        let program = app.client().with("authorization", &format!("Bearer {}", made.key));
        assert_eq!(ask(&program, PHONE).await.status, 403);
        let viewer = app.client().signed_in(app, shop.owner()).await.with("x-toolbox-demo", "1");
        assert_ne!(ask(&viewer, PHONE).await.status, 200);
        assert_eq!(app.count("offline_store_key").await, 0);
    }

    async fn lease_follows_owner_setting_and_other_values_are_refused(app) {
        let shop = app.org("Acme Plumbing").await;
        let (_, phone) = dave(app, &shop).await;
        let owner = app.client().signed_in(app, shop.owner()).await;
        let set = async |hours: Value| {
            let body = json!({"devices": {"offlineHours": hours}}).to_string().into_bytes();
            owner.send(Method::PATCH, "/api/org/acme-plumbing/settings", "application/json", body).await
        };
        for hours in [0, 1, 72] {
            assert_eq!(set(json!(hours)).await.json()["devices"]["offlineHours"], json!(hours));
            assert_eq!(ask(&phone, PHONE).await.json()["leaseSeconds"], json!(hours * 3600));
        }
        for wrong in [-1, 2, 73, 100_000] {
            assert_eq!(set(json!(wrong)).await.problem().2, ["devices.offlineHours"], "{wrong}");
        }
    }

    async fn key_requests_are_rate_limited_per_session_for_an_hour(app) {
        let shop = app.org("Acme Plumbing").await;
        let (person, phone) = dave(app, &shop).await;
        for _ in 0..120 {
            assert_eq!(ask(&phone, PHONE).await.status, 200);
        }
        assert_eq!(ask(&phone, PHONE).await.status, 429);
        let tablet = app.client().signed_in(app, &person).await;
        assert_eq!(ask(&tablet, TABLET).await.status, 200);
        app.advance(chrono::Duration::minutes(61));
        assert_eq!(ask(&phone, PHONE).await.status, 200);
        let tablet = app.client().signed_in(app, &person).await;
        for number in 0..40_u128 {
            assert_eq!(ask(&tablet, Uuid::from_u128(number + 1)).await.status, 200);
        }
        assert_eq!(app.count("offline_store_key").await, 32, "the number of keys is limited");
        for body in [json!({}), json!({"storeId": "x"}), json!({"storeId": 7}), json!({"storeId": null})] {
            let refused = phone.post(PATH, &body).await;
            assert!(refused.status == 422 || refused.status == 400, "{body}: {}", refused.status);
        }
    }

    async fn browser_whose_key_is_lost_gets_a_new_one(app) {
        let shop = app.org("Acme Plumbing").await;
        let (person, phone) = dave(app, &shop).await;
        let given = keys(&phone, PHONE).await;
        let token = app.signs_in(&person).await;
        let (of, ring, old) = ((shop.id(), person.id, token.as_str()), SecretKey::new([9; 32]), app.settings.secret.clone());
        let asks = async || app.within(async |tx| store_key::issue_store_keys(tx, &app.origin, &ring, of, PHONE).await).await;
        app.within(async |tx| mark::replace_key_mark(tx, &app.origin, &old).await).await.unwrap();
        let refused = asks().await;
        assert!(matches!(refused, Err(Error::Internal(_))), "a program with another key replaces nothing: {refused:?}");
        app.within(async |tx| mark::replace_key_mark(tx, &app.origin, &ring).await).await.unwrap();
        let first = asks().await.unwrap().to_base64();
        assert_ne!(first.1, given.1);
        assert_eq!(asks().await.unwrap().to_base64(), first, "and keeps it");
    }

    async fn keys_are_sealed_at_rest_unlogged_and_resealed_by_rotation(app) {
        let log = log::kept();
        let shop = app.org("Acme Plumbing").await;
        let (person, phone) = dave(app, &shop).await;
        let given = keys(&phone, PHONE).await;
        let sql = "SELECT store_key FROM session WHERE account_id = $1 AND store_key IS NOT NULL";
        let sealed = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar Vec<u8>, sql, person.id).unwrap();
        let plain = STANDARD.decode(&given.0).unwrap();
        assert!(!sealed.windows(plain.len()).any(|part| part == plain));
        for key in [&given.0, &given.1] {
            assert!(!log.text().contains(key.as_str()));
        }

        let old: [u8; 32] = {
            use sha2::Digest as _;
            sha2::Sha256::digest(b"the secret of all stories, which is none").into()
        };
        let ring = SecretKey::new([9; 32]).with_old_keys([old]);
        let report = key_rotation::rotate_secret_key(&app.db, &app.origin, &ring).await.unwrap();
        assert_eq!((report.offline_keys.renewed, report.lost_count()), (2, 0), "{report:?}");
        let token = app.signs_in(&person).await;
        let of = (shop.id(), person.id, token.as_str());
        let alone = SecretKey::new([9; 32]);
        let after = app.within(async |tx| store_key::issue_store_keys(tx, &app.origin, &alone, of, PHONE).await).await.unwrap();
        assert_eq!(after.to_base64().1, given.1, "the new key alone opens what is not sent");
    }
}
