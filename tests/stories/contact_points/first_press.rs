//! The first press decides: it sets aside the other addresses that only the form typed, with the papers that were sent
//! there. A later press at such an address is for the office to judge.

use shared::{
    domain::intake::contact_point,
    platform::access_link::{self, AccessLink, LinkKind, LinkLookup},
};

use super::{
    form_orders::asks,
    shared_records::{WORDS, copies, estimate, presses, went, with_line},
    *,
};

const MAIL: &str = "ann@customer.example";
const SET_ASIDE: &str =
    "It went to an address that was only typed into a form, and its link no longer opens. Send it again";

async fn status(app: &TestApp, path: &str) -> u16 {
    app.client().get(path).await.status.as_u16()
}

async fn newest_estimate(office: &Client, lead: LeadId) -> Value {
    office.get(&format!("/api/leads/{lead}/estimates")).await.json()[0].clone()
}

/// The estimate by email only, to an address of a form.
async fn mailed_estimate(app: &TestApp, shop: &Shop, office: &Client, lead: LeadId) -> (Value, String) {
    let body = json!({"quotedTotal": 500.0, "send": {"email": true, "text": false}});
    let made = office.post(&format!("/api/leads/{lead}/estimate"), &body).await;
    assert_eq!(made.status, 200, "{}", made.json());
    app.live_through(Duration::minutes(3), Duration::minutes(1)).await;
    let shown = newest_estimate(office, lead).await;
    let sent = copies(app, shop, LinkKind::Estimate, &shown["id"]).await;
    assert_eq!(went(&sent), [OTHER_MAIL]);
    (shown, sent[OTHER_MAIL].clone())
}

/// An invoice by email only, due on October 1, to an address of a form. Returns its path, and that of the page.
async fn mailed_invoice(app: &TestApp, shop: &Shop, office: &Client, lead: LeadId) -> (String, String) {
    let lines = json!([{"name": "Work", "unitPrice": 640.0}]);
    let body = json!({"leadId": lead.to_string(), "lines": lines, "dueOn": "2026-10-01"});
    let draft = office.post("/api/invoices", &body).await;
    assert_eq!(draft.status, 201, "{}", draft.json());
    let draft = draft.json();
    let invoice = format!("/api/invoices/{}", draft["id"].as_str().unwrap());
    let sent = office.post(&format!("{invoice}/send"), &json!({"email": true, "text": false})).await;
    assert_eq!(sent.status, 202, "{}", sent.json());
    app.live_through(Duration::minutes(3), Duration::minutes(1)).await;
    let sent = copies(app, shop, LinkKind::Invoice, &draft["id"]).await;
    assert_eq!(went(&sent), [OTHER_MAIL]);
    (invoice, sent[OTHER_MAIL].clone())
}

/// The link that a path of a page opens.
async fn open(app: &TestApp, path: &str) -> AccessLink {
    let token = path.trim_start_matches("/p/");
    let conn = &mut app.db.acquire_reader().await.unwrap();
    let kinds = [LinkKind::Estimate];
    match access_link::resolve_token(conn, &app.settings.secret, app.now(), token, &kinds).await.unwrap() {
        LinkLookup::Active(link) => link,
        other => panic!("{other:?}"),
    }
}

async fn press_behind(app: &TestApp, link: &AccessLink) {
    app.within(async |tx| contact_point::record_link_answer(tx, &app.origin, link).await).await.unwrap();
}

/// A form with a phone and an email of two people, and presses at both of them in this order.
async fn decides(app: &mut TestApp, [first, second]: [&str; 2]) {
    let (shop, office) = shop(app).await;
    let lead = asks(app, &shop, Some(ANN), Some(OTHER_MAIL)).await;
    let sent = estimate(app, &shop, lead).await;
    assert_eq!(went(&sent), [ANN, OTHER_MAIL]);
    assert_eq!(presses(app, &sent[first], "ask").await, 303);
    assert_eq!(
        (status(app, &sent[first]).await, status(app, &sent[second]).await),
        (200, 404),
        "the planted paper is void"
    );
    assert_eq!(presses(app, &sent[second], "ask").await, 404);
    let customer = customer_of(app, &shop, lead).await;
    let seen = record(&office, customer).await;
    assert_eq!(seen["alsoGave"][0]["value"], json!(second), "{seen}");
    assert_eq!(seen["alsoGave"].as_array().map(Vec::len), Some(1), "{seen}");
    let shown = newest_estimate(&office, lead).await;
    assert!(shown["sentAt"].is_string() && shown["unsent"].is_null(), "the other delivery counts: {shown}");
    assert_eq!(went(&estimate(app, &shop, lead).await), [first]);
    assert_eq!(press(&office, &seen["alsoGave"][0], "use").await, 200);
    app.advance(Duration::minutes(5));
    let both = estimate(app, &shop, lead).await;
    assert_eq!(went(&both), [ANN, OTHER_MAIL], "the office says that both are hers");
    assert_eq!((status(app, &both[second]).await, status(app, &sent[second]).await), (200, 404));
    assert_eq!(presses(app, &both[second], "ask").await, 303);
    assert_eq!(went(&estimate(app, &shop, lead).await), [ANN, OTHER_MAIL], "a later press sets no used address aside");
}

/// Ann has pressed at her number on her own record. A stranger's form names it with an email of theirs; then one of the
/// two presses. Returns where the next estimate of that form goes.
async fn next_papers_beside_known_number(app: &mut TestApp, first: &str) -> Vec<String> {
    let (shop, _) = shop(app).await;
    let hers = asks(app, &shop, Some(ANN), Some(MAIL)).await;
    let sent = estimate(app, &shop, hers).await;
    assert_eq!(presses(app, &sent[ANN], "ask").await, 303);
    let theirs = asks(app, &shop, Some(ANN), Some(OTHER_MAIL)).await;
    assert_ne!(customer_of(app, &shop, theirs).await, customer_of(app, &shop, hers).await);
    let sent = estimate(app, &shop, theirs).await;
    assert_eq!(went(&sent), [ANN, OTHER_MAIL]);
    assert_eq!(presses(app, &sent[first], "ask").await, 303);
    let next = estimate(app, &shop, theirs).await;
    assert_eq!(went(&estimate(app, &shop, hers).await), [ANN], "her own record is as before");
    next.into_keys().collect()
}

both_databases! {
    async fn press_at_the_phone_sets_the_typed_email_aside_with_its_papers(app) {
        decides(app, [ANN, OTHER_MAIL]).await;
    }

    async fn press_at_the_email_sets_the_typed_phone_aside_with_its_papers(app) {
        decides(app, [OTHER_MAIL, ANN]).await;
    }

    async fn press_at_a_number_of_another_record_sets_the_typed_email_aside(app) {
        assert_eq!(next_papers_beside_known_number(app, ANN).await, [ANN]);
    }

    async fn press_at_the_typed_email_sets_a_number_of_another_record_aside(app) {
        assert_eq!(next_papers_beside_known_number(app, OTHER_MAIL).await, [OTHER_MAIL]);
    }

    async fn paper_mailed_to_an_address_that_a_text_sets_aside_is_sendable_as_the_first_time(app) {
        let (shop, line) = with_line(app).await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let lead = asks(app, &shop, Some(ANN), Some(OTHER_MAIL)).await;
        let (shown, copy) = mailed_estimate(app, &shop, &office, lead).await;
        assert!(shown["sentAt"].is_string() && status(app, &copy).await == 200, "{shown}");
        app.advance(Duration::minutes(20));
        line.writes(ANN, WORDS).await;
        app.run_tasks().await;
        assert_eq!(status(app, &copy).await, 404);
        let void = newest_estimate(&office, lead).await;
        assert_eq!((&void["sentAt"], &void["unsent"]), (&Value::Null, &json!(SET_ASIDE)), "{void}");
        app.live_through(Duration::days(3), Duration::hours(1)).await;
        assert!(!line.texts_to(ANN).iter().any(|text| text.contains("any question")), "nobody is reminded of it");
        // The session has expired meanwhile.
        let office = app.client().signed_in(app, shop.owner()).await;
        let again = office.post(&format!("/api/estimates/{}/send", shown["id"].as_str().unwrap()), &json!({})).await;
        assert!(again.status.is_success(), "{}", again.json());
        app.live_through(Duration::minutes(3), Duration::minutes(1)).await;
        let sent = newest_estimate(&office, lead).await;
        assert!(sent["sentAt"].is_string() && sent["unsent"].is_null(), "{sent}");
        assert_eq!(went(&copies(app, &shop, LinkKind::Estimate, &shown["id"]).await), [ANN]);
    }

    async fn invoice_mailed_to_an_address_that_a_text_sets_aside_is_not_reminded_of(app) {
        let (shop, line) = with_line(app).await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let lead = asks(app, &shop, Some(ANN), Some(OTHER_MAIL)).await;
        let (invoice, copy) = mailed_invoice(app, &shop, &office, lead).await;
        app.advance(Duration::minutes(20));
        line.writes(ANN, WORDS).await;
        app.run_tasks().await;
        assert_eq!(status(app, &copy).await, 404);
        // Three days before it is due, at ten in the business's time zone.
        let due: chrono::DateTime<chrono::Utc> = "2026-09-28T15:00:00Z".parse().unwrap();
        app.advance(due - app.now());
        app.run_tasks().await;
        assert!(!line.texts_to(ANN).iter().any(|text| text.contains("INV-1001")), "she has never got it");
        let office = app.client().signed_in(app, shop.owner()).await;
        let step = office.get(&invoice).await.json()["followUps"][0].clone();
        let why = "it went only to an address that is not confirmed as theirs";
        assert_eq!((&step["state"], &step["reason"]), (&json!("skipped"), &json!(why)), "{step}");
    }

    async fn of_two_presses_at_once_one_is_the_first(app) {
        let (shop, office) = shop(app).await;
        let lead = asks(app, &shop, Some(ANN), Some(OTHER_MAIL)).await;
        let sent = estimate(app, &shop, lead).await;
        let (phone, email) = (open(app, &sent[ANN]).await, open(app, &sent[OTHER_MAIL]).await);
        let app = &*app;
        tokio::join!(press_behind(app, &phone), press_behind(app, &email));
        assert_eq!(app.count("customer_key WHERE proof = 'link_opened'").await, 1);
        let seen = record(&office, customer_of(app, &shop, lead).await).await;
        assert_eq!(seen["alsoGave"].as_array().map(Vec::len), Some(1), "{seen}");
        assert_eq!(went(&estimate(app, &shop, lead).await).len(), 1, "the other address is set aside");
    }

    async fn call_from_the_typed_number_voids_the_papers_at_the_typed_email(app) {
        let (shop, line) = with_line(app).await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let lead = asks(app, &shop, Some(ANN), Some(OTHER_MAIL)).await;
        let (_, copy) = mailed_estimate(app, &shop, &office, lead).await;
        app.advance(Duration::minutes(20));
        line.rings(ANN, []).await;
        app.live_through(Duration::minutes(1), Duration::seconds(10)).await;
        assert_eq!(status(app, &copy).await, 404);
        assert_eq!(newest_estimate(&office, lead).await["unsent"], json!(SET_ASIDE));
    }

    async fn papers_at_an_address_that_a_later_form_left_out_are_void_from_the_next_press(app) {
        let (shop, _) = shop(app).await;
        let hers = asks(app, &shop, Some(ANN), Some(MAIL)).await;
        let sent = estimate(app, &shop, hers).await;
        let known = "UPDATE customer_key SET proof = 'office' WHERE org_id = $1 AND kind = 'phone'";
        app.within(async |tx| Ok(q!(tx, execute, known, shop.id())?)).await.unwrap();
        assert_eq!(asks(app, &shop, Some(ANN), Some(OTHER_MAIL)).await, hers);
        assert_eq!((status(app, &sent[ANN]).await, status(app, &sent[MAIL]).await), (200, 200));
        assert_eq!(presses(app, &sent[ANN], "ask").await, 303);
        assert_eq!(status(app, &sent[MAIL]).await, 404);
        app.run_tasks().await;
    }

    async fn text_from_a_number_that_the_first_press_set_aside_makes_a_record_of_its_own(app) {
        let (shop, line) = with_line(app).await;
        let theirs = asks(app, &shop, Some(ANN), Some(OTHER_MAIL)).await;
        let sent = estimate(app, &shop, theirs).await;
        assert_eq!(presses(app, &sent[OTHER_MAIL], "ask").await, 303);
        // She pressed too, behind a link that shows nothing on file.
        let pressed = "UPDATE customer_key SET proof = 'answered' WHERE org_id = $1 AND kind = 'phone'";
        app.within(async |tx| Ok(q!(tx, execute, pressed, shop.id())?)).await.unwrap();
        app.advance(Duration::minutes(20));
        line.writes(ANN, WORDS).await;
        app.run_tasks().await;
        assert_eq!((app.count("customer").await, app.count("lead").await), (2, 2));
        assert_eq!(went(&estimate(app, &shop, theirs).await), [OTHER_MAIL], "her price is not in it");
    }
}
