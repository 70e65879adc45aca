//! A ticked box counts for the person who typed it: the number must answer the request of that form.

use axum::http::Method;
use chrono::Duration;
use serde_json::{Value, json};
use shared::platform::id::LeadId;
use tests::{app::TestApp, both_databases, fake_twilio::InboundText, people::Visitor};

use super::{FORM, NUMBER, ReviewFixture, agreeing, firm, number};

/// A form with a number and no email.
fn ticking(n: u32) -> Visitor {
    let mut one = agreeing(n);
    one.form.email = None;
    one
}

async fn is_provisional(app: &TestApp, firm: &ReviewFixture, lead: LeadId) -> bool {
    let customer = customer_of(app, firm, lead).await;
    let seen = firm.get(app, &format!("/api/customers/{customer}")).await;
    let all = seen["consents"].as_array().unwrap();
    let asked = |consent: &&Value| consent["class"] == "promotional" && consent["granted"] == true;
    all.iter().find(asked).unwrap_or_else(|| panic!("{seen}"))["isProvisional"].as_bool().unwrap()
}

async fn customer_of(app: &TestApp, firm: &ReviewFixture, lead: LeadId) -> String {
    firm.get(app, &format!("/api/leads/{lead}")).await["customerId"].as_str().unwrap().to_owned()
}

/// Two requests with the same number and the box ticked, on the record of one customer.
async fn merged_requests(app: &TestApp, firm: &ReviewFixture) -> [LeadId; 2] {
    let first = agreeing(1).submits_lead(app, &firm.shop).await;
    app.run_tasks().await;
    app.advance(Duration::minutes(20));
    let mut again = agreeing(1);
    again.form.email = Some("other@customer.example".to_owned());
    let second = again.submits_lead(app, &firm.shop).await;
    app.run_tasks().await;
    let (kept, gone) = (customer_of(app, firm, first).await, customer_of(app, firm, second).await);
    let merged = firm.post(app, &format!("/api/customers/{kept}/merge"), &json!({ "otherId": gone })).await;
    assert_eq!(merged.status, 200, "{}", merged.json());
    [first, second]
}

/// Whether the tick of each request is provisional, in this order.
async fn provisional_ticks(app: &TestApp, firm: &ReviewFixture, leads: [LeadId; 2]) -> [bool; 2] {
    let customer = customer_of(app, firm, leads[0]).await;
    let seen = firm.get(app, &format!("/api/customers/{customer}")).await;
    let all = seen["consents"].as_array().unwrap();
    leads.map(|lead| {
        let asked = |consent: &&Value| consent["class"] == "promotional" && consent["leadId"] == json!(lead);
        all.iter().find(asked).unwrap_or_else(|| panic!("{seen}"))["isProvisional"].as_bool().unwrap()
    })
}

async fn refuses_text(app: &TestApp, firm: &ReviewFixture, lead: LeadId) -> bool {
    let asked = firm.post(app, &format!("/api/leads/{lead}/review"), &json!({})).await;
    let why = asked.json()["detail"].to_string();
    asked.status == 409 && why.contains("did not agree to get offers and review requests by text")
}

/// The number presses a button of the estimate that was texted to it.
async fn presses_estimate(app: &TestApp, firm: &ReviewFixture, lead: LeadId, n: u32) {
    let made = firm.post(app, &format!("/api/leads/{lead}/estimate"), &json!({"quotedTotal": 500.0})).await;
    assert_eq!(made.status, 200, "{}", made.json());
    app.live_through(Duration::minutes(3), Duration::minutes(1)).await;
    let text = firm.line.texts_to(&number(n)).into_iter().find(|text| text.contains("/p/")).unwrap();
    let link = text[text.find("/p/").unwrap()..].split_whitespace().next().unwrap().trim_end_matches('.');
    let asked = app.client().send(Method::POST, &format!("{link}/ask"), FORM, b"question=When%3F".to_vec()).await;
    assert_eq!(asked.status, 303);
    app.run_tasks().await;
}

both_databases! {
    async fn tick_counts_after_text_that_answers_the_request(app) {
        let firm = firm(app).await;
        let lead = ticking(1).submits_lead(app, &firm.shop).await;
        assert!(is_provisional(app, &firm, lead).await && refuses_text(app, &firm, lead).await);
        app.run_tasks().await;
        assert_eq!(firm.line.texts_to(&number(1)).len(), 1, "the request is answered");
        app.advance(Duration::hours(26));
        firm.line.writes(&number(1), "Yes, tomorrow morning works").await;
        app.run_tasks().await;
        assert!(!is_provisional(app, &firm, lead).await);
        let asked = firm.post(app, &format!("/api/leads/{lead}/review"), &json!({})).await;
        assert_eq!((asked.status.as_u16(), &asked.json()["channel"]), (202, &json!("sms")), "{}", asked.json());
        app.run_tasks().await;
    }

    async fn yes_that_confirms_the_tick_keeps_the_email_of_the_form(app) {
        let firm = firm(app).await;
        let lead = agreeing(1).submits_lead(app, &firm.shop).await;
        app.run_tasks().await;
        app.advance(Duration::minutes(5));
        firm.line.writes(&number(1), "Yes please, that was me").await;
        app.run_tasks().await;
        let customer = customer_of(app, &firm, lead).await;
        let seen = firm.get(app, &format!("/api/customers/{customer}")).await;
        assert_eq!(seen["setAside"], json!([]), "{seen}");
        assert!(seen["consents"].as_array().unwrap().iter().all(|consent| consent["isSetAside"] == false), "{seen}");
        let asked = firm.post(app, &format!("/api/leads/{lead}/review"), &json!({})).await;
        assert_eq!((asked.status.as_u16(), &asked.json()["channel"]), (202, &json!("sms")), "{}", asked.json());
        app.run_tasks().await;
    }

    async fn tick_counts_after_yes_that_twilio_takes_for_start(app) {
        let firm = firm(app).await;
        let lead = ticking(1).submits_lead(app, &firm.shop).await;
        app.run_tasks().await;
        app.advance(Duration::minutes(5));
        firm.line.delivers(&InboundText::new(&number(1), NUMBER, "Yes").handled_by_twilio("START")).await;
        app.run_tasks().await;
        assert!(!is_provisional(app, &firm, lead).await);
    }

    async fn tick_counts_after_press_behind_link_texted_to_the_number(app) {
        let firm = firm(app).await;
        let lead = ticking(1).submits_lead(app, &firm.shop).await;
        app.run_tasks().await;
        app.advance(Duration::days(5));
        presses_estimate(app, &firm, lead, 1).await;
        assert!(!is_provisional(app, &firm, lead).await);
    }

    async fn stranger_tick_gives_no_consent_when_owner_of_number_writes_later(app) {
        let firm = firm(app).await;
        let lead = ticking(1).submits_lead(app, &firm.shop).await;
        app.run_tasks().await;
        app.advance(Duration::days(4));
        firm.line.writes(&number(1), "Do you clean gutters?").await;
        app.run_tasks().await;
        assert!(is_provisional(app, &firm, lead).await && refuses_text(app, &firm, lead).await);
        app.advance(Duration::hours(1));
        firm.line.writes(&number(1), "Yes please").await;
        app.run_tasks().await;
        assert!(is_provisional(app, &firm, lead).await, "our later answers are about her own matter");
        presses_estimate(app, &firm, lead, 1).await;
        assert!(is_provisional(app, &firm, lead).await, "and so are the papers");
    }

    async fn stranger_tick_gives_no_consent_when_owner_of_number_calls(app) {
        let firm = firm(app).await;
        let lead = ticking(1).submits_lead(app, &firm.shop).await;
        app.run_tasks().await;
        app.advance(Duration::days(4));
        firm.line.rings(&number(1), []).await;
        app.live_through(Duration::minutes(1), Duration::seconds(10)).await;
        assert!(is_provisional(app, &firm, lead).await && refuses_text(app, &firm, lead).await);
        presses_estimate(app, &firm, lead, 1).await;
        assert!(is_provisional(app, &firm, lead).await);
    }

    async fn tick_stays_provisional_after_denial_of_the_request(app) {
        let firm = firm(app).await;
        let lead = ticking(1).submits_lead(app, &firm.shop).await;
        app.run_tasks().await;
        app.advance(Duration::minutes(5));
        for text in [
            "I'm driving with Focus turned on. I'll see your message when I get where I'm going.",
            "Who is this? I never filled out a form",
            "No, I did not",
        ] {
            firm.line.writes(&number(1), text).await;
            app.run_tasks().await;
            assert!(is_provisional(app, &firm, lead).await && refuses_text(app, &firm, lead).await, "{text}");
        }
    }

    async fn denial_after_a_yes_makes_the_tick_provisional_again(app) {
        let firm = firm(app).await;
        let lead = ticking(1).submits_lead(app, &firm.shop).await;
        app.run_tasks().await;
        app.advance(Duration::minutes(5));
        for (text, is_waiting) in [
            ("Yes Bob, see you at dinner", true),
            ("Yes", false),
            ("That was not me, I never asked you for anything", true),
            ("Ok thanks", true),
        ] {
            firm.line.writes(&number(1), text).await;
            app.run_tasks().await;
            assert_eq!(is_provisional(app, &firm, lead).await, is_waiting, "{text}");
        }
    }

    async fn press_confirms_only_the_tick_of_its_own_request(app) {
        let firm = firm(app).await;
        let leads = merged_requests(app, &firm).await;
        assert_eq!(provisional_ticks(app, &firm, leads).await, [true, true]);
        presses_estimate(app, &firm, leads[0], 1).await;
        assert_eq!(provisional_ticks(app, &firm, leads).await, [false, true]);
    }

    async fn thanks_during_a_job_confirm_only_the_tick_of_its_request(app) {
        let firm = firm(app).await;
        let leads = merged_requests(app, &firm).await;
        let soon = app.now() + Duration::hours(3);
        let made = firm.post(app, "/api/jobs", &json!({"leadId": leads[1], "startsAt": soon})).await;
        assert_eq!(made.status, 201, "{}", made.json());
        app.run_tasks().await;
        app.advance(Duration::minutes(5));
        firm.line.writes(&number(1), "Thanks!").await;
        app.run_tasks().await;
        assert_eq!(provisional_ticks(app, &firm, leads).await, [true, false]);
        firm.line.writes(&number(1), "Yes please").await;
        app.run_tasks().await;
        assert_eq!(provisional_ticks(app, &firm, leads).await, [false, false]);
    }

    async fn unticked_form_with_known_number_ends_no_consent(app) {
        let firm = firm(app).await;
        let lead = ticking(1).submits_lead(app, &firm.shop).await;
        app.run_tasks().await;
        app.advance(Duration::minutes(5));
        firm.line.writes(&number(1), "Yes please").await;
        app.run_tasks().await;
        app.advance(Duration::hours(26));
        let mut stranger = ticking(1);
        stranger.form.marketing_consent = false;
        let second = stranger.submits_lead(app, &firm.shop).await;
        app.run_tasks().await;
        assert_eq!(customer_of(app, &firm, second).await, customer_of(app, &firm, lead).await);
        let asked = firm.post(app, &format!("/api/leads/{lead}/review"), &json!({})).await;
        assert_eq!((asked.status.as_u16(), &asked.json()["channel"]), (202, &json!("sms")), "{}", asked.json());
        app.run_tasks().await;
    }

    async fn consent_of_one_number_does_not_cover_another(app) {
        let firm = firm(app).await;
        let lead = ticking(1).submits_confirmed_lead(app, &firm.shop).await;
        app.run_tasks().await;
        let customer = firm.get(app, &format!("/api/leads/{lead}")).await["customerId"].as_str().unwrap().to_owned();
        let changed = firm.patches(app, &format!("/api/customers/{customer}"), &json!({"phone": number(2)})).await;
        assert_eq!(changed.status, 200, "{}", changed.json());
        assert!(refuses_text(app, &firm, lead).await);
    }
}
