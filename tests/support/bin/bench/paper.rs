//! The time to draw PDFs: an estimate of one page with a logo, one of ten pages, a signed copy, invoice and receipt.

use std::{hint::black_box, time::Instant};

use shared::documents::pdf;
use tests::sample_documents;

use crate::figures::{Figures, Goal, quantile};

const PAPERS: u32 = 200;
const LONG_PAPERS: u32 = 20;
/// Fills ten pages.
const LINES: usize = 155;
/// The goals for one page: the first of a process, the mean, and the slowest.
const FIRST_MS: f64 = 100.0;
const MEAN_MS: f64 = 10.0;
const P99_MS: f64 = 20.0;

pub fn pdfs(figures: &mut Figures) {
    let one = sample_documents::estimate();
    let estimate = || pdf::render_estimate(black_box(&one));
    let mut add = |name: &str, value: f64, unit, goal| figures.add("–", name, value, unit, goal);
    add("PDF of one page, the first", mean(estimate, 1).0, "ms", Goal::AtMost(FIRST_MS));
    let (mean_ms, mut times) = mean(estimate, PAPERS);
    add("PDF of one page, mean", mean_ms, "ms", Goal::AtMost(MEAN_MS));
    add("PDF of one page, p99", quantile(&mut times, 0.99), "ms", Goal::AtMost(P99_MS));
    add("PDFs of one page, one core", 1000.0 / mean_ms, "per s", Goal::None);
    let (invoice, receipt) = (sample_documents::invoice(), sample_documents::receipt());
    let (invoice_ms, _) = mean(|| pdf::render_invoice(black_box(&invoice)), PAPERS);
    add("PDF of an invoice with payments, mean", invoice_ms, "ms", Goal::AtMost(MEAN_MS));
    let (receipt_ms, _) = mean(|| pdf::render_receipt(black_box(&receipt)), PAPERS);
    add("PDF of a receipt, mean", receipt_ms, "ms", Goal::AtMost(MEAN_MS));
    let (options, approval) = (sample_documents::options(), sample_documents::approval());
    let (signed_ms, _) = mean(|| pdf::render_signed_estimate(black_box(&options), black_box(&approval)), PAPERS);
    add("PDF of a signed copy with its page of proof, mean", signed_ms, "ms", Goal::AtMost(2.0 * MEAN_MS));
    let mut ten = sample_documents::long();
    ten.paper.lines.truncate(LINES);
    let (ten_ms, _) = mean(|| pdf::render_estimate(black_box(&ten)), LONG_PAPERS);
    add("PDF of ten pages, mean", ten_ms, "ms", Goal::AtMost(10.0 * MEAN_MS));
}

/// In milliseconds: the mean, and each.
fn mean(draw: impl Fn() -> Vec<u8>, count: u32) -> (f64, Vec<f64>) {
    let times: Vec<f64> = (0..count)
        .map(|_| {
            let from = Instant::now();
            black_box(draw());
            from.elapsed().as_secs_f64() * 1000.0
        })
        .collect();
    (times.iter().sum::<f64>() / f64::from(count), times)
}
