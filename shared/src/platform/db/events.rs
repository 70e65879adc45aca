//! Events of a transaction, by their type. The database layer knows none of the types.

use std::any::Any;

/// One `Vec<E>` for each type of event. There are a few types at most.
#[derive(Default)]
pub(super) struct Events(Vec<Box<dyn Any + Send>>);

impl Events {
    pub fn push<E: Any + Send>(&mut self, event: E) {
        match self.0.iter_mut().find_map(|one| one.downcast_mut::<Vec<E>>()) {
            Some(events) => events.push(event),
            None => self.0.push(Box::new(vec![event])),
        }
    }

    pub fn of<E: Any>(&self) -> &[E] {
        self.0.iter().find_map(|one| one.downcast_ref::<Vec<E>>()).map_or(&[], Vec::as_slice)
    }

    pub fn take<E: Any>(&mut self) -> Vec<E> {
        self.0.iter_mut().find_map(|one| one.downcast_mut::<Vec<E>>()).map(std::mem::take).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_of_one_type_keep_their_order_and_are_taken_once() {
        let mut events = Events::default();
        events.push(1_u8);
        events.push("one");
        events.push(2_u8);
        assert_eq!((events.of::<u8>(), events.of::<&str>(), events.of::<i64>()), (&[1, 2][..], &["one"][..], &[][..]));
        assert_eq!(events.take::<u8>(), [1, 2]);
        assert!(events.take::<u8>().is_empty());
    }
}
