//! The ways by which the people of a business hear of a new request, and from when on one of them reaches somebody.
//!
//! Words to customers promise an answer by a clock. No such time may pass before somebody of the business could have been
//! told, so what promises one asks here first ([`told_from`]). A screen shows the same list ([`of`]). Whether a text or an
//! email would leave is asked of the gate itself.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use super::due;
use crate::{
    domain::{
        messaging::{
            message::{
                Channel, Kind,
                send_budget::Spent,
                send_policy::{self, Facts, SetUp, Verdict},
            },
            opt_out,
        },
        tenancy::{
            org::{Profile, Recipient},
            trust_level::{Addressed, Trust},
        },
    },
    platform::{
        clock::Origin,
        contact_hours::Class,
        db::{AsConn, q},
        error::Result,
        id::{DEMO_ORG, OrgId},
    },
};

/// Why no device is told.
const NO_DEVICE: &str = "no device of the owner or the office has alerts on";
const INTAKE_OFF: &str = "lead intake is switched off";

/// How somebody is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = AlertWayKind)]
pub enum By {
    Push,
    Sms,
    Email,
}

/// One way, as the settings show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AlertWay)]
pub struct Way {
    pub by: By,
    /// The number or address; null for devices.
    pub to: Option<String>,
    /// From when on a request of this minute reaches somebody; null when it reaches nobody.
    pub from: Option<DateTime<Utc>>,
    /// A clause: why it reaches nobody, or not before then.
    pub why: Option<String>,
}

/// The ways by which a business is told of a request that comes in now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AlertWays)]
pub struct Ways {
    pub ways: Vec<Way>,
    /// The earliest of them. Null when none is on: then customers are promised no time.
    pub told_from: Option<DateTime<Utc>>,
}

/// Every way of a business, for its settings.
pub async fn of(conn: &mut dyn AsConn, origin: &Origin, profile: &Profile, set_up: SetUp) -> Result<Ways> {
    let mut ways = vec![devices(origin, profile)];
    for recipient in &profile.recipients {
        ways.push(written(&mut *conn, origin, profile, set_up, recipient).await?);
    }
    let told_from = ways.iter().filter_map(|way| way.from).min();
    Ok(Ways { ways, told_from })
}

/// From when on somebody of the business could have been told of a request that comes in now; none when no way is on.
pub async fn told_from(
    conn: &mut dyn AsConn,
    origin: &Origin,
    profile: &Profile,
    set_up: SetUp,
) -> Result<Option<DateTime<Utc>>> {
    let now = origin.now();
    // The firm of the demonstration works, although nothing leaves it.
    if profile.org.id == DEMO_ORG {
        return Ok(Some(now));
    }
    let mut earliest = devices(origin, profile).from;
    for recipient in &profile.recipients {
        if earliest == Some(now) {
            break;
        }
        let way = written(&mut *conn, origin, profile, set_up, recipient).await?;
        earliest = earliest.into_iter().chain(way.from).min();
    }
    Ok(earliest)
}

/// Devices are told at once: each phone has its own quiet hours.
fn devices(origin: &Origin, profile: &Profile) -> Way {
    let why = if !profile.switches.lead_intake {
        Some(INTAKE_OFF)
    } else if profile.reaches_office {
        None
    } else {
        Some(NO_DEVICE)
    };
    let from = why.is_none().then(|| origin.now());
    Way { by: By::Push, to: None, from, why: why.map(ToOwned::to_owned) }
}

/// A text or an email to somebody on the list, at the time that frequency and schedule give it.
async fn written(
    conn: &mut dyn AsConn,
    origin: &Origin,
    profile: &Profile,
    set_up: SetUp,
    to: &Recipient,
) -> Result<Way> {
    let due = due::due(&profile.settings, profile.org.zone(), false, origin.now());
    let at = due.at(origin.now());
    let known = Known::of(conn, profile.org.id, set_up, to, at).await?;
    let (from, refused) = match send_policy::may_send(&known.facts(profile, to, at), set_up, at).0 {
        Verdict::Yes { .. } => (Some(at), None),
        Verdict::Hold { until, why } => (Some(until.max(at)), Some(why)),
        Verdict::Wait(until) => (Some(until.max(at)), Some("the provider takes nothing from us until then".to_owned())),
        Verdict::No(why) => (None, Some(why)),
        Verdict::TooLate => (None, Some("it would come too late".to_owned())),
    };
    let kept = match due {
        due::Due::Later { why, .. } => Some(why),
        due::Due::Now => None,
    };
    let by = if to.channel == Channel::Sms { By::Sms } else { By::Email };
    Ok(Way { by, to: Some(to.address.clone()), from, why: refused.or(kept) })
}

/// What the gate has to know of one recipient.
struct Known {
    opted_out: Option<opt_out::store::State>,
    paused_until: Option<DateTime<Utc>>,
    trust: Trust,
}

impl Known {
    async fn of(conn: &mut dyn AsConn, org: OrgId, set_up: SetUp, to: &Recipient, at: DateTime<Utc>) -> Result<Self> {
        let (opted_out, addressed) = match to.channel {
            Channel::Sms => (opt_out::store::find(&mut *conn, org, to.channel, &to.address).await?, Addressed::Text),
            Channel::Email => (None, Addressed::Email { address: &to.address, is_about_account: false }),
        };
        let trust = Trust::of(&mut *conn, (org, set_up.takes_money), addressed, false, at).await?;
        let sql = "SELECT MAX(until) FROM channel_pause WHERE channel IN ($1, $1 || '_account')";
        let paused_until = q!(conn, fetch_one scalar Option<DateTime<Utc>>, sql, to.channel)?;
        Ok(Self { opted_out: opted_out.map(|out| out.state), paused_until, trust })
    }

    /// Of a notice to the people of a business that is written at `at`.
    fn facts<'a>(&self, profile: &'a Profile, to: &'a Recipient, at: DateTime<Utc>) -> Facts<'a> {
        use opt_out::store::State;
        Facts {
            channel: to.channel,
            kind: Kind::OwnerNotice,
            to: &to.address,
            class: Class::Informational,
            created_at: at,
            deadline_at: at + Kind::OwnerNotice.worth_sending_for(to.channel),
            switches: profile.switches,
            sending: &profile.settings.sending,
            opted_out: self.opted_out.and_then(|state| match state {
                State::Stopped => Some("stopped"),
                State::Paused => Some("paused"),
                State::Lifted => None,
            }),
            is_on_file: true,
            is_blocked: false,
            cannot_be_texted: false,
            zip: None,
            agreed_to_offers: false,
            promotional_in_a_day: 0,
            spent: Spent::default(),
            has_written: false,
            by_form: false,
            by_booking: false,
            last_in_at: None,
            last_wrote_at: None,
            last_by_person_at: None,
            paused_until: self.paused_until,
            ask_ended: None,
            ended: None,
            has_its_hour: Kind::OwnerNotice.has_its_hour(),
            has_sender: profile.org.has_sender(),
            is_demo: profile.org.id == DEMO_ORG,
            reads_only: false,
            trust: self.trust,
        }
    }
}
