//! Signed copy: the estimate as shown, with the page that proves the approval, for customer and business. It is drawn
//! after the approval is stored, with no transaction open, and sent once.

use std::collections::BTreeSet;

use chrono::{DateTime, NaiveDate, Utc};
use serde_json::{Value, json};
use sqlx::{FromRow, types::Json};

use super::{
    EstimateKind,
    approve::SignatureStrokes,
    content::{EstimateSnapshot, LeadRecipient, load_recipient},
    estimate_kind::EstimateTemplate,
    render::{load_logo, render_blocking},
};
use crate::{
    documents::{
        line_items::OptionSelection,
        pdf::{self, ApprovalPage, Signature},
        template::{self, EmailPage, Language, WordingValues},
    },
    domain::{
        messaging::{
            automation::{self, MessageDraft, RuleDecision, decide_send, decide_skip},
            message::{MessageChannel, MessageKind},
        },
        tenancy::org::{OrgContext, OrgProfile},
        work::{
            file::{self, FileCategory, NewFile},
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
        recipient::Recipient,
        storage::Storage,
    },
};

const RULE: &str = "signed_copy";

fn event_name(sort: EstimateKind) -> &'static str {
    sort.choose_by_kind("estimate_approved", "change_order_approved")
}

fn reason_text(sort: EstimateKind) -> &'static str {
    sort.choose_by_kind("the customer approved the estimate", "the customer approved the change order")
}

#[derive(Clone, Debug)]
pub struct PendingSignedCopy {
    id: EstimateId,
    lead: LeadId,
    job: Option<JobId>,
    content: EstimateSnapshot,
    days: (NaiveDate, Option<NaiveDate>),
    page: ApprovalPage,
    total: Cents,
}

#[derive(Clone, Debug)]
pub struct SignedCopy {
    of: PendingSignedCopy,
    file: NewFile,
}

#[derive(FromRow)]
struct ApprovalCopyRow {
    lead_id: LeadId,
    job_id: Option<JobId>,
    content: Json<EstimateSnapshot>,
    issued_on: NaiveDate,
    expires_on: Option<NaiveDate>,
    at: DateTime<Utc>,
    name: String,
    strokes: Option<Json<SignatureStrokes>>,
    ip: Option<String>,
    user_agent: Option<String>,
    option_id: Option<String>,
    add_ons: Json<BTreeSet<String>>,
    total_cents: Cents,
    pdf_sha256: Vec<u8>,
    wording: String,
}

/// For callers that know only the estimate's id.
pub async fn find_org_id(conn: &mut dyn AsConn, id: EstimateId) -> Result<Option<OrgId>> {
    let sql = "SELECT org_id FROM approval WHERE estimate_id = $1 AND file_id IS NULL";
    Ok(q!(conn, fetch_optional scalar OrgId, sql, id)?)
}

/// None when the copy is made.
pub async fn find_pending_copy(
    conn: &mut dyn AsConn,
    profile: &OrgProfile,
    id: EstimateId,
) -> Result<Option<PendingSignedCopy>> {
    let found = q!(
        conn,
        fetch_optional as ApprovalCopyRow,
        "SELECT e.lead_id, e.job_id, e.content, e.issued_on, e.expires_on, a.at, a.name, a.strokes, a.ip, a.user_agent,
             a.option_id, a.add_ons, a.total_cents, a.pdf_sha256, a.wording
         FROM approval a JOIN estimate e ON e.org_id = a.org_id AND e.id = a.estimate_id
         WHERE a.org_id = $1 AND a.estimate_id = $2 AND a.file_id IS NULL",
        profile.org.id,
        id
    )?;
    found.map(|row| row.into_pending(profile, id)).transpose()
}

impl ApprovalCopyRow {
    fn into_pending(self, profile: &OrgProfile, id: EstimateId) -> Result<PendingSignedCopy> {
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
            selection: OptionSelection { option_id: self.option_id, add_ons: self.add_ons.0 },
            sha256,
        };
        let days = (self.issued_on, self.expires_on);
        let (lead, job) = (self.lead_id, self.job_id);
        Ok(PendingSignedCopy { id, lead, job, content: self.content.0, days, page, total: self.total_cents })
    }
}

/// Errors: [`Error::StorageFull`] or [`Error::Unavailable`]: the task tries again.
pub async fn render_copy(storage: &Storage, ctx: &OrgContext<'_>, of: PendingSignedCopy) -> Result<SignedCopy> {
    let picture = load_logo(storage, of.content.from.logo_key.as_deref()).await?;
    let address =
        ctx.public_url.join(&access_link::build_path(ctx.secret, of.content.link, access_link::LinkKind::Estimate));
    let (paper, page) = (of.content.clone().into_pdf_input(of.days, picture, address), of.page.clone());
    let bytes = render_blocking(move || pdf::render_signed_estimate(&paper, &page)).await?;
    let name = signed_file_name(&of.content);
    let file = NewFile::from_pdf(ctx.origin, ctx.profile.org.id, of.lead, FileCategory::Estimate, &name, &bytes);
    let file = NewFile { job: of.job, ..file };
    storage.put(&file.full_key, &bytes).await?;
    Ok(SignedCopy { of, file })
}

fn signed_file_name(content: &EstimateSnapshot) -> String {
    format!("{} - signed.pdf", content.file_name().trim_end_matches(".pdf"))
}

/// Stores the copy and sends it to both sides. True when this call did it; repeated, it does nothing.
pub async fn deliver_copy(tx: &mut Tx, ctx: &OrgContext<'_>, copy: SignedCopy) -> Result<bool> {
    let (origin, org, id, lead) = (ctx.origin, ctx.profile.org.id, copy.of.id, copy.of.lead);
    pipeline::lock_stage(tx, org, lead).await?;
    let open = "SELECT EXISTS (SELECT 1 FROM approval WHERE org_id = $1 AND estimate_id = $2 AND file_id IS NULL)";
    if !q!(&mut *tx, fetch_one scalar bool, open, org, id)? {
        return Ok(false);
    }
    let file = file::insert_document(tx, origin, org, copy.file).await?;
    let sql = "UPDATE approval SET file_id = $3 WHERE org_id = $1 AND estimate_id = $2";
    q!(&mut *tx, execute, sql, org, id, file)?;
    let who = load_recipient(&mut *tx, org, lead).await?;
    let mut decisions = vec![build_customer_email(ctx.profile, &who, &copy.of, file)?];
    decisions.extend(build_business_emails(ctx, &copy.of, file));
    automation::apply_decisions(tx, origin, org, lead, event_name(copy.of.content.kind()), decisions).await?;
    live::publish_event(tx, origin, org, Topic::Estimate, id.0, Some(lead.0)).await?;
    Ok(true)
}

/// Rule: after approval the customer gets the signed copy by email.
fn build_customer_email(
    profile: &OrgProfile,
    who: &LeadRecipient,
    of: &PendingSignedCopy,
    file: FileId,
) -> Result<RuleDecision> {
    let (language, sort) = (of.content.language, of.content.kind());
    let kind = sort.template_kind(EstimateTemplate::Signed);
    let wording = profile.wording(kind, language);
    let evidence =
        json!({"templateEnabled": wording.enabled, "hasAddress": who.to.email.is_some(), "language": language});
    let no = |why: &str, evidence: Value| Ok(decide_skip(RULE, MessageChannel::Email, why, evidence));
    let Some(to) = who.to.email.clone() else {
        return no(&format!("{}; the copy is behind the link", who.to.missing_email_reason()), evidence);
    };
    if !wording.enabled {
        return no("this template is switched off; the copy is behind the link", evidence);
    }
    let variables = WordingValues {
        language,
        business_name: profile.org.name.clone(),
        business_phone: profile.org.phone.clone(),
        customer_name: who.name.clone(),
        ..sort.template_variables(
            [of.total; 2],
            &of.content.number,
            of.content.change.as_ref().map(|change| change.total_with(of.total)),
        )
    };
    let rendered = template::render_wording(kind, &wording, &variables)?;
    let business = &profile.org.name;
    let footer = match (language, sort) {
        (Language::En, EstimateKind::Estimate) => {
            format!("You get this email because you approved an estimate of {business}.")
        }
        (Language::En, EstimateKind::ChangeOrder) => {
            format!("You get this email because you approved a change order of {business}.")
        }
        (Language::Es, EstimateKind::Estimate) => {
            format!("Recibe este correo porque aprobó un presupuesto de {business}.")
        }
        (Language::Es, EstimateKind::ChangeOrder) => {
            format!("Recibe este correo porque aprobó una orden de cambio de {business}.")
        }
    };
    let key = format!("estimate:{}:signed", of.id);
    let draft = MessageDraft {
        customer: Some(who.customer),
        subject: rendered.subject,
        page: Some(EmailPage { footer, links: true, language: Some(language), ..EmailPage::default() }),
        about: Some(of.id.0),
        files: vec![(file, true)],
        ..MessageDraft::new(MessageKind::Signed, to, rendered.body, key)
    };
    Ok(decide_send(RULE, MessageChannel::Email, reason_text(sort), evidence, draft))
}

/// Rule: after approval all email recipients of the business get the copy.
fn build_business_emails(ctx: &OrgContext<'_>, of: &PendingSignedCopy, file: FileId) -> Vec<RuleDecision> {
    let by_email = ctx.profile.recipients.iter().filter(|recipient| recipient.is_email());
    let (number, name, sort) = (&of.content.number, &of.page.name, of.content.kind());
    let word = sort.display_noun(Language::En);
    let subject = format!("{name} approved {number}: {}", of.total.format_usd());
    let (button, path) = match of.job {
        Some(job) => ("Open the job", format!("/app/jobs/{job}")),
        None => ("Open the lead", format!("/app/leads/{}", of.lead)),
    };
    let address = ctx.public_url.join(&path);
    let body =
        format!("{name} approved {word} {number} for {}.\n\nThe signed copy is attached.", of.total.format_usd());
    let draft_to = |to: &Recipient, turn: usize| {
        let page = EmailPage {
            text: Some(body.clone()),
            button: Some((button.to_owned(), address.clone())),
            footer: "You get this email because your address is in the list of recipients.".to_owned(),
            ..EmailPage::default()
        };
        let words = format!("{body}\n\n{address}");
        let key = format!("estimate:{}:signed:business:{turn}", of.id);
        let draft = MessageDraft {
            subject: Some(subject.clone()),
            page: Some(page),
            about: Some(of.id.0),
            files: vec![(file, true)],
            ..MessageDraft::new(MessageKind::AccountNotice, to.clone(), words, key)
        };
        decide_send("owner_notice", MessageChannel::Email, reason_text(sort), json!({}), draft)
    };
    by_email.enumerate().map(|(turn, recipient)| draft_to(recipient, turn)).collect()
}
