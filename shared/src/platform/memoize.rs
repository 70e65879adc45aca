//! Answers of pure functions, kept by what they were asked: for those that are asked the same again and again.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Up to so many answers of one function.
pub(crate) struct Memo<K, V> {
    most: usize,
    kept: Mutex<BTreeMap<K, V>>,
}

impl<K: Ord, V: Clone> Memo<K, V> {
    pub(crate) const fn of(most: usize) -> Self {
        Self { most, kept: Mutex::new(BTreeMap::new()) }
    }

    /// The answer to `asked`, worked out if it is not kept. A full memo begins anew.
    pub(crate) fn get(&self, asked: K, work_out: impl FnOnce(&K) -> V) -> V {
        let known = self.kept().get(&asked).cloned();
        if let Some(known) = known {
            return known;
        }
        let answer = work_out(&asked);
        let mut kept = self.kept();
        if kept.len() >= self.most {
            kept.clear();
        }
        kept.insert(asked, answer.clone());
        answer
    }

    /// A poisoned lock holds whole answers still.
    fn kept(&self) -> MutexGuard<'_, BTreeMap<K, V>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_worked_out_once_until_the_memo_is_full() {
        static LENGTHS: Memo<String, usize> = Memo::of(2);
        let mut worked_out = Vec::new();
        let mut ask = |word: &str| {
            LENGTHS.get(word.to_owned(), |word| {
                worked_out.push(word.clone());
                word.len()
            })
        };
        let answers = ["a", "bb", "a", "ccc", "a"].map(&mut ask);
        assert_eq!(answers, [1, 2, 1, 3, 1]);
        assert_eq!(worked_out, ["a", "bb", "ccc", "a"]);
    }
}
