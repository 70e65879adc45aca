//! Registering, signing in and out, and who one is.

use axum::{
    extract::State,
    http::{HeaderMap, HeaderValue, StatusCode, header::SET_COOKIE},
};
use serde::{Deserialize, Serialize};
use shared::{
    domain::{
        messaging::sending_number,
        tenancy::{
            account::{
                self, Account, RegisterForm, Registered, Role,
                one_time_token::{self, Purpose},
                password::{Lane, Verdict},
                proof, second_factor,
            },
            audit::{self, Action},
            registration, security,
            session::{self, Session},
            trust_level,
        },
    },
    platform::{
        db::{Db, Tx},
        error::{Error, FieldErrors},
        id::{AccountId, DEMO_ORG, OrgId},
        text, throttle,
    },
};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    auth::{self, OrgMember, Visitor},
    client_info::Who,
    error::ApiResult,
    extract::Json,
    min_response_time::Floor,
    openapi::{self, fields},
    state::AppState,
};

pub mod code;
mod entry;
pub mod passkey;
pub mod prove;
pub mod reset;

pub use entry::{NextStep, SignIn};
pub(super) use entry::{chosen, enter, renewed};

/// The signed-in person.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CurrentUser {
    id: AccountId,
    name: String,
    email: String,
    role: Role,
    org_id: OrgId,
    org_slug: String,
    org_name: String,
    /// IANA name.
    org_timezone: String,
    /// Whether this is one of the install's operators.
    is_platform_admin: bool,
    two_factor_enabled: bool,
    /// Whether they proved that they read the mail of their address.
    is_email_proven: bool,
    /// Whether this is the viewer of the demonstration, who changes nothing.
    is_demo: bool,
}

impl CurrentUser {
    pub(super) fn of(session: Session, state: &AppState) -> Self {
        Self {
            is_platform_admin: state.is_operator(&session),
            is_demo: session.org_id == DEMO_ORG,
            is_email_proven: session.is_email_proved,
            id: session.account_id,
            name: session.name,
            email: session.email,
            role: session.role,
            org_id: session.org_id,
            org_slug: session.org_slug,
            org_name: session.org_name,
            org_timezone: session.org_timezone,
            two_factor_enabled: session.two_factor_enabled,
        }
    }
}

/// The signed-in person
#[utoipa::path(get, path = "/api/auth/me", operation_id = "me", tag = "auth",
    security(("session" = ["owner", "office", "crew"])),
    responses((status = 200, description = "Who is signed in", body = CurrentUser),
        openapi::Unauthenticated, openapi::Unavailable))]
pub async fn me(member: OrgMember, State(state): State<AppState>) -> axum::Json<CurrentUser> {
    axum::Json(CurrentUser::of(member.session, &state))
}

#[derive(Deserialize, ToSchema)]
pub struct LoginRequest {
    #[schema(required, schema_with = fields::email)]
    email: Option<String>,
    #[schema(value_type = String, required, format = Password, min_length = 1)]
    password: Option<String>,
}

impl LoginRequest {
    /// The address as stored, and the password.
    fn check(self) -> ApiResult<(String, String)> {
        let mut errors = FieldErrors::default();
        let typed = text::line("email", self.email.as_deref(), 254).required("Email is required", &mut errors);
        let email = text::email(&typed);
        if email.is_none() {
            errors.add("email", text::why_no_email(&typed));
        }
        let password = self.password.unwrap_or_default();
        if password.is_empty() {
            errors.add("password", "Password is required");
        }
        errors.finish()?;
        Ok((email.unwrap_or_default(), password))
    }
}

/// Signs in
///
/// Where a second factor is asked for, the password alone opens no session: 202 names the step that is left, and its
/// ticket.
#[utoipa::path(post, path = "/api/auth/login", operation_id = "login", tag = "auth", request_body = LoginRequest,
    responses((status = 200, description = "Signed in; the cookie is set", body = CurrentUser),
        (status = 202, description = "The password is right, and a step is left", body = NextStep),
        openapi::BadRequest, openapi::WrongCredentials, openapi::Forbidden, openapi::TooLarge, openapi::WrongMedia,
        openapi::Invalid, openapi::TooMany, openapi::Unavailable))]
pub async fn login(
    _: Visitor,
    State(state): State<AppState>,
    who: Who,
    headers: HeaderMap,
    Json(form): Json<LoginRequest>,
) -> ApiResult<SignIn> {
    let (email, password) = form.check()?;
    let db = state.db()?;
    let keys = who.tries(&state, &email).await?;
    throttle::look(&mut db.read().await?, state.origin.now(), &keys).await?;
    let lane = if keys.is_at_home() { Lane::KnownDevice } else { Lane::SignIn };
    // Before anything is counted: who is told to come back has used up no try.
    let place = state.hasher.turn(who.asker(lane, &email)).await?;
    let mut tx = db.begin().await?;
    throttle::reserve(&mut tx, &state.origin, &keys).await?;
    tx.commit().await?;

    let known = find_active(db, &email).await?;
    let verdict = place.verify(password, known.as_ref().map(|a| a.password_hash.clone())).await?;
    drop(place);
    let floor = Floor::from_now(state.config.floor);
    let Some((mut tx, account, rehashed)) = still_right(db, known.as_ref(), verdict).await? else {
        note_failure(&state, &who, known.as_ref()).await?;
        floor.wait().await;
        return Err(Error::WrongCredentials.into());
    };
    if let Some(hash) = rehashed {
        account::renew_hash(&mut tx, &account, &hash).await?;
    }
    let answer = if let Some(left) = second_factor::still_needed(&mut tx, &account).await? {
        SignIn::Next(begin_next_step(&mut tx, &state, &who, &account, left).await?)
    } else {
        throttle::clear(&mut tx, state.origin.now(), &keys).await?;
        let entry = enter(&mut tx, &state, &who, &headers, &account, (Action::SignedIn, account.id.0)).await?;
        entry.with(StatusCode::OK)
    };
    tx.commit().await?;
    state.wake();
    Ok(answer)
}

/// The transaction that lets somebody in, who they are now, and the new hash where the stored one is weak; none where the
/// password is wrong, or was changed or its person let go while it was looked at.
async fn still_right(
    db: &Db,
    known: Option<&Account>,
    verdict: Verdict,
) -> ApiResult<Option<(Tx, Account, Option<String>)>> {
    let (Some(account), Verdict::Right { rehashed }) = (known, verdict) else { return Ok(None) };
    let mut tx = db.begin().await?;
    match account::still_stands(&mut tx, account).await {
        Ok(account) => Ok(Some((tx, account, rehashed))),
        Err(Error::WrongCredentials) => Ok(None),
        Err(other) => Err(other.into()),
    }
}

/// The count of tries is taken back by the last step: the password alone has opened nothing.
async fn begin_next_step(
    tx: &mut Tx,
    state: &AppState,
    who: &Who,
    account: &Account,
    left: Purpose,
) -> ApiResult<NextStep> {
    let token = one_time_token::open(&mut *tx, &state.origin, account, left).await?;
    let (actor, subject) = (who.visitor(), Some(account.id.0));
    audit::record(tx, &state.origin, &actor, account.org_id, Action::PasswordAccepted, subject).await?;
    Ok(NextStep::of(left, token))
}

async fn find_active(db: &Db, email: &str) -> ApiResult<Option<Account>> {
    let found = account::find_by_email(&mut db.read().await?, email).await?;
    Ok(found.filter(|account| account.is_active))
}

/// An address that is not registered belongs to no business; the line is written all the same, under no org, so that it
/// takes the same time.
async fn note_failure(state: &AppState, who: &Who, known: Option<&Account>) -> ApiResult<()> {
    let org = known.map_or(OrgId(Uuid::nil()), |account| account.org_id);
    let subject = known.map(|account| account.id.0);
    let mut tx = state.db()?.begin().await?;
    audit::record(&mut tx, &state.origin, &who.visitor(), org, Action::SignInFailed, subject).await?;
    let account = known.map(|account| (account.id, account.email.as_str()));
    security::note_failure(&mut tx, &state.origin, &state.settings.public_url, org, account).await?;
    tx.commit().await?;
    state.wake();
    Ok(())
}

#[derive(Serialize, ToSchema)]
#[schema(as = Registered)]
pub struct RegisterAnswer {
    /// Always `created`: whether the address was known is nobody's business.
    status: &'static str,
}

/// A business and its first person.
#[derive(ToSchema)]
#[schema(as = RegisterRequest, rename_all = "camelCase")]
#[expect(dead_code, reason = "only described; `RegisterForm` is what is read")]
pub struct RegisterDoc {
    #[schema(schema_with = fields::filled::<100>)]
    name: String,
    #[schema(schema_with = fields::email)]
    email: String,
    #[schema(schema_with = fields::new_password)]
    password: String,
    #[schema(schema_with = fields::filled::<100>)]
    org_name: String,
    #[schema(schema_with = fields::industry)]
    industry: Option<String>,
    /// What stands behind the `#` of the operator's invitation, where registration is not open.
    #[schema(schema_with = fields::line_or_null::<200>)]
    invitation: Option<String>,
}

/// Registers a business and its owner
#[utoipa::path(post, path = "/api/auth/register", operation_id = "register", tag = "auth", request_body = RegisterDoc,
    responses((status = 201, description = "Registered; also when the address was known", body = RegisterAnswer),
        openapi::BadRequest, openapi::Forbidden, openapi::Conflict, openapi::TooLarge, openapi::WrongMedia,
        openapi::Invalid, openapi::TooMany, openapi::Unavailable))]
pub async fn register(
    _: Visitor,
    State(state): State<AppState>,
    who: Who,
    Json(form): Json<RegisterForm>,
) -> ApiResult<(StatusCode, axum::Json<RegisterAnswer>)> {
    let invitation = form.invitation.clone();
    let new = form.check()?;
    let db = state.db()?;
    // Before a password is hashed: who is refused costs nothing.
    admit(&state, &mut db.begin().await?, &new.email, invitation.as_deref()).await?;
    let place = state.hasher.turn(who.asker(Lane::Registration, &new.email)).await?;
    if !who.is_exempt {
        let mut tx = db.begin().await?;
        throttle::count_registration(&mut tx, &state.origin, &state.settings.secret, who.ip).await?;
        tx.commit().await?;
    }
    let hash = place.hash(new.password.clone()).await?;
    drop(place);
    let floor = Floor::from_now(state.config.floor);
    let mut tx = db.begin().await?;
    let is_invited = admit(&state, &mut tx, &new.email, invitation.as_deref()).await?;
    let (org, action, account) =
        match account::register(&mut tx, &state.origin, &state.settings.public_url, &new, &hash).await? {
            Registered::New { org, account } => {
                begin_trust(&mut tx, &state, (org, account), is_invited).await?;
                (org, Action::OrgRegistered, account)
            }
            Registered::Known { org, account, may_be_planted } => {
                if may_be_planted {
                    mail_again(&mut tx, &state, (org, account)).await?;
                }
                (org, Action::RegistrationOfKnownEmail, account)
            }
        };
    audit::record(&mut tx, &state.origin, &who.visitor(), org, action, Some(account.0)).await?;
    let (sender, first) = (state.settings.sms.sender(), state.settings.default_org.as_deref());
    sending_number::settle(&mut tx, &state.origin, sender, first).await?;
    tx.commit().await?;
    state.wake();
    floor.wait().await;
    Ok((StatusCode::CREATED, axum::Json(RegisterAnswer { status: "created" })))
}

/// Whether `email` may register now. True when the operator's invitation was mailed to that address.
async fn admit(state: &AppState, tx: &mut Tx, email: &str, invitation: Option<&str>) -> ApiResult<bool> {
    let settings = &state.settings;
    let how = (settings.registration, settings.billing.is_some());
    Ok(registration::admit(tx, &state.origin, &settings.secret, how, (email, invitation)).await?)
}

/// A new business begins at the first step; who came by an invitation reads the mail of their address.
async fn begin_trust(
    tx: &mut Tx,
    state: &AppState,
    (org, account): (OrgId, AccountId),
    is_invited: bool,
) -> ApiResult<()> {
    let settings = &state.settings;
    trust_level::begin(&mut *tx, &state.origin, org, settings.billing.is_some()).await?;
    let account = account::get(&mut *tx, org, account).await?;
    if is_invited {
        proof::note(tx, &state.origin, &account, None).await?;
    } else if throttle::may_mail(tx, &state.origin, &settings.secret, proof::REGISTERED, &account.email).await? {
        proof::send(tx, &state.origin, &settings.secret, &settings.public_url, &account).await?;
    }
    Ok(())
}

/// The address was known, and nobody has proven it: its holder confirms or disowns what was registered, by the links of
/// the first mail.
async fn mail_again(tx: &mut Tx, state: &AppState, (org, account): (OrgId, AccountId)) -> ApiResult<()> {
    let settings = &state.settings;
    let account = account::get(&mut *tx, org, account).await?;
    if throttle::may_mail(tx, &state.origin, &settings.secret, proof::REGISTERED_AGAIN, &account.email).await? {
        proof::send_again(tx, &state.origin, &settings.secret, &settings.public_url, &account).await?;
    }
    Ok(())
}

/// Signs out
///
/// Without a session there is nothing to do, and that is fine.
#[utoipa::path(post, path = "/api/auth/logout", operation_id = "logout", tag = "auth",
    security(("session" = ["owner", "office", "crew"]), ()),
    responses((status = 204, description = "Signed out; the cookie is gone"), openapi::Forbidden, openapi::Unavailable))]
pub async fn logout(
    member: Option<OrgMember>,
    State(state): State<AppState>,
    who: Who,
) -> ApiResult<(StatusCode, HeaderMap)> {
    if let Some(member) = member {
        let mut tx = state.db()?.begin().await?;
        session::end(&mut tx, &member.token).await?;
        let subject = Some(member.account().0);
        audit::record(&mut tx, &state.origin, &who.actor(&member), member.org(), Action::SignedOut, subject).await?;
        tx.commit().await?;
    }
    let cookie = auth::set_cookie(state.settings.public_url.is_https(), None)?;
    let mut headers = HeaderMap::from_iter([(SET_COOKIE, cookie)]);
    // Only the cache: the app removes its own copies, and its look is not private.
    headers.insert("clear-site-data", HeaderValue::from_static("\"cache\""));
    Ok((StatusCode::NO_CONTENT, headers))
}
