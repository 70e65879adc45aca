//! What texts cost: the parts that a provider was handed, by its own word where it gives one, else at a price a part.

use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;

use crate::{
    platform::{
        db::{AsConn, Tx, q},
        error::Result,
        id::{LeadId, MessageId, OrgId},
        money::Micros,
    },
    providers::Bill,
};

/// What the texts about one lead cost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TextCost {
    /// Parts of texts that the provider took.
    pub segments: i64,
    /// US dollars, to the millionth.
    pub cost: Micros,
    /// Whether a part of it is reckoned by `SMS_SEGMENT_PRICE` because the provider has not named its price.
    pub is_estimate: bool,
    /// The same in words: `3 segments, about $0.03`.
    pub shown: String,
}

impl TextCost {
    fn new(sent: &Sent, price: Micros) -> Self {
        let cost = Micros(sent.priced.saturating_add(sent.unpriced.saturating_mul(price.0)));
        let is_estimate = sent.unpriced > 0;
        let parts = if sent.segments == 1 { "segment" } else { "segments" };
        let about = if is_estimate { "about " } else { "" };
        let shown = format!("{} {parts}, {about}{}", sent.segments, cost.shown());
        Self { segments: sent.segments, cost, is_estimate, shown }
    }
}

#[derive(Clone, Copy, Debug, FromRow)]
struct Sent {
    segments: i64,
    /// In millionths of a dollar, of texts whose price is known.
    priced: i64,
    /// Parts of those whose price is not.
    unpriced: i64,
}

/// The texts to the customer and to the people of the business that one lead caused; none when no text left. A text
/// that was handed over twice was paid for twice; one that nobody knows to have been taken counts when it shows up.
pub async fn of_lead(conn: &mut dyn AsConn, org: OrgId, lead: LeadId, price: Micros) -> Result<Option<TextCost>> {
    let sent = q!(
        conn,
        fetch_one as Sent,
        "SELECT CAST(COALESCE(SUM(COALESCE(m.segments, 1)), 0) AS BIGINT) AS segments,
             CAST(COALESCE(SUM(m.price_micros), 0) AS BIGINT) AS priced,
             CAST(COALESCE(SUM(CASE WHEN m.price_micros IS NULL THEN COALESCE(m.segments, 1) ELSE 0 END), 0) AS BIGINT)
                 AS unpriced
         FROM message m JOIN message_attempt a ON a.org_id = m.org_id AND a.message_id = m.id AND a.outcome = 'accepted'
         WHERE m.org_id = $1 AND m.lead_id = $2 AND m.channel = 'sms' AND m.direction = 'out'",
        org,
        lead
    )?;
    Ok((sent.segments > 0).then(|| TextCost::new(&sent, price)))
}

/// Keeps what the provider says of a text: its own count of parts, and its price.
pub(super) async fn note(tx: &mut Tx, org: OrgId, id: MessageId, bill: &Bill) -> Result<()> {
    if *bill == Bill::default() {
        return Ok(());
    }
    q!(
        tx,
        execute,
        "UPDATE message SET segments = COALESCE($3, segments), price_micros = COALESCE($4, price_micros)
         WHERE org_id = $1 AND id = $2",
        org,
        id,
        bill.segments,
        bill.price.map(|price| price.0)
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(segments: i64, priced: i64, unpriced: i64) -> String {
        TextCost::new(&Sent { segments, priced, unpriced }, Micros(11_300)).shown
    }

    #[test]
    fn what_is_reckoned_says_so() {
        assert_eq!(shown(3, 0, 3), "3 segments, about $0.03");
        assert_eq!(shown(1, 0, 1), "1 segment, about $0.01");
        assert_eq!(shown(2, 16_600, 0), "2 segments, $0.02");
        assert_eq!(shown(3, 16_600, 1), "3 segments, about $0.03");
        assert_eq!(shown(200, 0, 200), "200 segments, about $2.26");
        assert_eq!(shown(1, 4_000, 0), "1 segment, less than $0.01");
    }
}
