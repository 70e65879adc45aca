//! What a business was billed for the product: the list from Stripe, and all of it as one archive of PDFs.

use std::{cmp::Reverse, collections::BTreeSet, io};

use axum::{
    Json,
    body::Bytes,
    extract::State,
    http::{HeaderMap, HeaderValue, header},
};
use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use serde::Serialize;
use shared::{
    audit::Action, billing, error::Error, money::Cents, org, packing::Packing, providers::payments::billing::Invoice,
};
use utoipa::ToSchema;

use super::not_done;
use crate::{
    auth::{OrgMember, OrgOwner},
    describe, disposition,
    error::{ApiError, ApiResult},
    routes::org::Own,
    state::AppState,
    who::Who,
};

/// One invoice for the product.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SubscriptionInvoice)]
pub struct InvoiceView {
    /// Stripe's id of it.
    id: String,
    number: Option<String>,
    created_at: DateTime<Utc>,
    amount: Cents,
    /// Stripe's word: open, paid, uncollectible or void.
    status: String,
    has_pdf: bool,
}

impl From<Invoice> for InvoiceView {
    fn from(invoice: Invoice) -> Self {
        Self {
            created_at: day(&invoice),
            amount: invoice.total(),
            has_pdf: invoice.has_pdf(),
            status: invoice.status.unwrap_or_default(),
            id: invoice.id,
            number: invoice.number,
        }
    }
}

/// From Stripe, newest first: of every customer that the business ever was there. Who never subscribed was never billed.
async fn billed(state: &AppState, member: &OrgMember) -> ApiResult<Vec<Invoice>> {
    let Some(config) = &state.settings.billing else { return Ok(Vec::new()) };
    let all = billing::of_org(&mut state.db()?.read().await?, member.org()).await?;
    let begun = all.iter().filter(|one| one.fact.has_begun());
    let customers: BTreeSet<&str> = begun.map(|one| one.customer_id.as_str()).collect();
    let mut found = Vec::new();
    for customer in customers {
        found.extend(state.stripe.invoices(&config.keys, customer).await.map_err(|e| not_done(&e))?);
    }
    found.sort_by_key(|invoice| Reverse(invoice.created));
    Ok(found)
}

/// What one's own business was billed for the product
#[utoipa::path(get, path = "/api/subscription/{orgId}/invoices", operation_id = "listSubscriptionInvoices",
    tag = "billing", security(("session" = ["owner"])),
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug")),
    responses((status = 200, description = "Newest first, at most 100 of each customer that it was at Stripe", body = Vec<InvoiceView>),
        describe::Unauthenticated, describe::Forbidden, describe::NotFound, describe::Conflict, describe::Unavailable))]
pub async fn list_subscription_invoices(
    _owner: OrgOwner,
    Own(member): Own,
    State(state): State<AppState>,
) -> ApiResult<Json<Vec<InvoiceView>>> {
    Ok(Json(billed(&state, &member).await?.into_iter().map(Into::into).collect()))
}

/// All invoices for the product as one archive
///
/// Whole or not at all: an invoice that Stripe does not hand out now fails the whole.
#[utoipa::path(get, path = "/api/subscription/{orgId}/invoices/download", operation_id = "downloadSubscriptionInvoices",
    tag = "billing", security(("session" = ["owner"])),
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug")),
    responses((status = 200, description = "A zip of PDFs", body = String, content_type = "application/zip"),
        describe::Unauthenticated, describe::Forbidden, describe::NotFound, describe::Conflict, describe::Unavailable))]
pub async fn download_subscription_invoices(
    _owner: OrgOwner,
    Own(member): Own,
    State(state): State<AppState>,
    who: Who,
) -> ApiResult<(HeaderMap, Vec<u8>)> {
    let mut files = Vec::new();
    let all = billed(&state, &member).await?;
    for invoice in all.iter().filter(|invoice| invoice.has_pdf()) {
        let pdf = state.stripe.invoice_pdf(invoice).await.map_err(|e| not_done(&e))?;
        files.push((invoice, pdf));
    }
    if files.is_empty() {
        return Err(Error::Conflict("There is nothing to download yet.").into());
    }
    who.took(&state, &member, Action::SubscriptionInvoicesDownloaded, None).await?;
    let zone = org::zone_named(&member.session.org_timezone);
    let called = format!("toolbox-invoices-{}.zip", state.origin.now().with_timezone(&zone).format("%Y-%m-%d"));
    let archive = pack(&files, zone).map_err(|e| ApiError::internal(format!("an archive: {e}")))?;
    let shown = HeaderValue::from_str(&disposition::of(&called, false));
    let shown = shown.map_err(|e| ApiError::internal(format!("a header: {e}")))?;
    let headers = HeaderMap::from_iter([
        (header::CONTENT_TYPE, HeaderValue::from_static("application/zip")),
        (header::CONTENT_DISPOSITION, shown),
    ]);
    Ok((headers, archive))
}

/// By its number, in letters that every file system takes.
fn name(invoice: &Invoice) -> String {
    let called = invoice.number.as_deref().unwrap_or(&invoice.id);
    let plain: String = called.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).take(60).collect();
    format!("{}-{plain}.pdf", day(invoice).format("%Y-%m-%d"))
}

/// When Stripe made it.
fn day(invoice: &Invoice) -> DateTime<Utc> {
    DateTime::from_timestamp(invoice.created, 0).unwrap_or_default()
}

fn pack(files: &[(&Invoice, Bytes)], zone: Tz) -> io::Result<Vec<u8>> {
    let (mut packing, mut archive) = (Packing::default(), Vec::new());
    for (invoice, pdf) in files {
        archive.extend_from_slice(&packing.add(&name(invoice), (day(invoice), zone), pdf)?);
    }
    archive.extend_from_slice(&packing.finish()?);
    Ok(archive)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invoice_is_called_by_its_day_and_number_and_leaves_no_folder() {
        let read = |text: &str| serde_json::from_str::<Invoice>(text).unwrap();
        let numbered = read(r#"{"id":"in_1","number":"../A-1","created":1900000000,"status":"paid","total":1}"#);
        assert_eq!(name(&numbered), "2030-03-17----A-1.pdf");
        let plain = read(r#"{"id":"in_1","number":null,"created":1900000000,"status":"paid","total":1}"#);
        assert_eq!(name(&plain), "2030-03-17-in-1.pdf");
    }
}
