//! Measured figures beside their limits, as a table and as JSON.

use std::fmt::Write;

use serde_json::{Value, json};

#[derive(Clone, Copy, Debug)]
pub enum Goal {
    /// This figure is itself the limit of another.
    None,
    AtLeast(f64),
    AtMost(f64),
}

impl Goal {
    fn is_met(self, value: f64) -> Option<bool> {
        match self {
            Self::None => None,
            Self::AtLeast(limit) => Some(value >= limit),
            Self::AtMost(limit) => Some(value <= limit),
        }
    }

    fn words(self) -> String {
        match self {
            Self::None => String::new(),
            Self::AtLeast(limit) => format!("≥ {}", short(limit)),
            Self::AtMost(limit) => format!("≤ {}", short(limit)),
        }
    }
}

struct Figure {
    engine: String,
    name: String,
    value: f64,
    unit: &'static str,
    goal: Goal,
}

#[derive(Default)]
pub struct Figures(Vec<Figure>);

impl Figures {
    pub fn add(&mut self, engine: &str, name: &str, value: f64, unit: &'static str, goal: Goal) {
        eprintln!("  {engine}: {name}: {} {unit}", short(value));
        self.0.push(Figure { engine: engine.to_owned(), name: name.to_owned(), value, unit, goal });
    }

    pub fn json(&self) -> Value {
        let each = self.0.iter().map(|f| {
            let (at_least, at_most) = match f.goal {
                Goal::None => (None, None),
                Goal::AtLeast(limit) => (Some(limit), None),
                Goal::AtMost(limit) => (None, Some(limit)),
            };
            json!({
                "database": f.engine, "name": f.name, "value": f.value, "unit": f.unit, "atLeast": at_least,
                "atMost": at_most, "met": f.goal.is_met(f.value),
            })
        });
        json!({ "figures": each.collect::<Vec<_>>() })
    }

    pub fn table(&self) -> String {
        let mut out = String::new();
        for f in &self.0 {
            let verdict = match f.goal.is_met(f.value) {
                None => "",
                Some(true) => "met",
                Some(false) => "MISSED",
            };
            let value = format!("{} {}", short(f.value), f.unit);
            let _ = writeln!(out, "{:<12} {:<58} {value:>16} {:>12}  {verdict}", f.engine, f.name, f.goal.words());
        }
        out
    }
}

fn short(value: f64) -> String {
    if value >= 100.0 { format!("{value:.0}") } else { format!("{value:.2}") }
}

/// The value that `share` of the sorted values do not exceed. Panics when there are none.
pub fn quantile(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "an index"
    )]
    let at = ((values.len() - 1) as f64 * share).round() as usize;
    values[at]
}

pub fn rate(count: usize, seconds: f64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
    let count = count as f64;
    count / seconds
}
