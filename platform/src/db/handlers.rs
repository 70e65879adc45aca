//! Handlers that later domains register for earlier ones, found by type. The database layer knows none of the types.

use std::{
    any::{Any, type_name},
    fmt,
};

use crate::error::{Error, Result};

/// Each type that is found by [`Handlers::find_handler`] says so by this trait. `tests/stories/handlers.rs` compares the
/// types that implement it with those that are registered.
pub trait Handler: Any + Send + Sync {
    /// Without its module.
    fn handler_name(&self) -> &'static str {
        let path = type_name::<Self>();
        path.rsplit("::").next().unwrap_or(path)
    }
}

/// One value of each type, registered with the [`Schema`](super::Schema) and carried by every connection.
#[derive(Clone, Copy)]
pub struct Handlers(pub &'static [&'static dyn Handler]);

impl Handlers {
    pub const NONE: Self = Self(&[]);

    /// # Errors
    /// [`Error::Internal`] when no handler of this type is registered.
    pub fn find_handler<H: Handler>(self) -> Result<&'static H> {
        let found = self.0.iter().find_map(|handler| {
            let any: &'static dyn Any = *handler;
            any.downcast_ref::<H>()
        });
        found.ok_or_else(|| Error::Internal(format!("{} is not registered", type_name::<H>())))
    }

    /// In the order of their registration.
    #[must_use]
    pub fn handler_names(self) -> Vec<&'static str> {
        self.0.iter().map(|handler| handler.handler_name()).collect()
    }
}

impl fmt::Debug for Handlers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Handlers").field(&self.handler_names()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq)]
    struct Number(u8);
    #[derive(Debug, PartialEq)]
    struct Word(&'static str);
    struct Unregistered;

    impl Handler for Number {}
    impl Handler for Word {}
    impl Handler for Unregistered {}

    #[test]
    fn handler_is_found_by_its_type() {
        let handlers = Handlers(&[&Number(1), &Word("one")]);
        let (number, word) = (handlers.find_handler::<Number>().unwrap(), handlers.find_handler::<Word>().unwrap());
        assert_eq!((number, word), (&Number(1), &Word("one")));
        assert!(handlers.find_handler::<Unregistered>().is_err() && Handlers::NONE.find_handler::<Number>().is_err());
        assert_eq!(handlers.handler_names(), ["Number", "Word"]);
    }
}
