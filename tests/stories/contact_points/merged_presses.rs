//! Merge with a record that only a press made known: next to a stronger proof, or to a press on the older record, the
//! pressed address gets nothing until the office uses it.

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
}
