//! The browsers that agreed to be told: which device of whom, and whether alerts still reach it.

use crate::{
    db::{Tx, q},
    error::Result,
};

/// A device whose session ended is told nothing any more: somebody else may hold it.
pub async fn end_session(tx: &mut Tx, session_hash: &[u8]) -> Result<()> {
    q!(tx, execute, "DELETE FROM push_device WHERE session_hash = $1", session_hash)?;
    Ok(())
}
