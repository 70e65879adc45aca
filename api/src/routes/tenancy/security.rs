//! Security administration: score, controls, compliance report, alerts and their switches.

use axum::{
    extract::State,
    http::header,
    response::{IntoResponse, Response},
};
use serde::Deserialize;
use shared::{
    domain::tenancy::{
        account::Role,
        audit::{self, AuditAction},
        org,
        security::{
            self, SecurityAlert, SecurityAlertId,
            check::{self, SecurityControl, SecurityReport, SecurityStatus},
            compliance,
            facts::{self, AccountSecurityFacts, InstallDatabaseFacts, InstallSecurityFacts, OrgSecurityFacts},
        },
    },
    ops::backup,
    platform::db::tenant_scope,
};
use utoipa::ToSchema;

use crate::{
    auth::{OrgMember, OrgOwner},
    client_info::RequestContext,
    disposition,
    error::{ApiError, ApiResult, ErrorCode},
    extract::{Json, PathWord},
    openapi,
    state::AppState,
};

pub mod audit_log;
pub mod client_management;

const LONGEST_NAME: usize = 100;

struct SecurityOverview {
    person: AccountSecurityFacts,
    /// `None` for a caller who does not own the business: they see only their own data.
    business: Option<OrgSecurityFacts>,
    install: InstallSecurityFacts,
    controls: Vec<SecurityControl>,
}

async fn load_overview(state: &AppState, member: &OrgMember) -> ApiResult<SecurityOverview> {
    let (db, now) = (state.db()?, state.origin.now());
    let is_current = db.is_schema_current().await?;
    let mut conn = db.acquire_reader().await?;
    let last_backup = backup::log::last_success_at(&mut conn).await?;
    let second_wall = tenant_scope::load_rls_status(db).await?;
    let reports_wall = tenant_scope::load_reports_rls_status(db).await?;
    let facts = InstallDatabaseFacts { is_current, second_wall, reports_wall, last_backup };
    let settings = &state.settings;
    let (key, entropy) = ((&settings.secret, settings.data_dir.as_path()), &state.origin.entropy);
    let install = InstallSecurityFacts::collect_facts(&settings.public_url, &settings.mail.way, key, entropy, facts);
    let (org, email) = (member.org(), member.session.email.as_str());
    let person =
        facts::load_account_facts(&mut conn, &state.settings.secret, org, member.account(), email, now).await?;
    let is_owner = member.session.role == Role::Owner;
    let is_operator = state.is_operator(&member.session);
    let business = if is_owner { Some(facts::load_org_facts(&mut conn, org, is_operator, now).await?) } else { None };
    let controls = match &business {
        Some(business) => check::org_controls(&person, business, &install, now),
        None => check::account_controls(&person, &install, now),
    };
    let controls = if is_operator { check::as_operator(controls) } else { controls };
    Ok(SecurityOverview { person, business, install, controls })
}

/// How secure it is
///
/// Evaluated now. Owners see the whole business, other members their own part.
#[utoipa::path(get, path = "/api/security/status", operation_id = "getSecurityStatus", tag = "security",
    security(("session" = ["owner", "office", "crew"])),
    responses((status = 200, description = "The score, and what raises it", body = SecurityStatus),
        openapi::Unauthenticated, openapi::NotFound, openapi::Unavailable))]
pub async fn get_security_status(
    member: OrgMember,
    State(state): State<AppState>,
) -> ApiResult<axum::Json<SecurityStatus>> {
    let member = member.reject_demo()?;
    let looked = load_overview(&state, &member).await?;
    Ok(axum::Json(check::build_status(&looked.person, &looked.install, &looked.controls)))
}

/// The controls behind the score, in four groups
#[utoipa::path(get, path = "/api/security/report", operation_id = "getSecurityReport", tag = "security",
    security(("session" = ["owner", "office", "crew"])),
    responses((status = 200, description = "Each control as it was found now", body = SecurityReport),
        openapi::Unauthenticated, openapi::NotFound, openapi::Unavailable))]
pub async fn get_security_report(
    member: OrgMember,
    State(state): State<AppState>,
) -> ApiResult<axum::Json<SecurityReport>> {
    let member = member.reject_demo()?;
    Ok(axum::Json(check::build_report(load_overview(&state, &member).await?.controls)))
}

/// The compliance report as a file
///
/// Markdown from what is found now, with "not in place" where something is not.
#[utoipa::path(get, path = "/api/security/compliance/{organisation}", operation_id = "getComplianceReport", tag = "security",
    security(("session" = ["owner"])),
    params(("organisation" = String, Path, description = "For whom it is made", min_length = 1, max_length = 100)),
    responses((status = 200, description = "The file", body = String, content_type = "text/markdown"),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Invalid, openapi::Unavailable))]
pub async fn get_compliance_report(
    OrgOwner(member): OrgOwner,
    State(state): State<AppState>,
    who: RequestContext,
    PathWord(organisation): PathWord,
) -> ApiResult<Response> {
    if member.is_demo() {
        return Err(ApiError::new(ErrorCode::Forbidden, "The demonstration shows nothing of this install."));
    }
    let organisation = organisation.trim();
    if organisation.is_empty() || organisation.chars().count() > LONGEST_NAME {
        return Err(ApiError::invalid_field("organisation", "Please write 1 to 100 characters"));
    }
    let looked = load_overview(&state, &member).await?;
    let business = looked.business.as_ref().ok_or_else(ApiError::not_found)?;
    let alerts = security::list_alerts(&mut state.db()?.acquire_reader().await?, member.org()).await?;
    let status = check::build_status(&looked.person, &looked.install, &looked.controls);
    let report = check::build_report(looked.controls);
    let found = compliance::ComplianceReportInput { status: &status, report: &report, business, alerts: &alerts };
    let now = state.origin.now();
    let text = compliance::render_markdown(organisation, &found, now);
    who.record_data_export(&state, &member, AuditAction::ComplianceReported, None).await?;
    let zone = org::zone_named(&member.session.org_timezone);
    let name = disposition::content_disposition(&compliance::file_name(organisation, now, zone), false);
    let headers =
        [(header::CONTENT_TYPE, "text/markdown; charset=utf-8".to_owned()), (header::CONTENT_DISPOSITION, name)];
    Ok((headers, text).into_response())
}

/// The security alerts with their switches
#[utoipa::path(get, path = "/api/security/alerts", operation_id = "listSecurityAlerts", tag = "security",
    security(("session" = ["owner"])),
    responses((status = 200, description = "All there are", body = Vec<SecurityAlert>),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Unavailable))]
pub async fn list_security_alerts(
    OrgOwner(member): OrgOwner,
    State(state): State<AppState>,
) -> ApiResult<axum::Json<Vec<SecurityAlert>>> {
    Ok(axum::Json(security::list_alerts(&mut state.db()?.acquire_reader().await?, member.org()).await?))
}

/// Whether an alert is wanted.
#[derive(Deserialize, ToSchema)]
pub struct SecurityAlertSwitch {
    #[schema(value_type = bool, required)]
    enabled: Option<bool>,
}

/// Switches a security alert
///
/// Switching one off asks for a sign-in that is not older than 15 minutes.
#[utoipa::path(patch, path = "/api/security/alerts/{alertId}", operation_id = "switchSecurityAlert", tag = "security",
    security(("session" = ["owner"])), request_body = SecurityAlertSwitch,
    params(("alertId" = inline(SecurityAlertId), Path, description = "The alert")),
    responses((status = 200, description = "The alert as it is now", body = SecurityAlert),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn switch_security_alert(
    OrgOwner(member): OrgOwner,
    State(state): State<AppState>,
    who: RequestContext,
    PathWord(alert): PathWord,
    Json(form): Json<SecurityAlertSwitch>,
) -> ApiResult<axum::Json<SecurityAlert>> {
    let alert: SecurityAlertId = serde_json::from_value(serde_json::Value::String(alert))
        .map_err(|_| ApiError::invalid_field("alertId", "There is no such alert"))?;
    let enabled = form.enabled.ok_or_else(|| ApiError::invalid_field("enabled", "Say true or false"))?;
    // A stolen phone must not be able to silence alerts.
    if !enabled {
        member.require_fresh(state.origin.now())?;
    }
    let mut tx = state.db()?.begin().await?;
    let view = security::set_alert_enabled(&mut tx, member.org(), alert, enabled).await?;
    audit::emit_event(
        &mut tx,
        &state.origin,
        &who.actor_for(&member),
        member.org(),
        AuditAction::SecurityAlertSwitched,
        None,
    );
    tx.commit().await?;
    Ok(axum::Json(view))
}
