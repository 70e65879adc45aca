//! What a business has set up, and what is missing: the list of the guided start and of the dashboard.
//!
//! Each step follows from stored facts. None is marked as done by hand, so a number that was given up or a refused
//! Stripe key brings its step back.

use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    documents::template::TemplateKindName,
    domain::{
        tenancy::{
            org::{OrgProfile, keys},
            trust_level,
        },
        work::{crew, job::JobScope},
    },
    platform::{
        business_hours::BusinessHours,
        db::{AsConn, q},
        error::Result,
        id::{LeadId, OrgId},
        secret::SecretKey,
    },
};

/// A step of the set-up. Add, never rename.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SetupStepKey {
    /// An owner proved their email address: before that nothing leaves.
    Address,
    /// Customers have a number to call.
    Business,
    /// It is open at some time of the week.
    Hours,
    /// Somebody is notified of a new request.
    Recipients,
    /// A form is answered by text or email.
    Answer,
    /// It can send texts.
    Number,
    /// It has a link at which customers leave a review.
    Reviews,
    /// It has an active crew.
    Crew,
    /// It takes cards, and Stripe accepts its key.
    Cards,
    /// A request came in.
    FirstRequest,
}

/// A step, and whether it is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SetupStep {
    pub key: SetupStepKey,
    pub is_done: bool,
    /// Missing, and requests or money are lost meanwhile.
    pub is_urgent: bool,
    /// The business hid the list; urgent steps are never hidden.
    pub is_hidden: bool,
}

/// Facts outside the profile.
#[derive(Clone, Copy, Debug)]
struct SetupFacts {
    is_address_proven: bool,
    has_crew: bool,
    has_card_keys: bool,
    is_card_key_refused: bool,
    has_request: bool,
}

/// The steps in the order of the guided start.
pub async fn load_setup_steps(
    conn: &mut dyn AsConn,
    secret: &SecretKey,
    profile: &OrgProfile,
) -> Result<Vec<SetupStep>> {
    let org = profile.org.id;
    let facts = SetupFacts {
        is_address_proven: trust_level::load_trust_facts(&mut *conn, org).await?.is_proven,
        has_crew: crew::list(&mut *conn, org, JobScope::Office).await?.iter().any(|one| one.is_active),
        has_card_keys: keys::load_stripe_keys(&mut *conn, secret, org).await?.is_some(),
        is_card_key_refused: keys::refused_at(&mut *conn, org).await?.is_some(),
        has_request: find_newest_lead(conn, org).await?.is_some(),
    };
    Ok(build_steps(profile, facts))
}

async fn find_newest_lead(conn: &mut dyn AsConn, org: OrgId) -> Result<Option<LeadId>> {
    let sql = "SELECT id FROM lead WHERE org_id = $1 ORDER BY last_touch_at DESC, id DESC LIMIT 1";
    Ok(q!(conn, fetch_optional scalar LeadId, sql, org)?)
}

fn build_steps(profile: &OrgProfile, facts: SetupFacts) -> Vec<SetupStep> {
    let org = &profile.org;
    let has_recipient = !profile.recipients.is_empty() || profile.reaches_office;
    let takes_cards = facts.has_card_keys && !facts.is_card_key_refused;
    [
        (SetupStepKey::Address, facts.is_address_proven, true),
        (SetupStepKey::Business, org.phone.is_some() || org.sms_number.is_some(), false),
        (SetupStepKey::Hours, has_openings(&profile.settings.hours), false),
        (SetupStepKey::Recipients, has_recipient, true),
        (SetupStepKey::Answer, answers_forms(profile), false),
        (SetupStepKey::Number, org.has_sender(), false),
        (SetupStepKey::Reviews, org.review_link.is_some(), false),
        (SetupStepKey::Crew, facts.has_crew, false),
        (SetupStepKey::Cards, takes_cards, facts.is_card_key_refused),
        (SetupStepKey::FirstRequest, facts.has_request, false),
    ]
    .map(|(key, is_done, is_costly)| {
        let is_urgent = is_costly && !is_done;
        SetupStep { key, is_done, is_urgent, is_hidden: profile.settings.setup_list.is_hidden && !is_urgent }
    })
    .to_vec()
}

fn has_openings(hours: &BusinessHours) -> bool {
    let week = &hours.week;
    [&week.mon, &week.tue, &week.wed, &week.thu, &week.fri, &week.sat, &week.sun].iter().any(|day| !day.is_empty())
}

fn answers_forms(profile: &OrgProfile) -> bool {
    let is_enabled = |kind| profile.wordings.is_enabled(kind);
    profile.switches.automated_communications
        && (is_enabled(TemplateKindName::Sms) || is_enabled(TemplateKindName::Email))
}
