//! What the time of an answer says to who tries addresses: nothing (trust requirement 52).

use std::time::{Duration as Lasting, Instant};

use super::{reset::forgets, *};

/// Long beside the handful of rows that either way writes, and short beside a person's patience.
const FLOOR: Lasting = Lasting::from_millis(400);

both_databases! {
    async fn no_answer_comes_sooner_for_an_address_that_nobody_has(app) {
        olive(app).await;
        app.api.floor = FLOOR;
        let stranger = app.client();
        for email in [EMAIL, "nobody@acme.example"] {
            let began = Instant::now();
            assert_eq!(login(&stranger, email, "not this one").await.status, 401, "{email}");
            assert!(began.elapsed() >= FLOOR, "a wrong password of {email}");
            let began = Instant::now();
            assert_eq!(forgets(&stranger, email).await.status, 202, "{email}");
            assert!(began.elapsed() >= FLOOR, "a reset for {email}");
            let began = Instant::now();
            assert_eq!(register(&stranger, email, "Best Roofing").await.status, 201, "{email}");
            assert!(began.elapsed() >= FLOOR, "a registration of {email}");
        }
        app.run_tasks().await;
    }
}
