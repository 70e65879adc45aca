//! One person is one customer, in any format of the number and from any number of windows.

use std::collections::BTreeSet;

use chrono::Duration;
use shared::platform::db::q;
use tests::{both_databases, people::Visitor};

both_databases! {
    async fn customer_is_recognized_by_phone_or_by_email(app) {
        let shop = app.org("Acme Plumbing").await;
        let first = Visitor::ann().submits_lead(app, &shop).await;
        app.office_confirms(&shop).await;
        for (who, again) in [
            ("another way to write the number", Visitor::ann().phone("512.555.0142").email(None)),
            ("the country code", Visitor::ann().phone("+1 512 555 0142").email(Some("new@customer.example"))),
            ("another number, the same address", Visitor::ann().phone("5125550777").email(Some("ANN@Customer.example"))),
        ] {
            app.advance(Duration::minutes(1));
            assert_eq!(again.submits_lead(app, &shop).await, first, "{who}");
        }
        let stranger = Visitor::ann().phone("5125550100").email(Some("bea@customer.example"));
        assert_ne!(stranger.submits_lead(app, &shop).await, first);
        assert_eq!((app.count("customer").await, app.count("lead").await), (2, 2));
        app.run_tasks().await;
    }

    async fn phone_decides_when_phone_and_email_match_two_customers(app) {
        let shop = app.org("Acme Plumbing").await;
        let ann = Visitor::ann().submits_lead(app, &shop).await;
        let bea = Visitor::number(1).email(Some("bea@customer.example")).submits_lead(app, &shop).await;
        assert_ne!(ann, bea);
        app.office_confirms(&shop).await;
        let mixed = Visitor::ann().email(Some("bea@customer.example")).submits_lead(app, &shop).await;
        assert_eq!(mixed, ann);
        app.run_tasks().await;
    }

    async fn same_person_at_two_businesses_is_two_customers(app) {
        let (acme, best) = (app.org("Acme Plumbing").await, app.org("Best Roofing").await);
        assert_ne!(Visitor::ann().submits_lead(app, &acme).await, Visitor::ann().submits_lead(app, &best).await);
        app.run_tasks().await;
        assert_eq!((app.count("customer").await, app.sms.accepted_messages().len()), (2, 2));
    }

    async fn request_after_finished_work_opens_new_lead_for_known_customer(app) {
        let shop = app.org("Acme Plumbing").await;
        let first = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let done = "UPDATE lead SET stage = 'done' WHERE org_id = $1 AND id = $2";
        app.within(async |tx| Ok(q!(tx, execute, done, shop.id(), first)?)).await.unwrap();
        app.advance(Duration::days(30));
        assert_ne!(Visitor::ann().submits_lead(app, &shop).await, first);
        app.run_tasks().await;
        assert_eq!((app.count("customer").await, app.count("lead").await, app.sms.accepted_messages().len()), (1, 2, 2));
    }

    async fn request_naming_only_unconfirmed_phone_creates_separate_customer(app) {
        let shop = app.org("Acme Plumbing").await;
        let both = Visitor::ann().submits_lead(app, &shop).await;
        app.advance(Duration::minutes(1));
        let half = Visitor::ann().email(None).submits_lead(app, &shop).await;
        assert_ne!(half, both, "anybody may have typed the email beside her number");
        app.advance(Duration::minutes(1));
        assert_eq!(Visitor::ann().email(None).submits_lead(app, &shop).await, half, "the number is theirs now");
        app.run_tasks().await;
        assert_eq!((app.count("customer").await, app.count("lead").await), (2, 2));
    }

    async fn concurrent_forms_with_and_without_email_create_at_most_two_customers(app) {
        let shop = app.org("Acme Plumbing").await;
        let app = &*app;
        // A request with the phone alone that comes first absorbs the others; otherwise it is a record of its own.
        let sent = (0..20).map(|n| {
            let ann = if n % 2 == 0 { Visitor::ann() } else { Visitor::ann().email(None) };
            let (shop, mut ann) = (&shop, ann);
            ann.sender.is_exempt = true;
            async move { ann.submits_lead(app, shop).await }
        });
        let leads: BTreeSet<_> = futures::future::join_all(sent).await.into_iter().collect();
        app.run_tasks().await;
        assert!(leads.len() <= 2, "{leads:?}");
        let customers = usize::try_from(app.count("customer").await).unwrap();
        assert_eq!((customers, app.count("lead_inquiry").await), (leads.len(), 20));
    }

    async fn concurrent_identical_forms_create_one_customer_one_lead_and_one_text(app) {
        let shop = app.org("Acme Plumbing").await;
        let app = &*app;
        let sent = (0..20).map(|_| {
            let (shop, mut ann) = (&shop, Visitor::ann());
            ann.sender.is_exempt = true;
            async move { ann.submits_lead(app, shop).await }
        });
        let leads: BTreeSet<_> = futures::future::join_all(sent).await.into_iter().collect();
        app.run_tasks().await;
        assert_eq!((leads.len(), app.count("customer").await, app.count("lead").await), (1, 1, 1));
        assert_eq!((app.count("lead_inquiry").await, app.sms.accepted_messages().len()), (20, 1));
        let replies = app.mail.accepted_messages().iter().filter(|l| l.to == "ann@customer.example").count();
        assert!(replies <= 1, "{replies} answers by email");
    }
}
