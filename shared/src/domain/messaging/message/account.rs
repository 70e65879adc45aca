//! Texts that wait because the account at the provider did not work. One of them tries again after a while; a look at the
//! account that finds it at work lets all of them go at once.

use chrono::{DateTime, Duration, Utc};

use super::{Channel, settled, wakeup};
use crate::{
    platform::{
        clock::Origin,
        db::{AsConn, Db, Tx, q},
        error::Result,
        id::{LeadId, MessageId, OrgId},
        tasks,
    },
    providers::{
        Refusal,
        sms::codes::{self, Next},
    },
};

/// An account that does not work is tried again this much later, by one message.
pub(super) const BROKEN_FOR: Duration = Duration::minutes(15);
/// So many texts are released in one transaction: other writers wait for one slice at most.
const SLICE: usize = 20;
/// Why a text that was not tried waits.
pub(super) const PAUSED: &str = "the provider takes no texts from us at the moment";
/// The pause in `channel_pause`: the gate knows it by its name behind that of the channel.
const PAUSE: &str = "sms_account";
/// Until when none is ended early: an account that looks well and refuses each text would be asked in a circle.
const ENDED: &str = "sms_account_ended";

const SET: &str = "INSERT INTO channel_pause (channel, until) VALUES ($1, $2)
     ON CONFLICT (channel) DO UPDATE SET until = excluded.until WHERE channel_pause.until < excluded.until";

/// A text that waits: its business, its id, its lead, and why.
type Waiting = (OrgId, MessageId, Option<LeadId>, Option<String>);

/// Until when texts wait for the account; none while it works.
pub async fn paused_until(conn: &mut dyn AsConn, now: DateTime<Utc>) -> Result<Option<DateTime<Utc>>> {
    until(conn, PAUSE, now).await
}

/// Whether a look at the account could end a pause now.
pub async fn may_end(conn: &mut dyn AsConn, now: DateTime<Utc>) -> Result<bool> {
    Ok(until(&mut *conn, PAUSE, now).await?.is_some() && until(conn, ENDED, now).await?.is_none())
}

async fn until(conn: &mut dyn AsConn, name: &str, now: DateTime<Utc>) -> Result<Option<DateTime<Utc>>> {
    let sql = "SELECT until FROM channel_pause WHERE channel = $1 AND until > $2";
    Ok(q!(conn, fetch_optional scalar DateTime<Utc>, sql, name, now)?)
}

/// Nobody sends texts through the account before `until`.
pub(super) async fn pause(tx: &mut Tx, until: DateTime<Utc>) -> Result<()> {
    q!(tx, execute, SET, PAUSE, until)?;
    Ok(())
}

/// The account works: what waited for it goes. Returns how many texts do. Should this process die on the way, the rest
/// goes when its own wait is over.
pub async fn works_again(db: &Db, origin: &Origin) -> Result<usize> {
    let mut tx = db.begin().await?;
    if q!(&mut tx, execute, "DELETE FROM channel_pause WHERE channel = $1", PAUSE)? == 0 {
        return Ok(0);
    }
    q!(&mut tx, execute, SET, ENDED, origin.now() + BROKEN_FOR)?;
    tx.commit().await?;
    let waiting = waiting(&mut db.read().await?).await?;
    for slice in waiting.chunks(SLICE) {
        let mut tx = db.begin().await?;
        for one in slice {
            release(&mut tx, origin, one).await?;
        }
        tx.commit().await?;
    }
    Ok(waiting.len())
}

/// The texts of all businesses that are held because of the account. The three states are those of the partial index.
async fn waiting(conn: &mut dyn AsConn) -> Result<Vec<Waiting>> {
    let sql = "SELECT m.org_id, m.id, m.lead_id, m.reason FROM message m
        WHERE m.status IN ('queued', 'sending', 'held') AND m.status = 'held' AND m.channel = 'sms'
        ORDER BY m.next_attempt_at, m.id";
    let mut held = q!(conn, fetch_all as Waiting, sql)?;
    held.retain(|(.., reason)| reason.as_deref().is_some_and(is_of_account));
    Ok(held)
}

/// Whether a text is held for these words because of the account.
fn is_of_account(reason: &str) -> bool {
    let mut broken = codes::ROWS.iter().filter(|row| row.next == Next::Never(Refusal::ChannelBroken));
    reason == PAUSED || broken.any(|row| row.words == reason)
}

async fn release(tx: &mut Tx, origin: &Origin, (org, id, lead, _): &Waiting) -> Result<()> {
    let now = origin.now();
    let sql = "UPDATE message SET status = 'queued', reason = NULL, next_attempt_at = $3, fence = fence + 1
        WHERE org_id = $1 AND id = $2 AND status = 'held'";
    if q!(&mut *tx, execute, sql, *org, *id, now)? == 0 {
        return Ok(());
    }
    let turn = format!("account:{}", origin.uuid());
    tasks::enqueue(tx, origin, vec![wakeup(*org, *id, Channel::Sms, now, &turn)]).await?;
    settled(tx, origin, *org, *lead, *id).await
}
