//! Since when customers wait for a word, for their conversations in the inbox: from the same texts as the worklist.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use super::{open_items::WaitingScope, people};
use crate::{
    domain::tenancy::org::OrgProfile,
    platform::{db::AsConn, error::Result, id::CustomerId},
};

/// The newest request or promise of each customer, or of one, that waits. The row of a conversation tells itself of its
/// texts and calls (`ConversationSummary::set_waiting`). Snoozed ones do not wait.
pub async fn load_thread_waits(
    conn: &mut dyn AsConn,
    profile: &OrgProfile,
    now: DateTime<Utc>,
    only: Option<CustomerId>,
) -> Result<BTreeMap<CustomerId, DateTime<Utc>>> {
    let scope = WaitingScope { only, ..WaitingScope::for_profile(profile, now, false) };
    let found = [people::list_unanswered_leads(&mut *conn, &scope).await?, people::list_promised(conn, &scope).await?];
    let mut waits: BTreeMap<CustomerId, DateTime<Utc>> = BTreeMap::new();
    for row in found.into_iter().flatten() {
        let Some(customer) = row.customer_id else { continue };
        let since = waits.entry(customer).or_insert(row.since);
        *since = row.since.max(*since);
    }
    Ok(waits)
}
