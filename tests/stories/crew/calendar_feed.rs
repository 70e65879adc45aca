//! The calendar feed of a crew, as a phone subscribes to it.

use tests::phone::ANN;

use super::*;

/// The properties of each event: unfolded lines, as name and value.
fn events(file: &str) -> Vec<Vec<(String, String)>> {
    assert!(file.split("\r\n").all(|line| line.len() <= 75) && file.ends_with("END:VCALENDAR\r\n"), "{file}");
    let whole = file.replace("\r\n ", "");
    let inner = whole.split("BEGIN:VEVENT\r\n").skip(1).map(|event| event.split("END:VEVENT").next().unwrap());
    let pair = |line: &str| line.split_once(':').map(|(name, value)| (name.to_owned(), value.to_owned())).unwrap();
    inner.map(|event| event.split_terminator("\r\n").map(pair).collect()).collect()
}

fn value<'a>(event: &'a [(String, String)], name: &str) -> &'a str {
    event.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
}

/// What the summary of this job's event calls the customer.
fn customer_of<'a>(found: &'a [Vec<(String, String)>], job: &Value) -> &'a str {
    let uid = format!("job-{}@toolbox.example", job["id"].as_str().unwrap());
    let event = found.iter().find(|event| value(event, "UID") == uid).unwrap();
    value(event, "SUMMARY").rsplit_once(" · ").unwrap().1
}

fn here(url: &Value) -> String {
    url.as_str().unwrap().strip_prefix("https://toolbox.example").unwrap().to_owned()
}

both_databases! {
    async fn crew_calendar_omits_prices_and_new_feed_address_revokes_the_old(app) {
        let shop = app.org("Acme Plumbing").await;
        let (lead, owner) = (ann(app, &shop).await, office(app, &shop).await);
        let sam = app.staff(&shop, Role::Crew).await;
        let (blue, red) = (crew(&owner, "Blue", &[&sam]).await, crew(&owner, "Red", &[]).await);
        let (own, _) = (books(app, &owner, lead, &blue).await, books(app, &owner, lead, &red).await);
        let off = books(app, &owner, lead, &blue).await;
        moves_on(&owner, &off, "cancelled").await;
        let far = plans(&owner, &books(app, &owner, lead, &blue).await, json!({"startsAt": app.now() + Duration::days(200)})).await;
        let listed = owner.get("/api/crews").await.json();
        let at = here(&listed[0]["feedUrl"]);
        assert!(at.starts_with("/feeds/crew/"), "{at}");
        let phone = app.client();
        let answer = phone.get(&at).await;
        assert_eq!((answer.status.as_u16(), answer.header("content-type")), (200, "text/calendar; charset=utf-8"));
        let file = String::from_utf8(answer.body.clone()).unwrap();
        assert!(file.contains("X-WR-CALNAME:Blue\r\n") && !file.contains("1250") && !file.contains('$') && !file.contains("ann@"), "{file}");
        let found = events(&file);
        let uids: Vec<&str> = found.iter().map(|event| value(event, "UID")).collect();
        let uid = |job: &Value| format!("job-{}@toolbox.example", job["id"].as_str().unwrap());
        assert_eq!(found.len(), 2, "neither Red's nor {}: {uids:?}", far["job"]["number"]);
        let of = |job: &Value| found.iter().find(|event| value(event, "UID") == uid(job)).unwrap();
        assert_eq!((value(of(&own), "STATUS"), value(of(&off), "STATUS")), ("CONFIRMED", "CANCELLED"));
        assert_eq!((value(of(&own), "DTSTART"), value(of(&own), "DTEND")), ("20260917T170000Z", "20260917T190000Z"));
        assert_eq!(value(of(&own), "SUMMARY"), "#1001 Plumbing · Ann Lee");
        assert_eq!((value(of(&own), "LOCATION"), value(of(&own), "DESCRIPTION")), ("12 Oak St\\, 78701", "(512) 555-0142 (typed into a form)\\nWater on the floor"));

        let known = phone.with("if-none-match", answer.header("etag"));
        let same = known.get(&at).await;
        assert_eq!((same.status.as_u16(), same.body.len(), same.header("etag")), (304, 0, answer.header("etag")));
        plans(&owner, &own, json!({"startsAt": app.now() + Duration::hours(4)})).await;
        let moved = known.get(&at).await;
        let moved = events(&String::from_utf8(moved.body).unwrap());
        let moved = moved.iter().find(|event| value(event, "UID") == uid(&own)).unwrap();
        assert_eq!((value(moved, "DTSTART"), value(moved, "SEQUENCE")), ("20260917T190000Z", "2"));

        let sams = app.client().signed_in(app, &sam).await;
        assert_eq!(here(&sams.get("/api/crews").await.json()[0]["feedUrl"]), at, "a crew member sees the address of the own crew");
        assert_eq!(sams.post(&format!("/api/crews/{red}/feed"), &Value::Null).await.status, 404, "of another crew there is none");
        let new = sams.post(&format!("/api/crews/{blue}/feed"), &Value::Null).await.json();
        assert_eq!(phone.get(&here(&new["feedUrl"])).await.status, 200);
        let token = at.trim_start_matches("/feeds/crew/").trim_end_matches(".ics").to_owned();
        let forged = token.chars().rev().collect::<String>();
        for gone in [at.clone(), at.trim_end_matches(".ics").to_owned(), format!("/feeds/crew/{forged}.ics"), "/feeds/crew/.ics".to_owned()] {
            assert_eq!(phone.get(&gone).await.problem().0, 404, "{gone}");
        }
        app.run_tasks().await;
    }

    async fn crew_calendar_shows_number_of_unnamed_caller_in_the_week_before_the_visit_only(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        line.rings(ANN, []).await;
        app.advance(Duration::seconds(10));
        app.run_tasks().await;
        let lead = app.only_lead(&shop).await.summary.id;
        let owner = office(app, &shop).await;
        let blue = crew(&owner, "Blue", &[]).await;
        let near = books(app, &owner, lead, &blue).await;
        let off = books(app, &owner, lead, &blue).await;
        moves_on(&owner, &off, "cancelled").await;
        let far = books(app, &owner, lead, &blue).await;
        plans(&owner, &far, json!({"startsAt": app.now() + Duration::days(30)})).await;
        let at = here(&owner.get("/api/crews").await.json()[0]["feedUrl"]);
        let phone = app.client();
        let feed = async || events(&String::from_utf8(phone.get(&at).await.body).unwrap());

        let found = feed().await;
        let names = [&near, &off, &far].map(|job| customer_of(&found, job));
        assert_eq!(names, ["(512) 555-0142", "Customer", "Customer"]);
        app.run_tasks().await;
        app.advance(Duration::days(1));
        app.run_tasks().await;
        let found = feed().await;
        let names = [&near, &off, &far].map(|job| customer_of(&found, job));
        assert_eq!(names, ["Customer"; 3], "the visit is over");
        assert!(!found.concat().iter().any(|(_, value)| value.contains("555-0142")), "{found:?}");
    }

    async fn crew_calendar_address_changes_when_member_leaves_and_office_is_notified(app) {
        let shop = app.org("Acme Plumbing").await;
        let owner = office(app, &shop).await;
        let (sam, kim) = (app.staff(&shop, Role::Crew).await, app.staff(&shop, Role::Crew).await);
        let (blue, red) = (crew(&owner, "Blue", &[&sam, &kim]).await, crew(&owner, "Red", &[&sam]).await);
        let phone = app.client();
        let feeds = async || {
            let listed = owner.get("/api/crews").await.json();
            [0, 1].map(|at| here(&listed[at]["feedUrl"]))
        };
        let alert_titles = async || {
            let all = owner.get("/api/alerts").await.json();
            let ours = all.as_array().unwrap().iter().filter(|alert| alert["kind"] == "schedule_changed");
            ours.map(|alert| alert["title"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        let first = feeds().await;
        assert_eq!(phone.get(&first[0]).await.status, 200);
        let at = format!("/api/crews/{blue}");
        patch(&owner, &at, &json!({"name": "Bluer", "memberIds": [sam.id, kim.id, shop.owner().id]})).await;
        assert_eq!(feeds().await, first, "the addresses stay while no member leaves");
        patch(&owner, &at, &json!({"memberIds": [sam.id]})).await;
        let second = feeds().await;
        assert!(second[0] != first[0] && second[1] == first[1], "{first:?} {second:?}");
        assert_eq!((phone.get(&first[0]).await.status.as_u16(), phone.get(&second[0]).await.status.as_u16()), (404, 200));
        assert_eq!(alert_titles().await, ["New calendar address: Bluer"]);
        patch(&owner, &format!("/api/team/{}", sam.id), &json!({"crewIds": [blue]})).await;
        let third = feeds().await;
        assert!(third[0] == second[0] && third[1] != second[1], "{second:?} {third:?}");
        assert_eq!(alert_titles().await.len(), 1, "no alert for a feed that was never read");
        patch(&owner, &format!("/api/team/{}", sam.id), &json!({"isActive": false})).await;
        assert_ne!(feeds().await[0], third[0], "let go, they are out of it too");
        // A crew older than the calendar feature gets its address on the first look.
        app.within(async |tx| Ok(shared::platform::db::q!(tx, execute, "DELETE FROM access_link WHERE subject_id = $1", red.parse::<uuid::Uuid>().unwrap())?)).await.unwrap();
        assert_eq!(phone.get(&feeds().await[1]).await.status, 200);
        app.run_tasks().await;
    }
}
