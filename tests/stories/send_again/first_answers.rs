//! First answers to a request: not sent again once somebody has answered it.

use super::*;

/// Ann's request, with the refused text that answers it.
async fn refused_answer(app: &mut TestApp) -> (VisitFixture, MessageId) {
    let shop = shop_that_sends(app).await;
    app.refuse_next_text();
    let lead = Visitor::ann().submits_lead(app, &shop).await;
    app.run_tasks().await;
    let answer = newest_text(app, &shop, lead, MessageKind::AutoReply).await;
    assert_eq!(answer.status, MessageStatus::Failed, "{}", answer.status_text);
    let office = office(app, &shop).await;
    assert_goes(&office, answer.id).await;
    app.advance(Duration::minutes(1));
    (VisitFixture { shop, lead, office }, answer.id)
}

both_databases! {
    async fn first_answer_is_refused_after_estimate_and_after_the_job(app) {
        let (work, answer) = refused_answer(app).await;
        let made = work.office.post(&format!("/api/leads/{}/estimate", work.lead), &json!({"quotedTotal": 350})).await;
        assert_eq!(made.status, 200, "{}", made.json());
        app.run_tasks().await;
        assert_refused(&work.office, answer, "an estimate was sent").await;
        let job = work.books(app.now() + Duration::hours(2)).await;
        work.goes_to(&job, "completed").await;
        assert_refused(&work.office, answer, "the work is done").await;
        app.advance(Duration::minutes(1));
        app.run_tasks().await;
    }

    async fn first_answer_is_refused_once_a_visit_is_booked(app) {
        let (work, answer) = refused_answer(app).await;
        work.books(app.now() + Duration::days(2)).await;
        assert_refused(&work.office, answer, "a visit was booked").await;
        app.advance(Duration::minutes(1));
        app.run_tasks().await;
    }

    async fn first_answer_asks_first_once_the_request_is_answered_elsewhere(app) {
        let (work, answer) = refused_answer(app).await;
        let moved = work.office.post(&format!("/api/leads/{}/stage", work.lead), &json!({"stage": "Quoted"})).await;
        assert!(moved.status.is_success(), "{}", moved.json());
        let asks = |why: &str| ("go_anyway".to_owned(), why.to_owned());
        assert_eq!(looked_at(&work.office, answer).await, asks("the request is no longer new"));
        let noted = work.office.post(&format!("/api/leads/{}/answered", work.lead), &json!({"how": "answered"})).await;
        assert_eq!(noted.status, 200, "{}", noted.json());
        assert_eq!(looked_at(&work.office, answer).await, asks("you noted that you have answered"));
        let again = work.office.post(&format!("/api/messages/{answer}/retry?anyway=yes"), &Value::Null).await;
        assert_eq!(again.status, 202, "{}", again.json());
        app.run_tasks().await;
    }

    async fn message_of_a_person_still_asks_first(app) {
        let (work, answer) = refused_answer(app).await;
        let customer = app.lead(work.shop.id(), work.lead).await.customer_id;
        let written = json!({"channel": "sms", "body": "We call you at noon."});
        let sent = work.office.post(&format!("/api/customers/{customer}/messages"), &written).await;
        assert_eq!(sent.status, 201, "{}", sent.json());
        app.run_tasks().await;
        let asks = ("go_anyway".to_owned(), "you have written to them since".to_owned());
        assert_eq!(looked_at(&work.office, answer).await, asks);
    }
}
