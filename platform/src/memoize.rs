//! Memoization of pure functions.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

pub struct MemoCache<K, V> {
    most: usize,
    kept: Mutex<BTreeMap<K, V>>,
}

impl<K: Ord, V: Clone> MemoCache<K, V> {
    #[must_use]
    pub const fn with_capacity(most: usize) -> Self {
        Self { most, kept: Mutex::new(BTreeMap::new()) }
    }

    /// A full memo is cleared.
    pub fn get_or_compute(&self, asked: K, work_out: impl FnOnce(&K) -> V) -> V {
        let entry = self.lock_entries().get(&asked).cloned();
        if let Some(entry) = entry {
            return entry;
        }
        let answer = work_out(&asked);
        let mut kept = self.lock_entries();
        if kept.len() >= self.most {
            kept.clear();
        }
        kept.insert(asked, answer.clone());
        answer
    }

    /// A poisoned lock still holds complete results.
    fn lock_entries(&self) -> MutexGuard<'_, BTreeMap<K, V>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memoized_answer_is_computed_once_until_memo_is_full() {
        static LENGTHS: MemoCache<String, usize> = MemoCache::with_capacity(2);
        let mut worked_out = Vec::new();
        let mut ask = |word: &str| {
            LENGTHS.get_or_compute(word.to_owned(), |word| {
                worked_out.push(word.clone());
                word.len()
            })
        };
        let answers = ["a", "bb", "a", "ccc", "a"].map(&mut ask);
        assert_eq!(answers, [1, 2, 1, 3, 1]);
        assert_eq!(worked_out, ["a", "bb", "ccc", "a"]);
    }
}
