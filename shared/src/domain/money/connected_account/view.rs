//! How a business's connection to Stripe stands, as its people see it.

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
    providers::payments::Keys,
};

/// Where the connection stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = StripeConnectionState)]
pub enum ConnectionState {
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
#[schema(as = StripeConnection)]
pub struct Connection {
    /// Whether this server can connect accounts.
    pub is_offered: bool,
    pub state: ConnectionState,
    /// `acct_…`
    pub account: Option<String>,
    /// How many details Stripe asks for.
    pub requirements_due: i64,
    /// When it was ended in Stripe.
    pub ended_at: Option<DateTime<Utc>>,
}

/// How it stands. `keys` are those in force.
///
/// # Errors
/// When the database is away.
pub async fn shown(conn: &mut dyn AsConn, org: OrgId, keys: Option<&Keys>, is_offered: bool) -> Result<Connection> {
    let found = qb!(conn, fetch_optional as ConnectedAccount, |b| {
        b.push("SELECT ").push(COLUMNS).push(" FROM connected_account WHERE org_id = ").push_bind(org);
        b.push(" ORDER BY CASE WHEN ended_at IS NULL THEN 0 ELSE 1 END, ended_at DESC, id LIMIT 1");
    })?;
    let Some(found) = found else { return Ok(Connection { is_offered, ..Connection::default() }) };
    let state = state(&found, keys);
    let is_shown = state != ConnectionState::None;
    Ok(Connection {
        is_offered,
        state,
        account: found.account.filter(|_| is_shown),
        requirements_due: if is_shown { found.requirements_due } else { 0 },
        ended_at: found.ended_at.filter(|_| state == ConnectionState::Disconnected),
    })
}

fn state(found: &ConnectedAccount, keys: Option<&Keys>) -> ConnectionState {
    match found.ended_by {
        // With keys in force the old end is of no interest any more.
        Some(EndedBy::Stripe) if keys.is_none() => return ConnectionState::Disconnected,
        Some(_) => return ConnectionState::None,
        None => {}
    }
    match (found.is_in_force(keys), found.charges_enabled, found.details_submitted) {
        (true, true, _) => ConnectionState::Ready,
        (true, false, _) => ConnectionState::Restricted,
        (false, true, true) => ConnectionState::ToFinish,
        (false, false, true) if found.requirements_due == 0 => ConnectionState::InReview,
        (false, ..) => ConnectionState::NeedsDetails,
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
            confirmed_at: None,
            ended_at: None,
            ended_by: None,
        }
    }

    #[test]
    fn a_connection_stands_as_stripe_and_the_keys_in_force_say() {
        let ours = connection(true, true, 0).keys();
        let table = [
            ((false, false, 4), None, ConnectionState::NeedsDetails),
            ((false, true, 2), None, ConnectionState::NeedsDetails),
            ((false, true, 0), None, ConnectionState::InReview),
            ((true, true, 0), None, ConnectionState::ToFinish),
            ((true, true, 0), ours.as_ref(), ConnectionState::Ready),
            ((false, true, 1), ours.as_ref(), ConnectionState::Restricted),
        ];
        for ((charges, details, due), keys, wanted) in table {
            assert_eq!(state(&connection(charges, details, due), keys), wanted, "{charges} {details} {due}");
        }
    }

    #[test]
    fn only_an_end_at_stripe_is_shown_as_disconnected() {
        let ended = |by| ConnectedAccount { ended_by: Some(by), ..connection(true, true, 0) };
        assert_eq!(state(&ended(EndedBy::Stripe), None), ConnectionState::Disconnected);
        assert_eq!(state(&ended(EndedBy::Owner), None), ConnectionState::None);
        let pasted = Keys::own(secrecy::SecretString::from("sk_live_51AbCd".to_owned()), Vec::new());
        assert_eq!(state(&ended(EndedBy::Stripe), Some(&pasted)), ConnectionState::None);
    }
}
