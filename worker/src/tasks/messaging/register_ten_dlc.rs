//! One step of the registration of a business's local numbers (A2P 10DLC) at Twilio: looks for what exists, and creates,
//! changes, submits or follows it.

use shared::{
    domain::{
        messaging::texting_registration::{
            TextingRegistration, TextingRegistrationState,
            kit::RegistrationKit,
            ten_dlc::{
                StepKind, TenDlcProgress, TenDlcStep,
                calls::{StepCall, StepInputs, build_call},
                store,
            },
        },
        tenancy::org,
    },
    platform::error::{Error, Result},
    providers::SendError,
};

use crate::Context;

mod step_run;

const TOO_LATE: &str = "The phone company could not be reached. Send your registration again.";
const NOT_IN_ACCOUNT: &str = "The number is not in the account of this Toolbox. Tell the people who run it.";
/// A step before has left nothing to build on.
const INCOMPLETE: &str = "Your registration did not go through. Send it again.";
const NOT_OFFERED: &str =
    "This Toolbox does not register local numbers any longer. Ask the people who run it to register yours.";

/// A step with what it needs.
struct StepRun<'a> {
    context: &'a Context,
    registration: &'a TextingRegistration,
    step: TenDlcStep,
    progress: &'a TenDlcProgress,
    call: StepCall,
}

/// Idempotent: what Twilio may have is settled by its lists.
///
/// # Errors
/// [`Error::Unavailable`] when Twilio cannot be asked: retried.
pub async fn run_step(context: &Context, registration: &TextingRegistration, step: TenDlcStep) -> Result<()> {
    match registration.state {
        TextingRegistrationState::Approved | TextingRegistrationState::Rejected | TextingRegistrationState::Failed => {
            Ok(())
        }
        _ => carry_out_step(context, registration, step).await,
    }
}

async fn carry_out_step(context: &Context, registration: &TextingRegistration, step: TenDlcStep) -> Result<()> {
    let Some(run) = prepare_step(context, registration, step).await? else { return Ok(()) };
    match (step.step_kind(), registration.state) {
        (StepKind::Review, _) => run.follow_review().await,
        (_, TextingRegistrationState::Sending) => run.settle_doubt().await,
        (StepKind::Evaluate, _) => run.evaluate_bundle().await,
        (StepKind::Submit, _) => run.submit_bundle().await,
        (StepKind::Create | StepKind::Describe | StepKind::Assign | StepKind::Charge, _) => run.ensure_part().await,
    }
}

/// None when the registration has ended meanwhile, or ends here.
async fn prepare_step<'a>(
    context: &'a Context,
    registration: &'a TextingRegistration,
    step: TenDlcStep,
) -> Result<Option<StepRun<'a>>> {
    let found = org::find(&mut context.db.acquire_reader().await?, registration.org_id).await?;
    let (Some(owner), Some(progress)) = (found, registration.ten_dlc_progress()) else { return Ok(None) };
    let primary_profile = context.sms.primary_profile();
    // What was submitted is followed to its end.
    if primary_profile.is_none() && step.step_kind() != StepKind::Review {
        fail(context, registration, step, NOT_OFFERED).await?;
        return Ok(None);
    }
    let number_sid = match find_number_sid(context, registration, step).await {
        Ok(Some(sid)) => sid,
        Ok(None) => {
            fail(context, registration, step, NOT_IN_ACCOUNT).await?;
            return Ok(None);
        }
        Err(error) => {
            retry_or_give_up(context, registration, step, &error).await?;
            return Ok(None);
        }
    };
    let kit = RegistrationKit::from_org(&owner, &context.public_url);
    let inputs = StepInputs {
        id: registration.id,
        org: &owner,
        profile: registration.stored_profile(),
        progress,
        kit: &kit,
        primary_profile: primary_profile.unwrap_or_default(),
        number: &registration.number,
        number_sid: &number_sid,
    };
    let Some(call) = build_call(step, &inputs) else {
        fail(context, registration, step, INCOMPLETE).await?;
        return Ok(None);
    };
    Ok(Some(StepRun { context, registration, step, progress, call }))
}

/// Empty where the step needs none; none when the number is not in the account.
async fn find_number_sid(
    context: &Context,
    registration: &TextingRegistration,
    step: TenDlcStep,
) -> std::result::Result<Option<String>, SendError> {
    if step != TenDlcStep::SenderNumber {
        return Ok(Some(String::new()));
    }
    let listed = context.sms.list_account_numbers(Some(&registration.number)).await?;
    Ok(listed.into_iter().find(|one| one.number == registration.number).map(|one| one.sid))
}

/// Twilio could not be asked. After an hour the owner decides.
async fn retry_or_give_up(
    context: &Context,
    one: &TextingRegistration,
    step: TenDlcStep,
    error: &SendError,
) -> Result<()> {
    if one.is_expired(context.origin.now()) {
        return fail(context, one, step, TOO_LATE).await;
    }
    Err(unavailable(error))
}

fn unavailable(error: &SendError) -> Error {
    Error::Unavailable(error.to_string())
}

async fn fail(context: &Context, one: &TextingRegistration, step: TenDlcStep, reason: &str) -> Result<()> {
    let mut tx = context.db.begin().await?;
    store::fail_step(&mut tx, &context.origin, one, step, reason).await?;
    tx.commit().await?;
    context.announcer.notify_changed();
    Ok(())
}
