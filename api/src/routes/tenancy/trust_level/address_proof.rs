//! Proof of an email address by a mailed link: shown, made, refused and sent again.

use axum::{
    Json,
    extract::State,
    http::{HeaderMap, StatusCode},
};
use serde::{Deserialize, Serialize};
use shared::{
    conflicts::ConflictCode,
    domain::{
        messaging::account_email::{
            address_proof,
            security_email::{self, SecurityEvent},
        },
        tenancy::{
            account::{self, Account, before_proof, proof},
            audit::{self, AuditAction},
            trust_level::view,
        },
    },
    ops::tenant_data::removal,
    platform::{
        db::tenant_scope::{self, across_tenants},
        error::{Error, FieldErrors},
        text, throttle,
    },
};
use utoipa::ToSchema;

use crate::{
    auth::{OrgMember, Visitor},
    client_info::RequestContext,
    error::{ApiError, ApiResult, ErrorCode},
    extract::Json as Typed,
    openapi::{self, fields},
    routes::tenancy::account_mail_status,
    state::AppState,
};

/// Links per user and hour.
const LINKS: i64 = 5;
/// Tries at links that prove nothing, per network and hour.
const TRIED: i64 = 60;
const NO_MORE: &str = "This link is no longer valid. Sign in and ask for a new one.";

/// The link of a mail, as it was opened.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct AddressProofRequest {
    /// The part after the `#` of the link.
    #[schema(required, schema_with = fields::required_line::<100>)]
    token: Option<String>,
}

/// What comes of a proof.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AddressProven)]
pub struct AddressVerified {
    /// Good for half an hour at `/api/auth/reset/confirm`: the password that was set before no longer signs in. Null
    /// where the caller was signed in to the account, or had proven the address before.
    reset_token: Option<String>,
    /// That nothing goes to the customers of the business yet and what opens it, in a sentence. Null where it may write
    /// to them.
    closed: Option<String>,
}

/// What a link proves.
#[derive(Serialize, ToSchema)]
#[schema(as = AddressProofOf)]
pub struct AddressProofPreview {
    /// The business as the mail names it: of a name that could be a link or a number "a business on Toolbox".
    business: String,
}

/// For which business a mailed link proves an address
///
/// Changes nothing: the link stays good.
#[utoipa::path(post, path = "/api/auth/proof/look", operation_id = "lookAtProof", tag = "auth", request_body = AddressProofRequest,
    responses((status = 200, description = "Whose link it is", body = AddressProofPreview),
        openapi::BadRequest, openapi::Forbidden, openapi::NotFound, openapi::TooLarge, openapi::WrongMedia,
        openapi::Invalid, openapi::TooMany, openapi::Unavailable))]
pub async fn preview_address_proof(
    _: Visitor,
    State(state): State<AppState>,
    who: RequestContext,
    Typed(form): Typed<AddressProofRequest>,
) -> ApiResult<Json<AddressProofPreview>> {
    let (_, account) = find_address_holder(&state, &who, &form).await?;
    tenant_scope::set_tenant(account.org_id);
    let mut conn = state.db()?.acquire_reader().await?;
    Ok(Json(AddressProofPreview { business: proof::load_safe_business_name(&mut conn, account.org_id).await? }))
}

/// Proves an email address by the link that was mailed to it
///
/// Works once, on any device. Ends every session of the account but the caller's own, its keys and open invitations;
/// the first proof of a business also ends two-step sign-in, every other account that was made in it before and the
/// addresses of crew calendars. Where the caller is not signed in to the account, its password ends too.
#[utoipa::path(post, path = "/api/auth/proof", operation_id = "proveAddress", tag = "auth", request_body = AddressProofRequest,
    security(("session" = ["owner", "office", "crew"]), ()),
    responses((status = 200, description = "The address is proven", body = AddressVerified),
        openapi::BadRequest, openapi::Forbidden, openapi::NotFound, openapi::TooLarge, openapi::WrongMedia,
        openapi::Invalid, openapi::TooMany, openapi::Unavailable))]
pub async fn prove_address(
    member: Option<OrgMember>,
    State(state): State<AppState>,
    who: RequestContext,
    Typed(form): Typed<AddressProofRequest>,
) -> ApiResult<Json<AddressVerified>> {
    let (token, account) = find_address_holder(&state, &who, &form).await?;
    let own = member.filter(|member| member.account() == account.id && member.key.is_none());
    tenant_scope::set_tenant(account.org_id);
    let mut tx = state.db()?.begin().await?;
    let session = own.as_ref().map(|member| member.token.as_str());
    let before = before_proof::count_credentials(&mut tx, account.org_id).await?;
    let reset_token = proof::confirm_address(&mut tx, &state.origin, (&token, &account), session)
        .await
        .map_err(expired_link_error)?;
    let closed = view::sending_closed_reason(&mut tx, account.org_id, state.settings.billing.is_some()).await?;
    let url = &state.settings.public_url;
    let gone = before.removed_since(before_proof::count_credentials(&mut tx, account.org_id).await?);
    security_email::notify_account(&mut tx, &state.origin, url, &account, SecurityEvent::AddressProven { gone })
        .await?;
    let actor = own.as_ref().map_or_else(|| who.anonymous_actor(), |member| who.actor_for(member));
    let subject = Some(account.id.0);
    audit::record(&mut tx, &state.origin, &actor, account.org_id, AuditAction::AddressProven, subject).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(Json(AddressVerified { reset_token, closed }))
}

/// Token and account of a link. The caller may be signed in to another account, or to none.
async fn find_address_holder(
    state: &AppState,
    who: &RequestContext,
    form: &AddressProofRequest,
) -> ApiResult<(String, Account)> {
    let mut errors = FieldErrors::default();
    let token =
        text::single_line("token", form.token.as_deref(), 100).parse_required("The link is not whole", &mut errors);
    errors.into_result()?;
    let mut conn = across_tenants(state.db()?.acquire_reader()).await?;
    let found = proof::find_account_by_token(&mut conn, state.origin.now(), &token).await;
    drop(conn);
    match found {
        Ok(account) => Ok((token, account)),
        Err(refused) => {
            // A valid link is never refused for other tries of its network.
            count_try(state, who).await?;
            Err(expired_link_error(refused))
        }
    }
}

/// Reports a registration by another person
///
/// By the same link. Removes the business that was registered with it and everything in it. Refused once an owner has
/// confirmed the address.
#[utoipa::path(post, path = "/api/auth/proof/disown", operation_id = "disownAddress", tag = "auth",
    request_body = AddressProofRequest,
    responses((status = 204, description = "What was registered is removed"),
        openapi::BadRequest, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::TooMany, openapi::Unavailable))]
pub async fn disown_address(
    _: Visitor,
    State(state): State<AppState>,
    who: RequestContext,
    Typed(form): Typed<AddressProofRequest>,
) -> ApiResult<StatusCode> {
    let (token, account) = find_address_holder(&state, &who, &form).await?;
    let mut tx = across_tenants(state.db()?.begin()).await?;
    proof::disown_registration(&mut tx, &state.origin, (&token, &account)).await.map_err(expired_link_error)?;
    // Only this count stays: a new registration of the address is not mailed at once.
    let (origin, secret) = (&state.origin, &state.settings.secret);
    throttle::try_count_mail(&mut tx, origin, secret, proof::REGISTERED, account.email.as_str()).await?;
    tx.commit().await?;
    let ctx = removal::InstallContext {
        db: state.db()?,
        storage: &state.storage,
        data_dir: &state.settings.data_dir,
        origin,
        secret,
    };
    across_tenants(Box::pin(removal::remove_org(&ctx, account.org_id))).await?;
    tracing::info!(org = %account.org_id, "a registration was removed by the holder of its address");
    state.notify_committed();
    Ok(StatusCode::NO_CONTENT)
}

fn expired_link_error(error: Error) -> ApiError {
    match error {
        Error::NotFound => ApiError::new(ErrorCode::NotFound, NO_MORE),
        other => other.into(),
    }
}

async fn count_try(state: &AppState, who: &RequestContext) -> ApiResult<()> {
    if who.is_exempt {
        return Ok(());
    }
    let mut tx = state.db()?.begin().await?;
    let counted =
        throttle::count_by_network(&mut tx, &state.origin, &state.settings.secret, "proof tried", who.ip, TRIED).await;
    tx.commit().await?;
    Ok(counted?)
}

/// Sends oneself the link that proves one's email address
///
/// Five times an hour and ten times a day at most. Links that were sent before stay good for their time.
#[utoipa::path(post, path = "/api/account/proof", operation_id = "sendAddressProof", tag = "account",
    security(("session" = ["owner", "office", "crew"])),
    responses((status = 202, description = "The mail is on its way", headers(
            ("X-Waiting" = String, description = "Why it does not leave now: email: saved as a file"))),
        openapi::Unauthenticated, openapi::Forbidden,
        openapi::Conflict, openapi::TooMany, openapi::Unavailable))]
pub async fn send_address_proof(
    member: OrgMember,
    State(state): State<AppState>,
    who: RequestContext,
) -> ApiResult<(StatusCode, HeaderMap)> {
    let (origin, secret) = (&state.origin, &state.settings.secret);
    let mut tx = state.db()?.begin().await?;
    member.require_live_session(&mut tx, &state).await?;
    if proof::is_address_proven(&mut tx, member.org(), member.account()).await? {
        return Err(ConflictCode::EmailConfirmed.into());
    }
    throttle::count_mail(&mut tx, origin, secret, ("proof mails", LINKS), member.session.email.as_str()).await?;
    let account = account::get(&mut tx, member.org(), member.account()).await?;
    address_proof::send_proof_mail(&mut tx, origin, secret, &state.settings.public_url, &account).await?;
    let (actor, subject) = (who.actor_for(&member), Some(account.id.0));
    audit::record(&mut tx, origin, &actor, member.org(), AuditAction::AddressProofSent, subject).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok((StatusCode::ACCEPTED, account_mail_status::waiting_headers(&state).await?))
}
