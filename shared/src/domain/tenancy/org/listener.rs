//! Events of a business that later domains act on, in the same transaction.

use chrono_tz::Tz;
use futures::future::BoxFuture;

use super::{Org, settings::PulseSettings};
use crate::platform::{
    clock::ClockRng,
    db::{AsConn, Handler, Tx},
    error::Result,
    id::OrgId,
};

#[derive(Clone, Copy, Debug)]
pub enum OrgEvent<'a> {
    Created(OrgId, Tz),
    /// Its days begin at other instants from now on.
    ZoneChanged(&'a Org),
    PulseChanged(&'a Org, &'a PulseSettings),
}

pub type OrgListener = for<'a> fn(&'a mut Tx, &'a ClockRng, OrgEvent<'a>) -> BoxFuture<'a, Result<()>>;

/// Found by [`AsConn::handlers`]; called in this order.
pub struct OrgListeners(pub &'static [OrgListener]);

impl Handler for OrgListeners {}

pub(super) async fn notify_org_listeners(tx: &mut Tx, origin: &ClockRng, event: OrgEvent<'_>) -> Result<()> {
    for listener in tx.handlers().find_handler::<OrgListeners>()?.0 {
        listener(&mut *tx, origin, event).await?;
    }
    Ok(())
}
