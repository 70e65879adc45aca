//! Offers, approvals, invoices and payments: every PDF is drawn, and its hash is the one that was signed.

use chrono::NaiveDate;
use serde_json::json;
use sha2::{Digest, Sha256};

use super::{CaseProgress, SeedRunner, missing_prerequisite};
use crate::{
    domain::money::{
        estimate::{
            self, EstimateForm, EstimateTarget, answer,
            approve::{self, SignForm, SignerDevice},
            content::DeliveryChannels,
            sign,
        },
        invoice::{self, InvoiceForm},
        ledger::{
            self, NewPayment, PaymentMethod,
            receipt::{FIRST_TURN, PaymentReceipt, ReceiptOption},
        },
    },
    ops::demo_seed::{
        DEMO_ORG,
        demo_business::parse_form,
        plan::{DemoInvoiceBasis, DemoPaymentMethod},
        work_catalog::DemoWork,
    },
    platform::{db::q, error::Result, id::InvoiceId, money::Cents},
};

fn estimate_lines(work: &DemoWork, value: Cents) -> serde_json::Value {
    let mut left = value;
    let lines = work.lines.iter().map(|(name, share)| {
        // Whole dollars; the last takes the rest.
        let part = if *share == 0 { left } else { Cents(value.0 * share / 100 / 100 * 100) };
        left = Cents(left.0 - part.0);
        json!({"name": name, "unitPrice": part.format_usd()})
    });
    lines.collect()
}

fn encode_hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut hex, byte| {
        // Writing to a String cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

impl SeedRunner<'_> {
    pub(super) async fn send_estimate(&mut self, progress: &mut CaseProgress, value: Cents) -> Result<()> {
        let work = progress.matter.work;
        let typed: EstimateForm =
            parse_form(json!({"title": work.title, "lines": estimate_lines(&work, value), "notes": work.description}))?;
        let ctx = self.firm.intake_context();
        let id = estimate::begin_issue(
            self.tx,
            &ctx,
            EstimateTarget::Lead(progress.require_lead()?),
            &typed,
            &self.firm.office,
        )
        .await?;
        let left = estimate::find_unrendered(self.tx, DEMO_ORG, id)
            .await?
            .ok_or_else(|| missing_prerequisite("an estimate"))?;
        let drawn = estimate::render_pdf(self.files, &ctx, left).await?;
        estimate::finish_issue(self.tx, &ctx, &drawn).await?;
        progress.estimate = Some((id, encode_hex(&Sha256::digest(&drawn.bytes))));
        Ok(())
    }

    pub(super) async fn approve_estimate(&mut self, progress: &CaseProgress) -> Result<()> {
        let (id, sha256) = progress.estimate.clone().ok_or_else(|| missing_prerequisite("an estimate"))?;
        let signed = SignForm { name: Some(progress.person.name.clone()), agrees: true, sha256, ..SignForm::default() };
        let device = SignerDevice { ip: None, user_agent: Some("Mozilla/5.0 (demonstration)".to_owned()) };
        let ctx = self.firm.intake_context();
        approve::approve_estimate(self.tx, &ctx, id, &signed, &device).await?;
        let left = sign::find_pending_copy(self.tx, &self.firm.profile, id)
            .await?
            .ok_or_else(|| missing_prerequisite("a copy"))?;
        let copy = sign::render_copy(self.files, &ctx, left).await?;
        sign::deliver_copy(self.tx, &ctx, copy).await.map(|_| ())
    }

    pub(super) async fn decline_estimate(&mut self, progress: &CaseProgress, why: &str) -> Result<()> {
        let (id, _) = progress.estimate.clone().ok_or_else(|| missing_prerequisite("an estimate"))?;
        answer::decline_estimate(self.tx, &self.firm.intake_context(), id, Some(why)).await.map(|_| ())
    }

    pub(super) async fn send_invoice(
        &mut self,
        progress: &mut CaseProgress,
        due_on: Option<NaiveDate>,
        what: DemoInvoiceBasis,
    ) -> Result<()> {
        let typed = match what {
            DemoInvoiceBasis::Job => json!({"jobId": progress.require_job()?}),
            DemoInvoiceBasis::Share(part) => {
                json!({"leadId": progress.require_lead()?, "share": {"amount": part.format_usd()}})
            }
            DemoInvoiceBasis::Line(name, price) => {
                json!({"leadId": progress.require_lead()?, "lines": [{"name": name, "unitPrice": price.format_usd()}]})
            }
        };
        let typed = InvoiceForm { due_on: due_on.map(|day| day.to_string()), ..parse_form(typed)? };
        let (ctx, by) = (self.firm.intake_context(), &self.firm.office);
        let id = invoice::create_draft(self.tx, &ctx, &typed, by).await?;
        invoice::begin_issue(self.tx, &ctx, id, DeliveryChannels { email: true, text: true }, by).await?;
        let left =
            invoice::find_unrendered(self.tx, &ctx, id).await?.ok_or_else(|| missing_prerequisite("an invoice"))?;
        let drawn = invoice::render_pdf(self.files, &ctx, left).await?;
        invoice::finish_issue(self.tx, &ctx, &drawn).await?;
        progress.invoice = Some(id);
        Ok(())
    }

    pub(super) async fn record_payment(&mut self, progress: &CaseProgress, way: DemoPaymentMethod) -> Result<()> {
        let invoice = progress.invoice.ok_or_else(|| missing_prerequisite("an invoice"))?;
        let method = match way {
            DemoPaymentMethod::Card => PaymentMethod::Card,
            DemoPaymentMethod::Check => PaymentMethod::Check,
            DemoPaymentMethod::Bank => PaymentMethod::Bank,
        };
        let (firm, amount) = (self.firm, self.load_amount_due(invoice).await?);
        let new = NewPayment {
            lead: progress.require_lead()?,
            amount,
            received_on: super::super::demo_today(firm.origin.now()),
            method,
            reference: (way == DemoPaymentMethod::Check).then(|| format!("Check {}", 2_000 + self.number)),
            note: None,
            invoice: Some(invoice),
            estimate: None,
            provider_id: None,
            partial: false,
            receipt: ReceiptOption::Yes,
        };
        let paid = ledger::record_payment(self.tx, &firm.origin, &firm.profile, &new, &firm.office).await?;
        let receipt = PaymentReceipt::for_payment(self.tx, &firm.profile, paid.id, firm.origin.now()).await?;
        let pdf = receipt.render_pdf(self.files).await?;
        let file = receipt.to_file(&firm.origin, &pdf);
        self.files.put(&file.full_key, &pdf).await?;
        receipt.send_email(self.tx, &firm.origin, &firm.profile, file, FIRST_TURN).await?;
        Ok(())
    }

    async fn load_amount_due(&mut self, invoice: InvoiceId) -> Result<Cents> {
        let sql = "SELECT total_cents - paid_cents FROM invoice WHERE org_id = $1 AND id = $2";
        Ok(q!(&mut *self.tx, fetch_one scalar Cents, sql, DEMO_ORG, invoice)?)
    }
}
