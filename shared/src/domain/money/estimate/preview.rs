//! What an estimate would come to and look like, before there is one.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    Sort,
    content::{Asker, Content, EstimateForm, New, Reader, asker},
    deposit, draw, today,
};
use crate::{
    documents::line_items::{Selection, Totals},
    domain::{intake::lead::Intake, tenancy::org::Profile},
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

/// What it would come to.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = EstimatePreview)]
pub struct PreviewView {
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
    pub totals: Totals,
    /// US dollars, due on approval.
    pub deposit: Cents,
}

/// An estimate that could be issued.
#[derive(Clone, Debug)]
pub struct Preview {
    asker: Asker,
    new: New,
}

/// Reads it as it would be issued now.
///
/// # Errors
/// [`crate::platform::error::Error::NotFound`] without such a lead, [`crate::platform::error::Error::Invalid`] naming every field that does
/// not fit.
pub async fn read(conn: &mut dyn AsConn, house: &Intake<'_>, asked: &PreviewForm) -> Result<Preview> {
    let who = asker(conn, house.profile.org.id, asked.lead_id).await?;
    let reader = Reader { profile: house.profile, asker: &who, sort: Sort::Estimate, today: today(house) };
    let new = asked.form.read(&reader)?;
    Ok(Preview { asker: who, new })
}

impl Preview {
    /// What each option comes to.
    #[must_use]
    pub fn totals(&self) -> PreviewView {
        let paper = &self.new.paper;
        let of = |option_id: Option<String>| {
            let totals = paper.totals(&Selection { option_id: option_id.clone(), ..Selection::default() });
            OptionTotals { option_id, deposit: deposit(self.new.deposit, totals.total), totals }
        };
        let by_option = match paper.options.as_slice() {
            [] => vec![of(None)],
            options => options.iter().map(|option| of(Some(option.id.clone()))).collect(),
        };
        PreviewView { totals: PreviewTotals { by_option } }
    }

    /// The PDF, without a number and without an address to approve it at.
    ///
    /// # Errors
    /// When the logo cannot be fetched, or it cannot be drawn.
    pub async fn draft(self, storage: &Storage, profile: &Profile) -> Result<Vec<u8>> {
        let days = (self.new.issued_on, self.new.expires_on);
        let content = Content::new(profile, &self.asker, &self.new, String::new(), LinkId(uuid::Uuid::nil()), None);
        let logo = draw::logo(storage, profile.org.logo_key.as_deref()).await?;
        draw::paper(content.drawn(days, logo, String::new())).await
    }
}
