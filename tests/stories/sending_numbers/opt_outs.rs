//! Whom a STOP reaches: every business on the sender, now, before and later.

use std::cell::Cell;

use chrono::Duration;
use serde_json::{Value, json};
use shared::{
    domain::{
        messaging::{
            inbound::{self, InboundSms},
            sending_number::{self, NumberAssignedBy},
        },
        tenancy::org::{self, FeatureSwitches},
    },
    ops::tenant_data::removal,
    platform::db::{Engine, Tx, q, tenant_scope::across_tenants},
};
use tests::{
    app::TestApp,
    both_databases,
    fake_twilio::{FROM, Fault},
    people::Shop,
    phone::ANN,
};

use super::{
    FREE, POOL, SERVICE, ann_at, inbound_texts, install, install_with_service, opt_out, says, sharing, texts_ann,
    without_number,
};

async fn stop_within(app: &TestApp, tx: &mut Tx, shop: &Shop, provider_id: &str) {
    let profile = org::load_profile(&mut *tx, shop.org.clone()).await.unwrap();
    let text = InboundSms {
        provider_id,
        from: ANN,
        to: POOL,
        service: None,
        body: "STOP",
        media: Vec::new(),
        opt_out_type: None,
        came_at: None,
    };
    inbound::process_text(tx, &app.intake(&profile), &text).await.unwrap();
}

/// Runs `other` beside an open transaction until it is done or waits for a lock of PostgreSQL, and then commits.
/// `SQLite` allows one writer at a time.
async fn beside(app: &TestApp, open: Tx, other: impl Future<Output = ()>) {
    let is_done = Cell::new(false);
    let run = async {
        other.await;
        is_done.set(true);
    };
    let end = async {
        let sql = "SELECT COUNT(*) FROM pg_locks WHERE NOT granted AND locktype = 'advisory'";
        while app.db.engine() == Engine::Postgres && !is_done.get() {
            let waiting = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar i64, sql).unwrap();
            if waiting > 0 {
                break;
            }
        }
        open.commit().await.unwrap();
    };
    futures::join!(run, end);
}

async fn joins(app: &TestApp, tx: &mut Tx, shop: &Shop) {
    sending_number::share_service(tx, &app.origin, shop.id(), SERVICE, (NumberAssignedBy::Operator, None))
        .await
        .unwrap();
}

/// A person of the shop confirms or lifts Ann's opt-out.
async fn decides(app: &TestApp, shop: &Shop, state: &str) {
    let (office, ann) = (app.client().signed_in(app, shop.owner()).await, ann_at(app, shop).await);
    let decided = office.post(&format!("/api/customers/{ann}/opt-out"), &json!({ "state": state })).await;
    assert_eq!((decided.status.as_u16(), &decided.json()["state"]), (200, &json!(state)), "{}", decided.json());
}

both_databases! {
    async fn stop_to_shared_service_opts_out_every_business_and_start_lifts_it(app) {
        let install = install_with_service(app).await;
        let (acme, best) = (sharing(app, "Acme Plumbing").await, sharing(app, "Best Roofing").await);
        let alone = app.org("Alone Electric").await;
        says(app, &acme, "From Acme").await;
        says(app, &best, "From Best").await;
        texts_ann(app, &acme, "waits").await;
        assert_eq!(install.writes(ANN, POOL, "STOP").await, 200);
        assert_eq!((opt_out(app, acme.id()).await.as_deref(), opt_out(app, best.id()).await.as_deref()), (Some("stopped"), Some("stopped")));
        assert_eq!(opt_out(app, alone.id()).await, None, "another number is another matter");
        let before = install.to_ann().len();
        says(app, &acme, "after").await;
        says(app, &best, "after").await;
        assert_eq!(install.to_ann().len(), before, "queued and new texts are not sent");
        // A business that joins later has her STOP too.
        let late = sharing(app, "Late Drains").await;
        assert_eq!(opt_out(app, late.id()).await.as_deref(), Some("stopped"));
        assert_eq!(install.writes(ANN, POOL, "START").await, 200);
        for shop in [&acme, &best, &late] {
            assert_eq!(opt_out(app, shop.id()).await.as_deref(), Some("lifted"), "{}", shop.org.name);
        }
        app.run_tasks().await;
    }

    async fn stop_said_to_removed_business_holds_for_the_next_one_on_its_number(app) {
        let install = install(app).await;
        let (gone, best) = (without_number(app, "Gone Works").await, without_number(app, "Best Roofing").await);
        app.gets_number(gone.id(), Some(FREE)).await;
        says(app, &gone, "From Gone").await;
        assert_eq!(install.writes(ANN, FREE, "STOP").await, 200);
        app.run_tasks().await;
        let before = install.to_ann().len();
        removal::remove_org(&app.remover(), gone.id()).await.unwrap();
        app.gets_number(best.id(), Some(FREE)).await;
        assert_eq!(opt_out(app, best.id()).await, None, "no address was kept");
        says(app, &best, "From Best").await;
        assert_eq!(opt_out(app, best.id()).await.as_deref(), Some("stopped"));
        assert_eq!(install.to_ann().len(), before, "nothing leaves");
        assert_eq!(install.writes(ANN, FREE, "START").await, 200);
        app.run_tasks().await;
        let before = install.to_ann().len();
        says(app, &best, "Welcome back").await;
        assert_eq!((opt_out(app, best.id()).await.as_deref(), install.to_ann().len()), (Some("lifted"), before + 1));
        // From another number it was never said.
        let alone = app.org("Alone Electric").await;
        says(app, &alone, "From Alone").await;
        assert_eq!((opt_out(app, alone.id()).await, install.to_ann().len()), (None, before + 2));
    }

    async fn stop_repeated_after_start_at_removed_business_outlasts_that_start(app) {
        let install = install(app).await;
        let gone = without_number(app, "Gone Works").await;
        let (best, last) = (without_number(app, "Best Roofing").await, without_number(app, "Last Electric").await);
        app.gets_number(gone.id(), Some(FREE)).await;
        says(app, &gone, "From Gone").await;
        assert_eq!(install.writes(ANN, FREE, "STOP").await, 200);
        app.run_tasks().await;
        removal::remove_org(&app.remover(), gone.id()).await.unwrap();
        app.gets_number(best.id(), Some(FREE)).await;
        says(app, &best, "From Best").await;
        assert_eq!(install.writes(ANN, FREE, "START").await, 200);
        app.run_tasks().await;
        says(app, &best, "Welcome back").await;
        // She lifted hers at the last business too, between the two STOPs.
        let lifted = "INSERT INTO opt_out (org_id, channel, address, state, source, at, lifted_at) VALUES ($1, 'sms', $2, 'lifted', 'text', $3, $3)";
        app.within(async |tx| Ok(q!(tx, execute, lifted, last.id(), ANN, app.now())?)).await.unwrap();
        app.advance(Duration::minutes(1));
        assert_eq!(install.writes(ANN, FREE, "STOP").await, 200);
        app.run_tasks().await;
        removal::remove_org(&app.remover(), best.id()).await.unwrap();
        app.gets_number(last.id(), Some(FREE)).await;
        let before = install.to_ann().len();
        says(app, &last, "From Last").await;
        assert_eq!((opt_out(app, last.id()).await.as_deref(), install.to_ann().len()), (Some("stopped"), before));
    }

    async fn lost_key_holds_only_texts_of_senders_with_stops_of_removed_business(app) {
        let install = install(app).await;
        let (gone, best) = (without_number(app, "Gone Works").await, without_number(app, "Best Roofing").await);
        app.gets_number(gone.id(), Some(FREE)).await;
        says(app, &gone, "From Gone").await;
        assert_eq!(install.writes(ANN, FREE, "STOP").await, 200);
        app.run_tasks().await;
        removal::remove_org(&app.remover(), gone.id()).await.unwrap();
        app.gets_number(best.id(), Some(FREE)).await;
        let lost = "INSERT INTO retired_key (name, sealed, retired_at) VALUES ('0f0f', $1, $2)";
        app.within(async |tx| Ok(q!(tx, execute, lost, vec![7_u8; 60], app.now())?)).await.unwrap();
        let alone = app.org("Alone Electric").await;
        let before = install.to_ann().len();
        says(app, &alone, "From Alone").await;
        assert_eq!(install.to_ann().len(), before + 1, "nobody said STOP to this sender");
        // The hash of her STOP is not among those that the present key finds.
        let other = "UPDATE suppression_hash SET address_hash = $1 WHERE address_hash = $2";
        let hash = app.settings.secret.keyed_hash("opt-out of a removed business", &format!("sender:{FREE}:{ANN}"));
        app.within(async |tx| Ok(q!(tx, execute, other, vec![9_u8; 32], hash.clone())?)).await.unwrap();
        says(app, &best, "From Best").await;
        let sql = "SELECT status FROM message WHERE org_id = $1 AND body = 'From Best'";
        let status = async || q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar String, sql, best.id()).unwrap();
        assert_eq!((status().await.as_str(), install.to_ann().len()), ("held", before + 1));
        app.within(async |tx| Ok(q!(tx, execute, "DELETE FROM retired_key WHERE name = '0f0f'")?)).await.unwrap();
        app.advance(Duration::minutes(16));
        app.run_tasks().await;
        assert_eq!(install.to_ann().len(), before + 2, "it leaves once that is known");
    }

    async fn doubtful_stop_pauses_all_on_shared_service_and_shows_words_to_one(app) {
        let install = install_with_service(app).await;
        let (acme, best) = (sharing(app, "Acme Plumbing").await, sharing(app, "Best Roofing").await);
        let alone = app.org("Alone Electric").await;
        says(app, &acme, "From Acme").await;
        says(app, &best, "From Best").await;
        texts_ann(app, &acme, "waits").await;
        assert_eq!(install.writes(ANN, POOL, "Stop texting me").await, 200);
        for shop in [&acme, &best] {
            assert_eq!(opt_out(app, shop.id()).await.as_deref(), Some("paused"), "{}", shop.org.name);
        }
        assert_eq!(opt_out(app, alone.id()).await, None, "another number is another matter");
        let before = install.to_ann().len();
        says(app, &acme, "after").await;
        assert_eq!(install.to_ann().len(), before, "queued and new texts are not sent");
        let office = app.client().signed_in(app, acme.owner()).await;
        let ann = ann_at(app, &acme).await;
        let talk = office.get(&format!("/api/customers/{ann}/conversation")).await.json();
        let opt_out_view = &talk["customer"]["smsOptOut"];
        assert_eq!((&opt_out_view["saidElsewhere"], &opt_out_view["matched"]), (&json!(true), &Value::Null), "{opt_out_view}");
        assert!(talk["canText"]["why"].as_str().unwrap().contains("asked at this number not to be texted"), "{talk}");
        assert!(!talk.to_string().to_lowercase().contains("stop texting"), "her words are not Acme's to read: {talk}");
        let late = sharing(app, "Late Drains").await;
        assert_eq!(opt_out(app, late.id()).await.as_deref(), Some("paused"), "the opt-out applies to a business that joins later");
        // Each may lift the pause for its own texts.
        decides(app, &acme, "lifted").await;
        for shop in [&best, &late] {
            assert_eq!(opt_out(app, shop.id()).await.as_deref(), Some("paused"), "{}", shop.org.name);
        }
        says(app, &acme, "You said that we may").await;
        assert!(install.to_ann().len() > before);
        // Best has the words: what it confirms holds also where the pause was lifted without them.
        decides(app, &best, "stopped").await;
        let before = install.to_ann().len();
        says(app, &acme, "after the confirmation").await;
        assert_eq!(install.to_ann().len(), before, "Acme texts her no more");
        for shop in [&acme, &best, &late] {
            assert_eq!(opt_out(app, shop.id()).await.as_deref(), Some("stopped"), "{}", shop.org.name);
        }
        assert_eq!(install.writes(ANN, POOL, "START").await, 200);
        for shop in [&acme, &best, &late] {
            assert_eq!(opt_out(app, shop.id()).await.as_deref(), Some("lifted"), "{}", shop.org.name);
        }
        app.run_tasks().await;
    }

    async fn pause_confirmed_by_receiving_business_stops_all_on_shared_service(app) {
        let install = install_with_service(app).await;
        let (acme, best) = (sharing(app, "Acme Plumbing").await, sharing(app, "Best Roofing").await);
        says(app, &acme, "From Acme").await;
        says(app, &best, "From Best").await;
        assert_eq!(install.writes(ANN, POOL, "Stop texting me").await, 200);
        app.advance(Duration::minutes(1));
        decides(app, &best, "stopped").await;
        let before = install.to_ann().len();
        says(app, &acme, "after").await;
        assert_eq!(install.to_ann().len(), before, "the same sender texts her no more");
        let late = sharing(app, "Late Drains").await;
        for shop in [&acme, &best, &late] {
            assert_eq!(opt_out(app, shop.id()).await.as_deref(), Some("stopped"), "{}", shop.org.name);
        }
        decides(app, &acme, "lifted").await;
        for (shop, state) in [(&acme, "lifted"), (&best, "stopped"), (&late, "stopped")] {
            assert_eq!(opt_out(app, shop.id()).await.as_deref(), Some(state), "{}", shop.org.name);
        }
        app.run_tasks().await;
    }

    async fn confirmed_stop_keeps_lift_of_business_that_person_texted_since(app) {
        let install = install_with_service(app).await;
        let (acme, best) = (sharing(app, "Acme Plumbing").await, sharing(app, "Best Roofing").await);
        says(app, &acme, "From Acme").await;
        says(app, &best, "From Best").await;
        assert_eq!(install.writes(ANN, POOL, "Stop texting me").await, 200);
        app.advance(Duration::minutes(1));
        decides(app, &acme, "lifted").await;
        says(app, &acme, "Shall we come on Monday?").await;
        assert_eq!(install.writes(ANN, POOL, "Can you come on Tuesday?").await, 200);
        app.run_tasks().await;
        decides(app, &best, "stopped").await;
        let opt_out_states = (opt_out(app, acme.id()).await, opt_out(app, best.id()).await);
        assert_eq!((opt_out_states.0.as_deref(), opt_out_states.1.as_deref()), (Some("lifted"), Some("stopped")), "she wrote to Acme");
        app.run_tasks().await;
    }

    async fn pause_confirmed_by_another_business_stops_that_business_alone(app) {
        let install = install_with_service(app).await;
        let (acme, best) = (sharing(app, "Acme Plumbing").await, sharing(app, "Best Roofing").await);
        says(app, &acme, "From Acme").await;
        says(app, &best, "From Best").await;
        assert_eq!(install.writes(ANN, POOL, "Stop texting me").await, 200);
        decides(app, &acme, "stopped").await;
        let opt_out_states = (opt_out(app, acme.id()).await, opt_out(app, best.id()).await);
        assert_eq!((opt_out_states.0.as_deref(), opt_out_states.1.as_deref()), (Some("stopped"), Some("paused")), "Best has the words");
        app.run_tasks().await;
    }

    async fn stop_concurrent_with_business_joining_service_applies_to_it(app) {
        install_with_service(app).await;
        let acme = sharing(app, "Acme Plumbing").await;
        let (first, second) = (without_number(app, "First Drains").await, without_number(app, "Second Gas").await);
        // The STOP is stored but not committed when the first one joins.
        let mut tx = across_tenants(app.db.begin()).await.unwrap();
        stop_within(app, &mut tx, &acme, "SM0000000000000000000000000000057a").await;
        beside(app, tx, Box::pin(async {
            let mut tx = across_tenants(app.db.begin()).await.unwrap();
            joins(app, &mut tx, &first).await;
            tx.commit().await.unwrap();
        }))
        .await;
        assert_eq!(opt_out(app, first.id()).await.as_deref(), Some("stopped"));
        let lift = "UPDATE opt_out SET state = 'lifted' WHERE address = $1";
        app.within(async |tx| Ok(q!(tx, execute, lift, ANN)?)).await.unwrap();
        // The second one has joined but not committed when she sends STOP once more.
        let mut tx = across_tenants(app.db.begin()).await.unwrap();
        joins(app, &mut tx, &second).await;
        beside(app, tx, Box::pin(async {
            let mut tx = across_tenants(app.db.begin()).await.unwrap();
            stop_within(app, &mut tx, &acme, "SM0000000000000000000000000000057b").await;
            tx.commit().await.unwrap();
        }))
        .await;
        for shop in [&acme, &first, &second] {
            assert_eq!(opt_out(app, shop.id()).await.as_deref(), Some("stopped"), "{}", shop.org.name);
        }
        app.run_tasks().await;
    }

    async fn opt_out_refusal_by_provider_stops_every_business_on_sender(app) {
        let install = install_with_service(app).await;
        let (acme, best) = (sharing(app, "Acme Plumbing").await, sharing(app, "Best Roofing").await);
        let alone = app.org("Alone Electric").await;
        texts_ann(app, &best, "waits").await;
        let later = "UPDATE message SET status = 'held', next_attempt_at = $2 WHERE org_id = $1";
        app.within(async |tx| Ok(q!(tx, execute, later, best.id(), app.now() + Duration::hours(3))?)).await.unwrap();
        install.twilio.script(Fault::Code { status: 400, code: 21610 });
        says(app, &acme, "Not taken").await;
        for shop in [&acme, &best] {
            assert_eq!(opt_out(app, shop.id()).await.as_deref(), Some("stopped"), "{}", shop.org.name);
        }
        assert_eq!(opt_out(app, alone.id()).await, None, "another number is another matter");
        app.advance(Duration::hours(4));
        app.run_tasks().await;
        let sql = "SELECT status FROM message WHERE org_id = $1 AND body = 'waits'";
        let waited = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar String, sql, best.id()).unwrap();
        assert_eq!(waited, "not_sent", "the other business's queued text is not sent");
        let late = sharing(app, "Late Drains").await;
        assert_eq!(opt_out(app, late.id()).await.as_deref(), Some("stopped"), "the opt-out applies to a business that joins later");
    }

    async fn stop_before_any_message_applies_to_later_holder_of_sender(app) {
        let install = install_with_service(app).await;
        let acme = sharing(app, "Acme Plumbing").await;
        assert_eq!(install.writes(ANN, POOL, "STOP").await, 200);
        assert_eq!(opt_out(app, acme.id()).await.as_deref(), Some("stopped"));
        let late = sharing(app, "Late Drains").await;
        assert_eq!(opt_out(app, late.id()).await.as_deref(), Some("stopped"), "it joins the service");
        // The same with a number that moves to another business.
        let (alone, next) = (app.org("Alone Electric").await, app.org("Next Gas").await);
        let number = alone.org.sms_number.clone().unwrap();
        assert_eq!(install.writes(ANN, &number, "STOP").await, 200);
        assert_eq!((opt_out(app, alone.id()).await.as_deref(), opt_out(app, next.id()).await), (Some("stopped"), None));
        app.gets_number(next.id(), Some(&number)).await;
        assert_eq!(opt_out(app, next.id()).await.as_deref(), Some("stopped"), "it gets the number");
        says(app, &late, "after").await;
        says(app, &next, "after").await;
        assert!(install.to_ann().is_empty(), "nothing leaves for her");
        app.run_tasks().await;
    }

    async fn stop_reaches_business_that_texted_from_number_before_reassignment(app) {
        let install = install(app).await;
        let (acme, best) = (app.org("Acme Plumbing").await, app.org("Best Roofing").await);
        let number = best.org.sms_number.clone().unwrap();
        says(app, &acme, "From Acme").await;
        app.gets_number(best.id(), Some(FROM)).await;
        app.gets_number(acme.id(), Some(&number)).await;
        assert_eq!(install.writes(ANN, FROM, "STOP").await, 200);
        assert_eq!((inbound_texts(app, &acme).await.len(), inbound_texts(app, &best).await.len()), (0, 1), "the number is Best's now");
        assert_eq!((opt_out(app, acme.id()).await.as_deref(), opt_out(app, best.id()).await.as_deref()), (Some("stopped"), Some("stopped")));
        app.run_tasks().await;
    }

    async fn stop_to_released_number_applies_to_business_that_sent_from_it(app) {
        let install = install(app).await;
        let acme = app.org("Acme Plumbing").await;
        says(app, &acme, "From Acme").await;
        app.gets_number(acme.id(), None).await;
        assert_eq!(install.writes(ANN, FROM, "Can you come on Monday?").await, 200, "a reply is theirs");
        assert_eq!(install.writes(ANN, FROM, "STOP").await, 200);
        assert_eq!(opt_out(app, acme.id()).await.as_deref(), Some("stopped"));
        assert_eq!(inbound_texts(app, &acme).await, ["STOP", "Can you come on Monday?"], "the newest first");
        app.run_tasks().await;
    }

    async fn stop_to_released_number_applies_to_business_that_only_received_there(app) {
        let install = install(app).await;
        let (acme, best) = (app.org("Acme Plumbing").await, app.org("Best Roofing").await);
        app.switches(&acme, FeatureSwitches { automated_communications: false, ..FeatureSwitches::ALL_ON }).await;
        assert_eq!(install.writes(ANN, FROM, "Can you come on Monday?").await, 200);
        app.run_tasks().await;
        app.gets_number(acme.id(), Some(FREE)).await;
        app.within(async |tx| sending_number::release_number(tx, &app.origin, FROM).await).await.unwrap();
        assert!(install.to_ann().is_empty(), "no text was sent to her");
        assert_eq!(install.writes(ANN, FROM, "STOP").await, 200);
        assert_eq!((opt_out(app, acme.id()).await.as_deref(), opt_out(app, best.id()).await), (Some("stopped"), None));
        assert_eq!(install.writes("+15125550188", FROM, "STOP").await, 404, "an unknown sender is refused there");
        says(app, &acme, "From the new number").await;
        assert!(install.to_ann().is_empty());
        app.run_tasks().await;
    }
}
