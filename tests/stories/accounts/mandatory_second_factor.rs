//! A second factor that the owner requires of all members.

use sha2::{Digest, Sha256};

use super::{
    known_browsers::{remembered, uses_up},
    *,
};

pub(super) async fn wants(owner: &Client, is_required: bool) -> Answer {
    let body = json!({ "isRequired": is_required }).to_string().into_bytes();
    owner.send(Method::PUT, "/api/team/second-factor", "application/json", body).await
}

pub(super) async fn joins(app: &TestApp, owner: &Client, name: &str, role: &str) -> Answer {
    let asked = json!({"name": name, "email": format!("{name}@crew.example"), "role": role});
    let invite = owner.post("/api/team/invites", &asked).await.json();
    let token = invite["link"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    let form = json!({"name": name, "email": format!("{name}@crew.example"), "password": PASSWORD});
    let invite_path =
        app.mailed_invite_path(&format!("/api/public/invite/{token}"), &format!("{name}@crew.example")).await;
    app.client().post(&invite_path, &form).await
}

both_databases! {
    async fn second_factor_requirement_needs_owner_to_have_one(app) {
        let olive = olive(app).await;
        let refused = wants(&olive, true).await;
        assert_eq!((refused.status.as_u16(), refused.json()["detail"].as_str()), (409, Some("Turn on two-step sign-in for yourself first.")));
        let empty = olive.send(Method::PUT, "/api/team/second-factor", "application/json", b"{}".to_vec()).await;
        assert_eq!(empty.problem().2, ["isRequired"]);
    }

    async fn requirement_signs_out_members_without_factor_until_set_up(app) {
        let olive = sets_up(app, &olive(app).await).await;
        let joined = joins(app, &olive.client, "dave", "office").await;
        assert_eq!(joined.status, 201, "{}", joined.json());
        let dave = app.client().with_session(&joined.session().unwrap());
        assert_eq!(wants(&olive.client, true).await.status, 204);
        assert_eq!((dave.get("/api/auth/me").await.status.as_u16(), olive.client.get("/api/auth/me").await.status.as_u16()), (401, 200));
        let off = olive.client.send(Method::DELETE, "/api/account/second-factor", "", Vec::new()).await;
        assert_eq!(off.status, 409, "it is asked of the owner too");

        let stranger = app.client();
        let ticket = half_way(&stranger, "dave@crew.example", PASSWORD, "set_up").await;
        assert_eq!(with_code(&stranger, &ticket, "000000").await.status, 404, "a ticket of another kind");
        let made = stranger.post("/api/auth/login/set-up", &json!({ "ticket": ticket })).await.json();
        assert!(made["address"].as_str().unwrap().starts_with("otpauth://totp/Toolbox:dave%40crew.example?secret="), "{made}");
        let secret = totp::TotpSecret::from_base32(made["secret"].as_str().unwrap()).unwrap();
        let confirm = async |code: &str| stranger.post("/api/auth/login/set-up/confirm", &json!({"ticket": ticket, "code": code})).await;
        assert_eq!(confirm("000000").await.problem().2, ["code"]);
        let signed = confirm(&secret.code_at(app.now())).await;
        assert_eq!(signed.status, 200, "{}", signed.json());
        assert_eq!((&signed.json()["user"]["email"], signed.json()["recoveryCodes"].as_array().unwrap().len()), (&json!("dave@crew.example"), 10));
        let dave = stranger.with_session(&signed.session().unwrap());
        assert_eq!(dave.get("/api/account").await.json()["secondFactor"], json!({"isOn": true, "isRequired": true, "recoveryCodesLeft": 10}));
        assert_eq!(confirm(&secret.code_at(app.now())).await.status, 404, "the ticket is used up");
        next_code(app);
        half_way(&stranger, "dave@crew.example", PASSWORD, "code").await;
        assert_eq!(letters(app, "dave@crew.example").await.last().map(String::as_str), Some("Two-step sign-in is on"));
    }

    async fn pending_setup_ticket_is_void_after_second_factor_is_set_up(app) {
        let olive = sets_up(app, &olive(app).await).await;
        assert_eq!(joins(app, &olive.client, "dave", "office").await.status, 201);
        assert_eq!(wants(&olive.client, true).await.status, 204);
        let (dave, thief) = (app.client(), app.client());
        let begins = async |who: &Client| half_way(who, "dave@crew.example", PASSWORD, "set_up").await;
        let (own, other, third) = (begins(&dave).await, begins(&thief).await, begins(&thief).await);
        let sets = async |who: &Client, ticket: &str| who.post("/api/auth/login/set-up", &json!({ "ticket": ticket })).await;
        let confirms = async |who: &Client, ticket: &str, code: &str| {
            who.post("/api/auth/login/set-up/confirm", &json!({"ticket": ticket, "code": code})).await.status.as_u16()
        };
        let secret = sets(&dave, &own).await.json()["secret"].as_str().unwrap().to_owned();
        let secret = totp::TotpSecret::from_base32(&secret).unwrap();
        assert_eq!(confirms(&dave, &own, &secret.code_at(app.now())).await, 200);
        assert_eq!(sets(&thief, &other).await.status, 404, "it is over with the first code");
        // Also if one of the tickets had been left.
        let hash = Sha256::digest(third.as_bytes()).to_vec();
        let put_back = "INSERT INTO one_time_token (token_hash, org_id, account_id, purpose, created_at, expires_at)
             SELECT $1, org_id, id, 'set_up', $2, $3 FROM account WHERE email = 'dave@crew.example'";
        let (now, late) = (app.now(), app.now() + Duration::minutes(30));
        app.within(async |tx| Ok(shared::q!(tx, execute, put_back, hash.clone(), now, late)?)).await.unwrap();
        assert_eq!(sets(&thief, &third).await.status, 404, "and there is one already");
        next_code(app);
        assert_eq!(confirms(&thief, &third, &secret.code_at(app.now())).await, 404);
        half_way(&dave, "dave@crew.example", PASSWORD, "code").await;
        app.run_tasks().await;
    }

    async fn invitee_sets_up_required_second_factor_before_getting_session(app) {
        let olive = sets_up(app, &olive(app).await).await;
        assert_eq!(wants(&olive.client, true).await.status, 204);
        let joined = joins(app, &olive.client, "kim", "owner").await;
        assert_eq!((joined.status.as_u16(), joined.session(), joined.json()["step"].as_str()), (202, None, Some("set_up")));
        let ticket = joined.json()["ticket"].clone();
        let stranger = app.client().with("cookie", &remembered(&joined));
        uses_up(app, "kim@crew.example").await;
        assert_eq!(login(&app.client(), "kim@crew.example", PASSWORD).await.problem().1, "sign_in_held");
        half_way(&stranger, "kim@crew.example", PASSWORD, "set_up").await;
        let made = stranger.post("/api/auth/login/set-up", &json!({ "ticket": ticket })).await.json();
        let secret = totp::TotpSecret::from_base32(made["secret"].as_str().unwrap()).unwrap();
        let sent = json!({"ticket": ticket, "code": secret.code_at(app.now())});
        let signed = stranger.post("/api/auth/login/set-up/confirm", &sent).await;
        assert_eq!((signed.status.as_u16(), &signed.json()["user"]["role"]), (200, &json!("owner")));
        app.run_tasks().await;
    }

    async fn second_factor_can_be_turned_off_after_requirement_is_lifted(app) {
        let olive = sets_up(app, &olive(app).await).await;
        assert_eq!(wants(&olive.client, true).await.status, 204);
        assert_eq!(wants(&olive.client, false).await.status, 204);
        let off = olive.client.send(Method::DELETE, "/api/account/second-factor", "", Vec::new()).await;
        assert_eq!(off.status, 204);
        app.run_tasks().await;
    }

    async fn second_factor_of_locked_out_member_is_reset_only_by_owner(app) {
        let olive = sets_up(app, &olive(app).await).await;
        let joined = joins(app, &olive.client, "dave", "office").await;
        let dave = sets_up(app, &app.client().with_session(&joined.session().unwrap())).await;
        let team = olive.client.get("/api/team").await.json();
        let row = team.as_array().unwrap().iter().find(|row| row["email"] == "dave@crew.example").unwrap().clone();
        assert_eq!(row["twoFactorEnabled"], true);
        let at = format!("/api/team/{}/second-factor", row["id"].as_str().unwrap());
        let forgets = async |client: &Client, at: &str| client.send(Method::DELETE, at, "", Vec::new()).await.status.as_u16();
        assert_eq!(forgets(&dave.client, &at).await, 403, "the office does not");
        let own = olive.client.get("/api/auth/me").await.json()["id"].as_str().unwrap().to_owned();
        assert_eq!(forgets(&olive.client, &format!("/api/team/{own}/second-factor")).await, 409);
        assert_eq!(forgets(&olive.client, &at).await, 204);
        assert_eq!(dave.client.get("/api/auth/me").await.status, 401);
        assert_eq!(login(&app.client(), "dave@crew.example", PASSWORD).await.status, 200);
        assert_eq!(forgets(&olive.client, &at).await, 409, "there is none");
        assert_eq!(wants(&olive.client, true).await.status, 204);
        half_way(&app.client(), "dave@crew.example", PASSWORD, "set_up").await;
        assert!(letters(app, "dave@crew.example").await.contains(&"Two-step sign-in is off".to_owned()));
    }
}
