//! Demo requests as the operator sees them, and a customer who paid and never got the mail.

use super::*;

async fn stranded(app: &mut TestApp) -> (FakeStripe, Client, String) {
    let stripe = takes_payments(app).await;
    let shop = app.org("Acme Plumbing").await;
    app.settings.platform_admins = vec![email(&shop.owner().email)];
    let proved = "UPDATE account SET email_proved_at = created_at WHERE org_id = $1";
    app.within(async |tx| Ok(q!(tx, execute, proved, shop.id())?)).await.unwrap();
    let operator = app.client().signed_in(app, shop.owner()).await;
    let begun = app.client().post("/api/create-subscription", &rita(None)).await.json();
    let path = format!("/api/demo-requests/{}/invite", begun["id"].as_str().unwrap());
    assert_eq!(operator.post(&path, &json!({})).await.problem().1, "conflict", "nothing was paid yet");
    let id = stripe.subscriptions()[0].id.clone();
    stripe.is_paid(&id, app.now());
    tells(app, stripe.subscription_event("customer.subscription.updated", &id, app.now())).await;
    app.run_tasks().await;
    (stripe, operator, path)
}

both_databases! {
    async fn claim_letter_for_mistyped_address_is_sent_to_the_corrected_one(app) {
        let (_, operator, path) = stranded(app).await;
        assert_eq!(operator.get("/api/demo-requests").await.json()[0]["isWaiting"], true);
        let right = json!({"email": "Rita@Right.example"});
        for _ in 0..2 {
            let sent = operator.post(&path, &right).await;
            assert_eq!((sent.status.as_u16(), sent.json()), (202, json!({"status": "sent"})));
        }
        app.run_tasks().await;
        let found: Vec<_> = app.mail.accepted_messages().into_iter().filter(|letter| letter.to == "rita@right.example").collect();
        assert_eq!(found.len(), 1, "once to each address");
        let (_, rest) = found[0].text.split_once("/app/billing?claim=").unwrap();
        let claim = json!({"token": rest.split_whitespace().next().unwrap()});
        assert_eq!(operator.get("/api/demo-requests").await.json()[0]["email"], "rita@right.example");

        let shop = app.org("Roofs & Co").await;
        let owner = app.client().signed_in(app, shop.owner()).await;
        assert_eq!(owner.post("/api/claim-subscription", &claim).await.status, 200);
        let listed = operator.get("/api/demo-requests").await.json();
        assert_eq!((listed[0]["isPaid"].clone(), listed[0]["isWaiting"].clone()), (json!(true), json!(false)));
        assert_eq!(operator.post(&path, &right).await.problem().1, "conflict", "a business has it");
    }

    async fn claim_letter_can_be_resent_to_the_given_address(app) {
        let (_, operator, path) = stranded(app).await;
        let before = letters(app, "rita@roofs.example");
        assert_eq!(operator.post(&path, &json!({})).await.status, 202);
        app.run_tasks().await;
        assert_eq!((before.len(), letters(app, "rita@roofs.example").len()), (1, 2));
    }

    async fn claim_letter_is_sent_once_per_idempotency_key(app) {
        let (_, operator, path) = stranded(app).await;
        let operator = operator.with("idempotency-key", "one key");
        for _ in 0..2 {
            let sent = operator.post(&path, &json!({})).await;
            assert_eq!((sent.status.as_u16(), sent.json()), (202, json!({"status": "sent"})));
        }
        let problem = operator.post(&path, &json!({"email": "rita@right.example"})).await.problem();
        assert_eq!((problem.0, problem.1.as_str()), (422, "idempotency_mismatch"));
        app.run_tasks().await;
        assert_eq!((letters(app, "rita@roofs.example").len(), letters(app, "rita@right.example").len()), (2, 0));
    }

    async fn demo_request_list_is_paginated_newest_first(app) {
        let (_, operator, _) = stranded(app).await;
        for n in 1..=4 {
            app.advance(Duration::seconds(1));
            let mut form = rita(None);
            form["email"] = json!(format!("rita-{n}@roofs.example"));
            assert_eq!(app.client().post("/api/create-subscription", &form).await.status, 201);
        }
        let (mut next, mut seen) = (Some("/api/demo-requests?limit=2".to_owned()), Vec::new());
        while let Some(path) = next {
            let page = operator.get(&path).await;
            assert_eq!((page.status.as_u16(), page.header("x-total-count")), (200, "5"), "{path}");
            seen.push(page.json().as_array().unwrap().iter().map(|one| one["email"].clone()).collect::<Vec<_>>());
            next = page.headers.get("link").map(|_| page.header("link").split(['<', '>']).nth(1).unwrap().to_owned());
        }
        let of = |n: u32| json!(format!("rita-{n}@roofs.example"));
        assert_eq!(seen, [vec![of(4), of(3)], vec![of(2), of(1)], vec![json!("rita@roofs.example")]], "the newest first");
        for (asked, field) in [("limit=0", "limit"), ("limit=501", "limit"), ("cursor=in_1", "cursor")] {
            let problem = operator.get(&format!("/api/demo-requests?{asked}")).await.problem();
            assert_eq!((problem.0, problem.2), (422, vec![field.to_owned()]), "{asked}");
        }
        app.run_tasks().await;
    }

    async fn claim_letter_requires_recently_authenticated_operator(app) {
        let (_, operator, path) = stranded(app).await;
        let other = app.org("Best Roofing").await;
        let stranger = app.client().signed_in(app, other.owner()).await;
        assert_eq!(stranger.post(&path, &json!({"email": "thief@best.example"})).await.status, 403);
        assert_eq!(app.client().post(&path, &json!({})).await.status, 401);
        assert_eq!(operator.post(&path, &json!({"email": "rita@"})).await.problem().2, ["email"]);
        let nobody = format!("/api/demo-requests/{}/invite", uuid::Uuid::from_u128(7));
        assert_eq!(operator.post(&nobody, &json!({})).await.status, 404);
        app.advance(Duration::minutes(16));
        assert_eq!(operator.post(&path, &json!({})).await.problem().1, "reauthentication_needed");
        app.run_tasks().await;
        assert!(letters(app, "thief@best.example").is_empty());
    }
}
