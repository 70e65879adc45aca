//! Templates: forbidden text is refused with its position, versions are kept, and customers read their language.

use axum::http::Method;
use chrono::Duration;
use serde_json::{Value, json};
use tests::{
    both_databases,
    http::{Answer, Client},
    people::Visitor,
    phone::ANN,
};

use super::{owner, patch};

const PATH: &str = "/api/org/acme-plumbing/templates";
const FINE: &str = "Hi {{ customerName }}, {{ businessName }} here. We call you back. Reply STOP to opt out.";

async fn save(client: &Client, kind: &str, change: &Value) -> Answer {
    patch(client, &format!("{PATH}/{kind}"), change).await
}

async fn shown(client: &Client, kind: &str) -> Value {
    let all = client.get(PATH).await.json();
    all.as_array().unwrap().iter().find(|one| one["kind"] == kind).unwrap().clone()
}

async fn preview(client: &Client, kind: &str, draft: &Value) -> Value {
    let answer = client.post(&format!("{PATH}/{kind}/preview"), draft).await;
    assert_eq!(answer.status, 200, "{}", answer.json());
    answer.json()
}

async fn versions(client: &Client, kind: &str, language: &str) -> Value {
    client.get(&format!("{PATH}/{kind}/versions?language={language}")).await.json()
}

both_databases! {
    async fn template_list_shows_the_allowed_placeholders_of_each_wording(app) {
        let shop = app.org("Acme Plumbing").await;
        let client = owner(app, &shop).await;
        let all = client.get(PATH).await.json();
        let groups = ["sms", "missedCall", "email", "employee", "unpaidInvoice", "reviewRequest", "estimateText", "visitBooked"];
        for one in all.as_array().unwrap() {
            assert!(groups.contains(&one["group"].as_str().unwrap()), "{one}");
            assert!(one["allowed"].as_array().unwrap().iter().all(|word| word["description"].is_string()), "{one}");
            let english = &one["wordings"]["en"];
            assert_eq!((&english["isDefault"], &english["version"]), (&json!(true), &json!(0)));
            assert_eq!(one["wordings"]["es"].is_null(), one["audience"] == "team", "{one}");
        }
        for group in groups {
            assert_eq!(shown(&client, group).await["group"], group);
        }
        assert_eq!(client.get(&format!("{PATH}/none/versions")).await.status, 404);
    }

    async fn unknown_placeholder_is_refused_with_position_and_suggestion(app) {
        let shop = app.org("Acme Plumbing").await;
        let client = owner(app, &shop).await;
        let body = "Hello, {{ businessName }} here.\nDear {{ custmerName }}, reply STOP to opt out.";
        let answer = save(&client, "sms", &json!({"body": body})).await;
        assert_eq!(answer.problem(), (422, "validation_failed".into(), vec!["body".into()]));
        let json = answer.json();
        let [fault] = &json["faults"].as_array().unwrap()[..] else { panic!("{json}") };
        assert_eq!((&fault["field"], &fault["line"], &fault["suggestion"]), (&json!("body"), &json!(2), &json!("customerName")));
        let line = body.lines().nth(1).unwrap();
        assert_eq!(fault["column"], line.find("custmerName").unwrap() + 1, "{fault}");
        let start = usize::try_from(fault["start"].as_u64().unwrap()).unwrap();
        let end = usize::try_from(fault["end"].as_u64().unwrap()).unwrap();
        assert_eq!(&body[start..end], "custmerName");
        assert!(fault["message"].as_str().unwrap().contains("Did you mean customerName?"), "{fault}");
        for (kind, change, field) in [
            ("sms", json!({"body": "Hi {{ customerName"}), "body"),
            ("sms", json!({"body": "Hi {{ invoiceNumber }}, {{ businessName }}. Reply STOP to opt out."}), "body"),
            ("sms", json!({"body": "Hello there."}), "body"),
            ("email", json!({"subject": ""}), "subject"),
            ("employee", json!({"language": "es", "body": "Hola"}), "language"),
            ("sms", json!({"language": "fr", "body": FINE}), "language"),
            ("helpReply", json!({"enabled": false}), "enabled"),
        ] {
            let answer = save(&client, kind, &change).await;
            assert_eq!(answer.problem(), (422, "validation_failed".into(), vec![field.into()]), "{change}");
        }
        assert_eq!(versions(&client, "sms", "en").await, json!([]), "nothing was kept");
    }

    async fn template_versions_are_kept_and_the_default_is_restorable(app) {
        let shop = app.org("Acme Plumbing").await;
        let client = owner(app, &shop).await;
        let default = shown(&client, "sms").await["wordings"]["en"]["body"].clone();
        for _ in 0..2 {
            let saved = save(&client, "sms", &json!({"body": FINE})).await.json();
            let english = &saved["wordings"]["en"];
            assert_eq!((&english["body"], &english["isDefault"], &english["version"]), (&json!(FINE), &json!(false), &json!(1)));
        }
        let second = FINE.replace("call", "ring");
        save(&client, "sms", &json!({"body": second})).await;
        let reset = save(&client, "sms", &json!({"reset": true})).await.json();
        let english = &reset["wordings"]["en"];
        assert_eq!((&english["body"], &english["isDefault"], &english["version"]), (&default, &json!(true), &json!(3)));
        let kept = versions(&client, "sms", "en").await;
        let listed_versions: Vec<(i64, String, bool)> = kept.as_array().unwrap().iter()
            .map(|v| (v["version"].as_i64().unwrap(), v["body"].as_str().unwrap().to_owned(), v["isDefault"] == true)).collect();
        let first = default.as_str().unwrap().to_owned();
        assert_eq!(listed_versions, [(3, first, true), (2, second, false), (1, FINE.to_owned(), false)]);
        assert_eq!(kept[0]["by"], "Olive Owner");
        assert_eq!(versions(&client, "sms", "es").await, json!([]), "the other language has its own");
    }

    async fn saved_template_is_sent_and_disabled_template_sends_nothing(app) {
        let shop = app.org("Acme Plumbing").await;
        let client = owner(app, &shop).await;
        assert_eq!(save(&client, "sms", &json!({"body": FINE})).await.status, 200);
        Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let text_bodies: Vec<_> = app.sms.accepted_messages().into_iter().map(|text| text.body).collect();
        assert_eq!(text_bodies, ["Hi Ann, Acme Plumbing here. We call you back. Reply STOP to opt out."]);
        let off = save(&client, "sms", &json!({"enabled": false})).await.json();
        assert_eq!((&off["enabled"], &off["wordings"]["en"]["body"]), (&json!(false), &json!(FINE)));
        let lead = Visitor::number(2).submits_lead(app, &shop).await;
        app.run_tasks().await;
        let why = app.lead(shop.id(), lead).await.decisions.into_iter().find(|d| d.rule == "auto_reply").unwrap();
        assert_eq!((why.sent, why.reason.as_str()), (false, "this template is switched off"));
        assert_eq!(app.sms.accepted_messages().len(), 1);
    }

    async fn spanish_speaking_customer_is_answered_in_spanish(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        let client = owner(app, &shop).await;
        let own = "Hola, somos {{ businessName }}. Le llamamos pronto. Responda STOP para no recibir mensajes.";
        let saved = save(&client, "missedCall", &json!({"language": "es", "body": own})).await;
        assert_eq!(saved.status, 200, "{}", saved.json());
        line.writes(ANN, "Buenos dias").await;
        app.run_tasks().await;
        let ann = client.get("/api/inbox").await.json()[0]["customerId"].as_str().unwrap().to_owned();
        let thread = patch(&client, &format!("/api/customers/{ann}/thread"), &json!({"language": "es"})).await;
        assert_eq!(thread.status, 200, "{}", thread.json());
        app.live_through(Duration::days(1), Duration::hours(1)).await;
        line.rings(ANN, []).await;
        line.rings("+15125550143", []).await;
        app.live_through(Duration::minutes(1), Duration::seconds(10)).await;
        let spanish = own.replace("{{ businessName }}", "Acme Plumbing");
        assert_eq!(line.texts_to(ANN).last(), Some(&spanish));
        let english = line.texts_to("+15125550143");
        assert!(english.len() == 1 && english[0].contains("Reply STOP"), "{english:?}");
    }

    async fn preview_shows_the_newest_real_lead_and_the_message_cost(app) {
        let shop = app.org("Acme Plumbing").await;
        let client = owner(app, &shop).await;
        let draft = json!({"body": "Hi {{ customerName }}, it\u{2019}s {{ businessName }}. Reply STOP to opt out."});
        let seen = preview(&client, "sms", &draft).await;
        assert_eq!((&seen["sample"], &seen["faults"]), (&json!("example"), &json!([])));
        assert_eq!(seen["segments"]["encoding"], "UCS-2");
        assert_eq!(seen["warnings"][0]["cheaper"], "'", "{seen}");
        Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let plain = json!({"language": "en", "body": "Hi {{ customerName }}, {{ businessName }} here. Reply STOP to opt out."});
        let seen = preview(&client, "sms", &plain).await;
        let body = "Hi Ann, Acme Plumbing here. Reply STOP to opt out.";
        assert_eq!((&seen["sample"], &seen["body"], &seen["warnings"]), (&json!("lead"), &json!(body), &json!([])));
        let units = body.chars().count();
        assert_eq!(seen["segments"], json!({"encoding": "GSM-7", "segments": 1, "units": units, "perSegment": 160, "left": 160 - units}));
        let broken = preview(&client, "sms", &json!({"body": "Hi {{ nobody }}"})).await;
        assert_eq!(broken["faults"][0]["name"], "nobody", "{broken}");
        let mail = preview(&client, "email", &json!({"subject": "To {{ customerName }}", "body": FINE})).await;
        assert_eq!((&mail["subject"], &mail["segments"]), (&json!("To Ann"), &Value::Null));
        assert_eq!(versions(&client, "sms", "en").await, json!([]), "looking saves nothing");
        let refused = client.send(Method::POST, &format!("{PATH}/sms/preview"), "application/json", b"[1]".to_vec()).await;
        assert_eq!(refused.problem().0, 422);
    }

    async fn reply_preview_matches_the_reply_sent_now_and_after_hours(app) {
        let shop = app.org("Acme Plumbing").await;
        let mut ann = Visitor::ann();
        ann.form.name = Some("Ann4u".into());
        ann.submits_lead(app, &shop).await;
        app.run_tasks().await;
        let client = owner(app, &shop).await;
        let email = shown(&client, "email").await["wordings"]["en"].clone();
        let email = json!({"subject": email["subject"], "body": email["body"]});
        let seen = preview(&client, "email", &email).await;
        let body = seen["body"].as_str().unwrap();
        assert!(body.starts_with("Hi there,"), "no first name made of letters: {body}");
        assert!(body.contains("get back to you as soon as we can."), "no time is promised without a recipient: {body}");
        app.alerts_on(&shop).await;
        let seen = preview(&client, "email", &email).await;
        let (body, closed) = (seen["body"].as_str().unwrap(), seen["afterHours"].as_str().unwrap());
        assert!(body.contains("within 2 hours.") && !body.contains("closed"), "{body}");
        assert!(closed.contains("as soon as we can.") && !closed.contains("2 hours"), "{closed}");
        assert!(closed.contains("We're closed right now. We'll read this when we open"), "{closed}");
        // Once texts are sent, the text of the same request promises 1 hour.
        app.use_twilio_at("http://127.0.0.1:9");
        let client = owner(app, &shop).await;
        let seen = preview(&client, "email", &email).await;
        assert!(seen["body"].as_str().unwrap().contains("within 1 hour."), "{seen}");
        // Templates that answer no form have no such line.
        assert_eq!(preview(&client, "missedCall", &json!({"body": FINE})).await["afterHours"], Value::Null);
    }
}
