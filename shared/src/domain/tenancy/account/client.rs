//! The people who can sign in, as an owner looks through those of the business, and an operator through all of the
//! install.

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;

use super::{Account, Role};
use crate::{
    domain::tenancy::trust_level::{Standing, TrustLevel},
    platform::{
        db::{AsConn, cursor::Cursor, like_anywhere, q, qb},
        error::{Error, Result},
        id::{AccountId, DEMO_ORG, OrgId},
    },
};

/// Whose people are looked through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    Business(OrgId),
    /// All businesses but the demonstration: for the operators alone.
    Install,
}

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Filter {
    pub of: Of,
    pub q: Option<String>,
    pub limit: i64,
    pub cursor: Option<String>,
}

/// Somebody who can sign in, or could.
#[derive(Clone, Debug, PartialEq, Eq, FromRow, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Client {
    pub id: AccountId,
    pub email: String,
    pub name: String,
    pub role: Role,
    pub org_name: String,
    pub created_at: DateTime<Utc>,
    pub is_active: bool,
    pub two_factor_enabled: bool,
    /// When they last used a session that still stands.
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

impl Client {
    fn standing(&self) -> Standing {
        let Self { is_proven, is_let_through, has_paid, is_sender_verified, .. } = *self;
        Standing { is_proven, is_let_through, has_paid, is_sender_verified }
    }
}

/// One page.
#[derive(Clone, Debug)]
pub struct Page {
    pub clients: Vec<Client>,
    pub total: i64,
    pub next: Option<String>,
}

/// Of whom, the same for a page and for their count.
macro_rules! narrow {
    ($b:ident, $filter:expr) => {
        $b.push(" FROM account a JOIN org o ON o.id = a.org_id LEFT JOIN org_trust t ON t.org_id = a.org_id WHERE ");
        match $filter.of {
            Of::Business(org) => $b.push("a.org_id = ").push_bind(org),
            Of::Install => $b.push("a.org_id <> ").push_bind(DEMO_ORG),
        };
        if let Some(text) = &$filter.q {
            let pattern = like_anywhere(&text.to_lowercase());
            $b.push(" AND (LOWER(a.name) LIKE ").push_bind(pattern.clone()).push(" ESCAPE '\\'");
            $b.push(" OR a.email LIKE ").push_bind(pattern.clone()).push(" ESCAPE '\\'");
            $b.push(" OR LOWER(o.name) LIKE ").push_bind(pattern).push(" ESCAPE '\\')");
        }
    };
}

/// One page, the newest first.
///
/// # Errors
/// [`crate::platform::error::Error::Invalid`] on the field `cursor` when it is not one of ours.
pub async fn list(conn: &mut dyn AsConn, filter: &Filter) -> Result<Page> {
    let cursor = filter.cursor.as_deref().map(Cursor::read).transpose()?;
    let total = qb!(&mut *conn, fetch_one scalar i64, |b| {
        b.push("SELECT COUNT(*)");
        narrow!(b, filter);
    })?;
    let mut clients = qb!(conn, fetch_all as Client, |b| {
        b.push(
            "SELECT a.id, a.email, a.name, a.role, o.name AS org_name, a.created_at, a.is_active, a.two_factor_enabled,
                 (SELECT MAX(s.last_seen_at) FROM session s WHERE s.org_id = a.org_id AND s.account_id = a.id) AS last_seen_at,
                 a.org_id, t.let_through_at IS NOT NULL AS is_let_through, t.proven_at IS NOT NULL AS is_proven,
                 EXISTS (SELECT 1 FROM subscription p WHERE p.org_id = a.org_id AND p.has_begun = TRUE AND p.counts = TRUE)
                     AS has_paid, o.sms_number IS NOT NULL AS is_sender_verified",
        );
        narrow!(b, filter);
        if let Some(Cursor(at, id)) = cursor {
            b.push(" AND (a.created_at, a.id) < (").push_bind(at).push(", ").push_bind(id).push(")");
        }
        b.push(" ORDER BY a.created_at DESC, a.id DESC LIMIT ").push_bind(filter.limit + 1);
    })?;
    let limit = usize::try_from(filter.limit).unwrap_or_default();
    let more = clients.len() > limit;
    clients.truncate(limit);
    for client in &mut clients {
        client.trust_level = client.standing().level();
    }
    let next = clients.last().filter(|_| more).map(|client| Cursor::after(client.created_at, client.id.0));
    Ok(Page { clients, total, next })
}

/// Somebody whom the caller looks after.
///
/// # Errors
/// [`Error::NotFound`] when they look after nobody of that id.
pub async fn find(conn: &mut dyn AsConn, of: Of, id: AccountId) -> Result<Account> {
    let org = q!(&mut *conn, fetch_optional scalar OrgId, "SELECT org_id FROM account WHERE id = $1", id)?;
    let org = org.filter(|org| match of {
        Of::Business(own) => *org == own,
        Of::Install => *org != DEMO_ORG,
    });
    super::get(conn, org.ok_or(Error::NotFound)?, id).await
}
