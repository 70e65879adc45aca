//! Trust view for the owner: current step, next step, and budget usage.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    TrustLevel, TrustSubject,
    inherited::{self, InheritedSetup},
    load_trust_facts, public_requests, usage,
};
use crate::{
    domain::tenancy::{
        account::proof,
        org::{self, SendChannels},
    },
    platform::{
        db::AsConn,
        error::{Error, Result},
        id::OrgId,
    },
};

/// What a business may do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TrustView {
    pub level: TrustLevel,
    /// All of them, in order.
    pub steps: Vec<TrustStep>,
    /// What opens the next step, in a sentence; null at the last.
    pub next: Option<String>,
    /// Empty where only the ordinary limits hold.
    pub budgets: Vec<BudgetView>,
    /// Whether businesses pay for this install.
    pub takes_money: bool,
    /// Whether this install sends email; otherwise it is saved as a file.
    pub mail_leaves: bool,
    /// Requests that the public pages take in a day while they say that the address is not confirmed; null once it is.
    pub public_requests_a_day: Option<i64>,
    /// What messages call the business until the last step, where its name could be a link, a number or a sentence; else
    /// null.
    pub name_in_messages: Option<String>,
    /// What was set before the address was proven, until the owner resets or keeps it; null when there is nothing.
    pub inherited: Option<InheritedSetup>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TrustStep {
    pub level: TrustLevel,
    pub is_reached: bool,
}

/// A budget and what of it is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TrustBudget)]
pub struct BudgetView {
    pub what: TrustSubject,
    pub used_today: i64,
    pub a_day: i64,
    pub used: i64,
    pub in_all: i64,
}

const STEPS: [TrustLevel; 3] = [TrustLevel::AddressProven, TrustLevel::SenderVerified, TrustLevel::Trusted];
const SHOWN: [TrustSubject; 4] =
    [TrustSubject::Text, TrustSubject::Email, TrustSubject::Invitation, TrustSubject::Import];

pub async fn load_trust_view(
    conn: &mut dyn AsConn,
    org: OrgId,
    set_up: SendChannels,
    now: DateTime<Utc>,
) -> Result<TrustView> {
    let takes_money = set_up.takes_money;
    let facts = load_trust_facts(&mut *conn, org).await?;
    let level = facts.trust_level();
    let mut budgets = Vec::new();
    for what in SHOWN {
        let Some(budget) = level.budget_for(what, takes_money) else { continue };
        let used = usage::load_usage(&mut *conn, org, what, now).await?;
        let (a_day, in_all) = (budget.a_day, budget.in_all);
        budgets.push(BudgetView { what, used_today: used.today, a_day, used: used.in_all, in_all });
    }
    let is_reached = |step| match step {
        TrustLevel::SenderVerified => facts.is_proven && facts.is_sender_verified,
        step => level >= step,
    };
    let steps = STEPS.map(|level| TrustStep { level, is_reached: is_reached(level) }).to_vec();
    let next = (level < TrustLevel::Trusted).then(|| usage::to_sentence(shown_step_hint(level, set_up)));
    let public_requests_a_day =
        public_requests::is_marked_unproven(org, level).then_some(public_requests::REQUESTS_A_DAY);
    let inherited = inherited::find_inherited(&mut *conn, org).await?;
    let mail_leaves = set_up.email;
    let name_in_messages = find_name_in_messages(conn, org, level).await?;
    Ok(TrustView {
        level,
        steps,
        next,
        budgets,
        takes_money,
        mail_leaves,
        public_requests_a_day,
        name_in_messages,
        inherited,
    })
}

async fn find_name_in_messages(conn: &mut dyn AsConn, org: OrgId, level: TrustLevel) -> Result<Option<String>> {
    if level == TrustLevel::Trusted {
        return Ok(None);
    }
    let name = org::find(conn, org).await?.ok_or(Error::NotFound)?.name;
    let safe = proof::safe_business_name(&name);
    Ok((safe != name).then_some(safe))
}

/// A sentence that nothing may be sent to others yet and what enables it; none otherwise.
pub async fn sending_closed_reason(conn: &mut dyn AsConn, org: OrgId, takes_money: bool) -> Result<Option<String>> {
    let level = super::load_trust_level(conn, org).await?;
    let is_closed = level.budget_for(TrustSubject::Email, takes_money).is_some_and(|budget| budget.in_all == 0);
    let how = match level {
        TrustLevel::New => "the owner of the business confirms their email address first",
        level => next_step_hint(level, takes_money),
    };
    Ok(is_closed.then(|| format!("Nothing goes to your customers yet: {how}.")))
}

/// The hint of the view: says where the link that proves the address is.
fn shown_step_hint(level: TrustLevel, set_up: SendChannels) -> &'static str {
    match (level, set_up.email) {
        (TrustLevel::New, true) => "open the link in the email that we sent you, and confirm your email address",
        (TrustLevel::New, false) => {
            "confirm your email address: email is not set up here, so the link was saved as a file; ask the person who \
             runs your Toolbox for it"
        }
        // The number is a step of its own, which opens no messages before a payment.
        (TrustLevel::AddressProven, _) if set_up.takes_money => {
            "to write to your customers, subscribe under Billing, or ask the person who runs your Toolbox to allow you \
             without payment; until then a number of your own raises only your limits for invitations and imports"
        }
        _ => next_step_hint(level, set_up.takes_money),
    }
}

pub(super) fn next_step_hint(level: TrustLevel, takes_money: bool) -> &'static str {
    match (level, takes_money) {
        (TrustLevel::New, _) => "confirm your email address",
        (TrustLevel::AddressProven | TrustLevel::SenderVerified, true) => {
            "subscribe under Billing, or ask the person who runs your Toolbox to allow you without payment"
        }
        (TrustLevel::AddressProven, false) => {
            "a number of your own opens more, and the person who runs your Toolbox can lift these limits"
        }
        (TrustLevel::SenderVerified, false) => "ask the person who runs your Toolbox to lift these limits",
        (TrustLevel::Trusted, _) => "",
    }
}
