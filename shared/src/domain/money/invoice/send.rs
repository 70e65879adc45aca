//! The rule that brings an invoice to its customer: the email that carries the paper, and the text with its link.

use serde::{Deserialize, Serialize};
use serde_json::json;
use sqlx::types::Json;

use super::row::Row;
use crate::{
    documents::{
        date_format,
        template::{self, Language, Page, Variables},
    },
    domain::{
        intake::lead::Intake,
        messaging::{
            automation::{Decision, Draft, carry_out, not_sent, sends},
            conversation::{self, Moved},
            followup::compose::{self, Partner},
            message::{self, Channel, Kind},
        },
        money::estimate::{
            Delivery,
            content::Ways,
            send::{NotSentBy, SentBy},
        },
        work::activity::{self, Doer, EventKind, NewEvent},
    },
    platform::{
        access_link,
        db::{AsConn, Tx, q},
        error::{Error, Result},
        id::{EventId, FileId, InvoiceId, JobId, LeadId, MessageId, OrgId},
        money::Cents,
    },
};

const RULE: &str = "invoice_delivery";
const EVENT: &str = "invoice_sent";

/// One invoice on its way to its customer.
pub(super) struct Parcel {
    partner: Partner,
    id: InvoiceId,
    lead: LeadId,
    job: Option<JobId>,
    number: String,
    total: Cents,
    /// What is still to be paid.
    balance: Cents,
    due: Option<String>,
    file: FileId,
    /// Where it is read and paid.
    address: String,
    ways: Ways,
}

impl Parcel {
    /// Its address is made anew when it was taken back.
    pub async fn of(tx: &mut Tx, house: &Intake<'_>, row: &Row, file: FileId, ways: Ways) -> Result<Self> {
        let org = house.profile.org.id;
        let partner = compose::partner(&mut *tx, house, row.lead).await?;
        let link = access_link::ensure(tx, house.origin, org, access_link::Kind::Invoice, row.id.0, None).await?;
        Ok(Self {
            id: row.id,
            lead: row.lead,
            job: row.job,
            number: row.shown().unwrap_or_default(),
            total: row.total_cents,
            balance: row.balance(),
            due: row.due_on.map(|day| date_format::spoken(day, partner.language)),
            file,
            address: house.public_url.join(&access_link::path(house.secret, link, access_link::Kind::Invoice)),
            ways,
            partner,
        })
    }

    fn variables(&self, house: &Intake<'_>) -> Variables {
        Variables {
            invoice_number: Some(self.number.clone()),
            amount: Some(self.balance).filter(|balance| *balance > Cents::ZERO),
            due_date: self.due.clone(),
            invoice_link: Some(self.address.clone()),
            ..self.partner.variables(house)
        }
    }
}

/// When an invoice is to go out: by email with the paper, and by text with the link, as far as somebody asked for it.
fn invoice_sent(house: &Intake<'_>, parcel: &Parcel, turn: &str) -> Result<Vec<Decision>> {
    let wanted = [(Channel::Email, parcel.ways.email), (Channel::Sms, parcel.ways.text)];
    wanted.into_iter().filter(|(_, wanted)| *wanted).map(|(channel, _)| one_way(house, parcel, turn, channel)).collect()
}

fn one_way(house: &Intake<'_>, parcel: &Parcel, turn: &str, channel: Channel) -> Result<Decision> {
    let partner = &parcel.partner;
    let (kind, name) = match channel {
        Channel::Email => (template::Kind::InvoiceEmail, "email"),
        Channel::Sms => (template::Kind::InvoiceText, "sms"),
    };
    let wording = house.profile.wording(kind, partner.language);
    let address = match channel {
        Channel::Email => partner.email.clone(),
        Channel::Sms => partner.phone.as_ref().map(|phone| phone.as_e164().to_owned()),
    };
    let saw = json!({
        "templateEnabled": wording.enabled, "hasAddress": address.is_some(), "language": partner.language,
        "noText": partner.no_text.filter(|_| channel == Channel::Sms), "isPaid": parcel.balance == Cents::ZERO,
    });
    let no = |why: &str| Ok(not_sent(RULE, channel, why, saw.clone()));
    let Some(to) = address else {
        let no_text = partner.no_text.unwrap_or("no phone number is known");
        return no(if channel == Channel::Sms { no_text } else { partner.no_email });
    };
    if !wording.enabled {
        return no("this template is switched off");
    }
    if channel == Channel::Sms {
        if parcel.balance == Cents::ZERO {
            return no("it is paid already");
        }
        if let Some(why) = partner.no_text {
            return no(why);
        }
    }
    let variables = parcel.variables(house);
    let said = template::render(kind, &wording, &variables)?;
    let is_email = channel == Channel::Email;
    // That of a text is kept for the email in its place, should the number take no texts.
    let page = Some(page(kind, &variables, &said.body));
    let key = format!("invoice:{}:{turn}:{name}", parcel.id);
    let draft = Draft {
        customer: Some(partner.customer),
        subject: said.subject,
        page,
        about: Some(parcel.id.0),
        files: vec![(parcel.file, is_email)],
        ..Draft::new(channel, Kind::Invoice, to, said.body, key)
    };
    Ok(sends(RULE, channel, "the invoice goes out", saw, draft))
}

/// The frame of the email, with a button beside the address in its words.
fn page(kind: template::Kind, variables: &Variables, body: &str) -> Page {
    let (language, business) = (variables.language, variables.business_name.as_str());
    let footer = match language {
        Language::En => format!("You get this email because {business} did work for you."),
        Language::Es => format!("Recibe este correo porque {business} trabajó para usted."),
    };
    let button = template::button(kind, variables, body);
    Page { button, footer, links: true, language: Some(language), ..Page::default() }
}

/// Sends it: the decisions with their messages, the event, and what follows for the conversation. Nothing is sent
/// where no way is open; the event says so.
pub(super) async fn deliver(
    tx: &mut Tx,
    house: &Intake<'_>,
    parcel: &Parcel,
    turn: &str,
    by: &Doer,
) -> Result<(Delivery, EventId)> {
    let (origin, org) = (house.origin, house.profile.org.id);
    let mut decisions = invoice_sent(house, parcel, turn)?;
    let event = record(tx, house, parcel, &decisions, by).await?;
    for draft in decisions.iter_mut().filter_map(|decision| decision.message.as_mut()) {
        draft.event = Some(event);
    }
    let not_sent = decisions.iter().filter_map(refused).collect();
    let words = decisions.iter().rev().find_map(|decision| Some(decision.message.as_ref()?.body.clone()));
    carry_out(tx, origin, org, parcel.lead, EVENT, decisions).await?;
    let sent = sent_with(&mut *tx, org, event).await?;
    if let Some(words) = words.filter(|_| !sent.is_empty()) {
        let (customer, lead) = (parcel.partner.customer, Some(parcel.lead));
        conversation::note(tx, origin, org, customer, lead, Moved::Out, &words).await?;
        message::stop_rules(tx, origin, org, customer, "an invoice was sent").await?;
        let sql = "UPDATE invoice SET sent_at = $3 WHERE org_id = $1 AND id = $2";
        q!(tx, execute, sql, org, parcel.id, origin.now())?;
    }
    Ok((Delivery { sent, not_sent }, event))
}

/// Why it did not go this way; none when it did.
fn refused(decision: &Decision) -> Option<NotSentBy> {
    let reason = decision.message.is_none().then(|| decision.reason.clone())?;
    Some(NotSentBy { channel: decision.channel?, reason })
}

/// What the story of the work says of it.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Told {
    number: String,
    total: Cents,
    /// By which ways it went out.
    channels: Vec<Channel>,
    not_sent: Vec<NotSentBy>,
}

async fn record(
    tx: &mut Tx,
    house: &Intake<'_>,
    parcel: &Parcel,
    decisions: &[Decision],
    by: &Doer,
) -> Result<EventId> {
    let sent = decisions.iter().filter(|decision| decision.message.is_some());
    let told = Told {
        number: parcel.number.clone(),
        total: parcel.total,
        channels: sent.filter_map(|decision| decision.channel).collect(),
        not_sent: decisions.iter().filter_map(refused).collect(),
    };
    let detail = serde_json::to_value(&told).map_err(|e| Error::Internal(format!("the event of a sending: {e}")))?;
    let event = NewEvent {
        job: parcel.job,
        subject: Some(parcel.id.0),
        detail,
        ..NewEvent::new(parcel.lead, EventKind::InvoiceSent, house.origin.now(), by.clone())
    };
    activity::record(tx, house.origin, house.profile.org.id, event).await
}

async fn sent_with(conn: &mut dyn AsConn, org: OrgId, event: EventId) -> Result<Vec<SentBy>> {
    let rows = q!(
        conn,
        fetch_all as (Channel, MessageId, String),
        "SELECT channel, id, to_address FROM message WHERE org_id = $1 AND event_id = $2 AND kind = 'invoice'
         ORDER BY channel",
        org,
        event
    )?;
    Ok(rows.into_iter().map(|(channel, message_id, to)| SentBy { channel, message_id, to, outlook: None }).collect())
}

/// How an invoice went out when it was issued: by which ways, and why not by the others.
pub async fn first_delivery(conn: &mut dyn AsConn, org: OrgId, id: InvoiceId) -> Result<Delivery> {
    let event = q!(
        &mut *conn,
        fetch_optional as (EventId, Json<Told>),
        "SELECT id, detail FROM work_event WHERE org_id = $1 AND lead_id = (SELECT lead_id FROM invoice
             WHERE org_id = $1 AND id = $2) AND subject_id = $2 AND kind = 'invoice_sent'
         ORDER BY recorded_at, id LIMIT 1",
        org,
        id
    )?;
    let Some((event, Json(told))) = event else { return Ok(Delivery::default()) };
    Ok(Delivery { not_sent: told.not_sent, sent: sent_with(conn, org, event).await? })
}
