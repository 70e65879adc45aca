//! Sending hours: two hours later, but only by day on the customer's clock, also when daylight saving changes.

use chrono::Duration;
use serde_json::json;
use tests::{both_databases, people::Visitor};

use super::{agreeing, firm, later, mails, number, path, until};

both_databases! {
    async fn request_for_evening_job_waits_until_nine(app) {
        let firm = firm(app).await;
        // 6:30 PM in Austin; two hours later is too late for a review request.
        until(app, "2026-09-17T23:30:00Z").await;
        firm.served(app, 1).await;
        until(app, "2026-09-18T13:59:00Z").await;
        assert_eq!(firm.texts(&number(1)), [""; 0]);
        until(app, "2026-09-18T14:00:00Z").await;
        assert_eq!(firm.texts(&number(1)).len(), 1);
        // At 4:59 PM it is not too late.
        until(app, "2026-09-18T21:59:00Z").await;
        firm.served(app, 2).await;
        until(app, "2026-09-18T23:58:00Z").await;
        assert_eq!(firm.texts(&number(2)), [""; 0]);
        until(app, "2026-09-18T23:59:00Z").await;
        assert_eq!(firm.texts(&number(2)).len(), 1);
    }

    async fn request_hour_stays_nine_local_when_clocks_go_back(app) {
        let firm = firm(app).await;
        // By email, to a customer in California who is known only by an address there.
        until(app, "2026-11-01T02:00:00Z").await;
        let mut there = Visitor::ann().phone("+44 20 7946 0018");
        there.form.zip = Some("90012".into());
        let lead = there.submits_lead(app, &firm.shop).await;
        firm.does(app, lead).await;
        // Daylight saving ended at 09:00 UTC; from then on 9:00 AM there is 17:00 UTC.
        until(app, "2026-11-01T16:59:00Z").await;
        assert_eq!(mails(app), []);
        until(app, "2026-11-01T17:00:00Z").await;
        assert_eq!(mails(app).len(), 1);
    }

    async fn request_hour_stays_nine_local_when_clocks_go_forward(app) {
        let firm = firm(app).await;
        until(app, "2027-03-13T23:00:00Z").await;
        let mut there = Visitor::ann().phone("+44 20 7946 0018");
        there.form.zip = Some("10001".into());
        let lead = there.submits_lead(app, &firm.shop).await;
        firm.does(app, lead).await;
        until(app, "2027-03-14T12:59:00Z").await;
        assert_eq!(mails(app), []);
        until(app, "2027-03-14T13:00:00Z").await;
        assert_eq!(mails(app).len(), 1, "nine in New York is thirteen from this night on");
    }

    async fn request_for_late_reported_job_leaves_after_the_undo_window(app) {
        let firm = firm(app).await;
        let lead = agreeing(1).submits_confirmed_lead(app, &firm.shop).await;
        let office = firm.office(app).await;
        let job = office.post("/api/jobs", &json!({"leadId": lead, "startsAt": app.now() - Duration::hours(4)})).await.json();
        let happened = json!({"to": "completed", "happenedAt": app.now() - Duration::hours(3)});
        assert_eq!(office.post(&path(&job, "/status"), &happened).await.status, 200);
        later(app, Duration::seconds(60)).await;
        assert_eq!(firm.texts(&number(1)), [""; 0], "no request is sent while the completion can be undone");
        later(app, Duration::seconds(1)).await;
        assert_eq!(firm.texts(&number(1)).len(), 1);
    }

    async fn business_sets_the_request_hours_and_delay(app) {
        let firm = firm(app).await;
        for (field, value) in [
            ("reviews.delayMinutes", json!({"delayMinutes": 4321})),
            ("reviews.from", json!({"from": "07:59"})),
            ("reviews.until", json!({"until": "20:01"})),
            ("reviews.until", json!({"from": "12:00", "until": "13:59"})),
            ("reviews.dailyCap", json!({"dailyCap": 0})),
        ] {
            let refused = firm.patches(app, "/api/org/acme-plumbing/settings", &json!({"reviews": value})).await;
            assert_eq!(refused.problem().2, [field], "{value}");
        }
        let set = json!({"reviews": {"delayMinutes": 0, "from": "11:30", "until": "17:00", "followUps": false}});
        let answer = firm.patches(app, "/api/org/acme-plumbing/settings", &set).await;
        assert_eq!(answer.json()["reviews"]["from"], "11:30", "{}", answer.json());
        firm.served(app, 1).await;
        until(app, "2026-09-17T16:29:00Z").await;
        assert_eq!(firm.texts(&number(1)), [""; 0]);
        until(app, "2026-09-17T16:30:00Z").await;
        assert_eq!(firm.texts(&number(1)).len(), 1);
        later(app, Duration::days(20)).await;
        assert_eq!((firm.texts(&number(1)).len(), mails(app).len()), (1, 0), "no follow-ups");
        let link = |link: &str| json!({ "reviewLink": link });
        for yelp in ["https://www.yelp.com/biz/acme", "http://m.yelp.ca/x"] {
            let refused = firm.patches(app, "/api/org/acme-plumbing", &link(yelp)).await;
            assert_eq!(refused.problem().2, ["reviewLink"], "{yelp}");
        }
        assert_eq!(firm.patches(app, "/api/org/acme-plumbing", &link("https://example.com/yelp")).await.status, 200);
    }
}
