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
            (WriteState::Full, _) => (ToolHealth::Down, "The disk is full. New requests are refused (507)."),
            (WriteState::Refused, _) => {
                (ToolHealth::Down, "The database takes no writes. New requests are refused (503).")
            }
            (WriteState::Writable, WriteState::Full) => {
                (ToolHealth::Degraded, "The file store is full. Photos and files may be refused (507).")
            }
            (WriteState::Writable, WriteState::Refused) => {
                (ToolHealth::Degraded, "The file store takes no writes. Photos and files may be refused (503).")
            }
            (WriteState::Writable, WriteState::Writable) => return None,
        };
        Some(ToolCheck::new("Disk", health, words))
    }
}
