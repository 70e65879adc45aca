//! Drafts of invoices: made from a job, an estimate or a lead, changed and deleted.

use serde_json::json;
use sqlx::types::Json;

use super::{
    InvoiceStatus,
    agreed::{self, AcceptedDocument, ChangesSinceFinal, PriorInvoice},
    announce_invoice,
    content::{InvoiceSnapshot, LineBasis, build_addressee, build_letterhead},
    form::{BillingMode, InvoiceForm, InvoicePatch, InvoiceTarget, NewInvoice},
    org_today,
    row::InvoiceRecord,
};
use crate::{
    conflicts::ConflictCode,
    documents::{
        line_items::{DocumentContent, PercentOrAmount},
        template::Language,
    },
    domain::{
        money::{
            estimate::{LeadRecipient, content::load_recipient, find_lead_id as lead_of_estimate},
            ledger::BilledContent,
        },
        tenancy::{
            activity_log::{self, ActivityActor, EventKind, NewEvent},
            org::OrgContext,
        },
        work::{job, pipeline},
    },
    platform::{
        db::{AsConn, Tx, batch::insert_all, batch_row, q},
        error::{Error, FieldErrors, Result},
        id::{EstimateId, InvoiceId, JobId, LeadId, OrgId},
        money::Cents,
    },
};

pub(super) const NOTHING_AGREED: &str = "Nothing was agreed yet: add at least one line";

struct BillingSource {
    lead: LeadId,
    job: Option<JobId>,
    number: Option<i64>,
    estimate: Option<EstimateId>,
}

pub(super) struct BilledLines {
    pub paper: DocumentContent,
    basis: LineBasis,
    is_final: bool,
    estimate: Option<EstimateId>,
    about: Option<String>,
    title: Option<String>,
}

/// The draft has no number yet and is not visible to the customer.
/// Errors: [`Error::NotFound`], [`Error::Invalid`] naming every field that does not fit, [`Error::Conflict`] when
/// everything that was agreed has been invoiced.
pub async fn create_draft(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    form: &InvoiceForm,
    by: &ActivityActor,
) -> Result<InvoiceId> {
    let (origin, profile) = (ctx.origin, ctx.profile);
    let org = profile.org.id;
    let new = form.to_new_invoice(org_today(ctx))?;
    let ground = find_billing_source(&mut *tx, org, new.of).await?;
    pipeline::lock_stage(tx, org, ground.lead).await?;
    let asker = load_recipient(&mut *tx, org, ground.lead).await?;
    let billed = build_billed_lines(&mut *tx, org, &ground, &new, &asker).await?;
    let id = InvoiceId(origin.uuid_v7());
    let content = InvoiceSnapshot {
        billed: BilledContent {
            prefix: profile.settings.invoicing.prefix.clone(),
            is_final: new.is_final.unwrap_or(billed.is_final),
            changes: agreed::list_counted_change_orders(&mut *tx, org, ground.lead).await?,
        },
        language: asker.language(),
        title: billed.title,
        about: billed.about,
        from: build_letterhead(profile),
        to: build_addressee(&asker),
        paper: DocumentContent { notes: new.notes, terms: new.terms, ..billed.paper },
        how_to_pay: Some(profile.settings.invoicing.how_to_pay.clone()).filter(|how| !how.is_empty()),
        basis: billed.basis,
        link: None,
        ways: None,
        sent_by: None,
        ahead: Vec::new(),
    };
    let total = agreed::document_total(&content.paper);
    let row = batch_row!(invoice {
        org_id: org,
        id,
        lead_id: ground.lead,
        customer_id: asker.customer,
        job_id: ground.job,
        estimate_id: billed.estimate,
        status: InvoiceStatus::Draft,
        content: Json(content),
        total_cents: total,
        paid_cents: Cents::ZERO,
        due_on: new.due_on,
        created_by: by.account_id(),
        created_at: origin.now(),
        reminders_enabled: false,
    });
    insert_all(tx, &[row]).await?;
    let made = NewEvent {
        job: ground.job,
        subject: Some(id.0),
        detail: json!({"total": total}),
        ..NewEvent::new(ground.lead, EventKind::InvoiceMade, origin.now(), by.clone())
    };
    activity_log::record_event(tx, origin, org, made).await?;
    announce_invoice(tx, origin, org, id, ground.lead).await?;
    Ok(id)
}

async fn find_billing_source(conn: &mut dyn AsConn, org: OrgId, of: InvoiceTarget) -> Result<BillingSource> {
    Ok(match of {
        InvoiceTarget::Lead(lead) => BillingSource { lead, job: None, number: None, estimate: None },
        InvoiceTarget::Job(job) => {
            let found = job::find(conn, org, job).await?;
            BillingSource { lead: found.lead_id, job: Some(job), number: Some(found.number), estimate: None }
        }
        InvoiceTarget::Estimate(estimate) => {
            let lead = lead_of_estimate(&mut *conn, org, estimate).await?;
            let sql = "SELECT job_id IS NOT NULL FROM estimate WHERE org_id = $1 AND id = $2";
            if q!(conn, fetch_one scalar bool, sql, org, estimate)? {
                return Err(ConflictCode::ChangeOrderBilledWithJob.into_error());
            }
            BillingSource { lead, job: None, number: None, estimate: Some(estimate) }
        }
    })
}

struct AgreedWork {
    accepted: Vec<AcceptedDocument>,
    before: Vec<PriorInvoice>,
    /// The agreed work, or the value of the job.
    paper: Option<DocumentContent>,
}

async fn load_agreed_work(
    conn: &mut dyn AsConn,
    org: OrgId,
    ground: &BillingSource,
    language: Language,
) -> Result<AgreedWork> {
    let of = agreed::BillingScope { lead: ground.lead, job: ground.job, only: ground.estimate };
    let accepted = agreed::list_accepted_documents(&mut *conn, org, of, language).await?;
    let before = agreed::list_prior_invoices(conn, org, ground.lead).await?;
    if let Some(ChangesSinceFinal { accepted, paper, before }) =
        agreed::changes_since_final(&accepted, &before, language)
    {
        return Ok(AgreedWork { accepted, before, paper: Some(paper) });
    }
    let paper = agreed::combine_documents(&accepted, language);
    Ok(AgreedWork { accepted, before, paper })
}

impl AgreedWork {
    fn document_numbers(&self) -> Option<String> {
        let numbers: Vec<&str> = self.accepted.iter().filter_map(|one| one.number.as_deref()).collect();
        (!numbers.is_empty()).then(|| numbers.join(", "))
    }

    fn single_estimate(&self) -> Option<EstimateId> {
        let [one] = &self.accepted[..] else { return None };
        one.id.filter(|_| one.changes.is_none())
    }

    fn title(&self) -> Option<String> {
        let [one] = &self.accepted[..] else { return None };
        one.title.clone()
    }
}

async fn build_billed_lines(
    conn: &mut dyn AsConn,
    org: OrgId,
    ground: &BillingSource,
    new: &NewInvoice,
    asker: &LeadRecipient,
) -> Result<BilledLines> {
    let language = asker.language();
    let deal = load_agreed_work(conn, org, ground, language).await?;
    let (paper, basis, is_final) = match &new.wish {
        BillingMode::Rest => (build_remaining_lines(&deal, language)?, LineBasis::Rest, true),
        BillingMode::Share(part) => (build_progress_line(&deal, *part, language)?, LineBasis::Share, false),
        // Beside agreed work, typed lines are an extra; for a job, or without agreed work, they are all of it.
        BillingMode::Lines(paper) => {
            (paper.clone(), LineBasis::Typed, ground.job.is_some() || deal.accepted.is_empty())
        }
    };
    let is_one_line = paper.lines.len() == 1;
    let title = deal.title().or_else(|| asker.service_name().filter(|_| !is_one_line).map(ToOwned::to_owned));
    let word = if language == Language::En { "job" } else { "trabajo" };
    let about: Vec<String> =
        deal.document_numbers().into_iter().chain(ground.number.map(|n| format!("{word} {n}"))).collect();
    let about = (!about.is_empty()).then(|| about.join(", "));
    let estimate = ground.estimate.or(deal.single_estimate());
    Ok(BilledLines { paper, basis, is_final, estimate, about, title })
}

fn build_remaining_lines(deal: &AgreedWork, language: Language) -> Result<DocumentContent> {
    match &deal.paper {
        Some(paper) => agreed::remaining_document(paper.clone(), &deal.before, language),
        None => Err(field_error("lines", NOTHING_AGREED.to_owned())),
    }
}

fn build_progress_line(deal: &AgreedWork, part: PercentOrAmount, language: Language) -> Result<DocumentContent> {
    let Some(agreed) = &deal.paper else { return Err(field_error("share", NOTHING_AGREED.to_owned())) };
    let all = agreed::document_total(agreed);
    let left = Cents(all.0 - agreed::sum_invoiced(&deal.before).0);
    if left <= Cents::ZERO {
        return Err(ConflictCode::AllInvoiced.into_error());
    }
    let asked = match part {
        PercentOrAmount::Amount(amount) => amount,
        part => part.apply_to(all),
    };
    if asked > left {
        return Err(field_error("share", format!("Only {} of what was agreed is not invoiced yet", left.format_usd())));
    }
    if asked <= Cents::ZERO {
        return Err(field_error("share", "Please enter a percentage or an amount above 0".to_owned()));
    }
    let percent = match part {
        PercentOrAmount::Percent(percent) => format!(" {}%", percent.format_percent()),
        PercentOrAmount::Amount(_) | PercentOrAmount::None => String::new(),
    };
    let (word, of) = match language {
        Language::En => ("Progress payment", " of "),
        Language::Es => ("Pago parcial", " de "),
    };
    let about = deal.document_numbers().map(|about| format!("{of}{about}")).unwrap_or_default();
    let words: String = format!("{word}{percent}{about}").chars().take(200).collect();
    Ok(DocumentContent::with_single_line(&words, asked))
}

fn field_error(field: &'static str, message: String) -> Error {
    let mut fields = FieldErrors::default();
    fields.add(field, message);
    Error::Invalid(fields)
}

/// [`Error::Conflict`] when the agreed or invoiced amounts that the draft was calculated from have changed.
pub(super) async fn check_still_valid(conn: &mut dyn AsConn, org: OrgId, row: &InvoiceRecord) -> Result<()> {
    const CHANGED: Error = ConflictCode::AgreedAmountChanged.into_error();
    if row.content.basis == LineBasis::Typed {
        return Ok(());
    }
    let language = row.content.language;
    let ground = BillingSource { lead: row.lead, job: row.job, number: None, estimate: row.estimate };
    let deal = match load_agreed_work(conn, org, &ground, language).await {
        Err(Error::Conflict(_)) => return Err(CHANGED),
        deal => deal?,
    };
    let Some(agreed) = &deal.paper else { return Err(CHANGED) };
    let left = agreed::document_total(agreed).0 - agreed::sum_invoiced(&deal.before).0;
    let fits = match row.content.basis {
        LineBasis::Rest => {
            build_remaining_lines(&deal, language).is_ok_and(|paper| paper.lines == row.content.paper.lines)
        }
        LineBasis::Share | LineBasis::Typed => row.total_cents.0 <= left,
    };
    if fits { Ok(()) } else { Err(CHANGED) }
}

/// Locks the lead until the end of the transaction.
async fn lock_draft(tx: &mut Tx, org: OrgId, id: InvoiceId, why_not: ConflictCode) -> Result<InvoiceRecord> {
    let lead = super::find_lead_id(&mut *tx, org, id).await?;
    pipeline::lock_stage(tx, org, lead).await?;
    let row = InvoiceRecord::get(tx, org, id).await?;
    if row.status == InvoiceStatus::Draft { Ok(row) } else { Err(why_not.into()) }
}

/// Errors: [`Error::NotFound`], [`Error::Invalid`], [`Error::Conflict`] when it is no draft any more.
pub async fn update_draft(tx: &mut Tx, ctx: &OrgContext<'_>, id: InvoiceId, patch: &InvoicePatch) -> Result<()> {
    let org = ctx.profile.org.id;
    let row = lock_draft(tx, org, id, ConflictCode::IssuedInvoiceFinal).await?;
    let Json(content) = row.content;
    let patched = patch.apply_to(&content.paper, content.basis, org_today(ctx))?;
    // Retyped lines count as written with what is agreed now.
    let changes = match &patch.lines {
        Some(_) => agreed::list_counted_change_orders(&mut *tx, org, row.lead).await?,
        None => content.billed.changes.clone(),
    };
    let is_final = patch.is_final.unwrap_or(content.billed.is_final);
    let total = agreed::document_total(&patched.paper);
    let content = InvoiceSnapshot {
        paper: patched.paper,
        basis: patched.basis,
        billed: BilledContent { is_final, changes, ..content.billed },
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
    announce_invoice(tx, ctx.origin, org, id, row.lead).await
}

/// Deletes a draft. It had no number, so the numbering stays without gaps.
/// Errors: [`Error::NotFound`], or [`Error::Conflict`] when it is no draft any more.
pub async fn delete_draft(tx: &mut Tx, ctx: &OrgContext<'_>, id: InvoiceId) -> Result<()> {
    let (origin, org) = (ctx.origin, ctx.profile.org.id);
    let row = lock_draft(tx, org, id, ConflictCode::InvoiceNotDeletable).await?;
    q!(&mut *tx, execute, "DELETE FROM invoice WHERE org_id = $1 AND id = $2", org, id)?;
    activity_log::withdraw_entries(&mut *tx, org, row.lead, (EventKind::InvoiceMade, id.0), origin.now()).await?;
    announce_invoice(tx, origin, org, id, row.lead).await
}
