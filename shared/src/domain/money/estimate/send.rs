//! The rule that brings an estimate to its customer: the email that carries the paper, and the text with its link.

use serde::{Deserialize, Serialize};
use sqlx::types::Json;
use utoipa::ToSchema;

use super::{
    Sort, Status,
    content::{Asker, Content, Ways},
    estimate_kind::Happened,
    follow_up,
};
use crate::{
    domain::{
        intake::lead::Intake,
        messaging::{
            automation::{Decision, carry_out},
            conversation::{self, Moved},
            followup,
            message::{
                self, Channel,
                outlook::{self, Outlook},
                send_policy::SetUp,
            },
            opt_out::store as opt_out,
        },
        work::activity::{self, Doer, NewEvent},
    },
    platform::{
        clock::Origin,
        db::{AsConn, Tx, q},
        error::{Error, Result},
        id::{EstimateId, EventId, FileId, JobId, MessageId, OrgId},
        money::Cents,
    },
};

mod rule;

use rule::{Facts, estimate_sent};

/// What became of one sending: kept with its event, so that it can be told again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PaperSending)]
pub struct Delivery {
    pub sent: Vec<SentBy>,
    pub not_sent: Vec<NotSentBy>,
}

/// A message that was queued.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SentBy {
    pub channel: Channel,
    pub message_id: MessageId,
    pub to: String,
    /// What becomes of it, as the gate decides now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outlook: Option<Outlook>,
}

impl Delivery {
    /// Each message with its way.
    pub(crate) fn messages(&self) -> Vec<(Channel, MessageId)> {
        self.sent.iter().map(|sent| (sent.channel, sent.message_id)).collect()
    }

    /// The same with what becomes of each message: a text that is held is not sent, nor is an email that stands as a
    /// file.
    pub async fn foreseen(mut self, conn: &mut dyn AsConn, origin: &Origin, set_up: SetUp, org: OrgId) -> Result<Self> {
        for sent in &mut self.sent {
            sent.outlook = outlook::of(&mut *conn, origin, set_up, org, sent.message_id).await?;
        }
        Ok(self)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NotSentBy {
    pub channel: Channel,
    /// In plain words.
    pub reason: String,
}

/// One estimate on its way to its customer.
pub(super) struct Parcel<'a> {
    pub asker: &'a Asker,
    pub sort: Sort,
    /// The job that a change order changes.
    pub job: Option<JobId>,
    pub id: EstimateId,
    pub number: &'a str,
    pub version: i64,
    pub total: Cents,
    /// What the job comes to with a change order.
    pub job_total: Option<Cents>,
    pub file: FileId,
    pub link: String,
    pub ways: Ways,
}

/// Sends it: the decisions with their messages, the event, and what follows for the conversation. Nothing is sent
/// where no way is open; the event says so.
pub(super) async fn deliver(
    tx: &mut Tx,
    house: &Intake<'_>,
    parcel: &Parcel<'_>,
    turn: &str,
    by: &Doer,
) -> Result<Delivery> {
    let (origin, org) = (house.origin, house.profile.org.id);
    let mut decisions = decide(tx, house, parcel, turn).await?;
    let event = record(tx, house, parcel, &decisions, by).await?;
    for draft in decisions.iter_mut().filter_map(|decision| decision.message.as_mut()) {
        draft.event = Some(event);
    }
    let not_sent = decisions.iter().filter_map(refused).collect();
    let words = decisions.iter().rev().find_map(|decision| Some(decision.message.as_ref()?.body.clone()));
    let happened = parcel.sort.say("estimate_sent", "change_order_sent");
    carry_out(tx, origin, org, parcel.asker.lead, happened, decisions).await?;
    let sent = sent_with(&mut *tx, org, event).await?;
    if let Some(words) = words.filter(|_| !sent.is_empty()) {
        let (customer, lead) = (parcel.asker.customer, Some(parcel.asker.lead));
        conversation::note(tx, origin, org, customer, lead, Moved::Out, &words).await?;
        match parcel.sort {
            Sort::Estimate => message::stop_rules(tx, origin, org, customer, "an estimate was sent").await?,
            // Several wait beside each other: each is asked about.
            Sort::ChangeOrder => {
                let why = "the change order was sent";
                message::stop_answers(tx, origin, org, customer, why).await?;
                followup::stop(tx, origin, org, parcel.id.0, why, None).await?;
            }
        }
        follow_up::plan(&mut *tx, house, parcel.sort.about(), (parcel.asker.lead, parcel.id), event).await?;
        q!(
            tx,
            execute,
            "UPDATE estimate SET sent_at = $3 WHERE org_id = $1 AND id = $2",
            org,
            parcel.id,
            origin.now()
        )?;
    }
    Ok(Delivery { sent, not_sent })
}

async fn decide(tx: &mut Tx, house: &Intake<'_>, parcel: &Parcel<'_>, turn: &str) -> Result<Vec<Decision>> {
    let (asker, org) = (parcel.asker, house.profile.org.id);
    let phone = asker.phone();
    let number = phone.as_ref().map_or("", |phone| phone.as_e164());
    let standing = conversation::standing(&mut *tx, org, asker.customer, phone.as_ref(), house.origin.now()).await?;
    let sql = "SELECT content FROM estimate WHERE org_id = $1 AND id = $2";
    let Json(content) = q!(&mut *tx, fetch_one scalar Json<Content>, sql, org, parcel.id)?;
    estimate_sent(&Facts {
        profile: house.profile,
        asker,
        sort: parcel.sort,
        id: parcel.id,
        number: parcel.number,
        between: content.paper.between(),
        job_total: parcel.job_total,
        file: parcel.file,
        link: &parcel.link,
        ways: parcel.ways,
        turn,
        opted_out: opt_out::find(tx, org, Channel::Sms, number).await?.map(|out| out.state),
        cannot_be_texted: standing.no_sms_since.is_some(),
        texts_leave: house.set_up.sms,
    })
}

/// Why it did not go this way; none when it did.
fn refused(decision: &Decision) -> Option<NotSentBy> {
    let reason = decision.message.is_none().then(|| decision.reason.clone())?;
    Some(NotSentBy { channel: decision.channel?, reason })
}

/// What the lead's story says of it.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Told {
    number: String,
    version: i64,
    total: Cents,
    /// By which ways it went out.
    channels: Vec<Channel>,
    not_sent: Vec<NotSentBy>,
}

async fn record(
    tx: &mut Tx,
    house: &Intake<'_>,
    parcel: &Parcel<'_>,
    decisions: &[Decision],
    by: &Doer,
) -> Result<EventId> {
    let sent = decisions.iter().filter(|decision| decision.message.is_some());
    let told = Told {
        number: parcel.number.to_owned(),
        version: parcel.version,
        total: parcel.total,
        channels: sent.filter_map(|decision| decision.channel).collect(),
        not_sent: decisions.iter().filter_map(refused).collect(),
    };
    let detail = serde_json::to_value(&told).map_err(|e| Error::Internal(format!("the event of a sending: {e}")))?;
    let now = house.origin.now();
    let event = NewEvent {
        job: parcel.job,
        subject: Some(parcel.id.0),
        detail,
        ..NewEvent::new(parcel.asker.lead, parcel.sort.event(Happened::Sent), now, by.clone())
    };
    activity::record(tx, house.origin, house.profile.org.id, event).await
}

async fn sent_with(conn: &mut dyn AsConn, org: OrgId, event: EventId) -> Result<Vec<SentBy>> {
    let rows = q!(
        conn,
        fetch_all as (Channel, MessageId, String),
        "SELECT channel, id, to_address FROM message WHERE org_id = $1 AND event_id = $2 ORDER BY channel",
        org,
        event
    )?;
    Ok(rows.into_iter().map(|(channel, message_id, to)| SentBy { channel, message_id, to, outlook: None }).collect())
}

/// How an estimate went out when it was finished: by which ways, and why not by the others.
pub async fn first_delivery(conn: &mut dyn AsConn, org: OrgId, id: EstimateId) -> Result<Delivery> {
    let event = q!(
        &mut *conn,
        fetch_optional as (EventId, Json<Told>),
        "SELECT id, detail FROM work_event WHERE org_id = $1 AND subject_id = $2
             AND kind IN ('estimate_sent', 'change_order_sent') ORDER BY recorded_at, id LIMIT 1",
        org,
        id
    )?;
    let Some((event, Json(told))) = event else { return Ok(Delivery::default()) };
    Ok(Delivery { not_sent: told.not_sent, sent: sent_with(conn, org, event).await? })
}

/// # Errors
/// [`Error::Conflict`] with why it cannot be sent.
pub(super) fn may_be_sent(sort: Sort, status: Status) -> Result<()> {
    use Status::{Approved, Declined, Expired, Open, Preparing, Replaced, Superseded, Withdrawn};
    Err(Error::Conflict(match status {
        Open => return Ok(()),
        Preparing => "It is being made right now. Please try again in a moment.",
        Expired => "It has expired. Make a new version of it instead.",
        Approved => "It has been approved already.",
        Declined => "It was declined. Make a new version of it instead.",
        Replaced | Superseded => "A newer version of it was made.",
        Withdrawn => sort.say(
            "It was withdrawn. Make a new estimate instead.",
            "It was withdrawn. Make a new change order instead.",
        ),
    }))
}
