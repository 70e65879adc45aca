//! Push devices: add, test, and confirm a shown test.

use axum::{extract::State, http::StatusCode};
use serde::Serialize;
use shared::{
    domain::{
        tenancy::{
            audit::{self, AuditAction},
            push_device::{self, DeviceView, NewPushDevice},
        },
        work::job::JobScope,
    },
    platform::{
        db::{AsConn, Tx, tenant_scope::across_tenants},
        id::DeviceId,
    },
};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    auth::OrgMember,
    client_info::RequestContext,
    error::{ApiError, ApiResult},
    extract::{Json, PathId},
    openapi,
    state::AppState,
};

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PushKey {
    /// A point of P-256, uncompressed, in base64url: what a browser subscribes with.
    public_key: String,
}

/// The key that browsers subscribe with
#[utoipa::path(get, path = "/api/push/key", operation_id = "getPushKey", tag = "alerts",
    security(("session" = ["owner", "office", "crew"])),
    responses((status = 200, description = "The public key of this install", body = PushKey),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn get_push_key(member: OrgMember, State(state): State<AppState>) -> ApiResult<axum::Json<PushKey>> {
    member.reject_demo()?;
    Ok(axum::Json(PushKey { public_key: state.settings.push.public_key().to_owned() }))
}

/// Crew members see only their own devices.
fn can_see_all_devices(member: &OrgMember) -> bool {
    JobScope::from_session(&member.session).is_office()
}

/// Errors: 404 for another user's device.
async fn check_device_owner(conn: &mut dyn AsConn, member: &OrgMember, id: DeviceId) -> ApiResult<()> {
    if can_see_all_devices(member) {
        return Ok(());
    }
    let device = push_device::get(conn, member.org(), member.account(), id).await?;
    if device.is_this_account { Ok(()) } else { Err(ApiError::not_found()) }
}

/// The business's devices
///
/// Somebody of a crew gets their own.
#[utoipa::path(get, path = "/api/push/devices", operation_id = "listPushDevices", tag = "alerts",
    security(("session" = ["owner", "office", "crew"])),
    responses((status = 200, description = "All of them, the oldest first", body = Vec<DeviceView>),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Unavailable))]
pub async fn list_push_devices(
    member: OrgMember,
    State(state): State<AppState>,
) -> ApiResult<axum::Json<Vec<DeviceView>>> {
    let mut conn = state.db()?.acquire_reader().await?;
    let mut devices = push_device::list(&mut conn, member.org(), member.account()).await?;
    devices.retain(|device| device.is_this_account || can_see_all_devices(&member));
    Ok(axum::Json(devices))
}

/// Show alerts on this device
///
/// The same browser again is brought up to date, and is alive again.
#[utoipa::path(post, path = "/api/push/devices", operation_id = "addPushDevice", tag = "alerts",
    security(("session" = ["owner", "office", "crew"])), request_body = NewPushDevice,
    responses((status = 201, description = "The device", body = DeviceView),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::Conflict, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn add_push_device(
    member: OrgMember,
    State(state): State<AppState>,
    who: RequestContext,
    Json(new): Json<NewPushDevice>,
) -> ApiResult<(StatusCode, axum::Json<DeviceView>)> {
    // The browser may have been registered in another business: it now belongs to the signed-in user.
    let mut tx = across_tenants(state.db()?.begin()).await?;
    let services = &state.settings.push.services;
    let whose = (member.org(), member.account(), member.token.as_str());
    let device = push_device::register_device(&mut tx, &state.origin, services, whose, &new).await?;
    commit_change(tx, &state, &who, &member, AuditAction::DeviceAdded, device.id).await?;
    Ok((StatusCode::CREATED, axum::Json(device)))
}

/// Forget a device
#[utoipa::path(delete, path = "/api/push/devices/{id}", operation_id = "removePushDevice", tag = "alerts",
    security(("session" = ["owner", "office", "crew"])),
    params(("id" = uuid::Uuid, Path, description = "The device")),
    responses((status = 204, description = "Forgotten"),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn remove_push_device(
    member: OrgMember,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
) -> ApiResult<StatusCode> {
    let mut tx = state.db()?.begin().await?;
    check_device_owner(&mut tx, &member, DeviceId(id)).await?;
    push_device::remove_device(&mut tx, &state.origin, member.org(), DeviceId(id)).await?;
    commit_change(tx, &state, &who, &member, AuditAction::DeviceRemoved, DeviceId(id)).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PushTest {
    test_id: Uuid,
}

/// Send a device a test
///
/// It is on its way. The device's `seenAt` says when it was shown, its `fault` why it was not.
#[utoipa::path(post, path = "/api/push/devices/{id}/test", operation_id = "testPushDevice", tag = "alerts",
    security(("session" = ["owner", "office", "crew"])),
    params(("id" = uuid::Uuid, Path, description = "The device")),
    responses((status = 202, description = "On its way", body = PushTest),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::Unavailable))]
pub async fn test_push_device(
    member: OrgMember,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
) -> ApiResult<(StatusCode, axum::Json<PushTest>)> {
    let mut tx = state.db()?.begin().await?;
    check_device_owner(&mut tx, &member, DeviceId(id)).await?;
    let test =
        push_device::enqueue_test_push(&mut tx, &state.origin, member.org(), member.account(), DeviceId(id)).await?;
    commit_change(tx, &state, &who, &member, AuditAction::DeviceTested, DeviceId(id)).await?;
    Ok((StatusCode::ACCEPTED, axum::Json(PushTest { test_id: test })))
}

/// Say that this device showed a test
///
/// From the service worker of the device itself.
#[utoipa::path(post, path = "/api/push/devices/{id}/seen", operation_id = "seePushTest", tag = "alerts",
    security(("session" = ["owner", "office", "crew"])),
    params(("id" = uuid::Uuid, Path, description = "The device")),
    responses((status = 204, description = "Noted"),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn see_push_test(
    member: OrgMember,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
) -> ApiResult<StatusCode> {
    let mut tx = state.db()?.begin().await?;
    check_device_owner(&mut tx, &member, DeviceId(id)).await?;
    push_device::record_test_seen(&mut tx, &state.origin, member.org(), DeviceId(id)).await?;
    commit_change(tx, &state, &who, &member, AuditAction::DeviceSeen, DeviceId(id)).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn commit_change(
    mut tx: Tx,
    state: &AppState,
    who: &RequestContext,
    member: &OrgMember,
    action: AuditAction,
    device: DeviceId,
) -> ApiResult<()> {
    audit::record(&mut tx, &state.origin, &who.actor_for(member), member.org(), action, Some(device.0)).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(())
}
