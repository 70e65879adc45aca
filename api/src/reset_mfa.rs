//! `api reset-2fa <email>`: removes the second factor of a person who lost phone and recovery codes, where no other owner
//! can. An operator who can run this controls the database anyway.

use api::commands;
use shared::{
    domain::{
        messaging::account_email::security_email::{self, SecurityEvent},
        tenancy::{
            account::{self, team},
            audit::{self, AuditAction, AuditActor},
        },
    },
    ops::settings::InstallSettings,
    platform::{
        clock::ClockRng,
        db::Db,
        email_address::EmailAddress,
        error::{Error, Result},
    },
};

/// `typed` is the command's argument; the person is notified by mail.
pub async fn run(settings: &InstallSettings, typed: &str) -> Result<(), String> {
    let email = EmailAddress::parse(typed).ok_or("say whose sign-in: api reset-2fa ann@example.com")?;
    let db = commands::connect_database(settings).await?;
    let done = remove_second_factor(&db, settings, &email).await;
    db.close().await;
    match done {
        Ok(()) => println!("their next sign-in asks for no code, and a mail tells them so"),
        Err(Error::NotFound) => return Err("no one signs in with this address".to_owned()),
        Err(Error::Conflict(why)) => return Err(why.to_string()),
        Err(other) => return Err(format!("it was not done: {other}")),
    }
    Ok(())
}

async fn remove_second_factor(db: &Db, settings: &InstallSettings, email: &EmailAddress) -> Result<()> {
    let origin = ClockRng::system();
    let mut tx = db.begin().await?;
    let found = account::find_by_email(&mut tx, email.as_str()).await?.ok_or(Error::NotFound)?;
    let account = team::reset_second_factor(&mut tx, &origin, found.org_id, found.id).await?;
    security_email::notify_account(
        &mut tx,
        &origin,
        &settings.public_url,
        &account,
        SecurityEvent::SecondFactorForgotten,
    )
    .await?;
    let (actor, action) = (AuditActor::default(), AuditAction::SecondFactorForgotten);
    audit::record(&mut tx, &origin, &actor, account.org_id, action, Some(account.id.0)).await?;
    tx.commit().await
}
