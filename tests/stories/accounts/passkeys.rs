//! Passkeys: added, used in place of password and code, and removed.

use shared::platform::throttle::{self, WindowLimit};
use tests::authenticator::Authenticator;

use super::{
    known_browsers::{guesses, remembered},
    password_reset::{NEW, chooses, forgets, mailed},
    *,
};

struct Begun {
    client: Client,
    challenge: String,
    options: Value,
}

async fn begins(client: &Client) -> Begun {
    let begun = client.post("/api/auth/passkey/challenge", &Value::Null).await;
    assert_eq!(begun.status, 201, "{}", begun.json());
    let cookie = begun.header("set-cookie").split(';').next().unwrap().to_owned();
    assert!(cookie.starts_with("__Host-pkc="), "{cookie}");
    let json = begun.json();
    let challenge = json["challenge"].as_str().unwrap().to_owned();
    Begun { client: client.with("cookie", &cookie), challenge, options: json["publicKey"].clone() }
}

impl Begun {
    async fn answers(&self, credential: &Value) -> Answer {
        self.client.post("/api/auth/passkey", &json!({"challenge": self.challenge, "credential": credential})).await
    }
}

async fn signs_in(client: &Client, with: &mut Authenticator) -> Answer {
    let begun = begins(client).await;
    begun.answers(&with.get(&begun.options)).await
}

async fn adds(client: &Client, name: &str, one: &mut Authenticator) -> Answer {
    let begun = client.post("/api/account/passkeys/challenge", &Value::Null).await.json();
    let credential = one.create(&begun["publicKey"]);
    client
        .post(
            "/api/account/passkeys",
            &json!({"challenge": begun["challenge"], "name": name, "credential": credential}),
        )
        .await
}

async fn proves(client: &Client, with: &mut Authenticator) -> Answer {
    let begun = client.post("/api/auth/prove/passkey/challenge", &Value::Null).await;
    if begun.status != 201 {
        return begun;
    }
    let begun = begun.json();
    let credential = with.get(&begun["publicKey"]);
    client.post("/api/auth/prove/passkey", &json!({"challenge": begun["challenge"], "credential": credential})).await
}

fn opens_nothing(answer: &Answer) {
    assert_eq!((answer.problem().1.as_str(), answer.session()), ("invalid_credentials", None), "{}", answer.json());
}

both_databases! {
    async fn passkey_signs_in_without_code_while_password_needs_one(app) {
        let olive = sets_up(app, &olive(app).await).await;
        let mut phone = Authenticator::new();
        let added = adds(&olive.client, "Work phone", &mut phone).await;
        assert_eq!((added.status.as_u16(), &added.json()["name"]), (201, &json!("Work phone")), "{}", added.json());
        assert!(letters(app, EMAIL).await.contains(&"A passkey was added".to_owned()));
        let stranger = app.client().from_address([192, 0, 2, 7]);
        let signed = signs_in(&stranger, &mut phone).await;
        assert_eq!((signed.status.as_u16(), &signed.json()["email"]), (200, &json!(EMAIL)), "{}", signed.json());
        let inside = stranger.with_session(&signed.session().unwrap());
        let all = inside.get("/api/account/passkeys").await.json();
        assert_eq!((all.as_array().unwrap().len(), all[0]["lastUsedAt"].is_null()), (1, false), "{all}");
        assert_eq!(app.count("audit_event WHERE action IN ('passkey_added', 'signed_in_with_passkey')").await, 2);
        half_way(&stranger, EMAIL, PASSWORD, "code").await;
        app.run_tasks().await;
    }

    async fn passkey_signs_in_when_network_attempts_are_used_up(app) {
        let olive = olive(app).await;
        let mut phone = Authenticator::new();
        assert_eq!(adds(&olive, "Phone", &mut phone).await.status, 201);
        let network = app.client().from_address([192, 0, 2, 7]);
        for n in 0..20 {
            login(&network, &format!("victim{n}@acme.example"), "a guess").await;
        }
        assert_eq!(login(&network, EMAIL, PASSWORD).await.status, 429);
        assert_eq!(signs_in(&network, &mut phone).await.status, 200);
        assert_eq!(login(&network, EMAIL, PASSWORD).await.status, 200, "and its owner belongs to the network now");
        app.run_tasks().await;
    }

    async fn passkey_signs_in_while_password_sign_in_is_held(app) {
        let olive = olive(app).await;
        let mut phone = Authenticator::new();
        assert_eq!(adds(&olive, "Phone", &mut phone).await.status, 201);
        assert_eq!(guesses(app, 0..100).await, 0);
        let network = app.client().from_address([192, 0, 2, 7]);
        assert_eq!(login(&network, EMAIL, PASSWORD).await.problem().1, "sign_in_held");
        assert_eq!(signs_in(&network, &mut phone).await.status, 200);
        app.run_tasks().await;
    }

    async fn known_browser_begins_after_strangers_used_up_its_network(app) {
        let olive = olive(app).await;
        let mut phone = Authenticator::new();
        assert_eq!(adds(&olive, "Phone", &mut phone).await.status, 201);
        let hers = remembered(&signs_in(&app.client(), &mut phone).await);
        let uses_up = async |place: &str| {
            let (secret, limit) = (&app.settings.secret, WindowLimit::per_hour(600));
            let counted = app.within(async |tx| {
                for _ in 0..600 {
                    throttle::try_count_action(tx, &app.origin, secret, "passkey begun", place, limit).await?;
                }
                Ok(())
            });
            counted.await.unwrap();
        };
        uses_up(&throttle::network_key(Some(std::net::IpAddr::from([192, 0, 2, 7])))).await;
        let network = app.client().from_address([192, 0, 2, 7]);
        let known = network.with("cookie", &hers);
        let begun = async |client: &Client| client.post("/api/auth/passkey/challenge", &Value::Null).await.status.as_u16();
        assert_eq!(begun(&network).await, 429, "its strangers wait");
        assert_eq!(begun(&network.with("cookie", "__Host-did=made-up")).await, 429, "an invented cookie is nobody's browser");
        assert_eq!(signs_in(&known, &mut phone).await.status, 200);
        uses_up(&format!("device|{}", hers.trim_start_matches("__Host-did="))).await;
        assert_eq!(begun(&known).await, 429, "a known browser has a limit too");
        app.advance(Duration::minutes(61));
        assert_eq!((begun(&network).await, begun(&known).await), (201, 201));
        app.run_tasks().await;
    }

    async fn challenge_is_single_use_for_five_minutes_and_bound_to_browser(app) {
        let olive = olive(app).await;
        let mut phone = Authenticator::new();
        assert_eq!(adds(&olive, "Phone", &mut phone).await.status, 201);
        let stranger = app.client();
        let begun = begins(&stranger).await;
        let credential = phone.get(&begun.options);
        let elsewhere = Begun { client: begins(&app.client()).await.client, challenge: begun.challenge.clone(), options: Value::Null };
        opens_nothing(&elsewhere.answers(&credential).await);
        assert_eq!(begun.answers(&credential).await.status, 200, "another browser has used up nothing");
        opens_nothing(&begun.answers(&credential).await);
        let late = begins(&stranger).await;
        app.advance(Duration::minutes(5));
        opens_nothing(&late.answers(&phone.get(&late.options)).await);
        let (first, second) = (begins(&stranger).await, begins(&stranger).await);
        opens_nothing(&first.answers(&phone.get(&second.options)).await);
        app.advance(Duration::minutes(11));
        let adding = olive.post("/api/account/passkeys/challenge", &Value::Null).await;
        assert_eq!(adding.problem().1, "reauthentication_needed", "an old sign-in adds none");
        app.run_tasks().await;
    }

    async fn invalid_assertion_signs_nobody_in(app) {
        let olive = olive(app).await;
        let mut phone = Authenticator::new();
        assert_eq!(adds(&olive, "Phone", &mut phone).await.status, 201);
        let stranger = app.client();
        // Without user verification (finger or PIN) a passkey is only one factor.
        phone.verifies = false;
        opens_nothing(&signs_in(&stranger, &mut phone).await);
        phone.verifies = true;
        // A page that imitates ours.
        phone.origin = "https://toolbox.example.evil.example".to_owned();
        opens_nothing(&signs_in(&stranger, &mut phone).await);
        phone.origin = "https://toolbox.example".to_owned();
        // A cloned passkey, whose counter did not advance.
        phone.counter = 0;
        opens_nothing(&signs_in(&stranger, &mut phone).await);
        phone.counter = 10;
        assert_eq!(signs_in(&stranger, &mut phone).await.status, 200);
        // Another account's id, and an unregistered passkey.
        let bob = app.org("Best Roofing").await;
        phone.claims_to_be(bob.owner().id.0.as_bytes());
        opens_nothing(&signs_in(&stranger, &mut phone).await);
        let mut unknown = Authenticator::new();
        unknown.claims_to_be(bob.owner().id.0.as_bytes());
        opens_nothing(&signs_in(&stranger, &mut unknown).await);
        let begun = begins(&stranger).await;
        for junk in [json!({}), json!("x"), json!({"id": "x"}), Value::Null] {
            assert_eq!(begun.answers(&junk).await.problem().2, ["credential"], "{junk}");
        }
        app.run_tasks().await;
    }

    async fn passkey_proof_is_single_use_and_bound_to_requesting_session(app) {
        let olive = olive(app).await;
        let mut phone = Authenticator::new();
        assert_eq!(proves(&olive, &mut phone).await.problem().1, "conflict", "she has no passkey yet");
        assert_eq!(adds(&olive, "Phone", &mut phone).await.status, 201);
        app.advance(Duration::minutes(16));
        let olive = app.client().with_session(&signs_in(&app.client(), &mut phone).await.session().unwrap());
        app.advance(Duration::minutes(16));
        let asks = async || olive.post("/api/account/passkeys/challenge", &Value::Null).await;
        assert_eq!(asks().await.problem().1, "reauthentication_needed");
        // A challenge of sign-in is no proof, and the challenge of a proof signs nobody in.
        let begun = begins(&olive).await;
        let crossed = json!({"challenge": begun.challenge, "credential": phone.get(&begun.options)});
        assert_eq!(olive.post("/api/auth/prove/passkey", &crossed).await.problem().2, ["credential"]);
        let asked = olive.post("/api/auth/prove/passkey/challenge", &Value::Null).await.json();
        opens_nothing(&Begun { challenge: asked["challenge"].as_str().unwrap().to_owned(), ..begins(&app.client()).await }.answers(&phone.get(&asked["publicKey"])).await);
        // Without user verification (finger or PIN) a passkey is only one factor.
        phone.verifies = false;
        assert_eq!(proves(&olive, &mut phone).await.problem().2, ["credential"]);
        phone.verifies = true;
        // Another account's passkey, on her screen.
        let bob = app.client();
        assert_eq!(register(&bob, "bob@roofs.example", "Best Roofing").await.status, 201);
        let bob = bob.with_session(&login(&bob, "bob@roofs.example", PASSWORD).await.session().unwrap());
        let mut other = Authenticator::new();
        assert_eq!(adds(&bob, "Bob's", &mut other).await.status, 201);
        assert_eq!(proves(&olive, &mut other).await.problem().2, ["credential"]);
        assert_eq!(asks().await.problem().1, "reauthentication_needed");
        // The proof holds only for the session that asked.
        let elsewhere = app.client().with_session(&signs_in(&app.client(), &mut phone).await.session().unwrap());
        let begun = olive.post("/api/auth/prove/passkey/challenge", &Value::Null).await.json();
        let answer = json!({"challenge": begun["challenge"], "credential": phone.get(&begun["publicKey"])});
        assert_eq!(elsewhere.post("/api/auth/prove/passkey", &answer).await.problem().2, ["credential"]);
        assert_eq!(olive.post("/api/auth/prove/passkey", &answer).await.status, 204);
        assert_eq!(olive.post("/api/auth/prove/passkey", &answer).await.problem().2, ["credential"], "once");
        assert_eq!(asks().await.status, 201);
        app.advance(Duration::minutes(16));
        assert_eq!(asks().await.problem().1, "reauthentication_needed", "for fifteen minutes");
        let late = olive.post("/api/auth/prove/passkey/challenge", &Value::Null).await.json();
        app.advance(Duration::minutes(5));
        let answer = json!({"challenge": late["challenge"], "credential": phone.get(&late["publicKey"])});
        assert_eq!(olive.post("/api/auth/prove/passkey", &answer).await.problem().2, ["credential"]);
        assert_eq!(app.count("audit_event WHERE action = 'identity_proved'").await, 1);
        app.run_tasks().await;
    }

    async fn passkey_is_added_once_and_only_by_the_session_that_began(app) {
        let olive = olive(app).await;
        let other = app.client().with_session(&login(&app.client(), EMAIL, PASSWORD).await.session().unwrap());
        let begun = olive.post("/api/account/passkeys/challenge", &Value::Null).await.json();
        assert_eq!(begun["publicKey"]["authenticatorSelection"]["residentKey"], json!("required"));
        let mut phone = Authenticator::new();
        let form = json!({"challenge": begun["challenge"], "name": "Phone", "credential": phone.create(&begun["publicKey"])});
        assert_eq!(other.post("/api/account/passkeys", &form).await.status, 409, "another session");
        assert_eq!(olive.post("/api/account/passkeys", &form).await.status, 201);
        assert_eq!(olive.post("/api/account/passkeys", &form).await.status, 409, "used up");
        let again = adds(&olive, "Again", &mut phone).await;
        assert_eq!(again.status, 409, "it is there already");
        assert_eq!(again.json()["detail"], json!("This passkey is registered already."));
        let mut weak = Authenticator::new();
        weak.verifies = false;
        assert_eq!(adds(&olive, "Weak", &mut weak).await.problem().2, ["credential"]);
        assert_eq!(adds(&olive, " ", &mut Authenticator::new()).await.problem().2, ["name"]);
        assert_eq!(app.count("passkey").await, 1);
        app.run_tasks().await;
    }

    async fn removed_passkey_signs_nobody_in_and_other_devices_are_signed_out(app) {
        let olive = olive(app).await;
        let (mut phone, mut laptop) = (Authenticator::new(), Authenticator::new());
        for (name, one) in [("Phone", &mut phone), ("Laptop", &mut laptop)] {
            assert_eq!(adds(&olive, name, one).await.status, 201);
        }
        let thief = app.client().with_session(&signs_in(&app.client(), &mut phone).await.session().unwrap());
        let all = olive.get("/api/account/passkeys").await.json();
        // Both were made at one instant: their order in the list is undefined.
        let of_phone = all.as_array().unwrap().iter().find(|one| one["name"] == "Phone").unwrap();
        let path = format!("/api/account/passkeys/{}", of_phone["id"].as_str().unwrap());
        let named = olive.send(Method::PUT, &path, "application/json", br#"{"name": "Old phone"}"#.to_vec()).await;
        assert_eq!(named.json()["name"], json!("Old phone"));
        let removed = olive.send(Method::DELETE, &path, "", Vec::new()).await;
        assert_eq!((removed.status.as_u16(), thief.get("/api/auth/me").await.status.as_u16()), (204, 401));
        assert_eq!(olive.get("/api/auth/me").await.status, 401, "a copied cookie is signed out too");
        let here = app.client().with_session(&removed.session().unwrap());
        let left = here.get("/api/account/passkeys").await.json();
        assert_eq!((left.as_array().unwrap().len(), &left[0]["name"]), (1, &json!("Laptop")), "{left}");
        opens_nothing(&signs_in(&app.client(), &mut phone).await);
        assert_eq!(signs_in(&app.client(), &mut laptop).await.status, 200);
        assert!(letters(app, EMAIL).await.contains(&"A passkey was removed".to_owned()));
    }

    async fn first_address_proof_removes_passkeys_added_before(app) {
        let thief = app.client();
        assert_eq!(register(&thief, EMAIL, "Acme Plumbing").await.status, 201);
        let planter = thief.with_session(&login(&thief, EMAIL, PASSWORD).await.session().unwrap());
        let mut planted = Authenticator::new();
        assert_eq!(adds(&planter, "Mine", &mut planted).await.status, 201);
        forgets(&app.client(), EMAIL).await;
        let token = mailed(app, EMAIL).await;
        assert_eq!(chooses(&app.client(), &token, NEW).await.status, 204);
        assert_eq!(app.count("passkey").await, 0);
        opens_nothing(&signs_in(&app.client(), &mut planted).await);
        app.run_tasks().await;
    }

    async fn password_reset_removes_passkeys_of_proven_address_and_mails_so(app) {
        olive(app).await;
        let stranger = app.client();
        // The first link proves the address.
        forgets(&stranger, EMAIL).await;
        let token = mailed(app, EMAIL).await;
        assert_eq!(chooses(&stranger, &token, PASSWORD).await.status, 204);
        let olive = stranger.with_session(&login(&stranger, EMAIL, PASSWORD).await.session().unwrap());
        let mut phone = Authenticator::new();
        assert_eq!(adds(&olive, "Phone", &mut phone).await.status, 201);
        forgets(&app.client(), EMAIL).await;
        let token = mailed(app, EMAIL).await;
        assert_eq!(chooses(&app.client(), &token, NEW).await.status, 204);
        app.run_tasks().await;
        let letter = app.mail.accepted_messages().into_iter().rfind(|letter| letter.subject == "Your password was changed").unwrap();
        assert!(letter.text.contains("Your passkey was removed and no longer signs in"), "{}", letter.text);
        assert_eq!(app.count("passkey").await, 0, "an intruder may have added it");
        opens_nothing(&signs_in(&app.client(), &mut phone).await);
        app.run_tasks().await;
    }

    async fn passkey_of_deactivated_account_or_after_removal_signs_nobody_in(app) {
        let olive = olive(app).await;
        let mut phone = Authenticator::new();
        assert_eq!(adds(&olive, "Phone", &mut phone).await.status, 201);
        let signed = signs_in(&app.client(), &mut phone).await;
        assert!(!remembered(&signed).is_empty(), "its browser is known from now on");
        let gone = "UPDATE account SET is_active = FALSE WHERE email = $1";
        app.within(async |tx| Ok(shared::q!(tx, execute, gone, EMAIL)?)).await.unwrap();
        opens_nothing(&signs_in(&app.client(), &mut phone).await);
        let back = "UPDATE account SET is_active = TRUE WHERE email = $1";
        app.within(async |tx| Ok(shared::q!(tx, execute, back, EMAIL)?)).await.unwrap();
        let mut conn = app.db.acquire_reader().await.unwrap();
        let account = shared::domain::tenancy::account::find_by_email(&mut conn, EMAIL).await.unwrap().unwrap();
        drop(conn);
        let removed = app.within(async |tx| shared::domain::tenancy::account::passkey::remove_all(tx, account.org_id, account.id).await).await;
        assert_eq!(removed.unwrap(), 1);
        opens_nothing(&signs_in(&app.client(), &mut phone).await);
        app.run_tasks().await;
    }
}
