//! What speaks against asking somebody for a review, and which ways to them are open.

use chrono::{DateTime, Utc};
use sqlx::FromRow;

use super::Outcome;
use crate::{
    domain::{
        growth::review::{
            ask::Ask,
            rule::{APART, Cause, Seen, Turn, Why, why_not},
        },
        intake::lead::{Intake, consent::agrees_to_offers},
        messaging::{followup::compose::Partner, message::Channel, opt_out::store as opt_out},
    },
    platform::{
        db::{AsConn, q},
        error::Result,
        id::{CustomerId, OrgId},
    },
};

const NOT_AGREED: &str = "they did not agree to get offers and review requests by text";
const NO_EMAIL: &str = "no email address is known";

/// What is known of a customer that speaks against asking them, whatever the work.
#[derive(Clone, Copy, Debug, FromRow)]
pub(in crate::domain::growth::review) struct Standing {
    pub is_staff: bool,
    pub is_blocked: bool,
    pub has_complaint: bool,
    pub opted_out: bool,
}

impl Standing {
    /// Why they are not asked at all.
    pub fn why_never(self) -> Option<Why> {
        why_not(Turn::First, &self.seen())
    }

    fn seen(self) -> Seen {
        let Self { is_staff, is_blocked, has_complaint, opted_out } = self;
        Seen { is_staff, is_blocked, has_complaint, opted_out, is_on: true, ..Seen::default() }
    }
}

/// A complaint is what the office marked as one, or an invoice that they dispute.
pub(in crate::domain::growth::review) async fn person(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
) -> Result<Standing> {
    Ok(q!(
        conn,
        fetch_one as Standing,
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

/// What speaks against asking them.
pub(super) async fn look(conn: &mut dyn AsConn, intake: &Intake<'_>, ask: &Ask, now: DateTime<Utc>) -> Result<Seen> {
    let standing = person(&mut *conn, intake.profile.org.id, ask.customer_id).await?;
    let half_a_year_ago = now - APART;
    let (was_asked, has_reviewed, is_reverted) = q!(
        conn,
        fetch_one as (bool, bool, bool),
        "SELECT EXISTS (SELECT 1 FROM review_ask WHERE org_id = $1 AND customer_id = $2 AND id <> $3
                 AND (asked_at > $4 OR (state = 'waiting' AND begun_at > $4))),
             EXISTS (SELECT 1 FROM review WHERE org_id = $1 AND customer_id = $2 AND received_at > $6),
             EXISTS (SELECT 1 FROM job WHERE org_id = $1 AND id = $5 AND status <> 'completed')",
        intake.profile.org.id,
        ask.customer_id,
        ask.id,
        half_a_year_ago,
        ask.job_id.filter(|_| ask.cause != Cause::ByHand),
        if ask.is_override { ask.created_at } else { half_a_year_ago }
    )?;
    Ok(Seen {
        is_reverted,
        has_reviewed,
        was_asked,
        is_override: ask.is_override,
        is_on: intake.profile.switches.review_collection,
        ..standing.seen()
    })
}

/// Why each way is closed; none when it is open.
pub(super) struct Ways {
    pub no_text: Option<String>,
    pub no_email: Option<(Why, &'static str)>,
}

impl Ways {
    pub fn why(&self) -> String {
        let text = self.no_text.as_deref().unwrap_or_default();
        let email = self.no_email.map(|(_, why)| why).unwrap_or_default();
        format!("{text}, and {email}")
    }

    pub fn none_is_open(&self) -> Outcome {
        let why = self.no_email.map_or(Why::NoContact, |(why, _)| why);
        Outcome::Not(why, Some(self.why()))
    }
}

pub(super) async fn ways(conn: &mut dyn AsConn, intake: &Intake<'_>, ask: &Ask, partner: &Partner) -> Result<Ways> {
    let org = intake.profile.org.id;
    let closed = ask.no_text_why.clone().or(partner.no_text.map(ToOwned::to_owned));
    let no_text = match (&partner.phone, closed) {
        (Some(phone), None) if !agrees_to_offers(&mut *conn, org, partner.customer, phone.as_e164()).await? => {
            Some(NOT_AGREED.to_owned())
        }
        (_, closed) => closed,
    };
    let no_email = match &partner.email {
        None => Some((Why::NoContact, NO_EMAIL)),
        Some(email) if opt_out::find(conn, org, Channel::Email, email).await?.is_some() => {
            Some((Why::NoContact, "they asked for no more such emails"))
        }
        Some(_) if intake.profile.org.postal_address.is_none() => {
            Some((Why::NoPostalAddress, Why::NoPostalAddress.clause()))
        }
        Some(_) => None,
    };
    Ok(Ways { no_text, no_email })
}
