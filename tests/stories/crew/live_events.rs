//! Live events of the business that a crew member receives.

use super::*;

both_databases! {
    async fn crew_member_receives_live_events_of_own_jobs_only(app) {
        let shop = app.org("Acme Plumbing").await;
        let client = app.client();
        let owner = client.signed_in(app, shop.owner()).await;
        let (sam, kim) = (app.staff(&shop, Role::Crew).await, app.staff(&shop, Role::Crew).await);
        let (blue, red) = (crew(&owner, "Blue", &[&sam]).await, crew(&owner, "Red", &[&kim]).await);
        let phone = client.signed_in(app, &sam).await;
        let mut line = phone.events().await;
        line.read_until("connected").await;
        let lead = ann(app, &shop).await;
        let (own, other) = (books(app, &owner, lead, &blue).await, books(app, &owner, lead, &red).await);
        owner.post(&path(&other, "/notes"), &json!({"body": "Not for Blue"})).await;
        owner.post(&path(&own, "/notes"), &json!({"body": "For Blue"})).await;
        let events = line.events_until(own["id"].as_str().unwrap()).await;
        app.advance(Duration::milliseconds(1));
        patch(&owner, &format!("/api/crews/{blue}"), &json!({"tone": 3})).await;
        let last = moves_on(&owner, &own, "in_progress").await;
        let all = [events, line.events_until(last["id"].as_str().unwrap()).await].concat();
        assert!(all.iter().all(|event| ["job", "schedule"].contains(&event.event.as_str())), "{all:?}");
        let event_text = format!("{all:?}");
        assert!(!event_text.contains(other["id"].as_str().unwrap()) && !event_text.contains(&lead.to_string()), "{event_text}");
    }
}
