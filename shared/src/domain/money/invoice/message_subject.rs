//! Messages about an invoice: whether they are still of use.

use chrono::{DateTime, Utc};
use futures::future::BoxFuture;
use uuid::Uuid;

use crate::{
    documents::template::Language,
    domain::{
        messaging::message::{ClaimedMessage, MessageKind, MessageSubject, ResendObstacle},
        money::{checkout, invoice::InvoiceStatus},
    },
    platform::{
        db::{AsConn, Tx, q},
        error::Result,
        id::OrgId,
    },
};

pub struct InvoiceMessages;

impl MessageSubject for InvoiceMessages {
    fn message_kinds(&self) -> &'static [MessageKind] {
        &[MessageKind::Invoice, MessageKind::Dunning]
    }

    fn why_obsolete<'a>(
        &'a self,
        conn: &'a mut dyn AsConn,
        message: &'a ClaimedMessage,
        about: Uuid,
        _now: DateTime<Utc>,
    ) -> BoxFuture<'a, Result<Option<&'static str>>> {
        Box::pin(why_invoice_obsolete(conn, message, about))
    }

    fn find_resend_obstacle<'a>(
        &'a self,
        conn: &'a mut dyn AsConn,
        message: &'a ClaimedMessage,
        about: Uuid,
        _now: DateTime<Utc>,
    ) -> BoxFuture<'a, Result<Option<ResendObstacle>>> {
        Box::pin(find_invoice_obstacle(conn, message, about))
    }

    fn subject_name<'a>(
        &'a self,
        tx: &'a mut Tx,
        org: OrgId,
        about: Uuid,
        language: Language,
    ) -> BoxFuture<'a, Result<Option<String>>> {
        Box::pin(checkout::load_document_title(tx, org, about, language))
    }
}

async fn why_invoice_obsolete(
    conn: &mut dyn AsConn,
    message: &ClaimedMessage,
    about: Uuid,
) -> Result<Option<&'static str>> {
    use InvoiceStatus::{Draft, Open, Paid, Preparing, Void};
    let sql = "SELECT status, settled_at FROM invoice WHERE org_id = $1 AND id = $2";
    let found = q!(conn, fetch_optional as (InvoiceStatus, Option<DateTime<Utc>>), sql, message.org_id, about)?;
    let Some((status, settled_at)) = found else { return Ok(None) };
    Ok(match status {
        Void => Some("the invoice was voided"),
        Paid if message.is_obsolete_since(settled_at) => Some("the invoice was paid"),
        Draft | Preparing | Open | Paid => None,
    })
}

async fn find_invoice_obstacle(
    conn: &mut dyn AsConn,
    message: &ClaimedMessage,
    about: Uuid,
) -> Result<Option<ResendObstacle>> {
    use InvoiceStatus::{Draft, Open, Paid, Preparing, Void};
    let sql = "SELECT status, settled_at FROM invoice WHERE org_id = $1 AND id = $2";
    let found = q!(conn, fetch_optional as (InvoiceStatus, Option<DateTime<Utc>>), sql, message.org_id, about)?;
    let Some((status, settled_at)) = found else { return Ok(None) };
    let on = settled_at.map_or_else(String::new, |at| format!(" on {}", message.format_local_day(at)));
    Ok(match status {
        Paid => Some(ResendObstacle::with_reason(format!("this invoice was paid{on}"), !message.kind.is_automatic())),
        Void => Some(ResendObstacle::with_reason(format!("this invoice was voided{on}"), false)),
        Draft | Preparing => Some(ResendObstacle::with_reason("this invoice is not issued yet", false)),
        Open => None,
    })
}
