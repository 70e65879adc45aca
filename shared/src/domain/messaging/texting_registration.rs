//! Registration of a business's texts with the carriers: toll-free verification of its number at Twilio, or brand and
//! campaign of its local numbers ([`ten_dlc`]).
//!
//! A worker submits what the business wrote, without sending it twice: a submission without an answer is settled by the
//! list of the number's verifications. It then follows the state and sets the registration in the settings, by which
//! texts leave or emails take their place (`why_texts_blocked`). The EIN is sent and not kept: it is removed when Twilio
//! has it, and when the registration ends.

use chrono::{DateTime, Duration, Utc};
use serde::Serialize;
use sqlx::{FromRow, types::Json};
use utoipa::ToSchema;

use super::alert;
use crate::{
    conflicts::ConflictCode,
    domain::tenancy::{
        audit::{self, AuditAction, AuditActor},
        org,
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, insert_row, q},
        error::Result,
        id::{AccountId, OrgId, TextingRegistrationId},
        live::{self, Topic},
        phone::Phone,
        tasks::{self, NewTask, TaskKind},
    },
    providers::sms::{TollFreeStatus, TollFreeVerification},
};

mod business_profile;
pub mod kit;
mod number_change;
mod number_choice;
pub mod ten_dlc;

pub(in crate::domain::messaging) use number_change::follow_sending_number;

pub use business_profile::{BusinessProfile, LegalForm, MonthlyTexts};
pub use number_choice::find_number_to_register;

use ten_dlc::{TenDlcProgress, TenDlcStep};

/// Time after which a submission that Twilio was never asked about is given up.
const PATIENCE: Duration = Duration::hours(1);
/// Time between two looks at the list while it is in doubt whether Twilio has the submission.
const CHECK_PAUSE: Duration = Duration::minutes(1);
const MOST_CHECKS: i64 = 2;
/// Time between two looks at the state. A review takes days.
const FOLLOW_PAUSE: Duration = Duration::hours(6);
/// Characters of Twilio's reason that are kept.
const LONGEST_REASON: usize = 500;

/// What the carriers register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum TextingRegistrationKind {
    /// Verification of a toll-free number.
    TollFree,
    /// Brand and campaign of a local number (A2P 10DLC).
    TenDlc,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum TextingRegistrationState {
    /// It waits to be sent.
    Waiting,
    /// Twilio may have it.
    Sending,
    PendingReview,
    InReview,
    Approved,
    Rejected,
    /// It could not be sent.
    Failed,
}

#[derive(Clone, Debug, FromRow)]
pub struct TextingRegistration {
    pub org_id: OrgId,
    pub id: TextingRegistrationId,
    /// E.164.
    pub number: String,
    pub state: TextingRegistrationState,
    profile: Json<BusinessProfile>,
    /// Twilio's id.
    pub provider_id: Option<String>,
    pub reason: Option<String>,
    pub is_editable: bool,
    checks: i64,
    pub created_at: DateTime<Utc>,
    pub sent_at: Option<DateTime<Utc>>,
    pub checked_at: Option<DateTime<Utc>>,
    /// The next step of a local number's registration.
    pub step: Option<TenDlcStep>,
    progress: Option<Json<TenDlcProgress>>,
}

impl TextingRegistration {
    #[must_use]
    pub const fn stored_profile(&self) -> &BusinessProfile {
        &self.profile.0
    }

    #[must_use]
    pub fn ten_dlc_progress(&self) -> Option<&TenDlcProgress> {
        self.progress.as_ref().map(|progress| &progress.0)
    }

    /// The phone of a sole proprietor that has got Twilio's text, to be answered with YES.
    #[must_use]
    pub fn confirmation_phone(&self) -> Option<&str> {
        let is_asked = self.step == Some(TenDlcStep::ReviewBrand) && self.state == TextingRegistrationState::InReview;
        is_asked.then_some(self.stored_profile().contact_phone.as_str())
    }

    /// Counted from the submission, or from the last step.
    #[must_use]
    pub fn is_expired(&self, now: DateTime<Utc>) -> bool {
        let since = self.checked_at.map_or(self.created_at, |checked_at| checked_at.max(self.created_at));
        now > since + PATIENCE
    }

    /// When the list is read next to settle a doubt.
    #[must_use]
    pub fn next_check(&self) -> DateTime<Utc> {
        let pauses = i32::try_from(self.checks.clamp(0, MOST_CHECKS) + 1).unwrap_or(1);
        self.sent_at.unwrap_or(self.created_at) + CHECK_PAUSE * pauses
    }

    /// Why it cannot be submitted again now.
    #[must_use]
    pub const fn refusal_code(&self) -> Option<ConflictCode> {
        match self.state {
            TextingRegistrationState::Waiting
            | TextingRegistrationState::Sending
            | TextingRegistrationState::PendingReview
            | TextingRegistrationState::InReview => Some(ConflictCode::TextingRegistrationOpen),
            TextingRegistrationState::Approved => Some(ConflictCode::TextingRegistrationFinal),
            TextingRegistrationState::Rejected if !self.is_editable => Some(ConflictCode::TextingRegistrationFinal),
            TextingRegistrationState::Rejected | TextingRegistrationState::Failed => None,
        }
    }
}

pub async fn find_by_number(conn: &mut dyn AsConn, org: OrgId, number: &str) -> Result<Option<TextingRegistration>> {
    Ok(q!(
        conn,
        fetch_optional as TextingRegistration,
        "SELECT org_id, id, number, state, profile, provider_id, reason, is_editable, checks, created_at, sent_at,
             checked_at, step, progress FROM texting_registration WHERE org_id = $1 AND number = $2",
        org,
        number
    )?)
}

pub async fn find_by_id(
    conn: &mut dyn AsConn,
    org: OrgId,
    id: TextingRegistrationId,
) -> Result<Option<TextingRegistration>> {
    Ok(q!(
        conn,
        fetch_optional as TextingRegistration,
        "SELECT org_id, id, number, state, profile, provider_id, reason, is_editable, checks, created_at, sent_at,
             checked_at, step, progress FROM texting_registration WHERE org_id = $1 AND id = $2",
        org,
        id
    )?)
}

/// Stores what the business says about itself, to be submitted. The caller has locked the org.
///
/// # Errors
/// `Error::Conflict` while it is in review, and after its end.
pub async fn submit_registration(
    tx: &mut Tx,
    origin: &ClockRng,
    (org, account): (OrgId, AccountId),
    number: &str,
    profile: BusinessProfile,
) -> Result<()> {
    let stored = find_by_number(&mut *tx, org, number).await?;
    let id = if let Some(stored) = stored {
        if let Some(code) = stored.refusal_code() {
            return Err(code.into_error());
        }
        let sql = "UPDATE texting_registration SET state = 'waiting', profile = $3, account_id = $4, reason = NULL,
                 checks = 0, created_at = $5, sent_at = NULL WHERE org_id = $1 AND id = $2";
        q!(&mut *tx, execute, sql, org, stored.id, Json(profile), account, origin.now())?;
        stored.id
    } else {
        insert_registration(tx, origin, (org, account), (TextingRegistrationKind::TollFree, number), profile).await?
    };
    enqueue_step(tx, origin, (org, id), origin.now()).await?;
    require_registration(tx, origin, org, number).await
}

async fn insert_registration(
    tx: &mut Tx,
    origin: &ClockRng,
    (org, account): (OrgId, AccountId),
    (kind, number): (TextingRegistrationKind, &str),
    profile: BusinessProfile,
) -> Result<TextingRegistrationId> {
    let id = TextingRegistrationId(origin.uuid_v7());
    insert_row!(
        tx,
        execute,
        texting_registration {
            org_id: org,
            id,
            kind,
            number,
            state: TextingRegistrationState::Waiting,
            account_id: account,
            profile: Json(profile),
            is_editable: false,
            checks: 0_i64,
            created_at: origin.now(),
        }
    )?;
    Ok(id)
}

/// Twilio is about to be asked. False when it was asked before. Must be committed before the call.
pub async fn mark_sending(tx: &mut Tx, origin: &ClockRng, one: &TextingRegistration) -> Result<bool> {
    let sql =
        "UPDATE texting_registration SET state = 'sending', sent_at = $3, checks = 0 WHERE org_id = $1 AND id = $2
         AND state = 'waiting'";
    Ok(q!(tx, execute, sql, one.org_id, one.id, origin.now())? == 1)
}

/// Twilio has certainly not got it, and may be asked again.
pub async fn mark_unsent(tx: &mut Tx, one: &TextingRegistration) -> Result<()> {
    let sql = "UPDATE texting_registration SET state = 'waiting', sent_at = NULL WHERE org_id = $1 AND id = $2
         AND state = 'sending'";
    q!(tx, execute, sql, one.org_id, one.id)?;
    Ok(())
}

pub async fn schedule_check(tx: &mut Tx, origin: &ClockRng, one: &TextingRegistration) -> Result<()> {
    enqueue_step(tx, origin, (one.org_id, one.id), one.next_check()).await
}

/// Twilio's list does not have the submission. After the last look it was not sent.
pub async fn record_absence(tx: &mut Tx, origin: &ClockRng, one: &TextingRegistration) -> Result<()> {
    let checked = TextingRegistration { checks: one.checks + 1, ..one.clone() };
    let sql = "UPDATE texting_registration SET checks = $3 WHERE org_id = $1 AND id = $2 AND state = 'sending'";
    q!(&mut *tx, execute, sql, one.org_id, one.id, checked.checks)?;
    if checked.checks < MOST_CHECKS {
        return schedule_check(tx, origin, &checked).await;
    }
    fail_registration(tx, origin, one, "Your registration did not go through. Send it again.").await
}

pub async fn fail_registration(tx: &mut Tx, origin: &ClockRng, one: &TextingRegistration, reason: &str) -> Result<()> {
    let sql =
        "UPDATE texting_registration SET state = 'failed', reason = $3, profile = $4 WHERE org_id = $1 AND id = $2
         AND state IN ('waiting', 'sending')";
    let profile = Json(one.stored_profile().clone().without_ein());
    q!(&mut *tx, execute, sql, one.org_id, one.id, reason, profile)?;
    announce_change(tx, origin, one.org_id).await
}

/// Stores the state at Twilio, and looks again later while it is in review. The owners are alerted of the outcome.
pub async fn record_verification(
    tx: &mut Tx,
    origin: &ClockRng,
    one: &TextingRegistration,
    found: &TollFreeVerification,
) -> Result<()> {
    org::lock(&mut *tx, one.org_id).await?;
    let state = TextingRegistrationState::from(found.status);
    let reason: Option<String> =
        found.rejection_reason.as_ref().map(|reason| reason.chars().take(LONGEST_REASON).collect());
    let sql = "UPDATE texting_registration SET state = $3, provider_id = $4, reason = $5, is_editable = $6,
             checked_at = $7, profile = $8 WHERE org_id = $1 AND id = $2 AND state NOT IN ('approved', 'failed')";
    let is_open = q!(
        &mut *tx,
        execute,
        sql,
        one.org_id,
        one.id,
        state,
        &found.sid,
        reason.as_deref(),
        found.is_editable,
        origin.now(),
        Json(one.stored_profile().clone().without_ein())
    )?;
    if is_open == 0 {
        return Ok(());
    }
    match state {
        TextingRegistrationState::Approved => approve_texts(tx, origin, one).await?,
        TextingRegistrationState::Rejected => alert_rejected(tx, origin, one).await?,
        _ => enqueue_step(tx, origin, (one.org_id, one.id), origin.now() + FOLLOW_PAUSE).await?,
    }
    announce_change(tx, origin, one.org_id).await
}

/// The list does not name the verification now: the state stays, and is read again later.
pub async fn schedule_follow_up(tx: &mut Tx, origin: &ClockRng, one: &TextingRegistration) -> Result<()> {
    enqueue_step(tx, origin, (one.org_id, one.id), origin.now() + FOLLOW_PAUSE).await
}

async fn approve_texts(tx: &mut Tx, origin: &ClockRng, one: &TextingRegistration) -> Result<()> {
    set_registration(tx, origin, one.org_id, &one.number, org::CarrierRegistration::Approved).await?;
    alert_approved(tx, origin, one, "approved").await
}

/// `what` is approved: one alert for each.
async fn alert_approved(tx: &mut Tx, origin: &ClockRng, one: &TextingRegistration, what: &str) -> Result<()> {
    let words =
        ("Your texts are approved", "The carriers have verified your number. Texts to customers leave from now on.");
    alert::alert_channel_trouble(tx, origin, one.org_id, format!("texting_registration:{}:{what}", one.id), words).await
}

async fn alert_rejected(tx: &mut Tx, origin: &ClockRng, one: &TextingRegistration) -> Result<()> {
    let words = (
        "Your registration for texts was turned down",
        "Open Settings, Texting number, read why, correct your details and send them again.",
    );
    let key = format!("texting_registration:{}:{}", one.id, origin.now().timestamp());
    alert::alert_channel_trouble(tx, origin, one.org_id, key, words).await
}

/// Carriers block texts of a toll-free number until it is verified: where the business sends from it, texts wait for the
/// verification, and emails take their place. The caller has locked the org.
async fn require_registration(tx: &mut Tx, origin: &ClockRng, org: OrgId, number: &str) -> Result<()> {
    if Phone::from_e164(number).is_none_or(|phone| !phone.is_toll_free()) {
        return Ok(());
    }
    set_registration(tx, origin, org, number, org::CarrierRegistration::Pending).await
}

async fn set_registration(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    number: &str,
    registration: org::CarrierRegistration,
) -> Result<()> {
    let sends_from = org::find(&mut *tx, org).await?.and_then(|found| found.sms_number);
    if sends_from.as_deref() != Some(number) {
        return Ok(());
    }
    let sending =
        org::settings::SendingPatch { registration: Some(registration), ..org::settings::SendingPatch::default() };
    let patch = org::SettingsPatch { sending: Some(sending), ..org::SettingsPatch::default() };
    org::change_settings(tx, origin, org, &patch).await?;
    audit::record(tx, origin, &AuditActor::default(), org, AuditAction::SettingsChanged, Some(org.0)).await?;
    announce_change(tx, origin, org).await
}

async fn announce_change(tx: &mut Tx, origin: &ClockRng, org: OrgId) -> Result<()> {
    live::publish_event(tx, origin, org, Topic::Settings, org.0, None).await
}

async fn enqueue_step(
    tx: &mut Tx,
    origin: &ClockRng,
    place: (OrgId, TextingRegistrationId),
    run_at: DateTime<Utc>,
) -> Result<()> {
    enqueue_named_step(tx, origin, place, run_at, "").await
}

/// The name tells steps of one moment apart.
async fn enqueue_named_step(
    tx: &mut Tx,
    origin: &ClockRng,
    (org, id): (OrgId, TextingRegistrationId),
    run_at: DateTime<Utc>,
    name: &str,
) -> Result<()> {
    let task = NewTask {
        org: Some(org),
        kind: TaskKind::RegisterTexting,
        subject: Some(id.0),
        run_at,
        unique_key: format!("texting_registration:{id}:{}{name}", run_at.timestamp_millis()),
    };
    tasks::enqueue(tx, origin, vec![task]).await.map(|_| ())
}

impl From<TollFreeStatus> for TextingRegistrationState {
    fn from(status: TollFreeStatus) -> Self {
        match status {
            TollFreeStatus::PendingReview => Self::PendingReview,
            TollFreeStatus::InReview => Self::InReview,
            TollFreeStatus::TwilioApproved => Self::Approved,
            TollFreeStatus::TwilioRejected => Self::Rejected,
        }
    }
}
