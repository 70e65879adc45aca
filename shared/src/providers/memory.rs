//! A provider that only remembers what it was given and answers as it was told: for tests of what stands above.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::{Accepted, Bill, SendError};

/// Remembers every call. Clones share one memory.
#[derive(Debug)]
pub struct Memory<T> {
    book: Arc<Mutex<Book<T>>>,
}

#[derive(Debug)]
struct Book<T> {
    calls: Vec<Call<T>>,
    script: VecDeque<Result<Accepted, SendError>>,
}

/// One call, and what it was answered with.
#[derive(Debug, Clone)]
pub struct Call<T> {
    pub message: T,
    pub answer: Result<Accepted, SendError>,
}

impl<T> Clone for Memory<T> {
    fn clone(&self) -> Self {
        Self { book: Arc::clone(&self.book) }
    }
}

impl<T> Default for Memory<T> {
    fn default() -> Self {
        Self { book: Arc::new(Mutex::new(Book { calls: Vec::new(), script: VecDeque::new() })) }
    }
}

impl<T: Clone> Memory<T> {
    /// The answer to the next call that has none yet. Calls beyond the script are accepted.
    pub fn will_answer(&self, answer: Result<Accepted, SendError>) {
        self.lock().script.push_back(answer);
    }

    /// Every call so far, refused ones included.
    #[must_use]
    pub fn calls(&self) -> Vec<Call<T>> {
        self.lock().calls.clone()
    }

    /// What was accepted so far.
    #[must_use]
    pub fn accepted(&self) -> Vec<T> {
        self.lock().calls.iter().filter(|c| c.answer.is_ok()).map(|c| c.message.clone()).collect()
    }

    pub(super) fn take(&self, message: T, default_id: impl FnOnce(usize) -> String) -> Result<Accepted, SendError> {
        let mut book = self.lock();
        let number = book.calls.len() + 1;
        let answer = book.script.pop_front().unwrap_or_else(|| {
            Ok(Accepted {
                provider_id: default_id(number),
                provider_status: Some("queued".into()),
                stored_as: None,
                bill: Bill::default(),
            })
        });
        book.calls.push(Call { message, answer: answer.clone() });
        answer
    }

    /// A poisoned lock still holds whole entries: each is pushed in one step.
    fn lock(&self) -> MutexGuard<'_, Book<T>> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
