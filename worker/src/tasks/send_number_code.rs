//! Sends the code with which an owner proves that a number is theirs.

use shared::{
    domain::messaging::sending_number::claim::{self, Due, Way},
    platform::{error::Result, id::NumberClaimId},
    providers::{SendError, sms::Text},
};

use crate::Context;

/// For how long the text may wait at Twilio.
const VALIDITY_SECONDS: u32 = 600;

/// Runs once; harmless when the code was sent. What the provider does not take is told to the owner, who asks again.
pub async fn run(context: &Context, id: NumberClaimId) -> Result<()> {
    let mut tx = context.db.begin().await?;
    let Some(due) = claim::due(&mut tx, id, context.origin.now()).await? else { return Ok(()) };
    let is_ours = claim::leaves(&mut tx, &context.origin, due.org_id, id).await?;
    tx.commit().await?;
    if !is_ours {
        return Ok(());
    }
    if let Err(e) = send(context, &due, &claim::code(&context.secret, id)).await {
        let mut tx = context.db.begin().await?;
        claim::failed(&mut tx, &context.origin, due.org_id, id, e.reason()).await?;
        tx.commit().await?;
    }
    context.announcer.changed();
    Ok(())
}

async fn send(context: &Context, due: &Due, code: &str) -> Result<(), SendError> {
    match due.way {
        Way::Text => {
            let body =
                format!("{code} is the code to use this number for {} in Toolbox. Not you? Ignore this.", due.org_name);
            let text = Text {
                to: &due.number,
                body: &body,
                status_callback: None,
                validity_seconds: Some(VALIDITY_SECONDS),
                from: None,
            };
            context.sms.send(&text).await.map(|_| ())
        }
        Way::Call => {
            let spoken: Vec<String> = code.chars().map(String::from).collect();
            let words = format!("Your Toolbox code for {} is {}.", due.org_name, spoken.join(", "));
            context.sms.say(&due.number, &words).await
        }
    }
}
