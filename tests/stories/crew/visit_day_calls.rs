//! A customer who calls or writes on the day of their visit: they learn who comes, and that crew gets a notice.

use shared::{
    ops::erasure,
    platform::{
        db::q,
        id::{CustomerId, OrgId},
    },
};
use tests::phone::ANN;

use super::{access_end::device, *};

const NUMBER: &str = "+15125550100";

/// Title and words of the alerts to single people, oldest first.
async fn private_alerts(app: &TestApp, org: OrgId) -> Vec<(String, String)> {
    let sql = "SELECT title, body FROM alert WHERE org_id = $1 AND account_id IS NOT NULL ORDER BY id";
    q!(&mut app.db.acquire_reader().await.unwrap(), fetch_all as (String, String), sql, org).unwrap()
}

both_databases! {
    async fn alerts_of_a_crew_are_copied_and_erased_with_their_customer(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        let (owner, sam) = (office(app, &shop).await, app.staff(&shop, Role::Crew).await);
        let phone = app.client().signed_in(app, &sam).await;
        assert_eq!(phone.post("/api/push/devices", &device(1)).await.status, 201);
        let blue = crew(&owner, "Blue", &[&sam]).await;
        let anns = ann(app, &shop).await;
        let job = books(app, &owner, anns, &blue).await;
        let others = Visitor::number(1).submits_lead(app, &shop).await;
        books(app, &owner, others, &blue).await;
        app.advance(Duration::minutes(15));
        app.run_tasks().await;
        let told = private_alerts(app, shop.id()).await;
        assert!(told.iter().any(|(title, words)| title == "Your schedule changed: 2 jobs" && words.contains("Ann Lee") && words.contains("Visitor 1")), "{told:?}");
        line.rings(ANN, []).await;
        app.advance(Duration::seconds(10));
        app.run_tasks().await;
        line.writes(ANN, "The gate code is 4711").await;
        app.run_tasks().await;
        moves_on(&owner, &job, "cancelled").await;
        app.advance(Duration::seconds(61));
        app.run_tasks().await;
        assert_eq!(private_alerts(app, shop.id()).await.len(), 4, "schedule, call, text, cancelled");
        let sql = "SELECT customer_id FROM lead WHERE org_id = $1 AND id = $2";
        let id = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar CustomerId, sql, shop.id(), anns).unwrap();
        let copy = office(app, &shop).await.get(&format!("/api/customers/{id}/personal-data/export")).await;
        let mut zip = zip::ZipArchive::new(std::io::Cursor::new(copy.body.clone())).unwrap();
        let mut text = String::new();
        std::io::Read::read_to_string(&mut zip.by_name("data.json").unwrap(), &mut text).unwrap();
        assert!(text.contains("Your visit today: ") && !text.contains("Visitor 1"), "{text}");
        app.within(async |tx| erasure::request::request_erasure(tx, &app.origin, shop.id(), id, "Ann Lee", None).await).await.unwrap();
        app.advance(erasure::GRACE);
        worker::housekeeping::run_due_erasures(&app.context).await.unwrap();
        let left = private_alerts(app, shop.id()).await;
        let names = |words: &str| ["Ann Lee", "12 Oak St", "4711"].iter().any(|trace| words.contains(trace));
        assert!(left.len() == 4 && left.iter().all(|(title, words)| !names(title) && !names(words)), "{left:?}");
        app.run_tasks().await;
    }

    async fn caller_on_visit_day_hears_which_crew_comes_and_crew_is_alerted(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        let (owner, sam, kim) = (office(app, &shop).await, app.staff(&shop, Role::Crew).await, app.staff(&shop, Role::Crew).await);
        let phone = app.client().signed_in(app, &sam).await;
        assert_eq!(phone.post("/api/push/devices", &device(1)).await.status, 201);
        let (blue, red) = (crew(&owner, "Blue", &[&sam]).await, crew(&owner, "Red", &[&kim]).await);
        let anns = ann(app, &shop).await;
        // The lead was for yesterday; today's visit is its second.
        let first = books(app, &owner, anns, &red).await;
        plans(&owner, &first, json!({"startsAt": app.now() - Duration::days(1)})).await;
        let job = books(app, &owner, anns, &blue).await;
        let others = [Visitor::number(1), Visitor::number(2)];
        let mut numbers = Vec::new();
        for (visitor, crew) in others.iter().zip([&red, &blue]) {
            let lead = visitor.submits_lead(app, &shop).await;
            numbers.push(app.lead(shop.id(), lead).await.summary.phone_e164.unwrap());
            let theirs = books(app, &owner, lead, crew).await;
            if crew == &blue {
                plans(&owner, &theirs, json!({"startsAt": app.now() + Duration::hours(26)})).await;
            }
        }
        app.advance(Duration::minutes(15));
        app.run_tasks().await;
        for caller in [ANN, &numbers[0], &numbers[1], ANN] {
            line.rings(caller, []).await;
            app.advance(Duration::seconds(10));
            app.run_tasks().await;
        }
        let replies = |to: &str| line.texts_to(to).into_iter().filter(|text| text.contains("missed your call")).collect::<Vec<_>>();
        let [text] = &replies(ANN)[..] else { panic!("{:?}", line.texts_to(ANN)) };
        assert!(text.contains("Blue has your visit today and has been told you called."), "{text}");
        for (caller, why) in [(&numbers[0], "no one of Red has a device"), (&numbers[1], "tomorrow")] {
            let [text] = &replies(caller)[..] else { panic!("{:?}", line.texts_to(caller)) };
            assert!(!text.contains("today"), "{why}: {text}");
        }
        line.writes(ANN, "The gate code is 4711").await;
        app.run_tasks().await;
        let notifications = app.push.accepted_messages().into_iter().filter(|push| !push.title.starts_with("New job") && !push.title.contains("schedule"));
        let notifications: Vec<_> = notifications.map(|push| (push.title, push.body, push.url)).collect();
        let at = path(&job, "").replace("/api", "/app");
        let which = format!("#{} Plumbing, 12 Oak St", job["number"]);
        assert_eq!(notifications, [
            ("Missed call: Ann Lee".to_owned(), format!("Your visit today: {which}"), at.clone()),
            ("Text from Ann Lee".to_owned(), format!("The gate code is 4711\n{which}"), at),
        ], "once for two calls of a moment, and every word");
        let listed = owner.get("/api/alerts").await.json();
        assert!(listed.as_array().unwrap().iter().all(|alert| alert["path"] == json!(null)), "the office has its own: {listed}");
    }

    async fn stranger_typed_as_customer_learns_no_visit_and_crew_gets_no_alert(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        let (owner, sam) = (office(app, &shop).await, app.staff(&shop, Role::Crew).await);
        let phone = app.client().signed_in(app, &sam).await;
        assert_eq!(phone.post("/api/push/devices", &device(1)).await.status, 201);
        let blue = crew(&owner, "Blue", &[&sam]).await;
        let lead = ann(app, &shop).await;
        books(app, &owner, lead, &blue).await;
        let stranger = "+15125550199";
        app.office_confirms(&shop).await;
        assert_eq!(Visitor::ann().phone(stranger).named("Mallory").submits_lead(app, &shop).await, lead);
        app.advance(Duration::minutes(15));
        app.run_tasks().await;
        let before = line.texts_to(stranger).len();
        line.rings(stranger, []).await;
        app.advance(Duration::seconds(10));
        app.run_tasks().await;
        line.writes(stranger, "The gate code is 9999").await;
        app.run_tasks().await;
        let replies = line.texts_to(stranger).split_off(before);
        assert!(replies.iter().any(|text| text.contains("missed your call")), "{replies:?}");
        for text in &replies {
            assert!(!text.contains("Blue") && !text.contains("Ann") && !text.contains("your visit"), "{text}");
        }
        let pushed = app.push.accepted_messages();
        assert!(
            pushed.iter().all(|push| !push.body.contains("9999") && !push.title.contains("Missed call")),
            "the crew gets no notice of a stranger's call"
        );
    }
}
