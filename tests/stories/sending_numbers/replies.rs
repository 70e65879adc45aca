//! Which business gets a reply to a number that several have used.

use chrono::Duration;
use shared::domain::messaging::sending_number;
use tests::{
    both_databases,
    fake_twilio::{Fault, InboundText},
    phone::ANN,
};
use worker::tasks::messaging::inbound_sync;

use super::{POOL, SERVICE, again, inbound_texts, install_with_service, opt_out, says, sharing};

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

    async fn inbound_text_found_by_catch_up_goes_to_last_sender_of_shared_service(app) {
        let install = install_with_service(app).await;
        let (acme, best) = (sharing(app, "Acme Plumbing").await, sharing(app, "Best Roofing").await);
        install.twilio.owns(POOL, true);
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
        assert_eq!(install.writes(ANN, POOL, "For Best").await, 200);
        assert_eq!((inbound_texts(app, &acme).await, inbound_texts(app, &best).await), (vec!["For Acme".to_owned()], vec!["For Best".to_owned()]));
        assert_eq!(install.writes(ANN, POOL, "STOP").await, 200);
        assert_eq!(opt_out(app, best.id()).await.as_deref(), Some("stopped"));
        app.run_tasks().await;
    }
}
