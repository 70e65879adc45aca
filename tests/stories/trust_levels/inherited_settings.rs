//! Settings made under another person's address: removed by its holder, or shown to them and reset.

use tests::http::{Multipart, pixel};

use super::*;

async fn planted(app: &TestApp) -> (Client, OrgId) {
    let planter = registered(app, EMAIL, "Roofs").await;
    let org = org_of(&planter).await;
    let patch = async |path: String, body: Value| {
        let answer = planter.send(Method::PATCH, &path, "application/json", body.to_string().into_bytes()).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.json());
    };
    patch(format!("/api/org/{org}"), json!({"reviewLink": "https://evil.example/review", "phone": "(512) 555-0199"}))
        .await;
    let words = json!({"body": "{{ businessName }}: pay us at evil.example. Reply STOP to opt out."});
    patch(format!("/api/org/{org}/templates/sms"), words).await;
    patch(format!("/api/org/{org}/settings"), json!({"calls": {"nudge": false}})).await;
    let price = json!({"name": "Planted work", "price": 1.0});
    assert_eq!(planter.post("/api/price-items", &price).await.status, 201);
    let reply = json!({"title": "Planted reply", "body": "Pay at evil.example"});
    assert_eq!(planter.post("/api/canned-replies", &reply).await.status, 201);
    (planter, org)
}

fn kinds(trust: &Value) -> Vec<&str> {
    let items = trust["inherited"]["items"].as_array().map(Vec::as_slice).unwrap_or_default();
    items.iter().map(|item| item["what"].as_str().unwrap()).collect()
}

/// The holder proves the address without having signed in, and chooses a password.
async fn taken_over(app: &TestApp) -> Client {
    let holder = app.client();
    let proven = proves(&holder, &mailed(app, EMAIL).await).await;
    let chosen = json!({"token": proven.json()["resetToken"], "password": "another copper joint"});
    assert_eq!(holder.post("/api/auth/reset/confirm", &chosen).await.status, 204);
    let signed = login(&holder, EMAIL, "another copper joint").await;
    holder.with_session(&signed.session().unwrap())
}

both_databases! {
    async fn review_key_of_before_proof_without_session_is_revoked(app) {
        let (planter, org) = planted(app).await;
        let made = planter.post(&format!("/api/org/{org}/review-webhook"), &Value::Null).await;
        assert_eq!(made.status, 201, "{}", made.json());
        let key = made.json()["key"].as_str().unwrap().to_owned();
        let review = json!({"customer_name": "Ann Lee", "rating": 1, "review_text": "bad"});
        let posts = async || app.client().post(&format!("/api/webhooks/reviews/{key}"), &review).await.status;
        assert_eq!(posts().await, 200);
        let owner = taken_over(app).await;
        assert_eq!(posts().await, 404);
        assert!(!kinds(&trust(&owner).await).contains(&"review_key"));
        app.run_tasks().await;
    }

    async fn planted_setup_is_shown_to_the_holder_and_reset_in_one_request(app) {
        let (planter, org) = planted(app).await;
        assert_eq!(trust(&planter).await["inherited"], Value::Null, "no address is proven yet");
        let owner = taken_over(app).await;
        let seen = trust(&owner).await;
        let wanted = ["wording", "canned_reply", "price", "setting", "review_link", "business_phone"];
        for what in wanted {
            assert!(kinds(&seen).contains(&what), "{what}: {seen}");
        }
        assert!(seen.to_string().contains("Planted work") && seen.to_string().contains("https://evil.example/review"), "{seen}");
        app.advance(Duration::minutes(1));
        let own = json!({"title": "My own", "body": "Thank you"});
        assert_eq!(owner.post("/api/canned-replies", &own).await.status, 201);
        assert_eq!(owner.post("/api/trust/inherited/reset", &Value::Null).await.status, 204);
        assert_eq!(trust(&owner).await["inherited"], Value::Null);
        let set = owner.get(&format!("/api/org/{org}")).await.json();
        assert_eq!((&set["reviewLink"], &set["phone"]), (&Value::Null, &Value::Null));
        assert_eq!((app.count("price_item").await, app.count("template_text").await, app.count("org_setting").await), (0, 0, 0));
        let replies = owner.get("/api/canned-replies").await.json();
        assert_eq!((replies.as_array().unwrap().len(), &replies[0]["title"]), (1, &json!("My own")), "later settings stay");
        assert_eq!(app.count("audit_event WHERE action = 'inherited_setup_reset'").await, 1);
        app.run_tasks().await;
    }

    async fn planted_logo_details_crews_switches_and_periods_are_shown_and_reset(app) {
        let (planter, org) = planted(app).await;
        let own = format!("/api/org/{org}");
        let sends = async |method: Method, path: &str, body: Value| {
            let answer = planter.send(method, path, "application/json", body.to_string().into_bytes()).await;
            assert_eq!(answer.status, 200, "{path}: {}", answer.json());
        };
        let set = planter.post_form(&format!("{own}/logo"), Multipart::default().file("logo", "logo.png", &pixel())).await;
        assert_eq!(set.status, 200, "{}", set.json());
        let picture = set.json()["logoUrl"].as_str().unwrap().to_owned();
        let details = json!({"licenceLine": "Checks to Evil LLC", "postalAddress": "1 Evil Road, Austin, TX 78701", "timezone": "America/New_York"});
        sends(Method::PATCH, &own, details).await;
        sends(Method::PATCH, &format!("{own}/settings"), json!({"switches": {"reviewCollection": false}})).await;
        sends(Method::PUT, "/api/retention", json!({"kind": "photos", "days": 365})).await;
        assert_eq!(planter.post("/api/crews", &json!({"name": "Planted crew"})).await.status, 201);
        let owner = taken_over(app).await;
        let seen = trust(&owner).await;
        for what in ["logo", "licence_line", "postal_address", "time_zone", "switch", "crew", "retention"] {
            assert!(kinds(&seen).contains(&what), "{what}: {seen}");
        }
        for planted in ["Checks to Evil LLC", "1 Evil Road", "America/New_York", "review_collection", "Planted crew", "photos"] {
            assert!(seen.to_string().contains(planted), "{planted}: {seen}");
        }
        assert_eq!(app.client().get(&picture).await.status, 200);
        assert_eq!(owner.post("/api/trust/inherited/reset", &Value::Null).await.status, 204);
        assert_eq!(trust(&owner).await["inherited"], Value::Null);
        let now = owner.get(&own).await.json();
        assert_eq!((&now["logoUrl"], &now["licenceLine"], &now["postalAddress"]), (&Value::Null, &Value::Null, &Value::Null), "{now}");
        assert_eq!(now["timezone"], "America/Chicago");
        assert_eq!(app.client().get(&picture).await.status, 404, "the logo is shown no more");
        assert_eq!(owner.get(&format!("{own}/settings")).await.json()["switches"]["reviewCollection"], true);
        let left = (app.count("org WHERE logo_bytes > 0").await, app.count("retention").await, app.count("crew WHERE is_active = TRUE").await);
        assert_eq!(left, (0, 0, 0));
        app.run_tasks().await;
    }

    async fn messages_and_follow_ups_planned_before_takeover_are_never_sent(app) {
        let (planter, org) = planted(app).await;
        app.gets_number(org, None).await;
        let named = json!({"name": "Vic Tim", "phone": "(737) 555-0101", "email": "vic@customer.example"});
        let visit = json!({"customer": named, "service": "Roof Repair", "startsAt": app.now() + Duration::days(3), "durationMinutes": 60});
        let made = planter.post("/api/jobs", &visit).await;
        assert_eq!(made.status, 201, "{}", made.json());
        let customer = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar shared::platform::id::CustomerId,
            "SELECT id FROM customer WHERE org_id = $1", org).unwrap();
        let at = format!("/api/customers/{customer}/messages");
        for channel in ["sms", "email"] {
            let later = json!({"channel": channel, "body": "Pay at evil.example", "sendAt": app.now() + Duration::days(1)});
            assert_eq!(planter.post(&at, &later).await.status, 201);
        }
        assert_eq!(app.count("message WHERE status = 'queued' AND kind = 'manual'").await, 2);
        assert!(app.count("follow_up WHERE state = 'waiting'").await > 0, "the visit is to be reminded of");
        taken_over(app).await;
        app.within(async |tx| trust_level::mark_trusted(tx, &app.origin, org).await).await.unwrap();
        app.live_through(Duration::days(4), Duration::hours(1)).await;
        let written = app.sms.accepted_messages().len() + mailed_customers(app);
        assert_eq!((written, app.count("follow_up WHERE state <> 'stopped'").await), (0, 0));
        assert!(reasons(app, org).await.contains(&"it was written before your email address was confirmed".to_owned()));
    }

    async fn proof_in_own_session_keeps_previously_scheduled_messages(app) {
        let (planter, org) = planted(app).await;
        let lead = json!({"customer": {"name": "Ann Lee", "email": "ann@customer.example"}, "service": "Roof Repair",
            "startsAt": app.now() + Duration::days(3), "durationMinutes": 60});
        assert_eq!(planter.post("/api/jobs", &lead).await.status, 201);
        let customer = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar shared::platform::id::CustomerId,
            "SELECT id FROM customer WHERE org_id = $1", org).unwrap();
        let later = json!({"channel": "email", "body": "See you", "sendAt": app.now() + Duration::days(1)});
        assert_eq!(planter.post(&format!("/api/customers/{customer}/messages"), &later).await.status, 201);
        assert_eq!(proves(&planter, &mailed(app, EMAIL).await).await.status, 200);
        app.live_through(Duration::days(1), Duration::hours(1)).await;
        assert!(app.mail.accepted_messages().iter().any(|letter| letter.to == "ann@customer.example" && letter.text.contains("See you")));
    }

    async fn kept_or_own_session_setup_is_not_offered_for_reset(app) {
        planted(app).await;
        let owner = taken_over(app).await;
        assert!(!kinds(&trust(&owner).await).is_empty());
        assert_eq!(owner.post("/api/trust/inherited/keep", &Value::Null).await.status, 204);
        assert_eq!(trust(&owner).await["inherited"], Value::Null);
        assert_eq!(app.count("price_item").await, 1);
        let own = registered(app, "ron@roofs.example", "Ron").await;
        let price = json!({"name": "Work", "price": 1.0});
        assert_eq!(own.post("/api/price-items", &price).await.status, 201);
        assert_eq!(proves(&own, &mailed(app, "ron@roofs.example").await).await.status, 200);
        assert_eq!(trust(&own).await["inherited"], Value::Null);
        app.run_tasks().await;
    }

    async fn disowned_registration_is_removed_completely(app) {
        let keeper = app.org("Acme Plumbing").await;
        let (planter, org) = planted(app).await;
        let token = mailed(app, EMAIL).await;
        let letter = app.mail.accepted_messages().into_iter().rfind(|letter| letter.to == EMAIL).unwrap();
        assert!(letter.text.contains(&format!("https://toolbox.example/not-me#{token}")), "{}", letter.text);
        assert!(letter.html.unwrap().contains("This was not me"));
        // The page names the business as the mail does, and reading it changes nothing.
        for _ in 0..2 {
            let look = app.client().post("/api/auth/proof/look", &json!({ "token": token })).await;
            let named = look.json()["business"].as_str().unwrap().to_owned();
            assert!(letter.text.contains(&format!("used to register {named}.")), "{named}: {}", letter.text);
        }
        assert_eq!(app.client().post("/api/auth/proof/look", &json!({"token": "forged"})).await.status, 404);
        // A link scanner of mails removes nothing.
        for page in ["/not-me", "/api/auth/proof/disown"] {
            app.client().get(page).await;
        }
        assert_eq!(planter.get("/api/auth/me").await.status, 200);
        let says = async |token: &str| app.client().post("/api/auth/proof/disown", &json!({ "token": token })).await.status.as_u16();
        assert_eq!(says("forged").await, 404);
        assert_eq!(says(&token).await, 204);
        assert_eq!(planter.get("/api/auth/me").await.status, 401);
        assert!(shared::domain::tenancy::org::find(&mut app.db.acquire_reader().await.unwrap(), org).await.unwrap().is_none());
        for (table, column) in [("account", "email"), ("message", "to_address")] {
            assert_eq!(app.count(&format!("{table} WHERE {column} = '{EMAIL}'")).await, 0, "{table}");
        }
        assert_eq!(says(&token).await, 404, "once");
        assert!(shared::domain::tenancy::org::find(&mut app.db.acquire_reader().await.unwrap(), keeper.id()).await.unwrap().is_some());
        // Repeated registrations do not mail the address without limit.
        for _ in 0..4 {
            registered(app, EMAIL, "Roofs").await;
            app.run_tasks().await;
            let sql = "SELECT org_id FROM account WHERE email = $1";
            let again = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar OrgId, sql, EMAIL).unwrap();
            shared::ops::tenant_data::removal::remove_org(&app.remover(), again).await.unwrap();
        }
        let mailed = app.mail.accepted_messages().into_iter().filter(|letter| letter.to == EMAIL).count();
        assert_eq!(mailed, 2, "one of the first registration, and one more within the hour");
    }

    async fn proven_business_cannot_be_removed_by_a_disown_link(app) {
        let owner = registered(app, EMAIL, "Roofs").await;
        let older = mailed(app, EMAIL).await;
        assert_eq!(owner.post("/api/account/proof", &Value::Null).await.status, 202);
        assert_eq!(proves(&owner, &mailed(app, EMAIL).await).await.status, 200);
        let disowned = app.client().post("/api/auth/proof/disown", &json!({ "token": older })).await;
        assert!([404, 409].contains(&disowned.status.as_u16()), "{}", disowned.status);
        assert_eq!(owner.get("/api/auth/me").await.status, 200);
        app.run_tasks().await;
    }
}
