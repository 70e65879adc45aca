//! Keys for a browser's offline data, given only to a live session.

use axum::{Json as Body, extract::State};
use serde::{Deserialize, Serialize};
use shared::{
    domain::tenancy::session::store_key,
    platform::{
        error::{Error, FieldErrors},
        id::{AccountId, OrgId},
    },
};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    auth::OrgMember,
    error::{ApiError, ApiResult, ErrorCode},
    extract::Json,
    openapi,
    state::AppState,
};

/// Which of a person's browsers asks.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OfflineStore {
    /// Made up by the browser, and kept beside what it has not sent yet.
    #[schema(value_type = Uuid, required)]
    store_id: Option<String>,
}

/// Two AES-256 keys in base64. A browser makes keys of them that cannot be read out again, and keeps nothing else.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OfflineKeys {
    /// Whose they are: another tab may have signed somebody else in.
    org_id: OrgId,
    account_id: AccountId,
    /// For copies of what was shown. It goes with the session.
    store_key: String,
    /// For what was done offline and is not sent yet. The same person gets it again after signing in anew.
    unsent_key: String,
    /// How long both may be used without asking again. 0: only while the app is open.
    lease_seconds: i64,
}

/// Gives the keys of this browser's offline store
#[utoipa::path(post, path = "/api/account/offline-keys", operation_id = "giveOfflineKeys", tag = "account",
    security(("session" = ["owner", "office", "crew"])), request_body = OfflineStore,
    responses((status = 200, description = "The keys, and for how long they may be used", body = OfflineKeys),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::TooLarge, openapi::WrongMedia,
        openapi::Invalid, openapi::TooMany, openapi::Unavailable))]
pub async fn give_offline_keys(
    member: OrgMember,
    State(state): State<AppState>,
    Json(body): Json<OfflineStore>,
) -> ApiResult<Body<OfflineKeys>> {
    let store_id = body.store_id.as_deref().and_then(|id| Uuid::try_parse(id).ok());
    let mut errors = FieldErrors::default();
    if store_id.is_none() {
        errors.add("storeId", "Must be a UUID");
    }
    errors.into_result()?;
    let mut tx = state.db()?.begin().await?;
    let of = (member.org(), member.account(), member.token.as_str());
    let given =
        store_key::issue_store_keys(&mut tx, &state.origin, &state.settings.secret, of, store_id.unwrap_or_default())
            .await;
    let keys = match given {
        // Signed out since the session was checked.
        Err(Error::NotFound) => return Err(ApiError::new(ErrorCode::Unauthenticated, "Please sign in.")),
        other => other?,
    };
    tx.commit().await?;
    let (store_key, unsent_key) = keys.to_base64();
    Ok(Body(OfflineKeys {
        org_id: member.org(),
        account_id: member.account(),
        store_key,
        unsent_key,
        lease_seconds: keys.lease.num_seconds(),
    }))
}
