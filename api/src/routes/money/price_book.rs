//! The price book: search, item changes, import from a spreadsheet.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
};
use serde_json::Value;
use shared::{
    domain::{
        money::price_book::{
            self, PriceForm, PriceItem, PriceItemFilter,
            import::{self, PriceImport},
        },
        tenancy::audit::{self, AuditAction},
    },
    platform::id::PriceItemId,
};

use crate::{
    auth::OrgOffice,
    client_info::RequestContext,
    error::ApiResult,
    extract::{BooleanParam, CsvBody, Json, PathId, QueryParams},
    idempotency::IdempotentOperation,
    openapi, pagination,
    state::AppState,
};

const MOST: i64 = 500;

/// The price book, by name
#[utoipa::path(get, path = "/api/price-items", operation_id = "listPriceItems", tag = "prices",
    security(("session" = ["owner", "office"])),
    params(("q" = Option<String>, Query, max_length = 200, pattern = r"^[^\x00-\x1f\x7f-\x9f\ufffd]*$",
            description = "Words to look for in name, code and description"),
        ("active" = inline(Option<BooleanParam>), Query, description = "Only what is offered, or only what was set aside; both when absent"),
        ("limit" = Option<i64>, Query, minimum = 1, maximum = 500, description = "At most so many; 100 when absent"),
        ("cursor" = Option<String>, Query, pattern = "^([0-9a-f]{32})?$", description = "Where to go on, from the Link header")),
    responses((status = 200, description = "One page", body = Vec<PriceItem>,
            headers(("X-Total-Count" = i64, description = "How many match in all"),
                ("Link" = String, description = "The next page, rel=\"next\""))),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Invalid, openapi::Unavailable))]
pub async fn list_price_items(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    query: QueryParams,
) -> ApiResult<(HeaderMap, axum::Json<Vec<PriceItem>>)> {
    let filter = PriceItemFilter {
        q: query.parse_text("q", 200)?,
        is_active: query.parse_choice::<BooleanParam>("active")?.map(BooleanParam::is_true),
        limit: query.parse_number("limit", 1..=MOST, 100)?,
        cursor: query.parse_text("cursor", 64)?,
    };
    let mut conn = state.db()?.acquire_reader().await?;
    let page = price_book::list(&mut conn, member.org(), &filter).await?;
    let total = price_book::count_items(&mut conn, member.org(), &filter).await?;
    let next =
        page.next.map(|next| pagination::next_page_link("/api/price-items", &query, &["q", "active", "limit"], &next));
    Ok((pagination::pagination_headers(total, next), axum::Json(page.items)))
}

/// Adds an item to the price book
///
/// With an `Idempotency-Key` a repeated request adds nothing twice.
#[utoipa::path(post, path = "/api/price-items", operation_id = "addPriceItem", tag = "prices",
    security(("session" = ["owner", "office"])), request_body = PriceForm,
    params(openapi::IdempotencyKey),
    responses((status = 201, description = "Added", body = PriceItem),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::Conflict, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn add_price_item(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    headers: HeaderMap,
    Json(form): Json<PriceForm>,
) -> ApiResult<(StatusCode, axum::Json<Value>)> {
    let (org, once) = (member.org(), IdempotentOperation::new("price_item", &headers, &format!("{form:?}"))?);
    let mut tx = state.db()?.begin().await?;
    if let Some(answer) = once.find_stored_response(&mut tx, &state, org).await? {
        return Ok((StatusCode::CREATED, axum::Json(answer)));
    }
    let item = price_book::create_item(&mut tx, &state.origin, org, &form).await?;
    let answer = once.store_response(&mut tx, org, &item).await?;
    let (actor, id) = (who.actor_for(&member), Some(item.id.0));
    audit::record(&mut tx, &state.origin, &actor, org, AuditAction::PriceChanged, id).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok((StatusCode::CREATED, axum::Json(answer)))
}

/// Changes an item of the price book
///
/// Papers that are out keep the price they have.
#[utoipa::path(patch, path = "/api/price-items/{id}", operation_id = "changePriceItem", tag = "prices",
    security(("session" = ["owner", "office"])), request_body = PriceForm,
    params(("id" = Uuid, Path, description = "The item")),
    responses((status = 200, description = "The item as it is now", body = PriceItem),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn change_price_item(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
    Json(form): Json<PriceForm>,
) -> ApiResult<axum::Json<PriceItem>> {
    let mut tx = state.db()?.begin().await?;
    let item = price_book::update_item(&mut tx, &state.origin, member.org(), PriceItemId(id), &form).await?;
    audit::record(&mut tx, &state.origin, &who.actor_for(&member), member.org(), AuditAction::PriceChanged, Some(id))
        .await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(axum::Json(item))
}

/// Sets an item of the price book aside
///
/// It is not offered any more, and can be brought back by making it active again.
#[utoipa::path(delete, path = "/api/price-items/{id}", operation_id = "removePriceItem", tag = "prices",
    security(("session" = ["owner", "office"])),
    params(("id" = Uuid, Path, description = "The item")),
    responses((status = 204, description = "Set aside"),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn remove_price_item(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
) -> ApiResult<StatusCode> {
    let mut tx = state.db()?.begin().await?;
    price_book::archive_item(&mut tx, &state.origin, member.org(), PriceItemId(id)).await?;
    audit::record(&mut tx, &state.origin, &who.actor_for(&member), member.org(), AuditAction::PriceChanged, Some(id))
        .await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(StatusCode::NO_CONTENT)
}

/// Takes a price list over from a spreadsheet
///
/// A CSV file of at most 2 MB and 5,000 rows whose first row names the columns: Name (or Item) and Price (or Rate), and
/// if there are any Description, Unit, Cost, Tax and Code (or SKU). A row is known by its code, else by its name; one
/// that does not fit is left out and named in `errors`. The same file again changes nothing.
#[utoipa::path(post, path = "/api/price-items/import", operation_id = "importPriceItems", tag = "prices",
    security(("session" = ["owner", "office"])),
    request_body(content = String, content_type = "text/csv"),
    params(("dryRun" = inline(Option<BooleanParam>), Query, description = "Only say what the file would change")),
    responses((status = 200, description = "What it changed, or would", body = PriceImport),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::Conflict, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn import_price_items(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    query: QueryParams,
    file: CsvBody,
) -> ApiResult<axum::Json<PriceImport>> {
    if query.parse_choice::<BooleanParam>("dryRun")?.is_some_and(BooleanParam::is_true) {
        let mut conn = state.db()?.acquire_reader().await?;
        return Ok(axum::Json(import::preview_import(&mut conn, &state.origin, member.org(), file.as_bytes()).await?));
    }
    let mut tx = state.db()?.begin().await?;
    let done = import::import_items(&mut tx, &state.origin, member.org(), file.as_bytes()).await?;
    audit::record(&mut tx, &state.origin, &who.actor_for(&member), member.org(), AuditAction::PricesImported, None)
        .await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(axum::Json(done))
}
