//! Payment retries: a declined card is followed up daily by text and by email with the payment link, for 14 days. They
//! end with a payment by any means, a promise, a dispute, the withdrawal of the paper, or a reply of the customer: then
//! a person answers.

use std::collections::HashSet;

use chrono::{Days, NaiveTime};
use serde_json::json;

use super::{CheckoutSession, PaymentOffer, PaymentSubject, load_payment_offer};
use crate::{
    documents::template::{self, Language, WordingValues},
    domain::{
        messaging::{
            automation::decide_skip,
            conversation,
            followup::{
                self, DueFollowUp, FollowUpDecision, FollowUpRecipient, FollowUpStep, FollowUpSubject, FollowUpWording,
                PlannedStep,
            },
            message::{self, MessageChannel},
        },
        money::connected_account,
        tenancy::org::OrgContext,
    },
    platform::{
        access_link, business_hours,
        db::{AsConn, Tx, q, qb},
        error::Result,
        id::{CustomerId, EstimateId, InvoiceId, OrgId},
        money::Cents,
    },
};

const RULE: &str = "payment_failed_notice";
/// Event of a retry step.
pub(crate) const EVENT: &str = "payment_failed";
/// After 14 days without an answer a person has to look.
const RETRY_DAYS: u64 = 14;
const SEND_FROM: NaiveTime = NaiveTime::from_hms_opt(10, 0, 0).expect("a time of the day");
const SEND_UNTIL: NaiveTime = NaiveTime::from_hms_opt(20, 30, 0).expect("a time of the day");

impl PaymentSubject {
    fn followup_subject(self) -> FollowUpSubject {
        match self {
            Self::Invoice(_) => FollowUpSubject::Invoice,
            Self::Deposit(_) => FollowUpSubject::Estimate,
        }
    }

    fn link_kind(self) -> access_link::LinkKind {
        match self {
            Self::Invoice(_) => access_link::LinkKind::Invoice,
            Self::Deposit(_) => access_link::LinkKind::Estimate,
        }
    }
}

pub(crate) fn is_retry_step(step: &str) -> bool {
    step.starts_with("card_")
}

/// Plans the days to come. Does nothing when they are planned: a second decline is the same matter.
pub(super) async fn schedule_retries(tx: &mut Tx, ctx: &OrgContext<'_>, visit: &CheckoutSession) -> Result<()> {
    let (origin, org, id) = (ctx.origin, ctx.profile.org.id, visit.subject().id());
    if has_pending_retries(&mut *tx, org, id).await? {
        return Ok(());
    }
    let zone = ctx.profile.org.zone();
    let today = origin.now().with_timezone(&zone).date_naive();
    let steps: Vec<PlannedStep> = (1..=RETRY_DAYS)
        .map(|day| {
            let at = |time: NaiveTime| business_hours::local_to_utc(zone, (today + Days::new(day)).and_time(time));
            PlannedStep { step: FollowUpStep::Card(day), due_at: at(SEND_FROM), expires_at: at(SEND_UNTIL) }
        })
        .collect();
    let newest = "SELECT COALESCE(MAX(generation), 0) FROM follow_up WHERE org_id = $1 AND about_id = $2";
    let generation = q!(&mut *tx, fetch_one scalar i64, newest, org, id)? + 1;
    let about = visit.subject().followup_subject();
    followup::schedule_plan(tx, origin, org, visit.lead_id, about, id, generation, &steps, None).await
}

/// Other reminders for the same money pause meanwhile.
pub(crate) async fn has_pending_retries(conn: &mut dyn AsConn, org: OrgId, about: uuid::Uuid) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM follow_up WHERE org_id = $1 AND about_id = $2 AND state = 'waiting'
         AND step LIKE 'card%')";
    Ok(q!(conn, fetch_one scalar bool, sql, org, about)?)
}

pub(crate) async fn decide_retry(
    conn: &mut dyn AsConn,
    ctx: &OrgContext<'_>,
    due: &DueFollowUp,
) -> Result<FollowUpDecision> {
    let subject = match due.about {
        FollowUpSubject::Estimate | FollowUpSubject::ChangeOrder => PaymentSubject::Deposit(EstimateId(due.about_id)),
        FollowUpSubject::Invoice | FollowUpSubject::Job | FollowUpSubject::Review => {
            PaymentSubject::Invoice(InvoiceId(due.about_id))
        }
    };
    let takes_cards = connected_account::load_checkout_keys(&mut *conn, ctx.secret, due.org_id).await?.is_some();
    let amount = match load_payment_offer(&mut *conn, ctx, subject, takes_cards).await? {
        PaymentOffer::Pay(amount) => amount,
        PaymentOffer::Nothing => return Ok(FollowUpDecision::Skip("nothing is left to pay by card")),
        PaymentOffer::Owed(_) => return Ok(FollowUpDecision::Skip("card payments are no longer set up")),
        PaymentOffer::Underway => return Ok(FollowUpDecision::Skip("a new payment is on its way")),
    };
    let partner = followup::load_recipient(&mut *conn, ctx, due.lead_id).await?;
    let state = conversation::load_context(&mut *conn, due.org_id, partner.customer, None, ctx.origin.now()).await?;
    if state.last_in_at.is_some_and(|at| at > due.created_at) {
        return Ok(FollowUpDecision::Skip("they wrote or called since: answer them yourself"));
    }
    if !ctx.profile.switches.job_tracking {
        let evidence = json!({"switchJobTracking": false});
        return Ok(FollowUpDecision::Say(vec![decide_skip(
            RULE,
            MessageChannel::Sms,
            "job tracking is switched off",
            evidence,
        )]));
    }
    let words =
        RetryNotice { subject, amount, kind: message::MessageKind::Dunning, key: &format!("follow:{}", due.id) };
    Ok(FollowUpDecision::Say(compose_retry_notice(conn, ctx, &partner, words).await?))
}

pub(super) struct RetryNotice<'a> {
    pub subject: PaymentSubject,
    pub amount: Cents,
    pub kind: message::MessageKind,
    pub key: &'a str,
}

pub(super) async fn compose_retry_notice(
    conn: &mut dyn AsConn,
    ctx: &OrgContext<'_>,
    partner: &FollowUpRecipient,
    notice: RetryNotice<'_>,
) -> Result<Vec<crate::domain::messaging::automation::RuleDecision>> {
    let kind = notice.subject.link_kind();
    let open = access_link::find_active(conn, ctx.profile.org.id, kind, notice.subject.id()).await?;
    let address = open.map(|id| ctx.public_url.join(&access_link::build_path(ctx.secret, id, kind)));
    let variables =
        WordingValues { amount: Some(notice.amount), invoice_link: address, ..partner.template_variables(ctx) };
    let words = FollowUpWording {
        rule: RULE,
        why: "the bank refused the card",
        wording: template::TemplateKindName::PaymentFailed,
        kind: notice.kind,
        subject: match partner.language {
            Language::En => "Your card payment did not go through",
            Language::Es => "Su pago con tarjeta no fue aceptado",
        },
        key: notice.key,
    };
    followup::compose_on_each_channel(ctx, partner, words, &variables)
}

/// Those of `customers` whose declined card was not made good, by this or by any other means.
pub(crate) async fn filter_refused_customers(
    conn: &mut dyn AsConn,
    org: OrgId,
    customers: &HashSet<CustomerId>,
) -> Result<HashSet<CustomerId>> {
    if customers.is_empty() {
        return Ok(HashSet::new());
    }
    let found = qb!(conn, fetch_all scalar CustomerId, |b| {
        b.push(
            "SELECT DISTINCT l.customer_id FROM checkout c JOIN lead l ON l.org_id = c.org_id AND l.id = c.lead_id
                 LEFT JOIN invoice i ON i.org_id = c.org_id AND i.id = c.about_id
             WHERE c.status = 'failed' AND c.provider_id IS NOT NULL AND (i.id IS NULL OR i.status = 'open')
                 AND NOT EXISTS (SELECT 1 FROM payment p WHERE p.org_id = c.org_id AND p.lead_id = c.lead_id
                     AND p.kind = 'payment' AND p.status = 'settled' AND p.undone_at IS NULL
                     AND p.created_at >= c.created_at)
                 AND c.org_id = ",
        );
        b.push_bind(org).push(" AND l.customer_id IN (");
        let mut list = b.separated(", ");
        for customer in customers {
            list.push_bind(*customer);
        }
        b.push(")");
    })?;
    Ok(found.into_iter().collect())
}
