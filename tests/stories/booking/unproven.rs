//! Who is not proven gets a time after one tap: until then it is a request.

use super::*;

async fn asks(work: &Work, starts_at: DateTime<Utc>, n: usize) -> (Value, Answer) {
    let held = work.holds(starts_at).await;
    let who = json!({"name": format!("Visitor {n}"), "phone": format!("51255502{n:02}"), "email": null});
    let answer = books(&work.visitor, &held, who).await;
    assert_eq!(answer.status, 201, "{}", answer.json());
    (held, answer)
}

both_databases! {
    async fn a_stranger_books_nothing_until_they_tap(app) {
        let work = Work::of(app).await;
        let held = work.holds(friday()).await;
        let asked = books(&work.visitor, &held, json!({})).await.json();
        assert!(asked["visitUrl"].is_null() && asked["confirmUntil"].is_string(), "{asked}");
        app.run_tasks().await;
        assert_eq!((app.count("job").await, app.count("lead").await), (0, 1));
        assert_eq!(work.tries_to_hold(friday()).await.status, 409, "the time is held");
        let texts = app.sms.accepted();
        assert!(texts.len() == 1 && texts[0].to == "+15125550142" && texts[0].body.contains("Hi Ann,"), "{texts:?}");
        let link = work.question(&held).await;
        assert!(texts[0].body.contains(&link), "{}", texts[0].body);
        let letter = app.mail.accepted().into_iter().find(|mail| mail.to == "ann@customer.example").unwrap();
        assert!(letter.text.contains("/p/") && !letter.text.contains(&link), "each address has its own link");
        for _ in 0..3 {
            assert_eq!(work.visitor.get(&link).await.status, 200);
            assert_eq!(posts(&work.visitor, &format!("{link}/seen"), &[]).await.status, 204);
        }
        assert_eq!(app.count("job").await, 0, "programs that follow links keep nothing");
        let page = work.keeps(&held).await;
        assert_eq!(work.keeps(&held).await, page, "a second tap finds the same visit");
        assert_eq!((app.count("job").await, app.count("slot_hold").await), (1, 0));
        let lead = work.jobs().await[0]["leadId"].as_str().unwrap().to_owned();
        let lead = work.office.get(&format!("/api/leads/{lead}")).await.json();
        let customer = work.office.get(&format!("/api/customers/{}", lead["customerId"].as_str().unwrap())).await.json();
        assert_eq!((&customer["phoneProof"], &customer["emailProof"]), (&json!("link_opened"), &json!("form")));
        app.run_tasks().await;
    }

    async fn whoever_is_proven_books_at_once_and_nobody_does_in_their_name_unseen(app) {
        let work = Work::of(app).await;
        work.books(friday()).await;
        app.run_tasks().await;
        let held = work.holds(friday() + Duration::days(3)).await;
        let booked = books(&work.visitor, &held, json!({"email": "stranger@evil.example"})).await.json();
        assert!(booked["visitUrl"].is_string(), "{booked}");
        app.live_through(Duration::minutes(3), Duration::minutes(1)).await;
        assert!(app.sms.accepted().iter().all(|text| text.to == "+15125550142"), "told is who is known");
        assert!(app.mail.accepted().iter().all(|mail| mail.to != "stranger@evil.example"));
    }

    async fn an_answer_to_the_text_keeps_the_time_and_a_question_does_not(app) {
        let mut work = Work::of(app).await;
        let line = app.line(&mut work.shop, "+15125550100").await;
        work.office = app.client().signed_in(app, work.shop.owner()).await;
        work.visitor = app.client();
        let held = work.holds(friday()).await;
        assert_eq!(books(&work.visitor, &held, json!({})).await.status, 201);
        app.run_tasks().await;
        line.writes("+15125550142", "Who is this?").await;
        app.run_tasks().await;
        assert_eq!(app.count("job").await, 0);
        line.writes("+15125550142", "Yes").await;
        app.run_tasks().await;
        assert_eq!((app.count("job").await, app.count("slot_hold").await, app.count("lead").await), (1, 0, 1));
    }

    async fn when_nobody_taps_the_time_is_free_again_and_the_request_stays(app) {
        let work = Work::of(app).await;
        let monday = friday() + Duration::days(3);
        let held = work.holds(monday).await;
        assert_eq!(books(&work.visitor, &held, json!({})).await.status, 201);
        app.advance(Duration::minutes(14));
        assert_eq!(work.tries_to_hold(monday).await.status, 409);
        app.advance(Duration::minutes(1));
        let theirs = work.holds(monday).await;
        let lead = work.office.get("/api/leads/acme-plumbing").await.json()[0].clone();
        assert!(lead["notes"].as_str().unwrap().contains("Wants a visit on Mon, Sep 21"), "{lead}");
        let late = posts(&work.visitor, &format!("{}/keep", work.question(&held).await), &[]).await;
        assert_eq!((late.status.as_u16(), app.count("job").await), (409, 0), "somebody else is choosing it");
        assert!(String::from_utf8(late.body).unwrap().contains("This time is taken now"));
        app.advance(Duration::minutes(5));
        drop(theirs);
        work.keeps(&held).await;
        assert_eq!(app.count("job").await, 1, "late, but nobody else has it");
        app.run_tasks().await;
    }

    async fn one_network_and_one_business_hold_only_so_many_a_day(app) {
        let work = Work::of(app).await;
        app.sets(&work.shop, json!({"booking": {"unprovenPerNetwork": 2, "unprovenPerDay": 3, "daysAhead": 90}})).await;
        let monday = friday() + Duration::days(3);
        let mut held = Vec::new();
        for n in 0..5 {
            let (hold, answer) = asks(&work, monday + Duration::days(n64(n)), n).await;
            held.push((hold, answer.json()["confirmUntil"].is_string()));
        }
        let until: Vec<bool> = held.iter().map(|(_, held)| *held).collect();
        assert_eq!(until, [true, true, false, false, false]);
        assert_eq!((app.count("slot_hold").await, app.count("lead").await), (2, 5), "the rest are requests");
        app.run_tasks().await;
        assert_eq!(app.sms.accepted().len(), 2);
        app.advance(Duration::hours(25));
        let (_, tomorrow) = asks(&work, monday + Duration::days(7), 9).await;
        assert!(tomorrow.json()["confirmUntil"].is_string());
        app.run_tasks().await;
    }

    async fn where_nobody_can_be_asked_it_is_a_request(app) {
        let work = Work::of(app).await;
        let held = work.holds(friday()).await;
        let asked = books(&work.visitor, &held, json!({"email": null, "phone": "+442071838750"})).await.json();
        assert!(asked["visitUrl"].is_null() && asked["confirmUntil"].is_null(), "{asked}");
        assert_eq!((app.count("slot_hold").await, app.count("lead").await, app.count("job").await), (0, 1, 0));
        app.run_tasks().await;
    }
}

fn n64(n: usize) -> i64 {
    i64::try_from(n).unwrap()
}
