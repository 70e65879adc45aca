//! A business's settings: saved, obeyed by the worker, validated per field, and closed to other businesses.

use axum::http::Method;
use chrono::Duration;
use serde_json::{Value, json};
use shared::domain::tenancy::account::Role;
use tests::{
    app::TestApp,
    both_databases,
    http::{Answer, Client},
    people::{Shop, Visitor},
};

mod control_panel;
mod preview;
mod templates;
pub(crate) mod test_messages;

async fn owner(app: &TestApp, shop: &Shop) -> Client {
    app.client().signed_in(app, shop.owner()).await
}

async fn patch(client: &Client, path: &str, body: &Value) -> Answer {
    client.send(Method::PATCH, path, "application/json", body.to_string().into_bytes()).await
}

/// Every settings operation with the business in its path, with a valid body.
fn addresses(org: &str) -> Vec<(Method, String, Value)> {
    let id = uuid::Uuid::from_u128(7);
    vec![
        (Method::GET, format!("/api/org/{org}"), Value::Null),
        (Method::PATCH, format!("/api/org/{org}"), json!({"name": "Mine now"})),
        (Method::GET, format!("/api/org/{org}/settings"), Value::Null),
        (Method::PATCH, format!("/api/org/{org}/settings"), json!({"switches": {"leadIntake": false}})),
        (Method::POST, format!("/api/org/{org}/recipients"), json!({"email": "spy@example.com"})),
        (Method::DELETE, format!("/api/org/{org}/recipients/{id}"), Value::Null),
        (Method::POST, format!("/api/org/{org}/recipients/{id}/test"), Value::Null),
        (Method::GET, format!("/api/org/{org}/templates"), Value::Null),
        (Method::PATCH, format!("/api/org/{org}/templates/sms"), json!({"enabled": false})),
        (Method::POST, format!("/api/org/{org}/templates/sms/preview"), json!({"body": "Hi"})),
        (Method::GET, format!("/api/org/{org}/templates/sms/versions"), Value::Null),
        (Method::GET, format!("/api/org/{org}/preview?switch=leadIntake"), Value::Null),
    ]
}

async fn ask(client: &Client, (method, path, body): (Method, String, Value)) -> Answer {
    client.send(method, &path, "application/json", body.to_string().into_bytes()).await
}

async fn shown(client: &Client, org: &str) -> [Value; 3] {
    let mut all = [Value::Null, Value::Null, Value::Null];
    for (slot, path) in all.iter_mut().zip(["", "/settings", "/templates"]) {
        *slot = client.get(&format!("/api/org/{org}{path}")).await.json();
    }
    all
}

both_databases! {
    async fn saved_settings_are_seen_by_another_session(app) {
        let shop = app.org("Acme Plumbing").await;
        let (first, second) = (owner(app, &shop).await, owner(app, &shop).await);
        let organization = json!({"name": "Acme & Sons", "phone": "512 555 0100", "timezone": "America/Denver",
            "reviewLink": "https://example.com/review", "bookingLink": "", "smsNumber": "+1 (500) 555-0006",
            "postalAddress": "1 Main St\nAustin TX", "industry": "Roofing"});
        let changed = patch(&first, "/api/org/acme-plumbing", &organization).await;
        assert_eq!(changed.status, 200, "{}", changed.json());
        let mut body = second.get(&format!("/api/org/{}", shop.id())).await.json();
        let storage = body.as_object_mut().unwrap().remove("storage").unwrap();
        assert_eq!(storage["used"], 0);
        assert_eq!(body, changed.json());
        assert_eq!(body, json!({"logoUrl": null, "licenceLine": null,
            "id": shop.id(), "slug": "acme-plumbing", "name": "Acme & Sons", "phone": "(512) 555-0100",
            "timezone": "America/Denver", "reviewLink": "https://example.com/review", "bookingLink": null,
            "smsNumber": "+15005550006", "postalAddress": "1 Main St\nAustin TX", "industry": "Roofing"}));
        let hours = json!({"week": {"mon": [{"opens": "21:00", "closes": "02:00"}], "tue": [], "wed": [], "thu": [],
            "fri": [], "sat": [], "sun": []}, "closedDates": [{"date": "2026-12-25", "label": "Christmas"}]});
        let settings = json!({"switches": {"kpiReporting": false}, "hours": hours,
            "notifications": {"frequency": "daily", "schedule": "custom", "businessStart": "07:30"},
            "calls": {"forwardTo": ["512-555-0142", "(512) 555-0142"], "textDelaySeconds": 0, "emergencyWords": [" Gas  Leak "]},
            "sending": {"dailyTextBudget": 7, "registration": "pending"}});
        let changed = patch(&first, "/api/org/acme-plumbing/settings", &settings).await;
        assert_eq!(changed.status, 200, "{}", changed.json());
        let body = second.get("/api/org/acme-plumbing/settings").await.json();
        assert_eq!(body, changed.json());
        assert_eq!(body["switches"], json!({"leadIntake": true, "automatedCommunications": true, "jobTracking": true,
            "reviewCollection": true, "kpiReporting": false}));
        assert_eq!(body["notifications"], json!({"frequency": "daily", "schedule": "custom", "businessStart": "07:30",
            "businessEnd": "17:00", "escalateAfterMinutes": 2, "escalateNextAfterMinutes": 5}));
        assert_eq!(body["hours"], hours);
        assert_eq!(body["calls"], json!({"forwardTo": ["+15125550142"], "ringSeconds": 20, "textDelaySeconds": 0,
            "repeatHours": 24, "nudge": true, "emergencyWords": ["gas leak"]}));
        assert_eq!(body["sending"], json!({"dailyTextBudget": 7, "textsPerNumber": 6, "numbersPerExchange": 20,
            "holdRepliesAtNight": false, "registration": "pending"}));
    }

    async fn settings_change_reaches_open_pages_and_audit_log(app) {
        let shop = app.org("Acme Plumbing").await;
        let client = owner(app, &shop).await;
        let mut events = client.events().await;
        let before = app.count("audit_event").await;
        patch(&client, "/api/org/acme-plumbing/settings", &json!({"calls": {"nudge": false}})).await;
        let received_events = events.events_until(&shop.id().to_string()).await;
        let last = received_events.last().unwrap();
        assert_eq!((last.event.as_str(), &last.data), ("settings", &json!({"id": shop.id()})));
        assert_eq!(app.count("audit_event").await - before, 1);
        let refused = patch(&client, "/api/org/acme-plumbing/settings", &json!({"calls": {"ringSeconds": 3}})).await;
        assert_eq!(refused.status, 422);
        assert_eq!(app.count("audit_event").await - before, 1, "a refused change writes no audit event");
    }

    async fn switched_off_communications_stop_queued_messages(app) {
        let shop = app.org("Acme Plumbing").await;
        let client = owner(app, &shop).await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        let off = json!({"switches": {"automatedCommunications": false}});
        assert_eq!(patch(&client, "/api/org/acme-plumbing/settings", &off).await.status, 200);
        app.run_tasks().await;
        let why = "not sent: automated communications are switched off";
        let outbox = app.outbox(shop.id(), lead).await;
        assert_eq!(outbox[..2], [format!("auto_reply email: {why}"), format!("auto_reply sms: {why}")], "{outbox:?}");
        assert!(app.sms.recorded_sends().is_empty());
        let on = json!({"switches": {"automatedCommunications": true}});
        assert_eq!(patch(&client, "/api/org/acme-plumbing/settings", &on).await.status, 200);
        let next = Visitor::number(2).submits_lead(app, &shop).await;
        app.run_tasks().await;
        assert!(app.outbox(shop.id(), next).await.contains(&"auto_reply sms: sent".to_owned()));
        assert_eq!(app.sms.accepted_messages().len(), 1, "a stopped text is not sent later");
    }

    async fn invalid_values_are_named_and_nothing_is_stored(app) {
        let shop = app.org("Acme Plumbing").await;
        app.org("Best Roofing").await;
        let theirs = json!({"smsNumber": "+15125560001"});
        let client = owner(app, &shop).await;
        let before = shown(&client, "acme-plumbing").await;
        let open = |day: &str, opens: &str, closes: &str| {
            let mut week = json!({"mon": [], "tue": [], "wed": [], "thu": [], "fri": [], "sat": [], "sun": []});
            week[day] = json!([{"opens": opens, "closes": closes}]);
            json!({"hours": {"week": week, "closedDates": []}})
        };
        let mut unprintable = open("mon", "08:00", "17:00");
        unprintable["hours"]["closedDates"] = json!([{"date": "2026-12-25", "label": "Christ\u{0}mas"}]);
        let table = [
            ("", json!({"name": " "}), "name"),
            ("", json!({"name": 5}), "name"),
            ("", json!({"reviewLink": "example.com"}), "reviewLink"),
            ("", json!({"bookingLink": "javascript:alert(1)"}), "bookingLink"),
            ("", json!({"timezone": "Mars/Olympus"}), "timezone"),
            ("", json!({"phone": "pizza"}), "phone"),
            ("", json!({"smsNumber": "+442079460018"}), "smsNumber"),
            ("", theirs, "smsNumber"),
            ("/settings", json!({"calls": {"ringSeconds": 41}}), "calls.ringSeconds"),
            ("/settings", json!({"calls": {"ringSeconds": 20.5}}), "calls.ringSeconds"),
            ("/settings", json!({"calls": {"forwardTo": ["pizza"]}}), "calls.forwardTo[0]"),
            ("/settings", json!({"notifications": {"frequency": "yearly"}}), "notifications.frequency"),
            ("/settings", json!({"notifications": {"frequency": 5}}), "notifications.frequency"),
            ("/settings", json!({"notifications": {"businessStart": "9"}}), "notifications.businessStart"),
            ("/settings", json!({"notifications": {"escalateAfterMinutes": 0}}), "notifications.escalateAfterMinutes"),
            ("/settings", json!({"sending": {"dailyTextBudget": 10_001}}), "sending.dailyTextBudget"),
            ("/settings", json!({"sending": {"textsPerNumber": 0}}), "sending.textsPerNumber"),
            ("/settings", json!({"sending": {"numbersPerExchange": 10_001}}), "sending.numbersPerExchange"),
            ("/settings", json!({"switches": {"leadIntake": "no"}}), "switches.leadIntake"),
            ("/settings", open("mon", "08:00", "26:00"), "hours.week.mon[0].closes"),
            ("/settings", open("sun", "", "09:00"), "hours.week.sun[0].opens"),
            ("/settings", unprintable, "hours.closedDates"),
            ("/recipients", json!({"email": "ann@"}), "email"),
            ("/recipients", json!({"phone": "12345"}), "phone"),
        ];
        for (path, body, field) in table {
            let path = format!("/api/org/acme-plumbing{path}");
            let method = if path.ends_with("recipients") { Method::POST } else { Method::PATCH };
            let answer = ask(&client, (method, path, body.clone())).await;
            assert_eq!(answer.problem(), (422, "validation_failed".into(), vec![field.into()]), "{body}");
        }
        assert_eq!(patch(&client, "/api/org/acme-plumbing", &json!({"name": ""})).await.json()["errors"]["name"],
            "Business name is required");
        assert_eq!(shown(&client, "acme-plumbing").await, before);
    }

    async fn settings_of_one_business_are_closed_to_others(app) {
        let shop = app.org("Acme Plumbing").await;
        let other = app.org("Best Roofing").await;
        let (mine, spy) = (owner(app, &shop).await, owner(app, &other).await);
        let (before, theirs) = (shown(&mine, "acme-plumbing").await, shown(&spy, "best-roofing").await);
        let count = app.count("audit_event").await;
        for org in [shop.org.slug.clone(), shop.id().to_string(), "demo".to_owned(), "nobody".to_owned()] {
            for address in addresses(&org) {
                let context = format!("{address:?}");
                assert_eq!(ask(&spy, address).await.status, 404, "{context}");
            }
        }
        assert_eq!((shown(&mine, "acme-plumbing").await, app.count("audit_event").await), (before, count));
        // The same ids under the own name are not found either.
        let body = mine.post("/api/org/acme-plumbing/recipients", &json!({"phone": "512 555 0142"})).await.json();
        let id = body["phones"][0]["id"].as_str().unwrap();
        for (method, path) in [(Method::DELETE, ""), (Method::POST, "/test")] {
            let answer = ask(&spy, (method, format!("/api/org/best-roofing/recipients/{id}{path}"), Value::Null)).await;
            assert_eq!(answer.status, 404, "{path}");
        }
        let words = json!({"body": "Hi {{ customerName }}, {{ businessName }} here. Reply STOP to opt out."});
        let saved = patch(&mine, "/api/org/acme-plumbing/templates/sms", &words).await;
        assert_eq!(saved.status, 200, "{}", saved.json());
        assert_eq!(shown(&spy, "best-roofing").await, theirs);
    }

    async fn crew_and_signed_out_callers_are_refused(app) {
        let shop = app.org("Acme Plumbing").await;
        let crew = app.client().signed_in(app, &app.staff(&shop, Role::Crew).await).await;
        let office = app.client().signed_in(app, &app.staff(&shop, Role::Office).await).await;
        let more = [(Method::POST, "/api/test/email"), (Method::POST, "/api/test/sms"), (Method::GET, "/api/system/status"),
            (Method::GET, "/api/webhooks/status")];
        let more = more.map(|(method, path)| (method, path.to_owned(), Value::Null));
        for address in addresses("acme-plumbing").into_iter().chain(more) {
            let context = format!("{address:?}");
            assert_eq!(ask(&crew, address.clone()).await.status, 403, "{context}");
            assert_eq!(ask(&app.client(), address.clone()).await.status, 401, "{context}");
            let allowed = ask(&office, address).await.status.as_u16();
            assert!(![401, 403, 500].contains(&allowed), "{context}: {allowed}");
        }
    }

    async fn recipients_are_added_once_and_removed(app) {
        let shop = app.org("Acme Plumbing").await;
        let client = owner(app, &shop).await;
        let path = "/api/org/acme-plumbing/recipients";
        let list = client.get("/api/org/acme-plumbing/settings").await.json()["recipients"].clone();
        assert_eq!(list["emails"][0]["address"], shop.owner().email, "the registrant gets the alerts");
        for (body, status) in [(json!({"phone": "(512) 555-0142"}), 201), (json!({"phone": "5125550142"}), 200),
            (json!({"email": ""}), 200), (json!({}), 200), (json!({"email": "Ann@Acme.example"}), 201),
            (json!({"email": "ann@acme.EXAMPLE"}), 200)] {
            app.advance(Duration::seconds(1));
            assert_eq!(client.post(path, &body).await.status, status, "{body}");
        }
        let recipients = client.get("/api/org/acme-plumbing/settings").await.json()["recipients"].clone();
        assert_eq!(recipients["emails"][1]["address"], "ann@acme.example");
        let phone = recipients["phones"][0].clone();
        assert_eq!((&phone["address"], &phone["shown"]), (&json!("+15125550142"), &json!("(512) 555-0142")));
        let one = format!("{path}/{}", phone["id"].as_str().unwrap());
        let left = client.send(Method::DELETE, &one, "", Vec::new()).await;
        assert_eq!((left.status.as_u16(), &left.json()["phones"]), (200, &json!([])));
        assert_eq!(client.send(Method::DELETE, &one, "", Vec::new()).await.status, 404);
        app.live_through(Duration::minutes(1), Duration::minutes(1)).await;
    }
}
