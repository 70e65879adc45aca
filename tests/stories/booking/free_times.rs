//! Free times offered after a form, in the automatic answer, and after an approval.

use shared::platform::id::LeadId;
use tests::http::Multipart;

use super::*;

pub(super) fn text(answer: &Answer) -> String {
    String::from_utf8_lossy(&answer.body).into_owned()
}

/// Ann sends the form. Returns the path of the page with her times.
pub(super) async fn sends_form(client: &Client) -> String {
    let taken = client.post_form("/api/leads/create", Multipart::ann("acme-plumbing")).await;
    assert_eq!(taken.status, 201, "{}", taken.json());
    taken.json()["timesPath"].as_str().unwrap_or_else(|| panic!("{}", taken.json())).to_owned()
}

async fn next_times(client: &Client, path: &str) -> Vec<DateTime<Utc>> {
    let token = path.rsplit_once('/').unwrap().1;
    let answer = client.get(&format!("/api/public/times?link={token}")).await;
    assert_eq!(answer.status, 200, "{}", answer.json());
    let next = answer.json()["next"].as_array().unwrap().clone();
    next.iter().map(|time| time["startsAt"].as_str().unwrap().parse().unwrap()).collect()
}

pub(super) async fn picks(client: &Client, path: &str, at: DateTime<Utc>) -> Answer {
    posts(client, &format!("{path}/time"), &[("startsAt", &at.to_rfc3339()), ("address", "12 Elm St")]).await
}

/// The first link in a text that was sent.
pub(super) fn sent_path(body: &str) -> String {
    body[body.find("/p/").unwrap_or_else(|| panic!("{body}"))..][..46].to_owned()
}

/// Questions that ask for the tap, by text.
fn tap_questions(app: &TestApp) -> usize {
    app.sms
        .accepted_messages()
        .iter()
        .filter(|sms| sms.body.contains("Fri, Sep 18") || sms.body.contains("Mon, Sep 21"))
        .count()
}

/// The lead's estimate with a deposit, approved by its customer. Returns the path of its page.
pub(super) async fn approves(app: &TestApp, work: &BookingFixture, lead: LeadId, estimate: Value) -> String {
    let made = work.office.post(&format!("/api/leads/{lead}/estimate"), &estimate).await;
    assert!(made.status.is_success(), "{}", made.json());
    app.run_tasks().await;
    let estimates = work.office.get(&format!("/api/leads/{lead}/estimates")).await.json();
    let link = estimates[0]["link"].as_str().unwrap().trim_start_matches("https://toolbox.example").to_owned();
    let page = text(&work.visitor.get(&link).await);
    let hash = page.split("name=\"sha256\" value=\"").nth(1).unwrap()[..64].to_owned();
    let form = [("name", "Ann Lee"), ("agree", "yes"), ("sha256", hash.as_str())];
    assert_eq!(posts(&work.visitor, &format!("{link}/approve"), &form).await.status, 303);
    app.run_tasks().await;
    link
}

async fn waits_to_be_scheduled(work: &BookingFixture) -> bool {
    let items = work.office.get("/api/worklist?view=next").await.json();
    items.as_array().unwrap().iter().any(|item| item["kind"] == "schedule")
}

both_databases! {
    async fn three_times_after_a_form_do_not_overlap_and_one_is_held_for_the_lead(app) {
        let work = BookingFixture::of(app).await;
        let path = sends_form(&work.visitor).await;
        app.run_tasks().await;
        let next = next_times(&work.visitor, &path).await;
        assert_eq!(next, [friday(), friday() + Duration::hours(2), friday() + Duration::hours(4)]);
        let page = text(&work.visitor.get(&path).await);
        assert!(page.contains("Fri, Sep 18, 10:00 AM") && page.contains("Other times") && page.contains("Where should we come?"), "{page}");
        assert!(!page.contains("Ann") && !page.contains("555-0142"), "nothing that is on file: {page}");
        let no_address = posts(&work.visitor, &format!("{path}/time"), &[("startsAt", &friday().to_rfc3339())]).await;
        assert!(no_address.status == 422 && text(&no_address).contains("fault-address"), "{}", text(&no_address));
        let picked = picks(&work.visitor, &path, friday()).await;
        let at = picked.header("location").to_owned();
        assert!(picked.status == 303 && at.contains("confirm=1"), "{at}: {}", text(&picked));
        assert!(text(&work.visitor.get(&at).await).contains("to keep Fri, Sep 18, 10:00 AM"));
        assert_eq!(work.tries_to_hold(friday()).await.status, 409, "the time is held");
        let again = picks(&work.visitor, &path, friday()).await;
        assert_eq!((again.status.as_u16(), again.header("location")), (303, at.as_str()), "a second tap");
        app.run_tasks().await;
        assert_eq!((app.count("lead").await, app.count("lead_inquiry").await, app.count("booking_request").await), (1, 1, 1));
        assert_eq!((tap_questions(app), app.count("job").await), (1, 0), "one question, and nothing booked");
        let question = app.sms.accepted_messages().into_iter().find(|sms| sms.body.contains("Fri, Sep 18")).unwrap();
        let kept = posts(&work.visitor, &format!("{}/keep", sent_path(&question.body)), &[]).await;
        assert_eq!(kept.status, 303, "{}", text(&kept));
        let [job]: [Value; 1] = work.jobs().await.try_into().unwrap();
        let lead = work.lead_named("Ann Lee").await;
        assert_eq!((&job["leadId"], &job["crewId"], &lead["stage"]), (&lead["id"], &json!(work.crew), &json!("Scheduled")));
        app.run_tasks().await;
    }

    async fn chosen_time_wakes_a_snoozed_conversation(app) {
        let work = BookingFixture::of(app).await;
        let path = sends_form(&work.visitor).await;
        app.run_tasks().await;
        let thread = work.office.get("/api/inbox").await.json()[0].clone();
        let change = json!({"snoozedUntil": app.now() + Duration::days(7)}).to_string().into_bytes();
        let customer = format!("/api/customers/{}", thread["customerId"].as_str().unwrap());
        let snoozed = work.office.send(Method::PATCH, &format!("{customer}/thread"), "application/json", change).await;
        assert_eq!(snoozed.status, 200, "{}", snoozed.json());
        let waiting = async || work.office.get("/api/worklist?view=next").await.json().as_array().map(Vec::len);
        assert_eq!(waiting().await, Some(0));
        assert_eq!(picks(&work.visitor, &path, friday()).await.status, 303);
        assert_eq!((waiting().await, app.count("booking_request").await), (Some(1), 1), "a new wish is seen");
        let talk = work.office.get(&format!("{customer}/conversation")).await.json();
        assert!(talk["thread"]["snoozedUntil"].is_null(), "{}", talk["thread"]);
        app.run_tasks().await;
    }

    async fn another_choice_lets_go_of_the_first_and_a_taken_time_shows_the_next(app) {
        let work = BookingFixture::of(app).await;
        let path = sends_form(&work.visitor).await;
        assert_eq!(picks(&work.visitor, &path, friday()).await.status, 303);
        let monday = friday() + Duration::days(3);
        assert_eq!(picks(&work.visitor, &path, monday).await.status, 303);
        assert_eq!(app.count("slot_hold").await, 1, "the first is free again");
        let other = app.client().from_address([198, 51, 100, 7]);
        let held = other.post("/api/public/holds", &wish(friday())).await;
        assert_eq!(held.status, 201, "{}", held.json());
        let late = picks(&work.visitor, &path, friday()).await;
        let page = text(&late);
        assert!(late.status == 409 && page.contains("That time was just taken. Here are the next ones."), "{page}");
        assert!(page.contains("name=\"startsAt\"") && page.contains("value=\"12 Elm St\""), "{page}");
        app.run_tasks().await;
    }

    async fn automatic_answers_carry_a_link_that_books_at_once(app) {
        let work = BookingFixture::of(app).await;
        let form_path = sends_form(&work.visitor).await;
        app.run_tasks().await;
        let texts = app.sms.accepted_messages();
        assert_eq!(texts.len(), 1);
        let sms = &texts[0];
        assert!(sms.body.contains(" Pick a time: https://toolbox.example/p/"), "{}", sms.body);
        let mail = app.mail.accepted_messages().into_iter().find(|mail| mail.to == "ann@customer.example").unwrap();
        assert!(mail.text.contains("See when we can come:"), "{}", mail.text);
        let (by_text, by_email) = (sent_path(&sms.body), sent_path(&mail.text));
        assert!(by_text != by_email && by_text != form_path, "each has a link of their own");
        let picked = picks(&work.visitor, &by_text, friday()).await;
        let visit = picked.header("location").to_owned();
        assert!(picked.status == 303 && visit.ends_with("?booked=1"), "{visit}: {}", text(&picked));
        let [job]: [Value; 1] = work.jobs().await.try_into().unwrap();
        assert_eq!(job["date"].as_str().unwrap().parse::<DateTime<Utc>>().unwrap(), friday());
        assert_eq!(work.lead_named("Ann Lee").await["stage"], "Scheduled");
        let again = picks(&work.visitor, &by_email, friday() + Duration::hours(4)).await;
        let shown = again.header("location").to_owned();
        assert!(again.status == 303 && !shown.contains("booked="), "the first tap set the email aside: {shown}");
        assert!(!text(&work.visitor.get(&shown).await).contains("Fri, Sep 18, 10:00 AM"));
        assert_eq!((app.count("lead").await, app.count("job").await, app.count("booking_request").await), (1, 1, 2), "each tap counts as a request");
        app.live_through(Duration::minutes(2), Duration::minutes(1)).await;
        let texts = app.sms.accepted_messages().len();
        assert_eq!(texts, 3, "the answer, the confirmation of the visit, and the question about the other time");
    }

    async fn choice_before_the_answer_left_is_confirmed_by_one_message(app) {
        let work = BookingFixture::of(app).await;
        let path = sends_form(&work.visitor).await;
        assert_eq!(picks(&work.visitor, &path, friday()).await.status, 303);
        app.run_tasks().await;
        let texts = app.sms.accepted_messages();
        assert!(texts.len() == 1 && texts[0].body.contains("Fri, Sep 18, 10:00 AM"), "{texts:?}");
    }

    async fn edited_template_and_closed_booking_have_no_link(app) {
        let work = BookingFixture::of(app).await;
        app.promises_nothing(&work.shop).await;
        sends_form(&work.visitor).await;
        app.run_tasks().await;
        let own = app.sms.accepted_messages().pop().unwrap().body;
        assert!(own.contains("We reply soon.") && !own.contains("/p/"), "{own}");
        app.sets(&work.shop, json!({"booking": {"isOn": false}})).await;
        let other = Multipart::ann("acme-plumbing").text("phone", "5125550143").text("email", "bo@customer.example");
        let taken = work.visitor.post_form("/api/leads/create", other).await.json();
        assert!(taken["timesPath"].is_null(), "{taken}");
        app.run_tasks().await;
    }

    async fn booking_closed_meanwhile_offers_and_books_nothing(app) {
        let work = BookingFixture::of(app).await;
        let path = sends_form(&work.visitor).await;
        app.sets(&work.shop, json!({"booking": {"isOn": false}})).await;
        assert!(next_times(&work.visitor, &path).await.is_empty());
        assert!(text(&work.visitor.get(&path).await).contains("You can&#x27;t pick a time here right now"));
        assert_eq!(picks(&work.visitor, &path, friday()).await.status, 409);
        assert_eq!((app.count("job").await, app.count("slot_hold").await), (0, 0));
        app.run_tasks().await;
    }

    async fn held_request_is_offered_times_like_any_other_and_holds_none(app) {
        let work = BookingFixture::of(app).await;
        let spam = Multipart::ann("acme-plumbing").text("company", "Spam Inc");
        let taken = work.visitor.post_form("/api/leads/create", spam).await.json();
        let path = taken["timesPath"].as_str().unwrap().to_owned();
        assert_eq!(next_times(&work.visitor, &path).await.len(), 3);
        let picked = picks(&work.visitor, &path, friday()).await;
        assert!(picked.status == 303 && picked.header("location").contains("?waiting="), "{}", picked.header("location"));
        assert_eq!((app.count("job").await, app.count("slot_hold").await), (0, 0));
        app.run_tasks().await;
        assert!(app.sms.accepted_messages().is_empty(), "nobody is asked");
    }

    async fn repeated_tap_on_held_request_writes_nothing_more(app) {
        let work = BookingFixture::of(app).await;
        let spam = Multipart::ann("acme-plumbing").text("company", "Spam Inc");
        let taken = work.visitor.post_form("/api/leads/create", spam).await.json();
        let path = taken["timesPath"].as_str().unwrap().to_owned();
        let lines = async || {
            let submitted = app.count("audit_event WHERE action = 'lead_submitted'").await;
            (submitted, app.count("booking_request").await, app.count("lead_inquiry").await)
        };
        let first = picks(&work.visitor, &path, friday()).await;
        let written = lines().await;
        assert_eq!(written.1, 1);
        for _ in 0..3 {
            app.advance(Duration::seconds(1));
            let again = picks(&work.visitor, &path, friday()).await;
            assert_eq!((again.status, again.header("location")), (first.status, first.header("location")));
        }
        assert_eq!(lines().await, written);
        assert_eq!(picks(&work.visitor, &path, friday() + Duration::hours(4)).await.status, 303);
        assert_eq!(lines().await, (written.0 + 1, 2, written.2), "another time is another wish");
        app.run_tasks().await;
    }

    async fn office_copy_and_foreign_or_forged_links_book_nothing(app) {
        let work = BookingFixture::of(app).await;
        let other = app.org("Best Roofing").await;
        add_crew(&app.client().signed_in(app, other.owner()).await, "Green").await;
        let path = sends_form(&work.visitor).await;
        app.run_tasks().await;
        let sql = "SELECT id FROM access_link WHERE org_id = $1 AND kind = 'free_times'";
        let mut conn = app.db.acquire_reader().await.unwrap();
        let own = q!(&mut conn, fetch_one scalar shared::platform::id::LinkId, sql, work.shop.id()).unwrap();
        drop(conn);
        let kind = shared::platform::access_link::LinkKind::FreeTimes;
        let copy = shared::platform::access_link::build_path(&work.secret, own, kind);
        let page = work.office.get(&copy).await;
        assert!(text(&page).contains("your copy of the customer&#x27;s link") && !text(&page).contains("startsAt"), "{}", text(&page));
        assert_eq!(picks(&work.office, &copy, friday()).await.status, 403);
        let rival = app.client().signed_in(app, other.owner()).await;
        let picked = picks(&rival, &copy, friday()).await;
        assert!(picked.header("location").contains("confirm=1"), "it proves nothing, so a tap is asked for");
        for bad in [format!("{path}A"), "/p/xyz".to_owned()] {
            assert_eq!(picks(&work.visitor, &bad, friday()).await.status, 404, "{bad}");
        }
        assert_eq!(app.count("job").await, 0);
        let theirs = "booking_request r JOIN lead l ON l.id = r.lead_id WHERE r.org_id <> l.org_id";
        assert_eq!(app.count(theirs).await, 0);
        app.run_tasks().await;
    }

    async fn two_people_who_pick_one_time_get_it_once(app) {
        let work = BookingFixture::of(app).await;
        sends_form(&work.visitor).await;
        let bo = Multipart::ann("acme-plumbing").text("phone", "5125550143").text("email", "bo@customer.example").text("name", "Bo Ray");
        assert_eq!(work.visitor.post_form("/api/leads/create", bo).await.status, 201);
        app.run_tasks().await;
        let texts = app.sms.accepted_messages();
        let links: Vec<String> = texts.iter().map(|sms| sent_path(&sms.body)).collect();
        let both = [&links[0], &links[1]].map(|link| picks(&work.visitor, link, friday()));
        let answers = futures::future::join_all(both).await;
        let mut states: Vec<u16> = answers.iter().map(|answer| answer.status.as_u16()).collect();
        states.sort_unstable();
        assert_eq!(states, [303, 409]);
        assert_eq!(app.count("job").await, 1);
        app.run_tasks().await;
    }

    async fn approval_offers_times_and_the_choice_schedules_the_work(app) {
        let work = BookingFixture::of(app).await;
        let lead = tests::people::Visitor::ann().submits_lead(app, &work.shop).await;
        let link = approves(app, &work, lead, json!({"quotedTotal": 450.0, "deposit": {"amount": 200}})).await;
        assert!(waits_to_be_scheduled(&work).await);
        let page = text(&work.visitor.get(&link).await);
        assert!(page.contains("Pick a time for the work") && page.contains("Fri, Sep 18, 10:00 AM"), "{page}");
        assert!(page.contains("Pick a time, then pay the $200.00 deposit to keep it."), "{page}");
        let picked = picks(&work.visitor, &link, friday()).await;
        assert_eq!((picked.status.as_u16(), picked.header("location")), (303, format!("{link}#times").as_str()), "{}", text(&picked));
        assert_eq!(picks(&work.visitor, &link, friday() + Duration::hours(4)).await.status, 303, "a second tap");
        let [job]: [Value; 1] = work.jobs().await.try_into().unwrap();
        assert_eq!(job["date"].as_str().unwrap().parse::<DateTime<Utc>>().unwrap(), friday());
        assert_eq!((&job["leadId"], &job["crewId"]), (&json!(lead.to_string()), &json!(work.crew)));
        assert_eq!(work.lead_named("Ann Lee").await["stage"], "Scheduled");
        assert!(!waits_to_be_scheduled(&work).await);
        let page = text(&work.visitor.get(&link).await);
        assert!(page.contains("Your visit") && page.contains("Pay the $200.00 deposit to keep this time."), "{page}");
        let alerts = work.office.get("/api/alerts").await.json();
        assert!(alerts.as_array().unwrap().iter().any(|alert| alert["kind"] == "visit_booked"), "{alerts}");
        app.run_tasks().await;
    }

    async fn deposit_first_and_withdrawn_estimate_offer_no_time(app) {
        let work = BookingFixture::of(app).await;
        app.sets(&work.shop, json!({"booking": {"depositFirst": true}})).await;
        let lead = tests::people::Visitor::ann().submits_lead(app, &work.shop).await;
        let link = approves(app, &work, lead, json!({"quotedTotal": 450.0, "deposit": {"amount": 200}})).await;
        let page = text(&work.visitor.get(&link).await);
        assert!(page.contains("Pay the $200.00 deposit first. Then you can pick a time.") && !page.contains("startsAt"), "{page}");
        assert_eq!(picks(&work.visitor, &link, friday()).await.status, 409);
        app.sets(&work.shop, json!({"booking": {"depositFirst": false}})).await;
        assert!(text(&work.visitor.get(&link).await).contains("startsAt"));
        let sql = "UPDATE estimate SET status = 'withdrawn' WHERE org_id = $1 AND lead_id = $2";
        app.within(async |tx| Ok(q!(tx, execute, sql, work.shop.id(), lead)?)).await.unwrap();
        assert!(!text(&work.visitor.get(&link).await).contains("startsAt"));
        assert_eq!(picks(&work.visitor, &link, friday()).await.status, 409);
        assert_eq!(app.count("job").await, 0);
        app.run_tasks().await;
    }

    async fn job_without_a_time_gets_the_chosen_one(app) {
        let work = BookingFixture::of(app).await;
        let lead = tests::people::Visitor::ann().submits_lead(app, &work.shop).await;
        let link = approves(app, &work, lead, json!({"quotedTotal": 450.0})).await;
        let made = work.office.post("/api/jobs", &json!({"leadId": lead, "durationMinutes": 60})).await;
        assert_eq!(made.status, 201, "{}", made.json());
        assert_eq!(picks(&work.visitor, &link, friday()).await.status, 303);
        let [job]: [Value; 1] = work.jobs().await.try_into().unwrap();
        assert_eq!((&job["id"], &job["crewId"]), (&made.json()["id"], &json!(work.crew)));
        assert_eq!(job["date"].as_str().unwrap().parse::<DateTime<Utc>>().unwrap(), friday());
        app.run_tasks().await;
    }
}
