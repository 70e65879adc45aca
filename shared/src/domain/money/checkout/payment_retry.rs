//! A card that the bank refused is asked about every day, by text and by email with the link to pay, until it is settled
//! or a fortnight has passed. It ends with a payment by any means, a promise, a dispute, the paper being taken back, and
//! with the customer's own words: then a person answers.

use std::collections::HashSet;

use chrono::{Days, NaiveTime};
use serde_json::json;

use super::{Checkout, Offered, Subject, offered};
use crate::{
    documents::template::{self, Language, Variables},
    domain::{
        intake::lead::Intake,
        messaging::{
            automation::not_sent,
            conversation,
            followup::{
                self, About, Decision, Due, Planned, Step,
                compose::{self, Partner, Words},
            },
            message::{self, Channel},
        },
        tenancy::org::keys,
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
/// After a fortnight of silence a person has to look.
const DAYS: u64 = 14;
const FROM: NaiveTime = NaiveTime::from_hms_opt(10, 0, 0).expect("a time of the day");
const UNTIL: NaiveTime = NaiveTime::from_hms_opt(20, 30, 0).expect("a time of the day");

impl Subject {
    fn followed(self) -> About {
        match self {
            Self::Invoice(_) => About::Invoice,
            Self::Deposit(_) => About::Estimate,
        }
    }

    fn link(self) -> access_link::Kind {
        match self {
            Self::Invoice(_) => access_link::Kind::Invoice,
            Self::Deposit(_) => access_link::Kind::Estimate,
        }
    }
}

/// Whether this step is one of these.
pub(crate) fn is_its(step: &str) -> bool {
    step.starts_with("card_")
}

/// Plans the days to come, unless they are planned already: a card that is refused again is the same matter.
pub(super) async fn plan(tx: &mut Tx, house: &Intake<'_>, visit: &Checkout) -> Result<()> {
    let (origin, org, id) = (house.origin, house.profile.org.id, visit.subject().id());
    if is_asked(&mut *tx, org, id).await? {
        return Ok(());
    }
    let zone = house.profile.org.zone();
    let today = origin.now().with_timezone(&zone).date_naive();
    let steps: Vec<Planned> = (1..=DAYS)
        .map(|day| {
            let at = |time: NaiveTime| business_hours::instant(zone, (today + Days::new(day)).and_time(time));
            Planned { step: Step::Card(day), due_at: at(FROM), give_up_at: at(UNTIL) }
        })
        .collect();
    let newest = "SELECT COALESCE(MAX(generation), 0) FROM follow_up WHERE org_id = $1 AND about_id = $2";
    let generation = q!(&mut *tx, fetch_one scalar i64, newest, org, id)? + 1;
    let about = visit.subject().followed();
    followup::plan(tx, origin, org, visit.lead_id, about, id, generation, &steps, None).await
}

/// Whether a refused card is being asked about there: nothing else reminds of the same money meanwhile.
pub(crate) async fn is_asked(conn: &mut dyn AsConn, org: OrgId, about: uuid::Uuid) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM follow_up WHERE org_id = $1 AND about_id = $2 AND state = 'waiting'
         AND step LIKE 'card%')";
    Ok(q!(conn, fetch_one scalar bool, sql, org, about)?)
}

/// When another day has come on which it is not paid.
pub(crate) async fn due(conn: &mut dyn AsConn, house: &Intake<'_>, due: &Due) -> Result<Decision> {
    let subject = match due.about {
        About::Estimate | About::ChangeOrder => Subject::Deposit(EstimateId(due.about_id)),
        About::Invoice | About::Job | About::Review => Subject::Invoice(InvoiceId(due.about_id)),
    };
    let takes_cards = keys::for_new_pages(&mut *conn, house.secret, due.org_id).await?.is_some();
    let amount = match offered(&mut *conn, house, subject, takes_cards).await? {
        Offered::Pay(amount) => amount,
        Offered::Nothing => return Ok(Decision::Skip("nothing is left to pay by card")),
        Offered::Owed(_) => return Ok(Decision::Skip("card payments are not set up any more")),
        Offered::Underway => return Ok(Decision::Skip("a new payment is on its way")),
    };
    let partner = compose::partner(&mut *conn, house, due.lead_id).await?;
    let standing = conversation::standing(&mut *conn, due.org_id, partner.customer, None, house.origin.now()).await?;
    if standing.last_in_at.is_some_and(|at| at > due.created_at) {
        return Ok(Decision::Skip("they wrote or rang since: answer them yourself"));
    }
    if !house.profile.switches.job_tracking {
        let saw = json!({"switchJobTracking": false});
        return Ok(Decision::Say(vec![not_sent(RULE, Channel::Sms, "job tracking is switched off", saw)]));
    }
    let words = Said { subject, amount, kind: message::Kind::Dunning, key: &format!("follow:{}", due.id) };
    Ok(Decision::Say(said(conn, house, &partner, words).await?))
}

/// What is said of a refused card.
pub(super) struct Said<'a> {
    pub subject: Subject,
    pub amount: Cents,
    pub kind: message::Kind,
    pub key: &'a str,
}

/// By text and by email.
pub(super) async fn said(
    conn: &mut dyn AsConn,
    house: &Intake<'_>,
    partner: &Partner,
    said: Said<'_>,
) -> Result<Vec<crate::domain::messaging::automation::Decision>> {
    let kind = said.subject.link();
    let open = access_link::in_force(conn, house.profile.org.id, kind, said.subject.id()).await?;
    let address = open.map(|id| house.public_url.join(&access_link::path(house.secret, id, kind)));
    let variables = Variables { amount: Some(said.amount), invoice_link: address, ..partner.variables(house) };
    let words = Words {
        rule: RULE,
        why: "the bank refused the card",
        wording: template::Kind::PaymentFailed,
        kind: said.kind,
        subject: match partner.language {
            Language::En => "Your card payment did not go through",
            Language::Es => "Su pago con tarjeta no fue aceptado",
        },
        key: said.key,
    };
    compose::by_each(house, partner, words, &variables)
}

/// Those of these customers whose refused card is still not made good, by this or by any other means.
pub(crate) async fn refused(
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
