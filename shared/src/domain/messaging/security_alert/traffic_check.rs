//! Scheduled checks by the worker: opt-out rate, undelivered messages, and the audit log.

use chrono::{DateTime, Duration, Utc};
use sqlx::FromRow;

use super::raise_alert;
use crate::{
    domain::tenancy::{
        audit::{self, AuditVerdict},
        security::{SecurityAlertId, SecurityFinding},
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Db, q},
        error::Result,
        id::{DEMO_ORG, OrgId},
        live,
        public_url::PublicUrl,
        secret::SecretKey,
    },
};

const LATELY: Duration = Duration::days(1);
/// Minimum counts for significance.
const FEWEST_STOPS: i64 = 5;
const FEWEST_LOST: i64 = 10;
/// Alert ratios: one in this many.
const STOPS_IN: i64 = 20;
const LOST_IN: i64 = 5;
/// Businesses are spread over the minutes of an hour.
const TURNS: u8 = 60;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromRow)]
pub struct MessageTraffic {
    pub texted: i64,
    pub stops: i64,
    /// Messages with a final state.
    pub ended: i64,
    /// Failed or possibly failed ones of these.
    pub lost: i64,
}

impl MessageTraffic {
    /// Carriers monitor opt-out rates; this alerts first.
    #[must_use]
    pub fn is_opt_out_rate_high(self) -> bool {
        self.stops >= FEWEST_STOPS && self.stops * STOPS_IN >= self.texted
    }

    #[must_use]
    pub fn is_failure_rate_high(self) -> bool {
        self.lost >= FEWEST_LOST && self.lost * LOST_IN >= self.ended
    }
}

pub async fn load_traffic(conn: &mut dyn AsConn, org: OrgId, now: DateTime<Utc>) -> Result<MessageTraffic> {
    let since = now - LATELY;
    Ok(q!(
        conn,
        fetch_one as MessageTraffic,
        "SELECT
             (SELECT COUNT(DISTINCT to_address) FROM message WHERE org_id = $1 AND id >= $2 AND direction = 'out'
                 AND channel = 'sms' AND sent_at IS NOT NULL) AS texted,
             (SELECT COUNT(*) FROM opt_out WHERE org_id = $1 AND channel = 'sms' AND state = 'stopped'
                 AND source IN ('text', 'provider') AND at >= $3) AS stops,
             (SELECT COUNT(*) FROM message WHERE org_id = $1 AND id >= $2 AND direction = 'out'
                 AND status IN ('sent', 'delivered', 'failed', 'unknown')) AS ended,
             (SELECT COUNT(*) FROM message WHERE org_id = $1 AND id >= $2 AND direction = 'out'
                 AND status IN ('failed', 'unknown')) AS lost",
        org,
        // Ids are ordered by time, and a business's messages are indexed by id.
        live::min_id_at(since),
        since
    )?)
}

/// Checks the businesses due in this minute. Returns the number of alerts.
pub async fn check_due_orgs(db: &Db, origin: &ClockRng, secret: &SecretKey, public_url: &PublicUrl) -> Result<usize> {
    let minute = u8::try_from(origin.now().timestamp() / 60 % i64::from(TURNS)).unwrap_or_default();
    let orgs =
        q!(&mut db.acquire_reader().await?, fetch_all scalar OrgId, "SELECT id FROM org WHERE id <> $1", DEMO_ORG)?;
    let mut raised = 0;
    for org in orgs.into_iter().filter(|org| org.0.as_bytes()[15] % TURNS == minute) {
        raised += check_org(db, origin, secret, public_url, org).await?;
    }
    Ok(raised)
}

pub async fn check_org(
    db: &Db,
    origin: &ClockRng,
    secret: &SecretKey,
    public_url: &PublicUrl,
    org: OrgId,
) -> Result<usize> {
    let mut conn = db.acquire_reader().await?;
    let traffic = load_traffic(&mut conn, org, origin.now()).await?;
    let is_due = audit::is_check_due(&mut conn, org, origin.now()).await?;
    let verdict =
        if is_due { Some(audit::verify_chain(&mut conn, secret, org, None, origin.now()).await?) } else { None };
    drop(conn);
    let causes =
        [opt_out_finding(traffic), delivery_failure_finding(traffic), verdict.as_ref().and_then(broken_audit_finding)];
    let causes: Vec<SecurityFinding> = causes.into_iter().flatten().collect();
    if causes.is_empty() && verdict.is_none() {
        return Ok(0);
    }
    let mut tx = db.begin().await?;
    if let Some(verdict) = &verdict {
        audit::store_scheduled_verdict(&mut tx, org, verdict).await?;
    }
    let mut raised = 0;
    for cause in &causes {
        raised += usize::from(raise_alert(&mut tx, origin, public_url, org, cause).await?);
    }
    tx.commit().await?;
    Ok(raised)
}

fn opt_out_finding(traffic: MessageTraffic) -> Option<SecurityFinding> {
    traffic.is_opt_out_rate_high().then(|| SecurityFinding {
        alert: SecurityAlertId::StopRate,
        subject: "texts".to_owned(),
        title: "Many people say STOP".to_owned(),
        body: format!(
            "Of {} people who were texted in the last 24 hours, {} said STOP. They no longer get texts. Carriers block senders with many opt-outs.\n\nLook at what was sent and to whom: Settings shows each wording.",
            traffic.texted, traffic.stops
        ),
        also: Vec::new(),
    })
}

fn delivery_failure_finding(traffic: MessageTraffic) -> Option<SecurityFinding> {
    traffic.is_failure_rate_high().then(|| SecurityFinding {
        alert: SecurityAlertId::DeliveryFailures,
        subject: "messages".to_owned(),
        title: "Messages do not arrive".to_owned(),
        body: format!(
            "Of {} messages of the last 24 hours, {} did not arrive, or may not have.\n\nThe Control Panel in Settings says what the provider answers.",
            traffic.ended, traffic.lost
        ),
        also: Vec::new(),
    })
}

#[must_use]
pub fn broken_audit_finding(verdict: &AuditVerdict) -> Option<SecurityFinding> {
    let fault = verdict.fault.as_ref()?;
    Some(SecurityFinding {
        alert: SecurityAlertId::AuditBroken,
        subject: "chain".to_owned(),
        title: "The audit log was changed".to_owned(),
        body: format!(
            "{} Someone with access to the database did that; the program never does.\n\nKeep the emails with the seal of your audit log, and have the database copied before anything else is changed.",
            fault.to_message()
        ),
        also: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stops_are_high_from_five_and_one_in_twenty() {
        for (texted, stops, wanted) in
            [(0, 0, false), (4, 4, false), (5, 5, true), (100, 5, true), (101, 5, false), (120, 6, true), (0, 5, true)]
        {
            let traffic = MessageTraffic { texted, stops, ..MessageTraffic::default() };
            assert_eq!(traffic.is_opt_out_rate_high(), wanted, "{stops} of {texted}");
        }
    }

    #[test]
    fn losses_are_high_from_ten_and_one_in_five() {
        for (ended, lost, wanted) in
            [(0, 0, false), (9, 9, false), (10, 10, true), (50, 10, true), (51, 10, false), (60, 12, true)]
        {
            let traffic = MessageTraffic { ended, lost, ..MessageTraffic::default() };
            assert_eq!(traffic.is_failure_rate_high(), wanted, "{lost} of {ended}");
        }
    }
}
