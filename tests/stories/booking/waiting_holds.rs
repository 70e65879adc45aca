//! A time that waits for its confirmation is on the office's schedule until it is confirmed or over.

use super::*;

async fn held_times(client: &Client) -> Vec<Value> {
    client.get("/api/schedule?from=2026-09-18&days=7").await.json()["held"].as_array().unwrap().clone()
}

both_databases! {
    async fn waiting_hold_is_on_the_schedule_until_it_expires(app) {
        let work = BookingFixture::of(app).await;
        let hold = work.holds(friday()).await;
        assert!(held_times(&work.office).await.is_empty(), "a visitor who is still choosing has no name");
        assert_eq!(books(&work.visitor, &hold, json!({})).await.status, 201);
        let held = held_times(&work.office).await;
        let lead = work.office.get("/api/leads/acme-plumbing").await.json()[0]["id"].clone();
        assert_eq!(held.len(), 1, "{held:?}");
        assert_eq!((&held[0]["name"], &held[0]["leadId"], &held[0]["crewId"]), (&json!("Ann Lee"), &lead, &json!(work.crew)));
        let at = |name: &str| held[0][name].as_str().unwrap().parse::<DateTime<Utc>>().unwrap();
        assert_eq!((at("startsAt"), at("expiresAt")), (friday(), app.now() + Duration::minutes(15)));
        let over = json!({"customer": {"name": "Bob"}, "service": "Roof", "startsAt": friday(), "crewId": work.crew});
        assert_eq!(work.office.post("/api/jobs", &over).await.status, 201, "the office may plan over it");
        app.advance(Duration::minutes(15));
        assert!(held_times(&work.office).await.is_empty());
        app.run_tasks().await;
    }

    async fn lead_and_alert_name_the_hold_until_it_is_booked(app) {
        let work = BookingFixture::of(app).await;
        let hold = work.holds(friday()).await;
        assert_eq!(books(&work.visitor, &hold, json!({})).await.status, 201);
        app.run_tasks().await;
        let lead = work.office.get("/api/leads/acme-plumbing").await.json()[0]["id"].as_str().unwrap().to_owned();
        let held = async || work.office.get(&format!("/api/leads/{lead}")).await.json()["heldVisit"].clone();
        let alert = async || {
            let alerts = work.office.get("/api/alerts").await.json();
            let asks = |alert: &&Value| alert["title"] == "Ann Lee asks for a visit";
            alerts.as_array().unwrap().iter().find(asks).unwrap().clone()
        };
        let shown = held().await;
        let at = |name: &str| shown[name].as_str().unwrap().parse::<DateTime<Utc>>().unwrap();
        assert_eq!(at("startsAt"), friday());
        let until = at("expiresAt").with_timezone(&chrono_tz::America::Chicago).format("%-I:%M %p").to_string();
        let waiting = alert().await;
        let body = waiting["body"].as_str().unwrap();
        assert!(body.contains(&format!("Held until {until} for them to confirm.")) && waiting["seenAt"].is_null(), "{waiting}");
        work.keeps(&hold).await;
        assert_eq!(held().await, Value::Null);
        assert!(alert().await["seenAt"].is_string(), "the visit is booked");
        app.run_tasks().await;
    }

    async fn confirmed_hold_leaves_the_schedule_for_its_job(app) {
        let work = BookingFixture::of(app).await;
        let hold = work.holds(friday()).await;
        assert_eq!(books(&work.visitor, &hold, json!({})).await.status, 201);
        work.keeps(&hold).await;
        let shown = work.office.get("/api/schedule?from=2026-09-18&days=7").await.json();
        assert_eq!((&shown["held"], shown["jobs"].as_array().unwrap().len()), (&json!([]), 1));
        app.run_tasks().await;
    }

    async fn flood_email_to_a_booking_names_the_time_that_is_not_held(app) {
        let work = BookingFixture::of(app).await;
        for n in 0..100_u32 {
            tests::people::Visitor::number(n).submits_lead(app, &work.shop).await;
        }
        let hold = work.holds(friday()).await;
        let asked = books(&work.visitor, &hold, json!({"notes": "Buy pills at pills.example"})).await;
        assert!(asked.status == 201 && asked.json()["confirmUntil"].is_null(), "{}", asked.json());
        app.run_tasks().await;
        let letter = app.mail.accepted_messages().into_iter().find(|mail| mail.to == "ann@customer.example").unwrap();
        assert!(letter.text.contains("You asked for Fri, Sep 18, 10:00"), "{}", letter.text);
        assert!(letter.text.contains("The time is not yours until we confirm it."), "{}", letter.text);
        assert!(!letter.text.contains("pills") && !letter.text.contains("Ann"), "{}", letter.text);
    }

    async fn request_beyond_the_limit_of_a_network_names_it_and_gets_a_receipt(app) {
        let work = BookingFixture::of(app).await;
        app.sets(&work.shop, json!({"booking": {"unprovenPerNetwork": 1, "unprovenPerDay": 8}})).await;
        let first = work.holds(friday()).await;
        let bob = json!({"name": "Bob Ray", "phone": "5125550201", "email": null});
        assert!(books(&work.visitor, &first, bob).await.json()["confirmUntil"].is_string());
        let second = work.holds(friday() + Duration::days(3)).await;
        let asked = books(&work.visitor, &second, json!({"notes": "Buy pills at pills.example"})).await;
        assert!(asked.status == 201 && asked.json()["confirmUntil"].is_null(), "{}", asked.json());
        app.run_tasks().await;
        let shown = work.lead_named("Ann Lee").await["heldVisit"].clone();
        let starts: DateTime<Utc> = shown["startsAt"].as_str().unwrap().parse().unwrap();
        assert_eq!((&shown["state"], starts), (&json!("network_limit"), friday() + Duration::days(3)));
        let letters = app.mail.accepted_messages().into_iter().filter(|mail| mail.to == "ann@customer.example");
        let letters: Vec<String> = letters.map(|mail| mail.text).collect();
        let [letter] = letters.as_slice() else { panic!("one receipt: {letters:?}") };
        assert!(letter.contains("You asked for Mon, Sep 21, 10:00"), "{letter}");
        assert!(letter.contains("The time is not yours until we confirm it."), "{letter}");
        assert!(!letter.contains("pills") && !letter.contains("Ann") && !letter.contains("/p/"), "{letter}");
        assert_eq!(app.sms.accepted_messages().len(), 1, "only the question to Bob");
    }

    async fn job_of_a_booking_request_describes_the_work_and_not_the_wished_date(app) {
        let work = BookingFixture::of(app).await;
        let description = async |job: &Value| {
            let at = format!("/api/jobs/{}", job["id"].as_str().unwrap());
            work.office.get(&at).await.json()["serviceDescription"].clone()
        };
        let held = work.holds(friday()).await;
        assert_eq!(books(&work.visitor, &held, json!({"email": null})).await.status, 201);
        work.keeps(&held).await;
        let job = work.jobs().await[0].clone();
        assert_eq!(description(&job).await, Value::Null, "they wrote nothing");
        let lead = work.office.get(&format!("/api/leads/{}", job["leadId"].as_str().unwrap())).await.json();
        assert!(lead["notes"].as_str().unwrap().starts_with("Wants a visit on Fri, Sep 18"), "{lead}");
        let monday = friday() + Duration::days(3);
        let held = work.holds(monday).await;
        let other = json!({"name": "Bo Best", "phone": "5125550177", "email": null, "notes": "No hot water.\nRing twice"});
        assert_eq!(books(&work.visitor, &held, other).await.status, 201);
        let leads = work.office.get("/api/leads/acme-plumbing").await.json();
        let asked = leads.as_array().unwrap().iter().find(|lead| lead["name"] == "Bo Best").unwrap().clone();
        assert!(asked["notes"].as_str().unwrap().starts_with("Wants a visit on Mon, Sep 21"), "{asked}");
        let made = work.office.post("/api/jobs", &json!({"leadId": asked["id"], "startsAt": monday + Duration::days(1)})).await;
        assert_eq!(made.status, 201, "{}", made.json());
        assert_eq!(description(&made.json()).await, json!("No hot water.\nRing twice"));
        app.run_tasks().await;
    }
}
