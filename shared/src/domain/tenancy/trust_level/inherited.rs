//! What was set before the address of a business was proven, by somebody who may have been a stranger: shown to its owner
//! until they reset it, all at once, or keep it.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use crate::platform::{
    clock::Origin,
    db::{AsConn, Tx, q},
    error::Result,
    id::OrgId,
    live::{self, Topic},
};

/// Examples that are shown of each kind.
const EXAMPLES: usize = 5;

/// A kind of what was set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = InheritedKind)]
pub enum What {
    /// Wordings of texts and emails.
    Wording,
    CannedReply,
    Price,
    Webhook,
    /// Groups of settings, with the numbers that calls are forwarded to.
    Setting,
    ReviewLink,
    BookingLink,
    BusinessPhone,
    /// The key that review programs post with.
    ReviewKey,
    /// The address of a crew's calendar. Proofs end them; listed after older ones that did not.
    CrewCalendar,
    /// Sign-ins of others. They were switched off by the proof.
    TeamMember,
}

/// How many there are of a kind, and some of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = InheritedItem)]
pub struct Item {
    pub what: What,
    pub count: i64,
    pub examples: Vec<String>,
}

/// What was set before the proof.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = InheritedSetup)]
pub struct Inherited {
    pub until: DateTime<Utc>,
    pub items: Vec<Item>,
}

/// Each kind with how it is listed. `$1` is the business, `$2` the instant of the proof.
const LISTS: [(What, &str); 11] = [
    (
        What::Wording,
        "SELECT DISTINCT kind FROM wording WHERE org_id = $1 AND created_at <= $2 AND is_default = FALSE ORDER BY 1",
    ),
    (What::CannedReply, "SELECT title FROM canned_reply WHERE org_id = $1 AND created_at <= $2 ORDER BY 1"),
    (What::Price, "SELECT name FROM price_item WHERE org_id = $1 AND created_at <= $2 ORDER BY 1"),
    (What::Webhook, "SELECT url FROM hook WHERE org_id = $1 AND created_at <= $2 ORDER BY 1"),
    (What::Setting, "SELECT name FROM org_setting WHERE org_id = $1 AND updated_at <= $2 ORDER BY 1"),
    (What::ReviewLink, "SELECT review_link FROM org WHERE id = $1 AND review_link IS NOT NULL AND created_at <= $2"),
    (What::BookingLink, "SELECT booking_link FROM org WHERE id = $1 AND booking_link IS NOT NULL AND created_at <= $2"),
    (What::BusinessPhone, "SELECT phone FROM org WHERE id = $1 AND phone IS NOT NULL AND created_at <= $2"),
    (What::ReviewKey, "SELECT hint FROM review_key WHERE org_id = $1 AND created_at <= $2"),
    (
        What::CrewCalendar,
        "SELECT c.name FROM link l JOIN crew c ON c.org_id = l.org_id AND c.id = l.subject_id
         WHERE l.org_id = $1 AND l.kind = 'crew_feed' AND l.revoked_at IS NULL AND l.created_at <= $2 ORDER BY 1",
    ),
    (
        What::TeamMember,
        "SELECT email FROM account WHERE org_id = $1 AND created_at <= $2 AND email_proved_at IS NULL ORDER BY 1",
    ),
];

/// What goes with the reset, in this order. Sign-ins of others are ended already, and stay in the log.
const RESETS: [&str; 8] = [
    "DELETE FROM wording WHERE org_id = $1 AND created_at <= $2",
    "DELETE FROM canned_reply WHERE org_id = $1 AND created_at <= $2",
    "DELETE FROM price_item WHERE org_id = $1 AND created_at <= $2",
    "DELETE FROM hook WHERE org_id = $1 AND created_at <= $2",
    "DELETE FROM org_setting WHERE org_id = $1 AND updated_at <= $2",
    "DELETE FROM review_key WHERE org_id = $1 AND created_at <= $2",
    "UPDATE link SET revoked_at = $2 WHERE org_id = $1 AND kind = 'crew_feed' AND revoked_at IS NULL AND created_at <= $2",
    "UPDATE org SET review_link = NULL, booking_link = NULL, phone = NULL WHERE id = $1 AND created_at <= $2",
];

async fn listed(conn: &mut dyn AsConn, org: OrgId, until: DateTime<Utc>) -> Result<Vec<Item>> {
    let mut items = Vec::new();
    for (what, sql) in LISTS {
        let all = q!(&mut *conn, fetch_all scalar String, sql, org, until)?;
        let count = i64::try_from(all.len()).unwrap_or(i64::MAX);
        if count > 0 {
            let examples = all.into_iter().take(EXAMPLES).collect();
            items.push(Item { what, count, examples });
        }
    }
    Ok(items)
}

/// The address was proven by somebody who was not signed in: what stands now is shown to the owner, if there is any.
pub(crate) async fn note(tx: &mut Tx, origin: &Origin, org: OrgId) -> Result<()> {
    let now = origin.now();
    if listed(&mut *tx, org, now).await?.is_empty() {
        return Ok(());
    }
    q!(tx, execute, "UPDATE org_trust SET inherited_until = $2 WHERE org_id = $1", org, now)?;
    Ok(())
}

async fn until(conn: &mut dyn AsConn, org: OrgId) -> Result<Option<DateTime<Utc>>> {
    let sql = "SELECT inherited_until FROM org_trust WHERE org_id = $1";
    Ok(q!(conn, fetch_optional scalar Option<DateTime<Utc>>, sql, org)?.flatten())
}

/// What the owner has not decided about yet.
pub async fn of(conn: &mut dyn AsConn, org: OrgId) -> Result<Option<Inherited>> {
    let Some(until) = until(&mut *conn, org).await? else { return Ok(None) };
    let items = listed(conn, org, until).await?;
    Ok((!items.is_empty()).then_some(Inherited { until, items }))
}

/// Removes all of it: the product's own defaults stand in its place.
pub async fn reset(tx: &mut Tx, origin: &Origin, org: OrgId) -> Result<()> {
    if let Some(until) = until(&mut *tx, org).await? {
        for sql in RESETS {
            q!(&mut *tx, execute, sql, org, until)?;
        }
        q!(&mut *tx, execute, "DELETE FROM template_switch WHERE org_id = $1", org)?;
    }
    keep(tx, origin, org).await
}

/// The owner has seen it.
pub async fn keep(tx: &mut Tx, origin: &Origin, org: OrgId) -> Result<()> {
    q!(&mut *tx, execute, "UPDATE org_trust SET inherited_until = NULL WHERE org_id = $1", org)?;
    live::announce(tx, origin, org, Topic::Settings, org.0, None).await
}
