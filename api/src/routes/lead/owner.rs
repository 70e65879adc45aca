//! Giving a lead to somebody of the business, or to nobody.

use axum::extract::State;
use serde::Deserialize;
use shared::{
    domain::{
        intake::lead::owner,
        tenancy::audit::{self, Action},
        work::activity::Doer,
    },
    platform::id::{AccountId, LeadId},
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

/// Whose a lead is from now on.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = LeadOwner)]
pub struct OwnerForm {
    /// Somebody of the business who is active; null: nobody.
    // Named so that serde asks for it: what is left out takes nobody's lead away.
    #[serde(deserialize_with = "Option::deserialize")]
    #[schema(required = true, value_type = Option<uuid::Uuid>)]
    owner_user_id: Option<AccountId>,
}

/// Gives a lead to somebody, or to nobody
///
/// It stands on the timeline. Whoever is active in the business can own a lead, and no message goes out.
#[utoipa::path(put, path = "/api/leads/{id}/owner", operation_id = "setLeadOwner", tag = "leads",
    security(("session" = ["owner", "office"])), request_body = OwnerForm,
    params(("id" = uuid::Uuid, Path, description = "The lead")),
    responses((status = 200, description = "The lead as it is now", body = LeadShown), openapi::BadRequest,
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::TooLarge, openapi::WrongMedia,
        openapi::Invalid, openapi::Unavailable))]
pub async fn set_lead_owner(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: Who,
    Id(id): Id,
    Json(form): Json<OwnerForm>,
) -> ApiResult<axum::Json<LeadShown>> {
    let (org, lead, by) = (member.org(), LeadId(id), Doer::of(&member.session));
    let mut tx = state.db()?.begin().await?;
    owner::give(&mut tx, &state.origin, org, lead, form.owner_user_id, &by).await?;
    audit::record(&mut tx, &state.origin, &who.actor(&member), org, Action::LeadOwnerChanged, Some(id)).await?;
    let detail = shown(&mut tx, &state, org, lead).await?;
    tx.commit().await?;
    state.wake();
    Ok(axum::Json(detail))
}
