//! What was quoted for a lead: defaults of its jobs. The domain that has the estimates registers it.

use futures::future::BoxFuture;

use crate::{
    documents::line_items::LineItem,
    platform::{
        db::{AsConn, Handler, Tx},
        error::Result,
        id::{LeadId, OrgId},
        money::Cents,
    },
};

pub type QuotedAmount = for<'a> fn(&'a mut dyn AsConn, OrgId, LeadId) -> BoxFuture<'a, Result<Option<Cents>>>;
pub type ApprovedLines = for<'a> fn(&'a mut Tx, OrgId, LeadId) -> BoxFuture<'a, Result<Vec<LineItem>>>;

/// Found by [`AsConn::handlers`].
pub struct QuotedWork {
    /// Total of what was approved, else of what is offered.
    pub load_amount: QuotedAmount,
    /// Lines of what was approved; empty without it.
    pub list_approved_lines: ApprovedLines,
}

impl Handler for QuotedWork {}
