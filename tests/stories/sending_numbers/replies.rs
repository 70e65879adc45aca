//! Which business gets a reply to a number that several have used.

use chrono::Duration;
use shared::{
    domain::messaging::sending_number,
    ops::tenant_data::removal,
    platform::{db::q, id::OrgId},
};
use tests::{
    app::TestApp,
    both_databases,
    fake_twilio::{Call, Fault, InboundText, Report, Status},
    people::Shop,
    phone::ANN,
};
use worker::tasks::messaging::inbound_sync;

use super::{
    FREE, Install, POOL, SERVICE, again, inbound_texts, install_with_service, opt_out, says, sharing, without_number,
};

const STRANGER: &str = "+15125550188";

/// A text for which Twilio names the service.
async fn writes_by_service(install: &Install, from: &str, to: &str, words: &str) {
    let text = InboundText { service: Some(SERVICE.to_owned()), ..InboundText::new(from, to, words) };
    assert_eq!(install.hooks.inbound_text(&text).await.answers[0].status, 200, "{words}");
}

/// The business that gets a call to the number.
async fn called(app: &TestApp, install: &Install, from: &str) -> Option<OrgId> {
    let call = install.hooks.call(&Call::new(from, FREE)).await;
    let sql = "SELECT org_id FROM call WHERE provider_id = $1";
    q!(&mut app.db.acquire_reader().await.unwrap(), fetch_optional scalar OrgId, sql, &call.sid).unwrap()
}

/// The call is turned away, and no business has it.
async fn calls_nobody(app: &TestApp, install: &Install, from: &str) {
    let call = install.hooks.call(&Call::new(from, FREE)).await;
    assert!(call.spoken.is_empty() && call.connected_to.is_none(), "{from}: {:?}", call.spoken);
    assert_eq!(app.count("call").await, 0, "{from}");
}

/// Texts Ann, and returns the text's id at Twilio.
async fn send_text(app: &TestApp, install: &Install, shop: &Shop, words: &str) -> String {
    says(app, shop, words).await;
    install.twilio.received().last().unwrap().sid.clone()
}

/// Twilio reports the texts as filtered, in this order. Then Ann replies to the shared number.
async fn reply_after_undelivered(app: &TestApp, install: &Install, sids: &[String]) {
    for sid in sids {
        let report = Report::new(sid, Status::Undelivered).because(30007);
        assert_eq!(install.hooks.report(&report).await[0].status, 204, "{sid}");
    }
    assert_eq!(install.writes(ANN, POOL, "Yes").await, 200);
    app.run_tasks().await;
}

both_databases! {
    async fn inbound_text_to_shared_service_goes_to_last_sender(app) {
        let install = install_with_service(app).await;
        let (acme, best) = (sharing(app, "Acme Plumbing").await, sharing(app, "Best Roofing").await);
        assert_eq!(install.writes(ANN, POOL, "first").await, 200);
        says(app, &best, "From Best").await;
        assert_eq!(install.writes(ANN, POOL, "second").await, 200);
        says(app, &acme, "From Acme").await;
        assert_eq!(install.writes(ANN, POOL, "third").await, 200);
        says(app, &best, "From Best again").await;
        says(app, &acme, "From Acme again").await;
        says(app, &best, "Best is last").await;
        // Refused: it never reached her, so it is not the last message.
        install.twilio.script(Fault::Code { status: 400, code: 21610 });
        says(app, &acme, "Not taken").await;
        assert_eq!(install.writes(ANN, POOL, "fourth").await, 200);
        app.run_tasks().await;
        assert_eq!(inbound_texts(app, &acme).await, ["first", "third"], "without earlier texts the longest member gets the text");
        assert_eq!(inbound_texts(app, &best).await, ["second", "fourth"]);
        assert!(install.to_ann().iter().all(|(from, by)| from.is_none() && by.as_deref() == Some(SERVICE)));
    }

    async fn reply_after_undelivered_text_of_other_business_goes_to_the_one_that_reached_them(app) {
        let install = install_with_service(app).await;
        let (acme, best) = (sharing(app, "Acme Plumbing").await, sharing(app, "Best Roofing").await);
        says(app, &best, "From Best").await;
        let filtered = send_text(app, &install, &acme, "Filtered").await;
        reply_after_undelivered(app, &install, &[filtered]).await;
        assert_eq!((inbound_texts(app, &best).await, inbound_texts(app, &acme).await), (vec!["Yes".to_owned()], vec![]));
    }

    async fn report_of_undelivered_text_after_a_delivered_one_leaves_the_last_writer(app) {
        let install = install_with_service(app).await;
        let (acme, best) = (sharing(app, "Acme Plumbing").await, sharing(app, "Best Roofing").await);
        says(app, &best, "From Best").await;
        let filtered = send_text(app, &install, &acme, "Filtered").await;
        says(app, &acme, "From Acme").await;
        reply_after_undelivered(app, &install, &[filtered]).await;
        assert_eq!((inbound_texts(app, &best).await, inbound_texts(app, &acme).await), (vec![], vec!["Yes".to_owned()]));
    }

    async fn business_whose_later_texts_all_failed_is_no_last_writer(app) {
        let install = install_with_service(app).await;
        let (acme, best) = (sharing(app, "Acme Plumbing").await, sharing(app, "Best Roofing").await);
        says(app, &acme, "From Acme").await;
        let filtered = send_text(app, &install, &best, "Filtered").await;
        install.twilio.script(Fault::Code { status: 400, code: 21605 });
        says(app, &best, "Refused").await;
        reply_after_undelivered(app, &install, &[filtered]).await;
        assert_eq!((inbound_texts(app, &acme).await, inbound_texts(app, &best).await), (vec!["Yes".to_owned()], vec![]));
    }

    async fn business_whose_texts_failed_from_the_last_to_the_first_is_no_last_writer(app) {
        let install = install_with_service(app).await;
        let (acme, best) = (sharing(app, "Acme Plumbing").await, sharing(app, "Best Roofing").await);
        says(app, &acme, "From Acme").await;
        let first = send_text(app, &install, &best, "Filtered").await;
        let second = send_text(app, &install, &best, "Filtered too").await;
        reply_after_undelivered(app, &install, &[second, first]).await;
        assert_eq!((inbound_texts(app, &acme).await, inbound_texts(app, &best).await), (vec!["Yes".to_owned()], vec![]));
    }

    async fn business_stays_last_writer_by_an_earlier_text_after_two_failed(app) {
        let install = install_with_service(app).await;
        let (acme, best) = (sharing(app, "Acme Plumbing").await, sharing(app, "Best Roofing").await);
        says(app, &acme, "From Acme").await;
        says(app, &best, "From Best").await;
        let first = send_text(app, &install, &best, "Filtered").await;
        let second = send_text(app, &install, &best, "Filtered too").await;
        reply_after_undelivered(app, &install, &[second, first]).await;
        assert_eq!((inbound_texts(app, &best).await, inbound_texts(app, &acme).await), (vec!["Yes".to_owned()], vec![]));
    }

    async fn text_found_late_goes_to_the_business_that_had_written_last_when_it_came(app) {
        let install = install_with_service(app).await;
        let (acme, best) = (sharing(app, "Acme Plumbing").await, sharing(app, "Best Roofing").await);
        let late = sharing(app, "Late Drains").await;
        install.twilio.owns(POOL, true);
        install.twilio.add_to_pool(SERVICE, POOL);
        assert_eq!(inbound_sync::run(&app.context).await.unwrap(), 0, "from now on the number is looked through");
        says(app, &acme, "From Acme").await;
        says(app, &best, "From Best").await;
        app.advance(Duration::minutes(5));
        let _ = install.hooks.unreported_text(&InboundText::new(ANN, POOL, "For Best"));
        app.advance(Duration::minutes(5));
        // One had written before, one had not.
        says(app, &acme, "From Acme again").await;
        says(app, &late, "From Late").await;
        app.advance(Duration::minutes(3));
        assert_eq!(inbound_sync::run(&app.context).await.unwrap(), 1);
        app.run_tasks().await;
        assert_eq!(inbound_texts(app, &best).await, ["For Best"]);
        assert_eq!((inbound_texts(app, &acme).await.len(), inbound_texts(app, &late).await.len()), (0, 0));
    }

    async fn text_delivered_again_after_other_business_wrote_is_stored_once(app) {
        let install = install_with_service(app).await;
        let (acme, best) = (sharing(app, "Acme Plumbing").await, sharing(app, "Best Roofing").await);
        says(app, &acme, "From Acme").await;
        for word in ["My gate code is 4711", "STOP"] {
            let text = InboundText::new(ANN, POOL, word);
            let first = install.hooks.inbound_text(&text).await;
            assert_eq!(first.answers[0].status, 200);
            says(app, &best, "From Best").await;
            assert_eq!(install.hooks.inbound_text(&text.again(&first.sid)).await.answers[0].status, 200);
            app.run_tasks().await;
        }
        assert_eq!(inbound_texts(app, &acme).await.first().map(String::as_str), Some("My gate code is 4711"));
        assert!(!inbound_texts(app, &best).await.contains(&"My gate code is 4711".to_owned()));
        assert_eq!(inbound_texts(app, &acme).await.len() + inbound_texts(app, &best).await.len(), 2, "each once");
    }

    async fn inbound_text_found_by_catch_up_goes_to_last_sender_of_shared_service(app) {
        let install = install_with_service(app).await;
        let (acme, best) = (sharing(app, "Acme Plumbing").await, sharing(app, "Best Roofing").await);
        install.twilio.owns(POOL, true);
        install.twilio.add_to_pool(SERVICE, POOL);
        assert_eq!(inbound_sync::run(&app.context).await.unwrap(), 0, "from now on the number is looked through");
        says(app, &best, "From Best").await;
        app.advance(Duration::minutes(10));
        let _ = install.hooks.unreported_text(&InboundText::new(ANN, POOL, "while you were away"));
        app.advance(Duration::minutes(3));
        assert_eq!(inbound_sync::run(&app.context).await.unwrap(), 1);
        app.run_tasks().await;
        assert_eq!((inbound_texts(app, &best).await, inbound_texts(app, &acme).await), (vec!["while you were away".to_owned()], vec![]));
        let _ = install.hooks.unreported_text(&InboundText::new(ANN, POOL, "STOP"));
        app.advance(Duration::minutes(3));
        assert_eq!(inbound_sync::run(&app.context).await.unwrap(), 1);
        for shop in [&acme, &best] {
            assert_eq!(opt_out(app, shop.id()).await.as_deref(), Some("stopped"), "STOP reaches every business on it");
        }
        app.run_tasks().await;
    }

    async fn text_via_foreign_service_reaches_no_business(app) {
        let install = install_with_service(app).await;
        let acme = sharing(app, "Acme Plumbing").await;
        let by = async |service: Option<&str>, words: &str| {
            let service = service.map(ToOwned::to_owned);
            let text = InboundText { service, ..InboundText::new(ANN, POOL, words) };
            install.hooks.inbound_text(&text).await.answers[0].status
        };
        assert_eq!(by(Some("MG00000000000000000000000000000bad"), "STOP").await, 404);
        let best = app.org("Best Roofing").await;
        let number = best.org.sms_number.clone().unwrap();
        let service = Some("MG00000000000000000000000000000bad".to_owned());
        let text = InboundText { service, ..InboundText::new(ANN, &number, "STOP") };
        assert_eq!(install.hooks.inbound_text(&text).await.answers[0].status, 404);
        assert_eq!((opt_out(app, best.id()).await, inbound_texts(app, &best).await.len()), (None, 0));
        assert_eq!((opt_out(app, acme.id()).await, inbound_texts(app, &acme).await.len()), (None, 0));
        assert_eq!(by(Some(SERVICE), "Hello").await, 200);
        app.advance(Duration::seconds(1));
        assert_eq!(by(None, "Hello again").await, 200);
        app.run_tasks().await;
        assert_eq!(inbound_texts(app, &acme).await, ["Hello", "Hello again"]);
    }

    async fn business_that_left_shared_service_still_gets_replies_to_its_texts(app) {
        let install = install_with_service(app).await;
        let (acme, best) = (sharing(app, "Acme Plumbing").await, sharing(app, "Best Roofing").await);
        says(app, &acme, "From Acme").await;
        says(app, &best, "From Best").await;
        app.within(async |tx| sending_number::unshare_service(tx, &app.origin, best.id(), SERVICE).await).await.unwrap();
        assert_eq!(install.writes(ANN, POOL, "Monday is fine").await, 200);
        assert_eq!((inbound_texts(app, &best).await.len(), inbound_texts(app, &acme).await.len()), (1, 0), "no other business gets the text");
        assert_eq!(install.writes(ANN, POOL, "STOP").await, 200);
        for shop in [&acme, &best] {
            assert_eq!(opt_out(app, shop.id()).await.as_deref(), Some("stopped"), "{}", shop.org.name);
        }
        let late = sharing(app, "Late Drains").await;
        assert_eq!(opt_out(app, late.id()).await.as_deref(), Some("stopped"), "the opt-out applies to a business that joins later");
        app.run_tasks().await;
    }

    async fn reply_to_released_number_of_service_goes_to_last_sender(app) {
        let install = install_with_service(app).await;
        let (acme, best) = (app.org("Acme Plumbing").await, sharing(app, "Best Roofing").await);
        app.gets_number(acme.id(), Some(POOL)).await;
        says(app, &again(app, acme.clone()).await, "From Acme").await;
        app.within(async |tx| sending_number::release_number(tx, &app.origin, POOL).await).await.unwrap();
        assert_eq!(install.writes(ANN, POOL, "For Acme").await, 200);
        says(app, &best, "From Best").await;
        writes_by_service(&install, ANN, POOL, "For Best").await;
        assert_eq!((inbound_texts(app, &acme).await, inbound_texts(app, &best).await), (vec!["For Acme".to_owned()], vec!["For Best".to_owned()]));
        writes_by_service(&install, ANN, POOL, "STOP").await;
        assert_eq!(opt_out(app, best.id()).await.as_deref(), Some("stopped"));
        app.run_tasks().await;
    }

    async fn text_and_call_to_number_given_up_reach_no_neighbor_on_service(app) {
        let install = install_with_service(app).await;
        let (acme, best) = (sharing(app, "Acme Plumbing").await, sharing(app, "Best Roofing").await);
        app.gets_number(best.id(), Some(FREE)).await;
        let best = again(app, best).await;
        says(app, &best, "From Best").await;
        let reader = "+15125550177";
        assert_eq!(install.writes(reader, FREE, "Are you there?").await, 200);
        app.run_tasks().await;
        let given_up = app.within(async |tx| sending_number::give_up_number(tx, &app.origin, best.id(), FREE).await).await;
        assert!(given_up.unwrap());
        // Acme wrote to her last, but by the service.
        says(app, &acme, "From Acme").await;
        assert_eq!(install.writes(ANN, FREE, "For Best").await, 200);
        assert_eq!(install.writes(reader, FREE, "Me again").await, 200);
        assert_eq!(install.writes(STRANGER, FREE, "My gate code is 4711").await, 404);
        for from in [reader, STRANGER] {
            calls_nobody(app, &install, from).await;
        }
        assert_eq!(called(app, &install, ANN).await, Some(best.id()), "Best wrote to her from it");
        app.run_tasks().await;
        let mut to_best = inbound_texts(app, &best).await;
        to_best.sort_unstable();
        assert_eq!(to_best, ["Are you there?", "For Best", "Me again"]);
        assert!(inbound_texts(app, &acme).await.is_empty(), "it is not Acme's number");
        // It joins the service: Twilio names the service then.
        writes_by_service(&install, STRANGER, FREE, "Hello?").await;
        app.run_tasks().await;
        assert_eq!(inbound_texts(app, &acme).await, ["Hello?"]);
    }

    async fn call_to_number_that_two_businesses_had_goes_to_the_one_that_wrote_last(app) {
        let install = install_with_service(app).await;
        let (acme, best) = (without_number(app, "Acme Plumbing").await, without_number(app, "Best Roofing").await);
        let late = sharing(app, "Late Drains").await;
        // Each has the number for a while and writes to her from it.
        for shop in [&acme, &best] {
            app.gets_number(shop.id(), Some(FREE)).await;
            let shop = again(app, shop.clone()).await;
            says(app, &shop, "On my way").await;
            let given_up = app.within(async |tx| sending_number::give_up_number(tx, &app.origin, shop.id(), FREE).await).await;
            assert!(given_up.unwrap());
            says(app, &late, "From the service").await;
            assert_eq!(called(app, &install, ANN).await, Some(shop.id()), "{}", shop.org.name);
            assert_eq!(called(app, &install, STRANGER).await, None, "no business wrote to them from it");
        }
        // It is somebody's again: the holder gets every call.
        app.gets_number(acme.id(), Some(FREE)).await;
        for from in [ANN, STRANGER] {
            assert_eq!(called(app, &install, from).await, Some(acme.id()), "{from}");
        }
        app.run_tasks().await;
    }

    async fn text_and_call_to_number_of_removed_business_reach_no_neighbor_on_service(app) {
        let install = install_with_service(app).await;
        let (acme, gone) = (sharing(app, "Acme Plumbing").await, without_number(app, "Gone Works").await);
        app.gets_number(gone.id(), Some(FREE)).await;
        says(app, &gone, "From Gone").await;
        removal::remove_org(&app.remover(), gone.id()).await.unwrap();
        says(app, &acme, "From Acme").await;
        for from in [ANN, STRANGER] {
            assert_eq!(install.writes(from, FREE, "My gate code is 4711").await, 404, "{from}");
            calls_nobody(app, &install, from).await;
        }
        app.run_tasks().await;
        assert!(inbound_texts(app, &acme).await.is_empty(), "it is not Acme's number");
    }
}
