//! How long a paper takes: an estimate of one page with a logo, and one of ten pages.

use std::{hint::black_box, time::Instant};

use shared::pdf::{self, EstimatePaper};
use tests::papers;

use crate::figures::{Figures, Goal, quantile};

const PAPERS: u32 = 200;
const LONG_PAPERS: u32 = 20;
/// What fills ten pages.
const LINES: usize = 155;

/// No database takes part.
pub fn pdfs(figures: &mut Figures) {
    let one = papers::estimate();
    let mut add = |name: &str, value: f64, unit, goal| figures.add("–", name, value, unit, goal);
    add("PDF of one page, the first", mean(&one, 1).0, "ms", Goal::AtMost(100.0));
    let (mean_ms, mut times) = mean(&one, PAPERS);
    add("PDF of one page, mean", mean_ms, "ms", Goal::AtMost(10.0));
    add("PDF of one page, p99", quantile(&mut times, 0.99), "ms", Goal::AtMost(20.0));
    add("PDFs of one page, one core", 1000.0 / mean_ms, "per s", Goal::None);
    let mut ten = papers::long();
    ten.paper.lines.truncate(LINES);
    add("PDF of ten pages, mean", mean(&ten, LONG_PAPERS).0, "ms", Goal::None);
}

/// In milliseconds: the mean, and each.
fn mean(of: &EstimatePaper, count: u32) -> (f64, Vec<f64>) {
    let times: Vec<f64> = (0..count)
        .map(|_| {
            let from = Instant::now();
            black_box(pdf::estimate(black_box(of)));
            from.elapsed().as_secs_f64() * 1000.0
        })
        .collect();
    (times.iter().sum::<f64>() / f64::from(count), times)
}
