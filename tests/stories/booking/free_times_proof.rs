//! What a link to free times proves: the answer to a form goes to any address that was typed there, and a mailbox costs
//! nothing.

use shared::platform::{
    access_link::{LinkKind, build_path, copy, find_active},
    id::LinkId,
};
use tests::http::Multipart;

use super::{
    free_times::{picks, sent_path, text},
    *,
};

const ANN: &str = "+15125550142";
const STRANGER: &str = "evil@x.example";

/// Ann is on the list of the business.
async fn that_knows_ann(app: &mut TestApp) -> BookingFixture {
    let work = BookingFixture::of(app).await;
    let list = b"name,phone,email\nAnn Lee,5125550142,ann@customer.example\n".to_vec();
    assert_eq!(work.office.send(Method::POST, "/api/customers/import", "text/csv", list).await.status, 200);
    work
}

async fn sends(client: &Client, form: Multipart) -> String {
    let taken = client.post_form("/api/leads/create", form).await;
    assert_eq!(taken.status, 201, "{}", taken.json());
    taken.json()["timesPath"].as_str().unwrap_or_else(|| panic!("{}", taken.json())).to_owned()
}

/// The form names Ann's phone, and a mailbox of the stranger.
async fn stranger_types_anns_phone(app: &TestApp) -> Client {
    let stranger = app.client().from_address([198, 51, 100, 7]);
    sends(&stranger, Multipart::ann("acme-plumbing").text("email", STRANGER)).await;
    stranger
}

/// The token of the only request's link for an address, as a message to it carries one.
async fn times_link_to(work: &BookingFixture, to: (copy::LinkCopyChannel, &str)) -> String {
    let mut tx = work.db.begin().await.unwrap();
    let sql = "SELECT id FROM access_link WHERE org_id = $1 AND kind = 'free_times'";
    let own = q!(&mut tx, fetch_one scalar LinkId, sql, work.shop.id()).unwrap();
    let sent = copy::ensure_copy(&mut tx, &work.origin, work.shop.id(), own, to).await.unwrap().unwrap();
    tx.commit().await.unwrap();
    build_path(&work.secret, sent, LinkKind::FreeTimes)
}

/// The page of the visit as a form's answer leads to it.
async fn form_page_of(work: &BookingFixture, job: &Value) -> String {
    let id: Uuid = job["id"].as_str().unwrap().parse().unwrap();
    let (org, kind) = (work.shop.id(), LinkKind::Visit);
    let mut tx = work.db.begin().await.unwrap();
    let own = find_active(&mut tx, org, kind, id).await.unwrap().unwrap();
    let page = copy::build_form_path(&mut tx, &work.origin, &work.secret, (org, own, kind)).await.unwrap();
    tx.commit().await.unwrap();
    page
}

/// The office plans Ann's visit for Friday.
async fn plans_visit(work: &BookingFixture) -> Value {
    let lead = work.lead_named("Ann Lee").await;
    let planned = json!({
        "leadId": lead["id"], "crewId": work.crew, "startsAt": friday(), "durationMinutes": 120, "address": "12 Elm St",
    });
    let made = work.office.post("/api/jobs", &planned).await;
    assert_eq!(made.status, 201, "{}", made.json());
    made.json()
}

async fn only_job(work: &BookingFixture) -> Value {
    let [job]: [Value; 1] = work.jobs().await.try_into().unwrap();
    job
}

fn starts(job: &Value) -> DateTime<Utc> {
    job["date"].as_str().unwrap().parse().unwrap()
}

/// A person nobody knows sends the form; the link that their email carries.
async fn newcomer(app: &TestApp, n: u8) -> (Client, String) {
    let client = app.client().from_address([198, 51, n, 10]);
    let link = newcomer_at(app, &client, n).await;
    (client, link)
}

async fn newcomer_at(app: &TestApp, client: &Client, n: u8) -> String {
    let email = format!("newcomer{n}@mail.example");
    let form = Multipart::ann("acme-plumbing").text("name", &format!("Newcomer {}", word(n)));
    sends(client, form.text("phone", &format!("51255503{n:02}")).text("email", &email)).await;
    app.run_tasks().await;
    let letter = app.mail.accepted_messages().into_iter().find(|mail| mail.to == email).unwrap();
    sent_path(&letter.text)
}

fn word(n: u8) -> char {
    char::from(b'A' + n)
}

/// Monday of the next week and the days after it, at ten.
fn day(n: i64) -> DateTime<Utc> {
    friday() + Duration::days(3 + n)
}

fn is_booked(answer: &Answer) -> bool {
    answer.status == 303 && answer.header("location").ends_with("?booked=1")
}

/// The request is left to the office, in the words of the booking page.
async fn is_left(client: &Client, answer: &Answer) -> bool {
    let at = answer.header("location").to_owned();
    let page = text(&client.get(&at).await);
    answer.status == 303
        && at.starts_with("/book/acme-plumbing?")
        && !at.contains("confirm=1")
        && page.contains("We have your request")
}

both_databases! {
    async fn answer_to_an_address_not_on_file_has_no_link_to_times(app) {
        let work = that_knows_ann(app).await;
        stranger_types_anns_phone(app).await;
        app.run_tasks().await;
        let letter = app.mail.accepted_messages().into_iter().find(|mail| mail.to == STRANGER).unwrap();
        assert!(letter.text.contains("We have received your request"), "{}", letter.text);
        assert!(!letter.text.contains("/p/") && !letter.text.contains("See when we can come"), "{}", letter.text);
        let sms = app.sms.accepted_messages().into_iter().find(|sms| sms.to == ANN).unwrap();
        assert!(sms.body.contains(" Pick a time: https://toolbox.example/p/"), "{}", sms.body);
        assert_eq!(app.count("customer").await, 1, "the request is hers");
        assert!(work.jobs().await.is_empty());
    }

    async fn answer_to_a_phone_not_on_file_has_no_link_to_times(app) {
        that_knows_ann(app).await;
        let stranger = app.client().from_address([198, 51, 100, 7]);
        sends(&stranger, Multipart::ann("acme-plumbing").text("phone", "5125550199")).await;
        app.run_tasks().await;
        let sms = app.sms.accepted_messages().into_iter().find(|sms| sms.to == "+15125550199").unwrap();
        assert!(!sms.body.contains("/p/") && !sms.body.contains("Pick a time"), "{}", sms.body);
        let letter = app.mail.accepted_messages().into_iter().find(|mail| mail.to == "ann@customer.example").unwrap();
        assert!(letter.text.contains("See when we can come:"), "{}", letter.text);
    }

    async fn released_request_sends_no_link_to_times_to_an_address_not_on_file(app) {
        let work = that_knows_ann(app).await;
        let spam = Multipart::ann("acme-plumbing").text("email", STRANGER).text("company", "Spam Inc");
        sends(&app.client().from_address([198, 51, 100, 7]), spam).await;
        let lead = work.lead_named("Ann Lee").await;
        let released = work.office.post(&format!("/api/leads/{}/release", lead["id"].as_str().unwrap()), &json!({})).await;
        assert!(released.status.is_success(), "{}", text(&released));
        app.live_through(Duration::minutes(2), Duration::minutes(1)).await;
        let letter = app.mail.accepted_messages().into_iter().find(|mail| mail.to == STRANGER).unwrap();
        assert!(!letter.text.contains("/p/"), "{}", letter.text);
        let sms = app.sms.accepted_messages().into_iter().find(|sms| sms.to == ANN).unwrap();
        assert!(sms.body.contains(" Pick a time: "), "{}", sms.body);
    }

    async fn link_sent_to_a_stranger_leads_to_no_visit_of_the_office_and_asks_the_customer(app) {
        let work = that_knows_ann(app).await;
        let stranger = stranger_types_anns_phone(app).await;
        let job = plans_visit(&work).await;
        let sql = "UPDATE lead SET address = '5 Oak St' WHERE org_id = $1";
        app.within(async |tx| Ok(q!(tx, execute, sql, work.shop.id())?)).await.unwrap();
        app.run_tasks().await;
        let link = times_link_to(&work, (copy::LinkCopyChannel::Email, STRANGER)).await;
        let page = text(&stranger.get(&link).await);
        assert!(page.contains("Where should we come?") && !page.contains("Oak"), "nothing that is on file: {page}");
        let before = app.count("access_link_copy WHERE kind = 'form'").await;
        let picked = picks(&stranger, &link, day(0)).await;
        let at = picked.header("location").to_owned();
        assert!(picked.status == 303 && at.contains("confirm=1"), "{at}: {}", text(&picked));
        assert_eq!(picks(&stranger, &link, friday()).await.status, 409, "the time of her visit");
        for what in ["cancel", "move"] {
            let tried = posts(&stranger, &format!("{link}/{what}"), &[("startsAt", &day(1).to_rfc3339())]).await;
            assert_eq!(tried.status, 404, "{what}");
        }
        assert_eq!(app.count("access_link_copy WHERE kind = 'form'").await, before, "no page of her visit was made");
        let kept = only_job(&work).await;
        assert_eq!((&kept["id"], &kept["status"], starts(&kept)), (&job["id"], &json!("Scheduled"), friday()));
        assert_eq!(app.count("booking_request WHERE confirmed_at IS NOT NULL OR job_id IS NOT NULL").await, 0);
        app.run_tasks().await;
        let asked: Vec<String> = app.sms.accepted_messages().into_iter().filter(|sms| sms.body.contains("Mon, Sep 21")).map(|sms| sms.to).collect();
        assert_eq!(asked, [ANN], "she is asked, and nobody else");
        let letters = app.mail.accepted_messages();
        assert!(letters.iter().filter(|mail| mail.to == STRANGER).all(|mail| !mail.text.contains("/p/")));
    }

    async fn link_texted_to_a_stranger_books_nothing_in_the_name_of_the_owner_of_the_email(app) {
        let work = that_knows_ann(app).await;
        let stranger = app.client().from_address([198, 51, 100, 7]);
        sends(&stranger, Multipart::ann("acme-plumbing").text("phone", "5125550199")).await;
        app.run_tasks().await;
        let link = times_link_to(&work, (copy::LinkCopyChannel::Phone, "+15125550199")).await;
        for _ in 0..2 {
            let picked = picks(&stranger, &link, day(0)).await;
            assert!(picked.header("location").contains("confirm=1"), "{}", text(&picked));
        }
        assert_eq!(app.count("job").await, 0, "nor by a second tap, after the first has answered");
        app.run_tasks().await;
        let texts = app.sms.accepted_messages();
        assert!(!texts.iter().any(|sms| sms.to == "+15125550199" && sms.body.contains("Mon, Sep 21")), "{texts:?}");
    }

    async fn link_sent_to_a_stranger_lets_go_of_no_time_that_the_customer_waits_for(app) {
        let work = that_knows_ann(app).await;
        let stranger = stranger_types_anns_phone(app).await;
        let link = times_link_to(&work, (copy::LinkCopyChannel::Email, STRANGER)).await;
        let own = sends(&work.visitor, Multipart::ann("acme-plumbing")).await;
        let picked = picks(&work.visitor, &own, friday()).await;
        assert!(picked.header("location").contains("confirm=1"), "a form of the lead named a stranger: {}", text(&picked));
        assert_eq!(picks(&stranger, &link, day(0)).await.status, 303);
        assert_eq!(app.count("slot_hold").await, 2);
        assert_eq!(work.tries_to_hold(friday()).await.status, 409, "hers is held as before");
        app.run_tasks().await;
    }

    async fn customers_own_link_leads_to_the_visit_of_the_office_and_cancels_it(app) {
        let work = that_knows_ann(app).await;
        let form = sends(&work.visitor, Multipart::ann("acme-plumbing")).await;
        app.run_tasks().await;
        let by_text = sent_path(&app.sms.accepted_messages()[0].body);
        let job = plans_visit(&work).await;
        let picked = picks(&work.visitor, &by_text, day(0)).await;
        let page = picked.header("location").split('?').next().unwrap().to_owned();
        assert!(picked.status == 303 && page.starts_with("/p/"), "{}", text(&picked));
        let by_form = form_page_of(&work, &job).await;
        assert!(page != by_form, "the page is hers, not a form's");
        let shown = text(&work.visitor.get(&by_form).await);
        assert!(!shown.contains("/cancel") && !shown.contains("move=1"), "{shown}");
        let moved = posts(&work.visitor, &format!("{by_form}/move"), &[("startsAt", &day(1).to_rfc3339())]).await;
        let cancelled = posts(&work.visitor, &format!("{by_form}/cancel"), &[]).await;
        assert_eq!((moved.status.as_u16(), cancelled.status.as_u16()), (404, 404), "a form's link changes no visit of the office");
        let at_form = picks(&work.visitor, &form, friday()).await;
        assert_eq!(at_form.status, 409, "nor does the link after the form find it: {}", text(&at_form));
        assert_eq!(starts(&only_job(&work).await), friday());
        assert_eq!(posts(&work.visitor, &format!("{page}/cancel"), &[]).await.status, 303);
        assert_eq!(app.count("job WHERE status = 'cancelled'").await, 1);
        app.run_tasks().await;
    }

    async fn first_taps_count_among_the_requests_of_network_and_day(app) {
        let work = that_knows_ann(app).await;
        app.sets(&work.shop, json!({"booking": {"unprovenPerNetwork": 2, "unprovenPerDay": 3}})).await;
        let one_network = app.client().from_address([198, 51, 1, 10]);
        let mut booked = Vec::new();
        for n in 0..3_u8 {
            let link = newcomer_at(app, &one_network, n).await;
            let answer = picks(&one_network, &link, day(i64::from(n))).await;
            booked.push(is_booked(&answer));
            assert!(is_booked(&answer) || is_left(&one_network, &answer).await, "{n}: {}", answer.header("location"));
        }
        assert_eq!(booked, [true, true, false], "two of a network");
        assert_eq!(work.lead_named("Newcomer C").await["heldVisit"]["state"], "network_limit");
        let (elsewhere, link) = newcomer(app, 3).await;
        assert!(is_booked(&picks(&elsewhere, &link, day(2)).await), "another network");
        let (last, link) = newcomer(app, 4).await;
        let answer = picks(&last, &link, day(3)).await;
        assert!(is_left(&last, &answer).await, "three of the day: {}", answer.header("location"));
        assert_eq!(work.lead_named("Newcomer E").await["heldVisit"]["state"], "limit_reached");
        let held = work.holds(day(3)).await;
        let bob = json!({"name": "Bob Ray", "phone": "5125550201", "email": null});
        assert!(books(&work.visitor, &held, bob).await.json()["confirmUntil"].is_null(), "the booking page counts them too");
        sends(&one_network, Multipart::ann("acme-plumbing")).await;
        app.run_tasks().await;
        let sms = app.sms.accepted_messages().into_iter().rfind(|sms| sms.to == ANN).unwrap();
        assert!(is_booked(&picks(&one_network, &sent_path(&sms.body), day(4)).await), "a known person books as before");
        app.advance(Duration::hours(25));
        let (tomorrow, link) = newcomer(app, 5).await;
        assert!(is_booked(&picks(&tomorrow, &link, day(7)).await), "the next day has its own");
        app.run_tasks().await;
    }

    async fn first_taps_of_one_network_block_get_half_of_the_day(app) {
        let work = BookingFixture::of(app).await;
        app.sets(&work.shop, json!({"booking": {"unprovenPerNetwork": 1, "unprovenPerDay": 4}})).await;
        let mut booked = Vec::new();
        for n in 0..3_u8 {
            let client = app.client().from_address([198, 51, 100, n]);
            let link = newcomer_at(app, &client, n).await;
            booked.push(is_booked(&picks(&client, &link, day(i64::from(n))).await));
        }
        assert_eq!(booked, [true, true, false], "half of four for an IPv4 /24");
        app.run_tasks().await;
    }

    async fn without_times_for_new_people_a_first_tap_leaves_a_request(app) {
        let work = that_knows_ann(app).await;
        app.sets(&work.shop, json!({"booking": {"unprovenPerDay": 0}})).await;
        let (client, by_email) = newcomer(app, 0).await;
        let sms = app.sms.accepted_messages().into_iter().find(|sms| sms.to == "+15125550300").unwrap();
        let by_text = sent_path(&sms.body);
        for link in [&by_email, &by_text, &by_text] {
            let answer = picks(&client, link, day(0)).await;
            assert!(is_left(&client, &answer).await, "{}", answer.header("location"));
        }
        assert_eq!((app.count("job").await, app.count("slot_hold").await), (0, 0), "a second tap is the first proof still");
        assert_eq!(work.lead_named("Newcomer A").await["heldVisit"]["state"], "limit_reached");
        assert!(app.count("alert WHERE body LIKE '%Not booked: please answer.%'").await >= 1, "the office is asked to answer");
        sends(&work.visitor, Multipart::ann("acme-plumbing")).await;
        app.run_tasks().await;
        let sms = app.sms.accepted_messages().into_iter().rfind(|sms| sms.to == ANN).unwrap();
        assert!(is_booked(&picks(&work.visitor, &sent_path(&sms.body), day(1)).await), "a known person books");
        app.run_tasks().await;
    }

    async fn newcomer_who_typed_their_own_address_books_by_its_link_and_changes_the_visit(app) {
        let work = BookingFixture::of(app).await;
        let (client, link) = newcomer(app, 0).await;
        let picked = picks(&client, &link, friday()).await;
        assert!(is_booked(&picked), "{}: {}", picked.header("location"), text(&picked));
        let page = picked.header("location").trim_end_matches("?booked=1").to_owned();
        let job = only_job(&work).await;
        assert_eq!((&job["status"], starts(&job)), (&json!("Scheduled"), friday()));
        assert_eq!(app.count("job WHERE confirmed_at IS NOT NULL").await, 1);
        let moved = posts(&client, &format!("{page}/move"), &[("startsAt", &day(0).to_rfc3339())]).await;
        assert_eq!(moved.status, 303, "{}", text(&moved));
        assert_eq!(starts(&only_job(&work).await), day(0));
        assert_eq!(posts(&client, &format!("{page}/cancel"), &[]).await.status, 303);
        app.run_tasks().await;
    }

    async fn first_tap_in_the_text_sets_the_typed_email_aside_and_a_later_tap_there_is_for_the_office(app) {
        let work = BookingFixture::of(app).await;
        let (client, by_email) = newcomer(app, 0).await;
        let sms = app.sms.accepted_messages().into_iter().find(|sms| sms.to == "+15125550300").unwrap();
        assert!(is_booked(&picks(&client, &sent_path(&sms.body), day(0)).await));
        let lead = work.lead_named("Newcomer A").await;
        let proposal = &lead["alsoGave"][0];
        assert_eq!((&lead["email"], &proposal["value"]), (&Value::Null, &json!("newcomer0@mail.example")), "{lead}");
        assert_eq!(proposal["answeredAt"], Value::Null, "{lead}");
        let later = picks(&client, &by_email, day(1)).await;
        assert!(later.status == 303 && !is_booked(&later), "{}", text(&later));
        let lead = work.lead_named("Newcomer A").await;
        assert_eq!(lead["email"], Value::Null, "the first press decides: {lead}");
        assert!(lead["alsoGave"][0]["answeredAt"].is_string(), "{lead}");
        assert_eq!(lead["alsoGave"][0]["activity"], json!("link_used"), "{lead}");
        assert_eq!(app.count("job").await, 1);
        app.run_tasks().await;
    }

    async fn choice_after_the_form_and_then_by_its_link_counts_once(app) {
        let work = BookingFixture::of(app).await;
        app.sets(&work.shop, json!({"booking": {"unprovenPerDay": 1}})).await;
        let form = sends(&work.visitor, Multipart::ann("acme-plumbing")).await;
        app.run_tasks().await;
        let by_text = sent_path(&app.sms.accepted_messages()[0].body);
        assert!(picks(&work.visitor, &form, friday()).await.header("location").contains("confirm=1"));
        let picked = picks(&work.visitor, &by_text, day(0)).await;
        assert!(is_booked(&picked), "{}: {}", picked.header("location"), text(&picked));
        assert_eq!((app.count("booking_request").await, app.count("slot_hold").await), (1, 0));
        assert_eq!(starts(&only_job(&work).await), day(0));
        app.run_tasks().await;
    }
}
