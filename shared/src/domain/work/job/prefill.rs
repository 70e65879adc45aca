//! Defaults of a new job from its lead: the customer's text and the approved parts. A crew without a description brings
//! the wrong things.

use super::{
    form::{CheckedNewJob, MAX_MATERIAL, MOST_MATERIALS},
    quoted::QuotedWork,
};
use crate::{
    documents::line_items::LineItem,
    domain::intake::lead::strip_requested_visits,
    platform::{
        db::{AsConn, Tx},
        error::Result,
        id::{LeadId, OrgId},
        money::Milli,
    },
};

const ONE: Milli = Milli(1_000);
/// Units of time, not of parts.
const TIME: [&str; 8] = ["h", "hr", "hrs", "hour", "hours", "day", "days", "visit"];

pub(super) async fn prefill_job(
    tx: &mut Tx,
    org: OrgId,
    lead: LeadId,
    notes: Option<&str>,
    job: &mut CheckedNewJob,
) -> Result<()> {
    if job.description.is_none() {
        job.description = notes.and_then(strip_requested_visits);
    }
    if job.materials.is_empty() {
        job.materials = list_approved_materials(tx, org, lead).await?;
    }
    Ok(())
}

async fn list_approved_materials(tx: &mut Tx, org: OrgId, lead: LeadId) -> Result<Vec<String>> {
    let quoted = tx.handlers().find_handler::<QuotedWork>()?;
    Ok(list_parts(&(quoted.list_approved_lines)(tx, org, lead).await?))
}

/// Parts of these lines, without prices. An amount alone names none.
fn list_parts(lines: &[LineItem]) -> Vec<String> {
    if matches!(lines, [only] if only.quantity == ONE) {
        return Vec::new();
    }
    let is_part =
        |line: &&LineItem| !TIME.contains(&line.unit.trim().to_lowercase().as_str()) && line.unit_price.0 >= 0;
    let named = |line: &LineItem| match line.quantity {
        ONE => line.name.clone(),
        many => format!("{} × {}", many.format_quantity(), line.name),
    };
    let named = lines.iter().filter(is_part).map(named);
    named.map(|name| name.chars().take(MAX_MATERIAL).collect()).take(MOST_MATERIALS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::money::Cents;

    fn line(name: &str, quantity: i64, unit: &str, cents: i64) -> LineItem {
        let (name, unit) = (name.to_owned(), unit.to_owned());
        LineItem { name, unit, quantity: Milli(quantity), unit_price: Cents(cents), ..LineItem::default() }
    }

    #[test]
    fn parts_are_listed_with_quantity_and_without_prices() {
        let lines = [
            line("Water heater 40 gal", 1_000, "each", 89_900),
            line("Copper pipe", 12_500, "ft", 400),
            line("Labor", 4_000, "Hour", 12_000),
            line("Spring discount", 1_000, "each", -5_000),
        ];
        assert_eq!(list_parts(&lines), ["Water heater 40 gal", "12.5 × Copper pipe"]);
        assert_eq!(list_parts(&lines[..1]), Vec::<String>::new(), "an amount alone");
        assert_eq!(list_parts(&lines[1..2]), ["12.5 × Copper pipe"]);
    }
}
