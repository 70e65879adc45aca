//! Settings made before the address proof, possibly by a stranger: shown to the owner until reset, all at once, or
//! kept.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    domain::tenancy::org::{self, FeatureSwitches, logo},
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, q},
        error::Result,
        id::OrgId,
        live::{self, Topic},
    },
};

const EXAMPLES: usize = 5;

/// A kind of what was set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum InheritedKind {
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
    Logo,
    LicenceLine,
    PostalAddress,
    TimeZone,
    /// Tools and templates that were switched off.
    Switch,
    Crew,
    /// Kinds of data with a period of their own.
    Retention,
    /// The key that review programs post with. Proofs without a session end it; listed after older ones that did not.
    ReviewKey,
    /// The address of a crew's calendar. Proofs end them; listed after older ones that did not.
    CrewCalendar,
    /// Sign-ins of others. They were switched off by the proof.
    TeamMember,
}

/// How many there are of a kind, and some of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InheritedItem {
    pub what: InheritedKind,
    pub count: i64,
    pub examples: Vec<String>,
}

/// What was set before the proof.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InheritedSetup {
    pub until: DateTime<Utc>,
    pub items: Vec<InheritedItem>,
}

/// The query of each kind. `$1` is the business, `$2` the time of the proof. Not listed are name and industry, which are
/// typed at registration and have no default, and a demand for second factors, which protects.
const LISTS: [(InheritedKind, &str); 18] = [
    (
        InheritedKind::Wording,
        "SELECT DISTINCT kind FROM template_text WHERE org_id = $1 AND created_at <= $2 AND is_default = FALSE ORDER BY 1",
    ),
    (InheritedKind::CannedReply, "SELECT title FROM canned_reply WHERE org_id = $1 AND created_at <= $2 ORDER BY 1"),
    (InheritedKind::Price, "SELECT name FROM price_item WHERE org_id = $1 AND created_at <= $2 ORDER BY 1"),
    (InheritedKind::Webhook, "SELECT url FROM webhook WHERE org_id = $1 AND created_at <= $2 ORDER BY 1"),
    (InheritedKind::Setting, "SELECT name FROM org_setting WHERE org_id = $1 AND updated_at <= $2 ORDER BY 1"),
    (
        InheritedKind::ReviewLink,
        "SELECT review_link FROM org WHERE id = $1 AND review_link IS NOT NULL AND created_at <= $2",
    ),
    (
        InheritedKind::BookingLink,
        "SELECT booking_link FROM org WHERE id = $1 AND booking_link IS NOT NULL AND created_at <= $2",
    ),
    (InheritedKind::BusinessPhone, "SELECT phone FROM org WHERE id = $1 AND phone IS NOT NULL AND created_at <= $2"),
    (
        InheritedKind::Logo,
        "SELECT 'on papers, emails and pages' FROM org WHERE id = $1 AND logo_key IS NOT NULL AND created_at <= $2",
    ),
    (
        InheritedKind::LicenceLine,
        "SELECT licence_line FROM org WHERE id = $1 AND licence_line IS NOT NULL AND created_at <= $2",
    ),
    (
        InheritedKind::PostalAddress,
        "SELECT postal_address FROM org WHERE id = $1 AND postal_address IS NOT NULL AND created_at <= $2",
    ),
    (
        InheritedKind::TimeZone,
        "SELECT timezone FROM org WHERE id = $1 AND timezone <> 'America/Chicago' AND created_at <= $2",
    ),
    (
        InheritedKind::Switch,
        "SELECT kind FROM template_switch WHERE org_id = $1 AND enabled = FALSE
             AND (SELECT created_at FROM org WHERE id = $1) <= $2
         UNION ALL SELECT SUBSTR(CASE WHEN lead_intake = TRUE THEN '' ELSE ', lead_intake' END
             || CASE WHEN automated_communications = TRUE THEN '' ELSE ', automated_communications' END
             || CASE WHEN job_tracking = TRUE THEN '' ELSE ', job_tracking' END
             || CASE WHEN review_collection = TRUE THEN '' ELSE ', review_collection' END
             || CASE WHEN kpi_reporting = TRUE THEN '' ELSE ', kpi_reporting' END, 3)
         FROM automation_switch WHERE org_id = $1 AND (lead_intake = FALSE OR automated_communications = FALSE
             OR job_tracking = FALSE OR review_collection = FALSE OR kpi_reporting = FALSE) ORDER BY 1",
    ),
    (
        InheritedKind::Crew,
        "SELECT name FROM crew WHERE org_id = $1 AND created_at <= $2 AND is_active = TRUE ORDER BY 1",
    ),
    (
        InheritedKind::Retention,
        "SELECT kind FROM retention WHERE org_id = $1 AND (SELECT created_at FROM org WHERE id = $1) <= $2 ORDER BY 1",
    ),
    (InheritedKind::ReviewKey, "SELECT hint FROM review_key WHERE org_id = $1 AND created_at <= $2"),
    (
        InheritedKind::CrewCalendar,
        "SELECT c.name FROM access_link l JOIN crew c ON c.org_id = l.org_id AND c.id = l.subject_id
         WHERE l.org_id = $1 AND l.kind = 'crew_feed' AND l.revoked_at IS NULL AND l.created_at <= $2 ORDER BY 1",
    ),
    (
        InheritedKind::TeamMember,
        "SELECT email FROM account WHERE org_id = $1 AND created_at <= $2 AND email_proved_at IS NULL ORDER BY 1",
    ),
];

/// Reset statements, in this order. Other people's sign-ins have ended already, and stay in the log. A crew is put away
/// and not removed, because it may have jobs.
const RESETS: [&str; 10] = [
    "DELETE FROM template_text WHERE org_id = $1 AND created_at <= $2",
    "DELETE FROM canned_reply WHERE org_id = $1 AND created_at <= $2",
    "DELETE FROM price_item WHERE org_id = $1 AND created_at <= $2",
    "DELETE FROM webhook WHERE org_id = $1 AND created_at <= $2",
    "DELETE FROM org_setting WHERE org_id = $1 AND updated_at <= $2",
    "DELETE FROM review_key WHERE org_id = $1 AND created_at <= $2",
    "UPDATE access_link SET revoked_at = $2 WHERE org_id = $1 AND kind = 'crew_feed' AND revoked_at IS NULL AND created_at <= $2",
    "UPDATE org SET review_link = NULL, booking_link = NULL, phone = NULL, licence_line = NULL, postal_address = NULL
     WHERE id = $1 AND created_at <= $2",
    "UPDATE crew SET is_active = FALSE WHERE org_id = $1 AND created_at <= $2",
    "DELETE FROM retention WHERE org_id = $1 AND (SELECT created_at FROM org WHERE id = $1) <= $2",
];

async fn list_items(conn: &mut dyn AsConn, org: OrgId, until: DateTime<Utc>) -> Result<Vec<InheritedItem>> {
    let mut items = Vec::new();
    for (what, sql) in LISTS {
        let all = q!(&mut *conn, fetch_all scalar String, sql, org, until)?;
        let count = i64::try_from(all.len()).unwrap_or(i64::MAX);
        if count > 0 {
            let examples = all.into_iter().take(EXAMPLES).collect();
            items.push(InheritedItem { what, count, examples });
        }
    }
    Ok(items)
}

/// After a proof without a session: marks existing settings for review, if any.
pub(crate) async fn mark_inherited(tx: &mut Tx, origin: &ClockRng, org: OrgId) -> Result<()> {
    let now = origin.now();
    if list_items(&mut *tx, org, now).await?.is_empty() {
        return Ok(());
    }
    q!(tx, execute, "UPDATE org_trust SET inherited_until = $2 WHERE org_id = $1", org, now)?;
    Ok(())
}

async fn find_inherited_until(conn: &mut dyn AsConn, org: OrgId) -> Result<Option<DateTime<Utc>>> {
    let sql = "SELECT inherited_until FROM org_trust WHERE org_id = $1";
    Ok(q!(conn, fetch_optional scalar Option<DateTime<Utc>>, sql, org)?.flatten())
}

pub async fn find_inherited(conn: &mut dyn AsConn, org: OrgId) -> Result<Option<InheritedSetup>> {
    let Some(until) = find_inherited_until(&mut *conn, org).await? else { return Ok(None) };
    let items = list_items(conn, org, until).await?;
    Ok((!items.is_empty()).then_some(InheritedSetup { until, items }))
}

pub async fn reset_inherited(tx: &mut Tx, origin: &ClockRng, org: OrgId) -> Result<()> {
    if let Some(until) = find_inherited_until(&mut *tx, org).await? {
        for sql in RESETS {
            q!(&mut *tx, execute, sql, org, until)?;
        }
        q!(&mut *tx, execute, "DELETE FROM template_switch WHERE org_id = $1", org)?;
        org::save_switches(&mut *tx, org, FeatureSwitches::ALL_ON).await?;
        org::reset_time_zone(&mut *tx, origin, org).await?;
        // The sweep removes the picture, as after an ordinary removal.
        logo::set_logo(&mut *tx, org, None, i64::MAX).await?;
    }
    accept_inherited(tx, origin, org).await
}

pub async fn accept_inherited(tx: &mut Tx, origin: &ClockRng, org: OrgId) -> Result<()> {
    q!(&mut *tx, execute, "UPDATE org_trust SET inherited_until = NULL WHERE org_id = $1", org)?;
    live::publish_event(tx, origin, org, Topic::Settings, org.0, None).await
}
