//! Another secret for an install at work: nothing that was sealed is lost, no link that was sent stops, and the old key can
//! go when nothing needs it.

use std::{collections::BTreeSet, path::Path};

use chrono::Duration;
use secrecy::{ExposeSecret, SecretString};
use shared::{
    db::q,
    id::LinkId,
    key_ring,
    link::{self, Kind, Opened},
    org::keys,
    seal,
    secret::SecretKey,
};
use tests::{app::TestApp, both_databases};
use uuid::Uuid;

const NEW: [u8; 32] = [9; 32];
const KEY: &str = "sk_test_51FakeOfAStory";
const SUBJECT: Uuid = Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_0000_0002);

/// The keys of a business at Stripe, as the form takes them.
fn typed() -> keys::StripeForm {
    keys::StripeForm { secret_key: Some(SecretString::from(KEY)), webhook_secret: None }
}

async fn kept(app: &TestApp, ring: &SecretKey, org: shared::id::OrgId) -> Option<String> {
    let mut conn = app.db.read().await.unwrap();
    let keys = keys::stripe(&mut conn, ring, org).await.unwrap();
    keys.map(|keys| keys.secret.expose_secret().to_owned())
}

async fn opens(app: &TestApp, ring: &SecretKey, token: &str) -> bool {
    let mut conn = app.db.read().await.unwrap();
    let opened = link::open(&mut conn, ring, app.now(), token, &Kind::ALL).await.unwrap();
    matches!(opened, Opened::Here(_))
}

both_databases! {
    async fn rotation_seals_everything_anew_and_keeps_links_until_the_old_key_goes(app) {
        let shop = app.org("Acme Plumbing").await;
        let (org, old, owner) = (shop.id(), app.settings.secret.clone(), shop.owner().id);
        let keys = typed().read(None, app.now()).unwrap();
        app.within(async |tx| keys::set_stripe(tx, &app.origin, &old, org, &keys).await).await.unwrap();
        let factor = seal::seal(&old, &app.origin.entropy, "second factor", &[owner.0.as_bytes()], &"JBSWY3DP".to_owned().into());
        let end = app.now() + Duration::days(30);
        let id: LinkId = app.within(async |tx| {
            let sql = "INSERT INTO second_factor (org_id, account_id, sealed, pending, last_step, changed_at)
                VALUES ($1, $2, $3, $3, 0, $4)";
            q!(&mut *tx, execute, sql, org, owner, &factor, app.now())?;
            link::ensure(&mut *tx, &app.origin, org, Kind::CrewFeed, SUBJECT, None).await?;
            link::ensure(tx, &app.origin, org, Kind::Estimate, SUBJECT, Some(end)).await
        }).await.unwrap();
        let token = link::token(&old, id, Kind::Estimate);

        let old_bytes = sha2_of("the secret of all stories, which is none");
        let ring = SecretKey::new(NEW).with_old([old_bytes]);
        assert!(opens(app, &ring, &token).await, "before anything is sealed anew");
        assert_eq!(kept(app, &ring, org).await.as_deref(), Some(KEY));
        let report = key_ring::rotate(&app.db, &app.origin, &ring).await.unwrap();
        assert_eq!((report.provider_keys.renewed, report.second_factors.renewed, report.lost()), (1, 2, 0), "{report:?}");
        assert_eq!((report.links.last_end, report.links.endless), (Some(end), 1));
        assert_eq!(report.old, [old.name()]);

        let again = key_ring::rotate(&app.db, &app.origin, &ring).await.unwrap();
        assert_eq!((again.provider_keys.renewed, again.provider_keys.current), (0, 1), "said again it changes nothing");
        let alone = SecretKey::new(NEW);
        assert_eq!(kept(app, &alone, org).await.as_deref(), Some(KEY), "the new key alone opens it");
        assert_eq!(kept(app, &old, org).await, None, "the old one does not any more");
        assert!(opens(app, &ring, &token).await);
        assert!(!opens(app, &alone, &token).await, "without the old key its links end");
        assert!(opens(app, &alone, &link::token(&alone, id, Kind::Estimate)).await);
        let mut conn = app.db.read().await.unwrap();
        assert!(!key_ring::is_unfinished(&mut conn, &ring).await.unwrap());
        let lookups = key_ring::for_lookups(&mut conn, &alone).await.unwrap();
        assert!(lookups.blurs("x", "y").contains(&old.blur("x", "y")), "hashes of before are found for ever");
    }

    async fn rotation_without_the_key_that_sealed_says_so_and_changes_nothing(app) {
        let shop = app.org("Acme Plumbing").await;
        let keys = typed().read(None, app.now()).unwrap();
        let old = app.settings.secret.clone();
        app.within(async |tx| keys::set_stripe(tx, &app.origin, &old, shop.id(), &keys).await).await.unwrap();
        let ring = SecretKey::new(NEW).with_old([[5; 32]]);
        let report = key_ring::rotate(&app.db, &app.origin, &ring).await.unwrap();
        assert_eq!((report.provider_keys.lost, report.provider_keys.renewed), (1, 0));
        assert!(key_ring::is_unfinished(&mut app.db.read().await.unwrap(), &ring).await.unwrap());
        assert_eq!(kept(app, &old, shop.id()).await.as_deref(), Some(KEY));
    }
}

fn sha2_of(text: &str) -> [u8; 32] {
    use sha2::Digest as _;
    sha2::Sha256::digest(text.as_bytes()).into()
}

/// Whoever seals something else adds it to the rotation: the files that seal are counted here.
#[test]
fn everything_that_seals_is_in_the_rotation() {
    const SEAL: [&str; 7] = [
        "shared/src/account/second_factor.rs",
        "shared/src/hook/sign.rs",
        "shared/src/key_ring.rs",
        "shared/src/org/keys.rs",
        "shared/src/seal.rs",
        "shared/src/secret.rs",
        "shared/src/session/store_key.rs",
    ];
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = BTreeSet::new();
    let mut folders: Vec<_> = ["shared/src", "api/src", "worker/src"].map(|folder| root.join(folder)).into();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            // Fonts and lists lie among them.
            if path.extension().is_none_or(|extension| extension != "rs") {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            // However a call is broken into lines.
            let code: String = text.split("#[cfg(test)]").next().unwrap_or_default().split_whitespace().collect();
            if code.contains(".seal(") || code.contains("seal::seal(") {
                let name = path.strip_prefix(&root).unwrap().display().to_string();
                found.insert(name);
            }
        }
    }
    let listed: BTreeSet<String> = SEAL.iter().map(ToString::to_string).collect();
    assert_eq!(found, listed, "add what it seals to key_ring::rotate and to key_ring::SEALED, then here");
}
