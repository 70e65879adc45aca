//! Registration of a local number (A2P 10DLC): step by step, paid for once, corrected, and followed to its outcome.

use chrono::Duration;
use serde_json::{Value, json};
use shared::{
    domain::{
        messaging::{
            sending_number::{self, NumberAssignedBy},
            texting_registration::{TextingRegistration, ten_dlc::store},
        },
        tenancy::org::{self, settings::CarrierRegistration},
    },
    platform::db::tenant_scope::with_tenant,
};
use tests::{
    app::TestApp,
    both_databases,
    fake_twilio::{FakeTwilio, Fault, InboundText},
    http::{Answer, Client},
    people::Shop,
    phone::ANN,
};
use worker::tasks::messaging::register_texting;

use super::{FREE, Install, POOL, SERVICE, inbound_texts, install, reached, says, without_number};

const PATH: &str = "/api/texting-registration";
const PAID: &str = "/api/texting-registration?acceptsFees=true";
const PRIMARY: &str = "BU00000000000000000000000000000001";
const PROFILES: [&str; 2] = ["CustomerProfiles", "TrustProducts"];
const BRANDS: &str = "BrandRegistrations";

fn company() -> Value {
    json!({
        "legalName": "Best Roofing LLC", "legalForm": "private_company", "ein": "12-3456789",
        "website": "www.best-roofing.example", "street": "1 Main St", "city": "Austin", "state": "TX", "zip": "78701",
        "contactFirstName": "Olive", "contactLastName": "Owner", "contactEmail": "olive@best-roofing.example",
        "contactPhone": "512-555-0100", "contactTitle": "Owner", "monthlyTexts": "up_to_thousand",
    })
}

fn sole_proprietor() -> Value {
    let mut profile = company();
    profile["legalName"] = json!("Olive Owner");
    profile["legalForm"] = json!("sole_proprietor");
    profile["ein"] = json!("");
    profile["contactTitle"] = json!("");
    profile
}

/// A business that texts from a local number, on an install whose operator has a primary profile.
async fn with_local_number(app: &mut TestApp) -> (Install, Shop, Client) {
    let twilio = FakeTwilio::start().await;
    twilio.follow(&app.origin.clock);
    app.use_twilio_with(&twilio.url(), &[("TWILIO_PRIMARY_PROFILE", PRIMARY)]);
    let install = reached(app, twilio).await;
    let shop = without_number(app, "Best Roofing").await;
    install.twilio.owns(FREE, true);
    assigns(app, &shop, FREE).await;
    let owner = app.client().signed_in(app, shop.owner()).await;
    (install, shop, owner)
}

async fn assigns(app: &TestApp, shop: &Shop, number: &str) {
    let by = (NumberAssignedBy::Operator, None);
    app.within(async |tx| sending_number::assign_number(tx, &app.origin, shop.id(), number, by).await).await.unwrap();
    app.advance(Duration::seconds(1));
}

async fn submits(app: &TestApp, shop: &Shop, profile: &Value) -> Answer {
    app.advance(Duration::seconds(1));
    app.client().signed_in(app, shop.owner()).await.post(PAID, profile).await
}

async fn shown(app: &TestApp, shop: &Shop) -> Value {
    app.client().signed_in(app, shop.owner()).await.get(PATH).await.json()
}

async fn stored(app: &TestApp, shop: &Shop) -> TextingRegistration {
    store::find_ten_dlc(&mut app.db.acquire_reader().await.unwrap(), shop.id()).await.unwrap().unwrap()
}

async fn settings_state(app: &TestApp, shop: &Shop) -> CarrierRegistration {
    let mut conn = app.db.acquire_reader().await.unwrap();
    let found = org::find(&mut conn, shop.id()).await.unwrap().unwrap();
    org::load_profile(&mut conn, found).await.unwrap().settings.sending.registration
}

/// The reviewers decide, and the worker looks again.
async fn decides(app: &TestApp, install: &Install, collection: &str, status: &str, faults: &Value) {
    install.twilio.decide_a2p(collection, status, faults);
    app.advance(if collection == "Usa2p" { Duration::hours(6) } else { Duration::minutes(15) });
    app.run_tasks().await;
}

/// Up to the brand, which waits for the registry.
async fn until_brand(app: &TestApp, install: &Install) {
    app.run_tasks().await;
    for collection in PROFILES {
        decides(app, install, collection, "twilio-approved", &json!([])).await;
    }
}

/// From the brand to the approved number.
async fn until_approved(app: &TestApp, install: &Install) {
    decides(app, install, BRANDS, "APPROVED", &json!([])).await;
    decides(app, install, "Usa2p", "VERIFIED", &json!([])).await;
}

fn step_states(view: &Value) -> Vec<String> {
    let steps = view["steps"].as_array().unwrap();
    steps.iter().map(|step| step["state"].as_str().unwrap().to_owned()).collect()
}

both_databases! {
    async fn company_is_registered_step_by_step_and_texts_leave_in_the_end(app) {
        let (install, shop, owner) = with_local_number(app).await;
        let offered = owner.get(PATH).await.json();
        assert_eq!((&offered["kind"], &offered["canSubmit"], &offered["obstacle"]), (&json!("ten_dlc"), &json!(true), &Value::Null));
        assert_eq!(offered["fees"], json!({"brand": 4.5, "campaign": 15.0, "monthly": 2.0}), "said before it is submitted");
        assert_eq!(owner.post(PATH, &company()).await.problem().2, ["acceptsFees"], "and agreed to");
        let mut untitled = company();
        untitled["contactTitle"] = json!(" ");
        assert_eq!(owner.post(PAID, &untitled).await.problem().2, ["contactTitle"]);
        assert_eq!(submits(app, &shop, &company()).await.status, 202);
        assert_eq!(settings_state(app, &shop).await, CarrierRegistration::Pending, "emails take the place of texts");
        app.run_tasks().await;
        let view = shown(app, &shop).await;
        assert_eq!((&view["state"], step_states(&view)[0].as_str()), (&json!("pending_review"), "under_way"), "{view}");
        assert_eq!(submits(app, &shop, &company()).await.json()["reason"], "texting_registration_open");
        let business = &install.twilio.a2p_parts("EndUsers")[0];
        assert!(business.field("Attributes").unwrap().contains(r#""business_registration_number":"123456789""#));
        assert_eq!(stored(app, &shop).await.stored_profile().ein, "", "the EIN is sent and not kept");
        assert!(install.twilio.a2p_parts("EntityAssignments").iter().any(|part| part.field("ObjectSid") == Some(PRIMARY)));
        assert!(install.twilio.a2p_parts(BRANDS).is_empty(), "nothing is paid for before Twilio knows the business");
        for collection in PROFILES {
            decides(app, &install, collection, "twilio-approved", &json!([])).await;
        }
        let [brand] = &install.twilio.a2p_parts(BRANDS)[..] else { panic!("one brand") };
        assert_eq!((brand.field("BrandType"), brand.field("SkipAutomaticSecVet")), (Some("STANDARD"), Some("true")));
        decides(app, &install, BRANDS, "APPROVED", &json!([])).await;
        let [campaign] = &install.twilio.a2p_parts("Usa2p")[..] else { panic!("one campaign") };
        assert_eq!(campaign.field("UsAppToPersonUsecase"), Some("LOW_VOLUME"));
        says(app, &shop, "Not yet").await;
        assert!(install.to_ann().is_empty(), "carriers would block it");
        decides(app, &install, "Usa2p", "VERIFIED", &json!([])).await;
        let view = shown(app, &shop).await;
        assert_eq!((&view["state"], &view["canSubmit"], &view["meanwhile"]), (&json!("approved"), &json!(false), &Value::Null));
        assert_eq!(step_states(&view), ["done"; 4]);
        assert_eq!(settings_state(app, &shop).await, CarrierRegistration::Approved);
        says(app, &shop, "From Best").await;
        assert_eq!(install.to_ann(), [(Some(FREE.to_owned()), None)]);
        assert_eq!(submits(app, &shop, &company()).await.json()["reason"], "texting_registration_final");
    }

    async fn rejected_brand_and_campaign_are_corrected_without_a_second_one(app) {
        let (install, shop, owner) = with_local_number(app).await;
        assert_eq!(submits(app, &shop, &company()).await.status, 202);
        until_brand(app, &install).await;
        decides(app, &install, BRANDS, "FAILED", &json!(["TAX_ID"])).await;
        let view = shown(app, &shop).await;
        assert!(view["reason"].as_str().unwrap().starts_with("Your legal name and EIN do not match"), "{view}");
        assert_eq!(step_states(&view), ["done", "stopped", "ahead", "ahead"]);
        assert!(owner.get("/api/alerts").await.json().to_string().contains("Your registration for texts was turned down"));
        let mut corrected = company();
        corrected["legalName"] = json!("Best Roofing of Austin LLC");
        assert_eq!(submits(app, &shop, &corrected).await.status, 202);
        until_brand(app, &install).await;
        assert!(install.twilio.a2p_parts("EndUsers")[0].field("Attributes").unwrap().contains("Best Roofing of Austin LLC"));
        assert_eq!((install.twilio.a2p_parts("EndUsers").len(), install.twilio.a2p_parts("CustomerProfiles").len()), (3, 1));
        let [brand] = &install.twilio.a2p_parts(BRANDS)[..] else { panic!("one brand") };
        assert_eq!(brand.status, "PENDING", "sent again");
        decides(app, &install, BRANDS, "APPROVED", &json!([])).await;
        let faults = json!([{"error_code": 30893, "description": "Sample messages", "fields": ["MESSAGE_SAMPLES"]}]);
        decides(app, &install, "Usa2p", "FAILED", &faults).await;
        let view = shown(app, &shop).await;
        assert_eq!(view["reason"], "The samples do not fit what you text about.");
        assert_eq!(view["fees"], json!({"brand": 0.0, "campaign": 15.0, "monthly": 2.0}), "the brand is paid for");
        assert_eq!(submits(app, &shop, &corrected).await.status, 202);
        app.run_tasks().await;
        let [campaign] = &install.twilio.a2p_parts("Usa2p")[..] else { panic!("one campaign") };
        assert_eq!(campaign.status, "IN_PROGRESS");
        decides(app, &install, "Usa2p", "VERIFIED", &json!([])).await;
        assert_eq!((shown(app, &shop).await["state"].clone(), install.twilio.a2p_parts(BRANDS).len()), (json!("approved"), 1));
    }

    async fn profile_that_twilio_would_reject_costs_nothing(app) {
        let (install, shop, _) = with_local_number(app).await;
        install.twilio.find_noncompliant(Some("The business name is not valid."));
        assert_eq!(submits(app, &shop, &company()).await.status, 202);
        app.run_tasks().await;
        let view = shown(app, &shop).await;
        assert_eq!((&view["state"], &view["reason"]), (&json!("rejected"), &json!("The business name is not valid.")));
        assert!(install.twilio.a2p_parts(BRANDS).is_empty());
        install.twilio.find_noncompliant(None);
        assert_eq!(submits(app, &shop, &company()).await.status, 202);
        app.run_tasks().await;
        let faults = json!([{"code": 22214, "message": "The address could not be found."}]);
        decides(app, &install, "CustomerProfiles", "twilio-rejected", &faults).await;
        let view = shown(app, &shop).await;
        assert_eq!((&view["state"], &view["reason"]), (&json!("rejected"), &json!("The address could not be found.")));
        assert!(install.twilio.a2p_parts(BRANDS).is_empty());
    }

    async fn sole_proprietor_answers_the_text_to_the_mobile_phone(app) {
        let (install, shop, owner) = with_local_number(app).await;
        let resend = format!("{PATH}/text");
        assert_eq!(owner.post(&resend, &json!({})).await.json()["reason"], "registration_text_not_due");
        assert_eq!(submits(app, &shop, &sole_proprietor()).await.status, 202);
        until_brand(app, &install).await;
        let [brand] = &install.twilio.a2p_parts(BRANDS)[..] else { panic!("one brand") };
        assert_eq!((brand.field("BrandType"), brand.field("SkipAutomaticSecVet")), (Some("SOLE_PROPRIETOR"), None));
        assert_eq!(install.twilio.a2p_parts("EndUsers").len(), 2, "no representative");
        assert_eq!(shown(app, &shop).await["confirmationPhone"], Value::Null, "the registry has not taken it up");
        decides(app, &install, BRANDS, "APPROVED", &json!([])).await;
        let view = shown(app, &shop).await;
        assert_eq!((&view["state"], &view["confirmationPhone"]), (&json!("in_review"), &json!("+15125550100")));
        let owner = app.client().signed_in(app, shop.owner()).await;
        assert!(owner.get("/api/alerts").await.json().to_string().contains("Answer the text about your registration"));
        assert_eq!(owner.post(&resend, &json!({})).await.status, 204);
        assert_eq!(install.twilio.resent_brand_texts(), std::slice::from_ref(&brand.sid));
        for _ in 0..4 {
            assert_eq!(owner.post(&resend, &json!({})).await.status, 204);
        }
        assert_eq!(owner.post(&resend, &json!({})).await.status, 429, "five an hour");
        app.advance(Duration::minutes(15));
        app.run_tasks().await;
        assert!(install.twilio.a2p_parts("Usa2p").is_empty(), "it waits for the answer");
        install.twilio.answer_brand_texts();
        app.advance(Duration::minutes(15));
        app.run_tasks().await;
        assert_eq!(install.twilio.a2p_parts("Usa2p")[0].field("UsAppToPersonUsecase"), Some("SOLE_PROPRIETOR"));
        decides(app, &install, "Usa2p", "VERIFIED", &json!([])).await;
        assert_eq!(shown(app, &shop).await["state"], "approved");
        assert_eq!(app.count("alert WHERE dedupe_key LIKE '%texting_registration:%:answer:%'").await, 1);
    }

    async fn cut_answers_make_no_second_brand_or_campaign(app) {
        let (install, shop, _) = with_local_number(app).await;
        for collection in ["EndUsers", BRANDS, "Usa2p", "PhoneNumbers"] {
            install.twilio.script_a2p(collection, Fault::AcceptThenReset);
        }
        assert_eq!(submits(app, &shop, &company()).await.status, 202);
        app.run_tasks().await;
        assert_eq!(shown(app, &shop).await["state"], "sending");
        app.advance(Duration::minutes(1));
        until_brand(app, &install).await;
        assert_eq!(shown(app, &shop).await["state"], "sending", "Twilio may have the brand");
        app.advance(Duration::minutes(1));
        app.run_tasks().await;
        install.twilio.decide_a2p(BRANDS, "APPROVED", &json!([]));
        for _ in 0..3 {
            app.advance(Duration::minutes(15));
            app.run_tasks().await;
        }
        decides(app, &install, "Usa2p", "VERIFIED", &json!([])).await;
        app.advance(Duration::minutes(1));
        app.run_tasks().await;
        assert_eq!(shown(app, &shop).await["state"], "approved");
        let count = |collection| install.twilio.a2p_parts(collection).len();
        assert_eq!(["EndUsers", BRANDS, "Usa2p"].map(count), [3, 1, 1]);
    }

    async fn brand_that_did_not_reach_twilio_is_sent_again_by_the_owner_only(app) {
        let (install, shop, _) = with_local_number(app).await;
        install.twilio.script_a2p(BRANDS, Fault::Error500BeforeAccept);
        assert_eq!(submits(app, &shop, &company()).await.status, 202);
        until_brand(app, &install).await;
        for _ in 0..2 {
            app.advance(Duration::minutes(1));
            app.run_tasks().await;
        }
        let view = shown(app, &shop).await;
        assert_eq!((&view["state"], install.twilio.a2p_parts(BRANDS).len()), (&json!("failed"), 0), "{view}");
        assert_eq!(submits(app, &shop, &company()).await.status, 202);
        until_brand(app, &install).await;
        assert_eq!(install.twilio.a2p_parts(BRANDS).len(), 1);
        until_approved(app, &install).await;
        assert_eq!(shown(app, &shop).await["state"], "approved");
    }

    async fn refusals_and_pauses_of_twilio_end_or_delay_a_step(app) {
        let (install, shop, _) = with_local_number(app).await;
        for (status, code, words) in [(401, 20003, "phone account"), (400, 20001, "Check your details")] {
            install.twilio.script_a2p("Addresses", Fault::Code { status, code });
            assert_eq!(submits(app, &shop, &company()).await.status, 202);
            app.run_tasks().await;
            let view = shown(app, &shop).await;
            assert!(view["state"] == "failed" && view["reason"].as_str().unwrap().contains(words), "{code}: {view}");
            assert_eq!(stored(app, &shop).await.stored_profile().ein, "");
        }
        install.twilio.script_a2p("Addresses", Fault::TooManyRequests { retry_after: None });
        assert_eq!(submits(app, &shop, &company()).await.status, 202);
        app.run_tasks().await;
        assert_eq!(shown(app, &shop).await["state"], "waiting", "Twilio asks for a pause");
        app.live_through(Duration::minutes(1), Duration::seconds(10)).await;
        assert_eq!(shown(app, &shop).await["state"], "pending_review");
        install.twilio.break_reading(Some(503));
        app.advance(Duration::minutes(15));
        app.run_tasks().await;
        install.twilio.break_reading(None);
        decides(app, &install, "CustomerProfiles", "twilio-approved", &json!([])).await;
        assert_eq!(install.twilio.a2p_parts("TrustProducts").len(), 1, "an outage does not end the look at the state");
    }

    async fn two_workers_at_one_step_create_one_brand(app) {
        let (install, shop, _) = with_local_number(app).await;
        install.twilio.script_a2p(BRANDS, Fault::TooManyRequests { retry_after: None });
        assert_eq!(submits(app, &shop, &company()).await.status, 202);
        until_brand(app, &install).await;
        let id = stored(app, &shop).await.id;
        let run = || with_tenant(shop.id(), register_texting::run_registration(&app.context, Some(shop.id()), id));
        let (first, second) = tokio::join!(run(), run());
        first.unwrap();
        second.unwrap();
        app.live_through(Duration::minutes(3), Duration::seconds(30)).await;
        assert_eq!(install.twilio.a2p_parts(BRANDS).len(), 1);
        Box::pin(run()).await.unwrap();
        assert_eq!(shown(app, &shop).await["state"], "pending_review", "one look more changes nothing");
    }

    async fn without_primary_profile_or_trust_nothing_is_offered(app) {
        let install = install(app).await;
        let shop = app.org("Acme Plumbing").await;
        let owner = app.client().signed_in(app, shop.owner()).await;
        let local = owner.get(PATH).await.json();
        assert_eq!((&local["canSubmit"], &local["obstacle"], &local["fees"]), (&json!(false), &json!("by_operator"), &Value::Null));
        assert_eq!(owner.post(PAID, &company()).await.problem().2, ["number"]);
        app.use_twilio_with(&install.twilio.url(), &[("TWILIO_PRIMARY_PROFILE", PRIMARY)]);
        let stranger = app.fresh_org("Stranger").await;
        assigns(app, &stranger, FREE).await;
        let client = app.client().signed_in(app, stranger.owner()).await;
        assert_eq!(client.get(PATH).await.json()["obstacle"], "not_trusted");
        assert_eq!(client.post(PAID, &company()).await.status, 403, "the address is not proven");
        let sql = "INSERT INTO org_trust (org_id, proven_at) VALUES ($1, $2)
            ON CONFLICT (org_id) DO UPDATE SET proven_at = excluded.proven_at";
        app.within(async |tx| Ok(shared::q!(tx, execute, sql, stranger.id(), app.now())?)).await.unwrap();
        assert_eq!(client.post(PAID, &company()).await.json()["reason"], "texting_registration_not_allowed");
        app.sets(&shop, json!({"sending": {"registration": "approved"}})).await;
        let owner = app.client().signed_in(app, shop.owner()).await;
        let registered = owner.get(PATH).await.json();
        assert_eq!((&registered["canSubmit"], &registered["meanwhile"]), (&json!(false), &Value::Null), "by the operator");
        assert_eq!(owner.post(PAID, &company()).await.json()["reason"], "texting_registration_final");
        app.run_tasks().await;
        assert!(install.twilio.a2p_parts("CustomerProfiles").is_empty());
    }

    async fn number_that_replaces_a_registered_one_is_connected_too(app) {
        let (install, shop, _) = with_local_number(app).await;
        assert_eq!(submits(app, &shop, &company()).await.status, 202);
        until_brand(app, &install).await;
        until_approved(app, &install).await;
        install.twilio.owns(POOL, true);
        assigns(app, &shop, POOL).await;
        assert_eq!(settings_state(app, &shop).await, CarrierRegistration::Pending, "carriers do not know it");
        app.run_tasks().await;
        assert_eq!(settings_state(app, &shop).await, CarrierRegistration::Approved);
        says(app, &shop, "From Best").await;
        assert_eq!(install.to_ann(), [(Some(POOL.to_owned()), None)]);
        assert_eq!(install.twilio.a2p_parts("Usa2p").len(), 1);
    }

    async fn texts_to_a_registered_number_arrive_beside_a_shared_service(app) {
        let (install, shop, _) = with_local_number(app).await;
        assert_eq!(submits(app, &shop, &company()).await.status, 202);
        until_brand(app, &install).await;
        until_approved(app, &install).await;
        let service = install.twilio.a2p_parts("Services")[0].clone();
        assert_eq!(service.field("UseInboundWebhookOnNumber"), Some("true"));
        let url = install.twilio.url();
        app.use_twilio_with(&url, &[("TWILIO_PRIMARY_PROFILE", PRIMARY), ("TWILIO_MESSAGING_SERVICE_SID", SERVICE)]);
        let install = reached(app, install.twilio).await;
        let posts = async |named: &str| {
            let text = InboundText { service: Some(named.to_owned()), ..InboundText::new(ANN, FREE, "Is it you?") };
            install.hooks.inbound_text(&text).await.answers[0].status
        };
        assert_eq!(posts("MG000000000000000000000000000000ff").await, 404, "a service of another program");
        assert_eq!(posts(&service.sid).await, 200);
        app.run_tasks().await;
        assert_eq!(inbound_texts(app, &shop).await, ["Is it you?"]);
    }
}
