//! Notices and reminders of a visit: true of the visit as it is now, or not sent.

use super::*;

const MOVED: &str = "the visit is at another time now";

both_databases! {
    async fn notice_of_former_time_is_refused_after_silent_move(app) {
        let work = VisitFixture::of(app).await;
        let (ten, two) = (at("2026-09-22T15:00:00Z"), at("2026-09-22T19:00:00Z"));
        let (job, booked) = work.books_with_refused_notice(app, ten).await;
        assert_goes(&work.office, booked).await;
        assert!(work.is_offered_by_hand(app, booked).await);
        app.advance(Duration::minutes(2));
        work.moves(&job, json!({"startsAt": two, "tell": false})).await;
        app.advance(Duration::minutes(2));
        app.run_tasks().await;
        assert_refused(&work.office, booked, MOVED).await;
        assert!(!work.is_offered_by_hand(app, booked).await, "one's own phone would say the old time");
        work.moves(&job, json!({"startsAt": ten, "tell": false})).await;
        assert_goes(&work.office, booked).await;
        assert!(work.is_offered_by_hand(app, booked).await);
        sends_again(&work.office, booked).await;
        app.run_tasks().await;
        let text = last_text_to_ann(app);
        assert!(text.contains("is set for Tue, Sep 22, 10:00 AM"), "{text}");
    }

    async fn notice_of_former_time_is_refused_within_undo_minute_of_move(app) {
        let work = VisitFixture::of(app).await;
        let (job, booked) = work.books_with_refused_notice(app, at("2026-09-22T15:00:00Z")).await;
        work.moves(&job, json!({"startsAt": "2026-09-22T19:00:00Z"})).await;
        assert_refused(&work.office, booked, MOVED).await;
        app.advance(Duration::minutes(1));
        app.run_tasks().await;
        assert!(last_text_to_ann(app).contains("Tue, Sep 22, 2:00 PM"), "{}", last_text_to_ann(app));
        assert_refused(&work.office, booked, MOVED).await;
    }

    async fn held_notice_of_former_time_is_refused_and_asks_first_once_moved_back(app) {
        let work = VisitFixture::of(app).await;
        app.advance(Duration::hours(13));
        let (ten, two) = (at("2026-09-22T15:00:00Z"), at("2026-09-22T19:00:00Z"));
        let job = work.books(ten).await;
        app.advance(Duration::minutes(1));
        app.run_tasks().await;
        let held = work.newest_notice(app).await;
        assert_eq!(held.status, MessageStatus::Held, "{}", held.status_text);
        work.moves(&job, json!({"startsAt": two, "tell": false})).await;
        assert_eq!(work.newest_notice(app).await.status_text, "not sent: the visit was planned again");
        assert_refused(&work.office, held.id, MOVED).await;
        work.moves(&job, json!({"startsAt": ten, "tell": false})).await;
        let asks = ("go_anyway".to_owned(), "the visit was planned again".to_owned());
        assert_eq!(looked_at(&work.office, held.id).await, asks);
        app.run_tasks().await;
    }

    async fn notice_of_cancellation_goes_again_while_visit_is_off(app) {
        let work = VisitFixture::of(app).await;
        let job = work.books(at("2026-09-22T15:00:00Z")).await;
        app.advance(Duration::minutes(1));
        app.run_tasks().await;
        work.moves(&job, json!({"startsAt": null})).await;
        app.advance(Duration::minutes(1));
        app.refuse_next_text();
        app.run_tasks().await;
        let notice = work.newest_notice(app).await;
        assert!(notice.status == MessageStatus::Failed && notice.body.contains("was cancelled"), "{}", notice.body);
        assert_goes(&work.office, notice.id).await;
        sends_again(&work.office, notice.id).await;
        app.run_tasks().await;
        let text = last_text_to_ann(app);
        assert!(text.contains("your visit on Tue, Sep 22, 10:00 AM was cancelled"), "{text}");
    }

    async fn notice_of_cancellation_is_refused_once_visit_takes_place(app) {
        let work = VisitFixture::of(app).await;
        let job = work.books(at("2026-09-22T15:00:00Z")).await;
        app.advance(Duration::minutes(1));
        app.run_tasks().await;
        work.goes_to(&job, "cancelled").await;
        app.advance(Duration::minutes(1));
        app.refuse_next_text();
        app.run_tasks().await;
        let first = work.newest_notice(app).await.id;
        assert_goes(&work.office, first).await;
        assert!(work.is_offered_by_hand(app, first).await);
        work.goes_to(&job, "scheduled").await;
        assert_refused(&work.office, first, "the visit takes place after all").await;
        assert!(!work.is_offered_by_hand(app, first).await);
        // Cancelled again, and told by telephone: the notice of the first time is true again.
        app.advance(Duration::minutes(2));
        let silently = json!({"to": "cancelled", "reason": "Rain", "tell": false});
        assert_eq!(work.office.post(&job_path(&job, "/status"), &silently).await.status, 200);
        sends_again(&work.office, first).await;
        app.run_tasks().await;
        assert!(last_text_to_ann(app).contains("was cancelled"), "{}", last_text_to_ann(app));
    }

    async fn notice_of_visit_is_refused_once_job_is_cancelled(app) {
        let work = VisitFixture::of(app).await;
        let (job, booked) = work.books_with_refused_notice(app, at("2026-09-22T15:00:00Z")).await;
        work.goes_to(&job, "cancelled").await;
        app.advance(Duration::minutes(1));
        app.run_tasks().await;
        assert_refused(&work.office, booked, "the job was cancelled").await;
        assert!(!work.is_offered_by_hand(app, booked).await);
    }

    async fn reminder_of_tomorrow_keeps_its_hour_when_sent_again(app) {
        let work = VisitFixture::of(app).await;
        work.books(at("2026-09-22T15:00:00Z")).await;
        app.advance(Duration::minutes(1));
        app.run_tasks().await;
        app.advance(at("2026-09-21T14:00:00Z") - app.now());
        app.refuse_next_text();
        app.run_tasks().await;
        let reminder = work.newest_notice(app).await;
        assert!(reminder.status == MessageStatus::Failed && reminder.body.contains("tomorrow"), "{}", reminder.body);
        app.refuse_next_text();
        let today = office(app, &work.shop).await;
        sends_again(&today, reminder.id).await;
        app.run_tasks().await;
        assert_eq!(work.newest_notice(app).await.status, MessageStatus::Failed);
        assert_goes(&today, reminder.id).await;
        // The morning of the visit, before the reminder of the hour.
        app.advance(at("2026-09-22T13:30:00Z") - app.now());
        let next_day = office(app, &work.shop).await;
        assert_refused(&next_day, reminder.id, "it is too late to send it").await;
        app.run_tasks().await;
    }

    async fn reminder_by_office_is_refused_once_visit_is_moved(app) {
        let work = VisitFixture::of(app).await;
        let job = work.books(at("2026-09-22T15:00:00Z")).await;
        app.advance(Duration::minutes(2));
        app.run_tasks().await;
        app.refuse_next_text();
        let sent = work.office.post(&format!("/api/leads/{}/reminder", work.lead), &json!({})).await;
        assert_eq!(sent.status, 202, "{}", sent.json());
        app.run_tasks().await;
        let messages = app.lead(work.shop.id(), work.lead).await.messages;
        let reminder = messages.into_iter().find(|one| sent.json()["messageId"] == json!(one.id)).expect("the reminder");
        assert_eq!(reminder.status, MessageStatus::Failed, "{:?} {}", reminder.channel, reminder.status_text);
        assert_goes(&work.office, reminder.id).await;
        work.moves(&job, json!({"startsAt": "2026-09-22T19:00:00Z", "tell": false})).await;
        assert_refused(&work.office, reminder.id, MOVED).await;
        assert!(!work.is_offered_by_hand(app, reminder.id).await);
        app.run_tasks().await;
    }
}
