//! Rotation of an install's secret: sealed data stays readable, sent links stay valid, and the old key can go when
//! nothing needs it.

use std::{collections::BTreeSet, path::Path};

use chrono::Duration;
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};
use shared::{
    domain::{
        messaging::account_email::audit_anchor,
        tenancy::{
            audit::{self, AuditAction, AuditActor},
            install_mail::{self, InstallMail},
            org::keys::{self, stripe_form::StripeForm},
        },
    },
    ops::key_rotation::{
        self,
        lost_key::{self, LostKeyReport},
        old_keys::{OldKeyCheck, check_old_keys},
    },
    platform::{
        access_link::{self, LinkKind, LinkLookup},
        db::q,
        encryption::{self, retired},
        id::LinkId,
        secret::SecretKey,
    },
};
use tests::{addresses::email, app::TestApp, both_databases, fake_webhook_receiver::FakeWebhookReceiver};

use crate::layers::CRATES;
use uuid::Uuid;

const NEW: [u8; 32] = [9; 32];
const KEY: &str = "sk_test_51FakeOfAStory";
const SUBJECT: Uuid = Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_0000_0002);

/// A business's Stripe keys, as the form takes them.
fn typed() -> StripeForm {
    StripeForm { secret_key: Some(SecretString::from(KEY)), webhook_secret: None }
}

async fn kept(app: &TestApp, ring: &SecretKey, org: shared::platform::id::OrgId) -> Option<String> {
    let mut conn = app.db.acquire_reader().await.unwrap();
    let keys = keys::load_stripe_keys(&mut conn, ring, org).await.unwrap();
    keys.map(|keys| keys.secret.expose_secret().to_owned())
}

async fn opens(app: &TestApp, ring: &SecretKey, token: &str) -> bool {
    let mut conn = app.db.acquire_reader().await.unwrap();
    let opened = access_link::resolve_token(&mut conn, ring, app.now(), token, &LinkKind::ALL).await.unwrap();
    matches!(opened, LinkLookup::Active(_))
}

const INSTALL_LINK: &str = "https://box.example/register#of-a-story";

async fn queues_install_mail(app: &TestApp) {
    let to = email("rita@roofs.example");
    let links = [("Set up your business", INSTALL_LINK)];
    let mail = InstallMail { to: &to, subject: "Set up", body: "Hi", links: &links, key: "of a story" };
    let secret = &app.settings.secret;
    app.within(async |tx| install_mail::enqueue_mail(tx, &app.origin, secret, &mail).await).await.unwrap();
}

async fn seals_audit_logs(app: &TestApp) {
    let (secret, url) = (&app.settings.secret, &app.settings.public_url);
    assert!(audit_anchor::mail_daily(&app.db, &app.origin, secret, url).await.unwrap() > 0);
    app.run_tasks().await;
}

async fn is_audit_log_whole(app: &TestApp, ring: &SecretKey, org: shared::platform::id::OrgId) -> bool {
    let mut conn = app.db.acquire_reader().await.unwrap();
    audit::verify::verify_chain(&mut conn, ring, org, None, app.now()).await.unwrap().ok
}

both_databases! {
    async fn rotation_reseals_secrets_and_keeps_links_until_old_key_is_dropped(app) {
        let shop = app.org("Acme Plumbing").await;
        let (org, old, owner) = (shop.id(), app.settings.secret.clone(), shop.owner().id);
        let keys = typed().validate_keys(None, app.now()).unwrap();
        app.within(async |tx| keys::store_stripe_keys(tx, &app.origin, &old, org, &keys).await).await.unwrap();
        let factor = encryption::encrypt_secret(&old, &app.origin.entropy, "second factor", &[owner.0.as_bytes()], &"JBSWY3DP".to_owned().into());
        let end = app.now() + Duration::days(30);
        let id: LinkId = app.within(async |tx| {
            let sql = "INSERT INTO second_factor (org_id, account_id, sealed, pending, last_step, changed_at)
                VALUES ($1, $2, $3, $3, 0, $4)";
            q!(&mut *tx, execute, sql, org, owner, &factor, app.now())?;
            access_link::ensure_link(&mut *tx, &app.origin, org, LinkKind::CrewFeed, SUBJECT, None).await?;
            access_link::ensure_link(tx, &app.origin, org, LinkKind::Estimate, SUBJECT, Some(end)).await
        }).await.unwrap();
        let token = access_link::build_token(&old, id, LinkKind::Estimate);

        let old_bytes = sha2_of("the secret of all stories, which is none");
        let ring = SecretKey::new(NEW).with_old_keys([old_bytes]);
        assert!(opens(app, &ring, &token).await, "before anything is sealed anew");
        assert_eq!(kept(app, &ring, org).await.as_deref(), Some(KEY));
        let report = key_rotation::rotate_secret_key(&app.db, &app.origin, &ring).await.unwrap();
        assert_eq!((report.provider_keys.renewed, report.second_factors.renewed, report.lost_count()), (1, 2, 0), "{report:?}");
        assert_eq!((report.links.last_end, report.links.endless), (Some(end), 1));
        assert_eq!(report.old, [old.name()]);

        let again = key_rotation::rotate_secret_key(&app.db, &app.origin, &ring).await.unwrap();
        assert_eq!((again.provider_keys.renewed, again.provider_keys.current), (0, 1), "a repeated rotation changes nothing");
        let alone = SecretKey::new(NEW);
        assert_eq!(kept(app, &alone, org).await.as_deref(), Some(KEY), "the new key alone opens it");
        assert_eq!(kept(app, &old, org).await, None, "the old one does not any more");
        assert!(opens(app, &ring, &token).await);
        assert!(!opens(app, &alone, &token).await, "without the old key its links end");
        assert!(opens(app, &alone, &access_link::build_token(&alone, id, LinkKind::Estimate)).await);
        let mut conn = app.db.acquire_reader().await.unwrap();
        assert!(!key_rotation::is_unfinished(&mut conn, &ring).await.unwrap());
        let lookups = retired::with_retired_keys(&mut conn, &alone).await.unwrap();
        assert!(lookups.keyed_hashes("x", "y").contains(&old.keyed_hash("x", "y")), "hashes of before are found for ever");
    }

    async fn rotation_reaches_every_sealed_column(app) {
        let receiver = FakeWebhookReceiver::start().await;
        app.use_hooks(&receiver);
        let shop = app.org("Acme Plumbing").await;
        let (org, old, account) = (shop.id(), app.settings.secret.clone(), shop.owner().id);
        let owner = app.client().signed_in(app, shop.owner()).await;
        // A webhook whose secret was just changed, and a browser with offline keys.
        let hooks = "/api/org/acme-plumbing/webhooks";
        let made = owner.post(hooks, &json!({"url": receiver.url(), "events": ["lead.created"]})).await;
        let changed = owner.post(&format!("{hooks}/{}/secret", made.json()["id"].as_str().unwrap()), &Value::Null).await;
        assert_eq!(changed.status, 201, "{}", changed.json());
        let asked = owner.post("/api/account/offline-keys", &json!({"storeId": SUBJECT})).await;
        assert_eq!(asked.status, 200, "{}", asked.json());
        let keys = typed().validate_keys(None, app.now()).unwrap();
        app.within(async |tx| keys::store_stripe_keys(tx, &app.origin, &old, org, &keys).await).await.unwrap();
        let factor = encryption::encrypt_secret(&old, &app.origin.entropy, "second factor", &[account.0.as_bytes()], &"JBSWY3DP".to_owned().into());
        app.within(async |tx| {
            let sql = "INSERT INTO second_factor (org_id, account_id, sealed, pending, last_step, changed_at)
                VALUES ($1, $2, $3, $3, 0, $4)";
            Ok(q!(tx, execute, sql, org, account, &factor, app.now())?)
        }).await.unwrap();
        app.run_tasks().await;
        queues_install_mail(app).await;

        let ring = SecretKey::new(NEW).with_old_keys([sha2_of("the secret of all stories, which is none")]);
        key_rotation::rotate_secret_key(&app.db, &app.origin, &ring).await.unwrap();
        let mut sealed = 0;
        for (table, column) in key_rotation::ENCRYPTED_COLUMNS {
            let here = app.count(&format!("{table} WHERE {column} IS NOT NULL")).await;
            assert!(here > 0, "{table}.{column}: the story holds none");
            sealed += here;
        }
        let anchors = app.count("audit_anchor").await;
        let alone = key_rotation::rotate_secret_key(&app.db, &app.origin, &SecretKey::new(NEW)).await.unwrap();
        let counts = [alone.provider_keys, alone.second_factors, alone.webhook_secrets, alone.offline_keys, alone.retired_keys, alone.audit_seals, alone.install_mails];
        let current: u64 = counts.iter().map(|count| count.current).sum();
        assert_eq!((i64::try_from(current).unwrap(), alone.lost_count()), (sealed + anchors, 0), "the new key alone opens each: {alone:?}");
        app.context.secret = SecretKey::new(NEW);
        app.run_tasks().await;
        assert!(app.mail.accepted_messages().iter().any(|mail| mail.text.contains(INSTALL_LINK)));
        assert_eq!(app.count("install_mail WHERE sealed IS NOT NULL").await, 0, "sent mail keeps no words");
    }

    async fn install_mail_fails_an_hour_after_its_key_was_lost(app) {
        queues_install_mail(app).await;
        app.context.secret = SecretKey::new(NEW);
        app.live_through(Duration::hours(3), Duration::minutes(10)).await;
        assert_eq!(app.count("install_mail WHERE status = 'failed' AND sealed IS NULL").await, 1);
        assert!(app.mail.accepted_messages().is_empty());
    }

    async fn mail_queued_before_rotation_carries_working_links(app) {
        let shop = app.org("Acme Plumbing").await;
        let stranger = app.client();
        let form = json!({"name": "Rita Roof", "email": "rita@roofs.example", "password": "copper joint 42", "orgName": "Roofs"});
        assert_eq!(stranger.post("/api/auth/register", &form).await.status, 201);
        assert_eq!(stranger.post("/api/auth/reset", &json!({"email": shop.owner().email})).await.status, 202);
        // The worker has the new key before the mails are sent.
        app.context.secret = SecretKey::new(NEW).with_old_keys([sha2_of("the secret of all stories, which is none")]);
        app.run_tasks().await;
        let token = |page: &str| {
            let letters = app.mail.accepted_messages();
            let (_, rest) = letters.iter().find_map(|letter| letter.text.split_once(page)).unwrap();
            rest.split_whitespace().next().unwrap().to_owned()
        };
        let chosen = json!({"token": token("/reset-password#"), "password": "another copper joint"});
        assert_eq!(stranger.post("/api/auth/reset/confirm", &chosen).await.status, 204);
        let proven = stranger.post("/api/auth/proof", &json!({"token": token("/confirm-email#")})).await;
        assert_eq!(proven.status, 200, "{}", proven.json());
        app.run_tasks().await;
    }

    async fn old_key_is_given_up_only_when_nothing_is_sealed_with_it(app) {
        let shop = app.org("Acme Plumbing").await;
        let (org, old) = (shop.id(), app.settings.secret.clone());
        let keys = typed().validate_keys(None, app.now()).unwrap();
        let seals = async || app.within(async |tx| keys::store_stripe_keys(tx, &app.origin, &old, org, &keys).await).await.unwrap();
        seals().await;
        let ring = SecretKey::new(NEW).with_old_keys([sha2_of("the secret of all stories, which is none")]);
        let check = async |ring: &SecretKey| check_old_keys(&app.db, &app.origin, ring).await.unwrap();
        let OldKeyCheck::StillNeeded(report) = check(&ring).await else { panic!("before the rotation") };
        let listed = report.counts_by_table().into_iter().find(|(table, ..)| *table == "org_secret").unwrap();
        assert_eq!((listed.2.lost, report.lost_count()), (1, 1), "{report:?}");
        assert_eq!(kept(app, &old, org).await.as_deref(), Some(KEY), "looking changes nothing");
        key_rotation::rotate_secret_key(&app.db, &app.origin, &ring).await.unwrap();
        let OldKeyCheck::Unused(report) = check(&ring).await else { panic!("after the rotation") };
        assert!(report.current_count() >= 2, "the sealed key, and the old key that is kept for lookups: {report:?}");
        // A program that was not started anew has sealed something meanwhile.
        seals().await;
        assert!(matches!(check(&ring).await, OldKeyCheck::StillNeeded(_)));
        key_rotation::rotate_secret_key(&app.db, &app.origin, &ring).await.unwrap();
        assert!(matches!(check(&ring).await, OldKeyCheck::Unused(_)));
        assert!(matches!(check(&SecretKey::new(NEW)).await, OldKeyCheck::NoOldKey));
        let other = SecretKey::new(NEW).with_old_keys([[5; 32]]);
        assert!(matches!(check(&other).await, OldKeyCheck::NotRotated), "its hashes could not be looked up");
    }

    async fn rotation_after_a_lost_key_finishes_and_names_what_to_enter_again(app) {
        let shop = app.org("Acme Plumbing").await;
        let (org, old, account) = (shop.id(), app.settings.secret.clone(), shop.owner().id);
        let owner = app.client().signed_in(app, shop.owner()).await;
        assert_eq!(owner.post("/api/account/offline-keys", &json!({"storeId": SUBJECT})).await.status, 200);
        let keys = typed().validate_keys(None, app.now()).unwrap();
        let factor = encryption::encrypt_secret(&old, &app.origin.entropy, "second factor", &[account.0.as_bytes()], &"JBSWY3DP".to_owned().into());
        app.within(async |tx| {
            keys::store_stripe_keys(&mut *tx, &app.origin, &old, org, &keys).await?;
            let sql = "INSERT INTO second_factor (org_id, account_id, sealed, pending, last_step, changed_at)
                VALUES ($1, $2, $3, NULL, 0, $4)";
            q!(&mut *tx, execute, sql, org, account, &factor, app.now())?;
            audit::emit_event(tx, &app.origin, &AuditActor::default(), org, AuditAction::SettingsChanged, None);
            Ok(())
        }).await.unwrap();
        app.advance(Duration::days(2));
        seals_audit_logs(app).await;
        queues_install_mail(app).await;
        // Keeps a key of before for lookups, sealed with the one that is lost below.
        key_rotation::rotate_secret_key(&app.db, &app.origin, &old.with_old_keys([[5; 32]])).await.unwrap();

        let ring = SecretKey::new(NEW);
        assert!(key_rotation::rotate_secret_key(&app.db, &app.origin, &ring).await.unwrap().lost_count() >= 6);
        let report = lost_key::abandon_lost_key(&app.db, &app.origin, &ring).await.unwrap();
        let audit_seals = report.audit_seals;
        assert!(audit_seals > 0, "{report:?}");
        let wanted = LostKeyReport { retired_keys: 1, offline_keys: 2, audit_seals, install_mails: 1, provider_keys: 1, second_factors: 1, webhook_secrets: 0 };
        assert_eq!(report, wanted);
        assert!(is_audit_log_whole(app, &ring, org).await, "no line is taken for forged");

        let next = SecretKey::new([10; 32]).with_old_keys([NEW]);
        let rotated = key_rotation::rotate_secret_key(&app.db, &app.origin, &next).await.unwrap();
        assert_eq!((rotated.lost_count(), rotated.provider_keys.abandoned, rotated.second_factors.abandoned), (0, 1, 1), "{rotated:?}");
        let mut conn = app.db.acquire_reader().await.unwrap();
        assert!(!key_rotation::is_unfinished(&mut conn, &next).await.unwrap());
        retired::with_retired_keys(&mut conn, &next).await.unwrap();
        drop(conn);
        assert!(matches!(check_old_keys(&app.db, &app.origin, &next).await.unwrap(), OldKeyCheck::Unused(_)));
        assert_eq!(kept(app, &next, org).await, None);
        // The key is found after all.
        let found = next.with_old_keys([sha2_of("the secret of all stories, which is none")]);
        key_rotation::rotate_secret_key(&app.db, &app.origin, &found).await.unwrap();
        assert_eq!(kept(app, &next, org).await.as_deref(), Some(KEY));
        app.run_tasks().await;
    }

    async fn rotation_without_the_sealing_key_reports_loss_and_changes_nothing(app) {
        let shop = app.org("Acme Plumbing").await;
        let keys = typed().validate_keys(None, app.now()).unwrap();
        let old = app.settings.secret.clone();
        app.within(async |tx| keys::store_stripe_keys(tx, &app.origin, &old, shop.id(), &keys).await).await.unwrap();
        let ring = SecretKey::new(NEW).with_old_keys([[5; 32]]);
        let report = key_rotation::rotate_secret_key(&app.db, &app.origin, &ring).await.unwrap();
        assert_eq!((report.provider_keys.lost, report.provider_keys.renewed), (1, 0));
        assert!(key_rotation::is_unfinished(&mut app.db.acquire_reader().await.unwrap(), &ring).await.unwrap());
        assert_eq!(kept(app, &old, shop.id()).await.as_deref(), Some(KEY));
    }
}

fn sha2_of(text: &str) -> [u8; 32] {
    use sha2::Digest as _;
    sha2::Sha256::digest(text.as_bytes()).into()
}

/// New uses of sealing must join the rotation: the files that seal are counted here.
#[test]
fn every_sealing_source_file_is_listed_for_rotation() {
    const SEAL: [&str; 10] = [
        "shared/src/domain/tenancy/account/second_factor.rs",
        "shared/src/ops/webhooks/signing_secret.rs",
        "shared/src/ops/key_rotation.rs",
        "shared/src/ops/key_rotation/mark.rs",
        "shared/src/domain/tenancy/org/keys/encrypted_keys.rs",
        "platform/src/encryption.rs",
        "platform/src/encryption/renewal.rs",
        "platform/src/secret.rs",
        "shared/src/domain/tenancy/session/store_key.rs",
        "shared/src/domain/tenancy/install_mail.rs",
    ];
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = BTreeSet::new();
    let mut folders: Vec<_> = CRATES.map(|name| root.join(name).join("src")).into();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            if path.extension().is_none_or(|extension| extension != "rs") {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            // Ignores line breaks within a call.
            let code: String = text.split("#[cfg(test)]").next().unwrap_or_default().split_whitespace().collect();
            if code.contains(".encrypt_bytes(") || code.contains("encryption::encrypt_secret(") {
                let name = path.strip_prefix(&root).unwrap().display().to_string();
                found.insert(name);
            }
        }
    }
    let listed: BTreeSet<String> = SEAL.iter().map(ToString::to_string).collect();
    assert_eq!(found, listed, "add what it encrypts to `key_rotation`, then here");
}
