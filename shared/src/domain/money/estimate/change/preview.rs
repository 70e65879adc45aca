//! Totals and draft PDF of a change order before it is stored.

use serde::Serialize;
use utoipa::ToSchema;

use super::{
    super::{
        EstimateKind,
        content::{EstimateForm, EstimateFormContext, EstimateSnapshot, LeadRecipient, NewEstimate, load_recipient},
        deposit_amount, org_today, render,
    },
    ChangeOrderBase, prepare_change_order, sum_agreed,
};
use crate::{
    documents::line_items::{DocumentTotals, OptionSelection},
    domain::{
        tenancy::org::{OrgContext, OrgProfile},
        work::job,
    },
    platform::{
        db::AsConn,
        error::Result,
        id::{JobId, LinkId},
        money::Cents,
        storage::Storage,
    },
};

#[derive(Clone, Debug)]
pub struct ChangeOrderDraft {
    asker: LeadRecipient,
    new: NewEstimate,
    change: ChangeOrderBase,
}

/// Its totals.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ChangeOrderPreview {
    /// Without add-ons.
    pub totals: DocumentTotals,
    /// US dollars, due on approval.
    pub deposit: Cents,
    /// US dollars: what is agreed in all until now.
    pub before: Cents,
    /// And with this one.
    pub after: Cents,
}

/// Errors: as for `crate::domain::money::estimate::begin`.
pub async fn build_draft(
    conn: &mut dyn AsConn,
    ctx: &OrgContext<'_>,
    job: JobId,
    form: &EstimateForm,
) -> Result<ChangeOrderDraft> {
    let org = ctx.profile.org.id;
    let lead = job::find(&mut *conn, org, job).await?.lead_id;
    let asker = load_recipient(&mut *conn, org, lead).await?;
    let reader = EstimateFormContext {
        profile: ctx.profile,
        asker: &asker,
        sort: EstimateKind::ChangeOrder,
        today: org_today(ctx),
    };
    let new = form.to_new_estimate(&reader)?;
    let total = new.paper.compute_totals(&new.paper.recommended_selection()).total;
    let change = prepare_change_order(conn, org, (lead, job), None, total).await?;
    Ok(ChangeOrderDraft { asker, new, change })
}

impl ChangeOrderDraft {
    #[must_use]
    pub fn to_view(&self) -> ChangeOrderPreview {
        let totals = self.new.paper.compute_totals(&OptionSelection::default());
        let before = sum_agreed(&self.change.before);
        ChangeOrderPreview {
            deposit: deposit_amount(self.new.deposit, totals.total),
            before,
            after: [before, totals.total].into_iter().sum(),
            totals,
        }
    }

    /// The PDF, without a number and without the approval link.
    /// Errors: when the logo cannot be fetched, or it cannot be drawn.
    pub async fn render_draft(self, storage: &Storage, profile: &OrgProfile) -> Result<Vec<u8>> {
        let days = (self.new.issued_on, self.new.expires_on);
        let link = LinkId(uuid::Uuid::nil());
        let content = EstimateSnapshot::new(profile, &self.asker, &self.new, String::new(), link, Some(self.change));
        let logo = render::load_logo(storage, profile.org.logo_key.as_deref()).await?;
        render::render_estimate_pdf(content.into_pdf_input(days, logo, String::new())).await
    }
}
