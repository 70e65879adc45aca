//! What a table comes to: how many rows, the sums of its money, and a hash of all it says. Two tables that agree in these
//! say the same, in whichever order and database they lie.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::platform::{
    db::{
        AsConn,
        rows::{self, Cell, Cells, Shape},
    },
    error::Result,
    id::OrgId,
};

/// Rows that lie in memory at once.
pub(crate) const PAGE: i64 = 500;

/// A table's worth, as it is taken along and as it arrives.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Worth {
    pub rows: i64,
    /// Each column of whole cents, summed.
    pub sums: BTreeMap<String, i64>,
    /// The SHA-256 of every line, added up as numbers of 256 bits: the order of the lines makes no difference.
    #[serde(with = "hex")]
    pub sha256: Sum,
}

/// A number of 256 bits, the least byte first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum([u8; 32]);

impl Sum {
    /// Adds another, modulo 2^256.
    fn add(&mut self, other: [u8; 32]) {
        let mut carry = 0_u16;
        for (mine, theirs) in self.0.iter_mut().zip(other) {
            let [low, high] = (u16::from(*mine) + u16::from(theirs) + carry).to_le_bytes();
            *mine = low;
            carry = u16::from(high);
        }
    }
}

impl From<[u8; 32]> for Sum {
    fn from(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

impl std::fmt::Display for Sum {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

mod hex {
    //! As 64 characters.

    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    use super::Sum;

    pub fn serialize<S: Serializer>(sum: &Sum, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(sum)
    }

    pub fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Sum, D::Error> {
        let text = String::deserialize(from)?;
        super::unhex(&text).map(Sum).ok_or_else(|| D::Error::custom("this is no SHA-256"))
    }
}

/// The 32 bytes that 64 characters stand for.
#[must_use]
pub fn unhex(text: &str) -> Option<[u8; 32]> {
    let digits: Vec<u32> = text.chars().map(|c| c.to_digit(16)).collect::<Option<_>>()?;
    let pairs = digits.chunks_exact(2).map(|pair| u8::try_from(pair[0] * 16 + pair[1]));
    let bytes: Vec<u8> = pairs.collect::<Result<_, _>>().ok()?;
    if digits.len() == 64 { bytes.try_into().ok() } else { None }
}

/// A row as one line of JSON, its fields by name.
#[must_use]
pub fn line(shape: &Shape, cells: &[Cell]) -> String {
    let fields = shape.columns.iter().zip(cells).map(|(column, cell)| (column.name.clone(), cell.to_json()));
    serde_json::Value::Object(fields.collect()).to_string()
}

impl Worth {
    /// Counts one row whose line is `line`.
    pub fn count(&mut self, shape: &Shape, cells: &[Cell], line: &str) {
        self.rows += 1;
        self.sha256.add(Sha256::digest(line.as_bytes()).into());
        for (column, cell) in shape.columns.iter().zip(cells) {
            let Cell::Whole(amount) = cell else { continue };
            if column.name.ends_with("_cents") {
                let sum = self.sums.entry(column.name.clone()).or_default();
                *sum = sum.saturating_add(amount.unwrap_or_default());
            }
        }
    }

    /// Reckons what a table comes to: that of one business, or all of it.
    pub async fn of(conn: &mut dyn AsConn, shape: &Shape, of: Option<OrgId>) -> Result<Self> {
        let (mut worth, mut last): (Self, Option<Cells>) = (Self::default(), None);
        loop {
            let mut page = rows::page(conn, shape, of, last.as_deref(), PAGE).await?;
            for cells in &page {
                worth.count(shape, cells, &line(shape, cells));
            }
            last = page.pop();
            if last.is_none() {
                return Ok(worth);
            }
        }
    }

    /// In what the other differs, for a person to read; none when it does not.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Option<String> {
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
    use crate::platform::db::rows::Holds;

    fn shape() -> Shape {
        Shape::of("payment", &[("amount_cents", Holds::Whole), ("id", Holds::Text)], &["id"])
    }

    fn worth(rows: &[(i64, &str)]) -> Worth {
        let mut worth = Worth::default();
        for (cents, id) in rows {
            let cells = vec![Cell::Whole(Some(*cents)), Cell::Text(Some((*id).to_owned()))];
            worth.count(&shape(), &cells, &line(&shape(), &cells));
        }
        worth
    }

    #[test]
    fn the_order_of_the_rows_makes_no_difference_and_everything_else_does() {
        let ours = worth(&[(500, "a"), (-200, "b")]);
        assert_eq!(ours.sums["amount_cents"], 300);
        assert_eq!(ours.difference(&worth(&[(-200, "b"), (500, "a")])), None);
        for (other, said) in [
            (worth(&[(500, "a")]), "1 rows instead of 2"),
            (worth(&[(500, "a"), (-100, "b")]), "amount_cents comes to 400 instead of 300"),
            (worth(&[(-200, "a"), (500, "b")]), "a row says something else"),
            (worth(&[(500, "a"), (-200, "B")]), "a row says something else"),
        ] {
            assert_eq!(ours.difference(&other).as_deref(), Some(said));
        }
    }

    #[test]
    fn a_sum_carries_over_and_is_read_as_it_was_written() {
        let mut sum = Sum([255; 32]);
        sum.add(std::array::from_fn(|at| u8::from(at == 0)));
        assert_eq!(sum, Sum::default(), "2^256 is nought");
        let ours = worth(&[(1, "a"), (2, "b")]);
        let text = serde_json::to_string(&ours).unwrap();
        assert_eq!(serde_json::from_str::<Worth>(&text).unwrap(), ours);
        assert_eq!((unhex("zz"), unhex(&"0".repeat(63)), unhex(&"0".repeat(64))), (None, None, Some([0; 32])));
    }
}
