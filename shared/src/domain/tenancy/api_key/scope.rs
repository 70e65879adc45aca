//! Scopes of API keys: read or write access to one area.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

macro_rules! scopes {
    ($($name:ident = $text:tt,)*) => {
        /// One room, to look or to change. Add, never rename: they are kept with the keys.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
                pub enum ApiScope {
            $(#[serde(rename = $text)] $name,)*
        }

        impl ApiScope {
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// Stored form: `leads:parse_scopes`.
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

impl ApiScope {
    /// Whether this scope grants `wanted`: write includes read.
    #[must_use]
    pub fn allows_scope(self, wanted: Self) -> bool {
        if self == wanted {
            return true;
        }
        let room = |scope: Self| scope.name().split_once(':').map(|(room, _)| room);
        room(self) == room(wanted) && self.name().ends_with(":write")
    }

    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|scope| scope.name() == name)
    }
}

/// Unknown scopes of other versions grant nothing.
#[must_use]
pub(super) fn parse_scopes(stored: &str) -> Vec<ApiScope> {
    stored.split(' ').filter_map(ApiScope::from_name).collect()
}

#[must_use]
pub(super) fn format_scopes(scopes: &[ApiScope]) -> String {
    let names: Vec<&str> =
        ApiScope::ALL.iter().filter(|scope| scopes.contains(scope)).map(|scope| scope.name()).collect();
    names.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scope_opens_itself_and_write_opens_read_of_same_resource() {
        for has in ApiScope::ALL {
            for wanted in ApiScope::ALL {
                let (room, access) = has.name().split_once(':').unwrap();
                let (other, asked) = wanted.name().split_once(':').unwrap();
                let opens = room == other && (access == asked || (access, asked) == ("write", "read"));
                assert_eq!(has.allows_scope(*wanted), opens, "{} for {}", has.name(), wanted.name());
            }
        }
    }

    #[test]
    fn stored_scopes_round_trip_and_unknown_scope_opens_nothing() {
        let given = [ApiScope::JobsWrite, ApiScope::LeadsRead, ApiScope::JobsWrite];
        assert_eq!(format_scopes(&given), "leads:read jobs:write");
        assert_eq!(parse_scopes("leads:read jobs:write rockets:launch "), [ApiScope::LeadsRead, ApiScope::JobsWrite]);
        assert_eq!(serde_json::to_string(&ApiScope::FiguresRead).unwrap(), "\"figures:read\"");
    }
}
