//! Totals and draft PDF of an estimate before it is stored.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    EstimateKind,
    content::{EstimateForm, EstimateFormContext, EstimateSnapshot, LeadRecipient, NewEstimate, load_recipient},
    deposit_amount, org_today, render,
};
use crate::{
    documents::line_items::{DocumentTotals, OptionSelection},
    domain::tenancy::org::{OrgContext, OrgProfile},
    platform::{
        db::AsConn,
        error::Result,
        id::{LeadId, LinkId},
        money::Cents,
        storage::Storage,
    },
};

/// An estimate to look at, and whose it would be.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = EstimatePreviewRequest)]
pub struct PreviewForm {
    pub lead_id: LeadId,
    #[serde(flatten)]
    pub form: EstimateForm,
}

/// Its totals.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct EstimatePreview {
    pub totals: PreviewTotals,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = EstimatePreviewTotals)]
pub struct PreviewTotals {
    /// One row for each option; a single one where there are none.
    pub by_option: Vec<OptionTotals>,
}

/// An option without add-ons.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = EstimateOptionTotals)]
pub struct OptionTotals {
    pub option_id: Option<String>,
    #[serde(flatten)]
    pub totals: DocumentTotals,
    /// US dollars, due on approval.
    pub deposit: Cents,
}

#[derive(Clone, Debug)]
pub struct EstimateDraft {
    asker: LeadRecipient,
    new: NewEstimate,
}

/// Errors: [`crate::platform::error::Error::NotFound`] without such a lead, [`crate::platform::error::Error::Invalid`]
/// naming every field that does not fit.
pub async fn build_draft(conn: &mut dyn AsConn, ctx: &OrgContext<'_>, asked: &PreviewForm) -> Result<EstimateDraft> {
    let who = load_recipient(conn, ctx.profile.org.id, asked.lead_id).await?;
    let reader =
        EstimateFormContext { profile: ctx.profile, asker: &who, sort: EstimateKind::Estimate, today: org_today(ctx) };
    let new = asked.form.to_new_estimate(&reader)?;
    Ok(EstimateDraft { asker: who, new })
}

impl EstimateDraft {
    #[must_use]
    pub fn to_view(&self) -> EstimatePreview {
        let paper = &self.new.paper;
        let of = |option_id: Option<String>| {
            let totals =
                paper.compute_totals(&OptionSelection { option_id: option_id.clone(), ..OptionSelection::default() });
            OptionTotals { option_id, deposit: deposit_amount(self.new.deposit, totals.total), totals }
        };
        let by_option = match paper.options.as_slice() {
            [] => vec![of(None)],
            options => options.iter().map(|option| of(Some(option.id.clone()))).collect(),
        };
        EstimatePreview { totals: PreviewTotals { by_option } }
    }

    /// The PDF, without a number and without the approval link.
    /// Errors: when the logo cannot be fetched, or it cannot be drawn.
    pub async fn render_draft(self, storage: &Storage, profile: &OrgProfile) -> Result<Vec<u8>> {
        let days = (self.new.issued_on, self.new.expires_on);
        let content =
            EstimateSnapshot::new(profile, &self.asker, &self.new, String::new(), LinkId(uuid::Uuid::nil()), None);
        let logo = render::load_logo(storage, profile.org.logo_key.as_deref()).await?;
        render::render_estimate_pdf(content.into_pdf_input(days, logo, String::new())).await
    }
}
