//! A customer with an unproven address confirms the time with one tap: until then it is a request.

use super::*;

async fn asks(work: &BookingFixture, starts_at: DateTime<Utc>, n: usize) -> (Value, Answer) {
    let held = work.holds(starts_at).await;
    let who = json!({"name": format!("Visitor {n}"), "phone": format!("51255502{n:02}"), "email": null});
    let answer = books(&work.visitor, &held, who).await;
    assert_eq!(answer.status, 201, "{}", answer.json());
    (held, answer)
}

/// States of the messages that ask for confirmation of a time.
async fn questions(app: &TestApp, work: &BookingFixture) -> Vec<String> {
    let lead = work.office.get("/api/leads/acme-plumbing").await.json()[0]["id"].clone();
    let outbox = app.outbox(work.shop.id(), serde_json::from_value(lead).unwrap()).await;
    outbox.into_iter().filter(|line| line.starts_with("auto_reply")).collect()
}

/// States of the texts about the visit.
async fn visit_texts(app: &TestApp, work: &BookingFixture) -> Vec<String> {
    let lead = work.office.get("/api/leads/acme-plumbing").await.json()[0]["id"].clone();
    let outbox = app.outbox(work.shop.id(), serde_json::from_value(lead).unwrap()).await;
    outbox.into_iter().filter(|line| line.starts_with("visit sms")).collect()
}

fn text(answer: &Answer) -> String {
    String::from_utf8_lossy(&answer.body).into_owned()
}

both_databases! {
    async fn confirmation_question_uses_template_and_is_skipped_when_disabled(app) {
        let work = BookingFixture::of(app).await;
        let at = format!("/api/org/{}/templates/bookingQuestion", work.shop.id());
        let patch = async |body: Value| {
            work.office.send(Method::PATCH, &at, "application/json", body.to_string().into_bytes()).await
        };
        let lost = patch(json!({"body": "{{ businessName }}: reply YES to keep it. Reply STOP to opt out."})).await;
        assert_eq!(lost.status, 422, "{}", lost.json());
        let own = "{{ businessName }} keeps {{ visitTime }} for you: {{ visitLink }} Reply STOP to opt out.";
        let set = patch(json!({"body": own})).await;
        assert_eq!(set.status, 200, "{}", set.json());
        let held = work.holds(friday()).await;
        let evil = json!({"name": "https://evil.example", "email": null});
        assert_eq!(books(&work.visitor, &held, evil).await.status, 201);
        app.run_tasks().await;
        let text_body = app.sms.accepted_messages().pop().unwrap().body;
        assert!(text_body.starts_with("Acme Plumbing keeps Fri, Sep 18") && text_body.contains(&work.question(&held).await), "{text_body}");
        assert!(!text_body.contains("evil"), "{text_body}");
        assert_eq!(patch(json!({"enabled": false})).await.status, 200);
        let (_, answer) = asks(&work, friday() + Duration::days(3), 7).await;
        assert!(answer.json()["confirmUntil"].is_null(), "{}", answer.json());
        app.run_tasks().await;
    }

    async fn booking_by_stranger_waits_for_confirmation_tap(app) {
        let work = BookingFixture::of(app).await;
        let held = work.holds(friday()).await;
        let asked = books(&work.visitor, &held, json!({})).await.json();
        assert!(asked["visitUrl"].is_null() && asked["confirmUntil"].is_string(), "{asked}");
        app.run_tasks().await;
        assert_eq!((app.count("job").await, app.count("lead").await), (0, 1));
        assert_eq!(work.tries_to_hold(friday()).await.status, 409, "the time is held");
        let texts = app.sms.accepted_messages();
        assert!(texts.len() == 1 && texts[0].to == "+15125550142" && texts[0].body.contains("Hi Ann,"), "{texts:?}");
        let link = work.question(&held).await;
        assert!(texts[0].body.contains(&link), "{}", texts[0].body);
        let letter = app.mail.accepted_messages().into_iter().find(|mail| mail.to == "ann@customer.example").unwrap();
        assert!(letter.text.contains("/p/") && !letter.text.contains(&link), "each address has its own link");
        tests::long_email::assert_button_and_link(&letter);
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

    async fn proven_customer_books_at_once_and_unknown_email_needs_confirmation(app) {
        let work = BookingFixture::of(app).await;
        work.books(friday()).await;
        app.office_confirms(&work.shop).await;
        app.run_tasks().await;
        let held = work.holds(friday() + Duration::days(3)).await;
        let booked = books(&work.visitor, &held, json!({})).await.json();
        assert!(booked["visitUrl"].is_string(), "{booked}");
        let held = work.holds(friday() + Duration::days(4)).await;
        let asked = books(&work.visitor, &held, json!({"email": "stranger@evil.example"})).await.json();
        assert!(asked["visitUrl"].is_null() && asked["confirmUntil"].is_string(), "an address that is not theirs: {asked}");
        app.live_through(Duration::minutes(3), Duration::minutes(1)).await;
        let texts = app.sms.accepted_messages();
        assert!(texts.iter().all(|text| text.to == "+15125550142"), "only the known number gets a text: {texts:?}");
        assert_eq!(texts.iter().filter(|text| text.body.contains("Tue, Sep 22")).count(), 1, "the question: {texts:?}");
        let mails = app.mail.accepted_messages();
        assert!(mails.iter().all(|mail| mail.to != "stranger@evil.example"), "{mails:?}");
        assert!(mails.iter().any(|mail| mail.to == "owner@acme-plumbing.example"), "{mails:?}");
    }

    async fn bookings_naming_one_customer_are_limited_to_three_plus_three_holds(app) {
        let work = BookingFixture::of(app).await;
        let list = b"name,phone,email\nWanda Reyes,5125557301,wanda@customer.example\n".to_vec();
        let imported = work.office.send(Method::POST, "/api/customers/import", "text/csv", list).await;
        assert_eq!(imported.status, 200, "{}", imported.json());
        let free = work.offered("").await.len();
        let mut came = Vec::new();
        for (n, day) in (0_u8..).zip([3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 17, 18]) {
            let own = if n < 6 { format!("512555740{n}") } else { "5125557301".to_owned() };
            let from = app.client().from_address([198, 51, 100 + n, 10]);
            let held = from.post("/api/public/holds", &wish(friday() + Duration::days(day))).await;
            assert_eq!(held.status, 201, "{}", held.json());
            let who = json!({"name": "Bad Guy", "phone": own, "email": "wanda@customer.example"});
            let answer = books(&from, &held.json(), who).await;
            assert_eq!(answer.status, 201, "{}", answer.json());
            let answer = answer.json();
            came.push((answer["visitUrl"].is_string(), answer["confirmUntil"].is_string()));
        }
        let (booked, asked, neither) = ((true, false), (false, true), (false, false));
        assert_eq!(came[..6], [asked, asked, asked, neither, neither, neither], "with numbers that are nobody's");
        assert_eq!(came[6..], [booked, booked, booked, neither, neither, neither], "with her own");
        assert_eq!((app.count("job").await, app.count("slot_hold").await, app.count("customer").await), (3, 3, 1));
        assert!(work.offered("").await.len() * 2 > free, "most of the calendar is free");
        app.live_through(Duration::minutes(3), Duration::minutes(1)).await;
        let texts = app.sms.accepted_messages();
        assert!((1..=3).contains(&texts.len()) && texts.iter().all(|text| text.to == "+15125557301"), "{texts:?}");
        let mailed = app.mail.accepted_messages().iter().filter(|mail| mail.to == "wanda@customer.example").count();
        assert!((1..=6).contains(&mailed), "{mailed}");
    }

    async fn visits_touched_by_office_do_not_count_toward_booking_limit(app) {
        let work = BookingFixture::of(app).await;
        for day in [0, 3, 4, 5] {
            work.books(friday() + Duration::days(day)).await;
        }
        let again = async |day: i64| {
            let held = work.holds(friday() + Duration::days(day)).await;
            books(&work.visitor, &held, json!({})).await.json()
        };
        assert!(again(6).await["confirmUntil"].is_string(), "four are ahead");
        let jobs = work.jobs().await;
        for job in &jobs[..2] {
            let at = format!("/api/jobs/{}", job["id"].as_str().unwrap());
            let version = work.office.get(&at).await.json()["version"].clone();
            let body = json!({"version": version, "specialInstructions": "Ring twice"});
            let edited = work.office.send(Method::PATCH, &at, "application/json", body.to_string().into_bytes()).await;
            assert_eq!(edited.status, 200, "{}", edited.json());
        }
        assert!(again(7).await["visitUrl"].is_string());
        app.run_tasks().await;
    }

    async fn link_proven_customer_books_at_once_only_with_all_known_addresses(app) {
        let work = BookingFixture::of(app).await;
        work.books(friday()).await;
        app.run_tasks().await;
        let held = work.holds(friday() + Duration::days(3)).await;
        let asked = books(&work.visitor, &held, json!({"email": "stranger@evil.example"})).await.json();
        assert!(asked["visitUrl"].is_null() && asked["confirmUntil"].is_string(), "{asked}");
        let held = work.holds(friday() + Duration::days(4)).await;
        let booked = books(&work.visitor, &held, json!({})).await.json();
        assert!(booked["visitUrl"].is_string(), "{booked}");
        assert_eq!((app.count("customer").await, app.count("job").await), (2, 2));
        app.run_tasks().await;
    }

    async fn booking_with_known_phone_reveals_no_stored_customer_data(app) {
        let work = BookingFixture::of(app).await;
        work.books(friday()).await;
        app.office_confirms(&work.shop).await;
        let named = "UPDATE customer SET name = 'Annabel Fitzgerald', language = 'es' WHERE org_id = $1";
        let on_lead = "UPDATE lead SET name = 'Annabel Fitzgerald' WHERE org_id = $1";
        for sql in [named, on_lead] {
            app.within(async |tx| Ok(q!(tx, execute, sql, work.shop.id())?)).await.unwrap();
        }
        let held = work.holds(friday() + Duration::days(3)).await;
        let typed = json!({"name": "Mallory", "email": null, "address": "1 Nowhere Rd"});
        let booked = books(&work.visitor, &held, typed).await;
        let at = booked.json()["visitUrl"].as_str().unwrap().trim_start_matches("https://toolbox.example").to_owned();
        let moved = "UPDATE job SET address = '77 Private Lane' WHERE org_id = $1";
        app.within(async |tx| Ok(q!(tx, execute, moved, work.shop.id())?)).await.unwrap();
        let mut seen = vec![String::from_utf8(booked.body.clone()).unwrap()];
        for path in [at.clone(), format!("{at}?booked=1"), format!("{at}?move=1"), format!("{at}/visit.ics")] {
            let answer = work.visitor.get(&path).await;
            assert_eq!(answer.status, 200, "{path}");
            seen.push(text(&answer));
        }
        assert_eq!(posts(&work.visitor, &format!("{at}/message"), &[("question", "")]).await.status, 422);
        for page in &seen {
            for on_file in ["Annabel", "Fitzgerald", "Private Lane", "ann@customer", "lang=\"es\""] {
                assert!(!page.contains(on_file), "{on_file}: {page}");
            }
        }
        app.live_through(Duration::minutes(3), Duration::minutes(1)).await;
        let job = work.jobs().await[0]["id"].as_str().unwrap().to_owned();
        let sent_text = app.sms.accepted_messages().into_iter().rev().find(|text| text.body.contains("/p/")).unwrap();
        let link = &sent_text.body[sent_text.body.find("/p/").unwrap()..][..46];
        assert!(text(&work.visitor.get(link).await).contains("Private Lane"), "the mailed link shows the visit: {job}");
    }

    async fn office_copy_of_confirmation_link_books_without_proof(app) {
        let work = BookingFixture::of(app).await;
        let held = work.holds(friday()).await;
        books(&work.visitor, &held, json!({})).await;
        app.run_tasks().await;
        let (link, _) = work.unsent_question(&held).await;
        let at = shared::platform::access_link::build_path(&work.secret, link, shared::platform::access_link::LinkKind::Booking);
        assert_eq!(posts(&work.visitor, &format!("{at}/keep"), &[]).await.status, 303);
        let lead = work.jobs().await[0]["leadId"].as_str().unwrap().to_owned();
        let lead = work.office.get(&format!("/api/leads/{lead}")).await.json();
        let customer = work.office.get(&format!("/api/customers/{}", lead["customerId"].as_str().unwrap())).await.json();
        assert_eq!((&customer["phoneProof"], &customer["emailProof"]), (&json!("form"), &json!("form")));
        app.run_tasks().await;
    }

    async fn text_reply_yes_confirms_booking_and_a_question_does_not(app) {
        let mut work = BookingFixture::of(app).await;
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

    async fn booking_kept_by_text_at_night_is_confirmed_at_once_and_reminder_waits(app) {
        let mut work = BookingFixture::of(app).await;
        let line = app.line(&mut work.shop, "+15125550100").await;
        work.office = app.client().signed_in(app, work.shop.owner()).await;
        work.visitor = app.client();
        app.advance(Duration::hours(13));
        let held = work.holds(friday() + Duration::days(3)).await;
        assert_eq!(books(&work.visitor, &held, json!({})).await.status, 201);
        app.run_tasks().await;
        line.writes("+15125550142", "Yes").await;
        app.live_through(Duration::minutes(2), Duration::minutes(1)).await;
        assert_eq!(app.count("job").await, 1);
        let texts = visit_texts(app, &work).await;
        assert!(texts.len() == 1 && texts[0].starts_with("visit sms: sent"), "it answers her text: {texts:?}");
        let lead = work.office.get("/api/leads/acme-plumbing").await.json()[0]["id"].clone();
        let reminder = work.office.post(&format!("/api/leads/{}/reminder", lead.as_str().unwrap()), &json!({})).await;
        assert!(reminder.status.is_success(), "{}", reminder.json());
        app.run_tasks().await;
        let texts = visit_texts(app, &work).await;
        assert!(texts.len() == 2 && texts.iter().any(|text| text.starts_with("visit sms: held")), "{texts:?}");
    }

    async fn booking_kept_by_link_at_night_is_confirmed_by_text_in_the_morning(app) {
        let work = BookingFixture::of(app).await;
        app.advance(Duration::hours(13));
        let held = work.holds(friday() + Duration::days(3)).await;
        assert_eq!(books(&work.visitor, &held, json!({"email": null})).await.status, 201);
        app.run_tasks().await;
        work.keeps(&held).await;
        app.live_through(Duration::minutes(2), Duration::minutes(1)).await;
        let texts = visit_texts(app, &work).await;
        assert!(texts.len() == 1 && texts[0].starts_with("visit sms: held"), "{texts:?}");
    }

    async fn confirming_reply_is_no_new_touch_and_adds_nothing_unread(app) {
        let mut work = BookingFixture::of(app).await;
        let line = app.line(&mut work.shop, "+15125550100").await;
        work.office = app.client().signed_in(app, work.shop.owner()).await;
        work.visitor = app.client();
        let held = work.holds(friday()).await;
        assert_eq!(books(&work.visitor, &held, json!({})).await.status, 201);
        app.run_tasks().await;
        let asked = work.office.get("/api/inbox").await.json()[0].clone();
        assert_eq!((&asked["lastKind"], &asked["unread"]), (&json!("form"), &json!(1)), "{asked}");
        line.writes("+15125550142", "Yes please").await;
        app.run_tasks().await;
        let lead = work.office.get("/api/leads/acme-plumbing").await.json()[0].clone();
        assert_eq!((app.count("job").await, &lead["touchCount"]), (1, &json!(1)), "{lead}");
        let id = app.lead(work.shop.id(), serde_json::from_value(lead["id"].clone()).unwrap()).await.customer_id;
        let waits = async || {
            let mut conn = app.db.acquire_reader().await.unwrap();
            let thread = shared::domain::messaging::conversation::inbox::get_conversation_summary(&mut conn, work.shop.id(), id).await.unwrap();
            (thread.waiting_since.is_some(), thread.unread)
        };
        assert_eq!(waits().await, (false, 1), "the request itself");
        let talk = work.office.get(&format!("/api/customers/{id}/conversation")).await.json();
        assert_eq!((&talk["items"][0]["type"], &talk["items"][0]["form"]), (&json!("touch"), &json!("booking")), "{talk}");
        app.advance(Duration::minutes(1));
        line.writes("+15125550142", "Is there parking?").await;
        app.run_tasks().await;
        assert_eq!(waits().await, (true, 2));
    }

    async fn unconfirmed_hold_expires_and_request_remains(app) {
        let work = BookingFixture::of(app).await;
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
        assert_eq!((late.status.as_u16(), app.count("job").await), (409, 0), "the time is held by another visitor");
        assert!(String::from_utf8(late.body).unwrap().contains("This time is taken now"));
        app.advance(Duration::minutes(5));
        drop(theirs);
        work.keeps(&held).await;
        assert_eq!(app.count("job").await, 1, "late, but nobody else has it");
        app.run_tasks().await;
    }

    async fn confirmation_text_at_night_is_dropped_instead_of_held(app) {
        let work = BookingFixture::of(app).await;
        app.sets(&work.shop, json!({"sending": {"holdRepliesAtNight": true}})).await;
        app.advance(Duration::hours(13));
        let held = work.holds(friday() + Duration::days(3)).await;
        assert_eq!(books(&work.visitor, &held, json!({"email": null})).await.status, 201);
        app.run_tasks().await;
        let outbox = questions(app, &work).await;
        assert!(outbox.len() == 1 && outbox[0].starts_with("auto_reply sms: not sent"), "{outbox:?}");
        assert!(outbox[0].ends_with("and after that it would be of no use"), "{outbox:?}");
        app.live_through(Duration::hours(14), Duration::minutes(30)).await;
        assert!(app.sms.accepted_messages().is_empty());
    }

    async fn alert_for_expired_confirmation_text_offers_no_text_link(app) {
        let work = BookingFixture::of(app).await;
        let held = work.holds(friday()).await;
        assert_eq!(books(&work.visitor, &held, json!({"email": null})).await.status, 201);
        app.advance(Duration::minutes(16));
        app.run_tasks().await;
        assert_eq!(questions(app, &work).await, ["auto_reply sms: not sent: the time it asks about is no longer held"]);
        let alerts = work.office.get("/api/alerts").await.json();
        let unsent = |alert: &&Value| alert["title"] == "Your text to Ann Lee was not sent";
        let alert = alerts.as_array().unwrap().iter().find(unsent).unwrap();
        assert!(alert["textLink"].is_null(), "{alert}");
        assert!(alert["body"].as_str().unwrap().ends_with("They are waiting: call them, or write to them."), "{alert}");
    }

    async fn queued_confirmation_text_is_dropped_once_booking_is_confirmed(app) {
        let work = BookingFixture::of(app).await;
        let held = work.holds(friday()).await;
        assert_eq!(books(&work.visitor, &held, json!({"email": null})).await.status, 201);
        work.keeps(&held).await;
        assert_eq!(questions(app, &work).await, ["auto_reply sms: not sent: the visit is booked already"]);
        app.run_tasks().await;
        assert_eq!(app.sms.accepted_messages().iter().filter(|text| text.body.contains("YES")).count(), 0);
    }

    async fn unproven_holds_are_limited_per_network_and_reset_next_day(app) {
        let work = BookingFixture::of(app).await;
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
        assert_eq!(app.sms.accepted_messages().len(), 2);
        app.advance(Duration::hours(25));
        let (_, tomorrow) = asks(&work, monday + Duration::days(7), 9).await;
        assert!(tomorrow.json()["confirmUntil"].is_string());
        app.run_tasks().await;
    }

    async fn ipv6_48_and_32_prefixes_take_only_a_part_of_the_days_holds(app) {
        let work = BookingFixture::of(app).await;
        app.sets(&work.shop, json!({"booking": {"unprovenPerNetwork": 1, "unprovenPerDay": 8, "daysAhead": 90}})).await;
        let visitor = |site: u16, network: u16| work.visitor.clone().from_ipv6([0x2001, 0xdb8, site, network << 8, 0, 0, 0, 5]);
        let from = [visitor(1, 0), visitor(1, 1), visitor(1, 2), visitor(1, 3), visitor(1, 4), visitor(2, 0), visitor(3, 0), visitor(4, 0), work.visitor.clone()];
        let mut held = Vec::new();
        for (n, from) in from.iter().enumerate() {
            let at = friday() + Duration::days(3) + Duration::weeks(n64(n));
            let hold = from.post("/api/public/holds", &wish(at)).await;
            assert_eq!(hold.status, 201, "{}", hold.json());
            let who = json!({"name": format!("Visitor {n}"), "phone": format!("51255502{n:02}"), "email": null});
            let answer = books(from, &hold.json(), who).await;
            assert_eq!(answer.status, 201, "{}", answer.json());
            held.push(answer.json()["confirmUntil"].is_string());
        }
        assert_eq!(held, [true, true, true, true, false, true, true, false, true], "four of a /48, six of a /32");
        assert_eq!(app.count("lead").await, 9, "the rest are requests");
        app.run_tasks().await;
    }

    async fn confirmation_is_not_requested_without_worker_but_link_works_later(app) {
        let work = BookingFixture::of(app).await;
        app.forgets_worker().await;
        let sign = "INSERT INTO worker_heartbeat (worker, seen_at) VALUES ('w1', $1)";
        app.within(async |tx| Ok(q!(tx, execute, sign, app.now() - Duration::minutes(5))?)).await.unwrap();
        let held = work.holds(friday()).await;
        let asked = books(&work.visitor, &held, json!({})).await.json();
        assert!(asked["visitUrl"].is_null() && asked["confirmUntil"].is_null(), "no worker: {asked}");
        assert_eq!(app.count("slot_hold").await, 1);
        app.advance(Duration::minutes(5));
        app.within(async |tx| Ok(q!(tx, execute, "UPDATE worker_heartbeat SET seen_at = $1", app.now())?)).await.unwrap();
        app.run_tasks().await;
        assert_eq!(app.sms.accepted_messages().len(), 1, "the question left within its minutes");
        work.keeps(&held).await;
        assert_eq!(app.count("job").await, 1);
        app.run_tasks().await;
    }

    async fn booking_without_reachable_contact_becomes_a_request(app) {
        let work = BookingFixture::of(app).await;
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
