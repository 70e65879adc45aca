//! Texts that are found later in Twilio's list, on an account whose numbers are not all the service's.

use chrono::Duration;
use shared::platform::error::Error;
use tests::{app::TestApp, both_databases, fake_twilio::InboundText, phone::ANN};
use worker::tasks::messaging::inbound_sync;

use super::{FREE, Install, POOL, SERVICE, inbound_texts, install_with_service, opt_out, says, sharing};

/// Looks through Twilio's lists a while after what came.
async fn looks(app: &TestApp) -> usize {
    app.advance(Duration::minutes(3));
    let found = inbound_sync::run(&app.context).await.expect("Twilio's lists");
    app.run_tasks().await;
    found
}

/// A text to the number, after the last look.
fn misses(app: &TestApp, install: &Install, number: &str, words: &str) {
    app.advance(Duration::minutes(3));
    let _ = install.hooks.unreported_text(&InboundText::new(ANN, number, words));
}

both_databases! {
    async fn text_to_a_number_of_another_program_reaches_no_business(app) {
        let install = install_with_service(app).await;
        let acme = sharing(app, "Acme Plumbing").await;
        install.twilio.owns(POOL, true);
        install.twilio.add_to_pool(SERVICE, POOL);
        install.twilio.owns_with_webhook(FREE, true, "https://other.example/sms");
        assert_eq!(looks(app).await, 0, "from now on the numbers are looked through");
        says(app, &acme, "From Acme").await;
        let sent = install.to_ann().len();
        misses(app, &install, FREE, "My gate code is 4711");
        misses(app, &install, FREE, "STOP");
        assert_eq!(looks(app).await, 0);
        assert_eq!((inbound_texts(app, &acme).await.len(), opt_out(app, acme.id()).await), (0, None));
        assert_eq!(install.to_ann().len(), sent, "and she gets no answer");
        misses(app, &install, POOL, "For Acme");
        assert_eq!(looks(app).await, 1);
        assert_eq!(inbound_texts(app, &acme).await, ["For Acme"]);
    }

    async fn text_from_before_a_number_joined_the_pool_reaches_no_business(app) {
        let install = install_with_service(app).await;
        let acme = sharing(app, "Acme Plumbing").await;
        install.twilio.owns(POOL, true);
        install.twilio.add_to_pool(SERVICE, POOL);
        assert_eq!(looks(app).await, 0, "from now on the number is looked through");
        install.twilio.remove_from_pools(POOL);
        assert_eq!(looks(app).await, 0, "it is another program's");
        misses(app, &install, POOL, "For the other program");
        install.twilio.add_to_pool(SERVICE, POOL);
        assert_eq!(looks(app).await, 0);
        misses(app, &install, POOL, "For Acme");
        assert_eq!(looks(app).await, 1);
        assert_eq!(inbound_texts(app, &acme).await, ["For Acme"]);
    }

    async fn unreadable_pool_delays_only_numbers_that_no_business_had(app) {
        let install = install_with_service(app).await;
        let acme = sharing(app, "Acme Plumbing").await;
        let best = app.org("Best Roofing").await;
        let own = best.org.sms_number.clone().unwrap();
        install.twilio.owns(POOL, true);
        install.twilio.add_to_pool(SERVICE, POOL);
        install.twilio.owns(&own, true);
        assert_eq!(looks(app).await, 0, "from now on the numbers are looked through");
        misses(app, &install, POOL, "For the service");
        misses(app, &install, &own, "For Best");
        install.twilio.break_pools(true);
        app.advance(Duration::minutes(3));
        assert!(matches!(inbound_sync::run(&app.context).await, Err(Error::Unavailable(_))));
        app.run_tasks().await;
        assert_eq!((inbound_texts(app, &best).await, inbound_texts(app, &acme).await), (vec!["For Best".to_owned()], vec![]));
        install.twilio.break_pools(false);
        assert_eq!(looks(app).await, 1);
        assert_eq!(inbound_texts(app, &acme).await, ["For the service"]);
    }
}
