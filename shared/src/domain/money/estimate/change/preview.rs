//! What a change order would come to and look like, before there is one.

use serde::Serialize;
use utoipa::ToSchema;

use super::{
    super::{
        Sort,
        content::{Asker, Content, EstimateForm, New, Reader, asker},
        deposit, draw, today,
    },
    Change, begun, sum,
};
use crate::{
    documents::line_items::{Selection, Totals},
    domain::{intake::lead::Intake, tenancy::org::Profile, work::job},
    platform::{
        db::AsConn,
        error::Result,
        id::{JobId, LinkId},
        money::Cents,
        storage::Storage,
    },
};

/// A change order that could be issued.
#[derive(Clone, Debug)]
pub struct Preview {
    asker: Asker,
    new: New,
    change: Change,
}

/// What it would come to.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = ChangeOrderPreview)]
pub struct PreviewView {
    /// Without add-ons.
    pub totals: Totals,
    /// US dollars, due on approval.
    pub deposit: Cents,
    /// US dollars: what is agreed in all until now.
    pub before: Cents,
    /// And with this one.
    pub after: Cents,
}

/// Reads a change order as it would be issued now.
///
/// # Errors
/// As for [`crate::domain::money::estimate::begin`].
pub async fn read(conn: &mut dyn AsConn, house: &Intake<'_>, job: JobId, form: &EstimateForm) -> Result<Preview> {
    let org = house.profile.org.id;
    let lead = job::find(&mut *conn, org, job).await?.lead_id;
    let asker = asker(&mut *conn, org, lead).await?;
    let reader = Reader { profile: house.profile, asker: &asker, sort: Sort::ChangeOrder, today: today(house) };
    let new = form.read(&reader)?;
    let total = new.paper.totals(&new.paper.recommended()).total;
    let change = begun(conn, org, (lead, job), None, total).await?;
    Ok(Preview { asker, new, change })
}

impl Preview {
    #[must_use]
    pub fn totals(&self) -> PreviewView {
        let totals = self.new.paper.totals(&Selection::default());
        let before = sum(&self.change.before);
        PreviewView {
            deposit: deposit(self.new.deposit, totals.total),
            before,
            after: [before, totals.total].into_iter().sum(),
            totals,
        }
    }

    /// The PDF, without a number and without an address to approve it at.
    ///
    /// # Errors
    /// When the logo cannot be fetched, or it cannot be drawn.
    pub async fn draft(self, storage: &Storage, profile: &Profile) -> Result<Vec<u8>> {
        let days = (self.new.issued_on, self.new.expires_on);
        let link = LinkId(uuid::Uuid::nil());
        let content = Content::new(profile, &self.asker, &self.new, String::new(), link, Some(self.change));
        let logo = draw::logo(storage, profile.org.logo_key.as_deref()).await?;
        draw::paper(content.drawn(days, logo, String::new())).await
    }
}
