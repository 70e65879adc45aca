//! Whose a lead is: given to somebody by hand, or by the business's rule when it comes in.
//!
//! The rule asks the ZIP code first, then whose turn it is. A request that is held uses up no turn: it gets an owner when
//! it is let through. Who is let go keeps the leads that were theirs, under their name, until somebody gives them to
//! another; the rule passes them over from then on.

use serde_json::json;

use super::Intake;
use crate::{
    domain::{
        tenancy::org::settings::LeadOwners,
        work::activity::{self, Doer, EventKind, NewEvent},
    },
    platform::{
        clock::Origin,
        db::{AsConn, Tx, q},
        error::{Error, FieldErrors, Result},
        id::{AccountId, LeadId, OrgId},
        sequence::{self, Series},
    },
};

/// Gives a lead to somebody of the business, or with None to nobody. Their own already, it stays as it is.
///
/// # Errors
/// [`Error::NotFound`] when the org has no such lead; [`Error::Invalid`] on `ownerUserId` when nobody who is active has
/// that id.
pub async fn give(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    lead: LeadId,
    to: Option<AccountId>,
    by: &Doer,
) -> Result<()> {
    // Its row is held until the transaction ends, so that two who give it away at once do so one after the other.
    let sql = "UPDATE lead SET stage = stage WHERE org_id = $1 AND id = $2 RETURNING owner_account_id";
    let held = q!(&mut *tx, fetch_optional scalar Option<AccountId>, sql, org, lead)?;
    let stands = held.ok_or(Error::NotFound)?;
    if stands == to {
        return Ok(());
    }
    let from = match stands {
        Some(owner) => name(&mut *tx, org, owner).await?,
        None => None,
    };
    let next = match to {
        Some(owner) => active(&mut *tx, org).await?.into_iter().find(|(id, _)| *id == owner),
        None => None,
    };
    if to.is_some() && next.is_none() {
        let mut errors = FieldErrors::default();
        errors.add("ownerUserId", "Choose somebody of your team who is active");
        return errors.finish();
    }
    let detail = json!({"from": from, "to": next.as_ref().map(|(_, name)| name)});
    put(tx, origin, org, lead, to, by, detail).await
}

/// Gives a lead that nobody owns to whom the business's rule says, if it has one. Call it late: the next request that
/// takes a turn waits until this transaction ends.
pub(super) async fn by_rule(tx: &mut Tx, intake: &Intake<'_>, lead: LeadId, zip: &str) -> Result<()> {
    let (origin, org) = (intake.origin, intake.profile.org.id);
    let rule = &intake.profile.settings.lead_owners;
    if *rule == LeadOwners::default() {
        return Ok(());
    }
    let free = "SELECT EXISTS (SELECT 1 FROM lead WHERE org_id = $1 AND id = $2 AND owner_account_id IS NULL)";
    if !q!(&mut *tx, fetch_one scalar bool, free, org, lead)? {
        return Ok(());
    }
    let people = active(&mut *tx, org).await?;
    let is_active = |id: AccountId| people.iter().any(|(one, _)| *one == id);
    let in_turn = rule.in_turn(is_active);
    let (owner, reason) = match rule.of_zip(zip, is_active) {
        Some(owner) => (owner, "by ZIP code"),
        None if in_turn.is_empty() => return Ok(()),
        None => (turn(sequence::take(&mut *tx, org, Series::LeadTurn).await?, &in_turn), "by turn"),
    };
    let to = people.iter().find(|(id, _)| *id == owner).map(|(_, name)| name);
    let detail = json!({"from": null, "to": to, "reason": reason});
    put(tx, origin, org, lead, Some(owner), &Doer::System, detail).await
}

/// Whose turn it is, by a number that no two requests have: of so many requests as there are people everybody gets one.
fn turn(number: i64, people: &[AccountId]) -> AccountId {
    let count = i64::try_from(people.len()).unwrap_or(i64::MAX);
    let place = usize::try_from(number.rem_euclid(count)).unwrap_or_default();
    people[place]
}

async fn put(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    lead: LeadId,
    to: Option<AccountId>,
    by: &Doer,
    detail: serde_json::Value,
) -> Result<()> {
    let sql = "UPDATE lead SET owner_account_id = $3 WHERE org_id = $1 AND id = $2";
    q!(&mut *tx, execute, sql, org, lead, to)?;
    let event = NewEvent { detail, ..NewEvent::new(lead, EventKind::OwnerChanged, origin.now(), by.clone()) };
    activity::record(tx, origin, org, event).await?;
    Ok(())
}

/// Who can be given a lead.
async fn active(conn: &mut dyn AsConn, org: OrgId) -> Result<Vec<(AccountId, String)>> {
    let sql = "SELECT id, name FROM account WHERE org_id = $1 AND is_active = TRUE ORDER BY id";
    Ok(q!(conn, fetch_all as (AccountId, String), sql, org)?)
}

/// How the owner of a lead is called, active or not.
pub(super) async fn name(conn: &mut dyn AsConn, org: OrgId, owner: AccountId) -> Result<Option<String>> {
    let sql = "SELECT name FROM account WHERE org_id = $1 AND id = $2";
    Ok(q!(conn, fetch_optional scalar String, sql, org, owner)?)
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn everybody_has_a_turn_before_anybody_has_another() {
        let people = [1, 2, 3].map(|n| AccountId(Uuid::from_u128(n)));
        let six: Vec<AccountId> = (1001..1007).map(|number| turn(number, &people)).collect();
        assert_eq!(six[..3], six[3..]);
        for person in people {
            assert_eq!(six[..3].iter().filter(|one| **one == person).count(), 1);
        }
        assert_eq!(turn(1001, &people[..1]), people[0]);
    }
}
