//! Name that a public form typed for a customer on file without one. The request shows it; the customer gets it once
//! the typed number has answered that request ([`super::confirmation`]).

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use sqlx::{FromRow, types::Json};

use super::confirmation::AnswerWindow;
use crate::{
    domain::intake::lead::{LeadSubmission, customer},
    platform::{
        db::{AsConn, Tx, q},
        error::Result,
        id::{CustomerId, LeadId, OrgId},
        phone::Phone,
    },
};

#[derive(Clone, Debug, FromRow)]
pub(super) struct TypedName {
    pub(super) lead_id: LeadId,
    submission: Json<LeadSubmission>,
    #[sqlx(flatten)]
    pub(super) window: AnswerWindow,
}

impl TypedName {
    fn person_name(&self) -> Option<&str> {
        self.submission.name.as_deref().filter(|name| customer::is_person_name(name))
    }

    fn names_number(&self, number: &str) -> bool {
        let typed = self.submission.phone.as_deref().and_then(Phone::parse);
        typed.is_some_and(|phone| phone.as_e164() == number)
    }
}

/// The names in released forms with this number, or with any. Empty for a customer who has a name.
pub(super) async fn list_typed_names(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    number: Option<&str>,
) -> Result<Vec<TypedName>> {
    if customer::find_customer_name(&mut *conn, org, customer).await?.is_some() {
        return Ok(Vec::new());
    }
    list_named_forms(conn, org, customer, number).await
}

/// The same for a customer with a name too.
async fn list_named_forms(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    number: Option<&str>,
) -> Result<Vec<TypedName>> {
    let mut names = q!(
        conn,
        fetch_all as TypedName,
        "SELECT i.lead_id, i.submission, i.at, (SELECT MIN(m.sent_at) FROM message m
                 WHERE m.org_id = $1 AND m.to_address = $3 AND m.direction = 'out' AND m.channel = 'sms'
                     AND m.lead_id = i.lead_id AND m.sent_at >= i.at) AS texted_at
         FROM lead l JOIN lead_inquiry i ON i.org_id = l.org_id AND i.lead_id = l.id
         WHERE l.org_id = $1 AND l.customer_id = $2 AND l.held_reason IS NULL AND i.form IN ('lead', 'quote', 'booking')",
        org,
        customer,
        number
    )?;
    names.retain(|typed| typed.person_name().is_some() && number.is_none_or(|number| typed.names_number(number)));
    Ok(names)
}

/// The names that released forms with this number typed.
pub(crate) async fn list_typed_person_names(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    phone: &Phone,
) -> Result<Vec<String>> {
    let forms = list_named_forms(conn, org, customer, Some(phone.as_e164())).await?;
    Ok(forms.iter().filter_map(TypedName::person_name).map(ToOwned::to_owned).collect())
}

/// Names the customer and the confirmed requests. Does nothing where these, or others that still may be answered, have
/// different names: the office decides. `texted_at` is the time of the text that confirmed the name, if one did:
/// [`withdraw_adopted_name`] takes only such a name back.
pub(super) async fn adopt_typed_name(
    tx: &mut Tx,
    org: OrgId,
    customer: CustomerId,
    (confirmed, others): (&[TypedName], &[TypedName]),
    texted_at: Option<DateTime<Utc>>,
) -> Result<()> {
    if confirmed.is_empty() {
        return Ok(());
    }
    let names: BTreeSet<&str> = confirmed.iter().chain(others).filter_map(TypedName::person_name).collect();
    let (Some(name), 1) = (names.first(), names.len()) else { return Ok(()) };
    for typed in confirmed {
        let sql = "UPDATE lead SET name = $3, search = search || $4 WHERE org_id = $1 AND id = $2 AND name <> $3";
        q!(&mut *tx, execute, sql, org, typed.lead_id, *name, format!("\n{}", name.to_lowercase()))?;
    }
    customer::set_customer_name(tx, org, customer, name, texted_at).await
}

/// After a text from the number that takes its yes back: a customer who was named since then by a yes of this number is
/// listed under the number again. The requests keep the names that their forms typed.
pub(crate) async fn withdraw_adopted_name(
    tx: &mut Tx,
    org: OrgId,
    customer: CustomerId,
    phone: &Phone,
    since: DateTime<Utc>,
) -> Result<()> {
    if !is_named_by_number(&mut *tx, org, customer, phone.as_e164(), since).await? {
        return Ok(());
    }
    let sql = "UPDATE customer SET name = $3, name_confirmed_at = NULL
         WHERE org_id = $1 AND id = $2 AND name_confirmed_at >= $4";
    let number = phone.format_display().into_owned();
    let renamed = q!(&mut *tx, execute, sql, org, customer, number, since)?;
    if renamed > 0 { customer::update_search_index(tx, org, customer).await } else { Ok(()) }
}

/// Whether a yes by text from the number gave the customer's name since then: a form with the number typed that name, and
/// the yes came within its time for answers.
async fn is_named_by_number(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    number: &str,
    since: DateTime<Utc>,
) -> Result<bool> {
    let sql = "SELECT name, name_confirmed_at FROM customer WHERE org_id = $1 AND id = $2 AND name_confirmed_at >= $3";
    let named = q!(&mut *conn, fetch_optional as (String, DateTime<Utc>), sql, org, customer, since)?;
    let Some((name, confirmed_at)) = named else { return Ok(false) };
    let forms = list_named_forms(conn, org, customer, Some(number)).await?;
    let is_source = |typed: &TypedName| {
        typed.person_name() == Some(name.as_str()) && typed.window.is_answered_by_text_at(confirmed_at)
    };
    Ok(forms.iter().any(is_source))
}
