//! What changed is told to browsers that are looking: nothing twice in the books, nothing of other businesses, and for
//! a day.

use chrono::Duration;
use shared::live::{self, KEEP, LiveEvent, OVERLAP, Topic};
use tests::{
    app::TestApp,
    both_databases,
    people::{Shop, Visitor},
};
use uuid::Uuid;

async fn since(app: &TestApp, shop: &Shop, from: Uuid) -> Vec<LiveEvent> {
    live::since(&mut app.db.read().await.expect("a connection"), shop.id(), from).await.expect("the events")
}

both_databases! {
    async fn a_lead_and_each_of_its_messages_are_told_in_order(app) {
        let (shop, other) = (app.org("Acme Plumbing").await, app.org("Best Roofing").await);
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.advance(Duration::seconds(1));
        app.run_tasks().await;
        let told = since(app, &shop, Uuid::nil()).await;
        assert_eq!((told[0].topic, told[0].subject_id, told[0].parent_id), (Topic::Lead, lead.0, None));
        assert_eq!(told.len(), 4);
        for event in &told[1..] {
            assert_eq!((event.topic, event.parent_id), (Topic::Message, Some(lead.0)));
        }
        assert!(since(app, &other, Uuid::nil()).await.is_empty());
    }

    async fn a_browser_that_comes_back_is_told_what_it_missed_and_late_commits_too(app) {
        let shop = app.org("Acme Plumbing").await;
        Visitor::number(1).submits_lead(app, &shop).await;
        let seen = since(app, &shop, Uuid::nil()).await.remove(0).id;
        // This one begins now and commits last: its id is older than the next one's.
        let mut slow = app.db.begin().await.unwrap();
        let late = app.origin.uuid();
        if let shared::db::Db::Postgres(_) = app.db {
            live::announce(&mut slow, &app.origin, shop.id(), Topic::Lead, late, None).await.unwrap();
            app.advance(Duration::seconds(10));
            Visitor::number(2).submits_lead(app, &shop).await;
        } else {
            // One writer: nothing commits beside it.
            live::announce(&mut slow, &app.origin, shop.id(), Topic::Lead, late, None).await.unwrap();
            app.advance(Duration::seconds(10));
        }
        slow.commit().await.unwrap();
        let now = app.now();
        let from = live::floor(now - OVERLAP);
        let told: Vec<_> = since(app, &shop, from).await.iter().map(|event| event.subject_id).collect();
        assert!(told.contains(&late), "the look back finds it");
        assert!(since(app, &shop, from).await.iter().any(|event| event.id == seen), "what was seen is passed over by id");
        app.run_tasks().await;
    }

    async fn events_are_kept_for_a_day(app) {
        let shop = app.org("Acme Plumbing").await;
        Visitor::number(1).submits_lead(app, &shop).await;
        app.run_tasks().await;
        let first = since(app, &shop, Uuid::nil()).await.len();
        app.advance(KEEP);
        Visitor::number(2).submits_lead(app, &shop).await;
        live::prune(&app.db, app.now()).await.unwrap();
        assert!(since(app, &shop, Uuid::nil()).await.len() > first, "a day old is young enough");
        app.run_tasks().await;
        app.advance(Duration::milliseconds(1));
        live::prune(&app.db, app.now()).await.unwrap();
        let left = since(app, &shop, Uuid::nil()).await;
        assert!(!left.is_empty() && left.iter().all(|e| live::made_at(e.id) > Some(tests::app::beginning())), "{left:?}");
    }
}
