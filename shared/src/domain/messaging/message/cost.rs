//! Cost of texts: the parts handed to a provider, at its own price if known, else at a price per part.

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
    providers::SmsCost,
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
    fn new(sent: &SentSegments, price: Micros) -> Self {
        let cost = Micros(sent.priced.saturating_add(sent.unpriced.saturating_mul(price.0)));
        let is_estimate = sent.unpriced > 0;
        let parts = if sent.segments == 1 { "segment" } else { "segments" };
        let about = if is_estimate { "about " } else { "" };
        let shown = format!("{} {parts}, {about}{}", sent.segments, cost.format_usd());
        Self { segments: sent.segments, cost, is_estimate, shown }
    }
}

#[derive(Clone, Copy, Debug, FromRow)]
struct SentSegments {
    segments: i64,
    /// Millionths of a dollar, of texts with a known price.
    priced: i64,
    /// Parts of texts without a known price.
    unpriced: i64,
}

/// Texts to the customer and to the business that one lead caused; none when no text left. A text handed over twice is
/// paid twice; one not known to be accepted counts when it is found.
pub async fn load_text_cost_of_lead(
    conn: &mut dyn AsConn,
    org: OrgId,
    lead: LeadId,
    price: Micros,
) -> Result<Option<TextCost>> {
    let sent = q!(
        conn,
        fetch_one as SentSegments,
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

pub(super) async fn record_bill(tx: &mut Tx, org: OrgId, id: MessageId, bill: &SmsCost) -> Result<()> {
    if *bill == SmsCost::default() {
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
        TextCost::new(&SentSegments { segments, priced, unpriced }, Micros(11_300)).shown
    }

    #[test]
    fn estimated_cost_is_marked_as_approximate() {
        assert_eq!(shown(3, 0, 3), "3 segments, about $0.03");
        assert_eq!(shown(1, 0, 1), "1 segment, about $0.01");
        assert_eq!(shown(2, 16_600, 0), "2 segments, $0.02");
        assert_eq!(shown(3, 16_600, 1), "3 segments, about $0.03");
        assert_eq!(shown(200, 0, 200), "200 segments, about $2.26");
        assert_eq!(shown(1, 4_000, 0), "1 segment, less than $0.01");
    }
}
