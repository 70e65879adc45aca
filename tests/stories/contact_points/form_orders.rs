//! Forms of two people that name one address, in every order: documents go to the address typed in the same request.

use axum::http::Method;
use shared::{
    domain::intake::contact_point,
    platform::{email_address::EmailAddress, phone::Phone},
};

use super::*;

const MAIL: &str = "ann@customer.example";
pub(super) const PHONES: [&str; 3] = [ANN, STRANGER, "+15125550143"];
pub(super) const MAILS: [&str; 3] = [MAIL, OTHER_MAIL, "bea@customer.example"];

/// A form with these addresses, twenty minutes after the previous one.
pub(super) async fn asks(app: &TestApp, shop: &Shop, phone: Option<&str>, email: Option<&str>) -> LeadId {
    app.advance(Duration::minutes(20));
    if let Some(phone) = phone {
        let mut one = Visitor::ann().phone(phone).email(email);
        one.sender.is_exempt = true;
        return one.submits_lead(app, shop).await;
    }
    let quote = json!({"customerName": "Ann Lee", "email": email, "serviceType": "plumbing", "orgId": shop.id()});
    let taken = app.client().here().post("/api/quotes/create", &quote).await;
    assert!(taken.status.is_success(), "{}", taken.json());
    LeadId(taken.json()["id"].as_str().unwrap().parse().unwrap())
}

/// Presses the button behind the newest estimate's link to this address.
async fn presses(app: &TestApp, office: &Client, lead: LeadId, address: &str) {
    let listed = office.get(&format!("/api/leads/{lead}/estimates")).await.json();
    let link = app.sent_link(listed[0]["link"].as_str().unwrap(), address).await;
    let path = format!("{}/ask", link.trim_start_matches("https://toolbox.example"));
    let kind = "application/x-www-form-urlencoded";
    let answer = app.client().send(Method::POST, &path, kind, "question=When%3F".into()).await;
    assert_eq!(answer.status, 303);
    app.run_tasks().await;
}

/// The emails of this business's customers count as proven by a press.
async fn mail_is_pressed(app: &TestApp, shop: &Shop) {
    let sql = "UPDATE customer_key SET proof = 'link_opened' WHERE org_id = $1 AND kind = 'email'";
    app.within(async |tx| Ok(q!(tx, execute, sql, shop.id())?)).await.unwrap();
}

both_databases! {
    async fn email_typed_first_by_stranger_sends_stranger_no_papers(app) {
        let (shop, office) = shop(app).await;
        let theirs = asks(app, &shop, Some(STRANGER), Some(MAIL)).await;
        let hers = asks(app, &shop, Some(ANN), Some(MAIL)).await;
        let alone = asks(app, &shop, None, Some(MAIL)).await;
        assert_eq!(estimate_goes_to(app, &office, hers).await, [ANN, MAIL]);
        assert_eq!(estimate_goes_to(app, &office, alone).await, [MAIL]);
        assert_eq!(estimate_goes_to(app, &office, theirs).await, [STRANGER, MAIL], "to what they typed themselves");
        assert_eq!(app.count("customer").await, 3);
    }

    async fn email_typed_second_by_stranger_sends_stranger_no_papers(app) {
        let (shop, office) = shop(app).await;
        let hers = asks(app, &shop, Some(ANN), Some(MAIL)).await;
        let theirs = asks(app, &shop, Some(STRANGER), Some(MAIL)).await;
        assert_eq!(asks(app, &shop, Some(ANN), Some(MAIL)).await, hers, "a form with all addresses matches the customer");
        let alone = asks(app, &shop, None, Some(MAIL)).await;
        assert_eq!(asks(app, &shop, None, Some(MAIL)).await, alone);
        assert_eq!(estimate_goes_to(app, &office, hers).await, [ANN, MAIL]);
        assert_eq!(estimate_goes_to(app, &office, alone).await, [MAIL]);
        assert_eq!(estimate_goes_to(app, &office, theirs).await, [STRANGER, MAIL]);
        assert_eq!(app.count("customer").await, 3);
    }

    async fn phone_typed_first_by_stranger_sends_stranger_no_papers(app) {
        let (shop, office) = shop(app).await;
        let theirs = asks(app, &shop, Some(ANN), Some(OTHER_MAIL)).await;
        let hers = asks(app, &shop, Some(ANN), Some(MAIL)).await;
        let alone = asks(app, &shop, Some(ANN), None).await;
        assert_eq!(estimate_goes_to(app, &office, hers).await, [ANN, MAIL]);
        assert_eq!(estimate_goes_to(app, &office, alone).await, [ANN]);
        assert_eq!(estimate_goes_to(app, &office, theirs).await, [ANN, OTHER_MAIL]);
        assert_eq!(app.count("customer").await, 3);
    }

    async fn phone_typed_second_by_stranger_sends_stranger_no_papers(app) {
        let (shop, office) = shop(app).await;
        let hers = asks(app, &shop, Some(ANN), Some(MAIL)).await;
        let theirs = asks(app, &shop, Some(ANN), Some(OTHER_MAIL)).await;
        assert_eq!(asks(app, &shop, Some(ANN), Some(OTHER_MAIL)).await, theirs);
        let alone = asks(app, &shop, Some(ANN), None).await;
        assert_eq!(estimate_goes_to(app, &office, hers).await, [ANN, MAIL]);
        assert_eq!(estimate_goes_to(app, &office, alone).await, [ANN]);
        assert_eq!(estimate_goes_to(app, &office, theirs).await, [ANN, OTHER_MAIL]);
        assert_eq!(app.count("customer").await, 3);
    }

    async fn form_with_extra_phone_joins_record_without_filling_it_in(app) {
        let (shop, office) = shop(app).await;
        let lead = asks(app, &shop, None, Some(MAIL)).await;
        assert_eq!(asks(app, &shop, Some(STRANGER), Some(MAIL)).await, lead);
        let seen = record(&office, customer_of(app, &shop, lead).await).await;
        assert_eq!((&seen["phone"], &seen["alsoGave"][0]["value"]), (&Value::Null, &json!(STRANGER)));
        assert_eq!(estimate_goes_to(app, &office, lead).await, [MAIL]);
    }

    async fn office_job_sends_no_papers_to_number_only_a_form_typed(app) {
        let (shop, office) = shop(app).await;
        let theirs = asks(app, &shop, Some(STRANGER), Some(MAIL)).await;
        let typed = json!({"customer": {"name": "Ann Lee", "email": MAIL}, "service": "Roof"});
        let job = office.post("/api/jobs", &typed).await;
        assert_eq!(job.status, 201, "{}", job.json());
        let lead = LeadId(job.json()["leadId"].as_str().unwrap().parse().unwrap());
        assert_eq!(lead, theirs, "the office says who is meant");
        assert_eq!(estimate_goes_to(app, &office, lead).await, [MAIL]);
        let seen = record(&office, customer_of(app, &shop, lead).await).await;
        assert_eq!(seen["alsoGave"][0]["value"], json!(STRANGER), "{seen}");
    }

    async fn papers_of_random_forms_go_only_to_what_each_form_typed(app) {
        let (shop, _) = shop(app).await;
        let mut seed: u64 = 21;
        let mut next = move |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from((seed >> 33) % below).unwrap()
        };
        let mut sent: Vec<(LeadId, Option<&str>, Option<&str>)> = Vec::new();
        for _ in 0..60 {
            let (phone, email) = (PHONES.get(next(4)).copied(), MAILS.get(next(4)).copied());
            if phone.or(email).is_none() {
                continue;
            }
            if next(5) == 0 {
                let done = "UPDATE lead SET stage = 'done' WHERE org_id = $1";
                app.within(async |tx| Ok(q!(tx, execute, done, shop.id())?)).await.unwrap();
            }
            sent.push((asks(app, &shop, phone, email).await, phone, email));
            let mut conn = app.db.acquire_reader().await.unwrap();
            for (lead, phone, email) in &sent {
                let to = contact_point::load_lead_recipient(&mut conn, shop.id(), *lead).await.unwrap();
                let is_typed = |goes: Option<&str>, typed: Option<&str>| goes.is_none() || goes == typed;
                let is_all_typed = is_typed(to.phone.as_ref().map(Phone::as_e164), *phone)
                    && is_typed(to.email.as_ref().map(EmailAddress::as_str), *email);
                assert!(is_all_typed, "{to:?} of a form with {phone:?} and {email:?}, after {sent:?}");
                assert!(to.phone.is_some() || to.email.is_some(), "{phone:?} and {email:?}, after {sent:?}");
            }
        }
        app.run_tasks().await;
    }

    async fn records_sharing_one_address_merge_and_part_from_either_page(app) {
        let (shop, office) = shop(app).await;
        let hers = asks(app, &shop, Some(ANN), Some(MAIL)).await;
        let theirs = asks(app, &shop, Some(STRANGER), Some(MAIL)).await;
        app.run_tasks().await;
        let (ann, mallory) = (customer_of(app, &shop, hers).await, customer_of(app, &shop, theirs).await);
        for (one, other) in [(ann, mallory), (mallory, ann)] {
            let seen = record(&office, one).await;
            assert_eq!(seen["duplicates"][0]["id"], json!(other), "{seen}");
            let merged = office.post(&format!("/api/customers/{one}/merge"), &json!({"otherId": other})).await;
            assert_eq!(merged.status, 200, "{}", merged.json());
            assert_eq!(asks(app, &shop, Some(STRANGER), Some(MAIL)).await, theirs, "after the merge both lead to one record");
            let undo = format!("/api/customers/merges/{}/undo", merged.json()["mergedFrom"][0]["mergeId"].as_str().unwrap());
            assert_eq!(office.send(Method::POST, &undo, "", vec![]).await.status, 200);
        }
        assert_eq!(estimate_goes_to(app, &office, hers).await, [ANN, MAIL]);
    }

    async fn press_on_record_link_reclaims_address_from_later_form(app) {
        let (shop, office) = shop(app).await;
        let theirs = asks(app, &shop, Some(STRANGER), Some(MAIL)).await;
        assert_eq!(estimate_goes_to(app, &office, theirs).await, [STRANGER, MAIL]);
        let alone = asks(app, &shop, None, Some(MAIL)).await;
        let (mallory, ann) = (customer_of(app, &shop, theirs).await, customer_of(app, &shop, alone).await);
        let proofs = async || (record(&office, mallory).await["emailProof"].clone(), record(&office, ann).await["emailProof"].clone());
        assert_eq!(proofs().await, (Value::Null, json!("form")));
        presses(app, &office, theirs, MAIL).await;
        assert_eq!(proofs().await, (json!("link_opened"), Value::Null));
        assert_eq!(asks(app, &shop, None, Some(MAIL)).await, alone, "a proof by one press does not match the whole record");
        assert_eq!(estimate_goes_to(app, &office, alone).await, [MAIL]);
        assert_eq!(asks(app, &shop, Some(STRANGER), Some(MAIL)).await, theirs, "a form with all addresses matches the customer");
        assert_eq!((estimate_goes_to(app, &office, theirs).await, app.count("customer").await), (vec![MAIL.to_owned()], 2), "the phone was only typed");
    }

    async fn press_on_record_link_leaves_address_with_form_naming_another_phone(app) {
        let (shop, office) = shop(app).await;
        let theirs = asks(app, &shop, Some(STRANGER), Some(MAIL)).await;
        assert_eq!(estimate_goes_to(app, &office, theirs).await, [STRANGER, MAIL]);
        let hers = asks(app, &shop, Some(ANN), Some(MAIL)).await;
        presses(app, &office, theirs, MAIL).await;
        assert_eq!(record(&office, customer_of(app, &shop, hers).await).await["emailProof"], json!("form"));
        assert_eq!(asks(app, &shop, Some(ANN), Some(MAIL)).await, hers);
        assert_eq!(estimate_goes_to(app, &office, hers).await, [ANN, MAIL]);
    }

    async fn number_moved_to_another_record_gets_no_papers_of_later_form(app) {
        let (shop, office) = shop(app).await;
        let theirs = asks(app, &shop, Some(STRANGER), Some(MAIL)).await;
        assert_eq!(estimate_goes_to(app, &office, theirs).await, [STRANGER, MAIL]);
        presses(app, &office, theirs, MAIL).await;
        asks(app, &shop, Some(STRANGER), None).await;
        // The press set the stranger's number aside, and its later form took it away: the record has the email alone.
        assert_eq!(asks(app, &shop, Some(ANN), Some(MAIL)).await, theirs, "the phone is a proposal");
        assert_eq!(asks(app, &shop, None, Some(MAIL)).await, theirs);
        assert_eq!(estimate_goes_to(app, &office, theirs).await, [MAIL]);
        let seen = record(&office, customer_of(app, &shop, theirs).await).await;
        assert_eq!(seen["emailProof"], json!("link_opened"), "a proven address stays with its record");
    }

    async fn email_set_aside_that_becomes_another_key_gets_no_papers(app) {
        let (shop, office) = shop(app).await;
        let hers = asks(app, &shop, Some(ANN), Some(MAIL)).await;
        app.run_tasks().await;
        let known = "UPDATE customer_key SET proof = 'office' WHERE org_id = $1 AND kind = 'phone'";
        app.within(async |tx| Ok(q!(tx, execute, known, shop.id())?)).await.unwrap();
        assert_eq!(asks(app, &shop, Some(ANN), Some(OTHER_MAIL)).await, hers, "the office knows the number");
        // The state after a press in an older version: alone it no longer lets such a form match.
        let pressed = "UPDATE customer_key SET proof = 'link_opened' WHERE org_id = $1 AND kind = 'phone'";
        app.within(async |tx| Ok(q!(tx, execute, pressed, shop.id())?)).await.unwrap();
        let theirs = asks(app, &shop, Some(STRANGER), Some(MAIL)).await;
        app.run_tasks().await;
        let other = customer_of(app, &shop, theirs).await;
        let seen = record(&office, customer_of(app, &shop, hers).await).await;
        assert_eq!(seen["email"], Value::Null, "{seen}");
        let proposed = seen["alsoGave"].as_array().unwrap().iter().find(|one| one["value"] == MAIL).unwrap();
        assert_eq!(proposed["belongsToId"], json!(other), "{seen}");
        assert_eq!(office.get(&format!("/api/leads/{hers}")).await.json()["email"], Value::Null);
        assert_eq!(estimate_goes_to(app, &office, hers).await, [ANN]);
        assert_eq!(estimate_goes_to(app, &office, theirs).await, [STRANGER, MAIL]);
    }

    async fn concurrent_forms_of_two_people_with_one_email_make_two_customers(app) {
        let (shop, office) = shop(app).await;
        let here = &*app;
        let sent = (0..12).map(|n| {
            let (shop, phone) = (&shop, if n % 2 == 0 { ANN } else { STRANGER });
            let mut one = Visitor::ann().phone(phone).email(Some(MAIL));
            one.sender.is_exempt = true;
            async move { (one.submits_lead(here, shop).await, phone) }
        });
        let sent: std::collections::BTreeSet<_> = futures::future::join_all(sent).await.into_iter().collect();
        app.run_tasks().await;
        assert_eq!((sent.len(), app.count("customer").await, app.count("lead").await), (2, 2, 2), "{sent:?}");
        for (lead, phone) in sent {
            assert_eq!(estimate_goes_to(app, &office, lead).await, [phone, MAIL]);
        }
    }

    async fn text_from_number_shared_by_two_forms_keeps_their_emails_apart(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let hers = asks(app, &shop, Some(ANN), Some(MAIL)).await;
        let theirs = asks(app, &shop, Some(ANN), Some(OTHER_MAIL)).await;
        app.run_tasks().await;
        app.advance(Duration::minutes(20));
        line.writes(ANN, "My kitchen sink is leaking").await;
        app.run_tasks().await;
        assert_eq!(app.count("customer").await, 2);
        assert_eq!(estimate_goes_to(app, &office, theirs).await, Vec::<String>::new(), "the number alone is proven there");
        assert_eq!(estimate_goes_to(app, &office, hers).await, [MAIL]);
        assert_eq!(line.texts_to(ANN).iter().filter(|text| text.contains("/p/")).count(), 2);
    }

    async fn text_from_number_typed_beside_pressed_email_makes_new_customer(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let theirs = asks(app, &shop, Some(ANN), Some(OTHER_MAIL)).await;
        app.run_tasks().await;
        mail_is_pressed(app, &shop).await;
        app.advance(Duration::minutes(20));
        line.writes(ANN, "My kitchen sink is leaking").await;
        app.run_tasks().await;
        let sql = "SELECT id FROM lead WHERE org_id = $1 AND id <> $2";
        let hers = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar LeadId, sql, shop.id(), theirs).unwrap();
        let (mallory, ann) = (customer_of(app, &shop, theirs).await, customer_of(app, &shop, hers).await);
        let seen = record(&office, mallory).await;
        assert_eq!((&seen["alsoGave"][0]["value"], &seen["alsoGave"][0]["belongsToId"]), (&json!(ANN), &json!(ann)));
        assert_eq!((&seen["duplicates"][0]["id"], &record(&office, ann).await["phoneProof"]), (&json!(ann), &json!("texted")));
        assert_eq!(estimate_goes_to(app, &office, hers).await, Vec::<String>::new(), "no letter to the stranger");
        assert_eq!(line.texts_to(ANN).iter().filter(|text| text.contains("/p/")).count(), 1);
    }

    async fn text_about_upcoming_visit_stays_in_thread_and_proves_nothing(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let lead = asks(app, &shop, Some(ANN), Some(MAIL)).await;
        app.run_tasks().await;
        mail_is_pressed(app, &shop).await;
        let starts = app.now() + Duration::hours(2);
        let job = office.post("/api/jobs", &json!({"leadId": lead, "startsAt": starts, "address": "12 Oak St"})).await;
        assert_eq!(job.status, 201, "{}", job.json());
        app.advance(Duration::minutes(20));
        line.writes(ANN, "The gate code is 4711").await;
        app.run_tasks().await;
        assert_eq!((app.count("customer").await, app.count("lead").await), (1, 1));
        let seen = record(&office, customer_of(app, &shop, lead).await).await;
        assert_eq!((&seen["phoneProof"], &seen["emailProof"]), (&json!("form"), &json!("link_opened")));
    }
}
