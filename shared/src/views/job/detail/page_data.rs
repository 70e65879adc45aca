//! What a job's page is built from, as the viewer may see it.

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use sqlx::FromRow;

use crate::{
    domain::{
        growth::review::{self, request_list::ReviewRequestView},
        intake::{
            contact_point::{self, ContactPointProof, CustomerRecipient},
            lead::LeadFormKind,
        },
        messaging::{
            automation::{DecisionView, list_decisions_of_lead},
            followup::compose,
            message::{self, MessageView, sms_link},
        },
        money::{
            checkout::payment_retry,
            estimate::change::{self, ChangeOrderSummary, ExtraWork, JobAgreedTotals},
            ledger::{self, LeadBalance},
        },
        tenancy::{
            activity_log::ActivityActorKind,
            org::{OrgContext, OrgProfile},
        },
        work::{
            activity::{self, EventView, UndoableEvent},
            crew,
            file::{self, FileMoment, FileType, FileView},
            job::{
                Job, JobScope,
                check::{self, JobCheck},
                find,
                note::{self, JobNote},
                undo,
            },
        },
    },
    platform::{
        db::{AsConn, q},
        email_address::EmailAddress,
        error::Result,
        id::{CustomerId, JobId, LeadId, OrgId},
        money::Cents,
        phone::Phone,
    },
    views::job::{
        automation::{self, ReminderObstacles, WaitingReminder},
        timeline::{self, TimelineFacts, TimelineStep},
    },
};

#[derive(FromRow)]
pub(super) struct JobLeadRow {
    pub(super) customer_id: CustomerId,
    pub(super) name: String,
    pub(super) form: LeadFormKind,
    pub(super) created_at: DateTime<Utc>,
}

pub(super) struct CustomerReach {
    pub(super) to: CustomerRecipient,
    pub(super) phone_proof: Option<ContactPointProof>,
    pub(super) email_proof: Option<ContactPointProof>,
    pub(super) no_text: Option<&'static str>,
    pub(super) texts_blocked: Option<&'static str>,
    /// Why messages about the visit do not go to the phone: the business cannot text at all, this number is left out, or
    /// they said STOP.
    pub(super) no_visit_text: Option<&'static str>,
}

impl CustomerReach {
    async fn load_reach(conn: &mut dyn AsConn, ctx: &OrgContext<'_>, job: &Job, customer: CustomerId) -> Result<Self> {
        use contact_point::{ContactPointKind, shared_contacts::find_displayed_proof};
        let (org, lead) = (ctx.profile.org.id, job.lead_id);
        let to = contact_point::load_lead_recipient(&mut *conn, org, lead).await?;
        let phone = (ContactPointKind::Phone, to.phone.as_ref().map(Phone::as_e164));
        let phone_proof = find_displayed_proof(&mut *conn, org, customer, phone).await?;
        let email = (ContactPointKind::Email, to.email.as_ref().map(EmailAddress::as_str));
        let email_proof = find_displayed_proof(&mut *conn, org, customer, email).await?;
        let (no_text, texts_blocked) = match &to.phone {
            Some(phone) => (
                compose::why_number_refused(&mut *conn, org, phone).await?,
                compose::why_texting_unavailable(&mut *conn, ctx, customer, phone).await?,
            ),
            None => (None, None),
        };
        let of_visit = contact_point::load_visit_recipient(conn, org, (lead, job.id)).await?;
        let has_phone = to.phone.is_some() || to.leaves_out_phone();
        let is_left_out = has_phone && of_visit.phone.is_none();
        let blocked = sms_link::why_texts_blocked(ctx.set_up.sms, ctx.profile);
        let left_out = is_left_out.then(|| blocked.unwrap_or_else(|| of_visit.missing_phone_reason()));
        let no_visit_text = left_out.or(no_text);
        Ok(Self { to, phone_proof, email_proof, no_text, texts_blocked, no_visit_text })
    }
}

pub(super) struct JobPageData {
    pub(super) job: Job,
    pub(super) of: JobLeadRow,
    pub(super) reach: CustomerReach,
    pub(super) crew: Option<String>,
    pub(super) notes: Vec<JobNote>,
    pub(super) checklist: Vec<JobCheck>,
    pub(super) messages: Vec<MessageView>,
    pub(super) events: Vec<EventView>,
    pub(super) files: Vec<FileView>,
    pub(super) seen: Option<(DateTime<Utc>, String)>,
    pub(super) balance: Option<LeadBalance>,
    pub(super) payment_failed: bool,
    /// What the rules decided; empty for a crew.
    pub(super) decisions: Vec<DecisionView>,
    pub(super) waiting: Vec<WaitingReminder>,
    pub(super) obstacles: ReminderObstacles,
    pub(super) ask: Option<ReviewRequestView>,
    pub(super) undo: Option<UndoableEvent>,
    /// Only for viewers with access to money.
    pub(super) agreed: Option<(JobAgreedTotals, Vec<ChangeOrderSummary>)>,
    pub(super) extra_work: Vec<ExtraWork>,
}

pub(super) async fn load_page_data(
    conn: &mut dyn AsConn,
    ctx: &OrgContext<'_>,
    sight: JobScope,
    id: JobId,
) -> Result<JobPageData> {
    let (org, now) = (ctx.profile.org.id, ctx.origin.now());
    let job = find(&mut *conn, org, id).await?;
    let lead = job.lead_id;
    let of = q!(
        &mut *conn,
        fetch_one as JobLeadRow,
        "SELECT customer_id, name, form, created_at FROM lead WHERE org_id = $1 AND id = $2",
        org,
        lead
    )?;
    let mut events = activity::list_lead_events(&mut *conn, org, lead).await?;
    events.retain(|event| event.job_id.is_none_or(|other| other == id));
    let messages = message::list_messages_of_lead(&mut *conn, org, lead).await?;
    let only = if sight.is_office() { None } else { Some(FileType::Photo) };
    Ok(JobPageData {
        reach: CustomerReach::load_reach(&mut *conn, ctx, &job, of.customer_id).await?,
        crew: crew::find_crew_name(&mut *conn, org, job.crew_id).await?,
        notes: note::list(&mut *conn, org, id).await?,
        checklist: check::list(&mut *conn, org, id).await?,
        files: file::list_job_files(&mut *conn, org, id, lead, only).await?,
        seen: find_first_seen(&mut *conn, org, lead, &messages, &events).await?,
        balance: if sight.is_office() { Some(ledger::load_balance(&mut *conn, org, lead).await?) } else { None },
        payment_failed: sight.is_office()
            && !payment_retry::filter_refused_customers(&mut *conn, org, &HashSet::from([job.customer_id]))
                .await?
                .is_empty(),
        decisions: if sight.is_office() { list_decisions_of_lead(&mut *conn, org, lead).await? } else { Vec::new() },
        waiting: automation::list_waiting_reminders(&mut *conn, org, lead).await?,
        obstacles: automation::load_obstacles(&mut *conn, ctx, (lead, id)).await?,
        ask: if sight.is_office() { review::request_list::find_for_job(&mut *conn, org, id).await? } else { None },
        undo: undo::find_undoable_for_scope(&mut *conn, org, &job, sight, now).await?,
        extra_work: change::extra_work(&mut *conn, org, id).await?,
        agreed: if sight.is_office() { Some(change::view::load_for_job(conn, ctx, &job).await?) } else { None },
        job,
        of,
        messages,
        events,
    })
}

/// When a person of the business first saw the alert, wrote to the customer, or acted on the lead.
async fn find_first_seen(
    conn: &mut dyn AsConn,
    org: OrgId,
    lead: LeadId,
    messages: &[MessageView],
    events: &[EventView],
) -> Result<Option<(DateTime<Utc>, String)>> {
    let alert = q!(
        conn,
        fetch_optional as (DateTime<Utc>, String),
        "SELECT x.seen_at, a.name FROM alert x JOIN account a ON a.id = x.seen_by AND a.org_id = x.org_id
         WHERE x.org_id = $1 AND x.lead_id = $2 AND x.seen_at IS NOT NULL ORDER BY x.seen_at LIMIT 1",
        org,
        lead
    )?;
    let written = messages.iter().find_map(|m| Some((m.created_at, m.author.as_ref()?.name.clone())));
    let done = events.iter().find(|event| event.by_kind == ActivityActorKind::Account);
    let done = done.map(|event| (event.at, event.by.clone()));
    Ok([alert, written, done].into_iter().flatten().min_by_key(|(at, _)| *at))
}

impl JobPageData {
    pub(super) fn build_timeline(&self, profile: &OrgProfile) -> Vec<TimelineStep> {
        timeline::build_steps(&TimelineFacts {
            zone: profile.org.zone(),
            job: &self.job,
            asked_at: self.of.created_at,
            form: self.of.form,
            messages: &self.messages,
            seen: self.seen.clone(),
            events: &self.events,
            photos: self.files.iter().filter(|file| file.kind == FileType::Photo && file.moment.is_some()).count(),
            balance: self.balance.as_ref(),
            ask: self.ask.as_ref(),
        })
    }

    pub(super) fn photo_urls(&self, moment: FileMoment) -> Vec<String> {
        self.files.iter().rev().filter(|file| file.moment == Some(moment)).map(|file| file.url.clone()).collect()
    }

    /// By the lead's ledger, or by the value of the job where nothing was agreed.
    pub(super) fn balance_due(&self) -> Option<Cents> {
        let balance = self.balance.as_ref()?;
        if balance.due > Cents::ZERO || self.job.value_cents.is_none() {
            return Some(balance.owed);
        }
        let rest = self.job.value_cents.unwrap_or_default().0 - balance.kept.0 - balance.written_off.0;
        Some(Cents(rest.max(0)))
    }
}
