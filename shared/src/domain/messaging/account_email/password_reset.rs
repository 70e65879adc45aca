//! Email with the link that sets a new password.

use uuid::Uuid;

use crate::{
    documents::template::EmailPage,
    domain::{
        messaging::message::{MessageDraft, MessageKind, queue_messages, send::ClaimedMessage},
        tenancy::{
            account::{self, Account, TokenPurpose},
            org,
        },
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx},
        error::{Error, Result},
        id::MessageId,
        public_url::PublicUrl,
        secret::SecretKey,
    },
};

/// The page reads the token from the fragment.
const PATH: &str = "/reset-password#";

/// Mails a reset link. Earlier links stay valid, so that a request cannot void another person's; using one ends all.
pub async fn send_reset_mail(
    tx: &mut Tx,
    origin: &ClockRng,
    secret: &SecretKey,
    public_url: &PublicUrl,
    account: &Account,
) -> Result<()> {
    let org = org::find(&mut *tx, account.org_id).await?.ok_or(Error::NotFound)?;
    let id = account::create_reset_link(&mut *tx, origin, secret, account).await?;
    let address = public_url.join(&format!("{PATH}{}", token_placeholder(id)));
    let account::MailAddressee { greeting, business, .. } =
        account::load_mail_addressee(&mut *tx, account, &org).await?;
    let words = format!(
        "{greeting}\n\nSomeone, probably you, asked for a new password for your account at {business}. The link works once, for 30 \
         minutes.\n\nIf it was not you, ignore this email: your password stays as it is."
    );
    let body = format!("{words}\n\nChoose a new password: {address}");
    let mail = MessageDraft {
        subject: Some(account::RESET_SUBJECT.to_owned()),
        page: Some(EmailPage {
            text: Some(words),
            button: Some(("Choose a new password".to_owned(), address)),
            footer: "You get this email because someone asked for a new password with your address.".to_owned(),
            ..EmailPage::default()
        }),
        expires_at: Some(origin.now() + TokenPurpose::Reset.token_lifetime()),
        ..MessageDraft::new(
            MessageKind::AccountNotice,
            account.email.clone(),
            body,
            format!("password_reset:{id}:email"),
        )
    };
    queue_messages(tx, origin, org.id, &[mail.with_id(MessageId(id))]).await?;
    Ok(())
}

fn token_placeholder(id: Uuid) -> String {
    format!("[token {id}]")
}

/// Inserts the token into the outgoing mail; other messages are unchanged.
pub async fn fill_token_placeholder(
    conn: &mut dyn AsConn,
    secret: &SecretKey,
    message: &mut ClaimedMessage,
) -> Result<()> {
    if message.kind == MessageKind::AccountNotice && message.subject.as_deref() == Some(account::RESET_SUBJECT) {
        let id = message.id.0;
        let made = account::find_reset_token(conn, secret, message.org_id, (id, message.to.as_str())).await?;
        message.replace_placeholder(&token_placeholder(id), &made);
        // Sent by the install, not by a business with an arbitrary name.
        account::ACCOUNT_MAIL_SENDER.clone_into(&mut message.org_name);
    }
    Ok(())
}
