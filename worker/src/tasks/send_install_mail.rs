//! Sends a mail of the install itself, until the mail server takes or refuses it.

use shared::{
    domain::tenancy::install_mail,
    platform::{
        error::{Error, Result},
        id::InstallMailId,
    },
    providers::{SendError, mail::Letter},
};

use crate::Context;

/// Harmless when it was sent. One whose end nobody knows is sent again, under the same Message-ID.
///
/// # Errors
/// [`Error::Unavailable`] when the mail server does not answer, or not now: it is tried again.
pub async fn run(context: &Context, id: InstallMailId) -> Result<()> {
    let mut conn = context.db.read().await?;
    let Some(mail) = install_mail::queued(&mut conn, id).await? else { return Ok(()) };
    drop(conn);
    let drawn = mail.rendered(&context.secret)?;
    let letter = Letter {
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
        Err(e) => return Err(Error::Unavailable(e.reason().to_owned())),
    };
    let mut tx = context.db.begin().await?;
    install_mail::ended(&mut tx, &context.origin, id, refused.as_deref()).await?;
    tx.commit().await
}
