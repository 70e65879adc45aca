//! Stripe connection of a business as shown to its people.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{COLUMNS, ConnectedAccount, EndedBy};
use crate::{
    platform::{
        db::{AsConn, qb},
        error::Result,
        id::OrgId,
    },
    providers::payments::StripeCredentials,
};

/// State of the connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum StripeConnectionState {
    /// Never begun, or ended by an owner.
    #[default]
    None,
    /// Begun: Stripe still asks for details.
    NeedsDetails,
    /// Begun: Stripe has all it asked for and is checking it.
    InReview,
    /// Stripe is done; an owner has yet to finish it here.
    ToFinish,
    /// Customers pay with it.
    Ready,
    /// In force, and Stripe takes no payments until it has more details.
    Restricted,
    /// Ended in Stripe.
    Disconnected,
}

/// A business's connection to Stripe
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StripeConnection {
    /// Whether this server can connect accounts.
    pub is_offered: bool,
    pub state: StripeConnectionState,
    /// `acct_…`
    pub account: Option<String>,
    /// How many details Stripe asks for.
    pub requirements_due: i64,
    /// When it was ended in Stripe.
    pub ended_at: Option<DateTime<Utc>>,
}

/// `keys` are those in force.
pub async fn load_connection(
    conn: &mut dyn AsConn,
    org: OrgId,
    keys: Option<&StripeCredentials>,
    is_offered: bool,
) -> Result<StripeConnection> {
    let found = qb!(conn, fetch_optional as ConnectedAccount, |b| {
        b.push("SELECT ").push(COLUMNS).push(" FROM connected_account WHERE org_id = ").push_bind(org);
        b.push(" ORDER BY CASE WHEN ended_at IS NULL THEN 0 ELSE 1 END, ended_at DESC, id LIMIT 1");
    })?;
    let Some(found) = found else { return Ok(StripeConnection { is_offered, ..StripeConnection::default() }) };
    let state = connection_state(&found, keys);
    let is_shown = state != StripeConnectionState::None;
    Ok(StripeConnection {
        is_offered,
        state,
        account: found.account.filter(|_| is_shown),
        requirements_due: if is_shown { found.requirements_due } else { 0 },
        ended_at: found.ended_at.filter(|_| state == StripeConnectionState::Disconnected),
    })
}

fn connection_state(found: &ConnectedAccount, keys: Option<&StripeCredentials>) -> StripeConnectionState {
    match found.ended_by {
        // With keys in force an earlier end is not shown.
        Some(EndedBy::Stripe) if keys.is_none() => return StripeConnectionState::Disconnected,
        Some(_) => return StripeConnectionState::None,
        None => {}
    }
    match (found.matches_keys(keys), found.charges_enabled, found.details_submitted) {
        (true, true, _) => StripeConnectionState::Ready,
        (true, false, _) => StripeConnectionState::Restricted,
        (false, true, true) => StripeConnectionState::ToFinish,
        (false, false, true) if found.requirements_due == 0 => StripeConnectionState::InReview,
        (false, ..) => StripeConnectionState::NeedsDetails,
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn connection(charges_enabled: bool, details_submitted: bool, requirements_due: i64) -> ConnectedAccount {
        ConnectedAccount {
            org_id: OrgId(Uuid::nil()),
            id: Uuid::nil(),
            account: Some("acct_1".into()),
            livemode: true,
            charges_enabled,
            details_submitted,
            requirements_due,
            platform: None,
            unreachable_at: None,
            confirmed_at: None,
            ended_at: None,
            ended_by: None,
        }
    }

    #[test]
    fn connection_state_follows_stripe_status_and_keys_in_force() {
        let ours = connection(true, true, 0).stripe_keys();
        let table = [
            ((false, false, 4), None, StripeConnectionState::NeedsDetails),
            ((false, true, 2), None, StripeConnectionState::NeedsDetails),
            ((false, true, 0), None, StripeConnectionState::InReview),
            ((true, true, 0), None, StripeConnectionState::ToFinish),
            ((true, true, 0), ours.as_ref(), StripeConnectionState::Ready),
            ((false, true, 1), ours.as_ref(), StripeConnectionState::Restricted),
        ];
        for ((charges, details, due), keys, wanted) in table {
            assert_eq!(connection_state(&connection(charges, details, due), keys), wanted, "{charges} {details} {due}");
        }
    }

    #[test]
    fn disconnected_state_is_shown_only_when_ended_at_stripe() {
        let ended = |by| ConnectedAccount { ended_by: Some(by), ..connection(true, true, 0) };
        assert_eq!(connection_state(&ended(EndedBy::Stripe), None), StripeConnectionState::Disconnected);
        assert_eq!(connection_state(&ended(EndedBy::Owner), None), StripeConnectionState::None);
        let pasted =
            StripeCredentials::with_own_secret(secrecy::SecretString::from("sk_live_51AbCd".to_owned()), Vec::new());
        assert_eq!(connection_state(&ended(EndedBy::Stripe), Some(&pasted)), StripeConnectionState::None);
    }
}
