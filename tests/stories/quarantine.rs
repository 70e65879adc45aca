//! A request that looks like a robot's or part of a flood is held for review: never lost, never answered.

use chrono::Duration;
use futures::future::join_all;
use shared::{domain::messaging::lead_response, platform::error::Error};
use tests::{
    app::TestApp,
    both_databases,
    people::{Shop, Visitor},
    phone::ANN,
};

const TOO_FAST: &str = "it was sent within 3 seconds of opening the form";

async fn held_reason(app: &TestApp, shop: &Shop, id: shared::platform::id::LeadId) -> Option<String> {
    app.lead(shop.id(), id).await.summary.held_reason
}

fn from_ipv6(n: u32, address: &str) -> Visitor {
    let mut visitor = Visitor::number(n);
    visitor.sender.is_exempt = false;
    visitor.sender.ip = Some(address.parse().unwrap());
    visitor
}

/// How many decisions about a lead name this number of requests.
async fn flooded(app: &TestApp, shop: &Shop, id: shared::platform::id::LeadId) -> usize {
    let decisions = app.lead(shop.id(), id).await.decisions;
    decisions.iter().filter(|decision| decision.reason.contains("more than 100 requests")).count()
}

both_databases! {
    async fn honeypot_submission_is_held_without_any_message(app) {
        let shop = app.org("Acme Plumbing").await;
        let mut robot = Visitor::ann();
        robot.form.company = Some("Best SEO Ltd".into());
        robot.sender.is_exempt = true;
        let id = robot.submits_lead(app, &shop).await;
        assert_eq!(app.run_tasks().await, 0);
        let lead = app.lead(shop.id(), id).await;
        assert!(lead.summary.held_reason.as_deref().is_some_and(|why| why.contains("robots")));
        assert_eq!((lead.messages.len(), lead.decisions.len()), (0, 3));
        for decision in &lead.decisions {
            assert!(!decision.sent && decision.reason.starts_with("held for a person"), "{}", decision.reason);
        }
    }

    async fn form_submitted_within_three_seconds_is_held(app) {
        let shop = app.org("Acme Plumbing").await;
        let token = app.settings.secret.issue_form_token(&shop.org.slug, app.now(), true);
        let fast = |n: u32, token: &str| {
            let mut visitor = Visitor::number(n).from([198, 51, 100, 7]);
            visitor.sender.is_exempt = false;
            visitor.form.form_token = Some(token.to_owned());
            visitor
        };
        app.advance(Duration::milliseconds(2_999));
        let held = fast(1, &token).submits_lead(app, &shop).await;
        assert_eq!(held_reason(app, &shop, held).await.as_deref(), Some(TOO_FAST));
        app.advance(Duration::milliseconds(1));
        let free = fast(2, &token).submits_lead(app, &shop).await;
        assert_eq!(held_reason(app, &shop, free).await, None);
        app.run_tasks().await;
        assert_eq!(app.sms.accepted_messages().len(), 1);
    }

    async fn hosted_form_without_valid_token_is_held_and_external_form_is_not(app) {
        let shop = app.org("Acme Plumbing").await;
        let other = app.org("Best Roofing").await;
        let secret = &app.settings.secret;
        let (good, foreign) = (secret.issue_form_token(&shop.org.slug, app.now(), true), secret.issue_form_token(&other.org.slug, app.now(), true));
        app.advance(Duration::seconds(30));
        let (ours, theirs) = ("https://toolbox.example/lead?org=acme-plumbing", "https://acme.example/contact");
        let table = [
            (Some(ours), None, true),
            (Some(ours), Some("1.AAAA"), true),
            (Some(ours), Some(foreign.as_str()), true),
            (Some(ours), Some(good.as_str()), false),
            (Some(theirs), None, false),
            (Some("https://toolbox.example.evil.example/lead"), None, false),
            (None, None, false),
            (Some(theirs), Some("1.AAAA"), true),
            (None, Some(""), true),
        ];
        for (n, (page, token, is_held)) in (1_u8..).zip(table) {
            let mut visitor = Visitor::number(u32::from(n)).from([198, 51, 100, n]);
            visitor.sender.is_exempt = false;
            visitor.form.page_url = page.map(ToOwned::to_owned);
            visitor.form.form_token = token.map(ToOwned::to_owned);
            let id = visitor.submits_lead(app, &shop).await;
            let why = held_reason(app, &shop, id).await;
            assert_eq!(why.is_some(), is_held, "{page:?} {token:?}: {why:?}");
        }
        app.run_tasks().await;
        assert_eq!(app.sms.accepted_messages().len(), 4, "the held ones lie there, and are not answered");
    }

    async fn form_left_open_for_days_is_not_held(app) {
        let shop = app.org("Acme Plumbing").await;
        let mut visitor = Visitor::ann();
        visitor.form.page_url = Some("https://toolbox.example/lead?org=acme-plumbing".into());
        visitor.form.form_token = Some(app.settings.secret.issue_form_token(&shop.org.slug, app.now(), true));
        app.advance(Duration::days(9));
        let id = visitor.submits_lead(app, &shop).await;
        assert_eq!(held_reason(app, &shop, id).await, None);
        app.run_tasks().await;
    }

    async fn parallel_requests_from_one_network_are_held_beyond_ten(app) {
        let app: &TestApp = app;
        let shop = app.org("Acme Plumbing").await;
        let visitors: Vec<Visitor> = (1..=40)
            .map(|n| {
                let mut one = Visitor::number(n);
                one.sender.is_exempt = false;
                one
            })
            .collect();
        let ids = join_all(visitors.iter().map(|one| one.submits_lead(app, &shop))).await;
        let mut held = 0;
        for id in ids {
            held += usize::from(held_reason(app, &shop, id).await.is_some());
        }
        assert_eq!(held, 30);
        app.run_tasks().await;
        assert!(app.sms.accepted_messages().len() <= 10, "and nobody else is");
    }

    async fn eleventh_request_in_an_hour_from_one_network_is_held(app) {
        let shop = app.org("Acme Plumbing").await;
        let one = |n: u32| {
            let mut visitor = Visitor::number(n);
            visitor.sender.is_exempt = false;
            visitor
        };
        for n in 1..=10 {
            let id = one(n).submits_lead(app, &shop).await;
            assert_eq!(held_reason(app, &shop, id).await, None, "request {n}");
        }
        let eleventh = one(11).submits_lead(app, &shop).await;
        let why = held_reason(app, &shop, eleventh).await;
        assert_eq!(why.as_deref(), Some("more than 10 requests came from one network within an hour"));
        let elsewhere = one(12).from([198, 51, 100, 7]).submits_lead(app, &shop).await;
        assert_eq!(held_reason(app, &shop, elsewhere).await, None);
        app.advance(Duration::minutes(61));
        let later = one(13).submits_lead(app, &shop).await;
        assert_eq!(held_reason(app, &shop, later).await, None);
        app.run_tasks().await;
        let answered = app.sms.accepted_messages().iter().filter(|t| t.to == "+17375000011").count();
        assert_eq!(answered, 0, "the held one was not answered");
    }

    async fn ipv6_requests_within_one_slash_56_are_held_from_the_eleventh(app) {
        let shop = app.org("Acme Plumbing").await;
        for n in 0..12 {
            let id = from_ipv6(n, &format!("2001:db8:9:33{n:02x}::5")).submits_lead(app, &shop).await;
            let why = held_reason(app, &shop, id).await;
            let expected = (n >= 10).then_some("more than 10 requests came from one network within an hour");
            assert_eq!(why.as_deref(), expected, "request {n}");
        }
        let elsewhere = from_ipv6(20, "2001:db8:9:3400::5").submits_lead(app, &shop).await;
        assert_eq!(held_reason(app, &shop, elsewhere).await, None, "another customer of the same provider");
        app.run_tasks().await;
    }

    async fn ipv6_requests_within_one_slash_48_are_held_from_the_forty_first(app) {
        let shop = app.org("Acme Plumbing").await;
        for n in 0..45 {
            let id = from_ipv6(n, &format!("2001:db8:9:{:x}00::5", 16 + n / 9)).submits_lead(app, &shop).await;
            let why = held_reason(app, &shop, id).await;
            let expected = (n >= 40).then_some("more than 40 requests came from neighboring networks within an hour");
            assert_eq!(why.as_deref(), expected, "request {n}");
        }
        let elsewhere = from_ipv6(50, "2001:db8:a:1000::5").submits_lead(app, &shop).await;
        assert_eq!(held_reason(app, &shop, elsewhere).await, None);
        let other = app.org("Best Roofing").await;
        let neighbour = from_ipv6(52, "2001:db8:9:2000::5").submits_lead(app, &other).await;
        assert_eq!(held_reason(app, &other, neighbour).await, None, "a neighbor's request to another business");
        app.advance(Duration::minutes(61));
        let later = from_ipv6(51, "2001:db8:9:1000::5").submits_lead(app, &shop).await;
        assert_eq!(held_reason(app, &shop, later).await, None);
        app.run_tasks().await;
    }

    async fn ipv6_requests_within_one_slash_32_are_held_from_the_sixty_first(app) {
        let (shop, other) = (app.org("Acme Plumbing").await, app.org("Best Roofing").await);
        for n in 0..70 {
            let id = from_ipv6(n, &format!("2001:db8:{:x}:1000::5", n + 1)).submits_lead(app, &shop).await;
            let why = held_reason(app, &shop, id).await;
            let expected = (n >= 60).then_some("more than 60 requests came from one provider within an hour");
            assert_eq!(why.as_deref(), expected, "request {n}");
        }
        let elsewhere = from_ipv6(80, "2001:db9:1:1000::5").submits_lead(app, &shop).await;
        assert_eq!(held_reason(app, &shop, elsewhere).await, None, "another provider");
        let neighbour = from_ipv6(81, "2001:db8:63:1000::5").submits_lead(app, &other).await;
        assert_eq!(held_reason(app, &other, neighbour).await, None, "another business");
        app.run_tasks().await;
    }

    async fn ipv6_flood_from_one_slash_48_does_not_hold_other_requests(app) {
        let shop = app.org("Acme Plumbing").await;
        for n in 0..150 {
            from_ipv6(n, &format!("2001:db8:9:{:x}00::5", 16 + n / 9)).submits_lead(app, &shop).await;
        }
        let honest = Visitor::ann().from([203, 0, 113, 99]).submits_lead(app, &shop).await;
        assert_eq!(held_reason(app, &shop, honest).await, None);
        app.run_tasks().await;
    }

    async fn proven_customer_request_is_not_held_during_a_flood(app) {
        let shop = app.org("Acme Plumbing").await;
        let hers = Visitor::ann().submits_lead(app, &shop).await;
        app.office_confirms(&shop).await;
        app.run_tasks().await;
        app.advance(Duration::hours(25));
        for n in 0..100_u32 {
            Visitor::number(n).submits_lead(app, &shop).await;
        }
        let stranger = from_ipv6(200, "2001:db8:9::5").submits_lead(app, &shop).await;
        assert!(flooded(app, &shop, stranger).await > 0);
        let impostor = Visitor::ann().email(Some("other@customer.example")).from([198, 51, 100, 9]);
        assert_eq!(impostor.submits_lead(app, &shop).await, hers);
        let before = flooded(app, &shop, hers).await;
        assert!(before > 0, "an address beside hers that is not hers waits");
        assert_eq!(Visitor::ann().from([198, 51, 100, 7]).submits_lead(app, &shop).await, hers);
        assert_eq!(flooded(app, &shop, hers).await, before, "she is answered as ever");
        app.run_tasks().await;
    }

    async fn requests_to_one_business_are_held_beyond_one_hundred_an_hour(app) {
        let shop = app.org("Acme Plumbing").await;
        for n in 0..100_u8 {
            Visitor::number(u32::from(n)).submits_lead(app, &shop).await;
        }
        let mut last = Visitor::number(101).from([198, 51, 100, 250]);
        last.sender.is_exempt = false;
        let id = last.submits_lead(app, &shop).await;
        let why = held_reason(app, &shop, id).await;
        assert_eq!(why.as_deref(), Some("more than 100 requests came in within an hour"));
        let other = app.org("Best Roofing").await;
        let id = last.submits_lead(app, &other).await;
        assert_eq!(held_reason(app, &other, id).await, None, "another business is not flooded");
        app.run_tasks().await;
    }

    async fn texts_and_calls_do_not_use_up_the_hourly_limit(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        for n in 0..100 {
            line.writes(&format!("+1512555{n:04}"), "The boiler drips again, can you come?").await;
        }
        line.rings(ANN, []).await;
        app.run_tasks().await;
        assert!(app.count("lead").await >= 100, "each is a request");
        let id = from_ipv6(1, "2001:db8:9:1000::5").submits_lead(app, &shop).await;
        assert_eq!(held_reason(app, &shop, id).await, None, "nobody floods the form");
        app.run_tasks().await;
    }

    async fn flood_from_one_network_leaves_other_requests_answered(app) {
        let shop = app.org("Acme Plumbing").await;
        // Thirty people, five requests each: new leads and touches of open ones.
        for n in 0..150 {
            let mut one = Visitor::number(n % 30);
            one.sender.is_exempt = false;
            one.submits_lead(app, &shop).await;
        }
        let honest = Visitor::ann().from([198, 51, 100, 7]).submits_lead(app, &shop).await;
        assert_eq!(held_reason(app, &shop, honest).await, None);
        app.live_through(Duration::minutes(1), Duration::seconds(5)).await;
        let at_once = ["auto_reply email: sent", "auto_reply sms: sent", "owner_notice email: sent"];
        assert_eq!(app.outbox(shop.id(), honest).await, at_once);
        let hostile = app.sms.accepted_messages().iter().filter(|text| text.to.starts_with("+1737")).count();
        assert_eq!(hostile, 10, "of the network itself ten are answered, as ever");
    }

    async fn honeypot_submissions_do_not_use_up_the_hourly_limit(app) {
        let shop = app.org("Acme Plumbing").await;
        for n in 0..101 {
            let mut robot = Visitor::number(n);
            robot.form.company = Some("Best SEO Ltd".into());
            robot.submits_lead(app, &shop).await;
        }
        let id = Visitor::ann().submits_lead(app, &shop).await;
        assert_eq!(held_reason(app, &shop, id).await, None);
        app.run_tasks().await;
    }

    async fn released_lead_is_answered_after_a_minute_and_only_once(app) {
        let shop = app.org("Acme Plumbing").await;
        let mut ann = Visitor::ann();
        ann.form.company = Some("filled in by a password manager".into());
        let id = ann.submits_lead(app, &shop).await;
        app.run_tasks().await;
        assert!(app.sms.recorded_sends().is_empty());
        app.advance(Duration::minutes(20));
        app.releases(&shop, id).await.unwrap();
        app.run_tasks().await;
        assert!(app.sms.recorded_sends().is_empty(), "a minute to think again");
        app.advance(Duration::seconds(60));
        app.run_tasks().await;
        let sent = ["auto_reply email: sent", "auto_reply sms: sent", "owner_notice email: sent"];
        assert_eq!(app.outbox(shop.id(), id).await, sent);
        assert_eq!(held_reason(app, &shop, id).await, None);
        let lead = app.lead(shop.id(), id).await;
        assert_eq!(lead.decisions.iter().filter(|d| d.event == "lead_released" && d.sent).count(), 3);
        assert!(matches!(app.releases(&shop, id).await, Err(Error::Conflict(_))));
        app.run_tasks().await;
        assert_eq!(app.outbox(shop.id(), id).await, sent);
    }

    async fn hold_within_a_minute_of_release_cancels_the_answer(app) {
        let shop = app.org("Acme Plumbing").await;
        let mut ann = Visitor::ann();
        ann.form.company = Some("x".into());
        let id = ann.submits_lead(app, &shop).await;
        app.releases(&shop, id).await.unwrap();
        app.advance(Duration::seconds(40));
        app.run_tasks().await;
        let hold = async |app: &TestApp| {
            app.within(async |tx| lead_response::quarantine_again(tx, &app.origin, shop.id(), id, "Olive Owner").await).await
        };
        hold(app).await.unwrap();
        assert!(matches!(hold(app).await, Err(Error::Conflict(_))), "it is held already");
        app.live_through(Duration::hours(3), Duration::minutes(10)).await;
        assert!(app.sms.recorded_sends().is_empty());
        let stopped = app.outbox(shop.id(), id).await;
        assert!(stopped.contains(&"auto_reply sms: not sent: cancelled by Olive Owner".to_owned()), "{stopped:?}");
        assert!(held_reason(app, &shop, id).await.is_some());
        app.releases(&shop, id).await.unwrap();
        app.advance(Duration::seconds(60));
        app.run_tasks().await;
        assert_eq!(app.sms.accepted_messages().len(), 1, "a released request is answered");
        assert!(matches!(hold(app).await, Err(Error::Conflict(_))), "a released request cannot be held again");
    }

    async fn lead_of_another_tenant_cannot_be_released(app) {
        let (shop, other) = (app.org("Acme Plumbing").await, app.org("Best Roofing").await);
        let mut ann = Visitor::ann();
        ann.form.company = Some("x".into());
        let id = ann.submits_lead(app, &shop).await;
        assert!(matches!(app.releases(&other, id).await, Err(Error::NotFound)));
        assert!(held_reason(app, &shop, id).await.is_some());
    }

    async fn wrongly_held_lead_is_answered_after_a_proper_request(app) {
        let shop = app.org("Acme Plumbing").await;
        let mut hasty = Visitor::ann();
        hasty.form.form_token = Some(app.settings.secret.issue_form_token(&shop.org.slug, app.now(), true));
        let id = hasty.submits_lead(app, &shop).await;
        assert_eq!(held_reason(app, &shop, id).await.as_deref(), Some(TOO_FAST));
        app.advance(Duration::minutes(1));
        assert_eq!(Visitor::ann().submits_lead(app, &shop).await, id);
        app.run_tasks().await;
        assert_eq!(held_reason(app, &shop, id).await, None);
        assert_eq!(app.sms.accepted_messages().len(), 1);
    }
}
