//! Wait for the texts to one number that a worker may be handing to the provider at this moment.
//!
//! No text leaves after [`wait_for_inflight`] has returned, whichever process sends: the opt-out is committed before
//! `wait_for_inflight` begins. A text that was in `list_inflight` then is waited for. A text that is claimed later is
//! checked again after its claim is committed (`recheck_policy`), sees the opt-out, and is withdrawn. A dead or stalled
//! process cannot prolong the wait: a provider call begins within [`PROVIDER_CALL_WITHIN`] of its last check and is
//! given up after [`PROVIDER_CALL_TIMEOUT`](crate::providers::sms::PROVIDER_CALL_TIMEOUT), so that it is over
//! [`INFLIGHT_TIMEOUT`] after the commit. Times are measured on the clock of the waiting process; no two clocks are
//! compared.

use std::time::{Duration, Instant};

use super::ClaimedMessage;
use crate::platform::{
    db::{AsConn, Db, q},
    error::Result,
    id::{MessageId, OrgId},
};

/// A provider call begins this soon after the last check, or the message is checked again.
pub const PROVIDER_CALL_WITHIN: Duration = Duration::from_millis(1_500);
/// Sum of both limits and a margin. Twilio waits 15 seconds for the response to a webhook.
pub const INFLIGHT_TIMEOUT: Duration = Duration::from_secs(12);
const LOOKS: std::ops::RangeInclusive<Duration> = Duration::from_millis(20)..=Duration::from_millis(250);

type InflightText = (MessageId, i64);

/// Waits until no text to `number` can leave any more. The caller has committed the opt-out.
pub async fn wait_for_inflight(db: &Db, org: OrgId, number: &str) -> Result<()> {
    let (begun, mut pause) = (Instant::now(), *LOOKS.start());
    let mut leaving = list_inflight(&mut db.acquire_reader().await?, org, number).await?;
    while !leaving.is_empty() && begun.elapsed() < INFLIGHT_TIMEOUT {
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(*LOOKS.end());
        let still = list_inflight(&mut db.acquire_reader().await?, org, number).await?;
        leaving.retain(|held| still.contains(held));
    }
    if !leaving.is_empty() {
        tracing::warn!(
            texts = leaving.len(),
            "a text was given up on while a STOP waited for it; no call is still open"
        );
    }
    Ok(())
}

async fn list_inflight(conn: &mut dyn AsConn, org: OrgId, number: &str) -> Result<Vec<InflightText>> {
    Ok(q!(
        conn,
        fetch_all as InflightText,
        "SELECT id, fence FROM message WHERE org_id = $1 AND to_address = $2 AND direction = 'out' AND channel = 'sms'
             AND status = 'sending'",
        org,
        number
    )?)
}

/// Whether another text to the same number may still be leaving: a STOP is confirmed after the last of them.
pub(super) async fn has_other_inflight(conn: &mut dyn AsConn, message: &ClaimedMessage) -> Result<bool> {
    let others = list_inflight(conn, message.org_id, message.to.as_str()).await?;
    Ok(others.iter().any(|(id, _)| *id != message.id))
}
