//! Documents that wait to leave for an address of two records.

use sqlx::types::Json;

use crate::{
    domain::money::checkout::DocumentName,
    platform::{
        db::{AsConn, q},
        error::Result,
        id::{CustomerId, OrgId},
    },
};

/// The numbers of queued documents of two records for an address: "EST-1004".
pub(super) async fn list_pending_documents(
    conn: &mut dyn AsConn,
    org: OrgId,
    [one, other]: [CustomerId; 2],
    address: &str,
) -> Result<Vec<String>> {
    let estimates = "SELECT e.content FROM message m JOIN estimate e ON e.org_id = m.org_id AND e.id = m.about_id
         WHERE m.org_id = $1 AND m.customer_id IN ($2, $3) AND m.direction = 'out' AND m.status IN ('queued', 'held')
             AND m.to_address = $4 ORDER BY m.created_at, m.id";
    let of_estimates = q!(&mut *conn, fetch_all scalar Json<DocumentName>, estimates, org, one, other, address)?;
    let invoices =
        "SELECT i.number, i.content FROM message m JOIN invoice i ON i.org_id = m.org_id AND i.id = m.about_id
         WHERE m.org_id = $1 AND m.customer_id IN ($2, $3) AND m.direction = 'out' AND m.status IN ('queued', 'held')
             AND m.to_address = $4 AND i.number IS NOT NULL ORDER BY m.created_at, m.id";
    let of_invoices = q!(conn, fetch_all as (i64, Json<DocumentName>), invoices, org, one, other, address)?;
    let mut papers: Vec<String> = of_estimates.iter().map(|content| content.display_number(None)).collect();
    papers.extend(of_invoices.iter().map(|(number, content)| content.display_number(Some(*number))));
    let mut seen = Vec::new();
    papers.retain(|paper| {
        let is_new = !seen.contains(paper);
        seen.push(paper.clone());
        is_new
    });
    Ok(papers)
}
