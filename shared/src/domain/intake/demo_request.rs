//! Demo requests, the start of a subscription. Each is stored and reported to the operator, with or without Stripe and
//! with or without a payment.

use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;

use crate::{
    domain::tenancy::install_mail::{self, InstallMail},
    platform::{
        clock::ClockRng,
        db::{AsConn, Db, Tx, acquire_advisory_lock, cursor::PageCursor, insert_row, q, qb},
        email_address::EmailAddress,
        error::{FieldErrors, Result},
        field_schemas,
        id::{DemoRequestId, OrgId},
        phone::Phone,
        public_url::PublicUrl,
        secret::SecretKey,
        text,
    },
    providers::payments::subscription_snapshot::BillingPlan,
};

/// The same request within this time is one. Stripe keeps idempotency keys for 24 hours
/// (`docs.stripe.com/api/idempotent_requests`); this stays a little below.
const DUPLICATE_WINDOW: Duration = Duration::hours(23);
/// Lock key; any number that no other part of the program uses.
const DEMO_REQUEST_LOCK: i64 = 8_237_037;
const NOBODY: OrgId = OrgId(uuid::Uuid::nil());

/// Who asks for a demo.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SubscriptionRequest)]
pub struct DemoRequestForm {
    #[schema(required, schema_with = field_schemas::email_address)]
    pub email: Option<String>,
    #[schema(required, schema_with = field_schemas::required_line::<100>)]
    pub name: Option<String>,
    #[schema(required, schema_with = field_schemas::required_line::<100>)]
    pub org_name: Option<String>,
    #[schema(required, schema_with = field_schemas::phone_number)]
    pub phone: Option<String>,
    #[schema(required, schema_with = field_schemas::required_line::<100>)]
    pub industry: Option<String>,
    /// How it is paid; monthly when absent.
    pub plan: Option<BillingPlan>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewDemoRequest {
    pub email: EmailAddress,
    pub name: String,
    pub org_name: String,
    pub phone: Phone,
    pub industry: String,
    pub plan: BillingPlan,
}

/// A request as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromRow, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DemoRequest {
    pub id: DemoRequestId,
    /// Of a signed-in owner: their business.
    pub org_id: Option<OrgId>,
    #[schema(value_type = String)]
    pub email: EmailAddress,
    pub name: String,
    pub org_name: String,
    pub phone: String,
    pub industry: String,
    pub plan: BillingPlan,
    pub created_at: DateTime<Utc>,
    /// Whether it was paid for.
    pub is_paid: bool,
    /// Whether what was paid for waits for a business to claim it.
    pub is_waiting: bool,
}

impl DemoRequestForm {
    pub fn validate(self) -> Result<NewDemoRequest> {
        let mut errors = FieldErrors::default();
        let name = text::single_line("name", self.name.as_deref(), 100).parse_required("Name is required", &mut errors);
        let org_name = text::single_line("orgName", self.org_name.as_deref(), 100);
        let org_name = org_name.parse_required("Business name is required", &mut errors);
        let industry = text::single_line("industry", self.industry.as_deref(), 100);
        let industry = industry.parse_required("Industry is required", &mut errors);
        let typed =
            text::single_line("email", self.email.as_deref(), 254).parse_required("Email is required", &mut errors);
        let email = EmailAddress::parse(&typed);
        if email.is_none() {
            errors.add("email", text::invalid_email_reason(&typed));
        }
        let typed = text::single_line("phone", self.phone.as_deref(), 40)
            .parse_required("Phone number is required", &mut errors);
        let phone = Phone::parse(&typed);
        if phone.is_none() {
            errors.add("phone", "Please enter a phone number with its area code");
        }
        let (email, phone) = errors.require(email.zip(phone))?;
        Ok(NewDemoRequest { email, name, org_name, phone, industry, plan: self.plan.unwrap_or_default() })
    }
}

/// Stores a request, or finds the same one that is unpaid and recent.
pub async fn find_or_create_request(
    tx: &mut Tx,
    origin: &ClockRng,
    org: Option<OrgId>,
    new: &NewDemoRequest,
) -> Result<DemoRequestId> {
    // Serializes concurrent submissions so that the second finds the first.
    acquire_advisory_lock(tx, DEMO_REQUEST_LOCK).await?;
    if let Some(duplicate) = find_recent_duplicate(tx, origin.now(), org, new).await? {
        return Ok(duplicate);
    }
    if let Some(org) = org {
        tx.guard_writable(org);
    }
    let id = DemoRequestId(origin.random_uuid());
    insert_row!(
        tx,
        execute,
        demo_request {
            id,
            org_id: org,
            email: &new.email,
            name: &new.name,
            org_name: &new.org_name,
            phone: &new.phone,
            industry: &new.industry,
            plan: new.plan,
            created_at: origin.now(),
        }
    )?;
    Ok(id)
}

pub async fn idempotency_key_no(conn: &mut dyn AsConn, id: DemoRequestId) -> Result<i64> {
    let sql = "SELECT key_no FROM demo_request WHERE id = $1";
    Ok(q!(conn, fetch_optional scalar i64, sql, id)?.unwrap_or_default())
}

/// Advances to new keys: Stripe has stored a failure under one of the current ones.
pub async fn advance_idempotency_key(tx: &mut Tx, id: DemoRequestId) -> Result<()> {
    q!(tx, execute, "UPDATE demo_request SET key_no = key_no + 1 WHERE id = $1", id)?;
    Ok(())
}

async fn find_recent_duplicate(
    tx: &mut Tx,
    now: DateTime<Utc>,
    org: Option<OrgId>,
    new: &NewDemoRequest,
) -> Result<Option<DemoRequestId>> {
    Ok(q!(
        tx,
        fetch_optional scalar DemoRequestId,
        "SELECT r.id FROM demo_request r
         WHERE r.email = $1 AND r.name = $2 AND r.org_name = $3 AND r.phone = $4 AND r.industry = $5 AND r.plan = $6
             AND r.created_at > $7 AND COALESCE(r.org_id, $9) = $8
             AND NOT EXISTS (SELECT 1 FROM subscription s WHERE s.request_id = r.id AND s.status <> 'incomplete')
         ORDER BY r.created_at DESC LIMIT 1",
        &new.email,
        &new.name,
        &new.org_name,
        &new.phone,
        &new.industry,
        new.plan,
        now - DUPLICATE_WINDOW,
        org.unwrap_or(NOBODY),
        NOBODY
    )?)
}

/// Notifies the operator of a request, once. Without a configured operator it is logged, and stays in the list.
pub async fn notify_operators(
    tx: &mut Tx,
    origin: &ClockRng,
    (secret, public_url): (&SecretKey, &PublicUrl),
    operators: &[EmailAddress],
    (id, new): (DemoRequestId, &NewDemoRequest),
) -> Result<()> {
    if operators.is_empty() {
        tracing::warn!(request = %id, "no one gets alerts of demo requests: set PLATFORM_ADMIN_EMAILS or SUPPORT_EMAIL");
    }
    let plan = match new.plan {
        BillingPlan::Monthly => "monthly",
        BillingPlan::SixMonths => "six months up front",
    };
    let body = format!(
        "{} of {} asks for a demo.\n\nPhone: {}\nEmail: {}\nIndustry: {}\nPlan: {plan}",
        new.name, new.org_name, new.phone, new.email, new.industry
    );
    let admin = public_url.join("/app/admin");
    let subject = format!("Demo request: {}", new.org_name);
    for to in operators {
        let key = format!("demo_request:{id}:{to}");
        let links = [("All requests", admin.as_str())];
        let mail = InstallMail { to, subject: &subject, body: &body, links: &links, key: &key };
        install_mail::enqueue_mail(tx, origin, secret, &mail).await?;
    }
    Ok(())
}

const SELECTED: &str = "SELECT r.id, r.org_id, r.email, r.name, r.org_name, r.phone, r.industry, r.plan, r.created_at,
    EXISTS (SELECT 1 FROM subscription s WHERE s.request_id = r.id AND s.has_begun = TRUE) AS is_paid,
    EXISTS (SELECT 1 FROM subscription s WHERE s.request_id = r.id AND s.has_begun = TRUE AND s.is_counted = TRUE
        AND s.org_id IS NULL) AS is_waiting FROM demo_request r";

pub async fn find(conn: &mut dyn AsConn, id: DemoRequestId) -> Result<Option<DemoRequest>> {
    Ok(qb!(conn, fetch_optional as DemoRequest, |b| {
        b.push(SELECTED).push(" WHERE r.id = ").push_bind(id);
    })?)
}

#[derive(Clone, Debug)]
pub struct DemoRequestPage {
    pub requests: Vec<DemoRequest>,
    pub total: i64,
    pub next: Option<String>,
}

/// All requests, newest first. For the operator only.
pub async fn list(conn: &mut dyn AsConn, limit: i64, cursor: Option<&str>) -> Result<DemoRequestPage> {
    let cursor = cursor.map(PageCursor::parse_param).transpose()?;
    let total = q!(&mut *conn, fetch_one scalar i64, "SELECT COUNT(*) FROM demo_request")?;
    let mut requests = qb!(conn, fetch_all as DemoRequest, |b| {
        b.push(SELECTED);
        if let Some(PageCursor(at, id)) = cursor {
            b.push(" WHERE (r.created_at, r.id) < (").push_bind(at).push(", ").push_bind(id).push(")");
        }
        b.push(" ORDER BY r.created_at DESC, r.id DESC LIMIT ").push_bind(limit + 1);
    })?;
    let most = usize::try_from(limit).unwrap_or_default();
    let more = requests.len() > most;
    requests.truncate(most);
    let next = requests.last().filter(|_| more).map(|last| PageCursor::encode_after(last.created_at, last.id.0));
    Ok(DemoRequestPage { requests, total, next })
}

/// Whether a request can still be continued: Stripe still has its idempotency keys.
pub async fn is_resumable(conn: &mut dyn AsConn, now: DateTime<Utc>, id: DemoRequestId) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM demo_request WHERE id = $1 AND created_at > $2)";
    Ok(q!(conn, fetch_one scalar bool, sql, id, now - DUPLICATE_WINDOW)?)
}

/// Requests that led to no subscription are deleted after this time.
const RETENTION: Duration = Duration::days(730);

/// Deletes old requests. Those with a payment stay.
pub async fn prune_old_requests(db: &Db, now: DateTime<Utc>) -> Result<()> {
    let mut tx = db.begin().await?;
    let sql = "DELETE FROM demo_request WHERE created_at < $1
         AND NOT EXISTS (SELECT 1 FROM subscription s WHERE s.request_id = demo_request.id)";
    q!(&mut tx, execute, sql, now - RETENTION)?;
    tx.commit().await
}

pub(crate) async fn update_email(tx: &mut Tx, id: DemoRequestId, email: &EmailAddress) -> Result<()> {
    q!(tx, execute, "UPDATE demo_request SET email = $2 WHERE id = $1", id, email)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{platform::error::Error, tests::IntoMessages};

    fn form() -> DemoRequestForm {
        DemoRequestForm {
            email: Some("Rita@Roofs.example".into()),
            name: Some("Rita Roof".into()),
            org_name: Some("Roofs & Co".into()),
            phone: Some("(512) 555-0142".into()),
            industry: Some("Roofing".into()),
            plan: None,
        }
    }

    fn faults(form: DemoRequestForm) -> Vec<&'static str> {
        match form.validate() {
            Err(Error::Invalid(errors)) => errors.into_messages().into_iter().map(|(field, _)| field).collect(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn missing_fields_are_reported_together() {
        assert_eq!(faults(DemoRequestForm::default()), ["email", "industry", "name", "orgName", "phone"]);
        assert_eq!(faults(DemoRequestForm { phone: Some("555".into()), ..form() }), ["phone"]);
        assert_eq!(faults(DemoRequestForm { email: Some("rita@".into()), ..form() }), ["email"]);
    }

    #[test]
    fn valid_request_normalizes_email_and_phone() {
        let new = form().validate().unwrap();
        assert_eq!((new.email.as_str(), new.phone.as_e164()), ("rita@roofs.example", "+15125550142"));
        assert_eq!(new.plan, BillingPlan::Monthly);
    }
}
