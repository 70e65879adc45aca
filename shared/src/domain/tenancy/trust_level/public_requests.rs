//! Public pages of a business whose owner has not confirmed the email address: anyone may have registered it in another's
//! name. Its pages say so, and take few requests a day.

use super::{TrustLevel, load_trust_level};
use crate::platform::{
    clock::ClockRng,
    db::{AsConn, Tx},
    error::Result,
    id::{DEMO_ORG, OrgId},
    secret::SecretKey,
    throttle::{self, WindowLimit},
};

/// Requests by its public forms and its booking page together, within 24 hours of the first.
pub const REQUESTS_A_DAY: i64 = 20;

/// Whether the public pages of a business of this level say that its address is not confirmed. Those of the
/// demonstration say that they are one.
#[must_use]
pub fn is_marked_unproven(org: OrgId, level: TrustLevel) -> bool {
    level == TrustLevel::New && org != DEMO_ORG
}

pub async fn load_unproven_mark(conn: &mut dyn AsConn, org: OrgId) -> Result<bool> {
    Ok(is_marked_unproven(org, load_trust_level(conn, org).await?))
}

/// Counts a request to a business with an unproven address.
///
/// # Errors
/// [`crate::platform::error::Error::RateLimited`] past the limit.
pub async fn count_unproven_request(tx: &mut Tx, origin: &ClockRng, secret: &SecretKey, org: OrgId) -> Result<()> {
    let limit = WindowLimit::per_day(REQUESTS_A_DAY);
    throttle::count_action(tx, origin, secret, "request to unproven business", &org.to_string(), limit).await
}
