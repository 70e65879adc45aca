//! Owners of leads: assigned by hand, by ZIP code, or in turn.

use axum::http::Method;
use chrono::Duration;
use futures::future::join;
use serde_json::{Value, json};
use shared::{
    domain::tenancy::account::Role,
    platform::{
        db::q,
        id::{AccountId, LeadId},
    },
};
use tests::{
    app::TestApp,
    both_databases,
    http::{Answer, Client},
    people::{Person, Shop, Visitor},
};

async fn gives(client: &Client, lead: LeadId, body: &Value) -> Answer {
    let path = format!("/api/leads/{lead}/owner");
    client.send(Method::PUT, &path, "application/json", body.to_string().into_bytes()).await
}

async fn owner_of(app: &TestApp, shop: &Shop, lead: LeadId) -> Option<AccountId> {
    app.lead(shop.id(), lead).await.summary.owner_user_id
}

async fn asks(app: &TestApp, shop: &Shop, number: u32, zip: &str) -> LeadId {
    let mut visitor = Visitor::number(number);
    visitor.form.zip = Some(zip.to_owned());
    visitor.submits_lead(app, shop).await
}

async fn three(app: &TestApp, shop: &Shop) -> [Person; 3] {
    [app.staff(shop, Role::Office).await, app.staff(shop, Role::Office).await, app.staff(shop, Role::Crew).await]
}

async fn shares(app: &TestApp, shop: &Shop, leads: &[LeadId], people: &[Person]) -> Vec<usize> {
    let mut owners = Vec::new();
    for lead in leads {
        owners.push(owner_of(app, shop, *lead).await);
    }
    people.iter().map(|person| owners.iter().filter(|owner| **owner == Some(person.id)).count()).collect()
}

async fn let_go(client: &Client, person: &Person) {
    let body = json!({"isActive": false}).to_string().into_bytes();
    let changed = client.send(Method::PATCH, &format!("/api/team/{}", person.id), "application/json", body).await;
    assert_eq!(changed.status, 200, "{}", changed.json());
}

/// Owner changes in the timeline, and who made them.
async fn timeline_events(app: &TestApp, shop: &Shop, lead: LeadId) -> Vec<(String, String)> {
    let events = app.lead(shop.id(), lead).await.events.into_iter();
    events.map(|event| (event.title, event.by)).collect()
}

both_databases! {
    async fn lead_owner_assigned_and_removed_by_hand_is_on_timeline(app) {
        let shop = app.org("Acme Plumbing").await;
        let [sam, ..] = three(app, &shop).await;
        let owner = app.client().signed_in(app, shop.owner()).await;
        let lead = asks(app, &shop, 1, "78701").await;
        app.run_tasks().await;
        assert_eq!(owner_of(app, &shop, lead).await, None, "nobody's unless the business says so");
        let mut line = app.client().signed_in(app, &sam).await.events().await;
        line.read_until("connected").await;
        let given = gives(&owner, lead, &json!({"ownerUserId": sam.id})).await;
        assert_eq!((given.status.as_u16(), &given.json()["ownerUserId"], &given.json()["ownerName"]),
            (200, &json!(sam.id), &json!("Sam Staff")), "{}", given.json());
        line.events_until(&lead.to_string()).await;
        assert_eq!(gives(&owner, lead, &json!({"ownerUserId": sam.id})).await.status, 200, "theirs already");
        // Events of one instant have no order.
        app.advance(Duration::seconds(1));
        let taken = gives(&owner, lead, &json!({"ownerUserId": null})).await.json();
        assert_eq!((&taken["ownerUserId"], &taken["ownerName"]), (&Value::Null, &Value::Null));
        let olive = || "Olive Owner".to_owned();
        let titles = timeline_events(app, &shop, lead).await;
        assert_eq!(titles, [("Given to Sam Staff".to_owned(), olive()), ("Taken from Sam Staff".to_owned(), olive())]);
        let sql = "SELECT COUNT(*) FROM audit_event WHERE org_id = $1 AND action = 'lead_owner_changed' AND subject_id = $2";
        let noted = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar i64, sql, shop.id(), lead).unwrap();
        assert_eq!(noted, 3);
        app.run_tasks().await;
    }

    async fn lead_owner_change_across_tenants_or_to_inactive_user_is_refused(app) {
        let (shop, other) = (app.org("Acme Plumbing").await, app.org("Best Roofing").await);
        let [sam, _, dave] = three(app, &shop).await;
        let owner = app.client().signed_in(app, shop.owner()).await;
        let lead = asks(app, &shop, 1, "78701").await;
        app.run_tasks().await;
        let spy = app.client().signed_in(app, other.owner()).await;
        for to in [json!(null), json!(sam.id), json!(other.owner().id)] {
            assert_eq!(gives(&spy, lead, &json!({"ownerUserId": to})).await.status, 404, "{to}");
        }
        let crew = app.client().signed_in(app, &dave).await;
        assert_eq!(gives(&crew, lead, &json!({"ownerUserId": dave.id})).await.status, 403);
        let_go(&owner, &sam).await;
        for to in [json!(other.owner().id), json!(sam.id), json!(uuid::Uuid::from_u128(7))] {
            let refused = gives(&owner, lead, &json!({"ownerUserId": to})).await;
            assert_eq!((refused.status.as_u16(), refused.problem().2), (422, vec!["ownerUserId".to_owned()]), "{to}");
        }
        // An omitted field removes no owner, and malformed bodies get a 4xx.
        assert_eq!(gives(&owner, lead, &json!({"ownerUserId": dave.id})).await.status, 200);
        for odd in [json!({}), json!({"ownerUserId": "Dave"}), json!({"ownerUserId": 7}), json!([]), json!({"ownerUserId": null, "stage": "Paid"})] {
            let refused = gives(&owner, lead, &odd).await.status.as_u16();
            assert!([400, 422].contains(&refused), "{odd}: {refused}");
        }
        assert_eq!(owner_of(app, &shop, lead).await, Some(dave.id));
        assert_eq!(timeline_events(app, &shop, lead).await.len(), 1);
    }

    async fn round_robin_assignment_skips_deactivated_users(app) {
        let shop = app.org("Acme Plumbing").await;
        let people = three(app, &shop).await;
        let owner = app.client().signed_in(app, shop.owner()).await;
        app.sets(&shop, json!({"leadOwners": {"turns": people.each_ref().map(|one| one.id)}})).await;
        let mut first = Vec::new();
        for n in 1..=9 {
            first.push(asks(app, &shop, n, "78701").await);
        }
        assert_eq!(shares(app, &shop, &first, &people).await, [3, 3, 3]);
        let titles = timeline_events(app, &shop, first[0]).await;
        assert_eq!(titles, [("Given to Sam Staff".to_owned(), "Toolbox".to_owned())]);
        assert_eq!(app.lead(shop.id(), first[0]).await.events[0].detail["reason"], "by turn");
        // A repeated request is added to the person's lead, and uses no turn.
        asks(app, &shop, 9, "78701").await;
        let_go(&owner, &people[0]).await;
        let mut later = Vec::new();
        for n in 10..=15 {
            later.push(asks(app, &shop, n, "78701").await);
        }
        assert_eq!(shares(app, &shop, &later, &people).await, [0, 3, 3]);
        let theirs = first.iter().copied();
        let mut kept = 0;
        for lead in theirs {
            kept += usize::from(owner_of(app, &shop, lead).await == Some(people[0].id));
        }
        assert_eq!(kept, 3, "their leads keep the owner until reassigned");
        for person in &people[1..] {
            let_go(&owner, person).await;
        }
        let nobodys = asks(app, &shop, 16, "78701").await;
        assert_eq!(owner_of(app, &shop, nobodys).await, None, "and it is taken in all the same");
        app.run_tasks().await;
    }

    async fn zip_code_rule_precedes_round_robin_assignment(app) {
        let shop = app.org("Acme Plumbing").await;
        let people = three(app, &shop).await;
        let [sam, pat, dave] = &people;
        let owner = app.client().signed_in(app, shop.owner()).await;
        let zips = json!([{"userId": sam.id, "zips": ["787"]}, {"userId": dave.id, "zips": ["78704", "78705"]}]);
        app.sets(&shop, json!({"leadOwners": {"zips": zips}})).await;
        let (near, nearer, far) =
            (asks(app, &shop, 1, "78701").await, asks(app, &shop, 2, "78704").await, asks(app, &shop, 3, "90210").await);
        assert_eq!(owner_of(app, &shop, near).await, Some(sam.id));
        assert_eq!(owner_of(app, &shop, nearer).await, Some(dave.id), "the longest that fits");
        assert_eq!(owner_of(app, &shop, far).await, None);
        assert_eq!(app.lead(shop.id(), near).await.events[0].detail["reason"], "by ZIP code");
        app.sets(&shop, json!({"leadOwners": {"turns": [pat.id]}})).await;
        let far = asks(app, &shop, 4, "90210").await;
        assert_eq!(owner_of(app, &shop, far).await, Some(pat.id), "the rest by turns");
        let_go(&owner, dave).await;
        let nearer = asks(app, &shop, 5, "78704").await;
        assert_eq!(owner_of(app, &shop, nearer).await, Some(sam.id), "the next that fits, when Dave is not there");
        let_go(&owner, sam).await;
        let nearer = asks(app, &shop, 6, "78704").await;
        assert_eq!(owner_of(app, &shop, nearer).await, Some(pat.id));
        app.run_tasks().await;
    }

    async fn simultaneous_leads_get_different_owners(app) {
        let shop = app.org("Acme Plumbing").await;
        let people = three(app, &shop).await;
        app.sets(&shop, json!({"leadOwners": {"turns": [people[0].id, people[1].id]}})).await;
        let mut leads = Vec::new();
        for n in 0..6 {
            let (one, two) = join(asks(app, &shop, 2 * n + 1, "78701"), asks(app, &shop, 2 * n + 2, "78701")).await;
            assert_ne!(owner_of(app, &shop, one).await, owner_of(app, &shop, two).await);
            leads.extend([one, two]);
        }
        assert_eq!(shares(app, &shop, &leads, &people).await, [6, 6, 0]);
        let owner = app.client().signed_in(app, shop.owner()).await;
        let bodies = [0, 1].map(|n| json!({"ownerUserId": people[2 - n].id}));
        let (one, two) = join(gives(&owner, leads[0], &bodies[0]), gives(&owner, leads[0], &bodies[1])).await;
        assert_eq!((one.status.as_u16(), two.status.as_u16()), (200, 200));
        let titles = timeline_events(app, &shop, leads[0]).await.len();
        assert!((2..=3).contains(&titles), "each change has its line: {titles}");
        app.run_tasks().await;
    }

    async fn held_lead_uses_no_turn_and_gets_owner_on_release(app) {
        let shop = app.org("Acme Plumbing").await;
        let [sam, ..] = three(app, &shop).await;
        app.sets(&shop, json!({"leadOwners": {"turns": [sam.id]}})).await;
        let mut robot = Visitor::number(1);
        robot.form.company = Some("Best SEO Ltd".into());
        let lead = robot.submits_lead(app, &shop).await;
        assert_eq!(owner_of(app, &shop, lead).await, None);
        let sql = "SELECT COUNT(*) FROM number_sequence WHERE org_id = $1 AND kind = 'lead_turn'";
        assert_eq!(q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar i64, sql, shop.id()).unwrap(), 0);
        app.releases(&shop, lead).await.unwrap();
        assert_eq!(owner_of(app, &shop, lead).await, Some(sam.id));
        app.run_tasks().await;
    }

    async fn lead_owner_settings_are_stored_and_invalid_fields_named(app) {
        let (shop, other) = (app.org("Acme Plumbing").await, app.org("Best Roofing").await);
        let [sam, pat, dave] = three(app, &shop).await;
        let owner = app.client().signed_in(app, shop.owner()).await;
        let sets = async |body: Value| {
            let sent = json!({"leadOwners": body}).to_string().into_bytes();
            owner.send(Method::PATCH, "/api/org/acme-plumbing/settings", "application/json", sent).await
        };
        let begun = owner.get("/api/org/acme-plumbing/settings").await.json();
        assert_eq!(begun["leadOwners"], json!({"turns": [], "zips": []}));
        let share = |person: &Person, zips: &[&str]| json!({"userId": person.id, "zips": zips});
        let set = sets(json!({"turns": [sam.id, pat.id, sam.id], "zips": [share(&dave, &["78704", " 78701", ""]), share(&pat, &[])]})).await;
        assert_eq!(set.status, 200, "{}", set.json());
        let mut turns = [sam.id, pat.id];
        turns.sort_unstable();
        let expected_settings = json!({"turns": turns, "zips": [share(&dave, &["78701", "78704"])]});
        assert_eq!(set.json()["leadOwners"], expected_settings);
        let stranger = other.owner();
        for (body, field) in [
            (json!({"turns": [stranger.id]}), "leadOwners.turns"),
            (json!({"zips": [share(stranger, &["787"])]}), "leadOwners.zips"),
            (json!({"zips": [share(&sam, &["Austin"])]}), "leadOwners.zips"),
            (json!({"zips": [share(&sam, &["787"]), share(&pat, &["787"])]}), "leadOwners.zips"),
        ] {
            let refused = sets(body.clone()).await;
            assert_eq!((refused.status.as_u16(), refused.problem().2), (422, vec![field.to_owned()]), "{body}");
        }
        assert_eq!(owner.get("/api/org/acme-plumbing/settings").await.json()["leadOwners"], expected_settings, "nothing of it stays");
    }
}
