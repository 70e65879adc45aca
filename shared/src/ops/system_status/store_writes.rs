//! Whether the database and the file store take writes, by the small write that `/readyz` makes.

use super::{ToolCheck, ToolHealth};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WriteState {
    #[default]
    Writable,
    Full,
    /// Any other failure, or no end within seconds.
    Refused,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoreWrites {
    pub database: WriteState,
    pub files: WriteState,
}

impl StoreWrites {
    /// A database without writes stops everything; a file store without writes only what has files.
    pub(super) fn find_fault(self) -> Option<ToolCheck> {
        let (health, words) = match (self.database, self.files) {
            (WriteState::Full, _) => (
                ToolHealth::Down,
                "There is no room left, so new requests cannot be saved. Ask the person who runs your Toolbox.",
            ),
            (WriteState::Refused, _) => (
                ToolHealth::Down,
                "Nothing can be saved right now, and new requests are refused. Ask the person who runs your Toolbox.",
            ),
            (WriteState::Writable, WriteState::Full) => (
                ToolHealth::Degraded,
                "There is no room left for photos and files. Ask the person who runs your Toolbox.",
            ),
            (WriteState::Writable, WriteState::Refused) => (
                ToolHealth::Degraded,
                "Photos and files cannot be saved right now. Ask the person who runs your Toolbox.",
            ),
            (WriteState::Writable, WriteState::Writable) => return None,
        };
        Some(ToolCheck::new("Disk", health, words))
    }
}
