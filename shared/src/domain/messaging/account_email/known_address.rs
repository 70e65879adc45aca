//! Email to the holder of an address that is registered again.

use crate::{
    documents::template::EmailPage,
    domain::{
        messaging::message::{MessageDraft, MessageKind, queue_messages},
        tenancy::{
            account::{self, Account},
            org,
        },
    },
    platform::{
        clock::ClockRng,
        db::Tx,
        error::{Error, Result},
        id::MessageId,
        public_url::PublicUrl,
    },
};

/// Mails "You already have an account", at most once a day (UTC).
pub async fn notify_existing_account(
    tx: &mut Tx,
    origin: &ClockRng,
    public_url: &PublicUrl,
    account: &Account,
) -> Result<()> {
    let org = org::find(&mut *tx, account.org_id).await?.ok_or(Error::NotFound)?;
    let address = public_url.join("/login");
    let account::MailAddressee { greeting, business, .. } =
        account::load_mail_addressee(&mut *tx, account, &org).await?;
    let words = format!(
        "{greeting}\n\nSomeone, probably you, tried to register with this email address. You already have an account for {business}, so nothing was changed.\n\nIf it was not you, ignore this email."
    );
    let key = format!("account_known:{}:{}:email", account.id, origin.now().format("%Y-%m-%d"));
    let body = format!("{words}\n\nSign in: {address}");
    let notice = MessageDraft {
        subject: Some("You already have an account".to_owned()),
        page: Some(EmailPage {
            text: Some(words),
            button: Some(("Sign in".to_owned(), address)),
            footer: "You get this email because your address was used to register.".to_owned(),
            ..EmailPage::default()
        }),
        ..MessageDraft::new(MessageKind::AccountNotice, account.email.clone(), body, key)
    };
    queue_messages(tx, origin, org.id, &[notice.with_id(MessageId(origin.uuid_v7()))]).await?;
    Ok(())
}
