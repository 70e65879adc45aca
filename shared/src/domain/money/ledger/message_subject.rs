//! Receipts: whether the payment still counts.

use chrono::{DateTime, Utc};
use futures::future::BoxFuture;
use uuid::Uuid;

use crate::{
    domain::messaging::message::{ClaimedMessage, MessageKind, MessageSubject, ResendObstacle},
    platform::{
        db::{AsConn, q},
        error::Result,
    },
};

pub struct ReceiptMessages;

impl MessageSubject for ReceiptMessages {
    fn message_kinds(&self) -> &'static [MessageKind] {
        &[MessageKind::Receipt]
    }

    fn find_resend_obstacle<'a>(
        &'a self,
        conn: &'a mut dyn AsConn,
        message: &'a ClaimedMessage,
        about: Uuid,
        _now: DateTime<Utc>,
    ) -> BoxFuture<'a, Result<Option<ResendObstacle>>> {
        Box::pin(find_payment_obstacle(conn, message, about))
    }
}

async fn find_payment_obstacle(
    conn: &mut dyn AsConn,
    message: &ClaimedMessage,
    about: Uuid,
) -> Result<Option<ResendObstacle>> {
    let sql = "SELECT p.undone_at IS NULL AND p.status = 'settled', p.amount_cents,
             (SELECT CAST(COALESCE(SUM(r.amount_cents), 0) AS BIGINT) FROM payment r
                 WHERE r.org_id = p.org_id AND r.refund_of = p.id AND r.status <> 'failed' AND r.undone_at IS NULL)
         FROM payment p WHERE p.org_id = $1 AND p.id = $2";
    let found = q!(conn, fetch_optional as (bool, i64, i64), sql, message.org_id, about)?;
    Ok(match found {
        Some((true, _, 0)) => None,
        Some((true, paid, back)) if back >= paid => {
            Some(ResendObstacle::with_reason("this payment went back in full", false))
        }
        Some((true, ..)) => Some(ResendObstacle::with_reason("a refund of this payment was recorded since", true)),
        Some((false, ..)) | None => Some(ResendObstacle::with_reason("this payment no longer counts", false)),
    })
}
