//! Counts of what was set up before an address was proven, so that the mail about the proof can list what was removed.

use crate::platform::{
    db::{AsConn, q},
    error::Result,
    id::OrgId,
};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PreProofCredentials {
    keys: i64,
    invitations: i64,
    second_factors: i64,
    passkeys: i64,
    /// Calendar feed addresses of crews.
    calendars: i64,
}

pub async fn count_credentials(conn: &mut dyn AsConn, org: OrgId) -> Result<PreProofCredentials> {
    let sql = "SELECT COUNT(*) FROM api_key WHERE org_id = $1 AND revoked_at IS NULL";
    let keys = q!(&mut *conn, fetch_one scalar i64, sql, org)?;
    let sql = "SELECT COUNT(*) FROM invite i
             JOIN access_link k ON k.org_id = i.org_id AND k.kind = 'invite' AND k.subject_id = i.id AND k.revoked_at IS NULL
         WHERE i.org_id = $1 AND i.accepted_at IS NULL";
    let invitations = q!(&mut *conn, fetch_one scalar i64, sql, org)?;
    let sql = "SELECT COUNT(*) FROM second_factor WHERE org_id = $1";
    let second_factors = q!(&mut *conn, fetch_one scalar i64, sql, org)?;
    let sql = "SELECT COUNT(*) FROM passkey WHERE org_id = $1";
    let passkeys = q!(&mut *conn, fetch_one scalar i64, sql, org)?;
    let sql = "SELECT COUNT(*) FROM access_link
         WHERE org_id = $1 AND kind = 'crew_feed' AND revoked_at IS NULL AND first_seen_at IS NOT NULL";
    let calendars = q!(conn, fetch_one scalar i64, sql, org)?;
    Ok(PreProofCredentials { keys, invitations, second_factors, passkeys, calendars })
}

impl PreProofCredentials {
    #[must_use]
    pub fn removed_since(self, now: Self) -> Self {
        Self {
            keys: self.keys - now.keys,
            invitations: self.invitations - now.invitations,
            second_factors: self.second_factors - now.second_factors,
            passkeys: self.passkeys - now.passkeys,
            calendars: self.calendars - now.calendars,
        }
    }

    /// `keys for other programs, two-step sign-in`; none when nothing was removed.
    pub(crate) fn describe_removed(self) -> Option<String> {
        let all = [
            (self.keys, "keys for other programs"),
            (self.invitations, "open invitations"),
            (self.second_factors, "two-step sign-in"),
            (self.passkeys, "passkeys"),
            (self.calendars, "addresses of crew calendars"),
        ];
        let gone: Vec<_> = all.into_iter().filter(|(count, _)| *count > 0).map(|(_, words)| words).collect();
        (!gone.is_empty()).then(|| gone.join(", "))
    }
}
