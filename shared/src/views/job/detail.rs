//! Job details, limited to what the viewer may see.

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;

use super::{
    automation::{self, Automation, JobMessage},
    list::UNASSIGNED,
    timeline::{self, Step, TimelineFacts},
};
use crate::{
    domain::{
        growth::review::{self, request_list::AskView},
        intake::{
            contact_point::{self, ContactPointProof, CustomerRecipient},
            lead::Form,
        },
        messaging::{
            followup::compose,
            message::{self, MessageView},
        },
        money::{
            checkout::payment_retry,
            estimate::change::{self, ChangeOrderSummary, ExtraWork, JobAgreed},
            ledger::{self, Balance},
        },
        tenancy::{
            activity_log::{ActorKind, EventKind},
            org::{OrgContext, Profile},
        },
        work::{
            activity::{self, EventView, Undoable},
            crew,
            file::{self, AutomatedFile, FileMoment, FileType},
            job::{
                Job, JobScope, PagePriority, Priority, RequiredPhotos, StatusShown,
                check::{self, JobCheck},
                find,
                note::{self, Note},
                undo,
            },
        },
    },
    platform::{
        db::{AsConn, q},
        email_address::EmailAddress,
        error::Result,
        id::{CrewId, CustomerId, JobId, LeadId, OrgId, PropertyId},
        money::Cents,
        phone::Phone,
    },
};

/// A job's own page.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct JobDetail {
    pub id: JobId,
    pub number: i64,
    pub lead_id: LeadId,
    pub customer_id: CustomerId,
    pub property_id: Option<PropertyId>,
    pub customer_name: String,
    /// E.164.
    pub customer_phone: Option<String>,
    /// As people read it.
    pub customer_phone_shown: Option<String>,
    /// What proves that the number is theirs; `form` where another record is known by it, null when nothing is kept of it.
    pub customer_phone_proof: Option<ContactPointProof>,
    /// Why their number gets no texts: they said STOP, or may have. Null when it does.
    pub customer_no_text: Option<&'static str>,
    /// Null for a crew.
    pub customer_email: Option<String>,
    /// Null for a crew.
    pub customer_email_proof: Option<ContactPointProof>,
    pub service: String,
    pub service_description: Option<String>,
    pub address: Option<String>,
    pub zip: Option<String>,
    /// Null while it is not scheduled.
    pub scheduled_at: Option<DateTime<Utc>>,
    pub ends_at: Option<DateTime<Utc>>,
    /// How wide the window is in which the crew arrives.
    pub arrival_minutes: i64,
    /// US dollars: what was agreed in all, else what the job is worth. Null for a crew, as are the next three.
    pub estimate_total: Option<Cents>,
    /// What came in.
    pub deposit_amount: Option<Cents>,
    pub balance_due: Option<Cents>,
    /// A card of its customer was refused, and nothing was paid since; never shown to a crew.
    pub payment_failed: bool,
    /// What the job is worth without its change orders, as it was typed.
    pub value: Option<Cents>,
    /// What is agreed, part by part; null for a crew.
    pub agreed: Option<JobAgreed>,
    /// Newest first, without those that a newer version took the place of; empty for a crew.
    pub change_orders: Vec<ChangeOrderSummary>,
    /// What approved change orders add to what is to be done, oldest first.
    pub extra_work: Vec<ExtraWork>,
    pub status: StatusShown,
    pub priority: PagePriority,
    pub priority_level: Priority,
    /// By name, or "Unassigned".
    pub crew_assigned: String,
    pub crew_id: Option<CrewId>,
    /// The newest note.
    pub crew_notes: Option<String>,
    /// Newest first.
    pub notes: Vec<Note>,
    pub materials_needed: Vec<String>,
    pub photos_before_url: Vec<String>,
    pub photos_after_url: Vec<String>,
    /// In minutes.
    pub estimated_duration: i64,
    pub weather_concerns: Option<String>,
    pub special_instructions: Option<String>,
    pub required_photos: RequiredPhotos,
    pub checklist: Vec<JobCheck>,
    pub on_my_way_at: Option<DateTime<Utc>>,
    pub eta_at: Option<DateTime<Utc>>,
    pub started_at: Option<DateTime<Utc>>,
    pub completed_at: Option<DateTime<Utc>>,
    pub cancelled_at: Option<DateTime<Utc>>,
    pub cancel_reason: Option<String>,
    pub confirmed_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
    pub last_updated: DateTime<Utc>,
    pub version: i64,
    /// The last change, while it can be taken back.
    pub undo: Option<Undoable>,
    /// The eleven steps.
    #[schema(min_items = 11, max_items = 11)]
    pub timeline: Vec<Step>,
    /// Oldest first.
    pub events: Vec<EventView>,
    /// Newest first. A crew sees photos only.
    pub files: Vec<AutomatedFile>,
    pub automation: Vec<Automation>,
    /// To the customer, newest first; empty for a crew.
    pub messages: Vec<JobMessage>,
}

#[derive(FromRow)]
struct JobLeadRow {
    customer_id: CustomerId,
    name: String,
    form: Form,
    created_at: DateTime<Utc>,
}

struct CustomerReach {
    to: CustomerRecipient,
    phone_proof: Option<ContactPointProof>,
    email_proof: Option<ContactPointProof>,
    no_text: Option<&'static str>,
}

impl CustomerReach {
    async fn load_reach(conn: &mut dyn AsConn, org: OrgId, (lead, customer): (LeadId, CustomerId)) -> Result<Self> {
        use contact_point::{ContactPointKind, both::find_displayed_proof};
        let to = contact_point::load_lead_recipient(&mut *conn, org, lead).await?;
        let phone = (ContactPointKind::Phone, to.phone.as_ref().map(Phone::as_e164));
        let phone_proof = find_displayed_proof(&mut *conn, org, customer, phone).await?;
        let email = (ContactPointKind::Email, to.email.as_ref().map(EmailAddress::as_str));
        let email_proof = find_displayed_proof(&mut *conn, org, customer, email).await?;
        let no_text = match &to.phone {
            Some(phone) => compose::why_number_refused(conn, org, phone).await?,
            None => None,
        };
        Ok(Self { to, phone_proof, email_proof, no_text })
    }
}

struct JobPageData {
    job: Job,
    of: JobLeadRow,
    reach: CustomerReach,
    crew: Option<String>,
    notes: Vec<Note>,
    checklist: Vec<JobCheck>,
    messages: Vec<MessageView>,
    events: Vec<EventView>,
    files: Vec<AutomatedFile>,
    seen: Option<(DateTime<Utc>, String)>,
    balance: Option<Balance>,
    payment_failed: bool,
    waiting: Vec<DateTime<Utc>>,
    ask: Option<AskView>,
    undo: Option<Undoable>,
    /// Only for viewers with access to money.
    agreed: Option<(JobAgreed, Vec<ChangeOrderSummary>)>,
    extra_work: Vec<ExtraWork>,
}

/// Access to the job itself is checked before ([`find_visible_scope`](crate::domain::work::job::find_visible_scope)).
pub async fn get(conn: &mut dyn AsConn, ctx: &OrgContext<'_>, sight: JobScope, id: JobId) -> Result<JobDetail> {
    let read = load_page_data(conn, ctx, sight, id).await?;
    Ok(read.into_detail(ctx.profile, sight))
}

async fn load_page_data(
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
        reach: CustomerReach::load_reach(&mut *conn, org, (lead, of.customer_id)).await?,
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
        waiting: automation::list_waiting_reminders(&mut *conn, org, lead).await?,
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
    let done = events.iter().find(|event| event.by_kind == ActorKind::Account);
    let done = done.map(|event| (event.at, event.by.clone()));
    Ok([alert, written, done].into_iter().flatten().min_by_key(|(at, _)| *at))
}

impl JobPageData {
    fn build_timeline(&self, profile: &Profile) -> Vec<Step> {
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

    fn photo_urls(&self, moment: FileMoment) -> Vec<String> {
        self.files.iter().rev().filter(|file| file.moment == Some(moment)).map(|file| file.url.clone()).collect()
    }

    /// By the lead's ledger, or by the value of the job where nothing was agreed.
    fn balance_due(&self) -> Option<Cents> {
        let balance = self.balance.as_ref()?;
        if balance.due > Cents::ZERO || self.job.value_cents.is_none() {
            return Some(balance.owed);
        }
        let rest = self.job.value_cents.unwrap_or_default().0 - balance.kept.0 - balance.written_off.0;
        Some(Cents(rest.max(0)))
    }

    #[expect(clippy::too_many_lines, reason = "one line for each field of the page")]
    fn into_detail(self, profile: &Profile, sight: JobScope) -> JobDetail {
        let (timeline, automation) = (
            self.build_timeline(profile),
            automation::build_automation_status(profile, &self.messages, &self.waiting, self.ask.as_ref()),
        );
        let (before, after) = (self.photo_urls(FileMoment::Before), self.photo_urls(FileMoment::After));
        let balance_due = self.balance_due();
        let phone = self.reach.to.phone;
        let (agreed, change_orders) = self.agreed.unzip();
        let deposit = self.balance.as_ref().map(Balance::net_received);
        let job = self.job;
        JobDetail {
            id: job.id,
            number: job.number,
            lead_id: job.lead_id,
            customer_id: job.customer_id,
            property_id: job.property_id,
            customer_name: self.of.name,
            customer_phone_shown: phone.as_ref().map(|phone| phone.format_display().into_owned()),
            customer_phone: phone.map(Phone::into_e164),
            customer_phone_proof: self.reach.phone_proof,
            customer_no_text: self.reach.no_text,
            customer_email: self.reach.to.email.filter(|_| sight.is_office()).map(EmailAddress::into_string),
            customer_email_proof: self.reach.email_proof.filter(|_| sight.is_office()),
            service: job.service,
            service_description: job.description,
            address: job.address,
            zip: job.zip,
            scheduled_at: job.starts_at,
            ends_at: job.ends_at,
            arrival_minutes: job.arrival_minutes,
            estimate_total: sight.visible_amount(agreed.and_then(|agreed| agreed.total).or(job.value_cents)),
            deposit_amount: sight.visible_amount(deposit),
            balance_due: sight.visible_amount(balance_due),
            payment_failed: self.payment_failed,
            value: sight.visible_amount(job.value_cents),
            agreed,
            change_orders: change_orders.unwrap_or_default(),
            extra_work: self.extra_work,
            status: job.status.to_display(),
            priority: job.priority.to_page_priority(),
            priority_level: job.priority,
            crew_assigned: self.crew.unwrap_or_else(|| UNASSIGNED.to_owned()),
            crew_id: job.crew_id,
            crew_notes: self.notes.first().map(|note| note.body.clone()),
            notes: self.notes,
            materials_needed: job.materials.0,
            photos_before_url: before,
            photos_after_url: after,
            estimated_duration: job.duration_minutes,
            weather_concerns: job.weather_concerns,
            special_instructions: job.special_instructions,
            required_photos: job.required_photos,
            checklist: self.checklist,
            on_my_way_at: job.on_my_way_at,
            eta_at: job.eta_at,
            started_at: job.started_at,
            completed_at: job.completed_at,
            cancelled_at: job.cancelled_at,
            cancel_reason: job.cancel_reason,
            confirmed_at: job.confirmed_at,
            created_at: job.created_at,
            last_updated: job.updated_at,
            version: job.version,
            undo: self.undo,
            timeline,
            events: self
                .events
                .into_iter()
                .filter(|event| sight.is_office() || is_visible_to_crew(event.kind))
                .collect(),
            files: self.files,
            automation,
            messages: if sight.is_office() { automation::list_customer_messages(&self.messages) } else { Vec::new() },
        }
    }
}

/// Events that crews may see: work, not documents or money.
fn is_visible_to_crew(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::JobCreated
            | EventKind::JobScheduled
            | EventKind::JobMoved
            | EventKind::JobUnscheduled
            | EventKind::JobAssigned
            | EventKind::OnMyWay
            | EventKind::RunningLate
            | EventKind::Started
            | EventKind::Stopped
            | EventKind::Checked
            | EventKind::NoteAdded
            | EventKind::Completed
            | EventKind::Reopened
            | EventKind::Cancelled
            | EventKind::Restored
            | EventKind::VisitConfirmed
    )
}
