//! What a key may be good for: one room of the business, to look or to change too.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

macro_rules! scopes {
    ($($name:ident = $text:tt,)*) => {
        /// One room, to look or to change. Add, never rename: they are kept with the keys.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
        #[schema(as = ApiScope)]
        pub enum Scope {
            $(#[serde(rename = $text)] $name,)*
        }

        impl Scope {
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// As it is stored and spoken of: `leads:read`.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$name => $text),* }
            }
        }
    };
}

scopes! {
    LeadsRead = "leads:read",
    LeadsWrite = "leads:write",
    CustomersRead = "customers:read",
    CustomersWrite = "customers:write",
    JobsRead = "jobs:read",
    JobsWrite = "jobs:write",
    EstimatesRead = "estimates:read",
    EstimatesWrite = "estimates:write",
    InvoicesRead = "invoices:read",
    InvoicesWrite = "invoices:write",
    MessagesRead = "messages:read",
    MessagesWrite = "messages:write",
    ReviewsRead = "reviews:read",
    ReviewsWrite = "reviews:write",
    FiguresRead = "figures:read",
}

impl Scope {
    /// Whether a key with this one opens what asks for `wanted`: who may change a room may look at it.
    #[must_use]
    pub fn opens(self, wanted: Self) -> bool {
        if self == wanted {
            return true;
        }
        let room = |scope: Self| scope.name().split_once(':').map(|(room, _)| room);
        room(self) == room(wanted) && self.name().ends_with(":write")
    }

    fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|scope| scope.name() == name)
    }
}

/// As they are stored. One that this version does not know opens nothing.
#[must_use]
pub(super) fn read(stored: &str) -> Vec<Scope> {
    stored.split(' ').filter_map(Scope::named).collect()
}

/// In the order of the list, each once.
#[must_use]
pub(super) fn written(scopes: &[Scope]) -> String {
    let names: Vec<&str> = Scope::ALL.iter().filter(|scope| scopes.contains(scope)).map(|scope| scope.name()).collect();
    names.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_opens_itself_and_writing_opens_reading_of_its_own_room() {
        for has in Scope::ALL {
            for wanted in Scope::ALL {
                let (room, access) = has.name().split_once(':').unwrap();
                let (other, asked) = wanted.name().split_once(':').unwrap();
                let opens = room == other && (access == asked || (access, asked) == ("write", "read"));
                assert_eq!(has.opens(*wanted), opens, "{} for {}", has.name(), wanted.name());
            }
        }
    }

    #[test]
    fn what_is_stored_is_read_again_and_what_is_unknown_opens_nothing() {
        let given = [Scope::JobsWrite, Scope::LeadsRead, Scope::JobsWrite];
        assert_eq!(written(&given), "leads:read jobs:write");
        assert_eq!(read("leads:read jobs:write rockets:launch "), [Scope::LeadsRead, Scope::JobsWrite]);
        assert_eq!(serde_json::to_string(&Scope::FiguresRead).unwrap(), "\"figures:read\"");
    }
}
