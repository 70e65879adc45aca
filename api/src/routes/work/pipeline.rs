//! The lead pipeline from New to Paid: board, manual moves, reminder of the next step.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
};
use serde::Deserialize;
use shared::{
    domain::{
        intake::lead::PipelineStage,
        messaging::message::outlook,
        money::reminder::{self, Reminder, ReminderSent},
        tenancy::{
            activity_log::ActivityActor,
            audit::{self, AuditAction},
        },
        work::pipeline::{self, StageCause},
    },
    platform::{
        count_cache::CountLookup,
        id::{LeadId, OrgId},
        text,
    },
    views::pipeline_board::{self, PipelineColumn},
};
use utoipa::ToSchema;

use crate::{
    auth::OrgOffice,
    client_info::RequestContext,
    error::{ApiResult, request_language},
    extract::{Json, PathId, QueryParams},
    idempotency::IdempotentOperation,
    openapi::{self, fields},
    routes::{
        intake::lead::{LeadDetailView, load_lead_detail},
        tenancy::org::load_profile,
    },
    state::AppState,
};

/// In characters.
const LONGEST_REASON: usize = 500;

/// The board of leads
///
/// Five columns with their first leads, how many there are and what they come to. More of a column is in the list of
/// leads with its `stage`, from `next` on.
#[utoipa::path(get, path = "/api/pipeline", operation_id = "getPipeline", tag = "leads",
    security(("session" = ["owner", "office"])),
    params(("q" = Option<String>, Query, max_length = 200, pattern = r"^[^\x00-\x1f\x7f-\x9f\ufffd]*$",
        description = "Words to look for: only leads that match are shown, counted and summed")),
    responses((status = 200, description = "The columns, from New to Paid", body = Vec<PipelineColumn>),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Invalid, openapi::Unavailable))]
pub async fn get_pipeline(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    query: QueryParams,
) -> ApiResult<axum::Json<Vec<PipelineColumn>>> {
    let q = query.parse_text("q", 200)?;
    let mut conn = state.db()?.acquire_reader().await?;
    let what = format!("board {q:?}");
    let sums = match state.sums.lookup_total(&mut conn, state.origin.now(), member.org(), what).await? {
        CountLookup::Hit(sums) => sums,
        CountLookup::Miss(asked) => {
            let sums = pipeline_board::load_stage_totals(&mut conn, member.org(), q.as_deref()).await?;
            state.sums.store_total(asked, sums.iter().map(|sum| sum.1).sum(), sums)
        }
    };
    let shown = (request_language(), state.origin.now());
    Ok(axum::Json(pipeline_board::load_board(&mut conn, member.org(), q.as_deref(), &sums, shown).await?))
}

/// Where a person puts a lead.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = StageRequest)]
pub struct StageForm {
    stage: PipelineStage,
    /// Needed on the way back, at least 3 characters.
    #[schema(schema_with = fields::nullable_text::<LONGEST_REASON>)]
    reason: Option<String>,
}

/// Moves a lead manually
///
/// Only where the board allows the move. It can be undone for a minute, through `undo` of the answer.
#[utoipa::path(post, path = "/api/leads/{id}/stage", operation_id = "moveLead", tag = "leads",
    security(("session" = ["owner", "office"])), request_body = StageForm,
    params(("id" = Uuid, Path, description = "The lead"),
        openapi::IdempotencyKey),
    responses((status = 200, description = "The lead as it is now", body = LeadDetailView),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn move_lead(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
    headers: HeaderMap,
    Json(form): Json<StageForm>,
) -> ApiResult<axum::Json<LeadDetailView>> {
    let (org, lead) = (member.org(), LeadId(id));
    let mut errors = shared::platform::error::FieldErrors::default();
    let reason = text::multi_line("reason", form.reason.as_deref(), LONGEST_REASON).parse_optional(&mut errors);
    errors.into_result()?;
    let once = IdempotentOperation::new("lead_stage", &headers, &format!("{id} {form:?}"))?;
    let by = ActivityActor::from_session(&member.session);
    let mut tx = state.db()?.begin().await?;
    if once.find_stored_response::<uuid::Uuid>(&mut tx, &state, org).await?.is_none() {
        let (to, why) = (form.stage, reason.as_deref());
        pipeline::advance_stage(&mut tx, &state.origin, org, lead, to, StageCause::ByHand, &by, why).await?;
        once.store_response(&mut tx, org, &id).await?;
        audit::record(&mut tx, &state.origin, &who.actor_for(&member), org, AuditAction::StageChanged, Some(id))
            .await?;
    }
    let detail = load_lead_detail(&mut tx, &state, &member, lead).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(axum::Json(detail))
}

/// The reminder that would go out now
///
/// Of the estimate that waits, the visit that is coming, or the invoice that is open, whatever comes first in the
/// lead's stage. Nothing is sent.
#[utoipa::path(get, path = "/api/leads/{id}/reminder", operation_id = "previewReminder", tag = "leads",
    security(("session" = ["owner", "office"])),
    params(("id" = Uuid, Path, description = "The lead")),
    responses((status = 200, description = "Its words, or why there are none", body = Reminder),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn preview_reminder(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    PathId(id): PathId,
) -> ApiResult<axum::Json<Reminder>> {
    let mut conn = state.db()?.acquire_reader().await?;
    let profile = load_profile(&mut conn, &member).await?;
    Ok(axum::Json(reminder::preview_reminder(&mut conn, &state.org_context(&profile), LeadId(id)).await?))
}

/// Sends the reminder of what comes next
///
/// With an `Idempotency-Key` a repeated request sends nothing twice.
#[utoipa::path(post, path = "/api/leads/{id}/reminder", operation_id = "sendReminder", tag = "leads",
    security(("session" = ["owner", "office"])),
    params(("id" = Uuid, Path, description = "The lead"),
        openapi::IdempotencyKey),
    responses((status = 202, description = "What is on its way, and to whom", body = ReminderSent),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict,
        openapi::Invalid, openapi::Unavailable))]
pub async fn send_reminder(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
    headers: HeaderMap,
) -> ApiResult<(StatusCode, axum::Json<ReminderSent>)> {
    let org = member.org();
    let once = IdempotentOperation::new("reminder", &headers, &id.to_string())?;
    let mut tx = state.db()?.begin().await?;
    if let Some(sent) = once.find_stored_response(&mut tx, &state, org).await? {
        drop(tx);
        return with_outlook(&state, org, sent).await;
    }
    let (profile, by) = (load_profile(&mut tx, &member).await?, ActivityActor::from_session(&member.session));
    // Each press counts as a new reminder.
    let turn = state.origin.uuid_v7().to_string();
    let sent = reminder::send_reminder(&mut tx, &state.org_context(&profile), LeadId(id), &turn, &by).await?;
    audit::record(&mut tx, &state.origin, &who.actor_for(&member), org, AuditAction::ReminderSent, Some(id)).await?;
    once.store_response(&mut tx, org, &sent).await?;
    tx.commit().await?;
    state.notify_committed();
    with_outlook(&state, org, sent).await
}

/// Adds the expected fate of each message.
async fn with_outlook(
    state: &AppState,
    org: OrgId,
    mut sent: ReminderSent,
) -> ApiResult<(StatusCode, axum::Json<ReminderSent>)> {
    let mut conn = state.db()?.acquire_reader().await?;
    sent.outlook = outlook::load_outlook(&mut conn, &state.origin, state.send_channels(), org, sent.message_id).await?;
    Ok((StatusCode::ACCEPTED, axum::Json(sent)))
}
