//! Opt-outs of several numbers, for lists.

use std::collections::BTreeMap;

use super::store::OptOutState;
use crate::platform::{
    db::{AsConn, qb},
    error::Result,
    id::OrgId,
};

/// Why those of the numbers get no texts that get none.
pub(crate) async fn list_refused_numbers(
    conn: &mut dyn AsConn,
    org: OrgId,
    numbers: &[&str],
) -> Result<BTreeMap<String, &'static str>> {
    let mut refused = BTreeMap::new();
    for some in numbers.chunks(500) {
        let found = qb!(&mut *conn, fetch_all as (String, OptOutState), |b| {
            b.push("SELECT address, state FROM opt_out WHERE org_id = ").push_bind(org);
            b.push(" AND channel = 'sms' AND state <> 'lifted' AND address IN (");
            let mut list = b.separated(", ");
            for number in some {
                list.push_bind(*number);
            }
            b.push(")");
        })?;
        let with_reason = found.into_iter().filter_map(|(number, state)| Some((number, state.refusal_reason()?)));
        refused.extend(with_reason);
    }
    Ok(refused)
}
