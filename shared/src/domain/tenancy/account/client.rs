//! Lists of accounts: of one business for its owner, and of the whole install for operators.

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;

use super::{Account, Role};
use crate::{
    domain::tenancy::trust_level::{TrustFacts, TrustLevel},
    platform::{
        db::{AsConn, cursor::PageCursor, like_anywhere, q, qb},
        error::{Error, Result},
        id::{AccountId, DEMO_ORG, OrgId},
    },
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientScope {
    Business(OrgId),
    /// All businesses except the demonstration; operators only.
    Install,
}

#[derive(Clone, Debug)]
pub struct ClientFilter {
    pub of: ClientScope,
    pub q: Option<String>,
    pub limit: i64,
    pub cursor: Option<String>,
}

/// Somebody who can sign in, or could.
#[derive(Clone, Debug, PartialEq, Eq, FromRow, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Client)]
pub struct ClientAccount {
    pub id: AccountId,
    pub email: String,
    pub name: String,
    pub role: Role,
    pub org_name: String,
    pub created_at: DateTime<Utc>,
    pub is_active: bool,
    pub two_factor_enabled: bool,
    /// When a current session was last used.
    pub last_seen_at: Option<DateTime<Utc>>,
    /// Their business.
    pub org_id: OrgId,
    /// What their business may send.
    #[sqlx(skip)]
    pub trust_level: TrustLevel,
    /// Whether the operator let it send without payment.
    pub is_let_through: bool,
    #[serde(skip)]
    is_proven: bool,
    #[serde(skip)]
    has_paid: bool,
    #[serde(skip)]
    is_sender_verified: bool,
}

impl ClientAccount {
    fn trust_facts(&self) -> TrustFacts {
        let Self { is_proven, is_let_through, has_paid, is_sender_verified, .. } = *self;
        TrustFacts { is_proven, is_let_through, has_paid, is_sender_verified }
    }
}

#[derive(Clone, Debug)]
pub struct ClientPage {
    pub clients: Vec<ClientAccount>,
    pub total: i64,
    pub next: Option<String>,
}

macro_rules! narrow {
    ($b:ident, $filter:expr) => {
        $b.push(" FROM account a JOIN org o ON o.id = a.org_id LEFT JOIN org_trust t ON t.org_id = a.org_id WHERE ");
        match $filter.of {
            ClientScope::Business(org) => $b.push("a.org_id = ").push_bind(org),
            ClientScope::Install => $b.push("a.org_id <> ").push_bind(DEMO_ORG),
        };
        if let Some(text) = &$filter.q {
            let pattern = like_anywhere(&text.to_lowercase());
            $b.push(" AND (LOWER(a.name) LIKE ").push_bind(pattern.clone()).push(" ESCAPE '\\'");
            $b.push(" OR a.email LIKE ").push_bind(pattern.clone()).push(" ESCAPE '\\'");
            $b.push(" OR LOWER(o.name) LIKE ").push_bind(pattern).push(" ESCAPE '\\')");
        }
    };
}

pub async fn list(conn: &mut dyn AsConn, filter: &ClientFilter) -> Result<ClientPage> {
    let cursor = filter.cursor.as_deref().map(PageCursor::parse_param).transpose()?;
    let total = qb!(&mut *conn, fetch_one scalar i64, |b| {
        b.push("SELECT COUNT(*)");
        narrow!(b, filter);
    })?;
    let mut clients = qb!(conn, fetch_all as ClientAccount, |b| {
        b.push(
            "SELECT a.id, a.email, a.name, a.role, o.name AS org_name, a.created_at, a.is_active, a.two_factor_enabled,
                 (SELECT MAX(s.last_seen_at) FROM session s WHERE s.org_id = a.org_id AND s.account_id = a.id) AS last_seen_at,
                 a.org_id, t.let_through_at IS NOT NULL AS is_let_through, t.proven_at IS NOT NULL AS is_proven,
                 EXISTS (SELECT 1 FROM subscription p WHERE p.org_id = a.org_id AND p.has_begun = TRUE AND p.is_counted = TRUE)
                     AS has_paid, o.sms_number IS NOT NULL AS is_sender_verified",
        );
        narrow!(b, filter);
        if let Some(PageCursor(at, id)) = cursor {
            b.push(" AND (a.created_at, a.id) < (").push_bind(at).push(", ").push_bind(id).push(")");
        }
        b.push(" ORDER BY a.created_at DESC, a.id DESC LIMIT ").push_bind(filter.limit + 1);
    })?;
    let limit = usize::try_from(filter.limit).unwrap_or_default();
    let more = clients.len() > limit;
    clients.truncate(limit);
    for client in &mut clients {
        client.trust_level = client.trust_facts().trust_level();
    }
    let next = clients.last().filter(|_| more).map(|client| PageCursor::encode_after(client.created_at, client.id.0));
    Ok(ClientPage { clients, total, next })
}

/// # Errors
/// [`Error::NotFound`] when the account is out of scope.
pub async fn find_account(conn: &mut dyn AsConn, of: ClientScope, id: AccountId) -> Result<Account> {
    let org = q!(&mut *conn, fetch_optional scalar OrgId, "SELECT org_id FROM account WHERE id = $1", id)?;
    let org = org.filter(|org| match of {
        ClientScope::Business(own) => *org == own,
        ClientScope::Install => *org != DEMO_ORG,
    });
    super::get(conn, org.ok_or(Error::NotFound)?, id).await
}
