//! Loading of a message with all facts that decide whether it may be sent.

use chrono::{DateTime, Duration, Utc};

use super::ClaimedMessage;
use crate::{
    domain::{
        intake::{
            contact_point::{self, ContactPointKind, SetAsideContacts},
            customer::sms_refusal_cutoff,
            lead::has_marketing_consent,
        },
        messaging::message::{MessageKind, subject::MessageSubjects},
        tenancy::{
            account,
            trust_level::{RecipientScope, TrustLevel, classify_recipient, load_trust_level},
        },
    },
    platform::{
        clock::ClockRng,
        contact_hours::ContactClass,
        db::{AsConn, q},
        error::Result,
        id::{CustomerId, DEMO_ORG, MessageId},
        recipient::Recipient,
    },
};

impl ClaimedMessage {
    /// Loads from `contact_point` whether the address is the customer's, and their last contact.
    async fn load_contact_point(&mut self, conn: &mut dyn AsConn, customer: CustomerId) -> Result<()> {
        let aside = SetAsideContacts::load_for_customer(&mut *conn, self.org_id, customer).await?;
        if let Some(last_inbound) = aside.load_last_inbound(&mut *conn, self.org_id, customer).await? {
            self.last_in_at = self.last_in_at.and(last_inbound.latest_at());
            self.last_wrote_at = self.last_wrote_at.and(last_inbound.wrote_at);
        }
        if self.class == ContactClass::Promotional
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
            && classify_recipient(conn, self.org_id, email, true).await? == RecipientScope::OwnUnproven
        {
            account::ACCOUNT_MAIL_SENDER.clone_into(&mut self.org_name);
        }
        Ok(())
    }

    /// Below `trusted` nothing leaves with a business name that is a link, a number or a sentence.
    async fn restrict_business_name(&mut self, conn: &mut dyn AsConn) -> Result<()> {
        let safe = account::safe_business_name(&self.org_name);
        let is_plain = safe == self.org_name || self.org_id == DEMO_ORG;
        if !is_plain && load_trust_level(conn, self.org_id).await? != TrustLevel::Trusted {
            self.replace_business_name(safe);
        }
        Ok(())
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
}

pub(in crate::domain::messaging::message) async fn load_message(
    conn: &mut dyn AsConn,
    origin: &ClockRng,
    id: MessageId,
) -> Result<Option<ClaimedMessage>> {
    let Some(mut message) = load_message_row(&mut *conn, origin, id).await? else { return Ok(None) };
    message.restrict_business_name(&mut *conn).await?;
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
             m.status, m.reason, m.attempts, m.fence, m.next_attempt_at, m.deadline_at, m.created_at, m.segments, m.rate_limit_stage,
             m.about_id, m.event_id, m.resent_at, m.reconcile_checks, o.name AS org_name, l.stage AS lead_stage,
             (SELECT MIN(a.started_at) FROM message_attempt a WHERE a.org_id = m.org_id AND a.message_id = m.id
                 AND (m.resent_at IS NULL OR a.started_at >= m.resent_at)) AS counted_at,
             o.sms_number AS org_sms_number, o.messaging_service AS org_service, o.postal_address, o.timezone, s.lead_intake, s.automated_communications, s.job_tracking,
             s.review_collection, s.kpi_reporting, c.is_blocked, l.zip, t.last_in_at, t.last_by_person_at,
             (SELECT g.value FROM org_setting g WHERE g.org_id = m.org_id AND g.name = 'sending') AS sending,
             (SELECT g.value FROM org_setting g WHERE g.org_id = m.org_id AND g.name = 'look') AS look,
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
