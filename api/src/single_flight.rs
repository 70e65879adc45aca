//! Single flight: concurrent callers share one look. A caller gets a result only of a look that began after its
//! request, so it is never stale: of many concurrent callers two look, and the others get the second result.

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

#[cfg(test)]
mod tests {
    use std::sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    };

    use tokio::sync::Notify;

    use super::*;

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
