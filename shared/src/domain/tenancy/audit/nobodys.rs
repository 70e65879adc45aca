//! The log of no business: sign-ins with addresses that nobody has, requests for a demo, keys that open nothing. No owner
//! looks at it, so it is looked through once a day for whoever runs the install, and its seal is mailed to them.

use uuid::Uuid;

use super::{
    anchor::{self, Anchor},
    verify::{self, Fault},
};
use crate::{
    domain::tenancy::{
        install_mail::{self, Mail},
        security::watch,
    },
    platform::{
        clock::Origin,
        db::{Db, Tx},
        error::Result,
        id::OrgId,
        secret::SecretKey,
    },
};

/// Under which its lines stand.
const NOBODY: OrgId = OrgId(Uuid::nil());

/// Looks through it once a day, and mails the operators its seal when something was written, or that it was changed: what
/// was found broken is not vouched for. Returns whether its turn had come.
pub async fn look(db: &Db, origin: &Origin, secret: &SecretKey, operators: &[String]) -> Result<bool> {
    let mut conn = db.read().await?;
    if !watch::is_check_due(&mut conn, NOBODY, origin.now()).await? {
        return Ok(false);
    }
    let verdict = verify::verify(&mut conn, secret, NOBODY, None, origin.now()).await?;
    drop(conn);
    let mut tx = db.begin().await?;
    verify::keep_watched(&mut tx, NOBODY, &verdict).await?;
    if let Some(fault) = &verdict.fault {
        tell_of(&mut tx, origin, fault, operators).await?;
    } else if let Some(anchor) = anchor::seal(&mut tx, origin, secret, NOBODY).await? {
        send(&mut tx, origin, &anchor, secret, operators).await?;
    }
    tx.commit().await?;
    Ok(true)
}

async fn tell_of(tx: &mut Tx, origin: &Origin, fault: &Fault, operators: &[String]) -> Result<()> {
    let body = format!(
        "The log of what belongs to no business is not what was written. {} Somebody with access to the database did that; the program never does.\n\nKeep the mails with its seal, and have a copy of the database made before anything else is changed.",
        fault.said()
    );
    for to in operators {
        let key = format!("audit_broken:nobodys:{}:{to}", origin.now().date_naive());
        let mail =
            Mail { to, subject: "Security alert: The audit log was changed", body: &body, links: &[], key: &key };
        install_mail::queue(&mut *tx, origin, &mail).await?;
    }
    Ok(())
}

async fn send(tx: &mut Tx, origin: &Origin, anchor: &Anchor, secret: &SecretKey, operators: &[String]) -> Result<()> {
    let (lines, text) = (anchor::lines(anchor.seq), anchor.text(secret));
    let subject = format!("Seal of the log of no business: {lines}");
    let body = format!(
        "The log of what belongs to no business (sign-ins with addresses that nobody has, requests for a demo, keys that open nothing) has {lines}. Please keep this mail: with the line below, \"api audit verify --seal\" shows whether somebody changed or removed one of them.\n\n{text}\n\nYou need not do anything."
    );
    for to in operators {
        let key = format!("audit_anchor:nobodys:{text}:{to}");
        let mail = Mail { to, subject: &subject, body: &body, links: &[], key: &key };
        install_mail::queue(&mut *tx, origin, &mail).await?;
    }
    Ok(())
}
