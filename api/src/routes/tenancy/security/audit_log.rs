//! The audit log: pages, CSV file, and verification.

use axum::{
    extract::State,
    http::{HeaderMap, header},
    response::{IntoResponse, Response},
};
use serde::{Deserialize, Serialize};
use shared::{
    domain::{
        messaging::security_alert::{self, traffic_check},
        tenancy::{
            audit::{
                self, AuditAction,
                anchor::{self, AuditAnchor},
                export,
                verify::{self, AuditVerdict},
                view::{self, AuditEvent, AuditFilter},
            },
            org::{self, Org},
        },
        work::job::tiles,
    },
    platform::{db::AsConn, id::AccountId},
};
use utoipa::ToSchema;

use crate::{
    auth::OwnerOrOperator,
    client_info::RequestContext,
    error::{ApiError, ApiResult},
    extract::{Json, QueryParams},
    openapi, pagination,
    state::AppState,
};

const PATH: &str = "/api/security/audit-log";
const MOST: i64 = 500;
const WORDS: [&str; 7] = ["action", "actor", "from", "to", "q", "limit", "org"];

/// The log as product.md has it.
#[derive(Serialize, ToSchema)]
pub struct AuditLog {
    /// How many lines match, on all pages.
    total: i64,
    /// Why there are none, if that is not because nothing happened.
    error: Option<String>,
    /// One page, the newest first.
    events: Vec<AuditEvent>,
}

/// Business whose log is requested: the caller's own; an operator may name any.
pub(super) async fn find_audited_org(
    conn: &mut dyn AsConn,
    caller: &OwnerOrOperator,
    named: Option<&str>,
) -> ApiResult<Org> {
    let own = caller.member.org();
    let found = match named {
        None => org::find(conn, own).await?,
        Some(name) => match name.parse() {
            Ok(id) => org::find(conn, shared::platform::id::OrgId(id)).await?,
            Err(_) => org::find_by_slug(conn, name).await?,
        },
    };
    found.filter(|org| org.id == own || caller.is_operator).ok_or_else(ApiError::not_found)
}

fn parse_filter(query: &QueryParams, org: &Org, limit: i64) -> ApiResult<AuditFilter> {
    let period = query.parse_period()?;
    let begins = |day| tiles::day_start(org.zone(), day);
    let before = query.parse_text("cursor", 19)?.map(|place| place.parse::<i64>()).transpose();
    Ok(AuditFilter {
        action: query.parse_choice::<AuditAction>("action")?,
        actor: query.parse_id::<AccountId>("actor")?,
        since: period.map(|period| begins(period.from)),
        until: period.and_then(|period| period.to.succ_opt()).map(begins),
        q: query.parse_text("q", 100)?,
        limit,
        before: before.map_err(|_| ApiError::invalid_field("cursor", "This is not a cursor of this list"))?,
    })
}

/// Who did what, the newest first
#[utoipa::path(get, path = "/api/security/audit-log", operation_id = "getAuditLog", tag = "security",
    security(("session" = ["owner"])),
    params(("action" = inline(Option<AuditAction>), Query, description = "Only this"),
        ("actor" = Option<uuid::Uuid>, Query, description = "Only what this person did"),
        ("from" = Option<String>, Query, format = Date, description = "From this date on; with `to`"),
        ("to" = Option<String>, Query, format = Date, description = "Up to this date; with `from`"),
        ("q" = Option<String>, Query, description = "Found in the name or email of who did it, or the network it came from", max_length = 100),
        ("limit" = Option<i64>, Query, minimum = 1, maximum = 500, description = "At most so many; 100 when absent"),
        ("cursor" = Option<String>, Query, pattern = "^([0-9]{1,18})?$", description = "Where to go on, from the Link header"),
        ("org" = Option<String>, Query, description = "Slug or id of another business: for the operators of the install", max_length = 100)),
    responses((status = 200, description = "One page", body = AuditLog,
            headers(("X-Total-Count" = i64, description = "How many match in all"),
                ("Link" = String, description = "The next page, rel=\"next\""))),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Invalid, openapi::Unavailable))]
pub async fn get_audit_log(
    caller: OwnerOrOperator,
    State(state): State<AppState>,
    query: QueryParams,
) -> ApiResult<(HeaderMap, axum::Json<AuditLog>)> {
    let limit = query.parse_number("limit", 1..=MOST, 100)?;
    let mut conn = caller.with_caller_scope(state.db()?.acquire_reader()).await?;
    let org = find_audited_org(&mut conn, &caller, query.parse_text("org", 100)?.as_deref()).await?;
    let filter = parse_filter(&query, &org, limit)?;
    let total = view::count_lines(&mut conn, org.id, &filter).await?;
    let (events, more) = view::list(&mut conn, org.id, &filter).await?;
    let last = events.last().filter(|_| more).map(|line| line.seq.to_string());
    let next = last.map(|place| pagination::next_page_link(PATH, &query, &WORDS, &place));
    Ok((pagination::pagination_headers(total, next), axum::Json(AuditLog { total, error: None, events })))
}

/// The audit log as a file
///
/// Asks for a sign-in that is not older than 15 minutes.
#[utoipa::path(get, path = "/api/security/audit-log/export", operation_id = "exportAuditLog", tag = "security",
    security(("session" = ["owner"])),
    params(("action" = inline(Option<AuditAction>), Query, description = "Only this"),
        ("actor" = Option<uuid::Uuid>, Query, description = "Only what this person did"),
        ("from" = Option<String>, Query, format = Date, description = "From this date on; with `to`"),
        ("to" = Option<String>, Query, format = Date, description = "Up to this date; with `from`"),
        ("q" = Option<String>, Query, description = "Found in the name or email of who did it, or the network it came from", max_length = 100),
        ("org" = Option<String>, Query, description = "Slug or id of another business: for the operators of the install", max_length = 100)),
    responses((status = 200, description = "The file", body = String, content_type = "text/csv"),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Invalid, openapi::Unavailable))]
pub async fn export_audit_log(
    caller: OwnerOrOperator,
    State(state): State<AppState>,
    who: RequestContext,
    query: QueryParams,
) -> ApiResult<Response> {
    caller.member.require_fresh(state.origin.now())?;
    let mut conn = caller.with_caller_scope(state.db()?.acquire_reader()).await?;
    let org = find_audited_org(&mut conn, &caller, query.parse_text("org", 100)?.as_deref()).await?;
    let filter = parse_filter(&query, &org, MOST)?;
    // Read outside the transaction: a long export must not block the only writer.
    let lines = export::list_all_lines(&mut conn, org.id, &filter).await?;
    drop(conn);
    who.record_data_export(&state, &caller.member, AuditAction::AuditExported, Some(org.id.0)).await?;
    let name = export::file_name(state.origin.now(), org.zone());
    let headers = [
        (header::CONTENT_TYPE, "text/csv; charset=utf-8".to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")),
    ];
    Ok((headers, export::to_csv(&lines)?).into_response())
}

/// What the log is compared with beside itself.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct VerifyRequest {
    /// The line of letters from one of the mails with the seal of the log.
    #[schema(max_length = 200)]
    seal: Option<String>,
}

/// Looks through the whole log
///
/// Recomputes each line's hash. With the seal from a mail, a truncated or rewritten log is also found.
#[utoipa::path(post, path = "/api/security/audit-log/verify", operation_id = "verifyAuditLog", tag = "security",
    security(("session" = ["owner"])), request_body = VerifyRequest,
    responses((status = 200, description = "What was found", body = AuditVerdict),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::TooLarge, openapi::WrongMedia,
        openapi::Invalid, openapi::Unavailable))]
pub async fn verify_audit_log(
    caller: OwnerOrOperator,
    State(state): State<AppState>,
    who: RequestContext,
    Json(form): Json<VerifyRequest>,
) -> ApiResult<axum::Json<AuditVerdict>> {
    let (db, secret, org) = (state.db()?, &state.settings.secret, caller.member.org());
    let seal = form.seal.as_deref().map(str::trim).filter(|seal| !seal.is_empty());
    let given = seal.map(|seal| AuditAnchor::parse(secret, seal).filter(|anchor| anchor.org() == org));
    if given == Some(None) {
        return Err(ApiError::invalid_field("seal", "This is no seal of this business's audit log"));
    }
    let now = state.origin.now();
    let given = given.flatten();
    let verdict = verify::verify_chain(&mut db.acquire_reader().await?, secret, org, given.clone(), now).await?;
    let mut tx = db.begin().await?;
    verify::store_verdict(&mut tx, org, &verdict).await?;
    if let Some(anchor) = &given {
        anchor::store_anchor(&mut tx, secret, anchor).await?;
    }
    if let Some(cause) = traffic_check::broken_audit_finding(&verdict) {
        security_alert::raise_alert(&mut tx, &state.origin, &state.settings.public_url, org, &cause).await?;
    }
    audit::emit_event(&mut tx, &state.origin, &who.actor_for(&caller.member), org, AuditAction::AuditVerified, None);
    tx.commit().await?;
    state.notify_committed();
    Ok(axum::Json(verdict))
}
