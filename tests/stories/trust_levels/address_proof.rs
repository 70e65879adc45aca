//! Proof of an address: what a stranger can do with another person's, and what the holder's press ends.

use super::*;

async fn csv(client: &Client, rows: usize) -> Answer {
    let people: String =
        (0..rows).fold(String::new(), |list, n| list + &format!("Person {n},+1737555{n:04},p{n}@customer.example\n"));
    let file = format!("Name,Phone,Email\n{people}");
    client.send(Method::POST, "/api/customers/import", "text/csv", file.into_bytes()).await
}

async fn invites(client: &Client, n: usize) -> Answer {
    let body = json!({"name": "Bob", "email": format!("bob{n}@best.example"), "role": "owner"});
    client.post("/api/team/invites", &body).await
}

both_databases! {
    async fn emails_about_unproven_account_omit_text_typed_by_a_stranger(app) {
        let stranger = app.client();
        let typed = json!({"name": "CLAIM $500 https://evil.example", "email": EMAIL, "password": PASSWORD,
            "orgName": "Bank Security evil.example"});
        assert_eq!(stranger.post("/api/auth/register", &typed).await.status, 201);
        assert_eq!(stranger.post("/api/auth/register", &typed).await.status, 201);
        assert_eq!(stranger.post("/api/auth/reset", &json!({"email": EMAIL})).await.status, 202);
        let signed = login(&stranger, EMAIL, PASSWORD).await;
        let planter = stranger.with_session(&signed.session().unwrap());
        app.run_tasks().await;
        let signed = login(&app.client().with("user-agent", "https://evil.example Firefox"), EMAIL, PASSWORD).await;
        assert_eq!(signed.status, 200);
        let change = json!({"currentPassword": PASSWORD, "newPassword": "another copper joint"});
        assert_eq!(planter.post("/api/account/password", &change).await.status, 204);
        app.run_tasks().await;
        let letters = app.mail.accepted_messages();
        assert!(letters.len() >= 4, "{letters:?}");
        for letter in letters {
            assert_eq!(letter.from_name.as_deref(), Some("Toolbox"), "{}", letter.subject);
            for part in ["evil", "$500", "Bank"] {
                assert!(!format!("{letter:?}").contains(part), "{part}: {letter:?}");
            }
        }
    }

    async fn holder_of_an_address_registered_by_a_stranger_may_disown_it(app) {
        app.org("Acme Plumbing").await;
        let planted = json!({"name": "Mallory Planter", "email": EMAIL, "password": PASSWORD, "orgName": "Planted"});
        assert_eq!(app.client().post("/api/auth/register", &planted).await.status, 201);
        let first = mailed(app, EMAIL).await;
        let holder = app.client();
        assert_eq!(registers(&holder, EMAIL, "Roofs", None).await.status, 201);
        let token = mailed(app, EMAIL).await;
        assert_ne!(first, token, "a mail of its own");
        let letters: Vec<_> = app.mail.accepted_messages().into_iter().filter(|letter| letter.to == EMAIL).collect();
        assert_eq!(letters.len(), 2, "{letters:?}");
        let letter = letters.last().unwrap();
        assert!(!format!("{letter:?}").contains("Mallory"), "{letter:?}");
        for part in ["Planted", "tried to register", "Confirm your email address", "This was not me"] {
            assert!(letter.text.contains(part), "{part}: {}", letter.text);
        }
        assert!(!letter.text.contains("there is nothing to do"), "{}", letter.text);
        let disowned = holder.post("/api/auth/proof/disown", &json!({ "token": token })).await;
        assert_eq!(disowned.status, 204, "{}", disowned.json());
        let owner = registered(app, EMAIL, "Roofs").await;
        assert_eq!(proves(&owner, &mailed(app, EMAIL).await).await.status, 200);
        assert_eq!(owner.get("/api/auth/me").await.json()["orgName"], "Roofs");
        app.run_tasks().await;
    }

    async fn message_of_unproven_business_is_marked_as_not_to_be_sent(app) {
        app.takes_email_for_set_up();
        app.org("Acme Plumbing").await;
        let owner = registered(app, EMAIL, "Roofs").await;
        let org = org_of(&owner).await;
        let job = json!({"customer": {"name": "Ann Lee", "email": "ann@customer.example"}, "service": "Roof Repair",
            "startsAt": app.now() + Duration::days(3), "durationMinutes": 60});
        assert_eq!(owner.post("/api/jobs", &job).await.status, 201);
        let customer = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar shared::platform::id::CustomerId,
            "SELECT id FROM customer WHERE org_id = $1", org).unwrap();
        let written = json!({"channel": "email", "body": "See you on Thursday"});
        let writes = async || {
            let answer = owner.post(&format!("/api/customers/{customer}/messages"), &written).await;
            assert_eq!(answer.status, 201, "{}", answer.json());
            answer.json()["statusText"].as_str().unwrap().to_owned()
        };
        assert_eq!(writes().await, format!("will not be sent: {}", trust_level::NOT_PROVEN));
        app.run_tasks().await;
        assert_eq!(receivers(app), [EMAIL]);
        assert_eq!(reasons(app, org).await, [trust_level::NOT_PROVEN]);
        assert_eq!(proves(&owner, &mailed(app, EMAIL).await).await.status, 200);
        assert_eq!(writes().await, "waiting to be sent");
        app.run_tasks().await;
        assert_eq!(mailed_customers(app), 1);
    }

    async fn registration_with_a_foreign_address_sends_nothing_to_others(app) {
        app.org("Acme Plumbing").await;
        let planter = registered(app, EMAIL, "Roofs").await;
        let org = org_of(&planter).await;
        let refused = csv(&planter, 90).await;
        assert_eq!((refused.status.as_u16(), refused.problem().1.as_str()), (403, "trust_limit"));
        for n in 0..50 {
            let refused = invites(&planter, n).await;
            assert_eq!((refused.status.as_u16(), refused.problem().1.as_str()), (403, "trust_limit"));
        }
        let detail = refused.json()["detail"].as_str().unwrap().to_owned();
        assert_eq!(detail, "Your email address is not confirmed yet; confirm it first.");
        let found = shared::domain::tenancy::org::find(&mut app.db.acquire_reader().await.unwrap(), org).await.unwrap().unwrap();
        for n in 0..60 {
            let phone = format!("(737) 5{:02}-{:04}", n % 20, 1000 + n);
            let fields = [("name", "Vic Tim"), ("phone", phone.as_str()), ("service", "plumbing"), ("zip", "78701"), ("orgId", found.slug.as_str())];
            let form = fields.iter().fold(tests::http::Multipart::default(), |form, (name, value)| form.text(name, value));
            let form = form.text("email", &format!("v{n}@customer.example"));
            let taken = app.client().here().post_form("/api/leads/create", form).await.status;
            assert_eq!(taken, if n < 20 { 201 } else { 429 }, "{n}");
        }
        app.run_tasks().await;
        assert_eq!(app.sms.accepted_messages().len(), 0, "no text left");
        assert_eq!(receivers(app), [EMAIL], "and no mail but to the address itself");
        assert!(app.mail.accepted_messages().iter().all(|letter| letter.subject == "Confirm your email address"));
        assert_eq!(reasons(app, org).await, [trust_level::NOT_PROVEN]);
        let shown = trust(&planter).await;
        assert_eq!((shown["level"].as_str(), shown["steps"][0]["isReached"].as_bool()), (Some("new"), Some(false)));
        assert_eq!(shown["mailLeaves"], false, "the mail is saved as a file and not shown as sent");
        let next = shown["next"].as_str().unwrap();
        assert!(next.contains("the link was saved as a file; ask the person who runs your Toolbox"), "{next}");
    }

    async fn proof_link_works_once_on_any_device_and_ends_prior_access(app) {
        app.org("Acme Plumbing").await;
        let planter = registered(app, EMAIL, "Roofs").await;
        let org = org_of(&planter).await;
        let set_up = planter.post("/api/account/second-factor", &Value::Null).await;
        assert_eq!(set_up.status, 201);
        let key = planter.post(&format!("/api/org/{org}/api-keys"), &json!({"name": "Mine", "scopes": ["leads:read"]})).await;
        assert_eq!(key.status, 201, "{}", key.json());
        let hook = json!({"url": "https://evil.example/x", "events": ["lead.created"]});
        let refused = planter.post(&format!("/api/org/{org}/webhooks"), &hook).await;
        assert_eq!(refused.problem().1, "trust_limit");
        let token = mailed(app, EMAIL).await;
        assert_eq!(app.count("org_trust WHERE proven_at IS NOT NULL").await, 1, "opening the mail proves nothing");
        let holder = app.client();
        let proven = proves(&holder, &token).await;
        assert_eq!(proven.status, 200, "{}", proven.json());
        assert_eq!(planter.get("/api/auth/me").await.status, 401, "earlier sessions are ended");
        assert_eq!(app.count("api_key WHERE revoked_at IS NULL").await, 0);
        assert_eq!(app.count("second_factor").await, 0);
        assert_eq!(proves(&holder, &token).await.status, 404, "it works once");
        assert_eq!(login(&holder, EMAIL, PASSWORD).await.status, 401, "the planted password has ended");
        let chosen = json!({"token": proven.json()["resetToken"], "password": "another copper joint"});
        assert_eq!(holder.post("/api/auth/reset/confirm", &chosen).await.status, 204);
        assert_eq!(holder.post("/api/auth/reset/confirm", &chosen).await.status, 404, "once");
        let signed = login(&holder, EMAIL, "another copper joint").await;
        let owner = holder.with_session(&signed.session().unwrap());
        assert_eq!(trust(&owner).await["level"], "address_proven");
        assert_eq!(owner.get("/api/auth/me").await.json()["isEmailProven"], true);
        app.run_tasks().await;
        let sent_mail = app.mail.accepted_messages().into_iter().find(|letter| letter.subject == "Your email address is confirmed");
        let mail_text = sent_mail.expect("the confirmation mail").text;
        assert!(mail_text.contains("removed: keys for other programs, two-step sign-in. Set up"), "{mail_text}");
        assert!(!mail_text.contains("invitations") && !mail_text.contains("tell the owner"), "{mail_text}");
        assert_eq!(app.count("audit_event WHERE action = 'address_proven'").await, 1);
    }

    async fn first_proof_revokes_crew_calendar_feeds_and_later_ones_keep_them(app) {
        app.org("Acme Plumbing").await;
        let planter = registered(app, EMAIL, "Roofs").await;
        assert_eq!(planter.post("/api/crews", &json!({"name": "Blue"})).await.status, 201);
        let address = async |client: &Client| {
            let listed = client.get("/api/crews").await.json();
            let blue = listed.as_array().unwrap().iter().find(|crew| crew["name"] == "Blue").unwrap();
            blue["feedUrl"].as_str().unwrap().strip_prefix("https://toolbox.example").unwrap().to_owned()
        };
        let (planted, finder) = (address(&planter).await, app.client());
        assert_eq!(finder.get(&planted).await.status, 200);
        let token = mailed(app, EMAIL).await;
        app.advance(Duration::minutes(1));
        assert_eq!(proves(&planter, &token).await.status, 200);
        assert_eq!(finder.get(&planted).await.status, 404, "as a session that was made before");
        let own = address(&planter).await;
        assert_ne!(own, planted);
        assert_eq!(finder.get(&own).await.status, 200);
        app.run_tasks().await;
        let sent_mail = app.mail.accepted_messages().into_iter().find(|letter| letter.subject == "Your email address is confirmed");
        let mail_text = sent_mail.expect("the confirmation mail").text;
        assert!(mail_text.contains("removed: addresses of crew calendars. Set up"), "{mail_text}");
        app.advance(Duration::minutes(1));
        assert_eq!(app.client().post("/api/auth/reset", &json!({ "email": EMAIL })).await.status, 202);
        app.run_tasks().await;
        let letter = app.mail.accepted_messages().into_iter().rfind(|letter| letter.subject == "Choose a new password").unwrap();
        let (_, rest) = letter.text.split_once("/reset-password#").unwrap();
        let chosen = json!({"token": rest.split_whitespace().next().unwrap(), "password": "another copper joint"});
        assert_eq!(app.client().post("/api/auth/reset/confirm", &chosen).await.status, 204);
        assert_eq!(finder.get(&own).await.status, 200, "the business was proven already");
        app.run_tasks().await;
    }

    async fn proof_states_the_subscription_needed_where_businesses_pay(app) {
        let stripe = FakeStripe::start().await;
        app.use_billing(&stripe);
        let owner = registered(app, EMAIL, "Roofs").await;
        let proven = proves(&owner, &mailed(app, EMAIL).await).await;
        let closed = proven.json()["closed"].as_str().unwrap().to_owned();
        assert!(closed.starts_with("Nothing goes to your customers yet: subscribe under Billing"), "{closed}");
        let shown = trust(&owner).await;
        let next = shown["next"].as_str().unwrap();
        assert!(next.starts_with("To write to your customers, subscribe under Billing"), "{next}");
        assert!(next.contains("a number of your own raises only your limits"), "the step between: {next}");
        let letters = app.mail.accepted_messages();
        let letter = letters.iter().find(|letter| letter.subject == "Confirm your email address").unwrap();
        assert!(!letter.text.contains("can write"), "nothing is promised: {}", letter.text);
        app.run_tasks().await;
    }

    async fn proof_does_not_mention_payment_where_businesses_do_not_pay(app) {
        app.org("Acme Plumbing").await;
        let owner = registered(app, EMAIL, "Roofs").await;
        let proven = proves(&owner, &mailed(app, EMAIL).await).await;
        assert_eq!((proven.status.as_u16(), &proven.json()["closed"]), (200, &Value::Null));
        app.run_tasks().await;
    }

    async fn proof_keeps_the_own_session_and_ends_others(app) {
        let here = registered(app, EMAIL, "Roofs").await;
        let signed = login(&app.client(), EMAIL, PASSWORD).await;
        let elsewhere = app.client().with_session(&signed.session().unwrap());
        let proven = proves(&here, &mailed(app, EMAIL).await).await;
        assert_eq!((proven.status.as_u16(), &proven.json()["resetToken"]), (200, &Value::Null));
        assert_eq!(login(&app.client(), EMAIL, PASSWORD).await.status, 200, "their password stays");
        assert_eq!(here.get("/api/auth/me").await.status, 200);
        assert_eq!(elsewhere.get("/api/auth/me").await.status, 401);
        app.run_tasks().await;
    }

    async fn proof_link_lasts_three_days_and_survives_newer_links(app) {
        let owner = registered(app, EMAIL, "Roofs").await;
        let first = mailed(app, EMAIL).await;
        for sent in 0..5 {
            assert_eq!(owner.post("/api/account/proof", &Value::Null).await.status, 202, "{sent}");
        }
        assert_eq!(owner.post("/api/account/proof", &Value::Null).await.status, 429);
        let newest = mailed(app, EMAIL).await;
        assert_ne!(first, newest);
        let forged = format!("{}{}", &newest[..63], if newest.ends_with('A') { 'B' } else { 'A' });
        for token in [forged.as_str(), "x"] {
            assert_eq!(proves(&owner, token).await.status, 404, "{token}");
        }
        app.advance(Duration::days(3));
        assert_eq!(proves(&app.client(), &newest).await.status, 404);
        let signed = login(&app.client(), EMAIL, PASSWORD).await;
        let owner = app.client().with_session(&signed.session().unwrap());
        assert_eq!(owner.post("/api/account/proof", &Value::Null).await.status, 202);
        let older = mailed(app, EMAIL).await;
        assert_eq!(owner.post("/api/account/proof", &Value::Null).await.status, 202);
        assert_eq!(proves(&owner, &older).await.status, 200);
        assert_eq!(owner.post("/api/account/proof", &Value::Null).await.status, 409, "there is nothing left to prove");
        app.run_tasks().await;
    }

    async fn valid_proof_link_works_after_sixty_forged_ones_of_its_network(app) {
        registered(app, EMAIL, "Roofs").await;
        let token = mailed(app, EMAIL).await;
        let network = app.client().from_address([198, 51, 100, 7]);
        let mut answers = Vec::new();
        for _ in 0..61 {
            answers.push(proves(&network, "forged").await.status.as_u16());
        }
        assert_eq!(answers, [vec![404; 60], vec![429]].concat());
        assert_eq!(network.post("/api/auth/proof/look", &json!({ "token": token })).await.status, 200);
        assert_eq!(proves(&network, &token).await.status, 200);
        app.run_tasks().await;
    }

    async fn proof_links_to_an_unproven_address_are_limited_to_ten_a_day(app) {
        let owner = registered(app, EMAIL, "Roofs").await;
        let mut sent = 0;
        for _ in 0..4 {
            for _ in 0..6 {
                sent += u8::from(owner.post("/api/account/proof", &Value::Null).await.status == 202);
            }
            app.run_tasks().await;
            app.advance(Duration::minutes(61));
        }
        assert_eq!(sent, 10);
        app.advance(Duration::hours(21));
        let signed = login(&app.client(), EMAIL, PASSWORD).await;
        let owner = app.client().with_session(&signed.session().unwrap());
        assert_eq!(owner.post("/api/account/proof", &Value::Null).await.status, 202);
        app.run_tasks().await;
    }

    async fn registrations_for_one_mailbox_send_at_most_three_emails(app) {
        app.org("Acme Plumbing").await;
        for (n, email) in ["vic@t.example", "vic+1@t.example", "vic+2@t.example", "\"vic\"@t.example", "vic+4@t.example"].iter().enumerate() {
            let stranger = app.client().from_address([198, 51, 100, u8::try_from(n).unwrap()]);
            assert_eq!(registers(&stranger, email, &format!("Roofs {n}"), None).await.status, 201, "{email}");
        }
        app.run_tasks().await;
        let mails = app.mail.accepted_messages();
        assert_eq!(mails.iter().filter(|letter| letter.to.ends_with("@t.example")).count(), 3);
    }

    async fn password_reset_by_mail_proves_the_address_and_ends_planted_access(app) {
        let planter = registered(app, EMAIL, "Roofs").await;
        let org = org_of(&planter).await;
        let shop = shared::domain::tenancy::org::find(&mut app.db.acquire_reader().await.unwrap(), org).await.unwrap().unwrap();
        // A second owner, as an older version allowed before the proof.
        let id = app.origin.uuid_v7();
        let sql = "INSERT INTO account (id, org_id, email, name, role, password_hash, two_factor_enabled, is_active,
                created_at, password_changed_at) VALUES ($1, $2, 'planted@evil.example', 'P', $3, 'x', FALSE, TRUE, $4, $4)";
        app.within(async |tx| Ok(q!(tx, execute, sql, id, org, Role::Owner, app.now())?)).await.unwrap();
        let holder = app.client();
        assert_eq!(holder.post("/api/auth/reset", &json!({ "email": EMAIL })).await.status, 202);
        app.run_tasks().await;
        let letter = app.mail.accepted_messages().into_iter().rfind(|letter| letter.subject == "Choose a new password").unwrap();
        let (_, rest) = letter.text.split_once("/reset-password#").unwrap();
        let token = rest.split_whitespace().next().unwrap();
        let chosen = json!({"token": token, "password": "another copper joint"});
        assert_eq!(holder.post("/api/auth/reset/confirm", &chosen).await.status, 204);
        assert_eq!(app.count("account WHERE email = 'planted@evil.example' AND is_active = TRUE").await, 0);
        assert_eq!(planter.get("/api/auth/me").await.status, 401);
        let signed = login(&holder, EMAIL, "another copper joint").await;
        let owner = holder.with_session(&signed.session().unwrap());
        assert_eq!(trust(&owner).await["steps"][0]["isReached"], true);
        assert_eq!(shop.name, "Roofs");
        app.run_tasks().await;
    }

    async fn proof_mail_omits_a_business_name_usable_as_advertisement(app) {
        registered(app, EMAIL, "Win $900 at evil.example").await;
        app.run_tasks().await;
        let letter = app.mail.accepted_messages().pop().unwrap();
        assert!(!letter.text.contains("evil.example") && !letter.html.unwrap_or_default().contains("evil.example"), "{}", letter.text);
    }
}
