//! Progress of a local number's registration in the database. Each change names the step that it ends, so that of two
//! workers at one step only one goes on.

use sqlx::types::Json;

use super::{
    super::{
        BusinessProfile, FOLLOW_PAUSE, LONGEST_REASON, MOST_CHECKS, TextingRegistration, TextingRegistrationKind,
        TextingRegistrationState, alert_rejected, announce_change, enqueue_named_step, insert_registration,
    },
    BrandType, StepKind, TenDlcProgress, TenDlcStep,
    local_state::{record_approval, store_local_state},
};
use crate::{
    domain::{messaging::alert, tenancy::org::CarrierRegistration},
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, q},
        error::Result,
        id::{AccountId, OrgId},
    },
};

/// Time between two looks at a profile or a brand. Their reviews take minutes to days.
const REVIEW_PAUSE: chrono::Duration = chrono::Duration::minutes(15);
const NOT_THROUGH: &str = "Your registration did not go through. Send it again.";
const ANSWER_TEXT: (&str, &str) = (
    "Answer the text about your registration",
    "Your mobile phone has got a text that asks whether the registration is yours. Answer YES within 24 hours.",
);
const STOPPED: (&str, &str) =
    ("Your registration for texts stopped", "Open Settings, Texting number, read why, and send it again.");

/// The registration of the business's local numbers.
pub async fn find_ten_dlc(conn: &mut dyn AsConn, org: OrgId) -> Result<Option<TextingRegistration>> {
    Ok(q!(
        conn,
        fetch_optional as TextingRegistration,
        "SELECT org_id, id, number, state, profile, provider_id, reason, is_editable, checks, created_at, sent_at,
             checked_at, step, progress FROM texting_registration WHERE org_id = $1 AND kind = 'ten_dlc'",
        org
    )?)
}

/// Whether the Messaging Service was made for the business's registration.
pub async fn owns_service(conn: &mut dyn AsConn, org: OrgId, service: &str) -> Result<bool> {
    let found = find_ten_dlc(conn, org).await?;
    let progress = found.as_ref().and_then(TextingRegistration::ten_dlc_progress);
    Ok(progress.and_then(|progress| progress.find_sid(TenDlcStep::MessagingService)) == Some(service))
}

/// Stores what the business says about itself, to be submitted step by step. The caller has locked the org.
///
/// # Errors
/// `Error::Conflict` while it is in review, and after its end.
pub async fn submit_ten_dlc(
    tx: &mut Tx,
    origin: &ClockRng,
    by: (OrgId, AccountId),
    number: &str,
    profile: BusinessProfile,
) -> Result<()> {
    let org = by.0;
    let brand = BrandType::of_profile(&profile);
    let stored = find_ten_dlc(&mut *tx, org).await?;
    let (id, step, progress) = if let Some(stored) = &stored {
        if let Some(code) = stored.refusal_code() {
            return Err(code.into_error());
        }
        let (step, progress) = plan_restart(stored.step, stored.ten_dlc_progress(), brand);
        (stored.id, step, progress)
    } else {
        let kind = TextingRegistrationKind::TenDlc;
        let id = insert_registration(tx, origin, by, (kind, number), BusinessProfile::default()).await?;
        (id, TenDlcStep::FIRST, TenDlcProgress::for_brand(brand))
    };
    let kept = if step > TenDlcStep::BusinessInformation { profile.without_ein() } else { profile };
    let sql =
        "UPDATE texting_registration SET state = 'waiting', profile = $3, account_id = $4, number = $5, step = $6,
             progress = $7, reason = NULL, checks = 0, created_at = $8, sent_at = NULL WHERE org_id = $1 AND id = $2";
    let now = origin.now();
    q!(&mut *tx, execute, sql, org, id, Json(kept), by.1, number, step, Json(progress), now)?;
    enqueue_named_step(tx, origin, (org, id), now, &step_name(step, "")).await?;
    store_local_state(tx, origin, org, number, CarrierRegistration::Pending).await
}

/// Where a submission begins, and what of Twilio it goes on with.
fn plan_restart(
    stopped_at: Option<TenDlcStep>,
    progress: Option<&TenDlcProgress>,
    brand: BrandType,
) -> (TenDlcStep, TenDlcProgress) {
    let kept = progress.filter(|progress| progress.brand_type == brand).cloned();
    let start = stopped_at.unwrap_or(TenDlcStep::FIRST).restart_step(kept.is_none());
    (start, kept.unwrap_or_else(|| TenDlcProgress::for_brand(brand)))
}

/// Name of a step in the key of its task.
pub(super) fn step_name(step: TenDlcStep, again: &str) -> String {
    format!("{step:?}{again}")
}

/// Twilio is about to be asked. False when another worker asks. Must be committed before the call.
pub async fn mark_step_sending(
    tx: &mut Tx,
    origin: &ClockRng,
    one: &TextingRegistration,
    step: TenDlcStep,
) -> Result<bool> {
    let sql =
        "UPDATE texting_registration SET state = 'sending', sent_at = $4, checks = 0 WHERE org_id = $1 AND id = $2
         AND step = $3 AND state = 'waiting'";
    Ok(q!(tx, execute, sql, one.org_id, one.id, step, origin.now())? == 1)
}

/// The step is done, and has made `sid`: `next` follows at once. Behind the last one the texts are approved. The EIN is
/// removed when Twilio has it.
pub async fn record_step(
    tx: &mut Tx,
    origin: &ClockRng,
    one: &TextingRegistration,
    (step, next): (TenDlcStep, Option<TenDlcStep>),
    progress: TenDlcProgress,
) -> Result<()> {
    let Some(next) = next else { return record_approval(tx, origin, one, step).await };
    let has_ein = next <= TenDlcStep::BusinessInformation;
    let profile = one.stored_profile().clone();
    let profile = if has_ein { profile } else { profile.without_ein() };
    let sql = "UPDATE texting_registration SET state = 'waiting', step = $4, progress = $5, profile = $6, checks = 0,
             sent_at = NULL, checked_at = $7 WHERE org_id = $1 AND id = $2 AND step = $3
             AND state IN ('waiting', 'sending', 'pending_review', 'in_review')";
    let now = origin.now();
    let (org, id) = (one.org_id, one.id);
    if q!(&mut *tx, execute, sql, org, id, step, next, Json(progress), Json(profile), now)? == 0 {
        return Ok(());
    }
    let again = if next == step { " again" } else { "" };
    enqueue_named_step(tx, origin, (org, id), now, &step_name(next, again)).await?;
    if next.registration_phase() != step.registration_phase() || next.step_kind() == StepKind::Review {
        announce_change(tx, origin, org).await?;
    }
    Ok(())
}

/// Twilio's list does not have what the step may have made. What costs money is not sent again without the owner.
pub async fn record_step_absence(
    tx: &mut Tx,
    origin: &ClockRng,
    one: &TextingRegistration,
    step: TenDlcStep,
) -> Result<()> {
    let checked = TextingRegistration { checks: one.checks + 1, ..one.clone() };
    if checked.checks >= MOST_CHECKS && step.step_kind() == StepKind::Charge {
        return fail_step(tx, origin, one, step, NOT_THROUGH).await;
    }
    let is_over = checked.checks >= MOST_CHECKS;
    let state = if is_over { TextingRegistrationState::Waiting } else { TextingRegistrationState::Sending };
    let sql = "UPDATE texting_registration SET checks = $4, state = $5 WHERE org_id = $1 AND id = $2 AND step = $3
         AND state = 'sending'";
    if q!(&mut *tx, execute, sql, one.org_id, one.id, step, checked.checks, state)? == 0 {
        return Ok(());
    }
    let run_at = if is_over { origin.now() } else { checked.next_check() };
    enqueue_named_step(tx, origin, (one.org_id, one.id), run_at, &step_name(step, " absent")).await
}

/// Looks at Twilio's list when the doubt can be settled.
pub async fn schedule_step_check(
    tx: &mut Tx,
    origin: &ClockRng,
    one: &TextingRegistration,
    step: TenDlcStep,
) -> Result<()> {
    enqueue_named_step(tx, origin, (one.org_id, one.id), one.next_check(), &step_name(step, " check")).await
}

/// Twilio could not be asked: the same step runs again later.
pub async fn schedule_later_look(
    tx: &mut Tx,
    origin: &ClockRng,
    one: &TextingRegistration,
    step: TenDlcStep,
) -> Result<()> {
    let run_at = origin.now() + REVIEW_PAUSE;
    enqueue_named_step(tx, origin, (one.org_id, one.id), run_at, &step_name(step, "")).await
}

/// Twilio has certainly not got it, and may be asked again.
pub async fn mark_step_unsent(tx: &mut Tx, one: &TextingRegistration, step: TenDlcStep) -> Result<()> {
    let sql = "UPDATE texting_registration SET state = 'waiting', sent_at = NULL WHERE org_id = $1 AND id = $2
         AND step = $3 AND state = 'sending'";
    q!(tx, execute, sql, one.org_id, one.id, step)?;
    Ok(())
}

/// It is looked at again later. `waits_for_owner`: a sole proprietor has a text to answer.
pub async fn record_review(
    tx: &mut Tx,
    origin: &ClockRng,
    one: &TextingRegistration,
    step: TenDlcStep,
    waits_for_owner: bool,
) -> Result<()> {
    let state =
        if waits_for_owner { TextingRegistrationState::InReview } else { TextingRegistrationState::PendingReview };
    let sql =
        "UPDATE texting_registration SET state = $4, sent_at = NULL, checked_at = $5 WHERE org_id = $1 AND id = $2
         AND step = $3 AND state IN ('waiting', 'pending_review', 'in_review')";
    if q!(&mut *tx, execute, sql, one.org_id, one.id, step, state, origin.now())? == 0 {
        return Ok(());
    }
    let pause = if step == TenDlcStep::ReviewCampaign { FOLLOW_PAUSE } else { REVIEW_PAUSE };
    let run_at = origin.now() + pause;
    enqueue_named_step(tx, origin, (one.org_id, one.id), run_at, &step_name(step, "")).await?;
    if waits_for_owner && one.state != state {
        let key = format!("texting_registration:{}:answer:{}", one.id, one.created_at.timestamp());
        alert::alert_channel_trouble(tx, origin, one.org_id, key, ANSWER_TEXT).await?;
    }
    if one.state == state { Ok(()) } else { announce_change(tx, origin, one.org_id).await }
}

pub async fn record_rejection(
    tx: &mut Tx,
    origin: &ClockRng,
    one: &TextingRegistration,
    step: TenDlcStep,
    reason: &str,
) -> Result<()> {
    let reason: String = reason.chars().take(LONGEST_REASON).collect();
    let sql = "UPDATE texting_registration SET state = 'rejected', reason = $4, is_editable = TRUE, profile = $5,
             checked_at = $6 WHERE org_id = $1 AND id = $2 AND step = $3
             AND state IN ('waiting', 'sending', 'pending_review', 'in_review')";
    let profile = Json(one.stored_profile().clone().without_ein());
    if q!(&mut *tx, execute, sql, one.org_id, one.id, step, reason, profile, origin.now())? == 0 {
        return Ok(());
    }
    alert_rejected(tx, origin, one).await?;
    announce_change(tx, origin, one.org_id).await
}

/// The step was not taken, and nothing goes on without the owner.
pub async fn fail_step(
    tx: &mut Tx,
    origin: &ClockRng,
    one: &TextingRegistration,
    step: TenDlcStep,
    reason: &str,
) -> Result<()> {
    let sql =
        "UPDATE texting_registration SET state = 'failed', reason = $4, profile = $5 WHERE org_id = $1 AND id = $2
         AND step = $3 AND state IN ('waiting', 'sending')";
    let profile = Json(one.stored_profile().clone().without_ein());
    if q!(&mut *tx, execute, sql, one.org_id, one.id, step, reason, profile)? == 0 {
        return Ok(());
    }
    let key = format!("texting_registration:{}:stopped:{}", one.id, origin.now().timestamp());
    alert::alert_channel_trouble(tx, origin, one.org_id, key, STOPPED).await?;
    announce_change(tx, origin, one.org_id).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_kind_of_brand_begins_with_nothing() {
        let stored = TenDlcProgress::for_brand(BrandType::SoleProprietor).with_sid(TenDlcStep::Brand, "BN1");
        let (step, kept) = plan_restart(Some(TenDlcStep::ReviewCampaign), Some(&stored), BrandType::SoleProprietor);
        assert_eq!((step, kept.find_sid(TenDlcStep::Brand)), (TenDlcStep::MessagingService, Some("BN1")));
        let (step, fresh) = plan_restart(Some(TenDlcStep::ReviewCampaign), Some(&stored), BrandType::LowVolumeStandard);
        assert_eq!((step, fresh), (TenDlcStep::FIRST, TenDlcProgress::for_brand(BrandType::LowVolumeStandard)));
        let (step, _) = plan_restart(None, None, BrandType::LowVolumeStandard);
        assert_eq!(step, TenDlcStep::FIRST);
    }
}
