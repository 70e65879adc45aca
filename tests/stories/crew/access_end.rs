//! Changes of a member's role, and the end of their access.

use futures::future::join;

use super::*;

/// A browser's subscription, with the receiver's keys of RFC 8291, appendix A.
pub(super) fn device(number: usize) -> Value {
    json!({"endpoint": format!("https://fcm.googleapis.com/fcm/send/{number}"), "label": "A phone", "keys": {
        "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        "auth": "BTBZMqHH6r4Tts7J_aSIgg"}})
}

both_databases! {
    async fn deactivated_member_loses_sessions_devices_and_crew_at_once(app) {
        let shop = app.org("Acme Plumbing").await;
        let client = app.client();
        let owner = client.signed_in(app, shop.owner()).await;
        let sam = app.staff(&shop, Role::Crew).await;
        let blue = crew(&owner, "Blue", &[&sam]).await;
        let (phone, tablet) = (client.signed_in(app, &sam).await, client.signed_in(app, &sam).await);
        assert_eq!(phone.post("/api/push/devices", &device(1)).await.status, 201);
        let mut line = tablet.events().await;
        line.read_until("connected").await;
        let at = format!("/api/team/{}", sam.id);
        let gone = patch(&owner, &at, &json!({"isActive": false})).await;
        assert_eq!((gone.status.as_u16(), &gone.json()["isActive"]), (200, &json!(false)));
        for client in [&phone, &tablet] {
            assert_eq!(client.get("/api/auth/me").await.status, 401);
        }
        assert_eq!((app.count("push_device").await, app.count("session").await), (0, 1), "only the owner's session is left");
        assert!(line.ends().await, "an open page gets no more events");
        assert_eq!(owner.get("/api/crews").await.json()[0]["members"], json!([]));
        let back = patch(&owner, &at, &json!({"isActive": true, "role": "office", "crewIds": []})).await.json();
        assert_eq!((&back["role"], &back["crewIds"]), (&json!("office"), &json!([])));
        assert_eq!(phone.get("/api/auth/me").await.status, 401, "they sign in anew");
        assert_eq!(patch(&owner, &at, &json!({"crewIds": [sam.id]})).await.problem().2, ["crewIds"]);
        assert_eq!(patch(&owner, &at, &json!({"crewIds": [blue]})).await.json()["crewIds"], json!([blue]));
    }

    async fn last_owner_cannot_be_removed_or_demoted(app) {
        let shop = app.org("Acme Plumbing").await;
        let owner = office(app, &shop).await;
        let me = format!("/api/team/{}", shop.owner().id);
        for change in [json!({"isActive": false}), json!({"role": "office"})] {
            let refused = patch(&owner, &me, &change).await;
            assert_eq!((refused.status.as_u16(), refused.json()["detail"].as_str()),
                (409, Some("The business needs an owner. Make someone else the owner first.")));
        }
        assert_eq!(patch(&owner, &me, &json!({"role": "owner"})).await.status, 200);
        let pat = app.staff(&shop, Role::Office).await;
        let other = app.client().signed_in(app, &pat).await;
        let them = format!("/api/team/{}", pat.id);
        assert_eq!(patch(&other, &me, &json!({"role": "crew"})).await.status, 403);
        assert_eq!(patch(&owner, &them, &json!({"role": "owner"})).await.status, 200);
        let (one, two) = (json!({"isActive": false}), json!({"role": "office"}));
        let (mine, theirs) = join(patch(&owner, &them, &one), patch(&other, &me, &two)).await;
        let mut statuses = [mine.status.as_u16(), theirs.status.as_u16()];
        statuses.sort_unstable();
        assert!(statuses[0] == 200 && [401, 403, 409].contains(&statuses[1]), "{statuses:?}");
        let team = if mine.status == 200 { owner.get("/api/team").await } else { other.get("/api/team").await };
        let owners = team.json().as_array().unwrap().iter().filter(|row| row["role"] == "owner" && row["isActive"] == true).count();
        assert_eq!(owners, 1, "{}", team.json());
        app.run_tasks().await;
    }
}
