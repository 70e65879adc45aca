//! What the worker looks at by the clock: how many say STOP, how many messages do not arrive, and whether the audit log
//! is what it was.

use chrono::{DateTime, Duration, Utc};
use sqlx::FromRow;

use super::{Alert, Cause, raise};
use crate::{
    domain::tenancy::audit::verify::{self, Verdict},
    platform::{
        clock::Origin,
        db::{AsConn, Db, q},
        error::Result,
        id::{DEMO_ORG, OrgId},
        live,
        public_url::PublicUrl,
        secret::SecretKey,
    },
};

/// The span that is looked at.
const LATELY: Duration = Duration::days(1);
/// Fewer than these are chance.
const FEWEST_STOPS: i64 = 5;
const FEWEST_LOST: i64 = 10;
/// One in so many.
const STOPS_IN: i64 = 20;
const LOST_IN: i64 = 5;
/// Businesses take turns within the hour.
const TURNS: u8 = 60;

/// What has happened to a business's messages lately.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromRow)]
pub struct Traffic {
    /// People who were texted.
    pub texted: i64,
    /// People who said STOP.
    pub stops: i64,
    /// Messages that ended.
    pub ended: i64,
    /// Of these, those that did not arrive or may not have.
    pub lost: i64,
}

impl Traffic {
    /// Carriers look at the share of people who opt out; so do we, before they do.
    #[must_use]
    pub fn has_many_stops(self) -> bool {
        self.stops >= FEWEST_STOPS && self.stops * STOPS_IN >= self.texted
    }

    #[must_use]
    pub fn has_many_losses(self) -> bool {
        self.lost >= FEWEST_LOST && self.lost * LOST_IN >= self.ended
    }
}

/// The messages of the last 24 hours.
pub async fn traffic(conn: &mut dyn AsConn, org: OrgId, now: DateTime<Utc>) -> Result<Traffic> {
    let since = now - LATELY;
    Ok(q!(
        conn,
        fetch_one as Traffic,
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
        // Ids sort by time, and messages of one org are found by them.
        live::floor(since),
        since
    )?)
}

/// Looks at every business whose turn within the hour it is. Returns how many alerts were raised.
pub async fn look(db: &Db, origin: &Origin, secret: &SecretKey, public_url: &PublicUrl) -> Result<usize> {
    let minute = u8::try_from(origin.now().timestamp() / 60 % i64::from(TURNS)).unwrap_or_default();
    let orgs = q!(&mut db.read().await?, fetch_all scalar OrgId, "SELECT id FROM org WHERE id <> $1", DEMO_ORG)?;
    let mut raised = 0;
    for org in orgs.into_iter().filter(|org| org.0.as_bytes()[15] % TURNS == minute) {
        raised += look_at(db, origin, secret, public_url, org).await?;
    }
    Ok(raised)
}

/// Looks at one business. Returns how many alerts were raised.
pub async fn look_at(
    db: &Db,
    origin: &Origin,
    secret: &SecretKey,
    public_url: &PublicUrl,
    org: OrgId,
) -> Result<usize> {
    let mut conn = db.read().await?;
    let traffic = traffic(&mut conn, org, origin.now()).await?;
    let is_due = is_check_due(&mut conn, org, origin.now()).await?;
    let verdict = if is_due { Some(verify::verify(&mut conn, secret, org, None, origin.now()).await?) } else { None };
    drop(conn);
    let causes = [stops(traffic), losses(traffic), verdict.as_ref().and_then(broken)];
    let causes: Vec<Cause> = causes.into_iter().flatten().collect();
    if causes.is_empty() && verdict.is_none() {
        return Ok(0);
    }
    let mut tx = db.begin().await?;
    if let Some(verdict) = &verdict {
        verify::keep_watched(&mut tx, org, verdict).await?;
    }
    let mut raised = 0;
    for cause in &causes {
        raised += usize::from(raise(&mut tx, origin, public_url, org, cause).await?);
    }
    tx.commit().await?;
    Ok(raised)
}

/// The whole log is read, so once a day must do. What people have looked through meanwhile does not count: whoever does
/// so each day would keep the program from ever looking.
pub(crate) async fn is_check_due(conn: &mut dyn AsConn, org: OrgId, now: DateTime<Utc>) -> Result<bool> {
    let sql = "SELECT watched_at FROM audit_check WHERE org_id = $1";
    let last = q!(conn, fetch_optional scalar Option<DateTime<Utc>>, sql, org)?.flatten();
    // An hour less than a day: the turn comes once an hour, and must not slip by one each day.
    Ok(last.is_none_or(|at| now - at >= LATELY - Duration::hours(1)))
}

fn stops(traffic: Traffic) -> Option<Cause> {
    traffic.has_many_stops().then(|| Cause {
        alert: Alert::StopRate,
        subject: "texts".to_owned(),
        title: "Many people say STOP".to_owned(),
        body: format!(
            "Of {} people who were texted in the last 24 hours, {} said STOP. They are not texted any more. Carriers block senders with many opt-outs.\n\nLook at what was sent and to whom: Settings shows each wording.",
            traffic.texted, traffic.stops
        ),
        also: Vec::new(),
    })
}

fn losses(traffic: Traffic) -> Option<Cause> {
    traffic.has_many_losses().then(|| Cause {
        alert: Alert::DeliveryFailures,
        subject: "messages".to_owned(),
        title: "Messages do not arrive".to_owned(),
        body: format!(
            "Of {} messages of the last 24 hours, {} did not arrive, or may not have.\n\nThe Control Panel in Settings says what the provider answers.",
            traffic.ended, traffic.lost
        ),
        also: Vec::new(),
    })
}

/// What is told when a log is not what it was; none when it is.
#[must_use]
pub fn broken(verdict: &Verdict) -> Option<Cause> {
    let fault = verdict.fault.as_ref()?;
    Some(Cause {
        alert: Alert::AuditBroken,
        subject: "chain".to_owned(),
        title: "The audit log was changed".to_owned(),
        body: format!(
            "{} Somebody with access to the database did that; the program never does.\n\nKeep the mails with the seal of your audit log, and have a copy of the database made before anything else is changed.",
            fault.said()
        ),
        also: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stops_are_many_from_five_and_one_in_twenty_on() {
        for (texted, stops, wanted) in
            [(0, 0, false), (4, 4, false), (5, 5, true), (100, 5, true), (101, 5, false), (120, 6, true), (0, 5, true)]
        {
            let traffic = Traffic { texted, stops, ..Traffic::default() };
            assert_eq!(traffic.has_many_stops(), wanted, "{stops} of {texted}");
        }
    }

    #[test]
    fn losses_are_many_from_ten_and_one_in_five_on() {
        for (ended, lost, wanted) in
            [(0, 0, false), (9, 9, false), (10, 10, true), (50, 10, true), (51, 10, false), (60, 12, true)]
        {
            let traffic = Traffic { ended, lost, ..Traffic::default() };
            assert_eq!(traffic.has_many_losses(), wanted, "{lost} of {ended}");
        }
    }
}
