//! An estimate from a typed amount to the customer: sent once, whatever fails in between.

use chrono::Duration;
use serde_json::{Value, json};
use shared::{
    domain::{
        intake::lead::PipelineStage,
        money::estimate::{self, EstimateForm, EstimateTarget},
        tenancy::{
            activity_log::ActivityActor,
            org::{self, OrgContext, SendChannels},
        },
    },
    platform::{
        db::tenant_scope,
        id::{EstimateId, LeadId},
    },
    providers::{mail::SentEmail, sms::SmsProvider},
    q,
};
use tests::{
    app::TestApp,
    both_databases,
    http::{Answer, Client},
    people::{Shop, Visitor},
    phone::ANN,
};

mod attached_pdf;
mod resend;
mod resend_after_job;
mod versions;

async fn shop_with_ann(app: &mut TestApp) -> (Shop, LeadId, Client) {
    app.use_twilio_at("http://127.0.0.1:9");
    app.context.sms = SmsProvider::Memory(app.sms.clone());
    app.takes_email_for_set_up();
    let shop = app.org("Acme Plumbing").await;
    let lead = Visitor::ann().submits_lead(app, &shop).await;
    app.run_tasks().await;
    let office = app.client().signed_in(app, shop.owner()).await;
    (shop, lead, office)
}

async fn makes(office: &Client, lead: LeadId, body: &Value) -> Answer {
    office.post(&format!("/api/leads/{lead}/estimate"), body).await
}

async fn made(office: &Client, lead: LeadId, amount: f64) -> (EstimateId, Vec<u8>) {
    let answer = makes(office, lead, &json!({ "quotedTotal": amount })).await;
    assert_eq!(answer.status, 200, "{}", answer.json());
    (EstimateId(answer.header("x-estimate-id").parse().unwrap()), answer.body)
}

async fn list(office: &Client, lead: LeadId) -> Vec<Value> {
    office.get(&format!("/api/leads/{lead}/estimates")).await.json().as_array().unwrap().clone()
}

fn letters(app: &TestApp) -> Vec<SentEmail> {
    app.mail.accepted_messages().into_iter().filter(|letter| letter.subject.starts_with("Your estimate")).collect()
}

fn texts(app: &TestApp) -> Vec<String> {
    let texts = app.sms.accepted_messages().into_iter().filter(|text| text.to == ANN).map(|text| text.body);
    texts.filter(|body| body.contains("your estimate from")).collect()
}

/// Only the first half, as by a process that died there.
async fn begins(app: &TestApp, shop: &Shop, lead: LeadId, amount: f64) -> EstimateId {
    let org = shop.org.clone();
    let profile = org::load_profile(&mut app.db.acquire_reader().await.unwrap(), org).await.unwrap();
    let ctx = OrgContext {
        origin: &app.origin,
        secret: &app.settings.secret,
        public_url: &app.settings.public_url,
        profile: &profile,
        set_up: SendChannels::ALL,
    };
    let form = EstimateForm { quoted_total: Some(json!(amount)), ..EstimateForm::default() };
    let by = ActivityActor::Account { id: shop.owner().id, name: "Olive Owner".into() };
    let begun =
        app.within(async |tx| estimate::begin_issue(tx, &ctx, EstimateTarget::Lead(lead), &form, &by).await).await;
    begun.expect("the first half")
}

async fn stage(app: &TestApp, shop: &Shop, lead: LeadId) -> PipelineStage {
    app.lead(shop.id(), lead).await.summary.stage
}

both_databases! {
    async fn estimate_from_amount_is_downloaded_and_sent_by_email_and_text(app) {
        let (shop, lead, office) = shop_with_ann(app).await;
        let answer = makes(&office, lead, &json!({"quotedTotal": 1250.5})).await;
        assert_eq!((answer.status.as_u16(), answer.header("content-type")), (200, "application/pdf"), "{}", answer.json());
        assert_eq!(answer.header("content-disposition"), "attachment; filename=\"Ann Lee - Estimate EST-1001.pdf\"");
        assert_eq!((answer.header("x-estimate-number"), answer.header("x-sent"), answer.header("x-not-sent")), ("EST-1001", "email,sms", ""));
        assert!(answer.body.starts_with(b"%PDF-"));
        app.run_tasks().await;
        let [letter] = &letters(app)[..] else { panic!("one email: {:?}", letters(app)) };
        assert_eq!((letter.to.as_str(), letter.subject.as_str()), ("ann@customer.example", "Your estimate EST-1001 from Acme Plumbing"));
        let [file] = &letter.attachments[..] else { panic!("one file: {letter:?}") };
        assert_eq!((file.name.as_str(), file.content_type.as_str()), ("Ann Lee - Estimate EST-1001.pdf", "application/pdf"));
        assert!(file.bytes == answer.body, "the customer gets the very file");
        let [text] = &texts(app)[..] else { panic!("one text: {:?}", texts(app)) };
        assert!(text.starts_with("Hi Ann, your estimate from Acme Plumbing for $1,250.50 is ready."), "{text}");
        let shown = list(&office, lead).await;
        assert_eq!(shown.len(), 1);
        let link = shown[0]["link"].as_str().unwrap();
        assert!(link.starts_with("https://toolbox.example/p/") && link.len() == 26 + 43, "{link}");
        let (link, mailed) = (app.sent_link(link, ANN).await, app.sent_link(link, "ann@customer.example").await);
        assert!(text.contains(&link) && letter.text.contains(&mailed) && link != mailed, "each address has its own link");
        let html = letter.html.as_deref().unwrap();
        let token = mailed.rsplit('/').next().unwrap();
        assert!(html.matches(token).count() == 3 && html.contains("Open the estimate"), "a button and the address below it: {html}");
        for (name, value) in [
            ("number", json!("EST-1001")), ("version", json!(1)), ("status", json!("open")), ("total", json!(1250.5)),
            ("deposit", json!(0.0)), ("depositPaid", json!(0.0)), ("approval", Value::Null), ("viewedAt", Value::Null),
        ] {
            assert_eq!(shown[0][name], value, "{name} of {}", shown[0]);
        }
        assert_eq!(shown[0]["content"]["lines"][0]["name"], "Work as discussed: Plumbing");
        assert!(shown[0]["sentAt"].is_string());
        let seen = app.lead(shop.id(), lead).await;
        assert_eq!((seen.summary.stage, seen.summary.quoted_total.map(|cents| cents.0)), (PipelineStage::Quoted, Some(125_050)));
        let why: Vec<_> = seen.decisions.iter().filter(|d| d.rule == "estimate_delivery").map(|d| (d.event.as_str(), d.sent)).collect();
        assert_eq!(why, [("estimate_sent", true), ("estimate_sent", true)]);
        let stored = office.get(&format!("/api/estimates/{}/pdf", shown[0]["id"].as_str().unwrap())).await;
        assert!(stored.body == answer.body);
        assert_eq!(office.get(&format!("/api/estimates/{}/pdf?copy=signed", shown[0]["id"].as_str().unwrap())).await.status, 404);
    }

    async fn repeated_idempotency_key_returns_the_same_estimate_bytes(app) {
        let (_, lead, office) = shop_with_ann(app).await;
        let office = office.with("idempotency-key", "press-1");
        let first = makes(&office, lead, &json!({"quotedTotal": 350})).await;
        app.run_tasks().await;
        app.advance(Duration::hours(30));
        let again = makes(&office, lead, &json!({"quotedTotal": 350})).await;
        assert!(first.status == 200 && first.body == again.body);
        for name in ["x-estimate-id", "x-estimate-number", "x-sent", "x-not-sent", "content-disposition"] {
            assert_eq!(first.header(name), again.header(name), "{name}");
        }
        let other = makes(&office, lead, &json!({"quotedTotal": 351})).await;
        assert_eq!((other.status.as_u16(), other.problem().1.as_str()), (422, "idempotency_mismatch"));
        app.run_tasks().await;
        assert_eq!((list(&office, lead).await.len(), letters(app).len()), (1, 1));
    }

    async fn invalid_amount_is_refused_with_a_plain_message(app) {
        let (_, lead, office) = shop_with_ann(app).await;
        for bad in [json!(0), json!(-5), json!("abc"), json!(""), json!(null), json!(1.005), json!({}), json!(true), json!(100_000_001)] {
            let answer = makes(&office, lead, &json!({ "quotedTotal": bad })).await;
            assert_eq!((answer.status.as_u16(), &answer.json()["errors"]), (422, &json!({"quotedTotal": "Please enter a valid estimate amount"})), "{bad}");
        }
        let nothing = makes(&office, lead, &json!({})).await;
        assert_eq!(nothing.json()["errors"]["quotedTotal"], "Please enter a valid estimate amount");
        assert_eq!(app.count("estimate").await, 0, "and no number is used up");
        let typed = makes(&office, lead, &json!({"quotedTotal": "$1,250.50"})).await;
        assert_eq!((typed.status.as_u16(), typed.header("x-estimate-number")), (200, "EST-1001"));
        let nobody = makes(&office, LeadId(uuid::Uuid::from_u128(7)), &json!({"quotedTotal": 5})).await;
        assert_eq!(nobody.status, 404);
        app.run_tasks().await;
    }

    async fn option_totals_are_computed_and_faulty_lines_named_by_field(app) {
        let (_, lead, office) = shop_with_ann(app).await;
        let body = json!({
            "lines": [
                {"name": "Water heater, 40 gal", "unitPrice": 900, "optionId": "good", "taxRate": 8.25, "taxName": "Sales tax"},
                {"name": "Water heater, 50 gal", "unitPrice": 1200, "optionId": "better", "taxRate": 8.25, "taxName": "Sales tax"},
                {"name": "Labor", "quantity": 2.5, "unit": "hour", "unitPrice": 120},
                {"name": "Haul away", "unitPrice": 75, "optional": true},
            ],
            "options": [{"id": "good", "name": "Good"}, {"id": "better", "name": "Better"}],
            "recommended": "better", "notes": "Two visits", "deposit": {"percent": 50}, "expiresOn": "2026-12-31",
        });
        let mut asked = body.clone();
        asked["leadId"] = json!(lead);
        let preview = office.post("/api/estimates/preview", &asked).await.json();
        let totals = &preview["totals"]["byOption"];
        assert_eq!((&totals[0]["optionId"], &totals[0]["total"], &totals[0]["deposit"]), (&json!("good"), &json!(1274.25), &json!(637.13)));
        assert_eq!((&totals[1]["total"], &totals[1]["taxes"][0]["amount"]), (&json!(1599.0), &json!(99.0)));
        let draft = office.post("/api/estimates/preview?format=pdf", &asked).await;
        assert!(draft.status == 200 && draft.body.starts_with(b"%PDF-"));
        assert_eq!(app.count("estimate").await, 0, "looking stores nothing");
        assert_eq!(makes(&office, lead, &body).await.status, 200);
        let shown = &list(&office, lead).await[0];
        assert_eq!((&shown["total"], &shown["deposit"], &shown["expiresOn"]), (&json!(1599.0), &json!(799.5), &json!("2026-12-31")));
        assert_eq!(shown["content"]["options"][1]["name"], "Better");
        let faulty = json!({"lines": [{"name": "Labor", "unitPrice": 10}, {"name": "", "unitPrice": "much"}], "expiresOn": "2020-01-01"});
        let fields = makes(&office, lead, &faulty).await.problem().2;
        assert_eq!(fields, ["expiresOn", "lines[1].name", "lines[1].unitPrice"]);
        app.run_tasks().await;
    }

    async fn estimate_without_contact_points_is_made_and_reported_unsent(app) {
        let (shop, lead, office) = shop_with_ann(app).await;
        app.within(async |tx| {
            q!(&mut *tx, execute, "UPDATE lead SET email = NULL, phone_e164 = NULL WHERE id = $1", lead)?;
            q!(tx, execute, "UPDATE customer SET email = NULL, phone_e164 = NULL")?;
            Ok(())
        }).await.unwrap();
        let answer = makes(&office, lead, &json!({"quotedTotal": 350})).await;
        assert!(answer.status == 200 && answer.body.starts_with(b"%PDF-"));
        assert_eq!(answer.header("x-sent"), "");
        assert_eq!(answer.header("x-not-sent"), "email: no email address is known; sms: no phone number is known");
        app.run_tasks().await;
        let shown = &list(&office, lead).await[0];
        assert_eq!((&shown["status"], &shown["sentAt"], &shown["followUps"]), (&json!("open"), &Value::Null, &json!([])));
        assert_eq!((stage(app, &shop, lead).await, letters(app).len(), texts(app).len()), (PipelineStage::Quoted, 0, 0));
        assert_eq!(office.post(&format!("/api/estimates/{}/send", shown["id"].as_str().unwrap()), &json!({})).await.json()["sent"], json!([]));
    }

    async fn estimate_to_untextable_customer_goes_by_email_and_says_why(app) {
        let (shop, lead, office) = shop_with_ann(app).await;
        let not_sent = async |app: &TestApp| {
            let office = app.client().signed_in(app, shop.owner()).await;
            let answer = makes(&office, lead, &json!({"quotedTotal": 350})).await;
            app.run_tasks().await;
            (answer.header("x-sent").to_owned(), answer.header("x-not-sent").to_owned())
        };
        let only_email = async |app: &TestApp, why: &str| assert_eq!(not_sent(app).await, ("email".into(), format!("sms: {why}")));
        app.sets(&shop, json!({"sending": {"registration": "pending"}})).await;
        only_email(app, "your number is not registered for texting yet").await;
        app.sets(&shop, json!({"sending": {"registration": "approved"}})).await;
        app.within(async |tx| {
            let sql = "INSERT INTO opt_out (org_id, channel, address, state, source, at) VALUES ($1, 'sms', $2, 'stopped', 'text', $3)";
            Ok(q!(tx, execute, sql, shop.id(), ANN, app.now())?)
        }).await.unwrap();
        only_email(app, "they said STOP").await;
        let off = json!({"enabled": false});
        let path = format!("/api/org/{}/templates/estimateEmail", shop.org.slug);
        assert_eq!(office.send(axum::http::Method::PATCH, &path, "application/json", off.to_string().into_bytes()).await.status, 200);
        assert_eq!(not_sent(app).await, (String::new(), "email: this template is switched off; sms: they said STOP".into()));
        let ways = makes(&office, lead, &json!({"quotedTotal": 350, "send": {"email": false, "text": false}})).await;
        assert_eq!((ways.header("x-sent"), ways.header("x-not-sent")), ("", ""), "the estimate is not sent");
        assert_eq!((letters(app).len(), texts(app).len()), (2, 0));
    }

    async fn numbers_are_consecutive_and_use_the_business_prefix(app) {
        let (shop, ann, office) = shop_with_ann(app).await;
        let bob = Visitor::number(1).submits_lead(app, &shop).await;
        let eve = Visitor::number(2).submits_lead(app, &shop).await;
        made(&office, ann, 10.0).await;
        made(&office, bob, 20.0).await;
        app.sets(&shop, json!({"estimates": {"prefix": "Q", "validDays": 0, "terms": "Net 30"}})).await;
        made(&office, eve, 30.0).await;
        let mut shown = Vec::new();
        for lead in [ann, bob, eve] {
            shown.push(list(&office, lead).await.remove(0));
        }
        let numbers: Vec<_> = shown.iter().map(|one| one["number"].as_str().unwrap()).collect();
        assert_eq!(numbers, ["EST-1001", "EST-1002", "Q1003"]);
        assert_eq!((&shown[0]["issuedOn"], &shown[0]["expiresOn"]), (&json!("2026-09-17"), &json!("2026-10-17")), "thirty days");
        assert_eq!((&shown[2]["expiresOn"], &shown[2]["content"]["terms"]), (&Value::Null, &json!("Net 30")));
        app.run_tasks().await;
    }

    async fn crash_between_begin_and_finish_is_resumed_once(app) {
        let (shop, lead, office) = shop_with_ann(app).await;
        let id = begins(app, &shop, lead, 350.0).await;
        assert_eq!((&list(&office, lead).await[0]["status"], stage(app, &shop, lead).await), (&json!("preparing"), PipelineStage::New));
        assert_eq!(office.get(&format!("/api/estimates/{id}/pdf")).await.status, 404);
        assert_eq!(office.post(&format!("/api/estimates/{id}/send"), &json!({})).await.status, 409);
        app.advance(Duration::seconds(29));
        assert_eq!(app.run_tasks().await, 0, "the estimate waits half a minute before it is sent");
        app.advance(Duration::seconds(1));
        app.run_tasks().await;
        let shown = list(&office, lead).await.remove(0);
        assert_eq!((&shown["status"], &shown["number"], stage(app, &shop, lead).await), (&json!("open"), &json!("EST-1001"), PipelineStage::Quoted));
        for _ in 0..2 {
            worker::tasks::money::finalize_document::run(&app.context, id.0).await.unwrap();
            app.run_tasks().await;
        }
        let [letter] = &letters(app)[..] else { panic!("one email: {:?}", letters(app)) };
        let stored = office.get(&format!("/api/estimates/{id}/pdf")).await.body;
        assert!(letter.attachments[0].bytes == stored && texts(app).len() == 1);
        let made_by: Vec<_> = app.lead(shop.id(), lead).await.decisions.iter().filter(|d| d.event == "estimate_sent").map(|d| d.sent).collect();
        assert_eq!(made_by, [true, true]);
    }

    async fn file_store_failure_leaves_no_file_and_same_key_retry_finishes(app) {
        let (shop, lead, office) = shop_with_ann(app).await;
        let office = office.with("idempotency-key", "press-1");
        let in_the_way = app.settings.data_dir.join("uploads").join(shop.id().to_string());
        std::fs::create_dir_all(in_the_way.parent().unwrap()).unwrap();
        std::fs::write(&in_the_way, b"a file where a folder has to be").unwrap();
        let refused = makes(&office, lead, &json!({"quotedTotal": 350})).await;
        assert_eq!(refused.problem().1, "unavailable");
        assert_eq!((&list(&office, lead).await[0]["status"], app.count("file").await), (&json!("preparing"), 0));
        std::fs::remove_file(&in_the_way).unwrap();
        let answer = makes(&office, lead, &json!({"quotedTotal": 350})).await;
        assert_eq!((answer.status.as_u16(), answer.header("x-estimate-number")), (200, "EST-1001"));
        app.advance(Duration::minutes(1));
        app.run_tasks().await;
        assert_eq!((letters(app).len(), texts(app).len(), app.count("estimate").await), (1, 1, 1));
    }

    async fn resend_sends_one_more_text_and_restarts_follow_ups(app) {
        let (_, lead, office) = shop_with_ann(app).await;
        let (id, _) = made(&office, lead, 350.0).await;
        app.run_tasks().await;
        let planned = list(&office, lead).await[0]["followUps"].clone();
        let dues: Vec<_> = planned.as_array().unwrap().iter().map(|step| (step["step"].as_str().unwrap(), step["dueAt"].as_str().unwrap())).collect();
        assert_eq!(dues, [("day_2", "2026-09-19T15:00:00Z"), ("day_5", "2026-09-22T15:00:00Z"), ("day_10", "2026-09-27T15:00:00Z")]);
        app.advance(Duration::days(1));
        let pressed = office.with("idempotency-key", "again-1");
        let path = format!("/api/estimates/{id}/send");
        let sent = pressed.post(&path, &json!({"email": false})).await;
        assert_eq!(sent.status, 202);
        assert_eq!((&sent.json()["sent"][0]["channel"], &sent.json()["sent"][0]["to"], &sent.json()["notSent"]), (&json!("sms"), &json!(ANN), &json!([])));
        assert_eq!(pressed.post(&path, &json!({"email": false})).await.json(), sent.json());
        app.run_tasks().await;
        assert_eq!((texts(app).len(), letters(app).len()), (2, 1));
        let planned = list(&office, lead).await[0]["followUps"].clone();
        let states: Vec<_> = planned.as_array().unwrap().iter().map(|step| step["state"].as_str().unwrap()).collect();
        assert_eq!(states, ["stopped", "stopped", "stopped", "waiting", "waiting", "waiting"]);
    }

    async fn new_link_replaces_the_old_one_in_the_next_text(app) {
        let (_, lead, office) = shop_with_ann(app).await;
        let (id, _) = made(&office, lead, 350.0).await;
        app.run_tasks().await;
        let old = list(&office, lead).await[0]["link"].clone();
        let path = format!("/api/estimates/{id}/link");
        assert_eq!(office.post(&path, &json!({"revoke": false})).await.problem().2, ["revoke"]);
        let new = office.post(&path, &json!({"revoke": true})).await.json()["link"].clone();
        assert!(new.is_string() && new != old);
        office.post(&format!("/api/estimates/{id}/send"), &json!({"email": false})).await;
        app.run_tasks().await;
        let sent = app.sent_link(new.as_str().unwrap(), "+15125550142").await;
        assert!(texts(app)[1].contains(&sent));
    }

    async fn estimate_for_spanish_customer_is_in_spanish(app) {
        let (shop, lead, office) = shop_with_ann(app).await;
        app.within(async |tx| Ok(q!(tx, execute, "UPDATE customer SET language = 'es' WHERE org_id = $1", shop.id())?)).await.unwrap();
        made(&office, lead, 350.0).await;
        app.run_tasks().await;
        let mails = app.mail.accepted_messages();
        let letter = mails.iter().find(|letter| letter.subject == "Su presupuesto EST-1001 de Acme Plumbing").unwrap();
        assert!(letter.text.contains("Le adjuntamos su presupuesto EST-1001 por $350.00.") && letter.attachments.len() == 1, "{}", letter.text);
        assert!(letter.html.as_deref().unwrap().contains("Ver el presupuesto"));
        tests::long_email::assert_button_and_link(letter);
        let is_text_sent = app.sms.accepted_messages().iter().any(|text| text.body.starts_with("Hola Ann, su presupuesto de Acme Plumbing por $350.00 ya viene."));
        assert!(is_text_sent);
        assert_eq!(list(&office, lead).await[0]["content"]["lines"][0]["name"], "Trabajo acordado: Plomería");
    }
}

#[tokio::test]
async fn both_databases_produce_identical_estimate_bytes() {
    tenant_scope::across_tenants(Box::pin(async {
        let mut papers = Vec::new();
        for mut app in [TestApp::on_sqlite().await, TestApp::on_postgres().await] {
            let (_, lead, office) = shop_with_ann(&mut app).await;
            let (_, paper) = made(&office, lead, 1250.5).await;
            app.run_tasks().await;
            // The link on the PDF is random, with the same seed in every story.
            let link = list(&office, lead).await[0]["link"].as_str().unwrap().to_owned();
            papers.push((paper, link));
            app.finish().await;
        }
        assert_eq!(papers[0].1, papers[1].1);
        assert!(papers[0].0 == papers[1].0);
    }))
    .await;
}
