//! Security administration: the score, the controls behind it, the compliance report, and the alerts with their
//! switches.

use axum::{
    extract::State,
    http::header,
    response::{IntoResponse, Response},
};
use serde::Deserialize;
use shared::{
    domain::tenancy::{
        account::Role,
        audit::{self, Action},
        org,
        security::{
            self, Alert, AlertView,
            check::{self, Control, SecurityReport, SecurityStatus},
            compliance,
            facts::{self, Business, Install, Person, Told},
        },
    },
    ops::backup,
    platform::db::tenant_scope,
};
use utoipa::ToSchema;

use crate::{
    auth::{OrgMember, OrgOwner},
    client_info::Who,
    disposition,
    error::{ApiError, ApiResult, ErrorCode},
    extract::{Json, Word},
    openapi,
    state::AppState,
};

pub mod audit_log;
pub mod client;

/// The most letters of an organisation's name.
const LONGEST_NAME: usize = 100;

/// What was looked at for one caller.
struct Looked {
    person: Person,
    /// None for whoever does not own the business: they see what is their own.
    business: Option<Business>,
    install: Install,
    controls: Vec<Control>,
}

async fn look(state: &AppState, member: &OrgMember) -> ApiResult<Looked> {
    let (db, now) = (state.db()?, state.origin.now());
    let is_current = db.is_current().await?;
    let mut conn = db.read().await?;
    let last_backup = backup::log::last_good(&mut conn).await?;
    let second_wall = tenant_scope::standing(db).await?;
    let told = Told { is_current, second_wall, last_backup };
    let settings = &state.settings;
    let key = (&settings.secret, settings.data_dir.as_path());
    let install = Install::look(&settings.public_url, &settings.mail.way, key, &state.origin.entropy, told);
    let (org, email) = (member.org(), member.session.email.as_str());
    let person = facts::person(&mut conn, &state.settings.secret, org, member.account(), email, now).await?;
    let is_owner = member.session.role == Role::Owner;
    let is_operator = state.is_operator(&member.session);
    let business = if is_owner { Some(facts::business(&mut conn, org, is_operator, now).await?) } else { None };
    let controls = match &business {
        Some(business) => check::all(&person, business, &install, now),
        None => check::own(&person, &install, now),
    };
    Ok(Looked { person, business, install, controls })
}

/// How secure it is
///
/// Looked at now. The owner sees the whole business, everybody else what is their own.
#[utoipa::path(get, path = "/api/security/status", operation_id = "getSecurityStatus", tag = "security",
    security(("session" = ["owner", "office", "crew"])),
    responses((status = 200, description = "The score, and what raises it", body = SecurityStatus),
        openapi::Unauthenticated, openapi::NotFound, openapi::Unavailable))]
pub async fn get_security_status(
    member: OrgMember,
    State(state): State<AppState>,
) -> ApiResult<axum::Json<SecurityStatus>> {
    let member = member.of_this_install()?;
    let looked = look(&state, &member).await?;
    Ok(axum::Json(check::status(&looked.person, &looked.install, &looked.controls)))
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
    let member = member.of_this_install()?;
    Ok(axum::Json(check::report(look(&state, &member).await?.controls)))
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
    who: Who,
    Word(organisation): Word,
) -> ApiResult<Response> {
    if member.is_demo() {
        return Err(ApiError::new(ErrorCode::Forbidden, "The demonstration shows nothing of this install."));
    }
    let organisation = organisation.trim();
    if organisation.is_empty() || organisation.chars().count() > LONGEST_NAME {
        return Err(ApiError::field("organisation", "Please write 1 to 100 characters"));
    }
    let looked = look(&state, &member).await?;
    let business = looked.business.as_ref().ok_or_else(ApiError::not_found)?;
    let alerts = security::alerts(&mut state.db()?.read().await?, member.org()).await?;
    let status = check::status(&looked.person, &looked.install, &looked.controls);
    let report = check::report(looked.controls);
    let found = compliance::Found { status: &status, report: &report, business, alerts: &alerts };
    let now = state.origin.now();
    let text = compliance::markdown(organisation, &found, now);
    who.took(&state, &member, Action::ComplianceReported, None).await?;
    let zone = org::zone_named(&member.session.org_timezone);
    let name = disposition::of(&compliance::file_name(organisation, now, zone), false);
    let headers =
        [(header::CONTENT_TYPE, "text/markdown; charset=utf-8".to_owned()), (header::CONTENT_DISPOSITION, name)];
    Ok((headers, text).into_response())
}

/// The security alerts with their switches
#[utoipa::path(get, path = "/api/security/alerts", operation_id = "listSecurityAlerts", tag = "security",
    security(("session" = ["owner"])),
    responses((status = 200, description = "All there are", body = Vec<AlertView>),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Unavailable))]
pub async fn list_security_alerts(
    OrgOwner(member): OrgOwner,
    State(state): State<AppState>,
) -> ApiResult<axum::Json<Vec<AlertView>>> {
    Ok(axum::Json(security::alerts(&mut state.db()?.read().await?, member.org()).await?))
}

/// Whether an alert is wanted.
#[derive(Deserialize, ToSchema)]
#[schema(as = SecurityAlertSwitch)]
pub struct AlertSwitch {
    #[schema(value_type = bool, required)]
    enabled: Option<bool>,
}

/// Switches a security alert
///
/// Switching one off asks for a sign-in that is not older than 15 minutes.
#[utoipa::path(patch, path = "/api/security/alerts/{alertId}", operation_id = "switchSecurityAlert", tag = "security",
    security(("session" = ["owner"])), request_body = AlertSwitch,
    params(("alertId" = inline(Alert), Path, description = "The alert")),
    responses((status = 200, description = "The alert as it is now", body = AlertView),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn switch_security_alert(
    OrgOwner(member): OrgOwner,
    State(state): State<AppState>,
    who: Who,
    Word(alert): Word,
    Json(form): Json<AlertSwitch>,
) -> ApiResult<axum::Json<AlertView>> {
    let alert: Alert = serde_json::from_value(serde_json::Value::String(alert))
        .map_err(|_| ApiError::field("alertId", "There is no such alert"))?;
    let enabled = form.enabled.ok_or_else(|| ApiError::field("enabled", "Say true or false"))?;
    // Whoever has stolen a phone must not make it silent.
    if !enabled {
        member.is_fresh(state.origin.now())?;
    }
    let mut tx = state.db()?.begin().await?;
    let view = security::switch(&mut tx, member.org(), alert, enabled).await?;
    audit::note(&mut tx, &state.origin, &who.actor(&member), member.org(), Action::SecurityAlertSwitched, None);
    tx.commit().await?;
    Ok(axum::Json(view))
}
