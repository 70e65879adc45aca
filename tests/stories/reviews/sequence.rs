//! The sequence without interruption, and the caps that hold over all sequences.

use chrono::Duration;
use serde_json::{Value, json};
use shared::domain::tenancy::org::FeatureSwitches;
use tests::{both_databases, fake_twilio::Fault, people::Visitor};

use super::{FORM, agreeing, firm, later, link, mails, number, path, until};

both_databases! {
    async fn request_greets_nobody_by_a_name_with_a_link(app) {
        let firm = firm(app).await;
        let hostile = "Your warranty ran out, pay today at evil.example 512-555-0177";
        let lead = agreeing(1).named(hostile).submits_confirmed_lead(app, &firm.shop).await;
        firm.does(app, lead).await;
        until(app, "2026-09-17T17:00:00Z").await;
        let [text] = &firm.texts(&number(1))[..] else { panic!("{:?}", firm.texts(&number(1))) };
        assert!(text.starts_with("Hi there, thank you for choosing Acme Plumbing."), "{text}");
        assert!(!text.contains("evil") && !text.contains("0177"), "{text}");
    }

    async fn request_goes_by_text_at_two_hours_and_three_days_then_email_at_seven(app) {
        let firm = firm(app).await;
        // A name with a number is not used in a greeting.
        let lead = agreeing(1).named("Vera Lane").submits_confirmed_lead(app, &firm.shop).await;
        let job = firm.does(app, lead).await;
        let one = number(1);
        until(app, "2026-09-17T16:59:59Z").await;
        assert_eq!(firm.texts(&one), [""; 0]);
        assert_eq!(firm.request_state(app, &job).await, ("waiting".into(), None));
        until(app, "2026-09-17T17:00:00Z").await;
        let [first] = &firm.texts(&one)[..] else { panic!("{:?}", firm.texts(&one)) };
        let address = format!("https://toolbox.example{}", link(first));
        let words = format!("Hi Vera, thank you for choosing Acme Plumbing. Would you leave us a review? {address} Reply STOP to opt out.");
        assert_eq!(*first, words);
        let ask = firm.ask(app, &job).await;
        assert_eq!((&ask["state"], &ask["channel"], &ask["askedAt"]), (&json!("asked"), &json!("sms"), &json!("2026-09-17T17:00:00Z")));
        // Three days later it is Sunday noon in Texas, the earliest hour allowed.
        until(app, "2026-09-20T16:59:59Z").await;
        assert_eq!(firm.texts(&one).len(), 1);
        until(app, "2026-09-20T17:00:00Z").await;
        let texts = firm.texts(&one);
        assert!(texts.len() == 2 && texts[1].starts_with("Hi Vera, Acme Plumbing again.") && texts[1].contains(&address), "{texts:?}");
        assert_eq!(mails(app), []);
        until(app, "2026-09-24T17:00:00Z").await;
        let [mail] = &mails(app)[..] else { panic!("{:?}", mails(app)) };
        assert_eq!((mail.to.as_str(), mail.subject.as_str()), ("visitor-1@customer.example", "Would you review Acme Plumbing?"));
        // Each address has its own link.
        assert!(mail.text.contains("https://toolbox.example/r/") && !mail.text.contains(&address), "{}", mail.text);
        tests::long_email::assert_button_and_link(mail);
        assert!(!mail.text.contains("STOP"), "{}", mail.text);
        later(app, Duration::days(60)).await;
        assert_eq!((firm.texts(&one).len(), mails(app).len()), (2, 1), "and no more");
        let steps: Vec<Value> = firm.ask(app, &job).await["steps"].as_array().unwrap().iter().map(|step| json!([step["step"], step["state"], step["channel"]])).collect();
        assert_eq!(steps, [json!(["review_ask", "done", "sms"]), json!(["review_3", "done", "sms"]), json!(["review_7", "done", "email"])]);
        let why: Vec<_> = app.lead(firm.shop.id(), lead).await.decisions.into_iter().filter(|d| d.rule == "review_request").map(|d| (d.event, d.sent)).collect();
        assert_eq!(why, vec![("review_due".to_owned(), true); 3]);
    }

    async fn request_email_names_the_sender_and_unsubscribes_in_one_click(app) {
        let firm = firm(app).await;
        let lead = Visitor::ann().submits_lead(app, &firm.shop).await;
        let job = firm.does(app, lead).await;
        later(app, Duration::hours(2)).await;
        assert_eq!(firm.texts("+15125550142"), [""; 0], "they did not agree to such texts");
        let [mail] = &mails(app)[..] else { panic!("{:?}", mails(app)) };
        let stop = mail.unsubscribe.clone().unwrap();
        assert!(stop.starts_with("https://toolbox.example/r/") && stop.ends_with("/stop"), "{stop}");
        assert!(mail.text.contains("1 Main St\nAustin, TX 78701") && mail.text.contains(&stop), "{}", mail.text);
        let html = mail.html.as_deref().unwrap().replace("&#x2f;", "/");
        assert!(html.contains(&format!("href=\"{stop}\"")), "{html}");
        tests::long_email::assert_button_and_link(mail);
        assert_eq!(firm.ask(app, &job).await["channel"], "email");
        let at = stop.trim_start_matches("https://toolbox.example");
        for _ in 0..3 {
            assert_eq!(app.client().get(at).await.status, 200, "a look changes nothing");
        }
        assert_eq!(firm.request_state(app, &job).await.0, "asked");
        for _ in 0..2 {
            let pressed = app.client().send(axum::http::Method::POST, at, FORM, b"List-Unsubscribe=One-Click".to_vec()).await;
            assert_eq!(pressed.status, 200);
        }
        assert_eq!(firm.request_state(app, &job).await, ("stopped".into(), Some("opted_out".to_owned())));
        later(app, Duration::days(30)).await;
        assert_eq!(mails(app).len(), 1);
        // Nor are they asked about the next job on any channel, although it is half a year later.
        later(app, Duration::days(200)).await;
        let next = firm.does(app, lead).await;
        later(app, Duration::hours(30)).await;
        assert_eq!(firm.request_state(app, &next).await, ("not_asked".into(), Some("opted_out".to_owned())));
        assert_eq!((mails(app).len(), firm.texts("+15125550142").len()), (1, 0));
    }

    async fn unreachable_customer_is_not_asked_and_the_reason_is_shown(app) {
        let firm = firm(app).await;
        let mut nobody = Visitor::number(5);
        nobody.form.email = None;
        let lead = nobody.submits_lead(app, &firm.shop).await;
        let job = firm.does(app, lead).await;
        let homeless = Visitor::ann().submits_lead(app, &firm.shop).await;
        let other = firm.does(app, homeless).await;
        assert_eq!(firm.patches(app, &format!("/api/org/{}", firm.shop.id()), &json!({"postalAddress": null})).await.status, 200);
        later(app, Duration::hours(2)).await;
        let ask = firm.ask(app, &job).await;
        assert_eq!((&ask["state"], &ask["why"]), (&json!("not_asked"), &json!("no_contact")));
        assert_eq!(ask["reason"], "No way to reach them is open: they did not agree to get offers and review requests by text, and no email address is known");
        let ask = firm.ask(app, &other).await;
        assert_eq!((&ask["state"], &ask["why"]), (&json!("not_asked"), &json!("no_postal_address")));
        let decided = app.lead(firm.shop.id(), lead).await.decisions;
        assert!(decided.iter().any(|d| d.rule == "review_request" && !d.sent && d.reason.contains("no email address")), "{decided:?}");
        assert_eq!(mails(app), []);
    }

    async fn customer_is_asked_again_only_after_half_a_year(app) {
        let firm = firm(app).await;
        let (lead, _) = firm.served(app, 1).await;
        later(app, Duration::days(100)).await;
        let before = firm.texts(&number(1)).len();
        let second = firm.does(app, lead).await;
        later(app, Duration::days(1)).await;
        assert_eq!(firm.request_state(app, &second).await, ("not_asked".into(), Some("asked_before".to_owned())));
        assert_eq!(firm.texts(&number(1)).len(), before);
        later(app, Duration::days(80)).await;
        let third = firm.does(app, lead).await;
        later(app, Duration::days(1)).await;
        assert_eq!(firm.request_state(app, &third).await, ("asked".into(), None));
    }

    async fn unsent_request_does_not_block_a_later_one(app) {
        let firm = firm(app).await;
        app.switches(&firm.shop, FeatureSwitches { review_collection: false, ..FeatureSwitches::ALL_ON }).await;
        let (lead, first) = firm.served(app, 1).await;
        later(app, Duration::hours(3)).await;
        assert_eq!(firm.request_state(app, &first).await, ("not_asked".into(), Some("switched_off".to_owned())));
        app.switches(&firm.shop, FeatureSwitches::ALL_ON).await;
        later(app, Duration::days(1)).await;
        assert_eq!(firm.texts(&number(1)), [""; 0], "turned on, nothing old is asked about");
        let second = firm.does(app, lead).await;
        later(app, Duration::hours(2)).await;
        assert_eq!(firm.request_state(app, &second).await, ("asked".into(), None));
    }

    async fn requests_over_the_daily_cap_go_out_on_the_next_days_in_order(app) {
        let firm = firm(app).await;
        app.sets(&firm.shop, json!({"reviews": {"dailyCap": 2}})).await;
        for n in 1..=5 {
            firm.served(app, n).await;
            app.advance(Duration::minutes(1));
            app.run_tasks().await;
        }
        let asked = || (1..=5).map(|n| firm.texts(&number(n)).len()).collect::<Vec<_>>();
        until(app, "2026-09-17T23:00:00Z").await;
        assert_eq!(asked(), [1, 1, 0, 0, 0]);
        until(app, "2026-09-18T13:59:00Z").await;
        assert_eq!(asked(), [1, 1, 0, 0, 0]);
        until(app, "2026-09-18T23:00:00Z").await;
        assert_eq!(asked(), [1, 1, 1, 1, 0], "at nine the next two");
        until(app, "2026-09-19T23:00:00Z").await;
        assert_eq!(asked(), [1, 1, 1, 1, 1]);
    }

    async fn household_members_are_not_asked_on_the_same_day(app) {
        let firm = firm(app).await;
        let address = Some("12 Elm St., Apt 4");
        let leads = [agreeing(1).submits_confirmed_lead(app, &firm.shop).await, agreeing(2).submits_confirmed_lead(app, &firm.shop).await];
        let neighbour = agreeing(3).submits_confirmed_lead(app, &firm.shop).await;
        firm.does_at(app, leads[0], address).await;
        let other = firm.does_at(app, leads[1], Some("12 ELM ST APT #4")).await;
        firm.does_at(app, neighbour, Some("14 Elm St")).await;
        until(app, "2026-09-17T23:00:00Z").await;
        let asked = |n| firm.texts(&number(n)).len();
        assert_eq!((asked(1), asked(2), asked(3)), (1, 0, 1));
        assert_eq!(firm.ask(app, &other).await["reason"], "someone else at this address was asked for a review today");
        until(app, "2026-09-18T14:00:00Z").await;
        assert_eq!((asked(1), asked(2)), (1, 1));
    }

    async fn request_set_to_follow_payment_waits_until_the_job_is_paid(app) {
        let firm = firm(app).await;
        app.sets(&firm.shop, json!({"reviews": {"askWhen": "paid", "delayMinutes": 60}})).await;
        let (lead, job) = firm.served(app, 1).await;
        // On Sundays no message goes to Texas before noon: the days here end on a Monday.
        later(app, Duration::days(3)).await;
        assert_eq!(firm.texts(&number(1)), [""; 0]);
        let ask = firm.ask(app, &job).await;
        assert_eq!((&ask["state"], &ask["why"], &ask["plannedAt"]), (&json!("waiting"), &json!("not_paid"), &Value::Null));
        let paid = firm.post(app, &format!("/api/leads/{lead}/paid"), &json!({"amount": 350})).await;
        let payment = paid.json()["payment"]["id"].as_str().unwrap().to_owned();
        let back = firm.post(app, &format!("/api/payments/{payment}/undo"), &json!({})).await;
        assert_eq!(back.status, 200, "{}", back.json());
        later(app, Duration::days(1)).await;
        assert_eq!(firm.texts(&number(1)), [""; 0], "no request after an undone payment");
        assert_eq!(firm.request_state(app, &job).await, ("waiting".into(), Some("not_paid".to_owned())));
        let again = firm.post(app, &format!("/api/leads/{lead}/paid"), &json!({"amount": 350})).await;
        assert_eq!(again.status, 200, "{}", again.json());
        later(app, Duration::minutes(59)).await;
        assert_eq!(firm.texts(&number(1)), [""; 0]);
        later(app, Duration::minutes(1)).await;
        assert_eq!(firm.texts(&number(1)).len(), 1);
    }

    async fn customer_with_two_jobs_completed_at_once_is_asked_once(app) {
        let firm = firm(app).await;
        let lead = agreeing(1).submits_confirmed_lead(app, &firm.shop).await;
        let office = firm.office(app).await;
        let mut jobs = Vec::new();
        for _ in 0..2 {
            jobs.push(office.post("/api/jobs", &json!({"leadId": lead, "startsAt": app.now()})).await.json());
        }
        let done = json!({"to": "completed"});
        // Each twice, all at once: a repeated tap, and a job that two people close.
        let paths: Vec<String> = [&jobs[0], &jobs[1], &jobs[0], &jobs[1]].into_iter().map(|job| path(job, "/status")).collect();
        let presses = paths.iter().map(|path| office.post(path, &done));
        for answer in futures::future::join_all(presses).await {
            assert_eq!(answer.status, 200, "{}", answer.json());
        }
        assert_eq!(app.count("review_request").await, 2, "one for each job");
        later(app, Duration::hours(3)).await;
        assert_eq!(firm.texts(&number(1)).len(), 1);
        let mut states = vec![firm.request_state(app, &jobs[0]).await, firm.request_state(app, &jobs[1]).await];
        states.sort();
        assert_eq!(states, [("asked".to_owned(), None), ("not_asked".to_owned(), Some("asked_before".to_owned()))]);
    }

    async fn undeliverable_request_text_is_replaced_by_one_email(app) {
        let firm = firm(app).await;
        let (_, job) = firm.served(app, 1).await;
        // What was on its way before still goes.
        later(app, Duration::minutes(90)).await;
        firm.line.twilio.script(Fault::Code { status: 400, code: 21_614 });
        later(app, Duration::minutes(30)).await;
        assert_eq!(firm.texts(&number(1)), [""; 0], "a landline");
        let [mail] = &mails(app)[..] else { panic!("{:?}", mails(app)) };
        assert_eq!(mail.to, "visitor-1@customer.example");
        let ask = firm.ask(app, &job).await;
        assert_eq!((&ask["state"], &ask["channel"]), (&json!("asked"), &json!("email")));
    }

    async fn switch_preview_shows_the_request_that_will_be_sent(app) {
        let firm = firm(app).await;
        firm.served(app, 1).await;
        app.switches(&firm.shop, FeatureSwitches { review_collection: false, ..FeatureSwitches::ALL_ON }).await;
        let before = app.count("message").await;
        let shown = firm.get(app, "/api/org/acme-plumbing/preview?switch=reviewCollection").await;
        let messages = shown["messages"].as_array().unwrap();
        assert_eq!((messages.len(), &messages[0]["kind"], &messages[0]["at"]), (1, &json!("review_request"), &json!("2026-09-17T17:00:00Z")), "{shown}");
        assert_eq!(app.count("message").await, before);
        app.switches(&firm.shop, FeatureSwitches::ALL_ON).await;
        later(app, Duration::hours(2)).await;
        let words = app.as_sent(messages[0]["text"].as_str().unwrap(), &number(1)).await;
        assert_eq!(firm.texts(&number(1)), [words]);
    }

    async fn customers_are_asked_alike_regardless_of_past_rating(app) {
        let firm = firm(app).await;
        // These customers have older reviews of every rating, from more than half a year ago.
        let mut leads = Vec::new();
        for n in 1..=5 {
            let lead = agreeing(n).submits_confirmed_lead(app, &firm.shop).await;
            let review = json!({"rating": n, "customer_name": format!("Visitor {n}"), "phone": number(n), "date": "2026-01-05"});
            let added = firm.post(app, "/api/reviews", &review).await;
            assert_eq!((added.status.as_u16(), &added.json()["matched"]), (201, &json!("phone")), "{}", added.json());
            leads.push(lead);
        }
        for lead in leads {
            firm.does(app, lead).await;
        }
        later(app, Duration::hours(2)).await;
        let mut texts: Vec<String> = Vec::new();
        for n in 1..=5 {
            let [text] = &firm.texts(&number(n))[..] else { panic!("{n} was not asked") };
            texts.push(text.replace(&link(text), "/r/").replace(&format!("Visitor {n}"), "Visitor"));
        }
        texts.dedup();
        assert_eq!(texts.len(), 1, "the same words and the same way: {texts:?}");
    }
}
