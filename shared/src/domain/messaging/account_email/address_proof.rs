//! Email with the links that confirm an address, or remove what was registered with it (docs/trust-levels.md).

use uuid::Uuid;

use crate::{
    documents::template::EmailPage,
    domain::{
        messaging::message::{MessageDraft, MessageKind, queue_messages, send::ClaimedMessage},
        tenancy::account::{self, Account},
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx},
        error::Result,
        id::MessageId,
        public_url::PublicUrl,
        secret::SecretKey,
    },
};

/// The page reads the token from the fragment.
const PATH: &str = "/confirm-email#";
const DISOWN_PATH: &str = "/not-me#";
const NOT_ME: &str = "This was not me";

/// Mails the confirmation link. Earlier links stay valid.
pub async fn send_proof_mail(
    tx: &mut Tx,
    origin: &ClockRng,
    secret: &SecretKey,
    public_url: &PublicUrl,
    account: &Account,
) -> Result<()> {
    // Only a plain business name of the typed text is repeated: the sender may be a stranger.
    let business = account::load_safe_business_name(&mut *tx, account.org_id).await?;
    let words = format!(
        "This email address was used to register {business}. Please confirm that it is yours. The link works once, \
         for three days.\n\nIf you did not register it, use the second link: everything that was registered \
         with your address is removed. Until you confirm it, nothing is sent in its name."
    );
    mail_proof_links(tx, origin, (secret, public_url), account, words).await
}

/// The same when an unproven address is registered again: this may be the holder, and the earlier account a stranger's.
pub async fn resend_proof_mail(
    tx: &mut Tx,
    origin: &ClockRng,
    secret: &SecretKey,
    public_url: &PublicUrl,
    account: &Account,
) -> Result<()> {
    let business = account::load_safe_business_name(&mut *tx, account.org_id).await?;
    let words = format!(
        "Someone, probably you, tried to register with this email address. It was used before to register {business}, \
         and no one has confirmed it, so nothing new was made.\n\nIf that was you, confirm the address. The link works \
         once, for three days.\n\nIf it was not you, use the second link: everything that was registered with your \
         address is removed, and you can register again. Until you confirm it, nothing is sent in its name."
    );
    mail_proof_links(tx, origin, (secret, public_url), account, words).await
}

async fn mail_proof_links(
    tx: &mut Tx,
    origin: &ClockRng,
    (secret, public_url): (&SecretKey, &PublicUrl),
    account: &Account,
    words: String,
) -> Result<()> {
    let id = account::create_proof_link(&mut *tx, origin, secret, account).await?;
    let address = public_url.join(&format!("{PATH}{}", token_placeholder(id)));
    let disown = public_url.join(&format!("{DISOWN_PATH}{}", token_placeholder(id)));
    let body = format!("{words}\n\nConfirm your email address: {address}\n\n{NOT_ME}: {disown}");
    let mail = MessageDraft {
        subject: Some(account::PROOF_SUBJECT.to_owned()),
        page: Some(EmailPage {
            text: Some(words),
            button: Some((account::PROOF_SUBJECT.to_owned(), address)),
            other_button: Some((NOT_ME.to_owned(), disown)),
            footer: "You get this email because your address was used to register.".to_owned(),
            ..EmailPage::default()
        }),
        ..MessageDraft::new(
            MessageKind::AccountNotice,
            account.email.clone(),
            body,
            format!("address_proof:{id}:email"),
        )
    };
    queue_messages(tx, origin, account.org_id, &[mail.with_id(MessageId(id))]).await?;
    Ok(())
}

fn token_placeholder(id: Uuid) -> String {
    format!("[proof {id}]")
}

/// Inserts the token into the outgoing mail; other messages are unchanged.
pub async fn fill_token_placeholder(
    conn: &mut dyn AsConn,
    secret: &SecretKey,
    message: &mut ClaimedMessage,
) -> Result<()> {
    if message.kind == MessageKind::AccountNotice && message.subject.as_deref() == Some(account::PROOF_SUBJECT) {
        let id = message.id.0;
        let made = account::find_proof_token(conn, secret, message.org_id, (id, message.to.as_str())).await?;
        message.replace_placeholder(&token_placeholder(id), &made);
        // Sent by the install, not by a business with an arbitrary name.
        account::ACCOUNT_MAIL_SENDER.clone_into(&mut message.org_name);
    }
    Ok(())
}
