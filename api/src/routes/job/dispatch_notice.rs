//! What whoever is on the way tells the customer: when they come, and that they come later.

use axum::{extract::State, http::HeaderMap};
use chrono::{DateTime, Utc};
use serde::Serialize;
use shared::{
    domain::{
        messaging::message::outlook::{self, Outlook},
        tenancy::{
            audit::{self, Action},
            org::Profile,
        },
        work::{
            activity::Doer,
            job::{
                self,
                dispatch_notice::{self, Late, OnMyWay, Told},
                view::JobDetail,
            },
        },
    },
    platform::{
        db::Tx,
        id::{EventId, JobId},
    },
};
use utoipa::ToSchema;

use super::{profile, shown};
use crate::{
    auth::OrgMember,
    client_info::Who,
    error::ApiResult,
    extract::{Id, Json},
    idempotency::Once,
    openapi,
    state::AppState,
};

/// The job as it is now, and whether the customer hears of it.
#[derive(Serialize, ToSchema)]
pub struct JobWay {
    #[serde(flatten)]
    job: JobDetail,
    told: Told,
    /// What becomes of the message; null where none was queued.
    outlook: Option<Outlook>,
}

/// When somebody who has set out arrives.
#[derive(ToSchema)]
#[schema(as = OnMyWay, rename_all = "camelCase")]
#[expect(dead_code, reason = "only described; `OnMyWay` is what is read")]
pub struct OnMyWayDoc {
    #[schema(minimum = 5, maximum = 240)]
    eta_minutes: i64,
    /// By the device that was there, within the last three days.
    happened_at: Option<DateTime<Utc>>,
}

/// By how much it is later than it was to be.
#[derive(ToSchema)]
#[schema(as = RunningLate, rename_all = "camelCase")]
#[expect(dead_code, reason = "only described; `Late` is what is read")]
pub struct LateDoc {
    #[schema(minimum = 5, maximum = 240)]
    minutes: i64,
    /// By the device that was there, within the last three days.
    happened_at: Option<DateTime<Utc>>,
}

/// What is said.
enum Said {
    OnMyWay(OnMyWay),
    Late(Late),
}

/// One press, of a phone that may send it twice.
struct Press<'a> {
    member: &'a OrgMember,
    state: &'a AppState,
    who: &'a Who,
    job: JobId,
    once: Once,
}

impl Press<'_> {
    /// Carries it out, unless it was carried out before, and answers with the job.
    async fn made(self, said: &Said) -> ApiResult<axum::Json<JobWay>> {
        let (state, org) = (self.state, self.member.org());
        let mut tx = state.db()?.begin().await?;
        let sight = job::visible(&mut tx, &self.member.session, self.job).await?;
        let profile = profile(&mut tx, self.member).await?;
        let event = match self.once.earlier(&mut tx, state, org).await? {
            Some(earlier) => earlier,
            None => self.carried_out(&mut tx, &profile, said).await?,
        };
        let told = dispatch_notice::told(&mut tx, org, event).await?;
        let outlook = outlook::of_event(&mut tx, &state.origin, state.set_up(), org, event).await?;
        let axum::Json(job) = shown(&mut tx, state, &profile, sight, self.job).await?;
        tx.commit().await?;
        state.wake();
        Ok(axum::Json(JobWay { job, told, outlook }))
    }

    async fn carried_out(&self, tx: &mut Tx, profile: &Profile, said: &Said) -> ApiResult<EventId> {
        let (house, by, org) = (self.state.intake(profile), Doer::of(&self.member.session), self.member.org());
        let event = match said {
            Said::OnMyWay(sent) => dispatch_notice::on_my_way(&mut *tx, &house, self.job, sent, &by).await?,
            Said::Late(sent) => dispatch_notice::late(&mut *tx, &house, self.job, sent, &by).await?,
        };
        self.once.keep(&mut *tx, org, &event).await?;
        let (actor, id) = (self.who.actor(self.member), Some(self.job.0));
        audit::record(tx, &self.state.origin, &actor, org, Action::JobStatusChanged, id).await?;
        Ok(event)
    }
}

/// On my way
///
/// The customer is told when to expect the crew, at once: by text, or by email where no text can go. `told` says
/// whether, and why not. It can be taken back for a minute, as far as the message has not left.
#[utoipa::path(post, path = "/api/jobs/{id}/on-my-way", operation_id = "sayOnMyWay", tag = "jobs",
    security(("session" = ["owner", "office", "crew"])), request_body = OnMyWayDoc,
    params(("id" = uuid::Uuid, Path, description = "The job"),
        ("Idempotency-Key" = Option<String>, Header, pattern = r"^[\t ]*[!-~]([\t -~]{0,253}[!-~])?[\t ]*$",
            description = "The same key and content get the first answer again, the same key and other content a 422")),
    responses((status = 200, description = "The job as it is now", body = JobWay),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn say_on_my_way(
    member: OrgMember,
    State(state): State<AppState>,
    who: Who,
    Id(id): Id,
    headers: HeaderMap,
    Json(sent): Json<OnMyWay>,
) -> ApiResult<axum::Json<JobWay>> {
    let once = Once::new("job_way", &headers, &format!("{id} {sent:?}"))?;
    let press = Press { member: &member, state: &state, who: &who, job: JobId(id), once };
    press.made(&Said::OnMyWay(sent)).await
}

/// Running late
///
/// Counted from when the crew was expected at the latest. The customer is told the new time, as with "on my way".
#[utoipa::path(post, path = "/api/jobs/{id}/late", operation_id = "sayLate", tag = "jobs",
    security(("session" = ["owner", "office", "crew"])), request_body = LateDoc,
    params(("id" = uuid::Uuid, Path, description = "The job"),
        ("Idempotency-Key" = Option<String>, Header, pattern = r"^[\t ]*[!-~]([\t -~]{0,253}[!-~])?[\t ]*$",
            description = "The same key and content get the first answer again, the same key and other content a 422")),
    responses((status = 200, description = "The job as it is now", body = JobWay),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn say_late(
    member: OrgMember,
    State(state): State<AppState>,
    who: Who,
    Id(id): Id,
    headers: HeaderMap,
    Json(sent): Json<Late>,
) -> ApiResult<axum::Json<JobWay>> {
    let once = Once::new("job_late", &headers, &format!("{id} {sent:?}"))?;
    let press = Press { member: &member, state: &state, who: &who, job: JobId(id), once };
    press.made(&Said::Late(sent)).await
}
