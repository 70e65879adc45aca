//! Notices to the customer from the crew on its way: arrival time and delays.

use axum::{extract::State, http::HeaderMap};
use serde::Serialize;
use shared::{
    domain::{
        messaging::message::outlook::{self, SendOutlook},
        tenancy::{
            activity_log::ActivityActor,
            audit::{self, AuditAction},
            org::OrgProfile,
        },
        work::job::{
            self,
            dispatch_notice::{self, CustomerNoticeResult, OnMyWayInput, RunningLateInput},
        },
    },
    platform::{
        db::Tx,
        id::{EventId, JobId},
    },
    views::job::detail::JobDetail,
};
use utoipa::ToSchema;

use super::{load_job_view, load_profile};
use crate::{
    auth::OrgMember,
    client_info::RequestContext,
    error::ApiResult,
    extract::{Json, PathId},
    idempotency::IdempotentOperation,
    openapi,
    state::AppState,
};

/// The job as it is now, and whether the customer is notified.
#[derive(Serialize, ToSchema)]
#[schema(as = JobWay)]
pub struct DispatchNoticeReceipt {
    #[serde(flatten)]
    job: JobDetail,
    told: CustomerNoticeResult,
    /// What becomes of the message; null where none was queued.
    outlook: Option<SendOutlook>,
}

enum RequestedNotice {
    OnMyWay(OnMyWayInput),
    Late(RunningLateInput),
}

/// One press, which a phone may send twice.
struct NoticeRequest<'a> {
    member: &'a OrgMember,
    state: &'a AppState,
    who: &'a RequestContext,
    job: JobId,
    once: IdempotentOperation,
}

impl NoticeRequest<'_> {
    /// Carries it out once, and returns the job.
    async fn run_once(self, requested: &RequestedNotice) -> ApiResult<axum::Json<DispatchNoticeReceipt>> {
        let (state, org) = (self.state, self.member.org());
        let mut tx = state.db()?.begin().await?;
        let sight = job::find_visible_scope(&mut tx, &self.member.session, self.job).await?;
        let profile = load_profile(&mut tx, self.member).await?;
        let event = match self.once.find_stored_response(&mut tx, state, org).await? {
            Some(earlier) => earlier,
            None => self.apply_notice(&mut tx, &profile, requested).await?,
        };
        let result = dispatch_notice::load_notice_result(&mut tx, org, event).await?;
        let outlook = outlook::load_event_outlook(&mut tx, &state.origin, state.send_channels(), org, event).await?;
        let axum::Json(job) = load_job_view(&mut tx, state, &profile, sight, self.job).await?;
        tx.commit().await?;
        state.notify_committed();
        Ok(axum::Json(DispatchNoticeReceipt { job, told: result, outlook }))
    }

    async fn apply_notice(&self, tx: &mut Tx, profile: &OrgProfile, requested: &RequestedNotice) -> ApiResult<EventId> {
        let (ctx, by, org) =
            (self.state.org_context(profile), ActivityActor::from_session(&self.member.session), self.member.org());
        let event = match requested {
            RequestedNotice::OnMyWay(sent) => {
                dispatch_notice::report_on_my_way(&mut *tx, &ctx, self.job, sent, &by).await?
            }
            RequestedNotice::Late(sent) => dispatch_notice::report_late(&mut *tx, &ctx, self.job, sent, &by).await?,
        };
        self.once.store_response(&mut *tx, org, &event).await?;
        let (actor, id) = (self.who.actor_for(self.member), Some(self.job.0));
        audit::record(tx, &self.state.origin, &actor, org, AuditAction::JobStatusChanged, id).await?;
        Ok(event)
    }
}

/// On my way
///
/// The customer is told when to expect the crew, at once: by text, or by email where no text can be sent. `told` says
/// whether, and why not. It can be undone for a minute, as long as the message was not sent.
#[utoipa::path(post, path = "/api/jobs/{id}/on-my-way", operation_id = "sayOnMyWay", tag = "jobs",
    security(("session" = ["owner", "office", "crew"])), request_body = OnMyWayInput,
    params(("id" = uuid::Uuid, Path, description = "The job"),
        openapi::IdempotencyKey),
    responses((status = 200, description = "The job as it is now", body = DispatchNoticeReceipt),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn send_on_my_way(
    member: OrgMember,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
    headers: HeaderMap,
    Json(sent): Json<OnMyWayInput>,
) -> ApiResult<axum::Json<DispatchNoticeReceipt>> {
    let once = IdempotentOperation::new("job_way", &headers, &format!("{id} {sent:?}"))?;
    let press = NoticeRequest { member: &member, state: &state, who: &who, job: JobId(id), once };
    press.run_once(&RequestedNotice::OnMyWay(sent)).await
}

/// Running late
///
/// Counted from when the crew was expected at the latest. The customer gets the new time, as with "on my way".
#[utoipa::path(post, path = "/api/jobs/{id}/late", operation_id = "sayLate", tag = "jobs",
    security(("session" = ["owner", "office", "crew"])), request_body = RunningLateInput,
    params(("id" = uuid::Uuid, Path, description = "The job"),
        openapi::IdempotencyKey),
    responses((status = 200, description = "The job as it is now", body = DispatchNoticeReceipt),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn send_running_late(
    member: OrgMember,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
    headers: HeaderMap,
    Json(sent): Json<RunningLateInput>,
) -> ApiResult<axum::Json<DispatchNoticeReceipt>> {
    let once = IdempotentOperation::new("job_late", &headers, &format!("{id} {sent:?}"))?;
    let press = NoticeRequest { member: &member, state: &state, who: &who, job: JobId(id), once };
    press.run_once(&RequestedNotice::Late(sent)).await
}
