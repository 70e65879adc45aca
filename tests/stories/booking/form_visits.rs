//! The link shown after a form finds a visit that was booked at once only for those who booked it.

use tests::http::Multipart;

use super::{
    free_times::{picks, text},
    *,
};

/// Ann is on the list of the business, so a form that names her books at once.
async fn that_knows_ann(app: &mut TestApp) -> BookingFixture {
    let work = BookingFixture::of(app).await;
    let list = b"name,phone,email\nAnn Lee,5125550142,ann@customer.example\n".to_vec();
    assert_eq!(work.office.send(Method::POST, "/api/customers/import", "text/csv", list).await.status, 200);
    work
}

/// Sends a form in Ann's name. Returns the path of the page with the times.
async fn sends(app: &TestApp, client: &Client) -> String {
    app.advance(Duration::minutes(20));
    let taken = client.post_form("/api/leads/create", Multipart::ann("acme-plumbing")).await;
    assert_eq!(taken.status, 201, "{}", taken.json());
    taken.json()["timesPath"].as_str().unwrap_or_else(|| panic!("{}", taken.json())).to_owned()
}

#[track_caller]
fn visit_page(answer: &Answer) -> String {
    assert_eq!(answer.status, 303, "{}", text(answer));
    let at = answer.header("location").to_owned();
    assert!(at.starts_with("/p/") && at.ends_with("?booked=1"), "{at}");
    at
}

both_databases! {
    async fn form_from_another_network_finds_no_visit_at_the_same_time(app) {
        that_knows_ann(app).await;
        // Still a day ahead when the last form comes.
        let monday = friday() + Duration::days(3);
        let ann = app.client().from_address([198, 51, 100, 7]);
        let path = sends(app, &ann).await;
        let page = visit_page(&picks(&ann, &path, monday).await);
        let stranger = app.client().from_address([203, 0, 113, 9]);
        let theirs = sends(app, &stranger).await;
        let picked = picks(&stranger, &theirs, monday).await;
        assert_eq!(picked.status, 409, "{}", text(&picked));
        assert!(!text(&picked).contains("/cancel"), "{}", text(&picked));
        assert_eq!(visit_page(&picks(&ann, &path, monday).await), page, "her second tap");
        let again = sends(app, &ann).await;
        assert_eq!(visit_page(&picks(&ann, &again, monday).await), page, "another form of hers");
        assert_eq!((app.count("job").await, app.count("lead").await), (1, 1));
        app.run_tasks().await;
    }

    async fn visit_booked_on_the_booking_page_is_found_by_a_form_from_the_same_network_only(app) {
        let work = that_knows_ann(app).await;
        let ann = app.client().from_address([198, 51, 100, 7]);
        let held = ann.post("/api/public/holds", &wish(friday())).await;
        assert_eq!(held.status, 201, "{}", held.json());
        let booked = books(&ann, &held.json(), json!({})).await.json();
        let page = booked["visitUrl"].as_str().unwrap_or_else(|| panic!("{booked}")).to_owned();
        let stranger = app.client().from_address([203, 0, 113, 9]);
        let theirs = sends(app, &stranger).await;
        assert_eq!(picks(&stranger, &theirs, friday()).await.status, 409);
        let path = sends(app, &ann).await;
        let found = visit_page(&picks(&ann, &path, friday()).await);
        assert!(page.ends_with(found.trim_end_matches("?booked=1")), "{page}: {found}");
        assert_eq!(work.jobs().await.len(), 1);
        app.run_tasks().await;
    }
}
