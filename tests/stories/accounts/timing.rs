//! The duration of an answer does not reveal whether an address has an account (trust requirement 52).

use std::time::{Duration as Lasting, Instant};

use super::{password_reset::forgets, *};

/// Long beside the few rows that are written in either case, and short for a person.
const FLOOR: Lasting = Lasting::from_millis(400);

both_databases! {
    async fn response_time_has_same_floor_for_known_and_unknown_addresses(app) {
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
