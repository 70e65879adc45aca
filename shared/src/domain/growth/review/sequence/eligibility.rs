//! Reasons against a review request, and the open channels.

use chrono::{DateTime, Utc};
use sqlx::FromRow;

use super::StepOutcome;
use crate::{
    domain::{
        growth::review::{
            request_lifecycle::ReviewRequest,
            rule::{
                EligibilityFacts, MIN_REQUEST_INTERVAL, ReviewRequestCause, ReviewRequestReason, ReviewSequenceStep,
                ineligibility_reason,
            },
        },
        intake::lead::has_marketing_consent,
        messaging::{followup::FollowUpRecipient, message::MessageChannel, opt_out},
        tenancy::org::OrgContext,
    },
    platform::{
        db::{AsConn, q},
        error::Result,
        id::{CustomerId, OrgId},
    },
};

const NOT_AGREED: &str = "they did not agree to get offers and review requests by text";
const NO_EMAIL: &str = "no email address is known";

/// Reasons that hold for any work of the customer.
#[derive(Clone, Copy, Debug, FromRow)]
pub(in crate::domain::growth::review) struct ContactRestrictions {
    pub is_staff: bool,
    pub is_blocked: bool,
    pub has_complaint: bool,
    pub opted_out: bool,
}

impl ContactRestrictions {
    pub fn never_ask_reason(self) -> Option<ReviewRequestReason> {
        ineligibility_reason(ReviewSequenceStep::First, &self.eligibility_facts())
    }

    fn eligibility_facts(self) -> EligibilityFacts {
        let Self { is_staff, is_blocked, has_complaint, opted_out } = self;
        EligibilityFacts { is_staff, is_blocked, has_complaint, opted_out, is_on: true, ..EligibilityFacts::default() }
    }
}

/// A complaint is one marked by the office, or a disputed invoice.
pub(in crate::domain::growth::review) async fn load_restrictions(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
) -> Result<ContactRestrictions> {
    Ok(q!(
        conn,
        fetch_one as ContactRestrictions,
        "SELECT c.is_staff, c.is_blocked,
             (c.complaint_at IS NOT NULL OR EXISTS (SELECT 1 FROM lead l
                  JOIN invoice i ON i.org_id = l.org_id AND i.lead_id = l.id
                  WHERE l.org_id = c.org_id AND l.customer_id = c.id AND i.disputed_at IS NOT NULL AND i.status <> 'void'))
                 AS has_complaint,
             EXISTS (SELECT 1 FROM customer_key k JOIN opt_out u ON u.org_id = k.org_id AND u.address = k.value
                  AND u.state <> 'lifted' AND u.channel = CASE WHEN k.kind = 'phone' THEN 'sms' ELSE 'email' END
                  WHERE k.org_id = c.org_id AND k.customer_id = c.id) AS opted_out
         FROM customer c WHERE c.org_id = $1 AND c.id = $2",
        org,
        customer
    )?)
}

pub(super) async fn load_eligibility(
    conn: &mut dyn AsConn,
    intake: &OrgContext<'_>,
    ask: &ReviewRequest,
    now: DateTime<Utc>,
) -> Result<EligibilityFacts> {
    let restrictions = load_restrictions(&mut *conn, intake.profile.org.id, ask.customer_id).await?;
    let half_a_year_ago = now - MIN_REQUEST_INTERVAL;
    let (was_asked, has_reviewed, is_reverted) = q!(
        conn,
        fetch_one as (bool, bool, bool),
        "SELECT EXISTS (SELECT 1 FROM review_request WHERE org_id = $1 AND customer_id = $2 AND id <> $3
                 AND (asked_at > $4 OR (state = 'waiting' AND begun_at > $4))),
             EXISTS (SELECT 1 FROM review WHERE org_id = $1 AND customer_id = $2 AND received_at > $6),
             EXISTS (SELECT 1 FROM job WHERE org_id = $1 AND id = $5 AND status <> 'completed')",
        intake.profile.org.id,
        ask.customer_id,
        ask.id,
        half_a_year_ago,
        ask.job_id.filter(|_| ask.cause != ReviewRequestCause::ByHand),
        if ask.is_override { ask.created_at } else { half_a_year_ago }
    )?;
    Ok(EligibilityFacts {
        is_reverted,
        has_reviewed,
        was_asked,
        is_override: ask.is_override,
        is_on: intake.profile.switches.review_collection,
        ..restrictions.eligibility_facts()
    })
}

/// Why each channel is closed; none when it is open.
pub(super) struct ChannelBlocks {
    pub no_text: Option<String>,
    pub no_email: Option<(ReviewRequestReason, &'static str)>,
}

impl ChannelBlocks {
    pub fn describe_blocks(&self) -> String {
        let text = self.no_text.as_deref().unwrap_or_default();
        let email = self.no_email.map(|(_, why)| why).unwrap_or_default();
        format!("{text}, and {email}")
    }

    pub fn all_blocked_outcome(&self) -> StepOutcome {
        let why = self.no_email.map_or(ReviewRequestReason::NoContact, |(why, _)| why);
        StepOutcome::Reject(why, Some(self.describe_blocks()))
    }
}

pub(super) async fn load_channel_blocks(
    conn: &mut dyn AsConn,
    intake: &OrgContext<'_>,
    ask: &ReviewRequest,
    partner: &FollowUpRecipient,
) -> Result<ChannelBlocks> {
    let org = intake.profile.org.id;
    let closed = ask.sms_stop_reason.clone().or(partner.no_text.map(ToOwned::to_owned));
    let no_text = match (&partner.phone, closed) {
        (Some(phone), None) if !has_marketing_consent(&mut *conn, org, partner.customer, phone).await? => {
            Some(NOT_AGREED.to_owned())
        }
        (_, closed) => closed,
    };
    let no_email = match &partner.email {
        None => Some((ReviewRequestReason::NoContact, NO_EMAIL)),
        Some(email) if opt_out::find_opt_out(conn, org, MessageChannel::Email, email.as_str()).await?.is_some() => {
            Some((ReviewRequestReason::NoContact, "they asked for no more such emails"))
        }
        Some(_) if intake.profile.org.postal_address.is_none() => {
            Some((ReviewRequestReason::NoPostalAddress, ReviewRequestReason::NoPostalAddress.reason_clause()))
        }
        Some(_) => None,
    };
    Ok(ChannelBlocks { no_text, no_email })
}
