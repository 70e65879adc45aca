//! What a temporary intruder leaves in an account: an API key, an address for alerts, or another owner.

use super::{
    mandatory_second_factor::joins,
    password_reset::{NEW, chooses, forgets, mailed},
    *,
};

async fn makes_key(app: &TestApp, owner: &Client, name: &str) -> Client {
    let asked = json!({"name": name, "scopes": ["jobs:read"]});
    let made = owner.post("/api/org/acme-plumbing/api-keys", &asked).await;
    assert_eq!(made.status, 201, "{}", made.json());
    app.client().with("authorization", &format!("Bearer {}", made.json()["key"].as_str().unwrap()))
}

async fn asks(owner: &Client, name: &str) -> String {
    let asked = json!({"name": name, "email": format!("{name}@crew.example"), "role": "owner"});
    let made = owner.post("/api/team/invites", &asked).await;
    assert_eq!(made.status, 201, "{}", made.json());
    format!("/api/public/invite/{}", made.json()["link"].as_str().unwrap().rsplit('/').next().unwrap())
}

async fn makes(owner: &Client, email: &str, change: Value) {
    let team = owner.get("/api/team").await.json();
    let row = team.as_array().unwrap().iter().find(|row| row["email"] == email).unwrap();
    let at = format!("/api/team/{}", row["id"].as_str().unwrap());
    let made = owner.send(Method::PATCH, &at, "application/json", change.to_string().into_bytes()).await;
    assert_eq!(made.status, 200, "{}", made.json());
}

async fn opens(program: &Client) -> u16 {
    program.get("/api/jobs").await.status.as_u16()
}

async fn changes(client: &Client, takes_keys_away: bool) -> Answer {
    let (from, to) = if takes_keys_away {
        ("another copper joint", "a third copper joint")
    } else {
        (PASSWORD, "another copper joint")
    };
    let body = json!({"currentPassword": from, "newPassword": to, "takesKeysAway": takes_keys_away});
    client.post("/api/account/password", &body).await
}

both_databases! {
    async fn new_api_key_is_reported_to_its_maker_by_mail(app) {
        let olive = olive(app).await;
        makes_key(app, &olive, "Bookkeeping").await;
        assert_eq!(letters(app, EMAIL).await, ["A key for another program was made"]);
        assert_eq!(olive.get("/api/account").await.json()["keys"], json!(1));
    }

    async fn owners_are_mailed_about_invited_and_new_owners(app) {
        let olive = olive(app).await;
        let joined = joins(app, &olive, "olga", "owner").await;
        let (asked, made) = ("Someone was invited to own your business with you", "Your business has another owner");
        assert_eq!(letters(app, EMAIL).await, [asked, made]);
        assert_eq!(letters(app, "olga@crew.example").await, ["Join Acme Plumbing"], "she knows");
        let sent_mail = app.mail.accepted_messages().into_iter().find(|letter| letter.subject == made).unwrap();
        assert!(sent_mail.text.contains("olga is now an owner"), "{}", sent_mail.text);
        assert!(joins(app, &olive, "dave", "office").await.session().is_some());
        assert_eq!(letters(app, EMAIL).await.len(), 2, "the office owns nothing");
        makes(&olive, "dave@crew.example", json!({"role": "owner"})).await;
        makes(&olive, "dave@crew.example", json!({"crewIds": []})).await;
        assert_eq!(letters(app, EMAIL).await, [asked, made, made]);
        assert_eq!(letters(app, "olga@crew.example").await, ["Join Acme Plumbing", made]);
        assert!(joined.session().is_some());
    }

    async fn invitations_end_with_password_reset_or_deactivation_of_their_maker(app) {
        let olive = olive(app).await;
        let olga = app.client().with_session(&joins(app, &olive, "olga", "owner").await.session().unwrap());
        let (hers, others) = (asks(&olive, "eve").await, asks(&olga, "pat").await);
        forgets(&app.client(), EMAIL).await;
        let token = mailed(app, EMAIL).await;
        let stand = async || {
            let stranger = app.client();
            (stranger.get(&hers).await.status.as_u16(), stranger.get(&others).await.status.as_u16())
        };
        assert_eq!(stand().await, (200, 200), "asking changes nothing");
        assert_eq!(chooses(&app.client(), &token, NEW).await.status, 204);
        assert_eq!(stand().await, (404, 200));
        let signed = login(&app.client(), EMAIL, NEW).await;
        let olive = app.client().with_session(&signed.session().unwrap());
        makes(&olive, "olga@crew.example", json!({"isActive": false})).await;
        assert_eq!(stand().await, (404, 404));
        app.run_tasks().await;
    }

    async fn refused_api_keys_are_logged_once_per_network_and_hour(app) {
        let stranger = app.client().with("authorization", &format!("Bearer tbk_{}", "A".repeat(43)));
        let tries = async |last: std::ops::Range<u8>| {
            for n in last {
                assert_eq!(stranger.clone().from_address([198, 51, 100, n]).get("/api/jobs").await.status, 401);
            }
            app.count("audit_event WHERE action = 'api_key_refused'").await
        };
        assert_eq!((tries(0..2).await, tries(0..2).await), (2, 2));
        app.advance(Duration::hours(1));
        assert_eq!(tries(0..1).await, 3);
        assert_eq!(tries(1..120).await, 102, "and nobody fills the log: a hundred within the hour");
    }

    async fn password_change_revokes_api_keys_only_on_request(app) {
        let olive = olive(app).await;
        let program = makes_key(app, &olive, "Bookkeeping").await;
        let changed = changes(&olive, false).await;
        assert_eq!((changed.status.as_u16(), opens(&program).await), (204, 200), "the bookkeeping goes on");
        let olive = olive.with_session(&changed.session().unwrap());
        let changed = changes(&olive, true).await;
        assert_eq!((changed.status.as_u16(), opens(&program).await), (204, 401));
        let olive = olive.with_session(&changed.session().unwrap());
        assert_eq!(olive.get("/api/account").await.json()["keys"], json!(0));
        app.run_tasks().await;
    }

    async fn password_reset_revokes_own_api_keys_only(app) {
        let olive = olive(app).await;
        let program = makes_key(app, &olive, "Bookkeeping").await;
        let asked = json!({"name": "Olga", "email": "olga@acme.example", "role": "owner"});
        let invite = olive.post("/api/team/invites", &asked).await.json();
        let invite_path = format!("/api/public/invite/{}", invite["link"].as_str().unwrap().rsplit('/').next().unwrap());
        let form = json!({"name": "Olga", "email": "olga@acme.example", "password": PASSWORD});
        let invite_path = app.mailed_invite_path(&invite_path, "olga@acme.example").await;
        let joined = app.client().post(&invite_path, &form).await;
        let olga = app.client().with_session(&joined.session().unwrap());
        let others = makes_key(app, &olga, "Site").await;
        assert_eq!(app.client().post("/api/auth/reset", &json!({ "email": EMAIL })).await.status, 202);
        app.run_tasks().await;
        let is_it = |subject: &str| subject == "Choose a new password";
        let letter = app.mail.accepted_messages().into_iter().find(|letter| is_it(&letter.subject)).unwrap();
        let token = letter.text.split_once("/reset-password#").unwrap().1.split_whitespace().next().unwrap().to_owned();
        let chosen = json!({"token": token, "password": "another copper joint"});
        assert_eq!(app.client().post("/api/auth/reset/confirm", &chosen).await.status, 204);
        assert_eq!((opens(&program).await, opens(&others).await), (401, 200));
        app.run_tasks().await;
    }
}
