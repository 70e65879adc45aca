//! Reviews from a spreadsheet: what it would bring in, said first; then taken in one go. The same file again changes
//! nothing, nor does one that overlaps with what came another way.

use std::collections::HashMap;

use serde::Serialize;
use utoipa::ToSchema;

use super::{
    intake::{self, New, Said, Way},
    list::Stars,
    sheet::Sheet,
};
use crate::{
    domain::{intake::lead::Intake, tenancy::org},
    platform::{
        db::{AsConn, Tx, q},
        error::Result,
        id::OrgId,
    },
};

/// Rows of the answer that show how the file was read.
const SHOWN: usize = 50;
/// Faults that one answer lists.
const LISTED: usize = 500;

/// What a file brings in, or would.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
#[schema(as = ReviewImport)]
pub struct Imported {
    pub added: usize,
    /// Reviews that are there already.
    pub same: usize,
    /// Rows that were left out.
    pub failed: usize,
    /// Why, for the first five hundred of them.
    pub errors: Vec<RowError>,
    /// The first fifty of the others, as they were read.
    pub rows: Vec<ReadRow>,
    /// The columns that say nothing to us, as the file calls them.
    pub ignored: Vec<String>,
}

/// Why a row was left out.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = ReviewRowError)]
pub struct RowError {
    /// As the spreadsheet counts; its first row names the columns.
    pub row: i64,
    /// What stands over the column.
    pub column: String,
    pub message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = ReviewRowOutcome)]
pub enum Outcome {
    Added,
    Same,
}

/// A row as it was read.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = ReviewRow)]
pub struct ReadRow {
    pub row: i64,
    pub outcome: Outcome,
    pub date: Option<chrono::NaiveDate>,
    pub customer_name: Option<String>,
    pub rating: Stars,
    pub review_text: Option<String>,
    pub source: String,
}

/// What the file would bring in. Nothing is stored.
///
/// # Errors
/// [`crate::platform::error::Error::Invalid`] on `file` when it is no list of reviews.
pub async fn preview(conn: &mut dyn AsConn, house: &Intake<'_>, file: &[u8]) -> Result<Imported> {
    Ok(plan(conn, house, file).await?.0)
}

/// Takes the rows that fit, each once.
///
/// # Errors
/// [`crate::platform::error::Error::Invalid`] on `file` when it is no list of reviews.
pub async fn import(tx: &mut Tx, house: &Intake<'_>, file: &[u8]) -> Result<Imported> {
    // One file at a time: two of them must not bring in the same twice.
    org::lock(&mut *tx, house.profile.org.id).await?;
    let (told, new) = plan(&mut *tx, house, file).await?;
    for review in new {
        intake::take(&mut *tx, house, &review).await?;
    }
    Ok(told)
}

async fn plan(conn: &mut dyn AsConn, house: &Intake<'_>, file: &[u8]) -> Result<(Imported, Vec<New>)> {
    let zone = house.profile.org.zone();
    let sheet = Sheet::read(file, zone, house.origin.now().with_timezone(&zone).date_naive())?;
    let (mut told, mut new) = (Imported { ignored: sheet.ignored.clone(), ..Imported::default() }, Vec::new());
    let mut seen: HashMap<String, i64> = HashMap::new();
    for (row, read) in sheet.rows() {
        let said = match read {
            Ok(said) => said,
            Err((column, message)) => {
                told.errors.push(RowError { row, column, message });
                continue;
            }
        };
        let key = said.content_key();
        // Two rows that say the same are two reviews, and both are there after the first time.
        let nth = seen.entry(key.clone()).and_modify(|n| *n += 1).or_insert(1);
        let outcome = if count(&mut *conn, house.profile.org.id, &key).await? >= *nth {
            told.same += 1;
            Outcome::Same
        } else {
            told.added += 1;
            let key = format!("content:{key}:{nth}");
            new.push(New { said: said.clone(), way: Way::Csv, key, ask: None, customer: None, job: None });
            Outcome::Added
        };
        if told.rows.len() < SHOWN {
            told.rows.push(shown(row, outcome, said));
        }
    }
    told.failed = told.errors.len();
    told.errors.truncate(LISTED);
    Ok((told, new))
}

/// How many reviews say just this.
async fn count(conn: &mut dyn AsConn, org: OrgId, key: &str) -> Result<i64> {
    let sql = "SELECT COUNT(*) FROM review WHERE org_id = $1 AND content_key = $2";
    Ok(q!(conn, fetch_one scalar i64, sql, org, key)?)
}

fn shown(row: i64, outcome: Outcome, said: Said) -> ReadRow {
    ReadRow {
        row,
        outcome,
        date: said.reviewed_on,
        customer_name: said.customer_name,
        rating: Stars(said.stars),
        review_text: said.body,
        source: said.source,
    }
}
