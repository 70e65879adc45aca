//! The owner's report: what it will say, what became of the last ones, and sending one at once.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use shared::{
    domain::{
        growth::{
            kpi_pulse::{self, Asked, Due, Letter, Outcome, PulseView, Report, Sent, plan},
            metrics::figures::Period,
        },
        tenancy::{
            audit::{self, Action},
            org::{self, Profile},
        },
    },
    platform::{
        db::{AsConn, tenant_scope::across_businesses},
        id::PulseId,
        sms_segments::{self, Segments},
    },
};
use utoipa::ToSchema;

use super::org::profile_of;
use crate::{
    auth::{OrgMember, OrgOffice},
    client_info::Who,
    error::ApiResult,
    extract::Json,
    idempotency::Once,
    openapi,
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
pub struct PulseWish {
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
    segments: Segments,
}

/// The reports of a business.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PulseShown {
    /// When the next one is due; it may be left out then, on a quiet day or with the switch off.
    next_at: Option<DateTime<Utc>>,
    preview: PulsePreview,
    /// The last thirty, newest first.
    reports: Vec<PulseView>,
}

/// What the dashboard shows at this instant, as a report. It says whether the worker moves, which is seen by the work of
/// all businesses: the connection shows these too.
async fn report_now(conn: &mut dyn AsConn, state: &AppState, profile: &Profile) -> ApiResult<Report> {
    let now = state.origin.now();
    let today = now.with_timezone(&profile.org.zone()).date_naive();
    Ok(kpi_pulse::read(conn, profile, now, Period::week(today)).await?)
}

fn preview(state: &AppState, profile: &Profile, report: &Report) -> PulsePreview {
    let id = PulseId(uuid::Uuid::nil());
    let due = Due { org_id: profile.org.id, id, due_at: state.origin.now(), account_id: None };
    let letter = Letter { profile, url: &state.settings.public_url, report, outcome: Outcome::Sent, due: &due };
    let sms = letter.brief();
    PulsePreview { subject: letter.subject(), text: letter.text(), segments: sms_segments::count(&sms), sms }
}

/// The report of the figures
///
/// What it would say now, when the next one is due, and what became of the last ones.
#[utoipa::path(get, path = "/api/kpi-pulse", operation_id = "getKpiPulse", tag = "figures",
    security(("session" = ["owner", "office"])),
    responses((status = 200, description = "The reports", body = PulseShown),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn get_kpi_pulse(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
) -> ApiResult<axum::Json<PulseShown>> {
    let mut conn = across_businesses(state.db()?.snapshot()).await?;
    let profile = profile_of(&mut conn, &member).await?;
    let report = report_now(&mut conn, &state, &profile).await?;
    Ok(axum::Json(PulseShown {
        next_at: plan::next_of(&mut conn, member.org()).await?,
        preview: preview(&state, &profile, &report),
        reports: kpi_pulse::list(&mut conn, member.org()).await?,
    }))
}

/// Sends a report at once
///
/// To the people on the list, else to whoever asks. It is about the last seven days, today among them, as the dashboard
/// shows them. The 409 says what is missing. With an `Idempotency-Key` a repeated request is not a second report.
#[utoipa::path(post, path = "/api/kpi-pulse", operation_id = "sendKpiPulse", tag = "figures",
    security(("session" = ["owner", "office"])), request_body = PulseWish,
    params(("Idempotency-Key" = Option<String>, Header, pattern = r"^[\t ]*[!-~]([\t -~]{0,253}[!-~])?[\t ]*$",
        description = "The same key gets the first answer again")),
    responses((status = 202, description = "Queued: to whom, and whom nothing can reach", body = Sent),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::Conflict, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::TooMany, openapi::Unavailable))]
pub async fn send_kpi_pulse(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: Who,
    headers: HeaderMap,
    Json(wish): Json<PulseWish>,
) -> ApiResult<(StatusCode, axum::Json<Sent>)> {
    let PulsePeriod::Manual = wish.period;
    let once = Once::new("kpi_pulse", &headers, "manual")?;
    let mut conn = across_businesses(state.db()?.snapshot()).await?;
    let profile = profile_of(&mut conn, &member).await?;
    let report = report_now(&mut conn, &state, &profile).await?;
    drop(conn);
    let mut tx = state.db()?.begin().await?;
    org::lock(&mut tx, member.org()).await?;
    if let Some(sent) = once.earlier(&mut tx, &state, member.org()).await? {
        drop(tx);
        return foreseen(&state, &member, sent).await;
    }
    let asked = Asked { by: member.account(), email: member.session.email.clone(), set_up: state.set_up() };
    let sent =
        kpi_pulse::by_hand(&mut tx, &state.origin, (&profile, &state.settings.public_url, &report), &asked).await?;
    let PulseId(id) = sent.id;
    audit::record(&mut tx, &state.origin, &who.actor(&member), member.org(), Action::PulseSent, Some(id)).await?;
    once.keep(&mut tx, member.org(), &sent).await?;
    tx.commit().await?;
    state.wake();
    foreseen(&state, &member, sent).await
}

/// The same with what becomes of each message.
async fn foreseen(state: &AppState, member: &OrgMember, sent: Sent) -> ApiResult<(StatusCode, axum::Json<Sent>)> {
    let mut conn = state.db()?.read().await?;
    let sent = sent.foreseen(&mut conn, &state.origin, state.set_up(), member.org()).await?;
    Ok((StatusCode::ACCEPTED, axum::Json(sent)))
}
