//! Repeated sending of a message, and what is shown of a waiting one: by the current rules.

use shared::{
    documents::date_format,
    domain::{
        messaging::message::{MessageChannel, MessageKind},
        work::activity,
    },
    platform::id::MessageId,
};

use super::*;

/// A text with the estimate that the provider refused.
pub(super) async fn refused_text(
    app: &TestApp,
    office: &Client,
    (shop, lead): (&Shop, LeadId),
) -> (EstimateId, MessageId) {
    app.refuse_next_text();
    let (id, _) = made(office, lead, 350.0).await;
    app.run_tasks().await;
    let messages = app.lead(shop.id(), lead).await.messages;
    let text =
        messages.into_iter().find(|m| m.kind == MessageKind::Estimate && m.channel == MessageChannel::Sms).unwrap();
    assert!(text.retryable, "{}", text.status_text);
    (id, text.id)
}

async fn becomes(app: &TestApp, id: EstimateId, status: &str) {
    let sql = "UPDATE estimate SET status = $2, settled_at = $3 WHERE id = $1";
    app.within(async |tx| Ok(q!(tx, execute, sql, id, status, app.now())?)).await.unwrap();
}

async fn history(app: &TestApp, shop: &Shop, lead: LeadId) -> Vec<(String, Value)> {
    let mut conn = app.db.acquire_reader().await.unwrap();
    let events = activity::list_lead_events(&mut conn, shop.id(), lead).await.unwrap();
    events.into_iter().map(|event| (event.title, event.detail)).collect()
}

both_databases! {
    async fn resend_checks_current_rules_and_allows_manual_override(app) {
        let (shop, lead, office) = shop_with_ann(app).await;
        let (id, text) = refused_text(app, &office, (&shop, lead)).await;
        let path = format!("/api/messages/{text}/retry");
        assert_eq!(office.get(&path).await.json()["may"], "go");
        becomes(app, id, "approved").await;
        let look = office.get(&path).await.json();
        assert_eq!((&look["may"], &look["reason"]), (&json!("go_anyway"), &json!("this estimate was approved on Sep 17")));
        let refused = office.post(&path, &Value::Null).await;
        assert_eq!((refused.status.as_u16(), &refused.json()["detail"]), (409, &json!("Not sent: this estimate was approved on Sep 17.")));
        app.run_tasks().await;
        assert_eq!(texts(app).len(), 0, "nothing left");
        let sent = office.post(&format!("{path}?anyway=yes"), &Value::Null).await;
        assert_eq!((sent.status.as_u16(), &sent.json()["outlook"]["state"]), (202, &json!("leaves")));
        app.run_tasks().await;
        assert_eq!(texts(app).len(), 1);
    }

    async fn resend_of_dropped_auto_reply_needs_confirmation_with_reason(app) {
        let (shop, lead, office) = shop_with_ann(app).await;
        let answer = app.lead(shop.id(), lead).await.messages.into_iter().find(|m| m.kind == MessageKind::AutoReply).unwrap();
        let sql = "UPDATE message SET status = 'not_sent', reason = 'you answered their call' WHERE id = $1";
        app.within(async |tx| Ok(q!(tx, execute, sql, answer.id)?)).await.unwrap();
        let path = format!("/api/messages/{}/retry", answer.id);
        let look = office.get(&path).await.json();
        let why = json!("you answered their call");
        assert_eq!((&look["may"], &look["reason"]), (&json!("go_anyway"), &why));
        assert_eq!(office.post(&path, &Value::Null).await.status, 409);
        assert_eq!(office.post(&format!("{path}?anyway=yes"), &Value::Null).await.status, 202);
        app.run_tasks().await;
    }

    async fn resend_of_closed_hours_reply_is_refused_after_opening(app) {
        app.use_twilio_at("http://127.0.0.1:9");
        app.context.sms = SmsProvider::Memory(app.sms.clone());
        let shop = app.org("Acme Plumbing").await;
        app.advance(Duration::hours(9));
        app.refuse_next_text();
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let messages = app.lead(shop.id(), lead).await.messages;
        let answer = messages.into_iter().find(|m| m.kind == MessageKind::AutoReply && m.channel == MessageChannel::Sms).unwrap();
        assert!(answer.retryable && answer.body.contains("closed"), "{}: {}", answer.status_text, answer.body);
        let path = format!("/api/messages/{}/retry", answer.id);
        assert_eq!(office.get(&path).await.json()["may"], "go");
        app.advance(Duration::hours(15));
        let refused = office.post(&format!("{path}?anyway=yes"), &Value::Null).await;
        let why = "Not sent: it says that you are closed, and you are open now; write a new one.";
        assert_eq!((refused.status.as_u16(), &refused.json()["detail"]), (409, &json!(why)));
        app.run_tasks().await;
    }

    async fn resend_of_reply_with_reading_time_is_refused_after_it(app) {
        app.takes_email_for_set_up();
        app.use_twilio_at("http://127.0.0.1:9");
        app.context.sms = SmsProvider::Memory(app.sms.clone());
        let shop = app.org("Acme Plumbing").await;
        app.sets(&shop, json!({"notifications": {"frequency": "hourly", "schedule": "anytime"}})).await;
        app.refuse_next_text();
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let messages = app.lead(shop.id(), lead).await.messages;
        let answer = messages.into_iter().find(|m| m.kind == MessageKind::AutoReply && m.channel == MessageChannel::Sms).unwrap();
        assert!(answer.retryable && answer.body.contains("We'll read this today at"), "{}: {}", answer.status_text, answer.body);
        let path = format!("/api/messages/{}/retry", answer.id);
        assert_eq!(office.get(&path).await.json()["may"], "go");
        app.advance(Duration::minutes(61));
        let refused = office.post(&format!("{path}?anyway=yes"), &Value::Null).await;
        let why = "Not sent: it names a time that is past; write a new one.";
        assert_eq!((refused.status.as_u16(), &refused.json()["detail"]), (409, &json!(why)));
        app.run_tasks().await;
    }

    async fn resend_from_superseded_estimate_message_is_refused(app) {
        let (shop, lead, office) = shop_with_ann(app).await;
        let (id, text) = refused_text(app, &office, (&shop, lead)).await;
        app.advance(Duration::seconds(20));
        let sent = office.post(&format!("/api/estimates/{id}/send"), &json!({})).await;
        assert!(sent.status.is_success(), "{}", sent.json());
        let refused = office.post(&format!("/api/messages/{text}/retry?anyway=yes"), &Value::Null).await;
        assert_eq!((refused.status.as_u16(), &refused.json()["detail"]), (409, &json!("Not sent: it was sent again.")));
        app.run_tasks().await;
        assert_eq!(texts(app).len(), 1);
    }

    async fn resend_override_does_not_bypass_withdrawal_or_opt_out(app) {
        let (shop, lead, office) = shop_with_ann(app).await;
        let (id, text) = refused_text(app, &office, (&shop, lead)).await;
        let path = format!("/api/messages/{text}/retry");
        becomes(app, id, "withdrawn").await;
        assert_eq!(office.get(&path).await.json()["may"], "no");
        let refused = office.post(&format!("{path}?anyway=yes"), &Value::Null).await;
        assert_eq!((refused.status.as_u16(), &refused.json()["detail"]), (409, &json!("Not sent: this estimate was withdrawn on Sep 17.")));
        becomes(app, id, "open").await;
        app.within(async |tx| {
            let sql = "INSERT INTO opt_out (org_id, channel, address, state, source, at) VALUES ($1, 'sms', $2, 'stopped', 'text', $3)";
            Ok(q!(tx, execute, sql, shop.id(), ANN, app.now())?)
        }).await.unwrap();
        let refused = office.post(&format!("{path}?anyway=yes"), &Value::Null).await;
        assert_eq!((refused.status.as_u16(), &refused.json()["detail"]), (409, &json!("Not sent: they said STOP.")));
        let other = app.org("Best Roofing").await;
        let foreign = app.client().signed_in(app, other.owner()).await;
        assert_eq!((foreign.get(&path).await.status.as_u16(), foreign.post(&path, &Value::Null).await.status.as_u16()), (404, 404));
        app.run_tasks().await;
        assert_eq!(texts(app).len(), 0);
    }

    async fn held_text_is_reported_as_held_in_answer_and_history(app) {
        let (shop, lead, office) = shop_with_ann(app).await;
        app.advance(Duration::hours(13));
        let answer = makes(&office, lead, &json!({"quotedTotal": 350})).await;
        assert_eq!((answer.header("x-sent"), answer.header("x-not-sent")), ("email", ""));
        assert!(answer.header("x-waiting").starts_with("sms: held until Fri, Sep 18 "), "{}", answer.header("x-waiting"));
        app.run_tasks().await;
        let held = app.lead(shop.id(), lead).await.messages.into_iter().find_map(|m| m.held_until).unwrap();
        let hour = date_format::format_time(&held.with_timezone(&shop.org.zone()));
        assert!(answer.header("x-waiting").contains(&format!(" {hour}: ")), "{hour}, {}", answer.header("x-waiting"));
        let history_entries = history(app, &shop, lead).await;
        let (title, detail) = history_entries.iter().find(|(title, _)| title.starts_with("Estimate")).unwrap();
        assert_eq!((title.as_str(), &detail["channels"]), ("Estimate sent", &json!(["email"])));
        assert!(detail["notSent"][0]["reason"].as_str().unwrap().starts_with("held"), "{detail}");
        let id = answer.header("x-estimate-id");
        // Events of one instant have no order.
        app.advance(Duration::minutes(1));
        let again = office.post(&format!("/api/estimates/{id}/send"), &json!({"email": false})).await.json();
        assert_eq!(again["sent"][0]["outlook"]["state"], "held", "{again}");
        app.run_tasks().await;
        let messages = app.lead(shop.id(), lead).await.messages;
        let texts: Vec<_> = messages.iter().filter(|m| m.kind == MessageKind::Estimate && m.channel == MessageChannel::Sms).collect();
        let waiting = texts.iter().filter(|text| text.held_until.is_some()).count();
        let replaced = texts.iter().filter(|text| text.status_text == "not sent: it was sent again").count();
        assert_eq!((waiting, replaced), (1, 1), "they never get two of the same");
        let first = texts.iter().find(|text| text.held_until.is_none()).unwrap();
        let look = office.get(&format!("/api/messages/{}/retry", first.id)).await.json();
        assert_eq!((&look["may"], &look["reason"]), (&json!("no"), &json!("it was sent again")));
        let history_entries = history(app, &shop, lead).await;
        assert_eq!(history_entries.last().unwrap().0, "Estimate made, waits to be sent", "{history_entries:?}");
        let shown = office.get(&format!("/api/leads/{lead}/estimates")).await.json();
        let unsent = shown[0]["unsent"].as_str().unwrap_or_default();
        assert!(unsent.starts_with("Waiting to send: "), "{shown}");
    }

    async fn reminder_of_held_estimate_is_refused_and_second_replaces_first(app) {
        let (shop, lead, office) = shop_with_ann(app).await;
        app.advance(Duration::hours(13));
        makes(&office, lead, &json!({"quotedTotal": 350, "send": {"email": false, "text": true}})).await;
        app.run_tasks().await;
        let path = format!("/api/leads/{lead}/reminder");
        let cannot = office.get(&path).await.json()["cannot"].clone();
        assert!(cannot.as_str().unwrap().starts_with("EST-1001 has not left yet: held until "), "{cannot}");
        let refused = office.post(&path, &json!({})).await;
        assert_eq!(refused.status, 409);
        assert!(refused.json()["detail"].as_str().unwrap().contains("has not left yet"), "{}", refused.json());
        app.live_through(Duration::hours(12), Duration::minutes(10)).await;
        assert_eq!(texts(app).len(), 1, "the estimate left in the morning");
        app.advance(Duration::hours(12));
        let office = app.client().signed_in(app, shop.owner()).await;
        for _ in 0..2 {
            assert_eq!(office.post(&path, &json!({})).await.status, 202);
            app.run_tasks().await;
            app.advance(Duration::minutes(1));
        }
        let messages = app.lead(shop.id(), lead).await.messages;
        let held = messages.iter().filter(|m| m.held_until.is_some()).count();
        let replaced = messages.iter().filter(|m| m.status_text == "not sent: the reminder was sent again").count();
        assert_eq!((held, replaced), (1, 1));
    }

    async fn revision_and_invitation_report_waiting_while_worker_is_down(app) {
        let (_, lead, office) = shop_with_ann(app).await;
        let made = makes(&office, lead, &json!({"quotedTotal": 350})).await;
        app.run_tasks().await;
        app.advance(Duration::minutes(1));
        let path = format!("/api/estimates/{}/revise", made.header("x-estimate-id"));
        let revised = office.post(&path, &json!({"quotedTotal": 400})).await;
        assert_eq!((revised.status.as_u16(), revised.header("x-waiting")), (201, ""), "{}", revised.json());
        assert!(revised.header("x-sent").contains("email"), "{}", revised.header("x-sent"));
        app.run_tasks().await;
        app.forgets_worker().await;
        let sql = "INSERT INTO worker_heartbeat (worker, seen_at) VALUES ('w1', $1)";
        app.within(async |tx| Ok(q!(tx, execute, sql, app.now() - Duration::minutes(5))?)).await.unwrap();
        let path = format!("/api/estimates/{}/revise", revised.header("x-estimate-id"));
        let revised = office.post(&path, &json!({"quotedTotal": 450})).await;
        assert_eq!((revised.status.as_u16(), revised.header("x-sent")), (201, ""));
        assert!(revised.header("x-waiting").contains("email: waiting: sending is stopped"), "{}", revised.header("x-waiting"));
        let sam = json!({"name": "Sam Field", "email": "sam@acme.example", "role": "crew"});
        let invited = office.post("/api/team/invites", &sam).await.json();
        assert_eq!(invited["sent"]["outlook"]["state"], "waits", "{invited}");
        app.run_tasks().await;
    }

    async fn reminder_test_and_report_show_waiting_while_worker_is_down(app) {
        let (shop, lead, office) = shop_with_ann(app).await;
        makes(&office, lead, &json!({"quotedTotal": 350})).await;
        app.run_tasks().await;
        app.forgets_worker().await;
        let sql = "INSERT INTO worker_heartbeat (worker, seen_at) VALUES ('w1', $1)";
        app.within(async |tx| Ok(q!(tx, execute, sql, app.now() - Duration::minutes(5))?)).await.unwrap();
        let waits = |outlook: &Value| assert_eq!(outlook["state"], "waits", "{outlook}");
        let reminded = office.post(&format!("/api/leads/{lead}/reminder"), &json!({})).await.json();
        waits(&reminded["outlook"]);
        let tested = office.with("idempotency-key", "one press").post("/api/test/email", &json!({})).await.json();
        waits(&tested["outlook"]);
        let reported = office.post("/api/kpi-pulse", &json!({"period": "manual"})).await.json();
        assert_eq!(reported["sentTo"][0]["to"], shop.owner().email.as_str(), "{reported}");
        waits(&reported["sentTo"][0]["outlook"]);
        // The worker is back; the same request now shows what became of the message.
        app.within(async |tx| Ok(q!(tx, execute, "UPDATE worker_heartbeat SET seen_at = $1", app.now())?)).await.unwrap();
        app.run_tasks().await;
        let again = office.with("idempotency-key", "one press").post("/api/test/email", &json!({})).await.json();
        assert_eq!((&again["messageId"], &again["outlook"]["state"]), (&tested["messageId"], &json!("leaves")), "{again}");
    }

    async fn estimate_answer_names_stopped_worker_for_email_and_text(app) {
        let (_, lead, office) = shop_with_ann(app).await;
        app.forgets_worker().await;
        let sql = "INSERT INTO worker_heartbeat (worker, seen_at) VALUES ('w1', $1)";
        app.within(async |tx| Ok(q!(tx, execute, sql, app.now() - Duration::minutes(5))?)).await.unwrap();
        let answer = makes(&office, lead, &json!({"quotedTotal": 350})).await;
        let still = "waiting: sending is stopped right now";
        assert_eq!((answer.header("x-sent"), answer.header("x-waiting")), ("", format!("email: {still}; sms: {still}").as_str()));
        app.run_tasks().await;
    }

    async fn install_on_which_no_worker_ever_ran_calls_nothing_sent(app) {
        let (_, lead, office) = shop_with_ann(app).await;
        app.forgets_worker().await;
        let answer = makes(&office, lead, &json!({"quotedTotal": 350})).await;
        let still = "waiting: sending is stopped right now";
        assert_eq!((answer.header("x-sent"), answer.header("x-waiting")), ("", format!("email: {still}; sms: {still}").as_str()));
        let card = office.get(&format!("/api/leads/{lead}/estimates")).await.json()[0].clone();
        assert_eq!(card["unsent"], "Waiting to send: sending is stopped right now");
        app.run_tasks().await;
        let reminded = office.post(&format!("/api/leads/{lead}/reminder"), &json!({})).await.json();
        assert_eq!(reminded["outlook"]["state"], "waits", "{reminded}");
        app.run_tasks().await;
    }

    async fn estimate_card_shows_waiting_for_worker_and_then_time_sent(app) {
        let (_, lead, office) = shop_with_ann(app).await;
        app.forgets_worker().await;
        let sql = "INSERT INTO worker_heartbeat (worker, seen_at) VALUES ('w1', $1)";
        app.within(async |tx| Ok(q!(tx, execute, sql, app.now() - Duration::minutes(5))?)).await.unwrap();
        makes(&office, lead, &json!({"quotedTotal": 350})).await;
        let card = async || office.get(&format!("/api/leads/{lead}/estimates")).await.json()[0].clone();
        assert_eq!(card().await["unsent"], "Waiting to send: sending is stopped right now");
        let again = "UPDATE worker_heartbeat SET seen_at = $1, stopped_at = NULL";
        app.within(async |tx| Ok(q!(tx, execute, again, app.now())?)).await.unwrap();
        assert_eq!(card().await["unsent"], "Waiting to be sent", "no worker has taken it up");
        app.within(async |tx| Ok(q!(tx, execute, "UPDATE worker_heartbeat SET stopped_at = $1", app.now())?)).await.unwrap();
        assert_eq!(card().await["unsent"], "Waiting to send: sending is stopped right now", "stopped in order");
        app.advance(Duration::seconds(90));
        app.run_tasks().await;
        let shown = card().await;
        assert_eq!((&shown["unsent"], &shown["sentAt"]), (&Value::Null, &json!(app.now())), "{shown}");
    }

    async fn message_status_shows_stopped_worker_until_it_is_back(app) {
        let (_, lead, office) = shop_with_ann(app).await;
        app.forgets_worker().await;
        let sql = "INSERT INTO worker_heartbeat (worker, seen_at) VALUES ('w1', $1)";
        app.within(async |tx| Ok(q!(tx, execute, sql, app.now() - Duration::minutes(5))?)).await.unwrap();
        makes(&office, lead, &json!({"quotedTotal": 350})).await;
        let texts = async || {
            let page = office.get(&format!("/api/leads/{lead}")).await.json();
            let talk = format!("/api/customers/{}/conversation", page["customerId"].as_str().unwrap());
            let talk = office.get(&talk).await.json();
            let thread_messages = talk["items"].as_array().unwrap().iter().map(|item| &item["message"]);
            let all = page["messages"].as_array().unwrap().iter().chain(thread_messages).filter(|message| message["kind"] == "estimate");
            all.map(|message| message["statusText"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        let waits = "waiting to be sent: sending is stopped right now";
        assert!(texts().await.iter().filter(|text| *text == waits).count() >= 4, "on both pages, by both ways: {:?}", texts().await);
        let taken = "UPDATE message SET status = 'sending' WHERE kind = 'estimate'";
        app.within(async |tx| Ok(q!(tx, execute, taken)?)).await.unwrap();
        assert!(texts().await.iter().all(|text| text == "not known yet whether it left: sending is stopped right now"));
        app.within(async |tx| Ok(q!(tx, execute, "UPDATE worker_heartbeat SET seen_at = $1", app.now())?)).await.unwrap();
        assert!(texts().await.iter().all(|text| text == "being sent"));
        let back = "UPDATE message SET status = 'queued' WHERE kind = 'estimate'";
        app.within(async |tx| Ok(q!(tx, execute, back)?)).await.unwrap();
        app.run_tasks().await;
    }

    async fn estimate_history_shows_waiting_until_each_channel_has_left(app) {
        let (shop, lead, office) = shop_with_ann(app).await;
        makes(&office, lead, &json!({"quotedTotal": 350})).await;
        let estimate = async || {
            let history_entries = history(app, &shop, lead).await;
            history_entries.into_iter().find(|(title, _)| title.starts_with("Estimate")).unwrap()
        };
        let (title, detail) = estimate().await;
        assert_eq!((title.as_str(), &detail["channels"]), ("Estimate made, waits to be sent", &json!(["email", "sms"])));
        // The email has been sent, and the worker stops before the text.
        let leaves = async |channel: MessageChannel, status: &str| {
            let sql = "UPDATE message SET status = $3 WHERE org_id = $1 AND channel = $2 AND kind = 'estimate'";
            app.within(async |tx| Ok(q!(tx, execute, sql, shop.id(), channel, status)?)).await.unwrap();
        };
        leaves(MessageChannel::Email, "sent").await;
        let (title, detail) = estimate().await;
        assert_eq!((title.as_str(), &detail["channels"], &detail["waiting"]), ("Estimate sent", &json!(["email"]), &json!(["sms"])));
        leaves(MessageChannel::Sms, "sending").await;
        let (title, detail) = estimate().await;
        assert_eq!((title.as_str(), &detail["channels"], &detail["leaving"]), ("Estimate sent", &json!(["email"]), &json!(["sms"])));
        leaves(MessageChannel::Email, "failed").await;
        assert_eq!(estimate().await.0, "Estimate is being sent", "a worker is sending the text");
        leaves(MessageChannel::Sms, "queued").await;
        // One failed and the other waits: the event says sent of neither.
        let (title, detail) = estimate().await;
        assert_eq!((title.as_str(), &detail["channels"]), ("Estimate made, waits to be sent", &json!(["sms"])));
        assert_eq!(detail["notSent"][0]["channel"], "email", "{detail}");
        leaves(MessageChannel::Email, "queued").await;
        app.run_tasks().await;
        let (title, detail) = estimate().await;
        assert_eq!((title.as_str(), &detail["channels"], &detail["leaving"]), ("Estimate sent", &json!(["email", "sms"]), &Value::Null));
    }
}
