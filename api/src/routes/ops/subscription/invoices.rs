//! Invoices for the product: list from Stripe, and an archive of PDFs.

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
    conflicts::ConflictCode,
    domain::tenancy::{audit::AuditAction, org},
    ops::subscription,
    platform::{money::Cents, zip_stream::ZipStream},
    providers::payments::billing::StripeInvoice,
};
use utoipa::ToSchema;

use super::to_api_error;
use crate::{
    auth::{OrgMember, OrgOwner},
    client_info::RequestContext,
    disposition,
    error::{ApiError, ApiResult},
    extract::QueryParams,
    openapi, pagination,
    routes::tenancy::org::OwnOrgAccess,
    state::AppState,
};

/// One invoice for the product.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SubscriptionInvoice {
    /// Stripe's id of it.
    id: String,
    number: Option<String>,
    created_at: DateTime<Utc>,
    amount: Cents,
    /// Stripe's word: open, paid, uncollectible or void.
    status: String,
    has_pdf: bool,
}

impl From<StripeInvoice> for SubscriptionInvoice {
    fn from(invoice: StripeInvoice) -> Self {
        Self {
            created_at: created_at(&invoice),
            amount: invoice.total(),
            has_pdf: invoice.has_pdf(),
            status: invoice.status.unwrap_or_default(),
            id: invoice.id,
            number: invoice.number,
        }
    }
}

/// From Stripe, newest first, over every customer id that the business had there.
async fn list_billed_invoices(state: &AppState, member: &OrgMember) -> ApiResult<Vec<StripeInvoice>> {
    let Some(config) = &state.settings.billing else { return Ok(Vec::new()) };
    let all = subscription::list_for_org(&mut state.db()?.acquire_reader().await?, member.org()).await?;
    let begun = all.iter().filter(|one| one.fact.has_started());
    let customers: BTreeSet<&str> = begun.map(|one| one.customer_id.as_str()).collect();
    let mut found = Vec::new();
    for customer in customers {
        found.extend(state.stripe.list_invoices(&config.keys, customer).await.map_err(|e| to_api_error(&e))?);
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
            body = Vec<SubscriptionInvoice>,
            headers(("X-Total-Count" = i64, description = "How many of these there are"),
                ("Link" = String, description = "The next page, rel=\"next\""))),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::Invalid,
        openapi::Unavailable))]
pub async fn list_subscription_invoices(
    _owner: OrgOwner,
    OwnOrgAccess(member): OwnOrgAccess,
    State(state): State<AppState>,
    query: QueryParams,
) -> ApiResult<(HeaderMap, Json<Vec<SubscriptionInvoice>>)> {
    let (limit, cursor) = (query.parse_number("limit", 1..=500, 100)?, query.parse_text("cursor", 200)?);
    let all = list_billed_invoices(&state, &member).await?;
    let total = i64::try_from(all.len()).unwrap_or(i64::MAX);
    let (page, next) = paginate_invoices(all, usize::try_from(limit).unwrap_or_default(), cursor.as_deref())?;
    let path = format!("/api/subscription/{}/invoices", member.org());
    let next = next.map(|next| pagination::next_page_link(&path, &query, &["limit"], &next));
    Ok((pagination::pagination_headers(total, next), Json(page.into_iter().map(Into::into).collect())))
}

/// One page of invoices and the cursor of the next: creation time at Stripe in seconds, and Stripe's id, of the last
/// one shown. Errors: 422 on an invalid `cursor`.
fn paginate_invoices(
    mut all: Vec<StripeInvoice>,
    limit: usize,
    cursor: Option<&str>,
) -> ApiResult<(Vec<StripeInvoice>, Option<String>)> {
    let none = || ApiError::invalid_field("cursor", "This is not a cursor of this list");
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
/// Complete or not at all: an invoice that Stripe does not return now fails the request.
#[utoipa::path(get, path = "/api/subscription/{orgId}/invoices/download", operation_id = "downloadSubscriptionInvoices",
    tag = "billing", security(("session" = ["owner"])),
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug")),
    responses((status = 200, description = "A zip of PDFs", body = String, content_type = "application/zip"),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::Unavailable))]
pub async fn download_subscription_invoices(
    _owner: OrgOwner,
    OwnOrgAccess(member): OwnOrgAccess,
    State(state): State<AppState>,
    who: RequestContext,
) -> ApiResult<(HeaderMap, Vec<u8>)> {
    let mut files = Vec::new();
    let all = list_billed_invoices(&state, &member).await?;
    for invoice in all.iter().filter(|invoice| invoice.has_pdf()) {
        let pdf = state.stripe.download_invoice_pdf(invoice).await.map_err(|e| to_api_error(&e))?;
        files.push((invoice, pdf));
    }
    if files.is_empty() {
        return Err(ConflictCode::NothingToDownload.into());
    }
    who.record_data_export(&state, &member, AuditAction::SubscriptionInvoicesDownloaded, None).await?;
    let zone = org::zone_named(&member.session.org_timezone);
    let called = format!("toolbox-invoices-{}.zip", state.origin.now().with_timezone(&zone).format("%Y-%m-%d"));
    let archive = pack_zip(&files, zone).map_err(|e| ApiError::internal(format!("an archive: {e}")))?;
    let shown = HeaderValue::from_str(&disposition::content_disposition(&called, false));
    let shown = shown.map_err(|e| ApiError::internal(format!("a header: {e}")))?;
    let headers = HeaderMap::from_iter([
        (header::CONTENT_TYPE, HeaderValue::from_static("application/zip")),
        (header::CONTENT_DISPOSITION, shown),
    ]);
    Ok((headers, archive))
}

/// The invoice number with characters that every file system accepts.
fn file_name_of(invoice: &StripeInvoice) -> String {
    let called = invoice.number.as_deref().unwrap_or(&invoice.id);
    let plain: String = called.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).take(60).collect();
    format!("{}-{plain}.pdf", created_at(invoice).format("%Y-%m-%d"))
}

fn created_at(invoice: &StripeInvoice) -> DateTime<Utc> {
    DateTime::from_timestamp(invoice.created, 0).unwrap_or_default()
}

fn pack_zip(files: &[(&StripeInvoice, Bytes)], zone: Tz) -> io::Result<Vec<u8>> {
    let (mut packing, mut archive) = (ZipStream::default(), Vec::new());
    for (invoice, pdf) in files {
        archive.extend_from_slice(&packing.add_file(&file_name_of(invoice), (created_at(invoice), zone), pdf)?);
    }
    archive.extend_from_slice(&packing.finish()?);
    Ok(archive)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invoice_list_is_paged_to_its_end_and_unknown_cursor_is_refused() {
        let read = |id: usize| {
            let text = format!(r#"{{"id":"in_{id}","number":null,"created":1900000000,"status":"paid","total":1}}"#);
            serde_json::from_str::<StripeInvoice>(&text).unwrap()
        };
        // All created in the same second: ordered by id.
        let all = || (1..=5).rev().map(read).collect::<Vec<_>>();
        let turned = |limit, cursor: Option<&str>| {
            let (page, next) = paginate_invoices(all(), limit, cursor).ok()?;
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
    fn invoice_file_name_has_date_and_number_and_no_path_separator() {
        let read = |text: &str| serde_json::from_str::<StripeInvoice>(text).unwrap();
        let numbered = read(r#"{"id":"in_1","number":"../A-1","created":1900000000,"status":"paid","total":1}"#);
        assert_eq!(file_name_of(&numbered), "2030-03-17----A-1.pdf");
        let plain = read(r#"{"id":"in_1","number":null,"created":1900000000,"status":"paid","total":1}"#);
        assert_eq!(file_name_of(&plain), "2030-03-17-in-1.pdf");
    }
}
