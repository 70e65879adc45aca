//! Open contact proposals: which form named each address, under which name, and what came from it since.

use std::cmp::Reverse;

use chrono::{DateTime, Duration, Utc};
use serde::Serialize;
use sqlx::{FromRow, types::Json};
use utoipa::ToSchema;

use crate::{
    domain::intake::{
        contact_point::{ContactPointKind, proposal::MAX_OPEN_PROPOSALS, set_aside::SetAsideContacts},
        lead::{LeadFormKind, LeadSubmission},
    },
    platform::{
        db::{AsConn, q},
        error::Result,
        id::{ContactProposalId, CustomerId, LeadId, OrgId},
        phone::Phone,
    },
};

/// Rows read for one list. Addresses that were set aside are beyond [`MAX_OPEN_PROPOSALS`], and several forms may have
/// named one address.
const MOST_ROWS: i64 = 50;
/// A customer's forms that are searched for an address, the oldest first.
const MOST_FORMS: i64 = 200;
/// Most time between a form and the record of the customer that it makes known. A merge can leave a record that is newer
/// than its forms: none of them made it known.
const RECORD_DELAY: Duration = Duration::minutes(1);

/// What is known of an address beside the form that named it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, sqlx::Type, ToSchema)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
pub enum ProposalActivity {
    Texted,
    Called,
    /// Someone pressed a button behind a link that was sent there.
    LinkUsed,
    /// A message of the business went there; nothing came back.
    Written,
    #[default]
    Nothing,
}

/// A proposal as the office sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromRow, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContactProposal {
    pub id: ContactProposalId,
    pub lead_id: LeadId,
    pub kind: ContactPointKind,
    /// E.164 or an email address.
    pub value: String,
    /// As people read it.
    #[sqlx(skip)]
    pub shown: String,
    pub created_at: DateTime<Utc>,
    /// When someone called or texted from it, or used a link sent there; null without that.
    pub answered_at: Option<DateTime<Utc>>,
    #[sqlx(skip)]
    pub activity: ProposalActivity,
    /// When the first form that named it came in; null when no form of this customer did.
    #[sqlx(skip)]
    pub typed_at: Option<DateTime<Utc>>,
    /// The name in that form where it is not the customer's.
    #[sqlx(skip)]
    pub typed_name: Option<String>,
    /// The lead of that form.
    #[sqlx(skip)]
    pub typed_lead_id: Option<LeadId>,
    /// Whether the customer became known by that form.
    #[sqlx(skip)]
    pub is_first_form: bool,
    /// Another record that has this one, by name: if they are one person, the two are merged.
    pub belongs_to: Option<String>,
    pub belongs_to_id: Option<CustomerId>,
    /// Whether the office can use it: false where that other record has proven it.
    pub is_usable: bool,
    /// Whether messages go there already: another record has it too, or a form left it out.
    pub is_in_use: bool,
}

impl ContactProposal {
    fn add_display_value(&mut self) {
        let phone = (self.kind == ContactPointKind::Phone).then(|| Phone::parse(&self.value)).flatten();
        self.shown = phone.map_or_else(|| self.value.clone(), |phone| phone.format_display().into_owned());
    }

    fn add_form(&mut self, forms: &[NamingForm]) {
        let Some(form) = forms.iter().find(|form| form.names((self.kind, &self.value))) else { return };
        self.typed_at = Some(form.at);
        self.typed_name = form.other_name().map(ToOwned::to_owned);
        self.typed_lead_id = Some(form.lead_id);
        // Requests of one instant have no order.
        let is_earliest = forms.iter().all(|other| other.at >= form.at);
        self.is_first_form = is_earliest && (form.at - form.customer_since).abs() <= RECORD_DELAY;
    }

    fn add_activity(&mut self, known: &[(ProposalActivity, String)]) {
        let has = |activity| known.iter().any(|(of, value)| *of == activity && *value == self.value);
        let on_file = [ProposalActivity::Texted, ProposalActivity::Called].into_iter().find(|activity| has(*activity));
        self.activity = match (on_file, self.answered_at) {
            (Some(activity), _) => activity,
            (None, Some(_)) => ProposalActivity::LinkUsed,
            (None, None) if has(ProposalActivity::Written) => ProposalActivity::Written,
            (None, None) => ProposalActivity::Nothing,
        };
    }
}

/// One time that the customer asked, with what the customer's record says.
#[derive(FromRow)]
struct NamingForm {
    lead_id: LeadId,
    at: DateTime<Utc>,
    form: LeadFormKind,
    submission: Json<LeadSubmission>,
    customer_name: String,
    customer_since: DateTime<Utc>,
}

impl NamingForm {
    fn names(&self, (kind, value): (ContactPointKind, &str)) -> bool {
        let is_public = matches!(self.form, LeadFormKind::Lead | LeadFormKind::Quote | LeadFormKind::Booking);
        is_public
            && match kind {
                ContactPointKind::Phone => {
                    let typed = self.submission.phone.as_deref().and_then(Phone::parse);
                    typed.is_some_and(|phone| phone.as_e164() == value)
                }
                ContactPointKind::Email => self.submission.email.as_deref() == Some(value),
            }
    }

    fn other_name(&self) -> Option<&str> {
        self.submission.other_name(&self.customer_name)
    }
}

/// Open proposals: those of the customer's first form, then the newest. Each address once.
pub async fn list_open_proposals(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
) -> Result<Vec<ContactProposal>> {
    let mut found = list_proposal_rows(&mut *conn, org, customer).await?;
    if found.is_empty() {
        return Ok(found);
    }
    keep_each_address_once(&mut found);
    let aside = SetAsideContacts::load_for_customer(&mut *conn, org, customer).await?;
    let forms = list_naming_forms(&mut *conn, org, customer).await?;
    let activity = list_address_activity(conn, org, customer).await?;
    for one in &mut found {
        one.is_in_use &= !aside.has_contact((one.kind, &one.value));
        one.add_display_value();
        one.add_form(&forms);
        one.add_activity(&activity);
    }
    found.sort_by_key(|one| (!one.is_first_form, Reverse(one.typed_at.unwrap_or(one.created_at))));
    found.truncate(usize::try_from(MAX_OPEN_PROPOSALS).unwrap_or_default());
    Ok(found)
}

fn keep_each_address_once(found: &mut Vec<ContactProposal>) {
    let mut seen: Vec<String> = Vec::new();
    found.retain(|one| {
        let is_first = !seen.contains(&one.value);
        seen.push(one.value.clone());
        is_first
    });
}

/// Those that answered first, then the newest.
async fn list_proposal_rows(conn: &mut dyn AsConn, org: OrgId, customer: CustomerId) -> Result<Vec<ContactProposal>> {
    Ok(q!(
        conn,
        fetch_all as ContactProposal,
        "SELECT p.id, p.lead_id, p.kind, p.value, p.created_at, p.answered_at, c.name AS belongs_to,
             c.id AS belongs_to_id, c.id IS NULL OR k.proof IN ('form', 'answered') AS is_usable,
             (k.customer_id IS NOT NULL AND k.customer_id = p.customer_id)
                 OR EXISTS (SELECT 1 FROM customer o WHERE o.org_id = p.org_id AND o.id = p.customer_id
                     AND CASE WHEN p.kind = 'phone' THEN o.phone_e164 ELSE o.email END = p.value)
                 OR EXISTS (SELECT 1 FROM lead l WHERE l.org_id = p.org_id AND l.customer_id = p.customer_id
                     AND CASE WHEN p.kind = 'phone' THEN l.phone_e164 ELSE l.email END = p.value) AS is_in_use
         FROM contact_proposal p
             LEFT JOIN customer_key k ON k.org_id = p.org_id AND k.kind = p.kind AND k.value = p.value
             LEFT JOIN customer c ON c.org_id = k.org_id AND c.id = k.customer_id AND c.id <> p.customer_id
         WHERE p.org_id = $1 AND p.customer_id = $2 AND p.state = 'open'
             AND NOT (k.customer_id IS NOT NULL AND k.customer_id = p.customer_id
                 AND k.proof NOT IN ('answered', 'form'))
         ORDER BY p.answered_at IS NULL, p.created_at DESC, p.id DESC LIMIT $3",
        org,
        customer,
        MOST_ROWS
    )?)
}

/// By the customer's leads: a plan that begins with the times of all requests would read those of the business.
async fn list_naming_forms(conn: &mut dyn AsConn, org: OrgId, customer: CustomerId) -> Result<Vec<NamingForm>> {
    Ok(q!(
        conn,
        fetch_all as NamingForm,
        "SELECT i.lead_id, i.at, i.form, i.submission, c.name AS customer_name, c.created_at AS customer_since
         FROM customer c CROSS JOIN lead l CROSS JOIN lead_inquiry i
         WHERE c.org_id = $1 AND c.id = $2 AND l.org_id = $1 AND l.customer_id = c.id AND i.org_id = $1
             AND i.lead_id = l.id
         ORDER BY i.at, i.id LIMIT $3",
        org,
        customer,
        MOST_FORMS
    )?)
}

/// Addresses that called or wrote in the customer's conversation, and those that a message went to.
async fn list_address_activity(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
) -> Result<Vec<(ProposalActivity, String)>> {
    Ok(q!(
        conn,
        fetch_all as (ProposalActivity, String),
        "SELECT DISTINCT 'texted', from_address FROM message
             WHERE org_id = $1 AND customer_id = $2 AND direction = 'in' AND from_address IS NOT NULL
         UNION ALL SELECT DISTINCT 'called', from_address FROM call
             WHERE org_id = $1 AND customer_id = $2 AND status IN ('answered', 'missed') AND from_address IS NOT NULL
         UNION ALL SELECT DISTINCT 'written', to_address FROM message
             WHERE org_id = $1 AND customer_id = $2 AND direction = 'out' AND status IN ('sent', 'delivered')",
        org,
        customer
    )?)
}
