//! "On the way" and "the work is done": true of this moment, or not sent.

use super::*;

impl VisitFixture {
    /// A visit in an hour, and the refused text that the crew is on its way. Returns the job, the answer to the press
    /// and the text.
    async fn sets_out_with_refused_text(&self, app: &TestApp) -> (Value, Value, MessageId) {
        let job = self.books(app.now() + Duration::hours(1)).await;
        app.refuse_next_text();
        let pressed = self.office.post(&job_path(&job, "/on-my-way"), &json!({"etaMinutes": 20})).await;
        assert_eq!(pressed.status, 200, "{}", pressed.json());
        app.run_tasks().await;
        let text = newest_text(app, &self.shop, self.lead, MessageKind::OnTheWay).await;
        assert_eq!(text.status, MessageStatus::Failed, "{}", text.status_text);
        (job, pressed.json(), text.id)
    }
}

both_databases! {
    async fn on_the_way_is_refused_once_the_press_is_undone(app) {
        let work = VisitFixture::of(app).await;
        let (_, pressed, text) = work.sets_out_with_refused_text(app).await;
        assert_goes(&work.office, text).await;
        let event = pressed["undo"]["eventId"].as_str().unwrap();
        assert_eq!(work.office.post(&format!("/api/work/{event}/undo"), &Value::Null).await.status, 200);
        assert_refused(&work.office, text, "it was undone").await;
        app.advance(Duration::minutes(1));
        app.run_tasks().await;
    }

    async fn on_the_way_is_refused_after_half_an_hour_and_once_work_has_begun(app) {
        let work = VisitFixture::of(app).await;
        let (job, _, text) = work.sets_out_with_refused_text(app).await;
        app.advance(Duration::minutes(31));
        assert_refused(&work.office, text, "it says what was true half an hour ago").await;
        work.goes_to(&job, "in_progress").await;
        assert_refused(&work.office, text, "the work has begun").await;
        app.run_tasks().await;
    }

    async fn text_that_work_is_done_goes_again_until_work_goes_on(app) {
        let work = VisitFixture::of(app).await;
        let job = work.books(app.now() + Duration::hours(1)).await;
        app.advance(Duration::minutes(1));
        app.run_tasks().await;
        work.goes_to(&job, "in_progress").await;
        app.advance(Duration::minutes(50));
        work.goes_to(&job, "completed").await;
        app.advance(Duration::minutes(1));
        app.refuse_next_text();
        app.run_tasks().await;
        let text = newest_text(app, &work.shop, work.lead, MessageKind::OnTheWay).await;
        assert!(text.status == MessageStatus::Failed && text.body.contains("the work is done"), "{}", text.body);
        app.advance(Duration::hours(1));
        assert_goes(&work.office, text.id).await;
        work.goes_to(&job, "in_progress").await;
        assert_refused(&work.office, text.id, "the work has begun").await;
        app.run_tasks().await;
    }
}
