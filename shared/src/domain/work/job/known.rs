//! What a new job of a lead can say by itself: what the customer wrote, and the parts they have approved. A crew that
//! reads "No description" brings the wrong things.

use super::form::{Checked, MAX_MATERIAL, MOST_MATERIALS};
use crate::{
    documents::line_items::Line,
    domain::money::invoice::agreed::estimates,
    platform::{
        db::{Tx, q},
        error::Result,
        id::{LeadId, OrgId},
        money::Milli,
    },
};

const ONE: Milli = Milli(1_000);
/// What is worked by, and not brought along.
const TIME: [&str; 8] = ["h", "hr", "hrs", "hour", "hours", "day", "days", "visit"];

/// Fills in what was not typed.
pub(super) async fn fill_in(
    tx: &mut Tx,
    org: OrgId,
    lead: LeadId,
    notes: Option<&str>,
    job: &mut Checked,
) -> Result<()> {
    if job.description.is_none() {
        job.description = notes.map(str::trim).filter(|notes| !notes.is_empty()).map(ToOwned::to_owned);
    }
    if job.materials.is_empty() {
        job.materials = approved(tx, org, lead).await?;
    }
    Ok(())
}

async fn approved(tx: &mut Tx, org: OrgId, lead: LeadId) -> Result<Vec<String>> {
    let sql = "SELECT EXISTS (SELECT 1 FROM estimate WHERE org_id = $1 AND lead_id = $2 AND job_id IS NULL
         AND status = 'approved')";
    if !q!(&mut *tx, fetch_one scalar bool, sql, org, lead)? {
        return Ok(Vec::new());
    }
    let papers = estimates(tx, org, lead, None).await?;
    let lines: Vec<&Line> = papers.iter().flat_map(|estimate| &estimate.paper.lines).collect();
    Ok(parts(&lines))
}

/// The parts among these lines, without prices. An amount alone names none.
fn parts(lines: &[&Line]) -> Vec<String> {
    if matches!(lines, [only] if only.quantity == ONE) {
        return Vec::new();
    }
    let is_part = |line: &&&Line| !TIME.contains(&line.unit.trim().to_lowercase().as_str()) && line.unit_price.0 >= 0;
    let named = |line: &&Line| match line.quantity {
        ONE => line.name.clone(),
        many => format!("{} × {}", many.shown(), line.name),
    };
    let named = lines.iter().filter(is_part).map(named);
    named.map(|name| name.chars().take(MAX_MATERIAL).collect()).take(MOST_MATERIALS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::money::Cents;

    fn line(name: &str, quantity: i64, unit: &str, cents: i64) -> Line {
        let (name, unit) = (name.to_owned(), unit.to_owned());
        Line { name, unit, quantity: Milli(quantity), unit_price: Cents(cents), ..Line::default() }
    }

    #[test]
    fn the_parts_are_named_with_how_many_and_without_prices() {
        let lines = [
            line("Water heater 40 gal", 1_000, "each", 89_900),
            line("Copper pipe", 12_500, "ft", 400),
            line("Labor", 4_000, "Hour", 12_000),
            line("Spring discount", 1_000, "each", -5_000),
        ];
        let all: Vec<&Line> = lines.iter().collect();
        assert_eq!(parts(&all), ["Water heater 40 gal", "12.5 × Copper pipe"]);
        assert_eq!(parts(&all[..1]), Vec::<String>::new(), "an amount alone");
        assert_eq!(parts(&all[1..2]), ["12.5 × Copper pipe"]);
    }
}
