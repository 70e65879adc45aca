//! Any number of guessing strangers are slowed down, and the owner gets in on a browser that she has used before, on
//! any network (trust requirements 50 and 51).

use std::net::IpAddr;

use shared::platform::throttle::{self, sign_in::SignInKeys};
use tests::http::COOKIE;

use super::{
    mandatory_second_factor::joins,
    password_reset::{NEW, chooses, forgets, mailed},
    *,
};

/// The cookie by which a sign-in lets the browser be recognised.
pub(super) fn remembered(signed: &Answer) -> String {
    let lines = signed.headers.get_all("set-cookie").iter().filter_map(|line| line.to_str().ok());
    let mut pairs = lines.filter_map(|line| line.split(';').next());
    pairs.find(|pair| pair.starts_with("__Host-did=")).unwrap().to_owned()
}

fn network(n: u32) -> IpAddr {
    IpAddr::from(std::net::Ipv4Addr::from(0x0a00_0000 + n))
}

/// Wrong passwords, each from its own network. Returns how many were checked.
pub(super) async fn guesses(app: &TestApp, times: std::ops::Range<u32>) -> usize {
    let mut refused = 0;
    for n in times {
        if !is_looked_at(app, network(n)).await {
            refused += 1;
        }
    }
    refused
}

async fn is_looked_at(app: &TestApp, from: IpAddr) -> bool {
    let keys = SignInKeys::new(&app.settings.secret, EMAIL, Some(from));
    let mut tx = app.db.begin().await.unwrap();
    let is_taken = throttle::sign_in::reserve_attempt(&mut tx, &app.origin, &keys).await.is_ok();
    if is_taken {
        tx.commit().await.unwrap();
    }
    is_taken
}

/// As many wrong passwords for this address as are checked within the hour.
pub(super) async fn uses_up(app: &TestApp, email: &str) {
    for n in 0..100 {
        let keys = SignInKeys::new(&app.settings.secret, email, Some(network(n)));
        app.within(async |tx| throttle::sign_in::reserve_attempt(tx, &app.origin, &keys).await).await.unwrap();
    }
}

async fn new_devices(app: &TestApp) -> usize {
    app.run_tasks().await;
    let is_it = |subject: &str| subject == "Security alert: Sign-in from a new device";
    app.mail.accepted_messages().into_iter().filter(|letter| letter.to == EMAIL && is_it(&letter.subject)).count()
}

both_databases! {
    async fn sign_in_is_held_after_hundred_failures_in_an_hour_from_any_network(app) {
        olive(app).await;
        assert_eq!(guesses(app, 0..100).await, 0);
        assert_eq!(guesses(app, 100..200).await, 100);
        let new = app.client().from_address([198, 51, 100, 9]);
        assert_eq!(login(&new, EMAIL, PASSWORD).await.problem().1, "sign_in_held", "an unknown browser has to wait");
        let near = app.client();
        assert_eq!(login(&near, EMAIL, PASSWORD).await.problem().1, "sign_in_held", "her network is not hers alone");
        app.advance(Duration::hours(1));
        assert_eq!(login(&new, EMAIL, PASSWORD).await.status, 200, "and it has an end");
        app.run_tasks().await;
    }

    async fn known_browser_signs_in_from_new_network_during_mass_guessing(app) {
        let stranger = app.client();
        register(&stranger, EMAIL, "Acme Plumbing").await;
        let hers = remembered(&login(&stranger, EMAIL, PASSWORD).await);
        let away = app.client().from_address([198, 51, 100, 9]);
        for hundred in 0..4 {
            guesses(app, hundred * 100..(hundred + 1) * 100).await;
            let there = away.with("cookie", &hers);
            assert_eq!(login(&there, EMAIL, PASSWORD).await.status, 200, "after {hundred} hundred");
        }
        let stranger_away = app.client().from_address([198, 51, 100, 10]);
        assert_eq!(login(&stranger_away, EMAIL, PASSWORD).await.status, 429, "without it she is a stranger");
        // Guesses from her own network do not delay her known browser.
        for _ in 0..5 {
            login(&stranger, EMAIL, "not this one").await;
        }
        assert_eq!(login(&stranger, EMAIL, PASSWORD).await.status, 429);
        assert_eq!(login(&stranger.with("cookie", &hers), EMAIL, PASSWORD).await.status, 200);
        app.run_tasks().await;
    }

    async fn network_is_limited_to_twenty_of_an_accounts_hundred_failures(app) {
        olive(app).await;
        let mut looked_at = [0, 0];
        for _ in 0..59 {
            app.advance(Duration::minutes(1));
            for (n, count) in (0..).zip(&mut looked_at) {
                *count += u32::from(is_looked_at(app, network(n)).await);
            }
        }
        assert_eq!(looked_at, [20, 20]);
        let new = app.client().from_address([198, 51, 100, 9]);
        assert_eq!(login(&new, EMAIL, PASSWORD).await.status, 200, "two networks lock nobody out");
        let there = login(&app.client().from_address([10, 0, 0, 1]), EMAIL, PASSWORD).await;
        assert_eq!((there.status.as_u16(), there.problem().1.as_str()), (429, "sign_in_held"));
        app.advance(Duration::minutes(2));
        assert!(is_looked_at(app, network(0)).await, "the hour has an end");
        app.run_tasks().await;
    }

    async fn ipv6_subnets_of_one_customer_do_not_lock_account(app) {
        olive(app).await;
        for n in 0..36_u16 {
            for _ in 0..3 {
                let from = std::net::Ipv6Addr::new(0x2001, 0xdb8, 0x77, 0x1100 + n, 0, 0, 0, 1);
                is_looked_at(app, from.into()).await;
            }
        }
        let new = app.client().from_address([198, 51, 100, 9]);
        assert_eq!(login(&new, EMAIL, PASSWORD).await.status, 200);
        app.run_tasks().await;
    }

    async fn ipv6_48_and_32_prefixes_take_only_a_part_of_an_accounts_failures(app) {
        olive(app).await;
        let mut taken = 0;
        for network in 0..60_u16 {
            let from = std::net::Ipv6Addr::new(0x2001, 0xdb8, 1, network << 8, 0, 0, 0, 1);
            taken += u32::from(is_looked_at(app, from.into()).await);
        }
        assert_eq!(taken, 40, "of one /48");
        for site in 2..50_u16 {
            let from = std::net::Ipv6Addr::new(0x2001, 0xdb8, site, 0, 0, 0, 0, 1);
            taken += u32::from(is_looked_at(app, from.into()).await);
        }
        assert_eq!(taken, 60, "of one /32");
        let new = app.client().from_address([198, 51, 100, 9]);
        assert_eq!(login(&new, EMAIL, PASSWORD).await.status, 200, "elsewhere nobody is locked out");
        app.run_tasks().await;
    }

    async fn password_reset_clears_failures_and_exempts_its_browser_from_later_ones(app) {
        olive(app).await;
        let before = new_devices(app).await;
        assert_eq!(guesses(app, 0..100).await, 0);
        let new = app.client().from_address([198, 51, 100, 9]);
        let held = login(&new, EMAIL, PASSWORD).await;
        assert_eq!((held.status.as_u16(), held.problem().1.as_str()), (429, "sign_in_held"));
        forgets(&new, EMAIL).await;
        let token = mailed(app, EMAIL).await;
        let chosen = chooses(&new, &token, NEW).await;
        assert_eq!((chosen.status.as_u16(), chosen.session()), (204, None), "it still signs nobody in");
        let other = app.client().from_address([198, 51, 100, 10]);
        assert_eq!(login(&other, EMAIL, NEW).await.status, 200, "another new browser");
        assert_eq!(guesses(app, 100..200).await, 0);
        let late = app.client().from_address([198, 51, 100, 11]);
        assert_eq!(login(&late, EMAIL, NEW).await.problem().1, "sign_in_held");
        let notice_count = new_devices(app).await;
        let hers = new.with("cookie", &remembered(&chosen));
        let signed = login(&hers, EMAIL, NEW).await;
        assert_eq!(signed.status, 200, "{}", signed.json());
        assert_eq!((notice_count - before, new_devices(app).await - notice_count), (1, 1), "its first sign-in is reported like any other");
        let away = app.client().from_address([198, 51, 100, 12]).with("cookie", &remembered(&signed));
        assert_eq!(login(&away, EMAIL, NEW).await.status, 200, "it is a known browser from then on");
        let old = app.client().from_address([198, 51, 100, 13]).with("cookie", &remembered(&chosen));
        assert_eq!(login(&old, EMAIL, NEW).await.status, 429, "by another cookie");
        app.run_tasks().await;
    }

    async fn mailbox_proof_alone_gives_no_extra_code_attempts(app) {
        let olive = sets_up(app, &olive(app).await).await;
        next_code(app);
        let new = app.client().from_address([198, 51, 100, 9]);
        forgets(&new, EMAIL).await;
        let chosen = chooses(&new, &mailed(app, EMAIL).await, NEW).await;
        let hers = new.with("cookie", &remembered(&chosen));
        for n in 0..100 {
            let keys = SignInKeys::for_code(&app.settings.secret, EMAIL, Some(network(n)));
            app.within(async |tx| throttle::sign_in::reserve_attempt(tx, &app.origin, &keys).await).await.unwrap();
        }
        assert_eq!(guesses(app, 0..100).await, 0);
        let ticket = half_way(&hers, EMAIL, NEW, "code").await;
        let slowed = with_code(&hers, &ticket, &olive.code(app)).await;
        assert_eq!(slowed.problem().1, "too_many_requests", "a hundred codes were wrong within the hour");
        app.advance(Duration::hours(1));
        let ticket = half_way(&hers, EMAIL, NEW, "code").await;
        assert_eq!(with_code(&hers, &ticket, &olive.code(app)).await.status, 200);
        app.run_tasks().await;
    }

    async fn failures_before_invitation_do_not_hold_new_member(app) {
        let olive = olive(app).await;
        let email = "dave@crew.example";
        uses_up(app, email).await;
        let joined = joins(app, &olive, "dave", "office").await;
        assert_eq!(joined.status, 201, "{}", joined.json());
        let new = app.client().from_address([198, 51, 100, 9]);
        assert_eq!(login(&new, email, PASSWORD).await.status, 200, "in another browser");
        app.advance(Duration::minutes(2));
        uses_up(app, email).await;
        assert_eq!(login(&new, email, PASSWORD).await.status, 429);
        assert_eq!(login(&new.with("cookie", &remembered(&joined)), email, PASSWORD).await.status, 200);
        app.run_tasks().await;
    }

    async fn stolen_browser_cookie_is_throttled_and_known_for_one_account_only(app) {
        let stranger = app.client();
        register(&stranger, EMAIL, "Acme Plumbing").await;
        let hers = remembered(&login(&stranger, EMAIL, PASSWORD).await);
        let from = |n: u8| app.client().from_address([198, 51, 100, n]).with("cookie", &hers);
        for n in 0..3 {
            assert_eq!(login(&from(n), EMAIL, "a guess").await.status, 401);
        }
        assert_eq!(login(&from(4), EMAIL, PASSWORD).await.problem().1, "too_many_requests");
        let another = json!({"name": "Bob", "email": "bob@best.example", "password": PASSWORD, "orgName": "Best Roofing"});
        assert_eq!(app.client().post("/api/auth/register", &another).await.status, 201);
        let keys = SignInKeys::new(&app.settings.secret, "bob@best.example", Some(network(1)));
        for _ in 0..3 {
            app.within(async |tx| throttle::sign_in::reserve_attempt(tx, &app.origin, &keys).await).await.unwrap();
        }
        let of_another = app.client().from_address([10, 0, 0, 1]).with("cookie", &hers);
        assert_eq!(login(&of_another, "bob@best.example", PASSWORD).await.status, 429, "and it is known for her alone");
        app.run_tasks().await;
    }

    async fn password_reset_forgets_known_browser_and_reports_its_next_sign_in(app) {
        let stranger = app.client();
        register(&stranger, EMAIL, "Acme Plumbing").await;
        let thief = stranger.with("cookie", &remembered(&login(&stranger, EMAIL, PASSWORD).await));
        forgets(&stranger, EMAIL).await;
        let token = mailed(app, EMAIL).await;
        assert_eq!(chooses(&stranger, &token, NEW).await.status, 204);
        assert_eq!(guesses(app, 0..100).await, 0);
        assert_eq!(login(&thief, EMAIL, NEW).await.status, 429, "a stranger's browser, as any other");
        app.advance(Duration::hours(1));
        assert_eq!(new_devices(app).await, 0);
        assert_eq!(login(&thief, EMAIL, NEW).await.status, 200);
        assert_eq!(new_devices(app).await, 1, "though it is the first one since");
    }

    async fn password_change_keeps_only_the_changing_browser_known(app) {
        let stranger = app.client();
        register(&stranger, EMAIL, "Acme Plumbing").await;
        let signed = login(&stranger, EMAIL, PASSWORD).await;
        let hers = remembered(&signed);
        let theirs = remembered(&login(&stranger, EMAIL, PASSWORD).await);
        assert_eq!(new_devices(app).await, 1);
        let here = stranger.with("cookie", &format!("{COOKIE}={}; {hers}", signed.session().unwrap()));
        let change = json!({"currentPassword": PASSWORD, "newPassword": NEW});
        assert_eq!(here.post("/api/account/password", &change).await.status, 204);
        assert_eq!(login(&stranger.with("cookie", &hers), EMAIL, NEW).await.status, 200);
        assert_eq!(new_devices(app).await, 1);
        assert_eq!(login(&stranger.with("cookie", &theirs), EMAIL, NEW).await.status, 200);
        assert_eq!(new_devices(app).await, 2);
    }

    async fn known_browser_passes_code_check_while_others_exhaust_attempts(app) {
        let olive = sets_up(app, &olive(app).await).await;
        next_code(app);
        let ticket = half_way(&app.client(), EMAIL, PASSWORD, "code").await;
        let signed = with_code(&app.client(), &ticket, &olive.code(app)).await;
        let hers = remembered(&signed);
        for n in 0..101 {
            let keys = SignInKeys::for_code(&app.settings.secret, EMAIL, Some(network(n)));
            let mut tx = app.db.begin().await.unwrap();
            if throttle::sign_in::reserve_attempt(&mut tx, &app.origin, &keys).await.is_ok() {
                tx.commit().await.unwrap();
            }
        }
        next_code(app);
        let away = app.client().from_address([198, 51, 100, 9]).with("cookie", &hers);
        let ticket = half_way(&away, EMAIL, PASSWORD, "code").await;
        assert_eq!(with_code(&away, &ticket, &olive.code(app)).await.status, 200);
        app.run_tasks().await;
    }
}
