//! The inbox over HTTP: customers' messages, replies of the business, and customers who may not be written to.

use axum::http::Method;
use chrono::Duration;
use serde_json::{Value, json};
use shared::{domain::tenancy::account::Role, platform::db::q};
use tests::{
    app::TestApp,
    both_databases,
    fake_twilio::{ACCOUNT_SID, InboundText, MmsPicture},
    http::{Answer, Client, pixel},
    people::{Shop, Visitor},
    phone::{ANN, Line},
};

mod form_requests;

const NUMBER: &str = "+15125550100";

async fn office(app: &TestApp, shop: &Shop) -> Client {
    app.client().signed_in(app, shop.owner()).await
}

async fn send(client: &Client, method: Method, path: &str, body: &Value) -> Answer {
    client.send(method, path, "application/json", body.to_string().into_bytes()).await
}

async fn customer(client: &Client) -> String {
    let threads = client.get("/api/inbox").await.json();
    assert_eq!(threads.as_array().map(Vec::len), Some(1), "{threads}");
    threads[0]["customerId"].as_str().unwrap().to_owned()
}

async fn conversation(client: &Client, customer: &str) -> Value {
    let answer = client.get(&format!("/api/customers/{customer}/conversation")).await;
    assert_eq!(answer.status, 200, "{}", answer.json());
    answer.json()
}

async fn ann_has_written(app: &mut TestApp) -> (Shop, Line, Client, String) {
    let mut shop = app.org("Acme Plumbing").await;
    let line = app.line(&mut shop, NUMBER).await;
    line.writes(ANN, "Do you fix boilers?").await;
    app.run_tasks().await;
    let office = office(app, &shop).await;
    let ann = customer(&office).await;
    (shop, line, office, ann)
}

fn types(conversation: &Value) -> Vec<String> {
    let items = conversation["items"].as_array().unwrap();
    items.iter().map(|item| item["type"].as_str().unwrap().to_owned()).collect()
}

both_databases! {
    async fn customer_message_is_unread_until_answered(app) {
        let (_shop, line, office, ann) = ann_has_written(app).await;
        let list = office.get("/api/inbox").await;
        assert_eq!((list.header("x-total-count"), list.header("x-unread-count")), ("1", "1"));
        assert_eq!(list.json()[0]["lastPreview"], "Do you fix boilers?");
        app.advance(Duration::minutes(1));
        line.rings(ANN, []).await;
        assert_eq!(office.get("/api/inbox").await.json()[0]["unread"], 2, "a call counts");
        app.advance(Duration::minutes(1));
        let written = json!({"channel": "sms", "body": "We do. Shall I come at four?"});
        let sent = office.post(&format!("/api/customers/{ann}/messages"), &written).await;
        assert_eq!(sent.status, 201, "{}", sent.json());
        assert_eq!(office.get("/api/inbox").await.json()[0]["unread"], 0);
        app.run_tasks().await;
        assert!(line.texts_to(ANN).contains(&"We do. Shall I come at four?".to_owned()));
        let thread = conversation(&office, &ann).await;
        assert_eq!(types(&thread), ["message", "message", "call", "message"], "theirs, the rule's, the call, ours");
        assert_eq!(thread["items"][3]["message"]["author"]["name"], "Olive Owner");
        app.live_through(Duration::hours(6), Duration::minutes(20)).await;
        assert_eq!(line.texts_to(ANN).len(), 2, "no rule cuts in on people: {:?}", line.texts_to(ANN));
    }

    async fn list_and_customer_page_show_state_of_our_last_message(app) {
        let (_shop, _line, office, ann) = ann_has_written(app).await;
        let shown = async || {
            let list = office.get("/api/inbox").await.json()[0]["lastStatus"].clone();
            let page = office.get(&format!("/api/customers/{ann}")).await.json()["thread"]["lastStatus"].clone();
            assert_eq!(list, page);
            list
        };
        assert_eq!(shown().await, Value::Null, "the last word is theirs");
        app.advance(Duration::minutes(1));
        let path = format!("/api/customers/{ann}/messages");
        let first = office.post(&path, &json!({"channel": "sms", "body": "On my way"})).await.json();
        assert_eq!(shown().await, "queued");
        let back = send(&office, Method::DELETE, &format!("/api/messages/{}", first["id"].as_str().unwrap()), &json!({})).await;
        assert_eq!(back.status, 200, "{}", back.json());
        assert_eq!(shown().await, "not_sent");
        app.advance(Duration::minutes(1));
        office.post(&path, &json!({"channel": "sms", "body": "Shall I come at four?"})).await;
        let later = (app.now() + Duration::hours(2)).to_rfc3339();
        app.advance(Duration::minutes(1));
        office.post(&path, &json!({"channel": "sms", "body": "Later", "sendAt": later})).await;
        app.run_tasks().await;
        let state = shown().await;
        assert!(state == "sent" || state == "delivered", "not that of the message for later: {state}");
    }

    async fn preview_and_state_are_of_the_worst_of_messages_sent_together(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let _line = app.line(&mut shop, NUMBER).await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let office = office(app, &shop).await;
        let made = office.post(&format!("/api/leads/{lead}/estimate"), &json!({"quotedTotal": 500.0})).await;
        assert_eq!(made.status, 200, "{}", made.json());
        app.live_through(Duration::minutes(3), Duration::minutes(1)).await;
        let sql = "SELECT channel, body FROM message WHERE org_id = $1 AND kind = 'estimate' ORDER BY channel";
        let mut conn = app.db.acquire_reader().await.unwrap();
        let sent = q!(&mut conn, fetch_all as (String, String), sql, shop.id()).unwrap();
        drop(conn);
        assert_eq!(sent.iter().map(|(channel, _)| channel.as_str()).collect::<Vec<_>>(), ["email", "sms"]);
        let ann = customer(&office).await;
        for (by_email, by_text, shown) in [("sent", "held", 1), ("failed", "delivered", 0), ("delivered", "not_sent", 1)] {
            let sql = "UPDATE message SET status = CASE WHEN channel = 'email' THEN $2 ELSE $3 END
                WHERE org_id = $1 AND kind = 'estimate'";
            app.within(async |tx| Ok(q!(tx, execute, sql, shop.id(), by_email, by_text)?)).await.unwrap();
            let list = office.get("/api/inbox").await.json()[0].clone();
            let page = office.get(&format!("/api/customers/{ann}")).await.json()["thread"].clone();
            assert_eq!(list["lastStatus"], [by_email, by_text][shown], "{list}");
            let body = sent[shown].1.split_whitespace().collect::<Vec<_>>().join(" ");
            let preview = list["lastPreview"].as_str().unwrap();
            assert!(!preview.is_empty() && body.starts_with(preview), "{preview} of {body}");
            assert_eq!((&page["lastPreview"], &page["lastStatus"]), (&list["lastPreview"], &list["lastStatus"]));
        }
    }

    async fn repeated_send_with_same_key_is_one_text(app) {
        let (_shop, line, office, ann) = ann_has_written(app).await;
        let (path, written) = (format!("/api/customers/{ann}/messages"), json!({"channel": "sms", "body": "On my way"}));
        let keyed = office.with("idempotency-key", "tap-1");
        let (one, two) = (keyed.post(&path, &written).await.json(), keyed.post(&path, &written).await.json());
        assert_eq!(one["id"], two["id"]);
        let other = keyed.post(&path, &json!({"channel": "sms", "body": "Something else"})).await;
        assert_eq!(other.status, 422);
        app.run_tasks().await;
        assert_eq!(line.texts_to(ANN).iter().filter(|t| *t == "On my way").count(), 1);
    }

    async fn scheduled_message_waits_and_can_be_cancelled(app) {
        let (_shop, line, office, ann) = ann_has_written(app).await;
        let path = format!("/api/customers/{ann}/messages");
        let at = |hours| (app.now() + Duration::hours(hours)).to_rfc3339();
        let first = office.post(&path, &json!({"channel": "sms", "body": "Later", "sendAt": at(2)})).await.json();
        let second = office.post(&path, &json!({"channel": "sms", "body": "Never", "sendAt": at(3)})).await.json();
        assert_eq!((&first["status"], &first["cancellable"]), (&json!("queued"), &json!(true)));
        let back = send(&office, Method::DELETE, &format!("/api/messages/{}", second["id"].as_str().unwrap()), &json!({})).await;
        assert_eq!(back.json()["statusText"], "not sent: cancelled by Olive Owner");
        app.live_through(Duration::minutes(110), Duration::minutes(10)).await;
        assert!(!line.texts_to(ANN).contains(&"Later".to_owned()), "not before its time");
        app.live_through(Duration::hours(2), Duration::minutes(10)).await;
        let texts = line.texts_to(ANN);
        assert!(texts.contains(&"Later".to_owned()) && !texts.contains(&"Never".to_owned()), "{texts:?}");
        let gone = send(&office, Method::DELETE, &format!("/api/messages/{}", first["id"].as_str().unwrap()), &json!({})).await;
        assert_eq!(gone.status, 409, "a sent message cannot be undone");
    }

    async fn stop_blocks_new_and_scheduled_texts_with_a_reason(app) {
        let (_shop, line, office, ann) = ann_has_written(app).await;
        let path = format!("/api/customers/{ann}/messages");
        let at = (app.now() + Duration::hours(2)).to_rfc3339();
        let later = office.post(&path, &json!({"channel": "sms", "body": "Later", "sendAt": at})).await.json();
        line.writes(ANN, "STOP").await;
        let before = line.texts_to(ANN).len();
        let refused = office.post(&path, &json!({"channel": "sms", "body": "Sorry!"})).await;
        assert_eq!(refused.status, 409, "{}", refused.json());
        app.live_through(Duration::days(2), Duration::hours(1)).await;
        let after = line.texts_to(ANN).split_off(before);
        assert!(after.len() <= 1 && after.iter().all(|t| !t.contains("Later")), "at most the confirmation: {after:?}");
        let thread = conversation(&office, &ann).await;
        let items = thread["items"].as_array().unwrap();
        let stopped = items.iter().find(|item| item["message"]["id"] == later["id"]).unwrap();
        assert_eq!(stopped["message"]["statusText"], "not sent: they said STOP");
        assert_eq!((&thread["canText"]["ok"], &thread["customer"]["smsOptOut"]["state"]), (&json!(false), &json!("stopped")));
        let lifted = office.post(&format!("/api/customers/{ann}/opt-out"), &json!({"state": "lifted"})).await;
        assert_eq!(lifted.status, 409, "only they can take it back");
        line.writes(ANN, "START").await;
        assert_eq!(conversation(&office, &ann).await["canText"]["ok"], true);
        let sent = office.post(&path, &json!({"channel": "sms", "body": "Welcome back"})).await;
        assert_eq!(sent.status, 201);
        app.run_tasks().await;
        assert!(line.texts_to(ANN).contains(&"Welcome back".to_owned()));
    }

    async fn picture_in_a_text_becomes_a_lead_photo(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        let picture = MmsPicture::new("image/png", &pixel());
        line.delivers(&InboundText::new(ANN, NUMBER, "").with_picture(picture)).await;
        app.run_tasks().await;
        let office = office(app, &shop).await;
        let ann = customer(&office).await;
        assert_eq!(office.get("/api/inbox").await.json()[0]["lastPreview"], "Sent a picture");
        let thread = conversation(&office, &ann).await;
        let photos = thread["items"].as_array().unwrap().iter().find_map(|i| i["photos"].as_array().filter(|p| !p.is_empty()));
        let url = photos.unwrap()[0]["thumbUrl"].as_str().unwrap();
        assert_eq!(office.get(url).await.status, 200);
        assert_eq!(app.only_lead(&shop).await.photos.len(), 1);
    }

    async fn pictures_belong_to_the_text_they_came_with(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        for (words, has_picture) in [("It rains in", false), ("Look", true), ("Are you coming?", false)] {
            let text = InboundText::new(ANN, NUMBER, words);
            line.delivers(&if has_picture { text.with_picture(MmsPicture::new("image/png", &pixel())) } else { text }).await;
            app.advance(chrono::Duration::seconds(2));
            app.run_tasks().await;
            app.advance(chrono::Duration::minutes(20));
        }
        let touches = app.only_lead(&shop).await.touches;
        let counted: Vec<_> = touches.iter().map(|t| (t.notes.as_deref().unwrap_or_default(), t.photo_ids.len())).collect();
        assert!(counted.contains(&("Look", 1)) && counted.iter().map(|(_, n)| n).sum::<usize>() == 1, "{counted:?}");
        app.run_tasks().await;
    }

    async fn email_is_sent_and_text_from_own_phone_is_only_recorded(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let office = office(app, &shop).await;
        let detail = office.get(&format!("/api/leads/{lead}")).await.json();
        let ann = detail["customerId"].as_str().unwrap().to_owned();
        let path = format!("/api/customers/{ann}/messages");
        let mail = json!({"channel": "email", "subject": "Your offer", "body": "Here it is.\n\nOlive"});
        assert_eq!(office.post(&path, &mail).await.status, 201);
        app.run_tasks().await;
        assert!(app.mail.accepted_messages().iter().any(|m| m.subject == "Your offer"));
        let texts = line.texts_to(ANN).len();
        let by_hand = json!({"channel": "sms", "body": "I am outside", "byHand": true});
        let recorded = office.post(&path, &by_hand).await.json();
        assert_eq!((&recorded["status"], &recorded["author"]["name"]), (&json!("sent"), &json!("Olive Owner")), "{recorded}");
        app.live_through(Duration::hours(1), Duration::minutes(10)).await;
        assert_eq!(line.texts_to(ANN).len(), texts, "we sent nothing");
    }

    async fn invalid_message_names_its_field_and_is_not_sent(app) {
        let (_shop, line, office, ann) = ann_has_written(app).await;
        let before = line.texts_to(ANN).len();
        let path = format!("/api/customers/{ann}/messages");
        let far = (app.now() + Duration::days(91)).to_rfc3339();
        for (body, field) in [
            (json!({"channel": "sms"}), "body"),
            (json!({"channel": "sms", "body": " "}), "body"),
            (json!({"channel": "sms", "body": "x".repeat(1531)}), "body"),
            (json!({"channel": "fax", "body": "x"}), "channel"),
            (json!({"channel": "sms", "body": "x", "sendAt": "soon"}), "sendAt"),
            (json!({"channel": "sms", "body": "x", "sendAt": far}), "sendAt"),
            (json!({"channel": "sms", "body": "x", "leadId": "x"}), "leadId"),
            (json!({"channel": "email", "body": "x", "byHand": true}), "byHand"),
        ] {
            let (status, code, fields) = office.post(&path, &body).await.problem();
            assert_eq!((status, code.as_str(), fields.as_slice()), (422, "validation_failed", &[field.to_owned()][..]), "{body}");
        }
        assert_eq!(office.post(&path, &json!({"channel": "email", "body": "x"})).await.status, 409, "no address is known");
        let thread = format!("/api/customers/{ann}/thread");
        for (body, field) in [(json!({"isClosed": "no"}), "isClosed"), (json!({"language": "fr"}), "language")] {
            let (status, _, fields) = send(&office, Method::PATCH, &thread, &body).await.problem();
            assert_eq!((status, fields), (422, vec![field.to_owned()]), "{body}");
        }
        for query in ["filter=none", "limit=0", "limit=x", "cursor=x", "q=%00"] {
            let (status, _, fields) = office.get(&format!("/api/inbox?{query}")).await.problem();
            assert_eq!((status, fields), (422, vec![query.split('=').next().unwrap().to_owned()]), "{query}");
        }
        app.live_through(Duration::hours(1), Duration::minutes(30)).await;
        assert_eq!(line.texts_to(ANN).len(), before);
    }

    async fn thread_is_assigned_snoozed_closed_and_reopened_by_new_text(app) {
        let (shop, line, office, ann) = ann_has_written(app).await;
        let sam = app.staff(&shop, Role::Office).await;
        let thread = format!("/api/customers/{ann}/thread");
        let changed = send(&office, Method::PATCH, &thread, &json!({"assignedTo": sam.id})).await.json();
        assert_eq!(changed["assignedTo"]["name"], "Sam Staff");
        let sams = app.client().signed_in(app, &sam).await;
        let mine = |client: Client| async move { client.get("/api/inbox?filter=mine").await.json().as_array().unwrap().len() };
        assert_eq!((mine(sams).await, mine(office.clone()).await), (1, 0));
        let until = (app.now() + Duration::hours(3)).to_rfc3339();
        send(&office, Method::PATCH, &thread, &json!({"snoozedUntil": until})).await;
        let shown = |filter: &'static str| {
            let office = office.clone();
            async move { office.get(&format!("/api/inbox?filter={filter}")).await.json().as_array().unwrap().len() }
        };
        assert_eq!((shown("open").await, shown("snoozed").await), (0, 1));
        app.advance(Duration::hours(4));
        assert_eq!((shown("open").await, shown("snoozed").await), (1, 0), "its time is over");
        send(&office, Method::PATCH, &thread, &json!({"isClosed": true, "assignedTo": null})).await;
        assert_eq!((shown("open").await, shown("closed").await), (0, 1));
        line.writes(ANN, "One more thing").await;
        app.run_tasks().await;
        assert_eq!((shown("open").await, shown("closed").await), (1, 0));
        app.run_tasks().await;
    }

    async fn ambiguous_stop_pauses_texts_until_a_person_decides(app) {
        let (_shop, line, office, ann) = ann_has_written(app).await;
        line.writes(ANN, "Please stop texting me").await;
        let thread = conversation(&office, &ann).await;
        assert_eq!(thread["customer"]["smsOptOut"]["state"], "paused", "{thread}");
        let path = format!("/api/customers/{ann}/messages");
        assert_eq!(office.post(&path, &json!({"channel": "sms", "body": "?"})).await.status, 409);
        let opt_out = format!("/api/customers/{ann}/opt-out");
        assert_eq!(office.post(&opt_out, &json!({"state": "lifted"})).await.status, 200);
        assert_eq!(office.post(&path, &json!({"channel": "sms", "body": "Just to be sure?"})).await.status, 201);
        assert_eq!(office.post(&opt_out, &json!({"state": "stopped"})).await.status, 200);
        app.live_through(Duration::hours(1), Duration::minutes(10)).await;
        assert!(!line.texts_to(ANN).contains(&"Just to be sure?".to_owned()), "the opt-out by a person stops the text");
        let ours = conversation(&office, &ann).await;
        assert_eq!(ours["customer"]["smsOptOut"]["byPerson"], true, "an opt-out entered by a person can be removed: {ours}");
        assert_eq!(ours["canText"]["why"], "your business stopped texts to this number");
        assert_eq!(office.post(&opt_out, &json!({"state": "lifted"})).await.status, 200);
        line.writes(ANN, "STOP").await;
        let theirs = conversation(&office, &ann).await;
        assert_eq!(theirs["customer"]["smsOptOut"]["byPerson"], false, "{theirs}");
        assert_eq!(office.post(&opt_out, &json!({"state": "stopped"})).await.status, 200);
        assert_eq!(office.post(&opt_out, &json!({"state": "lifted"})).await.status, 409, "their STOP stays theirs");
    }

    async fn canned_replies_are_kept_and_removed(app) {
        let shop = app.org("Acme Plumbing").await;
        let office = office(app, &shop).await;
        let made = office.post("/api/canned-replies", &json!({"title": "On my way", "body": "I am on my way."})).await;
        assert_eq!(made.status, 201);
        let id = made.json()["id"].as_str().unwrap().to_owned();
        assert_eq!(office.get("/api/canned-replies").await.json()[0]["title"], "On my way");
        let (status, _, fields) = office.post("/api/canned-replies", &json!({"title": "", "body": "\u{0}"})).await.problem();
        assert_eq!((status, fields), (422, vec!["body".to_owned(), "title".to_owned()]));
        let path = format!("/api/canned-replies/{id}");
        let other = app.org("Best Roofing").await;
        let stranger = app.client().signed_in(app, other.owner()).await;
        assert_eq!(stranger.send(Method::DELETE, &path, "", vec![]).await.status, 404);
        assert_eq!(office.send(Method::DELETE, &path, "", vec![]).await.status, 204);
        assert_eq!(office.send(Method::DELETE, &path, "", vec![]).await.status, 404);
    }

    async fn thread_of_form_only_customer_can_be_assigned(app) {
        let shop = app.org("Acme Plumbing").await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let office = office(app, &shop).await;
        let detail = office.get(&format!("/api/leads/{lead}")).await.json();
        let path = format!("/api/customers/{}/thread", detail["customerId"].as_str().unwrap());
        let changed = send(&office, Method::PATCH, &path, &json!({"assignedTo": shop.owner().id, "language": "es"})).await;
        assert_eq!((changed.status.as_u16(), changed.json()["assignedTo"]["name"].as_str()), (200, Some("Olive Owner")));
        let nobody = format!("/api/customers/{lead}/thread");
        assert_eq!(send(&office, Method::PATCH, &nobody, &json!({"isClosed": true})).await.status, 404);
    }

    async fn thread_of_another_tenant_is_invisible_and_unchangeable(app) {
        let (shop, _line, office, ann) = ann_has_written(app).await;
        let other = app.org("Best Roofing").await;
        let stranger = app.client().signed_in(app, other.owner()).await;
        assert_eq!(stranger.get("/api/inbox").await.json(), json!([]));
        assert_eq!(stranger.get(&format!("/api/customers/{ann}/conversation")).await.status, 404);
        let written = json!({"channel": "sms", "body": "Hello"});
        assert_eq!(stranger.post(&format!("/api/customers/{ann}/messages"), &written).await.status, 404);
        assert_eq!(stranger.post(&format!("/api/customers/{ann}/opt-out"), &json!({"state": "stopped"})).await.status, 404);
        let thread = format!("/api/customers/{ann}/thread");
        assert_eq!(send(&stranger, Method::PATCH, &thread, &json!({"isClosed": true})).await.status, 404);
        stranger.post(&format!("/api/customers/{ann}/read"), &json!({})).await;
        assert_eq!(office.get("/api/inbox").await.json()[0]["unread"], 1);
        let to_them = send(&office, Method::PATCH, &thread, &json!({"assignedTo": other.owner().id})).await;
        assert_eq!(to_them.status, 404, "a thread cannot be assigned to another business's customer");
        let crew = app.staff(&shop, Role::Crew).await;
        let crew = app.client().signed_in(app, &crew).await;
        assert_eq!(crew.get("/api/inbox").await.status, 403);
        app.run_tasks().await;
    }

    async fn twilio_webhook_without_valid_signature_is_refused(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        let visitor = app.client();
        let form = "MessageSid=SM1&From=%2B15125550142&To=%2B15125550100&Body=STOP";
        for path in ["sms", "voice", "voice/status", "voice/accept?call=CA1", "voice/whisper?call=CA1", "message-status"] {
            for signature in [None, Some(""), Some("AAAAAAAAAAAAAAAAAAAAAAAAAAA="), Some("nonsense")] {
                let client = signature.map_or(visitor.clone(), |s| visitor.with("x-twilio-signature", s));
                let kind = "application/x-www-form-urlencoded";
                let path = format!("/webhooks/twilio/{path}");
                let answer = client.send(Method::POST, &path, kind, form.as_bytes().to_vec()).await;
                assert_eq!(answer.status, 403, "{path} {signature:?}");
            }
        }
        assert_eq!((app.count("message").await, app.count("call").await, app.count("opt_out").await), (0, 0, 0));
        let account = [("AccountSid".to_owned(), ACCOUNT_SID.to_owned())];
        let empty = line.hooks().post("https://toolbox.example/webhooks/twilio/sms", &account).await;
        assert_eq!(empty[0].status, 422, "signed, and says nothing");
    }
}
