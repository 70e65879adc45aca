//! Notification channels of a business for a new request, and from when on each of them reaches a person.
//!
//! Wordings may promise customers a response time. It must not end before a person could have been notified, so rules
//! check [`reachable_from`] before promising one. A screen shows the same list ([`list_alert_channels`]). The send
//! policy itself decides whether a text or an email would be sent.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use super::notification_time;
use crate::{
    domain::{
        messaging::{
            message::{
                MessageKind,
                send_budget::SendBudgetUsage,
                send_policy::{self, SendContext, SendVerdict},
                send_readiness::SendReadiness,
            },
            opt_out,
        },
        tenancy::{
            org::{OrgProfile, SendChannels},
            trust_level::{MessageAddress, TrustContext},
        },
    },
    platform::{
        clock::ClockRng,
        contact_hours::ContactClass,
        db::AsConn,
        error::Result,
        id::{DEMO_ORG, OrgId},
        recipient::Recipient,
    },
};

const NO_DEVICE: &str = "no device of the owner or the office has alerts on";
const INTAKE_OFF: &str = "lead intake is switched off";

/// How a member is notified.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = AlertWayKind)]
pub enum AlertChannelKind {
    Push,
    Sms,
    Email,
}

/// One way, as the settings show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AlertWay)]
pub struct AlertChannel {
    pub by: AlertChannelKind,
    /// The number or address; null for devices.
    pub to: Option<String>,
    /// When a request of this minute reaches a person; null when no one is notified.
    pub from: Option<DateTime<Utc>>,
    /// A clause: why it reaches no one, or not before then.
    pub why: Option<String>,
}

/// The channels by which a business is notified of a request now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AlertWays)]
pub struct AlertChannels {
    pub ways: Vec<AlertChannel>,
    /// The earliest of them. Null when none is on: then customers are promised no time.
    pub told_from: Option<DateTime<Utc>>,
}

pub async fn list_alert_channels(
    conn: &mut dyn AsConn,
    origin: &ClockRng,
    profile: &OrgProfile,
    set_up: SendChannels,
) -> Result<AlertChannels> {
    let readiness = SendReadiness::load_for_org(&mut *conn, profile.org.id, origin.now()).await?;
    let mut ways = vec![push_channel(origin, profile)];
    for recipient in &profile.recipients {
        ways.push(recipient_channel(&mut *conn, origin, profile, (set_up, &readiness), recipient).await?);
    }
    let told_from = ways.iter().filter_map(|way| way.from).min();
    Ok(AlertChannels { ways, told_from })
}

/// Earliest time at which a person could learn of a request that arrives now; none when every channel is off.
pub async fn reachable_from(
    conn: &mut dyn AsConn,
    origin: &ClockRng,
    profile: &OrgProfile,
    set_up: SendChannels,
) -> Result<Option<DateTime<Utc>>> {
    let readiness = SendReadiness::load_for_org(&mut *conn, profile.org.id, origin.now()).await?;
    reachable_from_with(conn, origin, profile, set_up, &readiness).await
}

/// As [`reachable_from`], with what was read before.
pub(crate) async fn reachable_from_with(
    conn: &mut dyn AsConn,
    origin: &ClockRng,
    profile: &OrgProfile,
    set_up: SendChannels,
    readiness: &SendReadiness,
) -> Result<Option<DateTime<Utc>>> {
    let now = origin.now();
    // The demo business counts as notified, although nothing is sent from it.
    if profile.org.id == DEMO_ORG {
        return Ok(Some(now));
    }
    let mut earliest = push_channel(origin, profile).from;
    for recipient in &profile.recipients {
        if earliest == Some(now) {
            break;
        }
        let way = recipient_channel(&mut *conn, origin, profile, (set_up, readiness), recipient).await?;
        earliest = earliest.into_iter().chain(way.from).min();
    }
    Ok(earliest)
}

/// Devices are notified at once: each phone has its own quiet hours.
fn push_channel(origin: &ClockRng, profile: &OrgProfile) -> AlertChannel {
    let why = if !profile.switches.lead_intake {
        Some(INTAKE_OFF)
    } else if profile.reaches_office {
        None
    } else {
        Some(NO_DEVICE)
    };
    let from = why.is_none().then(|| origin.now());
    AlertChannel { by: AlertChannelKind::Push, to: None, from, why: why.map(ToOwned::to_owned) }
}

async fn recipient_channel(
    conn: &mut dyn AsConn,
    origin: &ClockRng,
    profile: &OrgProfile,
    (set_up, readiness): (SendChannels, &SendReadiness),
    to: &Recipient,
) -> Result<AlertChannel> {
    let due = notification_time::next_notify_at(&profile.settings, profile.org.zone(), false, origin.now());
    let at = due.to_instant(origin.now());
    let recipient = RecipientState::load(conn, profile.org.id, (set_up, readiness), to, at).await?;
    let (from, refused) = match send_policy::may_send(&recipient.send_context(profile, to, at), set_up, at).0 {
        SendVerdict::Yes { .. } => (Some(at), None),
        SendVerdict::HoldMessage { until, why } => (Some(until.max(at)), Some(why)),
        SendVerdict::Wait(until) => {
            (Some(until.max(at)), Some("the provider takes nothing from us until then".to_owned()))
        }
        SendVerdict::No(why) => (None, Some(why)),
        SendVerdict::TooLate => (None, Some("it would come too late".to_owned())),
    };
    let kept = match due {
        notification_time::NotificationTime::Later { kept, .. } => Some(kept.to_owned()),
        notification_time::NotificationTime::Now => None,
    };
    let by = if to.is_phone() { AlertChannelKind::Sms } else { AlertChannelKind::Email };
    Ok(AlertChannel { by, to: Some(to.to_string()), from, why: refused.or(kept) })
}

struct RecipientState {
    opted_out: Option<opt_out::store::OptOutState>,
    paused_until: Option<DateTime<Utc>>,
    trust: TrustContext,
}

impl RecipientState {
    async fn load(
        conn: &mut dyn AsConn,
        org: OrgId,
        (set_up, readiness): (SendChannels, &SendReadiness),
        to: &Recipient,
        at: DateTime<Utc>,
    ) -> Result<Self> {
        let opted_out = match to {
            Recipient::Phone(phone) => {
                opt_out::store::find_opt_out(&mut *conn, org, to.channel(), phone.as_e164()).await?
            }
            Recipient::Email(_) => None,
        };
        let (addressed, money) = (MessageAddress::of_recipient(to, false), (org, set_up.takes_money));
        let trust = TrustContext::load_at_level(conn, readiness.level, money, addressed, None, at).await?;
        let paused_until = readiness.paused_until(to.channel());
        Ok(Self { opted_out: opted_out.map(|out| out.state), paused_until, trust })
    }

    fn send_context<'a>(&self, profile: &'a OrgProfile, to: &'a Recipient, at: DateTime<Utc>) -> SendContext<'a> {
        use opt_out::store::OptOutState;
        SendContext {
            kind: MessageKind::OwnerNotice,
            to,
            class: ContactClass::Informational,
            created_at: at,
            deadline_at: at + MessageKind::OwnerNotice.max_age(to.channel()),
            switches: profile.switches,
            sending: &profile.settings.sending,
            opted_out: self.opted_out.and_then(|state| match state {
                OptOutState::Stopped => Some("stopped"),
                OptOutState::Paused => Some("paused"),
                OptOutState::Lifted => None,
            }),
            is_on_file: true,
            is_blocked: false,
            cannot_be_texted: false,
            zip: None,
            agreed_to_offers: false,
            promotional_in_a_day: 0,
            spent: SendBudgetUsage::default(),
            has_written: false,
            by_form: false,
            by_booking: false,
            last_in_at: None,
            last_wrote_at: None,
            last_by_person_at: None,
            paused_until: self.paused_until,
            ask_ended: None,
            ended: None,
            has_its_hour: MessageKind::OwnerNotice.expires_after_contact_hours(),
            has_sender: profile.org.has_sender(),
            is_demo: profile.org.id == DEMO_ORG,
            reads_only: false,
            trust: self.trust,
        }
    }
}
