//! Sender pool of the shared Messaging Service: Twilio sends the texts of every business that shares the service from
//! its numbers, so none of them can belong to one business while another shares it.

use super::opt_out_scope;
use crate::{
    conflicts::ConflictCode,
    platform::{
        db::{AsConn, Tx, q},
        error::{Error, Result},
        id::OrgId,
    },
};

/// As Twilio listed it before the transaction.
#[derive(Clone, Debug)]
pub struct ServicePool<'a> {
    pub service: &'a str,
    /// None when Twilio could not be read: any number may be in it.
    pub numbers: Option<Vec<String>>,
}

impl ServicePool<'_> {
    fn may_contain(&self, number: &str) -> bool {
        self.numbers.as_ref().is_none_or(|numbers| numbers.iter().any(|one| one == number))
    }

    fn refusal_error(&self, found: ConflictCode) -> Error {
        let code = if self.numbers.is_none() { ConflictCode::ServiceNumbersUnread } else { found };
        code.into_error()
    }
}

/// Call after the number was assigned, in the same transaction. The service is locked after the number, as for a STOP:
/// a business that joins it meanwhile sees the assignment.
///
/// # Errors
/// [`Error::Conflict`] when the number may be in the pool and another business shares the service.
pub async fn require_unpooled_number(tx: &mut Tx, org: OrgId, number: &str, pool: &ServicePool<'_>) -> Result<()> {
    opt_out_scope::lock_sender(&mut *tx, pool.service).await?;
    check_number_unpooled(tx, org, number, pool).await
}

/// Without a lock, before a code is sent. Errors: as [`require_unpooled_number`].
pub async fn check_number_unpooled(
    conn: &mut dyn AsConn,
    org: OrgId,
    number: &str,
    pool: &ServicePool<'_>,
) -> Result<()> {
    let sql = "SELECT EXISTS (SELECT 1 FROM sending_number WHERE sender = $1 AND kind = 'service' AND org_id <> $2)";
    if !pool.may_contain(number) || !q!(conn, fetch_one scalar bool, sql, pool.service, org)? {
        return Ok(());
    }
    Err(pool.refusal_error(ConflictCode::NumberInSharedService))
}

/// Call after the service was shared, in the same transaction.
///
/// # Errors
/// [`Error::Conflict`] when a number of one business may be in the pool and another business shares the service.
pub async fn require_unassigned_pool(tx: &mut Tx, pool: &ServicePool<'_>) -> Result<()> {
    let sql = "SELECT n.sender FROM sending_number n WHERE n.kind = 'number' AND EXISTS (SELECT 1 FROM sending_number s
             WHERE s.sender = $1 AND s.kind = 'service' AND s.org_id <> n.org_id)";
    let assigned = q!(tx, fetch_all scalar String, sql, pool.service)?;
    if assigned.iter().any(|number| pool.may_contain(number)) {
        return Err(pool.refusal_error(ConflictCode::ServiceNumberAssigned));
    }
    Ok(())
}
