//! Customers: list, page, changes, addresses, merge and unmerge.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
};
use serde::Deserialize;
use serde_json::Value;
use shared::{
    domain::{
        intake::customer::{
            edit::{self, CustomerForm},
            property::{self, Property, PropertyForm},
        },
        tenancy::{
            activity_log::ActivityActor,
            audit::{self, AuditAction},
            org,
        },
    },
    ops::{
        customer_merge::{self, MergePreview},
        erasure,
    },
    platform::{
        count_cache::ListTotal,
        db::{AsConn, Tx},
        id::{CustomerId, MergeId, PropertyId},
    },
    views::customer::{
        self, CustomerListFilter, CustomerSummary,
        page::{self, CustomerDetail},
    },
};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    auth::{OrgMember, OrgOffice},
    client_info::RequestContext,
    error::{ApiError, ApiResult, request_language},
    extract::{Json, PathId, PathIdPair, QueryParams},
    idempotency::IdempotentOperation,
    openapi, pagination,
    state::AppState,
};

pub mod import;
pub mod personal_data;
pub mod proposal;

const MOST: i64 = 200;

async fn load_customer_view(
    conn: &mut dyn AsConn,
    state: &AppState,
    member: &OrgMember,
    id: CustomerId,
) -> ApiResult<axum::Json<CustomerDetail>> {
    let now = state.origin.now();
    let today = now.with_timezone(&org::zone_named(&member.session.org_timezone)).date_naive();
    let mut customer = page::get(&mut *conn, member.org(), id, now, today).await?;
    customer.erasure = erasure::request::find_erasure_status(conn, member.org(), customer.id).await?;
    if !member.can_read_messages
        && let Some(thread) = &mut customer.thread
    {
        thread.last_preview.clear();
    }
    Ok(axum::Json(customer))
}

async fn record_change(
    tx: &mut Tx,
    state: &AppState,
    who: &RequestContext,
    member: &OrgMember,
    (action, subject): (AuditAction, Uuid),
) -> ApiResult<()> {
    Ok(audit::record(tx, &state.origin, &who.actor_for(member), member.org(), action, Some(subject)).await?)
}

/// The customers, the newest record first
#[utoipa::path(get, path = "/api/customers", operation_id = "listCustomers", tag = "customers",
    security(("session" = ["owner", "office"])),
    params(("q" = Option<String>, Query, max_length = 200, pattern = r"^[^\x00-\x1f\x7f-\x9f\ufffd]*$",
            description = "Words to look for in name, phone and email"),
        ("limit" = Option<i64>, Query, minimum = 1, maximum = 200, description = "At most so many; 50 when absent"),
        ("cursor" = Option<String>, Query, pattern = "^([0-9]{1,13}_[0-9a-f]{32})?$",
            description = "Where to go on, from the Link header")),
    responses((status = 200, description = "One page", body = Vec<CustomerSummary>,
            headers(("X-Total-Count" = i64, description = "How many match in all"),
                ("Link" = String, description = "The next page, rel=\"next\""))),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Invalid, openapi::Unavailable))]
pub async fn list_customers(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    query: QueryParams,
) -> ApiResult<(HeaderMap, axum::Json<Vec<CustomerSummary>>)> {
    let filter = CustomerListFilter {
        q: query.parse_text("q", 200)?,
        limit: query.parse_number("limit", 1..=MOST, 50)?,
        cursor: query.parse_text("cursor", 200)?,
    };
    let mut conn = state.db()?.acquire_reader().await?;
    let page = customer::list(&mut conn, member.org(), &filter, state.origin.now()).await?;
    let what = format!("customers {:?}", filter.q);
    let total =
        match pagination::total_if_complete(filter.cursor.as_deref(), page.next.as_deref(), page.customers.len()) {
            Some(total) => total,
            None => {
                pagination::load_total(&state, &mut conn, member.org(), what, async |conn| {
                    Ok(ListTotal::from_row_count(customer::count_customers(conn, member.org(), &filter).await?))
                })
                .await?
            }
        };
    let next = page.next.map(|next| pagination::next_page_link("/api/customers", &query, &["q", "limit"], &next));
    Ok((pagination::pagination_headers(total, next), axum::Json(page.customers)))
}

/// A customer with everything that belongs to them
///
/// Of a record that was merged into another: that other one.
#[utoipa::path(get, path = "/api/customers/{id}", operation_id = "getCustomer", tag = "customers",
    security(("session" = ["owner", "office"])),
    params(("id" = Uuid, Path, description = "The customer")),
    responses((status = 200, description = "The customer", body = CustomerDetail),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn get_customer(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    PathId(id): PathId,
) -> ApiResult<axum::Json<CustomerDetail>> {
    let mut conn = state.db()?.acquire_reader().await?;
    load_customer_view(&mut conn, &state, &member, CustomerId(id)).await
}

/// Puts a customer's record right
///
/// Their open requests follow. A number or email of another record is refused: if they are one person, merge the two.
#[utoipa::path(patch, path = "/api/customers/{id}", operation_id = "changeCustomer", tag = "customers",
    security(("session" = ["owner", "office"])), request_body = CustomerForm,
    params(("id" = Uuid, Path, description = "The customer")),
    responses((status = 200, description = "The customer as they are now", body = CustomerDetail),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn change_customer(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
    Json(form): Json<CustomerForm>,
) -> ApiResult<axum::Json<CustomerDetail>> {
    let mut tx = state.db()?.begin().await?;
    edit::update_customer(&mut tx, &state.origin, member.org(), CustomerId(id), &form).await?;
    record_change(&mut tx, &state, &who, &member, (AuditAction::CustomerChanged, id)).await?;
    let customer = load_customer_view(&mut tx, &state, &member, CustomerId(id)).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(customer)
}

/// Adds a place to a customer
///
/// With an `Idempotency-Key` a repeated request adds nothing twice.
#[utoipa::path(post, path = "/api/customers/{id}/properties", operation_id = "addProperty", tag = "customers",
    security(("session" = ["owner", "office"])), request_body = PropertyForm,
    params(("id" = Uuid, Path, description = "The customer"),
        openapi::IdempotencyKey),
    responses((status = 201, description = "Added", body = Property),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn add_property(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
    headers: HeaderMap,
    Json(form): Json<PropertyForm>,
) -> ApiResult<(StatusCode, axum::Json<Value>)> {
    let once = IdempotentOperation::new("property", &headers, &format!("{id} {form:?}"))?;
    let mut tx = state.db()?.begin().await?;
    if let Some(answer) = once.find_stored_response(&mut tx, &state, member.org()).await? {
        return Ok((StatusCode::CREATED, axum::Json(answer)));
    }
    let place = property::add_property(&mut tx, &state.origin, member.org(), CustomerId(id), &form).await?;
    let answer = once.store_response(&mut tx, member.org(), &place).await?;
    record_change(&mut tx, &state, &who, &member, (AuditAction::CustomerChanged, id)).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok((StatusCode::CREATED, axum::Json(answer)))
}

/// Changes a place of a customer
#[utoipa::path(patch, path = "/api/customers/{id}/properties/{propertyId}", operation_id = "changeProperty",
    tag = "customers", security(("session" = ["owner", "office"])), request_body = PropertyForm,
    params(("id" = Uuid, Path, description = "The customer"), ("propertyId" = Uuid, Path, description = "The place")),
    responses((status = 200, description = "The place as it is now", body = Property),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn change_property(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathIdPair(id, place): PathIdPair,
    Json(form): Json<PropertyForm>,
) -> ApiResult<axum::Json<Property>> {
    let mut tx = state.db()?.begin().await?;
    let (customer, place) = (CustomerId(id), PropertyId(place));
    let place = property::update_property(&mut tx, &state.origin, member.org(), customer, place, &form).await?;
    record_change(&mut tx, &state, &who, &member, (AuditAction::CustomerChanged, id)).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(axum::Json(place))
}

/// Takes a place off a customer's list
///
/// Jobs that were done there keep its address. Added again, it is the same place, with these jobs.
#[utoipa::path(delete, path = "/api/customers/{id}/properties/{propertyId}", operation_id = "removeProperty",
    tag = "customers", security(("session" = ["owner", "office"])),
    params(("id" = Uuid, Path, description = "The customer"), ("propertyId" = Uuid, Path, description = "The place")),
    responses((status = 204, description = "Removed"),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::Unavailable))]
pub async fn remove_property(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathIdPair(id, place): PathIdPair,
) -> ApiResult<StatusCode> {
    let mut tx = state.db()?.begin().await?;
    property::remove_property(&mut tx, &state.origin, member.org(), CustomerId(id), PropertyId(place)).await?;
    record_change(&mut tx, &state, &who, &member, (AuditAction::CustomerChanged, id)).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(StatusCode::NO_CONTENT)
}

/// What merging two customers would do
///
/// The older record stays. Where the two differ about being blocked, texts or consent, the stricter holds. `blockedBy`
/// says why they cannot be merged now.
#[utoipa::path(get, path = "/api/customers/{id}/merge", operation_id = "previewMerge", tag = "customers",
    security(("session" = ["owner", "office"])),
    params(("id" = Uuid, Path, description = "One of the two"),
        ("with" = Uuid, Query, description = "The other one")),
    responses((status = 200, description = "Nothing was changed", body = MergePreview),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::Invalid,
        openapi::Unavailable))]
pub async fn preview_merge(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    PathId(id): PathId,
    query: QueryParams,
) -> ApiResult<axum::Json<MergePreview>> {
    let with = query.parse_id::<CustomerId>("with")?;
    let with = with.ok_or_else(|| ApiError::invalid_field("with", "Choose another customer"))?;
    let mut conn = state.db()?.acquire_reader().await?;
    let (one, language) = (CustomerId(id), request_language());
    Ok(axum::Json(customer_merge::preview_merge(&mut conn, member.org(), one, with, language).await?))
}

/// Whom to merge with.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MergeRequest {
    pub other_id: CustomerId,
}

/// Makes two customers one
///
/// Returns the remaining record, the older one. The merge can be undone for 30 days. Refused while one of the two waits
/// to be erased.
#[utoipa::path(post, path = "/api/customers/{id}/merge", operation_id = "mergeCustomers", tag = "customers",
    security(("session" = ["owner", "office"])), request_body = MergeRequest,
    params(("id" = Uuid, Path, description = "One of the two")),
    responses((status = 200, description = "The one that stays", body = CustomerDetail),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn merge_customers(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
    Json(form): Json<MergeRequest>,
) -> ApiResult<axum::Json<CustomerDetail>> {
    let mut tx = state.db()?.begin().await?;
    let (one, by) = (CustomerId(id), ActivityActor::from_session(&member.session));
    let kept = customer_merge::merge_customers(&mut tx, &state.origin, member.org(), one, form.other_id, &by).await?;
    record_change(&mut tx, &state, &who, &member, (AuditAction::CustomersMerged, kept.0)).await?;
    let customer = load_customer_view(&mut tx, &state, &member, kept).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(customer)
}

/// Parts two customers again
///
/// Within 30 days, the merge that came last first. What came in since goes to the one it came from. Refused while the
/// merged record waits to be erased.
#[utoipa::path(post, path = "/api/customers/merges/{mergeId}/undo", operation_id = "undoMerge", tag = "customers",
    security(("session" = ["owner", "office"])),
    params(("mergeId" = Uuid, Path, description = "The merge")),
    responses((status = 200, description = "The one that had stayed", body = CustomerDetail),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::Unavailable))]
pub async fn undo_merge(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
) -> ApiResult<axum::Json<CustomerDetail>> {
    let mut tx = state.db()?.begin().await?;
    let kept = customer_merge::unmerge_customers(&mut tx, &state.origin, member.org(), MergeId(id)).await?;
    record_change(&mut tx, &state, &who, &member, (AuditAction::MergeUndone, id)).await?;
    let customer = load_customer_view(&mut tx, &state, &member, kept).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(customer)
}
