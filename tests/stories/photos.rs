//! Photos of forms: the lead is stored first and its photos follow, despite crashes and outages in between.

use std::{os::unix::fs::PermissionsExt, path::Path};

use chrono::Duration;
use serde_json::json;
use shared::{
    domain::intake::photo_upload::{
        self,
        round_robin::{self, OrgRoundRobin},
    },
    platform::{
        config::EnvVars,
        db::q,
        id::{LeadId, OrgId},
        storage::StorageConfig,
    },
};
use tests::{
    app::TestApp,
    both_databases,
    http::{Answer, Multipart, pixel},
};

mod erasure;
mod space_limits;

const LEADS: &str = "/api/leads/create";

fn form(n: usize, photos: usize) -> Multipart {
    form_to("acme-plumbing", n, photos)
}

fn form_to(slug: &str, n: usize, photos: usize) -> Multipart {
    let fields = [
        ("name", "Ann Lee".to_owned()),
        ("phone", format!("512555{:04}", 1000 + n)),
        ("email", format!("person{n}@customer.example")),
        ("service", "plumbing".to_owned()),
        ("zip", "78701".to_owned()),
        ("orgId", slug.to_owned()),
    ];
    let form = fields.iter().fold(Multipart::default(), |form, (name, value)| form.text(name, value));
    (1..=photos).fold(form, |form, number| form.photo(&format!("{number}.png"), &pixel()))
}

async fn asks(app: &TestApp, form: Multipart) -> Answer {
    let answer = app.client().here().post_form(LEADS, form).await;
    assert_eq!(answer.status, 201, "{}", answer.json());
    answer
}

fn lead_of(answer: &Answer) -> LeadId {
    LeadId(answer.json()["id"].as_str().unwrap().parse().unwrap())
}

async fn stored(app: &TestApp) -> Vec<String> {
    let keys = app.context.storage.list_all().await.unwrap();
    let mut endings: Vec<String> = keys.iter().map(|(key, _)| key[key.rfind('.').unwrap()..].to_owned()).collect();
    endings.sort();
    endings
}

async fn photo_events(app: &TestApp, org: OrgId, lead: LeadId) -> Vec<String> {
    let events = app.lead(org, lead).await.events;
    events.into_iter().map(|event| event.title).filter(|title| title.starts_with("Photo")).collect()
}

fn bucket_away() -> StorageConfig {
    let mut vars = EnvVars::from_pairs([
        ("STORAGE_URL", "s3://photos/live"),
        ("AWS_ACCESS_KEY_ID", "AK"),
        ("AWS_SECRET_ACCESS_KEY", "s3cret"),
        ("AWS_REGION", "eu-west-1"),
        ("AWS_ENDPOINT_URL", "http://127.0.0.1:1"),
    ]);
    let config = StorageConfig::from_vars(&mut vars, Path::new("/nowhere"));
    vars.into_result().unwrap();
    config
}

fn in_spool(app: &TestApp) -> Vec<std::path::PathBuf> {
    let folder = std::fs::read_dir(app.settings.data_dir.join("spool"));
    folder.map(|entries| entries.map(|entry| entry.unwrap().path()).collect()).unwrap_or_default()
}

both_databases! {
    async fn form_photos_are_redrawn_after_acceptance_and_raw_bytes_never_served(app) {
        let shop = app.org("Acme Plumbing").await;
        let lead = lead_of(&asks(app, form(1, 2)).await);
        assert_eq!((app.count("photo").await, app.count("photo_upload").await, stored(app).await), (0, 2, vec![".raw".to_owned(); 2]));
        assert!(in_spool(app).is_empty());
        let owner = app.client().signed_in(app, shop.owner()).await;
        let shown = owner.get(&format!("/api/leads/{lead}")).await.json();
        assert_eq!((&shown["photosWaiting"], &shown["photos"]), (&json!(2), &json!([])));
        let sql = "SELECT id FROM photo_upload ORDER BY position LIMIT 1";
        let photo = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar uuid::Uuid, sql).unwrap();
        for path in [format!("/api/leads/{lead}/photos/{photo}"), format!("/api/files/{photo}")] {
            assert_eq!(owner.get(&path).await.status, 404, "{path}");
        }
        app.run_tasks().await;
        let shown = owner.get(&format!("/api/leads/{lead}")).await.json();
        assert_eq!((&shown["photosWaiting"], shown["photos"].as_array().map(Vec::len)), (&json!(0), Some(2)));
        assert_eq!((&shown["photos"][0]["name"], &shown["photos"][0]["id"]), (&json!("1.png"), &json!(photo)));
        assert_eq!((app.count("photo_upload").await, stored(app).await), (0, vec![".jpg".to_owned(); 4]));
    }

    async fn photos_of_two_leads_are_redrawn_in_order_of_arrival(app) {
        app.org("Acme Plumbing").await;
        let first = lead_of(&asks(app, form(1, 2)).await);
        app.advance(Duration::seconds(1));
        let second = lead_of(&asks(app, form(2, 2)).await);
        let (mut order, turns) = (Vec::new(), OrgRoundRobin::default());
        while let Some(upload) = round_robin::claim_next_upload(&app.db, &turns, app.now()).await.unwrap() {
            order.push((upload.lead_id, upload.position));
        }
        assert_eq!(order, [(first, 0), (first, 1), (second, 0), (second, 1)]);
        app.run_tasks().await;
        assert_eq!(app.count("photo").await, 0, "a worker has claimed them");
        app.advance(Duration::minutes(3));
        photo_upload::sweep_stalled_uploads(&app.db, &app.origin).await.unwrap();
        app.run_tasks().await;
        assert_eq!((app.count("photo").await, app.count("photo_upload").await), (4, 0), "photos of a dead worker are taken over");
    }

    async fn photos_of_two_businesses_alternate_and_held_ones_come_last(app) {
        app.org("Acme Plumbing").await;
        app.org("Best Roofing").await;
        let held = lead_of(&asks(app, form(1, 2).text("company", "Best SEO Ltd")).await);
        let mut acme = Vec::new();
        for n in 2..6 {
            app.advance(Duration::seconds(1));
            acme.push(lead_of(&asks(app, form(n, 1)).await));
        }
        let best = lead_of(&asks(app, form_to("best-roofing", 6, 2)).await);
        let (mut order, turns) = (Vec::new(), OrgRoundRobin::default());
        while let Some(upload) = round_robin::claim_next_upload(&app.db, &turns, app.now()).await.unwrap() {
            order.push(upload.lead_id);
        }
        assert_eq!(order[6..], [held, held], "after all others");
        let of_acme: Vec<LeadId> = order[..6].iter().copied().filter(|lead| *lead != best).collect();
        assert_eq!(of_acme, acme, "in their order");
        let of_best: Vec<usize> = (0..6).filter(|n| order[*n] == best).collect();
        assert!([vec![0, 2], vec![1, 3]].contains(&of_best), "one of each in turn: {of_best:?}");
        app.advance(Duration::minutes(3));
        photo_upload::sweep_stalled_uploads(&app.db, &app.origin).await.unwrap();
        app.run_tasks().await;
        assert_eq!((app.count("photo").await, app.count("photo_upload").await), (8, 0));
    }

    async fn photos_of_one_network_alternate_with_those_of_another(app) {
        app.org("Acme Plumbing").await;
        let asks_from = async |address: [u8; 4], n: usize, photos: usize| {
            let answer = app.client().from_address(address).post_form(LEADS, form(n, photos)).await;
            assert_eq!(answer.status, 201, "{}", answer.json());
            lead_of(&answer)
        };
        let first = asks_from([198, 51, 100, 1], 1, 3).await;
        app.advance(Duration::seconds(1));
        let second = asks_from([198, 51, 100, 1], 2, 2).await;
        app.advance(Duration::seconds(1));
        let next = asks_from([203, 0, 113, 9], 3, 2).await;
        let (mut order, turns) = (Vec::new(), OrgRoundRobin::default());
        while let Some(upload) = round_robin::claim_next_upload(&app.db, &turns, app.now()).await.unwrap() {
            order.push((upload.lead_id, upload.position));
        }
        let wanted = [(first, 0), (next, 0), (first, 1), (next, 1), (first, 2), (second, 0), (second, 1)];
        assert_eq!(order, wanted);
        app.advance(Duration::minutes(3));
        photo_upload::sweep_stalled_uploads(&app.db, &app.origin).await.unwrap();
        app.run_tasks().await;
    }

    async fn photos_of_released_lead_do_not_wait_behind_held_ones(app) {
        let shop = app.org("Acme Plumbing").await;
        let mut held = Vec::new();
        for n in 1..4 {
            held.push(lead_of(&asks(app, form(n, 1).text("company", "Best SEO Ltd")).await));
            app.advance(Duration::seconds(1));
        }
        let owner = app.client().signed_in(app, shop.owner()).await;
        for lead in &held[1..] {
            assert_eq!(owner.post(&format!("/api/leads/{lead}/release"), &json!({})).await.status, 200);
        }
        assert_eq!(owner.post(&format!("/api/leads/{}/hold", held[1]), &json!({})).await.status, 200);
        let (mut order, turns) = (Vec::new(), OrgRoundRobin::default());
        while let Some(upload) = round_robin::claim_next_upload(&app.db, &turns, app.now()).await.unwrap() {
            order.push(upload.lead_id);
        }
        assert_eq!(order, [held[2], held[0], held[1]], "the second was held again");
        app.advance(Duration::minutes(3));
        photo_upload::sweep_stalled_uploads(&app.db, &app.origin).await.unwrap();
        app.run_tasks().await;
    }

    async fn undecodable_photo_is_refused_on_timeline_and_its_bytes_are_removed(app) {
        let shop = app.org("Acme Plumbing").await;
        let mut broken = pixel();
        broken[45] ^= 0xff;
        let lead = lead_of(&asks(app, form(1, 1).photo("drip.png", &broken)).await);
        app.run_tasks().await;
        assert_eq!(photo_events(app, shop.id(), lead).await, ["Photo “drip.png” is damaged and cannot be read"]);
        let shown = app.lead(shop.id(), lead).await;
        assert_eq!((shown.photos.len(), shown.photos_waiting, stored(app).await.len()), (1, 0, 2));
    }

    async fn photo_with_five_failed_tries_is_refused_and_next_is_redrawn(app) {
        let shop = app.org("Acme Plumbing").await;
        let lead = lead_of(&asks(app, form(1, 2)).await);
        let sql = "UPDATE photo_upload SET tries = 5 WHERE org_id = $1 AND position = 0";
        app.within(async |tx| Ok(q!(tx, execute, sql, shop.id())?)).await.unwrap();
        app.run_tasks().await;
        assert_eq!(photo_events(app, shop.id(), lead).await, ["Photo “1.png” could not be read"]);
        assert_eq!((app.lead(shop.id(), lead).await.photos.len(), app.count("photo_upload").await), (1, 0));
    }

    async fn photo_without_raw_bytes_is_found_redrawn_or_reported_lost(app) {
        let shop = app.org("Acme Plumbing").await;
        let lead = lead_of(&asks(app, form(1, 2)).await);
        let sql = "SELECT raw_key FROM photo_upload ORDER BY position";
        let keys = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_all scalar String, sql).unwrap();
        let picture = shared::platform::photo::reencode_photo(&pixel()).unwrap();
        let storage = &app.context.storage;
        for key in &keys {
            storage.delete(key).await.unwrap();
        }
        let stem = keys[0].trim_end_matches(".raw");
        storage.put(&format!("{stem}.jpg"), &picture.full).await.unwrap();
        storage.put(&format!("{stem}-thumb.jpg"), &picture.thumb).await.unwrap();
        app.run_tasks().await;
        let shown = app.lead(shop.id(), lead).await;
        assert_eq!((shown.photos.len(), shown.photos[0].width, shown.photos_waiting), (1, 1, 0));
        assert_eq!(photo_events(app, shop.id(), lead).await, ["Photo “2.png” is lost"]);
    }

    async fn photo_of_erased_lead_is_discarded_when_redraw_finishes(app) {
        let shop = app.org("Acme Plumbing").await;
        asks(app, form(1, 1)).await;
        let upload = round_robin::claim_next_upload(&app.db, &OrgRoundRobin::default(), app.now()).await.unwrap().unwrap();
        let sql = "DELETE FROM photo_upload WHERE org_id = $1";
        app.within(async |tx| Ok(q!(tx, execute, sql, shop.id())?)).await.unwrap();
        let photo = shared::domain::intake::lead::NewPhoto {
            id: upload.id,
            original_name: upload.original_name.clone(),
            width: 1,
            height: 1,
            bytes: 700,
            full_key: "a/b.jpg".to_owned(),
            thumb_key: "a/b-thumb.jpg".to_owned(),
        };
        let is_named = app.within(async |tx| photo_upload::finish_upload(tx, &app.origin, &upload, &photo).await).await.unwrap();
        assert_eq!((is_named, app.count("photo").await), (false, 0));
        app.run_tasks().await;
    }

    async fn photos_beyond_spool_limit_are_left_out_with_notice_and_lead_is_kept(app) {
        // A photo has 70 bytes, and one business may use half of the space.
        app.settings.photo_spool = 300;
        app.org("Acme Plumbing").await;
        let client = app.client().here().with("idempotency-key", "8e0c-1");
        let first = client.post_form(LEADS, form(1, 3)).await;
        assert_eq!(first.status, 201, "{}", first.json());
        let words = first.json()["photosLeftOut"].as_str().unwrap().to_owned();
        assert!(words.contains("We have your request") && words.contains("no room for one of your photos"), "{words}");
        let again = client.post_form(LEADS, form(1, 3)).await;
        assert_eq!((again.json(), app.count("photo_upload").await), (first.json(), 2));
        let next = asks(app, form(2, 1)).await;
        assert!(next.json()["photosLeftOut"].is_string(), "{}", next.json());
        app.run_tasks().await;
        assert_eq!((app.count("lead").await, app.count("photo").await, in_spool(app).len()), (2, 2, 0));
        assert_eq!(asks(app, form(3, 2)).await.json().get("photosLeftOut"), None, "there is room again");
        app.run_tasks().await;
    }

    async fn unavailable_bucket_refuses_no_lead_and_photos_follow_from_spool(app) {
        let shop = app.org("Acme Plumbing").await;
        let folder = app.settings.storage.clone();
        app.settings.storage = bucket_away();
        let lead = lead_of(&asks(app, form(1, 2)).await);
        let waiting = in_spool(app);
        assert_eq!((waiting.len(), app.lead(shop.id(), lead).await.photos_waiting), (2, 2));
        let rights = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((rights(&waiting[0]), rights(waiting[0].parent().unwrap())), (0o600, 0o700));
        assert!(api::spool::forward_all(&app.state()).await.is_err());
        app.run_tasks().await;
        assert_eq!((in_spool(app).len(), app.count("photo_upload").await), (2, 2), "they wait");

        // The store works again; that it is a folder here makes no difference.
        app.settings.storage = folder;
        assert_eq!(api::spool::forward_all(&app.state()).await.unwrap(), 2);
        assert_eq!((in_spool(app).len(), api::spool::forward_all(&app.state()).await.unwrap()), (0, 0));
        app.run_tasks().await;
        let shown = app.lead(shop.id(), lead).await;
        assert_eq!((shown.photos.len(), shown.photos_waiting), (2, 0));
    }

    async fn photos_unstored_for_a_week_are_reported_lost(app) {
        let shop = app.org("Acme Plumbing").await;
        let lead = lead_of(&asks(app, form(1, 1)).await);
        let sql = "UPDATE photo_upload SET is_stored = FALSE WHERE org_id = $1";
        app.within(async |tx| Ok(q!(tx, execute, sql, shop.id())?)).await.unwrap();
        app.run_tasks().await;
        app.advance(Duration::days(6));
        assert_eq!(photo_upload::sweep_stalled_uploads(&app.db, &app.origin).await.unwrap(), 0);
        app.advance(Duration::days(2));
        assert_eq!(photo_upload::sweep_stalled_uploads(&app.db, &app.origin).await.unwrap(), 1);
        assert_eq!(photo_events(app, shop.id(), lead).await, ["Photo “1.png” was lost on its way into the file store"]);
        app.run_tasks().await;
    }

    async fn orphaned_raw_photos_are_removed_and_waiting_ones_stay(app) {
        app.org("Acme Plumbing").await;
        asks(app, form(1, 1)).await;
        app.context.storage.put("stray/left-over.raw", b"x").await.unwrap();
        // Ten years later, whatever the machine's clock says.
        app.advance(Duration::days(3650));
        worker::housekeeping::stray_files::remove_stray_files(&app.context).await.unwrap();
        assert_eq!(stored(app).await, [".raw"], "the one that waits");
        app.run_tasks().await;
        assert_eq!(stored(app).await, [".jpg", ".jpg"]);
    }
}
