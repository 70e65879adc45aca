//! Lead owner rule: by ZIP code, else by rotation. Off by default.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::booking::validate_zip_areas;
use crate::platform::{
    db::{AsConn, q},
    error::{FieldErrors, Result},
    id::{AccountId, OrgId},
};

const MOST_PEOPLE: usize = 50;
const TURNS: &str = "leadOwners.turns";
const ZIPS: &str = "leadOwners.zips";

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LeadOwnerSettings {
    /// Owners in turn of requests that no ZIP code assigns. Empty: those stay unassigned.
    pub turns: Vec<AccountId>,
    /// Who gets the requests from where. The longest of several that fit counts.
    pub zips: Vec<OwnedZips>,
}

/// From where the requests are that one person gets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = LeadOwnerZips)]
pub struct OwnedZips {
    pub user_id: AccountId,
    /// ZIP codes, or their first three or four digits.
    #[schema(max_items = 300)]
    pub zips: Vec<String>,
}

impl LeadOwnerSettings {
    #[must_use]
    pub fn find_owner_by_zip(&self, zip: &str, is_active: impl Fn(AccountId) -> bool) -> Option<AccountId> {
        let shares = self.zips.iter().filter(|share| is_active(share.user_id));
        let areas = shares.flat_map(|share| share.zips.iter().map(|area| (area, share.user_id)));
        areas.filter(|(area, _)| zip.starts_with(area.as_str())).max_by_key(|(area, _)| area.len()).map(|(_, id)| id)
    }

    /// Active people in the rotation, in stable order.
    #[must_use]
    pub fn active_rotation(&self, is_active: impl Fn(AccountId) -> bool) -> Vec<AccountId> {
        self.turns.iter().copied().filter(|id| is_active(*id)).collect()
    }

    /// Checks that all listed people are members. Inactive ones may stay listed but get no leads.
    pub(in crate::domain::tenancy::org) async fn check_people(&self, conn: &mut dyn AsConn, org: OrgId) -> Result<()> {
        let people = q!(conn, fetch_all scalar AccountId, "SELECT id FROM account WHERE org_id = $1", org)?;
        let mut errors = FieldErrors::default();
        if self.turns.iter().any(|id| !people.contains(id)) {
            errors.add(TURNS, "Choose people of your team");
        }
        if self.zips.iter().any(|share| !people.contains(&share.user_id)) {
            errors.add(ZIPS, "Choose people of your team");
        }
        errors.into_result()
    }
}

#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LeadOwnersPatch {
    #[schema(max_items = 50)]
    pub turns: Option<Vec<AccountId>>,
    /// All of them from now on; a ZIP code belongs to one person.
    #[schema(max_items = 50)]
    pub zips: Option<Vec<OwnedZips>>,
}

fn validate_people(typed: &[AccountId], errors: &mut FieldErrors) -> Vec<AccountId> {
    let found: BTreeSet<AccountId> = typed.iter().copied().collect();
    if found.len() > MOST_PEOPLE {
        errors.add(TURNS, format!("Keep at most {MOST_PEOPLE} people"));
    }
    found.into_iter().collect()
}

/// Merges the areas of each person; people without areas are dropped.
fn validate_zip_shares(typed: &[OwnedZips], errors: &mut FieldErrors) -> Vec<OwnedZips> {
    let mut by_person: BTreeMap<AccountId, Vec<String>> = BTreeMap::new();
    for share in typed {
        by_person.entry(share.user_id).or_default().extend(share.zips.iter().cloned());
    }
    if by_person.len() > MOST_PEOPLE {
        errors.add(ZIPS, format!("Keep at most {MOST_PEOPLE} people"));
    }
    let mut given = BTreeSet::new();
    let mut found = Vec::new();
    for (user_id, typed) in by_person {
        let zips = validate_zip_areas(ZIPS, &typed, errors);
        for zip in &zips {
            if !given.insert(zip.clone()) {
                errors.add(ZIPS, format!("{zip} is given to two people"));
            }
        }
        if !zips.is_empty() {
            found.push(OwnedZips { user_id, zips });
        }
    }
    found
}

impl LeadOwnersPatch {
    pub(super) fn apply_to(&self, page: &mut LeadOwnerSettings, errors: &mut FieldErrors) {
        if let Some(typed) = &self.turns {
            page.turns = validate_people(typed, errors);
        }
        if let Some(typed) = &self.zips {
            page.zips = validate_zip_shares(typed, errors);
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn most_specific_zip_area_of_available_owner_wins() {
        let [sam, dave] = [1, 2].map(|n| AccountId(Uuid::from_u128(n)));
        let share = |user_id, zip: &str| OwnedZips { user_id, zips: vec![zip.to_owned()] };
        let rule = LeadOwnerSettings { turns: vec![sam], zips: vec![share(sam, "787"), share(dave, "78701")] };
        assert_eq!(rule.find_owner_by_zip("78701", |_| true), Some(dave));
        assert_eq!(rule.find_owner_by_zip("78702", |_| true), Some(sam));
        assert_eq!(rule.find_owner_by_zip("78701", |id| id == sam), Some(sam), "Dave is not there");
        assert_eq!(rule.find_owner_by_zip("90210", |_| true), None);
        assert_eq!(rule.find_owner_by_zip("", |_| true), None, "a missed call tells no ZIP code");
        assert!(rule.active_rotation(|id| id != sam).is_empty());
    }
}
