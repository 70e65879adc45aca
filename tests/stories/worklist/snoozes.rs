//! Who is snoozed does not wait until that time, on any screen.

use shared::domain::{
    growth::{metrics::figures, worklist},
    tenancy::org::{self, OrgProfile},
};

use super::*;

async fn profile(app: &TestApp, shop: &Shop) -> OrgProfile {
    let mut conn = app.db.acquire_reader().await.unwrap();
    let org = org::find(&mut conn, shop.id()).await.unwrap().unwrap();
    org::load_profile(&mut conn, org).await.unwrap()
}

/// Whether the one customer waits: by the worklist and its count, the dashboard, the inbox, and the list of leads.
async fn waits(app: &TestApp, shop: &Shop, client: &Client, customer: CustomerId) -> bool {
    let listed = !next(client).await.is_empty();
    let profile = profile(app, shop).await;
    let mut conn = app.db.acquire_reader().await.unwrap();
    let shown = figures::load_figures(&mut conn, &profile, app.now()).await.unwrap();
    drop(conn);
    let talk = client.get(&format!("/api/customers/{customer}/conversation")).await.json();
    let inbox = client.get("/api/inbox?q=lee").await.json();
    let leads = client.get(&format!("/api/leads/{}", shop.id())).await.json();
    let waiting = client.get(&format!("/api/leads/{}?waiting=true", shop.id())).await;
    let board = client.get("/api/pipeline").await.json();
    let seen = [
        ("the dashboard", shown.waiting.waiting > 0),
        ("the conversation", talk["thread"]["waitingSince"].is_string()),
        ("the inbox", inbox[0]["waitingSince"].is_string()),
        ("the lead", leads[0]["waitingSince"].is_string()),
        ("the leads that wait", !waiting.json().as_array().unwrap().is_empty()),
        ("the count of the leads that wait", waiting.header("x-total-count") != "0"),
        ("the pipeline", board[0]["leads"][0]["waitingSince"].is_string()),
    ];
    for (screen, is_waiting) in seen {
        assert_eq!(is_waiting, listed, "{screen} and the worklist");
    }
    listed
}

both_databases! {
    async fn form_snoozed_in_the_inbox_waits_nowhere_until_its_time(app) {
        let (shop, owner) = acme(app).await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let customer = customer_of(app, &shop, lead).await;
        assert!(waits(app, &shop, &owner, customer).await);
        let until = app.now() + Duration::minutes(30);
        let body = json!({"snoozedUntil": until}).to_string().into_bytes();
        let path = format!("/api/customers/{customer}/thread");
        let snoozed = owner.send(Method::PATCH, &path, "application/json", body).await;
        assert_eq!((snoozed.status.as_u16(), &snoozed.json()["waitingSince"]), (200, &Value::Null), "{}", snoozed.json());
        assert!(!waits(app, &shop, &owner, customer).await);
        assert_eq!(view(&owner, "view=snoozed").await.len(), 1);
        app.advance(Duration::minutes(31));
        assert!(waits(app, &shop, &owner, customer).await);
        app.run_tasks().await;
    }

    async fn form_snoozed_in_the_worklist_waits_nowhere_until_its_time(app) {
        let (shop, owner) = acme(app).await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let customer = customer_of(app, &shop, lead).await;
        let item = next(&owner).await.remove(0);
        let body = json!({"since": item["since"], "until": app.now() + Duration::minutes(30)});
        assert_eq!(posts(&owner, &key(&item), "snooze", &body).await.status, 204);
        assert!(!waits(app, &shop, &owner, customer).await);
        assert_eq!(undone(&owner, &key(&item)).await.status, 204);
        assert!(waits(app, &shop, &owner, customer).await);
        assert_eq!(posts(&owner, &key(&item), "snooze", &body).await.status, 204);
        app.advance(Duration::minutes(31));
        assert!(waits(app, &shop, &owner, customer).await);
        app.run_tasks().await;
    }

    async fn form_of_a_closed_conversation_waits_nowhere_until_a_new_form(app) {
        let (shop, owner) = acme(app).await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let customer = customer_of(app, &shop, lead).await;
        assert!(waits(app, &shop, &owner, customer).await);
        app.advance(Duration::minutes(1));
        let path = format!("/api/customers/{customer}/thread");
        let body = json!({"isClosed": true}).to_string().into_bytes();
        let closed = owner.send(Method::PATCH, &path, "application/json", body).await;
        assert_eq!((closed.status.as_u16(), &closed.json()["waitingSince"]), (200, &Value::Null), "{}", closed.json());
        assert!(!waits(app, &shop, &owner, customer).await);
        app.advance(Duration::minutes(20));
        Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        assert!(waits(app, &shop, &owner, customer).await, "it reopens the conversation");
    }

    async fn wait_of_one_conversation_is_read_alone_and_is_of_its_newest_word(app) {
        let (shop, line, owner) = with_line(app).await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        Visitor::number(2).submits_lead(app, &shop).await;
        app.run_tasks().await;
        let customer = customer_of(app, &shop, lead).await;
        let profile = profile(app, &shop).await;
        let mut conn = app.db.acquire_reader().await.unwrap();
        let all = worklist::load_thread_waits(&mut conn, &profile, app.now(), None).await.unwrap();
        let one = worklist::load_thread_waits(&mut conn, &profile, app.now(), Some(customer)).await.unwrap();
        drop(conn);
        assert_eq!((all.len(), one.keys().copied().collect::<Vec<_>>()), (2, vec![customer]));
        app.advance(Duration::minutes(5));
        line.writes(ANN, "Are you there?").await;
        app.run_tasks().await;
        let talk = owner.get(&format!("/api/customers/{customer}/conversation")).await.json();
        let since: chrono::DateTime<chrono::Utc> = talk["thread"]["waitingSince"].as_str().unwrap().parse().unwrap();
        assert_eq!(since, app.now());
    }

    async fn snoozed_text_waits_nowhere_until_its_time(app) {
        let (shop, line, owner) = with_line(app).await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let customer = customer_of(app, &shop, lead).await;
        app.advance(Duration::minutes(1));
        line.writes(ANN, "Are you there?").await;
        app.run_tasks().await;
        let item = next(&owner).await.remove(0);
        let body = json!({"since": item["since"], "until": app.now() + Duration::minutes(30)});
        assert_eq!(posts(&owner, &key(&item), "snooze", &body).await.status, 204);
        assert!(!waits(app, &shop, &owner, customer).await);
        app.advance(Duration::minutes(1));
        line.writes(ANN, "Hello?").await;
        app.run_tasks().await;
        assert!(waits(app, &shop, &owner, customer).await, "what comes later wakes it up");
    }
}
