//! One look for all who want to know the same at once. Everybody is told what a look found that began after they asked, so
//! nobody hears something old; of a crowd that asks at the same time two look, and the others wait for the second.

use tokio::{sync::Mutex, time::Instant};

/// What was found last, and when that look began.
#[derive(Debug)]
pub struct Together<T>(Mutex<Option<(Instant, T)>>);

impl<T> Default for Together<T> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<T: Clone> Together<T> {
    /// What `look` finds, or what another look found that began since this was asked. A look that fails is to say so in
    /// what it finds: if each of those who wait tried again, one after the other, the last would wait for all of them.
    pub async fn ask(&self, look: impl AsyncFnOnce() -> T) -> T {
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
    async fn of_a_crowd_two_look_and_nobody_is_told_what_was_found_before_they_asked() {
        let (together, looks, held) =
            (Arc::new(Together::default()), Arc::new(AtomicUsize::new(0)), Arc::new(Notify::new()));
        let ask = || {
            let (together, looks, held) = (Arc::clone(&together), Arc::clone(&looks), Arc::clone(&held));
            async move {
                together
                    .ask(async || {
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
        // Each of them has asked, and waits, before the first look ends.
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
