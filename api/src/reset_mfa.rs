//! `api let-in <email>`: for who has lost the phone and the recovery codes where nobody else owns the business. Whoever can
//! run this holds the database anyway.

use api::ApiConfig;
use shared::{
    domain::tenancy::{
        account::{
            self,
            security_email::{self, SecurityEvent},
            team,
        },
        audit::{self, Action, Actor},
    },
    ops::{schema::SCHEMA, settings::Settings},
    platform::{
        clock::Origin,
        db::Db,
        error::{Error, Result},
        text,
    },
};

/// Takes the second factor of the person away whose address is the command's argument, and tells them by mail.
///
/// # Errors
/// A sentence for the console.
pub async fn run(settings: Settings, _config: ApiConfig) -> Result<(), String> {
    let typed = std::env::args().nth(2).unwrap_or_default();
    let email = text::email(&typed).ok_or("say whose sign-in: api let-in ann@example.com")?;
    let db = Db::connect_existing(&settings.db, &SCHEMA).await.map_err(|e| format!("DATABASE_URL: {e}"))?;
    let done = let_in(&db, &settings, &email).await;
    db.close().await;
    match done {
        Ok(()) => println!("their next sign-in asks for no code, and a mail tells them so"),
        Err(Error::NotFound) => return Err("nobody signs in with this address".to_owned()),
        Err(Error::Conflict(why)) => return Err(why.to_owned()),
        Err(other) => return Err(format!("it was not done: {other}")),
    }
    Ok(())
}

async fn let_in(db: &Db, settings: &Settings, email: &str) -> Result<()> {
    let origin = Origin::system();
    let mut tx = db.begin().await?;
    let known = account::find_by_email(&mut tx, email).await?.ok_or(Error::NotFound)?;
    let account = team::forget_second_factor(&mut tx, &origin, known.org_id, known.id).await?;
    security_email::tell(&mut tx, &origin, &settings.public_url, &account, SecurityEvent::SecondFactorForgotten)
        .await?;
    let (actor, action) = (Actor::default(), Action::SecondFactorForgotten);
    audit::record(&mut tx, &origin, &actor, account.org_id, action, Some(account.id.0)).await?;
    tx.commit().await
}
