//! What a business was billed for the product: the list from Stripe, and all of it as one archive of PDFs.

use std::{collections::BTreeSet, io};

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
    domain::tenancy::{audit::Action, org},
    ops::subscription,
    platform::{error::Error, money::Cents, zip_stream::Packing},
    providers::payments::billing::Invoice,
};
use utoipa::ToSchema;

use super::not_done;
use crate::{
    auth::{OrgMember, OrgOwner},
    client_info::Who,
    disposition,
    error::{ApiError, ApiResult},
    extract::Query,
    openapi, pagination,
    routes::org::Own,
    state::AppState,
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
    let all = subscription::of_org(&mut state.db()?.read().await?, member.org()).await?;
    let begun = all.iter().filter(|one| one.fact.has_begun());
    let customers: BTreeSet<&str> = begun.map(|one| one.customer_id.as_str()).collect();
    let mut found = Vec::new();
    for customer in customers {
        found.extend(state.stripe.invoices(&config.keys, customer).await.map_err(|e| not_done(&e))?);
    }
    found.sort_by(|one, other| (other.created, &other.id).cmp(&(one.created, &one.id)));
    Ok(found)
}

/// What one's own business was billed for the product
#[utoipa::path(get, path = "/api/subscription/{orgId}/invoices", operation_id = "listSubscriptionInvoices",
    tag = "billing", security(("session" = ["owner"])),
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug"),
        ("limit" = Option<i64>, Query, minimum = 1, maximum = 500, description = "At most so many; 100 when absent"),
        ("cursor" = Option<String>, Query, pattern = "^([0-9]{1,13}_[0-9A-Za-z_]{1,100})?$",
            description = "Where to go on, from the Link header")),
    responses((status = 200, description = "One page, newest first, of the newest 100 of each customer that it was at Stripe",
            body = Vec<InvoiceView>,
            headers(("X-Total-Count" = i64, description = "How many of these there are"),
                ("Link" = String, description = "The next page, rel=\"next\""))),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::Invalid,
        openapi::Unavailable))]
pub async fn list_subscription_invoices(
    _owner: OrgOwner,
    Own(member): Own,
    State(state): State<AppState>,
    query: Query,
) -> ApiResult<(HeaderMap, Json<Vec<InvoiceView>>)> {
    let (limit, cursor) = (query.number("limit", 1..=500, 100)?, query.text("cursor", 200)?);
    let all = billed(&state, &member).await?;
    let total = i64::try_from(all.len()).unwrap_or(i64::MAX);
    let (page, next) = page(all, usize::try_from(limit).unwrap_or_default(), cursor.as_deref())?;
    let path = format!("/api/subscription/{}/invoices", member.org());
    let next = next.map(|next| pagination::link(&path, &query, &["limit"], &next));
    Ok((pagination::headers(total, next), Json(page.into_iter().map(Into::into).collect())))
}

/// So many of the invoices after the one that the cursor names, and the cursor of the page after them: when Stripe made the
/// last one shown, in seconds, and Stripe's id of it.
///
/// # Errors
/// 422 on `cursor` when it is not one of ours.
fn page(mut all: Vec<Invoice>, limit: usize, cursor: Option<&str>) -> ApiResult<(Vec<Invoice>, Option<String>)> {
    let none = || ApiError::field("cursor", "This is not a cursor of this list");
    if let Some(last) = cursor {
        let (created, id) = last.split_once('_').ok_or_else(none)?;
        let created: i64 = created.parse().map_err(|_| none())?;
        all.retain(|invoice| (invoice.created, invoice.id.as_str()) < (created, id));
    }
    let more = all.len() > limit;
    all.truncate(limit);
    let next = all.last().filter(|_| more).map(|invoice| format!("{}_{}", invoice.created, invoice.id));
    Ok((all, next))
}

/// All invoices for the product as one archive
///
/// Whole or not at all: an invoice that Stripe does not hand out now fails the whole.
#[utoipa::path(get, path = "/api/subscription/{orgId}/invoices/download", operation_id = "downloadSubscriptionInvoices",
    tag = "billing", security(("session" = ["owner"])),
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug")),
    responses((status = 200, description = "A zip of PDFs", body = String, content_type = "application/zip"),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::Unavailable))]
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
    fn the_list_is_turned_page_by_page_and_ends() {
        let read = |id: usize| {
            let text = format!(r#"{{"id":"in_{id}","number":null,"created":1900000000,"status":"paid","total":1}}"#);
            serde_json::from_str::<Invoice>(&text).unwrap()
        };
        // All of one second: then the ids are in order.
        let all = || (1..=5).rev().map(read).collect::<Vec<_>>();
        let turned = |limit, cursor: Option<&str>| {
            let (page, next) = page(all(), limit, cursor).ok()?;
            Some((page.into_iter().map(|invoice| invoice.id).collect::<Vec<_>>(), next))
        };
        let of = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
        let after = |id: &str| Some(format!("1900000000_{id}"));
        assert_eq!(turned(2, None), Some((of(&["in_5", "in_4"]), after("in_4"))));
        assert_eq!(turned(2, after("in_4").as_deref()), Some((of(&["in_3", "in_2"]), after("in_2"))));
        assert_eq!(turned(2, after("in_2").as_deref()), Some((of(&["in_1"]), None)));
        assert_eq!(turned(2, Some("1800000000_in_9")), Some((Vec::new(), None)), "older than all of them");
        assert_eq!(turned(5, None).unwrap().1, None);
        assert_eq!((turned(5, Some("in_4")), turned(5, Some("190000000O"))), (None, None), "no cursor");
    }

    #[test]
    fn an_invoice_is_called_by_its_day_and_number_and_leaves_no_folder() {
        let read = |text: &str| serde_json::from_str::<Invoice>(text).unwrap();
        let numbered = read(r#"{"id":"in_1","number":"../A-1","created":1900000000,"status":"paid","total":1}"#);
        assert_eq!(name(&numbered), "2030-03-17----A-1.pdf");
        let plain = read(r#"{"id":"in_1","number":null,"created":1900000000,"status":"paid","total":1}"#);
        assert_eq!(name(&plain), "2030-03-17-in-1.pdf");
    }
}
