//! What a chosen time leaves behind: the answer to the form, one line in the audit log, and nothing by the office's own
//! copy of a link.

use shared::platform::{
    access_link::{LinkKind, build_path, copy},
    id::{LeadId, LinkId},
};

use super::{
    free_times::{approves, picks, sends_form, text},
    *,
};

const COPY: &str = "This is your copy of the customer&#x27;s link";

/// The path of Ann's times as her text carries it, before that text has left.
async fn texted_times(app: &TestApp, work: &BookingFixture) -> String {
    let sql = "SELECT id FROM access_link WHERE org_id = $1 AND kind = 'free_times'";
    let mut conn = app.db.acquire_reader().await.unwrap();
    let link = q!(&mut conn, fetch_one scalar LinkId, sql, work.shop.id()).unwrap();
    drop(conn);
    let mut tx = work.db.begin().await.unwrap();
    let to = (copy::LinkCopyChannel::Phone, "+15125550142");
    let sent = copy::ensure_copy(&mut tx, &work.origin, work.shop.id(), link, to).await.unwrap().unwrap();
    tx.commit().await.unwrap();
    build_path(&work.secret, sent, LinkKind::FreeTimes)
}

async fn audit_lines(app: &TestApp, action: &str) -> i64 {
    app.count(&format!("audit_event WHERE action = '{action}'")).await
}

/// The page behind an answer that leads on.
async fn next_page(work: &BookingFixture, answer: &Answer) -> String {
    assert_eq!(answer.status, 303, "{}", text(answer));
    text(&work.visitor.get(answer.header("location")).await)
}

fn assert_names_the_booked_visit(page: &str) {
    for words in ["You already have a visit", "The time you just picked is not booked."] {
        assert!(page.contains(words), "{words}: {page}");
    }
    assert!(page.contains("Fri, Sep 18, 10:00 AM") && page.contains("Need another time?"), "{page}");
    assert!(!page.contains("Your visit is booked"), "{page}");
}

/// An estimate that waits for its answer, by the link that the office sees.
async fn estimates(app: &TestApp, work: &BookingFixture, lead: LeadId) -> String {
    let made = work.office.post(&format!("/api/leads/{lead}/estimate"), &json!({"quotedTotal": 450.0})).await;
    assert!(made.status.is_success(), "{}", made.json());
    app.run_tasks().await;
    let listed = work.office.get(&format!("/api/leads/{lead}/estimates")).await.json();
    listed[0]["link"].as_str().unwrap().trim_start_matches("https://toolbox.example").to_owned()
}

both_databases! {
    async fn answer_to_the_form_leaves_where_the_visit_has_no_message(app) {
        let work = BookingFixture::of(app).await;
        app.sets(&work.shop, json!({"jobs": {"booked": false}})).await;
        sends_form(&work.visitor).await;
        let path = texted_times(app, &work).await;
        assert_eq!(picks(&work.visitor, &path, friday()).await.status, 303);
        assert_eq!(app.count("job").await, 1);
        app.live_through(Duration::minutes(3), Duration::minutes(1)).await;
        let texts = app.sms.accepted_messages();
        assert!(texts.len() == 1 && !texts[0].body.contains("Fri, Sep 18"), "{texts:?}");
        let mails = app.mail.accepted_messages();
        assert_eq!(mails.iter().filter(|mail| mail.to == "ann@customer.example").count(), 1, "{mails:?}");
    }

    async fn answer_to_the_form_gives_way_to_the_message_of_the_visit(app) {
        let work = BookingFixture::of(app).await;
        sends_form(&work.visitor).await;
        let path = texted_times(app, &work).await;
        assert_eq!(picks(&work.visitor, &path, friday()).await.status, 303);
        app.live_through(Duration::minutes(3), Duration::minutes(1)).await;
        let texts = app.sms.accepted_messages();
        assert!(texts.len() == 1 && texts[0].body.contains("Fri, Sep 18, 10:00 AM"), "{texts:?}");
    }

    async fn repeated_choice_of_a_visit_is_recorded_once_and_names_the_booked_time(app) {
        let work = BookingFixture::of(app).await;
        sends_form(&work.visitor).await;
        let path = texted_times(app, &work).await;
        let first = picks(&work.visitor, &path, friday()).await;
        let again = picks(&work.visitor, &path, friday()).await;
        for tap in [first, again] {
            assert!(tap.status == 303 && tap.header("location").ends_with("?booked=1"), "{}", tap.header("location"));
        }
        let other = picks(&work.visitor, &path, friday() + Duration::hours(4)).await;
        assert_names_the_booked_visit(&next_page(&work, &other).await);
        assert_eq!((audit_lines(app, "visit_booked").await, app.count("job").await), (1, 1));
        app.run_tasks().await;
    }

    async fn repeated_choice_of_a_held_time_is_recorded_once(app) {
        let work = BookingFixture::of(app).await;
        let path = sends_form(&work.visitor).await;
        assert_eq!(picks(&work.visitor, &path, friday()).await.status, 303);
        let recorded = audit_lines(app, "lead_submitted").await;
        assert_eq!(picks(&work.visitor, &path, friday()).await.status, 303);
        assert_eq!((audit_lines(app, "lead_submitted").await, app.count("booking_request").await), (recorded, 1));
        app.run_tasks().await;
    }

    async fn repeated_choice_for_approved_work_is_recorded_once_and_names_the_booked_time(app) {
        let work = BookingFixture::of(app).await;
        let lead = tests::people::Visitor::ann().submits_lead(app, &work.shop).await;
        let link = approves(app, &work, lead, json!({"quotedTotal": 450.0})).await;
        for tap in ["the first", "a second"] {
            let picked = picks(&work.visitor, &link, friday()).await;
            assert_eq!((picked.status.as_u16(), picked.header("location")), (303, format!("{link}#times").as_str()), "{tap}");
        }
        let other = picks(&work.visitor, &link, friday() + Duration::hours(4)).await;
        assert_names_the_booked_visit(&next_page(&work, &other).await);
        assert_eq!((audit_lines(app, "visit_booked").await, app.count("job").await), (1, 1));
        app.run_tasks().await;
    }

    async fn office_copy_of_an_estimate_neither_approves_nor_declines_nor_books(app) {
        let work = BookingFixture::of(app).await;
        let lead = tests::people::Visitor::ann().submits_lead(app, &work.shop).await;
        let link = estimates(app, &work, lead).await;
        let page = text(&work.office.get(&link).await);
        assert!(page.contains(COPY) && !page.contains("Approve and sign") && !page.contains("Decline this"), "{page}");
        let shown = text(&work.visitor.get(&link).await);
        assert!(shown.contains("Approve and sign") && !shown.contains(COPY), "{shown}");
        let rival = app.org("Best Roofing").await;
        let rival = app.client().signed_in(app, rival.owner()).await;
        assert!(text(&rival.get(&link).await).contains("Approve and sign"), "who belongs to another business is a customer");
        let hash = shown.split("name=\"sha256\" value=\"").nth(1).unwrap()[..64].to_owned();
        let form = [("name", "Ann Lee"), ("agree", "yes"), ("sha256", hash.as_str())];
        let approved = posts(&work.office, &format!("{link}/approve"), &form).await;
        let declined = posts(&work.office, &format!("{link}/decline"), &[("reason", "Too much")]).await;
        for answer in [approved, declined] {
            assert!(answer.status == 403 && text(&answer).contains(COPY), "{}", text(&answer));
        }
        assert_eq!(app.count("approval").await, 0);
        assert_eq!(posts(&work.visitor, &format!("{link}/approve"), &form).await.status, 303);
        let page = text(&work.office.get(&link).await);
        assert!(page.contains(COPY) && !page.contains("startsAt"), "{page}");
        let booked = picks(&work.office, &link, friday()).await;
        assert!(booked.status == 403 && text(&booked).contains(COPY), "{}", text(&booked));
        assert_eq!(app.count("job").await, 0);
        assert_eq!(picks(&work.visitor, &link, friday()).await.status, 303);
        assert_eq!(app.count("job").await, 1);
        app.run_tasks().await;
    }
}
