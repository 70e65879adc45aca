//! Links in a message that is about to leave get tokens of their own for its address: who answers through one has proven it.

use super::{Channel, send::Outgoing};
use crate::platform::{
    access_link::copy::{self, Way},
    clock::Origin,
    db::Tx,
    error::Result,
    secret::SecretKey,
};

/// Gives the links in a message the tokens of its address. They are as long as the ones they replace.
pub async fn put_in(tx: &mut Tx, origin: &Origin, secret: &SecretKey, message: &mut Outgoing) -> Result<()> {
    if !message.kind.is_for_customers() || message.to_address.is_empty() {
        return Ok(());
    }
    let way = match message.channel {
        Channel::Sms => Way::Phone,
        Channel::Email => Way::Email,
    };
    for old in copy::tokens_of(message.words()) {
        let to = (way, message.to_address.as_str());
        if let Some(new) = copy::exchange(&mut *tx, origin, secret, message.org_id, &old, to).await? {
            message.put_in(&old, &new);
        }
    }
    Ok(())
}
