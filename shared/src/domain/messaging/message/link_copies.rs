//! Link tokens per address: an answer through a link in a message proves the address that the message went to.

use super::send::ClaimedMessage;
use crate::platform::{
    access_link::copy::{self, LinkCopyChannel},
    clock::ClockRng,
    db::Tx,
    error::Result,
    recipient::Recipient,
    secret::SecretKey,
};

/// Replaces the tokens by those of the message's address, which have the same length.
pub async fn insert_recipient_links(
    tx: &mut Tx,
    origin: &ClockRng,
    secret: &SecretKey,
    message: &mut ClaimedMessage,
) -> Result<()> {
    if !message.kind.is_for_customers() || message.to.as_str().is_empty() {
        return Ok(());
    }
    let way = match message.to {
        Recipient::Phone(_) => LinkCopyChannel::Phone,
        Recipient::Email(_) => LinkCopyChannel::Email,
    };
    for old in copy::collect_tokens(message.text_parts_with_links()) {
        let to = (way, message.to.as_str());
        if let Some(new) = copy::exchange_token(&mut *tx, origin, secret, message.org_id, &old, to).await? {
            message.replace_placeholder(&old, &new);
        }
    }
    Ok(())
}
