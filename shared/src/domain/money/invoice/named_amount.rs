//! Amounts that the words of a message about an invoice name, compared with what is due now.

use crate::{
    documents::template::{Language, TemplateKindName},
    domain::{messaging::message::ClaimedMessage, money::checkout, tenancy::org},
    platform::{
        db::AsConn,
        error::Result,
        id::{InvoiceId, LeadId, OrgId},
        money::Cents,
    },
};

/// The templates of messages about an invoice.
const TEMPLATES: [TemplateKindName; 5] = [
    TemplateKindName::InvoiceText,
    TemplateKindName::InvoiceEmail,
    TemplateKindName::InvoiceDueSoon,
    TemplateKindName::UnpaidInvoice,
    TemplateKindName::PaymentFailed,
];

/// Whether the message names another amount than `due`. Words without an amount are true of any.
pub(super) async fn names_other_amount(
    conn: &mut dyn AsConn,
    message: &ClaimedMessage,
    (lead, id): (LeadId, InvoiceId),
    due: Cents,
) -> Result<bool> {
    let named = list_amounts(&message.body);
    let is_named = |amount: Cents| named.contains(&amount.format_usd().as_str());
    if named.is_empty() || is_named(due) {
        return Ok(false);
    }
    // The question about a refused card leaves out bank transfers that are under way.
    if is_named(checkout::deduct_pending_transfers(&mut *conn, message.org_id, (lead, id), due).await?) {
        return Ok(false);
    }
    let wordings = load_wordings(conn, message.org_id).await?;
    Ok(named.iter().any(|amount| !wordings.iter().any(|wording| wording.contains(*amount))))
}

/// Amounts in dollars and cents, as templates print them: `$1,250.50`.
fn list_amounts(words: &str) -> Vec<&str> {
    let amount_at = |(start, _): (usize, &str)| {
        let rest = &words[start + 1..];
        let length = rest.find(|c: char| !c.is_ascii_digit() && !matches!(c, ',' | '.')).unwrap_or(rest.len());
        words[start..start + 1 + length].trim_end_matches([',', '.'])
    };
    let has_cents = |amount: &&str| amount.rsplit_once('.').is_some_and(|(_, cents)| cents.len() == 2);
    words.match_indices('$').map(amount_at).filter(has_cents).collect()
}

/// An amount in the wording itself, such as a fee, is not the amount due.
async fn load_wordings(conn: &mut dyn AsConn, id: OrgId) -> Result<Vec<String>> {
    let Some(business) = org::find(&mut *conn, id).await? else { return Ok(Vec::new()) };
    let profile = org::load_profile(conn, business).await?;
    let in_languages = |kind| [Language::En, Language::Es].map(|language| profile.wording(kind, language).body);
    Ok(TEMPLATES.into_iter().flat_map(in_languages).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_with_cents_are_listed_without_punctuation() {
        for (words, amounts) in [
            ("Invoice INV-1001 for $1,250.50 is still open.", vec!["$1,250.50"]),
            ("invoice INV-1001 for $90.00, due Oct 20. A fee of $25.00.", vec!["$90.00", "$25.00"]),
            ("La factura INV-1001 de $1,000.00", vec!["$1,000.00"]),
            ("A fee of $25 is added, or US$ 30.00. Costs $", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(list_amounts(words), amounts, "{words}");
        }
    }
}
