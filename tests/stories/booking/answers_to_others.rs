//! An answer to the question about a held time, where another business wrote to the phone from the same sender.

use super::*;

const SENDER: &str = "+15125550100";

both_databases! {
    async fn yes_that_may_be_for_another_business_keeps_no_held_time(app) {
        let mut work = BookingFixture::of(app).await;
        let line = app.line(&mut work.shop, SENDER).await;
        let other = app.org("Best Roofing").await;
        work.visitor = app.client();
        let cases = [
            ("+15125550151", 20, "Yes", 0),
            ("+15125550152", 90, "Yes Tuesday at 9 is good", 0),
            ("+15125550153", 90, "Yes please", 1),
        ];
        for (n, (phone, minutes, answer, jobs)) in (0_i64..).zip(cases) {
            let wrote = app.now() - Duration::minutes(minutes);
            let sql = "INSERT INTO sending_contact (org_id, sender, address, last_sent_at) VALUES ($1, $2, $3, $4)";
            app.within(async |tx| Ok(q!(tx, execute, sql, other.id(), SENDER, phone, wrote)?)).await.unwrap();
            let held = work.holds(friday() + Duration::days(3 + n)).await;
            assert_eq!(books(&work.visitor, &held, json!({"phone": phone, "email": null})).await.status, 201);
            app.run_tasks().await;
            line.writes(phone, answer).await;
            app.run_tasks().await;
            assert_eq!(app.count("job").await, jobs, "{answer}, {minutes} minutes after the other's text");
        }
    }
}
