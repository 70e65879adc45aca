//! Delivery reports in every order, doubled, early, late, or about an unknown text.

use chrono::Duration;
use shared::domain::messaging::message::MessageStatus;
use tests::{
    both_databases,
    fake_twilio::{Fault, Product, Report, Reporting, Status as Word},
};

use super::{NUMBER, asks, sid, text};

both_databases! {
    async fn reports_in_any_order_and_doubled_end_delivered(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        let server = app.client().server().await;
        let in_pairs = line.twilio.hooks(Product::at(&server.url).known_as("https://toolbox.example").in_copies(2));
        let all = [Word::Queued, Word::Sending, Word::Sent, Word::Delivered];
        let mut orders = Vec::new();
        for code in 0..256_usize {
            let order = [code % 4, code / 4 % 4, code / 16 % 4, code / 64];
            if (0..4).all(|i| order.contains(&i)) {
                orders.push(order);
            }
        }
        assert_eq!(orders.len(), 24);
        for (n, order) in (1..).zip(orders) {
            let lead = asks(app, &shop, n).await;
            let id = text(app, &shop, lead).await.id;
            let sid = sid(&line.twilio, id);
            for at in order {
                let report = Report::new(&sid, all[at]);
                for answer in in_pairs.report(&report).await {
                    assert_eq!(answer.status, 204, "{order:?}");
                }
            }
            let text = text(app, &shop, lead).await;
            assert_eq!((text.status, text.attempts), (MessageStatus::Delivered, 1), "{order:?}");
            assert!(text.sent_at.unwrap() <= text.delivered_at.unwrap());
        }
        assert_eq!(app.count("unmatched_delivery_report").await, 0);
        assert_eq!(line.twilio.requests().len(), 24);
    }

    async fn reports_before_the_send_response_are_joined_to_it(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        let server = app.client().server().await;
        let early = Reporting {
            product: Product::at(&server.url).known_as("https://toolbox.example"),
            // Two reports in the wrong order; they arrive before the answer.
            before_the_answer: vec![Word::Delivered, Word::Sent],
            after_the_answer: Vec::new(),
        };
        line.twilio.report_by_itself(Some(early));
        let joined = asks(app, &shop, 1).await;
        assert_eq!(text(app, &shop, joined).await.status, MessageStatus::Delivered);
        // The answer never comes: the report is enough, and there is no doubt.
        line.twilio.script(Fault::AcceptThenReset);
        let unanswered = asks(app, &shop, 2).await;
        assert_eq!(text(app, &shop, unanswered).await.status, MessageStatus::Delivered);
        assert_eq!((app.count("unmatched_delivery_report").await, line.twilio.requests().len()), (0, 2));
    }

    async fn report_by_twilio_sid_finds_its_text_and_unknown_sid_is_kept_a_week(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        let lead = asks(app, &shop, 1).await;
        let sid = sid(&line.twilio, text(app, &shop, lead).await.id);
        let to_all = |sid: &str| Report::new(sid, Word::Delivered).to_path("/webhooks/twilio/message-status");
        line.hooks().report(&to_all(&sid)).await;
        assert_eq!(text(app, &shop, lead).await.status, MessageStatus::Delivered);
        line.hooks().report(&to_all("SM99999999999999999999999999999999")).await;
        assert_eq!(app.count("unmatched_delivery_report").await, 1);
        app.live_through(Duration::days(6), Duration::days(1)).await;
        assert_eq!(app.count("unmatched_delivery_report").await, 1);
        app.live_through(Duration::days(2), Duration::days(1)).await;
        assert_eq!(app.count("unmatched_delivery_report").await, 0);
    }

    async fn undelivered_report_after_delivery_changes_nothing(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        let lead = asks(app, &shop, 1).await;
        let sid = sid(&line.twilio, text(app, &shop, lead).await.id);
        line.hooks().reports(&sid, &[Word::Delivered]).await;
        line.hooks().report(&Report::new(&sid, Word::Undelivered).because(30003)).await;
        app.live_through(Duration::hours(1), Duration::minutes(10)).await;
        assert_eq!((text(app, &shop, lead).await.status, line.twilio.requests().len()), (MessageStatus::Delivered, 1));
    }
}
