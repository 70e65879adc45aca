//! Reviews that another program brings, and the key with which it does.

use axum::{Json, extract::State, http::StatusCode};
use serde::Serialize;
use shared::{
    domain::{
        growth::review::{
            intake::{self, ReviewForm},
            key::{self, NewKey, Webhook},
        },
        tenancy::{
            audit::{self, Action},
            org,
        },
    },
    platform::{
        access_link::{self, Kind, Opened},
        db::tenant_scope,
        error::Error,
        id::{OrgId, ReviewAskId, ReviewId},
        throttle,
    },
};
use utoipa::ToSchema;

use crate::{
    auth::{Fresh, OrgOwner, Visitor},
    client_info::Who,
    error::{ApiError, ApiResult},
    extract::{Json as Typed, Word},
    openapi::{self, fields},
    routes::org::{Own, noted},
    state::AppState,
};

/// Keys that are nobody's, per network and hour: nobody mistypes that often.
const MISSES: i64 = 60;

fn url(state: &AppState) -> String {
    state.settings.public_url.join(key::PATH)
}

/// Whether another program may bring reviews
#[utoipa::path(get, path = "/api/org/{orgId}/review-webhook", operation_id = "getReviewWebhook", tag = "settings",
    security(("session" = ["owner", "office"])),
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug")),
    responses((status = 200, description = "How it stands; the key is never shown again", body = Webhook),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn get_webhook(Own(member): Own, State(state): State<AppState>) -> ApiResult<Json<Webhook>> {
    let mut conn = state.db()?.read().await?;
    Ok(Json(key::get(&mut conn, member.org(), url(&state)).await?))
}

/// Makes the key with which another program brings reviews
///
/// It is shown this once. The one before it is dead from now on.
#[utoipa::path(post, path = "/api/org/{orgId}/review-webhook", operation_id = "makeReviewWebhookKey", tag = "settings",
    security(("session" = ["owner"])),
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug")),
    responses((status = 201, description = "The key", body = NewKey), openapi::Unauthenticated,
        openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn make_key(
    _owner: Fresh<OrgOwner>,
    Own(member): Own,
    State(state): State<AppState>,
    who: Who,
) -> ApiResult<(StatusCode, Json<NewKey>)> {
    let mut tx = state.db()?.begin().await?;
    member.still_in(&mut tx, &state).await?;
    let made = key::make(&mut tx, &state.origin, member.org(), &url(&state)).await?;
    noted(&mut tx, &state, &who, &member, (Action::ReviewKeyChanged, member.org().0)).await?;
    tx.commit().await?;
    state.wake();
    Ok((StatusCode::CREATED, Json(made)))
}

/// Takes the key away: no other program brings reviews any more
#[utoipa::path(delete, path = "/api/org/{orgId}/review-webhook", operation_id = "removeReviewWebhookKey",
    tag = "settings", security(("session" = ["owner"])),
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug")),
    responses((status = 200, description = "Taken away", body = Webhook), openapi::Unauthenticated,
        openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn remove_key(
    _owner: OrgOwner,
    Own(member): Own,
    State(state): State<AppState>,
    who: Who,
) -> ApiResult<Json<Webhook>> {
    let mut tx = state.db()?.begin().await?;
    if key::remove(&mut tx, member.org()).await? {
        noted(&mut tx, &state, &who, &member, (Action::ReviewKeyChanged, member.org().0)).await?;
    }
    let stands = key::get(&mut tx, member.org(), url(&state)).await?;
    tx.commit().await?;
    state.wake();
    Ok(Json(stands))
}

/// A review that another program brings.
#[derive(ToSchema)]
#[schema(as = ReviewBrought)]
#[expect(dead_code, reason = "only described; `ReviewForm` is what is read")]
pub struct BroughtDoc {
    /// Its own name for it: what comes again under it changes that review.
    #[schema(schema_with = fields::line_or_null::<200>)]
    id: Option<String>,
    /// A day or an instant, today at the latest.
    #[schema(schema_with = fields::line_or_null::<40>)]
    date: Option<String>,
    #[schema(schema_with = fields::line_or_null::<120>)]
    customer_name: Option<String>,
    /// With one decimal at most.
    #[schema(minimum = 1, maximum = 5)]
    rating: f64,
    #[schema(schema_with = fields::lines_or_null::<5000>)]
    review_text: Option<String>,
    /// "Google".
    #[schema(schema_with = fields::line_or_null::<40>)]
    source: Option<String>,
    #[schema(schema_with = fields::line_or_null::<40>)]
    phone: Option<String>,
    #[schema(schema_with = fields::line_or_null::<254>)]
    email: Option<String>,
    /// The token of the request that it answers: the end of its link.
    #[schema(schema_with = fields::line_or_null::<100>)]
    request: Option<String>,
}

/// What became of it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ReviewTaken)]
pub struct Taken {
    id: ReviewId,
    is_new: bool,
}

/// Takes a review that another program brings
///
/// The key in the address is the business's own. What comes again changes nothing, or under the same `id` what it says.
#[utoipa::path(post, path = "/api/webhooks/reviews/{key}", operation_id = "bringReview", tag = "webhooks",
    params(("key" = String, Path, min_length = 1, description = "Made in the settings")), request_body = BroughtDoc,
    responses((status = 200, description = "Taken", body = Taken), openapi::BadRequest, openapi::NotFound,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::TooMany, openapi::Unavailable))]
pub async fn bring(
    _: Visitor,
    State(state): State<AppState>,
    who: Who,
    Word(word): Word,
    Typed(form): Typed<ReviewForm>,
) -> ApiResult<Json<Taken>> {
    let mut conn = state.db()?.read().await?;
    let owner = key::owner(&mut conn, &word).await?;
    drop(conn);
    let Some(org) = owner else {
        count_miss(&state, &who).await?;
        return Err(ApiError::not_found());
    };
    tenant_scope::is_for(org);
    let mut tx = state.db()?.begin().await?;
    // The address of a program is no place to name another business's customers.
    let form = ReviewForm { customer_id: None, job_id: None, ..form };
    let ask = answered(&mut tx, &state, org, form.request.as_deref()).await?;
    let business = org::find(&mut tx, org).await?.ok_or(Error::NotFound)?;
    let profile = org::profile(&mut tx, business).await?;
    let (id, is_new) = intake::by_webhook(&mut tx, &state.intake(&profile), &form, ask).await?;
    key::used(&mut tx, &state.origin, org).await?;
    audit::record(&mut tx, &state.origin, &who.visitor(), org, Action::ReviewBrought, Some(id.0)).await?;
    tx.commit().await?;
    state.wake();
    Ok(Json(Taken { id, is_new }))
}

/// The request of this business that a token is of; another one is none.
async fn answered(
    tx: &mut shared::platform::db::Tx,
    state: &AppState,
    org: OrgId,
    token: Option<&str>,
) -> ApiResult<Option<ReviewAskId>> {
    let Some(token) = token else { return Ok(None) };
    let now = state.origin.now();
    let opened = access_link::open(tx, &state.settings.secret, now, token, &[Kind::Review]).await?;
    Ok(match opened {
        Opened::Here(link) | Opened::Expired(link) if link.org_id == org => Some(ReviewAskId(link.subject_id)),
        _ => None,
    })
}

async fn count_miss(state: &AppState, who: &Who) -> ApiResult<()> {
    if who.is_exempt {
        return Ok(());
    }
    let mut tx = state.db()?.begin().await?;
    let counted =
        throttle::count_by_network(&mut tx, &state.origin, &state.settings.secret, "review key", who.ip, MISSES).await;
    tx.commit().await?;
    Ok(counted?)
}
