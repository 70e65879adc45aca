//! Approval by the customer: who, how, when, from where, of which exact PDF, and with which choices.

use std::{collections::BTreeSet, net::IpAddr};

use serde_json::json;
use sqlx::types::Json;

use super::{
    EstimateKind, EstimateStatus, announce_estimate,
    answer::{
        build_alert, cancel_follow_ups, check_answerable, describe_with_total, lock_estimate, record_customer_event,
    },
    change::{self, AgreedExclusions},
    deposit_amount,
    estimate_kind::EstimateEvent,
    finish::update_quoted_amount,
    public_view::PublicEstimateRow,
    view::to_hex,
};
use crate::{
    conflicts::ConflictCode,
    documents::{line_items::OptionSelection, template::Language},
    domain::{
        messaging::alert as alerts,
        money::ledger,
        tenancy::{activity_log::ActivityActor, org::OrgContext},
    },
    platform::{
        db::{AsConn, Tx, insert_row, q},
        error::{FieldErrors, Result},
        id::EstimateId,
        money::Cents,
        recipient::Recipient,
        tasks::{self, NewTask},
        text,
    },
};

/// Limits of a drawn signature, which is kept as long as the estimate.
const MAX_STROKES: usize = 300;
const MAX_POINTS: usize = 6_000;
/// The pad is 1000 units wide; strokes may slip slightly over its edge.
const PAD_RANGE: std::ops::RangeInclusive<i32> = -1_000..=3_000;

pub type SignatureStrokes = Vec<Vec<[i32; 2]>>;

#[derive(Clone, Debug, Default)]
pub struct SignForm {
    pub option_id: Option<String>,
    pub add_ons: BTreeSet<String>,
    pub name: Option<String>,
    /// None or empty: the typed name is the signature.
    pub strokes: Option<SignatureStrokes>,
    pub agrees: bool,
    /// Hash of the PDF that was shown.
    pub sha256: String,
}

#[derive(Clone, Debug, Default)]
pub struct SignerDevice {
    pub ip: Option<IpAddr>,
    pub user_agent: Option<String>,
}

/// Text above the button, kept with the approval and printed in the signed copy. It mentions terms where the paper has
/// some.
#[must_use]
pub fn consent_text(sort: EstimateKind, language: Language, has_terms: bool) -> &'static str {
    match (sort, language, has_terms) {
        (EstimateKind::Estimate, Language::En, true) => {
            "I agree to this estimate and its terms. My name here stands for my signature."
        }
        (EstimateKind::Estimate, Language::En, false) => {
            "I agree to this estimate. My name here stands for my signature."
        }
        (EstimateKind::Estimate, Language::Es, true) => {
            "Acepto este presupuesto y sus condiciones. Mi nombre aquí vale como mi firma."
        }
        (EstimateKind::Estimate, Language::Es, false) => "Acepto este presupuesto. Mi nombre aquí vale como mi firma.",
        (EstimateKind::ChangeOrder, Language::En, true) => {
            "I agree to this change order and its terms, in addition to what was agreed before. My name here stands \
             for my signature."
        }
        (EstimateKind::ChangeOrder, Language::En, false) => {
            "I agree to this change order, in addition to what was agreed before. My name here stands for my signature."
        }
        (EstimateKind::ChangeOrder, Language::Es, true) => {
            "Acepto esta orden de cambio y sus condiciones, además de lo acordado antes. Mi nombre aquí vale como mi \
             firma."
        }
        (EstimateKind::ChangeOrder, Language::Es, false) => {
            "Acepto esta orden de cambio, además de lo acordado antes. Mi nombre aquí vale como mi firma."
        }
    }
}

struct ValidatedApproval {
    selection: OptionSelection,
    name: String,
    strokes: Option<SignatureStrokes>,
}

impl SignForm {
    fn to_validated(&self, row: &PublicEstimateRow) -> Result<ValidatedApproval> {
        let mut fields = FieldErrors::default();
        let name =
            text::single_line("name", self.name.as_deref(), 120).parse_required("Please type your name", &mut fields);
        let selection = OptionSelection { option_id: self.option_id.clone(), add_ons: self.add_ons.clone() };
        row.content.paper.validate_selection(&selection, &mut fields);
        if !self.agrees {
            fields.add("agree", "Please tick that you agree");
        }
        let strokes = self.strokes.clone().filter(|strokes| strokes.iter().any(|stroke| !stroke.is_empty()));
        if strokes.as_ref().is_some_and(|strokes| !is_plausible_signature(strokes)) {
            fields.add("signature", "Please clear the signature and draw it again");
        }
        fields.into_result()?;
        Ok(ValidatedApproval { selection, name, strokes })
    }
}

fn is_plausible_signature(strokes: &SignatureStrokes) -> bool {
    let points = strokes.iter().flatten();
    strokes.len() <= MAX_STROKES
        && points.clone().count() <= MAX_POINTS
        && points.flatten().all(|part| PAD_RANGE.contains(part))
}

/// The same approval again changes nothing.
/// Errors: `Error::NotFound`, `Error::Invalid` naming what is missing, `Error::Conflict` when it cannot be
/// approved any more, or is not what was shown.
pub async fn approve_estimate(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    id: EstimateId,
    form: &SignForm,
    device: &SignerDevice,
) -> Result<()> {
    let (origin, org) = (ctx.origin, ctx.profile.org.id);
    let row = lock_estimate(tx, ctx, id).await?;
    let signed = form.to_validated(&row)?;
    if row.status == EstimateStatus::Approved && is_same_approval(&mut *tx, ctx, id, &signed).await? {
        return Ok(());
    }
    check_answerable(row.kind(), row.status, row.current_status(ctx))?;
    let shown = row.sha256.as_deref().unwrap_or_default();
    if to_hex(shown) != form.sha256.to_ascii_lowercase() {
        return Err(row.kind().choose_by_kind(ConflictCode::EstimateChanged, ConflictCode::ChangeOrderChanged).into());
    }
    let total = row.content.paper.compute_totals(&signed.selection).total;
    let deposit = deposit_amount(row.content.deposit, total);
    check_still_fits(&mut *tx, ctx, &row, total).await?;
    insert_approval(tx, ctx, id, &row, &signed, (total, deposit), device).await?;
    supersede_earlier(tx, ctx, id, &row).await?;
    let detail = json!({"number": row.content.number, "total": total, "deposit": deposit, "name": signed.name});
    let event = record_customer_event(tx, ctx, (id, &row), EstimateEvent::Approved, detail).await?;
    let why = row.kind().choose_by_kind("the estimate was approved", "the change order was approved");
    cancel_follow_ups(tx, ctx, id, event, why).await?;
    match row.job_id {
        Some(job) => change::apply_approval(tx, origin, org, job).await?,
        None => update_quoted_amount(tx, org, row.lead_id).await?,
    }
    // Earlier payments may cover all of it.
    ledger::recalculate_lead(tx, origin, org, row.lead_id, &ActivityActor::System).await?;
    alert_approved(tx, ctx, id, &row, (total, deposit)).await?;
    let copy = NewTask {
        org: Some(org),
        kind: tasks::TaskKind::SignCopy,
        subject: Some(id.0),
        run_at: origin.now(),
        unique_key: format!("sign_copy:{id}"),
    };
    tasks::enqueue(tx, origin, vec![copy]).await?;
    announce_estimate(tx, origin, org, id, row.lead_id).await
}

/// A change order may take off no more than is left now, even if more was left when it was made.
async fn check_still_fits(
    conn: &mut dyn AsConn,
    ctx: &OrgContext<'_>,
    row: &PublicEstimateRow,
    total: Cents,
) -> Result<()> {
    let Some(job) = row.job_id else { return Ok(()) };
    let (org, of) = (ctx.profile.org.id, (row.lead_id, job));
    let but = AgreedExclusions { number: Some(row.number), since: None };
    let before = change::sum_agreed(&change::list_agreed_parts(&mut *conn, org, of, but).await?);
    match change::check_reduction(conn, org, of, before, total).await? {
        Some(_) => Err(ConflictCode::ChangeOrderOutdated.into_error()),
        None => Ok(()),
    }
}

/// Whether the same approval is stored already: a second tap.
async fn is_same_approval(
    conn: &mut dyn AsConn,
    ctx: &OrgContext<'_>,
    id: EstimateId,
    signed: &ValidatedApproval,
) -> Result<bool> {
    let stored = q!(
        conn,
        fetch_optional as (String, Option<String>, Json<BTreeSet<String>>),
        "SELECT name, option_id, add_ons FROM approval WHERE org_id = $1 AND estimate_id = $2",
        ctx.profile.org.id,
        id
    )?;
    Ok(stored.is_some_and(|(name, option, Json(add_ons))| {
        name == signed.name && option == signed.selection.option_id && add_ons == signed.selection.add_ons
    }))
}

async fn insert_approval(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    id: EstimateId,
    row: &PublicEstimateRow,
    signed: &ValidatedApproval,
    (total, deposit): (Cents, Cents),
    device: &SignerDevice,
) -> Result<()> {
    let (org, now) = (ctx.profile.org.id, ctx.origin.now());
    insert_row!(
        &mut *tx,
        execute,
        approval {
            org_id: org,
            estimate_id: id,
            at: now,
            name: &signed.name,
            manner: if signed.strokes.is_some() { "drawn" } else { "typed" },
            strokes: signed.strokes.clone().map(Json),
            ip: device.ip.map(|ip| ip.to_string()),
            user_agent: &device.user_agent,
            option_id: &signed.selection.option_id,
            add_ons: Json(&signed.selection.add_ons),
            total_cents: total,
            deposit_cents: deposit,
            pdf_sha256: row.sha256.clone().unwrap_or_default(),
            wording: consent_text(row.kind(), row.content.language, row.content.paper.terms.is_some()),
        }
    )?;
    let sql = "UPDATE estimate SET status = 'approved', settled_at = $3 WHERE org_id = $1 AND id = $2";
    q!(tx, execute, sql, org, id, now)?;
    Ok(())
}

async fn supersede_earlier(tx: &mut Tx, ctx: &OrgContext<'_>, id: EstimateId, row: &PublicEstimateRow) -> Result<()> {
    q!(
        tx,
        execute,
        "UPDATE estimate SET status = 'superseded', settled_at = $4
         WHERE org_id = $1 AND number = $2 AND id <> $3 AND status = 'approved'",
        ctx.profile.org.id,
        row.number,
        id,
        ctx.origin.now()
    )?;
    Ok(())
}

/// The business is notified at once; its email recipients get the signed copy, which follows shortly.
async fn alert_approved(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    id: EstimateId,
    row: &PublicEstimateRow,
    (total, deposit): (Cents, Cents),
) -> Result<()> {
    let words = match deposit {
        Cents::ZERO => describe_with_total(row, total),
        _ => format!("{}, deposit {}", describe_with_total(row, total), deposit.format_usd()),
    };
    let new = build_alert(id, row, alerts::AlertKind::EstimateApproved, "approved", words);
    let is_told = ctx.profile.recipients.iter().all(Recipient::is_email);
    let raised = alerts::ScheduledAlert::new(ctx.profile, new, ctx.origin.now(), is_told);
    alerts::store_alert(tx, ctx.origin, ctx.profile.org.id, &raised).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signature_outside_drawing_limits_is_refused() {
        assert!(is_plausible_signature(&vec![vec![[0, 0], [1000, 400]], vec![[-20, 410]]]));
        assert!(!is_plausible_signature(&vec![vec![[0, i32::MAX]]]));
        assert!(!is_plausible_signature(&vec![vec![[0, 0]]; MAX_STROKES + 1]));
        assert!(!is_plausible_signature(&vec![vec![[0, 0]; MAX_POINTS + 1]]));
    }

    #[test]
    fn approval_wording_without_terms_mentions_no_terms() {
        for sort in [EstimateKind::Estimate, EstimateKind::ChangeOrder] {
            assert!(consent_text(sort, Language::En, true).contains("terms"));
            assert!(!consent_text(sort, Language::En, false).contains("terms"));
            assert!(!consent_text(sort, Language::Es, false).contains("condiciones"));
        }
    }
}
