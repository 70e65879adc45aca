//! Audit lines without a business: sign-ins with unknown addresses, demo requests, invalid API keys. No owner reads
//! them, so they are verified daily for the operators, who are mailed the anchor.

use uuid::Uuid;

use super::{
    anchor::{self, AuditAnchor},
    verify::{self, AuditFault},
};
use crate::{
    domain::tenancy::install_mail::{self, InstallMail},
    platform::{
        clock::ClockRng,
        db::{Db, Tx},
        email_address::EmailAddress,
        error::Result,
        id::OrgId,
        secret::SecretKey,
    },
};

const NOBODY: OrgId = OrgId(Uuid::nil());

/// Daily check. Mails the operators the anchor after new lines, or an alert: a broken chain gets no anchor. Returns
/// whether it was due.
pub async fn verify_install_log(
    db: &Db,
    origin: &ClockRng,
    secret: &SecretKey,
    operators: &[EmailAddress],
) -> Result<bool> {
    let mut conn = db.acquire_reader().await?;
    if !verify::is_check_due(&mut conn, NOBODY, origin.now()).await? {
        return Ok(false);
    }
    let verdict = verify::verify_chain(&mut conn, secret, NOBODY, None, origin.now()).await?;
    drop(conn);
    let mut tx = db.begin().await?;
    verify::store_scheduled_verdict(&mut tx, NOBODY, &verdict).await?;
    if let Some(fault) = &verdict.fault {
        notify_fault(&mut tx, origin, fault, secret, operators).await?;
    } else if let Some(anchor) = anchor::create_anchor(&mut tx, origin, secret, NOBODY).await? {
        mail_install_anchor(&mut tx, origin, &anchor, secret, operators).await?;
    }
    tx.commit().await?;
    Ok(true)
}

async fn notify_fault(
    tx: &mut Tx,
    origin: &ClockRng,
    fault: &AuditFault,
    secret: &SecretKey,
    operators: &[EmailAddress],
) -> Result<()> {
    let body = format!(
        "The log of what belongs to no business is not what was written. {} Someone with access to the database did that; the program never does.\n\nKeep the emails with its seal, and have the database copied before anything else is changed.",
        fault.to_message()
    );
    for to in operators {
        let key = format!("audit_broken:nobodys:{}:{to}", origin.now().date_naive());
        let mail = InstallMail {
            to,
            subject: "Security alert: The audit log was changed",
            body: &body,
            links: &[],
            key: &key,
        };
        install_mail::enqueue_mail(&mut *tx, origin, secret, &mail).await?;
    }
    Ok(())
}

async fn mail_install_anchor(
    tx: &mut Tx,
    origin: &ClockRng,
    anchor: &AuditAnchor,
    secret: &SecretKey,
    operators: &[EmailAddress],
) -> Result<()> {
    let (lines, text) = (anchor::format_line_count(anchor.seq), anchor.to_text(secret));
    let subject = format!("Seal of the log of no business: {lines}");
    let body = format!(
        "The log of what belongs to no business (sign-ins with addresses that no one has, requests for a demo, keys that open nothing) has {lines}. Please keep this email: with the line below, \"api audit verify --seal\" shows whether anyone changed or removed one of them.\n\n{text}\n\nYou don't need to do anything."
    );
    for to in operators {
        let key = format!("audit_anchor:nobodys:{text}:{to}");
        let mail = InstallMail { to, subject: &subject, body: &body, links: &[], key: &key };
        install_mail::enqueue_mail(&mut *tx, origin, secret, &mail).await?;
    }
    Ok(())
}
