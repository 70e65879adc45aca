//! `api prove-address <email>` and `api let-through <email>`: the operator's decision about a business where no mail
//! can be received, or no operator signs in. An operator who can run this controls the database anyway.

use api::commands;
use shared::{
    domain::{
        messaging::account_email::security_email::{self, SecurityEvent},
        tenancy::{
            account::{self, Account, before_proof, proof},
            audit::{self, AuditAction, AuditActor},
            org, trust_level,
        },
    },
    ops::settings::InstallSettings,
    platform::{
        clock::ClockRng,
        db::Tx,
        email_address::EmailAddress,
        error::{Error, Result},
    },
};

/// Marks the address as proven and signs its account out everywhere. The error is a sentence for the console.
pub async fn prove_address(settings: &InstallSettings, typed: &str) -> Result<(), String> {
    let origin = ClockRng::system();
    let url = settings.public_url.clone();
    with_account(settings, typed, async |tx, account| {
        org::lock(&mut *tx, account.org_id).await?;
        let before = before_proof::count_credentials(&mut *tx, account.org_id).await?;
        proof::record_address_proof(&mut *tx, &origin, account, None).await?;
        let gone = before.removed_since(before_proof::count_credentials(&mut *tx, account.org_id).await?);
        security_email::notify_account(&mut *tx, &origin, &url, account, SecurityEvent::AddressProven { gone }).await?;
        record_audit(tx, &origin, account, AuditAction::AddressProven).await
    })
    .await?;
    println!("the address counts as proven; who was signed in to the account is signed out");
    Ok(())
}

/// Lets the business of this person send without payment. The error is a sentence for the console.
pub async fn approve_business(settings: &InstallSettings, typed: &str) -> Result<(), String> {
    let origin = ClockRng::system();
    with_account(settings, typed, async |tx, account| {
        trust_level::set_operator_approval(&mut *tx, &origin, account.org_id, true).await?;
        record_audit(tx, &origin, account, AuditAction::BusinessLetThrough).await
    })
    .await?;
    println!("their business may send without payment");
    Ok(())
}

async fn record_audit(tx: &mut Tx, origin: &ClockRng, account: &Account, action: AuditAction) -> Result<()> {
    audit::record(tx, origin, &AuditActor::default(), account.org_id, action, Some(account.id.0)).await
}

async fn with_account(
    settings: &InstallSettings,
    typed: &str,
    work: impl AsyncFnOnce(&mut Tx, &Account) -> Result<()>,
) -> Result<(), String> {
    let email = EmailAddress::parse(typed).ok_or("say whose, by their email address: ann@example.com")?;
    let db = commands::connect_database(settings).await?;
    let done = async {
        let mut tx = db.begin().await?;
        let account = account::find_by_email(&mut tx, email.as_str()).await?.ok_or(Error::NotFound)?;
        work(&mut tx, &account).await?;
        tx.commit().await
    };
    let done = done.await;
    db.close().await;
    done.map_err(|e| match e {
        Error::NotFound => "no one signs in with this address".to_owned(),
        other => format!("it was not done: {other}"),
    })
}
