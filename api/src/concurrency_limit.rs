//! One slot for each business and a limit in all, for slow work that fills the disk: a business cannot run it twice at
//! once, and a few businesses cannot keep it from the others.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, PoisonError},
};

use shared::platform::id::OrgId;

/// Slots in all at one time.
const MAX_PERMITS: usize = 20;

#[derive(Clone, Debug, Default)]
pub struct TenantSemaphore(Arc<Mutex<BTreeSet<OrgId>>>);

/// Slot of a business; released on drop.
#[derive(Debug)]
pub struct TenantPermit {
    turns: TenantSemaphore,
    org: OrgId,
}

impl TenantSemaphore {
    /// `None` while the business holds a slot, or all are taken.
    #[must_use]
    pub fn try_acquire(&self, org: OrgId) -> Option<TenantPermit> {
        let mut taken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_free = taken.len() < MAX_PERMITS && taken.insert(org);
        is_free.then(|| TenantPermit { turns: self.clone(), org })
    }
}

impl Drop for TenantPermit {
    fn drop(&mut self) {
        self.turns.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.org);
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn org(n: usize) -> OrgId {
        OrgId(Uuid::from_u128(n as u128))
    }

    #[test]
    fn tenant_has_one_concurrent_turn_and_does_not_block_others() {
        let turns = TenantSemaphore::default();
        let first = turns.try_acquire(org(1)).unwrap();
        assert!(turns.try_acquire(org(1)).is_none() && turns.try_acquire(org(2)).is_some());
        drop(first);
        assert!(turns.try_acquire(org(1)).is_some());
    }

    #[test]
    fn concurrent_turns_are_limited_in_total() {
        let turns = TenantSemaphore::default();
        let all: Vec<TenantPermit> = (0..MAX_PERMITS).map(|n| turns.try_acquire(org(n)).unwrap()).collect();
        assert!(turns.try_acquire(org(MAX_PERMITS)).is_none());
        drop(all);
        assert!(turns.try_acquire(org(MAX_PERMITS)).is_some());
    }
}
