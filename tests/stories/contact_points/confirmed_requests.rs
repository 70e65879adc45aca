//! Confirmed requests: a plain yes from the phone of a form keeps the email typed beside it; anything else sets it aside,
//! and so does a later denial. The office may use an address that another record has only from a form.

use chrono::Duration;
use serde_json::{Value, json};
use shared::{
    domain::messaging::conversation::inbox,
    platform::id::{CustomerId, LeadId},
};
use tests::{
    app::TestApp,
    both_databases,
    fake_twilio::Fault,
    http::Client,
    people::{Shop, Visitor},
    phone::{ANN, Line},
};

use super::{OTHER_MAIL, STRANGER, customer_of, estimate_goes_to, press, record};

const MAIL: &str = "ann@customer.example";

fn numbered_phone(n: usize) -> String {
    format!("+1512555017{n}")
}

fn numbered_mail(n: usize) -> String {
    format!("stranger{n}@evil.example")
}

/// The first text from the phone of a form, five minutes after it.
async fn writes_after_form(app: &TestApp, (shop, line): (&Shop, &Line), n: usize, text: &str) -> CustomerId {
    let (phone, mail) = (numbered_phone(n), numbered_mail(n));
    let mut form = Visitor::ann().phone(&phone).email(Some(&mail));
    form.sender.is_exempt = true;
    let lead = form.submits_lead(app, shop).await;
    app.run_tasks().await;
    app.advance(Duration::minutes(5));
    line.writes(&phone, text).await;
    app.run_tasks().await;
    customer_of(app, shop, lead).await
}

/// Ann writes that it drips; Maggie's form names Ann's email, and the office uses it for Ann. Returns both requests and
/// the proposal.
async fn office_uses_email_of_maggie(
    app: &TestApp,
    (shop, line, office): (&Shop, &Line, &Client),
) -> ([LeadId; 2], Value) {
    let hers = Visitor::ann().submits_lead(app, shop).await;
    app.run_tasks().await;
    line.writes(ANN, "It drips").await;
    app.run_tasks().await;
    app.advance(Duration::minutes(20));
    let theirs = Visitor::ann().phone(STRANGER).named("Maggie").submits_lead(app, shop).await;
    app.run_tasks().await;
    let proposal = record(office, customer_of(app, shop, hers).await).await["alsoGave"][0].clone();
    app.advance(Duration::minutes(1));
    assert_eq!(press(office, &proposal, "use").await, 200);
    ([hers, theirs], proposal)
}

/// How often the lead asked, and whether the conversation waits for the business.
async fn touches_and_waiting(app: &TestApp, shop: &Shop, lead: LeadId) -> (i64, bool) {
    let customer = customer_of(app, shop, lead).await;
    let mut conn = app.db.acquire_reader().await.unwrap();
    let thread = inbox::get_conversation_summary(&mut conn, shop.id(), customer).await.unwrap();
    drop(conn);
    (app.lead(shop.id(), lead).await.summary.touch_count, thread.waiting_since.is_some())
}

both_databases! {
    async fn yes_from_phone_of_form_keeps_its_email(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        app.advance(Duration::minutes(5));
        line.writes(ANN, "Yes please").await;
        app.run_tasks().await;
        line.writes(ANN, "It is under the counter").await;
        app.run_tasks().await;
        let seen = record(&office, customer_of(app, &shop, lead).await).await;
        assert_eq!((&seen["phoneProof"], &seen["emailProof"]), (&json!("texted"), &json!("form")), "{seen}");
        assert_eq!((&seen["setAside"], &seen["alsoGave"]), (&json!([]), &json!([])), "{seen}");
        let page = office.get(&format!("/api/leads/{lead}")).await.json();
        assert_eq!((&page["email"], &page["emailProof"], &page["phoneProof"]), (&json!(MAIL), &json!("form"), &json!("texted")));
        assert_eq!(estimate_goes_to(app, &office, lead).await, [MAIL], "the text leaves by the line of the story");
        assert_eq!(line.texts_to(ANN).iter().filter(|text| text.contains("/p/")).count(), 1);
    }

    async fn reaction_to_automatic_text_is_no_new_touch_and_denial_leaves_nothing_waiting(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        assert_eq!(line.texts_to(ANN).len(), 1, "the automatic text");
        let texts = [("Who are you?", (1, true)), ("Yes please", (1, true)), ("This was not me", (1, false)), ("That was not me, but my sink leaks", (2, true))];
        for (text, wanted) in texts {
            app.advance(Duration::minutes(5));
            line.writes(ANN, text).await;
            app.run_tasks().await;
            assert_eq!(touches_and_waiting(app, &shop, lead).await, wanted, "{text}");
        }
    }

    async fn reaction_without_a_text_that_left_counts_and_waits(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        line.twilio.script(Fault::Code { status: 400, code: 21606 });
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        assert_eq!(line.texts_to(ANN), Vec::<String>::new(), "the automatic text failed");
        app.advance(Duration::minutes(5));
        line.writes(ANN, "Yes please").await;
        app.run_tasks().await;
        let seen = touches_and_waiting(app, &shop, lead).await;
        assert_eq!(seen, (2, true), "nothing was sent that she could mean");
    }

    async fn reaction_to_a_text_that_may_have_left_is_no_new_touch_and_waits(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        line.twilio.script(Fault::Error500AfterAccept);
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let doubtful = "message WHERE kind = 'auto_reply' AND channel = 'sms' AND status = 'unknown' AND sent_at IS NULL AND unconfirmed_since IS NOT NULL";
        assert_eq!(app.count(doubtful).await, 1, "nobody knows yet whether it left");
        app.advance(Duration::seconds(30));
        line.writes(ANN, "Yes please").await;
        app.run_tasks().await;
        assert_eq!(app.count(doubtful).await, 1, "nor now");
        assert_eq!(touches_and_waiting(app, &shop, lead).await, (1, true), "she answers it");
        app.live_through(Duration::minutes(5), Duration::minutes(1)).await;
        assert_eq!(touches_and_waiting(app, &shop, lead).await, (1, true), "also once that is known");
    }

    async fn question_from_phone_of_form_sets_its_email_aside_for_good(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let lead = Visitor::ann().email(Some(OTHER_MAIL)).submits_lead(app, &shop).await;
        app.run_tasks().await;
        app.advance(Duration::minutes(5));
        for text in ["Who is this?", "Ok, but I wrote to nobody"] {
            line.writes(ANN, text).await;
            app.run_tasks().await;
        }
        line.writes(ANN, "Ok").await;
        app.run_tasks().await;
        let seen = record(&office, customer_of(app, &shop, lead).await).await;
        assert_eq!((&seen["setAside"], &seen["alsoGave"][0]["value"]), (&json!(["email"]), &json!(OTHER_MAIL)), "{seen}");
        assert_eq!(estimate_goes_to(app, &office, lead).await, Vec::<String>::new(), "the email gets nothing");
    }

    async fn yes_that_says_more_sets_email_of_form_aside(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let texts = ["Yes this is a scam", "Yes Bob, see you at dinner", "ok lol", "Yes I have a question"];
        for (n, text) in texts.into_iter().enumerate() {
            let customer = writes_after_form(app, (&shop, &line), n, text).await;
            let seen = record(&office, customer).await;
            assert_eq!(seen["setAside"], json!(["email"]), "{text}: {seen}");
        }
    }

    async fn later_text_that_takes_the_yes_back_sets_email_aside_again(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let texts = [
            "That was not me, I never asked you for anything",
            "Wrong number",
            "Who are you?",
            "My email is vera@good.example, please send it there",
            "STOP",
            "I don't know any Ann",
            "My name is Bob",
            "What request?",
            "No one here needs painting",
            "I think you texted the wrong house",
        ];
        for (n, text) in texts.into_iter().enumerate() {
            let customer = writes_after_form(app, (&shop, &line), n, "Yes").await;
            assert_eq!(record(&office, customer).await["setAside"], json!([]), "{text}");
            line.writes(&numbered_phone(n), text).await;
            app.run_tasks().await;
            let seen = record(&office, customer).await;
            assert_eq!((&seen["setAside"], &seen["alsoGave"][0]["value"]), (&json!(["email"]), &json!(numbered_mail(n))), "{text}: {seen}");
        }
    }

    async fn ordinary_texts_after_the_yes_leave_email(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let customer = writes_after_form(app, (&shop, &line), 0, "Yes").await;
        for text in ["No, the other door", "It's not leaking now", "I don't have a garage code", "What time?", "This is Ann"] {
            line.writes(&numbered_phone(0), text).await;
            app.run_tasks().await;
            let seen = record(&office, customer).await;
            assert_eq!(seen["setAside"], json!([]), "{text}: {seen}");
        }
        app.advance(Duration::hours(49));
        line.writes(&numbered_phone(0), "I'm not sure it was worth it").await;
        app.run_tasks().await;
        let office = office.signed_in(app, shop.owner()).await;
        let seen = record(&office, customer).await;
        assert_eq!(seen["setAside"], json!([]), "in doubt only within 48 hours: {seen}");
    }

    async fn late_yes_sets_email_of_form_aside(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let lead = Visitor::ann().email(Some(OTHER_MAIL)).submits_lead(app, &shop).await;
        app.run_tasks().await;
        app.advance(Duration::days(4));
        line.writes(ANN, "Yes").await;
        app.run_tasks().await;
        let office = office.signed_in(app, shop.owner()).await;
        let seen = record(&office, customer_of(app, &shop, lead).await).await;
        assert_eq!(seen["setAside"], json!(["email"]), "{seen}");
    }

    async fn yes_keeps_no_email_where_two_forms_named_the_number(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        let office = app.client().signed_in(app, shop.owner()).await;
        Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        app.advance(Duration::minutes(20));
        let theirs = Visitor::ann().email(Some(OTHER_MAIL)).submits_lead(app, &shop).await;
        app.run_tasks().await;
        line.writes(ANN, "Yes").await;
        app.run_tasks().await;
        let seen = record(&office, customer_of(app, &shop, theirs).await).await;
        assert_eq!((&seen["phoneProof"], &seen["setAside"]), (&json!("texted"), &json!(["email"])), "{seen}");
    }

    async fn office_uses_address_of_another_form_and_undo_returns_it(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let hers = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        line.writes(ANN, "It drips").await;
        app.run_tasks().await;
        app.advance(Duration::minutes(20));
        let theirs = Visitor::ann().phone(STRANGER).named("Maggie").submits_lead(app, &shop).await;
        app.run_tasks().await;
        let (ann, maggie) = (customer_of(app, &shop, hers).await, customer_of(app, &shop, theirs).await);
        let before = record(&office, ann).await;
        let proposal = before["alsoGave"][0].clone();
        assert_eq!(
            (&proposal["value"], &proposal["belongsTo"], &proposal["isUsable"]),
            (&json!(MAIL), &json!("Maggie"), &json!(true))
        );
        app.advance(Duration::minutes(1));
        assert_eq!(press(&office, &proposal, "use").await, 200);
        let used = record(&office, ann).await;
        assert_eq!((&used["email"], &used["emailProof"], &used["alsoGave"]), (&json!(MAIL), &json!("office"), &json!([])), "{used}");
        let other = record(&office, maggie).await;
        let refused = other["alsoGave"][0].clone();
        assert_eq!((&refused["belongsToId"], &refused["isUsable"]), (&json!(ann), &json!(false)), "{other}");
        assert_eq!(press(&office, &refused, "use").await, 422, "the office confirmed it for Ann");
        app.advance(Duration::minutes(1));
        assert_eq!(press(&office, &proposal, "undo").await, 200);
        let back = record(&office, ann).await;
        for field in ["email", "emailProof", "setAside", "alsoGave"] {
            assert_eq!(back[field], before[field], "{field}: {back}");
        }
        let other = record(&office, maggie).await;
        assert_eq!((&other["email"], &other["emailProof"], &other["alsoGave"]), (&json!(MAIL), &json!("form"), &json!([])), "{other}");
    }

    async fn address_that_office_gave_to_another_customer_gets_no_papers(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let ([hers, theirs], _) = office_uses_email_of_maggie(app, (&shop, &line, &office)).await;
        let other = record(&office, customer_of(app, &shop, theirs).await).await;
        let ann = customer_of(app, &shop, hers).await;
        assert_eq!((&other["setAside"], &other["alsoGave"][0]["belongsToId"]), (&json!(["email"]), &json!(ann)), "{other}");
        let maggie = customer_of(app, &shop, theirs).await;
        let thread = office.get(&format!("/api/customers/{maggie}/conversation")).await.json();
        let why = "their email belongs to another customer; merge the two if they are one person, or ask them";
        assert_eq!(thread["canEmail"]["why"], why, "\"Use it\" cannot be pressed");
        assert_eq!(estimate_goes_to(app, &office, theirs).await, Vec::<String>::new(), "it is Ann's email");
        assert_eq!(line.texts_to(STRANGER).iter().filter(|text| text.contains("/p/")).count(), 1);
        assert_eq!(estimate_goes_to(app, &office, hers).await, [MAIL]);
    }

    async fn parted_records_and_undone_use_leave_proposals_as_before(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let ([hers, theirs], proposal) = office_uses_email_of_maggie(app, (&shop, &line, &office)).await;
        let (ann, maggie) = (customer_of(app, &shop, hers).await, customer_of(app, &shop, theirs).await);
        app.advance(Duration::minutes(1));
        let merged = office.post(&format!("/api/customers/{ann}/merge"), &json!({"otherId": maggie})).await.json();
        let undo = format!("/api/customers/merges/{}/undo", merged["mergedFrom"][0]["mergeId"].as_str().unwrap());
        assert_eq!(office.post(&undo, &json!({})).await.status, 200);
        let parted = record(&office, maggie).await;
        assert_eq!(parted["alsoGave"][0]["belongsToId"], json!(ann), "{parted}");
        assert_eq!(press(&office, &proposal, "undo").await, 200);
        let (hers, theirs) = (record(&office, ann).await, record(&office, maggie).await);
        assert_eq!((&hers["alsoGave"][0]["id"], &theirs["alsoGave"]), (&proposal["id"], &json!([])), "{hers} {theirs}");
        assert_eq!((&hers["emailProof"], &theirs["emailProof"]), (&Value::Null, &json!("form")), "{hers} {theirs}");
    }

    async fn undo_of_used_address_waits_until_merged_records_are_parted(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let ([hers, theirs], proposal) = office_uses_email_of_maggie(app, (&shop, &line, &office)).await;
        let (ann, maggie) = (customer_of(app, &shop, hers).await, customer_of(app, &shop, theirs).await);
        app.advance(Duration::minutes(1));
        let merged = office.post(&format!("/api/customers/{ann}/merge"), &json!({"otherId": maggie})).await;
        assert_eq!(merged.status, 200, "{}", merged.json());
        assert_eq!(press(&office, &proposal, "undo").await, 409);
        let seen = record(&office, ann).await;
        assert_eq!((&seen["email"], &seen["emailProof"]), (&json!(MAIL), &json!("office")), "{seen}");
        let aside = seen["otherSetAside"].as_array().unwrap();
        assert!(aside.len() == 1 && seen["otherPhones"].as_array().unwrap().contains(&aside[0]), "{seen}");
    }
}
