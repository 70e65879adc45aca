//! The hours: two hours later, but only by day, on the clock of who is asked, also on the nights when clocks change.

use chrono::Duration;
use serde_json::json;
use tests::{both_databases, people::Visitor};

use super::{agreeing, firm, later, mails, number, path, until};

both_databases! {
    async fn what_is_done_in_the_evening_is_asked_about_at_nine(app) {
        let firm = firm(app).await;
        // Half past six in Austin; two hours later is too late for such a question.
        until(app, "2026-09-17T23:30:00Z").await;
        firm.served(app, 1).await;
        until(app, "2026-09-18T13:59:00Z").await;
        assert_eq!(firm.texts(&number(1)), [""; 0]);
        until(app, "2026-09-18T14:00:00Z").await;
        assert_eq!(firm.texts(&number(1)).len(), 1);
        // At a minute to five it is not too late.
        until(app, "2026-09-18T21:59:00Z").await;
        firm.served(app, 2).await;
        until(app, "2026-09-18T23:58:00Z").await;
        assert_eq!(firm.texts(&number(2)), [""; 0]);
        until(app, "2026-09-18T23:59:00Z").await;
        assert_eq!(firm.texts(&number(2)).len(), 1);
    }

    async fn on_the_night_the_clocks_go_back_nine_is_still_nine(app) {
        let firm = firm(app).await;
        // By email, to somebody in California who is known by nothing but an address there.
        until(app, "2026-11-01T02:00:00Z").await;
        let mut there = Visitor::ann().phone("+44 20 7946 0018");
        there.form.zip = Some("90012".into());
        let lead = there.submits_lead(app, &firm.shop).await;
        firm.does(app, lead).await;
        // The clocks went back at nine in the morning, as Greenwich has it; nine there is seventeen from then on.
        until(app, "2026-11-01T16:59:00Z").await;
        assert_eq!(mails(app), []);
        until(app, "2026-11-01T17:00:00Z").await;
        assert_eq!(mails(app).len(), 1);
    }

    async fn on_the_night_the_clocks_go_forward_nine_is_still_nine(app) {
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

    async fn a_crew_that_was_without_a_network_asks_two_hours_after_the_work_and_never_in_the_minute_of_grace(app) {
        let firm = firm(app).await;
        let lead = agreeing(1).submits_lead(app, &firm.shop).await;
        let office = firm.office(app).await;
        let job = office.post("/api/jobs", &json!({"leadId": lead, "startsAt": app.now() - Duration::hours(4)})).await.json();
        let happened = json!({"to": "completed", "happenedAt": app.now() - Duration::hours(3)});
        assert_eq!(office.post(&path(&job, "/status"), &happened).await.status, 200);
        later(app, Duration::seconds(60)).await;
        assert_eq!(firm.texts(&number(1)), [""; 0], "it could still be taken back");
        later(app, Duration::seconds(1)).await;
        assert_eq!(firm.texts(&number(1)).len(), 1);
    }

    async fn the_business_sets_the_hours_and_the_delay(app) {
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
