//! Drafts: made of a job, an estimate or a lead, changed, and thrown away.

use serde_json::json;
use sqlx::types::Json;

use super::{
    Status,
    agreed::{self, Accepted, Before, Since},
    announce,
    content::{Basis, Content, addressee, head},
    form::{InvoiceForm, InvoicePatch, New, Of, Wish},
    row::Row,
    today,
};
use crate::{
    documents::{
        line_items::{Paper, Part},
        template::Language,
    },
    domain::{
        intake::lead::Intake,
        money::estimate::{Asker, content::asker, lead_of as lead_of_estimate},
        work::{
            activity::{self, Doer, EventKind, NewEvent},
            job, pipeline,
        },
    },
    platform::{
        db::{
            AsConn, Tx,
            batch::{Insert, insert_all, values},
            q,
        },
        error::{Error, FieldErrors, Result},
        id::{EstimateId, InvoiceId, JobId, LeadId, OrgId},
        money::Cents,
    },
};

/// Said where there is nothing that could be billed.
pub(super) const NOTHING: &str = "Nothing was agreed yet: add at least one line";

/// What a draft is made from.
struct Ground {
    lead: LeadId,
    job: Option<JobId>,
    /// Of the job.
    number: Option<i64>,
    estimate: Option<EstimateId>,
}

/// What is billed, and how it came about.
pub(super) struct Billed {
    pub paper: Paper,
    basis: Basis,
    is_final: bool,
    estimate: Option<EstimateId>,
    about: Option<String>,
    title: Option<String>,
}

/// Makes a draft. It has no number yet, and its customer knows nothing of it.
///
/// # Errors
/// [`Error::NotFound`], [`Error::Invalid`] naming every field that does not fit, [`Error::Conflict`] when everything
/// that was agreed has been invoiced.
pub async fn make(tx: &mut Tx, house: &Intake<'_>, form: &InvoiceForm, by: &Doer) -> Result<InvoiceId> {
    let (origin, profile) = (house.origin, house.profile);
    let org = profile.org.id;
    let new = form.read(today(house))?;
    let ground = ground(&mut *tx, org, new.of).await?;
    pipeline::hold(tx, org, ground.lead).await?;
    let asker = asker(&mut *tx, org, ground.lead).await?;
    let billed = billed(&mut *tx, org, &ground, &new, &asker).await?;
    let id = InvoiceId(origin.uuid());
    let content = Content {
        prefix: profile.settings.invoicing.prefix.clone(),
        is_final: new.is_final.unwrap_or(billed.is_final),
        language: asker.language(),
        title: billed.title,
        about: billed.about,
        from: head(profile),
        to: addressee(&asker),
        paper: Paper { notes: new.notes, terms: new.terms, ..billed.paper },
        how_to_pay: Some(profile.settings.invoicing.how_to_pay.clone()).filter(|how| !how.is_empty()),
        basis: billed.basis,
        link: None,
        ways: None,
        sent_by: None,
        ahead: Vec::new(),
        changes: agreed::counted(&mut *tx, org, ground.lead).await?,
    };
    let total = agreed::total(&content.paper);
    let row = Insert::into(
        "invoice (org_id, id, lead_id, customer_id, job_id, estimate_id, status, content, total_cents, paid_cents, due_on,
             created_by, created_at, is_reminded)",
    )
    .row(values![
        org,
        id,
        ground.lead,
        asker.customer,
        ground.job,
        billed.estimate,
        Status::Draft,
        Json(content),
        total,
        Cents::ZERO,
        new.due_on,
        by.account(),
        origin.now(),
        false
    ]);
    insert_all(tx, &[row]).await?;
    let made = NewEvent {
        job: ground.job,
        subject: Some(id.0),
        detail: json!({"total": total}),
        ..NewEvent::new(ground.lead, EventKind::InvoiceMade, origin.now(), by.clone())
    };
    activity::record(tx, origin, org, made).await?;
    announce(tx, origin, org, id, ground.lead).await?;
    Ok(id)
}

async fn ground(conn: &mut dyn AsConn, org: OrgId, of: Of) -> Result<Ground> {
    Ok(match of {
        Of::Lead(lead) => Ground { lead, job: None, number: None, estimate: None },
        Of::Job(job) => {
            let found = job::find(conn, org, job).await?;
            Ground { lead: found.lead_id, job: Some(job), number: Some(found.number), estimate: None }
        }
        Of::Estimate(estimate) => {
            let lead = lead_of_estimate(&mut *conn, org, estimate).await?;
            let sql = "SELECT job_id IS NOT NULL FROM estimate WHERE org_id = $1 AND id = $2";
            if q!(conn, fetch_one scalar bool, sql, org, estimate)? {
                return Err(Error::Conflict("A change order is billed with its job: make the invoice of the job."));
            }
            Ground { lead, job: None, number: None, estimate: Some(estimate) }
        }
    })
}

/// What the lead agreed to, in one place.
struct Deal {
    accepted: Vec<Accepted>,
    before: Vec<Before>,
    /// The agreed work, or what the job is worth.
    paper: Option<Paper>,
}

async fn deal(conn: &mut dyn AsConn, org: OrgId, ground: &Ground, language: Language) -> Result<Deal> {
    let of = agreed::Of { lead: ground.lead, job: ground.job, only: ground.estimate };
    let accepted = agreed::accepted(&mut *conn, org, of, language).await?;
    let before = agreed::before(conn, org, ground.lead).await?;
    if let Some(Since { accepted, paper, before }) = agreed::since(&accepted, &before, language) {
        return Ok(Deal { accepted, before, paper: Some(paper) });
    }
    let paper = agreed::together(&accepted, language);
    Ok(Deal { accepted, before, paper })
}

impl Deal {
    /// What it follows from: "EST-1001".
    fn about(&self) -> Option<String> {
        let numbers: Vec<&str> = self.accepted.iter().filter_map(|one| one.number.as_deref()).collect();
        (!numbers.is_empty()).then(|| numbers.join(", "))
    }

    fn estimate(&self) -> Option<EstimateId> {
        let [one] = &self.accepted[..] else { return None };
        one.id.filter(|_| one.changes.is_none())
    }

    fn title(&self) -> Option<String> {
        let [one] = &self.accepted[..] else { return None };
        one.title.clone()
    }
}

async fn billed(conn: &mut dyn AsConn, org: OrgId, ground: &Ground, new: &New, asker: &Asker) -> Result<Billed> {
    let language = asker.language();
    let deal = deal(conn, org, ground, language).await?;
    let (paper, basis, is_final) = match &new.wish {
        Wish::Rest => (rest(&deal, language)?, Basis::Rest, true),
        Wish::Share(part) => (share(&deal, *part, language)?, Basis::Share, false),
        // Beside what was agreed, lines are an extra; of a job, or where nothing was agreed, they are all of it.
        Wish::Lines(paper) => (paper.clone(), Basis::Typed, ground.job.is_some() || deal.accepted.is_empty()),
    };
    let is_one_line = paper.lines.len() == 1;
    let title = deal.title().or_else(|| asker.work().filter(|_| !is_one_line).map(ToOwned::to_owned));
    let word = if language == Language::En { "job" } else { "trabajo" };
    let about: Vec<String> = deal.about().into_iter().chain(ground.number.map(|n| format!("{word} {n}"))).collect();
    let about = (!about.is_empty()).then(|| about.join(", "));
    let estimate = ground.estimate.or(deal.estimate());
    Ok(Billed { paper, basis, is_final, estimate, about, title })
}

fn rest(deal: &Deal, language: Language) -> Result<Paper> {
    match &deal.paper {
        Some(paper) => agreed::rest(paper.clone(), &deal.before, language),
        None => Err(fault("lines", NOTHING.to_owned())),
    }
}

/// A part of what was agreed, as one line.
fn share(deal: &Deal, part: Part, language: Language) -> Result<Paper> {
    let Some(agreed) = &deal.paper else { return Err(fault("share", NOTHING.to_owned())) };
    let all = agreed::total(agreed);
    let left = Cents(all.0 - agreed::billed(&deal.before).0);
    if left <= Cents::ZERO {
        return Err(Error::Conflict("Everything agreed has been invoiced."));
    }
    let asked = match part {
        Part::Amount(amount) => amount,
        part => part.of(all),
    };
    if asked > left {
        return Err(fault("share", format!("Only {} of what was agreed is not invoiced yet", left.shown())));
    }
    if asked <= Cents::ZERO {
        return Err(fault("share", "Please enter a percentage or an amount above 0".to_owned()));
    }
    let percent = match part {
        Part::Percent(percent) => format!(" {}%", percent.percent()),
        Part::Amount(_) | Part::None => String::new(),
    };
    let (word, of) = match language {
        Language::En => ("Progress payment", " of "),
        Language::Es => ("Pago parcial", " de "),
    };
    let about = deal.about().map(|about| format!("{of}{about}")).unwrap_or_default();
    let words: String = format!("{word}{percent}{about}").chars().take(200).collect();
    Ok(Paper::one_line(&words, asked))
}

fn fault(field: &'static str, message: String) -> Error {
    let mut fields = FieldErrors::default();
    fields.add(field, message);
    Error::Invalid(fields)
}

/// Whether a draft may still go out as it stands: what it was reckoned from must not have changed since.
///
/// # Errors
/// [`Error::Conflict`]
pub(super) async fn is_true_still(conn: &mut dyn AsConn, org: OrgId, row: &Row) -> Result<()> {
    const CHANGED: Error = Error::Conflict(
        "What was agreed, or invoiced before, has changed since this draft was made. Delete it and make it anew.",
    );
    if row.content.basis == Basis::Typed {
        return Ok(());
    }
    let language = row.content.language;
    let ground = Ground { lead: row.lead, job: row.job, number: None, estimate: row.estimate };
    let deal = match deal(conn, org, &ground, language).await {
        Err(Error::Conflict(_)) => return Err(CHANGED),
        deal => deal?,
    };
    let Some(agreed) = &deal.paper else { return Err(CHANGED) };
    let left = agreed::total(agreed).0 - agreed::billed(&deal.before).0;
    let fits = match row.content.basis {
        Basis::Rest => rest(&deal, language).is_ok_and(|paper| paper.lines == row.content.paper.lines),
        Basis::Share | Basis::Typed => row.total_cents.0 <= left,
    };
    if fits { Ok(()) } else { Err(CHANGED) }
}

/// A draft, with its lead held until the end of the transaction.
async fn held(tx: &mut Tx, org: OrgId, id: InvoiceId, why_not: &'static str) -> Result<Row> {
    let lead = super::lead_of(&mut *tx, org, id).await?;
    pipeline::hold(tx, org, lead).await?;
    let row = Row::get(tx, org, id).await?;
    if row.status == Status::Draft { Ok(row) } else { Err(Error::Conflict(why_not)) }
}

/// Changes a draft.
///
/// # Errors
/// [`Error::NotFound`], [`Error::Invalid`], [`Error::Conflict`] when it is no draft any more.
pub async fn change(tx: &mut Tx, house: &Intake<'_>, id: InvoiceId, patch: &InvoicePatch) -> Result<()> {
    let org = house.profile.org.id;
    let row = held(tx, org, id, "It has gone out, and what goes out is never changed.").await?;
    let Json(content) = row.content;
    let patched = patch.apply(&content.paper, content.basis, today(house))?;
    // Whoever types the lines anew knows what is agreed by then.
    let changes = match &patch.lines {
        Some(_) => agreed::counted(&mut *tx, org, row.lead).await?,
        None => content.changes.clone(),
    };
    let total = agreed::total(&patched.paper);
    let content = Content {
        paper: patched.paper,
        basis: patched.basis,
        is_final: patch.is_final.unwrap_or(content.is_final),
        changes,
        ..content
    };
    q!(
        &mut *tx,
        execute,
        "UPDATE invoice SET content = $3, total_cents = $4, due_on = $5 WHERE org_id = $1 AND id = $2",
        org,
        id,
        Json(content),
        total,
        patched.due_on.unwrap_or(row.due_on)
    )?;
    announce(tx, house.origin, org, id, row.lead).await
}

/// Throws a draft away. It had no number, so none is missing.
///
/// # Errors
/// [`Error::NotFound`], or [`Error::Conflict`] when it is no draft any more.
pub async fn remove(tx: &mut Tx, house: &Intake<'_>, id: InvoiceId) -> Result<()> {
    let (origin, org) = (house.origin, house.profile.org.id);
    let row = held(tx, org, id, "Only a draft can be deleted. Void the invoice instead.").await?;
    q!(&mut *tx, execute, "DELETE FROM invoice WHERE org_id = $1 AND id = $2", org, id)?;
    let sql = "UPDATE work_event SET undone_at = $3 WHERE org_id = $1 AND lead_id = $4 AND subject_id = $2
         AND kind = 'invoice_made' AND undone_at IS NULL";
    q!(&mut *tx, execute, sql, org, id, origin.now(), row.lead)?;
    announce(tx, origin, org, id, row.lead).await
}
