//! Import of customers and requests from another program's list, and its undo.

use axum::extract::State;
use shared::{
    domain::{
        intake::customer::import::{
            self, CustomerImport, CustomerImportEntry, CustomerImportPlan, CustomerImportUndone,
        },
        tenancy::{
            audit::{self, AuditAction},
            org::{self, OrgProfile},
            trust_level::{TrustSubject, usage},
        },
    },
    platform::id::CustomerImportId,
};

use crate::{
    auth::{OrgMember, OrgOffice},
    client_info::RequestContext,
    error::{ApiError, ApiResult},
    extract::{BooleanParam, CsvBody, PathId, QueryParams},
    openapi,
    state::AppState,
};

/// Takes customers over from another program's list
///
/// A CSV file of at most 2 MB and 5,000 rows whose first row names the columns, as Jobber, Housecall Pro,
/// `ServiceTitan` or `QuickBooks` save it: a name (or first and last name), Phone or Email, and if there are any a
/// second phone, Address, City, State, Zip, Notes and Source. A row with a Service is a request too. People are known
/// by their numbers and emails: who is known stays as they are, so the same file again changes nothing. Where only forms
/// made somebody known, the row confirms its phones and email, and what a form typed beside them waits for the office
/// (`updated`). A row that does not fit is left out and named in `errors`. Nobody is written to.
#[utoipa::path(post, path = "/api/customers/import", operation_id = "importCustomers", tag = "customers",
    security(("session" = ["owner", "office"])),
    request_body(content = String, content_type = "text/csv"),
    params(("dryRun" = inline(Option<BooleanParam>), Query, description = "Only say what the file would bring in")),
    responses((status = 200, description = "What it brought in, or would", body = CustomerImport),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::Conflict, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn import_customers(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    query: QueryParams,
    file: CsvBody,
) -> ApiResult<axum::Json<CustomerImport>> {
    let mut conn = state.db()?.acquire_reader().await?;
    let plan = import::plan_import(&mut conn, member.org(), file.as_bytes()).await?;
    if query.parse_choice::<BooleanParam>("dryRun")?.is_some_and(BooleanParam::is_true) {
        return Ok(axum::Json(plan.report));
    }
    let org = org::find(&mut conn, member.org()).await?.ok_or_else(ApiError::not_found)?;
    let profile = org::load_profile(&mut conn, org).await?;
    // Not held: other requests are processed between the pieces.
    drop(conn);
    // Only what was added can be undone.
    let id = import_rows(&state, &who, &member, (&profile, &plan)).await?.filter(|_| plan.report.added > 0);
    Ok(axum::Json(CustomerImport { id, ..plan.report }))
}

/// Imports a list in pieces. An interrupted import keeps its finished pieces; it can be undone or sent again.
async fn import_rows(
    state: &AppState,
    who: &RequestContext,
    member: &OrgMember,
    (profile, plan): (&OrgProfile, &CustomerImportPlan),
) -> ApiResult<Option<CustomerImportId>> {
    let (db, org) = (state.db()?, member.org());
    let mut tx = db.begin_long().await?;
    let id = if plan.is_empty() {
        None
    } else {
        let (added, takes_money) =
            (i64::try_from(plan.report.added).unwrap_or(i64::MAX), state.settings.billing.is_some());
        usage::consume_budget(&mut tx, &state.origin, (org, TrustSubject::Import), added, takes_money).await?;
        Some(import::start_import(&mut tx, &state.origin, org, member.session.account_id).await?)
    };
    let (actor, about) = (who.actor_for(member), id.map(|id| id.0));
    audit::record(&mut tx, &state.origin, &actor, org, AuditAction::CustomersImported, about).await?;
    tx.commit().await?;
    let Some(id) = id else { return Ok(None) };
    for piece in plan.iter_batches() {
        let mut tx = db.begin_long().await?;
        import::import_batch(&mut tx, &state.origin, (profile, id), piece).await?;
        tx.commit().await?;
        state.notify_committed();
    }
    Ok(Some(id))
}

/// The last lists that were taken over
#[utoipa::path(get, path = "/api/customers/imports", operation_id = "listCustomerImports", tag = "customers",
    security(("session" = ["owner", "office"])),
    responses((status = 200, description = "The last twenty, the newest first", body = Vec<CustomerImportEntry>),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Unavailable))]
pub async fn list_customer_imports(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
) -> ApiResult<axum::Json<Vec<CustomerImportEntry>>> {
    let mut conn = state.db()?.acquire_reader().await?;
    Ok(axum::Json(import::list(&mut conn, member.org()).await?))
}

/// Takes a list of customers back
///
/// Within 24 hours. Imported customers are removed, except those with later activity.
#[utoipa::path(post, path = "/api/customers/imports/{importId}/undo", operation_id = "undoCustomerImport",
    tag = "customers", security(("session" = ["owner", "office"])),
    params(("importId" = Uuid, Path, description = "The import")),
    responses((status = 200, description = "How many went, and how many stay", body = CustomerImportUndone),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::Unavailable))]
pub async fn undo_customer_import(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
) -> ApiResult<axum::Json<CustomerImportUndone>> {
    let mut tx = state.db()?.begin_long().await?;
    let undone = import::undo_import(&mut tx, &state.origin, member.org(), CustomerImportId(id)).await?;
    let actor = who.actor_for(&member);
    audit::record(&mut tx, &state.origin, &actor, member.org(), AuditAction::CustomersImportUndone, Some(id)).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(axum::Json(undone))
}
