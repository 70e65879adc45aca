//! What somebody leaves behind who had the account for a while: a key of a program, or an address that is told of all.

use super::*;

async fn makes_key(app: &TestApp, owner: &Client, name: &str) -> Client {
    let asked = json!({"name": name, "scopes": ["jobs:read"]});
    let made = owner.post("/api/org/acme-plumbing/api-keys", &asked).await;
    assert_eq!(made.status, 201, "{}", made.json());
    app.client().with("authorization", &format!("Bearer {}", made.json()["key"].as_str().unwrap()))
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
    async fn who_made_a_key_is_told_by_mail(app) {
        let olive = olive(app).await;
        makes_key(app, &olive, "Bookkeeping").await;
        assert_eq!(letters(app, EMAIL).await, ["A key for another program was made"]);
        assert_eq!(olive.get("/api/account").await.json()["keys"], json!(1));
    }

    async fn a_new_password_takes_the_keys_away_where_that_is_wanted(app) {
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

    async fn a_password_that_was_forgotten_takes_ones_own_keys_away_and_nobody_elses(app) {
        let olive = olive(app).await;
        let program = makes_key(app, &olive, "Bookkeeping").await;
        let asked = json!({"name": "Olga", "email": "olga@acme.example", "role": "owner"});
        let invite = olive.post("/api/team/invites", &asked).await.json();
        let door = format!("/api/public/invite/{}", invite["link"].as_str().unwrap().rsplit('/').next().unwrap());
        let form = json!({"name": "Olga", "email": "olga@acme.example", "password": PASSWORD});
        let joined = app.client().post(&door, &form).await;
        let olga = app.client().with_session(&joined.session().unwrap());
        let others = makes_key(app, &olga, "Site").await;
        assert_eq!(app.client().post("/api/auth/reset", &json!({ "email": EMAIL })).await.status, 202);
        app.run_tasks().await;
        let is_it = |subject: &str| subject == "Choose a new password";
        let letter = app.mail.accepted().into_iter().find(|letter| is_it(&letter.subject)).unwrap();
        let token = letter.text.split_once("/reset-password#").unwrap().1.split_whitespace().next().unwrap().to_owned();
        let chosen = json!({"token": token, "password": "another copper joint"});
        assert_eq!(app.client().post("/api/auth/reset/confirm", &chosen).await.status, 204);
        assert_eq!((opens(&program).await, opens(&others).await), (401, 200));
        app.run_tasks().await;
    }
}
