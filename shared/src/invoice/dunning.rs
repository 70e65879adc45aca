//! Reminders of invoices: on days before and after the one they are due, at ten in the morning of the business, as long
//! as nothing speaks against it. Whether an invoice is reminded of is decided when it goes out, or ticked later: turning
//! reminders on chases nothing that was there before.

use chrono::{DateTime, Datelike as _, Days, NaiveDate, NaiveTime, TimeDelta, Utc};
use chrono_tz::Tz;
use serde::Serialize;
use serde_json::json;
use sqlx::{FromRow, types::Json};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{Status, announce, content::shown_number, row::Row as Invoice};
use crate::{
    automation::not_sent,
    calendar,
    checkout::chase,
    clock::Origin,
    db::{AsConn, Tx, q},
    error::{Error, Result},
    follow::{self, About, Decision, Due, Planned, Step, say},
    hours,
    id::{EventId, InvoiceId, LeadId, LinkId, OrgId},
    lead::Intake,
    link,
    message::{Channel, Kind},
    money::Cents,
    org::Profile,
    pipeline,
    template::{self, Language, Variables},
    thread,
};

const RULE: &str = "dunning";
/// The hours of the business between which they are reminded.
const FROM: NaiveTime = NaiveTime::from_hms_opt(10, 0, 0).expect("a time of the day");
const UNTIL: NaiveTime = NaiveTime::from_hms_opt(20, 30, 0).expect("a time of the day");
/// Who wrote or rang so lately is answered by a person, not by a reminder.
const IN_TOUCH: TimeDelta = TimeDelta::hours(48);
/// More than this nobody ticks.
const MOST_LISTED: i64 = 500;

/// "Dec 5", "el 5 dic".
#[must_use]
pub fn shown_day(day: NaiveDate, language: Language) -> String {
    let month = calendar::short_month(day, language);
    match language {
        Language::En => format!("{month} {}", day.day()),
        Language::Es => format!("el {} {month}", day.day()),
    }
}

/// When it is reminded of, and by how many days each is past the day it counts from.
#[derive(Clone, Copy, Debug)]
struct Calendar<'a> {
    due_on: NaiveDate,
    promised_on: Option<NaiveDate>,
    days: &'a [i64],
    zone: Tz,
}

impl Calendar<'_> {
    /// The reminders that are still to come on `today`. A promise counts in place of the day it is due, and nobody is
    /// reminded before it is broken.
    fn steps(&self, today: NaiveDate) -> Vec<Planned> {
        let moved = self.promised_on.filter(|promised| *promised > self.due_on);
        let from = moved.unwrap_or(self.due_on);
        let days = self.days.iter().filter(|day| moved.is_none() || **day > 0);
        let on = |day: &i64| Some((*day, from.checked_add_signed(TimeDelta::try_days(*day)?)?));
        let ahead = days.filter_map(on).filter(|(_, on)| *on > today && self.promised_on.is_none_or(|day| *on > day));
        ahead.map(|(day, on)| self.step(day, on)).collect()
    }

    /// The same for one that is ticked later: where all its days are over, it is reminded of once, at the next hour for
    /// it.
    fn ticked(&self, now: DateTime<Utc>) -> Vec<Planned> {
        let local = now.with_timezone(&self.zone);
        let steps = self.steps(local.date_naive());
        if !steps.is_empty() {
            return steps;
        }
        let next = if local.time() < FROM { local.date_naive() } else { local.date_naive() + Days::new(1) };
        if self.promised_on.is_some_and(|day| next <= day) {
            return Vec::new();
        }
        vec![self.step((next - self.due_on).num_days(), next)]
    }

    fn step(&self, day: i64, on: NaiveDate) -> Planned {
        let at = |time: NaiveTime| hours::instant(self.zone, on.and_time(time));
        Planned { step: Step::Due(day), due_at: at(FROM), give_up_at: at(UNTIL) }
    }
}

/// Plans the reminders of an invoice that has gone out; those of an earlier plan have been stopped.
pub(super) async fn plan(
    tx: &mut Tx,
    origin: &Origin,
    profile: &Profile,
    id: InvoiceId,
    event: Option<EventId>,
) -> Result<()> {
    let row = Invoice::get(&mut *tx, profile.org.id, id).await?;
    let Some(calendar) = calendar(profile, row.due_on, row.promised_on) else { return Ok(()) };
    let steps = calendar.steps(origin.now().with_timezone(&calendar.zone).date_naive());
    store(tx, origin, profile.org.id, &row, &steps, event).await
}

/// What was paid of an invoice went back, and it is open again: reminders do not resume by themselves, for who gave money
/// back does not chase it. It stands among those that can be ticked, unless what reminded of it was brought back as well.
pub(crate) async fn rest(tx: &mut Tx, org: OrgId, id: InvoiceId) -> Result<()> {
    let sql = "UPDATE invoice SET is_reminded = FALSE WHERE org_id = $1 AND id = $2 AND NOT EXISTS (SELECT 1
             FROM follow_up f WHERE f.org_id = $1 AND f.about_id = $2 AND f.state = 'waiting')";
    q!(tx, execute, sql, org, id)?;
    Ok(())
}

fn calendar(profile: &Profile, due_on: Option<NaiveDate>, promised_on: Option<NaiveDate>) -> Option<Calendar<'_>> {
    let (days, zone) = (&profile.settings.invoicing.dunning_days, profile.org.zone());
    Some(Calendar { due_on: due_on?, promised_on, days, zone })
}

async fn store(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    row: &Invoice,
    steps: &[Planned],
    event: Option<EventId>,
) -> Result<()> {
    let newest = "SELECT COALESCE(MAX(generation), 0) FROM follow_up WHERE org_id = $1 AND about_id = $2";
    let generation = q!(&mut *tx, fetch_one scalar i64, newest, org, row.id)? + 1;
    follow::plan(tx, origin, org, row.lead, About::Invoice, row.id.0, generation, steps, event).await
}

/// What the rule reads of an invoice.
#[derive(FromRow)]
struct Row {
    number: Option<i64>,
    content: Json<serde_json::Value>,
    status: Status,
    total_cents: Cents,
    paid_cents: Cents,
    due_on: Option<NaiveDate>,
    promised_on: Option<NaiveDate>,
    disputed_at: Option<DateTime<Utc>>,
    is_reminded: bool,
    link_id: Option<LinkId>,
}

async fn find(conn: &mut impl AsConn, org: OrgId, id: Uuid) -> Result<Option<Row>> {
    Ok(q!(
        conn,
        fetch_optional as Row,
        "SELECT i.number, i.content, i.status, i.total_cents, i.paid_cents, i.due_on, i.promised_on, i.disputed_at,
             i.is_reminded, k.id AS link_id
         FROM invoice i LEFT JOIN link k ON k.org_id = i.org_id AND k.kind = 'invoice' AND k.subject_id = i.id
             AND k.revoked_at IS NULL
         WHERE i.org_id = $1 AND i.id = $2",
        org,
        id
    )?)
}

impl Row {
    fn shown(&self) -> String {
        let prefix = self.content["prefix"].as_str().unwrap_or_default();
        self.number.map(|number| shown_number(prefix, number)).unwrap_or_default()
    }

    fn balance(&self) -> Cents {
        Cents((self.total_cents.0 - self.paid_cents.0).max(0))
    }

    /// Why nobody need be reminded on `day`.
    fn nothing_to_say(&self, day: NaiveDate, is_on: bool) -> Option<&'static str> {
        match self.status {
            Status::Open => {}
            Status::Paid => return Some("the invoice was paid"),
            Status::Void => return Some("the invoice was voided"),
            Status::Draft | Status::Preparing => return Some("the invoice has not gone out"),
        }
        if self.disputed_at.is_some() {
            return Some("the customer disputes it");
        }
        if self.promised_on.is_some_and(|promised| day <= promised) {
            return Some("they promised to pay, and that day is not over");
        }
        if !self.is_reminded {
            return Some("nobody decided that this invoice is reminded of");
        }
        (!is_on).then_some("reminders of invoices are switched off")
    }
}

/// When the day has come on which a customer is reminded of an invoice.
pub(crate) async fn invoice_due(conn: &mut impl AsConn, intake: &Intake<'_>, due: &Due) -> Result<Decision> {
    let Some(invoice) = find(&mut *conn, due.org_id, due.about_id).await? else {
        return Ok(Decision::Skip("the invoice is gone"));
    };
    // The day that it was planned for, also when it is only foreseen.
    let day = due.give_up_at.with_timezone(&intake.profile.org.zone()).date_naive();
    if let Some(why) = invoice.nothing_to_say(day, intake.profile.settings.invoicing.dunning) {
        return Ok(Decision::Skip(why));
    }
    if chase::is_asked(&mut *conn, due.org_id, due.about_id).await? {
        return Ok(Decision::Skip("their refused card is asked about every day"));
    }
    let partner = say::partner(&mut *conn, intake, due.lead_id).await?;
    let now = intake.origin.now();
    let standing = thread::standing(&mut *conn, due.org_id, partner.customer, None, now).await?;
    if standing.last_in_at.is_some_and(|at| at > due.created_at && now - at < IN_TOUCH) {
        return Ok(Decision::Skip("they wrote or rang within the last two days: answer them yourself"));
    }
    if !intake.profile.switches.job_tracking {
        let saw = json!({"switchJobTracking": false});
        return Ok(Decision::Say(vec![not_sent(RULE, Channel::Sms, "job tracking is switched off", saw)]));
    }
    let decided = reminder(intake, &partner, &invoice, day, &format!("follow:{}", due.id))?;
    Ok(Decision::Say(vec![decided]))
}

/// The reminder as it is said on `day`.
fn reminder(
    intake: &Intake<'_>,
    partner: &say::Partner,
    invoice: &Row,
    day: NaiveDate,
    key: &str,
) -> Result<crate::automation::Decision> {
    let (variables, subject) = words(intake, partner, invoice, day);
    let is_late = variables.days_overdue.is_some();
    let wording = wording(&variables);
    let why = if is_late { "the invoice is due and not paid" } else { "the invoice is due soon" };
    let words = say::Words { rule: RULE, why, wording, kind: Kind::Dunning, subject: &subject, key };
    say::to(intake, partner, words, &variables)
}

/// What a reminder may say, and what its email is about.
fn words(intake: &Intake<'_>, partner: &say::Partner, invoice: &Row, day: NaiveDate) -> (Variables, String) {
    let number = invoice.shown();
    let late = invoice.due_on.map_or(0, |due_on| (day - due_on).num_days());
    let path = invoice.link_id.map(|id| link::path(intake.secret, id, link::Kind::Invoice));
    let subject = match partner.language {
        Language::En => format!("Reminder: invoice {number} from {}", intake.profile.org.name),
        Language::Es => format!("Recordatorio: factura {number} de {}", intake.profile.org.name),
    };
    let variables = Variables {
        invoice_number: Some(number),
        amount: Some(invoice.balance()),
        days_overdue: u32::try_from(late).ok().filter(|days| *days > 0),
        due_date: invoice.due_on.map(|due_on| shown_day(due_on, partner.language)),
        invoice_link: path.map(|path| intake.public_url.join(&path)),
        ..partner.variables(intake)
    };
    (variables, subject)
}

/// What a person who reminds of an open invoice today would say: the wording, what it may say, and what its email is
/// about; none when it does not wait for payment.
pub(crate) async fn by_hand(
    conn: &mut impl AsConn,
    intake: &Intake<'_>,
    partner: &say::Partner,
    id: InvoiceId,
) -> Result<Option<(template::Kind, Variables, String)>> {
    let found = find(conn, intake.profile.org.id, id.0).await?.filter(|invoice| invoice.status == Status::Open);
    let Some(invoice) = found else { return Ok(None) };
    let today = intake.origin.now().with_timezone(&intake.profile.org.zone()).date_naive();
    let (variables, subject) = words(intake, partner, &invoice, today);
    Ok(Some((wording(&variables), variables, subject)))
}

fn wording(variables: &Variables) -> template::Kind {
    match variables.days_overdue {
        Some(_) => template::Kind::UnpaidInvoice,
        None => template::Kind::InvoiceDueSoon,
    }
}

/// What ticking an invoice would cause.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = InvoiceReminder)]
pub struct Reminder {
    pub invoice_id: InvoiceId,
    pub number: String,
    pub customer: String,
    /// What is still to be paid, in US dollars.
    pub balance: Cents,
    pub days_overdue: i64,
    /// When they would be reminded.
    pub dates: Vec<DateTime<Utc>>,
    /// The way the first reminder would go; null when none is open.
    pub channel: Option<Channel>,
    /// What the first would say; null when none would leave.
    pub text: Option<String>,
    /// Why none would leave.
    pub cannot: Option<String>,
}

#[derive(FromRow)]
struct Unticked {
    id: InvoiceId,
    lead_id: LeadId,
    customer: String,
}

/// The open invoices that nobody is reminded of, with what ticking each would cause.
pub async fn unticked(conn: &mut impl AsConn, intake: &Intake<'_>) -> Result<Vec<Reminder>> {
    let org = intake.profile.org.id;
    let rows = q!(
        &mut *conn,
        fetch_all as Unticked,
        "SELECT i.id, i.lead_id, c.name AS customer FROM invoice i
         JOIN customer c ON c.org_id = i.org_id AND c.id = i.customer_id
         WHERE i.org_id = $1 AND i.status = 'open' AND i.is_reminded = FALSE AND i.disputed_at IS NULL
         ORDER BY i.due_on, i.number LIMIT $2",
        org,
        MOST_LISTED
    )?;
    let mut reminders = Vec::with_capacity(rows.len());
    for row in rows {
        let Some(invoice) = find(&mut *conn, org, row.id.0).await? else { continue };
        reminders.push(foreseen(&mut *conn, intake, row, &invoice).await?);
    }
    Ok(reminders)
}

async fn foreseen(conn: &mut impl AsConn, intake: &Intake<'_>, row: Unticked, invoice: &Row) -> Result<Reminder> {
    let (now, zone) = (intake.origin.now(), intake.profile.org.zone());
    let today = now.with_timezone(&zone).date_naive();
    let calendar = calendar(intake.profile, invoice.due_on, invoice.promised_on);
    let steps = calendar.map(|calendar| calendar.ticked(now)).unwrap_or_default();
    let first = steps.first().map(|step| step.due_at.with_timezone(&zone).date_naive());
    let said = match first {
        Some(day) => {
            let partner = say::partner(conn, intake, row.lead_id).await?;
            Some(reminder(intake, &partner, invoice, day, "foreseen")?)
        }
        None => None,
    };
    let draft = said.as_ref().and_then(|said| said.message.as_ref());
    Ok(Reminder {
        invoice_id: row.id,
        number: invoice.shown(),
        customer: row.customer,
        balance: invoice.balance(),
        days_overdue: invoice.due_on.map_or(0, |due_on| (today - due_on).num_days().max(0)),
        dates: steps.iter().map(|step| step.due_at).collect(),
        channel: draft.map(|draft| draft.channel),
        text: draft.map(|draft| draft.body.clone()),
        cannot: said.as_ref().filter(|said| said.message.is_none()).map(|said| said.reason.clone()),
    })
}

/// Has these invoices reminded of from now on. Returns for how many of them something was planned; one that is reminded
/// of already is left as it is.
///
/// # Errors
/// [`Error::NotFound`] when the org has no such invoice, [`Error::Conflict`] when one does not wait for payment.
pub async fn tick(tx: &mut Tx, house: &Intake<'_>, ids: &[InvoiceId]) -> Result<usize> {
    let (origin, org) = (house.origin, house.profile.org.id);
    let mut planned = 0;
    let mut ids = ids.to_vec();
    ids.sort_unstable();
    ids.dedup();
    for id in ids {
        let lead = super::lead_of(&mut *tx, org, id).await?;
        pipeline::hold(tx, org, lead).await?;
        let row = Invoice::get(&mut *tx, org, id).await?;
        if row.status != Status::Open {
            return Err(Error::Conflict("One of these invoices does not wait for payment any more."));
        }
        if row.is_reminded {
            continue;
        }
        q!(&mut *tx, execute, "UPDATE invoice SET is_reminded = TRUE WHERE org_id = $1 AND id = $2", org, id)?;
        let calendar = calendar(house.profile, row.due_on, row.promised_on).filter(|_| row.disputed_at.is_none());
        let steps = calendar.map(|calendar| calendar.ticked(origin.now())).unwrap_or_default();
        store(tx, origin, org, &row, &steps, None).await?;
        planned += usize::from(!steps.is_empty());
        announce(tx, origin, org, id, lead).await?;
    }
    Ok(planned)
}

/// How many open invoices nobody is reminded of.
pub(crate) async fn count_unticked(conn: &mut impl AsConn, org: OrgId) -> Result<i64> {
    let sql = "SELECT COUNT(*) FROM invoice WHERE org_id = $1 AND status = 'open' AND is_reminded = FALSE";
    Ok(q!(conn, fetch_one scalar i64, sql, org)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(written: &str) -> NaiveDate {
        written.parse().unwrap()
    }

    fn dates(calendar: Calendar<'_>, today: &str) -> Vec<String> {
        let steps = calendar.steps(day(today));
        steps.iter().map(|step| format!("{} {}", step.step.name(), step.due_at.format("%m-%d %H:%M"))).collect()
    }

    const DAYS: [i64; 6] = [-3, 0, 3, 7, 14, 30];

    #[test]
    fn an_invoice_is_reminded_of_at_ten_on_its_days_whatever_the_clocks_do() {
        let zone = chrono_tz::America::Chicago;
        let calendar = Calendar { due_on: day("2026-10-31"), promised_on: None, days: &DAYS, zone };
        // The clocks go back on November 1st.
        let all = [
            "due_-3 10-28 15:00",
            "due_0 10-31 15:00",
            "due_3 11-03 16:00",
            "due_7 11-07 16:00",
            "due_14 11-14 16:00",
            "due_30 11-30 16:00",
        ];
        assert_eq!(dates(calendar, "2026-10-17"), all);
        assert_eq!(dates(calendar, "2026-10-28"), all[1..], "never on the day it goes out");
        assert_eq!(dates(calendar, "2026-12-24"), [""; 0]);
        let none = Calendar { days: &[], ..calendar };
        assert_eq!(dates(none, "2026-10-01"), [""; 0]);
    }

    #[test]
    fn a_promise_moves_the_reminders_behind_it() {
        let zone = chrono_tz::America::Chicago;
        let calendar = Calendar { due_on: day("2026-11-10"), promised_on: Some(day("2026-11-20")), days: &DAYS, zone };
        let moved = ["due_3 11-23 16:00", "due_7 11-27 16:00", "due_14 12-04 16:00", "due_30 12-20 16:00"];
        assert_eq!(dates(calendar, "2026-11-12"), moved);
        let early = Calendar { promised_on: Some(day("2026-11-08")), ..calendar };
        assert_eq!(dates(early, "2026-11-01")[0], "due_0 11-10 16:00", "before it is due it is still due then");
    }

    #[test]
    fn one_that_is_ticked_when_all_its_days_are_over_is_reminded_of_once_at_the_next_ten() {
        let zone = chrono_tz::America::Chicago;
        let calendar = Calendar { due_on: day("2026-09-01"), promised_on: None, days: &DAYS, zone };
        let at = |now: &str| {
            let steps = calendar.ticked(now.parse().unwrap());
            steps.iter().map(|step| format!("{} {}", step.step.name(), step.due_at.to_rfc3339())).collect::<Vec<_>>()
        };
        assert_eq!(at("2026-11-21T15:59:00Z"), ["due_81 2026-11-21T16:00:00+00:00"]);
        assert_eq!(at("2026-11-21T16:00:00Z"), ["due_82 2026-11-22T16:00:00+00:00"]);
        assert_eq!(at("2026-09-16T16:00:00Z"), ["due_30 2026-10-01T15:00:00+00:00"]);
    }

    fn open() -> Row {
        Row {
            number: Some(1001),
            content: Json(json!({"prefix": "INV-"})),
            status: Status::Open,
            total_cents: Cents(125_050),
            paid_cents: Cents(25_050),
            due_on: Some(day("2026-11-10")),
            promised_on: None,
            disputed_at: None,
            is_reminded: true,
            link_id: None,
        }
    }

    #[test]
    fn who_paid_promised_or_disputes_is_not_reminded() {
        let why = |row: Row| row.nothing_to_say(day("2026-11-13"), true);
        assert_eq!((why(open()), open().balance(), open().shown()), (None, Cents(100_000), "INV-1001".to_owned()));
        for status in Status::ALL.into_iter().filter(|status| *status != Status::Open) {
            assert!(why(Row { status, ..open() }).is_some(), "{status:?}");
        }
        assert!(why(Row { disputed_at: Some(DateTime::UNIX_EPOCH), ..open() }).is_some());
        assert!(why(Row { promised_on: Some(day("2026-11-13")), ..open() }).is_some());
        assert!(why(Row { promised_on: Some(day("2026-11-12")), ..open() }).is_none(), "broken");
        assert!(why(Row { is_reminded: false, ..open() }).is_some());
        assert!(open().nothing_to_say(day("2026-11-13"), false).is_some());
    }

    #[test]
    fn a_day_is_said_as_people_say_it() {
        assert_eq!(shown_day(day("2026-12-05"), Language::En), "Dec 5");
        assert_eq!(shown_day(day("2026-12-05"), Language::Es), "el 5 dic");
    }
}
