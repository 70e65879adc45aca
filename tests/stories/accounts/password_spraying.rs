//! One guess each at many accounts from one network.

use std::net::IpAddr;

use shared::platform::{
    db::Engine,
    throttle::{self, sign_in::SignInKeys},
};

use super::{known_browsers::remembered, password_reset::forgets, *};

const GUESS: &str = "Spring-2026!";

/// Returns how many of the guesses were checked.
async fn sprays(from: &Client, accounts: std::ops::Range<usize>) -> usize {
    let mut looked_at = 0;
    for n in accounts {
        let response = login(from, &format!("victim{n}@acme.example"), GUESS).await;
        match response.status.as_u16() {
            401 => looked_at += 1,
            429 => assert!(response.header("retry-after").parse::<u32>().unwrap() <= 60),
            other => panic!("{other}"),
        }
    }
    looked_at
}

both_databases! {
    async fn password_spraying_from_one_network_is_rate_limited(app) {
        let network = app.client().from_address([198, 51, 100, 7]);
        assert_eq!(sprays(&network, 0..150).await, 10);
        app.advance(Duration::seconds(1));
        assert_eq!(sprays(&network, 150..160).await, 1);
        let mut looked_at = 0;
        for minute in 0..20 {
            app.advance(Duration::minutes(1));
            looked_at += sprays(&network, 200 + minute * 3..203 + minute * 3).await;
        }
        assert!(looked_at <= 21, "one a minute, and not {looked_at}");
        let other = app.client().from_address([198, 51, 100, 8]);
        assert_eq!(sprays(&other, 0..5).await, 5, "another network is another matter");
    }

    async fn concurrent_sprayed_logins_share_one_rate_limit(app) {
        let tries = (0..40).map(|n| {
            let one = app.client().from_address([198, 51, 100, 7]);
            async move { login(&one, &format!("victim{n}@acme.example"), GUESS).await.status.as_u16() }
        });
        let statuses = futures::future::join_all(tries).await;
        assert_eq!(statuses.iter().filter(|status| **status == 401).count(), 10, "{statuses:?}");
    }

    async fn known_users_behind_sprayed_address_are_not_locked_out(app) {
        let office = app.client().from_address([192, 0, 2, 1]);
        let email = |n: u8| format!("person{n}@acme.example");
        for n in 0..14 {
            assert_eq!(register(&app.client().from_address([203, 0, 113, n]), &email(n), "Acme Plumbing").await.status, 201);
        }
        for n in 0..12 {
            assert_eq!(login(&office, &email(n), "mistyped").await.status, 401);
            assert_eq!(login(&office, &email(n), PASSWORD).await.status, 200, "person {n}");
        }
        let known = office.with("cookie", &remembered(&login(&app.client(), &email(12), PASSWORD).await));
        // Spraying from a known network is limited.
        assert_eq!(sprays(&office, 0..30).await, 10);
        assert_eq!(login(&office, &email(3), PASSWORD).await.status, 200, "an account that signed in from this network does not wait");
        assert_eq!(login(&known, &email(12), PASSWORD).await.status, 200, "nor does a known browser");
        assert_eq!(login(&office, &email(13), PASSWORD).await.status, 429, "other accounts wait for a minute at most");
        app.advance(Duration::minutes(1));
        assert_eq!(login(&office, &email(13), PASSWORD).await.status, 200);
        app.run_tasks().await;
    }

    async fn successful_login_does_not_reset_spraying_limit(app) {
        let network = app.client().from_address([198, 51, 100, 7]);
        register(&network, EMAIL, "Acme Plumbing").await;
        assert_eq!(login(&network, EMAIL, PASSWORD).await.status, 200);
        assert_eq!(sprays(&network, 0..20).await, 10);
        assert_eq!(login(&network, EMAIL, PASSWORD).await.status, 200);
        assert_eq!(sprays(&network, 20..30).await, 0);
        app.run_tasks().await;
    }

    async fn failed_accounts_of_ipv6_48_prefix_do_not_delay_its_other_networks(app) {
        let from = |network: u16| app.client().from_ipv6([0x2001, 0xdb8, 9, network << 8, 0, 0, 0, 5]);
        register(&app.client(), EMAIL, "Acme Plumbing").await;
        for network in 0..6_u16 {
            let first = usize::from(network) * 20;
            assert_eq!(sprays(&from(network), first..first + 20).await, 10, "each /56 has its own limit");
        }
        for network in 10..14_u16 {
            for n in 0..20 {
                forgets(&from(network), &format!("victim{n}@acme.example")).await;
            }
        }
        let neighbour = from(9);
        assert_eq!(forgets(&neighbour, EMAIL).await.status, 202, "nor does a reset wait");
        assert_eq!(login(&neighbour, EMAIL, "mistyped").await.status, 401);
        assert_eq!(login(&neighbour, EMAIL, PASSWORD).await.status, 200, "nobody attacked the account");
        app.run_tasks().await;
    }

    async fn attempts_from_one_ipv6_48_prefix_do_not_wait_for_each_other(app) {
        let keys = |n: u16| {
            let ip = IpAddr::from([0x2001, 0xdb8, 9, n << 8, 0, 0, 0, 5]);
            SignInKeys::new(&app.settings.secret, &format!("victim{n}@acme.example"), Some(ip))
        };
        let mut open = app.db.begin().await.unwrap();
        throttle::sign_in::reserve_attempt(&mut open, &app.origin, &keys(1)).await.unwrap();
        let second = app.within(async |tx| throttle::sign_in::reserve_attempt(tx, &app.origin, &keys(2)).await);
        let second = tokio::time::timeout(std::time::Duration::from_secs(9), second);
        let ended = if app.db.engine() == Engine::Sqlite {
            // It has one writer: the second attempt is reserved once the first has ended, within its time.
            let (ended, first) = futures::join!(second, open.commit());
            first.unwrap();
            ended
        } else {
            let ended = second.await;
            open.commit().await.unwrap();
            ended
        };
        ended.expect("it waits for no other attempt").unwrap();
    }

    async fn ipv6_48_prefix_gets_four_times_the_limit_of_a_56(app) {
        let may = async |network: u16, host: u16| {
            let ip = IpAddr::from([0x2001, 0xdb8, 9, (network << 8) + host, 0, 0, 0, 5]);
            let (origin, secret) = (&app.origin, &app.settings.secret);
            app.within(async |tx| throttle::count_by_network(tx, origin, secret, "a story", Some(ip), 3).await).await.is_ok()
        };
        for host in 0..3 {
            assert!(may(0, host).await, "{host}");
        }
        assert!(!may(0, 3).await, "another /64 of the same /56");
        let mut taken = 0;
        for network in 1..30 {
            taken += u8::from(may(network, 0).await);
        }
        assert_eq!(taken, 9, "twelve of one /48");
        app.advance(Duration::hours(1));
        assert!(may(0, 4).await);
    }
}
