//! Sends the code that verifies an owner's number.

use shared::{
    domain::messaging::sending_number::claim::{self, DueVerificationCode, NumberClaimMethod},
    platform::{error::Result, id::NumberClaimId},
    providers::{SendError, sms::SmsMessage},
};

use crate::Context;

/// How long Twilio may queue the text.
const VALIDITY_SECONDS: u32 = 600;

/// Idempotent. A refusal by the provider is shown to the owner, who can ask again.
pub async fn run(context: &Context, id: NumberClaimId) -> Result<()> {
    let mut tx = context.db.begin().await?;
    let Some(due) = claim::find_due_code(&mut tx, id, context.origin.now()).await? else { return Ok(()) };
    let is_ours = claim::mark_code_sending(&mut tx, &context.origin, due.org_id, id).await?;
    tx.commit().await?;
    if !is_ours {
        return Ok(());
    }
    if let Err(e) = send_code(context, &due, &claim::verification_code(&context.secret, id)).await {
        let mut tx = context.db.begin().await?;
        claim::mark_code_failed(&mut tx, &context.origin, due.org_id, id, e.reason()).await?;
        tx.commit().await?;
    }
    context.announcer.notify_changed();
    Ok(())
}

async fn send_code(context: &Context, due: &DueVerificationCode, code: &str) -> Result<(), SendError> {
    match due.way {
        NumberClaimMethod::Text => {
            let body =
                format!("{code} is the code to use this number for {} in Toolbox. Not you? Ignore this.", due.org_name);
            let text = SmsMessage {
                to: &due.number,
                body: &body,
                status_callback: None,
                validity_seconds: Some(VALIDITY_SECONDS),
                from: None,
            };
            context.sms.send(&text).await.map(|_| ())
        }
        NumberClaimMethod::Call => {
            let spoken: Vec<String> = code.chars().map(String::from).collect();
            let words = format!("Your Toolbox code for {} is {}.", due.org_name, spoken.join(", "));
            context.sms.call_and_say(&due.number, &words).await
        }
    }
}
