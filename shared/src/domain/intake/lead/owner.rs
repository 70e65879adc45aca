//! Lead owners: assigned by hand, or by the business's rule when a lead comes in.
//!
//! The rule tries the ZIP code, then rotation. A quarantined request takes no turn; it gets one on release. Leads of a
//! deactivated person keep that owner until reassigned, and the rule skips the person.

use serde_json::json;

use crate::{
    domain::tenancy::{
        activity_log::{self, ActivityActor, EventKind, NewEvent, OwnerChange},
        org::{LeadOwnerSettings, OrgContext},
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, q},
        error::{Error, FieldErrors, Result},
        id::{AccountId, LeadId, OrgId},
        sequence::{self, NumberSeries},
    },
};

/// Assigns a lead, or with None removes its owner. No change when the owner is the same.
///
/// # Errors
/// [`Error::NotFound`] when the org has no such lead; [`Error::Invalid`] on `ownerUserId` without such an active
/// person.
pub async fn assign_owner(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    lead: LeadId,
    to: Option<AccountId>,
    by: &ActivityActor,
) -> Result<()> {
    // Locks the row until the transaction ends, so that concurrent assignments run one after the other.
    let sql = "UPDATE lead SET stage = stage WHERE org_id = $1 AND id = $2 RETURNING owner_account_id";
    let stored_owner = q!(&mut *tx, fetch_optional scalar Option<AccountId>, sql, org, lead)?;
    let current_owner = stored_owner.ok_or(Error::NotFound)?;
    if current_owner == to {
        return Ok(());
    }
    let from = match current_owner {
        Some(owner) => find_owner_name(&mut *tx, org, owner).await?,
        None => None,
    };
    let next = match to {
        Some(owner) => list_active_accounts(&mut *tx, org).await?.into_iter().find(|(id, _)| *id == owner),
        None => None,
    };
    if to.is_some() && next.is_none() {
        let mut errors = FieldErrors::default();
        errors.add("ownerUserId", "Choose someone on your team who is active");
        return errors.into_result();
    }
    let detail = OwnerChange { from, to: next.map(|(_, name)| name), reason: None };
    store_owner(tx, origin, org, lead, to, by, detail).await
}

/// Assigns an unowned lead by the business's rule, if any. Call it late: the next request that takes a turn waits until
/// this transaction ends.
pub(crate) async fn assign_owner_by_rule(tx: &mut Tx, intake: &OrgContext<'_>, lead: LeadId, zip: &str) -> Result<()> {
    let (origin, org) = (intake.origin, intake.profile.org.id);
    let rule = &intake.profile.settings.lead_owners;
    if *rule == LeadOwnerSettings::default() {
        return Ok(());
    }
    let free = "SELECT EXISTS (SELECT 1 FROM lead WHERE org_id = $1 AND id = $2 AND owner_account_id IS NULL)";
    if !q!(&mut *tx, fetch_one scalar bool, free, org, lead)? {
        return Ok(());
    }
    let people = list_active_accounts(&mut *tx, org).await?;
    let is_active = |id: AccountId| people.iter().any(|(one, _)| *one == id);
    let in_turn = rule.active_rotation(is_active);
    let (owner, reason) = match rule.find_owner_by_zip(zip, is_active) {
        Some(owner) => (owner, "by ZIP code"),
        None if in_turn.is_empty() => return Ok(()),
        None => {
            (pick_round_robin(sequence::next_number(&mut *tx, org, NumberSeries::LeadTurn).await?, &in_turn), "by turn")
        }
    };
    let to = people.into_iter().find(|(id, _)| *id == owner).map(|(_, name)| name);
    let detail = OwnerChange { from: None, to, reason: Some(reason.to_owned()) };
    store_owner(tx, origin, org, lead, Some(owner), &ActivityActor::System, detail).await
}

/// The person for a request number; each number is used once, so everyone gets an equal share.
fn pick_round_robin(number: i64, people: &[AccountId]) -> AccountId {
    let count = i64::try_from(people.len()).unwrap_or(i64::MAX);
    let place = usize::try_from(number.rem_euclid(count)).unwrap_or_default();
    people[place]
}

async fn store_owner(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    lead: LeadId,
    to: Option<AccountId>,
    by: &ActivityActor,
    detail: OwnerChange,
) -> Result<()> {
    let sql = "UPDATE lead SET owner_account_id = $3 WHERE org_id = $1 AND id = $2";
    q!(&mut *tx, execute, sql, org, lead, to)?;
    let event =
        NewEvent { detail: json!(detail), ..NewEvent::new(lead, EventKind::OwnerChanged, origin.now(), by.clone()) };
    activity_log::record_event(tx, origin, org, event).await?;
    Ok(())
}

async fn list_active_accounts(conn: &mut dyn AsConn, org: OrgId) -> Result<Vec<(AccountId, String)>> {
    let sql = "SELECT id, name FROM account WHERE org_id = $1 AND is_active = TRUE ORDER BY id";
    Ok(q!(conn, fetch_all as (AccountId, String), sql, org)?)
}

pub(crate) async fn find_owner_name(conn: &mut dyn AsConn, org: OrgId, owner: AccountId) -> Result<Option<String>> {
    let sql = "SELECT name FROM account WHERE org_id = $1 AND id = $2";
    Ok(q!(conn, fetch_optional scalar String, sql, org, owner)?)
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn assignment_rotates_through_all_people_before_repeating() {
        let people = [1, 2, 3].map(|n| AccountId(Uuid::from_u128(n)));
        let six: Vec<AccountId> = (1001..1007).map(|number| pick_round_robin(number, &people)).collect();
        assert_eq!(six[..3], six[3..]);
        for person in people {
            assert_eq!(six[..3].iter().filter(|one| **one == person).count(), 1);
        }
        assert_eq!(pick_round_robin(1001, &people[..1]), people[0]);
    }
}
