//! Addresses that are set aside: the office reads that they wait, and for what.

use axum::http::Method;
use serde_json::json;
use shared::platform::db::q;
use tests::{both_databases, people::Visitor, phone::ANN};

use super::{OTHER_MAIL, STRANGER, customer_of, estimate_goes_to, press, record, shop};

const MAIL: &str = "ann@customer.example";

both_databases! {
    async fn email_set_aside_is_marked_and_refused_until_office_accepts_it(app) {
        let (shop, office) = shop(app).await;
        let hers = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let known = "UPDATE customer_key SET proof = 'office' WHERE org_id = $1 AND kind = 'phone'";
        app.within(async |tx| Ok(q!(tx, execute, known, shop.id())?)).await.unwrap();
        app.advance(chrono::Duration::minutes(20));
        assert_eq!(Visitor::ann().email(Some(OTHER_MAIL)).submits_lead(app, &shop).await, hers);
        app.run_tasks().await;
        let ann = customer_of(app, &shop, hers).await;
        let seen = record(&office, ann).await;
        assert_eq!((&seen["email"], &seen["setAside"]), (&json!(MAIL), &json!(["email"])), "{seen}");
        let lead = office.get(&format!("/api/leads/{hers}")).await.json();
        assert_eq!((&lead["email"], &lead["phoneE164"]), (&json!(null), &json!(ANN)), "{lead}");
        let talk = format!("/api/customers/{ann}/conversation");
        let why = "their email was only typed into a form, and waits for \"Use it\" on the customer's page";
        let shown = office.get(&talk).await.json();
        assert_eq!(shown["canEmail"]["why"], why);
        let card = &shown["customer"];
        assert_eq!((&card["setAside"], &card["phoneProof"], &card["emailProof"]), (&json!(["email"]), &json!("office"), &seen["emailProof"]));
        let paid = office.post(&format!("/api/leads/{hers}/paid"), &json!({"amount": 8, "receipt": true})).await;
        let receipt = format!("/api/payments/{}/receipt", paid.json()["payment"]["id"].as_str().unwrap());
        let refused = office.post(&receipt, &json!(null)).await.json();
        assert_eq!(refused["detail"], format!("The receipt cannot be sent: {why}."));
        let proposal = seen["alsoGave"].as_array().unwrap().iter().find(|one| one["value"] == MAIL).unwrap();
        assert_eq!(press(&office, proposal, "use").await, 200);
        assert_eq!(record(&office, ann).await["setAside"], json!([]));
        let card = office.get(&talk).await.json()["customer"].clone();
        assert_eq!((&card["setAside"], &card["emailProof"]), (&json!([]), &json!("office")));
        assert_eq!(office.get(&format!("/api/leads/{hers}")).await.json()["email"], json!(MAIL));
    }

    async fn merge_preview_predicts_which_email_is_set_aside(app) {
        let (shop, office) = shop(app).await;
        let hers = Visitor::ann().submits_lead(app, &shop).await;
        app.advance(chrono::Duration::minutes(20));
        let theirs = Visitor::ann().phone(STRANGER).named("Maggie").submits_lead(app, &shop).await;
        app.run_tasks().await;
        let (ann, maggie) = (customer_of(app, &shop, hers).await, customer_of(app, &shop, theirs).await);
        let preview = office.get(&format!("/api/customers/{ann}/merge?with={maggie}")).await.json();
        assert_eq!((&preview["kept"]["emails"], &preview["gone"]["emails"]), (&json!([MAIL]), &json!([MAIL])), "{preview}");
        assert_eq!((&preview["result"]["emailProof"], &preview["result"]["setAside"]), (&json!("form"), &json!([])), "{preview}");
        // Every phone and email of both records is listed, with its proof and whether it becomes the main one.
        let points = |side: &str| -> Vec<(String, serde_json::Value, bool)> {
            let points = preview[side]["points"].as_array().unwrap().iter();
            points.map(|one| (one["shown"].as_str().unwrap().to_owned(), one["proof"].clone(), one["isMain"] == true)).collect()
        };
        assert_eq!(points("kept").iter().map(|one| one.0.as_str()).collect::<Vec<_>>(), ["(512) 555-0142", MAIL]);
        assert_eq!(points("gone").iter().map(|one| one.0.as_str()).collect::<Vec<_>>(), ["(512) 555-0199", MAIL]);
        assert_eq!((&points("kept")[0].1, &points("gone")[1].1), (&json!("form"), &json!("form")), "{preview}");
        let mains = points("kept").into_iter().chain(points("gone")).filter(|one| one.2 && one.0 != MAIL).count();
        assert_eq!(mains, 1, "one phone becomes the main one: {preview}");
        // Once Ann has called, addresses that were only typed into a form get nothing.
        let rang = "UPDATE customer_key SET proof = 'called' WHERE org_id = $1 AND customer_id = $2 AND kind = 'phone'";
        app.within(async |tx| Ok(q!(tx, execute, rang, shop.id(), ann)?)).await.unwrap();
        let preview = office.get(&format!("/api/customers/{ann}/merge?with={maggie}")).await.json();
        assert_eq!((&preview["result"]["phoneProof"], &preview["result"]["setAside"]), (&json!("called"), &json!(["email"])), "{preview}");
        let merged = office.post(&format!("/api/customers/{ann}/merge"), &json!({ "otherId": maggie })).await;
        assert_eq!(merged.status, 200, "{}", merged.json());
        let seen = record(&office, ann).await;
        assert_eq!((&seen["email"], &seen["setAside"]), (&json!(MAIL), &json!(["email"])), "as it was foretold: {seen}");
    }

    async fn merge_preview_lists_contact_points_shut_off_and_pending_papers(app) {
        let (shop, office) = shop(app).await;
        let hers = Visitor::ann().submits_lead(app, &shop).await;
        app.advance(chrono::Duration::minutes(20));
        let theirs = Visitor::ann().phone(STRANGER).named("Maggie").submits_lead(app, &shop).await;
        app.run_tasks().await;
        let (ann, maggie) = (customer_of(app, &shop, hers).await, customer_of(app, &shop, theirs).await);
        let made = office.post(&format!("/api/leads/{theirs}/estimate"), &json!({"quotedTotal": 500.0})).await;
        assert_eq!(made.status, 200, "{}", made.json());
        app.run_tasks().await;
        let number = office.get(&format!("/api/leads/{theirs}/estimates")).await.json()[0]["number"].clone();
        app.within(async |tx| {
            let held = "UPDATE message SET status = 'held', reason = 'it is night there'
                 WHERE org_id = $1 AND kind = 'estimate' AND channel = 'email'";
            q!(&mut *tx, execute, held, shop.id())?;
            let rang = "UPDATE customer_key SET proof = 'called'
                 WHERE org_id = $1 AND customer_id = $2 AND kind = 'phone'";
            Ok(q!(tx, execute, rang, shop.id(), ann)?)
        })
        .await
        .unwrap();
        let preview = office.get(&format!("/api/customers/{maggie}/merge?with={ann}")).await.json();
        let shut = json!([
            {"kind": "phone", "shown": "(512) 555-0199", "papers": []},
            {"kind": "email", "shown": MAIL, "papers": [number]},
        ]);
        assert_eq!((&preview["result"]["setAside"], &preview["result"]["shutOff"]), (&json!(["email"]), &shut), "{preview}");
    }

    async fn merge_sets_aside_typed_addresses_beside_those_of_office_or_list(app) {
        let (shop, office) = shop(app).await;
        for (proof, number, theirs) in [("office", "+15125550161", "+15125550162"), ("imported", "+15125550163", "+15125550164")] {
            let evil = format!("{proof}@evil.example");
            let hers = Visitor::ann().phone(number).email(None).submits_lead(app, &shop).await;
            app.run_tasks().await;
            let known = "UPDATE customer_key SET proof = $2 WHERE org_id = $1 AND value = $3";
            app.within(async |tx| Ok(q!(tx, execute, known, shop.id(), proof, number)?)).await.unwrap();
            app.advance(chrono::Duration::minutes(20));
            let strangers = Visitor::ann().phone(theirs).email(Some(&evil)).submits_lead(app, &shop).await;
            app.run_tasks().await;
            let (ann, other) = (customer_of(app, &shop, hers).await, customer_of(app, &shop, strangers).await);
            assert_ne!(ann, other);
            let preview = office.get(&format!("/api/customers/{ann}/merge?with={other}")).await.json();
            assert_eq!(preview["result"]["setAside"], json!(["email"]), "{preview}");
            assert_eq!(preview["result"]["shutOff"].as_array().map(Vec::len), Some(2), "{preview}");
            let merged = office.post(&format!("/api/customers/{ann}/merge"), &json!({ "otherId": other })).await.json();
            assert_eq!(merged["setAside"], json!(["email"]), "as it was foretold: {merged}");
            let proposed: Vec<&str> = merged["alsoGave"].as_array().unwrap().iter().map(|one| one["value"].as_str().unwrap()).collect();
            assert!(proposed.contains(&evil.as_str()) && proposed.contains(&theirs), "{merged}");
            assert_eq!(estimate_goes_to(app, &office, hers).await, [number]);
            let undo = format!("/api/customers/merges/{}/undo", merged["mergedFrom"][0]["mergeId"].as_str().unwrap());
            assert_eq!(office.send(Method::POST, &undo, "", vec![]).await.status, 200);
            let parted = record(&office, other).await;
            assert_eq!((&parted["email"], &parted["setAside"], &parted["alsoGave"]), (&json!(evil), &json!([]), &json!([])), "{parted}");
            assert_eq!(record(&office, ann).await["alsoGave"], json!([]));
        }
    }

    async fn merge_keeps_email_shared_by_both_records_and_undo_proposes_it(app) {
        let (shop, office) = shop(app).await;
        let hers = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let pressed = "UPDATE customer_key SET proof = 'link_opened' WHERE org_id = $1 AND kind = 'phone'";
        app.within(async |tx| Ok(q!(tx, execute, pressed, shop.id())?)).await.unwrap();
        app.advance(chrono::Duration::minutes(20));
        let theirs = Visitor::ann().phone(STRANGER).named("Maggie").submits_lead(app, &shop).await;
        app.run_tasks().await;
        let (ann, maggie) = (customer_of(app, &shop, hers).await, customer_of(app, &shop, theirs).await);
        let preview = office.get(&format!("/api/customers/{ann}/merge?with={maggie}")).await.json();
        assert_eq!((&preview["result"]["setAside"], &preview["result"]["shutOff"]), (&json!([]), &json!([])), "{preview}");
        let merged = office.post(&format!("/api/customers/{ann}/merge"), &json!({ "otherId": maggie })).await.json();
        assert_eq!((&merged["setAside"], &merged["alsoGave"]), (&json!([]), &json!([])), "as it was foretold: {merged}");
        assert_eq!(estimate_goes_to(app, &office, hers).await, [ANN, MAIL]);
        let undo = format!("/api/customers/merges/{}/undo", merged["mergedFrom"][0]["mergeId"].as_str().unwrap());
        assert_eq!(office.send(Method::POST, &undo, "", vec![]).await.status, 200);
        let seen = record(&office, ann).await;
        assert_eq!((&seen["email"], &seen["alsoGave"][0]["value"]), (&json!(MAIL), &json!(MAIL)), "{seen}");
    }

    async fn email_claimed_by_later_form_names_the_other_customer(app) {
        let (shop, office) = shop(app).await;
        let hers = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let ann = customer_of(app, &shop, hers).await;
        let seen = record(&office, ann).await;
        assert_eq!((&seen["emailProof"], &seen["emailAlsoFor"]), (&json!("form"), &json!(null)), "{seen}");
        app.advance(chrono::Duration::minutes(20));
        Visitor::ann().phone(STRANGER).named("Maggie").submits_lead(app, &shop).await;
        app.run_tasks().await;
        let seen = record(&office, ann).await;
        assert_eq!((&seen["email"], &seen["emailProof"], &seen["emailAlsoFor"]), (&json!(MAIL), &json!(null), &json!("Maggie")), "{seen}");
        let card = office.get(&format!("/api/customers/{ann}/conversation")).await.json()["customer"].clone();
        assert_eq!((&card["emailAlsoFor"], &card["phoneAlsoFor"]), (&json!("Maggie"), &json!(null)), "{card}");
        let job = office.post("/api/jobs", &json!({ "leadId": hers })).await.json();
        let page = office.get(&format!("/api/jobs/{}", job["id"].as_str().unwrap())).await.json();
        assert_eq!((&page["customerEmail"], &page["customerEmailProof"]), (&json!(MAIL), &json!("form")), "{page}");
    }
}
