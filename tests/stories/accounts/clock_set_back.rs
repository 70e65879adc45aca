//! Counts and waits that were written while the machine's clock was ahead.

use std::net::IpAddr;

use shared::platform::throttle;

use super::*;

both_databases! {
    async fn wait_written_by_a_clock_hours_ahead_ends_when_it_is_set_back(app) {
        olive(app).await;
        let elsewhere = app.client().from_address([198, 51, 100, 7]);
        app.advance(Duration::hours(5));
        for _ in 0..3 {
            assert_eq!(login(&elsewhere, EMAIL, "not the password").await.status, 401);
        }
        assert_eq!(login(&elsewhere, EMAIL, PASSWORD).await.status, 429, "a second has to pass");
        app.advance(Duration::hours(-5));
        assert_eq!(login(&elsewhere, EMAIL, PASSWORD).await.status, 200);
        app.run_tasks().await;
    }

    async fn count_written_by_a_clock_hours_ahead_starts_anew_and_one_of_a_minute_ahead_holds(app) {
        let ip = Some(IpAddr::from([198, 51, 100, 7]));
        let may = async || {
            let (origin, secret) = (&app.origin, &app.settings.secret);
            app.within(async |tx| throttle::count_by_network(tx, origin, secret, "a story", ip, 3).await).await.is_ok()
        };
        let uses_up = async || {
            for _ in 0..3 {
                assert!(may().await);
            }
            assert!(!may().await);
        };
        app.advance(Duration::hours(5));
        uses_up().await;
        app.advance(Duration::hours(-5));
        uses_up().await;
        app.advance(Duration::hours(2));
        uses_up().await;
        app.advance(Duration::minutes(-1));
        assert!(!may().await, "the clocks of two machines are never quite the same");
    }
}
