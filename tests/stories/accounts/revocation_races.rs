//! Requests that are under way when their basis is removed have no effect: a sign-in whose password was being
//! checked, an invitation that was being accepted, a key that was being created (trust requirements 53, 55 and 57).

use shared::{domain::tenancy::session, platform::id::OrgId};

use super::{
    mandatory_second_factor::{joins, wants},
    password_reset::{NEW, chooses, forgets, mailed},
    *,
};

/// The answer of `asked`, whose password check of this client is held back until `action` is done.
async fn meanwhile(client: &Client, asked: impl Future<Output = Answer>, action: impl Future<Output = ()>) -> Answer {
    let mut pause = client.hasher().pause_hashing().await.unwrap();
    let done = async {
        pause.wait_for_request().await.unwrap();
        action.await;
        drop(pause);
    };
    tokio::join!(asked, done).0
}

/// The answer of a sign-in whose password was right when it began.
async fn late(app: &TestApp, email: &str, action: impl Future<Output = ()>) -> Answer {
    let client = app.client();
    meanwhile(&client, login(&client, email, PASSWORD), action).await
}

fn opens_nothing(answer: &Answer) {
    assert_eq!((answer.problem().1.as_str(), answer.session()), ("invalid_credentials", None));
}

fn asks_for(answer: &Answer, step: &str) {
    assert_eq!((answer.status.as_u16(), answer.json()["step"].as_str(), answer.session()), (202, Some(step), None));
}

both_databases! {
    async fn sign_in_concurrent_with_password_reset_gets_no_session(app) {
        olive(app).await;
        forgets(&app.client(), EMAIL).await;
        let token = mailed(app, EMAIL).await;
        let answer = late(app, EMAIL, async {
            assert_eq!(chooses(&app.client(), &token, NEW).await.status, 204);
        }).await;
        opens_nothing(&answer);
        assert_eq!(app.count("session").await, 0);
        assert_eq!(login(&app.client(), EMAIL, NEW).await.status, 200);
        app.run_tasks().await;
    }

    async fn sign_in_concurrent_with_password_change_gets_no_session(app) {
        let olive = olive(app).await;
        let answer = late(app, EMAIL, async {
            let change = json!({"currentPassword": PASSWORD, "newPassword": NEW});
            assert_eq!(olive.post("/api/account/password", &change).await.status, 204);
        }).await;
        opens_nothing(&answer);
        assert_eq!(app.count("session").await, 1, "her own");
        app.run_tasks().await;
    }

    async fn sign_in_concurrent_with_second_factor_set_up_is_asked_for_code(app) {
        let olive = olive(app).await;
        let answer = late(app, EMAIL, async {
            sets_up(app, &olive).await;
        }).await;
        asks_for(&answer, "code");
        assert_eq!(app.count("session").await, 1, "her own");
        app.run_tasks().await;
    }

    async fn sign_in_concurrent_with_second_factor_mandate_must_set_it_up(app) {
        let olive = sets_up(app, &olive(app).await).await;
        assert_eq!(joins(app, &olive.client, "dave", "office").await.status, 201);
        let answer = late(app, "dave@crew.example", async {
            assert_eq!(wants(&olive.client, true).await.status, 204);
        }).await;
        asks_for(&answer, "set_up");
        assert_eq!(app.count("session").await, 1, "the owner's");
        app.run_tasks().await;
    }

    async fn sign_in_concurrent_with_deactivation_gets_no_session(app) {
        let olive = olive(app).await;
        assert_eq!(joins(app, &olive, "dave", "office").await.status, 201);
        let team = olive.get("/api/team").await.json();
        let row = team.as_array().unwrap().iter().find(|row| row["email"] == "dave@crew.example").unwrap();
        let at = format!("/api/team/{}", row["id"].as_str().unwrap());
        let answer = late(app, "dave@crew.example", async {
            let body = json!({"isActive": false}).to_string().into_bytes();
            assert_eq!(olive.send(Method::PATCH, &at, "application/json", body).await.status, 200);
        }).await;
        opens_nothing(&answer);
        assert_eq!(app.count("session").await, 1, "the owner's");
        app.run_tasks().await;
    }

    async fn invitation_accepted_during_reset_of_its_maker_is_refused(app) {
        let olive = olive(app).await;
        forgets(&app.client(), EMAIL).await;
        let token = mailed(app, EMAIL).await;
        let asked = json!({"name": "Eve", "email": "eve@crew.example", "role": "owner"});
        let invite = olive.post("/api/team/invites", &asked).await.json();
        let invite_path = format!("/api/public/invite/{}", invite["link"].as_str().unwrap().rsplit('/').next().unwrap());
        let form = json!({"name": "Eve", "email": "eve@crew.example", "password": PASSWORD});
        let eve = app.client();
        let invite_path = app.mailed_invite_path(&invite_path, "eve@crew.example").await;
        let answer = meanwhile(&eve, eve.post(&invite_path, &form), async {
            assert_eq!(chooses(&app.client(), &token, NEW).await.status, 204);
        }).await;
        assert_eq!((answer.status.as_u16(), answer.session()), (404, None));
        assert_eq!(app.count("account").await, 1);
        app.run_tasks().await;
    }

    async fn api_keys_created_during_password_reset_are_all_revoked(app) {
        let thief = olive(app).await;
        forgets(&app.client(), EMAIL).await;
        let token = mailed(app, EMAIL).await;
        let at = "/api/org/acme-plumbing/api-keys";
        let makes_keys = async {
            let asked = json!({"name": "Mine", "scopes": ["jobs:read"]});
            let mut made = thief.post(at, &asked).await;
            while made.status != 401 {
                assert_eq!(made.status, 201, "{}", made.json());
                // The limit is twenty.
                let last = format!("{at}/{}", made.json()["id"].as_str().unwrap());
                thief.send(Method::DELETE, &last, "", Vec::new()).await;
                made = thief.post(at, &asked).await;
            }
        };
        let stranger = app.client();
        let (reset, ()) = tokio::join!(chooses(&stranger, &token, NEW), makes_keys);
        assert_eq!(reset.status, 204);
        assert_eq!(app.count("api_key WHERE revoked_at IS NULL").await, 0);
        app.run_tasks().await;
    }

    async fn ended_session_cannot_be_held(app) {
        let (shop, other) = (app.org("Acme Plumbing").await, app.org("Best Roofing").await);
        let token = app.signs_in(shop.owner()).await;
        let is_held = async |org: OrgId| {
            let held = app.within(async |tx| session::lock_by_token(tx, app.now(), org, &token).await).await;
            held.unwrap().is_some()
        };
        assert_eq!((is_held(shop.id()).await, is_held(other.id()).await), (true, false));
        app.within(async |tx| session::revoke_all_sessions(tx, shop.id(), shop.owner().id).await).await.unwrap();
        assert!(!is_held(shop.id()).await);
    }
}
