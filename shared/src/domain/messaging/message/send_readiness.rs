//! Whether messages of a business leave now: its trust level, pauses of the channels, and the worker, read at once.

use chrono::{DateTime, Utc};
use sqlx::FromRow;

use super::{MessageChannel, outlook::WORKER_SILENT};
use crate::{
    domain::tenancy::trust_level::{self, TrustFacts, TrustLevel},
    platform::{
        db::{AsConn, q},
        error::Result,
        id::OrgId,
    },
};

#[derive(Clone, Copy, Debug)]
pub(crate) struct SendReadiness {
    pub(crate) level: TrustLevel,
    /// No worker gives a sign of life, or none ran yet.
    pub(crate) is_worker_silent: bool,
    sms_paused_until: Option<DateTime<Utc>>,
    email_paused_until: Option<DateTime<Utc>>,
}

#[derive(FromRow)]
struct ReadinessRow {
    #[sqlx(flatten)]
    trust: TrustFacts,
    sms_paused_until: Option<DateTime<Utc>>,
    email_paused_until: Option<DateTime<Utc>>,
    awake: i64,
}

impl SendReadiness {
    pub(crate) async fn load_for_org(conn: &mut dyn AsConn, org: OrgId, now: DateTime<Utc>) -> Result<Self> {
        let row = q!(
            &mut *conn,
            fetch_one as ReadinessRow,
            "SELECT t.proven_at IS NOT NULL AS is_proven, t.let_through_at IS NOT NULL AS is_let_through,
                 EXISTS (SELECT 1 FROM subscription s WHERE s.org_id = $1 AND s.has_begun = TRUE AND s.is_counted = TRUE)
                     AS has_paid,
                 (SELECT MAX(p.until) FROM channel_pause p WHERE p.channel IN ('sms', 'sms_account'))
                     AS sms_paused_until,
                 (SELECT MAX(p.until) FROM channel_pause p WHERE p.channel IN ('email', 'email_account'))
                     AS email_paused_until,
                 (SELECT COUNT(*) FROM worker_heartbeat h WHERE h.stopped_at IS NULL AND h.seen_at >= $2) AS awake
             FROM org o LEFT JOIN org_trust t ON t.org_id = o.id WHERE o.id = $1",
            org,
            now - WORKER_SILENT
        )?;
        Ok(Self {
            level: trust_level::resolve_level(conn, org, row.trust).await?,
            is_worker_silent: row.awake == 0,
            sms_paused_until: row.sms_paused_until,
            email_paused_until: row.email_paused_until,
        })
    }

    pub(crate) fn paused_until(&self, channel: MessageChannel) -> Option<DateTime<Utc>> {
        match channel {
            MessageChannel::Sms => self.sms_paused_until,
            MessageChannel::Email => self.email_paused_until,
        }
    }
}
