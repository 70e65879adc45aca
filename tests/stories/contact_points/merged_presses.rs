//! Merge with a record that only forms or a press made known: next to a stronger proof, or to a press on the older
//! record, its addresses get nothing until the office uses them. What answered meanwhile counts after parting.

use axum::http::Method;

use super::{
    form_orders::asks,
    shared_records::{WORDS, estimate, presses, went, with_line},
    *,
};

const MAIL: &str = "ann@customer.example";

/// A form with these addresses, and a press at one of them.
async fn pressed(app: &TestApp, shop: &Shop, (phone, email): (Option<&str>, &str), at: &str) -> (LeadId, CustomerId) {
    let lead = asks(app, shop, phone, Some(email)).await;
    let sent = estimate(app, shop, lead).await;
    assert_eq!(presses(app, &sent[at], "ask").await, 303);
    (lead, customer_of(app, shop, lead).await)
}

/// What the comparison says will get nothing.
async fn shut_off(office: &Client, one: CustomerId, other: CustomerId) -> Vec<String> {
    let preview = office.get(&format!("/api/customers/{one}/merge?with={other}")).await.json();
    let shut = preview["result"]["shutOff"].as_array().unwrap_or_else(|| panic!("{preview}"));
    shut.iter().map(|one| one["shown"].as_str().unwrap().to_owned()).collect()
}

async fn merges(office: &Client, one: CustomerId, other: CustomerId) -> Value {
    let merged = office.post(&format!("/api/customers/{one}/merge"), &json!({ "otherId": other })).await;
    assert_eq!(merged.status, 200, "{}", merged.json());
    merged.json()
}

async fn parts(office: &Client, merged: &Value) {
    let undo = format!("/api/customers/merges/{}/undo", merged["mergedFrom"][0]["mergeId"].as_str().unwrap());
    assert_eq!(office.send(Method::POST, &undo, "", vec![]).await.status, 200);
}

/// A record with this email, typed by the office.
async fn typed_by_office(app: &TestApp, shop: &Shop, office: &Client) -> CustomerId {
    let added = office.post("/api/leads", &json!({"customer": {"name": "Ann Lee", "email": MAIL}})).await;
    assert_eq!(added.status, 201, "{}", added.json());
    customer_of(app, shop, LeadId(added.json()["id"].as_str().unwrap().parse().unwrap())).await
}

async fn sets_email(office: &Client, id: CustomerId, email: &str) {
    let body = json!({ "email": email }).to_string().into_bytes();
    let edited = office.send(Method::PATCH, &format!("/api/customers/{id}"), "application/json", body).await;
    assert_eq!(edited.status, 200);
}

/// The phone of the stranger's form is proven, the email beside it is set aside, and its copy opens nothing.
async fn phone_decided(app: &TestApp, office: &Client, (stranger, copy): (CustomerId, &str), proof: &str) {
    let parted = record(office, stranger).await;
    assert_eq!((&parted["phoneProof"], &parted["emailProof"]), (&json!(proof), &json!("form")), "{parted}");
    assert_eq!(parted["setAside"], json!(["email"]), "{parted}");
    assert_eq!(parted["alsoGave"][0]["value"], json!(OTHER_MAIL), "{parted}");
    assert_eq!(presses(app, copy, "ask").await, 404, "the copy of the stranger is revoked");
}

fn proposal_of<'a>(merged: &'a Value, value: &str) -> &'a Value {
    let found = merged["alsoGave"].as_array().unwrap().iter().find(|one| one["value"] == value);
    found.unwrap_or_else(|| panic!("{value}: {merged}"))
}

both_databases! {
    async fn pressed_email_beside_texted_phone_is_set_aside_by_merge_until_parted_or_used(app) {
        let (shop, line) = with_line(app).await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let (theirs, mallory) = pressed(app, &shop, (Some(ANN), OTHER_MAIL), OTHER_MAIL).await;
        app.advance(Duration::minutes(20));
        line.writes(ANN, WORDS).await;
        app.run_tasks().await;
        let sql = "SELECT customer_id FROM customer_key WHERE org_id = $1 AND kind = 'phone' AND value = $2";
        let ann = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar CustomerId, sql, shop.id(), ANN).unwrap();
        assert_ne!(ann, mallory);
        assert_eq!(shut_off(&office, ann, mallory).await, [OTHER_MAIL]);
        let merged = merges(&office, ann, mallory).await;
        proposal_of(&merged, OTHER_MAIL);
        assert_eq!(went(&estimate(app, &shop, theirs).await), [ANN]);
        parts(&office, &merged).await;
        let parted = record(&office, mallory).await;
        assert_eq!((&parted["email"], &parted["emailProof"]), (&json!(OTHER_MAIL), &json!("link_opened")), "{parted}");
        assert_eq!(went(&estimate(app, &shop, theirs).await), [OTHER_MAIL]);
        let merged = merges(&office, ann, mallory).await;
        assert_eq!(press(&office, proposal_of(&merged, OTHER_MAIL), "use").await, 200);
        assert_eq!(went(&estimate(app, &shop, theirs).await), [ANN, OTHER_MAIL], "the office says that both are hers");
    }

    async fn pressed_email_beside_phone_of_the_office_is_set_aside_by_merge(app) {
        let (shop, office) = shop(app).await;
        let body = json!({"customer": {"name": "Ann Lee", "phone": ANN}});
        let added = office.post("/api/leads", &body).await;
        assert_eq!(added.status, 201, "{}", added.json());
        let hers = LeadId(added.json()["id"].as_str().unwrap().parse().unwrap());
        let ann = customer_of(app, &shop, hers).await;
        let (_, mallory) = pressed(app, &shop, (None, OTHER_MAIL), OTHER_MAIL).await;
        assert_eq!(shut_off(&office, ann, mallory).await, [OTHER_MAIL]);
        let merged = merges(&office, ann, mallory).await;
        proposal_of(&merged, OTHER_MAIL);
        assert_eq!(merged["setAside"], json!(["email"]), "{merged}");
        assert_eq!(went(&estimate(app, &shop, hers).await), [ANN]);
    }

    async fn merge_of_two_pressed_records_sets_the_press_of_the_newer_aside(app) {
        let (shop, office) = shop(app).await;
        let (hers, ann) = pressed(app, &shop, (Some(ANN), MAIL), ANN).await;
        let (_, mallory) = pressed(app, &shop, (Some(ANN), OTHER_MAIL), OTHER_MAIL).await;
        assert_ne!(ann, mallory);
        assert_eq!(shut_off(&office, ann, mallory).await, [OTHER_MAIL]);
        let merged = merges(&office, ann, mallory).await;
        proposal_of(&merged, OTHER_MAIL);
        assert_eq!(went(&estimate(app, &shop, hers).await), [ANN]);
        parts(&office, &merged).await;
        assert_eq!(record(&office, mallory).await["emailProof"], json!("link_opened"));
    }

    async fn merge_preview_lists_a_number_that_both_records_name_and_the_newer_pressed(app) {
        let (shop, office) = shop(app).await;
        let (_, mallory) = pressed(app, &shop, (Some(ANN), OTHER_MAIL), OTHER_MAIL).await;
        let (_, ann) = pressed(app, &shop, (Some(ANN), MAIL), ANN).await;
        assert_ne!(ann, mallory);
        assert_eq!(shut_off(&office, ann, mallory).await, ["(512) 555-0142"]);
        app.run_tasks().await;
    }

    async fn text_to_merged_record_sets_email_of_strangers_form_aside_after_parting(app) {
        let (shop, line) = with_line(app).await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let ann = typed_by_office(app, &shop, &office).await;
        let theirs = asks(app, &shop, Some(ANN), Some(OTHER_MAIL)).await;
        let sent = estimate(app, &shop, theirs).await;
        assert_eq!(went(&sent), [ANN, OTHER_MAIL]);
        let stranger = customer_of(app, &shop, theirs).await;
        let merged = merges(&office, ann, stranger).await;
        app.advance(Duration::minutes(1));
        line.writes(ANN, "Who is this? I never asked for that").await;
        app.run_tasks().await;
        parts(&office, &merged).await;
        phone_decided(app, &office, (stranger, &sent[OTHER_MAIL]), "texted").await;
        assert_eq!(record(&office, ann).await["emailProof"], json!("office"));
    }

    async fn text_to_record_merged_with_a_texted_one_proves_its_phone_after_parting(app) {
        let (shop, line) = with_line(app).await;
        let office = app.client().signed_in(app, shop.owner()).await;
        line.writes(STRANGER, WORDS).await;
        app.run_tasks().await;
        let bea = app.only_lead(&shop).await.customer_id;
        let theirs = asks(app, &shop, Some(ANN), Some(OTHER_MAIL)).await;
        let sent = estimate(app, &shop, theirs).await;
        let stranger = customer_of(app, &shop, theirs).await;
        let merged = merges(&office, bea, stranger).await;
        app.advance(Duration::minutes(1));
        line.writes(ANN, WORDS).await;
        app.run_tasks().await;
        parts(&office, &merged).await;
        phone_decided(app, &office, (stranger, &sent[OTHER_MAIL]), "texted").await;
        assert_eq!(went(&estimate(app, &shop, theirs).await), [ANN]);
        assert_eq!(record(&office, bea).await["phoneProof"], json!("texted"));
    }

    async fn press_at_merged_record_decides_after_parting(app) {
        let (shop, office) = shop(app).await;
        let ann = typed_by_office(app, &shop, &office).await;
        let theirs = asks(app, &shop, Some(ANN), Some(OTHER_MAIL)).await;
        let sent = estimate(app, &shop, theirs).await;
        let stranger = customer_of(app, &shop, theirs).await;
        let merged = merges(&office, ann, stranger).await;
        app.advance(Duration::minutes(1));
        assert_eq!(presses(app, &sent[ANN], "ask").await, 303);
        parts(&office, &merged).await;
        phone_decided(app, &office, (stranger, &sent[OTHER_MAIL]), "link_opened").await;
        assert_eq!(went(&estimate(app, &shop, theirs).await), [ANN]);
    }

    async fn text_beside_email_of_the_office_proves_the_phone_once_the_email_is_cleared(app) {
        let (shop, line) = with_line(app).await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let theirs = asks(app, &shop, Some(ANN), Some(OTHER_MAIL)).await;
        let stranger = customer_of(app, &shop, theirs).await;
        sets_email(&office, stranger, MAIL).await;
        asks(app, &shop, None, Some(MAIL)).await;
        line.writes(ANN, WORDS).await;
        app.run_tasks().await;
        assert_eq!(record(&office, stranger).await["phoneProof"], json!("answered"), "a form left it out");
        sets_email(&office, stranger, "").await;
        assert_eq!(record(&office, stranger).await["phoneProof"], json!("texted"));
        assert_eq!(went(&estimate(app, &shop, theirs).await), [ANN]);
    }

    async fn answered_phone_alone_sets_the_typed_email_aside(app) {
        let (shop, _) = shop(app).await;
        let theirs = asks(app, &shop, Some(ANN), Some(OTHER_MAIL)).await;
        let answered = "UPDATE customer_key SET proof = 'answered' WHERE org_id = $1 AND kind = 'phone'";
        app.within(async |tx| Ok(q!(tx, execute, answered, shop.id())?)).await.unwrap();
        assert_eq!(went(&estimate(app, &shop, theirs).await), Vec::<&str>::new(), "both wait for the office");
    }
}
