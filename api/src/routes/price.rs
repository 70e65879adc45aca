//! The price book: looked through, changed item by item, and taken over from a spreadsheet.

use axum::{
    body::Bytes,
    extract::{FromRequest, Request, State},
    http::{HeaderMap, StatusCode, header},
};
use serde::Deserialize;
use serde_json::Value;
use shared::{
    domain::{
        money::price_book::{
            self, Filter, PriceForm, PriceItem,
            import::{self, PriceImport},
        },
        tenancy::audit::{self, Action},
    },
    platform::id::PriceItemId,
};
use utoipa::ToSchema;

use crate::{
    auth::OrgOffice,
    client_info::Who,
    error::{ApiError, ApiResult, ErrorCode},
    extract::{Id, Json, Query, incomplete},
    idempotency::Once,
    openapi::{self, fields},
    pagination,
    state::AppState,
};

/// A price list as a file.
pub const LIMIT: usize = 2 * 1024 * 1024;
/// Items that one page may have.
const MOST: i64 = 500;

#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Flag {
    True,
    False,
}

impl Flag {
    pub fn is_true(self) -> bool {
        matches!(self, Self::True)
    }
}

/// The price book, by name
#[utoipa::path(get, path = "/api/price-items", operation_id = "listPriceItems", tag = "prices",
    security(("session" = ["owner", "office"])),
    params(("q" = Option<String>, Query, max_length = 200, pattern = r"^[^\x00-\x1f\x7f-\x9f\ufffd]*$",
            description = "Words to look for in name, code and description"),
        ("active" = inline(Option<Flag>), Query, description = "Only what is offered, or only what was set aside; both when absent"),
        ("limit" = Option<i64>, Query, minimum = 1, maximum = 500, description = "At most so many; 100 when absent"),
        ("cursor" = Option<String>, Query, pattern = "^([0-9a-f]{32})?$", description = "Where to go on, from the Link header")),
    responses((status = 200, description = "One page", body = Vec<PriceItem>,
            headers(("X-Total-Count" = i64, description = "How many match in all"),
                ("Link" = String, description = "The next page, rel=\"next\""))),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Invalid, openapi::Unavailable))]
pub async fn list_price_items(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    query: Query,
) -> ApiResult<(HeaderMap, axum::Json<Vec<PriceItem>>)> {
    let filter = Filter {
        q: query.text("q", 200)?,
        is_active: query.choice::<Flag>("active")?.map(Flag::is_true),
        limit: query.number("limit", 1..=MOST, 100)?,
        cursor: query.text("cursor", 64)?,
    };
    let mut conn = state.db()?.read().await?;
    let page = price_book::list(&mut conn, member.org(), &filter).await?;
    let total = price_book::count(&mut conn, member.org(), &filter).await?;
    let next = page.next.map(|next| pagination::link("/api/price-items", &query, &["q", "active", "limit"], &next));
    Ok((pagination::headers(total, next), axum::Json(page.items)))
}

/// An item of the price book, or a change of one: what is absent stays.
#[derive(ToSchema)]
#[schema(as = PriceItemChange, rename_all = "camelCase")]
#[expect(dead_code, reason = "only described; `PriceForm` is what is read")]
pub struct PriceDoc {
    /// The business's own number for it; no two items have the same.
    #[schema(schema_with = fields::line_or_null::<64>)]
    code: Option<String>,
    /// A new item needs one.
    #[schema(schema_with = fields::filled::<200>)]
    name: Option<String>,
    #[schema(schema_with = fields::lines_or_null::<4000>)]
    description: Option<String>,
    /// "each" when absent.
    #[schema(schema_with = fields::line_or_null::<20>)]
    unit: Option<String>,
    /// US dollars for one unit. A new item needs one; below 0 it is a credit.
    #[schema(minimum = -10_000_000, maximum = 10_000_000)]
    price: Option<f64>,
    /// US dollars.
    #[schema(minimum = 0, maximum = 10_000_000)]
    cost: Option<f64>,
    /// In percent; null is whatever the settings say.
    #[schema(minimum = 0, maximum = 100)]
    tax_rate: Option<f64>,
    is_active: Option<bool>,
}

/// Adds an item to the price book
///
/// With an `Idempotency-Key` a repeated request adds nothing twice.
#[utoipa::path(post, path = "/api/price-items", operation_id = "addPriceItem", tag = "prices",
    security(("session" = ["owner", "office"])), request_body = PriceDoc,
    params(("Idempotency-Key" = Option<String>, Header, pattern = r"^[\t ]*[!-~]([\t -~]{0,253}[!-~])?[\t ]*$",
        description = "The same key and content get the first answer again, the same key and other content a 422")),
    responses((status = 201, description = "Added", body = PriceItem),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::Conflict, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn add_price_item(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: Who,
    headers: HeaderMap,
    Json(form): Json<PriceForm>,
) -> ApiResult<(StatusCode, axum::Json<Value>)> {
    let (org, once) = (member.org(), Once::new("price_item", &headers, &format!("{form:?}"))?);
    let mut tx = state.db()?.begin().await?;
    if let Some(answer) = once.earlier(&mut tx, &state, org).await? {
        return Ok((StatusCode::CREATED, axum::Json(answer)));
    }
    let item = price_book::add(&mut tx, &state.origin, org, &form).await?;
    let answer = once.keep(&mut tx, org, &item).await?;
    let (actor, id) = (who.actor(&member), Some(item.id.0));
    audit::record(&mut tx, &state.origin, &actor, org, Action::PriceChanged, id).await?;
    tx.commit().await?;
    state.wake();
    Ok((StatusCode::CREATED, axum::Json(answer)))
}

/// Changes an item of the price book
///
/// Papers that are out keep the price they have.
#[utoipa::path(patch, path = "/api/price-items/{id}", operation_id = "changePriceItem", tag = "prices",
    security(("session" = ["owner", "office"])), request_body = PriceDoc,
    params(("id" = Uuid, Path, description = "The item")),
    responses((status = 200, description = "The item as it is now", body = PriceItem),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn change_price_item(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: Who,
    Id(id): Id,
    Json(form): Json<PriceForm>,
) -> ApiResult<axum::Json<PriceItem>> {
    let mut tx = state.db()?.begin().await?;
    let item = price_book::edit(&mut tx, &state.origin, member.org(), PriceItemId(id), &form).await?;
    audit::record(&mut tx, &state.origin, &who.actor(&member), member.org(), Action::PriceChanged, Some(id)).await?;
    tx.commit().await?;
    state.wake();
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
    who: Who,
    Id(id): Id,
) -> ApiResult<StatusCode> {
    let mut tx = state.db()?.begin().await?;
    price_book::set_aside(&mut tx, &state.origin, member.org(), PriceItemId(id)).await?;
    audit::record(&mut tx, &state.origin, &who.actor(&member), member.org(), Action::PriceChanged, Some(id)).await?;
    tx.commit().await?;
    state.wake();
    Ok(StatusCode::NO_CONTENT)
}

/// A CSV file as the body.
pub struct Csv(Bytes);

impl Csv {
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl<S: Send + Sync> FromRequest<S> for Csv {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> ApiResult<Self> {
        let kind =
            request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        if !kind.split(';').next().is_some_and(|essence| essence.trim().eq_ignore_ascii_case("text/csv")) {
            return Err(ApiError::new(ErrorCode::UnsupportedMediaType, "Please send this as text/csv."));
        }
        let read = Bytes::from_request(request, state).await;
        read.map(Self).map_err(|broken| incomplete(broken.status(), &broken, "The file broke off."))
    }
}

/// Takes a price list over from a spreadsheet
///
/// A CSV file of at most 2 MB and 5,000 rows whose first row names the columns: Name (or Item) and Price (or Rate), and
/// if there are any Description, Unit, Cost, Tax and Code (or SKU). A row is known by its code, else by its name; one that
/// does not fit is left out and named in `errors`. The same file again changes nothing.
#[utoipa::path(post, path = "/api/price-items/import", operation_id = "importPriceItems", tag = "prices",
    security(("session" = ["owner", "office"])),
    request_body(content = String, content_type = "text/csv"),
    params(("dryRun" = inline(Option<Flag>), Query, description = "Only say what the file would change")),
    responses((status = 200, description = "What it changed, or would", body = PriceImport),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::Conflict, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn import_price_items(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: Who,
    query: Query,
    Csv(file): Csv,
) -> ApiResult<axum::Json<PriceImport>> {
    if query.choice::<Flag>("dryRun")?.is_some_and(Flag::is_true) {
        let mut conn = state.db()?.read().await?;
        return Ok(axum::Json(import::preview(&mut conn, &state.origin, member.org(), &file).await?));
    }
    let mut tx = state.db()?.begin().await?;
    let done = import::import(&mut tx, &state.origin, member.org(), &file).await?;
    audit::record(&mut tx, &state.origin, &who.actor(&member), member.org(), Action::PricesImported, None).await?;
    tx.commit().await?;
    state.wake();
    Ok(axum::Json(done))
}
