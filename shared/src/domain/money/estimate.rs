//! Estimates, version by version, from the typed amount to the customer. A change order is an estimate that names the
//! job it changes ([`change`]): it adds to what was agreed, where an estimate states all of it.
//!
//! A row is one version and never changes; another wording is another version of the same number. The PDF carries that
//! number and cannot be drawn in the transaction that takes it, so there are two transactions. `begin` stores the
//! version as `preparing`, with the task that completes it; [`render`] makes the file with no transaction open;
//! `finish` opens and sends it. The caller finishes at once. If it dies in between, the task does, and the customer
//! gets it once.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    documents::line_items::DepositRule,
    domain::tenancy::org::OrgContext,
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, q},
        error::{Error, Result},
        id::{EstimateId, JobId, LeadId, OrgId},
        live::{self, Topic},
        money::Cents,
    },
};

pub mod answer;
pub mod approve;
pub mod approved_visit;
mod begin;
pub mod change;
pub mod content;
mod estimate_kind;
mod finish;
mod follow_up;
pub(crate) mod follow_up_rule;
mod manual;
pub(crate) mod message_subject;
pub mod preview;
mod public_view;
pub mod render;
pub mod send;
pub mod sign;
pub mod verify;
pub mod view;

pub use begin::begin_issue;
pub use content::{DeliveryChannels, DeliveryChannelsForm, EstimateForm, LeadRecipient, NewEstimate};
pub use estimate_kind::EstimateKind;
pub use finish::finish_issue;
pub(in crate::domain::money) use finish::mark_sent_from_own_phone;
pub use manual::{resend_estimate, rotate_link, withdraw_estimate};
pub use public_view::{PublicEstimate, load_public_estimate};
pub use render::{RenderedEstimate, find_unrendered, render_pdf};
pub use send::{DocumentSendResult, QueuedDocumentMessage, load_first_delivery};
pub use view::{EstimateView, find_open_for_lead, list_for_lead, load_view};

/// State of a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum EstimateStatus {
    /// Its PDF is being made.
    Preparing,
    /// The customer may approve it.
    Open,
    /// Open, but its last day is over. Never stored: the day decides.
    Expired,
    Approved,
    Declined,
    /// It was replaced by a newer version.
    Replaced,
    /// It was approved, and a newer version has been approved since.
    Superseded,
    Withdrawn,
}

impl EstimateStatus {
    pub const ALL: [Self; 8] = [
        Self::Preparing,
        Self::Open,
        Self::Expired,
        Self::Approved,
        Self::Declined,
        Self::Replaced,
        Self::Superseded,
        Self::Withdrawn,
    ];

    #[must_use]
    pub fn can_transition_to(self, to: Self) -> bool {
        use EstimateStatus::{Approved, Declined, Expired, Open, Preparing, Replaced, Superseded, Withdrawn};
        match self {
            // Its job may be cancelled while its PDF is being made.
            Preparing => matches!(to, Open | Replaced | Withdrawn),
            Open => matches!(to, Approved | Declined | Replaced | Withdrawn),
            // After its last day it can only be replaced or withdrawn.
            Expired => matches!(to, Replaced | Withdrawn),
            Declined => to == Replaced,
            // A signed version is only changed by another signed version.
            Approved => to == Superseded,
            Replaced | Superseded | Withdrawn => false,
        }
    }

    /// Status on `org_today`: an open version is expired after its last day.
    #[must_use]
    pub fn status_on(self, today: NaiveDate, expires_on: Option<NaiveDate>) -> Self {
        let is_over = expires_on.is_some_and(|last| today > last);
        if self == Self::Open && is_over { Self::Expired } else { self }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EstimateTarget {
    /// The work of a lead. If it has an estimate that was not withdrawn, this is the next version of that, so that a
    /// customer never has two approvable offers for the same work.
    Lead(LeadId),
    /// Another version of this one, whether it is open, declined or approved.
    Version(EstimateId),
    Job(JobId),
}

/// Zero where the total is negative.
fn deposit_amount(rule: DepositRule, total: Cents) -> Cents {
    rule.apply_to(total).max(Cents::ZERO)
}

/// Today in the business's time zone.
fn org_today(ctx: &OrgContext<'_>) -> NaiveDate {
    ctx.origin.now().with_timezone(&ctx.profile.org.zone()).date_naive()
}

async fn announce_estimate(tx: &mut Tx, origin: &ClockRng, org: OrgId, id: EstimateId, lead: LeadId) -> Result<()> {
    live::publish_event(tx, origin, org, Topic::Estimate, id.0, Some(lead.0)).await
}

/// Errors: [`Error::NotFound`] when the org has no such estimate.
pub async fn find_lead_id(conn: &mut dyn AsConn, org: OrgId, id: EstimateId) -> Result<LeadId> {
    let sql = "SELECT lead_id FROM estimate WHERE org_id = $1 AND id = $2";
    q!(conn, fetch_optional scalar LeadId, sql, org, id)?.ok_or(Error::NotFound)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_status_transitions_match_table() {
        use EstimateStatus::{Approved, Declined, Expired, Open, Preparing, Replaced, Superseded, Withdrawn};
        let table = [
            (Preparing, Open),
            (Preparing, Replaced),
            (Preparing, Withdrawn),
            (Open, Approved),
            (Open, Declined),
            (Open, Replaced),
            (Open, Withdrawn),
            (Expired, Replaced),
            (Expired, Withdrawn),
            (Declined, Replaced),
            (Approved, Superseded),
        ];
        for from in EstimateStatus::ALL {
            for to in EstimateStatus::ALL {
                assert_eq!(from.can_transition_to(to), table.contains(&(from, to)), "{from:?} to {to:?}");
            }
        }
    }

    #[test]
    fn expiry_after_last_valid_day_applies_to_open_estimate_only() {
        let day = |d| NaiveDate::from_ymd_opt(2026, 11, d).unwrap();
        for status in EstimateStatus::ALL {
            assert_eq!(status.status_on(day(21), Some(day(21))), status);
            assert_eq!(status.status_on(day(21), None), status);
            let after = status.status_on(day(22), Some(day(21)));
            assert_eq!(after, if status == EstimateStatus::Open { EstimateStatus::Expired } else { status });
        }
    }
}
