//! In-memory provider for tests: records calls and gives scripted answers.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::{AcceptedMessage, SendError, SmsCost};

/// Clones share the records.
#[derive(Debug)]
pub struct MemoryProvider<T> {
    book: Arc<Mutex<SendLog<T>>>,
}

#[derive(Debug)]
struct SendLog<T> {
    calls: Vec<RecordedSend<T>>,
    script: VecDeque<Result<AcceptedMessage, SendError>>,
}

#[derive(Debug, Clone)]
pub struct RecordedSend<T> {
    pub message: T,
    pub answer: Result<AcceptedMessage, SendError>,
}

impl<T> Clone for MemoryProvider<T> {
    fn clone(&self) -> Self {
        Self { book: Arc::clone(&self.book) }
    }
}

impl<T> Default for MemoryProvider<T> {
    fn default() -> Self {
        Self { book: Arc::new(Mutex::new(SendLog { calls: Vec::new(), script: VecDeque::new() })) }
    }
}

impl<T: Clone> MemoryProvider<T> {
    /// Queues the answer of the next unscripted call. Calls beyond the script are accepted.
    pub fn queue_answer(&self, answer: Result<AcceptedMessage, SendError>) {
        self.lock_log().script.push_back(answer);
    }

    #[must_use]
    pub fn recorded_sends(&self) -> Vec<RecordedSend<T>> {
        self.lock_log().calls.clone()
    }

    #[must_use]
    pub fn accepted_messages(&self) -> Vec<T> {
        self.lock_log().calls.iter().filter(|c| c.answer.is_ok()).map(|c| c.message.clone()).collect()
    }

    pub(super) fn record_send(
        &self,
        message: T,
        default_id: impl FnOnce(usize) -> String,
    ) -> Result<AcceptedMessage, SendError> {
        let mut book = self.lock_log();
        let number = book.calls.len() + 1;
        let answer = book.script.pop_front().unwrap_or_else(|| {
            Ok(AcceptedMessage {
                provider_id: default_id(number),
                provider_status: Some("queued".into()),
                stored_as: None,
                bill: SmsCost::default(),
            })
        });
        book.calls.push(RecordedSend { message, answer: answer.clone() });
        answer
    }

    /// A poisoned lock still holds complete entries: each is pushed in one step.
    fn lock_log(&self) -> MutexGuard<'_, SendLog<T>> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
