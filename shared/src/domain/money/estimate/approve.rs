//! The customer's yes: who said it, how, when, from where, to which exact paper, and what of it was chosen.

use std::{collections::BTreeSet, net::IpAddr};

use serde_json::json;
use sqlx::types::Json;

use super::{
    Sort, Status, announce,
    answer::{alert, held, may_be_answered, record, settle, worded_about},
    change::{self, But},
    deposit,
    estimate_kind::Happened,
    finish::note_quoted,
    public_view::Row,
    view::hex,
};
use crate::{
    documents::{line_items::Selection, template::Language},
    domain::{
        intake::lead::Intake,
        messaging::{alert as alerts, message::Channel},
        money::ledger,
        work::activity::Doer,
    },
    platform::{
        db::{AsConn, Tx, q},
        error::{Error, FieldErrors, Result},
        id::EstimateId,
        money::Cents,
        tasks::{self, NewTask},
        text,
    },
};

/// More than a hand draws: the whole is kept for as long as the estimate is.
const MOST_STROKES: usize = 300;
const MOST_POINTS: usize = 6_000;
/// The pad is a thousand units wide; a finger that slips over its edge stays near.
const PAD: std::ops::RangeInclusive<i32> = -1_000..=3_000;

/// A signature as it was drawn: strokes of points.
pub type Strokes = Vec<Vec<[i32; 2]>>;

/// What the customer sends in.
#[derive(Clone, Debug, Default)]
pub struct SignForm {
    pub option_id: Option<String>,
    pub add_ons: BTreeSet<String>,
    pub name: Option<String>,
    /// None or empty: the typed name stands for the hand.
    pub strokes: Option<Strokes>,
    pub agrees: bool,
    /// Of the PDF that was shown.
    pub sha256: String,
}

/// From where it came.
#[derive(Clone, Debug, Default)]
pub struct Device {
    pub ip: Option<IpAddr>,
    pub user_agent: Option<String>,
}

/// The words above the button; they are kept with the approval and printed in the signed copy. They speak of terms where
/// the paper has some.
#[must_use]
pub fn wording(sort: Sort, language: Language, has_terms: bool) -> &'static str {
    match (sort, language, has_terms) {
        (Sort::Estimate, Language::En, true) => {
            "I agree to this estimate and its terms. My name here stands for my signature."
        }
        (Sort::Estimate, Language::En, false) => "I agree to this estimate. My name here stands for my signature.",
        (Sort::Estimate, Language::Es, true) => {
            "Acepto este presupuesto y sus condiciones. Mi nombre aquí vale como mi firma."
        }
        (Sort::Estimate, Language::Es, false) => "Acepto este presupuesto. Mi nombre aquí vale como mi firma.",
        (Sort::ChangeOrder, Language::En, true) => {
            "I agree to this change order and its terms, in addition to what was agreed before. My name here stands \
             for my signature."
        }
        (Sort::ChangeOrder, Language::En, false) => {
            "I agree to this change order, in addition to what was agreed before. My name here stands for my signature."
        }
        (Sort::ChangeOrder, Language::Es, true) => {
            "Acepto esta orden de cambio y sus condiciones, además de lo acordado antes. Mi nombre aquí vale como mi \
             firma."
        }
        (Sort::ChangeOrder, Language::Es, false) => {
            "Acepto esta orden de cambio, además de lo acordado antes. Mi nombre aquí vale como mi firma."
        }
    }
}

/// A form that may be stored.
struct Signed {
    selection: Selection,
    name: String,
    strokes: Option<Strokes>,
}

impl SignForm {
    fn read(&self, row: &Row) -> Result<Signed> {
        let mut fields = FieldErrors::default();
        let name = text::line("name", self.name.as_deref(), 120).required("Please type your name", &mut fields);
        let selection = Selection { option_id: self.option_id.clone(), add_ons: self.add_ons.clone() };
        row.content.paper.check_selection(&selection, &mut fields);
        if !self.agrees {
            fields.add("agree", "Please tick that you agree");
        }
        let strokes = self.strokes.clone().filter(|strokes| strokes.iter().any(|stroke| !stroke.is_empty()));
        if strokes.as_ref().is_some_and(|strokes| !is_drawn_by_hand(strokes)) {
            fields.add("signature", "Please clear the signature and draw it again");
        }
        fields.finish()?;
        Ok(Signed { selection, name, strokes })
    }
}

fn is_drawn_by_hand(strokes: &Strokes) -> bool {
    let points = strokes.iter().flatten();
    strokes.len() <= MOST_STROKES
        && points.clone().count() <= MOST_POINTS
        && points.flatten().all(|part| PAD.contains(part))
}

/// Takes the approval. The same one again changes nothing.
///
/// # Errors
/// [`Error::NotFound`], [`Error::Invalid`] naming what is missing, [`Error::Conflict`] when it cannot be approved any
/// more, or is not what was shown.
pub async fn approve(tx: &mut Tx, house: &Intake<'_>, id: EstimateId, form: &SignForm, device: &Device) -> Result<()> {
    let (origin, org) = (house.origin, house.profile.org.id);
    let row = held(tx, house, id).await?;
    let signed = form.read(&row)?;
    if row.status == Status::Approved && is_same(&mut *tx, house, id, &signed).await? {
        return Ok(());
    }
    may_be_answered(row.sort(), row.status, row.standing(house))?;
    let shown = row.sha256.as_deref().unwrap_or_default();
    if hex(shown) != form.sha256.to_ascii_lowercase() {
        return Err(Error::Conflict(row.sort().say(
            "This estimate has changed since you opened it. Please look at it again.",
            "This change order has changed since you opened it. Please look at it again.",
        )));
    }
    let total = row.content.paper.totals(&signed.selection).total;
    let deposit = deposit(row.content.deposit, total);
    still_fits(&mut *tx, house, &row, total).await?;
    store(tx, house, id, &row, &signed, (total, deposit), device).await?;
    supersede_earlier(tx, house, id, &row).await?;
    let detail = json!({"number": row.content.number, "total": total, "deposit": deposit, "name": signed.name});
    let event = record(tx, house, (id, &row), Happened::Approved, detail).await?;
    let why = row.sort().say("the estimate was approved", "the change order was approved");
    settle(tx, house, id, event, why).await?;
    match row.job_id {
        Some(job) => change::approved(tx, origin, org, job).await?,
        None => note_quoted(tx, org, row.lead_id).await?,
    }
    // What was paid before may be all of it.
    ledger::settle(tx, origin, org, row.lead_id, &Doer::System).await?;
    tell(tx, house, id, &row, (total, deposit)).await?;
    let copy = NewTask {
        org: Some(org),
        kind: tasks::Kind::SignCopy,
        subject: Some(id.0),
        run_at: origin.now(),
        unique_key: format!("sign_copy:{id}"),
    };
    tasks::enqueue(tx, origin, vec![copy]).await?;
    announce(tx, origin, org, id, row.lead_id).await
}

/// A change order may take off no more than is left now, whatever it was when it was made.
async fn still_fits(conn: &mut dyn AsConn, house: &Intake<'_>, row: &Row, total: Cents) -> Result<()> {
    let Some(job) = row.job_id else { return Ok(()) };
    let (org, of) = (house.profile.org.id, (row.lead_id, job));
    let but = But { number: Some(row.number), since: None };
    let before = change::sum(&change::agreed(&mut *conn, org, of, but).await?);
    match change::misfit(conn, org, of, before, total).await? {
        Some(_) => Err(Error::Conflict("This change order does not fit any more. Ask for a fresh one.")),
        None => Ok(()),
    }
}

/// Whether this is the approval that stands there already: a second tap.
async fn is_same(conn: &mut dyn AsConn, house: &Intake<'_>, id: EstimateId, signed: &Signed) -> Result<bool> {
    let stored = q!(
        conn,
        fetch_optional as (String, Option<String>, Json<BTreeSet<String>>),
        "SELECT name, option_id, add_ons FROM approval WHERE org_id = $1 AND estimate_id = $2",
        house.profile.org.id,
        id
    )?;
    Ok(stored.is_some_and(|(name, option, Json(add_ons))| {
        name == signed.name && option == signed.selection.option_id && add_ons == signed.selection.add_ons
    }))
}

async fn store(
    tx: &mut Tx,
    house: &Intake<'_>,
    id: EstimateId,
    row: &Row,
    signed: &Signed,
    (total, deposit): (Cents, Cents),
    device: &Device,
) -> Result<()> {
    let (org, now) = (house.profile.org.id, house.origin.now());
    q!(
        &mut *tx,
        execute,
        "INSERT INTO approval (org_id, estimate_id, at, name, manner, strokes, ip, user_agent, option_id, add_ons,
             total_cents, deposit_cents, pdf_sha256, wording)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
        org,
        id,
        now,
        &signed.name,
        if signed.strokes.is_some() { "drawn" } else { "typed" },
        signed.strokes.clone().map(Json),
        device.ip.map(|ip| ip.to_string()),
        &device.user_agent,
        &signed.selection.option_id,
        Json(&signed.selection.add_ons),
        total,
        deposit,
        row.sha256.clone().unwrap_or_default(),
        wording(row.sort(), row.content.language, row.content.paper.terms.is_some())
    )?;
    let sql = "UPDATE estimate SET status = 'approved', settled_at = $3 WHERE org_id = $1 AND id = $2";
    q!(tx, execute, sql, org, id, now)?;
    Ok(())
}

/// A version that was signed earlier gives way to the one that is signed now.
async fn supersede_earlier(tx: &mut Tx, house: &Intake<'_>, id: EstimateId, row: &Row) -> Result<()> {
    q!(
        tx,
        execute,
        "UPDATE estimate SET status = 'superseded', settled_at = $4
         WHERE org_id = $1 AND number = $2 AND id <> $3 AND status = 'approved'",
        house.profile.org.id,
        row.number,
        id,
        house.origin.now()
    )?;
    Ok(())
}

/// The business is told at once; who is told by email gets the signed copy, which follows in a moment.
async fn tell(
    tx: &mut Tx,
    house: &Intake<'_>,
    id: EstimateId,
    row: &Row,
    (total, deposit): (Cents, Cents),
) -> Result<()> {
    let words = match deposit {
        Cents::ZERO => worded_about(row, total),
        _ => format!("{}, deposit {}", worded_about(row, total), deposit.shown()),
    };
    let new = alert(id, row, alerts::Kind::EstimateApproved, "approved", words);
    let is_told = house.profile.recipients.iter().all(|recipient| recipient.channel == Channel::Email);
    let raised = alerts::Raised::new(house.profile, new, house.origin.now(), is_told);
    alerts::store(tx, house.origin, house.profile.org.id, &raised).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_hand_draws_is_refused() {
        assert!(is_drawn_by_hand(&vec![vec![[0, 0], [1000, 400]], vec![[-20, 410]]]));
        assert!(!is_drawn_by_hand(&vec![vec![[0, i32::MAX]]]));
        assert!(!is_drawn_by_hand(&vec![vec![[0, 0]]; MOST_STROKES + 1]));
        assert!(!is_drawn_by_hand(&vec![vec![[0, 0]; MOST_POINTS + 1]]));
    }

    #[test]
    fn the_words_above_the_button_without_terms_speak_of_none() {
        for sort in [Sort::Estimate, Sort::ChangeOrder] {
            assert!(wording(sort, Language::En, true).contains("terms"));
            assert!(!wording(sort, Language::En, false).contains("terms"));
            assert!(!wording(sort, Language::Es, false).contains("condiciones"));
        }
    }
}
