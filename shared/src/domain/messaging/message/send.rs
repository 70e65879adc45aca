//! One attempt at sending: claim the message, decide whether it may go (`claim`), and record the outcome (`record`).
//!
//! Claim and record are one transaction each; the provider is called between them, with none open. The attempt's row is
//! committed before the first byte leaves, so a message in `sending` without a worker is in doubt.

use std::sync::LazyLock;

use chrono::{DateTime, NaiveDate, Utc};
use sqlx::{FromRow, types::Json};
use uuid::Uuid;

use super::{
    MessageChannel, MessageKind, MessageStatus,
    send_budget::{self, SendBudgetUsage},
    send_policy::SendContext,
};
use crate::{
    documents::{
        date_format,
        template::{EmailPage, Language},
    },
    domain::{
        intake::lead::PipelineStage,
        tenancy::{
            account,
            org::{self, FeatureSwitches, SendingSettings},
            trust_level::{MessageAddress, RecipientScope, TrustContext},
        },
    },
    platform::{
        clock::Entropy,
        contact_hours::{self, ContactClass},
        db::AsConn,
        email_address::EmailAddress,
        error::Result,
        id::{CustomerId, DEMO_ORG, EventId, LeadId, MessageId, OrgId},
        phone::Phone,
        recipient::Recipient,
    },
};

mod claim;
mod content;
pub mod inflight;
mod load;
mod record;

pub use claim::{ClaimOutcome, cancel_attempt, claim_message, hold_unchecked_message, recheck_policy};
pub(super) use load::load_message;
pub use record::record_outcome;
pub(super) use record::{finish_message, postpone_message, retry_jitter, schedule_retry};

/// Reason not to ask whether they keep their time: they have answered.
pub(crate) const ALREADY_BOOKED: &str = "the visit is booked already";

#[derive(Clone, Debug, FromRow)]
pub struct ClaimedMessage {
    pub org_id: OrgId,
    pub id: MessageId,
    pub lead_id: Option<LeadId>,
    pub kind: MessageKind,
    #[sqlx(flatten)]
    pub to: Recipient,
    pub subject: Option<String>,
    pub body: String,
    /// Content of the HTML version of an email; none is plain text only.
    pub page: Option<Json<EmailPage>>,
    pub status: MessageStatus,
    /// Why it waits, or did not go out.
    pub(super) reason: Option<String>,
    pub attempts: i64,
    pub fence: i64,
    pub next_attempt_at: DateTime<Utc>,
    pub deadline_at: DateTime<Utc>,
    pub created_at: DateTime<Utc>,
    pub segments: Option<i64>,
    /// Turns already had (`send_rate`).
    pub(super) rate_limit_stage: i64,
    pub org_name: String,
    pub org_sms_number: Option<Phone>,
    pub org_service: Option<String>,
    /// Reply address of an email to a customer: its author, else the first recipient of email notices, else the owner.
    pub reply_to: Option<EmailAddress>,
    postal_address: Option<String>,
    /// End of the recipient's hours, for texts: a text that the provider still queues must leave by then.
    #[sqlx(default)]
    pub leaves_by: Option<DateTime<Utc>>,
    pub(super) customer_id: Option<CustomerId>,
    /// The estimate, job, invoice, payment or booking it is about.
    pub(super) about_id: Option<Uuid>,
    /// The activity that caused it.
    pub(crate) event_id: Option<EventId>,
    /// Of its lead.
    pub(super) lead_stage: Option<PipelineStage>,
    pub(super) resent_at: Option<DateTime<Utc>>,
    /// Start of its first attempt since a person last sent it: the budgets of that day count it. None: not counted yet.
    pub(super) counted_at: Option<DateTime<Utc>>,
    /// How often the provider's list lacked it in its last doubt.
    pub(super) reconcile_checks: i64,
    /// Why its subject no longer needs it ([`MessageSubject::why_obsolete`](super::subject::MessageSubject)).
    #[sqlx(default)]
    pub(super) ended: Option<String>,
    pub(super) class: ContactClass,
    timezone: String,
    lead_intake: Option<bool>,
    automated_communications: Option<bool>,
    job_tracking: Option<bool>,
    review_collection: Option<bool>,
    kpi_reporting: Option<bool>,
    sending: Option<Json<SendingSettings>>,
    look: Option<Json<content::StoredColor>>,
    opted_out: Option<String>,
    /// Loaded where it matters ([`MessageKind::is_transactional`]).
    #[sqlx(default)]
    is_on_file: bool,
    is_blocked: Option<bool>,
    sms_undeliverable_since: Option<DateTime<Utc>>,
    zip: Option<String>,
    #[sqlx(default)]
    agreed_to_offers: bool,
    promotional_in_a_day: i64,
    has_written: bool,
    by_form: bool,
    /// About a visit that was booked or changed by a person not proven to be the customer.
    by_booking: bool,
    last_in_at: Option<DateTime<Utc>>,
    last_wrote_at: Option<DateTime<Utc>>,
    last_by_person_at: Option<DateTime<Utc>>,
    paused_until: Option<DateTime<Utc>>,
    /// Why its sequence has ended.
    ask_ended: Option<String>,
    /// The business does not pay any more, and its grace period is over.
    reads_only: bool,
}

impl ClaimedMessage {
    pub(super) fn budget_day(&self, now: DateTime<Utc>) -> String {
        send_budget::budget_day(org::zone_named(&self.timezone), now)
    }

    /// Messages of the day of `at` that count for this one, without itself where it is counted on that day.
    pub(super) async fn load_usage(&self, conn: &mut dyn AsConn, at: DateTime<Utc>) -> Result<SendBudgetUsage> {
        if !self.kind.is_for_customers() {
            return Ok(SendBudgetUsage::default());
        }
        let day = self.budget_day(at);
        let itself = i64::from(self.counted_at.is_some_and(|counted| self.budget_day(counted) == day));
        let phone = match &self.to {
            Recipient::Email(email) => {
                let to_number = send_budget::count_emails_to(conn, self.org_id, &day, email).await? - itself;
                return Ok(SendBudgetUsage { to_number, ..SendBudgetUsage::default() });
            }
            Recipient::Phone(phone) => phone,
        };
        let spent = send_budget::load_budget_usage(conn, self.org_id, &day, Some(phone), at).await?;
        let booking = if self.is_by_booking() { itself } else { 0 };
        Ok(SendBudgetUsage {
            texts: spent.texts - itself,
            to_number: spent.to_number - itself,
            by_bookings: spent.by_bookings - booking,
            booked_to_number: spent.booked_to_number - booking,
            ..spent
        })
    }

    /// Whether its subject ended after a person last sent it. A rule's message about an ended subject is never sent.
    pub(crate) fn is_obsolete_since(&self, ended_at: Option<DateTime<Utc>>) -> bool {
        let said_at = self.resent_at.unwrap_or(self.created_at);
        self.kind.is_automatic() || ended_at.is_none_or(|at| at > said_at)
    }

    /// In the zone of the business.
    pub(crate) fn local_date(&self, at: DateTime<Utc>) -> NaiveDate {
        at.with_timezone(&org::zone_named(&self.timezone)).date_naive()
    }

    /// "May 3".
    pub(crate) fn format_local_day(&self, at: DateTime<Utc>) -> String {
        date_format::format_month_day(self.local_date(at), Language::En)
    }

    pub(super) fn zone_name(&self) -> &str {
        &self.timezone
    }

    /// Send time from `opens` on. The random delay comes from the id, so that a preview names the same time.
    pub(super) fn postponed_until(&self, opens: DateTime<Utc>) -> DateTime<Utc> {
        let (_, seed) = self.id.0.as_u64_pair();
        let by_chance = contact_hours::add_send_jitter(opens, &Entropy::from_seed(seed));
        // A message with a fixed hour must not miss it by the random delay.
        let latest = if self.expires_after_contact_hours() { self.deadline_at.max(opens) } else { by_chance };
        by_chance.min(latest)
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.ended.is_some()
    }

    /// No opt-out, and the number takes texts.
    pub(crate) fn can_be_texted(&self) -> bool {
        self.opted_out.is_none() && self.sms_undeliverable_since.is_none()
    }

    /// Asks to confirm a booked visit: the only automatic answer with a subject.
    fn asks_to_confirm_booking(&self) -> bool {
        self.kind == MessageKind::AutoReply && self.about_id.is_some()
    }

    /// Caused by a booking in a customer's name. A stranger's question is not: it goes to the number that they typed.
    fn is_by_booking(&self) -> bool {
        self.by_booking || (self.has_written && self.asks_to_confirm_booking())
    }

    /// Useless after its hour.
    pub(super) fn expires_after_contact_hours(&self) -> bool {
        self.kind.expires_after_contact_hours() || self.asks_to_confirm_booking()
    }

    /// Written by a rule, and a person has written to the customer since: no alert needs to ask for it.
    pub(crate) fn is_handled_by_person(&self) -> bool {
        self.kind.is_automatic() && self.last_by_person_at.is_some_and(|at| at > self.created_at)
    }

    /// The business's number, else the Messaging Service that it shares.
    #[must_use]
    pub fn sender(&self) -> Option<&str> {
        self.org_sms_number.as_ref().map(Phone::as_e164).or(self.org_service.as_deref())
    }

    #[must_use]
    pub fn channel(&self) -> MessageChannel {
        self.to.channel()
    }

    pub(super) fn send_context(&self, spent: SendBudgetUsage, trust: TrustContext) -> SendContext<'_> {
        static USUAL: LazyLock<SendingSettings> = LazyLock::new(SendingSettings::default);
        let on = |switch: Option<bool>| switch.unwrap_or(true);
        SendContext {
            kind: self.kind,
            to: &self.to,
            class: self.class,
            created_at: self.created_at,
            deadline_at: self.deadline_at,
            switches: FeatureSwitches {
                lead_intake: on(self.lead_intake),
                automated_communications: on(self.automated_communications),
                job_tracking: on(self.job_tracking),
                review_collection: on(self.review_collection),
                kpi_reporting: on(self.kpi_reporting),
            },
            sending: self.sending.as_ref().map_or(&*USUAL, |sending| &sending.0),
            opted_out: self.opted_out.as_deref(),
            is_on_file: self.is_on_file,
            is_blocked: self.is_blocked.unwrap_or_default(),
            cannot_be_texted: self.sms_undeliverable_since.is_some(),
            zip: self.zip.as_deref(),
            agreed_to_offers: self.agreed_to_offers,
            promotional_in_a_day: self.promotional_in_a_day,
            spent,
            has_written: self.has_written,
            by_form: self.by_form,
            by_booking: self.is_by_booking(),
            last_in_at: self.last_in_at,
            last_wrote_at: self.last_wrote_at,
            last_by_person_at: self.last_by_person_at,
            paused_until: self.paused_until,
            ask_ended: self.ask_ended.as_deref(),
            ended: self.ended.as_deref(),
            has_its_hour: self.expires_after_contact_hours(),
            has_sender: self.sender().is_some(),
            is_demo: self.org_id == DEMO_ORG,
            reads_only: self.reads_only,
            trust,
        }
    }

    /// Trust in its business. Answers required by law are never counted.
    pub(super) async fn load_trust(
        &self,
        conn: &mut dyn AsConn,
        takes_money: bool,
        now: DateTime<Utc>,
    ) -> Result<TrustContext> {
        if self.org_id == DEMO_ORG || matches!(self.kind, MessageKind::HelpReply | MessageKind::StopConfirmation) {
            return Ok(TrustContext::FULL);
        }
        let to = MessageAddress::of_recipient(&self.to, self.kind == MessageKind::AccountNotice);
        let trust = TrustContext::load_for_message(conn, (self.org_id, takes_money), to, self.counted_at, now).await?;
        // Each has its own throttle, and strangers must not use up what lets the owner of the address in.
        let opens_account = self
            .subject
            .as_deref()
            .is_some_and(|subject| [account::PROOF_SUBJECT, account::RESET_SUBJECT].contains(&subject));
        Ok(if trust.reach == RecipientScope::OwnUnproven && opens_account { TrustContext::FULL } else { trust })
    }
}
