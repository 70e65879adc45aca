//! Events of a customer that later domains act on, in the same transaction.

use futures::future::BoxFuture;

use crate::platform::{
    clock::ClockRng,
    db::{AsConn, Handler, Tx},
    error::Result,
    id::{CustomerId, OrgId},
};

#[derive(Clone, Copy, Debug)]
pub enum CustomerEvent<'a> {
    /// They wrote from an address that is theirs.
    Replied(CustomerId),
    /// Their record was edited.
    Changed(CustomerId),
    /// This phone number takes no more texts.
    OptedOut(&'a str),
}

pub type CustomerListener = for<'a> fn(&'a mut Tx, &'a ClockRng, OrgId, CustomerEvent<'a>) -> BoxFuture<'a, Result<()>>;

/// Found by [`AsConn::handlers`]; called in this order.
pub struct CustomerListeners(pub &'static [CustomerListener]);

impl Handler for CustomerListeners {}

pub(crate) async fn notify_customer_listeners(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    event: CustomerEvent<'_>,
) -> Result<()> {
    for listener in tx.handlers().find_handler::<CustomerListeners>()?.0 {
        listener(&mut *tx, origin, org, event).await?;
    }
    Ok(())
}
