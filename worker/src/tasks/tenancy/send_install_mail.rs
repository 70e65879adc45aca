//! Sends a mail of the install until the mail server accepts or refuses it.

use shared::{
    domain::tenancy::install_mail,
    platform::{
        error::{Error, Result},
        id::InstallMailId,
    },
    providers::{SendError, mail::EmailMessage},
};

use crate::{Context, channel_check};

/// No effect when it was sent. With an unknown outcome it is sent again under the same Message-ID. Errors:
/// [`Error::Unavailable`] when the mail server does not answer, or not now, and while its key may still come: retried.
pub async fn run(context: &Context, id: InstallMailId) -> Result<()> {
    let mut conn = context.db.acquire_reader().await?;
    let Some(mail) = install_mail::find_queued(&mut conn, id).await? else { return Ok(()) };
    drop(conn);
    let awaits_key = mail.awaits_key(context.origin.now());
    let Some(mail) = mail.decrypt_content(&context.secret) else {
        if awaits_key {
            return Err(Error::Unavailable("a mail of the install does not open: was SECRET_KEY changed?".to_owned()));
        }
        tracing::warn!(mail = %id, "a mail of the install is sealed with a key that is not known");
        return record_outcome(context, id, Some(install_mail::LOST_KEY_REASON)).await;
    };
    let drawn = mail.render(&context.secret)?;
    let letter = EmailMessage {
        id: mail.id.0,
        date: mail.created_at,
        from_name: None,
        reply_to: None,
        to: &mail.to_address,
        subject: &mail.subject,
        text: &drawn.text,
        html: drawn.html.as_deref(),
        attachments: &[],
        unsubscribe: None,
        pictures: &[],
        is_automatic: true,
    };
    let refused = match context.mail.send(&letter).await {
        Ok(_) => None,
        Err(SendError::Refused { reason, .. }) => {
            tracing::warn!(mail = %id, reason, "a mail of the install was refused");
            Some(reason)
        }
        Err(e) => {
            channel_check::note_mail_failure(context, &e).await;
            return Err(Error::Unavailable(e.reason().to_owned()));
        }
    };
    record_outcome(context, id, refused.as_deref()).await
}

async fn record_outcome(context: &Context, id: InstallMailId, refused: Option<&str>) -> Result<()> {
    let mut tx = context.db.begin().await?;
    install_mail::record_outcome(&mut tx, &context.origin, id, refused).await?;
    tx.commit().await
}
