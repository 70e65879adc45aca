//! That somebody has answered a lead outside of Toolbox, or that the customer wants no answer any more.

use axum::extract::State;
use serde::Deserialize;
use shared::{
    domain::{
        messaging::response_sla,
        tenancy::audit::{self, Action},
        work::activity::Doer,
    },
    platform::id::LeadId,
};
use utoipa::ToSchema;

use super::{LeadShown, shown};
use crate::{
    auth::OrgOffice,
    client_info::Who,
    error::ApiResult,
    extract::{Id, Json},
    openapi,
    state::AppState,
};

/// What a person has done about the answer that was promised.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AnsweredHow {
    /// They have spoken or written outside of Toolbox.
    Answered,
    /// The customer wants no answer any more.
    NotWanted,
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = LeadAnswered)]
pub struct AnsweredForm {
    how: AnsweredHow,
}

/// Notes that a lead was answered outside of Toolbox
///
/// By one's own phone, or at the door. It stands on the timeline, counts as a person's answer, and settles what was
/// promised.
#[utoipa::path(post, path = "/api/leads/{id}/answered", operation_id = "noteAnswer", tag = "leads",
    security(("session" = ["owner", "office"])), request_body = AnsweredForm,
    params(("id" = uuid::Uuid, Path, description = "The lead")),
    responses((status = 200, description = "The lead as it is now", body = LeadShown), openapi::BadRequest,
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::TooLarge, openapi::WrongMedia,
        openapi::Invalid, openapi::Unavailable))]
pub async fn note_answer(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: Who,
    Id(id): Id,
    Json(form): Json<AnsweredForm>,
) -> ApiResult<axum::Json<LeadShown>> {
    let (org, lead) = (member.org(), LeadId(id));
    let is_waived = matches!(form.how, AnsweredHow::NotWanted);
    let mut tx = state.db()?.begin().await?;
    response_sla::note(&mut tx, &state.origin, org, lead, is_waived, Doer::of(&member.session)).await?;
    audit::record(&mut tx, &state.origin, &who.actor(&member), org, Action::LeadAnswered, Some(id)).await?;
    let detail = shown(&mut tx, &state, org, lead).await?;
    tx.commit().await?;
    state.wake();
    Ok(axum::Json(detail))
}
