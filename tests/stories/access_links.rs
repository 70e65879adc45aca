//! Links that open without an account: only the whole token of a valid link opens it, and all other attempts get the
//! same answer.

use std::collections::BTreeSet;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Duration, Utc};
use futures::future::join_all;
use shared::platform::{
    access_link::{self, AccessLink, LinkKind, LinkLookup},
    id::{LinkId, OrgId},
    secret::SecretKey,
};
use tests::{app::TestApp, both_databases};
use uuid::Uuid;

const SUBJECT: Uuid = Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_0000_0001);

async fn ensure(app: &TestApp, org: OrgId, kind: LinkKind, subject: Uuid, until: Option<DateTime<Utc>>) -> LinkId {
    app.within(async |tx| access_link::ensure_link(tx, &app.origin, org, kind, subject, until).await).await.unwrap()
}

async fn open(app: &TestApp, token: &str, kinds: &[LinkKind]) -> LinkLookup {
    let mut conn = app.db.acquire_reader().await.unwrap();
    access_link::resolve_token(&mut conn, &app.settings.secret, app.now(), token, kinds).await.unwrap()
}

async fn opened(app: &TestApp, token: &str) -> AccessLink {
    match open(app, token, &LinkKind::ALL).await {
        LinkLookup::Active(link) => link,
        other => panic!("{token} opens {other:?}"),
    }
}

fn token(app: &TestApp, id: LinkId, kind: LinkKind) -> String {
    access_link::build_token(&app.settings.secret, id, kind)
}

both_databases! {
    async fn link_opens_its_subject_until_expiry_or_revocation(app) {
        let org = app.org("Acme Plumbing").await.id();
        for kind in LinkKind::ALL {
            let id = ensure(app, org, kind, SUBJECT, None).await;
            let link = opened(app, &token(app, id, kind)).await;
            assert_eq!((link.id, link.org_id, link.kind, link.subject_id), (id, org, kind, SUBJECT));
            assert_eq!(ensure(app, org, kind, SUBJECT, None).await, id, "asked again it is the same");
        }
        let end = app.now() + Duration::days(7);
        let id = ensure(app, org, LinkKind::Invite, SUBJECT, Some(end)).await;
        let invite = token(app, id, LinkKind::Invite);
        app.advance(Duration::days(7) - Duration::milliseconds(1));
        assert_eq!(opened(app, &invite).await.expires_at, Some(end));
        app.advance(Duration::milliseconds(1));
        assert!(matches!(open(app, &invite, &LinkKind::ALL).await, LinkLookup::Expired(link) if link.id == id));
        ensure(app, org, LinkKind::Invite, SUBJECT, Some(app.now() + Duration::days(1))).await;
        assert_eq!(opened(app, &invite).await.id, id, "prolonged, the same address opens again");

        let revoked = app.within(async |tx| access_link::revoke_link(tx, &app.origin, org, LinkKind::Invite, SUBJECT).await).await;
        assert!(revoked.unwrap());
        assert_eq!(open(app, &invite, &LinkKind::ALL).await, LinkLookup::Gone);
        let again = app.within(async |tx| access_link::revoke_link(tx, &app.origin, org, LinkKind::Invite, SUBJECT).await).await;
        assert!(!again.unwrap(), "there was none any more");
        let estimate = access_link::find_active(&mut app.db.acquire_reader().await.unwrap(), org, LinkKind::Estimate, SUBJECT).await.unwrap();
        assert!(estimate.is_some(), "a link of another kind still works");
    }

    async fn rotated_link_invalidates_the_old_one(app) {
        let org = app.org("Acme Plumbing").await.id();
        let old = ensure(app, org, LinkKind::CrewFeed, SUBJECT, None).await;
        let new = app.within(async |tx| access_link::rotate_link(tx, &app.origin, org, LinkKind::CrewFeed, SUBJECT, None).await).await.unwrap();
        assert_ne!(old, new);
        assert_eq!(open(app, &token(app, old, LinkKind::CrewFeed), &LinkKind::ALL).await, LinkLookup::Gone);
        assert_eq!(opened(app, &token(app, new, LinkKind::CrewFeed)).await.id, new);
    }

    async fn forged_crossed_and_unknown_tokens_are_all_refused_alike(app) {
        let (org, other) = (app.org("Acme Plumbing").await.id(), app.org("Best Roofing").await.id());
        let id = ensure(app, org, LinkKind::Estimate, SUBJECT, None).await;
        let theirs = ensure(app, other, LinkKind::Estimate, SUBJECT, None).await;
        let good = token(app, id, LinkKind::Estimate);
        let bytes = URL_SAFE_NO_PAD.decode(&good).unwrap();
        let mut tried = 0;
        for bit in 0..bytes.len() * 8 {
            let mut forged = bytes.clone();
            forged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(open(app, &URL_SAFE_NO_PAD.encode(forged), &LinkKind::ALL).await, LinkLookup::Gone, "bit {bit}");
            tried += 1;
        }
        assert!(tried >= 200, "{tried}");
        // Another business's link id with this one's proof, and the reverse.
        let theirs = URL_SAFE_NO_PAD.decode(token(app, theirs, LinkKind::Estimate)).unwrap();
        for (id, proof) in [(&theirs, &bytes), (&bytes, &theirs)] {
            let crossed = [&id[..16], &proof[16..]].concat();
            assert_eq!(open(app, &URL_SAFE_NO_PAD.encode(crossed), &LinkKind::ALL).await, LinkLookup::Gone);
        }
        // The proof of another kind, and of another install.
        for kind in LinkKind::ALL.into_iter().filter(|kind| *kind != LinkKind::Estimate) {
            assert_eq!(open(app, &token(app, id, kind), &LinkKind::ALL).await, LinkLookup::Gone, "{kind:?}");
            assert_eq!(open(app, &good, &[kind]).await, LinkLookup::Gone, "where only {kind:?} is asked for");
        }
        let stranger = access_link::build_token(&SecretKey::new([9; 32]), id, LinkKind::Estimate);
        let unknown = token(app, LinkId(Uuid::from_u128(5)), LinkKind::Estimate);
        let (cut, longer) = (good[..42].to_owned(), format!("{good}A"));
        for bad in [stranger, unknown, cut, longer, String::new(), "../../etc/passwd".into(), "ä".repeat(43)] {
            assert_eq!(open(app, &bad, &LinkKind::ALL).await, LinkLookup::Gone, "{bad}");
        }
        assert_eq!(opened(app, &good).await.id, id, "the whole token still opens it");
    }

    async fn concurrent_requests_for_a_link_share_one(app) {
        let org = app.org("Acme Plumbing").await.id();
        let app = &*app;
        let asked = (0..12).map(|_| ensure(app, org, LinkKind::Visit, SUBJECT, None));
        let made: BTreeSet<LinkId> = join_all(asked).await.into_iter().collect();
        assert_eq!((made.len(), app.count("access_link").await), (1, 1));
    }

    async fn first_view_is_reported_only_once(app) {
        let org = app.org("Acme Plumbing").await.id();
        let id = ensure(app, org, LinkKind::Estimate, SUBJECT, None).await;
        let token = token(app, id, LinkKind::Estimate);
        let began = app.now();
        let mut firsts = Vec::new();
        for _ in 0..3 {
            let link = opened(app, &token).await;
            let now = app.now();
            firsts.push(app.within(async |tx| access_link::record_view(tx, now, &link).await).await.unwrap());
            app.advance(Duration::minutes(1));
        }
        let link = opened(app, &token).await;
        assert_eq!(firsts, [true, false, false]);
        assert_eq!((link.seen, link.first_seen_at, link.last_seen_at), (3, Some(began), Some(began + Duration::minutes(2))));
    }
}
