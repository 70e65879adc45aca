//! An estimate or a change order, made once: begun in one transaction, drawn with none open, finished in another.

use axum::http::HeaderMap;
use serde_json::json;
use sha2::{Digest, Sha256};
use shared::{
    domain::{
        intake::lead::Intake,
        money::estimate::{self, EstimateForm, Of},
        tenancy::{
            audit::{self, Action},
            org::Profile,
        },
        work::activity::Doer,
    },
    platform::{
        id::EstimateId,
        idempotency::{self, Keyed},
    },
};

use crate::{
    auth::OrgMember,
    client_info::Who,
    error::{ApiError, ApiResult},
    routes::lead::intake::idempotency_key,
    state::AppState,
};

/// A wish for an estimate.
pub(in crate::routes) struct Wish<'a> {
    pub state: &'a AppState,
    pub who: &'a Who,
    pub member: &'a OrgMember,
    pub operation: &'static str,
    pub headers: &'a HeaderMap,
    pub of: Of,
    pub form: &'a EstimateForm,
}

impl Wish<'_> {
    /// Makes it, once: a repeated request means the same estimate. What a first try left undone is done now.
    pub async fn make(&self, profile: &Profile) -> ApiResult<EstimateId> {
        let (state, org, house) = (self.state, self.member.org(), self.state.intake(profile));
        let key = idempotency_key(self.headers)?;
        let body_hash = Sha256::digest(format!("{:?} {:?}", self.of, self.form).as_bytes()).into();
        let keyed = key.as_deref().map(|key| Keyed { operation: self.operation, key, body_hash });
        let mut tx = state.db()?.begin().await?;
        let earlier = match &keyed {
            Some(keyed) => idempotency::earlier_answer(&mut tx, &state.origin, org, keyed).await?,
            None => None,
        };
        let id = if let Some(earlier) = earlier {
            // Finishing it takes a transaction of its own.
            drop(tx);
            serde_json::from_value(earlier["estimateId"].clone())
                .map_err(|e| ApiError::internal(format!("kept answer: {e}")))?
        } else {
            let by = Doer::of(&self.member.session);
            let id = estimate::begin(&mut tx, &house, self.of, self.form, &by).await?;
            if let Some(keyed) = &keyed {
                idempotency::keep_answer(&mut tx, org, keyed, &json!({ "estimateId": id })).await?;
            }
            let (actor, subject) = (self.who.actor(self.member), Some(id.0));
            audit::record(&mut tx, &state.origin, &actor, org, Action::EstimateMade, subject).await?;
            tx.commit().await?;
            id
        };
        complete(state, &house, id).await?;
        Ok(id)
    }
}

/// The second half. Should it fail here, the task does it.
async fn complete(state: &AppState, house: &Intake<'_>, id: EstimateId) -> ApiResult<()> {
    let mut conn = state.db()?.read().await?;
    let left = estimate::unfinished(&mut conn, house.profile.org.id, id).await?;
    drop(conn);
    let Some(left) = left else { return Ok(()) };
    let drawn = estimate::draw(&state.storage, house, left).await?;
    let mut tx = state.db()?.begin().await?;
    estimate::finish(&mut tx, house, &drawn).await?;
    tx.commit().await?;
    state.wake();
    Ok(())
}
