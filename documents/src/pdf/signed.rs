//! PDF of the signed copy: the estimate as shown, then a page with the choice, the signature and the proof.

use std::fmt::Write as _;

use platform::money::Cents;

use super::{
    estimate::{draw_change_order, draw_fact, draw_pages, estimate_labels, finish_document},
    logo,
    pdf_content::{ApprovalPage, EstimatePdf, Signature},
    sheet::{LEFT, MEASURE, PdfSheet},
    style::{BODY, LABEL, NAME, SMALL, STRONG, TextStyle, text_width},
    sum_rows::{draw_sum_row, draw_totals},
    table::draw_chosen_lines,
    words::PdfLabels,
};

const PAD_WIDTH: f32 = 250.0;
const PAD_HEIGHT: f32 = 80.0;
/// Points per pad unit, at most: a small signature stays small.
const LARGEST: f32 = 0.4;
const TYPED: TextStyle = TextStyle { size: 22.0, leading: 30.0, ..BODY };
/// Height of the proof with a user agent of two lines.
const PROOF: f32 = 130.0;
const COLUMN: f32 = 84.0;

pub(super) fn draw_signed_estimate(of: &EstimatePdf, approval: &ApprovalPage) -> Vec<u8> {
    let words = estimate_labels(of);
    let logo = of.sender.logo.as_deref().and_then(logo::load_logo);
    let mut sheet = draw_pages(of, words, logo.as_deref());
    sheet.start_page();
    sheet.draw_wrapped_text(LEFT, MEASURE, TextStyle { size: 16.0, leading: 22.0, ..NAME }, &approval_title(of, words));
    sheet.y += 10.0;
    draw_selection(&mut sheet, of, approval, words);
    sheet.y += 18.0;
    draw_signature(&mut sheet, approval, words);
    draw_proof(&mut sheet, approval, words);
    finish_document(sheet, of, words, logo.as_deref())
}

fn approval_title(of: &EstimatePdf, words: &PdfLabels) -> String {
    match &of.number {
        Some(number) => format!("{} {number}", words.approval_of),
        None => words.approval_of.to_owned(),
    }
}

fn draw_selection(sheet: &mut PdfSheet, of: &EstimatePdf, approval: &ApprovalPage, words: &'static PdfLabels) {
    sheet.draw_wrapped_text(LEFT, MEASURE, LABEL, words.chosen);
    sheet.y += 4.0;
    let selection = &approval.selection;
    let option = of.paper.options.iter().find(|option| Some(&option.id) == selection.option_id.as_ref());
    if let Some(option) = option {
        sheet.draw_wrapped_text(LEFT, MEASURE, STRONG, &format!("{} – {}", words.option, option.name));
        sheet.y += 4.0;
    }
    if of.paper.options.is_empty() && of.paper.add_ons_for_option(None).next().is_none() {
        sheet.draw_wrapped_text(LEFT, MEASURE, BODY, words.all_of_it);
    } else {
        draw_chosen_lines(sheet, words, &of.paper, selection);
    }
    let sums = of.paper.compute_totals(selection);
    draw_totals(sheet, words, &of.paper, &sums, words.total);
    let deposit = of.deposit.apply_to(sums.total);
    if deposit > Cents::ZERO {
        draw_sum_row(sheet, STRONG, words.deposit, deposit);
    }
    draw_change_order(sheet, of, words, sums.total);
}

fn draw_signature(sheet: &mut PdfSheet, approval: &ApprovalPage, words: &PdfLabels) {
    // Keeps signature and proof on one page.
    sheet.ensure_room(PAD_HEIGHT + PROOF + 80.0);
    sheet.draw_wrapped_text(LEFT, MEASURE, BODY, &approval.wording);
    sheet.ensure_room(PAD_HEIGHT + 60.0);
    sheet.y += 12.0;
    sheet.draw_wrapped_text(LEFT, MEASURE, LABEL, words.signature);
    let top = sheet.y;
    let line = match &approval.signature {
        Signature::Drawn(strokes) if strokes.iter().any(|stroke| !stroke.is_empty()) => {
            sheet.draw_strokes(&fit_strokes(strokes, LEFT + 6.0, top));
            top + PAD_HEIGHT
        }
        _ => {
            let size = (TYPED.size * PAD_WIDTH / text_width(TYPED, &approval.name).max(1.0)).min(TYPED.size);
            sheet.draw_text(LEFT + 6.0, top + 10.0, TextStyle { size, ..TYPED }, &approval.name);
            top + 10.0 + TYPED.leading
        }
    };
    sheet.draw_rule_at(LEFT, LEFT + PAD_WIDTH + 12.0, line, 0.75, 0.0);
    sheet.y = line + 3.0;
    sheet.draw_wrapped_text(LEFT, MEASURE, STRONG, &approval.name);
    sheet.y += 12.0;
}

/// Scales the strokes to the room above the line, keeping proportions, resting on the line.
fn fit_strokes(strokes: &[Vec<[i32; 2]>], left: f32, top: f32) -> Vec<Vec<(f32, f32)>> {
    // Input is untrusted: values outside the pad (1000 units wide) are clamped.
    let within = |value: i32| f32::from(i16::try_from(value.clamp(-10_000, 10_000)).unwrap_or_default());
    let points = || strokes.iter().flatten().map(|[x, y]| (within(*x), within(*y)));
    let (from_x, to_x) = points().fold((f32::MAX, f32::MIN), |(from, to), (x, _)| (from.min(x), to.max(x)));
    let (from_y, to_y) = points().fold((f32::MAX, f32::MIN), |(from, to), (_, y)| (from.min(y), to.max(y)));
    let (wide, high) = ((to_x - from_x).max(1.0), (to_y - from_y).max(1.0));
    let scale = (PAD_WIDTH / wide).min((PAD_HEIGHT - 10.0) / high).min(LARGEST);
    let drop = PAD_HEIGHT - 5.0 - high * scale;
    let placed = |[x, y]: &[i32; 2]| (left + (within(*x) - from_x) * scale, top + drop + (within(*y) - from_y) * scale);
    let stroke = |stroke: &Vec<[i32; 2]>| {
        let mut points: Vec<(f32, f32)> = stroke.iter().map(placed).collect();
        // A single point becomes a stroke; the pen's round ends make it a dot.
        if let [only] = points[..] {
            points.push(only);
        }
        points
    };
    strokes.iter().filter(|stroke| !stroke.is_empty()).map(stroke).collect()
}

fn draw_proof(sheet: &mut PdfSheet, approval: &ApprovalPage, words: &PdfLabels) {
    sheet.ensure_room(PROOF);
    sheet.draw_rule(0.5);
    sheet.y += 8.0;
    let manner = match approval.signature {
        Signature::Typed => words.typed,
        Signature::Drawn(_) => words.drawn,
    };
    draw_fact(sheet, COLUMN, words.signed_by, &format!("{} ({manner})", approval.name));
    let at = format!(
        "{} ({})",
        words.format_instant(approval.at, approval.zone),
        approval.at.format("%Y-%m-%d %H:%M:%S UTC")
    );
    draw_fact(sheet, COLUMN, words.signed_at, &at);
    draw_fact(sheet, COLUMN, words.address_of_device, approval.ip.as_deref().unwrap_or(words.not_known));
    draw_fact(sheet, COLUMN, words.browser, approval.user_agent.as_deref().unwrap_or(words.not_known));
    let mut hash = String::new();
    for byte in approval.sha256 {
        let _ = write!(hash, "{byte:02x}");
    }
    draw_fact(sheet, COLUMN, words.fingerprint, &hash);
    sheet.draw_wrapped_text(LEFT + COLUMN, MEASURE - COLUMN, SMALL, words.fingerprint_hint);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signature_keeps_aspect_ratio_and_rests_on_line() {
        let strokes = vec![vec![[100, 100], [900, 100], [900, 300]], vec![[500, 200]], vec![]];
        let drawn = fit_strokes(&strokes, 54.0, 600.0);
        assert_eq!(drawn.len(), 2, "what has no point is no stroke");
        let ((x0, y0), (x1, y1)) = (drawn[0][0], drawn[0][2]);
        assert!(((x1 - x0) / (y1 - y0) - 4.0).abs() < 0.001);
        assert!(x0 >= 54.0 && x1 <= 54.0 + PAD_WIDTH + 0.01);
        assert!((y1 - (600.0 + PAD_HEIGHT - 5.0)).abs() < 0.01);
        assert_eq!(drawn[1].len(), 2, "a dot can be seen");
    }

    #[test]
    fn out_of_range_strokes_stay_on_page() {
        let drawn = fit_strokes(&[vec![[i32::MIN, i32::MAX], [i32::MAX, i32::MIN]]], 54.0, 600.0);
        for (x, y) in &drawn[0] {
            assert!((54.0..=320.0).contains(x) && (600.0..=700.0).contains(y), "{x} {y}");
        }
    }
}
