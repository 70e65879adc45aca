//! `api prove-address <email>` and `api let-through <email>`: the operator's word about a business where no mail can be
//! received, or nobody signs in as an operator. Whoever can run this holds the database anyway.

use api::ApiConfig;
use shared::{
    domain::tenancy::{
        account::{
            self, Account, before_proof, proof,
            security_email::{self, SecurityEvent},
        },
        audit::{self, Action, Actor},
        org, trust_level,
    },
    ops::{schema::SCHEMA, settings::Settings},
    platform::{
        clock::Origin,
        db::{Db, Tx},
        error::{Error, Result},
        text,
    },
};

/// Marks the address as proven; whoever is signed in to the account is signed out.
///
/// # Errors
/// A sentence for the console.
pub async fn prove_address(settings: Settings, _config: ApiConfig) -> Result<(), String> {
    let origin = Origin::system();
    let url = settings.public_url.clone();
    with_account(&settings, async |tx, account| {
        org::lock(&mut *tx, account.org_id).await?;
        let before = before_proof::of(&mut *tx, account.org_id).await?;
        proof::note(&mut *tx, &origin, account, None).await?;
        let gone = before.gone(before_proof::of(&mut *tx, account.org_id).await?);
        security_email::tell(&mut *tx, &origin, &url, account, SecurityEvent::AddressProven { gone }).await?;
        note(tx, &origin, account, Action::AddressProven).await
    })
    .await?;
    println!("the address counts as proven; who was signed in to the account is signed out");
    Ok(())
}

/// Lets the business of this person send without payment.
///
/// # Errors
/// A sentence for the console.
pub async fn let_through(settings: Settings, _config: ApiConfig) -> Result<(), String> {
    let origin = Origin::system();
    with_account(&settings, async |tx, account| {
        trust_level::let_through(&mut *tx, &origin, account.org_id, true).await?;
        note(tx, &origin, account, Action::BusinessLetThrough).await
    })
    .await?;
    println!("their business may send without payment");
    Ok(())
}

async fn note(tx: &mut Tx, origin: &Origin, account: &Account, action: Action) -> Result<()> {
    audit::record(tx, origin, &Actor::default(), account.org_id, action, Some(account.id.0)).await
}

async fn with_account(
    settings: &Settings,
    work: impl AsyncFnOnce(&mut Tx, &Account) -> Result<()>,
) -> Result<(), String> {
    let typed = std::env::args().nth(2).unwrap_or_default();
    let email = text::email(&typed).ok_or("say whose, by their email address: ann@example.com")?;
    let db = Db::connect_existing(&settings.db, &SCHEMA).await.map_err(|e| format!("DATABASE_URL: {e}"))?;
    let done = async {
        let mut tx = db.begin().await?;
        let account = account::find_by_email(&mut tx, &email).await?.ok_or(Error::NotFound)?;
        work(&mut tx, &account).await?;
        tx.commit().await
    };
    let done = done.await;
    db.close().await;
    done.map_err(|e| match e {
        Error::NotFound => "nobody signs in with this address".to_owned(),
        other => format!("it was not done: {other}"),
    })
}
