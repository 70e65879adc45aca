//! Texts to one number that a worker may be handing to the provider at this moment, and the wait for their end.
//!
//! Why no text leaves after [`wait`] has returned, whichever process sends: the opt-out is committed before `wait`
//! begins. A text that was in `sending` then is waited for. A text that is claimed later is looked at once more after
//! its claim is committed (`last_look`), sees the opt-out, and is withdrawn. A process that died or stands still cannot
//! hold the wait up: a provider call begins within [`CALL_BEGINS_WITHIN`] of its last look and is given up after
//! [`CALL_ENDS_WITHIN`](crate::providers::sms::CALL_ENDS_WITHIN), so that it is over [`NONE_LEAVES_AFTER`] the commit. Times are measured on the waiting
//! process's own clock; no two clocks are compared.

use std::time::{Duration, Instant};

use super::Outgoing;
use crate::platform::{
    db::{AsConn, Db, q},
    error::Result,
    id::{MessageId, OrgId},
};

/// A provider call begins this soon after the last look, or the message is looked at again.
pub const CALL_BEGINS_WITHIN: Duration = Duration::from_millis(1_500);
/// Both, and a moment more. Twilio waits 15 seconds for the answer to a webhook.
pub const NONE_LEAVES_AFTER: Duration = Duration::from_secs(12);
/// How often the wait looks.
const LOOKS: std::ops::RangeInclusive<Duration> = Duration::from_millis(20)..=Duration::from_millis(250);

type Held = (MessageId, i64);

/// Waits until no text to `number` can leave any more. The caller has committed the opt-out.
pub async fn wait(db: &Db, org: OrgId, number: &str) -> Result<()> {
    let (begun, mut pause) = (Instant::now(), *LOOKS.start());
    let mut leaving = sending(&mut db.read().await?, org, number).await?;
    while !leaving.is_empty() && begun.elapsed() < NONE_LEAVES_AFTER {
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(*LOOKS.end());
        let still = sending(&mut db.read().await?, org, number).await?;
        leaving.retain(|held| still.contains(held));
    }
    if !leaving.is_empty() {
        tracing::warn!(
            texts = leaving.len(),
            "a text was given up on while a STOP waited for it; no call is open any more"
        );
    }
    Ok(())
}

async fn sending(conn: &mut dyn AsConn, org: OrgId, number: &str) -> Result<Vec<Held>> {
    Ok(q!(
        conn,
        fetch_all as Held,
        "SELECT id, fence FROM message WHERE org_id = $1 AND to_address = $2 AND direction = 'out' AND channel = 'sms'
             AND status = 'sending'",
        org,
        number
    )?)
}

/// Whether another text to the same number may still be leaving: a STOP is confirmed after the last of them.
pub(super) async fn is_another(conn: &mut dyn AsConn, message: &Outgoing) -> Result<bool> {
    let others = sending(conn, message.org_id, &message.to_address).await?;
    Ok(others.iter().any(|(id, _)| *id != message.id))
}
