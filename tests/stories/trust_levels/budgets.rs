//! The trust levels and what each allows.

use std::cell::Cell;

use shared::{
    domain::{
        messaging::{
            message::{
                send::{self, ClaimOutcome},
                send_budget,
                send_rate::{SendRateLimit, ServiceMemberCounts},
            },
            sending_number,
        },
        tenancy::org::SendChannels,
    },
    platform::{db::Engine, id::MessageId},
};
use tests::phone::ANN;

use super::*;

async fn asks_operator(app: &mut TestApp) -> Client {
    app.settings.platform_admins = vec![email(OPERATOR)];
    let firm = app.org("The Operator's Own").await;
    let sql = "UPDATE account SET email = $2, email_proved_at = created_at WHERE org_id = $1";
    app.within(async |tx| Ok(q!(tx, execute, sql, firm.id(), OPERATOR)?)).await.unwrap();
    let person = tests::people::Person { email: OPERATOR.into(), ..firm.owner().clone() };
    app.client().signed_in(app, &person).await
}

async fn used_before(app: &TestApp, shop: &Shop, what: TrustSubject, used: i64) {
    let budget = TrustLevel::SenderVerified.budget_for(what, false).unwrap();
    let taken =
        app.within(async |tx| usage::try_consume_budget(tx, (shop.id(), what), used, budget, app.now()).await).await;
    assert!(taken.unwrap());
}

/// Reasons of emails and texts beyond the day of a business with a number of its own.
fn beyond_a_day() -> [String; 2] {
    let lifts = "ask the person who runs your Toolbox to lift these limits";
    ["emails to others", "texts"]
        .map(|what| format!("a new business may have 100 {what} a day and 1000 in all; {lifts}"))
}

async fn without_number(app: &TestApp, shop: &Shop) {
    let number = shop.org.sms_number.clone().unwrap();
    app.within(async |tx| sending_number::release_number(tx, &app.origin, &number).await.map(|_| ())).await.unwrap();
}

async fn lift_budgets(operator: &Client, method: Method, org: OrgId) -> u16 {
    let path = format!("/api/admin/businesses/{org}/let-through");
    operator.send(method, &path, "", Vec::new()).await.status.as_u16()
}

both_databases! {
    async fn proven_business_is_held_to_budgets_until_the_operator_lifts_them(app) {
        let operator = asks_operator(app).await;
        let shop = fresh(app, "Roofs", true).await;
        used_before(app, &shop, TrustSubject::Text, 90).await;
        used_before(app, &shop, TrustSubject::Email, 80).await;
        ask(app, &shop, 0..30).await;
        assert_eq!((app.sms.accepted_messages().len(), mailed_customers(app)), (10, 20), "the rest of the daily budgets");
        let owner = app.client().signed_in(app, shop.owner()).await;
        let shown = trust(&owner).await;
        let text = &shown["budgets"][0];
        assert_eq!((&text["what"], &text["usedToday"], &text["aDay"], &text["inAll"]), (&json!("text"), &json!(100), &json!(100), &json!(1000)));
        assert!(shown["next"].as_str().unwrap().contains("the person who runs your Toolbox"), "{shown}");
        assert_eq!(reasons(app, shop.id()).await, beyond_a_day());
        assert_eq!(lift_budgets(&owner, Method::PUT, shop.id()).await, 403, "an owner cannot raise the own trust level");
        assert_eq!(lift_budgets(&operator, Method::PUT, shop.id()).await, 204);
        assert_eq!(lift_budgets(&operator, Method::PUT, shop.id()).await, 204, "twice is once");
        ask(app, &shop, 40..60).await;
        assert_eq!((app.sms.accepted_messages().len(), mailed_customers(app)), (30, 40));
        assert_eq!(trust(&owner).await["budgets"], json!([]));
        let listed = operator.get("/api/admin/clients?q=Roofs").await.json();
        assert_eq!((&listed[0]["isLetThrough"], &listed[0]["trustLevel"]), (&json!(true), &json!("trusted")));
        assert_eq!(lift_budgets(&operator, Method::DELETE, shop.id()).await, 204);
        ask(app, &shop, 70..75).await;
        assert_eq!((app.sms.accepted_messages().len(), mailed_customers(app)), (30, 40), "the budgets hold again");
        for action in ["business_let_through", "business_let_through_undone"] {
            assert_eq!(app.count(&format!("audit_event WHERE action = '{action}'")).await, 1, "{action}");
        }
    }

    async fn last_unit_of_budget_goes_to_one_of_two_concurrent_sends(app) {
        let shop = fresh(app, "Roofs", true).await;
        let budget = TrustLevel::AddressProven.budget_for(TrustSubject::Text, false).unwrap();
        let take = async || {
            let mut tx = app.db.begin().await.unwrap();
            let taken = usage::try_consume_budget(&mut tx, (shop.id(), TrustSubject::Text), 1, budget, app.now()).await.unwrap();
            tx.commit().await.unwrap();
            taken
        };
        for _ in 1..budget.a_day {
            assert!(take().await);
        }
        let (one, two) = tokio::join!(take(), take());
        assert!(one ^ two, "{one} {two}");
        let used = usage::load_usage(&mut app.db.acquire_reader().await.unwrap(), shop.id(), TrustSubject::Text, app.now()).await.unwrap();
        assert_eq!((used.today, used.in_all), (budget.a_day, budget.a_day));
        app.advance(Duration::days(1));
        assert!(take().await, "another day");
    }

    async fn text_refused_after_midnight_gives_back_the_unit_of_the_day_before(app) {
        let app: &TestApp = app;
        let shop = fresh(app, "Roofs", true).await;
        app.sets(&shop, json!({"sending": {"dailyTextBudget": 1}})).await;
        // 23:59:59 UTC is early evening at the business.
        app.advance(Duration::hours(9) - Duration::seconds(1));
        Visitor::number(1).submits_lead(app, &shop).await;
        let sql = "SELECT id FROM message WHERE org_id = $1 AND channel = 'sms' AND direction = 'out'";
        let id = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar MessageId, sql, shop.id()).unwrap();
        let charged = app.now();
        assert_eq!(charged.to_rfc3339(), "2026-09-17T23:59:59+00:00");
        // Another text takes the last one of the business's day, and holds both counts until it commits.
        let mut open = app.db.begin().await.unwrap();
        let budget = TrustLevel::SenderVerified.budget_for(TrustSubject::Text, false).unwrap();
        assert!(usage::try_consume_budget(&mut open, (shop.id(), TrustSubject::Text), 1, budget, charged).await.unwrap());
        let sql = "INSERT INTO sms_daily_usage (org_id, day, texts, segments) VALUES ($1, $2, 1, 1)";
        let day = send_budget::budget_day(shop.org.zone(), charged);
        q!(&mut open, execute, sql, shop.id(), day).unwrap();
        let (set_up, pace) = (
            SendChannels { sms: true, email: true, takes_money: false },
            SendRateLimit { segments_a_second: 1_000, texts_a_day: 1_000_000, members: 1 },
        );
        let is_done = Cell::new(false);
        let claim = async {
            let members = ServiceMemberCounts::default();
            let claim = app.within(async |tx| send::claim_message(tx, &app.origin, "a worker", (set_up, pace), &members, id).await).await;
            is_done.set(true);
            claim.unwrap()
        };
        let other = async {
            let sql = "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
            // `SQLite` allows one writer at a time: there the claim begins after midnight, and charges nothing.
            while app.db.engine() == Engine::Postgres && !is_done.get() {
                if q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar i64, sql).unwrap() > 0 {
                    break;
                }
            }
            assert!(!is_done.get(), "charged, and waiting for the count");
            app.advance(Duration::seconds(2));
            open.commit().await.unwrap();
        };
        let (claim, ()) = futures::join!(claim, other);
        assert!(matches!(claim, ClaimOutcome::Settled));
        let why = reasons(app, shop.id()).await;
        assert!(why.iter().any(|why| why.contains("budget of 1 automatic text")), "{why:?}");
        let used = async |at| usage::load_usage(&mut app.db.acquire_reader().await.unwrap(), shop.id(), TrustSubject::Text, at).await.unwrap();
        let (before, today) = (used(charged).await, used(app.now()).await);
        assert_eq!((before.today, today.today, today.in_all), (1, 0, 1), "only the other text counts");
        app.run_tasks().await;
    }

    async fn invitations_and_imports_are_limited_by_budgets(app) {
        let shop = fresh(app, "Roofs", true).await;
        without_number(app, &shop).await;
        let owner = app.client().signed_in(app, shop.owner()).await;
        let invite = async |n: usize| {
            let body = json!({"name": "Bob", "email": format!("bob{n}@roofs.example"), "role": "crew"});
            owner.post("/api/team/invites", &body).await
        };
        for n in 0..3 {
            assert_eq!(invite(n).await.status, 201);
        }
        let refused = invite(3).await;
        assert_eq!((refused.status.as_u16(), refused.problem().1.as_str()), (403, "trust_limit"));
        assert!(refused.json()["detail"].as_str().unwrap().contains("3 invitations a day and 5 in all"), "{}", refused.json());
        let import = async |rows: std::ops::Range<usize>| {
            let people: String = rows.fold(String::new(), |list, n| list + &format!("Person {n},+1737555{n:04}\n"));
            let file = format!("Name,Phone\n{people}");
            owner.send(Method::POST, "/api/customers/import", "text/csv", file.into_bytes()).await
        };
        assert_eq!(import(0..90).await.problem().1, "trust_limit");
        assert_eq!(app.count("customer").await, 0, "no customer is created");
        assert_eq!(import(0..50).await.status, 200);
        assert_eq!(import(0..50).await.status, 200, "the same list again brings nobody");
        assert_eq!(import(50..51).await.problem().1, "trust_limit");
        app.run_tasks().await;
    }

    async fn manual_messages_count_toward_the_same_budgets(app) {
        let shop = fresh(app, "Roofs", true).await;
        app.switches(&shop, shared::domain::tenancy::org::FeatureSwitches { automated_communications: false, ..shared::domain::tenancy::org::FeatureSwitches::ALL_ON }).await;
        used_before(app, &shop, TrustSubject::Text, 98).await;
        used_before(app, &shop, TrustSubject::Email, 99).await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let owner = app.client().signed_in(app, shop.owner()).await;
        let at = format!("/api/customers/{}/messages", app.lead(shop.id(), lead).await.customer_id);
        let writes = async |channel: &str| {
            let sent = owner.post(&at, &json!({"channel": channel, "body": "On my way"})).await;
            assert_eq!(sent.status, 201, "{}", sent.json());
            app.run_tasks().await;
        };
        for channel in ["sms", "email", "sms", "email", "sms"] {
            writes(channel).await;
        }
        assert_eq!((app.sms.accepted_messages().len(), mailed_customers(app)), (2, 1), "the rest of the daily budgets");
        let shown = trust(&owner).await;
        assert_eq!((&shown["budgets"][0]["usedToday"], &shown["budgets"][1]["usedToday"]), (&json!(100), &json!(100)));
        assert_eq!(reasons(app, shop.id()).await, beyond_a_day());
    }

    async fn text_sent_again_is_counted_again_and_refused_beyond_the_budget(app) {
        let mut shop = fresh(app, "Roofs", true).await;
        let line = app.line(&mut shop, "+15125550100").await;
        app.switches(&shop, shared::domain::tenancy::org::FeatureSwitches { automated_communications: false, ..shared::domain::tenancy::org::FeatureSwitches::ALL_ON }).await;
        used_before(app, &shop, TrustSubject::Text, 97).await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let owner = app.client().signed_in(app, shop.owner()).await;
        let at = format!("/api/customers/{}/messages", app.lead(shop.id(), lead).await.customer_id);
        let written = owner.post(&at, &json!({"channel": "sms", "body": "On my way"})).await.json();
        let path = format!("/api/messages/{}/retry", written["id"].as_str().unwrap());
        app.run_tasks().await;
        // The carrier filters each of them.
        let failed = "UPDATE message SET status = 'failed' WHERE org_id = $1 AND channel = 'sms' AND direction = 'out'";
        let press = async |owner: &Client| {
            app.within(async |tx| Ok(q!(tx, execute, failed, shop.id())?)).await.unwrap();
            let pressed = owner.post(&path, &Value::Null).await;
            app.run_tasks().await;
            pressed
        };
        for _ in 0..2 {
            let pressed = press(&owner).await;
            assert_eq!(pressed.status, 202, "{}", pressed.json());
        }
        assert_eq!((line.texts_to(ANN).len(), &trust(&owner).await["budgets"][0]["usedToday"]), (3, &json!(100)));
        let refused = press(&owner).await;
        assert_eq!(refused.status, 409);
        assert!(refused.json().to_string().contains("100 texts"), "{}", refused.json());
        assert_eq!(line.texts_to(ANN).len(), 3);
        app.advance(Duration::days(1));
        let owner = app.client().signed_in(app, shop.owner()).await;
        let pressed = press(&owner).await;
        assert_eq!(pressed.status, 202, "another day: {}", pressed.json());
        let used = usage::load_usage(&mut app.db.acquire_reader().await.unwrap(), shop.id(), TrustSubject::Text, app.now()).await.unwrap();
        assert_eq!((line.texts_to(ANN).len(), used.today, used.in_all), (4, 1, 101));
    }

    async fn join_mail_to_other_than_the_invited_address_uses_the_email_budget(app) {
        let shop = fresh(app, "Roofs", true).await;
        used_before(app, &shop, TrustSubject::Email, 98).await;
        let owner = app.client().signed_in(app, shop.owner()).await;
        let asked = owner.post("/api/team/invites", &json!({"name": "Bob", "email": "bob@roofs.example", "role": "crew"})).await;
        app.run_tasks().await;
        assert_eq!(trust(&owner).await["budgets"][1]["usedToday"], json!(99), "the invitation itself");
        let at = asked.json()["link"].as_str().unwrap().replace("https://toolbox.example/join/", "/api/public/invite/");
        let types = async |email: &str| {
            app.client().post(&at, &json!({"name": "Vic", "email": email, "password": PASSWORD})).await
        };
        assert_eq!(types("vic@stranger.example").await.status, 202);
        assert_eq!(trust(&owner).await["budgets"][1]["usedToday"], json!(100));
        assert_eq!(types("val@stranger.example").await.problem().1, "trust_limit");
        assert_eq!(types("bob@roofs.example").await.status, 202, "the invited address is paid for");
        app.run_tasks().await;
        let strangers = app.mail.accepted_messages().into_iter().filter(|letter| letter.to.ends_with("@stranger.example")).count();
        assert_eq!(strangers, 1);
    }

    async fn invitation_confirmations_are_limited_per_invitation_and_business(app) {
        let shop = fresh(app, "Roofs", true).await;
        let owner = app.client().signed_in(app, shop.owner()).await;
        let mut paths = Vec::new();
        for n in 0..5 {
            let body = json!({"name": "Bob", "email": format!("bob{n}@roofs.example"), "role": "crew"});
            let link = owner.post("/api/team/invites", &body).await.json()["link"].as_str().unwrap().to_owned();
            paths.push(format!("/api/public/invite/{}", link.trim_start_matches("https://toolbox.example/join/")));
        }
        let types = async |at: &str, n: usize| {
            let vic = json!({"name": "Vic", "email": format!("vic{n}@stranger.example"), "password": PASSWORD});
            app.client().post(at, &vic).await.status.as_u16()
        };
        let mut answers = Vec::new();
        for (n, at) in paths.iter().enumerate() {
            for of_one in 0..6 {
                answers.push(types(at, n * 10 + of_one).await);
            }
            app.advance(Duration::hours(1));
        }
        let of_one = [202, 202, 202, 202, 202, 429];
        let wanted = [of_one.repeat(4), vec![429; 6]].concat();
        assert_eq!(answers, wanted, "five of an invitation, twenty of a business that is new");
        app.run_tasks().await;
        let strangers = app.mail.accepted_messages().into_iter().filter(|letter| letter.to.ends_with("@stranger.example")).count();
        assert_eq!(strangers, 20);
        app.advance(Duration::days(1));
        assert_eq!(types(&paths[4], 99).await, 202, "another day");
        app.run_tasks().await;
    }

    async fn refused_tries_at_one_invitation_do_not_count_for_the_others(app) {
        let shop = fresh(app, "Roofs", true).await;
        let owner = app.client().signed_in(app, shop.owner()).await;
        let mut paths = Vec::new();
        for n in 0..2 {
            let body = json!({"name": "Bob", "email": format!("bob{n}@roofs.example"), "role": "crew"});
            let link = owner.post("/api/team/invites", &body).await.json()["link"].as_str().unwrap().to_owned();
            paths.push(format!("/api/public/invite/{}", link.trim_start_matches("https://toolbox.example/join/")));
        }
        let vic = json!({"name": "Vic", "email": "vic@stranger.example", "password": "short"});
        let mut answers = Vec::new();
        for _ in 0..70 {
            answers.push(app.client().post(&paths[0], &vic).await.status.as_u16());
        }
        assert_eq!(answers, [vec![422; 20], vec![429; 50]].concat());
        assert_eq!(app.client().post(&paths[1], &vic).await.status, 422, "the other invitation is as it was");
        app.run_tasks().await;
    }

    async fn unpaid_business_on_paid_install_writes_only_to_its_proven_address(app) {
        let stripe = FakeStripe::start().await;
        app.use_billing(&stripe);
        let shop = fresh(app, "Roofs", true).await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        assert_eq!((app.sms.accepted_messages().len(), receivers(app)), (0, vec![shop.owner().email.clone()]), "only the owner gets the alert");
        assert_eq!(reasons(app, shop.id()).await, [trust_level::NOT_PAID]);
        let kept = app.lead(shop.id(), lead).await;
        let unsent: Vec<_> = kept.messages.iter().filter(|m| !m.body.is_empty() && m.status_text.contains("first payment")).collect();
        assert_eq!(unsent.len(), 2, "what would have been sent can be read in full: {:?}", kept.messages);
        app.tells(&shop, shared::domain::messaging::message::MessageChannel::Email, "stranger@else.example").await;
        Visitor::number(7).submits_lead(app, &shop).await;
        app.run_tasks().await;
        assert!(!receivers(app).contains(&"stranger@else.example".to_owned()), "{:?}", receivers(app));
        let begun = "INSERT INTO subscription (id, org_id, provider_id, customer_id, fact_at, is_answer, status, has_begun,
                plan, period_start, period_end, for_nonpayment, is_counted, created_at)
            VALUES ($1, $2, 'sub_1', 'cus_1', $3, TRUE, 'active', TRUE, 'monthly', $3, $4, FALSE, TRUE, $3)";
        let until = app.now() + Duration::days(30);
        app.within(async |tx| Ok(q!(tx, execute, begun, app.origin.uuid_v7(), shop.id(), app.now(), until)?)).await.unwrap();
        Visitor::number(8).submits_lead(app, &shop).await;
        app.run_tasks().await;
        assert_eq!(app.sms.accepted_messages().len(), 1, "a paying business may send");
    }

    async fn unpaid_business_on_paid_install_adds_and_calls_no_webhook(app) {
        let stripe = FakeStripe::start().await;
        let shop = fresh(app, "Roofs", true).await;
        let owner = app.client().signed_in(app, shop.owner()).await;
        let path = format!("/api/org/{}/webhooks", shop.id());
        let hook = |n: usize| json!({"url": format!("https://hooks.example.com/{n}"), "events": ["lead.created"]});
        let made = owner.post(&path, &hook(1)).await;
        assert_eq!(made.status, 201, "where nobody pays: {}", made.json());
        let one = format!("{path}/{}", made.json()["id"].as_str().unwrap());
        app.use_billing(&stripe);
        let owner = app.client().signed_in(app, shop.owner()).await;
        let patch = async |body: Value| owner.send(Method::PATCH, &one, "application/json", body.to_string().into_bytes()).await;
        for refused in [
            owner.post(&path, &hook(2)).await,
            patch(json!({"url": "https://hooks.example.com/other"})).await,
            owner.post(&format!("{one}/test"), &Value::Null).await,
        ] {
            assert_eq!((refused.status.as_u16(), refused.problem().1.as_str()), (403, "trust_limit"));
            let words = refused.json()["detail"].to_string();
            assert!(words.contains("before your first payment"), "{words}");
        }
        assert_eq!(patch(json!({"isOn": false})).await.status, 200, "it can still be turned off");
        assert_eq!(patch(json!({"isOn": true})).await.problem().1, "trust_limit");
        assert_eq!(app.count("webhook_delivery").await, 0, "nothing is posted");
        app.within(async |tx| Ok(q!(tx, execute, "UPDATE webhook SET is_on = TRUE WHERE org_id = $1", shop.id())?)).await.unwrap();
        Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let refused = "webhook_attempt WHERE outcome LIKE '%before your first payment%'";
        assert_eq!((app.count("webhook_delivery WHERE state = 'failed'").await, app.count(refused).await), (1, 1));
    }
}
