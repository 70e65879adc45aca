//! How many bytes are being received and stand in no row yet: in all, from each network, and for each business once it is
//! known.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use shared::platform::id::OrgId;

/// What bytes are counted under.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Holder {
    All,
    Network(String),
    Business(OrgId),
}

/// The counts. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Held(Arc<Mutex<HashMap<Holder, i64>>>);

impl Held {
    fn lock(&self) -> MutexGuard<'_, HashMap<Holder, i64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// In bytes.
    #[must_use]
    pub fn of(&self, holder: &Holder) -> i64 {
        self.lock().get(holder).copied().unwrap_or_default()
    }

    /// Counts so many more, or fewer, under each of them. One that holds nothing is forgotten.
    pub fn add(&self, holders: &[Holder], bytes: i64) {
        let mut all = self.lock();
        for holder in holders {
            let count = all.entry(holder.clone()).or_default();
            *count = count.saturating_add(bytes);
            if *count <= 0 {
                all.remove(holder);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn counts_stand_apart_for_each_holder_and_one_that_holds_nothing_is_forgotten() {
        let (held, shop) = (Held::default(), Holder::Business(OrgId(Uuid::from_u128(1))));
        held.add(&[Holder::All, Holder::Network("a".to_owned())], 5);
        held.add(&[Holder::All, shop.clone()], 7);
        let counts = |of: &[Holder]| of.iter().map(|holder| held.of(holder)).collect::<Vec<_>>();
        let networks = [Holder::Network("a".to_owned()), Holder::Network("b".to_owned())];
        assert_eq!((held.of(&Holder::All), held.of(&shop), counts(&networks)), (12, 7, vec![5, 0]));
        held.add(&[Holder::All, shop.clone()], -7);
        assert_eq!((held.of(&Holder::All), held.of(&shop), held.lock().len()), (5, 0, 2));
    }
}
