//! Single flight: concurrent callers share one look. A caller gets a result only of a look that began after its
//! request, so it is never stale: of many concurrent callers two look, and the others get the second result.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex as StdMutex, MutexGuard, PoisonError},
};

use tokio::{sync::Mutex, time::Instant};

/// Last result, and when its look began.
#[derive(Debug)]
pub struct Coalescer<T>(Mutex<Option<(Instant, T)>>);

impl<T> Default for Coalescer<T> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<T: Clone> Coalescer<T> {
    /// Runs `look`, or returns the result of one that began since the call. A failure must be part of the result: if
    /// each waiting caller retried in turn, the last would wait for all of them.
    pub async fn run_shared(&self, look: impl AsyncFnOnce() -> T) -> T {
        let asked = Instant::now();
        let mut last = self.0.lock().await;
        if let Some((began, found)) = &*last
            && *began >= asked
        {
            return found.clone();
        }
        let began = Instant::now();
        let found = look().await;
        *last = Some((began, found.clone()));
        found
    }
}

/// One [`Coalescer`] per name, kept while somebody uses it.
#[derive(Debug)]
pub struct NamedCoalescers<T>(StdMutex<CoalescersByName<T>>);

/// With the number of those who use it.
type CoalescersByName<T> = HashMap<String, (Arc<Coalescer<T>>, usize)>;

impl<T> Default for NamedCoalescers<T> {
    fn default() -> Self {
        Self(StdMutex::default())
    }
}

impl<T: Clone> NamedCoalescers<T> {
    /// As [`Coalescer::run_shared`], among the callers with this name.
    pub async fn run_named(&self, name: &str, look: impl AsyncFnOnce() -> T) -> T {
        let used = self.enter(name);
        used.coalescer.run_shared(look).await
    }
}

impl<T> NamedCoalescers<T> {
    fn enter(&self, name: &str) -> UsedCoalescer<'_, T> {
        let mut all = self.lock();
        let (coalescer, users) = all.entry(name.to_owned()).or_default();
        *users += 1;
        UsedCoalescer { all: self, name: name.to_owned(), coalescer: Arc::clone(coalescer) }
    }

    fn lock(&self) -> MutexGuard<'_, CoalescersByName<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Dropping it gives the name up, also when the caller has gone away.
struct UsedCoalescer<'a, T> {
    all: &'a NamedCoalescers<T>,
    name: String,
    coalescer: Arc<Coalescer<T>>,
}

impl<T> Drop for UsedCoalescer<'_, T> {
    fn drop(&mut self) {
        let mut all = self.all.lock();
        if let Some((_, users)) = all.get_mut(&self.name) {
            *users -= 1;
            if *users == 0 {
                all.remove(&self.name);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    };

    use tokio::sync::Notify;

    use super::*;

    #[tokio::test]
    async fn name_is_forgotten_after_its_last_caller() {
        let named = NamedCoalescers::default();
        let (one, other) = tokio::join!(named.run_named("a", async || 1), named.run_named("b", async || 2));
        assert_eq!((one, other), (1, 2), "each name has its own look");
        let gone = named.run_named("a", async || std::future::pending::<i32>().await);
        tokio::select! {
            biased;
            _ = gone => panic!("its look has no end"),
            () = std::future::ready(()) => {}
        }
        assert!(named.lock().is_empty());
    }

    #[tokio::test]
    async fn concurrent_callers_share_a_lookup_that_began_after_they_asked() {
        let (together, looks, held) =
            (Arc::new(Coalescer::default()), Arc::new(AtomicUsize::new(0)), Arc::new(Notify::new()));
        let ask = || {
            let (together, looks, held) = (Arc::clone(&together), Arc::clone(&looks), Arc::clone(&held));
            async move {
                together
                    .run_shared(async || {
                        let number = looks.fetch_add(1, Ordering::SeqCst) + 1;
                        held.notified().await;
                        number
                    })
                    .await
            }
        };
        let first = tokio::spawn(ask());
        while looks.load(Ordering::SeqCst) == 0 {
            tokio::task::yield_now().await;
        }
        let crowd: Vec<_> = (0..200).map(|_| tokio::spawn(ask())).collect();
        // Lets all of them ask and wait before the first look ends.
        for _ in 0..crowd.len() {
            tokio::task::yield_now().await;
        }
        held.notify_one();
        assert_eq!(first.await.unwrap(), 1);
        held.notify_one();
        for one in crowd {
            assert_eq!(one.await.unwrap(), 2, "a look that began after they asked");
        }
        held.notify_one();
        assert_eq!(ask().await, 3, "and what it found is not kept");
    }
}
