//! Messages about a visit go to the address that confirmed it, not to one that the form only typed.

use tests::phone::Line;

use super::*;

const PHONE: &str = "+15125550142";
const EMAIL: &str = "ann@customer.example";

async fn with_line(app: &mut TestApp) -> (BookingFixture, Line) {
    let mut work = BookingFixture::of(app).await;
    let line = app.line(&mut work.shop, "+15125550100").await;
    work.office = app.client().signed_in(app, work.shop.owner()).await;
    work.visitor = app.client();
    (work, line)
}

fn emails(app: &TestApp) -> Vec<String> {
    let all = app.mail.accepted_messages().into_iter().filter(|mail| mail.to == EMAIL);
    all.map(|mail| mail.text).collect()
}

fn first_link(text: &str) -> String {
    text[text.find("/p/").unwrap()..][..46].to_owned()
}

impl BookingFixture {
    async fn first_job(&self) -> (String, Value) {
        let at = format!("/api/jobs/{}", self.jobs().await[0]["id"].as_str().unwrap());
        let shown = self.office.get(&at).await.json();
        (at, shown)
    }

    /// What the alerts open that say that no reminder can reach a customer.
    async fn alerts_of_lost_visits(&self) -> Vec<String> {
        let alerts = self.office.get("/api/alerts").await.json();
        let is_lost = |alert: &&Value| alert["title"].as_str().unwrap().starts_with("No reminder can reach ");
        alerts
            .as_array()
            .unwrap()
            .iter()
            .filter(is_lost)
            .map(|alert| alert["path"].as_str().unwrap().to_owned())
            .collect()
    }
}

both_databases! {
    async fn visit_confirmed_by_email_is_told_by_email_until_the_office_uses_the_phone(app) {
        let (work, line) = with_line(app).await;
        let held = work.holds(friday() + Duration::days(3)).await;
        assert_eq!(books(&work.visitor, &held, json!({})).await.status, 201);
        app.run_tasks().await;
        let asked = line.texts_to(PHONE).len();
        let kept = posts(&work.visitor, &format!("{}/keep", first_link(&emails(app)[0])), &[]).await;
        assert_eq!(kept.status, 303);
        app.live_through(Duration::minutes(2), Duration::minutes(1)).await;
        assert_eq!(line.texts_to(PHONE).len(), asked, "{:?}", line.texts_to(PHONE));
        let sent_emails = emails(app);
        assert!(sent_emails.len() == 2 && sent_emails[1].contains("Mon, Sep 21"), "{sent_emails:?}");
        let (at, shown) = work.first_job().await;
        let why = "their number was only typed into a form, and waits for \"Use it\" on the customer's page";
        assert_eq!(shown["customerNoVisitText"], json!(why));
        let way = work.office.post(&format!("{at}/on-my-way"), &json!({"etaMinutes": 20})).await.json();
        assert_eq!((&way["told"]["sent"], &way["told"]["channel"]), (&json!(true), &json!("email")), "{way}");
        app.run_tasks().await;
        assert_eq!((line.texts_to(PHONE).len(), emails(app).len()), (asked, 3));
        work.keeps(&held).await;
        let pressed = work.first_job().await.1;
        assert_eq!(pressed["customerNoVisitText"], json!(why), "the first press decides");
        let lead = work.jobs().await[0]["leadId"].as_str().unwrap().to_owned();
        let lead = work.office.get(&format!("/api/leads/{lead}")).await.json();
        let proposal = &lead["alsoGave"][0];
        assert!(proposal["value"] == PHONE && proposal["answeredAt"].is_string(), "{lead}");
        let used = format!("/api/contact-proposals/{}/use", proposal["id"].as_str().unwrap());
        assert_eq!(work.office.post(&used, &json!({})).await.status, 200);
        assert_eq!(work.first_job().await.1["customerNoVisitText"], json!(null));
        let late = work.office.post(&format!("{at}/late"), &json!({"minutes": 30})).await.json();
        assert_eq!((&late["told"]["sent"], &late["told"]["channel"]), (&json!(true), &json!("sms")), "{late}");
        app.run_tasks().await;
        assert_eq!(line.texts_to(PHONE).len(), asked + 1);
    }

    async fn business_that_cannot_text_is_the_reason_for_no_text_about_the_visit(app) {
        let (work, _line) = with_line(app).await;
        let held = work.holds(friday() + Duration::days(3)).await;
        assert_eq!(books(&work.visitor, &held, json!({})).await.status, 201);
        app.run_tasks().await;
        assert_eq!(posts(&work.visitor, &format!("{}/keep", first_link(&emails(app)[0])), &[]).await.status, 303);
        app.live_through(Duration::minutes(2), Duration::minutes(1)).await;
        app.sets(&work.shop, json!({"sending": {"registration": "pending"}})).await;
        let why = "your number is not registered for texting yet";
        assert_eq!(work.first_job().await.1["customerNoVisitText"], json!(why));
    }

    async fn number_that_texts_after_confirmation_by_email_is_not_called_only_typed(app) {
        let (work, line) = with_line(app).await;
        let held = work.holds(friday() + Duration::days(3)).await;
        assert_eq!(books(&work.visitor, &held, json!({})).await.status, 201);
        app.run_tasks().await;
        assert_eq!(posts(&work.visitor, &format!("{}/keep", first_link(&emails(app)[0])), &[]).await.status, 303);
        app.live_through(Duration::minutes(2), Duration::minutes(1)).await;
        line.writes(PHONE, "My sink is leaking").await;
        app.run_tasks().await;
        let shown = work.first_job().await.1;
        assert_eq!(shown["customerNoVisitText"], json!(null), "the text made a record of its own, which took the number");
    }

    async fn visit_planned_by_the_office_is_told_to_the_typed_phone(app) {
        let (work, line) = with_line(app).await;
        let lead = tests::people::Visitor::ann().submits_lead(app, &work.shop).await;
        app.run_tasks().await;
        let phone = tests::phone::ANN;
        let before = line.texts_to(phone).len();
        let job = json!({"leadId": lead, "startsAt": friday() + Duration::days(3)});
        assert_eq!(work.office.post("/api/jobs", &job).await.status, 201);
        app.live_through(Duration::minutes(2), Duration::minutes(1)).await;
        assert_eq!(line.texts_to(phone).len(), before + 1, "{:?}", line.texts_to(phone));
    }

    async fn stop_after_a_yes_says_that_no_reminder_can_reach_the_customer(app) {
        let (mut work, line) = with_line(app).await;
        let held = work.holds(friday() + Duration::days(3)).await;
        assert_eq!(books(&work.visitor, &held, json!({})).await.status, 201);
        app.run_tasks().await;
        line.writes(PHONE, "Yes").await;
        app.live_through(Duration::minutes(2), Duration::minutes(1)).await;
        let (at, shown) = work.first_job().await;
        assert_eq!(shown["customerVisitUnreachable"], json!(null));
        line.writes(PHONE, "STOP").await;
        app.run_tasks().await;
        let why = "they said STOP and their email was only typed into a form, and waits for \"Use it\" on the customer's page. Call them.";
        let shown = work.office.get(&at).await.json();
        assert_eq!((&shown["customerNoVisitText"], &shown["customerVisitUnreachable"]), (&json!("they said STOP"), &json!(why)));
        let told = |shown: &Value, name: &str| {
            let parts = shown["automation"].as_array().unwrap();
            parts.iter().find(|part| part["name"] == name).unwrap()["detail"].clone()
        };
        assert_eq!(told(&shown, "Job tracking"), json!(format!("No reminder can reach them: {why}")));
        let no_call = why.strip_suffix(" Call them.").unwrap();
        assert_eq!(told(&shown, "Reviews"), json!(format!("They cannot be asked for a review: {no_call}")));
        assert_eq!(work.alerts_of_lost_visits().await, [at.replace("/api/", "/app/")], "at once");
        // The day before, at nine in the morning.
        app.live_through(Duration::days(3), Duration::hours(1)).await;
        work.office = app.client().signed_in(app, work.shop.owner()).await;
        let shown = work.office.get(&at).await.json();
        let words = shown["messages"].as_array().unwrap().iter().map(|message| message["statusText"].as_str().unwrap());
        let unsent: Vec<&str> = words.filter(|words| words.starts_with("not sent: they said STOP, and their email")).collect();
        assert_eq!(unsent.len(), 1, "{}", shown["messages"]);
        assert_eq!(work.alerts_of_lost_visits().await.len(), 1, "once for each visit");
    }

    async fn reminder_that_finds_no_recipient_alerts_once(app) {
        let (mut work, line) = with_line(app).await;
        let lead = tests::people::Visitor::ann().email(None).submits_lead(app, &work.shop).await;
        app.run_tasks().await;
        line.writes(PHONE, "Please come on Monday").await;
        app.run_tasks().await;
        let job = json!({"leadId": lead, "startsAt": friday() + Duration::days(3)});
        assert_eq!(work.office.post("/api/jobs", &job).await.status, 201);
        app.live_through(Duration::minutes(2), Duration::minutes(1)).await;
        // Not by a text: the office noted it.
        let stop = "INSERT INTO opt_out (org_id, channel, address, state, source, at) VALUES ($1, 'sms', $2, 'stopped', 'person', $3)";
        app.within(async |tx| Ok(q!(tx, execute, stop, work.shop.id(), PHONE, app.now())?)).await.unwrap();
        assert!(work.alerts_of_lost_visits().await.is_empty());
        app.live_through(Duration::days(3), Duration::hours(1)).await;
        work.office = app.client().signed_in(app, work.shop.owner()).await;
        assert_eq!(work.alerts_of_lost_visits().await.len(), 1);
    }

    async fn alert_of_a_request_advises_no_text_after_stop(app) {
        let (work, line) = with_line(app).await;
        tests::people::Visitor::ann().submits_lead(app, &work.shop).await;
        app.run_tasks().await;
        line.writes(PHONE, "STOP").await;
        app.run_tasks().await;
        let held = work.holds(friday() + Duration::days(3)).await;
        assert_eq!(books(&work.visitor, &held, json!({})).await.status, 201);
        app.run_tasks().await;
        let alerts = work.office.get("/api/alerts").await.json();
        let mut words = alerts.as_array().unwrap().iter().map(|alert| alert["body"].as_str().unwrap());
        let held = words.find(|words| words.contains("Held until")).unwrap_or_else(|| panic!("{alerts}"));
        assert!(held.ends_with("the time is free again: call or email them."), "{held}");
    }
}
