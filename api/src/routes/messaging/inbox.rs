//! The inbox: threads, one conversation, and changes of it.

use axum::{
    extract::State,
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode},
};
use chrono::{DateTime, Utc};
use serde::Deserialize;
use shared::{
    domain::{
        growth::worklist,
        messaging::{
            conversation::{
                self, ConversationPatch,
                inbox::{self, ConversationSummary, InboxFilter, InboxQuery},
                timeline::{self, Conversation},
            },
            message::send::inflight,
            opt_out::store::{self as opt_out, OptOutState},
        },
        tenancy::{
            audit::{self, AuditAction},
            org::{self, SendChannels},
        },
    },
    ops::erasure,
    platform::{db::tenant_scope::across_tenants, id::CustomerId},
    providers::sms::SmsConfig,
};
use utoipa::ToSchema;

use crate::{
    auth::OrgOffice,
    client_info::RequestContext,
    error::{ApiError, ApiResult},
    extract::{Json, PathId, QueryParams},
    openapi, pagination,
    routes::tenancy::org::load_profile,
    state::AppState,
};

/// Number of unread threads, independent of the list's filter.
const UNREAD: HeaderName = HeaderName::from_static("x-unread-count");

/// The inbox
///
/// Threads with customers, the newest first.
#[utoipa::path(get, path = "/api/inbox", operation_id = "listThreads", tag = "inbox",
    security(("session" = ["owner", "office"])),
    params(("filter" = inline(Option<InboxFilter>), Query, description = "Only these; open ones when absent"),
        ("q" = Option<String>, Query, max_length = 200, pattern = r"^[^\x00-\x1f\x7f-\x9f\ufffd]*$",
            description = "Part of a name, a phone number or an email address"),
        ("limit" = Option<i64>, Query, minimum = 1, maximum = 200, description = "At most so many; 50 when absent"),
        ("cursor" = Option<String>, Query, pattern = "^([0-9]{1,13}_[0-9a-f]{32})?$",
            description = "Where to go on, from the Link header")),
    responses((status = 200, description = "Threads", body = Vec<ConversationSummary>,
            headers(("X-Total-Count" = i64, description = "How many match in all"),
                ("X-Unread-Count" = i64, description = "How many threads hold something unread"),
                ("Link" = String, description = "The next page, rel=\"next\""))),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Invalid, openapi::Unavailable))]
pub async fn list_conversations(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    query: QueryParams,
) -> ApiResult<(HeaderMap, axum::Json<Vec<ConversationSummary>>)> {
    let asked = InboxQuery {
        filter: query.parse_choice("filter")?.unwrap_or_default(),
        account: member.account(),
        q: query.parse_text("q", 200)?,
        limit: query.parse_number("limit", 1..=200, 50)?,
        cursor: query.parse_text("cursor", 200)?,
        now: state.origin.now(),
    };
    let mut conn = state.db()?.acquire_reader().await?;
    let profile = load_profile(&mut conn, &member).await?;
    let (mut threads, next) = inbox::list_conversations(&mut conn, member.org(), &asked).await?;
    let waits = worklist::load_thread_waits(&mut conn, &profile, asked.now, None).await?;
    for thread in &mut threads {
        thread.set_waiting(waits.get(&thread.customer_id).copied(), asked.now);
    }
    let total = inbox::count_conversations(&mut conn, member.org(), &asked).await?;
    let unread = inbox::count_unread(&mut conn, member.org()).await?;
    let mut headers = pagination::pagination_headers(total, next.map(|next| next_link(&asked, &next)));
    headers.insert(UNREAD, HeaderValue::from(unread));
    Ok((headers, axum::Json(threads)))
}

fn next_link(asked: &InboxQuery, cursor: &str) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.append_pair("filter", &asked.filter.to_string()).append_pair("limit", &asked.limit.to_string());
    query.append_pair("cursor", cursor);
    if let Some(q) = &asked.q {
        query.append_pair("q", q);
    }
    format!("</api/inbox?{}>; rel=\"next\"", query.finish())
}

/// The conversation with a customer
///
/// Texts, emails, calls and forms in the order they came, at most 200 of them, and what can be written next.
#[utoipa::path(get, path = "/api/customers/{id}/conversation", operation_id = "getConversation", tag = "inbox",
    security(("session" = ["owner", "office"])),
    params(("id" = uuid::Uuid, Path, description = "The customer"),
        ("before" = Option<DateTime<Utc>>, Query, description = "Only what came before this instant")),
    responses((status = 200, description = "The conversation", body = Conversation),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Invalid, openapi::Unavailable))]
pub async fn get_conversation(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    PathId(id): PathId,
    query: QueryParams,
) -> ApiResult<axum::Json<Conversation>> {
    let before = query.parse_text("before", 40)?.map(|text| parse_instant("before", &text)).transpose()?;
    let mut conn = state.db()?.acquire_reader().await?;
    let org = org::find(&mut conn, member.org()).await?.ok_or_else(ApiError::not_found)?;
    let profile = org::load_profile(&mut conn, org).await?;
    let set_up = SendChannels {
        sms: !matches!(state.settings.sms, SmsConfig::Off),
        email: true,
        takes_money: state.settings.billing.is_some(),
    };
    let when = (before, state.origin.now());
    let mut found =
        timeline::load_conversation(&mut conn, member.org(), CustomerId(id), when, set_up, &profile).await?;
    if let Some(thread) = &mut found.thread {
        let waits = worklist::load_thread_waits(&mut conn, &profile, when.1, Some(thread.customer_id)).await?;
        thread.set_waiting(waits.get(&thread.customer_id).copied(), when.1);
    }
    found.erasure = erasure::request::find_erasure_status(&mut conn, member.org(), found.customer.id).await?;
    Ok(axum::Json(found))
}

fn parse_instant(name: &str, text: &str) -> ApiResult<DateTime<Utc>> {
    let read = DateTime::parse_from_rfc3339(text).map(|at| at.with_timezone(&Utc)).ok();
    // Instants outside the range that every database stores are refused.
    let fits = read.filter(|at| (0..=4_102_444_800_000).contains(&at.timestamp_millis()));
    fits.ok_or_else(|| ApiError::invalid_field(name, "This is not a date and time as in RFC 3339"))
}

/// Mark a conversation read
#[utoipa::path(post, path = "/api/customers/{id}/read", operation_id = "readThread", tag = "inbox",
    security(("session" = ["owner", "office"])),
    params(("id" = uuid::Uuid, Path, description = "The customer")),
    responses((status = 204, description = "Everything is read"),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn mark_conversation_read(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    PathId(id): PathId,
) -> ApiResult<StatusCode> {
    let mut tx = state.db()?.begin().await?;
    conversation::mark_read(&mut tx, &state.origin, member.org(), CustomerId(id)).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(StatusCode::NO_CONTENT)
}

/// Assign, snooze, close or block
#[utoipa::path(patch, path = "/api/customers/{id}/thread", operation_id = "changeThread", tag = "inbox",
    security(("session" = ["owner", "office"])), request_body = ConversationPatch,
    params(("id" = uuid::Uuid, Path, description = "The customer")),
    responses((status = 200, description = "The thread as it is now", body = ConversationSummary),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn update_conversation(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
    Json(change): Json<ConversationPatch>,
) -> ApiResult<axum::Json<ConversationSummary>> {
    let customer = CustomerId(id);
    let mut tx = state.db()?.begin().await?;
    conversation::apply_patch(&mut tx, &state.origin, member.org(), customer, &change).await?;
    audit::record(&mut tx, &state.origin, &who.actor_for(&member), member.org(), AuditAction::ThreadChanged, Some(id))
        .await?;
    let mut changed = inbox::get_conversation_summary(&mut tx, member.org(), customer).await?;
    tx.commit().await?;
    state.notify_committed();
    // Reads what else waits without the write lock.
    let mut conn = state.db()?.acquire_reader().await?;
    let (profile, now) = (load_profile(&mut conn, &member).await?, state.origin.now());
    let waits = worklist::load_thread_waits(&mut conn, &profile, now, Some(changed.customer_id)).await?;
    changed.set_waiting(waits.get(&changed.customer_id).copied(), now);
    Ok(axum::Json(changed))
}

/// What the business says about texting this customer.
#[derive(Deserialize, ToSchema)]
pub struct OptOutDecision {
    /// `stopped` confirms the opt-out, `lifted` declares it a misunderstanding.
    state: OptOutDecisionState,
}

#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = OptOutDecided)]
pub enum OptOutDecisionState {
    Stopped,
    Lifted,
}

/// What holds now.
#[derive(serde::Serialize, ToSchema)]
pub struct OptOutAnswer {
    state: OptOutState,
}

/// Confirm or lift an opt-out
///
/// A text that may be an opt-out waits for a person's decision. A certain STOP can only be lifted by the customer.
#[utoipa::path(post, path = "/api/customers/{id}/opt-out", operation_id = "decideOptOut", tag = "inbox",
    security(("session" = ["owner", "office"])), request_body = OptOutDecision,
    params(("id" = uuid::Uuid, Path, description = "The customer")),
    responses((status = 200, description = "What holds now", body = OptOutAnswer),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn decide_opt_out(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
    Json(decision): Json<OptOutDecision>,
) -> ApiResult<axum::Json<OptOutAnswer>> {
    let wanted = match decision.state {
        OptOutDecisionState::Stopped => OptOutState::Stopped,
        OptOutDecisionState::Lifted => OptOutState::Lifted,
    };
    let db = state.db()?;
    // A confirmed opt-out of a shared number applies to every business on it.
    let mut tx = across_tenants(db.begin()).await?;
    let decided = opt_out::resolve_opt_out(&mut tx, &state.origin, member.org(), CustomerId(id), wanted).await?;
    audit::record(&mut tx, &state.origin, &who.actor_for(&member), member.org(), AuditAction::OptOutDecided, Some(id))
        .await?;
    let numbers = opt_out::list_customer_numbers(&mut tx, member.org(), CustomerId(id)).await?;
    tx.commit().await?;
    if decided.state == OptOutState::Stopped {
        let here = numbers.iter().map(|number| (member.org(), &number.address));
        let elsewhere = decided.elsewhere.iter().map(|(org, number)| (*org, number));
        let waits = here.chain(elsewhere).map(|(org, number)| inflight::wait_for_inflight(db, org, number));
        across_tenants(futures::future::try_join_all(waits)).await?;
    }
    state.notify_committed();
    Ok(axum::Json(OptOutAnswer { state: decided.state }))
}
