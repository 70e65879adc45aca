//! `api invite <email>`: invites a person to register a business, where no operator signs in.

use api::commands;
use shared::{
    domain::tenancy::registration,
    ops::settings::InstallSettings,
    platform::{clock::ClockRng, db::Db, email_address::EmailAddress, error},
};

/// Mails the invitation and prints its link. The error is a sentence for the console.
pub async fn invite_by_email(settings: &InstallSettings, typed: &str) -> Result<(), String> {
    let email = EmailAddress::parse(typed).ok_or("say whom, by their email address: api invite ann@example.com")?;
    let origin = ClockRng::system();
    let db = commands::connect_database(settings).await?;
    let done = enqueue_invitation(&db, settings, &origin, &email).await;
    db.close().await;
    done.map_err(|e| format!("it was not done: {e}"))?;
    let link = registration::invitation_link(&settings.secret, &settings.public_url, email.as_str(), origin.now());
    println!("{email} may register within 14 days at\n{link}\nThe worker mails the same invitation.");
    Ok(())
}

async fn enqueue_invitation(
    db: &Db,
    settings: &InstallSettings,
    origin: &ClockRng,
    email: &EmailAddress,
) -> error::Result<()> {
    let mut tx = db.begin().await?;
    registration::send_invitation(&mut tx, origin, &settings.secret, &settings.public_url, email).await?;
    tx.commit().await
}
