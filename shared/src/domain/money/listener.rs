//! Events of a lead's money that later domains act on, in the same transaction.

use futures::future::BoxFuture;

use crate::platform::{
    clock::ClockRng,
    db::{AsConn, Handler, Tx},
    error::Result,
    id::{LeadId, OrgId},
};

#[derive(Clone, Copy, Debug)]
pub enum LeadMoneyEvent {
    /// Nothing is owed any more.
    Paid(LeadId),
    /// The customer disputes an invoice.
    Disputed(LeadId),
}

pub type LeadMoneyListener = for<'a> fn(&'a mut Tx, &'a ClockRng, OrgId, LeadMoneyEvent) -> BoxFuture<'a, Result<()>>;

/// Found by [`AsConn::handlers`]; called in this order.
pub struct LeadMoneyListeners(pub &'static [LeadMoneyListener]);

impl Handler for LeadMoneyListeners {}

pub(super) async fn notify_money_listeners(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    event: LeadMoneyEvent,
) -> Result<()> {
    for listener in tx.handlers().find_handler::<LeadMoneyListeners>()?.0 {
        listener(&mut *tx, origin, org, event).await?;
    }
    Ok(())
}
