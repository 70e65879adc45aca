//! Outcome of promises: a pure rule over what was said and what answered it. No clock, no database.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

/// State of a promise. Add, never rename.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum PromiseState {
    /// Nobody has answered, and there is time left.
    Open,
    /// A person answered in time.
    Kept,
    /// The time has passed without an answer of a person.
    Broken,
    /// No answer is owed: the words never arrived, or the customer wants none.
    Released,
    /// Another message about the same request is due earlier: that is what is shown and counted.
    Covered,
}

/// What answered. Add, never rename.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum PromiseAnswer {
    /// Something that a person wrote, by text or email.
    Message,
    /// An estimate or a change order that a person had sent.
    Estimate,
    /// A call of the customer's that a person took.
    Call,
    /// A visit that was booked.
    Visit,
    /// A person of the business noted that they have spoken.
    Noted,
    /// A person of the business noted that the customer wants no answer any more.
    Waived,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PromiseInput {
    /// Time of the request. Anything that a person says from then on keeps the promise.
    pub asked_at: DateTime<Utc>,
    pub due_at: DateTime<Utc>,
    /// They never arrived.
    pub is_lost: bool,
    /// The time ran out while no answer was owed.
    pub is_over: bool,
    pub state: PromiseState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AnswerEvent {
    pub at: DateTime<Utc>,
    pub by: PromiseAnswer,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PromiseOutcome {
    pub state: PromiseState,
    /// The first word of a person, in time or late.
    pub answer: Option<AnswerEvent>,
}

struct PromisedRequest {
    asked_at: DateTime<Utc>,
    /// Index of the words that are due first.
    first: usize,
    due_at: DateTime<Utc>,
    answer: Option<AnswerEvent>,
}

impl PromisedRequest {
    fn start_request(n: usize, promise: &PromiseInput, answers: &[AnswerEvent]) -> Self {
        let answer = answers.iter().filter(|answer| answer.at >= promise.asked_at).min().copied();
        Self { asked_at: promise.asked_at, first: n, due_at: promise.due_at, answer }
    }

    /// From here on a repeated request gets a new promise: after the answer, or when the time has passed.
    fn closes_at(&self) -> DateTime<Utc> {
        self.answer.map_or(self.due_at, |answer| answer.at.min(self.due_at))
    }
}

/// Outcome of each promise about one lead, by position. Of several about one request the earliest due counts and covers
/// the others; words in answer to what came after the answer, or after the time had passed, are a separate promise. The
/// words of a form's page count like a message.
///
/// `owes`: whether an answer is owed at all; not while the request is held, after STOP, or to a blocked customer. What
/// was broken before that stays broken, and what ran out meanwhile stays released. The caller decides whether the time
/// has passed: here an unkept promise is open, or broken if it was.
#[must_use]
pub fn evaluate_promises(promises: &[PromiseInput], answers: &[AnswerEvent], owes: bool) -> Vec<PromiseOutcome> {
    let mut outcomes = vec![PromiseOutcome { state: PromiseState::Covered, answer: None }; promises.len()];
    let (lost, mut those): (Vec<usize>, Vec<usize>) = (0..promises.len()).partition(|n| promises[*n].is_lost);
    for n in lost {
        outcomes[n].state = PromiseState::Released;
    }
    those.sort_by_key(|n| (promises[*n].asked_at, promises[*n].due_at));
    for request in group_requests(promises, &those, answers) {
        debug_assert!(request.asked_at <= request.due_at);
        outcomes[request.first] = evaluate_promise(&request, &promises[request.first], owes);
    }
    outcomes
}

fn group_requests(promises: &[PromiseInput], order: &[usize], answers: &[AnswerEvent]) -> Vec<PromisedRequest> {
    let mut requests: Vec<PromisedRequest> = Vec::new();
    for n in order.iter().copied() {
        match requests.last_mut().filter(|request| promises[n].asked_at <= request.closes_at()) {
            None => requests.push(PromisedRequest::start_request(n, &promises[n], answers)),
            Some(request) if promises[n].due_at < request.due_at => {
                (request.first, request.due_at) = (n, promises[n].due_at);
            }
            Some(_) => {}
        }
    }
    requests
}

fn evaluate_promise(request: &PromisedRequest, promise: &PromiseInput, owes: bool) -> PromiseOutcome {
    let answer = request.answer;
    let state = match answer {
        // The due instant itself is in time.
        Some(AnswerEvent { at, by: PromiseAnswer::Waived }) if at <= request.due_at => PromiseState::Released,
        Some(answer) if answer.at <= request.due_at => PromiseState::Kept,
        _ if promise.state == PromiseState::Broken => PromiseState::Broken,
        _ if promise.is_over || !owes => PromiseState::Released,
        _ => PromiseState::Open,
    };
    PromiseOutcome { state, answer }
}

#[cfg(test)]
mod tests {
    use chrono::Duration;

    use super::*;

    fn at(minute: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + Duration::minutes(minute)
    }

    fn promise(asked: i64, due: i64) -> PromiseInput {
        let (asked_at, due_at) = (at(asked), at(due));
        PromiseInput { asked_at, due_at, is_lost: false, is_over: false, state: PromiseState::Open }
    }

    fn answer(minute: i64) -> AnswerEvent {
        AnswerEvent { at: at(minute), by: PromiseAnswer::Message }
    }

    fn states(promises: &[PromiseInput], answers: &[i64], owes: bool) -> Vec<PromiseState> {
        let answers: Vec<AnswerEvent> = answers.iter().map(|minute| answer(*minute)).collect();
        evaluate_promises(promises, &answers, owes).into_iter().map(|outcome| outcome.state).collect()
    }

    #[test]
    fn promise_due_first_counts_for_request_and_others_are_covered() {
        use PromiseState::{Broken, Covered, Kept, Open, Released};
        let (text, email) = (promise(0, 60), promise(0, 120));
        for (words, answers, wanted) in [
            (vec![text, email], vec![], vec![Open, Covered]),
            (vec![email, text], vec![], vec![Covered, Open]),
            (vec![text, email], vec![60], vec![Kept, Covered]),
            (vec![text, email], vec![61], vec![Open, Covered]),
            // The email left after the answer: it is about the same request.
            (vec![text, promise(0, 200)], vec![20], vec![Kept, Covered]),
            // Words before the request answer nothing.
            (vec![promise(10, 70)], vec![5], vec![Open]),
            (vec![promise(10, 70)], vec![10], vec![Kept]),
            // Asked again after the answer, and after the time had passed.
            (vec![text, promise(30, 90)], vec![20], vec![Kept, Open]),
            (vec![text, promise(61, 121)], vec![100], vec![Open, Kept]),
            (vec![text, promise(60, 120)], vec![], vec![Open, Covered]),
            // Asked again meanwhile: one answer counts for both.
            (vec![promise(0, 1440), promise(30, 90)], vec![95], vec![Covered, Open]),
            (vec![PromiseInput { is_lost: true, ..text }, email], vec![], vec![Released, Open]),
            (vec![PromiseInput { state: Broken, ..text }, email], vec![90], vec![Broken, Covered]),
            (vec![PromiseInput { state: Broken, ..text }], vec![59], vec![Kept]),
            (vec![PromiseInput { state: Kept, ..text }], vec![], vec![Open]),
        ] {
            assert_eq!(states(&words, &answers, true), wanted, "{words:?} {answers:?}");
        }
    }

    #[test]
    fn form_promise_and_message_promises_count_as_one() {
        use PromiseState::{Broken, Covered, Kept, Open};
        let (page, text, email) = (promise(0, 1440), promise(0, 60), promise(0, 120));
        for (words, answers, wanted) in [
            (vec![page, text, email], vec![], vec![Covered, Open, Covered]),
            (vec![page, text, email], vec![30], vec![Covered, Kept, Covered]),
            (vec![page, PromiseInput { state: Broken, ..text }, email], vec![90], vec![Covered, Broken, Covered]),
            (vec![page, promise(0, 2880)], vec![], vec![Open, Covered]),
        ] {
            assert_eq!(states(&words, &answers, true), wanted, "{words:?} {answers:?}");
        }
    }

    #[test]
    fn promise_lapsed_while_released_stays_released_unless_answered_in_time() {
        let over = PromiseInput { state: PromiseState::Released, is_over: true, ..promise(0, 60) };
        assert_eq!(states(&[over], &[], true), [PromiseState::Released]);
        assert_eq!(states(&[over], &[61], true), [PromiseState::Released]);
        assert_eq!(states(&[over], &[59], true), [PromiseState::Kept]);
    }

    #[test]
    fn promise_is_released_when_no_answer_is_owed_unless_kept_or_broken() {
        use PromiseState::{Broken, Kept, Released};
        assert_eq!(states(&[promise(0, 60)], &[], false), [Released]);
        assert_eq!(states(&[promise(0, 60)], &[30], false), [Kept]);
        assert_eq!(states(&[PromiseInput { state: Broken, ..promise(0, 60) }], &[], false), [Broken]);
        let owed_again = PromiseInput { state: Released, ..promise(0, 60) };
        assert_eq!(states(&[owed_again], &[], true), [PromiseState::Open]);
    }

    #[test]
    fn waiver_in_time_releases_promise_unless_already_answered() {
        let waived = |minute| AnswerEvent { at: at(minute), by: PromiseAnswer::Waived };
        let state = |answers: &[AnswerEvent]| evaluate_promises(&[promise(0, 60)], answers, true)[0].state;
        assert_eq!(state(&[waived(30)]), PromiseState::Released);
        assert_eq!(state(&[waived(30), answer(20)]), PromiseState::Kept);
        assert_eq!(state(&[waived(61)]), PromiseState::Open);
    }

    #[test]
    fn late_answer_is_recorded_on_broken_promise() {
        let broken = PromiseInput { state: PromiseState::Broken, ..promise(0, 60) };
        let found = evaluate_promises(&[broken], &[answer(200), answer(90)], true);
        assert_eq!(found, [PromiseOutcome { state: PromiseState::Broken, answer: Some(answer(90)) }]);
    }
}
