//! The steps of a sequence when their time comes: whether they are said, which way, and what follows from how that went.
//!
//! The decisions of one business are taken one at a time (`review_turn`), so that its caps hold to the customer.

use chrono::{DateTime, Days, Duration, NaiveTime, Utc};
use serde_json::json;
use sqlx::FromRow;

use super::{
    ask::{self, Ask},
    rule::{APART, Cause, Day, Seen, State, Turn, WORTH_IT, Why, put_off, way, why_not},
};
use crate::{
    automation::{self, not_sent},
    clock::Origin,
    crew,
    db::{AsConn, Tx, q},
    error::Result,
    follow::{
        self, Decision, Due, Planned, Step,
        say::{self, Partner},
    },
    hours,
    id::{CrewId, CustomerId, LinkId, MessageId, OrgId, ReviewAskId},
    lead::Intake,
    link,
    message::{self, Channel, send::Outgoing, spend},
    opt_out::store as opt_out,
    org,
    template::{self, Language, Variables},
};

const RULE: &str = "review_request";
const EVENT: &str = "review_due";
const NOT_AGREED: &str = "they did not agree to get offers and review requests by text";
const NO_EMAIL: &str = "no email address is known";

/// What is known of a customer that speaks against asking them, whatever the work.
#[derive(Clone, Copy, Debug, FromRow)]
pub(super) struct Standing {
    pub is_staff: bool,
    pub is_blocked: bool,
    pub has_complaint: bool,
    pub opted_out: bool,
}

impl Standing {
    /// Why they are not asked at all.
    pub fn why_never(&self) -> Option<Why> {
        why_not(Turn::First, &self.seen())
    }

    fn seen(self) -> Seen {
        let Self { is_staff, is_blocked, has_complaint, opted_out } = self;
        Seen { is_staff, is_blocked, has_complaint, opted_out, is_on: true, ..Seen::default() }
    }
}

/// A complaint is what the office marked as one, or an invoice that they dispute.
pub(super) async fn person(conn: &mut impl AsConn, org: OrgId, customer: CustomerId) -> Result<Standing> {
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

/// What a step comes to.
pub(super) enum Outcome {
    Say(Box<automation::Decision>),
    /// They are not asked, or not any more.
    Not(Why, Option<String>),
    Later(DateTime<Utc>, &'static str),
    /// It waits for a payment, perhaps again.
    Unpaid,
    /// This step says nothing; the sequence stays as it is.
    Pass(String),
}

/// Carries out a step that was claimed.
pub(crate) async fn run(tx: &mut Tx, intake: &Intake<'_>, due: &Due) -> Result<()> {
    let (origin, org) = (intake.origin, due.org_id);
    take_turn(&mut *tx, org, origin.now()).await?;
    let found = ask::find(&mut *tx, org, ReviewAskId(due.about_id)).await?;
    let (Some(ask), Some(turn)) = (found, Turn::of(&due.step)) else {
        return follow::run::skip(tx, due, "nobody knows this request any more").await;
    };
    let is_live = if turn == Turn::First { ask.state == State::Waiting } else { ask.state == State::Asked };
    if !is_live {
        return follow::run::skip(tx, due, "the request has ended").await;
    }
    let is_late = origin.now() > due.give_up_at;
    let outcome = match turn {
        Turn::First if is_late => Outcome::Not(Why::RanOut, None),
        _ if is_late => Outcome::Pass(Why::RanOut.clause().to_owned()),
        _ => decide(&mut *tx, intake, &ask, turn, &format!("follow:{}", due.id), origin.now()).await?,
    };
    carry_out(tx, intake, due, (&ask, turn), outcome).await
}

/// One decision of a business at a time, until the transaction ends.
async fn take_turn(tx: &mut Tx, org: OrgId, now: DateTime<Utc>) -> Result<()> {
    q!(
        tx,
        execute,
        "INSERT INTO review_turn (org_id, taken_at) VALUES ($1, $2)
         ON CONFLICT (org_id) DO UPDATE SET taken_at = excluded.taken_at",
        org,
        now
    )?;
    Ok(())
}

async fn carry_out(
    tx: &mut Tx,
    intake: &Intake<'_>,
    due: &Due,
    (ask, turn): (&Ask, Turn),
    outcome: Outcome,
) -> Result<()> {
    let (origin, org, now) = (intake.origin, due.org_id, intake.origin.now());
    match outcome {
        Outcome::Say(decision) => {
            let sql =
                "UPDATE review_ask SET begun_at = COALESCE(begun_at, $3), said_at = $3 WHERE org_id = $1 AND id = $2";
            q!(&mut *tx, execute, sql, org, ask.id, now)?;
            follow::run::say(&mut *tx, origin, due, vec![*decision]).await?;
        }
        Outcome::Later(at, why) => {
            follow::run::later(&mut *tx, origin, due, (at, at + WORTH_IT), why).await?;
            if turn == Turn::First {
                set_planned(&mut *tx, org, ask.id, Some(at)).await?;
            }
        }
        Outcome::Unpaid => {
            follow::run::skip(&mut *tx, due, Why::NotPaid.clause()).await?;
            set_planned(&mut *tx, org, ask.id, None).await?;
        }
        Outcome::Pass(why) => {
            note(&mut *tx, origin, due, turn, &why).await?;
            follow::run::skip(&mut *tx, due, &why).await?;
        }
        Outcome::Not(why, detail) => {
            note(&mut *tx, origin, due, turn, detail.as_deref().unwrap_or(why.clause())).await?;
            follow::run::skip(&mut *tx, due, why.clause()).await?;
            ask::end(&mut *tx, origin, org, ask.id, (why, detail.as_deref()), None).await?;
            return Ok(());
        }
    }
    ask::announce(tx, origin, org, ask).await
}

async fn set_planned(tx: &mut Tx, org: OrgId, id: ReviewAskId, at: Option<DateTime<Utc>>) -> Result<()> {
    q!(tx, execute, "UPDATE review_ask SET planned_at = $3 WHERE org_id = $1 AND id = $2", org, id, at)?;
    Ok(())
}

/// The lead says why nothing was sent.
async fn note(tx: &mut Tx, origin: &Origin, due: &Due, turn: Turn, why: &str) -> Result<()> {
    let decided = not_sent(RULE, Channel::Sms, why, json!({"step": turn.name()}));
    automation::carry_out(tx, origin, due.org_id, due.lead_id, EVENT, vec![decided]).await
}

/// What a step that waits would come to, worded as it would be then.
pub(crate) async fn foreseen(conn: &mut impl AsConn, intake: &Intake<'_>, due: &Due) -> Result<Decision> {
    let found = ask::find(&mut *conn, due.org_id, ReviewAskId(due.about_id)).await?;
    let (Some(ask), Some(turn)) = (found, Turn::of(&due.step)) else { return Ok(Decision::Skip("it is gone")) };
    let at = due.give_up_at - WORTH_IT;
    Ok(match decide(conn, intake, &ask, turn, &format!("follow:{}", due.id), at).await? {
        Outcome::Say(decision) => Decision::Say(vec![*decision]),
        _ => Decision::Skip("nobody would be asked"),
    })
}

/// What a step comes to at `now`. One and the same for every customer.
pub(super) async fn decide(
    conn: &mut impl AsConn,
    intake: &Intake<'_>,
    ask: &Ask,
    turn: Turn,
    key: &str,
    now: DateTime<Utc>,
) -> Result<Outcome> {
    let org = intake.profile.org.id;
    if turn == Turn::First && ask.cause == Cause::InvoicePaid && !ask::is_paid(&mut *conn, org, ask.lead_id).await? {
        return Ok(Outcome::Unpaid);
    }
    let seen = look(&mut *conn, intake, ask, now).await?;
    match why_not(turn, &seen) {
        // It may be on again for the next one.
        Some(why @ Why::SwitchedOff) if turn != Turn::First => return Ok(Outcome::Pass(why.clause().to_owned())),
        Some(why) => return Ok(Outcome::Not(why, None)),
        None => {}
    }
    let partner = say::partner(&mut *conn, intake, ask.lead_id).await?;
    let ways = ways(&mut *conn, intake, ask, &partner).await?;
    let Some(way) = way(turn, ways.no_text.is_none(), ways.no_email.is_none(), ask.channel) else {
        return Ok(if turn == Turn::First { ways.none_is_open() } else { Outcome::Pass(ways.why()) });
    };
    let wording = if turn == Turn::First { template::Kind::ReviewRequest } else { template::Kind::ReviewFollowUp };
    if !intake.profile.wording(wording, partner.language).enabled {
        let why = Why::TemplateOff;
        return Ok(if turn == Turn::First { Outcome::Not(why, None) } else { Outcome::Pass(why.clause().to_owned()) });
    }
    if let Some((at, why)) = not_now(&mut *conn, intake, (ask, turn), (&partner, way), now).await? {
        return Ok(Outcome::Later(at, why));
    }
    worded(conn, intake, ask, (&partner, way), (wording, key)).await
}

/// Why they are asked later, and when.
async fn not_now(
    conn: &mut impl AsConn,
    intake: &Intake<'_>,
    (ask, turn): (&Ask, Turn),
    (partner, way): (&Partner, Channel),
    now: DateTime<Utc>,
) -> Result<Option<(DateTime<Utc>, &'static str)>> {
    let profile = intake.profile;
    let decent = ask::decent_hour(&mut *conn, profile, ask, now).await?;
    if decent > now {
        return Ok(Some((decent, "it waits for an hour at which they may be asked")));
    }
    let (begins, ends) = day_of(intake, now);
    let day = day(&mut *conn, intake, ask, (begins, ends)).await?;
    let used = way == Channel::Sms && partner.phone.is_some() && {
        let today = spend::day(profile.org.zone(), now);
        let spent = spend::spent(&mut *conn, profile.org.id, &today, "", now).await?;
        spent.texts >= profile.settings.sending.daily_text_budget && profile.settings.sending.daily_text_budget > 0
    };
    let put_off = put_off(turn, day).or(used.then_some((1, "today's budget of automatic texts is used up")));
    let Some((days, why)) = put_off else { return Ok(None) };
    let on = ends + Duration::days(days - 1);
    Ok(Some((ask::decent_hour(conn, profile, ask, on).await?, why)))
}

/// From when to when the business's day lasts.
fn day_of(intake: &Intake<'_>, now: DateTime<Utc>) -> (DateTime<Utc>, DateTime<Utc>) {
    let zone = intake.profile.org.zone();
    let today = now.with_timezone(&zone).date_naive();
    let begins = |day: chrono::NaiveDate| hours::instant(zone, day.and_time(NaiveTime::MIN));
    (begins(today), begins(today.checked_add_days(Days::new(1)).unwrap_or(today)))
}

async fn day(
    conn: &mut impl AsConn,
    intake: &Intake<'_>,
    ask: &Ask,
    (begins, ends): (DateTime<Utc>, DateTime<Utc>),
) -> Result<Day> {
    let (begun, later, household) = q!(
        conn,
        fetch_one as (i64, i64, bool),
        "SELECT (SELECT COUNT(*) FROM review_ask WHERE org_id = $1 AND id <> $2 AND begun_at >= $3 AND begun_at < $4),
             (SELECT COUNT(*) FROM review_ask WHERE org_id = $1 AND id <> $2 AND state = 'waiting' AND planned_at >= $4),
             EXISTS (SELECT 1 FROM review_ask WHERE org_id = $1 AND household = $5 AND customer_id <> $6
                 AND said_at >= $3 AND said_at < $4)",
        intake.profile.org.id,
        ask.id,
        begins,
        ends,
        ask.household.as_deref(),
        ask.customer_id
    )?;
    Ok(Day { begun, cap: intake.profile.settings.reviews.daily_cap, later, household })
}

/// What speaks against asking them.
pub(super) async fn look(conn: &mut impl AsConn, intake: &Intake<'_>, ask: &Ask, now: DateTime<Utc>) -> Result<Seen> {
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
    no_text: Option<String>,
    no_email: Option<(Why, &'static str)>,
}

impl Ways {
    fn why(&self) -> String {
        let text = self.no_text.as_deref().unwrap_or_default();
        let email = self.no_email.map(|(_, why)| why).unwrap_or_default();
        format!("{text}, and {email}")
    }

    fn none_is_open(&self) -> Outcome {
        let why = self.no_email.map_or(Why::NoContact, |(why, _)| why);
        Outcome::Not(why, Some(self.why()))
    }
}

async fn ways(conn: &mut impl AsConn, intake: &Intake<'_>, ask: &Ask, partner: &Partner) -> Result<Ways> {
    let org = intake.profile.org.id;
    let closed = ask.no_text_why.clone().or(partner.no_text.map(ToOwned::to_owned));
    let no_text = match (&partner.phone, closed) {
        (Some(phone), None) if !agreed(&mut *conn, org, partner.customer, phone.as_e164()).await? => {
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

/// Whether they agreed to such texts, and have not said STOP at this number since: START alone does not bring it back
/// (trust 27).
async fn agreed(conn: &mut impl AsConn, org: OrgId, customer: CustomerId, number: &str) -> Result<bool> {
    let found = q!(
        conn,
        fetch_optional scalar bool,
        "SELECT k.granted AND NOT EXISTS (SELECT 1 FROM opt_out w WHERE w.org_id = k.org_id AND w.channel = 'sms'
                 AND w.address = $3 AND w.source <> 'person' AND w.at >= k.at)
         FROM consent k WHERE k.org_id = $1 AND k.customer_id = $2 AND k.class = 'promotional'
         ORDER BY k.at DESC, k.id DESC LIMIT 1",
        org,
        customer,
        number
    )?;
    Ok(found.unwrap_or_default())
}

/// The request in the words of the business, the same whoever gets it.
async fn worded(
    conn: &mut impl AsConn,
    intake: &Intake<'_>,
    ask: &Ask,
    (partner, way): (&Partner, Channel),
    (wording, key): (template::Kind, &str),
) -> Result<Outcome> {
    let org = &intake.profile.org;
    let link = link::in_force(&mut *conn, org.id, link::Kind::Review, ask.id.0).await?;
    // One that is only looked at has none yet.
    let address = link.map_or_else(|| intake.public_url.join("/r/…"), |id| address(intake, id));
    let crew = match ask.job_id {
        Some(job) => {
            let sql = "SELECT crew_id FROM job WHERE org_id = $1 AND id = $2";
            let crew = q!(&mut *conn, fetch_optional scalar Option<CrewId>, sql, org.id, job)?.flatten();
            crew::name(conn, org.id, crew).await?
        }
        None => None,
    };
    let variables = Variables { review_link: Some(address.clone()), crew_name: crew, ..partner.variables(intake) };
    let mut to = partner.clone();
    if way == Channel::Email {
        to.no_text = Some("it goes by email");
    }
    let words = say::Words {
        rule: RULE,
        why: "the work is done, and everybody is asked",
        wording,
        kind: message::Kind::ReviewRequest,
        subject: &subject(&org.name, partner.language),
        key,
    };
    let mut decision = say::to(intake, &to, words, &variables)?;
    let page = decision.message.as_mut().and_then(|draft| draft.page.as_mut());
    if let Some(page) = page {
        page.leave = Some((leave(partner.language).to_owned(), format!("{address}/stop")));
    }
    Ok(Outcome::Say(Box::new(decision)))
}

fn address(intake: &Intake<'_>, id: LinkId) -> String {
    intake.public_url.join(&link::path(intake.secret, id, link::Kind::Review))
}

fn subject(business: &str, language: Language) -> String {
    match language {
        Language::En => format!("Would you review {business}?"),
        Language::Es => format!("¿Nos deja una reseña? {business}"),
    }
}

fn leave(language: Language) -> &'static str {
    match language {
        Language::En => "No more such emails",
        Language::Es => "No quiero más correos como este",
    }
}

/// A message of a sequence.
#[derive(FromRow)]
struct Part {
    about_id: Option<uuid::Uuid>,
    channel: Channel,
    sent_at: Option<DateTime<Utc>>,
}

async fn part(conn: &mut impl AsConn, org: OrgId, id: MessageId) -> Result<Option<(ReviewAskId, Part)>> {
    let sql = "SELECT about_id, channel, sent_at FROM message WHERE org_id = $1 AND id = $2";
    let found = q!(conn, fetch_optional as Part, sql, org, id)?;
    Ok(found.and_then(|part| Some((ReviewAskId(part.about_id?), part))))
}

/// A request has left. With the first one they are asked, and what follows it is planned.
pub(crate) async fn left(tx: &mut Tx, origin: &Origin, org: OrgId, message: MessageId) -> Result<()> {
    let Some((id, part)) = part(&mut *tx, org, message).await? else { return Ok(()) };
    let asked_at = part.sent_at.unwrap_or(origin.now());
    let asked = q!(
        &mut *tx,
        fetch_optional scalar State,
        "UPDATE review_ask SET asked_at = $3, channel = $4,
             state = CASE state WHEN 'waiting' THEN 'asked' WHEN 'not_asked' THEN 'stopped' ELSE state END
         WHERE org_id = $1 AND id = $2 AND asked_at IS NULL RETURNING state",
        org,
        id,
        asked_at,
        part.channel
    )?;
    let (Some(state), Some(ask)) = (asked, ask::find(&mut *tx, org, id).await?) else { return Ok(()) };
    if state == State::Asked {
        plan_the_rest(&mut *tx, origin, org, &ask, asked_at).await?;
    }
    ask::announce(tx, origin, org, &ask).await
}

async fn plan_the_rest(tx: &mut Tx, origin: &Origin, org: OrgId, ask: &Ask, asked_at: DateTime<Utc>) -> Result<()> {
    let Some(business) = org::find(&mut *tx, org).await? else { return Ok(()) };
    let profile = org::profile(&mut *tx, business).await?;
    if !profile.settings.reviews.follow_ups {
        return Ok(());
    }
    let mut steps = Vec::new();
    for (turn, after) in Turn::AFTER {
        let due_at = ask::decent_hour(&mut *tx, &profile, ask, asked_at + after).await?;
        steps.push(Planned { step: Step::Review(turn), due_at, give_up_at: due_at + WORTH_IT });
    }
    ask::steps(tx, origin, org, ask, &steps, None).await
}

/// A request did not leave. Where it was the first, and a text, an email is tried; else they were not asked.
pub(crate) async fn failed(tx: &mut Tx, origin: &Origin, message: &Outgoing, reason: &str) -> Result<()> {
    let org = message.org_id;
    let Some((id, _)) = part(&mut *tx, org, message.id).await? else { return Ok(()) };
    let Some(ask) = ask::find(&mut *tx, org, id).await? else { return Ok(()) };
    if ask.state != State::Waiting {
        return Ok(());
    }
    if message.channel == Channel::Email {
        ask::end(tx, origin, org, id, (Why::NotSent, Some(reason)), None).await?;
        return Ok(());
    }
    let sql = "UPDATE review_ask SET no_text_why = $3 WHERE org_id = $1 AND id = $2";
    q!(&mut *tx, execute, sql, org, id, reason)?;
    let Some(business) = org::find(&mut *tx, org).await? else { return Ok(()) };
    let profile = org::profile(&mut *tx, business).await?;
    ask::plan(tx, origin, &profile, id, origin.now(), None).await
}

/// A person took back what waited: that is the end of it.
pub(crate) async fn cancelled(tx: &mut Tx, origin: &Origin, org: OrgId, message: MessageId) -> Result<()> {
    let Some((id, _)) = part(&mut *tx, org, message).await? else { return Ok(()) };
    ask::end(tx, origin, org, id, (Why::ByHand, None), None).await.map(|_| ())
}
