//! Live events: sent to open pages for each change, stored once, separate for each business, and kept for a day.

use chrono::Duration;
use shared::{
    domain::tenancy::org::FeatureSwitches,
    platform::live::{self, LiveEvent, OVERLAP, RETENTION, Topic},
};
use tests::{
    app::TestApp,
    both_databases,
    http::{Client, Events, Server, StreamedEvent},
    people::{Shop, Visitor},
};
use uuid::Uuid;

async fn since(app: &TestApp, shop: &Shop, from: Uuid) -> Vec<LiveEvent> {
    live::list_since(&mut app.db.acquire_reader().await.expect("a connection"), shop.id(), from)
        .await
        .expect("the events")
}

struct Page {
    browser: Client,
    server: Server,
}

impl Page {
    async fn opens(app: &TestApp, shop: &Shop) -> Self {
        let browser = app.client().here().signed_in(app, shop.owner()).await;
        Self { server: browser.server().await, browser }
    }

    /// A connection with the id of the last event of an earlier one.
    async fn listens(&self, last: Option<&str>) -> Events {
        let mut line = self.browser.events_over(&self.server, last).await;
        line.read_until("connected").await;
        line
    }
}

fn leads(events: &[StreamedEvent]) -> Vec<&str> {
    events.iter().filter(|one| one.event == "lead").map(|one| one.data["id"].as_str().unwrap()).collect()
}

/// The lead of visitor `number`, a moment later than the previous one: ids of one instant have no order.
async fn lead(app: &TestApp, shop: &Shop, number: u32) -> String {
    app.advance(Duration::milliseconds(1));
    Visitor::number(number).submits_lead(app, shop).await.to_string()
}

async fn stored(app: &TestApp, shop: &Shop) -> Vec<String> {
    since(app, shop, Uuid::nil()).await.iter().map(|event| event.id.to_string()).collect()
}

/// A business without recipients, so that each lead is one event.
async fn quiet(app: &TestApp, name: &str) -> Shop {
    let shop = app.org(name).await;
    app.switches(&shop, FeatureSwitches { lead_intake: false, ..FeatureSwitches::ALL_ON }).await;
    shop
}

fn later(app: &TestApp) {
    app.advance(OVERLAP + Duration::seconds(1));
}

both_databases! {
    async fn reconnected_page_gets_exactly_the_missed_events(app) {
        let (shop, other) = (quiet(app, "Acme Plumbing").await, quiet(app, "Best Roofing").await);
        let page = Page::opens(app, &shop).await;
        let mut line = page.listens(None).await;
        let one = lead(app, &shop, 1).await;
        line.events_until(&one).await;
        later(app);
        let two = lead(app, &shop, 2).await;
        let mut events = line.events_until(&two).await;
        assert_eq!(leads(&events), [&one, &two]);
        drop(line);

        let theirs = lead(app, &other, 3).await;
        let four = lead(app, &shop, 4).await;
        later(app);
        app.run_tasks().await;
        let five = lead(app, &shop, 5).await;
        let mut line = page.listens(Some(&events.last().unwrap().id)).await;
        let missed = line.events_until(&five).await;
        assert_eq!(leads(&missed), [&four, &five]);
        assert!(!format!("{missed:?}").contains(&theirs), "{missed:?}");
        events.extend(missed);
        let ids: Vec<_> = events.iter().map(|one| one.id.clone()).collect();
        assert_eq!(ids, stored(app, &shop).await, "all of them, in their order, and none twice");
        app.run_tasks().await;
    }

    async fn quick_reconnect_repeats_only_events_within_the_look_back(app) {
        let shop = quiet(app, "Acme Plumbing").await;
        let page = Page::opens(app, &shop).await;
        let long_ago = lead(app, &shop, 1).await;
        later(app);
        let (just_now, last) = (lead(app, &shop, 2).await, lead(app, &shop, 3).await);
        let seen = stored(app, &shop).await;
        let mut line = page.listens(seen.last().map(String::as_str)).await;
        let new = lead(app, &shop, 4).await;
        let events = line.events_until(&new).await;
        assert_eq!(leads(&events), [&just_now, &new], "not {long_ago}, and not the last one it names, {last}");
        app.run_tasks().await;
    }

    async fn unknown_last_event_id_gets_a_resync_event(app) {
        let shop = quiet(app, "Acme Plumbing").await;
        let page = Page::opens(app, &shop).await;
        let old = lead(app, &shop, 1).await;
        let last = stored(app, &shop).await.pop().unwrap();
        app.advance(RETENTION);
        for unknown in [last.as_str(), "17", "00000000-0000-0000-0000-000000000000"] {
            let mut line = page.listens(Some(unknown)).await;
            line.read_until("event: resync").await;
            later(app);
            let new = lead(app, &shop, 2).await;
            let events = line.events_until(&new).await;
            assert_eq!((events[0].event.as_str(), &events[0].data), ("resync", &serde_json::json!({})), "{unknown}");
            assert!(!leads(&events).contains(&old.as_str()), "{unknown}: {events:?}");
            // The `resync` event has an id itself, from which a page can continue.
            let again = page.listens(Some(&events[0].id)).await.events_until(&new).await;
            assert!(again.iter().all(|one| one.event == "lead"), "{unknown}: {again:?}");
        }
        app.run_tasks().await;
    }

    async fn event_id_of_another_tenant_reveals_nothing(app) {
        let (shop, other) = (quiet(app, "Acme Plumbing").await, quiet(app, "Best Roofing").await);
        let page = Page::opens(app, &shop).await;
        lead(app, &other, 1).await;
        let theirs = stored(app, &other).await.pop().unwrap();
        let mine = lead(app, &shop, 2).await;
        lead(app, &other, 3).await;
        let mut line = page.listens(Some(&theirs)).await;
        later(app);
        lead(app, &other, 4).await;
        let last = lead(app, &shop, 5).await;
        let events = line.events_until(&last).await;
        assert_eq!(leads(&events), [&mine, &last]);
        let ids: Vec<_> = events.iter().map(|one| one.id.clone()).collect();
        assert_eq!(ids, stored(app, &shop).await, "its own, and nothing beside them");
        app.run_tasks().await;
    }

    async fn lead_message_and_alert_events_reach_their_tenant_only(app) {
        let (shop, other) = (app.org("Acme Plumbing").await, app.org("Best Roofing").await);
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.advance(Duration::seconds(1));
        app.run_tasks().await;
        let events = since(app, &shop, Uuid::nil()).await;
        let first = events.iter().find(|event| event.topic == Topic::Lead).unwrap();
        assert_eq!((first.subject_id, first.parent_id), (lead.0, None));
        let of = |topic| events.iter().filter(|event| event.topic == topic).collect::<Vec<_>>();
        let settings: Vec<_> = of(Topic::Settings).iter().map(|event| event.subject_id).collect();
        assert_eq!(settings, [shop.id().0], "its number, when it registered");
        assert_eq!((of(Topic::Lead).len(), of(Topic::Message).len(), of(Topic::Alert).len(), events.len()), (1, 3, 1, 6));
        for event in of(Topic::Message).into_iter().chain(of(Topic::Alert)) {
            assert_eq!(event.parent_id, Some(lead.0));
        }
        let theirs = since(app, &other, Uuid::nil()).await;
        assert!(theirs.iter().all(|event| event.subject_id == other.id().0), "its own number and nothing else: {theirs:?}");
    }

    async fn look_back_includes_events_of_late_commits(app) {
        let shop = app.org("Acme Plumbing").await;
        Visitor::number(1).submits_lead(app, &shop).await;
        let seen = since(app, &shop, Uuid::nil()).await.remove(0).id;
        // This one begins now and commits last: its id is older than the next one's.
        let mut slow = app.db.begin().await.unwrap();
        let late = app.origin.uuid_v7();
        if let shared::platform::db::Db::Postgres { .. } = app.db {
            live::publish_event(&mut slow, &app.origin, shop.id(), Topic::Lead, late, None).await.unwrap();
            app.advance(Duration::seconds(10));
            Visitor::number(2).submits_lead(app, &shop).await;
        } else {
            // SQLite has one writer: nothing else commits.
            live::publish_event(&mut slow, &app.origin, shop.id(), Topic::Lead, late, None).await.unwrap();
            app.advance(Duration::seconds(10));
        }
        slow.commit().await.unwrap();
        let now = app.now();
        let from = live::min_id_at(now - OVERLAP);
        let subject_ids: Vec<_> = since(app, &shop, from).await.iter().map(|event| event.subject_id).collect();
        assert!(subject_ids.contains(&late), "the look back finds it");
        assert!(since(app, &shop, from).await.iter().any(|event| event.id == seen), "a known event is skipped by its id");
        app.run_tasks().await;
    }

    async fn events_are_kept_for_a_day(app) {
        let shop = app.org("Acme Plumbing").await;
        Visitor::number(1).submits_lead(app, &shop).await;
        app.run_tasks().await;
        let first = since(app, &shop, Uuid::nil()).await.len();
        app.advance(RETENTION);
        Visitor::number(2).submits_lead(app, &shop).await;
        live::prune_events(&app.db, app.now()).await.unwrap();
        assert!(since(app, &shop, Uuid::nil()).await.len() > first, "a day old is young enough");
        app.run_tasks().await;
        app.advance(Duration::milliseconds(1));
        live::prune_events(&app.db, app.now()).await.unwrap();
        let left = since(app, &shop, Uuid::nil()).await;
        assert!(!left.is_empty() && left.iter().all(|e| live::id_timestamp(e.id) > Some(tests::app::beginning())), "{left:?}");
    }
}
