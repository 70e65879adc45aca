//! Texts that wait because the provider account did not work. One of them is retried at intervals; all are released
//! when a check finds the account working.

use chrono::{DateTime, Duration, Utc};

use super::{
    MessageChannel, build_send_task,
    provider_trouble::{self, TroubleCause},
    refresh_after_change,
};
use crate::{
    platform::{
        clock::ClockRng,
        db::{AsConn, Db, Tx, q},
        error::Result,
        id::{LeadId, MessageId, OrgId},
        tasks::{self, TaskKind},
    },
    providers::{
        RefusalReason,
        sms::codes::{self, TwilioErrorAction},
    },
};

/// Retry interval of an account that does not work, by one message.
pub(super) const ACCOUNT_RETRY_AFTER: Duration = Duration::minutes(15);
/// Texts released in one transaction: other writers wait for one slice at most.
const SLICE: usize = 20;
pub(super) const PROVIDER_PAUSED: &str = "the provider takes no texts from us at the moment";
/// Key in `channel_pause`: the channel name with a suffix, as the send policy expects it.
const PAUSE: &str = "sms_account";
/// No early end of a pause until then: an account that looks well but refuses each text would be checked in a loop.
const ENDED: &str = "sms_account_ended";

const SET: &str = "INSERT INTO channel_pause (channel, until) VALUES ($1, $2)
     ON CONFLICT (channel) DO UPDATE SET until = excluded.until WHERE channel_pause.until < excluded.until";

type AccountHeldText = (OrgId, MessageId, Option<LeadId>, Option<String>);

pub async fn account_paused_until(conn: &mut dyn AsConn, now: DateTime<Utc>) -> Result<Option<DateTime<Utc>>> {
    load_pause_until(conn, PAUSE, now).await
}

pub async fn can_end_pause(conn: &mut dyn AsConn, now: DateTime<Utc>) -> Result<bool> {
    Ok(load_pause_until(&mut *conn, PAUSE, now).await?.is_some() && load_pause_until(conn, ENDED, now).await?.is_none())
}

async fn load_pause_until(conn: &mut dyn AsConn, name: &str, now: DateTime<Utc>) -> Result<Option<DateTime<Utc>>> {
    let sql = "SELECT until FROM channel_pause WHERE channel = $1 AND until > $2";
    Ok(q!(conn, fetch_optional scalar DateTime<Utc>, sql, name, now)?)
}

pub(super) async fn pause_account(tx: &mut Tx, until: DateTime<Utc>) -> Result<()> {
    q!(tx, execute, SET, PAUSE, until)?;
    Ok(())
}

/// The account works: releases the waiting texts and returns their number. If this process dies meanwhile, the rest
/// leaves when its own wait is over.
pub async fn resume_account(db: &Db, origin: &ClockRng) -> Result<usize> {
    let mut tx = db.begin().await?;
    if q!(&mut tx, execute, "DELETE FROM channel_pause WHERE channel = $1", PAUSE)? == 0 {
        return Ok(0);
    }
    let now = origin.now();
    q!(&mut tx, execute, SET, ENDED, now + ACCOUNT_RETRY_AFTER)?;
    // As in a refusal, the rows of troubles come after those of pauses.
    for cause in [TroubleCause::Account, TroubleCause::Credentials] {
        provider_trouble::end_trouble(&mut tx, now, (MessageChannel::Sms, cause)).await?;
    }
    tx.commit().await?;
    let waiting = list_account_held_texts(&mut db.acquire_reader().await?).await?;
    for slice in waiting.chunks(SLICE) {
        let mut tx = db.begin().await?;
        for one in slice {
            release_text(&mut tx, origin, one).await?;
        }
        tx.commit().await?;
    }
    Ok(waiting.len())
}

/// Texts of all businesses that are held because of the account. The three states are those of the partial index.
async fn list_account_held_texts(conn: &mut dyn AsConn) -> Result<Vec<AccountHeldText>> {
    let sql = "SELECT m.org_id, m.id, m.lead_id, m.reason FROM message m
        WHERE m.status IN ('queued', 'sending', 'held') AND m.status = 'held' AND m.channel = 'sms'
        ORDER BY m.next_attempt_at, m.id";
    let mut held = q!(conn, fetch_all as AccountHeldText, sql)?;
    held.retain(|(.., reason)| reason.as_deref().is_some_and(is_account_reason));
    Ok(held)
}

fn is_account_reason(reason: &str) -> bool {
    let mut broken = codes::TWILIO_ERROR_CODES
        .iter()
        .filter(|row| row.next == TwilioErrorAction::Never(RefusalReason::ChannelBroken));
    reason == PROVIDER_PAUSED || broken.any(|row| row.words == reason)
}

async fn release_text(tx: &mut Tx, origin: &ClockRng, (org, id, lead, _): &AccountHeldText) -> Result<()> {
    let now = origin.now();
    let sql = "UPDATE message SET status = 'queued', reason = NULL, next_attempt_at = $3, fence = fence + 1
        WHERE org_id = $1 AND id = $2 AND status = 'held'";
    if q!(&mut *tx, execute, sql, *org, *id, now)? == 0 {
        return Ok(());
    }
    let turn = format!("account:{}", origin.uuid_v7());
    tasks::enqueue(tx, origin, vec![build_send_task(*org, *id, TaskKind::SendMessage, now, &turn)]).await?;
    refresh_after_change(tx, origin, *org, *lead, *id).await
}
