//! Checks of the install's own accounts at providers while one of them does not send.

use shared::{
    domain::messaging::message::{
        MessageChannel,
        provider_trouble::{self, ProviderTrouble, TroubleCause},
    },
    platform::error::Result,
    providers::{RefusalReason, SendError, sms::SmsAccountState},
};

use crate::Context;

/// Runs each minute: ends or renews the troubles that are due for a check, and reports the rest to the operators.
/// Errors: when the database is away.
pub async fn check_channels(context: &Context) -> Result<()> {
    let troubles = provider_trouble::list_troubles(&mut context.db.acquire_reader().await?).await?;
    let now = context.origin.now();
    for trouble in troubles.iter().filter(|trouble| trouble.check_at <= now) {
        check_channel(context, *trouble).await?;
    }
    let left = provider_trouble::list_troubles(&mut context.db.acquire_reader().await?).await?;
    provider_trouble::report_troubles(&context.db, &context.origin, (&context.secret, &context.operators), &left).await
}

async fn check_channel(context: &Context, trouble: ProviderTrouble) -> Result<()> {
    let ProviderTrouble { channel, cause, .. } = trouble;
    let failure = match channel {
        MessageChannel::Sms => find_sms_failure(context).await,
        MessageChannel::Email => {
            let error = Box::pin(context.mail.check_connection()).await.err();
            error.map(|e| (TroubleCause::from_check_error(channel, &e), e.reason().to_owned()))
        }
    };
    let now = context.origin.now();
    let mut tx = context.db.begin().await?;
    let Some((found, why)) = failure else {
        provider_trouble::end_trouble(&mut tx, now, (channel, cause)).await?;
        return tx.commit().await;
    };
    provider_trouble::record_trouble(&mut tx, now, (channel, found), &why).await?;
    tx.commit().await?;
    if found == cause {
        return Ok(());
    }
    // Apart from the other: no transaction holds two of the rows that all share.
    let mut tx = context.db.begin().await?;
    provider_trouble::drop_replaced_trouble(&mut tx, (channel, cause)).await?;
    tx.commit().await
}

async fn find_sms_failure(context: &Context) -> Option<(TroubleCause, String)> {
    if !context.sms.is_set_up() {
        return None;
    }
    match context.sms.fetch_account().await {
        Ok(account) if matches!(account.state, SmsAccountState::Active | SmsAccountState::NotTold) => None,
        Ok(_) => Some((TroubleCause::Account, "the account at Twilio is not active".to_owned())),
        Err(e) => Some((TroubleCause::from_check_error(MessageChannel::Sms, &e), e.reason().to_owned())),
    }
}

/// A mail did not leave: where the mail server takes no connection either, the trouble is recorded.
pub async fn note_mail_failure(context: &Context, error: &SendError) {
    let is_about_server =
        matches!(error, SendError::Retry { .. } | SendError::Refused { kind: RefusalReason::ChannelBroken, .. });
    if !is_about_server {
        return;
    }
    if let Err(e) = record_mail_trouble(context).await {
        tracing::warn!(error = %e, "could not record that the mail server fails");
    }
}

async fn record_mail_trouble(context: &Context) -> Result<()> {
    let known = provider_trouble::list_troubles(&mut context.db.acquire_reader().await?).await?;
    if known.iter().any(|trouble| trouble.channel == MessageChannel::Email) {
        return Ok(());
    }
    let Err(error) = Box::pin(context.mail.check_connection()).await else { return Ok(()) };
    let trouble = (MessageChannel::Email, TroubleCause::from_check_error(MessageChannel::Email, &error));
    let mut tx = context.db.begin().await?;
    provider_trouble::record_trouble(&mut tx, context.origin.now(), trouble, error.reason()).await?;
    tx.commit().await
}
