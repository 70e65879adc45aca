//! Assignment of a number by an operator on the command line, who names the business that has it now.

use super::{
    NumberAssignedBy, assign_number, find_holder, mark_install_sender_given,
    notice::{self, SenderNoticeContext},
    opt_out_scope,
    pool::{self, ServicePool},
};
use crate::{
    conflicts::ConflictCode,
    domain::tenancy::{
        audit::{self, AuditAction, AuditActor},
        org,
    },
    platform::{
        clock::ClockRng,
        db::Tx,
        error::{Error, Result},
        id::{DEMO_ORG, OrgId},
    },
};

/// A number and its businesses: the one that gets it, and the one that may lose it.
#[derive(Clone, Copy, Debug)]
pub struct NumberMove<'a> {
    /// E.164.
    pub number: &'a str,
    /// It is `TWILIO_FROM`: from now on no start assigns it.
    pub is_installs: bool,
    pub to: OrgId,
    pub from: Option<OrgId>,
}

/// Assigns the number, tells the owners, and records it in the audit logs. Needs a connection that sees all businesses.
///
/// # Errors
/// [`Error::Conflict`] when another business than `from` has the number, or it sends for the service that others share.
pub async fn assign_by_operator(
    tx: &mut Tx,
    origin: &ClockRng,
    wanted: NumberMove<'_>,
    (pool, install): (Option<&ServicePool<'_>>, SenderNoticeContext),
) -> Result<()> {
    let NumberMove { number, is_installs, to, from } = wanted;
    if to == DEMO_ORG {
        return Err(Error::DemoReadOnly);
    }
    // Before the locks, as at a registration.
    if is_installs {
        mark_install_sender_given(&mut *tx, origin, number).await?;
    }
    org::lock(&mut *tx, to).await?;
    opt_out_scope::lock_sender(&mut *tx, number).await?;
    let holder = find_holder(&mut *tx, number).await?.map(|holder| holder.org_id);
    if holder == Some(to) {
        return Ok(());
    }
    if holder.is_some() && holder != from {
        return Err(ConflictCode::SendingNumberTaken.into_error());
    }
    let concerned: Vec<OrgId> = std::iter::once(to).chain(holder).collect();
    let senders = notice::load_senders(&mut *tx, &concerned).await?;
    assign_number(&mut *tx, origin, to, number, (NumberAssignedBy::Operator, None)).await?;
    if let Some(pool) = pool {
        pool::require_unpooled_number(&mut *tx, to, number, pool).await?;
    }
    let nobody = AuditActor::default();
    audit::record(&mut *tx, origin, &nobody, to, AuditAction::NumberAssigned, Some(to.0)).await?;
    if let Some(former) = holder {
        audit::record(&mut *tx, origin, &nobody, former, AuditAction::NumberTakenAway, Some(former.0)).await?;
    }
    notice::notify_changed_senders(tx, origin, install, &senders).await
}
