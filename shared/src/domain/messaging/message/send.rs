//! One attempt at sending: claim the message, decide whether it may go (`claim`), and record the outcome (`record`).
//!
//! Claim and record are one transaction each; the provider is called between them, with none open. The attempt's row is
//! committed before the first byte leaves, so a message in `sending` without a worker is in doubt.

use std::sync::LazyLock;

use chrono::{DateTime, Duration, NaiveDate, Utc};
use sqlx::{FromRow, types::Json};
use uuid::Uuid;

use super::{
    MessageChannel, MessageKind, MessageStatus,
    send_budget::{self, SendBudgetUsage},
    send_policy::SendContext,
    subject::MessageSubjects,
};
use crate::{
    documents::{
        date_format,
        template::{self, EmailPage, Language},
    },
    domain::{
        intake::{
            contact_point::{self, ContactPointKind, set_aside::SetAsideContacts},
            lead::{consent::has_marketing_consent, customer::sms_refusal::sms_refusal_cutoff},
        },
        tenancy::{
            account::{proof, reset},
            org::{self, Switches, settings::Sending},
            trust_level::{self, MessageAddress, RecipientScope, TrustContext},
        },
    },
    platform::{
        clock::{ClockRng, Entropy},
        contact_hours::{self, Class},
        db::{AsConn, q},
        email_address::EmailAddress,
        error::Result,
        id::{CustomerId, DEMO_ORG, LeadId, MessageId, OrgId},
        phone::Phone,
        recipient::Recipient,
    },
};

mod claim;
pub mod leaving;
mod record;

pub use claim::{ClaimOutcome, cancel_attempt, claim_message, recheck_policy};
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
    pub(super) resent_at: Option<DateTime<Utc>>,
    /// How often the provider's list lacked it in its last doubt.
    pub(super) reconcile_checks: i64,
    /// Why its subject no longer needs it ([`MessageSubject::why_obsolete`](super::subject::MessageSubject)).
    #[sqlx(default)]
    pub(super) ended: Option<String>,
    pub(super) class: Class,
    timezone: String,
    lead_intake: Option<bool>,
    automated_communications: Option<bool>,
    job_tracking: Option<bool>,
    review_collection: Option<bool>,
    kpi_reporting: Option<bool>,
    sending: Option<Json<Sending>>,
    opted_out: Option<String>,
    /// Loaded where it matters ([`Kind::is_about_their_matter`]).
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
    /// Loads from `contact_point` whether the address is the customer's, and their last contact.
    async fn load_contact_point(&mut self, conn: &mut dyn AsConn, customer: CustomerId) -> Result<()> {
        let aside = SetAsideContacts::load_for_customer(&mut *conn, self.org_id, customer).await?;
        if let Some(heard) = aside.load_last_inbound(&mut *conn, self.org_id, customer).await? {
            self.last_in_at = self.last_in_at.and(heard.latest_at());
            self.last_wrote_at = self.last_wrote_at.and(heard.wrote_at);
        }
        if self.class == Class::Promotional
            && let Recipient::Phone(phone) = &self.to
        {
            self.agreed_to_offers = has_marketing_consent(&mut *conn, self.org_id, customer, phone).await?;
        }
        if self.kind.is_transactional() {
            let point = (ContactPointKind::of_recipient(&self.to), self.to.as_str());
            let org = self.org_id;
            self.is_on_file =
                !aside.has_contact(point) && contact_point::is_known_contact(conn, org, customer, point).await?;
        }
        Ok(())
    }

    /// An account email to an unproven address names the install as sender: the business name may be a stranger's text.
    async fn set_sender_name(&mut self, conn: &mut dyn AsConn) -> Result<()> {
        if self.kind == MessageKind::AccountNotice
            && let Recipient::Email(email) = &self.to
            && trust_level::classify_recipient(conn, self.org_id, email, true).await? == RecipientScope::OwnUnproven
        {
            proof::SENDER.clone_into(&mut self.org_name);
        }
        Ok(())
    }

    /// Replaces `mark` by `text_parts_with_links` at send time, for words that must not be stored.
    pub(crate) fn replace_placeholder(&mut self, mark: &str, words: &str) {
        self.body = self.body.replace(mark, words);
        let Some(Json(page)) = &mut self.page else { return };
        let buttons = [&mut page.button, &mut page.other_button, &mut page.leave].into_iter().flatten();
        for address in page.text.iter_mut().chain(buttons.map(|(_, address)| address)) {
            *address = address.replace(mark, words);
        }
    }

    /// All parts that may contain links to our pages.
    pub(crate) fn text_parts_with_links(&self) -> impl Iterator<Item = &str> {
        let page = self.page.as_ref().map(|page| &page.0);
        let addresses = page.into_iter().flat_map(|page| {
            let buttons = [&page.button, &page.other_button, &page.leave].into_iter().flatten();
            page.text.iter().chain(buttons.map(|(_, address)| address))
        });
        std::iter::once(&self.body).chain(addresses).map(String::as_str)
    }

    pub(super) fn budget_day(&self, now: DateTime<Utc>) -> String {
        send_budget::budget_day(org::zone_named(&self.timezone), now)
    }

    /// Messages of the day of `at` that count for this one, without itself (counted from its first attempt on).
    pub(super) async fn load_usage(&self, conn: &mut dyn AsConn, at: DateTime<Utc>) -> Result<SendBudgetUsage> {
        if !self.kind.is_for_customers() {
            return Ok(SendBudgetUsage::default());
        }
        let (day, itself) = (self.budget_day(at), i64::from(self.attempts > 0));
        let phone = match &self.to {
            Recipient::Email(email) => {
                let to_number = send_budget::count_emails_to(conn, self.org_id, &day, email).await? - itself;
                return Ok(SendBudgetUsage { to_number, ..SendBudgetUsage::default() });
            }
            Recipient::Phone(phone) => phone,
        };
        let spent = send_budget::load_usage(conn, self.org_id, &day, Some(phone), at).await?;
        let booking = if self.is_by_booking() { itself } else { 0 };
        Ok(SendBudgetUsage {
            texts: spent.texts - itself,
            to_number: spent.to_number - itself,
            by_bookings: spent.by_bookings - booking,
            booked_to_number: spent.booked_to_number - booking,
            ..spent
        })
    }

    /// Loads from its subject whether the message is still of use.
    async fn load_subject(&mut self, conn: &mut dyn AsConn, now: DateTime<Utc>) -> Result<()> {
        let Some(about) = self.about_id else { return Ok(()) };
        let Some(subject) = MessageSubjects::find_by_kind(&*conn, self.kind)? else { return Ok(()) };
        if let Some(stored) = self.ask_ended.take() {
            self.ask_ended = Some(subject.end_reason(&stored)?.to_owned());
        }
        self.ended = subject.why_obsolete(conn, self, about, now).await?.map(ToOwned::to_owned);
        Ok(())
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
        static USUAL: LazyLock<Sending> = LazyLock::new(Sending::default);
        let on = |switch: Option<bool>| switch.unwrap_or(true);
        SendContext {
            kind: self.kind,
            to: &self.to,
            class: self.class,
            created_at: self.created_at,
            deadline_at: self.deadline_at,
            switches: Switches {
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
        // From its first attempt on it is itself among those that are counted.
        let trust =
            TrustContext::load_for_message(conn, (self.org_id, takes_money), to, self.attempts > 0, now).await?;
        // Each has its own throttle, and strangers must not use up what lets the owner of the address in.
        let opens_account =
            self.subject.as_deref().is_some_and(|subject| [proof::SUBJECT, reset::SUBJECT].contains(&subject));
        Ok(if trust.reach == RecipientScope::OwnUnproven && opens_account { TrustContext::FULL } else { trust })
    }

    /// # Errors
    /// Only if the layout of emails were broken, which a test rules out.
    pub fn render_html(&self) -> Result<Option<String>> {
        let heading = self.subject.as_deref().unwrap_or_default();
        self.page
            .as_ref()
            .map(|page| template::render_html(&self.org_name, heading, &self.body, page, self.postal_footer()))
            .transpose()
    }

    /// # Errors
    /// Only if the picture could not be encoded.
    pub fn render_chart(&self) -> Result<Option<Vec<u8>>> {
        self.page.as_ref().and_then(|page| page.chart.as_ref()).map(template::BarChart::render_png).transpose()
    }

    #[must_use]
    pub fn render_text(&self) -> String {
        let body = template::render_plain_text(&self.body, self.page.as_ref().map(|page| &page.0));
        match self.postal_footer() {
            // A body signed with the business's name does not get it again.
            Some(foot) if body.lines().last().is_some_and(|last| last.trim() == self.org_name) => {
                format!("{body}\n{foot}")
            }
            Some(foot) => format!("{body}\n\n{}\n{foot}", self.org_name),
            None => body,
        }
    }

    /// Unsubscribe address of an email (RFC 8058, which requires https).
    #[must_use]
    pub fn unsubscribe_url(&self) -> Option<&str> {
        let (_, link) = self.page.as_ref()?.leave.as_ref()?;
        link.starts_with("https://").then_some(link)
    }

    /// Postal address of the business, at the foot of messages to its customers (15 USC 7704(a)(5)).
    fn postal_footer(&self) -> Option<&str> {
        self.postal_address.as_deref().filter(|_| self.kind.is_for_customers())
    }
}

pub(super) async fn load_message(
    conn: &mut dyn AsConn,
    origin: &ClockRng,
    id: MessageId,
) -> Result<Option<ClaimedMessage>> {
    let Some(mut message) = load_message_row(&mut *conn, origin, id).await? else { return Ok(None) };
    match message.customer_id {
        Some(customer) => message.load_contact_point(&mut *conn, customer).await?,
        None => message.set_sender_name(&mut *conn).await?,
    }
    message.load_subject(conn, origin.now()).await?;
    Ok(Some(message))
}

/// Single values are subqueries: PostgreSQL plans a join of ten tables for 14 ms, and each subquery by itself.
async fn load_message_row(conn: &mut dyn AsConn, origin: &ClockRng, id: MessageId) -> Result<Option<ClaimedMessage>> {
    Ok(q!(
        conn,
        fetch_optional as ClaimedMessage,
        "SELECT m.org_id, m.id, m.lead_id, m.customer_id, m.channel, m.kind, m.class, m.to_address, m.subject, m.body, m.page,
             m.status, m.attempts, m.fence, m.next_attempt_at, m.deadline_at, m.created_at, m.segments, m.rate_limit_stage,
             m.about_id, m.resent_at, m.reconcile_checks, o.name AS org_name,
             o.sms_number AS org_sms_number, o.messaging_service AS org_service, o.postal_address, o.timezone, s.lead_intake, s.automated_communications, s.job_tracking,
             s.review_collection, s.kpi_reporting, c.is_blocked, l.zip, t.last_in_at, t.last_by_person_at,
             (SELECT g.value FROM org_setting g WHERE g.org_id = m.org_id AND g.name = 'sending') AS sending,
             (SELECT u.state FROM opt_out u WHERE u.org_id = m.org_id AND u.channel = m.channel
                 AND u.address = m.to_address AND u.state <> 'lifted') AS opted_out,
             (SELECT n.sms_undeliverable_since FROM customer_key n WHERE n.org_id = m.org_id AND n.customer_id = m.customer_id
                 AND n.kind = 'phone' AND n.value = m.to_address AND n.sms_undeliverable_since > $3) AS sms_undeliverable_since,
             (SELECT MAX(p.until) FROM channel_pause p WHERE p.channel IN (m.channel, m.channel || '_account')) AS paused_until,
             (SELECT a.why FROM review_request a WHERE a.org_id = m.org_id AND a.id = m.about_id AND m.kind = 'review_request'
                  AND a.state NOT IN ('waiting', 'asked')) AS ask_ended,
             (SELECT COUNT(*) FROM message b WHERE b.org_id = m.org_id AND b.customer_id = m.customer_id AND b.id <> m.id
                  AND b.class = 'promotional' AND b.channel = 'sms' AND b.sent_at > $2) AS promotional_in_a_day,
             CASE WHEN m.channel = 'email' AND m.customer_id IS NOT NULL THEN COALESCE(
                 (SELECT a.email FROM account a WHERE a.org_id = m.org_id AND a.id = m.account_id AND a.is_active),
                 (SELECT r.address FROM recipient r WHERE r.org_id = m.org_id AND r.channel = 'email'
                     ORDER BY r.created_at, r.address LIMIT 1),
                 (SELECT a.email FROM account a WHERE a.org_id = m.org_id AND a.role = 'owner' AND a.is_active
                     ORDER BY a.created_at, a.id LIMIT 1)) END AS reply_to,
             CASE WHEN m.kind = 'nudge' THEN (SELECT MAX(w.created_at) FROM message w WHERE w.org_id = m.org_id
                  AND w.customer_id = m.customer_id AND w.direction = 'in') END AS last_wrote_at,
             CASE WHEN m.channel = 'email' THEN EXISTS (SELECT 1 FROM customer_key e WHERE e.org_id = m.org_id
                  AND e.kind = 'email' AND e.value = m.to_address AND e.customer_id = m.customer_id
                  AND e.proof NOT IN ('form', 'answered'))
             ELSE EXISTS (SELECT 1 FROM message i WHERE i.org_id = m.org_id AND i.customer_id = m.customer_id
                  AND i.direction = 'in' AND i.channel = 'sms' AND i.from_address = m.to_address) END AS has_written,
             EXISTS (SELECT 1 FROM lead_inquiry h WHERE h.org_id = m.org_id AND h.lead_id = m.lead_id
                  AND h.source_hash IS NOT NULL) AS by_form,
             (m.kind = 'visit' AND EXISTS (SELECT 1 FROM job j WHERE j.org_id = m.org_id AND j.id = m.about_id
                 AND j.unproven_at IS NOT NULL AND NOT EXISTS (SELECT 1 FROM work_event v WHERE v.org_id = j.org_id
                     AND v.job_id = j.id AND v.actor_kind = 'account' AND v.recorded_at > j.unproven_at))) AS by_booking,
             (EXISTS (SELECT 1 FROM subscription b WHERE b.org_id = m.org_id AND b.has_begun = TRUE AND b.is_counted = TRUE)
                 AND NOT EXISTS (SELECT 1 FROM subscription b WHERE b.org_id = m.org_id AND b.has_begun = TRUE
                     AND b.is_counted = TRUE AND (b.read_only_from IS NULL OR b.read_only_from > $4))) AS reads_only
         FROM message m JOIN org o ON o.id = m.org_id
             LEFT JOIN automation_switch s ON s.org_id = m.org_id
             LEFT JOIN customer c ON c.org_id = m.org_id AND c.id = m.customer_id
             LEFT JOIN conversation t ON t.org_id = m.org_id AND t.customer_id = m.customer_id
             LEFT JOIN lead l ON l.org_id = m.org_id AND l.id = m.lead_id
         WHERE m.id = $1",
        id,
        origin.now() - Duration::hours(24),
        sms_refusal_cutoff(origin.now()),
        origin.now()
    )?)
}
