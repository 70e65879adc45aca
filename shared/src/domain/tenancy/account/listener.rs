//! Ends of access that later domains act on, in the same transaction.

use futures::future::BoxFuture;

use crate::platform::{
    clock::ClockRng,
    db::{AsConn, Handler, Tx},
    error::Result,
    id::{CrewId, OrgId},
};

#[derive(Clone, Copy, Debug)]
pub enum AccessEvent<'a> {
    /// A member left these crews.
    CrewsLeft(&'a [CrewId]),
    /// First proof of the business's address: links of earlier holders end.
    FirstProof,
    /// The first prover was not signed in: what waits to be sent may be a stranger's.
    StrangerSuspected { reason: &'a str },
}

pub type AccessListener = for<'a> fn(&'a mut Tx, &'a ClockRng, OrgId, AccessEvent<'a>) -> BoxFuture<'a, Result<()>>;

/// Found by [`AsConn::handlers`]; called in this order.
pub struct AccessListeners(pub &'static [AccessListener]);

impl Handler for AccessListeners {}

pub(super) async fn notify_access_listeners(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    event: AccessEvent<'_>,
) -> Result<()> {
    for listener in tx.handlers().find_handler::<AccessListeners>()?.0 {
        listener(&mut *tx, origin, org, event).await?;
    }
    Ok(())
}
