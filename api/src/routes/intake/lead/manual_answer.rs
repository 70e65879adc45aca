//! Marks a lead as answered outside of Toolbox, or as needing no answer.

use axum::extract::State;
use serde::Deserialize;
use shared::{
    domain::{
        messaging::response_sla,
        tenancy::{
            activity_log::ActivityActor,
            audit::{self, AuditAction},
        },
    },
    platform::id::LeadId,
};
use utoipa::ToSchema;

use super::{LeadDetailView, load_lead_detail};
use crate::{
    auth::OrgOffice,
    client_info::RequestContext,
    error::ApiResult,
    extract::{Json, PathId},
    openapi,
    state::AppState,
};

/// What a person has done about the answer that was promised.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = AnsweredHow)]
pub enum ManualAnswerChannel {
    /// They have spoken or written outside of Toolbox.
    Answered,
    /// The customer wants no answer any more.
    NotWanted,
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = LeadAnswered)]
pub struct LeadAnsweredForm {
    how: ManualAnswerChannel,
}

/// Notes that a lead was answered outside of Toolbox
///
/// By phone or in person. It is added to the timeline, counts as a person's answer, and settles the response promise.
#[utoipa::path(post, path = "/api/leads/{id}/answered", operation_id = "noteAnswer", tag = "leads",
    security(("session" = ["owner", "office"])), request_body = LeadAnsweredForm,
    params(("id" = uuid::Uuid, Path, description = "The lead")),
    responses((status = 200, description = "The lead as it is now", body = LeadDetailView), openapi::BadRequest,
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::TooLarge, openapi::WrongMedia,
        openapi::Invalid, openapi::Unavailable))]
pub async fn record_manual_answer(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
    Json(form): Json<LeadAnsweredForm>,
) -> ApiResult<axum::Json<LeadDetailView>> {
    let (org, lead) = (member.org(), LeadId(id));
    let is_waived = matches!(form.how, ManualAnswerChannel::NotWanted);
    let mut tx = state.db()?.begin().await?;
    response_sla::record_manual_answer(
        &mut tx,
        &state.origin,
        org,
        lead,
        is_waived,
        ActivityActor::from_session(&member.session),
    )
    .await?;
    audit::record(&mut tx, &state.origin, &who.actor_for(&member), org, AuditAction::LeadAnswered, Some(id)).await?;
    let detail = load_lead_detail(&mut tx, &state, &member, lead).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(axum::Json(detail))
}
