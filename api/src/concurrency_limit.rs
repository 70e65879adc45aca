//! One turn for each business, and so many in all: what takes long and fills the disk is not begun by one business twice,
//! and no few of them keep it from all the others.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, PoisonError},
};

use shared::platform::id::OrgId;

/// Businesses that have theirs at one time.
const MOST: usize = 20;

/// Who has a turn now.
#[derive(Clone, Debug, Default)]
pub struct Turns(Arc<Mutex<BTreeSet<OrgId>>>);

/// Ends when it is dropped.
#[derive(Debug)]
pub struct Turn {
    turns: Turns,
    org: OrgId,
}

impl Turns {
    /// None while the business has one already, or too many others have.
    #[must_use]
    pub fn take(&self, org: OrgId) -> Option<Turn> {
        let mut taken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_free = taken.len() < MOST && taken.insert(org);
        is_free.then(|| Turn { turns: self.clone(), org })
    }
}

impl Drop for Turn {
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
    fn a_business_has_one_turn_at_a_time_and_keeps_nobody_else_from_theirs() {
        let turns = Turns::default();
        let first = turns.take(org(1)).unwrap();
        assert!(turns.take(org(1)).is_none() && turns.take(org(2)).is_some());
        drop(first);
        assert!(turns.take(org(1)).is_some());
    }

    #[test]
    fn there_is_an_end_to_how_many_go_at_once() {
        let turns = Turns::default();
        let all: Vec<Turn> = (0..MOST).map(|n| turns.take(org(n)).unwrap()).collect();
        assert!(turns.take(org(MOST)).is_none());
        drop(all);
        assert!(turns.take(org(MOST)).is_some());
    }
}
