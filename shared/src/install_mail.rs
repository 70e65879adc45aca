//! Mail of the install itself, about no business: to its operator, and to who has paid and has no account yet.
//!
//! Words about a business are messages ([`crate::message`]), which have a gate, a deadline and a place where their
//! owner sees them. These have none of it: they are few, plain, and sent until the mail server takes or refuses them.
//! Every try carries the same Message-ID, so one whose end nobody knows may be made again: a second copy harms nobody,
//! a lost request for a demo does.

use chrono::{DateTime, Duration, Utc};
use sqlx::FromRow;

use crate::{
    clock::Origin,
    db::{AsConn, Tx, q},
    error::Result,
    id::InstallMailId,
    tasks::{self, Kind, NewTask},
};

/// How long what was sent is kept.
const KEEP: Duration = Duration::days(90);

/// Words for one address.
#[derive(Clone, Copy, Debug)]
pub struct Mail<'a> {
    pub to: &'a str,
    pub subject: &'a str,
    pub body: &'a str,
    /// One cause and one receiver, one key.
    pub key: &'a str,
}

/// A mail that is still to be sent.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct Queued {
    pub id: InstallMailId,
    pub to_address: String,
    pub subject: String,
    pub body: String,
    pub created_at: DateTime<Utc>,
}

/// Stores a mail with the task that sends it. One whose key is there already is left as it is.
pub async fn queue(tx: &mut Tx, origin: &Origin, mail: &Mail<'_>) -> Result<()> {
    let (id, now) = (InstallMailId(origin.uuid()), origin.now());
    let stored = q!(
        &mut *tx,
        execute,
        "INSERT INTO install_mail (id, to_address, subject, body, dedupe_key, status, created_at)
         VALUES ($1, $2, $3, $4, $5, 'queued', $6) ON CONFLICT (dedupe_key) DO NOTHING",
        id,
        mail.to,
        mail.subject,
        mail.body,
        mail.key,
        now
    )?;
    if stored == 0 {
        return Ok(());
    }
    let task = NewTask {
        org: None,
        kind: Kind::SendInstallMail,
        subject: Some(id.0),
        run_at: now,
        unique_key: format!("install_mail:{id}"),
    };
    tasks::enqueue(tx, origin, vec![task]).await.map(|_| ())
}

/// The mail of this id, if it has neither been sent nor refused.
pub async fn queued(conn: &mut impl AsConn, id: InstallMailId) -> Result<Option<Queued>> {
    let sql = "SELECT id, to_address, subject, body, created_at FROM install_mail WHERE id = $1 AND status = 'queued'";
    Ok(q!(conn, fetch_optional as Queued, sql, id)?)
}

/// Notes how it ended: with a reason when the mail server will not have it.
pub async fn ended(tx: &mut Tx, origin: &Origin, id: InstallMailId, refused: Option<&str>) -> Result<()> {
    let status = if refused.is_some() { "failed" } else { "sent" };
    let sql = "UPDATE install_mail SET status = $2, reason = $3, ended_at = $4 WHERE id = $1 AND status = 'queued'";
    q!(tx, execute, sql, id, status, refused, origin.now())?;
    Ok(())
}

/// Removes what is long over.
pub async fn prune(tx: &mut Tx, now: DateTime<Utc>) -> Result<()> {
    q!(tx, execute, "DELETE FROM install_mail WHERE created_at < $1 AND status <> 'queued'", now - KEEP)?;
    Ok(())
}
