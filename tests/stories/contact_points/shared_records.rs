//! Addresses of two people on one record, and a button pressed at either: documents of a request never go to a person
//! who pressed there but did not send it.

use std::collections::BTreeMap;

use axum::http::Method;
use shared::{
    domain::intake::contact_point,
    platform::{access_link, email_address::EmailAddress, id::LinkId, phone::Phone},
};
use tests::phone::Line;
use uuid::Uuid;

use super::{
    form_orders::{MAILS, PHONES, asks},
    *,
};

const MAIL: &str = "ann@customer.example";
pub(super) const WORDS: &str = "My kitchen sink is leaking";

/// A lead with the phone and email that were typed, or texted from.
type Asked = (LeadId, Option<&'static str>, Option<&'static str>);

/// Where the links to this thing went, each with its path.
pub(super) async fn copies(
    app: &TestApp,
    shop: &Shop,
    kind: access_link::LinkKind,
    about: &Value,
) -> BTreeMap<String, String> {
    let about: Uuid = about.as_str().unwrap().parse().unwrap();
    let sql =
        "SELECT c.value, c.id FROM access_link_copy c JOIN access_link l ON l.org_id = c.org_id AND l.id = c.link_id
        WHERE c.org_id = $1 AND l.kind = $2 AND l.subject_id = $3 AND l.revoked_at IS NULL";
    let conn = &mut app.db.acquire_reader().await.unwrap();
    let found = q!(conn, fetch_all as (String, LinkId), sql, shop.id(), kind, about).unwrap();
    found
        .into_iter()
        .map(|(address, copy)| (address, access_link::build_path(&app.settings.secret, copy, kind)))
        .collect()
}

pub(super) async fn estimate(app: &TestApp, shop: &Shop, lead: LeadId) -> BTreeMap<String, String> {
    let office = app.client().signed_in(app, shop.owner()).await;
    let made = office.post(&format!("/api/leads/{lead}/estimate"), &json!({"quotedTotal": 500.0})).await;
    assert_eq!(made.status, 200, "{}", made.json());
    app.live_through(Duration::minutes(3), Duration::minutes(1)).await;
    let listed = office.get(&format!("/api/leads/{lead}/estimates")).await.json();
    copies(app, shop, access_link::LinkKind::Estimate, &listed[0]["id"]).await
}

pub(super) async fn presses(app: &TestApp, path: &str, what: &str) -> u16 {
    let mut body = "question=When%3F".to_owned();
    if what == "approve" {
        let page = String::from_utf8(app.client().get(path).await.body).unwrap();
        let sha256 = page.split("name=\"sha256\" value=\"").nth(1).map_or("", |rest| &rest[..64]);
        body = format!("name=Ann+Lee&agree=yes&sha256={sha256}");
    }
    let kind = "application/x-www-form-urlencoded";
    let answer = app.client().send(Method::POST, &format!("{path}/{what}"), kind, body.into_bytes()).await;
    app.run_tasks().await;
    answer.status.as_u16()
}

pub(super) fn went(copies: &BTreeMap<String, String>) -> Vec<&str> {
    copies.keys().map(String::as_str).collect()
}

/// A stranger's form with Ann's number and their own email, where they press a button. Returns the lead, and the copy
/// of the estimate that went to Ann: it opens nothing since the press.
async fn strangers(app: &TestApp, shop: &Shop) -> (LeadId, String) {
    let lead = asks(app, shop, Some(ANN), Some(OTHER_MAIL)).await;
    let sent = estimate(app, shop, lead).await;
    assert_eq!(went(&sent), [ANN, OTHER_MAIL]);
    assert_eq!(presses(app, &sent[OTHER_MAIL], "ask").await, 303);
    (lead, sent[ANN].clone())
}

async fn proofs(app: &TestApp, shop: &Shop, lead: LeadId) -> (Value, Value) {
    let office = app.client().signed_in(app, shop.owner()).await;
    let seen = record(&office, customer_of(app, shop, lead).await).await;
    (seen["phoneProof"].clone(), seen["emailProof"].clone())
}

/// Ann's own form makes a separate lead with documents at her own addresses; so does the next.
async fn asks_for_herself(app: &TestApp, shop: &Shop, strangers: LeadId) {
    let hers = asks(app, shop, Some(ANN), Some(MAIL)).await;
    assert_ne!(customer_of(app, shop, hers).await, customer_of(app, shop, strangers).await);
    assert_eq!(went(&estimate(app, shop, hers).await), [ANN, MAIL]);
    assert_eq!(asks(app, shop, Some(ANN), Some(MAIL)).await, hers, "she is known from now on");
    let customers = app.count("customer").await;
    let done = "UPDATE lead SET stage = 'done' WHERE org_id = $1";
    app.within(async |tx| Ok(q!(tx, execute, done, shop.id())?)).await.unwrap();
    let next = asks(app, shop, Some(ANN), Some(MAIL)).await;
    assert_eq!(
        (customer_of(app, shop, next).await, app.count("customer").await),
        (customer_of(app, shop, hers).await, customers)
    );
    assert_eq!(went(&estimate(app, shop, next).await), [ANN, MAIL]);
}

/// The lead whose record this number has written to or called.
async fn lead_of_number(app: &TestApp, shop: &Shop, number: &str) -> Option<LeadId> {
    let sql = "SELECT l.id FROM lead l JOIN customer_key k ON k.org_id = l.org_id AND k.customer_id = l.customer_id
        WHERE l.org_id = $1 AND k.kind = 'phone' AND k.value = $2 AND k.proof IN ('called', 'texted')
        ORDER BY l.last_touch_at DESC, l.created_at DESC LIMIT 1";
    q!(&mut app.db.acquire_reader().await.unwrap(), fetch_optional scalar LeadId, sql, shop.id(), number).unwrap()
}

/// A caller or sender from Ann's number has a separate record, whose documents go nowhere else.
async fn is_on_her_own(app: &TestApp, shop: &Shop, strangers: LeadId) {
    let hers = lead_of_number(app, shop, ANN).await.unwrap();
    assert_ne!(customer_of(app, shop, hers).await, customer_of(app, shop, strangers).await);
    assert_eq!(went(&estimate(app, shop, hers).await), [ANN]);
}

/// Ann answers a stranger's estimate, and writes herself.
async fn writes_after(app: &mut TestApp, what: &str) {
    let (shop, line) = with_line(app).await;
    let (theirs, her_copy) = strangers(app, &shop).await;
    assert_eq!(presses(app, &her_copy, what).await, 404);
    app.advance(Duration::minutes(20));
    line.writes(ANN, WORDS).await;
    app.run_tasks().await;
    is_on_her_own(app, &shop, theirs).await;
    let again = asks(app, &shop, Some(ANN), Some(OTHER_MAIL)).await;
    assert_eq!(went(&estimate(app, &shop, again).await), [ANN], "her number is hers by her text");
}

pub(super) async fn with_line(app: &mut TestApp) -> (Shop, Line) {
    let mut shop = app.org("Acme Plumbing").await;
    let line = app.line(&mut shop, "+15125550100").await;
    (shop, line)
}

/// No request has documents sent to an address that was not typed with it.
async fn goes_to_what_was_typed(app: &TestApp, shop: &Shop, sent: &[Asked]) {
    let mut conn = app.db.acquire_reader().await.unwrap();
    for (lead, phone, email) in sent {
        let to = contact_point::load_lead_recipient(&mut conn, shop.id(), *lead).await.unwrap();
        let is_typed = |goes: Option<&str>, typed: Option<&str>| goes.is_none() || goes == typed;
        let is_all_typed = is_typed(to.phone.as_ref().map(Phone::as_e164), *phone)
            && is_typed(to.email.as_ref().map(EmailAddress::as_str), *email);
        assert!(is_all_typed, "{to:?} of a request with {phone:?} and {email:?}, after {sent:?}");
        assert!(to.phone.is_some() || to.email.is_some(), "{phone:?} and {email:?}, after {sent:?}");
    }
}

both_databases! {
    async fn form_after_declined_estimate_of_stranger_makes_new_customer(app) {
        let (shop, _) = shop(app).await;
        let (theirs, her_copy) = strangers(app, &shop).await;
        assert_eq!(presses(app, &her_copy, "decline").await, 404);
        assert_eq!(proofs(app, &shop, theirs).await, (json!("form"), json!("link_opened")), "a refusal proves nothing");
        asks_for_herself(app, &shop, theirs).await;
    }

    async fn form_after_question_on_estimate_of_stranger_makes_new_customer(app) {
        let (shop, office) = shop(app).await;
        let (theirs, her_copy) = strangers(app, &shop).await;
        assert_eq!(presses(app, &her_copy, "ask").await, 404);
        assert_eq!(proofs(app, &shop, theirs).await, (json!("form"), json!("link_opened")), "the first press decides");
        asks_for_herself(app, &shop, theirs).await;
        let sql = "SELECT customer_id FROM customer_key WHERE org_id = $1 AND kind = 'email' AND value = $2";
        let ann = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar CustomerId, sql, shop.id(), MAIL).unwrap();
        let mallory = record(&office, customer_of(app, &shop, theirs).await).await;
        let proposal = &mallory["alsoGave"][0];
        assert_eq!((&proposal["value"], &proposal["belongsToId"], &proposal["isInUse"]), (&json!(ANN), &json!(ann), &json!(false)));
        assert_eq!(mallory["phone"], Value::Null, "her number is hers: {mallory}");
        assert_eq!(went(&estimate(app, &shop, theirs).await), [OTHER_MAIL]);
    }

    async fn form_after_planned_visit_of_stranger_makes_new_customer(app) {
        let (shop, office) = shop(app).await;
        let (theirs, _) = strangers(app, &shop).await;
        let starts = app.now() + Duration::days(9);
        let job = office.post("/api/jobs", &json!({"leadId": theirs, "startsAt": starts})).await;
        assert_eq!(job.status, 201, "{}", job.json());
        app.live_through(Duration::minutes(3), Duration::minutes(1)).await;
        let sent = copies(app, &shop, access_link::LinkKind::Visit, &job.json()["id"]).await;
        assert_eq!(went(&sent), [OTHER_MAIL], "her number is set aside");
        assert_eq!(presses(app, &sent[OTHER_MAIL], "cancel").await, 303);
        assert_eq!(proofs(app, &shop, theirs).await, (json!("form"), json!("link_opened")));
        asks_for_herself(app, &shop, theirs).await;
    }

    async fn question_on_strangers_estimate_takes_no_number_from_other_record(app) {
        let (shop, _) = shop(app).await;
        let (theirs, her_copy) = strangers(app, &shop).await;
        let hers = asks(app, &shop, Some(ANN), Some(MAIL)).await;
        for what in ["ask", "decline"] {
            assert_eq!(presses(app, &her_copy, what).await, 404, "{what}");
            assert_eq!(proofs(app, &shop, theirs).await, (Value::Null, json!("link_opened")), "{what}");
            assert_eq!(proofs(app, &shop, hers).await, (json!("form"), json!("form")), "{what}");
        }
        asks_for_herself(app, &shop, theirs).await;
        assert_eq!(app.count("customer").await, 2);
    }

    async fn text_after_declined_estimate_of_stranger_makes_new_customer(app) {
        writes_after(app, "decline").await;
    }

    async fn text_from_one_of_two_pressed_addresses_makes_new_customer(app) {
        writes_after(app, "ask").await;
    }

    async fn call_from_one_of_two_pressed_addresses_makes_new_customer(app) {
        let (shop, line) = with_line(app).await;
        let (theirs, her_copy) = strangers(app, &shop).await;
        assert_eq!(presses(app, &her_copy, "ask").await, 404);
        app.advance(Duration::minutes(20));
        line.rings(ANN, []).await;
        app.live_through(Duration::minutes(1), Duration::seconds(10)).await;
        is_on_her_own(app, &shop, theirs).await;
    }

    async fn text_from_only_pressed_phone_sets_aside_the_typed_email(app) {
        let (shop, line) = with_line(app).await;
        let lead = asks(app, &shop, Some(ANN), Some(OTHER_MAIL)).await;
        let sent = estimate(app, &shop, lead).await;
        assert_eq!(presses(app, &sent[ANN], "ask").await, 303);
        app.advance(Duration::minutes(20));
        line.writes(ANN, WORDS).await;
        app.run_tasks().await;
        assert_eq!(proofs(app, &shop, lead).await, (json!("texted"), json!("form")));
        assert_eq!(presses(app, &sent[OTHER_MAIL], "ask").await, 404);
        assert_eq!(proofs(app, &shop, lead).await, (json!("texted"), json!("form")));
        assert_eq!(went(&estimate(app, &shop, lead).await), [ANN]);
        assert_eq!(app.count("customer").await, 1);
    }

    async fn pressed_email_beside_office_known_phone_gets_no_papers_of_other_form(app) {
        let (shop, _) = shop(app).await;
        let (theirs, _) = strangers(app, &shop).await;
        let known = "UPDATE customer_key SET proof = 'office' WHERE org_id = $1 AND kind = 'phone'";
        app.within(async |tx| Ok(q!(tx, execute, known, shop.id())?)).await.unwrap();
        assert_eq!(asks(app, &shop, Some(ANN), Some(MAIL)).await, theirs, "the office knows her by it");
        assert_eq!(proofs(app, &shop, theirs).await, (json!("office"), json!("answered")));
        assert_eq!(went(&estimate(app, &shop, theirs).await), [ANN]);
    }

    async fn press_leaves_on_file_proof_unchanged(app) {
        let (shop, _) = shop(app).await;
        let hers = asks(app, &shop, Some(ANN), Some(MAIL)).await;
        let old = "UPDATE customer_key SET proof = 'on_file', proved_at = NULL WHERE org_id = $1";
        app.within(async |tx| Ok(q!(tx, execute, old, shop.id())?)).await.unwrap();
        let sent = estimate(app, &shop, hers).await;
        assert_eq!(presses(app, &sent[ANN], "ask").await, 303);
        assert_eq!(proofs(app, &shop, hers).await, (json!("on_file"), json!("on_file")));
        assert_eq!(asks(app, &shop, Some(ANN), None).await, hers, "she is known by it as before");
        app.run_tasks().await;
    }

    async fn press_at_two_addresses_then_partial_form_makes_one_new_record(app) {
        let (shop, _) = shop(app).await;
        let first = asks(app, &shop, Some(ANN), Some(MAIL)).await;
        let sent = estimate(app, &shop, first).await;
        assert_eq!(presses(app, &sent[ANN], "ask").await, 303);
        assert_eq!(presses(app, &sent[MAIL], "ask").await, 404, "the first press decides");
        let alone = asks(app, &shop, Some(ANN), None).await;
        assert_ne!(customer_of(app, &shop, alone).await, customer_of(app, &shop, first).await);
        assert_eq!(asks(app, &shop, Some(ANN), None).await, alone, "found by what it typed: both keys stayed");
        assert_eq!(asks(app, &shop, Some(ANN), Some(MAIL)).await, first, "a form with all addresses matches the customer");
        assert_eq!((went(&estimate(app, &shop, alone).await), app.count("customer").await), (vec![ANN], 2));
    }

    async fn email_set_aside_stays_aside_when_another_record_takes_its_key(app) {
        let (shop, _) = shop(app).await;
        let theirs = asks(app, &shop, Some(ANN), Some(OTHER_MAIL)).await;
        let known = "UPDATE customer_key SET proof = 'office' WHERE org_id = $1 AND kind = 'phone'";
        app.within(async |tx| Ok(q!(tx, execute, known, shop.id())?)).await.unwrap();
        assert_eq!(asks(app, &shop, Some(ANN), Some(MAIL)).await, theirs);
        let other = asks(app, &shop, None, Some(OTHER_MAIL)).await;
        assert_ne!(other, theirs);
        assert_eq!(went(&estimate(app, &shop, theirs).await), [ANN]);
        assert_eq!(went(&estimate(app, &shop, other).await), [OTHER_MAIL]);
    }

    async fn papers_after_random_forms_presses_and_texts_reach_only_typed_addresses(app) {
        let (shop, line) = with_line(app).await;
        let mut seed: u64 = 34;
        let mut next = move |below: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(seed >> 33).unwrap() % below
        };
        let (mut sent, mut papers): (Vec<Asked>, Vec<String>) = (Vec::new(), Vec::new());
        let (mut estimates, mut accepted) = (0, 0);
        for _ in 0..80 {
            match next(7) {
                0 | 1 if !papers.is_empty() => {
                    let (path, what) = (&papers[next(papers.len())], ["ask", "decline", "approve"][next(3)]);
                    let status = presses(app, path, what).await;
                    assert!(status < 500, "{what}: {status}");
                    accepted += usize::from(status == 303);
                }
                2 if !sent.is_empty() => {
                    let (lead, phone, email) = sent[next(sent.len())];
                    let office = app.client().signed_in(app, shop.owner()).await;
                    let listed = office.get(&format!("/api/leads/{lead}/estimates")).await.json();
                    if listed.as_array().is_some_and(Vec::is_empty) {
                        let copies = estimate(app, &shop, lead).await;
                        assert!(went(&copies).iter().all(|to| [phone, email].contains(&Some(*to))), "{copies:?}: {sent:?}");
                        estimates += 1;
                        papers.extend(copies.into_values());
                    }
                }
                3 => {
                    let phone = PHONES[next(PHONES.len())];
                    app.advance(Duration::minutes(20));
                    line.writes(phone, WORDS).await;
                    app.run_tasks().await;
                    sent.extend(lead_of_number(app, &shop, phone).await.map(|lead| (lead, Some(phone), None)));
                }
                _ => {
                    let (phone, email) = (PHONES.get(next(4)).copied(), MAILS.get(next(4)).copied());
                    if phone.or(email).is_some() {
                        sent.push((asks(app, &shop, phone, email).await, phone, email));
                    }
                }
            }
            goes_to_what_was_typed(app, &shop, &sent).await;
        }
        assert!(estimates > 0 && accepted > 0, "{estimates} estimates, {accepted} presses");
        app.run_tasks().await;
    }
}
