//! Mails that confirm the address of a person who joins by a link, before the business may write to others.

use super::*;

async fn types(app: &TestApp, path: &str, email: &str) -> Answer {
    app.client().post(path, &json!({"name": "Bob", "email": email, "password": PASSWORD})).await
}

fn join_mails(app: &TestApp) -> Vec<String> {
    let letters = app.mail.accepted_messages().into_iter();
    letters.filter(|letter| letter.subject.starts_with("Join ")).map(|letter| letter.to).collect()
}

both_databases! {
    async fn join_mail_of_an_unpaid_business_leaves_only_once_it_may_send(app) {
        let stripe = FakeStripe::start().await;
        app.use_billing(&stripe);
        let shop = fresh(app, "Roofs", true).await;
        let owner = app.client().signed_in(app, shop.owner()).await;
        let asked = owner.post("/api/team/invites", &json!({"name": "Bob", "email": "bob@roofs.example", "role": "crew"})).await;
        assert_eq!((asked.status.as_u16(), &asked.json()["sent"]), (201, &Value::Null), "{}", asked.json());
        app.run_tasks().await;
        assert_eq!(app.count("message WHERE to_address = 'bob@roofs.example'").await, 0, "no unsent message is stored");
        let path = asked.json()["link"].as_str().unwrap().replace("https://toolbox.example/join/", "/api/public/invite/");
        assert_eq!(app.client().get(&path).await.json()["isEmailClosed"], json!(true));
        let refused = types(app, &path, "bob@roofs.example").await;
        assert_eq!((refused.status.as_u16(), refused.problem().1.as_str()), (403, "trust_limit"));
        let words = refused.json()["detail"].as_str().unwrap().to_owned();
        assert!(words.starts_with("Roofs cannot send email yet") && words.contains("Ask its owner"), "{words}");
        for email in ["vic@stranger.example", shop.owner().email.as_str()] {
            let again = types(app, &path, email).await;
            assert_eq!((again.status, again.json()["detail"].as_str()), (refused.status, Some(words.as_str())), "it reveals no account");
        }
        app.run_tasks().await;
        assert_eq!(join_mails(app), Vec::<String>::new());
        app.within(async |tx| trust_level::set_operator_approval(tx, &app.origin, shop.id(), true).await).await.unwrap();
        assert_eq!(app.client().get(&path).await.json()["isEmailClosed"], json!(false));
        let typed = types(app, &path, "bob@roofs.example").await;
        assert_eq!((typed.status.as_u16(), &typed.json()["step"]), (202, &json!("confirm_email")));
        app.run_tasks().await;
        assert_eq!(join_mails(app), ["bob@roofs.example"]);
        let letter = app.mail.accepted_messages().into_iter().rfind(|letter| letter.to == "bob@roofs.example").unwrap();
        let mailed = letter.text.split_once("/join/").unwrap().1.split_whitespace().next().unwrap();
        assert_eq!(types(app, &format!("/api/public/invite/{mailed}"), "bob@roofs.example").await.status, 201, "he is in");
        app.run_tasks().await;
    }

    async fn mailed_link_still_admits_once_the_business_may_not_send_any_more(app) {
        let stripe = FakeStripe::start().await;
        app.use_billing(&stripe);
        let shop = app.org("Roofs").await;
        let owner = app.client().signed_in(app, shop.owner()).await;
        owner.post("/api/team/invites", &json!({"name": "Bob", "email": "bob@roofs.example", "role": "crew"})).await;
        app.run_tasks().await;
        let letter = app.mail.accepted_messages().into_iter().rfind(|letter| letter.to == "bob@roofs.example").unwrap();
        let mailed = letter.text.split_once("/join/").unwrap().1.split_whitespace().next().unwrap();
        let path = format!("/api/public/invite/{mailed}");
        app.within(async |tx| trust_level::set_operator_approval(tx, &app.origin, shop.id(), false).await).await.unwrap();
        assert_eq!(app.client().get(&path).await.json()["isEmailClosed"], json!(false), "the link proves his address");
        assert_eq!(types(app, &path, "vic@stranger.example").await.status, 403);
        assert_eq!(types(app, &path, "bob@roofs.example").await.status, 201);
        app.run_tasks().await;
    }

    async fn invited_address_is_mailed_twice_a_day_beyond_the_email_budget(app) {
        let shop = fresh(app, "Roofs", true).await;
        let budget = TrustLevel::SenderVerified.budget_for(TrustSubject::Email, false).unwrap();
        let used = (shop.id(), TrustSubject::Email);
        assert!(app.within(async |tx| usage::try_consume_budget(tx, used, 100, budget, app.now()).await).await.unwrap());
        let owner = app.client().signed_in(app, shop.owner()).await;
        let asked = owner.post("/api/team/invites", &json!({"name": "Bob", "email": "bob@roofs.example", "role": "crew"})).await;
        assert_eq!((asked.status.as_u16(), &asked.json()["sent"]), (201, &Value::Null), "{}", asked.json());
        let path = asked.json()["link"].as_str().unwrap().replace("https://toolbox.example/join/", "/api/public/invite/");
        let refused = types(app, &path, "vic@stranger.example").await;
        assert_eq!((refused.status.as_u16(), refused.problem().1.as_str()), (403, "trust_limit"));
        assert!(refused.json()["detail"].as_str().unwrap().contains("Ask its owner to send an invitation"), "{}", refused.json());
        let known = types(app, &path, &shop.owner().email).await;
        assert_eq!((known.status, &known.json()["detail"]), (refused.status, &refused.json()["detail"]), "it reveals no account");
        for status in [202_u16, 202, 403] {
            assert_eq!(types(app, &path, "bob@roofs.example").await.status, status, "two a day to the invited address");
        }
        app.run_tasks().await;
        assert!(join_mails(app).iter().all(|to| to == "bob@roofs.example"), "{:?}", join_mails(app));
    }
}
