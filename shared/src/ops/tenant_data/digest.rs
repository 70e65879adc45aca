//! Digest of a table: number of rows, sums of its money, and a hash of its content. Tables with equal digests have
//! equal content, in any order and database.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::platform::{
    db::{
        AsConn,
        rows::{self, Cell, RowCells, TableShape},
    },
    error::Result,
    id::OrgId,
};

pub(crate) const PAGE_ROWS: i64 = 500;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableChecksum {
    pub rows: i64,
    /// Sum of each column of whole cents.
    pub sums: BTreeMap<String, i64>,
    /// SHA-256 of every line, added up as 256-bit numbers: the order of the lines makes no difference.
    #[serde(with = "hex")]
    pub sha256: HashSum,
}

/// A 256-bit number, least significant byte first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HashSum([u8; 32]);

impl HashSum {
    /// Modulo 2^256.
    fn wrapping_add(&mut self, other: [u8; 32]) {
        let mut carry = 0_u16;
        for (mine, theirs) in self.0.iter_mut().zip(other) {
            let [low, high] = (u16::from(*mine) + u16::from(theirs) + carry).to_le_bytes();
            *mine = low;
            carry = u16::from(high);
        }
    }
}

impl From<[u8; 32]> for HashSum {
    fn from(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

impl std::fmt::Display for HashSum {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

mod hex {
    //! As 64 characters.

    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    use super::HashSum;

    pub fn serialize<S: Serializer>(sum: &HashSum, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(sum)
    }

    pub fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<HashSum, D::Error> {
        let text = String::deserialize(from)?;
        super::parse_sha256_hex(&text).map(HashSum).ok_or_else(|| D::Error::custom("this is no SHA-256"))
    }
}

/// The bytes of 64 hex characters.
#[must_use]
pub fn parse_sha256_hex(text: &str) -> Option<[u8; 32]> {
    let digits: Vec<u32> = text.chars().map(|c| c.to_digit(16)).collect::<Option<_>>()?;
    let pairs = digits.chunks_exact(2).map(|pair| u8::try_from(pair[0] * 16 + pair[1]));
    let bytes: Vec<u8> = pairs.collect::<Result<_, _>>().ok()?;
    if digits.len() == 64 { bytes.try_into().ok() } else { None }
}

/// A row as one line of JSON, its fields by name.
#[must_use]
pub fn to_json_line(shape: &TableShape, cells: &[Cell]) -> String {
    let fields = shape.columns.iter().zip(cells).map(|(column, cell)| (column.name.clone(), cell.to_json()));
    serde_json::Value::Object(fields.collect()).to_string()
}

impl TableChecksum {
    pub fn add_row(&mut self, shape: &TableShape, cells: &[Cell], line: &str) {
        self.rows += 1;
        self.sha256.wrapping_add(Sha256::digest(line.as_bytes()).into());
        for (column, cell) in shape.columns.iter().zip(cells) {
            let Cell::Whole(amount) = cell else { continue };
            if column.name.ends_with("_cents") {
                let sum = self.sums.entry(column.name.clone()).or_default();
                *sum = sum.saturating_add(amount.unwrap_or_default());
            }
        }
    }

    /// Digest of one business's rows, or of the whole table.
    pub async fn compute_from_db(conn: &mut dyn AsConn, shape: &TableShape, of: Option<OrgId>) -> Result<Self> {
        let (mut worth, mut last): (Self, Option<RowCells>) = (Self::default(), None);
        loop {
            let mut page = rows::load_page(conn, shape, of, last.as_deref(), PAGE_ROWS).await?;
            for cells in &page {
                worth.add_row(shape, cells, &to_json_line(shape, cells));
            }
            last = page.pop();
            if last.is_none() {
                return Ok(worth);
            }
        }
    }

    /// Difference in words for a person; none when they are equal.
    #[must_use]
    pub fn describe_difference(&self, other: &Self) -> Option<String> {
        if self.rows != other.rows {
            return Some(format!("{} rows instead of {}", other.rows, self.rows));
        }
        if let Some((column, sum)) = self.sums.iter().find(|(column, sum)| other.sums.get(*column) != Some(*sum)) {
            let there = other.sums.get(column).copied().unwrap_or_default();
            return Some(format!("{column} comes to {there} instead of {sum}"));
        }
        (self.sha256 != other.sha256).then(|| "a row says something else".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::db::rows::ColumnType;

    fn shape() -> TableShape {
        TableShape::for_tests("payment", &[("amount_cents", ColumnType::Whole), ("id", ColumnType::Text)], &["id"])
    }

    fn worth(rows: &[(i64, &str)]) -> TableChecksum {
        let mut worth = TableChecksum::default();
        for (cents, id) in rows {
            let cells = vec![Cell::Whole(Some(*cents)), Cell::Text(Some((*id).to_owned()))];
            worth.add_row(&shape(), &cells, &to_json_line(&shape(), &cells));
        }
        worth
    }

    #[test]
    fn digest_ignores_row_order_and_detects_any_other_difference() {
        let ours = worth(&[(500, "a"), (-200, "b")]);
        assert_eq!(ours.sums["amount_cents"], 300);
        assert_eq!(ours.describe_difference(&worth(&[(-200, "b"), (500, "a")])), None);
        for (other, expected) in [
            (worth(&[(500, "a")]), "1 rows instead of 2"),
            (worth(&[(500, "a"), (-100, "b")]), "amount_cents comes to 400 instead of 300"),
            (worth(&[(-200, "a"), (500, "b")]), "a row says something else"),
            (worth(&[(500, "a"), (-200, "B")]), "a row says something else"),
        ] {
            assert_eq!(ours.describe_difference(&other).as_deref(), Some(expected));
        }
    }

    #[test]
    fn digest_sum_carries_over_and_round_trips() {
        let mut sum = HashSum([255; 32]);
        sum.wrapping_add(std::array::from_fn(|at| u8::from(at == 0)));
        assert_eq!(sum, HashSum::default(), "2^256 is nought");
        let ours = worth(&[(1, "a"), (2, "b")]);
        let text = serde_json::to_string(&ours).unwrap();
        assert_eq!(serde_json::from_str::<TableChecksum>(&text).unwrap(), ours);
        assert_eq!(
            (parse_sha256_hex("zz"), parse_sha256_hex(&"0".repeat(63)), parse_sha256_hex(&"0".repeat(64))),
            (None, None, Some([0; 32]))
        );
    }
}
