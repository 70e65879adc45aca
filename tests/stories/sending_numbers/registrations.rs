//! Registration of a toll-free number: submitted once, followed to its outcome, and what leaves meanwhile.

use chrono::Duration;
use serde_json::{Value, json};
use shared::domain::{
    messaging::sending_number::{self, NumberAssignedBy},
    tenancy::org::{self, settings::CarrierRegistration},
};
use tests::{
    app::TestApp,
    both_databases,
    fake_twilio::Fault,
    http::{Answer, Client},
    people::Shop,
};

use super::{FREE, Install, install, says, without_number};

const TOLL_FREE: &str = "+18335550731";
const PATH: &str = "/api/texting-registration";

fn profile() -> Value {
    json!({
        "legalName": "Best Roofing LLC", "legalForm": "private_company", "ein": "12-3456789",
        "website": "www.best-roofing.example", "street": "1 Main St", "city": "Austin", "state": "TX", "zip": "78701",
        "contactFirstName": "Olive", "contactLastName": "Owner", "contactEmail": "olive@best-roofing.example",
        "contactPhone": "512-555-0100", "monthlyTexts": "up_to_thousand",
    })
}

async fn registration(app: &TestApp, shop: &Shop) -> CarrierRegistration {
    let mut conn = app.db.acquire_reader().await.unwrap();
    let found = org::find(&mut conn, shop.id()).await.unwrap().unwrap();
    org::load_profile(&mut conn, found).await.unwrap().settings.sending.registration
}

/// A business that has bought a toll-free number.
async fn with_toll_free_number(app: &mut TestApp) -> (Install, Shop, Client) {
    let install = install(app).await;
    let shop = without_number(app, "Best Roofing").await;
    install.twilio.sells(TOLL_FREE, "");
    let owner = app.client().signed_in(app, shop.owner()).await;
    let ordered = owner.post("/api/sending-number/orders", &json!({"number": TOLL_FREE})).await;
    assert_eq!(ordered.status, 202, "{}", ordered.json());
    app.run_tasks().await;
    (install, shop, owner)
}

async fn submits(app: &TestApp, shop: &Shop) -> Answer {
    app.client().signed_in(app, shop.owner()).await.post(PATH, &profile()).await
}

async fn alerts(owner: &Client) -> String {
    owner.get("/api/alerts").await.json().to_string()
}

async fn state(app: &TestApp, shop: &Shop) -> Value {
    app.client().signed_in(app, shop.owner()).await.get(PATH).await.json()["state"].clone()
}

both_databases! {
    async fn rejected_toll_free_verification_is_corrected_and_approved(app) {
        let (install, shop, owner) = with_toll_free_number(app).await;
        assert_eq!(registration(app, &shop).await, CarrierRegistration::Pending, "carriers block it");
        let kit = owner.get(PATH).await.json();
        assert_eq!((&kit["kind"], &kit["number"], &kit["canSubmit"]), (&json!("toll_free"), &json!(TOLL_FREE), &json!(true)));
        let meanwhile = kit["meanwhile"].as_str().unwrap();
        assert!(meanwhile.ends_with("You can text from your own phone."), "{meanwhile}");
        assert!(!meanwhile.contains("emails"), "this install saves them as files: {meanwhile}");
        assert_eq!(kit["kit"]["optInUrl"], "https://toolbox.example/lead?org=best-roofing");
        let incomplete = owner.post(PATH, &json!({"legalName": "", "legalForm": "private_company", "ein": "1",
            "website": "x", "street": "1 Main St", "city": "Austin", "state": "TX", "zip": "78701",
            "contactFirstName": "Olive", "contactLastName": "Owner", "contactEmail": "olive@best.example",
            "contactPhone": "512-555-0100", "monthlyTexts": "up_to_hundred"})).await;
        assert_eq!(incomplete.problem().2, ["ein", "legalName", "website"]);
        let sent = submits(app, &shop).await;
        assert_eq!(sent.status, 202, "{}", sent.json());
        app.run_tasks().await;
        assert_eq!(state(app, &shop).await, "pending_review");
        assert_eq!(submits(app, &shop).await.json()["reason"], "texting_registration_open");
        let [verification] = &install.twilio.verifications()[..] else { panic!("one verification") };
        assert_eq!(verification.field("BusinessName"), Some("Best Roofing LLC"));
        assert_eq!(verification.field("BusinessRegistrationNumber"), Some("123456789"));
        install.twilio.decide_verifications("TWILIO_REJECTED", Some("Business name does not match"));
        app.advance(Duration::hours(6));
        app.run_tasks().await;
        let rejected = app.client().signed_in(app, shop.owner()).await.get(PATH).await.json();
        assert_eq!((&rejected["state"], &rejected["reason"]), (&json!("rejected"), &json!("Business name does not match")));
        assert_eq!(registration(app, &shop).await, CarrierRegistration::Pending);
        app.advance(Duration::minutes(1));
        assert_eq!(submits(app, &shop).await.status, 202);
        app.run_tasks().await;
        assert_eq!((state(app, &shop).await, install.twilio.verifications().len()), (json!("in_review"), 1));
        install.twilio.decide_verifications("TWILIO_APPROVED", None);
        app.advance(Duration::hours(6));
        app.run_tasks().await;
        assert_eq!((state(app, &shop).await, registration(app, &shop).await), (json!("approved"), CarrierRegistration::Approved));
        assert_eq!(submits(app, &shop).await.json()["reason"], "texting_registration_final");
        assert_eq!(app.count("alert WHERE dedupe_key LIKE '%texting_registration:%'").await, 2);
    }

    async fn submission_without_answer_is_not_sent_twice(app) {
        let (install, shop, _) = with_toll_free_number(app).await;
        install.twilio.script_change(Fault::AcceptThenHang { millis: 3_000 });
        assert_eq!(submits(app, &shop).await.status, 202);
        app.run_tasks().await;
        assert_eq!(state(app, &shop).await, "sending");
        app.advance(Duration::minutes(1));
        app.run_tasks().await;
        assert_eq!((state(app, &shop).await, install.twilio.verifications().len()), (json!("pending_review"), 1));
    }

    async fn submission_that_failed_can_be_repeated(app) {
        let (install, shop, _) = with_toll_free_number(app).await;
        install.twilio.script_change(Fault::Code { status: 401, code: 20003 });
        assert_eq!(submits(app, &shop).await.status, 202);
        app.run_tasks().await;
        assert_eq!(state(app, &shop).await, "failed");
        app.advance(Duration::seconds(1));
        install.twilio.script_change(Fault::ResetBeforeAccept);
        assert_eq!(submits(app, &shop).await.status, 202);
        app.run_tasks().await;
        for _ in 0..2 {
            app.advance(Duration::minutes(1));
            app.run_tasks().await;
        }
        assert_eq!((state(app, &shop).await, install.twilio.verifications().len()), (json!("failed"), 0));
        app.advance(Duration::seconds(1));
        assert_eq!(submits(app, &shop).await.status, 202);
        app.run_tasks().await;
        assert_eq!(state(app, &shop).await, "pending_review");
    }

    async fn local_number_after_toll_free_one_is_not_held_back(app) {
        let (install, shop, owner) = with_toll_free_number(app).await;
        assert_eq!(registration(app, &shop).await, CarrierRegistration::Pending);
        assert!(alerts(&owner).await.contains("Texts from your new number are not sent yet"));
        install.twilio.owns(FREE, true);
        let claimed = owner.post("/api/sending-number/claim", &json!({"number": FREE, "way": "text"})).await;
        assert_eq!(claimed.status, 202, "{}", claimed.json());
        app.run_tasks().await;
        let code = install.twilio.last_to(FREE).unwrap().text.body.split(' ').next().unwrap().to_owned();
        let proved = owner.post("/api/sending-number/confirm", &json!({"code": code})).await;
        assert_eq!((proved.status.as_u16(), &proved.json()["number"]), (200, &json!(FREE)), "{}", proved.json());
        assert_eq!(registration(app, &shop).await, CarrierRegistration::Unknown, "nobody said anything of local numbers");
        assert!(alerts(&owner).await.contains("Your texts are sent again"));
        says(app, &shop, "From Best").await;
        assert_eq!(install.to_ann(), [(Some(FREE.to_owned()), None)]);
        // Back to the toll-free one, which is still not verified.
        let given_up = owner.post("/api/sending-number/give-up", &json!({"number": FREE})).await;
        assert_eq!(given_up.json()["number"], TOLL_FREE, "{}", given_up.json());
        assert_eq!(registration(app, &shop).await, CarrierRegistration::Pending);
        app.run_tasks().await;
    }

    async fn taken_over_toll_free_number_waits_for_its_verification(app) {
        let install = install(app).await;
        let shop = without_number(app, "Best Roofing").await;
        install.twilio.owns(TOLL_FREE, true);
        let owner = app.client().signed_in(app, shop.owner()).await;
        let taken = owner.post("/api/sending-number/take-over", &json!({"number": TOLL_FREE})).await;
        assert_eq!((taken.status.as_u16(), &taken.json()["number"]), (200, &json!(TOLL_FREE)), "{}", taken.json());
        assert_eq!(registration(app, &shop).await, CarrierRegistration::Pending);
        says(app, &shop, "From Best").await;
        assert!(install.to_ann().is_empty(), "carriers would block it");
        app.run_tasks().await;
    }

    async fn toll_free_number_from_the_operator_keeps_what_was_said_of_local_ones(app) {
        install(app).await;
        let shop = app.org("Acme Plumbing").await;
        app.sets(&shop, json!({"sending": {"registration": "approved"}})).await;
        let by = (NumberAssignedBy::Operator, None);
        let assigns = async |number: &str| {
            app.within(async |tx| sending_number::assign_number(tx, &app.origin, shop.id(), number, by).await).await.unwrap();
            app.advance(Duration::seconds(1));
        };
        assigns(FREE).await;
        assert_eq!(registration(app, &shop).await, CarrierRegistration::Approved, "one local number after another");
        assigns(TOLL_FREE).await;
        assert_eq!(registration(app, &shop).await, CarrierRegistration::Pending);
        assigns(TOLL_FREE).await;
        assert_eq!(registration(app, &shop).await, CarrierRegistration::Pending, "assigned once more");
        // The owner registers it in Twilio's console, and says so.
        app.sets(&shop, json!({"sending": {"registration": "approved"}})).await;
        assigns(TOLL_FREE).await;
        assert_eq!(registration(app, &shop).await, CarrierRegistration::Approved, "nothing became another");
        app.sets(&shop, json!({"sending": {"registration": "pending"}})).await;
        app.within(async |tx| sending_number::release_number(tx, &app.origin, TOLL_FREE).await).await.unwrap();
        assert_eq!(registration(app, &shop).await, CarrierRegistration::Approved, "the local number's own state");
        app.run_tasks().await;
    }

    async fn business_with_local_number_is_told_who_registers_it(app) {
        install(app).await;
        let shop = app.org("Acme Plumbing").await;
        let owner = app.client().signed_in(app, shop.owner()).await;
        let local = owner.get(PATH).await.json();
        assert_eq!((&local["kind"], &local["canSubmit"]), (&json!("ten_dlc"), &json!(false)));
        assert_eq!(owner.post(PATH, &profile()).await.problem().2, ["number"]);
    }
}
