//! What is offered, agreed, billed and paid: every paper is drawn, and its hash is the one that was signed.

use chrono::NaiveDate;
use serde_json::json;
use sha2::{Digest, Sha256};

use super::{Known, Scene, out_of_order};
use crate::{
    domain::money::{
        estimate::{
            self, EstimateForm, Of, answer,
            approve::{self, Device, SignForm},
            content::Ways,
            sign,
        },
        invoice::{self, InvoiceForm},
        ledger::{
            self, Method, NewPayment,
            receipt::{FIRST, Receipt, Wish},
        },
    },
    ops::demo_seed::{
        DEMO_ORG,
        firm::form,
        plan::{Bill, Way},
        works::Work,
    },
    platform::{db::q, error::Result, id::InvoiceId, money::Cents},
};

/// The lines of a piece of work of this worth.
fn lines(work: &Work, value: Cents) -> serde_json::Value {
    let mut left = value;
    let lines = work.lines.iter().map(|(name, share)| {
        // Whole dollars, and the last takes what is left.
        let part = if *share == 0 { left } else { Cents(value.0 * share / 100 / 100 * 100) };
        left = Cents(left.0 - part.0);
        json!({"name": name, "unitPrice": part.shown()})
    });
    lines.collect()
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut hex, byte| {
        // Writing to a String cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

impl Scene<'_> {
    pub(super) async fn offers(&mut self, known: &mut Known, value: Cents) -> Result<()> {
        let work = known.matter.work;
        let typed: EstimateForm =
            form(json!({"title": work.title, "lines": lines(&work, value), "notes": work.description}))?;
        let house = self.firm.intake();
        let id = estimate::begin(self.tx, &house, Of::Lead(known.lead()?), &typed, &self.firm.office).await?;
        let left = estimate::unfinished(self.tx, DEMO_ORG, id).await?.ok_or_else(|| out_of_order("an estimate"))?;
        let drawn = estimate::draw(self.files, &house, left).await?;
        estimate::finish(self.tx, &house, &drawn).await?;
        known.estimate = Some((id, hex(&Sha256::digest(&drawn.bytes))));
        Ok(())
    }

    pub(super) async fn approves(&mut self, known: &Known) -> Result<()> {
        let (id, sha256) = known.estimate.clone().ok_or_else(|| out_of_order("an estimate"))?;
        let signed = SignForm { name: Some(known.person.name.clone()), agrees: true, sha256, ..SignForm::default() };
        let device = Device { ip: None, user_agent: Some("Mozilla/5.0 (demonstration)".to_owned()) };
        let house = self.firm.intake();
        approve::approve(self.tx, &house, id, &signed, &device).await?;
        let left = sign::uncopied(self.tx, &self.firm.profile, id).await?.ok_or_else(|| out_of_order("a copy"))?;
        let copy = sign::draw_copy(self.files, &house, left).await?;
        sign::hand_out(self.tx, &house, copy).await.map(|_| ())
    }

    pub(super) async fn declines(&mut self, known: &Known, why: &str) -> Result<()> {
        let (id, _) = known.estimate.clone().ok_or_else(|| out_of_order("an estimate"))?;
        answer::decline(self.tx, &self.firm.intake(), id, Some(why)).await.map(|_| ())
    }

    pub(super) async fn bills(&mut self, known: &mut Known, due_on: Option<NaiveDate>, what: Bill) -> Result<()> {
        let typed = match what {
            Bill::Job => json!({"jobId": known.job()?}),
            Bill::Share(part) => json!({"leadId": known.lead()?, "share": {"amount": part.shown()}}),
            Bill::Line(name, price) => {
                json!({"leadId": known.lead()?, "lines": [{"name": name, "unitPrice": price.shown()}]})
            }
        };
        let typed = InvoiceForm { due_on: due_on.map(|day| day.to_string()), ..form(typed)? };
        let (house, by) = (self.firm.intake(), &self.firm.office);
        let id = invoice::make(self.tx, &house, &typed, by).await?;
        invoice::begin(self.tx, &house, id, Ways { email: true, text: true }, by).await?;
        let left = invoice::unfinished(self.tx, &house, id).await?.ok_or_else(|| out_of_order("an invoice"))?;
        let drawn = invoice::draw(self.files, &house, left).await?;
        invoice::finish(self.tx, &house, &drawn).await?;
        known.invoice = Some(id);
        Ok(())
    }

    pub(super) async fn pays(&mut self, known: &Known, way: Way) -> Result<()> {
        let invoice = known.invoice.ok_or_else(|| out_of_order("an invoice"))?;
        let method = match way {
            Way::Card => Method::Card,
            Way::Check => Method::Check,
            Way::Bank => Method::Bank,
        };
        let (firm, amount) = (self.firm, self.owed(invoice).await?);
        let new = NewPayment {
            lead: known.lead()?,
            amount,
            received_on: super::super::today(firm.origin.now()),
            method,
            reference: (way == Way::Check).then(|| format!("Check {}", 2_000 + self.number)),
            note: None,
            invoice: Some(invoice),
            estimate: None,
            provider_id: None,
            partial: false,
            receipt: Wish::Yes,
        };
        let paid = ledger::pay(self.tx, &firm.origin, &firm.profile, &new, &firm.office).await?;
        let receipt = Receipt::of(self.tx, &firm.profile, paid.id, firm.origin.now()).await?;
        let pdf = receipt.draw(self.files).await?;
        let file = receipt.file(&firm.origin, &pdf);
        self.files.put(&file.full_key, &pdf).await?;
        receipt.send(self.tx, &firm.origin, &firm.profile, file, FIRST).await?;
        Ok(())
    }

    async fn owed(&mut self, invoice: InvoiceId) -> Result<Cents> {
        let sql = "SELECT total_cents - paid_cents FROM invoice WHERE org_id = $1 AND id = $2";
        Ok(q!(&mut *self.tx, fetch_one scalar Cents, sql, DEMO_ORG, invoice)?)
    }
}
