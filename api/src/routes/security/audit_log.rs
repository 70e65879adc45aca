//! The audit log: who did what, page by page, as a file, and looked through whether anybody changed it.

use axum::{
    extract::State,
    http::{HeaderMap, header},
    response::{IntoResponse, Response},
};
use serde::{Deserialize, Serialize};
use shared::{
    domain::{
        tenancy::{
            audit::{
                self, Action,
                anchor::{self, Anchor},
                export,
                verify::{self, Verdict},
                view::{self, Filter, Line},
            },
            org::{self, Org},
            security::{self, watch},
        },
        work::job::tiles,
    },
    platform::{db::AsConn, id::AccountId},
};
use utoipa::ToSchema;

use crate::{
    auth::OwnerOrOperator,
    client_info::Who,
    error::{ApiError, ApiResult},
    extract::{Json, Query},
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
    events: Vec<Line>,
}

/// The business whose log is asked for: the caller's own, and for an operator of the install any.
pub(super) async fn business(conn: &mut dyn AsConn, caller: &OwnerOrOperator, named: Option<&str>) -> ApiResult<Org> {
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

fn filter(query: &Query, org: &Org, limit: i64) -> ApiResult<Filter> {
    let period = query.period()?;
    let begins = |day| tiles::begins(org.zone(), day);
    let before = query.text("cursor", 19)?.map(|place| place.parse::<i64>()).transpose();
    Ok(Filter {
        action: query.choice::<Action>("action")?,
        actor: query.id::<AccountId>("actor")?,
        since: period.map(|period| begins(period.from)),
        until: period.and_then(|period| period.to.succ_opt()).map(begins),
        q: query.text("q", 100)?,
        limit,
        before: before.map_err(|_| ApiError::field("cursor", "This is not a cursor of this list"))?,
    })
}

/// Who did what, the newest first
#[utoipa::path(get, path = "/api/security/audit-log", operation_id = "getAuditLog", tag = "security",
    security(("session" = ["owner"])),
    params(("action" = inline(Option<Action>), Query, description = "Only this"),
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
    query: Query,
) -> ApiResult<(HeaderMap, axum::Json<AuditLog>)> {
    let limit = query.number("limit", 1..=MOST, 100)?;
    let mut conn = caller.reaching(state.db()?.read()).await?;
    let org = business(&mut conn, &caller, query.text("org", 100)?.as_deref()).await?;
    let filter = filter(&query, &org, limit)?;
    let total = view::total(&mut conn, org.id, &filter).await?;
    let (events, more) = view::list(&mut conn, org.id, &filter).await?;
    let last = events.last().filter(|_| more).map(|line| line.seq.to_string());
    let next = last.map(|place| pagination::link(PATH, &query, &WORDS, &place));
    Ok((pagination::headers(total, next), axum::Json(AuditLog { total, error: None, events })))
}

/// The audit log as a file
///
/// Asks for a sign-in that is not older than 15 minutes.
#[utoipa::path(get, path = "/api/security/audit-log/export", operation_id = "exportAuditLog", tag = "security",
    security(("session" = ["owner"])),
    params(("action" = inline(Option<Action>), Query, description = "Only this"),
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
    who: Who,
    query: Query,
) -> ApiResult<Response> {
    caller.member.is_fresh(state.origin.now())?;
    let mut conn = caller.reaching(state.db()?.read()).await?;
    let org = business(&mut conn, &caller, query.text("org", 100)?.as_deref()).await?;
    let filter = filter(&query, &org, MOST)?;
    // Read outside the transaction: a long export must not keep the one writer from its work.
    let lines = export::rows(&mut conn, org.id, &filter).await?;
    drop(conn);
    who.took(&state, &caller.member, Action::AuditExported, Some(org.id.0)).await?;
    let name = export::file_name(state.origin.now(), org.zone());
    let headers = [
        (header::CONTENT_TYPE, "text/csv; charset=utf-8".to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")),
    ];
    Ok((headers, export::csv(&lines)?).into_response())
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
/// Each line is reckoned again. With the seal from a mail it is also found when the end was cut off or all was written
/// anew.
#[utoipa::path(post, path = "/api/security/audit-log/verify", operation_id = "verifyAuditLog", tag = "security",
    security(("session" = ["owner"])), request_body = VerifyRequest,
    responses((status = 200, description = "What was found", body = Verdict),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::TooLarge, openapi::WrongMedia,
        openapi::Invalid, openapi::Unavailable))]
pub async fn verify_audit_log(
    caller: OwnerOrOperator,
    State(state): State<AppState>,
    who: Who,
    Json(form): Json<VerifyRequest>,
) -> ApiResult<axum::Json<Verdict>> {
    let (db, secret, org) = (state.db()?, &state.settings.secret, caller.member.org());
    let seal = form.seal.as_deref().map(str::trim).filter(|seal| !seal.is_empty());
    let given = seal.map(|seal| Anchor::read(secret, seal).filter(|anchor| anchor.org() == org));
    if given == Some(None) {
        return Err(ApiError::field("seal", "This is no seal of this business's audit log"));
    }
    let now = state.origin.now();
    let given = given.flatten();
    let verdict = verify::verify(&mut db.read().await?, secret, org, given.clone(), now).await?;
    let mut tx = db.begin().await?;
    verify::keep(&mut tx, org, &verdict).await?;
    if let Some(anchor) = &given {
        anchor::remember(&mut tx, secret, anchor).await?;
    }
    if let Some(cause) = watch::broken(&verdict) {
        security::raise(&mut tx, &state.origin, &state.settings.public_url, org, &cause).await?;
    }
    audit::note(&mut tx, &state.origin, &who.actor(&caller.member), org, Action::AuditVerified, None);
    tx.commit().await?;
    state.wake();
    Ok(axum::Json(verdict))
}
