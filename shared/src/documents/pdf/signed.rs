//! The signed copy: the estimate as it was shown, and a page with what was chosen, the hand that signed, and what proves
//! it.

use std::fmt::Write as _;

use super::{
    estimate::{change, fact, finish, pages, words},
    logo,
    papers::{ApprovalPage, EstimatePaper, Signature},
    sheet::{LEFT, MEASURE, Sheet},
    style::{BODY, LABEL, NAME, SMALL, STRONG, Style, width},
    sums::{row, totals},
    table::chosen,
    words::Words,
};
use crate::platform::money::Cents;

const PAD_WIDTH: f32 = 250.0;
const PAD_HEIGHT: f32 = 80.0;
/// Points to a unit of the pad: a small signature stays one.
const LARGEST: f32 = 0.4;
/// A typed name is written as large as its room allows, up to this.
const TYPED: Style = Style { size: 22.0, leading: 30.0, ..BODY };
/// How high the proof is, with a browser of two lines.
const PROOF: f32 = 130.0;
/// Of the labels of the proof.
const COLUMN: f32 = 84.0;

pub(super) fn draw(of: &EstimatePaper, approval: &ApprovalPage) -> Vec<u8> {
    let words = words(of);
    let logo = of.sender.logo.as_deref().and_then(logo::read);
    let mut sheet = pages(of, words, logo.as_deref());
    sheet.turn();
    sheet.flow(LEFT, MEASURE, Style { size: 16.0, leading: 22.0, ..NAME }, &title(of, words));
    sheet.y += 10.0;
    choice(&mut sheet, of, approval, words);
    sheet.y += 18.0;
    hand(&mut sheet, approval, words);
    proof(&mut sheet, approval, words);
    finish(sheet, of, words, logo.as_deref())
}

/// "Approval of estimate EST-1001".
fn title(of: &EstimatePaper, words: &Words) -> String {
    match &of.number {
        Some(number) => format!("{} {number}", words.approval_of),
        None => words.approval_of.to_owned(),
    }
}

/// The lines that were chosen and what they come to.
fn choice(sheet: &mut Sheet, of: &EstimatePaper, approval: &ApprovalPage, words: &'static Words) {
    sheet.flow(LEFT, MEASURE, LABEL, words.chosen);
    sheet.y += 4.0;
    let selection = &approval.selection;
    let option = of.paper.options.iter().find(|option| Some(&option.id) == selection.option_id.as_ref());
    if let Some(option) = option {
        sheet.flow(LEFT, MEASURE, STRONG, &format!("{} – {}", words.option, option.name));
        sheet.y += 4.0;
    }
    if of.paper.options.is_empty() && of.paper.add_ons(None).next().is_none() {
        sheet.flow(LEFT, MEASURE, BODY, words.all_of_it);
    } else {
        chosen(sheet, words, &of.paper, selection);
    }
    let sums = of.paper.totals(selection);
    totals(sheet, words, &of.paper, &sums, words.total);
    let deposit = of.deposit.of(sums.total);
    if deposit > Cents::ZERO {
        row(sheet, STRONG, words.deposit, deposit);
    }
    change(sheet, of, words, sums.total);
}

/// The words that were agreed to, and the signature on its line under them.
fn hand(sheet: &mut Sheet, approval: &ApprovalPage, words: &Words) {
    // With its proof under it, on one page.
    sheet.need(PAD_HEIGHT + PROOF + 80.0);
    sheet.flow(LEFT, MEASURE, BODY, &approval.wording);
    sheet.need(PAD_HEIGHT + 60.0);
    sheet.y += 12.0;
    sheet.flow(LEFT, MEASURE, LABEL, words.signature);
    let top = sheet.y;
    let line = match &approval.signature {
        Signature::Drawn(strokes) if strokes.iter().any(|stroke| !stroke.is_empty()) => {
            sheet.strokes(&fitted_strokes(strokes, LEFT + 6.0, top));
            top + PAD_HEIGHT
        }
        _ => {
            let size = (TYPED.size * PAD_WIDTH / width(TYPED, &approval.name).max(1.0)).min(TYPED.size);
            sheet.text(LEFT + 6.0, top + 10.0, Style { size, ..TYPED }, &approval.name);
            top + 10.0 + TYPED.leading
        }
    };
    sheet.rule_at(LEFT, LEFT + PAD_WIDTH + 12.0, line, 0.75, 0.0);
    sheet.y = line + 3.0;
    sheet.flow(LEFT, MEASURE, STRONG, &approval.name);
    sheet.y += 12.0;
}

/// The strokes as large as the room above the line allows, in their own proportions, resting on the line.
fn fitted_strokes(strokes: &[Vec<[i32; 2]>], left: f32, top: f32) -> Vec<Vec<(f32, f32)>> {
    // Whatever was sent: a pad is a thousand wide.
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
        // A dot is a stroke to itself: the round ends of the pen make it one.
        if let [only] = points[..] {
            points.push(only);
        }
        points
    };
    strokes.iter().filter(|stroke| !stroke.is_empty()).map(stroke).collect()
}

/// Who, when, from where, with what, and on which file.
fn proof(sheet: &mut Sheet, approval: &ApprovalPage, words: &Words) {
    sheet.need(PROOF);
    sheet.rule(0.5);
    sheet.y += 8.0;
    let manner = match approval.signature {
        Signature::Typed => words.typed,
        Signature::Drawn(_) => words.drawn,
    };
    fact(sheet, COLUMN, words.signed_by, &format!("{} ({manner})", approval.name));
    let at = format!("{} ({})", words.moment(approval.at, approval.zone), approval.at.format("%Y-%m-%d %H:%M:%S UTC"));
    fact(sheet, COLUMN, words.signed_at, &at);
    fact(sheet, COLUMN, words.address_of_device, approval.ip.as_deref().unwrap_or(words.not_known));
    fact(sheet, COLUMN, words.browser, approval.user_agent.as_deref().unwrap_or(words.not_known));
    let mut hash = String::new();
    for byte in approval.sha256 {
        let _ = write!(hash, "{byte:02x}");
    }
    fact(sheet, COLUMN, words.fingerprint, &hash);
    sheet.flow(LEFT + COLUMN, MEASURE - COLUMN, SMALL, words.fingerprint_hint);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_keeps_its_proportions_and_rests_on_the_line() {
        let strokes = vec![vec![[100, 100], [900, 100], [900, 300]], vec![[500, 200]], vec![]];
        let drawn = fitted_strokes(&strokes, 54.0, 600.0);
        assert_eq!(drawn.len(), 2, "what has no point is no stroke");
        let ((x0, y0), (x1, y1)) = (drawn[0][0], drawn[0][2]);
        assert!(((x1 - x0) / (y1 - y0) - 4.0).abs() < 0.001);
        assert!(x0 >= 54.0 && x1 <= 54.0 + PAD_WIDTH + 0.01);
        assert!((y1 - (600.0 + PAD_HEIGHT - 5.0)).abs() < 0.01);
        assert_eq!(drawn[1].len(), 2, "a dot can be seen");
    }

    #[test]
    fn strokes_from_far_outside_stay_on_the_paper() {
        let drawn = fitted_strokes(&[vec![[i32::MIN, i32::MAX], [i32::MAX, i32::MIN]]], 54.0, 600.0);
        for (x, y) in &drawn[0] {
            assert!((54.0..=320.0).contains(x) && (600.0..=700.0).contains(y), "{x} {y}");
        }
    }
}
