//! Live event stream: tells an open page that data of its business changed.

use std::convert::Infallible;

use axum::{
    extract::State,
    http::{HeaderMap, HeaderName},
    response::{Sse, sse::Event},
};
use shared::{
    domain::work::job::JobScope,
    platform::{db::tenant_scope, throttle},
};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

use crate::{
    auth::OrgMember,
    client_info::RequestContext,
    error::{ApiError, ApiResult},
    extract::QueryParams,
    live::{self, LiveSubscriber, StreamOwner, StreamPermit},
    openapi,
    state::AppState,
};

/// Events buffered for a slow page before the stream itself waits.
const AHEAD: usize = 64;

type EventStream = Sse<ReceiverStream<Result<Event, Infallible>>>;

/// Live events of the business
///
/// `lead` with `{"id"}`, `message` with `{"id","leadId"}`, `conversation` with the id of its customer, `settings` with the id
/// of the business, `alert` with `{"id"}`, and `resync` with `{}` when missed events are no longer known. Crew members
/// get `job` with the id of one of theirs, and `schedule`. A stream begins with what happened in the minute before it:
/// a client that fetched its data within that minute has missed nothing.
#[utoipa::path(get, path = "/api/events", operation_id = "events", tag = "events",
    security(("session" = ["owner", "office", "crew"])),
    params(("Last-Event-ID" = Option<String>, Header, description = "The last event received; browsers send it by themselves"),
        ("lastEventId" = Option<String>, Query, description = "The same, where a header cannot be sent")),
    responses((status = 200, description = "A stream that does not end", body = String, content_type = "text/event-stream"),
        openapi::Unauthenticated, openapi::Forbidden, openapi::TooMany, openapi::Unavailable))]
pub async fn stream_events(
    member: OrgMember,
    State(state): State<AppState>,
    who: RequestContext,
    query: QueryParams,
    headers: HeaderMap,
) -> ApiResult<([(HeaderName, &'static str); 1], EventStream)> {
    let holder = if member.is_demo() {
        StreamOwner::Visitor(throttle::network_key(who.ip))
    } else {
        StreamOwner::Account(member.account())
    };
    let seat = StreamPermit::try_acquire(&state, holder).ok_or_else(|| ApiError::too_many_requests(30))?;
    let header = headers.get("last-event-id").map(|v| String::from_utf8_lossy(v.as_bytes()).into_owned());
    // An unreadable id cannot be resumed from: the page is told to reload.
    let asked = query.parse_text("lastEventId", 100).unwrap_or_else(|_| Some("unreadable".to_owned()));
    let (org, sight, last_event_id) = (member.org(), JobScope::from_session(&member.session), header.or(asked));
    let listener = LiveSubscriber { seat, org, sight, last_event_id, token: member.token };
    let (out, stream) = mpsc::channel(AHEAD);
    tokio::spawn(tenant_scope::propagate_tenant(live::stream_events(listener, out)));
    let unbuffered = [(HeaderName::from_static("x-accel-buffering"), "no")];
    Ok((unbuffered, Sse::new(ReceiverStream::new(stream))))
}
