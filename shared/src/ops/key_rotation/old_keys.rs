//! Check before the old keys are given up: nothing may need them any more but the links that they signed.

use super::{KeyRotationReport, is_unfinished, rotate_secret_key};
use crate::platform::{clock::ClockRng, db::Db, error::Result, secret::SecretKey};

#[derive(Clone, Debug)]
pub enum OldKeyCheck {
    /// The ring holds the key in force alone.
    NoOldKey,
    /// Some sealed values do not open with the key in force; the report counts them as lost.
    StillNeeded(KeyRotationReport),
    /// Nothing is sealed with an old key, but one is not kept for lookups by keyed hash yet.
    NotRotated,
    /// Every sealed value opens with the key in force alone.
    Unused(KeyRotationReport),
}

/// Changes nothing.
pub async fn check_old_keys(db: &Db, origin: &ClockRng, ring: &SecretKey) -> Result<OldKeyCheck> {
    if !ring.has_old_keys() {
        return Ok(OldKeyCheck::NoOldKey);
    }
    // With the key in force alone nothing can be sealed anew: what needs another key is counted as lost.
    let report = rotate_secret_key(db, origin, &ring.without_old_keys()).await?;
    if report.lost_count() > 0 {
        return Ok(OldKeyCheck::StillNeeded(report));
    }
    if is_unfinished(&mut db.acquire_reader().await?, ring).await? {
        return Ok(OldKeyCheck::NotRotated);
    }
    Ok(OldKeyCheck::Unused(report))
}
