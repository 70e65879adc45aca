//! A request by a form is a conversation of the inbox, as a text or a call is.

use shared::domain::messaging::lead_response;

use super::*;

async fn listed(client: &Client, filter: &str) -> Vec<Value> {
    let list = client.get(&format!("/api/inbox?filter={filter}")).await.json();
    list.as_array().unwrap().clone()
}

/// A form that the spam protection holds back.
async fn submits_spam(app: &TestApp, shop: &Shop) -> shared::platform::id::LeadId {
    let mut robot = Visitor::ann();
    robot.form.company = Some("Best SEO Ltd".into());
    robot.form.notes = Some("Buy our links".into());
    let lead = robot.submits_lead(app, shop).await;
    app.run_tasks().await;
    lead
}

/// What Ann asked is done: her next form is a request of its own.
async fn ends_requests(app: &TestApp, shop: &Shop) {
    let sql = "UPDATE lead SET stage = 'paid' WHERE org_id = $1";
    app.within(async |tx| Ok(q!(tx, execute, sql, shop.id())?)).await.unwrap();
    app.advance(Duration::minutes(20));
}

both_databases! {
    async fn form_request_is_a_conversation_that_waits_for_an_answer(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let office = office(app, &shop).await;
        let list = office.get("/api/inbox").await;
        assert_eq!((list.header("x-total-count"), list.header("x-unread-count")), ("1", "1"));
        let thread = list.json()[0].clone();
        assert_eq!((&thread["lastKind"], &thread["lastPreview"]), (&json!("form"), &json!("Water on the floor")));
        assert_eq!((&thread["leadId"], &thread["unread"]), (&json!(lead), &json!(1)));
        assert!(thread["waitingSince"].is_string(), "a rule's answer is no person's: {thread}");
        let ann = customer(&office).await;
        let talk = conversation(&office, &ann).await;
        let first = &talk["items"][0];
        assert_eq!((&first["type"], &first["form"]), (&json!("touch"), &json!("lead")));
        assert_eq!((&first["notes"], &first["leadId"]), (&json!("Water on the floor"), &json!(lead)));
        assert_eq!((&talk["canText"]["ok"], &talk["canEmail"]["ok"]), (&json!(true), &json!(true)));
        assert_eq!(talk["thread"]["waitingSince"], thread["waitingSince"]);
        app.advance(Duration::minutes(1));
        let written = json!({"channel": "sms", "body": "We come at four."});
        let sent = office.post(&format!("/api/customers/{ann}/messages"), &written).await;
        assert_eq!(sent.status, 201, "{}", sent.json());
        app.run_tasks().await;
        assert!(line.texts_to(ANN).contains(&"We come at four.".to_owned()));
        let answered = listed(&office, "open").await.remove(0);
        assert_eq!((&answered["waitingSince"], &answered["unread"]), (&Value::Null, &json!(0)));
        assert_eq!((&answered["lastKind"], answered["lastPreview"].as_str()), (&json!("out"), Some("We come at four.")));
        assert!(listed(&office, "unread").await.is_empty());
    }

    async fn noted_answer_of_a_form_ends_its_wait_and_marks_it_read(app) {
        let shop = app.org("Acme Plumbing").await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let office = office(app, &shop).await;
        app.advance(Duration::minutes(1));
        let noted = office.post(&format!("/api/leads/{lead}/answered"), &json!({"how": "answered"})).await;
        assert_eq!(noted.status, 200, "{}", noted.json());
        let thread = listed(&office, "open").await.remove(0);
        assert_eq!((&thread["waitingSince"], &thread["unread"]), (&Value::Null, &json!(0)));
        app.run_tasks().await;
    }

    async fn repeated_form_reopens_a_closed_conversation(app) {
        let shop = app.org("Acme Plumbing").await;
        Visitor::number(1).submits_lead(app, &shop).await;
        app.run_tasks().await;
        let office = office(app, &shop).await;
        let path = format!("/api/customers/{}/thread", customer(&office).await);
        let closed = send(&office, Method::PATCH, &path, &json!({"isClosed": true})).await;
        assert_eq!(closed.status, 200, "{}", closed.json());
        assert_eq!((listed(&office, "open").await.len(), listed(&office, "closed").await.len()), (0, 1));
        app.advance(Duration::minutes(20));
        let mut again = Visitor::number(1);
        again.form.notes = Some("It rains in now".into());
        again.submits_lead(app, &shop).await;
        app.run_tasks().await;
        let thread = listed(&office, "open").await.remove(0);
        assert_eq!((&thread["lastPreview"], &thread["unread"]), (&json!("It rains in now"), &json!(2)));
        assert_eq!(thread["lastAt"].as_str().unwrap().parse::<chrono::DateTime<chrono::Utc>>().unwrap(), app.now());
    }

    async fn held_form_enters_the_inbox_with_its_release(app) {
        let shop = app.org("Acme Plumbing").await;
        let mut robot = Visitor::number(7);
        robot.form.company = Some("Best SEO Ltd".into());
        let lead = robot.submits_lead(app, &shop).await;
        app.run_tasks().await;
        let office = office(app, &shop).await;
        assert!(listed(&office, "open").await.is_empty());
        app.releases(&shop, lead).await.unwrap();
        assert_eq!(listed(&office, "open").await[0]["lastKind"], "form");
        let talk = conversation(&office, &customer(&office).await).await;
        assert_eq!(types(&talk).first().map(String::as_str), Some("touch"), "{talk}");
        app.advance(Duration::seconds(20));
        let again = app.within(async |tx| {
            lead_response::quarantine_again(tx, &app.origin, shop.id(), lead, "Olive Owner").await
        });
        again.await.unwrap();
        for filter in ["open", "unread", "closed"] {
            assert!(listed(&office, filter).await.is_empty(), "{filter}");
        }
        app.live_through(Duration::minutes(3), Duration::minutes(1)).await;
    }

    async fn release_taken_back_leaves_a_known_conversation_as_it_was(app) {
        let (shop, _line, office, ann) = ann_has_written(app).await;
        ends_requests(app, &shop).await;
        let before = conversation(&office, &ann).await["thread"].clone();
        let lead = submits_spam(app, &shop).await;
        let held = conversation(&office, &ann).await;
        assert!(!held["items"].to_string().contains("Buy our links"), "{held}");
        app.releases(&shop, lead).await.unwrap();
        let released = conversation(&office, &ann).await;
        assert!(released["items"].to_string().contains("Buy our links"), "{released}");
        assert_eq!((&released["thread"]["lastPreview"], &released["thread"]["unread"]), (&json!("Buy our links"), &json!(2)));
        app.advance(Duration::seconds(20));
        let again = app.within(async |tx| {
            lead_response::quarantine_again(tx, &app.origin, shop.id(), lead, "Olive Owner").await
        });
        again.await.unwrap();
        let after = conversation(&office, &ann).await;
        assert!(!after["items"].to_string().contains("Buy our links"), "{after}");
        for name in ["lastPreview", "lastKind", "unread", "leadId", "isClosed"] {
            assert_eq!(after["thread"][name], before[name], "{name}");
        }
        app.live_through(Duration::minutes(3), Duration::minutes(1)).await;
    }

    async fn suspicious_form_about_an_open_request_is_in_no_conversation(app) {
        let shop = app.org("Acme Plumbing").await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let office = office(app, &shop).await;
        let ann = customer(&office).await;
        app.advance(Duration::minutes(20));
        submits_spam(app, &shop).await;
        let touches = app.lead(shop.id(), lead).await.summary.touch_count;
        assert_eq!(touches, 2, "it joined the open request");
        let talk = conversation(&office, &ann).await;
        assert_eq!(types(&talk).iter().filter(|kind| *kind == "touch").count(), 1, "{talk}");
        assert!(!talk["items"].to_string().contains("Buy our links"), "{talk}");
        assert_eq!((&talk["thread"]["lastPreview"], &talk["thread"]["unread"]), (&json!("Water on the floor"), &json!(1)));
    }

    async fn form_under_another_name_says_so_and_leaves_the_lead_of_the_conversation(app) {
        let (shop, _line, office, ann) = ann_has_written(app).await;
        ends_requests(app, &shop).await;
        let named = "UPDATE customer SET name = 'Ann Lee' WHERE org_id = $1";
        app.within(async |tx| Ok(q!(tx, execute, named, shop.id())?)).await.unwrap();
        let before = conversation(&office, &ann).await["thread"].clone();
        let stranger = Visitor::ann().named("Mallory").email(Some("stranger@evil.example"));
        let lead = stranger.submits_lead(app, &shop).await;
        app.run_tasks().await;
        let talk = conversation(&office, &ann).await;
        let form = talk["items"].as_array().unwrap().iter().find(|item| item["type"] == "touch").unwrap().clone();
        assert_eq!((&form["leadId"], &form["notes"]), (&json!(lead), &json!("Water on the floor")), "{talk}");
        assert_eq!(talk["thread"]["leadId"], before["leadId"], "an answer goes on with the former request");
        assert!(form["typedName"] == "Mallory", "{form}");
    }

    async fn form_without_words_shows_the_label_of_its_service(app) {
        let shop = app.org("Acme Plumbing").await;
        let mut ann = Visitor::ann();
        ann.form.notes = None;
        ann.submits_lead(app, &shop).await;
        app.run_tasks().await;
        let office = office(app, &shop).await;
        assert_eq!(listed(&office, "open").await[0]["lastPreview"], "Plumbing");
        let record = office.get(&format!("/api/customers/{}", customer(&office).await)).await.json();
        assert_eq!(record["thread"]["lastPreview"], "Plumbing", "{record}");
    }

    async fn undone_answer_of_a_form_is_unread_again(app) {
        let shop = app.org("Acme Plumbing").await;
        Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let office = office(app, &shop).await;
        app.advance(Duration::minutes(1));
        let item = office.get("/api/worklist?view=next").await.json()[0].clone();
        let path = format!("/api/worklist/{}", item["key"].as_str().unwrap());
        assert_eq!(office.post(&format!("{path}/done"), &json!({"since": item["since"]})).await.status, 204);
        assert!(listed(&office, "unread").await.is_empty());
        assert_eq!(office.send(Method::POST, &format!("{path}/undo"), "", Vec::new()).await.status, 204);
        let thread = listed(&office, "unread").await.remove(0);
        assert!(thread["unread"] == 1 && thread["waitingSince"].is_string(), "{thread}");
        app.run_tasks().await;
    }
}
