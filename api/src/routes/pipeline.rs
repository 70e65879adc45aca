//! The way of leads from New to Paid: the board, moves by hand, and the reminder of what comes next.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
};
use serde::Deserialize;
use shared::{
    domain::{
        intake::lead::Stage,
        messaging::{
            message::outlook,
            reminder::{self, Reminder, Sent},
        },
        tenancy::audit::{self, Action},
        work::{
            activity::Doer,
            pipeline::{
                self, Cause,
                board::{self, Column},
            },
        },
    },
    platform::{
        count_cache::Known,
        id::{LeadId, OrgId},
        text,
    },
};
use utoipa::ToSchema;

use super::{
    lead::{LeadShown, shown},
    org::profile_of,
};
use crate::{
    auth::OrgOffice,
    client_info::Who,
    error::ApiResult,
    extract::{Id, Json, Query},
    idempotency::Once,
    openapi::{self, fields},
    state::AppState,
};

/// As much of a reason as anybody reads.
const LONGEST_REASON: usize = 500;

/// The board of leads
///
/// Five columns with their first leads, how many there are and what they come to. More of a column is in the list of
/// leads with its `stage`, from `next` on.
#[utoipa::path(get, path = "/api/pipeline", operation_id = "getPipeline", tag = "leads",
    security(("session" = ["owner", "office"])),
    params(("q" = Option<String>, Query, max_length = 200, pattern = r"^[^\x00-\x1f\x7f-\x9f\ufffd]*$",
        description = "Words to look for: only leads that match are shown, counted and summed")),
    responses((status = 200, description = "The columns, from New to Paid", body = Vec<Column>),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Invalid, openapi::Unavailable))]
pub async fn get_pipeline(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    query: Query,
) -> ApiResult<axum::Json<Vec<Column>>> {
    let q = query.text("q", 200)?;
    let mut conn = state.db()?.read().await?;
    let what = format!("board {q:?}");
    let sums = match state.sums.known(&mut conn, state.origin.now(), member.org(), what).await? {
        Known::Still(sums) => sums,
        Known::Not(asked) => {
            let sums = board::sums(&mut conn, member.org(), q.as_deref()).await?;
            state.sums.keep(asked, sums.iter().map(|sum| sum.1).sum(), sums)
        }
    };
    Ok(axum::Json(board::board(&mut conn, member.org(), q.as_deref(), &sums).await?))
}

/// Where a person puts a lead.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StageForm {
    stage: Stage,
    reason: Option<String>,
}

/// Where a person puts a lead.
#[derive(ToSchema)]
#[schema(as = StageRequest)]
#[expect(dead_code, reason = "only described; `StageForm` is what is read")]
pub struct StageDoc {
    stage: Stage,
    /// Needed on the way back, at least 3 characters.
    #[schema(schema_with = fields::lines_or_null::<LONGEST_REASON>)]
    reason: Option<String>,
}

/// Moves a lead by hand
///
/// Only where the board says that the way is open. It can be taken back for a minute, by `undo` of the answer.
#[utoipa::path(post, path = "/api/leads/{id}/stage", operation_id = "moveLead", tag = "leads",
    security(("session" = ["owner", "office"])), request_body = StageDoc,
    params(("id" = Uuid, Path, description = "The lead")),
    responses((status = 200, description = "The lead as it is now", body = LeadShown),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn move_lead(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: Who,
    Id(id): Id,
    Json(form): Json<StageForm>,
) -> ApiResult<axum::Json<LeadShown>> {
    let (org, lead) = (member.org(), LeadId(id));
    let mut errors = shared::platform::error::FieldErrors::default();
    let reason = text::lines("reason", form.reason.as_deref(), LONGEST_REASON).optional(&mut errors);
    errors.finish()?;
    let by = Doer::of(&member.session);
    let mut tx = state.db()?.begin().await?;
    let (to, why) = (form.stage, reason.as_deref());
    pipeline::advance(&mut tx, &state.origin, org, lead, to, Cause::ByHand, &by, why).await?;
    audit::record(&mut tx, &state.origin, &who.actor(&member), org, Action::StageChanged, Some(id)).await?;
    let detail = shown(&mut tx, &state, org, lead).await?;
    tx.commit().await?;
    state.wake();
    Ok(axum::Json(detail))
}

/// The reminder that would go out now
///
/// Of the estimate that waits, the visit that is coming, or the invoice that is open, whatever comes first where the lead
/// stands. Nothing is sent.
#[utoipa::path(get, path = "/api/leads/{id}/reminder", operation_id = "previewReminder", tag = "leads",
    security(("session" = ["owner", "office"])),
    params(("id" = Uuid, Path, description = "The lead")),
    responses((status = 200, description = "Its words, or why there are none", body = Reminder),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn preview_reminder(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    Id(id): Id,
) -> ApiResult<axum::Json<Reminder>> {
    let mut conn = state.db()?.read().await?;
    let profile = profile_of(&mut conn, &member).await?;
    Ok(axum::Json(reminder::preview(&mut conn, &state.intake(&profile), LeadId(id)).await?))
}

/// Sends the reminder of what comes next
///
/// With an `Idempotency-Key` a repeated request sends nothing twice.
#[utoipa::path(post, path = "/api/leads/{id}/reminder", operation_id = "sendReminder", tag = "leads",
    security(("session" = ["owner", "office"])),
    params(("id" = Uuid, Path, description = "The lead"),
        ("Idempotency-Key" = Option<String>, Header, pattern = r"^[\t ]*[!-~]([\t -~]{0,253}[!-~])?[\t ]*$",
            description = "The same key gets the first answer again")),
    responses((status = 202, description = "What is on its way, and to whom", body = Sent),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict,
        openapi::Invalid, openapi::Unavailable))]
pub async fn send_reminder(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: Who,
    Id(id): Id,
    headers: HeaderMap,
) -> ApiResult<(StatusCode, axum::Json<Sent>)> {
    let org = member.org();
    let once = Once::new("reminder", &headers, &id.to_string())?;
    let mut tx = state.db()?.begin().await?;
    if let Some(sent) = once.earlier(&mut tx, &state, org).await? {
        drop(tx);
        return foreseen(&state, org, sent).await;
    }
    let (profile, by) = (profile_of(&mut tx, &member).await?, Doer::of(&member.session));
    // Each press is a cause of its own.
    let turn = state.origin.uuid().to_string();
    let sent = reminder::send(&mut tx, &state.intake(&profile), LeadId(id), &turn, &by).await?;
    audit::record(&mut tx, &state.origin, &who.actor(&member), org, Action::ReminderSent, Some(id)).await?;
    once.keep(&mut tx, org, &sent).await?;
    tx.commit().await?;
    state.wake();
    foreseen(&state, org, sent).await
}

/// The same with what becomes of it.
async fn foreseen(state: &AppState, org: OrgId, mut sent: Sent) -> ApiResult<(StatusCode, axum::Json<Sent>)> {
    let mut conn = state.db()?.read().await?;
    sent.outlook = outlook::of(&mut conn, &state.origin, state.set_up(), org, sent.message_id).await?;
    Ok((StatusCode::ACCEPTED, axum::Json(sent)))
}
