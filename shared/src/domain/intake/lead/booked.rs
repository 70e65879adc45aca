//! A request that comes with a visit of its own: known, agreed to and counted as every form, and answered by the visit's
//! own words instead of by a rule.

use chrono::{DateTime, Utc};

use super::{
    Form, Intake, NewLead, Receipt, Sender,
    accept::{self, accept},
    consent,
    customer::{self, Recognised},
    owner,
    quarantine::{source_hash, why_held},
    store::{Request, touch_row},
};
use crate::{
    documents::template::Language,
    domain::{
        intake::{
            contact_point::{self, Kind},
            lead::LeadOpened,
        },
        tenancy::audit::Actor,
        work::booking::unproven,
    },
    platform::{
        db::{AsConn, Tx, batch::insert_all, q},
        error::Result,
        id::{CustomerId, LeadId, OrgId, TouchId},
        live::{self, Topic},
    },
};

/// Visits ahead of one customer that were booked at once and that nobody of the business has acted on: the next one is
/// kept by a tap. Anybody can type a customer's phone or email.
const MOST_AHEAD: i64 = 3;

/// What became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Came {
    /// A person of the business looks at it first: it may be a robot's.
    Held(Receipt),
    In(LeadId, As),
}

/// What is made of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum As {
    /// A visit at once.
    Visit,
    /// A request, until they confirm it.
    Request,
}

/// The network it came from, blurred; none for who is not counted.
pub(crate) fn source(intake: &Intake<'_>, sender: &Sender) -> Option<Vec<u8>> {
    source_hash(intake.secret, sender).filter(|_| !sender.is_exempt)
}

/// Which of the addresses that a form names, phone and email, are proven to be this customer's.
pub(crate) async fn are_proven(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    new: &NewLead,
) -> Result<(bool, bool)> {
    let phone = match &new.phone_e164 {
        Some(phone) => contact_point::is_proven(&mut *conn, org, customer, (Kind::Phone, phone.as_e164())).await?,
        None => false,
    };
    let email = match &new.email {
        Some(email) => contact_point::is_proven(conn, org, customer, (Kind::Email, email)).await?,
        None => false,
    };
    Ok((phone, email))
}

/// A person known by a proven phone or email who names no other gets a visit at once, as long as few of theirs are ahead,
/// and few were booked in their name today: a visit that is cancelled again makes no room.
async fn what(conn: &mut dyn AsConn, org: OrgId, who: &Recognised, new: &NewLead, now: DateTime<Utc>) -> Result<As> {
    if who.is_new || who.unknown.any() || are_proven(&mut *conn, org, who.id, new).await? == (false, false) {
        return Ok(As::Request);
    }
    let is_full = ahead(&mut *conn, org, who.id, now).await? >= MOST_AHEAD
        || unproven::in_a_day(conn, org, who.id, now).await? >= unproven::MOST_A_DAY;
    Ok(if is_full { As::Request } else { As::Visit })
}

/// How many visits ahead this customer has booked that nobody of the business has acted on.
async fn ahead(conn: &mut dyn AsConn, org: OrgId, customer: CustomerId, now: DateTime<Utc>) -> Result<i64> {
    // `listed_at` is `starts_at` where there is one.
    let sql = "SELECT COUNT(*) FROM job j WHERE j.org_id = $1 AND j.customer_id = $2 AND j.listed_at > $3
             AND j.starts_at > $3 AND j.status = 'scheduled'
             AND EXISTS (SELECT 1 FROM work_event e WHERE e.org_id = j.org_id AND e.job_id = j.id AND e.kind = 'booked')
             AND NOT EXISTS (SELECT 1 FROM work_event e WHERE e.org_id = j.org_id AND e.job_id = j.id
                 AND e.actor_kind = 'account')";
    Ok(q!(conn, fetch_one scalar i64, sql, org, customer, now)?)
}

/// Takes in somebody who books, as a visit or as a request: as the caller says, or by what is known of them. One who may
/// be a robot is an ordinary request that is held, with `wish` as its words. The caller writes the audit line of the visit.
pub(crate) async fn booked(
    tx: &mut Tx,
    intake: &Intake<'_>,
    new: &NewLead,
    (wish, as_what): (&str, Option<As>),
    language: Language,
    sender: &Sender,
    actor: &Actor,
) -> Result<Came> {
    let (origin, org) = (intake.origin, intake.profile.org.id);
    if why_held(&mut *tx, intake, new, sender).await?.is_some() {
        let plain = NewLead { form: Form::Lead, ..with_wish(new, wish) };
        return Ok(Came::Held(accept(tx, intake, &plain, sender, &[], actor).await?));
    }
    // The words of the wish are ours, in English, and are not how they write.
    let language = new.language().unwrap_or(language);
    let who = customer::recognise(&mut *tx, origin, org, new).await?;
    let as_what = match as_what {
        Some(as_what) => as_what,
        // Two of one person wait for each other at the keys, and the second counts the first.
        None => what(&mut *tx, org, &who, new, origin.now()).await?,
    };
    let asked = with_wish(new, wish);
    let new = if as_what == As::Visit { new } else { &asked };
    let request = Request { new, who: &who, photos: 0, held: None, at: origin.now() };
    let mut rows = Vec::with_capacity(6);
    let (id, open) = request.place(&mut *tx, origin, org, &mut rows).await?;
    rows.push(touch_row(origin, org, new, source(intake, sender), id, TouchId(origin.uuid()), true));
    rows.push(consent::rows(intake, new, sender, &who, id));
    rows.push(live::event(origin, org, Topic::Lead, id.0, None));
    insert_all(&mut *tx, &rows).await?;
    let sql = "UPDATE customer SET language = $3 WHERE org_id = $1 AND id = $2 AND (language IS NULL OR $4)";
    q!(&mut *tx, execute, sql, org, who.id, language, who.is_new)?;
    if !who.is_new {
        accept::stop_nudges_of(&mut *tx, intake, new, &who).await?;
    }
    if as_what == As::Request && open.is_none() {
        accept::note_created(tx, intake, &request, id);
        LeadOpened::emit(tx, origin, org, id);
    }
    if request.is_first(open.as_ref()) {
        owner::by_rule(tx, intake, id, &new.zip).await?;
    }
    Ok(Came::In(id, as_what))
}

fn with_wish(new: &NewLead, wish: &str) -> NewLead {
    let notes = [Some(wish), new.notes.as_deref()].into_iter().flatten().collect::<Vec<_>>().join("\n");
    NewLead { notes: Some(notes), ..new.clone() }
}
