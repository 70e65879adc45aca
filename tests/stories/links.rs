//! Links that open something without an account: only the whole token of a link in force opens it, and whatever else is
//! tried gets one and the same answer.

use std::collections::BTreeSet;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Duration, Utc};
use futures::future::join_all;
use shared::platform::{
    access_link::{self, Kind, Link, Opened},
    id::{LinkId, OrgId},
    secret::SecretKey,
};
use tests::{app::TestApp, both_databases};
use uuid::Uuid;

const SUBJECT: Uuid = Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_0000_0001);

async fn ensure(app: &TestApp, org: OrgId, kind: Kind, subject: Uuid, until: Option<DateTime<Utc>>) -> LinkId {
    app.within(async |tx| access_link::ensure(tx, &app.origin, org, kind, subject, until).await).await.unwrap()
}

async fn open(app: &TestApp, token: &str, kinds: &[Kind]) -> Opened {
    let mut conn = app.db.read().await.unwrap();
    access_link::open(&mut conn, &app.settings.secret, app.now(), token, kinds).await.unwrap()
}

/// The link that this token opens.
async fn opened(app: &TestApp, token: &str) -> Link {
    match open(app, token, &Kind::ALL).await {
        Opened::Here(link) => link,
        other => panic!("{token} opens {other:?}"),
    }
}

fn token(app: &TestApp, id: LinkId, kind: Kind) -> String {
    access_link::token(&app.settings.secret, id, kind)
}

both_databases! {
    async fn a_link_opens_what_it_was_made_for_until_its_end_or_until_it_is_taken_back(app) {
        let org = app.org("Acme Plumbing").await.id();
        for kind in Kind::ALL {
            let id = ensure(app, org, kind, SUBJECT, None).await;
            let link = opened(app, &token(app, id, kind)).await;
            assert_eq!((link.id, link.org_id, link.kind, link.subject_id), (id, org, kind, SUBJECT));
            assert_eq!(ensure(app, org, kind, SUBJECT, None).await, id, "asked again it is the same");
        }
        let end = app.now() + Duration::days(7);
        let id = ensure(app, org, Kind::Invite, SUBJECT, Some(end)).await;
        let invite = token(app, id, Kind::Invite);
        app.advance(Duration::days(7) - Duration::milliseconds(1));
        assert_eq!(opened(app, &invite).await.expires_at, Some(end));
        app.advance(Duration::milliseconds(1));
        assert!(matches!(open(app, &invite, &Kind::ALL).await, Opened::Expired(link) if link.id == id));
        ensure(app, org, Kind::Invite, SUBJECT, Some(app.now() + Duration::days(1))).await;
        assert_eq!(opened(app, &invite).await.id, id, "prolonged, the same address opens again");

        let revoked = app.within(async |tx| access_link::revoke(tx, &app.origin, org, Kind::Invite, SUBJECT).await).await;
        assert!(revoked.unwrap());
        assert_eq!(open(app, &invite, &Kind::ALL).await, Opened::Gone);
        let again = app.within(async |tx| access_link::revoke(tx, &app.origin, org, Kind::Invite, SUBJECT).await).await;
        assert!(!again.unwrap(), "there was none any more");
        let estimate = access_link::in_force(&mut app.db.read().await.unwrap(), org, Kind::Estimate, SUBJECT).await.unwrap();
        assert!(estimate.is_some(), "another kind's link stands");
    }

    async fn a_new_link_in_place_of_the_old_one_leaves_the_old_address_dead(app) {
        let org = app.org("Acme Plumbing").await.id();
        let old = ensure(app, org, Kind::CrewFeed, SUBJECT, None).await;
        let new = app.within(async |tx| access_link::rotate(tx, &app.origin, org, Kind::CrewFeed, SUBJECT, None).await).await.unwrap();
        assert_ne!(old, new);
        assert_eq!(open(app, &token(app, old, Kind::CrewFeed), &Kind::ALL).await, Opened::Gone);
        assert_eq!(opened(app, &token(app, new, Kind::CrewFeed)).await.id, new);
    }

    async fn forged_altered_re_aimed_and_unknown_tokens_are_all_the_same(app) {
        let (org, other) = (app.org("Acme Plumbing").await.id(), app.org("Best Roofing").await.id());
        let id = ensure(app, org, Kind::Estimate, SUBJECT, None).await;
        let theirs = ensure(app, other, Kind::Estimate, SUBJECT, None).await;
        let good = token(app, id, Kind::Estimate);
        let bytes = URL_SAFE_NO_PAD.decode(&good).unwrap();
        let mut tried = 0;
        for bit in 0..bytes.len() * 8 {
            let mut forged = bytes.clone();
            forged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(open(app, &URL_SAFE_NO_PAD.encode(forged), &Kind::ALL).await, Opened::Gone, "bit {bit}");
            tried += 1;
        }
        assert!(tried >= 200, "{tried}");
        // Another business's link with the proof of this one, and the other way round.
        let theirs = URL_SAFE_NO_PAD.decode(token(app, theirs, Kind::Estimate)).unwrap();
        for (id, proof) in [(&theirs, &bytes), (&bytes, &theirs)] {
            let crossed = [&id[..16], &proof[16..]].concat();
            assert_eq!(open(app, &URL_SAFE_NO_PAD.encode(crossed), &Kind::ALL).await, Opened::Gone);
        }
        // The proof of another kind, and of another install.
        for kind in Kind::ALL.into_iter().filter(|kind| *kind != Kind::Estimate) {
            assert_eq!(open(app, &token(app, id, kind), &Kind::ALL).await, Opened::Gone, "{kind:?}");
            assert_eq!(open(app, &good, &[kind]).await, Opened::Gone, "where only {kind:?} is asked for");
        }
        let stranger = access_link::token(&SecretKey::new([9; 32]), id, Kind::Estimate);
        let unknown = token(app, LinkId(Uuid::from_u128(5)), Kind::Estimate);
        let (cut, longer) = (good[..42].to_owned(), format!("{good}A"));
        for bad in [stranger, unknown, cut, longer, String::new(), "../../etc/passwd".into(), "ä".repeat(43)] {
            assert_eq!(open(app, &bad, &Kind::ALL).await, Opened::Gone, "{bad}");
        }
        assert_eq!(opened(app, &good).await.id, id, "the whole token still opens it");
    }

    async fn many_who_ask_for_a_link_at_the_same_instant_get_one(app) {
        let org = app.org("Acme Plumbing").await.id();
        let app = &*app;
        let asked = (0..12).map(|_| ensure(app, org, Kind::Visit, SUBJECT, None));
        let made: BTreeSet<LinkId> = join_all(asked).await.into_iter().collect();
        assert_eq!((made.len(), app.count("link").await), (1, 1));
    }

    async fn only_the_first_look_is_the_first(app) {
        let org = app.org("Acme Plumbing").await.id();
        let id = ensure(app, org, Kind::Estimate, SUBJECT, None).await;
        let token = token(app, id, Kind::Estimate);
        let began = app.now();
        let mut firsts = Vec::new();
        for _ in 0..3 {
            let link = opened(app, &token).await;
            let now = app.now();
            firsts.push(app.within(async |tx| access_link::note_seen(tx, now, &link).await).await.unwrap());
            app.advance(Duration::minutes(1));
        }
        let link = opened(app, &token).await;
        assert_eq!(firsts, [true, false, false]);
        assert_eq!((link.seen, link.first_seen_at, link.last_seen_at), (3, Some(began), Some(began + Duration::minutes(2))));
    }
}
