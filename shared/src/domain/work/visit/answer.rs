//! Customer answers at the visit page: confirm, cancel, or ask for another time.

use chrono::{DateTime, Utc};
use serde_json::json;

use super::{
    page::{VisitPageRow, VisitStatus},
    words,
};
use crate::{
    conflicts::ConflictCode,
    documents::template::Language,
    domain::{
        messaging::{
            alert::{self, NewAlert, ScheduledAlert},
            conversation::{self, CustomerQuestion},
            followup,
        },
        tenancy::{
            activity_log::{self, ActivityActor, EventKind, NewEvent},
            org::OrgContext,
        },
        work::{
            booking::unproven,
            job::{self, JobScope, JobState, StatusChange},
            pipeline,
        },
    },
    platform::{
        access_link::{self, AccessLink},
        db::Tx,
        email_address::EmailAddress,
        error::{FieldErrors, Result},
        id::{CustomerId, JobId},
        text,
    },
};

const MAX_WORDS: usize = 1_000;

struct VisitAnswerContext {
    row: VisitPageRow,
    customer: CustomerId,
    email: Option<EmailAddress>,
    name: String,
}

impl VisitAnswerContext {
    /// Locks the lead until the transaction ends.
    async fn load_locked(tx: &mut Tx, ctx: &OrgContext<'_>, id: JobId) -> Result<Self> {
        let lead = VisitPageRow::load_row(&mut *tx, ctx, id).await?.lead_id;
        pipeline::lock_stage(&mut *tx, ctx.profile.org.id, lead).await?;
        let row = VisitPageRow::load_row(&mut *tx, ctx, id).await?;
        let partner = followup::load_recipient(&mut *tx, ctx, lead).await?;
        Ok(Self { row, customer: partner.customer, email: partner.email, name: partner.name })
    }

    /// The page that was opened before a move shows another time. A page without a time asks for none.
    fn is_still_at(&self, shown_at: Option<DateTime<Utc>>) -> bool {
        shown_at.is_none_or(|shown| self.row.starts_at == Some(shown))
    }

    fn customer_actor(&self) -> ActivityActor {
        ActivityActor::Customer { name: self.name.clone() }
    }

    fn visit_label(&self, ctx: &OrgContext<'_>) -> String {
        let zone = ctx.profile.org.zone();
        match self.row.starts_at {
            Some(starts) => {
                format!(
                    "#{} on {}",
                    self.row.number,
                    words::format_arrival_window(starts, self.row.arrival_minutes, zone, Language::En)
                )
            }
            None => format!("#{}", self.row.number),
        }
    }

    fn build_alert(&self, id: JobId, key: &str, did: &str, words: String) -> NewAlert {
        let title = format!("{} {did}", self.name);
        let new = NewAlert::new(alert::AlertKind::VisitChanged, format!("visit:{id}:{key}"), title, words);
        NewAlert { lead: Some(self.row.lead_id), path: Some(format!("/app/jobs/{id}")), ..new }
    }
}

pub async fn record_visit_seen(tx: &mut Tx, ctx: &OrgContext<'_>, link: &AccessLink) -> Result<()> {
    access_link::record_view(tx, ctx.origin.now(), link).await.map(|_| ())
}

/// Idempotent. With `shown_at`, the time that the customer's page showed, a visit that was moved since is not confirmed.
///
/// # Errors
/// `Error::NotFound`, or `Error::Conflict` when the visit does not take place, or not at that time.
pub async fn confirm_visit(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    id: JobId,
    shown_at: Option<DateTime<Utc>>,
) -> Result<()> {
    let (origin, org, now) = (ctx.origin, ctx.profile.org.id, ctx.origin.now());
    let asked = VisitAnswerContext::load_locked(&mut *tx, ctx, id).await?;
    if asked.row.visit_status(now) != VisitStatus::Planned || !asked.is_still_at(shown_at) {
        return Err(ConflictCode::VisitNotPlanned.into_error());
    }
    if !job::confirm_job(&mut *tx, org, id, now).await? {
        return Ok(());
    }
    let event = NewEvent {
        job: Some(id),
        detail: json!({"startsAt": asked.row.starts_at}),
        ..NewEvent::new(asked.row.lead_id, EventKind::VisitConfirmed, now, asked.customer_actor())
    };
    activity_log::record_event(&mut *tx, origin, org, event).await?;
    let key = format!("confirmed:{}", asked.row.starts_at.unwrap_or(now).timestamp());
    let alert = asked.build_alert(id, &key, "confirmed the visit", asked.visit_label(ctx));
    // Push alert only, no email.
    alert::store_alert(tx, origin, org, &ScheduledAlert::new(ctx.profile, alert, now, true)).await?;
    Ok(())
}

/// With `shown_at`, the time that the customer's page showed, a visit that was moved since is not cancelled. False when
/// it was cancelled before.
///
/// # Errors
/// `Error::NotFound`, `Error::Invalid`, or `Error::Conflict` when it is too late to cancel, or at another time now.
pub async fn cancel_visit(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    link: &AccessLink,
    reason: Option<&str>,
    shown_at: Option<DateTime<Utc>>,
) -> Result<bool> {
    let (origin, profile, now) = (ctx.origin, ctx.profile, ctx.origin.now());
    let id = JobId(link.subject_id);
    let mut fields = FieldErrors::default();
    let reason = text::multi_line("reason", reason, MAX_WORDS).parse_optional(&mut fields);
    fields.into_result()?;
    unproven::check_may_change(&mut *tx, link).await?;
    let asked = VisitAnswerContext::load_locked(&mut *tx, ctx, id).await?;
    match asked.row.visit_status(now) {
        VisitStatus::Cancelled => return Ok(false),
        VisitStatus::Planned if asked.is_still_at(shown_at) => {}
        _ => return Err(ConflictCode::VisitNotPlanned.into_error()),
    }
    if !asked.row.is_before_cutoff(now) {
        return Err(ConflictCode::VisitTooClose.into_error());
    }
    let words = reason.unwrap_or_else(|| "the customer cancelled it at the visit's page".to_owned());
    let change = StatusChange {
        to: JobState::Cancelled,
        happened_at: None,
        reason: Some(words.clone()),
        force: false,
        tell: None,
    };
    job::change_status(&mut *tx, origin, profile, (id, JobScope::Office), &change, &asked.customer_actor()).await?;
    let body = format!("{}: {}", asked.visit_label(ctx), conversation::truncate_for_alert(&words));
    let key = format!("cancelled:{}", now.timestamp_millis());
    unproven::record_page_change(tx, ctx, link, asked.build_alert(id, &key, "cancelled the visit", body)).await?;
    Ok(true)
}

/// The question is stored in the conversation, where the business can answer it.
///
/// # Errors
/// `Error::NotFound`, or `Error::Invalid` without words.
pub async fn request_other_time(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    link: &AccessLink,
    words: Option<&str>,
) -> Result<()> {
    let id = JobId(link.subject_id);
    let mut fields = FieldErrors::default();
    let words = text::multi_line("question", words, MAX_WORDS)
        .parse_required("Please write when it would suit you", &mut fields);
    fields.into_result()?;
    let asked = VisitAnswerContext::load_locked(&mut *tx, ctx, id).await?;
    let text = format!("Visit {}: {words}", asked.visit_label(ctx));
    let question = CustomerQuestion {
        lead: asked.row.lead_id,
        customer: asked.customer,
        name: &asked.name,
        email: asked.email.as_ref().map(EmailAddress::as_str),
        subject: "Another time for the visit",
        words: &text,
    };
    let Some(message) = conversation::record_question(&mut *tx, ctx, question).await? else { return Ok(()) };
    let asks = asked.build_alert(
        id,
        &format!("asked:{message}"),
        "asks for another time",
        conversation::truncate_for_alert(&text),
    );
    if link.is_form_copy() {
        return unproven::raise_hourly_alert(tx, ctx, ("visit", asked.customer), asks).await;
    }
    alert::raise_alert(tx, ctx.origin, ctx.profile, asks).await.map(|_| ())
}
