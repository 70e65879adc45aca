//! Booking by customers: times offered, held, taken and moved, on the business's page and by programs; each time is
//! given once.

use axum::http::Method;
use chrono::{DateTime, Duration, Utc};
use serde_json::{Value, json};
use shared::{platform::db::q, providers::sms::SmsProvider};
use tests::{
    app::TestApp,
    both_databases,
    http::{Answer, Client},
    people::Shop,
};
use uuid::Uuid;

mod answers_to_others;
mod availability;
mod booking_page;
mod chosen_times;
mod email_share;
mod form_visits;
mod free_times;
mod free_times_proof;
mod held_booking_page;
mod impersonation;
mod open_redirects;
mod slot_holds;
mod unconfirmed_address;
mod unproven_business;
mod visit_recipients;
mod waiting_holds;

/// A business with one crew, on the Thursday on which every story begins.
struct BookingFixture {
    shop: Shop,
    office: Client,
    visitor: Client,
    crew: String,
    db: shared::platform::db::Db,
    origin: shared::platform::clock::ClockRng,
    secret: shared::platform::secret::SecretKey,
}

fn at(text: &str) -> DateTime<Utc> {
    format!("{text}:00Z").parse().unwrap()
}

/// Friday, 10:00 in Chicago: a day of notice from the beginning.
fn friday() -> DateTime<Utc> {
    at("2026-09-18T15:00")
}

async fn books(client: &Client, hold: &Value, more: Value) -> Answer {
    let mut body = json!({
        "org": "acme-plumbing", "holdId": hold["holdId"], "name": "Ann Lee", "phone": "(512) 555-0142",
        "email": "ann@customer.example", "address": "12 Elm St", "zip": "78701", "service": "plumbing",
    });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    client.post("/api/public/bookings", &body).await
}

impl BookingFixture {
    async fn of(app: &mut TestApp) -> Self {
        app.use_twilio_at("http://127.0.0.1:9");
        app.context.sms = SmsProvider::Memory(app.sms.clone());
        app.takes_email_for_set_up();
        let shop = app.org("Acme Plumbing").await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let crew = add_crew(&office, "Blue").await;
        let (db, origin, secret) = (app.db.clone(), app.origin.clone(), app.settings.secret.clone());
        Self { shop, office, visitor: app.client(), crew, db, origin, secret }
    }

    /// The page behind the link that was texted about the held time.
    async fn question(&self, held: &Value) -> String {
        use shared::platform::access_link::{LinkKind, build_path, copy};
        let (link, phone) = self.unsent_question(held).await;
        let mut tx = self.db.begin().await.unwrap();
        let to = (copy::LinkCopyChannel::Phone, phone.as_str());
        let sent = copy::ensure_copy(&mut tx, &self.origin, self.shop.id(), link, to).await.unwrap().unwrap();
        tx.commit().await.unwrap();
        build_path(&self.secret, sent, LinkKind::Booking)
    }

    /// The link as the office sees it, and its path.
    async fn unsent_question(&self, held: &Value) -> (shared::platform::id::LinkId, String) {
        let id: Uuid = held["holdId"].as_str().unwrap().parse().unwrap();
        let sql =
            "SELECT l.id, r.phone FROM access_link l JOIN booking_request r ON r.org_id = l.org_id AND r.id = l.subject_id
            WHERE l.org_id = $1 AND l.kind = 'booking' AND l.subject_id = $2";
        let conn = &mut self.db.acquire_reader().await.unwrap();
        q!(conn, fetch_one as (shared::platform::id::LinkId, String), sql, self.shop.id(), id).unwrap()
    }

    async fn keeps(&self, held: &Value) -> String {
        let kept = posts(&self.visitor, &format!("{}/keep", self.question(held).await), &[]).await;
        assert_eq!(kept.status, 303, "{}", String::from_utf8_lossy(&kept.body));
        kept.header("location").trim_end_matches("?booked=1").to_owned()
    }

    /// The times offered from a day on, as `day hour:minute` of the business's clock.
    async fn offered(&self, more: &str) -> Vec<String> {
        let path = format!("/api/public/slots?org=acme-plumbing&service=plumbing&zip=78701{more}");
        let answer = self.visitor.get(&path).await;
        assert_eq!(answer.status, 200, "{}", answer.json());
        let days = answer.json()["days"].as_array().unwrap().clone();
        let slots = days.iter().flat_map(|day| day["slots"].as_array().unwrap().clone());
        let zone = chrono_tz::America::Chicago;
        slots
            .map(|slot| slot["startsAt"].as_str().unwrap().parse::<DateTime<Utc>>().unwrap())
            .map(|at| at.with_timezone(&zone).format("%m-%d %H:%M").to_string())
            .collect()
    }

    async fn tries_to_hold(&self, starts_at: DateTime<Utc>) -> Answer {
        self.visitor.post("/api/public/holds", &wish(starts_at)).await
    }

    async fn holds(&self, starts_at: DateTime<Utc>) -> Value {
        let answer = self.tries_to_hold(starts_at).await;
        assert_eq!(answer.status, 201, "{}", answer.json());
        answer.json()
    }

    async fn books(&self, starts_at: DateTime<Utc>) -> Value {
        let held = self.holds(starts_at).await;
        let answer = books(&self.visitor, &held, json!({})).await;
        assert_eq!(answer.status, 201, "{}", answer.json());
        let mut booked = answer.json();
        if booked["visitUrl"].is_null() {
            booked["visitUrl"] = json!(format!("https://toolbox.example{}", self.keeps(&held).await));
        }
        booked
    }

    async fn lead_named(&self, name: &str) -> Value {
        let leads = self.office.get("/api/leads/acme-plumbing").await.json();
        let lead = leads.as_array().unwrap().iter().find(|lead| lead["name"] == name).unwrap();
        self.office.get(&format!("/api/leads/{}", lead["id"].as_str().unwrap())).await.json()
    }

    async fn jobs(&self) -> Vec<Value> {
        self.office.get("/api/jobs").await.json().as_array().unwrap().clone()
    }
}

fn wish(starts_at: DateTime<Utc>) -> Value {
    json!({"org": "acme-plumbing", "service": "plumbing", "zip": "78701", "startsAt": starts_at})
}

async fn add_crew(office: &Client, name: &str) -> String {
    let answer = office.post("/api/crews", &json!({"name": name})).await;
    assert_eq!(answer.status, 201, "{}", answer.json());
    answer.json()["id"].as_str().unwrap().to_owned()
}

fn page_of(booked: &Value) -> String {
    booked["visitUrl"].as_str().unwrap().trim_start_matches("https://toolbox.example").to_owned()
}

async fn posts(client: &Client, path: &str, pairs: &[(&str, &str)]) -> Answer {
    let body: String = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
    client.send(Method::POST, path, "application/x-www-form-urlencoded", body.into_bytes()).await
}

both_databases! {
    async fn booked_visit_becomes_a_job_and_is_confirmed_after_a_minute(app) {
        let work = BookingFixture::of(app).await;
        let booked = work.books(friday()).await;
        let jobs = work.jobs().await;
        let [job] = jobs.as_slice() else { panic!("one job: {jobs:?}") };
        assert_eq!((&job["customer"], &job["crewId"], &job["status"]), (&json!("Ann Lee"), &json!(work.crew), &json!("Scheduled")));
        assert_eq!(job["date"].as_str().unwrap().parse::<DateTime<Utc>>().unwrap(), friday());
        let lead = work.office.get(&format!("/api/leads/{}", job["leadId"].as_str().unwrap())).await.json();
        assert_eq!((&lead["stage"], &lead["source"], &lead["address"]), (&json!("Scheduled"), &json!("Booking page"), &json!("12 Elm St")));
        assert_eq!(booked["reference"], json!(lead["id"].as_str().unwrap()[..8]));
        let conn = &mut app.db.acquire_reader().await.unwrap();
        let consents = q!(conn, fetch_one scalar i64, "SELECT COUNT(*) FROM consent WHERE org_id = $1", work.shop.id()).unwrap();
        assert_eq!(consents, 2, "both consent decisions are stored");
        let alerts = work.office.get("/api/alerts").await.json();
        let alert = alerts.as_array().unwrap().iter().find(|alert| alert["kind"] == "visit_booked").unwrap();
        assert_eq!(alert["title"], "Ann Lee booked a visit");
        assert_eq!(alert["body"], "Fri, Sep 18, 10:00 AM: Plumbing, 12 Elm St");
        app.run_tasks().await;
        assert!(app.sms.accepted_messages().is_empty(), "no rule answers who has booked, and the question is answered already");
        app.live_through(Duration::minutes(2), Duration::minutes(1)).await;
        let texts: Vec<String> = app.sms.accepted_messages().iter().map(|text| text.body.clone()).collect();
        assert!(texts.len() == 1 && texts[0].contains("Fri, Sep 18, 10:00 AM"), "{texts:?}");
        let page = work.visitor.get(&page_of(&booked)).await;
        assert_eq!(page.status, 200);
    }

    async fn booking_assigns_lead_owner_by_zip(app) {
        let work = BookingFixture::of(app).await;
        let olive = work.shop.owner().id;
        app.sets(&work.shop, json!({"leadOwners": {"zips": [{"userId": olive, "zips": ["787"]}]}})).await;
        work.books(friday()).await;
        let lead = work.office.get(&format!("/api/leads/{}", work.jobs().await[0]["leadId"].as_str().unwrap())).await.json();
        assert_eq!((&lead["ownerUserId"], &lead["ownerName"]), (&json!(olive), &json!("Olive Owner")));
        app.run_tasks().await;
    }

    async fn booking_by_known_customer_reuses_customer_and_lead(app) {
        let work = BookingFixture::of(app).await;
        let lead = tests::people::Visitor::ann().submits_lead(app, &work.shop).await;
        app.run_tasks().await;
        let held = work.holds(friday()).await;
        assert_eq!(books(&work.visitor, &held, json!({})).await.status, 201);
        work.keeps(&held).await;
        assert_eq!(work.jobs().await[0]["leadId"], json!(lead.to_string()));
        assert_eq!((app.count("customer").await, app.count("lead").await), (1, 1));
        app.run_tasks().await;
    }

    async fn customer_moves_and_cancels_visit_until_twelve_hours_before(app) {
        let work = BookingFixture::of(app).await;
        let eleven = friday() + Duration::hours(1);
        let booked = work.books(eleven).await;
        let page = page_of(&booked);
        app.live_through(Duration::minutes(2), Duration::minutes(1)).await;
        let choice = work.visitor.get(&format!("{page}?move=1")).await;
        let html = String::from_utf8(choice.body.clone()).unwrap();
        let monday = friday() + Duration::days(3);
        assert!(html.contains("Monday, September 21") && html.contains(&monday.to_rfc3339()), "{html}");
        let moved = posts(&work.visitor, &format!("{page}/move"), &[("startsAt", &monday.to_rfc3339())]).await;
        assert_eq!((moved.status.as_u16(), moved.header("location")), (303, format!("{page}?moved=1").as_str()));
        let job = work.jobs().await[0].clone();
        assert_eq!(job["date"].as_str().unwrap().parse::<DateTime<Utc>>().unwrap(), monday);
        assert_eq!(work.office.get("/api/alerts").await.json()[0]["title"], "Ann Lee moved the visit");
        let conn = &mut app.db.acquire_reader().await.unwrap();
        let sql = "SELECT COUNT(*) FROM follow_up WHERE state = 'waiting' AND visit_at <> $1";
        assert_eq!(q!(conn, fetch_one scalar i64, sql, monday).unwrap(), 0, "no reminder names the old time");
        let sql = "SELECT COUNT(*) FROM follow_up WHERE state = 'waiting' AND visit_at = $1";
        assert!(q!(conn, fetch_one scalar i64, sql, monday).unwrap() >= 2, "the new one is reminded of");
        work.holds(eleven).await;
        let back = posts(&work.visitor, &format!("{page}/move"), &[("startsAt", &eleven.to_rfc3339())]).await;
        assert_eq!(back.status, 409, "the time is held");
        app.advance(monday - app.now() - Duration::hours(12) + Duration::minutes(1));
        for (what, pairs) in [("move", vec![("startsAt", "2026-09-23T15:00:00+00:00")]), ("cancel", vec![])] {
            let late = posts(&work.visitor, &format!("{page}/{what}"), &pairs).await;
            assert_eq!(late.status, 409, "{what}");
        }
        app.advance(Duration::hours(-1));
        assert_eq!(posts(&work.visitor, &format!("{page}/cancel"), &[]).await.status, 303);
        assert_eq!(q!(conn, fetch_one scalar i64, "SELECT COUNT(*) FROM follow_up WHERE state = 'waiting' AND step <> 'cancelled'").unwrap(), 0);
        assert!(work.offered("").await.iter().any(|slot| slot.starts_with("09-22")));
        app.run_tasks().await;
    }

    async fn bot_booking_becomes_a_lead_without_a_job(app) {
        let work = BookingFixture::of(app).await;
        let held = work.holds(friday()).await;
        let answer = books(&work.visitor, &held, json!({"company": "Spam Inc"})).await;
        assert_eq!((answer.status.as_u16(), &answer.json()["visitUrl"]), (201, &json!(null)), "both answers are the same");
        let token = app.settings.secret.issue_form_token("acme-plumbing", app.now(), true);
        app.advance(Duration::seconds(2));
        let held = work.holds(friday() + Duration::hours(1)).await;
        let fast = books(&work.visitor, &held, json!({"formToken": token, "phone": "5125550199", "email": null})).await;
        assert_eq!(&fast.json()["visitUrl"], &json!(null));
        assert_eq!((app.count("job").await, app.count("lead").await, app.count("slot_hold").await), (0, 2, 0));
        let leads = work.office.get("/api/leads/acme-plumbing").await.json();
        assert!(leads.as_array().unwrap().iter().all(|lead| lead["notes"].as_str().unwrap().contains("Wants a visit on Fri, Sep 18")));
        app.run_tasks().await;
    }

    async fn booking_link_needs_a_bookable_crew_unless_business_sets_its_own(app) {
        let work = BookingFixture::of(app).await;
        let link = async || {
            let mut conn = app.db.acquire_reader().await.unwrap();
            let org = shared::domain::tenancy::org::find(&mut conn, work.shop.id()).await.unwrap().unwrap();
            shared::domain::tenancy::org::load_profile(&mut conn, org).await.unwrap().booking_link(&app.settings.public_url)
        };
        assert_eq!(link().await.as_deref(), Some("https://toolbox.example/book/acme-plumbing"));
        let idle = json!({"isBookable": false});
        let crew = format!("/api/crews/{}", work.crew);
        assert_eq!(work.office.send(Method::PATCH, &crew, "application/json", idle.to_string().into_bytes()).await.status, 200);
        assert_eq!(link().await, None);
        let state = work.office.get("/api/booking").await.json();
        assert_eq!((&state["isLive"], &state["whyNot"]), (&json!(false), &json!("There is no crew that customers can book yet.")));
        assert_eq!(work.tries_to_hold(friday()).await.status, 409);
        let own = json!({"bookingLink": "https://book.example/acme"});
        let org = format!("/api/org/{}", work.shop.id());
        assert_eq!(work.office.send(Method::PATCH, &org, "application/json", own.to_string().into_bytes()).await.status, 200);
        assert_eq!(link().await.as_deref(), Some("https://book.example/acme"));
    }

    async fn invalid_booking_is_refused_and_foreign_hold_looks_unknown(app) {
        let work = BookingFixture::of(app).await;
        let other = app.org("Best Roofing").await;
        let crew = app.client().signed_in(app, other.owner()).await;
        add_crew(&crew, "Green").await;
        let held = work.holds(friday()).await;
        let theirs = books(&work.visitor, &held, json!({"org": "best-roofing"})).await;
        let none = books(&work.visitor, &json!({"holdId": Uuid::from_u128(7)}), json!({})).await;
        assert_eq!((theirs.status, theirs.json()["detail"].clone()), (none.status, none.json()["detail"].clone()));
        assert_eq!(none.status, 409);
        let refused = books(&work.visitor, &held, json!({"name": "", "phone": "12", "address": " ", "email": "ann@"})).await;
        assert_eq!(refused.problem().2, ["address", "email", "name", "phone"]);
        for (path, status) in [
            ("/api/public/slots", 404),
            ("/api/public/slots?org=nobody&service=plumbing&zip=78701", 404),
            ("/api/public/slots?org=acme-plumbing&service=cooking&zip=78701", 422),
            ("/api/public/slots?org=acme-plumbing&service=plumbing&zip=7870", 422),
            ("/api/public/slots?org=acme-plumbing&service=plumbing&zip=78701&from=soon", 422),
            ("/api/public/slots?org=acme-plumbing&service=plumbing&zip=78701&from=9999-12-31", 200),
        ] {
            assert_eq!(work.visitor.get(path).await.status, status, "{path}");
        }
        for starts in ["+262142-12-31T23:59:59Z", "-262143-01-01T00:00:00Z", "soon", "2026-09-18T15:00:00.000000001Z"] {
            let mut body = wish(friday());
            body["startsAt"] = json!(starts);
            let status = work.visitor.post("/api/public/holds", &body).await.status.as_u16();
            assert!([409, 422].contains(&status), "{starts}: {status}");
        }
    }
}
