//! Assigning a lead to a user, or to none.

use axum::extract::State;
use serde::Deserialize;
use shared::{
    domain::{
        intake::lead::owner,
        tenancy::{
            activity_log::ActivityActor,
            audit::{self, AuditAction},
        },
    },
    platform::id::{AccountId, LeadId},
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

/// Whose a lead is from now on.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LeadOwner {
    /// Somebody of the business who is active; null: nobody.
    // With this serde requires the field: an omitted field must not unassign a lead.
    #[serde(deserialize_with = "Option::deserialize")]
    #[schema(required = true, value_type = Option<uuid::Uuid>)]
    owner_user_id: Option<AccountId>,
}

/// Assigns a lead to a member, or to no one
///
/// It is added to the timeline. Any active member can own a lead. No message is sent.
#[utoipa::path(put, path = "/api/leads/{id}/owner", operation_id = "setLeadOwner", tag = "leads",
    security(("session" = ["owner", "office"])), request_body = LeadOwner,
    params(("id" = uuid::Uuid, Path, description = "The lead")),
    responses((status = 200, description = "The lead as it is now", body = LeadDetailView), openapi::BadRequest,
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::TooLarge, openapi::WrongMedia,
        openapi::Invalid, openapi::Unavailable))]
pub async fn set_lead_owner(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
    Json(form): Json<LeadOwner>,
) -> ApiResult<axum::Json<LeadDetailView>> {
    let (org, lead, by) = (member.org(), LeadId(id), ActivityActor::from_session(&member.session));
    let mut tx = state.db()?.begin().await?;
    owner::assign_owner(&mut tx, &state.origin, org, lead, form.owner_user_id, &by).await?;
    audit::record(&mut tx, &state.origin, &who.actor_for(&member), org, AuditAction::LeadOwnerChanged, Some(id))
        .await?;
    let detail = load_lead_detail(&mut tx, &state, &member, lead).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(axum::Json(detail))
}
