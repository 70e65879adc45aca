//! Notices to a crew about changes of its day: together, a minute after the last change, with the net result only.

use shared::providers::push::SentPushNotification;

use super::{access_end::device, *};

async fn phone(app: &TestApp, person: &Person, number: usize) -> (Client, String) {
    let client = app.client().signed_in(app, person).await;
    let made = client.post("/api/push/devices", &device(number)).await;
    assert_eq!(made.status, 201, "{}", made.json());
    (client, made.json()["id"].as_str().unwrap().to_owned())
}

fn sent_pushes(app: &TestApp, device: &str) -> Vec<(String, String)> {
    let theirs = |push: &SentPushNotification| push.device_id.to_string() == *device && push.lead_id.is_none();
    app.push.accepted_messages().into_iter().filter(theirs).map(|push| (push.title, push.body)).collect()
}

async fn a_minute_later(app: &TestApp) {
    app.advance(Duration::seconds(61));
    app.run_tasks().await;
}

both_databases! {
    async fn crew_changes_within_a_minute_are_sent_as_one_alert_with_net_result(app) {
        let shop = app.org("Acme Plumbing").await;
        let (lead, owner) = (ann(app, &shop).await, office(app, &shop).await);
        let (sam, kim) = (app.staff(&shop, Role::Crew).await, app.staff(&shop, Role::Crew).await);
        let (_, of_owner) = phone(app, shop.owner(), 1).await;
        let ((sams, of_sam), (_, of_kim)) = (phone(app, &sam, 2).await, phone(app, &kim, 3).await);
        let (blue, red) = (crew(&owner, "Blue", &[&sam]).await, crew(&owner, "Red", &[&kim]).await);
        let job = books(app, &owner, lead, &blue).await;
        let at = |hours| json!({"startsAt": app.now() + Duration::hours(hours)});
        app.advance(Duration::seconds(30));
        plans(&owner, &job, at(26)).await;
        app.advance(Duration::seconds(40));
        app.run_tasks().await;
        assert_eq!(sent_pushes(app, &of_sam), [], "no notice while changes are recent");
        patch(&owner, &path(&job, ""), &json!({"version": 2, "specialInstructions": "Ring twice"})).await;
        a_minute_later(app).await;
        let new = ("New job: Fri, Sep 18, 12:00 PM".to_owned(), "#1001 Plumbing · Ann Lee, 12 Oak St".to_owned());
        assert_eq!(sent_pushes(app, &of_sam), std::slice::from_ref(&new));
        let shown = app.push.accepted_messages().into_iter().find(|push| push.device_id.to_string() == of_sam).unwrap();
        assert_eq!((shown.url.as_str(), shown.tag.as_str()), (path(&job, "").replace("/api", "/app").as_str(), format!("job:{}", job["id"].as_str().unwrap()).as_str()));

        let stood = super::shown(&owner, &job).await["scheduledAt"].clone();
        let moved = plans(&owner, &job, at(50)).await;
        undoes(&owner, &moved).await;
        a_minute_later(app).await;
        plans(&owner, &job, at(50)).await;
        plans(&owner, &job, json!({"startsAt": stood})).await;
        a_minute_later(app).await;
        assert_eq!(sent_pushes(app, &of_sam), std::slice::from_ref(&new), "changes that were undone send no notice");

        plans(&owner, &job, json!({"crewId": red})).await;
        a_minute_later(app).await;
        let gone = ("No longer yours: Fri, Sep 18, 12:00 PM".to_owned(), "#1001 Plumbing · Ann Lee. Another crew has it now.".to_owned());
        assert_eq!((sent_pushes(app, &of_sam).last(), sent_pushes(app, &of_kim)), (Some(&gone), vec![new]));
        moves_on(&owner, &job, "cancelled").await;
        a_minute_later(app).await;
        let off = ("Cancelled: Fri, Sep 18, 12:00 PM".to_owned(), "#1001 Plumbing · Ann Lee".to_owned());
        assert_eq!(sent_pushes(app, &of_kim).last(), Some(&off));
        assert_eq!(sent_pushes(app, &of_owner), [], "no notice goes to others");
        assert_eq!(sams.get("/api/push/devices").await.json().as_array().unwrap().len(), 1, "and so are the devices");
        let seen = owner.get("/api/alerts").await.json();
        assert!(seen.as_array().unwrap().iter().all(|alert| alert["kind"] != "schedule_changed"), "{seen}");
    }

    async fn crew_alert_skips_its_author_and_deactivated_members(app) {
        let shop = app.org("Acme Plumbing").await;
        let (lead, owner) = (ann(app, &shop).await, office(app, &shop).await);
        let (sam, kim) = (app.staff(&shop, Role::Crew).await, app.staff(&shop, Role::Crew).await);
        let (_, of_owner) = phone(app, shop.owner(), 1).await;
        let ((_, of_sam), (_, of_kim)) = (phone(app, &sam, 2).await, phone(app, &kim, 3).await);
        let both = crew(&owner, "Both", &[shop.owner(), &sam, &kim]).await;
        let jobs = [books(app, &owner, lead, &both).await, books(app, &owner, lead, &both).await];
        assert_eq!(patch(&owner, &format!("/api/team/{}", kim.id), &json!({"isActive": false})).await.status, 200);
        a_minute_later(app).await;
        assert_eq!((sent_pushes(app, &of_owner), sent_pushes(app, &of_kim)), (vec![], vec![]));
        let line = |number: i64| format!("New job: Thu, Sep 17, 12:00 PM: #{number} Plumbing · Ann Lee");
        assert_eq!(sent_pushes(app, &of_sam), [("Your schedule changed: 2 jobs".to_owned(), format!("{}\n{}", line(1001), line(1002)))]);
        let other = crew(&owner, "Other", &[&sam]).await;
        for job in &jobs {
            plans(&owner, job, json!({"crewId": other})).await;
        }
        a_minute_later(app).await;
        assert_eq!(sent_pushes(app, &of_sam).len(), 2, "from one crew of theirs to another: new there, and not gone here");
        for minutes in 0..20 {
            plans(&owner, &jobs[0], json!({"startsAt": app.now() + Duration::hours(3) + Duration::minutes(minutes)})).await;
            app.advance(Duration::seconds(45));
            app.run_tasks().await;
        }
        assert_eq!(sent_pushes(app, &of_sam).len(), 3, "after ten minutes the notice is sent anyway");
        a_minute_later(app).await;
        assert_eq!(sent_pushes(app, &of_sam).len(), 4);
    }
}
