//! Bytes being received that are in no row yet: in all, per network, and per business once it is known.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use shared::platform::id::OrgId;

/// Key of a count.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ByteOwner {
    All,
    Network(String),
    Business(OrgId),
}

#[derive(Clone, Debug, Default)]
pub struct ReceivingBytes(Arc<Mutex<HashMap<ByteOwner, i64>>>);

impl ReceivingBytes {
    fn lock(&self) -> MutexGuard<'_, HashMap<ByteOwner, i64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// In bytes.
    #[must_use]
    pub fn bytes_for(&self, holder: &ByteOwner) -> i64 {
        self.lock().get(holder).copied().unwrap_or_default()
    }

    /// Adds `bytes` (may be negative) to each holder. Empty counts are removed.
    pub fn add_bytes(&self, holders: &[ByteOwner], bytes: i64) {
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
    fn held_counts_are_separate_per_holder_and_empty_holders_are_removed() {
        let (held, shop) = (ReceivingBytes::default(), ByteOwner::Business(OrgId(Uuid::from_u128(1))));
        held.add_bytes(&[ByteOwner::All, ByteOwner::Network("a".to_owned())], 5);
        held.add_bytes(&[ByteOwner::All, shop.clone()], 7);
        let counts = |of: &[ByteOwner]| of.iter().map(|holder| held.bytes_for(holder)).collect::<Vec<_>>();
        let networks = [ByteOwner::Network("a".to_owned()), ByteOwner::Network("b".to_owned())];
        assert_eq!((held.bytes_for(&ByteOwner::All), held.bytes_for(&shop), counts(&networks)), (12, 7, vec![5, 0]));
        held.add_bytes(&[ByteOwner::All, shop.clone()], -7);
        assert_eq!((held.bytes_for(&ByteOwner::All), held.bytes_for(&shop), held.lock().len()), (5, 0, 2));
    }
}
