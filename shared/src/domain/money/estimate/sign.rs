//! The signed copy: the estimate as it was shown with the page that proves the approval, for the customer and for the
//! business. It is drawn after the approval is stored, with no transaction open, and goes out once.

use std::collections::BTreeSet;

use chrono::{DateTime, NaiveDate, Utc};
use serde_json::{Value, json};
use sqlx::{FromRow, types::Json};

use super::{
    Sort,
    approve::Strokes,
    content::{Asker, Content, asker},
    draw::{logo, off_thread},
    estimate_kind::Wording,
};
use crate::{
    documents::{
        line_items::Selection,
        pdf::{self, ApprovalPage, Signature},
        template::{self, Language, Page, Variables},
    },
    domain::{
        intake::lead::Intake,
        messaging::{
            automation::{self, Decision, Draft, not_sent, sends},
            message::{Channel, Kind},
        },
        tenancy::org::Profile,
        work::{
            file::{self, Category, NewFile},
            pipeline,
        },
    },
    platform::{
        access_link,
        db::{AsConn, Tx, q},
        error::{Error, Result},
        id::{EstimateId, FileId, JobId, LeadId, OrgId},
        live::{self, Topic},
        money::Cents,
        storage::Storage,
    },
};

const RULE: &str = "signed_copy";

/// What the rule room is told of.
fn event(sort: Sort) -> &'static str {
    sort.say("estimate_approved", "change_order_approved")
}

fn why(sort: Sort) -> &'static str {
    sort.say("the customer approved the estimate", "the customer approved the change order")
}

/// An approval whose copy is still to be made.
#[derive(Clone, Debug)]
pub struct Uncopied {
    id: EstimateId,
    lead: LeadId,
    /// The job that a change order changes.
    job: Option<JobId>,
    content: Content,
    days: (NaiveDate, Option<NaiveDate>),
    page: ApprovalPage,
    total: Cents,
}

/// A signed copy that lies in the file store.
#[derive(Clone, Debug)]
pub struct Copy {
    of: Uncopied,
    file: NewFile,
}

#[derive(FromRow)]
struct Row {
    lead_id: LeadId,
    job_id: Option<JobId>,
    content: Json<Content>,
    issued_on: NaiveDate,
    expires_on: Option<NaiveDate>,
    at: DateTime<Utc>,
    name: String,
    strokes: Option<Json<Strokes>>,
    ip: Option<String>,
    user_agent: Option<String>,
    option_id: Option<String>,
    add_ons: Json<BTreeSet<String>>,
    total_cents: Cents,
    pdf_sha256: Vec<u8>,
    wording: String,
}

/// The org of an approval whose copy is still to be made, for who knows only its estimate.
pub async fn org_of(conn: &mut dyn AsConn, id: EstimateId) -> Result<Option<OrgId>> {
    let sql = "SELECT org_id FROM approval WHERE estimate_id = $1 AND file_id IS NULL";
    Ok(q!(conn, fetch_optional scalar OrgId, sql, id)?)
}

/// What is to be drawn; none when the copy is made.
pub async fn uncopied(conn: &mut dyn AsConn, profile: &Profile, id: EstimateId) -> Result<Option<Uncopied>> {
    let found = q!(
        conn,
        fetch_optional as Row,
        "SELECT e.lead_id, e.job_id, e.content, e.issued_on, e.expires_on, a.at, a.name, a.strokes, a.ip, a.user_agent,
             a.option_id, a.add_ons, a.total_cents, a.pdf_sha256, a.wording
         FROM approval a JOIN estimate e ON e.org_id = a.org_id AND e.id = a.estimate_id
         WHERE a.org_id = $1 AND a.estimate_id = $2 AND a.file_id IS NULL",
        profile.org.id,
        id
    )?;
    found.map(|row| row.read(profile, id)).transpose()
}

impl Row {
    fn read(self, profile: &Profile, id: EstimateId) -> Result<Uncopied> {
        let sha256 = <[u8; 32]>::try_from(self.pdf_sha256)
            .map_err(|_| Error::Internal(format!("the approval of estimate {id} names no file")))?;
        let signature = self.strokes.map_or(Signature::Typed, |Json(strokes)| Signature::Drawn(strokes));
        let page = ApprovalPage {
            name: self.name,
            signature,
            at: self.at,
            zone: profile.org.zone(),
            ip: self.ip,
            user_agent: self.user_agent,
            wording: self.wording,
            selection: Selection { option_id: self.option_id, add_ons: self.add_ons.0 },
            sha256,
        };
        let days = (self.issued_on, self.expires_on);
        let (lead, job) = (self.lead_id, self.job_id);
        Ok(Uncopied { id, lead, job, content: self.content.0, days, page, total: self.total_cents })
    }
}

/// Draws the copy and puts it into the store.
///
/// # Errors
/// [`Error::StorageFull`] or [`Error::Unavailable`]: the task tries again.
pub async fn draw_copy(storage: &Storage, house: &Intake<'_>, of: Uncopied) -> Result<Copy> {
    let picture = logo(storage, of.content.from.logo_key.as_deref()).await?;
    let address = house.public_url.join(&access_link::path(house.secret, of.content.link, access_link::Kind::Estimate));
    let (paper, page) = (of.content.clone().drawn(of.days, picture, address), of.page.clone());
    let bytes = off_thread(move || pdf::signed(&paper, &page)).await?;
    let name = file_name(&of.content);
    let file = NewFile::paper(house.origin, house.profile.org.id, of.lead, Category::Estimate, &name, &bytes);
    let file = NewFile { job: of.job, ..file };
    storage.put(&file.full_key, &bytes).await?;
    Ok(Copy { of, file })
}

/// `Ann Lee - Estimate EST-1001 - signed.pdf`.
fn file_name(content: &Content) -> String {
    format!("{} - signed.pdf", content.file_name().trim_end_matches(".pdf"))
}

/// Keeps the copy and sends it to both sides. True when this call did it; run again it does nothing.
pub async fn hand_out(tx: &mut Tx, house: &Intake<'_>, copy: Copy) -> Result<bool> {
    let (origin, org, id, lead) = (house.origin, house.profile.org.id, copy.of.id, copy.of.lead);
    pipeline::hold(tx, org, lead).await?;
    let open = "SELECT EXISTS (SELECT 1 FROM approval WHERE org_id = $1 AND estimate_id = $2 AND file_id IS NULL)";
    if !q!(&mut *tx, fetch_one scalar bool, open, org, id)? {
        return Ok(false);
    }
    let file = file::add(tx, origin, org, copy.file).await?;
    let sql = "UPDATE approval SET file_id = $3 WHERE org_id = $1 AND estimate_id = $2";
    q!(&mut *tx, execute, sql, org, id, file)?;
    let who = asker(&mut *tx, org, lead).await?;
    let mut decisions = vec![to_customer(house.profile, &who, &copy.of, file)?];
    decisions.extend(to_business(house, &copy.of, file));
    automation::carry_out(tx, origin, org, lead, event(copy.of.content.sort()), decisions).await?;
    live::announce(tx, origin, org, Topic::Estimate, id.0, Some(lead.0)).await?;
    Ok(true)
}

/// When a customer approved: they get what they signed, by email.
fn to_customer(profile: &Profile, who: &Asker, of: &Uncopied, file: FileId) -> Result<Decision> {
    let (language, sort) = (of.content.language, of.content.sort());
    let kind = sort.wording(Wording::Signed);
    let wording = profile.wording(kind, language);
    let saw = json!({"templateEnabled": wording.enabled, "hasAddress": who.to.email.is_some(), "language": language});
    let no = |why: &str, saw: Value| Ok(not_sent(RULE, Channel::Email, why, saw));
    let Some(to) = who.to.email.clone() else {
        return no(&format!("{}; the copy is behind the link", who.to.no_email()), saw);
    };
    if !wording.enabled {
        return no("this template is switched off; the copy is behind the link", saw);
    }
    let variables = Variables {
        language,
        business_name: profile.org.name.clone(),
        business_phone: profile.org.phone.clone(),
        customer_name: who.greeted().to_owned(),
        ..sort.variables(
            [of.total; 2],
            &of.content.number,
            of.content.change.as_ref().map(|change| change.with(of.total)),
        )
    };
    let said = template::render(kind, &wording, &variables)?;
    let business = &profile.org.name;
    let footer = match (language, sort) {
        (Language::En, Sort::Estimate) => {
            format!("You get this email because you approved an estimate of {business}.")
        }
        (Language::En, Sort::ChangeOrder) => {
            format!("You get this email because you approved a change order of {business}.")
        }
        (Language::Es, Sort::Estimate) => format!("Recibe este correo porque aprobó un presupuesto de {business}."),
        (Language::Es, Sort::ChangeOrder) => {
            format!("Recibe este correo porque aprobó una orden de cambio de {business}.")
        }
    };
    let draft = Draft {
        customer: Some(who.customer),
        subject: said.subject,
        page: Some(Page { footer, links: true, language: Some(language), ..Page::default() }),
        about: Some(of.id.0),
        files: vec![(file, true)],
        ..Draft::new(Channel::Email, Kind::Signed, to, said.body, format!("estimate:{}:signed", of.id))
    };
    Ok(sends(RULE, Channel::Email, why(sort), saw, draft))
}

/// When a customer approved: everybody of the business who is told by email gets the copy.
fn to_business(house: &Intake<'_>, of: &Uncopied, file: FileId) -> Vec<Decision> {
    let by_email = house.profile.recipients.iter().filter(|recipient| recipient.channel == Channel::Email);
    let (number, name, sort) = (&of.content.number, &of.page.name, of.content.sort());
    let word = sort.word(Language::En);
    let subject = format!("{name} approved {number}: {}", of.total.shown());
    let (button, path) = match of.job {
        Some(job) => ("Open the job", format!("/app/jobs/{job}")),
        None => ("Open the lead", format!("/app/leads/{}", of.lead)),
    };
    let address = house.public_url.join(&path);
    let body = format!("{name} approved {word} {number} for {}.\n\nThe signed copy is attached.", of.total.shown());
    let told = |to: &str, turn: usize| {
        let page = Page {
            text: Some(body.clone()),
            button: Some((button.to_owned(), address.clone())),
            footer: "You get this email because your address is in the list of recipients.".to_owned(),
            ..Page::default()
        };
        let words = format!("{body}\n\n{address}");
        let key = format!("estimate:{}:signed:business:{turn}", of.id);
        let draft = Draft {
            subject: Some(subject.clone()),
            page: Some(page),
            about: Some(of.id.0),
            files: vec![(file, true)],
            ..Draft::new(Channel::Email, Kind::AccountNotice, to.to_owned(), words, key)
        };
        sends("owner_notice", Channel::Email, why(sort), json!({}), draft)
    };
    by_email.enumerate().map(|(turn, recipient)| told(&recipient.address, turn)).collect()
}
