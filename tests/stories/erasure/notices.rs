//! What the business was told of a person: digests, reports and alerts that name them without being theirs.

use shared::{
    domain::{
        messaging::{
            alert::{self, AlertKind, NewAlert},
            message::{self, MessageDraft, MessageKind},
        },
        tenancy::org,
    },
    platform::{id::ReviewId, recipient::Recipient},
};

use super::*;

/// Leads of Ann and of somebody else, told in one hourly digest.
async fn told_in_a_digest(app: &TestApp) -> (Shop, CustomerId) {
    let shop = app.org("Acme Plumbing").await;
    app.promises_nothing(&shop).await;
    app.sets(&shop, json!({"notifications": {"frequency": "hourly", "schedule": "anytime"}})).await;
    for visitor in [Visitor::ann(), Visitor::number(2)] {
        visitor.submits_lead(app, &shop).await;
    }
    app.run_tasks().await;
    app.advance(Duration::hours(1));
    app.live_through(Duration::minutes(1), Duration::minutes(1)).await;
    let sql = "SELECT id FROM customer WHERE org_id = $1 AND name = $2";
    let id =
        q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar CustomerId, sql, shop.id(), NAME).unwrap();
    (shop, id)
}

async fn digests(app: &TestApp, shop: &Shop) -> Vec<(MessageId, String)> {
    let sql = "SELECT id, body FROM message WHERE org_id = $1 AND kind = 'digest' ORDER BY id";
    q!(&mut app.db.acquire_reader().await.unwrap(), fetch_all as (MessageId, String), sql, shop.id()).unwrap()
}

fn letter_of(app: &TestApp, id: MessageId) -> std::path::PathBuf {
    app.settings.data_dir.join("mail").join(format!("{id}.eml"))
}

async fn raises(app: &TestApp, shop: &Shop, kind: AlertKind, key: String, words: &str) {
    let profile = org::load_profile(&mut app.db.acquire_reader().await.unwrap(), shop.org.clone()).await.unwrap();
    let new = NewAlert::new(kind, key, format!("About {NAME}"), words.to_owned());
    app.within(async |tx| alert::raise_alert(tx, &app.origin, &profile, new).await).await.unwrap();
}

/// A text of Ann that her leads do not show, and a review of hers that is matched to no request.
async fn writes_without_a_lead(app: &TestApp, shop: &Shop, id: CustomerId) -> ReviewId {
    let (text, review) = (MessageId(app.origin.uuid_v7()), ReviewId(app.origin.uuid_v7()));
    app.within(async |tx| {
        let sql = "INSERT INTO message (org_id, id, customer_id, direction, channel, kind, class, from_address, to_address,
                body, status, dedupe_key, attempts, fence, next_attempt_at, deadline_at, reconcile_checks, provider_id,
                created_at)
            VALUES ($1, $2, $3, 'in', 'sms', 'incoming', 'conversational', '+15125550142', '+15125550100', 'Leave it',
                'received', 'in:SM7', 0, 0, $4, $4, 0, 'SM7', $4)";
        q!(&mut *tx, execute, sql, shop.id(), text, id, app.now())?;
        let sql = "INSERT INTO review (org_id, id, customer_name, stars, body, source, way, dedupe_key, content_key, customer_id,
                matched, received_at, created_at, search)
            VALUES ($1, $2, 'Ann Lee', 10, 'Water on the floor', 'google', 'hand', 'one', 'one', $3, 'person', $4, $4, '')";
        q!(tx, execute, sql, shop.id(), review, id, app.now())?;
        Ok(())
    })
    .await
    .unwrap();
    review
}

async fn personal_data(app: &TestApp, shop: &Shop, id: CustomerId) -> String {
    let owner = app.client().signed_in(app, shop.owner()).await;
    let answer = owner.get(&format!("/api/customers/{id}/personal-data/export")).await;
    assert_eq!(answer.status, 200);
    let mut zip = zip::ZipArchive::new(std::io::Cursor::new(answer.body.clone())).unwrap();
    let mut text = String::new();
    std::io::Read::read_to_string(&mut zip.by_name("data.json").unwrap(), &mut text).unwrap();
    text
}

async fn phone_of(app: &TestApp, id: CustomerId) -> String {
    let sql = "SELECT phone_e164 FROM customer WHERE id = $1";
    q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar String, sql, id).unwrap()
}

/// A key of before that the present one does not open.
async fn loses_a_retired_key(app: &TestApp) {
    let lost = "INSERT INTO retired_key (name, sealed, retired_at) VALUES ('0f0f', $1, $2)";
    app.within(async |tx| Ok(q!(tx, execute, lost, vec![7_u8; 60], app.now())?)).await.unwrap();
}

/// Ann said STOP and was texted before; then the office removes her number.
async fn number_is_removed(app: &TestApp, shop: &Shop, id: CustomerId, owner: &Client) -> String {
    let phone = phone_of(app, id).await;
    app.within(async |tx| {
        let sql = "INSERT INTO opt_out (org_id, channel, address, state, source, at) VALUES ($1, 'sms', $2, 'stopped', 'text', $3)";
        q!(&mut *tx, execute, sql, shop.id(), &phone, app.now())?;
        let sql = "INSERT INTO sending_contact (org_id, sender, address, last_sent_at) VALUES ($1, '+15125550100', $2, $3)
            ON CONFLICT (org_id, sender, address) DO NOTHING";
        q!(tx, execute, sql, shop.id(), &phone, app.now())?;
        Ok(())
    })
    .await
    .unwrap();
    let body = json!({ "phone": null }).to_string().into_bytes();
    let changed = owner.send(Method::PATCH, &format!("/api/customers/{id}"), "application/json", body).await;
    assert_eq!(changed.status, 200, "{}", changed.json());
    let named = format!("customer_key WHERE value = '{phone}'");
    assert_eq!(app.count(&named).await, 0, "the number is no key any more");
    phone
}

both_databases! {
    async fn erasure_empties_digests_that_name_the_person_with_others(app) {
        app.use_mail_files();
        let (shop, id) = told_in_a_digest(app).await;
        let before = digests(app, &shop).await;
        assert!(!before.is_empty() && before.iter().all(|(_, body)| body.contains(NAME) && body.contains("Visitor 2")), "{before:?}");
        assert!(before.iter().all(|(id, _)| letter_of(app, *id).exists()));
        asks_to_erase(app, &shop, id).await;
        erase(app).await;
        let after = digests(app, &shop).await;
        assert_eq!(after.iter().map(|(id, _)| id).collect::<Vec<_>>(), before.iter().map(|(id, _)| id).collect::<Vec<_>>(), "the rows stay");
        assert!(after.iter().all(|(id, body)| !body.contains(NAME) && !body.is_empty() && !letter_of(app, *id).exists()), "{after:?}");
        let left: Vec<_> = all_text(&app.db, shop.id()).await.lines().filter(|line| line.contains(NAME)).map(ToOwned::to_owned).collect();
        assert!(left.iter().all(|line| line.starts_with("idempotency")), "{left:#?}");
        app.run_tasks().await;
    }

    async fn report_that_waits_leaves_without_the_erased_person(app) {
        let (shop, id, _) = shop_with_ann(app).await;
        let to = Recipient::from_stored(MessageChannel::Email, shop.owner().email.clone());
        let leaves_at = app.now() + erasure::GRACE + Duration::hours(1);
        let draft = MessageDraft::new(MessageKind::Pulse, to, format!("{NAME} owes $90."), "pulse:1:email:owner".to_owned());
        let draft = MessageDraft { subject: Some(format!("{NAME} owes $90")), not_before: Some(leaves_at), ..draft };
        let report = [draft.with_id(MessageId(app.origin.uuid_v7()))];
        app.within(async |tx| message::queue_messages(tx, &app.origin, shop.id(), &report).await).await.unwrap();
        asks_to_erase(app, &shop, id).await;
        erase(app).await;
        let left = traces(&all_text(&app.db, shop.id()).await);
        assert!(left.is_empty(), "{left:#?}");
        app.advance(Duration::hours(1));
        app.run_tasks().await;
        let sent = app.mail.accepted_messages().into_iter().find(|letter| letter.subject == "Summary without its details").unwrap();
        assert_eq!(sent.to, shop.owner().email);
        assert!(sent.text.contains("a customer whose data was erased") && !sent.text.contains(NAME), "{}", sent.text);
    }

    async fn digest_from_before_the_person_was_known_keeps_its_words(app) {
        let shop = app.org("Acme Plumbing").await;
        let to = Recipient::from_stored(MessageChannel::Email, shop.owner().email.clone());
        let draft = MessageDraft::new(MessageKind::Pulse, to, "Bob Ray owes you money.".to_owned(), "pulse:1:email:owner".to_owned());
        let report = [draft.with_id(MessageId(app.origin.uuid_v7()))];
        app.within(async |tx| message::queue_messages(tx, &app.origin, shop.id(), &report).await).await.unwrap();
        app.run_tasks().await;
        app.advance(Duration::hours(1));
        Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let sql = "SELECT id FROM customer WHERE org_id = $1";
        let id = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar CustomerId, sql, shop.id()).unwrap();
        asks_to_erase(app, &shop, id).await;
        erase(app).await;
        assert_eq!(app.count("message WHERE kind = 'pulse' AND body = 'Bob Ray owes you money.'").await, 1);
        app.run_tasks().await;
    }

    async fn erasure_and_copy_reach_alerts_that_name_no_lead(app) {
        let (shop, id, _) = shop_with_ann(app).await;
        let review = writes_without_a_lead(app, &shop, id).await;
        raises(app, &shop, AlertKind::OptOutDoubt, "doubt:SM7".to_owned(), "They wrote \"Leave Ann Lee alone\".").await;
        app.live_through(Duration::minutes(2), Duration::minutes(1)).await;
        raises(app, &shop, AlertKind::LowRating, format!("review:{review}:low"), "\"Water on the floor, says Ann Lee\"").await;
        app.live_through(Duration::minutes(2), Duration::minutes(1)).await;
        let copy = personal_data(app, &shop, id).await;
        assert!(copy.contains("Leave Ann Lee alone") && copy.contains("Water on the floor, says Ann Lee"), "{copy}");
        asks_to_erase(app, &shop, id).await;
        erase(app).await;
        let left = traces(&all_text(&app.db, shop.id()).await);
        assert!(left.is_empty(), "{left:#?}");
        app.run_tasks().await;
    }

    async fn erasure_finds_opt_out_of_a_number_that_the_office_removed(app) {
        let (shop, id, owner) = shop_with_ann(app).await;
        let phone = number_is_removed(app, &shop, id, &owner).await;
        assert!(personal_data(app, &shop, id).await.contains("\"source\": \"text\""), "the copy has the opt-out");
        asks_to_erase(app, &shop, id).await;
        erase(app).await;
        let left = traces(&all_text(&app.db, shop.id()).await);
        assert!(left.is_empty(), "{left:#?}");
        assert_eq!((app.count("opt_out").await, app.count("sending_contact").await, app.count("erased_opt_out").await), (0, 0, 1));
        let before = app.sms.accepted_messages().len();
        Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        assert_eq!(app.sms.accepted_messages().len(), before, "nothing is texted to {phone}");
    }

    async fn erasure_names_records_with_the_same_number_and_the_first_text_to_them_is_refused(app) {
        let (shop, id, owner) = shop_with_ann(app).await;
        let lead = Visitor::number(7).named("Vera Vale").submits_lead(app, &shop).await;
        app.run_tasks().await;
        let (phone, other) = (phone_of(app, id).await, app.lead(shop.id(), lead).await.customer_id);
        app.within(async |tx| {
            let sql = "UPDATE lead SET phone_e164 = $3 WHERE org_id = $1 AND customer_id = $2";
            q!(&mut *tx, execute, sql, shop.id(), other, &phone)?;
            let sql = "UPDATE customer SET phone_e164 = $3 WHERE org_id = $1 AND id = $2";
            q!(&mut *tx, execute, sql, shop.id(), other, &phone)?;
            let sql = "INSERT INTO opt_out (org_id, channel, address, state, source, at) VALUES ($1, 'sms', $2, 'stopped', 'text', $3)";
            Ok(q!(tx, execute, sql, shop.id(), &phone, app.now())?)
        })
        .await
        .unwrap();
        let seen = owner.get(&format!("/api/customers/{id}/personal-data")).await.json();
        let named = &seen["otherRecords"][0];
        assert_eq!((&named["id"], &named["name"]), (&json!(other), &json!("Vera Vale")), "{seen}");
        assert_eq!(named["why"], "Same phone: (512) 555-0142");
        asks_to_erase(app, &shop, id).await;
        erase(app).await;
        let kept = (app.count("opt_out").await, app.count("erased_opt_out").await);
        assert_eq!(kept, (1, 0), "another request names the number");
        let office = app.client().signed_in(app, shop.owner()).await;
        let text = json!({"channel": "sms", "body": "Hello there"});
        let refused = office.post(&format!("/api/customers/{other}/messages"), &text).await;
        assert_eq!(refused.status, 409, "{}", refused.json());
        assert_eq!((app.count("opt_out").await, app.count("message WHERE body = 'Hello there'").await), (1, 0));
        let thread = office.get(&format!("/api/customers/{other}/conversation")).await.json();
        assert_eq!(thread["canText"]["ok"], false, "the screen says so too");
        app.run_tasks().await;
    }

    async fn opt_out_of_an_erased_person_is_found_beside_a_retired_key_that_does_not_open(app) {
        let (shop, id, owner) = shop_with_ann(app).await;
        number_is_removed(app, &shop, id, &owner).await;
        asks_to_erase(app, &shop, id).await;
        erase(app).await;
        loses_a_retired_key(app).await;
        let before = app.sms.accepted_messages().len();
        Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        assert_eq!(app.sms.accepted_messages().len(), before, "her STOP holds");
        assert_eq!((app.count("opt_out").await, app.count("erased_opt_out").await), (1, 0));
        assert_eq!(app.count("message WHERE status = 'held'").await, 0);
    }

    async fn text_waits_while_the_retired_key_of_an_erased_opt_out_does_not_open(app) {
        let (shop, id, owner) = shop_with_ann(app).await;
        number_is_removed(app, &shop, id, &owner).await;
        asks_to_erase(app, &shop, id).await;
        erase(app).await;
        loses_a_retired_key(app).await;
        // The hash is not among those that the present key finds.
        let other = "UPDATE erased_opt_out SET address_hash = $1";
        app.within(async |tx| Ok(q!(tx, execute, other, vec![9_u8; 32])?)).await.unwrap();
        let before = app.sms.accepted_messages().len();
        Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        assert_eq!(app.sms.accepted_messages().len(), before, "it is not known whether she said STOP");
        assert!(app.count("message WHERE status = 'held' AND channel = 'sms'").await > 0);
        assert_eq!(app.count("message WHERE status = 'held' AND channel = 'email'").await, 0, "mail about their own matter leaves");
        app.within(async |tx| Ok(q!(tx, execute, "DELETE FROM retired_key WHERE name = '0f0f'")?)).await.unwrap();
        app.advance(Duration::minutes(16));
        app.run_tasks().await;
        assert_eq!(app.count("message WHERE status = 'held'").await, 0, "every key opens");
    }

    async fn number_of_another_customer_by_now_keeps_its_opt_out(app) {
        let (shop, id, owner) = shop_with_ann(app).await;
        let phone = number_is_removed(app, &shop, id, &owner).await;
        Visitor::ann().named("Bo Best").email(Some("bo@example.com")).submits_lead(app, &shop).await;
        app.run_tasks().await;
        let sql = "SELECT customer_id FROM customer_key WHERE org_id = $1 AND value = $2";
        let holder = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar CustomerId, sql, shop.id(), &phone).unwrap();
        assert_ne!(holder, id, "the number is Bo's now");
        assert!(!personal_data(app, &shop, id).await.contains("\"source\": \"text\""), "Bo's opt-out is not in Ann's copy");
        asks_to_erase(app, &shop, id).await;
        erase(app).await;
        assert_eq!((app.count("opt_out").await, app.count("erased_opt_out").await), (1, 0));
        assert!(app.count(&format!("sending_contact WHERE address = '{phone}'")).await > 0);
        app.run_tasks().await;
    }
}
