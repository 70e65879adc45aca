//! Handlers that later domains register for earlier ones, found by type. The database layer knows none of the types.

use std::any::{Any, type_name};

use crate::platform::error::{Error, Result};

/// One value of each type, registered with the [`Schema`](super::Schema) and carried by every connection.
#[derive(Clone, Copy, Debug)]
pub struct Handlers(pub &'static [&'static (dyn Any + Send + Sync)]);

impl Handlers {
    pub const NONE: Self = Self(&[]);

    /// # Errors
    /// [`Error::Internal`] when no handler of this type is registered.
    pub fn find_handler<H: Any>(self) -> Result<&'static H> {
        let found = self.0.iter().find_map(|handler| handler.downcast_ref::<H>());
        found.ok_or_else(|| Error::Internal(format!("{} is not registered", type_name::<H>())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handler_is_found_by_its_type() {
        let handlers = Handlers(&[&1_u8, &"one"]);
        assert_eq!((handlers.find_handler::<u8>().unwrap(), handlers.find_handler::<&str>().unwrap()), (&1, &"one"));
        assert!(handlers.find_handler::<i64>().is_err() && Handlers::NONE.find_handler::<u8>().is_err());
    }
}
