//! What became of promises: a rule over what was said, what answered it, and nothing else. No clock, no database.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

/// Where a promise stands. Add, never rename.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = PromiseState)]
pub enum State {
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
#[schema(as = PromiseAnswer)]
pub enum By {
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

/// Words that promised something about a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Said {
    /// When the request came that they answer: whatever a person says from then on keeps the promise.
    pub asked_at: DateTime<Utc>,
    pub due_at: DateTime<Utc>,
    /// They never arrived.
    pub is_lost: bool,
    /// Their time ran out while no answer was owed.
    pub is_over: bool,
    pub state: State,
}

/// A word of a person, or what stands for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Answer {
    pub at: DateTime<Utc>,
    pub by: By,
}

/// What a promise has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub state: State,
    /// The first word of a person, in time or late.
    pub answer: Option<Answer>,
}

/// A request with all the words that promised to answer it.
struct Request {
    asked_at: DateTime<Utc>,
    /// The words that are due first.
    first: usize,
    due_at: DateTime<Utc>,
    answer: Option<Answer>,
}

impl Request {
    fn begin(n: usize, said: &Said, answers: &[Answer]) -> Self {
        let answer = answers.iter().filter(|answer| answer.at >= said.asked_at).min().copied();
        Self { asked_at: said.asked_at, first: n, due_at: said.due_at, answer }
    }

    /// From when on somebody who asks again is promised something new: after the answer, or when the time has passed.
    fn ends_at(&self) -> DateTime<Utc> {
        self.answer.map_or(self.due_at, |answer| answer.at.min(self.due_at))
    }
}

/// What the words about one lead have come to, each in its place. Of several messages about the same request the one that
/// is due first counts, and covers the others; words in answer to what came after the answer, or after the time had
/// passed, are a promise of their own. What the page of a form said is one of them: one request, one promise, the shortest
/// that was said.
///
/// `owes` is whether an answer is owed at all: not while the request is held, to who said STOP, or who is blocked. What
/// was broken before that stays broken, and what ran out meanwhile stays released. That the time has passed is for
/// whoever has a clock to say: here a promise that nobody kept is open, or broken when it was.
#[must_use]
pub fn evaluate(said: &[Said], answers: &[Answer], owes: bool) -> Vec<Outcome> {
    let mut outcomes = vec![Outcome { state: State::Covered, answer: None }; said.len()];
    let (lost, mut those): (Vec<usize>, Vec<usize>) = (0..said.len()).partition(|n| said[*n].is_lost);
    for n in lost {
        outcomes[n].state = State::Released;
    }
    those.sort_by_key(|n| (said[*n].asked_at, said[*n].due_at));
    for request in requests(said, &those, answers) {
        debug_assert!(request.asked_at <= request.due_at);
        outcomes[request.first] = outcome(&request, &said[request.first], owes);
    }
    outcomes
}

/// The requests that these words are about, in the order in which they came.
fn requests(said: &[Said], order: &[usize], answers: &[Answer]) -> Vec<Request> {
    let mut requests: Vec<Request> = Vec::new();
    for n in order.iter().copied() {
        match requests.last_mut().filter(|request| said[n].asked_at <= request.ends_at()) {
            None => requests.push(Request::begin(n, &said[n], answers)),
            Some(request) if said[n].due_at < request.due_at => {
                (request.first, request.due_at) = (n, said[n].due_at);
            }
            Some(_) => {}
        }
    }
    requests
}

fn outcome(request: &Request, said: &Said, owes: bool) -> Outcome {
    let answer = request.answer;
    let state = match answer {
        // The due instant itself is in time.
        Some(Answer { at, by: By::Waived }) if at <= request.due_at => State::Released,
        Some(answer) if answer.at <= request.due_at => State::Kept,
        _ if said.state == State::Broken => State::Broken,
        _ if said.is_over || !owes => State::Released,
        _ => State::Open,
    };
    Outcome { state, answer }
}

#[cfg(test)]
mod tests {
    use chrono::Duration;

    use super::*;

    fn at(minute: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + Duration::minutes(minute)
    }

    fn said(asked: i64, due: i64) -> Said {
        let (asked_at, due_at) = (at(asked), at(due));
        Said { asked_at, due_at, is_lost: false, is_over: false, state: State::Open }
    }

    fn answer(minute: i64) -> Answer {
        Answer { at: at(minute), by: By::Message }
    }

    fn states(said: &[Said], answers: &[i64], owes: bool) -> Vec<State> {
        let answers: Vec<Answer> = answers.iter().map(|minute| answer(*minute)).collect();
        evaluate(said, &answers, owes).into_iter().map(|outcome| outcome.state).collect()
    }

    #[test]
    fn the_words_that_are_due_first_count_for_a_request() {
        use State::{Broken, Covered, Kept, Open, Released};
        let (text, email) = (said(0, 60), said(0, 120));
        for (words, answers, wanted) in [
            (vec![text, email], vec![], vec![Open, Covered]),
            (vec![email, text], vec![], vec![Covered, Open]),
            (vec![text, email], vec![60], vec![Kept, Covered]),
            (vec![text, email], vec![61], vec![Open, Covered]),
            // The email left after the answer: it is about the same request.
            (vec![text, said(0, 200)], vec![20], vec![Kept, Covered]),
            // What was said before they asked answers nothing.
            (vec![said(10, 70)], vec![5], vec![Open]),
            (vec![said(10, 70)], vec![10], vec![Kept]),
            // Asked again after the answer, and after the time had passed.
            (vec![text, said(30, 90)], vec![20], vec![Kept, Open]),
            (vec![text, said(61, 121)], vec![100], vec![Open, Kept]),
            (vec![text, said(60, 120)], vec![], vec![Open, Covered]),
            // Asked again meanwhile: one word answers both.
            (vec![said(0, 1440), said(30, 90)], vec![95], vec![Covered, Open]),
            (vec![Said { is_lost: true, ..text }, email], vec![], vec![Released, Open]),
            (vec![Said { state: Broken, ..text }, email], vec![90], vec![Broken, Covered]),
            (vec![Said { state: Broken, ..text }], vec![59], vec![Kept]),
            (vec![Said { state: Kept, ..text }], vec![], vec![Open]),
        ] {
            assert_eq!(states(&words, &answers, true), wanted, "{words:?} {answers:?}");
        }
    }

    #[test]
    fn what_the_form_shows_and_what_messages_say_are_one_promise() {
        use State::{Broken, Covered, Kept, Open};
        let (page, text, email) = (said(0, 1440), said(0, 60), said(0, 120));
        for (words, answers, wanted) in [
            (vec![page, text, email], vec![], vec![Covered, Open, Covered]),
            (vec![page, text, email], vec![30], vec![Covered, Kept, Covered]),
            (vec![page, Said { state: Broken, ..text }, email], vec![90], vec![Covered, Broken, Covered]),
            (vec![page, said(0, 2880)], vec![], vec![Open, Covered]),
        ] {
            assert_eq!(states(&words, &answers, true), wanted, "{words:?} {answers:?}");
        }
    }

    #[test]
    fn what_ran_out_while_nothing_was_owed_is_never_owed_again_but_was_kept_if_somebody_had_answered() {
        let over = Said { state: State::Released, is_over: true, ..said(0, 60) };
        assert_eq!(states(&[over], &[], true), [State::Released]);
        assert_eq!(states(&[over], &[61], true), [State::Released]);
        assert_eq!(states(&[over], &[59], true), [State::Kept]);
    }

    #[test]
    fn where_no_answer_is_owed_it_is_released_but_what_was_broken_stays_so() {
        use State::{Broken, Kept, Released};
        assert_eq!(states(&[said(0, 60)], &[], false), [Released]);
        assert_eq!(states(&[said(0, 60)], &[30], false), [Kept]);
        assert_eq!(states(&[Said { state: Broken, ..said(0, 60) }], &[], false), [Broken]);
        let owed_again = Said { state: Released, ..said(0, 60) };
        assert_eq!(states(&[owed_again], &[], true), [State::Open]);
    }

    #[test]
    fn who_wants_no_answer_any_more_is_owed_none() {
        let waived = |minute| Answer { at: at(minute), by: By::Waived };
        let state = |answers: &[Answer]| evaluate(&[said(0, 60)], answers, true)[0].state;
        assert_eq!(state(&[waived(30)]), State::Released);
        assert_eq!(state(&[waived(30), answer(20)]), State::Kept);
        assert_eq!(state(&[waived(61)]), State::Open);
    }

    #[test]
    fn a_late_answer_is_known_though_the_promise_is_broken() {
        let broken = Said { state: State::Broken, ..said(0, 60) };
        let found = evaluate(&[broken], &[answer(200), answer(90)], true);
        assert_eq!(found, [Outcome { state: State::Broken, answer: Some(answer(90)) }]);
    }
}
