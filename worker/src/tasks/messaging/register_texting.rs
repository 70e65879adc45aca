//! Submits the registration of a business's texts to Twilio, once, and follows its state.

use shared::{
    domain::{
        messaging::texting_registration::{self, TextingRegistration, TextingRegistrationState, kit::RegistrationKit},
        tenancy::org,
    },
    platform::{
        error::{Error, Result},
        id::{OrgId, TextingRegistrationId},
    },
    providers::{
        SendError,
        sms::{TollFreeRequest, TollFreeStatus, TollFreeVerification},
    },
};

use super::register_ten_dlc;
use crate::Context;

const TOO_LATE: &str = "The phone company could not be reached. Send your registration again.";
const NOT_IN_ACCOUNT: &str = "The number is not in the account of this Toolbox. Tell the people who run it.";
const REFUSED: &str = "The phone company did not take your registration. Check your details and send it again.";
const ACCOUNT_REFUSED: &str =
    "The phone account of this Toolbox does not work right now. Tell the people who run it, then send it again.";

/// Idempotent: a submission that may have reached Twilio is settled by the list of the number's verifications.
///
/// # Errors
/// [`Error::Unavailable`] when Twilio cannot be asked: retried.
pub async fn run_registration(context: &Context, org: Option<OrgId>, id: TextingRegistrationId) -> Result<()> {
    let Some(org) = org else { return Ok(()) };
    let found = texting_registration::find_by_id(&mut context.db.acquire_reader().await?, org, id).await?;
    let Some(registration) = found else { return Ok(()) };
    if let Some(step) = registration.step {
        return register_ten_dlc::run_step(context, &registration, step).await;
    }
    match registration.state {
        TextingRegistrationState::Waiting => start_submission(context, &registration).await,
        TextingRegistrationState::Sending => settle_submission(context, &registration).await,
        TextingRegistrationState::PendingReview | TextingRegistrationState::InReview => {
            follow_review(context, &registration).await
        }
        TextingRegistrationState::Approved | TextingRegistrationState::Rejected | TextingRegistrationState::Failed => {
            Ok(())
        }
    }
}

async fn start_submission(context: &Context, registration: &TextingRegistration) -> Result<()> {
    if registration.is_expired(context.origin.now()) {
        return fail_submission(context, registration, TOO_LATE).await;
    }
    let (sid, listed) = match list_verifications(context, registration).await {
        Ok(Some(found)) => found,
        Ok(None) => return fail_submission(context, registration, NOT_IN_ACCOUNT).await,
        Err(SendError::Refused { .. } | SendError::NotSetUp { .. }) => {
            return fail_submission(context, registration, ACCOUNT_REFUSED).await;
        }
        Err(error) => return Err(Error::Unavailable(error.to_string())),
    };
    match listed.into_iter().next() {
        // The operator has submitted it in Twilio's console, or an earlier attempt reached Twilio.
        Some(found) if found.status != TollFreeStatus::TwilioRejected => {
            record_verification(context, registration, &found).await
        }
        found => submit(context, registration, sid, found).await,
    }
}

/// Corrects the rejected verification where Twilio allows it, else makes a new one.
async fn submit(
    context: &Context,
    registration: &TextingRegistration,
    number_sid: String,
    rejected: Option<TollFreeVerification>,
) -> Result<()> {
    let mut tx = context.db.begin().await?;
    let owner = org::find(&mut tx, registration.org_id).await?;
    let is_ours = texting_registration::mark_sending(&mut tx, &context.origin, registration).await?;
    tx.commit().await?;
    let Some(owner) = owner.filter(|_| is_ours) else { return Ok(()) };
    let kit = RegistrationKit::from_org(&owner, &context.public_url);
    let fields = registration.stored_profile().to_toll_free_fields(&owner, &kit);
    let request = TollFreeRequest { number_sid, reference: registration.id.to_string(), fields };
    let sent = match rejected.filter(|found| found.is_editable) {
        Some(found) => context.sms.resubmit_toll_free(&found.sid, &request).await,
        None => context.sms.submit_toll_free(&request).await,
    };
    match sent {
        Ok(found) => record_verification(context, registration, &found).await,
        Err(SendError::Unknown { .. }) => schedule_check(context, registration).await,
        Err(error @ (SendError::Retry { .. } | SendError::Busy { .. })) => {
            let mut tx = context.db.begin().await?;
            texting_registration::mark_unsent(&mut tx, registration).await?;
            tx.commit().await?;
            Err(Error::Unavailable(error.to_string()))
        }
        Err(_) => fail_submission(context, registration, REFUSED).await,
    }
}

/// No answer came, or a worker died meanwhile: the list of the number's verifications decides.
async fn settle_submission(context: &Context, registration: &TextingRegistration) -> Result<()> {
    if context.origin.now() < registration.next_check() {
        return schedule_check(context, registration).await;
    }
    let listed = list_verifications(context, registration).await.map_err(|e| Error::Unavailable(e.to_string()))?;
    let is_taken = |found: &TollFreeVerification| found.status != TollFreeStatus::TwilioRejected;
    if let Some(found) = listed.and_then(|(_, listed)| listed.into_iter().find(is_taken)) {
        return record_verification(context, registration, &found).await;
    }
    let mut tx = context.db.begin().await?;
    texting_registration::record_absence(&mut tx, &context.origin, registration).await?;
    tx.commit().await?;
    context.announcer.notify_changed();
    Ok(())
}

async fn follow_review(context: &Context, registration: &TextingRegistration) -> Result<()> {
    let listed = list_verifications(context, registration).await.map_err(|e| Error::Unavailable(e.to_string()))?;
    let is_it = |found: &TollFreeVerification| Some(&found.sid) == registration.provider_id.as_ref();
    if let Some(found) = listed.and_then(|(_, listed)| listed.into_iter().find(is_it)) {
        return record_verification(context, registration, &found).await;
    }
    let mut tx = context.db.begin().await?;
    texting_registration::schedule_follow_up(&mut tx, &context.origin, registration).await?;
    tx.commit().await
}

/// The number's id at Twilio with its verifications, newest first; none when the number is not in the account.
async fn list_verifications(
    context: &Context,
    registration: &TextingRegistration,
) -> Result<Option<(String, Vec<TollFreeVerification>)>, SendError> {
    let numbers = context.sms.list_account_numbers(Some(&registration.number)).await?;
    let Some(number) = numbers.into_iter().next() else { return Ok(None) };
    let listed = context.sms.list_toll_free(&number.sid).await?;
    Ok(Some((number.sid, listed)))
}

/// Reads the registration again: it knows when it was sent.
async fn schedule_check(context: &Context, registration: &TextingRegistration) -> Result<()> {
    let mut tx = context.db.begin().await?;
    if let Some(sent) = texting_registration::find_by_id(&mut tx, registration.org_id, registration.id).await? {
        texting_registration::schedule_check(&mut tx, &context.origin, &sent).await?;
    }
    tx.commit().await
}

async fn record_verification(
    context: &Context,
    registration: &TextingRegistration,
    found: &TollFreeVerification,
) -> Result<()> {
    let mut tx = context.db.begin().await?;
    texting_registration::record_verification(&mut tx, &context.origin, registration, found).await?;
    tx.commit().await?;
    context.announcer.notify_changed();
    Ok(())
}

async fn fail_submission(context: &Context, registration: &TextingRegistration, reason: &str) -> Result<()> {
    let mut tx = context.db.begin().await?;
    texting_registration::fail_registration(&mut tx, &context.origin, registration, reason).await?;
    tx.commit().await?;
    context.announcer.notify_changed();
    Ok(())
}
