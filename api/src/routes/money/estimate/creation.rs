//! Creation of an estimate or change order: begun in one transaction, PDF drawn outside, finished in another.

use axum::http::HeaderMap;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest, Sha256};
use shared::{
    domain::{
        money::estimate::{self, EstimateForm, EstimateTarget},
        tenancy::{
            activity_log::ActivityActor,
            audit::{self, AuditAction},
            org::{OrgContext, OrgProfile},
        },
    },
    platform::{
        id::EstimateId,
        idempotency::{self, IdempotentRequest},
    },
};

use crate::{
    auth::OrgMember,
    client_info::RequestContext,
    error::{ApiError, ApiResult},
    idempotency::idempotency_key,
    state::AppState,
};

pub(in crate::routes) struct EstimateCreation<'a> {
    pub state: &'a AppState,
    pub who: &'a RequestContext,
    pub member: &'a OrgMember,
    pub operation: &'static str,
    pub headers: &'a HeaderMap,
    pub of: EstimateTarget,
    pub form: &'a EstimateForm,
}

/// Kept under the idempotency key.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct CreatedEstimate {
    estimate_id: EstimateId,
}

impl EstimateCreation<'_> {
    /// Creates it once: a repeated request gets the same one, and completes what the first left undone.
    pub async fn create_once(&self, profile: &OrgProfile) -> ApiResult<EstimateId> {
        let (state, org, ctx) = (self.state, self.member.org(), self.state.org_context(profile));
        let key = idempotency_key(self.headers)?;
        let body_hash = Sha256::digest(format!("{:?} {:?}", self.of, self.form).as_bytes()).into();
        let keyed = key.as_deref().map(|key| IdempotentRequest { operation: self.operation, key, body_hash });
        let mut tx = state.db()?.begin().await?;
        let earlier = match &keyed {
            Some(keyed) => idempotency::claim_or_load_response(&mut tx, &state.origin, org, keyed).await?,
            None => None,
        };
        let id = if let Some(earlier) = earlier {
            // Finishing it takes a transaction of its own.
            drop(tx);
            let made: CreatedEstimate =
                serde_json::from_value(earlier).map_err(|e| ApiError::internal(format!("kept answer: {e}")))?;
            made.estimate_id
        } else {
            let by = ActivityActor::from_session(&self.member.session);
            let id = estimate::begin_issue(&mut tx, &ctx, self.of, self.form, &by).await?;
            if let Some(keyed) = &keyed {
                idempotency::store_response(&mut tx, org, keyed, &json!(CreatedEstimate { estimate_id: id })).await?;
            }
            let (actor, subject) = (self.who.actor_for(self.member), Some(id.0));
            audit::record(&mut tx, &state.origin, &actor, org, AuditAction::EstimateMade, subject).await?;
            tx.commit().await?;
            id
        };
        render_pending(state, &ctx, id).await?;
        Ok(id)
    }
}

/// Second half. If it fails here, the queued task does it.
async fn render_pending(state: &AppState, ctx: &OrgContext<'_>, id: EstimateId) -> ApiResult<()> {
    let mut conn = state.db()?.acquire_reader().await?;
    let left = estimate::find_unrendered(&mut conn, ctx.profile.org.id, id).await?;
    drop(conn);
    let Some(left) = left else { return Ok(()) };
    let drawn = estimate::render_pdf(&state.storage, ctx, left).await?;
    let mut tx = state.db()?.begin().await?;
    estimate::finish_issue(&mut tx, ctx, &drawn).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(())
}
