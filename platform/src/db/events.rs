//! Events of a transaction by type. The database layer knows none of the types.

use std::any::Any;

#[derive(Default)]
pub(super) struct TxEvents(Vec<Box<dyn Any + Send>>);

impl TxEvents {
    pub fn push_event<E: Any + Send>(&mut self, event: E) {
        match self.0.iter_mut().find_map(|one| one.downcast_mut::<Vec<E>>()) {
            Some(events) => events.push(event),
            None => self.0.push(Box::new(vec![event])),
        }
    }

    pub fn events_of_type<E: Any>(&self) -> &[E] {
        self.0.iter().find_map(|one| one.downcast_ref::<Vec<E>>()).map_or(&[], Vec::as_slice)
    }

    pub fn take_events_of_type<E: Any>(&mut self) -> Vec<E> {
        self.0.iter_mut().find_map(|one| one.downcast_mut::<Vec<E>>()).map(std::mem::take).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_of_one_type_keep_their_order_and_are_taken_once() {
        let mut events = TxEvents::default();
        events.push_event(1_u8);
        events.push_event("one");
        events.push_event(2_u8);
        assert_eq!(
            (events.events_of_type::<u8>(), events.events_of_type::<&str>(), events.events_of_type::<i64>()),
            (&[1, 2][..], &["one"][..], &[][..])
        );
        assert_eq!(events.take_events_of_type::<u8>(), [1, 2]);
        assert!(events.take_events_of_type::<u8>().is_empty());
    }
}
