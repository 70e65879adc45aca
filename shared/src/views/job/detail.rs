//! Job details, limited to what the viewer may see.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    automation::{self, JobAutomation, JobMessage},
    list::UNASSIGNED,
    timeline::TimelineStep,
};
use crate::{
    domain::{
        intake::contact_point::ContactPointProof,
        money::{
            estimate::change::{ChangeOrderSummary, ExtraWork, JobAgreedTotals},
            ledger::LeadBalance,
        },
        tenancy::{
            activity_log::EventKind,
            org::{OrgContext, OrgProfile},
        },
        work::{
            activity::{EventView, UndoableEvent},
            file::{FileMoment, FileView},
            job::{
                DisplayedJobStatus, JobPriority, JobScope, JobState, PagePriority, RequiredPhotos, check::JobCheck,
                note::JobNote,
            },
        },
    },
    platform::{
        db::AsConn,
        email_address::EmailAddress,
        error::Result,
        id::{CrewId, CustomerId, JobId, LeadId, PropertyId},
        money::Cents,
        phone::Phone,
    },
};

mod page_data;

use page_data::{JobPageData, load_page_data};

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
    /// Why the business cannot text their number, where one's own phone can: it has no number to send from. Null when it
    /// can.
    pub customer_texts_blocked: Option<&'static str>,
    /// Why messages about the visit do not go to their number: they said STOP, or may have, or it is not confirmed as
    /// theirs and the email is proven. Null when they do.
    pub customer_no_visit_text: Option<&'static str>,
    /// Why no message about the visit can reach them, neither by text nor by email, with what is left to do. Null when one
    /// can, and once the work has begun.
    pub customer_visit_unreachable: Option<String>,
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
    pub agreed: Option<JobAgreedTotals>,
    /// Newest first, without those that a newer version took the place of; empty for a crew.
    pub change_orders: Vec<ChangeOrderSummary>,
    /// What approved change orders add to what is to be done, oldest first.
    pub extra_work: Vec<ExtraWork>,
    pub status: DisplayedJobStatus,
    pub priority: PagePriority,
    pub priority_level: JobPriority,
    /// By name, or "Unassigned".
    pub crew_assigned: String,
    pub crew_id: Option<CrewId>,
    /// The newest note.
    pub crew_notes: Option<String>,
    /// Newest first.
    pub notes: Vec<JobNote>,
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
    /// The last change, while it can be undone.
    pub undo: Option<UndoableEvent>,
    /// The eleven steps.
    #[schema(min_items = 11, max_items = 11)]
    pub timeline: Vec<TimelineStep>,
    /// Oldest first.
    pub events: Vec<EventView>,
    /// Newest first. A crew sees photos only.
    pub files: Vec<FileView>,
    pub automation: Vec<JobAutomation>,
    /// To the customer, newest first; empty for a crew.
    pub messages: Vec<JobMessage>,
}

/// Access to the job itself is checked before ([`find_visible_scope`](crate::domain::work::job::find_visible_scope)).
pub async fn get(conn: &mut dyn AsConn, ctx: &OrgContext<'_>, sight: JobScope, id: JobId) -> Result<JobDetail> {
    let read = load_page_data(conn, ctx, sight, id).await?;
    Ok(read.into_detail(ctx.profile, sight))
}

impl JobPageData {
    #[expect(clippy::too_many_lines, reason = "one line for each field of the page")]
    fn into_detail(self, profile: &OrgProfile, sight: JobScope) -> JobDetail {
        let (timeline, automation) = (
            self.build_timeline(profile),
            automation::build_automation_status(
                profile,
                &self.messages,
                (&self.waiting, &self.obstacles),
                self.ask.as_ref(),
            ),
        );
        let (before, after) = (self.photo_urls(FileMoment::Before), self.photo_urls(FileMoment::After));
        let balance_due = self.balance_due();
        let phone = self.reach.to.phone;
        let (agreed, change_orders) = self.agreed.unzip();
        let deposit = self.balance.as_ref().map(LeadBalance::net_received);
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
            customer_texts_blocked: self.reach.texts_blocked,
            customer_no_visit_text: self.reach.no_visit_text,
            customer_visit_unreachable: self.obstacles.of_visit.filter(|_| job.status == JobState::Scheduled),
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
            messages: if sight.is_office() {
                automation::list_customer_messages(&self.messages, &self.decisions)
            } else {
                Vec::new()
            },
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
