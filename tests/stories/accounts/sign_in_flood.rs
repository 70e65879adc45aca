//! A flood of sign-ins: a rejected attempt costs no write and no try, and known browsers, password resets and open
//! sessions are not locked out.

use super::{
    known_browsers::remembered,
    password_reset::{NEW, chooses, forgets, mailed},
    *,
};

async fn until_waiting(client: &Client, count: usize) {
    while client.hasher().waiting_count() < count {
        tokio::task::yield_now().await;
    }
}

/// The refusals are answered while the hashing stands still: one that came later would find a free place.
async fn until_answered(attempts: &[tokio::task::JoinHandle<Answer>], count: usize) {
    while attempts.iter().filter(|attempt| attempt.is_finished()).count() < count {
        tokio::task::yield_now().await;
    }
}

fn begun(asked: impl Future<Output = Answer> + Send + 'static) -> tokio::task::JoinHandle<Answer> {
    tokio::spawn(asked)
}

both_databases! {
    async fn many_logins_do_not_block_known_device_reset_or_open_session(app) {
        let stranger = app.client();
        register(&stranger, EMAIL, "Acme Plumbing").await;
        register(&stranger, "bob@best.example", "Best Roofing").await;
        let signed = login(&stranger, EMAIL, PASSWORD).await;
        let hers = stranger.with("cookie", &remembered(&signed)).from_address([192, 0, 2, 9]);
        forgets(&stranger, "bob@best.example").await;
        let token = mailed(app, "bob@best.example").await;
        let inside = stranger.with_session(&signed.session().unwrap());

        let pause = stranger.hasher().pause_hashing().await.unwrap();
        let attempts: Vec<_> = (0..60_u8).map(|n| {
            let one = stranger.clone().from_address([198, 51, 100, n]);
            begun(async move { login(&one, &format!("nobody{n}@crowd.example"), "a guess").await })
        }).collect();
        until_waiting(&stranger, 24).await;
        let (new, changed) = (stranger.clone().from_address([192, 0, 2, 10]), inside.clone());
        let owner = begun(async move { login(&hers, EMAIL, PASSWORD).await });
        let reset = begun(async move { chooses(&new, &token, NEW).await });
        let change = json!({"password": PASSWORD});
        let proof = begun(async move { changed.post("/api/auth/prove", &change).await });
        until_waiting(&stranger, 27).await;
        until_answered(&attempts, 60 - 26).await;
        drop(pause);
        let (owner, reset, proof) = (owner.await.unwrap(), reset.await.unwrap(), proof.await.unwrap());
        assert_eq!((owner.status.as_u16(), reset.status.as_u16(), proof.status.as_u16()), (200, 204, 204));
        let mut responses = Vec::new();
        for one in attempts {
            responses.push(one.await.unwrap());
        }
        let refused: Vec<_> = responses.iter().filter(|answer| answer.status == 429).collect();
        assert_eq!((refused.len(), responses.iter().filter(|answer| answer.status == 401).count()), (60 - 26, 26));
        assert!(refused.iter().all(|answer| answer.header("retry-after") == "1"));
        app.run_tasks().await;
    }

    async fn login_refused_at_full_capacity_counts_no_attempt(app) {
        let stranger = app.client();
        register(&stranger, EMAIL, "Acme Plumbing").await;
        app.run_tasks().await;
        let pause = stranger.hasher().pause_hashing().await.unwrap();
        let attempts: Vec<_> = (0..10).map(|_| {
            let one = stranger.clone();
            begun(async move { login(&one, EMAIL, PASSWORD).await })
        }).collect();
        until_waiting(&stranger, 8).await;
        // The two that are being hashed are counted, for the account and for its network.
        while app.count("sign_in_throttle WHERE failures = 2").await < 2 {
            tokio::task::yield_now().await;
        }
        let written = async || (app.count("sign_in_throttle").await, app.count("audit_event").await, app.count("network_sign_in").await);
        let before = written().await;
        for _ in 0..5 {
            let busy = login(&stranger, EMAIL, PASSWORD).await;
            assert_eq!((busy.problem().1.as_str(), busy.header("retry-after")), ("too_many_requests", "1"));
        }
        assert_eq!(written().await, before, "nothing was counted and nothing written");
        drop(pause);
        for one in attempts {
            one.await.unwrap();
        }
        app.advance(Duration::minutes(1));
        assert_eq!(login(&stranger, EMAIL, PASSWORD).await.status, 200);
        app.run_tasks().await;
    }

    async fn throttled_login_takes_no_hashing_slot(app) {
        let stranger = app.client();
        register(&stranger, EMAIL, "Acme Plumbing").await;
        for _ in 0..3 {
            assert_eq!(login(&stranger, EMAIL, "a guess").await.status, 401);
        }
        let pause = stranger.hasher().pause_hashing().await.unwrap();
        assert_eq!(login(&stranger, EMAIL, PASSWORD).await.problem().1, "too_many_requests", "at once, with every hash held back");
        let forged = chooses(&stranger, "a forged link", NEW).await;
        assert_eq!(forged.status, 404, "nor does a link that opens nothing");
        drop(pause);
        app.run_tasks().await;
    }

    async fn concurrent_correct_logins_count_no_failure(app) {
        let stranger = app.client();
        register(&stranger, EMAIL, "Acme Plumbing").await;
        let counted = "sign_in_throttle WHERE failures > 0";
        let before = app.count(counted).await;
        let tries = (0..40_u8).map(|n| {
            let one = stranger.clone().from_address([198, 51, 100, n]);
            async move { login(&one, EMAIL, PASSWORD).await.status.as_u16() }
        });
        let statuses = futures::future::join_all(tries).await;
        assert!(statuses.iter().all(|status| [200, 429].contains(status)) && statuses.contains(&200), "{statuses:?}");
        assert_eq!(app.count(counted).await, before, "not one of them was a failure");
        assert_eq!(login(&stranger, EMAIL, PASSWORD).await.status, 200, "without a wait");
        app.run_tasks().await;
    }
}
