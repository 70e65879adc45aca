//! One try at sending: claim the message, say whether it may go (`claim`), and record how it ended (`record`).
//!
//! Claim and record are each one transaction; the provider is called between them, with none open. The attempt's row
//! is committed before the first byte leaves, so a message found in `sending` without a worker is in doubt.

use std::sync::LazyLock;

use chrono::{DateTime, Duration, Utc};
use sqlx::{FromRow, types::Json};
use uuid::Uuid;

use super::{
    Channel, Kind, Status,
    send_budget::{self, Spent},
    send_policy::Facts,
};
use crate::{
    documents::template::{self, Page},
    domain::{
        growth::review,
        intake::{
            contact_point::{self, set_aside::SetAside},
            lead::{consent::agrees_to_offers, customer::refused_after},
        },
        tenancy::{
            account::{proof, reset},
            org::{self, Switches, settings::Sending},
            trust_level::{self, Addressed, Reach, Trust},
        },
    },
    platform::{
        clock::{Entropy, Origin},
        contact_hours::{self, Class},
        db::{AsConn, q},
        error::Result,
        id::{CustomerId, DEMO_ORG, LeadId, MessageId, OrgId},
    },
};

mod claim;
mod ended;
pub mod leaving;
mod record;

pub use claim::{Claim, claim, last_look, withdraw};
pub use record::record;
pub(super) use record::{postpone, settle, spread, try_again};

/// A message in a worker's hands.
#[derive(Clone, Debug, FromRow)]
pub struct Outgoing {
    pub org_id: OrgId,
    pub id: MessageId,
    pub lead_id: Option<LeadId>,
    pub channel: Channel,
    pub kind: Kind,
    pub to_address: String,
    pub subject: Option<String>,
    pub body: String,
    /// What the HTML of an email shows beside the text; none is plain text only.
    pub page: Option<Json<Page>>,
    pub status: Status,
    pub attempts: i64,
    pub fence: i64,
    pub next_attempt_at: DateTime<Utc>,
    pub deadline_at: DateTime<Utc>,
    pub created_at: DateTime<Utc>,
    /// Parts of a text, as carriers count them.
    pub segments: Option<i64>,
    /// The turns it has had (`pace`).
    pub(super) paced: i64,
    pub org_name: String,
    pub org_sms_number: Option<String>,
    pub org_service: Option<String>,
    /// Where the answer to an email to a customer goes: to its author, else to the first who is told by email, else to
    /// the owner.
    pub reply_to: Option<String>,
    postal_address: Option<String>,
    /// Until when the recipient's hours last, for texts: what the provider may still queue must leave by then.
    #[sqlx(default)]
    pub leaves_by: Option<DateTime<Utc>>,
    pub(super) customer_id: Option<CustomerId>,
    /// The estimate, job, invoice, payment or booking it is about.
    pub(super) about_id: Option<Uuid>,
    /// When a person last had it sent again.
    pub(super) resent_at: Option<DateTime<Utc>>,
    /// How often the provider's list did not hold it when its end was last in doubt.
    pub(super) doubt_checks: i64,
    /// Why what it is about needs it no more ([`ended::why`]).
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
    /// Asked where it matters ([`Kind::is_about_their_matter`]).
    #[sqlx(default)]
    is_on_file: bool,
    is_blocked: Option<bool>,
    no_sms_since: Option<DateTime<Utc>>,
    zip: Option<String>,
    /// Asked of texts that need it.
    #[sqlx(default)]
    agreed_to_offers: bool,
    promotional_in_a_day: i64,
    has_written: bool,
    by_form: bool,
    /// Whether it is about a visit that somebody booked or changed who has not shown to be the customer.
    by_booking: bool,
    last_in_at: Option<DateTime<Utc>>,
    last_wrote_at: Option<DateTime<Utc>>,
    last_by_person_at: Option<DateTime<Utc>>,
    paused_until: Option<DateTime<Utc>>,
    /// Set when the request for a review that this is part of has ended.
    ask_ended: Option<review::Why>,
    /// Whether its business does not pay any more, and its grace is over.
    reads_only: bool,
}

impl Outgoing {
    /// What `contact_point` says of its customer: whether the address is theirs, and when they were last heard.
    async fn know(&mut self, conn: &mut dyn AsConn, customer: CustomerId) -> Result<()> {
        let aside = SetAside::of(&mut *conn, self.org_id, customer).await?;
        if let Some(heard) = aside.heard(&mut *conn, self.org_id, customer).await? {
            self.last_in_at = self.last_in_at.and(heard.last());
            self.last_wrote_at = self.last_wrote_at.and(heard.wrote_at);
        }
        if self.class == Class::Promotional && self.channel == Channel::Sms {
            self.agreed_to_offers = agrees_to_offers(&mut *conn, self.org_id, customer, &self.to_address).await?;
        }
        if self.kind.is_about_their_matter() {
            let kind = match self.channel {
                Channel::Sms => contact_point::Kind::Phone,
                Channel::Email => contact_point::Kind::Email,
            };
            let point = (kind, self.to_address.as_str());
            let org = self.org_id;
            self.is_on_file = !aside.has(point) && contact_point::is_known(conn, org, customer, point).await?;
        }
        Ok(())
    }

    /// A mail about an account is the install's own as long as its address is unproven: the name of the business may be
    /// a stranger's words.
    async fn name_sender(&mut self, conn: &mut dyn AsConn) -> Result<()> {
        if self.kind == Kind::AccountNotice
            && self.channel == Channel::Email
            && trust_level::reach(conn, self.org_id, &self.to_address, true).await? == Reach::OwnUnproven
        {
            proof::SENDER.clone_into(&mut self.org_name);
        }
        Ok(())
    }

    /// Puts `words` in place of `mark` wherever it stands: what must not be kept is put in when the message leaves.
    pub(crate) fn put_in(&mut self, mark: &str, words: &str) {
        self.body = self.body.replace(mark, words);
        let Some(Json(page)) = &mut self.page else { return };
        let buttons = [&mut page.button, &mut page.other_button, &mut page.leave].into_iter().flatten();
        for address in page.text.iter_mut().chain(buttons.map(|(_, address)| address)) {
            *address = address.replace(mark, words);
        }
    }

    /// Every part of it in which a link to a page of ours may stand.
    pub(crate) fn words(&self) -> impl Iterator<Item = &str> {
        let page = self.page.as_ref().map(|page| &page.0);
        let addresses = page.into_iter().flat_map(|page| {
            let buttons = [&page.button, &page.other_button, &page.leave].into_iter().flatten();
            page.text.iter().chain(buttons.map(|(_, address)| address))
        });
        std::iter::once(&self.body).chain(addresses).map(String::as_str)
    }

    /// The day in the org's zone that this message counts for.
    pub(super) fn day(&self, now: DateTime<Utc>) -> String {
        send_budget::day(org::zone_named(&self.timezone), now)
    }

    /// What left already on the day of `at`, as far as it is counted for this message. From its first attempt on it is
    /// itself among that.
    pub(super) async fn spent(&self, conn: &mut dyn AsConn, at: DateTime<Utc>) -> Result<Spent> {
        if !self.kind.is_for_customers() {
            return Ok(Spent::default());
        }
        let (day, itself) = (self.day(at), i64::from(self.attempts > 0));
        if self.channel == Channel::Email {
            let to_number = send_budget::emailed(conn, self.org_id, &day, &self.to_address).await? - itself;
            return Ok(Spent { to_number, ..Spent::default() });
        }
        let spent = send_budget::spent(conn, self.org_id, &day, &self.to_address, at).await?;
        let booking = if self.is_by_booking() { itself } else { 0 };
        Ok(Spent {
            texts: spent.texts - itself,
            to_number: spent.to_number - itself,
            by_bookings: spent.by_bookings - booking,
            booked_to_number: spent.booked_to_number - booking,
            ..spent
        })
    }

    /// The zone of its business.
    pub(super) fn zone_name(&self) -> &str {
        &self.timezone
    }

    /// When it goes that may go from `opens` on. Its chance is of its id, so that a look ahead names the same time.
    pub(super) fn put_off(&self, opens: DateTime<Utc>) -> DateTime<Utc> {
        let (_, seed) = self.id.0.as_u64_pair();
        let by_chance = contact_hours::reschedule(opens, &Entropy::seeded(seed));
        // What has its hour must not miss it by chance.
        let latest = if self.has_its_hour() { self.deadline_at.max(opens) } else { by_chance };
        by_chance.min(latest)
    }

    /// Whether what it is about needs it no more.
    pub(crate) fn has_ended(&self) -> bool {
        self.ended.is_some()
    }

    /// Whether nothing stands against texting them: they did not ask us to stop, and the number takes texts.
    pub(crate) fn may_be_texted(&self) -> bool {
        self.opted_out.is_none() && self.no_sms_since.is_none()
    }

    /// Whether it asks to confirm a visit ([`crate::domain::work::booking::request`]): the only answer that is about something.
    fn asks_to_book(&self) -> bool {
        self.kind == Kind::AutoReply && self.about_id.is_some()
    }

    /// Whether a booking in a customer's name caused it: a stranger's question goes to the person who typed their own number.
    fn is_by_booking(&self) -> bool {
        self.by_booking || (self.has_written && self.asks_to_book())
    }

    /// Whether it says nothing useful once its hour has passed.
    pub(super) fn has_its_hour(&self) -> bool {
        self.kind.has_its_hour() || self.asks_to_book()
    }

    /// Whether a rule wrote it and a person has written to them since: nobody need be asked to.
    pub(crate) fn is_in_a_persons_hands(&self) -> bool {
        self.kind.is_automatic() && self.last_by_person_at.is_some_and(|at| at > self.created_at)
    }

    /// What it leaves from: the business's number, else the Messaging Service that it shares.
    #[must_use]
    pub fn sender(&self) -> Option<&str> {
        self.org_sms_number.as_deref().or(self.org_service.as_deref())
    }

    pub(super) fn facts(&self, spent: Spent, trust: Trust) -> Facts<'_> {
        static USUAL: LazyLock<Sending> = LazyLock::new(Sending::default);
        let on = |switch: Option<bool>| switch.unwrap_or(true);
        Facts {
            channel: self.channel,
            kind: self.kind,
            to: &self.to_address,
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
            cannot_be_texted: self.no_sms_since.is_some(),
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
            ask_ended: self.ask_ended.map(review::Why::clause),
            ended: self.ended.as_deref(),
            has_its_hour: self.has_its_hour(),
            has_sender: self.sender().is_some(),
            is_demo: self.org_id == DEMO_ORG,
            reads_only: self.reads_only,
            trust,
        }
    }

    /// How far its business is trusted with it. What the law asks to be answered is never counted.
    pub(super) async fn trust(&self, conn: &mut dyn AsConn, takes_money: bool, now: DateTime<Utc>) -> Result<Trust> {
        if self.org_id == DEMO_ORG || matches!(self.kind, Kind::HelpReply | Kind::StopConfirmation) {
            return Ok(Trust::FULL);
        }
        let to = match self.channel {
            Channel::Sms => Addressed::Text,
            Channel::Email => {
                Addressed::Email { address: &self.to_address, is_about_account: self.kind == Kind::AccountNotice }
            }
        };
        // From its first attempt on it is itself among those that are counted.
        let trust = Trust::of(conn, (self.org_id, takes_money), to, self.attempts > 0, now).await?;
        // Each has a throttle of its own, and strangers must not use up what lets the holder of the address in.
        let opens_account =
            self.subject.as_deref().is_some_and(|subject| [proof::SUBJECT, reset::SUBJECT].contains(&subject));
        Ok(if trust.reach == Reach::OwnUnproven && opens_account { Trust::FULL } else { trust })
    }

    /// The HTML beside the text, drawn now.
    ///
    /// # Errors
    /// Only if the layout of emails were broken, which a test rules out.
    pub fn html(&self) -> Result<Option<String>> {
        let heading = self.subject.as_deref().unwrap_or_default();
        self.page
            .as_ref()
            .map(|page| template::html(&self.org_name, heading, &self.body, page, self.foot()))
            .transpose()
    }

    /// The chart that the HTML shows, drawn now.
    ///
    /// # Errors
    /// Only if the picture could not be encoded.
    pub fn chart(&self) -> Result<Option<Vec<u8>>> {
        self.page.as_ref().and_then(|page| page.chart.as_ref()).map(template::Chart::png).transpose()
    }

    /// The plain text of an email.
    #[must_use]
    pub fn text(&self) -> String {
        let body = template::plain(&self.body, self.page.as_ref().map(|page| &page.0));
        match self.foot() {
            // Who has signed with the business's name is not named again.
            Some(foot) if body.lines().last().is_some_and(|last| last.trim() == self.org_name) => {
                format!("{body}\n{foot}")
            }
            Some(foot) => format!("{body}\n\n{}\n{foot}", self.org_name),
            None => body,
        }
    }

    /// Where the receiver of an email asks for no more of its kind (RFC 8058, which wants https).
    #[must_use]
    pub fn unsubscribe(&self) -> Option<&str> {
        let (_, link) = self.page.as_ref()?.leave.as_ref()?;
        link.starts_with("https://").then_some(link)
    }

    /// The business's postal address, at the foot of what goes to its customers (15 USC 7704(a)(5)).
    fn foot(&self) -> Option<&str> {
        self.postal_address.as_deref().filter(|_| self.kind.is_for_customers())
    }
}

/// The message with everything that the gate looks at.
pub(super) async fn load(conn: &mut dyn AsConn, origin: &Origin, id: MessageId) -> Result<Option<Outgoing>> {
    let Some(mut message) = row(&mut *conn, origin, id).await? else { return Ok(None) };
    match message.customer_id {
        Some(customer) => message.know(&mut *conn, customer).await?,
        None => message.name_sender(&mut *conn).await?,
    }
    if let Some(about) = message.about_id {
        message.ended = ended::why(conn, &message, about, origin.now()).await?.map(ToOwned::to_owned);
    }
    Ok(Some(message))
}

/// Single values are subqueries: PostgreSQL plans a join of ten tables for 14 ms, and each subquery by itself.
async fn row(conn: &mut dyn AsConn, origin: &Origin, id: MessageId) -> Result<Option<Outgoing>> {
    Ok(q!(
        conn,
        fetch_optional as Outgoing,
        "SELECT m.org_id, m.id, m.lead_id, m.customer_id, m.channel, m.kind, m.class, m.to_address, m.subject, m.body, m.page,
             m.status, m.attempts, m.fence, m.next_attempt_at, m.deadline_at, m.created_at, m.segments, m.paced,
             m.about_id, m.resent_at, m.doubt_checks, o.name AS org_name,
             o.sms_number AS org_sms_number, o.messaging_service AS org_service, o.postal_address, o.timezone, s.lead_intake, s.automated_communications, s.job_tracking,
             s.review_collection, s.kpi_reporting, c.is_blocked, l.zip, t.last_in_at, t.last_by_person_at,
             (SELECT g.value FROM org_setting g WHERE g.org_id = m.org_id AND g.name = 'sending') AS sending,
             (SELECT u.state FROM opt_out u WHERE u.org_id = m.org_id AND u.channel = m.channel
                 AND u.address = m.to_address AND u.state <> 'lifted') AS opted_out,
             (SELECT n.no_sms_since FROM customer_key n WHERE n.org_id = m.org_id AND n.customer_id = m.customer_id
                 AND n.kind = 'phone' AND n.value = m.to_address AND n.no_sms_since > $3) AS no_sms_since,
             (SELECT MAX(p.until) FROM channel_pause p WHERE p.channel IN (m.channel, m.channel || '_account')) AS paused_until,
             (SELECT a.why FROM review_ask a WHERE a.org_id = m.org_id AND a.id = m.about_id AND m.kind = 'review_request'
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
             EXISTS (SELECT 1 FROM lead_touch h WHERE h.org_id = m.org_id AND h.lead_id = m.lead_id
                  AND h.source_hash IS NOT NULL) AS by_form,
             (m.kind = 'visit' AND EXISTS (SELECT 1 FROM job j WHERE j.org_id = m.org_id AND j.id = m.about_id
                 AND j.unproven_at IS NOT NULL AND NOT EXISTS (SELECT 1 FROM work_event v WHERE v.org_id = j.org_id
                     AND v.job_id = j.id AND v.actor_kind = 'account' AND v.recorded_at > j.unproven_at))) AS by_booking,
             (EXISTS (SELECT 1 FROM subscription b WHERE b.org_id = m.org_id AND b.has_begun = TRUE AND b.counts = TRUE)
                 AND NOT EXISTS (SELECT 1 FROM subscription b WHERE b.org_id = m.org_id AND b.has_begun = TRUE
                     AND b.counts = TRUE AND (b.read_only_from IS NULL OR b.read_only_from > $4))) AS reads_only
         FROM message m JOIN org o ON o.id = m.org_id
             LEFT JOIN automation_switch s ON s.org_id = m.org_id
             LEFT JOIN customer c ON c.org_id = m.org_id AND c.id = m.customer_id
             LEFT JOIN thread t ON t.org_id = m.org_id AND t.customer_id = m.customer_id
             LEFT JOIN lead l ON l.org_id = m.org_id AND l.id = m.lead_id
         WHERE m.id = $1",
        id,
        origin.now() - Duration::hours(24),
        refused_after(origin.now()),
        origin.now()
    )?)
}
