//! A forgotten password: what the mailed link opens, for which account, how often and how long.

use super::{known_browsers::remembered, *};

pub(super) async fn forgets(client: &Client, email: &str) -> Answer {
    client.post("/api/auth/reset", &json!({ "email": email })).await
}

pub(super) async fn mailed(app: &TestApp, to: &str) -> String {
    app.run_tasks().await;
    let is_it = |subject: &str| subject == "Choose a new password";
    let letter =
        app.mail.accepted_messages().into_iter().rfind(|letter| letter.to == to && is_it(&letter.subject)).unwrap();
    let (_, rest) = letter.text.split_once("https://toolbox.example/reset-password#").unwrap();
    rest.split_whitespace().next().unwrap().to_owned()
}

pub(super) async fn chooses(client: &Client, token: &str, password: &str) -> Answer {
    client.post("/api/auth/reset/confirm", &json!({"token": token, "password": password})).await
}

pub(super) const NEW: &str = "another copper joint";

both_databases! {
    async fn reset_link_sets_new_password_once_and_ends_sessions(app) {
        let olive = olive(app).await;
        let stranger = app.client();
        assert_eq!((forgets(&stranger, "Olive@Acme.example").await.status.as_u16(), app.count("one_time_token").await), (202, 1));
        let token = mailed(app, EMAIL).await;
        assert_eq!(olive.get("/api/auth/me").await.status, 200, "asking changes nothing");
        let weak = chooses(&stranger, &token, "Acme Plumbing").await;
        assert_eq!(weak.problem().2, ["password"]);
        let done = chooses(&stranger, &token, NEW).await;
        assert_eq!((done.status.as_u16(), done.session()), (204, None), "it signs nobody in");
        assert_eq!(olive.get("/api/auth/me").await.status, 401, "the reset ends other sessions");
        assert_eq!(login(&stranger, EMAIL, PASSWORD).await.status, 401);
        assert_eq!(login(&stranger, EMAIL, NEW).await.status, 200);
        assert_eq!(app.count("account WHERE email_proved_at IS NOT NULL").await, 1, "and she reads the mail of her address");
        let again = chooses(&stranger, &token, "a third copper joint").await;
        assert_eq!((again.status.as_u16(), &again.json()["detail"]), (404, &json!("This link is no longer valid. Ask for a new one.")));
        assert_eq!(letters(app, EMAIL).await, ["Choose a new password", "Your password was changed"]);
        let mails = app.mail.accepted_messages();
        for subject in ["Choose a new password", "Your password was changed"] {
            let text = &mails.iter().find(|mail| mail.to == EMAIL && mail.subject == subject).unwrap().text;
            assert!(text.contains("Hi Olive,") && !text.contains("Olive Owner,"), "first name only: {text}");
        }
    }

    async fn reset_request_for_unknown_address_answers_like_a_known_one(app) {
        olive(app).await;
        let stranger = app.client();
        let (known, unknown) = (forgets(&stranger, EMAIL).await, forgets(&stranger, "nobody@acme.example").await);
        assert_eq!((known.status, known.json()), (unknown.status, unknown.json()));
        let names = |answer: &Answer| answer.headers.keys().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(names(&known), names(&unknown));
        assert_eq!(subjects(app).await, ["Choose a new password", CONFIRM]);
        assert!(app.mail.accepted_messages().iter().all(|letter| letter.to == EMAIL), "nobody's gets none");
        assert_eq!(forgets(&stranger, "olive@").await.problem().2, ["email"]);
    }

    async fn reset_link_stays_valid_after_newer_request_until_one_is_used(app) {
        olive(app).await;
        let stranger = app.client();
        forgets(&stranger, EMAIL).await;
        let hers = mailed(app, EMAIL).await;
        forgets(&app.client().from_address([198, 51, 100, 1]), EMAIL).await;
        let newer = mailed(app, EMAIL).await;
        assert_ne!(hers, newer);
        assert_eq!(chooses(&stranger, &hers, NEW).await.status, 204, "a stranger who asks voids nothing");
        assert_eq!(chooses(&stranger, &newer, "a third copper joint").await.status, 404);
        assert_eq!(login(&stranger, EMAIL, NEW).await.status, 200);
        app.run_tasks().await;
    }

    async fn password_change_revokes_reset_links(app) {
        let olive = olive(app).await;
        forgets(&app.client(), EMAIL).await;
        let token = mailed(app, EMAIL).await;
        let change = json!({"currentPassword": PASSWORD, "newPassword": NEW});
        assert_eq!(olive.post("/api/account/password", &change).await.status, 204);
        assert_eq!(chooses(&app.client(), &token, "a third copper joint").await.status, 404);
        app.run_tasks().await;
    }

    async fn reset_requests_of_strangers_leave_quota_of_known_browser_and_network(app) {
        let stranger = app.client();
        register(&stranger, EMAIL, "Acme Plumbing").await;
        app.vouches_for(EMAIL).await;
        let signed = login(&stranger, EMAIL, PASSWORD).await;
        let away = app.client().from_address([192, 0, 2, 1]).with("cookie", &remembered(&signed));
        for n in 0..40_u8 {
            assert_eq!(forgets(&app.client().from_address([198, 51, 100, n]), EMAIL).await.status, 202);
        }
        assert_eq!(letters(app, EMAIL).await.len(), 5, "theirs have an end");
        for mails in 6..=10 {
            forgets(&away, EMAIL).await;
            assert_eq!(letters(app, EMAIL).await.len(), mails, "her browser, wherever it is");
        }
        forgets(&away, EMAIL).await;
        assert_eq!(letters(app, EMAIL).await.len(), 10, "which has an end too");
        forgets(&stranger, EMAIL).await;
        assert_eq!(letters(app, EMAIL).await.len(), 11, "her network, without the browser's cookie");
    }

    async fn reset_mails_used_up_by_strangers_leave_three_for_known_browser_of_unproven_address(app) {
        let stranger = app.client();
        register(&stranger, EMAIL, "Acme Plumbing").await;
        let signed = login(&stranger, EMAIL, PASSWORD).await;
        let away = app.client().from_address([192, 0, 2, 1]).with("cookie", &remembered(&signed));
        for _ in 0..3 {
            for n in 0..8 {
                assert_eq!(forgets(&app.client().from_address([198, 51, 100, n]), EMAIL).await.status, 202);
            }
            app.run_tasks().await;
            app.advance(Duration::minutes(31));
        }
        assert_eq!(letters(app, EMAIL).await.len(), 10, "theirs of the day");
        for mails in [11, 12, 13, 13] {
            assert_eq!(forgets(&away, EMAIL).await.status, 202);
            assert_eq!(letters(app, EMAIL).await.len(), mails);
        }
    }

    async fn reset_mails_to_unproven_address_stop_at_ten_a_day_and_three_of_known_places(app) {
        let planter = app.client();
        register(&planter, EMAIL, "Acme Plumbing").await;
        let signed = login(&planter, EMAIL, PASSWORD).await;
        let here = planter.with("cookie", &remembered(&signed));
        for _ in 0..6 {
            for _ in 0..5 {
                assert_eq!(forgets(&here, EMAIL).await.status, 202);
            }
            for n in 0..8 {
                assert_eq!(forgets(&app.client().from_address([198, 51, 100, n]), EMAIL).await.status, 202);
            }
            app.run_tasks().await;
            app.advance(Duration::minutes(31));
        }
        assert_eq!(letters(app, EMAIL).await.len(), 13);
        app.vouches_for(EMAIL).await;
        forgets(&here, EMAIL).await;
        assert_eq!(letters(app, EMAIL).await.len(), 14, "a proven address always gets the mail");
    }

    async fn reset_mails_to_unproven_address_resume_next_day(app) {
        register(&app.client(), EMAIL, "Acme Plumbing").await;
        for n in 0..3 {
            for of in 0..8 {
                forgets(&app.client().from_address([198, 51, n, of]), EMAIL).await;
            }
            app.run_tasks().await;
            app.advance(Duration::minutes(31));
        }
        assert_eq!(letters(app, EMAIL).await.len(), 10);
        app.advance(Duration::hours(23));
        forgets(&app.client(), EMAIL).await;
        assert_eq!(letters(app, EMAIL).await.len(), 11);
    }

    async fn reset_limit_of_network_spares_known_browser_for_its_own_account(app) {
        let shared = app.client().from_address([198, 51, 100, 7]);
        register(&shared, EMAIL, "Acme Plumbing").await;
        let signed = login(&shared, EMAIL, PASSWORD).await;
        for n in 0..20 {
            assert_eq!(forgets(&shared, &format!("nobody{n}@acme.example")).await.status, 202);
        }
        assert_eq!(forgets(&shared, EMAIL).await.problem().0, 429, "the network has asked often enough");
        let hers = shared.with("cookie", &remembered(&signed));
        assert_eq!(forgets(&hers, EMAIL).await.status, 202);
        assert_eq!(letters(app, EMAIL).await.len(), 1);
        assert_eq!(forgets(&hers, "nobody0@acme.example").await.status, 429, "it is known to her account alone");
    }

    async fn reset_quota_is_counted_per_network(app) {
        olive(app).await;
        let one = app.client().from_address([198, 51, 100, 1]);
        for _ in 0..8 {
            forgets(&one, EMAIL).await;
        }
        assert_eq!(letters(app, EMAIL).await.len(), 2);
        forgets(&app.client().from_address([198, 51, 100, 2]), EMAIL).await;
        assert_eq!(letters(app, EMAIL).await.len(), 3);
        app.advance(Duration::minutes(30));
        forgets(&one, EMAIL).await;
        assert_eq!(letters(app, EMAIL).await.len(), 4, "when the links are too old, another one is sent");
    }

    async fn valid_reset_link_works_from_network_rate_limited_for_forgeries(app) {
        olive(app).await;
        forgets(&app.client(), EMAIL).await;
        let (stranger, token) = (app.client(), mailed(app, EMAIL).await);
        for _ in 0..60 {
            assert_eq!(chooses(&stranger, "forged", NEW).await.status, 404);
        }
        assert_eq!(chooses(&stranger, "forged", NEW).await.status, 429);
        assert_eq!(chooses(&stranger, &token, NEW).await.status, 204);
        app.run_tasks().await;
    }

    async fn reset_link_expires_after_half_an_hour(app) {
        olive(app).await;
        let stranger = app.client();
        forgets(&stranger, EMAIL).await;
        let first = mailed(app, EMAIL).await;
        forgets(&stranger, EMAIL).await;
        let second = mailed(app, EMAIL).await;
        assert_ne!(first, second);
        let forged = format!("{}{}", &second[..63], if second.ends_with('A') { 'B' } else { 'A' });
        for token in [forged.as_str(), "x", &"x".repeat(100)] {
            assert_eq!(chooses(&stranger, token, NEW).await.status, 404, "{token}");
        }
        app.advance(Duration::minutes(30));
        assert_eq!(chooses(&stranger, &second, NEW).await.status, 404);
        assert_eq!(login(&stranger, EMAIL, PASSWORD).await.status, 200, "nothing was changed");
        app.run_tasks().await;
    }

    async fn second_factor_is_still_required_after_password_reset(app) {
        let app_of = sets_up(app, &olive(app).await).await;
        let stranger = app.client();
        forgets(&stranger, EMAIL).await;
        let token = mailed(app, EMAIL).await;
        assert_eq!(chooses(&stranger, &token, NEW).await.status, 204);
        next_code(app);
        let ticket = half_way(&stranger, EMAIL, NEW, "code").await;
        assert_eq!(with_code(&stranger, &ticket, &app_of.code(app)).await.status, 200);
        app.run_tasks().await;
    }

    async fn stored_reset_mail_contains_no_token(app) {
        olive(app).await;
        forgets(&app.client(), EMAIL).await;
        let token = mailed(app, EMAIL).await;
        let mut conn = app.db.acquire_reader().await.unwrap();
        let body = shared::q!(&mut conn, fetch_one scalar String, "SELECT body FROM message WHERE subject = 'Choose a new password'").unwrap();
        assert!(!body.contains(&token) && body.contains("[token "), "{body}");
        let page = shared::q!(&mut conn, fetch_one scalar String, "SELECT CAST(page AS TEXT) FROM message WHERE subject = 'Choose a new password'").unwrap();
        assert!(!page.contains(&token), "{page}");
        let hash = shared::q!(&mut conn, fetch_one scalar Vec<u8>, "SELECT token_hash FROM one_time_token").unwrap();
        assert_ne!(hash, token.as_bytes());
    }

    async fn reset_mails_to_one_address_are_capped_silently(app) {
        olive(app).await;
        for n in 0..8_u8 {
            assert_eq!(forgets(&app.client().from_address([203, 0, 113, n]), EMAIL).await.status, 202);
        }
        assert_eq!(letters(app, EMAIL).await.len(), 5);
        let one = app.client();
        for _ in 0..20 {
            assert_eq!(forgets(&one, "nobody@acme.example").await.status, 202);
        }
        assert_eq!(forgets(&one, "nobody@acme.example").await.problem().1, "too_many_requests");
    }

    async fn token_placeholder_in_other_mail_is_not_filled_in(app) {
        olive(app).await;
        forgets(&app.client(), EMAIL).await;
        let sql = "SELECT body FROM message WHERE subject = 'Choose a new password'";
        let stored = shared::q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar String, sql).unwrap();
        let (_, rest) = stored.split_once("[token ").unwrap();
        let mark = format!("[token {}]", rest.split_once(']').unwrap().0);
        let other = app.org("Best Roofing").await;
        // Their own name stands in the mail as it was typed; the greeting leaves such a name out.
        let named = "UPDATE account SET name = $2 WHERE org_id = $1";
        let typed = format!("Eve {mark}");
        app.within(async |tx| Ok(shared::q!(tx, execute, named, other.id(), &typed)?)).await.unwrap();
        let eve = app.client().signed_in(app, other.owner()).await;
        for (name, email) in [(mark.clone(), "eve@crew.example"), (format!("Eve {mark}"), EMAIL)] {
            let asked = json!({"name": name, "email": email, "role": "crew"});
            assert_eq!(eve.post("/api/team/invites", &asked).await.status, 201);
        }
        let token = mailed(app, EMAIL).await;
        let invitations: Vec<_> = app.mail.accepted_messages().into_iter().filter(|letter| letter.subject == "Join Best Roofing").collect();
        assert_eq!(invitations.len(), 2);
        for letter in invitations {
            assert!(letter.text.contains(&mark) && !letter.text.contains(&token[22..]), "{}", letter.text);
        }
        assert_eq!(chooses(&app.client(), &token, NEW).await.status, 204, "its own mail carries it");
        app.run_tasks().await;
    }

    async fn concurrent_uses_of_one_reset_link_set_one_password(app) {
        olive(app).await;
        forgets(&app.client(), EMAIL).await;
        let (stranger, token) = (app.client(), mailed(app, EMAIL).await);
        let tries = (0..5).map(|n| {
            let (stranger, token) = (stranger.clone(), token.clone());
            async move { chooses(&stranger, &token, &format!("copper joint number {n}")).await.status.as_u16() }
        });
        let mut answers = futures::future::join_all(tries).await;
        answers.sort_unstable();
        assert_eq!((answers[0], answers[1], answers[4]), (204, 404, 404), "{answers:?}");
        assert_eq!(letters(app, EMAIL).await, ["Choose a new password", "Your password was changed"]);
    }

    async fn deactivated_account_cannot_reset_password(app) {
        let olive = olive(app).await;
        let stranger = app.client();
        forgets(&stranger, EMAIL).await;
        let token = mailed(app, EMAIL).await;
        let gone = "UPDATE account SET is_active = FALSE WHERE email = $1";
        app.within(async |tx| Ok(shared::q!(tx, execute, gone, EMAIL)?)).await.unwrap();
        assert_eq!(chooses(&stranger, &token, NEW).await.status, 404);
        assert_eq!(forgets(&stranger, EMAIL).await.status, 202);
        assert_eq!(letters(app, EMAIL).await.len(), 1);
        assert_eq!(olive.get("/api/auth/me").await.status, 401);
    }
}
