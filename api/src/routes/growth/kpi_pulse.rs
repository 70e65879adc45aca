//! The owner's report: preview, history, and sending one now.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use shared::{
    domain::{
        growth::kpi_pulse::{
            self, DuePulse, ManualSendRequest, PulseMessage, PulseOutcome, PulseReport, PulseView, SentPulse, plan,
        },
        tenancy::{
            audit::{self, AuditAction},
            org::{self, OrgProfile},
        },
    },
    platform::{
        db::{AsConn, tenant_scope::across_tenants},
        id::PulseId,
        period::Period,
        sms_segments::{self, SegmentCount},
    },
};
use utoipa::ToSchema;

use crate::{
    auth::{OrgMember, OrgOffice},
    client_info::RequestContext,
    error::ApiResult,
    extract::Json,
    idempotency::IdempotentOperation,
    openapi,
    routes::tenancy::org::load_profile,
    state::AppState,
};

/// About which days it is.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PulsePeriod {
    /// The last seven days, today among them, as the dashboard shows them.
    Manual,
}

/// A wish for a report.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[schema(as = PulseWish)]
pub struct PulseRequest {
    /// Always `manual`: the others come by themselves.
    pub period: PulsePeriod,
}

/// What a report would say now.
#[derive(Serialize, ToSchema)]
pub struct PulsePreview {
    subject: String,
    /// The email in plain words.
    text: String,
    sms: String,
    /// What the text costs.
    segments: SegmentCount,
}

/// The reports of a business.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PulseShown)]
pub struct KpiPulseView {
    /// When the next one is due; it may be left out then, on a quiet day or with the switch off.
    next_at: Option<DateTime<Utc>>,
    preview: PulsePreview,
    /// The last thirty, newest first.
    reports: Vec<PulseView>,
}

/// Report of the current dashboard. It includes the worker's status, which depends on all businesses' work: the
/// connection must show these too.
async fn build_current_report(conn: &mut dyn AsConn, state: &AppState, profile: &OrgProfile) -> ApiResult<PulseReport> {
    let now = state.origin.now();
    let today = now.with_timezone(&profile.org.zone()).date_naive();
    Ok(kpi_pulse::load_report(conn, profile, now, Period::week_ending(today)).await?)
}

fn build_preview(state: &AppState, profile: &OrgProfile, report: &PulseReport) -> PulsePreview {
    let id = PulseId(uuid::Uuid::nil());
    let due = DuePulse { org_id: profile.org.id, id, due_at: state.origin.now(), account_id: None };
    let letter =
        PulseMessage { profile, url: &state.settings.public_url, report, outcome: PulseOutcome::Sent, due: &due };
    let sms = letter.render_sms();
    PulsePreview {
        subject: letter.subject(),
        text: letter.render_text(),
        segments: sms_segments::count_segments(&sms),
        sms,
    }
}

/// The report of the figures
///
/// What it would say now, when the next one is due, and what became of the last ones.
#[utoipa::path(get, path = "/api/kpi-pulse", operation_id = "getKpiPulse", tag = "figures",
    security(("session" = ["owner", "office"])),
    responses((status = 200, description = "The reports", body = KpiPulseView),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn get_kpi_pulse(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
) -> ApiResult<axum::Json<KpiPulseView>> {
    let mut conn = across_tenants(state.db()?.begin_snapshot()).await?;
    let profile = load_profile(&mut conn, &member).await?;
    let report = build_current_report(&mut conn, &state, &profile).await?;
    Ok(axum::Json(KpiPulseView {
        next_at: plan::find_next_due_at(&mut conn, member.org()).await?,
        preview: build_preview(&state, &profile, &report),
        reports: kpi_pulse::list_recent(&mut conn, member.org()).await?,
    }))
}

/// Sends a report at once
///
/// To the recipients, else to the caller. It covers the last seven days including today, as on the dashboard. The 409
/// says what is missing. With an `Idempotency-Key` a repeated request is not a second report.
#[utoipa::path(post, path = "/api/kpi-pulse", operation_id = "sendKpiPulse", tag = "figures",
    security(("session" = ["owner", "office"])), request_body = PulseRequest,
    params(openapi::IdempotencyKey),
    responses((status = 202, description = "Queued: to whom, and whom nothing can reach", body = SentPulse),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::Conflict, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::TooMany, openapi::Unavailable))]
pub async fn send_kpi_pulse(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    headers: HeaderMap,
    Json(wish): Json<PulseRequest>,
) -> ApiResult<(StatusCode, axum::Json<SentPulse>)> {
    let PulsePeriod::Manual = wish.period;
    let once = IdempotentOperation::new("kpi_pulse", &headers, "manual")?;
    let mut conn = across_tenants(state.db()?.begin_snapshot()).await?;
    let profile = load_profile(&mut conn, &member).await?;
    let report = build_current_report(&mut conn, &state, &profile).await?;
    drop(conn);
    let mut tx = state.db()?.begin().await?;
    org::lock(&mut tx, member.org()).await?;
    if let Some(sent) = once.find_stored_response(&mut tx, &state, member.org()).await? {
        drop(tx);
        return with_outlooks(&state, &member, sent).await;
    }
    let asked =
        ManualSendRequest { by: member.account(), email: member.session.email.clone(), set_up: state.send_channels() };
    let sent =
        kpi_pulse::send_manual(&mut tx, &state.origin, (&profile, &state.settings.public_url, &report), &asked).await?;
    let PulseId(id) = sent.id;
    audit::record(&mut tx, &state.origin, &who.actor_for(&member), member.org(), AuditAction::PulseSent, Some(id))
        .await?;
    once.store_response(&mut tx, member.org(), &sent).await?;
    tx.commit().await?;
    state.notify_committed();
    with_outlooks(&state, &member, sent).await
}

/// Adds the expected fate of each message.
async fn with_outlooks(
    state: &AppState,
    member: &OrgMember,
    sent: SentPulse,
) -> ApiResult<(StatusCode, axum::Json<SentPulse>)> {
    let mut conn = state.db()?.acquire_reader().await?;
    let sent = sent.with_outlooks(&mut conn, &state.origin, state.send_channels(), member.org()).await?;
    Ok((StatusCode::ACCEPTED, axum::Json(sent)))
}
